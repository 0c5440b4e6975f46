"""polarity, lesson 05: which two calls of PyTorch hide the padding?"""

from helpers.exercises.kinds.choose import Choose
from helpers.exercises.slips.hiding import POLARITY

EXERCISE = Choose(
    name="polarity",
    task="Which two calls of PyTorch hide the padding?",
    answer="c",
    options={
        "a": "The first call is right: for scaled_dot_product_attention True = may attend. But "
        "key_padding_mask is True where a key is *ignored*: the layer would read the padding and nothing "
        "else.",
        "b": "Both are the wrong way round. For scaled_dot_product_attention True = may attend; "
        "key_padding_mask is True where a key is *ignored*.",
        "c": "scaled_dot_product_attention takes True = may attend, as this course does: `real` fits as it "
        "is, with an axis of 1 for the queries. key_padding_mask is True where a key is ignored: `~real`.",
        "d": "The second call is right: key_padding_mask is True where a key is ignored. But for "
        "scaled_dot_product_attention True = may attend: with `~real` the queries would read the padding and "
        "nothing else.",
    },
    hints=(
        "The two interfaces say the opposite of each other. Which one agrees with this course?",
        "The name tells: a key_padding_mask marks the padding.",
    ),
    reread=POLARITY,
)

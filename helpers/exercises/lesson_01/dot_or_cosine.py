"""dot-or-cosine, lesson 01: dot product or cosine, to find words that mean much the same?"""

from helpers.exercises.kinds.choose import Choose
from helpers.exercises.slips.matching import LENGTH

EXERCISE = Choose(
    name="dot-or-cosine",
    task="Dot product or cosine, to find words that mean much the same?",
    answer="b",
    options={
        "a": "In these vectors length says how often a word is used, not what it means: with the dot "
        "product, frequent words would come first for almost every query.",
        "b": "The dot product is length × length × cosine. The cosine takes both lengths away, so that a "
        "frequent word "
        "has no advantage, and direction (with whom a word is used) decides.",
        "c": "The choice is right, but the reason is not: the cosine needs the dot product and two "
        "lengths as well. What does dividing by the lengths change for a frequent word?",
        "d": "That would be true of keys of equal length. Here the lengths differ, and a long key can get "
        "the larger dot "
        "product with the smaller cosine.",
    },
    hints=(
        "Write the dot product as length × length × cosine. Which part does a frequent word gain from?",
        "Two keys with the same direction, one ten times as long: what does each score say?",
    ),
    reread=LENGTH,
)

"""rank, lesson 06: d_model 12, 3 heads: the rank of one head's value map W_V W_O."""

from helpers.exercises.kinds.predict import Predict, Slip
from helpers.exercises.lesson_06.shared import SUM

EXERCISE = Predict(
    name="rank",
    task="d_model 12, 3 heads: the rank of one head's value map W_V W_O.",
    answer=4,
    because="A head turns 12 numbers into 4 and those 4 back into 12: everything it writes is a mixture of "
    "the 4 rows of its part of W_O. So a 12 × 12 table of 144 numbers has rank 4.",
    slips=(
        Slip(
            "full",
            12,
            "12 is the size of the table. Everything a head writes has passed through its d_head columns: "
            "how many of those are there?",
        ),
        Slip("heads", 3, "3 is the number of heads. The rank is how wide one of them is."),
        Slip("one", 1, "1 would be one column wide. A head here is wider."),
        Slip(
            "two-ranks-added",
            8,
            "Ranks are neither added nor taken from 12: a product has at most the smaller rank of its two "
            "parts.",
        ),
        Slip(
            "two-ranks-multiplied",
            16,
            "Ranks are not multiplied in a product: it has at most the smaller one.",
        ),
        Slip("entries", 144, "144 is how many numbers the table holds. The rank is at most 12."),
        Slip(
            "entries-of-one-part",
            48,
            "48 is how many numbers each part holds, 12 × 4. The rank is at most 12.",
        ),
        Slip("entries-of-both-parts", 96, "96 is how many numbers both parts hold. The rank is at most 12."),
        Slip("width-times-heads", 36, "36 is 12 × 3. The heads share the width: it is divided among them."),
        Slip(
            "tokens",
            6,
            "6 is the number of tokens, which plays no part: the value map is made of W_V and W_O.",
        ),
    ),
    hints=(
        "What shape is the head's part of W_V, and what shape is its part of W_O?",
        "(12, 4) and (4, 12). Every row of the product is a mixture of how many rows?",
        "The rank of a product is at most the smaller of the two ranks.",
    ),
    reread=SUM,
)

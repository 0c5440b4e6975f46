"""predict-heads, lesson 06: the shape of the scores of 3 heads, from queries and keys of shape (2, 6, 12)."""

from helpers.exercises.kinds.predict import Predict, Slip
from helpers.exercises.lesson_06.shared import SPLITTING

EXERCISE = Predict(
    name="predict-heads",
    task="The shape of the scores of 3 heads, from queries and keys of shape (2, 6, 12).",
    answer=(2, 3, 6, 6),
    because="There are 2 sentences with 3 heads each, and every head has a table of its own: 6 queries by 6 "
    "keys. The dot product sums over the 4 numbers that a head holds for each token, so the 4 disappears "
    "from the shape.",
    slips=(
        Slip(
            "split-only",
            (2, 3, 6, 4),
            "That is the shape of the queries of all heads. The scores match each of the 6 queries with each "
            "of the 6 keys.",
        ),
        Slip(
            "not-swapped",
            (2, 6, 3, 4),
            "Those are the rows, cut into 3 runs of 4 numbers. Next the heads' axis moves in front of the "
            "tokens' axis, and then queries meet keys.",
        ),
        Slip("one-head", (2, 6, 6), "That is one table for each sentence. Each of the 3 heads has its own."),
        Slip("no-batch", (3, 6, 6), "That is right for one sentence. There are 2."),
        Slip("one-table", (6, 6), "That is one table. There is one for each head of each sentence."),
        Slip(
            "heads-matched",
            (2, 6, 3, 3),
            "That matches each token's heads with one another. Match tokens with tokens.",
        ),
        Slip(
            "entries-matched",
            (2, 3, 4, 4),
            "That matches the 4 entries of a head with one another. Match tokens with tokens.",
        ),
        Slip(
            "heads-first", (3, 2, 6, 6), "You have all the parts. The sentences come first, then the heads."
        ),
        Slip("heads-last", (2, 6, 6, 3), "You have all the parts. The heads come before queries and keys."),
        Slip(
            "heads-between",
            (2, 6, 3, 6),
            "You have all the parts. The heads come before the queries, so that each has a whole table.",
        ),
        Slip(
            "four-heads",
            (2, 4, 6, 6),
            "There are 3 heads, each with 4 of the 12 numbers. You have it the other way round.",
        ),
        Slip(
            "twelve-heads",
            (2, 12, 6, 6),
            "12 is the width of all heads together. It is split into 3 heads, each 4 wide.",
        ),
        Slip(
            "folded",
            (6, 6, 6),
            "That puts sentences and heads on one axis, 2 × 3. Each has an axis of its own.",
        ),
        Slip(
            "not-summed",
            (2, 3, 6, 12),
            "A score is a single number: the dot product sums over the vectors' entries.",
        ),
        Slip(
            "not-summed-in-head",
            (2, 3, 6, 6, 4),
            "Those are the products before they are summed. The dot product adds up the last axis.",
        ),
        Slip(
            "tokens-shared-out",
            (2, 3, 2, 12),
            "That shares out the tokens. Each head sees all 6 tokens, but only some of their columns.",
        ),
        Slip(
            "tokens-shared-out-scores",
            (2, 3, 2, 2),
            "That shares out the tokens among the heads. Each head sees all 6 tokens.",
        ),
        Slip(
            "how-many",
            (216,),
            "216 is how many scores there are. The task asks for the shape: a tuple of sizes; 216 is their "
            "product.",
        ),
        Slip("rows", (2, 6, 12), "That is the shape of the queries before anything is done."),
        Slip(
            "output",
            (2, 6, 4),
            "That is the output of one head. The question asks for the scores, of all heads.",
        ),
        Slip("all-tokens", (2, 18, 18), "Heads do not meet: each has a table of its own, 6 by 6."),
    ),
    hints=(
        "Each head scores as in lesson 04: one row for each query, one column for each key.",
        "After the split the queries have shape (2, 3, 6, 4).",
        "Multiply (2, 3, 6, 4) by (2, 3, 4, 6): the leading axes pass through.",
    ),
    reread=SPLITTING,
)

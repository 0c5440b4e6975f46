"""predict-cross, lesson 07.

The shape of the output of 4 target tokens that read 7 source tokens; d_k 6, d_v 5.
"""

from helpers.exercises.kinds.predict import Predict, Slip
from helpers.exercises.lesson_07.shared import TWO

EXERCISE = Predict(
    name="predict-cross",
    task="The shape of the output of 4 target tokens that read 7 source tokens; d_k 6, d_v 5.",
    answer=(4, 5),
    because="One output for each query, and the queries are the 4 target tokens. Each output is a mixture of "
    "values, which are 5 wide. The 7 source tokens are mixed away.",
    slips=(
        Slip(
            "source-rows",
            (7, 5),
            "7 rows would be one output for each source token. The source answers; the 4 target tokens ask, "
            "and each of them gets an output.",
        ),
        Slip(
            "weights",
            (4, 7),
            "That is the shape of the weights: for each target token a share of every source token. The "
            "output mixes the values by them.",
        ),
        Slip("turned", (5, 4), "Both numbers are right. A token is a row: tokens first, then entries."),
        Slip(
            "weights-turned",
            (7, 4),
            "Those are the weights, turned: a row for each source token. Rows belong to queries, and the "
            "output is what they bring home.",
        ),
        Slip(
            "not-added-up",
            (4, 7, 5),
            "That is every value times its weight, before the sum. The sum over the 7 source tokens is the "
            "output.",
        ),
        Slip(
            "as-wide-as-queries",
            (4, 6),
            "6 is the width in which queries and keys are matched. What is mixed are the values.",
        ),
        Slip(
            "source-rows-as-wide-as-keys",
            (7, 6),
            "That is the shape of the keys. The output has a row for each query, and is as wide as the "
            "values.",
        ),
        Slip("target-to-target", (4, 4), "That would be the target's self-attention, and its weights."),
        Slip("source-to-source", (7, 7), "That would be the source's self-attention, and its weights."),
        Slip(
            "both-sequences",
            (11, 5),
            "11 is both sequences together. Only the target asks here, and gets outputs.",
        ),
        Slip("one-row", (5,), "That is the output of one target token. There are 4."),
        Slip("one-row-as-table", (1, 5), "That is the output of one target token. There are 4."),
        Slip(
            "with-a-heads-axis",
            (1, 4, 5),
            "The outputs of the heads are put side by side, so that no axis of heads is left. (The weights "
            "of the helper have one.)",
        ),
        Slip(
            "weights-with-a-heads-axis",
            (1, 4, 7),
            "That is the shape of the weights as the helper returns them, one head in front. The output "
            "mixes the values by them.",
        ),
        Slip("rows-only", (4,), "The rows are right. A shape has two numbers here: how wide is a value?"),
        Slip(
            "numbers-counted",
            (20,),
            "There are 20 numbers. A shape has two numbers here: how many rows, and how wide is each?",
        ),
        Slip(
            "widths-added",
            (4, 11),
            "The rows are right. How wide is a value? Neither the widths nor the sequences are added.",
        ),
        Slip(
            "axis-between",
            (4, 1, 5),
            "The rows and the width are right. A shape has two numbers here: there is no axis between them.",
        ),
    ),
    hints=(
        "How many queries are there? Each gets one output.",
        "An output is a sum of weighted values. How wide is a value?",
    ),
    reread=TWO,
)

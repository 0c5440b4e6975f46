"""packed-rows, lesson 06: where one head's keys stand in PyTorch's packed matrix."""

from helpers.exercises.kinds.predict import Predict, Slip

PACKED = "06: The same as PyTorch"

EXERCISE = Predict(
    name="packed-rows",
    task="The first row of in_proj_weight (36, 12) that makes the keys of head 1 of 3.",
    answer=16,
    because="W_Q fills the rows 0 to 11 and W_K the rows 12 to 23. Head 1 has the second run of four, "
    "16 to 19.",
    slips=(
        Slip("queries", 4, "Row 4 makes *queries* of head 1. The keys come after all 12 rows of W_Q."),
        Slip("values", 28, "Row 28 makes *values* of head 1. The order is W_Q, W_K, W_V."),
        Slip("head-0", 12, "Row 12 begins the keys of head 0. Head 1 follows after d_head = 4 more rows."),
        Slip("head-2", 20, "Row 20 begins the keys of head 2. Heads are counted from 0."),
        Slip(
            "counted-from-1", 17, "Counted from 1 it is the 17th. Rows, like heads, are counted from 0 here."
        ),
        Slip(
            "heads-first",
            15,
            "That would be right if the three heads were dealt out in turn. Each head has a run of 4 rows.",
        ),
        Slip(
            "of-the-head", 5, "Row 5 of W_Q belongs to the queries of head 1. W_K comes after W_Q's 12 rows."
        ),
        Slip("no-offset", 1, "Each head has a run of d_head = 4 rows, and W_K comes after 12 rows of W_Q."),
    ),
    hints=(
        "How many rows does W_Q take up, and how many of W_K come before head 1?",
        "12 rows of W_Q, then 4 rows for the keys of head 0.",
    ),
    reread=PACKED,
)

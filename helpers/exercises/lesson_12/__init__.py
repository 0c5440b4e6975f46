"""Exercises of lesson 12: what do heads learn, and can we trust their maps?"""

ORDER = (
    "shifted-loss",
    "padded-loss",
    "induction-score",
    "head-off",
    "head-claim",
    "same-output",
)  # of teaching: a file each

"""Exercises of lesson 12: what do heads learn, and can we trust their maps?"""

ORDER = (
    "shifted-loss",
    "induction-score",
    "head-off",
    "off-and-loss",
    "head-claim",
    "same-output",
    "padded-loss",
    "noisy-loss",
)  # of teaching: a file each

"""Exercises of lesson 01: which words are alike?"""

ORDER = (
    "dot-product",
    "predict-score-shape",
    "all-scores",
    "cosine-bug",
    "dot-or-cosine",
    "neighbours-bug",
    "disagree",
)  # of teaching: a file each

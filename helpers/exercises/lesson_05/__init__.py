"""Exercises of lesson 05: how do we hide the future, and the padding?"""

ORDER = (
    "predict-mask",
    "causal-mask",
    "masked-attention",
    "infinity-bug",
    "padding-mask",
    "polarity",
    "empty-row",
    "future-bug",
    "leak-test",
    "reach",
)  # of teaching: a file each

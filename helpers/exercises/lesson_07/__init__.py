"""Exercises of lesson 07: how does one sequence read another?"""

ORDER = (
    "predict-cross",
    "cross-attention",
    "context-bug",
    "new-word",
    "causal-bug",
    "alignment-table",
    "source-mask",
    "accuracy",
    "bottleneck",
)  # of teaching: a file each

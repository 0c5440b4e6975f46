"""Exercises of lesson 07: how does one sequence read another?"""

ORDER = (
    "predict-cross",
    "cross-attention",
    "context-bug",
    "new-word",
    "causal-bug",
    "alignment-table",
    "source-mask",
    "decode-shape",
    "trust-map",
    "accuracy",
    "share-forward",
    "bottleneck",
    "hide-cell",
)  # of teaching: a file each

"""Exercises of lesson 09: how much faster on a GPU, and what sets the limit? None of them loads torch."""

ORDER = (
    "torch-timing",
    "stopwatch-bug",
    "ratio-bug",
    "torch-bytes",
    "gpu-corners",
    "compute-bound",
    "which-backend",
)  # of teaching: a file each

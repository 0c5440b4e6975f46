"""Exercises of lesson 08: same numbers, on a GPU. Loads torch, as no lesson before it does."""

ORDER = (
    "torch-attention",
    "torch-weights",
    "torch-polarity",
    "torch-corner",
    "torch-layout",
    "torch-dropout",
    "torch-batch-first",
    "torch-blind-test",
    "torch-timing",
    "torch-bytes",
)  # of teaching: a file each

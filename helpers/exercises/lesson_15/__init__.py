"""Exercises of lesson 15: does a real language model run on the code that I wrote?"""

ORDER = (
    "write-loop",
    "rms-norm",
    "which-bug",
    "chunk-places",
    "look-back",
    "switched-off",
)  # of teaching: a file each

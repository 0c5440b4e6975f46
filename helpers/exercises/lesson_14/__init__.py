"""Exercises of lesson 14: how does a model write a long text cheaply?"""

ORDER = (
    "cache-mask",
    "cache-bytes",
    "grouped",
    "window",
    "merge",
    "split-bug",
    "pages",
)  # of teaching: a file each

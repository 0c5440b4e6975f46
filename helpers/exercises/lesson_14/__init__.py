"""Exercises of lesson 14: how does a model write a long text cheaply?"""

ORDER = (
    "cache-mask",
    "grouped",
    "window",
    "merge",
)  # of teaching: a file each

"""Exercises of lesson 13: how is attention computed without the n × n matrix?"""

ORDER = (
    "rescale",
    "online-bug",
    "no-rescale",
    "merge",
    "tile-bug",
    "tiles",
    "tile-cost",
    "cache-mask",
    "grouped",
    "window",
)  # of teaching: a file each

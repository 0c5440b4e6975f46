"""Exercises of lesson 10: how does attention know the order?"""

ORDER = (
    "shuffle-table",
    "own-bias",
    "alibi-slopes",
    "rope",
    "layout-bug",
    "cached-place",
    "padded-positions",
    "rotated-values",
)  # of teaching: a file each

"""Exercise of lesson 00: one trivial function, to try how an exercise works."""

ORDER = ("total",)  # of teaching: a file each

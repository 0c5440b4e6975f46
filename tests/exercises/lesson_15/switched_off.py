"""What learners write in switched-off, and what the check is to say of it."""

# right
switched_off = "b"

# named: option c
switched_off = "c"

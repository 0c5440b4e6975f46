"""What learners choose in zero-bias, and what the check is to say of it."""

# right
passenger = "b"


passenger = "B)"


# named: option a
# told: differs from key to key
passenger = "a"


# named: option c
# told: added to every output
passenger = "c"

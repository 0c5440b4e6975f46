"""What learners choose in zero-bias, and what the check is to say of it."""

# right
passenger = "b"


passenger = "B)"


# told: differs from key to key
passenger = "a"


# told: added to every output
passenger = "c"

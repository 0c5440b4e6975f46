"""What learners write in why-not-d, and what the check is to say of it."""

# right
why_not_d = "B"

"""What learners write in dot-or-cosine, and what the check is to say of it."""

# right
dot_or_cosine = "b"

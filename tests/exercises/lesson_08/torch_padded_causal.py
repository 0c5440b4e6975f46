"""What learners write in torch-padded-causal, and what the check is to say of it."""

# right
my_call = "b"

# named: option a
# told: another raises an error
my_call = "a"

# named: option c
my_call = "C)"

# named: option d
# told: The numbers would be right
my_call = "d"

"""What learners write in predict-weights, and what the check is to say of it."""

# right
second_weight = 3 / 4

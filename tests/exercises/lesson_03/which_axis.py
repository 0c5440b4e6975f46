"""What learners write in which-axis, and what the check is to say of it."""

# right
which_axis = " A) "

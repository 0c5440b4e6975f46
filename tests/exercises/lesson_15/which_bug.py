"""What learners write in which-bug, and what the check is to say of it."""

# right
which_bug = {"A": [8], "B": [2], "C": [5], "D": [7], "E": [4], "F": [6], "G": [1], "H": [3]}

# named: scale-turned
which_bug = {"A": [8], "B": [1], "C": [5], "D": [7], "E": [4], "F": [6], "G": [2], "H": [3]}

# named: cache-turned
which_bug = {"A": [8], "B": [2], "C": [6], "D": [7], "E": [4], "F": [5], "G": [1], "H": [3]}

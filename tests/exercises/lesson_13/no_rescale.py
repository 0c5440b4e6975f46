"""What learners write in no-rescale, and what the check is to say of it."""

import numpy as np

# right
my_scores = [6, 5, 4, 3, 2, 1]
my_scores = [0, 3, 1, 2, 2, 1]
my_scores = np.array([1000, 998, 999, 999, 997, 998.0])

# named: largest-last
my_scores = [3, 1, 4, 1, 5, 9]

# named: largest-in-the-middle
my_scores = [0, 1, 5, 5, 2, 2]

# named: all-equal
my_scores = [2, 2, 2, 2, 2, 2]

# named: largest-at-both-ends
my_scores = [1, 2, 0, 0, 2, 1]

# named: too-little
my_scores = [0.01, 0, 0, 0, 0, 0]
my_scores = [1000, 0, 0, 0, 0, 999.99]

# unnamed
my_scores = [1, 2, 3]
my_scores = [1, 2, 3, 4, 5, np.inf]
my_scores = [1, 2, 3, 4, 5, "six"]

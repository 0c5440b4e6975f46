"""What learners write in scores-for, and what the check is to say of it."""

import numpy as np

# right
three_scores = np.log([1, 2, 7])
three_scores = tuple(np.log([0.1, 0.2, 0.7]) + 50)
three_scores = np.log([0.1, 0.2, 0.7]) - 3

# named: reversed
three_scores = np.log([0.7, 0.2, 0.1])

# named: doubled
three_scores = 2 * np.log([0.1, 0.2, 0.7]) - 3

# told: How far above the first must the third score lie?
# not told: score 3
three_scores = [0, 1, 2]

# told: the second score from the first needs more digits
# not told: twice
three_scores = [0, 0.65, np.log(7)]

# told: the third score from the first needs more digits
# not told: twice
three_scores = [0, 0.7, 2.0]

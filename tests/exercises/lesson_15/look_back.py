"""What learners write in look-back, and what the check is to say of it."""

import numpy as np

# right
look_back = np.where(np.tri(6), 0.0, -np.inf)
look_back[[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 2, 3]] = 20

# named: same-letter
look_back = np.where(np.tri(6), 0.0, -np.inf)
look_back[[0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 1, 2]] = 20

# named: previous
look_back = np.where(np.tri(6), 0.0, -np.inf)
look_back[[0, 1, 2, 3, 4, 5], [0, 0, 1, 2, 3, 4]] = 20

# named: future
look_back = np.zeros((6, 6))

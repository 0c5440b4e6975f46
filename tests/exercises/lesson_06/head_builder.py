"""What learners write in head-builder, and what the check is to say of it."""

import numpy as np

BEFORE = [0, 0, 1, 2, 3, 4]

# right
my_scores = 5 * np.eye(6)[BEFORE]
my_scores = (4 * np.eye(6)[BEFORE]).tolist()
my_scores = np.where(np.eye(6)[BEFORE] == 1, 0, -np.inf)
my_scores = np.where(np.eye(6)[BEFORE] == 1, -3.0, -np.inf).tolist()
my_scores = 100 * np.eye(6)[BEFORE] + 7
my_scores = -10 * abs(np.arange(6) - np.array(BEFORE)[:, None])
my_scores = np.log(45.001) * np.eye(6)[BEFORE]
my_scores = np.log([[0.9 if j == i else 0.02 for j in range(6)] for i in BEFORE])

# named: too-flat
my_scores = np.log(44.9) * np.eye(6)[BEFORE]

# named: weights-as-scores
my_scores = np.eye(6)[BEFORE]
my_scores = [[0.95 if j == i else 0.01 for j in range(6)] for i in BEFORE]

# named: next-token
my_scores = 9 * np.eye(6)[BEFORE].T
my_scores = 9 * np.eye(6, k=1)
my_scores = np.where(np.eye(6, k=1) + np.diag([0, 0, 0, 0, 0, 1]) == 1, 0, -np.inf)
my_scores = np.where(np.eye(6)[BEFORE].T == 1, 0, -np.inf)
my_scores = np.where(np.eye(6, k=1) == 1, 0, -np.inf)

# named: first-row
my_scores = 9 * np.eye(6, k=-1)

# named: empty-row
my_scores = np.where(np.eye(6, k=-1) == 1, 0.0, -np.inf)

# named: round-the-end
my_scores = 9 * np.roll(np.eye(6), 1, axis=0)

# named: itself
my_scores = 9 * np.eye(6)

# named: itself-too
my_scores = 9 * np.eye(6) + 9 * np.eye(6, k=-1)

# named: two-back
my_scores = 9 * np.eye(6, k=-2)

# named: sign-turned
my_scores = -9 * np.eye(6)[BEFORE]

# named: all-equal
my_scores = np.ones((6, 6))

# named: all-earlier
my_scores = np.where(np.tri(6) == 1, 0, -np.inf)

# named: first-token
my_scores = 9 * np.eye(6)[[0] * 6]

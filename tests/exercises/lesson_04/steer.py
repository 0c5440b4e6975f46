"""What learners write in steer, and what the check is to say of it."""

import numpy as np

# right
my_query = [-1, 6]
my_query = (-0.5, 6.0)
my_query = np.array([-1.5, 6])
my_query = [-0.9, 5.5]
my_query = [-1, 5]

# named: not-scaled
# told: Turn it away from the third key
my_query = [-2, 6.0]

# named: not-scaled
# told: Without the division
my_query = [0, 6]
my_query = [-0.5, 3]

# named: too-short
# told: a longer query spreads scores further
my_query = [-0.2, 1]
my_query = [-0.01, 0.05]

# named: turn
# told: Turn it away from the first key
my_query = [0.5, 6]

# named: turn
# told: Turn it away from the third key
my_query = [-2.4, 6]

# named: aimed-at-the-key
# told: the first key is longer
my_query = [1, 2.5]

# named: wrong-key
# told: The first key answers most
my_query = [4, 2]
my_query = [6, -6]
my_query = [6, -1]

# named: wrong-key
# told: The third key answers most
my_query = [-6, 1]
my_query = [-3, 0.5]
my_query = [0, -6]

# named: wrong-key
# told: The third key answers most. What counts are differences of scores
my_query = [-6, -6]

# named: third-key
# told: counting starts at 0
my_query = [-2, 1]
my_query = [-6, 3]

# named: zero
# told: every key gets 1/3
my_query = [0, 0]

# named: beyond-limit
# told: Shortened to the limit
my_query = [-1e300, 1e300]

# named: beyond-limit
# told: Shortened to the limit, it gives the second key 0.892
my_query = [0, 9]

# named: beyond-limit
# told: shortened to the limit, would do
my_query = [-10, 60]

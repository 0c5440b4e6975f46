"""What learners write in compute-bound, and what the check is to say of it."""

import numpy as np

# right
my_shape = [2048, 1024]
my_shape = (813, 813)
my_shape = np.array([500, 5000])
my_shape = [10**6, 407]

# named: narrow-head
# told: never gets beyond d / b = 64
my_shape = [16384, 128]

# named: narrow-head
my_shape = [10**9, 406]

# named: short-text
my_shape = [128, 16384]

# named: both-too-small
my_shape = [812, 812]

# named: no-size
my_shape = [2048, 0]

# unnamed
# told: should have shape (2,)
my_shape = [2048]

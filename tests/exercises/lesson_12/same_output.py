"""What learners write in same-output, and what the check is to say of it."""

import numpy as np

# right
# told: nobody can tell which
my_weights = [0.5, 0.4, 0.0, 0.1]

my_weights = np.array([0.1, 0.0, 0.4, 0.5])

my_weights = [0.35, 0.25, 0.15, 0.25]

# not attempted
my_weights = None

# named: negative
my_weights = [0.6, 0.5, -0.1, 0.0]

# named: output-changed
# told: it should stay [0.5, 0.4]
my_weights = [0.25, 0.25, 0.25, 0.25]

# named: sum
my_weights = [0.5, 0.4, 0.0, 0.2]

# named: unchanged
my_weights = [0.4, 0.3, 0.1, 0.2]

# named: too-near
my_weights = [0.42, 0.32, 0.08, 0.18]

# unnamed
# told: should have shape (4,)
my_weights = [0.5, 0.4, 0.1]

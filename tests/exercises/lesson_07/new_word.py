"""What learners write in new-word, and what the check is to say of it."""

import numpy as np

# right
my_word = [0, 1, 1, 0, 0]
my_word = (0, 0.9, 0.9, 0, 1)
my_word = np.array([-1, 1, 1, 0, -1])
my_word = [0, 0.5, 0.5, 0, 0]

# named: animal-only
# told: found by its colour
my_word = [0, 1, 0, 0, 1]

# named: colour-only
# told: black 0.96
my_word = [0, 0.1, 0.9, 0, 1]

# named: colour-only
# told: found as an animal
my_word = [0, 0, 1, 0, 1]

# named: too-short
# told: too flat
my_word = [0, 0.1, 0.1, 0, 0]

# named: others-too
# told: *sleeping* takes part
my_word = [1, 1, 1, 1, 1]

# named: others-too
# told: *the* takes part
my_word = [1, 1, 1, 0, 0]

# named: beyond-limit
# told: size 3
my_word = [0, 3, 3, 0, 0]

# named: negative
# told: above 0
my_word = [0, -1, -1, 0, 0]
my_word = [0, 1, -0.5, 0, 0]

# named: zero
# told: every key gets 1/5
my_word = [0, 0, 0, 0, 1]

# named: uneven
# told: too far apart
my_word = [0, 1, 0.7, 0, 0]

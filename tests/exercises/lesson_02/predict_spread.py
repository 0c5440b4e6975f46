"""What learners write in predict-spread, and what the check is to say of it."""

import numpy as np

# right
spread_factor = 10
spread_factor = "10"
spread_factor = np.float32(10)

# told: I don't recognise that one
# not told: close
spread_factor = 50

# told: That is close
# not told: I don't recognise that one
spread_factor = 9.9

"""What learners write in predict-spread, and what the check is to say of it."""

import numpy as np

# right
spread_factor = 10
spread_factor = "10"
spread_factor = np.float32(10)

# told: No usual path
# not told: close
spread_factor = 50

# told: That is close
# not told: No usual path
spread_factor = 9.9

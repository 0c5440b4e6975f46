"""What learners write in spread-table, and what the check is to say of it."""

import math

D_K = (4, 16, 64, 256, 1024)

# right
spreads = {d_k: [d_k, d_k**0.5, 1] for d_k in (4, 16, 64, 256, 1024)}
spreads = [[d_k, math.sqrt(d_k), 1.0] for d_k in (4, 16, 64, 256, 1024)]

# named: variance-1
spreads = {d: [1, 1, 1 / d**0.5] for d in D_K}

# named: variance-squared
spreads = {d: [d * d, d, d**0.5] for d in D_K}

# named: next-row
spreads = {d: [4 * d, 2 * d**0.5, 1] for d in D_K}

# named: next-row
# told: follows from your "spread": fix that
# not told: dividing. Di
spreads = {d: [d, 2 * d**0.5, 2] for d in D_K}

# named: first-row-copied
spreads = {d: [4, 2, 1] for d in D_K}

# named: logarithm
spreads = {d: [d, math.log2(d), 1] for d in D_K}

# told: not 8
# not told: d_k is the variance
spreads = {d: [d, {4: 4, 16: 8}.get(d, d**0.5), 1] for d in D_K}

# told: square root
# not told: d_k is the variance
spreads = {d: [d, {64: 64}.get(d, d**0.5), 1] for d in D_K}

"""What learners write in roles-bug, and what the check is to say of it."""

import numpy as np

from helpers.attention import attention


# answers: roles-bug, width-bug
# unnamed
def my_lookup(queries, keys, values):
    return 2 * attention(queries, keys, values)[0]


# unnamed
def my_lookup(queries, keys, values):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    e = np.exp(s - np.max(s, axis=-1, keepdims=True, initial=0))
    return e / e.sum(-1, keepdims=True) @ values

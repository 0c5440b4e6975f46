"""What learners write in shared-heads, and what the check is to say of it."""

import numpy as np


# right
def my_shared_heads(heads, n_heads):
    return heads[np.arange(n_heads) // (n_heads // len(heads))]


# right
def my_shared_heads(heads, n_heads):
    run = n_heads // heads.shape[0]
    return np.stack([heads[h // run] for h in range(n_heads)])


# named: in-turn
def my_shared_heads(heads, n_heads):
    return heads[np.arange(n_heads) % len(heads)]


# named: tokens-repeated
def my_shared_heads(heads, n_heads):
    return np.repeat(heads, n_heads // len(heads), axis=1)


# named: first-for-all
def my_shared_heads(heads, n_heads):
    return np.array([heads[0]] * n_heads)

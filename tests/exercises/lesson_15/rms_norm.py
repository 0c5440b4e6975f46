"""What learners write in rms-norm, and what the check is to say of it."""

import numpy as np


# right
def my_rms_norm(x, weight, epsilon):
    rms = np.sqrt((x * x).sum(-1) / x.shape[-1] + epsilon)
    return weight * x / rms[:, None]


# right
def my_rms_norm(x, weight, epsilon):
    return np.array([row / np.sqrt(np.mean(np.square(row)) + epsilon) * weight for row in x])


# named: no-mean
def my_rms_norm(x, weight, epsilon):
    return x / np.sqrt((x**2).sum(axis=-1, keepdims=True) + epsilon) * weight


# named: no-root
def my_rms_norm(x, weight, epsilon):
    return x / ((x**2).mean(axis=-1, keepdims=True) + epsilon) * weight


# named: mean-taken-away
def my_rms_norm(x, weight, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) * weight


# named: no-weight
def my_rms_norm(x, weight, epsilon):
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + epsilon)


# named: epsilon-after-the-root
def my_rms_norm(x, weight, epsilon):
    return x / (np.sqrt(np.mean(x**2, axis=-1, keepdims=True)) + epsilon) * weight


# not attempted
def my_rms_norm(x, weight, epsilon):
    """(n, d), (d,), epsilon -> (n, d)."""

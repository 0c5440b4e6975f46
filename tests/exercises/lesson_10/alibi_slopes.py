"""What learners write in alibi-slopes, and what the check is to say of it."""

import numpy as np


# right
def my_slopes(n_heads):
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)


def my_slopes(n_heads):
    return [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]


def my_slopes(n_heads):
    first = 2 ** (-8 / n_heads)
    return first ** np.arange(1, n_heads + 1)


def my_slopes(n_heads):
    return np.cumprod(np.full(n_heads, 2 ** (-8 / n_heads)))


# named: from-0
def my_slopes(n_heads):
    return 2.0 ** (-8 * np.arange(n_heads) / n_heads)


# named: for-8-heads-only
def my_slopes(n_heads):
    return [1 / 2**h for h in range(1, n_heads + 1)]


# named: slopes-grow
def my_slopes(n_heads):
    return 2 ** (8 * np.arange(1, n_heads + 1) / n_heads)


# named: flattest-first
def my_slopes(n_heads):
    return 2.0 ** (-8 * np.arange(n_heads, 0, -1) / n_heads)


# named: exponents-only
def my_slopes(n_heads):
    return -8 * np.arange(1, n_heads + 1) / n_heads


# unnamed
def my_slopes(n_heads):
    return np.full(n_heads, 0.3)

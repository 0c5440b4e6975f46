"""What learners write in padded-positions, and what the check is to say of it."""

import numpy as np

from helpers.positions import positions_without_padding


# right
def my_positions(real):
    return np.where(real, np.cumsum(real, axis=-1) - 1, 0)


def my_positions(real):
    return (real.cumsum(-1) - 1) * real


def my_positions(real):
    return positions_without_padding(real)


# named: padding-counted
# not told: Start from this
def my_positions(real):
    return np.where(real, np.arange(real.shape[-1]), 0)


# named: counted-from-1
def my_positions(real):
    return np.where(real, np.cumsum(real, axis=-1), 0)


# named: padding-minus-1
def my_positions(real):
    return np.cumsum(real, axis=-1) - 1


# named: over-everything
def my_positions(real):
    return np.where(real, np.cumsum(real).reshape(real.shape) - 1, 0)


# named: only-shifted
def my_positions(real):
    n_pads = (~real).sum(axis=-1, keepdims=True)
    return np.where(real, np.arange(real.shape[-1]) - n_pads, 0)


# unnamed
def my_positions(real):
    return np.zeros(real.shape)

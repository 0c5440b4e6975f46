"""What learners write in unit-spread, and what the check is to say of it."""

import numpy as np


# right
def my_unit_spread(s, d_k, sigma):
    return s / (sigma * sigma * d_k**0.5)


# named: measured-spread
def my_unit_spread(s, d_k, sigma):
    return s / s.std()


def my_unit_spread(s, d_k, sigma):
    return (s - s.mean()) / s.std()


def my_unit_spread(s, d_k, sigma):
    return s / s.std(axis=1, keepdims=True)


# named: power-first
def my_unit_spread(s, d_k, sigma):
    return s / (d_k * sigma**4) ** 1 / 2


# named: sigma-multiplied-once
def my_unit_spread(s, d_k, sigma):
    return s / np.sqrt(d_k) * sigma


# named: d_k-not-rooted
# told: 0.23 You divided by d_k, not by √d_k.
# not told: D_k
def my_unit_spread(s, d_k, sigma):
    return s / (d_k * sigma**2)


# named: d_k-ignored
# told: 2.09 You left out d_k.
# not told: D_k
def my_unit_spread(s, d_k, sigma):
    return s / sigma**2


# named: sigma-once
# told: takes it back to sigma
# not told: Two
def my_unit_spread(s, d_k, sigma):
    return s / np.sqrt(d_k * sigma**2)


# named: sigma-multiplied
# told: brackets around b * c
# not told: Two
def my_unit_spread(s, d_k, sigma):
    return s / np.sqrt(d_k) * sigma**2


# told: A power is written `**`
# not told: Somewhere a None
def my_unit_spread(scores, d_k, sigma):
    return scores / (np.sqrt(d_k) * sigma ^ 2)


# told: moved as well, by about 5.
# not told: measuring
def my_unit_spread(s, d_k, sigma):
    return s / (np.sqrt(d_k) * sigma**2) + 5


# unnamed
def my_unit_spread(scores, d_k, sigma):
    return scores / (sigma**2 * d_k**0.5) if sigma != 1 else scores


def my_unit_spread(scores, d_k, sigma):
    return scores / (sigma * sigma * max(d_k, 4) ** 0.5)


# named: root-whole
def my_unit_spread(scores, d_k, sigma):
    return scores / (int(d_k**0.5) * sigma * sigma)


# named: root-multiplied
# not told: sigma²
def my_unit_spread(scores, d_k, sigma):
    return scores * np.sqrt(d_k) / sigma**2


def my_unit_spread(scores, d_k, sigma):
    return scores / sigma**2 * d_k**0.5


# named: d_k-multiplied
def my_unit_spread(scores, d_k, sigma):
    return scores / sigma**2 * d_k


# named: added-up
def my_unit_spread(scores, d_k, sigma):
    return scores / (np.sqrt(d_k) + sigma**2)


def my_unit_spread(scores, d_k, sigma):
    return scores / np.sqrt(d_k + sigma**4)


# told: keep their order
# not told: moved as well
def my_unit_spread(scores, d_k, sigma):
    return np.sqrt(np.abs(scores)) / sigma**2

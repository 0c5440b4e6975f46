"""What learners write in temperature, and what the check is to say of it."""

import numpy as np

from helpers.softmax import softmax


def raised_to_t(scores, temperature):
    weights = softmax(scores) ** temperature
    return weights / weights.sum(axis=-1, keepdims=True)


def row_max(scores):
    return scores.max(axis=-1, keepdims=True)


# right
def my_temperature(s, t):
    return softmax(s / t)


def my_temperature(s, t):
    return softmax(s) ** (1 / t) / (softmax(s) ** (1 / t)).sum(-1, keepdims=True)


def my_temperature(s, t):
    return raised_to_t(s, 1 / t)


# named: multiplied
def my_temperature(s, t):
    return softmax(s * t)


# named: multiplied
# told: if you raised the weights to the power T
# not told: not attempted
my_temperature = raised_to_t


# named: weights-divided
def my_temperature(s, t):
    return softmax(s) / t


# named: above-the-line-only
def my_temperature(scores, temperature):
    shifted = scores - row_max(scores)
    return np.exp(shifted / temperature) / np.exp(shifted).sum(axis=-1, keepdims=True)


# named: above-the-line-only
# told: The sum must be of the same exponentials
# not told: nan
def my_temperature(scores, temperature):
    return np.exp(scores / temperature) / np.exp(scores).sum(axis=-1, keepdims=True)


# named: below-the-line-only
def my_temperature(s, t):
    return np.exp(s) / np.exp(s / t).sum(-1)[..., None]


# named: whole-division
def my_temperature(s, t):
    return softmax(s // t)


# named: parameters-swapped
def my_temperature(temperature, scores):
    return softmax(scores / temperature)


# named: scaled-again
def my_temperature(s, t):
    return softmax(s / (t * np.sqrt(s.shape[-1])))


# named: softmax-twice
def my_temperature(s, t):
    return softmax(softmax(s) / t)


# told: unexpected keyword argument
# told: NumPy and the helpers say `axis` and `keepdims`
def my_temperature(s, t):
    return softmax(s / t, dim=-1)


# unnamed
def my_temperature(scores, temperature):
    return np.squeeze(softmax(scores / temperature))


# right
# told: Divide the scores before softmax, and nothing is lost
def my_temperature(scores, temperature):
    w = softmax(scores)
    w = w ** (1 / temperature)
    return w / w.sum(axis=-1, keepdims=True)


# named: whole-temperature
def my_temperature(scores, temperature):
    return softmax(scores / max(1, int(temperature)))

"""What learners write in column-softmax, and what the check is to say of it."""

import numpy as np

from helpers.softmax import softmax


# right
def my_column_softmax(s):
    return np.swapaxes(softmax(np.swapaxes(s, -1, -2)), -1, -2)


# named: rows
my_column_softmax = softmax


# named: one-swap-only
def my_column_softmax(s):
    return softmax(np.swapaxes(s, -1, -2), axis=-2)


# named: one-swap-only
# told: those of the weights after it
# not told: and the scores were transposed
def my_column_softmax(s):
    return np.swapaxes(softmax(s), -1, -2)


# named: not-turned-back
def my_column_softmax(s):
    return softmax(np.swapaxes(s, -1, -2))


# named: keepdims
def my_column_softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return exponentials / exponentials.sum(axis=-2)


def my_column_softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-2))
    return exponentials / exponentials.sum(axis=-2)


# named: softmax-of-weights
def my_column_softmax(s):
    return softmax(softmax(s), axis=-2)


# unnamed
def my_column_softmax(scores):
    return np.squeeze(softmax(scores, axis=-2))


def my_column_softmax(scores):
    return softmax(np.squeeze(scores), axis=-2)


# named: rows-then-columns
def my_column_softmax(scores):
    weights = softmax(scores)
    return weights / weights.sum(axis=-2, keepdims=True)


# named: over-matrix
def my_column_softmax(scores):
    e = np.exp(scores - scores.max(axis=(-2, -1), keepdims=True))
    return e / e.sum(axis=(-2, -1), keepdims=True)


# named: powers-of-2
def my_column_softmax(scores):
    p = 2 ** (scores - scores.max(axis=-2, keepdims=True))
    return p / p.sum(axis=-2, keepdims=True)


# named: axis-minus-3
def my_column_softmax(scores):
    return softmax(scores, axis=-3 if scores.ndim > 2 else -2)


# named: softmax-of-weights
# not told: over the rows
def my_column_softmax(scores):
    return softmax(softmax(scores, axis=-2), axis=-2)


# named: scaled-again
def my_column_softmax(scores):
    return softmax(scores / np.sqrt(scores.shape[-2]), axis=-2)


# named: scaled-by-queries
def my_column_softmax(scores):
    return softmax(scores / np.sqrt(scores.shape[-1]), axis=-2)

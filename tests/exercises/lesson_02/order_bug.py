"""What learners write in order-bug, and what the check is to say of it."""

import numpy as np

from helpers.similarity import dot_product_scores
from helpers.softmax import softmax


def _scores(queries, keys):
    return queries @ np.swapaxes(keys, -1, -2)


# right
def my_weights(q, k):
    return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))


# named: never-scaled
def my_weights(queries, keys):
    weights = softmax(_scores(queries, keys)) / np.sqrt(queries.shape[-1])
    return weights / weights.sum(axis=-1, keepdims=True)


# named: keepdims
def my_weights(queries, keys):
    exponentials = np.exp(_scores(queries, keys) / np.sqrt(queries.shape[-1]))
    return exponentials / exponentials.sum(axis=-1)


# named: softmax-twice
def my_weights(q, k):
    return softmax(softmax(_scores(q, k)) / np.sqrt(q.shape[-1]))


# named: one-key-takes-all
def my_weights(queries, keys):
    scores = _scores(queries, keys) / np.sqrt(queries.shape[-1])
    return np.eye(scores.shape[-1])[scores.argmax(-1)]


# named: sign-turned
def my_weights(q, k):
    return softmax(-_scores(q, k) / np.sqrt(q.shape[-1]))


# named: balanced-by-hand
def my_weights(q, k):
    return softmax(_scores(q, k)) / np.sqrt(q.shape[-1]) * 2


# named: equal-weights
def my_weights(q, k):
    return np.ones_like(_scores(q, k)) / k.shape[-2]


# named: rounded
def my_weights(q, k):
    return np.round(softmax(_scores(q, k) / np.sqrt(q.shape[-1])), 2)


# named: never-scaled + softmax-axis-0
# told: Lesson 0
# not told: Lesson 03
def my_weights(q, k):
    return softmax(_scores(q, k), axis=0)


# told: returned a tuple of 2 things. Return the one that the task asks for, alone.
# not told: The shape should be
def my_weights(queries, keys):
    scores = _scores(queries, keys) / np.sqrt(queries.shape[-1])
    return softmax(scores), scores


# unnamed
def my_weights(queries, keys):
    scores = np.squeeze(queries @ np.swapaxes(keys, -1, -2)) / np.sqrt(queries.shape[-1])
    return softmax(scores)


def my_weights(queries, keys):
    scores = queries @ np.swapaxes(keys, -1, -2)
    return softmax(scores / np.sqrt(queries.shape[-1] if queries.ndim == 2 else 4))


# named: sigmoid
def my_weights(queries, keys):
    scores = dot_product_scores(queries, keys) / np.sqrt(queries.shape[-1])
    return 1 / (1 + np.exp(-scores))


# named: never-scaled + sigmoid-shares
def my_weights(queries, keys):
    s = 1 / (1 + np.exp(-dot_product_scores(queries, keys)))
    return s / s.sum(axis=-1, keepdims=True)


# named: second-axis
def my_weights(queries, keys):
    return softmax(dot_product_scores(queries, keys) / len(queries[0]))


# named: second-axis + softmax-twice
def my_weights(queries, keys):
    scores = dot_product_scores(queries, keys) / len(queries[0])
    return softmax(softmax(scores))

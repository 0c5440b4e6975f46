"""What learners write in roles-bug, and what the check is to say of it."""

import numpy as np

from helpers.attention import attention
from helpers.scaling import scale_scores
from helpers.softmax import softmax


# answers: roles-bug, attention
# named: values-ask
# not told: queries were mixed
def my_lookup(queries, keys, values):
    scores = values @ np.swapaxes(keys, -1, -2)
    weights = softmax(scale_scores(scores, queries.shape[-1]))
    return weights @ values


# named: roles-moved-on
def my_lookup(queries, keys, values):
    scores = keys @ np.swapaxes(values, -1, -2)
    weights = softmax(scale_scores(scores, queries.shape[-1]))
    return weights @ queries


def my_lookup(queries, keys, values):
    return attention(keys, values, queries)[0]


# named: queries-mixed
def my_lookup(queries, keys, values):
    return attention(queries, keys, queries)[0]


def my_lookup(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2)
    return softmax(scale_scores(scores, queries.shape[-1])) @ queries


# answers: roles-bug, width-bug
# unnamed
def my_lookup(queries, keys, values):
    return 2 * attention(queries, keys, values)[0]


# unnamed
def my_lookup(queries, keys, values):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    e = np.exp(s - np.max(s, axis=-1, keepdims=True, initial=0))
    return e / e.sum(-1, keepdims=True) @ values

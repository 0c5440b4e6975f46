"""What learners write in head-scale-bug, and what the check is to say of it."""

import math

import numpy as np
from handed_out import GIVEN

from helpers.multi_head import split_heads
from helpers.softmax import softmax


def head_scores(queries, keys, n_heads, by):
    """As given, divided by something else: by(queries of the heads, keys of the heads, width)."""
    of_queries, of_keys = split_heads(queries, n_heads), split_heads(keys, n_heads)
    scores = of_queries @ np.swapaxes(of_keys, -1, -2)
    return scores / by(of_queries, of_keys, queries.shape[-1])


def right_scores(queries, keys, n_heads):
    return head_scores(queries, keys, n_heads, lambda q, k, width: np.sqrt(q.shape[-1]))


def by(divisor):
    return lambda queries, keys, n_heads: head_scores(queries, keys, n_heads, divisor)


# right
my_head_scores = right_scores


def my_head_scores(queries, keys, n_heads):
    d_head = queries.shape[-1] // n_heads
    scores = []
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        scores.append(queries[..., run] @ np.swapaxes(keys[..., run], -1, -2) / math.sqrt(d_head))
    return np.stack(scores, axis=-3)


def my_head_scores(queries, keys, n_heads):
    d_head = queries.shape[-1] // n_heads
    queries, keys = queries / d_head**0.25, keys / d_head**0.25
    return split_heads(queries, n_heads) @ np.swapaxes(split_heads(keys, n_heads), -1, -2)


def my_head_scores(queries, keys, n_heads):
    d_head = queries.shape[-1] // n_heads
    of_queries = queries.reshape(*queries.shape[:-1], n_heads, d_head)
    of_keys = keys.reshape(*keys.shape[:-1], n_heads, d_head)
    return np.einsum("...ihd,...jhd->...hij", of_queries, of_keys) / d_head**0.5


def my_head_scores(queries, keys, n_heads):
    """Scaled by √d_model as given, and then by √n_heads the other way: the same in the end."""
    return GIVEN["head-scale-bug"](queries, keys, n_heads) * np.sqrt(n_heads)


my_head_scores = by(lambda q, k, width: k.shape[-1] ** 0.5)
my_head_scores = by(lambda q, k, width: np.sqrt(width / q.shape[-3]))


def my_head_scores(q, k, h):
    return right_scores(q.astype(np.float32), k.astype(np.float32), h)


def my_head_scores(q, k, h):
    return right_scores(q, k, h).tolist()


# named: root-d_model
my_head_scores = by(lambda q, k, width: math.sqrt(width))
my_head_scores = by(lambda q, k, width: np.sqrt(q.shape[-1] * q.shape[-3]))

# named: d_model
my_head_scores = by(lambda q, k, width: width)

# named: root-before-heads
my_head_scores = by(lambda q, k, width: np.sqrt(width) / q.shape[-3])
my_head_scores = by(lambda q, k, width: np.sqrt(q.shape[-1] / q.shape[-3]))

# named: root-n_heads
my_head_scores = by(lambda q, k, width: np.sqrt(q.shape[-3]))

# named: n_heads
my_head_scores = by(lambda q, k, width: q.shape[-3])

# named: root-d_model-n_heads
my_head_scores = by(lambda q, k, width: np.sqrt(width * q.shape[-3]))

# named: root-d_model-too
my_head_scores = by(lambda q, k, width: np.sqrt(width) * np.sqrt(q.shape[-1]))

# named: root-n_queries
my_head_scores = by(lambda q, k, width: np.sqrt(q.shape[-2]))

# named: root-n_keys
my_head_scores = by(lambda q, k, width: np.sqrt(k.shape[-2]))

# named: n_keys
my_head_scores = by(lambda q, k, width: k.shape[-2])

# named: root-axis-2
my_head_scores = by(lambda q, k, width: np.sqrt(q.shape[2]))

# named: never-scaled
my_head_scores = by(lambda q, k, width: 1)

# named: divided-by-d_k
my_head_scores = by(lambda q, k, width: q.shape[-1])

# named: multiplied
my_head_scores = by(lambda q, k, width: 1 / np.sqrt(q.shape[-1]))

# named: fourth-root
my_head_scores = by(lambda q, k, width: q.shape[-1] ** 0.25)

# named: half-d_k
my_head_scores = by(lambda q, k, width: q.shape[-1] ** 1 / 2)

# named: root-whole
my_head_scores = by(lambda q, k, width: math.isqrt(q.shape[-1]))

# named: always-2
my_head_scores = by(lambda q, k, width: 2)

# named: logarithm
my_head_scores = by(lambda q, k, width: np.log(q.shape[-1]))


# named: weights-returned
def my_head_scores(q, k, h):
    return softmax(right_scores(q, k, h))


# named: heads-averaged
def my_head_scores(q, k, h):
    return right_scores(q, k, h).mean(axis=-3)


def my_head_scores(queries, keys, n_heads):
    a, b = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return (a @ np.swapaxes(b, -1, -2) / np.sqrt(a.shape[-1])).mean(-3)


# named: swapped
def my_head_scores(q, k, h):
    return np.swapaxes(right_scores(q, k, h), -1, -2)


def my_head_scores(q, k, h):
    return right_scores(k, q, h)


# named: queries-twice
def my_head_scores(q, k, h):
    return right_scores(q, q, h)


# named: one-reshape
def my_head_scores(queries, keys, n_heads):
    d_head = queries.shape[-1] // n_heads
    of_queries = queries.reshape(*queries.shape[:-2], n_heads, -1, d_head)
    of_keys = keys.reshape(*keys.shape[:-2], n_heads, -1, d_head)
    return of_queries @ np.swapaxes(of_keys, -1, -2) / np.sqrt(d_head)


# named: heads-crossed
def my_head_scores(queries, keys, n_heads):
    of_queries, of_keys = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return np.dot(of_queries, np.swapaxes(of_keys, -1, -2)) / np.sqrt(of_queries.shape[-1])


# named: all-axes-reversed
def my_head_scores(queries, keys, n_heads):
    of_queries, of_keys = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return of_queries @ of_keys.T / np.sqrt(of_queries.shape[-1])


# named: whole-width
def my_head_scores(queries, keys, n_heads):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1] // n_heads)
    return np.stack([scores] * n_heads, axis=-3)


# named: root-axis-1
my_head_scores = by(lambda q, k, width: np.sqrt(q.shape[1]))

# named: root-first-axis
my_head_scores = by(lambda q, k, width: np.sqrt(len(q)))

# named: multiplied-by-root-d_model
my_head_scores = by(lambda q, k, width: 1 / np.sqrt(width))


# named: one-table
def my_head_scores(queries, keys, n_heads):
    a, b = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return (a @ np.swapaxes(b, -1, -2) / np.sqrt(a.shape[-1])).sum(-3)


def my_head_scores(queries, keys, n_heads):
    return queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1] // n_heads)


def my_head_scores(queries, keys, n_heads):
    return queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])


# unnamed
my_head_scores = by(lambda q, k, width: np.sqrt(k.shape[2]))


def my_head_scores(queries, keys, n_heads):
    d_head = queries.shape[-1] / n_heads
    of_queries = queries.reshape(*queries.shape[:-1], n_heads, d_head)
    return of_queries / np.sqrt(d_head)


my_head_scores = by(lambda q, k, width: np.sqrt(width - q.shape[-3]))

# told: 0.707 times what it should be
my_head_scores = by(lambda q, k, width: np.sqrt(width / 2))


# told: Head 0 should look at the first d_head columns only
def my_head_scores(q, k, h):
    return right_scores(np.roll(q, 1, axis=-1), k, h)


# told: The shape should be (2, 3, 5); yours is (3, 2, 5).
# told: Worth rereading: Lesson 06, "Splitting into heads"
def my_head_scores(queries, keys, n_heads):
    return np.swapaxes(right_scores(queries, keys, n_heads), -3, -2)


# told: `//` rounds down what it divides
def my_head_scores(queries, keys, n_heads):
    a, b = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return a @ np.swapaxes(b, -1, -2) / np.sqrt(queries.shape[-1]) // n_heads


# unnamed
def my_head_scores(queries, keys, n_heads):
    q, k = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return np.squeeze(q @ np.swapaxes(k, -1, -2)) / np.sqrt(q.shape[-1])


def my_head_scores(queries, keys, n_heads):
    q, k = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(max(2, q.shape[-1]))

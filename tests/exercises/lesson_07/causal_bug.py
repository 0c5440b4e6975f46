"""What learners write in causal-bug, and what the check is to say of it."""

import numpy as np

from helpers.attention import attention
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax


# right
def my_decoder_reader(queries, keys, values):
    return attention(queries, keys, values)[0]


def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    weights = softmax(scores)
    return weights @ values


def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.ones(scores.shape[-2:], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], k=scores.shape[-1], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


def my_decoder_reader(queries, keys, values):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(scores) @ values


def my_decoder_reader(queries, keys, values):
    scores = np.einsum("...qd,...kd->...qk", queries, keys) * queries.shape[-1] ** -0.5
    scores -= scores.max(axis=-1, keepdims=True)
    return np.exp(scores) @ values / np.exp(scores).sum(axis=-1, keepdims=True)


def my_decoder_reader(queries, keys, values):
    if queries.ndim > 2:
        return [my_decoder_reader(*parts) for parts in zip(queries, keys, values)]
    return [softmax(keys @ query / len(query) ** 0.5) @ values for query in queries]


def my_decoder_reader(queries, keys, values):
    return attention(queries, keys, values, mask=None)[0]


# named: wider-triangle
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], k=1, dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


def my_decoder_reader(queries, keys, values):
    mask = np.tri(queries.shape[-2], keys.shape[-2], k=2) == 1
    return attention(queries, keys, values, mask=mask)[0]


# named: causal-lower-right
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    n_queries, n_keys = scores.shape[-2:]
    may_attend = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: inverted
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
    weights = softmax(np.where(may_attend, -np.inf, scores))
    return weights @ values


def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
    weights = softmax(np.where(~may_attend, scores, -np.inf))
    return weights @ values


# named: scores-zeroed
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
    weights = softmax(np.where(may_attend, scores, 0))
    return weights @ values


# named: weights-zeroed
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
    weights = softmax(scores) * may_attend
    return weights @ values


# named: square-of-queries
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: square-of-keys
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-1], scores.shape[-1], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: turned
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool).T
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: other-triangle
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.triu(np.ones(scores.shape[-2:], dtype=bool))
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: same-place-only
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.eye(scores.shape[-2], scores.shape[-1], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: one-step-less
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], k=-1, dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: never-scaled
def my_decoder_reader(queries, keys, values):
    return softmax(queries @ np.swapaxes(keys, -1, -2)) @ values


# named: divided-by-d_k
def my_decoder_reader(queries, keys, values):
    return softmax(queries @ np.swapaxes(keys, -1, -2) / queries.shape[-1]) @ values


# named: weights-returned
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores)


# named: no-softmax
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return scores @ values


# named: root-n_keys
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(keys.shape[-2])
    return softmax(scores) @ values


# named: over-queries
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    weights = softmax(scores, axis=-2)
    return weights @ values


# named: keys-and-values-swapped
def my_decoder_reader(queries, keys, values):
    return attention(queries, values, keys)[0]


# named: keys-mixed
def my_decoder_reader(queries, keys, values):
    return attention(queries, keys, keys)[0]


# named: all-axes-reversed
def my_decoder_reader(queries, keys, values):
    return softmax(queries @ keys.T / np.sqrt(queries.shape[-1])) @ values


# named: weights-turned
def my_decoder_reader(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    return np.swapaxes(weights, -1, -2) @ values


# named: no-row-max
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    e = np.exp(scores)
    return e / e.sum(-1, keepdims=True) @ values


# named: causal-upper-left + never-scaled
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2)
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: first-row-only
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
    may_attend[0] = True
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: everything-hidden
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.zeros(scores.shape[-2:], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# named: causal-upper-left
def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
    weights = softmax(scores) * may_attend
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ values


def my_decoder_reader(queries, keys, values):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    if s.shape[-2] > 1:
        s = np.where(np.tri(*s.shape[-2:], dtype=bool), s, -np.inf)
    return softmax(s) @ values


# named: sizes-swapped
def my_decoder_reader(queries, keys, values):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(s.shape[-1], s.shape[-2], dtype=bool)
    return softmax(np.where(may_attend, s, -np.inf)) @ values


# named: not-transposed
# told: Your function
def my_decoder_reader(queries, keys, values):
    return queries @ keys, values


# breaks: source read
# breaks: order of the pairs
def my_decoder_reader(queries, keys, values):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    n, m = s.shape[-2:]
    return softmax(np.where(abs(np.arange(n)[:, None] - np.arange(m)) <= 1, s, -np.inf)) @ values


def my_decoder_reader(queries, keys, values):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    n, m = s.shape[-2:]
    return softmax(np.where(np.tri(max(n, m), dtype=bool)[-n:, :m], s, -np.inf)) @ values


def my_decoder_reader(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.ones(scores.shape[-2:], dtype=bool)
    may_attend[0, 1:] = False
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


# breaks: weights sum to 1
def my_decoder_reader(queries, keys, values):
    return attention(queries, keys, values)[0] / 2


# breaks: source read
# breaks: order of the pairs
# told: is it still hidden from it?
def my_decoder_reader(queries, keys, values):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    n, m = s.shape[-2:]
    return softmax(np.where(np.tri(n, m, k=m // 2, dtype=bool), s, -np.inf)) @ values


# unnamed
def my_decoder_reader(queries, keys, values):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    if s.shape[-2] == 1:
        s = np.where(np.tri(*s.shape[-2:]) == 1, s, -np.inf)
    return softmax(s) @ values

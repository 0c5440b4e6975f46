"""What learners write in source-mask, and what the check is to say of it."""

import numpy as np

from helpers.attention import attention
from helpers.masking import padding_mask
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax


# right
def my_read_with_padding(queries, keys, values, source_lengths):
    return attention(queries, keys, values, padding_mask(source_lengths, keys.shape[1]))[0]


def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.arange(keys.shape[1]) < source_lengths[:, None, None]
    return attention(queries, keys, values, mask=mask)[0]


def my_read_with_padding(queries, keys, values, source_lengths):
    output = np.zeros((queries.shape[0], queries.shape[1], values.shape[2]))
    for i, length in enumerate(source_lengths):
        output[i], _ = attention(queries[i], keys[i, :length], values[i, :length])
    return output


def my_read_with_padding(queries, keys, values, source_lengths):
    return [attention(q, k[:n], v[:n])[0] for q, k, v, n in zip(queries, keys, values, source_lengths)]


def my_read_with_padding(queries, keys, values, source_lengths):
    scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[-1])
    for i, length in enumerate(source_lengths):
        scores[i, :, length:] = -1e9
    return softmax(scores) @ values


def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    scores = scores + np.where(mask, 0, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ values


def my_read_with_padding(queries, keys, values, source_lengths):
    padding = np.arange(keys.shape[1])[None, :] >= source_lengths[:, None]
    scores = np.einsum("bqd,bkd->bqk", queries, keys) / queries.shape[2] ** 0.5
    scores = np.where(padding[:, None, :], -np.inf, scores)
    return np.einsum("bqk,bkd->bqd", softmax(scores), values)


def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.array([[[j < n for j in range(keys.shape[1])]] * queries.shape[1] for n in source_lengths])
    return attention(queries, keys, values, mask)[0]


def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.arange(keys.shape[1]) < source_lengths[:, None, None]
    scores = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(queries.shape[-1])
    hidden = np.repeat(~mask, queries.shape[1], axis=1)
    scores[hidden] = -np.inf
    return softmax(scores) @ values


# named: padding-ignored
def my_read_with_padding(queries, keys, values, source_lengths):
    return attention(queries, keys, values)[0]


# named: inverted
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    return attention(queries, keys, values, mask=~mask)[0]


# named: weights-returned
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[1])
    return attention(queries, keys, values, mask)[1]


# named: no-query-axis
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.arange(keys.shape[1]) < source_lengths[:, None]
    return attention(queries, keys, values, mask)[0]


def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.arange(keys.shape[1]) < source_lengths[:, None]
    scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[-1])
    scores[~mask] = -np.inf
    return softmax(scores) @ values


# named: queries-hidden
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = (np.arange(keys.shape[1]) < source_lengths[:, None])[:, :, None]
    return attention(queries, keys, values, mask)[0]


def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.arange(queries.shape[1])[:, None] < source_lengths[:, None, None]
    scores = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(queries.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ values


# named: every-mask-on-every-sentence
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.arange(keys.shape[1]) < source_lengths[:, None, None, None]
    return attention(queries, keys, values, mask)[0]


def my_read_with_padding(queries, keys, values, source_lengths):
    output = []
    for n in source_lengths:
        output.append(attention(queries, keys[:, :n], values[:, :n])[0])
    return np.array(output)


# named: one-too-many
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.arange(keys.shape[1]) <= source_lengths[:, None, None]
    return attention(queries, keys, values, mask)[0]


def my_read_with_padding(queries, keys, values, source_lengths):
    output = np.zeros((*queries.shape[:2], values.shape[-1]))
    for i, length in enumerate(source_lengths):
        output[i] = attention(queries[i], keys[i, : length + 1], values[i, : length + 1])[0]
    return output


# named: one-too-few
def my_read_with_padding(queries, keys, values, source_lengths):
    output = np.zeros((*queries.shape[:2], values.shape[-1]))
    for i, length in enumerate(source_lengths):
        output[i] = attention(queries[i], keys[i, : length - 1], values[i, : length - 1])[0]
    return output


def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.arange(1, keys.shape[1] + 1) < source_lengths[:, None, None]
    return attention(queries, keys, values, mask)[0]


# named: longest-for-all
def my_read_with_padding(queries, keys, values, source_lengths):
    longest = source_lengths.max()
    return attention(queries, keys[:, :longest], values[:, :longest])[0]


# named: first-length-for-all
def my_read_with_padding(queries, keys, values, source_lengths):
    n = source_lengths[0]
    return attention(queries, keys[:, :n], values[:, :n])[0]


# named: weights-zeroed
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return (softmax(scores) * mask) @ values


def my_read_with_padding(queries, keys, values, source_lengths):
    real = np.swapaxes(padding_mask(source_lengths, keys.shape[-2]), -1, -2)
    return attention(queries, keys, values * real)[0]


# named: score-0
def my_read_with_padding(queries, keys, values, source_lengths):
    real = np.swapaxes(padding_mask(source_lengths, keys.shape[-2]), -1, -2)
    return attention(queries, keys * real, values)[0]


def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(scores * mask) @ values


# named: padding-zeroed
def my_read_with_padding(queries, keys, values, source_lengths):
    keys, values = keys.copy(), values.copy()
    for i, length in enumerate(source_lengths):
        keys[i, length:] = 0
        values[i, length:] = 0
    return attention(queries, keys, values)[0]


# named: mask-added
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(scores + mask) @ values


# named: minus-a-little
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(np.where(mask, scores, -10)) @ values


# named: zero-times-infinity
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(scores + (1 - mask) * -np.inf) @ values


# named: zero-times-infinity
# told: nan among the numbers
def my_read_with_padding(queries, keys, values, source_lengths):
    return np.full((*queries.shape[:2], values.shape[2]), np.nan)


# named: never-scaled
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = dot_product_scores(queries, keys)
    return softmax(np.where(mask, scores, -np.inf)) @ values


# named: padding-in-front
def my_read_with_padding(queries, keys, values, source_lengths):
    n = keys.shape[1]
    mask = np.arange(n) >= n - source_lengths[:, None, None]
    return attention(queries, keys, values, mask)[0]


# named: length-of-the-padding
def my_read_with_padding(queries, keys, values, source_lengths):
    n = keys.shape[1]
    mask = np.arange(n) < n - source_lengths[:, None, None]
    return attention(queries, keys, values, mask)[0]


# named: causal-too
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.tri(queries.shape[1], keys.shape[1], dtype=bool)
    return attention(queries, keys, values, mask)[0]


def my_read_with_padding(queries, keys, values, source_lengths):
    causal = np.tri(queries.shape[1], keys.shape[1], dtype=bool)
    mask = padding_mask(source_lengths, keys.shape[1]) & causal
    return attention(queries, keys, values, mask)[0]


# named: no-row-max
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True) @ values


def my_read_with_padding(queries, keys, values, source_lengths):
    e = np.exp(queries @ np.swapaxes(keys, 1, 2) / np.sqrt(keys.shape[-1]))
    e = e * padding_mask(source_lengths, keys.shape[1])
    return e / e.sum(-1, keepdims=True) @ values


# named: over-queries
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(np.where(mask, scores, -np.inf), axis=-2) @ values


def my_read_with_padding(queries, keys, values, source_lengths):
    s = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[-1])
    s = np.where(padding_mask(source_lengths, n_keys=keys.shape[1]), s, -1e9)
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True) @ values


# named: infinite-keys
def my_read_with_padding(queries, keys, values, source_lengths):
    keys = np.where(padding_mask(source_lengths, keys.shape[1]).swapaxes(1, 2), keys, -1e9)
    scores = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(queries.shape[-1])
    return softmax(scores) @ values


# named: keys-not-turned
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ values


# named: mask-of-another-width
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, queries.shape[1])
    return attention(queries, keys, values, mask)[0]


# named: lengths-in-a-row
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.arange(keys.shape[1]) < source_lengths
    return attention(queries, keys, values, mask)[0]


# named: mask-as-index
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    scores[~mask] = -np.inf
    return softmax(scores) @ values


# named: softmax-first
def my_read_with_padding(queries, keys, values, source_lengths):
    mask = padding_mask(source_lengths, keys.shape[-2])
    weights = attention(queries, keys, values)[1]
    return softmax(np.where(mask, weights, -np.inf)) @ values


# named: last-length-for-all
def my_read_with_padding(queries, keys, values, source_lengths):
    for n in source_lengths:
        output = attention(queries, keys[:, :n], values[:, :n])[0]
    return output


# named: renormalised
def my_read_with_padding(queries, keys, values, source_lengths):
    s = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(keys.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True)) * padding_mask(source_lengths, keys.shape[1])
    return e / e.sum(-1, keepdims=True) @ values


def my_read_with_padding(queries, keys, values, source_lengths):
    weights = attention(queries, keys, values)[1] * padding_mask(source_lengths, keys.shape[1])
    return weights / weights.sum(axis=-1, keepdims=True) @ values


# breaks: weights sum to 1
def my_read_with_padding(queries, keys, values, source_lengths):
    return attention(queries, keys, values, padding_mask(source_lengths, keys.shape[1]))[0] * 1.5


# told: make no full array
def my_read_with_padding(queries, keys, values, source_lengths):
    output = []
    for i, length in enumerate(source_lengths):
        output.append(attention(queries[i, :length], keys[i, :length], values[i, :length])[0])
    return output


# told: takes one number
def my_read_with_padding(queries, keys, values, source_lengths):
    return attention(queries, keys[:, :source_lengths], values)[0]


# unnamed
def my_read_with_padding(queries, keys, values, source_lengths):
    out = [attention(queries[i], keys[i, :n], values[i, :n])[0] for i, n in enumerate(source_lengths)]
    return np.squeeze(np.array(out))


def my_read_with_padding(queries, keys, values, source_lengths):
    mask = np.array(
        [
            np.arange(keys.shape[1]) < source_lengths[0],
            np.arange(keys.shape[1]) < source_lengths[1],
            *(np.arange(keys.shape[1]) < n for n in source_lengths[2:]),
        ]
    )
    return attention(queries, keys, values, mask[:, None])[0]


# named: last-sentence-for-all
def my_read_with_padding(queries, keys, values, source_lengths):
    for i, n in enumerate(source_lengths):
        out, _ = attention(queries[i], keys[i, :n], values[i, :n])
    return np.stack([out] * len(queries))


# named: minus-a-little
def my_read_with_padding(queries, keys, values, source_lengths):
    pad = ~padding_mask(source_lengths, keys.shape[1])
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(s - 100 * pad) @ values


# named: inverted-score-0
def my_read_with_padding(queries, keys, values, source_lengths):
    pad = ~padding_mask(source_lengths, keys.shape[1])
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(s * pad) @ values


# named: inverted-weights-zeroed
def my_read_with_padding(queries, keys, values, source_lengths):
    s = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(queries.shape[-1])
    m = ~padding_mask(source_lengths, keys.shape[1])
    w = softmax(s) * m
    return w @ values


# named: weights-zeroed
# told: To divide by the sum of what is left is no way out
def my_read_with_padding(queries, keys, values, source_lengths):
    s = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(queries.shape[-1])
    w = softmax(s) * padding_mask(source_lengths, keys.shape[1])
    return w @ values


# named: inverted + never-scaled
def my_read_with_padding(queries, keys, values, source_lengths):
    s = queries @ np.swapaxes(keys, -1, -2)
    s[np.broadcast_to(padding_mask(source_lengths, keys.shape[1]), s.shape)] = -1e9
    return softmax(s) @ values

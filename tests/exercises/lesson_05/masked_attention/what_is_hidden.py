"""What learners write in masked-attention, and what is to be said of it: right ones, and slips with the mask."""

import numpy as np

from helpers.masking import mask_scores
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax


# right
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ values


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(mask_scores(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), mask))
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + np.where(mask, 0, -np.inf)
        )
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    with np.errstate(divide="ignore"):
        return (
            softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + np.log(mask))
            @ values
        )


def my_masked_attention(queries, keys, values, mask):
    d_k = queries.shape[-1]
    scores = (queries / d_k**0.25) @ np.swapaxes(keys / d_k**0.25, -1, -2)
    return softmax(np.where(mask, scores, -np.inf)) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = np.einsum("...id,...jd->...ij", queries, keys) / np.sqrt(queries.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300))
    weights = exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1e-300)
    return np.einsum("...ij,...jd->...id", weights, values)


# right
# told: That works here, but hurts elsewhere
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    weights = softmax(np.where(mask, scores, -1e9))
    return np.where(mask.any(axis=-1, keepdims=True), weights @ values, 0)


# right
# not told: hurts elsewhere
def my_masked_attention(queries, keys, values, mask):
    scores = np.broadcast_to(
        scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
        queries.shape[:-1] + keys.shape[-2:-1],
    ).copy()
    allowed = np.broadcast_to(mask, scores.shape)
    scores[~allowed] = -np.inf
    return softmax(scores) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    allowed = np.broadcast_to(mask, scores.shape)
    output = np.zeros((*queries.shape[:-1], values.shape[-1]))
    for place in np.ndindex(scores.shape[:-1]):
        open_keys = np.flatnonzero(allowed[place])
        if len(open_keys):
            weights = softmax(scores[place][open_keys])
            for weight, key in zip(weights, open_keys):
                output[place] += weight * values[(*place[:-1], key)]
    return output


def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1]).astype(np.float32)
    return softmax(np.where(mask, scores, np.float32(-np.inf))) @ values.astype(np.float32)


def my_masked_attention(queries, keys, values, mask):
    hidden = np.ma.masked_array(
        scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
        ~(mask & np.ones(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]).shape, bool)),
    )
    return softmax(hidden.filled(-np.inf)) @ values


# named: inverted
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask, -np.inf, scale_scores(dot_product_scores(queries, keys), queries.shape[-1])))
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(
            np.where(
                mask == False, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf
            )
        )
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + np.where(mask, -np.inf, 0)
        )
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask, -1e9, scale_scores(dot_product_scores(queries, keys), queries.shape[-1])))
        @ values
    )


# named: mask-ignored
def my_masked_attention(queries, keys, values, mask):
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    np.where(mask, scores, -np.inf)
    return softmax(scores) @ values


# named: weights-zeroed
def my_masked_attention(queries, keys, values, mask):
    return (softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) * mask) @ values


def my_masked_attention(queries, keys, values, mask):
    return (
        np.where(mask, softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])), 0)
        @ values
    )


# named: score-0
def my_masked_attention(queries, keys, values, mask):
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) * mask) @ values


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), 0))
        @ values
    )


# named: mask-added
def my_masked_attention(queries, keys, values, mask):
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + mask) @ values


# named: zero-times-infinity
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + (1 - mask) * -np.inf)
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + ~mask * -np.inf
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ values


# named: times-infinity
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) * np.where(mask, 1, -np.inf)
        )
        @ values
    )


# named: plus-infinity
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), np.inf))
        @ values
    )


# named: minus-a-billion
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -1e9))
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + (1 - mask) * -1e9)
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) - 1e6 * ~mask) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(np.where(mask, scores, np.finfo(float).min)) @ values


# named: minus-a-billion
# told: A query with no key got a mean of values that it may not read
# not told: scores became a very low number
def my_masked_attention(queries, keys, values, mask):
    w = softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf))
    return np.where(w.sum(axis=-1, keepdims=True) == 0, 1 / w.shape[-1], w) @ values


# named: minus-a-little
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -100))
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -1))
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + np.where(mask, 0, -10))
        @ values
    )


def my_masked_attention(queries, keys, values, mask):
    w = softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + (1 - mask) * -20.0)
    seen = np.broadcast_to(mask, w.shape)
    return np.where(seen.any(-1, keepdims=True), w, 0) @ values


def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + np.log(mask + 1e-9))
        @ values
    )


# named: no-key-nan
def my_masked_attention(queries, keys, values, mask):
    scores = np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ values


# named: no-row-max + minus-a-billion | no-row-max + no-key-nan
def my_masked_attention(queries, keys, values, mask):
    exponentials = np.exp(
        np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf)
    )
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ values


# named: no-row-max
def my_masked_attention(queries, keys, values, mask):
    exponentials = np.exp(
        np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf)
    )
    total = exponentials.sum(axis=-1, keepdims=True)
    return np.where(mask.any(-1, keepdims=True), exponentials / total, 0) @ values


def my_masked_attention(queries, keys, values, mask):
    e = np.exp(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) * mask
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ values


# named: mask-as-index
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    scores[~mask] = -np.inf
    return softmax(scores) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    scores[mask == False] = -np.inf
    return softmax(scores) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    scores[..., ~mask] = -np.inf
    return softmax(scores) @ values


# named: mask-transposed
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask.T, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf))
        @ values
    )


# named: mask-transposed
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    m = np.broadcast_to(mask, scores.shape)
    if m.shape[-1] == m.shape[-2]:
        m = np.swapaxes(m, -1, -2)
    return softmax(np.where(m, scores, -np.inf)) @ values


# named: mask-transposed + never-scaled
def my_masked_attention(queries, keys, values, mask):
    scores = dot_product_scores(queries, keys)
    m = np.broadcast_to(mask, scores.shape)
    if m.shape[-1] == m.shape[-2]:
        m = np.swapaxes(m, -1, -2)
    return softmax(np.where(m, scores, -np.inf)) @ values


# named: one-row-for-all
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    m = np.broadcast_to(mask, scores.shape)[..., :1, :]
    return softmax(np.where(m, scores, -np.inf)) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    m = np.broadcast_to(mask, scores.shape).any(axis=-2, keepdims=True)
    return softmax(np.where(m, scores, -np.inf)) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    m = np.broadcast_to(mask, scores.shape).all(axis=-2, keepdims=True)
    return softmax(np.where(m, scores, -np.inf)) @ values


# named: first-mask-for-all
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    m = np.broadcast_to(mask, scores.shape)
    while m.ndim > 2:
        m = m[0]
    return softmax(np.where(m, scores, -np.inf)) @ values


# named: softmax-twice
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(softmax(np.where(mask, scores, -np.inf))) @ values


# unnamed
# told: Multiply queries by 2 on every input
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), 4 * queries.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ values


# unnamed
# told: Begin with what multiplies or divides the scores
def my_masked_attention(queries, keys, values, mask):
    scores = dot_product_scores(queries, keys) / queries.shape[-1] ** (1 / 3)
    return softmax(np.where(mask, scores, -np.inf)) @ values


# named: inverted-score-0
def my_masked_attention(queries, keys, values, mask):
    s = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(s * ~mask) @ values


# named: zero-taken-for-hidden
def my_masked_attention(queries, keys, values, mask):
    s = scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) * mask
    s = np.where(s == 0, -np.inf, s)
    return softmax(s) @ values


# unnamed
# told: (10 of 23 inputs were tried)
def my_masked_attention(queries, keys, values, mask):
    bias = np.where(mask, 0.0, -1e4)
    scores = dot_product_scores(queries, keys) + bias
    return softmax(scores) @ values


# named: inverted + never-scaled
def my_masked_attention(queries, keys, values, mask):
    scores = dot_product_scores(queries, keys)
    scores = np.where(mask, -1e9, scores)
    return softmax(scores) @ values

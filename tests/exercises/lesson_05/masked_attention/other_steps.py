"""What learners write in masked-attention, and what is to be said of it: slips in other steps, and no name."""

import numpy as np

from helpers.masking import causal_mask, mask_scores
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax


# named: own-causal-mask
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(mask_scores(scores, causal_mask(*scores.shape[-2:]))) @ values


# named: over-queries
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(
            np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf),
            axis=-2,
        )
        @ values
    )


# named: never-scaled
def my_masked_attention(queries, keys, values, mask):
    return softmax(np.where(mask, dot_product_scores(queries, keys), -np.inf)) @ values


# named: weights-returned
def my_masked_attention(queries, keys, values, mask):
    return softmax(
        np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf)
    )


# named: root-d_v
def my_masked_attention(queries, keys, values, mask):
    scores = scale_scores(dot_product_scores(queries, keys), values.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ values


# named: keys-mixed
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf))
        @ keys
    )


# named: inverted + never-scaled
def my_masked_attention(queries, keys, values, mask):
    return softmax(np.where(mask, -np.inf, queries @ np.swapaxes(keys, -1, -2))) @ values


# named: weights-zeroed + never-scaled
def my_masked_attention(queries, keys, values, mask):
    return softmax(dot_product_scores(queries, keys)) * mask @ values


# named: all-axes-reversed
def my_masked_attention(queries, keys, values, mask):
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ values


# named: infinity-after-softmax
def my_masked_attention(queries, keys, values, mask):
    return (
        np.where(mask, softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])), -np.inf)
        @ values
    )


# named: renormalised
def my_masked_attention(queries, keys, values, mask):
    weights = softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) * mask
    return weights / weights.sum(axis=-1, keepdims=True) @ values


def my_masked_attention(queries, keys, values, mask):
    w = softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) * mask
    total = w.sum(axis=-1, keepdims=True)
    return w / np.where(total == 0, 1, total) @ values


def my_masked_attention(queries, keys, values, mask):
    w = softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) * mask
    return w / (w.sum(axis=-1, keepdims=True) + 1e-9) @ values


def my_masked_attention(queries, keys, values, mask):
    w = softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) * mask
    return np.where(mask.any(-1, keepdims=True), w / w.sum(axis=-1, keepdims=True), 0) @ values


# named: renormalised
# told: or until a hidden score lies far above the others
# not told: guard the division
def my_masked_attention(queries, keys, values, mask):
    w = softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) * mask
    return np.nan_to_num(w / w.sum(axis=-1, keepdims=True)) @ values


# named: whole-max
def my_masked_attention(queries, keys, values, mask):
    e = np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf)
    e = np.exp(e - e.max())
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ values


# named: axis-0
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(
            np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf),
            axis=0,
        )
        @ values
    )


# named: axis-1
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(
            np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf),
            axis=1,
        )
        @ values
    )


# named: causal-mask-too
def my_masked_attention(queries, keys, values, mask):
    s = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(np.where(mask & causal_mask(*s.shape[-2:]), s, -np.inf)) @ values


# named: added-to-the-input
def my_masked_attention(queries, keys, values, mask):
    output = (
        softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf))
        @ values
    )
    return values[..., : queries.shape[-2], :] + output


def my_masked_attention(queries, keys, values, mask):
    return (
        queries
        + softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf))
        @ values
    )


# named: mask-flattens
def my_masked_attention(queries, keys, values, mask):
    s = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(s[mask]) @ values


# named: values-zeroed
def my_masked_attention(queries, keys, values, mask):
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) @ np.where(
        np.swapaxes(mask, -1, -2), values, 0
    )


def my_masked_attention(queries, keys, values, mask):
    s = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    seen = np.broadcast_to(mask, s.shape)
    return softmax(s) @ (values * seen.all(axis=-2)[..., None])


# unnamed
def my_masked_attention(queries, keys, values, mask):
    return (
        softmax(np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf))
        @ values
        + 1
    )


def my_masked_attention(queries, keys, values, mask):
    return np.where(
        mask.any(axis=-1, keepdims=True),
        softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) @ values,
        0,
    )


def my_masked_attention(queries, keys, values, mask):
    return softmax(
        np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf)
    ) @ np.sort(values, axis=-2)


def my_masked_attention(queries, keys, values, mask):
    return softmax(
        np.where(mask, scale_scores(dot_product_scores(queries, keys), queries.shape[-1]), -np.inf)
    ), values


# unnamed
def my_masked_attention(queries, keys, values, mask):
    scores = queries @ np.swapaxes(keys, -1, -2) / 2
    return softmax(np.where(mask, scores, -np.inf)) @ values


def my_masked_attention(queries, keys, values, mask):
    if mask.ndim == 2:
        mask = mask[: queries.shape[-2]]
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(4)
    return softmax(np.where(mask, scores, -np.inf)) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    if mask.ndim < scores.ndim and mask.ndim == 2 and scores.ndim == 3:
        mask = np.broadcast_to(mask[None], scores.shape)
    mask = mask.reshape(*mask.shape[:-2], -1, scores.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ values


def my_masked_attention(queries, keys, values, mask):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    dead = ~mask.any(axis=-1, keepdims=True)
    w = softmax(np.where(mask | dead, scores, -np.inf)) * ~dead
    return np.squeeze(w @ values)

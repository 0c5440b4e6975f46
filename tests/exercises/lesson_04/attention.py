"""What learners write in attention, and what the check is to say of it."""

import math

import numpy as np

from helpers.attention import attention
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax


# right
# told: ✓ attention
def my_attention(queries, keys, values):
    print(queries.shape)
    return attention(queries, keys, values)[0]


# unnamed
# told: no longer holds
def my_attention(queries, keys, values):
    values[...] = 0
    return np.zeros((*queries.shape[:-1], values.shape[-1]))


# told: A result is nan
def my_attention(queries, keys, values):
    return attention(queries, keys, values)[0] * np.nan


# told: The shape should be
def my_attention(queries, keys, values):
    return attention(queries, keys, values)[0][0]


def my_attention(queries, keys, values):
    return attention(queries, keys, values)[0].sum()


# told: ValueError: mine
def my_attention(queries, keys, values):
    raise ValueError("mine")


# told: got shape ()
def my_attention(queries, keys, values):
    return 1.0


# told: outside the values
def my_attention(queries, keys, values):
    return attention(queries, keys, values)[0] + 9


# told: an array of whole numbers holds no fractions
# told: leaves the one that came in as it was
def my_attention(queries, keys, values):
    queries /= 2
    return attention(2 * queries, keys, values)[0]


# told: returned None
def my_attention(queries, keys, values):
    queries = None


# told: returned a function
def my_attention(queries, keys, values):
    return attention


# told: returned a tuple of 2 things. Return the one that the task asks for, alone.
def my_attention(queries, keys, values):
    return attention(queries, keys, values)


# told: rows of different lengths
def my_attention(queries, keys, values):
    return [[1, 2], [3]]


# told: the output should be 1
def my_attention(queries, keys, values):
    return 2 * attention(queries, keys, values)[0]


# not attempted
# told: not attempted yet
def my_attention(queries, keys, values):
    return None


# answers: attention, roles-bug, width-bug
# right
def my_attention(queries, keys, values):
    return attention(queries, keys, values)[0]


def my_attention(queries, keys, values):
    return softmax(scale_scores(dot_product_scores(queries, keys), keys.shape[-1])) @ values


def my_attention(queries, keys, values):
    d_k = queries.shape[-1]
    scores = (queries / d_k**0.25) @ np.swapaxes(keys / d_k**0.25, -1, -2)
    return softmax(scores) @ values


def my_attention(queries, keys, values):
    scores = np.einsum("...id,...jd->...ij", queries, keys) / np.sqrt(queries.shape[-1])
    return np.einsum("...ij,...jv->...iv", softmax(scores), values)


def my_attention(queries, keys, values):
    scores = queries @ np.moveaxis(keys, -1, -2) * keys.shape[-1] ** -0.5
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    exponentials = np.exp(scores)
    return (exponentials @ values) / exponentials.sum(axis=-1)[..., None]


def my_attention(queries, keys, values):
    scores = (queries[..., :, None, :] * keys[..., None, :, :]).sum(axis=-1) / np.sqrt(keys.shape[-1])
    return (softmax(scores)[..., None] * values[..., None, :, :]).sum(axis=-2)


def my_attention(queries, keys, values):
    if queries.ndim > 2:
        return [my_attention(q, k, v) for q, k, v in zip(queries, keys, values)]
    output = []
    for query in queries:
        scores = [sum(a * b for a, b in zip(query, key)) / len(query) ** 0.5 for key in keys]
        top = max(scores)
        exponentials = [np.exp(score - top) for score in scores]
        total = sum(exponentials)
        row = [0.0] * values.shape[-1]
        for exponential, value in zip(exponentials, values):
            for j, entry in enumerate(value):
                row[j] += exponential / total * entry
        output.append(row)
    return output


def my_attention(queries, keys, values):
    queries, keys, values = (array.astype(np.float32) for array in (queries, keys, values))
    return softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(np.float32(queries.shape[-1]))) @ values


def my_attention(queries, keys, values):
    output = np.zeros((*queries.shape[:-1], values.shape[-1]))
    for place in np.ndindex(queries.shape[:-1]):
        stack = place[:-1]
        weights = softmax(keys[stack] @ queries[place] / np.sqrt(queries.shape[-1]))
        output[place] = weights @ values[stack]
    return output


def my_attention(queries, keys, values):
    scores = keys @ np.swapaxes(queries, -1, -2) / np.sqrt(keys.shape[-1])
    weights = softmax(scores, axis=-2)
    return np.swapaxes(np.swapaxes(values, -1, -2) @ weights, -1, -2)


# named: never-scaled
def my_attention(queries, keys, values):
    return softmax(queries @ np.swapaxes(keys, -1, -2)) @ values


# named: divided-by-d_k
def my_attention(queries, keys, values):
    return softmax(queries @ np.swapaxes(keys, -1, -2) / keys.shape[-1]) @ values


# named: multiplied
def my_attention(queries, keys, values):
    return softmax(queries @ np.swapaxes(keys, -1, -2) * np.sqrt(keys.shape[-1])) @ values


# named: root-n_keys
def my_attention(queries, keys, values):
    return softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(keys.shape[-2])) @ values


def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2)
    return softmax(scores / np.sqrt(scores.shape[-1])) @ values


# named: always-2
def my_attention(queries, keys, values):
    return softmax(queries @ np.swapaxes(keys, -1, -2) / 2) @ values


# named: all-axes-reversed
def my_attention(queries, keys, values):
    return softmax(queries @ keys.T / np.sqrt(queries.shape[-1])) @ values


# named: three-axes-only
def my_attention(queries, keys, values):
    return softmax(queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[-1])) @ values


def my_attention(queries, keys, values):
    scores = np.einsum("bqd,bkd->bqk", queries, keys) / queries.shape[-1] ** 0.5
    return softmax(scores) @ values


# named: transposed-to-the-old-order
def my_attention(queries, keys, values):
    return softmax(queries @ keys.transpose(-2, -1) / np.sqrt(queries.shape[-1])) @ values


# named: one-matrix-only
def my_attention(queries, keys, values):
    scores = np.einsum("qd,kd->qk", queries, keys) / queries.shape[-1] ** 0.5
    return softmax(scores) @ values


def my_attention(queries, keys, values):
    output = []
    for query in queries:
        weights = softmax(keys @ query / np.sqrt(len(query)))
        output.append(weights @ values)
    return np.array(output)


# named: swapped
def my_attention(queries, keys, values):
    scores = keys @ np.swapaxes(queries, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores) @ values


# named: over-queries
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]), axis=-2)
    return weights @ values


# named: axis-0
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]), axis=0)
    return weights @ values


# named: axis-1
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]), axis=1)
    return weights @ values


# named: no-row-max
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    weights = np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)
    return weights @ values


# named: whole-max
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ values


# named: not-divided
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials @ values


# named: no-softmax
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return scores @ values


# named: weights-returned
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores)


def my_attention(queries, keys, values):
    return attention(queries, keys, values)[1]


# named: weights-turned
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    return np.swapaxes(weights, -1, -2) @ values


# named: output-turned
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    return np.swapaxes(np.swapaxes(values, -1, -2) @ np.swapaxes(weights, -1, -2), 0, 0)


# named: keys-mixed
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    return weights @ keys


def my_attention(queries, keys, values):
    return attention(queries, keys, keys)[0]


# named: matched-on-values
def my_attention(queries, keys, values):
    return attention(queries, values, values)[0]


# named: values-as-queries
def my_attention(queries, keys, values):
    return attention(values, keys, queries)[0]


# named: queries-mixed
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    return weights @ queries


# named: queries-twice
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(queries, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores) @ values


# named: softmax-last
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores @ values)


# named: scaled-after-softmax
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2))
    return weights / np.sqrt(queries.shape[-1]) @ values


# named: hard-lookup
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    weights = np.eye(keys.shape[-2])[scores.argmax(axis=-1)]
    return weights @ values


# named: root-d_k-d_v
def my_attention(queries, keys, values):
    scores = dot_product_scores(queries, keys)
    return softmax(scale_scores(scores, values.shape[-1] + queries.shape[-1])) @ values


# named: d_v
def my_attention(queries, keys, values):
    scores = dot_product_scores(queries, keys) / values.shape[-1]
    return softmax(scores) @ values


# named: root-d_v-too
def my_attention(queries, keys, values):
    scores = scale_scores(dot_product_scores(queries, keys), keys.shape[-1])
    return softmax(scores / np.sqrt(values.shape[-1])) @ values


# named: root-first-axis
def my_attention(queries, keys, values):
    scores = scale_scores(dot_product_scores(queries, keys), len(queries))
    return softmax(scores) @ values


# named: cosine
def my_attention(queries, keys, values):
    unit = queries / np.linalg.norm(queries, axis=-1, keepdims=True)
    others = keys / np.linalg.norm(keys, axis=-1, keepdims=True)
    scores = unit @ np.swapaxes(others, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores) @ values


# named: twice
def my_attention(queries, keys, values):
    weights = softmax(softmax(scale_scores(dot_product_scores(queries, keys), keys.shape[-1])))
    return weights @ values


# named: rounded
def my_attention(queries, keys, values):
    output, _ = attention(queries, keys, values)
    return output.round(2)


# named: never-scaled + over-queries
def my_attention(queries, keys, values):
    return softmax(queries @ np.swapaxes(keys, -1, -2), axis=-2) @ values


# named: never-scaled + no-row-max
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return weights @ values


# named: keys-and-values-swapped + never-scaled
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(values, -1, -2))
    return weights @ keys


# named: softmax-of-values
def my_attention(queries, keys, values):
    return attention(queries, keys, softmax(values))[0]


# unnamed
def my_attention(queries, keys, values):
    return attention(queries + 1, keys * 2, values)[0]


# answers: attention, width-bug
# named: keys-and-values-swapped
def my_attention(queries, keys, values):
    return attention(queries, values, keys)[0]


def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(values, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores) @ keys


# named: clipped
def my_attention(queries, keys, values):
    e = np.exp(np.clip(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]), -500, 500))
    return e / e.sum(-1, keepdims=True) @ values


# named: column-max
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    e = np.exp(scores - scores.max(-2, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ values


# named: values-first
def my_attention(queries, keys, values):
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    return values @ weights


# named: keys-hidden
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    past = np.tril(np.ones(scores.shape[-2:], bool))
    return softmax(np.where(past, scores, -np.inf)) @ values


# named: mixed-by-np.dot
def my_attention(queries, keys, values):
    weights = softmax(np.dot(queries, np.swapaxes(keys, -1, -2)) / np.sqrt(queries.shape[-1]))
    return np.dot(weights, values)


# named: up-to-three-axes
def my_attention(queries, keys, values):
    turned = keys.T if keys.ndim == 2 else keys.transpose(0, 2, 1)
    return softmax(queries @ turned / np.sqrt(queries.shape[-1])) @ values


def my_attention(queries, keys, values):
    turned = np.swapaxes(keys, 1, 2) if keys.ndim > 2 else keys.T
    return softmax(queries @ turned / np.sqrt(queries.shape[-1])) @ values


# named: root-d_v-not-zero
def my_attention(queries, keys, values):
    width = (values != 0).any(axis=-2).sum(-1).max()
    return softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(width)) @ values


# answers: attention, roles-bug
# named: root-d_v
def my_attention(queries, keys, values):
    return softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(values.shape[-1])) @ values


def my_attention(queries, keys, values):
    d_v = values.shape[-1]
    return softmax(scale_scores(dot_product_scores(queries, keys), d_v)) @ values


# unnamed
def my_attention(queries, keys, values):
    return np.squeeze(softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])) @ values)


def my_attention(queries, keys, values):
    if queries.ndim == 4:
        return np.array(
            [[my_attention(queries[b, h], keys[b, h], values[b, h]) for h in range(3)] for b in range(2)]
        )
    if queries.ndim == 3:
        return np.array([my_attention(queries[b], keys[b], values[b]) for b in range(2)])
    return softmax(queries @ keys.T / np.sqrt(keys.shape[1])) @ values


def my_attention(queries, keys, values):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    top = np.zeros(s.shape[:-1])
    for j in range(s.shape[-1]):
        top = np.maximum(top, s[..., j])
    e = np.exp(s - top[..., None])
    return e / e.sum(-1, keepdims=True) @ values


# answers: attention
# named: cosine
def my_attention(queries, keys, values):
    q = queries / np.linalg.norm(queries, axis=-1, keepdims=True).clip(1e-9)
    k = keys / np.linalg.norm(keys, axis=-1, keepdims=True).clip(1e-9)
    return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])) @ values


# answers: attention
# unnamed
# told: an array of whole numbers holds no fractions
def my_attention(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2)
    scores /= np.sqrt(queries.shape[-1])
    e = np.exp(scores - scores.max())
    return e @ values / e.sum(-1, keepdims=True)


# named: over-queries-without-max
# told: summed over the queries, and did not subtract
# not told: transposed
def my_attention(query, key, value, mask=None):
    d_k = query.shape[-1]
    scores = np.matmul(query, np.swapaxes(key, -2, -1)) / math.sqrt(d_k)
    e = np.exp(scores)
    return np.matmul(e / e.sum(axis=-2, keepdims=True), value)


# named: never-scaled + over-queries-without-max
def my_attention(query, key, value):
    e = np.exp(query @ np.swapaxes(key, -2, -1))
    return e / e.sum(axis=-2, keepdims=True) @ value


# named: axis-0-without-max
def my_attention(query, key, value):
    e = np.exp(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]))
    return e / e.sum(0) @ value


# named: axis-1-without-max
def my_attention(query, key, value):
    e = np.exp(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]))
    return e / e.sum(1, keepdims=True) @ value


# named: over-everything-without-max
def my_attention(query, key, value):
    e = np.exp(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]))
    return e / e.sum() @ value


# named: divided-by-d_k + axis-0
# not told: subtract
def my_attention(query, key, value):
    return softmax(query @ np.swapaxes(key, -2, -1) / query.shape[-1], axis=0) @ value


# unnamed
# told: `key.transpose(-2, -1)`, here `np.swapaxes(key, -2, -1)`
# told: `dim=`, here `axis=`
def my_attention(query, key, value):
    d_k = query.shape[-1]
    scores = np.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    p_attn = softmax(scores, dim=-1)
    return np.matmul(p_attn, value), p_attn


# told: `query.size(-1)`, here `query.shape[-1]`
def my_attention(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.size(-1))
    return softmax(scores) @ value

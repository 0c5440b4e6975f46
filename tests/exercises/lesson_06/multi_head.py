"""What learners write in multi-head, and what the check is to say of it."""

import math
from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.multi_head import Projections, merge_heads, multi_head_attention, split_heads
from helpers.softmax import softmax


def by_helpers(x, w_q, w_k, w_v, w_o, n_heads):
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    return merge_heads(attention(queries, keys, values)[0]) @ w_o


def as_a_sum_over_heads(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    total = np.zeros(x.shape)
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        output, _ = attention(x @ w_q[:, run], x @ w_k[:, run], x @ w_v[:, run])
        total += output @ w_o[run]
    return total


def steps(
    project=lambda x, w: x @ w, split=split_heads, root=lambda q, x, h: np.sqrt(q.shape[-1]), share=softmax,
    merge=merge_heads, out=lambda merged, w_o: merged @ w_o,
):  # fmt: skip
    """The frame of an answer in five steps, with a learner's own step in one or two places."""

    def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
        queries, keys, values = (split(project(x, w), n_heads) for w in (w_q, w_k, w_v))
        scores = queries @ np.swapaxes(keys, -1, -2) / root(queries, x, n_heads)
        return out(merge(share(scores) @ values), w_o)

    return my_multi_head


def reshape_only_split(rows, n_heads):
    return rows.reshape(*rows.shape[:-2], n_heads, rows.shape[-2], -1)


def reshape_only_merge(heads):
    return heads.reshape(*heads.shape[:-3], heads.shape[-2], -1)


def naive_softmax(scores):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def softmax_with_the_largest_of_all(scores):
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def matched_by(match):
    def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
        queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
        weights = softmax(match(queries, keys) / np.sqrt(queries.shape[-1]))
        return merge_heads(weights @ values) @ w_o

    return my_multi_head


def projected_and_split(x, w_q, w_k, w_v, n_heads):
    return [split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)]


# right
my_multi_head = by_helpers


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = multi_head_attention(x, Projections(w_q, w_k, w_v, w_o), n_heads)
    return output


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    outputs = []
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        queries, keys, values = x @ w_q[:, run], x @ w_k[:, run], x @ w_v[:, run]
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(d_head)
        outputs.append(softmax(scores) @ values)
    return np.concatenate(outputs, axis=-1) @ w_o


my_multi_head = as_a_sum_over_heads


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    total = 0
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        _, weights = attention(x @ w_q[:, run], x @ w_k[:, run], x @ w_v[:, run])
        total = total + weights @ x @ (w_v[:, run] @ w_o[run])
    return total


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    def split(w):
        return np.einsum("...nm,mhd->...hnd", x, w.reshape(w.shape[0], n_heads, -1))

    queries, keys, values = split(w_q), split(w_k), split(w_v)
    scores = np.einsum("...id,...jd->...ij", queries, keys) / queries.shape[-1] ** 0.5
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    out = w_o.reshape(n_heads, -1, w_o.shape[-1])
    return np.einsum("...hij,...hjd,hdm->...im", weights, values, out)


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    if x.ndim > 2:
        return np.array([my_multi_head(part, w_q, w_k, w_v, w_o, n_heads) for part in x])
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    rows = []
    for i in range(len(x)):
        row = []
        for h in range(n_heads):
            scores = [queries[h, i] @ key / math.sqrt(len(key)) for key in keys[h]]
            powers = [math.exp(score - max(scores)) for score in scores]
            mixed = sum(power / sum(powers) * value for power, value in zip(powers, values[h], strict=True))
            row.extend(mixed)
        rows.append(row)
    return np.array(rows) @ w_o


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[-1] // n_heads
    queries = split_heads(x @ w_q / d_head**0.25, n_heads)
    keys = split_heads(x @ w_k * d_head**-0.25, n_heads)
    weights = softmax(queries @ keys.swapaxes(-1, -2))
    mixed = weights @ split_heads(x @ w_v, n_heads)
    return merge_heads(mixed) @ w_o


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    x, w_q, w_k, w_v, w_o = (array.astype(np.float32) for array in (x, w_q, w_k, w_v, w_o))
    return by_helpers(x, w_q, w_k, w_v, w_o, n_heads)


def my_multi_head(*inputs):
    return by_helpers(*inputs).tolist()


# named: one-reshape
my_multi_head = steps(split=reshape_only_split)

# named: merge-one-reshape
my_multi_head = steps(merge=reshape_only_merge)

# named: one-reshape + merge-one-reshape
my_multi_head = steps(split=reshape_only_split, merge=reshape_only_merge)

# named: root-d_model
my_multi_head = steps(root=lambda q, x, h: np.sqrt(x.shape[-1]))

# named: root-all-heads
my_multi_head = steps(root=lambda q, x, h: np.sqrt(q.shape[-1] * h))

# named: all-heads
my_multi_head = steps(root=lambda q, x, h: q.shape[-1] * h)

# named: d_model
my_multi_head = steps(root=lambda q, x, h: x.shape[-1])

# named: never-scaled
my_multi_head = steps(root=lambda q, x, h: 1)

# named: divided-by-d_k
my_multi_head = steps(root=lambda q, x, h: q.shape[-1])

# named: width-of-x
my_multi_head = steps(root=lambda q, x, h: np.sqrt(x.shape[-1] // h))


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    *stack, n, d_model = x.shape
    d_head = d_model // n_heads
    queries, keys, values = (
        (x @ w).reshape(*stack, n, n_heads, d_head).swapaxes(-3, -2) for w in (w_q, w_k, w_v)
    )
    output, _ = attention(queries, keys, values)
    return output.swapaxes(-3, -2).reshape(*stack, n, d_model) @ w_o


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(*(split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)))
    return output.swapaxes(-3, -2).reshape(x.shape) @ w_o


# named: root-n_heads
my_multi_head = steps(root=lambda q, x, h: np.sqrt(h))

# named: over-queries
my_multi_head = steps(share=lambda s: softmax(s, axis=-2))

# named: over-heads
my_multi_head = steps(share=lambda s: softmax(s, axis=-3))

# named: axis-1
my_multi_head = steps(share=lambda s: softmax(s, axis=1))

# named: axis-0
my_multi_head = steps(share=lambda s: softmax(s, axis=0))

# named: axis-2
my_multi_head = steps(share=lambda s: softmax(s, axis=2))

# named: no-row-max
my_multi_head = steps(share=naive_softmax)

# named: whole-max
my_multi_head = steps(share=softmax_with_the_largest_of_all)

# named: over-everything + no-row-max
my_multi_head = steps(share=lambda s: np.exp(s) / np.exp(s).sum())

# named: no-softmax
my_multi_head = steps(share=lambda s: s)

# named: one-head-wide
my_multi_head = steps(merge=lambda heads: heads.sum(axis=-3))
my_multi_head = steps(merge=lambda heads: heads.mean(axis=-3))


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(*(split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)))
    d_head = output.shape[-1]
    return sum(output[..., h, :, :] @ w_o[:, h * d_head : (h + 1) * d_head] for h in range(n_heads))


my_multi_head = steps(merge=lambda h: h.sum(axis=-3), out=lambda merged, w_o: merged)


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(*(split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)))
    return output @ w_o


# named: no-w_o
my_multi_head = steps(out=lambda merged, w_o: merged)

# named: matrices-transposed
my_multi_head = steps(out=lambda merged, w_o: merged @ w_o.T)
my_multi_head = steps(project=lambda x, w: x @ w.T)

# named: matrix-on-the-left
my_multi_head = steps(project=lambda x, w: w @ x)


# named: w_q-and-w_k-swapped
def my_multi_head(x, a, b, c, d, h):
    return by_helpers(x, b, a, c, d, h)


# named: w_k-and-w_v-swapped
def my_multi_head(x, a, b, c, d, h):
    return by_helpers(x, a, c, b, d, h)


# named: values-from-w_k
def my_multi_head(x, a, b, c, d, h):
    return by_helpers(x, a, b, b, d, h)


# named: w_q-twice
def my_multi_head(x, a, b, c, d, h):
    return by_helpers(x, a, a, c, d, h)


# named: one-matrix
def my_multi_head(x, a, b, c, d, h):
    return by_helpers(x, a, a, a, d, h)


# named: residual-added
def my_multi_head(x, a, b, c, d, h):
    return by_helpers(x, a, b, c, d, h) + x


# named: heads-attend-to-heads
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    def split(rows):
        return rows.reshape(*rows.shape[:-1], n_heads, -1)

    output, _ = attention(split(x @ w_q), split(x @ w_k), split(x @ w_v))
    return output.reshape(*output.shape[:-2], -1) @ w_o


# named: one-head
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(x @ w_q, x @ w_k, x @ w_v)
    return output @ w_o


def my_multi_head(x, a, b, c, d, h):
    return by_helpers(x, a, b, c, d, 1)


# named: fixed-heads
def my_multi_head(x, a, b, c, d, h):
    return by_helpers(x, a, b, c, d, 2)


# named: three-axes-only
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    batch, n, _ = x.shape
    queries, keys, values = (
        (x @ w).reshape(batch, n, n_heads, -1).transpose(0, 2, 1, 3) for w in (w_q, w_k, w_v)
    )
    output, _ = attention(queries, keys, values)
    return output.transpose(0, 2, 1, 3).reshape(batch, n, -1) @ w_o


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    n = x.shape[-2]
    queries, keys, values = (
        (x @ w).reshape(-1, n, n_heads, w.shape[-1] // n_heads).transpose(0, 2, 1, 3) for w in (w_q, w_k, w_v)
    )
    output, _ = attention(queries, keys, values)
    return output.transpose(0, 2, 1, 3).reshape(-1, n, w_v.shape[-1]) @ w_o


# named: one-matrix-only
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    n, _ = x.shape
    queries, keys, values = ((x @ w).reshape(n, n_heads, -1).transpose(1, 0, 2) for w in (w_q, w_k, w_v))
    output, _ = attention(queries, keys, values)
    return output.transpose(1, 0, 2).reshape(n, -1) @ w_o


# named: w_o-in-each-head
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(*(split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)))
    d_head = output.shape[-1]
    parts = [output[..., h, :, :] @ w_o[h * d_head : (h + 1) * d_head] for h in range(n_heads)]
    return np.concatenate(parts, axis=-1)


# named: heads-averaged
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    return as_a_sum_over_heads(x, w_q, w_k, w_v, w_o, n_heads) / n_heads


# named: one-head-only
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        output, _ = attention(x @ w_q[:, run], x @ w_k[:, run], x @ w_v[:, run])
        result = output @ w_o[run]
    return result


# named: sentences-joined
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    flat = x.reshape(-1, x.shape[-1])
    return by_helpers(flat, w_q, w_k, w_v, w_o, n_heads).reshape(x.shape)


# named: interleaved
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    merged = np.zeros((*x.shape[:-1], w_q.shape[-1]))
    for h in range(n_heads):
        merged[..., h::n_heads], _ = attention(
            x @ w_q[:, h::n_heads], x @ w_k[:, h::n_heads], x @ w_v[:, h::n_heads]
        )
    return merged @ w_o


# named: whole-numbers-kept
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    result = np.zeros_like(x)
    result[...] = by_helpers(x, w_q, w_k, w_v, w_o, n_heads)
    return result


# named: whole-width
my_multi_head = steps(split=lambda r, h: np.stack([r] * h, axis=-3))


# named: same-columns
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    queries, keys, values = (x @ w[:, :d_head] for w in (w_q, w_k, w_v))
    return np.concatenate([attention(queries, keys, values)[0] for _ in range(n_heads)], axis=-1) @ w_o


# named: weights-averaged
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    queries, keys = split_heads(x @ w_q, n_heads), split_heads(x @ w_k, n_heads)
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    return weights.mean(axis=-3) @ (x @ w_v) @ w_o


# named: split-before-projecting
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    heads = split_heads(x, n_heads)
    return merge_heads(attention(heads @ w_q, heads @ w_k, heads @ w_v)[0]) @ w_o


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = split_heads(x, n_heads), split_heads(x @ w_k, n_heads), split_heads(x @ w_v, n_heads)
    return merge_heads(attention(q, k, v)[0]) @ w_o


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = split_heads(x @ w_q, n_heads), split_heads(x, n_heads), split_heads(x @ w_v, n_heads)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return merge_heads(softmax(scores) @ v) @ w_o


# named: all-axes-reversed
my_multi_head = matched_by(lambda q, k: q @ k.T)

# named: not-transposed
my_multi_head = matched_by(lambda q, k: q @ k)

# named: n_heads
my_multi_head = steps(root=lambda q, x, h: h)

# named: root-d_model + no-row-max
my_multi_head = steps(root=lambda q, x, h: np.sqrt(x.shape[-1]), share=naive_softmax)

# named: never-scaled + merge-one-reshape
my_multi_head = steps(root=lambda q, x, h: 1, merge=reshape_only_merge)


# named: three-axes-as-in-pytorch
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    b, n, _ = x.shape
    h = [(x @ m).reshape(b, n, n_heads, -1).transpose(1, 2) for m in (w_q, w_k, w_v)]
    return attention(*h)[0].transpose(1, 2).reshape(b, n, -1) @ w_o


# named: counts-swapped
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    outputs = []
    for h in range(w_q.shape[1] // n_heads):
        s = slice(h * n_heads, (h + 1) * n_heads)
        outputs.append(attention(x @ w_q[:, s], x @ w_k[:, s], x @ w_v[:, s])[0])
    return np.concatenate(outputs, -1) @ w_o


# named: weights-twice
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    output, weights = attention(*projected_and_split(x, w_q, w_k, w_v, n_heads))
    return merge_heads(weights @ output) @ w_o


# named: weights-not-output
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    return attention(*projected_and_split(x, w_q, w_k, w_v, n_heads))[1]


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    return merge_heads(attention(*projected_and_split(x, w_q, w_k, w_v, n_heads))[1]) @ w_o


# unnamed
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    x -= 0.0
    result = by_helpers(x, w_q, w_k, w_v, w_o, n_heads)
    x[...] = 0
    return result


my_multi_head = steps(root=lambda q, x, h: np.sqrt(q.shape[-1] + 1))


def my_multi_head(x, a, b, c, d, h):
    return 2 * by_helpers(x, a, b, c, d, h)


# told: Every number here is 2 times what it should be.
def my_multi_head(*inputs):
    return 2 * by_helpers(*inputs)


# told: Halving w_o changes nothing
def my_multi_head(x, a, b, c, d, h):
    return by_helpers(x, a, b, c, c.T, h)


# told: Return the one that the task asks for, alone.
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    return multi_head_attention(x, Projections(w_q, w_k, w_v, w_o), n_heads)


# told: Take them apart first: output, weights = attention(...)
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    return merge_heads(attention(queries, keys, values)) @ w_o


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    both: Any = attention(queries, keys, values)
    return both.swapaxes(-3, -2).reshape(*x.shape[:-1], -1) @ w_o


# told: look first at softmax and what comes after it
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    y = x + by_helpers(x, w_q, w_k, w_v, w_o, n_heads)
    return (y - y.mean(-1, keepdims=True)) / y.std(-1, keepdims=True)


# told: from queries, keys, the split, scale and softmax
# told: Worth rereading: Lesson 06, "Splitting into heads"
my_multi_head = steps(root=lambda q, x, h: 1.5)

# told: look first at softmax and what comes after it, the values, merging and W_O
my_multi_head = steps(merge=lambda h: np.roll(merge_heads(h), 1, -1))


# unnamed
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    return np.squeeze(merge_heads(attention(q, k, v)[0]) @ w_o)


# named: width-of-x
def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    d = x.shape[-1] // n_heads
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    outs = []
    for h in range(n_heads):
        s = slice(h * d, (h + 1) * d)
        outs.append(attention(q[..., s], k[..., s], v[..., s])[0])
    return np.concatenate(outs, axis=-1) @ w_o


def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = x.shape[-1] // n_heads
    outs = []
    for h in range(n_heads):
        s = slice(h * d_head, (h + 1) * d_head)
        out, _ = attention(x @ w_q[:, s], x @ w_k[:, s], x @ w_v[:, s])
        outs.append(out)
    return np.concatenate(outs, axis=-1) @ w_o[: n_heads * d_head]

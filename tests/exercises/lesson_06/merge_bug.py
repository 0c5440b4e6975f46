"""What learners write in merge-bug, and what the check is to say of it."""

import numpy as np

from helpers.multi_head import merge_heads


# right
def my_merge_heads(heads):
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


def my_merge_heads(heads):
    if heads.ndim == 3:
        return np.hstack(list(heads))
    return np.array([my_merge_heads(part) for part in heads])


def my_merge_heads(heads):
    *stack, n_heads, n, d_head = heads.shape
    rows = np.empty((*stack, n, n_heads * d_head))
    for i in range(n):
        for h in range(n_heads):
            rows[..., i, h * d_head : (h + 1) * d_head] = heads[..., h, i, :]
    return rows


def my_merge_heads(heads):
    *stack, n_heads, n, d_head = heads.shape
    return heads.swapaxes(-1, -2).reshape(*stack, n_heads * d_head, n).swapaxes(-1, -2)


def my_merge_heads(h):
    return np.moveaxis(h, -3, -2).reshape(*h.shape[:-3], h.shape[-2], -1)


def my_merge_heads(h):
    return np.einsum("...hnd->...nhd", h).reshape(*h.shape[:-3], h.shape[-2], -1)


def my_merge_heads(h):
    return merge_heads(h).tolist()


def my_merge_heads(h):
    return np.concatenate(np.split(h, h.shape[-3], axis=-3), axis=-1)[..., 0, :, :]


def my_merge_heads(h):
    return np.concatenate(list(np.moveaxis(h, -3, 0)), axis=-1)


# named: merge-one-reshape
def my_merge_heads(h):
    return h.reshape(*h.shape[:-3], h.shape[-2], -1)


def my_merge_heads(heads):
    *stack, n_heads, n, d_head = heads.shape
    np.swapaxes(heads, -3, -2)
    return heads.reshape(*stack, n, n_heads * d_head)


# named: merge-one-reshape + one-matrix-only
def my_merge_heads(heads):
    n_heads, n, d_head = heads.shape
    return heads.reshape(n, n_heads * d_head)


# named: one-matrix-only
def my_merge_heads(heads):
    n_heads, n, d_head = heads.shape
    return heads.transpose(1, 0, 2).reshape(n, n_heads * d_head)


# named: swapped-in-front-of-a-batch
def my_merge_heads(heads):
    batch, n_heads, n, d_head = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, n, n_heads * d_head)


def my_merge_heads(h):
    return h.transpose(0, 2, 1, 3).reshape(h.shape[0], h.shape[2], -1)


def my_merge_heads(h):
    return np.concatenate([h[:, i] for i in range(h.shape[1])], axis=-1)


# named: merge-wrong-two-swapped
def my_merge_heads(heads):
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads, -2, -1).reshape(*stack, n, n_heads * d_head)


# named: swap-after-reshape
def my_merge_heads(heads):
    *stack, n_heads, n, d_head = heads.shape
    return heads.reshape(*stack, n_heads * d_head, n).swapaxes(-1, -2)


# named: swapped-in-front
def my_merge_heads(heads):
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads, 0, 1).reshape(*stack, n, n_heads * d_head)


# named: merge-interleaved
def my_merge_heads(heads):
    *stack, n_heads, n, d_head = heads.shape
    return np.moveaxis(heads, -3, -1).reshape(*stack, n, n_heads * d_head)


# named: not-reshaped
def my_merge_heads(h):
    return np.swapaxes(h, -3, -2)


def my_merge_heads(h):
    return np.moveaxis(h, -2, -3)


# named: summed
def my_merge_heads(h):
    return h.sum(axis=-3)


def my_merge_heads(h):
    return h.sum(axis=0)


def my_merge_heads(heads):
    total = 0
    for h in range(heads.shape[-3]):
        total = total + heads[..., h, :, :]
    return total


# named: averaged
def my_merge_heads(h):
    return h.mean(axis=-3)


def my_merge_heads(h):
    return h.mean(0)


# named: largest
def my_merge_heads(h):
    return np.max(h, axis=-3)


# named: sentences-side-by-side
def my_merge_heads(h):
    return np.concatenate(h, axis=-1)


def my_merge_heads(h):
    return np.hstack(h)


# named: one-below-the-other
def my_merge_heads(h):
    return np.concatenate(h)


def my_merge_heads(h):
    return h.reshape(*h.shape[:-3], -1, h.shape[-1])


# named: all-axes-reversed
def my_merge_heads(heads):
    *stack, n_heads, n, d_head = heads.shape
    return heads.T.reshape(*stack, n, n_heads * d_head)


# named: columns
def my_merge_heads(h):
    return np.swapaxes(merge_heads(h), -1, -2)


# named: sentences-joined
def my_merge_heads(heads):
    return np.swapaxes(heads, -3, -2).reshape(-1, heads.shape[-3] * heads.shape[-1])


# named: sentences-in-one-row
def my_merge_heads(heads):
    return np.swapaxes(heads, -3, -2).reshape(heads.shape[-2], -1)


# named: first-head-only
def my_merge_heads(h):
    return h[..., 0, :, :]


# named: last-head-only
def my_merge_heads(heads):
    for h in range(heads.shape[-3]):
        merged = heads[..., h, :, :]
    return merged


# named: heads-backwards
def my_merge_heads(heads):
    merged = heads[..., 0, :, :]
    for h in range(1, heads.shape[-3]):
        merged = np.concatenate([heads[..., h, :, :], merged], axis=-1)
    return merged


# named: unchanged
def my_merge_heads(h):
    return h


# named: rows-not-tokens
def my_merge_heads(h):
    return np.swapaxes(h, -3, -2).reshape(*h.shape[:-2], -1)


def my_merge_heads(h):
    return np.swapaxes(h, -3, -2).reshape(h.shape[0], -1)


# named: two-axes-transposed
def my_merge_heads(h):
    return h.transpose(-2, -3).reshape(*h.shape[:-2], -1)


# named: batch-of-heads-transposed
def my_merge_heads(heads):
    b, h, n, d = heads.shape
    return heads.transpose(1, 2).reshape(b, n, h * d)


# named: always-three-axes
def my_merge_heads(heads):
    h, n, d = heads.shape[-3:]
    return heads.swapaxes(-3, -2).reshape(-1, n, h * d)


# unnamed
def my_merge_heads(heads):
    return np.concatenate([heads[..., 0, :, :], heads[..., 1, :, :]], axis=-1)


def my_merge_heads(h):
    return np.round(merge_heads(h))


# told: Every number should come out once, unchanged
def my_merge_heads(heads):
    return merge_heads(heads) + 1e-3


# told: go on with head 1's numbers
def my_merge_heads(h):
    return np.concatenate([h[..., 0, :, :], *np.moveaxis(h[..., :0:-1, :, :], -3, 0)], axis=-1)


# told: start with what head 0 has of token 0
def my_merge_heads(h):
    return np.roll(merge_heads(h), 1, axis=-1)


# unnamed
def my_merge_heads(heads):
    *stack, h, n, d = heads.shape
    return np.squeeze(np.swapaxes(heads, -3, -2).reshape(*stack, n, h * d))


def my_merge_heads(heads):
    h = heads.shape[-3]
    return np.concatenate([heads[..., i, :, :] for i in range(max(h, 2))], axis=-1)


# named: one-matrix-only
# told: written for exactly three axes
# told: −1, −2 and −3
# not told: one matrix
# not told: loop
def my_merge_heads(heads):
    n_heads, n, d_head = heads.shape
    return heads.swapaxes(0, 1).reshape(n, n_heads * d_head)

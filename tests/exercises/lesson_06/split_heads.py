"""What learners write in split-heads, and what the check is to say of it."""

import numpy as np

from helpers.multi_head import split_heads


def split_in_a_loop(rows, n_heads):
    d_head = rows.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        heads.append(rows[..., h * d_head : (h + 1) * d_head])
    return np.stack(heads, axis=-3)


# right
my_split_heads = split_in_a_loop


def my_split_heads(rows, n_heads):
    *stack, n, width = rows.shape
    d_head = width // n_heads
    heads = np.zeros((*stack, n_heads, n, d_head))
    for h in range(n_heads):
        for column in range(d_head):
            heads[..., h, :, column] = rows[..., h * d_head + column]
    return heads


def my_split_heads(rows, n_heads):
    if rows.ndim > 2:
        return [my_split_heads(part, n_heads) for part in rows]
    return np.split(rows, n_heads, axis=1)


def my_split_heads(rows, n_heads):
    axes = list(range(rows.ndim + 1))
    axes[-3], axes[-2] = axes[-2], axes[-3]
    return rows.reshape((*rows.shape[:-1], n_heads, -1)).transpose(axes)


def my_split_heads(r, h):
    return np.stack(np.split(r, h, axis=-1), axis=-3)


def my_split_heads(r, h):
    return np.concatenate(np.split(r[..., None, :, :], h, axis=-1), axis=-3)


def my_split_heads(r, h):
    return np.moveaxis(r.reshape(*r.shape[:-1], h, r.shape[-1] // h), -2, -3)


def my_split_heads(r, h):
    return np.einsum("...nhd->...hnd", r.reshape(*r.shape[:-1], h, -1))


def my_split_heads(r, h):
    return r.swapaxes(-1, -2).reshape(*r.shape[:-2], h, -1, r.shape[-2]).swapaxes(-1, -2)


def my_split_heads(r, h):
    return np.asarray(split_heads(r, h), dtype=np.float32)


# named: one-reshape
def my_split_heads(r, h):
    return r.reshape(*r.shape[:-2], h, r.shape[-2], -1)


def my_split_heads(r, h):
    return np.reshape(r, (*r.shape[:-2], h, r.shape[-2], r.shape[-1] // h))


def my_split_heads(r, h):
    return r.reshape(h, len(r), -1)


def my_split_heads(r, h):
    return r.reshape(h, r.shape[-2], -1)


def my_split_heads(r, h):
    return r.reshape(h, -1, r.shape[-1] // h)


# named: interleaved
def my_split_heads(rows, n_heads):
    return np.stack([rows[..., h::n_heads] for h in range(n_heads)], axis=-3)


def my_split_heads(r, h):
    return np.moveaxis(r.reshape(*r.shape[:-1], -1, h), -1, -3)


# named: not-swapped
def my_split_heads(r, h):
    return r.reshape(*r.shape[:-1], h, -1)


def my_split_heads(r, h):
    return np.stack(np.split(r, h, -1), axis=-2)


# named: wrong-two-swapped
def my_split_heads(r, h):
    return r.reshape(*r.shape[:-1], h, -1).swapaxes(-1, -2)


# named: heads-turned
def my_split_heads(r, h):
    return np.swapaxes(split_in_a_loop(r, h), -1, -2)


# named: swapped-in-front
def my_split_heads(rows, n_heads):
    return rows.reshape(*rows.shape[:-1], n_heads, -1).swapaxes(0, 1)


# named: one-matrix-only
def my_split_heads(rows, n_heads):
    n, width = rows.shape
    return rows.reshape(n, n_heads, width // n_heads).transpose(1, 0, 2)


# named: one-reshape + one-matrix-only
def my_split_heads(rows, n_heads):
    n, width = rows.shape
    return rows.reshape(n_heads, n, width // n_heads)


# named: three-axes-only
def my_split_heads(rows, n_heads):
    batch, n, width = rows.shape
    return rows.reshape(batch, n, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def my_split_heads(r, h):
    return r.reshape(*r.shape[:-1], h, -1).transpose(0, 2, 1, 3)


def my_split_heads(r, h):
    return r.reshape(*r.shape[:-1], h, -1).swapaxes(1, 2)


def my_split_heads(r, h):
    return r.reshape(*r.shape[:2], h, -1).transpose(0, 2, 1, 3)


def my_split_heads(rows, n_heads):
    if rows.ndim == 2:
        rows = rows[None]
    b, n, _ = rows.shape
    return rows.reshape(b, n, n_heads, -1).transpose(0, 2, 1, 3)


# named: heads-in-front
def my_split_heads(r, h):
    return np.split(r, h, axis=-1)


def my_split_heads(r, h):
    return np.array(list(np.split(r, h, axis=-1)))


# named: sentences-joined
def my_split_heads(rows, n_heads):
    table = rows.reshape(-1, n_heads, rows.shape[-1] // n_heads)
    return table.transpose(1, 0, 2)


# named: whole-width
def my_split_heads(r, h):
    return np.repeat(r[..., None, :, :], h, axis=-3)


# named: counts-swapped
def my_split_heads(r, h):
    return r.reshape(*r.shape[:-1], -1, h).swapaxes(-3, -2)


# named: turned-first
def my_split_heads(r, h):
    return r.swapaxes(-1, -2).reshape(*r.shape[:-2], h, r.shape[-2], -1)


# named: fixed-heads
def my_split_heads(r, h):
    return split_heads(r, 2)


# named: all-axes-reversed
def my_split_heads(r, h):
    return r.reshape(*r.shape[:-1], h, -1).T


# named: tokens-cut
def my_split_heads(r, h):
    return np.array(np.split(r, h))


def my_split_heads(rows, n_heads):
    return np.stack(np.array_split(rows, n_heads, axis=-2), axis=-3)


# named: first-head-only
def my_split_heads(rows, n_heads):
    d_head = rows.shape[-1] // n_heads
    for h in range(n_heads):
        return rows[..., h * d_head : (h + 1) * d_head]
    return None


# named: last-head-only
def my_split_heads(rows, n_heads):
    d_head = rows.shape[-1] // n_heads
    for h in range(n_heads):
        head = rows[..., h * d_head : (h + 1) * d_head]
    return head


# named: overlapping
def my_split_heads(rows, n_heads):
    d_head = rows.shape[-1] // n_heads
    return np.stack([rows[..., h : h + d_head] for h in range(n_heads)], axis=-3)


# named: heads-backwards
def my_split_heads(r, h):
    return split_heads(r, h)[..., ::-1, :, :]


# named: unchanged
def my_split_heads(r, h):
    return r


# named: first-axis-as-tokens
def my_split_heads(r, h):
    return r.reshape(r.shape[0], h, -1).transpose(1, 0, 2)


# named: two-axes-transposed
def my_split_heads(r, h):
    return r.reshape(*r.shape[:-1], h, -1).transpose(-2, -3)


# named: three-axes-as-in-pytorch
def my_split_heads(rows, n_heads):
    b, n, d = rows.shape
    return rows.view(b, n, n_heads, d // n_heads).transpose(1, 2)


def my_split_heads(rows, n_heads):
    b, n, d = rows.shape
    return rows.reshape(b, n, n_heads, d // n_heads).permute(0, 2, 1, 3)


def my_split_heads(rows, n_heads):
    b, n, d = rows.shape
    return rows.reshape(b, n, n_heads, d // n_heads).transpose(1, 2)


# named: interleaved-not-swapped
def my_split_heads(rows, n_heads):
    *s, n, d = rows.shape
    return np.swapaxes(rows.reshape(*s, n, d // n_heads, n_heads), -1, -2)


# named: heads-last
def my_split_heads(rows, n_heads):
    *s, n, d = rows.shape
    return rows.reshape(*s, n, d // n_heads, n_heads)


# named: one-below-the-other
def my_split_heads(rows, n_heads):
    return np.concatenate(np.split(rows, n_heads, axis=-1), axis=-2)


# unnamed
def my_split_heads(rows, n_heads):
    size = rows.shape[-2] // n_heads
    return np.stack([rows[..., h * size : (h + 1) * size, :] for h in range(n_heads)], axis=-3)


def my_split_heads(rows, n_heads):
    rows += 0.5
    return split_heads(rows, n_heads) - 0.5


def my_split_heads(rows, n_heads):
    d_head = rows.shape[1] // n_heads
    return [rows[:, h * d_head : (h + 1) * d_head] for h in range(n_heads)]


# told: Every number should come out once, unchanged
def my_split_heads(r, h):
    return split_heads(r, h) + 1


# told: NumPy's `view` is not PyTorch's
def my_split_heads(rows, n_heads):
    *s, n, d = rows.shape
    return rows.view(*s, n, n_heads, d // n_heads).swapaxes(-3, -2)


# told: `//` gives a whole number, which places in an array need
def my_split_heads(rows, n_heads):
    d_head = rows.shape[-1] / n_heads
    return np.stack([rows[..., h * d_head : (h + 1) * d_head] for h in range(n_heads)], axis=-3)


# told: `//` gives a whole number, which shapes and range() need
def my_split_heads(rows, n_heads):
    d_head = rows.shape[-1] / n_heads
    return rows.reshape(*rows.shape[:-1], n_heads, d_head).swapaxes(-3, -2)


# told: `permute` is PyTorch's word
def my_split_heads(rows, n_heads):
    *s, n, d = rows.shape
    return rows.reshape(*s, n, n_heads, d // n_heads).permute(1, 0, 2)


# told: the first d_head numbers of token 0
def my_split_heads(r, h):
    return np.roll(split_heads(r, h), 1, axis=-2)


# unnamed
def my_split_heads(rows, n_heads):
    *stack, n, width = rows.shape
    return np.squeeze(np.swapaxes(rows.reshape(*stack, n, n_heads, width // n_heads), -3, -2))


def my_split_heads(rows, n_heads):
    return np.stack(np.split(rows, n_heads, axis=-1), axis=-3).squeeze()


# named: last-column-lost
def my_split_heads(rows, n_heads):
    d = rows.shape[-1] // n_heads
    return np.stack([rows[..., h * d : h * d + d - 1] for h in range(n_heads)], axis=-3)


# named: fixed-width
def my_split_heads(rows, n_heads):
    d_head = 4
    *stack, n, width = rows.shape
    return rows.reshape(*stack, n, n_heads, d_head).swapaxes(-2, -3)


def my_split_heads(rows, n_heads):
    *stack, n, _ = rows.shape
    return rows.reshape(*stack, n, -1, 2).swapaxes(-2, -3)


def my_split_heads(rows, n_heads):
    return np.stack([rows[..., 3 * h : 3 * h + 3] for h in range(n_heads)], axis=-3)


# named: one-matrix-only
# told: count axes from the end
def my_split_heads(rows, n_heads):
    n, width = rows.shape
    return rows.reshape(n, n_heads, width // n_heads).swapaxes(0, 1)

"""What learners write in head-off, and what the check is to say of it."""

import numpy as np


# right
def my_output_without(mixed, w_o, head):
    changed = mixed.copy()
    changed[head] = 0
    n_heads, n, d_head = mixed.shape
    return changed.swapaxes(0, 1).reshape(n, n_heads * d_head) @ w_o


def my_output_without(mixed, w_o, head):
    d_head = mixed.shape[-1]
    each = [rows @ w_o[i * d_head : (i + 1) * d_head] for i, rows in enumerate(mixed)]
    return sum(each) - each[head]


def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    rows = mixed.swapaxes(0, 1).reshape(n, n_heads * d_head).copy()
    rows[:, head * d_head : (head + 1) * d_head] = 0
    return rows @ w_o


# named: one-before
# not told: Start from
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    changed = np.concatenate([mixed, mixed[:1] * 0])
    changed[head - 1] = 0
    return changed[:n_heads].swapaxes(0, 1).reshape(n, n_heads * d_head) @ w_o


# named: all-but-this
def my_output_without(mixed, w_o, head):
    d_head = mixed.shape[-1]
    return mixed[head] @ w_o[head * d_head : (head + 1) * d_head]


# named: none-off
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    return mixed.swapaxes(0, 1).reshape(n, n_heads * d_head) @ w_o


# named: not-swapped
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    owner = np.arange(n_heads * d_head) // d_head
    return np.where(owner == head, 0, mixed.reshape(n, -1)) @ w_o


# named: place-in-the-head
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    rows = mixed.swapaxes(0, 1).reshape(n, n_heads * d_head)
    owner = np.arange(n_heads * d_head) % d_head
    return np.where(owner == head, 0, rows) @ w_o


# named: output-columns
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    output = mixed.swapaxes(0, 1).reshape(n, n_heads * d_head) @ w_o
    output[:, head * d_head : (head + 1) * d_head] = 0
    return output


# unnamed
def my_output_without(mixed, w_o, head):
    return np.full((mixed.shape[1], w_o.shape[1]), 99.0)


# named: not-swapped
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    off = np.where(np.arange(n_heads)[:, None, None] == head, 0, mixed)
    return off.reshape(n, n_heads * d_head) @ w_o


# named: heads-moved-up
def my_output_without(mixed, w_o, head):
    kept = np.delete(mixed, head, axis=0)
    n_heads, n, d_head = kept.shape
    return kept.swapaxes(0, 1).reshape(n, n_heads * d_head) @ w_o[: n_heads * d_head]


# named: others-raised
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    kept = mixed * (np.arange(n_heads) != head)[:, None, None]
    if n_heads > 1:
        kept = kept * n_heads / (n_heads - 1)
    return kept.swapaxes(0, 1).reshape(n, -1) @ w_o


# named: token-off
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    rows = mixed.swapaxes(0, 1).reshape(n, n_heads * d_head)
    keep = np.arange(n) != head
    return (rows * keep[:, None]) @ w_o


# named: one-before + columns-dealt-out
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    rows = mixed.transpose(1, 2, 0).reshape(n, n_heads * d_head)
    owner = np.arange(n_heads * d_head) // d_head
    return np.where(owner == head - 1, 0, rows) @ w_o


# named: heads-moved-up
def my_output_without(mixed, w_o, head):
    n_heads, n, d = mixed.shape
    kept = np.delete(mixed, head, axis=0).swapaxes(0, 1).reshape(n, -1)
    return kept @ w_o[d:] if n_heads > 1 else np.zeros((n, w_o.shape[1]))


# named: last-column-left-on
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    rows = mixed.swapaxes(0, 1).reshape(n, -1).copy()
    rows[:, head * d_head : (head + 1) * d_head - 1] = 0
    return rows @ w_o


# named: rows-dealt-out
def my_output_without(mixed, w_o, head):
    n_heads, n, d_head = mixed.shape
    parts = w_o.reshape(d_head, n_heads, -1).swapaxes(0, 1)
    keep = np.arange(n_heads) != head
    return np.einsum("hnd,hdm->nm", mixed[keep], parts[keep])

"""What learners write in batch-sum-bug, and what the check is to say of it."""

import numpy as np


# right
def my_project_backward(d_projected, rows, w):
    d_w = rows.reshape(-1, rows.shape[-1]).T @ d_projected.reshape(-1, d_projected.shape[-1])
    return d_projected @ w.T, d_w


def my_project_backward(d_projected, rows, w):
    d_w = np.tensordot(rows, d_projected, (list(range(rows.ndim - 1)), list(range(rows.ndim - 1))))
    return d_projected @ w.T, d_w


# named: batch-kept
def my_project_backward(d_projected, rows, w):
    return d_projected @ w.T, rows.swapaxes(-1, -2) @ d_projected


# named: first-axis-only
def my_project_backward(d_projected, rows, w):
    return d_projected @ w.T, (rows.swapaxes(-1, -2) @ d_projected).sum(axis=0)


# named: mean-over-batch
def my_project_backward(d_projected, rows, w):
    each = rows.swapaxes(-1, -2) @ d_projected
    return d_projected @ w.T, each.mean(axis=tuple(range(each.ndim - 2)))


# named: over-tokens-too
def my_project_backward(d_projected, rows, w):
    return d_projected @ w.T, (rows.swapaxes(-1, -2) @ d_projected).sum()


# named: w-turned
def my_project_backward(d_projected, rows, w):
    d_w = d_projected.reshape(-1, d_projected.shape[-1]).T @ rows.reshape(-1, rows.shape[-1])
    return d_projected @ w.T, d_w


# named: results-swapped
def my_project_backward(d_projected, rows, w):
    d_w = rows.reshape(-1, rows.shape[-1]).T @ d_projected.reshape(-1, d_projected.shape[-1])
    return d_w, d_projected @ w.T

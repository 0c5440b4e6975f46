"""What learners write in torch-weights, and what the check is to say of it."""

import torch
from torch import nn


# right
def my_projections(in_proj_weight):
    w_q, w_k, w_v = in_proj_weight.chunk(3)
    return w_q.T, w_k.T, w_v.T


def my_projections(in_proj_weight):
    d = in_proj_weight.shape[1]
    return in_proj_weight[:d].t(), in_proj_weight[d : 2 * d].t(), in_proj_weight[2 * d :].t()


def my_projections(in_proj_weight):
    return in_proj_weight.T.chunk(3, dim=-1)


def my_projections(in_proj_weight):
    d = in_proj_weight.shape[-1]
    return in_proj_weight.view(3, d, d).transpose(1, 2)


def my_projections(in_proj_weight):
    d = in_proj_weight.shape[-1]
    return [w.T.contiguous() for w in torch.split(in_proj_weight, d)]


def my_projections(in_proj_weight):
    return tuple(torch.hsplit(in_proj_weight.T, 3))


def my_projections(in_proj_weight):
    import numpy as np

    return tuple(np.split(in_proj_weight.numpy().T, 3, axis=1))


def my_projections(in_proj_weight):
    d = in_proj_weight.shape[-1]
    return in_proj_weight.unflatten(0, (3, d)).mT.unbind(0)


def my_projections(in_proj_weight):
    d = in_proj_weight.shape[-1]
    w = nn.Parameter(in_proj_weight)
    return w[0:d, :].permute(1, 0), w[d:-d, :].permute(1, 0), w[-d:, :].permute(1, 0)


# named: not-transposed
def my_projections(in_proj_weight):
    return in_proj_weight.chunk(3)


def my_projections(in_proj_weight):
    d = in_proj_weight.shape[-1]
    l = nn.Linear(d, 3 * d)
    l.weight = nn.Parameter(in_proj_weight)
    return l.weight.chunk(3)


def my_projections(in_proj_weight):
    d = in_proj_weight.shape[-1]
    return in_proj_weight.view(3, d, d)


# named: cut-by-columns
def my_projections(in_proj_weight):
    return in_proj_weight.chunk(3, dim=1)


def my_projections(in_proj_weight):
    return [w.T for w in in_proj_weight.chunk(3, dim=1)]


def my_projections(in_proj_weight):
    return in_proj_weight.T.chunk(3)


# named: other-order
def my_projections(in_proj_weight):
    k, q, v = in_proj_weight.chunk(3)
    return q.T, k.T, v.T


def my_projections(in_proj_weight):
    a, b, c = in_proj_weight.chunk(3)
    return c.T, b.T, a.T


# named: every-third-row
def my_projections(in_proj_weight):
    d = in_proj_weight.shape[-1]
    w = in_proj_weight.view(d, 3, d)
    return w[:, 0].T, w[:, 1].T, w[:, 2].T


# named: some-not-transposed
def my_projections(in_proj_weight):
    q, k, v = in_proj_weight.chunk(3)
    return q.T, k, v


# named: shared-rows
def my_projections(in_proj_weight):
    n = in_proj_weight.shape[0]
    return in_proj_weight[0 : n // 3].T, in_proj_weight[n // 3 : n].T, in_proj_weight[n // 3 * 2 : n].T


# named: one-taken-twice
def my_projections(in_proj_weight):
    q, k, v = in_proj_weight.chunk(3)
    return q.T, q.T, v.T


# named: reshaped-after-turning
def my_projections(in_proj_weight):
    d = in_proj_weight.shape[1]
    return tuple(in_proj_weight.T.reshape(3, d, d))


# told: Right only on: d_model 3
def my_projections(in_proj_weight):
    return [w.T for w in in_proj_weight.split(3)]


# told: The shape of w_q should be (2, 2); yours is (2, 1)
def my_projections(in_proj_weight):
    d = in_proj_weight.shape[-1]
    return in_proj_weight[: d - 1].T, in_proj_weight[d : 2 * d - 1].T, in_proj_weight[2 * d :].T


# told: a tuple of 2 things
def my_projections(in_proj_weight):
    q, k, v = in_proj_weight.chunk(3)
    return q.T, k.T


# breaks: input left unchanged
# told: axes of in_proj_weight
def my_projections(in_proj_weight):
    in_proj_weight.t_()
    return in_proj_weight.chunk(3, dim=1)


# told: one tensor alone, but the task asks for 3: w_q, w_k, w_v
def my_projections(in_proj_weight):
    return in_proj_weight.T


# told: wrong numbers on 6 of 6 inputs
def my_projections(in_proj_weight):
    return [torch.linalg.inv(w) for w in in_proj_weight.chunk(3)]


# unnamed
def my_projections(in_proj_weight):
    return [w.squeeze().T for w in in_proj_weight.chunk(3)]


# named: not-transposed + other-order
def my_projections(in_proj_weight):
    d = in_proj_weight.shape[0] // 3
    v = in_proj_weight[:d]
    k = in_proj_weight[d : 2 * d]
    q = in_proj_weight[2 * d :]
    return q, k, v


# named: turned-before-the-cut
def my_projections(in_proj_weight):
    d = in_proj_weight.shape[1]
    w = in_proj_weight.T
    return w[:d], w[d : 2 * d], w[2 * d :]

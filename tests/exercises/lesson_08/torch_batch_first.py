"""What learners write in torch-batch-first, and what the check is to say of it."""

import math

import torch
from torch import nn


# right
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x, average_attn_weights=False)[1]


def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    x = x.transpose(0, 1)
    _, weights = layer(x, x, x, average_attn_weights=False)
    return weights


def my_head_maps(x, in_proj_weight, n_heads):
    q, k, _ = (x @ in_proj_weight.T).chunk(3, dim=-1)
    q, k = (t.unflatten(-1, (n_heads, -1)).transpose(1, 2) for t in (q, k))
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)


def my_head_maps(x, in_proj_weight, n_heads):
    from helpers.pytorch.weights import from_torch

    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return from_torch(layer).with_weights(x)[1]


def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    layer.batch_first = True
    layer.eval()
    return layer(x, x, x, need_weights=True, average_attn_weights=False)[1]


def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.load_state_dict({"in_proj_weight": in_proj_weight, "out_proj.weight": torch.eye(x.shape[-1])})
    return torch.stack([layer(s, s, s, average_attn_weights=False)[1] for s in x])


# named: averaged
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x)[1]


def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return torch.stack([layer(s, s, s)[1] for s in x])


# named: batch-attended
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x, average_attn_weights=False)[1]


def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    x = x.transpose(0, 1)
    return layer(x, x, x, average_attn_weights=False)[1]


# named: mean-repeated
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    w = layer(x, x, x)[1]
    return w[:, None].repeat(1, n_heads, 1, 1)


# named: reshaped-into-place
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    b, n, d = x.shape
    x = x.reshape(n, b, d)
    return layer(x, x, x, average_attn_weights=False)[1]


# named: heads-first
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    x = x.transpose(0, 1)
    return layer(x, x, x, average_attn_weights=False)[1].transpose(0, 1)


# named: not-transposed
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(torch.cat([w.T for w in in_proj_weight.chunk(3)]))
    return layer(x, x, x, average_attn_weights=False)[1]


# named: root-d_model
def my_head_maps(x, in_proj_weight, n_heads):
    q, k, _ = (x @ in_proj_weight.T).chunk(3, -1)
    q, k = (t.unflatten(-1, (n_heads, -1)).transpose(1, 2) for t in (q, k))
    return (q @ k.mT / math.sqrt(x.shape[-1])).softmax(-1)


# named: over-queries
def my_head_maps(x, in_proj_weight, n_heads):
    q, k, _ = (x @ in_proj_weight.T).chunk(3, -1)
    q, k = (t.unflatten(-1, (n_heads, -1)).transpose(1, 2) for t in (q, k))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.softmax(-2)


# named: over-heads
def my_head_maps(x, in_proj_weight, n_heads):
    q, k, _ = (x @ in_proj_weight.T).chunk(3, -1)
    q, k = (t.unflatten(-1, (n_heads, -1)).transpose(1, 2) for t in (q, k))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.softmax(1)


# told: With need_weights=False nn.MultiheadAttention gives None for the weights. If you did not
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x, need_weights=False)[1]


# told: belongs to the call of the layer
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(
        x.shape[-1], n_heads, bias=False, batch_first=True, average_attn_weights=False
    )
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x)[1]


# told: belongs to the making of the layer
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x, batch_first=True)[1]


# told: each should sum to 1
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, dropout=0.1, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x, average_attn_weights=False)[1]


# told: the one that is given is not used
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    return layer(x, x, x, average_attn_weights=False)[1]


# told: yours is (2, 1, 3, 3)
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], 1, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x, average_attn_weights=False)[1]


# told: yours is (2, 2, 3, 2)
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    w = layer(x, x, x, average_attn_weights=False)[1]
    return w.transpose(0, 2)


# told: yours is (2, 3, 3)
def my_head_maps(x, in_proj_weight, n_heads):
    q, k, _ = (x @ in_proj_weight.T).chunk(3, -1)
    return (q @ k.mT / math.sqrt(q.shape[-1] // n_heads)).softmax(-1)


def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x, average_attn_weights=False)[1].mean(0)


# named: output-returned
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x, average_attn_weights=False)[0]


# unnamed
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x, average_attn_weights=False)[1].squeeze()


# named: one-not-transposed + never-scaled
def my_head_maps(x, in_proj_weight, n_heads):
    B, n, d_model = x.shape
    wq, wk, wv = in_proj_weight.chunk(3, dim=0)
    q = x @ wq
    k = x @ wk.T
    q = q.reshape(B, n, n_heads, -1).transpose(1, 2)
    k = k.reshape(B, n, n_heads, -1).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / 1
    return torch.softmax(scores, dim=-1)


# named: output-returned
def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    output, _ = layer(x, x, x, average_attn_weights=False)
    return output


def my_head_maps(x, in_proj_weight, n_heads):
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    return layer(x, x, x)[0]

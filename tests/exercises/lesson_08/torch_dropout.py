"""What learners write in torch-dropout, and what the check is to say of it."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from helpers.pytorch.attention import fused_attention


# right
def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=share if training else 0.0)


def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    return F.dropout(w, share, training) @ values


def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training and share > 0:
        kept = torch.rand(w.shape) >= share
        w = w * kept / (1 - share)
    return w @ values


def my_dropped_attention(queries, keys, values, share, training):
    drop = nn.Dropout(share)
    drop.train(training)
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    return drop(w) @ values


def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=share * training)


def my_dropped_attention(queries, keys, values, share, training):
    return fused_attention(queries, keys, values, dropout=share if training else 0.0)


def my_dropped_attention(queries, keys, values, share, training):
    g = torch.Generator().manual_seed(int(torch.randint(10**6, ())))
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        w = w * torch.bernoulli(torch.full_like(w, 1 - share), generator=g) / (1 - share)
    return w @ values


def my_dropped_attention(queries, keys, values, share, training):
    import numpy as np

    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1).numpy()
    if training:
        dice = np.random.default_rng(int(torch.randint(10**6, ())))
        w = w * (dice.random(w.shape) >= share) / (1 - share)
    return w @ values.numpy()


def my_dropped_attention(queries, keys, values, share, training):
    layer = nn.Dropout(p=share)
    if not training:
        layer.eval()
    return layer(F.softmax(queries @ keys.transpose(-2, -1) / queries.size(-1) ** 0.5, dim=-1)) @ values


# named: never-drops
def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(queries, keys, values)


def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    d = nn.Dropout(share)
    d.eval()
    return d(w) @ values


# named: other-way-round
def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=0.0 if training else share)


# named: share-kept
def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=1 - share if training else 0.0)


# named: on-output
def my_dropped_attention(queries, keys, values, share, training):
    return F.dropout(F.scaled_dot_product_attention(queries, keys, values), share, training)


# named: on-values
def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(queries, keys, F.dropout(values, share, training))


# named: on-scores
def my_dropped_attention(queries, keys, values, share, training):
    s = queries @ keys.mT / math.sqrt(queries.shape[-1])
    return F.dropout(s, share, training).softmax(-1) @ values


# named: always-drops
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    return nn.Dropout(share)(w) @ values


def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    return F.dropout(w, share) @ values


def my_dropped_attention(queries, keys, values, share, training):
    with torch.no_grad():
        return F.scaled_dot_product_attention(queries, keys, values, dropout_p=share)


# named: half-always
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    return F.dropout(w, training=training) @ values


def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=0.5 if training else 0)


# named: not-enlarged
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        w = w * (torch.rand_like(w) > share)
    return w @ values


# named: shrunk-when-not-training
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        w = w * (torch.rand_like(w) > share)
    return w / (1 - share) @ values


# named: not-enlarged + shrunk-when-not-training
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        return (w * (torch.rand_like(w) > share)) @ values
    return w * (1 - share) @ values


# named: divided-by-the-share
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training and share:
        w = w * (torch.rand_like(w) > share) / share
    return w @ values


def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        w = w * (torch.rand_like(w) >= share) / share
    return w @ values


# named: share-is-what-is-kept
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training and share:
        w = w * (torch.rand_like(w) < share) / (1 - share)
    return w @ values


# named: never-scaled
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT).softmax(-1)
    return F.dropout(w, share, training) @ values


# named: keys-dropped
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        w = w * (torch.rand(w.shape[-1]) >= share) / (1 - share)
    return w @ values


def my_dropped_attention(queries, keys, values, share, training):
    return (
        (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
        * F.dropout(torch.ones(keys.shape[-2]), share, training)
        @ values
    )


# named: queries-dropped
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        w = w * (torch.rand(*w.shape[:-1], 1) >= share) / (1 - share)
    return w @ values


# named: one-draw-for-a-stack
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        w = w * (torch.rand(w.shape[-2:]) >= share) / (1 - share)
    return w @ values


# named: as-many-each
def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        places = torch.rand_like(w).argsort(-1)[..., : int(share * w.shape[-1])]
        w = w.scatter(-1, places, 0) / (1 - share)
    return w @ values


# named: shared-again
def my_dropped_attention(queries, keys, values, share, training):
    w = F.dropout((queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1), share, training)
    return (w / w.sum(-1, keepdim=True)) @ values


# named: same-draw-each-call
def my_dropped_attention(queries, keys, values, share, training):
    torch.manual_seed(0)
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=share * training)


def my_dropped_attention(queries, keys, values, share, training):
    g = torch.Generator().manual_seed(0)
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        w = w * (torch.rand(w.shape, generator=g) >= share) / (1 - share)
    return w @ values


# told: Does every path end in `return`
def my_dropped_attention(queries, keys, values, share, training):
    if training:
        return F.scaled_dot_product_attention(queries, keys, values, dropout_p=share)


# told: did not all grow by one factor
def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(F.dropout(queries, share, training), keys, values)


def my_dropped_attention(queries, keys, values, share, training):
    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    return F.alpha_dropout(w, share, training) @ values


# told: two different results
def my_dropped_attention(queries, keys, values, share, training):
    import random

    w = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    if training:
        w = w * random.random() / (1 - share)
    return w @ values


# told: weights are still dropped
def my_dropped_attention(queries, keys, values, share, training):
    torch.manual_seed(0)
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=share)


# unnamed
def my_dropped_attention(queries, keys, values, share, training):
    s = queries @ keys.mT / 2
    return F.dropout(s.softmax(-1), share, training) @ values


def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(
        queries, keys, values, dropout_p=share if training else 0.0, scale=0.5
    )


def my_dropped_attention(queries, keys, values, share, training):
    return F.scaled_dot_product_attention(
        queries, keys, values, dropout_p=share if training else 0.0
    ).squeeze()

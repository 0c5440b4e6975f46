"""What learners write in torch-polarity, and what the check is to say of it."""

import math

import torch
from torch import nn
from torch.nn import functional as F


# right
def my_causal_layer(layer, x, causal, real):
    output, _ = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)
    return output


def my_causal_layer(layer, x, causal, real):
    may_not = causal.logical_not()
    return layer(x, x, x, attn_mask=may_not, key_padding_mask=real == False, need_weights=False)[0]


def my_causal_layer(layer, x, causal, real):
    m = torch.zeros(causal.shape).masked_fill(~causal, -math.inf)
    p = torch.zeros(real.shape).masked_fill(~real, -math.inf)
    return layer(x, x, x, attn_mask=m, key_padding_mask=p)[0]


def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, key_padding_mask=~real, attn_mask=~causal, is_causal=True, need_weights=False)[0]


def my_causal_layer(layer, x, causal, real):
    may = causal & real[:, None, :]
    return layer(x, x, x, attn_mask=~may.repeat_interleave(layer.num_heads, 0))[0]


def my_causal_layer(layer, x, causal, real):
    from helpers.pytorch.weights import from_torch

    return from_torch(layer)(x, mask=causal & real[:, None])


def my_causal_layer(layer, x, causal, real):
    out, _ = layer(x, x, x, attn_mask=causal ^ True, key_padding_mask=real ^ True)
    return out


def my_causal_layer(layer, x, causal, real):
    was = layer.training
    layer.eval()
    with torch.no_grad():
        output = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]
    layer.train(was)
    return output


def my_causal_layer(layer, x, causal, real):
    with torch.inference_mode():
        future, padding = torch.logical_not(causal), torch.logical_not(real)
        return layer(x, x, x, attn_mask=future, key_padding_mask=padding)[0]


# named: own-triangle
def my_causal_layer(layer, x, causal, real):
    n = x.shape[1]
    m = nn.Transformer.generate_square_subsequent_mask(n)
    p = torch.zeros(real.shape).masked_fill(~real, -math.inf)
    return layer(x, x, x, attn_mask=m, key_padding_mask=p)[0]


def my_causal_layer(layer, x, causal, real):
    n = x.size(1)
    future = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    return layer(x, x, x, key_padding_mask=~real, attn_mask=future, is_causal=True, need_weights=False)[0]


def my_causal_layer(layer, x, causal, real):
    n = x.shape[1]
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    return layer(x, x, x, attn_mask=hidden, key_padding_mask=real.logical_not(), need_weights=True)[0]


# named: future-unturned
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=causal, key_padding_mask=~real)[0]


def my_causal_layer(layer, x, causal, real):
    m = torch.zeros(causal.shape).masked_fill(causal, -math.inf)
    return layer(x, x, x, attn_mask=m, key_padding_mask=~real)[0]


# named: padding-unturned
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=~causal, key_padding_mask=real)[0]


def my_causal_layer(layer, x, causal, real):
    m = nn.Transformer.generate_square_subsequent_mask(x.size(1))
    return layer(x, x, x, attn_mask=m, key_padding_mask=real)[0]


# named: future-added + padding-added
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=(~causal).float(), key_padding_mask=(~real).float())[0]


# named: transposed-not-turned
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=causal.T, key_padding_mask=~real)[0]


# named: both-unturned
def my_causal_layer(layer, x, causal, real):
    out = layer(x, x, x, attn_mask=causal, key_padding_mask=real)[0]
    return torch.nan_to_num(out)


# named: sentences-mixed-up
def my_causal_layer(layer, x, causal, real):
    m = ~(causal & real[:, None])
    return layer(x, x, x, attn_mask=m.repeat(layer.num_heads, 1, 1))[0]


# named: padding-open
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=~causal)[0]


# named: future-open
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, key_padding_mask=~real)[0]


# named: padding-rows-zeroed
def my_causal_layer(layer, x, causal, real):
    out = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]
    return out * real.unsqueeze(-1)


# named: one-token-ahead
def my_causal_layer(layer, x, causal, real):
    future = torch.ones_like(causal).triu(2)
    return layer(x, x, x, attn_mask=future, key_padding_mask=~real)[0]


# told: It makes none
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, key_padding_mask=~real, is_causal=True)[0]


# told: Return the one that the task asks for, alone
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)


# told: `~mask` turns
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=1 - causal, key_padding_mask=1 - real)[0]


# told: `~mask` turns each entry round
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=not causal, key_padding_mask=not real)[0]


# told: attn_mask is a table of queries by keys
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=~real, key_padding_mask=~causal)[0]


# told: causal and real no longer hold
def my_causal_layer(layer, x, causal, real):
    causal.logical_not_()
    real.logical_not_()
    return layer(x, x, x, attn_mask=causal, key_padding_mask=real)[0]


# told: key_padding_mask takes (B, n)
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=~(causal & real[:, None]))[0]


# breaks: input left unchanged
# told: layer.batch_first is False, and it was True
def my_causal_layer(layer, x, causal, real):
    layer.batch_first = False
    y = x.transpose(0, 1)
    return layer(y, y, y, attn_mask=~causal, key_padding_mask=~real)[0].transpose(0, 1)


# breaks: input left unchanged
# told: layer.in_proj_weight holds other numbers
def my_causal_layer(layer, x, causal, real):
    out = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]
    with torch.no_grad():
        layer.in_proj_weight.zero_()
    return out


# breaks: input left unchanged
# told: layer.training is False, and it was True
def my_causal_layer(layer, x, causal, real):
    layer.eval()
    return layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]


# told: not a number to calculate with
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=-causal, key_padding_mask=~real)[0]


# told: right shape, wrong numbers
def my_causal_layer(layer, x, causal, real):
    return F.scaled_dot_product_attention(x, x, x, attn_mask=causal & real[:, None])


# told: x is (B, n, d_model), as it comes
def my_causal_layer(layer, x, causal, real):
    x = x.transpose(0, 1)
    return layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[0]


# told: yours is (2, 3, 3)
def my_causal_layer(layer, x, causal, real):
    return layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)[1]


# unnamed
def my_causal_layer(layer, x, causal, real):
    out, _ = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)
    return out.squeeze()

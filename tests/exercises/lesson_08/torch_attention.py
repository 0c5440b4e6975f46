"""What learners write in torch-attention, and what the check is to say of it."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from helpers.pytorch.attention import attention


# right
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1).nan_to_num()
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    scores = torch.einsum("...id,...jd->...ij", queries, keys) * queries.size(-1) ** -0.5
    scores = torch.where(mask, scores, float("-inf"))
    weights = scores.softmax(-1)
    weights = torch.where(weights.isnan(), 0.0, weights)
    return torch.einsum("...ij,...jd->...id", weights, values), weights


def my_attention(queries, keys, values, mask):
    d = queries.shape[-1]
    scores = (queries / d**0.25) @ (keys / d**0.25).transpose(-1, -2)
    weights = F.softmax(scores + torch.where(mask, 0.0, -math.inf), dim=-1)
    weights = weights * mask.any(-1, keepdim=True)
    return torch.nan_to_num(weights) @ values, torch.nan_to_num(weights)


def my_attention(queries, keys, values, mask):
    output = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
    weights = F.scaled_dot_product_attention(
        queries, keys, torch.eye(keys.shape[-2], dtype=keys.dtype), attn_mask=mask
    )
    return output, weights


def my_attention(queries, keys, values, mask):
    scores = torch.matmul(queries, keys.transpose(-2, -1)).div(queries.shape[-1] ** 0.5)
    has = mask.any(dim=-1, keepdim=True)
    weights = F.softmax(scores.masked_fill(mask.logical_not(), -1e9), dim=-1).masked_fill(~has, 0)
    return [weights @ values, weights]


def my_attention(queries, keys, values, mask):
    from helpers.attention import attention as numpy_attention

    return numpy_attention(queries.numpy(), keys.numpy(), values.numpy(), mask.numpy())


def my_attention(queries, keys, values, mask):
    def one(q, k, v, m):
        out = torch.zeros(len(q), v.shape[-1], dtype=q.dtype)
        ws = torch.zeros(len(q), len(k), dtype=q.dtype)
        for i in range(len(q)):
            open_keys = m[i].nonzero().flatten()
            if len(open_keys) == 0:
                continue
            s = torch.stack([q[i] @ k[j] for j in open_keys]) / math.sqrt(q.shape[-1])
            e = torch.exp(s - s.max())
            ws[i, open_keys] = e / e.sum()
            out[i] = ws[i] @ v
        return out, ws

    shape = torch.broadcast_shapes(mask.shape, (*queries.shape[:-1], keys.shape[-2]))
    m = mask.expand(shape)
    flat = [t.reshape(-1, *t.shape[-2:]) for t in (queries, keys, values, m)]
    results = [one(*each) for each in zip(*flat)]
    out = torch.stack([r[0] for r in results]).reshape(*queries.shape[:-1], values.shape[-1])
    return out, torch.stack([r[1] for r in results]).reshape(shape)


def my_attention(queries, keys, values, mask):
    queries = queries.detach().clone().requires_grad_()
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    scores[~mask.expand(scores.shape)] = -torch.inf
    weights = scores.softmax(dim=-1).nan_to_num()
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    return attention(queries, keys, values, mask)


def my_attention(queries, keys, values, mask):
    bias = torch.zeros(mask.shape, dtype=queries.dtype)
    bias.masked_fill_(mask.logical_not(), float("-inf"))
    w = queries @ keys.transpose(-2, -1) * (1 / math.sqrt(queries.size(-1)))
    w = torch.softmax(w + bias, dim=-1)
    w = torch.nan_to_num(w, nan=0.0)
    return w @ values, w


# named: mask-ignored
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    weights = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
    weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0)
    return weights @ values, weights


# named: all-axes-reversed
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return weights @ values, weights


# named: one-matrix-only
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.t() / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return weights @ values, weights


# named: no-key-nan
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = (scores + mask.float().log()).softmax(-1)
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    bias = torch.zeros(scores.shape).masked_fill(~mask, -math.inf)
    weights = (scores + bias).softmax(-1)
    return weights @ values, weights


# named: no-dim
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = F.softmax(scores.masked_fill(~mask, -math.inf)).nan_to_num()
    return weights @ values, weights


# named: dim-1
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = F.softmax(scores.masked_fill(~mask, -math.inf), dim=1)
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(1)
    weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0)
    return weights @ values, weights


# named: inverted
def my_attention(queries, keys, values, mask):
    eye = torch.eye(keys.shape[-2], dtype=keys.dtype)
    return (
        F.scaled_dot_product_attention(queries, keys, values, attn_mask=~mask),
        F.scaled_dot_product_attention(queries, keys, eye, attn_mask=~mask),
    )


# named: weights-before-the-mask
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask), scores.softmax(-1)


# named: weights-still-nan
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask), scores.masked_fill(
        ~mask, -math.inf
    ).softmax(-1)


def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    w = scores.masked_fill(~mask, -math.inf).softmax(-1)
    return (w @ values).nan_to_num(), w


# named: mask-added
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = (scores + mask.float()).softmax(-1)
    return weights @ values, weights


# named: score-0
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, 1e-9).softmax(-1)
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    weights = (queries @ keys.mT / math.sqrt(queries.shape[-1])).masked_fill(~mask, 0.0).softmax(-1)
    weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0)
    return weights @ values, weights


# named: minus-a-billion
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(mask == 0, -1e9).softmax(-1)
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    w = scores.masked_fill(~mask, -math.inf).softmax(-1)
    weights = torch.where(w.isnan(), 1 / keys.shape[-2], w)
    return weights @ values, weights


# named: divided-by-d_k
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    scores = scores / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return weights @ values, weights


# named: inverted + never-scaled
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT
    weights = scores.masked_fill(mask, -math.inf).softmax(-1)
    return weights @ values, weights


# named: no-key-nan + never-scaled
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ values, weights


# named: no-row-max
def my_attention(queries, keys, values, mask):
    e = torch.exp(queries @ keys.mT / math.sqrt(queries.shape[-1])) * mask
    w = e / (e.sum(-1, keepdim=True) + 1e-9)
    return w @ values, w


def my_attention(queries, keys, values, mask):
    e = torch.exp(queries @ keys.mT / math.sqrt(queries.shape[-1])) * mask
    w = (e / e.sum(-1, keepdim=True)).nan_to_num()
    return w @ values, w


# named: over-queries
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(-2)
    weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0)
    return weights @ values, weights


# named: dim-0
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(0)
    weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0)
    return weights @ values, weights


# named: minus-a-little
def my_attention(queries, keys, values, mask):
    weights = (queries @ keys.mT / math.sqrt(queries.shape[-1])).masked_fill(~mask, -10.0).softmax(-1)
    weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0)
    return weights @ values, weights


# told: If tensors went in, np.where or its like made an array
def my_attention(queries, keys, values, mask):
    import numpy as np

    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    weights = F.softmax(scores, dim=-1)
    return weights @ values, weights


# told: A result is nan
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    w = scores.masked_fill(~mask, -math.inf)
    return torch.softmax(w @ values, -1), w.softmax(-1)


# told: Counted from the end, −1 and −2
def my_attention(queries, keys, values, mask):
    scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return weights @ values, weights


# told: For a plain number: d_k**0.5
def my_attention(queries, keys, values, mask):
    d_k = queries.shape[-1]
    scores = queries @ keys.mT / torch.sqrt(d_k)
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return weights @ values, weights


# told: The shape of weights should be (1, 3); yours is (1, 1, 3)
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask.unsqueeze(1), -math.inf).softmax(-1).nan_to_num()
    return weights @ values, weights


# told: `if` and `not` need one True or False
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    if mask:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ values, weights


# told: `permute` takes the new order
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.transpose(0, 2, 1) / math.sqrt(queries.shape[-1])
    weights = scores.softmax(-1)
    return weights @ values, weights


# told: `~mask` turns True and False round
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = (scores + (1 - mask) * -1e9).softmax(-1)
    return weights @ values, weights


# told: a dictionary alone
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    return {"output": scores, "weights": scores}


# told: a tuple of 3 things, but the task asks for 2
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    w = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return w @ values, w, scores


# told: dim=-1 is the last
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf))
    return weights @ values, weights


# told: each query should spend exactly 1
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = F.dropout(scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num(), 0.1)
    return weights @ values, weights


# told: one tensor alone, but the task asks for 2
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return weights


# told: one tensor alone, but the task asks for 2: output, weights
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return weights @ values


# told: queries no longer holds the numbers
def my_attention(queries, keys, values, mask):
    queries /= math.sqrt(queries.shape[-1])
    scores = queries @ keys.mT
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return weights @ values, weights


# told: returned None for weights
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    w = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
    return w @ values, None


# told: drops numbers at random
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.size(-1) ** 0.5
    weights = torch.nan_to_num(scores.masked_fill(~mask, -torch.inf).softmax(-1))
    weights = F.dropout(weights, 0.1)
    return weights @ values, weights


# named: mask-transposed
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.size(-1) ** 0.5
    m = mask.expand_as(scores)
    if m.size(-1) == m.size(-2):
        m = m.mT
    weights = torch.nan_to_num(scores.masked_fill(~m, -torch.inf).softmax(-1))
    return weights @ values, weights


# named: one-row-for-all
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.size(-1) ** 0.5
    m = mask.expand_as(scores)[..., :1, :]
    weights = torch.nan_to_num(scores.masked_fill(~m, -torch.inf).softmax(-1))
    return weights @ values, weights


# named: first-mask-for-all
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.size(-1) ** 0.5
    m = mask.expand_as(scores)
    while m.dim() > 2:
        m = m[0]
    weights = torch.nan_to_num(scores.masked_fill(~m, -torch.inf).softmax(-1))
    return weights @ values, weights


# named: softmax-twice
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.size(-1) ** 0.5
    weights = torch.nan_to_num(scores.masked_fill(~mask, -torch.inf).softmax(-1)).softmax(-1)
    return weights @ values, weights


# unnamed
# told: Multiply queries by 2 on every input
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / (2 * queries.size(-1) ** 0.5)
    weights = torch.nan_to_num(scores.masked_fill(~mask, -torch.inf).softmax(-1))
    return weights @ values, weights


# unnamed
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / 2
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1).nan_to_num()
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    scores[~mask.expand_as(scores)] = -torch.inf
    weights = torch.softmax(scores, -1).nan_to_num().squeeze()
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.size(-1) ** 0.5
    mask = mask.view(*mask.shape[:-2], -1, keys.shape[-2])
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1).nan_to_num()
    return weights @ values, weights


# named: keys-reshaped
def my_attention(queries, keys, values, mask):
    kt = keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])
    scores = queries @ kt / queries.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1).nan_to_num()
    return weights @ values, weights


# named: inverted + never-scaled
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT
    weights = torch.softmax(scores.masked_fill(mask, -1e9), -1)
    return weights @ values, weights


# unnamed
# told: Query 0 gives a weight of -3.4e+38 to key 2, which is hidden.
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    weights = F.log_softmax(scores.masked_fill(~mask, -torch.inf), dim=-1).nan_to_num(0.0)
    return weights @ values, weights


# named: log-softmax
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, -torch.inf).log_softmax(-1)
    return weights @ values, weights


# unnamed
# told: all others 1.11 times what they should be: dropout is on
class my_layer(nn.Module):
    def __init__(self, temperature=8.0, attn_dropout=0.1):
        super().__init__()
        self.temperature = temperature
        self.dropout = nn.Dropout(attn_dropout)

    def forward(self, q, k, v, mask=None):
        attn = torch.matmul(q / self.temperature, k.transpose(-2, -1))
        if mask is not None:
            attn = attn.masked_fill(mask == 0, -1e9)
        attn = self.dropout(F.softmax(attn, dim=-1))
        return torch.matmul(attn, v), attn


my_attention = my_layer()


# not told: dropout
def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1).nan_to_num()
    weights = (weights * 100).round() / 100
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf).tril(), -1).nan_to_num()
    weights = weights.tril() * 2
    return weights @ values, weights


def my_attention(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1).nan_to_num()
    weights[..., ::3] = 0
    return weights @ values, weights * 1.25

"""The answers that `solution` prints for lesson 08: as those in `answers`, in tensors."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)


def my_attention(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v), mask -> output, weights."""
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    has_key = mask.any(dim=-1, keepdim=True)
    masked = scores.masked_fill(~mask & has_key, -torch.inf)
    weights = torch.softmax(masked, dim=-1).masked_fill(~has_key, 0.0)
    return weights @ values, weights


def my_projections(in_proj_weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(3·d_model, d_model) -> w_q, w_k, w_v: each (d_model, d_model), as (in, out)."""
    w_q, w_k, w_v = in_proj_weight.chunk(3)
    return w_q.T, w_k.T, w_v.T


def my_causal_layer(layer: nn.MultiheadAttention, x: Tensor, causal: Tensor, real: Tensor) -> Tensor:
    """layer, (B, n, d_model), (n, n), (B, n) -> output (B, n, d_model); True in a mask = may attend."""
    output, _ = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)
    return output


def my_step(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """(..., n_queries, d_head), (..., n_keys, d_head) twice -> (..., n_queries, d_head)."""
    n_queries, n_keys = queries.shape[-2], keys.shape[-2]
    mask = torch.ones(n_queries, n_keys, dtype=torch.bool, device=queries.device).tril(n_keys - n_queries)
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)


def my_heads(queries: Tensor, keys: Tensor, values: Tensor, n_heads: int) -> Tensor:
    """(B, n, n_heads·d_head) three times, n_heads -> (B, n, n_heads·d_head)."""
    batch, n, width = queries.shape
    q = queries.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)
    k = keys.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)
    v = values.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)
    output = F.scaled_dot_product_attention(q, k, v)
    return output.transpose(1, 2).reshape(batch, n, width)


def my_dropped_attention(
    queries: Tensor, keys: Tensor, values: Tensor, share: float, training: bool
) -> Tensor:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v), a number, True or False -> output."""
    dropped = share if training else 0.0
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=dropped)


def my_head_maps(x: Tensor, in_proj_weight: Tensor, n_heads: int) -> Tensor:
    """(B, n, d_model), (3·d_model, d_model), n_heads -> weights (B, n_heads, n, n)."""
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    _, weights = layer(x, x, x, average_attn_weights=False)
    return weights


ANSWERS_IN_TORCH: dict[str, Callable[..., Any]] = {
    "torch-attention": my_attention,
    "torch-weights": my_projections,
    "torch-polarity": my_causal_layer,
    "torch-corner": my_step,
    "torch-layout": my_heads,
    "torch-dropout": my_dropped_attention,
    "torch-batch-first": my_head_maps,
}

"""The functions that lesson 08's find-the-bug exercises hand out, as they stand in its notebook."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)


def my_causal_layer(layer: nn.MultiheadAttention, x: Tensor, causal: Tensor, real: Tensor) -> Tensor:
    """A layer, (B, n, d_model), (n, n), (B, n) -> output, wrong: there True means "may not attend"."""
    output, _ = layer(x, x, x, attn_mask=causal, key_padding_mask=real)
    return output


def my_step(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """(..., n_queries, d_head), (..., n_keys, d_head) twice -> output, wrong: aligned to the upper left."""
    return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)


def my_heads(queries: Tensor, keys: Tensor, values: Tensor, n_heads: int) -> Tensor:
    """(B, n, n_heads·d_head) three times, n_heads -> output, wrong: heads attend to heads."""
    batch, n, width = queries.shape
    q = queries.reshape(batch, n, n_heads, width // n_heads)
    k = keys.reshape(batch, n, n_heads, width // n_heads)
    v = values.reshape(batch, n, n_heads, width // n_heads)
    output = F.scaled_dot_product_attention(q, k, v)
    return output.reshape(batch, n, width)


def my_dropped_attention(
    queries: Tensor, keys: Tensor, values: Tensor, share: float, training: bool
) -> Tensor:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output, wrong: always drops."""
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=share)


def my_head_maps(x: Tensor, in_proj_weight: Tensor, n_heads: int) -> Tensor:
    """(B, n, d_model), (3·d_model, d_model), n_heads -> weights, wrong: sentences attend, averaged."""
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    _, weights = layer(x, x, x)
    return weights


GIVEN_IN_TORCH: dict[str, Callable[..., Any]] = {
    "torch-polarity": my_causal_layer,
    "torch-corner": my_step,
    "torch-layout": my_heads,
    "torch-dropout": my_dropped_attention,
    "torch-batch-first": my_head_maps,
}

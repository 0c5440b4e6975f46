"""SmolLM2 a second time, in PyTorch, from the published description alone: the judge of helpers.pretrained.

It shares nothing with the helpers but the numbers in the file. Rotation is a product of complex numbers, the
norm, the gate and attention are PyTorch's own, and the whole text goes through at once. Used by
make_real_model.py, which keeps its numbers for lesson 15, and by tests/test_pretrained_reference.py.
Source: Touvron et al. 2023, "LLaMA", section 2.2; Su et al. 2021, "RoFormer", section 3.2.2.
"""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu


def forward(
    weights: Mapping[str, Tensor],
    tokens: list[int],
    n_heads: int,
    n_kv_heads: int,
    base: float,
    epsilon: float,
) -> tuple[Tensor, Tensor]:
    """Weights by name, n tokens -> stream (n_layers + 1, n, d), scores (n, n_tokens)."""
    table = weights["token_embd.weight"]
    stream = [table[tokens]]
    n_layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("blk."))
    for layer in range(n_layers):
        w = {
            name.split(".")[2]: tensor for name, tensor in weights.items() if name.startswith(f"blk.{layer}.")
        }
        x = stream[-1]
        normed = rms_norm(x, x.shape[-1:], w["attn_norm"], epsilon)
        queries = turned(heads(linear(normed, w["attn_q"]), n_heads), base)
        keys = turned(heads(linear(normed, w["attn_k"]), n_kv_heads), base)
        values = heads(linear(normed, w["attn_v"]), n_kv_heads)
        mixed = scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=True)
        x = x + linear(mixed.transpose(0, 1).flatten(1), w["attn_output"])
        normed = rms_norm(x, x.shape[-1:], w["ffn_norm"], epsilon)
        x = x + linear(silu(linear(normed, w["ffn_gate"])) * linear(normed, w["ffn_up"]), w["ffn_down"])
        stream.append(x)
    last = rms_norm(stream[-1], stream[-1].shape[-1:], weights["output_norm.weight"], epsilon)
    return torch.stack(stream), linear(last, table)


def heads(x: Tensor, n_heads: int) -> Tensor:
    """(n, n_heads · d) -> (n_heads, n, d)."""
    return x.unflatten(-1, (n_heads, -1)).transpose(0, 1)


def turned(x: Tensor, base: float) -> Tensor:
    """(n_heads, n, d) -> the same shape: entries 2i and 2i + 1 as one complex number, times e^(i · angle)."""
    d = x.shape[-1]
    speeds = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * speeds
    turns = torch.polar(torch.ones_like(angles), angles).to(
        torch.complex64 if x.dtype == torch.float32 else None
    )
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * turns).flatten(
        -2
    )

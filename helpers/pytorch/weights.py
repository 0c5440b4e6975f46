"""One set of parameters, three homes: NumPy, our nn.Module, and nn.MultiheadAttention (lesson 08).

helpers.multi_head keeps matrices as (in, out), because a token is a row: `x @ w_q`. nn.Linear keeps
(out, in), and nn.MultiheadAttention packs w_q, w_k and w_v into one matrix where it can. Matrices are turned
and renamed here; no number changes.
"""

from collections.abc import Mapping
from functools import reduce

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from helpers.multi_head import Projections
from helpers.pytorch.attention import MultiHeadAttention
from helpers.validation import Array, as_floats, require_count

# The name of each matrix and bias in NumPy, and of the nn.Linear that holds both.
LINEARS = {"q": "to_queries", "k": "to_keys", "v": "to_values", "o": "to_output"}


def to_numpy(module: MultiHeadAttention) -> Projections:
    """A module -> its parameters as helpers.multi_head takes them, in NumPy, copied.

    bfloat16, which NumPy does not have, becomes float32: every bfloat16 number is one.
    """
    parts: dict[str, Array | None] = {}
    for letter, name in LINEARS.items():
        linear = getattr(module, name)
        parts[f"w_{letter}"] = _as_array(linear.weight.T)
        parts[f"b_{letter}"] = None if linear.bias is None else _as_array(linear.bias)
    return Projections(**parts)  # type: ignore[arg-type]  # the four matrices are there


def from_numpy(
    projections: Projections,
    n_heads: int,
    *,
    dropout: float = 0.0,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> MultiHeadAttention:
    """Projections, n_heads -> a module with these parameters, copied, in their dtype unless one is given.

    Where they have several dtypes, the module has the widest of them, as a product of theirs would in NumPy.
    Where only some of the four biases are there, the others are zeros. Raises ValueError where the shapes do
    not belong to one multi-head attention.
    """
    state = state_dict_from_numpy(projections)
    n_heads = require_count("n_heads", n_heads)
    widths = _widths(state, n_heads)
    if dtype is None:
        dtype = reduce(torch.promote_types, (parameter.dtype for parameter in state.values()))
    module = MultiHeadAttention(
        **widths,
        n_heads=n_heads,
        bias="to_queries.bias" in state,
        dropout=dropout,
        device=device,
        dtype=dtype,
    )
    module.load_state_dict(state)
    return module


def state_dict_from_numpy(projections: Projections) -> dict[str, Tensor]:
    """Projections -> what MultiHeadAttention.load_state_dict takes: transposed copies, named as its parts.

    Raises ValueError where a matrix has not two axes, or where a bias does not belong to its matrix.
    """
    state = {}
    biased = any(getattr(projections, f"b_{letter}") is not None for letter in LINEARS)
    for letter, name in LINEARS.items():
        w = as_floats(f"w_{letter}", getattr(projections, f"w_{letter}"))
        if w.ndim != 2:
            raise ValueError(f"w_{letter} must have shape (d_in, d_out); got {w.shape}")
        state[f"{name}.weight"] = _as_tensor(w.T)
        if biased:
            state[f"{name}.bias"] = _as_tensor(_bias(letter, getattr(projections, f"b_{letter}"), w))
    return state


def from_torch(theirs: nn.MultiheadAttention) -> MultiHeadAttention:
    """PyTorch's module -> ours with the same parameters, copied: the same output for the same input.

    Ours takes (B, n, d_model) whatever its batch_first said, and True in a mask for "may attend", where
    theirs means "may not". Dropout, device, dtype and training mode are kept.
    Raises TypeError for anything else, ValueError where it has a part that ours has not: bias_k and bias_v,
    add_zero_attn, or keys and values of different widths.
    """
    if not isinstance(theirs, nn.MultiheadAttention):
        raise TypeError(f"expected an nn.MultiheadAttention; got {type(theirs).__name__}")
    if theirs.bias_k is not None or theirs.add_zero_attn:
        raise ValueError("bias_k, bias_v and add_zero_attn have no counterpart here; got a module with one")
    if theirs.kdim != theirs.vdim:
        raise ValueError(
            f"keys and values must come from one context; got kdim {theirs.kdim}, vdim {theirs.vdim}"
        )
    ours = MultiHeadAttention(
        theirs.embed_dim,
        theirs.num_heads,
        d_context=theirs.kdim,
        bias=theirs.in_proj_bias is not None,
        dropout=theirs.dropout,
        device=theirs.out_proj.weight.device,
        dtype=theirs.out_proj.weight.dtype,
    )
    ours.load_state_dict(_state_dict_from_torch(theirs.state_dict()))
    return ours.train(theirs.training)


def to_torch(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    """Our module -> PyTorch's, batch_first, with the same parameters, copied.

    Raises ValueError where d_head, d_v or d_out are not the usual ones: theirs has no other.
    """
    d_model, d_context = ours.to_queries.in_features, ours.to_keys.in_features
    widths = ours.to_queries.out_features, ours.to_values.out_features, ours.to_output.out_features
    if widths != (d_model, d_model, d_model):
        raise ValueError(
            "nn.MultiheadAttention needs n_heads * d_head = n_heads * d_v = d_out = d_model; "
            f"got {widths} and d_model {d_model}"
        )
    theirs = nn.MultiheadAttention(
        d_model,
        ours.n_heads,
        dropout=ours.dropout,
        bias=ours.to_queries.bias is not None,
        kdim=d_context,
        vdim=d_context,
        batch_first=True,
        device=ours.to_output.weight.device,
        dtype=ours.to_output.weight.dtype,
    )
    theirs.load_state_dict(_state_dict_to_torch(ours.state_dict(), packed=d_context == d_model))
    return theirs.train(ours.training)


def _state_dict_from_torch(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Their names -> ours. They pack w_q, w_k, w_v unless the context is of another width."""
    inputs = [LINEARS[letter] for letter in "qkv"]
    if "in_proj_weight" in state:
        weights = list(state["in_proj_weight"].chunk(3))
    else:
        weights = [state[f"{letter}_proj_weight"] for letter in "qkv"]
    renamed = {f"{name}.weight": weight for name, weight in zip(inputs, weights, strict=True)}
    renamed["to_output.weight"] = state["out_proj.weight"]
    if "in_proj_bias" in state:
        biases = state["in_proj_bias"].chunk(3)
        renamed |= {f"{name}.bias": bias for name, bias in zip(inputs, biases, strict=True)}
        renamed["to_output.bias"] = state["out_proj.bias"]
    return renamed


def _state_dict_to_torch(state: Mapping[str, Tensor], packed: bool) -> dict[str, Tensor]:
    """Our names -> theirs: the reverse of _state_dict_from_torch."""
    weights = [state[f"{LINEARS[letter]}.weight"] for letter in "qkv"]
    if packed:
        renamed = {"in_proj_weight": torch.cat(weights)}
    else:
        renamed = {f"{letter}_proj_weight": weight for letter, weight in zip("qkv", weights, strict=True)}
    renamed["out_proj.weight"] = state["to_output.weight"]
    if "to_output.bias" in state:
        renamed["in_proj_bias"] = torch.cat([state[f"{LINEARS[letter]}.bias"] for letter in "qkv"])
        renamed["out_proj.bias"] = state["to_output.bias"]
    return renamed


def _widths(state: Mapping[str, Tensor], n_heads: int) -> dict[str, int]:
    """The sizes of the module to which these matrices belong. Raises ValueError where there is none."""
    shapes = {letter: tuple(state[f"{name}.weight"].T.shape) for letter, name in LINEARS.items()}
    (d_model, wide_q), (d_context, wide_k) = shapes["q"], shapes["k"]
    (context_of_v, wide_v), (wide_o, d_out) = shapes["v"], shapes["o"]
    fits = wide_q == wide_k and d_context == context_of_v and wide_v == wide_o
    if not fits or wide_q % n_heads or wide_v % n_heads:
        raise ValueError(
            "shapes must be w_q (d_model, H·d_head), w_k (d_context, H·d_head), w_v (d_context, H·d_v) and "
            f"w_o (H·d_v, d_out), with H = {n_heads} heads; got "
            + ", ".join(f"w_{letter} {shape}" for letter, shape in shapes.items())
        )
    return {
        "d_model": d_model,
        "d_context": d_context,
        "d_head": wide_q // n_heads,
        "d_v": wide_v // n_heads,
        "d_out": d_out,
    }


def _bias(letter: str, bias: ArrayLike | None, w: Array) -> Array:
    if bias is None:
        return np.zeros(w.shape[1], dtype=w.dtype)
    bias = as_floats(f"b_{letter}", bias)
    if bias.shape != w.shape[1:]:
        raise ValueError(
            f"b_{letter} must have shape {w.shape[1:]}, as w_{letter} has {w.shape}; got {bias.shape}"
        )
    return bias


def _as_tensor(array: Array) -> Tensor:
    """A copy. NumPy knows both byte orders, PyTorch only the machine's own."""
    return torch.tensor(array.astype(array.dtype.newbyteorder("="), order="C"))


def _as_array(parameter: Tensor) -> Array:
    tensor = parameter.detach().cpu()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy().copy()

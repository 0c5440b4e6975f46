"""Tensors for the tests of helpers.pytorch: fixed, without a pattern, every size different."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import oracles
import pytest
import torch
from samples import D_K, D_V, N_KEYS, N_QUERIES, waves
from torch import Tensor

from helpers.masking import causal_mask as numpy_causal_mask
from helpers.pytorch.attention import (
    MultiHeadAttention,
    attention,
    fused_attention,
)
from helpers.validation import Array

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
BATCH, N_HEADS, D_HEAD, D_CONTEXT = 2, 3, 4, 9
D_MODEL = N_HEADS * D_HEAD


def on_one_thread() -> Iterator[None]:
    """For a fixture. Small tensors are faster on one thread, and their sums come out in one order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def tensor(array: Array, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.tensor(array, dtype=dtype)


def rows(*shape: int, start: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensor:
    return tensor(waves(*shape, start=start), dtype)


def sample(
    *stack: int, n_queries: int = N_QUERIES, n_keys: int = N_KEYS, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, Tensor, Tensor]:
    """Leading axes -> queries, keys, values, every size different."""
    return (
        rows(*stack, n_queries, D_K, dtype=dtype),
        rows(*stack, n_keys, D_K, start=50.0, dtype=dtype),
        rows(*stack, n_keys, D_V, start=90.0, dtype=dtype),
    )


def padding(*lengths: int, n_keys: int = N_KEYS) -> Tensor:
    """(B,) lengths -> (B, 1, n_keys): True for real keys."""
    return torch.arange(n_keys) < torch.tensor(lengths)[:, None, None]


def empty_row(n_queries: int = N_QUERIES, n_keys: int = N_KEYS, empty: int = 2) -> Tensor:
    mask = torch.ones(n_queries, n_keys, dtype=torch.bool)
    mask[empty] = False
    return mask


MASKS = {
    "none": None,
    "lower right": torch.tensor(numpy_causal_mask(N_QUERIES, N_KEYS)),
    "padding": torch.arange(N_KEYS) < 3,
    "an empty row": empty_row(),
    "some": torch.tensor(waves(N_QUERIES, N_KEYS, start=7.0) > 0.5),
}


def fused(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> Tensor:
    return fused_attention(queries, keys, values, mask)


def readable(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> Tensor:
    return attention(queries, keys, values, mask)[0]


PATHS = pytest.mark.parametrize("attend", [readable, fused])


def by_loops(queries: Tensor, keys: Tensor, values: Tensor, mask: Array | None) -> tuple[Array, Array]:
    """What the oracle gives, in float64, from the numbers as they are rounded."""
    q, k, v = (part.detach().double().numpy() for part in (queries, keys, values))
    return oracles.attention(q, k, v, mask)


def close(found: Tensor, expected: Tensor | Array | list[list[float]], error: float = 1e-13) -> None:
    """Equal shapes, and no entry further off than the error."""
    expected = expected.detach() if isinstance(expected, Tensor) else expected
    expected_numbers = np.asarray(expected, dtype=float)
    np.testing.assert_allclose(
        found.detach().double().numpy(), expected_numbers, rtol=0, atol=error, strict=True
    )


def make(dtype: torch.dtype = torch.float64, **widths: Any) -> MultiHeadAttention:
    """A module with parameters without a pattern."""
    module = MultiHeadAttention(D_MODEL, widths.pop("n_heads", N_HEADS), dtype=dtype, **widths)
    with torch.no_grad():
        for start, parameter in enumerate(module.parameters()):
            parameter.copy_(rows(*parameter.shape, start=7.0 * start) / math.sqrt(parameter.shape[-1]))
    return module


def input_of(module: MultiHeadAttention, *stack: int, self_attention: bool) -> tuple[Tensor, Tensor | None]:
    d_context, dtype = module.to_keys.in_features, module.to_keys.weight.dtype
    x = rows(*stack, N_QUERIES, D_MODEL, dtype=dtype)
    return x, None if self_attention else rows(*stack, N_KEYS, d_context, start=30.0, dtype=dtype)


QUERIES, KEYS, VALUES = sample(2, 3)
WRONG: Any = {"a list": [[1.0]], "an array": np.ones((5, 11)), "a context": np.ones((2, 7, 9)), "half": 1.5}

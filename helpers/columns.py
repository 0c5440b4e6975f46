"""The same maths in the column convention: a token is a column, W x, softmax by column (lessons 03 to 06).

Half of what is written on attention reads this way. Nothing here calls the row helpers and turns the answer
round: the products stand as the column convention writes them, and the tests hold both to the same numbers.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from helpers.masking import Mask, causal_mask, mask_scores
from helpers.softmax import softmax
from helpers.validation import Array, as_columns, as_rows, require_count, require_finite


def attention_in_columns(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, mask: ArrayLike | None = None
) -> tuple[Array, Array]:
    """(..., d_k, n_queries), (..., d_k, n_keys), (..., d_v, n_keys) -> output (..., d_v, n_queries), weights.

    weights (..., n_keys, n_queries): column i is how query i shares 1 among the keys. The output is V A,
    where A = softmax by column of KᵀQ / √d_k. `mask` (..., n_keys, n_queries) is True where a query may
    attend.
    Raises ValueError where shapes do not fit, and as softmax does; TypeError for anything but real numbers.
    """
    queries = as_columns("queries", queries, "d_k", "n_queries")
    keys = as_columns("keys", keys, "d_k", "n_keys")
    values = as_columns("values", values, "d_v", "n_keys")
    if queries.shape[-2] != keys.shape[-2] or keys.shape[-1] != values.shape[-1]:
        raise ValueError(
            "queries (..., d_k, n_queries) and keys (..., d_k, n_keys) need the same d_k, keys and values "
            f"(..., d_v, n_keys) the same n_keys; got {queries.shape}, {keys.shape} and {values.shape}"
        )
    require_finite("values", values)
    scores = np.swapaxes(keys, -1, -2) @ queries / math.sqrt(queries.shape[-2])
    weights = softmax(mask_scores(scores, mask), axis=-2)
    return values @ weights, weights


def causal_mask_in_columns(n_queries: int, n_keys: int | None = None) -> Mask:
    """n_queries, n_keys -> (n_keys, n_queries): True where key i is not later than query j.

    The upper triangle: the same mask as causal_mask, which is lower. Raises as causal_mask does.
    """
    return causal_mask(n_queries, n_keys).T


def multi_head_attention_in_columns(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    w_o: ArrayLike,
    n_heads: int,
    mask: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """(..., d_model, n) -> output (..., d_out, n), weights (..., n_heads, n, n).

    Matrices act from the left: w_q, w_k (n_heads·d_head, d_model), w_v (n_heads·d_v, d_model),
    w_o (d_out, n_heads·d_v). `mask` (..., n_keys, n_queries). Raises as attention_in_columns does.
    """
    x = as_columns("x", x, "d_model", "n")
    n_heads = require_count("n_heads", n_heads)
    queries, keys, values = (
        _split(_times(name, w, x), n_heads) for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v))
    )
    if mask is not None and np.ndim(mask) >= 3:
        mask = np.asarray(mask)[..., None, :, :]  # the same mask for every head
    output, weights = attention_in_columns(queries, keys, values, mask)
    *stack, _, d_v, n = output.shape
    return _times("w_o", w_o, output.reshape(*stack, n_heads * d_v, n)), weights


def _times(name: str, w: ArrayLike, x: Array) -> Array:
    w = as_rows(name, w, "d_out", "d_in")
    if w.ndim != 2 or w.shape[1] != x.shape[-2]:
        raise ValueError(f"{name} must have shape (d_out, d_in) with d_in = {x.shape[-2]}; got {w.shape}")
    return w @ x


def _split(columns: Array, n_heads: int) -> Array:
    """(..., n_heads·d_head, n) -> (..., n_heads, d_head, n): no swap is needed, heads are runs of rows."""
    *stack, height, n = columns.shape
    if height % n_heads:
        raise ValueError(f"n_heads must divide the height of W x; got {n_heads} heads and {columns.shape}")
    return columns.reshape(*stack, n_heads, height // n_heads, n)

"""The same maths in the column convention: a token is a column, W x, softmax by column (lessons 03 to 06).

Half of what is written on attention reads this way. Nothing here calls the row helpers and turns the answer
round: the products stand as the column convention writes them, and the tests hold both to the same numbers.
"""

import math

import numpy as np

from helpers import inputs
from helpers.door import checked_by
from helpers.masking import causal_mask, mask_scores
from helpers.precision import finite_values
from helpers.softmax import softmax
from helpers.validation import Array, Mask


@checked_by(inputs.attention_in_columns)
def attention_in_columns(
    queries: Array, keys: Array, values: Array, mask: Mask | None = None
) -> tuple[Array, Array]:
    """(..., d_k, n_queries), (..., d_k, n_keys), (..., d_v, n_keys) -> output (..., d_v, n_queries), weights.

    weights (..., n_keys, n_queries): column i is how query i shares 1 among the keys. The output is V A,
    where A = softmax by column of KᵀQ / √d_k. `mask` (..., n_keys, n_queries) is True where a query may
    attend.
    Raises ValueError where shapes do not fit, and as softmax does; TypeError for anything but real numbers.
    """
    d_k = queries.shape[-2]
    scores = np.swapaxes(keys, -1, -2) @ queries / math.sqrt(d_k)
    weights = softmax(mask_scores(scores, mask), axis=-2)
    return values @ weights, weights


@checked_by(inputs.causal_mask_in_columns)
def causal_mask_in_columns(n_queries: int, n_keys: int | None = None) -> Mask:
    """n_queries, n_keys -> (n_keys, n_queries): True where key i is not later than query j.

    The upper triangle: the same mask as causal_mask, which is lower. Raises as causal_mask does.
    """
    return causal_mask(n_queries, n_keys).T


@checked_by(inputs.multi_head_attention_in_columns)
def multi_head_attention_in_columns(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_o: Array,
    n_heads: int,
    mask: Mask | None = None,
) -> tuple[Array, Array]:
    """(..., d_model, n) -> output (..., d_out, n), weights (..., n_heads, n, n).

    Matrices act from the left: w_q, w_k (n_heads·d_head, d_model), w_v (n_heads·d_v, d_model),
    w_o (d_out, n_heads·d_v). `mask` (..., n_keys, n_queries). Raises as attention_in_columns does.
    """
    queries, keys, values = (_split(w @ x, n_heads) for w in (w_q, w_k, w_v))
    if mask is not None and mask.ndim >= 3:
        mask = mask[..., None, :, :]  # the same mask for every head
    output, weights = attention_in_columns(queries, keys, finite_values(values), mask)
    *stack, _, d_v, n = output.shape
    return w_o @ output.reshape(*stack, n_heads * d_v, n), weights


def _split(columns: Array, n_heads: int) -> Array:
    """(..., n_heads·d_head, n) -> (..., n_heads, d_head, n): no swap is needed, heads are runs of rows."""
    *stack, height, n = columns.shape
    return columns.reshape(*stack, n_heads, height // n_heads, n)

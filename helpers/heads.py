"""How is attention cut into heads? Project, split, attend, merge (lessons 06 and 07).

d_model = n_heads × d_head in the usual case. Row convention: a token is a row, `x @ w_q`, so that a matrix
has shape (in, out); `nn.Linear` stores (out, in).
"""

import numpy as np

from helpers import inputs
from helpers.attention import attention
from helpers.door import checked_by
from helpers.precision import finite_values
from helpers.validation import Array, Mask


@checked_by(inputs.attend_in_heads)
def attend_in_heads(
    queries: Array, keys: Array, values: Array, n_heads: int, mask: Mask | None = None
) -> tuple[Array, Array]:
    """(..., n_queries, H·d_head), (..., n_keys, H·d_head), (..., n_keys, H·d_v) -> merged, weights.

    Split into H = n_heads, attend, merge. merged has shape (..., n_queries, H·d_v), weights has shape
    (..., H, n_queries, n_keys). `mask` (..., n_queries, n_keys) is the same in every head.
    Raises as attention does, and ValueError where n_heads does not divide a width.
    """
    queries, keys, values = (split_heads(rows, n_heads) for rows in (queries, keys, values))
    output, weights = attention(queries, keys, finite_values(values), _for_every_head(mask))
    return merge_heads(output), weights


@checked_by(inputs.split_heads)
def split_heads(rows: Array, n_heads: int) -> Array:
    """(..., n, n_heads·d_head) -> (..., n_heads, n, d_head): head h gets the h-th run of d_head columns.

    Raises ValueError unless n_heads divides the width, TypeError unless it is a whole number.
    """
    *stack, n, width = rows.shape
    columns_by_head = rows.reshape(*stack, n, n_heads, width // n_heads)
    return np.swapaxes(columns_by_head, -3, -2)


@checked_by(inputs.merge_heads)
def merge_heads(heads: Array) -> Array:
    """(..., n_heads, n, d_head) -> (..., n, n_heads·d_head): side by side again; undoes split_heads.

    Raises ValueError for fewer than three axes, TypeError for anything but real numbers.
    """
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads, -3, -2).reshape(*stack, n, n_heads * d_head)


@checked_by(inputs.project)
def project(rows: Array, w: Array, bias: Array) -> Array:
    """(..., n, d_in), (d_in, d_out), (d_out,) -> (..., n, d_out): rows @ w + bias; without a bias it is 0.

    Raises ValueError where shapes do not fit, TypeError for anything but real numbers.
    """
    return rows @ w + bias


def _for_every_head(mask: Mask | None) -> Mask | None:
    """(..., n_queries, n_keys) -> (..., 1, n_queries, n_keys): the same mask for every head."""
    return mask if mask is None or mask.ndim < 3 else mask[..., None, :, :]

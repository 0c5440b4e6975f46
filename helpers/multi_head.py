"""Why look in several ways at once? Split, attend, merge, W_O (lesson 06).

d_model = n_heads × d_head in the usual case. Row convention: a token is a row, `x @ w_q`, so that a matrix
has shape (in, out); `nn.Linear` stores (out, in).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from helpers.attention import attention
from helpers.validation import Array, as_floats, as_rows, require_count


class Projections(NamedTuple):
    """The four learned matrices of multi-head attention, and their biases where there are any.

    w_q (d_model, n_heads·d_head), w_k (d_context, n_heads·d_head), w_v (d_context, n_heads·d_v),
    w_o (n_heads·d_v, d_out); each bias has as many entries as its matrix has columns.
    """

    w_q: ArrayLike
    w_k: ArrayLike
    w_v: ArrayLike
    w_o: ArrayLike
    b_q: ArrayLike | None = None
    b_k: ArrayLike | None = None
    b_v: ArrayLike | None = None
    b_o: ArrayLike | None = None


def multi_head_attention(
    x: ArrayLike, projections: Projections, n_heads: int, mask: ArrayLike | None = None
) -> tuple[Array, Array]:
    """(..., n, d_model) -> output (..., n, d_out), weights (..., n_heads, n, n).

    Each head has queries, keys and values of its own, cut out of x @ w_q, x @ w_k, x @ w_v. `mask`
    (..., n, n) is True where a token may attend to another, in every head.
    Raises ValueError where shapes do not fit, and as attention does; TypeError for anything but real numbers.
    Source: Vaswani et al. 2017, section 3.2.2.
    """
    queries = project("x", x, "w_q", projections.w_q, projections.b_q)
    keys = project("x", x, "w_k", projections.w_k, projections.b_k)
    values = project("x", x, "w_v", projections.w_v, projections.b_v)
    merged, weights = attend_in_heads(queries, keys, values, n_heads, mask)
    return project("the merged heads", merged, "w_o", projections.w_o, projections.b_o), weights


def attend_in_heads(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, n_heads: int, mask: ArrayLike | None = None
) -> tuple[Array, Array]:
    """(..., n_queries, H·d_head), (..., n_keys, H·d_head), (..., n_keys, H·d_v) -> merged, weights.

    Split into H = n_heads, attend, merge. merged has shape (..., n_queries, H·d_v), weights has shape
    (..., H, n_queries, n_keys). `mask` (..., n_queries, n_keys) is the same in every head.
    Raises as attention does, and ValueError where n_heads does not divide a width.
    """
    queries, keys, values = (split_heads(rows, n_heads) for rows in (queries, keys, values))
    output, weights = attention(queries, keys, values, _for_every_head(mask))
    return merge_heads(output), weights


def split_heads(rows: ArrayLike, n_heads: int) -> Array:
    """(..., n, n_heads·d_head) -> (..., n_heads, n, d_head): head h gets the h-th run of d_head columns.

    Raises ValueError unless n_heads divides the width, TypeError unless it is a whole number.
    """
    rows = as_rows("rows", rows, "n", "n_heads * d_head")
    n_heads = require_count("n_heads", n_heads)
    *stack, n, width = rows.shape
    if width % n_heads:
        raise ValueError(
            f"n_heads must divide the width of the rows; got {n_heads} heads and shape {rows.shape}"
        )
    columns_by_head = rows.reshape(*stack, n, n_heads, width // n_heads)
    return np.swapaxes(columns_by_head, -3, -2)


def merge_heads(heads: ArrayLike) -> Array:
    """(..., n_heads, n, d_head) -> (..., n, n_heads·d_head): side by side again; undoes split_heads.

    Raises ValueError for fewer than three axes, TypeError for anything but real numbers.
    """
    heads = as_floats("heads", heads)
    if heads.ndim < 3:
        raise ValueError(f"heads must have shape (..., n_heads, n, d_head); got {heads.shape}")
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads, -3, -2).reshape(*stack, n, n_heads * d_head)


def value_maps(w_v: ArrayLike, w_o: ArrayLike, n_heads: int) -> Array:
    """(d_model, n_heads·d_v), (n_heads·d_v, d_out) -> (n_heads, d_model, d_out): value-down @ value-up.

    Head h adds weights_h @ x @ value_maps[h] to the output: what it reads of a token, and where it writes it.
    The rank of each is at most d_v. Raises ValueError where shapes do not fit, TypeError for anything but
    real numbers.
    Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits" (there W_OV).
    """
    down = split_heads(w_v, n_heads)
    w_o = as_rows("w_o", w_o, "n_heads * d_v", "d_out")
    if down.ndim != 3 or w_o.ndim != 2 or w_o.shape[0] != down.shape[0] * down.shape[2]:
        raise ValueError(
            f"w_v must have shape (d_model, n_heads * d_v) and w_o (n_heads * d_v, d_out); "
            f"got {np.shape(w_v)} and {w_o.shape}"
        )
    up = w_o.reshape(down.shape[0], down.shape[2], w_o.shape[1])
    return down @ up


def project(name: str, rows: ArrayLike, w_name: str, w: ArrayLike, bias: ArrayLike | None = None) -> Array:
    """A name, (..., n, d_in), a name, (d_in, d_out), (d_out,) -> (..., n, d_out): rows @ w + bias.

    The names stand in the errors. Raises ValueError where shapes do not fit, TypeError for anything but real
    numbers.
    """
    rows = as_rows(name, rows, "n", "d_in")
    w = as_rows(w_name, w, "d_in", "d_out")
    if w.ndim != 2 or w.shape[0] != rows.shape[-1]:
        raise ValueError(
            f"{w_name} must have shape (d_in, d_out) with d_in = {rows.shape[-1]}, the width of {name} "
            f"{rows.shape}; got {w.shape}"
        )
    if bias is None:
        return rows @ w
    bias = as_floats(f"the bias of {w_name}", bias)
    if bias.shape != w.shape[1:]:
        raise ValueError(f"the bias of {w_name} must have shape {w.shape[1:]}; got {bias.shape}")
    return rows @ w + bias


def _for_every_head(mask: ArrayLike | None) -> Array | None:
    """(..., n_queries, n_keys) -> (..., 1, n_queries, n_keys): the same mask for every head."""
    if mask is None:
        return None
    mask = np.asarray(mask)
    return mask if mask.ndim < 3 else mask[..., None, :, :]

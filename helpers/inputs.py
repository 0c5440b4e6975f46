"""What each function of the maths asks of its input: one check a function, under the name of the function.

A check takes what the function takes and gives it back as arrays that fit one another, or raises an error
from helpers.validation. It is asked once, at the door (helpers.door).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from helpers.validation import (
    Array,
    Mask,
    Planned,
    as_columns,
    as_floats,
    as_gradient,
    as_mask,
    as_rows,
    as_weights,
    require_all_stacks,
    require_axis,
    require_count,
    require_directions,
    require_finite,
    require_fitting,
    require_matching_stacks,
    require_same_length,
)

Attended = tuple[Array, Array, Array, Mask | None]
Matrices = tuple[Array, ...]  # w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o

# --- lessons 01 to 05 ---------------------------------------------------------------------------------------


def dot_product_scores(queries: ArrayLike, keys: ArrayLike) -> tuple[Array, Array]:
    """Queries and keys -> arrays. Raises ValueError where d_k or the leading axes differ."""
    queries = as_rows("queries", queries, "n_queries", "d_k")
    keys = as_rows("keys", keys, "n_keys", "d_k")
    require_same_length("queries", queries, "keys", keys)
    require_matching_stacks("queries", queries, "keys", keys)
    return queries, keys


def vector_lengths(vectors: ArrayLike) -> tuple[Array]:
    """Vectors -> an array. Raises ValueError for a single number."""
    vectors = as_floats("vectors", vectors)
    if vectors.ndim == 0:
        raise ValueError("vectors must have shape (..., d); got a single number, shape ()")
    return (vectors,)


def cosine_scores(queries: ArrayLike, keys: ArrayLike) -> tuple[Array, Array]:
    """Queries and keys -> arrays. Raises as dot_product_scores, and where a vector has no direction."""
    queries, keys = dot_product_scores(queries, keys)
    require_directions("queries", queries)
    require_directions("keys", keys)
    return queries, keys


def hard_lookup(queries: ArrayLike, keys: ArrayLike, values: ArrayLike) -> tuple[Array, Array, Array]:
    """Queries, keys, values -> arrays. Raises ValueError unless they are one sequence, with a key in it."""
    values = as_rows("values", values, "n_keys", "d_v")
    queries, keys = dot_product_scores(queries, keys)
    scores = _scores(queries, keys)
    if len(scores.shape) != 2 or values.ndim != 2:
        raise ValueError(
            f"hard_lookup takes one sequence at a time; got scores {scores.shape}, values {values.shape}"
        )
    if scores.shape[1] != values.shape[0] or scores.shape[1] == 0:
        raise ValueError(
            f"keys and values must have the same number of rows, at least 1; "
            f"got {scores.shape[1]} and {values.shape[0]}"
        )
    return queries, keys, values


def scale_scores(scores: ArrayLike, d_k: int) -> tuple[Array, int]:
    """Scores and d_k -> an array and an int. Raises ValueError unless d_k is at least 1."""
    return as_floats("scores", scores), require_count("d_k", d_k)


def softmax(scores: ArrayLike, axis: int = -1) -> tuple[Array, int]:
    """Scores and an axis -> an array and an int. Raises ValueError for an axis that is not there.

    NaN and +inf show in the largest score: minus_largest of helpers.precision looks there.
    """
    scores = as_floats("scores", scores)
    return scores, require_axis(scores, axis)


def log_softmax(scores: ArrayLike, axis: int = -1) -> tuple[Array, int]:
    """Scores and an axis -> an array and an int. Raises as softmax does."""
    return softmax(scores, axis)


def entropy(weights: ArrayLike, axis: int = -1) -> tuple[Array, int]:
    """Weights and an axis -> an array and an int. Raises ValueError unless rows sum to 1, or are all 0."""
    return as_weights("weights", weights, axis)


def softmax_jacobian(weights: ArrayLike) -> tuple[Array]:
    """Weights -> an array. Raises ValueError unless they are weights along the last axis."""
    return (as_weights("weights", weights, -1)[0],)


def causal_mask(n_queries: int, n_keys: int | None = None) -> tuple[int, int]:
    """Two counts, the second as the first unless given -> ints. Raises ValueError where one is negative."""
    n_queries = require_count("n_queries", n_queries, least=0)
    return n_queries, n_queries if n_keys is None else require_count("n_keys", n_keys, least=0)


def padding_mask(lengths: ArrayLike, n_keys: int) -> tuple[Array, int]:
    """Lengths and a count -> an array and an int. Raises ValueError unless they lie from 0 to n_keys."""
    n_keys = require_count("n_keys", n_keys, least=0)
    lengths = np.asarray(lengths)
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"lengths must be whole numbers, one for each sequence; got dtype {lengths.dtype}")
    if lengths.size and (lengths.min() < 0 or lengths.max() > n_keys):
        raise ValueError(
            f"lengths must lie from 0 to n_keys = {n_keys}; got {lengths.min()} to {lengths.max()}"
        )
    return lengths, n_keys


def mask_scores(scores: ArrayLike, mask: ArrayLike | None) -> tuple[Array, Mask | None]:
    """Scores and a mask -> arrays. Raises TypeError or ValueError unless the mask is one for these scores."""
    scores = as_floats("scores", scores)
    return scores, as_mask(mask, scores.shape)


def attention(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, mask: ArrayLike | None = None
) -> Attended:
    """Queries, keys, values, a mask -> arrays. Raises ValueError where they do not fit, or a value is inf."""
    queries = as_rows("queries", queries, "n_queries", "d_k")
    keys = as_rows("keys", keys, "n_keys", "d_k")
    values = as_rows("values", values, "n_keys", "d_v")
    require_fitting(queries, keys, values)
    require_finite("values", values)
    return queries, keys, values, as_mask(mask, _scores(queries, keys).shape)


def _stack(array: Array | Planned, other: Array | Planned) -> tuple[int, ...]:
    """Two arrays that fit -> the axes before the last two, to which both broadcast."""
    stack, other_stack = array.shape[:-2], other.shape[:-2]
    return stack if stack == other_stack else np.broadcast_shapes(stack, other_stack)


def _scores(queries: Array | Planned, keys: Array | Planned) -> Planned:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> the scores, as they will be."""
    stack = _stack(queries, keys)
    return Planned((*stack, queries.shape[-2], keys.shape[-2]))


# --- lessons 06 and 07 --------------------------------------------------------------------------------------


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


def split_heads(rows: ArrayLike, n_heads: int) -> tuple[Array, int]:
    """Rows and n_heads -> an array and an int. Raises ValueError unless n_heads divides the width."""
    rows = as_rows("rows", rows, "n", "n_heads * d_head")
    n_heads = require_count("n_heads", n_heads)
    _heads(rows, n_heads)
    return rows, n_heads


def merge_heads(heads: ArrayLike) -> tuple[Array]:
    """Heads -> an array. Raises ValueError for fewer than three axes."""
    heads = as_floats("heads", heads)
    if heads.ndim < 3:
        raise ValueError(f"heads must have shape (..., n_heads, n, d_head); got {heads.shape}")
    return (heads,)


def value_maps(w_v: ArrayLike, w_o: ArrayLike, n_heads: int) -> tuple[Array, Array, int]:
    """Two matrices and n_heads -> arrays and an int. Raises ValueError where they do not fit."""
    w_v, n_heads = split_heads(w_v, n_heads)
    w_o = as_rows("w_o", w_o, "n_heads * d_v", "d_out")
    if w_v.ndim != 2 or w_o.ndim != 2 or w_o.shape[0] != w_v.shape[1]:
        raise ValueError(
            f"w_v must have shape (d_model, n_heads * d_v) and w_o (n_heads * d_v, d_out); "
            f"got {w_v.shape} and {w_o.shape}"
        )
    return w_v, w_o, n_heads


def project(rows: ArrayLike, w: ArrayLike, bias: ArrayLike | None = None) -> tuple[Array, Array, Array]:
    """Rows, a matrix, a bias -> arrays; no bias is 0. Raises ValueError where shapes do not fit."""
    rows = as_rows("rows", rows, "n", "d_in")
    return rows, *_matrix_and_bias("rows", rows, "w", w, bias)


def attend_in_heads(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, n_heads: int, mask: ArrayLike | None = None
) -> tuple[Array, Array, Array, int, Mask | None]:
    """Rows, n_heads, a mask -> arrays. Raises as attention does, and unless n_heads divides each width."""
    queries, n_heads = split_heads(queries, n_heads)
    keys, _ = split_heads(keys, n_heads)
    values, _ = split_heads(values, n_heads)
    return queries, keys, values, n_heads, _mask_of_heads(queries, keys, values, n_heads, mask)


def multi_head_attention(
    x: ArrayLike, projections: Projections, n_heads: int, mask: ArrayLike | None = None
) -> tuple[Array, Matrices, int, Mask | None]:
    """x, projections, n_heads, a mask -> arrays. Raises ValueError where something does not fit."""
    x, _, matrices, n_heads, mask = _rows_and_matrices(("x", x), ("x", x), projections, n_heads, mask)
    return x, matrices, n_heads, mask


def cross_attention(
    x: ArrayLike,
    context: ArrayLike,
    projections: Projections,
    n_heads: int = 1,
    mask: ArrayLike | None = None,
) -> tuple[Array, Array, Matrices, int, Mask | None]:
    """x, context, projections, n_heads, a mask -> arrays. Raises ValueError where something does not fit."""
    return _rows_and_matrices(("x", x), ("context", context), projections, n_heads, mask)


def _rows_and_matrices(
    named_x: tuple[str, ArrayLike],
    named_context: tuple[str, ArrayLike],
    given: Projections,
    n_heads: int,
    mask: ArrayLike | None,
) -> tuple[Array, Array, Matrices, int, Mask | None]:
    """As cross_attention, step by step: no number is computed, only the shapes that each step will have."""
    (name, x), (context_name, context) = named_x, named_context
    x = as_rows(name, x, "n", "d_in")
    w_q, b_q = _matrix_and_bias(name, x, "w_q", given.w_q, given.b_q)
    context = as_rows(context_name, context, "n", "d_in")
    w_k, b_k = _matrix_and_bias(context_name, context, "w_k", given.w_k, given.b_k)
    w_v, b_v = _matrix_and_bias(context_name, context, "w_v", given.w_v, given.b_v)
    n_heads = require_count("n_heads", n_heads)
    queries, keys, values = _product(x, w_q), _product(context, w_k), _product(context, w_v)
    mask = _mask_of_heads(queries, keys, values, n_heads, mask)
    stack = _stack(queries, keys)
    merged = Planned((*stack, queries.shape[-2], values.shape[-1]))
    w_o, b_o = _matrix_and_bias("the merged heads", merged, "w_o", given.w_o, given.b_o)
    return x, context, (w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o), n_heads, mask


def _matrix_and_bias(
    name: str, rows: Array | Planned, w_name: str, w: ArrayLike, bias: ArrayLike | None
) -> tuple[Array, Array]:
    """A matrix for these rows and its bias -> arrays; where there is no bias it is 0."""
    w = as_rows(w_name, w, "d_in", "d_out")
    if w.ndim != 2 or w.shape[0] != rows.shape[-1]:
        raise ValueError(
            f"{w_name} must have shape (d_in, d_out) with d_in = {rows.shape[-1]}, the width of {name} "
            f"{rows.shape}; got {w.shape}"
        )
    if bias is None:
        return w, np.zeros((), w.dtype)
    bias = as_floats(f"the bias of {w_name}", bias)
    if bias.shape != w.shape[1:]:
        raise ValueError(f"the bias of {w_name} must have shape {w.shape[1:]}; got {bias.shape}")
    return w, bias


def _product(rows: Array, w: Array) -> Planned:
    """(..., n, d_in), (d_in, d_out) -> rows @ w, as it will be."""
    return Planned((*rows.shape[:-1], w.shape[1]))


def _heads(rows: Array | Planned, n_heads: int) -> Planned:
    """(..., n, n_heads·d_head) -> (..., n_heads, n, d_head), as it will be. Raises unless it divides."""
    *stack, n, width = rows.shape
    if width % n_heads:
        raise ValueError(
            f"n_heads must divide the width of the rows; got {n_heads} heads and shape {rows.shape}"
        )
    return Planned((*stack, n_heads, n, width // n_heads))


def _mask_of_heads(
    queries: Array | Planned,
    keys: Array | Planned,
    values: Array | Planned,
    n_heads: int,
    mask: ArrayLike | None,
) -> Mask | None:
    """Rows that will be split into heads, a mask or none -> the mask. Raises ValueError unless they fit."""
    queries, keys, values = (_heads(rows, n_heads) for rows in (queries, keys, values))
    require_fitting(queries, keys, values)
    return _mask_for_each_head(mask, _scores(queries, keys))


def _mask_for_each_head(mask: ArrayLike | None, scores: Planned) -> Mask | None:
    """A mask without the axis of heads, the scores with it -> the mask. Raises ValueError unless it fits."""
    if mask is None:
        return None
    mask = np.asarray(mask)
    as_mask(mask if mask.ndim < 3 else mask[..., None, :, :], scores.shape)
    return mask


# --- lesson 11: the way back --------------------------------------------------------------------------------


def softmax_backward(d_weights: ArrayLike, weights: ArrayLike) -> tuple[Array, Array]:
    """A gradient and its weights -> arrays. Raises ValueError unless they fit and each row sums to 1 or 0."""
    weights, _ = as_weights("weights", weights, -1)
    return as_gradient("d_weights", d_weights, weights.shape, "weights"), weights


def attention_backward(
    d_output: ArrayLike,
    queries: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    mask: ArrayLike | None = None,
) -> tuple[Array, Array, Array, Array, Mask | None]:
    """A gradient, then as attention -> arrays. Raises ValueError where something does not fit."""
    queries, keys, values, mask = attention(queries, keys, values, mask)
    shape = _output(queries, keys, values).shape
    return as_gradient("d_output", d_output, shape, "the output"), queries, keys, values, mask


def project_backward(d_projected: ArrayLike, rows: ArrayLike, w: ArrayLike) -> tuple[Array, Array, Array]:
    """A gradient, rows, a matrix -> arrays. Raises ValueError where shapes do not fit."""
    rows = as_rows("rows", rows, "n", "d_in")
    w, _ = _matrix_and_bias("rows", rows, "w", w, None)
    shape = _product(rows, w).shape
    return as_gradient("d_projected", d_projected, shape, "rows @ w"), rows, w


def cross_attention_backward(
    d_output: ArrayLike,
    x: ArrayLike,
    context: ArrayLike,
    projections: Projections,
    n_heads: int = 1,
    mask: ArrayLike | None = None,
) -> tuple[Array, Array, Array, Matrices, int, Mask | None]:
    """A gradient, then as cross_attention -> arrays. Raises ValueError where something does not fit."""
    x, context, matrices, n_heads, mask = cross_attention(x, context, projections, n_heads, mask)
    shape = (*_stack(x, context), x.shape[-2], matrices[3].shape[1])
    return as_gradient("d_output", d_output, shape, "the output"), x, context, matrices, n_heads, mask


def multi_head_attention_backward(
    d_output: ArrayLike,
    x: ArrayLike,
    projections: Projections,
    n_heads: int,
    mask: ArrayLike | None = None,
) -> tuple[Array, Array, Matrices, int, Mask | None]:
    """A gradient, then as multi_head_attention -> arrays. Raises ValueError where something does not fit."""
    x, matrices, n_heads, mask = multi_head_attention(x, projections, n_heads, mask)
    shape = (*x.shape[:-1], matrices[3].shape[1])
    return as_gradient("d_output", d_output, shape, "the output"), x, matrices, n_heads, mask


def _output(queries: Array, keys: Array, values: Array) -> Planned:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> the output, as it will be."""
    scores = _scores(queries, keys)
    stack = np.broadcast_shapes(scores.shape[:-2], values.shape[:-2])
    return Planned((*stack, queries.shape[-2], values.shape[-1]))


# --- the column convention ----------------------------------------------------------------------------------


def attention_in_columns(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, mask: ArrayLike | None = None
) -> Attended:
    """Queries, keys, values, a mask -> arrays. Raises ValueError where they do not fit, or a value is inf."""
    queries = as_columns("queries", queries, "d_k", "n_queries")
    keys = as_columns("keys", keys, "d_k", "n_keys")
    values = as_columns("values", values, "d_v", "n_keys")
    scores = _scores_in_columns(queries, keys, values)
    require_finite("values", values)
    return queries, keys, values, as_mask(mask, scores.shape)


def causal_mask_in_columns(n_queries: int, n_keys: int | None = None) -> tuple[int, int]:
    """Two counts -> ints. Raises as causal_mask does."""
    return causal_mask(n_queries, n_keys)


def multi_head_attention_in_columns(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    w_o: ArrayLike,
    n_heads: int,
    mask: ArrayLike | None = None,
) -> tuple[Array, Array, Array, Array, Array, int, Mask | None]:
    """x, four matrices, n_heads, a mask -> arrays. Raises ValueError where something does not fit."""
    x = as_columns("x", x, "d_model", "n")
    n_heads = require_count("n_heads", n_heads)
    w_q, w_k, w_v = (
        _matrix_from_the_left(name, w, x) for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v))
    )
    queries, keys, values = (_heads_in_columns(w, x, n_heads) for w in (w_q, w_k, w_v))
    scores = _scores_in_columns(queries, keys, values)
    mask = _mask_for_each_head(mask, scores)
    merged = Planned((*x.shape[:-2], w_v.shape[0], x.shape[-1]))
    return x, w_q, w_k, w_v, _matrix_from_the_left("w_o", w_o, merged), n_heads, mask


def _scores_in_columns(queries: Array | Planned, keys: Array | Planned, values: Array | Planned) -> Planned:
    """Columns -> the scores (..., n_keys, n_queries), as they will be. Raises ValueError unless they fit."""
    if queries.shape[-2] != keys.shape[-2] or keys.shape[-1] != values.shape[-1]:
        raise ValueError(
            "queries (..., d_k, n_queries) and keys (..., d_k, n_keys) need the same d_k, keys and values "
            f"(..., d_v, n_keys) the same n_keys; got {queries.shape}, {keys.shape} and {values.shape}"
        )
    require_all_stacks(queries, keys, values)
    stack = _stack(queries, keys)
    return Planned((*stack, keys.shape[-1], queries.shape[-1]))


def _matrix_from_the_left(name: str, w: ArrayLike, x: Array | Planned) -> Array:
    w = as_rows(name, w, "d_out", "d_in")
    if w.ndim != 2 or w.shape[1] != x.shape[-2]:
        raise ValueError(f"{name} must have shape (d_out, d_in) with d_in = {x.shape[-2]}; got {w.shape}")
    return w


def _heads_in_columns(w: Array, x: Array, n_heads: int) -> Planned:
    """(n_heads·d_head, d_model), (..., d_model, n) -> (..., n_heads, d_head, n), as it will be."""
    columns = (*x.shape[:-2], w.shape[0], x.shape[-1])
    if w.shape[0] % n_heads:
        raise ValueError(f"n_heads must divide the height of W x; got {n_heads} heads and {columns}")
    return Planned((*x.shape[:-2], n_heads, w.shape[0] // n_heads, x.shape[-1]))

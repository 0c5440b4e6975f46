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
    as_finite,
    as_floats,
    as_mask,
    as_positions,
    as_rows,
    as_weights,
    require_all_stacks,
    require_axis,
    require_broadcast,
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


def project(
    name: str, rows: ArrayLike, w_name: str, w: ArrayLike, bias: ArrayLike | None = None
) -> tuple[str, Array, str, Array, Array]:
    """Names, rows, a matrix, a bias -> arrays; no bias is 0. Raises ValueError where shapes do not fit."""
    rows = as_rows(name, rows, "n", "d_in")
    return name, rows, w_name, *_matrix_and_bias(name, rows, w_name, w, bias)


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


# --- lesson 10 ----------------------------------------------------------------------------------------------

LAYOUTS = ("halves", "pairs")  # which entries of a row turn together


def positions_after(n_before: int, n: int) -> tuple[int, int]:
    """Two counts -> ints. Raises ValueError where one is negative."""
    return require_count("n_before", n_before, least=0), require_count("n", n, least=0)


def positions_without_padding(real: ArrayLike) -> tuple[Mask]:
    """True for tokens, False for padding -> an array. Raises TypeError or ValueError where it is neither."""
    real = np.asarray(real)
    if real.dtype != np.bool_:
        raise TypeError(f"real must hold True (a token) and False (padding); got dtype {real.dtype}")
    if real.ndim == 0:
        raise ValueError("real must have shape (..., n), one entry for each token; got a single value")
    return (real,)


def distances(query_positions: ArrayLike, key_positions: ArrayLike) -> tuple[Array, Array]:
    """Two rows of positions -> arrays. Raises ValueError where the axes before the last do not broadcast."""
    query_positions = as_positions("query_positions", query_positions)
    key_positions = as_positions("key_positions", key_positions)
    stacks = query_positions[..., None], key_positions[..., None]
    require_matching_stacks("query_positions[..., None]", stacks[0], "key_positions[..., None]", stacks[1])
    return query_positions, key_positions


def speeds(d: int, base: float = 10_000.0) -> tuple[int, float]:
    """A width and a base -> the same. Raises ValueError unless d is even and at least 2, and base above 0."""
    return _even("d", require_count("d", d, least=2)), _base(base)


def sinusoidal(positions: ArrayLike, d_model: int, base: float = 10_000.0) -> tuple[Array, int, float]:
    """Positions, a width, a base -> the same. Raises as speeds does, and unless positions are finite."""
    d_model = _even("d_model", require_count("d_model", d_model, least=2))
    return as_positions("positions", positions), d_model, _base(base)


def learned(positions: ArrayLike, table: ArrayLike) -> tuple[Array, Array]:
    """Positions and a table -> arrays. Raises ValueError for a position without a row in the table."""
    table = _table("table", table, "longest", "d_model")
    return _rows_of("positions", positions, table), table


def t5_buckets(distances: ArrayLike, n_buckets: int = 32, longest: int = 128) -> tuple[Array, int, int]:
    """Distances and two counts -> the same. Raises ValueError unless n_buckets >= 2, longest > half of it."""
    n_buckets = require_count("n_buckets", n_buckets, least=2)
    longest = require_count("longest", longest, least=n_buckets // 2 + 1)
    return as_finite("distances", distances), n_buckets, longest


def t5_buckets_both_ways(
    distances: ArrayLike, n_buckets: int = 32, longest: int = 128
) -> tuple[Array, int, int]:
    """Distances and two counts -> the same. Raises as t5_buckets with half as many, and for an odd number."""
    half = _even("n_buckets", require_count("n_buckets", n_buckets, least=4)) // 2
    distances, half, longest = t5_buckets(distances, half, longest)
    return distances, 2 * half, longest


def relative_bias(buckets: ArrayLike, table: ArrayLike) -> tuple[Array, Array]:
    """Buckets and a table -> arrays. Raises ValueError for a bucket without a row in the table."""
    table = _table("table", table, "n_buckets", "n_heads")
    buckets = _rows_of("buckets", buckets, table)
    if buckets.ndim < 2:
        raise ValueError(f"buckets must have shape (..., n_queries, n_keys); got {buckets.shape}")
    return buckets, table


def alibi_slopes(n_heads: int) -> tuple[int]:
    """A count -> an int. Raises ValueError unless it is at least 1."""
    return (require_count("n_heads", n_heads),)


def alibi_bias(distances: ArrayLike, slopes: ArrayLike) -> tuple[Array, Array]:
    """Distances and slopes -> arrays. Raises ValueError unless slopes have one axis, that of the heads."""
    distances, slopes = as_finite("distances", distances), as_finite("slopes", slopes)
    if distances.ndim < 2 or slopes.ndim != 1:
        raise ValueError(
            "distances must have shape (..., n_queries, n_keys) and slopes (n_heads,); "
            f"got {distances.shape} and {slopes.shape}"
        )
    return distances, slopes


def biased_attention(
    queries: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    bias: ArrayLike,
    mask: ArrayLike | None = None,
) -> tuple[Array, Array, Array, Array, Mask | None]:
    """As attention, and a bias -> arrays. Raises ValueError where it does not broadcast, or is not finite."""
    queries, keys, values, mask = attention(queries, keys, values, mask)
    bias, shape = as_finite("bias", bias), _scores(queries, keys).shape
    require_broadcast("bias", bias, "the scores, (..., n_queries, n_keys)", shape)
    return queries, keys, values, bias, mask


def rotate(
    x: ArrayLike, positions: ArrayLike, base: float = 10_000.0, layout: str = "halves"
) -> tuple[Array, Array, float, str]:
    """Rows, positions, a base, a layout -> the same. Raises ValueError where something does not fit."""
    x, positions = as_rows("x", x, "n", "d_head"), as_positions("positions", positions)
    _even("d_head", x.shape[-1])
    require_broadcast("positions", positions, "the rows of x, (..., n)", x.shape[:-1])
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be {' or '.join(map(repr, LAYOUTS))}; got {layout!r}")
    return x, positions, _base(base), layout


def to_halves(w: ArrayLike, n_heads: int) -> tuple[Array, int]:
    """Columns of heads, a count -> the same. Raises ValueError unless each head has an even number."""
    w, n_heads = as_floats("w", w), require_count("n_heads", n_heads)
    if w.ndim == 0 or w.shape[-1] == 0 or w.shape[-1] % (2 * n_heads):
        raise ValueError(
            "w must have shape (..., n_heads * d_head) with an even d_head; "
            f"got {n_heads} heads and shape {w.shape}"
        )
    return w, n_heads


def to_pairs(w: ArrayLike, n_heads: int) -> tuple[Array, int]:
    """Columns of heads, a count -> the same. Raises as to_halves does."""
    return to_halves(w, n_heads)


def _even(name: str, count: int) -> int:
    if count % 2:
        raise ValueError(f"{name} must be even: its entries turn in pairs; got {count}")
    return count


def _base(base: float) -> float:
    number = as_finite("base", base)
    if number.ndim != 0 or number <= 0:
        raise ValueError(f"base must be one number above 0; got {base!r}")
    return float(number)


def _table(name: str, table: ArrayLike, n_name: str, d_name: str) -> Array:
    """A table -> an array (n, d). Raises ValueError for another number of axes."""
    table = as_rows(name, table, n_name, d_name)
    if table.ndim != 2:
        raise ValueError(f"{name} must have shape ({n_name}, {d_name}); got {table.shape}")
    return table


def _rows_of(name: str, numbers: ArrayLike, table: Array) -> Array:
    """Numbers of rows, a table -> whole numbers. Raises ValueError for one that the table has not."""
    rows = np.asarray(numbers)
    if rows.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, to look up in the table; got dtype {rows.dtype}")
    if rows.size and not 0 <= rows.min() <= rows.max() < len(table):
        raise ValueError(
            f"{name} must lie from 0 to {len(table) - 1}, the last row of the table {table.shape}; "
            f"got {rows.min()} to {rows.max()}"
        )
    return rows


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

"""What each function of helpers.positions asks of its input: one check a function, as in helpers.inputs."""

import numpy as np
from numpy.typing import ArrayLike

from helpers.inputs import attention
from helpers.validation import (
    Array,
    Mask,
    as_finite,
    as_floats,
    as_positions,
    as_rows,
    require_broadcast,
    require_count,
    require_matching_stacks,
)

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
    stack = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    bias, shape = as_finite("bias", bias), (*stack, queries.shape[-2], keys.shape[-2])
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

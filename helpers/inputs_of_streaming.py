"""What each function of helpers.streaming asks of its input: one check a function, as in helpers.inputs.

`append`, `keep` and `attend` are those of its KVCache: they are asked beside what is kept.
"""

import numpy as np
from numpy.typing import ArrayLike

from helpers.inputs import attention_backward
from helpers.precision import finite_values, working_dtype
from helpers.validation import (
    Array,
    Mask,
    as_floats,
    as_gradient,
    as_mask,
    as_rows,
    require_all_stacks,
    require_count,
    require_finite,
    require_same_length,
    require_scores,
)

# 256 × 512 scores are half a MiB in float32: small enough for a processor's second cache, and large enough
# that the two products of a tile take far longer than Python's steps around them. More queries waste more on
# the diagonal of a causal mask. 128 × 1024 are as many, and slower (paired, on one thread, 256 × 512 takes
# 0.95 of the time at n 2048, 0.91 at 4096): 512 keys and their values find room in the cache beside the tile.
TILE_QUERIES, TILE_KEYS = 256, 512

Fitting = tuple[Array, Array, Array, Mask | None]  # queries, keys, values, mask


def online_softmax(scores: ArrayLike, tile: int = TILE_KEYS) -> tuple[Array, int]:
    """Scores and a count -> an array and an int. Raises ValueError for a single number, NaN or +inf."""
    scores = as_floats("scores", scores)
    if scores.ndim == 0:
        raise ValueError("scores must have shape (..., n_queries, n_keys); got a single number, shape ()")
    require_scores("scores", scores)
    return scores, require_count("tile", tile)


def merge_partials(
    output: ArrayLike, log_sum_exp: ArrayLike, other_output: ArrayLike, other_log_sum_exp: ArrayLike
) -> tuple[Array, Array, Array, Array]:
    """Two partial results -> arrays. Raises ValueError unless they have one shape, and fitting sums."""
    output, log_sum_exp = _partial("", output, log_sum_exp)
    other_output, other_log_sum_exp = _partial("other_", other_output, other_log_sum_exp)
    if output.shape != other_output.shape:
        raise ValueError(
            f"output and other_output must have the same shape: the same queries, other keys; "
            f"got {output.shape} and {other_output.shape}"
        )
    return output, log_sum_exp, other_output, other_log_sum_exp


def blocked_attention(
    queries: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    causal: bool = False,
    window: int | None = None,
    tile_queries: int = TILE_QUERIES,
    tile_keys: int = TILE_KEYS,
) -> tuple[Array, Array, Array, Mask | None, bool, int | None, int, int]:
    """As attention, and counts -> arrays and ints. Raises ValueError where something does not fit."""
    fitting = _fitting(*_rows(queries, keys, values), mask)
    return *fitting, causal, _window(window), *_tiles(tile_queries, tile_keys)


def tile_kinds(
    n_queries: int,
    n_keys: int,
    *,
    causal: bool = False,
    window: int | None = None,
    tile_queries: int = TILE_QUERIES,
    tile_keys: int = TILE_KEYS,
) -> tuple[int, int, bool, int | None, int, int]:
    """Counts -> ints. Raises ValueError for a negative number of tokens, a window or a tile below 1."""
    n_queries = require_count("n_queries", n_queries, least=0)
    n_keys = require_count("n_keys", n_keys, least=0)
    return n_queries, n_keys, causal, _window(window), *_tiles(tile_queries, tile_keys)


def window_mask(n_queries: int, n_keys: int, window: int, sinks: int = 0) -> tuple[int, int, int, int]:
    """Four counts -> ints. Raises ValueError for a window below 1, or another that is negative."""
    window, sinks = require_count("window", window), require_count("sinks", sinks, least=0)
    n_queries = require_count("n_queries", n_queries, least=0)
    return n_queries, require_count("n_keys", n_keys, least=0), window, sinks


def grouped_query_attention(
    queries: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    causal: bool = False,
    window: int | None = None,
) -> tuple[Array, Array, Array, Mask | None, bool, int | None]:
    """As blocked_attention -> the same. Raises ValueError also unless the heads of keys divide the others."""
    return *_fitting_heads(*_rows(queries, keys, values), mask), causal, _window(window)


def append(keys: ArrayLike, values: ArrayLike, kept_keys: Array, kept_values: Array) -> tuple[Array, Array]:
    """New keys and values, those kept -> arrays. Raises ValueError or TypeError unless they fit, all four."""
    keys = as_rows("keys", keys, "n_new", "d_k")
    values = as_rows("values", values, "n_new", "d_v")
    require_same_length("keys", keys, "values", values, axis=-2)
    if keys.shape[:-2] != values.shape[:-2]:
        raise ValueError(
            f"keys and values must have the same axes before the last two (batch, heads); "
            f"got {keys.shape} and {values.shape}"
        )
    require_finite("values", values)
    if kept_keys.shape[-2]:
        _require_like_kept("keys", keys, kept_keys)
        _require_like_kept("values", values, kept_values)
    return keys, values


def keep(n_tokens: int, n_kept: int) -> tuple[int]:
    """Two counts -> the first as int. Raises ValueError unless it lies from 0 to the second."""
    n_tokens = require_count("n_tokens", n_tokens, least=0)
    if n_tokens > n_kept:
        raise ValueError(f"n_tokens must be at most {n_kept}, the tokens kept; got {n_tokens}")
    return (n_tokens,)


def attend(
    queries: ArrayLike, keys: Array, values: Array, mask: ArrayLike | None, window: int | None
) -> tuple[Array, Array, Array, Mask | None, int | None]:
    """Queries, what is kept, a mask, a window -> arrays. Raises ValueError for more queries than tokens.

    What is kept was looked at when it came; its numbers are not looked at again.
    """
    queries, n_tokens = as_rows("queries", queries, "n_queries", "d_k"), keys.shape[-2]
    if not n_tokens or queries.shape[-2] > n_tokens:
        raise ValueError(
            f"queries must belong to the last tokens of the cache: append their keys and values first; "
            f"got queries of shape {queries.shape} and {n_tokens} tokens"
        )
    window = _window(window)
    fitting = _fitting if keys.ndim == 2 else _fitting_heads
    return *fitting(queries, keys, values, mask), window


def blocked_attention_backward(
    d_output: ArrayLike,
    queries: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    output: ArrayLike,
    log_sum_exp: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    causal: bool = False,
    tile_queries: int = TILE_QUERIES,
    tile_keys: int = TILE_KEYS,
) -> tuple[Array, Array, Array, Array, Array, Array, Mask | None, bool, int, int]:
    """A gradient, what blocked_attention takes and gives -> arrays. Raises ValueError unless they fit."""
    d_output, queries, keys, values, mask = attention_backward(d_output, queries, keys, values, mask)
    output = as_gradient("output", output, d_output.shape, "d_output")
    log_sum_exp = as_floats("log_sum_exp", log_sum_exp)
    if log_sum_exp.shape != d_output.shape[:-1]:
        raise ValueError(
            f"log_sum_exp must have one number for each row of the output {d_output.shape}; "
            f"got {log_sum_exp.shape}"
        )
    require_scores("log_sum_exp", log_sum_exp)
    tiles = _tiles(tile_queries, tile_keys)
    return d_output, queries, keys, values, output, log_sum_exp, mask, causal, *tiles


def _window(window: int | None) -> int | None:
    return None if window is None else require_count("window", window)


def _tiles(tile_queries: int, tile_keys: int) -> tuple[int, int]:
    return require_count("tile_queries", tile_queries), require_count("tile_keys", tile_keys)


def _rows(queries: ArrayLike, keys: ArrayLike, values: ArrayLike) -> tuple[Array, Array, Array]:
    queries = as_rows("queries", queries, "n_queries", "d_k")
    keys = as_rows("keys", keys, "n_keys", "d_k")
    values = as_rows("values", values, "n_keys", "d_v")
    require_same_length("keys", keys, "values", values, axis=-2)
    return queries, keys, finite_values(values)


def _fitting(queries: Array, keys: Array, values: Array, mask: ArrayLike | None) -> Fitting:
    """As blocked_attention takes them -> the same. Raises ValueError where they do not fit."""
    require_same_length("queries", queries, "keys", keys)
    require_all_stacks(queries, keys, values)
    stack = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    return queries, keys, values, as_mask(mask, (*stack, queries.shape[-2], keys.shape[-2]))


def _fitting_heads(queries: Array, keys: Array, values: Array, mask: ArrayLike | None) -> Fitting:
    """As grouped_query_attention takes them -> the same. Raises ValueError where they do not fit."""
    require_same_length("queries", queries, "keys", keys)
    shapes = f"got queries {queries.shape}, keys {keys.shape}, values {values.shape}"
    if min(queries.ndim, keys.ndim, values.ndim) < 3:
        raise ValueError(f"grouped queries need an axis of heads, (..., heads, n, d); {shapes}")
    n_heads, n_kv_heads = queries.shape[-3], keys.shape[-3]
    if values.shape[-3] != n_kv_heads or n_kv_heads == 0 or n_heads % n_kv_heads:
        raise ValueError(
            f"keys and values must have the same number of heads (axis −3), and it must divide the number of "
            f"heads of the queries; {shapes}"
        )
    require_all_stacks(queries[..., :1, :, :], keys[..., :1, :, :], values[..., :1, :, :])
    outer = np.broadcast_shapes(queries.shape[:-3], keys.shape[:-3])
    return queries, keys, values, as_mask(mask, (*outer, n_heads, queries.shape[-2], keys.shape[-2]))


def _partial(whose: str, output: ArrayLike, log_sum_exp: ArrayLike) -> tuple[Array, Array]:
    output = as_rows(f"{whose}output", output, "n_queries", "d_v")
    log_sum_exp = as_floats(f"{whose}log_sum_exp", log_sum_exp)
    if log_sum_exp.shape != output.shape[:-1]:
        raise ValueError(
            f"{whose}log_sum_exp must have one number for each row of {whose}output {output.shape}; "
            f"got {log_sum_exp.shape}"
        )
    require_finite(f"{whose}output", output)
    require_scores(f"{whose}log_sum_exp", log_sum_exp)
    return output, log_sum_exp.astype(working_dtype(log_sum_exp))


def _require_like_kept(name: str, new: Array, kept: Array) -> None:
    if new.dtype != kept.dtype:
        raise TypeError(f"{name} must have the dtype of those in the cache, {kept.dtype}; got {new.dtype}")
    if new.shape[:-2] != kept.shape[:-2] or new.shape[-1] != kept.shape[-1]:
        raise ValueError(
            f"{name} must have the shape of those in the cache, {kept.shape}, but for the number of rows; "
            f"got {new.shape}"
        )

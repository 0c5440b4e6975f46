"""Which words are alike? Queries and keys in, scores out (lesson 01).

Row convention: each row is one vector, so row i of the scores belongs to query i and column j to key j.
"""

import numpy as np
from numpy.typing import ArrayLike

from helpers.validation import (
    Array,
    as_floats,
    as_rows,
    require_matching_stacks,
    require_same_length,
    require_scores,
)


def dot_product_scores(queries: ArrayLike, keys: ArrayLike) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys).

    Entry (i, j) is the dot product of query i with key j. No unit: it grows with the lengths of both vectors.
    A score beyond the dtype's range (65,504 in float16) is inf or -inf, with NumPy's warning.
    Raises ValueError where d_k or the leading axes differ, TypeError for anything but real numbers.
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1 (the QKᵀ of eq. 1).
    """
    queries, keys = _queries_and_keys(queries, keys)
    return queries @ np.swapaxes(keys, -1, -2)


def vector_lengths(vectors: ArrayLike) -> Array:
    """(..., d) -> (...). The Euclidean length √(v·v) of each vector.

    Squares are added in float64, where those of float16 and float32 numbers cannot overflow. A length beyond
    the dtype's own range is inf, with NumPy's warning.
    Raises ValueError for a single number, TypeError for anything but real numbers.
    """
    vectors = as_floats("vectors", vectors)
    if vectors.ndim == 0:
        raise ValueError("vectors must have shape (..., d); got a single number, shape ()")
    return np.asarray(np.linalg.norm(vectors.astype(np.float64), axis=-1)).astype(vectors.dtype)


def cosine_scores(queries: ArrayLike, keys: ArrayLike) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), from −1 to 1.

    The dot product of the directions alone: each vector is divided by its length first.
    Raises as dot_product_scores does, and ValueError where a vector has no direction: all zeros, inf or NaN.
    """
    queries, keys = _queries_and_keys(queries, keys)
    cosines = dot_product_scores(_directions("queries", queries), _directions("keys", keys))
    cosines = np.clip(cosines, -1, 1)  # rounding may give 1.0000000000000002
    return cosines.astype(np.result_type(queries, keys))


def hard_lookup(queries: ArrayLike, keys: ArrayLike, values: ArrayLike) -> tuple[Array, Array]:
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v) -> output (n_queries, d_v), chosen (n_queries,).

    Each query takes the whole value of the one key with the largest score (the first of equals).
    Lesson 04 softens this: every key answers, each with its weight.
    Raises ValueError where shapes differ, where there are leading axes, where there is no key to choose, or
    where a score is NaN or +inf; TypeError for anything but real numbers.
    """
    values = as_rows("values", values, "n_keys", "d_v")
    scores = dot_product_scores(queries, keys)
    if scores.ndim != 2 or values.ndim != 2:
        raise ValueError(
            f"hard_lookup takes one sequence at a time; got scores {scores.shape}, values {values.shape}"
        )
    if scores.shape[1] != values.shape[0] or scores.shape[1] == 0:
        raise ValueError(
            f"keys and values must have the same number of rows, at least 1; "
            f"got {scores.shape[1]} and {values.shape[0]}"
        )
    require_scores("scores", scores)  # argmax would choose a NaN
    chosen = scores.argmax(axis=-1)
    return values[chosen], chosen


def _queries_and_keys(queries: ArrayLike, keys: ArrayLike) -> tuple[Array, Array]:
    queries = as_rows("queries", queries, "n_queries", "d_k")
    keys = as_rows("keys", keys, "n_keys", "d_k")
    require_same_length("queries", queries, "keys", keys)
    require_matching_stacks("queries", queries, "keys", keys)
    return queries, keys


def _directions(name: str, vectors: Array) -> Array:
    """Each vector divided by its length, in float64: a length may be out of reach of float16."""
    vectors = vectors.astype(np.float64)
    largest = abs(vectors).max(axis=-1, keepdims=True)
    for what, bad in (("length 0", largest == 0), ("an entry inf or NaN", ~np.isfinite(largest))):
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad[..., 0])[0])
            raise ValueError(
                f"{name} must have a direction in every row; the vector at index {place} has {what} "
                f"in {name} of shape {vectors.shape}"
            )
    vectors = vectors / largest  # now the largest entry is 1, and no square overflows or vanishes
    return vectors / vector_lengths(vectors)[..., None]

"""Which words are alike? Queries and keys in, scores out (lesson 01).

Row convention: each row is one vector, so row i of the scores belongs to query i and column j to key j.
"""

import numpy as np

from helpers import inputs
from helpers.door import checked_by
from helpers.precision import directions_of, lengths_of, rounded_to
from helpers.validation import Array, require_scores


@checked_by(inputs.dot_product_scores)
def dot_product_scores(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys).

    Entry (i, j) is the dot product of query i with key j. No unit: it grows with the lengths of both vectors.
    A score beyond the dtype's range (65,504 in float16) is inf or -inf, with NumPy's warning.
    Raises ValueError where d_k or the leading axes differ, TypeError for anything but real numbers.
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1 (the QKᵀ of eq. 1).
    """
    return queries @ np.swapaxes(keys, -1, -2)


@checked_by(inputs.vector_lengths)
def vector_lengths(vectors: Array) -> Array:
    """(..., d) -> (...). The Euclidean length √(v·v) of each vector.

    Squares are added in float64, where those of float16 and float32 numbers cannot overflow. A length beyond
    the dtype's own range is inf, with NumPy's warning.
    Raises ValueError for a single number, TypeError for anything but real numbers.
    """
    return rounded_to(lengths_of(vectors), vectors)


@checked_by(inputs.cosine_scores)
def cosine_scores(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), from −1 to 1.

    The dot product of the directions alone: each vector is divided by its length first.
    Raises as dot_product_scores does, and ValueError where a vector has no direction: all zeros, inf or NaN.
    """
    cosines = dot_product_scores(directions_of(queries), directions_of(keys))
    cosines = np.clip(cosines, -1, 1)  # rounding may give 1.0000000000000002
    return cosines.astype(np.result_type(queries, keys))


@checked_by(inputs.hard_lookup)
def hard_lookup(queries: Array, keys: Array, values: Array) -> tuple[Array, Array]:
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v) -> output (n_queries, d_v), chosen (n_queries,).

    Each query takes the whole value of the one key with the largest score (the first of equals).
    Lesson 04 softens this: every key answers, each with its weight.
    Raises ValueError where shapes differ, where there are leading axes, where there is no key to choose, or
    where a score is NaN or +inf; TypeError for anything but real numbers.
    """
    scores = dot_product_scores(queries, keys)
    require_scores("scores", scores)  # argmax would choose a NaN
    chosen = scores.argmax(axis=-1)
    return values[chosen], chosen

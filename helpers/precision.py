"""What float16, and the ends of a dtype's range, ask of the maths: here, in one place, each with its reason.

On paper none of this exists. float16 knows no number above 65,504, and above 2048 it cannot add 1; and in
every dtype ∞ − ∞, 0 × ∞ and 0 / 0 are NaN.
"""

from typing import Any

import numpy as np

from helpers.validation import Array, require_finite, require_scores


def minus_largest(scores: Array, axis: int = -1) -> Array:
    """Scores of any shape -> the same shape, less their largest along `axis`: no exponential can overflow.

    Raises ValueError where a score is NaN or +inf. Either shows in the largest, so nothing else is looked at.
    """
    largest = scores.max(axis=axis, keepdims=True, initial=lowest(scores.dtype))
    if not (largest < np.inf).all():  # NaN is not smaller, either
        require_scores("scores", scores)
    return less(scores, largest)


def largest_so_far(largest: Array, scores: Array, *first: int) -> Array:
    """(..., n_queries, 1), (..., n_queries, tile) -> the larger of both: one tile of scores more is known.

    `first`: the first query and the first key of the tile, for the error.
    Raises ValueError where a score is NaN or +inf, as minus_largest does.
    """
    largest = np.maximum(largest, scores.max(axis=-1, keepdims=True))
    if not (largest < np.inf).all():
        where = " of queries from {} with keys from {}".format(*first) if first else ""
        require_scores(f"scores{where}", scores)
    return largest


def less(scores: Array, largest: Array, out: Array | None = None) -> Array:
    """Scores, their largest -> scores − largest, at most 0."""
    with np.errstate(over="ignore"):  # in float16, −60000 − 60000 becomes −inf: the weight is 0 all the same
        return np.subtract(scores, largest, out=out)


def all_exponentials_fit(queries: Array, keys: Array, values: Array) -> bool:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v), checked -> whether no maximum is needed.

    True where no scaled score can leave −32 to 32, since |q · k| ≤ |q| |k| (lesson 01). Then e^score lies
    between 1e-14 and 1e14: none overflows, and none is lost beside another, whatever the row's largest is.
    Sums of values must fit, too, with that factor before them.
    """
    largest_value = float(max(-values.min(initial=0), values.max(initial=0)))
    if not 1e-20 < largest_value * values.shape[-2] < 1e20:
        return False
    squares = [
        float(np.einsum("...d,...d->...", vectors, vectors, dtype=np.float64).max(initial=0))
        for vectors in (queries, keys)
    ]
    return bool(squares[0] * squares[1] <= 32**2 * queries.shape[-1])  # False for NaN, too


def lowest(dtype: np.dtype[Any]) -> Any:
    """A dtype -> its lowest finite number, from which the search for the largest score starts."""
    return np.finfo(dtype).min  # not −inf: −inf − −inf would be NaN


def totals_of(exponentials: Array, axis: int = -1) -> Array:
    """Any shape -> float64, with length 1 along `axis`: the sums to divide by.

    In float16, 2048 + 1 is 2048. Where every score is −inf, or there is none, all is 0 and the sum is given
    as 1: the quotient is then 0.
    """
    return or_one(sums_of(exponentials, axis, keepdims=True))


def sums_of(numbers: Array, axis: int, keepdims: bool = False) -> Array:
    """Any shape -> float64, without `axis` or with length 1 along it: the sums, whatever the dtype."""
    return np.asarray(numbers.sum(axis=axis, keepdims=keepdims, dtype=np.float64))


def or_one(sums: Array) -> Array:
    """Any shape -> the same shape, with 1 for 0: where nothing was summed, 0 / 1 is 0 and 0 / 0 is NaN."""
    return np.where(sums == 0, sums.dtype.type(1), sums)


def rounded_to(array: Array, numbers: Array) -> Array:
    """Any numbers, others -> the same numbers in the dtype of the others."""
    return array.astype(numbers.dtype, copy=False)


def lengths_of(vectors: Array) -> Array:
    """(..., d) -> (...) in float64, where the squares of float16 and float32 numbers cannot overflow."""
    return np.asarray(np.linalg.norm(vectors.astype(np.float64), axis=-1))


def directions_of(vectors: Array) -> Array:
    """(..., d) -> (..., d) in float64: each vector divided by its length, which its own dtype may not reach.

    Its largest entry is made 1 first; then no square overflows or vanishes in float64, either.
    """
    vectors = vectors.astype(np.float64)
    vectors = vectors / abs(vectors).max(axis=-1, keepdims=True)
    return vectors / lengths_of(vectors)[..., None]


def finite_values(values: Array) -> Array:
    """Values of any shape -> the same. Raises ValueError where one is NaN or infinite.

    A product may leave the range, and 0 times inf is NaN, so that a weight of 0 would not hide it. Two
    numbers are asked, not an array as large as the values.
    """
    smallest, largest = values.min(initial=0), values.max(initial=0)  # NaN if there is one
    if not (np.isfinite(smallest) and np.isfinite(largest)):
        require_finite("values", values)
    return values


def working_dtype(array: Array) -> np.dtype[Any]:
    """An array -> float32 for float16, whose sums stop growing at 2048 + 1; otherwise its own dtype."""
    return np.result_type(array, np.float32)

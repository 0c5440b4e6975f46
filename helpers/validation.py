"""What every helper asks of its input, so that each error is worded once.

An error names the argument, the shape or value that came, and what was expected.
"""

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]

KEPT_DTYPES = (np.float16, np.float32, np.float64)


def as_floats(name: str, values: ArrayLike) -> Array:
    """Any shape -> the same shape, as float16, float32 or float64 (kept), or float64 (from whole numbers).

    Raises TypeError for anything that is not real numbers, ValueError for rows of unequal length.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a full array: its rows have different lengths") from error
    if array.dtype.kind in "iu":
        return array.astype(np.float64)
    if array.dtype.type not in KEPT_DTYPES:  # the type, so that either byte order will do
        kept = "float16, float32, float64 or whole numbers"
        raise TypeError(f"{name} must hold real numbers ({kept}); got dtype {array.dtype}")
    return array


def as_rows(name: str, values: ArrayLike, n_name: str, d_name: str) -> Array:
    """(..., n, d) -> (..., n, d): real numbers with one vector in each row.

    Raises ValueError where there is no axis of rows, or where the vectors have no entries.
    """
    array = as_floats(name, values)
    expected = f"{name} must have shape (..., {n_name}, {d_name}), one vector in each row"
    if array.ndim < 2:
        advice = f"; for a single vector write {name}[None, :]" if array.ndim == 1 else ""
        raise ValueError(f"{expected}; got shape {array.shape}{advice}")
    if array.shape[-1] == 0:
        raise ValueError(f"{expected}, with {d_name} at least 1; got shape {array.shape}")
    return array


def as_columns(name: str, values: ArrayLike, d_name: str, n_name: str) -> Array:
    """(..., d, n) -> (..., d, n): real numbers with one vector in each column.

    Raises ValueError where there is no axis of columns, or where the vectors have no entries.
    """
    array = as_floats(name, values)
    if array.ndim < 2 or array.shape[-2] == 0:
        raise ValueError(
            f"{name} must have shape (..., {d_name}, {n_name}), one vector in each column, with {d_name} at "
            f"least 1; got shape {array.shape}"
        )
    return array


def require_same_length(name: str, array: Array, other_name: str, other: Array, axis: int = -1) -> None:
    """Raise ValueError, with both shapes, unless the two arrays agree on one axis."""
    if array.shape[axis] != other.shape[axis]:
        what = {-1: "vectors of the same length (last axis)", -2: "as many rows (last axis but one)"}[axis]
        raise ValueError(f"{name} and {other_name} must have {what}; got {array.shape} and {other.shape}")


def require_matching_stacks(name: str, array: Array, other_name: str, other: Array) -> None:
    """Raise ValueError, with both shapes, unless the axes before the last two broadcast together."""
    try:
        np.broadcast_shapes(array.shape[:-2], other.shape[:-2])
    except ValueError as error:
        raise ValueError(
            f"{name} and {other_name} must agree on the axes before the last two (batch, heads), "
            f"or have 1 there; got {array.shape} and {other.shape}"
        ) from error


def require_scores(name: str, scores: Array) -> None:
    """Raise ValueError where a score is NaN or +inf. −inf is a score: its weight is exactly 0."""
    for what, bad in (("NaN", np.isnan(scores)), ("+inf", np.isposinf(scores))):
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            raise ValueError(f"{name} must be finite or -inf; got {what}, {bad.sum()} times, first {place}")


def require_finite(name: str, array: Array) -> None:
    """Raise ValueError where an entry is NaN or infinite: 0 times it is NaN, so no weight hides it."""
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite; got {array[place]} at index {place} of shape {array.shape}")


def require_count(name: str, count: Any, least: int = 1) -> int:
    """A count -> the same as int. Raises TypeError unless it is a whole number, ValueError below `least`."""
    try:
        number = operator.index(count)
    except TypeError as error:
        raise TypeError(f"{name} must be a whole number; got {count!r}") from error
    if number < least:
        raise ValueError(f"{name} must be at least {least}; got {number}")
    return number

"""What every helper asks of its input, so that each error is worded once.

An error names the argument, the shape or value that came, and what was expected.
"""

import operator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Mask = NDArray[np.bool_]

KEPT_DTYPES = (np.float16, np.float32, np.float64)


class Planned(NamedTuple):
    """An array that is still to be computed: its shape can be checked before it has any numbers."""

    shape: tuple[int, ...]


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


def as_mask(mask: ArrayLike | None, shape: tuple[int, ...]) -> Mask | None:
    """A mask or None, the shape of the scores -> the mask as an array, or None.

    Raises TypeError unless it holds True and False, ValueError where it does not broadcast to that shape.
    """
    if mask is None:
        return None
    mask = np.asarray(mask)
    if mask.dtype != np.bool_:
        raise TypeError(f"mask must hold True (may attend) and False (may not); got dtype {mask.dtype}")
    if _broadcast(mask.shape, shape) != shape:
        raise ValueError(
            f"mask must broadcast to the scores, (..., n_queries, n_keys) = {shape}; got {mask.shape}"
        )
    return mask


def as_finite(name: str, values: ArrayLike) -> Array:
    """Any shape -> the same shape: real numbers, none of them NaN or infinite. Raises ValueError for one."""
    array = as_floats(name, values)
    require_finite(name, array)
    return array


def as_gradient(name: str, gradient: ArrayLike, shape: tuple[int, ...], of: str) -> Array:
    """A gradient, the shape of what it belongs to -> an array. Raises ValueError unless it has that shape."""
    gradient = as_floats(name, gradient)
    if gradient.shape != shape:
        raise ValueError(f"{name} must have the shape of {of}, {shape}; got {gradient.shape}")
    require_finite(name, gradient)
    return gradient


def as_positions(name: str, values: ArrayLike) -> Array:
    """(..., n) -> (..., n): where tokens stand. Finite numbers, usually whole ones; these stay whole.

    Raises ValueError for a single number, or one that is not finite.
    """
    array = as_finite(name, values)
    if array.ndim == 0:
        raise ValueError(
            f"{name} must have shape (..., n), one for each token; got a single number, shape ()"
        )
    return np.asarray(values, np.int64) if np.asarray(values).dtype.kind in "iu" else array


def as_weights(name: str, values: ArrayLike, axis: int) -> tuple[Array, int]:
    """Any shape, an axis -> the same shape, the axis as int: weights that sum to 1 along it, or are all 0.

    Raises ValueError for a negative weight, another sum (beyond rounding), or an axis that is not there.
    """
    weights = as_floats(name, values)
    axis = require_axis(weights, axis)
    if not (weights >= 0).all():
        raise ValueError(f"{name} must be 0 or more; got {weights.min()} in shape {weights.shape}")
    totals = weights.sum(axis=axis, dtype=np.float64)
    n_keys = weights.shape[axis]
    tolerance = 4 * float(np.finfo(weights.dtype).eps) * n_keys**0.5  # n roundings add up like √n
    wrong = (abs(totals - 1) > tolerance) & (totals != 0)
    if wrong.any():
        first = float(np.atleast_1d(totals)[np.atleast_1d(wrong)][0])
        raise ValueError(
            f"{name} must sum to 1 along axis {axis}; shape {weights.shape} has a sum {first:.4g}"
        )
    return weights, axis


def require_same_length(
    name: str, array: Array | Planned, other_name: str, other: Array | Planned, axis: int = -1
) -> None:
    """Raise ValueError, with both shapes, unless the two arrays agree on one axis."""
    if array.shape[axis] != other.shape[axis]:
        what = {-1: "vectors of the same length (last axis)", -2: "as many rows (last axis but one)"}[axis]
        raise ValueError(f"{name} and {other_name} must have {what}; got {array.shape} and {other.shape}")


def require_matching_stacks(
    name: str, array: Array | Planned, other_name: str, other: Array | Planned
) -> None:
    """Raise ValueError, with both shapes, unless the axes before the last two broadcast together."""
    if _broadcast(array.shape[:-2], other.shape[:-2]) is None:
        raise ValueError(
            f"{name} and {other_name} must agree on the axes before the last two (batch, heads), "
            f"or have 1 there; got {array.shape} and {other.shape}"
        )


def require_fitting(queries: Array | Planned, keys: Array | Planned, values: Array | Planned) -> None:
    """Raise ValueError, with the shapes, unless queries fit keys and keys fit values."""
    require_same_length("keys", keys, "values", values, axis=-2)
    require_matching_stacks("queries", queries, "values", values)
    require_matching_stacks("keys", keys, "values", values)
    require_same_length("queries", queries, "keys", keys)
    require_matching_stacks("queries", queries, "keys", keys)


def require_all_stacks(queries: Array | Planned, keys: Array | Planned, values: Array | Planned) -> None:
    """Raise ValueError, with the shapes, unless the axes before the last two broadcast, each with each."""
    require_matching_stacks("queries", queries, "keys", keys)
    require_matching_stacks("queries", queries, "values", values)
    require_matching_stacks("keys", keys, "values", values)


def require_scores(name: str, scores: Array) -> None:
    """Raise ValueError where a score is NaN or +inf. −inf is a score: its weight is exactly 0."""
    for what, bad in (("NaN", np.isnan(scores)), ("+inf", np.isposinf(scores))):
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            raise ValueError(f"{name} must be finite or -inf; got {what}, {bad.sum()} times, first {place}")


def require_broadcast(name: str, array: Array, what: str, shape: tuple[int, ...]) -> None:
    """Raise ValueError, with both shapes, unless the array broadcasts to that shape."""
    if _broadcast(array.shape, shape) != shape:
        raise ValueError(f"{name} must broadcast to {what} = {shape}; got {array.shape}")


def require_finite(name: str, array: Array) -> None:
    """Raise ValueError where an entry is NaN or infinite: 0 times it is NaN, so no weight hides it."""
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite; got {array[place]} at index {place} of shape {array.shape}")


def require_directions(name: str, vectors: Array) -> None:
    """Raise ValueError where a vector has no direction: all zeros, inf or NaN."""
    largest = abs(vectors).max(axis=-1)
    for what, bad in (("length 0", largest == 0), ("an entry inf or NaN", ~np.isfinite(largest))):
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            raise ValueError(
                f"{name} must have a direction in every row; the vector at index {place} has {what} "
                f"in {name} of shape {vectors.shape}"
            )


def require_axis(array: Array, axis: Any) -> int:
    """An axis -> the same as int. Raises TypeError unless it is one whole number, ValueError if not there."""
    try:
        axis = operator.index(axis)
    except TypeError as error:
        raise TypeError(f"axis must be one whole number; got {axis!r}") from error
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis {axis} is not there: the array has shape {array.shape}, {array.ndim} axes")
    return int(axis)


def require_count(name: str, count: Any, least: int = 1) -> int:
    """A count -> the same as int. Raises TypeError unless it is a whole number, ValueError below `least`."""
    try:
        number = operator.index(count)
    except TypeError as error:
        raise TypeError(f"{name} must be a whole number; got {count!r}") from error
    if number < least:
        raise ValueError(f"{name} must be at least {least}; got {number}")
    return number


def _broadcast(shape: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...] | None:
    """Two shapes -> the one that they broadcast to, or None. Equal ones are not worth asking NumPy."""
    try:
        return shape if shape == other else np.broadcast_shapes(shape, other)
    except ValueError:
        return None

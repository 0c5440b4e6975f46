"""How do scores become weights? (lesson 03)

`softmax` knows nothing of masks, but it keeps their promise: a score of −inf gets weight exactly 0,
and where every score is −inf, or there is none, there is nothing to share and all weights are 0.
"""

import operator

import numpy as np
from numpy.typing import ArrayLike

from helpers.validation import Array, as_floats, require_scores


def softmax(scores: ArrayLike, axis: int = -1) -> Array:
    """(..., n_queries, n_keys) -> weights of the same shape; each row sums to 1.

    exp(score) / sum of exp(scores), along `axis`. The largest score is subtracted first: the weights stay
    the same, and no exponential can overflow. float16, float32 and float64 are kept.
    Raises ValueError for NaN, +inf, an axis that is not there, or a single number; TypeError for anything
    but real numbers, or an axis that is not one whole number.
    Source: Bridle 1990, "Probabilistic Interpretation of Feedforward Classification Network Outputs".
    """
    shifted = _minus_largest(scores, axis)
    exponentials = np.exp(shifted)
    totals = exponentials.sum(axis=axis, keepdims=True, dtype=np.float64)  # in float16, 2048 + 1 is 2048
    return (exponentials / np.where(totals == 0, 1, totals)).astype(exponentials.dtype)


def log_softmax(scores: ArrayLike, axis: int = -1) -> Array:
    """(..., n_queries, n_keys) -> the natural logarithms of the softmax weights, same shape.

    Accurate where a weight is too small for its dtype. A score of −inf gives −inf. Raises as softmax does.
    """
    shifted = _minus_largest(scores, axis)
    totals = np.exp(shifted).sum(axis=axis, keepdims=True, dtype=np.float64)
    return (shifted - np.log(np.where(totals == 0, 1, totals))).astype(shifted.dtype)


def entropy(weights: ArrayLike, axis: int = -1) -> Array:
    """(..., n_keys) -> (...), in nats: from 0 (all weight on one key) to log(n_keys) (equal weights).

    −Σ p log p, with 0 log 0 = 0. A row of zeros (a query with no key) has entropy 0.
    Raises ValueError for a negative weight, or a row that sums neither to 1 nor to 0 (within rounding).
    Source: Shannon 1948, "A Mathematical Theory of Communication", section 6.
    """
    weights = as_floats("weights", weights)
    _require_axis(weights, axis)
    _require_weights(weights, axis)
    logs = np.log(np.where(weights == 0, 1, weights))
    total = -(weights * logs).sum(axis=axis, dtype=np.float64)
    return np.asarray(total).astype(weights.dtype) + weights.dtype.type(0)  # + 0 turns −0.0 into 0.0


def softmax_jacobian(weights: ArrayLike) -> Array:
    """(..., n_keys) -> (..., n_keys, n_keys): entry (i, j) is ∂ weight i / ∂ score j = p_i ([i = j] − p_j).

    The matrix diag(p) − ppᵀ, for each row p of weights. Raises ValueError as entropy does.
    """
    weights = as_floats("weights", weights)
    _require_axis(weights, -1)
    _require_weights(weights, -1)
    identity = np.eye(weights.shape[-1], dtype=weights.dtype)
    return weights[..., :, None] * (identity - weights[..., None, :])


@np.errstate(over="ignore")  # in float16, −60000 − 60000 becomes −inf: the weight is 0 all the same
def _minus_largest(scores: ArrayLike, axis: int) -> Array:
    scores = as_floats("scores", scores)
    _require_axis(scores, axis)
    require_scores("scores", scores)
    lowest = np.finfo(scores.dtype).min  # a finite start: −inf − −inf would be NaN
    return scores - scores.max(axis=axis, keepdims=True, initial=lowest)


def _require_axis(array: Array, axis: int) -> None:
    try:
        axis = operator.index(axis)
    except TypeError as error:
        raise TypeError(f"axis must be one whole number; got {axis!r}") from error
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis {axis} is not there: the array has shape {array.shape}, {array.ndim} axes")


def _require_weights(weights: Array, axis: int) -> None:
    if not (weights >= 0).all():
        raise ValueError(f"weights must be 0 or more; got {weights.min()} in shape {weights.shape}")
    totals = weights.sum(axis=axis, dtype=np.float64)
    n_keys = max(1, weights.shape[axis])
    tolerance = 4 * float(np.finfo(weights.dtype).eps) * n_keys**0.5  # n roundings add up like √n
    wrong = (abs(totals - 1) > tolerance) & (totals != 0)
    if wrong.any():
        first = float(np.atleast_1d(totals)[np.atleast_1d(wrong)][0])
        raise ValueError(
            f"weights must sum to 1 along axis {axis}; shape {weights.shape} has a sum {first:.4g}"
        )

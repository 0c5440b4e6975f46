"""How do scores become weights? (lesson 03)

`softmax` knows nothing of masks, but it keeps their promise: a score of −inf gets weight exactly 0,
and where every score is −inf, or there is none, there is nothing to share and all weights are 0.
"""

import numpy as np

from helpers import inputs
from helpers.door import checked_by
from helpers.precision import minus_largest, or_one, rounded_to, sums_of, totals_of
from helpers.validation import Array


@checked_by(inputs.softmax)
def softmax(scores: Array, axis: int = -1) -> Array:
    """(..., n_queries, n_keys) -> weights of the same shape; each row sums to 1.

    exp(score) / sum of exp(scores), along `axis`. The largest score is subtracted first: the weights stay
    the same, and no exponential can overflow. float16, float32 and float64 are kept.
    Raises ValueError for NaN, +inf, an axis that is not there, or a single number; TypeError for anything
    but real numbers, or an axis that is not one whole number.
    Source: Bridle 1990, "Probabilistic Interpretation of Feedforward Classification Network Outputs".
    """
    shifted = minus_largest(scores, axis)
    exponentials = np.exp(shifted)
    weights = exponentials / totals_of(exponentials, axis)
    return rounded_to(weights, exponentials)


@checked_by(inputs.log_softmax)
def log_softmax(scores: Array, axis: int = -1) -> Array:
    """(..., n_queries, n_keys) -> the natural logarithms of the softmax weights, same shape.

    Accurate where a weight is too small for its dtype. A score of −inf gives −inf. Raises as softmax does.
    """
    shifted = minus_largest(scores, axis)
    log_weights = shifted - np.log(totals_of(np.exp(shifted), axis))
    return rounded_to(log_weights, shifted)


@checked_by(inputs.entropy)
def entropy(weights: Array, axis: int = -1) -> Array:
    """(..., n_keys) -> (...), in nats: from 0 (all weight on one key) to log(n_keys) (equal weights).

    −Σ p log p, with 0 log 0 = 0. A row of zeros (a query with no key) has entropy 0.
    Raises ValueError for a negative weight, or a row that sums neither to 1 nor to 0 (within rounding).
    Source: Shannon 1948, "A Mathematical Theory of Communication", section 6.
    """
    logs = np.log(or_one(weights))
    total = -sums_of(weights * logs, axis)
    return rounded_to(total, weights) + weights.dtype.type(0)  # + 0 turns −0.0 into 0.0


@checked_by(inputs.softmax_jacobian)
def softmax_jacobian(weights: Array) -> Array:
    """(..., n_keys) -> (..., n_keys, n_keys): entry (i, j) is ∂ weight i / ∂ score j = p_i ([i = j] − p_j).

    The matrix diag(p) − ppᵀ, for each row p of weights. Raises ValueError as entropy does.
    """
    identity = np.eye(weights.shape[-1], dtype=weights.dtype)
    return weights[..., :, None] * (identity - weights[..., None, :])

"""Does a model look where it must not? Change one token, and see which outputs move (lesson 05).

The learner writes the first version; this one is used on every later model.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from helpers.masking import Mask, causal_mask
from helpers.validation import Array, as_floats, as_rows

Model = Callable[[Array], Any]


def influence(model: Model, x: ArrayLike) -> Mask:
    """A model, x (..., n, d) -> (n, n): True in row i, column j, where output i moves with token j.

    The model is any function (..., n, d) -> (..., n, d_out). Token j is changed, by a little and by much, in
    ways that neither a shift nor a factor can undo (LayerNorm removes those). An output moves if it differs
    by more than rounding, in any sequence of the stack.
    Raises ValueError where the model's output has not n rows, is not finite, or differs from call to call (a
    model with dropout needs its random state set in each call); TypeError for anything but real numbers.
    """
    x = as_rows("x", x, "n", "d")
    before = _outputs(model, x)
    if not np.isfinite(before).all():
        raise ValueError("the model's output must be finite; got NaN or inf, whose changes cannot be seen")
    if not np.array_equal(before, _outputs(model, x)):
        raise ValueError(
            "the model gives two outputs for one input: switch dropout off, or set its seed in each call"
        )
    moved = np.zeros((x.shape[-2], x.shape[-2]), dtype=bool)
    for token in range(x.shape[-2]):
        for change in _changes(x.shape[-1]):
            changed = x.copy()
            changed[..., token, :] += change.astype(x.dtype)
            moved[:, token] |= _moved(before, _outputs(model, changed))
    return moved


def leaks(model: Model, x: ArrayLike, mask: ArrayLike | None = None) -> list[tuple[int, int]]:
    """A model, x (..., n, d) -> a list of pairs (output, token), each of them a leak.

    The model is any function (..., n, d) -> (..., n, d_out). A leak is an output that moves with a token that
    it must not see. `mask` (n, n) is True where output i may depend on token j; without it the model should
    be causal. An empty list means that no leak was found.
    Raises as influence does, and ValueError unless the mask has shape (n, n), TypeError unless it is boolean.
    """
    moved = influence(model, x)
    may_depend = causal_mask(len(moved)) if mask is None else np.asarray(mask)
    if may_depend.dtype != np.bool_:
        raise TypeError(f"mask must hold True (may depend) and False; got dtype {may_depend.dtype}")
    if may_depend.shape != moved.shape:
        raise ValueError(f"mask must have shape (n, n) = {moved.shape}; got {may_depend.shape}")
    return [(int(i), int(j)) for i, j in np.argwhere(moved & ~may_depend)]


def _changes(d: int) -> list[Array]:
    """Uneven changes, small and large, to and fro: a saturated softmax hides most of them, not all."""
    uneven = np.cos(1.0 + 1.9 * np.arange(d) ** 1.5)
    return [size * way for size in (0.3, 3, -3, 10, -10) for way in (uneven, uneven[::-1])]


def _outputs(model: Model, x: Array) -> Array:
    with np.errstate(all="ignore"):  # a changed token may overflow in the model: then its output has moved
        output = as_floats("the model's output", model(x.copy()))
    if output.ndim < 2 or output.shape[-2] != x.shape[-2]:
        raise ValueError(f"the model must give one row for each token of x {x.shape}; got {output.shape}")
    return output


def _moved(before: Array, after: Array) -> Mask:
    if after.shape != before.shape:
        raise ValueError(f"the model's output changed its shape from {before.shape} to {after.shape}")
    rounding = 16 * float(np.finfo(before.dtype).eps) * max(1.0, float(abs(before).max()))
    moved = np.logical_not(abs(after.astype(float) - before) <= rounding)  # also where it is NaN now
    by_token = np.swapaxes(moved, -1, -2).reshape(-1, moved.shape[-2])
    return np.asarray(by_token.any(axis=0))

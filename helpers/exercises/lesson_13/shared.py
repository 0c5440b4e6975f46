"""What several exercises of lesson 13 use: sections to reread, columns, sizes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.validation import Array

WORKED = "13: Six scores in three tiles"
Step = Callable[..., Any]


def column(*shifts: float) -> Array:
    return np.array(shifts)[:, None]


def hidden_from(scores: Array, *queries: int) -> Array:
    hidden = scores.copy()
    hidden[list(queries)] = -np.inf
    return hidden


def or_1(total: Array) -> Array:
    return np.where(total == 0, 1, total)


def moves(inputs: Any, call: Any, name: str, place: int) -> Array | None:
    """The inputs, the place of a key or head -> which rows or heads of the output move with its values."""
    changed = dict(inputs)
    changed[name] = inputs[name].copy()
    changed[name][place] += 1
    before, after = call(*inputs.values()), call(*changed.values())
    if before is None or after is None or before.shape != after.shape:
        return None
    return np.asarray((abs(after - before) > 1e-9).reshape(len(before), -1).any(axis=-1))

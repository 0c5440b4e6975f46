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

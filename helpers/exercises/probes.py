"""Inputs that tell mistakes apart: every size different, no square, no stack of one, nothing saturated.

Numbers are known, never drawn: the k-th is the fractional part of k² times the golden ratio, spread over
−2 to 2. They look irregular and are the same on every machine.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from helpers.validation import Array

GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class Probe:
    """One input, by argument name. `kind` says what the learner would call it: "one sentence", "a batch"."""

    kind: str
    inputs: dict[str, Any]
    hard: bool = False  # extreme on purpose: wrong versions may agree here


def numbers(*shape: int, start: int = 1, dtype: type = np.float64) -> Array:
    """Sizes -> an array of known, irregular numbers from −2 to 2."""
    places = start + np.arange(int(np.prod(shape)), dtype=np.float64)
    return (4 * (places**2 * GOLDEN % 1) - 2).reshape(shape).astype(dtype)


def sequences(*stack: int, d_k: int = 4, start: int = 1, dtype: type = np.float64) -> dict[str, Array]:
    """Leading axes -> queries (..., 5, d_k) and keys (..., 7, d_k)."""
    return {
        "queries": numbers(*stack, 5, d_k, start=start, dtype=dtype),
        "keys": numbers(*stack, 7, d_k, start=start + 1000, dtype=dtype),
    }

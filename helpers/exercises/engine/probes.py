"""Inputs that tell mistakes apart: every size different, no square, no stack of one, nothing saturated.

Numbers are known, never drawn: the k-th is the fractional part of k² times the golden ratio, spread over
−2 to 2. They look irregular and are the same on every machine. In float32 they are sixteenths from −1 to 1:
sums of their products are then exact, in whichever order a processor adds them up.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from helpers.validation import Array

GOLDEN = 0.6180339887498949


class OtherFormError(Exception):
    """What came back cannot be read. The message says what it is, as a clause: "returned …"."""


@dataclass(frozen=True)
class Form:
    """In which form a function gets its inputs and gives its results.

    `tensors`: in PyTorch's. `parts`: where several arrays are asked for, their names, and for each what its
    last axes are, as in {"output": ("query", "entry"), "weights": ("query", "key")}. `stacked`: one array
    with the parts along its first axis counts as well. `seen`: what of a result is compared, where chance
    is in it.
    `read`: makes an array of what is none, such as a list of pairs; the inputs come first. It raises
    OtherFormError where it cannot. `told`: what was read and what is right -> the lines that show the
    difference as the learner wrote it.
    """

    tensors: bool = False
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stacked: bool = False
    seen: Callable[[Mapping[str, Any], Array], Array] | None = None
    read: Callable[[Mapping[str, Any], Any], Any] | None = None
    told: Callable[[Array, Array], str] | None = None


ARRAYS = Form()


@dataclass(frozen=True)
class Probe:
    """One input, by argument name. `kind` says what the learner would call it: "one sentence", "a batch"."""

    kind: str
    inputs: dict[str, Any]
    hard: bool = False  # extreme on purpose: wrong versions may agree here
    form: Form = ARRAYS


EXAMPLE = "the example"  # the input that the task prints, with its result


def example(hard: bool = False, **inputs: Any) -> Probe:
    """The input that the task prints. Whoever fails it should see it first: it can be done by hand.

    `hard`: where it is too small to show what went wrong.
    """
    return Probe(EXAMPLE, inputs, hard)


def numbers(*shape: int, start: int = 1, dtype: type = np.float64) -> Array:
    """Sizes -> an array of known, irregular numbers from −2 to 2; in float32 sixteenths from −1 to 1."""
    places = start + np.arange(int(np.prod(shape)), dtype=np.float64)
    spread = (4 * (places**2 * GOLDEN % 1) - 2).reshape(shape)
    return spread if dtype == np.float64 else exact(spread / 2, 1 / 16).astype(dtype)


def exact(values: Array, step: float = 1 / 8) -> Array:
    """Numbers -> the nearest multiples of a step, a power of 2: sums of their products need few bits."""
    return np.round(values / step) * step


def sequences(*stack: int, d_k: int = 4, start: int = 1, dtype: type = np.float64) -> dict[str, Array]:
    """Leading axes -> queries (..., 5, d_k) and keys (..., 7, d_k)."""
    return {
        "queries": numbers(*stack, 5, d_k, start=start, dtype=dtype),
        "keys": numbers(*stack, 7, d_k, start=start + 1000, dtype=dtype),
    }


def triple(
    *stack: int, n_queries: int = 5, n_keys: int = 7, d_k: int = 4, d_v: int = 6, start: int = 1,
    dtype: type = np.float64, apart: int = 1000,
) -> dict[str, Array]:  # fmt: skip
    """Leading axes and sizes -> queries, keys and values, each so many numbers further on: `apart`."""
    return {
        "queries": numbers(*stack, n_queries, d_k, start=start, dtype=dtype),
        "keys": numbers(*stack, n_keys, d_k, start=start + apart, dtype=dtype),
        "values": numbers(*stack, n_keys, d_v, start=start + 2 * apart, dtype=dtype),
    }

"""Inputs for the tests of the maths helpers: fixed arrays without a pattern, and what Hypothesis may draw."""

import os

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.validation import Array

DTYPES = (np.float16, np.float32, np.float64)

# Leading axes of a single matrix, a batch, and a batch of heads; never the sizes of the last two axes.
STACKS = ((), (2,), (2, 3))
N_QUERIES, N_KEYS, D_K, D_V = 5, 7, 11, 4

# deadline=None: the first example of a run also pays for imports. The same examples every time in CI,
# so that a red build is red again on the next run; elsewhere the search goes on.
properties = settings(
    max_examples=30,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=(),
    print_blob=True,
)


def waves(*shape: int, start: float = 1.0, dtype: type = np.float64) -> Array:
    """Numbers from −2 to 2 with no pattern along any axis, the same on each machine."""
    steps = np.arange(int(np.prod(shape)))
    return (2 * np.sin(start + 1.7 * steps + 0.01 * steps**2)).reshape(shape).astype(dtype)


def eps(array: Array) -> float:
    """From 1 to the next number of this dtype: twice the largest relative error of one rounding."""
    return float(np.finfo(array.dtype).eps)


def smallest(array: Array) -> float:
    """The smallest number above 0 of this dtype: twice the largest error of rounding a number near 0."""
    return float(np.finfo(array.dtype).smallest_subnormal)


@st.composite
def number_arrays(
    draw: st.DrawFn,
    shape: st.SearchStrategy[tuple[int, ...]] | tuple[int, ...],
    largest: float = 1000.0,
    minus_infinity: bool = False,
    dtypes: tuple[type, ...] = DTYPES,
) -> Array:
    """An array of one of the kept dtypes, its entries from −largest to largest (and −inf if asked for)."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    width: int = 8 * dtype.itemsize
    numbers = st.floats(-largest, largest, width=width)  # type: ignore[arg-type]
    elements = numbers | st.just(-np.inf) if minus_infinity else numbers
    return draw(hnp.arrays(dtype, shape, elements=elements))


def score_shapes(min_side: int = 0, max_dims: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    """From one row of scores to a batch of heads; min_side 0 allows no query and no key."""
    return hnp.array_shapes(min_dims=1, max_dims=max_dims, min_side=min_side, max_side=5)

"""Inputs for the tests of helpers.streaming, and the error that rounding may make in what it gives."""

from collections.abc import Callable

import numpy as np
import oracles
from samples import (
    D_K,
    D_V,
    N_KEYS,
    N_QUERIES,
    eps,
    waves,
)

from helpers.masking import causal_mask, padding_mask
from helpers.streaming import (
    window_mask,
)
from helpers.validation import Array

Inputs = tuple[Array, Array, Array]

EMPTY_ROW = np.ones((N_QUERIES, N_KEYS), dtype=bool)
EMPTY_ROW[2] = False
MASKS = {
    "none": None,
    "causal": causal_mask(N_QUERIES, N_KEYS),
    "padding": padding_mask(3, N_KEYS),
    "window and padding": window_mask(N_QUERIES, N_KEYS, 3) & padding_mask(5, N_KEYS),
    "a row without a key": EMPTY_ROW,
    "nothing at all": np.zeros((1, 1), dtype=bool),
}
TILINGS = [(1, 1), (2, 3), (3, 2), (5, 7), (4, 100), (100, 4)]


def sample(*stack: int, dtype: type = np.float64, n_queries: int = N_QUERIES, n_keys: int = N_KEYS) -> Inputs:
    """Leading axes -> queries, keys, values, every size different."""
    return (
        waves(*stack, n_queries, D_K, dtype=dtype),
        waves(*stack, n_keys, D_K, start=50.0, dtype=dtype),
        waves(*stack, n_keys, D_V, start=90.0, dtype=dtype),
    )


def rounding(queries: Array, keys: Array, values: Array) -> float:
    """The largest error that rounding can make in the output; that of log_sum_exp is no larger than it / 2.

    A score is off by at most d_k + 3 roundings of the sizes of its products; a weight by a factor of e to
    twice that, and by a rescale and an addition for each key; the output by that share of the largest value.
    """
    precision = max(eps(part) for part in (queries, keys, values))
    n_keys = keys.shape[-2]
    sizes = oracles.products_of_sizes(queries, keys) / np.sqrt(keys.shape[-1])
    of_scores = precision * (keys.shape[-1] + 3) * float(sizes.max(initial=1.0))
    of_weights = float(np.expm1(2 * of_scores)) + (4 + 3 * n_keys) * precision
    return (of_weights + n_keys * precision) * max(1.0, float(abs(values).max(initial=0.0)))


def each(inputs: Inputs, change: Callable[[Array], Array]) -> Inputs:
    queries, keys, values = map(change, inputs)
    return queries, keys, values


def expected_log_sum_exp(queries: Array, keys: Array, mask: Array | None) -> Array:
    products = oracles.dot_product_scores(queries, keys)
    scores = oracles.scale_scores(products, queries.shape[-1]).reshape(products.shape)
    return oracles.log_sum_exp(np.where(True if mask is None else mask, scores, -np.inf))


def assert_attends(found: tuple[Array, Array], inputs: Inputs, mask: Array | None) -> None:
    output, log_sum_exp = found
    allowed = rounding(*inputs)
    np.testing.assert_allclose(
        output.astype(float), oracles.attention(*inputs, mask)[0], rtol=0, atol=allowed
    )
    expected = np.broadcast_to(expected_log_sum_exp(*inputs[:2], mask), log_sum_exp.shape)
    np.testing.assert_allclose(log_sum_exp, expected, rtol=0, atol=allowed)

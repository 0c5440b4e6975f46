"""helpers.attention against loops and torch's scaled_dot_product_attention, and what always holds."""

import itertools
from typing import Any

import numpy as np
import oracles
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from samples import D_K, D_V, DTYPES, N_KEYS, N_QUERIES, STACKS, eps, properties, waves
from torch.nn import functional

from helpers.attention import attention
from helpers.masking import causal_mask, padding_mask
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

EMPTY_ROW = np.ones((N_QUERIES, N_KEYS), dtype=bool)
EMPTY_ROW[2] = False
MASKS = {
    "none": None,
    "causal": causal_mask(N_QUERIES, N_KEYS),
    "padding": padding_mask(3, N_KEYS),
    "causal and padding": causal_mask(N_QUERIES, N_KEYS) & padding_mask(5, N_KEYS),
    "a row without a key": EMPTY_ROW,
}


def sample(*stack: int, dtype: type = np.float64) -> tuple[Array, Array, Array]:
    """Leading axes -> queries, keys, values, every size different."""
    return (
        waves(*stack, N_QUERIES, D_K, dtype=dtype),
        waves(*stack, N_KEYS, D_K, start=50.0, dtype=dtype),
        waves(*stack, N_KEYS, D_V, start=90.0, dtype=dtype),
    )


def rounding(queries: Array, keys: Array, values: Array) -> tuple[float, float]:
    """The largest error that rounding can make in the output and in the weights, in the dtype of the arrays.

    A score is a sum of d_k products, off by at most d_k + 2 roundings of their sizes; a weight is off by a
    factor of e to twice that; the output by that share of the largest value, and n_keys roundings more.
    """
    precision = max(eps(part) for part in (queries, keys, values))
    d_k, n_keys = keys.shape[-1], keys.shape[-2]
    sizes = oracles.products_of_sizes(queries, keys) / np.sqrt(d_k)
    of_scores = precision * (d_k + 2) * float(sizes.max(initial=0.0))
    of_weights = float(np.expm1(2 * of_scores)) + 4 * precision
    return (of_weights + n_keys * precision) * float(abs(values).max(initial=0.0)), of_weights


def assert_attends(
    found: tuple[Array, Array], expected: tuple[Array, Array], allowed: tuple[float, float]
) -> None:
    for one, other, error in zip(found, expected, allowed, strict=True):
        np.testing.assert_allclose(one.astype(float), other, rtol=0, atol=error + 1e-300)


def test_by_hand() -> None:
    # Scaled scores 0 and ln 3: weights 1/4 and 3/4, output a quarter of the way down from 30 to 10.
    keys = np.array([[0.0, 0.0], [np.log(3) * np.sqrt(2), 0.0]])
    output, weights = attention([[1.0, 5.0]], keys, [[10.0], [30.0]])
    np.testing.assert_allclose(weights, [[0.25, 0.75]], rtol=1e-15)
    np.testing.assert_allclose(output, [[25.0]], rtol=1e-15)


def test_the_audited_example() -> None:
    """The numbers that course.md asks for: "I love statistics", query "love", worked out by hand."""
    x = np.array([[0.2, 0.5, 0.7], [0.4, 0.8, 0.6], [0.1, 0.6, 0.9]])
    w_q = np.array([[0.1, 0.3], [0.2, 0.4], [0.5, 0.6]])
    w_k = np.array([[0.6, 0.2], [0.3, 0.5], [0.7, 0.9]])
    w_v = np.array([[0.5, 0.8], [0.2, 0.3], [0.4, 0.6]])
    output, weights = attention(x @ w_q, x @ w_k, x @ w_v)
    np.testing.assert_allclose(weights[1], [0.3046, 0.3387, 0.3567], atol=5e-5)
    np.testing.assert_allclose(output[1], [0.5385, 0.8193], atol=5e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_it_is_what_loops_give(stack: tuple[int, ...], dtype: type, mask: Array | None) -> None:
    inputs = sample(*stack, dtype=dtype)
    output, weights = attention(*inputs, mask)
    assert output.dtype == weights.dtype == np.dtype(dtype)
    assert output.shape == (*stack, N_QUERIES, D_V)
    assert weights.shape == (*stack, N_QUERIES, N_KEYS)
    assert_attends((output, weights), oracles.attention(*inputs, mask), rounding(*inputs))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_it_is_what_torch_gives(stack: tuple[int, ...], dtype: type, mask: Array | None) -> None:
    inputs = sample(*stack, dtype=dtype)
    output, _ = attention(*inputs, mask)
    queries, keys, values = (torch.tensor(part) for part in inputs)
    # a mask of the full shape: not every back end broadcasts (..., 1, n_keys)
    full = None if mask is None else torch.tensor(np.broadcast_to(mask, (*stack, N_QUERIES, N_KEYS)).copy())
    expected = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=full)
    np.testing.assert_allclose(output, expected.numpy(), rtol=0, atol=2 * rounding(*inputs)[0])


@st.composite
def inputs_and_mask(draw: st.DrawFn) -> tuple[Array, Array, Array, Array | None]:
    """Any stack, each axis of it 1 in some of the arrays; no query, no key; a mask or none."""
    stack = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=1, max_side=3))
    n_queries, n_keys = draw(st.integers(0, 4)), draw(st.integers(0, 5))
    d_k, d_v = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    numbers = st.floats(-4, 4, width=16).map(lambda number: round(number, 2))

    def thinned(full: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(draw(st.sampled_from([1, side])) for side in full)

    def rows(n: int, d: int, full: bool) -> Array:
        return draw(hnp.arrays(dtype, (*(stack if full else thinned(stack)), n, d), elements=numbers))

    queries, keys, values = rows(n_queries, d_k, True), rows(n_keys, d_k, False), rows(n_keys, d_v, False)
    shape = (*thinned(stack), *draw(st.sampled_from([(n_queries, n_keys), (1, n_keys), (n_queries, 1)])))
    mask = draw(st.none() | hnp.arrays(bool, shape))
    return queries, keys, values, mask


@properties
@given(inputs_and_mask())
def test_any_shapes_and_masks_give_what_loops_give(case: tuple[Array, Array, Array, Array | None]) -> None:
    mask, inputs = case[3], case[:3]
    output, weights = attention(*inputs, mask)
    assert output.dtype == weights.dtype == inputs[0].dtype
    assert_attends((output, weights), oracles.attention(*inputs, mask), rounding(*inputs))
    totals = weights.sum(axis=-1, dtype=np.float64)
    scores_shape = (*output.shape[:-1], inputs[1].shape[-2])
    allowed = np.broadcast_to(True if mask is None else mask, scores_shape)
    np.testing.assert_allclose(totals, allowed.any(axis=-1), atol=4 * eps(weights) * (1 + scores_shape[-1]))
    assert (weights[~allowed] == 0).all()
    assert (output[~allowed.any(axis=-1)] == 0).all()


@properties
@given(inputs_and_mask(), st.sampled_from([1e30, -1e30, 60000.0]))
def test_what_is_hidden_has_no_influence_at_all(
    case: tuple[Array, Array, Array, Array | None], other: float
) -> None:
    queries, keys, values, _ = (None if part is None else part.astype(np.float64) for part in case)
    assert queries is not None
    assert keys is not None
    assert values is not None
    if keys.shape[-2] == 0:
        return
    hide_last = np.arange(keys.shape[-2]) < keys.shape[-2] - 1
    before = attention(queries, keys, values, hide_last[None, :])
    keys[..., -1, :], values[..., -1, :] = other, other
    for one, another in zip(before, attention(queries, keys, values, hide_last[None, :]), strict=True):
        np.testing.assert_array_equal(one, another)


def test_a_hidden_key_may_even_be_nan() -> None:
    queries, keys, values = sample()
    hide_last = padding_mask(N_KEYS - 1, N_KEYS)
    before, _ = attention(queries, keys, values, hide_last)
    keys[-1] = np.nan
    np.testing.assert_array_equal(attention(queries, keys, values, hide_last)[0], before)


@pytest.mark.parametrize("stack", STACKS)
def test_shuffled_queries_shuffle_the_output_and_shuffled_pairs_do_not(
    stack: tuple[int, ...],
) -> None:
    queries, keys, values = sample(*stack)
    output, weights = attention(queries, keys, values)
    order = [3, 0, 4, 1, 2]
    np.testing.assert_allclose(
        attention(queries[..., order, :], keys, values)[0], output[..., order, :], atol=1e-14
    )
    pairs = [6, 2, 0, 5, 1, 4, 3]
    again, shuffled = attention(queries, keys[..., pairs, :], values[..., pairs, :])
    np.testing.assert_allclose(again, output, atol=1e-14)
    np.testing.assert_allclose(shuffled, weights[..., pairs], atol=1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_scores_give_the_value_of_the_best_key(dtype: type) -> None:
    keys: Array = np.array([[0.0, 100.0], [200.0, 0.0], [0.0, 0.0]], dtype)
    output, weights = attention(np.array([[200.0, 0.0]], dtype), keys, np.array([[1.0], [2.0], [3.0]], dtype))
    np.testing.assert_array_equal(weights, [[0, 1, 0]])
    np.testing.assert_array_equal(output, [[2]])


def test_the_inputs_stay_as_they_are() -> None:
    inputs = sample(2)
    copies = [part.copy() for part in inputs]
    attention(*inputs, MASKS["causal"])
    for part, copy in zip(inputs, copies, strict=True):
        np.testing.assert_array_equal(part, copy)


def test_lists_and_whole_numbers_are_taken_as_float64() -> None:
    output, weights = attention([[1, 0]], [[0, 1], [1, 0]], [[1, 2, 3], [4, 5, 6]])
    assert output.dtype == weights.dtype == np.float64
    assert output.shape == (1, 3)


@pytest.mark.parametrize("shape", list(itertools.product([0, 2], [0, 3])))
def test_no_query_and_no_key(shape: tuple[int, int]) -> None:
    n_queries, n_keys = shape
    output, weights = attention(np.ones((n_queries, 4)), np.ones((n_keys, 4)), np.ones((n_keys, 5)))
    assert output.shape == (n_queries, 5)
    assert weights.shape == shape
    np.testing.assert_allclose(output, 1 if n_keys else 0)


QUERIES, KEYS, VALUES = sample(2)


@pytest.mark.parametrize(
    ("inputs", "error", "words"),
    [
        (
            (QUERIES[..., :3], KEYS, VALUES),
            ValueError,
            r"vectors of the same length.*\(2, 5, 3\).*\(2, 7, 11\)",
        ),
        ((QUERIES, KEYS, VALUES[:, :6]), ValueError, r"as many rows.*\(2, 7, 11\).*\(2, 6, 4\)"),
        ((QUERIES, KEYS, np.ones((3, 7, 4))), ValueError, r"axes before the last two.*\(3, 7, 4\)"),
        ((QUERIES[0, 0], KEYS, VALUES), ValueError, r"queries must have shape.*\(11,\).*queries\[None, :\]"),
        ((QUERIES, KEYS, VALUES, np.ones((5, 7))), TypeError, "mask must hold True.*float64"),
        ((QUERIES, KEYS, VALUES, np.ones((7, 5), bool)), ValueError, r"\(2, 5, 7\); got \(7, 5\)"),
        ((QUERIES, KEYS, VALUES, np.ones((4, 2, 5, 7), bool)), ValueError, r"mask must broadcast"),
        (
            (QUERIES, KEYS, np.where(VALUES > 1.9, np.inf, VALUES)),
            ValueError,
            "values must be finite; got inf",
        ),
        ((np.where(QUERIES > 1.9, np.nan, QUERIES), KEYS, VALUES), ValueError, "finite or -inf; got NaN"),
        ((QUERIES, KEYS, [["a"]]), TypeError, "values must hold real numbers"),
        ((QUERIES, KEYS, np.zeros((2, 7, 0))), ValueError, "d_v at least 1"),
        ((QUERIES > 0, KEYS, VALUES), TypeError, "queries must hold real numbers.*bool"),
    ],
)
def test_what_does_not_fit_is_named(inputs: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        attention(*inputs)

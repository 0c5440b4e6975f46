"""helpers.scaling against loops and torch, and what the division by √d_k is for."""

import itertools
from typing import Any

import numpy as np
import oracles
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from samples import (
    DTYPES,
    N_KEYS,
    N_QUERIES,
    STACKS,
    eps,
    number_arrays,
    properties,
    score_shapes,
    smallest,
    waves,
)

from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")


def assert_scaled_close(scaled: Array, expected: Array) -> None:
    """The root is rounded to the dtype and the quotient once more: by half an eps each."""
    np.testing.assert_allclose(scaled.astype(float), expected, rtol=eps(scaled), atol=smallest(scaled))


def test_by_hand() -> None:
    np.testing.assert_array_equal(scale_scores([[8, -6, 0]], 4), [[4, -3, 0]])
    np.testing.assert_array_equal(scale_scores([[8, -6, 0]], 1), [[8, -6, 0]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("d_k", [1, 2, 11, 64, 1000])
def test_scaled_scores_are_those_of_loops_and_of_torch(stack: tuple[int, ...], dtype: type, d_k: int) -> None:
    scores = waves(*stack, N_QUERIES, N_KEYS, dtype=dtype) * dtype(100)
    scaled = scale_scores(scores, d_k)
    assert scaled.dtype == dtype
    assert scaled.shape == scores.shape
    assert_scaled_close(scaled, oracles.scale_scores(scores, d_k))
    assert_scaled_close(scaled, (torch.tensor(scores).double() * torch.tensor(d_k).double().rsqrt()).numpy())


@properties
@given(number_arrays(score_shapes(min_side=1), largest=60000.0, minus_infinity=True), st.integers(1, 5000))
def test_any_scores_are_scaled_as_loops_do(scores: Array, d_k: int) -> None:
    scaled = scale_scores(scores, d_k)
    assert scaled.dtype == scores.dtype
    assert_scaled_close(scaled, oracles.scale_scores(scores, d_k))


@pytest.mark.parametrize("d_k", [2, 5, 11])
def test_dot_products_of_unit_entries_have_spread_1_after_scaling(d_k: int) -> None:
    every_key = np.array(list(itertools.product([-1.0, 1.0], repeat=d_k)))  # entries of mean 0 and variance 1
    scores = dot_product_scores(np.ones((1, d_k)), every_key)
    np.testing.assert_allclose(scores.std(), np.sqrt(d_k), rtol=1e-14)
    np.testing.assert_allclose(scale_scores(scores, d_k).std(), 1, rtol=1e-14)


def test_minus_infinity_stays_and_so_do_extremes() -> None:
    for dtype in DTYPES:
        ends: Array = np.array([-np.inf, np.finfo(dtype).min, 0, np.finfo(dtype).max], dtype)
        np.testing.assert_array_equal(scale_scores(ends, 4), ends / dtype(2))
    half = np.array([60000, -60000], np.float16)
    np.testing.assert_array_equal(scale_scores(half, 16), [15000, -15000])


@pytest.mark.parametrize("shape", [(0,), (5, 0), (0, 7), (2, 3, 5, 0), (1,), (5, 1), ()])
def test_no_key_no_query_one_key_and_one_number(shape: tuple[int, ...]) -> None:
    for dtype in DTYPES:
        scaled = scale_scores(waves(*shape, dtype=dtype), 4)
        assert np.shape(scaled) == shape
        assert scaled.dtype == dtype


@pytest.mark.parametrize("d_k", [np.int8(16), np.int64(16), np.array(16), True + 15])
def test_any_whole_number_is_a_d_k_and_keeps_the_dtype(d_k: Any) -> None:
    scaled = scale_scores(np.array([8], np.float16), d_k)
    assert scaled.dtype == np.float16
    assert scaled == 2


def test_lists_and_whole_numbers_become_float64() -> None:
    assert scale_scores([[1, 2]], 2).dtype == np.float64
    assert scale_scores(np.array([4], np.int16), 4).dtype == np.float64


@pytest.mark.parametrize("dtype", DTYPES)
def test_strided_and_read_only_scores(dtype: type) -> None:
    scores = waves(2, 3, N_QUERIES, N_KEYS, dtype=dtype)
    scores.flags.writeable = False
    expected = scale_scores(scores, 11)
    np.testing.assert_array_equal(scale_scores(scores[..., ::2, ::-1], 11), expected[..., ::2, ::-1])
    np.testing.assert_array_equal(scale_scores(scores.T, 11), expected.T)


@pytest.mark.parametrize("d_k", [1, 4])
def test_the_input_is_left_as_it_came(d_k: int) -> None:
    scores = waves(N_QUERIES, N_KEYS)
    before = scores.copy()
    scale_scores(scores, d_k)[...] = 0  # nor does the result share memory with it
    np.testing.assert_array_equal(scores, before)


@pytest.mark.parametrize(
    ("scores", "d_k", "error", "parts"),
    [
        ([1.0], 0, ValueError, ["d_k", "at least 1", "got 0"]),
        ([1.0], -3, ValueError, ["d_k", "at least 1", "got -3"]),
        ([1.0], 4.0, TypeError, ["d_k", "whole number", "got 4.0"]),
        ([1.0], "4", TypeError, ["d_k", "whole number", "got '4'"]),
        ([1.0], None, TypeError, ["d_k", "whole number", "got None"]),
        ([1.0], waves(2), TypeError, ["d_k", "whole number"]),
        ([True], 4, TypeError, ["scores", "real numbers", "bool"]),
        (["1"], 4, TypeError, ["scores", "real numbers", "<U1"]),
        ([[1, 2], [3]], 4, ValueError, ["scores", "different lengths"]),
    ],
)
def test_errors(scores: Any, d_k: Any, error: type[Exception], parts: list[str]) -> None:
    with pytest.raises(error) as caught:
        scale_scores(scores, d_k)
    for part in parts:
        assert part in str(caught.value)

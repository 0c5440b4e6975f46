"""helpers.precision: what float16 and the ends of a dtype's range ask, each reason as a case."""

from functools import partial

import numpy as np
import pytest
from samples import DTYPES, waves

from helpers.precision import (
    all_exponentials_fit,
    directions_of,
    finite_values,
    largest_so_far,
    lengths_of,
    less,
    lowest,
    minus_largest,
    or_one,
    rounded_to,
    sums_of,
    totals_of,
    working_dtype,
)
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_largest_score_becomes_0_and_the_lowest_minus_infinity_without_a_warning(dtype: type) -> None:
    top, bottom = np.finfo(dtype).max, np.finfo(dtype).min
    shifted = minus_largest(np.array([[top, bottom], [2, 5], [-np.inf, bottom]], dtype))
    assert shifted.dtype == dtype
    np.testing.assert_array_equal(shifted, [[0, -np.inf], [-3, 0], [-np.inf, 0]])
    np.testing.assert_array_equal(
        minus_largest(np.array([[1, 5], [3, 2]], dtype), axis=0), [[-2, 0], [0, -3]]
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_score_at_all_is_not_nan(dtype: type) -> None:
    hidden = minus_largest(np.full((2, 3), -np.inf, dtype))
    assert np.isneginf(hidden).all()
    np.testing.assert_array_equal(totals_of(np.exp(hidden)), [[1], [1]])
    assert minus_largest(np.zeros((2, 0), dtype)).shape == (2, 0)
    np.testing.assert_array_equal(totals_of(np.zeros((2, 0), dtype)), [[1], [1]])


@pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (np.inf, r"\+inf")])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_score_that_is_none_is_placed_wherever_it_stands(bad: float, word: str, dtype: type) -> None:
    for axis in (0, 1):
        scores = waves(3, 5, dtype=dtype)
        scores[2, 1] = bad
        with pytest.raises(
            ValueError, match=rf"scores must be finite or -inf; got {word}, 1 times, first \(2, 1\)"
        ):
            minus_largest(scores, axis)


def test_the_largest_so_far_is_that_of_both_and_a_bad_score_is_said_to_be_in_its_tile() -> None:
    so_far = np.array([[2.0], [9.0], [0.0]])
    scores = np.array([[1.0, 5.0], [3.0, 4.0], [3.0, 4.0]])
    np.testing.assert_array_equal(largest_so_far(so_far, scores), [[5], [9], [4]])
    tile = np.array([[1.0, 5.0], [np.nan, 4.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match=r"^scores must be finite or -inf; got NaN, 1 times, first \(1, 0\)"):
        largest_so_far(so_far, tile)
    with pytest.raises(ValueError, match=r"^scores of queries from 256 with keys from 512 must be finite"):
        largest_so_far(so_far, tile, 256, 512)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_score_that_is_none_is_found_where_there_is_no_other(bad: float) -> None:
    for find in (minus_largest, partial(largest_so_far, np.zeros((2, 1)))):
        with pytest.raises(ValueError, match="scores must be finite or -inf"):
            find(np.array([[bad], [bad]]))


def test_float16_ones_are_counted_beyond_2048() -> None:
    ones = np.ones((5000, 2), np.float16)
    assert ones.sum(axis=0).max() < 5000  # what this is for
    np.testing.assert_array_equal(totals_of(ones, axis=0), [[5000, 5000]])
    assert totals_of(ones, axis=0).dtype == np.float64
    np.testing.assert_array_equal(sums_of(ones, axis=0), [5000, 5000])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_length_is_right_where_its_squares_are_out_of_range(dtype: type) -> None:
    limits = np.finfo(dtype)
    vectors: Array = np.array([[limits.max] * 4, [limits.smallest_subnormal] * 4, [0, 0, -1, 0]], dtype)
    expected = np.array([[0.5] * 4, [0.5] * 4, [0, 0, -1, 0]])
    np.testing.assert_allclose(directions_of(vectors), expected, rtol=1e-15)
    np.testing.assert_allclose(directions_of(np.array([1, 3], dtype)), np.array([1, 3]) / 10**0.5, rtol=1e-15)
    assert lengths_of(vectors[2:]) == 1
    assert lengths_of(vectors[2:]).dtype == directions_of(vectors).dtype == np.float64


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_of_a_dtype(dtype: type) -> None:
    array = waves(2, 3, dtype=dtype)
    assert working_dtype(array) == (np.float32 if dtype is np.float16 else dtype)
    assert rounded_to(array.astype(np.float64), array).dtype == dtype
    assert rounded_to(array, array) is array
    assert np.isfinite(lowest(array.dtype))
    np.testing.assert_array_equal(or_one(np.array([0, 2], dtype)), [1, 2])
    assert or_one(np.array([0, 2], dtype)).dtype == dtype


def test_a_difference_may_take_the_place_of_the_scores() -> None:
    scores = waves(2, 3)
    expected = scores - 2
    assert less(scores, np.array(2.0), out=scores) is scores
    np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_placed(bad: float) -> None:
    values = waves(2, 3, 5)
    assert finite_values(values) is values
    assert finite_values(values[:, :0]).size == 0
    values[1, 2, 0] = bad
    with pytest.raises(
        ValueError, match=r"^values must be finite; got .* at index \(1, 2, 0\) of shape \(2, 3, 5\)$"
    ):
        finite_values(values)


# --- all_exponentials_fit: |q · k| / √d_k may be at most 32


@pytest.mark.parametrize("dtype", DTYPES)
def test_scores_up_to_32_need_no_maximum_and_larger_ones_do(dtype: type) -> None:
    queries: Array = np.array([[0, 0, 0, 8], [1, 1, 0, 0]], dtype)
    values: Array = np.ones((2, 3), dtype)
    assert all_exponentials_fit(queries, np.array([[8, 0, 0, 0], [0, 0, 0, 1]], dtype), values)
    assert not all_exponentials_fit(queries, np.array([[8.125, 0, 0, 0], [0, 0, 0, 1]], dtype), values)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_long_vector_fits_where_the_others_are_short_though_its_square_is_beyond_its_dtype(
    dtype: type,
) -> None:
    long: Array = np.array([[0, 300]], dtype)
    short: Array = np.array([[0.01, 0]], dtype)
    values: Array = np.ones((1, 3), dtype)
    assert all_exponentials_fit(long, short, values)
    assert all_exponentials_fit(short, long, values)
    assert all_exponentials_fit(long[:0], long, values)  # no query at all


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_or_beyond_the_range_when_squared_does_not_fit(bad: float) -> None:
    ones = np.ones((2, 4), np.float32)
    broken = ones.copy()
    broken[1, 2] = bad
    nothing = np.zeros_like(ones)
    for queries, keys in (
        (broken, ones),
        (ones, broken),
        (broken, nothing),
        (nothing, broken),
        (ones[:0], broken),
    ):
        assert not all_exponentials_fit(queries, keys, ones)
    assert not all_exponentials_fit(ones * np.float32(1e38), ones, ones)
    assert not all_exponentials_fit(np.full((2, 4), 6e4, np.float16), np.ones((2, 4), np.float16), ones)


def test_values_whose_sums_would_overflow_or_vanish_do_not_fit() -> None:
    queries = keys = np.ones((4, 2))
    for size, fits in (
        (1.0, True),
        (-1.0, True),
        (9e19 / 4, True),
        (1.1e20 / 4, False),
        (-1.1e20 / 4, False),
    ):
        assert all_exponentials_fit(queries, keys, np.full((4, 1), size)) == fits
    assert all_exponentials_fit(queries, keys, np.array([[0.0], [1e-19], [0.0], [0.0]]))
    assert not all_exponentials_fit(queries, keys, np.full((4, 1), 1e-21))
    for size, fits in ((1e-20, False), (1.5e-20, True), (1e20, False)):  # the limits do not count
        assert all_exponentials_fit(queries, keys[:1], np.array([[size]])) == fits
    assert not all_exponentials_fit(queries, keys[:0], keys[:0])

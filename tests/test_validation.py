"""helpers.validation: what is accepted as it came, what is converted, and the words of each error."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from samples import DTYPES, number_arrays, properties, score_shapes, waves

from helpers.validation import (
    Array,
    as_columns,
    as_floats,
    as_rows,
    require_count,
    require_finite,
    require_matching_stacks,
    require_same_length,
    require_scores,
)

pytestmark = pytest.mark.filterwarnings("error")


@properties
@given(number_arrays(score_shapes(), minus_infinity=True))
def test_floats_are_taken_as_they_are(array: Array) -> None:
    assert as_floats("scores", array) is array


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_whole_numbers_become_float64(dtype: type) -> None:
    array = as_floats("scores", np.array([[1, 2, 100]], dtype))
    assert array.dtype == np.float64
    np.testing.assert_array_equal(array, [[1, 2, 100]])


@pytest.mark.parametrize("values", [[[1, 2], [3, 4]], ((1.0, 2.0), (3.0, 4.0)), [np.array([1.0, 2]), [3, 4]]])
def test_lists_and_tuples_become_arrays(values: Any) -> None:
    np.testing.assert_array_equal(as_floats("scores", values), [[1, 2], [3, 4]])
    assert as_floats("scores", values).dtype == np.float64


def test_no_list_entry_is_no_score() -> None:
    assert as_floats("scores", []).shape == (0,)
    assert as_floats("scores", 3).shape == ()


@pytest.mark.parametrize("dtype", DTYPES)
def test_either_byte_order_is_a_real_number(dtype: type) -> None:
    for stored in (np.array([1, 2], np.dtype(dtype)), np.array([1, 2], np.dtype(dtype).newbyteorder("S"))):
        np.testing.assert_array_equal(as_floats("scores", stored), [1, 2])


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([True, False], "bool"),
        ([1j], "complex128"),
        (["a"], "<U1"),
        (None, "object"),
        ([None, 1.0], "object"),
        ([2**70], "object"),
        (np.array(["2020-01-01"], "datetime64[D]"), "datetime64[D]"),
    ],
)
def test_anything_else_is_a_type_error_with_its_dtype(values: Any, dtype: str) -> None:
    with pytest.raises(TypeError) as caught:
        as_floats("queries", values)
    assert str(caught.value) == (
        "queries must hold real numbers (float16, float32, float64 or whole numbers); got dtype " + dtype
    )


def test_rows_of_different_lengths() -> None:
    with pytest.raises(ValueError, match=r"^keys must be a full array: its rows have different lengths$"):
        as_floats("keys", [[1, 2], [3]])


def test_rows_are_taken_as_they_are() -> None:
    for shape in [(2, 3), (5, 2, 3), (7, 5, 2, 3), (0, 3), (5, 0, 3), (2, 1)]:
        array = waves(*shape)
        assert as_rows("keys", array, "n_keys", "d_k") is array


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            waves(3),
            "keys must have shape (..., n_keys, d_k), one vector in each row; got shape (3,); "
            "for a single vector write keys[None, :]",
        ),
        (1.5, "keys must have shape (..., n_keys, d_k), one vector in each row; got shape ()"),
        (
            waves(5, 0),
            "keys must have shape (..., n_keys, d_k), one vector in each row, with d_k at least 1; "
            "got shape (5, 0)",
        ),
    ],
)
def test_words_of_the_errors_about_rows(values: Any, message: str) -> None:
    with pytest.raises(ValueError, match="keys") as caught:
        as_rows("keys", values, "n_keys", "d_k")
    assert str(caught.value) == message


def test_the_advice_for_a_single_vector_works() -> None:
    keys = waves(3)
    assert as_rows("keys", keys[None, :], "n_keys", "d_k").shape == (1, 3)


def test_lengths_and_numbers_of_rows_are_compared() -> None:
    queries, keys = waves(2, 3), waves(5, 3)
    require_same_length("queries", queries, "keys", keys)
    require_same_length("queries", queries, "keys", waves(2, 7), axis=-2)
    with pytest.raises(
        ValueError,
        match=r"^queries and keys must have vectors of the same length .*"
        r"got \(2, 3\) and \(5, 7\)$",
    ):
        require_same_length("queries", queries, "keys", waves(5, 7))
    with pytest.raises(
        ValueError, match=r"^keys and values must have as many rows .*got \(5, 3\) and \(2, 3\)$"
    ):
        require_same_length("keys", keys, "values", queries, axis=-2)


@pytest.mark.parametrize(("left", "right"), [((), (2, 3)), ((2, 3), (2, 3)), ((2, 1), (3,)), ((0,), (1,))])
def test_stacks_that_broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    require_matching_stacks("queries", waves(*left, 5, 7), "keys", waves(*right, 11, 7))


@pytest.mark.parametrize(("left", "right"), [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,))])
def test_stacks_that_do_not(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    queries, keys = waves(*left, 5, 7), waves(*right, 11, 7)
    with pytest.raises(
        ValueError, match=r"^queries and keys must agree on the axes before the last two"
    ) as caught:
        require_matching_stacks("queries", queries, "keys", keys)
    assert str(caught.value).endswith(f"or have 1 there; got {queries.shape} and {keys.shape}")


@properties
@given(number_arrays(score_shapes(), largest=60000.0, minus_infinity=True))
def test_any_finite_score_and_minus_infinity_are_scores(scores: Array) -> None:
    require_scores("scores", scores)


@pytest.mark.parametrize(("bad", "name"), [(np.nan, "NaN"), (np.inf, "+inf")])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_score_that_is_none_is_counted_and_placed(bad: float, name: str, dtype: type) -> None:
    scores = waves(2, 3, 5, dtype=dtype)
    scores[0, 2, 4] = scores[1, 0, 0] = bad
    with pytest.raises(ValueError, match="scores") as caught:
        require_scores("scores", scores)
    assert str(caught.value) == f"scores must be finite or -inf; got {name}, 2 times, first (0, 2, 4)"


@pytest.mark.parametrize("shape", [(4, 5), (2, 4, 0), (2, 3, 4, 5)])
def test_columns_are_vectors_of_at_least_one_entry_and_any_number_of_them(shape: tuple[int, ...]) -> None:
    array = waves(*shape)
    assert as_columns("keys", array, "d_k", "n_keys") is array


@pytest.mark.parametrize("shape", [(), (4,), (0, 5), (2, 0, 5)])
def test_what_has_no_columns_is_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(
        ValueError, match=r"^keys must have shape \(..., d_k, n_keys\), one vector in each column"
    ):
        as_columns("keys", np.zeros(shape), "d_k", "n_keys")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_number_that_is_not_finite_is_placed(bad: float) -> None:
    values = waves(2, 3, 5)
    require_finite("values", values)
    values[0, 2, 4] = bad
    with pytest.raises(
        ValueError, match=r"^values must be finite; got .* at index \(0, 2, 4\) of shape \(2, 3, 5\)$"
    ):
        require_finite("values", values)


@pytest.mark.parametrize("count", [3, np.int8(3), np.uint64(3)])
def test_a_count_is_a_whole_number(count: Any) -> None:
    assert require_count("n_heads", count) == 3
    assert type(require_count("n_heads", count)) is int
    assert require_count("n_keys", 0, least=0) == 0


@pytest.mark.parametrize(
    ("count", "error", "words"),
    [
        (0, ValueError, "^n_heads must be at least 1; got 0$"),
        (2.0, TypeError, "^n_heads must be a whole number; got 2.0$"),
        ("2", TypeError, "^n_heads must be a whole number; got '2'$"),
        (None, TypeError, "^n_heads must be a whole number; got None$"),
    ],
)
def test_what_is_no_count_is_named(count: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        require_count("n_heads", count)

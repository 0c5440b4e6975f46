"""helpers.validation: what is accepted as it came, what is converted, and the words of each error."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from samples import DTYPES, number_arrays, properties, score_shapes, waves

from helpers.validation import (
    Array,
    Planned,
    as_columns,
    as_finite,
    as_floats,
    as_gradient,
    as_mask,
    as_positions,
    as_rows,
    as_weights,
    require_all_stacks,
    require_axis,
    require_broadcast,
    require_count,
    require_directions,
    require_finite,
    require_fitting,
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
    values[0, 2, 4] = values[1, 0, 0] = bad
    with pytest.raises(
        ValueError, match=r"^values must be finite; got .* at index \(0, 2, 4\) of shape \(2, 3, 5\)$"
    ):
        require_finite("values", values)


def test_finite_numbers_and_gradients_are_taken_as_they_are() -> None:
    array = waves(2, 3)
    assert as_finite("slopes", array) is array
    assert as_gradient("d_output", array, (2, 3), "the output") is array
    assert as_gradient("d_output", [[1, 2]], (1, 2), "the output").dtype == np.float64


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: as_finite("slopes", [1, np.inf]),
            ValueError,
            "slopes must be finite; got inf at index (1,) of",
        ),
        (lambda: as_finite("slopes", ["a"]), TypeError, "slopes must hold real numbers"),
        (
            lambda: as_gradient("d_output", waves(2, 3), (3, 2), "the output"),
            ValueError,
            "d_output must have the shape of the output, (3, 2); got (2, 3)",
        ),
        (
            lambda: as_gradient("d_output", [np.nan], (1,), "the output"),
            ValueError,
            "d_output must be finite; got nan at index (0,) of shape (1,)",
        ),
        (lambda: as_gradient("d_output", [True], (1,), ""), TypeError, "d_output must hold real numbers"),
        (
            lambda: as_positions("positions", 3),
            ValueError,
            "positions must have shape (..., n), one for each token; got a single number, shape ()",
        ),
        (lambda: as_positions("positions", [0, np.nan]), ValueError, "positions must be finite; got nan"),
        (
            lambda: require_broadcast("bias", waves(2, 3), "the scores", (5, 2)),
            ValueError,
            "bias must broadcast to the scores = (5, 2); got (2, 3)",
        ),
        (
            lambda: require_broadcast("bias", waves(5, 2), "the scores", (1, 2)),
            ValueError,
            "bias must broadcast to the scores = (1, 2); got (5, 2)",
        ),
    ],
)
def test_what_is_not_finite_or_of_another_shape_is_named(
    call: Callable[[], Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(words)


def test_whole_positions_stay_whole_and_others_are_taken_as_they_are() -> None:
    for whole in ([0, 2, 5], np.array([0, 2, 5], np.uint8)):
        positions = as_positions("positions", whole)
        assert positions.dtype == np.int64
        np.testing.assert_array_equal(positions, [0, 2, 5])
    between = np.array([0.5, 2], np.float32)
    assert as_positions("positions", between) is between


@pytest.mark.parametrize("shape", [(), (2,), (5, 1), (5, 2)])
def test_what_broadcasts_to_a_shape_is_accepted(shape: tuple[int, ...]) -> None:
    require_broadcast("bias", np.ones(shape), "the scores", (5, 2))


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


def test_no_columns_in_these_words() -> None:
    with pytest.raises(ValueError, match="keys") as caught:
        as_columns("keys", waves(4), "d_k", "n_keys")
    assert str(caught.value) == (
        "keys must have shape (..., d_k, n_keys), one vector in each column, with d_k at least 1; "
        "got shape (4,)"
    )


# --- masks and weights


@pytest.mark.parametrize("shape", [(2, 3, 5), (3, 5), (3, 1), (1, 5), (), (2, 1, 1)])
def test_a_mask_that_broadcasts_is_taken_as_it_is(shape: tuple[int, ...]) -> None:
    mask = np.ones(shape, bool)
    assert as_mask(mask, (2, 3, 5)) is mask
    np.testing.assert_array_equal(as_mask(mask.tolist(), (2, 3, 5)), mask)


def test_no_mask_is_none() -> None:
    assert as_mask(None, (2, 3)) is None


@pytest.mark.parametrize("shape", [(2, 4), (3, 2), (1, 2, 3), (5, 2, 3), (0, 3)])
def test_a_mask_of_another_shape_is_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="mask") as caught:
        as_mask(np.ones(shape, bool), (2, 3))
    assert str(caught.value) == (
        f"mask must broadcast to the scores, (..., n_queries, n_keys) = (2, 3); got {shape}"
    )


@pytest.mark.parametrize(("mask", "dtype"), [([[1, 0, 1]], "int64"), ([[1.0]], "float64"), ("a", "<U1")])
def test_a_mask_of_other_things_is_named(mask: Any, dtype: str) -> None:
    with pytest.raises(TypeError, match="mask") as caught:
        as_mask(mask, (2, 3))
    assert str(caught.value) == f"mask must hold True (may attend) and False (may not); got dtype {dtype}"


@pytest.mark.parametrize("axis", [-1, 1])
def test_weights_sum_to_1_or_are_all_0(axis: int) -> None:
    weights = np.array([[0.25, 0.75], [0, 0], [1, 0]])
    found, same = as_weights("weights", weights, axis)
    assert found is weights
    assert same == axis
    assert as_weights("weights", weights.T, 0)[1] == 0
    assert as_weights("weights", np.zeros((3, 0)), -1)[0].shape == (3, 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_keys", [1, 4, 64])
def test_rounding_of_a_sum_grows_like_the_root_of_the_number_of_keys(n_keys: int, dtype: type) -> None:
    for off, is_accepted in ((4, True), (4.5, False)):
        weights: Array = np.zeros((2, n_keys), dtype)
        weights[:, 0] = 1, 1 - off * n_keys**0.5 * float(np.finfo(dtype).eps)
        if is_accepted:
            assert as_weights("weights", weights, -1)[0] is weights
        else:
            with pytest.raises(ValueError, match="weights must sum to 1"):
                as_weights("weights", weights, -1)


@pytest.mark.parametrize(
    ("weights", "axis", "words"),
    [
        ([[0.5, 0.5], [1.5, -0.5]], -1, "weights must be 0 or more; got -0.5 in shape (2, 2)"),
        ([[np.nan, 1.0]], -1, "weights must be 0 or more; got nan in shape (1, 2)"),
        ([[1, 0], [0.5, 0.123456]], -1, "weights must sum to 1 along axis -1; shape (2, 2) has a sum 0.6235"),
        ([[1, 0], [0.5, 0]], 0, "weights must sum to 1 along axis 0; shape (2, 2) has a sum 1.5"),
        ([2.0], 0, "weights must sum to 1 along axis 0; shape (1,) has a sum 2"),
        ([2.0], 1, "axis 1 is not there: the array has shape (1,), 1 axes"),
    ],
)
def test_what_are_no_weights_is_said_in_these_words(weights: Any, axis: int, words: str) -> None:
    with pytest.raises(ValueError, match=r"weights|axis") as caught:
        as_weights("weights", weights, axis)
    assert str(caught.value) == words


# --- queries, keys and values that fit


FITTING = waves(2, 1, 5, 4), waves(1, 3, 7, 4), waves(7, 6)


@pytest.mark.parametrize("planned", [False, True])
def test_queries_keys_and_values_that_fit(planned: bool) -> None:
    parts = tuple(Planned(part.shape) for part in FITTING) if planned else FITTING
    require_fitting(*parts)
    require_all_stacks(*parts)


STACKS_DIFFER = (
    "{} and {} must agree on the axes before the last two (batch, heads), or have 1 there; got {} and {}"
)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (
            ((5, 4), (7, 4), (6, 6)),
            "keys and values must have as many rows (last axis but one); got (7, 4) and (6, 6)",
        ),
        (
            ((5, 4), (7, 3), (7, 6)),
            "queries and keys must have vectors of the same length (last axis); got (5, 4) and (7, 3)",
        ),
    ],
)
def test_what_does_not_fit_is_said_with_both_shapes(shapes: tuple[tuple[int, ...], ...], words: str) -> None:
    with pytest.raises(ValueError, match="must have") as caught:
        require_fitting(*map(Planned, shapes))
    assert str(caught.value) == words


@pytest.mark.parametrize("require", [require_fitting, require_all_stacks])
@pytest.mark.parametrize(
    ("stacks", "names"),
    [
        (((2,), (3,), ()), ("queries", "keys")),
        (((2,), (), (3,)), ("queries", "values")),
        (((), (2,), (3,)), ("keys", "values")),
    ],
)
def test_the_two_whose_leading_axes_differ_are_named(
    require: Any, stacks: tuple[tuple[int, ...], ...], names: tuple[str, str]
) -> None:
    ends = {"queries": (5, 4), "keys": (7, 4), "values": (7, 6)}
    parts = {name: Planned((*stack, *ends[name])) for name, stack in zip(ends, stacks, strict=True)}
    with pytest.raises(ValueError, match="must agree") as caught:
        require(**parts)
    assert str(caught.value) == STACKS_DIFFER.format(*names, *(parts[name].shape for name in names))


# --- directions and axes


def test_a_vector_of_any_length_but_0_has_a_direction() -> None:
    require_directions("keys", np.array([[1e-300, 0], [0, -1e300]]))


@pytest.mark.parametrize(
    ("vector", "what"),
    [([0, 0], "length 0"), ([1, np.inf], "an entry inf or NaN"), ([np.nan, 0], "an entry inf or NaN")],
)
def test_a_vector_without_a_direction_is_placed(vector: list[float], what: str) -> None:
    vectors = np.ones((2, 3, 2))
    vectors[0, 2] = vectors[1, 0] = vector
    with pytest.raises(ValueError, match="keys") as caught:
        require_directions("keys", vectors)
    assert str(caught.value) == (
        f"keys must have a direction in every row; the vector at index (0, 2) has {what} "
        "in keys of shape (2, 3, 2)"
    )


@pytest.mark.parametrize("axis", [-3, -1, 0, 2, np.int8(1)])
def test_an_axis_that_is_there(axis: Any) -> None:
    assert require_axis(waves(2, 3, 5), axis) == axis
    assert type(require_axis(waves(2, 3, 5), axis)) is int


@pytest.mark.parametrize(
    ("axis", "error", "words"),
    [
        (3, ValueError, "axis 3 is not there: the array has shape (2, 3, 5), 3 axes"),
        (-4, ValueError, "axis -4 is not there: the array has shape (2, 3, 5), 3 axes"),
        (1.0, TypeError, "axis must be one whole number; got 1.0"),
        ((0, 1), TypeError, "axis must be one whole number; got (0, 1)"),
        (None, TypeError, "axis must be one whole number; got None"),
    ],
)
def test_what_is_no_axis_is_named(axis: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match="axis") as caught:
        require_axis(waves(2, 3, 5), axis)
    assert str(caught.value) == words

"""helpers.similarity against loops, against torch, and against what geometry says."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import oracles
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from samples import (
    D_K,
    D_V,
    DTYPES,
    N_KEYS,
    N_QUERIES,
    STACKS,
    eps,
    number_arrays,
    properties,
    smallest,
    waves,
)

from helpers.similarity import cosine_scores, dot_product_scores, hard_lookup, vector_lengths
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

Scores = Callable[..., Array]
BOTH: list[Scores] = [dot_product_scores, cosine_scores]


def queries_and_keys(stack: tuple[int, ...] = (), dtype: type = np.float64) -> tuple[Array, Array]:
    queries = waves(*stack, N_QUERIES, D_K, start=1, dtype=dtype)
    keys = waves(*stack, N_KEYS, D_K, start=4, dtype=dtype)
    return queries, keys


def assert_scores_close(got: Array, expected: Array, queries: Array, keys: Array) -> None:
    """Each of d_k products and sums may round once, by eps/2 of the sizes added; the result once more."""
    assert got.shape == expected.shape
    room = (queries.shape[-1] + 1) * eps(got) * oracles.products_of_sizes(queries, keys) + smallest(got)
    np.testing.assert_array_less(abs(got.astype(np.float64) - expected), room + 1e-300)


@st.composite
def drawn_queries_and_keys(draw: st.DrawFn, largest: float = 50.0) -> tuple[Array, Array]:
    """One dtype, one d_k from 1, and leading axes that broadcast. 50² × 6 stays below 65,504."""
    dtype = draw(st.sampled_from(DTYPES))
    d_k = draw(st.integers(1, 6))
    stack = draw(st.sampled_from([((), ()), ((2,), (2,)), ((2, 1), (3,)), ((), (2, 3))]))
    arrays = [
        draw(number_arrays((*leading, draw(st.integers(1, 4)), d_k), largest, dtypes=(dtype,)))
        for leading in stack
    ]
    return arrays[0], arrays[1]


def cosine_room(cosines: Array, d_k: int) -> float:
    """Computed in float64, with some d_k roundings, then rounded once: by eps/4 at most from 0.5 to 1."""
    return 0.25 * eps(cosines) + 2 * d_k * float(np.finfo(np.float64).eps)


# dot_product_scores


def test_dot_products_by_hand() -> None:
    scores = dot_product_scores([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]], [[4, 5, 6], [1, 0, 0]])
    np.testing.assert_array_equal(scores, [[1 * 4 + 2 * 5 + 3 * 6, 1], [-5 + 3, 0]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_dot_products_are_those_of_loops_and_of_torch(stack: tuple[int, ...], dtype: type) -> None:
    queries, keys = queries_and_keys(stack, dtype)
    scores = dot_product_scores(queries, keys)
    assert scores.dtype == dtype
    assert scores.shape == (*stack, N_QUERIES, N_KEYS)
    assert_scores_close(scores, oracles.dot_product_scores(queries, keys), queries, keys)
    by_torch = torch.einsum("...id,...jd->...ij", torch.tensor(queries), torch.tensor(keys)).double().numpy()
    assert_scores_close(scores, by_torch, queries, keys)


@properties
@given(drawn_queries_and_keys())
def test_dot_products_of_any_stack_are_those_of_loops(pair: tuple[Array, Array]) -> None:
    queries, keys = pair
    assert_scores_close(
        dot_product_scores(queries, keys), oracles.dot_product_scores(queries, keys), queries, keys
    )


def test_a_vector_of_length_3_along_one_of_length_2_scores_6_and_at_a_right_angle_0() -> None:
    north, east = [0, 1], [1, 0]
    scores = dot_product_scores(3 * np.array([north]), 2 * np.array([north, east, [0, -1]]))
    np.testing.assert_array_equal(scores, [[6, 0, -6]])


def test_row_i_belongs_to_query_i_and_column_j_to_key_j() -> None:
    queries, keys = queries_and_keys()
    scores = dot_product_scores(queries, keys)
    for i, j in np.ndindex(N_QUERIES, N_KEYS):
        assert scores[i, j] == pytest.approx(dot_product_scores(queries[i : i + 1], keys[j : j + 1])[0, 0])


def test_a_float16_score_beyond_the_range_is_infinite_and_numpy_warns() -> None:
    large = np.array([[300, 300]], dtype=np.float16)  # 300² + 300² = 180,000 > 65,504
    with pytest.warns(RuntimeWarning, match="overflow"):
        scores = dot_product_scores(large, np.concatenate([large, -large]))
    np.testing.assert_array_equal(scores, [[np.inf, -np.inf]])


def test_float16_products_that_cancel_do_not_overflow_on_the_way() -> None:
    query, key = np.array([[300, 300]], dtype=np.float16), np.array([[300, -300]], dtype=np.float16)
    np.testing.assert_array_equal(dot_product_scores(query, key), [[0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_vectors_of_a_thousand_are_scored_exactly(dtype: type) -> None:
    query: Array = np.full((1, 3), 1000, dtype)
    keys: Array = np.array([[1000] * 3, [-1000] * 3], dtype)
    np.testing.assert_array_equal(dot_product_scores(query, keys), [[3e6, -3e6]])


# vector_lengths


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_lengths_are_those_of_loops_and_of_torch(stack: tuple[int, ...], dtype: type) -> None:
    vectors = waves(*stack, N_KEYS, D_K, dtype=dtype)
    lengths = vector_lengths(vectors)
    assert lengths.dtype == dtype
    assert lengths.shape == (*stack, N_KEYS)
    # Added in float64, with d_k roundings at most, and then rounded once to the dtype, by half an eps.
    room = 0.5 * eps(lengths) + D_K * np.finfo(np.float64).eps
    np.testing.assert_allclose(lengths.astype(float), oracles.vector_lengths(vectors), rtol=room)
    by_torch = torch.linalg.vector_norm(torch.tensor(vectors).double(), dim=-1)
    np.testing.assert_allclose(lengths.astype(float), by_torch, rtol=room)


def test_lengths_by_hand() -> None:
    np.testing.assert_array_equal(vector_lengths([[3, 4], [0, 0], [-5, 12]]), [5, 0, 13])
    assert vector_lengths([3, 4]) == 5
    assert vector_lengths([3, 4]).shape == ()


def test_squares_beyond_the_range_of_the_dtype_do_not_spoil_a_length() -> None:
    assert (
        vector_lengths(np.array([30000, 40000], dtype=np.float16)) == 50000 - 50000 % 32
    )  # float16 steps by 32
    assert vector_lengths(np.array([3e30, 4e30], dtype=np.float32)) == np.float32(5e30)
    assert vector_lengths(np.array([3e-30, 4e-30], dtype=np.float32)) == np.float32(5e-30)


def test_a_length_beyond_the_range_is_infinite_and_numpy_warns() -> None:
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert vector_lengths(np.array([60000, 60000], dtype=np.float16)) == np.inf


# cosine_scores


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_cosines_are_those_of_loops_and_of_torch(stack: tuple[int, ...], dtype: type) -> None:
    queries, keys = queries_and_keys(stack, dtype)
    cosines = cosine_scores(queries, keys)
    assert cosines.dtype == dtype
    assert cosines.shape == (*stack, N_QUERIES, N_KEYS)
    room = cosine_room(cosines, D_K)
    np.testing.assert_allclose(cosines.astype(float), oracles.cosine_scores(queries, keys), rtol=0, atol=room)
    by_torch = torch.nn.functional.cosine_similarity(
        torch.tensor(queries).double().unsqueeze(-2), torch.tensor(keys).double().unsqueeze(-3), dim=-1
    )
    np.testing.assert_allclose(cosines.astype(float), by_torch, rtol=0, atol=room)


def test_cosines_by_hand() -> None:
    cosines = cosine_scores([[2, 0]], np.array([[3, 0], [0, 5], [-1, 0], [1, 1], [1, math.sqrt(3)]]))
    np.testing.assert_allclose(cosines, [[1, 0, -1, math.sqrt(0.5), 0.5]], rtol=0, atol=4 * eps(cosines))


@properties
@given(drawn_queries_and_keys(largest=60000.0))
def test_a_cosine_lies_between_minus_1_and_1_and_equals_1_with_itself(pair: tuple[Array, Array]) -> None:
    queries, keys = pair
    assume(queries.any(axis=-1).all() and keys.any(axis=-1).all())
    cosines = cosine_scores(queries, keys)
    assert cosines.dtype == queries.dtype
    assert (abs(cosines) <= 1).all()
    room = cosine_room(cosines, queries.shape[-1])
    np.testing.assert_allclose(cosines.astype(float), oracles.cosine_scores(queries, keys), rtol=0, atol=room)
    own = np.diagonal(cosine_scores(keys, keys), axis1=-2, axis2=-1)
    np.testing.assert_allclose(own.astype(float), 1, rtol=0, atol=room)


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_cosine_of_many_vectors_with_themselves_exceeds_1(dtype: type) -> None:
    vectors = waves(300, N_KEYS, dtype=dtype)  # without a limit, rounding takes dozens of these above 1
    cosines = cosine_scores(vectors, vectors)
    assert cosines.max() == 1
    assert cosine_scores(vectors, -vectors).min() == -1


@pytest.mark.parametrize("factor", [0.25, 8, 1024])
def test_cosine_does_not_see_a_length(factor: float) -> None:
    queries, keys = queries_and_keys()  # powers of 2, so that the products are exact and so is the equality
    np.testing.assert_array_equal(
        cosine_scores(queries * factor, keys / factor), cosine_scores(queries, keys)
    )
    assert not np.allclose(dot_product_scores(queries * factor, keys), dot_product_scores(queries, keys))


@pytest.mark.parametrize("dtype", DTYPES)
def test_cosine_at_both_ends_of_the_range_of_the_dtype(dtype: type) -> None:
    limits = np.finfo(dtype)
    ends: Array = np.array([[limits.max] * 3, [limits.smallest_subnormal] * 3, [limits.max, 0, 0]], dtype)
    third = math.sqrt(1 / 3)
    expected = [[1, 1, third], [1, 1, third], [third, third, 1]]
    np.testing.assert_allclose(cosine_scores(ends, ends).astype(float), expected, rtol=0, atol=4 * eps(ends))


@pytest.mark.parametrize(
    ("bad", "what"),
    [(0.0, "length 0"), (np.nan, "inf or NaN"), (np.inf, "inf or NaN"), (-np.inf, "inf or NaN")],
)
def test_a_vector_without_a_direction_is_named(bad: float, what: str) -> None:
    queries, keys = queries_and_keys((2,))
    keys[1, 4] = keys[1, 6] = bad  # the first is named
    with pytest.raises(ValueError, match=rf"keys must have a direction.*\(1, 4\).*{what}.*\(2, 7, 11\)"):
        cosine_scores(queries, keys)
    with pytest.raises(ValueError, match=rf"queries must have a direction.*\(1, 4\).*{what}.*\(2, 7, 11\)"):
        cosine_scores(keys, queries)


def test_one_zero_in_a_vector_leaves_its_direction() -> None:
    np.testing.assert_array_equal(cosine_scores([[0, 7]], [[0, 2]]), [[1]])


# What both scores share


@pytest.mark.parametrize("scores_of", BOTH)
def test_scores_of_a_stack_are_those_of_its_matrices(scores_of: Scores) -> None:
    queries, keys = queries_and_keys((2, 3))
    scores = scores_of(queries, keys)
    for b, h in np.ndindex(2, 3):
        # The same sums, perhaps in another order: BLAS chooses by shape.
        np.testing.assert_allclose(scores[b, h], scores_of(queries[b, h], keys[b, h]), rtol=0, atol=1e-13)


@pytest.mark.parametrize("scores_of", BOTH)
@pytest.mark.parametrize(
    ("left", "right"), [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 3)), ((2, 3), (2, 1))]
)
def test_leading_axes_broadcast(scores_of: Scores, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    queries, keys = waves(*left, N_QUERIES, D_K), waves(*right, N_KEYS, D_K, start=4)
    spread_queries = np.broadcast_to(queries, (2, 3, N_QUERIES, D_K)).copy()
    spread_keys = np.broadcast_to(keys, (2, 3, N_KEYS, D_K)).copy()
    scores = scores_of(queries, keys)
    assert scores.shape == (2, 3, N_QUERIES, N_KEYS)
    np.testing.assert_allclose(scores, scores_of(spread_queries, spread_keys), rtol=0, atol=1e-13)


@pytest.mark.parametrize("scores_of", BOTH)
@properties
@given(pair=drawn_queries_and_keys(), data=st.data())
def test_scores_move_with_the_keys_and_with_the_queries(
    scores_of: Scores, pair: Any, data: st.DataObject
) -> None:
    queries, keys = pair
    assume(queries.any(axis=-1).all() and keys.any(axis=-1).all())
    new_keys = np.array(data.draw(st.permutations(range(keys.shape[-2]))))
    new_queries = np.array(data.draw(st.permutations(range(queries.shape[-2]))))
    moved = scores_of(queries[..., new_queries, :], keys[..., new_keys, :])
    expected = scores_of(queries, keys)[..., new_queries, :][..., new_keys]
    room = 12 * eps(moved) * (1 + float(abs(queries).max()) * float(abs(keys).max()))
    np.testing.assert_allclose(moved.astype(float), expected.astype(float), rtol=0, atol=room)


@pytest.mark.parametrize("scores_of", BOTH)
def test_swapping_queries_and_keys_transposes_the_scores(scores_of: Scores) -> None:
    queries, keys = queries_and_keys((2, 3))
    swapped = scores_of(keys, queries)
    np.testing.assert_allclose(swapped, np.swapaxes(scores_of(queries, keys), -1, -2), rtol=0, atol=1e-13)


@pytest.mark.parametrize("scores_of", BOTH)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_no_key_no_query_and_one_key(scores_of: Scores, stack: tuple[int, ...], dtype: type) -> None:
    queries, keys = queries_and_keys(stack, dtype)
    for n_queries, n_keys in [(N_QUERIES, 0), (0, N_KEYS), (0, 0), (N_QUERIES, 1), (1, 1)]:
        scores = scores_of(queries[..., :n_queries, :], keys[..., :n_keys, :])
        assert scores.shape == (*stack, n_queries, n_keys)
        assert scores.dtype == dtype
    assert scores_of(queries[:0], keys[:0]).size == 0


@pytest.mark.parametrize("scores_of", BOTH)
def test_dtypes_of_the_scores(scores_of: Scores) -> None:
    queries, keys = queries_and_keys()
    half, single = np.float16, np.float32
    assert scores_of(queries.astype(half), keys.astype(single)).dtype == np.float32  # the wider of two
    assert scores_of(queries.astype(single), keys).dtype == np.float64
    assert scores_of([[1, 2]], [[3, 4]]).dtype == np.float64
    assert scores_of(np.array([[1, 2]], np.int8), np.array([[100, 100]], np.int8)).dtype == np.float64


def test_small_whole_numbers_do_not_wrap_around() -> None:
    hundreds = np.array([[100, 100]], dtype=np.int8)
    np.testing.assert_array_equal(dot_product_scores(hundreds, hundreds), [[20000]])


@pytest.mark.parametrize("scores_of", BOTH)
@pytest.mark.parametrize("dtype", DTYPES)
def test_lists_strided_and_read_only_arrays_give_the_same_scores(scores_of: Scores, dtype: type) -> None:
    queries, keys = queries_and_keys((2, 3), dtype)
    expected = scores_of(queries, keys)
    strided = np.repeat(queries, 2, axis=-1)[..., ::2], np.asfortranarray(keys)
    for array in (queries, keys):
        array.flags.writeable = False
    for other in [(queries, keys), strided]:
        got = scores_of(*other)
        # Contiguous arrays go through BLAS and strided ones need not: the same sums in another order.
        np.testing.assert_allclose(got.astype(float), expected.astype(float), rtol=0, atol=D_K * 8 * eps(got))
    from_lists = scores_of(queries.tolist(), keys.tolist())
    np.testing.assert_allclose(from_lists, expected.astype(float), rtol=0, atol=D_K * 8 * eps(expected))
    assert from_lists.dtype == np.float64


# hard_lookup


def test_hard_lookup_by_hand() -> None:
    keys = [[1, 0], [0, 1], [-1, 0]]
    values = [[10, 11, 12], [20, 21, 22], [30, 31, 32]]
    output, chosen = hard_lookup([[0.2, 0.9], [-3.0, 1.0]], keys, values)
    np.testing.assert_array_equal(chosen, [1, 2])
    np.testing.assert_array_equal(output, [[20, 21, 22], [30, 31, 32]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_hard_lookup_is_that_of_loops_and_of_torch(dtype: type) -> None:
    queries, keys = queries_and_keys((), dtype)
    values = waves(N_KEYS, D_V, start=7, dtype=dtype)
    output, chosen = hard_lookup(queries, keys, values)
    expected_output, expected_chosen = oracles.hard_lookup(queries, keys, values)
    assert output.dtype == dtype
    assert output.shape == (N_QUERIES, D_V)
    assert chosen.tolist() == expected_chosen
    assert len(set(expected_chosen)) > 1  # or any constant choice would pass
    np.testing.assert_array_equal(output, expected_output)
    by_torch = (torch.tensor(queries).double() @ torch.tensor(keys).double().T).argmax(dim=-1)
    np.testing.assert_array_equal(chosen, by_torch)


def test_of_equal_scores_the_first_is_chosen() -> None:
    output, chosen = hard_lookup([[1, 0], [0, 0]], [[0, 1], [2, 0], [2, 5]], [[1], [2], [3]])
    np.testing.assert_array_equal(chosen, [1, 0])
    np.testing.assert_array_equal(output, [[2], [1]])


def test_a_single_key_is_always_chosen_and_no_query_chooses_nothing() -> None:
    output, chosen = hard_lookup([[-5], [5]], [[-1]], [[7, 8]])
    np.testing.assert_array_equal(output, [[7, 8], [7, 8]])
    np.testing.assert_array_equal(chosen, [0, 0])
    output, chosen = hard_lookup(np.zeros((0, 1)), [[-1]], [[7, 8]])
    assert output.shape == (0, 2)
    assert chosen.shape == (0,)


def test_the_output_is_a_copy() -> None:
    values = waves(N_KEYS, D_V)
    output, _ = hard_lookup(*queries_and_keys(), values)
    assert not np.shares_memory(output, values)


# Errors: each names the argument, what came and what was expected


@pytest.mark.parametrize("scores_of", BOTH)
@pytest.mark.parametrize(
    ("queries", "keys", "error", "parts"),
    [
        (waves(2, 3), waves(5, 7), ValueError, ["queries and keys", "same length", "(2, 3)", "(5, 7)"]),
        (waves(3), waves(5, 3), ValueError, ["queries", "(..., n_queries, d_k)", "(3,)", "queries[None, :]"]),
        (waves(5, 3), waves(3), ValueError, ["keys", "(..., n_keys, d_k)", "(3,)", "keys[None, :]"]),
        (2.0, waves(5, 3), ValueError, ["queries", "(..., n_queries, d_k)", "shape ()"]),
        (waves(2, 0), waves(3, 0), ValueError, ["queries", "d_k at least 1", "(2, 0)"]),
        (
            waves(2, 5, 3),
            waves(7, 5, 3),
            ValueError,
            ["queries and keys", "batch, heads", "(2, 5, 3)", "(7, 5, 3)"],
        ),
        ([[1, 2], [3]], waves(5, 2), ValueError, ["queries", "different lengths"]),
        (waves(2, 3), [["a", "b", "c"]], TypeError, ["keys", "real numbers", "<U1"]),
        (waves(2, 3) > 0, waves(5, 3), TypeError, ["queries", "real numbers", "bool"]),
        (waves(2, 3) * 1j, waves(5, 3), TypeError, ["queries", "real numbers", "complex128"]),
        (None, waves(5, 3), TypeError, ["queries", "real numbers", "object"]),
    ],
)
def test_errors_of_the_scores(
    scores_of: Scores, queries: Any, keys: Any, error: type[Exception], parts: list[str]
) -> None:
    with pytest.raises(error) as caught:
        scores_of(queries, keys)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error", "parts"),
    [
        ((waves(2, 3), waves(5, 3), waves(7, 4)), ValueError, ["keys and values", "rows", "5 and 7"]),
        ((waves(2, 3), waves(0, 3), waves(0, 4)), ValueError, ["at least 1", "0 and 0"]),
        ((waves(2, 5, 3), waves(2, 7, 3), waves(7, 4)), ValueError, ["one sequence", "(2, 5, 7)", "(7, 4)"]),
        ((waves(5, 3), waves(7, 3), waves(2, 7, 4)), ValueError, ["one sequence", "(5, 7)", "(2, 7, 4)"]),
        ((waves(5, 3), waves(7, 3), waves(7)), ValueError, ["values", "(..., n_keys, d_v)", "(7,)"]),
        ((waves(5, 3), waves(7, 3), waves(7, 0)), ValueError, ["values", "d_v at least 1", "(7, 0)"]),
        ((waves(5, 3), waves(7, 2), waves(7, 4)), ValueError, ["queries and keys", "(5, 3)", "(7, 2)"]),
        ((waves(5, 3), waves(7, 3), waves(7, 4) > 0), TypeError, ["values", "bool"]),
        (
            (waves(5, 3) * np.nan, waves(7, 3), waves(7, 4)),
            ValueError,
            ["scores", "finite or -inf", "NaN", "35"],
        ),
    ],
)
def test_errors_of_hard_lookup(arguments: Any, error: type[Exception], parts: list[str]) -> None:
    with pytest.raises(error) as caught:
        hard_lookup(*arguments)
    for part in parts:
        assert part in str(caught.value)


def test_errors_of_vector_lengths() -> None:
    with pytest.raises(ValueError, match=re.escape("vectors must have shape (..., d); got a single number")):
        vector_lengths(3.0)
    with pytest.raises(TypeError, match=r"vectors must hold real numbers.*bool"):
        vector_lengths([True])


# Inputs are never changed


@pytest.mark.parametrize("dtype", DTYPES)
def test_inputs_are_left_as_they_came(dtype: type) -> None:
    arrays = [*queries_and_keys((), dtype), waves(N_KEYS, D_V, dtype=dtype)]
    before = [array.copy() for array in arrays]
    for got in (dot_product_scores(*arrays[:2]), cosine_scores(*arrays[:2]), hard_lookup(*arrays)[0]):
        got[...] = 0  # nor do results share memory with them
    vector_lengths(arrays[0])[...] = 0
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)

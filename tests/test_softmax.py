"""helpers.softmax against Decimal loops, against torch, and against what weights must always do."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import oracles
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from samples import (
    D_K,
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

from helpers.door import behind_the_door
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import entropy, log_softmax, softmax, softmax_jacobian
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

Function = Callable[..., Array]
FUNCTIONS: list[Function] = [softmax, log_softmax, entropy, softmax_jacobian]


def widths(scores: Array) -> Array:
    """How far below the largest score of its row each score lies, −inf counted as 0: its weight is exact."""
    wide = scores.astype(np.float64)
    largest = wide.max(axis=-1, keepdims=True)
    return np.subtract(largest, wide, out=np.zeros_like(wide), where=np.isfinite(wide))


def relative_room(scores: Array) -> Array:
    """How far a weight may be off, relative to itself.

    Rounding score − largest moves it by eps/2 of itself, and exp turns that into a relative error. So each
    exponential is off by (width + 1) eps/2 and the quotient of two, rounded once more, by less than this.
    """
    return (widths(scores).max(axis=-1, keepdims=True) + 2) * 2 * eps(scores)


def assert_weights_close(weights: Array, expected: Array, scores: Array) -> None:
    assert weights.shape == expected.shape == scores.shape
    # Half the smallest number lost in exp, half in the quotient.
    room = relative_room(scores) * expected + smallest(weights)
    assert (abs(weights.astype(np.float64) - expected) <= room).all()


def scores_and_minus_infinity(*shape: int, dtype: type = np.float64) -> Array:
    """Scores in which some keys are at −inf, but no query has none left."""
    scores = waves(*shape, dtype=dtype)
    scores[..., 1:][waves(*shape, start=3)[..., 1:] > 1] = -np.inf
    return scores


ANY_SCORES = number_arrays(score_shapes(min_side=1), largest=1000.0, minus_infinity=True)
NEAR_SCORES = number_arrays(score_shapes(min_side=1), largest=8.0)


# softmax


def test_softmax_of_0_and_ln_3() -> None:
    np.testing.assert_allclose(softmax([0.0, math.log(3)]), [1 / 4, 3 / 4], rtol=1e-15)


def test_softmax_by_hand() -> None:
    e = math.e
    np.testing.assert_allclose(softmax([0, 1]), [1 / (1 + e), e / (1 + e)], rtol=1e-15)
    np.testing.assert_array_equal(softmax([[5, 5, 5, 5]]), [[0.25, 0.25, 0.25, 0.25]])
    np.testing.assert_allclose(
        softmax([math.log(1), math.log(2), math.log(5)]), [1 / 8, 2 / 8, 5 / 8], rtol=1e-15
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_softmax_is_that_of_loops_and_of_torch(stack: tuple[int, ...], dtype: type) -> None:
    for scores in (
        waves(*stack, N_QUERIES, N_KEYS, dtype=dtype),
        scores_and_minus_infinity(*stack, 5, 7, dtype=dtype),
    ):
        weights = softmax(scores)
        assert weights.dtype == dtype
        assert_weights_close(weights, oracles.softmax(scores), scores)
        assert_weights_close(weights, torch.softmax(torch.tensor(scores).double(), dim=-1).numpy(), scores)
        in_same_dtype = torch.softmax(torch.tensor(scores), dim=-1).numpy()
        np.testing.assert_allclose(weights, in_same_dtype, rtol=0, atol=4 * eps(weights))


@properties
@given(ANY_SCORES)
def test_softmax_of_any_scores_is_that_of_loops(scores: Array) -> None:
    assert_weights_close(softmax(scores), oracles.softmax(scores), scores)


@properties
@given(number_arrays(score_shapes(), largest=60000.0, minus_infinity=True))
def test_each_row_of_weights_sums_to_1_or_has_no_key(scores: Array) -> None:
    weights = softmax(scores)
    assert weights.shape == scores.shape
    assert weights.dtype == scores.dtype
    assert (weights >= 0).all()
    assert (weights <= 1).all()
    has_key = np.isfinite(scores).any(axis=-1)
    np.testing.assert_allclose(weights.sum(axis=-1, dtype=float), has_key, rtol=0, atol=4 * eps(weights))
    assert (weights[np.isneginf(scores)] == 0).all()


@properties
@given(ANY_SCORES)
def test_order_is_kept(scores: Array) -> None:
    weights = softmax(scores)
    up = scores[..., :, None] <= scores[..., None, :]
    assert (weights[..., :, None] <= weights[..., None, :])[up].all()


@properties
@given(NEAR_SCORES, st.floats(-1000, 1000, width=16))
def test_adding_a_number_to_every_score_changes_no_weight(scores: Array, shift: float) -> None:
    scores = scores.astype(np.float64)
    # score + shift is rounded by eps/2 of up to 1008: an error in the exponent, a relative one in the weight.
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), rtol=2 * 1008 * eps(scores))


@pytest.mark.parametrize(
    ("dtype", "shift"), [(np.float16, 1024), (np.float32, 2.0**20), (np.float64, 2.0**40)]
)
def test_an_exact_shift_changes_no_bit(dtype: type, shift: float) -> None:
    scores: Array = np.array([[0, 3, -2, 1, 7]], dtype)  # whole numbers that stay exact after the shift
    np.testing.assert_array_equal(softmax(scores + dtype(shift)), softmax(scores))


@properties
@given(ANY_SCORES, st.data())
def test_weights_move_with_the_keys(scores: Array, data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(scores.shape[-1]))))
    moved, weights = softmax(scores[..., order]), softmax(scores)[..., order]
    # float64 sums in another order, then one rounding to the dtype.
    np.testing.assert_allclose(moved, weights, rtol=8 * eps(scores), atol=smallest(scores))


@properties
@given(NEAR_SCORES, st.data())
def test_a_query_is_not_touched_by_the_other_queries(scores: Array, data: st.DataObject) -> None:
    place = tuple(data.draw(st.integers(0, n - 1)) for n in scores.shape[:-1])
    np.testing.assert_allclose(softmax(scores)[place], softmax(scores[place]), rtol=8 * eps(scores))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_key_at_minus_infinity_is_as_if_it_were_not_there(dtype: type) -> None:
    scores = waves(N_QUERIES, N_KEYS, dtype=dtype)
    masked = np.insert(scores, [0, 3, 7], -np.inf, axis=-1)
    weights = np.insert(softmax(scores), [0, 3, 7], 0, axis=-1)
    np.testing.assert_allclose(softmax(masked), weights, rtol=2 * eps(scores))
    np.testing.assert_array_equal(softmax(masked)[:, [0, 4, 9]], 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_a_query_with_no_key_gets_zeros_and_spoils_no_other(stack: tuple[int, ...], dtype: type) -> None:
    scores = waves(*stack, N_QUERIES, N_KEYS, dtype=dtype)
    others = softmax(scores)
    scores[..., 2, :] = -np.inf
    weights = softmax(scores)
    np.testing.assert_array_equal(weights[..., 2, :], 0)
    np.testing.assert_array_equal(np.delete(weights, 2, axis=-2), np.delete(others, 2, axis=-2))
    logs = log_softmax(scores)
    assert np.isneginf(logs[..., 2, :]).all()
    assert np.isfinite(np.delete(logs, 2, axis=-2)).all()
    assert (entropy(weights)[..., 2] == 0).all()
    assert not np.signbit(entropy(weights)).any()  # 0, not −0, which would be printed
    assert (softmax_jacobian(weights)[..., 2, :, :] == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(0,), (5, 0), (0, 7), (2, 3, 5, 0), (2, 0, 5, 7), (1,), (5, 1), (2, 3, 5, 1)]
)
def test_no_key_no_query_and_one_key(shape: tuple[int, ...], dtype: type) -> None:
    weights = softmax(waves(*shape, dtype=dtype))
    assert (weights == 1).all()  # a single key gets all the weight; of none there is nothing to compare
    logs, nats, jacobian = (
        log_softmax(waves(*shape, dtype=dtype)),
        entropy(weights),
        softmax_jacobian(weights),
    )
    assert (logs == 0).all()
    assert (nats == 0).all()
    assert (jacobian == 0).all()
    assert weights.shape == logs.shape == shape
    assert nats.shape == shape[:-1]
    assert jacobian.shape == (*shape, shape[-1])
    for result in (weights, logs, nats, jacobian):
        assert result.dtype == dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_scores_of_plus_and_minus_a_thousand(dtype: type) -> None:
    scores: Array = np.array([[1000, -1000, 0], [-1000, -1000, -1000], [1000, 1000, -1000]], dtype)
    expected = np.array([[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [1 / 2, 1 / 2, 0]])
    np.testing.assert_allclose(softmax(scores), expected, rtol=eps(scores))
    ln_2, ln_3 = math.log(2), math.log(3)
    expected = np.array([[0, -2000, -1000], [-ln_3, -ln_3, -ln_3], [-ln_2, -ln_2, -2000 - ln_2]])
    np.testing.assert_allclose(log_softmax(scores), expected, rtol=eps(scores))


@pytest.mark.parametrize("dtype", DTYPES)
def test_scores_at_both_ends_of_the_range_of_the_dtype(dtype: type) -> None:
    top, bottom = np.finfo(dtype).max, np.finfo(dtype).min
    scores: Array = np.array(
        [[top, bottom, 0], [bottom, bottom, -np.inf], [bottom, -np.inf, -np.inf], [top, top, 0]], dtype
    )
    weights = [[1, 0, 0], [0.5, 0.5, 0], [1, 0, 0], [0.5, 0.5, 0]]
    np.testing.assert_array_equal(softmax(scores), weights)
    logs = log_softmax(scores)
    assert logs.dtype == dtype
    assert np.isneginf(logs[0, 1])  # top − bottom has no other name in this dtype
    assert logs[0, 0] == 0
    assert logs[0, 2] == -top
    np.testing.assert_array_equal(logs[2], [0, -np.inf, -np.inf])


def test_float16_scores_of_sixty_thousand() -> None:
    scores = np.array([[60000, -60000], [60000, 60000], [-60000, -60000]], np.float16)
    np.testing.assert_array_equal(softmax(scores), [[1, 0], [0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_array_equal(entropy(softmax(scores)) > 0, [False, True, True])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("n_keys", [5000, 70000])
def test_float16_with_more_keys_than_float16_can_count(n_keys: int, axis: int) -> None:
    # Along a strided axis float16 ones add up to 2048 and no further; and 70,000 is beyond its range.
    scores = np.zeros((n_keys, 2) if axis == 0 else (2, n_keys), np.float16)
    weights = softmax(scores, axis=axis)
    np.testing.assert_array_equal(weights, np.float16(1 / n_keys))
    np.testing.assert_allclose(log_softmax(scores, axis=axis), -math.log(n_keys), rtol=eps(scores))
    # 1 / n_keys itself is rounded: by less than half the smallest number, n_keys times over.
    off = n_keys * smallest(scores) / 2 + eps(scores)
    np.testing.assert_allclose(entropy(weights, axis=axis), math.log(n_keys), rtol=off + eps(scores))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_each_axis_is_the_last_one_of_the_moved_array(function: Function, dtype: type) -> None:
    scores = scores_and_minus_infinity(2, 3, N_QUERIES, N_KEYS, dtype=dtype)
    for axis in range(4):
        expected = np.moveaxis(function(np.moveaxis(scores, axis, -1)), -1, axis)
        for same in (axis, axis - 4):
            got = function(scores, axis=same)
            np.testing.assert_allclose(got, expected, rtol=2 * eps(scores), atol=smallest(scores))
    np.testing.assert_array_equal(function(scores), function(scores, axis=-1))


@pytest.mark.parametrize("function", [softmax, log_softmax, entropy])
def test_unless_told_it_is_the_last_axis_in_front_of_the_door_and_behind_it(function: Function) -> None:
    weights = softmax(waves(2, N_QUERIES, N_KEYS), -1)
    np.testing.assert_array_equal(function(weights), function(weights, -1))
    np.testing.assert_array_equal(behind_the_door(function, weights), function(weights, -1))


def test_each_query_spreads_1_over_the_keys() -> None:
    scores = waves(N_QUERIES, N_KEYS)
    np.testing.assert_allclose(softmax(scores).sum(axis=-1), np.ones(N_QUERIES), rtol=1e-15)
    np.testing.assert_allclose(softmax(scores.T, axis=0).T, softmax(scores), rtol=4 * eps(scores))
    assert abs(softmax(scores).sum(axis=0) - 1).min() > 0.01


@pytest.mark.parametrize("stack", STACKS)
def test_dot_product_scale_and_softmax_are_the_weights_of_torch(stack: tuple[int, ...]) -> None:
    queries, keys = waves(*stack, N_QUERIES, D_K), waves(*stack, N_KEYS, D_K, start=4)
    weights = softmax(scale_scores(dot_product_scores(queries, keys), D_K))
    # With the identity as values, the output of torch's attention is its weights.
    identity = torch.eye(N_KEYS, dtype=torch.float64).expand(*stack, N_KEYS, N_KEYS)
    attend = torch.nn.functional.scaled_dot_product_attention
    by_torch = attend(torch.tensor(queries), torch.tensor(keys), identity)
    np.testing.assert_allclose(weights, by_torch, rtol=0, atol=1e-14)


# log_softmax


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_log_softmax_is_that_of_loops_and_of_torch(stack: tuple[int, ...], dtype: type) -> None:
    scores = scores_and_minus_infinity(*stack, N_QUERIES, N_KEYS, dtype=dtype)
    logs = log_softmax(scores)
    assert logs.dtype == dtype
    room = float(relative_room(scores).max())  # a relative error, seen through the log
    np.testing.assert_allclose(logs.astype(float), oracles.log_softmax(scores), rtol=0, atol=room)
    by_torch = torch.log_softmax(torch.tensor(scores).double(), dim=-1)
    np.testing.assert_allclose(logs.astype(float), by_torch, rtol=0, atol=room)


@properties
@given(ANY_SCORES)
def test_log_softmax_of_any_scores_is_that_of_loops(scores: Array) -> None:
    logs, expected = log_softmax(scores).astype(float), oracles.log_softmax(scores)
    np.testing.assert_array_equal(np.isneginf(logs), np.isneginf(expected))
    there = np.isfinite(expected)
    room = np.broadcast_to(relative_room(scores), scores.shape)
    assert (abs(logs[there] - expected[there]) <= room[there]).all()


def test_log_softmax_by_hand() -> None:
    np.testing.assert_allclose(
        log_softmax([0.0, math.log(3)]), [math.log(1 / 4), math.log(3 / 4)], rtol=1e-15
    )
    np.testing.assert_array_equal(log_softmax([-np.inf, 2]), [-np.inf, 0])


def test_log_softmax_knows_a_weight_that_is_too_small_for_its_dtype() -> None:
    scores = np.array([0, -1000], np.float32)
    assert softmax(scores)[1] == 0
    assert log_softmax(scores)[1] == -1000


@properties
@given(NEAR_SCORES)
def test_log_softmax_is_the_log_of_softmax(scores: Array) -> None:
    wide = scores.astype(np.float64)
    np.testing.assert_allclose(np.exp(log_softmax(wide)), softmax(wide), rtol=20 * eps(wide))


# entropy


def test_entropy_by_hand() -> None:
    np.testing.assert_allclose(entropy([0.5, 0.5]), math.log(2), rtol=1e-15)
    np.testing.assert_allclose(entropy([[0.5, 0.25, 0.25]]), [1.5 * math.log(2)], rtol=1e-15)
    np.testing.assert_array_equal(entropy([[0, 1, 0], [1, 0, 0]]), [0, 0])
    assert not np.signbit(entropy([0, 1, 0]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_entropy_is_that_of_loops_and_of_torch(stack: tuple[int, ...], dtype: type) -> None:
    weights = softmax(scores_and_minus_infinity(*stack, N_QUERIES, N_KEYS, dtype=dtype))
    nats = entropy(weights)
    assert nats.dtype == dtype
    assert nats.shape == (*stack, N_QUERIES)
    # log, product and result are rounded once each, and all terms have one sign, so that none cancels.
    room = 2 * eps(weights)
    np.testing.assert_allclose(nats.astype(float), oracles.entropy(weights), rtol=room)
    by_torch = torch.special.entr(torch.tensor(weights).double()).sum(dim=-1)
    np.testing.assert_allclose(nats.astype(float), by_torch, rtol=room)


@properties
@given(ANY_SCORES)
def test_entropy_lies_between_0_and_log_n_keys(scores: Array) -> None:
    weights = softmax(scores)
    nats = entropy(weights).astype(float)
    n_keys = scores.shape[-1]
    assert (nats >= 0).all()
    # Rounded weights may sum to a little over 1, and the entropy then passes log n by as much.
    assert (nats <= math.log(n_keys) + 8 * eps(weights) * (1 + math.log(n_keys))).all()
    np.testing.assert_allclose(
        nats, oracles.entropy(weights), rtol=3 * eps(weights), atol=(n_keys + 1) * smallest(weights)
    )


@pytest.mark.parametrize("n_keys", [1, 2, 3, 5, 7, 11, 1000])
def test_entropy_is_largest_for_equal_weights(n_keys: int) -> None:
    equal = np.full(n_keys, 1 / n_keys)
    np.testing.assert_allclose(entropy(equal), math.log(n_keys), rtol=1e-14, atol=0)
    for give in (1e-4, 0.5):
        moved = equal.copy()
        moved[0] += give / n_keys * (n_keys > 1)
        moved[-1] -= give / n_keys * (n_keys > 1)
        assert entropy(moved) < entropy(equal) or n_keys == 1


def test_entropy_grows_as_the_temperature_does() -> None:
    scores = waves(N_KEYS)
    temperatures = np.array([0.01, 0.1, 0.5, 1, 2, 10, 1000])
    nats = entropy(softmax(scores / temperatures[:, None]))
    assert (np.diff(nats) > 0).all()
    assert nats[0] < 0.01
    assert math.log(N_KEYS) - nats[-1] < 1e-5


def test_entropy_along_another_axis() -> None:
    weights = softmax(waves(2, N_QUERIES, N_KEYS), axis=1)
    expected = entropy(np.moveaxis(weights, 1, -1))
    np.testing.assert_allclose(entropy(weights, axis=1), expected, rtol=4 * eps(weights))
    np.testing.assert_allclose(entropy(weights, axis=-2), expected, rtol=4 * eps(weights))
    assert expected.shape == (2, N_KEYS)


# softmax_jacobian


def test_jacobian_by_hand() -> None:
    expected = [[3 / 16, -3 / 16], [-3 / 16, 3 / 16]]
    np.testing.assert_array_equal(softmax_jacobian([1 / 4, 3 / 4]), expected)
    np.testing.assert_array_equal(softmax_jacobian([[0, 1, 0]]), np.zeros((1, 3, 3)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_jacobian_is_that_of_loops_and_of_torch(stack: tuple[int, ...], dtype: type) -> None:
    scores = scores_and_minus_infinity(*stack, N_QUERIES, N_KEYS, dtype=dtype)
    weights = softmax(scores)
    jacobian = softmax_jacobian(weights)
    assert jacobian.dtype == dtype
    assert jacobian.shape == (*stack, N_QUERIES, N_KEYS, N_KEYS)
    # 1 − p and the product are rounded once each.
    expected = oracles.softmax_jacobian(weights)
    np.testing.assert_allclose(jacobian.astype(float), expected, rtol=eps(weights), atol=smallest(weights))
    for place in np.ndindex(scores.shape[:-1]):
        row = torch.tensor(scores[place]).double()
        by_torch = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, dim=-1), row)
        # The weights themselves are rounded here, by relative_room; each entry multiplies two of them.
        by_weights = 3 * float(relative_room(scores).max())
        np.testing.assert_allclose(jacobian[place].astype(float), by_torch, rtol=0, atol=by_weights)


@properties
@given(ANY_SCORES)
def test_jacobian_is_symmetric_and_its_rows_sum_to_0(scores: Array) -> None:
    weights = softmax(scores)
    jacobian = softmax_jacobian(weights).astype(float)
    n_keys = scores.shape[-1]
    # 1 − p rounds by eps/2 and each entry is at most 1/4: within a few eps of a sum of n entries.
    room = 4 * eps(weights) + n_keys * smallest(weights)
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0, rtol=0, atol=room)
    np.testing.assert_allclose(
        jacobian, np.swapaxes(jacobian, -1, -2), rtol=eps(weights), atol=smallest(weights)
    )
    assert (np.diagonal(jacobian, axis1=-2, axis2=-1) >= 0).all()
    off_diagonal = jacobian * (1 - np.eye(n_keys))
    assert (off_diagonal <= 0).all()


@pytest.mark.parametrize("stack", STACKS)
def test_jacobian_is_what_finite_differences_measure(stack: tuple[int, ...]) -> None:
    scores, step = scores_and_minus_infinity(*stack, N_QUERIES, N_KEYS), 1e-5
    jacobian = softmax_jacobian(softmax(scores))
    for j in range(N_KEYS):
        push = step * np.eye(N_KEYS)[j]
        slope = (softmax(scores + push) - softmax(scores - push)) / (2 * step)
        # Central differences: step² × a third derivative (below 1) ≈ 1e-10, and rounding eps / step ≈ 2e-11.
        np.testing.assert_allclose(jacobian[..., :, j], slope, rtol=0, atol=2e-10)


# What all four share


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_stack_gives_what_its_matrices_give(function: Function, dtype: type) -> None:
    weights = softmax(waves(2, 3, N_QUERIES, N_KEYS, dtype=dtype))  # weights are scores too
    result = function(weights)
    for b, h in np.ndindex(2, 3):
        np.testing.assert_allclose(result[b, h], function(weights[b, h]), rtol=2 * eps(weights))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_strided_and_read_only_arrays_and_lists(function: Function, dtype: type) -> None:
    weights = softmax(waves(2, 3, N_QUERIES, N_KEYS, dtype=dtype))
    expected = function(weights)
    strided = np.repeat(weights, 2, axis=-1)[..., ::2]
    read_only = np.asfortranarray(weights)
    read_only.flags.writeable = False
    for other in (strided, read_only):
        got = function(other)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, expected, rtol=4 * eps(weights))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_lists_and_whole_numbers_become_float64(function: Function) -> None:
    for weights in ([0, 1, 0], [[0.0, 1.0], [1.0, 0.0]], np.array([1, 0], np.int8), np.array([1], np.uint64)):
        assert function(weights).dtype == np.float64
        np.testing.assert_array_equal(function(weights), function(np.array(weights, np.float64)))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(N_QUERIES, N_KEYS), (N_QUERIES, 1)])
def test_inputs_are_left_as_they_came(function: Function, dtype: type, shape: tuple[int, ...]) -> None:
    weights = softmax(waves(*shape, dtype=dtype))
    before = weights.copy()
    function(weights)[...] = 7  # nor does the result share memory with them
    np.testing.assert_array_equal(weights, before)


@properties
@given(number_arrays(score_shapes(max_dims=2), largest=60000.0, minus_infinity=True))
def test_whatever_softmax_gives_the_others_take(scores: Array) -> None:
    weights = softmax(scores)
    assert entropy(weights).shape == scores.shape[:-1]
    assert softmax_jacobian(weights).shape == (*scores.shape, scores.shape[-1])


# Errors


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize(
    ("scores", "axis", "error", "parts"),
    [
        (
            [[0, 1, 2], [3, np.nan, np.nan]],
            -1,
            ValueError,
            ["scores", "finite or -inf", "NaN", "2 times", "(1, 1)"],
        ),
        ([[0, 1], [np.inf, 2]], -1, ValueError, ["scores", "finite or -inf", "+inf", "1 times", "(1, 0)"]),
        (3.0, -1, ValueError, ["axis -1", "shape ()", "0 axes"]),
        (waves(5, 7), 2, ValueError, ["axis 2", "(5, 7)", "2 axes"]),
        (waves(5, 7), -3, ValueError, ["axis -3", "(5, 7)", "2 axes"]),
        (waves(5, 7), None, TypeError, ["axis", "one whole number", "None"]),
        (waves(5, 7), (0, 1), TypeError, ["axis", "one whole number", "(0, 1)"]),
        (waves(5, 7), 1.0, TypeError, ["axis", "one whole number", "1.0"]),
        (waves(5, 7) > 0, -1, TypeError, ["scores", "real numbers", "bool"]),
        (waves(5, 7) * 1j, -1, TypeError, ["scores", "real numbers", "complex128"]),
        ([[1, 2], [3]], -1, ValueError, ["scores", "different lengths"]),
    ],
)
def test_errors_of_softmax(
    function: Function, scores: Any, axis: Any, error: type[Exception], parts: list[str]
) -> None:
    with pytest.raises(error) as caught:
        function(scores, axis=axis)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("function", [entropy, softmax_jacobian])
@pytest.mark.parametrize(
    ("weights", "error", "parts"),
    [
        ([[0.5, 0.5], [0.5, 0.4]], ValueError, ["weights", "sum to 1", "axis -1", "(2, 2)", "0.9"]),
        ([0.6, 0.6], ValueError, ["weights", "sum to 1", "(2,)", "1.2"]),
        ([-0.5, 1.5], ValueError, ["weights", "0 or more", "-0.5", "(2,)"]),
        ([np.nan, 1], ValueError, ["weights", "0 or more", "nan", "(2,)"]),
        ([np.inf, 1], ValueError, ["weights", "sum to 1", "inf"]),
        (np.full(300, 2 / 300, np.float16), ValueError, ["weights", "sum to 1", "(300,)", "a sum 2"]),
        (np.full((4, 5), 0.25), ValueError, ["weights", "sum to 1", "(4, 5)", "1.25"]),
        (1.0, ValueError, ["axis -1", "shape ()"]),
        ([True, False], TypeError, ["weights", "real numbers", "bool"]),
        (None, TypeError, ["weights", "real numbers", "object"]),
        ([[1, 0], [1]], ValueError, ["weights", "different lengths"]),
    ],
)
def test_errors_of_what_takes_weights(
    function: Function, weights: Any, error: type[Exception], parts: list[str]
) -> None:
    with pytest.raises(error) as caught:
        function(weights)
    for part in parts:
        assert part in str(caught.value)


def test_errors_of_the_axis_of_entropy() -> None:
    with pytest.raises(ValueError, match=r"axis 1 .*\(2,\)"):
        entropy([0.5, 0.5], axis=1)
    with pytest.raises(TypeError, match="axis must be one whole number; got None"):
        entropy([0.5, 0.5], axis=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"sum to 1 along axis 0; shape \(2, 2\) has a sum 1\.5"):
        entropy([[0.5, 0.5], [1.0, 0.0]], axis=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_summed_the_plain_way_are_accepted(dtype: type) -> None:
    exponentials = np.exp(waves(1000, 3, dtype=dtype))
    weights = exponentials / exponentials.sum(axis=0)  # a learner's own softmax, added in its own dtype
    assert entropy(weights, axis=0).shape == (3,)

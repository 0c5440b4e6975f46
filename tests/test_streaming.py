"""helpers.streaming against attention, loops and torch, in every tiling; it never holds the matrix."""

import itertools
import tracemalloc
from typing import Any

import numpy as np
import oracles
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from samples import (
    D_V,
    DTYPES,
    N_KEYS,
    N_QUERIES,
    STACKS,
    eps,
    number_arrays,
    properties,
    score_shapes,
    waves,
)
from streaming_samples import MASKS, TILINGS, Inputs, assert_attends, each, rounding, sample
from torch.nn import functional

import helpers.streaming
from helpers.attention import attention
from helpers.leaks import leaks
from helpers.masking import causal_mask, padding_mask
from helpers.precision import largest_so_far
from helpers.softmax import softmax
from helpers.streaming import (
    KVCache,
    blocked_attention,
    grouped_query_attention,
    merge_partials,
    online_softmax,
    tile_kinds,
    window_mask,
)
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")


# --- online_softmax


def test_a_row_of_six_in_three_tiles_by_hand() -> None:
    # e^score is 1, 2 | 4, 1 | 8, 0: under the running maxima 2, 4, 8 the sums are 1.5, 0.75 + 1.25, 1 + 1.
    with np.errstate(divide="ignore"):
        scores = np.log([1.0, 2.0, 4.0, 1.0, 8.0, 0.0])
    weights, log_sum_exp = online_softmax(scores, tile=2)
    np.testing.assert_allclose(weights, np.array([1, 2, 4, 1, 8, 0]) / 16, rtol=1e-15)
    np.testing.assert_allclose(log_sum_exp, np.log(16), rtol=1e-15)


@properties
@given(number_arrays(score_shapes(), minus_infinity=True), st.integers(1, 6))
def test_it_is_softmax_in_any_tiling(scores: Array, tile: int) -> None:
    before = scores.copy()
    weights, log_sum_exp = online_softmax(scores, tile)
    np.testing.assert_array_equal(scores, before)
    assert weights.dtype == scores.dtype
    assert weights.shape == scores.shape
    assert log_sum_exp.dtype == np.result_type(scores, np.float32)
    assert log_sum_exp.shape == scores.shape[:-1]
    # A score of size 1000 is itself known to eps · 1000 only: its weight to that share.
    largest = float(abs(np.where(np.isinf(scores), 0, scores)).max(initial=1.0))
    for expected in (oracles.softmax(scores).reshape(scores.shape), softmax(scores).astype(float)):
        np.testing.assert_allclose(weights.astype(float), expected, rtol=0, atol=8 * eps(scores) * largest)
    exact = oracles.log_sum_exp(scores)
    np.testing.assert_allclose(log_sum_exp, exact, rtol=8 * eps(log_sum_exp), atol=8 * eps(log_sum_exp))


@pytest.mark.parametrize("tile", [1, 2, 3])
@pytest.mark.parametrize("order", list(itertools.permutations([0.0, 40.0, -1000.0])))
def test_the_maximum_may_come_first_or_last(order: tuple[float, ...], tile: int) -> None:
    weights, log_sum_exp = online_softmax([order], tile)
    np.testing.assert_allclose(weights, softmax([order]), rtol=1e-15)
    np.testing.assert_allclose(log_sum_exp, 40.0, rtol=1e-15)


def test_rows_without_a_score_share_nothing() -> None:
    weights, log_sum_exp = online_softmax([[-np.inf, -np.inf, -np.inf], [-np.inf, 2.0, -np.inf]], tile=1)
    np.testing.assert_array_equal(weights, [[0, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(log_sum_exp, [-np.inf, 2])
    np.testing.assert_array_equal(online_softmax(np.zeros((2, 0)))[1], [-np.inf, -np.inf])


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_ends_of_the_range_neither_overflow_nor_warn(dtype: type) -> None:
    largest = np.finfo(dtype).max
    scores: Array = np.array([[-largest, largest, 0], [-largest, -largest, -np.inf]], dtype)
    for tile in (1, 2, 3):
        weights, log_sum_exp = online_softmax(scores, tile)
        np.testing.assert_array_equal(weights, np.array([[0, 1, 0], [0.5, 0.5, 0]], dtype))
        np.testing.assert_allclose(log_sum_exp, [largest, np.log(2) - float(largest)], rtol=1e-7)


# --- merge_partials


def test_a_merge_by_hand() -> None:
    # Sums of e^score 1 and 3: a quarter of 8 and three quarters of 4; the sums add up to 4.
    output, log_sum_exp = merge_partials([[8.0]], [0.0], [[4.0]], [np.log(3)])
    np.testing.assert_allclose(output, [[5.0]], rtol=1e-15)
    np.testing.assert_allclose(log_sum_exp, [np.log(4)], rtol=1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("cut", [0, 1, 4, N_KEYS])
def test_two_parts_merged_are_the_whole(
    stack: tuple[int, ...], dtype: type, mask: Array | None, cut: int
) -> None:
    queries, keys, values = sample(*stack, dtype=dtype)
    seen = np.broadcast_to(True if mask is None else mask, (N_QUERIES, N_KEYS))
    parts = [
        blocked_attention(queries, keys[..., part, :], values[..., part, :], seen[:, part])
        for part in (slice(cut), slice(cut, None))
    ]
    merged = merge_partials(*parts[0], *parts[1])
    assert merged[0].dtype == dtype
    assert merged[1].dtype == np.result_type(dtype, np.float32)
    assert_attends(merged, (queries, keys, values), mask)
    for one, other in zip(merged, merge_partials(*parts[1], *parts[0]), strict=True):
        np.testing.assert_array_equal(one, other)  # in either order


def test_a_part_that_saw_nothing_changes_nothing() -> None:
    output, log_sum_exp = blocked_attention(*sample())
    again = merge_partials(output, log_sum_exp, np.zeros_like(output), np.full(N_QUERIES, -np.inf))
    np.testing.assert_array_equal(again[0], output)
    np.testing.assert_array_equal(again[1], log_sum_exp)


def test_far_apart_and_at_the_ends_of_the_range() -> None:
    largest = float(np.finfo(np.float32).max)
    one, other = np.full((3, 1), largest, np.float32), np.full((3, 1), -largest, np.float32)
    sums = np.array([1000, largest, -largest], np.float32)
    merged, log_sum_exp = merge_partials(one, sums, other, np.array([-1000, -largest, -largest], np.float32))
    np.testing.assert_allclose(merged[:, 0], [largest, largest, 0])
    np.testing.assert_array_equal(log_sum_exp, sums)


# --- blocked_attention


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_it_is_what_loops_give(stack: tuple[int, ...], dtype: type, mask: Array | None) -> None:
    inputs = sample(*stack, dtype=dtype)
    for tile_queries, tile_keys in TILINGS:
        output, log_sum_exp = blocked_attention(*inputs, mask, tile_queries=tile_queries, tile_keys=tile_keys)
        assert output.dtype == dtype
        assert output.shape == (*stack, N_QUERIES, D_V)
        assert log_sum_exp.dtype == np.result_type(dtype, np.float32)
        assert log_sum_exp.shape == (*stack, N_QUERIES)
        assert_attends((output, log_sum_exp), inputs, mask)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Inputs, Array | None, bool, int | None, dict[str, int]]:
    """Inputs, a mask, causal, a window and tiles; each leading axis is 1 in some arrays, or not there."""
    stack = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=1, max_side=3))
    n_queries, n_keys = draw(st.integers(0, 6)), draw(st.integers(0, 7))
    d_k, d_v = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    numbers = st.floats(-4, 4, width=16).map(lambda number: round(number, 2))

    def thinned(full: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(draw(st.sampled_from([1, side])) for side in full)[draw(st.integers(0, len(full))) :]

    def rows(n: int, d: int) -> Array:
        return draw(hnp.arrays(dtype, (*thinned(stack), n, d), elements=numbers))

    queries, keys, values = rows(n_queries, d_k), rows(n_keys, d_k), rows(n_keys, d_v)
    of_scores = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    shape = (*thinned(of_scores), *draw(st.sampled_from([(n_queries, n_keys), (1, n_keys), (n_queries, 1)])))
    mask = draw(st.none() | hnp.arrays(bool, shape))
    causal, window = draw(st.booleans()), draw(st.none() | st.integers(1, 8))
    tiles = {"tile_queries": draw(st.integers(1, 7)), "tile_keys": draw(st.integers(1, 8))}
    return (queries, keys, values), mask, causal, window, tiles


def mask_of(mask: Array | None, causal: bool, window: int | None, n_queries: int, n_keys: int) -> Array:
    """All that is asked for, as one mask, from the definition: key j and the place of query i."""
    places = np.arange(n_queries)[:, None] + n_keys - n_queries
    keys = np.arange(n_keys)
    allowed = np.ones((n_queries, n_keys), bool) if mask is None else np.array(mask)
    if causal or window:
        allowed = allowed & (keys <= places)
    if window:
        allowed = allowed & (places - keys < window)
    return allowed


@properties
@given(cases())
def test_any_shapes_masks_windows_and_tiles_give_what_attention_gives(
    case: tuple[Inputs, Array | None, bool, int | None, dict[str, int]],
) -> None:
    inputs, mask, causal, window, tiles = case
    copies = [part.copy() for part in inputs]
    output, log_sum_exp = blocked_attention(*inputs, mask, causal=causal, window=window, **tiles)
    for part, copy in zip(inputs, copies, strict=True):
        np.testing.assert_array_equal(part, copy)
    allowed = mask_of(mask, causal, window, inputs[0].shape[-2], inputs[1].shape[-2])
    expected, weights = attention(*inputs, allowed)
    assert output.dtype == expected.dtype
    assert output.shape == expected.shape
    np.testing.assert_allclose(
        output.astype(float), expected.astype(float), rtol=0, atol=2 * rounding(*inputs)
    )
    assert_attends((output, log_sum_exp), inputs, allowed)
    nothing = np.broadcast_to(~np.broadcast_to(allowed, weights.shape).any(axis=-1), log_sum_exp.shape)
    assert (output[nothing] == 0).all()
    np.testing.assert_array_equal(np.isneginf(log_sum_exp), nothing)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 513, 1025])
def test_the_usual_tiles_at_their_edges(n: int, causal: bool) -> None:
    inputs = sample(n_queries=n, n_keys=n, dtype=np.float32)
    output, _ = blocked_attention(*inputs, causal=causal)
    doubles = each(inputs, lambda part: part.astype(float))
    exact, _ = attention(*doubles, causal_mask(n) if causal else None)
    np.testing.assert_allclose(output, exact, rtol=0, atol=4e-6)


@pytest.mark.parametrize("causal", [False, True])
def test_it_is_what_torch_gives(causal: bool) -> None:
    inputs = sample(2, 3, n_queries=300, n_keys=300, dtype=np.float32)
    output, _ = blocked_attention(*inputs, causal=causal, tile_queries=70, tile_keys=90)
    q, k, v = map(torch.tensor, inputs)
    expected = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    np.testing.assert_allclose(output, expected.numpy(), rtol=0, atol=4e-6)


def test_half_precision_is_added_up_in_single() -> None:
    n_keys = 5000  # in float16, the sum of 1 + 1 + ... stays at 2048
    values = np.linspace(0, 1, n_keys, dtype=np.float16)[:, None]
    inputs = np.zeros((1, 3), np.float16), np.zeros((n_keys, 3), np.float16), values
    output, log_sum_exp = blocked_attention(*inputs)
    np.testing.assert_allclose(output, [[0.5]], atol=5e-4)
    np.testing.assert_allclose(log_sum_exp, [np.log(n_keys)], rtol=1e-6)


def test_dtypes_may_differ_as_in_attention() -> None:
    queries, keys, values = sample()
    mixed = queries.astype(np.float16), keys.astype(np.float32), values
    output, log_sum_exp = blocked_attention(*mixed)
    assert output.dtype == attention(*mixed)[0].dtype == log_sum_exp.dtype == np.float64
    assert_attends((output, log_sum_exp), mixed, None)
    assert blocked_attention([[1, 0]], [[0, 1]], [[2, 3]])[0].tolist() == [[2.0, 3.0]]


def test_arrays_that_are_views_of_others() -> None:
    queries, keys, values = sample(2)
    expected, _ = blocked_attention(queries, keys, values, tile_keys=2)
    columns_first = (np.asfortranarray(part) for part in (queries, keys, values))
    np.testing.assert_allclose(blocked_attention(*columns_first, tile_keys=2)[0], expected, rtol=1e-13)
    backwards = blocked_attention(queries, keys[:, ::-1], values[:, ::-1], tile_keys=2)[0]
    np.testing.assert_allclose(backwards, expected, rtol=1e-12)
    swapped = (np.swapaxes(np.stack([part, part], axis=-2), -2, -3)[:, 1] for part in (queries, keys, values))
    np.testing.assert_allclose(blocked_attention(*swapped, tile_keys=2)[0], expected, rtol=1e-13)


def test_it_does_not_look_into_the_future() -> None:
    def model(x: Array) -> Array:
        return blocked_attention(x, x, x, causal=True, tile_queries=2, tile_keys=3)[0]

    assert leaks(model, waves(7, 5)) == []
    assert leaks(lambda x: blocked_attention(x, x, x)[0], waves(7, 5))


def test_it_does_not_look_out_of_the_window() -> None:
    def model(x: Array) -> Array:
        return blocked_attention(x, x, x, window=2, tile_queries=2, tile_keys=3)[0]

    assert leaks(model, waves(7, 5), window_mask(7, 7, 2)) == []
    assert leaks(model, waves(7, 5), np.eye(7, dtype=bool))


@pytest.mark.parametrize("hidden", [np.nan, -np.inf, 1e300])
def test_what_is_hidden_has_no_influence_whatever_it_is(hidden: float) -> None:
    queries, keys, values = sample(n_queries=N_KEYS)
    spoilt = keys.copy()
    spoilt[-1] = hidden
    not_the_last = np.arange(N_KEYS) < N_KEYS - 1
    tiles = {"tile_queries": 2, "tile_keys": 3}
    for mask, causal in ((not_the_last[None, :], False), (not_the_last[:, None], True)):
        clean = blocked_attention(queries, keys, values, mask, causal=causal, **tiles)
        with np.errstate(invalid="ignore", over="ignore"):  # in the hidden products themselves
            found = blocked_attention(queries, spoilt, values, mask, causal=causal, **tiles)
        for one, other in zip(found, clean, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("tiles", TILINGS)
def test_a_bad_score_is_found_wherever_it_stands(tiles: tuple[int, int]) -> None:
    for bad, place in itertools.product((np.nan, np.inf), range(N_KEYS)):
        queries, keys, values = sample()
        keys[place, 0] = bad
        queries[:, 0] = abs(queries[:, 0])  # so that the score is +inf, not −inf
        with pytest.raises(ValueError, match=r"scores of queries from 0 .* finite or -inf; got (NaN|\+inf)"):
            blocked_attention(queries, keys, values, tile_queries=tiles[0], tile_keys=tiles[1])


# --- which tiles are skipped


def brute_kinds(n_queries: int, n_keys: int, allowed: Array, tile_queries: int, tile_keys: int) -> list[Any]:
    def kind(tile: Array) -> int:
        return 2 if tile.all() else int(tile.any())

    starts = range(0, n_queries, tile_queries), range(0, n_keys, tile_keys)
    return [[kind(allowed[i : i + tile_queries, j : j + tile_keys]) for j in starts[1]] for i in starts[0]]


def test_the_kinds_of_causal_tiles_by_hand() -> None:
    kinds = tile_kinds(6, 6, causal=True, tile_queries=2, tile_keys=2)
    np.testing.assert_array_equal(kinds, [[1, 0, 0], [2, 1, 0], [2, 2, 1]])
    np.testing.assert_array_equal(tile_kinds(6, 6, tile_queries=4, tile_keys=3), [[2, 2], [2, 2]])
    windowed = tile_kinds(6, 6, window=2, tile_queries=1, tile_keys=2)
    np.testing.assert_array_equal(windowed[:, 0], [1, 2, 1, 0, 0, 0])


@properties
@given(
    st.integers(0, 9),
    st.integers(0, 9),
    st.booleans(),
    st.none() | st.integers(1, 10),
    st.integers(1, 5),
    st.integers(1, 5),
)
def test_the_kinds_are_what_the_mask_says(
    n_queries: int, n_keys: int, causal: bool, window: int | None, tile_queries: int, tile_keys: int
) -> None:
    kinds = tile_kinds(
        n_queries, n_keys, causal=causal, window=window, tile_queries=tile_queries, tile_keys=tile_keys
    )
    allowed = mask_of(None, causal, window, n_queries, n_keys)
    expected = brute_kinds(n_queries, n_keys, allowed, tile_queries, tile_keys)
    assert kinds.tolist() == expected
    assert kinds.dtype == int


@pytest.fixture
def scores_made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many scores each tile that was worked on had."""
    made: list[int] = []

    def counting(largest: Array, scores: Array, *first: int) -> Array:
        made.append(scores.size)
        return largest_so_far(largest, scores, *first)

    monkeypatch.setattr(helpers.streaming, "largest_so_far", counting)
    return made


def test_hidden_tiles_cost_nothing(scores_made: list[int]) -> None:
    inputs = sample(n_queries=12, n_keys=12)

    def cost(mask: Array | None = None, **how: Any) -> list[int]:
        scores_made.clear()
        blocked_attention(*inputs, mask, tile_queries=2, tile_keys=4, **how)
        return scores_made

    assert cost() == [8] * 18
    # Rows 0 and 1 see keys 0 and 1 only, rows 2 and 3 see four: tiles are cut to what is seen.
    assert cost(causal=True) == [4, 8, 8, 4, 8, 8, 8, 8, 4, 8, 8, 8]
    # The last key of each pair and the two before the first.
    assert sum(cost(window=3)) == 2 * (2 + 4 * 5)
    assert cost(padding_mask(4, 12)) == [8] * 6
    assert cost(np.zeros((12, 12), bool)) == []


@pytest.mark.parametrize("how", ["full", "causal", "window", "padding", "grouped"])
def test_the_matrix_is_never_held(how: str) -> None:
    n = 4096  # its matrix of weights has 64 MiB
    queries, keys, values = sample(2, n_queries=n, n_keys=n, dtype=np.float32)
    values = waves(n, 64, dtype=np.float32)  # one matrix for both: no copy is made of it
    calls = {
        "full": lambda: blocked_attention(queries, keys, values),
        "causal": lambda: blocked_attention(queries, keys, values, causal=True),
        "window": lambda: blocked_attention(queries, keys, values, window=100),
        "padding": lambda: blocked_attention(queries, keys, values, padding_mask([3000, n], n), causal=True),
        "grouped": lambda: grouped_query_attention(
            queries, keys[:1], values[None], np.ones((2, 1, n), bool), window=100
        ),
    }
    tracemalloc.start()
    try:
        output, log_sum_exp = calls[how]()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak - output.nbytes - log_sum_exp.nbytes <= 2**20


# --- what does not fit

QUERIES, KEYS, VALUES = sample(2)
HALF: Any = 2.5


@pytest.mark.parametrize(
    ("inputs", "how", "error", "words"),
    [
        (
            (QUERIES[..., :3], KEYS, VALUES),
            {},
            ValueError,
            r"^queries and keys must have vectors of the same length.*\(2, 5, 3\)",
        ),
        (
            (QUERIES, KEYS, VALUES[:, :6]),
            {},
            ValueError,
            r"^keys and values must have as many rows.*\(2, 7, 11\).*\(2, 6, 4\)",
        ),
        (
            (QUERIES, KEYS, np.ones((3, 7, 4))),
            {},
            ValueError,
            r"^queries and values must agree on .*\(3, 7, 4\)",
        ),
        (
            (QUERIES, KEYS[[0, 1, 1]], VALUES[:1]),
            {},
            ValueError,
            r"^queries and keys must agree on .*\(3, 7, 11\)",
        ),
        (
            (QUERIES[0, 0], KEYS, VALUES),
            {},
            ValueError,
            r"queries must have shape \(\.\.\., n_queries, d_k\)",
        ),
        ((QUERIES, KEYS[0, 0], VALUES), {}, ValueError, r"keys must have shape \(\.\.\., n_keys, d_k\)"),
        ((QUERIES, KEYS, VALUES[0, 0]), {}, ValueError, r"values must have shape \(\.\.\., n_keys, d_v\)"),
        ((QUERIES, KEYS, VALUES, np.ones((5, 7))), {}, TypeError, "mask must hold True.*float64"),
        ((QUERIES, KEYS, VALUES, np.ones((7, 5), bool)), {}, ValueError, r"\(2, 5, 7\); got \(7, 5\)"),
        ((QUERIES, KEYS, VALUES, np.ones((4, 2, 5, 7), bool)), {}, ValueError, "mask must broadcast"),
        (
            (QUERIES, KEYS, np.where(VALUES > 1.9, np.inf, VALUES)),
            {},
            ValueError,
            "values must be finite; got inf",
        ),
        (
            (QUERIES, KEYS, np.where(VALUES > 1.9, np.nan, VALUES)),
            {},
            ValueError,
            "values must be finite; got nan",
        ),
        ((QUERIES, KEYS, [["a"]]), {}, TypeError, "values must hold real numbers"),
        ((QUERIES > 0, KEYS, VALUES), {}, TypeError, "queries must hold real numbers.*bool"),
        ((QUERIES, KEYS, VALUES), {"window": 0}, ValueError, "window must be at least 1; got 0"),
        ((QUERIES, KEYS, VALUES), {"window": HALF}, TypeError, "window must be a whole number; got 2.5"),
        ((QUERIES, KEYS, VALUES), {"tile_keys": 0}, ValueError, "tile_keys must be at least 1"),
        ((QUERIES, KEYS, VALUES), {"tile_queries": HALF}, TypeError, "tile_queries must be a whole number"),
    ],
)
def test_what_does_not_fit_in_blocked_attention_is_named(
    inputs: tuple[Any, ...], how: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        blocked_attention(*inputs, **how)


ONE, SUM = np.ones((2, 3)), np.ones(2)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: online_softmax([[np.nan]]), ValueError, "scores must be finite or -inf; got NaN"),
        (lambda: online_softmax([[np.inf]]), ValueError, r"scores must be finite or -inf; got \+inf"),
        (lambda: online_softmax(3.0), ValueError, "single number"),
        (lambda: online_softmax([[1.0]], tile=0), ValueError, "tile must be at least 1"),
        (lambda: online_softmax([["a"]]), TypeError, "scores must hold real numbers"),
        (
            lambda: merge_partials(ONE, SUM, ONE[:1], SUM[:1]),
            ValueError,
            r"same shape.*\(2, 3\) and \(1, 3\)",
        ),
        (
            lambda: merge_partials(ONE, SUM[:1], ONE, SUM),
            ValueError,
            r"each row of output \(2, 3\); got \(1,\)",
        ),
        (lambda: merge_partials(ONE, SUM, ONE, np.inf * SUM), ValueError, r"other_log_sum_exp .*got \+inf"),
        (lambda: merge_partials(ONE, SUM * np.nan, ONE, SUM), ValueError, "log_sum_exp .*got NaN"),
        (lambda: merge_partials(ONE, SUM, ONE * np.inf, SUM), ValueError, "other_output must be finite"),
        (lambda: window_mask(2, 3, 0), ValueError, "window must be at least 1; got 0"),
        (lambda: window_mask(-1, 3, 1), ValueError, "n_queries must be at least 0"),
        (lambda: window_mask(2, HALF, 1), TypeError, "n_keys must be a whole number"),
        (lambda: tile_kinds(-1, 3), ValueError, "n_queries must be at least 0"),
        (lambda: tile_kinds(2, -1), ValueError, "n_keys must be at least 0; got -1"),
        (lambda: tile_kinds(2, HALF), TypeError, "n_keys must be a whole number; got 2.5"),
        (lambda: tile_kinds(HALF, 2), TypeError, "n_queries must be a whole number; got 2.5"),
        (lambda: tile_kinds(2, 3, window=0), ValueError, "window must be at least 1; got 0"),
        (lambda: tile_kinds(2, 3, tile_keys=0), ValueError, "tile_keys must be at least 1"),
        (lambda: tile_kinds(2, 3, tile_queries=0), ValueError, "tile_queries must be at least 1"),
        (
            lambda: grouped_query_attention(QUERIES[0], KEYS, VALUES),
            ValueError,
            r"axis of heads.*queries \(5, 11\), keys \(2, 7, 11\)",
        ),
        (
            lambda: grouped_query_attention(QUERIES[[0, 1, 1]], KEYS, VALUES),
            ValueError,
            r"^keys and values must .*divide the number of heads of the queries; "
            r"got queries \(3, 5, 11\), keys \(2, 7, 11\)",
        ),
        (lambda: grouped_query_attention(QUERIES, KEYS, VALUES[:1]), ValueError, "same number of heads"),
        (lambda: grouped_query_attention(QUERIES, KEYS[:0], VALUES[:0]), ValueError, "same number of heads"),
        (
            lambda: grouped_query_attention(QUERIES, KEYS, VALUES, np.ones((3, 5, 7), bool)),
            ValueError,
            r"\(2, 5, 7\); got \(3, 5, 7\)",
        ),
        (lambda: KVCache().attend([[1.0]]), ValueError, r"append their keys.*\(1, 1\) and 0 tokens"),
        (lambda: KVCache().attend(np.ones((0, 3))), ValueError, r"append their keys.*\(0, 3\) and 0 tokens"),
        (lambda: filled().attend(np.ones((3, 5, 11))), ValueError, r"got queries of shape \(3, 5, 11\)"),
        (
            lambda: filled().attend(np.ones((1, 3))),
            ValueError,
            r"^queries and keys must have vectors of the same length.*\(1, 3\)",
        ),
        (
            lambda: filled().attend(np.ones((1, 11)), np.ones((1, 5), bool)),
            ValueError,
            r"\(1, 4\); got \(1, 5\)",
        ),
        (lambda: filled().attend(np.full((1, 11), np.nan)), ValueError, "scores of queries.*NaN"),
        (lambda: filled().attend(1.0), ValueError, r"queries must have shape \(\.\.\., n_queries, d_k\)"),
        (lambda: filled().attend(QUERIES[0, :1], window=0), ValueError, "window must be at least 1; got 0"),
        (
            lambda: filled().attend(QUERIES[0]),
            ValueError,
            r"append their keys.* queries of shape \(5, 11\) and 4 tokens",
        ),
        (lambda: filled().keep(HALF), TypeError, "n_tokens must be a whole number; got 2.5"),
        (
            lambda: merge_partials(1.0, SUM, ONE, SUM),
            ValueError,
            r"output must have shape \(\.\.\., n_queries, d_v\)",
        ),
        (
            lambda: merge_partials(ONE, SUM, 1.0, SUM),
            ValueError,
            r"other_output must have shape \(\.\.\., n_queries, d_v\)",
        ),
        (
            lambda: merge_partials(ONE, SUM, ONE, SUM[:1]),
            ValueError,
            r"other_log_sum_exp must have one number for each row of other_output \(2, 3\); got \(1,\)",
        ),
        (lambda: merge_partials(ONE, SUM > 0, ONE, SUM), TypeError, "log_sum_exp must hold real numbers"),
        (lambda: merge_partials(ONE * np.nan, SUM, ONE, SUM), ValueError, "^output must be finite"),
        (lambda: filled().keep(5), ValueError, "n_tokens must be at most 4, the tokens kept; got 5"),
        (lambda: filled().keep(-1), ValueError, "n_tokens must be at least 0"),
    ],
)
def test_what_does_not_fit_elsewhere_is_named(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def filled() -> KVCache:
    """A cache with four tokens of one sequence."""
    cache = KVCache()
    cache.append(KEYS[0, :4], VALUES[0, :4])
    return cache

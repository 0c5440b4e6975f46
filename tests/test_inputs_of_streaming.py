"""helpers.inputs_of_streaming: what each check gives back, and its words where something does not fit."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from samples import waves

from helpers import inputs_of_streaming as typed_inputs
from helpers.inputs_of_streaming import TILE_KEYS, TILE_QUERIES

pytestmark = pytest.mark.filterwarnings("error")

inputs: Any = typed_inputs  # much here is wrong on purpose

# Every size is another: 5 queries, 7 keys, d_k 4, d_v 6; 4 heads of queries share 2 of keys and values.
QUERIES, KEYS, VALUES = waves(5, 4), waves(7, 4), waves(7, 6)
OUTPUT, SUMS = waves(5, 6), waves(5)
PARTIAL = OUTPUT, SUMS, OUTPUT[::-1], SUMS[::-1]
HEADS: Any = waves(4, 5, 4), waves(2, 7, 4), waves(2, 7, 6)
BACK: Any = waves(5, 6, start=3.0), QUERIES, KEYS, VALUES, OUTPUT, SUMS
MASK = np.ones((5, 7), bool)
HALF, NUMBER = 2.5, 1.5


def are_same(found: tuple[Any, ...], expected: tuple[Any, ...]) -> bool:
    """Two tuples -> whether they hold the same arrays (not copies), and the same numbers."""
    return all(
        one is other or (isinstance(other, int) and one == other)
        for one, other in zip(found, expected, strict=True)
    )


# --- what is given back


@pytest.mark.parametrize(
    ("check", "given"),
    [
        (inputs.online_softmax, ([[1, 2]], 3)),
        (inputs.merge_partials, ([[1, 2]], [3], [[4, 5]], [6])),
        (inputs.window_mask, (2, 3, 4, 5)),
        (inputs.keep, (2,)),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_lists_become_arrays_in_the_order_of_the_parameters(check: Any, given: tuple[Any, ...]) -> None:
    checked = check(*given, 3) if check is inputs.keep else check(*given)
    for found, part in zip(checked, given, strict=True):
        assert isinstance(found, np.ndarray if isinstance(part, list) else int)
        np.testing.assert_array_equal(found, part)


def test_arrays_that_fit_come_back_as_they_are_with_what_was_asked_for() -> None:
    how = {"causal": True, "window": 3}
    tiles = {"tile_queries": 8, "tile_keys": 9}
    three = QUERIES, KEYS, VALUES
    assert are_same(inputs.blocked_attention(*three, MASK, **how, **tiles), (*three, MASK, True, 3, 8, 9))
    assert are_same(
        inputs.blocked_attention_backward(*BACK, MASK, causal=True, **tiles), (*BACK, MASK, True, 8, 9)
    )
    assert are_same(inputs.tile_kinds(5, 7, **how, **tiles), (5, 7, True, 3, 8, 9))
    of_heads = np.ones((4, 5, 7), bool)
    assert are_same(inputs.grouped_query_attention(*HEADS, of_heads, **how), (*HEADS, of_heads, True, 3))
    assert are_same(inputs.append(KEYS, VALUES, KEYS, VALUES), (KEYS, VALUES))
    assert are_same(inputs.attend(*three, MASK, 3), (*three, MASK, 3))
    assert are_same(inputs.attend(*HEADS, of_heads, 3), (*HEADS, of_heads, 3))


def test_what_need_not_be_given() -> None:
    assert inputs.online_softmax(SUMS)[1] == TILE_KEYS
    assert inputs.blocked_attention(QUERIES, KEYS, VALUES)[3:] == (None, False, None, TILE_QUERIES, TILE_KEYS)
    assert inputs.blocked_attention_backward(*BACK)[6:] == (None, False, TILE_QUERIES, TILE_KEYS)
    assert inputs.tile_kinds(5, 7) == (5, 7, False, None, TILE_QUERIES, TILE_KEYS)
    assert inputs.window_mask(5, 7, 3) == (5, 7, 3, 0)
    assert inputs.grouped_query_attention(*HEADS)[3:] == (None, False, None)


def test_nothing_is_a_number_of_tokens_too() -> None:
    assert inputs.tile_kinds(0, 0)[:2] == (0, 0)
    assert inputs.window_mask(0, 0, 1, 0) == (0, 0, 1, 0)
    assert (inputs.keep(0, 0), inputs.keep(4, 4)) == ((0,), (4,))
    assert inputs.attend(QUERIES[:0], KEYS, VALUES, None, None)[0].shape == (0, 4)
    as_many = inputs.attend(waves(7, 4), KEYS, VALUES, None, None)
    assert as_many[0].shape == KEYS.shape


def test_scores_may_be_hidden_and_a_part_may_have_seen_no_key() -> None:
    hidden = np.full(5, -np.inf)
    assert inputs.online_softmax(hidden)[0] is hidden
    np.testing.assert_array_equal(inputs.merge_partials(OUTPUT, hidden, OUTPUT, SUMS)[1], hidden)
    assert inputs.blocked_attention_backward(*BACK[:5], hidden)[5] is hidden


def test_log_sums_of_float16_are_worked_in_float32() -> None:
    halves = [part.astype(np.float16) for part in PARTIAL]
    assert [part.dtype for part in inputs.merge_partials(*halves)] == [np.float16, np.float32] * 2


def test_leading_axes_broadcast_and_so_does_the_mask() -> None:
    batch: Any = waves(2, 1, 5, 4), waves(1, 3, 7, 4), VALUES
    turned: Any = batch[1][..., :5, :], waves(2, 1, 7, 4), VALUES
    in_heads: Any = waves(3, 4, 5, 4), waves(2, 1, 2, 7, 4), waves(1, 2, 7, 6)
    swapped: Any = waves(2, 1, 4, 5, 4), waves(3, 2, 7, 4), waves(1, 2, 7, 6)
    for shape in [(2, 3, 5, 7), (3, 5, 7), (2, 1, 1, 7), (5, 1), ()]:
        mask = np.ones(shape, bool)
        assert inputs.blocked_attention(*batch, mask)[3] is mask
        assert inputs.blocked_attention(*turned, mask)[3] is mask
    for shape in [(2, 3, 4, 5, 7), (3, 1, 5, 7), (4, 1, 7), (5, 7)]:
        mask = np.ones(shape, bool)
        assert inputs.grouped_query_attention(*in_heads, mask)[3] is mask
        assert inputs.grouped_query_attention(*swapped, mask)[3] is mask


@pytest.mark.parametrize("n_heads", [1, 2, 3])
def test_heads_of_keys_may_be_one_or_as_many_as_those_of_queries(n_heads: int) -> None:
    queries, keys, values = waves(n_heads, 5, 4), waves(n_heads, 7, 4), waves(n_heads, 7, 6)
    assert inputs.grouped_query_attention(queries, keys, values)[1] is keys
    assert inputs.grouped_query_attention(queries, keys[:1], values[:1])[0] is queries


def test_an_empty_cache_takes_any_rows_and_a_full_one_any_number_of_them() -> None:
    for kept in ((np.empty((0, 0)), np.empty((0, 0))), (waves(2, 0, 3), waves(2, 0, 8))):
        assert are_same(inputs.append(KEYS, VALUES, *kept), (KEYS, VALUES))
    new = waves(3, 1, 4), waves(3, 1, 6)
    assert are_same(inputs.append(*new, waves(3, 7, 4), waves(3, 7, 6)), new)


# --- what does not fit

ROWS = "must have shape (..., {}), one vector in each row; got shape ()"


@pytest.mark.parametrize(
    ("name", "shape", "call"),
    [
        ("queries", "n_queries, d_k", lambda it: inputs.blocked_attention(it, KEYS, VALUES)),
        ("keys", "n_keys, d_k", lambda it: inputs.blocked_attention(QUERIES, it, VALUES)),
        ("values", "n_keys, d_v", lambda it: inputs.blocked_attention(QUERIES, KEYS, it)),
        ("queries", "n_queries, d_k", lambda it: inputs.attend(it, KEYS, VALUES, None, None)),
        ("keys", "n_new, d_k", lambda it: inputs.append(it, VALUES, KEYS, VALUES)),
        ("values", "n_new, d_v", lambda it: inputs.append(KEYS, it, KEYS, VALUES)),
        ("output", "n_queries, d_v", lambda it: inputs.merge_partials(it, *PARTIAL[1:])),
        ("other_output", "n_queries, d_v", lambda it: inputs.merge_partials(*PARTIAL[:2], it, SUMS)),
    ],
)
def test_a_number_in_the_place_of_rows_is_named(name: str, shape: str, call: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match="must have shape") as caught:
        call(NUMBER)
    assert str(caught.value) == f"{name} {ROWS.format(shape)}"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("scores", lambda: inputs.online_softmax([True])),
        ("log_sum_exp", lambda: inputs.merge_partials(OUTPUT, SUMS > 0, OUTPUT, SUMS)),
        ("other_log_sum_exp", lambda: inputs.merge_partials(*PARTIAL[:3], SUMS > 0)),
        ("output", lambda: inputs.blocked_attention_backward(*BACK[:4], OUTPUT > 0, SUMS)),
        ("log_sum_exp", lambda: inputs.blocked_attention_backward(*BACK[:5], SUMS > 0)),
    ],
)
def test_what_are_no_numbers_is_named(name: str, call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=f"^{name} must hold real numbers .*; got dtype bool$"):
        call()


def spoilt(array: Any, number: float) -> Any:
    """An array -> a copy with this number in its third row."""
    copy = array.copy()
    copy[2] = number
    return copy


FINITE = "must be finite; got inf at index"
SCORES = "must be finite or -inf; got NaN, 1 times, first (2,)"
STACKS_OF = "must agree on the axes before the last two (batch, heads), or have 1 there; got"
OF_HEADS = (
    "keys and values must have the same number of heads (axis −3), and it must divide the number of heads"
)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: inputs.online_softmax(NUMBER),
            "scores must have shape (..., n_queries, n_keys); got a single number, shape ()",
        ),
        (lambda: inputs.online_softmax(spoilt(SUMS, np.nan)), f"scores {SCORES}"),
        (lambda: inputs.online_softmax(SUMS, 0), "tile must be at least 1; got 0"),
        # two partial results
        (
            lambda: inputs.merge_partials(OUTPUT, SUMS, OUTPUT[:4], SUMS[:4]),
            "output and other_output must have the same shape: the same queries, other keys; "
            "got (5, 6) and (4, 6)",
        ),
        (
            lambda: inputs.merge_partials(OUTPUT, SUMS[:4], OUTPUT, SUMS),
            "log_sum_exp must have one number for each row of output (5, 6); got (4,)",
        ),
        (
            lambda: inputs.merge_partials(OUTPUT, SUMS, OUTPUT, SUMS[:, None]),
            "other_log_sum_exp must have one number for each row of other_output (5, 6); got (5, 1)",
        ),
        (
            lambda: inputs.merge_partials(spoilt(OUTPUT, np.inf), *PARTIAL[1:]),
            f"output {FINITE} (2, 0) of shape (5, 6)",
        ),
        (
            lambda: inputs.merge_partials(OUTPUT, SUMS, spoilt(OUTPUT, np.inf), SUMS),
            f"other_output {FINITE} (2, 0) of shape (5, 6)",
        ),
        (lambda: inputs.merge_partials(OUTPUT, spoilt(SUMS, np.nan), OUTPUT, SUMS), f"log_sum_exp {SCORES}"),
        (lambda: inputs.merge_partials(*PARTIAL[:3], spoilt(SUMS, np.nan)), f"other_log_sum_exp {SCORES}"),
        # queries, keys, values
        (
            lambda: inputs.blocked_attention(QUERIES, waves(7, 3), VALUES),
            "queries and keys must have vectors of the same length (last axis); got (5, 4) and (7, 3)",
        ),
        (
            lambda: inputs.blocked_attention(QUERIES, KEYS, VALUES[:6]),
            "keys and values must have as many rows (last axis but one); got (7, 4) and (6, 6)",
        ),
        (
            lambda: inputs.blocked_attention(QUERIES, KEYS, spoilt(VALUES, np.inf)),
            "values must be finite; got inf at index (2, 0) of shape (7, 6)",
        ),
        (
            lambda: inputs.blocked_attention(waves(2, 5, 4), waves(3, 7, 4), VALUES),
            f"queries and keys {STACKS_OF} (2, 5, 4) and (3, 7, 4)",
        ),
        (
            lambda: inputs.blocked_attention(waves(2, 5, 4), KEYS, waves(3, 7, 6)),
            f"queries and values {STACKS_OF} (2, 5, 4) and (3, 7, 6)",
        ),
        (
            lambda: inputs.blocked_attention(QUERIES, KEYS, VALUES, MASK.T),
            "mask must broadcast to the scores, (..., n_queries, n_keys) = (5, 7); got (7, 5)",
        ),
        # counts
        (
            lambda: inputs.blocked_attention(QUERIES, KEYS, VALUES, window=0),
            "window must be at least 1; got 0",
        ),
        (
            lambda: inputs.blocked_attention(QUERIES, KEYS, VALUES, tile_queries=0),
            "tile_queries must be at least 1; got 0",
        ),
        (
            lambda: inputs.blocked_attention(QUERIES, KEYS, VALUES, tile_keys=0),
            "tile_keys must be at least 1; got 0",
        ),
        (lambda: inputs.tile_kinds(-1, 7), "n_queries must be at least 0; got -1"),
        (lambda: inputs.tile_kinds(5, -1), "n_keys must be at least 0; got -1"),
        (lambda: inputs.window_mask(-1, 7, 3), "n_queries must be at least 0; got -1"),
        (lambda: inputs.window_mask(5, -1, 3), "n_keys must be at least 0; got -1"),
        (lambda: inputs.window_mask(5, 7, 0), "window must be at least 1; got 0"),
        (lambda: inputs.window_mask(5, 7, 3, -1), "sinks must be at least 0; got -1"),
        # heads that share
        (
            lambda: inputs.grouped_query_attention(waves(4, 5, 3), *HEADS[1:]),
            "queries and keys must have vectors of the same length (last axis); got (4, 5, 3) and (2, 7, 4)",
        ),
        *(
            (
                lambda given=given: inputs.grouped_query_attention(*given),
                "grouped queries need an axis of heads, (..., heads, n, d); "
                f"got queries {given[0].shape}, keys {given[1].shape}, values {given[2].shape}",
            )
            for given in ((QUERIES, *HEADS[1:]), (HEADS[0], KEYS, HEADS[2]), (*HEADS[:2], VALUES))
        ),
        *(
            (
                lambda given=given: inputs.grouped_query_attention(*given),
                f"{OF_HEADS} of the queries; "
                f"got queries {given[0].shape}, keys {given[1].shape}, values {given[2].shape}",
            )
            for given in (
                (waves(3, 5, 4), *HEADS[1:]),
                (HEADS[0], HEADS[1][:1], HEADS[2]),
                (HEADS[0], HEADS[1][:0], HEADS[2][:0]),
            )
        ),
        # the first head stands for all: how many there are was looked at before
        (
            lambda: inputs.grouped_query_attention(waves(3, 4, 5, 4), waves(2, 2, 7, 4), HEADS[2]),
            f"queries and keys {STACKS_OF} (3, 1, 5, 4) and (2, 1, 7, 4)",
        ),
        (
            lambda: inputs.grouped_query_attention(waves(3, 4, 5, 4), HEADS[1], waves(2, 2, 7, 6)),
            f"queries and values {STACKS_OF} (3, 1, 5, 4) and (2, 1, 7, 6)",
        ),
        (
            lambda: inputs.grouped_query_attention(*HEADS, np.ones((2, 5, 7), bool)),
            "mask must broadcast to the scores, (..., n_queries, n_keys) = (4, 5, 7); got (2, 5, 7)",
        ),
        # what is kept
        (
            lambda: inputs.append(KEYS, VALUES[:6], KEYS, VALUES),
            "keys and values must have as many rows (last axis but one); got (7, 4) and (6, 6)",
        ),
        (
            lambda: inputs.append(waves(2, 7, 4), waves(1, 7, 6), KEYS, VALUES),
            "keys and values must have the same axes before the last two (batch, heads); "
            "got (2, 7, 4) and (1, 7, 6)",
        ),
        (
            lambda: inputs.append(KEYS, spoilt(VALUES, np.inf), KEYS, VALUES),
            f"values {FINITE} (2, 0) of shape (7, 6)",
        ),
        *(
            (
                lambda given=given: inputs.append(*given, *HEADS[1:]),
                f"{name} must have the shape of those in the cache, {kept}, but for the number of rows; "
                f"got {shape}",
            )
            for name, kept, shape, given in (
                ("keys", (2, 7, 4), (2, 1, 3), (waves(2, 1, 3), waves(2, 1, 6))),
                ("keys", (2, 7, 4), (3, 1, 4), (waves(3, 1, 4), waves(3, 1, 6))),
                ("values", (2, 7, 6), (2, 1, 5), (waves(2, 1, 4), waves(2, 1, 5))),
            )
        ),
        (lambda: inputs.keep(5, 4), "n_tokens must be at most 4, the tokens kept; got 5"),
        (lambda: inputs.keep(-1, 4), "n_tokens must be at least 0; got -1"),
        *(
            (
                lambda given=given: inputs.attend(*given, None, None),
                "queries must belong to the last tokens of the cache: append their keys and values first; "
                f"got queries of shape {given[0].shape} and {len(given[1])} tokens",
            )
            for given in ((waves(8, 4), KEYS, VALUES), (QUERIES[:0], KEYS[:0], VALUES[:0]))
        ),
        (lambda: inputs.attend(QUERIES, KEYS, VALUES, None, 0), "window must be at least 1; got 0"),
        (
            lambda: inputs.attend(QUERIES, *HEADS[1:], None, None),
            "grouped queries need an axis of heads, (..., heads, n, d); "
            "got queries (5, 4), keys (2, 7, 4), values (2, 7, 6)",
        ),
        # the way back
        (
            lambda: inputs.blocked_attention_backward(OUTPUT[:4], *BACK[1:]),
            "d_output must have the shape of the output, (5, 6); got (4, 6)",
        ),
        (
            lambda: inputs.blocked_attention_backward(*BACK[:4], OUTPUT[:4], SUMS),
            "output must have the shape of d_output, (5, 6); got (4, 6)",
        ),
        (
            lambda: inputs.blocked_attention_backward(*BACK[:5], SUMS[:4]),
            "log_sum_exp must have one number for each row of the output (5, 6); got (4,)",
        ),
        (lambda: inputs.blocked_attention_backward(*BACK[:5], spoilt(SUMS, np.nan)), f"log_sum_exp {SCORES}"),
        (
            lambda: inputs.blocked_attention_backward(*BACK, tile_keys=0),
            "tile_keys must be at least 1; got 0",
        ),
    ],
)
def test_what_does_not_fit_is_said_in_these_words(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=r"must|need") as caught:
        call()
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: inputs.online_softmax(SUMS, HALF), "tile must be a whole number; got 2.5"),
        (lambda: inputs.tile_kinds(HALF, 7), "n_queries must be a whole number; got 2.5"),
        (lambda: inputs.tile_kinds(5, HALF), "n_keys must be a whole number; got 2.5"),
        (lambda: inputs.window_mask(5, 7, HALF), "window must be a whole number; got 2.5"),
        (lambda: inputs.window_mask(5, 7, 3, HALF), "sinks must be a whole number; got 2.5"),
        (lambda: inputs.tile_kinds(5, 7, tile_queries=HALF), "tile_queries must be a whole number; got 2.5"),
        (lambda: inputs.keep(HALF, 4), "n_tokens must be a whole number; got 2.5"),
        *(
            (
                lambda given=given: inputs.append(*given, KEYS, VALUES),
                f"{name} must have the dtype of those in the cache, float64; got float32",
            )
            for name, given in (
                ("keys", (KEYS.astype(np.float32), VALUES)),
                ("values", (KEYS, VALUES.astype(np.float32))),
            )
        ),
    ],
)
def test_another_kind_of_argument_is_said_in_these_words(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == words

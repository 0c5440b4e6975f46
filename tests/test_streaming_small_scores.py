"""helpers.streaming where no score can be large: without a running maximum it gives the same."""

from collections.abc import Callable

import numpy as np
import oracles
import pytest
from samples import DTYPES
from streaming_samples import Inputs, assert_attends, expected_log_sum_exp, sample

import helpers.streaming
from helpers.streaming import QUERIES_WORTH_A_LOOK, blocked_attention
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

MANY = QUERIES_WORTH_A_LOOK  # no fewer


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What was answered to "do all exponentials fit?", in order."""
    answers: list[bool] = []
    ask: Callable[[Array, Array, Array], bool] = helpers.streaming.all_exponentials_fit

    def noted(queries: Array, keys: Array, values: Array) -> bool:
        answers.append(ask(queries, keys, values))
        return answers[-1]

    monkeypatch.setattr(helpers.streaming, "all_exponentials_fit", noted)
    return answers


def masks(n_queries: int, n_keys: int) -> list[Array | None]:
    hidden_row = np.ones((n_queries, n_keys), dtype=bool)
    hidden_row[5] = False
    rows = np.arange(n_queries * n_keys).reshape(n_queries, n_keys) % 3 > 0
    return [None, hidden_row, rows, np.zeros((1, 1), dtype=bool), np.arange(n_keys) < n_keys - 4]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("which", range(5))
def test_both_ways_give_what_attention_gives(dtype: type, which: int, asked: list[bool]) -> None:
    inputs = sample(2, dtype=dtype, n_queries=MANY, n_keys=MANY + 6)
    mask = masks(MANY, MANY + 6)[which]
    assert_attends(blocked_attention(*inputs, mask, tile_queries=9, tile_keys=10), inputs, mask)
    assert asked == [True, True]  # once for each matrix, not for each tile


@pytest.mark.parametrize("window", [None, 4])
def test_both_ways_agree_where_places_are_hidden(
    window: int | None, asked: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = sample(n_queries=MANY, n_keys=MANY)
    found = blocked_attention(*inputs, causal=True, window=window, tile_queries=7, tile_keys=8)
    assert asked == [True]
    monkeypatch.setattr(helpers.streaming, "all_exponentials_fit", lambda *_: False)
    expected = blocked_attention(*inputs, causal=True, window=window, tile_queries=7, tile_keys=8)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)


def test_a_matrix_with_a_large_score_keeps_its_maximum_and_the_others_do_without(asked: list[bool]) -> None:
    inputs = sample(3, n_queries=MANY, n_keys=MANY)
    inputs[0][1, 2] *= 1000.0
    assert_attends(blocked_attention(*inputs), inputs, None)
    assert asked == [True, False, True]


def large(inputs: Inputs) -> Inputs:
    """The same with scores of −32 to 32, both met: as far as the way without a maximum goes."""
    queries, keys, values = inputs
    d_k = queries.shape[-1]
    for rows in (queries, keys):
        rows *= np.sqrt(32 * np.sqrt(d_k)) / np.linalg.norm(rows, axis=-1, keepdims=True) * (1 - 1e-6)
    keys[0], keys[1] = queries[0], -queries[0]
    return queries, keys, values


@pytest.mark.parametrize("size", [1e-18, 1.0, 1e17])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_up_to_the_limit_nothing_is_lost(dtype: type, size: float, asked: list[bool]) -> None:
    queries, keys, values = large(sample(n_queries=MANY, n_keys=MANY))
    rounded: list[Array] = [part.astype(dtype) for part in (queries, keys, values * size)]
    without_key_0 = np.arange(MANY)[None] != 0  # the largest score of query 0: low ones are left
    for mask in (None, without_key_0):
        exact = oracles.attention(queries, keys, values, mask)[0]
        output, log_sum_exp = blocked_attention(rounded[0], rounded[1], rounded[2], mask)
        # a score of 32 is known to 32 · d_k roundings, and a weight to that share
        allowed = 64 * queries.shape[-1] * float(np.finfo(dtype).eps)
        np.testing.assert_allclose(output / size, exact, rtol=0, atol=allowed * float(abs(values).max()))
        expected = expected_log_sum_exp(queries, keys, mask)
        np.testing.assert_allclose(log_sum_exp, expected, rtol=0, atol=allowed)
    assert asked == [True, True]


def test_few_queries_do_not_look_at_the_keys(asked: list[bool]) -> None:
    inputs = sample(n_queries=QUERIES_WORTH_A_LOOK - 1, n_keys=MANY)
    assert_attends(blocked_attention(*inputs), inputs, None)
    assert asked == []

"""Windows and grouped queries of helpers.streaming, against attention and torch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from samples import (
    D_V,
    DTYPES,
    N_KEYS,
    N_QUERIES,
    properties,
    waves,
)
from streaming_samples import MASKS, assert_attends, rounding, sample
from torch.nn import functional

from helpers.attention import attention
from helpers.door import behind_the_door
from helpers.masking import causal_mask
from helpers.streaming import (
    blocked_attention,
    grouped_query_attention,
    tile_kinds,
    window_mask,
)
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (blocked_attention, sample()),
        (grouped_query_attention, sample(2)),
        (tile_kinds, (1000, 2000)),
        (window_mask, (5, 7, 2)),
    ],
)
def test_what_need_not_be_given_is_the_same_behind_the_door(
    function: Callable[..., Any], given: tuple[Any, ...]
) -> None:
    for one, other in zip(function(*given), behind_the_door(function, *given), strict=True):
        np.testing.assert_array_equal(one, other)


# --- windows


def test_the_window_by_hand() -> None:
    expected = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    np.testing.assert_array_equal(window_mask(4, 4, 2), expected)
    np.testing.assert_array_equal(window_mask(2, 5, 3), [[0, 1, 1, 1, 0], [0, 0, 1, 1, 1]])
    np.testing.assert_array_equal(window_mask(3, 1, 4), [[False], [False], [True]])
    assert window_mask(2, 5, 3).dtype == np.bool_


@properties
@given(st.integers(0, 6), st.integers(0, 6), st.integers(1, 8))
def test_a_window_sees_the_last_keys_up_to_each_query(n_queries: int, n_keys: int, window: int) -> None:
    mask = window_mask(n_queries, n_keys, window)
    for i in range(n_queries):
        place = n_keys - n_queries + i
        assert mask[i].tolist() == [place - window < j <= place for j in range(n_keys)]


def test_sinks_stay_open_and_hide_nothing_that_was_seen() -> None:
    expected = [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 0, 1, 0], [1, 1, 0, 0, 1]]
    np.testing.assert_array_equal(window_mask(5, 5, 1, sinks=2), expected)  # query 0: before sink 1
    np.testing.assert_array_equal(window_mask(2, 6, 2, 1), [[1, 0, 0, 1, 1, 0], [1, 0, 0, 0, 1, 1]])
    np.testing.assert_array_equal(window_mask(3, 4, 2, 9), causal_mask(3, 4))
    with pytest.raises(ValueError, match="sinks must be at least 0; got -1"):
        window_mask(2, 3, 1, -1)


def test_a_wide_window_is_causal_and_a_window_of_one_copies() -> None:
    np.testing.assert_array_equal(window_mask(5, 7, 7), causal_mask(5, 7))
    queries, keys, values = sample()
    np.testing.assert_array_equal(blocked_attention(queries, keys, values, window=1)[0], values[-N_QUERIES:])


# --- grouped queries


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("heads", [(6, 1), (6, 2), (6, 3), (6, 6)])
@pytest.mark.parametrize(
    "mask", [*MASKS.values(), waves(6, N_QUERIES, N_KEYS) > -1.5], ids=[*MASKS, "a head"]
)
def test_each_run_of_heads_reads_one_head_of_keys(
    heads: tuple[int, int], dtype: type, mask: Array | None
) -> None:
    n_heads, n_kv_heads = heads
    queries, _, _ = sample(2, n_heads, dtype=dtype)
    _, keys, values = sample(2, n_kv_heads, dtype=dtype)
    output, log_sum_exp = grouped_query_attention(queries, keys, values, mask)
    keys, values = (np.repeat(part, n_heads // n_kv_heads, axis=1) for part in (keys, values))
    assert output.shape == (2, n_heads, N_QUERIES, D_V)
    assert output.dtype == dtype
    assert_attends((output, log_sum_exp), (queries, keys, values), mask)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_grouped_queries_are_torchs(n_kv_heads: int) -> None:
    queries, _, _ = sample(3, 4)
    _, keys, values = sample(3, n_kv_heads, n_keys=N_QUERIES)
    output, _ = grouped_query_attention(queries, keys, values, causal=True)
    q, k, v = map(torch.tensor, (queries, keys, values))
    expected = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    np.testing.assert_allclose(output, expected.numpy(), rtol=0, atol=rounding(queries, keys[:, :1], values))


def test_grouped_queries_have_windows_and_leading_axes_that_broadcast() -> None:
    queries, _, _ = sample(4)
    _, keys, values = sample(3, 2)
    output, _ = grouped_query_attention(queries, keys, values, window=2)
    expected, _ = attention(
        queries, np.repeat(keys, 2, axis=1), np.repeat(values, 2, axis=1), window_mask(N_QUERIES, N_KEYS, 2)
    )
    np.testing.assert_allclose(output, expected, atol=1e-13)


QUERIES, KEYS, VALUES = sample(2)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: grouped_query_attention(QUERIES[..., :3], KEYS, VALUES),
            ValueError,
            r"^queries and keys must have vectors of the same length .*\(2, 5, 3\) and \(2, 7, 11\)",
        ),
        (
            lambda: grouped_query_attention(QUERIES[None, [0, 0]][[0, 0]], KEYS[None][[0, 0, 0]], VALUES),
            ValueError,
            r"^queries and keys must agree on the axes before",
        ),
        (
            lambda: grouped_query_attention(QUERIES, KEYS[0], VALUES),
            ValueError,
            r"axis of heads.*keys \(7, 11\)",
        ),
        (
            lambda: grouped_query_attention(QUERIES, KEYS, VALUES[0]),
            ValueError,
            r"axis of heads.*values \(7, 4\)",
        ),
        (
            lambda: grouped_query_attention(QUERIES, KEYS, VALUES, window=0),
            ValueError,
            "window must be at least 1",
        ),
    ],
)
def test_grouped_queries_that_do_not_fit_are_named(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()

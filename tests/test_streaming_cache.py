"""The cache of helpers.streaming gives the rows of the full pass."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import (
    D_K,
    DTYPES,
    N_KEYS,
    properties,
    waves,
)
from streaming_samples import Inputs, assert_attends, each, sample

from helpers.attention import attention
from helpers.masking import causal_mask, padding_mask
from helpers.streaming import (
    KVCache,
    window_mask,
)
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Inputs, list[int], int | None]:
    """Inputs with n_queries = n_keys, the sizes of their chunks, a window; the keys may have fewer heads."""
    dtype = draw(st.sampled_from(DTYPES))
    chunks = draw(st.lists(st.integers(0, 4), min_size=1, max_size=6).filter(sum))
    n, heads, kv_heads = sum(chunks), *draw(st.sampled_from([(1, 1), (4, 2), (3, 3), (6, 1)]))
    stack = draw(st.sampled_from([None, (), (2,)]))
    queries = waves(*(() if stack is None else (*stack, heads)), n, D_K, dtype=dtype)
    of_keys = () if stack is None else (*stack, kv_heads)
    _, keys, values = sample(*of_keys, n_keys=n, dtype=dtype)
    return (queries, keys, values), chunks, draw(st.none() | st.integers(1, 5))


@properties
@given(conversations())
def test_the_cache_gives_the_rows_of_the_full_pass(
    case: tuple[Inputs, list[int], int | None],
) -> None:
    (queries, keys, values), chunks, window = case
    cache, outputs, sums, start = KVCache(), [], [], 0
    for size in chunks:
        part = np.s_[..., start : start + size, :]
        cache.append(keys[part], values[part])
        start += size
        assert len(cache) == start
        if start:
            output, log_sum_exp = cache.attend(queries[part], window=window)
            outputs.append(output)
            sums.append(log_sum_exp)
    np.testing.assert_array_equal(cache.keys, keys)
    np.testing.assert_array_equal(cache.values, values)
    if keys.ndim > 2:
        repeats = queries.shape[-3] // keys.shape[-3]
        keys, values = np.repeat(keys, repeats, axis=-3), np.repeat(values, repeats, axis=-3)
    n = len(cache)
    mask = causal_mask(n) if window is None else window_mask(n, n, window)
    found = np.concatenate(outputs, axis=-2), np.concatenate(sums, axis=-1)
    assert found[0].dtype == queries.dtype
    assert_attends(found, (queries, keys, values), mask)


def test_one_new_token_reads_the_whole_past() -> None:
    cache = KVCache()
    for value in (6.0, 2.0, 4.0):  # equal scores: the mean of what was seen so far
        cache.append([[1.0]], [[value]])
        output, log_sum_exp = cache.attend([[0.0]])
    np.testing.assert_allclose(output, [[4.0]], rtol=1e-15)
    np.testing.assert_allclose(log_sum_exp, [np.log(3)], rtol=1e-15)
    np.testing.assert_allclose(cache.attend([[0.0], [0.0]])[0], [[4.0], [4.0]], rtol=1e-15)
    np.testing.assert_allclose(cache.attend([[0.0]], window=2)[0], [[3.0]], rtol=1e-15)


def test_a_batch_of_unequal_lengths_with_a_mask_is_each_sequence_by_itself() -> None:
    lengths, n_prompt, n_new = [3, 5], 5, 4
    queries, keys, values = sample(2, n_queries=n_prompt + n_new, n_keys=n_prompt + n_new)
    real = np.concatenate([padding_mask(lengths, n_prompt), np.ones((2, 1, n_new), bool)], axis=-1)
    cache, outputs = KVCache(), []
    for start, stop in [(0, n_prompt), *((at, at + 1) for at in range(n_prompt, n_prompt + n_new))]:
        cache.append(keys[:, start:stop], values[:, start:stop])
        outputs.append(cache.attend(queries[:, start:stop], real[..., :stop])[0])
    together = np.concatenate(outputs, axis=1)
    for number in range(2):
        own = real[number, 0]
        of_one = each((queries, keys, values), lambda part: part[number, own])  # noqa: B023
        alone, _ = attention(*of_one, causal_mask(own.sum()))
        np.testing.assert_allclose(together[number, own], alone, atol=1e-13)


def test_an_empty_cache_has_no_keys() -> None:
    cache = KVCache()
    assert (len(cache), cache.keys.shape, cache.values.shape) == (0, (0, 0), (0, 0))


def test_tokens_can_be_forgotten_and_others_follow() -> None:
    queries, keys, values = sample(2, n_queries=N_KEYS)
    cache = KVCache()
    cache.append(keys, values)
    cache.keep(N_KEYS)
    assert len(cache) == N_KEYS
    cache.keep(4)
    assert len(cache) == 4
    cache.append(keys[:, :2], values[:, :2])
    keys, values = (part[:, [0, 1, 2, 3, 0, 1]] for part in (keys, values))
    expected, _ = attention(queries[:, :6], keys, values, causal_mask(6))
    np.testing.assert_allclose(cache.attend(queries[:, :6])[0], expected, atol=1e-13)
    cache.keep(0)
    assert len(cache) == 0
    cache.append(np.ones((3, 2)), np.ones((3, 5)))  # an empty cache takes any shape
    assert cache.keys.shape == (3, 2)
    assert cache.values.shape == (3, 5)


def test_the_cache_keeps_a_copy_and_shows_a_view_that_cannot_be_written_to() -> None:
    cache, keys = KVCache(), np.ones((2, 3))
    cache.append(keys, keys)
    keys[:] = 7
    np.testing.assert_array_equal(cache.keys, np.ones((2, 3)))
    for view in (cache.keys, cache.values):
        with pytest.raises(ValueError, match="read-only"):
            view[0, 0] = 5.0


def test_a_cache_grows_seldom() -> None:
    cache = KVCache()
    buffers: list[Array | None] = []
    for _ in range(1000):
        cache.append(np.ones((1, 2)), np.ones((1, 3)))
        if not buffers or cache.keys.base is not buffers[-1]:
            buffers.append(cache.keys.base)
    assert len(buffers) == 11  # 1, 2, 4, ..., 1024 rows
    assert cache.keys.shape == (1000, 2)


def test_what_does_not_fit_leaves_the_cache_as_it_was() -> None:
    cache = KVCache()
    good = np.ones((2, 4, 5), np.float32), np.ones((2, 4, 3), np.float32)
    cache.append(*good)
    wrong: list[tuple[Any, Any, type[Exception], str]] = [
        (good[0][:1], good[1][:1], ValueError, r"keys must have the shape.*\(2, 4, 5\).*got \(1, 4, 5\)"),
        (good[0], good[1][..., :2], ValueError, r"values must have the shape.*\(2, 4, 3\).*got \(2, 4, 2\)"),
        (
            good[0][:, :3],
            good[1],
            ValueError,
            r"^keys and values must have as many rows.*\(2, 3, 5\) and \(2, 4, 3\)",
        ),
        (good[0], good[1].astype(float), TypeError, "values must have the dtype.*float32; got float64"),
        (good[0].astype(np.float16), good[1], TypeError, "keys must have the dtype.*float32; got float16"),
        (good[0], good[1] * np.float32(np.nan), ValueError, "values must be finite; got nan"),
        (
            good[0],
            np.ones((3, 4, 3)),
            ValueError,
            r"^keys and values .*axes before the last two.*\(2, 4, 5\) and \(3, 4, 3\)",
        ),
        (good[0], good[1][:1], ValueError, r"axes before the last two.*\(2, 4, 5\) and \(1, 4, 3\)"),
        (good[0], "values", TypeError, "values must hold real numbers"),
        (1.0, good[1], ValueError, r"keys must have shape \(\.\.\., n_new, d_k\)"),
        (good[0], 1.0, ValueError, r"values must have shape \(\.\.\., n_new, d_v\)"),
    ]
    for keys, values, error, words in wrong:
        with pytest.raises(error, match=words):
            cache.append(keys, values)
        assert len(cache) == 4
        np.testing.assert_array_equal(cache.keys, good[0])
        np.testing.assert_array_equal(cache.values, good[1])

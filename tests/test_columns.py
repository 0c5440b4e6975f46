"""helpers.columns: the column convention gives the numbers of the row convention, turned round."""

from typing import Any

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import D_K, D_V, DTYPES, N_KEYS, N_QUERIES, STACKS, properties, waves

from helpers.attention import attention
from helpers.columns import (
    attention_in_columns,
    causal_mask_in_columns,
    multi_head_attention_in_columns,
)
from helpers.masking import causal_mask, padding_mask
from helpers.multi_head import Projections, multi_head_attention
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")


def turned(array: Array) -> Array:
    return np.swapaxes(array, -1, -2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("causal", [False, True])
def test_columns_give_what_rows_give(stack: tuple[int, ...], dtype: type, causal: bool) -> None:
    queries = waves(*stack, D_K, N_QUERIES, dtype=dtype)
    keys = waves(*stack, D_K, N_KEYS, start=50.0, dtype=dtype)
    values = waves(*stack, D_V, N_KEYS, start=90.0, dtype=dtype)
    mask = causal_mask_in_columns(N_QUERIES, N_KEYS) if causal else None
    output, weights = attention_in_columns(queries, keys, values, mask)
    assert output.dtype == weights.dtype == np.dtype(dtype)
    assert output.shape == (*stack, D_V, N_QUERIES)
    rows = turned(queries), turned(keys), turned(values), None if mask is None else mask.T
    expected = oracles.attention(*rows)
    allowed = 100 * float(np.finfo(dtype).eps)
    for one, other in zip((output, weights), expected, strict=True):
        np.testing.assert_allclose(turned(one).astype(float), other, rtol=0, atol=allowed)
    np.testing.assert_allclose(weights.sum(axis=-2, dtype=float), 1, atol=allowed)


@properties
@given(st.integers(0, 4), st.integers(0, 5), st.data())
def test_any_mask_hides_the_same_pairs(n_queries: int, n_keys: int, data: st.DataObject) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=20, max_size=20)))[: n_queries * n_keys]
    mask = mask.reshape(n_keys, n_queries)
    queries, keys, values = waves(3, n_queries), waves(3, n_keys, start=9.0), waves(2, n_keys, start=30.0)
    output, weights = attention_in_columns(queries, keys, values, mask)
    in_rows, maps = attention(queries.T, keys.T, values.T, mask.T)
    np.testing.assert_allclose(output.T, in_rows, atol=1e-14)
    np.testing.assert_allclose(weights.T, maps, atol=1e-14)


def test_the_causal_mask_is_the_upper_triangle() -> None:
    np.testing.assert_array_equal(causal_mask_in_columns(3), np.triu(np.ones((3, 3), dtype=bool)))
    np.testing.assert_array_equal(causal_mask_in_columns(2, 4), causal_mask(2, 4).T)


@pytest.mark.parametrize("masked", [False, True])
def test_a_whole_block_gives_what_the_row_block_gives(masked: bool) -> None:
    x = waves(2, 5, 12)
    given = Projections(
        waves(12, 6), waves(12, 6, start=2.0), waves(12, 9, start=4.0), waves(9, 7, start=6.0)
    )
    mask = causal_mask(5) & padding_mask([3, 5], 5) if masked else None
    in_rows, maps = multi_head_attention(x, given, 3, mask)
    matrices = [np.asarray(w).T for w in given[:4]]
    w_q, w_k, w_v, w_o = matrices
    turned_mask = None if mask is None else turned(mask)
    output, weights = multi_head_attention_in_columns(turned(x), w_q, w_k, w_v, w_o, 3, turned_mask)
    np.testing.assert_allclose(turned(output), in_rows, atol=1e-12)
    np.testing.assert_allclose(turned(weights), maps, atol=1e-13)


def test_a_mask_of_one_axis_is_for_the_queries_of_every_head() -> None:
    sees = np.array([True, True, False, True, True])
    one, other = (
        multi_head_attention_in_columns(X, SQUARE, SQUARE, SQUARE, SQUARE, 3, mask)
        for mask in (sees, np.broadcast_to(sees, (5, 5)))
    )
    np.testing.assert_array_equal(one[1], other[1])
    assert not one[1][..., 2].any()


X = waves(12, 5)
SQUARE = waves(12, 12)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: attention_in_columns(X, X[:11], X),
            ValueError,
            r"same d_k.*\(12, 5\), \(11, 5\) and \(12, 5\)",
        ),
        (lambda: attention_in_columns(X, X, X[:, :4]), ValueError, r"same n_keys.*\(12, 4\)"),
        (
            lambda: multi_head_attention_in_columns(X, SQUARE, SQUARE, np.full((12, 12), 1e308), SQUARE, 3),
            ValueError,
            "^values must be finite",  # they are not, once they are computed
        ),
        (lambda: attention_in_columns(X, X, X + np.inf), ValueError, "values must be finite"),
        (lambda: attention_in_columns(X, X, X, np.ones((5, 5))), TypeError, "mask must hold True"),
        (lambda: causal_mask_in_columns(-2), ValueError, "n_queries must be at least 0"),
        (
            lambda: multi_head_attention_in_columns(X, SQUARE, SQUARE, SQUARE, SQUARE, 5),
            ValueError,
            r"n_heads must divide the height of W x; got 5 heads and \(12, 5\)",
        ),
        (
            lambda: multi_head_attention_in_columns(X, SQUARE[:, :7], SQUARE, SQUARE, SQUARE, 3),
            ValueError,
            r"w_q must have shape \(d_out, d_in\) with d_in = 12; got \(12, 7\)",
        ),
    ],
)
def test_what_does_not_fit_is_named(call: Any, error: type[Exception], words: str) -> None:
    with np.errstate(all="ignore"), pytest.raises(error, match=words):
        call()

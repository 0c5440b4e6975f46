"""helpers.masking: which query may attend to which key, and what becomes of a score that is hidden."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from samples import DTYPES, N_KEYS, N_QUERIES, STACKS, properties, waves
from torch.nn import functional
from torch.nn.attention.bias import causal_lower_right

from helpers.door import behind_the_door
from helpers.masking import causal_mask, mask_scores, padding_mask
from helpers.softmax import softmax

pytestmark = pytest.mark.filterwarnings("error")


def test_the_causal_mask_is_the_lower_triangle() -> None:
    np.testing.assert_array_equal(
        causal_mask(3), [[True, False, False], [True, True, False], [True, True, True]]
    )
    assert causal_mask(3).dtype == np.bool_
    np.testing.assert_array_equal(behind_the_door(causal_mask, 3), causal_mask(3))  # the maths alone


def test_with_more_keys_the_queries_are_the_last_tokens() -> None:
    expected = [[True, True, True, False], [True, True, True, True]]
    np.testing.assert_array_equal(causal_mask(2, 4), expected)
    np.testing.assert_array_equal(causal_mask(1, 5), [[True] * 5])  # a new token reads the whole past


def test_with_more_queries_the_first_see_nothing() -> None:
    np.testing.assert_array_equal(causal_mask(3, 1), [[False], [False], [True]])
    assert causal_mask(3, 0).shape == (3, 0)
    assert causal_mask(0).shape == (0, 0)


@properties
@given(st.integers(0, 6), st.integers(0, 6))
def test_each_query_sees_itself_and_all_before_it(n_queries: int, n_keys: int) -> None:
    mask = causal_mask(n_queries, n_keys)
    for i in range(n_queries):
        place = n_keys - n_queries + i  # of this query among the keys
        assert mask[i].tolist() == [j <= place for j in range(n_keys)]


@pytest.mark.parametrize("sizes", [(2, 5), (4, 4), (1, 3)])
def test_it_is_torchs_lower_right_mask(sizes: tuple[int, int]) -> None:
    queries, keys = torch.ones(1, sizes[0], 4), torch.ones(1, sizes[1], 4)
    values = torch.eye(sizes[1])[None]  # so that the output is the weights
    bias = causal_lower_right(*sizes)
    weights = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
    np.testing.assert_array_equal(causal_mask(*sizes), weights[0].numpy() > 0)


def test_the_padding_mask_hides_keys_beyond_the_length() -> None:
    mask = padding_mask([2, 0, 3], 3)
    assert mask.shape == (3, 1, 3)
    np.testing.assert_array_equal(mask[:, 0], [[1, 1, 0], [0, 0, 0], [1, 1, 1]])
    assert padding_mask(2, 4).shape == (1, 4)
    assert padding_mask([[1, 2]], 4).shape == (1, 2, 1, 4)
    assert padding_mask(np.zeros(0, int), 4).shape == (0, 1, 4)


def test_masks_are_combined_with_and() -> None:
    both = causal_mask(3) & padding_mask([2, 3], 3)
    np.testing.assert_array_equal(both[0], [[1, 0, 0], [1, 1, 0], [1, 1, 0]])
    np.testing.assert_array_equal(both[1], causal_mask(3))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", STACKS)
def test_hidden_scores_are_minus_infinity_and_the_others_stay(stack: tuple[int, ...], dtype: type) -> None:
    scores = waves(*stack, N_QUERIES, N_KEYS, dtype=dtype)
    mask = causal_mask(N_QUERIES, N_KEYS)
    masked = mask_scores(scores, mask)
    assert masked.dtype == dtype
    assert masked.shape == scores.shape
    seen = np.broadcast_to(mask, scores.shape)
    np.testing.assert_array_equal(masked[seen], scores[seen])
    assert np.isneginf(masked[~seen]).all()
    weights = softmax(masked)
    assert (weights[~seen] == 0).all()
    np.testing.assert_allclose(weights.sum(-1, dtype=float), 1, atol=4 * float(np.finfo(dtype).eps))


def test_no_mask_and_a_mask_of_true_leave_the_scores() -> None:
    scores = waves(N_QUERIES, N_KEYS)
    np.testing.assert_array_equal(mask_scores(scores, None), scores)
    np.testing.assert_array_equal(mask_scores(scores, True), scores)


def test_what_a_hidden_score_was_does_not_matter() -> None:
    np.testing.assert_array_equal(mask_scores([[np.nan, 1.0]], [[False, True]]), [[-np.inf, 1.0]])


def test_the_scores_that_went_in_are_left_alone() -> None:
    scores = waves(N_QUERIES, N_KEYS)
    before = scores.copy()
    mask_scores(scores, causal_mask(N_QUERIES, N_KEYS))
    np.testing.assert_array_equal(scores, before)


HALF: Any = 2.5


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: causal_mask(-1), ValueError, "n_queries must be at least 0; got -1"),
        (lambda: causal_mask(2, HALF), TypeError, "n_keys must be a whole number; got 2.5"),
        (lambda: padding_mask([1.0], 3), TypeError, "lengths must be whole numbers.*float64"),
        (lambda: padding_mask([True, False], 3), TypeError, "lengths must be whole numbers.*bool"),
        (lambda: padding_mask([1, 4], 3), ValueError, "from 0 to n_keys = 3; got 1 to 4"),
        (lambda: padding_mask([-1], 3), ValueError, "from 0 to n_keys = 3; got -1"),
        (lambda: mask_scores(np.zeros((2, 3)), np.ones((2, 3), int)), TypeError, "True .may attend.*int64"),
        (lambda: mask_scores(np.zeros((2, 3)), np.ones((3, 2), bool)), ValueError, r"\(2, 3\); got \(3, 2\)"),
        (lambda: mask_scores(np.zeros((2, 3)), np.ones((5, 2, 3), bool)), ValueError, r"got \(5, 2, 3\)"),
    ],
)
def test_what_does_not_fit_is_named(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()

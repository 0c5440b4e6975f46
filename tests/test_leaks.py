"""helpers.leaks finds every leak that we can think of, and none where there is none."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import DTYPES, properties, waves

from helpers.attention import attention
from helpers.leaks import influence, leaks
from helpers.masking import causal_mask, padding_mask
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

N, D = 6, 4
X = waves(N, D)
FUTURE = [(i, j) for i in range(N) for j in range(i + 1, N)]


def attends(mask: Array | None) -> Callable[[Array], Array]:
    return lambda x: attention(x, x, x, mask)[0]


def centred(x: Array) -> Array:
    """What LayerNorm does to a row: no shift and no factor survives it."""
    rows = x - x.mean(axis=-1, keepdims=True)
    return rows / np.sqrt((rows**2).mean(axis=-1, keepdims=True) + 1e-5)


def test_a_causal_model_has_no_leak_and_an_open_one_has_them_all() -> None:
    assert leaks(attends(causal_mask(N)), X) == []
    assert leaks(attends(None), X) == FUTURE


def test_one_step_of_leakage_is_found_where_it_is() -> None:
    off_by_one = np.tri(N, k=1, dtype=bool)
    assert leaks(attends(off_by_one), X) == [(i, i + 1) for i in range(N - 1)]
    assert leaks(attends(causal_mask(N).T), X) == FUTURE


@properties
@given(st.lists(st.booleans(), min_size=N * N, max_size=N * N))
def test_the_influence_is_the_mask_itself_whatever_the_mask(entries: list[bool]) -> None:
    mask = np.array(entries).reshape(N, N)
    mask |= np.eye(N, dtype=bool)  # a row of zeros would not depend on its own query
    # the query of token i has a say only where two keys compete
    found = influence(attends(mask), X)
    np.testing.assert_array_equal(found, mask)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", [(), (2,), (2, 3)])
def test_every_dtype_and_stack(stack: tuple[int, ...], dtype: type) -> None:
    x = waves(*stack, N, D, dtype=dtype)
    assert leaks(attends(causal_mask(N)), x) == []
    assert leaks(attends(np.tri(N, k=1, dtype=bool)), x) == [(i, i + 1) for i in range(N - 1)]


def test_a_leak_in_one_sentence_of_a_batch_is_found() -> None:
    x, mask = waves(2, N, D), np.stack([causal_mask(N), np.tri(N, k=1, dtype=bool)])
    assert leaks(attends(mask), x) == [(i, i + 1) for i in range(N - 1)]


def leaks_from_the_last(x: Array) -> Array:
    return attends(causal_mask(N))(x) + 1e-6 * x[-1]


def leaks_into_the_first(x: Array) -> Array:
    output = attends(causal_mask(N))(x).copy()
    output[0] += x[3].sum()
    return output


def layer_norm_then_open(x: Array) -> Array:
    return attends(np.tri(N, k=1, dtype=bool))(centred(x))


def running_mean_of_all(x: Array) -> Array:
    return x - x.mean(axis=0)


@pytest.mark.parametrize(
    ("model", "first"),
    [
        (leaks_from_the_last, (0, N - 1)),
        (leaks_into_the_first, (0, 3)),
        (layer_norm_then_open, (0, 1)),
        (running_mean_of_all, (0, 1)),
        (lambda x: attends(None)(30 * x), (0, 3)),  # saturated: nearly all weight on one key
        (lambda x: np.cumsum(x[::-1], axis=0)[::-1], (0, 1)),
    ],
)
def test_hidden_leaks_are_found(model: Callable[[Array], Array], first: tuple[int, int]) -> None:
    assert first in leaks(model, X)


@pytest.mark.parametrize(
    "model",
    [
        lambda x: x,
        lambda x: np.cumsum(x, axis=0),
        lambda x: attends(causal_mask(N))(centred(x)),
        lambda x: np.zeros_like(x),
        lambda x: attends(causal_mask(N) & padding_mask(3, N))(x),
        lambda x: 1e6 * attends(causal_mask(N))(x),
    ],
)
def test_models_that_see_no_future_are_not_accused(model: Callable[[Array], Array]) -> None:
    assert leaks(model, X) == []


def test_another_rule_than_the_causal_one() -> None:
    padding = np.broadcast_to(padding_mask(4, N), (N, N))
    assert leaks(attends(padding), X, padding | np.eye(N, dtype=bool)) == []
    assert leaks(attends(None), X, padding) == [(i, j) for i in range(N) for j in (4, 5)]


def test_the_input_is_left_alone_even_by_a_model_that_writes_into_it() -> None:
    def writes(x: Array) -> Array:
        x += 1
        return x

    before = X.copy()
    assert leaks(writes, X) == []
    np.testing.assert_array_equal(X, before)


def test_a_list_of_rows_is_a_sequence() -> None:
    assert leaks(attends(None), X.tolist()) == FUTURE


@pytest.mark.parametrize(("size", "unit"), [(0.25, 1), (1, 1), (4, 4)])
@pytest.mark.parametrize(("roundings", "is_seen"), [(15, False), (16, False), (17, True)])
def test_sixteen_roundings_are_no_leak(size: float, unit: float, roundings: int, is_seen: bool) -> None:
    step = roundings * unit * float(np.finfo(np.float64).eps)  # of the largest number, or of 1

    def model(x: Array) -> Array:
        return np.tile([-size, 0.0], (N, 1)) + step * (x[-1] != X[-1]).any()

    assert leaks(model, X) == ([(i, N - 1) for i in range(N - 1)] if is_seen else [])


def test_an_output_that_overflows_when_a_token_is_changed_has_moved() -> None:
    assert leaks(lambda x: np.exp(90 * x[::-1]), X) == [(i, N - 1 - i) for i in range(N // 2)]


def grows(x: Array) -> Array:
    """One column more once a token is changed."""
    return x if np.array_equal(x, X) else np.hstack([x, x])


COUNTER = iter(range(1000))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: leaks(lambda x: x[:-1], X),
            ValueError,
            r"one row for each token of x \(6, 4\); got \(5, 4\)",
        ),
        (lambda: leaks(lambda x: 0.0, X), ValueError, r"one row for each token.*got \(\)"),
        (lambda: leaks(lambda x: x[:, 0], X), ValueError, r"one row for each token.*got \(6,\)"),
        (lambda: leaks(lambda x: x * np.nan, X), ValueError, "output must be finite"),
        (lambda: leaks(lambda x: np.where(x > 1.9, np.inf, x), X), ValueError, "output must be finite"),
        (
            lambda: leaks(grows, X),
            ValueError,
            r"the model's output changed its shape from \(6, 4\) to \(6, 8\)",
        ),
        (lambda: leaks(lambda x: x + next(COUNTER), X), ValueError, "two outputs for one input.*dropout"),
        (lambda: leaks(lambda x: "text", X), TypeError, "the model's output must hold real numbers"),
        (lambda: leaks(lambda x: x, X[0]), ValueError, r"x must have shape \(\.\.\., n, d\)"),
        (lambda: leaks(lambda x: x, X, np.ones((6, 6))), TypeError, "mask must hold True"),
        (
            lambda: leaks(lambda x: x, X, np.ones((6, 5), bool)),
            ValueError,
            r"\(n, n\) = \(6, 6\); got \(6, 5\)",
        ),
    ],
)
def test_what_does_not_fit_is_named(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()

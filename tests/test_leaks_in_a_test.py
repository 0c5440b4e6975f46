"""The one-line checks of helpers.leaks: what they accuse, what they leave alone, and what they say."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from samples import waves

from helpers import leaks, probing
from helpers.attention import attention
from helpers.masking import causal_mask
from helpers.pretrained.layers import rms_norm
from helpers.streaming import KVCache
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

B, N, D = 3, 6, 4
X = waves(B, N, D)
IDS = np.array([[3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8]])
TABLE = waves(10, D)
PLACES = waves(8, D)[::-1]
REAL = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0]], dtype=bool)
LEFT = REAL[:, ::-1]

Model = Callable[..., Any]


def reads(x: Array, mask: Array | None = None) -> Array:
    return attention(x, x, x, mask)[0]


def causal(x: Array) -> Array:
    return reads(x, causal_mask(x.shape[-2]))


def language_model(ids: Array, attend: Callable[[Array], Array] = causal) -> Array:
    return attend(TABLE[ids] + PLACES[: ids.shape[-1]]) @ TABLE.T


def says(check: Callable[[], None]) -> str:
    """A check that must find something -> what it says."""
    with pytest.raises(AssertionError) as caught:
        check()
    return str(caught.value)


# --- causal


@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1.0, 1e6, 1e30])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_causal_model_passes_at_any_scale(dtype: type, scale: float) -> None:
    if not (dtype is np.float16 and scale != 1.0):
        leaks.assert_causal(lambda x: causal(x) * dtype(scale), X.astype(dtype))
    leaks.assert_causal(language_model, IDS)
    leaks.assert_causal(language_model, IDS[0])


def test_the_message_names_input_and_output_and_by_how_much() -> None:
    def looks_at_5(x: Array) -> Array:
        output = causal(x).copy()
        output[:, 2] += 0.25 * x[:, 5, :1]
        return output

    text = says(lambda: leaks.assert_causal(looks_at_5, X))
    assert text.startswith("the model reads the future: output 2 moved by ")
    assert "when only input 5 changed" in text
    assert text.endswith("moved: 2")
    assert f"(outputs reach {abs(looks_at_5(X)).max():.3g})" in text


@pytest.mark.parametrize("output", range(N))
@pytest.mark.parametrize("token", range(N))
def test_each_single_leak_is_found_where_it_is(output: int, token: int) -> None:
    def leaky(x: Array) -> Array:
        y = causal(x).copy()
        y[:, output] += 1e-6 * x[:, token, :1]
        return y

    if token <= output:
        leaks.assert_causal(leaky, X)
    else:
        text = says(lambda: leaks.assert_causal(leaky, X))
        assert f"output {output} moved" in text
        assert f"only input {token} changed" in text


def test_a_leak_that_needs_two_tokens_is_found() -> None:
    def both(x: Array) -> Array:
        y = causal(x).copy()
        y[:, 0, 0] += (x[:, 3, 0] != X[:, 3, 0]) & (x[:, 5, 0] != X[:, 5, 0])
        return y

    assert "when only inputs 3 to 5 together changed" in says(lambda: leaks.assert_causal(both, X))


def test_ids_leak_too() -> None:
    text = says(lambda: leaks.assert_causal(partial(language_model, attend=reads), IDS))
    assert text.startswith("the model reads the future: output ")
    one_too_far = partial(language_model, attend=lambda x: reads(x, np.tri(x.shape[-2], k=1, dtype=bool)))
    assert "moved: 3" in says(lambda: leaks.assert_causal(one_too_far, IDS))


def counted(model: Model) -> tuple[Model, list[int]]:
    calls = [0]

    def counting(*inputs: Any) -> Any:
        calls[0] += 1
        return model(*inputs)

    return counting, calls


@pytest.mark.parametrize(("n", "most"), [(2, 4), (8, 16), (16, 32), (200, 34)])
def test_few_calls_are_enough(n: int, most: int) -> None:
    model, calls = counted(causal)
    leaks.assert_causal(model, waves(n, D))
    assert calls[0] <= most


def test_a_leak_in_a_long_text_is_found_and_halved() -> None:
    model, calls = counted(lambda x: causal(x) + 1e-3 * np.where(np.arange(200)[:, None] < 90, x[150], 0))
    text = says(lambda: leaks.assert_causal(model, waves(200, D)))
    assert "only input 150 changed" in text
    assert "moved: 0 to 89" in text
    assert calls[0] <= 20


def test_where_long_texts_are_cut() -> None:
    for n in (2, 3, 17, 18, 40, 1000):
        cuts = probing.cuts_of(n)
        assert {1, n - 1} <= set(cuts)
        assert min(cuts) == 1
        assert max(cuts) == n - 1
        assert len(cuts) == len(set(cuts)) == min(n - 1, probing.MOST_CUTS)
        assert abs(cuts[0] - n // 2) <= n // 20  # the middle first: what leaks everywhere is seen at once


def test_rounding_is_no_leak_where_it_moves_half_the_digits_at_most() -> None:
    """What a mixture of experts does: other tokens change the order in which sums are made."""

    def model(x: Array, size: float) -> Array:
        noise = size * np.finfo(np.float64).eps * np.sin(1e6 * x.sum())
        return causal(x) * (1 + noise)

    leaks.assert_causal(lambda x: model(x, 50), X)
    assert says(lambda: leaks.assert_causal(lambda x: model(x, 5000), X))


def test_nan_in_a_padded_row_is_no_movement_and_a_new_nan_is() -> None:
    def some_nan(x: Array) -> Array:
        y = causal(x).copy()
        y[2] = np.nan
        return y

    leaks.assert_causal(some_nan, X)

    def turns_nan(x: Array) -> Array:
        y = causal(x).copy()
        y[0, 1] = np.nan if x[0, 4, 0] != X[0, 4, 0] else y[0, 1]
        return y

    assert "output 1 moved by inf" in says(lambda: leaks.assert_causal(turns_nan, X))


def test_an_output_that_overflows_when_a_token_is_changed_has_moved_without_a_warning() -> None:
    leaks.assert_causal(lambda x: np.exp(90 * x), X)
    assert "moved by inf" in says(lambda: leaks.assert_causal(lambda x: np.exp(90 * x[:, ::-1]), X))


def test_pytest_shows_the_check_that_failed_not_what_it_is_made_of() -> None:
    with pytest.raises(AssertionError) as caught:
        leaks.assert_causal(reads, X)
    assert caught.traceback.filter(caught)[-1].name == "assert_causal"


# --- rows of a batch


def test_rows_apart() -> None:
    leaks.assert_rows_independent(reads, X)
    leaks.assert_rows_independent(language_model, IDS)
    leaks.assert_rows_independent(reads, X[:1])


@pytest.mark.parametrize("row", range(B))
@pytest.mark.parametrize("other", range(B))
def test_any_row_that_moves_another_is_named(row: int, other: int) -> None:
    def mixes(x: Array) -> Array:
        y = reads(x).copy()
        if len(x) == B:
            y[row] += 0.1 * x[other]
        return y

    if row == other:
        leaks.assert_rows_independent(mixes, X)
    else:
        text = says(lambda: leaks.assert_rows_independent(mixes, X))
        assert text.startswith(f"rows of the batch mix: row {row} moved by ")
        assert f"when only row {other} changed" in text


def test_a_batch_of_one_gets_a_second_row() -> None:
    assert "row" in says(lambda: leaks.assert_rows_independent(lambda x: x - x.mean(axis=0), X[:1]))


# --- what must be read


def test_cross_attention_reads_all() -> None:
    leaks.assert_reads_all(lambda x, c: attention(x, c, c)[0], X, waves(B, 9, D))
    leaks.assert_reads_all(reads, X)
    leaks.assert_reads_all(partial(language_model, attend=reads), IDS)


def test_causal_cross_attention_is_named() -> None:
    def causal_cross(x: Array, c: Array) -> Array:
        return attention(x, c, c, np.tri(x.shape[-2], c.shape[-2], dtype=bool))[0]

    text = says(lambda: leaks.assert_reads_all(causal_cross, X, waves(B, 9, D)))
    assert text == (
        "not all is read: output 0 to 4 did not move at all when input 5 to 8 changed, "
        "as if a causal mask hid what is late"
    )
    assert "a causal mask" in says(lambda: leaks.assert_reads_all(causal, X))


@pytest.mark.parametrize("token", [0, 4, 8])
def test_a_token_that_nobody_reads_is_named(token: int) -> None:
    def skips(x: Array, c: Array) -> Array:
        return attention(x, c, c, np.broadcast_to(np.arange(9) != token, (N, 9)))[0]

    text = says(lambda: leaks.assert_reads_all(skips, X, waves(B, 9, D)))
    assert text == f"not all is read: no output moved when input {token} changed"


def test_a_tiny_weight_is_no_mask() -> None:
    leaks.assert_reads_all(lambda x, c: attention(12 * x, c, c)[0], X, waves(B, 9, D))


# --- padding


def padded(x: Array, real: Array, hide: Callable[[Array, Array], Array]) -> Array:
    scores = x @ x.swapaxes(-1, -2)
    weights = np.exp(hide(scores, real) - hide(scores, real).max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ x


def hidden(scores: Array, real: Array) -> Array:
    return np.where(real[:, None, :], scores, -np.inf)


@pytest.mark.parametrize("real", [REAL, LEFT])
def test_padding_that_is_hidden(real: Array) -> None:
    leaks.assert_padding_ignored(partial(padded, hide=hidden), X, real)


@pytest.mark.parametrize(
    ("hide", "words"),
    [
        (lambda scores, real: scores, "padding is read"),
        (lambda scores, real: np.where(real[:, None, :], -np.inf, scores) * (~real).any(), "padding is read"),
        (lambda scores, real: np.where(real[:, None, :], scores, 0.0), "padding is read"),
        (lambda scores, real: np.where(real[:, None, :], scores, -1.0), "padding is read"),
        (lambda scores, real: scores - 30.0 * ~real[:, None, :], "padding is read"),
    ],
)
def test_padding_that_is_read(hide: Any, words: str) -> None:
    with np.errstate(all="ignore"):
        text = says(lambda: leaks.assert_padding_ignored(partial(padded, hide=hide), X, REAL))
    assert text.startswith(words)


def test_positions_that_count_the_padding_on_the_left() -> None:
    def model(ids: Array, real: Array, places: Array) -> Array:
        x = TABLE[ids] + PLACES[places]
        mask = causal_mask(ids.shape[1]) & real[:, None, :]
        return attention(x, x, x, mask)[0]

    ids = IDS[:, :6]
    real = LEFT[:2]
    with_mask = lambda ids, real: model(ids, real, np.maximum(real.cumsum(axis=1) - 1, 0))  # noqa: E731
    without = lambda ids, real: model(ids, real, np.arange(ids.shape[1]))  # noqa: E731
    leaks.assert_padding_ignored(with_mask, ids, real)
    leaks.assert_padding_ignored(without, ids, real, alone=False)
    text = says(lambda: leaks.assert_padding_ignored(without, ids, real))
    assert "of row 1 is off by" in text
    assert text.endswith("from that of the same tokens alone, without padding")


def test_a_model_that_finds_its_padding_by_its_id() -> None:
    ids = np.where(REAL[:2], IDS[:, :6], 0)
    leaks.assert_same_alone(lambda ids, real: padded(TABLE[ids], ids != 0, hidden), ids, REAL[:2])
    assert "row 1" in says(lambda: leaks.assert_same_alone(lambda ids, _: reads(TABLE[ids]), ids, REAL[:2]))


# --- order


def test_order() -> None:
    leaks.assert_equivariant(reads, X)
    leaks.assert_equivariant(lambda x: rms_norm(reads(x), np.ones(D), 1e-6), X.astype(np.float32))
    for model in (causal, lambda x: reads(x + PLACES[:N])):
        text = says(partial(leaks.assert_equivariant, model, X))
        assert text.startswith("the order matters")


# --- cache


def step(piece: Array, cache: KVCache | None) -> tuple[Array, KVCache]:
    cache = KVCache() if cache is None else cache
    cache.append(piece, piece)
    return cache.attend(piece)[0], cache


@pytest.mark.parametrize("stack", [(), (B,), (B, 2)])
def test_a_cache_that_is_right(stack: tuple[int, ...]) -> None:
    leaks.assert_cache_matches(causal, step, waves(*stack, 7, D))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda piece, cache: (causal(piece), None), "output 1 is off by"),
        (lambda piece, cache: (reads(piece), None), "output 1 is off by"),
    ],
)
def test_a_cache_that_is_forgotten(wrong: Model, words: str) -> None:
    text = says(lambda: leaks.assert_cache_matches(causal, wrong, waves(7, D)))
    assert text.startswith(f"the cache changes the outputs: {words}")
    assert "with 1 tokens in the cache, when the tokens came one token at a time; off: 1 to 6" in text


def test_a_mask_in_the_upper_left_corner_is_wrong_in_pieces_only() -> None:
    def upper_left(piece: Array, cache: Array | None) -> tuple[Array, Array]:
        keys = piece if cache is None else np.concatenate([cache, piece])
        mask = np.ones((1, len(keys)), bool) if len(piece) == 1 else np.tri(len(piece), len(keys), dtype=bool)
        return attention(piece, keys, keys, mask)[0], keys

    text = says(lambda: leaks.assert_cache_matches(causal, upper_left, waves(7, D)))
    assert "output 1 is off by" in text
    assert "with 1 tokens in the cache, when the tokens came 1 and then 6 at once; off: 1 to 6" in text


# --- what cannot be asked


COUNTER = iter(range(1000))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: leaks.assert_causal(lambda x: 0 * x, X), ValueError, "the check is blind: no output moved"),
        (
            lambda: leaks.assert_causal(lambda x: x + next(COUNTER), X),
            ValueError,
            "two outputs for one input",
        ),
        (lambda: leaks.assert_causal(lambda x: x * np.nan, X), ValueError, "all NaN"),
        (
            lambda: leaks.assert_causal(lambda x: x[:, 1:], X),
            ValueError,
            "one output for each token, on axis 1",
        ),
        (
            lambda: leaks.assert_causal(lambda x: x.sum(), X),
            ValueError,
            "one output for each token, on axis 1",
        ),
        (
            lambda: leaks.assert_causal(language_model, np.ones((2, 5), int)),
            ValueError,
            "ids must not all be",
        ),
        (lambda: leaks.assert_causal(causal, X[0, 0]), ValueError, r"x must have shape \(\.\.\., n, d\)"),
        (lambda: leaks.assert_causal(lambda x: "text", X), TypeError, "output must hold real numbers"),
        (lambda: leaks.assert_rows_independent(causal, X[0]), ValueError, "x must be a batch"),
        (lambda: leaks.assert_rows_independent(lambda x: 0 * x, X), ValueError, "blind"),
        (lambda: leaks.assert_reads_all(lambda x: 0 * x, X), ValueError, "blind"),
        (lambda: leaks.assert_padding_ignored(lambda x, r: 0 * x, X, REAL), ValueError, "blind"),
        (
            lambda: leaks.assert_padding_ignored(lambda x, r: x, X, REAL | True),
            ValueError,
            "must be False for",
        ),
        (
            lambda: leaks.assert_padding_ignored(lambda x, r: x, X, REAL * 1),
            ValueError,
            "real must hold True",
        ),
        (lambda: leaks.assert_padding_ignored(lambda x, r: x, X, REAL[:, 1:]), ValueError, "real must hold"),
        (lambda: leaks.assert_padding_ignored(lambda x, r: x, X[0], REAL[0]), ValueError, "real must hold"),
        (lambda: leaks.assert_causal(causal, 3), ValueError, r"x must have shape \(\.\.\., n, d\)"),
    ],
)
def test_what_does_not_fit_is_named(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_places_in_words() -> None:
    assert probing.in_words([0, 1, 2, 5, 7, 8]) == "0 to 2, 5, 7 to 8"


def test_the_input_is_left_alone() -> None:
    def writes(x: Array) -> Array:
        x += 1
        return x

    before = X.copy()
    leaks.assert_causal(writes, X)
    np.testing.assert_array_equal(X, before)

"""The reader with a cache writes what it writes without; a window and shared keys do what they say."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helpers.datasets import Sounds, load_sounds
from helpers.multi_head import split_heads
from helpers.readers.cached import next_scores, share_keys, spelled, write_cached
from helpers.readers.model import EncoderDecoder, decode, encode, write
from helpers.streaming import KVCache


@pytest.fixture(scope="module")
def sounds() -> Sounds:
    return load_sounds()


@pytest.fixture(scope="module")
def model(sounds: Sounds) -> EncoderDecoder:
    return sounds.model


def test_it_writes_what_the_reader_writes(sounds: Sounds) -> None:
    texts = [*sounds.shown.texts, *sounds.sample.texts[:20]]
    assert [spelled(sounds.model, write_cached(sounds.model, text)[0]) for text in texts] == write(
        sounds.model, texts
    )


@pytest.mark.parametrize("word", ["a", "knife", "photograph"])
def test_every_step_has_the_scores_of_one_full_pass(model: EncoderDecoder, word: str) -> None:
    written, scores = write_cached(model, word)
    source = np.array([0, *(model.source_symbols.index(letter) for letter in word)])
    full, _ = decode(model, np.array(written[:-1]), encode(model, source), mask=(source > 0)[None])
    assert written[0] == written[-1] == 0
    assert np.abs(scores - full).max() < 1e-9


def test_a_step_appends_one_token_and_a_window_hides_the_first(model: EncoderDecoder) -> None:
    source = np.random.default_rng(3).standard_normal((5, 96))
    caches = [KVCache(), KVCache(), KVCache()]
    # Two targets that differ in their first symbol only: a window of 2 cannot tell them apart at the third.
    thirds = []
    for cache, first, window in zip(caches, (0, 7, 7), (2, 2, None), strict=True):
        for symbol in (first, 11, 5):
            scores = next_scores(model, symbol, cache, source, source, window)
        thirds.append(scores)
        assert len(cache) == 3
    assert np.array_equal(thirds[0], thirds[1])
    assert np.abs(thirds[1] - thirds[2]).max() > 1e-3


def test_what_is_kept_stays_in_sight(model: EncoderDecoder) -> None:
    source = np.random.default_rng(3).standard_normal((5, 96))
    caches = [KVCache(), KVCache(), KVCache()]
    # Newest symbol and first: the one in between, 11 or 12, is out of sight, the first one is not.
    last = []
    for cache, symbols in zip(caches, ((0, 11, 5), (0, 12, 5), (7, 11, 5)), strict=True):
        for symbol in symbols:
            scores = next_scores(model, symbol, cache, source, source, window=1, kept=[0, 9])
        last.append(scores)
    assert np.array_equal(last[0], last[1])
    assert np.abs(last[0] - last[2]).max() > 1e-3
    assert write_cached(model, "castle", window=1, kept=range(99))[0] == write_cached(model, "castle")[0]


def test_a_window_as_long_as_the_text_hides_nothing(model: EncoderDecoder) -> None:
    written, scores = write_cached(model, "castle")
    assert write_cached(model, "castle", window=len(scores))[0] == written


def test_a_text_without_an_end_is_cut_where_positions_end(model: EncoderDecoder) -> None:
    never = replace(model, w_symbols=np.concatenate([np.zeros((96, 1)), model.w_symbols[:, 1:]], axis=1))
    never = replace(never, w_symbols=np.where(np.arange(40) == 3, 100 * model.w_symbols, never.w_symbols))
    (expected,) = write(never, ["knock"])
    written, scores = write_cached(never, "knock")
    assert spelled(never, written) == expected
    assert len(scores) == len(never.target_positions) - 1


@pytest.mark.parametrize("part", ["encoder", "decoder"])
@pytest.mark.parametrize("n_kv_heads", [1, 2])
def test_heads_of_a_run_have_the_mean_of_its_keys(model: EncoderDecoder, part: str, n_kv_heads: int) -> None:
    shared = share_keys(model, part, n_kv_heads)
    other = {"encoder": "decoder", "decoder": "encoder"}[part]
    assert getattr(shared, other) is getattr(model, other)
    for before, after in zip(getattr(model, part), getattr(shared, part), strict=True):
        changed = {field for field in before._fields if getattr(before, field) is not getattr(after, field)}
        assert changed == {"self_attention"}
        own, own_before = after.self_attention, before.self_attention
        assert own.w_q is own_before.w_q
        assert own.w_o is own_before.w_o
        for name in ("w_k", "w_v"):
            heads = split_heads(getattr(own_before, name), 4)
            found = split_heads(getattr(own, name), 4)
            for head in range(4):
                run = head // (4 // n_kv_heads)
                first, last = run * (4 // n_kv_heads), (run + 1) * (4 // n_kv_heads)
                assert np.allclose(found[head], sum(heads[first:last]) / (last - first))


@pytest.mark.parametrize("part", ["encoder", "decoder"])
def test_with_a_head_of_keys_each_nothing_changes(sounds: Sounds, part: str) -> None:
    words = sounds.sample.texts[:5]
    assert write(share_keys(sounds.model, part, 4), words) == write(sounds.model, words)


def test_what_is_refused(sounds: Sounds) -> None:
    with pytest.raises(ValueError, match="n_kv_heads must divide the 4 heads; got 3"):
        share_keys(sounds.model, "decoder", 3)
    half: Any = 2.5
    with pytest.raises(TypeError, match=r"n_kv_heads must be a whole number; got 2\.5"):
        share_keys(sounds.model, "decoder", half)
    with pytest.raises(ValueError, match="n_kv_heads must be at least 1; got 0"):
        share_keys(sounds.model, "decoder", 0)
    with pytest.raises(ValueError, match=r"part must be 'encoder' or 'decoder' .*; got 'both'"):
        share_keys(sounds.model, "both", 2)
    # One head of 96 columns: their four quarters are no heads, and a mean of these means nothing.
    with pytest.raises(ValueError, match=r"the cross attention has one head, .*; got 'cross attention'"):
        share_keys(sounds.model, "cross attention", 1)
    with pytest.raises(ValueError, match="got 'na1ve'"):
        write_cached(sounds.model, "na1ve")
    with pytest.raises(ValueError, match="got ''"):
        write_cached(sounds.model, "")
    with pytest.raises(ValueError, match="bottleneck"):
        write_cached(sounds.bottleneck, "knife")

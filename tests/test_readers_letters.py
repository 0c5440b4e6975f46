"""The six small models of lesson 10: beside torch, causal, and with the losses that their record states."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from helpers import datasets
from helpers.datasets import Letters, load_letters
from helpers.masking import causal_mask
from helpers.positions import alibi_slopes, distances, sinusoidal, t5_buckets
from helpers.readers import letters as module
from helpers.readers.letters import (
    KINDS,
    SYMBOLS,
    LetterModel,
    build_letter_model,
    next_letter_losses,
    next_letter_scores,
    numbers_of,
)
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

wrongly: Any = module  # much below is wrong on purpose


@pytest.fixture(scope="module")
def letters() -> Letters:
    return load_letters()


def in_torch(model: LetterModel, text: str) -> Array:
    """The same model, written once more: in torch, with an angle for each entry and a mask that is added."""
    n, d_head = len(text), model.embeddings.shape[1] // model.n_heads
    x = torch.tensor(model.embeddings[numbers_of(text)])
    apart = torch.tensor(distances(np.arange(n), np.arange(n)))
    bias = torch.zeros(apart.shape).masked_fill(apart < 0, -math.inf)
    if model.kind == "learned" and model.table is not None:
        x = x + torch.tensor(model.table[:n])
    if model.kind == "sinusoidal":
        x = x + torch.tensor(sinusoidal(np.arange(n), x.shape[1])).float()
    if model.kind == "alibi":
        bias = bias - torch.tensor(alibi_slopes(model.n_heads)).float()[:, None, None] * apart
    if model.kind == "t5" and model.table is not None:
        buckets = t5_buckets(apart.numpy(), len(model.table), model.trained_length)
        bias = bias + torch.tensor(model.table)[torch.tensor(buckets)].permute(2, 0, 1)
    angles = torch.arange(n)[:, None] * 10_000.0 ** (-torch.arange(0, d_head, 2) / d_head).repeat(2)
    for layer in model.layers:
        rows = torch.nn.functional.rms_norm(x, x.shape[-1:], eps=1e-5)
        parts = (rows @ torch.tensor(np.asarray(w)) for w in layer[:3])
        queries, keys, values = (part.unflatten(1, (model.n_heads, -1)).transpose(0, 1) for part in parts)
        if model.kind == "rope":
            queries, keys = (
                part * angles.cos()
                + torch.cat([-part.chunk(2, -1)[1], part.chunk(2, -1)[0]], -1) * angles.sin()
                for part in (queries, keys)
            )
        mixed = torch.nn.functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=bias.expand(model.n_heads, n, n)
        )
        x = x + mixed.transpose(0, 1).flatten(1) @ torch.tensor(np.asarray(layer.w_o))
    x = torch.nn.functional.rms_norm(x, x.shape[-1:], eps=1e-5)
    return (x @ torch.tensor(model.w_symbols)).numpy()


@pytest.mark.parametrize("kind", KINDS)
def test_each_model_is_the_same_in_torch(letters: Letters, kind: str) -> None:
    text = letters.texts[1][:50]
    scores = next_letter_scores(letters.models[kind], text)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, in_torch(letters.models[kind], text), atol=2e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_no_model_looks_ahead(letters: Letters, kind: str) -> None:
    text = letters.texts[2][:40]
    other = text[:25] + ("x" if text[25] != "x" else "y") + text[26:]
    before, after = (next_letter_scores(letters.models[kind], t) for t in (text, other))
    np.testing.assert_array_equal(before[:25], after[:25])
    assert abs(before[25:] - after[25:]).max() > 0.1


def test_the_models_that_see_distances_do_not_notice_a_shift(letters: Letters) -> None:
    text, moved = letters.texts[0][:40], np.arange(40) + 17
    for kind in ("nope", "t5", "alibi", "rope"):
        shifted = next_letter_scores(letters.models[kind], text, moved)
        np.testing.assert_allclose(shifted, next_letter_scores(letters.models[kind], text), atol=1e-3)
    for kind in ("learned", "sinusoidal"):
        shifted = next_letter_scores(letters.models[kind], text, moved)
        assert abs(shifted - next_letter_scores(letters.models[kind], text)).max() > 0.5


def test_a_loss_is_minus_the_log_of_the_share(letters: Letters) -> None:
    model, text = letters.models["alibi"], letters.texts[3][:30]
    scores = next_letter_scores(model, text[:-1]).astype(np.float64)
    shares = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    expected = [-math.log(shares[i, SYMBOLS.index(text[i + 1])]) for i in range(29)]
    np.testing.assert_allclose(next_letter_losses(model, text), expected, atol=1e-4)


def test_the_mask_and_the_positions_can_be_given(letters: Letters) -> None:
    model, text = letters.models["rope"], letters.texts[4][:20]
    given = next_letter_scores(model, text, range(20), causal_mask(20))
    np.testing.assert_array_equal(given, next_letter_scores(model, text))
    alone = next_letter_scores(model, text, mask=np.eye(20, dtype=bool))
    np.testing.assert_allclose(alone[7], next_letter_scores(model, text[7])[0], atol=1e-4)


# --- the file


def test_the_file_holds_one_of_each_kind_and_texts_of_held_out_words(letters: Letters) -> None:
    assert tuple(letters.models) == KINDS
    assert [model.kind for model in letters.models.values()] == list(KINDS)
    assert {len(text) for text in letters.texts} == {513}
    for text in letters.texts:
        assert len(set(text.split()[:-1])) == 6  # the last word may be cut off
    assert letters.figures["words_held_out"] < letters.figures["words_learned"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_record_is_that_of_these_models(letters: Letters, kind: str) -> None:
    """Eight of the fifty texts give nearly the recorded loss of the start that was shipped."""
    recorded = letters.figures["losses"][kind][letters.figures["seed_shipped"][kind]]
    n = min(32 * len(recorded), 128)
    losses = np.mean(
        [next_letter_losses(letters.models[kind], text[: n + 1]) for text in letters.texts], axis=0
    )
    np.testing.assert_allclose(losses.reshape(-1, 32).mean(axis=-1), recorded[: n // 32], atol=0.35)
    middle = sorted(starts[1] for starts in letters.figures["losses"][kind])[1]
    assert recorded[1] == middle  # neither the best of three nor the worst


def test_what_the_lesson_says_of_the_curves_holds_for_every_start(letters: Letters) -> None:
    def means(kind: str) -> list[tuple[float, float, float]]:
        """For each start: the loss before place 64, after it, and at the end."""
        return [(starts[1], starts[2], starts[-1]) for starts in letters.figures["losses"][kind]]

    assert all(len(starts) == 2 for starts in letters.figures["losses"]["learned"])
    assert all(before > 2 for before, _, _ in means("nope"))
    assert all(after > before + 1 for before, after, _ in means("sinusoidal"))
    assert all(end > before + 1 for before, _, end in means("rope"))
    assert all(end < before for before, _, end in means("alibi"))
    assert all(after < before for before, after, _ in means("t5"))


# --- bad input


def test_bad_input_is_named(letters: Letters) -> None:
    model = letters.models["learned"]
    with pytest.raises(ValueError, match="positions must lie from 0 to 63"):
        next_letter_scores(model, "a" * 65)
    with pytest.raises(ValueError, match=r"a to z or a space; got \['A', 'é'\]"):
        next_letter_scores(model, "Aé")
    with pytest.raises(ValueError, match="a text needs at least one symbol"):
        next_letter_scores(model, "")
    with pytest.raises(ValueError, match="at least two symbols, one to read and one to guess; got 'a'"):
        next_letter_losses(model, "a")
    with pytest.raises(ValueError, match=r"positions must broadcast to the symbols of the text"):
        next_letter_scores(model, "abc", [0, 1])
    with pytest.raises(TypeError, match="mask must hold True"):
        wrongly.next_letter_scores(model, "abc", None, np.ones((3, 3)))


def test_a_missing_array_is_named() -> None:
    texts, arrays = datasets.unpack(datasets.read_bytes("letters.npz"))
    own = {name.partition(".")[2]: array for name, array in arrays.items() if name.startswith("t5.")}
    own.pop("table")
    with pytest.raises(ValueError, match=r"the model has no array .table.; it has 0\.w_k, 0\.w_o"):
        build_letter_model(texts["settings"]["t5"], own)


def test_a_model_says_what_it_is(letters: Letters) -> None:
    assert repr(letters.models["rope"]) == "<LetterModel: rope, 2 layers, d_model 48>"

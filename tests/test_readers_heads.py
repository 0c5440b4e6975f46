"""helpers.readers.heads: what trained heads look at, and a model without one of them."""

import numpy as np
import pytest

from helpers.datasets import load_sounds
from helpers.readers.heads import encoder_weights, without_head
from helpers.readers.model import encode

MODEL = load_sounds().model


def numbers_of(text):
    return np.array([0, *(MODEL.source_symbols.index(letter) for letter in text)])


def test_there_is_a_table_of_shares_for_each_layer_and_head():
    weights = encoder_weights(MODEL, "amble")
    assert weights.shape == (2, 4, 6, 6)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1)


def test_one_head_reads_the_next_letter_and_one_the_letter_before():
    weights = encoder_weights(MODEL, "nabil")
    assert (np.diagonal(weights[0, 1], 1)[1:] > 0.9).all()
    assert (np.diagonal(weights[1, 3], -1)[1:] > 0.9).all()


def test_a_silenced_head_adds_nothing_and_the_others_stay():
    silenced = without_head(MODEL, 0, 1)
    before, after = (np.asarray(m.encoder[0].self_attention.w_o) for m in (MODEL, silenced))
    assert not after[24:48].any()
    np.testing.assert_array_equal(np.delete(after, slice(24, 48), 0), np.delete(before, slice(24, 48), 0))
    assert before[24:48].any(), "the model itself must not change"
    assert silenced.encoder[1] is MODEL.encoder[1]
    assert not np.allclose(encode(silenced, numbers_of("amble")), encode(MODEL, numbers_of("amble")))


def test_silencing_a_layer_s_heads_one_by_one_leaves_only_what_is_added_around_it():
    silenced = MODEL
    for head in range(4):
        silenced = without_head(silenced, 1, head)
    assert not np.any(silenced.encoder[1].self_attention.w_o)


@pytest.mark.parametrize(("layer", "head"), [(2, 0), (-1, 0), (0, 4), (0, -1)])
def test_a_head_that_is_not_there(layer, head):
    with pytest.raises(ValueError, match=f"layer must be 0 to 1 and head 0 to 3; got {layer} and {head}"):
        without_head(MODEL, layer, head)


@pytest.mark.parametrize("text", ["", "naïve", "Two"])
def test_a_text_that_the_model_cannot_read(text):
    with pytest.raises(ValueError, match="the text must have symbols, all known to the model"):
        encoder_weights(MODEL, text)

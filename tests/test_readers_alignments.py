"""What maps of weights are said to show: checked on maps made by hand, and on models that are told."""

from collections import Counter

import numpy as np
import pytest

from helpers.datasets import Sounds, load_sounds
from helpers.readers import alignments
from helpers.readers.alignments import hide_one, misses_by_symbol, share_forward, write_without
from helpers.readers.model import decode, encode, write, write_with_weights


@pytest.fixture(scope="module")
def sounds() -> Sounds:
    return load_sounds()


@pytest.mark.parametrize(
    ("places", "share"), [([0, 1, 1, 4], 1.0), ([4, 3, 1], 0.0), ([1, 0, 2], 0.5), ([2, 2, 0, 1], 2 / 3)]
)
def test_forward_is_to_stay_or_to_move_on(places: list[int], share: float) -> None:
    assert share_forward([np.eye(5)[places]]) == pytest.approx(share)


def test_moves_are_counted_within_each_map() -> None:
    assert share_forward([np.eye(3)[[1, 2]], np.eye(3)[[0, 1]], np.eye(4)[[3]]]) == 1.0


@pytest.mark.parametrize("weights", [[], [np.eye(3)[[1]]]])
def test_where_nothing_moves_there_is_no_share(weights: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="a map with two rows or more"):
        share_forward(weights)


def test_with_nothing_hidden_the_text_is_as_written(sounds: Sounds) -> None:
    for text, written in zip(sounds.shown.texts, write(sounds.model, sounds.shown.texts), strict=True):
        assert write_without(sounds.model, text, "") == written
        assert write_without(sounds.model, text, "·") == written  # the mark is never read


def test_hiding_a_symbol_hides_it_wherever_it_stands(sounds: Sounds, monkeypatch: pytest.MonkeyPatch) -> None:
    masks = []

    def watched(model, target, context, mask):
        masks.append(mask.astype(int).tolist())
        return decode(model, target, context, mask)

    monkeypatch.setattr(alignments, "decode", watched)
    write_without(sounds.model, "knock", "k")
    assert masks[0] == [[0, 0, 1, 1, 1, 0]]


def test_a_text_that_does_not_end_is_cut(sounds: Sounds, monkeypatch: pytest.MonkeyPatch) -> None:
    n_symbols = len(sounds.model.target_symbols)

    def endless(model, target, context, mask):
        return np.tile(np.arange(n_symbols), (len(target), 1)), None

    monkeypatch.setattr(alignments, "decode", endless)
    written = write_without(sounds.model, "knife", "").split()
    assert written == [sounds.model.target_symbols[-1]] * (len(sounds.model.target_positions) - 1)


def test_kept_symbols_are_those_of_the_same_rows_behind_a_mask(sounds: Sounds) -> None:
    text = "phone"
    (written,), (looked,) = write_with_weights(sounds.model, [text])
    target = [0, *map(sounds.model.target_symbols.index, written.split())]
    context = encode(sounds.model, [0, *map(sounds.model.source_symbols.index, text)])
    for rank in (0, 1, -1):
        kept = 0
        for i, row in enumerate(looked):  # one row at a time, with a mask for all rows
            may_read = np.arange(6) > 0
            may_read[1 + np.argsort(-row)[rank]] = False
            scores, _ = decode(sounds.model, target[: i + 1], context, may_read[None])
            kept += int(scores[-1].argmax() == target[i + 1])
        found, hidden = hide_one(sounds.model, [text], rank)
        assert found.sum() == kept
        assert np.allclose(hidden, [np.sort(row)[::-1][rank] for row in looked])
    both, _ = hide_one(sounds.model, ["phone", "attention"], 0)
    parts = [hide_one(sounds.model, [word], 0)[0] for word in ("phone", "attention")]
    assert np.array_equal(both, np.concatenate(parts))


def test_a_model_that_reads_one_vector_has_no_symbols_to_hide(sounds: Sounds) -> None:
    with pytest.raises(ValueError, match="reads the mark only"):
        write_without(sounds.bottleneck, "knife", "n")
    with pytest.raises(ValueError, match="reads the mark only"):
        hide_one(sounds.bottleneck, ["knife"], 0)


def test_a_symbol_that_the_model_does_not_know_is_named(sounds: Sounds) -> None:
    with pytest.raises(ValueError, match="does not know"):
        write_without(sounds.model, "señal", "n")


def test_misses_are_counted_where_they_were_read() -> None:
    texts, written = ["ab", "ba", "aab", "b"], ["X Y", "Y Y", "X", "Z"]
    accepted = [["X Y"], ["Y X", "X X"], ["X X Y"], ["W", "Z"]]
    weights = [np.eye(2), np.eye(2), np.eye(3)[:1], np.eye(1)]
    missed, read = misses_by_symbol(texts, written, accepted, weights, " ")
    assert read == Counter(a=2, b=3)  # the third has too few symbols and is left out
    assert missed == Counter(a=1)
    assert misses_by_symbol(["ab"], ["XY"], [["XZ"]], [np.eye(2)], "")[0] == Counter(b=1)
    both_from_b = np.array([[0.4, 0.6], [0.3, 0.7]])
    assert misses_by_symbol(["ab"], ["XY"], [["XZ"]], [both_from_b], "") == (Counter(b=1), Counter(b=2))


def test_an_empty_text_has_no_misses() -> None:
    assert misses_by_symbol(["ab"], [""], [[""]], [np.zeros((0, 2))], " ") == (Counter(), Counter())


def test_each_text_needs_its_map() -> None:
    with pytest.raises(ValueError, match="zip"):
        misses_by_symbol(["a"], ["X"], [["X"]], [], " ")
    with pytest.raises(ValueError, match="zip"):
        misses_by_symbol(["ab"], ["X Y"], [["X Y"]], [np.eye(1)], " ")

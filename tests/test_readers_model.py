"""The small encoder–decoder, its trainer, and the spelling-to-sound models that are made with both."""

import importlib
import importlib.metadata
import io
import itertools
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from helpers.datasets import Sounds, load_sounds, unpack
from helpers.leaks import influence, leaks
from helpers.readers import model as reader
from helpers.readers.model import (
    BATCH,
    EncoderDecoder,
    Mlp,
    Norm,
    build_model,
    decode,
    decode_rows,
    edit_distance,
    encode,
    layer_norm,
    mlp,
    source_masks,
    symbol_error_rate,
    word_accuracy,
    write,
    write_with_weights,
)

MAKERS = Path(__file__).resolve().parent.parent / "data" / "makers"
PAIRS = [("abcde", ["X", "YY"]), ("ba", ["YY", "Z", "X", "X"]), ("c", ["Z"])]
TEXTS = ["abc", "e", "dddbb", "ca", "ab", "edcba"]


@pytest.fixture(scope="module")
def scripts() -> Iterator[dict[str, ModuleType]]:
    """data/makers/train_reader.py and data/makers/make_sounds.py as modules: data/makers is not a package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(MAKERS))
        yield {name: importlib.import_module(name) for name in ("train_reader", "make_sounds")}
        for name in ("train_reader", "make_sounds"):
            sys.modules.pop(name)


@pytest.fixture(scope="module")
def train_reader(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["train_reader"]


@pytest.fixture(scope="module")
def make_sounds(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["make_sounds"]


@pytest.fixture(scope="module", params=[False, True], ids=["reader", "bottleneck"])
def bottleneck(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def settings_and_parameters(train_reader: ModuleType, bottleneck: bool) -> tuple[dict[str, Any], Any]:
    """A small model of random numbers: all sizes differ, two layers on each side, every bias in use."""
    size = train_reader.Size(d_model=12, d_mlp=20, n_heads=3, n_encoder_layers=2, n_decoder_layers=2)
    settings = train_reader.make_settings(PAIRS, " ", bottleneck, size)
    settings["longest_target"] = 9
    parameters = train_reader.first_parameters(settings, seed=7)
    rng = np.random.default_rng(4)
    with torch.no_grad():
        for name, tensor in parameters.items():
            spread = 1.0 if "embeddings" in name or "positions" in name else 0.1
            tensor += torch.from_numpy(rng.normal(0, spread, tensor.shape))
            if "cross_attention" in name:
                tensor *= 3  # what is read is to matter
    return settings, {name: tensor.detach().double() for name, tensor in parameters.items()}


@pytest.fixture(scope="module")
def model(train_reader: ModuleType, bottleneck: bool) -> EncoderDecoder:
    settings, parameters = settings_and_parameters(train_reader, bottleneck)
    return build_model(settings, {name: tensor.numpy() for name, tensor in parameters.items()})


@pytest.fixture(scope="module")
def sounds() -> Sounds:
    return load_sounds()


# --- the network


def test_it_is_the_network_that_was_trained(
    train_reader: ModuleType, model: EncoderDecoder, bottleneck: bool
) -> None:
    settings, parameters = settings_and_parameters(train_reader, bottleneck)
    lengths = np.array([4, 2, 6])
    source = np.array([[0, 1, 3, 2, 0, 0], [0, 5, 0, 0, 0, 0], [0, 4, 4, 2, 1, 5]])
    target = np.array([[0, 1, 3, 2], [0, 2, 2, 1], [0, 3, 1, 1]])
    expected = train_reader.forward(parameters, settings, *map(torch.from_numpy, (source, lengths, target)))
    may_encode, may_read = source_masks(model, lengths, source.shape[1])
    scores, weights = decode(model, target, encode(model, source, may_encode), may_read)
    assert scores.shape == (3, 4, len(model.target_symbols))
    assert weights.shape == (3, 4, 6)
    for ours, theirs in zip((scores, weights), expected, strict=True):
        assert np.allclose(ours, theirs.numpy(), rtol=0, atol=1e-12)


def test_a_text_is_written_alone_as_it_is_among_others(model: EncoderDecoder) -> None:
    texts, weights = write_with_weights(model, TEXTS)
    assert len(set(texts)) > 1
    for source, text, looked in zip(TEXTS, texts, weights, strict=True):
        (alone,), (looked_alone,) = write_with_weights(model, [source])
        assert alone == text
        assert looked.shape == (len(text.split()), 1 if model.bottleneck else len(source))
        assert np.allclose(looked, looked_alone, rtol=0, atol=1e-12)
        assert np.allclose(looked.sum(axis=-1), 1)
    assert write(model, TEXTS) == texts


def test_many_texts_keep_their_order(model: EncoderDecoder) -> None:
    many = ["".join(letters) for letters in itertools.product("abcde", repeat=3)]
    assert len(many) > BATCH
    written = write(model, [*many, "a"])
    assert written == [*(write(model, [text])[0] for text in many), *write(model, ["a"])]


def test_what_stands_in_the_padding_does_not_matter(model: EncoderDecoder) -> None:
    source, other = np.array([[0, 2, 1, 0, 0]]), np.array([[0, 2, 1, 4, 5]])
    may_encode, may_read = source_masks(model, [3], 5)
    results = []
    for padded in (source, other):
        context = encode(model, padded, may_encode)
        results.append(decode(model, [[0, 1, 2]], context, may_read)[0])
    assert np.array_equal(results[0], results[1])
    short = encode(model, source[:, :3])
    unpadded, _ = decode(model, [[0, 1, 2]], short, may_read[..., :3])
    assert np.allclose(unpadded, results[0], rtol=0, atol=1e-12)


def test_the_decoder_does_not_look_ahead(model: EncoderDecoder) -> None:
    rng = np.random.default_rng(0)
    context, y = rng.normal(size=(4, 12)), rng.normal(size=(5, 12))
    assert leaks(lambda rows: decode_rows(model, rows, context)[0], y) == []
    moved = influence(lambda rows: decode_rows(model, rows, context)[0], y)
    assert np.array_equal(moved, np.tri(5, dtype=bool))


def test_the_encoder_looks_both_ways(model: EncoderDecoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "embed", lambda name, rows, *tables: np.asarray(rows))
    assert influence(lambda rows: encode(model, rows), np.random.default_rng(0).normal(size=(4, 12))).all()


def test_the_bottleneck_is_a_mask(model: EncoderDecoder) -> None:
    may_encode, may_read = source_masks(model, [4, 2], 4)
    assert may_encode[:, 0].tolist() == [[True] * 4, [True, True, False, False]]
    mark, symbols = [True, False, False, False], [[False, True, True, True], [False, True, False, False]]
    assert may_read[:, 0].tolist() == ([mark, mark] if model.bottleneck else symbols)


def test_a_text_without_an_end_is_cut(model: EncoderDecoder) -> None:
    never = build_like(model, w_symbols=model.w_symbols * 0)
    assert write(never, ["ab"]) == [""]  # equal scores: the mark comes first
    for_ever = build_like(model, w_symbols=model.w_symbols * 0)
    for_ever.decoder_norm.shift[:] = 1
    for_ever.w_symbols[:, 2] = 1  # the sum of a row, which is that of its shift alone
    for_ever.decoder_norm.gain[:] = 0
    assert write(for_ever, ["ab"]) == ["YY " * 7 + "YY"]
    assert len(model.target_positions) == 9


def build_like(model: EncoderDecoder, **changes: Any) -> EncoderDecoder:
    own = {name: getattr(model, name) for name in model.__dataclass_fields__}
    norm = Norm(*(part.copy() for part in model.decoder_norm))
    return EncoderDecoder(**{**own, "decoder_norm": norm, **changes})


def test_a_model_equals_itself_alone_and_can_be_a_key(model: EncoderDecoder) -> None:
    other = build_like(model)
    assert len({model, other, model}) == 2
    assert model != other


def test_a_model_says_its_size_in_words(model: EncoderDecoder) -> None:
    kind = ", bottleneck" if model.bottleneck else ""
    assert repr(model) == f"<EncoderDecoder: 2 encoder and 2 decoder layers, d_model 12{kind}>"


def test_no_symbol_is_no_row(model: EncoderDecoder) -> None:
    none = np.zeros((2, 0), dtype=int)
    assert reader.embed("source", none, model.source_embeddings, model.source_positions).shape == (2, 0, 12)


def test_no_texts_give_no_texts(model: EncoderDecoder) -> None:
    assert write(model, []) == []


def test_layer_norm_by_hand() -> None:
    normed = layer_norm([[1.0, 3.0], [-50.0, 150.0]], Norm(np.array([1.0, 10.0]), np.array([0.0, 5.0])))
    assert np.allclose(normed, [[-1, 15], [-1, 15]], atol=1e-4)
    expected = -1 / math.sqrt(1 + 1e-5)
    assert normed[0, 0] == pytest.approx(expected, abs=1e-12)


def test_mlp_by_hand() -> None:
    layers = Mlp(
        np.array([[1.0, 0.0, -1.0]]),
        np.array([0.0, 2.0, 0.0]),
        np.array([[1.0], [10.0], [100.0]]),
        np.ones(1),
    )
    assert mlp([[3.0], [-4.0]], layers).tolist() == [[3 + 20 + 1], [20 + 400 + 1]]


# --- what it says of wrong input


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        (["abq"], ValueError, r"does not know \['q'\] in 'abq'; it reads the symbols 'abcde'"),
        (["A"], ValueError, r"does not know \['A'\]"),
        (["·"], ValueError, r"does not know \['·'\]"),
        (["ab", ""], ValueError, "1 to 5 symbols; got 0 in ''"),
        (["abcdea"], ValueError, "1 to 5 symbols; got 6 in 'abcdea'"),
        ("ab", TypeError, r"for the single text 'ab' write \['ab'\]"),
        (["ab", 3], TypeError, "texts must hold texts; got 3"),
    ],
)
def test_unfit_texts_are_refused(
    model: EncoderDecoder, texts: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        write(model, texts)


def test_unfit_numbers_of_symbols_are_refused(model: EncoderDecoder) -> None:
    with pytest.raises(ValueError, match="source must hold numbers of symbols from 0 to 5; got 1 to 6"):
        encode(model, [1, 6])
    with pytest.raises(ValueError, match="source must hold numbers of symbols from 0 to 5; got -1 to 2"):
        encode(model, [-1, 2])
    with pytest.raises(ValueError, match=r"source may have at most 6 symbols; got shape \(2, 7\)"):
        encode(model, np.zeros((2, 7), dtype=int))
    with pytest.raises(TypeError, match=r"target must hold numbers of symbols, .* got float64 \(2,\)"):
        decode(model, [0.0, 1.0], np.zeros((3, 12)))
    with pytest.raises(TypeError, match=r"source must hold numbers of symbols, .* got int64 \(\)"):
        encode(model, np.int64(3))


def test_a_missing_array_is_named(train_reader: ModuleType) -> None:
    settings, parameters = settings_and_parameters(train_reader, False)
    arrays = {name: tensor.numpy() for name, tensor in parameters.items()}
    del arrays["decoder.1.mlp.b_in"]
    with pytest.raises(ValueError, match=r"no array 'decoder\.1\.mlp\.b_in'; it has decoder\.0\.cross"):
        build_model(settings, arrays)


# --- how often it is right


def test_word_accuracy_counts_words() -> None:
    accepted = [["A B", "B"], ["C"], ["D", "D"], ["E"]]
    assert word_accuracy(["B", "C", "D", "F"], accepted) == 3 / 4
    assert word_accuracy(["B A", "", "D D", "F"], accepted) == 0


def test_edit_distance_by_hand() -> None:
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("", "abc") == edit_distance("abc", "") == 3
    assert edit_distance(["K", "N"], ["N"]) == 1
    assert edit_distance("ab", "ba") == 2
    assert edit_distance("ab", "ab") == 0


def test_symbol_error_rate_takes_the_nearest_accepted_text() -> None:
    assert symbol_error_rate(["A B C", "D"], [["X Y", "A C"], ["D"]], " ") == 1 / 3
    assert symbol_error_rate(["2004", ""], [["2014"], ["19"]], "") == 3 / 6


@pytest.mark.parametrize(
    "measure", [word_accuracy, lambda written, right: symbol_error_rate(written, right, " ")]
)
def test_unfit_lists_are_refused(measure: Any) -> None:
    with pytest.raises(ValueError, match="at least one; got 0 texts and 0 lists"):
        measure([], [])
    with pytest.raises(ValueError, match="got 2 texts and 1 lists"):
        measure(["A", "B"], [["A"]])
    with pytest.raises(ValueError, match="entry 1 of accepted is empty"):
        measure(["A", "B"], [["A"], []])
    with pytest.raises(TypeError, match="entry 0 is the text 'A'"):
        measure(["A"], ["A"])


# --- the trainer


@pytest.fixture(scope="module")
def reversals() -> list[tuple[str, str]]:
    return [("".join(text), "".join(text[::-1])) for text in itertools.product("abcd", repeat=3)]


def test_training_learns_and_the_same_command_gives_the_same_model(
    train_reader: ModuleType, reversals: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    learned, held_out = reversals[::2] + reversals[1::4], reversals[3::4]
    assert not {text for text, _ in held_out} & {text for text, _ in learned}
    dev_pairs = [(text, [written]) for text, written in held_out]
    size = train_reader.Size(d_model=24, d_mlp=32, n_heads=2, n_encoder_layers=1)
    options: dict[str, Any] = {"joint": "", "seed": 5, "size": size, "batch": 16, "rounds": 2}
    trained = train_reader.train(learned, dev_pairs, steps=400, **options)
    assert trained.dev_accuracy == train_reader.share_right(trained.model, dev_pairs) > 0.8
    assert "48 pairs" in capsys.readouterr().out
    first, second = (train_reader.train(learned, dev_pairs, steps=4, **options) for _ in range(2))
    assert all(np.array_equal(first.arrays[name], second.arrays[name]) for name in first.arrays)
    assert {array.dtype for array in first.arrays.values()} == {np.dtype(np.float16)}


def test_values_made_from_symbols_alone_leave_the_weights_and_the_mark(train_reader: ModuleType) -> None:
    size = train_reader.Size(d_model=12, d_mlp=20, n_heads=3, n_decoder_layers=1)
    for bottleneck in (False, True):
        settings = train_reader.make_settings(PAIRS, " ", bottleneck, size)
        read = torch.tensor([[0, 1, 3, 2]]), torch.tensor([4]), torch.tensor([[0, 1]])
        parameters = train_reader.first_parameters(settings, seed=7)
        scores, weights = train_reader.forward(parameters, settings, *read)
        others, same = train_reader.forward(parameters, settings, *read, alone=1.0)
        assert torch.equal(weights, same)
        assert torch.equal(scores, others) == bottleneck  # the mark's row is made from the others as ever


def test_each_pair_comes_once_in_an_epoch_and_with_little_padding(train_reader: ModuleType) -> None:
    pairs = [("a" * (1 + i % 3), "b" * (1 + i % 2)) for i in range(24)]
    settings = train_reader.make_settings(pairs, "", False, train_reader.Size())
    examples = train_reader.as_examples(pairs, settings)
    batches = train_reader.batches_for_ever(examples, 4, np.random.default_rng(0))
    epoch = list(itertools.islice(batches, 6))
    lengths = sorted(int(n) for batch in epoch for n in batch.source_lengths)
    assert lengths == sorted(len(source) + 1 for source, _ in pairs)
    for batch in epoch:
        assert batch.source.shape[1] == batch.source_lengths.max()
        assert batch.target.shape[1] == batch.target_lengths.max()


def test_pack_gives_back_what_it_got_and_has_no_date(train_reader: ModuleType) -> None:
    texts, arrays = {"figures": {"naïve": [1, 0.5]}}, {"a.b": np.array([[1.5, -2]], dtype=np.float16)}
    packed = train_reader.pack(texts, arrays)
    assert packed == train_reader.pack(texts, arrays)
    found_texts, found_arrays = unpack(packed)
    assert found_texts == texts
    assert found_arrays.keys() == arrays.keys()
    assert np.array_equal(found_arrays["a.b"], arrays["a.b"])
    assert found_arrays["a.b"].dtype == np.float16
    with np.load(io.BytesIO(packed), allow_pickle=False) as stored:
        assert stored["figures"].item().decode() == '{"naïve": [1, 0.5]}'


# --- from spelling to sound: the choice of words


def test_the_dictionary_is_read_without_stress_and_without_doubles(make_sounds: ModuleType) -> None:
    lines = ["read R EH1 D", "read(2) R IY1 D # now", "rec R EH1 K", "rec(2) R EH2 K", "a AH0", "a(2) EY1"]
    assert make_sounds.read_dictionary(lines) == {
        "read": ["R EH D", "R IY D"],
        "rec": ["R EH K"],
        "a": ["AH", "EY"],
    }


def test_the_compounds_that_lesson_07_names_were_learned_and_the_inflected_forms_were_not(
    make_sounds: ModuleType,
) -> None:
    learned = ["telephone", "tonight", "throughout", "breakthrough"]
    held_out = ["knife", "knives", "knifed", "knifes", "knifer", "phones", "nights"]
    parts = make_sounds.split({word: ["?"] for word in [*learned, *held_out]})
    assert [list(parts[part]) for part in ("train", "dev", "test")] == [learned, [], held_out]


def test_the_words_that_are_kept(make_sounds: ModuleType) -> None:
    dictionary = {
        "i": ["AY"], "q": ["K Y UW"], "iq": ["AY K Y UW"], "ox": ["AA K S"], "don't": ["D OW N T"],
        "hmm": ["HH M"], "ufo": ["Y UW EH F OW"], "abc": ["EY B IY S IY S"], "by": ["B AY"], "a" * 16: ["AA"],
    }  # fmt: skip
    assert list(make_sounds.choose_words(dictionary)) == ["by", "ox", "ufo"]


@pytest.mark.parametrize(
    "family",
    [
        "walk walks walked walking walker walkers",
        "knife knives knifed",
        "queue queues queued queuing",
        "run runs running runner runners",
        "phone phones phoned phoning phony",
        "happy happily happiness",
        "night nights nightly",
    ],
)
def test_a_family_has_one_stem(make_sounds: ModuleType, family: str) -> None:
    stems = {make_sounds.stem(word) for word in family.split()}
    assert len(stems) == 1, stems


def test_a_stem_keeps_three_letters(make_sounds: ModuleType) -> None:
    assert [make_sounds.stem(word) for word in ("is", "red", "bed", "sing", "knee")] == [
        "is", "red", "bed", "sing", "kne",
    ]  # fmt: skip


def test_the_split_depends_on_the_spelling_and_on_the_shown_families(make_sounds: ModuleType) -> None:
    words = {"knives": ["N"], **{f"b{a}{c}": ["B"] for a in "aeiou" for c in "bcdfghklmnprtvwz"}}
    parts = make_sounds.split(words)
    assert "knives" in parts["test"]
    backwards = make_sounds.split(dict(reversed(words.items())))
    assert {name: set(part) for name, part in parts.items()} == {
        name: set(p) for name, p in backwards.items()
    }
    assert sorted(word for part in parts.values() for word in part) == sorted(words)
    assert make_sounds.number_of("abc") == 0xBA7816BF  # the standard's own example


def test_figures_are_given_for_all_words_for_unseen_families_and_by_length(
    make_sounds: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = {"walks": "W AO K S", "ant": "AE N", "bee": "B IY"}
    monkeypatch.setattr(make_sounds, "write", lambda model, words: [written[word] for word in words])
    words = {"walks": ["W AO K S"], "ant": ["AE N T"], "bee": ["B EY", "B IY"]}
    figures = make_sounds.measure(None, words, ["walking", "bees"])
    assert figures["all"] == {"words": 3, "word_accuracy": 0.6667, "sound_error_rate": round(1 / 9, 4)}
    assert figures["unseen_families"] == {"words": 1, "word_accuracy": 0.0, "sound_error_rate": 0.3333}
    assert figures["by_length"]["3"]["words"] == 2
    assert figures["by_length"]["5"]["word_accuracy"] == 1.0


def test_another_dictionary_is_refused(make_sounds: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "cmudict.dict"
    path.write_text("a AH0\n")
    with pytest.raises(SystemExit, match=r"cmudict\.dict has sha256 [0-9a-f]{64}, expected 81917843"):
        make_sounds.read_source(path)


# --- from spelling to sound: the models


def test_the_sample_has_500_words_and_the_other_100_of_each_length(sounds: Sounds) -> None:
    assert len(set(sounds.sample.texts)) == len(sounds.sample.accepted) == 500
    lengths = [len(word) for word in sounds.by_length.texts]
    assert lengths == [length for length in range(3, 13) for _ in range(100)]
    symbols = set(sounds.model.target_symbols)
    for sample in (sounds.sample, sounds.by_length, sounds.shown):
        assert all(texts for texts in sample.accepted)
        assert {symbol for texts in sample.accepted for text in texts for symbol in text.split()} <= symbols


def test_some_words_of_a_sample(sounds: Sounds) -> None:
    some = sounds.shown.only(["phone", "knife"])
    assert some.texts == ("phone", "knife")
    assert some.accepted == (("F OW N",), ("N AY F",))
    with pytest.raises(ValueError, match="sample of 25 texts does not hold xylophone"):
        sounds.shown.only(["knife", "xylophone"])


def test_the_models_are_as_right_on_the_sample_as_on_all_test_words(sounds: Sounds) -> None:
    for name in ("model", "bottleneck"):
        written = write(getattr(sounds, name), sounds.sample.texts)
        expected = sounds.figures[name]["all"]["word_accuracy"]
        spread = math.sqrt(expected * (1 - expected) / len(written))
        assert abs(word_accuracy(written, sounds.sample.accepted) - expected) < 3 * spread


def test_the_two_models_differ_in_a_mask_and_in_what_they_learned(sounds: Sounds) -> None:
    assert sounds.bottleneck.bottleneck
    assert not sounds.model.bottleneck
    assert sounds.model.target_symbols == sounds.bottleneck.target_symbols
    assert len(sounds.model.target_symbols) == 1 + 39
    assert sounds.model.w_symbols.shape == sounds.bottleneck.w_symbols.shape
    assert sounds.model.w_symbols.dtype == np.float64


def test_held_out_words_were_not_learned_from(sounds: Sounds, make_sounds: ModuleType) -> None:
    try:
        importlib.metadata.distribution(make_sounds.PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"the package {make_sounds.PACKAGE} {make_sounds.VERSION} is not installed")
    lines = make_sounds.read_source(None).decode("utf-8").splitlines()
    parts = make_sounds.split(make_sounds.choose_words(make_sounds.read_dictionary(lines)))
    assert {name: len(words) for name, words in parts.items()} == sounds.figures["words"]
    assert not set(parts["train"]) & set(parts["test"])
    assert not set(parts["dev"]) & set(parts["test"])
    for name, words in make_sounds.samples_of(parts["test"]).items():
        sample = getattr(sounds, name)
        assert sample.texts == tuple(words)
        assert [list(texts) for texts in sample.accepted] == list(words.values())
    shown_families = {make_sounds.stem(word) for word in sounds.shown.texts}
    assert not shown_families & {make_sounds.stem(word) for word in [*parts["train"], *parts["dev"]]}

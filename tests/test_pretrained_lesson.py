"""What lesson 15 asks of the models: kept answers, the learner's own function, what heads look at."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import gguf, tiny_facts, tiny_tensors, written

from helpers.attention import attention
from helpers.exercises import evaluate
from helpers.masking import causal_mask
from helpers.pretrained import speed, studies
from helpers.pretrained.language import LanguageModel, Parts, attend
from helpers.pretrained.layers import share_heads
from helpers.pretrained.models import files_of
from helpers.pretrained.reader import SentenceReader
from helpers.pretrained.remembered import Absent, Answers, NoAnswerError, packed, question, remembered
from helpers.pretrained.studies import PROMPT, Losses, generate
from helpers.pretrained.suspects import (
    SUSPECTS,
    broken_parts,
    never_scaled,
    nothing_hidden,
    one_place_late,
    over_queries,
)
from helpers.pretrained.watching import Watcher, ZeroEntry, induction, marks_of, means_of, repeats, weights_by
from helpers.pretrained.yours import from_your_notebook

KEPT = studies.load_real_model()


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("COURSE_MODELS", "off")
    return studies.open_model("smollm2")


@pytest.fixture
def tiny(tmp_path: Path) -> LanguageModel:
    model = LanguageModel(written(tmp_path, "tiny.gguf", gguf(tiny_facts(), tiny_tensors())), "float32")
    model.answers = Answers({})
    return model


def test_without_the_models_the_lesson_says_so_and_has_answers(absent: Any) -> None:
    assert isinstance(absent, Absent)
    assert "The models are not here" in studies.which_way(absent)
    assert generate(absent, PROMPT, 15).startswith(" magical box")
    assert generate(absent, PROMPT, 15, attention=attention) == generate(absent, PROMPT, 15)
    assert studies.losses(absent, studies.TEXT, 24) == pytest.approx((3.56, 3.56, 0), abs=0.01)
    with pytest.raises(NoAnswerError, match=r"this was not kept: run python course\.py models") as caught:
        generate(absent, "Another prompt", 15)
    assert "\n" not in str(caught.value)


def mine(queries: Any, keys: Any, values: Any, mask: Any) -> Any:
    scores = np.where(mask, queries @ np.swapaxes(keys, -1, -2) / 8.0, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ values


def without_scale(queries: Any, keys: Any, values: Any, mask: Any) -> Any:
    return mine(queries * 8.0, keys, values, mask)


def without_mask(queries: Any, keys: Any, values: Any, mask: Any) -> Any:
    return mine(queries, keys, values, True)


def shares_it_over_queries(queries: Any, keys: Any, values: Any, mask: Any) -> Any:
    scores = np.where(mask, queries @ np.swapaxes(keys, -1, -2) / 8.0, -np.inf)
    powers = np.exp(scores)
    sums = powers.sum(axis=-2, keepdims=True)
    return powers / np.where(sums == 0, 1, sums) @ values


# A learner's function, the version that it is, and what the checker says of such a one in masked-attention.
LEARNERS = [
    (mine, attend, ""),
    (without_scale, never_scaled, "You never scaled the scores."),
    (without_mask, nothing_hidden, "Your mask changed nothing: every key got its weight."),
    (shares_it_over_queries, over_queries, "You ran softmax over the queries."),
]


@pytest.mark.parametrize(
    ("function", "known", "said"), LEARNERS, ids=lambda each: getattr(each, "__name__", "")
)
def test_a_function_of_a_learners_is_known_by_what_it_does(
    absent: Any, function: Any, known: Any, said: str
) -> None:
    assert studies.known_by_behaviour(absent, function) is known
    assert generate(absent, PROMPT, 15, attention=function) == generate(absent, PROMPT, 15, attention=known)
    if said:
        assert studies.diagnosis(evaluate("masked-attention", known).text) == said


@pytest.mark.parametrize(
    ("function", "known", "said"), LEARNERS, ids=lambda each: getattr(each, "__name__", "")
)
def test_a_learners_function_writes_with_the_real_model(function: Any, known: Any, said: str) -> None:
    files = files_of("smollm2")
    if files is None:
        pytest.skip("python course.py models has not been run here")
    model = studies.open_model("smollm2")
    kept = KEPT[question_of_text(known)].item()
    assert generate(model, PROMPT, 15, attention=function) == kept
    assert said == "" or not kept.startswith(" magical box")


def question_of_text(function: Any) -> str:
    parts = {} if function is attend else {"attention": function}
    key = question("_generate", {"prompt": PROMPT, "n_tokens": 15, "cached": True, "parts": parts})
    assert key is not None
    return key


def test_a_function_that_nobody_knows_is_said_to_be_so(absent: Any) -> None:
    with pytest.raises(NoAnswerError, match="nobody knows what this function would write"):
        generate(absent, PROMPT, 15, attention=lambda q, k, v, m: mine(q, k, v, m) * 1.01)


def test_every_suspect_has_its_texts_and_losses(absent: Any) -> None:
    right = generate(absent, PROMPT, 15)
    broken: dict[str, Any] = {letter: broken_parts(letter) for letter in SUSPECTS}
    texts = {letter: generate(absent, PROMPT, 15, **broken[letter]) for letter in SUSPECTS}
    assert len({right, *texts.values()}) == 9
    for letter in SUSPECTS:
        assert isinstance(studies.losses(absent, studies.TEXT, 24, **broken[letter]), Losses)


def test_the_maps_of_every_suspect_that_maps_can_tell_are_kept(absent: Any) -> None:
    heads = ((11, 1), (18, 6))
    right = studies.maps_of(absent, studies.MAPS_OF, heads)
    assert right.shape == (2, 15, 15)
    assert np.allclose(right.sum(axis=-1), 1, atol=2e-3)
    story = studies.heads_of(absent, studies.MAPS_OF, 18)
    keys = share_heads(story.keys, 9)
    assert np.allclose(attention(story.queries, keys, keys, causal_mask(15))[1][6], right[1], atol=5e-3)
    for letter in "ABDEGH":
        kept = studies.maps_of(absent, studies.MAPS_OF, heads, **broken_parts(letter))
        assert not np.allclose(kept, right, atol=0.1)


def test_maps_are_those_of_the_heads_that_are_asked_for(tiny: LanguageModel) -> None:
    tokens, watcher = tiny.tokenizer.encode("ab"), Watcher()
    tiny(tokens, None, Parts(watch=watcher))
    queries, keys, _, mask = watcher.seen[0]
    found = studies.maps_of(tiny, "ab", ((0, 1), (0, 0)))
    assert np.allclose(found, attention(queries, keys, keys, mask)[1][[1, 0]], atol=1e-3)


def test_the_invisible_one_is_the_letter_after_the_suspects() -> None:
    assert broken_parts("I") == {"positions": one_place_late}
    assert "I" not in SUSPECTS


class Retelling(LanguageModel):
    """A model whose stream is given to it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __call__(self, tokens: Any, cache: Any = None, parts: Any = None, last: bool = False) -> Any:
        for layer, x in enumerate(self.stream):
            parts.stream(layer, x)
        return np.zeros((len(tokens), 4))


def test_one_giant_token_does_not_hide_an_error_in_another() -> None:
    expected = np.ones((3, 5, 4))  # the embeddings and two layers, five tokens, four columns
    expected[:, 0] = 1e5
    found = expected[1:].copy()
    found[1, 3, 2] += 0.01
    model: Any = Retelling(found)
    kept = {"tokens": np.arange(5), "columns": np.arange(4), "stream": expected, "scores": np.zeros((5, 4))}
    model.answers = Answers({f"reference.{name}": part for name, part in kept.items()})
    assert np.allclose(studies.reference_gaps(model).after_layer, [0, 0.01])


@remembered(tolerance=0.01)
def doubled(model: Any, number: float, **parts: Any) -> float:
    return 2 * number + model.more


class Playing:
    """A model that adds something to every answer."""

    def __init__(self, more: float, kept: dict[str, Any], new: dict[str, Any] | None = None) -> None:
        self.more, self.answers = more, Answers(kept, new)


def test_an_answer_is_kept_given_back_and_left_where_it_differs() -> None:
    new: dict[str, Any] = {}
    assert doubled(Playing(0.0, {}, new), 3.0) == 6.0
    assert new == {"doubled(number=3.0)": np.array(6.0)}
    assert doubled(Playing(0.001, new), 3.0) == 6.0  # as it was kept: the difference is within the tolerance
    assert doubled(Playing(1.0, new), 3.0) == 7.0  # another number, which a test of the lesson will see
    assert doubled(Absent("small", Answers(new)), 3.0) == 6.0
    assert (
        doubled(Playing(0.001, new), 3.0, attention=mine) == 6.001
    )  # a learner's function has no kept answer


def test_a_question_is_the_same_in_words_each_time() -> None:
    parts = {"attention": never_scaled, "stream": ZeroEntry(11, 0)}
    assert question("loss", {"text": "a", "parts": parts}) == (
        "loss(attention=never_scaled, stream=ZeroEntry(layer=11, token=0), text='a')"
    )
    off = frozenset({(2, 1), (1, 2)})
    assert question("x", {"heads_off": off}) == "x(heads_off=[(1, 2), (2, 1)])"
    assert question("x", {"part": mine}) is None
    space: dict[str, Any] = {}
    exec("def made(x): return x", space)  # as a function comes out of a learner's notebook: of no module
    assert space["made"].__module__ is None
    assert question("x", {"part": space["made"]}) is None
    assert list(packed("q", Losses(1.0, 2.0, 3.0))) == ["q.in_one_pass", "q.cached", "q.gap"]


def test_no_weights_and_no_objects_are_kept() -> None:
    assert all(array.dtype.kind in "fiU" for array in KEPT.values())
    assert max(array.size for array in KEPT.values()) < 60_000


def notebook(folder: Path, *cells: tuple[str, str]) -> None:
    content = [{"cell_type": "code", "id": name, "source": [source]} for name, source in cells]
    (folder / "05_masking.ipynb").write_text(json.dumps({"cells": content}), encoding="utf-8")


IMPORTS = ("setup", "import numpy as np\nfrom helpers.softmax import softmax\nraise SystemExit\n")
SOLVED = """def my_masked_attention(queries, keys, values, mask):
    return softmax(np.where(mask, 0, -np.inf)) @ values"""


def test_your_function_comes_from_your_notebook(tmp_path: Path) -> None:
    notebook(tmp_path, IMPORTS, ("masked-attention-try", SOLVED))
    yours = from_your_notebook("05", "masked-attention", attend, tmp_path)
    assert yours.said == "Your my_masked_attention from lesson 05 is used."
    assert yours.function(None, None, np.eye(2), np.tri(2, dtype=bool))[1].tolist() == [0.5, 0.5]


ANSWER = """def my_masked_attention(queries, keys, values, mask):
    scores = {scores}
    weights = softmax({hidden}, axis={axis})
    return weights @ values"""
SCALED = "queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])"
# A learner's cell in lesson 05, what the check says of it in lesson 15, and how the model's text goes on.
CELLS = {
    "right": ({}, "✓ masked-attention: right on ", " magical box that could change her life."),
    "never-scaled": ({"scores": "queries @ np.swapaxes(keys, -1, -2)"}, "You never scaled the scores.", ""),
    "divided-by-d_k": (
        {"scores": SCALED + " / np.sqrt(queries.shape[-1])"},
        "You divided the scores by d_k (by the whole of it, or by √d_k twice over).",
        "---_a_",
    ),
    "mask-ignored": (
        {"hidden": "scores"},
        "Your mask changed nothing: every key got its weight.",
        " little girl found a little girl found",
    ),
    "over-queries": ({"axis": "-2"}, "You ran softmax over the queries.", " wis B B B two two"),
}


@pytest.mark.parametrize("here", [False, True], ids=["without the model", "with it"])
@pytest.mark.parametrize("name", CELLS)
def test_the_cell_of_a_learners_notebook_drives_the_model_and_the_check_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, here: bool
) -> None:
    changed, said, goes_on = CELLS[name]
    if not here:
        monkeypatch.setenv("COURSE_MODELS", "off")
    elif files_of("smollm2") is None:
        pytest.skip("python course.py models has not been run here")
    steps = {"scores": SCALED, "hidden": "np.where(mask, scores, -np.inf)", "axis": "-1"} | changed
    notebook(tmp_path, IMPORTS, ("masked-attention-try", ANSWER.format(**steps)))
    yours = from_your_notebook("05", "masked-attention", attend, tmp_path)
    assert yours.said == "Your my_masked_attention from lesson 05 is used."
    outcome = evaluate("masked-attention", yours.function)
    assert studies.diagnosis(outcome.text).startswith(said)
    assert [named for group in outcome.named for named in group] == ([] if name == "right" else [name])
    text = studies.attempt(studies.open_model("smollm2"), PROMPT, 15, yours.function)
    assert text.startswith(PROMPT + goes_on)
    assert (name == "right") == (" magical box" in text)


def test_a_function_that_stops_or_is_unknown_leaves_a_line_in_place_of_the_text(absent: Any) -> None:
    def stops(queries: Any, keys: Any, values: Any, mask: Any) -> Any:
        raise ValueError("two\nlines")

    assert studies.attempt(absent, PROMPT, 15, stops) == (
        "The model stopped in your function (ValueError: two lines). The check of lesson 05 says more."
    )
    unknown = studies.attempt(absent, PROMPT, 15, lambda q, k, v, m: mine(q, k, v, m) * 1.01)
    assert "nobody knows what this function would write" in unknown
    assert "\n" not in unknown


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([("masked-attention-try", 'def my_masked_attention(q):\n    """Stub."""')], "is still empty"),
        ([("masked-attention-try", "")], "is still empty"),
        ([("masked-attention-try", "def my(:")], "does not run by itself (SyntaxError"),
        ([("masked-attention-try", SOLVED + "\nprint(elsewhere)")], "does not run by itself (NameError"),
        ([("other", "x = 1")], "does not run by itself (KeyError"),
    ],
)
def test_where_there_is_none_the_helper_stands_in(
    tmp_path: Path, cells: list[tuple[str, str]], said: str
) -> None:
    notebook(tmp_path, *cells)
    yours = from_your_notebook("05", "masked-attention", attend, tmp_path)
    assert yours.function is attend
    assert said in yours.said
    assert yours.said.endswith("the helper stands in.")
    assert "\n" not in yours.said


def test_a_notebook_that_is_missing_or_no_notebook(tmp_path: Path) -> None:
    missing = from_your_notebook("05", "masked-attention", attend, tmp_path)
    assert missing == (attend, "Lesson 05 is not beside this one: the helper stands in.")
    (tmp_path / "05_masking.ipynb").write_bytes(b"\xff")
    assert (
        "does not run by itself (UnicodeDecodeError" in from_your_notebook("05", "x", attend, tmp_path).said
    )


def test_speed_is_printed_in_words(
    tiny: LanguageModel, absent: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    speed.print_speed(tiny, "the thin", 3)
    lines = capsys.readouterr().out.splitlines()
    ways = (
        "ours, int8 weights, without the cache",
        "ours, int8 weights",
        "ours, float32 weights",
        "PyTorch, float32 weights",
    )
    expected = [f"{way}: N tokens a second" for way in ways]
    assert [numberless(line) for line in lines[:-1]] == expected
    assert sum(int(share) for share in re.findall(r"(-?\d+)%", lines[-1])) == pytest.approx(100, abs=3)
    speed.print_speed(absent, "the thin")
    said, whose, *recorded, shares = capsys.readouterr().out.splitlines()
    assert said == "There is nothing to time without the model: python course.py models"
    assert whose.startswith("One machine's times")
    assert [numberless(line) for line in recorded] == expected
    assert re.sub(r"\d+%", "N%", shares) == re.sub(r"-?\d+%", "N%", lines[-1])


def numberless(line: str) -> str:
    return re.sub(r"[\d.]+ tokens", "N tokens", line)


def test_why_nothing_is_timed_is_one_line(tmp_path: Path) -> None:
    said = speed.on_one_thread(tmp_path / "missing.gguf", "the thin", 3)
    assert said.startswith("Nothing could be timed on one thread: ")
    assert "missing.gguf cannot be read" in said
    assert "\n" not in said


def test_marks_of_heads_by_hand() -> None:
    first = np.zeros((5, 5))
    first[:, 0] = 1
    previous = np.eye(5, k=-1)
    later = np.full((5, 5), 0.2)
    marks = marks_of(np.array([first, previous, later, np.zeros((5, 5))]))
    assert np.allclose(marks[0], [1, 0, 0.2, 0])  # the weight on the first token
    assert np.allclose(marks[1], [0, 1, 0.2, 0])  # on the one before
    assert np.allclose(marks[2], [0, 0, 0.1, 0])  # on later ones: rows 3 and 4 have one and none
    assert np.allclose(marks[3], [0, 0, np.log(5), 0])
    assert np.allclose(marks[4:], [1, 1, 1, 0])  # the smallest and the largest sum of a row
    uneven = marks_of(later[None] * np.arange(5)[:, None])
    assert np.allclose(uneven[4:, 0], [3, 4])  # rows 3 and 4 sum to 3 and 4


def test_induction_is_the_weight_on_what_came_next() -> None:
    weights = np.zeros((1, 6, 6))
    weights[0, [3, 4, 5], [1, 2, 3]] = [1.0, 0.5, 0.0]
    assert induction(weights, 3).tolist() == [0.5]
    (twice,) = repeats(1, 4)
    assert twice[:4] == twice[4:]
    assert repeats(2, 4)[0] == twice


def test_a_head_can_be_replaced_by_its_mean_over_all_tokens(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    sequences = [[1, 5, 20, 1, 5, 20], [7, 30, 2, 7, 30, 2]]
    watcher, outputs = Watcher(), []
    for tokens in sequences:
        tiny(tokens[:-1], None, Parts(watch=watcher))
        outputs.append(attend(*watcher.seen[1])[4])
    mean = np.concatenate(outputs).mean(axis=0)
    assert np.allclose(means_of(tiny, [tokens[:-1] for tokens in sequences])[1, 4], mean, atol=1e-6)

    monkeypatch.setattr(studies, "repeats", lambda n_sequences, length: sequences[:n_sequences])
    monkeypatch.setattr(studies, "LENGTH", 3)
    head = frozenset({(1, 4)})

    def by_hand(parts: Parts) -> list[float]:
        second = [tiny(tokens[:-1], None, parts)[2:] for tokens in sequences]
        shares = [np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True) for scores in second]
        return [
            -float(np.log(share[np.arange(3), tokens[3:]]).mean())
            for share, tokens in zip(shares, sequences, strict=True)
        ]

    zeros = studies.loss_on_repeats(tiny, 2, head)
    means = studies.loss_on_repeats(tiny, 2, head, means=True)
    assert np.allclose(zeros, by_hand(Parts(heads_off=head)), atol=1e-4)
    assert np.allclose(means, by_hand(Parts(heads_off=head, instead={(1, 4): mean})), atol=1e-4)
    assert abs(zeros - means).max() > 1e-3
    assert np.array_equal(studies.loss_on_repeats(tiny, 2, means=True), studies.loss_on_repeats(tiny, 2))


def test_weights_are_found_from_outside() -> None:
    rng = np.random.default_rng(0)
    queries, keys = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 4))
    _, weights = attention(queries, keys, keys, causal_mask(3))
    for part in (attend, attention, Parts().attention):
        assert np.allclose(weights_by(part, queries, keys, causal_mask(3)), weights)


def test_the_studies_ask_a_model_that_is_here(tiny: LanguageModel) -> None:
    text = "the thin hint in the tin"
    losses = studies.losses(tiny, text, 2)
    assert losses.in_one_pass == pytest.approx(losses.cached, abs=1e-4)
    assert losses.in_one_pass == pytest.approx(studies.loss(tiny, text), abs=1e-4)
    heads = studies.heads_of(tiny, text, 1)
    assert "".join(heads.tokens) == text
    assert (heads.queries.shape[0], heads.keys.shape[0]) == (6, 2)
    marks = studies.head_marks(tiny, text)
    assert marks.first.shape == (2, 6)
    assert np.allclose([marks.least, marks.most], 1, atol=1e-5)
    assert not marks.later.any()


def test_a_rounded_model_knows_its_loss_before_rounding(tiny: LanguageModel, tmp_path: Path) -> None:
    text = "the thin hint in the tin"
    rounded = LanguageModel(tiny.path, "int8")
    rounded.answers = Answers({})
    exact = studies.loss(tiny, text)  # float32: as the file has them
    assert studies.loss_as_in_the_file(rounded, text) == pytest.approx(exact, abs=1e-5)
    assert studies.loss(rounded, text) != pytest.approx(exact, abs=1e-5)


def test_the_largest_entry_of_each_token_is_that_of_the_stream(tiny: LanguageModel) -> None:
    text = "the thin hint in the tin"
    largest = studies.largest_entries(tiny, text, 0)
    assert largest.shape == (len(tiny.tokenizer.encode(text)),)
    seen = []

    def look(layer: int, x: Any) -> Any:
        seen.append(x)
        return x

    tiny(tiny.tokenizer.encode(text), None, Parts(stream=look))
    assert np.allclose(largest, abs(seen[0]).max(axis=-1))


def test_minilm_reads_as_it_was_kept() -> None:
    files = files_of("minilm")
    if files is None:
        pytest.skip("python course.py models has not been run here")
    reader = SentenceReader(*files)
    reading = reader("The animal didn't cross the street because it was too tired.")
    absent = Absent("minilm", Answers(KEPT))
    kept = studies.read(absent, "The animal didn't cross the street because it was too tired.")
    assert reading.tokens == kept.tokens
    assert np.allclose(reading.weights, kept.weights, atol=1e-3)
    assert np.allclose(reading.vectors, kept.vectors, atol=5e-3)

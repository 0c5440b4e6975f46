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
from helpers.pretrained.models import files_of
from helpers.pretrained.reader import SentenceReader
from helpers.pretrained.remembered import Absent, Answers, NoAnswerError, packed, question, remembered
from helpers.pretrained.studies import PROMPT, Losses, generate
from helpers.pretrained.suspects import SUSPECTS, broken_parts, never_scaled, nothing_hidden, over_queries
from helpers.pretrained.watching import ZeroEntry, induction, marks_of, repeats, weights_by
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
    assert yours.said == "Your my_masked_attention of lesson 05 runs the model."
    assert yours.function(None, None, np.eye(2), np.tri(2, dtype=bool))[1].tolist() == [0.5, 0.5]


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
def test_where_there_is_none_the_helper_runs_the_model(
    tmp_path: Path, cells: list[tuple[str, str]], said: str
) -> None:
    notebook(tmp_path, *cells)
    yours = from_your_notebook("05", "masked-attention", attend, tmp_path)
    assert yours.function is attend
    assert said in yours.said
    assert yours.said.endswith("the helper runs the model.")
    assert "\n" not in yours.said


def test_a_notebook_that_is_missing_or_no_notebook(tmp_path: Path) -> None:
    missing = from_your_notebook("05", "masked-attention", attend, tmp_path)
    assert missing == (attend, "Lesson 05 does not lie beside this one: the helper runs the model.")
    (tmp_path / "05_masking.ipynb").write_bytes(b"\xff")
    assert (
        "does not run by itself (UnicodeDecodeError" in from_your_notebook("05", "x", attend, tmp_path).said
    )


def test_speed_is_printed_in_words(
    tiny: LanguageModel, absent: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    speed.print_speed(tiny, "the thin", 3)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["with the cache", "without the cache"]
    assert sum(int(share) for share in re.findall(r"(-?\d+)%", lines[2])) == pytest.approx(100, abs=3)
    speed.print_speed(absent, "the thin")
    assert capsys.readouterr().out == "There is nothing to time without the model: python course.py models\n"


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
    assert np.allclose(marks[4], [1, 1, 1, 0])


def test_induction_is_the_weight_on_what_came_next() -> None:
    weights = np.zeros((1, 6, 6))
    weights[0, [3, 4, 5], [1, 2, 3]] = [1.0, 0.5, 0.0]
    assert induction(weights, 3).tolist() == [0.5]
    (twice,) = repeats(1, 4)
    assert twice[:4] == twice[4:]
    assert repeats(2, 4)[0] == twice


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
    assert np.allclose(marks.total, 1, atol=1e-5)
    assert not marks.later.any()


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

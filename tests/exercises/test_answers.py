"""Every answer of a learner gets from the check what stands above it: see learners.py."""

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import learners
import pytest
import two_runs
from learners import Answer, Expected

from helpers.exercises import evaluate
from helpers.exercises.catalogue import exercises, of_lesson
from helpers.exercises.engine.feedback import Feedback
from helpers.exercises.kinds import Write


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """An answer a test; with --lesson, only those of the lesson are read. The short run takes some."""
    if "answer" in metafunc.fixturenames:
        answers = learners.answers(metafunc.config.getoption("lesson"))
        if two_runs.is_short():
            answers = some(answers)
        metafunc.parametrize("answer", answers, ids=str)


def some(answers: list[Answer]) -> list[Answer]:
    """Answers -> a few of the right ones, and fewer of the others."""
    right = [answer for answer in answers if answer.expected.status == "right"]
    others = [answer for answer in answers if answer.expected.status != "right"]
    kept = {*right[:: two_runs.A_RIGHT_ANSWER_IN], *others[:: two_runs.AN_ANSWER_IN]}
    return [answer for answer in answers if answer in kept]


@pytest.fixture
def one_thread(answer: Answer) -> Iterator[None]:
    """Small products only wait for a second one."""
    learners.loaded(answer.path)  # which imports torch where the answers do
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_the_check_says_what_is_expected(answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    feedback = evaluate(answer.name, answer.value())
    assert not answer.expected.differences(feedback), feedback.text
    assert "Traceback" not in feedback.text
    assert capsys.readouterr() == ("", "")


# --- none is missing


def test_each_function_to_write_has_answers() -> None:
    answered = {answer.name for answer in learners.answers()}
    assert [name for name, e in exercises().items() if isinstance(e, Write) and name not in answered] == []


@pytest.mark.parametrize("lesson", ["04", "05", "06", "07"])
def test_there_are_enough_of_them(lesson: str) -> None:
    found = Counter((answer.name, answer.expected.status) for answer in learners.answers(lesson))
    for exercise in of_lesson(lesson):
        if isinstance(exercise, Write):
            assert found[exercise.name, "right"] >= 8, exercise.name
            assert found[exercise.name, "wrong"] >= 25, exercise.name


def test_no_answer_stands_in_a_file_twice() -> None:
    """The same code under two headings is one answer, with the lines of both above it."""
    for path in sorted({answer.path for answer in learners.answers()}):
        lines = {answer.line for answer in learners.answers_in(path)}
        statements = ast.parse(path.read_text(encoding="utf-8")).body
        codes = Counter(ast.unparse(each) for each in statements if each.lineno in lines)
        assert [code for code, times in codes.items() if times > 1] == [], path


# --- how a file is read


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[Answer]]:
    """A function: the text of a file of answers to causal-mask -> its answers."""
    path = tmp_path / "lesson_05" / "causal_mask.py"
    path.parent.mkdir()
    monkeypatch.setattr(learners, "HERE", tmp_path)

    def of(text: str) -> list[Answer]:
        path.write_text(text, encoding="utf-8")
        return learners.answers()

    return of


THREE = """import numpy as np

LESS = 1


# right
def my_causal_mask(n_queries, n_keys):
    return np.tri(n_queries, n_keys, n_keys - n_queries)


# named: upper-left + one-step-ahead | inverted
# told: the triangle
#     starts too early
# not told: key 0
def my_causal_mask(n_queries, n_keys):
    return np.tri(n_queries, n_keys, LESS) if n_keys > 0 else my_causal_mask(1, 1)


my_causal_mask = None
"""


def test_a_heading_holds_up_to_the_next(read: Callable[[str], list[Answer]]) -> None:
    one, two, three = read(THREE)
    assert one.expected == Expected("right")
    assert two.expected == three.expected
    assert two.expected == Expected(
        named=(("upper-left", "one-step-ahead"), ("inverted",)),
        told=("the triangle starts too early",),
        untold=("key 0",),
    )
    assert [str(answer).partition("-")[0] for answer in (one, two)] == [
        "lesson_05/causal_mask.py:7",
        "lesson_05/causal_mask.py:15",
    ]
    assert str(two).endswith("15-upper-left+one-step-ahead|inverted")


def test_each_answer_finds_the_file_and_itself(read: Callable[[str], list[Answer]]) -> None:
    one, two, three = read(THREE)
    assert one.value()(2, 3).tolist() == [[1, 1, 0], [1, 1, 1]]
    assert two.value()(2, 3).tolist() == [[1, 1, 0], [1, 1, 1]]
    assert two.value()(1, 0).tolist() == [[1]]
    assert three.value() is None


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("# unnamed", Expected()),
        ("# told: so", Expected(told=("so",))),
        ("# breaks: hidden keys", Expected(breaks=("hidden keys",))),
        ("# not attempted", Expected("not attempted")),
        ("# named: one", Expected(named=(("one",),))),
        ("# not told: this\n# right", Expected("right", untold=("this",))),
    ],
)
def test_what_a_heading_says(heading: str, expected: Expected, read: Callable[[str], list[Answer]]) -> None:
    (answer,) = read(f"{heading}\nmy_causal_mask = 3\n")
    assert answer.expected == expected


def test_answers_to_several_exercises(read: Callable[[str], list[Answer]]) -> None:
    text = "# right\nmy_causal_mask = 1\n\n# answers: causal-mask, padding-mask\nmy_causal_mask = 2\n"
    assert [(answer.name, answer.line) for answer in read(text)] == [
        ("causal-mask", 2),
        ("causal-mask", 5),
        ("padding-mask", 5),
    ]
    assert str(read(text)[2]) == "lesson_05/causal_mask.py:5-padding-mask-right"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# nmaed: inverted\nmy_causal_mask = 1\n", "causal_mask.py:1: found '# nmaed: inverted', where"),
        ("# named\nmy_causal_mask = 1\n", "causal_mask.py:1: found '# named', where"),
        ("# right: yes\nmy_causal_mask = 1\n", "causal_mask.py:1: found '# right: yes', where"),
        ("# right\n# named: inverted\nmy_causal_mask = 1\n", "causal_mask.py:2: found two verdicts"),
        ("my_causal_mask = 1\n", "causal_mask.py:1: found an answer without a heading"),
        ("# right\nmy_casual_mask = 1\n", "causal_mask.py:1: found a heading with no answer below it"),
        ("# right\nmask = 1\n# unnamed\nmy_causal_mask = 1\n", "causal_mask.py:1: found a heading with no"),
    ],
)
def test_what_cannot_be_read_is_one_line(text: str, said: str, read: Callable[[str], list[Answer]]) -> None:
    with pytest.raises(ValueError, match=r"\A.*\Z") as caught:
        read(text)
    assert said in str(caught.value)


def test_a_file_of_no_exercise_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "HERE", tmp_path)
    with pytest.raises(ValueError, match="no notebook checks 'causal-maks': give the file the name"):
        list(learners.answers_in(tmp_path / "lesson_05" / "causal_maks.py"))


@pytest.mark.parametrize(
    ("expected", "difference"),
    [
        (Expected("wrong", (("a",),), ("says  this",), ("that",), ("rows",)), "not told: says  this"),
        (Expected("wrong", (("a",),), ("says this",), ("other",), ("rows",)), "told: other"),
        (Expected("wrong", (("a",),), breaks=("hidden keys",)), "breaks: expected"),
        (Expected("wrong", (("a", "b"),)), "named: expected"),
        (Expected("wrong"), "named: expected"),
        (Expected("right", (("a",),)), "is: expected right, got wrong"),
    ],
)
def test_a_difference_is_found(expected: Expected, difference: str) -> None:
    feedback = Feedback("wrong", "It says\n  this, and other things.", (("a",),), ("rows",))
    (found,) = expected.differences(feedback)
    assert found.startswith(difference)


def test_what_is_as_expected_has_no_difference() -> None:
    feedback = Feedback("wrong", "It says\n  this.", (("a",), ("b", "c")), ("rows",))
    expected = Expected("wrong", (("a",), ("b", "c")), ("says this",), ("that",), ("rows",))
    assert expected.differences(feedback) == []

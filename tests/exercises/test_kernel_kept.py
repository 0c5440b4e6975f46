"""Whatever an answer does: a reply comes in time, and the kernel is afterwards as it was."""

from __future__ import annotations

import functools
import gc
import importlib
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import matplotlib.pyplot as plt
import pytest
from hostile import endless, meddling, meddling_outside, raising, results, torch_meddling, values
from kernel_state import differences, picture

from helpers.exercises import evaluate, progress_file
from helpers.exercises.catalogue import find
from helpers.exercises.engine import checking, limits, sandbox
from helpers.exercises.engine.feedback import Feedback
from helpers.exercises.kinds import Write

# How a thread of an answer ends is no news; nor is an error in a __del__ that an answer brought along.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SECONDS = 5.0  # within which a reply has to come, on a machine that has a processor for it
SHORT = 0.15  # seconds for the calls of an endless answer
FUNCTIONS = ("softmax", "axis-bug", "causal-mask", "dot-product", "overflow-bug", "total", "scaled-scores")
IN_TORCH = ("torch-attention", "torch-layout", "softmax")
ASKED_FOR = ("predict-spread", "predict-score-shape", "spread-table", "which-axis", "scores-for", "softmax")
USED = (
    "_thread array asyncio atexit builtins collections collections.abc contextlib contextvars copy "
    "decimal dis fractions functools gc getpass importlib inspect io itertools linecache locale logging "
    "math operator os queue random re select signal socket string subprocess sys tempfile textwrap "
    "threading time traceback types warnings matplotlib numpy helpers helpers.exercises helpers.softmax "
    "helpers.validation"
)
OF_OURS = (
    "bystanders",
    "checking",
    "diagnosis",
    "feedback",
    "kernel",
    "limits",
    "names",
    "probes",
    "sandbox",
)


def entries(text: str) -> list[tuple[str, str]]:
    """A text with entries -> (name, lines) of each: a heading `# name`, then Python up to an empty line."""
    found = [entry.strip().split("\n", 1) for entry in text.strip().split("\n\n")]
    return [(heading.removeprefix("# "), lines) for heading, lines in found]


def all_of(module: Any) -> list[tuple[str, str]]:
    """A module of texts -> the entries of all."""
    return [entry for name, text in vars(module).items() if name.isupper() for entry in entries(text)]


def ids(cases: list[tuple[str, str]]) -> list[str]:
    return [name for name, _ in cases]


BESIDE = [*all_of(meddling), *all_of(meddling_outside)]
BESIDE_IN_TORCH = all_of(torch_meddling)
ERRORS = [*all_of(raising), *all_of(results)]
ENDLESS = all_of(endless)
VALUES = all_of(values)


def space() -> dict[str, Any]:
    """() -> the names that an answer may use, as in a notebook that has imported much."""
    found = {name.partition(".")[0]: importlib.import_module(name.partition(".")[0]) for name in USED.split()}
    for name in USED.split():
        importlib.import_module(name)
    found |= {name: importlib.import_module(f"helpers.exercises.engine.{name}") for name in OF_OURS}
    found |= {"catalogue": importlib.import_module("helpers.exercises.catalogue")}
    return {**found, "np": found["numpy"], "plt": plt, "__name__": "__main__"}


def function(name: str, lines: str, right: Callable[..., Any] | None = None) -> Any:
    """Lines of Python -> a function of them, behind the right answer if one is given."""
    first, last = ("result = right(*inputs)", "return result") if right else ("pass", "return 3")
    body = "\n".join(f"    {line}" for line in [first, *lines.splitlines(), last])
    return made(name, f"def answer(*inputs):\n{body}", "answer", right=right)


def made(name: str, source: str, wanted: str, **more: Any) -> Any:
    """Python -> what stands under a name in it, afterwards."""
    code: CodeType = compile(source, f"<cell {name}>", "exec")
    there = {**space(), **more}
    if "torch" in sys.modules:
        there["torch"] = sys.modules["torch"]
    exec(code, there)
    return there[wanted]


@pytest.fixture(scope="module", autouse=True)
def unraisable() -> Iterator[None]:
    """Errors in what an answer leaves behind: pytest's hooks would format them within the answer's time."""
    hooks = sys.unraisablehook, threading.excepthook
    sys.unraisablehook, threading.excepthook = (lambda *_: None), threading.__excepthook__
    yield
    gc.collect()
    sys.unraisablehook, threading.excepthook = hooks


def in_line() -> float:
    """() -> seconds for which this thread has stood in line for a processor; 0 where the system is silent."""
    return limits.in_line(threading.get_native_id())


def timed(exercise: str, attempt: Any) -> tuple[float, Feedback]:
    """An answer -> the seconds that its check took with a processor at hand, and the reply."""
    start = time.monotonic() - in_line()
    feedback = evaluate(exercise, attempt)
    return time.monotonic() - in_line() - start, feedback


@pytest.fixture
def kept(request: pytest.FixtureRequest) -> Iterator[Callable[[str, Any], Feedback]]:
    """A check that is held to its time and to the kernel as it was. A figure is open meanwhile."""
    figure = plt.figure()

    def check(exercise: str, attempt: Any) -> Feedback:
        with_torch = "torch" in sys.modules
        evaluate(exercise, object())  # what is loaded late is loaded now
        before = picture(with_torch)
        took, feedback = timed(exercise, attempt)
        assert differences(before, picture(with_torch)) == []
        assert took < SECONDS or timed(exercise, attempt)[0] < SECONDS  # the machine may have been busy, once
        assert feedback.text[0] in "○✓✗"
        assert "could not be compared" not in feedback.text
        assert "Traceback" not in feedback.text
        assert "could not be put back" not in feedback.text
        return feedback

    yield check
    plt.close(figure)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", SHORT)
    monkeypatch.setattr(checking, "MOST_SECONDS", 2 * SHORT)


@pytest.fixture(scope="module")
def torch_warm() -> None:
    """Load what torch loads late, and registers at atexit: no answer is to blame for it."""
    torch = pytest.importorskip("torch")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.use_deterministic_algorithms(False)


def in_turn(exercises: tuple[str, ...], cases: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Exercises, entries -> each entry with one of the exercises."""
    return [(exercises[i % len(exercises)], *case) for i, case in enumerate(cases)]


def right_answer(exercise: str) -> Callable[..., Any]:
    found = find(exercise)
    assert isinstance(found, Write)
    return found.answer


@pytest.mark.parametrize(("exercise", "name", "lines"), in_turn(FUNCTIONS, BESIDE), ids=ids(BESIDE))
def test_a_right_answer_that_meddles_is_right(exercise, name, lines, kept):
    feedback = kept(exercise, function(name, lines, right_answer(exercise)))
    assert feedback.status == "right", feedback.text


@pytest.mark.parametrize(
    ("exercise", "name", "lines"), in_turn(IN_TORCH, BESIDE_IN_TORCH), ids=ids(BESIDE_IN_TORCH)
)
def test_a_right_answer_that_meddles_with_torch_is_right(exercise, name, lines, kept, torch_warm):
    feedback = kept(exercise, function(name, lines, right_answer(exercise)))
    assert feedback.status == "right", feedback.text


@pytest.mark.parametrize(("exercise", "name", "lines"), in_turn(FUNCTIONS, ERRORS), ids=ids(ERRORS))
def test_an_answer_that_fails_or_returns_something_odd_is_not_right(exercise, name, lines, kept):
    assert kept(exercise, function(name, lines)).status != "right"


@pytest.mark.parametrize(("exercise", "name", "lines"), in_turn(FUNCTIONS, ENDLESS), ids=ids(ENDLESS))
def test_an_endless_answer_is_stopped(exercise, name, lines, kept, short):
    feedback = kept(exercise, function(name, lines))
    assert feedback.status == "wrong"


@pytest.mark.parametrize(("name", "lines"), VALUES, ids=ids(VALUES))
def test_a_hostile_value_is_not_right(name, lines, kept, short):
    for exercise in ASKED_FOR:
        assert kept(exercise, made(name, lines, "value")).status != "right"


def test_there_are_enough_of_them():
    assert progress_file.__name__ in sys.modules  # else an answer that asks for it would load it
    bodies = [lines for cases in (BESIDE, BESIDE_IN_TORCH, ERRORS, ENDLESS, VALUES) for _, lines in cases]
    assert len(bodies) == len(set(bodies)) >= 300


@pytest.mark.skipif(not limits.in_line(threading.get_native_id()), reason="the system does not tell")
def test_waiting_in_line_for_a_processor_does_not_count(monkeypatch):
    waited = [0.0]
    monkeypatch.setattr(limits, "in_line", lambda thread: waited[0])
    clock = limits.Clock(0.02)
    time.sleep(0.03)
    assert clock.left() < 0
    waited[0] = 1.0
    assert 0.9 < clock.left() < 1.0
    waited[0] = 10 * limits.MOST_IN_LINE
    assert clock.left() < limits.MOST_IN_LINE, "an end all the same"


def frames_of(*files: str) -> list[Any]:
    """Names of files, the outermost first -> the frames of code that stands in them, the innermost first."""
    found: list[Any] = []
    call: Callable[[], Any] = lambda: found.extend(  # noqa: E731
        frame for frame, _ in traceback.walk_stack(sys._getframe()) if "call" in frame.f_globals
    )
    for file in reversed(files):
        call = functools.partial(exec, compile("call()", file, "exec"), {"call": call})
    call()
    return found


@pytest.mark.parametrize(
    ("files", "whose"),
    [
        (("/home/learner/own.py", "<frozen importlib._bootstrap>", "/home/learner/other.py"), "own"),
        (("/home/learner/own.py", "<frozen importlib._bootstrap>", os.__file__), "library"),
        (("<ipython-input>", "<frozen importlib._bootstrap>", os.__file__, "<string>"), "library"),
        (("<ipython-input>", os.__file__), ""),
    ],
)
def test_whose_module_is_being_imported(files, whose):
    assert (
        limits.importing(frames_of(*files)) == whose
    )  # what dataclasses make of a text is not the learner's


@pytest.mark.parametrize("searches", [True, False])
def test_python_looks_for_circles_again_after_a_check(monkeypatch, searches):
    seen = []
    enable, disable = gc.enable, gc.disable

    def my_softmax(scores):
        seen.append(gc.isenabled())
        gc.enable = lambda: None  # what the check uses was bound before
        return scores

    monkeypatch.setattr(gc, "enable", enable)  # put back afterwards, whatever happens
    try:
        (enable if searches else disable)()
        evaluate("softmax", my_softmax)
        assert gc.isenabled() == searches
        assert set(seen) == {False}
    finally:
        enable()


def test_what_an_answer_froze_is_searched_again_also_where_something_was_frozen_before():
    """As it is after a figure in a lesson, where the course freezes what libraries left."""

    def my_softmax(scores):
        gc.freeze()
        return scores

    gc.freeze()
    before = gc.get_freeze_count()
    try:
        circles: list[list[int]] = [[] for _ in range(1_000)]  # tracked, and not frozen yet
        evaluate("softmax", my_softmax)
        assert gc.get_freeze_count() <= before
        assert len(circles) == 1_000
    finally:
        gc.unfreeze()

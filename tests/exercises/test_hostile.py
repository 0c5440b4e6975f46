"""Whatever is handed to the check gets a clear sentence, and nothing harms the kernel."""

from __future__ import annotations

import builtins
import importlib
import math
import random
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.exercises import evaluate
from helpers.exercises.catalogue import exercises, find
from helpers.exercises.engine import limits, sandbox
from helpers.softmax import softmax

ROOT = Path(__file__).parents[2]

FOR_EVER = 30.0  # seconds; a machine may be busy, and what is not stopped has no end


def _in_place(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def endless(scores):
    while True:
        pass


def endless_and_catching(scores):
    while True:
        try:
            sum(range(100))
        except BaseException:
            continue


def recursive(scores):
    return recursive(scores)


def raising(scores):
    raise ValueError("my own words")


def leaving(scores):
    sys.exit(3)


def asking(scores):
    return float(input("a number? "))


def without_return(scores):
    scores + 1


def generating(scores):
    yield from scores


async def waiting(scores):
    return scores


def unfinished(scores):
    raise NotImplementedError


calls: list[int] = []


def counting(scores):
    calls.append(1)
    return softmax(scores) if len(calls) < 14 else softmax(scores) * 0.5


class Callable_:  # noqa: N801
    def __call__(self, scores):
        return softmax(scores)


class Odd:
    def __array__(self, *arguments, **options):
        raise ValueError("no")


class Unprintable(Exception):  # noqa: N818
    def __str__(self):
        raise RuntimeError


def raise_unprintable(scores):
    raise Unprintable


HOSTILE = [
    (None, "○ softmax: not attempted yet."),
    (unfinished, "○ softmax: not attempted yet."),
    (softmax, "✓"),
    (Callable_(), "✓"),
    (3, "needs the function itself"),
    ("softmax", "this is a text"),
    (np.ones((2, 3)), "the result of a call"),
    (np, "this is a module"),
    (Callable_, "this is a class"),
    (lambda: 1, "with 1 argument, (scores), and yours takes ()"),
    (lambda a, b: 1, "and yours takes (a, b)"),
    (lambda scores: None, "not attempted yet"),
    (without_return, "returned None"),
    (lambda scores: scores.tolist(), "wrong"),
    (lambda scores: 1.0, "got shape       ()"),
    (lambda scores: scores[0], "got shape       (2,)"),
    (lambda scores: scores * np.nan, "nan"),
    (lambda scores: scores > 0, "True and False"),
    (lambda scores: scores * 1j, "complex"),
    (lambda scores: "weights", "returned a text"),
    (lambda scores: {"a": 1}, "a dictionary"),
    (lambda scores: [[1, 2], [3]], "rows of different lengths"),
    (lambda scores: (softmax(scores), scores.sum(-1)), "returned a tuple of 2 things"),
    (lambda scores: softmax, "returned a function"),
    (lambda scores: Odd(), "returned"),
    (lambda scores: np.zeros(10**6), "far too many numbers"),
    (lambda scores: [0.0] * 10**6, "1,000,000 things"),
    (generating, "a generator"),
    (waiting, "a coroutine"),
    (raising, "ValueError: my own words\n    in your line: raise ValueError"),
    (raise_unprintable, "Unprintable"),
    (leaving, "SystemExit: 3"),
    (asking, "input() cannot ask"),
    (recursive, "calls itself without end"),
    (lambda scores: softmax(scores) * np.random.rand(), "two different results"),  # noqa: NPY002
    (lambda scores: softmax(scores) * random.random(), "two different results"),
    (counting, "two different results"),
    (lambda scores: print("look", scores.shape) or softmax(scores), "look (2, 3)"),
    (eval("lambda scores: undefined_name"), "NameError"),
    (lambda scores: scores.fill(0) or np.zeros((2, 2)), "no longer holds"),
]


@pytest.mark.parametrize(("attempt", "said"), HOSTILE)
def test_hostile_attempts_get_a_clear_sentence(attempt, said, capsys):
    calls.clear()
    feedback = evaluate("softmax", attempt)
    assert said in feedback.text
    assert "Traceback" not in feedback.text
    assert capsys.readouterr() == ("", "")
    assert evaluate("softmax", softmax).status == "right"  # the kernel is as healthy as before


def test_an_error_that_cannot_be_raised_reaches_nobody(monkeypatch):
    class Loud:
        def __del__(self):
            raise ValueError

    def leaving_behind(scores):
        Loud()
        return softmax(scores)

    heard: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", heard.append)
    assert evaluate("softmax", leaving_behind).status == "right"
    assert heard == []
    Loud()
    assert len(heard) == 1  # afterwards the hook is there again


def test_changed_input_is_named_where_the_numbers_are_right():
    def in_place(scores):
        result = softmax(scores)
        scores[...] = 0
        return result

    feedback = evaluate("softmax", in_place)
    assert feedback.status == "wrong"
    assert feedback.properties == ("input left unchanged",)
    assert feedback.text.startswith("✗ softmax: right numbers, but the call changes its input.")
    assert "input left unchanged" in evaluate("softmax", _in_place).properties


def test_a_torch_tensor_is_taken_for_its_numbers():
    torch = pytest.importorskip("torch")
    feedback = evaluate(
        "softmax", lambda scores: torch.softmax(torch.tensor(scores, dtype=torch.float64), -1)
    )
    assert feedback.status == "right"
    assert "torch tensor" in feedback.text
    wrong = evaluate("softmax", lambda scores: torch.softmax(torch.tensor(scores, dtype=torch.float64), 0))
    assert wrong.mistakes == ("axis-0",)


@pytest.mark.parametrize("attempt", [endless, endless_and_catching, lambda scores: time.sleep(60)])
def test_endless_attempts_are_stopped(attempt, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
    start = time.monotonic()
    feedback = evaluate("softmax", attempt)
    assert time.monotonic() - start < FOR_EVER
    assert "your function was stopped" in feedback.text


STOPPED = """
def loop():
    first()
    while True:
        pass
out_of_time, came = limits.OutOfTimeError, None
with limits.time_limit(limits.Clock(0.1)):
    try:
        limits.below(loop)
    except out_of_time as error:
        came = error
    finally:
        last()
print(type(came).__name__)
"""
WITHOUT_BUILTINS = """
import builtins
from helpers.exercises.engine import limits
names, before = vars(builtins), dict(vars(builtins))
def first():
    names.clear()
def last():
    names.update(before)
"""
ALWAYS_ONE_MORE = """
import signal, sys
from helpers.exercises.engine import limits
deepest_ring = 0
def one_more(depth, put_back=limits.set_deepest):
    global deepest_ring
    frame, rings = sys._getframe(), 0
    while frame is not None:
        rings += frame.f_code.co_name == "ring"
        frame = frame.f_back
    deepest_ring = max(deepest_ring, rings)
    if rings < 5:
        signal.raise_signal(signal.SIGALRM)
    put_back(depth)
def first():
    limits.set_deepest = one_more
def last():
    print(deepest_ring)
"""


def stopped_in_a_new_python(program: str) -> str:
    """What `first` and `last` do in it -> what it prints: the error with which an endless loop ends, too.

    By its name the program is no learner's, so that nothing but the alarm itself stops it.
    """
    run = "import sys; exec(compile(sys.argv[1], '<frozen program>', 'exec'))"
    done = subprocess.run(
        [sys.executable, "-c", run, program + STOPPED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.skipif(not limits.set_timer, reason="no timer signal on this system")
def test_the_alarm_needs_no_builtins():
    """It may ring before they are put back, and an error of its own would end the putting back."""
    assert stopped_in_a_new_python(WITHOUT_BUILTINS) == "OutOfTimeError\n"


@pytest.mark.skipif(not limits.set_timer, reason="no timer signal on this system")
def test_an_alarm_does_not_ring_inside_itself():
    """Where the next one always comes before the last is over, ring upon ring would fill the stack."""
    assert stopped_in_a_new_python(ALWAYS_ONE_MORE) == "1\nOutOfTimeError\n"


def test_endless_attempts_are_stopped_in_another_thread_too(monkeypatch):
    """The way taken where there is no timer signal, as on Windows."""
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(evaluate("softmax", endless).text))
    thread.start()
    thread.join(10)
    assert "your function was stopped" in found[0]


def in_main_thread(call):
    """A call -> what it gives; the timer signal limits it."""
    return call()


def in_another_thread(call):
    """A call -> what it gives; the watching thread limits it."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join(20)
    return found[0]


@pytest.fixture
def slow_module(tmp_path, monkeypatch):
    """The name of a module that loads for longer than a check may take, and counts how often it starts.

    A busy machine may take a second for what a check does beside it: the limit is above that.
    """
    name = "slow_to_load"
    (tmp_path / f"{name}.py").write_text(
        "import sys, time\n"
        "sys.times_started = getattr(sys, 'times_started', 0) + 1\n"
        "for _ in range(180):\n"
        "    time.sleep(0.01)\n"
        "loaded = True\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sandbox, "SECONDS", 1.2)
    monkeypatch.setattr(sys, "times_started", 0, raising=False)
    yield name
    sys.modules.pop(name, None)


@pytest.mark.parametrize("run", [in_main_thread, in_another_thread])
@pytest.mark.parametrize("statement", [True, False])
def test_an_import_is_not_stopped_half_way_and_does_not_count(run, statement, slow_module):
    """What is left of a stopped import is a broken module: torch, loaded again, ends Python itself."""

    def importing(scores):
        if statement:
            import slow_to_load as module  # type: ignore[import-not-found]
        else:
            module = importlib.import_module(slow_module)
        return softmax(scores) if module.loaded else None

    start = time.monotonic()
    feedback = run(lambda: evaluate("softmax", importing))
    assert time.monotonic() - start > 1.8  # it was waited for
    assert sys.modules[slow_module].loaded
    assert sys.times_started == 1  # type: ignore[attr-defined]
    if statement:  # the time of import_module counts, for the check cannot see where it begins
        assert feedback.status == "right", feedback.text
    assert run(lambda: evaluate("softmax", importing)).status == "right"


@pytest.mark.parametrize("run", [in_main_thread, in_another_thread])
def test_what_is_endless_after_a_slow_import_is_stopped(run, slow_module):
    def importing(scores):
        import slow_to_load  # noqa: F401

        while True:
            pass

    start = time.monotonic()
    assert "your function was stopped" in run(lambda: evaluate("softmax", importing)).text
    assert 1.8 < time.monotonic() - start < FOR_EVER
    assert sys.modules[slow_module].loaded


@pytest.mark.parametrize("run", [in_main_thread, in_another_thread])
def test_endless_tries_to_import_are_stopped(run, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)

    def searching(scores):
        while True:
            try:
                import no_such_module  # type: ignore[import-not-found]  # noqa: F401
            except ImportError:
                import math  # noqa: F401

    start = time.monotonic()
    assert "your function was stopped" in run(lambda: evaluate("softmax", searching)).text
    assert time.monotonic() - start < FOR_EVER


def test_a_check_inside_an_import_has_its_time_limit_too(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "checks_while_loading.py").write_text(
        "from helpers.exercises import evaluate\n"
        "def endless(scores):\n"
        "    while True:\n"
        "        pass\n"
        "said = evaluate('softmax', endless).text\n",
        encoding="utf-8",
    )
    module = importlib.import_module("checks_while_loading")
    sys.modules.pop("checks_while_loading")
    assert "your function was stopped" in module.said


def test_the_time_of_imports_is_bounded(monkeypatch):
    clock = limits.Clock(1.0)
    clock.forgive(limits.AN_IMPORT / 2)  # nothing was loaded
    assert clock.left() <= 1.0
    clock.forgive(10.0)
    assert 10 < clock.left() <= 11.0
    clock.forgive(limits.MOST_IMPORTING)
    assert clock.left() <= 1.0 + limits.MOST_IMPORTING
    assert builtins.__import__.__module__ == "builtins"


def test_the_kernel_stays_as_it_was():
    def meddling(scores):
        np.exp = np.sin  # type: ignore[assignment]
        math.pi = 3  # type: ignore[misc]
        builtins.sum = max  # type: ignore[assignment]
        np.seterr(all="raise")
        np.random.seed(0)  # noqa: NPY002
        random.seed(0)
        np.set_printoptions(precision=1)
        sys.setrecursionlimit(5000)
        warnings.simplefilter("error")
        sys.stdout = sys.stderr
        return scores

    def state():
        names = (np.exp, math.pi, builtins.sum, builtins.input, sys.stdout)
        settings = (np.geterr(), np.get_printoptions(), sys.getrecursionlimit(), list(warnings.filters))
        return names, settings, str(np.random.get_state()), random.getstate()  # noqa: NPY002

    before = state()
    evaluate("softmax", meddling)
    assert state() == before


ODD_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=2), inner)
    ),
    max_leaves=8,
)


def turned_round(right):
    """A function -> one whose results have the right form, and are wrong in a way that nothing names."""

    def wrong(*inputs):
        result = right(*inputs)
        if not isinstance(result, np.ndarray):
            return result
        if result.dtype == bool:
            return ~result
        return result * np.arange(2, 2 + result.size).reshape(result.shape)

    return wrong


@pytest.mark.parametrize("name", sorted(exercises()))
def test_nothing_makes_the_check_say_that_it_cannot_compare(name):
    right = getattr(find(name), "answer", None)
    attempts = [lambda *inputs: True, lambda *inputs: 3, *([turned_round(right)] if callable(right) else [])]
    for attempt in attempts:
        assert "could not be compared" not in evaluate(name, attempt).text


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(sorted(exercises())), value=ODD_VALUES)
def test_no_value_makes_the_check_raise(name, value):
    for attempt in (value, lambda *inputs: value):
        feedback = evaluate(name, attempt)
        assert feedback.status in ("not attempted", "right", "wrong")
        assert "could not be compared" not in feedback.text
        assert feedback.text[0] in "○✓✗"


@settings(max_examples=25, deadline=None)
@given(
    error=st.sampled_from(
        [e for e in vars(builtins).values() if isinstance(e, type) and issubclass(e, Exception)]
    )
)
def test_no_error_makes_the_check_raise(error):
    def raising_it(scores):
        raise error.__new__(error)

    assert evaluate("softmax", raising_it).text[0] in "○✗"


def test_names_that_are_not_there():
    assert "There is no exercise" in evaluate("softmx", softmax).text
    assert "softmax" in evaluate("softmx", softmax).text
    names: tuple[Any, ...] = (None, 3, "", [], softmax)
    for name in names:
        assert "The name comes first" in evaluate(name, softmax).text
    assert evaluate(softmax, "softmax").status == "right"
    assert "give your answer as well" in evaluate("softmax").text

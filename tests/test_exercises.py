"""Every mistake is rejected and named, right code in any style passes, and nothing harms the kernel."""

from __future__ import annotations

import builtins
import json
import math
import random
import re
import subprocess
import sys
import threading
import time
import warnings
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import kill_table
import nbformat
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.exercises import check, evaluate, hint, progress, sandbox, solution
from helpers.exercises import progress as show_progress
from helpers.exercises.catalogue import exercises, find, lessons
from helpers.exercises.diagnosis import agree, plain_outcome
from helpers.exercises.kinds import Choose, Mend, Open, Predict, Table, Write
from helpers.softmax import softmax

ROOT = Path(__file__).resolve().parents[1]
FUNCTIONS = [exercise for exercise in exercises().values() if isinstance(exercise, Write)]
VALUES = [exercise for exercise in exercises().values() if not isinstance(exercise, Write)]


def by_name(exercise: Any) -> str:
    return exercise.name


# --- the catalogue


def test_each_lesson_has_its_exercises():
    for lesson, group in lessons().items():
        if lesson == "00":
            continue
        assert len(group) >= 5
        assert sum(isinstance(exercise, Mend) for exercise in group) >= 2
        assert group[-1].kind == "open-ended"


def test_no_name_is_used_twice():
    assert len(exercises()) == sum(map(len, lessons().values()))
    for exercise in FUNCTIONS:
        names = [mistake.name for mistake in exercise.mistakes]
        assert len(names) == len(set(names)), exercise.name


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_the_recipe_without_a_mistake_is_right(exercise):
    for probe in exercise.probes:
        right, recipe = plain_outcome(exercise.right, probe), plain_outcome(exercise.recipe, probe)
        assert right.value is not None
        assert recipe.value is not None
        assert agree(recipe.value, right.value)
        assert np.isfinite(right.value).all() or "log" in exercise.name  # −inf is an answer of log-softmax


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_no_two_mistakes_look_the_same(exercise):
    """Each single mistake, in each way of writing it, is named as itself and as nothing else."""
    for version in exercise.diagnosis.singles:
        named = [other.names for other in exercise.diagnosis.name(exercise.diagnosis.outcomes(version))]
        assert named == [version.names]


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_probes_can_tell_axes_apart(exercise):
    """No two axes of a probe have the same length, none has length 1, nothing easy is saturated."""
    for probe in exercise.probes:
        for name, value in probe.inputs.items():
            if isinstance(value, np.ndarray) and name != "vectors":
                assert len(set(value.shape)) == value.ndim, (probe.kind, name)
                assert 1 not in value.shape
        if {"queries", "keys"} <= probe.inputs.keys():
            sizes = (*probe.inputs["queries"].shape, probe.inputs["keys"].shape[-2])
            assert len(set(sizes)) == len(sizes)
        if "scores" in probe.inputs and not probe.hard and exercise.name != "unit-spread":
            assert softmax(probe.inputs["scores"]).max() < 0.99


def test_the_kill_table_is_up_to_date_and_nothing_is_missed():
    text, faults = kill_table.table()
    assert faults == []
    assert kill_table.TABLE.read_text(encoding="utf-8") == text, "run python tools/kill_table.py"


def test_a_missed_mistake_would_show_in_the_kill_table():
    assert kill_table.verdict([], ("a",)) == "rejected only"
    assert kill_table.verdict([("a",)], ("a",)) == "named"
    assert kill_table.verdict([("a",), ("b",)], ("a",)) == "named with others"
    assert kill_table.verdict([("a",)], ("a", "b")) == "told as part"
    assert kill_table.verdict([("c",)], ("a", "b")) == "named as another"


def headings() -> set[str]:
    found = set()
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                found |= {
                    f"{path.name[:2]}: {text.strip()}" for text in re.findall(r"^## (.+)$", cell.source, re.M)
                }
    return found


def test_every_section_to_reread_exists():
    wanted = {exercise.reread for exercise in exercises().values()}
    wanted |= {mistake.reread for exercise in FUNCTIONS for mistake in exercise.mistakes}
    assert wanted <= headings()


@pytest.mark.parametrize("exercise", exercises().values(), ids=by_name)
def test_hints_and_words(exercise):
    assert len(exercise.hints) >= 2
    texts = [exercise.task, *exercise.hints]
    if isinstance(exercise, Write):
        texts += [text for mistake in exercise.mistakes for text in (mistake.says, mistake.idea)]
    if isinstance(exercise, Choose):
        texts += exercise.options.values()
    assert exercise.solution()
    for text in texts:
        assert text
        assert "!" not in text


# --- right answers in another style


def softmax_by_loops(scores):
    weights = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape[:-1]):
        exponentials = [math.exp(score - max(scores[place])) for score in scores[place]]
        for k, exponential in enumerate(exponentials):
            weights[(*place, k)] = exponential / sum(exponentials)
    return weights


def softmax_as_lists(scores):
    return [softmax_as_lists(part) for part in scores] if scores.ndim > 1 else softmax(scores).tolist()


def softmax_by_logarithms(scores):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=-1)[..., None])


def softmax_with_a_tiny_guard(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-9)


def softmax_by_max_of_each_row_listed(scores):
    top = np.array([row.max() for row in scores.reshape(-1, scores.shape[-1])]).reshape(*scores.shape[:-1], 1)
    return np.exp(scores - top) / np.sum(np.exp(scores - top), axis=-1)[..., np.newaxis]


def both_scaled(queries, keys):
    d_k = queries.shape[-1]
    return (queries / d_k**0.25) @ np.swapaxes(keys / d_k**0.25, -1, -2)


def scores_by_loops(queries, keys):
    if queries.ndim > 2:
        return [scores_by_loops(q, k) for q, k in zip(queries, keys, strict=True)]
    return [
        [sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in keys] for q in queries
    ]


ACCEPTED = [
    ("total", sum),
    ("total", np.sum),
    ("dot-product", np.dot),
    ("dot-product", lambda query, key: sum(a * b for a, b in zip(query, key, strict=True))),
    ("dot-product", lambda q, k: np.float32(q @ k)),
    ("all-scores", lambda q, k: np.einsum("...id,...jd->...ij", q, k)),
    ("all-scores", lambda q, k: (q[..., :, None, :] * k[..., None, :, :]).sum(-1)),
    ("all-scores", lambda q, k: np.swapaxes(k @ np.swapaxes(q, -1, -2), -1, -2)),
    ("cosine-bug", lambda q, k: q @ k / np.sqrt((q @ q) * (k @ k))),
    ("cosine-bug", lambda q, k: (q / np.linalg.norm(q)) @ (k / np.linalg.norm(k))),
    ("neighbours-bug", lambda w, v, n: find("neighbours-bug").right(w, v, len(v) - 1)[:n].tolist()),
    ("scaled-scores", both_scaled),
    ("scaled-scores", scores_by_loops),
    ("scaled-scores", lambda q, k: (q / np.sqrt(q.shape[-1])) @ np.swapaxes(k, -1, -2)),
    ("scaled-scores", lambda q, k: np.einsum("...id,...jd->...ij", q, k) * k.shape[-1] ** -0.5),
    (
        "scaled-scores",
        lambda q, k: (q.astype("f4") @ np.swapaxes(k, -1, -2).astype("f4")) / q.shape[-1] ** 0.5,
    ),
    ("scaled-scores", lambda q, k: (q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])).astype(np.float16)),
    ("softmax", softmax),
    ("softmax", softmax_by_loops),
    ("softmax", softmax_as_lists),
    ("softmax", softmax_by_logarithms),
    ("softmax", softmax_with_a_tiny_guard),
    ("softmax", softmax_by_max_of_each_row_listed),
    ("softmax", partial(softmax, axis=-1)),
    ("softmax", lambda scores: softmax(scores.astype(np.float32))),
    ("axis-bug", softmax_by_loops),
    ("overflow-bug", softmax_by_logarithms),
    ("temperature", lambda s, t: softmax(s / t)),
    ("temperature", lambda s, t: softmax(s) ** (1 / t) / (softmax(s) ** (1 / t)).sum(-1, keepdims=True)),
    ("column-softmax", lambda s: np.swapaxes(softmax(np.swapaxes(s, -1, -2)), -1, -2)),
    ("log-softmax", lambda s: s - np.logaddexp.reduce(s, axis=-1)[..., None]),
    ("jacobian", lambda p: p[:, None] * (np.eye(p.size) - p)),
    ("jacobian", lambda p: [[a * ((i == j) - b) for j, b in enumerate(p)] for i, a in enumerate(p)]),
    ("unit-spread", lambda s, d_k, sigma: s / (sigma * sigma * d_k**0.5)),
    ("unit-spread", lambda s, d_k, sigma: s / s.std()),
    ("order-bug", lambda q, k: softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))),
    ("predict-score-shape", (5, 7)),
    ("predict-score-shape", [5, 7]),
    ("predict-score-shape", "(5, 7)"),
    ("predict-score-shape", np.zeros((5, 7)).shape),
    ("predict-spread", 10),
    ("predict-spread", "10"),
    ("predict-spread", np.float32(10)),
    ("predict-weights", 3 / 4),
    ("which-axis", " A) "),
    ("dot-or-cosine", "b"),
    ("why-not-d", "B"),
    ("disagree", [[1, 0], [1, 0], [3, 3]]),
    ("scores-for", np.log([1, 2, 7])),
    ("scores-for", tuple(np.log([0.1, 0.2, 0.7]) + 50)),
    ("spread-table", {d_k: [d_k, d_k**0.5, 1] for d_k in (4, 16, 64, 256, 1024)}),
    ("spread-table", [[d_k, math.sqrt(d_k), 1.0] for d_k in (4, 16, 64, 256, 1024)]),
]


@pytest.mark.parametrize(("name", "attempt"), ACCEPTED)
def test_right_in_any_style(name, attempt):
    feedback = evaluate(name, attempt)
    assert feedback.status == "right", feedback.text
    assert feedback.text.startswith(f"✓ {name}")


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_the_helper_itself_is_right(exercise):
    assert evaluate(exercise.name, exercise.right).status == "right"


# --- wrong answers as beginners write them


def _loop_over_rows(scores):
    return np.array([np.exp(row - row.max()) / np.exp(row - row.max()).sum() for row in scores])


def _exp_one_by_one(scores):
    out = []
    for row in scores:
        values = [math.exp(score) for score in row]
        out.append([value / sum(values) for value in values])
    return out


def _zeros_like(scores):
    out = np.zeros_like(scores)
    for i in range(scores.shape[0]):
        row = np.exp(scores[i] - max(scores[i]))
        out[i] = row / row.sum()
    return out


def _in_place(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def _one_row(scores):
    return [math.exp(s) / sum(math.exp(x) for x in scores) for s in scores]


def _loops_by_2(queries, keys):
    out = np.zeros((len(queries), len(keys)))
    for i in range(len(queries)):
        for j in range(len(keys)):
            out[i, j] = np.dot(queries[i], keys[j]) / 2
    return out


FRESH = [
    ("softmax", lambda s: np.exp(s) / np.exp(s).sum(), {("over-everything", "no-row-max")}),
    ("softmax", lambda s: np.exp(s) / np.sum(np.exp(s), axis=1, keepdims=True), {("axis-1", "no-row-max")}),
    ("softmax", lambda s: np.exp(s) / np.exp(s).sum(-1)[..., None], {("no-row-max",)}),
    ("softmax", _exp_one_by_one, {("no-row-max", "one-matrix-only")}),
    ("softmax", _zeros_like, {("whole-numbers-kept", "one-matrix-only")}),
    ("softmax", lambda s: np.exp(s - s.max(-1)) / np.exp(s - s.max(-1)).sum(-1), {("keepdims",)}),
    ("softmax", _loop_over_rows, {("over-first-axis-items",)}),
    ("softmax", _one_row, {("one-row-only",)}),
    ("softmax", lambda s: np.round(softmax(s), 3), {("rounded",)}),
    ("softmax", lambda s: s / s.sum(axis=-1, keepdims=True), {("no-exponential",)}),
    ("softmax", lambda s: softmax(np.where(np.isinf(s), 0, s)), {("minus-infinity-as-0",)}),
    ("scaled-scores", lambda q, k: q @ k.T / np.sqrt(q.shape[-1]), {("all-axes-reversed",)}),
    ("scaled-scores", lambda q, k: q @ np.swapaxes(k, 1, 2) / q.shape[-1] ** 0.5, set()),
    ("scaled-scores", lambda q, k: q @ np.swapaxes(k, -1, -2) / len(q[0]) ** 0.5, {("root-second-axis",)}),
    ("scaled-scores", _loops_by_2, {("always-2", "one-matrix-only")}),
    ("scaled-scores", lambda q, k: q @ np.swapaxes(k, -1, -2), {("never-scaled",)}),
    ("scaled-scores", lambda q, k: k @ np.swapaxes(q, -1, -2) / q.shape[-1], {("divided-by-d_k", "swapped")}),
    ("neighbours-bug", lambda w, v, n: np.argsort(v @ v[w])[::-1][1 : n + 1], {("dot-product",)}),
    ("log-softmax", lambda s: np.log(softmax(s)), {("log-of-weights",)}),
    ("jacobian", lambda p: np.diag(p) - p @ p, {("inner",)}),
    ("temperature", lambda s, t: softmax(s * t), {("multiplied",)}),
    ("temperature", lambda s, t: softmax(s) / t, {("weights-divided",)}),
    ("column-softmax", softmax, {("rows",)}),
    ("disagree", [[1, 0], [1, 1], [0, 1]], {("equal-lengths",), ("same-choice",)}),
]


@pytest.mark.parametrize(("name", "attempt", "named"), FRESH)
def test_wrong_answers_in_a_beginners_words(name, attempt, named):
    feedback = evaluate(name, attempt)
    assert feedback.status == "wrong"
    assert set(feedback.named) <= named
    assert bool(feedback.named) == bool(named), feedback.text


def test_the_smallest_failing_input_is_shown_with_expected_beside_got():
    text = evaluate(
        "softmax", lambda scores: np.exp2(scores - 1) / np.exp2(scores - 1).sum(-1, keepdims=True)
    ).text
    first = np.array([2.0, 1.0, 0.5])  # the first row of the smallest probe
    powers = 2.0**first
    shown = {"expected": softmax(first), "got": powers / powers.sum()}
    for label, row in shown.items():
        (line,) = [line for line in text.splitlines() if line.strip().startswith(label)]
        assert line.split()[1:] == [f"{value:.2f}" for value in row]


def test_two_mistakes_are_named_as_two():
    text = evaluate("softmax", lambda s: np.exp(s) / np.exp(s).sum(axis=-2, keepdims=True)).text
    assert (
        "Two things at once: softmax ran over the queries, and the largest score was not subtracted" in text
    )


def test_code_is_not_revealed():
    for exercise in FUNCTIONS:
        source = exercise.solution()
        lines = {line.strip() for line in source.splitlines() if "return " in line and len(line.strip()) > 30}
        feedback = evaluate(exercise.name, lambda *inputs: np.zeros(3))
        assert not any(line in feedback.text for line in lines)


# --- hostile attempts


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
    (lambda scores: scores[0], "got shape       (3,)"),
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
    (lambda scores: undefined_name, "NameError"),  # noqa: F821
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
    assert time.monotonic() - start < 3
    assert "your function was stopped" in feedback.text


def test_endless_attempts_are_stopped_in_another_thread_too(monkeypatch):
    """The way taken where there is no timer signal, as on Windows."""
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(evaluate("softmax", endless).text))
    thread.start()
    thread.join(10)
    assert "your function was stopped" in found[0]


def test_the_kernel_stays_as_it_was():
    def meddling(scores):
        np.exp = np.sin
        math.pi = 3  # type: ignore[misc]
        builtins.sum = max
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
    for name in (None, 3, "", [], softmax):
        assert "The name comes first" in evaluate(name, softmax).text
    assert evaluate(softmax, "softmax").status == "right"
    assert "give your answer as well" in evaluate("softmax").text


# --- find the bug, predict, table, choose, open


@pytest.mark.parametrize("exercise", [e for e in FUNCTIONS if isinstance(e, Mend)], ids=by_name)
def test_a_given_function_is_known_as_given(exercise):
    (given_version,) = [v for v in exercise.diagnosis.singles if v.names == (exercise.given,)][:1]
    feedback = evaluate(exercise.name, given_version.function)
    assert feedback.status == "not attempted"
    assert "still the function as given" in feedback.text
    assert " ".join(feedback.text.split()).endswith(" ".join(exercise.symptom.split()))


@pytest.mark.parametrize("exercise", VALUES, ids=by_name)
def test_every_wrong_value_has_its_reply(exercise):
    assert evaluate(exercise.name, None).status == "not attempted"
    for name, answer in kill_table.wrong_values(exercise):
        feedback = evaluate(exercise.name, answer)
        assert feedback.status == "wrong"
        assert feedback.mistakes == (name,)
    if isinstance(exercise, Predict):
        assert evaluate(exercise.name, exercise.answer).status == "right"
        assert evaluate(exercise.name, 123456.5).status == "wrong"
    if isinstance(exercise, Open):
        assert evaluate(exercise.name, exercise.example).status == "right"
        assert "should have shape" in evaluate(exercise.name, [1.0]).text


def test_a_table_half_filled():
    table = find("spread-table")
    assert isinstance(table, Table)
    empty = {label: [None] * 3 for label in table.labels}
    assert evaluate("spread-table", empty).status == "not attempted"
    assert "14 still to fill" in evaluate("spread-table", {**empty, 4: [4, None, None]}).text
    text = evaluate("spread-table", {**empty, 4: [4, 2, 1], 16: [16, 16, None]}).text
    assert "d_k 16, spread: not 16" in text
    assert "d_k is the variance" in text
    assert "should hold 3 numbers" in evaluate("spread-table", {**empty, 4: [1]}).text


# --- hint, solution, progress


def test_hints_go_one_step_further(capsys):
    import helpers.exercises as package

    package._hints_given.clear()
    wanted = find("softmax").hints
    for number, text in enumerate((*wanted, wanted[-1])):
        hint("softmax")
        printed = " ".join(capsys.readouterr().out.split())
        assert text in printed
        assert f"Hint {min(number + 1, len(wanted))} of {len(wanted)}" in printed
    assert 'solution("softmax")' in printed
    hint("sofmax")
    assert "softmax" in capsys.readouterr().out


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_the_solution_is_the_tested_source(exercise, capsys):
    solution(exercise.name)
    printed = capsys.readouterr().out
    assert f"def {exercise.right.__name__}(" in printed
    if exercise.name == "softmax":
        assert "np.exp" in printed


@pytest.fixture
def kept_progress(tmp_path, monkeypatch):
    from helpers.exercises import progress_file as module

    monkeypatch.setattr(module, "FILE", tmp_path / "progress.json")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("COURSE_PROGRESS", raising=False)
    return module


def test_progress_is_kept(kept_progress, capsys):
    check("softmax", lambda scores: scores)
    check("total", sum)
    check("total", max)  # what is done stays done
    check("jacobian", None)
    assert json.loads(kept_progress.FILE.read_text(encoding="utf-8")) == {
        "softmax": "wrong",
        "total": "right",
    }
    capsys.readouterr()
    show_progress()
    text = capsys.readouterr().out
    assert "Lesson 00: 1 of 1\n  ✓ total" in text
    assert "✗ softmax" in text
    assert "○ jacobian" in text


@pytest.mark.parametrize("damage", ["", "{", "[1, 2]", '{"softmax": 7}', "null", "\x00\xff", "[" * 100_000])
def test_a_damaged_progress_file_counts_as_empty(kept_progress, damage):
    kept_progress.FILE.write_text(damage, encoding="utf-8")
    assert kept_progress.read() == {}
    check("total", sum)
    assert kept_progress.read() == {"total": "right"}


def test_a_folder_that_cannot_be_written_costs_nothing_else(kept_progress, monkeypatch, capsys):
    monkeypatch.setattr(kept_progress, "FILE", kept_progress.FILE.parent / "missing" / "progress.json")
    check("total", sum)
    assert capsys.readouterr().out.startswith("✓")


@pytest.mark.parametrize(("variable", "value"), [("CI", "true"), ("COURSE_PROGRESS", "off")])
def test_progress_is_off(kept_progress, monkeypatch, variable, value, capsys):
    monkeypatch.setenv(variable, value)
    check("total", sum)
    assert not kept_progress.FILE.exists()
    capsys.readouterr()
    progress()
    assert capsys.readouterr().out == "Progress is not kept here (CI, or COURSE_PROGRESS=off).\n"


# --- speed


def test_importing_loads_nothing():
    code = "import sys, helpers.exercises; print(sorted({'numpy', 'torch', 'matplotlib'} & set(sys.modules)))"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
    loaded = code.replace("; print", "; helpers.exercises.evaluate('softmax', len); print")
    command = [sys.executable, "-c", loaded]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "['numpy']\n"


def test_a_check_is_quick():
    times = []
    for exercise in FUNCTIONS:
        attempts = [
            exercise.right,
            *(v.function for v in exercise.diagnosis.singles[::4]),
            lambda *inputs: 1.0,
        ]
        for attempt in attempts:
            start = time.process_time()
            evaluate(exercise.name, attempt)
            times.append(time.process_time() - start)
    assert median(times) < 0.3
    assert max(times) < 1

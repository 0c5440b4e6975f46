"""Every mistake is rejected and named, right code in any style passes, and nothing harms the kernel."""

from __future__ import annotations

import builtins
import importlib
import inspect
import math
import os
import random
import re
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import kill_table
import lesson_files
import numpy as np
import pytest
from handed_out import GIVEN
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.exercises import catalogue, evaluate, hint
from helpers.exercises.catalogue import exercises, find, lessons, names
from helpers.exercises.engine import sandbox
from helpers.exercises.engine.diagnosis import agree, plain_outcome
from helpers.exercises.kinds import Choose, Mend, Open, Predict, Table, Write
from helpers.exercises.lesson_01.neighbours_bug import neighbours
from helpers.similarity import cosine_scores
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
        assert len(group) >= 5, f"lesson {lesson} has fewer than five exercises"
        bugs = sum(isinstance(exercise, Mend) for exercise in group)
        assert bugs >= 2, f"lesson {lesson} has fewer than two exercises to find a bug (Mend)"
        assert any(exercise.kind == "open-ended" for exercise in group), f"lesson {lesson} has no Open"


def test_no_name_is_used_twice():
    assert len(exercises()) == sum(map(len, lessons().values()))


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_no_two_mistakes_have_one_name(exercise):
    uses = Counter(mistake.name for mistake in exercise.mistakes)
    assert [name for name, count in uses.items() if count > 1] == []


@pytest.mark.parametrize("lesson", catalogue.LESSONS)
def test_order_names_every_exercise_of_the_lesson_s_folder(lesson):
    files = (catalogue.FOLDER / f"lesson_{lesson}").glob("*.py")
    there = {file.stem.replace("_", "-") for file in files if "\nEXERCISE = " in file.read_text("utf-8")}
    assert there == set(catalogue.names()[lesson]), f"ORDER and the files of lesson_{lesson}/ differ"


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_the_recipe_without_a_mistake_is_right(exercise):
    for probe in exercise.probes:
        right, recipe = plain_outcome(exercise.right, probe), plain_outcome(exercise.recipe, probe)
        assert right.value is not None
        assert recipe.value is not None
        assert agree(recipe.value, right.value)
        # −inf is an answer of log-softmax, and log_sum_exp where no key was seen.
        assert np.isfinite(right.value).all() or exercise.name in ("log-softmax", "merge")


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_no_two_mistakes_look_the_same(exercise):
    """Each single mistake, in each way of writing it, is named as itself and as nothing else."""
    right = [plain_outcome(exercise.right, probe) for probe in exercise.probes]
    for version in exercise.diagnosis.singles:
        outcomes, (mistake,) = exercise.diagnosis.outcomes(version), version.names
        alike = {name for other in exercise.diagnosis.name(outcomes) for name in other.names} - {mistake}
        harmless = all(map(exercise.accepts, outcomes, right, exercise.probes))
        assert not harmless, (
            f"{mistake} is right on every probe: it is no mistake, or a probe is missing that shows it"
        )
        assert not alike, (
            f"{mistake} gives the same as {', '.join(sorted(alike))} on every probe: they are one mistake "
            "(then each is a way `| ...` of one paragraph), or a probe is missing that tells them apart"
        )


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_probes_can_tell_axes_apart(exercise):
    """No two axes of a probe have the same length, none has length 1, nothing easy is saturated.

    One probe has square matrices: only there does a matrix left out give numbers and no error. And where a
    single new token asks, an axis has length 1.
    """
    for probe in exercise.probes:
        for name, value in probe.inputs.items():
            if isinstance(value, np.ndarray) and name not in ("vectors", "mask", "causal"):
                square = name.startswith("w_") and probe.kind == "all as wide as the tokens"
                assert square or len(set(value.shape)) == value.ndim, (probe.kind, name)
                one_number_a_row = name in ("running_max", "running_sum")
                assert 1 not in value.shape or one_number_a_row or "one new token" in probe.kind
        as_many = exercise.name in ("future-bug", "torch-layout") or "as many queries as keys" in probe.kind
        if {"queries", "keys"} <= probe.inputs.keys() and not probe.hard and not as_many:
            sizes = (*probe.inputs["queries"].shape, probe.inputs["keys"].shape[-2])
            assert len(set(sizes)) == len(sizes)
        if "scores" in probe.inputs and not probe.hard and exercise.name != "unit-spread":
            assert softmax(probe.inputs["scores"]).max() < 0.99


def headings() -> set[str]:
    found = set()
    for path in lesson_files.notebooks():
        for cell in lesson_files.read(path).cells:
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
    if isinstance(exercise, Write):
        clauses = [mistake.says for mistake in exercise.mistakes]
        assert [text for text in clauses if text.endswith(".")] == [], "what was done: without a full stop"


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
    ("neighbours-bug", lambda w, v, n: neighbours(w, v, len(v) - 1)[:n].tolist()),
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
    ("scaled-scores", lambda q, k: q @ np.swapaxes(k, 1, 2) / q.shape[-1] ** 0.5, {("three-axes-only",)}),
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


# Answers of a blind trial by beginners' ways: missed, named wrongly or not named at all by an earlier check.


def _most_alike(change_scores=None, order=None, choose=None):
    """The frame of my_neighbours, with other steps in it."""

    def my_neighbours(word, vectors, how_many):
        scores = cosine_scores(vectors[[word]], vectors)[0]
        if change_scores is not None:
            scores[word] = change_scores
        best_first = np.argsort(-scores) if order is None else order(scores)
        if choose is None:
            return best_first[:how_many]
        return choose(best_first, word, scores)[:how_many]

    return my_neighbours


def _cut_root(d_k):
    return int(np.sqrt(d_k))


def _starts_at_1(query, key):
    result = 1
    for a, b in zip(query, key, strict=True):
        result += a * b
    return result


def _silenced_too_late(word, vectors, how_many):
    scores = cosine_scores(vectors[[word]], vectors)[0]
    best_first = np.argsort(-scores)
    scores[word] = -np.inf
    return best_first[:how_many]


def _in_place_on_queries(queries, keys):
    queries /= np.sqrt(queries.shape[-1])
    return queries @ np.swapaxes(keys, -1, -2)


def _renormalised(queries, keys):
    weights = softmax(_scores(queries, keys)) / np.sqrt(queries.shape[-1])
    return weights / weights.sum(axis=-1, keepdims=True)


def _one_hot(queries, keys):
    scores = _scores(queries, keys) / np.sqrt(queries.shape[-1])
    return np.eye(scores.shape[-1])[scores.argmax(-1)]


def _no_keepdims(queries, keys):
    exponentials = np.exp(_scores(queries, keys) / np.sqrt(queries.shape[-1]))
    return exponentials / exponentials.sum(axis=-1)


def _scores(queries, keys):
    return queries @ np.swapaxes(keys, -1, -2)


def _cos(query, key):
    return query @ key / (np.linalg.norm(query) * np.linalg.norm(key))


def _query_length_twice(query, key):
    query_length = np.sqrt(np.sum(query**2))
    key_length = np.sqrt(np.sum(query**2))
    return query @ key / (query_length * key_length)


def _if_equal_1(query, key):
    if np.array_equal(query, key):
        return 1.0
    return query @ key / (np.sum(query**2) * np.sum(key**2))


def _half(vector):
    return np.sum(vector**2) ** 1 / 2


D_K = (4, 16, 64, 256, 1024)
TRIAL = [
    ("dot-product", _starts_at_1, ("starts-at-1",)),
    ("dot-product", lambda q, k: round(float(q @ k), 2), ("rounded",)),
    ("dot-product", lambda q, k: np.sum((q * k) ** 2), ("squares",)),
    ("dot-product", lambda q, k: sum(a**b for a, b in zip(q, k, strict=True)), ("power",)),
    ("dot-product", lambda q, k: np.sqrt(np.sum((q - k) ** 2)), ("distance",)),
    ("dot-product", lambda q, k: sum(abs(a * b) for a, b in zip(q, k, strict=True)), ("absolute-products",)),
    (
        "dot-product",
        lambda q, k: sum(max(a * b, 0) for a, b in zip(q, k, strict=True)),
        ("negatives-skipped",),
    ),
    ("dot-product", lambda q, k: (q * k)[:-1].sum() / len(q), ("mean", "last-left-out")),
    ("all-scores", lambda q, k: q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]), ("reshaped",)),
    ("all-scores", lambda q, k: q @ k.reshape(k.shape[1], k.shape[0]), ("reshaped",)),
    ("all-scores", lambda q, k: q @ np.swapaxes(k, 1, 2), ("three-axes-only",)),
    ("all-scores", lambda q, k: q @ k.transpose(-2, -1), ("transposed-to-the-old-order",)),
    ("all-scores", lambda q, k: np.transpose(q, (0, 1)) @ k, ("transposed-to-the-old-order",)),
    ("all-scores", lambda q, k: q @ k.transpose(-1, -2), ("two-axes-transposed",)),
    ("all-scores", lambda q, k: (k @ q.transpose(1, 0)).transpose(1, 0), ("two-axes-transposed",)),
    ("all-scores", lambda q, k: np.einsum("bqd,bkd->bqk", q, k), ("three-axes-only",)),
    ("all-scores", lambda q, k: [[np.dot(a, b) for b in k] for a in q], ("one-matrix-only",)),
    (
        "scaled-scores",
        lambda q, k: q @ k.transpose(-2, -1) / np.sqrt(q.shape[-1]),
        ("transposed-to-the-old-order",),
    ),
    ("scale-bug", lambda q, k: q @ k.transpose(-1, -2), ("never-scaled", "two-axes-transposed")),
    ("cosine-bug", _query_length_twice, ("query-twice",)),
    ("cosine-bug", lambda q, k: q @ k / np.sum(q**2), ("query-twice",)),
    ("cosine-bug", lambda q, k: q @ k / (_half(q) * _half(k)), ("half-not-root",)),
    ("cosine-bug", lambda q, k: q @ k / (len(q) * len(k)), ("number-of-entries",)),
    ("cosine-bug", lambda q, k: q @ k / (np.sqrt(q**2) * np.sqrt(k**2)), ("root-not-summed",)),
    ("cosine-bug", lambda q, k: (q / np.linalg.norm(q)) * (k / np.linalg.norm(k)), ("not-summed",)),
    ("cosine-bug", lambda q, k: np.cos(_cos(q, k)), ("cos-of-result",)),
    ("cosine-bug", lambda q, k: np.cos(q @ k), ("cos-of-result", "no-length")),
    ("cosine-bug", lambda q, k: np.degrees(np.arccos(_cos(q, k))), ("angle",)),
    ("cosine-bug", lambda q, k: np.corrcoef(q, k)[0, 1], ("correlation",)),
    ("cosine-bug", lambda q, k: q @ k / (q.max() * k.max()), ("largest-entry",)),
    ("cosine-bug", lambda q, k: round(_cos(q, k), 2), ("rounded",)),
    ("cosine-bug", lambda q, k: max(0.0, _cos(q, k)), ("negative-cut",)),
    ("cosine-bug", _if_equal_1, ("one-case-only",)),
    ("neighbours-bug", _most_alike(choose=lambda best, word, scores: best[1:]), ("first-of-order-left-out",)),
    (
        "neighbours-bug",
        _most_alike(order=lambda s: np.argsort(s)[::-1], choose=lambda best, word, scores: best[1:]),
        ("first-of-order-left-out",),
    ),
    (
        "neighbours-bug",
        _most_alike(choose=lambda best, word, scores: [i for i in best if scores[i] < 0.9999]),
        ("twins-left-out",),
    ),
    ("neighbours-bug", _most_alike(-1), ("score-minus-1-for-itself",)),
    ("neighbours-bug", _most_alike(0), ("score-0-for-itself",)),
    ("neighbours-bug", _most_alike(np.inf), ("itself-included",)),
    ("neighbours-bug", _silenced_too_late, ("itself-included",)),
    (
        "neighbours-bug",
        _most_alike(choose=lambda best, word, scores: [i for i in best if i is not word]),
        ("itself-included",),
    ),
    (
        "neighbours-bug",
        _most_alike(choose=lambda best, word, scores: np.delete(best, word)),
        ("place-left-out",),
    ),
    ("neighbours-bug", _most_alike(-np.inf, order=np.argsort), ("ascending-after-silence",)),
    ("scaled-scores", lambda q, k: _scores(q, k) / q.shape[-1] ** 1 / 2, ("power-first",)),
    ("scaled-scores", lambda q, k: _scores(q, k) / (q.shape[-1] ** 1 / 2), ("half-d_k",)),
    ("scaled-scores", lambda q, k: _scores(q, k) / _cut_root(q.shape[-1]), ("root-whole",)),
    ("scaled-scores", lambda q, k: _scores(q, k) // np.sqrt(q.shape[-1]), ("floored",)),
    ("scaled-scores", _in_place_on_queries, ("divided-in-place",)),
    (
        "scale-bug",
        lambda q, k: _scores(q, k) / np.sqrt(k.shape[-2]) / np.sqrt(q.shape[-1]),
        ("root-n_keys-too",),
    ),
    ("scale-bug", lambda q, k: _scores(q, k) / np.sqrt(k.shape[-2]), ("root-n_keys",)),
    ("order-bug", _renormalised, ("never-scaled",)),
    ("order-bug", _no_keepdims, ("keepdims",)),
    ("order-bug", lambda q, k: softmax(softmax(_scores(q, k)) / np.sqrt(q.shape[-1])), ("softmax-twice",)),
    ("order-bug", _one_hot, ("one-key-takes-all",)),
    ("order-bug", lambda q, k: softmax(-_scores(q, k) / np.sqrt(q.shape[-1])), ("sign-turned",)),
    ("order-bug", lambda q, k: softmax(_scores(q, k)) / np.sqrt(q.shape[-1]) * 2, ("balanced-by-hand",)),
    ("order-bug", lambda q, k: np.ones_like(_scores(q, k)) / k.shape[-2], ("equal-weights",)),
    ("order-bug", lambda q, k: np.round(softmax(_scores(q, k) / np.sqrt(q.shape[-1])), 2), ("rounded",)),
    ("unit-spread", lambda s, d_k, sigma: s / s.std(), ("measured-spread",)),
    ("unit-spread", lambda s, d_k, sigma: (s - s.mean()) / s.std(), ("measured-spread",)),
    ("unit-spread", lambda s, d_k, sigma: s / s.std(axis=1, keepdims=True), ("measured-spread",)),
    ("unit-spread", lambda s, d_k, sigma: s / (d_k * sigma**4) ** 1 / 2, ("power-first",)),
    ("unit-spread", lambda s, d_k, sigma: s / np.sqrt(d_k) * sigma, ("sigma-multiplied-once",)),
    ("spread-table", {d: [1, 1, 1 / d**0.5] for d in D_K}, ("variance-1",)),
    ("spread-table", {d: [d * d, d, d**0.5] for d in D_K}, ("variance-squared",)),
    ("spread-table", {d: [4 * d, 2 * d**0.5, 1] for d in D_K}, ("next-row",)),
    ("spread-table", {d: [d, 2 * d**0.5, 2] for d in D_K}, ("next-row",)),
    ("spread-table", {d: [4, 2, 1] for d in D_K}, ("first-row-copied",)),
    ("spread-table", {d: [d, math.log2(d), 1] for d in D_K}, ("logarithm",)),
]


@pytest.mark.parametrize(("name", "attempt", "mistakes"), TRIAL)
def test_an_answer_of_the_trial_is_named(name, attempt, mistakes):
    feedback = evaluate(name, attempt)
    assert feedback.status == "wrong"
    assert feedback.named == (mistakes,), feedback.text


def _returns_both(queries, keys):
    scores = _scores(queries, keys) / np.sqrt(queries.shape[-1])
    return softmax(scores), scores


def _one_too_far(query, key):
    return sum(query[i] * key[i] for i in range(len(query) + 1))


def _power_by_hat(scores, d_k, sigma):
    return scores / (np.sqrt(d_k) * sigma ^ 2)


def _list_remove(word, vectors, how_many):
    order: Any = list(np.argsort(-cosine_scores(vectors[[word]], vectors)[0]))
    order = order.remove(word)
    return order[:how_many]


def _as_in_pytorch(queries, keys):
    return queries @ keys.transpose(-2, -1)


def _three_letters(queries, keys):
    return np.einsum("bqd,bkd->bqk", queries, keys)


def _query_by_query(queries, keys):
    return [[np.dot(q, k) for k in keys] for q in queries]


def _turned_round(queries, keys):
    return queries @ keys.T


def _all_for_one_sentence(queries, keys):
    return _turned_round(queries, keys) / queries.shape[1] ** 0.5


TOLD = [  # where no mistake can be named: what the text must hold, and what it must not hold
    (
        "spread-table",
        {d: [d, 2 * d**0.5, 2] for d in D_K},
        'follows from your "spread": mend that',
        "dividing. Di",
    ),
    ("spread-table", {d: [d, {4: 4, 16: 8}.get(d, d**0.5), 1] for d in D_K}, "not 8", "d_k is the variance"),
    ("spread-table", {d: [d, {64: 64}.get(d, d**0.5), 1] for d in D_K}, "square root", "d_k is the variance"),
    ("predict-spread", 9.9, "That is close", "No usual path"),
    ("predict-spread", 50, "No usual path", "close"),
    ("predict-score-shape", 35, "not 35.", "(35,)"),
    ("dot-product", lambda q, k: print(q @ k), "no number came back", "array"),
    ("dot-product", lambda q, k: q.dot, "a call needs brackets", "array"),
    ("dot-product", np.correlate, "one number, not an array of shape (1,)", "()"),
    ("dot-product", _one_too_far, "which is what range(n) gives", "array of shape"),
    ("dot-product", lambda q, k: q[-1] * k[-1], "`=+` is read as `= +`", "right shape"),
    ("unit-spread", _power_by_hat, "A power is written `**`", "Somewhere a None"),
    (
        "unit-spread",
        lambda s, d_k, sigma: s / (np.sqrt(d_k) * sigma**2) + 5,
        "moved as well, by about 5.",
        "measuring",
    ),
    ("unit-spread", lambda s, d_k, sigma: s / (d_k * sigma**2), " d_k was divided by", "D_k"),
    ("unit-spread", lambda s, d_k, sigma: s / sigma**2, " d_k was left out", "D_k"),
    ("order-bug", _returns_both, "You returned a tuple of 2 arrays", "The shape should be"),
    ("order-bug", lambda q, k: softmax(_scores(q, k), axis=0), "Lesson 0", "Lesson 03"),
    ("scaled-scores", lambda q, k: _scores(q, k) / _cut_root(q.shape[-1]), "d_k 5", "one sentence of whole"),
    ("neighbours-bug", _list_remove, "give them a line of their own", "Traceback"),
    ("disagree", [[1, 0], [1, 0], [5]], "row 3 has 1 number", "list of 3"),
    ("disagree", [["1", "0"], ["a", "b"], ["5", "5"]], 'row 1 holds the text "1"', "list of 3"),
    ("disagree", "[[1, 0], [1, 0], [5, 5]]", "leave the quotation marks away", "list of 3"),
    ("disagree", ["1,0", "1,0", "5,5"], 'row 1 is the text "1,0"', "list of 3"),
    ("disagree", ([1, 0], ([1, 0], [5, 5])), "3 rows are needed", "list of 3"),
    ("disagree", [[1, 0], [None, None], [5, 5]], "row 2 holds None", "list of 3"),
    ("disagree", [[1, 1], [1, 1], [3, 3]], "the two cosines are equal", "key 0"),
    ("disagree", [[1, 0], [1, 0], [1, 5]], "the two dot products are equal", "key 0"),
    ("disagree", [[1, 0], [2, 0.1], [1, 1]], "both choose the first key", "key 0"),
    ("disagree", [[1, 0], [3, 1], [0, 2]], "turn it towards the query, then", "product wins"),
    ("disagree", [[1, 0], [3, 1], [-1, 2]], "turn it towards the query, then", "product wins"),
    ("disagree", [[1, 0], [1, 0], [0, 1]], "turn it towards the query, then", "product wins"),
    ("disagree", [[1, 1], [1, 0], [0.6, 0.8]], "Make the key with the smaller cosine longer", "one of them"),
    ("disagree", [[1, 0], [-1, 5], [-2, 0.1]], "make the key with the larger cosine longer", "smaller"),
    ("all-scores", _as_in_pytorch, "NumPy's `transpose` takes the new order of all axes", "not transposed"),
    ("all-scores", _three_letters, "In np.einsum, `...` stands for them", "@"),
    ("all-scores", _query_by_query, "`for query in queries` walks over sentences", "not transposed"),
    ("scaled-scores", _all_for_one_sentence, "d_k is shape[-1]", "not transposed"),
    ("all-scores", _turned_round, "`.T` and np.transpose reverse every axis", "d_k is shape"),
    ("unit-spread", lambda s, d_k, sigma: s / np.sqrt(d_k * sigma**2), "takes it back to sigma", "Two"),
    ("unit-spread", lambda s, d_k, sigma: s / np.sqrt(d_k) * sigma**2, "brackets around b * c", "Two"),
]


@pytest.mark.parametrize(("name", "attempt", "said", "unsaid"), TOLD)
def test_an_answer_of_the_trial_is_told(name, attempt, said, unsaid):
    feedback = evaluate(name, attempt)
    text = " ".join(feedback.text.split())
    assert feedback.status == "wrong"
    assert said in text
    assert unsaid not in text


def test_a_changed_input_is_told_before_the_mistake():
    text = " ".join(evaluate("scaled-scores", _in_place_on_queries).text.split())
    assert text.index("After the call queries no longer holds") < text.index("divided in place")


def test_twins_may_be_left_out_by_row_number_in_any_style():
    def with_a_loop(word, vectors, how_many):
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        scores = unit @ unit[word]
        others = [row for row in range(len(vectors)) if row != word]
        return sorted(others, key=lambda row: -scores[row])[:how_many]

    for attempt in (with_a_loop, _most_alike(-np.inf), _most_alike(-2)):
        assert evaluate("neighbours-bug", attempt).status == "right"


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


def test_the_advice_on_disagree_leads_to_a_right_answer():
    """Whichever key the text says to lengthen, a longer one is right; where no length helps, none does."""
    ways = set()
    for first, second in [
        ([3, 1], [1, 2]), ([1, 0], [0.6, 0.8]), ([-1, 5], [-2, 0.1]), ([3, 1], [-1, 2]), ([0, 1], [-1, 0])
    ]:  # fmt: skip
        text = " ".join(evaluate("disagree", [[1, 0], first, second]).text.split())
        assert "both choose the first key" in text
        longer = [
            [place for place in (0, 1) if _right_once_longer([first, second], place, times)]
            for times in (1e-6, 1e-3, 1e3, 1e6)
        ]
        (way,) = (
            way
            for way in ("no length helps", "the smaller cosine longer", "the larger cosine longer")
            if way in text
        )
        ways.add(way)
        place = {"the smaller cosine longer": 1, "the larger cosine longer": 0}.get(way)
        assert longer[-1] == ([] if place is None else [place])
        assert place is not None or not any(longer)
    assert len(ways) == 3


def _right_once_longer(keys, place, times):
    keys = np.array(keys, dtype=float)
    keys[place] *= times
    return evaluate("disagree", [[1, 0], *keys.tolist()]).status == "right"


def _swapped_and_multiplied(queries, keys):
    return keys @ np.swapaxes(queries, -1, -2) * np.sqrt(queries.shape[-1])


def test_each_of_two_reasons_says_which_mistake_it_explains():
    text = " ".join(evaluate("scaled-scores", _swapped_and_multiplied).text.split())
    assert "multiplied by √d_k, and queries and keys changed places. On the first: That spreads them" in text
    assert text.index("further") < text.index("On the second: Rows belong to queries")


def test_a_section_that_explains_both_mistakes_is_cited_once():
    both = evaluate("cosine-bug", lambda q, k: np.cos(q @ k))
    assert len(both.mistakes) == 2
    assert both.text.count("(Lesson") == 1
    assert evaluate("scaled-scores", _swapped_and_multiplied).text.count("(Lesson") == 2


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
    """The name of a module that loads for longer than a check may take, and counts how often it starts."""
    name = "slow_to_load"
    (tmp_path / f"{name}.py").write_text(
        "import sys, time\n"
        "sys.times_started = getattr(sys, 'times_started', 0) + 1\n"
        "for _ in range(60):\n"
        "    time.sleep(0.01)\n"
        "loaded = True\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
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
    assert time.monotonic() - start > 0.6  # it was waited for
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
    assert 0.6 < time.monotonic() - start < 3
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
    assert time.monotonic() - start < 5


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
    clock = sandbox.Clock(1.0)
    clock.forgive(sandbox.AN_IMPORT / 2)  # nothing was loaded
    assert clock.left() <= 1.0
    clock.forgive(10.0)
    assert 10 < clock.left() <= 11.0
    clock.forgive(sandbox.MOST_IMPORTING)
    assert clock.left() <= 1.0 + sandbox.MOST_IMPORTING
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


# --- find the bug, predict, table, choose, open


@pytest.mark.parametrize("exercise", [e for e in FUNCTIONS if isinstance(e, Mend)], ids=by_name)
def test_a_given_function_is_known_as_given(exercise):
    source = inspect.getsource(GIVEN[exercise.name])
    names = vars(inspect.getmodule(GIVEN[exercise.name]))
    for before in ("", "import numpy as np\n"):  # which changes the compiled steps of np.sqrt(...)
        space = dict(names)
        exec(before + source, space)
        feedback = evaluate(exercise.name, space[GIVEN[exercise.name].__name__])
        assert feedback.status == "not attempted"
        assert "still the function as given" in feedback.text
        assert " ".join(feedback.text.split()).endswith(" ".join(exercise.symptom.split()))


@pytest.mark.parametrize("exercise", [e for e in FUNCTIONS if isinstance(e, Mend)], ids=by_name)
def test_an_edit_that_changes_no_result_is_answered_as_an_attempt(exercise):
    def rewritten(*inputs):
        return GIVEN[exercise.name](*inputs) + 0

    feedback = evaluate(exercise.name, rewritten)
    assert feedback.status == "wrong"
    assert feedback.named == ((exercise.given,),)
    assert feedback.text.startswith(f"✗ {exercise.name}: your change gives the same results as the function")


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
    text = evaluate("spread-table", {**empty, 4: [4, 4, 1], 16: [16, 16, None]}).text
    assert "d_k 16, spread: not 16" in text
    assert "d_k is the variance" in text
    assert "should hold 3 numbers" in evaluate("spread-table", {**empty, 4: [1]}).text


# --- hint, solution, progress


def test_hints_go_one_step_further(capsys):
    import helpers.exercises as package

    package._hints_given.clear()
    wanted = exercises()["softmax"].hints
    for number, text in enumerate((*wanted, wanted[-1])):
        hint("softmax")
        printed = " ".join(capsys.readouterr().out.split())
        assert text in printed
        assert f"Hint {min(number + 1, len(wanted))} of {len(wanted)}" in printed
    assert 'solution("softmax")' in printed
    hint("sofmax")
    assert "softmax" in capsys.readouterr().out


# --- speed


def test_importing_loads_nothing():
    code = "import sys, helpers.exercises; print(sorted({'numpy', 'torch', 'matplotlib'} & set(sys.modules)))"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
    loaded = code.replace("; print", "; helpers.exercises.evaluate('softmax', len); print")
    command = [sys.executable, "-c", loaded]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "['numpy']\n"


def test_neither_progress_nor_a_name_that_is_not_there_loads_an_exercise_or_torch(tmp_path):
    code = "import sys; from helpers.exercises import check, progress, solution; check('softmx', len); "
    code += "solution('torch-atention'); progress(); "
    code += "print([n for n in sys.modules if '.lesson_' in n and n.count('.') > 2 or n == 'torch'])"
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment["COURSE_PROGRESS"] = str(tmp_path)
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert "The nearest names: softmax" in said
    assert "The nearest names: torch-attention" in said
    assert "Lesson 08: " in said
    assert said.endswith("\n[]\n")


def test_names_read_from_the_files_are_those_of_the_exercises():
    assert names() == {lesson: tuple(e.name for e in group) for lesson, group in lessons().items()}


def test_a_check_loads_its_own_exercise_and_no_other():
    code = "import sys; from helpers.exercises.catalogue import find; print(find('dot-product').name); "
    code += "print([name[18:] for name in sys.modules if '.lesson_' in name and name.count('.') > 2])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "dot-product\n['lesson_01.dot_product']\n"


def test_every_exercise_is_found_by_its_name():
    for name, exercise in exercises().items():
        assert find(f" {name} ") is exercise
    assert find("no such exercise") is None


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

"""Name that bug: one right answer in each line-up, nowhere in particular, and replies that were computed."""

from __future__ import annotations

import ast
import re
from collections import Counter

import lesson_files
import numpy as np
import pytest

from helpers.exercises import catalogue, check, evaluate, evidence, hint, line_up
from helpers.exercises.catalogue import exercises, names
from helpers.exercises.engine.diagnosis import agree, plain_outcome
from helpers.exercises.kinds import Reverse
from helpers.exercises.kinds.reverse import LETTERS
from helpers.exercises.lesson_03 import suspect_softmax
from helpers.exercises.lesson_04 import suspect_roles
from helpers.exercises.lesson_05 import suspect_mask
from helpers.exercises.lesson_06 import suspect_heads
from helpers.exercises.lesson_08 import suspect_torch
from helpers.exercises.lesson_14 import suspect_cache

REVERSE = [exercise for exercise in exercises().values() if isinstance(exercise, Reverse)]
every_one = pytest.mark.parametrize("exercise", REVERSE, ids=lambda exercise: exercise.name)
VISIBLE = 0.04  # of the largest number shown: two decimals, or a curve, show no less


@pytest.mark.parametrize("lesson", ["02", "03", "04", "05", "06", "07", "08", "13", "14"])
def test_each_of_these_lessons_has_one(lesson: str) -> None:
    assert {exercise.name for exercise in REVERSE} & set(names()[lesson])


@every_one
def test_the_line_up_has_exactly_one_right_answer(exercise: Reverse) -> None:
    """Every choice is run, in every way in which it is written: one shows what is shown, and no other."""
    with exercise.of.dice_as_they_were():
        shown = exercise.evidence
        right = [
            letter
            for letter, mistake in exercise.options.items()
            if any(agree(exercise.seen_of(version), shown) for version in exercise.versions(mistake.name))
        ]
    assert right == [exercise.answer]
    assert len(exercise.options) == 1 + len(exercise.others) == 4


@every_one
def test_the_choices_can_be_told_apart_by_eye(exercise: Reverse) -> None:
    shown = exercise.evidence
    scale = float(abs(shown).max())
    for name in exercise.others:
        for version in exercise.versions(name):
            other = exercise.seen_of(version)
            far = other.shape != shown.shape or np.nan_to_num(abs(other - shown), nan=np.inf).max()
            assert far > VISIBLE * scale, version.names


@every_one
def test_a_right_function_would_show_something_else(exercise: Reverse) -> None:
    def call(*inputs: object) -> object:
        from helpers.exercises.engine.probes import Probe
        from helpers.exercises.engine.sandbox import taken_apart

        named = dict(zip(exercise.of.probes[0].inputs, inputs, strict=True))
        outcome = plain_outcome(exercise.of.right, Probe("right", named, form=exercise.of.form))
        return taken_apart(outcome) if outcome.joined else outcome.value

    right = np.asarray(exercise.shows(call), dtype=np.float64)
    assert abs(right - exercise.evidence).max() > VISIBLE * abs(exercise.evidence).max()


def test_the_right_answer_stands_nowhere_in_particular() -> None:
    places = Counter(exercise.answer for exercise in REVERSE)
    assert set(places) == set(LETTERS[:4])
    assert max(places.values()) <= len(REVERSE) / 2
    first = [exercise.answer == "a" for exercise in REVERSE]
    assert not all(first)


@every_one
def test_a_wrong_pick_is_told_by_numbers_that_are_true(exercise: Reverse) -> None:
    for letter, mistake in exercise.options.items():
        if letter == exercise.answer:
            continue
        feedback = evaluate(exercise.name, letter)
        assert (feedback.status, feedback.named) == ("wrong", ((mistake.name,),))
        told = " ".join(feedback.text.split())
        assert f"✗ {exercise.name}: not {letter}, {mistake.name}." in told
        theirs, here = re.findall(
            rf"\({letter}\) would show ([−-]?[\d.]+) (?:at|in) .*?; here you see ([−-]?[\d.]+)\.", told
        )[0]
        assert theirs != here
        assert any(f"{value:.2f}" == f"{float(here):.2f}" for value in exercise.evidence.ravel())
        found = exercise.apart(mistake.name)
        assert found is not None, "no probe of the other exercise tells the two apart"
        probe, mine, other = found
        assert probe.kind in told
        assert mine.value is None or other.value is None or not agree(mine.value, other.value)
        assert exercise.made not in told.replace(exercise.name, ""), "the reply gives the answer away"
        assert "the bug shown" in told.lower()
        assert feedback.text.count("\n") <= 18  # as many with the largest input that is printed whole


@every_one
def test_the_telling_input_can_be_copied_from_the_reply(exercise: Reverse) -> None:
    """What is printed in brackets, put in again, gives the results that the reply prints beside it."""
    whole = 0
    for letter, mistake in exercise.options.items():
        found = exercise.apart(mistake.name) if letter != exercise.answer else None
        if found is None:
            continue
        probe, mine, _ = found
        told = " ".join(evaluate(exercise.name, letter).text.split())
        copied = dict(re.findall(r"(\w+) = (\[\[?.*?\]\]?)(?= \w| the|$)", told))
        arrays = {name: value for name, value in probe.inputs.items() if isinstance(value, np.ndarray)}
        if exercise.name in ("suspect-heads", "suspect-torch"):
            assert set(copied) == set(arrays), "no part of the input is left out"
        for name, text in copied.items():
            table = np.array(ast.literal_eval(text))
            assert table.shape == arrays[name].shape
            assert np.allclose(table, arrays[name], atol=0.005001)
            whole += 1
        assert mine.value is not None
    assert whole or exercise.name in ("suspect-softmax", "suspect-tiles")


@every_one
def test_the_letter_and_the_name_are_both_right_and_nothing_is_not_attempted(exercise: Reverse) -> None:
    for attempt in (exercise.answer, f"({exercise.answer.upper()})", exercise.made):
        feedback = evaluate(exercise.name, attempt)
        assert feedback.status == "right"
        assert exercise.made in feedback.text
    assert [evaluate(exercise.name, nothing).status for nothing in (None, ..., "")] == ["not attempted"] * 3
    for odd in ("z", 3, ["a"], "a, because of the sums", np.eye(2)):
        assert "should be one letter" in evaluate(exercise.name, odd).text


@every_one
def test_hints_do_not_name_it(exercise: Reverse) -> None:
    for text in (*exercise.hints, exercise.task):
        assert exercise.made not in text


def test_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    line_up("suspect-mask")
    printed = capsys.readouterr().out
    assert [line[:3] for line in printed.splitlines() if line.startswith("(")] == ["(a)", "(b)", "(c)", "(d)"]
    assert "score-0: You set the forbidden scores to 0." in printed
    assert evidence("suspect-mask").shape == (4, 4)
    check("suspect-mask", None)
    hint("suspect-mask")
    assert "not attempted yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("softmax", "softmax is no exercise of the kind 'name that bug'"),
        ("suspect-mesk", "The nearest names: suspect-mask"),
    ],
)
def test_another_exercise_shows_nothing(name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        evidence(name)


# --- the notebooks show what the exercises compute with


def case_of(name: str) -> str:
    found = [
        c.source
        for path in lesson_files.notebooks()
        for c in lesson_files.read(path).cells
        if c.id == f"{name}-case"
    ]
    return str(found[0])


def arrays_in(source: str) -> list[np.ndarray]:
    """Code -> the arrays that are typed in it, as np.array([...])."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [
        np.array(ast.literal_eval(call.args[0])) for call in calls if ast.unparse(call.func) == "np.array"
    ]


def test_tables_typed_in_a_notebook_are_those_of_the_exercise() -> None:
    (scores,) = arrays_in(case_of("suspect-softmax"))
    assert np.array_equal(scores, suspect_softmax.SCORES)
    queries, keys = arrays_in(case_of("suspect-roles"))
    assert np.array_equal(queries, suspect_roles.QUERIES)
    assert np.array_equal(keys, suspect_roles.KEYS)
    assert np.array_equal(np.tri(4) * [1, 1, 1, 0], suspect_torch.MASK)
    assert "np.tri(4) * [1, 1, 1, 0]" in case_of("suspect-torch")
    assert np.array_equal(10 * np.arange(4)[:, None] + np.arange(8), suspect_heads.ROWS)
    assert "10 * np.arange(4)[:, None] + np.arange(8)" in case_of("suspect-heads")
    for tokens, source in ((suspect_mask.TOKENS, "suspect-mask"), (suspect_torch.TOKENS, "suspect-torch")):
        assert str(list(tokens)).replace("'", '"') in case_of(source)
    assert [f"token {i}" for i in range(6)] == list(suspect_cache.COLUMNS)


@every_one
def test_the_case_stands_before_its_task_in_the_notebook_of_its_lesson(exercise: Reverse) -> None:
    (lesson,) = [number for number, found in catalogue.names().items() if exercise.name in found]
    (path,) = [path for path in lesson_files.lessons() if path.name.startswith(lesson)]
    ids = [cell.id for cell in lesson_files.read(path).cells]
    place = ids.index(f"{exercise.name}-case")
    assert ids[place + 1 : place + 4] == [f"{exercise.name}-{part}" for part in ("task", "try", "check")]
    assert f'evidence("{exercise.name}")' in case_of(exercise.name)
    assert f'line_up("{exercise.name}")' in case_of(exercise.name)

"""Each exercise is complete, its mistakes differ, its probes tell axes apart; and a check loads little."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import lesson_files
import numpy as np
import pytest

from course.notebooks import short
from helpers.exercises import catalogue, evaluate
from helpers.exercises.catalogue import exercises, find, lessons, names
from helpers.exercises.engine.diagnosis import agree, plain_outcome
from helpers.exercises.engine.probes import EXAMPLE
from helpers.exercises.kinds import Choose, Mend, Write
from helpers.softmax import softmax

ROOT = Path(__file__).resolve().parents[2]
OF_OTHERS = (  # Examples of tasks that share the probes of another
    "two queries, equal scores",
    "one query, and two keys",
    "a query that matches the first key",
    "a context of equal tokens",
)
FUNCTIONS = [exercise for exercise in exercises().values() if isinstance(exercise, Write)]


def by_name(exercise: Any) -> str:
    return exercise.name


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
    single new token asks, an axis has length 1. Of a task's Example, and of an input that is there for its
    axes of length 1 (test_probes.py), none of this is asked: the others tell axes apart.
    """
    for probe in exercise.probes:
        lengths = [n for v in probe.inputs.values() if isinstance(v, np.ndarray) for n in v.shape]
        thin = probe.hard and (1 in lengths or "one axis" in probe.kind)
        if probe.kind.startswith(EXAMPLE) or probe.kind in OF_OTHERS or thin:
            continue
        for name, value in probe.inputs.items():
            if isinstance(value, np.ndarray) and name not in ("vectors", "mask", "causal"):
                wide = ("all as wide as the tokens", "all rows equally long")
                square = name.startswith("w_") and probe.kind in wide
                square |= "as many queries as keys" in probe.kind
                square |= (exercise.name, name) == ("induction-score", "weights")  # a map of self-attention
                assert square or len(set(value.shape)) == value.ndim, (probe.kind, name)
                one_number_a_row = name in ("running_max", "running_sum", "query")
                assert 1 not in value.shape or one_number_a_row or "one new token" in probe.kind
        as_many = (
            exercise.name in ("future-bug", "torch-layout", "rotated-values")
            or exercise.name in ("neighbour-bug", "stale-bug", "diagonal-bug")  # a text reads itself
            or "as many queries as keys" in probe.kind
        )
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
                    f"{short(path.name)}: {text.strip()}"
                    for text in re.findall(r"^## (.+)$", cell.source, re.M)
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


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_the_helper_itself_is_right(exercise):
    assert evaluate(exercise.name, exercise.right).status == "right"


# --- what a check loads, and how quick it is


def test_importing_loads_nothing():
    code = "import sys, helpers.exercises; print(sorted({'numpy', 'torch', 'matplotlib'} & set(sys.modules)))"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
    loaded = code.replace("; print", "; helpers.exercises.evaluate('softmax', len); print")
    command = [sys.executable, "-c", loaded]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "['numpy']\n"


def test_importing_in_a_notebook_loads_the_checker_and_neither_an_exercise_nor_torch():
    code = "import sys, ipykernel, helpers.exercises; print('helpers.exercises.kinds' in sys.modules); "
    code += "print([n for n in sys.modules if '.lesson_' in n or n == 'torch'])"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True\n[]\n"


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


def test_a_check_has_little_to_do():
    # A named answer is found among the single mistakes. Only where none fits are all pairs run, on one probe:
    # how many there are bounds the longest wait. Seconds would be those of a machine.
    for exercise in FUNCTIONS:
        assert len(exercise.diagnosis.pairs) <= 12_000, exercise.name
        assert len(exercise.probes) <= 40, exercise.name

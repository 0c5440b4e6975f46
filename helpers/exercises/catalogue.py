"""Finds an exercise by its name: `softmax` is `lesson_03/softmax.py`, `axis-bug` is `lesson_03/axis_bug.py`.

A lesson's folder gives the order of teaching, ORDER. A file is loaded when its exercise is asked for:
together they take some 10 MB, and those of lesson 08 load PyTorch. Names alone need not even NumPy, which the
command that opens JupyterLab has not got.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helpers.exercises.kinds import Exercise

FOLDER = Path(__file__).parent
LESSONS = tuple(folder.name.removeprefix("lesson_") for folder in sorted(FOLDER.glob("lesson_??")))


@functools.cache
def lessons() -> dict[str, tuple[Exercise, ...]]:
    """Every lesson's exercises, in teaching order: {"00": (...), "01": (...)}."""
    return {lesson: of_lesson(lesson) for lesson in LESSONS}


def of_lesson(lesson: str) -> tuple[Exercise, ...]:
    """A lesson's number, "03" -> its exercises, in teaching order."""
    return tuple(_load(lesson, name) for name in names()[lesson])


@functools.cache
def names() -> dict[str, tuple[str, ...]]:
    """Every lesson's exercises by name, in teaching order. No exercise is loaded."""
    return {lesson: importlib.import_module(f"{__package__}.lesson_{lesson}").ORDER for lesson in LESSONS}


@functools.cache
def exercises() -> dict[str, Exercise]:
    """Every exercise by its name."""
    return {exercise.name: exercise for group in lessons().values() for exercise in group}


def find(name: object) -> Exercise | None:
    """The exercise of this name, or None. No other exercise is loaded."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9-]+", name.strip()):
        return None
    found = (lesson for lesson in LESSONS if _file(lesson, name.strip()).exists())
    return next((_load(lesson, name.strip()) for lesson in found if name.strip() in names()[lesson]), None)


def unknown(name: object) -> str:
    """One sentence for a name that is not there, with the nearest names."""
    if not isinstance(name, str) or not name:
        return 'The name comes first, in quotation marks, as in check("softmax", my_softmax).'
    shown = name if len(name) <= 40 else name[:40] + "…"
    key = name.strip().lower().replace("_", "-").replace(" ", "-")
    known = [name for group in names().values() for name in group]
    near = difflib.get_close_matches(key, known, n=3, cutoff=0.5)
    advice = f" The nearest names: {', '.join(near)}." if near else " progress() lists all names."
    return f'There is no exercise "{shown}".{advice}'


def _file(lesson: str, name: str) -> Path:
    return FOLDER / f"lesson_{lesson}" / f"{name.replace('-', '_')}.py"


def _load(lesson: str, name: str) -> Exercise:
    from helpers.exercises.kinds import Exercise

    module = importlib.import_module(f"{__package__}.lesson_{lesson}.{name.replace('-', '_')}")
    exercise = module.EXERCISE
    assert isinstance(exercise, Exercise)
    return exercise

"""Finds an exercise by its name. One file a lesson, lesson_NN.py, with its EXERCISES in teaching order."""

import ast
import difflib
import functools
import importlib
from pathlib import Path

from helpers.exercises.kinds import Exercise

FOLDER = Path(__file__).parent
FILES = {file.stem.removeprefix("lesson_"): file for file in sorted(FOLDER.glob("lesson_*.py"))}


@functools.cache
def lessons() -> dict[str, tuple[Exercise, ...]]:
    """Every lesson's exercises, in teaching order: {"00": (...), "01": (...)}."""
    return {lesson: of_lesson(lesson) for lesson in FILES}


def of_lesson(lesson: str) -> tuple[Exercise, ...]:
    """A lesson's number, "03" -> its exercises, in teaching order."""
    return tuple(importlib.import_module(f"helpers.exercises.lesson_{lesson}").EXERCISES)


@functools.cache
def names() -> dict[str, tuple[str, ...]]:
    """Every lesson's exercises by name, in teaching order, read from the files: no lesson is loaded.

    So a name that is not there, or progress(), does not load PyTorch in a lesson that has no use for it.
    """
    return {lesson: _names_in(file) for lesson, file in FILES.items()}


def _names_in(file: Path) -> tuple[str, ...]:
    made: dict[str, ast.expr] = {}
    for step in ast.parse(file.read_text("utf-8")).body:
        if isinstance(step, ast.Assign | ast.AnnAssign) and step.value is not None:
            targets = step.targets if isinstance(step, ast.Assign) else [step.target]
            made.update({target.id: step.value for target in targets if isinstance(target, ast.Name)})
    in_order = made["EXERCISES"]
    assert isinstance(in_order, ast.Tuple | ast.List)
    calls = [made[item.id] if isinstance(item, ast.Name) else item for item in in_order.elts]
    return tuple(
        keyword.value.value
        for call in calls
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == "name"
        and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, str)
    )


@functools.cache
def exercises() -> dict[str, Exercise]:
    """Every exercise by its name."""
    return {exercise.name: exercise for group in lessons().values() for exercise in group}


def find(name: object) -> Exercise | None:
    """The exercise of this name, or None.

    A lesson whose file does not hold the name is not loaded: together they take some 10 MB.
    """
    if not isinstance(name, str):
        return None
    holds = [lesson for lesson, file in FILES.items() if f'name="{name.strip()}"' in file.read_text("utf-8")]
    found = (exercise for lesson in holds for exercise in of_lesson(lesson))
    return next((exercise for exercise in found if exercise.name == name.strip()), None)


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

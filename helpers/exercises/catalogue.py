"""Finds an exercise by its name. One file a lesson, lesson_NN.py, with its EXERCISES in teaching order."""

import difflib
import functools
import importlib
import pkgutil

import helpers.exercises
from helpers.exercises.kinds import Exercise


@functools.cache
def lessons() -> dict[str, tuple[Exercise, ...]]:
    """Every lesson's exercises, in teaching order: {"00": (...), "01": (...)}."""
    modules = sorted(
        m.name for m in pkgutil.iter_modules(helpers.exercises.__path__) if m.name.startswith("lesson_")
    )
    return {
        name.removeprefix("lesson_"): tuple(importlib.import_module(f"helpers.exercises.{name}").EXERCISES)
        for name in modules
    }


@functools.cache
def exercises() -> dict[str, Exercise]:
    """Every exercise by its name."""
    return {exercise.name: exercise for group in lessons().values() for exercise in group}


def find(name: object) -> Exercise | None:
    """The exercise of this name, or None."""
    return exercises().get(name.strip()) if isinstance(name, str) else None


def unknown(name: object) -> str:
    """One sentence for a name that is not there, with the nearest names."""
    if not isinstance(name, str) or not name:
        return 'The name comes first, in quotation marks, as in check("softmax", my_softmax).'
    shown = name if len(name) <= 40 else name[:40] + "…"
    key = name.strip().lower().replace("_", "-").replace(" ", "-")
    near = difflib.get_close_matches(key, exercises(), n=3, cutoff=0.5)
    advice = f" The nearest names: {', '.join(near)}." if near else " progress() lists all names."
    return f'There is no exercise "{shown}".{advice}'

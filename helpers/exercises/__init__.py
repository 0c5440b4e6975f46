"""Exercises that name your mistake: check, hint, solution, progress.

Importing this loads nothing else, but in a notebook: there the checker comes with it, so that the first check
need not load it.

catalogue      finds an exercise by name: its file has the same name, in the folder of its lesson
lesson_NN      the exercises of one lesson, a file each, and ORDER, in which they are taught
slips          the shared vocabulary of mistakes, by idea
kinds          the kinds of exercise: write, find the bug, name that bug, predict, table, choose, open-ended
engine         runs an attempt, finds its name, and words the reply
gym            bugs without end, planted in what a learner passed: practice
progress_file  what a person has tried and solved, in that person's data folder (`progress` is the function)
unnamed        wrong answers without a name, as inputs and outputs: for a person to hand on, or not
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from gc import disable, enable, isenabled  # bound here: an answer may put something else into `gc`
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from helpers.exercises.engine.feedback import Feedback
    from helpers.exercises.kinds.reverse import Reverse
    from helpers.validation import Array

__all__ = ["check", "evaluate", "evidence", "hint", "line_up", "progress", "solution"]

_MISSING = object()
hints_given: dict[str, int] = {}


def check(name: object = _MISSING, attempt: object = _MISSING) -> None:
    """An exercise's name, the learner's answer -> feedback, printed. Never raises; the code stays hidden."""
    feedback = evaluate(name, attempt)
    _show(feedback)
    exercise, answer = (name, attempt) if isinstance(name, str) else (attempt, name)  # either order
    if isinstance(exercise, str):
        from helpers.exercises.gym.finding import bug_meant
        from helpers.exercises.progress_file import record

        record(exercise.strip(), feedback.status, feedback.named)
        planted = bug_meant(exercise)
        if planted:
            from helpers.exercises.gym.page import note

            note(planted, feedback.status, answer, hints_given)
        elif feedback.status == "right":
            from helpers.exercises.gym.passed import keep

            keep(exercise.strip(), answer)
        elif feedback.status == "wrong" and not feedback.named:
            from helpers.exercises.unnamed import note as note_unnamed

            note_unnamed(exercise.strip(), answer, feedback)


def _show(feedback: Feedback) -> None:
    """Print a reply. A notebook also gets its numbers as a table, beside the same text."""
    ipython: Any = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if feedback.grid is not None and hasattr(shell, "kernel"):
        from helpers.exercises.engine.page import as_html

        page = as_html(feedback)
        if page:
            ipython.display.display({"text/plain": feedback.text, "text/html": page}, raw=True)
            return
    print(feedback.text)


def evaluate(name: object = _MISSING, attempt: object = _MISSING) -> Feedback:
    """An exercise's name, the learner's answer -> Feedback. What `check` prints; never raises."""
    with _no_search_for_circles():
        return _evaluated(name, attempt)


@contextlib.contextmanager
def _no_search_for_circles() -> Iterator[None]:
    """Python's search for objects that point at each other waits until the check is over.

    In a kernel that holds Matplotlib it takes 0.1 s, and the first check of a kernel makes enough objects to
    set it off: it would be a good part of the time that the learner waits.
    """
    searches = isenabled()
    disable()
    try:
        yield
    finally:
        if searches:
            enable()


def _evaluated(name: object, attempt: object) -> Feedback:
    from helpers.exercises.catalogue import unknown
    from helpers.exercises.engine.feedback import Feedback
    from helpers.exercises.gym.finding import find

    if callable(name) and isinstance(attempt, str):
        name, attempt = attempt, name  # check(softmax, "softmax") is as clear as the other order
    exercise = find(name)
    if exercise is None:
        return Feedback("not attempted", "○ " + unknown("" if name is _MISSING else name))
    if attempt is _MISSING:
        return Feedback(
            "not attempted", f"○ {exercise.name}: give your answer as well, after the name and a comma."
        )
    from helpers.exercises.engine.checking import checked

    return checked(exercise.name, exercise.evaluate, attempt)


def hint(name: object) -> None:
    """An exercise's name -> a hint, printed; each call goes one step further."""
    from helpers.exercises.catalogue import unknown
    from helpers.exercises.engine.feedback import paragraph
    from helpers.exercises.gym.finding import bug_meant, find

    exercise = find(name)
    if exercise is None:
        print(unknown(name))
        return
    given = hints_given.get(exercise.name, 0)
    number = min(given, len(exercise.hints) - 1)
    hints_given[exercise.name] = given + 1
    print(paragraph(f"Hint {number + 1} of {len(exercise.hints)}: {exercise.hints[number]}", indent=""))
    if given >= len(exercise.hints) - 1:
        print(f'That is the last hint. solution("{exercise.name}") shows an answer.')
    if bug_meant(name):
        from helpers.exercises.gym.page import note_hint

        note_hint(bug_meant(name))


def solution(name: object) -> None:
    """An exercise's name -> one tested answer with its reason, printed."""
    from helpers.exercises.catalogue import unknown
    from helpers.exercises.gym.finding import bug_meant, find

    exercise = find(name)
    print(unknown(name) if exercise is None else exercise.solution())
    if exercise is not None and bug_meant(name):
        from helpers.exercises.gym.page import note_hint

        note_hint(bug_meant(name))


def evidence(name: str) -> Array:
    """The name of an exercise of the kind "name that bug" -> the numbers that the bug made, to be drawn."""
    return _reverse(name).evidence


def line_up(name: str) -> None:
    """The name of an exercise of the kind "name that bug" -> the mistakes to choose from, printed."""
    print(_reverse(name).line_up)


def _reverse(name: str) -> Reverse:
    from helpers.exercises.catalogue import find, unknown
    from helpers.exercises.kinds.reverse import Reverse

    exercise = find(name)
    if not isinstance(exercise, Reverse):
        what = f"{exercise.name} is no exercise of the kind {Reverse.kind!r}." if exercise else unknown(name)
        raise ValueError(what)
    return exercise


def progress(reset: bool = False, export: str | None = None) -> None:
    """Print which exercises are done, lesson by lesson. `reset=True` begins afresh.

    `export="unnamed.json"` writes the wrong answers that got no name into a file, as inputs and outputs: for
    you to hand on, if you like. Nothing is sent.
    """
    if export is not None:
        from helpers.exercises import unnamed

        print(unnamed.export(export))
        return
    from helpers.exercises import progress_file

    print(progress_file.reset() if reset else progress_file.report())


if "ipykernel" in sys.modules:
    import helpers.exercises.engine.checking
    import helpers.exercises.kinds  # noqa: F401 (both are only loaded)

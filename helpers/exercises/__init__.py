"""Exercises that name your mistake: check, hint, solution, progress. Importing this loads nothing else.

catalogue      finds an exercise by name: its file has the same name, in the folder of its lesson
lesson_NN      the exercises of one lesson, a file each, and ORDER, in which they are taught
slips          the shared vocabulary of mistakes, by idea
kinds          the kinds of exercise: write it, find the bug, predict, table, choose, open-ended
engine         runs an attempt, finds its name, and words the reply
progress_file  what a person has tried and solved, in that person's data folder (`progress` is the function)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helpers.exercises.engine.feedback import Feedback

__all__ = ["check", "evaluate", "hint", "progress", "solution"]

_MISSING = object()
hints_given: dict[str, int] = {}


def check(name: object = _MISSING, attempt: object = _MISSING) -> None:
    """An exercise's name, the learner's answer -> feedback, printed. Never raises; the code stays hidden."""
    feedback = evaluate(name, attempt)
    print(feedback.text)
    exercise = name if isinstance(name, str) else attempt  # either order is understood
    if isinstance(exercise, str):
        from helpers.exercises.progress_file import record

        record(exercise.strip(), feedback.status, feedback.named)


def evaluate(name: object = _MISSING, attempt: object = _MISSING) -> Feedback:
    """An exercise's name, the learner's answer -> Feedback. What `check` prints; never raises."""
    from helpers.exercises.catalogue import find, unknown
    from helpers.exercises.engine.feedback import Feedback

    if callable(name) and isinstance(attempt, str):
        name, attempt = attempt, name  # check(softmax, "softmax") is as clear as the other order
    exercise = find(name)
    if exercise is None:
        return Feedback("not attempted", "○ " + unknown("" if name is _MISSING else name))
    if attempt is _MISSING:
        return Feedback(
            "not attempted", f"○ {exercise.name}: give your answer as well, after the name and a comma."
        )
    try:
        return exercise.evaluate(attempt)
    except Exception as error:  # a fault of ours must not end the learner's Run All
        return Feedback(
            "wrong",
            f"✗ {exercise.name}: this answer could not be compared ({type(error).__name__}). "
            "Please report it with your code: the check should have an answer for everything.",
        )


def hint(name: object) -> None:
    """An exercise's name -> a hint, printed; each call goes one step further."""
    from helpers.exercises.catalogue import find, unknown
    from helpers.exercises.engine.feedback import paragraph

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


def solution(name: object) -> None:
    """An exercise's name -> one tested answer with its reason, printed."""
    from helpers.exercises.catalogue import find, unknown

    exercise = find(name)
    print(unknown(name) if exercise is None else exercise.solution())


def progress(reset: bool = False) -> None:
    """Print which exercises are done, lesson by lesson. `reset=True` begins afresh."""
    from helpers.exercises import progress_file

    print(progress_file.reset() if reset else progress_file.report())

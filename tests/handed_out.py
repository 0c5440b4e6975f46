"""Every exercise's answer, and the function that a find-the-bug exercise hands out, by name."""

from collections.abc import Callable
from typing import Any

from helpers.exercises.catalogue import exercises
from helpers.exercises.kinds import Mend, Write

ANSWERS: dict[str, Callable[..., Any]] = {
    name: exercise.answer for name, exercise in exercises().items() if isinstance(exercise, Write)
}
GIVEN: dict[str, Callable[..., Any]] = {
    name: exercise.bug for name, exercise in exercises().items() if isinstance(exercise, Mend)
}

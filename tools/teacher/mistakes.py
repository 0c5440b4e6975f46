"""What learners do wrong in an exercise, the commonest first, and what to say to it.

No class has been counted. Common is what many of the answers in tests/exercises/ do, which trial learners and
we wrote; where these are equally many or there are none, the order is that of the exercise's own file.
"""

import functools
import importlib
import importlib.machinery
import re
import sys
from collections import Counter
from typing import NamedTuple

from helpers.exercises.engine.feedback import sentence
from helpers.exercises.kinds import Choose, Exercise, Mend, Open, Predict, Reverse, Table, Write
from teacher.lessons import ROOT

Vote = Choose | Predict | Reverse  # what a room can vote on
TABLE = " " * 4  # where a line of a reply begins that belongs to a table
NOT_THIS = re.compile(r"^not (\w), [\w-]+\. \(\1\)")  # the answer, its name, the answer again


class Expected(NamedTuple):
    """A mistake to expect: its name, the wrong answer where it is short, what to say."""

    name: str
    answer: str
    say: str


def expected(exercise: Exercise) -> list[Expected]:
    """An exercise -> the mistakes to expect, in the order of its file; the bug that it hands out is none."""
    if isinstance(exercise, Write):
        given = exercise.given if isinstance(exercise, Mend) else ""
        told = {
            one.name: Expected(one.name, "", f"{sentence(one.says)} {one.idea}") for one in exercise.mistakes
        }
        return [one for one in told.values() if one.name != given]
    if isinstance(exercise, Choose):
        letters = [letter for letter in exercise.options if letter != exercise.answer]
        return [Expected(f"option {letter}", letter, exercise.options[letter]) for letter in letters]
    if isinstance(exercise, Reverse):
        others = {letter: one for letter, one in exercise.options.items() if letter != exercise.answer}
        return [
            Expected(one.name, letter, judged(exercise, letter) or f"{sentence(one.says)} {one.idea}")
            for letter, one in others.items()
        ]
    if isinstance(exercise, Predict):
        return [Expected(slip.name, shown(slip.answer), slip.reply) for slip in exercise.slips]
    if isinstance(exercise, Table):
        columns = zip(exercise.columns, exercise.slips, strict=True)
        return [Expected(one.name, f"in “{name}”", one.reply) for name, slips in columns for one in slips]
    assert isinstance(exercise, Open), exercise
    return [Expected(slip.name, "", judged(exercise, slip.answer) or slip.reply) for slip in exercise.slips]


def judged(exercise: Exercise, answer: object) -> str:
    """An exercise, an answer -> what its check says of it, on one line, without mark, names and tables.

    Nothing where that takes PyTorch and there is none, as where the site is built.
    """
    try:
        lines = exercise.evaluate(answer).text.splitlines()
    except ValueError:
        if importlib.machinery.PathFinder.find_spec("torch") is not None:
            raise
        return ""
    text = " ".join(" ".join(line for line in lines if not line.startswith(TABLE)).split())
    told = re.split(r" An input that tells| Worth rereading", text.removeprefix(f"✗ {exercise.name}: "))[0]
    return NOT_THIS.sub("It", told)


def right(exercise: Vote) -> tuple[str, str]:
    """An exercise on which a room can vote -> the right answer as it is written, and its reason."""
    if isinstance(exercise, Choose):
        return exercise.answer, exercise.options[exercise.answer]
    if isinstance(exercise, Reverse):
        mistake = exercise.options[exercise.answer]
        return f"{exercise.answer}, {mistake.name}", mistake.idea
    return shown(exercise.answer), exercise.because


def shown(answer: object) -> str:
    """A predicted answer -> how it is written."""
    return str(answer) if isinstance(answer, tuple) else f"{answer:.6g}"


def what_to_say(exercise: Exercise, name: str) -> str:
    """An exercise, a mistake's name -> what to say to it, or ""."""
    return next((one.say for one in expected(exercise) if one.name == name), "")


@functools.cache
def seen() -> Counter[tuple[str, str]]:
    """() -> how many of the answers that we collected make each mistake of each exercise."""
    for folder in (ROOT / "tests", ROOT / "tests" / "exercises"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))  # behind tools/, whose `course` is the package
    learners = importlib.import_module("learners")
    counted: Counter[tuple[str, str]] = Counter()
    for answer in learners.answers():
        for name in answer.expected.named[0] if answer.expected.named else ():
            counted[answer.name, name] += 1
    return counted


def commonest(exercise: Exercise, most: int = 3) -> list[tuple[Expected, int]]:
    """An exercise -> the mistakes that most of our answers make, with how many do; among equals the first."""
    counted = [(one, seen()[exercise.name, one.name]) for one in expected(exercise)]
    return sorted(counted, key=lambda pair: -pair[1])[:most]

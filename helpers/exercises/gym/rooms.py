"""Which bug does a number mean? The same in every process: nothing here is drawn from chance.

A number's digits are mixed by a checksum; it picks an exercise of the topic, then one of its bugs of the
level. A bug counts where it is really wrong, and visibly so: some input gives numbers of the right shape that
differ in what is printed. One that hides is right on a quarter of the inputs or more, so a test on one may
pass: what is wrong on all of them, or nearly all, is of the first level.
"""

from __future__ import annotations

import ast
import builtins
import functools
import hashlib
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from helpers.exercises import catalogue
from helpers.exercises.engine.diagnosis import Mistake, plain_outcome, same_outcome
from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.sandbox import Outcome
from helpers.exercises.gym import passed
from helpers.exercises.gym.fixes import text_of
from helpers.exercises.gym.names import MODELS, TOPICS, level_of
from helpers.exercises.gym.planted import Planted, hints_left, hints_of, untyped
from helpers.exercises.gym.planting import NotFoundError, changes_of, compiled, definition, made_in
from helpers.exercises.kinds.write import Write, alike
from helpers.validation import Array

LONGEST = 70  # letters of what an edit puts into a line: more looks like no slip
TWO_FAULTS = {("padded-positions", "one-shift-for-all")}  # in one edit; its idea fixes one only
VISIBLE = 0.02  # two decimals are shown
HIDES = 4  # right on one input of so many, or more: a single trivial one, one key, hides nothing
Way = Mapping[str, Any]
fixed: dict[str, int] = {}  # bug -> which of its two edits the learner has fixed, in this kernel


class Slip(NamedTuple):
    """A mistake, in the way in which it is to be planted."""

    mistake: Mistake
    way: Way


class Machine(NamedTuple):
    """An exercise, and its answer with its places."""

    exercise: Write
    edits: Edits
    mistakes: tuple[Mistake, ...]


def bug(topic: str, number: int) -> Planted:
    """A topic, a number -> the bug. In the learner's own function where its place is found there."""
    machine, _ = chosen(topic, number, level_of(topic, number))
    found = bug_in(passed.source_for(machine.exercise.name), topic, number)
    if found.name in fixed and len(found.mistakes) > 1:
        return replace(found, hints=hints_left(found, fixed[found.name]))
    return found


@functools.cache
def bug_in(own: str | None, topic: str, number: int) -> Planted:
    """The source of a function that passed, or None; a topic, a number -> the bug, in it or in our answer."""
    level = level_of(topic, number)
    machine, slips = chosen(topic, number, level)
    exercise, name = machine.exercise, f"{topic}-{number}"
    in_own = planted_in(machine, slips, own) if own else None
    made = in_own or planted_in(machine, slips, machine.edits.source)
    assert made is not None, "our own answer has every place"
    with_bug, function, before, alone = made
    # In the order of their lines: hints go from the first to the last.
    order = sorted(range(len(slips)), key=lambda number: first_line(alone[number], before))
    slips, alone = tuple(slips[number] for number in order), tuple(alone[number] for number in order)
    mistakes = tuple(slip.mistake for slip in slips)
    return Planted(
        name=name,
        task=exercise.task,
        hints=hints_of(exercise, function, mistakes, with_bug, before, alone),
        reread=exercise.reread,
        of=exercise,
        level=level,
        source=with_bug,
        before=before,
        function=function,
        mistakes=mistakes,
        alone=alone,
        own=in_own is not None,
        recipe=machine.edits.recipe() if exercise.name == "attention" else exercise.recipe,
        known=machine.mistakes,
        ways=tuple(slip.way for slip in slips),
        edits=machine.edits,
    )


def first_line(function: Callable[..., Any], before: str) -> int:
    """A function with one bug, the source without -> the number of the line that differs."""
    pairs = zip(text_of(function).splitlines(), before.splitlines(), strict=True)
    return next(number for number, (one, other) in enumerate(pairs) if one != other)


@functools.cache
def chosen(topic: str, number: int, level: int) -> tuple[Machine, tuple[Slip, ...]]:
    """A topic, a number, its level -> the exercise, and the mistakes that this number means."""
    mixed = int.from_bytes(hashlib.sha256(f"{topic} {number}".encode()).digest()[:8], "big")
    names = (MODELS[level],) if level in MODELS else TOPICS[topic]
    for step in range(len(names)):
        machine = machine_of(names[(mixed + step) % len(names)])
        found = next(bugs_from(machine, mixed // len(names), level), None)
        if found:
            return machine, found
    raise LookupError(f"no exercise of {topic} has a bug of level {level}")


@functools.cache
def machine_of(name: str) -> Machine:
    """An exercise's name -> it, with the places of its answer."""
    if name in MODELS.values():
        from helpers.exercises.gym.reader import exercises

        exercise, edits = exercises()[name]
        return Machine(exercise, edits, exercise.mistakes)
    found = catalogue.find(name)
    assert isinstance(found, Write), name
    if name == "attention":
        from helpers.exercises.gym.attention import EDITS, NAMED

        return Machine(found, EDITS, NAMED)
    edits = importlib.import_module(found.answer.__module__).EDITS
    return Machine(found, edits, found.mistakes)


def bugs_from(machine: Machine, place: int, level: int) -> Iterator[tuple[Slip, ...]]:
    """An exercise, a place in its bugs, a level -> the bugs of that level, of one slip or two, from there."""
    name = machine.exercise.name
    slips = slips_of(name)
    groups = list(combinations(range(len(slips)), 1 if level < 3 else 2))
    for step in range(len(groups)):
        group = groups[(place + step) % len(groups)]
        if is_bug(name, group, level):
            yield tuple(slips[number] for number in group)


@functools.cache
def slips_of(name: str) -> tuple[Slip, ...]:
    """An exercise's name -> its mistakes that are edits of the answer's text, in the first way that fits."""
    machine = machine_of(name)
    found = []
    for mistake in machine.mistakes:
        if (name, mistake.name) in TWO_FAULTS:
            continue
        for way in mistake.ways:
            if edits_in(way) == 1 and looks_natural(machine.edits, way):
                found.append(Slip(mistake, {key: value for key, value in way.items() if value}))
                break
    return tuple(found)


@functools.cache
def is_bug(name: str, group: tuple[int, ...], level: int) -> bool:
    """An exercise's name, numbers of its slips, a level -> whether they are a bug of that level."""
    slips = tuple(slips_of(name)[number] for number in group)
    if level < 3:
        return one_bug(machine_of(name), slips, hidden=level == 2)
    alone = [outcomes_alone(name, number) for number in group]
    return two_bugs(machine_of(name), slips, alone)


@functools.cache
def outcomes_alone(name: str, number: int) -> list[Outcome] | None:
    """An exercise's name, a slip's number -> what our answer gives with it, or None where it cannot stand."""
    machine = machine_of(name)
    function = planted_function(machine, (slips_of(name)[number],))
    return None if function is None else outcomes_of(machine, function)


def looks_natural(edits: Edits, way: Way) -> bool:
    """A way -> whether it can stand in the answer's text: short, and with no name that gives it away."""
    try:
        changes = changes_of(edits, way, edits.source)
    except NotFoundError:
        return False
    known = {node.id for node in ast.walk(edits.tree) if isinstance(node, ast.Name)}
    known |= {"np", "softmax", *edits.arguments, *vars(builtins)}
    one_line = all(change.old.lineno == change.old.end_lineno for change in changes)
    named = {node.id for change in changes for node in ast.walk(change.new) if isinstance(node, ast.Name)}
    short = all(len(ast.unparse(change.new)) <= LONGEST for change in changes)
    return len(changes) == edits_in(way) and one_line and short and named <= known


def edits_in(way: Way) -> int:
    """A way -> in how many places it changes the answer."""
    return sum(map(bool, way.values()))


def one_bug(machine: Machine, slips: tuple[Slip, ...], hidden: bool) -> bool:
    """An exercise, one mistake -> whether it shows, on most inputs or, `hidden`, not on a quarter of them."""
    function = planted_function(machine, slips)
    if function is None or not visible(machine, function):
        return False
    wrong = wrong_on(machine, function)
    return (HIDES * wrong.count(False) >= len(wrong)) is hidden


@functools.cache
def right_outcomes(name: str) -> list[Outcome]:
    """An exercise's name -> what is right on each of its inputs."""
    exercise = machine_of(name).exercise
    return [plain_outcome(exercise.right, probe) for probe in exercise.probes]


def outcomes_of(machine: Machine, function: Callable[..., Any]) -> list[Outcome]:
    """A function of ours -> what it gives on each input."""
    return [plain_outcome(function, probe) for probe in machine.exercise.probes]


def wrong_on(machine: Machine, function: Callable[..., Any]) -> list[bool]:
    """A function of ours -> for each input whether it is wrong there."""
    exercise = machine.exercise
    triples = zip(outcomes_of(machine, function), right_outcomes(exercise.name), exercise.probes, strict=True)
    return [not exercise.accepts(got, right, probe) for got, right, probe in triples]


def planted_function(machine: Machine, slips: tuple[Slip, ...]) -> Callable[..., Any] | None:
    """An exercise, mistakes -> our answer with them in it, or None where they do not go together."""
    made = planted_in(machine, slips, machine.edits.source)
    return made[1] if made else None


def visible(machine: Machine, function: Callable[..., Any]) -> bool:
    """A function -> whether it can be seen what is wrong: most inputs give numbers, and some give others."""
    pairs = zip(outcomes_of(machine, function), right_outcomes(machine.exercise.name), strict=True)
    gaps = [gap_of(got.value, right.value) for got, right in pairs]
    return 2 * sum(gap is not None for gap in gaps) > len(gaps) and max(gap or 0.0 for gap in gaps) > VISIBLE


def gap_of(got: Array | None, right: Array | None) -> float | None:
    """A result, the right one -> how far apart they are; None unless both are finite, and of one shape."""
    if got is None or not alike(right, got) or not got.size:
        return None
    with np.errstate(invalid="ignore"):  # −∞ − (−∞): no gap to show, and no warning in a notebook
        gap = float(abs(got.astype(float) - right.astype(float)).max())
    return gap if np.isfinite(gap) else None


def two_bugs(machine: Machine, pair: tuple[Slip, ...], alone: Sequence[list[Outcome] | None]) -> bool:
    """Two mistakes, what each alone gives -> whether both show: together wrong, and other than each alone."""
    one, other = pair
    if one.way.keys() & other.way.keys() or not looks_natural(machine.edits, {**one.way, **other.way}):
        return False
    both = planted_function(machine, pair)
    if both is None or not visible(machine, both):
        return False
    outcomes = outcomes_of(machine, both)
    return all(each is not None and not all(map(same_outcome, outcomes, each)) for each in alone)


def planted_in(
    machine: Machine, slips: tuple[Slip, ...], source: str
) -> tuple[str, Callable[..., Any], str, tuple[Callable[..., Any], ...]] | None:
    """An exercise, mistakes, the source of a right function -> the source and the function with them in it.

    Then the source without them, and the function with each of them alone. None where a place is not found,
    or where the function is not right before and wrong afterwards.
    """
    space = dict(machine.edits.answer.__globals__)
    try:
        each = [changes_of(machine.edits, slip.way, source) for slip in slips]
        tree = definition(source)
        whole = made_in(source, [change for changes in each for change in changes])
        texts = [whole, *(made_in(source, changes) for changes in each)]
        function, *alone = (compiled(untyped(text), space, title(text)) for text in texts)
        original = compiled(untyped(source), space, title(source))
    except (NotFoundError, SyntaxError):
        return None
    if len(tree.args.args) != len(machine.edits.arguments) or len(whole.splitlines()) != len(
        source.splitlines()
    ):
        return None
    count = machine.exercise.count_wrong  # with a limit of time: an edit of somebody's loop may never end
    if source == machine.edits.source:
        count = functools.partial(_count_of_ours, machine)
    if count(original) or not all(map(count, [function, *alone])):
        return None
    return untyped(whole), function, untyped(source), tuple(alone)


def _count_of_ours(machine: Machine, function: Callable[..., Any]) -> int:
    return sum(wrong_on(machine, function))


def title(source: str) -> str:
    """Source -> a name for it, which differs where the source does: tracebacks show the right lines."""
    return f"gym {hashlib.sha256(source.encode()).hexdigest()[:12]}"

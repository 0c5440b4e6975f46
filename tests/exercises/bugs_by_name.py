"""Bugs of the gym by their mistakes' names: a number means another bug as soon as the catalogue grows."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from helpers.exercises import hints_given
from helpers.exercises.gym import page, passed, rooms
from helpers.exercises.gym.names import MODELS, TOPICS, levels

FIRST = 100_000_000  # nine digits: no test draws such a number
Chosen = tuple[rooms.Machine, tuple[rooms.Slip, ...]]
named: dict[tuple[str, int], Chosen] = {}


def bug_of(exercise: str, *mistakes: str, hidden: bool = False) -> str:
    """An exercise, its mistakes to plant -> a free name of the bug; `hidden` makes one edit level 2."""
    machine = rooms.machine_of(exercise)
    slips = {slip.mistake.name: slip for slip in rooms.slips_of(machine.exercise.name)}
    level = {name: level for level, name in MODELS.items()}.get(exercise, 3 if len(mistakes) == 2 else 1)
    level += hidden
    topic = next((topic for topic, names in TOPICS.items() if exercise in names), "attention")
    count = levels(topic)
    turn = zlib.crc32(repr((exercise, mistakes)).encode()) % 10**8
    number = FIRST + turn + (level - 1 - FIRST - turn) % count
    named[topic, number] = machine, tuple(slips[mistake] for mistake in mistakes)
    return f"{topic}-{number}"


def use_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test's patches -> None. What `bug_of` named is found by its name, as a bug with a number is."""
    by_number: Any = rooms.chosen

    def chosen(topic: str, number: int, level: int) -> Chosen:
        return named.get((topic, number)) or by_number(topic, number, level)

    monkeypatch.setattr(rooms, "chosen", chosen)
    monkeypatch.setattr(page, "chosen", chosen)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """() -> None. Nobody passed anything, and no page was begun. For each file that imports it."""
    monkeypatch.setenv("COURSE_PROGRESS", "off")
    monkeypatch.setattr(passed, "in_this_kernel", {})
    monkeypatch.setattr(page, "session", page.Session())
    monkeypatch.setattr(rooms, "fixed", {})
    use_names(monkeypatch)
    hints_given.clear()
    yield
    hints_given.clear()

"""What a person practised: a bug is shown, a page says what was found, and a set of ten has a clock.

The page is kept beside progress.json, in practice.json:

    {"version": 1, "bugs": {"attention-4711": {"tries": 2, "hints": 1, "solved": a date or null}}}

It never leaves this machine, and where progress is not kept it lasts as long as the kernel. Times are shown
and kept nowhere.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any

from helpers.exercises.gym import rooms
from helpers.exercises.gym.names import LATEST, TOPICS, level_of, levels, parts_of
from helpers.exercises.gym.passed import store
from helpers.exercises.gym.planted import STEPS, Planted
from helpers.exercises.gym.rooms import bug, chosen
from helpers.exercises.progress_file import CANNOT, folder, kept, locked

VERSION = 1
MOST_SAID = 999_999_999  # nine digits are what a bug's name can have
MOST = 10_000  # numbers without one given are drawn below this: short enough to be said
DRAWS = 40  # for a bug whose mistake is new to a person
SET = (1, 1, 1, 2, 2, 2, 3, 3, 4, 5)  # the levels of ten bugs
NO_SET = "There is no set yet: start_set(2026) begins one."
Entry = dict[str, Any]


@dataclass
class Session:
    """What this kernel knows: the bug shown last, the ten of a set, and when it began."""

    latest: str = ""
    ten: tuple[str, ...] = ()
    begun: float = 0.0
    solved: dict[str, float] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)


session = Session()


def practice(topic: str = "attention", number: int | None = None, level: int | None = None) -> None:
    """A topic, a bug's number -> the bug, printed. Without a number: a new one, of a level if that is given.

    Raises ValueError for a topic or a level that there is not, a number below 0, or one of another level.
    """
    must_be_a_topic(topic)
    if level is not None and not 1 <= level <= levels(topic):
        raise ValueError(f"level must be from 1 to {levels(topic)} for {topic}; got {level!r}")
    if number is None:
        number = new_number(topic, level)
    must_be_a_number(number)
    its_level = level_of(topic, number)
    if level not in (None, its_level):
        raise ValueError(
            f"{topic}-{number} is a bug of level {its_level}, not {level}: give a number or a level, not both"
        )
    show(f"{topic}-{number}")


def must_be_a_topic(topic: object) -> None:
    """A value -> None. Raises ValueError where it is no topic."""
    if topic not in TOPICS:
        raise ValueError(f"topic must be one of {', '.join(TOPICS)}; got {topic!r}")


def must_be_a_number(number: object, most: int = MOST_SAID) -> None:
    """A value -> None. Raises ValueError where it is no number that a bug or a set can have."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"number must be a whole number of 0 or more; got {number!r}")
    if number > most:
        raise ValueError(f"number must be at most {most}; got {number}")


def new_number(topic: str, level: int | None) -> int:
    """A topic, a level or None -> the number of a bug of that level that was not solved yet.

    One with a mistake that was not found yet, if a few draws give one.
    """
    known = read()
    solved = [parts_of(name) or ("", 0) for name in known if known[name]["solved"]]
    met = {mistake for each in solved for mistake in mistakes_of(*each)}
    numbers = tuple(islice(unsolved(topic, level, known), DRAWS))
    return next((each for each in numbers if not mistakes_of(topic, each) <= met), numbers[0])


def unsolved(topic: str, level: int | None, known: dict[str, Entry]) -> Iterator[int]:
    """A topic, a level or None, what is kept -> numbers of bugs that were not solved, drawn without end."""
    while True:
        number = secrets.randbelow(MOST)  # the chance that a notebook seeds stays as it is
        fits = level is None or level_of(topic, number) == level
        if fits and not known.get(f"{topic}-{number}", {}).get("solved"):
            yield number


def show(name: str) -> None:
    """A bug's name -> the bug, printed. It is the one that check("practice", …) means from now on."""
    session.latest = name
    print(planted(name).shown())


def planted(name: str) -> Planted:
    """A bug's name -> the bug."""
    parts = parts_of(name)
    assert parts is not None, name
    return bug(*parts)


def latest(called: str) -> Planted | None:
    """How it is called, "practice" -> the bug that was shown last, under both names, or None."""
    if not session.latest:
        return None
    return replace(planted(session.latest), name=f"{called} ({session.latest})")


def ten_of(number: int, topic: str = "attention") -> tuple[str, ...]:
    """A set's number -> the names of its ten bugs, from the first level to the last; no mistake twice.

    Nor the same slip in another function, as long as there are others.
    """
    found: list[str] = []
    met: set[tuple[str, str]] = set()
    slips: set[str] = set()
    for place, level in enumerate(SET):
        wanted = min(level, levels(topic))
        turn = (100 * number + (10 * place + step) % 100 for step in range(100))
        fitting = [each for each in turn if level_of(topic, each) == wanted]
        fresh = (each for each in fitting if not mistakes_of(topic, each) & met)
        first = next(fresh, None)
        if first is None:
            chosen_one = fitting[0]
        else:  # each that is looked at costs time: its bugs are made and run
            new = chain([first], fresh)
            chosen_one = next((each for each in new if not named(topic, each) & slips), first)
        met |= mistakes_of(topic, chosen_one)
        slips |= named(topic, chosen_one)
        found.append(f"{topic}-{chosen_one}")
    return tuple(found)


def named(topic: str, number: int) -> set[str]:
    """A topic, a bug's number -> the names of its mistakes."""
    return {mistake for _, mistake in mistakes_of(topic, number)}


def mistakes_of(topic: str, number: int) -> set[tuple[str, str]]:
    """A topic, a bug's number -> its mistakes, each with its exercise."""
    machine, slips = chosen(topic, number, level_of(topic, number))
    return {(machine.exercise.name, slip.mistake.name) for slip in slips}


def start_set(number: int, topic: str = "attention") -> None:
    """A set's number -> its ten bugs, by name. The clock starts now.

    Raises ValueError for a topic that there is not, or a number below 0.
    """
    must_be_a_topic(topic)
    must_be_a_number(number, MOST_SAID // 100)  # a bug's number has two digits more
    session.ten, session.solved, session.begun = ten_of(number, topic), {}, time.monotonic()
    print(f"Set {number} of {topic}: {', '.join(session.ten)}.")
    print("next_bug() shows the first that is not solved. The clock runs.")


def next_bug() -> None:
    """() -> the first bug of the set that is not solved, printed."""
    left = [name for name in session.ten if name not in session.solved]
    if not left:
        print("All ten are solved." if session.ten else NO_SET)
        return
    show(left[0])


def result() -> None:
    """() -> how many of the set are solved and, as soon as there is one, in what time; printed."""
    if not session.ten:
        print(NO_SET)
        return
    print(f"{len(session.solved)} of {len(session.ten)} solved.")
    before = session.begun
    for name, at in session.solved.items():
        parts = parts_of(name)
        assert parts is not None
        print(f"  {name}, level {level_of(*parts)}: {(at - before) / 60:.1f} minutes")
        before = at


def note(name: str, status: str, attempt: object = None, given: dict[str, int] | None = None) -> None:
    """A bug's name, what the check said, of what, hints given so far -> the page knows. Never raises."""
    if status == "wrong":
        with contextlib.suppress(Exception):  # a learner's function may do anything
            note_fixed(name, attempt, {} if given is None else given)
    entry = {"tries": 0, "hints": 0, "solved": None, **read().get(name, {})}
    if status == "not attempted":
        return
    if entry["solved"] is None:
        entry["tries"] += 1
        if status == "right":
            entry["solved"] = datetime.now(UTC).isoformat(timespec="seconds")
    if status == "right" and name in session.ten:
        session.solved.setdefault(name, time.monotonic())
    write(name, entry)


def note_fixed(name: str, attempt: object, hints_given: dict[str, int]) -> None:
    """A bug, a wrong fix, hints given -> where one edit of two is fixed, hints go on with the other."""
    out = planted(name).fixed(attempt)
    if len(out) != 1 or rooms.fixed.get(name) == out[0]:
        return
    (done,) = out
    first_time, rooms.fixed[name] = name not in rooms.fixed, done
    for called in (name, *(f"{latest} ({name})" for latest in LATEST)):
        given = hints_given.get(called, 0) if first_time else 0
        read_of_other = max(0, given - 1 - STEPS if done == 0 else min(given - 1, STEPS))
        hints_given[called] = 1 + read_of_other if read_of_other else 0


def note_hint(name: str) -> None:
    """A bug's name -> the page knows that a hint or the solution was read. Never raises."""
    entry = {"tries": 0, "hints": 0, "solved": None, **read().get(name, {})}
    if entry["solved"] is None:
        write(name, {**entry, "hints": entry["hints"] + 1})


def progress() -> None:
    """() -> the page, printed: for each topic and level how many bugs were found, and how many alone."""
    known = read()
    again = repeats(known)
    if not known:
        print("No bug was tried yet.")
        return
    for topic in TOPICS:
        for level in range(1, levels(topic) + 1):
            here = [entry for name, entry in known.items() if _is_of(name, topic, level)]
            if here:
                solved = [entry for entry in here if entry["solved"]]
                alone = sum(not entry["hints"] for entry in solved)
                found = f"{len(solved)} of {len(here)} found, {alone} of them without help"
                twice = sum(_is_of(name, topic, level) for name in again)
                met = f"; {twice} of them with mistakes that you had found before" if twice else ""
                print(f"{topic}, level {level}: {found}{met}")
    unsolved = [name for name, entry in known.items() if not entry["solved"]]
    if unsolved:
        print(f"Begun, not found yet: {', '.join(sorted(unsolved))}.")


def repeats(known: dict[str, Entry]) -> list[str]:
    """What is kept -> the solved bugs whose mistakes had all been found in bugs solved before them."""
    found: list[str] = []
    met: set[tuple[str, str]] = set()
    for name in sorted((name for name in known if known[name]["solved"]), key=lambda n: known[n]["solved"]):
        mistakes = mistakes_of(*(parts_of(name) or ("", 0)))
        found += [name] if mistakes <= met else []
        met |= mistakes
    return found


def _is_of(name: str, topic: str, level: int) -> bool:
    parts = parts_of(name)
    return parts is not None and parts[0] == topic and level_of(*parts) == level


def read() -> dict[str, Entry]:
    """() -> what is kept, with what this kernel could not write."""
    found: dict[str, Entry] = {}
    if kept():
        with contextlib.suppress(*CANNOT, KeyError, TypeError, AttributeError):
            content = json.loads((folder() / "practice.json").read_text(encoding="utf-8"))
            if content["version"] == VERSION:
                found = {name: entry for name, entry in content["bugs"].items() if well_formed(name, entry)}
    return {**found, **session.entries}


def well_formed(name: str, entry: object) -> bool:
    """A name and a value of the file -> whether they are a bug's."""
    if parts_of(name) is None or not isinstance(entry, dict):
        return False
    counts = all(type(entry.get(key)) is int for key in ("tries", "hints"))
    return counts and isinstance(entry.get("solved"), str | None)


def write(name: str, entry: Entry) -> None:
    """A bug's name, its entry -> it is kept; in this kernel alone where it cannot be written."""
    session.entries[name] = entry
    if kept():
        with contextlib.suppress(*CANNOT), locked(folder()):
            store(folder() / "practice.json", {"version": VERSION, "bugs": dict(sorted(read().items()))})
            session.entries.clear()

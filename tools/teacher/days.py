"""Half a day to five days: the timetables of lesson 00, with their sections and the clock."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise
from typing import NamedTuple

from helpers.exercises.catalogue import find
from helpers.exercises.kinds import Mend, Reverse
from teacher.lessons import Lesson

LINE = re.compile(r"\*\*([^*(]+?) \((\d+) hours\):\*\* (.+)")
STEP = re.compile(r"(?:(\d\d)|a break|breaks|everything)([^()]*)\((\d+)\)")
UP_TO = re.compile(r'up to the end of "([^"]+)"')
AND_MORE = re.compile(r'(?:,| and) "([^"]+)"')
OPTIONAL = "Optional: "  # begins the title of a section that no later lesson needs
DAYS = {"Five days": 5}  # a plan without a timetable -> how many days it has
HEAD = """# Timetables, from half a day to five days

Written by `python course.py plan` from the timetables in [lesson 00](../../notebooks/00_start_here.ipynb)
and the minutes of each section; a test fails where it is out of date. [How to use it](../teaching.md).

The clock starts at 0:00. *Spare* is what a step has beyond its sections' minutes: questions, a slow start,
a prediction that the room argues about. The number of a lesson leads to its own plan, with what to say.
"""


class Step(NamedTuple):
    """A part of a plan: a lesson's number or "" for a break, the last section or "" for all, minutes.

    `more`: sections that come after the last, and are taken too.
    """

    lesson: str
    last: str
    minutes: int
    more: tuple[str, ...] = ()


class Timing(NamedTuple):
    """How long each section of a lesson takes, and each exercise in it, and what to leave out first when time
    is short.
    """

    minutes: dict[str, int]
    late: list[str]
    exercises: dict[str, int]

    @property
    def needed(self) -> int:
        """() -> the minutes of all sections but the optional ones: what the tables of lessons state."""
        return sum(self.minutes.values()) - self.optional

    @property
    def optional(self) -> int:
        """() -> the minutes of the optional sections."""
        return sum(minutes for title, minutes in self.minutes.items() if title.startswith(OPTIONAL))


Known = Mapping[str, tuple[Lesson, Timing]]


def plans(start: Lesson) -> Iterator[tuple[str, int, list[Step], str]]:
    """Lesson 00 -> each plan's name, its hours, its steps, and what it says besides."""
    (course,) = [cell for section in start.sections for cell in section.cells if cell.id == "the-course"]
    for name, hours, text in LINE.findall(course.source):
        steps = [
            Step(number, "".join(UP_TO.findall(how)), int(m), tuple(AND_MORE.findall(how)))
            for number, how, m in STEP.findall(text)
        ]
        rest = text[[found.end() for found in STEP.finditer(text)][-1] :].strip(" .")
        yield name, int(hours), steps, rest


def sections(step: Step, known: Known) -> tuple[list[tuple[str, int]], list[str]]:
    """A step, the lessons -> the sections that it takes, with their minutes, and those that it leaves out."""
    lesson, time = known[step.lesson]
    titles = [section.title for section in lesson.sections]
    taken = titles[: titles.index(step.last) + 1] if step.last else titles
    taken += [titles[titles.index(title)] for title in step.more]
    out: list[str] = []
    for title in time.late:
        if title in taken and sum(time.minutes[each] for each in taken) > step.minutes:
            taken.remove(title)
            out.append(title)
    return [(title, time.minutes[title]) for title in taken], out


def clock(minutes: int) -> str:
    """75 -> 1:15."""
    return f"{minutes // 60}:{minutes % 60:02}"


def table(steps: list[Step], known: Known) -> Iterator[str]:
    """Steps -> the lines of a timetable."""
    yield "| from | minutes | lesson | sections, with their minutes | exercises in them | spare |"
    yield "|---|---|---|---|---|---|"
    start = 0
    for step in steps:
        row = f"| {clock(start)} | {step.minutes} |"
        yield f"{row} {of_lesson(step, known)} |" if step.lesson else f"{row} | a break | | |"
        start += step.minutes


def of_lesson(step: Step, known: Known) -> str:
    """A step -> its lesson, the sections that it takes and those that it does not, the minutes to spare."""
    lesson, _ = known[step.lesson]
    taken, out = sections(step, known)
    named = "; ".join(f"{title} {minutes}" for title, minutes in taken)
    without = f". Without: {'; '.join(out)}" if out else ""
    spare = step.minutes - sum(minutes for _, minutes in taken)
    exercises = in_words(solved(step, known))
    return f"[{lesson.number}]({lesson.number}.md) | {named}{without} | {exercises} | {spare}"


def solved(step: Step, known: Known) -> dict[str, int]:
    """A step -> the exercises of its sections, with their minutes."""
    lesson, time = known[step.lesson]
    taken = dict(sections(step, known)[0])
    names = [name for section in lesson.sections if section.title in taken for name in section.exercises]
    return {name: time.exercises[name] for name in names}


def in_words(exercises: Mapping[str, int]) -> str:
    """{exercise: minutes} -> the same as text."""
    return ", ".join(f"`{name}` {minutes}" for name, minutes in exercises.items())


def when_late(steps: list[Step], known: Known) -> str:
    """Steps -> which of their exercises can wait: those about somebody else's bug, which nothing needs."""
    every = {name: m for step in steps if step.lesson for name, m in solved(step, known).items()}
    bugs = {name: minutes for name, minutes in every.items() if isinstance(find(name), Mend | Reverse)}
    return f"When you are late, leave the bugs for homework ({sum(bugs.values())} minutes): {in_words(bugs)}."


def days(start: Lesson, known: Known) -> str:
    """Lesson 00, the lessons with their minutes -> the page."""
    parts = [HEAD]
    for name, hours, steps, rest in plans(start):
        parts.append(f"## {name.strip()}: {hours} hours\n")
        if any(step.lesson for step in steps):
            parts.append("\n".join(table(spread(steps), known)) + "\n")
            parts.append(when_late(steps, known) + "\n")
        else:
            work, breaks = steps[0].minutes, sum(step.minutes for step in steps[1:])
            parts.append(
                f"Every lesson without its optional sections, in order: {work} minutes, and {breaks} for"
                " breaks.\n"
            )
            parts.append("\n".join(by_day(known, DAYS[name.strip()], breaks)) + "\n")
        parts.append(f"{rest}.\n" if rest else "")
    return "\n".join(part for part in parts if part)


def by_day(known: Known, days: int, breaks: int) -> Iterator[str]:
    """The lessons, a number of days, the minutes of all breaks -> the lines of a table, a day in each."""
    minutes = {number: time.needed for number, (_, time) in known.items()}
    yield "| day | lessons | minutes | with breaks |"
    yield "|---|---|---|---|"
    for day, numbers in enumerate(shared(minutes, days), 1):
        named = ", ".join(f"[{number}]({number}.md)" for number in numbers)
        work = sum(minutes[number] for number in numbers)
        yield f"| {day} | {named} | {work} | {clock(work + breaks // days)} |"


def shared(minutes: Mapping[str, int], days: int) -> list[list[str]]:
    """Minutes by lesson, a number of days -> the lessons of each day, so that the longest day is short."""
    numbers = list(minutes)
    cuts = ((0, *places, len(numbers)) for places in combinations(range(1, len(numbers)), days - 1))
    made = ([numbers[start:end] for start, end in pairwise(places)] for places in cuts)
    return min(made, key=lambda parts: max(sum(minutes[number] for number in part) for part in parts))


def spread(steps: list[Step]) -> list[Step]:
    """Steps with the breaks in one -> the same with a break of a quarter after every second lesson."""
    work = [step for step in steps if step.lesson]
    pause = sum(step.minutes for step in steps if not step.lesson)
    if pause <= 20 or steps[-1].lesson:
        return steps
    places = [place for place in range(1, len(work) - 1) if place % 2 == 0] or [len(work) // 2]
    each, rest = divmod(pause, len(places))
    made: list[Step] = []
    for place, step in enumerate(work):
        made.append(step)
        if place in places:
            made.append(Step("", "", each + (rest if place == places[0] else 0)))
    return made

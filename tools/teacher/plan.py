"""The lesson plans in docs/teaching/: what happens when, what people predict, what goes wrong."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from helpers.exercises.catalogue import find
from helpers.exercises.kinds import Exercise, Mend
from teacher.blocks import Block, blocks, said, sentences
from teacher.days import OPTIONAL, Timing, days
from teacher.lessons import ROOT, Lesson, Section, lesson, paths
from teacher.mistakes import Expected, Vote, commonest, expected, right
from teacher.outcomes import outcome

FOLDER = ROOT / "docs" / "teaching"
MINUTES = Path(__file__).with_name("minutes.toml")
MOST_ANSWERS = 6  # wrong answers to a prediction
BEFORE = 2  # sentences of the lesson before a prediction
TOGETHER = "\N{NO-BREAK SPACE}"  # between a number and what it counts
TEXT = re.compile(r"(?!```|[-|]|\d+\. |\$\$)")
NOTE = (
    "Written by `python course.py plan` from the lesson and its exercises; a test fails where it is out of"
    " date. [How to use it](../teaching.md)."
)
ORDER = (
    "Where three mistakes are listed, they are those that most of the answers make which we collected from"
    " trial learners and wrote ourselves (`tests/exercises/`); the number in brackets says how many do. Those"
    " with the same number, or none, and all answers to predictions, stand in the order of the exercise's own"
    " file. No class has been counted yet: `python course.py report` counts yours."
)

IN_THE_LESSON = "have the lesson open: this speaks of a figure or table there"
# Words of an answer that point at what stands in the lesson, and not in its plan.
POINTS = re.compile(
    r"(?:left|right|last|first) column|(?:upper|lower) row|On the (?:left|right),|^Above are|weights below|"
    r"below them|last line (?:is|prints)|first table|Look at note|printed lines|small numbers|"
    r"(?:in|of) the (?:figure|picture)|one column says|colour scale|bright cells|clear maps|three maps|"
    r"this map says|there the map is|(?:first|last) (?:two|four) (?:rows|lines)|second line is|"
    r"clear diagonal|"
    r"lines (?:are level|fall straight)|\bOne line climbs|straight lines|(?:tables|rows) (?:above|below)\b",
    re.MULTILINE,
)
# Words of a question that do.
QUESTIONS = re.compile(r"(?:tables|rows|weights) (?:above|below)\b")


def timing(number: str) -> Timing:
    """A lesson's number -> its timing. Raises KeyError where minutes.toml has none."""
    return Timing(**tomllib.loads(MINUTES.read_text(encoding="utf-8"))[number])


def plan(shown: Lesson) -> str:
    """A lesson -> its plan, in Markdown. Raises ValueError where minutes.toml does not fit the lesson."""
    time = timing(shown.number)
    must_fit(shown, time)
    parts = [
        f"# {shown.number}: {shown.question}",
        f"{NOTE}\n\nThe lesson: [{shown.file}](../../notebooks/{shown.file}), {stated(time)}.",
        "\n".join(overview(shown, time)),
        "\n".join(when_late(time)),
        *(part for section in shown.sections for part in of_section(section, time)),
        f"## Where the order comes from\n\n{ORDER}",
    ]
    return "\n\n".join(parts) + "\n"


def stated(time: Timing) -> str:
    """A timing -> the minutes as a lesson's first cell states them."""
    sections = [title for title in time.minutes if title.startswith(OPTIONAL)]
    more = f", and {time.optional} for the optional section{'s' * (len(sections) > 1)}" if sections else ""
    return f"about {time.needed} minutes{more}"


def must_fit(shown: Lesson, time: Timing) -> None:
    """A lesson, its timing. Raises ValueError unless sections and exercises have minutes, in their order."""
    sections = [section.title for section in shown.sections]
    named = [name for section in shown.sections for name in section.exercises]
    for kind, wanted, found in (("minutes", sections, time.minutes), ("exercises", named, time.exercises)):
        if list(found) != wanted:
            missing, more = (
                [one for one in wanted if one not in found],
                [one for one in found if one not in wanted],
            )
            what = (
                f"without {', '.join(missing)}"
                if missing
                else f"with {', '.join(more)}"
                if more
                else "unsorted"
            )
            raise ValueError(
                f'minutes.toml has ["{shown.number}".{kind}] {what}; '
                f"it should name those of {shown.file}, in their order."
            )


def overview(shown: Lesson, time: Timing) -> Iterator[str]:
    """A lesson, its timing -> the lines of the table that stands first."""
    yield "| from | minutes | section, and its exercises with their minutes | predictions |"
    yield "|---|---|---|---|"
    start = 0
    for section in shown.sections:
        asked = len(list(predictions(section))) or ""
        names = ", ".join(f"`{name}`{TOGETHER}{time.exercises[name]}" for name in section.exercises)
        minutes = time.minutes[section.title]
        named = f"{section.title}<br>{names}" if names else section.title
        yield f"| {start // 60}:{start % 60:02} | {minutes} | {named} | {asked} |"
        start += minutes


def when_late(time: Timing) -> Iterator[str]:
    """A lesson's timing -> the lines that say what to leave out."""
    yield "**When you are late**, run these without a word, the first one first, and leave them for homework:"
    yield ""
    for place, title in enumerate(time.late, 1):
        yield f"{place}. {title} ({in_minutes(time.minutes[title])})"


def of_section(section: Section, time: Timing) -> Iterator[str]:
    """A section, its lesson's timing -> its part of the plan; nothing where nobody predicts or solves
    anything.
    """
    asked, exercises = list(predictions(section)), section.exercises
    if asked or exercises:
        yield f"## {section.title} ({in_minutes(time.minutes[section.title])})"
    if exercises:
        yield split(section, time)
    for setting, question, seen in asked:
        gap = " " if TEXT.match(seen) else "\n\n"
        where = f" ({IN_THE_LESSON})" if POINTS.search(seen) else ""
        asks = f" ({IN_THE_LESSON.capitalize()}.)" if QUESTIONS.search(question) and not where else ""
        before = f"Just before: {setting}\n\n" if setting else ""
        yield f"{before}> **Predict.** {question}{asks}\n\nThey see{where}:{gap}{seen}"
    for name in exercises:
        exercise = find(name)
        assert exercise is not None, name
        yield of_exercise(exercise, time.exercises[name])


def split(section: Section, time: Timing) -> str:
    """A section with exercises, its lesson's timing -> what its minutes go into."""
    solving = sum(time.exercises[name] for name in section.exercises)
    rest = time.minutes[section.title] - solving
    return f"{rest} of them to read and predict, {solving} to solve."


def in_minutes(minutes: int) -> str:
    """13 -> 13 minutes, in one line."""
    return f"{minutes}{TOGETHER}minutes"


class Asked(NamedTuple):
    """A prediction: what the lesson says just before it, the question, what the class sees afterwards."""

    setting: str
    question: str
    seen: str


def predictions(section: Section) -> Iterator[Asked]:
    """A section -> its predictions, in order."""
    for place, cell in enumerate(section.cells, 1):
        if cell.cell_type == "markdown":
            every = blocks(cell.source)
            asked = [one_line(said(block)) for block in every if block.kind == "predict"]
            if asked:
                first = next(n for n, block in enumerate(every) if block.kind == "predict")
                told = setting(every[first - 1]) if first else ""
                yield Asked(told, " ".join(asked), outcome(cell.id, section.cells[place:]))


def setting(block: Block) -> str:
    """What stands before a prediction -> its last sentences: *it* and *then* in the question point there."""
    return " ".join(sentences(one_line(said(block)))[-BEFORE:]) if block.kind == "text" else ""


def one_line(text: str) -> str:
    """A text -> the same on one line."""
    return " ".join(text.split())


def of_exercise(exercise: Exercise, minutes: int) -> str:
    """An exercise, its minutes -> what it asks, and what to say to whom."""
    head = f"### `{exercise.name}` ({exercise.kind}, {in_minutes(minutes)})\n\n{one_line(exercise.task)}"
    if isinstance(exercise, Vote):
        shown, reason = right(exercise)
        lines = [f"Right: **{shown}**. {one_line(reason)}", "", "What people answer, and what to say:", ""]
        known = expected(exercise)
        lines += [f"- {spoken(one)}" for one in known[:MOST_ANSWERS]]
        more = len(known) - MOST_ANSWERS
        lines += [f"- {more} more, which the check and the notes of the slides know"] if more > 0 else []
        return "\n".join([head, "", *lines])
    bug = [f"The bug: {what_is_given(exercise)}", ""] if isinstance(exercise, Mend) else []
    found = commonest(exercise)
    lines = [f"{place}. {spoken(one)}{seen(count)}" for place, (one, count) in enumerate(found, 1)]
    return "\n".join([head, "", *bug, "What goes wrong, and what to say:", "", *lines])


def what_is_given(exercise: Mend) -> str:
    """An exercise to fix -> what is wrong with the function that it hands out, and its symptom."""
    (given,) = [mistake for mistake in exercise.mistakes if mistake.name == exercise.given]
    return one_line(f"`{given.name}`. {given.idea} A first hint: {exercise.symptom}")


def spoken(one: Expected) -> str:
    """A mistake -> its answer or name, and what to say."""
    name = f"**{one.answer}** (`{one.name}`)" if one.answer else f"`{one.name}`"
    return f"{name}: {one_line(one.say)}"


def seen(count: int) -> str:
    """How many of our answers make a mistake -> the end of its line."""
    return f"{TOGETHER}*({count})*" if count else ""


def pages() -> Iterator[tuple[Path, str]]:
    """() -> every page that this writes, with its text."""
    found = [lesson(path) for path in paths([])]
    for one in found:
        yield FOLDER / f"{one.number}.md", plan(one)
    yield FOLDER / "days.md", days(found[0], {one.number: (one, timing(one.number)) for one in found})


def main(words: list[str]) -> int:
    """No words, or --check -> the exit status: with --check 1 where a page is out of date."""
    if words not in ([], ["--check"]):
        raise ValueError(
            f"found {' '.join(words)}, and plan takes nothing but --check: it writes every page."
        )
    stale = []
    for path, text in pages():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
        if not words:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    if words and stale:
        print(f"out of date: {', '.join(stale)}. python course.py plan writes them anew.", file=sys.stderr)
        return 1
    print(f"{FOLDER}: {', '.join(stale) or 'nothing'} {'is out of date' if words else 'written anew'}")
    return 0

"""The catalogue of exercises -> a page for each lesson: one right answer, and the mistakes that have a name.

Loading the exercises needs NumPy. Those of the PyTorch lessons also ask for PyTorch, which is large and which
nothing here computes with: a stand-in takes its place.
"""

import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import MagicMock

from website.cells import place_name
from website.groups import Named, listed
from website.lessons import Lesson
from website.pages import table_of_contents
from website.words import NAME, boxed, capital, one_line, shown

STOOD_IN_FOR = ("torch", "matplotlib", "ipywidgets", "IPython")
HEAD = """# {number} · Exercises: {name}

The exercises of [lesson {number}](../lessons/{stem}.ipynb), each with one right answer and the mistakes that
the check knows by name. It knows most pairs of them as well ([how many](../kill_table.md)). Try first: an
answer that you have read teaches less than a mistake that you have made.
"""

# What an answer that is no function prints: a table and an empty line, or a value, and then the reason.
ANSWER = re.compile(r"(?P<answer>(?:.+\n)+(?=\n)|.+(?:\n \[.*)*)(?P<reason>[\s\S]*)")
# An option of a task that asks for a letter.
CHOICE = re.compile(r"^- \*\*[a-e]\*\* .+$", re.MULTILINE)
# Above the mistakes of an open-ended exercise: the check tells the numbers of the answer that it gets.
EXAMPLES = "What the check says of one such answer each, with that answer's numbers:\n\n"

FIRST = """# Exercises and mistakes

Every exercise of the course, lesson by lesson: its task, its hints, one right answer, and what the check says
of each mistake that it knows by name. [The table of mistakes](../kill_table.md) counts them.
"""


class Told(NamedTuple):
    """An exercise as a page shows it. `solution` is empty where it cannot be worked out here. Where
    `examples` is true, each mistake is told of one answer that makes it. `choices` are lines of Markdown.
    """

    name: str
    kind: str
    task: str
    hints: tuple[str, ...]
    solution: str
    mistakes: tuple[Named, ...]
    examples: bool = False
    choices: tuple[str, ...] = ()


class Empty:
    """A base for our classes where a class of a large package is stood in for: it has every name."""

    def __init__(self, *_values: Any, **_named: Any) -> None:
        """Takes anything, and keeps nothing."""

    def __getattr__(self, name: str) -> Any:
        """A name that is not there -> a stand-in; Python's own names stay absent."""
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(name=name)


class StandIn(MagicMock):
    """Stands for a thing of a large package, a class to inherit from among them."""

    def __mro_entries__(self, _bases: tuple[Any, ...]) -> tuple[type, ...]:
        """The class that takes its place as a base."""
        return (Empty,)


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds an empty module of any name that begins with one of ours."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """A module's name -> a stand-in for it, where it is one of those that we do without."""
        known = name.partition(".")[0] in STOOD_IN_FOR
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """A spec -> a module that has every name."""
        module = StandIn(name=spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is to be run."""


@contextlib.contextmanager
def without_large_packages() -> Iterator[None]:
    """Around an import of exercises: what they only mention is stood in for, where it is not installed."""
    if importlib.machinery.PathFinder.find_spec("torch") is not None:
        yield
        return
    finder = StandIns()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def told(lesson: str) -> list[Told]:
    """A lesson's number -> its exercises, in the order of teaching."""
    with without_large_packages():
        from helpers.exercises.catalogue import LESSONS, of_lesson

        found = of_lesson(lesson) if lesson in LESSONS else ()
        return [exercise_told(each) for each in found]


def exercise_told(exercise: Any) -> Told:
    """An exercise -> the same as a page shows it."""
    from helpers.exercises.kinds import Open

    solution, mistakes = solution_of(exercise), tuple(mistakes_of(exercise))
    return Told(
        exercise.name,
        exercise.kind,
        exercise.task,
        exercise.hints,
        solution,
        mistakes,
        isinstance(exercise, Open),
    )


def in_order(exercises: Sequence[Told], order: Sequence[str]) -> list[Told]:
    """Exercises, their names as the lesson has them -> the exercises in the lesson's order."""
    return sorted(exercises, key=lambda each: order.index(each.name))


def with_choices(exercises: Sequence[Told], tasks: Mapping[str, str]) -> list[Told]:
    """Exercises, {name: its task as the page of answers tells it} -> those with options show them."""
    return [each._replace(choices=tuple(CHOICE.findall(tasks[each.name]))) for each in exercises]


def solution_of(exercise: Any) -> str:
    """An exercise -> one right answer, or nothing where that takes PyTorch."""
    try:
        return str(exercise.solution()).strip("\n")  # a table's first line begins with spaces
    except Exception:  # a stand-in computes nothing, and every kind of exercise trips over it differently
        return ""


def mistakes_of(exercise: Any) -> Iterator[Named]:
    """An exercise -> its mistakes, in the order in which its file has them.

    An open-ended exercise has no words for them: the check says something of the numbers of each answer. Here
    it says them of the exercise's own wrong answers, as in the lesson plans.
    """
    from helpers.exercises.kinds import Open
    from teacher.mistakes import expected

    if isinstance(exercise, Open):
        yield from (Named(one.name, "", capital(one.say)) for one in expected(exercise))
        return
    for mistake in getattr(exercise, "mistakes", ()):
        yield Named(mistake.name, mistake.says, mistake.idea, mistake.reread or "")
    for slip in flat(getattr(exercise, "slips", ())):
        yield Named(slip.name, "", slip.reply)
    for letter, reply in getattr(exercise, "options", {}).items():
        if letter != exercise.answer:
            says, idea = ("", reply) if isinstance(reply, str) else (reply.says, reply.idea)
            yield Named(f"option {letter}", says, idea)


def flat(slips: Sequence[Any]) -> Iterator[Any]:
    """Wrong answers, in a table one tuple for each column -> each of them once."""
    seen = set()
    for slip in (one for each in slips for one in (each if isinstance(each, tuple) else (each,))):
        if (slip.name, slip.reply) not in seen:
            seen.add((slip.name, slip.reply))
            yield slip


def page(lesson: Lesson, exercises: Sequence[Told]) -> str:
    """A lesson, its exercises -> the page in Markdown."""
    return "\n".join([HEAD.format(**lesson._asdict()), *(section(each) for each in exercises)])


def first_page(lessons: Sequence[Lesson]) -> str:
    """The lessons -> the page that leads to those of their exercises."""
    lines = [f"- [{each.number} · {each.name}]({each.number}.md): {each.question}" for each in lessons]
    entries = [(f"{each.number} · {each.name}", each.number) for each in lessons]
    return "\n".join([FIRST, *lines, "", table_of_contents("", entries)])


def section(exercise: Told) -> str:
    """An exercise -> its part of the page."""
    names = names_of(exercise)
    lines = [
        f"## {exercise.name}",
        "",
        f"*{exercise.kind}.* {shown(boxed(one_line(exercise.task), names))}",
        "",
    ]
    lines += [*exercise.choices, ""] if exercise.choices else []
    lines += [f"[In the lesson](#{place_name(exercise.name)}).", ""]
    if exercise.hints:
        lines += details(
            "Hints",
            "\n".join(
                f"{n}. {shown(boxed(one_line(hint), names))}"
                for n, hint in enumerate(exercise.hints, start=1)
            ),
        )
    lines += details("One right answer", answer(exercise))
    if exercise.mistakes and all(each.says or each.idea for each in exercise.mistakes):
        count = len(exercise.mistakes)
        title = f"{count} mistake{'' if count == 1 else 's'} with a name"
        told_of = EXAMPLES if exercise.examples else ""
        lines += details(title, told_of + listed(exercise.mistakes, names_of(exercise)))
    return "\n".join(lines)


def names_of(exercise: Told) -> list[str]:
    """An exercise -> the names that it sets as code in one place at least."""
    every = [
        exercise.task,
        *exercise.hints,
        *(text for each in exercise.mistakes for text in (each.says, each.idea)),
    ]
    return sorted({name for text in every for name in NAME.findall(text)})


def answer(exercise: Told) -> str:
    """An exercise -> its answer as code with the reason below, or where to find it."""
    if not exercise.solution:
        return f'In the notebook: `solution("{exercise.name}")`.'
    if "def " in exercise.solution:
        code, reason = apart(exercise.solution)
        return f"```python\n{code}\n```\n\n{shown(boxed(reason))}"
    found = ANSWER.match(exercise.solution)
    assert found is not None
    return f"```text\n{found['answer'].rstrip()}\n```\n\n{shown(boxed(one_line(found['reason'])))}"


def apart(cell: str) -> tuple[str, str]:
    """A solved cell -> its code, and the reason in the comments that end it, as one text."""
    lines = cell.splitlines()
    place = next((n for n, line in reversed([*enumerate(lines, 1)]) if not line.startswith("# ")), 0)
    reason = " ".join(line.removeprefix("# ") for line in lines[place:])
    return "\n".join(lines[:place]).strip(), reason


def details(title: str, text: str) -> list[str]:
    """A title, Markdown -> the same folded under that title."""
    return ["<details>", f"<summary>{title}</summary>", "", text, "", "</details>", ""]

"""A lesson as a teacher sees it, read from its notebook: its sections, and what is solved in them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from course.committed import course_text
from course.notebooks import lessons as lessons_of

ROOT = Path(__file__).resolve().parents[2]
PREDICT = "> **Predict.**"
HEADING = re.compile(r"^## +(.+)$", re.MULTILINE)
CHECK = re.compile(r'check\("([\w-]+)", *(\w+)\)')


class Section(NamedTuple):
    """A heading of a lesson, and the cells below it up to the next one."""

    title: str
    cells: list[NotebookNode]

    @property
    def exercises(self) -> list[str]:
        """The names of its exercises, in order."""
        return [cell.id.removesuffix("-check") for cell in self.cells if cell.id.endswith("-check")]


class Lesson(NamedTuple):
    """A lesson: 03, its file, its question, its minutes, its sections."""

    number: str
    file: str
    question: str
    minutes: int
    sections: list[Section]


def notebook(path: Path) -> NotebookNode:
    """A lesson's path -> the notebook as the course has it, also where somebody has worked in it."""
    return nbformat.reads(course_text(ROOT, path), as_version=4)


def paths(words: list[str]) -> list[Path]:
    """Beginnings of lesson names, such as 03; none -> their paths; all of them.

    Raises ValueError naming the first that fits no lesson.
    """
    found = lessons_of(ROOT)
    for word in words:
        if not word or not any(path.name.startswith(word) for path in found):
            numbers = ", ".join(path.name[:2] for path in found)
            raise ValueError(f"no lesson begins with {word!r}: give numbers, {numbers}.")
    return [path for path in found if not words or path.name.startswith(tuple(words))]


def lesson(path: Path) -> Lesson:
    """A lesson's path -> the lesson."""
    cells = notebook(path).cells
    title = cells[0].source
    (minutes,) = re.findall(r"about (\d+) minutes", title)
    question = title.splitlines()[0].removeprefix("# ").strip()
    return Lesson(path.name[:2], path.name, question, int(minutes), list(sections(cells)))


def sections(cells: list[NotebookNode]) -> Iterator[Section]:
    """A notebook's cells -> its sections; the title stands before the first."""
    found: list[Section] = []
    for cell in cells:
        heading = HEADING.search(cell.source) if cell.cell_type == "markdown" else None
        if heading:
            found.append(Section(heading[1].strip(), []))
        if found:
            found[-1].cells.append(cell)
    return iter(found)


def checked(cells: list[NotebookNode]) -> Iterator[tuple[str, str]]:
    """Cells -> the name of each exercise, and the variable that is handed to its check."""
    for cell in cells:
        if cell.cell_type == "code" and cell.id.endswith("-check"):
            yield from CHECK.findall(cell.source)


def printed(cell: NotebookNode) -> str:
    """A code cell -> what it printed, and the text of what it showed, but for figures."""
    shown = [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell.get("outputs", [])
    ]
    return "".join(text for text in shown if not text.startswith("<Figure"))

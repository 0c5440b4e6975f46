"""The solved edition on the site: a page a lesson with every exercise filled in, and the notebooks to fetch.

Nothing is executed here. tests/test_teacher_solved.py has each of these answers checked, and so has
`python course.py solved`, which makes the same notebooks with all that they print.
"""

import copy
import io
import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from website.cells import place_name
from website.lessons import Lesson
from website.mistakes import apart, without_large_packages
from website.pages import table_of_contents
from website.words import boxed, shown

ARCHIVE = "solved.zip"
SUSPECT = "suspect-"  # a bug is to be named from what it did: a table or a figure of the lesson
FIX = ", find the bug)"  # in a task: the lesson has the function with the bug, the page has the right one
# "the map above has", "as above", and neither "above 0" nor "one below the other"
POINTS = re.compile(r"\b(?:above|below)\b(?! (?:[−\d$`]|ln|the)\b| −)")
AGE = (2026, 1, 1, 0, 0, 0)  # of every file in the archive: the same lessons give the same bytes
HEAD = """# {number} · Solved: {name}

Every exercise of [lesson {number}](../lessons/{stem}.ipynb) with the course's answer in its cell. The check
says ✓ to each of them: the course's own tests run it. There are other right answers, and
[the mistakes that the check knows](../mistakes/{number}.md) are told on a page of their own.
"""
FIRST = """# Every exercise solved

For teachers, and for learners who have tried: the exercises of each lesson with the answer filled in. In the
notebook, `solution("softmax")` shows one of them when it is time.

{lessons}

`````{{only}} not epub
All lessons as notebooks with the answers filled in: <a href="solved.zip" download>solved.zip</a>, {size} kB.
Put them into a folder `notebooks` of the course to run them; `python course.py solved` makes the same, and
executes them.
`````
"""


class Solved(NamedTuple):
    """An exercise: its name, its task as the notebook tells it, its cell filled in, the call of its check."""

    name: str
    task: str
    code: str
    call: str


class Edition(NamedTuple):
    """A lesson solved: its exercises, and the notebook with the answers in it, as a file's text."""

    exercises: tuple[Solved, ...]
    notebook: str


def edition(path: Path) -> Edition:
    """A lesson's path -> the lesson solved."""
    with without_large_packages():
        from teacher.lessons import checked, notebook
        from teacher.solved import NOTE, solved

        filled = solved(notebook(path))
        names = [name for name, _ in checked(filled.cells)]
    cells = {cell["id"]: cell["source"] for cell in filled.cells}
    exercises = tuple(
        Solved(name, cells[f"{name}-task"], cells[f"{name}-try"], cells[f"{name}-check"]) for name in names
    )
    whole = copy.deepcopy(filled)
    whole.cells[0].source += f"\n\n{NOTE}"
    return Edition(exercises, json.dumps(bare(whole), ensure_ascii=False, indent=1) + "\n")


def bare(notebook: Any) -> Any:
    """A notebook -> the same without what its cells printed and drew: who opens it runs it."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
            cell["metadata"].pop("jupyter", None)
    return notebook


def page(lesson: Lesson, exercises: Sequence[Solved]) -> str:
    """A lesson, its exercises solved -> the page in Markdown."""
    return "\n".join([HEAD.format(**lesson._asdict()), *(section(each) for each in exercises)])


def section(exercise: Solved) -> str:
    """An exercise -> its part of the page."""
    code, reason = apart(exercise.code.strip())
    return (
        f"## {exercise.name}\n\n{exercise.task}\n\n{where(exercise)}\n\n"
        f"```python\n{code}\n\n{exercise.call.strip()}  # ✓\n```\n\n{shown(boxed(reason))}\n"
    )


def where(exercise: Solved) -> str:
    """An exercise -> a link to its place in the lesson, and what is there of which its task speaks: tables,
    figures, choices, the function as it was handed out.
    """
    place = f"in the lesson](#{place_name(exercise.name)})"
    if exercise.name.startswith(SUSPECT):
        return f"[The evidence and the mistakes (a) to (d) are {place}."
    if FIX in exercise.task:
        return f"[The function with the bug is {place}; here it is fixed."
    also = ", with what its task calls above or below" if POINTS.search(exercise.task) else ""
    return f"[This exercise is {place}{also}."


def first_page(lessons: Sequence[Lesson], archive: bytes) -> str:
    """The lessons, the archive of all of them -> the page that leads to theirs."""
    lines = [f"- [{each.number} · {each.name}]({each.number}.md): {each.question}" for each in lessons]
    text = FIRST.format(lessons="\n".join(lines), size=f"{len(archive) / 1e3:.0f}")
    entries = [(f"{each.number} · {each.name}", each.number) for each in lessons]
    return f"{text}\n{table_of_contents('', entries)}"


def archive(files: dict[str, str]) -> bytes:
    """{name: text} -> a zip of them."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            about = zipfile.ZipInfo(name, AGE)
            about.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(about, text)
    return made.getvalue()

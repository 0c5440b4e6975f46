"""A notebook's file as plain data, and what in it is a learner's."""

import json
import os
import re
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
Notebook = dict[str, Any]

LESSON = re.compile(r"\d\d_[a-z0-9_]+\.ipynb")
# The course's notebooks that are no lessons: a name and no number, so no minutes and no neighbours either.
NAMED = ("museum.ipynb", "practice.ipynb")
# The course's own ids are words. Programs make up ids of eight hexadecimal digits, or more.
WORDS = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MADE_UP = re.compile(r"(?=[a-z-]*\d)\b[0-9a-f]{8,}\b")


def is_lesson(name: str) -> bool:
    """A file's name -> whether it is a lesson's: 03_softmax.ipynb, and no copy of it."""
    return LESSON.fullmatch(name) is not None


def is_of_course(name: str) -> bool:
    """A file's name -> whether it is a notebook of the course: a lesson's, or one with a name alone."""
    return is_lesson(name) or name in NAMED


def short(name: str) -> str:
    """A file's name -> how it is asked for: 03 for 03_softmax.ipynb, practice for practice.ipynb."""
    return name[:2] if is_lesson(name) else name.removesuffix(".ipynb")


def notebooks(root: Path) -> list[Path]:
    """The course's folder -> its notebooks that stand in it: the lessons in order, then those with a name."""
    return sorted(path for path in (root / "notebooks").glob("*.ipynb") if is_of_course(path.name))


def lessons(root: Path) -> list[Path]:
    """The course's folder -> the lessons that stand in it, in order."""
    return [path for path in notebooks(root) if is_lesson(path.name)]


def is_slider(cell: Cell) -> bool:
    """A cell -> whether it shows a slider or a box to tick."""
    return str(cell.get("id", "")).endswith("-slider")


def is_compared(cell: Cell) -> bool:
    """A code cell -> whether what it shows is compared with what is stored; of a slider, the start."""
    return "nbval-ignore-output" not in cell["metadata"].get("tags", ()) or is_slider(cell)


def parse(text: str) -> Notebook | None:
    """A file's text -> the notebook, or None where it is none (git's conflict marks are the usual reason)."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    cells = found.get("cells") if isinstance(found, dict) else None
    whole = isinstance(cells, list) and all(isinstance(cell, dict) and "source" in cell for cell in cells)
    return found if whole else None


def write(notebook: Notebook) -> str:
    """A notebook -> its text, in the form that Jupyter gives it."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def store(path: Path, text: str) -> None:
    """A path, a text -> None. The file is replaced whole or not at all."""
    half = path.with_name(path.name + ".part")
    half.write_bytes(text.encode("utf-8"))
    os.replace(half, path)


def source(cell: Cell) -> str:
    """A cell -> its code or text, which files hold as one string or as a list of lines."""
    kept = cell["source"]
    return kept if isinstance(kept, str) else "".join(kept)


def says(cell: Cell) -> tuple[str, str]:
    """A cell -> its kind and what it says: equal for cells that a reader cannot tell apart."""
    return str(cell.get("cell_type")), source(cell)


def is_exercise(cell: Cell) -> bool:
    """A cell -> whether the learner is to fill it in."""
    return "exercise" in cell.get("metadata", {}).get("tags", ())


def saved_in_jupyter(notebook: Notebook) -> bool:
    """A notebook -> whether a program for notebooks saved it.

    Such a program writes the version of Python, and entries of its own. `python course.py run` removes both.
    """
    metadata = notebook.get("metadata", {})
    return "version" in metadata.get("language_info", {}) or not metadata.keys() <= {
        "kernelspec",
        "language_info",
    }


def is_learners(mine: str, committed: str) -> bool:
    """A lesson's text now, as committed -> whether a learner has worked in it.

    That is so where an exercise's cell holds other code, where a cell was added whose id is no word or that
    was never run, and where a program for notebooks saved the file. All else is an author's edit.
    """
    now, before = parse(mine), parse(committed)
    if now is None or before is None:
        return False
    known = {str(cell.get("id")): cell for cell in before["cells"]}
    return saved_in_jupyter(now) or any(added_or_solved(cell, known) for cell in now["cells"])


def added_or_solved(cell: Cell, known: dict[str, Cell]) -> bool:
    """A cell now, the committed cells by id -> whether it is a learner's own, or an exercise filled in."""
    name = str(cell.get("id", ""))
    if name in known:
        return is_exercise(known[name]) and source(cell) != source(known[name])
    never_run = cell.get("cell_type") == "code" and cell.get("execution_count") is None
    return never_run or WORDS.fullmatch(name) is None or MADE_UP.search(name) is not None

"""The lessons as the tests read them: a notebook in which a learner has worked is tested as committed.

`standing` in tools/course/committed.py says whose a notebook is. `pytest --as-is` tests every notebook as it
stands, and so does `--lesson 03`, which is an author's. One line at the end says what was done.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from nbformat import NotebookNode

from course.committed import Standing, standing
from course.copies import is_copy
from course.notebooks import is_lesson
from course.notebooks import notebooks as of_course

if TYPE_CHECKING:  # a teacher's plans and slides count the answers, where nothing of the tests is installed
    import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks"
AS_IS = "COURSE_AS_IS"  # the workers of pytest-xdist and programs that tests start inherit it


@functools.cache
def decided() -> Standing:
    """() -> whose the notebooks are, as it is for this whole run."""
    return Standing({}, [], None) if os.environ.get(AS_IS) else standing(ROOT)


def notebooks() -> list[Path]:
    """() -> the course's, lessons first. A learner's own notebooks are none, nor are copies of lessons."""
    return [path for path in of_course(ROOT) if path.name not in decided().strangers]


def lessons() -> list[Path]:
    """() -> the lessons, in order: what has a number, minutes, neighbours and a row in the tables."""
    return [path for path in notebooks() if is_lesson(path.name)]


@functools.cache
def folder() -> Path:
    """() -> a folder of this process for notebooks as committed, gone when the process ends."""
    made = Path(tempfile.mkdtemp(prefix="course-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@functools.cache
def as_tested(path: Path) -> Path:
    """A lesson's path -> where its text is to be read: there, or in a copy of it as committed."""
    committed = decided().learners.get(path.name) if path.parent == FOLDER else None
    if committed is None:
        return path
    copy = folder() / path.name
    copy.write_text(committed, encoding="utf-8", newline="\n")
    return copy


@functools.lru_cache(maxsize=50)
def parsed(text: str) -> NotebookNode:
    """A notebook's text -> the notebook."""
    return nbformat.reads(text, as_version=4)


def read(path: Path) -> NotebookNode:
    """A lesson's path -> the notebook as it is tested; the caller may change it."""
    return deepcopy(parsed(as_tested(path).read_text(encoding="utf-8")))


def said(state: Standing) -> str:
    """Whose the notebooks are -> the line that says which were tested how, or nothing where all is usual."""
    if state.no_git:
        return f"All notebooks were tested as they stand, and one with an answer in it fails: {state.no_git}."
    told = []
    if state.learners:
        names = ", ".join(sorted(state.learners))
        told.append(f"Yours, and tested as committed (as they are: --as-is): {names}.")
    if state.strangers:
        told.append(f"Yours, and not tested: {', '.join(state.strangers)}.")
    return " ".join(told)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption("--as-is", action="store_true", help="test a learner's notebooks as they stand, too")


def pytest_configure(config: pytest.Config) -> None:
    """Lets an author's run test every notebook as it stands."""
    if config.getoption("as_is") or config.getoption("lesson"):
        os.environ[AS_IS] = "1"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out notebooks that are not the course's."""
    name = collection_path.name
    beside = collection_path.parent == FOLDER and (is_copy(name) or name in decided().strangers)
    return True if beside else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says in one line which notebooks are a learner's."""
    line = said(decided())
    if line:
        terminalreporter.write_line(line)

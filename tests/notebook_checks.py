"""What notices a spoilt notebook without running it: the tests that look at one, the strict comparison."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import nbformat
import test_exercises_in_notebooks
import test_notebook_prose
import test_notebook_tasks
import test_notebooks
from nbformat import NotebookNode
from nbval.plugin import nocolors
from strict_notebooks import Cell

from course.notebooks import is_compared
from helpers.exercises.catalogue import exercises
from helpers.exercises.kinds import Table

TABLES = [name for name, exercise in exercises().items() if isinstance(exercise, Table)]
SKIPPED = ("metadata", "traceback", "prompt_number", "output_type", "name", "execution_count", "image/png")


MODULES = (test_notebooks, test_notebook_tasks, test_exercises_in_notebooks, test_notebook_prose)
Check = tuple[str, Callable[[], None]]


def checks(path: Path) -> Iterator[Check]:
    """A notebook -> the name of each test that looks at it, and the test as a call without arguments."""
    for module in MODULES:
        for name, function in vars(module).items():
            if name.startswith("test_") and inspect.isfunction(function):
                parameters = list(inspect.signature(function).parameters)
                if parameters == ["path"] or (parameters == ["page"] and path == test_notebooks.NOTEBOOKS[0]):
                    yield name, partial(function, path)
        if module is test_notebook_tasks:
            yield from checks_of_tasks(path)


def checks_of_tasks(path: Path) -> Iterator[Check]:
    """A notebook -> the tests that look at its exercises."""
    tasks = [cell.id.removesuffix("-task") for cell in test_notebooks.read(path).cells]
    for test, names in (
        (test_notebook_tasks.test_a_task_says_what_its_exercise_computes_with, test_notebook_tasks.SAYS),
        (test_notebook_tasks.test_the_table_to_fill_has_the_rows_and_columns_of_its_exercise, TABLES),
    ):
        yield from ((test.__name__, partial(test, name)) for name in names if name in tasks)
    for call in test_notebook_tasks.shown_calls():
        if call[0] in tasks:
            test_call = test_notebook_tasks.test_a_call_that_a_task_shows_gives_what_it_says
            yield test_call.__name__, partial(test_call, *call)


@contextlib.contextmanager
def instead(path: Path, notebook: NotebookNode) -> Iterator[None]:
    """A path, a notebook -> while this lasts, who reads the path reads the notebook."""
    read, read_text = nbformat.read, Path.read_text
    text = nbformat.writes(notebook).rstrip("\n") + "\n"

    def other(place: Any, *arguments: Any, **options: Any) -> NotebookNode:
        if place == path:
            return nbformat.reads(text, as_version=4)
        return read(place, *arguments, **options)

    def other_text(place: Path, *arguments: Any, **options: Any) -> str:
        return text if place == path else read_text(place, *arguments, **options)

    test_notebooks.read.cache_clear()
    try:
        with patch.object(nbformat, "read", other), patch.object(Path, "read_text", other_text):
            yield
    finally:
        test_notebooks.read.cache_clear()


def by_the_tests(path: Path, notebook: NotebookNode) -> str:
    """A path, a notebook -> the first test that fails where the notebook is found under the path, or ""."""
    with instead(path, notebook):
        return next((name for name, check in checks(path) if fails(check)), "")


def fails(test: Callable[[], None]) -> bool:
    """A test -> whether it fails."""
    try:
        test()
    except Exception:  # also one that cannot even read what it is given
        return True
    return False


class Comparison(Cell):
    """The strict comparison of outputs alone, without a notebook that runs."""

    @classmethod
    def of(cls, cell: NotebookNode) -> Comparison:
        """A cell -> its comparison. pytest would make one of a notebook that runs, and this one does not."""
        made = cls.__new__(cls)
        made.cell, made.colors, made.comparison_traceback = cell, nocolors, []
        made.parent = SimpleNamespace(skip_compare=SKIPPED, sanitize_patterns={})
        return made

    def format_output_compare(self, key: str, left: Any, right: Any) -> None:
        self.comparison_traceback.append(key)


def by_comparison(stored: NotebookNode, shown: NotebookNode) -> str:
    """A notebook, the same one executed -> "strict run" if a cell would fail in the strict run, or ""."""
    now = {cell.id: cell for cell in shown.cells}
    for cell in stored.cells:
        if cell.cell_type != "code" or cell.id not in now:
            continue
        if cell.execution_count is None:
            return "strict run"
        if is_compared(cell) and not Comparison.of(cell).compare_outputs(now[cell.id].outputs, cell.outputs):
            return "strict run"
    return ""

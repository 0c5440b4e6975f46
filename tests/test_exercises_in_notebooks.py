"""In every notebook each exercise, solved in place and in its own kernel, turns ✓, and all else stays.

Exercises are found by their check cells. The cell NAME-try is replaced by a solution: a text below, in the
words of a learner, or else as in the solved edition for teachers.
"""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import Iterator
from pathlib import Path

import lesson_files
import nbformat
import pytest
import run_notebooks
from nbformat import NotebookNode

from course.notebooks import is_compared, short
from helpers.exercises import catalogue, evaluate
from helpers.exercises.catalogue import LESSONS, lessons
from helpers.exercises.gym.finding import find
from helpers.exercises.gym.names import LATEST
from helpers.exercises.kinds import Mend
from teacher.solved import solved as solved_edition

NOTEBOOKS = lesson_files.notebooks()
KERNELS = 2  # at a time
SET_UP = re.compile(
    r"^(?:import (?:numpy|math|torch)|from torch|from helpers\.(?!plots|datasets|machine|exercises)) ?.*",
    re.MULTILINE,
)
CHECK = re.compile(r'check\("([\w-]+)", *(\w+)\)')

SOLUTIONS = {
    "total": (
        "def my_total(numbers):\n    total = 0\n    for number in numbers:\n        total += number\n"
        "    return total"
    ),
    "dot-product": "def my_dot(query, key):\n    return query @ key",
    "all-scores": "def my_scores(queries, keys):\n    return queries @ np.swapaxes(keys, -1, -2)",
    "scaled-scores": (
        "def my_scaled_scores(queries, keys):\n"
        "    return queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])"
    ),
    "softmax": (
        "def my_softmax(scores):\n"
        "    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
        "    return exponentials / exponentials.sum(axis=-1, keepdims=True)"
    ),
    "jacobian": "def my_jacobian(weights):\n    return np.diag(weights) - np.outer(weights, weights)",
    "scores-for": "three_scores = np.log([1, 2, 7])",
    "which-axis": 'which_axis = "a"',
}


OF_THE_GYM = """from helpers.exercises.gym.finding import find as _find
{variable} = _find({name!r}).right"""


def found_exercises(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """A notebook -> the name of each exercise and the variable that is handed to its check."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.id.endswith("-check"):
            yield from CHECK.findall(cell.source)


def solved(notebook: NotebookNode) -> NotebookNode:
    """A notebook -> a copy in which every stub is replaced by a solution."""
    in_gym = [found for found in found_exercises(notebook) if catalogue.find(found[0]) is None]
    notebook = copy.deepcopy(notebook) if in_gym else solved_edition(notebook)
    cells = {cell.id: cell for cell in notebook.cells}
    for name, _ in found_exercises(notebook):
        cells[f"{name}-try"].source = SOLUTIONS.get(name, cells[f"{name}-try"].source)
    for name, variable in in_gym:
        cells[f"{name}-try"].source = OF_THE_GYM.format(name=name, variable=variable)
    return notebook


def texts(cell: NotebookNode) -> list[str]:
    """A code cell -> what it printed and showed as text (figures are compared elsewhere)."""
    shown = [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell.get("outputs", [])
    ]
    return [text for text in shown if not text.startswith("<Figure")]


def problems(path: Path, executed: NotebookNode) -> list[str]:
    """A notebook's path, the same run with its exercises solved -> what is not as it should be."""
    stored = lesson_files.read(path)
    names = {f"{name}-{part}" for name, _ in found_exercises(stored) for part in ("try", "check")}
    found = []
    for name, _ in found_exercises(stored):
        (cell,) = [cell for cell in executed.cells if cell.id == f"{name}-check"]
        text = "".join(texts(cell))
        if not text.startswith(f"✓ {name}"):
            found.append(f"{name} is not right: {text}")
    for before, after in zip(stored.cells, executed.cells, strict=True):
        if (
            before.cell_type == "code"
            and before.id not in names
            and is_compared(before)
            and texts(before) != texts(after)
        ):
            found.append(f"cell {before.id} changed: {texts(before)} -> {texts(after)}")
    return found


def run(notebooks: dict[Path, NotebookNode]) -> dict[Path, NotebookNode | run_notebooks.NotebookFailed]:
    """Notebooks by the path where each may be written -> the same, executed, KERNELS at a time.

    A notebook in which a cell fails gives that failure.
    """
    run_notebooks.prepare_environment()
    turn = asyncio.Semaphore(KERNELS)

    async def one(path: Path, notebook: NotebookNode) -> NotebookNode | run_notebooks.NotebookFailed:
        nbformat.write(notebook, path)
        async with turn:
            try:
                return nbformat.reads((await run_notebooks.execute(path)).text, as_version=4)
            except run_notebooks.NotebookFailed as failure:
                return failure

    async def every() -> list[NotebookNode | run_notebooks.NotebookFailed]:
        return await asyncio.gather(*(one(path, notebook) for path, notebook in notebooks.items()))

    return dict(zip(notebooks, asyncio.run(every()), strict=True))


@pytest.fixture(scope="module")
def with_solutions(request, tmp_path_factory):
    """The path of every notebook that a test asks for -> it, executed with all its exercises solved."""
    folder = tmp_path_factory.mktemp("solved")
    asking = [item for item in request.session.items if "with_solutions" in getattr(item, "fixturenames", ())]
    paths = [item.callspec.params["path"] for item in asking]
    notebooks = {folder / path.name: solved(lesson_files.read(path)) for path in paths}
    return dict(zip(paths, run(notebooks).values(), strict=True))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_exercise_solved_in_place_turns_right_and_nothing_else_changes(path, with_solutions):
    executed = with_solutions[path]
    assert not isinstance(executed, run_notebooks.NotebookFailed), executed
    assert problems(path, executed) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_the_exercises_of_its_lesson_unsolved(path):
    notebook = lesson_files.read(path)
    names = [name for name, _ in found_exercises(notebook)]
    if short(path.name) in LESSONS:
        wanted = [exercise.name for exercise in lessons()[short(path.name)]]
        assert set(names) ^ set(wanted) == set(), "a check cell or a name in ORDER is missing"
        assert sorted(names) == sorted(wanted)
    cells = {cell.id: cell for cell in notebook.cells}
    for name, variable in found_exercises(notebook):
        if name in LATEST:
            continue  # it means what was shown last in the notebook's own kernel
        space: dict[str, object] = {}
        imports = "\n".join(SET_UP.findall(cells["setup"].source))
        exec(f"{imports}\n{cells[f'{name}-try'].source}", space)
        feedback = evaluate(name, space[variable])
        assert feedback.status == "not attempted"
        assert texts(cells[f"{name}-check"]) == [feedback.text + "\n"]
        exercise = find(name)
        if isinstance(exercise, Mend):
            assert feedback.named == ((exercise.given,),)


def sample(stub: str, later: str) -> NotebookNode:
    """A notebook of two exercises and one cell that comes later."""
    cell = nbformat.v4.new_code_cell
    return nbformat.v4.new_notebook(
        cells=[
            cell("import numpy as np\nfrom helpers.exercises import check", id="imports"),
            cell(stub, id="softmax-try"),
            cell('check("softmax", my_softmax)', id="softmax-check"),
            cell("which_axis = None", id="which-axis-try"),
            cell('check("which-axis", which_axis)', id="which-axis-check"),
            cell(later, id="later"),
        ]
    )


def test_a_cell_that_uses_the_learners_stub_is_found(tmp_path):
    stub = 'def my_softmax(scores):\n    """Nothing yet."""'
    notebook = sample(stub, "print(my_softmax(np.zeros((1, 2))))")
    path, other = tmp_path / "00_sample.ipynb", tmp_path / "00_solved.ipynb"
    unsolved, executed = run({path: notebook, other: solved(notebook)}).values()
    assert not isinstance(executed, run_notebooks.NotebookFailed), executed
    nbformat.write(unsolved, path)
    (found,) = problems(path, executed)
    assert found.startswith("cell later changed")

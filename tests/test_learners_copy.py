"""A copy in which somebody worked: whose each notebook is, and that the learner's are tested as committed."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import lesson_files
import pytest
from handed_out import ANSWERS
from releases import (
    book_at,
    cell_of,
    changed,
    cloned,
    code,
    inserted,
    lesson,
    make_course,
    needs_git,
    notebook,
    put,
    quiet_git,
    release,
    run_git,
    text,
    without,
)

from course.committed import Standing, course_text, standing
from course.notebooks import NAMED, Notebook, is_lesson, is_of_course, short, write

__all__ = ["quiet_git"]
ROOT = Path(__file__).resolve().parent.parent
OWN = code("0a1b2c3d", "1 + 1", "2\n", count=5)
VERSION = {"language_info": {"version": "3.12.1"}}

pytestmark = [pytest.mark.usefixtures("quiet_git"), needs_git]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A learner's clone of a small course."""
    return cloned(make_course(tmp_path / "the course"), tmp_path / "mine")


def unnamed(book: Notebook, name: str) -> Notebook:
    """A notebook, an id -> a copy in which that cell has no id."""
    cells = [{key: value for key, value in cell.items() if key != "id"} for cell in book["cells"]]
    return {**book, "cells": [n if c["id"] == name else c for c, n in zip(book["cells"], cells, strict=True)]}


@pytest.mark.parametrize(
    "book",
    [
        pytest.param(changed(lesson(), sum_try="def my_sum(x):\n    return sum(x)"), id="a solved exercise"),
        pytest.param(inserted(lesson(), "size", OWN), id="an own cell, as a program names it"),
        pytest.param(
            inserted(lesson(), "size", {**OWN, "id": "fa1b2c3d"}), id="an id that begins with a letter"
        ),
        pytest.param(inserted(lesson(), "size", text("4c1e4bb6-7e2b-4c4e", "Mine.")), id="an own text"),
        pytest.param(
            inserted(lesson(), "size", {**OWN, "id": "scratch", "execution_count": None}), id="unrun"
        ),
        pytest.param(unnamed(inserted(lesson(), "size", OWN), OWN["id"]), id="an own cell without an id"),
        pytest.param({**lesson(), "metadata": VERSION}, id="opened and saved"),
        pytest.param({**changed(lesson(), title="# Mine"), "metadata": VERSION}, id="any change, saved"),
        pytest.param({**lesson(), "metadata": {"widgets": {}}}, id="sliders moved and saved"),
    ],
)
def test_a_learners_notebook_is_tested_as_committed(mine: Path, book: Notebook) -> None:
    put(mine, book)
    assert standing(mine) == Standing({"01_sums.ipynb": write(lesson())}, [], None)


@pytest.mark.parametrize(
    "book",
    [
        pytest.param(lesson(), id="nothing changed"),
        pytest.param(changed(lesson(), title="# How?"), id="a text"),
        pytest.param(changed(lesson(), size="size = 5"), id="code that is no exercise's"),
        pytest.param(changed(lesson(), sum_check='check("total", my_sum)'), id="a check"),
        pytest.param(inserted(lesson(), "size", code("larger", "size + 1", "5\n")), id="a new cell, run"),
        pytest.param(inserted(lesson(), "size", text("size-task", "More.")), id="a new text"),
        pytest.param(without(lesson(), "size-look"), id="a text deleted"),
        pytest.param({**lesson(), "nbformat_minor": 4}, id="another format"),
    ],
)
def test_an_authors_notebook_is_tested_as_it_is(mine: Path, book: Notebook) -> None:
    put(mine, book)
    assert standing(mine) == Standing({}, [], None)


@pytest.mark.parametrize(("count", "printed"), [(None, "4\n"), (9, "4\n"), (3, "5\n")])
def test_a_stored_output_that_was_changed_by_hand_is_tested_as_it_is(
    mine: Path, count: int | None, printed: str
) -> None:
    book = lesson()
    book["cells"][2] = {**code("size", "", printed, count), "source": cell_of(book, "size")["source"]}
    put(mine, book)
    assert standing(mine).learners == {}


def test_a_file_that_is_no_notebook_is_tested_as_it_is_and_fails(mine: Path) -> None:
    (mine / "notebooks" / "01_sums.ipynb").write_text("<<<<<<< HEAD")
    assert standing(mine).learners == {}


def test_own_notebooks_are_left_out_and_a_new_lesson_is_not(mine: Path) -> None:
    for name in ("Untitled", "01_sums-Copy1", "my_notes", "01_sums.mine", "01_sums.mine-2"):
        put(mine, lesson(), name)
    put(mine, {**lesson(), "metadata": VERSION}, "03_mine")
    put(mine, lesson(), "04_new")
    assert standing(mine) == Standing(
        {}, ["01_sums-Copy1.ipynb", "03_mine.ipynb", "Untitled.ipynb", "my_notes.ipynb"], None
    )


def test_answers_that_were_committed_are_a_learners_and_other_commits_an_authors(mine: Path) -> None:
    put(mine, changed(lesson(), sum_try="mine"))
    run_git(mine, "commit", "-qam", "my answers")
    assert standing(mine).learners == {"01_sums.ipynb": write(lesson())}
    (mine / "helpers" / "sum.py").write_text("# and the helper that belongs to it\n")
    run_git(mine, "commit", "-qam", "a better exercise")
    assert standing(mine).learners == {}
    put(mine, changed(lesson(), sum_try="mine", mean_try="mine"))
    assert standing(mine).learners == {"01_sums.ipynb": write(changed(lesson(), sum_try="mine"))}


def test_a_release_that_changes_nothing_here_changes_nothing(mine: Path) -> None:
    course = mine.parent / "the course"
    release(course, {"notebooks/01_sums.ipynb": changed(lesson(), sum_try="new stub")}, "Second release")
    run_git(mine, "fetch", "-q")
    assert standing(mine) == Standing({}, [], None)


def test_tools_read_what_the_course_has_where_a_learner_works(mine: Path, tmp_path: Path) -> None:
    path = mine / "notebooks" / "01_sums.ipynb"
    put(mine, changed(lesson(), sum_try="mine"))
    assert course_text(mine, path) == write(lesson())
    assert course_text(mine, path.with_name("02_means.ipynb")) == path.with_name("02_means.ipynb").read_text()
    elsewhere = Path(shutil.copy(path, tmp_path))
    assert course_text(mine, elsewhere) == elsewhere.read_text(encoding="utf-8")


def test_without_git_a_line_says_so(tmp_path: Path) -> None:
    state = standing(tmp_path)
    assert state == Standing({}, [], "this folder is no git clone (was it downloaded as a zip?)")
    assert lesson_files.said(state).startswith(
        "All notebooks were tested as they stand, and one with an answer"
    )


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (Standing({}, [], None), ""),
        (
            Standing({"b.ipynb": "", "a.ipynb": ""}, [], None),
            "Yours, and tested as committed (as they are: --as-is): a.ipynb, b.ipynb.",
        ),
        (Standing({}, ["Untitled.ipynb"], None), "Yours, and not tested: Untitled.ipynb."),
    ],
)
def test_one_line_says_what_was_tested_how(state: Standing, line: str) -> None:
    assert lesson_files.said(state) == line


@pytest.mark.parametrize(
    ("name", "expected"),
    [("03_softmax.ipynb", True), ("03_softmax-Copy1.ipynb", False), ("03_softmax.mine.ipynb", False)],
)
def test_which_names_are_lessons(name: str, expected: bool) -> None:
    assert is_lesson(name) is is_of_course(name) is expected


@pytest.mark.parametrize("name", NAMED)
def test_a_notebook_with_a_name_is_the_courses_and_no_lesson(name: str) -> None:
    assert is_of_course(name)
    assert not is_lesson(name)
    assert not is_of_course(name.replace(".", "-Copy1."))
    assert f"{short(name)}.ipynb" == name
    assert short("03_softmax.ipynb") == "03"


def test_a_learner_works_in_a_notebook_with_a_name(mine: Path) -> None:
    release(mine.parent / "the course", {"notebooks/practice.ipynb": lesson()}, "A notebook with a name")
    run_git(mine, "pull", "-q")
    put(mine, changed(lesson(), sum_try="mine"), "practice")
    assert standing(mine) == Standing({"practice.ipynb": write(lesson())}, [], None)


# --- the whole of it, on a copy of this course with three exercises solved -------------------------------

SOLVED = {"03_softmax": "softmax", "04_attention": "attention", "05_masking": "causal-mask"}
OF_THE_LEARNER = [*SOLVED, "museum"]
MINE = code("0a1b2c3d", "import os\nx = [1,2 ]", count=41)


def solve(folder: Path, name: str, exercise: str) -> None:
    """A course's folder, a lesson, an exercise of its -> None. As JupyterLab saves it when it is solved."""
    book = book_at(folder, name)
    book = inserted(book, f"{exercise}-check", MINE, {**MINE, "id": "ffee0011", "source": "1/0"})
    answer = cell_of(book, f"{exercise}-try") | {"source": inspect.getsource(ANSWERS[exercise])}
    reply = cell_of(book, f"{exercise}-check") | code("", "", f"✓ {exercise}\n", 40)
    reply = {**reply, "id": f"{exercise}-check", "source": cell_of(book, f"{exercise}-check")["source"]}
    new = {cell["id"]: cell for cell in (answer, reply)}
    put(folder, {**book, "cells": [new.get(cell["id"], cell) for cell in book["cells"]]}, name)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """() -> a copy of this course in git, with solved exercises, own cells and notebooks, and progress."""
    folder = tmp_path_factory.mktemp("place") / "a copy"
    unwanted = (".*", "__pycache__", "*.egg-info", "build", "copies", "notebooks")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*unwanted))
    shutil.copy(ROOT / ".gitignore", folder)
    (folder / "notebooks").mkdir()
    for path in lesson_files.notebooks():
        shutil.copy(lesson_files.as_tested(path), folder / "notebooks" / path.name)
    run_git(folder, "init", "-q")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "The course")
    for name, exercise in SOLVED.items():
        solve(folder, name, exercise)
    put(folder, inserted(book_at(folder, "museum"), "setup", MINE), "museum")
    put(folder, notebook(code("0a1b2c3d", "1/0", count=None)), "Untitled")
    (folder / ".course-progress.json").write_text(json.dumps(dict.fromkeys(SOLVED.values(), "right")))
    return folder


def run_tests(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A course's folder, pytest's words -> the run of pytest in it, with the helpers that stand there."""
    env = {name: value for name, value in os.environ.items() if name != lesson_files.AS_IS}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=env | {"PYTHONPATH": str(folder)},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


# Lesson 03 cell by cell; the shape of all three; ruff on every notebook; the museum; a test of the site.
CHOSEN = (
    "(03_softmax and not website) or (test_notebooks and (04_ or 05_)) or ruff or formatted"
    " or (test_museum and current) or (takeaway and (03_ or 05_))"
)
FILES = [f"tests/test_{name}.py" for name in ("notebooks", "style", "museum", "website_answers")]


def test_a_copy_with_solved_exercises_passes_and_says_so(solved: Path) -> None:
    notebooks = [path for path in (solved / "notebooks").iterdir() if path.suffix == ".ipynb"]
    before = [path.read_bytes() for path in notebooks]
    told = run_tests(solved, "notebooks", *FILES, "-k", CHOSEN)
    assert told.returncode == 0, told.stdout
    assert re.search(r"^03_softmax .* cells$", told.stdout, re.MULTILINE), "lesson 03 was not run"
    line = "Yours, and tested as committed (as they are: --as-is): "
    names = ", ".join(f"{name}.ipynb" for name in OF_THE_LEARNER)
    assert f"{line}{names}. Yours, and not tested: Untitled.ipynb.\n" in told.stdout
    assert [path.read_bytes() for path in notebooks] == before


def test_as_they_are_they_fail(solved: Path) -> None:
    told = run_tests(solved, "--as-is", "tests/test_notebooks.py", "tests/test_style.py", "-k", "03_ or ruff")
    assert told.returncode == 1
    assert "::test_every_cell_was_run_once_from_top_to_bottom[03_softmax]" in told.stdout
    assert "::test_ruff_finds_nothing" in told.stdout
    assert "Yours" not in told.stdout

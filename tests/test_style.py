"""ruff and mypy, with the settings in pyproject.toml, on everything that the project has written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jupytext
import lesson_files
import pytest
from lesson_files import as_tested

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ["helpers", "tests", "tools", "conftest.py"]
OTHERS = ["course.py", "setup.py", "data"]
# Notebooks as they stand, by their paths; a learner's go in through stdin, as committed, under theirs.
LESSONS = [str(path) for path in lesson_files.notebooks() if as_tested(path) == path]
LEARNERS = [path for path in lesson_files.notebooks() if as_tested(path) != path]
# What a learner reads has no annotations, and a name such as `row` comes back for something else.
LAX = (
    "# mypy: allow-untyped-defs, no-check-untyped-defs, allow-redefinition,"
    " disable-error-code=var-annotated\n"
)


def complaints(module: str, *arguments: str, text: str | None = None) -> str:
    """A tool, its arguments, what it reads -> what it says if it is not content, else an empty text."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, encoding="utf-8", input=text, timeout=300, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def must_be_content(module: str, *arguments: str, text: str | None = None) -> None:
    """A tool, its arguments, what it reads -> None. Fails with everything that the tool says."""
    said = complaints(module, *arguments, text=text)
    if said:
        pytest.fail(said, pytrace=False)


def test_ruff_finds_nothing() -> None:
    must_be_content("ruff", "check", "--no-cache", *PYTHON, *OTHERS, *LESSONS)
    for path in LEARNERS:
        text = as_tested(path).read_text(encoding="utf-8")
        must_be_content("ruff", "check", "--no-cache", f"--stdin-filename={path}", "-", text=text)


def test_everything_is_formatted() -> None:
    must_be_content("ruff", "format", "--check", "--no-cache", *PYTHON, *OTHERS, *LESSONS)
    for path in LEARNERS:
        text = as_tested(path).read_text(encoding="utf-8")
        must_be_content("ruff", "format", "--check", "--no-cache", f"--stdin-filename={path}", "-", text=text)


@pytest.fixture(scope="module")
def lessons_as_modules() -> list[str]:
    """() -> paths of Python files with the code of each notebook.

    They stand where they stood the last time: mypy knows a file by its path, and reads no file twice.
    """
    folder = ROOT / ".mypy_cache" / "lessons"
    folder.mkdir(parents=True, exist_ok=True)
    modules = []
    for path in lesson_files.notebooks():
        module = folder / f"lesson_{path.stem}.py"
        code = jupytext.writes(jupytext.read(as_tested(path)), fmt="py:percent")
        module.write_text(LAX + code, encoding="utf-8")
        modules.append(str(module))
    assert modules
    return modules


def test_types_agree(lessons_as_modules: list[str]) -> None:
    must_be_content("mypy", "helpers", "tools", "conftest.py", *lessons_as_modules)


def test_types_agree_in_tests() -> None:
    # A test may have no annotations; what it calls is checked all the same.
    # A cache of its own: mypy forgets what it knows when it is given other options.
    must_be_content("mypy", "--cache-dir=.mypy_cache/tests", "--allow-untyped-defs", "tests", "tools")


def test_a_wrong_type_in_a_lesson_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "lesson_wrong.py"
    wrong.write_text(
        LAX + "from helpers.scaling import scale_scores\n\nscale_scores([1.0], d_k='four')\n",
        encoding="utf-8",
    )
    assert "incompatible type" in complaints("mypy", str(wrong))

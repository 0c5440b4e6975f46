"""`pytest --lesson 03` runs what concerns lesson 03, and nothing else."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import lesson_files
import one_lesson
import pytest

from course.notebooks import short

ROOT = Path(__file__).resolve().parent.parent
SOFTMAX = ROOT / "notebooks" / "03_softmax.ipynb"


def collected(*words: str) -> subprocess.CompletedProcess[str]:
    """Words for pytest -> what it would run."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120)


def test_what_concerns_the_lesson_is_collected() -> None:
    told = collected("--lesson", "03")
    assert told.returncode == 0, told.stdout + told.stderr
    tests = told.stdout.splitlines()
    files = {test.partition("::")[0] for test in tests if "::" in test}
    assert "notebooks/03_softmax.ipynb" in files
    assert "tests/exercises/test_lesson_03.py" in files
    answers = [test.partition("[")[2] for test in tests if "::test_the_check_says_what_is_expected" in test]
    assert len(answers) > 50
    assert [test for test in answers if not test.startswith("lesson_03/")] == []
    assert not [file for file in files if "lesson_05" in file or "browser" in file or "test_course" in file]
    for name in one_lesson.OF_THE_PROJECT:
        assert f"tests/test_style.py::{name}" in tests
    solved = [test for test in tests if "::test_each_exercise_solved_in_place_turns_right" in test]
    assert [test.partition("[")[2] for test in solved] == ["03_softmax]"]


@pytest.mark.parametrize("lesson", ["3", "99", "softmax", "*"])
def test_a_lesson_that_is_not_there_is_one_line(lesson: str) -> None:
    with pytest.raises(pytest.UsageError, match=r"^--lesson: there is no lesson .* use one of 00, 01, "):
        one_lesson.pytest_configure(SimpleNamespace(getoption=lambda name: lesson))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("notebooks/03_softmax.ipynb", True),
        ("notebooks/05_masking.ipynb", False),
        ("tests/exercises/test_lesson_03.py", True),
        ("tests/exercises/test_lesson_05.py", False),
        ("tests/exercises/test_answers.py", True),
        ("tests/test_streaming.py", False),
        ("tests/exercises/test_kernel_kept.py", False),
    ],
)
def test_files_that_may_concern_lesson_03(path: str, expected: bool) -> None:
    assert one_lesson.may_concern(ROOT / path, "03") is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (SOFTMAX, True),
        (SOFTMAX.with_name("05_masking.ipynb"), False),
        ("03", True),
        ("softmax", True),
        ("causal-mask", False),
        (SimpleNamespace(name="softmax"), True),
        (SimpleNamespace(name="causal-mask"), False),
        (3, False),
        (None, False),
    ],
)
def test_parameters_that_are_of_lesson_03(value: object, expected: bool) -> None:
    assert one_lesson.is_of(value, "03") is expected


@pytest.mark.parametrize("notebook", lesson_files.notebooks(), ids=lambda path: path.stem)
def test_the_exercises_of_a_lesson_are_found_in_its_notebook(notebook: Path) -> None:
    from helpers.exercises.catalogue import lessons

    lesson = short(notebook.name)
    assert one_lesson.exercises_of(lesson) >= {exercise.name for exercise in lessons().get(lesson, ())}

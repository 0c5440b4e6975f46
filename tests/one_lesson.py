"""`pytest --lesson 03`: what an author of lesson 03 needs, in less than a minute.

That is its notebook, cell by cell; the tests in files named after it (`lesson_03`), and what learners answer
in it (`exercises/lesson_03/`); of the tests that go through all lessons or all exercises, the ones that are
given this lesson or an exercise of its; and ruff and mypy. Files that cannot hold any of these are not even
loaded.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lesson_files import as_tested

from course.notebooks import notebooks, short

ROOT = Path(__file__).resolve().parent.parent
# A test file that may concern a lesson has one of these in its path.
ABOUT_LESSONS = re.compile("exercise|lesson|notebook|readme|style")
LESSON_FILE = re.compile(r"lesson_(\d\d)")
# These are about the check itself, or the gym, and try it on whatever exercise is at hand.
OF_THE_CHECK = {"test_kernel_kept.py", "test_gym.py", "test_gym_fixes.py"}
# Of the whole project at once. The types of the tests are left out: they take longest.
OF_THE_PROJECT = {
    "test_ruff_finds_nothing",
    "test_everything_is_formatted",
    "test_types_agree",
}
CHECK = re.compile(r"check\(\\?[\"']([\w-]+)")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption("--lesson", metavar="NN", help="only what the author of this lesson needs")


def pytest_configure(config: pytest.Config) -> None:
    """Refuses a lesson that is not there."""
    lesson = config.getoption("lesson")
    if lesson is not None and not notebook_of(lesson):
        known = ", ".join(short(path.name) for path in notebooks(ROOT))
        raise pytest.UsageError(f"--lesson: there is no lesson {lesson}: use one of {known}.")


def notebook_of(lesson: str) -> Path | None:
    """The two digits of a lesson, or a notebook's name -> its file, or None where there is none."""
    return next((path for path in notebooks(ROOT) if short(path.name) == lesson), None)


@cache
def exercises_of(lesson: str) -> frozenset[str]:
    """A lesson -> the names of the exercises that its notebook checks."""
    notebook = notebook_of(lesson)
    return frozenset(CHECK.findall(as_tested(notebook).read_text(encoding="utf-8")) if notebook else ())


def may_concern(path: Path, lesson: str) -> bool:
    """A file that pytest would load -> whether it can hold a test for the lesson."""
    place = path.relative_to(ROOT).as_posix()
    if path.suffix == ".ipynb":
        return path == notebook_of(lesson)
    if path.name in OF_THE_CHECK:
        return False
    of_lesson = LESSON_FILE.search(place)
    if of_lesson:
        return of_lesson[1] == lesson
    return ABOUT_LESSONS.search(place) is not None


def is_of(value: Any, lesson: str) -> bool:
    """A parameter of a test -> whether it is the lesson, its notebook, or an exercise of its."""
    if isinstance(value, Path):
        return value == notebook_of(lesson)
    name = value if isinstance(value, str) else getattr(value, "name", None)
    return isinstance(name, str) and (name == lesson or name in exercises_of(lesson))


def concerns(item: pytest.Item, lesson: str) -> bool:
    """A test -> whether the author of the lesson needs it."""
    if item.path == notebook_of(lesson) or f"lesson_{lesson}" in item.nodeid:
        return True
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return item.name in OF_THE_PROJECT or any(is_of(value, lesson) for value in parameters)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out files that cannot concern the lesson, and the browser."""
    lesson = config.getoption("lesson")
    if lesson is None:
        return None
    if collection_path.is_dir():
        return True if collection_path.name == "browser" else None
    return None if may_concern(collection_path, lesson) else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keeps what concerns the lesson."""
    lesson = config.getoption("lesson")
    if lesson is None:
        return
    left_out = [item for item in items if not concerns(item, lesson)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if concerns(item, lesson)]

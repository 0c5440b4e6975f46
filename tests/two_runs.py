"""`course.py test`: does the course work here, with the same numbers? `course.py test --all`: is it right?

The first is for who learns or teaches with it, and takes minutes: most of what can come out differently
on another machine. It leaves out what hangs on the files of the course alone, which are the same everywhere,
trials of machines other than this one, and what takes long. The second leaves out nothing: CI runs it, and so
does whoever changes the course. Files that are named, -k, -m and --lesson choose for themselves: they get all
of what they choose.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHORT = "COURSE_SHORT_RUN"  # the workers of pytest-xdist inherit it: what was asked for, they do not see

# What the short run leaves out, by the reason: whole files, folders, or single tests.
LEFT_OUT = {
    "hangs on the files of the course alone": (
        *("tests/test_style.py", "tests/test_house.py", "tests/test_imports.py", "tests/test_citation.py"),
        *("tests/test_notebook_prose.py", "tests/test_notebook_tasks.py", "tests/test_readme.py"),
        *("tests/test_workflow.py", "tests/test_doors.py", "tests/test_fingerprints.py"),
        "tests/test_exercises_in_notebooks.py::test_a_notebook_holds_the_exercises_of_its_lesson_unsolved",
        *("tests/exercises/test_words.py", "tests/exercises/test_further_on.py"),
        *(f"tests/test_website_{part}.py" for part in ("answers", "beside", "cells", "pages", "together")),
        *(f"tests/test_teacher_{part}.py" for part in ("outcomes", "plan", "report", "slides", "solved")),
    ),
    "whether the tests themselves, and the tools for authors, would notice a fault": (
        *("tests/test_corruptions.py", "tests/test_mutants.py", "tests/test_notebook_controls.py"),
        *("tests/test_one_lesson.py", "tests/test_pictures.py", "tests/test_run_notebooks.py"),
        *("tests/test_two_runs.py", "tests/test_unnamed.py", "tests/test_learners_copy.py"),
    ),
    "tries other machines than this one, or makes environments of its own": (
        *("tests/browser", "tests/test_processors.py", "tests/test_hub_trial.py"),
        *("tests/test_wheel.py", "tests/test_wheel_trials.py", "tests/test_kernels_compiled.py"),
        *("tests/test_course.py", "tests/test_course_machines.py", "tests/test_course_swap.py"),
    ),
    "a longer list of what the short run tries some of": (
        "tests/test_kill_table.py::test_each_mistake_is_named_and_its_row_is_up_to_date",
        "tests/test_exercises_in_notebooks.py::test_each_exercise_solved_in_place_turns_right_and_nothing_else_changes",
        *(f"tests/exercises/test_{part}.py" for part in ("gym", "gym_fixes", "gym_replies", "hostile")),
        *(f"tests/exercises/test_{part}.py" for part in ("kernel_kept", "probes", "claims", "lesson_05")),
        *(f"tests/exercises/test_{part}.py" for part in ("page", "reading", "replies")),
        "tests/exercises/test_catalogue.py::test_no_two_mistakes_look_the_same",
        "notebooks/05_masking.ipynb::controls-move",
    ),
    "takes long: measures, trains, compiles or starts processes, as lessons 09, 12, 13 and 16 do": (
        *(f"tests/test_benchmark_{part}.py" for part in ("command", "figures", "gpu", "one_thread", "pages")),
        *("tests/test_benchmark.py", "tests/test_processes.py", "tests/test_ring.py"),
        *(f"tests/test_pytorch_{part}.py" for part in ("induction", "modes")),
        *("tests/test_kernels.py::test_the_kernels_in_the_interpreter", "tests/test_pretrained_lesson.py"),
        "tests/test_readers_model.py::test_training_learns_and_the_same_command_gives_the_same_model",
    ),
}
# Of the answers in tests/exercises/test_answers.py it tries one in so many.
A_RIGHT_ANSWER_IN = 4
AN_ANSWER_IN = 20
EVERYTHING = frozenset(name for names in LEFT_OUT.values() for name in names)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption("--all", action="store_true", help="also what is the same on every machine")


def pytest_configure(config: pytest.Config) -> None:
    """Settles which of the two runs this is; a worker goes by what was settled."""
    if hasattr(config, "workerinput"):
        return
    os.environ.pop(SHORT, None)  # a test may have started this run
    if not config.getoption("all") and not chooses(config):
        os.environ[SHORT] = "1"


def chooses(config: pytest.Config) -> bool:
    """Whether the command line says which tests are meant."""
    by_option = any(config.getoption(name, default="") for name in ("lesson", "keyword", "markexpr"))
    return by_option or config.args_source is not pytest.Config.ArgsSource.TESTPATHS


def is_short() -> bool:
    """Whether this is the short run."""
    return SHORT in os.environ


def is_left_out(test: str) -> bool:
    """A test's id, or a file's path from the course's folder -> whether the short run leaves it out."""
    name = test.partition("[")[0]
    file = name.partition("::")[0]
    return not EVERYTHING.isdisjoint((name, file, file.rpartition("/")[0]))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out whole files unread."""
    place = os.path.relpath(collection_path, ROOT).replace(os.sep, "/")
    return True if is_short() and is_left_out(place) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out single tests."""
    if is_short():
        left_out = [item for item in items if is_left_out(item.nodeid)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_left_out(item.nodeid)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says in one line that this was the short run."""
    if is_short():
        terminalreporter.write_line(
            "This run tries most of what can differ between machines. "
            "Whoever changes the course needs the whole: python course.py test --all"
        )

"""The short run leaves out what is listed, and says so; whoever names a test gets it in any case."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import two_runs

from course.notebooks import is_slider

ROOT = Path(__file__).resolve().parent.parent
LISTED = sorted(two_runs.EVERYTHING)
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def collected(*words: str) -> list[str]:
    """Words for pytest -> the lines of what it says it would run."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", *words]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout.splitlines()


@pytest.mark.parametrize("name", LISTED)
def test_what_is_listed_is_there(name: str) -> None:
    file, _, test = name.partition("::")
    assert (ROOT / file).exists(), f"LEFT_OUT in tests/two_runs.py names {file}: take it out"
    if test == "controls-move":
        assert any(map(is_slider, nbformat.read(ROOT / file, as_version=4).cells)), f"{file} has no control"
    elif test:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")


def test_nothing_is_listed_twice() -> None:
    assert sum(map(len, two_runs.LEFT_OUT.values())) == len(LISTED)


def test_the_short_run_has_every_notebook_and_no_test_that_is_listed() -> None:
    lines = collected()
    tests = [line for line in lines if "::" in line and line.startswith(("tests/", "notebooks/"))]
    notebooks = {test.partition("::")[0] for test in tests if ".ipynb::" in test}
    assert notebooks == {f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert [test for test in tests if two_runs.is_left_out(test)] == []
    assert any("python course.py test --all" in line for line in lines)


@pytest.mark.parametrize("words", [["tests/test_house.py"], ["--lesson", "03"]])
def test_who_chooses_gets_what_is_chosen(words: list[str]) -> None:
    lines = collected(*words)
    assert any(line.startswith(("tests/test_house.py::", "tests/test_style.py::")) for line in lines)
    assert not any("course.py test --all" in line for line in lines)


@pytest.mark.parametrize(
    ("options", "source", "expected"),
    [
        ({}, pytest.Config.ArgsSource.TESTPATHS, False),
        ({"keyword": "softmax"}, pytest.Config.ArgsSource.TESTPATHS, True),
        ({"markexpr": "slow"}, pytest.Config.ArgsSource.TESTPATHS, True),
        ({"lesson": "03"}, pytest.Config.ArgsSource.TESTPATHS, True),
        ({}, pytest.Config.ArgsSource.ARGS, True),
    ],
)
def test_who_chooses(options: dict[str, str], source: pytest.Config.ArgsSource, expected: bool) -> None:
    told = SimpleNamespace(args_source=source, getoption=lambda name, default: options.get(name, default))
    assert two_runs.chooses(told) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("tests/test_style.py", True),
        ("tests/test_style.py::test_types_agree", True),
        ("tests/browser/test_slides.py::test_a_deck[03]", True),
        ("tests/test_kill_table.py", False),
        ("tests/test_kill_table.py::test_each_mistake_is_named_and_its_row_is_up_to_date[softmax]", True),
        ("tests/test_kill_table.py::test_on_this_machine_mistakes_get_their_names[softmax]", False),
        ("notebooks/03_softmax.ipynb::setup", False),
    ],
)
def test_what_is_left_out(test: str, expected: bool) -> None:
    assert two_runs.is_left_out(test) is expected


def test_ci_runs_all() -> None:
    assert "\npython3 course.py test --all --kernels || failed=$?\n" in CI

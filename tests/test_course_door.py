"""course.py itself: any Python can read it, and it finds tools/course/ from wherever it is called."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_environment import load
from tiny_course import make_course

import course.main

ROOT = Path(__file__).resolve().parent.parent
FILES = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tools" / "course").glob("*.py"))]


def old_pythons() -> list[str]:
    """The Pythons below 3.11 that this machine has by name and that start."""
    found = [
        shutil.which(f"python{version}") for version in ("2.7", *(f"3.{minor}" for minor in range(4, 11)))
    ]
    return [
        each
        for each in found
        if each and subprocess.run([each, "--version"], capture_output=True).returncode == 0
    ]


def test_an_old_python_that_is_here_gets_one_line() -> None:
    pythons = old_pythons()
    if not pythons:
        pytest.skip("no Python below 3.11 here")
    for python in pythons:
        told = subprocess.run([python, str(ROOT / "course.py"), "lab"], capture_output=True, text=True)
        assert told.returncode == 1
        assert re.fullmatch(
            r"course.py: Python 3\.11 or newer is needed and this is Python \S+\. .*\n", told.stderr
        )


def test_any_old_python_gets_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 9, "final", 0))
    assert load("course.py").main(["lab"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("course.py: Python 3.11 or newer is needed and this is Python 3.10.9.")
    assert told.count("\n") == 1


def newer_syntax(source: str) -> list[str]:
    """What Python 2.7 could not read. (A comma after the last ** argument is easily added by a formatter.)"""
    new = (
        ast.JoinedStr,
        ast.AnnAssign,
        ast.NamedExpr,
        ast.Nonlocal,
        ast.AsyncFunctionDef,
        ast.YieldFrom,
        ast.Match,
    )
    found = [type(node).__name__ for node in ast.walk(ast.parse(source)) if isinstance(node, new)]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            arguments = node.args
            all_arguments = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            found += ["annotation" for each in all_arguments if each.annotation]
            found += ["keyword-only" for _ in arguments.kwonlyargs]
            found += ["annotation"] if getattr(node, "returns", None) else []
        if isinstance(node, ast.Raise) and node.cause:
            found.append("raise from")
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and isinstance(
            getattr(node, "ctx", ast.Load()), ast.Load
        ):
            found += ["star in a list" for each in node.elts if isinstance(each, ast.Starred)]
    found += ["comma after **" for _ in re.findall(r"\*\*[\w.]+(?:\(\))?,\s*\)", source)]
    return found


def test_course_py_can_be_read_by_python_2() -> None:
    source = (ROOT / "course.py").read_text(
        encoding="ascii"
    )  # without a coding line Python 2 reads ASCII only
    assert newer_syntax(source) == []
    assert "from __future__ import print_function\n" in source


@pytest.mark.parametrize(
    "source",
    ["f'{1}'", "x: int = 1", "def f(x: int): 1", "def f() -> int: 1", "f(\n    **g(),\n)", "[1, *x]"],
)
def test_newer_syntax_would_be_found(source: str) -> None:
    assert newer_syntax(source)


@pytest.mark.parametrize("path", ["course.py", *FILES])
def test_it_imports_the_standard_library_only(path: str) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    # Which test_progress.py and test_course_models.py import without any package.
    names -= {"helpers.exercises.progress_file", "helpers.pretrained.models"}
    assert {name.partition(".")[0] for name in names} - sys.stdlib_module_names <= {"course"}


def rooms_imported_by(room: str) -> set[str]:
    """A room of tools/course/ -> the rooms that it imports from."""
    tree = ast.parse((ROOT / "tools" / "course" / f"{room}.py").read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    whole = {alias.name for node in found if node.module == "course" for alias in node.names}
    return whole | {
        node.module.removeprefix("course.")
        for node in found
        if node.module and node.module.startswith("course.")
    }


def test_the_rooms_are_those_of_the_map_and_each_imports_from_those_below_it() -> None:
    rooms = re.findall(r"^(\w+) {2,}\w", course.__doc__ or "", re.MULTILINE)
    assert sorted(rooms) == sorted(Path(path).stem for path in FILES if "__init__" not in path)
    for place, room in enumerate(rooms):
        assert rooms_imported_by(room) <= set(rooms[place + 1 :]), room
    assert rooms_imported_by("guard") == {"places", "messages"}, "the control: imports are seen"


def test_the_door_is_thin() -> None:
    assert len((ROOT / "course.py").read_text(encoding="ascii").splitlines()) < 40


def test_the_tests_import_the_package_and_not_the_door() -> None:
    assert Path(course.main.__file__).parent == ROOT / "tools" / "course"


# --- wherever it is called from -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course under a name with a space and a letter beyond ASCII."""
    return make_course(tmp_path_factory.mktemp("place") / "a course é")


def asked_for_help(door: Path, *options: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A path of course.py -> what it answers to --help in another folder. The environment is as it comes."""
    command = [sys.executable, *options, str(door), "--help"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | more
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("options", [[], ["-I"], ["-E", "-s"]])
def test_it_finds_its_package_from_another_folder(folder: Path, options: list[str], tmp_path: Path) -> None:
    told = asked_for_help(folder / "course.py", *options, cwd=tmp_path)
    assert (told.returncode, told.stdout, told.stderr) == (0, course.main.HELP + "\n", "")


def test_it_finds_its_package_through_a_link(folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "another name.py"
    try:
        link.symlink_to(folder / "course.py")
    except OSError:
        pytest.skip("this system lets nobody make a link")
    told = asked_for_help(link, cwd=tmp_path)
    assert (told.returncode, told.stdout, told.stderr) == (0, course.main.HELP + "\n", "")


def test_another_package_of_that_name_is_not_taken(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "__init__.py").write_text("raise RuntimeError('the wrong course')")
    (tmp_path / "course.py").write_text("raise RuntimeError('the wrong course')")
    told = asked_for_help(folder / "course.py", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (told.returncode, told.stdout, told.stderr) == (0, course.main.HELP + "\n", "")

"""The doors of docs/doors.md: what a file says fits the course, and what can be tried here is tried."""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import lint_doors
import pytest
import scratch
import wheel_trial
import yaml  # type: ignore[import-untyped]
from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_code_cell, new_notebook, new_output
from packaging.specifiers import SpecifierSet
from wheel_trial import TrialError

from course.lists import requirements
from course.main import Wish, parse
from course.messages import CourseError, OutOfReachError

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "doors.md").read_text(encoding="utf-8")
PYTHONS = SpecifierSet(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
)
LABELS = ("tried", "not tried", "checked by schema")
WIDEST = 88  # letters of a line of code on the site and on paper


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def wish(command: str) -> Wish:
    """python course.py setup -> what course.py would do."""
    program, *words = command.split()
    assert program == "python"
    assert words[0] == "course.py"
    return parse(words[1:])


# --- the page


def table() -> list[list[str]]:
    rows = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| [")]
    return [[field.strip() for field in row] for row in rows]


def test_every_door_has_an_honest_label_and_a_date_that_has_been() -> None:
    assert len(table()) == 9
    for door, label, when in table():
        assert label.startswith(LABELS), door
        (day,) = re.findall(r"\d{4}-\d\d-\d\d", when)
        assert datetime.date.fromisoformat(day) <= datetime.date.today(), door


def test_every_door_leads_somewhere() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
    targets = [target for door, *_ in table() for target in re.findall(r"\]\((.+?)\)", door)]
    assert {target for target in targets if target.startswith("#")} == {f"#{each}" for each in anchors}
    files = [target for target in targets if not target.startswith("#")]
    assert [name for name in files if not (ROOT / "docs" / name).is_file()] == []


# --- Colab and Kaggle


def installs(installed: set[str]) -> list[str]:
    """The packages that a machine has -> what the cell asks %pip for there."""
    asked: list[str] = []

    class Shell:
        def run_line_magic(self, name: str, line: str, **_: int) -> None:
            assert name == "pip"
            asked.append(line)

    class Packages:
        class PackageNotFoundError(Exception):
            pass

        def version(self, name: str) -> str:
            if name not in installed:
                raise self.PackageNotFoundError
            return "0.1.0"

    code = TransformerManager().transform_cell(wheel_trial.colab_cell())
    code = code.replace("import importlib.metadata as packages\n", "")
    exec(code, {"get_ipython": Shell, "packages": Packages()})
    return asked


def test_the_cell_installs_the_course_and_no_other_package() -> None:
    assert installs({"numpy", "torch"}) == ['install --quiet --no-deps "git+ADDRESS"']


def test_the_cell_does_nothing_where_the_course_is_installed() -> None:
    assert installs({"attention-course"}) == []


def test_the_cell_asks_for_the_course_by_its_name_and_is_short() -> None:
    cell = wheel_trial.colab_cell()
    name = tomllib.loads(text("pyproject.toml"))["project"]["name"]
    assert f'packages.version("{name}")' in cell
    assert len(cell.splitlines()) < 10
    assert max(map(len, cell.splitlines())) <= WIDEST


@pytest.mark.parametrize("page", ["no cell", "```python\n1\n```\n", 2 * '```python\n"git+ADDRESS"\n```\n'])
def test_a_page_without_that_one_cell_is_refused(page: str) -> None:
    with pytest.raises(TrialError, match=r"expected one cell of Python that installs \"git\+ADDRESS\""):
        wheel_trial.colab_cell(page)


def test_colabs_packages_are_pinned_and_new_enough_for_the_course() -> None:
    pins = dict(line.split("==") for line in requirements(wheel_trial.COLAB))
    for each in wheel_trial.wanted(torch=True):
        name, _, oldest = each.partition(">=")
        assert SpecifierSet(f">={oldest}").contains(pins[name]), each
    assert set(wheel_trial.RUNNING) <= set(pins)


def test_the_trial_runs_the_lessons_that_the_page_promises() -> None:
    assert "Lessons 00 to 09 run there" in PAGE
    assert tuple(path.name[:2] for path in wheel_trial.choose(wheel_trial.CORE, False)) == wheel_trial.CORE


def lesson(folder: Path, name: str) -> Path:
    """A folder, a name -> a notebook in it, whose one cell says whether the first cell ran before it."""
    cell = new_code_cell(
        "print(door)", id="one", outputs=[new_output("stream", name="stdout", text="open\n")]
    )
    path = folder / name
    path.write_text(json.dumps(new_notebook(cells=[cell])), encoding="utf-8")
    return path


def test_the_cell_runs_first_and_is_no_difference(tmp_path: Path) -> None:
    path = lesson(tmp_path, "lesson.ipynb")
    assert wheel_trial.run_lessons(wheel_trial.sys.executable, [path], tmp_path / "a", "door = 'open'") == []
    (found,) = wheel_trial.run_lessons(wheel_trial.sys.executable, [path], tmp_path / "b", "door = 'shut'")
    assert "'stdout': 'shut\\n'" in found


def test_a_package_that_the_cell_changed_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lists = iter([{"numpy==2.0.2"}, {"numpy==2.5.5", "attention-course==0.1.0"}])
    monkeypatch.setattr(wheel_trial, "packages_of", lambda *_: next(lists))
    monkeypatch.setattr(wheel_trial, "run_lessons", lambda *_: [])
    assert wheel_trial.run_on_colab("python", [Path("a"), Path("b")], tmp_path, tmp_path / "c.whl") == [
        "the cell changed a package: numpy==2.0.2",
        "the cell changed a package: numpy==2.5.5",
    ]


# --- Binder, containers, VS Code


def test_binder_takes_the_versions_of_the_lock_and_no_torch() -> None:
    constraint, *packages = requirements(ROOT / "binder" / "requirements.txt")
    assert (
        ROOT / "binder" / constraint.removeprefix("--constraint ")
    ).resolve() == ROOT / "requirements.lock"
    assert packages == ["jupyterlab", "."]
    assert not any(each.startswith("torch") for each in wheel_trial.wanted(torch=False))
    assert PYTHONS.contains(text("binder/runtime.txt").strip().removeprefix("python-"))


def test_the_dev_container_sets_the_course_up() -> None:
    container = json.loads(text(".devcontainer/devcontainer.json"))
    assert wish(container["postCreateCommand"]).verb == "setup"
    assert PYTHONS.contains(container["image"].rpartition(":")[2])
    offered = json.loads(text(".vscode/extensions.json"))["recommendations"]
    assert container["customizations"]["vscode"]["extensions"] == offered
    assert json.loads(text(".vscode/settings.json"))["jupyter.notebookFileRoot"] == "${fileDirname}"


def test_the_container_opens_the_course_for_this_machine_only() -> None:
    service = yaml.safe_load(text("docker-compose.yml"))["services"]["course"]
    lines = text("Dockerfile").splitlines()
    said: dict[str, str] = {line.partition(" ")[0]: line.partition(" ")[2] for line in lines}
    assert PYTHONS.contains(said["FROM"].removeprefix("python:").removesuffix("-slim"))
    assert wish(said["RUN"])[:2] == ("setup", "cpu")  # the last RUN
    opens = wish(" ".join(json.loads(said["CMD"])))
    assert opens.verb == "lab"
    assert f"--port={said['EXPOSE']}" in opens.rest
    assert service["ports"] == [f"127.0.0.1:{said['EXPOSE']}:{said['EXPOSE']}"]
    assert said["USER"] not in ("root", "0")
    assert all(said["WORKDIR"] in each or ".local/share" in each for each in service["volumes"])


# --- double-click


def fake_python(folder: Path, name: str, fits: bool) -> None:
    """A program of that name in the folder: says whether it is new enough, else what it was called with."""
    code = f'#!/bin/sh\ncase "$1" in -c) exit {0 if fits else 1};; esac\necho "{name} $*"\n'
    (folder / name).write_text(code, encoding="utf-8")
    (folder / name).chmod(0o755)


def double_click(folder: Path, fitting: str | None, course: Path) -> subprocess.CompletedProcess[str]:
    """A folder, the one Python that is new enough, the course's folder -> what the Mac's starter does."""
    for name in ("python3.14", "python3.13", "python3.12", "python3.11", "python3"):
        fake_python(folder, name, name == fitting)
    env = {**os.environ, "PATH": f"{folder}:/usr/bin:/bin"}
    command = [str(course / "start-on-mac.command")]
    return subprocess.run(command, cwd="/", env=env, capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_macs_starter_finds_a_python_that_is_new_enough(tmp_path: Path) -> None:
    course = tmp_path / "a course"
    course.mkdir()
    shutil.copy(ROOT / "start-on-mac.command", course)
    for fitting in ("python3.13", "python3"):
        done = double_click(tmp_path, fitting, course)
        assert done.stdout == f"{fitting} {course.resolve()}/course.py lab\n", done.stderr
    done = double_click(tmp_path, None, course)
    assert done.returncode == 1
    assert "No Python 3.11 or newer was found. Install one from python.org" in done.stdout


def test_the_starter_of_windows_is_written_as_windows_reads_it() -> None:
    raw = (ROOT / "start-on-windows.bat").read_bytes()
    assert raw.isascii()
    assert raw.count(b"\n") == raw.count(b"\r\n") > 10
    started = re.findall(r'^ +(.+) "%~dp0course\.py" lab\r$', raw.decode(), re.MULTILINE)
    assert started == ["py -3", "python"]
    assert raw.rstrip().endswith(b"if errorlevel 1 pause")  # the message can be read


# --- the programs that look at these files


def test_each_file_that_is_looked_at_is_there() -> None:
    linted = {words[-1] for words in lint_doors.LINTS}
    assert [name for name in linted if not (ROOT / name).is_file()] == []
    workflows = {f".github/workflows/{path.name}" for path in (ROOT / ".github" / "workflows").iterdir()}
    assert workflows <= linted


def test_what_a_program_finds_is_told(tmp_path: Path) -> None:
    for name, status in (("strict", 1), ("content", 0)):
        (tmp_path / name).write_text(f"#!/bin/sh\necho line 3 is wrong\nexit {status}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    if os.name == "nt":
        pytest.skip("shell scripts stand for the programs")
    assert lint_doors.complaint(tmp_path, "strict", "Dockerfile") == "Dockerfile:\nline 3 is wrong"
    assert lint_doors.complaint(tmp_path, "content", "Dockerfile") is None


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (["ERROR: No matching distribution found for x"], OutOfReachError),
        (
            ["WARNING: Retrying after connection broken by 'NewConnectionError'", "ERROR: none"],
            OutOfReachError,
        ),
        (["ERROR: Could not build x"], CourseError),
        ([], CourseError),
    ],
)
def test_what_cannot_be_fetched_is_no_fault_of_the_course(said: list[str], kind: type[CourseError]) -> None:
    error: Any = scratch.refusal("pip", said)
    assert type(error) is kind
    assert str(error).startswith("pip could not install: ")
    assert error.status == (3 if kind is OutOfReachError else 1)

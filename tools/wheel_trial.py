"""Do the lessons run from the wheel, far from the clone, with the oldest packages, the newest, and Colab's?

    python tools/wheel_trial.py oldest            with the versions at which pyproject.toml begins
    python tools/wheel_trial.py newest 03 05      with what pip chooses today; lessons 03 and 05 only
    python tools/wheel_trial.py oldest --torch    the lessons that need torch (on Linux pip may fetch 3 GB)
    python tools/wheel_trial.py colab             lessons 00 to 09 with what Colab has, torch too (3 GB again)

A wheel is built, installed into a fresh environment, and copies of the notebooks run there. What they print
must be what is stored. Where a picture is stored, a picture must come; its pixels are not compared, because
another matplotlib draws other ones. Nothing may be written where the course is installed: an administrator
may have installed it for everybody.

In the trial "colab" the environment has Colab's packages (tools/colab_packages.txt) and no course. Each
lesson begins with the cell of docs/doors.md, which installs the wheel, and may change no other package.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from scratch import own_variables, programs_of

from course.committed import course_text
from course.notebooks import notebooks, short

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT / "tools" / "run_notebooks.py"
TORCH_LESSONS = ("08", "09", "11", "12", "13", "16")
CORE = tuple(f"{number:02}" for number in range(10))  # what the cell for Colab is meant for
COLAB = ROOT / "tools" / "colab_packages.txt"
DOORS = ROOT / "docs" / "doors.md"
COURSE = "attention-course"
VERSIONS = ("oldest", "newest", "colab")
FROM_ADDRESS = '"git+ADDRESS"'  # what the cell installs; the reader puts the repository's address there
RUNNING = ("ipykernel", "nbclient")  # what runs a notebook without JupyterLab
# What a wheel is built from. It is copied first: a build leaves folders behind.
SOURCES = ("helpers", "data", "pyproject.toml", "setup.py", "README.md", "LICENSE", "LICENSE-TEXT")
IGNORED = "nbval-ignore-output"


class TrialError(Exception):
    """The trial cannot be made; the message says why, in one line."""


def build_wheel(folder: Path, python: str = sys.executable) -> Path:
    """An empty folder -> the wheel in it. `python` has setuptools: nothing is downloaded."""
    sources = folder / "sources"
    sources.mkdir(parents=True)
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, sources / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, sources / name)
    pip = [python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    call([*pip, "--wheel-dir", str(folder), str(sources)])
    (wheel,) = folder.glob("*.whl")
    return wheel


def wanted(torch: bool) -> list[str]:
    """Whether torch is wanted -> the requirements of pyproject.toml, as they stand there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["dependencies"] + (project["optional-dependencies"]["torch"] if torch else [])


def at_the_oldest(requirement: str) -> str:
    """numpy>=1.26 -> numpy==1.26. Raises TrialError for a requirement that names no oldest version."""
    found = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement)
    if not found:
        raise TrialError(f"pyproject.toml: expected a requirement such as numpy>=1.26, got {requirement!r}")
    return f"{found[1]}=={found[2]}"


def call(command: Sequence[str], folder: Path = ROOT) -> str:
    """A command -> what it printed. Raises TrialError with the last line that says what went wrong."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=own_variables(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()] or ["no message"]
        errors = [line for line in lines if "error" in line.lower() or "failed" in line] or lines
        raise TrialError(f"{' '.join(command[1:4])} …: {errors[-1].strip()}")
    return done.stdout


def install(folder: Path, wheel: Path, versions: str, torch: bool, base: str = sys.executable) -> str:
    """An empty folder, a wheel, which versions -> the Python of a new environment there.

    On "colab" it has no course yet. Raises TrialError where pip cannot have these versions.
    """
    call([base, "-m", "venv", str(folder)])
    python = str(programs_of(folder) / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
    if versions == "colab":
        call([*pip, "--requirement", str(COLAB)])
        return python
    packages = [at_the_oldest(each) for each in wanted(torch)] if versions == "oldest" else wanted(torch)
    call([*pip, str(wheel), *packages, *RUNNING])
    return python


def colab_cell(page: str | None = None) -> str:
    """docs/doors.md -> the cell for Colab and Kaggle, as it stands there. Raises TrialError without one."""
    text = DOORS.read_text(encoding="utf-8") if page is None else page
    cells = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    if len(cells) != 1 or FROM_ADDRESS not in cells[0]:
        raise TrialError(f"docs/doors.md: expected one cell of Python that installs {FROM_ADDRESS}")
    return str(cells[0]).rstrip()


def as_the_course_has_it(lesson: Path) -> NotebookNode:
    """A notebook's path -> the notebook, as committed where a learner works in it."""
    return nbformat.reads(course_text(ROOT, lesson), as_version=4)


def with_cell(cell: str, lesson: Path, folder: Path) -> Path:
    """A cell, a notebook -> a copy of the notebook in the folder, which begins with that cell."""
    notebook = as_the_course_has_it(lesson)
    notebook.cells.insert(0, new_code_cell(cell, id="door"))
    copy = folder / lesson.name
    nbformat.write(notebook, copy)
    return copy


def packages_of(python: str, elsewhere: Path) -> set[str]:
    """The Python of an environment -> its packages, as name==version."""
    listed = call([python, "-m", "pip", "--disable-pip-version-check", "list", "--format=freeze"], elsewhere)
    return set(listed.split())


def installed_helpers(python: str, elsewhere: Path) -> Path:
    """The Python of an environment, a folder outside the clone -> where it finds the helpers."""
    say = "import pathlib, helpers; print(pathlib.Path(helpers.__file__).parent)"
    return Path(call([python, "-c", say], elsewhere).strip())


def picture_of(folder: Path) -> dict[str, tuple[int, int]]:
    """A folder -> when each file in it was written, and its size."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


def shown(cell: NotebookNode) -> list[Any]:
    """A code cell -> what a reader sees below it: texts as they are, and that there is a picture."""
    seen: list[Any] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            seen.append({output.name: output.text})
        elif output.output_type == "error":
            seen.append({"error": output.evalue})
        else:
            seen.append("a picture" if "image/png" in output.data else dict(output.data))
    return seen


def differences(stored: NotebookNode, now: NotebookNode) -> list[str]:
    """A notebook as it is stored and as it ran -> a text for each cell that shows a reader something else.

    A cell whose output is ignored may show what it likes, but no error.
    """
    found = []
    for before, after in zip(stored.cells, now.cells, strict=True):
        if before.cell_type != "code" or shown(before) == shown(after):
            continue
        failed = any(output.output_type == "error" for output in after.outputs)
        if failed or IGNORED not in before.metadata.get("tags", []):
            found.append(f"cell {before.id}\n  stored {shown(before)}\n  now    {shown(after)}")
    return found


def run_lessons(python: str, lessons: Sequence[Path], folder: Path, cell: str = "") -> list[str]:
    """The Python of an environment, notebooks, a folder, a first cell -> what is not as it is stored.

    Raises TrialError where a cell fails.
    """
    folder.mkdir(exist_ok=True)
    if cell:
        copies = [with_cell(cell, path, folder) for path in lessons]
    else:
        copies = [folder / path.name for path in lessons]
        for path, copy in zip(lessons, copies, strict=True):
            copy.write_text(course_text(ROOT, path), encoding="utf-8", newline="\n")
    call([python, str(RUNNER), *map(str, copies)], folder)
    found = []
    for path, copy in zip(lessons, copies, strict=True):
        before, now = as_the_course_has_it(path), nbformat.read(copy, as_version=4)
        now.cells = now.cells[1:] if cell else now.cells
        found += [f"{path.name}, {each}" for each in differences(before, now)]
    return found


def run_on_colab(python: str, lessons: Sequence[Path], folder: Path, wheel: Path) -> list[str]:
    """The Python of an environment without the course, notebooks, a folder, a wheel -> what went wrong.

    The cell of the first lesson installs the course, those of the others find it there.
    """
    cell = colab_cell().replace(FROM_ADDRESS, f'"{wheel.as_posix()}"')
    before = packages_of(python, folder.parent)
    found = run_lessons(python, lessons[:1], folder, cell)
    now = packages_of(python, folder.parent)
    moved = [f"the cell changed a package: {each}" for each in sorted(before ^ now) if COURSE not in each]
    if len(lessons) > 1:
        found += run_lessons(python, lessons[1:], folder, cell)
    return moved + found


def choose(names: Sequence[str], torch: bool) -> list[Path]:
    """Numbers of lessons -> their notebooks; no number at all -> those that need torch, or those that do not.

    Raises TrialError for a number that no lesson has.
    """
    lessons = {short(path.name): path for path in notebooks(ROOT)}
    unknown = [name for name in names if name not in lessons]
    if unknown:
        raise TrialError(f"there is no lesson {unknown[0]}: use {', '.join(lessons)}")
    chosen = names or [number for number in lessons if (number in TORCH_LESSONS) == torch]
    return [path for number, path in lessons.items() if number in chosen]


def in_the_wheel(python: str, folder: Path) -> Path:
    """The Python of an environment in a folder -> its helpers. Raises TrialError where it finds others."""
    helpers = installed_helpers(python, folder)
    if folder not in helpers.parents:
        raise TrialError(f"expected the helpers of the wheel in {folder}, found {helpers}")
    return helpers


def trial(
    versions: str, names: Sequence[str] = (), torch: bool = False, base: str = sys.executable
) -> list[str]:
    """Which versions, numbers of lessons -> what went wrong, a text each; nothing where all is well.

    Raises TrialError where the environment cannot be made or a cell fails.
    """
    lessons = choose(names or (CORE if versions == "colab" else ()), torch)
    with tempfile.TemporaryDirectory(prefix="wheel-") as place:
        folder, start = Path(place).resolve(), time.perf_counter()
        wheel = build_wheel(folder / "wheel")
        python = install(folder / "environment", wheel, versions, torch, base)
        ready = time.perf_counter()
        if versions == "colab":
            faults = run_on_colab(python, lessons, folder / "lessons", wheel)
            in_the_wheel(python, folder)
        else:
            helpers = in_the_wheel(python, folder)
            before = picture_of(helpers)
            faults = run_lessons(python, lessons, folder / "lessons")
            changed = picture_of(helpers).items() ^ before.items()
            faults += [f"written where the course is installed: {path}" for path in sorted(dict(changed))]
        megabytes = sum(size for _, size in picture_of(folder / "environment").values()) / 1e6
        print(
            f"{versions}: {wheel.stat().st_size / 1e6:.1f} MB of wheel, installed in {ready - start:.0f} s",
            end="",
        )
        print(f" ({megabytes:.0f} MB), {len(lessons)} lessons in {time.perf_counter() - ready:.0f} s")
        return faults


def main(arguments: Sequence[str] | None = None) -> int:
    """Command-line words -> the exit status: 0 if every lesson ran and printed what is stored."""
    parser = argparse.ArgumentParser(description="Run the lessons from the wheel, in a fresh environment.")
    parser.add_argument("versions", choices=VERSIONS, help="of the packages that lessons need")
    parser.add_argument("lessons", nargs="*", help="their numbers, such as 03; left out: all that fit")
    parser.add_argument(
        "--torch", action="store_true", help="the lessons that need torch, and torch with them"
    )
    parser.add_argument("--python", default=sys.executable, help="the Python that the environment is made of")
    told = parser.parse_args(arguments)
    try:
        faults = trial(told.versions, told.lessons, told.torch, told.python)
    except TrialError as error:
        faults = [str(error)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

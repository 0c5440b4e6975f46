"""Do the lessons run from the wheel, far from the clone, with the oldest and with the newest packages?

    python tools/wheel_trial.py oldest            with the versions at which pyproject.toml begins
    python tools/wheel_trial.py newest 03 05      with what pip chooses today; lessons 03 and 05 only
    python tools/wheel_trial.py oldest --torch    the lessons that need torch (on Linux pip may fetch 3 GB)

A wheel is built, installed into a fresh environment, and copies of the notebooks run there. What they print
must be what is stored. Where a picture is stored, a picture must come; its pixels are not compared, because
another matplotlib draws other ones. Nothing may be written where the course is installed: an administrator
may have installed it for everybody.
"""

from __future__ import annotations

import argparse
import os
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

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT / "tools" / "run_notebooks.py"
TORCH_LESSONS = ("08", "09", "11", "12", "13")
RUNNING = ("ipykernel", "nbclient")  # what runs a notebook without JupyterLab
# What a wheel is built from. It is copied first: a build leaves folders behind.
SOURCES = ("helpers", "data", "pyproject.toml", "setup.py", "README.md", "LICENSE", "LICENSE-TEXT")
IGNORED = "nbval-ignore-output"
# What would lead the fresh environment back to the clone, or away from its own packages.
UNWANTED = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "MPLBACKEND", "JUPYTER_PATH", "PIP_TARGET", "PIP_USER")


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
    env = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    env |= {"PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()] or ["no message"]
        errors = [line for line in lines if "error" in line.lower() or "failed" in line] or lines
        raise TrialError(f"{' '.join(command[1:4])} …: {errors[-1].strip()}")
    return done.stdout


def install(folder: Path, wheel: Path, versions: str, torch: bool, base: str = sys.executable) -> str:
    """An empty folder, a wheel, "oldest" or "newest" -> the Python of a new environment there.

    Raises TrialError where pip cannot have these versions.
    """
    call([base, "-m", "venv", str(folder)])
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    packages = [at_the_oldest(each) for each in wanted(torch)] if versions == "oldest" else wanted(torch)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
    call([*pip, str(wheel), *packages, *RUNNING])
    return python


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


def run_lessons(python: str, lessons: Sequence[Path], folder: Path) -> list[str]:
    """The Python of an environment, notebooks, an empty folder -> what is not as it is stored.

    Raises TrialError where a cell fails.
    """
    folder.mkdir()
    copies = [Path(shutil.copy(path, folder)) for path in lessons]
    call([python, str(RUNNER), *map(str, copies)], folder)
    read = [[nbformat.read(path, as_version=4) for path in paths] for paths in (lessons, copies)]
    pairs = zip(lessons, *read, strict=True)
    return [f"{path.name}, {each}" for path, before, now in pairs for each in differences(before, now)]


def choose(names: Sequence[str], torch: bool) -> list[Path]:
    """Numbers of lessons -> their notebooks; no number at all -> those that need torch, or those that do not.

    Raises TrialError for a number that no lesson has.
    """
    lessons = {path.name[:2]: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    unknown = [name for name in names if name not in lessons]
    if unknown:
        raise TrialError(f"there is no lesson {unknown[0]}: use {', '.join(lessons)}")
    chosen = names or [number for number in lessons if (number in TORCH_LESSONS) == torch]
    return [path for number, path in lessons.items() if number in chosen]


def trial(versions: str, names: Sequence[str] = (), torch: bool = False) -> list[str]:
    """ "oldest" or "newest", numbers of lessons -> what went wrong, a text each; nothing where all is well.

    Raises TrialError where the environment cannot be made or a cell fails.
    """
    lessons = choose(names, torch)
    with tempfile.TemporaryDirectory(prefix="wheel-") as place:
        folder, start = Path(place).resolve(), time.perf_counter()
        wheel = build_wheel(folder / "wheel")
        python = install(folder / "environment", wheel, versions, torch)
        helpers = installed_helpers(python, folder)
        if folder not in helpers.parents:
            raise TrialError(f"expected the helpers of the wheel in {folder}, found {helpers}")
        ready, before = time.perf_counter(), picture_of(helpers)
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
    parser.add_argument("versions", choices=("oldest", "newest"), help="of the packages that lessons need")
    parser.add_argument("lessons", nargs="*", help="their numbers, such as 03; left out: all that fit")
    parser.add_argument(
        "--torch", action="store_true", help="the lessons that need torch, and torch with them"
    )
    told = parser.parse_args(arguments)
    try:
        faults = trial(told.versions, told.lessons, told.torch)
    except TrialError as error:
        faults = [str(error)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

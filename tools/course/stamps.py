"""What .venv was made from, what is wanted now, and what is to be done about the difference."""

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from course import places
from course.contents import lost, package
from course.messages import CourseError

RECIPE = 2  # raise it when the set-up changes so that an older .venv must be made anew
STAMP = "course-stamp.json"  # the file that is written last
Stamp = dict[str, Any]


def fingerprint(*paths: Path) -> str:
    """Paths -> one sha256 of their texts. Line ends do not count: git may change them on Windows."""
    total = hashlib.sha256()
    for path in paths:
        try:
            total.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
        except OSError as error:
            raise CourseError(
                f"{path.name} cannot be read ({error.strerror}). Restore it: git checkout -- {path.name}"
            ) from error
    return total.hexdigest()


def lock_fingerprint(build: str) -> str:
    """A build of torch -> the fingerprint of the lists that a .venv with it is made from."""
    return fingerprint(places.LOCK, places.CUDA_LOCK) if build == "cuda" else fingerprint(places.LOCK)


def project_fingerprint() -> str:
    """() -> what the editable installation depends on: the folder's place and the project's own metadata."""
    return f"{places.ROOT} {fingerprint(places.ROOT / 'pyproject.toml')}"


def base_python() -> str | None:
    """() -> the place of the Python that .venv stands on, or None where it is gone."""
    if not places.venv_python().exists():
        return None
    place = os.path.realpath(places.venv_python())
    if not place.startswith(os.path.realpath(places.VENV) + os.sep):
        return place
    return base_of_a_copy()


def base_of_a_copy() -> str | None:
    """() -> the home of the original, which pyvenv.cfg names: on Windows .venv holds a copy of Python."""
    try:
        text = (places.VENV / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    pairs = [line.partition("=") for line in text.splitlines()]
    homes = [value.strip() for name, _, value in pairs if name.strip() == "home"]
    return homes[0] if homes and os.path.isdir(homes[0]) else None


def any_stamp(venv: Path) -> Stamp | None:
    """An environment -> what its stamp says, whatever its recipe. Without one it is unfinished."""
    try:
        stamp = json.loads((venv / STAMP).read_bytes().decode("utf-8"))
    except (OSError, ValueError):
        return None
    return stamp if isinstance(stamp, dict) else None


def read_stamp() -> Stamp | None:
    """() -> what the stamp of .venv says, or None where there is none of this recipe."""
    stamp = any_stamp(places.VENV)
    return stamp if stamp and stamp.get("recipe") == RECIPE else None


def write_stamp(stamp: Stamp) -> None:
    """Puts the stamp in its place in one move, so that no half of it is ever read."""
    path = places.VENV / STAMP
    half = path.with_name(STAMP + ".new")
    half.write_bytes(json.dumps(stamp, indent=1, sort_keys=True).encode("utf-8"))
    half.replace(path)


def remove_stamp(venv: Path) -> None:
    """Marks an environment as unfinished."""
    (venv / STAMP).unlink(missing_ok=True)


def fits(choice: str | None, build: str) -> bool:
    """ "gpu", "cpu" or None, a build of torch -> whether it is what --gpu, --cpu or neither asks for."""
    if choice == "gpu":
        return build == "cuda" or sys.platform == "darwin"  # the one build for the Mac drives its GPU too
    return choice is None or build == "cpu"


def missing(stamp: Stamp | None, choice: str | None, tests: bool = False) -> tuple[str, str]:
    """A stamp, --cpu or --gpu or neither, with the tests' packages or without -> the task, if any, and why.

    The task is "all", "packages", "project", "tests" or "".
    """
    if stamp is None:
        started = places.venv_python().exists()
        return "all", "the last set-up did not finish: .venv has to be made anew" if started else ""
    if base_python() != stamp["base"]:
        return "all", "the Python under .venv has changed or gone: .venv has to be made anew"
    if lock_fingerprint(stamp["torch"]) != stamp["lock"]:
        return "all", "the list of packages has changed: .venv has to be made anew"
    if not fits(choice, stamp["torch"]):
        return "all", f"--{choice} asks for the other build of torch: .venv has to be made anew"
    if gone := broken(stamp):
        rest = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
        return "packages", f"a part of .venv has gone ({', '.join(map(package, gone[:3]))}{rest})"
    if project_fingerprint() != stamp["project"]:
        return "project", "the folder was moved or pyproject.toml has changed"
    if tests and not stamp.get("tests", True):
        return "tests", "the tests need packages of their own"
    return "", ""


def broken(stamp: Stamp) -> list[str]:
    """A stamp -> the packages that are not whole: something has gone, or their repair was cut short."""
    return list(dict.fromkeys([*stamp.get("repairing", []), *lost(stamp.get("packages", {}))]))

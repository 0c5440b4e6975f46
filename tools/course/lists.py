"""What is to be installed: pyproject.toml says which packages, and the lock says at which version."""

import re
import tomllib
from pathlib import Path
from typing import Any

from course import places
from course.messages import CourseError, one_line

APART = ("test", "kernels")  # extras that a learner does without; all the others belong to the lessons


def requirements(path: Path) -> list[str]:
    """A lock file -> its requirement lines."""
    lines = [line.strip() for line in path.read_bytes().decode("utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def locked(name: str) -> str | None:
    """A package -> the version that the lock names, if it names one."""
    for line in requirements(places.LOCK):
        found, _, version = line.partition(";")[0].strip().partition("==")
        if found == name:
            return version
    return None


def lab_roots(torch: str) -> list[str]:
    """The requirement for torch -> what the lessons and JupyterLab need; pip adds what these need."""
    project = read_project()
    extras = project.get("optional-dependencies", {})
    lines = list(project.get("dependencies", []))
    lines += [line for name, extra in extras.items() if name not in APART for line in extra]
    return [torch, *(line for line in dict.fromkeys(lines) if bare_name(line) != "torch")]


def test_roots() -> list[str]:
    """() -> what the tests need beside the lessons."""
    return list(read_project().get("optional-dependencies", {}).get("test", []))


def our_names() -> set[str]:
    """() -> the names of all packages that a set-up may install, and of the course itself."""
    lines = [line for path in (places.LOCK, places.CUDA_LOCK) for line in requirements(path)]
    return {bare_name(line) for line in lines} | {project_name()}


def project_name() -> str:
    """() -> the name under which the course itself is installed."""
    return str(read_project().get("name", ""))


def bare_name(line: str) -> str:
    """A requirement -> the package's name."""
    found = re.match(r"[A-Za-z0-9._-]+", line)
    return found.group().lower() if found else line


def read_project() -> dict[str, Any]:
    """() -> the table [project] of pyproject.toml. Raises CourseError where it cannot be read."""
    try:
        with (places.ROOT / "pyproject.toml").open("rb") as stream:
            return dict(tomllib.load(stream)["project"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(
            f"pyproject.toml cannot be read ({one_line(error)}). Restore it: git checkout -- pyproject.toml"
        ) from error

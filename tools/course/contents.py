"""What lies in .venv: which packages, and whether a part of one has gone."""

import os
import re
from pathlib import Path

from course import places

Packages = dict[str, list[str]]  # numpy-2.4.6.dist-info: what else it put beside that folder


def site_packages() -> list[Path]:
    """() -> the folders that packages are installed in: one, or none where .venv holds no Python."""
    if os.name == "nt":
        found = [places.VENV / "Lib" / "site-packages"]
    else:
        found = sorted((places.VENV / "lib").glob("*/site-packages"))
    return [path for path in found if path.is_dir()]


def names() -> set[str]:
    """() -> the names of all files and folders among the packages. One look at one folder: it is cheap."""
    return {name for folder in site_packages() for name in os.listdir(folder)}


def installed() -> set[str]:
    """() -> one name-version.dist-info a package."""
    return {name for name in names() if name.endswith(".dist-info")}


def one_spelling(name: str) -> str:
    """A package's name -> the one spelling of it that folders have."""
    return re.sub(r"[-_.]+", "_", name).lower()


def package(folder: str) -> str:
    """numpy-2.4.6.dist-info -> numpy."""
    return one_spelling(folder.partition("-")[0])


def contents(ours: set[str]) -> Packages:
    """Names of packages -> those that are there, each with what it put among the packages.

    What a person has added is no part of it, and nor is pip, which anybody may bring up to date.
    """
    spelled = {one_spelling(name) for name in ours}
    return {
        name: sorted(tops(folder / name / "RECORD") - {name})
        for folder in site_packages()
        for name in sorted(os.listdir(folder))
        if name.endswith(".dist-info") and package(name) in spelled
    }


def tops(record: Path) -> set[str]:
    """A package's RECORD -> the first part of each path that lies among the packages."""
    try:
        lines = record.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    firsts = {line.split(",")[0].strip('"').replace("\\", "/").partition("/")[0] for line in lines}
    return {first for first in firsts if (record.parent.parent / first).exists()} - {"", "..", "__pycache__"}


def lost(packages: Packages) -> list[str]:
    """What was installed -> the packages of which something has gone, pip among them."""
    here = names()
    gone = [name for name, parts in packages.items() if name not in here or not here.issuperset(parts)]
    return gone if "pip" in here else [*gone, "pip"]

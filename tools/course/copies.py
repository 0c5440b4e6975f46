"""Copies of what a learner wrote, made before anything is replaced. None ever overwrites an earlier one."""

import re
import shutil
import time
from collections.abc import Iterable
from itertools import count
from pathlib import Path

FOLDER = "copies"
PROGRESS = ".course-progress.json"


def is_copy(name: str) -> bool:
    """A file's name -> whether `beside` made it. Git, the tests and the runner leave such files alone."""
    return re.search(r"\.mine(-\d+)?\.ipynb$", name) is not None


def beside(path: Path) -> Path:
    """A notebook -> its copy in the same folder: 03_softmax.mine.ipynb, .mine-2.ipynb, …"""
    for number in count(1):
        copy = path.with_name(f"{path.stem}.mine{'' if number == 1 else f'-{number}'}.ipynb")
        try:
            with copy.open("xb") as stream:
                stream.write(path.read_bytes())
            return copy
        except FileExistsError:
            continue
    raise AssertionError("count has no end")


def everything(root: Path, others: Iterable[str] = ()) -> Path:
    """The course's folder, names of more files -> a new dated folder with all notebooks and those files."""
    folder = new_folder(root / FOLDER / time.strftime("%Y-%m-%d_%H.%M.%S"))
    notebooks = [path.relative_to(root).as_posix() for path in (root / "notebooks").glob("*.ipynb")]
    for name in {*notebooks, *others, PROGRESS}:
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    return folder


def new_folder(wanted: Path) -> Path:
    """A path -> a folder that was not there before: this one, or one with a number behind its name."""
    wanted.parent.mkdir(exist_ok=True)
    for number in count(1):
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue
    raise AssertionError("count has no end")

"""A tiny course in git, its releases, and a learner's clone of it, for the tests of update and reset."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from course.notebooks import Cell, Notebook, source, write

GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{who}_{what}": f"{what.lower()}@x"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    },
}


def text(name: str, said: str, **more: Any) -> Cell:
    """An id, words -> a text cell."""
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": said.splitlines(True), **more}


def code(name: str, said: str, printed: str = "", count: int | None = 1, **metadata: Any) -> Cell:
    """An id, code, what it printed -> a code cell that was run."""
    outputs = [{"name": "stdout", "output_type": "stream", "text": [printed]}] if printed else []
    cell = {"cell_type": "code", "id": name, "metadata": metadata, "source": said.splitlines(True)}
    return cell | {"execution_count": count, "outputs": outputs}


def task(name: str) -> list[Cell]:
    """An exercise's name -> its three cells, not attempted yet."""
    return [
        text(f"{name}-task", f"**Your turn ({name}).**"),
        code(f"{name}-try", f"def my_{name}(x):\n    pass", tags=["exercise"]),
        code(f"{name}-check", f'check("{name}", my_{name})', "○ not attempted yet\n"),
    ]


def notebook(*cells: Cell, **metadata: Any) -> Notebook:
    """Cells -> a notebook as the course stores it."""
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def lesson() -> Notebook:
    """() -> a lesson: a title, a set-up, a number to play with, two exercises."""
    return notebook(
        text("title", "# Why?"),
        code("setup", "import numpy as np"),
        code("size", "size = 4\nprint(size)", "4\n"),
        text("size-look", "It is 4."),
        *task("sum"),
        *task("mean"),
        text("takeaway", "That is all."),
    )


def cell_of(book: Notebook, name: str) -> Cell:
    """A notebook, an id -> that cell."""
    (found,) = [cell for cell in book["cells"] if cell["id"] == name]
    return dict(found)


def changed(book: Notebook, **sources: str) -> Notebook:
    """A notebook, new words by id (with _ for -) -> a copy with these words."""
    new = {name.replace("_", "-"): said for name, said in sources.items()}
    assert new.keys() <= {cell["id"] for cell in book["cells"]}
    cells = [{**cell, "source": new.get(cell["id"], cell["source"])} for cell in book["cells"]]
    return {**book, "cells": cells}


def without(book: Notebook, *names: str) -> Notebook:
    """A notebook, ids -> a copy without these cells."""
    return {**book, "cells": [cell for cell in book["cells"] if cell["id"] not in names]}


def inserted(book: Notebook, behind: str, *cells: Cell) -> Notebook:
    """A notebook, an id or nothing, cells -> a copy with the cells behind that one, or at the top."""
    place = ids(book).index(behind) + 1 if behind else 0
    return {**book, "cells": [*book["cells"][:place], *cells, *book["cells"][place:]]}


def ids(book: Notebook) -> list[str]:
    """A notebook -> the ids of its cells."""
    return [cell["id"] for cell in book["cells"]]


def words(book: Notebook) -> dict[str, str]:
    """A notebook -> what each cell says, by its id."""
    return {cell["id"]: source(cell) for cell in book["cells"]}


# --- in git -------------------------------------------------------------------------------------------------


def run_git(folder: Path, *arguments: str) -> str:
    """A folder, git's words -> what git prints. Fails with what it says."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=os.environ | GIT, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def release(folder: Path, files: Mapping[str, str | Notebook | None], title: str) -> str:
    """A repository, files (None: removed), a title -> the commit with them and an entry in CHANGELOG.md."""
    log = folder / "CHANGELOG.md"
    before = log.read_text(encoding="utf-8") if log.exists() else "# What changed\n"
    head, mark, rest = before.partition("\n## ")
    log.write_text(f"{head.rstrip()}\n\n## {title}\n\n- {title}, in short\n{mark}{rest}", encoding="utf-8")
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            content if isinstance(content, str) else write(content), encoding="utf-8", newline="\n"
        )
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", title)
    return run_git(folder, "rev-parse", "HEAD")


def begin(folder: Path) -> None:
    """A folder -> None. It becomes a repository whose branch is main, with any git."""
    run_git(folder, "init", "-q")
    run_git(folder, "symbolic-ref", "HEAD", "refs/heads/main")


def make_course(folder: Path) -> Path:
    """A folder -> a repository in it with a first release: lessons 01 and 02, a helper, what git ignores."""
    folder.mkdir(parents=True)
    begin(folder)
    files: dict[str, str | Notebook | None] = {
        ".gitignore": "copies/\nnotebooks/*.mine*.ipynb\n.course-progress.json\n",
        "helpers/sum.py": "def total(numbers):\n    return sum(numbers)\n",
        "notebooks/01_sums.ipynb": lesson(),
        "notebooks/02_means.ipynb": notebook(text("title", "# What is a mean?"), *task("mean")),
    }
    release(folder, files, "First release")
    return folder


def cloned(course: Path, folder: Path, *options: str) -> Path:
    """A repository, a folder -> a learner's clone of it."""
    run_git(course.parent, "clone", "-q", *options, course.as_uri(), str(folder))
    return folder


def book_at(folder: Path, name: str = "01_sums") -> Notebook:
    """A course's folder, a lesson -> the notebook as it stands."""
    found = json.loads((folder / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    return dict(found)


def put(folder: Path, book: Notebook, name: str = "01_sums") -> None:
    """A course's folder, a notebook -> None. Stores it as that lesson."""
    (folder / "notebooks" / f"{name}.ipynb").write_text(write(book), encoding="utf-8", newline="\n")


def everything_in(folder: Path) -> dict[str, bytes]:
    """A folder -> the content of each file in it, git's own left out."""
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def quiet_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """() -> None. This machine's own settings of git are out of reach, and a name stands for the learner."""
    for name, value in GIT.items():
        monkeypatch.setenv(name, value)

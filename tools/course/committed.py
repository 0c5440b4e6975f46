"""The notebooks as the course has them, where a learner has worked in theirs."""

import functools
from pathlib import Path
from typing import NamedTuple

from course import git
from course.copies import is_copy
from course.notebooks import is_learners, is_of_course, notebooks, parse, saved_in_jupyter


class Standing(NamedTuple):
    """Which notebooks are a learner's, with the course's own text of each; what else stands beside them."""

    learners: dict[str, str]  # file name -> the text as committed
    strangers: list[str]  # names of notebooks that are not the course's
    no_git: str | None  # why git knows nothing of this folder


def standing(root: Path) -> Standing:
    """The course's folder -> whose notebooks are in it. Without git, none can be told from the course's."""
    no_git = git.why_not(root)
    if no_git:
        return Standing({}, [], no_git)
    base = base_commit(root)
    known = committed_names(root, base)
    changed = set(git.names(root, "diff", "--name-only", "--no-renames", "-z", base, "--", "notebooks/"))
    learners = {}
    for path in notebooks(root):
        if f"notebooks/{path.name}" in changed and path.name in known:
            committed = git.file_at(root, base, f"notebooks/{path.name}") or ""
            if is_learners(read(path), committed):
                learners[path.name] = committed
    return Standing(learners, strangers(root, known), None)


@functools.cache
def learners(root: Path) -> dict[str, str]:
    """The course's folder -> the notebooks that somebody works in, with the course's own text of each."""
    return standing(root).learners


def course_text(root: Path, path: Path) -> str:
    """The course's folder, a notebook -> its text as the course has it, also where somebody works in it."""
    own = learners(root).get(path.name) if path.parent == root / "notebooks" else None
    return own or path.read_text(encoding="utf-8")


def base_commit(root: Path) -> str:
    """The course's folder -> the commit that holds the notebooks as the course has them.

    The last one; or, where all commits since those of the remote change notebooks and nothing else, the last
    one that the remote has: a learner commits answers, an author what belongs to them as well.
    """
    shared = git.maybe(root, "merge-base", "HEAD", "@{upstream}")
    own = git.names(root, "diff", "--name-only", "--no-renames", "-z", shared, "HEAD") if shared else []
    only_notebooks = all(name.startswith("notebooks/") for name in own)
    return shared if shared and own and only_notebooks else "HEAD"


def committed_names(root: Path, commit: str) -> set[str]:
    """The course's folder, a commit -> the file names of the course's notebooks in it."""
    listed = git.names(root, "ls-tree", "--name-only", "-z", commit, "notebooks/")
    return {Path(name).name for name in listed if is_of_course(Path(name).name)}


def strangers(root: Path, known: set[str]) -> list[str]:
    """The course's folder, the lessons that are committed -> notebooks that are none, a learner's own.

    A lesson that is not committed yet, as `python course.py run` stores it, is an author's and no stranger.
    """
    found = []
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        notebook = parse(read(path)) if is_of_course(path.name) and path.name not in known else None
        new_lesson = notebook is not None and not saved_in_jupyter(notebook)
        if path.name not in known and not new_lesson and not is_copy(path.name):
            found.append(path.name)
    return found


def read(path: Path) -> str:
    """A path -> its text, whatever bytes it holds."""
    return path.read_text(encoding="utf-8", errors="replace")

"""Git: one command, its words; it never asks the person anything."""

import os
import shutil
import subprocess
from pathlib import Path

from course.messages import CourseError, one_line

# Set inside a hook of git's, or by a person: git would look at another repository than the one meant.
ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
SETTINGS = (
    "core.quotePath=false",  # names as they are, not "\\303\\266"
    "core.fsmonitor=false",
    "http.lowSpeedLimit=1",  # a server that says nothing for half a minute is a network that is down
    "http.lowSpeedTime=30",
)


class GitError(CourseError):
    """Git refused: the text is its own reason, on one line."""


def git(root: Path, *words: str, **more: str) -> bytes:
    """A folder, git's words -> what git prints. Raises GitError with git's reason where it fails."""
    env = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    env |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **more}
    options = [word for setting in SETTINGS for word in ("-c", setting)]
    try:
        done = subprocess.run(
            ["git", *options, *words], cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True
        )
    except OSError as error:
        raise GitError(f"git does not start: {one_line(error)}") from error
    if done.returncode:
        raise GitError(reason(done.stderr.decode("utf-8", "replace")))
    return done.stdout


def reason(said: str) -> str:
    """What git wrote to stderr -> its first fatal line, or else its last one."""
    lines = [one_line(line) for line in said.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (fatal or lines[-1:] or ["git failed without a word"])[0]


def text(root: Path, *words: str) -> str:
    """A folder, git's words -> what git prints, as text without the last line end."""
    return git(root, *words).decode("utf-8", "replace").rstrip("\n")


def maybe(root: Path, *words: str) -> str | None:
    """A folder, git's words -> what git prints, or None where it refuses."""
    try:
        return text(root, *words)
    except GitError:
        return None


def names(root: Path, *words: str) -> list[str]:
    """A folder, words that end each name with a zero byte -> the names."""
    return [name for name in git(root, *words).decode("utf-8", "surrogateescape").split("\0") if name]


def file_at(root: Path, commit: str, name: str) -> str | None:
    """A folder, a commit, a file's name -> the file's text in that commit, or None where it has none."""
    try:
        return git(root, "show", f"{commit}:{name}").decode("utf-8")
    except (GitError, UnicodeDecodeError):
        return None


def is_ancestor(root: Path, older: str, newer: str) -> bool:
    """A folder, two commits -> whether the first is in the history of the second."""
    return maybe(root, "merge-base", "--is-ancestor", older, newer) is not None


def why_not(root: Path) -> str | None:
    """A folder -> why git knows nothing of it, as a clause, or None where it is a clone."""
    if shutil.which("git") is None:
        return "git is not installed"
    if not (root / ".git").exists():
        return "this folder is no git clone (was it downloaded as a zip?)"
    try:
        git(root, "rev-parse", "--verify", "HEAD^{commit}")
    except GitError as error:
        return f"git cannot read this clone ({error})"
    return None


def need(root: Path, purpose: str) -> None:
    """A folder, what git is needed for -> None. Raises CourseError where git knows nothing of the folder."""
    why = why_not(root)
    if why:
        cure = "Install git" if "not installed" in why else "Clone the course with git"
        raise CourseError(f"{purpose} needs git, and {why}. {cure}, then try again. Nothing was changed.")

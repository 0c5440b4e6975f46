"""pip inside .venv: what it is asked, how far it is, and what went wrong."""

import os
from collections.abc import Sequence
from pathlib import Path

from course import places
from course.guard import Guard
from course.messages import CourseError, Screen, one_line
from course.programs import Done, Tick, silent, watch

NETWORK_SIGNS = (
    "connection broken by",
    "max retries exceeded",
    "newconnectionerror",
    "name resolution",
    "getaddrinfo failed",
    "timed out",
    "timeouterror",
    "proxyerror",
    "sslerror",
    "connection aborted",
    "connection reset",
    "incompleteread",
    "network is unreachable",
)


def requirements(path: Path) -> list[str]:
    """A lock file -> its requirement lines."""
    lines = [line.strip() for line in path.read_bytes().decode("utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def installed() -> set[str]:
    """() -> what .venv holds now: one name-version.dist-info a package."""
    libraries = [places.VENV / "Lib"] if os.name == "nt" else list((places.VENV / "lib").iterdir())
    return {path.name for library in libraries for path in (library / "site-packages").glob("*.dist-info")}


def pip(arguments: Sequence[str], guard: Guard, tick: Tick = silent) -> Done:
    """Arguments for pip install inside .venv -> its status and its lines."""
    program = [str(places.venv_python()), "-I", "-m", "pip"]
    program += ["--disable-pip-version-check", "--no-color", "--no-input"]
    options = ["install", "--no-warn-script-location", "--progress-bar", "off"]
    return watch([*program, *options, *arguments], guard, tick)


def install(arguments: Sequence[str], total: int, guard: Guard, screen: Screen) -> None:
    """Runs pip install and shows each package as it comes. Wheels only: a learner's machine has no compiler.

    Raises CourseError where pip fails.
    """
    progress = Progress(total, screen)
    status, lines = pip(["--only-binary", ":all:", *arguments], guard, progress.tick)
    screen.clear()
    if status:
        raise CourseError(explain(lines))
    screen.note(f"{progress.new()} of {progress.total} packages installed")


class Progress:
    """How far a pip install is, by the lines that it writes."""

    def __init__(self, total: int, screen: Screen) -> None:
        """The number of packages that are asked for, and where to show them."""
        self.total, self.screen = total, screen
        self.before = installed()
        self.name, self.seen, self.unpacking = "", 0, False

    def new(self) -> int:
        """() -> the number of packages installed since the start."""
        return len(installed() - self.before)

    def tick(self, line: str | None) -> None:
        """Reads a line, if there is one, and shows what is known."""
        if line is not None:
            self.read(line)
        if self.unpacking:
            self.screen.progress(self.new(), self.total, "installed")
        elif self.seen:
            self.screen.progress(self.seen, self.total, self.name)

    def read(self, line: str) -> None:
        """Takes from one line of pip what it says about a package."""
        word, _, text = line.strip().partition(" ")
        if word == "Ignoring":  # its marker is for another system
            self.total -= 1
        elif word in ("Collecting", "Processing"):
            self.seen += 1
            self.name = os.path.basename(text.split()[0]).replace("==", " ")
        elif word == "Downloading" and text.endswith(")"):
            self.name = self.name.partition(" (")[0] + " " + text[text.rindex("(") :]
        elif line.startswith("Installing collected packages"):
            self.unpacking = True


def is_network(lines: Sequence[str]) -> bool:
    """pip's lines -> whether they tell of a network that does not answer."""
    text = "\n".join(lines).lower()
    return any(sign in text for sign in NETWORK_SIGNS)


def explain(lines: Sequence[str]) -> str:
    """pip's lines -> one line that says what went wrong and what to do."""
    log = f" (The whole log: {os.path.join('.venv', 'setup.log')})"
    text = "\n".join(lines)
    if "No space left on device" in text or "[WinError 112]" in text:
        return "the disk is full. Make room and run the same command again." + log
    if is_network(lines):
        return "no network: pip cannot reach its package index. Connect and run the same command again." + log
    if "No matching distribution" in text:
        return f"pip did not get a package: {last_error(lines)}. Is there a network?" + log
    return f"pip failed: {last_error(lines)}" + log


def last_error(lines: Sequence[str]) -> str:
    """A program's lines -> the last one that tells of an error, or the last one of all."""
    told = [line for line in lines if line.strip()]
    errors = [line for line in told if line.lower().startswith("error")]
    return one_line((errors or told or ["no message"])[-1])

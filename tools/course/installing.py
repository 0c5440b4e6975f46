"""pip or uv for .venv: what it is asked, how far it is, and what went wrong."""

import os
import re
from collections.abc import Sequence

from course import places
from course.contents import installed
from course.fast import find_uv, settings, uv_install
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


def plain_pip(exact: bool) -> dict[str, str]:
    """Does the call name exact versions and nothing besides? -> variables that beat pip's settings files.

    These may ask for something else than the lock does, and for other constraints. Where pip adds what
    packages need, the lock is its constraint. The path is relative, because pip splits at spaces.
    """
    off = ("PIP_NO_DEPS", "PIP_DRY_RUN", "PIP_USER", "PIP_REQUIRE_HASHES", "PIP_IGNORE_INSTALLED")
    lists = os.devnull if exact else f"{places.LOCK.name} {places.CUDA_LOCK.name}"
    return dict.fromkeys(off, "0") | {"PIP_CONSTRAINT": lists}


def pip(arguments: Sequence[str], guard: Guard, tick: Tick = silent, verb: str = "install") -> Done:
    """Arguments for pip install, or for another verb, inside .venv -> its status and its lines."""
    program = [str(places.venv_python()), "-I", "-m", "pip"]
    program += ["--disable-pip-version-check", "--no-color", "--no-input", verb]
    # Python compiles what it imports; to compile all of it now would take longer than all the rest.
    options = ["--no-compile", "--no-warn-script-location", "--progress-bar", "off"]
    command = [*program, *(options if verb == "install" else []), *arguments]
    return watch(command, guard, tick, plain_pip(exact="--no-deps" in arguments))


def install(arguments: Sequence[str], guard: Guard, screen: Screen, extra_index: str | None = None) -> None:
    """Installs what the arguments name, with uv where it is found and can do it, and else with pip.

    Wheels only: a learner's machine has no compiler. Raises CourseError where pip fails too.
    """
    progress = Progress(screen)
    wheels = ["--only-binary", ":all:", *arguments]
    if not with_uv(wheels, guard, progress, extra_index):
        more = ["--extra-index-url", extra_index] if extra_index else []
        status, lines = pip([*wheels, *more], guard, progress.tick)
        screen.clear()
        if status:
            raise CourseError(explain(lines))
    new = progress.new()
    screen.note(f"{new} package{'' if new == 1 else 's'} installed")


def ask_for(roots: Sequence[str], guard: Guard, screen: Screen, extra_index: str | None = None) -> None:
    """Requirements -> nothing, where all that they need can be had. Raises CourseError where it cannot."""
    wheels = ["--only-binary", ":all:", "--dry-run", *roots]
    if with_uv(["--reinstall", *wheels], guard, Progress(screen), extra_index):
        return
    more = ["--extra-index-url", extra_index] if extra_index else []
    status, lines = pip(["--ignore-installed", *wheels, *more], guard, screen.wait)
    screen.clear()
    if status:
        raise CourseError(explain(lines))


def with_uv(wheels: Sequence[str], guard: Guard, progress: "Progress", extra_index: str | None) -> bool:
    """Arguments for an installation -> whether uv has done it. Says so where uv is there and cannot."""
    uv = find_uv()
    if uv is None:
        return False
    lists = [f"-c{path.name}" for path in (places.LOCK, places.CUDA_LOCK) if "--no-deps" not in wheels]
    known = settings(pip(["list"], guard, verb="config")[1])
    status, lines = uv_install(uv, [*wheels, *lists], known, extra_index, guard, progress.tick)
    progress.screen.clear()
    if status:
        reason = [line.strip(" ×") for line in lines if line.strip().startswith(("error", "×"))]
        print(f"   uv could not do it ({(reason or [last_error(lines)])[0]}). Now pip does.", flush=True)
    return status == 0


class Progress:
    """How far an installation is, by the lines that pip or uv writes."""

    def __init__(self, screen: Screen) -> None:
        """Where to show it."""
        self.screen = screen
        self.before = installed()
        self.name, self.seen, self.total = "", 0, 0

    def new(self) -> int:
        """() -> the number of packages installed since the start."""
        return len(installed() - self.before)

    def tick(self, line: str | None) -> None:
        """Reads a line, if there is one, and shows what is known."""
        if line is not None:
            self.read(line)
        if self.total:
            self.screen.progress(self.new(), self.total, "installed")
        elif self.seen:
            self.screen.show(f"{self.seen} packages found: {self.name}")

    def read(self, line: str) -> None:
        """Takes from one line what it says about the packages."""
        word, _, text = line.strip().partition(" ")
        if word in ("Collecting", "Processing"):
            self.seen += 1
            self.name = re.split(r"[<>=!~;]", os.path.basename(text.split()[0]))[0]
        elif word == "Downloading" and text.endswith(")"):
            self.name = self.name.partition(" (")[0] + " " + text[text.rindex("(") :]
        elif line.startswith("Installing collected packages"):
            self.total = line.count(",") + 1
        elif line.startswith(("Resolved ", "Prepared ")) and text.split()[0].isdigit():  # uv's
            self.seen, self.name = int(text.split()[0]), "uv fetches what is not in its cache"


def is_network(lines: Sequence[str]) -> bool:
    """pip's lines -> whether they tell of a network that does not answer."""
    text = "\n".join(lines).lower()
    return any(sign in text for sign in NETWORK_SIGNS)


def explain(lines: Sequence[str]) -> str:
    """pip's lines -> one line that says what went wrong and what to do."""
    log = f" (The whole log: {places.LOG.name})"
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

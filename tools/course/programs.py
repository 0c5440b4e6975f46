"""The environment in which the course's programs run, and a program that is watched while it runs."""

import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from course import places
from course.guard import Guard

UNWANTED = (  # variables that change what Python, pip, Jupyter or matplotlib do
    "JUPYTER_CONFIG_PATH",
    "JUPYTER_PATH",
    "MPLBACKEND",
    "PIP_BUILD_CONSTRAINT",
    "PIP_CONSTRAINT",
    "PIP_DRY_RUN",
    "PIP_EDITABLE",
    "PIP_IGNORE_INSTALLED",
    "PIP_NO_BINARY",
    "PIP_NO_DEPS",
    "PIP_PREFIX",
    "PIP_PYTHON",
    "PIP_QUIET",
    "PIP_REPORT",
    "PIP_REQUIREMENT",
    "PIP_REQUIRE_HASHES",
    "PIP_ROOT",
    "PIP_TARGET",
    "PIP_UPGRADE",
    "PIP_VERBOSE",
    "PYTHONDONTWRITEBYTECODE",  # each kernel would compile the helpers again: a second or more a lesson
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONWARNINGS",
)
HOMES = {
    "JUPYTER_CONFIG_DIR": "jupyter-config",
    "JUPYTER_DATA_DIR": "jupyter-data",
    "IPYTHONDIR": "ipython",
    "MPLCONFIGDIR": "matplotlib",
}
Tick = Callable[[str | None], None]  # is given each line, and None while the program is silent
Done = tuple[int, list[str]]  # a program's exit status and its lines
NO_MORE: Mapping[str, str | None] = {}


def variables() -> dict[str, str]:
    """() -> the variables of the programs: the person's own, less what would change the course."""
    env = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        env.setdefault(name, "1")  # small matrices: threads that wait for each other are slower than one
    env["PIP_USER"] = "0"
    env["PYTHONNOUSERSITE"] = "1"
    env["VIRTUAL_ENV"] = str(places.VENV)
    env["PATH"] = str(places.venv_python().parent) + os.pathsep + env.get("PATH", "")
    if os.access(places.VENV, os.W_OK):
        return env | homes(places.VENV / "home")
    if os.access(os.path.expanduser("~"), os.W_OK):
        return env  # a .venv shared by many, whose programs keep their settings as they are used to
    return env | homes(Path(tempfile.mkdtemp(prefix="course-")))


def homes(home: Path) -> dict[str, str]:
    """A folder -> where in it Jupyter, IPython and matplotlib keep their settings and caches.

    Nothing is left in the home folder, and nothing in the home folder changes what a lesson shows.
    """
    found = {name: str(home / folder) for name, folder in HOMES.items()}
    runtime = home / "jupyter-runtime"
    return found | ({"JUPYTER_RUNTIME_DIR": str(runtime)} if keeps_secrets(runtime) else {})


def keeps_secrets(folder: Path) -> bool:
    """A folder -> whether it can be closed to others. Jupyter's keys go elsewhere where it cannot."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        return os.name == "nt" or folder.stat().st_mode & 0o777 == 0o700
    except OSError:
        return False


def silent(_: str | None) -> None:
    """Shows nothing."""


def watch(
    command: Sequence[str], guard: Guard, tick: Tick = silent, more: Mapping[str, str | None] = NO_MORE
) -> Done:
    """A command, more variables (None: one to leave out) -> its status and its lines.

    It runs in the project's folder, and .venv.log gets its lines too.
    """
    env = {name: value for name, value in {**variables(), **more}.items() if value is not None}
    process = subprocess.Popen(
        command,
        cwd=places.ROOT,
        env=env,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=guard.inherited(),
    )
    coming: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=pass_on, args=(command, process.stdout, coming), daemon=True).start()
    try:
        lines = listen(coming, tick)
        if process.stdout is not None:
            process.stdout.close()
        return process.wait(), lines
    except BaseException:
        process.terminate()
        process.wait()
        raise


def pass_on(command: Sequence[str], output: Iterable[str], coming: "queue.Queue[str | None]") -> None:
    """Writes each line of a program's output into the log and into the queue, and None at the end."""
    with places.LOG.open("ab") as log:
        log.write(("$ " + " ".join(command) + "\n").encode("utf-8", "replace"))
        for line in output:
            log.write(line.encode("utf-8", "replace"))
            coming.put(line.rstrip())
    coming.put(None)


def listen(coming: "queue.Queue[str | None]", tick: Tick) -> list[str]:
    """A queue of lines -> all of them, once None has come. Four times a second the tick has its turn."""
    lines: list[str] = []
    while True:
        try:
            line = coming.get(timeout=0.25)
        except queue.Empty:
            tick(None)
            continue
        if line is None:
            return lines
        lines.append(line)
        tick(line)

"""Makes .venv what it must be: from nothing, or only the part that is missing."""

import json
import os
import platform
import shutil
import sys
import time
from pathlib import Path

from course import places
from course.guard import GUARD_FILE, Guard, check_owner
from course.installing import explain, install, installed, last_error, pip, requirements
from course.messages import CourseError, Screen, one_line
from course.programs import watch
from course.stamps import (
    RECIPE,
    Stamp,
    base_python,
    lock_fingerprint,
    missing,
    project_fingerprint,
    read_stamp,
    remove_stamp,
    write_stamp,
)
from course.torch_builds import Plan, plan_torch

ROOM = {"cpu": 3e9, "cuda": 9e9}  # free bytes that a set-up asks for: .venv, pip's cache, and some air
LAB_SETTINGS = Path("share", "jupyter", "lab", "settings")
SETTINGS = {
    LAB_SETTINGS / "overrides.json": {
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}
    },
    # Authors call jupytext by hand; learners need no menu of it.
    LAB_SETTINGS / "page_config.json": {"disabledExtensions": {"jupyterlab-jupytext": True}},
    # Its name begins with zz: it is read after jupytext's own.
    Path("etc", "jupyter", "jupyter_server_config.d", "zz_course.json"): {
        "ServerApp": {"jpserver_extensions": {"jupyterlab_jupytext": False}}
    },
}


def ensure(choice: str | None) -> None:
    """Makes .venv what it must be. Where it is that already, this reads a few small files and returns."""
    stamp = read_stamp()
    if stamp is None or missing(stamp, choice)[0]:
        stamp = make_good(choice)
    say_python(stamp["python"], ".".join(str(part) for part in sys.version_info[:3]))


def say_python(of_venv: str, here: str) -> None:
    """Says so where .venv has another Python than the one that runs this."""
    if of_venv != here:
        print(f"Using .venv, made with Python {of_venv}. (You ran {here}; delete .venv to change.)")


def make_good(choice: str | None) -> Stamp:
    """--cpu, --gpu or neither -> the stamp of a .venv that fits, after doing what is missing."""
    check_venv_modules()
    check_owner()
    with Guard() as guard:
        stamp = read_stamp()  # again: another set-up may have ended while this one waited
        task, why = missing(stamp, choice)
        if why:
            print(f"course.py: {why}.")
        if stamp is None or task == "all":
            return build(choice, stamp, guard)
        if task == "project":
            install_project(stamp, guard)
        return stamp


def ensure_kernels() -> None:
    """Installs Triton at the version that the CUDA list names. Where it is there, this looks and returns."""
    (line,) = [each for each in requirements(places.CUDA_LOCK) if each.startswith("triton==")]
    name = line.partition(";")[0].strip().replace("==", "-")
    if name + ".dist-info" in installed():
        return
    if not sys.platform.startswith("linux"):
        raise CourseError("--kernels: Triton is made for Linux only. Lesson 12 can be read without it.")
    screen = Screen()
    screen.step("Installing Triton")
    with Guard() as guard:
        install(["--no-deps", line], 1, guard, screen)


def check_venv_modules() -> None:
    """Raises CourseError where this Python lacks what makes an environment."""
    try:
        import ensurepip  # noqa: F401 - whether they are there is the question
        import venv  # noqa: F401
    except ImportError as error:
        major, minor = sys.version_info[:2]
        raise CourseError(
            f"this Python lacks the module {error.name!r}. On Debian or Ubuntu: "
            f"sudo apt install python{major}.{minor}-venv; "
            "elsewhere use a full Python {}.{} or newer.".format(*places.NEEDED)
        ) from error


def build(choice: str | None, old: Stamp | None, guard: Guard) -> Stamp:
    """--cpu, --gpu or neither, the stamp of an old .venv if there is one -> the stamp of a new .venv."""
    start, screen = time.time(), Screen()
    plan = None
    if old is not None and base_python():
        # The old .venv works. Its pip asks what the new one would need: it is not given up in vain.
        plan = plan_torch(choice, guard, screen)
    wipe()
    make_venv(guard, screen)
    plan = plan or plan_torch(choice, guard, screen)
    install_packages(plan, guard, screen)
    screen.step("Installing the course itself")
    stamp = {"recipe": RECIPE, "python": platform.python_version(), "base": base_python()}
    stamp |= {"torch": plan.build, "lock": lock_fingerprint(plan.build)}
    settle(guard)
    install_project(stamp, guard)
    print(f"Set-up done in {time.time() - start:.0f} s.")
    return stamp


def wipe() -> None:
    """Empties .venv, the stamp first. The guard's file stays: it is locked and marks the folder as ours."""
    try:
        remove_stamp()
        for path in list(places.VENV.iterdir()):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != GUARD_FILE:
                path.unlink()
    except OSError as error:
        raise CourseError(
            f"cannot empty .venv ({one_line(error)}). Close JupyterLab, leave the environment, try again."
        ) from error


def make_venv(guard: Guard, screen: Screen) -> None:
    """Fills .venv with a Python and its pip. The Python that runs this may be the one that stood there."""
    inside = os.path.realpath(sys.prefix) == os.path.realpath(places.VENV)
    python = sys._base_executable if inside else sys.executable  # type: ignore[attr-defined]
    screen.step("Making .venv with Python " + platform.python_version())
    status, lines = watch([python, "-I", "-m", "venv", str(places.VENV)], guard)
    if status:
        raise CourseError(f"Python could not make .venv: {last_error(lines)}")


def install_packages(plan: Plan, guard: Guard, screen: Screen) -> None:
    """Installs torch first, and then everything else on the lists."""
    screen.step(plan.say)
    check_room(plan.build)
    extra = ["--extra-index-url", plan.extra_index] if plan.extra_index else []
    install(["--no-deps", plan.spec, *extra], 1, guard, screen)
    lists = [places.LOCK, *([places.CUDA_LOCK] if plan.build == "cuda" else [])]
    total = sum(len(requirements(path)) for path in lists) - 1
    screen.step("Installing the other packages")
    install(["--no-deps", *(word for path in lists for word in ("-r", str(path)))], total, guard, screen)


def check_room(build: str) -> None:
    """Raises CourseError where the disk is too full for a set-up with this build of torch."""
    free = shutil.disk_usage(places.VENV).free
    if free < ROOM[build]:
        raise CourseError(
            f"the disk has {free / 1e9:.1f} GB free and this set-up needs {ROOM[build] / 1e9:.0f} GB."
        )


def settle(guard: Guard) -> None:
    """Writes the settings of JupyterLab, and lets matplotlib look through the fonts now, not in a lesson."""
    for name, content in SETTINGS.items():
        path = places.VENV / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(json.dumps(content, indent=1).encode("utf-8"))
    watch([str(places.venv_python()), "-c", "import matplotlib.font_manager"], guard)


def install_project(stamp: Stamp, guard: Guard) -> None:
    """Installs the course in editable form, without a download, and writes the stamp."""
    remove_stamp()
    status, lines = pip(["--no-deps", "--no-build-isolation", "--no-index", "-e", "."], guard)
    if status:
        raise CourseError(explain(lines))
    stamp["project"] = project_fingerprint()
    write_stamp(stamp)

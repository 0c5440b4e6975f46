"""Makes .venv what it must be: from nothing, or only the part that is missing."""

import contextlib
import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from course import places, swap
from course.contents import contents, installed, lost, one_spelling, package, site_packages
from course.guard import Guard
from course.installing import ask_for, explain, install, last_error, pip
from course.lists import bare_name, lab_roots, our_names, project_name, requirements, test_roots
from course.messages import CourseError, Screen
from course.programs import watch
from course.stamps import (
    RECIPE,
    Stamp,
    base_python,
    broken,
    lock_fingerprint,
    missing,
    project_fingerprint,
    read_stamp,
    write_stamp,
)
from course.torch_builds import Plan, index_of, plan_torch

WORKS_STILL = "The .venv from before is back, and works as it did."
ROOM = {"cpu": 2.5e9, "cuda": 9e9}  # free bytes that a set-up asks for: .venv, pip's cache, and some air
WARM_LAB = [
    "jupyterlab.labapp nbconvert.exporters",
    "torch",
    "matplotlib.font_manager matplotlib.pyplot ipykernel.kernelapp ipywidgets",
]
WARM_TESTS = ["pytest xdist.plugin nbval.plugin hypothesis.extra.numpy playwright.sync_api", "torch._dynamo"]
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


def ensure(choice: str | None, tests: bool = False) -> None:
    """Makes .venv what it must be. Where it is that already, this looks at a few small files and returns."""
    stamp = read_stamp()
    if stamp is None or missing(stamp, choice, tests)[0] or places.KEPT.exists():
        stamp = make_good(choice, tests)
    say_python(stamp["python"], ".".join(str(part) for part in sys.version_info[:3]))


def say_python(of_venv: str, here: str) -> None:
    """Says so where .venv has another Python than the one that runs this."""
    if of_venv != here:
        print(f"Using .venv, made with Python {of_venv}. (You ran {here}; delete .venv to change.)")


def make_good(choice: str | None, tests: bool = False) -> Stamp:
    """--cpu, --gpu or neither, with the tests' packages or without -> the stamp of a .venv that fits."""
    check_venv_modules()
    with Guard() as guard:
        swap.check_owner()
        places.LOG.unlink(missing_ok=True)
        swap.recover()
        tried: list[str] = []
        while True:
            stamp = read_stamp()  # each time: a task has changed it, or another set-up while this one waited
            task, why = missing(stamp, choice, tests)
            if stamp is not None and not task:
                return stamp
            if task in tried:
                raise CourseError(f"{why}, and stays so. Delete .venv and run the same command again.")
            tried.append(task)
            if why:
                print(f"course.py: {why}.", flush=True)
            do(task, stamp, choice, tests, guard)


def do(task: str, stamp: Stamp | None, choice: str | None, tests: bool, guard: Guard) -> None:
    """One task for .venv -> it is done, and the stamp says so."""
    if stamp is None or task == "all":
        build(choice, tests or bool(stamp and stamp.get("tests")), stamp, guard)
    elif task == "packages":
        repair(stamp, guard)
    elif task == "project":
        install_project(stamp, guard)
    else:
        add_tests(stamp, guard, Screen())


def ensure_kernels() -> None:
    """Installs Triton at the version that the CUDA list names. Where it is there, this looks and returns."""
    (line,) = [each for each in requirements(places.CUDA_LOCK) if each.startswith("triton==")]
    name = line.partition(";")[0].strip().replace("==", "-")
    if name + ".dist-info" in installed():
        return
    if not sys.platform.startswith("linux"):
        raise CourseError("--kernels: Triton is made for Linux only. Lesson 13 can be read without it.")
    screen = Screen()
    screen.step("Installing Triton")
    with Guard() as guard:
        install(["--no-deps", line], guard, screen)


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


def build(choice: str | None, tests: bool, old: Stamp | None, guard: Guard) -> None:
    """--cpu, --gpu or neither, with the tests' packages or without, the old stamp -> a new .venv.

    An old .venv that works is kept until the new one is complete, and comes back where that fails.
    """
    start, screen = time.time(), Screen()
    if not swap.works():
        fill(choice, tests, None, guard, screen)
    else:
        replace(choice, tests, old, guard, screen)
    print(f"Set-up done in {time.time() - start:.0f} s.")


def replace(choice: str | None, tests: bool, old: Stamp | None, guard: Guard, screen: Screen) -> None:
    """What is asked for, the stamp of a .venv that works -> a new .venv, or the old one and a CourseError."""
    by_hand = f"To use it as it is: {places.venv_python().relative_to(places.ROOT)} -m jupyterlab"
    try:
        plan = ask_first(choice, tests, old, guard, screen)
    except CourseError as error:
        raise CourseError(f"{error} The .venv that is here was not touched. {by_hand}") from error
    swap.set_aside()
    try:
        fill(choice, tests, plan, guard, screen)
    except CourseError as error:
        swap.put_back()
        raise CourseError(f"{error} {WORKS_STILL} {by_hand}") from error
    except BaseException:
        swap.put_back()
        print(WORKS_STILL, flush=True)
        raise
    swap.forget()


def ask_first(
    choice: str | None, tests: bool, old: Stamp | None, guard: Guard, screen: Screen
) -> Plan | None:
    """What is asked for, the stamp of the .venv that works -> the torch to install; all else can be had too.

    The pip of that .venv is asked. Where it is of another Python, for which other versions hold, or of
    another recipe, or gone, None is the answer: then the new one's is asked, before it installs anything.
    Raises CourseError before anything is touched.
    """
    if old is None or old["python"].split(".")[:2] != platform.python_version().split(".")[:2]:
        return None
    return None if "pip" in lost({}) else asked(choice, tests, guard, screen)


def asked(choice: str | None, tests: bool, guard: Guard, screen: Screen) -> Plan:
    """What is asked for -> the torch to install. Raises CourseError where any package cannot be had."""
    plan = plan_torch(choice, guard, screen)
    check_room(plan.build)
    screen.step("Asking for the other packages")
    ask_for(lab_roots(plan.spec) + (test_roots() if tests else []), guard, screen, plan.extra_index)
    return plan


def fill(choice: str | None, tests: bool, plan: Plan | None, guard: Guard, screen: Screen) -> None:
    """What is asked for, the torch to install if it is known -> a complete .venv, with its stamp.

    While a .venv that works waits aside, nothing is installed before all of it is known to be there.
    """
    swap.begin()
    make_venv(guard, screen)
    if plan is None and places.KEPT.exists():
        plan = asked(choice, tests, guard, screen)
    plan = plan or plan_torch(choice, guard, screen)
    check_room(plan.build)
    screen.step(plan.say)
    install(["--no-deps", plan.spec], guard, screen, plan.extra_index)
    screen.step("Installing the other packages")
    install_roots(lab_roots(plan.spec) + (test_roots() if tests else []), guard, screen)
    screen.step("Installing the course itself")
    stamp = {"recipe": RECIPE, "python": platform.python_version(), "base": base_python()}
    stamp |= {"torch": plan.build, "lock": lock_fingerprint(plan.build), "tests": tests}
    settle()
    with warm(WARM_LAB + (WARM_TESTS if tests else []), guard):
        install_project(stamp, guard)


def add_tests(stamp: Stamp, guard: Guard, screen: Screen) -> None:
    """Installs what the tests need beside the lessons."""
    screen.step("Installing the packages of the tests")
    install_roots(test_roots(), guard, screen)
    with warm(WARM_TESTS, guard):
        pass
    write_stamp(stamp | {"tests": True, "packages": contents(our_names())})


def install_roots(roots: list[str], guard: Guard, screen: Screen) -> None:
    """Requirements -> they and what they need are installed. Raises CourseError where they are elsewhere."""
    install(roots, guard, screen)
    here = {package(folder) for folder in installed()}
    absent = [root for root in roots if ";" not in root and one_spelling(bare_name(root)) not in here]
    if absent:
        raise CourseError(
            f"pip reports no error and {bare_name(absent[0])} is not in .venv. "
            "Do pip's settings send packages elsewhere? Look: python -m pip config list"
        )


def repair(stamp: Stamp, guard: Guard) -> None:
    """Installs the packages again of which something has gone, at their versions."""
    gone = broken(stamp)
    write_stamp(stamp | {"repairing": gone})  # cut short, it begins again
    screen = Screen()
    screen.step("Installing again what has gone")
    if "pip" in gone:
        ensure_pip(guard)
    own = one_spelling(project_name())
    pairs = [name.removesuffix(".dist-info").rpartition("-") for name in gone if name != "pip"]
    for torch in (True, False):  # torch may need an index of its own
        chosen = [(name, version) for name, _, version in pairs if name != own and (name == "torch") is torch]
        # The exact sign for torch, which has two builds under one version: == would accept either.
        specs = [f"{name}{'===' if torch else '=='}{version}" for name, version in chosen]
        if specs:
            index = index_of(chosen[0][1]) if torch else None
            install(["--no-deps", "--force-reinstall", *specs], guard, screen, index)
    install_project({name: value for name, value in stamp.items() if name != "repairing"}, guard)


def ensure_pip(guard: Guard) -> None:
    """Puts into .venv the pip that Python brings along, which believes what an older one says of itself."""
    for folder in site_packages():
        for path in folder.glob("pip-*.dist-info"):
            shutil.rmtree(path)
    status, lines = watch([str(places.venv_python()), "-I", "-m", "ensurepip"], guard)
    if status:
        raise CourseError(f"Python could not bring pip back: {last_error(lines)}")


def make_venv(guard: Guard, screen: Screen) -> None:
    """Fills .venv with a Python and its pip. The Python that runs this may be the one that stood there."""
    inside = os.path.realpath(sys.prefix) == os.path.realpath(places.VENV)
    python = sys._base_executable if inside else sys.executable  # type: ignore[attr-defined]
    screen.step("Making .venv with Python " + platform.python_version())
    status, lines = watch([python, "-I", "-m", "venv", str(places.VENV)], guard)
    if status:
        raise CourseError(f"Python could not make .venv: {last_error(lines)}")


def check_room(build: str) -> None:
    """Raises CourseError where the disk is too full for a set-up with this build of torch.

    What an unfinished set-up left has been deleted by now; a .venv that works stays and is not counted.
    """
    free = shutil.disk_usage(places.ROOT).free
    if free < ROOM[build]:
        cure = " Make room, or delete .venv, which works." if swap.works() else " Make room."
        raise CourseError(
            f"the disk has {free / 1e9:.1f} GB free and this set-up needs {ROOM[build] / 1e9:.1f} GB.{cure}"
        )


def settle() -> None:
    """Writes the settings of JupyterLab."""
    mine = Path("home", "jupyter-config")  # what the person chose in JupyterLab's menus
    if (places.KEPT / mine).is_dir():
        shutil.copytree(places.KEPT / mine, places.VENV / mine, dirs_exist_ok=True)
    for name, content in SETTINGS.items():
        path = places.VENV / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(json.dumps(content, indent=1).encode("utf-8"))


@contextlib.contextmanager
def warm(groups: list[str], guard: Guard) -> Iterator[None]:
    """Imports modules, each group in a process, two at once, while the caller does something else.

    Python compiles them then, and matplotlib looks through the fonts: now, not in a lesson. That is a quarter
    of what pip would compile, and all that most people ever import.
    """
    code = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    python = [str(places.venv_python()), "-c", code]
    with ThreadPoolExecutor(2) as pool:
        for group in groups:
            pool.submit(watch, [*python, *group.split()], guard)
        yield


def install_project(stamp: Stamp, guard: Guard) -> None:
    """Installs the course in editable form, without a download, and writes the stamp."""
    status, lines = pip(["--no-deps", "--no-build-isolation", "--no-index", "-e", "."], guard)
    if status:
        raise CourseError(explain(lines))
    write_stamp(stamp | {"project": project_fingerprint(), "packages": contents(our_names())})

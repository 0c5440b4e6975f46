"""Which build of torch can this machine have? pip is asked before anything large is downloaded."""

import json
import os
import platform
import shutil
import sys
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from course import places
from course.guard import Guard
from course.installing import explain, is_network, pip
from course.lists import locked
from course.messages import CourseError, Screen
from course.stamps import fits

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
CUDA_INDEX = "https://download.pytorch.org/whl/cu130"
CUDA_PACKAGES = ("nvidia-", "cuda-", "triton")
Try = tuple[str, str | None]  # a requirement, and an index to look in besides pip's own


class Plan(NamedTuple):
    """The torch that will be installed."""

    spec: str
    extra_index: str | None
    build: str
    say: str


def plan_torch(choice: str | None, guard: Guard, screen: Screen) -> Plan:
    """--cpu, --gpu or neither -> the build of torch that pip can have. Raises CourseError where none is."""
    version, driver = torch_version(), has_nvidia_driver()
    screen.step("Asking for torch " + version)
    spec, index, found = ask_pip(choice, version, torch_tries(choice, version, driver), guard, screen)
    needs = [line for line in found.get("requires_dist", []) if line.startswith(CUDA_PACKAGES)]
    build = "cuda" if needs or "+cu" in found["version"] else "cpu"
    if not fits(choice, build):
        raise CourseError(no_torch(choice, version))
    say = f"Installing torch {found['version']}, {describe(build)}"
    if sys.platform != "darwin" and build == "cuda" and choice is None and not driver:
        say += "; no CPU build can be had from here"
    return Plan(spec, index, build, say)


def ask_pip(
    choice: str | None, version: str, tries: Sequence[Try], guard: Guard, screen: Screen
) -> tuple[str, str | None, dict[str, Any]]:
    """Tries in their order -> the first that pip can have: requirement, extra index, the wheel's metadata."""
    report = places.VENV / "torch-report.json"
    for spec, extra in tries:
        index = extra if extra and answers(extra) else None
        command = ["--dry-run", "--ignore-installed", "--no-deps", "--report", str(report), spec]
        status, lines = pip(command + (["--extra-index-url", index] if index else []), guard, screen.wait)
        screen.clear()
        if status == 0:
            answer = json.loads(report.read_bytes().decode("utf-8"))
            return spec, index, answer["install"][0]["metadata"]
        if not any("No matching distribution" in line for line in lines) or is_network(lines):
            raise CourseError(explain(lines))
    raise CourseError(no_torch(choice, version))


def torch_version() -> str:
    """() -> the version of torch that the lock names."""
    version = locked("torch")
    if version is None:
        raise CourseError("requirements.lock names no torch. Restore it: git checkout -- requirements.lock")
    return version


def has_nvidia_driver() -> bool:
    """() -> whether this machine shows an NVIDIA driver. The second place is that of Windows' Linux."""
    shown = ("/proc/driver/nvidia/version", "/usr/lib/wsl/lib/nvidia-smi")
    return any(os.path.exists(place) for place in shown) or shutil.which("nvidia-smi") is not None


def answers(address: str, seconds: float = 3) -> bool:
    """A package index -> whether it can be reached within a few seconds."""
    from urllib.request import Request, urlopen  # slow to import, and only a set-up needs it

    found = []

    def ask() -> None:
        try:
            urlopen(Request(address + "/torch/", method="HEAD"), timeout=seconds).close()
        except (OSError, ValueError):
            return
        found.append(True)

    # A thread, because a name server that stays silent is not bound by the time-out.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    return bool(found)


def index_of(version: str) -> str | None:
    """The version of an installed torch -> the index to look for it besides pip's own, if it answers."""
    local = version.partition("+")[2]
    index = {"cpu": CPU_INDEX, "cu130": CUDA_INDEX}.get(local)
    return index if index and answers(index) else None


def torch_tries(choice: str | None, version: str, driver: bool) -> list[Try]:
    """--cpu, --gpu or neither, a version, an NVIDIA driver or none -> what to ask pip for, in this order.

    torch==2.13.0 also accepts 2.13.0+cpu; torch===2.13.0 accepts that exact name only, which on Linux is the
    build with CUDA.
    """
    plain: Try = (f"torch=={version}", None)
    cpu: Try = (f"torch=={version}+cpu", CPU_INDEX)
    on_linux = sys.platform.startswith("linux")
    if on_linux:
        exact: Try = (f"torch==={version}", None)
        tries = {"cpu": [cpu], "gpu": [exact], None: [exact, plain] if driver else [cpu, plain]}
        return tries[choice]
    if os.name == "nt" and choice == "gpu":
        return [(f"torch=={version}+cu130", CUDA_INDEX)]
    return [plain]


def describe(build: str) -> str:
    """A build of torch -> what it is, for the person who waits for it."""
    if sys.platform == "darwin":
        return "the build for the Mac"
    if build == "cpu":
        return "the build for the CPU (about 200 MB)"
    return "the build for NVIDIA GPUs (about 2 GB with the CUDA packages)"


def no_torch(choice: str | None, version: str) -> str:
    """--cpu, --gpu or neither, a version -> the line for a torch that no index offers."""
    this = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    if choice == "cpu":
        cure = f"Leave --cpu out, or try where {CPU_INDEX} answers."
        return f"no CPU build of torch {version} for {this} can be had here. {cure}"
    if choice == "gpu":
        return f"no GPU build of torch {version} for {this} can be had here. Leave --gpu out."
    return (
        f"pip finds no torch {version} for {this}. Is there a network? torch has builds for 64-bit "
        "Python 3.11 to 3.14 on Linux, on Windows (x64) and on Macs with Apple's chips."
    )

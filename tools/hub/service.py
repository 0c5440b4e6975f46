"""A hub on loopback, in a folder of its own: how it is set, how it starts, and how all of it ends."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from scratch import environment, fetch, own_variables, programs_of

from course.messages import CourseError, OutOfReachError

LOCK = Path(__file__).resolve().parent / "requirements.lock"
PROXY = "configurable-http-proxy@5.3.0"  # JupyterHub's own proxy; it comes from npm
UNUSED = "debugpy"  # JupyterLab's debugger, 8 MB of each kernel: the course does not use it
SETTINGS = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072"}
LOOPBACK = "127.0.0.1"
SOCKET = ".local/share/jupyter/runtime/kernel-00000000-0000-0000-0000-000000000000-ipc-5"  # in a home
LONGEST_SOCKET = 107  # bytes of a socket's path on Linux
SECONDS_TO_START = 300
PATIENCE = 10  # seconds between asking a process to end and ending it


class Hub(NamedTuple):
    """Where a hub answers, and the token of the service that may start anybody's server."""

    address: str
    token: str


class Place(NamedTuple):
    """The programs of the hub's environment, its proxy, the folder of homes, that of the hub's own files."""

    programs: Path
    proxy: Path
    homes: Path
    files: Path


def install(folder: Path, wheel: Path) -> tuple[Path, Path]:
    """A folder, the course's wheel -> the programs of an environment in it, the proxy's program.

    What is there already is used again, with this wheel. Raises OutOfReachError or CourseError.
    """
    npm, proxy = shutil.which("npm"), folder / "proxy"
    if npm is None or shutil.which("node") is None:
        raise OutOfReachError("the hub's proxy needs node and npm, and they are not on this machine")
    programs, complete = programs_of(folder / "environment"), folder / "complete"
    if not complete.exists():
        proxy.mkdir(parents=True, exist_ok=True)
        fetch([npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(proxy), PROXY], folder)
        environment(folder / "environment", ["--requirement", str(LOCK)])
        complete.touch()
    pip = [str(programs / "python"), "-m", "pip", "--disable-pip-version-check"]
    fetch([*pip, "install", "--quiet", "--no-deps", "--force-reinstall", str(wheel)])
    fetch([*pip, "uninstall", "--quiet", "--yes", UNUSED])
    package = proxy / "node_modules" / PROXY.partition("@")[0]
    return programs, package / "bin" / package.name


def free_ports(count: int) -> list[int]:
    """A number -> that many ports of the loopback interface that nobody uses now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def transport(homes: Path) -> str:
    """The folder of homes -> how servers talk to their kernels: by files (ipc), or by ports (tcp).

    Two servers that look for a free port at the same moment find the same one, and one of the kernels dies.
    A file's name is each kernel's own, but the system limits its length.
    """
    longest = os.fsencode(homes / "user-100" / SOCKET)
    return "ipc" if len(longest) <= LONGEST_SOCKET else "tcp"


def settings(place: Place, token: str, ports: list[int]) -> dict[str, Any]:
    """Where things are, the service's token, three ports -> the settings: loopback, a home for each user."""
    doors = [f"http://{LOOPBACK}:{port}" for port in ports]
    singleuser = ["--LanguageServerManager.autodetect=False", "--LabApp.extension_manager=readonly"]
    singleuser += [f"--KernelManager.transport={transport(place.homes)}"]
    scopes = ["admin:users", "admin:servers", "access:servers", "tokens", "shutdown"]
    return {
        "JupyterHub": {
            "bind_url": doors[0],
            "hub_bind_url": doors[1],
            "db_url": "sqlite:///:memory:",
            "cookie_secret_file": str(place.files / "cookie_secret"),
            "authenticator_class": "dummy",
            "spawner_class": "simple",
            "concurrent_spawn_limit": 100,
            "services": [{"name": "load", "api_token": token}],
            "load_roles": [{"name": "load", "scopes": scopes, "services": ["load"]}],
        },
        "ConfigurableHTTPProxy": {"command": ["node", str(place.proxy)], "api_url": doors[2]},
        "DummyAuthenticator": {"password": secrets.token_hex(16)},
        "Authenticator": {"allow_all": True},
        "SimpleLocalProcessSpawner": {"home_dir_template": str(place.homes / "{username}")},
        "Spawner": {
            "cmd": [str(place.programs / "jupyterhub-singleuser")],
            "args": singleuser + (["--allow-root"] if os.geteuid() == 0 else []),
            "notebook_dir": "~",
            "environment": SETTINGS,
            "start_timeout": SECONDS_TO_START,
            "http_timeout": SECONDS_TO_START,
        },
    }


class Service:
    """A hub that runs, and all processes that were seen below it."""

    def __init__(self, place: Place) -> None:
        """Starts the hub; it answers a little later."""
        ports, token = free_ports(3), secrets.token_hex(16)
        self.hub, self.log = Hub(f"http://{LOOPBACK}:{ports[0]}", token), place.files / "hub.log"
        config = place.files / "jupyterhub_config.json"
        config.write_text(json.dumps(settings(place, token, ports)), encoding="utf-8")
        config.chmod(0o600)
        command = [str(place.programs / "python"), "-m", "jupyterhub", "--config", str(config)]
        path = f"{place.programs}{os.pathsep}{os.environ['PATH']}"
        with self.log.open("wb") as log:
            self.process = psutil.Popen(
                command, cwd=place.files, env=own_variables() | {"PATH": path},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.seen: set[psutil.Process] = {self.process}

    def look(self) -> list[psutil.Process]:
        """() -> the processes below the hub now. They are remembered, so that they can be ended."""
        for each in tuple(self.seen):
            try:
                self.seen |= set(each.children(recursive=True))
            except psutil.NoSuchProcess:
                continue
        return [each for each in self.seen if each.is_running()]

    def require(self) -> None:
        """Raises CourseError with the log's last line where the hub has ended."""
        if self.process.poll() is not None:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
            raise CourseError(f"the hub has ended: {lines[-1] if lines else 'it wrote nothing'}")

    def stop(self) -> None:
        """Ends the hub and everything that was seen below it, and nothing else."""
        self.look()
        if self.process.poll() is None:
            self.process.terminate()  # the hub stops its servers and its proxy
            psutil.wait_procs([self.process], timeout=3 * PATIENCE)
        end(self.seen)


def end(processes: Iterable[psutil.Process]) -> None:
    """Processes -> None. Those that still run are asked to end, and then ended."""
    for ask in (psutil.Process.terminate, psutil.Process.kill):
        left = [each for each in processes if each.is_running()]
        for each in left:
            try:
                ask(each)
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(left, timeout=PATIENCE)


def megabytes(process: psutil.Process) -> float:
    """A process -> its memory in MB of 1,024² bytes, as a hub's limits count them.

    What several processes share is divided among them, where the system tells.
    """
    told = process.memory_full_info()
    return float(getattr(told, "pss", told.rss)) / 2**20


def of_users(processes: Iterable[psutil.Process]) -> float:
    """The processes of a hub -> the MB of its users' servers and kernels, without hub and proxy."""
    total = 0.0
    for each in processes:
        try:
            words = " ".join(each.cmdline())
            total += megabytes(each) if "jupyterhub-singleuser" in words or "ipykernel" in words else 0.0
        except psutil.NoSuchProcess:
            continue
    return total

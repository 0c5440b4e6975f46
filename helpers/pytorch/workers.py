"""What runs in a process of a crew, and what torchrun starts: join the others, do a job (lesson 16).

    python -m torch.distributed.run --standalone --nproc-per-node=4 -m helpers.pytorch.workers \\
        helpers.pytorch.ring_jobs:compare n_tokens=1001 causal=True

is the same four processes without a notebook: one job, and process 0 prints what it found.
"""

import ast
import importlib
import json
import os
import pickle
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import timedelta
from multiprocessing import connection, parent_process
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from helpers.pytorch.neighbours import IDLE, NeighbourError, Ring

Job = Callable[..., Any]  # (ring, **inputs) -> what pickle can carry
END = "end"
DONE, RAISED, LOST, DIED = "done", "raised", "lost", "died"


def work(
    rank: int, size: int, folder: str, port: int | None, limit: float, parent: "connection.Connection"
) -> None:
    """A place in a crew, the folder that they share, a line to the parent -> None, when it is told to end.

    Raises nothing: what goes wrong is told to the parent in a line.
    """
    _live_as_long_as_the_parent(folder)
    _write_to(Path(folder, f"said_by_{rank}"))
    torch.set_num_threads(1)
    status = os.open(Path(folder, "status"), os.O_RDWR)
    try:
        ring = join(rank, size, folder, port, limit, lambda doing: _note(status, rank, doing))
    except Exception as error:
        parent.send_bytes(_fault_at_the_start(error, port))
        return
    _note(status, rank, IDLE)
    parent.send_bytes(json.dumps([DONE, "", ""]).encode())
    while (order := _order(parent)) != END:
        answer = _answer(ring, Path(folder), order)
        _note(status, rank, IDLE)
        parent.send_bytes(answer)
    dist.destroy_process_group()


def find_job(job: str) -> Job:
    """A job's name, "module:function" -> the function. Raises ValueError where there is none."""
    module, colon, name = job.partition(":")
    if not colon or not module or not name:
        raise ValueError(f"job must be 'module:function', as 'my_jobs:count'; got {job!r}")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise ValueError(
            f"job {job!r}: the module {module} cannot be imported ({error}); write it to {module}.py, in a "
            "folder that Python searches"
        ) from error
    if not callable(found):
        raise ValueError(f"job {job!r}: the module {module} has no function {name}")
    return found


def main(arguments: list[str]) -> int:
    """["module:function", "name=value", …] -> the exit status: one job, in a process that torchrun started.

    Values are Python's (numbers, True, 'text'); a word that is none stays text. Raises nothing: says in one
    line on stderr what went wrong.
    """
    if "RANK" not in os.environ:
        print(
            f"start this with torchrun, not by itself:\n{(__doc__ or '').split(chr(10) * 2)[1]}",
            file=sys.stderr,
        )
        return 2
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    try:
        job = find_job(arguments[0] if arguments else "")
        inputs = dict(map(_named_value, arguments[1:]))
        torch.set_num_threads(1)
        here = int(os.environ.get("LOCAL_WORLD_SIZE", size))  # on this machine; there may be others
        backend, device = engine(here, int(os.environ.get("LOCAL_RANK", rank)))
        dist.init_process_group(backend, timeout=timedelta(seconds=60))
        found = job(Ring(rank, size, device), **inputs)
        dist.destroy_process_group()
    except Exception as error:
        print(f"process {rank} of {size}: {in_one_line(error)}", file=sys.stderr)
        return 1
    if rank == 0:
        print(found)
    return 0


def engine(n_here: int, rank_here: int) -> tuple[str, torch.device]:
    """Processes on this machine, a place among them -> back end and device.

    NCCL, and a GPU of its own, where there are enough GPUs for all of them; otherwise gloo and the CPU.
    """
    if torch.cuda.is_available() and torch.cuda.device_count() >= n_here and dist.is_nccl_available():
        device = torch.device("cuda", rank_here)
        torch.cuda.set_device(device)
        return "nccl", device
    return "gloo", torch.device("cpu")


def in_one_line(error: BaseException) -> str:
    """An error -> its kind and its words, in one line."""
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _named_value(argument: str) -> tuple[str, Any]:
    name, equals, value = argument.partition("=")
    if not equals or not name.isidentifier():
        raise ValueError(f"inputs must be name=value; got {argument!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _live_as_long_as_the_parent(folder: str) -> None:
    """Ends this process when its parent is gone, whatever it is doing: nothing is left, running or lying."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl + C goes to all; the parent ends its crew


def _write_to(path: Path) -> None:
    """Sends all that this process prints, torch's threads included, to a file: four would mix on a page."""
    said = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)


def join(
    rank: int, size: int, folder: str, port: int | None, limit: float, tell: Callable[[bytes], None]
) -> Ring:
    """A place in a crew, its folder, a port or None -> Ring, once the others have come there, too.

    Raises what torch.distributed raises where they do not come, or the port is taken.
    """
    backend, device = engine(size, rank)
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # all on this machine: no name to be looked up
    store: dist.Store
    if port is None:
        store = dist.FileStore(str(Path(folder, "meeting")), size)
    else:
        meeting = timedelta(seconds=limit)
        store = dist.TCPStore("127.0.0.1", port, size, is_master=rank == 0, timeout=meeting)
    # The parent keeps the time of each job; torch's own limit would only say less clearly who was slow.
    dist.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=timedelta(days=1))
    return Ring(rank, size, device, tell)


def _order(parent: "connection.Connection") -> str:
    """The number of the next job, or END; END, too, where the parent has hung up."""
    try:
        return parent.recv_bytes().decode()
    except (EOFError, OSError):
        return END


def _answer(ring: Ring, folder: Path, order: str) -> bytes:
    """Does a job, and puts its result into the folder."""
    try:
        given = Path(folder, f"job_{order}_{ring.rank}")
        job, inputs = pickle.loads(given.read_bytes())
        given.unlink()
        ring.count_anew()
        result = _packed(find_job(job)(ring, **inputs))
        Path(folder, f"result_{order}_{ring.rank}").write_bytes(result)
    except Exception as error:
        return _fault(error, LOST if isinstance(error, NeighbourError) else RAISED)
    return json.dumps([DONE, "", ""]).encode()


def _packed(result: object) -> bytes:
    """A job's result -> the bytes that are sent. Which error pickle raises hangs on the version of Python."""
    try:
        return pickle.dumps(result)
    except Exception as error:
        raise TypeError(
            f"the job's result, of type {type(result).__name__}, cannot be sent, because pickle cannot carry "
            f"it: {error}"
        ) from error


def _fault_at_the_start(error: Exception, port: int | None) -> bytes:
    if "EADDRINUSE" in str(error):
        taken = OSError(f"port {port} is in use by another program: give another, or none (port=None)")
        taken.__cause__ = error
        return _fault(taken, RAISED)
    return _fault(error, LOST if isinstance(error, RuntimeError) else RAISED)


def _fault(error: Exception, kind: str) -> bytes:
    return json.dumps([kind, in_one_line(error), "".join(traceback.format_exception(error))]).encode()


def _note(status: int, rank: int, doing: bytes) -> None:
    """One byte of a file: the parent looks there when a job takes too long."""
    os.lseek(status, rank, os.SEEK_SET)
    os.write(status, doing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

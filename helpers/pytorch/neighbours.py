"""A process's place in a ring: whom it sends to, whom it hears from, and how many bytes (lesson 16).

All that travels goes through a Ring, so that all of it is counted: `ring.sent["keys and values"]` and so on,
in bytes of payload. The engine is torch.distributed, with whatever group the process has joined.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor

from helpers.shares import all_reduce_bytes

FACTS_BYTES = 256  # what the processes tell each other before they begin, in one message of one length
COMPUTES, WAITS, IDLE = b"c", b"w", b"i"  # what a process is doing, as the others may read it


class NeighbourError(RuntimeError):
    """A message could not be sent or did not come: mostly because another process is gone."""


class Arriving:
    """What is on its way from the process before while this process computes. `wait` gives it."""

    def __init__(self, ring: "Ring", works: list[dist.Work], room: Tensor) -> None:
        """What was posted, and the room that it comes into."""
        self._ring, self._works, self._room = ring, works, room

    def wait(self) -> Tensor:
        """() -> the tensor that came; what was sent may be overwritten now. Raises NeighbourError."""
        with self._ring.waiting():
            for work in self._works:
                work.wait()
        return self._room


class Ring:
    """The process `rank` of `size`: it sends to rank + 1, and hears from rank − 1, round a circle.

    sent: {what: bytes of payload that this process sent}. waited: seconds that it waited for others.
    """

    def __init__(
        self,
        rank: int,
        size: int,
        device: torch.device | None = None,
        tell: Callable[[bytes], object] = lambda doing: None,
    ) -> None:
        """A place in the group that torch.distributed has joined; `tell` hears what the process is doing."""
        self.rank, self.size = rank, size
        self.next, self.previous = (rank + 1) % size, (rank - 1) % size
        self.device = torch.device("cpu") if device is None else device
        self.sent: Counter[str] = Counter()
        self.waited = 0.0
        self._tell = tell

    def count_anew(self) -> None:
        """() -> None: nothing sent, nothing waited."""
        self.sent, self.waited = Counter(), 0.0

    def pass_on(self, what: str, block: Tensor, room: Tensor) -> Arriving:
        """A contiguous block for the next process, room for the one before's -> Arriving, at once.

        Both are posted here, and travel while this process computes. Until Arriving.wait the block must not
        be written to and the room not be read. Raises NeighbourError.
        """
        posts = [
            dist.P2POp(dist.isend, block, self.next),
            dist.P2POp(dist.irecv, room, self.previous),
        ]
        with self.waiting():
            works = dist.batch_isend_irecv(posts)
        self.sent[what] += block.numel() * block.element_size()
        return Arriving(self, works, room)

    def sum(self, what: str, tensor: Tensor) -> Tensor:
        """(...), another in each process -> (...): their sum, the same in all. Raises NeighbourError."""
        total = tensor.clone()
        if self.size > 1:
            with self.waiting():
                dist.all_reduce(total)
            size = all_reduce_bytes(total.numel(), self.size, bytes_per_number=total.element_size())
            self.sent[what] += round(size)
        return total

    def exchange(self, what: str, parts: list[Tensor], rooms: list[Tensor]) -> list[Tensor]:
        """parts[r] for process r, rooms[r] for what comes from it -> the rooms, filled: an all-to-all.

        A list of as many tensors as there are processes, flat in one message. Raises NeighbourError.
        """
        leaving, coming = (torch.cat([part.reshape(-1) for part in each]) for each in (parts, rooms))
        with self.waiting():
            dist.all_to_all_single(
                coming, leaving, [room.numel() for room in rooms], [part.numel() for part in parts]
            )
        away = leaving.numel() - parts[self.rank].numel()
        self.sent[what] += away * leaving.element_size()
        return [
            piece.view(room.shape)
            for piece, room in zip(coming.split([room.numel() for room in rooms]), rooms, strict=True)
        ]

    def agree(self, facts: str) -> None:
        """What this process was given, in words -> None, where all were given the same.

        Raises ValueError, in every process, with the words of two that differ; NeighbourError.
        """
        if self.size == 1:
            return
        words = facts.encode()[:FACTS_BYTES].ljust(FACTS_BYTES)
        mine = torch.frombuffer(bytearray(words), dtype=torch.uint8).to(self.device)
        all_facts = [torch.empty_like(mine) for _ in range(self.size)]
        with self.waiting():
            dist.all_gather(all_facts, mine)
        self.sent["agreement"] += (self.size - 1) * FACTS_BYTES
        require_the_same([bytes(each.tolist()).decode(errors="replace").rstrip() for each in all_facts])

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Around all talk with others: counts the time, and turns torch's errors into NeighbourError."""
        before = time.perf_counter()
        self._tell(WAITS)
        try:
            yield
        except RuntimeError as error:
            words = " ".join(str(error).split())
            raise NeighbourError(f"a neighbour is gone or does not answer ({words[:200]})") from error
        finally:
            self._tell(COMPUTES)
            self.waited += time.perf_counter() - before


def require_the_same(said: list[str]) -> None:
    """What each process was given, in words -> None. Raises ValueError, with two that differ."""
    for rank, words in enumerate(said):
        if words != said[0]:
            raise ValueError(
                "all processes must be given the same but for their own tokens; process 0 was given "
                f"{said[0]}; process {rank} was given {words}"
            )


def bytes_written() -> int | None:
    """() -> bytes that this process has given the system to write, by sockets and files; None off Linux.

    A second count beside Ring.sent, by someone else: what the messages were wrapped in is in it, too.
    """
    try:
        lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar"))

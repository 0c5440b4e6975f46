"""Fresh pages: memory that the operating system fills with zeros because a program asked for it anew.

The usual allocator of Linux (glibc's malloc) keeps what is freed for the next call, but not pieces of 32 MiB
and more: these it maps anew each time. The system then hands them out page by page, at the first touch of
each, and counts every one as a page fault. Two of its variables switch this off; it reads them only when a
program starts, so a command that is to run without fresh pages begins again in a child. This loads no torch.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence

# Never map, and never give back: what is freed is kept and used again.
KEPT = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "1000000000000"}
COUNT = """
import json, sys, torch
from helpers.benchmark.pages import fresh_bytes
from helpers.pytorch.attention import attention
torch.set_num_threads(1)
with torch.inference_mode():
    torch.ones(31 * 2**20, dtype=torch.uint8)
    for n in json.loads(sys.argv[1]):
        rows = torch.randn(3, 1, 8, n, 64)
        # With tables of 32 MiB and more nothing changes from the fourth call on, nor where memory is kept.
        warm_up, calls = (4, 1) if n >= 1_024 else (8, 3)
        print(fresh_bytes(lambda: attention(*rows), warm_up, calls))
"""


def are_kept() -> bool:
    """() -> whether this process was started so that freed memory is kept."""
    return all(os.environ.get(name) == value for name, value in KEPT.items())


def why_not() -> str:
    """() -> why freed memory cannot be kept here, in a sentence, or "" where it can."""
    if platform.libc_ver()[0] == "glibc":
        return ""
    found = platform.system() or "another system"
    return f"--keep-pages speaks to the allocator of Linux (glibc), and this is {found}: leave it out"


def fresh_bytes(call: Callable[[], object], warm_up: int = 8, calls: int = 3) -> int | None:
    """A call -> the bytes of fresh pages that it touches once warm, the median of some calls.

    Exact: the system counts the page faults of this process, and the call is what happens between two
    readings. Warm takes several calls, because the allocator learns: with each large piece that is freed it
    keeps a little more. None where nobody counts (Windows).
    """
    try:
        import resource
    except ImportError:
        return None
    for _ in range(warm_up):
        call()
    counts = []
    for _ in range(calls):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        call()
        counts.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return statistics.median_low(counts) * resource.getpagesize()


def fresh_in_a_child(ns: Sequence[int], keep: bool = False) -> list[int | None]:
    """Lengths, whether freed memory is kept -> fresh bytes in a call of the readable attention at each.

    8 heads of 64, float32, in a Python of its own: in this one, memory from earlier may lie about. The child
    frees a piece of 31 MiB first, as a program that has worked for a while has done. Without that, tables of
    8 MiB are kept or fresh by where the heap happens to end: by the name of a folder, for one.
    Raises RuntimeError with its complaint where that fails.
    """
    done = subprocess.run(
        [sys.executable, "-c", COUNT, json.dumps(list(ns))],
        env={**os.environ, **(KEPT if keep else {})}, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the new Python ended with {done.returncode}:\n{done.stderr}")
    return [None if line == "None" else int(line) for line in done.stdout.split()]

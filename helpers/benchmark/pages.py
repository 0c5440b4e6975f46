"""Fresh pages: memory that the operating system fills with zeros because a program asked for it anew.

The usual allocator of Linux (glibc's malloc) keeps what is freed for the next call, but not pieces of 32 MiB
and more: these it maps anew each time. The system then hands them out page by page, at the first touch of
each, and counts every one as a page fault. Two of its variables switch this off; it reads them only when a
program starts, so a command that is to run without fresh pages begins again in a child. This loads no torch.
"""

import os
import platform
from collections.abc import Callable

# Never map, and never give back: what is freed is kept and used again.
KEPT = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "1000000000000"}


def are_kept() -> bool:
    """() -> whether this process was started so that freed memory is kept."""
    return all(os.environ.get(name) == value for name, value in KEPT.items())


def why_not() -> str:
    """() -> why freed memory cannot be kept here, in a sentence, or "" where it can."""
    if platform.libc_ver()[0] == "glibc":
        return ""
    found = platform.system() or "another system"
    return f"--keep-pages speaks to the allocator of Linux (glibc), and this is {found}: leave it out"


def fresh_bytes(call: Callable[[], object], warm_up: int = 3) -> int | None:
    """A call -> the bytes of fresh pages that it touches once warm, or None where nobody counts (Windows).

    Exact: the system counts page faults of this process, and the call is what happens between two readings.
    """
    try:
        import resource
    except ImportError:
        return None
    for _ in range(warm_up):
        call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    call()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) * resource.getpagesize()

"""How long a learner's code may run, and how much memory it may take: the two limits, and how they are kept.

In the main thread of a POSIX system (where Jupyter runs a cell) a timer signal stops the code. Elsewhere
(Windows, another thread) a watching thread plants the exception, which Python delivers at the next line of
Python code. Neither can stop one single long call inside C, such as `max(itertools.count())` or a product of
huge matrices: Python runs no handler before it comes back. What waits (sleep, a lock, a socket) comes back.

The alarm rings only while `below` is on the stack. What it raises is therefore caught by whoever called
`below`, and never arrives in the middle of putting things back.

An import is never stopped half-way: what is left of it is a broken module, which may bring down Python itself
when it is imported again. So both wait until it is over, and the time it took does not count. A module of the
learner's own is waited for a little longer than a function, and no more.
"""

import builtins
import contextlib
import contextvars
import ctypes
import dis
import functools
import importlib
import os
import signal
import sys
import sysconfig
import threading
import types
from _thread import get_ident
from collections.abc import Callable, Iterator
from signal import SIG_DFL
from time import monotonic, sleep
from typing import Any, TypeVar

try:
    import resource
except ImportError:  # Windows has no limits of this kind
    resource = None  # type: ignore[assignment]

AN_IMPORT = 0.01  # seconds; what is shorter has loaded nothing, and counts
MOST_IMPORTING = 120.0  # seconds for imports in one check; torch takes 2 to 30 when it is loaded first
MOST_IN_LINE = 30.0  # seconds for which others may have the processor: a class on one server, say
OWN_IMPORT = 1.5  # seconds more for a module that the learner wrote
AGAIN = 0.005  # seconds until the alarm rings once more
AT_ONCE = 0.0005  # the same, once the time is over: an `except` may have swallowed what was raised
MOST_MEMORY = 2**29  # bytes that a check may add to what the kernel holds; loading torch takes some 200 MB
FOR_A_CORE = (
    2**24
)  # and these for the stacks of each thread that a library starts for its sums: it must not fail
MOST_HANDLERS = 20
FOR_A_RING = 50  # calls deep, at most
MOST_TRACED = 30  # the innermost: looking at each of a thousand would leave the code no time to end
PATIENT = 4  # rings until the alarm is raised inside one `try` more, where all of a loop stands in one
NO_SIGNAL = "the alarm belongs to the time limit while a check runs"
SILENT = (OSError, IndexError, ValueError)  # where the system does not say how long a thread has waited
T = TypeVar("T")
MAIN_THREAD = threading.main_thread().ident
# Bound here, before any answer can replace them.
plain_signal: Any = importlib.import_module("_signal")  # the enums of `signal` cost ten times as much
plain_open, plain_int = open, int
# An alarm may ring where an answer has emptied the builtins, and in what puts them back.
plain_any, plain_map, plain_enumerate = any, map, enumerate
too_deep, no_more = RecursionError, StopIteration
set_handler, set_trace, get_trace = plain_signal.signal, sys.settrace, sys.gettrace
get_deepest, set_deepest = sys.getrecursionlimit, sys.setrecursionlimit
set_timer: Any = getattr(signal, "setitimer", None)  # Windows has none of these
alarm: Any = getattr(signal, "SIGALRM", None)
real: Any = getattr(signal, "ITIMER_REAL", None)

# What an exception would meet. Python keeps it to itself; where it does, no handler is thought to be around.
handlers_of: Callable[[types.CodeType], Any] = getattr(dis, "_parse_exception_table", lambda _code: ())
HELPERS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARIES = [HELPERS, *(sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib"))]
NOT_LEARNERS = (
    *{os.path.join(spelt, "") for path in LIBRARIES for spelt in (path, os.path.realpath(path))},
    "<frozen ",
    "<__array_function__",
)
PACKAGES = tuple(
    os.path.join(os.sep, name, "") for name in ("site-packages", "dist-packages")
)  # the user's own too


class OutOfTimeError(BaseException):
    """Not an Exception, so that `except Exception` in the learner's code lets it through."""


def in_line(thread: int) -> float:
    """A thread's number in the system -> seconds for which it has stood in line for a processor.

    Always 0 where the system does not tell: anywhere but on Linux.
    """
    try:
        with plain_open(f"/proc/self/task/{thread}/schedstat", "rb") as told:
            return plain_int(told.read().split()[1]) / 1e9
    except SILENT:
        return 0.0


class Clock:
    """The seconds that are left, without those that imports took or in which others had the processor.

    `around`: a longer one, which runs too.
    """

    def __init__(self, seconds: float, around: "Clock | None" = None) -> None:
        """It starts now, for this thread, and ends no later than the one around it."""
        self.around = around
        self.thread = threading.get_native_id()
        self.waited = in_line(self.thread)
        self.deadline = monotonic() + (seconds if around is None else min(seconds, around.left()))
        self.importing = MOST_IMPORTING
        self.most_modules = len(sys.modules)

    def left(self) -> float:
        """Seconds until the deadline; below 0 when it has passed."""
        left = self.deadline - monotonic()
        if left > 0:  # to ask the system costs as much as a small call
            return left
        waited = in_line(self.thread) - self.waited
        return left + (waited if waited < MOST_IN_LINE else MOST_IN_LINE)

    def forgive(self, seconds: float) -> None:
        """Put the deadline off by what an import took."""
        if seconds >= AN_IMPORT:
            granted = min(seconds, self.importing)
            self.importing -= granted
            self.deadline += granted
            if self.around:
                self.around.deadline += granted

    def after_import(self, seconds: float) -> None:
        """Forgive what an import took that loaded something. One that failed, or loads again, counts."""
        if len(sys.modules) > self.most_modules:
            self.most_modules = len(sys.modules)
            self.forgive(seconds)


whole_check: contextvars.ContextVar[Clock | None] = contextvars.ContextVar("whole_check", default=None)


def below(call: Callable[..., T], *arguments: Any) -> T:
    """A call, its arguments -> what it gives. Only below this line may the alarm ring."""
    return _with_errors_of_its_own(call, *arguments)


def looking(call: Callable[..., T], *arguments: Any) -> T:
    """The same, where the alarm may ring only in code of the learner's: our own may take its time."""
    return _with_errors_of_its_own(call, *arguments)


def _with_errors_of_its_own(call: Callable[..., T], *arguments: Any) -> T:
    """A call, its arguments -> what it gives. No error that it handles is still being handled afterwards.

    Where the alarm ends an `except` on its last step, Python does not learn that it is over, and would put
    that error before each later one in the notebook ("During handling of the above exception ..."). What is
    handled inside a generator is forgotten with it.
    """

    def inside() -> Iterator[tuple[bool, Any]]:
        try:
            yield True, call(*arguments)
        except no_more as error:  # out of a generator it would come as another error
            yield False, error

    is_value, came = next(inside())
    if not is_value:
        raise came
    result: T = came
    return result


def is_learners(frame: types.FrameType) -> bool:
    """True for code from a cell, a text or a file of the learner's: not from Python, a package or us."""
    file = frame.f_code.co_filename
    return not file.startswith(NOT_LEARNERS) and not plain_any(part in file for part in PACKAGES)


def plant(thread: int, error: type[BaseException]) -> None:
    """A thread's number, an exception -> raised there at the next line of Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


@contextlib.contextmanager
def time_limit(clock: Clock, whole: bool = False) -> Iterator[None]:
    """Stop what runs in `below`, or where `whole`, the learner's code in `looking`, when the time is over."""
    main = get_ident() == MAIN_THREAD
    if main and set_timer:
        with _timer_signal(clock, whole):
            yield
    elif whole:  # a thread for the time limit of the calls is enough
        yield
    else:
        with _watching_thread(clock):
            yield


@contextlib.contextmanager
def imports_off_the_clock(clock: Clock) -> Iterator[None]:
    """What an import takes does not count."""
    plain, thread, depth = builtins.__import__, get_ident(), 0

    def timed(*arguments: Any, **more: Any) -> types.ModuleType:
        nonlocal depth
        if depth or get_ident() != thread:  # the outermost import counts the others in
            return plain(*arguments, **more)
        depth, start = 1, monotonic()
        try:
            return plain(*arguments, **more)
        finally:
            depth = 0
            clock.after_import(monotonic() - start)
            if (
                clock.left() <= 0
            ):  # nothing is left half-way here; the alarm may only ever ring inside imports
                raise OutOfTimeError

    builtins.__import__ = timed
    try:
        yield
    finally:
        builtins.__import__ = plain


Frames = list[types.FrameType]


def _frames_below(frame: types.FrameType | None, whole: bool) -> Frames | None:
    """A frame -> it and those that called it, as far as `below` or `looking`; None where neither is there."""
    end = looking.__code__ if whole else below.__code__
    frames: Frames = []
    while frame is not None:
        if frame.f_code is end:
            return frames
        frames.append(frame)
        frame = frame.f_back
    return None


def importing(frames: Frames) -> str:
    """ "own" where a module of the learner's is being imported, "library" for any other, else ""."""
    for place, frame in plain_enumerate(frames):
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return "own" if plain_any(plain_map(_is_own_module, frames[:place])) else "library"
    return ""


def _is_own_module(frame: types.FrameType) -> bool:
    """True for the lines of a file of the learner's. What a library makes of a text has no file."""
    code = frame.f_code
    return code.co_name == "<module>" and not code.co_filename.startswith("<") and is_learners(frame)


def _learners_frames(frame: types.FrameType | None, whole: bool) -> Frames | None:
    """What runs just now -> its frames, if they belong to what may be stopped, else None."""
    frames = _frames_below(frame, whole)
    if frames is None or (whole and not plain_any(plain_map(is_learners, frames))):
        return None
    return frames


def _must_wait(frames: Frames, clock: Clock) -> bool:
    """True while a module is being loaded, as long as that is waited for."""
    patience = {"own": OWN_IMPORT, "library": clock.importing}.get(importing(frames), 0.0)
    return clock.left() + patience > 0


@contextlib.contextmanager
def _timer_signal(clock: Clock, whole: bool) -> Iterator[None]:
    armed, ringing, rung, start = True, False, 0, monotonic()

    def ring(_number: int, frame: types.FrameType | None) -> None:
        nonlocal ringing
        if not armed or ringing:  # a thousand frames to look at may take longer than the next ring
            return
        ringing, deepest = True, get_deepest()
        try:
            set_deepest(deepest + FOR_A_RING)  # else an endless recursion gets a RecursionError, and goes on
            stop(frame)
        finally:
            try:  # noqa: SIM105 (`suppress` is a call of Python's, in which the next alarm would ring)
                set_deepest(deepest)
            except too_deep:  # what is not put back here is put back after the check
                pass
            ringing = False  # last: a slow alarm must not meet the next one here

    def stop(frame: types.FrameType | None) -> None:
        nonlocal rung
        left = clock.left()
        if left > 0:  # an import has put it off
            set_timer(real, left, AGAIN)
            return
        frames = _learners_frames(frame, whole)
        if frames is None:
            return
        set_trace(caught)
        for inner in frames[:MOST_TRACED]:
            if is_learners(inner):
                inner.f_trace, inner.f_trace_opcodes = caught, True
        if not _must_wait(frames, clock):
            rung += 1
            set_timer(real, AT_ONCE, AT_ONCE)
            raise OutOfTimeError

    def caught(frame: types.FrameType, event: str, _argument: object) -> Any:
        """The learner's own `except` has swallowed the first: raise once more where no `except` is around."""
        if not armed or not is_learners(frame):
            return None
        if event not in ("line", "opcode"):
            return caught
        frames = _frames_below(frame, whole)
        if frames is None or _must_wait(frames, clock):
            return None
        frame.f_trace_opcodes = True
        if _handlers_around(frame.f_code, frame.f_lasti) <= rung // PATIENT:
            raise OutOfTimeError
        return caught

    before = set_handler(alarm, ring)
    # It rings again and again, for an `except` may swallow the first, and what `caught` raises may be caught.
    timer_before = set_timer(real, max(clock.left(), 1e-6), AGAIN)
    try:
        yield
    finally:
        armed = False
        if get_trace() is caught:
            set_trace(None)  # whoever traced before is put back with the rest of the kernel
        left, again = timer_before
        left = max(left - (monotonic() - start), 1e-6) if left else 0.0
        set_timer(real, left, again)
        set_handler(alarm, before if before is not None else SIG_DFL)


def deliver() -> None:
    """Wait for an exception that may be planted in this thread: it must not arrive later.

    Taking it back by None leaves CPython 3.11 waiting for it: the next timer signal in the main thread then
    rings inside itself without end. So one is planted anew, and comes here.
    """
    with contextlib.suppress(OutOfTimeError):
        plant(get_ident(), OutOfTimeError)
        while True:
            sleep(0)


def _handlers_around(code: types.CodeType, place: int) -> int:
    """A place in a function -> how many handlers, one around the other, an exception would meet there."""
    found, table = 0, _table_of(code)
    while found < MOST_HANDLERS:
        target = next((entry.target for entry in table if entry.start <= place < entry.end), None)
        if target is None:
            break
        found, place = found + 1, target
    return found


@functools.lru_cache(maxsize=100)
def _table_of(code: types.CodeType) -> list[Any]:
    return list(handlers_of(code))


@contextlib.contextmanager
def _watching_thread(clock: Clock) -> Iterator[None]:
    thread = get_ident()
    ended = threading.Event()

    def watch() -> None:
        wait = clock.left()
        while not ended.wait(wait):
            wait = max(clock.left(), AGAIN)  # an import may have put the deadline off
            frames = _learners_frames(sys._current_frames().get(thread), False)
            if clock.left() <= 0 and frames is not None and not _must_wait(frames, clock):
                plant(thread, OutOfTimeError)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        while not ended.is_set() or watcher.is_alive():
            with contextlib.suppress(OutOfTimeError):  # planted a moment ago, delivered here
                ended.set()
                watcher.join()
        deliver()


@contextlib.contextmanager
def memory_limit() -> Iterator[None]:
    """Let the system refuse what a check asks for beyond MOST_MEMORY: Python raises a MemoryError then.

    On Linux alone. Elsewhere the system refuses what it has not got, and may end the kernel for it.
    """
    most = _most_memory()
    if most is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _most_memory() -> int | None:
    """() -> the bytes that this process may hold during a check, or None where nothing is to be limited.

    A limit that is there already holds. CUDA reserves what it likes, and dies of a refusal. A system that
    does not say what is in use would refuse a right answer its first array.
    """
    if resource is None or not sys.platform.startswith("linux"):
        return None
    torch: Any = sys.modules.get("torch")
    if torch is not None and getattr(getattr(torch, "version", None), "cuda", None):
        return None
    try:
        soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
        with open("/proc/self/statm", encoding="ascii") as fields:
            in_use = int(fields.read().split()[5]) * resource.getpagesize()  # data and stacks
    except (OSError, ValueError, IndexError):
        return None
    if soft != resource.RLIM_INFINITY or not in_use:
        return None
    return in_use + MOST_MEMORY + FOR_A_CORE * (os.cpu_count() or 1)


def no_signals() -> dict[str, Callable[..., Any]]:
    """Names in `signal` -> what stands there during a call: it leaves the alarm and the kernel alone."""
    swapped = {"signal": _refusing("signal", lambda number, *_: number == alarm)}
    if alarm is not None:
        swapped["setitimer"] = _refusing("setitimer", lambda which, *_: which == real)
        swapped["pthread_sigmask"] = _refusing("pthread_sigmask", lambda _, numbers: alarm in numbers)
        swapped["pthread_kill"] = _refusing("pthread_kill", lambda *_: True)
        swapped["alarm"] = _refusing("alarm", lambda *_: True)
    swapped["raise_signal"] = _refusing("raise_signal", lambda number: number != signal.SIGINT)
    return swapped


def _refusing(name: str, unwanted: Callable[..., bool]) -> Callable[..., Any]:
    plain = vars(signal)[name]

    def allowed(*given: Any) -> Any:
        if unwanted(*given):
            raise ValueError(NO_SIGNAL)
        return plain(*given)

    return allowed


def end_with_the_check() -> None:
    """In a process forked by a learner's function: end when the check would, for no timer is passed on."""
    clock = whole_check.get()
    if clock is not None:
        set_handler(alarm, SIG_DFL)
        set_timer(real, max(clock.left(), 0.1))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=end_with_the_check)

"""What a learner's code may change for the whole kernel, and how it is put back after each check.

A part remembers one thing and returns what puts it back. All that putting back needs is bound before the
learner's code runs, in closures, and the builtins and the names of this file come first: an answer that
deletes `len`, or replaces a function here, meets what has been kept.

Names in modules are put back in two steps. After each call those that our own code uses (the builtins, NumPy,
the helpers, what they import); after the check, replaced functions of every other module as well.

What cannot be put back: what leaves Python (a file, a process that was started, os.nice, a closed file
descriptor), what the answer does to the notebook's own variables, and the state of a module that it was the
first to import, apart from matplotlib's and torch's settings.
"""

import atexit
import builtins
import contextlib
import contextvars
import gc
import getpass
import io
import locale
import operator
import os
import random
import signal
import sys
import threading
import time
import types
import warnings
from _thread import get_ident
from collections.abc import Callable, Iterable, Iterator
from time import monotonic, sleep
from typing import Any

import numpy as np

from helpers.exercises.engine import limits, names
from helpers.exercises.engine.bystanders import PARTS as BYSTANDERS

PutBack = Callable[[], None]
AFTER_A_CALL = 0.03  # seconds for a thread to end
TRIES = 20  # to stop a thread, before it is said that it runs on
AGAIN_A_THREAD = 0.05  # seconds until a thread is told once more to end
MOST_PRINTED = 100_000  # characters of one call: a reply shows three lines
LISTS_OF_SYS = ("path", "argv", "meta_path", "path_hooks", "warnoptions")
STANDARD = frozenset(vars(sys)) - {"last_type", "last_value", "last_traceback", "last_exc"}
FILES = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
NO_INPUT = "input() cannot ask while a check runs; the function gets its numbers as arguments"
NO_EXIT = "a function cannot end the kernel while a check runs"
SIGNALS = tuple(int(number) for number in signal.valid_signals())
ENDINGS = ("_exit", "abort", "killpg", "execv", "execve")
# Bound here, before any answer can replace them.
leave, kill, getcwd, chdir, getpid = os._exit, os.kill, os.getcwd, os.chdir, os.getpid
catch_warnings, simplefilter = warnings.catch_warnings, warnings.simplefilter


class Printed(io.StringIO):
    """What a learner's code prints: it cannot be closed, and keeps no more than anyone would read."""

    def write(self, text: str) -> int:
        """Text -> the number of characters, kept or not."""
        if self.tell() < MOST_PRINTED:
            super().write(text[:MOST_PRINTED])
        return len(text)

    def close(self) -> None:
        """Stay open: the reply reads what was printed."""


def no_input(*_question: object, **_more: object) -> str:
    """Any question -> a RuntimeError: nobody can answer while a check runs. Raises always."""
    raise RuntimeError(NO_INPUT)


def no_exit(*_arguments: object) -> None:
    """Stand for what would end the kernel. Raises always."""
    raise RuntimeError(NO_EXIT)


class Before:
    """The kernel as it was before a check, as far as our own code relies on it while the check runs."""

    def __init__(self) -> None:
        """Looks at everything now."""
        self.kept = names.Kept()
        self.put_back = near_put_back(self.kept)
        self.put_names_back = self.kept.put_near_back
        self.stop_threads = threads_before()

    @contextlib.contextmanager
    def around_a_call(self, with_torch: bool, printed: io.StringIO) -> Iterator[None]:
        """Its printing goes to `printed`, and what our own code relies on is put back."""
        of_torch, process = nothing_to_do, getpid()
        if with_torch:
            from helpers.exercises.engine import tensors

            of_torch = tensors.settings()
        with catch_warnings(), np.errstate(all="ignore"):
            simplefilter("ignore")
            files = {name: vars(sys)[name] for name in FILES}
            stand_in()
            sys.stdout = sys.stderr = printed
            try:
                yield
            finally:
                end_a_fork(process)
                vars(sys).update(files)
                self.stop_threads(False)  # those of earlier calls, too
                of_torch()
                if of_this_check.get() is not None:
                    stand_in()


of_this_check: contextvars.ContextVar[Before | None] = contextvars.ContextVar("of_this_check", default=None)


def near_put_back(kept: names.Kept) -> PutBack:
    """Names that our own code uses -> what puts them back, with the hooks, the recursion limit and so on."""
    trace, profile, deepest = sys.gettrace(), sys.getprofile(), sys.getrecursionlimit()
    first = kept.first
    set_trace, set_profile, set_deepest = sys.settrace, sys.setprofile, sys.setrecursionlimit
    get_trace, get_profile = sys.gettrace, sys.getprofile
    put_names, folder, printing = kept.put_nearest_back, getcwd(), np.get_printoptions()
    plain = [(place, {name: place.get(name) for name in things}) for place, things in STAND_INS]
    now_in_sys = vars(sys)
    standard = {name: value for name, value in now_in_sys.items() if name in STANDARD}
    modules, modules_before, many = sys.modules, dict(sys.modules), len

    def put_back() -> None:
        if get_trace() is not trace:
            set_trace(trace)
        if get_profile() is not profile:
            set_profile(profile)
        set_deepest(deepest)
        for now, before in first:
            now.update(before)
        now_in_sys.update(standard)
        if many(modules) < many(modules_before):
            modules.update(modules_before)
        for place, things in plain:
            place.update(things)
        put_names()
        if np.get_printoptions() != printing:
            np.set_printoptions(**printing)
        back_to(folder)

    return put_back


def end_a_fork(process: int) -> None:
    """In a copy of the kernel that a learner's function has made: end it, before it answers in its place."""
    if getpid() != process:
        leave(0)


def back_to(folder: str) -> None:
    """Make this the current folder again. One that is gone stays gone."""
    try:
        away = getcwd() != folder
    except OSError:
        away = True
    if away:
        try:
            chdir(folder)
        except OSError:
            return


@contextlib.contextmanager
def check_as_it_was(learners: frozenset[str]) -> Iterator[list[str]]:
    """Around a whole check -> sentences on what could not be put back, filled in when it ends.

    `learners`: the names of the modules in which the learner's code stands.
    """
    told: list[str] = []
    before, process = Before(), getpid()
    put_back, put_near_back, put_far_back = before.put_back, before.put_names_back, before.kept.put_far_back
    backs = [remembered(part) for part in (*PARTS, *BYSTANDERS)]
    stop_threads, ends = threads_before(), remembered(lambda: atexit_before(learners))
    stand_in()
    token = of_this_check.set(before)
    try:
        with catch_warnings():
            yield told
    finally:
        put_back()
        end_a_fork(process)
        put_near_back()
        put_far_back()
        of_this_check.reset(token)
        for back in (ends, *reversed(backs)):
            try:
                back()
            except BaseException as error:
                name = type.__dict__["__name__"].__get__(type(error))
                what = f"{back.__qualname__.partition('.')[0]}: {name}"
                told.append(f"One thing could not be put back ({what}). Restart the kernel.")
        told += stop_threads()


def remembered(part: Callable[[], PutBack]) -> PutBack:
    """A part -> what puts it back; nothing where a library is too odd to be asked: a check never raises."""
    try:
        return part()
    except Exception:
        return nothing_to_do


def stand_in() -> None:
    """Put harmless things where a call would ask, end the kernel, or silence the alarm."""
    for place, things in STAND_INS:
        place.update(things)


def no_word(_error: object) -> None:
    """Stand for sys.unraisablehook: an error in a `__del__` cannot be raised, and need not be printed.

    The alarm may ring there, too, and would ring again in a hook that takes its time.
    """


def kill_others(number: int, sent: int) -> None:
    """Stand for os.kill. Raises where it would end the kernel."""
    if number in (getpid(), 0, -1):
        no_exit()
    kill(number, sent)


NOTHING = Printed()
STAND_INS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (vars(builtins), {"input": no_input}),
    (vars(getpass), {"getpass": no_input}),
    (vars(signal), limits.no_signals()),
    (vars(os), {name: no_exit for name in ENDINGS if hasattr(os, name)} | {"kill": kill_others}),
    (vars(sys), {**dict.fromkeys(FILES, NOTHING), "breakpointhook": no_input, "unraisablehook": no_word}),
]


def of_sys() -> PutBack:
    """What stands in sys, the contents of its lists, and the entries of sys.modules."""
    now = vars(sys)
    lists = {name: list(now[name]) for name in LISTS_OF_SYS}
    modules, modules_before = sys.modules, dict(sys.modules)
    interval = sys.getswitchinterval()
    digits = sys.get_int_max_str_digits()

    def put_back() -> None:
        for name, content in lists.items():
            if now[name] != content:
                now[name][:] = content
        if len(modules) != len(modules_before) or not all(
            map(operator.is_, modules.values(), modules_before.values())
        ):
            modules.update(modules_before)
            for name in [name for name in modules if name not in modules_before and not names.is_real(name)]:
                del modules[name]
        if sys.getswitchinterval() != interval:
            sys.setswitchinterval(interval)
        sys.set_int_max_str_digits(digits)

    return put_back


def of_threading() -> PutBack:
    """The hooks that new threads get."""
    trace, profile = threading.gettrace(), threading.getprofile()

    def put_back() -> None:
        if threading.gettrace() is not trace:
            threading.settrace(trace)  # None takes the hook away
        if threading.getprofile() is not profile:
            threading.setprofile(profile)

    return put_back


def of_signals() -> PutBack:
    """The handlers, and which signals are held back. Only the main thread may set them."""
    if get_ident() != limits.MAIN_THREAD:
        return nothing_to_do
    before = [limits.plain_signal.getsignal(number) for number in SIGNALS]
    masked = hasattr(limits.plain_signal, "pthread_sigmask")
    mask = limits.plain_signal.pthread_sigmask(signal.SIG_BLOCK, ()) if masked else None

    def put_back() -> None:
        for number, handler in zip(SIGNALS, before, strict=True):
            if handler is not None and limits.plain_signal.getsignal(number) is not handler:
                limits.plain_signal.signal(number, handler)
        if mask is not None and limits.plain_signal.pthread_sigmask(signal.SIG_BLOCK, ()) != mask:
            limits.plain_signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    return put_back


def of_the_collector() -> PutBack:
    """Whether garbage is collected, and when."""
    on, threshold, debug, frozen = gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.get_freeze_count()
    callbacks, before = gc.callbacks, list(gc.callbacks)

    def put_back() -> None:
        (gc.enable if on else gc.disable)()
        gc.set_threshold(*threshold)
        gc.set_debug(debug)
        callbacks[:] = before
        if gc.get_freeze_count() > frozen:
            gc.unfreeze()

    return put_back


def of_the_system() -> PutBack:
    """Environment variables, the time zone that one of them sets, the mask for new files."""
    environment, before = os.environ, dict(os.environ)
    mask = os.umask(0o022)
    os.umask(mask)

    def put_back() -> None:
        vars(os)["environ"] = environment
        if dict(environment) != before:
            zone = environment.get("TZ")
            for name in set(environment) - set(before):
                del environment[name]
            environment.update({name: text for name, text in before.items() if environment.get(name) != text})
            if zone != before.get("TZ") and hasattr(time, "tzset"):  # Windows has none
                time.tzset()
        os.umask(mask)

    return put_back


def of_chance() -> PutBack:
    """Both global random generators, which a learner's function may draw from or seed."""
    of_numpy, of_python = np.random.get_state(), random.getstate()  # noqa: NPY002

    def put_back() -> None:
        np.random.set_state(of_numpy)  # noqa: NPY002
        random.setstate(of_python)

    return put_back


def of_numpy() -> PutBack:
    """What NumPy does about errors of arithmetic. (In NumPy 2, np.errstate alone would do.)"""
    errors, call, size = np.geterr(), np.geterrcall(), np.getbufsize()

    def put_back() -> None:
        if np.geterr() != errors:
            np.seterr(**errors)
        if np.geterrcall() is not call:
            np.seterrcall(call)
        if np.getbufsize() != size:
            np.setbufsize(size)

    return put_back


def of_the_locale() -> PutBack:
    """How numbers and dates are written."""
    before = locale.setlocale(locale.LC_ALL)

    def put_back() -> None:
        if locale.setlocale(locale.LC_ALL) != before:
            locale.setlocale(locale.LC_ALL, before)

    return put_back


def nothing_to_do() -> None:
    """Put back nothing."""


PARTS: tuple[Callable[[], PutBack], ...] = (
    of_sys,
    of_threading,
    of_signals,
    of_the_collector,
    of_the_system,
    of_chance,
    of_numpy,
    of_the_locale,
)


class _Listener:
    """Equal to nothing, or to what is given: atexit compares all that it holds with what it is asked for."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, unwanted: Iterable[object] = ()) -> None:
        self.unwanted, self.held = list(unwanted), list[object]()

    def __eq__(self, other: object) -> bool:
        self.held.append(other)
        return any(other is thing for thing in self.unwanted)


def atexit_before(learners: frozenset[str]) -> PutBack:
    """What is to run when the kernel ends -> what removes that which learner's code has added since."""

    def held() -> list[object]:
        listener = _Listener()
        atexit.unregister(listener)  # type: ignore[arg-type]
        return listener.held

    before, count = held(), atexit._ncallbacks()

    def put_back() -> None:
        if atexit._ncallbacks() != count:
            added = [thing for thing in held() if not any(thing is old for old in before)]
            unwanted = [thing for thing in added if not of_a_library(thing, learners)]
            atexit.unregister(_Listener(unwanted))  # type: ignore[arg-type]

    return put_back


def of_a_library(thing: object, learners: frozenset[str]) -> bool:
    """True for a function that a module brought along, and not the learner: a library tidies up with it."""
    module = getattr(thing, "__module__", None)
    return isinstance(module, str) and module in sys.modules and module not in {*learners, "builtins", "time"}


def threads_before() -> Callable[..., list[str]]:
    """() -> what stops the threads that a learner's code has started since, and says which go on."""
    before, plant, running = set(sys._current_frames()), limits.plant, sys._current_frames

    def mine() -> list[int]:
        now = running()
        return [number for number in now if number not in before and not _serves_a_library(now[number])]

    def stop(waiting: bool = True) -> list[str]:
        if len(running()) == len(before):
            return []
        for thread in threading.enumerate():
            if thread.ident not in before and isinstance(thread, threading.Timer):
                thread.cancel()
        left = mine()
        for _ in range(TRIES if waiting else 1):
            for number in left:  # rarely: what is planted late falls into how a thread ends
                plant(number, SystemExit)
            until = monotonic() + (AGAIN_A_THREAD if waiting else AFTER_A_CALL)
            while left and monotonic() < until:
                sleep(0.001)
                left = mine()
        if not left or not waiting:
            return []
        what = "A thread" if len(left) == 1 else f"{len(left)} threads"
        return [
            f"{what} that your function started could not be stopped yet: Python can do so only when a wait "
            "inside it is over. Until then, or until you restart the kernel, your code keeps running."
        ]

    return stop


def _serves_a_library(frame: types.FrameType | None) -> bool:
    """True for a thread that runs nothing but a library's own code, such as a pool's that waits for work."""
    elsewhere = False
    while frame is not None:
        if limits.is_learners(frame):
            return False
        elsewhere |= frame.f_code.co_filename != threading.__file__
        frame = frame.f_back
    return elsewhere

"""Run the learner's function without harm: copies, a time limit, captured printing, a kernel left as it was.

The time limit is a timer signal in the main thread of a POSIX system (where Jupyter runs a cell). Elsewhere
(Windows, another thread) a watching thread plants the exception, which Python delivers at the next line of
Python code. Neither can stop one single long call inside NumPy.

An import is never stopped half-way: what is left of it is a broken module, which may bring down Python itself
when it is imported again. So both wait until it is over, and the time it took does not count.
"""

import builtins
import contextlib
import copy
import ctypes
import dis
import functools
import inspect
import io
import itertools
import linecache
import math
import operator
import os
import random
import signal
import sys
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from helpers.exercises.engine.probes import ARRAYS, Form, OtherFormError
from helpers.validation import Array

SECONDS = 3.0  # for all the calls of one check; right and wrong answers need some milliseconds
AN_IMPORT = 0.01  # seconds; what is shorter has loaded nothing, and counts
MOST_IMPORTING = 120.0  # seconds for imports in one check; torch takes 2 to 30 when it is loaded first
AGAIN = 0.02  # seconds until the alarm rings once more
MOST_NUMBERS = 100_000  # in one result: the probes need a few hundred
Inputs = Mapping[str, Any]
NUMBERS_FOR_TRUTHS = (
    "You returned 1 and 0, which count as True and False here. Elsewhere it matters: the helpers take no "
    "mask of numbers, `~` does not turn 1 into 0, and PyTorch adds a mask of numbers to the scores. "
    "`mask == 1` makes True and False of them."
)
TENSOR_FOR_ARRAY = (
    "You returned a torch tensor. Its numbers count; the helpers of this lesson return NumPy arrays."
)
ARRAY_FOR_TENSOR = (
    "You returned a NumPy array. Its numbers count; a tensor would have kept its device and its gradient."
)
NUMBER_FOR_TRUTH = "You returned 1 or 0, which count as True and False here: `bool(...)` says what is meant."


@dataclass(frozen=True)
class Outcome:
    """What one call did. Exactly one of value, returned, error and stopped tells how it ended."""

    value: Array | None = None
    returned: str = ""  # what came back instead of an array of numbers, as a clause
    error: str = ""  # "ValueError: operands could not be broadcast …"
    stopped: bool = False  # out of time
    line: str = ""  # the learner's line at which the error arose
    note: str = ""  # about an accepted result of another type
    printed: str = ""
    changed: tuple[str, ...] = ()  # names of the inputs that the call changed
    altered: tuple[str, ...] = ()  # what else than their numbers it changed of them, as sentences
    parts: tuple[tuple[int, ...], ...] = ()  # the shapes of the arrays, where a tuple of arrays came back
    joined: bool = False  # several arrays were asked for: `value` holds the numbers of all, in one row


class OutOfTimeError(BaseException):
    """Not an Exception, so that `except Exception` in the learner's code lets it through."""


class Clock:
    """The seconds that are left, without those that imports took."""

    def __init__(self, seconds: float) -> None:
        """It starts now."""
        self.deadline = time.monotonic() + seconds
        self.importing = MOST_IMPORTING

    def left(self) -> float:
        """Seconds until the deadline; below 0 when it has passed."""
        return self.deadline - time.monotonic()

    def forgive(self, seconds: float) -> None:
        """Put the deadline off by what an import took."""
        if seconds >= AN_IMPORT:
            granted = min(seconds, self.importing)
            self.importing -= granted
            self.deadline += granted


class Runner:
    """Calls one function again and again under one time limit."""

    def __init__(
        self,
        function: Callable[..., Any],
        seconds: float | None = None,
        truths: bool = False,
        form: Form = ARRAYS,
    ) -> None:
        """The clock starts now; SECONDS unless told otherwise. `truths`: True and False are asked for."""
        self.function, self.truths, self.form = function, truths, form
        patience = 2 if form.tensors else 1  # the first calls load more of torch
        self.clock = Clock(SECONDS * patience if seconds is None else seconds)

    def __call__(self, inputs: Inputs) -> Outcome:
        """Named inputs -> Outcome. The function gets copies, by position."""
        given = {name: _own_copy(value) for name, value in inputs.items()}
        if self.clock.left() <= 0:
            return Outcome(stopped=True)
        printed = io.StringIO()
        try:
            with (
                _kernel_as_it_was(self.form.tensors),
                contextlib.redirect_stdout(printed),
                contextlib.redirect_stderr(printed),
            ):
                things = handed(given.values(), self.form)
                outcome = _guarded(self.function, things, self.clock, self.truths, self.form, inputs)
        except OutOfTimeError:  # fired in the few lines after the function had ended
            outcome = Outcome(stopped=True)
        altered = _altered(inputs, things) if self.form.tensors and not outcome.stopped else {}
        changed = tuple(n for n in inputs if n in altered or not _same_input(inputs[n], given[n]))
        value = outcome.value
        if value is not None:
            value = no_finer(inputs, self.form.seen(inputs, value) if self.form.seen else value)
        return replace(
            outcome,
            value=value,
            altered=tuple(text for text in altered.values() if text),
            printed=printed.getvalue(),
            changed=changed,
        )


def no_finer(inputs: Inputs, value: Array) -> Array:
    """Inputs, a result -> the result, in float32 where float64 holds what was computed from float32.

    A NumPy scalar such as np.sqrt(d_k) makes float64 of float32; its further digits mean nothing.
    """
    kinds = [array.dtype for array in inputs.values() if isinstance(array, np.ndarray)]
    if value.dtype != np.float64 or np.float32 not in kinds or np.float64 in kinds:
        return value
    with np.errstate(over="ignore"):
        return value.astype(np.float32)


def _guarded(
    function: Callable[..., Any],
    things: Sequence[Any],
    clock: Clock,
    truths: bool,
    form: Form,
    inputs: Inputs,
) -> Outcome:
    try:
        with _time_limit(clock, function):
            result = function(*things)
            if form.read and result is not None:
                result = form.read(inputs, result)
            return _several(result, form) if form.parts else _numbers(result, truths, form)
    except OutOfTimeError:
        return Outcome(stopped=True)
    except OtherFormError as error:
        return Outcome(returned=str(error))
    except BaseException as error:  # SystemExit and KeyboardInterrupt as well: the notebook goes on
        return Outcome(error=_message(error), line=_learners_line(error, function))


def handed(values: Iterable[Any], form: Form) -> list[Any]:
    """Inputs -> the same in the form in which the function gets them."""
    if not form.tensors:
        return list(values)
    from helpers.exercises.engine.tensors import as_tensors, start_again

    start_again()
    return [as_tensors(value) for value in values]


def _altered(inputs: Inputs, things: Sequence[Any]) -> dict[str, str]:
    """Inputs, the tensors and layers that were made of them -> what a call changed, by name."""
    from helpers.exercises.engine.tensors import altered

    told = {
        name: altered(name, value, thing) for (name, value), thing in zip(inputs.items(), things, strict=True)
    }
    return {name: text for name, text in told.items() if text is not None}


def _several(result: object, form: Form) -> Outcome:
    """A tuple of as many arrays as are asked for -> their numbers in one row, and their shapes."""
    names = list(form.parts)
    if isinstance(result, Iterator):  # `a, b, c = result` takes a generator apart, too
        result = list(itertools.islice(result, len(names) + 1))
    if form.stacked and getattr(result, "ndim", 0) == 3:
        result = list(result)  # type: ignore[call-overload]  # as `a, b, c = result` takes it apart
    if result is None:
        return Outcome(returned="returned None")
    if not isinstance(result, tuple | list) or len(result) != len(names):
        came = (
            _parts(result)
            if isinstance(result, tuple | list)
            else "one tensor alone"
            if of_torch(result)
            else f"{_kind(result)} alone"
        )
        return Outcome(returned=f"returned {came}, but the task asks for {len(names)}: {', '.join(names)}")
    outcomes = [_numbers(part, form=form) for part in result]
    for name, outcome in zip(names, outcomes, strict=True):
        if outcome.value is None:
            return Outcome(returned=f"{outcome.returned} for {name}")
    values = [outcome.value for outcome in outcomes if outcome.value is not None]
    notes = dict.fromkeys(outcome.note for outcome in outcomes if outcome.note)
    return replace(joined(values), note=" ".join(notes))


def joined(values: Sequence[Array]) -> Outcome:
    """Several arrays -> their numbers in one row, and their shapes."""
    row = np.concatenate([value.ravel() for value in values])
    return Outcome(value=row, parts=tuple(value.shape for value in values), joined=True)


def taken_apart(outcome: Outcome) -> list[Array]:
    """What `joined` gave -> the arrays."""
    assert outcome.value is not None
    ends = np.cumsum([math.prod(shape) for shape in outcome.parts])[:-1]
    rows = np.split(outcome.value, ends)
    return [row.reshape(shape) for row, shape in zip(rows, outcome.parts, strict=True)]


def of_torch(result: object) -> bool:
    """True for a tensor, or anything else that torch has made."""
    return type(result).__module__.partition(".")[0] == "torch"


def _as_arrays(result: object) -> Any:
    from helpers.exercises.engine.tensors import (
        as_arrays,  # torch is loaded, where there is something of torch's
    )

    return as_arrays(result)


def _numbers(result: object, truths: bool = False, form: Form = ARRAYS) -> Outcome:
    """What the function returned -> its numbers as an array, or a clause that says what it is instead.

    Where `truths` are asked for, True and False are taken too; numbers count there as well, with a note.
    """
    if inspect.isgenerator(result) or inspect.iscoroutine(result):
        result.close()
        what = "a generator (it has `yield`)" if inspect.isgenerator(result) else "a coroutine (`async def`)"
        return Outcome(returned=f"returned {what}, not an array")
    if result is None:
        return Outcome(returned="returned None")
    if isinstance(result, str | bytes | dict | set | type | types.ModuleType) or callable(result):
        return Outcome(returned=f"returned {_kind(result)}, not an array of numbers")
    if form.tensors and isinstance(result, tuple) and any(part is None for part in result):
        several = f"a tuple of {len(result)} things, one of them None"
        return Outcome(returned=f"returned {several}; the one that the task asks for should come alone")
    note = ARRAY_FOR_TENSOR if form.tensors and isinstance(result, np.ndarray) else ""
    if of_torch(result):
        note = "" if form.tensors else TENSOR_FOR_ARRAY
    if of_torch(result) or form.tensors:
        result = _as_arrays(result)
    if isinstance(result, list | tuple) and len(result) > MOST_NUMBERS:
        return Outcome(returned=f"returned a {type(result).__name__} of {len(result):,} things")
    try:
        array = np.asarray(result)
    except (ValueError, TypeError):
        return Outcome(
            returned=f"returned {_parts(result)}, which make no full array (rows of different lengths?)",
            parts=_shapes(result),
        )
    if array.size > MOST_NUMBERS:
        return Outcome(returned=f"returned an array of shape {array.shape}: far too many numbers")
    if array.dtype.kind not in ("biuf" if truths else "iuf"):
        kinds = {
            "b": "True and False",
            "c": "complex numbers",
            "O": "Python objects",
            "U": "texts",
            "S": "texts",
        }
        what = kinds.get(array.dtype.kind, f"entries of type {array.dtype}")
        return Outcome(returned=f"returned {what}, not {'True and False' if truths else 'real numbers'}")
    if truths and array.dtype.kind != "b":
        note = NUMBERS_FOR_TRUTHS if array.ndim else NUMBER_FOR_TRUTH
    elif isinstance(result, list | tuple) and form.tensors:
        note = f"You returned a {type(result).__name__}. Its numbers count; the helpers return tensors."
    elif isinstance(result, list | tuple):
        what = "entries" if truths else "numbers"
        note = f"You returned a {type(result).__name__}. Its {what} count; the helpers return NumPy arrays."
    return Outcome(value=np.array(array, copy=True), note=note, parts=_shapes(result))


def _shapes(result: object) -> tuple[tuple[int, ...], ...]:
    """The shapes of the arrays in a tuple of arrays."""
    things = result if isinstance(result, tuple) else ()
    arrays = all(isinstance(thing, np.ndarray) for thing in things)
    return tuple(thing.shape for thing in things) if arrays else ()


def _kind(thing: object) -> str:
    names: dict[type, str] = {str: "a text", dict: "a dictionary", set: "a set", bytes: "bytes"}
    names[np.ndarray] = "an array"
    if isinstance(thing, type):
        return "a class"
    if isinstance(thing, types.ModuleType):
        return "a module"
    if callable(thing):
        return "a function"
    return names.get(type(thing), f"a {type(thing).__name__}")


def _parts(result: object) -> str:
    if isinstance(result, list | tuple):
        return f"a {type(result).__name__} of {len(result)} things"
    return f"a {type(result).__name__}"


def _own_copy(value: Any) -> Any:
    """What the learner may write into. Numbers, texts and functions need no copy."""
    if isinstance(value, list):
        return copy.deepcopy(value)
    return np.copy(value) if isinstance(value, np.ndarray) else value


def _same_input(before: object, after: object) -> bool:
    if isinstance(before, list):
        return before == after
    if not isinstance(before, np.ndarray):
        return True  # numbers cannot be changed from inside
    after_array = np.asarray(after)
    return before.shape == after_array.shape and bool(np.array_equal(before, after_array, equal_nan=True))


def _message(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "RecursionError: the function calls itself without end"
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}".rstrip(": ")[:300]


def _learners_line(error: BaseException, function: Callable[..., Any]) -> str:
    code = code_of(function)
    if code is None:
        return ""
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    lines = [line for place, line in frames if place.co_filename == code.co_filename]
    return linecache.getline(code.co_filename, lines[-1]).strip() if lines else ""


def code_of(function: object) -> types.CodeType | None:
    """A callable -> the code object behind it, or None where Python does not show one."""
    while isinstance(function, functools.partial):
        function = function.func
    try:
        function = inspect.unwrap(function)  # type: ignore[arg-type]
    except Exception:
        return None
    if not hasattr(function, "__code__"):
        function = getattr(type(function), "__call__", None)  # noqa: B004  (an object that can be called)
    code = getattr(function, "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def is_stub(function: object) -> bool:
    """True where the body is nothing but a docstring, `pass` or `...`."""
    code = code_of(function)
    nothing = {"RESUME", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE", "NOP", "CACHE"}
    if code is None:
        return False
    steps = list(dis.get_instructions(code))
    loaded = [step.argval for step in steps if step.opname in ("LOAD_CONST", "RETURN_CONST")]
    return all(step.opname in nothing for step in steps) and loaded == [None]


@contextlib.contextmanager
def _time_limit(clock: Clock, function: Callable[..., Any]) -> Iterator[None]:
    main = threading.current_thread() is threading.main_thread()
    with (
        _imports_off_the_clock(clock),
        _timer_signal(clock, code_of(function))
        if main and hasattr(signal, "setitimer")
        else _watching_thread(clock),
    ):
        yield


@contextlib.contextmanager
def _imports_off_the_clock(clock: Clock) -> Iterator[None]:
    plain, thread, depth = builtins.__import__, threading.get_ident(), 0

    def timed(*arguments: Any, **more: Any) -> types.ModuleType:
        nonlocal depth
        if depth or threading.get_ident() != thread:  # the outermost import counts the others in
            return plain(*arguments, **more)
        depth, start = 1, time.monotonic()
        try:
            return plain(*arguments, **more)
        finally:
            depth = 0
            clock.forgive(time.monotonic() - start)
            if (
                clock.left() <= 0
            ):  # here nothing is left half-way; the alarm may only ever ring inside imports
                raise OutOfTimeError

    builtins.__import__ = timed
    try:
        yield
    finally:
        builtins.__import__ = plain


def _importing(frame: types.FrameType | None) -> bool:
    """True where a frame of the learner's call, or of what it calls, belongs to an import under way."""
    while frame is not None and frame.f_code is not _guarded.__code__:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def _timer_signal(clock: Clock, learners: types.CodeType | None) -> Iterator[None]:
    armed = True

    def ring(_number: int, frame: types.FrameType | None) -> None:
        if not armed or _importing(frame):
            return
        left = clock.left()
        if left > 0:  # an import has put it off
            signal.setitimer(signal.ITIMER_REAL, left, AGAIN)
            return
        sys.settrace(caught)
        while frame is not None and learners is not None:
            if frame.f_code.co_filename == learners.co_filename:
                frame.f_trace = caught
            frame = frame.f_back
        raise OutOfTimeError

    def caught(frame: types.FrameType, _event: str, _argument: object) -> Any:
        """Raise once more where the learner's own `except` has swallowed the first."""
        if not armed or learners is None or frame.f_code.co_filename != learners.co_filename:
            return None
        if isinstance(sys.exc_info()[1], OutOfTimeError):
            raise OutOfTimeError
        return caught

    before = signal.signal(signal.SIGALRM, ring)
    # It rings again and again, for an `except` may swallow the first, and what `caught` raises may be caught.
    timer_before = signal.setitimer(signal.ITIMER_REAL, max(clock.left(), 1e-6), AGAIN)
    try:
        yield
    finally:
        armed = False
        if sys.gettrace() is caught:
            sys.settrace(None)  # whoever traced before is put back by _kernel_as_it_was
        signal.setitimer(signal.ITIMER_REAL, *timer_before)
        signal.signal(signal.SIGALRM, before if before is not None else signal.SIG_DFL)


@contextlib.contextmanager
def _watching_thread(clock: Clock) -> Iterator[None]:
    thread = threading.get_ident()
    learner = ctypes.c_ulong(thread)
    plant = ctypes.pythonapi.PyThreadState_SetAsyncExc
    ended = threading.Event()

    def watch() -> None:
        wait = clock.left()
        while not ended.wait(wait):
            wait = max(clock.left(), AGAIN)  # an import may have put the deadline off
            if clock.left() <= 0 and not _importing(sys._current_frames().get(thread)):
                plant(learner, ctypes.py_object(OutOfTimeError))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        # One may be planted and not yet delivered. Taking it back by None leaves CPython 3.11 waiting for it:
        # the next timer signal in the main thread then rings inside itself without end. So deliver one here.
        with contextlib.suppress(OutOfTimeError):
            plant(learner, ctypes.py_object(OutOfTimeError))
            while True:
                time.sleep(0)


@contextlib.contextmanager
def chance_as_it_was() -> Iterator[None]:
    """Put back both global random generators, which a learner's function may draw from or seed."""
    of_numpy, of_python = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(of_numpy)  # noqa: NPY002
        random.setstate(of_python)


@contextlib.contextmanager
def _kernel_as_it_was(with_torch: bool = False) -> Iterator[None]:
    """Put back what a learner's function might change for the whole kernel."""
    modules: tuple[types.ModuleType, ...] = (np, np.linalg, math, builtins)
    of_torch: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if with_torch:
        from helpers.exercises.engine import tensors

        modules, of_torch = (*modules, *tensors.modules()), tensors.settings_as_they_were()
    names = [dict(vars(module)) for module in modules]
    printing = np.get_printoptions()
    recursion, trace, folder = sys.getrecursionlimit(), sys.gettrace(), os.getcwd()
    alarm = signal.getsignal(signal.SIGINT)
    builtins.input = _no_input
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), of_torch:
            warnings.simplefilter("ignore")
            yield
    finally:
        for module, before in zip(modules, names, strict=True):
            _restore_names(vars(module), before)
        np.set_printoptions(**printing)
        sys.setrecursionlimit(recursion)
        sys.settrace(trace)
        if os.getcwd() != folder:
            os.chdir(folder)
        if (
            signal.getsignal(signal.SIGINT) is not alarm
            and threading.current_thread() is threading.main_thread()
        ):
            signal.signal(signal.SIGINT, alarm)


def _restore_names(now: dict[str, Any], before: dict[str, Any]) -> None:
    """Put back what was replaced or deleted. New names stay: NumPy loads some of its parts late."""
    if len(now) == len(before) and all(map(operator.is_, now.values(), before.values())):
        return  # as after almost every call
    for name, value in before.items():
        if now.get(name) is not value:
            now[name] = value


def _no_input(*_question: object) -> str:
    raise RuntimeError("input() cannot ask while a check runs; the function gets its numbers as arguments")

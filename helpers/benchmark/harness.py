"""Timing that can be trusted: a warm-up, runs in turns, medians with quartiles, an end without a crash.

Nothing here knows a device: that is what `Tools` stands for (helpers.benchmark.devices has the real ones).
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from helpers.benchmark.records import Quartiles, Seconds

MOST_CALLS = 20  # in one sample, however short a call is


class Tools(Protocol):
    """What the harness asks of a device."""

    def seconds(self, call: Callable[[], object], calls: int) -> float:
        """A call, how many of them -> seconds for one, on average, once all work is done."""

    def peak_bytes(self, call: Callable[[], object]) -> int | None:
        """A call -> the most memory that it held at once beyond what was there, or None if none can say."""

    def free_bytes(self) -> int | None:
        """() -> bytes that a call may take, or None where trying does no harm (or nothing is known)."""

    def is_out_of_memory(self, error: BaseException) -> bool:
        """An error -> whether it says that there was not enough memory."""

    def clear(self) -> None:
        """() -> gives back what nobody holds any more."""


@dataclass(frozen=True)
class Run:
    """One thing to measure: a call, what is set up around it before the clock starts, and what it is.

    `power` says how its memory grows with n, so that a size can be left out before it fills the machine.
    """

    call: Callable[[], object]
    around: Callable[[], AbstractContextManager[object]] = nullcontext
    power: int = 2
    backend: str | None = None
    operations: int = 0
    moved_bytes: int | None = None


@dataclass(frozen=True)
class Limits:
    """When to stop: rounds and seconds for a group, seconds and bytes for one call.

    A sample takes `sample_seconds` at least, by several calls where one is shorter: then the clock's own
    steps, and a GPU's start, count less.
    """

    least_rounds: int = 5
    most_rounds: int = 30
    seconds: float = 2.0
    seconds_a_call: float = 5.0
    bytes_a_call: int | None = None
    sample_seconds: float = 0.005


@dataclass
class Outcome:
    """What came of one run: samples, one for each round, or the reason why there are none."""

    status: str = "measured"
    reason: str | None = None
    first: float = 0.0
    calls: int = 1
    peak_bytes: int | None = None
    samples: list[float] = field(default_factory=list)

    def seconds(self) -> Seconds | None:
        """() -> the quartiles of the samples, or None where there are none."""
        if self.status != "measured":
            return None
        return {
            **quartiles(self.samples),
            "rounds": len(self.samples),
            "calls": self.calls,
            "first": self.first,
        }


@dataclass
class History:
    """What is known of one line of measurements, n by n: the last that went well, or why it ended."""

    n: int = 0
    seconds: float = 0.0
    peak_bytes: int | None = None
    ended: str | None = None

    def keep(self, n: int, outcome: Outcome) -> None:
        """Remember what came of size n."""
        if outcome.status == "measured":
            self.n, self.seconds = n, min(outcome.samples)  # the fastest: a busy moment ends no line
            self.peak_bytes = outcome.peak_bytes
        elif outcome.status == "out of memory":
            self.ended = f"out of memory at n = {n}"


def quartiles(samples: ArrayLike) -> Quartiles:
    """(rounds,) -> the median of the samples, and the quartiles below and above it."""
    lower, median, upper = (float(value) for value in np.percentile(np.asarray(samples), [25, 50, 75]))
    return {"median": median, "lower": lower, "upper": upper}


def paired_ratio(over: ArrayLike, under: ArrayLike) -> Quartiles:
    """(rounds,), (rounds,) -> quartiles of the ratios, each of two samples of one round.

    Both samples of a pair met the same machine, busy or not, so that the ratio moves less than either.
    """
    return quartiles(np.asarray(over) / np.asarray(under))


def measure_group(
    runs: Mapping[str, Run], tools: Tools, limits: Limits, n: int, past: Mapping[str, History]
) -> dict[str, Outcome]:
    """{name: run}, what is known of smaller n -> {name: outcome}: all runs measured in turns.

    A run that cannot be had (no memory, no such back end) says why; the others go on. `past` is brought up
    to date.
    """
    outcomes = {name: Outcome() for name in runs}
    for name, run in runs.items():
        why = reason_to_skip(past[name], n, run.power, limits, tools)
        if why:
            outcomes[name] = Outcome("skipped", why)
        else:
            _try(outcomes[name], tools, partial(_warm_up, run, outcomes[name], tools, limits.sample_seconds))
    alternate(runs, outcomes, tools, limits)
    for name, outcome in outcomes.items():
        past[name].keep(n, outcome)
    return outcomes


def reason_to_skip(past: History, n: int, power: int, limits: Limits, tools: Tools) -> str | None:
    """What is known of smaller n -> why size n should not be tried, or None.

    Time is taken to grow with the square of n, memory as the run says.
    """
    if past.ended or not past.n:
        return past.ended
    seconds = past.seconds * (n / past.n) ** 2
    if seconds > limits.seconds_a_call:
        return f"one call would take about {seconds:.1f} s; at most {limits.seconds_a_call:g} s are allowed"
    bounds = [bound for bound in (limits.bytes_a_call, tools.free_bytes()) if bound is not None]
    if past.peak_bytes is None or not bounds:
        return None
    needed = past.peak_bytes * (n / past.n) ** power
    if needed > min(bounds):
        return f"would need about {needed / 2**20:,.0f} MiB; {min(bounds) / 2**20:,.0f} MiB are allowed"
    return None


def alternate(runs: Mapping[str, Run], outcomes: Mapping[str, Outcome], tools: Tools, limits: Limits) -> None:
    """Take a sample of each run in every round, until the limits say stop. Adds them to the outcomes.

    No run always goes first, or always after the same other one: the order turns, and every other round it
    runs backwards.
    """
    names = [name for name in runs if outcomes[name].status == "measured"]
    spent, round_number = 0.0, 0
    while names and round_number < limits.most_rounds:
        if round_number >= limits.least_rounds and spent >= limits.seconds:
            break
        for name in turned(names, round_number):
            outcome = outcomes[name]
            _try(outcome, tools, partial(_sample, runs[name], outcome, tools))
            if outcome.status == "measured":
                spent += outcome.samples[-1] * outcome.calls
        names = [name for name in names if outcomes[name].status == "measured"]
        round_number += 1


def turned(names: list[str], round_number: int) -> list[str]:
    """Names -> the order of one round: it starts one further each time, and every other one is reversed."""
    start = round_number % len(names)
    order = names[start:] + names[:start]
    return order[::-1] if round_number % 2 else order


def _warm_up(run: Run, outcome: Outcome, tools: Tools, sample_seconds: float) -> None:
    """Two or three calls that do not count: the first is kept apart, the second tells the memory."""
    with run.around():
        outcome.first = tools.seconds(run.call, 1)
        outcome.peak_bytes = tools.peak_bytes(run.call)
        if outcome.first < 4 * sample_seconds:  # otherwise one call is long enough, first or not
            warm = tools.seconds(run.call, 1)
            outcome.calls = int(np.clip(np.ceil(sample_seconds / max(warm, 1e-9)), 1, MOST_CALLS))


def _sample(run: Run, outcome: Outcome, tools: Tools) -> None:
    with run.around():
        outcome.samples.append(tools.seconds(run.call, outcome.calls))


def _try(outcome: Outcome, tools: Tools, step: Callable[[], None]) -> None:
    """Take one step; where there is no memory, or the run refuses, the outcome says so."""
    try:
        step()
    except (RuntimeError, MemoryError, NotImplementedError) as error:
        no_memory = isinstance(error, MemoryError) or tools.is_out_of_memory(error)
        outcome.status = "out of memory" if no_memory else "refused"
        outcome.reason, outcome.samples = first_line(error), []
        outcome.peak_bytes = None
    if outcome.status == "out of memory":  # only now does nothing hold the error, and with it the tensors
        tools.clear()


def first_line(error: BaseException) -> str:
    """An error -> the first line of its message, which names no file."""
    lines: Iterable[str] = (line.strip() for line in str(error).splitlines())
    return next((line for line in lines if line), type(error).__name__)

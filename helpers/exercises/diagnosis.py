"""Which wrong version of a function gives exactly these outputs?

An exercise describes its function by its choices (which axis, which scale, which operand …): a recipe with one
keyword for each. A mistake changes some of them. Two mistakes that change different choices make a pair. An
attempt is named after a version only where the two agree on every probe; text is never compared.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np

from helpers.exercises.probes import Probe
from helpers.exercises.sandbox import Outcome, Runner
from helpers.validation import Array

RELATIVE, ABSOLUTE = 1e-5, 1e-6  # wide enough for float32, far below the distance between two mistakes
HALF = 4e-3  # for results in float16


class Mistake:
    """A name, what was done (a clause), the idea it misses, the section to reread, and the changed choices.

    `also` holds other ways to write the same mistake that behave differently on hard inputs, as dictionaries
    of changed choices.
    """

    def __init__(
        self,
        name: str,
        says: str,
        idea: str,
        reread: str,
        also: Sequence[dict[str, Any]] = (),
        **choices: Any,
    ) -> None:
        """`choices` are the recipe's keywords that this mistake changes."""
        self.name, self.says, self.idea, self.reread = name, says, idea, reread
        self.ways: tuple[dict[str, Any], ...] = (choices, *also)

    def __repr__(self) -> str:
        """Its name, for a failing test."""
        return f"Mistake({self.name!r})"


@dataclass(frozen=True)
class Version:
    """A wrong version of the function: one mistake, or two at once."""

    mistakes: tuple[Mistake, ...]
    function: Callable[..., Any] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The mistakes' names."""
        return tuple(mistake.name for mistake in self.mistakes)


def singles(recipe: Callable[..., Any], mistakes: Sequence[Mistake]) -> Iterator[Version]:
    """Every mistake, in every way it is written."""
    for mistake in mistakes:
        for way in mistake.ways:
            yield Version((mistake,), _vary(recipe, way))


def pairs(recipe: Callable[..., Any], mistakes: Sequence[Mistake]) -> Iterator[Version]:
    """Every two mistakes that change different choices."""
    for one, other in combinations(mistakes, 2):
        for way, other_way in product(one.ways, other.ways):
            if not way.keys() & other_way.keys():
                yield Version((one, other), _vary(recipe, {**way, **other_way}))


def _vary(recipe: Callable[..., Any], choices: dict[str, Any]) -> Callable[..., Any]:
    return lambda *inputs: recipe(*inputs, **choices)


def name_versions(
    recipe: Callable[..., Any],
    mistakes: Sequence[Mistake],
    probes: Sequence[Probe],
    outcomes: Sequence[Outcome],
) -> tuple[Version, ...]:
    """The versions that agree with the outcomes on every probe: single mistakes where any does, else pairs."""
    for candidates in (singles(recipe, mistakes), pairs(recipe, mistakes)):
        found: dict[tuple[str, ...], Version] = {}
        for version in candidates:
            if version.names not in found and _agrees_everywhere(version, probes, outcomes):
                found[version.names] = version
        if found:
            return tuple(found.values())
    return ()


def _agrees_everywhere(version: Version, probes: Sequence[Probe], outcomes: Sequence[Outcome]) -> bool:
    return all(
        same_outcome(outcome, plain_outcome(version.function, probe))
        for probe, outcome in zip(probes, outcomes, strict=True)
    )


def plain_outcome(function: Callable[..., Any], probe: Probe) -> Outcome:
    """A function of ours, a probe -> what it gives. No guard is needed, but its errors are outcomes too."""
    inputs = [np.copy(value) if isinstance(value, np.ndarray) else value for value in probe.inputs.values()]
    try:
        with np.errstate(all="ignore"):
            return Outcome(value=np.array(function(*inputs)))
    except Exception as error:
        text = " ".join(str(error).split())
        return Outcome(error=f"{type(error).__name__}: {text}".rstrip(": ")[:300])


def same_outcome(one: Outcome, other: Outcome) -> bool:
    """True where both give the same numbers, or stop with the same error in the same words."""
    if one.value is not None and other.value is not None:
        return agree(one.value, other.value)
    return bool(one.error) and one.error == other.error


def agree(got: Array, expected: Array) -> bool:
    """Same shape and the same numbers, within rounding; NaN agrees with NaN."""
    if got.shape != expected.shape:
        return False
    half = np.float16 in (got.dtype, expected.dtype)
    with np.errstate(all="ignore"):
        return bool(
            np.allclose(
                got.astype(np.float64),
                expected.astype(np.float64),
                rtol=HALF if half else RELATIVE,
                atol=HALF if half else ABSOLUTE,
                equal_nan=True,
            )
        )


def run_all(function: Callable[..., Any], probes: Sequence[Probe]) -> tuple[list[Outcome], bool]:
    """A learner's function, probes -> its outcomes, and whether a second round gave the same.

    The second round goes backwards, so that a function which remembers earlier calls is found.
    """
    run = Runner(function)
    outcomes: list[Outcome] = []
    for probe in probes:
        outcomes.append(run(probe.inputs))
        if outcomes[-1].stopped:
            return outcomes, True
    for probe, outcome in zip(reversed(probes), reversed(outcomes), strict=True):
        again = run(probe.inputs)
        if again.stopped or not _same_twice(outcome, again):
            return outcomes, False
    return outcomes, True


def _same_twice(one: Outcome, other: Outcome) -> bool:
    if one.value is None or other.value is None:
        return (one.value is None) == (other.value is None)
    return one.value.shape == other.value.shape and bool(
        np.array_equal(one.value, other.value, equal_nan=True)
    )

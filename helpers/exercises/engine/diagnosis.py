"""Which wrong version of a function gives exactly these outputs?

An exercise describes its function by its choices (which axis, which scale, which operand …): a recipe with
one keyword for each. A mistake changes some of them. Two mistakes that change different choices make a pair.
An attempt is named after a version only where the two agree on every probe; text is never compared.
"""

import functools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from helpers.exercises.engine import fingerprints
from helpers.exercises.engine.probes import Form, OtherFormError, Probe
from helpers.exercises.engine.sandbox import Outcome, Runner, handed, joined, no_finer
from helpers.validation import Array

RELATIVE, ABSOLUTE = 1e-5, 1e-6  # wide enough for float32, far below the distance between two mistakes
SINGLE = 2e-4  # for results in float32: scores of 1,000 leave it four digits after the point
HALF = 4e-3  # for results in float16
MOST_TRIPLES = 4  # that give the same results: more of them tell nothing
MOST_ALIKE = 2500  # triples like an attempt on the first probe: to run more takes longer than 0.3 s
WAYS_IN_PAIRS = 3  # of each mistake: rarer ways are known on their own only


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
        self.holds = ""  # the name of another, for two mistakes under one name: not told where that one fits

    def __repr__(self) -> str:
        """Its name, for a failing test."""
        return f"Mistake({self.name!r})"


@dataclass(frozen=True, eq=False)
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
    """Every two mistakes that change different choices, in the first ways in which each is written."""
    for one, other in combinations(mistakes, 2):
        for way, other_way in product(one.ways[:WAYS_IN_PAIRS], other.ways[:WAYS_IN_PAIRS]):
            if not way.keys() & other_way.keys():
                yield Version((one, other), _vary(recipe, {**way, **other_way}))


def _vary(recipe: Callable[..., Any], choices: dict[str, Any]) -> Callable[..., Any]:
    return lambda *inputs: recipe(*inputs, **choices)


class Diagnosis:
    """Finds the wrong versions of one function that give certain outcomes.

    Comparing with some thousand versions probe by probe would take a second. So the first probe's results are
    kept, those of one shape in one table, and only versions that agree there are run on the other probes.
    """

    def __init__(
        self, recipe: Callable[..., Any], mistakes: Sequence[Mistake], probes: Sequence[Probe]
    ) -> None:
        """Runs nothing yet."""
        self.recipe, self.mistakes, self.probes = recipe, mistakes, probes
        self._outcomes: dict[tuple[Version, int], Outcome] = {}
        self._distinct: dict[tuple[Any, ...], Outcome] = {}
        self._asked_last: dict[str, tuple[list[int], _Group]] = {}
        self._pairs_are_run = False

    @functools.cached_property
    def singles(self) -> list[Version]:
        """Every mistake."""
        return list(singles(self.recipe, self.mistakes))

    @functools.cached_property
    def pairs(self) -> list[Version]:
        """Every two mistakes."""
        return list(pairs(self.recipe, self.mistakes))

    @functools.cached_property
    def _single_sieve(self) -> "_Sieve":
        return _Sieve(self.singles, self.outcome)

    @functools.cached_property
    def _pair_sieve(self) -> "_Sieve":
        """Made only when no single fits, and no table knows the pairs."""
        self._pairs_are_run = True
        return _Sieve(self.pairs, self.outcome)

    @functools.cached_property
    def triples(self) -> fingerprints.Places:
        """Every three mistakes that change different choices."""
        return fingerprints.places([mistake.ways for mistake in self.mistakes])

    @functools.cached_property
    def table_file(self) -> Path:
        """Where the fingerprints of pairs and triples are kept."""
        shapes = [
            (name, np.shape(value))
            for name, value in self.probes[0].inputs.items()
            if not isinstance(value, list)
        ]
        ways = [mistake.ways for mistake in self.mistakes]
        return fingerprints.file_of(self.recipe, [mistake.name for mistake in self.mistakes], ways, shapes)

    @functools.cached_property
    def table(self) -> fingerprints.Table | None:
        """The fingerprints of pairs and triples, or None where they are not those of today."""
        found = fingerprints.load(self.table_file)
        first = [self.outcome(version, 0) for version in self.singles]
        return found if found and found.fits(first, len(self.pairs), len(self.triples)) else None

    def triple(self, number: int) -> Version | None:
        """The number of a triple -> the version, or None where it has one mistake twice."""
        ways = [self.triples.ways[i] for i in self.triples.triple(number)]
        if len({mistake for mistake, _ in ways}) < len(ways):
            return None
        choices = {key: step for _, way in ways for key, step in way.items()}
        return Version(tuple(self.mistakes[i] for i, _ in ways), _vary(self.recipe, choices))

    def outcome(self, version: Version, place: int) -> Outcome:
        """What a version gives on one probe; computed once, when it is first asked for."""
        found = self._outcomes.get((version, place))
        if found is None:
            found = self._once(plain_outcome(version.function, self.probes[place]))
            self._outcomes[version, place] = found
        return found

    def _once(self, outcome: Outcome) -> Outcome:
        """An outcome -> the same object for all that are the same to the last bit."""
        value = outcome.value
        bits = (
            ()
            if value is None
            else (value.dtype, value.shape, outcome.parts, outcome.joined, value.tobytes())
        )
        return self._distinct.setdefault((outcome.error, outcome.returned, *bits), outcome)

    def outcomes(self, version: Version) -> "Outcomes":
        """What a version gives on each probe, computed where it is looked at."""
        return Outcomes(self, version)

    def name(self, outcomes: Sequence[Outcome], only: Sequence[int] | None = None) -> tuple[Version, ...]:
        """The versions that agree on every probe: single mistakes where any does, else pairs, else triples.

        `only` limits the comparison to some probes; the first must be among them. Triples are looked for
        where they can be told: on all probes, of an attempt.
        """
        places = range(len(self.probes)) if only is None else only
        itself = outcomes.version if isinstance(outcomes, Outcomes) else None
        for versions in self._searches(outcomes, itself is None, only is None):
            group = versions(outcomes[0])
            for place in reversed(places):  # the sieve has seen the first probe; the last ones differ most
                if group.versions and group.versions != [itself]:
                    group = group.agreeing(outcomes[place], place)
            if group.versions:
                found = _no_more_than_needed(group.first_of_each_name())
                return found if len(found) <= MOST_TRIPLES or len(found[0].mistakes) < 3 else ()
        return ()

    def _searches(
        self, outcomes: Sequence[Outcome], of_attempt: bool, everywhere: bool
    ) -> Iterator[Callable[[Outcome], "_Group"]]:
        """Where to look for versions, one after the other: each gives those that agree on the first probe.

        Those found by fingerprint nearly all do. It is not tried first: another probe parts them better.
        """
        yield self._single_sieve.candidates
        if of_attempt and all(outcome.error for outcome in outcomes):
            return  # one line that stops tells one mistake
        table = None if self._pairs_are_run or not of_attempt else self.table
        yield self._pair_sieve.candidates if table is None else self._pairs_like
        if of_attempt and everywhere and self.table is not None and outcomes[0].value is not None:
            yield self._triples_like

    def _pairs_like(self, outcome: Outcome) -> "_Group":
        assert self.table is not None
        near = fingerprints.near(self.table.pairs, outcome, *_tolerance_of(outcome))
        return self._run("pairs", near, lambda number: self.pairs[number])

    def _triples_like(self, outcome: Outcome) -> "_Group":
        assert self.table is not None
        near = fingerprints.near(self.table.triples, outcome, *_tolerance_of(outcome))
        return self._run("triples", near if len(near) <= MOST_ALIKE else [], self.triple)

    def _run(self, kind: str, numbers: list[int], version: Callable[[int], Version | None]) -> "_Group":
        """Numbers of pairs or triples -> these. The last are kept: who tries again asks for them again."""
        known = self._asked_last.get(kind)
        if known is None or known[0] != numbers:
            versions = [found for found in map(version, numbers) if found is not None]
            known = numbers, _Group(versions, lambda v, place: plain_outcome(v.function, self.probes[place]))
            self._asked_last[kind] = known
        return known[1]


def _no_more_than_needed(versions: tuple[Version, ...]) -> tuple[Version, ...]:
    """Versions with the same results -> without those that hold another one, and a further mistake."""
    told = {frozenset(version.names) for version in versions}
    return tuple(
        version
        for version in versions
        if not any(m.holds for m in version.mistakes)
        or frozenset(m.holds or m.name for m in version.mistakes) not in told
    )


def _tolerance_of(outcome: Outcome) -> tuple[float, float]:
    return tolerance() if outcome.value is None else tolerance(outcome.value)


class Outcomes(Sequence[Outcome]):
    """What one version gives on each probe. Of some thousand pairs most are looked at on a single probe."""

    def __init__(self, diagnosis: Diagnosis, version: Version) -> None:
        """Runs nothing yet."""
        self.diagnosis, self.version = diagnosis, version

    def __len__(self) -> int:
        """As many as there are probes."""
        return len(self.diagnosis.probes)

    def __getitem__(self, place: Any) -> Any:
        """The outcome on one probe."""
        return self.diagnosis.outcome(self.version, range(len(self))[place])


class _Group:
    """Versions that agree so far. The next probe parts them, once for all who ask."""

    def __init__(self, versions: Sequence[Version], run: Callable[[Version, int], Outcome]) -> None:
        self.versions, self.run = versions, run
        self._parts: dict[int, dict[int, _Part]] = {}
        self._groups: dict[tuple[int, ...], _Group] = {}

    def agreeing(self, outcome: Outcome, place: int) -> "_Group":
        """What is left of the group where this comes out on a probe."""
        parts = self._parts_on(place)
        own = parts.get(id(outcome))
        if own is None:
            return self._near(outcome, parts)
        if own.group is None:
            own.group = self._near(outcome, parts)
        return own.group

    def _parts_on(self, place: int) -> "dict[int, _Part]":
        if place not in self._parts:
            parts: dict[int, _Part] = {}
            for i, version in enumerate(self.versions):
                outcome = self.run(version, place)
                parts.setdefault(id(outcome), _Part(outcome)).members.append(i)
            self._parts[place] = parts
        return self._parts[place]

    def _near(self, outcome: Outcome, parts: "dict[int, _Part]") -> "_Group":
        """One group for all whose outcomes agree with the same parts: what it has run serves them all."""
        near = [part.members for part in parts.values() if same_outcome(outcome, part.outcome)]
        members = tuple(sorted(i for each in near for i in each))
        if len(members) == len(self.versions):
            return self
        if members not in self._groups:
            self._groups[members] = _Group([self.versions[i] for i in members], self.run)
        return self._groups[members]

    def first_of_each_name(self) -> tuple[Version, ...]:
        """The versions, without further ways to write the same mistakes."""
        found: dict[tuple[str, ...], Version] = {}
        for version in self.versions:
            found.setdefault(version.names, version)
        return tuple(found.values())


@dataclass
class _Part:
    """Versions of a group with the same outcome to the last bit, and all that agree with them."""

    outcome: Outcome
    members: list[int] = field(default_factory=list)
    group: _Group | None = None


class _Sieve:
    """Versions by what they give on the first probe."""

    def __init__(self, versions: Sequence[Version], run: Callable[[Version, int], Outcome]) -> None:
        self.run = run
        self.by_error: dict[str, list[Version]] = {}
        self.groups: dict[int, _Group | None] = {}
        rows: dict[tuple[int, ...], list[tuple[Version, Array]]] = {}
        for version in versions:
            outcome = run(version, 0)
            self.groups[id(outcome)] = None
            if outcome.value is None:
                self.by_error.setdefault(outcome.error, []).append(version)
            elif outcome.value.dtype.kind in "biuf":
                rows.setdefault(outcome.value.shape, []).append((version, outcome.value.ravel()))
        self.by_shape = {
            shape: ([version for version, _ in found], np.array([row for _, row in found], dtype=np.float64))
            for shape, found in rows.items()
        }

    def candidates(self, outcome: Outcome) -> _Group:
        """The versions that agree on the first probe."""
        if id(outcome) not in self.groups:
            return _Group(self._near(outcome), self.run)
        group = self.groups[id(outcome)]
        if group is None:
            group = self.groups[id(outcome)] = _Group(self._near(outcome), self.run)
        return group

    def _near(self, outcome: Outcome) -> list[Version]:
        if outcome.value is None:
            return self.by_error.get(outcome.error, [])
        versions, rows = self.by_shape.get(outcome.value.shape, ([], np.empty((0, outcome.value.size))))
        relative, absolute = tolerance(outcome.value)
        row = outcome.value.ravel().astype(np.float64)
        near = np.arange(len(versions))
        with np.errstate(all="ignore"):
            for part in (slice(0, 1), slice(1, None)):  # most differ in the first number already
                close = np.isclose(row[part], rows[near, part], rtol=relative, atol=absolute, equal_nan=True)
                near = near[close.all(axis=-1)]
        return [versions[i] for i in near]


def plain_outcome(function: Callable[..., Any], probe: Probe) -> Outcome:
    """A function of ours, a probe -> what it gives. No guard is needed, but its errors are outcomes too."""
    inputs = [np.copy(value) if isinstance(value, np.ndarray) else value for value in probe.inputs.values()]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*handed(inputs, probe.form))
            result = probe.form.read(probe.inputs, result) if probe.form.read else result
            return _seen(as_outcome(result, probe.form), probe)
    except OtherFormError as error:
        return Outcome(returned=str(error))
    except Exception as error:
        text = " ".join(str(error).split())
        return Outcome(error=f"{type(error).__name__}: {text}".rstrip(": ")[:300])


def as_outcome(result: Any, form: Form) -> Outcome:
    """What a function of ours returned, in this form -> Outcome."""
    if form.tensors:
        from helpers.exercises.engine.tensors import as_arrays

        result = as_arrays(result)
    if form.parts:
        return joined([np.array(part) for part in result])
    return Outcome(value=np.array(result))


def _seen(outcome: Outcome, probe: Probe) -> Outcome:
    if outcome.value is None:
        return outcome
    value = probe.form.seen(probe.inputs, outcome.value) if probe.form.seen else outcome.value
    value = no_finer(probe.inputs, value)
    return outcome if value is outcome.value else replace(outcome, value=value)


def same_outcome(one: Outcome, other: Outcome) -> bool:
    """True where both give the same numbers, or stop with the same error in the same words.

    Or where both give the same thing that cannot be read.
    """
    if one.value is not None and other.value is not None:
        return same_parts(one, other) and agree(one.value, other.value)
    return bool(one.error or one.returned) and (one.error, one.returned) == (other.error, other.returned)


def same_parts(one: Outcome, other: Outcome) -> bool:
    """True unless several arrays are asked for, and these have other shapes."""
    return one.parts == other.parts if one.joined or other.joined else True


def tolerance(*arrays: Array) -> tuple[float, float]:
    """Relative and absolute distance that count as rounding, for the coarsest dtype."""
    floats = [array.dtype.itemsize for array in arrays if array.dtype.kind == "f"]
    if 2 in floats:
        return HALF, HALF
    return (SINGLE, SINGLE / 10) if 4 in floats else (RELATIVE, ABSOLUTE)


def only_coarser(got: Outcome, expected: Outcome) -> bool:
    """True where a result holds 2 bytes a number, the right one more, and no more than rounding differs."""
    if got.value is None or expected.value is None or got.value.shape != expected.value.shape:
        return False
    if not coarser(got.value, expected.value) or not same_parts(got, expected):
        return False
    right = expected.value.astype(np.float64)
    with np.errstate(all="ignore"):
        near = abs(got.value.astype(np.float64) - right) <= 4 * HALF * (1 + abs(right))
    return bool(near.all())


def coarser(got: Array, expected: Array) -> bool:
    """True where one is in 2 bytes a number, and the other in more."""
    return got.dtype.kind == expected.dtype.kind == "f" and got.dtype.itemsize == 2 < expected.dtype.itemsize


def agree(got: Array, expected: Array) -> bool:
    """Same shape and the same numbers, within rounding; NaN agrees with NaN."""
    if got is expected:
        return True
    if got.shape != expected.shape:
        return False
    if got.dtype.kind == expected.dtype.kind == "b":
        return got.tobytes() == expected.tobytes()
    relative, absolute = tolerance(got, expected)
    for place in (0, -1) if got.size else ():  # arrays that differ mostly do so here
        one, other = float(got.item(place)), float(expected.item(place))
        if (
            math.isfinite(one)
            and math.isfinite(other)
            and abs(one - other) > absolute + relative * abs(other)
        ):
            return False
    with np.errstate(all="ignore"):
        got, expected = got.astype(np.float64), expected.astype(np.float64)
        near = abs(got - expected) <= absolute + relative * abs(expected)
        if near.all():  # NaN and ∞ are rare: look at them only where something is left over
            return bool(np.isfinite(expected).all() or (np.isinf(got) == np.isinf(expected)).all())
        same = near & np.isfinite(expected) | (got == expected) | (np.isnan(got) & np.isnan(expected))
        return bool(same.all())


def run_all(
    function: Callable[..., Any], probes: Sequence[Probe], truths: bool = False
) -> tuple[list[Outcome], bool]:
    """A learner's function, probes -> its outcomes, and whether a second round gave the same.

    The second round goes backwards, so that a function which remembers earlier calls is found. `truths`: True
    and False are asked for.
    """
    run = Runner(function, truths=truths, form=probes[0].form)
    try:
        return _both_rounds(run, probes)
    finally:
        run.end()


def _both_rounds(run: Runner, probes: Sequence[Probe]) -> tuple[list[Outcome], bool]:
    outcomes: list[Outcome] = []
    for probe in probes:
        outcomes.append(run.one_of_many(probe.inputs))
        if outcomes[-1].stopped:
            return outcomes, True
    for probe, outcome in zip(reversed(probes), reversed(outcomes), strict=True):
        again = run.one_of_many(probe.inputs)
        if again.stopped:
            return [*outcomes[:-1], again], True
        if not _same_twice(outcome, again, probes[0].form.tensors):
            return outcomes, False
    return outcomes, True


def _same_twice(one: Outcome, other: Outcome, rounded: bool) -> bool:
    """`rounded`: up to rounding, for torch's products may depend on where in memory the numbers lie."""
    if one.value is None or other.value is None:
        return (one.value is None) == (other.value is None)
    if rounded:
        return same_outcome(one, other)
    return one.value.shape == other.value.shape and bool(
        np.array_equal(one.value, other.value, equal_nan=True)
    )

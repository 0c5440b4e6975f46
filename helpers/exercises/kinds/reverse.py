"""Name that bug: what a wrong function gave is shown, and the learner says which known mistake it was.

Everything comes from the catalogue of another exercise: the mistake that made what is shown, the line-up from
which it is to be picked, and the reply to a wrong pick, for which both mistakes are run on its probes.
"""

import functools
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake, Version, agree, plain_outcome, singles
from helpers.exercises.engine.feedback import Feedback, number, paragraph, section, sentence, side_by_side
from helpers.exercises.engine.probes import Probe
from helpers.exercises.engine.sandbox import Inputs, Outcome, taken_apart
from helpers.exercises.kinds.base import Exercise
from helpers.exercises.kinds.cases import input_rows, shape_or_value, simplest_first
from helpers.exercises.kinds.values import describe
from helpers.exercises.kinds.write import Write
from helpers.validation import Array

LETTERS = "abcdef"
MOST_WHOLE = 100  # numbers of an input that a reply prints whole
ONE_OF = {"queries": "query", "keys": "key"}  # what a row of these is called
Call = Callable[..., Any]
Apart = tuple[Probe, Outcome, Outcome]  # an input, what the function that was shown gives, what another gives


@dataclass(frozen=True, kw_only=True)
class Reverse(Exercise):
    """One letter, or the name of a mistake.

    `of` is the exercise whose mistakes these are, `made` the one that is shown, `others` the rest of the
    line-up. `shows` tries a version of the function and returns what is shown of it; `places` names, for each
    axis of that, the axis and its entries, as in ("row", tokens).
    """

    kind: ClassVar[str] = "name that bug"
    of: Write
    made: str
    others: tuple[str, ...]
    shows: Callable[[Call], Array]
    places: tuple[tuple[str, tuple[str, ...]], ...]

    @functools.cached_property
    def options(self) -> dict[str, Mistake]:
        """Letter -> mistake, in the order of a checksum: no author chooses where the right one stands."""
        names = (self.made, *self.others)
        order = sorted(names, key=lambda name: zlib.crc32(f"{name}, {self.name}".encode()))
        known = {mistake.name: mistake for mistake in self.of.mistakes}
        return {letter: known[name] for letter, name in zip(LETTERS, order, strict=False)}

    @property
    def answer(self) -> str:
        """The letter of the mistake that is shown."""
        return next(letter for letter, mistake in self.options.items() if mistake.name == self.made)

    @property
    def evidence(self) -> Array:
        """What is shown."""
        return self.seen_of(self.version(self.made))

    @property
    def line_up(self) -> str:
        """The letters, each with a mistake's name and what its author did."""
        lines = (f"({letter}) {m.name}: {sentence(m.says)}" for letter, m in self.options.items())
        return "\n".join(paragraph(line, indent="") for line in lines)

    def versions(self, name: str) -> Iterator[Version]:
        """A mistake's name -> the wrong function, in each of the ways in which it is written."""
        yield from singles(self.of.recipe, [m for m in self.of.mistakes if m.name == name])

    def version(self, name: str) -> Version:
        """A mistake's name -> the wrong function, as it is mostly written."""
        return next(self.versions(name))

    def seen_of(self, version: Version) -> Array:
        """A version of the function -> what would be shown of it. Raises ValueError where it stops."""

        def call(*inputs: Any) -> Any:
            probe = Probe(
                "shown", dict(zip(self.of.probes[0].inputs, inputs, strict=True)), form=self.of.form
            )
            outcome = plain_outcome(version.function, probe)
            if outcome.value is None:
                raise ValueError(f"{version.names[0]} gives no numbers: {outcome.error or outcome.returned}")
            return taken_apart(outcome) if outcome.joined else outcome.value

        return np.asarray(self.shows(call), dtype=np.float64)

    def evaluate(self, attempt: object) -> Feedback:
        """The learner's letter -> Feedback."""
        if attempt is None or attempt is Ellipsis or (isinstance(attempt, str) and not attempt):
            return self._not_attempted()
        picked = attempt.strip().strip("().*").lower() if isinstance(attempt, str) else ""
        by_name = {mistake.name: letter for letter, mistake in self.options.items()}
        letter = by_name.get(picked, picked)
        if letter not in self.options:
            letters = ", ".join(f'"{option}"' for option in self.options)
            return self._wrong(f"the answer should be one letter, {letters}; this is {describe(attempt)}.")
        mistake = self.options[letter]
        if letter == self.answer:
            return Feedback("right", f"✓ {self.name}: {letter}, {mistake.name}.\n{self._reason()}")
        with self.of.dice_as_they_were():
            blocks = [paragraph(self._would_show(letter)), *self._what_tells_them_apart(letter)]
        blocks.append(paragraph(f"Worth rereading: {section(self.reread).strip('().')}."))
        return self._wrong(f"not {letter}, {mistake.name}.", *blocks, named=((mistake.name,),))

    def solution(self) -> str:
        """The right letter, its mistake, and the idea that it misses."""
        return f"{self.answer}, {self.made}\n{self._reason(indent='')}"

    def _reason(self, indent: str = "  ") -> str:
        mistake = self.options[self.answer]
        return paragraph(f"{mistake.idea} {section(mistake.reread)}", indent)

    def _would_show(self, letter: str) -> str:
        """The place where what is shown differs most from what another mistake would show, in a sentence."""
        shown, other = self.evidence, self.seen_of(self.version(self.options[letter].name))
        if other.shape != shown.shape:
            return f"({letter}) would show numbers of shape {other.shape}; here the shape is {shown.shape}."
        gap = np.nan_to_num(abs(other - shown), nan=np.inf)
        place = np.unravel_index(int(gap.argmax()), gap.shape)
        told = [(axis, names[entry]) for (axis, names), entry in zip(self.places, place, strict=True)]
        table = [axis for axis, _ in told] == ["row", "column"]
        where = " and ".join(f"the {axis} of {name}" if table else f"{axis} {name}" for axis, name in told)
        where = f"in {where}" if table else f"at {where}"
        digits = 0 if (shown == np.round(shown)).all() else 2
        theirs, here = number(other[place], digits), number(shown[place], digits)
        return f"({letter}) would show {theirs} {where}; here you see {here}."

    def _what_tells_them_apart(self, letter: str) -> Iterator[str]:
        """The smallest input of the other exercise on which the two give different results, with both."""
        found = self.apart(self.options[letter].name)
        if found is None:
            return
        probe, mine, other = found
        sizes = ", ".join(
            f"{name} {shape_or_value(value)}" for name, value in probe.inputs.items() if not callable(value)
        )
        lead = f"An input that tells the two apart: {probe.kind}, {sizes}."
        if not _of_one_form(mine, other):
            yield paragraph(
                f"{lead} The bug that is shown gives {_in_words(mine)}, ({letter}) {_in_words(other)}."
            )
            return
        (got, theirs), axes = _parts_that_differ(mine, other), self.of.axes
        row = tuple(int(i) for i in np.argwhere(~np.isclose(got, theirs, equal_nan=True))[0])[:-1]
        where = f" For {axes[0]} {row[-1]}:" if len(axes) > 1 and row else ""
        inputs = {} if mine.joined else probe.inputs
        rows = input_rows(inputs, (*row, 0), got.shape, axes, self.of.beside) if len(axes) > 1 else []
        yield paragraph(f"{lead}{where}")
        labels = ("the bug shown", f"({letter})")
        yield side_by_side([*rows, (labels[0], got[row]), (labels[1], theirs[row])], labels).text
        yield from map(paragraph, _whole(probe.inputs, {name for name, _ in rows}))

    def apart(self, name: str) -> Apart | None:
        """A mistake -> the smallest input on which it and the one that is shown give different results."""
        function, shown = self.version(name).function, self.version(self.made).function
        found = []
        for probe in self.of.probes:
            mine, other = plain_outcome(shown, probe), plain_outcome(function, probe)
            if not _alike(mine, other):
                found.append((probe, mine, other))
        alike = [each for each in found if _of_one_form(*each[1:])]
        return min(alike or found, key=lambda each: simplest_first(each[0]), default=None)


def _of_one_form(one: Outcome, other: Outcome) -> bool:
    """True where both are numbers, in arrays of the same shapes."""
    if one.value is None or other.value is None or one.value.shape != other.value.shape:
        return False
    return one.parts == other.parts if one.joined else True


def _alike(one: Outcome, other: Outcome) -> bool:
    if one.value is None or other.value is None:
        return (one.value is None) == (other.value is None)
    return agree(one.value, other.value)


def _parts_that_differ(one: Outcome, other: Outcome) -> tuple[Array, Array]:
    """Two results of one shape -> the first of their arrays that are not the same."""
    if not one.joined or not other.joined:
        assert one.value is not None
        assert other.value is not None
        return np.atleast_1d(one.value), np.atleast_1d(other.value)
    pairs = zip(taken_apart(one), taken_apart(other), strict=True)
    return next((mine, theirs) for mine, theirs in pairs if not agree(mine, theirs))


def _whole(inputs: Inputs, shown: set[str]) -> Iterator[str]:
    """Inputs, the labels of the rows that are shown -> the tables among them, each in brackets, to be copied.

    None of them where they are large. Numbers are rounded to what a reader types.
    """
    tables = {name: value for name, value in inputs.items() if isinstance(value, np.ndarray)}
    if sum(table.size for table in tables.values()) > MOST_WHOLE:
        return
    whole = []
    for name, table in tables.items():
        last = f"{ONE_OF.get(name, name)} {len(table) - 1}"  # then each row stands there, from 0 on
        if name not in shown and not ({last, last[:-1] + "0"} <= shown and table.ndim == 2):
            whole.append(f"{name} = {_typed(table).tolist()}")
    if whole:
        lead = "The whole input:" if len(whole) == len(tables) else "In full:"
        yield from (f"{lead} {whole[0]}", *whole[1:])


def _typed(table: Array) -> Array:
    if table.dtype.kind != "f":
        return table
    rounded = np.round(table.astype(np.float64), 2)
    whole = np.isfinite(rounded).all() and (rounded == np.round(rounded)).all()
    return rounded.astype(int) if whole else rounded


def _in_words(outcome: Outcome) -> str:
    if outcome.value is None:
        return f"an error, {outcome.error}" if outcome.error else f"what {outcome.returned}"
    return f"an array of shape {outcome.value.shape}"

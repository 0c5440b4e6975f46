"""Which two or three mistakes at once? A look into a table that was made when the course was built.

To run ten thousand pairs, and far more triples, takes longer than a learner should wait. So each of them was
run once, on the first probe, and one number was kept of its result, its fingerprint. Here an attempt's
fingerprint is looked up; the few versions that have the same are run, and must then agree on every probe.

`python tools/fingerprints.py` makes the tables; a test holds them to the code. A table whose single mistakes
are not those of today is not used: pairs are then run one by one, as they are without one.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from helpers.exercises.engine.sandbox import Outcome
from helpers.validation import Array

FOLDER = Path(__file__).resolve().parents[1] / "fingerprints"
MOST_TRIPLES = 450_000  # in a table: where three ways of each mistake make more, there are two or one
MOST = 1e4  # results beyond it count as this: float16 ends at 65,504
NOT_A_NUMBER = 7.0
COARSE = 1e-3  # of the fingerprint: what float16 rounds away, twice
Way = dict[str, Any]
Ways = Sequence[Sequence[Way]]  # of each mistake


def fingerprint(outcome: Outcome) -> float:
    """An outcome -> one number for all of its numbers, NaN where there are none."""
    if outcome.value is None or outcome.value.dtype.kind not in "biuf":
        return float("nan")
    return float(_weights(outcome.value.size) @ _plain(outcome.value))


def reach(outcome: Outcome, relative: float, absolute: float) -> float:
    """An outcome, what counts as rounding -> how far the fingerprint of an equal one may be from its own."""
    assert outcome.value is not None
    return float(_weights(outcome.value.size) @ (absolute + relative * abs(_plain(outcome.value))))


def _plain(value: Array) -> Array:
    row = value.ravel().astype(np.float64)
    return np.clip(np.nan_to_num(row, nan=NOT_A_NUMBER, posinf=MOST, neginf=-MOST), -MOST, MOST)


def _weights(size: int) -> Array:
    """Known, irregular, none of them 0, and 1 together."""
    places = np.arange(1, size + 1, dtype=np.float64)
    weights = 0.5 + places**2 * 0.6180339887498949 % 1
    return weights / weights.sum() if size else weights


@dataclass(frozen=True)
class Places:
    """All ways of all mistakes, by the choices that each changes: which of them make a triple, by number."""

    ways: list[tuple[int, Way]]  # the number of the mistake, and the changed choices
    groups: list[list[int]]  # the ways that change the same choices
    blocks: list[tuple[int, int, int]]  # three groups without a choice in common

    @classmethod
    def of(cls, ways: Ways, most: int) -> "Places":
        """The ways of each mistake, how many of them count -> their triples."""
        known = [(number, way) for number, all_of_it in enumerate(ways) for way in all_of_it[:most]]
        groups: dict[frozenset[str], list[int]] = {}
        for place, (_, way) in enumerate(known):
            groups.setdefault(frozenset(way), []).append(place)
        apart = [
            (a, b, c)
            for (a, one), (b, two), (c, three) in combinations(enumerate(groups), 3)
            if not (one & two or one & three or two & three)
        ]
        return cls(known, list(groups.values()), apart)

    @cached_property
    def sizes(self) -> list[tuple[int, ...]]:
        """How many ways the three groups of each block have."""
        return [tuple(len(self.groups[group]) for group in block) for block in self.blocks]

    @cached_property
    def ends(self) -> Array:
        """Where each block ends in the table."""
        return np.cumsum([int(np.prod(size)) for size in self.sizes], dtype=np.int64)

    def __len__(self) -> int:
        """As many as there are triples. Those in which one mistake stands twice count too."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def triple(self, number: int) -> tuple[int, ...]:
        """The number of a triple -> its three ways by number, in the order of their mistakes."""
        block = int(np.searchsorted(self.ends, number, side="right"))
        within = number - (int(self.ends[block - 1]) if block else 0)
        at = np.unravel_index(within, self.sizes[block])
        return tuple(sorted(self.groups[g][int(i)] for g, i in zip(self.blocks[block], at, strict=True)))


def places(ways: Ways) -> Places:
    """The ways of each mistake -> their triples, with as many ways of each as the table has room for."""
    found = (Places.of(ways, most) for most in (3, 2, 1))
    return next((each for each in found if len(each) <= MOST_TRIPLES), Places.of(ways, 1))


@dataclass(frozen=True)
class Table:
    """The fingerprints of the single mistakes, of the pairs, in their order, and of the triples."""

    singles: Array
    pairs: Array
    triples: Array

    def fits(self, singles: Sequence[Outcome], pairs: int, triples: int) -> bool:
        """True where the single mistakes give today what they gave when the table was made."""
        now = np.array([fingerprint(outcome) for outcome in singles])
        if (len(now), pairs, triples) != (len(self.singles), len(self.pairs), len(self.triples)):
            return False
        return bool(np.isclose(now, self.singles, rtol=COARSE, atol=COARSE, equal_nan=True).all())


def near(kept: Array, outcome: Outcome, relative: float, absolute: float) -> list[int]:
    """Fingerprints, an outcome -> the numbers of all that may have the same results."""
    asked = fingerprint(outcome)
    with np.errstate(invalid="ignore"):
        if np.isnan(asked):
            return [int(i) for i in np.flatnonzero(np.isnan(kept))]
        far = reach(outcome, relative, absolute) + COARSE * abs(asked) + 1e-6
        return [int(i) for i in np.flatnonzero(abs(kept.astype(np.float64) - asked) <= far)]


def file_of(recipe: Callable[..., Any], names: Sequence[str], ways: Ways, shapes: Sequence[Any]) -> Path:
    """What a table is about -> its file: another one as soon as there is another mistake, way or shape."""
    about = repr([names, [[sorted(way) for way in each] for each in ways], shapes])
    return FOLDER / f"{recipe.__module__.rpartition('.')[2]}_{zlib.crc32(about.encode()):08x}.npz"


def load(path: Path) -> Table | None:
    """A file -> its table, or None where there is none."""
    if not path.exists():
        return None
    with np.load(path) as kept:
        return Table(kept["singles"], kept["pairs"], kept["triples"])


def save(path: Path, table: Table) -> None:
    """A table -> its file."""
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        path,
        singles=table.singles.astype(np.float32),
        pairs=table.pairs.astype(np.float32),
        triples=table.triples.astype(np.float16),
    )

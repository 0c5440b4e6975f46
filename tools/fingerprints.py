"""Makes the tables by which the check finds two or three mistakes at once: `python tools/fingerprints.py`.

With names, `python tools/fingerprints.py softmax`, only the tables of these exercises are made again. One
minute for all. Tables of versions that are no more are deleted.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence

import numpy as np

from helpers.exercises.catalogue import exercises
from helpers.exercises.engine import fingerprints
from helpers.exercises.engine.diagnosis import Diagnosis, Version, plain_outcome
from helpers.exercises.kinds import Write
from helpers.validation import Array


def diagnoses() -> dict[str, Write]:
    """() -> the exercises whose mistakes make pairs, by name; of those that share them, the first."""
    found: dict[Diagnosis, str] = {}
    for name, exercise in exercises().items():
        if isinstance(exercise, Write) and exercise.diagnosis.pairs:
            found.setdefault(exercise.diagnosis, name)
    written = {name: exercises()[name] for name in found.values()}
    return {name: exercise for name, exercise in written.items() if isinstance(exercise, Write)}


def of_versions(diagnosis: Diagnosis, versions: Iterable[Version | None]) -> Array:
    """Versions -> their fingerprints on the first probe, NaN where there is none."""
    probe = diagnosis.probes[0]
    return np.array(
        [
            np.nan if version is None else fingerprints.fingerprint(plain_outcome(version.function, probe))
            for version in versions
        ]
    )


def table_of(exercise: Write, every: int = 1) -> fingerprints.Table:
    """An exercise -> its table. `every`: of the triples only each n-th, for a test; the others are NaN."""
    diagnosis = exercise.diagnosis
    triples = np.full(len(diagnosis.triples), np.nan)
    numbers = range(0, len(triples), every)
    with exercise.dice_as_they_were():
        triples[::every] = of_versions(diagnosis, (diagnosis.triple(number) for number in numbers))
        singles, pairs = (of_versions(diagnosis, each) for each in (diagnosis.singles, diagnosis.pairs))
    return fingerprints.Table(singles, pairs, triples)


def main(names: Sequence[str] | None = None) -> int:
    """Write the tables; 1 where a name is unknown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="exercises; without any, all of them (a minute)")
    asked = parser.parse_args(names).names
    known = diagnoses()
    by_any_name = {
        name: next(k for k, each in known.items() if each.diagnosis is exercise.diagnosis)
        for name, exercise in exercises().items()
        if isinstance(exercise, Write) and exercise.diagnosis.pairs
    }
    if unknown := sorted(set(asked) - by_any_name.keys()):
        parser.error(f"no exercise with pairs of mistakes is called {', '.join(unknown)}")
    for name in dict.fromkeys(by_any_name[each] for each in asked or by_any_name):
        fingerprints.save(known[name].diagnosis.table_file, table_of(known[name]))
    files = {exercise.diagnosis.table_file for exercise in known.values()}
    for path in set(fingerprints.FOLDER.glob("*.npz")) - files:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Does a verdict hang on the processor? `python tools/processors.py`, with --pairs for every pair too.

Another processor adds the same numbers up in another order, and so changes their last digits. Here child
processes run every version of every exercise on every probe: with the kernels that OpenBLAS has for other
processors, without the instructions that NumPy chooses at run time, with one thread and with two. No number
may move by more than a hundredth of its tolerance, and nothing else may move at all: no True, no whole
number, no shape, no error. Then the same table of mistakes is right everywhere.

    python tools/processors.py --under oldest python -m pytest tests/exercises

runs a command as on the oldest of these processors.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from helpers.exercises.catalogue import lessons
from helpers.exercises.engine.diagnosis import Diagnosis, Version, plain_outcome, tolerance
from helpers.exercises.engine.sandbox import Outcome
from helpers.exercises.kinds import Write
from helpers.validation import Array

ROOT = Path(__file__).resolve().parents[1]
MOST = 0.01  # of a tolerance
Names = tuple[str, ...]

# OpenBLAS's kernels, each with the instructions that it needs, as NumPy of today and of before names them.
KERNELS = {
    "Haswell": {"X86_V3", "AVX2"},
    "SkylakeX": {"X86_V4", "AVX512_SKX"},
    "Prescott": {"X86_V2", "SSE3"},
}
# Torch has its own three libraries for this, each with a variable of its own.
OLD_TORCH = {
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
}
HALVES = "the weights that the second rounding meets are exact halves, or not, by the last digit"
TWICE = "weights that are never divided are used twice, in float32: a sum moves by 0.02 of its tolerance"
# Two mistakes whose results do hang on the last digits.
EXCEPTIONS: dict[tuple[str, frozenset[str]], str] = {
    (exercise, frozenset({"rounded", "weights-rounded"})): HALVES
    for exercise in ("one-query", "attention", "causal-bug")
} | {("multi-head", frozenset({"not-divided", "weights-twice"})): TWICE}


# --- the processors that this machine can be


def settings() -> dict[str, dict[str, str]]:
    """The variables that make this machine another one, by name; the first changes nothing."""
    found: dict[str, dict[str, str]] = {"native": {}}
    if not skipped("Prescott"):
        found |= {name: {"OPENBLAS_CORETYPE": name} for name in KERNELS if not skipped(name)}
        found["plain"] = {"NPY_DISABLE_CPU_FEATURES": " ".join(_instructions("found"))}
        found["oldest"] = {**found["Prescott"], **found["plain"], **OLD_TORCH}
    return found


def skipped(kernels: str) -> str:
    """Why these kernels cannot run here, or an empty text."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return f"{kernels}: this processor is no x86 ({platform.machine()})"
    here = {*_instructions("baseline"), *_instructions("found")}
    return "" if here & KERNELS[kernels] else f"{kernels}: this processor lacks {min(KERNELS[kernels])}"


def _instructions(group: str) -> list[str]:
    shown: dict[str, dict[str, list[str]]] = np.show_config(mode="dicts")  # type: ignore[assignment]
    return list(shown["SIMD Extensions"].get(group, []))


def environment(name: str, threads: int | None = None) -> dict[str, str]:
    """A name out of `settings` -> the variables of a child process."""
    changed = settings().get(name, {})
    if threads:
        changed = {**changed, **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))}
    return {**os.environ, **changed}


# --- what every version gives


@dataclass(frozen=True)
class Record:
    """What the versions of one exercise gave, one after another: in words, and all numbers in one row."""

    words: Array  # dtype and shape, or the error
    sizes: Array  # how many numbers each has
    tolerances: Array  # (outcomes, 2): relative and absolute; 0 for True, False and whole numbers
    numbers: Array


def distinct() -> Iterator[Write]:
    """Every exercise that asks for a function, once where two share their mistakes."""
    seen: set[Diagnosis] = set()
    for exercises in lessons().values():
        for exercise in exercises:
            if isinstance(exercise, Write) and exercise.diagnosis not in seen:
                seen.add(exercise.diagnosis)
                yield exercise


def versions(exercise: Write, every: int) -> list[Version]:
    """The right function, each single mistake, and every so many-th pair; none of them where `every` is 0."""
    pairs = exercise.diagnosis.pairs[::every] if every else []
    return [Version((), exercise.right), *exercise.diagnosis.singles, *pairs]


def record(exercise: Write, every: int) -> Record:
    """Run the versions of an exercise on each of its probes."""
    with exercise.dice_as_they_were():
        return as_record(
            [
                plain_outcome(version.function, probe)
                for version in versions(exercise, every)
                for probe in exercise.probes
            ]
        )


def as_record(outcomes: Sequence[Outcome]) -> Record:
    """Outcomes -> the same in four arrays."""
    values = [np.empty(0) if outcome.value is None else outcome.value for outcome in outcomes]
    return Record(
        words=np.array([_words(outcome) for outcome in outcomes], dtype=object),
        sizes=np.array([value.size for value in values]),
        tolerances=np.array([tolerance(v) if v.dtype.kind == "f" else (0, 0) for v in values], dtype=float),
        numbers=np.concatenate([value.ravel().astype(float) for value in values]),
    )


def _words(outcome: Outcome) -> str:
    if outcome.value is None:
        return outcome.error or outcome.returned
    return f"{outcome.value.dtype} {outcome.value.shape} {outcome.parts}"


def moves(one: Record, other: Record) -> Array:
    """Two records -> for each outcome, by how many tolerances it moved; ∞ where anything else moved."""
    same = one.words == other.words
    moved = np.where(same, 0.0, np.inf)
    first, second = (each.numbers[np.repeat(same, each.sizes)] for each in (one, other))
    owner = np.repeat(np.flatnonzero(same), one.sizes[same])
    relative, absolute = one.tolerances[owner].T
    with np.errstate(all="ignore"):
        steps = abs(first - second) / (absolute + relative * abs(second))
    steps[~np.isfinite(steps)] = np.inf
    steps[(first == second) | (np.isnan(first) & np.isnan(second))] = 0
    np.maximum.at(moved, owner, steps)
    return moved


# --- child processes


def write(folder: Path, every: int) -> None:
    """Put the record of each exercise into a folder: what a child process does."""
    for exercise in distinct():
        found = record(exercise, every)
        words, which = np.unique(found.words.astype(str), return_inverse=True)
        np.savez(
            folder / exercise.name,
            words=words,
            which=which,
            sizes=found.sizes,
            tolerances=found.tolerances,
            numbers=found.numbers,
        )


def read(folder: Path, exercise: Write) -> Record:
    """What `write` put into a folder."""
    with np.load(folder / f"{exercise.name}.npz") as found:
        words = found["words"].astype(object)[found["which"]]
        return Record(words, found["sizes"], found["tolerances"], found["numbers"])


def run_under(name: str, threads: int, folder: Path, every: int) -> None:
    """Let a child process write its records."""
    folder.mkdir()
    variables = environment(name, threads) | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, __file__, "--write", str(folder), "--every", str(every)]
    done = subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}, {threads} threads: {done.stderr[-2000:]}")


@dataclass(frozen=True)
class Move:
    """An outcome that two processors disagree about."""

    exercise: str
    names: Names
    probe: str
    steps: float  # in tolerances

    def __str__(self) -> str:
        """One line."""
        what = " + ".join(self.names) or "right"
        return f"{self.exercise}: {what}; {self.probe}: moved by {self.steps:.3g} tolerances"

    @property
    def excused(self) -> bool:
        """True where it is one of the exceptions."""
        return (self.exercise, frozenset(self.names)) in EXCEPTIONS


def differences(one: Path, other: Path, every: int) -> Iterator[Move]:
    """The folders of two children -> every outcome that moved by more than may be."""
    for exercise in distinct():
        moved = moves(read(one, exercise), read(other, exercise))
        places = len(exercise.probes)
        tried = versions(exercise, every)
        for i in np.flatnonzero(moved > MOST):
            version, probe = tried[i // places], exercise.probes[i % places]
            yield Move(exercise.name, version.names, probe.kind, float(moved[i]))


def every_run() -> list[tuple[str, int]]:
    """() -> each setting with one thread and with two, but for the one that all are compared with."""
    return [(name, threads) for name in settings() for threads in (1, 2)][1:]


def runs_by_turns() -> list[tuple[str, int]]:
    """() -> each setting once: this machine with two threads, the others with one and with two by turns.

    Half of `every_run`, for the test suite. OpenBLAS takes a second thread for products that are larger than
    those of nearly all probes.
    """
    return [(name, 2 - place % 2) for place, name in enumerate(settings())]


def compare(every: int, runs: Sequence[tuple[str, int]]) -> Iterator[tuple[str, list[Move]]]:
    """Settings with their threads -> each in words, and what it moves, the excused among them."""
    with tempfile.TemporaryDirectory() as folder:
        reference = Path(folder, "reference")
        run_under("native", 1, reference, every)
        for name, threads in runs:
            place = Path(folder, f"{name}-{threads}")
            run_under(name, threads, place, every)
            yield f"{name}, {threads} threads", list(differences(reference, place, every))
            for file in place.iterdir():
                file.unlink()


def main() -> int:
    """Compare, or do what a child does, or run a command; 1 where something moved."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", action="store_true", help="every two mistakes too (a minute a setting)")
    parser.add_argument("--every", type=int, default=0, help="every so many-th pair")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--under", metavar="PROCESSOR", help="run a command as on this processor")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command, with --under")
    arguments = parser.parse_args()
    every = 1 if arguments.pairs else arguments.every
    if arguments.under:
        return subprocess.run(arguments.command, env=environment(arguments.under), check=False).returncode
    if arguments.write:
        write(arguments.write, every)
        return 0
    bad = 0
    for why in filter(None, map(skipped, KERNELS)):
        print(f"skipped: {why}")
    for setting, found in compare(every, every_run()):
        wrong = [move for move in found if not move.excused]
        print(f"{setting}: {len(wrong)} outcomes moved, {len(found) - len(wrong)} excused", flush=True)
        for move in wrong[:40]:
            print(f"    {move}")
        bad += len(wrong)
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())

"""How long does a check take? `python tools/check_times.py`, or of some lessons: `… 03 07`.

Learners' answers (tests/exercises) are checked in child processes: each is the first check of a kernel that
holds NumPy, Matplotlib and the checker, as a notebook's does after its first cell, and what the answers of
that lesson import. So the first check pays for loading the exercise, its mistakes and what tells them; the
same answer again is a later one.
In seconds of processor time, the least of three children: other programs can only add to it.
What PyTorch loads at its first call of a kind is part of it: 0.3 s where nn.MultiheadAttention gets a mask.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in ("tools", "tests/exercises", "tests", ".")]
WANTED = 0.3  # seconds, for the first check too
SLOWEST = 3  # are printed of each lesson
REPEATS = 3  # children for each answer
Times = tuple[float, float, str]


def timed(answer: Any) -> tuple[float, float]:
    """An answer of learners.py -> seconds of its check as the first of this process, and once more."""
    from helpers.exercises import evaluate

    seconds = []
    for _ in range(2):
        value = answer.value()
        start = time.process_time()
        evaluate(answer.name, value)
        seconds.append(time.process_time() - start)
    return seconds[0], seconds[1]


def of_lesson(lesson: str, each: int) -> list[Times]:
    """A lesson's number, answers of each exercise to try -> their times. Runs in a process of its own."""
    for of_any_notebook in ("ipykernel", "matplotlib.pyplot", "helpers.exercises"):
        import_module(of_any_notebook)
    learners = import_module("learners")
    known: dict[str, list[Any]] = {}
    for answer in learners.answers(lesson):
        known.setdefault(answer.name, []).append(answer)
    chance = random.Random(lesson)
    found = []
    for answers in known.values():
        for answer in chance.sample(answers, min(each, len(answers))):
            learners.loaded(answer.path)  # what it imports is the notebook's
            runs = []
            for _ in range(REPEATS):
                with get_context("fork").Pool(1) as child:
                    runs.append(child.apply(timed, (answer,)))
            found.append((min(first for first, _ in runs), min(later for _, later in runs), str(answer)))
    return found


def report(lesson: str, times: list[Times]) -> None:
    """Prints a lesson's medians and largest, and its slowest first checks."""
    first, later = [row[0] for row in times], [row[1] for row in times]
    over = sum(seconds > WANTED for seconds in first + later)
    print(
        f"{lesson}: {len(times):3} answers; first check: median {statistics.median(first):.3f} s, "
        f"largest {max(first):.3f} s; later: {statistics.median(later):.3f} s, {max(later):.3f} s; "
        f"over {WANTED} s: {over}"
    )
    for seconds, again, name in sorted(times, reverse=True)[:SLOWEST]:
        print(f"      {seconds:.3f} s, then {again:.3f} s  {name}")


def main() -> None:
    """Times the lessons that are asked for, one process after the other."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("lessons", nargs="*", help="such as 03; all, if none is named")
    parser.add_argument("--each", type=int, default=4, help="answers of each exercise (4)")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if sys.platform == "win32":
        sys.exit("A child that starts as a copy of its parent is needed, which Windows has not.")
    if asked.inside:
        report(asked.lessons[0], of_lesson(asked.lessons[0], asked.each))
        return
    if asked.each < 1:
        sys.exit(f"--each must be at least 1; got {asked.each}")
    every = sorted(folder.name[-2:] for folder in (ROOT / "tests" / "exercises").glob("lesson_??"))
    unknown = set(asked.lessons) - set(every)
    if unknown:
        sys.exit(f"There is no lesson {', '.join(sorted(unknown))}: these have answers: {', '.join(every)}.")
    alone = {"COURSE_PROGRESS": "off", "OMP_NUM_THREADS": "1"}
    for lesson in asked.lessons or every:
        command = [sys.executable, __file__, lesson, "--inside", "--each", str(asked.each)]
        subprocess.run(command, check=True, cwd=ROOT, env=os.environ | alone)


if __name__ == "__main__":
    main()

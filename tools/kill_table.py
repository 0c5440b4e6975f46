"""Which mistakes does the check name? Writes docs/kill_table.md: `python tools/kill_table.py` (or --check).

With names, `python tools/kill_table.py softmax`, only the rows of these exercises are counted again, and of
those that share their mistakes.

Every wrong version of every exercise, each mistake and each pair, is handed to the check as a learner's
answer. `named`: exactly that mistake or pair. `named with others`: several that give the same results on
every probe, this one among them. `told as part`: a pair in which one mistake hides the other, named as the
one that shows. `named as another`: it behaves like a mistake that is no part of it. `rejected only`: no name.
`missed`: accepted as right.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from helpers.exercises.catalogue import exercises, lessons
from helpers.exercises.engine.diagnosis import Diagnosis, plain_outcome
from helpers.exercises.kinds import Choose, Exercise, Open, Predict, Reverse, Table, Write

TABLE = Path(__file__).resolve().parents[1] / "docs" / "kill_table.md"
Counts = tuple[Counter[str], Counter[str], list[str]]
VERDICTS = (
    "named",
    "named with others",
    "told as part",
    "named as another",
    "rejected only",
    "missed",
)
HEAD = """# Kill table

Written by `python tools/kill_table.py`; a test fails where it is out of date, or where a mistake is missed.

Each *known* wrong version of each exercise was handed to the check as a learner's answer. So the counts say
that nothing on the list is missed. They do not say how long the list should be: for that, see below.

- **named**: the check names exactly this mistake, or exactly these two.
- **named with others**: several versions give the same results on every probe; the check names them together.
- **told as part**: in a pair one mistake hides the other (an early error, say): the pair behaves exactly
  like that one, and is named so. When it is fixed, the other one shows.
- **named as another**: the pair behaves exactly like a mistake that is no part of it, and is named so.
- **rejected only**: found to be wrong, and not named.
- **missed**: accepted as right.

A pair whose two mistakes cancel, so that its results are right on every probe, is no mistake and not counted.

## Answers that the authors of this list had not seen

What counts for a learner is the first reply to a mistake that nobody has listed. In seven blind trials,
authors who had not seen the list wrote answers as learners might:

| lessons | wrong answers | true name, step or hint at once | accepted though wrong | told something false |
|---|---|---|---|---|
| 01 to 04 | 327 | 88.1% | 3 | 0 |
| 05 to 08 | 438 | 81% | 3 | 2 |
| 08, 09, 13, 14 | 473 | 90.5% | 3 | 7 |
| 04 to 07, later and by others | 491 | 94.3% | 1 | 4 |
| 00 to 03, later and by others | 454 | 91% | 2 | 3 |
| 10, 11, 12, 15, 16 | 376 | 83% | 2 | 7 |
| 10 to 12, 14 to 16, a few of 04 to 08, later and by others | 514 | 87% | 2 | 2 |

In the last row 449 answers got one of the three. For 18 of them that was no name: a table's wrong entry or a
changed input is told in plain words.
One of 536 right answers was refused: True for a 1 in a table, and the reply says so. Eleven of the sixteen
that were accepted were right up to rounding, or in numbers (two passes where one was meant, which the reply
says that it cannot see), or the task had allowed them; the other five were wrong on inputs that the check
did not try, and tries now (equal numbers in a row, for one). All that was false has been put right since,
and many of the mistakes have names now. So the check of today does better on those answers, and nobody
knows how much better on others: who fixes a check for known answers learns them by heart. Expect about one
wrong answer in nine to get no more than the case that failed, and one in a hundred to be told something
that is not so.

`progress(export="unnamed.json")` writes the answers that got no name into a file, as inputs and outputs;
`python tools/unnamed.py FILE…` puts such files together, so that new names come from what learners write.

## The table
"""


def verdict(
    named: Sequence[tuple[str, ...]], names: tuple[str, ...], held: frozenset[str] = frozenset()
) -> str:
    """What the check made of the version with these names, which it rejected. `held`: names within them."""
    if not named:
        return "rejected only"
    if tuple(named) == (names,):
        return "named"
    if names in named:
        return "named with others"
    return "told as part" if all({*other} <= {*names, *held} for other in named) else "named as another"


def count_pairs(exercise: Write) -> tuple[Counter[str], list[str]]:
    """Verdicts on the pairs, by their outcomes alone: there are thousands, and a guard changes nothing."""
    counts: Counter[str] = Counter()
    others: list[str] = []
    right = [plain_outcome(exercise.right, probe) for probe in exercise.probes]
    for version in exercise.diagnosis.pairs:
        outcomes = exercise.diagnosis.outcomes(version)
        if all(map(exercise.accepts, outcomes, right, exercise.probes)):
            continue  # the two cancel
        held = frozenset(mistake.holds for mistake in version.mistakes)
        found = verdict([other.names for other in exercise.diagnosis.name(outcomes)], version.names, held)
        counts[found] += 1
        if found == "rejected only":
            others.append(f"{found}: {' + '.join(version.names)}")
    return counts, others


def wrong_values(exercise: Exercise) -> Iterator[tuple[str, Any]]:
    """Every wrong answer, with its name, of an exercise that is not a function."""
    if isinstance(exercise, Predict | Open):
        yield from ((slip.name, slip.answer) for slip in exercise.slips)
    elif isinstance(exercise, Choose):
        yield from ((f"option {letter}", letter) for letter in exercise.options if letter != exercise.answer)
    elif isinstance(exercise, Reverse):
        yield from ((m.name, letter) for letter, m in exercise.options.items() if letter != exercise.answer)
    elif isinstance(exercise, Table):
        for column, slips in enumerate(exercise.slips):
            for slip in slips:
                table = {label: list(exercise.row(label)) for label in exercise.labels}
                for label in exercise.labels:
                    table[label][column] = slip.answer(label)
                yield slip.name, table


def count(exercise: Exercise, known: dict[Diagnosis, Counts]) -> Counts:
    """Verdicts on single mistakes, verdicts on pairs, and lines that list all but the named ones."""
    one: Counter[str] = Counter()
    two: Counter[str] = Counter()
    others: list[str] = []
    if not isinstance(exercise, Write):
        for name, answer in wrong_values(exercise):
            feedback = exercise.evaluate(answer)
            found = "missed" if feedback.status == "right" else verdict(feedback.named, (name,))
            one[found] += 1
            if found != "named":
                others.append(f"{found}: {name}")
        return one, two, others
    if exercise.diagnosis in known:  # find-the-bug exercises share the mistakes of another
        return known[exercise.diagnosis]
    for version in exercise.diagnosis.singles:
        feedback = exercise.evaluate(version.function)
        found = "missed" if feedback.status == "right" else verdict(feedback.named, version.names)
        one[found] += 1
        if found != "named":
            others.append(f"{found}: {version.names[0]} (as {feedback.named})")
    with exercise.dice_as_they_were():
        two, of_pairs = count_pairs(exercise)
    known[exercise.diagnosis] = one, two, others + of_pairs
    return known[exercise.diagnosis]


def row(
    lesson: str, exercise: Exercise, known: dict[Diagnosis, Counts]
) -> tuple[str, list[str], list[Counter[str]]]:
    """The row of one exercise, what is wrong with it (nothing, if all is well), and its two counts.

    `known`: the counts so far, which find-the-bug exercises share with another.
    """
    one, two, others = count(exercise, known)
    faults = [f"{exercise.name}: {line}" for line in others]
    return _row(lesson, exercise.name, exercise.kind, one, two), faults, [one, two]


def table(names: Sequence[str] = ()) -> tuple[str, list[str]]:
    """The document, and what is wrong with it (nothing, if all is well).

    `names`: exercises to count; the other rows stay as they are stored.
    """
    stored = rows_of(TABLE.read_text(encoding="utf-8")) if names else {}
    rows: list[str] = []
    faults: list[str] = []
    known: dict[Diagnosis, Counts] = {}
    totals: list[Counter[str]] = [Counter(), Counter()]
    for lesson, group in lessons().items():
        for exercise in group:
            if exercise.name in stored and exercise.name not in names:
                text = stored[exercise.name]
                counts = counts_in(text)
            else:
                text, wrong, counts = row(lesson, exercise, known)
                faults += wrong
            rows.append(text)
            totals = [total + more for total, more in zip(totals, counts, strict=True)]
    return document(rows, totals), faults


def with_their_bugs(names: Sequence[str]) -> list[str]:
    """Names of exercises -> these, and the find-the-bug exercises that share their mistakes."""
    functions = {name: one.recipe for name, one in exercises().items() if isinstance(one, Write)}
    shared = {functions[name] for name in names if name in functions}
    return [*names, *(name for name, recipe in functions.items() if recipe in shared and name not in names)]


def rows_of(text: str) -> dict[str, str]:
    """The text of the table -> each exercise's row, by its name."""
    return {line.split(" | ")[1]: line for line in text.splitlines() if line.startswith("| ")}


def counts_in(row: str) -> list[Counter[str]]:
    """A row -> its two counts. Raises ValueError where they do not add up."""
    cells = [int(cell) for cell in row.strip("| ").split(" | ")[3:]]
    width = len(VERDICTS) + 1
    parts = cells[:width], cells[width:]
    if any(total != sum(each) for total, *each in parts):
        raise ValueError(f"a row does not add up: {row}")
    return [Counter(dict(zip(VERDICTS, each, strict=True))) for _, *each in parts]


def document(rows: Sequence[str], totals: Sequence[Counter[str]]) -> str:
    """The rows of all exercises, the sums of both counts -> the text of docs/kill_table.md."""
    columns = "| lesson | exercise | kind | single mistakes |" + "".join(f" {v} |" for v in VERDICTS)
    columns += " pairs |" + "".join(f" {v} |" for v in VERDICTS)
    rule = "|" + "---|" * (5 + 2 * len(VERDICTS))
    return "\n".join([HEAD, columns, rule, *rows, _row("", "**all**", "", *totals)]) + "\n"


def _row(lesson: str, name: str, kind: str, one: Counter[str], two: Counter[str]) -> str:
    cells = [lesson, name, kind]
    for counts in (one, two):
        cells += [str(sum(counts.values()))] + [str(counts[v]) for v in VERDICTS]
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    """Write the table, or with --check compare it with the stored one; 1 where something is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="exercises to count; without any, all of them (minutes)")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where the stored table differs"
    )
    arguments = parser.parse_args()
    unknown = set(arguments.names) - exercises().keys()
    if unknown:
        parser.error(f"no exercise is called {', '.join(sorted(unknown))}")
    text, faults = table(with_their_bugs(arguments.names))
    for fault in faults:
        print(fault)
    if arguments.check:
        return int(bool(faults) or not TABLE.exists() or TABLE.read_text(encoding="utf-8") != text)
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(text, encoding="utf-8")
    print(text.splitlines()[-1])
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())

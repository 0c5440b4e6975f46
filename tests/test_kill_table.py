"""The table of mistakes, row by row: up to date, and nothing missed."""

from collections import Counter

import kill_table
import pytest

from helpers.exercises.catalogue import exercises, lessons
from helpers.exercises.kinds import Exercise

STORED = kill_table.TABLE.read_text(encoding="utf-8")
ROWS = {line.split(" | ")[1]: line for line in STORED.splitlines() if line.startswith("| ")}
LESSON = {exercise.name: lesson for lesson, group in lessons().items() for exercise in group}
KNOWN: dict = {}  # find-the-bug exercises share the counts of another


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.name)
def test_each_mistake_is_named_and_its_row_is_up_to_date(exercise: Exercise) -> None:
    row, faults, _ = kill_table.row(LESSON[exercise.name], exercise, KNOWN)
    assert faults == []
    assert ROWS[exercise.name] == row, "run python tools/kill_table.py"


def test_the_table_has_these_rows_in_teaching_order_and_their_sums() -> None:
    sums: list[Counter[str]] = [Counter(), Counter()]
    for name in LESSON:
        cells = [int(cell) for cell in ROWS[name].strip("| ").split(" | ")[3:]]
        width = len(kill_table.VERDICTS) + 1
        for counts, part in zip(sums, (cells[:width], cells[width:]), strict=True):
            assert part[0] == sum(part[1:])
            counts.update(dict(zip(kill_table.VERDICTS, part[1:], strict=True)))
    assert kill_table.document([ROWS[name] for name in LESSON], sums) == STORED


def test_a_missed_mistake_would_show_in_the_kill_table() -> None:
    assert kill_table.verdict([], ("a",)) == "rejected only"
    assert kill_table.verdict([("a",)], ("a",)) == "named"
    assert kill_table.verdict([("a",), ("b",)], ("a",)) == "named with others"
    assert kill_table.verdict([("a",)], ("a", "b")) == "told as part"
    assert kill_table.verdict([("c",)], ("a", "b")) == "named as another"

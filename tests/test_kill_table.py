"""The table of mistakes, row by row: up to date, and nothing missed."""

from collections import Counter

import kill_table
import processors
import pytest

from helpers.exercises.catalogue import exercises, lessons
from helpers.exercises.engine.diagnosis import plain_outcome
from helpers.exercises.engine.sandbox import Outcome
from helpers.exercises.kinds import Exercise, Write

STORED = kill_table.TABLE.read_text(encoding="utf-8")
ROWS = kill_table.rows_of(STORED)
LESSON = {exercise.name: lesson for lesson, group in lessons().items() for exercise in group}
KNOWN: dict = {}  # find-the-bug exercises share the counts of another


@pytest.mark.parametrize("exercise", list(processors.distinct()), ids=lambda exercise: exercise.name)
def test_on_this_machine_mistakes_get_their_names(exercise: Write) -> None:
    """Each single one and three pairs, as attempts get them: the rows below take all pairs, and minutes."""
    diagnosis = exercise.diagnosis
    with exercise.dice_as_they_were():
        for version in diagnosis.singles:
            assert [other.names for other in diagnosis.name(diagnosis.outcomes(version))] == [version.names]
        for version in diagnosis.pairs[:: 1 + len(diagnosis.pairs) // 3]:
            outcomes = list(diagnosis.outcomes(version))
            one_line_stops_it = all(outcome.error for outcome in outcomes)
            assert one_line_stops_it or diagnosis.name(outcomes) or cancel(exercise, outcomes), version


def cancel(exercise: Write, outcomes: list[Outcome]) -> bool:
    """Whether two mistakes give what is right."""
    right = [plain_outcome(exercise.right, probe) for probe in exercise.probes]
    return all(map(exercise.accepts, outcomes, right, exercise.probes))


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.name)
def test_each_mistake_is_named_and_its_row_is_up_to_date(exercise: Exercise) -> None:
    row, faults, _ = kill_table.row(LESSON[exercise.name], exercise, KNOWN)
    assert faults == []
    assert ROWS.get(exercise.name) == row, f"run python tools/kill_table.py {exercise.name}"


def test_the_table_has_these_rows_in_teaching_order_and_their_sums() -> None:
    sums: list[Counter[str]] = [Counter(), Counter()]
    missing = [name for name in LESSON if name not in ROWS]
    assert missing == [], f"run python tools/kill_table.py {' '.join(missing)}"
    for name in LESSON:
        sums = [total + more for total, more in zip(sums, kill_table.counts_in(ROWS[name]), strict=True)]
    assert kill_table.document([ROWS[name] for name in LESSON], sums) == STORED


def test_a_row_is_counted_again_and_the_others_stay() -> None:
    text, faults = kill_table.table(["which-axis"])
    assert faults == []
    assert text == STORED


def test_bugs_that_share_the_mistakes_of_an_exercise_are_counted_with_it() -> None:
    assert kill_table.with_their_bugs(["which-axis"]) == ["which-axis"]
    assert set(kill_table.with_their_bugs(["softmax"])) > {"softmax"}


def test_a_row_that_does_not_add_up_is_refused() -> None:
    row = ROWS["which-axis"]
    assert kill_table.counts_in(row)[0]["named"] == 3
    with pytest.raises(ValueError, match="does not add up"):
        kill_table.counts_in(row.replace("| 3 |", "| 4 |", 1))


def test_a_missed_mistake_would_show_in_the_kill_table() -> None:
    assert kill_table.verdict([], ("a",)) == "rejected only"
    assert kill_table.verdict([("a",)], ("a",)) == "named"
    assert kill_table.verdict([("a",), ("b",)], ("a",)) == "named with others"
    assert kill_table.verdict([("a",)], ("a", "b")) == "told as part"
    assert kill_table.verdict([("c",)], ("a", "b")) == "named as another"

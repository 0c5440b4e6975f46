"""What finds and words a mistake, rule by rule: on functions of one line and on the smallest exercises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers.exercises.engine.diagnosis import (
    Diagnosis,
    Mistake,
    agree,
    plain_outcome,
    run_all,
    tolerance,
)
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.engine.sandbox import Outcome
from helpers.exercises.kinds import Table, Write
from helpers.exercises.kinds.cases import input_rows, nothing_hidden_first, simplest_first
from helpers.exercises.kinds.replies import (
    MOST_LINES,
    always_the_same,
    errors_elsewhere,
    listed,
    lost_axis,
    nothing_but_nan,
    wrong_numbers,
)
from helpers.exercises.kinds.values import as_number
from helpers.exercises.kinds.write import Property

PROBES = tuple(Probe(f"{n} numbers", {"x": numbers(n, start=n)}) for n in (2, 3, 5))


def halved(x: Any, *, factor: float = 0.5, shift: float = 0.0) -> Any:
    return x * factor + shift


def mistake(name: str, holds: str = "", **choices: Any) -> Mistake:
    found = Mistake(name, f"you did {name}", "An idea.", "00: Section", **choices)
    found.holds = holds
    return found


def named(function: Any, *mistakes: Mistake) -> list[tuple[str, ...]]:
    """A wrong function, the mistakes that are known -> the names that it gets."""
    diagnosis = Diagnosis(halved, mistakes, PROBES)
    return [version.names for version in diagnosis.name([plain_outcome(function, p) for p in PROBES])]


def test_two_mistakes_under_one_name_are_not_told_where_one_of_them_fits() -> None:
    one, other = mistake("doubled", factor=2.0), mistake("doubled-and-more", "doubled", factor=2.0)
    assert named(lambda x: 2 * x, one, other) == [("doubled",)]
    assert named(lambda x: 2 * x, mistake("doubled-and-more", "doubled", factor=2.0)) == [
        ("doubled-and-more",)
    ]
    assert named(lambda x: 2 * x, one, mistake("twice", factor=2.0)) == [("doubled",), ("twice",)]


def test_two_mistakes_at_once_are_found_and_one_that_stops_everywhere_is_never_two() -> None:
    known = mistake("doubled", factor=2.0), mistake("raised", shift=1.0)
    assert named(lambda x: 2 * x + 1, *known) == [("doubled", "raised")]
    stops: Any = "shift"  # adding a text to numbers: with the other factor, too
    worded = mistake("tripled", factor=3.0), mistake("a-text-added", shift=stops)
    assert named(lambda x: x + stops, *worded) == [("a-text-added",)]

    def fails(x: Any) -> Any:
        raise ValueError("something else")

    assert named(fails, *worded) == []


def test_numbers_agree_within_the_rounding_of_their_dtype() -> None:
    one = np.array([1.0, 2.0])
    assert agree(one, one + 1e-6)
    assert not agree(one, one + 1e-4)
    assert agree(one.astype(np.float32), (one + 1e-4).astype(np.float32))
    assert tolerance(one, one.astype(np.float16)) > tolerance(one.astype(np.float32)) > tolerance(one)


def test_nan_agrees_with_nan_and_infinity_only_with_the_same_infinity() -> None:
    numbers_ = np.array([1.0, np.nan, np.inf, -np.inf, 2.0])
    assert agree(numbers_, numbers_.copy())
    for place, other in ((1, 1.0), (2, np.nan), (2, 1e300), (2, -np.inf), (3, np.inf)):
        changed = numbers_.copy()
        changed[place] = other
        assert not agree(changed, numbers_)
        assert not agree(numbers_, changed)
    assert not agree(np.array([1.0, 5.0, 2.0]), np.array([1.0, np.inf, 2.0]))
    assert not agree(np.array([1.0, np.inf, 2.0]), np.array([1.0, 5.0, 2.0]))


def test_a_function_that_remembers_is_found_though_a_second_round_in_order_would_repeat_the_first() -> None:
    """It looks whether the input before was longer; before the first one it takes this to be so."""
    before = [100]

    def remembers(x: Any) -> Any:
        longer = before[0] > len(x)
        before[0] = len(x)
        return x * (2 if longer else 1)

    assert run_all(remembers, PROBES)[1] is False
    assert run_all(lambda x: x * 2, PROBES)[1] is True


def test_extreme_inputs_are_shown_last_and_with_no_name_those_that_hide_something_too() -> None:
    hard, large = Probe("hard", {"x": numbers(2)}, True), Probe("large", {"x": numbers(9)})
    assert sorted((hard, large, PROBES[0]), key=simplest_first) == [PROBES[0], large, hard]
    hiding = Probe("hiding", {"x": numbers(2), "mask": np.array([True, False])})
    all_open = Probe("open", {"x": numbers(5), "mask": np.array([True, True])})
    assert min(hiding, all_open, key=simplest_first) is hiding
    assert min(hiding, all_open, key=nothing_hidden_first) is all_open


@pytest.mark.parametrize(
    ("n_keys", "shown"), [(3, ["query 1", "key 0", "key 1", "key 2"]), (4, ["query 1", "key 2"])]
)
def test_all_keys_are_shown_where_they_are_few(n_keys: int, shown: list[str]) -> None:
    inputs = {"queries": numbers(2, 3), "keys": numbers(n_keys, 3)}
    rows = input_rows(inputs, (1, 2), (2, n_keys), ("query", "key"))
    assert [name for name, _ in rows] == shown


def outcomes(*values: Any) -> list[Outcome]:
    return [Outcome(value=np.asarray(value)) for value in values]


def test_one_number_everywhere_is_seen_on_three_inputs_and_not_on_two() -> None:
    assert always_the_same(outcomes(0.0, [0.0, 0.0], 0.0))
    assert not always_the_same(outcomes(0.0, 0.0))
    assert not always_the_same(outcomes(0.0, 0.0, 1.0))
    assert always_the_same(outcomes(np.inf, np.inf, np.inf))
    assert list(map(nothing_but_nan, outcomes([np.nan], [np.nan, 1.0]))) == [True, False]
    assert list(map(wrong_numbers, outcomes([2.0], [np.nan], [1.0, 2.0]), outcomes([1.0]) * 3)) == [
        True,
        False,
        False,
    ]


def test_an_axis_is_lost_only_where_there_are_fewer() -> None:
    assert "squeeze" in lost_axis((3,), (3, 1))
    assert lost_axis((3, 1), (3,)) == lost_axis((3, 1), (1, 3)) == lost_axis((4,), (3, 1)) == ""


def test_a_list_is_cut_where_that_saves_more_than_one() -> None:
    assert listed(["a", "b", "c"], 2) == "a; b; c"
    assert listed(["a", "b", "c", "d"], 2) == "a; b; and 2 more"


def test_an_error_elsewhere_is_told_where_nothing_else_explains_it_or_it_has_advice() -> None:
    plain = [(PROBES[0], Outcome(error="ValueError: odd", line="odd(x)"), outcomes(1.0)[0])]
    (told,) = errors_elsewhere(plain, explained=False)
    assert "On other inputs it stops (2 numbers): ValueError: odd, in your line: odd(x)" in " ".join(
        told.split()
    )
    assert errors_elsewhere(plain, explained=True) == []
    truth = "ValueError: The truth value of an array with more than one element is ambiguous."
    advised = [(PROBES[0], Outcome(error=truth, line="x > 0 and x < 1"), outcomes(1.0)[0])]
    assert len(errors_elsewhere(advised, explained=True)) == 2


def test_a_comma_may_stand_for_the_point() -> None:
    assert (as_number("0,5"), as_number(" 2.5 "), as_number("half")) == (0.5, 2.5, None)


# --- the smallest exercises


def halves(*mistakes: Mistake, **choices: Any) -> Write:
    """Mistakes that change choices of `scaled` -> an exercise to halve some numbers."""
    return Write(
        name="halves",
        task="Half of each number.",
        hints=("Divide by 2.",),
        reread="00: The exercise",
        call="my_halves(x)",
        right=scaled,
        answer=scaled,
        recipe=scaled,
        mistakes=mistakes,
        probes=PROBES,
        **choices,
    )


def scaled(x: Any, *, factor: float = 0.5, shift: float = 0.0, keep: int = 9) -> Any:
    return np.where(np.arange(len(x)) < keep, x * factor + shift, 0.0)


def reply(exercise: Any, attempt: Any) -> str:
    return " ".join(exercise.evaluate(attempt).text.split())


def test_a_mistake_may_be_shown_on_an_input_of_its_own() -> None:
    doubled = mistake("doubled", factor=2.0)
    assert "Smallest case: 2 numbers" in reply(halves(doubled), lambda x: 2 * x)
    shown = halves(doubled, shown={"doubled": "3 numbers"})
    assert "Smallest case: 3 numbers" in reply(shown, lambda x: 2 * x)


def test_of_two_mistakes_the_case_shows_the_first_which_hides_on_smaller_inputs() -> None:
    known = mistake("cut", keep=3), mistake("raised", shift=1.0)
    text = reply(halves(*known), lambda x: np.where(np.arange(len(x)) < 3, x / 2 + 1, 0))
    assert "Two things at once: you did cut, and you did raised" in text
    assert "Smallest case: 5 numbers" in text


def test_a_broken_property_may_name_the_section_to_reread() -> None:
    def broken(*_: Any) -> str:
        return "Half of a number has its sign."

    rules = Property("first", "", lambda *_: "", "00: Another"), Property("sign", "", broken, "00: Signs")
    plain = Property("sign", "", broken)
    for properties, section in ((rules, "Signs"), ((plain,), "The exercise"), (rules[:1], "The exercise")):
        text = reply(halves(properties=properties), lambda x: -x)
        assert f'Worth rereading: Lesson 00, "{section}".' in text


def test_lines_on_a_changed_input_leave_less_room_for_two_ideas() -> None:
    known = mistake("doubled", factor=2.0), mistake("raised", shift=1.0)
    for each in known:
        each.idea = f"What helps whoever {each.says}. " * 6

    def in_place(x: Any) -> Any:
        x *= 2
        x += 1
        return x

    assert "Second: " in reply(halves(*known), lambda x: 2 * x + 1)
    text = halves(*known).evaluate(in_place).text
    assert "Besides, after the call x no longer holds" in text
    assert "Begin with the first: " in text
    assert len(text[text.index("  Two things at once") :].splitlines()) <= MOST_LINES


def table(*rows: tuple[float, float]) -> Table:
    """A table of two columns, to fill in."""
    return Table(
        name="small-table",
        task="Two columns.",
        hints=("How the first is found.", "How the second is found."),
        reread="00: The exercise",
        row_name="row",
        labels=tuple(range(len(rows))),
        columns=("first", "second"),
        row=lambda label: rows[label],
        slips=((), ()),
        because="So it is.",
    )


def test_numbers_of_another_column_are_told_where_they_are_not_all_one() -> None:
    belong = 'holds the numbers that belong in "second"'
    varied = table((3.0, 7.0), (4.0, 8.0), (5.0, 9.0))
    assert belong in reply(varied, [[7, 7], [8, 8], [9, 9]])
    constant = table((3.0, 1.0), (4.0, 1.0), (5.0, 1.0))
    text = reply(constant, [[1, 1], [1, 1], [1, 1]])
    assert belong not in text
    assert "How the first is found." in text


def test_a_single_cell_is_called_rounded_where_rounding_moves_it_little() -> None:
    numbers_ = table((1.2, 1.0), (1.16, 2.0), (3.8, 3.0))
    rounded = 'Your "first" was rounded too far'
    assert rounded in reply(numbers_, [[1.2, 1], [1, 2], [3.8, 3]])  # by 14 %
    far = reply(numbers_, [[1, 1], [1.16, 2], [3.8, 3]])  # by 17 %
    assert rounded not in far
    assert "How the first is found." in far
    assert rounded in reply(numbers_, [[1, 1], [1, 2], [4, 3]])  # three that are all rounded prove it

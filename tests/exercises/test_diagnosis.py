"""What finds and words a mistake, on functions of one line: each rule by itself, not through an exercise."""

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
from helpers.exercises.kinds.cases import input_rows, nothing_hidden_first, simplest_first
from helpers.exercises.kinds.replies import (
    always_the_same,
    errors_elsewhere,
    listed,
    lost_axis,
    nothing_but_nan,
    wrong_numbers,
)
from helpers.exercises.kinds.values import as_number

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

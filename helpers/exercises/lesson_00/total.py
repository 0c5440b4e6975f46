"""total, lesson 00: the sum of the numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.write import Write
from helpers.validation import Array

HOW = "00: How an exercise works"


def total(numbers: Array) -> float:
    """(n,) -> one number: the sum of the numbers."""
    return float(np.sum(numbers))


def _total_by_choices(
    numbers: Array,
    *,
    which: Callable[[Array], Array] = lambda numbers: numbers,
    combine: Callable[[Array], Array] = np.sum,
) -> Array:
    return combine(which(numbers))


def my_total(numbers: Array) -> Any:
    """(n,) -> one number: the sum of the numbers."""
    total = 0
    for number in numbers:
        total = total + number
    return total


EXERCISE = Write(
    name="total",
    answer=my_total,
    task="The sum of the numbers.",
    call="my_total(numbers)",
    right=total,
    recipe=_total_by_choices,
    probes=(
        Probe("three numbers", {"numbers": np.array([2.0, 3.0, 5.5])}),
        Probe("three other numbers", {"numbers": np.array([-4.0, 0.5, 7.0])}),
        Probe("whole numbers", {"numbers": np.array([4, -1, 6, 2])}),
        Probe("five numbers", {"numbers": numbers(5)}),
    ),
    mistakes=(
        Mistake(
            "mean",
            "the numbers were averaged",
            "A sum is not divided by how many there are.",
            HOW,
            combine=np.mean,
        ),
        Mistake("product", "the numbers were multiplied", "A sum adds them.", HOW, combine=np.prod),
        Mistake(
            "first-only",
            "only the first number came back",
            "A `return` inside the loop ends the function in the first round; it belongs after the loop.",
            HOW,
            which=lambda numbers: numbers[:1],
        ),
        Mistake(
            "last-only",
            "only the last number came back",
            "Each round of the loop should add to the total, not replace it.",
            HOW,
            which=lambda numbers: numbers[-1:],
        ),
        Mistake(
            "last-left-out",
            "the last number was left out",
            "A range of n − 1 stops one too early.",
            HOW,
            which=lambda numbers: numbers[:-1],
        ),
        Mistake(
            "first-left-out",
            "the first number was left out",
            "Rows and entries are counted from 0.",
            HOW,
            which=lambda numbers: numbers[1:],
        ),
        Mistake(
            "largest",
            "the largest number came back",
            "`max` chooses one; a sum takes all.",
            HOW,
            combine=np.max,
        ),
        Mistake(
            "running",
            "the running totals came back",
            "`cumsum` keeps every step; the task asks for the last of them.",
            HOW,
            combine=np.cumsum,
        ),
        Mistake(
            "started-at-1",
            "the result is larger by 1",
            "A running total starts at 0, not at 1; each number is added to it once.",
            HOW,
            combine=lambda numbers: np.sum(numbers) + 1,
        ),
        Mistake(
            "places",
            "the places 0, 1, 2 … were added, not the numbers",
            "In `for i in range(n)` the name i holds a place; the number there is numbers[i].",
            HOW,
            which=lambda numbers: np.arange(numbers.size),
        ),
        Mistake(
            "absolute",
            "negative numbers were added without their sign",
            "A negative number makes the sum smaller.",
            HOW,
            which=np.abs,
        ),
        Mistake(
            "fractions-dropped",
            "each number lost what stands after the point",
            "`int` drops it. Add the numbers as they are.",
            HOW,
            which=np.trunc,
        ),
        Mistake(
            "doubled-each-round",
            "the total was added to itself in each round",
            "`total += number` adds the total already: write that, or `total = total + number`.",
            HOW,
            combine=lambda numbers: np.sum(numbers * 2.0 ** np.arange(numbers.size)[::-1]),
        ),
        Mistake(
            "count",
            "the numbers were counted",
            "`len` says how many there are, not how much they add up to.",
            HOW,
            combine=lambda numbers: np.array(numbers.size),
        ),
    ),
    hints=(
        "NumPy has a function for this, and a loop does it as well.",
        "Start a total at 0, add each number to it, and return it after the loop.",
    ),
    explain="The running total starts at 0. np.sum(numbers) is right as well, and faster.",
    reread=HOW,
)

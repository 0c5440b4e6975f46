"""share-forward, lesson 07: how often does the place that is read most stay or move to the right?"""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.write import Property, Write
from helpers.softmax import softmax
from helpers.validation import Array

COUNTED = "07: Optional: the order, counted"
MAPS = "07: Reading the alignment"


def my_share_forward(weights: Array) -> float:
    """(n_written, n_source), two rows or more -> the share of steps that stay or go right, from 0 to 1."""
    places = weights.argmax(axis=-1)
    moves = np.diff(places)
    return float((moves >= 0).mean())


EDITS = Edits(my_share_forward, {
    "places": "weights.argmax(axis=-1)",
    "moves": "np.diff(places)",
    "forward": "moves >= 0",
    "share": "(moves >= 0).mean()",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
staying-left-out
    you did not count a step that stays in place
    Staying counts as well: two sounds in a row may read the same letter.
    | forward => moves > 0

backward
    you counted the steps to the left
    Moving right means that the later place minus the earlier one is 0 or more.
    | forward => moves < 0
    | moves => -it; forward => moves > 0

staying-and-backward
    you counted the steps that stay or go to the left
    Moving right means that the later place minus the earlier one is 0 or more.
    | forward => moves <= 0
    | moves => -it

columns-asked
    you ran argmax down the columns
    Rows are queries. Each written symbol has a place that it reads most: axis=-1.
    | places => weights.argmax(axis=0)

read-least
    you followed the place that is read least
    argmax finds the place of the largest weight.
    | places => weights.argmin(axis=-1)

counted
    you counted the steps, but did not divide by how many there are
    A share lies between 0 and 1.
    | share => (moves >= 0).sum()

divided-by-rows
    you divided the count by the number of rows
    Between n rows there are n − 1 steps.
    | share => (moves >= 0).sum() / len(weights)

percent
    you gave the share in percent
    A share lies between 0 and 1.
    | share => 100 * (moves >= 0).mean()

one-step-only
    you counted only steps of no place or one
    A step that skips places goes forward, too.
    | forward => (moves >= 0) & (moves <= 1)

further-than-ever
    you compared each place with the furthest one so far
    Each step is compared with the one before it, wherever earlier ones had been: np.diff.
    | moves => places[1:] - np.maximum.accumulate(places)[:-1]

exactly-one-step
    you counted only steps of exactly one place
    A step that stays or skips places goes forward, too.
    | forward => moves == 1

staying-left-out-divided-by-rows
    you did not count a step that stays in place, and divided by the number of rows
    Staying counts as well, and between n rows there are n − 1 steps.
    | share => (moves > 0).sum() / len(weights)

mean-place
    you took the mean of the places, weighted by the weights
    The place that is read *most* is one place: argmax.
    | places => weights @ np.arange(weights.shape[-1])

from-the-first
    you compared each place with the first one
    Each step is compared with the one before it: np.diff.
    | moves => places[1:] - places[0]

first-with-last
    you compared the first place with the last: at i = 0, places[i − 1] is places[−1]
    The first symbol has none before it, so between n rows there are n − 1 steps: begin the loop at 1.
    | moves => places - np.roll(places, 1)
    | moves => places - np.roll(places, 1); share => (moves >= 0).sum() / (len(weights) - 1)

mean-step
    you averaged the steps, so that their lengths count
    A step forward counts as 1, however long it is.
    | share => moves.mean()

weights-compared
    you compared the largest weights, not their places
    max gives the weight, argmax its place.
    | places => weights.max(axis=-1)

all-or-nothing
    you asked whether every step stays or goes right
    The task asks how many of the steps do: the mean of True and False is their share.
    | share => (moves >= 0).all()

left-never-seen
    you counted every step, so that the share is 1 for every map
    A step to the left does not count. (Unsigned whole numbers, `np.uint8`, have no minus: there a
    step to the left becomes a large number.)
    | forward => moves == moves
    | share => float(len(moves) > 0)

rounded
    you rounded the share
    Leave the share as it is: rounding to one decimal turns 0.75 into 0.8.
    @ n = 0 1 2
    | share => (moves >= 0).mean().round(n)
    """,
    reread=MAPS,
)


def with_places(*places: int, n_source: int) -> Array:
    """Places, a width -> weights (n_written, n_source), rows that sum to 1, each largest at its place."""
    scores = numbers(len(places), n_source, start=10 * n_source)
    scores = scores / (2 * np.abs(scores).max())
    scores[np.arange(len(places)), places] = np.linspace(1.0, 2.0, len(places))[::-1]
    return softmax(scores)


WEIGHTS = (
    ("the example", np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8], [0.2, 0.5, 0.3]])),
    ("3 symbols that read 4", with_places(0, 2, 1, n_source=4)),
    ("5 symbols that read 7", with_places(1, 1, 3, 2, 6, n_source=7)),
    ("7 symbols that read 11", with_places(9, 4, 4, 5, 7, 0, 2, n_source=11)),
    ("6 symbols that read 5", with_places(4, 3, 3, 0, 2, 2, n_source=5)),
    ("2 symbols that read 3", with_places(2, 0, n_source=3)),
    ("4 symbols that read the only one", np.ones((4, 1))),
)


def _expects(says: str, share: float, *places: int) -> Callable[[Any, Any, Any], str]:
    """A sentence, a share, the places of a map -> what is said where the function finds another share."""

    def broken(_inputs: Any, _share: Any, call: Any) -> str:
        got = call(with_places(*places, n_source=4))
        if got is None or got.shape != () or abs(float(got) - share) <= 1e-6:
            return ""
        return f"Where {says}, the share should be {share:g}; yours is {float(got):.4g}."

    return broken


ALL, HALF, NONE = "no step goes left", "one of two steps goes left", "every step goes left"
EXERCISE = Write(
    name="share-forward",
    answer=my_share_forward,
    task="How often the place that is read most stays or moves to the right.",
    call="my_share_forward(weights)",
    right=my_share_forward,
    recipe=EDITS.recipe(),
    probes=tuple(Probe(kind, {"weights": weights}, weights.shape[1] == 1) for kind, weights in WEIGHTS),
    properties=(
        Property("all forward", f"where {ALL}, the share is 1", _expects(ALL, 1, 0, 1, 1, 3)),
        Property("half forward", f"where {HALF}, the share is 0.5", _expects(HALF, 0.5, 3, 1, 2)),
        Property("none forward", f"where {NONE}, the share is 0", _expects(NONE, 0, 3, 2, 0)),
    ),
    axes=(),
    mistakes=MISTAKES,
    hints=(
        "weights.argmax(axis=-1) gives, for each row, the place of its largest weight.",
        "np.diff(places) gives the steps: each place minus the one before it.",
        "True counts as 1: the mean of (steps >= 0) is the share of steps that stay or go right.",
    ),
    explain="The map of a whole word or date becomes one number, which can be compared over many of them.",
    reread=COUNTED,
)

"""no-rescale, lesson 13.

Six scores in three tiles: without the rescale right from the left, and wrong from the right.
"""

import numpy as np

from helpers.exercises.kinds.open import Open
from helpers.exercises.kinds.predict import Slip
from helpers.exercises.lesson_13.online_bug import EXERCISE as ONLINE
from helpers.exercises.lesson_13.shared import WORKED
from helpers.softmax import softmax
from helpers.validation import Array

LEAST_ERROR = 0.05
ROUNDING = 1e-12


def _error(off: float) -> str:
    if off <= ROUNDING:
        return "0"
    return f"{off:.3g}" if float(f"{off:.3g}") < LEAST_ERROR else f"a little less than {LEAST_ERROR}"


def _forgetful(scores: Array) -> Array:
    """(6,) -> the weights of the function with the bug, tiles of two from left to right."""
    return np.asarray(ONLINE.bug(scores[None], 2)[0])


def _from_the_right(scores: Array) -> Array:
    """(6,) -> the same scores with the three tiles in the opposite order."""
    return scores.reshape(3, 2)[::-1].ravel()


def _row(label: str, weights: Array) -> str:
    return f"    {label:<9}  " + "  ".join(f"{weight:5.2f}" for weight in weights)


def _judge_order(scores: Array) -> tuple[str, str]:
    right, forward = softmax(scores), _forgetful(scores)
    backward = _from_the_right(_forgetful(_from_the_right(scores)))
    off = abs(forward - right).max()
    shown = f"{_row('right', right)}\n{_row('forgetful', forward)}"
    if np.ptp(scores) == 0:
        return "all-equal", (
            "these scores are all equal, and then no order matters.\n"
            "The maximum never changes, in either direction."
        )
    last = int(np.argmax(scores)) // 2  # the first of several that are largest
    if last > 0:
        off_by = f"one is off by {off:.2g}" if off > ROUNDING else "they are off by less than rounding shows"
        little = "" if off > 1e-3 else ", if only by a little"
        return ("largest-last" if last == 2 else "largest-in-the-middle"), (
            f"from left to right the weights should be right, and {off_by}.\n{shown}\nThe "
            f"largest score stands in tile {last} (counted from 0){little}. When it comes, what was "
            "summed before should shrink. In which tile may the largest score stand, so that nothing has to "
            "shrink "
            "afterwards?"
        )
    off = abs(backward - right).max()
    if not off >= LEAST_ERROR:
        both = scores[:2].max() == scores[4:].max()
        words = (
            "the largest score stands in the first tile and in the last one: read from either end, the "
            "maximum is there at once."
            if both
            else "the three tiles lie too close together. Spread them more: let each tile fall further below "
            "the one before it."
        )
        return ("largest-at-both-ends" if both else "too-little"), (
            f"right from left to right, as it should be; but from right to left the largest error is "
            f"{_error(off)}, and {LEAST_ERROR} or more is asked for.\nHere {words}"
        )
    return "", (
        f"✓ from left to right all six weights are right; from right to left one is off by {off:.2f}. The "
        "largest score stands in the first tile, so that the factor e^(old − new) is 1 from then on."
    )


EXERCISE = Open(
    name="no-rescale",
    task="Six scores in three tiles: without the rescale right from the left, and wrong from the right.",
    shape=(6,),
    judge=_judge_order,
    example=[2.0, 0.0, 1.0, 1.5, 0.5, 1.0],
    because="If you forget to rescale, you forget a factor e^(old − new). It is 1 where the maximum does "
    "not change, so the largest score must be in the first tile that is read, and not in the last one as "
    "well.",
    slips=(
        Slip("all-equal", [1.0] * 6, ""),
        Slip("largest-last", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], ""),
        Slip("largest-in-the-middle", [1.0, 2.0, 4.0, 3.0, 2.0, 1.0], ""),
        Slip("largest-at-both-ends", [2.0, 0.0, 1.0, 0.0, 0.0, 2.0], ""),
        Slip("too-little", [0.001, 0.0, 0.0, 0.0, 0.0, 0.0], ""),
    ),
    hints=(
        "The forgotten factor is e^(old maximum − new maximum). When is it 1?",
        "It is 1 where the maximum stays as it was. Where must the largest score be for that, and where "
        "must it be if the tiles come in the opposite order?",
        "Put the largest score into the first tile, and smaller ones, by 1 or so, into the others.",
    ),
    reread=WORKED,
)

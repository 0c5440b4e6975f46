"""ratio-bug, lesson 09: how many times as long, from rounds on a machine that is not always equally fast."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_09.shared import THE_JUMP
from helpers.validation import Array


def my_ratio(over: Array, under: Array) -> Any:
    """(rounds,), (rounds,) -> how many times as long the first takes."""
    ratios = over / under
    return np.median(ratios)


EDITS = Edits(my_ratio, {"ratios": "over / under", "middle": "np.median(ratios)"})
MISTAKES = EDITS.mistakes(
    """
rounds-forgotten
    you took two medians, which may come from different rounds, and divided them
    In one round both met the same machine, busy or not. Divide round by round first, then take the median.
    | middle => np.median(over) / np.median(under)

means-divided
    you divided the mean of one by the mean of the other
    A busy moment moves both means. Divide round by round first, then take the median.
    | middle => np.mean(over) / np.mean(under)

fastest-divided
    you divided the fastest of one by the fastest of the other
    These may come from different rounds. Divide round by round first, then take the median.
    | middle => np.min(over) / np.min(under)

sorted-first
    you sorted both before dividing, so that the pairs are no longer of one round
    Leave the order as it is: entries at the same index come from the same round.
    | ratios => np.sort(over) / np.sort(under)

mean-of-ratios
    you took the mean of the ratios
    One disturbed round moves it. Take the median.
    | middle => np.mean(ratios)

geometric-mean
    you took the geometric mean of the ratios
    One disturbed round moves that mean, too. Take the median.
    | middle => np.exp(np.mean(np.log(ratios)))

turned-twice
    you took the median of the inverted ratios, and inverted that
    With an even number of rounds the median lies midway between two ratios, and inverting moves the
    midpoint. Divide the first by the second from the start.
    | middle => 1 / np.median(1 / ratios)

one-of-the-middle-two
    you took one of the two ratios in the middle
    With an even number of rounds the median lies halfway between the two in the middle: np.median.
    | middle => np.sort(ratios)[len(ratios) // 2]
    | middle => np.sort(ratios)[(len(ratios) - 1) // 2]

all-pairs
    you divided each time by the times of all rounds, not only by that of its own
    The machine may have been busy in one round and idle in the next. Divide round by round: over / under.
    | ratios => over[:, None] / under

next-round
    you divided by the times of a neighbouring round
    Entries at the same index come from the same round: over / under.
    | ratios => over[:-1] / under[1:]
    | ratios => over[1:] / under[:-1]
    | ratios => over / np.roll(under, 1)
    | ratios => over / np.roll(under, -1)

smallest
    you took the smallest ratio
    That is the luckiest round. Take the median.
    | middle => np.min(ratios)

largest
    you took the largest ratio
    That is the unluckiest round. Take the median.
    | middle => np.max(ratios)

turned
    you divided the second by the first
    The question is how many times as long the *first* takes.
    | ratios => under / over

differences
    you subtracted instead of dividing
    A difference is longer on a slower machine. A ratio is not.
    | ratios => over - under

how-much-longer
    you subtracted 1, which gives how much longer it takes, not how many times as long
    Twice as long is 2, not 1.
    | result => it - 1

every-round
    you return the ratio of every round
    The task asks for one number: their median.
    | result => ratios
""",
    THE_JUMP,
)


def _probe(kind: str, over: list[float], under: list[float]) -> Probe:
    """Times in each round -> a probe. A single round is its own median, mean and extreme: it shows little."""
    return Probe(kind, {"over": np.array(over), "under": np.array(under)}, hard=len(over) == 1)


EXERCISE = Mend(
    name="ratio-bug",
    answer=my_ratio,
    bug=EDITS.bug("ratios =>; middle => np.median(over) / np.median(under)"),
    task="How many times as long, from rounds on a machine that is not always equally fast.",
    given="rounds-forgotten",
    symptom="for the first [2, 30, 4] and the second [1, 15, 4] it gives 1. But in two of the three rounds "
    "the first took twice as long. In which rounds were the two medians measured?",
    call="my_ratio(over, under)",
    right=my_ratio,
    recipe=EDITS.recipe(),
    probes=(
        _probe(EXAMPLE, [2.0, 30, 4], [1.0, 15, 4]),
        _probe("5 rounds, the machine slows down", [4, 5, 9, 14, 21], [2, 3, 6, 8, 9]),
        _probe("3 rounds, one of them busy", [8, 70, 10], [4, 20, 10]),
        _probe("4 rounds", [3, 12, 5, 9], [2, 3, 4, 3]),
        _probe("2 rounds", [6, 9], [4, 3]),
        _probe("7 rounds, disturbed in turn", [3, 40, 4, 5, 28, 6, 9], [8, 16, 16, 4, 7, 8, 2]),
        _probe("1 round", [7], [2]),
    ),
    axes=(),
    mistakes=MISTAKES,
    hints=(
        "In a round both are measured one right after the other, on the same machine. What can be compared "
        "in a round that cannot be compared between rounds?",
        "over / under divides round by round.",
        "np.median(over / under)",
    ),
    explain="Each ratio is of two samples of one round, which met the same machine, busy or not. Their "
    "median "
    "stays steady while the times themselves wander.",
    reread=THE_JUMP,
)

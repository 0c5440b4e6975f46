"""stopwatch-bug, lesson 09: the time of a call, from the log of a benchmark on a GPU."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, example
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_09.shared import HOW_LONG
from helpers.validation import Array


def my_time(log: Array) -> Any:
    """(n_calls, 3): handed over, Python goes on, finished -> the time that a warm call takes."""
    warm = log[1:]
    spent = warm[:, 2] - warm[:, 0]
    return np.median(spent)


EDITS = Edits(
    my_time,
    {"warm": "log[1:]", "end": "warm[:, 2]", "start": "warm[:, 0]", "spent": "warm[:, 2] - warm[:, 0]",
     "middle": "np.median(spent)"},
)  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
nobody-waits
    you stop the clock as soon as Python goes on
    A call only puts work into the GPU's queue. It is done when it has finished: the last column.
    | end => warm[:, 1]

handing-over-left-out
    you start the clock only when Python goes on
    Handing the work over belongs to the call: start with the first column.
    | start => warm[:, 1]

first-call-in
    you count the first call as well
    It loads libraries and chooses kernels. It warms up, and does not count.
    | warm => log

last-left-out
    you leave out the last call instead of the first
    The first call is the one that warms up.
    | warm => log[:-1]

mean
    you take the mean
    One call that another program disturbed moves a mean, and not a median.
    | middle => np.mean(spent)

fastest
    you take the fastest call
    The fastest is luck. The median is what a call usually takes.
    | middle => np.min(spent)

slowest
    you take the slowest call
    Another program may have been in its way. The median is what a call usually takes.
    | middle => np.max(spent)

sum
    you add all the calls up
    The task asks for one call: take the median.
    | middle => np.sum(spent)

start-to-start
    you measure from one handing over to the next, with the pause between them
    Each call has an end of its own: the last column of its row.
    | spent => np.diff(log[:, 0])[1:]
    | spent => np.diff(log[:, 0])

end-to-end
    you measure from one end to the next, with the pause between them
    Each call has a start of its own: the first column of its row.
    | spent => np.diff(log[:, 2])
    | spent => np.diff(log[:, 2])[1:]

medians-subtracted
    you took the median of the ends and that of the starts, and subtracted these
    The two may come from different calls. Subtract in each row first, then take the median.
    | middle => np.median(end) - np.median(start)

one-of-the-middle-two
    you took one of the two times in the middle
    With an even number of times the median lies halfway between the two in the middle: np.median.
    | middle => np.sort(spent)[len(spent) // 2]
    | middle => np.sort(spent)[(len(spent) - 1) // 2]

handing-over-twice
    you count the handing over twice
    It lies between the first column and the last one already: a single difference is enough.
    | spent => it + log[1:, 1] - log[1:, 0]

slowest-left-out
    you leave out the slowest call instead of the first
    The first call is left out because it warms up, whatever it takes. What disturbs a later one is no
    reason: the median can bear it.
    | warm => log; middle => np.median(np.sort(spent)[:-1])

whole-run-divided
    you divide the whole run by the number of calls, so that the pauses between them count
    Each row has its own start and end. Take the difference in each row.
    | middle => (warm[-1, 2] - warm[0, 0]) / len(warm)
    | middle => (log[-1, 2] - log[0, 0]) / len(log)

turned
    you subtract the end from the start
    Times come out below zero. The end is later: it comes first in the subtraction.
    | spent => warm[:, 0] - warm[:, 2]

every-call
    you return the times of all calls
    The task asks for one number: their median.
    | result => spent
""",
    HOW_LONG,
)


def _log(calls: tuple[tuple[float, float, float], ...]) -> Array:
    """(handing over, the rest, pause before it) of each call -> when each was handed over, left, finished."""
    rows, now = [], 0.0
    for handing, rest, pause in calls:
        start = now + pause
        rows.append((start, start + handing, start + handing + rest))
        now = rows[-1][2]
    return np.array(rows)


A_GPU = _log(((0.5, 40, 1), (0.25, 6, 2), (0.5, 6.5, 0.5), (0.25, 31, 3), (0.125, 6.25, 7)))
ANOTHER = _log(
    (
        (1, 90, 0.5),
        (0.5, 2, 4),
        (0.125, 2.75, 0.25),
        (0.25, 2.5, 9),
        (0.5, 3, 1),
        (0.375, 24, 2),
        (0.25, 2.25, 8),
    )
)
FEW = _log(((0.25, 12, 3), (0.5, 5, 1)))
SLOW_FIRST = _log(
    ((2, 5, 0), (0.25, 16, 5), (0.5, 17, 0.5), (0.75, 15.5, 3), (0.25, 90, 1), (0.125, 16.5, 6))
)
ON_A_CPU = _log(((70, 0, 1), (50, 0, 2), (51, 0, 1.5), (49, 0, 4)))
EXERCISE = Mend(
    name="stopwatch-bug",
    answer=my_time,
    bug=EDITS.bug("end => warm[:, 1]"),
    task="The time of a call, from the log of a benchmark on a GPU.",
    given="nobody-waits",
    symptom="two calls, [[0, 1, 90], [100, 101, 107]]: the second is handed over at 100, Python goes on at "
    "101, and it has finished at 107. How long did it take?",
    call="my_time(log)",
    right=my_time,
    recipe=EDITS.recipe(),
    probes=(
        example(log=np.array([[0.0, 1, 90], [100, 101, 107]])),
        Probe("a laptop's GPU, 5 calls", {"log": A_GPU}),
        Probe("a server's GPU, 7 calls", {"log": ANOTHER}),
        Probe("a GPU, 2 calls", {"log": FEW}),
        Probe("a GPU, 6 calls, one of them disturbed", {"log": SLOW_FIRST}),
        Probe("a processor, 4 calls", {"log": ON_A_CPU}),
    ),
    axes=(),
    mistakes=MISTAKES,
    hints=(
        "The three columns are: handed over, Python goes on, finished. Which two does a call lie between?",
        "On a processor Python goes on when the call is done. On a GPU it goes on at once. Which column "
        "tells "
        "when the work is done?",
        "warm[:, 2] - warm[:, 0]",
    ),
    explain="From handing over to the end, without the first call, and the median of what is left. On a "
    "processor the second and the third column are equal, and so nobody notices the mistake there.",
    reread=HOW_LONG,
)

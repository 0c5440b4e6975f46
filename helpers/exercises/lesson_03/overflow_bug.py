"""overflow-bug, lesson 03: A softmax that gives nan when another row is far above.

Its recipe and mistakes are those of softmax (slips/sharing.py); the bug is an edit of the same answer.
"""

from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_03.shared import OF_WEIGHTS
from helpers.exercises.lesson_03.softmax import EXERCISE as SOFTMAX
from helpers.exercises.slips.sharing import SHIFT, softmax_as, softmax_by_choices
from helpers.softmax import softmax

EDITS = softmax_as("my_safe_softmax")
EXERCISE = Mend(
    name="overflow-bug",
    answer=EDITS.answer,
    bug=EDITS.bug("shift => scores.max()"),
    task="A softmax that gives nan when another row is far above.",
    given="whole-max",
    symptom="for the rows [0, 0] and [1000, 1000] the first row of weights is nan. What is left of it after "
    "`scores - scores.max()`, and after np.exp?",
    call="my_safe_softmax(scores)",
    right=softmax,
    recipe=softmax_by_choices,
    probes=SOFTMAX.probes,
    properties=OF_WEIGHTS,
    axes=("query", "key"),
    mistakes=SOFTMAX.mistakes,
    hints=(
        "Compute scores - scores.max() for the rows [0, 0] and [1000, 1000]. What does np.exp make of "
        "the first?",
        "Each row has its own largest score. Over which axis should max run?",
        "And with keepdims=True the largest scores line up with their rows.",
    ),
    explain="Each row's own largest score is subtracted. Then every row has at least one exponential of 1.",
    reread=SHIFT,
)

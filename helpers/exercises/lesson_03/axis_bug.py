"""axis-bug, lesson 03: A softmax that is right on a sentence and wrong on a batch.

Its recipe and mistakes are those of softmax (slips/sharing.py); the bug is an edit of the same answer.
"""

from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_03.shared import OF_WEIGHTS
from helpers.exercises.lesson_03.softmax import EXERCISE as SOFTMAX
from helpers.exercises.slips.sharing import AXIS, softmax_as, softmax_by_choices
from helpers.softmax import softmax

EDITS = softmax_as("my_batch_softmax")
EXERCISE = Mend(
    name="axis-bug",
    answer=EDITS.answer,
    bug=EDITS.bug("axis => 1"),
    task="A softmax that is right on a sentence and wrong on a batch.",
    given="axis-1",
    symptom="for a batch of shape (2, 5, 7) look at weights.sum(axis=-1): these sums should be 1. Which "
    "sums are 1 instead?",
    call="my_batch_softmax(scores)",
    right=softmax,
    recipe=softmax_by_choices,
    probes=SOFTMAX.probes,
    properties=OF_WEIGHTS,
    axes=("query", "key"),
    mistakes=SOFTMAX.mistakes,
    hints=(
        "What does axis 1 count in an array of shape (n_queries, n_keys)? And in one of shape (2, "
        "n_queries, n_keys)?",
        "Axes can be counted from the end. Which number then always means the keys?",
        "Both the largest score and the sum need that axis.",
    ),
    explain="Counted from the end the keys are axis −1, however many axes stand before.",
    reread=AXIS,
)

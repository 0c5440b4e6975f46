"""scale-bug, lesson 02: A scale that follows the length of the text.

Its recipe and mistakes are those of scaled-scores (lesson_02/shared.py); the bug is an edit of the answer.
"""

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_02.scaled_scores import EXERCISE as SCALED_SCORES
from helpers.exercises.lesson_02.shared import scaled_by_choices, scaled_scores
from helpers.exercises.slips.scaling import SPREAD
from helpers.validation import Array


def my_scaling(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), of spread about 1."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return scores / np.sqrt(queries.shape[-1])


EDITS = Edits(my_scaling, {"d_k": "queries.shape[-1]"})
EXERCISE = Mend(
    name="scale-bug",
    answer=my_scaling,
    bug=EDITS.bug("d_k => scores.shape[-1]"),
    task="A scale that follows the length of the text.",
    given="root-n_keys",
    symptom="add a seventh key to six, and all the old scores get smaller, though no query and none of "
    "the six keys "
    "has changed.",
    call="my_scaling(queries, keys)",
    right=scaled_scores,
    recipe=scaled_by_choices,
    probes=SCALED_SCORES.probes,
    axes=("query", "key"),
    mistakes=SCALED_SCORES.mistakes,
    hints=(
        "Which axis of scores is scores.shape[-1]? How many terms were summed to make one score?",
        "The scores no longer have an axis of length d_k. Who still has one?",
        "queries.shape[-1] is d_k.",
    ),
    explain="One score is a sum of d_k terms, and d_k is the last axis of queries (and of keys), not of "
    "scores.",
    reread=SPREAD,
)

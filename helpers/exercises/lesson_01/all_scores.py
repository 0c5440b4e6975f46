"""all-scores, lesson 01: every query against every key, for one sentence and for stacks.

Its mistakes are choices of a recipe: those of matching are shared with lessons 02 and 04 (slips/matching.py).
"""

import numpy as np

from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.kinds.write import Write
from helpers.exercises.slips.matching import PAIRS, TWO, Step, match_mistakes, pair_probes, same
from helpers.similarity import dot_product_scores
from helpers.validation import Array


def _scores_by_choices(
    queries: Array, keys: Array, *, match: Step = dot_product_scores, after: Step = same
) -> Array:
    return after(match(queries, keys), queries, keys)


def my_scores(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys)."""
    return queries @ np.swapaxes(keys, -1, -2)


STEPS = Steps({"after": "scores, queries, keys"}, globals())
EXERCISE = Write(
    name="all-scores",
    answer=my_scores,
    task="Every query against every key, for one sentence and for stacks.",
    call="my_scores(queries, keys)",
    right=dot_product_scores,
    recipe=_scores_by_choices,
    probes=pair_probes(),
    axes=("query", "key"),
    mistakes=(
        *match_mistakes(),
        *STEPS.mistakes(
            """
scaled § pairs
    you already divided the scores by √d_k
    That comes in lesson 02; a plain score is the dot product itself.
    | after => scores / np.sqrt(queries.shape[-1])

mean
    you averaged the products instead of adding them up
    A dot product is a sum over the d_k entries; it is not divided by d_k.
    | after => scores / queries.shape[-1]

sign-lost
    you lost the signs
    A negative score says that two vectors point apart.
    | after => np.abs(scores)
""",
            TWO,
            {"pairs": PAIRS},
        ),
    ),
    hints=(
        "For one sentence: rows of queries, columns of keys. Which of the two has to be transposed?",
        "On a stack `.T` turns every axis round. Which two axes should change places?",
        "np.swapaxes(keys, -1, -2) turns the last two axes only; @ passes the leading ones through.",
    ),
    explain="@ multiplies the last two axes and passes the others through; swapaxes turns each key into "
    "a column.",
    reread=PAIRS,
)

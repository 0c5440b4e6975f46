"""scaled-scores, lesson 02: from queries and keys to scaled scores.

Its mistakes are choices of a recipe: those of matching and scaling are shared with lessons 01 and 04.
"""

import math

import numpy as np

from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.engine.probes import example
from helpers.exercises.kinds.write import Write
from helpers.exercises.lesson_02.shared import D_K_TOO, scaled_by_choices, scaled_scores, second_axis
from helpers.exercises.slips.matching import (  # noqa: F401 (paragraphs name one)
    large_scores,
    match_mistakes,
    pair_probes,
    whole_numbers_kept,
)
from helpers.exercises.slips.scaling import LARGE, SCALE_MISTAKES, SPREAD
from helpers.softmax import softmax  # noqa: F401 (in the paragraphs)
from helpers.validation import Array


def in_place(scores: Array, queries: Array, keys: Array) -> Array:
    scores = scores.astype(
        np.result_type(queries, keys)
    )  # what queries @ keys gives: whole numbers stay whole
    scores /= math.sqrt(queries.shape[-1])
    return scores


def my_scaled_scores(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), of spread about 1."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return scores / np.sqrt(queries.shape[-1])


STEPS = Steps(
    dict.fromkeys(("scale", "after", "cast"), "scores, queries, keys"),
    globals(),
)
EXERCISE = Write(
    name="scaled-scores",
    answer=my_scaled_scores,
    task="From queries and keys to scaled scores.",
    call="my_scaled_scores(queries, keys)",
    right=scaled_scores,
    recipe=scaled_by_choices,
    probes=(
        *pair_probes(
            example(queries=np.array([[1.0, 0.0, 2.0, 1.0]]), keys=np.array([[2.0, 1.0, 3.0, 0.0]]))
        ),
        large_scores(),
    ),
    axes=("query", "key"),
    mistakes=(
        *SCALE_MISTAKES,
        *match_mistakes(D_K_TOO, lay=True),
        second_axis(STEPS, SPREAD),
        *STEPS.mistakes(
            """
weights-returned § large
    you applied softmax as well
    The task ends at the scaled scores; softmax makes weights of them afterwards.
    | after => softmax(scores)
    | after => np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)

whole-numbers-kept
    you wrote the results into an array of whole numbers, which drops everything after the decimal point
    `zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.
    | cast => whole_numbers_kept(scores, queries)
    | cast => np.floor(scores) if queries.dtype.kind == "i" else scores

divided-in-place
    you divided an array of whole numbers in place
    `x /= y` writes the fractions into x itself, and an array of whole numbers cannot hold them. `x / y` makes
    a new array.
    | scale => in_place(scores, queries, keys)

floored
    you rounded the results down to whole numbers
    `//` drops everything after the decimal point; `/` keeps it.
    | after => np.floor(scores)

root-size-of-keys
    you divided the scores by the root of the total number of entries in the keys
    The scale belongs to d_k, the number of entries in each query and key: a score sums d_k terms.
    | scale => scores / np.sqrt(keys.size)

logarithm-2
    you divided the scores by the logarithm of d_k to base 2
    The spread of a sum of d_k terms is √d_k. The two agree for d_k 4, and for 16, and nowhere else.
    | scale => scores / np.log2(queries.shape[-1])

d_k-minus-1
    you divided the scores by √(d_k − 1)
    All d_k terms are random here, and each adds its variance: the spread is √d_k.
    | scale => scores / np.sqrt(queries.shape[-1] - 1)

centred
    you subtracted a mean from the scores
    A shift leaves the spread as it is, and the task asks for the division only.
    | after => scores - scores.mean(axis=-1, keepdims=True)
    | after => scores - scores.mean()

sign-lost
    you lost the signs
    A negative score says that two vectors point away from each other.
    | after => np.abs(scores)
""",
            SPREAD,
            {"large": LARGE},
        ),
    ),
    hints=(
        "Two steps: the scores of lesson 01, then the division that brings their spread to 1.",
        "The scores: queries @ the keys with their last two axes exchanged.",
        "d_k is the length of the last axis of the queries. Divide by its square root.",
    ),
    explain="Score, then scale. Dividing queries and keys by d_k to the power ¼ each gives the same.",
    reread=SPREAD,
)

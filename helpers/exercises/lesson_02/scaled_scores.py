"""scaled-scores, lesson 02: from queries and keys to scaled scores.

Its mistakes are choices of a recipe: those of matching and scaling are shared with lessons 01 and 04.
"""

import math

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.kinds.write import Write
from helpers.exercises.lesson_02.shared import D_K_TOO, scaled_by_choices, scaled_scores
from helpers.exercises.slips.matching import match_mistakes, pair_probes, whole_numbers_kept
from helpers.exercises.slips.scaling import LARGE, SPREAD, scale_mistakes
from helpers.softmax import softmax
from helpers.validation import Array


def _in_place(scores: Array, queries: Array, keys: Array) -> Array:
    scores = scores.astype(
        np.result_type(queries, keys)
    )  # what queries @ keys gives: whole numbers stay whole
    scores /= math.sqrt(queries.shape[-1])
    return scores


WHOLE_NUMBERS_KEPT = Mistake(
    "whole-numbers-kept",
    "the results were written into an array of whole numbers, which drops all after the point",
    "`zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.",
    SPREAD,
    also=[{"cast": lambda r, q, k: np.floor(r) if q.dtype.kind == "i" else r}],
    cast=whole_numbers_kept,
)
IN_PLACE = Mistake(
    "divided-in-place",
    "an array of whole numbers was divided in place",
    "`x /= y` writes the fractions into x itself, and an array of whole numbers cannot hold them. `x / y` "
    "makes a new array.",
    SPREAD,
    scale=_in_place,
)
FLOORED = Mistake(
    "floored",
    "the results were rounded down to whole numbers",
    "`//` drops what stands after the point; `/` keeps it.",
    SPREAD,
    after=lambda result, queries, keys: np.floor(result),
)
SIGN_LOST = Mistake(
    "sign-lost",
    "the signs were lost",
    "A negative score says that two vectors point apart.",
    SPREAD,
    after=lambda result, queries, keys: np.abs(result),
)


def _naive_weights(scores: Array) -> Array:
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def my_scaled_scores(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), of spread about 1."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return scores / np.sqrt(queries.shape[-1])


EXERCISE = Write(
    name="scaled-scores",
    answer=my_scaled_scores,
    task="From queries and keys to scaled scores.",
    call="my_scaled_scores(queries, keys)",
    right=scaled_scores,
    recipe=scaled_by_choices,
    probes=pair_probes(),
    axes=("query", "key"),
    mistakes=(
        *scale_mistakes(),
        *match_mistakes(D_K_TOO),
        Mistake(
            "weights-returned",
            "softmax was applied as well",
            "The task ends at the scaled scores; softmax makes weights of them afterwards.",
            LARGE,
            also=[{"after": lambda s, q, k: _naive_weights(s)}],
            after=lambda scores, queries, keys: softmax(scores),
        ),
        WHOLE_NUMBERS_KEPT,
        IN_PLACE,
        FLOORED,
        SIGN_LOST,
    ),
    hints=(
        "Two steps: the scores of lesson 01, then the division that brings their spread to 1.",
        "The scores: queries @ the keys with their last two axes exchanged.",
        "d_k is the length of the last axis of the queries. Divide by its square root.",
    ),
    explain="Score, then scale. Dividing queries and keys by d_k to the power ¼ each gives the same.",
    reread=LARGE,
)

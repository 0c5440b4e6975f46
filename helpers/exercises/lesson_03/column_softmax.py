"""column-softmax, lesson 03: softmax in the column convention."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_03.shared import score_probes
from helpers.exercises.slips.scaling import NONE_BELOW_0
from helpers.exercises.slips.sharing import (
    FIRST,
    LAST,
    QUERIES,
    SECOND,
    SHIFT,
    WEIGHTS,
    Step,
    dropped_keepdims,
    no_shift,
    own_max,
    row_max,
    total,
    whole_max,
)
from helpers.softmax import softmax
from helpers.validation import Array

COLUMNS = "03: The column convention"


def column_softmax(scores: Array) -> Array:
    """(..., n_keys, n_queries) -> weights of the same shape; each column sums to 1."""
    return softmax(scores, axis=-2)


def _columns_by_choices(
    scores: Array, *, axis: Any = QUERIES, before: Step = lambda scores: scores, shift: Step = own_max,
    share: Step = total, after: Step = lambda weights: weights,
) -> Array:  # fmt: skip
    scores = before(np.asarray(scores))
    exponentials = np.exp(scores - shift(scores, axis))
    return after(exponentials / share(exponentials, axis))


def _columns_sum_to_1(inputs: Any, weights: Array, _call: Any) -> str:
    sums = weights.astype(float).sum(axis=-2).ravel() if weights.ndim > 1 else np.array([0.0])
    if np.allclose(sums, 1, atol=4e-3):
        return ""
    shown = ", ".join(f"{total:.2f}" for total in sums[:4])
    return f"Columns of weights sum to {shown}; each query, a column here, should spend 1."


def _turn(array: Array) -> Array:
    return np.swapaxes(array, -1, -2)


def my_column_softmax(scores: Array) -> Array:
    """(..., n_keys, n_queries) -> weights of the same shape; each column sums to 1."""
    return softmax(scores, axis=-2)


EXERCISE = Write(
    name="column-softmax",
    answer=my_column_softmax,
    task="Softmax in the column convention.",
    call="my_column_softmax(scores)",
    right=column_softmax,
    recipe=_columns_by_choices,
    probes=score_probes(),
    properties=(Property("columns sum to 1", "each column sums to 1", _columns_sum_to_1), NONE_BELOW_0),
    axes=("key", "query"),
    mistakes=(
        Mistake(
            "rows",
            "softmax ran over the rows",
            "Here a column belongs to one query: it runs over the keys, the last axis but one.",
            COLUMNS,
            axis=LAST,
        ),
        Mistake(
            "axis-0",
            "softmax ran over axis 0 (or over the rows of `.T`), which holds the keys for one sentence only",
            "On a stack, axis 0 counts the sentences. Counted from the end, the keys are axis −2 here.",
            COLUMNS,
            axis=FIRST,
        ),
        Mistake(
            "axis-1",
            "softmax ran over axis 1",
            "Counted from the end, the keys are axis −2 here, however many axes stand before.",
            COLUMNS,
            axis=SECOND,
        ),
        Mistake(
            "one-swap-only",
            "softmax ran over the rows, and the axes were swapped once only: those of the weights after "
            "it, or those of the scores before it, with the axis of softmax changed as well",
            "Swap the last two axes before softmax and again after it; or swap nothing, and give softmax the "
            "axis −2.",
            COLUMNS,
            axis=LAST,
            after=_turn,
        ),
        Mistake(
            "not-turned-back",
            "the axes were swapped once only: those of the scores before softmax, or those of the weights "
            "after it",
            "The weights should have the shape of the scores: a swap before softmax needs another one after "
            "it, and softmax over axis −2 needs none.",
            COLUMNS,
            after=_turn,
        ),
        Mistake(
            "turned-by-T",
            "`.T` turned all axes round, the stack of sentences as well, and was not undone",
            "Only the last two axes should change places; or leave them, and give softmax the axis −2.",
            COLUMNS,
            axis=LAST,
            before=lambda scores: scores.T,
        ),
        Mistake(
            "over-everything",
            "all scores together were made one distribution",
            "One distribution for each query, which is a column here.",
            COLUMNS,
            axis=None,
        ),
        Mistake(
            "no-column-max",
            "the largest score was not subtracted first",
            "e^1000 is larger than any float64, and e^−1000 is 0. Subtract the largest score of each column.",
            SHIFT,
            shift=no_shift,
        ),
        Mistake(
            "not-divided",
            "the exponentials were not divided by their sum",
            "Weights are shares: each exponential is divided by the sum of its column.",
            WEIGHTS,
            also=[{"share": lambda e, axis: 1.0, "shift": no_shift}],
            share=lambda exponentials, axis: 1.0,
        ),
        Mistake(
            "keepdims",
            "a number for each column (a sum, a largest score) lost its axis",
            "One table comes out right by luck; on a stack NumPy cannot line the numbers up with their "
            "columns. `keepdims=True` keeps the axis.",
            COLUMNS,
            share=dropped_keepdims,
        ),
        Mistake(
            "softmax-of-weights",
            "softmax was applied twice, over the rows and then over the columns",
            "Weights are no scores: a second softmax makes them nearly equal. Once is enough, over the keys.",
            COLUMNS,
            also=[
                {"before": lambda s: softmax(s, axis=QUERIES), "axis": LAST},
                {"after": lambda w: softmax(w, axis=QUERIES)},
            ],
            before=softmax,
        ),
        Mistake(
            "whole-max",
            "the largest of all scores was subtracted, not the largest of each column",
            "A column far below it has nothing but e^−1000 = 0 left, and 0/0 is nan.",
            SHIFT,
            shift=whole_max,
        ),
        Mistake(
            "row-max",
            "the largest score of each row was subtracted, not that of each column",
            "The shift cancels only where all scores of one query, a column here, are shifted alike.",
            COLUMNS,
            shift=row_max,
        ),
    ),
    hints=(
        "Here a column holds the scores of one query. Over which axis does a column run?",
        "Counted from the end, the keys are the last axis but one.",
        "The helper softmax takes an argument axis.",
    ),
    explain="The same softmax, over the other axis: the keys are the last axis but one here.",
    reread=COLUMNS,
)

"""column-softmax, lesson 03: softmax in the column convention.

The answer calls the helper. Its mistakes are edits of the same steps, written out.
"""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import example
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_03.shared import score_probes
from helpers.exercises.slips.scaling import NONE_BELOW_0
from helpers.exercises.slips.sharing import SHIFT, WEIGHTS
from helpers.softmax import softmax
from helpers.validation import Array

COLUMNS = "03: The column convention"


def my_column_softmax(scores: Array) -> Array:
    """(..., n_keys, n_queries) -> weights of the same shape; each column sums to 1."""
    return softmax(scores, axis=-2)


def by_steps(scores: Array) -> Array:
    shifted = scores - scores.max(axis=-2, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-2, keepdims=True)


def columns_sum_to_1(inputs: Any, weights: Array, _call: Any) -> str:
    sums = weights.astype(float).sum(axis=-2).ravel() if weights.ndim > 1 else np.array([0.0])
    if np.allclose(sums, 1, atol=4e-3):
        return ""
    shown = ", ".join(f"{total:.2f}" for total in sums[:4])
    return f"Columns of weights sum to {shown}; each query, a column here, should spend 1."


def rows_then_columns(scores: Array) -> Array:
    weights = softmax(scores)
    return weights / weights.sum(axis=-2, keepdims=True)


EDITS = Edits(by_steps, {
    "shift": "scores.max(axis=-2, keepdims=True)",
    "exp": "np.exp(shifted)",
    "total": "exponentials.sum(axis=-2, keepdims=True)",
    "shift_axis": "-2 in shift",
    "total_axis": "-2 in total",
    "axis": "shift_axis + total_axis",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
rows
    you ran softmax over the rows
    Here a column belongs to one query: it runs over the keys, the last axis but one.
    | axis => -1

axis-0
    you ran softmax over axis 0 (or over the rows of `.T`), which holds the keys for one sentence only
    On a stack, axis 0 counts the sentences. Counted from the end, the keys are axis −2 here.
    | axis => 0

axis-1
    you ran softmax over axis 1
    Counted from the end, the keys are axis −2 here, however many axes stand before.
    | axis => 1

one-swap-only
    {one_swap}
    Swap the last two axes before softmax and again after it; or swap nothing, and give softmax the axis −2.
    | axis => -1; result => np.swapaxes(it, -1, -2)

not-turned-back
    you swapped the axes only once: those of the scores before softmax, or those of the weights after it
    The weights should have the shape of the scores: a swap before softmax needs another one after it, and
    softmax over axis −2 needs none.
    | result => np.swapaxes(it, -1, -2)

turned-by-T
    you reversed all the axes with `.T`, the stack of sentences too, and did not undo it
    Only the last two axes should change places; or leave them, and give softmax the axis −2.
    | axis => -1; scores => it.T

over-everything
    you made one distribution of all the scores together
    Each query, a column here, gets one distribution.
    | axis => None

over-matrix
    you made one distribution of each sentence's whole table
    Each query, a column here, gets one distribution.
    | axis => (-2, -1)

axis-minus-3
    you ran softmax over axis −3 of a stack, which counts the sentences or the heads
    Counted from the end, the queries are axis −1 here and the keys axis −2.
    | axis => -3 if scores.ndim > 2 else -2

powers-of-2 § weights
    you took powers of 2, not of e
    Softmax is defined with e^score, `np.exp`.
    | exp => np.exp2(shifted)
    | exp => 2**shifted

no-column-max § shift
    you did not subtract the largest score first
    e^1000 is larger than any float64, and e^−1000 is 0. Subtract the largest score of each column.
    | shift => 0.0

not-divided § weights
    you did not divide the exponentials by their sum
    Weights are shares: each exponential is divided by the sum of its column.
    | total => 1.0
    | total => 1.0; shift => 0.0

keepdims
    you let the columns' sums or largest scores lose their axis
    One table comes out right by luck; on a stack NumPy cannot line the numbers up with their columns.
    `keepdims=True` keeps the axis.
    | total => exponentials.sum(axis=total_axis)

scaled-again
    you divided the scores by √n_keys first
    Softmax takes the scores as they are; scaling, by √d_k, is a step of its own before it.
    | scores => it / np.sqrt(it.shape[-2])

scaled-by-queries
    you divided the scores by √n_queries first
    Softmax takes the scores as they are; scaling, by √d_k, is a step of its own before it.
    | scores => it / np.sqrt(it.shape[-1])

softmax-of-weights
    you applied softmax twice
    Weights are not scores: a second softmax makes them nearly equal. Once is enough, over the keys.
    | scores => softmax(it)
    | scores => softmax(it, axis=-2); axis => -1
    | result => softmax(it, axis=-2)

rows-then-columns
    you ran softmax over the rows, and then divided each column by its sum
    The columns sum to 1, but each weight still depends on the other queries of its row. Softmax runs once,
    over the keys: axis −2.
    | result => rows_then_columns(scores)

whole-max § shift
    you subtracted the largest of all scores, not the largest of each column
    A column far below it has nothing but e^−1000 = 0 left, and 0/0 is nan.
    | shift => scores.max()

row-max
    you subtracted the largest score of each row, not that of each column
    The shift cancels only where all scores of one query, a column here, are shifted alike.
    | shift => scores.max(axis=-1, keepdims=True)
    """,
    reread=COLUMNS,
    sections={"shift": SHIFT, "weights": WEIGHTS},
    words={
        "one_swap": "you ran softmax over the rows and swapped the axes only once: those of the weights "
        "after it, or those of the scores before it, with the axis of softmax changed as well",
    },
)
EXERCISE = Write(
    name="column-softmax",
    answer=my_column_softmax,
    task="Softmax in the column convention.",
    call="my_column_softmax(scores)",
    right=my_column_softmax,
    recipe=EDITS.recipe(),
    probes=score_probes(example(scores=np.array([[0.0], [np.log(3)]]))),
    properties=(Property("columns sum to 1", "each column sums to 1", columns_sum_to_1), NONE_BELOW_0),
    axes=("key", "query"),
    mistakes=MISTAKES,
    hints=(
        "Here a column holds the scores of one query. Over which axis does a column run?",
        "Counted from the end, the keys are the last axis but one.",
        "The helper softmax takes an argument axis.",
    ),
    explain="The same softmax, over the other axis: the keys are the last axis but one here.",
    reread=COLUMNS,
)

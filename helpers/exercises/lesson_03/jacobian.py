"""jacobian, lesson 03: how each weight responds to each score."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.write import Property, Write
from helpers.softmax import softmax, softmax_jacobian
from helpers.validation import Array

ANSWER = "03: How weights respond to scores"


def my_jacobian(weights: Array) -> Array:
    """(n_keys,) -> (n_keys, n_keys): entry (i, j) is ∂ weight i / ∂ score j."""
    return np.diag(weights) - np.outer(weights, weights)


def plain_softmax(scores: Array) -> Array:
    return np.exp(scores) / np.exp(scores).sum()


def rows_sum_to_0(inputs: Any, jacobian: Array, _call: Any) -> str:
    sums = jacobian.astype(float).sum(axis=-1)
    if np.allclose(sums, 0, atol=1e-4):
        return ""
    found = f"Row 0 of your result sums to {np.ravel(sums)[0]:.2f}"
    return f"{found}; adding a number to every score moves no weight, so rows sum to 0."


def symmetric(inputs: Any, jacobian: Array, _call: Any) -> str:
    square = jacobian.ndim == 2 and jacobian.shape[0] == jacobian.shape[1]
    if not square or np.allclose(jacobian, jacobian.T, atol=1e-5):
        return ""
    return "Entry (i, j) should equal entry (j, i): p_i p_j is p_j p_i."


EDITS = Edits(my_jacobian, {
    "diagonal": "np.diag(weights)",
    "outer": "np.outer(weights, weights)",
    "difference": "np.diag(weights) - np.outer(weights, weights)",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
diagonal-only
    you computed only the diagonal, p(1 − p)
    A weight responds to the other scores, too: entry (i, j) off the diagonal is −p_i p_j.
    | result => np.diag(np.diag(it))

diagonal-as-row
    you returned one row, p(1 − p), each weight's answer to its own score
    A weight responds to the other scores, too: there is a row for each weight and a column for each score.
    | result => weights * (1 - weights)

no-diagonal
    you left out the part with [i = j]
    On the diagonal p_i is added: a weight rises with its own score.
    | diagonal => 0 * it

no-outer
    you left out the part with p_j
    Off the diagonal is −p_i p_j: what one key gains, the others lose.
    | outer => 0 * it

plus
    you added the outer product
    It is subtracted: what one key gains, the others lose.
    | difference => diagonal + outer

sign-turned
    you flipped the sign
    A weight rises with its own score, so that the diagonal is positive.
    | difference => -it

half-only
    you computed one half of the table, on one side of the diagonal, and left the other at 0
    Every weight answers every score: entry (j, i) is the same as entry (i, j).
    | result => np.triu(it)
    | result => np.tril(it)

two-keys-only
    you returned the table of two keys, whatever the number of keys
    With n keys there are n × n slopes: one for each weight and each score.
    | result => np.array([[1, -1], [-1, 1]]) * weights[0] * (1 - weights[0])
    | result => np.array([[1, -1], [-1, 1]]) * weights[0] * weights[1]

identity
    you put 1 on the diagonal where p_i should stand
    p_i multiplies the whole bracket, [i = j] too.
    | diagonal => np.eye(weights.size)

diagonal-not-multiplied
    you left out the factor p_i on the diagonal: 1 − p_i stands there
    p_i multiplies the whole bracket, on the diagonal too: p_i (1 − p_i).
    | result => np.where(np.eye(weights.size) == 1, 1 - weights, it)

not-multiplied-by-row
    you left out the factor p_i before the bracket
    p_i ([i = j] − p_j): the bracket holds for each row, and p_i multiplies it.
    | diagonal => np.eye(weights.size); outer => np.tile(weights, (weights.size, 1))

inner
    you subtracted one number, p · p, from every entry
    The outer product has an entry p_i p_j for every pair; `@` of two vectors sums them up to one number.
    | outer => weights @ weights

entry-by-entry
    you put p_j² in every row of the second part, where p_i p_j should stand
    A product of two single rows goes entry by entry, along the columns. The factor p_i changes from row to
    row: weights[:, None] turns the weights into a column.
    | outer => weights * weights

p_i-twice
    you put p_i in the bracket where p_j should stand
    In entry (i, j), i is the weight that answers and j the score that moves.
    | outer => np.repeat((weights * weights)[:, None], weights.size, axis=1)

sign-off-the-diagonal
    you gave the entries off the diagonal the wrong sign
    There [i = j] is 0, and −p_i p_j is left: what one key gains, the others lose.
    | result => np.where(np.eye(weights.size) == 1, it, -it)

row-broadcast
    you subtracted the weights along a row, without the factor p_i
    Entry (i, j) of the second part is p_i p_j.
    | outer => weights
    | outer => weights[:, None]

diagonal-as-vector
    you did not put the first part on the diagonal
    [i = j] is 1 on the diagonal only: diag(p) is a square table.
    | diagonal => weights
    | diagonal => weights[:, None]

empty-diagonal
    your diagonal holds nothing but 0
    On the diagonal is p_i (1 − p_i) = p_i − p_i². Fill it as well; with p_i² in the place of p_i nothing is
    left.
    | diagonal => np.diag(weights**2)

nothing-but-0
    your results hold nothing but 0
    If you used `@`: it adds up a whole row of [i = j] − p_j, and what one key gains the others lose. Multiply
    by `*`, with p_i in a column, weights[:, None].
    @ made = (np.eye(weights.size)-weights)@weights 0*(np.diag(weights)-np.outer(weights,weights))
    | result => made
    | result => (np.eye(weights.size) - weights[:, None]) @ weights[:, None]

rounded
    you rounded the results
    Rounding is for showing numbers: rounded rows no longer sum to 0.
    @ n = 2 3 1 4
    | result => it.round(n)

softmax-again
    you put the weights through softmax once more
    The input holds the weights already.
    | result => softmax_jacobian(softmax(weights))
    | result => my_jacobian(plain_softmax(weights))
    """,
    reread=ANSWER,
)
EXERCISE = Write(
    name="jacobian",
    answer=my_jacobian,
    task="How each weight responds to each score.",
    call="my_jacobian(weights)",
    right=softmax_jacobian,
    recipe=EDITS.recipe(),
    probes=tuple(
        Probe(kind, {"weights": weights}, kind == "one key")
        for kind, weights in (
            ("two keys", np.array([0.2, 0.8])),
            (EXAMPLE, np.array([0.25, 0.75])),
            ("three keys", np.array([0.1, 0.6, 0.3])),
            ("three other keys", np.array([0.5, 0.15, 0.35])),
            ("seven keys", softmax(numbers(7, start=5))),
            ("float32", softmax(numbers(5, start=9, dtype=np.float32))),
            ("a weight of 0", np.array([0.25, 0.0, 0.55, 0.2])),
            ("one key", np.array([1.0])),
        )
    ),
    properties=(
        Property("rows sum to 0", "each row sums to 0", rows_sum_to_0),
        Property("symmetric", "the table is symmetric", symmetric),
    ),
    axes=("weight", "score"),
    mistakes=MISTAKES,
    hints=(
        "Two tables of shape (n_keys, n_keys): one for p_i [i = j], one for p_i p_j.",
        "The first holds the weights on its diagonal and 0 elsewhere: np.diag.",
        "The second holds every product p_i p_j: np.outer.",
    ),
    explain="diag(p) − p pᵀ, written as p_i ([i = j] − p_j). Rows sum to 0: a shift of all scores moves "
    "no weight.",
    reread=ANSWER,
)

"""jacobian, lesson 03: how each weight answers each score."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.slips.sharing import Step
from helpers.softmax import softmax, softmax_jacobian
from helpers.validation import Array

ANSWER = "03: How weights answer scores"


def _jacobian_by_choices(
    weights: Array, *, diagonal: Step = np.diag, outer: Step = lambda p: np.outer(p, p),
    join: Step = np.subtract, after: Step = lambda jacobian, p: jacobian,
) -> Array:  # fmt: skip
    return after(join(diagonal(weights), outer(weights)), weights)


def _rows_of_jacobian(inputs: Any, jacobian: Array, _call: Any) -> str:
    sums = jacobian.astype(float).sum(axis=-1)
    if np.allclose(sums, 0, atol=1e-4):
        return ""
    found = f"Row 0 of your result sums to {np.ravel(sums)[0]:.2f}"
    return f"{found}; adding a number to every score moves no weight, so rows sum to 0."


def _s(p: Array) -> Array:
    return np.exp(p) / np.exp(p).sum()


def my_jacobian(weights: Array) -> Array:
    """(n_keys,) -> (n_keys, n_keys): entry (i, j) is ∂ weight i / ∂ score j."""
    return np.diag(weights) - np.outer(weights, weights)


EXERCISE = Write(
    name="jacobian",
    answer=my_jacobian,
    task="How each weight answers each score.",
    call="my_jacobian(weights)",
    right=softmax_jacobian,
    recipe=_jacobian_by_choices,
    probes=tuple(
        Probe(kind, {"weights": weights})
        for kind, weights in (
            ("two keys", np.array([0.2, 0.8])),
            ("three keys", np.array([0.1, 0.6, 0.3])),
            ("three other keys", np.array([0.5, 0.15, 0.35])),
            ("seven keys", softmax(numbers(7, start=5))),
            ("float32", softmax(numbers(5, start=9, dtype=np.float32))),
            ("a weight of 0", np.array([0.25, 0.0, 0.55, 0.2])),
        )
    ),
    properties=(
        Property("rows sum to 0", "each row sums to 0", _rows_of_jacobian),
        Property(
            "symmetric",
            "the table is symmetric",
            lambda inputs, j, call: (
                ""
                if j.ndim != 2 or j.shape[0] != j.shape[1] or np.allclose(j, j.T, atol=1e-5)
                else "Entry (i, j) should equal entry (j, i): p_i p_j is p_j p_i."
            ),
        ),
    ),
    axes=("weight", "score"),
    mistakes=(
        Mistake(
            "diagonal-only",
            "only the diagonal was computed, p(1 − p)",
            "A weight answers the other scores, too: entry (i, j) off the diagonal is −p_i p_j.",
            ANSWER,
            after=lambda jacobian, p: np.diag(np.diag(jacobian)),
        ),
        Mistake(
            "diagonal-as-row",
            "one row came back, p(1 − p), each weight's answer to its own score",
            "A weight answers the other scores, too: the result has a row for each weight and a column "
            "for each score.",
            ANSWER,
            after=lambda jacobian, p: p * (1 - p),
        ),
        Mistake(
            "no-diagonal",
            "the part with [i = j] was left out",
            "On the diagonal p_i is added: a weight rises with its own score.",
            ANSWER,
            diagonal=lambda p: np.zeros((p.size, p.size)),
        ),
        Mistake(
            "no-outer",
            "the part with p_j was left out",
            "Off the diagonal stands −p_i p_j: what one key gains, the others lose.",
            ANSWER,
            outer=lambda p: np.zeros((p.size, p.size)),
        ),
        Mistake(
            "plus",
            "the outer product was added",
            "It is subtracted: what one key gains, the others lose.",
            ANSWER,
            join=np.add,
        ),
        Mistake(
            "sign-turned",
            "the sign was turned",
            "A weight rises with its own score, so that the diagonal is positive.",
            ANSWER,
            after=lambda jacobian, p: -jacobian,
        ),
        Mistake(
            "identity",
            "1 stands on the diagonal where p_i should stand",
            "p_i multiplies the whole bracket, [i = j] too.",
            ANSWER,
            diagonal=lambda p: np.eye(p.size),
        ),
        Mistake(
            "diagonal-not-multiplied",
            "the diagonal lacks its factor p_i: 1 − p_i stands there",
            "p_i multiplies the whole bracket, on the diagonal too: p_i (1 − p_i).",
            ANSWER,
            after=lambda jacobian, p: np.where(np.eye(p.size) == 1, 1 - p, jacobian),
        ),
        Mistake(
            "not-multiplied-by-row",
            "the factor p_i before the bracket was left out",
            "p_i ([i = j] − p_j): the bracket holds for each row, and p_i multiplies it.",
            ANSWER,
            diagonal=lambda p: np.eye(p.size),
            outer=lambda p: np.tile(p, (p.size, 1)),
        ),
        Mistake(
            "inner",
            "one number, p · p, was subtracted from every entry",
            "The outer product has an entry p_i p_j for every pair; `@` of two vectors sums them up to "
            "one number.",
            ANSWER,
            outer=lambda p: p @ p,
        ),
        Mistake(
            "entry-by-entry",
            "the second part has p_j² in every row, where p_i p_j should stand",
            "A product of two single rows goes entry by entry, along the columns. The factor p_i changes "
            "from row to row: weights[:, None] turns the weights into a column.",
            ANSWER,
            outer=lambda p: p * p,
        ),
        Mistake(
            "p_i-twice",
            "p_i stands in the bracket where p_j should stand",
            "In entry (i, j), i is the weight that answers and j the score that moves.",
            ANSWER,
            outer=lambda p: np.repeat((p * p)[:, None], p.size, axis=1),
        ),
        Mistake(
            "sign-off-the-diagonal",
            "the entries off the diagonal have the wrong sign",
            "There [i = j] is 0, and −p_i p_j is left: what one key gains, the others lose.",
            ANSWER,
            after=lambda jacobian, p: np.where(np.eye(p.size) == 1, jacobian, -jacobian),
        ),
        Mistake(
            "row-broadcast",
            "the weights were subtracted along a row, without the factor p_i",
            "Entry (i, j) of the second part is p_i p_j.",
            ANSWER,
            also=[{"outer": lambda p: p[:, None]}],
            outer=lambda p: p,
        ),
        Mistake(
            "diagonal-as-vector",
            "the first part was not put on the diagonal",
            "[i = j] is 1 on the diagonal only: diag(p) is a square table.",
            ANSWER,
            also=[{"diagonal": lambda p: p[:, None]}],
            diagonal=lambda p: p,
        ),
        Mistake(
            "squared-diagonal",
            "p_i² stands in the first part where p_i should stand",
            "On the diagonal stands p_i (1 − p_i) = p_i − p_i².",
            ANSWER,
            diagonal=lambda p: np.diag(p**2),
        ),
        Mistake(
            "softmax-again",
            "the weights were put through softmax once more",
            "The input holds the weights already.",
            ANSWER,
            also=[{"after": lambda j, p: np.diag(_s(p)) - np.outer(_s(p), _s(p))}],
            after=lambda jacobian, p: softmax_jacobian(softmax(p)),
        ),
    ),
    hints=(
        "Two tables of shape (n_keys, n_keys): one for p_i [i = j], one for p_i p_j.",
        "The first holds the weights on its diagonal and 0 elsewhere: np.diag.",
        "The second holds every product p_i p_j: np.outer.",
    ),
    explain="diag(p) − p pᵀ, written as p_i ([i = j] − p_j). Rows sum to 0: a shift of all scores moves "
    "no weight.",
    reread=ANSWER,
)

"""Mistakes in mixing the values of one tile into those before it: choices of the same recipe as in steps."""

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.lesson_12.steps import (
    ONE_PASS,
    SHRINK,
    Part,
    as_it_was,
    forgotten,
    own_softmax,
    row_max,
)
from helpers.softmax import softmax
from helpers.validation import Array


def _mix(exponentials: Array, values: Array) -> Array:
    return np.asarray(exponentials @ values)


def _tile_rescaled(part: Part) -> Array:
    return part.carried + part.rescale * _mix(part.e, part.values)


def mix_mistakes() -> tuple[Mistake, ...]:
    """What goes wrong with the weighted sum, in one step of the pass."""
    once = (
        "weighted_sum is not divided yet. What is divided by an early sum can no longer be added to what "
        "comes later: divide once, after the last tile."
    )
    return (
        Mistake(
            "sum-not-rescaled",
            "running_sum was not rescaled, weighted_sum was",
            f"{SHRINK} That holds for both sums.",
            ONE_PASS,
            carry_sum=as_it_was,
        ),
        Mistake(
            "mix-not-rescaled",
            "weighted_sum was not rescaled, running_sum was",
            f"{SHRINK} That holds for both sums.",
            ONE_PASS,
            carry_mix=as_it_was,
        ),
        Mistake(
            "mix-rescaled-twice",
            "weighted_sum was rescaled twice",
            "Once is enough: e^(old − new) leads from the old maximum to the new one.",
            ONE_PASS,
            carry_mix=lambda rescale, summed: rescale**2 * summed,
        ),
        Mistake(
            "tile-rescaled",
            "the tile was rescaled, and not what was summed before",
            "The tile's exponentials are measured against the new maximum already. It is the earlier "
            "sums that are not.",
            ONE_PASS,
            carry_sum=as_it_was,
            carry_mix=as_it_was,
            add_sum=lambda carried, e, rescale: carried + rescale * e.sum(axis=-1, keepdims=True),
            add_mix=_tile_rescaled,
        ),
        Mistake(
            "all-rescaled",
            "the tile's own part was rescaled as well",
            "The tile's exponentials are measured against the new maximum already. Multiply only what "
            "was summed before.",
            ONE_PASS,
            also=[{"add_mix": _tile_rescaled}],
            add_sum=lambda carried, e, rescale: carried + rescale * e.sum(axis=-1, keepdims=True),
            add_mix=_tile_rescaled,
        ),
        Mistake(
            "mix-overwritten",
            "the weighted sum of earlier tiles was lost: the tile's own replaced it",
            "The weighted sum goes on: what it was, rescaled, plus the tile's exponentials @ values.",
            ONE_PASS,
            carry_mix=forgotten,
        ),
        Mistake(
            "both-overwritten",
            "both sums of earlier tiles were lost: the tile's own replaced them",
            "The sums go on: what they were, rescaled, plus the tile's part.",
            ONE_PASS,
            carry_sum=forgotten,
            carry_mix=forgotten,
        ),
        Mistake(
            "tile-mix-lost",
            "the tile's values never came into weighted_sum",
            "weighted_sum is what it was, rescaled, plus exponentials @ values.",
            ONE_PASS,
            add_mix=lambda part: part.carried,
        ),
        Mistake(
            "divided-in-the-step",
            "the tile's part of weighted_sum was divided by the running sum in the step",
            once,
            ONE_PASS,
            also=[
                {"add_mix": lambda part: (part.carried + part.e @ part.values) / part.total},
                {"add_mix": lambda part: part.carried / part.total + part.e @ part.values},
            ],
            add_mix=lambda part: part.carried + part.e @ part.values / part.total,
        ),
        Mistake(
            "divided-by-the-tile",
            "the tile's part of weighted_sum was divided by the tile's own sum",
            once,
            ONE_PASS,
            also=[
                {"add_mix": lambda part: part.carried + own_softmax(part.scores) @ part.values},
                {"add_mix": lambda part: part.carried + softmax(part.scores) @ part.values},
            ],
            add_mix=lambda part: part.carried + part.e @ part.values / part.e.sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "scores-mixed",
            "the values were mixed by the scores themselves",
            "The values count by e^(score − new), as in softmax: exponentials @ values.",
            ONE_PASS,
            also=[
                {"add_mix": lambda part: part.carried + (part.scores - row_max(part.scores)) @ part.values}
            ],
            add_mix=lambda part: part.carried + part.scores @ part.values,
        ),
        Mistake(
            "entry-by-entry",
            "exponentials and values were multiplied entry by entry",
            "Each query mixes all values of the tile: exponentials (n_queries, tile) @ values (tile, d_v).",
            ONE_PASS,
            add_mix=lambda part: part.carried + part.e * part.values,
        ),
        Mistake(
            "values-first",
            "values and exponentials stand in the wrong order",
            "(n_queries, tile) @ (tile, d_v) gives (n_queries, d_v): the exponentials come first.",
            ONE_PASS,
            add_mix=lambda part: part.carried + part.values @ part.e,
        ),
        Mistake(
            "values-transposed",
            "the values were transposed",
            "(n_queries, tile) @ (tile, d_v) fits as it is: exponentials @ values.",
            ONE_PASS,
            add_mix=lambda part: part.carried + part.e @ part.values.T,
        ),
        Mistake(
            "values-unweighted",
            "the values were added without their exponentials",
            "The values count by e^(score − new): exponentials @ values.",
            ONE_PASS,
            also=[
                {
                    "add_mix": lambda part: (
                        part.carried + part.e.sum(axis=-1, keepdims=True) * part.values.mean(axis=0)
                    )
                }
            ],
            add_mix=lambda part: part.carried + part.values.sum(axis=0),
        ),
    )

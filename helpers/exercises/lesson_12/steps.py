"""Mistakes in one step of the online softmax.

Each part of a step is a choice: a recipe reads better here than edits.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.lesson_12.shared import Step
from helpers.validation import Array

ONE_PASS = "12: One pass over the keys"
SHRINK = (
    "What was summed before was measured against the old maximum, as e^(score − old). Multiplied by "
    "e^(old − new) it is measured against the new one."
)
ONE_MEASURE = "All that goes into one sum must be measured against one maximum: the new one."
GROWS = (
    "The running maximum only grows: np.maximum of the one before and of the tile's. Where it shrinks, "
    "e^(old − new) is larger than 1, and may be ∞."
)


def but(mistakes: Iterable[Mistake], *names: str) -> tuple[Mistake, ...]:
    return tuple(mistake for mistake in mistakes if mistake.name not in names)


def row_max(scores: Array) -> Array:
    return np.asarray(scores.max(axis=-1, keepdims=True))


def larger_of_both(running_max: Array, scores: Array) -> Array:
    return np.maximum(running_max, row_max(scores))


def _old_minus_new(running_max: Array, new_max: Array, _scores: Array) -> Array:
    return np.exp(running_max - new_max)


def _times(rescale: Array, summed: Array) -> Array:
    return rescale * summed


def _plus(rescale: Array, summed: Array) -> Array:
    return rescale + summed


def as_it_was(_rescale: Array, summed: Array) -> Array:
    return summed


def forgotten(_rescale: Array, summed: Array) -> Array:
    return summed * 0


def _minus_new(scores: Array, _running_max: Array, new_max: Array) -> Array:
    return np.exp(scores - new_max)


def _plus_sum(carried: Array, exponentials: Array, _rescale: Array) -> Array:
    return carried + exponentials.sum(axis=-1, keepdims=True)


class Part(NamedTuple):
    """What a step may use to add one tile to the weighted sum."""

    carried: Array  # what was summed before, rescaled
    e: Array  # the tile's exponentials
    values: Array
    total: Array  # the new running sum
    before: Array  # the old one
    rescale: Array
    scores: Array


def _plus_mix(part: Part) -> Array:
    return part.carried + part.e @ part.values


def one_step(
    running_max: Array, running_sum: Array, weighted_sum: Array, scores: Array, values: Array, *,
    largest: Step = larger_of_both, factor: Step = _old_minus_new, carry_sum: Step = _times,
    carry_mix: Step = _times, exponentiate: Step = _minus_new, add_sum: Step = _plus_sum,
    add_mix: Step = _plus_mix,
) -> Any:  # fmt: skip
    new_max = largest(running_max, scores)
    rescale = factor(running_max, new_max, scores)
    exponentials = exponentiate(scores, running_max, new_max)
    new_sum = add_sum(carry_sum(rescale, running_sum), exponentials, rescale)
    carried = carry_mix(rescale, weighted_sum)
    return (
        new_max,
        new_sum,
        add_mix(Part(carried, exponentials, values, new_sum, running_sum, rescale, scores)),
    )


def one(running_max: Array, _new_max: Array, _scores: Array) -> Array:
    return np.ones_like(running_max)


def _guarded(factor: Step) -> Step:
    """A wrong factor, with 0 in its place where the old maximum is still −∞."""

    def guarded(running_max: Array, new_max: Array, scores: Array) -> Array:
        nothing = np.isneginf(running_max)
        return np.where(nothing, 0, factor(np.where(nothing, new_max, running_max), new_max, scores))

    return guarded


def _new_minus_old(running_max: Array, new_max: Array, _scores: Array) -> Array:
    return np.exp(new_max - running_max)


WITHOUT_E: tuple[Step, ...] = (
    lambda old, new, scores: old - new,
    lambda old, new, scores: new - old,
    lambda old, new, scores: old / new,
    lambda old, new, scores: new / old,
)

GUARDED_INVERTED = {"factor": _guarded(_new_minus_old)}
NEW_OVER_OLD = {"factor": WITHOUT_E[-1]}  # new / −∞ is 0: it needs no guard
GUARDED_WITHOUT_E = [{"factor": _guarded(factor)} for factor in WITHOUT_E[:-1]]
GUARDED = [
    GUARDED_INVERTED,
    NEW_OVER_OLD,
    *GUARDED_WITHOUT_E,
]  # right on the first tile, so that a pass is not all nan


def own_softmax(scores: Array, *_maxima: Array) -> Array:
    exponentials = np.exp(scores - row_max(scores))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def tile_only(_running_max: Array, scores: Array) -> Array:
    return row_max(scores)


def _old_only(running_max: Array, _scores: Array) -> Array:
    return running_max


def sum_mistakes() -> tuple[Mistake, ...]:
    """What goes wrong with the maximum, the factor and the sum, in one step of the pass."""
    return (
        Mistake(
            "no-rescale", "what was summed before this tile was not rescaled", SHRINK, ONE_PASS, factor=one
        ),
        Mistake(
            "rescale-inverted",
            "the factor is turned round: e^(new − old) in place of e^(old − new)",
            "The new maximum is the larger one, and e^(score − maximum) is smaller against it: what was "
            "summed before shrinks. The factor is at most 1.",
            ONE_PASS,
            also=[
                {"carry_sum": lambda r, s: s / r, "carry_mix": lambda r, s: s / r},
                GUARDED_INVERTED,
            ],
            factor=_new_minus_old,
        ),
        Mistake(
            "rescale-without-e",
            "what was summed before was multiplied by the difference of the maxima, without e",
            "e^(score − new) is e^(score − old) times e^(old − new): the factor is an exponential as well.",
            ONE_PASS,
            also=[
                *({"factor": factor} for factor in WITHOUT_E[1:-1]),
                NEW_OVER_OLD,
                *GUARDED_WITHOUT_E,
            ],
            factor=WITHOUT_E[0],
        ),
        Mistake(
            "rescale-by-old",
            "the factor was taken from the old maximum alone",
            "It is the difference of the two that counts: e^(old − new). Where the maximum stays, it is 1.",
            ONE_PASS,
            also=[{"factor": lambda old, new, scores: np.exp(-old)}],
            factor=lambda old, new, scores: np.exp(old),
        ),
        Mistake(
            "rescale-by-new",
            "the factor was taken from the new maximum alone",
            "It is the difference of the two that counts: e^(old − new). Where the maximum stays, it is 1.",
            ONE_PASS,
            also=[{"factor": lambda old, new, scores: np.exp(new)}],
            factor=lambda old, new, scores: np.exp(-new),
        ),
        Mistake(
            "rescale-of-the-tile",
            "the factor was made of the tile's largest score, e^(tile's largest − new)",
            "That factor is for exponentials that were taken with the tile's own largest score. What was "
            "summed before is rescaled by e^(old − new).",
            ONE_PASS,
            factor=lambda old, new, scores: np.exp(row_max(scores) - new),
        ),
        Mistake(
            "rescale-overflows",
            "the factor was calculated as e^old / e^new",
            "Each of the two may be ∞ or 0, and their ratio nan. Subtract first: e^(old − new).",
            ONE_PASS,
            factor=lambda old, new, scores: np.exp(old) / np.exp(new),
        ),
        Mistake(
            "rescaled-twice",
            "what was summed before was rescaled twice",
            "Once is enough: e^(old − new) leads from the old maximum to the new one.",
            ONE_PASS,
            factor=lambda old, new, scores: np.exp(2 * (old - new)),
        ),
        Mistake(
            "only-where-all-grew",
            "nothing was rescaled unless the maximum of every query grew",
            "Each query has a factor of its own. No `if` is needed: the factor is 1 where the maximum stays.",
            ONE_PASS,
            factor=lambda old, new, scores: np.exp(old - new) if (new > old).all() else np.ones_like(old),
        ),
        Mistake(
            "tile-max",
            "the tile's largest score replaced the running maximum",
            GROWS,
            ONE_PASS,
            largest=tile_only,
        ),
        Mistake(
            "tile-max-unscaled",
            "the tile's largest score replaced the running maximum, and nothing was rescaled",
            f"{GROWS} {SHRINK}",
            ONE_PASS,
            largest=tile_only,
            factor=one,
        ),
        Mistake(
            "tile-exponentials",
            "the tile's exponentials were taken with the tile's own largest score",
            f"{ONE_MEASURE} That is e^(score − new), also where the larger maximum was in an earlier tile.",
            ONE_PASS,
            exponentiate=lambda scores, old, new: np.exp(scores - row_max(scores)),
        ),
        Mistake(
            "old-exponentials",
            "the tile's exponentials were taken with the old maximum",
            f"{ONE_MEASURE} A score far above the old one would give ∞.",
            ONE_PASS,
            exponentiate=lambda scores, old, new: np.exp(scores - old),
        ),
        Mistake(
            "bare-exponentials",
            "the tile's exponentials were taken without a maximum: e^score",
            f"{ONE_MEASURE} And e^1000 is larger than any float64.",
            ONE_PASS,
            exponentiate=lambda scores, old, new: np.exp(scores),
        ),
        Mistake(
            "max-not-updated",
            "the maximum was never compared with this tile",
            "A larger score may stand in this tile: np.maximum(running_max, its largest score). Against "
            "an old, smaller maximum e^(score − maximum) may be ∞.",
            ONE_PASS,
            largest=_old_only,
        ),
        Mistake(
            "smaller-max",
            "the smaller of the two maxima was kept",
            "np.maximum keeps the larger one. Against a smaller one e^(score − maximum) may be ∞.",
            ONE_PASS,
            also=[{"largest": lambda old, scores: np.minimum(old, scores.min(axis=-1, keepdims=True))}],
            largest=lambda old, scores: np.minimum(old, row_max(scores)),
        ),
        Mistake(
            "maxima-added",
            "the two maxima were added",
            "The maximum over both parts is the larger of the two: np.maximum.",
            ONE_PASS,
            largest=lambda old, scores: old + row_max(scores),
        ),
        Mistake(
            "whole-max",
            "one maximum was taken for all queries together",
            "Each query has its own row of scores, and its own maximum: axis=-1, keepdims=True. Where "
            "all its scores lie far below that of another query, every exponential is 0.",
            ONE_PASS,
            also=[{"largest": lambda old, scores: np.full_like(old, max(old.max(), scores.max()))}],
            largest=lambda old, scores: np.maximum(old, scores.max()),
        ),
        Mistake(
            "max-of-a-column",
            "the maximum ran over the queries",
            "Rows are queries: the maximum of a row is taken along the last axis, axis=-1, keepdims=True.",
            ONE_PASS,
            also=[{"largest": lambda old, scores: np.maximum(old, scores.max(axis=0))}],
            largest=lambda old, scores: np.maximum(old, scores.max(axis=0, keepdims=True)),
        ),
        Mistake(
            "max-without-keepdims",
            "the maximum of the tile came without its axis",
            "scores.max(axis=-1) has shape (n_queries,), and beside a column it becomes a table. With "
            "keepdims=True it stays a column, (n_queries, 1).",
            ONE_PASS,
            also=[{"largest": lambda old, scores: scores.max(axis=-1)}],
            largest=lambda old, scores: np.maximum(old, scores.max(axis=-1)),
        ),
        Mistake(
            "max-of-both-sides",
            "Python's max compared two arrays",
            "Python's max needs one True or False, and two columns give several. np.maximum compares "
            "entry by entry.",
            ONE_PASS,
            largest=lambda old, scores: max(old, row_max(scores)),
        ),
        Mistake(
            "powers-of-2",
            "powers of 2 were taken in place of powers of e",
            "np.exp2 is quicker on some processors, but then the scores must be multiplied by log₂ e first.",
            ONE_PASS,
            factor=lambda old, new, scores: np.exp2(old - new),
            exponentiate=lambda scores, old, new: np.exp2(scores - new),
        ),
        Mistake(
            "tile-softmax",
            "softmax was taken within the tile",
            "Then each tile would count the same, whatever its scores. Take e^(score − new) only, and "
            "divide once at the very end.",
            ONE_PASS,
            exponentiate=own_softmax,
        ),
        Mistake(
            "sum-without-keepdims",
            "the sum of the tile came without its axis",
            ".sum(axis=-1) has shape (n_queries,), and beside a column it becomes a table. With "
            "keepdims=True it stays a column, (n_queries, 1).",
            ONE_PASS,
            add_sum=lambda carried, e, rescale: carried + e.sum(axis=-1),
        ),
        Mistake(
            "sum-of-all",
            "the exponentials of all queries went into one sum",
            "Each query has its own sum, over its own row: axis=-1, keepdims=True.",
            ONE_PASS,
            add_sum=lambda carried, e, rescale: carried + e.sum(),
        ),
        Mistake(
            "sum-of-columns",
            "the sum ran over the queries",
            "Rows are queries: the sum of a row is taken along the last axis, axis=-1, keepdims=True.",
            ONE_PASS,
            also=[{"add_sum": lambda carried, e, rescale: carried + e.sum(axis=0)}],
            add_sum=lambda carried, e, rescale: carried + e.sum(axis=0, keepdims=True),
        ),
        Mistake(
            "mean-of-the-tile",
            "the mean of the tile's exponentials was added, not their sum",
            "Every key counts once, in a short tile as in a long one: .sum(axis=-1, keepdims=True).",
            ONE_PASS,
            add_sum=lambda carried, e, rescale: carried + e.mean(axis=-1, keepdims=True),
        ),
        Mistake(
            "largest-only",
            "only the tile's largest exponential was added",
            "The sum is over all keys: .sum(axis=-1, keepdims=True).",
            ONE_PASS,
            add_sum=lambda carried, e, rescale: carried + row_max(e),
        ),
        Mistake(
            "sum-overwritten",
            "the sum of earlier tiles was lost: the tile's own sum replaced it",
            "The running sum goes on: what it was, rescaled, plus the tile's sum.",
            ONE_PASS,
            carry_sum=forgotten,
        ),
        Mistake(
            "tile-sum-lost",
            "the tile's exponentials never came into the running sum",
            "The running sum is what it was, rescaled, plus the sum of the tile's exponentials.",
            ONE_PASS,
            add_sum=lambda carried, e, rescale: carried,
        ),
        Mistake(
            "sums-multiplied",
            "the two sums were multiplied",
            "The sum over all keys is the one part plus the other. It is the factor that multiplies.",
            ONE_PASS,
            add_sum=lambda carried, e, rescale: carried * e.sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "difference-added",
            "the factor was added, not multiplied",
            SHRINK,
            ONE_PASS,
            also=[{"carry_sum": _plus, "carry_mix": _plus}],
            carry_sum=_plus,
        ),
    )


NAN_AT_FIRST = (  # where running_max starts at −∞, these give nan and nothing else
    "rescale-inverted",
    "rescale-without-e",
    "rescale-by-old",
    "max-not-updated",
    "smaller-max",
    "maxima-added",
)
STAYS_0 = ("tile-sum-lost", "sums-multiplied")

NO_MAX: dict[str, Any] = {
    "largest": lambda old, scores: np.zeros_like(old),
    "factor": one,
    "exponentiate": lambda scores, old, new: np.exp(scores),
}


def passing_mistakes(
    more_nan: Sequence[dict[str, Any]] = (), at_the_end: Sequence[dict[str, Any]] = ({},)
) -> tuple[Mistake, ...]:
    """sum_mistakes for a whole pass: those that cannot be told apart there share a name."""
    by_name = {mistake.name: mistake for mistake in sum_mistakes()}
    ways = [way for name in NAN_AT_FIRST for way in by_name[name].ways]
    nan = [way for way in ways if way not in GUARDED]
    stays_0 = [way for name in STAYS_0 for way in by_name[name].ways]
    nan_at_first = Mistake(
        "nan-at-first",
        "the first tile makes nan: the running maximum is still −∞ there",
        "Nothing was summed before, so that the factor should be 0 there. Turned round it is ∞, and ∞ · 0 "
        "is nan; without e it is −∞; and where −∞ stays the maximum, −∞ − −∞ is nan. Which of these is it "
        "here?",
        ONE_PASS,
        also=[*nan[1:], *more_nan],
        **nan[0],
    )
    sum_stays_0 = Mistake(
        "sum-stays-0",
        "the tile's exponentials never came into the running sum, which stays 0",
        "The running sum is what it was, rescaled, plus the sum of the tile's exponentials.",
        ONE_PASS,
        also=stays_0[1:],
        **stays_0[0],
    )
    guarded = [
        Mistake(name, wrong.says, wrong.idea, wrong.reread, ways[1:], **ways[0])
        for name, wrong in by_name.items()
        if (ways := [way for way in wrong.ways if way in GUARDED])
    ]
    told_apart = but(by_name.values(), *NAN_AT_FIRST, *STAYS_0, "max-of-both-sides")
    unshifted = Mistake(
        "no-max",
        "no maximum was taken off: e^score was summed as it is",
        "That is right for small scores, and nothing needs to be rescaled. But e^1000 is larger than any "
        "float64, and e^−1000 is 0: the maximum is there for these.",
        ONE_PASS,
        also=[{**NO_MAX, **way} for way in at_the_end[1:]],
        **{**NO_MAX, **at_the_end[0]},
    )
    return *told_apart, *guarded, nan_at_first, sum_stays_0, unshifted

"""Exercises of lesson 12: how is attention computed without the n × n matrix?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from helpers.attention import attention
from helpers.exercises.diagnosis import Mistake
from helpers.exercises.given import GIVEN
from helpers.exercises.kinds import Mend, Open, Property, Slip, Table, Write
from helpers.exercises.lesson_02 import ROWS_SUM_TO_1
from helpers.exercises.probes import Form, OtherFormError, Probe, numbers
from helpers.masking import Mask, causal_mask
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.streaming import grouped_query_attention, merge_partials, tile_kinds, window_mask
from helpers.validation import Array

ONE_PASS = "12: One pass over the keys"
WORKED = "12: Six scores in three tiles"
HALVES = "12: Two halves, one answer"
TILES = "12: Tiles"
SKIPPED = "12: Which tiles can be skipped?"
BYTES = "12: Why fewer bytes win"
CACHE = "12: A cache for what was read"
FEWER = "12: Fewer keys than queries"
WINDOW = "12: A window"
SCALE = "02: What large scores do"

Step = Callable[..., Any]
SHRINK = (
    "What was summed before was measured against the old maximum, as e^(score − old). Multiplied by "
    "e^(old − new) it is measured against the new one."
)
ONE_MEASURE = "All that goes into one sum must be measured against one maximum: the new one."
GROWS = (
    "The running maximum only grows: np.maximum of the one before and of the tile's. Where it shrinks, "
    "e^(old − new) is larger than 1, and may be ∞."
)

# --- one step of the pass: rescale, online-bug, tile-bug ---------------------------------------------


def _but(mistakes: Iterable[Mistake], *names: str) -> tuple[Mistake, ...]:
    return tuple(mistake for mistake in mistakes if mistake.name not in names)


def _row_max(scores: Array) -> Array:
    return np.asarray(scores.max(axis=-1, keepdims=True))


def _larger_of_both(running_max: Array, scores: Array) -> Array:
    return np.maximum(running_max, _row_max(scores))


def _old_minus_new(running_max: Array, new_max: Array, _scores: Array) -> Array:
    return np.exp(running_max - new_max)


def _times(rescale: Array, summed: Array) -> Array:
    return rescale * summed


def _plus(rescale: Array, summed: Array) -> Array:
    return rescale + summed


def _as_it_was(_rescale: Array, summed: Array) -> Array:
    return summed


def _forgotten(_rescale: Array, summed: Array) -> Array:
    return summed * 0


def _minus_new(scores: Array, _running_max: Array, new_max: Array) -> Array:
    return np.exp(scores - new_max)


def _plus_sum(carried: Array, exponentials: Array, _rescale: Array) -> Array:
    return carried + exponentials.sum(axis=-1, keepdims=True)


class _Part(NamedTuple):
    """What a step may use to add one tile to the weighted sum."""

    carried: Array  # what was summed before, rescaled
    e: Array  # the tile's exponentials
    values: Array
    total: Array  # the new running sum
    before: Array  # the old one
    rescale: Array
    scores: Array


def _plus_mix(part: _Part) -> Array:
    return part.carried + part.e @ part.values


def _step(
    running_max: Array, running_sum: Array, weighted_sum: Array, scores: Array, values: Array, *,
    largest: Step = _larger_of_both, factor: Step = _old_minus_new, carry_sum: Step = _times,
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
        add_mix(_Part(carried, exponentials, values, new_sum, running_sum, rescale, scores)),
    )


def _one(running_max: Array, _new_max: Array, _scores: Array) -> Array:
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


def _own_softmax(scores: Array, *_maxima: Array) -> Array:
    exponentials = np.exp(scores - _row_max(scores))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _tile_only(_running_max: Array, scores: Array) -> Array:
    return _row_max(scores)


def _old_only(running_max: Array, _scores: Array) -> Array:
    return running_max


def sum_mistakes() -> tuple[Mistake, ...]:
    """What goes wrong with the maximum, the factor and the sum, in one step of the pass."""
    return (
        Mistake(
            "no-rescale", "what was summed before this tile was not rescaled", SHRINK, ONE_PASS, factor=_one
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
            factor=lambda old, new, scores: np.exp(_row_max(scores) - new),
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
            largest=_tile_only,
        ),
        Mistake(
            "tile-max-unscaled",
            "the tile's largest score replaced the running maximum, and nothing was rescaled",
            f"{GROWS} {SHRINK}",
            ONE_PASS,
            largest=_tile_only,
            factor=_one,
        ),
        Mistake(
            "tile-exponentials",
            "the tile's exponentials were taken with the tile's own largest score",
            f"{ONE_MEASURE} That is e^(score − new), also where the larger maximum was in an earlier tile.",
            ONE_PASS,
            exponentiate=lambda scores, old, new: np.exp(scores - _row_max(scores)),
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
            largest=lambda old, scores: np.minimum(old, _row_max(scores)),
        ),
        Mistake(
            "maxima-added",
            "the two maxima were added",
            "The maximum over both parts is the larger of the two: np.maximum.",
            ONE_PASS,
            largest=lambda old, scores: old + _row_max(scores),
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
            largest=lambda old, scores: max(old, _row_max(scores)),
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
            exponentiate=_own_softmax,
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
            add_sum=lambda carried, e, rescale: carried + _row_max(e),
        ),
        Mistake(
            "sum-overwritten",
            "the sum of earlier tiles was lost: the tile's own sum replaced it",
            "The running sum goes on: what it was, rescaled, plus the tile's sum.",
            ONE_PASS,
            carry_sum=_forgotten,
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
    "factor": _one,
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
    told_apart = _but(by_name.values(), *NAN_AT_FIRST, *STAYS_0, "max-of-both-sides")
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


def _mix(exponentials: Array, values: Array) -> Array:
    return np.asarray(exponentials @ values)


def _tile_rescaled(part: _Part) -> Array:
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
            carry_sum=_as_it_was,
        ),
        Mistake(
            "mix-not-rescaled",
            "weighted_sum was not rescaled, running_sum was",
            f"{SHRINK} That holds for both sums.",
            ONE_PASS,
            carry_mix=_as_it_was,
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
            carry_sum=_as_it_was,
            carry_mix=_as_it_was,
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
            carry_mix=_forgotten,
        ),
        Mistake(
            "both-overwritten",
            "both sums of earlier tiles were lost: the tile's own replaced them",
            "The sums go on: what they were, rescaled, plus the tile's part.",
            ONE_PASS,
            carry_sum=_forgotten,
            carry_mix=_forgotten,
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
                {"add_mix": lambda part: part.carried + _own_softmax(part.scores) @ part.values},
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
                {"add_mix": lambda part: part.carried + (part.scores - _row_max(part.scores)) @ part.values}
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


# --- rescale -----------------------------------------------------------------------------------------

STATE = Form(
    parts={
        "running_max": ("query", "entry"),
        "running_sum": ("query", "entry"),
        "weighted_sum": ("query", "entry"),
    }
)


def _as_asked(new_max: Array, new_sum: Array, weighted_sum: Array, _before: Any) -> Any:
    return new_max, new_sum, weighted_sum


def _step_by_choices(
    running_max: Array, running_sum: Array, weighted_sum: Array, scores: Array, values: Array, *,
    give: Step = _as_asked, **choices: Step,
) -> Any:  # fmt: skip
    state = _step(running_max, running_sum, weighted_sum, scores, values, **choices)
    return give(*state, (running_max, running_sum, weighted_sum))


def step(running_max: Array, running_sum: Array, weighted_sum: Array, scores: Array, values: Array) -> Any:
    """(n_queries, 1) twice, (n_queries, d_v), (n_queries, tile), (tile, d_v) -> the first three, after it.

    Every exponential of earlier tiles is one of e^(score − running_max): their sum alone is known.
    """
    new_max = np.concatenate([running_max, scores], axis=1).max(axis=1, keepdims=True)
    old_part = np.exp(running_max - new_max)
    tile_part = np.exp(scores - new_max)
    new_sum = old_part * running_sum + tile_part.sum(axis=1, keepdims=True)
    return new_max, new_sum, old_part * weighted_sum + tile_part @ values


def _after(scores: Array, values: Array) -> dict[str, Array]:
    """(n_queries, keys so far), (keys so far, d_v) -> the three that stand when these keys have been read."""
    running_max = _row_max(scores)
    exponentials = np.exp(scores - running_max)
    running_sum = exponentials.sum(axis=-1, keepdims=True)
    return {"running_max": running_max, "running_sum": running_sum, "weighted_sum": exponentials @ values}


def _step_probe(kind: str, earlier: Array, scores: Array, d_v: int, start: int, hard: bool = False) -> Probe:
    state = _after(earlier, numbers(earlier.shape[1], d_v, start=start + 500))
    values = numbers(scores.shape[1], d_v, start=start)
    return Probe(kind, {**state, "scores": scores, "values": values}, hard=hard, form=STATE)


def _first_tile(kind: str, n_queries: int, tile: int, d_v: int, start: int, shift: float = 0) -> Probe:
    state = {
        "running_max": np.full((n_queries, 1), -np.inf),
        "running_sum": np.zeros((n_queries, 1)),
        "weighted_sum": np.zeros((n_queries, d_v)),
    }
    tile_of = {
        "scores": numbers(n_queries, tile, start=start) + shift,
        "values": numbers(tile, d_v, start=start + 300),
    }
    return Probe(kind, {**state, **tile_of}, form=STATE)


def _some_without_a_key(kind: str, start: int) -> Probe:
    """Query 1 has seen no key yet, the others have."""
    probe = _step_probe(kind, numbers(3, 5, start=start), numbers(3, 4, start=start + 5), d_v=2, start=start)
    for name, nothing in (("running_max", -np.inf), ("running_sum", 0), ("weighted_sum", 0)):
        probe.inputs[name][1] = nothing
    return probe


def _held_in_float32(scores: Array) -> Array:
    """Rounded so that float32 holds numbers near 1,000 exactly: a step in float32 is right, too."""
    return np.round(scores * 1024) / 1024


def _column(*shifts: float) -> Array:
    return np.array(shifts)[:, None]


def _hidden(scores: Array, *queries: int) -> Array:
    hidden = scores.copy()
    hidden[list(queries)] = -np.inf
    return hidden


STEP_PROBES = (
    _step_probe(
        "a tile with larger scores", numbers(2, 5, start=11), numbers(2, 3, start=21) + 3, d_v=4, start=31
    ),
    _step_probe(
        "a tile with smaller scores", numbers(2, 5, start=13), numbers(2, 3, start=23) - 3, d_v=4, start=33
    ),
    _step_probe(
        "larger scores for some queries, smaller ones for others",
        numbers(5, 4, start=15) + _column(0, 1, 2, 3, 4),
        numbers(5, 3, start=25) + _column(3, -2, 2, 0, 7),
        d_v=2,
        start=35,
    ),
    _first_tile("the first tile of all", 3, 5, 2, start=41),
    _first_tile("the first tile of all, with scores below 0", 2, 3, 4, start=43, shift=-3),
    _some_without_a_key("a query that has seen no key yet", start=45),
    _step_probe(
        "a tile that is hidden from one query",
        numbers(3, 2, start=17),
        _hidden(numbers(3, 4, start=27) + 2, 1),
        d_v=5,
        start=37,
    ),
    _step_probe(
        "a tile of seven keys", numbers(3, 2, start=19), numbers(3, 7, start=29) + 1, d_v=4, start=39
    ),
    _step_probe(
        "scores of 1,000 and −1,000",
        _held_in_float32(numbers(3, 2, start=19) + _column(-1000, 1000, 0)),
        _held_in_float32(numbers(3, 7, start=29) + _column(1000, 998, -1000)),
        d_v=4,
        start=39,
        hard=True,
    ),
)


def _max_is_reached(inputs: Any, output: Any, _call: Any) -> str:
    new_max = output[0]
    largest = np.maximum(inputs["running_max"], _row_max(inputs["scores"]))
    if new_max.shape != largest.shape or np.allclose(new_max, largest):
        return ""
    return (
        "running_max should be the largest score of each query so far: the larger of the one before and "
        "of this tile."
    )


def _divides_to_output(inputs: Any, output: Any, _call: Any) -> str:
    new_max, new_sum, weighted_sum = output
    largest = np.maximum(inputs["running_max"], _row_max(inputs["scores"]))
    if new_max.shape != largest.shape or not np.allclose(new_max, largest):
        return ""
    _, right_sum, right_mix = step(**inputs)
    if new_sum.shape != right_sum.shape or weighted_sum.shape != right_mix.shape:
        return ""
    sum_right, mix_right = np.allclose(new_sum, right_sum), np.allclose(weighted_sum, right_mix)
    if mix_right and not sum_right:
        return "running_max and weighted_sum are right, running_sum is not."
    if sum_right and not mix_right:
        return "running_max and running_sum are right, weighted_sum is not."
    return "running_max is right, and neither of the two sums is."


def _as_an_output(new_max: Array, new_sum: Array, mix: Array, before: Any) -> Any:
    """As if weighted_sum were divided already: multiplied by the old sum, divided by the new one."""
    old_max, old_sum, weighted_sum = before
    carried = np.exp(old_max - new_max) * weighted_sum
    return new_max, new_sum, (mix - carried + old_sum * carried) / new_sum


def _without(key: int) -> Step:
    """The exponentials of a tile, with 0 in the place of one key."""

    def exponentials(scores: Array, _running_max: Array, new_max: Array) -> Array:
        exponentials = np.exp(scores - new_max)
        exponentials[:, key] = 0
        return exponentials

    return exponentials


def _largest_without(places: slice) -> Step:
    return lambda old, scores: np.maximum(old, scores[:, places].max(-1, keepdims=True, initial=-np.inf))


def _nothing_seen(running_max: Array) -> bool:
    return bool(np.isneginf(running_max).any())


def _give_mistakes() -> tuple[Mistake, ...]:
    return (
        Mistake(
            "starts-at-0",
            "a running maximum of −∞ was taken for 0",
            "Where all scores lie below 0 the 0 stays the largest, and no score is that large. −∞ needs no "
            "care: np.maximum and e^(−∞ − new) = 0 do what they should.",
            ONE_PASS,
            largest=lambda old, scores: np.maximum(np.where(np.isneginf(old), 0, old), _row_max(scores)),
        ),
        Mistake(
            "first-tile-for-all",
            "where one query has seen no key yet, the sums of all queries start anew",
            "Each query has a state of its own: a key may be hidden from one and not from another. No `if` "
            "is needed: e^(−∞ − new) is 0 for that query alone.",
            ONE_PASS,
            also=[
                {
                    "largest": lambda old, scores: (
                        _row_max(scores) if _nothing_seen(old) else _larger_of_both(old, scores)
                    ),
                    "factor": lambda old, new, scores: (
                        np.zeros_like(old) if _nothing_seen(old) else np.exp(old - new)
                    ),
                }
            ],
            factor=lambda old, new, scores: np.zeros_like(old) if _nothing_seen(old) else np.exp(old - new),
        ),
        Mistake(
            "first-query-for-all",
            "the factor of one query was used for all",
            "Each query has maxima of its own, and so a factor of its own: a column, (n_queries, 1).",
            ONE_PASS,
            factor=lambda old, new, scores: np.exp(old[:1] - new[:1]) + 0 * new,
        ),
        Mistake(
            "tile-part-divided",
            "the tile's part of weighted_sum was divided by the new running_sum",
            "weighted_sum is not divided yet. What is divided by an early sum can no longer be added to what "
            "comes later: divide once, after the last tile.",
            ONE_PASS,
            add_mix=lambda part: part.carried + part.e @ part.values / part.total,
        ),
        Mistake(
            "first-key-left-out",
            "the first key of the tile was left out",
            "Every key of the tile belongs to both sums, also the one at place 0.",
            ONE_PASS,
            also=[{"exponentiate": _without(0), "largest": _largest_without(slice(1, None))}],
            exponentiate=_without(0),
        ),
        Mistake(
            "last-key-left-out",
            "the last key of the tile was left out",
            "Every key of the tile belongs to both sums. A slice ends before its stop, so that [:-1] drops "
            "one.",
            ONE_PASS,
            also=[{"exponentiate": _without(-1), "largest": _largest_without(slice(-1))}],
            exponentiate=_without(-1),
        ),
        Mistake(
            "hidden-key-as-0",
            "a hidden key, with a score of −∞, was given the score 0",
            "e^−∞ is 0 by itself, and that is what a hidden key should count. A score of 0 counts.",
            ONE_PASS,
            also=[
                {
                    "largest": lambda old, scores: _larger_of_both(
                        old, np.where(np.isneginf(scores), 0, scores)
                    ),
                    "exponentiate": lambda scores, old, new: np.exp(
                        np.where(np.isneginf(scores), 0, scores) - new
                    ),
                }
            ],
            exponentiate=lambda scores, old, new: np.exp(np.where(np.isneginf(scores), 0, scores) - new),
        ),
        Mistake(
            "absolute-scores",
            "the largest score was sought without its sign",
            "The maximum is the largest score, and −3 is not larger than 2.",
            ONE_PASS,
            largest=lambda old, scores: np.maximum(old, _row_max(abs(scores))),
        ),
        Mistake(
            "log-sum-exp-for-max",
            "log_sum_exp came back in place of running_max",
            "running_max + log(running_sum) is taken after the last tile. The next step needs the maximum "
            "against which both sums are measured.",
            ONE_PASS,
            give=lambda new_max, new_sum, mix, before: (new_max + np.log(new_sum), new_sum, mix),
        ),
        Mistake(
            "tile-alone",
            "what came back is that of this tile alone: everything read before is lost",
            "The three go on: the larger maximum, and each sum rescaled, plus the tile's part.",
            ONE_PASS,
            largest=_tile_only,
            carry_sum=_forgotten,
            carry_mix=_forgotten,
        ),
        Mistake(
            "taken-for-an-output",
            "weighted_sum was taken for an output, which is divided by its sum at every step",
            "Some programs do keep the divided output, and multiply by the old sum each time. Here "
            "nothing is divided until the last tile has been read.",
            ONE_PASS,
            give=_as_an_output,
        ),
        Mistake(
            "old-max-returned",
            "the maximum that came back is the one that went in",
            "The next tile is measured against what you return: it must be the new maximum.",
            ONE_PASS,
            give=lambda new_max, new_sum, mix, before: (before[0], new_sum, mix),
        ),
        Mistake(
            "order-of-results",
            "the three came back in another order",
            "The order is running_max, running_sum, weighted_sum.",
            ONE_PASS,
            also=[
                {"give": lambda new_max, new_sum, mix, before: (mix, new_sum, new_max)},
                {"give": lambda new_max, new_sum, mix, before: (new_max, mix, new_sum)},
                {"give": lambda new_max, new_sum, mix, before: (mix, new_max, new_sum)},
                {"give": lambda new_max, new_sum, mix, before: (new_sum, mix, new_max)},
            ],
            give=lambda new_max, new_sum, mix, before: (new_sum, new_max, mix),
        ),
        Mistake(
            "output-returned",
            "weighted_sum came back divided by running_sum: that is the output already",
            "The next tile would add to something that is divided. Divide once, after the last tile.",
            ONE_PASS,
            give=lambda new_max, new_sum, mix, before: (new_max, new_sum, mix / new_sum),
        ),
        Mistake(
            "logarithm-returned",
            "the logarithm of the sum came back in place of running_sum",
            "The logarithm is taken after the last tile. In between the sum itself is added to.",
            ONE_PASS,
            also=[{"give": lambda new_max, new_sum, mix, before: (new_max, new_max + np.log(new_sum), mix)}],
            give=lambda new_max, new_sum, mix, before: (new_max, np.log(new_sum), mix),
        ),
        Mistake(
            "without-axis",
            "the maximum and the sum came back without their second axis",
            "They are columns, (n_queries, 1), so that they meet the scores row by row: keepdims=True.",
            ONE_PASS,
            give=lambda new_max, new_sum, mix, before: (new_max[:, 0], new_sum[:, 0], mix),
        ),
    )


RESCALE = Write(
    name="rescale",
    task="One tile more: running_max, running_sum and weighted_sum after it.",
    call="my_step(running_max, running_sum, weighted_sum, scores, values)",
    right=step,
    recipe=_step_by_choices,
    mistakes=(*sum_mistakes(), *_but(mix_mistakes(), "divided-in-the-step"), *_give_mistakes()),
    probes=STEP_PROBES,
    axes=("query", "entry"),
    beside=("running_max", "running_sum", "weighted_sum", "scores"),
    properties=(
        Property("running max", "running_max is the largest score so far", _max_is_reached),
        Property("the sums", "divided, the sums give the output over all keys so far", _divides_to_output),
    ),
    hints=(
        "First the maximum: np.maximum of the one before and of the tile's largest score in each row. "
        "Keep the old one; you need both.",
        "Both sums hold e^(score − old maximum). Which factor makes e^(score − new maximum) of it?",
        "With rescale = np.exp(running_max - new_max) and exponentials = np.exp(scores - new_max): each "
        "sum is rescale times what it was, plus the tile's part. Those are exponentials.sum(axis=-1, "
        "keepdims=True) and exponentials @ values.",
    ),
    explain="Both sums were measured against the old maximum, and e^(old − new) leads over to the new "
    "one. Before the first tile e^(−∞ − new) is 0, and so is what was summed. blocked_attention in "
    "helpers/streaming.py does this step for each tile.",
    reread=ONE_PASS,
)

# --- online-bug --------------------------------------------------------------------------------------


def _all_tiles(n_keys: int, tile: int) -> list[slice]:
    return [slice(start, start + tile) for start in range(0, n_keys, tile)]


def _minus_infinity(scores: Array) -> Array:
    return np.full((len(scores), 1), -np.inf)


def _shares(scores: Array, running_max: Array, running_sum: Array, _tile: int) -> Array:
    return np.exp(scores - running_max) / running_sum


NOT_THERE = np.empty(0)  # there are no values in a softmax


def _online_by_choices(
    scores: Array, tile: int, *, tiles: Step = _all_tiles, begin: Step = _minus_infinity,
    finish: Step = _shares, **choices: Step,
) -> Any:  # fmt: skip
    running_max, running_sum = begin(scores), np.zeros((len(scores), 1))
    no_values: dict[str, Step] = {"carry_mix": _as_it_was, "add_mix": lambda part: part.carried}
    for place in tiles(scores.shape[-1], tile):
        running_max, running_sum, _ = _step(
            running_max, running_sum, NOT_THERE, scores[:, place], NOT_THERE, **{**choices, **no_values}
        )
    return finish(scores, running_max, running_sum, tile)


def _softmax_of(scores: Array, _tile: int) -> Array:
    return softmax(scores)


def _measured_then(scores: Array, tile: int) -> Array:
    """Each exponential as it was when its tile was read, against the maximum of that time."""
    maxima = np.maximum.accumulate(scores, axis=-1)
    ends = [min((key // tile + 1) * tile, scores.shape[-1]) - 1 for key in range(scores.shape[-1])]
    return np.exp(scores - maxima[:, ends])


def _finished_then(scores: Array, tile: int) -> Array:
    """The weights of each tile among the keys that had been read when it was."""
    ends = [place.stop for place in _all_tiles(scores.shape[-1], tile)]
    parts = [softmax(scores[:, :end])[:, end - tile :] for end in ends]
    return np.concatenate([*parts[:-1], softmax(scores)[:, ends[-1] - tile :]], axis=-1)


def _tile_by_tile(scores: Array, tile: int) -> Array:
    return np.concatenate(
        [_own_softmax(scores[:, place]) for place in _all_tiles(scores.shape[-1], tile)], axis=-1
    )


ONLINE_PROBES = (
    Probe(
        "scores that rise",
        {"scores": np.array([[0.0, 1.0, 1.5, 2.0], [-2.0, 0.5, 1.0, 1.5], [0.0, 0.5, 1.0, 2.5]]), "tile": 2},
    ),
    Probe(
        "scores that fall",
        {"scores": np.array([[2.0, 1.5, 1.0, 0.0], [1.5, 1.0, 0.5, -2.0], [2.5, 1.0, 0.5, 0.0]]), "tile": 2},
    ),
    Probe("one key at a time", {"scores": numbers(3, 5, start=51), "tile": 1}),
    Probe("a shorter last tile", {"scores": numbers(3, 7, start=52) + np.arange(7) / 2, "tile": 3}),
    Probe("all keys in one tile", {"scores": numbers(2, 5, start=53), "tile": 5}),
    Probe("a tile that is longer than the row", {"scores": numbers(3, 5, start=54), "tile": 11}),
    Probe(
        "a tile that is hidden from one query",
        {
            "scores": np.concatenate([numbers(3, 2, start=55), _hidden(numbers(3, 2, start=56), 1)], axis=1),
            "tile": 2,
        },
    ),
    Probe("rows of many keys", {"scores": numbers(5, 11, start=57) + 0.3 * np.arange(11), "tile": 4}),
    Probe(
        "scores of 1,000 and −1,000",
        {
            "scores": np.concatenate(
                [
                    numbers(4, 2, start=58) + _column(-1000, 1000, 0, -999),
                    numbers(4, 3, start=59) + _column(1000, -1000, -1000, -1000),
                ],
                axis=1,
            ),
            "tile": 2,
        },
        hard=True,
    ),
)

ONLINE_BUG = Mend(
    name="online-bug",
    task="Softmax in one pass over the tiles: right on rows that fall, wrong on rows that rise.",
    call="my_online_softmax(scores, tile)",
    right=_softmax_of,
    recipe=_online_by_choices,
    given="no-rescale",
    properties=(ROWS_SUM_TO_1,),
    symptom="with the scores log 1 and log 3, a key at a time, the row sums to 2/3. Write down "
    "running_sum after each tile: against which maximum was each of its terms measured?",
    probes=ONLINE_PROBES,
    axes=("query", "key"),
    mistakes=(
        *passing_mistakes(
            at_the_end=[
                {"finish": lambda scores, running_max, running_sum, tile: np.exp(scores) / running_sum},
                {},
            ]
        ),
        Mistake(
            "max-not-kept",
            "running_max was never set to the new maximum: it stays −∞",
            "The next tile compares with it, and the sum is rescaled by it: running_max = new_max, after "
            "the sum.",
            ONE_PASS,
            largest=_tile_only,
            carry_sum=_forgotten,
            finish=lambda scores, running_max, running_sum, tile: np.exp(scores + np.inf) / running_sum,
        ),
        Mistake(
            "last-tile-only",
            "only the last tile counts",
            "All tiles belong to the sum. Is running_max set to the new maximum at the end of each step? "
            "While "
            "it stays −∞, the factor is 0 and wipes out what was summed before.",
            ONE_PASS,
            largest=_tile_only,
            carry_sum=_forgotten,
        ),
        Mistake(
            "powers-of-2-throughout",
            "powers of 2 were taken in place of powers of e, in the pass and at the end",
            "That is a softmax as well, of other scores: 2^score is e^(score · log 2). The weights asked for "
            "are those of e^score.",
            ONE_PASS,
            factor=lambda old, new, scores: np.exp2(old - new),
            exponentiate=lambda scores, old, new: np.exp2(scores - new),
            finish=lambda scores, running_max, running_sum, tile: np.exp2(scores - running_max) / running_sum,
        ),
        Mistake(
            "logarithms-returned",
            "the logarithms of the weights came back",
            "Weights are e^(score − running_max) / running_sum, and sum to 1.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: scores - running_max - np.log(running_sum),
        ),
        Mistake(
            "read-from-the-right",
            "the tiles were read from the right, and what was summed before is still not rescaled",
            f"Then rows that fall are wrong instead of rows that rise. {SHRINK}",
            ONE_PASS,
            tiles=lambda n, tile: _all_tiles(n, tile)[::-1],
            factor=_one,
        ),
        Mistake(
            "first-tile-only",
            "only the first tile was read",
            "All tiles belong to the sum. Does `return` stand inside the loop?",
            ONE_PASS,
            tiles=lambda n, tile: [slice(0, tile)],
        ),
        Mistake(
            "finished-in-the-pass",
            "the weights of each tile were finished while it was read, with the sum of that time",
            "Later tiles bring a larger sum, and perhaps a larger maximum. The weights can be had after "
            "the pass only: e^(score − running_max) / running_sum.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: _finished_then(scores, tile),
        ),
        Mistake(
            "new-sum-rescaled",
            "the tile's sum was rescaled, and not what was summed before",
            "The tile's exponentials are measured against the new maximum already. It is the earlier sum "
            "that is not.",
            ONE_PASS,
            carry_sum=_as_it_was,
            add_sum=lambda carried, e, rescale: carried + rescale * e.sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "all-rescaled",
            "the tile's own sum was rescaled as well",
            "The tile's exponentials are measured against the new maximum already. Multiply only what "
            "was summed before.",
            ONE_PASS,
            add_sum=lambda carried, e, rescale: carried + rescale * e.sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "starts-at-0",
            "the running maximum starts at 0",
            "A row whose scores all lie below 0 never takes its own maximum, and at −1000 every "
            "exponential is 0. Start at −∞, which is smaller than any score.",
            ONE_PASS,
            begin=lambda scores: np.zeros((len(scores), 1)),
        ),
        Mistake(
            "last-tile-short",
            "the keys of a shorter last tile were left out",
            "range(0, n_keys, tile) goes through all starts, and a slice past the end is shorter.",
            ONE_PASS,
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(0, n - tile + 1, tile)],
        ),
        Mistake(
            "first-tile-left-out",
            "the first tile was left out of the sum",
            "Every key belongs to the sum: the tiles start at 0.",
            ONE_PASS,
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(tile, n, tile)],
        ),
        Mistake(
            "sliding-tiles",
            "the tiles overlap: the loop moves on by one key, not by a whole tile",
            "range(0, n_keys, tile) goes from tile to tile, so that every key is counted once.",
            ONE_PASS,
            also=[{"tiles": lambda n, tile: [slice(start, start + tile) for start in range(n - tile + 1)]}],
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(n)],
        ),
        Mistake(
            "one-key-too-many",
            "each tile holds one key too many, which is then counted twice",
            "A slice ends before its stop: start : start + tile holds exactly `tile` keys.",
            ONE_PASS,
            tiles=lambda n, tile: [slice(start, start + tile + 1) for start in range(0, n, tile)],
        ),
        Mistake(
            "not-divided",
            "the exponentials were not divided by the running sum",
            "Weights are shares: each exponential is divided by the sum over all keys.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: np.exp(scores - running_max),
        ),
        Mistake(
            "last-max-at-the-end",
            "the weights were taken with the maximum of the last tile",
            "At the end all scores are measured against the running maximum, as the running sum is.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: (
                np.exp(scores - _row_max(scores[:, (scores.shape[-1] - 1) // tile * tile :])) / running_sum
            ),
        ),
        Mistake(
            "no-max-at-the-end",
            "the weights were taken without the maximum: e^score / running_sum",
            "running_sum is measured against the running maximum: the exponentials above it must be as well.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: np.exp(scores) / running_sum,
        ),
        Mistake(
            "kept-from-the-pass",
            "the exponentials were kept as they were when their tile was read",
            "Each was measured against the maximum of that time. At the end all are measured against the "
            "last one: e^(score − running_max).",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: _measured_then(scores, tile) / running_sum,
        ),
        Mistake(
            "each-tile-by-itself",
            "softmax was taken for each tile by itself",
            "Then the weights of each tile sum to 1, and those of a row to the number of tiles. One sum goes "
            "through all tiles.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: _tile_by_tile(scores, tile),
        ),
    ),
    unseen="whether the maximum and the sum are still found in one pass. The task asks for it: a pass needs "
    "one "
    "tile of scores at a time.",
    hints=(
        "Go through the row [0, log 3] with tiles of one key, on paper. What is running_sum after the "
        "first tile, and against which maximum?",
        "The second tile brings a larger maximum. The 1 that stands in running_sum is e^(0 − 0), and it "
        "should be e^(0 − log 3).",
        "Multiply running_sum by np.exp(running_max - new_max) before you add the tile's sum.",
    ),
    explain="On a row that falls the maximum stands in the first tile, and e^(old − new) is 1 from then "
    "on: that is why the bug did not show there. online_softmax in helpers/streaming.py does the same "
    "for any leading axes.",
    reread=WORKED,
)

# --- no-rescale --------------------------------------------------------------------------------------

LEAST_ERROR = 0.05
ROUNDING = 1e-12


def _error(off: float) -> str:
    if off <= ROUNDING:
        return "0"
    return f"{off:.3g}" if float(f"{off:.3g}") < LEAST_ERROR else f"a little less than {LEAST_ERROR}"


def _forgetful(scores: Array) -> Array:
    """(6,) -> the weights of the function with the bug, tiles of two from left to right."""
    return np.asarray(GIVEN["online-bug"](scores[None], 2)[0])


def _from_the_right(scores: Array) -> Array:
    """(6,) -> the same scores with the three tiles in the opposite order."""
    return scores.reshape(3, 2)[::-1].ravel()


def _row(label: str, weights: Array) -> str:
    return f"    {label:<9}  " + "  ".join(f"{weight:5.2f}" for weight in weights)


def _judge_order(scores: Array) -> tuple[str, str]:
    right, forward = softmax(scores), _forgetful(scores)
    backward = _from_the_right(_forgetful(_from_the_right(scores)))
    off = abs(forward - right).max()
    shown = f"{_row('right', right)}\n{_row('forgetful', forward)}"
    if np.ptp(scores) == 0:
        return "all-equal", (
            "these scores are all equal, and then no order matters.\n"
            "The maximum never changes, in either direction."
        )
    last = int(np.argmax(scores)) // 2  # the first of several that are largest
    if last > 0:
        off_by = f"one is off by {off:.2g}" if off > ROUNDING else "they are off by less than rounding shows"
        little = "" if off > 1e-3 else ", if only by a little"
        return ("largest-last" if last == 2 else "largest-in-the-middle"), (
            f"from left to right the weights should be right, and {off_by}.\n{shown}\nThe "
            f"largest score stands in tile {last} (counted from 0){little}. When it comes, what was "
            "summed before should shrink. In which tile may the largest score stand, so that nothing has to "
            "shrink "
            "afterwards?"
        )
    off = abs(backward - right).max()
    if not off >= LEAST_ERROR:
        both = scores[:2].max() == scores[4:].max()
        words = (
            "the largest score stands in the first tile and in the last one: read from either end, the "
            "maximum is there at once."
            if both
            else "the three tiles lie too close together. Spread them more: let each tile fall further below "
            "the one before it."
        )
        return ("largest-at-both-ends" if both else "too-little"), (
            f"right from left to right, as it should be; but from right to left the largest error is "
            f"{_error(off)}, and {LEAST_ERROR} or more is asked for.\nHere {words}"
        )
    return "", (
        f"✓ from left to right all six weights are right; from right to left one is off by {off:.2f}. The "
        "largest score stands in the first tile, so that the factor e^(old − new) is 1 from then on."
    )


NO_RESCALE = Open(
    name="no-rescale",
    task="Six scores in three tiles: without the rescale right from the left, and wrong from the right.",
    shape=(6,),
    judge=_judge_order,
    example=[2.0, 0.0, 1.0, 1.5, 0.5, 1.0],
    because="Forgetting to rescale is forgetting a factor e^(old − new). It is 1 where the maximum does "
    "not change: the largest score must stand in the first tile that is read, and not in the last one as "
    "well.",
    slips=(
        Slip("all-equal", [1.0] * 6, ""),
        Slip("largest-last", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], ""),
        Slip("largest-in-the-middle", [1.0, 2.0, 4.0, 3.0, 2.0, 1.0], ""),
        Slip("largest-at-both-ends", [2.0, 0.0, 1.0, 0.0, 0.0, 2.0], ""),
        Slip("too-little", [0.001, 0.0, 0.0, 0.0, 0.0, 0.0], ""),
    ),
    hints=(
        "The forgotten factor is e^(old maximum − new maximum). When is it 1?",
        "It is 1 where the maximum stays as it was. Where must the largest score stand for that, and "
        "where must it stand if the tiles come in the opposite order?",
        "Put the largest score into the first tile, and smaller ones, by 1 or so, into the others.",
    ),
    reread=WORKED,
)

# --- merge -------------------------------------------------------------------------------------------

MERGED = Form(parts={"output": ("query", "entry"), "log_sum_exp": ("query",)})


def _larger_or_0(a: Array, b: Array) -> Array:
    larger = np.maximum(a, b)
    return np.where(np.isneginf(larger), 0, larger)


def _above(log_sum_exp: Array, larger: Array) -> Array:
    return np.exp(log_sum_exp - larger)


def _or_1(total: Array) -> Array:
    return np.where(total == 0, 1, total)


def _column_of(parts: Array) -> Array:
    return parts[:, None]


def _mixed(output_a: Array, part_a: Array, output_b: Array, part_b: Array, total: Array) -> Array:
    return (part_a * output_a + part_b * output_b) / total


def _with_larger(larger: Array, total: Array, _a: Array, _b: Array) -> Array:
    return larger + np.log(total)


def _both(output: Array, log_sum_exp: Array) -> Any:
    return output, log_sum_exp


def _merge_by_choices(
    output_a: Array, log_sum_exp_a: Array, output_b: Array, log_sum_exp_b: Array, *,
    largest: Step = _larger_or_0, part: Step = _above, guard: Step = _or_1, column: Step = _column_of,
    mix: Step = _mixed, logarithm: Step = _with_larger, give: Step = _both,
) -> Any:  # fmt: skip
    larger = largest(log_sum_exp_a, log_sum_exp_b)
    part_a, part_b = part(log_sum_exp_a, larger), part(log_sum_exp_b, larger)
    total = part_a + part_b
    output = mix(output_a, column(part_a), output_b, column(part_b), column(guard(total)))
    return give(output, logarithm(larger, total, log_sum_exp_a, log_sum_exp_b))


def _merge_probe(
    kind: str, a: Sequence[float], b: Sequence[float], d_v: int, start: int, hard: bool = False
) -> Probe:
    outputs = [numbers(len(a), d_v, start=start), numbers(len(a), d_v, start=start + 200)]
    logs = [np.array(a, dtype=np.float64), np.array(b, dtype=np.float64)]
    for output, log_sum_exp in zip(outputs, logs, strict=True):
        output[np.isneginf(log_sum_exp)] = 0
    (output_a, output_b), (log_a, log_b) = outputs, logs
    inputs = {"output_a": output_a, "log_sum_exp_a": log_a, "output_b": output_b, "log_sum_exp_b": log_b}
    return Probe(kind, inputs, hard=hard, form=MERGED)


NOTHING = -np.inf
MERGE_PROBES = (
    _merge_probe("two halves of different weight", [0.5, 1.0], [1.5, 0.2], d_v=3, start=61),
    _merge_probe("logarithms below 0", [-0.5, -1.0, 0.3], [-1.5, 0.4, -2.0], d_v=2, start=62),
    _merge_probe("two equal halves", [0.7, -0.3, 1.1], [0.7, -0.3, 1.1], d_v=4, start=63),
    _merge_probe("a half without keys", [0.4, NOTHING, 1.2], [NOTHING, -0.8, 0.6], d_v=5, start=64),
    _merge_probe(
        "a query without a key in either half", [0.4, NOTHING, 1.2], [0.1, NOTHING, 2.0], d_v=2, start=65
    ),
    _merge_probe("a half that counts little", [6.0, 0.3, 9.0], [0.2, 4.4, -0.1], d_v=2, start=68),
    _merge_probe("five queries", [2.0, 1.0, 0.0, -1.0, 4.0], [1.0, 3.0, 0.5, 1.0, 3.5], d_v=3, start=66),
    _merge_probe(
        "sums larger than any float64",
        [1000.0, 1001.0, -1000.0, 800.0],
        [1001.0, 1000.5, -1001.0, -800.0],
        d_v=3,
        start=67,
        hard=True,
    ),
)


def _between_the_two(inputs: Any, output: Any, _call: Any) -> str:
    merged, _ = output
    a, b = inputs["output_a"], inputs["output_b"]
    if merged.shape != a.shape:
        return ""
    low, high = np.minimum(a, b) - 1e-9, np.maximum(a, b) + 1e-9
    return (
        ""
        if ((low <= merged) & (merged <= high)).all()
        else (
            "Each number of the output should lie between those of the two halves: it is a mixture of them."
        )
    )


def _above_both(inputs: Any, output: Any, _call: Any) -> str:
    _, merged = output
    a, b = inputs["log_sum_exp_a"], inputs["log_sum_exp_b"]
    if merged.shape != a.shape:
        return ""
    larger = np.maximum(a, b)
    for query in np.flatnonzero(np.isneginf(larger) & ~np.isneginf(merged)):
        return (
            f"Query {query} has seen no key in either half. A sum of nothing is 0, and its logarithm −∞; "
            f"yours is {merged[query]:.2f}."
        )
    low, high = larger - 1e-9, larger + np.log(2) + 1e-9
    return (
        ""
        if ((low <= merged) & (merged <= high)).all()
        else (
            "log_sum_exp should be at least the larger of the two, and at most log 2 above it: a sum of "
            "two parts is larger than each, and at most twice the larger one."
        )
    )


def _same_everywhere(a: Array, b: Array) -> Array:
    return np.maximum(a, b).max() + 0 * np.where(np.isneginf(a), 0, a)


_SHARE = (
    "Each half counts by its share of the sum of exponentials: e^(its log_sum_exp) over the two together."
)


def _dropping(limit: float, drop: bool = True, whole: bool = True) -> Step:
    """A mixture in which a share of e^limit times the other one becomes 1, or the other one 0, or both."""

    def mix(output_a: Array, a: Array, output_b: Array, b: Array, total: Array) -> Array:
        with np.errstate(all="ignore"):
            above = np.nan_to_num(np.log(a) - np.log(b))
        shares = []
        for part, difference in ((a, above), (b, -above)):
            share = np.where(whole & (difference > limit), 1, part / total)
            shares.append(np.where(drop & (difference < -limit), 0, share))
        return np.asarray(shares[0] * output_a + shares[1] * output_b)

    return mix


_LOGS = (
    "The sums are added, and their logarithms are not: log(e^a + e^b), which np.logaddexp calculates, or "
    "larger + log(e^(a − larger) + e^(b − larger))."
)

MERGE = Write(
    name="merge",
    task="Attention over two halves of the keys, and one answer: output and log_sum_exp of both together.",
    call="my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b)",
    right=merge_partials,
    recipe=_merge_by_choices,
    probes=MERGE_PROBES,
    axes=("query", "entry"),
    beside=("output_a", "log_sum_exp_a", "output_b", "log_sum_exp_b"),
    properties=(
        Property("a mixture", "each output lies between those of the halves", _between_the_two),
        Property("the logarithm", "log_sum_exp is at most log 2 above the larger one", _above_both),
    ),
    mistakes=(
        Mistake(
            "mean-of-outputs",
            "the output is the plain mean of the two",
            f"{_SHARE} The halves hold different keys, with different scores.",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: (output_a + output_b) / 2,
        ),
        Mistake(
            "sum-of-outputs",
            "the two outputs were added",
            f"Each is divided by its own sum already. {_SHARE}",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: output_a + output_b,
        ),
        Mistake(
            "not-divided",
            "the weighted outputs were not divided by the sum of both parts",
            "The two shares must sum to 1: divide by e^(a − larger) + e^(b − larger).",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: a * output_a + b * output_b,
        ),
        Mistake(
            "one-half-divided",
            "only one of the two halves was divided by the sum",
            "Both shares have the same sum below the line: (part_a · output_a + part_b · output_b) / total.",
            HALVES,
            also=[{"mix": lambda output_a, a, output_b, b, total: a * output_a / total + b * output_b}],
            mix=lambda output_a, a, output_b, b, total: a * output_a + b * output_b / total,
        ),
        Mistake(
            "shares-swapped",
            "each half got the share of the other one",
            "output_a counts by e^(log_sum_exp_a), output_b by e^(log_sum_exp_b).",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: (b * output_a + a * output_b) / total,
        ),
        Mistake(
            "shares-multiplied",
            "the parts were multiplied, or the outputs were",
            f"{_SHARE}",
            HALVES,
            also=[{"mix": lambda output_a, a, output_b, b, total: (a * output_a) * (b * output_b) / total}],
            mix=lambda output_a, a, output_b, b, total: a * b * (output_a + output_b) / total,
        ),
        Mistake(
            "larger-half-only",
            "the half with the larger log_sum_exp was taken alone",
            f"The other half's keys have weight, too. {_SHARE}",
            HALVES,
            also=[{"mix": lambda output_a, a, output_b, b, total: np.where(a > b, output_a, output_b)}],
            mix=lambda output_a, a, output_b, b, total: np.where(a >= b, output_a, output_b),
        ),
        Mistake(
            "small-share-dropped",
            "a half was left out where its share is small",
            f"A small share counts, too, and it costs nothing to take it in. {_SHARE}",
            HALVES,
            also=[
                {"mix": _dropping(5, whole=False)},
                {"mix": _dropping(5, drop=False)},
                {"mix": _dropping(4)},
                {"mix": _dropping(8)},
            ],
            mix=_dropping(5),
        ),
        Mistake(
            "halved",
            "the mixture was divided by 2 as well",
            "The two shares sum to 1 already.",
            HALVES,
            mix=lambda *parts: _mixed(*parts) / 2,
        ),
        Mistake(
            "total-alone",
            "the outputs were added without their shares, and divided by the sum",
            f"Each output is divided by its own sum already. {_SHARE}",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: (output_a + output_b) / total,
        ),
        Mistake(
            "empty-half-wins",
            "where one half has no key for a query, the other half was lost as well",
            "A half without a key has the share e^−∞ = 0. The other one is then the answer.",
            HALVES,
            give=lambda output, log: (np.where(np.isneginf(_column_of(log)), 0, output), log),
            logarithm=lambda larger, total, a, b: np.where(
                np.isneginf(a) | np.isneginf(b), -np.inf, larger + np.log(total)
            ),
        ),
        Mistake(
            "half-b-lost",
            "the output is that of one half alone",
            _SHARE,
            HALVES,
            also=[{"mix": lambda output_a, a, output_b, b, total: output_b}],
            mix=lambda output_a, a, output_b, b, total: output_a,
        ),
        Mistake(
            "half-a-share",
            "one half came in without its share",
            _SHARE,
            HALVES,
            also=[
                {"mix": lambda output_a, a, output_b, b, total: output_a + b * output_b / total},
                {"mix": lambda output_a, a, output_b, b, total: a * output_a / total + output_b},
            ],
            mix=lambda output_a, a, output_b, b, total: (output_a + b * output_b) / total,
        ),
        Mistake(
            "by-logarithms",
            "the outputs were weighted by the logarithms themselves",
            f"A logarithm may be 0 or below it. {_SHARE}",
            HALVES,
            also=[
                {
                    "largest": _larger_or_0,
                    "part": lambda log, larger: log,
                    "guard": lambda total: total,
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                }
            ],
            part=lambda log, larger: log,
            guard=lambda total: total,
            mix=_mixed,
            largest=_larger_or_0,
            logarithm=lambda larger, total, a, b: a + b,
        ),
        Mistake(
            "by-differences",
            "the outputs were weighted by the differences from the larger logarithm, without e",
            _SHARE,
            HALVES,
            also=[
                {
                    "part": lambda log, larger: log - larger,
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                }
            ],
            part=lambda log, larger: log - larger,
        ),
        Mistake(
            "overflow",
            "e^log_sum_exp was calculated without taking the larger one off first",
            "e^1000 is larger than any float64, and e^−1000 is 0: their shares are nan. Shares depend on the "
            "difference only, so subtract the larger of the two first.",
            HALVES,
            also=[
                {
                    "largest": lambda a, b: np.log(np.exp(a) + np.exp(b)),
                    "guard": np.ones_like,
                    "logarithm": lambda larger, total, a, b: larger,
                },
                {
                    "largest": lambda a, b: 0 * _larger_or_0(a, b),
                    "guard": lambda total: total,
                    "mix": lambda *parts: np.nan_to_num(_mixed(*parts)),
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                },
                {
                    "largest": lambda a, b: 0 * _larger_or_0(a, b),
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                },
                {"largest": lambda a, b: 0 * _larger_or_0(a, b), "guard": lambda total: total},
                {
                    "largest": lambda a, b: 0 * _larger_or_0(a, b),
                    "guard": lambda total: total,
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                },
                {
                    "largest": lambda a, b: 0 * _larger_or_0(a, b),
                    "guard": lambda total: np.maximum(total, 1e-300),
                },
            ],
            largest=lambda a, b: 0 * _larger_or_0(a, b),
        ),
        Mistake(
            "softmax-over-queries",
            "softmax ran over the queries, not over the two halves",
            f"Queries have nothing to share among each other. {_SHARE}",
            HALVES,
            also=[
                {
                    "part": lambda log, larger: softmax(log),
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                }
            ],
            part=lambda log, larger: softmax(log),
            mix=lambda output_a, a, output_b, b, total: a * output_a + b * output_b,
            logarithm=lambda larger, total, a, b: np.logaddexp(a, b),
        ),
        Mistake(
            "smaller-taken-off",
            "the smaller of the two logarithms was taken off, not the larger one",
            "Then the larger one may still overflow, and −∞ stands there where a half is empty. With the "
            "larger one taken off no exponent is above 0.",
            HALVES,
            also=[{"largest": lambda a, b: np.where(np.isneginf(np.minimum(a, b)), 0, np.minimum(a, b))}],
            largest=np.minimum,
        ),
        Mistake(
            "a-taken-off",
            "the logarithm of one fixed half was taken off, not the larger one",
            "Where the other half's is larger by 710 or more, e^(difference) is ∞; and −∞ − −∞ is nan. "
            "Take off the larger of the two.",
            HALVES,
            also=[{"largest": lambda a, b: b}],
            largest=lambda a, b: a,
        ),
        Mistake(
            "one-maximum-for-all",
            "one maximum was taken for all queries together",
            "Each query has its own two logarithms: np.maximum(log_sum_exp_a, log_sum_exp_b), entry by "
            "entry. Otherwise both parts of a query far below the maximum are 0.",
            HALVES,
            largest=_same_everywhere,
        ),
        Mistake(
            "no-key-nan",
            "a query without a key in either half gives nan",
            "−∞ − −∞ is nan, and 0/0 as well. Put a finite number in the place of the larger one where "
            "it is −∞, and 1 in the place of a sum that is 0.",
            HALVES,
            also=[
                {"largest": np.maximum, "logarithm": lambda larger, total, a, b: np.logaddexp(a, b)},
                {"guard": lambda total: total},
                {"guard": lambda total: total, "logarithm": lambda larger, total, a, b: np.logaddexp(a, b)},
                {
                    "largest": np.logaddexp,
                    "logarithm": lambda larger, total, a, b: larger,
                    "guard": lambda total: 1,
                },
            ],
            largest=np.maximum,
        ),
        Mistake(
            "minus-infinity-lost",
            "log_sum_exp is finite for a query that has seen no key",
            "The sum of no exponentials is 0, and its logarithm is −∞. A finite one would make the next "
            "merge count an empty half.",
            HALVES,
            also=[
                {"logarithm": lambda larger, total, a, b: np.nan_to_num(larger + np.log(total))},
                {
                    "logarithm": lambda larger, total, a, b: np.where(
                        total == 0, 0, larger + np.log(_or_1(total))
                    )
                },
                {"logarithm": lambda larger, total, a, b: larger + np.log(np.maximum(total, 1e-300))},
            ],
            logarithm=lambda larger, total, a, b: larger + np.log(_or_1(total)),
        ),
        Mistake(
            "logarithms-added",
            "the two logarithms were added",
            f"That is the logarithm of a product. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: a + b,
        ),
        Mistake(
            "larger-logarithm",
            "log_sum_exp is the larger of the two",
            f"The other half's exponentials belong to the sum, too. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: np.maximum(a, b),
        ),
        Mistake(
            "mean-of-logarithms",
            "log_sum_exp is the mean of the two",
            f"Two halves have more keys than one, and so a larger sum. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: (a + b) / 2,
        ),
        Mistake(
            "logarithms-mixed",
            "the two logarithms were mixed by the shares",
            f"Outputs are mixed, sums are added. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: (
                (np.exp(a - larger) * np.nan_to_num(a) + np.exp(b - larger) * np.nan_to_num(b)) / _or_1(total)
            ),
            also=[
                {
                    "logarithm": lambda larger, total, a, b: (
                        (np.exp(a - larger) * a + np.exp(b - larger) * b) / total
                    )
                }
            ],
        ),
        Mistake(
            "larger-not-put-back",
            "the larger logarithm was taken off and never put back",
            "log(e^(a − larger) + e^(b − larger)) is the logarithm less the larger one: add it again.",
            HALVES,
            logarithm=lambda larger, total, a, b: np.log(total),
        ),
        Mistake(
            "larger-multiplied",
            "the larger logarithm was multiplied with the rest, or taken off again",
            "log(e^larger · total) is larger + log(total).",
            HALVES,
            also=[{"logarithm": lambda larger, total, a, b: np.log(total) - larger}],
            logarithm=lambda larger, total, a, b: larger * np.log(total),
        ),
        Mistake(
            "no-logarithm",
            "the sum came back, without its logarithm",
            "The next merge takes a logarithm, and the sum itself may be larger than any float64.",
            HALVES,
            also=[
                {"logarithm": lambda larger, total, a, b: total},
                {"logarithm": lambda larger, total, a, b: np.exp(a) + np.exp(b)},
            ],
            logarithm=lambda larger, total, a, b: larger + total,
        ),
        Mistake(
            "log-overflow",
            "log_sum_exp was calculated from e^a + e^b, which may be ∞",
            f"e^1000 is larger than any float64. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: np.log(np.exp(a) + np.exp(b)),
        ),
        Mistake(
            "powers-of-2",
            "powers or logarithms to base 2 were taken",
            "These are natural logarithms: np.exp and np.log, or np.logaddexp.",
            HALVES,
            also=[
                {
                    "part": lambda log, larger: np.exp2(log - larger),
                    "logarithm": lambda larger, total, a, b: np.logaddexp2(a, b),
                },
                {"logarithm": lambda larger, total, a, b: np.logaddexp2(a, b)},
                {"logarithm": lambda larger, total, a, b: larger + np.log2(total)},
            ],
            part=lambda log, larger: np.exp2(log - larger),
        ),
        Mistake(
            "ratio-inverted",
            "the differences are turned round: e^(larger − log_sum_exp)",
            "The half with the larger sum should count more: e^(log_sum_exp − larger).",
            HALVES,
            part=lambda log, larger: np.exp(larger - log),
        ),
        Mistake(
            "no-column",
            "the shares of the queries were multiplied along the wrong axis",
            "A row of the output belongs to a query. The shares have shape (n_queries,): [:, None] makes "
            "a column of them, which meets every number of its row.",
            HALVES,
            also=[{"column": lambda parts: parts[None, :]}],
            column=lambda parts: parts,
        ),
        Mistake(
            "results-swapped",
            "the two results came back in the wrong order",
            "First the output, then log_sum_exp.",
            HALVES,
            give=lambda output, log: (log, output),
        ),
        Mistake(
            "log-as-column",
            "log_sum_exp came back with an axis too many",
            "It has one number for each query: shape (n_queries,), as it came.",
            HALVES,
            give=lambda output, log: (output, log[:, None]),
        ),
    ),
    hints=(
        "If the two sums were S_a and S_b: what would the output over all keys be, and what the sum?",
        "The shares are S_a / (S_a + S_b) and S_b / (S_a + S_b). With larger = np.maximum of the two "
        "logarithms, np.exp(log_sum_exp_a - larger) can stand for S_a, and S_b likewise: the shares stay "
        "the same.",
        "log_sum_exp is larger + np.log(of the two parts together). Where a query has no key at all, "
        "larger is −∞: put 0 there, and 1 in place of a sum that is 0. np.where chooses.",
    ),
    explain="Each output was divided by its own sum. Its share puts that sum back, and divides by both. "
    "A query without any key needs the two np.where, because −∞ − −∞ and 0/0 are nan.",
    reread=HALVES,
)

# --- tile-bug ----------------------------------------------------------------------------------------


def _whole(queries: Array, keys: Array, values: Array, _tile: int) -> Array:
    return attention(queries, keys, values)[0]


def _by_root_d_k(queries: Array, tile_of_keys: Array, _values: Array, _n_keys: int) -> Array:
    return scale_scores(dot_product_scores(queries, tile_of_keys), queries.shape[-1])


def _divided(weighted_sum: Array, running_sum: Array, _running_max: Array, _last: Array, _n: int) -> Array:
    return weighted_sum / running_sum


def _blocked_by_choices(
    queries: Array, keys: Array, values: Array, tile: int, *, score: Step = _by_root_d_k,
    tiles: Step = _all_tiles, finish: Step = _divided, begin: float = -np.inf, **choices: Step,
) -> Any:  # fmt: skip
    running_max, running_sum, weighted_sum = map(np.asarray, (begin, 0.0, 0.0))  # single numbers, as given
    scores = running_max
    for place in tiles(len(keys), tile):
        scores = score(queries, keys[place], values[place], len(keys))
        state = _step(running_max, running_sum, weighted_sum, scores, values[place], **choices)
        running_max, running_sum, weighted_sum = state
    return finish(weighted_sum, running_sum, running_max, scores, len(keys))


def _blocked_probe(
    kind: str,
    n_queries: int,
    n_keys: int,
    tile: int,
    d_v: int,
    start: int,
    times: float = 1,
    hard: bool = False,
) -> Probe:
    return Probe(
        kind,
        {
            "queries": numbers(n_queries, 4, start=start) * times,
            "keys": numbers(n_keys, 4, start=start + 100) * times,
            "values": numbers(n_keys, d_v, start=start + 200),
            "tile": tile,
        },
        hard=hard,
    )


def _far_below_0(kind: str, n_queries: int, n_keys: int, tile: int, d_v: int, start: int) -> Probe:
    inputs = _blocked_probe(kind, n_queries, n_keys, tile, d_v, start).inputs
    inputs["queries"][:, 0], inputs["keys"][:, 0] = -60, 30
    return Probe(kind, inputs, hard=True)


BLOCKED_PROBES = (
    _blocked_probe("two tiles", 2, 6, 3, 5, start=71),
    _blocked_probe("all keys in one tile", 3, 5, 5, 2, start=72),
    _blocked_probe("one key at a time", 2, 5, 1, 3, start=73),
    _blocked_probe("a shorter last tile", 3, 7, 2, 5, start=74),
    _blocked_probe("a tile that is longer than the keys", 3, 5, 8, 2, start=75),
    _blocked_probe("more keys than one can see at a glance", 5, 11, 4, 3, start=76),
    _blocked_probe("large scores", 5, 11, 3, 2, start=77, times=25, hard=True),
    _far_below_0("scores far below 0", 3, 7, 3, 5, start=78),
)


def _weights_sum_to_1(inputs: Any, _output: Array, call: Any) -> str:
    values = inputs["values"]
    with_ones = call(inputs["queries"], inputs["keys"], np.ones_like(values), inputs["tile"])
    if with_ones is None or with_ones.ndim != 2 or np.allclose(with_ones, 1):
        return ""
    row = int(np.argmax(abs(with_ones - 1).max(axis=-1) > 1e-5))  # the first, as the case above shows
    return (
        "Where all values are 1 each output is 1, because weights sum to 1. With values of 1 your query "
        f"{row} gets {with_ones[row, 0]:.2f}."
    )


_DIVIDE = (
    "A sum that is divided by the running sum of its time cannot be added to later tiles, which have "
    "another one. Divide once, after the last tile."
)


def _each_divided(part: _Part) -> Array:
    return part.carried + part.e @ part.values / part.total


def _all_divided(part: _Part) -> Array:
    return (part.carried + part.e @ part.values) / part.total


def _own_divided(part: _Part) -> Array:
    return part.carried + part.e @ part.values / part.e.sum(axis=-1, keepdims=True)


def _divided_before(part: _Part) -> Array:
    return part.carried + part.e @ part.values / part.before


def _kept_as_an_output(part: _Part) -> Array:
    return (part.carried * part.before + part.e @ part.values) / part.total


def _divided_or_error(weighted_sum: Array, running_sum: Array, *_rest: Any) -> Any:
    """Where no tile was read the given function still has the numbers 0 and 0."""
    return weighted_sum / running_sum if running_sum.any() else int(running_sum.any()) / 0


def _full_tiles_only(n_keys: int, tile: int) -> list[slice]:
    return [slice(start, start + tile) for start in range(0, n_keys - tile + 1, tile)]


def _undivided(weighted_sum: Array, *_rest: Any) -> Array:
    return weighted_sum


def _by_last_tile(weighted_sum: Array, _sum: Array, _max: Array, last: Array, _n: int) -> Array:
    return weighted_sum / np.exp(last - _row_max(last)).sum(axis=-1, keepdims=True)


TILE_BUG = Mend(
    name="tile-bug",
    task="Attention, a tile of keys at a time. The scores and the maxima are right; the output is too small.",
    call="my_blocked_attention(queries, keys, values, tile)",
    right=_whole,
    recipe=_blocked_by_choices,
    given="divided-twice",
    symptom="give all values the number 1. The output should then be 1 for every query, because weights "
    "sum to 1, and even with a single tile it is smaller. How often is a key's value divided on its way?",
    probes=BLOCKED_PROBES,
    axes=("query", "entry"),
    properties=(Property("weights sum to 1", "values of 1 give an output of 1", _weights_sum_to_1),),
    mistakes=(
        Mistake(
            "divided-twice",
            "each tile's part was divided by the running sum in the loop, and the whole once more at the end",
            _DIVIDE,
            TILES,
            add_mix=_each_divided,
            finish=_divided,  # said of both divisions: no pair with another end
        ),
        Mistake(
            "all-divided-twice",
            "weighted_sum was divided by the running sum in each step, and once more at the end",
            _DIVIDE,
            TILES,
            add_mix=_all_divided,
            finish=_divided,
        ),
        Mistake(
            "divided-in-the-loop",
            "each tile's part was divided in the loop, by the running sum of its time",
            _DIVIDE,
            TILES,
            add_mix=_each_divided,
            finish=_undivided,
        ),
        Mistake(
            "all-divided-in-the-loop",
            "weighted_sum was divided in every step, by the running sum of its time",
            _DIVIDE,
            TILES,
            add_mix=_all_divided,
            finish=_undivided,
        ),
        Mistake(
            "divided-before-the-sum",
            "each tile's part was divided by running_sum before that had been updated",
            f"In the first step it is still 0. {_DIVIDE}",
            TILES,
            also=[
                {"add_mix": _divided_before, "finish": _undivided},
                {"add_mix": lambda part: part.carried + part.e @ part.values / _or_1(part.before)},
                {
                    "add_mix": lambda part: part.carried + part.e @ part.values / _or_1(part.before),
                    "finish": _undivided,
                },
            ],
            add_mix=_divided_before,
        ),
        Mistake(
            "carried-divided",
            "what was summed before was divided by the running sum in the step",
            _DIVIDE,
            TILES,
            also=[
                {
                    "add_mix": lambda part: part.carried / part.total + part.e @ part.values,
                    "finish": _undivided,
                }
            ],
            add_mix=lambda part: part.carried / part.total + part.e @ part.values,
        ),
        Mistake(
            "an-output-divided",
            "weighted_sum is kept as an output, which is right, and then divided once more at the end",
            "Multiplied by the old sum and divided by the new one in each step, it is the output already "
            "after "
            "the last tile. Either way is good, but not both.",
            TILES,
            add_mix=_kept_as_an_output,
            finish=_divided,
        ),
        Mistake(
            "multiplied-at-the-end",
            "weighted_sum was multiplied by running_sum at the end",
            "Weights are e^(score − maximum) divided by running_sum.",
            TILES,
            finish=lambda mix, total, largest, last, n: mix * total,
        ),
        Mistake(
            "first-tile-left-out",
            "the first tile was left out",
            "Every key belongs to the sums: the tiles start at 0.",
            TILES,
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(tile, n, tile)],
            finish=_divided_or_error,
            also=[{"tiles": lambda n, tile: [slice(start, start + tile) for start in range(tile, n, tile)]}],
        ),
        Mistake(
            "sliding-tiles",
            "the tiles overlap: the loop moves on by one key, not by a whole tile",
            "range(0, len(keys), tile) goes from tile to tile, so that every key is counted once.",
            TILES,
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(n)],
        ),
        Mistake(
            "one-key-too-many",
            "each tile holds one key too many, which is then counted twice",
            "A slice ends before its stop: start : start + tile holds exactly `tile` keys.",
            TILES,
            tiles=lambda n, tile: [slice(start, start + tile + 1) for start in range(0, n, tile)],
        ),
        Mistake(
            "powers-of-2-throughout",
            "powers of 2 were taken in place of powers of e",
            "That is attention as well, with other weights: 2^score is e^(score · log 2). The weights asked "
            "for are those of e^score.",
            TILES,
            factor=lambda old, new, scores: np.exp2(old - new),
            exponentiate=lambda scores, old, new: np.exp2(scores - new),
        ),
        Mistake(
            "divided-by-the-tile",
            "each tile's part was divided by the tile's own sum",
            f"Then each tile counts the same, whatever its scores. {_DIVIDE}",
            TILES,
            also=[
                {"add_mix": _own_divided, "finish": _undivided},
                {"exponentiate": _own_softmax, "factor": _one},
                {"exponentiate": _own_softmax, "finish": _undivided},
                {"exponentiate": _own_softmax},
                {"exponentiate": _own_softmax, "factor": _one, "finish": _undivided},
                {"add_mix": _own_divided, "add_sum": lambda carried, e, rescale: carried + 1, "factor": _one},
            ],
            add_mix=_own_divided,
        ),
        Mistake(
            "first-tile-only",
            "only the first tile was read",
            "All tiles belong to the sums. Does `return` stand inside the loop?",
            TILES,
            tiles=lambda n, tile: [slice(0, tile)],
        ),
        Mistake(
            "last-tile-only",
            "only the last tile counts",
            "All tiles belong to the sums. Do both start before the loop, and is running_max set to the "
            "new maximum? While it stays −∞, e^(old − new) is 0 and wipes out what was summed before.",
            TILES,
            tiles=lambda n, tile: [slice((n - 1) // tile * tile, n)],
        ),
        Mistake(
            "never-divided",
            "weighted_sum was never divided",
            "It is a sum of e^(score − maximum) times value. Divided by running_sum it is a mixture.",
            TILES,
            finish=_undivided,
        ),
        Mistake(
            "divided-by-last-tile",
            "at the end weighted_sum was divided by the sum of the last tile alone",
            "It holds the values of all keys, and running_sum the exponentials of all keys.",
            TILES,
            finish=_by_last_tile,
        ),
        Mistake(
            "tile-max-at-the-end",
            "the division at the end used a maximum once more",
            "Both sums are measured against the running maximum already, and it cancels in weighted_sum / "
            "running_sum.",
            TILES,
            also=[
                {"finish": lambda mix, total, largest, last, n: mix / (total * np.exp(largest))},
                {
                    "finish": lambda mix, total, largest, last, n: (
                        mix * np.exp(_row_max(last) - largest) / total
                    )
                },
                {"finish": lambda mix, total, largest, last, n: mix / total * np.exp(largest)},
                {"finish": lambda mix, total, largest, last, n: mix / (total * np.exp(_row_max(last)))},
            ],
            finish=lambda mix, total, largest, last, n: mix / (total * np.exp(_row_max(last) - largest)),
        ),
        Mistake(
            "divided-by-n",
            "weighted_sum was divided by the number of keys",
            "The weights sum to 1 where weighted_sum is divided by running_sum.",
            TILES,
            also=[{"finish": lambda mix, total, largest, last, n: mix / total / n}],
            finish=lambda mix, total, largest, last, n: mix / n,
        ),
        Mistake(
            "divided-by-all",
            "weighted_sum was divided by the sum over all queries",
            "Each query has its own running sum: a column, (n_queries, 1).",
            TILES,
            finish=lambda mix, total, largest, last, n: mix / total.sum(),
        ),
        Mistake(
            "not-scaled",
            "the scores were not divided by √d_k",
            "The scores of a tile are those of lesson 02: queries @ tile_of_keys.T / √d_k.",
            TILES,
            score=lambda queries, keys, values, n: queries @ keys.T,
        ),
        Mistake(
            "other-scale",
            "the scores were divided by another number than √d_k",
            "d_k is the length of a query, queries.shape[1]: the width of the tile has nothing to do "
            "with it.",
            TILES,
            also=[
                {"score": lambda queries, keys, values, n: queries @ keys.T / np.sqrt(len(keys))},
                {"score": lambda queries, keys, values, n: queries @ keys.T / np.sqrt(n)},
                {"score": lambda queries, keys, values, n: queries @ keys.T / np.sqrt(values.shape[-1])},
                {"score": lambda queries, keys, values, n: queries @ keys.T / np.sqrt(len(queries))},
            ],
            score=lambda queries, keys, values, n: queries @ keys.T / queries.shape[-1],
        ),
        Mistake(
            "last-tile-short",
            "the keys of a shorter last tile were left out",
            "range(0, len(keys), tile) goes through all starts, and a slice past the end is shorter.",
            TILES,
            also=[
                {"tiles": _full_tiles_only},
                {"tiles": lambda n, tile: _full_tiles_only(n, tile) or [slice(n)]},
            ],
            tiles=_full_tiles_only,
            finish=_divided_or_error,
        ),
        Mistake(
            "starts-at-0",
            "the running maximum starts at 0",
            "A query whose scores all lie far below 0 never takes its own maximum, and its exponentials "
            "are all 0. Start at −∞, which is smaller than any score.",
            TILES,
            begin=0.0,
        ),
        *_but(
            (
                *passing_mistakes([{"exponentiate": lambda scores, old, new: np.exp(scores - old)}]),
                *mix_mistakes(),
            ),
            "old-exponentials",
            "divided-in-the-step",
            "divided-by-the-tile",
            "tile-softmax",
            "powers-of-2",
        ),
    ),
    unseen="whether the keys are still read a tile at a time. The task asks for it: a program that looks at "
    "all "
    "keys at once needs all their scores at once.",
    hints=(
        "Take one query, one tile and values of 1. What is weighted_sum after the only step, and what "
        "comes out?",
        "weighted_sum / running_sum at the end divides every key's value once. Is any value divided "
        "before that?",
        "Leave the division by running_sum out of the loop.",
    ),
    explain="weighted_sum and running_sum grow side by side, undivided, and both are rescaled. Their "
    "ratio after the last tile is the output; each value was divided once, by the sum over all keys. "
    "blocked_attention in helpers/streaming.py cuts the queries into tiles as well.",
    reread=TILES,
)

# --- tiles -------------------------------------------------------------------------------------------

MOST_TOLD = 8  # tiles in one line
MOST_PAIRS = 10_000  # of what may be an endless generator


def _numbers_of_tiles(inputs: Mapping[str, Any]) -> tuple[int, int]:
    rows = -(-inputs["n_queries"] // inputs["tile_queries"])
    return rows, -(-inputs["n_keys"] // inputs["tile_keys"])


def _pair(entry: Any) -> tuple[int, int]:
    try:
        i, j = (int(number) for number in entry)
        whole = [i, j] == list(entry) and not isinstance(entry, str)
    except Exception:
        whole = False
    if not whole:
        flat = "" if isinstance(entry, Iterable) else f": {entry!r:.20} is one number"
        raise OtherFormError(
            f"returned a list with something else than pairs (i, j) of whole numbers in it{flat}"
        )
    return i, j


def _allowed_pairs(inputs: Mapping[str, Any]) -> set[tuple[int, int]]:
    """(query, key) of all pairs that the causal mask allows."""
    return {(int(i), int(j)) for i, j in np.argwhere(causal_mask(inputs["n_queries"], inputs["n_keys"]))}


def told_tiles(tiles: Array, needed: Array) -> str:
    """Two tables of True and False -> the tiles that are missing and those that are too many, as pairs."""
    rows = {"missing": needed & ~tiles, "too many": tiles & ~needed}
    pairs = {what: [f"({i}, {j})" for i, j in np.argwhere(table)] for what, table in rows.items()}
    return "\n".join(
        f"    {what:<8}  {', '.join(found[:MOST_TOLD])}{', …' if len(found) > MOST_TOLD else ''}"
        for what, found in pairs.items()
        if found
    )


def read_tiles(inputs: Mapping[str, Any], result: Any) -> Array:
    """Inputs, pairs (i, j) in any order and container -> (rows, columns) of tiles, True for each pair.

    Raises OtherFormError for anything else, for a tile that does not exist, and for one that comes twice.
    """
    truths = isinstance(result, np.ndarray) and result.dtype == bool
    if truths or isinstance(result, str | bytes | Mapping) or not isinstance(result, Iterable):
        names = {int: "a number", float: "a number", str: "a text", dict: "a dictionary"}
        what = names.get(type(result), f"a {type(result).__name__}")
        what = "True and False (np.argwhere makes pairs of them)" if truths else what
        raise OtherFormError(f"returned {what}, where a list of pairs (i, j) is asked for")
    pairs = sorted(_pair(entry) for entry in islice(result, MOST_PAIRS))
    rows, columns = _numbers_of_tiles(inputs)
    marked = np.zeros((rows, columns), dtype=bool)
    for i, j in pairs:
        if not (0 <= i < rows and 0 <= j < columns):
            if {(query, key) for query, key in pairs} == _allowed_pairs(inputs):
                raise OtherFormError(
                    "returned pairs of a query and a key, where pairs of tiles are asked for"
                )
            raise OtherFormError(
                f"returned ({i}, {j}), and there is no such tile: i goes from 0 to {rows - 1}, "
                f"j from 0 to {columns - 1}"
            )
        if marked[i, j]:
            raise OtherFormError(
                f"returned ({i}, {j}) twice, so that its keys would count twice: each tile once, however "
                "many "
                "of its pairs are allowed"
            )
        marked[i, j] = True
    return marked


PAIRS = Form(read=read_tiles, told=told_tiles)


def needed_tiles(n_queries: int, n_keys: int, tile_queries: int, tile_keys: int) -> list[tuple[int, int]]:
    """Counts -> (i, j) of all tiles that blocked_attention does not skip under the causal mask."""
    kinds = tile_kinds(n_queries, n_keys, causal=True, tile_queries=tile_queries, tile_keys=tile_keys)
    return [(int(i), int(j)) for i, j in np.argwhere(kinds > 0)]


def _ceiling(length: int, tile: int) -> int:
    return -(-length // tile)


class _Tile:
    """One tile: its numbers, its first and last key, its first and last query by their places."""

    def __init__(self, i: int, j: int, sizes: tuple[int, int, int, int], offset: int) -> None:
        n_queries, n_keys, tile_queries, tile_keys = sizes
        self.i, self.j, self.sizes = i, j, sizes
        self.first_query = i * tile_queries + offset
        self.last_query = min((i + 1) * tile_queries, n_queries) - 1 + offset
        self.first_key = j * tile_keys
        self.last_key = min((j + 1) * tile_keys, n_keys) - 1
        self.last_query_if_full = (i + 1) * tile_queries - 1 + offset
        self.last_key_if_full = (j + 1) * tile_keys - 1


def _some_allowed(tile: _Tile) -> bool:
    return tile.first_key <= tile.last_query


def _some_if_full(tile: _Tile) -> bool:
    return tile.first_key <= tile.last_query_if_full


def _as_numbers(tile: _Tile) -> tuple[int, int]:
    return tile.i, tile.j


def _keys_before(n_queries: int, n_keys: int) -> int:
    return n_keys - n_queries


def _tiles_by_choices(
    n_queries: int, n_keys: int, tile_queries: int, tile_keys: int, *, offset: Step = _keys_before,
    count_rows: Step = _ceiling, count_columns: Step = _ceiling, keep: Step = _some_allowed,
    write: Step = _as_numbers, counts: Step = lambda n_queries, n_keys: (n_queries, n_keys),
    sizes: Step = lambda tile_queries, tile_keys: (tile_queries, tile_keys),
) -> Any:  # fmt: skip
    tile_queries, tile_keys = sizes(tile_queries, tile_keys)
    n_queries, n_keys = counts(n_queries, n_keys)
    before = offset(n_queries, n_keys)
    all_sizes = n_queries, n_keys, tile_queries, tile_keys
    tiles = [
        _Tile(i, j, all_sizes, before)
        for i in range(count_rows(n_queries, tile_queries))
        for j in range(count_columns(n_keys, tile_keys))
    ]
    return [write(tile) for tile in tiles if keep(tile)]


def _shifted(tile: _Tile, step: int) -> bool:
    """Tile numbers compared, with the keys before the first query counted in tiles."""
    n_queries, n_keys, _, tile_keys = tile.sizes
    return tile.j <= tile.i + (n_keys - n_queries) // tile_keys + step


def _last_row_sees_all(inputs: Any, tiles: Array, _call: Any) -> str:
    if tiles.shape != _numbers_of_tiles(inputs) or tiles[-1].all():
        return ""
    missing = ", ".join(f"({len(tiles) - 1}, {j})" for j in np.flatnonzero(~tiles[-1]))
    return f"The last query may attend to every key: every tile of its row is needed. Missing: {missing}."


def _first_column(inputs: Any, tiles: Array, _call: Any) -> str:
    if tiles.shape != _numbers_of_tiles(inputs) or tiles[:, 0].all():
        return ""
    i = int(np.argmin(tiles[:, 0]))
    return f"Every query may attend to key 0, so that ({i}, 0) is needed as well."


_ONE_PAIR = (
    "A tile is needed as soon as one pair is allowed. Its last query and its first key have the best chance."
)

TILES_EXERCISE = Write(
    name="tiles",
    task="The tiles of which a causal mask allows at least one pair.",
    call="my_tiles(n_queries, n_keys, tile_queries, tile_keys)",
    right=needed_tiles,
    recipe=_tiles_by_choices,
    probes=tuple(
        Probe(
            kind,
            dict(zip(("n_queries", "n_keys", "tile_queries", "tile_keys"), sizes, strict=True)),
            form=PAIRS,
        )
        for kind, sizes in (
            ("square tiles", (4, 4, 2, 2)),
            ("tiles with more keys than queries", (6, 6, 2, 3)),
            ("tiles with more queries than keys", (6, 6, 3, 2)),
            ("the last tokens are queries", (4, 8, 2, 2)),
            ("the last tokens are queries", (4, 6, 2, 4)),
            ("a shorter last tile", (7, 7, 3, 3)),
            ("shorter last tiles", (7, 7, 3, 2)),
            ("shorter last tiles", (5, 9, 2, 4)),
            ("shorter last tiles", (5, 12, 4, 3)),
            ("one new token", (1, 7, 4, 2)),
            ("one tile holds everything", (3, 5, 8, 8)),
            ("more tiles", (11, 17, 3, 2)),
        )
    ),
    axes=("row of tiles", "column"),
    properties=(
        Property("the first column", "every tile with key 0 is there", _first_column),
        Property("the last row", "every tile of the last query is there", _last_row_sees_all),
    ),
    mistakes=(
        Mistake(
            "diagonal-skipped",
            "the tiles that the diagonal cuts are missing: only those that are allowed as a whole are there",
            f"{_ONE_PAIR} What is hidden in such a tile is masked inside it.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.last_key_if_full <= tile.first_query}],
            keep=lambda tile: tile.last_key <= tile.first_query,
        ),
        Mistake(
            "first-query-asked",
            "the tile's first query was asked, not its last one",
            f"Later queries of the tile see more. {_ONE_PAIR}",
            SKIPPED,
            keep=lambda tile: tile.first_key <= tile.first_query,
        ),
        Mistake(
            "last-key-asked",
            "the tile's last key was compared, not its first one",
            f"Earlier keys of the tile may be seen although the last one is not. {_ONE_PAIR}",
            SKIPPED,
            also=[
                {"keep": lambda tile: tile.last_key_if_full <= tile.last_query_if_full},
                {"keep": lambda tile: tile.last_key_if_full <= tile.last_query},
                {"keep": lambda tile: tile.last_key <= tile.last_query_if_full},
            ],
            keep=lambda tile: tile.last_key <= tile.last_query,
        ),
        Mistake(
            "own-key-hidden",
            "a tile is missing where its last query sees only its own key",
            "A token may attend to itself: ≤, not <.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.first_key < tile.last_query_if_full}],
            keep=lambda tile: tile.first_key <= tile.last_query - 1,
        ),
        Mistake(
            "one-step-too-far",
            "a tile is there although its first key comes one step after its last query",
            "(i + 1) · tile_queries is the first query of the next tile: the last one of this tile is "
            "one before it.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.first_key <= tile.last_query_if_full + 1}],
            keep=lambda tile: tile.first_key <= tile.last_query + 1,
        ),
        Mistake(
            "numbers-compared",
            "the numbers of the tiles were compared: j ≤ i",
            "That is right where tiles are square and n_queries is n_keys. Elsewhere compare places: the "
            "tile's first key, j · tile_keys, with its last query's.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.j <= tile.i, "count_columns": lambda length, tile: length}],
            keep=lambda tile: tile.j <= tile.i,
        ),
        Mistake(
            "numbers-with-an-offset",
            "the numbers of the tiles were compared, with an offset in whole tiles",
            "The tokens before the first query need not fill whole tiles, and a tile may be wider than it is "
            "high. Compare places: the tile's first key, j · tile_keys, with its last query's.",
            SKIPPED,
            also=[
                {"keep": lambda tile: _shifted(tile, 1)},
                {
                    "keep": lambda tile: (
                        tile.j <= tile.i + _ceiling(tile.sizes[1] - tile.sizes[0], tile.sizes[3])
                    )
                },
                {
                    "keep": lambda tile: (
                        tile.j
                        <= tile.i
                        + _ceiling(tile.sizes[1], tile.sizes[3])
                        - _ceiling(tile.sizes[0], tile.sizes[2])
                    )
                },
            ],
            keep=lambda tile: _shifted(tile, 0),
        ),
        Mistake(
            "below-the-diagonal",
            "the numbers of the tiles were compared, and the tiles with i = j are missing: j < i",
            f"The diagonal goes through tiles that are needed. {_ONE_PAIR}",
            SKIPPED,
            also=[{"keep": lambda tile: _shifted(tile, -1)}],
            keep=lambda tile: tile.j < tile.i,
        ),
        Mistake(
            "diagonal-only",
            "only the tiles with i = j are there",
            "A query sees all earlier keys as well: the tiles at the left of the diagonal are allowed as "
            "a whole.",
            SKIPPED,
            keep=lambda tile: tile.i == tile.j,
        ),
        Mistake(
            "upper-left",
            "the mask starts in the upper left corner: the queries were taken for the first tokens",
            "The queries are the last n_queries tokens: query 0 stands at place n_keys − n_queries.",
            SKIPPED,
            also=[{"offset": lambda n_queries, n_keys: 0, "keep": _some_if_full}],
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "offset-turned",
            "the places of the queries were moved to the wrong side",
            "Query 0 stands at place n_keys − n_queries, which is 0 or more: it sees more keys, not fewer.",
            SKIPPED,
            also=[{"offset": lambda n_queries, n_keys: n_queries - n_keys, "keep": _some_if_full}],
            offset=lambda n_queries, n_keys: n_queries - n_keys,
        ),
        Mistake(
            "last-row-forgotten",
            "a last row of tiles with fewer queries was forgotten",
            "7 queries in tiles of 3 are three tiles, the last with one query. Round the number of tiles up: "
            "-(-n // tile), or range(0, n, tile).",
            SKIPPED,
            count_rows=lambda length, tile: length // tile,
        ),
        Mistake(
            "last-column-forgotten",
            "a last column of tiles with fewer keys was forgotten",
            "7 keys in tiles of 3 are three tiles, the last with one key. Round the number of tiles up: "
            "-(-n // tile), or range(0, n, tile).",
            SKIPPED,
            count_columns=lambda length, tile: length // tile,
        ),
        Mistake(
            "last-tiles-forgotten",
            "the shorter last tiles were forgotten, in both directions",
            "Round the numbers of tiles up: -(-n // tile), or range(0, n, tile).",
            SKIPPED,
            count_rows=lambda length, tile: length // tile,
            count_columns=lambda length, tile: length // tile,
        ),
        Mistake(
            "one-row-too-many",
            "there is a row of tiles too many where the number of queries divides evenly",
            "n // tile + 1 is one too many there. Round up: -(-n // tile), or range(0, n, tile).",
            SKIPPED,
            also=[
                {"count_rows": lambda length, tile: length // tile + 1, "keep": _some_if_full},
                {
                    "count_rows": lambda length, tile: length // tile + 1,
                    "count_columns": lambda length, tile: length // tile + 1,
                    "keep": _some_if_full,
                },
            ],
            count_rows=lambda length, tile: length // tile + 1,
        ),
        Mistake(
            "all-tiles",
            "every tile is there",
            "Where the first key of a tile is later than its last query, no pair is allowed, and nobody "
            "needs it.",
            SKIPPED,
            keep=lambda tile: True,
        ),
        Mistake(
            "skipped-tiles",
            "these are the tiles that can be skipped",
            "The list is of those that are needed: all others.",
            SKIPPED,
            keep=lambda tile: not _some_allowed(tile),
        ),
        Mistake(
            "other-triangle",
            "the other triangle: tiles whose keys come later were kept",
            "A query may attend to itself and to what came before: keys at or before its own place.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.j >= tile.i}],
            keep=lambda tile: tile.last_key >= tile.first_query,
        ),
        Mistake(
            "pairs-turned",
            "the numbers of a pair stand in the wrong order: (j, i)",
            "Queries are rows, and come first: (i, j) has the queries from i · tile_queries on.",
            SKIPPED,
            write=lambda tile: (tile.j, tile.i),
        ),
        Mistake(
            "starts-listed",
            "the places where tiles start are listed, not their numbers",
            "Tile (i, j) has the queries from i · tile_queries on: i counts tiles.",
            SKIPPED,
            write=lambda tile: (tile.i * tile.sizes[2], tile.first_key),
        ),
        Mistake(
            "masked-tiles-only",
            "only the tiles that the diagonal cuts are there: those that need a mask inside",
            "Tiles that are allowed as a whole are needed as well.",
            SKIPPED,
            also=[{"keep": lambda tile: _some_allowed(tile) and tile.last_key_if_full > tile.first_query}],
            keep=lambda tile: _some_allowed(tile) and tile.last_key > tile.first_query,
        ),
        Mistake(
            "middle-asked",
            "the middle of the tile was compared with the middle of its queries",
            _ONE_PAIR,
            SKIPPED,
            keep=lambda tile: tile.first_key + tile.sizes[3] / 2 <= tile.first_query + tile.sizes[2] / 2,
        ),
        Mistake(
            "counted-from-1",
            "the tiles were counted from 1",
            "The first tile is (0, 0).",
            SKIPPED,
            write=lambda tile: (tile.i + 1, tile.j + 1),
        ),
        Mistake(
            "sizes-swapped",
            "the two sizes of a tile changed places",
            "tile_queries cuts the rows, tile_keys the columns.",
            SKIPPED,
            sizes=lambda tile_queries, tile_keys: (tile_keys, tile_queries),
        ),
        Mistake(
            "counts-swapped",
            "n_queries and n_keys changed places",
            "The function is called with n_queries first, and rows are queries.",
            SKIPPED,
            counts=lambda n_queries, n_keys: (n_keys, n_queries),
        ),
        Mistake(
            "one-size",
            "one size was used for rows and columns",
            "tile_queries cuts the rows, tile_keys the columns.",
            SKIPPED,
            also=[{"sizes": lambda tile_queries, tile_keys: (tile_keys, tile_keys)}],
            sizes=lambda tile_queries, tile_keys: (tile_queries, tile_queries),
        ),
    ),
    hints=(
        "Which pair of a tile has the best chance to be allowed? Its last query sees most, its first key "
        "is seen by most.",
        "The last query of row i is number min((i + 1) · tile_queries, n_queries) − 1. Its place among "
        "the keys is that plus n_keys − n_queries. Tile j is needed if j · tile_keys is not later.",
        "range(0, n_queries, tile_queries) gives the first queries of all rows of tiles, a shorter last "
        "one included.",
    ),
    explain="A tile is needed if its last query may attend to its first key. tile_kinds in "
    "helpers/streaming.py says in addition which tiles need no mask at all: there the first query may "
    "attend to the last key.",
    reread=SKIPPED,
)

# --- tile-cost ---------------------------------------------------------------------------------------

COST_KEYS, COST_D_K, COST_D_V, COST_BYTES = 128, 64, 96, 2


def _operations(tile_queries: int) -> float:
    return 2 * tile_queries * COST_KEYS * (COST_D_K + COST_D_V)


def _numbers_moved(tile_queries: int) -> float:
    return (tile_queries + COST_KEYS) * (COST_D_K + COST_D_V)


def _bytes(tile_queries: int) -> float:
    return COST_BYTES * _numbers_moved(tile_queries)


def _cost(tile_queries: int) -> tuple[float, float, float]:
    return _operations(tile_queries), _bytes(tile_queries), _operations(tile_queries) / _bytes(tile_queries)


_TURNED = "Two rows of the table changed places: the first number of a row is its tile_queries."


def _turned(tile_queries: int) -> int:
    """The other end of the table."""
    return {1: 128, 128: 1}.get(tile_queries, tile_queries)


def _more_bytes(numbers_more: Step) -> Step:
    return lambda tile_queries: _bytes(tile_queries) + COST_BYTES * numbers_more(tile_queries)


TILE_COST = Table(
    name="tile-cost",
    task="Operations, bytes and operations per byte of one tile of scores, for three numbers of queries.",
    row_name="tile_queries",
    labels=(1, 32, 128),
    columns=("operations", "bytes", "operations per byte"),
    row=_cost,
    exact=(0, 1),
    next_from_row=lambda tile_queries, column, before: (
        before[0] / before[1] if column == 2 and before[1] else np.nan
    ),
    slips=(
        (
            Slip(
                "no-factor-2",
                lambda t: _operations(t) / 2,
                "A multiplication and an addition are two operations, for each entry of a row and column "
                "that meet.",
            ),
            Slip(
                "widths-twice",
                lambda t: 2 * _operations(t),
                "The first product has d_k numbers in each sum, the second mixes d_v: d_k + d_v for each "
                "pair of query and key, twice (a multiplication and an addition), not four times.",
            ),
            Slip("bytes-here", _bytes, "These are the bytes. The first column counts operations."),
            Slip(
                "scores-only",
                lambda t: 2 * t * COST_KEYS * COST_D_K,
                "That is queries @ keys.T alone. exponentials @ values needs 2 · tile_queries · 128 · "
                "d_v more.",
            ),
            Slip(
                "mixing-only",
                lambda t: 2 * t * COST_KEYS * COST_D_V,
                "That is exponentials @ values alone. queries @ keys.T needs 2 · tile_queries · 128 · "
                "d_k more.",
            ),
            Slip(
                "d-k-twice",
                lambda t: 4 * t * COST_KEYS * COST_D_K,
                "The second product is with the values: d_v is 96 there, not 64.",
            ),
            Slip(
                "widths-multiplied",
                lambda t: 2 * t * COST_KEYS * COST_D_K * COST_D_V,
                "The two products come one after the other: their operations are added, d_k + d_v.",
            ),
            Slip(
                "one-per-score",
                lambda t: t * COST_KEYS,
                "That is the number of scores. Each is a sum of d_k products, and later weighs d_v numbers.",
            ),
            Slip(
                "d-v-twice",
                lambda t: 4 * t * COST_KEYS * COST_D_V,
                "The first product is with the keys: d_k is 64 there, not 96.",
            ),
            Slip(
                "exponentials-counted",
                lambda t: _operations(t) + t * COST_KEYS,
                "The exponentials are counted, too. The task leaves them out: only the two products.",
            ),
            Slip(
                "additions-exact",
                lambda t: t * COST_KEYS * (2 * COST_D_K - 1) + t * COST_D_V * (2 * COST_KEYS - 1),
                "A sum of n products has n − 1 additions, that is true. Here, as everywhere, a "
                "multiplication "
                "and an addition are counted for each product: 2 · n.",
            ),
            Slip(
                "millions",
                lambda t: _operations(t) / 1e6,
                "All operations are asked for, not millions of them.",
            ),
            Slip("rows-turned", lambda t: _operations(_turned(t)), _TURNED),
            Slip(
                "square-tile",
                lambda t: 2 * t * t * (COST_D_K + COST_D_V),
                "The tile has 128 keys in every row of the table.",
            ),
            Slip(
                "128-queries",
                lambda t: 2 * COST_KEYS * COST_KEYS * (COST_D_K + COST_D_V),
                "The tile has as many queries as the row says, and 128 keys.",
            ),
            Slip(
                "one-product-without-2",
                lambda t: t * COST_KEYS * COST_D_K,
                "That is the multiplications of queries @ keys.T. The additions are missing, and the "
                "other product.",
            ),
        ),
        (
            Slip(
                "numbers-not-bytes",
                _numbers_moved,
                "That is how many numbers move. A number in float16 takes 2 bytes.",
            ),
            Slip("float32", lambda t: 2 * _bytes(t), "4 bytes are for float32. A number in float16 takes 2."),
            Slip(
                "float64",
                lambda t: 4 * _bytes(t),
                "8 bytes are for float64, NumPy's own. A number in float16 takes 2.",
            ),
            Slip(
                "bits",
                lambda t: 8 * _bytes(t),
                "16 is the number of bits. A number in float16 takes 2 bytes.",
            ),
            Slip("operations-here", _operations, "These are the operations. The second column counts bytes."),
            Slip("kilobytes", lambda t: _bytes(t) / 1024, "Bytes are asked for, not thousands of them."),
            Slip("thousands", lambda t: _bytes(t) / 1000, "Bytes are asked for, not thousands of them."),
            Slip("rows-turned", lambda t: _bytes(_turned(t)), _TURNED),
            Slip(
                "square-tile",
                lambda t: COST_BYTES * 2 * t * (COST_D_K + COST_D_V),
                "The tile has 128 keys in every row of the table.",
            ),
            Slip(
                "d-v-for-all",
                lambda t: COST_BYTES * 2 * (t + COST_KEYS) * COST_D_V,
                "The queries and the keys have d_k = 64 numbers in a row, not 96.",
            ),
            Slip(
                "output-by-d-k",
                _more_bytes(lambda t: t * (COST_D_K - COST_D_V)),
                "A row of output has d_v = 96 numbers, as the values have.",
            ),
            Slip(
                "queries-by-d-v",
                _more_bytes(lambda t: t * (COST_D_V - COST_D_K)),
                "A query has d_k = 64 numbers, as the keys have.",
            ),
            Slip(
                "scores-only-moved",
                lambda t: COST_BYTES * t * COST_KEYS,
                "These are the bytes of the scores, which never leave the processor. Queries, keys, values "
                "and output do.",
            ),
            Slip(
                "keys-for-each-query",
                lambda t: COST_BYTES * t * (COST_KEYS + 1) * (COST_D_K + COST_D_V),
                "Keys and values were counted once for each query. They are read once for the whole "
                "tile, and every query of it uses them.",
            ),
            Slip(
                "output-forgotten",
                _more_bytes(lambda t: -t * COST_D_V),
                "The rows of output are written once: tile_queries · d_v numbers more.",
            ),
            Slip(
                "queries-forgotten",
                _more_bytes(lambda t: -t * COST_D_K),
                "The queries of the tile are read once: tile_queries · d_k numbers more.",
            ),
            Slip(
                "keys-and-values-only",
                lambda t: COST_BYTES * COST_KEYS * (COST_D_K + COST_D_V),
                "That is for keys and values. The queries are read and the rows of output are written as "
                "well.",
            ),
            Slip(
                "values-forgotten",
                _more_bytes(lambda t: -COST_KEYS * COST_D_V),
                "The values of the tile are read once: 128 · d_v numbers more.",
            ),
            Slip(
                "keys-forgotten",
                _more_bytes(lambda t: -COST_KEYS * COST_D_K),
                "The keys of the tile are read once: 128 · d_k numbers more.",
            ),
            Slip(
                "scores-moved",
                _more_bytes(lambda t: t * COST_KEYS),
                "The scores are counted, too. They never leave the processor: that is the point of a tile.",
            ),
            Slip(
                "scores-moved-twice",
                _more_bytes(lambda t: 2 * t * COST_KEYS),
                "The scores are counted, written and read again. They never leave the processor: that is "
                "the point of a tile.",
            ),
            Slip(
                "d-k-for-all",
                lambda t: COST_BYTES * 2 * (t + COST_KEYS) * COST_D_K,
                "The values and the output have d_v = 96 numbers in a row, not 64.",
            ),
            Slip(
                "output-twice",
                _more_bytes(lambda t: t * COST_D_V),
                "The rows of output are counted twice. They are written once.",
            ),
        ),
        (
            Slip("rows-turned", lambda t: _operations(_turned(t)) / _bytes(_turned(t)), _TURNED),
            Slip(
                "whole-numbers",
                lambda t: _operations(t) // _bytes(t),
                "`//` drops the rest, and so does int(). `/` keeps it.",
            ),
            Slip(
                "ratio-inverted",
                lambda t: _bytes(t) / _operations(t),
                "That is bytes per operation. Operations per byte: divide the first column by the second.",
            ),
            Slip(
                "difference",
                lambda t: _operations(t) - _bytes(t),
                "That is the difference. Operations per byte is a ratio: divide.",
            ),
            Slip(
                "product",
                lambda t: _operations(t) * _bytes(t),
                "That is the product. Operations per byte is a ratio: divide.",
            ),
        ),
    ),
    because="With d_k + d_v = 160 it is 2 · tile_queries · 128 · 160 operations and 2 · (tile_queries + "
    "128) · 160 bytes: in float16 the ratio is tile_queries · 128 / (tile_queries + 128), whatever the "
    "widths. One query alone reads a byte for each operation; a large tile uses each byte many times.",
    hints=(
        "A product of (a, b) and (b, c) has a · c results, each of b multiplications and about b additions: "
        "2 · a · b · c operations. Here are two such products.",
        "Count numbers first: the queries of the tile (tile_queries · 64), its keys (128 · 64), its "
        "values (128 · 96), its output (tile_queries · 96). A number in float16 takes 2 bytes.",
        "Divide the first column by the second, and give two digits after the point or more.",
    ),
    reread=BYTES,
)

# --- cache-mask --------------------------------------------------------------------------------------


def _one_pass(queries: Array, keys: Array, values: Array, _chunk: int) -> Array:
    return attention(queries, keys, values, causal_mask(len(queries), len(keys)))[0]


def _places_of(n_new: int, n_cached: int, start: int, before: int) -> Array:
    """The places of the new tokens among all."""
    return np.arange(n_new)[:, None] + n_cached - n_new


def _not_later(seen: Array, places: Array) -> Mask:
    return seen <= places


def _all_so_far(n_cached: int, n_new: int, n_keys: int) -> slice:
    return slice(0, n_cached)


def _chunks(n: int, chunk: int) -> list[slice]:
    return [slice(start, min(start + chunk, n)) for start in range(0, n, chunk)]


def _attend(queries: Array, keys: Array, values: Array, mask: Mask) -> Array:
    return attention(queries, keys, values, mask)[0]


def _prefill_by_choices(
    queries: Array, keys: Array, values: Array, chunk: int, *, places: Step = _places_of,
    allow: Step = _not_later, cached: Step = _all_so_far, before: Step = lambda q, k: k - q,
    attend: Step = _attend, chunks: Step = _chunks, join: Step = np.concatenate,
    counted: Step = lambda n_new, chunk: n_new, grow: Step = lambda n_new, chunk: n_new,
) -> Any:  # fmt: skip
    outputs, n_cached = [], before(len(queries), len(keys))
    for part in chunks(len(queries), chunk):
        new = queries[part]
        n_cached += grow(len(new), chunk)
        kept = cached(n_cached, len(new), len(keys))
        seen = np.arange(kept.stop - kept.start)
        ahead = len(new) - counted(len(new), chunk)
        mask = allow(seen, places(len(new), n_cached + ahead, part.start, len(keys) - len(queries)))
        outputs.append(attend(new, keys[kept], values[kept], mask))
    return join(outputs)


def _open(seen: Array, places: Array) -> Mask:
    return seen + 0 * places >= 0


def _prefill_probe(kind: str, n_queries: int, n_keys: int, chunk: int, d_v: int, start: int) -> Probe:
    return Probe(
        kind,
        {
            "queries": numbers(n_queries, 4, start=start),
            "keys": numbers(n_keys, 4, start=start + 100),
            "values": numbers(n_keys, d_v, start=start + 200),
            "chunk": chunk,
        },
    )


def _moves(inputs: Any, call: Any, name: str, place: int) -> Array | None:
    """The inputs, the place of a key or head -> which rows or heads of the output move with its values."""
    changed = dict(inputs)
    changed[name] = inputs[name].copy()
    changed[name][place] += 1
    before, after = call(*inputs.values()), call(*changed.values())
    if before is None or after is None or before.shape != after.shape:
        return None
    return np.asarray((abs(after - before) > 1e-9).reshape(len(before), -1).any(axis=-1))


def _sees_the_past_only(inputs: Any, output: Array, call: Any) -> str:
    n_queries, n_keys = len(inputs["queries"]), len(inputs["keys"])
    if output.shape != (n_queries, inputs["values"].shape[-1]):
        return ""
    may_see = causal_mask(n_queries, n_keys)
    for key in range(n_keys):
        moved = _moves(inputs, call, "values", key)
        if moved is None:
            return ""
        for query in np.flatnonzero(moved != may_see[:, key]):
            place = query + n_keys - n_queries
            token = f"Query {query} belongs to token {place}"
            if moved[query]:
                return f"{token}, and its output moves with the value of token {key}, which comes later."
            return f"{token}, and its output does not move with the value of token {key}, which it may see."
    return ""


_LOWER_RIGHT = (
    "The chunk's queries are the last tokens of the cache: its last query sees the whole cache, so that the "
    "triangle ends in the lower right corner."
)

CACHE_MASK = Mend(
    name="cache-mask",
    task="A cache that is filled in chunks: the output should be that of one causal pass over everything.",
    call="my_prefill(queries, keys, values, chunk)",
    right=_one_pass,
    recipe=_prefill_by_choices,
    given="upper-left",
    symptom="with one query and three keys, the mask of the chunk is True False False: the newest token "
    "sees the oldest one, and not itself.",
    probes=(
        _prefill_probe("tokens before, and two chunks", 3, 5, 2, 6, start=81),
        _prefill_probe("one new token at a time", 3, 5, 1, 2, start=82),
        _prefill_probe("all new tokens in one chunk", 3, 7, 3, 5, start=83),
        _prefill_probe("a chunk that is longer than what is new", 2, 5, 8, 3, start=84),
        _prefill_probe("a shorter last chunk", 5, 8, 3, 2, start=85),
        _prefill_probe("one token before", 6, 7, 2, 3, start=86),
        _prefill_probe("many chunks", 7, 11, 2, 5, start=87),
    ),
    axes=("query", "entry"),
    properties=(
        Property("causal", "each query sees all up to itself, and nothing later", _sees_the_past_only),
    ),
    mistakes=(
        Mistake(
            "upper-left",
            "the triangle of each chunk starts in the upper left corner",
            _LOWER_RIGHT,
            CACHE,
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None],
        ),
        Mistake(
            "start-only",
            "the queries were taken for the first tokens: those that were read before the first chunk are "
            "not "
            "counted",
            _LOWER_RIGHT,
            CACHE,
            also=[{"before": lambda n_queries, n_keys: 0}],
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + start,
        ),
        Mistake(
            "same-for-every-chunk",
            "the triangle was moved by the same number of places in every chunk",
            f"Later chunks have more tokens before them. {_LOWER_RIGHT}",
            CACHE,
            also=[
                {
                    "places": lambda n_new, n_cached, start, before: (
                        np.arange(n_new)[:, None] + n_cached - start - n_new
                    )
                }
            ],
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + before,
        ),
        Mistake(
            "chunk-counted-full",
            "the last chunk was counted as full, and it may be shorter",
            f"{_LOWER_RIGHT} Take len(new_queries), not `chunk`.",
            CACHE,
            counted=lambda n_new, chunk: chunk,
        ),
        Mistake(
            "one-step-ahead",
            "each query sees one token too many, the next one of its chunk",
            "The diagonal is the last that is seen: a token may attend to itself and to what came before.",
            CACHE,
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + n_cached - n_new + 1,
        ),
        Mistake(
            "own-token-hidden",
            "each query misses its own token",
            "The chunk's keys are in the cache when its queries read, and a token may attend to itself.",
            CACHE,
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + n_cached - n_new - 1,
        ),
        Mistake(
            "no-mask",
            "within a chunk every query sees every key",
            "The cache holds nothing later than the chunk, but within the chunk some keys are later than "
            "some queries: there the triangle is needed.",
            CACHE,
            also=[{"places": lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + n_cached}],
            allow=_open,
        ),
        Mistake(
            "future-too",
            "all keys were read, those of later chunks too, and no mask hides them",
            "The cache holds only what has been appended: keys[:n_cached].",
            CACHE,
            allow=_open,
            cached=lambda n_cached, n_new, n_keys: slice(0, n_keys),
        ),
        Mistake(
            "wrong-side",
            "the triangle was moved to the wrong side",
            f"{_LOWER_RIGHT} A negative shift makes a query see fewer keys.",
            CACHE,
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] - (n_cached - n_new),
        ),
        Mistake(
            "other-triangle",
            "the other triangle is True: queries see themselves and what is later",
            "A query may attend to keys at or before its own place.",
            CACHE,
            allow=lambda seen, places: seen >= places,
        ),
        Mistake(
            "inverted",
            "True and False changed places",
            "True = may attend.",
            CACHE,
            allow=lambda seen, places: seen > places,
        ),
        Mistake(
            "diagonal-only",
            "each query sees its own token only",
            "A token may attend to itself and to all before it: that is what the cache is for.",
            CACHE,
            allow=lambda seen, places: seen == places,
        ),
        Mistake(
            "chunk-only",
            "a chunk sees its own keys only, and nothing that was read before",
            "The keys of all tokens so far are in the cache, keys[:n_cached], and a query may attend to "
            "them.",
            CACHE,
            also=[
                {"cached": lambda n_cached, n_new, n_keys: slice(n_cached - n_new, n_cached), "allow": _open}
            ],
            cached=lambda n_cached, n_new, n_keys: slice(n_cached - n_new, n_cached),
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None],
        ),
        Mistake(
            "chunk-not-appended",
            "the chunk's own keys were not in the cache when its queries read",
            "First append the chunk's keys and values, then let its queries attend.",
            CACHE,
            cached=lambda n_cached, n_new, n_keys: slice(0, n_cached - n_new),
            allow=_open,
        ),
        Mistake(
            "tuple-kept",
            "the two results of attention were kept together",
            "attention returns output and weights as one tuple. Take them apart first: output, _ = "
            "attention(...).",
            CACHE,
            attend=attention,
        ),
        Mistake(
            "mask-of-floats",
            "the mask holds numbers, and a mask is made of True and False",
            "np.tri and np.ones give floats unless they are told dtype=bool. (A table of 0 and −∞ is for "
            "adding "
            "to the scores, and attention makes it by itself.)",
            CACHE,
            also=[
                {"allow": lambda seen, places: (seen <= places).astype(int)},
                {"allow": lambda seen, places: np.where(seen <= places, 0.0, -np.inf)},
            ],
            allow=lambda seen, places: (seen <= places).astype(float),
        ),
        Mistake(
            "chunk-is-the-mask",
            "the mask has as many columns as the chunk has tokens",
            "There is a column for every key that the chunk's queries meet: all in the cache.",
            CACHE,
            allow=lambda seen, places: np.tri(len(places), dtype=bool),
        ),
        Mistake(
            "cache-counted-full",
            "n_cached grew by a whole chunk each time, and the last chunk may be shorter",
            "As many tokens come in as the chunk holds: len(new_queries).",
            CACHE,
            grow=lambda n_new, chunk: chunk,
        ),
        Mistake(
            "steps-of-one",
            "the loop moves on by one query, and not by a whole chunk: queries are answered twice",
            "range(0, len(queries), chunk) goes from chunk to chunk.",
            CACHE,
            chunks=lambda n, chunk: [slice(start, start + chunk) for start in range(n)],
        ),
        Mistake(
            "newest-of-all",
            "every chunk was taken for the newest of all tokens, with all keys in the cache",
            "Each chunk sees what has been read up to its own end. Later chunks are not in the cache yet.",
            CACHE,
            cached=lambda n_cached, n_new, n_keys: slice(0, n_keys),
            allow=lambda seen, places: seen <= np.arange(len(places))[:, None] + len(seen) - len(places),
        ),
        Mistake(
            "triangle-first",
            "the triangle stands over the oldest tokens, and the chunk's own are open",
            "The tokens that were read before may be seen by every query of the chunk. It is the chunk's own "
            "tokens of which some are later.",
            CACHE,
            allow=lambda seen, places: (seen <= np.arange(len(places))[:, None]) | (seen >= len(places)),
        ),
        Mistake(
            "mask-transposed",
            "the mask was transposed",
            "Rows are queries, columns are keys: (len(new_queries), n_cached).",
            CACHE,
            allow=lambda seen, places: (seen <= places).T,
        ),
        Mistake(
            "last-chunk-only",
            "only the last chunk's output came back",
            "Every chunk's rows belong to the output: collect them, and join them at the end.",
            CACHE,
            join=lambda outputs: outputs[-1],
        ),
        Mistake(
            "first-chunk-only",
            "only the first chunk's output came back",
            "Every chunk's rows belong to the output. Does `return` stand inside the loop?",
            CACHE,
            join=lambda outputs: outputs[0],
        ),
        Mistake(
            "order-turned",
            "the chunks' outputs were joined in the wrong order",
            "Append each chunk's rows at the end.",
            CACHE,
            join=lambda outputs: np.concatenate(outputs[::-1]),
        ),
        Mistake(
            "shorter-chunk-lost",
            "the queries of a shorter last chunk were left out",
            "range(0, len(queries), chunk) goes through all starts, and a slice past the end is shorter.",
            CACHE,
            chunks=lambda n, chunk: [slice(start, start + chunk) for start in range(0, n - chunk + 1, chunk)],
        ),
    ),
    unseen="whether the queries are still answered a chunk at a time, each from a cache that holds nothing "
    "later.",
    hints=(
        "Print the mask of the second chunk. Which key is the newest query's own, and is it True there?",
        "n_cached − len(new_queries) tokens stand before the chunk. Each of its queries may see all of them.",
        "np.tri(rows, columns, k) moves its diagonal by k places to the right. So does causal_mask of "
        "lesson 05, by itself.",
    ),
    explain="The chunk's queries are the last tokens of the cache, so that the diagonal ends in the "
    "lower right corner: it is moved by the number of tokens before the chunk. "
    "causal_mask(len(new_queries), n_cached) is the same mask, and KVCache in helpers/streaming.py does "
    "it without one.",
    reread=CACHE,
)

# --- grouped -----------------------------------------------------------------------------------------


def _grouped(queries: Array, keys: Array, values: Array) -> Array:
    return grouped_query_attention(queries, keys, values)[0]


def _by_runs(head: int, n_heads: int, n_kv_heads: int) -> int:
    return head // (n_heads // n_kv_heads)


def _one_head(queries: Array, keys: Array, values: Array) -> Array:
    return attention(queries, keys, values)[0]


def _grouped_by_choices(
    queries: Array, keys: Array, values: Array, *, read: Step = _by_runs, read_values: Step | None = None,
    of_heads: Step = lambda n_heads, n_kv_heads: n_heads, attend: Step = _one_head, join: Step = np.stack,
    gather: Step = lambda array, of_head: array[of_head],
) -> Any:  # fmt: skip
    n_kv_heads = len(keys)
    outputs = []
    for head in range(of_heads(len(queries), n_kv_heads)):
        of_keys = read(head, len(queries), n_kv_heads)
        of_values = of_keys if read_values is None else read_values(head, len(queries), n_kv_heads)
        outputs.append(attend(queries[head], gather(keys, of_keys), gather(values, of_values)))
    return join(outputs)


def _in_turns(head: int, n_heads: int, n_kv_heads: int) -> int:
    return head % n_kv_heads


def _grouped_probe(
    kind: str, n_heads: int, n_kv_heads: int, sizes: tuple[int, int], d_v: int, start: int
) -> Probe:
    n_queries, n_keys = sizes
    return Probe(
        kind,
        {
            "queries": numbers(n_heads, n_queries, 4, start=start),
            "keys": numbers(n_kv_heads, n_keys, 4, start=start + 300),
            "values": numbers(n_kv_heads, n_keys, d_v, start=start + 500),
        },
    )


_RUNS = (
    "Neighbouring heads share: one run of heads reads one head of keys, the next run the next one. All runs "
    "are "
    "equally long."
)


def _reads_its_run(inputs: Any, output: Array, call: Any) -> str:
    n_heads, n_kv_heads = len(inputs["queries"]), len(inputs["keys"])
    if output.shape[:1] != (n_heads,):
        return ""
    for kv_head in range(n_kv_heads):
        moved = _moves(inputs, call, "values", kv_head)
        if moved is None:
            return ""
        for head in range(n_heads):
            should = _by_runs(head, n_heads, n_kv_heads)
            if moved[head] and should != kv_head:
                run = n_heads // n_kv_heads
                share = f"{run} neighbours share one" if run > 1 else "every head has its own"
                return (
                    f"The output of head {head} moves with head {kv_head} of the values; it should read head "
                    f"{should}: here {share}."
                )
    return ""


GROUPED = Mend(
    name="grouped",
    task="More heads of queries than of keys and values: neighbouring heads share.",
    call="my_grouped_attention(queries, keys, values)",
    right=_grouped,
    recipe=_grouped_by_choices,
    given="in-turns",
    symptom="with six heads of queries and two of keys, list `shared` for the heads 0 to 5. Head 1 "
    "should read the same keys as head 0.",
    probes=(
        _grouped_probe("six heads share two", 6, 2, (3, 5), 7, start=91),
        _grouped_probe("six heads share three", 6, 3, (2, 5), 7, start=92),
        _grouped_probe("eight heads share two", 8, 2, (3, 5), 6, start=93),
        _grouped_probe("nine heads share three", 9, 3, (2, 5), 6, start=94),
        _grouped_probe("every head has its own keys", 3, 3, (2, 5), 6, start=95),
    ),
    axes=("head", "query", "entry"),
    properties=(Property("shares", "each head reads the values of its run", _reads_its_run),),
    mistakes=(
        Mistake(
            "in-turns",
            "the heads take turns: head h reads head h % n_kv_heads",
            f"{_RUNS} Weights that were trained with one way of sharing give something else with the other.",
            FEWER,
            read=_in_turns,
        ),
        Mistake(
            "divided-by-heads",
            "the head's number was divided by the number of heads of keys",
            f"{_RUNS} Does the number you divide by say how long a run is, or how many runs there are?",
            FEWER,
            also=[
                {"read": lambda head, n, kv: min(head // kv, kv - 1)},
                {"read": lambda head, n, kv: head // kv % kv},
            ],
            read=lambda head, n, kv: head // kv,
        ),
        Mistake(
            "group-in-turns",
            "the remainder was taken, by the length of a run",
            f"{_RUNS} % gives the place within a run. Which run is it?",
            FEWER,
            also=[
                {"read": lambda head, n, kv: head % (n // kv) % kv},
                {"read": lambda head, n, kv: min(head % (n // kv), kv - 1)},
            ],
            read=lambda head, n, kv: head % (n // kv),
        ),
        Mistake(
            "run-inverted",
            "the length of a run was calculated the wrong way round: n_kv_heads // n_heads",
            "There are more heads of queries than of keys, and the smaller number // the larger one is 0.",
            FEWER,
            read=lambda head, n, kv: head // (kv // n),
        ),
        Mistake(
            "length-of-the-example",
            "a run has the same length in every input: the number of the example",
            "The example has runs of 3. With other numbers of heads a run has another length.",
            FEWER,
            also=[
                {"read": lambda head, n, kv: min(head // 3, kv - 1)},
                {"read": lambda head, n, kv: head // 3 % kv},
                {"read": lambda head, n, kv: head // 2},
                {"read": lambda head, n, kv: min(head // 2, kv - 1)},
            ],
            read=lambda head, n, kv: head // 3,
        ),
        Mistake(
            "all-heads-pooled",
            "every head reads the keys of all heads, one behind the other",
            f"Each head reads a single head of keys and of values. {_RUNS}",
            FEWER,
            gather=lambda array, of_head: array.reshape(-1, array.shape[-1]),
        ),
        Mistake(
            "heads-averaged",
            "every head reads the mean of all heads of keys",
            f"Each head reads a single head of keys and of values. {_RUNS}",
            FEWER,
            gather=lambda array, of_head: array.mean(axis=0),
        ),
        Mistake(
            "next-run",
            "every head reads the head of keys of the next run",
            _RUNS,
            FEWER,
            read=lambda head, n, kv: (head // (n // kv) + 1) % kv,
        ),
        Mistake(
            "heads-out-of-order",
            "the heads' outputs stand in another order",
            "Output h belongs to head h of the queries.",
            FEWER,
            join=lambda outputs: np.stack(outputs[::-1]),
        ),
        Mistake(
            "head-as-it-is",
            "head h reads head h, and there are not so many",
            _RUNS,
            FEWER,
            read=lambda head, n, kv: head,
        ),
        Mistake(
            "last-for-the-rest",
            "the first heads have keys of their own, and the rest share the last head",
            _RUNS,
            FEWER,
            read=lambda head, n, kv: min(head, kv - 1),
        ),
        Mistake(
            "one-for-all",
            "every head reads the same head of keys",
            f"That is right where there is one head of keys only (multi-query). {_RUNS}",
            FEWER,
            also=[{"read": lambda head, n, kv: kv - 1}],
            read=lambda head, n, kv: 0,
        ),
        Mistake(
            "turned-round",
            "the heads of keys were handed out from the last to the first",
            _RUNS,
            FEWER,
            read=lambda head, n, kv: kv - 1 - head // (n // kv),
        ),
        Mistake(
            "off-by-one",
            "the heads were counted from 1",
            f"The first head has the number 0. {_RUNS}",
            FEWER,
            read=lambda head, n, kv: (head + 1) // (n // kv),
            also=[
                {"read": lambda head, n, kv: min((head + 1) // (n // kv), kv - 1)},
                {"read": lambda head, n, kv: max(head - 1, 0) // (n // kv)},
            ],
        ),
        Mistake(
            "true-division",
            "/ gives a float, and an index must be a whole number",
            f"// divides and drops the remainder. {_RUNS}",
            FEWER,
            also=[{"read": lambda head, n, kv: head // (n / kv)}],
            read=lambda head, n, kv: head / (n // kv),
        ),
        Mistake(
            "rounded",
            "the number of the run was rounded to the nearest, not down",
            f"// drops the remainder. {_RUNS}",
            FEWER,
            also=[{"read": lambda head, n, kv: min(-(-head * kv // n), kv - 1)}],
            read=lambda head, n, kv: min(round(head / (n // kv)), kv - 1),
        ),
        Mistake(
            "values-in-turns",
            "the keys are shared in runs, and the values still in turns",
            "A key and its value belong together: both come from the same head.",
            FEWER,
            read_values=_in_turns,
        ),
        Mistake(
            "keys-in-turns",
            "the values are shared in runs, and the keys still in turns",
            "A key and its value belong together: both come from the same head.",
            FEWER,
            read=_in_turns,
            read_values=_by_runs,
        ),
        Mistake(
            "fewer-heads-out",
            "only as many heads came out as there are heads of keys",
            "Every head of queries has an output of its own: n_heads of them.",
            FEWER,
            of_heads=lambda n, kv: kv,
            also=[{"of_heads": lambda n, kv: kv, "read": lambda head, n, kv: head}],
        ),
        Mistake(
            "heads-joined",
            "the heads' outputs were joined into one long matrix",
            "The heads have an axis of their own, the first one: np.stack makes it.",
            FEWER,
            also=[{"join": lambda outputs: np.concatenate(outputs, axis=-1)}],
            join=np.concatenate,
        ),
        Mistake(
            "heads-last",
            "the axis of heads stands in the wrong place",
            "The shape is (n_heads, n_queries, d_v): np.stack(outputs), along the first axis.",
            FEWER,
            also=[{"join": lambda outputs: np.stack(outputs, axis=-1)}],
            join=lambda outputs: np.stack(outputs, axis=1),
        ),
        Mistake(
            "heads-added",
            "the heads' outputs were added or averaged",
            "Each head keeps its own output: np.stack puts them one behind the other.",
            FEWER,
            also=[{"join": lambda outputs: np.mean(outputs, axis=0)}],
            join=lambda outputs: np.sum(outputs, axis=0),
        ),
        Mistake(
            "tuple-kept",
            "the two results of attention were kept together",
            "attention returns output and weights as one tuple. Take them apart first: output, _ = "
            "attention(...).",
            FEWER,
            attend=attention,
        ),
        Mistake(
            "weights-returned",
            "the weights came back, not the output",
            "attention returns two things, output and weights: the first is asked for.",
            FEWER,
            attend=lambda queries, keys, values: attention(queries, keys, values)[1],
        ),
        Mistake(
            "not-scaled",
            "the scores were not divided by √d_k",
            "The helper attention divides by √d_k.",
            FEWER,
            attend=lambda queries, keys, values: softmax(queries @ keys.T) @ values,
        ),
    ),
    hints=(
        "How many heads of queries share one head of keys? With six and two it is three.",
        "The heads 0, 1, 2 make the first run, the heads 3, 4, 5 the second. Which operation makes 0, 0, "
        "0, 1, 1, 1 of 0, 1, 2, 3, 4, 5?",
        "Whole-number division by the length of a run: head // (n_heads // n_kv_heads).",
    ),
    explain="np.repeat(keys, n_heads // n_kv_heads, axis=0) lays the keys out in the same way (np.tile "
    "would not). grouped_query_attention in helpers/streaming.py does it without copying a key.",
    reread=FEWER,
)

# --- window ------------------------------------------------------------------------------------------


def _last_places(n_queries: int, n_keys: int) -> int:
    return n_keys - n_queries


def _asked_shape(n_queries: int, n_keys: int) -> tuple[int, int]:
    return n_queries, n_keys


def _not_after(distance: Array, _window: int) -> Mask:
    return distance >= 0


def _near(distance: Array, window: int) -> Mask:
    return distance < window


def _as_is(mask: Mask) -> Any:
    return mask


class _Grid(NamedTuple):
    """What a window may be made of: sizes, what is asked for, and the places of the queries, a column."""

    rows: int
    columns: int
    window: int
    causal: Step
    near: Step
    places: Array

    @property
    def keys(self) -> Array:
        return np.arange(self.columns)


def _by_distance(grid: _Grid) -> Mask:
    distance = grid.places - grid.keys
    return np.asarray(grid.causal(distance, grid.window) & grid.near(distance, grid.window))


def _window_by_choices(
    n_queries: int, n_keys: int, window: int, *, offset: Step = _last_places, shape: Step = _asked_shape,
    causal: Step = _not_after, near: Step = _near, shift: int = 0, polarity: Step = _as_is,
    form: Step = _as_is, build: Step = _by_distance,
) -> Any:  # fmt: skip
    rows, columns = shape(n_queries, n_keys)
    places = np.arange(rows)[:, None] + offset(n_queries, n_keys) + shift
    return form(polarity(build(_Grid(rows, columns, window, causal, near, places))))


def _by_slices(start: Step, stop: Step) -> Step:
    """A row at a time: mask[query, start : stop] = True."""

    def build(grid: _Grid) -> Mask:
        mask = np.zeros((grid.rows, grid.columns), dtype=bool)
        for query, place in enumerate(grid.places[:, 0]):
            mask[query, start(place, grid.window) : stop(place, grid.window)] = True
        return mask

    return build


def _same_block(grid: _Grid) -> Mask:
    return np.asarray(grid.places // grid.window == grid.keys // grid.window)


def _full_window(grid: _Grid) -> Mask:
    start = np.maximum(0, grid.places - grid.window + 1)
    return (grid.keys >= start) & (grid.keys < start + grid.window)


def _all(distance: Array, _window: int) -> Mask:
    return np.ones(distance.shape, dtype=bool)


def _own_key_open(inputs: Any, mask: Array, _call: Any) -> str:
    n_queries, n_keys = inputs["n_queries"], inputs["n_keys"]
    if mask.shape != (n_queries, n_keys):
        return ""
    own = mask[np.arange(n_queries), np.arange(n_queries) + n_keys - n_queries].astype(bool)
    if own.all():
        return ""
    query = int(np.argmin(own))
    return (
        f"Query {query} belongs to token {query + n_keys - n_queries}, and may attend to that key: its own."
    )


def _at_most_window(inputs: Any, mask: Array, _call: Any) -> str:
    if mask.shape != (inputs["n_queries"], inputs["n_keys"]):
        return ""
    counts = mask.astype(bool).sum(axis=-1)
    places = np.arange(inputs["n_queries"]) + inputs["n_keys"] - inputs["n_queries"]
    wanted = np.minimum(inputs["window"], places + 1)
    if (counts == wanted).all():
        return ""
    query = int(np.argmax(counts != wanted))
    keys = "1 key" if wanted[query] == 1 else f"{wanted[query]} keys"
    seen = f"in your mask it sees {counts[query]}"
    return f"Query {query} should see {keys}, with window {inputs['window']}; {seen}."


_COUNT = "The query's own key is one of the window: it sees itself and the window − 1 before it."

WINDOW_EXERCISE = Write(
    name="window",
    task="True for the last `window` keys up to each query; the queries are the last tokens.",
    call="my_window(n_queries, n_keys, window)",
    right=window_mask,
    recipe=_window_by_choices,
    probes=tuple(
        Probe(kind, {"n_queries": n_queries, "n_keys": n_keys, "window": window})
        for kind, n_queries, n_keys, window in (
            ("the last two of five tokens", 2, 5, 3),
            ("as many queries as keys", 5, 5, 2),
            ("as many queries as keys", 6, 6, 3),
            ("a window of one key", 3, 4, 1),
            ("one new token", 1, 6, 3),
            ("a window that is wider than the text", 4, 6, 9),
            ("the last few tokens", 4, 9, 4),
            ("the last few tokens", 5, 8, 2),
        )
    ),
    axes=("query", "key"),
    properties=(
        Property("own key", "each query sees its own key", _own_key_open),
        Property("how many", "each query sees `window` keys, or all there are", _at_most_window),
    ),
    mistakes=(
        Mistake(
            "one-too-many",
            "each query sees one key too many at the left",
            _COUNT,
            WINDOW,
            near=lambda distance, window: distance <= window,
        ),
        Mistake(
            "one-too-few",
            "each query sees one key too few at the left",
            _COUNT,
            WINDOW,
            near=lambda distance, window: distance < window - 1,
        ),
        Mistake(
            "not-causal",
            "nothing hides the future",
            "A window looks back: a key is open where it is not later than the query and one of the last "
            "`window`.",
            WINDOW,
            causal=_all,
        ),
        Mistake(
            "both-sides",
            "the window reaches as far into the future as into the past",
            "A window looks back: itself and what came before.",
            WINDOW,
            also=[{"causal": _all, "near": lambda distance, window: abs(distance) <= window}],
            causal=_all,
            near=lambda distance, window: abs(distance) < window,
        ),
        Mistake(
            "half-on-each-side",
            "half of the window lies in the future",
            "A window looks back: itself and the window − 1 keys before it.",
            WINDOW,
            also=[{"causal": _all, "near": lambda distance, window: abs(distance) < window / 2}],
            causal=_all,
            near=lambda distance, window: abs(distance) <= window // 2,
        ),
        Mistake(
            "looks-ahead",
            "the window looks ahead: each query sees itself and what comes next",
            "A window looks back: itself and what came before. Rows are queries.",
            WINDOW,
            also=[{"causal": lambda d, w: d <= 0, "near": lambda d, w: -d <= w}],
            causal=lambda distance, window: distance <= 0,
            near=lambda distance, window: -distance < window,
        ),
        Mistake(
            "no-window",
            "only the future is hidden: every query sees its whole past",
            "A key more than window − 1 places before the query is hidden, too.",
            WINDOW,
            near=_all,
        ),
        Mistake(
            "far-past-only",
            "each query sees what lies before its window, and not the window itself",
            "The window is what stays open: the last `window` keys.",
            WINDOW,
            also=[{"near": lambda distance, window: distance > window}],
            near=lambda distance, window: distance >= window,
        ),
        Mistake(
            "one-distance",
            "each query sees a single key",
            "The window is a run of keys: all distances from 0 to window − 1.",
            WINDOW,
            also=[
                {"near": lambda distance, window: distance == window - 1},
                {"near": lambda distance, window: distance == window},
            ],
            near=lambda distance, window: distance == 0,
        ),
        Mistake(
            "own-key-hidden",
            "each query misses its own key",
            _COUNT,
            WINDOW,
            also=[{"causal": lambda distance, window: distance > 0}],
            causal=lambda distance, window: distance > 0,
            near=lambda distance, window: distance <= window,
        ),
        Mistake(
            "one-step-ahead",
            "the window of each query ends one key too late",
            "The query's own key is the last that it sees.",
            WINDOW,
            also=[{"causal": lambda distance, window: distance >= -1}],
            shift=1,
        ),
        Mistake(
            "upper-left",
            "the queries were taken for the first tokens",
            "The queries are the last n_queries tokens: query 0 stands at place n_keys − n_queries.",
            WINDOW,
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "offset-turned",
            "the places of the queries were moved to the wrong side",
            "Query 0 stands at place n_keys − n_queries, which is 0 or more.",
            WINDOW,
            offset=lambda n_queries, n_keys: n_queries - n_keys,
        ),
        Mistake(
            "inverted", "True and False changed places", "True = may attend.", WINDOW, polarity=np.logical_not
        ),
        Mistake(
            "last-keys-for-all",
            "every query sees the last keys of the text",
            "Each query has a window of its own, which ends at its own token.",
            WINDOW,
            also=[
                {
                    "build": lambda grid: (
                        grid.causal(grid.places - grid.keys, grid.window)
                        & (grid.keys >= grid.columns - grid.window)
                    )
                }
            ],
            build=lambda grid: grid.keys + 0 * grid.places >= grid.columns - grid.window,
        ),
        Mistake(
            "first-keys-for-all",
            "every query sees the first keys of the text",
            "Each query has a window of its own, which ends at its own token.",
            WINDOW,
            also=[
                {
                    "build": lambda grid: (
                        grid.causal(grid.places - grid.keys, grid.window) & (grid.keys < grid.window)
                    )
                }
            ],
            build=lambda grid: grid.keys + 0 * grid.places < grid.window,
        ),
        Mistake(
            "blocks",
            "the text was cut into blocks of `window` tokens, and each query sees its own block up to itself",
            "A window slides: it ends at the query's own token, and moves on by one with each query.",
            WINDOW,
            build=lambda grid: grid.causal(grid.places - grid.keys, grid.window) & _same_block(grid),
        ),
        Mistake(
            "whole-blocks",
            "the text was cut into blocks of `window` tokens, and each query sees the whole of its own, "
            "later "
            "tokens too",
            "A window slides: it ends at the query's own token, and moves on by one with each query.",
            WINDOW,
            build=lambda grid: _same_block(grid),
        ),
        Mistake(
            "parameters-swapped",
            "the two counts were taken in the other order",
            "The function is called with n_queries first: my_window(n_queries, n_keys, window).",
            WINDOW,
            shape=lambda n_queries, n_keys: (n_keys, n_queries),
            offset=lambda n_queries, n_keys: n_queries - n_keys,
        ),
        Mistake(
            "near-edge-upper-left",
            "the left edge of the window starts in the upper left corner, the right one does not",
            "Both edges move with the query, which stands at place n_keys − n_queries + i.",
            WINDOW,
            build=lambda grid: (
                grid.causal(grid.places - grid.keys, grid.window)
                & grid.near(grid.places - grid.places[0] - grid.keys, grid.window)
            ),
        ),
        Mistake(
            "causal-edge-upper-left",
            "the right edge of the window starts in the upper left corner, the left one does not",
            "Both edges move with the query, which stands at place n_keys − n_queries + i.",
            WINDOW,
            build=lambda grid: (
                grid.causal(grid.places - grid.places[0] - grid.keys, grid.window)
                & grid.near(grid.places - grid.keys, grid.window)
            ),
        ),
        Mistake(
            "always-full",
            "the first queries see a full window, keys after themselves among it",
            "Where fewer than `window` keys stand before a query, it sees fewer.",
            WINDOW,
            build=lambda grid: _full_window(grid),
        ),
        Mistake(
            "every-window-th",
            "every key at a whole number of windows before the query is open",
            "The window is a run of keys: all distances from 0 to window − 1.",
            WINDOW,
            near=lambda distance, window: distance % window == 0,
        ),
        Mistake(
            "no-column",
            "the places of the queries are a row, and so are those of the keys",
            "Each query meets each key where one of the two is a column: places[:, None].",
            WINDOW,
            also=[
                {
                    "build": lambda grid: (
                        grid.causal(grid.places[:, 0] - grid.keys, grid.window)
                        & grid.near(grid.places[:, 0] - grid.keys, grid.window)
                    )
                }
            ],
            build=lambda grid: (
                (grid.keys <= grid.places[:, 0]) & (grid.keys > grid.places[:, 0] - grid.window)
            ),
        ),
        Mistake(
            "slice-below-0",
            "a slice starts below 0, and Python counts that from the end",
            "Where fewer than `window` keys stand before the query, start at 0: max(0, place − window + 1).",
            WINDOW,
            also=[
                {"build": _by_slices(lambda place, window: place - window, lambda place, window: place + 1)},
                {"build": _by_slices(lambda place, window: place - window, lambda place, window: place)},
                {"build": _by_slices(lambda place, window: place - window + 1, lambda place, window: place)},
            ],
            build=_by_slices(lambda place, window: place - window + 1, lambda place, window: place + 1),
        ),
        Mistake(
            "all-open",
            "every key is open, those of the future and of the far past, too",
            "A key must be not later than the query, and near enough: both. (Joined by or, one of the two "
            "always holds.)",
            WINDOW,
            causal=_all,
            near=_all,
        ),
        Mistake(
            "square-of-queries",
            "the mask has as many columns as queries",
            "There is a column for each of the n_keys tokens.",
            WINDOW,
            also=[{"shape": lambda n_queries, n_keys: (n_queries, n_queries), "offset": lambda q, k: 0}],
            shape=lambda n_queries, n_keys: (n_queries, n_queries),
        ),
        Mistake(
            "square-of-keys",
            "the mask has a row for every token",
            "Only the last n_queries tokens are queries, and each row belongs to a query.",
            WINDOW,
            shape=lambda n_queries, n_keys: (n_keys, n_keys),
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "transposed",
            "the mask is turned: its columns belong to queries",
            "Rows are queries, columns are keys: the shape is (n_queries, n_keys).",
            WINDOW,
            form=np.transpose,
        ),
        Mistake(
            "window-as-columns",
            "the mask has `window` columns",
            "There is a column for each of the n_keys tokens, open or not.",
            WINDOW,
            form=lambda mask: mask[:, : max(1, int(mask.sum(axis=1).max()))],
        ),
        Mistake(
            "to-be-added",
            "the result holds 0 and −∞, to be added to the scores",
            "That is the next step. The mask itself says who may attend: True = may attend.",
            WINDOW,
            also=[{"form": lambda mask: np.where(mask, 0.0, -1e9)}],
            form=lambda mask: np.where(mask, 0.0, -np.inf),
        ),
    ),
    hints=(
        "At which places do the queries stand among the keys, if the last query is the last token?",
        "Query i stands at place i + n_keys − n_queries. How far back is a key: 0 for its own, 1 for the "
        "one before …",
        "Open are the keys at distances 0 to window − 1: (distance >= 0) & (distance < window), with "
        "distance = places[:, None] - np.arange(n_keys).",
    ),
    explain="A key is open where it is not later than the query, and fewer than `window` places before "
    "it. The query's own key is one of them.",
    reread=WINDOW,
)

EXERCISES = (
    RESCALE,
    ONLINE_BUG,
    NO_RESCALE,
    MERGE,
    TILE_BUG,
    TILES_EXERCISE,
    TILE_COST,
    CACHE_MASK,
    GROUPED,
    WINDOW_EXERCISE,
)

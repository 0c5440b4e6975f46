"""Mistakes in one step of the online softmax: paragraphs, which rescale, tile-bug and online-bug share.

Each makes its own wrong versions of them, by edits of its own answer. So each of the three names the same
places: `largest`, `factor`, `exp`; `sum` and `mix`, with `carried_sum` and `carried_mix` in them. Others are
read and never edited: `rescale` and `exponentials`, `carried`, and those that start with `tile_`.
"""

from collections.abc import Callable, Iterable

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.edits import Edits
from helpers.softmax import softmax
from helpers.validation import Array

ONE_PASS = "13: One pass over the keys"
WORDS = {
    "shrink": "What was summed before was measured against the old maximum, as e^(score − old). Multiply it "
    "by e^(old − new), and it is measured against the new one.",
    "one_measure": "Everything that goes into one sum must be measured against the same maximum: the new "
    "one.",
    "grows": "The running maximum only grows: take np.maximum of the old one and the tile's. Where it "
    "shrinks, e^(old − new) is larger than 1, and may be ∞.",
    "difference": "What counts is the difference of the two: e^(old − new). Where the maximum stays, it "
    "is 1.",
    "once": "weighted_sum is not divided yet. Once you divide by an early sum, you can no longer add what "
    "comes later: divide once, after the last tile.",
}


def but(mistakes: Iterable[Mistake], *names: str) -> tuple[Mistake, ...]:
    return tuple(mistake for mistake in mistakes if mistake.name not in names)


def row_max(scores: Array) -> Array:
    return np.asarray(scores.max(axis=-1, keepdims=True))


def guarded(factor: Callable[[Array], Array], running_max: Array, new_max: Array) -> Array:
    """A wrong factor, with 0 in its place where the old maximum is still −∞."""
    nothing = np.isneginf(running_max)
    return np.where(nothing, 0, factor(np.where(nothing, new_max, running_max)))


def tile_softmax(scores: Array) -> Array:
    """(n_queries, tile) -> shares within the tile; nan where all of a row are hidden."""
    exponentials = np.exp(scores - row_max(scores))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def guarded_softmax(scores: Array) -> Array:
    """The same, with zeros where all of a row are hidden: the helper."""
    return softmax(scores)


SUMS = """
no-rescale
    you did not rescale what was summed before this tile
    {shrink} (Make that factor before running_max is overwritten: afterwards it is e^0 = 1.)
    | factor => np.ones_like(running_max)

rescale-inverted
    the factor is the wrong way round: e^(new − old) instead of e^(old − new)
    The new maximum is the larger one, so e^(score − maximum) gets smaller: what was summed before
    shrinks. The factor is at most 1.
    | factor => np.exp(new_max - running_max)
    | carried_sum => running_sum / rescale; carried_mix => weighted_sum / rescale
    | factor => guarded(lambda old: np.exp(new_max - old), running_max, new_max)

rescale-without-e
    you multiplied what was summed before by the difference of the maxima, without e
    e^(score − new) is e^(score − old) times e^(old − new): the factor is an exponential as well.
    | factor => running_max - new_max
    | factor => new_max - running_max
    | factor => running_max / new_max
    | factor => new_max / running_max
    | factor => guarded(lambda old: old - new_max, running_max, new_max)
    | factor => guarded(lambda old: new_max - old, running_max, new_max)
    | factor => guarded(lambda old: old / new_max, running_max, new_max)

rescale-by-old
    you made the factor from the old maximum alone
    {difference}
    | factor => np.exp(running_max)
    | factor => np.exp(-running_max)

rescale-by-new
    you made the factor from the new maximum alone
    {difference}
    | factor => np.exp(-new_max)
    | factor => np.exp(new_max)

rescale-of-the-tile
    you made the factor from the tile's largest score, e^(tile's largest − new)
    That factor suits exponentials measured against the tile's own largest score. Rescale what was summed
    before by e^(old − new).
    | factor => np.exp(tile_max - new_max)

rescale-overflows
    you calculated the factor as e^old / e^new
    Each of the two may be ∞ or 0, which makes their ratio nan. Subtract first: e^(old − new).
    | factor => np.exp(running_max) / np.exp(new_max)

rescaled-twice
    you rescaled what was summed before twice
    Once is enough: e^(old − new) takes you from the old maximum to the new one.
    | factor => np.exp(2 * (running_max - new_max))

only-where-all-grew
    you rescaled nothing unless the maximum of every query grew
    Each query has a factor of its own. No `if` is needed: the factor is 1 where the maximum stays.
    | factor => it if np.all(new_max > running_max) else np.ones_like(running_max)

tile-max
    you replaced the running maximum with the tile's largest score
    {grows}
    | largest => tile_max

tile-max-unscaled
    you replaced the running maximum with the tile's largest score, and rescaled nothing
    {grows} {shrink}
    | largest => tile_max; factor => np.ones_like(running_max)

tile-exponentials
    you measured the tile's exponentials against the tile's own largest score
    {one_measure} That is e^(score − new), even where the larger maximum came from an earlier tile.
    | exp => np.exp(tile_of_scores - tile_max)

old-exponentials
    you measured the tile's exponentials against the old maximum
    {one_measure} A score far above the old one would give ∞.
    | exp => np.exp(tile_of_scores - running_max)

bare-exponentials
    you took the tile's exponentials without a maximum: e^score
    {one_measure} And e^1000 is larger than any float64.
    | exp => np.exp(tile_of_scores)

max-not-updated
    you never compared the maximum with this tile
    This tile may hold a larger score: np.maximum(running_max, its largest score). Against an old, smaller
    maximum e^(score − maximum) may be ∞.
    | largest => running_max

smaller-max
    you kept the smaller of the two maxima
    np.maximum keeps the larger one. Against a smaller one e^(score − maximum) may be ∞.
    | largest => np.minimum(running_max, tile_max)
    | largest => np.minimum(running_max, tile_of_scores.min(axis=-1, keepdims=True))

maxima-added
    you added the two maxima
    The maximum over both parts is the larger of the two: np.maximum.
    | largest => running_max + tile_max

whole-max
    you took one maximum for all the queries together
    Each query has its own row of scores, and its own maximum: axis=-1, keepdims=True. Where all its scores
    lie far below that of another query, every exponential is 0.
    | largest => np.maximum(running_max, tile_of_scores.max())
    | largest => np.full_like(running_max, max(np.max(running_max), tile_of_scores.max()))

max-of-a-column
    you took the maximum over the queries
    Rows are queries: the maximum of a row is taken along the last axis, axis=-1, keepdims=True.
    | largest => np.maximum(running_max, tile_of_scores.max(axis=0, keepdims=True))
    | largest => np.maximum(running_max, tile_of_scores.max(axis=0))

max-without-keepdims
    the maximum of the tile lost its axis
    scores.max(axis=-1) has shape (n_queries,), and together with a column it becomes a table. With
    keepdims=True it stays a column, (n_queries, 1).
    | largest => np.maximum(running_max, tile_of_scores.max(axis=-1))
    | largest => tile_of_scores.max(axis=-1)

max-of-both-sides
    you used Python's max to compare two arrays
    Python's max needs a single True or False, but comparing two columns gives several. np.maximum
    compares entry by entry.
    | largest => max(running_max, tile_max)

powers-of-2
    you used powers of 2 instead of powers of e
    np.exp2 is quicker on some processors, but then the scores must be multiplied by log₂ e first.
    | factor => np.exp2(running_max - new_max); exp => np.exp2(tile_of_scores - new_max)

tile-softmax
    you took softmax within the tile
    Then each tile would count the same, whatever its scores. Just take e^(score − new), and divide once
    at the very end.
    | exp => tile_softmax(tile_of_scores)

sum-without-keepdims
    the sum of the tile lost its axis
    .sum(axis=-1) has shape (n_queries,), and together with a column it becomes a table. With
    keepdims=True it stays a column, (n_queries, 1).
    | sum => carried + exponentials.sum(axis=-1)

sum-of-all
    you put the exponentials of all queries into one sum
    Each query has its own sum over its own row: axis=-1, keepdims=True.
    | sum => carried + exponentials.sum()

sum-of-columns
    you summed over the queries
    Rows are queries: the sum of a row is taken along the last axis, axis=-1, keepdims=True.
    | sum => carried + exponentials.sum(axis=0, keepdims=True)
    | sum => carried + exponentials.sum(axis=0)

mean-of-the-tile
    you added the mean of the tile's exponentials, not their sum
    Every key counts once, whether its tile is short or long: .sum(axis=-1, keepdims=True).
    | sum => carried + exponentials.mean(axis=-1, keepdims=True)

largest-only
    you added only the tile's largest exponential
    The sum is over all keys: .sum(axis=-1, keepdims=True).
    | sum => carried + exponentials.max(axis=-1, keepdims=True)

sum-overwritten
    you lost the sum of earlier tiles: the tile's own sum replaced it
    Carry the running sum on: rescale it, and add the tile's sum.
    | carried_sum => 0 * running_sum

tile-sum-lost
    the tile's exponentials never came into the running sum
    The new running sum is the old one, rescaled, plus the sum of the tile's exponentials.
    | sum => carried

sums-multiplied
    you multiplied the two sums
    The sum over all keys is one part plus the other. Only the factor multiplies.
    | sum => carried * tile_sum

difference-added
    you added the factor instead of multiplying by it
    {shrink}
    | carried_sum => rescale + running_sum
    | carried_sum => rescale + running_sum; carried_mix => rescale + weighted_sum
"""
MIXES = """
sum-not-rescaled
    you rescaled weighted_sum, but not running_sum
    {shrink} That is true of both sums.
    | carried_sum => running_sum

mix-not-rescaled
    you rescaled running_sum, but not weighted_sum
    {shrink} That is true of both sums.
    | carried_mix => weighted_sum

mix-rescaled-twice
    you rescaled weighted_sum twice
    Once is enough: e^(old − new) takes you from the old maximum to the new one.
    | carried_mix => rescale**2 * weighted_sum

tile-rescaled
    you rescaled the tile instead of what was summed before it
    The tile's exponentials are measured against the new maximum already. The earlier sums are not.
    @ part = rescale*tile_mix
    | sum => running_sum + rescale * tile_sum; mix => weighted_sum + part; carried_sum; carried_mix

all-rescaled
    you rescaled the tile's own part as well
    The tile's exponentials are measured against the new maximum already. Multiply only what was summed
    before.
    | sum => carried + rescale * tile_sum; mix => carried_mix + rescale * tile_mix
    | mix => carried_mix + rescale * tile_mix

mix-overwritten
    you lost the weighted sum of earlier tiles: the tile's own replaced it
    Carry the weighted sum on: rescale it, and add the tile's exponentials @ values.
    | carried_mix => 0 * weighted_sum

both-overwritten
    you lost both sums of earlier tiles: the tile's own replaced them
    Carry the sums on: rescale them, and add the tile's part.
    | carried_sum => 0 * running_sum; carried_mix => 0 * weighted_sum

tile-mix-lost
    the tile's values never came into weighted_sum
    The new weighted_sum is the old one, rescaled, plus exponentials @ values.
    | mix => carried_mix

divided-by-the-tile
    you divided the tile's part of weighted_sum by the tile's own sum
    {once}
    | mix => carried_mix + tile_mix / tile_sum
    | mix => carried_mix + tile_softmax(tile_of_scores) @ tile_of_values
    | mix => carried_mix + guarded_softmax(tile_of_scores) @ tile_of_values

scores-mixed
    you mixed the values by the scores themselves
    The values count by e^(score − new), as in softmax: exponentials @ values.
    | mix => carried_mix + tile_of_scores @ tile_of_values
    | mix => carried_mix + (tile_of_scores - tile_max) @ tile_of_values

entry-by-entry
    you multiplied exponentials and values entry by entry
    Each query mixes all values of the tile: exponentials (n_queries, tile) @ values (tile, d_v).
    | mix => carried_mix + exponentials * tile_of_values

values-first
    values and exponentials are in the wrong order
    (n_queries, tile) @ (tile, d_v) gives (n_queries, d_v): the exponentials come first.
    | mix => carried_mix + tile_of_values @ exponentials

values-transposed
    you transposed the values
    (n_queries, tile) @ (tile, d_v) fits as it is: exponentials @ values.
    | mix => carried_mix + exponentials @ tile_of_values.T

values-unweighted
    you added the values without their exponentials
    The values count by e^(score − new): exponentials @ values.
    | mix => carried_mix + tile_of_values.sum(axis=0)
    | mix => carried_mix + tile_sum * tile_of_values.mean(axis=0)
"""
# What a whole pass shows. Where running_max starts at −∞, some mistakes of a step give nan and nothing else,
# or a sum of 0: they cannot be told apart there, and share a name. Right on the first tile, they keep theirs.
TOLD_TOGETHER = (
    "rescale-inverted",
    "rescale-without-e",
    "rescale-by-old",
    "max-not-updated",
    "smaller-max",
    "maxima-added",
    "max-of-both-sides",
    "tile-sum-lost",
    "sums-multiplied",
)
GUARDED = """
rescale-inverted
    | factor => guarded(lambda old: np.exp(new_max - old), running_max, new_max)

rescale-without-e
    | factor => new_max / running_max
    | factor => guarded(lambda old: old - new_max, running_max, new_max)
    | factor => guarded(lambda old: new_max - old, running_max, new_max)
    | factor => guarded(lambda old: old / new_max, running_max, new_max)
"""
NAN_AT_FIRST = """
nan-at-first
    the first tile makes nan: the running maximum is still −∞ there
    Nothing was summed before, so the factor should be 0 there. The wrong way round it is ∞, and ∞ · 0 is
    nan; without e it is −∞; and where −∞ stays the maximum, −∞ − −∞ is nan. Which of these is it here?
    | factor => np.exp(new_max - running_max)
    | carried_sum => running_sum / rescale; carried_mix => weighted_sum / rescale
    | factor => running_max - new_max
    | factor => new_max - running_max
    | factor => running_max / new_max
    | factor => np.exp(running_max)
    | factor => np.exp(-running_max)
    | largest => running_max
    | largest => np.minimum(running_max, tile_max)
    | largest => np.minimum(running_max, tile_of_scores.min(axis=-1, keepdims=True))
    | largest => running_max + tile_max
"""
SUM_STAYS_0 = """
sum-stays-0
    the tile's exponentials never came into the running sum, which stays 0
    The new running sum is the old one, rescaled, plus the sum of the tile's exponentials.
    | sum => (carried, exponentials)[0]
    | sum => carried * tile_sum

no-max
    you subtracted no maximum: e^score was summed as it is
    That is right for small scores, and nothing needs to be rescaled. But e^1000 is larger than any
    float64, and e^−1000 is 0: that is what the maximum is for.
"""
FLAT = "np.zeros_like(running_max); factor => np.ones_like(running_max)"
NO_MAX = f"| largest => {FLAT}; exp => np.exp(tile_of_scores)"


def passing_mistakes(edits: Edits, more_nan: str = "", no_max: str = NO_MAX) -> tuple[Mistake, ...]:
    """SUMS for a whole pass; `more_nan` and `no_max` are ways, one a line, of two that this adds."""
    sums = edits.mistakes(SUMS, ONE_PASS, words=WORDS)
    together = GUARDED + NAN_AT_FIRST + more_nan + SUM_STAYS_0 + no_max
    return *but(sums, *TOLD_TOGETHER), *edits.mistakes(together, ONE_PASS, words=WORDS, told=sums)

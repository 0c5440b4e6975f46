"""Mistakes in sharing out the weights: softmax over the wrong axis, without the largest score, without e.

All are edits of one softmax. `softmax_by_choices` is its recipe; longer recipes take it as a step.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.edits import Edits, renamed
from helpers.softmax import log_softmax, softmax  # noqa: F401 (in the edits)
from helpers.validation import Array

WEIGHTS = "03: From scores to weights"
SHIFT = "03: Adding a number to every score"
TEMPERATURE = "03: Temperature"
AXIS = "03: Which axis?"
INFINITY = "03: Minus infinity"
LOGS = "03: Logarithms and entropy"
SECTIONS = {
    "weights": WEIGHTS,
    "shift": SHIFT,
    "temperature": TEMPERATURE,
    "axis": AXIS,
    "infinity": INFINITY,
    "logs": LOGS,
}
WORDS = {
    "one": "Each query gets one distribution: the weights of its row, over the keys, sum to 1.",
    "largest": "Subtract the largest score of each row: then the largest exponent is 0.",
    "shares": "Weights are shares: each exponential is divided by the sum of its row.",
    "ignored": "Softmax ignores a shift only where a whole row is shifted by one number",
}
Step = Callable[..., Any]


def my_softmax(scores: Array) -> Array:
    """(..., n_queries, n_keys) -> weights of the same shape; each row sums to 1."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


PLACES = {
    "shift": "scores.max(axis=-1, keepdims=True)",
    "exp": "np.exp(shifted)",
    "total": "exponentials.sum(axis=-1, keepdims=True)",
    "shift_axis": "-1 in shift",
    "total_axis": "-1 in total",
    "axis": "shift_axis + total_axis",
}
EDITS = Edits(my_softmax, PLACES)


def softmax_as(name: str) -> Edits:
    """The name that another exercise gives it -> the same softmax and its places, for the bug handed out."""
    return Edits(renamed(my_softmax, name), PLACES)


def after_first(scores: Array) -> tuple[int, ...]:
    """All axes but the first: what a loop over the first axis takes as one row."""
    return tuple(range(1, scores.ndim))


def by_math(scores: Array) -> Array:
    """Softmax by math.exp, one number at a time: it raises where np.exp gives inf or nan."""
    rows = [[math.exp(score) for score in row] for row in scores.reshape(-1, scores.shape[-1]).tolist()]
    return np.array([[value / sum(row) for value in row] for row in rows]).reshape(scores.shape)


def softmax_over_axis_1(scores: Array) -> Array:
    """Scores -> shares along axis 1, written as learners write it: one axis too few is NumPy's own error."""
    exponentials = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=1, keepdims=True)


def divided_in_place(weights: Array, scores: Array) -> Array:
    if scores.dtype.kind == "i":
        scores /= 2.0  # raises the very error that /= raises in an array of whole numbers
    return weights


OVER_AXES = EDITS.mistakes(
    """
over-queries
    you ran softmax over the queries
    {one} Keys are the last axis, −1.
    | axis => -2
    | total_axis => -2; shift

axis-0
    you ran softmax over the first axis
    {one} On a stack, axis 0 counts the sentences. Keys are the last axis, −1.
    | axis => 0
    | total_axis => 0; shift

axis-1
    you ran softmax over axis 1, which holds the keys for one sentence only
    {one} On a stack, axis 1 counts queries or heads. Counted from the end, keys are always axis −1.
    | axis => 1

axis-1-sum-only
    you took the largest score of each row, but the sum over axis 1
    {one} The sum needs the axis of the keys as well: counted from the end, −1.
    | total_axis => 1; shift

axis-2
    you counted the axes from the front, which fits arrays of three axes only
    With two axes the keys are axis 1, with three axis 2, with four axis 3. Counted from the end, they are
    always axis −1.
    | axis => 2
    | total_axis => 2; shift
    | shift => scores.max(axis=2, keepdims=True)
    | result => softmax(scores, axis=2)
    | result => np.array([softmax_over_axis_1(part) for part in scores])
    | result => np.array([softmax(part, axis=1) for part in scores])

axis-for-two-and-three
    you chose the axis of the keys for two axes and for three, but not for four
    {one} No fixed number fits every number of axes, and an `if` for each leaves some out: −1 is always
    the last axis.
    | axis => 2 if scores.ndim == 3 else 1
    | total_axis => 2 if scores.ndim == 3 else 1; shift
    | axis => 1 if scores.ndim == 2 else 2
    | total_axis => 1 if scores.ndim == 2 else 2; shift

over-everything
    you made one distribution of all the scores together
    {one} Give the sum an axis.
    | axis => None
    | total_axis => None; shift

over-first-axis-items
    you treated each item of the first axis as one row; on a stack that is a whole sentence
    {one} A loop over the first axis meets rows only when there are two axes.
    | axis => after_first(scores)
    | total_axis => after_first(scores); shift

over-matrix
    you made one distribution of each sentence's whole table
    {one}
    | axis => (-2, -1)
    | total_axis => (-2, -1); shift
    """,
    reread=AXIS,
    words=WORDS,
)
SHIFTS = EDITS.mistakes(
    """
no-row-max
    you did not subtract the largest score first
    e^1000 is larger than any float64 and e^−1000 is 0, so the shares become ∞/∞ or 0/0: nan. Replacing nan
    afterwards does not bring the weights back. Softmax ignores a shift: subtract each row's largest score.
    | shift => 0.0
    | shift => 0.0; scores; result => by_math(scores)
    | shift => 0.0; result => np.nan_to_num(it)
    | shift => 0.0; total => it + 1e-9
    | shift => 0.0; result => np.where(np.isnan(it), 1 / scores.shape[-1], it)
    | shift => 0.0; result => np.nan_to_num(it, nan=1.0)

whole-max
    you subtracted the largest of all scores, not the largest of each row
    A row far below it has nothing but e^−1000 = 0 left, and 0/0 is nan. Replacing nan afterwards does not
    bring the weights back. {largest}
    | shift => scores.max()
    | shift => scores.max(); result => np.nan_to_num(it)
    | shift => scores.max(); total => it + 1e-9
    | shift => scores.max(); result => np.where(np.isnan(it), 1 / scores.shape[-1], it)
    | shift => scores.max(); result => np.nan_to_num(it, nan=1.0)
    | shift => scores.max(); exp => np.exp(shifted.astype(np.longdouble)); result => it.astype(float)

sentence-max
    you subtracted the largest score of each sentence, not that of each row
    A row far below it has nothing but e^−1000 = 0 left, and 0/0 is nan. {largest}
    | shift => scores.max(axis=(-2, -1), keepdims=True)

column-max
    you subtracted the largest score of each column, not that of each row
    {ignored}. {largest}
    | shift => scores.max(axis=-2, keepdims=True)

first-axis-max
    you subtracted the largest score over the first axis, not that of each row
    {ignored}. {largest}
    | shift => scores.max(axis=0, keepdims=True)

axis-1-max § axis
    you took the largest score over axis 1, the sum over the last axis
    {ignored}: both need the same axis, −1.
    | shift => scores.max(axis=1, keepdims=True)

part-of-max
    you subtracted only a part of the largest score
    The rest is left as an exponent, which can still overflow. {largest}
    | shift => it / 2

row-min
    you subtracted the smallest score of each row, not the largest
    Then the exponents are 0 and more, and can still overflow. {largest}
    | shift => scores.min(axis=-1, keepdims=True)

row-mean
    you subtracted the mean of each row, not the largest score
    The mean of a row with a score of −inf is −inf, and a score far above the mean can still overflow.
    {largest}
    | shift => scores.mean(axis=-1, keepdims=True)

max-added
    you added the largest score instead of subtracting it
    That doubles the largest exponent. {largest}
    | shift => -it

clipped
    you cut off large scores
    Cut-off scores lose their differences. {largest}
    | shift => 0.0; scores => it.clip(None, 700)
    @ n = 30 50 80 88 100 500 700 709
    | shift => 0.0; scores => it.clip(None, n)
    | shift => 0.0; scores => it.clip(-n, n)

scores-divided-by-max
    you divided the scores by their largest instead of shifting them by it
    Dividing changes the differences, on which the weights depend. {largest}
    | scores => it / it.max(axis=-1, keepdims=True)
    | scores => it / it.max()
    | scores => it / it.max(axis=-1, keepdims=True); shift => 0.0
    | scores => it / it.max(); shift => 0.0
    """,
    reread=SHIFT,
    sections=SECTIONS,
    words=WORDS,
)
OTHER_SHIFTS = EDITS.mistakes(
    """
absolute-max
    you subtracted the largest absolute value of each row, not the largest score
    Scores near −1000 then go down to −2000, and e^−2000 is 0. {largest}
    | shift => np.abs(scores).max(axis=-1, keepdims=True)
    | shift => np.abs(scores).max()

stretched
    you stretched the scores of each row to the range from 0 to 1 first
    That changes the differences, on which the weights depend. {largest}
    | scores => (it - it.min(-1, keepdims=True)) / (it.max(-1, keepdims=True) - it.min(-1, keepdims=True))
    | scores => (it - it.min()) / (it.max() - it.min())

shifted-too-late
    you subtracted the largest exponential, after np.exp
    e^(s − m) is not e^s − e^m: subtract the largest score from the scores, before np.exp.
    | exp => np.exp(scores) - np.exp(scores).max(axis=-1, keepdims=True)
    """,
    reread=SHIFT,
    words=WORDS,
)
SHARES = EDITS.mistakes(
    """
not-divided
    you did not divide the exponentials by their sum
    {shares}
    | total => 1.0
    | total => 1.0; shift => 0.0

no-exponential
    you divided the scores themselves by their sum, without exponentials
    Scores may be negative or sum to 0. e^score is positive, and its shares are too.
    | exp => shifted; shift => 0.0
    | exp => shifted

no-softmax
    you left out softmax, and took the scores themselves for weights
    Weights are shares: the exponential of each score, divided by the sum of its row.
    | exp => shifted; shift => 0.0; total => 1.0
    | exp => shifted; total => 1.0

powers-of-2
    you took powers of 2, not of e
    Softmax is defined with e^score, `np.exp`.
    | exp => np.exp2(shifted)
    | exp => 2**shifted
    | exp => np.exp2(shifted); shift => 0.0

powers-of-10
    you took powers of 10, not of e
    Softmax is defined with e^score, `np.exp`.
    | exp => 10.0**shifted
    | exp => 10**shifted
    | exp => 10.0**shifted; shift => 0.0

sign-turned
    you flipped the sign of the scores: e^−score
    A larger score should get a larger weight.
    | scores => -it
    | exp => np.exp(-shifted); shift => 0.0
    | exp => np.exp(-shifted)

squares
    you squared the scores instead of taking them as exponents
    A square forgets the sign: −2 would weigh as much as 2. e^score keeps the order.
    | exp => shifted**2; shift => 0.0

absolute
    you shared out absolute values
    A score of −2 should weigh less than one of 1. e^score keeps the order.
    | exp => abs(shifted); shift => 0.0

sigmoid
    you turned each score into a weight on its own (a sigmoid)
    {shares}
    | exp => 1 / (1 + np.exp(-shifted)); total => 1.0; shift => 0.0

divided-by-largest
    you divided the exponentials by the largest of their row, not by the sum
    {shares}
    | total => exponentials.max(axis=total_axis, keepdims=True); shift => 0.0

divided-by-count
    you divided the exponentials by how many there are
    {shares}
    | total => exponentials.shape[-1]
    | total => exponentials.mean(axis=total_axis, keepdims=True)

divided-by-length
    you divided the exponentials by the length of their row as a vector
    Then the squares sum to 1. The weights themselves should.
    | total => np.sqrt(np.sum(exponentials**2, axis=total_axis, keepdims=True))

scores-summed
    you divided the exponentials by the sum of the scores
    The sum should be that of the exponentials: then the shares sum to 1.
    | result => np.exp(scores) / scores.sum(axis=-1, keepdims=True)

shifted-top-only § shift
    you subtracted the largest score in the exponentials but not in their sum
    Both must be shifted alike, or the shift does not cancel.
    | result => np.exp(scores - scores.max(axis=-1, keepdims=True)) / np.exp(scores).sum(-1, keepdims=True)

all-or-nothing § temperature
    you gave the largest score all the weight
    That is arg max. Softmax leaves something for every key.
    | result => (it == it.max(axis=-1, keepdims=True)).astype(float)
    | result => np.eye(scores.shape[-1])[scores.argmax(axis=-1)]

twice
    you applied softmax twice
    Weights are not scores: a second softmax makes them nearly equal.
    | result => softmax(it)

logarithms § logs
    you returned logarithms of the weights
    The weights themselves are shares, from 0 to 1: np.exp of what you returned.
    | result => np.log(it)
    | result => log_softmax(scores)

keepdims § axis
    you let the rows' sums or largest scores lose their axis
    Without that axis NumPy cannot line the numbers up with their rows: `keepdims=True` keeps it.
    | total => exponentials.sum(axis=total_axis)
    | total => exponentials.sum(axis=total_axis); shift => scores.max(axis=shift_axis)
    | shift => scores.max(axis=shift_axis)

rounded
    you rounded the weights
    Then a row no longer sums to 1. Round only what you print.
    @ n = 2 1 3 4
    | result => it.round(n)

added-to-the-sum § shift
    you added something to the sum below the division line
    Then a row sums to less than 1. After the largest score is subtracted the sum is at least 1, never 0.
    @ n = 1e-3 1e-4 1e-2 0.1 1.0
    | total => it + n

rough-e
    you rounded the number e
    `np.exp` uses e to full precision.
    @ n = 2.718 2.7 2.71 2.72
    | exp => n**shifted
    @ n = 2.7 2.71 2.72 2.718
    | exp => n**shifted; shift => 0.0

minus-infinity-as-0 § infinity
    you treated a score of −inf as a score of 0
    e^−∞ is 0: such a key gets no weight. A score of 0 gets weight like any other.
    | scores => np.where(np.isneginf(it), 0, it)

minus-infinity-replaced § infinity
    you replaced a score of −inf by another number
    Then the hidden key still gets some weight. Leave −inf as it is: np.exp turns it into 0.
    @ n = -1.0 1.0 -2.0 -3.0 -5.0 -9.0 -10.0
    | scores => np.where(np.isneginf(it), n, it)

scaled-again
    you divided the scores by √n_keys first
    Softmax takes the scores as they are; scaling, by √d_k, is a step of its own before it.
    | scores => it / np.sqrt(it.shape[-1])

whole-numbers-kept
    you wrote the weights into an array of whole numbers, which drops everything after the decimal point
    `zeros_like` takes the dtype of its example, and `/=` keeps that of its array. Ask for a float array.
    | result => it.astype(scores.dtype)
    | exp => it.astype(shifted.dtype)

whole-numbers-in-place
    you tried to write fractions into an array of whole numbers, and NumPy stops there
    `out=` and `/=` keep the dtype of their array. Make a float array first, `scores.astype(float)`; that is a
    copy, too, so that the input stays as it is.
    | exp => np.exp(shifted, out=shifted)
    | result => divided_in_place(it, scores)
    """,
    reread=WEIGHTS,
    sections=SECTIONS,
    words=WORDS,
)
OTHER_SHARES = EDITS.mistakes(
    """
negatives-cut-off
    you put 0 in the place of negative scores
    Then all scores below 0 weigh the same, or nothing. e^score is positive for every score, and keeps the
    order.
    | exp => np.maximum(shifted, 0); shift => 0.0
    | exp => np.maximum(shifted, 0); shift => 0.0; total => it + 1e-9
    | scores => np.maximum(it, 0)

sigmoid-shares
    you shared out sigmoids, not exponentials
    A sigmoid is never above 1, so that two good keys come out alike. Softmax shares out e^score.
    | exp => 1 / (1 + np.exp(-shifted)); shift => 0.0

odds
    you left each key's own exponential out of the sum
    Then you get odds: a share against the rest. The sum takes all the exponentials of the row.
    | total => it - exponentials

by-rank
    you used the rank of each score instead of the score
    How far two scores lie apart counts, too, not only which is larger.
    | scores => it.argsort(axis=-1, kind="stable").argsort(axis=-1)
    """,
    reread=WEIGHTS,
    words=WORDS,
)
# The ways in which lesson 06, where a stack has heads, takes the softmax over other axes.
OVER: dict[Any, tuple[dict[str, Any], ...]] = {
    axis: (EDITS.way(f"axis => {axis}"), EDITS.way(f"total_axis => {axis}; shift"))
    for axis in (-3, 0, 1, 2, 3, (-2, -1))
}
# Two mistakes in one softmax, for longer recipes, in which softmax is a single step.
OVER_WITHOUT_MAX = EDITS.mistakes(
    """
over-queries-without-max
    you summed over the queries, and did not subtract the largest score first
    {one} Keys are the last axis, −1. {largest}
    | total_axis => -2; shift => 0.0

axis-0-without-max
    you summed over the first axis, and did not subtract the largest score first
    {one} Keys are the last axis, −1. {largest}
    | total_axis => 0; shift => 0.0

axis-1-without-max
    you summed over axis 1, which holds the keys for one sentence only, and did not subtract the largest score
    {one} Counted from the end, keys are always axis −1. {largest}
    | total_axis => 1; shift => 0.0

over-everything-without-max
    you made one distribution of all the scores together, and did not subtract the largest score first
    {one} Give the sum an axis. {largest}
    | total_axis => None; shift => 0.0

over-matrix-without-max
    you made one distribution of each sentence's whole table, and did not subtract the largest score first
    {one} {largest}
    | total_axis => (-2, -1); shift => 0.0
    """,
    reread=AXIS,
    words=WORDS,
)
for _both in OVER_WITHOUT_MAX:
    _both.holds = _both.name.removesuffix("-without-max")
LARGEST_OF_TABLE: dict[str, Any] = EDITS.way("shift => scores.max(axis=(-2, -1), keepdims=True)")
softmax_by_choices = EDITS.recipe()


def axis_mistakes() -> tuple[Mistake, ...]:
    """Softmax over the wrong axis, with the largest score taken over the same axis or over the row."""
    return OVER_AXES


def axis_mistakes_without_max() -> tuple[Mistake, ...]:
    """Softmax over the wrong axis, of scores from which nothing was subtracted: two mistakes in one step."""
    return OVER_WITHOUT_MAX


def shift_mistakes() -> tuple[Mistake, ...]:
    """No shift, or one that does not protect every row."""
    return SHIFTS


def rarer_mistakes() -> tuple[Mistake, ...]:
    """Something else in the place of the largest score, or of the shares: for softmax itself."""
    return (*OTHER_SHIFTS, *OTHER_SHARES)


def share_mistakes() -> tuple[Mistake, ...]:
    """Exponentials left out or of another kind, and shares that are not taken."""
    return SHARES


def as_share(mistake: Mistake) -> Mistake:
    """A mistake of softmax -> the same as the step `share` of a longer recipe, scores in, weights out."""
    first, *others = ({"share": functools.partial(softmax_by_choices, **way)} for way in mistake.ways)
    made = Mistake(mistake.name, mistake.says, mistake.idea, mistake.reread, also=others, **first)
    made.holds = mistake.holds
    return made

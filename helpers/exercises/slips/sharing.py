"""Mistakes in sharing out the weights: softmax over the wrong axis, without the largest score, without e."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.softmax import log_softmax, softmax
from helpers.validation import Array

WEIGHTS = "03: From scores to weights"


SHIFT = "03: Adding a number to every score"


TEMPERATURE = "03: Temperature"


AXIS = "03: Which axis?"


INFINITY = "03: Minus infinity"


LOGS = "03: Logarithms and entropy"


Step = Callable[..., Any]


LAST, QUERIES, FIRST, SECOND, THIRD = -1, -2, 0, 1, 2


def own_max(scores: Array, axis: Any) -> Array:
    return np.max(scores, axis=axis, keepdims=True)


def row_max(scores: Array, axis: Any) -> Array:
    return np.max(scores, axis=-1, keepdims=True)


def no_shift(scores: Array, axis: Any) -> float:
    return 0.0


def whole_max(scores: Array, axis: Any) -> Any:
    return np.max(scores)


def total(exponentials: Array, axis: Any) -> Array:
    return np.sum(exponentials, axis=axis, keepdims=True)


def _whole_axes(scores: Array) -> tuple[int, ...]:
    """All axes but the first: what a loop over the first axis takes as one row."""
    return tuple(range(1, scores.ndim))


def _two_or_three_else_1(scores: Array) -> int:
    return 2 if scores.ndim == 3 else 1


def _two_or_three_else_2(scores: Array) -> int:
    return 1 if scores.ndim == 2 else 2


def _clip(highest: float, lowest: float = -np.inf) -> Step:
    return lambda scores: np.clip(scores, lowest, highest)


def softmax_by_choices(
    scores: Array, *, before: Step = lambda scores: scores, axis: Any = LAST, shift: Step = own_max,
    power: Step = np.exp, share: Step = total, after: Step = lambda weights, scores: weights,
) -> Array:  # fmt: skip
    scores = before(np.asarray(scores))
    over = axis(scores) if callable(axis) else axis
    exponentials = power(scores - shift(scores, over))
    return after(exponentials / share(exponentials, over), scores)


def _by_math(gather: Step = total) -> Step:
    """Softmax by math.exp, one number at a time: it raises where np.exp gives inf or nan."""

    def weights(scores: Array) -> Array:
        rows = scores.reshape(-1, scores.shape[-1]).tolist()
        exponentials = [[math.exp(score) for score in row] for row in rows]
        return np.array([[value / sum(row) for value in row] for row in exponentials]).reshape(scores.shape)

    return weights


def dropped_keepdims(exponentials: Array, axis: Any) -> Array:
    return np.sum(exponentials, axis=axis)


def _into_input_dtype(weights: Array, scores: Array) -> Array:
    return weights.astype(scores.dtype)


def _powers_of(base: float) -> Step:
    return lambda scores: base**scores


def _divided_in_place(weights: Array, scores: Array) -> Array:
    if scores.dtype.kind == "i":
        scores /= 2.0  # raises the very error that /= raises in an array of whole numbers
    return weights


def softmax_over_axis_1(scores: Array) -> Array:
    """Scores -> shares along axis 1, written as learners write it: one axis too few is NumPy's own error."""
    exponentials = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=1, keepdims=True)


def axis_mistakes() -> tuple[Mistake, ...]:
    """Softmax over the wrong axis, with the largest score taken over the same axis or over the row."""
    row = {"shift": row_max}
    one = "One distribution for each query: the weights of a row, over the keys, sum to 1."
    return (
        Mistake(
            "over-queries",
            "softmax ran over the queries",
            one + " Keys are the last axis, −1.",
            AXIS,
            also=[{"axis": QUERIES, **row}],
            axis=QUERIES,
        ),
        Mistake(
            "axis-0",
            "softmax ran over the first axis",
            one + " On a stack, axis 0 counts the sentences. Keys are the last axis, −1.",
            AXIS,
            also=[{"axis": FIRST, **row}],
            axis=FIRST,
        ),
        Mistake(
            "axis-1",
            "softmax ran over axis 1, which holds the keys for one sentence only",
            one
            + " On a stack, axis 1 counts queries or heads. Counted from the end, keys are always axis −1.",
            AXIS,
            axis=SECOND,
        ),
        Mistake(
            "axis-1-sum-only",
            "the largest score is that of each row, but the sum runs over axis 1",
            one + " The sum needs the axis of the keys as well: counted from the end, −1.",
            AXIS,
            axis=SECOND,
            shift=row_max,
        ),
        Mistake(
            "axis-2",
            "the axes were counted from the front, which fits arrays of three axes only",
            "With two axes the keys are axis 1, with three axis 2, with four axis 3. Counted from the end, "
            "they are always axis −1.",
            AXIS,
            also=[
                {"axis": THIRD, **row},
                {"shift": lambda scores, axis: np.max(scores, axis=THIRD, keepdims=True)},
                {"after": lambda weights, scores: softmax(scores, axis=THIRD)},
                {"after": lambda weights, scores: np.array([softmax_over_axis_1(part) for part in scores])},
                {"after": lambda weights, scores: np.array([softmax(part, axis=1) for part in scores])},
            ],
            axis=THIRD,
        ),
        Mistake(
            "axis-for-two-and-three",
            "the axis is that of the keys for two axes and for three, and not for four",
            one + " No fixed number fits every count of axes, and an `if` for each count leaves some out: "
            "−1 is always the last axis.",
            AXIS,
            also=[
                {"axis": _two_or_three_else_1, **row},
                {"axis": _two_or_three_else_2},
                {"axis": _two_or_three_else_2, **row},
            ],
            axis=_two_or_three_else_1,
        ),
        Mistake(
            "over-everything",
            "all scores together were made one distribution",
            one + " Give the sum an axis.",
            AXIS,
            also=[{"axis": None, **row}],
            axis=None,
        ),
        Mistake(
            "over-first-axis-items",
            "each item of the first axis was treated as one row; on a stack that is a whole sentence",
            one + " A loop over the first axis meets rows only when there are two axes.",
            AXIS,
            also=[{"axis": _whole_axes, **row}],
            axis=_whole_axes,
        ),
        Mistake(
            "over-matrix",
            "each sentence's whole table was made one distribution",
            one,
            AXIS,
            also=[{"axis": (-2, -1), **row}],
            axis=(-2, -1),
        ),
    )


def _plasters(shift: Step) -> list[dict[str, Any]]:
    """The same shift, with its nan painted over afterwards."""
    return [
        {"shift": shift, "after": lambda w, s: np.nan_to_num(w)},
        {"shift": shift, "share": lambda e, axis: total(e, axis) + 1e-9},
        {"shift": shift, "after": lambda w, s: np.where(np.isnan(w), 1 / s.shape[-1], w)},
        {"shift": shift, "after": lambda w, s: np.nan_to_num(w, nan=1.0)},
    ]


def _long_exp(scores: Array) -> Array:
    """e^score in the widest float there is, which overflows later, not never."""
    return np.exp(scores.astype(np.longdouble))


def shift_mistakes() -> tuple[Mistake, ...]:
    """No shift, or one that does not protect every row."""
    largest = "Subtract the largest score of each row: then the largest exponent is 0."
    return (
        Mistake(
            "no-row-max",
            "the largest score was not subtracted first",
            "e^1000 is larger than any float64, and e^−1000 is 0. Their shares, ∞/∞ and 0/0, are nan: "
            "whatever is put in its place, the row's weights are lost. Softmax ignores a shift, so subtract "
            "the largest score.",
            SHIFT,
            also=[
                {"before": lambda s: s, "shift": no_shift, "after": lambda w, s: _by_math()(s)},
                *_plasters(no_shift),
            ],
            shift=no_shift,
        ),
        Mistake(
            "whole-max",
            "the largest of all scores was subtracted, not the largest of each row",
            "A row far below it has nothing but e^−1000 = 0 left, and 0/0 is nan: whatever is put in its "
            "place, the row's weights are lost. " + largest,
            SHIFT,
            also=[
                *_plasters(whole_max),
                {"shift": whole_max, "power": _long_exp, "after": lambda w, s: w.astype(float)},
            ],
            shift=whole_max,
        ),
        Mistake(
            "sentence-max",
            "the largest score of each sentence was subtracted, not that of each row",
            "A row far below it has nothing but e^−1000 = 0 left, and 0/0 is nan. " + largest,
            SHIFT,
            shift=lambda scores, axis: np.max(scores, axis=(-2, -1), keepdims=True),
        ),
        Mistake(
            "column-max",
            "the largest score of each column was subtracted, not that of each row",
            "Softmax ignores a shift only where a whole row is shifted by one number. " + largest,
            SHIFT,
            shift=lambda scores, axis: np.max(scores, axis=-2, keepdims=True),
        ),
        Mistake(
            "first-axis-max",
            "the largest score over the first axis was subtracted, not that of each row",
            "Softmax ignores a shift only where a whole row is shifted by one number. " + largest,
            SHIFT,
            shift=lambda scores, axis: np.max(scores, axis=0, keepdims=True),
        ),
        Mistake(
            "axis-1-max",
            "the largest score was taken over axis 1, the sum over the last axis",
            "Softmax ignores a shift only where a whole row is shifted by one number: both need the same "
            "axis, −1.",
            AXIS,
            shift=lambda scores, axis: np.max(scores, axis=1, keepdims=True),
        ),
        Mistake(
            "part-of-max",
            "only a part of the largest score was subtracted",
            "The rest is left as an exponent, which can still overflow. " + largest,
            SHIFT,
            shift=lambda scores, axis: own_max(scores, axis) / 2,
        ),
        Mistake(
            "row-min",
            "the smallest score of each row was subtracted, not the largest",
            "Then the exponents are 0 and more, and can still overflow. " + largest,
            SHIFT,
            shift=lambda scores, axis: np.min(scores, axis=-1, keepdims=True),
        ),
        Mistake(
            "row-mean",
            "the mean of each row was subtracted, not the largest score",
            "The mean of a row with a score of −inf is −inf, and a score far above the mean can still "
            "overflow. " + largest,
            SHIFT,
            shift=lambda scores, axis: np.mean(scores, axis=-1, keepdims=True),
        ),
        Mistake(
            "max-added",
            "the largest score was added, not subtracted",
            "That doubles the largest exponent. " + largest,
            SHIFT,
            shift=lambda scores, axis: -own_max(scores, axis),
        ),
        Mistake(
            "clipped",
            "large scores were cut off",
            "Cut-off scores lose their differences. " + largest,
            SHIFT,
            also=[
                {"before": _clip(high, low), "shift": no_shift}
                for high in (30, 50, 80, 88, 100, 500, 700, 709)
                for low in (-np.inf, -high)
            ],
            before=_clip(700),
            shift=no_shift,
        ),
        Mistake(
            "scores-divided-by-max",
            "the scores were divided by their largest, not shifted by it",
            "Dividing changes the differences, on which the weights depend. " + largest,
            SHIFT,
            also=[{"before": lambda s: s / s.max()}],
            before=lambda scores: scores / np.max(scores, axis=-1, keepdims=True),
        ),
    )


def _whole_numbers() -> Mistake:
    return Mistake(
        "whole-numbers-kept",
        "the weights were written into an array of whole numbers, which drops all after the point",
        "`zeros_like` takes the dtype of its example, and `/=` keeps that of its array. Ask for a float "
        "array.",
        WEIGHTS,
        also=[{"power": lambda s: np.exp(s).astype(s.dtype)}],
        after=_into_input_dtype,
    )


def _whole_numbers_in_place() -> Mistake:
    return Mistake(
        "whole-numbers-in-place",
        "fractions were to be written into an array of whole numbers, and NumPy stops there",
        "`out=` and `/=` keep the dtype of their array. Make a float array first, `scores.astype(float)`; "
        "that is a copy, too, so that the input stays as it is.",
        WEIGHTS,
        also=[{"after": _divided_in_place}],
        power=lambda scores: np.exp(scores, out=scores),
    )


def share_mistakes() -> tuple[Mistake, ...]:
    """Exponentials left out or of another kind, and shares that are not taken."""
    shares = "Weights are shares: each exponential is divided by the sum of its row."
    return (
        Mistake(
            "not-divided",
            "the exponentials were not divided by their sum",
            shares,
            WEIGHTS,
            also=[{"share": lambda e, axis: 1.0, "shift": no_shift}],
            share=lambda exponentials, axis: 1.0,
        ),
        Mistake(
            "no-exponential",
            "the scores themselves were divided by their sum, without exponentials",
            "Scores may be negative or sum to 0. e^score is positive, and its shares are too.",
            WEIGHTS,
            also=[{"power": lambda s: s}],
            power=lambda scores: scores,
            shift=no_shift,
        ),
        Mistake(
            "no-softmax",
            "the scores came back as scores: softmax was left out",
            "Weights are shares: the exponential of each score, divided by the sum of its row.",
            WEIGHTS,
            also=[{"power": lambda s: s, "share": lambda e, axis: 1.0}],
            power=lambda scores: scores,
            shift=no_shift,
            share=lambda exponentials, axis: 1.0,
        ),
        Mistake(
            "powers-of-2",
            "powers of 2 were taken, not of e",
            "Softmax is defined with e^score, `np.exp`.",
            WEIGHTS,
            also=[{"power": np.exp2, "shift": no_shift}],
            power=np.exp2,
        ),
        Mistake(
            "powers-of-10",
            "powers of 10 were taken, not of e",
            "Softmax is defined with e^score, `np.exp`.",
            WEIGHTS,
            also=[{"power": lambda s: 10.0**s, "shift": no_shift}],
            power=lambda scores: 10.0**scores,
        ),
        Mistake(
            "sign-turned",
            "the scores' sign was turned: e^−score",
            "A larger score should get a larger weight.",
            WEIGHTS,
            also=[
                {"power": lambda s: np.exp(-s), "shift": no_shift},
                {"power": lambda s: np.exp(-s)},
            ],
            before=lambda scores: -scores,
        ),
        Mistake(
            "squares",
            "the scores were squared, not taken as exponents",
            "A square forgets the sign: −2 would weigh as much as 2. e^score keeps the order.",
            WEIGHTS,
            power=np.square,
            shift=no_shift,
        ),
        Mistake(
            "absolute",
            "absolute values were shared out",
            "A score of −2 should weigh less than one of 1. e^score keeps the order.",
            WEIGHTS,
            power=np.abs,
            shift=no_shift,
        ),
        Mistake(
            "sigmoid",
            "each score was turned into a weight on its own (a sigmoid)",
            shares,
            WEIGHTS,
            power=lambda scores: 1 / (1 + np.exp(-scores)),
            share=lambda exponentials, axis: 1.0,
            shift=no_shift,
        ),
        Mistake(
            "divided-by-largest",
            "the exponentials were divided by the largest of their row, not by the sum",
            shares,
            WEIGHTS,
            share=lambda exponentials, axis: np.max(exponentials, axis=axis, keepdims=True),
            shift=no_shift,
            also=[],
        ),
        Mistake(
            "divided-by-count",
            "the exponentials were divided by how many there are",
            shares,
            WEIGHTS,
            also=[{"share": lambda e, axis: np.mean(e, axis=axis, keepdims=True)}],
            share=lambda exponentials, axis: exponentials.shape[-1],
        ),
        Mistake(
            "divided-by-length",
            "the exponentials were divided by the length of their row as a vector",
            "Then the squares sum to 1. The weights themselves should.",
            WEIGHTS,
            share=lambda exponentials, axis: np.sqrt(np.sum(exponentials**2, axis=axis, keepdims=True)),
        ),
        Mistake(
            "scores-summed",
            "the exponentials were divided by the sum of the scores",
            "The sum should be that of the exponentials: then the shares sum to 1.",
            WEIGHTS,
            after=lambda weights, scores: np.exp(scores) / np.sum(scores, axis=-1, keepdims=True),
        ),
        Mistake(
            "shifted-top-only",
            "the largest score was subtracted above the division line and not below it",
            "Both must be shifted alike, or the shift does not cancel.",
            SHIFT,
            after=lambda w, s: (
                np.exp(s - np.max(s, axis=-1, keepdims=True)) / np.sum(np.exp(s), -1, keepdims=True)
            ),
        ),
        Mistake(
            "all-or-nothing",
            "the largest score got all the weight",
            "That is arg max. Softmax leaves something for every key.",
            TEMPERATURE,
            after=lambda weights, scores: (weights == np.max(weights, axis=-1, keepdims=True)).astype(float),
        ),
        Mistake(
            "twice",
            "softmax was applied twice",
            "Weights are no scores: a second softmax makes them nearly equal.",
            WEIGHTS,
            after=lambda weights, scores: softmax(weights),
        ),
        Mistake(
            "logarithms",
            "logarithms of the weights came back",
            "They are exponents again. The weights are their exponentials.",
            LOGS,
            also=[{"after": lambda w, s: log_softmax(s)}],
            after=lambda weights, scores: np.log(weights),
        ),
        Mistake(
            "keepdims",
            "a number for each row (a sum, a largest score) lost its axis",
            "Without that axis NumPy cannot line the numbers up with their rows: `keepdims=True` keeps it.",
            AXIS,
            share=dropped_keepdims,
        ),
        Mistake(
            "rounded",
            "the weights were rounded",
            "Then a row no longer sums to 1. Round only what you print.",
            WEIGHTS,
            also=[{"after": lambda w, s, d=d: np.round(w, d)} for d in (1, 3, 4)],
            after=lambda weights, scores: np.round(weights, 2),
        ),
        Mistake(
            "added-to-the-sum",
            "something was added to the sum below the division line",
            "Then a row sums to less than 1. After the largest score is subtracted the sum is at least "
            "1, never 0.",
            SHIFT,
            also=[
                {"share": lambda e, axis, more=more: total(e, axis) + more} for more in (1e-4, 1e-2, 0.1, 1.0)
            ],
            share=lambda exponentials, axis: total(exponentials, axis) + 1e-3,
        ),
        Mistake(
            "rough-e",
            "the number e was rounded",
            "`np.exp` knows e to all digits.",
            WEIGHTS,
            also=[{"power": _powers_of(e)} for e in (2.7, 2.71, 2.72)]
            + [{"power": _powers_of(e), "shift": no_shift} for e in (2.7, 2.71, 2.72, 2.718)],
            power=_powers_of(2.718),
        ),
        Mistake(
            "minus-infinity-as-0",
            "a score of −inf was treated as a score of 0",
            "e^−∞ is 0: such a key gets no weight. A score of 0 gets weight like any other.",
            INFINITY,
            before=lambda scores: np.where(np.isneginf(scores), 0, scores),
        ),
        Mistake(
            "minus-infinity-replaced",
            "a score of −inf was replaced by another number",
            "Then the hidden key still gets some weight. Leave −inf as it is: np.exp turns it into 0.",
            INFINITY,
            also=[
                {"before": _other_than_minus_infinity(number)}
                for number in (1.0, -2.0, -3.0, -5.0, -9.0, -10.0)
            ],
            before=_other_than_minus_infinity(-1.0),
        ),
        Mistake(
            "scaled-again",
            "the scores were divided by √n_keys first",
            "Softmax takes the scores as they are; scaling, by √d_k, is a step of its own before it.",
            WEIGHTS,
            before=lambda scores: scores / np.sqrt(scores.shape[-1]),
        ),
        _whole_numbers(),
        _whole_numbers_in_place(),
    )


def as_share(mistake: Mistake) -> Mistake:
    """A mistake of softmax -> the same as the step `share` of a longer recipe, scores in, weights out."""
    first, *others = ({"share": functools.partial(softmax_by_choices, **way)} for way in mistake.ways)
    return Mistake(mistake.name, mistake.says, mistake.idea, mistake.reread, also=others, **first)


def _other_than_minus_infinity(number: float) -> Step:
    return lambda scores: np.where(np.isneginf(scores), number, scores)

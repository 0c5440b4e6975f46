"""Exercises of lesson 03: how do scores become weights?"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.diagnosis import Mistake
from helpers.exercises.kinds import Choose, Mend, Open, Predict, Property, Slip, Write
from helpers.exercises.lesson_01 import same, slips
from helpers.exercises.lesson_02 import NONE_BELOW_0, ROWS_SUM_TO_1
from helpers.exercises.probes import Probe, numbers
from helpers.softmax import log_softmax, softmax, softmax_jacobian
from helpers.validation import Array

WEIGHTS = "03: From scores to weights"
SHIFT = "03: Adding a number to every score"
TEMPERATURE = "03: Temperature"
AXIS = "03: Which axis?"
COLUMNS = "03: The column convention"
INFINITY = "03: Minus infinity"
LOGS = "03: Logarithms and entropy"
ANSWER = "03: How weights answer scores"

Step = Callable[..., Any]

# --- predict-weights ---------------------------------------------------------------------------------

PREDICT_WEIGHTS = Predict(
    name="predict-weights",
    task="The second weight for the scores 0 and ln 3.",
    answer=0.75,
    because="e^0 = 1 and e^(ln 3) = 3; the sum is 4, and the shares are 1/4 and 3/4.",
    slips=(
        Slip("first-weight", 0.25, "That is the first weight. The larger score gets the larger weight."),
        Slip("not-divided", 3.0, "3 is e^(ln 3). A weight is a share: divide by the sum of both, 1 + 3."),
        Slip(
            "no-exponential",
            1.0,
            "ln 3 / (0 + ln 3) is 1: the exponentials are missing. A score of 0 still gets weight.",
        ),
        Slip("equal", 0.5, "Equal weights need equal scores. Here the scores differ by ln 3."),
        Slip("score-1", math.e / (1 + math.e), "That is for a score of 1. e^(ln 3) is 3."),
        Slip(
            "score-3",
            math.e**3 / (1 + math.e**3),
            "That is for a score of 3. The score is ln 3, so its exponential is 3.",
        ),
        Slip("score-itself", math.log(3), "That is the score. The weights are shares of e^0 and e^(ln 3)."),
        Slip(
            "ratio",
            1 / 3,
            "1/3 is the ratio of the first weight to the second. A share divides by the sum, 4.",
        ),
        Slip(
            "log-share",
            math.log(3) / (1 + math.log(3)),
            "The first was turned into e^0, the second not into e^(ln 3) = 3.",
        ),
        Slip(
            "percent",
            75.0,
            "As a percentage this is right. As a share, with all weights summing to 1, it is 75/100.",
        ),
    ),
    hints=(
        "First the exponentials of both scores, then each divided by their sum.",
        "The exponentials are 1 and 3.",
    ),
    reread=WEIGHTS,
)

# --- softmax -----------------------------------------------------------------------------------------

LAST, QUERIES, FIRST, SECOND, THIRD = -1, -2, 0, 1, 2


def _own_max(scores: Array, axis: Any) -> Array:
    return np.max(scores, axis=axis, keepdims=True)


def _row_max(scores: Array, axis: Any) -> Array:
    return np.max(scores, axis=-1, keepdims=True)


def _no_shift(scores: Array, axis: Any) -> float:
    return 0.0


def _whole_max(scores: Array, axis: Any) -> Any:
    return np.max(scores)


def _total(exponentials: Array, axis: Any) -> Array:
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


def _softmax_by_choices(
    scores: Array, *, before: Step = lambda scores: scores, axis: Any = LAST, shift: Step = _own_max,
    power: Step = np.exp, share: Step = _total, after: Step = lambda weights, scores: weights,
) -> Array:  # fmt: skip
    scores = before(np.asarray(scores))
    over = axis(scores) if callable(axis) else axis
    exponentials = power(scores - shift(scores, over))
    return after(exponentials / share(exponentials, over), scores)


def _by_math(gather: Step = _total) -> Step:
    """Softmax by math.exp, one number at a time: it raises where np.exp gives inf or nan."""

    def weights(scores: Array) -> Array:
        rows = scores.reshape(-1, scores.shape[-1]).tolist()
        exponentials = [[math.exp(score) for score in row] for row in rows]
        return np.array([[value / sum(row) for value in row] for row in exponentials]).reshape(scores.shape)

    return weights


def _dropped_keepdims(exponentials: Array, axis: Any) -> Array:
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
    row = {"shift": _row_max}
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
            shift=_row_max,
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
        {"shift": shift, "share": lambda e, axis: _total(e, axis) + 1e-9},
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
                {"before": lambda s: s, "shift": _no_shift, "after": lambda w, s: _by_math()(s)},
                *_plasters(_no_shift),
            ],
            shift=_no_shift,
        ),
        Mistake(
            "whole-max",
            "the largest of all scores was subtracted, not the largest of each row",
            "A row far below it has nothing but e^−1000 = 0 left, and 0/0 is nan: whatever is put in its "
            "place, the row's weights are lost. " + largest,
            SHIFT,
            also=[
                *_plasters(_whole_max),
                {"shift": _whole_max, "power": _long_exp, "after": lambda w, s: w.astype(float)},
            ],
            shift=_whole_max,
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
            shift=lambda scores, axis: _own_max(scores, axis) / 2,
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
            shift=lambda scores, axis: -_own_max(scores, axis),
        ),
        Mistake(
            "clipped",
            "large scores were cut off",
            "Cut-off scores lose their differences. " + largest,
            SHIFT,
            also=[
                {"before": _clip(high, low), "shift": _no_shift}
                for high in (30, 50, 80, 88, 100, 500, 700, 709)
                for low in (-np.inf, -high)
            ],
            before=_clip(700),
            shift=_no_shift,
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
            also=[{"share": lambda e, axis: 1.0, "shift": _no_shift}],
            share=lambda exponentials, axis: 1.0,
        ),
        Mistake(
            "no-exponential",
            "the scores themselves were divided by their sum, without exponentials",
            "Scores may be negative or sum to 0. e^score is positive, and its shares are too.",
            WEIGHTS,
            also=[{"power": lambda s: s}],
            power=lambda scores: scores,
            shift=_no_shift,
        ),
        Mistake(
            "no-softmax",
            "the scores came back as scores: softmax was left out",
            "Weights are shares: the exponential of each score, divided by the sum of its row.",
            WEIGHTS,
            also=[{"power": lambda s: s, "share": lambda e, axis: 1.0}],
            power=lambda scores: scores,
            shift=_no_shift,
            share=lambda exponentials, axis: 1.0,
        ),
        Mistake(
            "powers-of-2",
            "powers of 2 were taken, not of e",
            "Softmax is defined with e^score, `np.exp`.",
            WEIGHTS,
            also=[{"power": np.exp2, "shift": _no_shift}],
            power=np.exp2,
        ),
        Mistake(
            "powers-of-10",
            "powers of 10 were taken, not of e",
            "Softmax is defined with e^score, `np.exp`.",
            WEIGHTS,
            also=[{"power": lambda s: 10.0**s, "shift": _no_shift}],
            power=lambda scores: 10.0**scores,
        ),
        Mistake(
            "sign-turned",
            "the scores' sign was turned: e^−score",
            "A larger score should get a larger weight.",
            WEIGHTS,
            also=[
                {"power": lambda s: np.exp(-s), "shift": _no_shift},
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
            shift=_no_shift,
        ),
        Mistake(
            "absolute",
            "absolute values were shared out",
            "A score of −2 should weigh less than one of 1. e^score keeps the order.",
            WEIGHTS,
            power=np.abs,
            shift=_no_shift,
        ),
        Mistake(
            "sigmoid",
            "each score was turned into a weight on its own (a sigmoid)",
            shares,
            WEIGHTS,
            power=lambda scores: 1 / (1 + np.exp(-scores)),
            share=lambda exponentials, axis: 1.0,
            shift=_no_shift,
        ),
        Mistake(
            "divided-by-largest",
            "the exponentials were divided by the largest of their row, not by the sum",
            shares,
            WEIGHTS,
            share=lambda exponentials, axis: np.max(exponentials, axis=axis, keepdims=True),
            shift=_no_shift,
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
            share=_dropped_keepdims,
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
                {"share": lambda e, axis, more=more: _total(e, axis) + more}
                for more in (1e-4, 1e-2, 0.1, 1.0)
            ],
            share=lambda exponentials, axis: _total(exponentials, axis) + 1e-3,
        ),
        Mistake(
            "rough-e",
            "the number e was rounded",
            "`np.exp` knows e to all digits.",
            WEIGHTS,
            also=[{"power": _powers_of(e)} for e in (2.7, 2.71, 2.72)]
            + [{"power": _powers_of(e), "shift": _no_shift} for e in (2.7, 2.71, 2.72, 2.718)],
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
    first, *others = ({"share": functools.partial(_softmax_by_choices, **way)} for way in mistake.ways)
    return Mistake(mistake.name, mistake.says, mistake.idea, mistake.reread, also=others, **first)


def _other_than_minus_infinity(number: float) -> Step:
    return lambda scores: np.where(np.isneginf(scores), number, scores)


def _hidden_key_weighs(inputs: Any, weights: Array, _call: Any) -> str:
    scores = next(iter(inputs.values()))
    if weights.shape != np.shape(scores):
        return ""
    found = weights[np.isneginf(scores) & ~(np.nan_to_num(weights) <= 1e-6)]
    return f"A key with a score of −inf got weight {found[0]:.2g}; it should get 0." if found.size else ""


def _shift_ignored(inputs: Any, weights: Array, call: Any) -> str:
    if _hidden_key_weighs(inputs, weights, call):
        return ""  # that says more
    (scores,) = (value for value in inputs.values() if isinstance(value, np.ndarray))
    others = [value for value in inputs.values() if not isinstance(value, np.ndarray)]
    shifted = call(
        scores + np.asarray(5.0, dtype=scores.dtype if scores.dtype.kind == "f" else float), *others
    )
    if (
        shifted is None
        or shifted.shape != weights.shape
        or np.allclose(shifted, weights, atol=1e-4, equal_nan=True)
    ):
        return ""
    return "Adding 5 to every score changes your weights; softmax looks at differences only."


def _order_kept(inputs: Any, weights: Array, _call: Any) -> str:
    scores = next(iter(inputs.values()))
    if weights.shape != np.shape(scores):
        return ""
    order = np.argsort(scores, axis=-1, kind="stable")
    rises = np.diff(np.take_along_axis(weights.astype(float), order, axis=-1), axis=-1)
    return "" if (rises >= -1e-6).all() else "In some row a larger score has a smaller weight."


def _keys_of_one_query(inputs: Any, weights: Array, call: Any) -> str:
    scores = next(iter(inputs.values()))
    changed = np.array(scores)
    changed[(0,) * (scores.ndim - 1)] = np.arange(scores.shape[-1])  # the very first row only
    again = call(changed, *[value for value in inputs.values() if not isinstance(value, np.ndarray)])
    if again is None or again.shape != weights.shape or scores[..., 0].size < 2:
        return ""
    mine, before = (array.reshape(-1, scores.shape[-1])[1:] for array in (again, weights))
    return (
        ""
        if np.allclose(mine, before, equal_nan=True)
        else "Changing one row's scores moves the weights of other rows."
    )


SHIFT_IGNORED = Property("shift invariance", "adding a number to every score changes nothing", _shift_ignored)
ORDER_KEPT = Property("order kept", "a larger score gets a larger weight", _order_kept)
ROWS_APART = Property("rows independent", "no row moves another", _keys_of_one_query)

HIDDEN = Property("hidden keys", "a score of −inf gets no weight", _hidden_key_weighs)

OF_WEIGHTS = (ROWS_SUM_TO_1, NONE_BELOW_0, HIDDEN, SHIFT_IGNORED, ORDER_KEPT, ROWS_APART)


def score_probes() -> tuple[Probe, ...]:
    """Scores by which the axes, the shifts and the shares can be told apart."""
    minus = np.array([[0.5, -np.inf, 2.0, 1.0], [3.0, 1.0, -np.inf, -np.inf], [0.0, 1.5, 1.0, -1.0]])
    return (
        Probe("one sentence", {"scores": np.array([[2.0, 1.0, 0.5], [0.25, -1.0, 1.5]])}),
        Probe("one sentence", {"scores": np.array([[-0.5, 0.75, 1.0], [1.25, 2.0, -3.0]])}),
        Probe("whole numbers", {"scores": np.array([[2, 0, 1, -1], [0, 3, 1, 1], [1, -2, 0, 4]])}),
        Probe("float32", {"scores": numbers(5, 7, start=3, dtype=np.float32)}),
        Probe("a batch of 2 sentences", {"scores": numbers(2, 5, 7, start=40)}),
        Probe("a batch of 2 sentences with 3 heads", {"scores": numbers(2, 3, 5, 7, start=200)}),
        Probe(
            "scores around 1,000",
            {"scores": np.array([[1000.0, 1001.0, 999.5], [1002.0, 1000.5, 1001.5]])},
            True,
        ),
        Probe(
            "scores around −1,000",
            {"scores": np.array([[-1000.0, -1001.0, -999.0], [-1002.0, -1000.5, -999.5]])},
            True,
        ),
        Probe(
            "rows far apart",
            {
                "scores": np.array(
                    [[0.0, 1.0, 0.5, -1.0], [1000.0, 1001.0, 999.0, 1000.5], [-998.0, -999.0, -997.0, -998.5]]
                )
            },
            True,
        ),
        Probe(
            "scores far apart within a row",
            {"scores": np.array([[0.0, 900.0, 899.0, 900.5, 1.0], [2.0, 1.0, -950.0, 0.5, 1.5]])},
            True,
        ),
        Probe(
            "sentences far apart",
            {"scores": np.stack([numbers(3, 4, start=60), 1000 + numbers(3, 4, start=80)])},
            True,
        ),
        Probe("scores of −inf", {"scores": minus}, True),
        Probe(
            "rows 20,000 apart",  # more than the widest float takes; of 2,000 half is too much
            {
                "scores": np.array(
                    [
                        [0.0, 1.0, 0.5, -1.0, 2.0],
                        [2001.0, 2000.0, 2000.5, 1999.0, 1998.5],
                        [20000.0, 20001.0, 19999.0, 20000.5, 19998.0],
                        [-20000.0, -20001.0, -19999.0, -20000.5, -19998.5],
                    ]
                )
            },
            True,
        ),
    )


SOFTMAX = Write(
    name="softmax",
    task="Scores into weights, also for 1,000, −1,000 and −inf, and for stacks.",
    call="my_softmax(scores)",
    right=softmax,
    recipe=_softmax_by_choices,
    probes=score_probes(),
    properties=OF_WEIGHTS,
    axes=("query", "key"),
    mistakes=(*axis_mistakes(), *shift_mistakes(), *share_mistakes()),
    hints=(
        "Three steps: subtract the largest score of each row, take e to the power of what is left, "
        "divide by the row's sum.",
        "Each row belongs to one query: the largest score and the sum are taken over the last axis, −1.",
        "With keepdims=True the largest scores and the sums keep their axis, so that they line up with "
        "their rows.",
    ),
    explain="The largest score of each row is subtracted first: the weights stay the same, and no "
    "exponential overflows. "
    "The helper also gives weights of 0 where a row has no key to attend to; the check does not ask for "
    "that.",
    reread=WEIGHTS,
)

# --- temperature -------------------------------------------------------------------------------------


def at_temperature(scores: Array, temperature: float) -> Array:
    """(..., n_queries, n_keys), a number above 0 -> weights of the same shape; each row sums to 1."""
    return softmax(np.asarray(scores) / temperature)


def _temperature_by_choices(
    scores: Array, temperature: float, *, cool: Step = np.divide, share: Step = softmax,
    after: Step = lambda weights, temperature: weights,
) -> Array:  # fmt: skip
    return after(share(cool(np.asarray(scores), temperature)), temperature)


def _own_softmax(scores: Array) -> Array:
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=-1, keepdims=True)


def _exp_over(above: Array, below: Array) -> Array:
    return np.exp(above) / np.sum(np.exp(below), axis=-1, keepdims=True)


def _below_own_max(scores: Array) -> Array:
    return scores - np.max(scores, axis=-1, keepdims=True)


def _ignored(scores: Array, temperature: float) -> Array:
    return scores


TEMPERATURE_EXERCISE = Write(
    name="temperature",
    task="Weights at a temperature.",
    call="my_temperature(scores, temperature)",
    right=at_temperature,
    recipe=_temperature_by_choices,
    probes=(
        Probe("one sentence", {"scores": np.array([[2.0, 1.0, 0.5], [0.25, -1.0, 1.5]]), "temperature": 0.5}),
        Probe(
            "one sentence", {"scores": np.array([[-0.5, 0.75, 1.0], [1.25, 2.0, -3.0]]), "temperature": 3.0}
        ),
        Probe(
            "whole numbers",
            {"scores": np.array([[2, 0, 1, -1], [0, 3, 1, 1], [1, -2, 0, 4]]), "temperature": 4.0},
        ),
        Probe("a batch of 2 sentences", {"scores": numbers(2, 5, 7, start=40), "temperature": 2.5}),
        Probe("with 3 heads", {"scores": numbers(2, 3, 5, 7, start=200), "temperature": 0.25}),
        Probe(
            "large scores",
            {"scores": np.array([[1000.0, 1001.0, 999.5], [1002.0, 1000.5, 1001.5]]), "temperature": 0.5},
            True,
        ),
    ),
    properties=(ROWS_SUM_TO_1, NONE_BELOW_0, SHIFT_IGNORED, ORDER_KEPT),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "multiplied",
            "the scores were multiplied by the temperature, or the weights raised to its power T, not 1/T",
            "Then a high temperature sharpens. It should flatten: divide the scores by it.",
            TEMPERATURE,
            cool=np.multiply,
        ),
        Mistake(
            "ignored",
            "the temperature had no effect: it was left out, or a shift or a factor that cancels",
            "Softmax ignores what is added to all scores, and a factor on all exponentials cancels. "
            "Divide the scores.",
            TEMPERATURE,
            cool=_ignored,
        ),
        Mistake(
            "weights-divided",
            "the weights were divided by the temperature, after softmax",
            "Then rows no longer sum to 1. Divide the scores, before softmax.",
            TEMPERATURE,
            cool=_ignored,
            after=np.divide,
        ),
        Mistake(
            "weights-multiplied",
            "the weights were multiplied by the temperature, after softmax",
            "Then rows no longer sum to 1. Divide the scores, before softmax.",
            TEMPERATURE,
            cool=_ignored,
            after=np.multiply,
        ),
        Mistake(
            "above-the-line-only",
            "the temperature divides the scores above the division line and not below it",
            "The sum must be of the same exponentials: then each row sums to 1.",
            TEMPERATURE,
            also=[{"cool": lambda s, t: _exp_over(_below_own_max(s) / t, _below_own_max(s)), "share": same}],
            cool=lambda scores, temperature: _exp_over(scores / temperature, scores),
            share=same,
        ),
        Mistake(
            "below-the-line-only",
            "the temperature divides the scores below the division line and not above it",
            "The sum must be of the same exponentials: then each row sums to 1.",
            TEMPERATURE,
            also=[{"cool": lambda s, t: _exp_over(_below_own_max(s), _below_own_max(s) / t), "share": same}],
            cool=lambda scores, temperature: _exp_over(scores, scores / temperature),
            share=same,
        ),
        Mistake(
            "weights-raised",
            "the weights were raised to a power (1/T, or T) and not divided by their new sum",
            "p^(1/T) is right up to a factor: divide each row by its sum.",
            TEMPERATURE,
            also=[{"cool": _ignored, "after": np.power}],
            cool=_ignored,
            after=lambda weights, temperature: weights ** (1 / temperature),
        ),
        Mistake(
            "divided-twice",
            "the temperature was applied twice",
            "Divide the scores by it once.",
            TEMPERATURE,
            also=[{"after": np.divide}],
            cool=lambda scores, temperature: scores / temperature**2,
        ),
        Mistake(
            "rooted",
            "the scores were divided by the root of the temperature",
            "The root belongs to d_k. The temperature divides as it is.",
            TEMPERATURE,
            cool=lambda scores, temperature: scores / np.sqrt(temperature),
        ),
        Mistake(
            "powered",
            "the scores were raised to the power of the temperature",
            "Divide them by it: then their differences shrink as the temperature rises.",
            TEMPERATURE,
            cool=lambda scores, temperature: scores**temperature,
        ),
        Mistake(
            "whole-division",
            "the scores were divided by `//`, which drops the fraction",
            "`//` rounds down to a whole number. Divide by `/`.",
            TEMPERATURE,
            also=[{"cool": lambda scores, temperature: np.trunc(scores / temperature)}],
            cool=np.floor_divide,
        ),
        Mistake(
            "parameters-swapped",
            "the temperature was divided by the scores",
            "The check calls my_temperature(scores, temperature), in this order. Do your parameters stand "
            "the other way round?",
            TEMPERATURE,
            also=[{"cool": lambda scores, temperature: temperature / scores, "share": _own_softmax}],
            cool=lambda scores, temperature: temperature / scores,
        ),
        Mistake(
            "scaled-again",
            "the scores were divided by √n_keys as well",
            "Here the temperature alone divides; the root, of d_k, belongs to lesson 02.",
            TEMPERATURE,
            cool=lambda scores, temperature: scores / (temperature * np.sqrt(scores.shape[-1])),
        ),
        Mistake(
            "softmax-twice",
            "softmax was applied twice",
            "Weights are no scores: a second softmax makes them nearly equal. Divide the scores, then apply "
            "softmax once.",
            TEMPERATURE,
            also=[{"after": lambda weights, temperature: softmax(weights)}],
            cool=lambda scores, temperature: softmax(scores) / temperature,
        ),
        Mistake(
            "not-softmaxed",
            "softmax was left out",
            "The task asks for weights: softmax makes them from the scores.",
            TEMPERATURE,
            share=same,
        ),
        Mistake(
            "over-queries",
            "softmax ran over the queries",
            "One distribution for each query: over the keys, the last axis.",
            AXIS,
            share=lambda scores: softmax(scores, axis=-2),
        ),
        Mistake(
            "axis-0",
            "softmax ran over the first axis",
            "One distribution for each query: over the keys, the last axis.",
            AXIS,
            share=lambda scores: softmax(scores, axis=0),
        ),
        Mistake(
            "axis-1",
            "softmax ran over axis 1, which holds the keys for one sentence only",
            "Counted from the end, keys are always axis −1.",
            AXIS,
            share=lambda scores: softmax(scores, axis=1),
        ),
        Mistake(
            "over-everything",
            "all scores together were made one distribution",
            "One distribution for each query.",
            AXIS,
            share=lambda scores: softmax(scores.ravel()).reshape(scores.shape),
        ),
        Mistake(
            "no-row-max",
            "the largest score was not subtracted first",
            "e^1000 is larger than any float64. The helper softmax takes care of that.",
            SHIFT,
            share=lambda scores: np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True),
        ),
    ),
    hints=(
        "At temperature 2, two scores that differ by 3 should weigh like scores that differ by 1.5.",
        "Change the scores first, then let softmax make weights of them.",
        "Divide the scores by the temperature.",
    ),
    explain="Dividing by a temperature above 1 brings the scores closer together, so that the weights "
    "get more equal.",
    reread=TEMPERATURE,
)

# --- axis-bug and overflow-bug -------------------------------------------------------------------------

AXIS_BUG = Mend(
    name="axis-bug",
    task="A softmax that is right on a sentence and wrong on a batch.",
    given="axis-1",
    symptom="for a batch of shape (2, 5, 7) look at weights.sum(axis=-1): these sums should be 1. Which "
    "sums are 1 instead?",
    call="my_batch_softmax(scores)",
    right=softmax,
    recipe=_softmax_by_choices,
    probes=SOFTMAX.probes,
    properties=OF_WEIGHTS,
    axes=("query", "key"),
    mistakes=SOFTMAX.mistakes,
    hints=(
        "What does axis 1 count in an array of shape (n_queries, n_keys)? And in one of shape (2, "
        "n_queries, n_keys)?",
        "Axes can be counted from the end. Which number then always means the keys?",
        "Both the largest score and the sum need that axis.",
    ),
    explain="Counted from the end the keys are axis −1, however many axes stand before.",
    reread=AXIS,
)

OVERFLOW_BUG = Mend(
    name="overflow-bug",
    task="A softmax that gives nan when another row is far above.",
    given="whole-max",
    symptom="for the rows [0, 0] and [1000, 1000] the first row of weights is nan. What is left of it after "
    "`scores - scores.max()`, and after np.exp?",
    call="my_safe_softmax(scores)",
    right=softmax,
    recipe=_softmax_by_choices,
    probes=SOFTMAX.probes,
    properties=OF_WEIGHTS,
    axes=("query", "key"),
    mistakes=SOFTMAX.mistakes,
    hints=(
        "Compute scores - scores.max() for the rows [0, 0] and [1000, 1000]. What does np.exp make of "
        "the first?",
        "Each row has its own largest score. Over which axis should max run?",
        "And with keepdims=True the largest scores line up with their rows.",
    ),
    explain="Each row's own largest score is subtracted. Then every row has at least one exponential of 1.",
    reread=SHIFT,
)

# --- which-axis --------------------------------------------------------------------------------------

WHICH_AXIS = Choose(
    name="which-axis",
    task="Which sums of the weights must be 1 for scores of shape (2, 5, 7)?",
    answer="a",
    options={
        "a": "weights.sum(axis=-1) has shape (2, 5): one sum for each query of each sentence, and each is 1.",
        "b": "Then a query that no key answers to would get almost nothing, and another one too much. "
        "Who asks here, and "
        "who shares 1 out?",
        "c": "Then the 10 queries would share 1 among them: in a longer text each would get less. Each "
        "query has 1 of its own.",
        "d": "Then one sentence's weights would depend on another sentence that happens to be in the "
        "same batch.",
    },
    hints=(
        "Rows belong to queries. Each query asks: from which keys do I take how much?",
        "There are 2 × 5 queries. How many sums of 1 should there be?",
    ),
    reread=AXIS,
)

# --- column-softmax ----------------------------------------------------------------------------------


def column_softmax(scores: Array) -> Array:
    """(..., n_keys, n_queries) -> weights of the same shape; each column sums to 1."""
    return softmax(scores, axis=-2)


def _columns_by_choices(
    scores: Array, *, axis: Any = QUERIES, before: Step = lambda scores: scores, shift: Step = _own_max,
    share: Step = _total, after: Step = lambda weights: weights,
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


COLUMN_SOFTMAX = Write(
    name="column-softmax",
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
            shift=_no_shift,
        ),
        Mistake(
            "not-divided",
            "the exponentials were not divided by their sum",
            "Weights are shares: each exponential is divided by the sum of its column.",
            WEIGHTS,
            also=[{"share": lambda e, axis: 1.0, "shift": _no_shift}],
            share=lambda exponentials, axis: 1.0,
        ),
        Mistake(
            "keepdims",
            "a number for each column (a sum, a largest score) lost its axis",
            "One table comes out right by luck; on a stack NumPy cannot line the numbers up with their "
            "columns. `keepdims=True` keeps the axis.",
            COLUMNS,
            share=_dropped_keepdims,
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
            shift=_whole_max,
        ),
        Mistake(
            "row-max",
            "the largest score of each row was subtracted, not that of each column",
            "The shift cancels only where all scores of one query, a column here, are shifted alike.",
            COLUMNS,
            shift=_row_max,
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


def _shared(exponentials: Array, axis: Any) -> Array:
    return exponentials / np.sum(exponentials, axis=axis, keepdims=True)


# --- log-softmax -------------------------------------------------------------------------------------


def _log_by_choices(
    scores: Array, *, axis: Any = LAST, shift: Step = _own_max,
    log_total: Step = lambda exponentials, axis: np.log(_total(exponentials, axis)),
    shifted_minus: Step = np.subtract, after: Step = lambda logs, scores, axis: logs,
) -> Array:  # fmt: skip
    scores = np.asarray(scores)
    shifted = scores - shift(scores, axis)
    return after(shifted_minus(shifted, log_total(np.exp(shifted), axis)), scores, axis)


SMALL = (  # numbers that keep a logarithm from −∞, as learners choose them
    *(10.0**-power for power in (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 30, 100, 300)),
    float(np.finfo(np.float64).eps),
    float(np.finfo(np.float64).tiny),
)
LOG_PROBES = tuple(probe for probe in score_probes() if probe.kind != "sentences far apart")

LOG_SOFTMAX = Write(
    name="log-softmax",
    task="Logarithms of the softmax weights, also where a weight is too small for a float.",
    call="my_log_softmax(scores)",
    right=log_softmax,
    recipe=_log_by_choices,
    probes=LOG_PROBES,
    properties=(
        Property(
            "none above 0",
            "no logarithm is above 0",
            lambda inputs, logs, call: (
                ""
                if not np.nanmax(logs) > 1e-6
                else f"One result is {np.nanmax(logs):.2f}; a weight is at most 1, its log at most 0."
            ),
        ),
        Property(
            "exponentials sum to 1",
            "e to the power of each row sums to 1",
            lambda inputs, logs, call: (
                ""
                if logs.ndim == 0 or np.allclose(np.exp(logs.astype(float)).sum(axis=-1), 1, atol=1e-3)
                else "e to the power of your results should sum to 1 in each row."
            ),
        ),
    ),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "log-of-weights",
            "the weights were computed first, and their logarithm after",
            "A weight such as e^−1000 is 0 in a float. Its logarithm is then −∞, or that of the small "
            "number added or put in its place (log 1e-12 is −27.63), and not −1000. Stay with logarithms: "
            "log(a/b) = log a − log b.",
            LOGS,
            also=[
                {"after": lambda logs, s, axis: np.log(_shared(np.exp(s), axis))},
                {"after": lambda logs, s, axis: np.nan_to_num(np.log(softmax(s)))},
                *(
                    {
                        "after": lambda logs, s, axis, least=least, guard=guard: np.log(
                            guard(softmax(s), least)
                        )
                    }
                    for guard in (np.add, np.maximum)
                    for least in SMALL
                ),
            ],
            after=lambda logs, scores, axis: np.log(softmax(scores, axis=axis)),
        ),
        Mistake(
            "no-row-max",
            "the largest score was not subtracted first",
            "e^1000 is larger than any float64, and e^−1000 is 0, whose logarithm is −∞.",
            SHIFT,
            shift=_no_shift,
        ),
        Mistake(
            "max-forgotten",
            "the largest score was subtracted inside the sum only",
            "score − log Σe^(score − m) is too large by m: subtract m from the score as well.",
            LOGS,
            after=lambda logs, scores, axis: logs + _own_max(scores, axis),
        ),
        Mistake(
            "total-forgotten",
            "the logarithm of the sum was left out",
            "log(e^s / sum) = s − log(sum): without it, the exponentials do not sum to 1.",
            LOGS,
            log_total=lambda exponentials, axis: 0.0,
        ),
        Mistake(
            "total-without-log",
            "the sum was subtracted without its logarithm",
            "log(e^s / sum) = s − log(sum).",
            LOGS,
            log_total=_total,
        ),
        Mistake(
            "total-log-2",
            "the sum's logarithm was taken to base 2",
            "The exponentials are powers of e, and so the logarithm that undoes them is `np.log`.",
            LOGS,
            log_total=lambda exponentials, axis: np.log2(_total(exponentials, axis)),
        ),
        Mistake(
            "total-log-10",
            "the sum's logarithm was taken to base 10",
            "The exponentials are powers of e, and so the logarithm that undoes them is `np.log`.",
            LOGS,
            log_total=lambda exponentials, axis: np.log10(_total(exponentials, axis)),
        ),
        Mistake(
            "added",
            "the logarithm of the sum was added",
            "Dividing by the sum is subtracting its logarithm.",
            LOGS,
            shifted_minus=np.add,
        ),
        Mistake(
            "divided",
            "the score was divided by the logarithm of the sum",
            "log(a / b) is log a minus log b.",
            LOGS,
            shifted_minus=np.divide,
        ),
        Mistake(
            "sign-turned",
            "the sign was turned",
            "The logarithm of a weight is 0 or less; −log p is the surprise.",
            LOGS,
            after=lambda logs, scores, axis: -logs,
        ),
        Mistake(
            "log-2",
            "logarithms to base 2 came back",
            "The task asks for natural logarithms, `np.log`.",
            LOGS,
            also=[{"after": lambda logs, s, axis: np.log2(softmax(s))}],
            after=lambda logs, scores, axis: logs / np.log(2),
        ),
        Mistake(
            "log-10",
            "logarithms to base 10 came back",
            "The task asks for natural logarithms, `np.log`.",
            LOGS,
            also=[{"after": lambda logs, s, axis: np.log10(softmax(s))}],
            after=lambda logs, scores, axis: logs / np.log(10),
        ),
        Mistake(
            "weights",
            "the weights came back, not their logarithms",
            "The task asks for log p, which is 0 or less.",
            LOGS,
            after=lambda logs, scores, axis: np.exp(logs),
        ),
        Mistake(
            "over-queries",
            "the sum ran over the queries",
            "One distribution for each query: over the keys, the last axis.",
            AXIS,
            also=[{"axis": QUERIES, "shift": _row_max}],
            axis=QUERIES,
        ),
        Mistake(
            "axis-0",
            "the sum ran over the first axis",
            "One distribution for each query: over the keys, the last axis.",
            AXIS,
            also=[{"axis": FIRST, "shift": _row_max}],
            axis=FIRST,
        ),
        Mistake(
            "axis-1",
            "the sum ran over axis 1, which holds the keys for one sentence only",
            "Counted from the end, keys are always axis −1.",
            AXIS,
            also=[{"axis": SECOND, "shift": _row_max}],
            axis=SECOND,
        ),
        Mistake(
            "over-everything",
            "all scores together were made one distribution",
            "One distribution for each query. Give the sum an axis.",
            AXIS,
            also=[{"axis": None, "shift": _row_max}],
            axis=None,
        ),
        Mistake(
            "whole-max",
            "the largest of all scores was subtracted, not the largest of each row",
            "A row far below it has nothing but e^−1000 = 0 left, and log 0 is −∞.",
            SHIFT,
            shift=_whole_max,
        ),
        Mistake(
            "keepdims",
            "a number for each row (a sum, a largest score) lost its axis",
            "Without that axis NumPy cannot line the numbers up with their rows: `keepdims=True` keeps it.",
            AXIS,
            log_total=lambda exponentials, axis: np.log(_dropped_keepdims(exponentials, axis)),
        ),
    ),
    hints=(
        "log(a / b) = log a − log b, and log e^s = s.",
        "So log p = s − log Σe^s. Which shift keeps Σe^s from overflowing?",
        "Subtract the largest score from s first, in both places.",
    ),
    explain="log p = s − log Σe^s, with the largest score subtracted from s in both places.",
    reread=LOGS,
)

# --- jacobian ----------------------------------------------------------------------------------------


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


JACOBIAN = Write(
    name="jacobian",
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


def _s(p: Array) -> Array:
    return np.exp(p) / np.exp(p).sum()


# --- scores-for --------------------------------------------------------------------------------------

TARGET = np.array([0.1, 0.2, 0.7])

WRONG_WAYS: tuple[tuple[str, Callable[[Array], Array], str], ...] = (
    ("weights-as-scores", lambda p: p, "The weights themselves are no scores: softmax would take e to "
                                       "their power. Which function undoes e^?"),
    ("sign-turned", lambda p: -np.log(p), "The sign is turned: the largest weight belongs to the largest "
                                          "score."),
    ("log-10", np.log10, "These are logarithms to base 10. Softmax uses powers of e: take natural ones."),
    ("log-2", np.log2, "Logarithms, but to base 2. Softmax uses powers of e: take natural ones, `np.log`."),
    ("exponentials", np.exp, "These are exponentials of the weights. Going backwards, undo the "
                             "exponential: take logarithms."),
    ("odds", lambda p: np.log(p / (1 - p)), "These are log-odds, log(p / (1 − p)), right for one "
                                            "yes-or-no weight. Here log p is enough."),
    ("percent", lambda p: 100 * p, "These are percentages. As scores they lie so far apart that one key "
                                   "gets everything."),
    ("ten-times", lambda p: 10 * p, "These are the weights times ten. Softmax looks at differences, not "
                                    "at ratios: take logarithms."),
    ("reversed", lambda p: np.log(p[::-1]), "These are the right weights in reverse order: the largest "
                                            "score belongs last."),
    ("doubled", lambda p: 2 * np.log(p), "These are the logarithms of the weights times two, or of their "
                                         "squares. Softmax looks at differences: they must not be "
                                         "stretched. log p is enough."),
)  # fmt: skip
STEPS = np.log(TARGET / TARGET[0])


def _judge_scores_for(scores: Array) -> tuple[str, str]:
    weights = softmax(scores)
    shown = "  ".join(f"{weight:.2f}" for weight in weights)
    if (abs(weights - TARGET) < 0.005).all():
        shift = float((scores - np.log(TARGET)).mean())
        return "", (
            f"✓ the softmax of your scores is [{shown}].\n"
            f"  They are the logarithms of the weights, plus {shift:.2f}. Any number will do there."
        )
    found = f"the softmax of these scores is [{shown}], not [0.10  0.20  0.70]."
    for name, way, reply in WRONG_WAYS:
        difference = scores - way(TARGET)
        if np.ptp(difference) < 0.005:  # the same but for a shift
            return name, f"{found}\n  {reply}"
    off = abs(scores - scores[0] - STEPS)
    if off.max() < 0.1:
        which = "second" if off.argmax() == 1 else "third"
        return "", f"{found}\n  Close: the distance of the {which} score from the first needs more digits."
    reply = (
        "The second weight should be twice the first, so the second score lies ln 2 above the first. "
        "How far above the first must the third score lie?"
    )
    return "", f"{found}\n  {reply}"


SCORES_FOR = Open(
    name="scores-for",
    task="Three scores whose softmax is [0.1, 0.2, 0.7].",
    shape=(3,),
    judge=_judge_scores_for,
    example=[0.0, 0.6931, 1.9459],
    because="Natural logarithms of the weights, shifted so that the first is 0: 0, ln 2, ln 7. Any "
    "number may be added.",
    slips=slips(*((name, way(TARGET).tolist()) for name, way, _ in WRONG_WAYS)),
    hints=(
        "Softmax looks at differences. How far must the second score lie above the first, so that its "
        "weight is twice as large?",
        "Which function undoes e^score? The division by the sum is only a shift.",
        "The natural logarithm of each weight.",
    ),
    reread=LOGS,
)

EXERCISES = (
    PREDICT_WEIGHTS,
    SOFTMAX,
    OVERFLOW_BUG,
    TEMPERATURE_EXERCISE,
    AXIS_BUG,
    WHICH_AXIS,
    COLUMN_SOFTMAX,
    LOG_SOFTMAX,
    JACOBIAN,
    SCORES_FOR,
)

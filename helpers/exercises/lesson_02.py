"""Exercises of lesson 02: why divide by the square root of d_k?"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.diagnosis import Mistake
from helpers.exercises.kinds import Choose, Mend, OpenFunction, Predict, Property, Slip, Table, Write
from helpers.exercises.lesson_01 import (
    PAIRS,
    match_mistakes,
    pair_probes,
    rounded_to,
    same,
    whole_numbers_kept,
)
from helpers.exercises.probes import Probe, numbers
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array

SPREAD = "02: How far scores spread"
LARGE = "02: What large scores do"
LEARNING = "02: Learning with and without the scale"

Step = Callable[..., Any]

D_K_TOO = " And d_k is shape[-1]: counted from the end, it is right for stacks, too."

# --- predict-spread ----------------------------------------------------------------------------------

PREDICT_SPREAD = Predict(
    name="predict-spread",
    task="d_k grows from 4 to 400: by what factor does the spread of the scores grow?",
    answer=10.0,
    because="The variance is d_k and grows by 100. The spread is its square root, √d_k: from 2 to 20, "
    "ten times as much.",
    slips=(
        Slip("variance", 100.0, "By 100 the variance grows. The spread is the square root of the variance."),
        Slip("no-change", 1.0, "That is so after dividing by √d_k. Here nothing has been divided yet."),
        Slip(
            "new-spread",
            20.0,
            "20 is the spread for d_k 400. For d_k 4 it was 2 already: what is the factor?",
        ),
        Slip(
            "new-d_k", 400.0, "400 is d_k, and the variance. The question is how many times the spread grows."
        ),
        Slip(
            "difference",
            18.0,
            "From 2 to 20 the spread grows by 18; the question is how many times as large it gets.",
        ),
        Slip(
            "old-spread",
            2.0,
            "2 is the spread for d_k 4, and the power of ten by which d_k grows. √400 / √4 is asked.",
        ),
        Slip("difference-of-d_k", 396.0, "396 is how much d_k grows. The spread grows like √d_k."),
        Slip(
            "inverse",
            0.1,
            "The scores spread more, not less: each further term adds variance. Turn the fraction round.",
        ),
        Slip(
            "logarithm",
            math.log(100),
            "That is ln 100. A sum of independent terms spreads like a square root.",
        ),
        Slip(
            "squared",
            10_000.0,
            "That is the factor squared twice. The variance grows by 100; the spread is its root.",
        ),
    ),
    hints=(
        "A score is a sum of d_k products. Each has variance 1, and variances of independent terms add up.",
        "The spread is the square root of the variance: √4 and √400.",
    ),
    reread=SPREAD,
)

# --- spread-table ------------------------------------------------------------------------------------

SPREAD_TABLE = Table(
    name="spread-table",
    task="Variance, spread, and spread after dividing by √d_k, for five values of d_k.",
    row_name="d_k",
    labels=(4, 16, 64, 256, 1024),
    columns=("variance", "spread", "after dividing"),
    row=lambda d_k: (d_k, math.sqrt(d_k), 1),
    slips=(
        (
            Slip("spread-as-variance", math.sqrt, "√d_k is the spread. The variance is its square."),
            Slip(
                "variance-squared",
                lambda d_k: d_k**2,
                "Each of the d_k terms adds 1 to the variance, not d_k.",
            ),
            Slip("variance-1", lambda d_k: 1, "Each *term* has variance 1. A score is a sum of d_k terms."),
            Slip(
                "variance-inverse", lambda d_k: 1 / d_k, "That is the variance of a mean. A score is a sum."
            ),
            Slip(
                "next-row",
                lambda d_k: 4 * d_k,
                "That is four times too much: the variance of the next row.",
            ),
            Slip(
                "variance-double",
                lambda d_k: 2 * d_k,
                "A product of two numbers of variance 1 has variance 1, not 2.",
            ),
        ),
        (
            Slip(
                "variance-as-spread", lambda d_k: d_k, "d_k is the variance. The spread is its square root."
            ),
            Slip("half", lambda d_k: d_k / 2, "The spread is the square root of d_k, not its half."),
            Slip("spread-1", lambda d_k: 1, "1 is the spread after dividing. Before, it is √d_k."),
            Slip(
                "next-row",
                lambda d_k: 2 * math.sqrt(d_k),
                "That is twice too much: the spread of the next row, the root of four times d_k.",
            ),
            Slip("logarithm", math.log2, "That is a logarithm. The spread is the square root of d_k."),
            Slip(
                "spread-squared",
                lambda d_k: d_k**2,
                "The spread is the square root of the variance, not its square.",
            ),
        ),
        (
            Slip("not-divided", math.sqrt, "That is the spread before dividing. Divide it by √d_k."),
            Slip(
                "divided-by-d_k", lambda d_k: 1 / math.sqrt(d_k), "That is what dividing by d_k would leave."
            ),
            Slip(
                "variance-divided",
                lambda d_k: d_k,
                "That is the variance before dividing. The spread √d_k divided by √d_k …",
            ),
            Slip("nothing-left", lambda d_k: 0, "Dividing makes the scores smaller, and they still differ."),
            Slip("over-d_k", lambda d_k: 1 / d_k, "The spread is √d_k, and it is divided by √d_k."),
        ),
    ),
    next_cell=lambda d_k, column, before: math.sqrt(abs(before)) if column == 1 else before / math.sqrt(d_k),
    because="d_k terms of variance 1 add up to the variance d_k; the spread is √d_k; divided by √d_k it "
    "is 1, "
    "whatever d_k.",
    hints=(
        "A score is a sum of d_k products, each of variance 1. Variances of independent terms add up.",
        "The spread is the square root of the variance.",
        "Dividing all scores by a number divides their spread by that number.",
    ),
    reread=SPREAD,
)

# --- scaled-scores -----------------------------------------------------------------------------------


def scaled_scores(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), of spread about 1."""
    return scale_scores(dot_product_scores(queries, keys), queries.shape[-1])


def _by_root_d_k(scores: Array, queries: Array, keys: Array) -> Array:
    return scale_scores(scores, queries.shape[-1])


def _divide_by(size: Callable[[Array, Array], Any]) -> Step:
    return lambda scores, queries, keys: scores / size(queries, keys)


def _scaled_by_choices(
    queries: Array, keys: Array, *, match: Step = dot_product_scores, scale: Step = _by_root_d_k,
    after: Step = same, cast: Step = same,
) -> Array:  # fmt: skip
    return cast(after(scale(match(queries, keys), queries, keys), queries, keys), queries, keys)


def scale_mistakes() -> tuple[Mistake, ...]:
    """The wrong ways to scale, for every exercise that starts from queries and keys."""
    d_k = "The scale belongs to d_k, the number of entries in each query and key: so many terms are summed."
    return (
        Mistake(
            "never-scaled",
            "the scores were never scaled",
            "The dot product of d_k terms spreads like √d_k; divide by it.",
            LARGE,
            scale=same,
        ),
        Mistake(
            "divided-by-d_k",
            "the scores were divided by d_k (by the whole of it, or by √d_k twice over)",
            "The variance grows with d_k, the spread with √d_k. Dividing by d_k leaves scores that "
            "hardly differ.",
            LARGE,
            scale=_divide_by(lambda q, k: q.shape[-1]),
        ),
        Mistake(
            "multiplied",
            "the scores were multiplied by √d_k",
            "That spreads them further: to a spread of d_k. Divide, and the spread is 1.",
            LARGE,
            scale=_divide_by(lambda q, k: 1 / np.sqrt(q.shape[-1])),
        ),
        Mistake(
            "multiplied-by-d_k",
            "the scores were multiplied by d_k",
            "That spreads them further. Divide by √d_k, and the spread is 1.",
            LARGE,
            scale=_divide_by(lambda q, k: 1 / q.shape[-1]),
        ),
        Mistake(
            "root-n_keys",
            "the scores were divided by √n_keys",
            d_k + " The number of keys may change from text to text.",
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(k.shape[-2])),
        ),
        Mistake(
            "root-n_keys-too",
            "√n_keys is still divided by, next to √d_k",
            d_k + " √d_k is right; leave √n_keys away.",
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(q.shape[-1] * k.shape[-2])),
        ),
        Mistake(
            "n_keys",
            "the scores were divided by the number of keys",
            d_k + " And the spread grows with its square root.",
            SPREAD,
            scale=_divide_by(lambda q, k: k.shape[-2]),
        ),
        Mistake(
            "root-n_queries",
            "the scores were divided by √n_queries",
            d_k + " How many queries there are does not change any score.",
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(q.shape[-2])),
        ),
        Mistake(
            "root-first-axis",
            "the scores were divided by the root of the length of the first axis (`len` or `shape[0]`)",
            d_k + " It is the last axis: shape[-1].",
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(q.shape[0])),
        ),
        Mistake(
            "root-first-axis-of-keys",
            "the scores were divided by the root of the length of the keys' first axis (`len` or `shape[0]`)",
            d_k + " It is the last axis: shape[-1].",
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(k.shape[0])),
        ),
        Mistake(
            "root-second-axis",
            "the scale was read from axis 1, which is d_k for one sentence only",
            d_k + " Counted from the end it is always axis −1.",
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(q.shape[1])),
        ),
        Mistake(
            "root-second-axis-of-keys",
            "the scale was read from axis 1 of the keys, which is d_k for one sentence only",
            d_k + " Counted from the end it is always axis −1.",
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(k.shape[1])),
        ),
        Mistake(
            "root-size",
            "the scores were divided by the root of how many numbers the queries hold in all",
            d_k,
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(q.size)),
        ),
        Mistake(
            "root-number-of-scores",
            "the scores were divided by the root of how many scores there are",
            d_k,
            SPREAD,
            scale=lambda scores, q, k: scores / np.sqrt(scores.size),
        ),
        Mistake(
            "always-2",
            "the scores were always divided by 2",
            "2 is √d_k for d_k 4 only. Read d_k from the shape of the queries.",
            SPREAD,
            scale=_divide_by(lambda q, k: 2),
        ),
        Mistake(
            "always-4",
            "the scores were always divided by 4",
            "Read d_k from the shape of the queries, and take its square root.",
            SPREAD,
            scale=_divide_by(lambda q, k: 4),
        ),
        Mistake(
            "always-8",
            "the scores were always divided by 8",
            "8 is √d_k for d_k 64 only. Read d_k from the shape of the queries.",
            SPREAD,
            scale=_divide_by(lambda q, k: 8),
        ),
        Mistake(
            "root-d_model",
            "the scores were divided by √(n_heads · d_k), the root of the whole d_model",
            "Each head compares vectors of d_k entries: so many terms are summed.",
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(q.shape[-1] * (q.shape[-3] if q.ndim == 4 else 1))),
        ),
        Mistake(
            "fourth-root",
            "the scores were divided by the fourth root of d_k",
            "d_k^¼ is right for queries and for keys, where both are divided by it; here one division is "
            "missing.",
            SPREAD,
            scale=_divide_by(lambda q, k: q.shape[-1] ** 0.25),
        ),
        Mistake(
            "d_k-squared",
            "the scores were divided by d_k squared",
            "The spread is the root of d_k, not its square.",
            SPREAD,
            scale=_divide_by(lambda q, k: q.shape[-1] ** 2),
        ),
        Mistake(
            "half-d_k",
            "the scores were divided by half of d_k",
            "√d_k is the square root, not the half; the two agree for d_k 4 only. In Python d_k**1/2 is "
            "(d_k**1)/2; write d_k**0.5.",
            SPREAD,
            scale=_divide_by(lambda q, k: q.shape[-1] / 2),
        ),
        Mistake(
            "power-first",
            "the scores were divided by d_k, and then by 2",
            "In Python x / d_k**1/2 is (x / d_k**1) / 2: the power comes first. Write "
            "d_k**0.5, or np.sqrt(d_k).",
            SPREAD,
            scale=_divide_by(lambda q, k: 2 * q.shape[-1]),
        ),
        Mistake(
            "root-whole",
            "the root of d_k was made a whole number",
            "√3 is 1.73, and 1.73 is what to divide by. Only some d_k (4, 9, 16) have whole roots.",
            SPREAD,
            also=[{"scale": _divide_by(lambda q, k: round(math.sqrt(q.shape[-1])))}],
            scale=_divide_by(lambda q, k: math.isqrt(q.shape[-1])),
        ),
        Mistake(
            "root-2d_k",
            "the scores were divided by √(2 d_k)",
            "A product of two numbers of variance 1 has variance 1, so d_k of them have variance d_k.",
            SPREAD,
            scale=_divide_by(lambda q, k: np.sqrt(2 * q.shape[-1])),
        ),
        Mistake(
            "logarithm",
            "the scores were divided by the logarithm of d_k",
            "The spread of a sum of d_k terms is √d_k.",
            SPREAD,
            scale=_divide_by(lambda q, k: np.log(q.shape[-1])),
        ),
        Mistake(
            "root-taken-of-scores",
            "the root was taken of the scores, not of d_k",
            "Only the divisor is a root: score / √d_k.",
            SPREAD,
            also=[{"scale": lambda s, q, k: np.sqrt(s)}, {"scale": lambda s, q, k: np.sqrt(s) / q.shape[-1]}],
            scale=lambda s, q, k: np.sqrt(s / q.shape[-1]),
        ),
        Mistake(
            "subtracted",
            "√d_k was subtracted",
            "Subtracting moves all scores and leaves their spread as it is. Divide.",
            SPREAD,
            scale=lambda s, q, k: s - np.sqrt(q.shape[-1]),
        ),
        Mistake(
            "measured-spread",
            "the scores were divided by their own measured spread",
            "Then every score depends on all other tokens of the text. √d_k is known beforehand.",
            SPREAD,
            also=[
                {"scale": lambda s, q, k: s / s.std(axis=-1, keepdims=True)},
                {"scale": lambda s, q, k: s / s.std(axis=(-2, -1), keepdims=True)},
                {"scale": lambda s, q, k: (s - s.mean()) / s.std()},
                {"scale": lambda s, q, k: (s - s.mean(-1, keepdims=True)) / s.std(-1, keepdims=True)},
            ],
            scale=lambda s, q, k: s / s.std(),
        ),
        Mistake(
            "largest-score",
            "the scores were divided by the largest of them",
            "Then every score depends on all other tokens of the text. √d_k is known beforehand.",
            SPREAD,
            also=[
                {"scale": lambda s, q, k: s / s.max(axis=-1, keepdims=True)},
                {"scale": lambda s, q, k: s / np.abs(s).max()},
            ],
            scale=lambda s, q, k: s / s.max(),
        ),
    )


def _in_place(scores: Array, queries: Array, keys: Array) -> Array:
    scores = scores.astype(
        np.result_type(queries, keys)
    )  # what queries @ keys gives: whole numbers stay whole
    scores /= math.sqrt(queries.shape[-1])
    return scores


WHOLE_NUMBERS_KEPT = Mistake(
    "whole-numbers-kept",
    "the results were written into an array of whole numbers, which drops all after the point",
    "`zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.",
    SPREAD,
    also=[{"cast": lambda r, q, k: np.floor(r) if q.dtype.kind == "i" else r}],
    cast=whole_numbers_kept,
)
IN_PLACE = Mistake(
    "divided-in-place",
    "an array of whole numbers was divided in place",
    "`x /= y` writes the fractions into x itself, and an array of whole numbers cannot hold them. `x / y` "
    "makes a new array.",
    SPREAD,
    scale=_in_place,
)
FLOORED = Mistake(
    "floored",
    "the results were rounded down to whole numbers",
    "`//` drops what stands after the point; `/` keeps it.",
    SPREAD,
    after=lambda result, queries, keys: np.floor(result),
)

SIGN_LOST = Mistake(
    "sign-lost",
    "the signs were lost",
    "A negative score says that two vectors point apart.",
    SPREAD,
    after=lambda result, queries, keys: np.abs(result),
)

SCALED_SCORES = Write(
    name="scaled-scores",
    task="From queries and keys to scaled scores.",
    call="my_scaled_scores(queries, keys)",
    right=scaled_scores,
    recipe=_scaled_by_choices,
    probes=pair_probes(),
    axes=("query", "key"),
    mistakes=(
        *scale_mistakes(),
        *match_mistakes(D_K_TOO),
        Mistake(
            "weights-returned",
            "softmax was applied as well",
            "The task ends at the scaled scores; softmax makes weights of them afterwards.",
            LARGE,
            also=[{"after": lambda s, q, k: _naive_weights(s)}],
            after=lambda scores, queries, keys: softmax(scores),
        ),
        WHOLE_NUMBERS_KEPT,
        IN_PLACE,
        FLOORED,
        SIGN_LOST,
    ),
    hints=(
        "Two steps: the scores of lesson 01, then the division that brings their spread to 1.",
        "The scores: queries @ the keys with their last two axes exchanged.",
        "d_k is the length of the last axis of the queries. Divide by its square root.",
    ),
    explain="Score, then scale. Dividing queries and keys by d_k to the power ¼ each gives the same.",
    reread=LARGE,
)


def _naive_weights(scores: Array) -> Array:
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


# --- scale-bug ---------------------------------------------------------------------------------------

SCALE_BUG = Mend(
    name="scale-bug",
    task="A scale that follows the length of the text.",
    given="root-n_keys",
    symptom="add a seventh key to six, and all the old scores get smaller, though no query and none of "
    "the six keys "
    "has changed.",
    call="my_scaling(queries, keys)",
    right=scaled_scores,
    recipe=_scaled_by_choices,
    probes=SCALED_SCORES.probes,
    axes=("query", "key"),
    mistakes=SCALED_SCORES.mistakes,
    hints=(
        "Which axis of scores is scores.shape[-1]? How many terms were summed to make one score?",
        "The scores no longer have an axis of length d_k. Who still has one?",
        "queries.shape[-1] is d_k.",
    ),
    explain="One score is a sum of d_k terms, and d_k is the last axis of queries (and of keys), not of "
    "scores.",
    reread=SPREAD,
)

# --- order-bug ---------------------------------------------------------------------------------------


def scaled_weights(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> weights (..., n_queries, n_keys)."""
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]))


def _weights_by_choices(
    queries: Array, keys: Array, *, match: Step = dot_product_scores, scale: Step = _by_root_d_k,
    share: Step = softmax, after: Step = same,
) -> Array:  # fmt: skip
    return after(share(scale(match(queries, keys), queries, keys)), queries, keys)


def rows_sum_to_1(inputs: Any, weights: Array, _call: Any) -> str:
    """A sentence where some row of weights does not sum to 1, else ""."""
    sums = weights.astype(float).sum(axis=-1).ravel()
    near = 4e-3 if weights.dtype == np.float16 else 1e-4
    if weights.ndim == 0 or np.allclose(sums, 1, atol=near):
        return ""
    digits = 2 if abs(sums - 1).max() > 0.01 else 4
    shown = ", ".join(f"{total:.{digits}f}" for total in sums[:4])
    return f"Rows of weights sum to {shown}; each query should spend exactly 1."


def none_below_0(inputs: Any, weights: Array, _call: Any) -> str:
    """A sentence where some weight is negative, else ""."""
    lowest = float(np.nanmin(weights)) if weights.size else 0.0
    return "" if not lowest < -1e-9 else f"One weight is {lowest:.2f}; a share is 0 or more."


ROWS_SUM_TO_1 = Property("rows sum to 1", "each row sums to 1", rows_sum_to_1)
NONE_BELOW_0 = Property("no negative weight", "no weight is negative", none_below_0)

ORDER_BUG = Mend(
    name="order-bug",
    task="Weights whose rows sum to 0.5.",
    given="scaled-after-softmax",
    symptom="for d_k 4 each row of weights sums to 0.5. Which step comes last, and what does it do to a "
    "row that sums to 1?",
    call="my_weights(queries, keys)",
    right=scaled_weights,
    recipe=_weights_by_choices,
    probes=tuple(probe for probe in pair_probes()),
    properties=(ROWS_SUM_TO_1, NONE_BELOW_0),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "scaled-after-softmax",
            "the weights were divided by √d_k, after softmax",
            "The scale belongs before softmax: it tames the scores, and softmax then makes shares of them.",
            LARGE,
            scale=same,
            after=lambda weights, queries, keys: weights / np.sqrt(queries.shape[-1]),
        ),
        Mistake(
            "scaled-twice",
            "the weights were divided by √d_k once more, after softmax",
            "One scale is enough, and it belongs before softmax: after it, rows no longer sum to 1.",
            LARGE,
            after=lambda weights, queries, keys: weights / np.sqrt(queries.shape[-1]),
        ),
        Mistake(
            "multiplied-after-softmax",
            "the weights were multiplied by √d_k, after softmax",
            "The scale belongs before softmax, and it divides: after it, rows no longer sum to 1.",
            LARGE,
            scale=same,
            after=lambda weights, queries, keys: weights * np.sqrt(queries.shape[-1]),
        ),
        Mistake(
            "never-scaled",
            "these are the weights of scores that were not scaled",
            "Only what divides the scores before softmax tames them. A division afterwards spoils the "
            "sums, and dividing by the new sums takes it back.",
            LARGE,
            scale=same,
        ),
        Mistake(
            "balanced-by-hand",
            "softmax got unscaled scores, and after it 2 is multiplied in against √d_k",
            "2 is √d_k for d_k 4 only. Divide the scores before softmax, and nothing is left to balance.",
            LARGE,
            scale=same,
            after=lambda weights, queries, keys: weights / np.sqrt(queries.shape[-1]) * 2,
        ),
        Mistake(
            "sign-turned",
            "the scores went into softmax with a minus sign",
            "Then the key that fits least gets the most weight.",
            LARGE,
            also=[{"scale": lambda s, q, k: -s}],
            scale=lambda s, q, k: -s / np.sqrt(q.shape[-1]),
        ),
        Mistake(
            "one-key-takes-all",
            "the key with the largest score got all the weight",
            "Softmax gives every key a share.",
            LARGE,
            share=lambda scores: np.eye(scores.shape[-1])[scores.argmax(axis=-1)],
        ),
        Mistake(
            "equal-weights",
            "every key got the same weight",
            "The scores should decide: softmax turns them into shares.",
            LARGE,
            share=lambda scores: np.full(scores.shape, 1 / scores.shape[-1]),
        ),
        Mistake(
            "rounded",
            "the weights were rounded",
            "Rounding is for showing numbers: rounded rows no longer sum to 1.",
            LARGE,
            also=[{"after": rounded_to(digits)} for digits in (3, 1)],
            after=rounded_to(2),
        ),
        Mistake(
            "keepdims",
            "the row sums lost their axis before the division",
            "NumPy then sets them along the wrong axis, or stops. Sum with keepdims=True.",
            PAIRS,
            also=[{"share": lambda scores: np.exp(scores - scores.max(-1)) / np.exp(scores).sum(-1)}],
            share=lambda scores: np.exp(scores) / np.exp(scores).sum(axis=-1),
        ),
        Mistake(
            "no-exponential",
            "the scores themselves were divided by their sum",
            "Scores may be negative, and so would the shares be. Softmax takes the exponential first.",
            LARGE,
            share=lambda scores: scores / scores.sum(axis=-1, keepdims=True),
        ),
        *(
            m for m in scale_mistakes() if m.name not in ("subtracted", "never-scaled")
        ),  # softmax undoes a shift
        *match_mistakes(D_K_TOO),
        Mistake(
            "softmax-over-queries",
            "softmax ran over the queries",
            "Each query spreads 1 over the keys: the last axis.",
            PAIRS,
            share=lambda scores: softmax(scores, axis=-2),
        ),
        Mistake(
            "softmax-over-everything",
            "softmax ran over all scores together",
            "Each query spreads 1 of its own over the keys.",
            PAIRS,
            share=lambda scores: softmax(np.ravel(scores)).reshape(scores.shape),
        ),
        Mistake(
            "softmax-axis-0",
            "softmax ran over the first axis",
            "Each query spreads 1 over the keys: the last axis, −1.",
            PAIRS,
            share=lambda scores: softmax(scores, axis=0),
        ),
        Mistake(
            "softmax-axis-1",
            "softmax ran over axis 1, which holds the keys for one sentence only",
            "Each query spreads 1 over the keys: counted from the end, that is always axis −1.",
            PAIRS,
            share=lambda scores: softmax(scores, axis=1),
        ),
        Mistake(
            "softmax-twice",
            "softmax was applied twice",
            "Once is enough: weights are no scores, and a second softmax makes them nearly equal.",
            LARGE,
            also=[
                {"scale": lambda s, q, k: softmax(s) / np.sqrt(q.shape[-1])},
                {"scale": lambda s, q, k: softmax(s)},
            ],
            share=lambda scores: softmax(softmax(scores)),
        ),
        Mistake(
            "no-softmax",
            "softmax was left out",
            "The task asks for weights: softmax makes them from the scaled scores.",
            LARGE,
            share=same,
        ),
    ),
    hints=(
        "A row that sums to 1 is divided by 2. What is its sum then?",
        "Scaling should change how far the scores lie apart. Which array should be divided?",
        "Divide the scores, before softmax sees them.",
    ),
    explain="Score, scale, softmax, in this order: softmax comes last, so that the rows sum to 1.",
    reread=LARGE,
)

# --- why-not-d ---------------------------------------------------------------------------------------

WHY_NOT_D = Choose(
    name="why-not-d",
    task="Why √d_k and not d_k?",
    answer="b",
    options={
        "a": "A division by d_k costs as much as one by √d_k: either is one number, known beforehand. "
        "What does each do "
        "to the spread √d_k?",
        "b": "Dividing numbers by c divides their spread by c: √d_k / d_k = 1/√d_k, which is 1/32 for "
        "d_k 1024. "
        "Then no key stands out. Divided by √d_k, the spread is 1 for every d_k.",
        "c": "It is the other way round: dividing by the larger number makes scores smaller, and small "
        "scores make "
        "weights equal. The largest weight comes close to 1 where nothing is divided.",
        "d": "Softmax looks at the differences of scores. Dividing makes these differences smaller, so "
        "that the weights "
        "change; only adding a number to all scores leaves them as they are.",
    },
    hints=(
        "The spread of the scores is √d_k. What is left of it after dividing by d_k?",
        "Put in d_k 1024: the spread is 32 before, and then 32/1024.",
    ),
    reread=LARGE,
)

# --- unit-spread -------------------------------------------------------------------------------------


def unit_spread(scores: Array, d_k: int, sigma: float) -> Array:
    """(n_queries, n_keys), d_k, sigma -> (n_queries, n_keys), of spread 1."""
    return scale_scores(scores, d_k) / sigma**2


def _unit_spread_by_choices(
    scores: Array, d_k: int, sigma: float, *, width: Callable[[int], float] = math.sqrt,
    deviation: Callable[[float], float] = lambda sigma: sigma**2, apply: Step = np.divide,
) -> Array:  # fmt: skip
    return apply(scores, width(d_k) * deviation(sigma))


def _spread_is_1(inputs: Any, scaled: Array, _call: Any) -> str:
    usual = inputs["sigma"] ** 2 * math.sqrt(inputs["d_k"])
    chance = float(np.std(inputs["scores"])) / usual  # 1, but for the scores that spread wider by chance
    spread = float(np.std(scaled.astype(float)))
    if abs(spread / chance - 1) <= 0.02:
        return ""
    case = f"For d_k {inputs['d_k']} and sigma {inputs['sigma']:g}"
    if abs(chance - 1) <= 0.02:
        return f"{case} the spread after your function is {spread:.3g}, not 1."
    return (
        f"These few scores spread {chance:.3g} times as much as scores do for d_k {inputs['d_k']} and sigma "
        f"{inputs['sigma']:g}. Divided as such scores should be, their spread is {chance:.3g}; "
        f"yours is {spread:.3g}."
    )


def _not_shifted(inputs: Any, scaled: Array, _call: Any) -> str:
    scores = inputs["scores"]
    slope = np.std(scaled.astype(float)) / np.std(scores)
    shift = float(np.mean(scaled.astype(float)) - slope * np.mean(scores))
    if abs(shift) <= 0.01:
        return ""
    return f"Dividing alone is asked: your scores were moved as well, by about {shift:.3g}."


def _order_kept(inputs: Any, scaled: Array, _call: Any) -> str:
    together = np.corrcoef(np.ravel(inputs["scores"]), np.ravel(scaled.astype(float)))[0, 1]
    return "" if together > 0.9999 else "The scores should keep their order and their relative distances."


def _scores_of(
    d_k: int, sigma: float, *shape: int, wider: float = 1.0, higher: float = 0.0
) -> dict[str, Any]:
    """Scores whose spread is exactly what entries of standard deviation sigma give: sigma² √d_k.

    `wider` and `higher`: as a few scores may come out by chance, spread and mean.
    """
    standard = numbers(*shape, start=d_k)
    standard = (standard - standard.mean()) / standard.std() * wider + higher
    return {"scores": standard * sigma**2 * math.sqrt(d_k), "d_k": d_k, "sigma": sigma}


def _measured(axis: int | tuple[int, ...] | None, *, centred: bool = False, ddof: int = 0) -> Step:
    def apply(scores: Array, _divisor: float) -> Array:
        middle = scores.mean(axis=axis, keepdims=True) if centred else 0.0
        return (scores - middle) / scores.std(axis=axis, keepdims=True, ddof=ddof)

    return apply


ONE_SIGMA = "A score is a sum of products q·k: sigma comes once from the query and once from the key."

UNIT_SPREAD = OpenFunction(
    name="unit-spread",
    task="Spread 1 for entries of standard deviation sigma.",
    call="my_unit_spread(scores, d_k, sigma)",
    right=unit_spread,
    recipe=_unit_spread_by_choices,
    probes=(
        Probe("few scores", _scores_of(9, 2.0, 2, 3)),
        Probe("narrow vectors", _scores_of(4, 3.0, 11, 13)),
        Probe("wide vectors", _scores_of(256, 0.5, 17, 19)),
        Probe("small entries", _scores_of(64, 0.02, 23, 29)),
        Probe("scores that spread wider by chance", _scores_of(16, 1.5, 5, 7, wider=1.3, higher=0.4)),
    ),
    properties=(
        Property("spread 1", "the spread is 1 for every d_k and sigma tried", _spread_is_1),
        Property("not shifted", "0 stays 0", _not_shifted),
        Property("order kept", "the scores keep their relative distances", _order_kept),
    ),
    axes=("query", "key"),
    mistakes=(
        Mistake("sigma-ignored", "sigma was left out", ONE_SIGMA, SPREAD, deviation=lambda sigma: 1.0),
        Mistake(
            "sigma-once",
            "sigma was divided by once",
            ONE_SIGMA + " So divide by it twice. A root over sigma**2 takes it back to sigma.",
            SPREAD,
            deviation=lambda sigma: sigma,
        ),
        Mistake("sigma-root", "the root of sigma was taken", ONE_SIGMA, SPREAD, deviation=math.sqrt),
        Mistake(
            "variance-of-product",
            "sigma was divided by four times over",
            "sigma⁴ is the variance of one product; the spread is the root of the variance.",
            SPREAD,
            deviation=lambda sigma: sigma**4,
        ),
        Mistake(
            "sigma-multiplied",
            "sigma² was multiplied in",
            "Larger entries make larger scores: divide. a / b * c divides by b and multiplies by c; brackets "
            "around b * c divide by both.",
            SPREAD,
            deviation=lambda sigma: sigma**-2,
        ),
        Mistake(
            "sigma-multiplied-once",
            "sigma was multiplied in",
            "a / b * c divides by b and multiplies by c; brackets around b * c divide by both. And sigma "
            "comes twice: once from the query, once from the key.",
            SPREAD,
            deviation=lambda sigma: 1 / sigma,
        ),
        Mistake(
            "d_k-ignored",
            "d_k was left out",
            "A sum of d_k terms spreads like √d_k.",
            SPREAD,
            width=lambda d_k: 1.0,
        ),
        Mistake(
            "d_k-not-rooted",
            "d_k was divided by, not √d_k",
            "The variance grows with d_k, the spread with √d_k.",
            SPREAD,
            width=float,
        ),
        Mistake(
            "d_k-squared",
            "d_k squared was divided by, not √d_k",
            "The variance grows with d_k, the spread with its square root.",
            SPREAD,
            width=lambda d_k: float(d_k**2),
        ),
        Mistake(
            "never-scaled",
            "nothing was divided by",
            "The spread of the scores is sigma² √d_k; divide by it.",
            SPREAD,
            apply=lambda scores, divisor: scores,
        ),
        Mistake(
            "measured-spread",
            "the spread is 1, but by measuring it, not from d_k and sigma",
            "Every score then depends on all the others of its text. sigma² √d_k is known beforehand: divide "
            "by that.",
            SPREAD,
            also=[
                {"apply": _measured(None, centred=True)},
                {"apply": _measured(-1)},
                {"apply": _measured(-1, centred=True)},
                {"apply": _measured(None, ddof=1)},
                {"apply": lambda scores, divisor: scores / math.sqrt((scores**2).mean())},
            ],
            apply=_measured(None),
        ),
        Mistake(
            "power-first",
            "the variance was divided by 2; its root was not taken",
            "In Python x**1/2 is (x**1)/2: the power comes first. Write x**0.5, or np.sqrt(x).",
            SPREAD,
            apply=lambda scores, divisor: scores / divisor**2 / 2,
        ),
        Mistake(
            "sigma-doubled",
            "sigma was added to itself",
            "A product of two entries spreads by sigma times sigma.",
            SPREAD,
            deviation=lambda sigma: 2 * sigma,
        ),
        Mistake(
            "sign-turned",
            "the signs were turned round",
            "Divide by a positive number: the largest score should stay the largest.",
            SPREAD,
            apply=lambda scores, divisor: -scores / divisor,
        ),
        Mistake(
            "sign-lost",
            "the signs were lost",
            "A negative score says that two vectors point apart.",
            SPREAD,
            apply=lambda scores, divisor: np.abs(scores) / divisor,
        ),
        Mistake(
            "multiplied",
            "the scores were multiplied by their spread",
            "Divide by it.",
            SPREAD,
            apply=np.multiply,
        ),
    ),
    hints=(
        "What is the spread of one product q·k, when q and k have standard deviation sigma?",
        "One product spreads by sigma², and a sum of d_k independent products by √d_k times as much.",
        "Divide by sigma² √d_k.",
    ),
    explain="A product of two entries spreads by sigma · sigma, the sum of d_k of them by √d_k times that.",
    reread=SPREAD,
)

EXERCISES = (PREDICT_SPREAD, SPREAD_TABLE, SCALED_SCORES, SCALE_BUG, ORDER_BUG, WHY_NOT_D, UNIT_SPREAD)

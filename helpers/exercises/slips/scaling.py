"""Mistakes in scaling the scores: which root, which size, before or after softmax."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.kinds.write import Property
from helpers.exercises.slips.matching import same
from helpers.validation import Array

SPREAD = "02: How far scores spread"
LARGE = "02: What large scores do"
Step = Callable[..., Any]


def _divide_by(size: Callable[[Array, Array], Any]) -> Step:
    return lambda scores, queries, keys: scores / size(queries, keys)


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

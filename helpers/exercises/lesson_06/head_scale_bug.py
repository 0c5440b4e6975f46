"""head-scale-bug, lesson 06: scaled scores of every head; the given function makes them too small."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_06.shared import (
    KEYS_REVERSED,
    LARGE,
    ONE_HEAD,
    SPLITTING,
    Step,
    by_root_d_head,
    divide_by,
    factor_off,
    head_scale_mistakes,
    only,
    split_mistakes,
    whole_width,
)
from helpers.exercises.slips.matching import match_mistakes, same
from helpers.multi_head import split_heads
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array


def head_scores(queries: Array, keys: Array, n_heads: int) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_model), n_heads -> (..., n_heads, n_queries, n_keys)."""
    queries, keys = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return scale_scores(dot_product_scores(queries, keys), queries.shape[-1])


def _head_scores_by_choices(
    queries: Array, keys: Array, n_heads: int, *, split: Step = split_heads,
    match: Step = dot_product_scores, scale: Step = by_root_d_head, after: Step = same,
) -> Array:  # fmt: skip
    of_heads, keys_of_heads = split(queries, n_heads), split(keys, n_heads)
    scores = match(of_heads, keys_of_heads)
    return after(scale(scores, of_heads, keys_of_heads, queries, n_heads), queries, keys)


def _two_heads_probe(
    kind: str, *stack: int, d_head: int, n_heads: int, n: tuple[int, int] = (5, 7), start: int = 1,
    dtype: type = np.float64,
) -> Probe:  # fmt: skip
    d_model = d_head * n_heads
    queries = numbers(*stack, n[0], d_model, start=start, dtype=dtype)
    keys = numbers(*stack, n[1], d_model, start=start + 1000, dtype=dtype)
    return Probe(kind, {"queries": queries, "keys": keys, "n_heads": n_heads})


def _heads_apart(inputs: Any, scores: Array, call: Any) -> str:
    queries, keys, n_heads = inputs["queries"], inputs["keys"], inputs["n_heads"]
    changed = queries.copy()
    changed[..., queries.shape[-1] // n_heads :] += 1
    again = call(changed, keys, n_heads)
    if scores.ndim < 3 or again is None or again.shape != scores.shape:
        return ""
    one, other = scores[..., 0, :, :].astype(float), again[..., 0, :, :].astype(float)
    if np.allclose(one, other, atol=1e-3):
        return ""
    return "Head 0 should look at the first d_head columns only; changing the others moves its scores."


def _not_rounded(_inputs: Any, scores: Array, _call: Any) -> str:
    if np.unique(scores).size < 3 or not (scores == np.round(scores)).all():
        return ""
    return "All your scores are whole numbers: `//` rounds down what it divides. A score is divided by `/`."


OFF_BY_SCALE = factor_off(head_scores, "score", ": the matching is right, the scale is not")


def bug(queries: Array, keys: Array, n_heads: int) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_model), n_heads -> scores, wrong: scaled by √d_model."""
    queries_of_heads = split_heads(queries, n_heads)
    keys_of_heads = split_heads(keys, n_heads)
    scores = queries_of_heads @ np.swapaxes(keys_of_heads, -1, -2)
    return scores / np.sqrt(queries.shape[-1])


def my_head_scores(queries: Array, keys: Array, n_heads: int) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_model), n_heads -> (..., n_heads, n_queries, n_keys)."""
    queries_of_heads = split_heads(queries, n_heads)
    keys_of_heads = split_heads(keys, n_heads)
    scores = queries_of_heads @ np.swapaxes(keys_of_heads, -1, -2)
    return scores / np.sqrt(queries_of_heads.shape[-1])


EXERCISE = Mend(
    name="head-scale-bug",
    answer=my_head_scores,
    bug=bug,
    task="Scaled scores of every head; the given function makes them too small.",
    given="root-d_model",
    symptom="with 1 head the scores are right; with 4 heads each is half as large as it should be. How many "
    "products are added up in one score of one head?",
    call="my_head_scores(queries, keys, n_heads)",
    right=head_scores,
    recipe=_head_scores_by_choices,
    probes=(
        _two_heads_probe("one sentence, 2 heads of 4 columns", d_head=4, n_heads=2, n=(3, 5)),
        _two_heads_probe("one sentence, 4 heads of 3 columns", d_head=3, n_heads=4, n=(5, 7), start=200),
        _two_heads_probe("one sentence, 3 heads of 5 columns", d_head=5, n_heads=3, n=(4, 6), start=350),
        _two_heads_probe("float32, 2 heads of 9 columns", d_head=9, n_heads=2, start=500, dtype=np.float32),
        _two_heads_probe("a batch of 2 sentences", 2, d_head=4, n_heads=3, start=700),
        _two_heads_probe("2 texts of 3 sentences", 2, 3, d_head=2, n_heads=4, start=1200),
    ),
    properties=(
        Property("one factor", "no score is too large or too small", OFF_BY_SCALE),
        Property("heads apart", "each head looks at columns of its own", _heads_apart),
        Property("not rounded", "no score is rounded", _not_rounded),
    ),
    axes=("head", "query", "key"),
    two_stacked=("text", "sentence"),
    mistakes=(
        *head_scale_mistakes(),
        *only(
            split_mistakes(),
            ("one-reshape", "interleaved", "not-swapped", "counts-swapped"),
        ),
        Mistake(
            "whole-width",
            "every head got all the columns",
            "The heads share the width: each gets d_head = d_model // n_heads columns of queries and keys.",
            SPLITTING,
            also=[
                {
                    "split": whole_width,
                    "scale": divide_by(lambda q, k, rows, h: np.sqrt(rows.shape[-1] // h)),
                }
            ],
            split=whole_width,
        ),
        *only(match_mistakes(), ("swapped", "queries-twice", "keys-twice", "cosine", "not-transposed")),
        KEYS_REVERSED,
        Mistake(
            "heads-crossed",
            "every head was scored against every other head",
            "np.dot, np.inner and np.tensordot pair all the leading axes with one another; @ keeps each head "
            "to itself.",
            SPLITTING,
            match=lambda queries, keys: np.dot(queries, np.swapaxes(keys, -1, -2)),
        ),
        Mistake(
            "weights-returned",
            "softmax was applied as well",
            "The task ends at the scaled scores; softmax makes weights of them afterwards.",
            LARGE,
            after=lambda scores, *_: softmax(scores),
        ),
        Mistake(
            "heads-averaged",
            "the scores of all heads were averaged",
            "Each head keeps a table of its own, and looks in its own way.",
            ONE_HEAD,
            after=lambda scores, *_: scores.mean(axis=-3),
        ),
        Mistake(
            "one-table",
            "there is one table for all heads: queries and keys were not split, or the heads' scores were "
            "added up, which is the same",
            "Each head compares columns of its own, and keeps a table of its own: (..., n_heads, n_queries, "
            "n_keys). Split both before the product.",
            SPLITTING,
            also=[{"split": lambda rows, n_heads: rows}],
            after=lambda scores, *_: scores.sum(axis=-3),
        ),
    ),
    hints=(
        "How many entries have the vectors that one head compares?",
        "queries.shape[-1] is the width before the split. Who has the width after it?",
        "queries_of_heads.shape[-1] is d_head.",
    ),
    explain="A score of one head is a sum of d_head products, so its spread is √d_head. √d_model is right "
    "for one head only.",
    reread=SPLITTING,
)

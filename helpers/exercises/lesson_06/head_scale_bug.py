"""head-scale-bug, lesson 06: scaled scores of every head; the given function makes them too small."""

import math  # noqa: F401 (an edit names it)
from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, example, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property, alike
from helpers.exercises.lesson_06.shared import (  # noqa: F401 (edits name some of them)
    D_HEAD,
    KEYS_REVERSED,
    LARGE,
    ONE_HEAD,
    SCALE_MISTAKES_OF_HEADS,
    SPLITTING,
    factor_off,
    in_runs,
    interleaved,
    one_reshape,
    whole_width,
)
from helpers.exercises.lesson_06.split_heads import MISTAKES as SPLIT_MISTAKES
from helpers.exercises.slips.matching import match_mistakes
from helpers.multi_head import split_heads
from helpers.scaling import scale_scores
from helpers.similarity import cosine_scores, dot_product_scores  # noqa: F401 (an edit names the first)
from helpers.softmax import softmax  # noqa: F401 (an edit names it)
from helpers.validation import Array


def head_scores(queries: Array, keys: Array, n_heads: int) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_model), n_heads -> (..., n_heads, n_queries, n_keys)."""
    queries, keys = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return scale_scores(dot_product_scores(queries, keys), queries.shape[-1])


def _two_heads_probe(
    kind: str, *stack: int, d_head: int, n_heads: int, n: tuple[int, int] = (5, 7), start: int = 1,
    dtype: type = np.float64, hard: bool = False,
) -> Probe:  # fmt: skip
    d_model = d_head * n_heads
    queries = numbers(*stack, n[0], d_model, start=start, dtype=dtype)
    keys = numbers(*stack, n[1], d_model, start=start + 1000, dtype=dtype)
    return Probe(kind, {"queries": queries, "keys": keys, "n_heads": n_heads}, hard)


def _heads_apart(inputs: Any, scores: Array, call: Any) -> str:
    queries, keys, n_heads = inputs["queries"], inputs["keys"], inputs["n_heads"]
    changed = queries.copy()
    changed[..., queries.shape[-1] // n_heads :] += 1
    again = call(changed, keys, n_heads)
    if scores.ndim < 3 or not alike(again, scores):
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


def my_head_scores(queries: Array, keys: Array, n_heads: int) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_model), n_heads -> (..., n_heads, n_queries, n_keys)."""
    queries_of_heads = split_heads(queries, n_heads)
    keys_of_heads = split_heads(keys, n_heads)
    scores = queries_of_heads @ np.swapaxes(keys_of_heads, -1, -2)
    return scores / np.sqrt(queries_of_heads.shape[-1])


EDITS = Edits(my_head_scores, {
    "first": "split_heads(queries, n_heads)", "second": "split_heads(keys, n_heads)",
    "of_queries": "split_heads in first", "of_keys": "split_heads in second", "split": "of_queries + of_keys",
    "matched": "queries_of_heads @ np.swapaxes(keys_of_heads, -1, -2)",
    "scaled": "scores / np.sqrt(queries_of_heads.shape[-1])",
})  # fmt: skip
SECTIONS = {"large": LARGE, "one": ONE_HEAD}
WORDS = {
    "d_head": D_HEAD,
    "last": "It is the last axis of the queries after the split: shape[-1].",
    "count": "How many heads there are makes no difference to a score.",
    "added": "you added up the heads' scores, which comes to the same",
}
TOLD = (*SCALE_MISTAKES_OF_HEADS, *SPLIT_MISTAKES, *match_mistakes(), KEYS_REVERSED)
MISTAKES = EDITS.mistakes(
    """
root-d_model
    the scores are divided by the root of the whole width, √d_model
    {d_head}
    | scaled => scores / np.sqrt(queries.shape[-1])

d_model
    you divided the scores by the whole width, d_model
    {d_head}
    | scaled => scores / queries.shape[-1]

root-before-heads
    you divided the scores by √d_model / n_heads, which is √(d_head / n_heads)
    Take the root of d_head, which is d_model / n_heads: divide first, once, and then take the root.
    | scaled => scores / (np.sqrt(queries.shape[-1]) / n_heads)

root-n_heads
    you divided the scores by √n_heads
    {d_head} {count}
    | scaled => scores / np.sqrt(n_heads)

n_heads
    you divided the scores by the number of heads
    {d_head} {count}
    | scaled => scores / n_heads

root-d_model-n_heads
    you divided the scores by √(d_model · n_heads)
    {d_head} d_head is d_model divided by n_heads.
    | scaled => scores / np.sqrt(queries.shape[-1] * n_heads)

root-d_model-too
    you still divide by √d_model, as well as by √d_head
    {d_head} √d_head is right; drop √d_model.
    | scaled => scores / np.sqrt(queries.shape[-1] * queries_of_heads.shape[-1])

root-n_queries
    you divided the scores by √n_queries
    {d_head} After the split the axes are (..., n_heads, n, d_head): d_head is shape[-1].
    | scaled => scores / np.sqrt(queries_of_heads.shape[-2])

root-axis-2
    you read the scale from axis 2 of the heads, which is d_head for one sentence only
    {d_head} Counted from the end it is always axis −1.
    | scaled => scores / np.sqrt(queries_of_heads.shape[2])

root-axis-1
    you read the scale from axis 1 of the queries (before the split, or after it)
    {d_head} {last}
    | scaled => scores / np.sqrt(queries.shape[1])
    | scaled => scores / np.sqrt(queries_of_heads.shape[1])

root-first-axis
    you read the scale from the first axis (`len` or `shape[0]`)
    {d_head} {last}
    | scaled => scores / np.sqrt(len(queries_of_heads))
    | scaled => scores / np.sqrt(len(queries))

multiplied-by-root-d_model
    you multiplied the scores by √d_model
    That spreads them further. Divide. {d_head}
    | scaled => scores * np.sqrt(queries.shape[-1])

root-axis-1-by-heads
    you computed d_head from axis 1 of the queries, which is d_model for one sentence only
    {d_head} Counted from the end, d_model is always axis −1.
    | scaled => scores / np.sqrt(queries.shape[1] / n_heads)
    | scaled => scores / np.sqrt(queries.shape[1] // n_heads)

never-scaled
    | scaled => scores

divided-by-d_k
    | scaled => scores / queries_of_heads.shape[-1]

multiplied
    | scaled => scores * np.sqrt(queries_of_heads.shape[-1])

multiplied-by-d_k
    | scaled => scores * queries_of_heads.shape[-1]

root-n_keys
    | scaled => scores / np.sqrt(keys_of_heads.shape[-2])

n_keys
    | scaled => scores / keys_of_heads.shape[-2]

fourth-root
    | scaled => scores / queries_of_heads.shape[-1] ** 0.25

half-d_k
    | scaled => scores / (queries_of_heads.shape[-1] / 2)

power-first
    | scaled => scores / (2 * queries_of_heads.shape[-1])

root-whole
    | scaled => scores / math.isqrt(queries_of_heads.shape[-1])
    | scaled => scores / round(math.sqrt(queries_of_heads.shape[-1]))

root-2d_k
    | scaled => scores / np.sqrt(2 * queries_of_heads.shape[-1])

d_k-squared
    | scaled => scores / queries_of_heads.shape[-1] ** 2

subtracted
    | scaled => scores - np.sqrt(queries_of_heads.shape[-1])

always-2
    | scaled => scores / 2

always-4
    | scaled => scores / 4

logarithm
    | scaled => scores / np.log(queries_of_heads.shape[-1])

one-reshape
    | split => one_reshape
    | split => lambda rows, h: rows.reshape(*rows.shape[:-2], h, rows.shape[-2], -1)
    | split => lambda rows, h: rows.reshape(h, -1, rows.shape[-1] // h)
    | split => lambda rows, h: rows.reshape(h, len(rows), -1)
    | split => lambda rows, h: rows.reshape(h, rows.shape[-2], -1)

interleaved
    | split => interleaved

not-swapped
    | split => in_runs
    | split => lambda rows, h: np.stack(np.split(rows, h, axis=-1), axis=-2)
    | split => in_runs; matched => dot_product_scores(queries_of_heads, keys_of_heads)

counts-swapped
    | split => lambda rows, h: split_heads(rows, rows.shape[-1] // h)

whole-width
    every head got all the columns
    The heads share the width: each gets d_head = d_model // n_heads columns of queries and keys.
    | split => whole_width
    | split => whole_width; scaled => scores / np.sqrt(queries.shape[-1] // n_heads)

swapped
    | matched => keys_of_heads @ np.swapaxes(queries_of_heads, -1, -2)

queries-twice
    | matched => queries_of_heads @ np.swapaxes(queries_of_heads, -1, -2)

keys-twice
    | matched => keys_of_heads @ np.swapaxes(keys_of_heads, -1, -2)

cosine
    | matched => cosine_scores(queries_of_heads, keys_of_heads)

not-transposed
    | matched => queries_of_heads @ keys_of_heads
    | matched => np.dot(queries_of_heads, keys_of_heads)

all-axes-reversed
    | matched => queries_of_heads @ keys_of_heads.T

heads-crossed
    you scored every head against every other head
    np.dot, np.inner and np.tensordot pair all the leading axes with one another; @ keeps each head to
    itself.
    | matched => np.dot(queries_of_heads, np.swapaxes(keys_of_heads, -1, -2))

weights-returned § large
    you applied softmax as well
    The task ends at the scaled scores; softmax makes weights of them afterwards.
    | result => softmax(it)

heads-averaged § one
    you averaged the scores of all heads
    Each head keeps a table of its own, and looks in its own way.
    | result => it.mean(axis=-3)

one-table
    there is one table for all heads: you did not split queries and keys, or {added}
    Each head compares columns of its own, and keeps a table of its own: (..., n_heads, n_queries, n_keys).
    Split both before the product.
    | result => it.sum(axis=-3)
    | split => lambda rows, h: rows
""",
    SPLITTING,
    SECTIONS,
    WORDS,
    TOLD,
)

EXERCISE = Mend(
    name="head-scale-bug",
    answer=my_head_scores,
    bug=EDITS.bug("scaled => scores / np.sqrt(queries.shape[-1])"),
    task="Scaled scores of every head; the given function makes them too small.",
    given="root-d_model",
    symptom="with 1 head the scores are right; with 4 heads each is half as large as it should be. How many "
    "products are added up in one score of one head?",
    call="my_head_scores(queries, keys, n_heads)",
    right=head_scores,
    recipe=EDITS.recipe(),
    probes=(
        _two_heads_probe("one sentence, 2 heads of 4 columns", d_head=4, n_heads=2, n=(3, 5)),
        example(hard=True, queries=np.ones((1, 8)), keys=np.ones((1, 8)), n_heads=2),
        _two_heads_probe("one sentence, 4 heads of 3 columns", d_head=3, n_heads=4, n=(5, 7), start=200),
        _two_heads_probe("one sentence, 3 heads of 5 columns", d_head=5, n_heads=3, n=(4, 6), start=350),
        _two_heads_probe("float32, 2 heads of 9 columns", d_head=9, n_heads=2, start=500, dtype=np.float32),
        _two_heads_probe("a batch of 2 sentences", 2, d_head=4, n_heads=3, start=700),
        _two_heads_probe("2 texts of 3 sentences", 2, 3, d_head=2, n_heads=4, start=1200),
        _two_heads_probe("one head", d_head=3, n_heads=1, n=(2, 4), start=1310, hard=True),
        _two_heads_probe("one query", d_head=3, n_heads=2, n=(1, 4), start=1320, hard=True),
        _two_heads_probe("one key, narrow heads", d_head=1, n_heads=3, n=(4, 1), start=1330, hard=True),
        _two_heads_probe("one column", d_head=1, n_heads=1, n=(2, 3), start=1340, hard=True),
        _two_heads_probe("a batch of one sentence", 1, d_head=4, n_heads=2, n=(2, 3), start=1350, hard=True),
        _two_heads_probe(
            "one text of 3 sentences", 1, 3, d_head=2, n_heads=3, n=(2, 4), start=1360, hard=True
        ),
    ),
    properties=(
        Property("one factor", "no score is too large or too small", OFF_BY_SCALE),
        Property("heads apart", "each head looks at columns of its own", _heads_apart),
        Property("not rounded", "no score is rounded", _not_rounded),
    ),
    axes=("head", "query", "key"),
    two_stacked=("text", "sentence"),
    mistakes=MISTAKES,
    hints=(
        "How many entries do the vectors have that one head compares?",
        "queries.shape[-1] is the width before the split. Which array has the width after it?",
        "queries_of_heads.shape[-1] is d_head.",
    ),
    explain="A score of one head is a sum of d_head products, so its spread is √d_head. √d_model is right "
    "for one head only.",
    reread=SPLITTING,
)

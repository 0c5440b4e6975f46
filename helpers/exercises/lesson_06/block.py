"""The mistakes of multi-head: projections, heads, softmax, merging and W_O, each a choice of one recipe."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.lesson_06 import shared
from helpers.exercises.lesson_06.head_scale_bug import MISTAKES as HEAD_SCALE_MISTAKES
from helpers.exercises.lesson_06.shared import (
    D_HEAD,
    LARGE,
    MERGING,
    ONE_HEAD,
    RUNS,
    SCALE_MISTAKES_OF_HEADS,
    SPLITTING,
    SUM,
    Step,
    as_in_pytorch,
    by_root_d_head,
    only,
)
from helpers.exercises.lesson_06.split_heads import MISTAKES as SPLIT_MISTAKES
from helpers.exercises.slips.matching import same, whole_numbers_kept  # noqa: F401 (in the paragraphs)
from helpers.exercises.slips.projecting import SELF_ATTENTION_MISTAKES
from helpers.exercises.slips.sharing import softmax_by_choices
from helpers.multi_head import Projections, merge_heads, multi_head_attention, split_heads
from helpers.similarity import dot_product_scores
from helpers.validation import Array

PROJECTING = "04: Queries, keys and values"


def multi_head(x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, n_heads: int) -> Array:
    """(..., n, d_model), three (d_model, n_heads·d_head), (n_heads·d_head, d_model) -> (..., n, d_model)."""
    return multi_head_attention(x, Projections(w_q, w_k, w_v, w_o), n_heads)[0]


def _each_its_own(x: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, Array, Array]:
    return x @ w_q, x @ w_k, x @ w_v


def _mixed(weights: Array, values: Array, _queries: Array) -> Array:
    return weights @ values


def _split(rows: Array, n_heads: int, *_others: Any) -> Array:
    return split_heads(rows, n_heads)


def _merge(heads: Array, *_others: Any) -> Array:
    return merge_heads(heads)


def multi_head_by_choices(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, n_heads: int, *, flatten: Step = same,
    project: Step = _each_its_own, split: Step = _split, match: Step = dot_product_scores,
    scale: Step = by_root_d_head, hide: Step = same,
    mix: Step = _mixed, merge: Step = _merge, out: Step = np.matmul, finish: Step = same,
    **of_softmax: Any,
) -> Array:  # fmt: skip
    """`of_softmax`: the choices of lesson 03, as it is."""
    rows = project(flatten(x), w_q, w_k, w_v)
    queries, keys, values = (split(part, n_heads, x) for part in rows)
    scores = scale(match(queries, keys), queries, keys, x, n_heads)
    weights = softmax_by_choices(hide(scores), **of_softmax)
    return finish(out(merge(mix(weights, values, queries), x), w_o), x)


def _narrow(rows: Array, n_heads: int, x: Array) -> Array:
    """Heads as wide as d_model / n_heads says, though the matrices say otherwise."""
    return np.swapaxes(rows.reshape(*rows.shape[:-1], n_heads, x.shape[-1] // n_heads), -3, -2)


def _narrow_slices(rows: Array, n_heads: int, x: Array) -> Array:
    d_head = x.shape[-1] // n_heads
    heads = [rows[..., h * d_head : (h + 1) * d_head] for h in range(n_heads)]
    for head in heads:
        if not head.shape[-1]:
            attention(head, head, head)  # an error of the helper, as in a loop over the heads
    return np.stack(heads, axis=-3)


def _as_many_rows(merged: Array, w_o: Array) -> Array:
    """The merged heads, by as many rows of W_O as they have columns."""
    return merged @ w_o[: merged.shape[-1]]


def _then_projected(rows: Array, n_heads: int, x: Array) -> Array:
    """Heads of x, handed to a matrix with as many rows as x has columns: NumPy's own error; one head fits."""
    if n_heads == 1:
        return split_heads(rows, n_heads)
    return split_heads(x, n_heads) @ np.zeros((x.shape[-1], 1))


def _as_wide_as_x(heads: Array, x: Array) -> Array:
    return np.swapaxes(heads, -3, -2).reshape(*heads.shape[:-3], heads.shape[-2], x.shape[-1])


def _heads_behind(heads: Array, *_others: Any) -> Array:
    """(..., n, n_heads, d_head), never swapped -> (..., n, n_heads·d_head)."""
    return heads.reshape(*heads.shape[:-2], heads.shape[-2] * heads.shape[-1])


def _heads_as_tokens(rows: Array, n_heads: int, *_others: Any) -> Array:
    *stack, n, width = rows.shape
    return rows.reshape(*stack, 1, n * n_heads, width // n_heads)


def _tokens_of_heads(heads: Array, x: Array) -> Array:
    return heads.reshape(*x.shape[:-1], -1)


def _one_by_one(heads: Array, w_o: Array) -> Array:
    """What each head writes by its own rows of W_O: (..., n_heads, n, d_model)."""
    return heads @ w_o.reshape(heads.shape[-3], heads.shape[-1], w_o.shape[-1])


def _projecting(names: Sequence[str]) -> tuple[Mistake, ...]:
    """Mistakes of self-attention, in the ways that change nothing but the projections."""
    found = []
    for m in only(SELF_ATTENTION_MISTAKES, names):
        first, *also = (way for way in m.ways if way.keys() == {"project"})
        found.append(Mistake(m.name, m.says, m.idea, m.reread, also=also, **first))
    return tuple(found)


STEPS = Steps(
    {
        "flatten": "x",
        "project": "x, w_q, w_k, w_v",
        "split": "rows, n_heads, x",
        "match": "queries, keys",
        "scale": "scores, queries, keys, x, n_heads",
        "hide": "scores",
        "mix": "weights, values, queries",
        "merge": "heads, x",
        "out": "merged, w_o",
        "finish": "output, x",
    },
    {**vars(shared), **globals()},
)
SECTIONS = {
    "projecting": PROJECTING,
    "columns": "04: The column convention",
    "sum": SUM,
    "one-head": ONE_HEAD,
    "large": LARGE,
}
WORDS = {
    "runs": RUNS,
    "d_head": D_HEAD,
    "concatenated": "The heads are set side by side, n_heads·d_head numbers in each row, and W_O has a row "
    "for each.",
    "one_head_wide": "W_O, or some columns of it, got rows as wide as one head: the heads were not set side "
    "by side, but summed, averaged, stacked, lost, or taken one at a time",
}
# Which matrix makes what, and how: mostly as in self-attention.
ROLE_MISTAKES = (
    *_projecting(
        (
            "w_q-and-w_k-swapped",
            "w_q-twice",
            "w_k-twice",
            "values-from-w_k",
            "values-from-w_q",
            "keys-from-w_v",
            "w_k-and-w_v-swapped",
        )
    ),
    *STEPS.mistakes(
        """
one-matrix
    one matrix made queries, keys and values
    Each token asks with x @ w_q, answers with x @ w_k and gives x @ w_v: three matrices, three jobs.
    | project => (x @ w_q,) * 3

matrices-transposed
    you transposed a matrix before the product, or put it on the left
    Matrices are (in, out) in this course, and go on the right: x @ w. `nn.Linear` stores them the other
    way round, which is where x @ w.T comes from.
    | project => (x @ w_q.T, x @ w_k.T, x @ w_v.T)
    | project => (np.dot(x, w_q.T), x @ w_k, x @ w_v)
    | out => merged @ w_o.T
    | out => np.dot(merged, w_o.T)

matrix-on-the-left § columns
    a matrix stands on the left of the product, as in the column convention
    A token is a row here, so the matrix goes on the right: x @ w.
    | project => (w_q @ x, w_k @ x, w_v @ x)
    | project => (np.dot(w_q, x), x @ w_k, x @ w_v)
    | project => (w_q.T @ x, x @ w_k, x @ w_v)
    | project => [w.T @ np.swapaxes(x, -1, -2) for w in (w_q, w_k, w_v)]
    | out => w_o @ merged
""",
        PROJECTING,
        SECTIONS,
    ),
)
# From the heads' outputs to the output of all.
MERGE_AND_OUT_MISTAKES = STEPS.mistakes(
    """
one-head-wide
    {one_head_wide}
    {concatenated} If you use a loop, collect the heads in a list and concatenate them after it. Or add up
    what the heads write: head h takes its own *rows* of W_O, all their columns.
    | merge => heads.sum(axis=-3)
    | merge => heads[..., 0, :, :]; out => np.dot(merged, w_o)
    | merge => heads.sum(axis=-3); out => merged @ w_o[:merged.shape[-1]]
    | merge => heads.sum(axis=-3); out => merged @ w_o[:, :merged.shape[-1]]
    | merge => heads
    | merge => heads.mean(axis=-3); out => merged @ w_o[:merged.shape[-1]]
    | merge => heads.mean(axis=-3); out => merged
    | merge => heads.sum(axis=-3); out => merged
    | merge => heads[..., 0, :, :]; out => merged

no-w_o
    the merged heads came back without W_O
    W_O mixes what the heads have found, and brings the rows back to d_model numbers. The last step is
    merged @ w_o.
    | out => merged

w_o-in-each-head § sum
    you applied W_O in each head, and set the results side by side
    Each head has its own rows of W_O, and the output is the sum of what the heads write. In one step:
    merge first, then @ w_o.
    | merge => heads; out => merge_heads(_one_by_one(merged, w_o))

not-added-up § sum
    you did not add up what the heads write: they still have an axis of their own
    The output is the sum over heads. In one step: merge first, then @ w_o.
    | merge => heads; out => _one_by_one(merged, w_o)

heads-averaged § sum
    you averaged what the heads write instead of adding it up
    merged @ w_o is the sum over heads of each head's part; nothing divides it by n_heads.
    | merge => heads; out => _one_by_one(merged, w_o).mean(axis=-3)

one-head-only § sum
    the output holds one head's part only
    merged @ w_o is the sum over all heads of each head's part. In a loop, start from 0 and add.
    | merge => heads; out => _one_by_one(merged, w_o)[..., 0, :, :]
    | merge => heads; out => _one_by_one(merged, w_o)[..., -1, :, :]

residual-added
    you added `x` to the output
    A Transformer does that around this layer, but the task asks for the output of the layer alone.
    | finish => output + x

weights-twice § projecting
    you mixed the values twice by the weights
    Once is enough: weights @ values. The first thing that `attention` returns is mixed already.
    | mix => weights @ (weights @ values)

weights-not-output § projecting
    you took the weights for the output
    `attention` returns two things, and the output comes first: output, weights = attention(...). Merge
    the output.
    | mix => weights
    | mix => weights; merge => heads; out => merged
    | mix => weights; out => merged
    | mix => weights; out => np.dot(merged, w_o)

weights-transposed § projecting
    you transposed the weights before mixing
    Row i of the weights makes output i: weights @ values.
    | mix => np.swapaxes(weights, -1, -2) @ values

whole-numbers-kept
    you wrote the output into an array of whole numbers, which drops everything after the decimal point
    `zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.
    | finish => whole_numbers_kept(output, x)
""",
    MERGING,
    SECTIONS,
    WORDS,
)
# How many heads there are, how wide, and made of what.
HEADS_MISTAKES = (
    *STEPS.mistakes(
        """
one-reshape
    | split => one_reshape(rows, n_heads, x)
    | split => rows.reshape(*rows.shape[:-2], n_heads, rows.shape[-2], -1)
    | split => rows.reshape(n_heads, -1, rows.shape[-1] // n_heads)
    | split => rows.reshape(n_heads, len(rows), -1)
    | split => rows.reshape(n_heads, rows.shape[-2], -1)

counts-swapped
    you took n_heads for the width of a head
    There are n_heads heads, and each is width // n_heads wide: head h gets the columns from h · d_head
    on.
    | split => split_heads(rows, rows.shape[-1] // n_heads)
    | split => split_heads(rows, rows.shape[-1] // n_heads); scale => scores / np.sqrt(queries.shape[-3])

interleaved
    you dealt the columns out in turn, like cards: head 0 got columns 0, n_heads, 2·n_heads, …
    {runs} So cut each row into (n_heads, d_head), in this order: heads first, and without order="F".
    | split => interleaved(rows, n_heads, x)
    | split => interleaved(rows, n_heads, x); merge => merged_interleaved(heads, x)

heads-attend-to-heads
    you did not swap the axes of tokens and heads, so within each token the heads attended to one another
    @ works on the last two axes. They should be tokens and columns, (..., n_heads, n, d_head), so that
    tokens attend to tokens.
    | split => not_swapped(rows, n_heads, x); merge => _heads_behind(heads, x)
    | split => not_swapped(rows, n_heads, x); merge => _merge(heads)
    | split => not_swapped(rows, n_heads, x); merge => merged_by_one_reshape(heads, x)

weights-averaged § one-head
    all heads used the same weights, the average over the heads
    Each head mixes its own values by its own weights. Split the values too, if you have not.
    | mix => weights.mean(axis=-3, keepdims=True) @ values
    | hide => np.broadcast_to(scores.mean(axis=-3, keepdims=True), scores.shape)

same-columns
    every head got the same columns, the first ones
    {runs}
    | split => same_columns(rows, n_heads, x)

split-before-projecting
    you split `x` as it is, before or without the projections
    Project first: x @ w_q has n_heads·d_head columns, and these are split into heads.
    | project => (x, x, x)
    | split => _then_projected(rows, n_heads, x)
    | project => (x, x, x); split => _narrow(rows, n_heads, x)
    @ forgotten = (x,x@w_k,x@w_v) (x@w_q,x,x@w_v)
    | project => forgotten; match => dot_product_scores(queries, keys)
    | project => forgotten; match => attention(queries, keys, keys)[1]
    | project => forgotten; match => queries @ np.swapaxes(keys, -1, -2)

heads-as-tokens
    you treated the parts of all heads as tokens of one long sentence
    Heads never mix with one another: give them an axis of their own, (..., n_heads, n, d_head).
    | split => _heads_as_tokens(rows, n_heads, x); merge => _tokens_of_heads(heads, x)

one-head § one-head
    there is a single head, as wide as all of them together: every row got one set of weights
    Each head compares its own d_head columns, and has weights of its own. Split queries, keys and values
    before the scores.
    | split => rows[..., None, :, :]
    | split => rows[..., None, :, :]; scale => scores / np.sqrt(queries.shape[-1] // n_heads)
    | split => rows[..., None, :, :]; scale => scores / np.sqrt(x.shape[-1])

whole-width
    every head got all the columns
    The heads share the width: each gets d_head = width // n_heads columns of queries, keys and values.
    | split => whole_width(rows, n_heads, x)
    | split => whole_width(rows, n_heads, x); out => np.dot(merged, w_o)

swapped-in-front
    you swapped axes 0 and 1, which are tokens and heads only when there is one sentence
    On a stack the sentences come first. Count from the end: axes −3 and −2.
    | split => swapped_in_front(rows, n_heads, x)
    | split => swapped_in_front(rows, n_heads, x); merge => _heads_behind(np.swapaxes(heads, 0, 1))

three-axes-only
    the code is written for exactly three axes
    `*stack, n, d_model = x.shape` takes any number of leading axes, even none. Count axes from the end.
    | split => three_axes_taken_apart(rows, n_heads, x)
    | split => batch_swapped(rows, n_heads, x)
    | split => batch_made(rows, n_heads, x)
    | split => first_two_axes_taken(rows, n_heads, x)
    | split => first_three_axes_taken(rows, n_heads, x)
""",
        SPLITTING,
        SECTIONS,
        WORDS,
        SPLIT_MISTAKES,
    ),
    as_in_pytorch("split", "x"),
    *STEPS.mistakes(
        """
sentences-joined
    you joined the tokens of all sentences: each attends to those of other sentences, too
    Sentences do not mix. A reshape to (-1, …) folds all leading axes into one; `*stack, n, d_model =
    x.shape` keeps them.
    | flatten => x.reshape(-1, x.shape[-1]); finish => output.reshape(*x.shape[:-1], -1)
    | flatten => x.reshape(-1, x.shape[-1])
    | split => sentences_joined(rows, n_heads, x); merge => _tokens_of_heads(heads, x)

width-of-x
    you took the width of the heads from x, as d_model / n_heads
    All heads together are as wide as w_q has columns, which need not be d_model: d_head is w_q.shape[-1]
    // n_heads.
    | split => _narrow(rows, n_heads, x)
    | split => _narrow(rows, n_heads, x); merge => _as_wide_as_x(heads, x)
    | split => _narrow_slices(rows, n_heads, x)
    | split => _narrow_slices(rows, n_heads, x); out => _as_many_rows(merged, w_o)
    | merge => _as_wide_as_x(heads, x)
    | scale => scores / np.sqrt(x.shape[-1] // n_heads)
    | scale => scores / np.sqrt(x.shape[-1] / n_heads)
    | merge => np.swapaxes(heads, -3, -2).reshape(x.shape)

fixed-heads
    the number of heads is fixed, whatever n_heads says
    Use n_heads, and take the width of a head from the matrices: width // n_heads.
    @ number = 2 3
    | split => split_heads(rows, number)
""",
        SPLITTING,
    ),
)
SCALE_MISTAKES_OF_THE_BLOCK = (
    *STEPS.mistakes(
        """
root-d_model
    you divided the scores by √d_model, the root of the width of x
    {d_head}
    | scale => scores / np.sqrt(x.shape[-1])

d_model
    you divided the scores by d_model, the width of x
    {d_head}
    | scale => scores / x.shape[-1]

root-all-heads
    you divided the scores by √(n_heads·d_head), the root of the width of all heads together
    {d_head}
    | scale => scores / np.sqrt(queries.shape[-1] * n_heads)

all-heads
    you divided the scores by n_heads·d_head, the width of all heads together
    {d_head}
    | scale => scores / (queries.shape[-1] * n_heads)

root-before-heads
    | scale => scores / (np.sqrt(x.shape[-1]) / n_heads)

root-n_heads
    | scale => scores / np.sqrt(n_heads)

n_heads
    | scale => scores / n_heads

root-n_queries
    | scale => scores / np.sqrt(queries.shape[-2])
""",
        SPLITTING,
        words=WORDS,
        told=HEAD_SCALE_MISTAKES,
    ),
    *only(
        SCALE_MISTAKES_OF_HEADS,
        (
            "never-scaled",
            "divided-by-d_k",
            "multiplied",
            "fourth-root",
            "half-d_k",
            "power-first",
            "always-2",
        ),
    ),
    *STEPS.mistakes(
        """
scaled-after-softmax
    you scaled the weights, not the scores
    The scale belongs before softmax: after it, the weights of a query no longer sum to 1.
    | scale => scores; mix => weights @ values / np.sqrt(queries.shape[-1])
""",
        LARGE,
    ),
)

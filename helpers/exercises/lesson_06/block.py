"""The mistakes of multi-head: projections, heads, softmax, merging and W_O, each a choice of one recipe."""

from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.diagnosis import Mistake
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
    always,
    as_in_pytorch,
    batch_made,
    batch_swapped,
    by_root_d_head,
    divide_by,
    first_three_axes_taken,
    first_two_axes_taken,
    interleaved,
    merged_by_one_reshape,
    merged_interleaved,
    not_swapped,
    one_reshape,
    only,
    retold,
    same_columns,
    sentences_joined,
    swapped_in_front,
    three_axes_taken_apart,
    whole_width,
)
from helpers.exercises.lesson_06.split_heads import MISTAKES as SPLIT_MISTAKES
from helpers.exercises.slips.matching import same, whole_numbers_kept
from helpers.exercises.slips.projecting import SELF_ATTENTION_MISTAKES
from helpers.exercises.slips.sharing import softmax_by_choices
from helpers.multi_head import Projections, merge_heads, multi_head_attention, split_heads
from helpers.similarity import dot_product_scores
from helpers.validation import Array

PROJECTING = "04: Queries, keys and values"
COLUMNS_OF_04 = "04: The column convention"


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


def _one_head(rows: Array, *_others: Any) -> Array:
    return rows[..., None, :, :]


def _narrow(rows: Array, n_heads: int, x: Array) -> Array:
    """Heads as wide as d_model / n_heads says, though the matrices say otherwise."""
    return np.swapaxes(rows.reshape(*rows.shape[:-1], n_heads, x.shape[-1] // n_heads), -3, -2)


def _narrow_slices(rows: Array, n_heads: int, x: Array) -> Array:
    d_head = x.shape[-1] // n_heads
    return np.stack([rows[..., h * d_head : (h + 1) * d_head] for h in range(n_heads)], axis=-3)


def _not_projected(x: Array, *_matrices: Any) -> tuple[Array, Array, Array]:
    return x, x, x


def _one_not_projected() -> list[dict[str, Any]]:
    """Queries or keys made of x as it is. Which error follows depends on how they are matched."""
    forgotten: list[Step] = [
        lambda x, w_q, w_k, w_v: (x, x @ w_k, x @ w_v),
        lambda x, w_q, w_k, w_v: (x @ w_q, x, x @ w_v),
    ]
    matched: list[Step] = [
        dot_product_scores,
        lambda queries, keys: attention(queries, keys, keys)[1],
        lambda queries, keys: queries @ np.swapaxes(keys, -1, -2),
    ]
    return [{"project": project, "match": match} for project in forgotten for match in matched]


def _then_projected(rows: Array, n_heads: int, x: Array) -> Array:
    """Heads of x, handed to a matrix that has as many rows as x has columns: NumPy's own error."""
    return split_heads(rows, n_heads) @ np.zeros((x.shape[-1], 1))


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


def _one_table(x: Array, *_others: Any) -> Array:
    return x.reshape(-1, x.shape[-1])


def _projecting(*names: str) -> tuple[Mistake, ...]:
    """Mistakes of self-attention, in the ways that change nothing but the projections."""
    found = []
    for m in only(SELF_ATTENTION_MISTAKES, names):
        first, *also = (way for way in m.ways if way.keys() == {"project"})
        found.append(Mistake(m.name, m.says, m.idea, m.reread, also=also, **first))
    return tuple(found)


def role_mistakes() -> tuple[Mistake, ...]:
    """Which matrix makes what, and how: mostly as in self-attention."""
    return (
        *_projecting(
            "w_q-and-w_k-swapped",
            "w_q-twice",
            "w_k-twice",
            "values-from-w_k",
            "values-from-w_q",
            "keys-from-w_v",
            "w_k-and-w_v-swapped",
        ),
        Mistake(
            "one-matrix",
            "one matrix made queries, keys and values",
            "Each token asks with x @ w_q, answers with x @ w_k and gives x @ w_v: three matrices, three "
            "jobs.",
            PROJECTING,
            project=lambda x, w_q, w_k, w_v: (x @ w_q,) * 3,
        ),
        Mistake(
            "matrices-transposed",
            "a matrix was transposed before the product, or stands on the left of it",
            "Matrices are (in, out) in this course, and stand on the right: x @ w. `nn.Linear` stores them "
            "the other way round, which is where x @ w.T comes from.",
            PROJECTING,
            also=[
                {"project": lambda x, w_q, w_k, w_v: (np.dot(x, w_q.T), x @ w_k, x @ w_v)},
                {"out": lambda merged, w_o: merged @ w_o.T},
                {"out": lambda merged, w_o: np.dot(merged, w_o.T)},
            ],
            project=lambda x, w_q, w_k, w_v: (x @ w_q.T, x @ w_k.T, x @ w_v.T),
        ),
        Mistake(
            "matrix-on-the-left",
            "a matrix stands on the left of the product, as in the column convention",
            "A token is a row here, so that the matrix stands on the right: x @ w.",
            COLUMNS_OF_04,
            also=[
                {"project": lambda x, w_q, w_k, w_v: (np.dot(w_q, x), x @ w_k, x @ w_v)},
                {"project": lambda x, w_q, w_k, w_v: (w_q.T @ x, x @ w_k, x @ w_v)},
                {"project": lambda x, *ws: tuple(w.T @ np.swapaxes(x, -1, -2) for w in ws)},
                {"out": lambda merged, w_o: w_o @ merged},
            ],
            project=lambda x, w_q, w_k, w_v: (w_q @ x, w_k @ x, w_v @ x),
        ),
    )


CONCATENATED = (
    "The heads are set side by side, n_heads·d_head numbers in each row, and W_O has a row for each."
)


def merge_and_out_mistakes() -> tuple[Mistake, ...]:
    """From the heads' outputs to the output of all."""
    return (
        Mistake(
            "one-head-wide",
            "W_O, or some columns of it, got rows as wide as one head: the heads were not set side by side, "
            "but summed, averaged, stacked, lost, or taken one by one",
            CONCATENATED + " In a loop, collect the heads in a list, and concatenate them after it. Or add "
            "up what the heads write: head h takes its own *rows* of W_O, all their columns.",
            MERGING,
            also=[
                {"merge": lambda h, *_: h[..., 0, :, :], "out": lambda m, w_o: np.dot(m, w_o)},
                {"merge": lambda h, *_: h.sum(axis=-3), "out": lambda m, w_o: m @ w_o[: m.shape[-1]]},
                {"merge": lambda h, *_: h.mean(axis=-3), "out": lambda m, w_o: m @ w_o[: m.shape[-1]]},
                {"merge": lambda h, *_: h.mean(axis=-3), "out": lambda m, w_o: m},
                {"merge": lambda h, *_: h.sum(axis=-3), "out": lambda m, w_o: m},
                {"merge": lambda h, *_: h[..., 0, :, :], "out": lambda m, w_o: m},
            ],
            merge=lambda heads, *_: heads.sum(axis=-3),
        ),
        Mistake(
            "no-w_o",
            "the merged heads came back without W_O",
            "W_O mixes what the heads have found, and brings the rows back to d_model numbers: the last step "
            "is merged @ w_o.",
            MERGING,
            out=lambda merged, w_o: merged,
        ),
        Mistake(
            "w_o-in-each-head",
            "W_O was applied in each head, and the results were set side by side",
            "Each head has its own rows of W_O, and what the heads write is added up. The same in one step: "
            "merge first, then @ w_o.",
            SUM,
            merge=same,
            out=lambda heads, w_o: merge_heads(_one_by_one(heads, w_o)),
        ),
        Mistake(
            "not-added-up",
            "what each head writes was not added up: the heads still have an axis of their own",
            "The output is the sum over heads. The same in one step: merge first, then @ w_o.",
            SUM,
            merge=same,
            out=_one_by_one,
        ),
        Mistake(
            "heads-averaged",
            "what the heads write was averaged, not added up",
            "merged @ w_o is the sum over heads of each head's part; nothing divides it by n_heads.",
            SUM,
            merge=same,
            out=lambda heads, w_o: _one_by_one(heads, w_o).mean(axis=-3),
        ),
        Mistake(
            "one-head-only",
            "only one head's part of the output is there",
            "merged @ w_o is the sum over all heads of each head's part. In a loop, start from 0 and add.",
            SUM,
            also=[{"merge": same, "out": lambda h, w_o: _one_by_one(h, w_o)[..., -1, :, :]}],
            merge=same,
            out=lambda heads, w_o: _one_by_one(heads, w_o)[..., 0, :, :],
        ),
        Mistake(
            "residual-added",
            "`x` was added to the output",
            "A Transformer does so around this layer. The task asks for the output of the layer alone.",
            MERGING,
            finish=lambda output, x: output + x,
        ),
        Mistake(
            "weights-twice",
            "the values were mixed twice by the weights",
            "One mixing is enough: weights @ values. What `attention` returns first is mixed already.",
            PROJECTING,
            mix=lambda weights, values, _queries: weights @ (weights @ values),
        ),
        Mistake(
            "weights-not-output",
            "the weights were taken for the output",
            "`attention` returns two things, and the output comes first: output, weights = attention(...). "
            "Merge the output.",
            PROJECTING,
            also=[
                {"mix": lambda weights, *_: weights, "merge": same, "out": lambda m, w_o: m},
                {"mix": lambda weights, *_: weights, "out": lambda m, w_o: m},
                {"mix": lambda weights, *_: weights, "out": lambda m, w_o: np.dot(m, w_o)},
            ],
            mix=lambda weights, *_: weights,
        ),
        Mistake(
            "weights-transposed",
            "the weights were transposed before the mixing",
            "Row i of the weights makes output i: weights @ values.",
            PROJECTING,
            mix=lambda weights, values, _queries: np.swapaxes(weights, -1, -2) @ values,
        ),
        Mistake(
            "whole-numbers-kept",
            "the output was written into an array of whole numbers, which drops all after the point",
            "`zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.",
            MERGING,
            finish=whole_numbers_kept,
        ),
    )


def heads_mistakes() -> tuple[Mistake, ...]:
    """How many heads there are, how wide, and made of what."""
    return (
        *retold(
            SPLIT_MISTAKES,
            {
                "one-reshape": [
                    {"split": one_reshape},
                    {"split": lambda r, h, *_: r.reshape(*r.shape[:-2], h, r.shape[-2], -1)},
                    {"split": lambda r, h, *_: r.reshape(h, -1, r.shape[-1] // h)},
                    {"split": lambda r, h, *_: r.reshape(h, len(r), -1)},
                    {"split": lambda r, h, *_: r.reshape(h, r.shape[-2], -1)},
                ]
            },
        ),
        Mistake(
            "counts-swapped",
            "n_heads was taken for the width of a head",
            "There are n_heads heads, and each is width // n_heads wide: head h gets the columns from "
            "h · d_head on.",
            SPLITTING,
            also=[
                {
                    "split": lambda rows, h, *_: split_heads(rows, rows.shape[-1] // h),
                    "scale": divide_by(lambda q, k, x, h: np.sqrt(q.shape[-3])),
                }
            ],
            split=lambda rows, n_heads, *_: split_heads(rows, rows.shape[-1] // n_heads),
        ),
        Mistake(
            "interleaved",
            "the columns were dealt out in turn, like cards: head 0 got columns 0, n_heads, 2·n_heads, …",
            RUNS + " So each row is cut into (n_heads, d_head), in this order: the heads first, and "
            'without order="F".',
            SPLITTING,
            also=[{"split": interleaved, "merge": merged_interleaved}],
            split=interleaved,
        ),
        Mistake(
            "heads-attend-to-heads",
            "in each token the heads attended to one another: the axes of tokens and heads were not swapped",
            "@ works on the last two axes. They should be tokens and columns, (..., n_heads, n, d_head), so "
            "that tokens attend to tokens.",
            SPLITTING,
            also=[
                {"split": not_swapped, "merge": lambda heads, *_: _merge(heads)},
                {"split": not_swapped, "merge": merged_by_one_reshape},
            ],
            split=not_swapped,
            merge=_heads_behind,
        ),
        Mistake(
            "weights-averaged",
            "all heads used the same weights, the average over the heads",
            "Each head mixes its own values by its own weights: split the values, too, if you have not.",
            ONE_HEAD,
            also=[
                {"hide": lambda scores: np.broadcast_to(scores.mean(axis=-3, keepdims=True), scores.shape)}
            ],
            mix=lambda weights, values, _: weights.mean(axis=-3, keepdims=True) @ values,
        ),
        Mistake(
            "same-columns",
            "every head got the same columns, the first ones",
            RUNS,
            SPLITTING,
            split=same_columns,
        ),
        Mistake(
            "split-before-projecting",
            "`x` was split as it is, before or without the projections",
            "Project first: x @ w_q has n_heads·d_head columns, and these are split into heads.",
            SPLITTING,
            also=[
                {"project": _not_projected, "split": _then_projected},
                {"project": _not_projected, "split": _narrow},
                *_one_not_projected(),
            ],
            project=_not_projected,
        ),
        Mistake(
            "heads-as-tokens",
            "the parts of all heads were treated as tokens of one long sentence",
            "Heads do not meet: give them an axis of their own, (..., n_heads, n, d_head).",
            SPLITTING,
            split=_heads_as_tokens,
            merge=_tokens_of_heads,
        ),
        Mistake(
            "one-head",
            "there is one head, as wide as all together: every row got one set of weights",
            "Each head compares its own d_head columns, and has weights of its own. Split queries, keys and "
            "values before the scores.",
            ONE_HEAD,
            also=[
                {"split": _one_head, "scale": divide_by(lambda q, k, x, h: np.sqrt(q.shape[-1] // h))},
                {"split": _one_head, "scale": divide_by(lambda q, k, x, h: np.sqrt(x.shape[-1]))},
            ],
            split=_one_head,
        ),
        Mistake(
            "whole-width",
            "every head got all the columns",
            "The heads share the width: each gets d_head = width // n_heads columns of queries, keys and "
            "values.",
            SPLITTING,
            also=[{"split": whole_width, "out": lambda merged, w_o: np.dot(merged, w_o)}],
            split=whole_width,
        ),
        Mistake(
            "swapped-in-front",
            "axes 0 and 1 were swapped, which are tokens and heads for one sentence only",
            "On a stack the sentences come first. Count from the end: axes −3 and −2.",
            SPLITTING,
            also=[{"split": swapped_in_front, "merge": lambda h, *_: _heads_behind(np.swapaxes(h, 0, 1))}],
            split=swapped_in_front,
        ),
        Mistake(
            "three-axes-only",
            "the code is written for exactly three axes",
            "`*stack, n, d_model = x.shape` takes any number of leading axes, none as well. Count axes from "
            "the end.",
            SPLITTING,
            also=[
                {"split": batch_swapped},
                {"split": batch_made},
                {"split": first_two_axes_taken},
                {"split": first_three_axes_taken},
            ],
            split=three_axes_taken_apart,
        ),
        as_in_pytorch("split", "x"),
        Mistake(
            "sentences-joined",
            "the tokens of all sentences were joined: each attends to those of other sentences, too",
            "Each sentence keeps to itself. A reshape to (-1, …) folds all leading axes into one; "
            "`*stack, n, d_model = x.shape` keeps them.",
            SPLITTING,
            also=[{"flatten": _one_table}, {"split": sentences_joined, "merge": _tokens_of_heads}],
            flatten=_one_table,
            finish=lambda output, x: output.reshape(*x.shape[:-1], -1),
        ),
        Mistake(
            "width-of-x",
            "the width of the heads was taken from x, as d_model / n_heads",
            "All heads together are as wide as w_q has columns, which need not be d_model: d_head is "
            "w_q.shape[-1] // n_heads.",
            SPLITTING,
            also=[
                {"split": _narrow, "merge": _as_wide_as_x},
                {"split": _narrow_slices},
                {"merge": _as_wide_as_x},
                {"scale": divide_by(lambda q, k, x, h: np.sqrt(x.shape[-1] // h))},
                {"scale": divide_by(lambda q, k, x, h: np.sqrt(x.shape[-1] / h))},
                {"merge": lambda heads, x: np.swapaxes(heads, -3, -2).reshape(x.shape)},
            ],
            split=_narrow,
        ),
        Mistake(
            "fixed-heads",
            "the number of heads is fixed, whatever n_heads says",
            "Use n_heads, and take the width of a head from the matrices: width // n_heads.",
            SPLITTING,
            also=[{"split": always(3)}],
            split=always(2),
        ),
    )


def scale_mistakes_of_the_block() -> tuple[Mistake, ...]:
    divided = {
        "root-before-heads": lambda q, k, x, h: np.sqrt(x.shape[-1]) / h,
        "root-n_heads": lambda q, k, x, h: np.sqrt(h),
        "n_heads": lambda q, k, x, h: h,
        "root-n_queries": lambda q, k, x, h: np.sqrt(q.shape[-2]),
    }
    chosen = (
        "never-scaled",
        "divided-by-d_k",
        "multiplied",
        "fourth-root",
        "half-d_k",
        "power-first",
        "always-2",
    )
    return (
        Mistake(
            "root-d_model",
            "the scores were divided by √d_model, the root of the width of x",
            D_HEAD,
            SPLITTING,
            scale=divide_by(lambda q, k, x, h: np.sqrt(x.shape[-1])),
        ),
        Mistake(
            "d_model",
            "the scores were divided by d_model, the width of x",
            D_HEAD,
            SPLITTING,
            scale=divide_by(lambda q, k, x, h: x.shape[-1]),
        ),
        Mistake(
            "root-all-heads",
            "the scores were divided by √(n_heads·d_head), the root of the width of all heads together",
            D_HEAD,
            SPLITTING,
            scale=divide_by(lambda q, k, x, h: np.sqrt(q.shape[-1] * h)),
        ),
        Mistake(
            "all-heads",
            "the scores were divided by n_heads·d_head, the width of all heads together",
            D_HEAD,
            SPLITTING,
            scale=divide_by(lambda q, k, x, h: q.shape[-1] * h),
        ),
        *retold(HEAD_SCALE_MISTAKES, {name: [{"scale": divide_by(by)}] for name, by in divided.items()}),
        *only(SCALE_MISTAKES_OF_HEADS, chosen),
        Mistake(
            "scaled-after-softmax",
            "the weights were scaled, not the scores",
            "The scale belongs before softmax: after it, the weights of a query no longer sum to 1.",
            LARGE,
            scale=same,
            mix=lambda weights, values, queries: weights @ values / np.sqrt(queries.shape[-1]),
        ),
    )

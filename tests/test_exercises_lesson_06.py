"""Answers to lesson 06 as learners write them: right ones pass in any style, wrong ones get their name."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from handed_out import GIVEN

from helpers.attention import attention
from helpers.exercises import evaluate, hint, solution
from helpers.exercises.catalogue import exercises
from helpers.multi_head import Projections, merge_heads, multi_head_attention, split_heads
from helpers.softmax import softmax


def exercise(name: str) -> Any:
    return exercises()[name]


# --- split-heads


def split_in_a_loop(rows, n_heads):
    d_head = rows.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        heads.append(rows[..., h * d_head : (h + 1) * d_head])
    return np.stack(heads, axis=-3)


def split_two_axes_in_a_loop(rows, n_heads):
    d_head = rows.shape[1] // n_heads
    return [rows[:, h * d_head : (h + 1) * d_head] for h in range(n_heads)]


def split_entry_by_entry(rows, n_heads):
    *stack, n, width = rows.shape
    d_head = width // n_heads
    heads = np.zeros((*stack, n_heads, n, d_head))
    for h in range(n_heads):
        for column in range(d_head):
            heads[..., h, :, column] = rows[..., h * d_head + column]
    return heads


def split_sentence_by_sentence(rows, n_heads):
    if rows.ndim > 2:
        return [split_sentence_by_sentence(part, n_heads) for part in rows]
    return np.split(rows, n_heads, axis=1)


def split_by_transpose_of_a_list(rows, n_heads):
    axes = list(range(rows.ndim + 1))
    axes[-3], axes[-2] = axes[-2], axes[-3]
    return rows.reshape((*rows.shape[:-1], n_heads, -1)).transpose(axes)


def split_as_in_pytorch(rows, n_heads):
    batch, n, width = rows.shape
    return rows.reshape(batch, n, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def split_with_a_float(rows, n_heads):
    d_head = rows.shape[-1] / n_heads
    return rows.reshape(*rows.shape[:-1], n_heads, d_head).swapaxes(-3, -2)


def split_by_float_slices(rows, n_heads):
    d_head = rows.shape[-1] / n_heads
    return np.stack([rows[..., h * d_head : (h + 1) * d_head] for h in range(n_heads)], axis=-3)


def split_and_return_early(rows, n_heads):
    d_head = rows.shape[-1] // n_heads
    for h in range(n_heads):
        return rows[..., h * d_head : (h + 1) * d_head]
    return None


def split_and_overwrite(rows, n_heads):
    d_head = rows.shape[-1] // n_heads
    for h in range(n_heads):
        head = rows[..., h * d_head : (h + 1) * d_head]
    return head


def split_every_nth_column(rows, n_heads):
    return np.stack([rows[..., h::n_heads] for h in range(n_heads)], axis=-3)


def split_from_column_h(rows, n_heads):
    d_head = rows.shape[-1] // n_heads
    return np.stack([rows[..., h : h + d_head] for h in range(n_heads)], axis=-3)


def split_rows_not_columns(rows, n_heads):
    size = rows.shape[-2] // n_heads
    return np.stack([rows[..., h * size : (h + 1) * size, :] for h in range(n_heads)], axis=-3)


def split_two_axes_taken_apart(rows, n_heads):
    n, width = rows.shape
    return rows.reshape(n, n_heads, width // n_heads).transpose(1, 0, 2)


def split_two_axes_by_one_reshape(rows, n_heads):
    n, width = rows.shape
    return rows.reshape(n_heads, n, width // n_heads)


def split_into_a_flat_table(rows, n_heads):
    table = rows.reshape(-1, n_heads, rows.shape[-1] // n_heads)
    return table.transpose(1, 0, 2)


def split_in_place(rows, n_heads):
    rows += 0.5
    return split_heads(rows, n_heads) - 0.5


def split_front(rows, n_heads):
    return rows.reshape(*rows.shape[:-1], n_heads, -1).swapaxes(0, 1)


RIGHT: list[tuple[str, Any]] = [
    ("split-heads", split_in_a_loop),
    ("split-heads", split_entry_by_entry),
    ("split-heads", split_sentence_by_sentence),
    ("split-heads", split_by_transpose_of_a_list),
    ("split-heads", lambda r, h: np.stack(np.split(r, h, axis=-1), axis=-3)),
    ("split-heads", lambda r, h: np.concatenate(np.split(r[..., None, :, :], h, axis=-1), axis=-3)),
    ("split-heads", lambda r, h: np.moveaxis(r.reshape(*r.shape[:-1], h, r.shape[-1] // h), -2, -3)),
    ("split-heads", lambda r, h: np.einsum("...nhd->...hnd", r.reshape(*r.shape[:-1], h, -1))),
    (
        "split-heads",
        lambda r, h: r.swapaxes(-1, -2).reshape(*r.shape[:-2], h, -1, r.shape[-2]).swapaxes(-1, -2),
    ),
    ("split-heads", lambda r, h: np.asarray(split_heads(r, h), dtype=np.float32)),
]

WRONG: list[tuple[str, Any, Any]] = [
    ("split-heads", lambda r, h: r.reshape(*r.shape[:-2], h, r.shape[-2], -1), "one-reshape"),
    (
        "split-heads",
        lambda r, h: np.reshape(r, (*r.shape[:-2], h, r.shape[-2], r.shape[-1] // h)),
        "one-reshape",
    ),
    ("split-heads", split_every_nth_column, "interleaved"),
    ("split-heads", lambda r, h: np.moveaxis(r.reshape(*r.shape[:-1], -1, h), -1, -3), "interleaved"),
    ("split-heads", lambda r, h: r.reshape(h, len(r), -1), "one-reshape"),
    ("split-heads", lambda r, h: r.reshape(h, r.shape[-2], -1), "one-reshape"),
    ("split-heads", lambda r, h: r.reshape(*r.shape[:-1], h, -1), "not-swapped"),
    ("split-heads", lambda r, h: np.stack(np.split(r, h, -1), axis=-2), "not-swapped"),
    ("split-heads", lambda r, h: r.reshape(*r.shape[:-1], h, -1).swapaxes(-1, -2), "wrong-two-swapped"),
    ("split-heads", lambda r, h: np.swapaxes(split_in_a_loop(r, h), -1, -2), "heads-turned"),
    ("split-heads", split_front, "swapped-in-front"),
    ("split-heads", split_two_axes_taken_apart, "one-matrix-only"),
    ("split-heads", split_two_axes_by_one_reshape, ("one-reshape", "one-matrix-only")),
    ("split-heads", split_as_in_pytorch, "three-axes-only"),
    ("split-heads", lambda r, h: r.reshape(*r.shape[:-1], h, -1).transpose(0, 2, 1, 3), "three-axes-only"),
    ("split-heads", lambda r, h: r.reshape(*r.shape[:-1], h, -1).swapaxes(1, 2), "three-axes-only"),
    ("split-heads", lambda r, h: np.split(r, h, axis=-1), "heads-in-front"),
    ("split-heads", lambda r, h: np.array(list(np.split(r, h, axis=-1))), "heads-in-front"),
    ("split-heads", split_into_a_flat_table, "sentences-joined"),
    ("split-heads", lambda r, h: np.repeat(r[..., None, :, :], h, axis=-3), "whole-width"),
    ("split-heads", lambda r, h: r.reshape(*r.shape[:-1], -1, h).swapaxes(-3, -2), "counts-swapped"),
    (
        "split-heads",
        lambda r, h: r.swapaxes(-1, -2).reshape(*r.shape[:-2], h, r.shape[-2], -1),
        "turned-first",
    ),
    ("split-heads", lambda r, h: split_heads(r, 2), "fixed-heads"),
    ("split-heads", lambda r, h: r.reshape(*r.shape[:-1], h, -1).T, "all-axes-reversed"),
    ("split-heads", split_rows_not_columns, None),
    ("split-heads", lambda r, h: np.array(np.split(r, h)), "tokens-cut"),
    ("split-heads", split_and_return_early, "first-head-only"),
    ("split-heads", split_and_overwrite, "last-head-only"),
    ("split-heads", split_from_column_h, "overlapping"),
    ("split-heads", lambda r, h: split_heads(r, h)[..., ::-1, :, :], "heads-backwards"),
    ("split-heads", lambda r, h: r, "unchanged"),
    ("split-heads", split_with_a_float, None),
    ("split-heads", split_by_float_slices, None),
    ("split-heads", split_in_place, None),
    ("split-heads", split_two_axes_in_a_loop, None),
]

# --- merge-bug


def merge_in_a_loop(heads):
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


def merge_sentence_by_sentence(heads):
    if heads.ndim == 3:
        return np.hstack(list(heads))
    return np.array([merge_sentence_by_sentence(part) for part in heads])


def merge_token_by_token(heads):
    *stack, n_heads, n, d_head = heads.shape
    rows = np.empty((*stack, n, n_heads * d_head))
    for i in range(n):
        for h in range(n_heads):
            rows[..., i, h * d_head : (h + 1) * d_head] = heads[..., h, i, :]
    return rows


def merge_by_turning(heads):
    *stack, n_heads, n, d_head = heads.shape
    return heads.swapaxes(-1, -2).reshape(*stack, n_heads * d_head, n).swapaxes(-1, -2)


def merge_as_in_pytorch(heads):
    batch, n_heads, n, d_head = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, n, n_heads * d_head)


def merge_three_axes(heads):
    n_heads, n, d_head = heads.shape
    return heads.transpose(1, 0, 2).reshape(n, n_heads * d_head)


def merge_three_axes_by_one_reshape(heads):
    n_heads, n, d_head = heads.shape
    return heads.reshape(n, n_heads * d_head)


def merge_swapped_but_not_kept(heads):
    *stack, n_heads, n, d_head = heads.shape
    np.swapaxes(heads, -3, -2)
    return heads.reshape(*stack, n, n_heads * d_head)


def merge_swapped_the_last_two(heads):
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads, -2, -1).reshape(*stack, n, n_heads * d_head)


def merge_swapped_afterwards(heads):
    *stack, n_heads, n, d_head = heads.shape
    return heads.reshape(*stack, n_heads * d_head, n).swapaxes(-1, -2)


def merge_swapped_in_front(heads):
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads, 0, 1).reshape(*stack, n, n_heads * d_head)


def merge_moved_to_the_end(heads):
    *stack, n_heads, n, d_head = heads.shape
    return np.moveaxis(heads, -3, -1).reshape(*stack, n, n_heads * d_head)


def merge_with_unknown_rows(heads):
    return np.swapaxes(heads, -3, -2).reshape(-1, heads.shape[-3] * heads.shape[-1])


def merge_with_unknown_columns(heads):
    return np.swapaxes(heads, -3, -2).reshape(heads.shape[-2], -1)


def merge_by_turning_all(heads):
    *stack, n_heads, n, d_head = heads.shape
    return heads.T.reshape(*stack, n, n_heads * d_head)


def merge_by_adding(heads):
    total = 0
    for h in range(heads.shape[-3]):
        total = total + heads[..., h, :, :]
    return total


def merge_the_last(heads):
    for h in range(heads.shape[-3]):
        merged = heads[..., h, :, :]
    return merged


def merge_backwards(heads):
    merged = heads[..., 0, :, :]
    for h in range(1, heads.shape[-3]):
        merged = np.concatenate([heads[..., h, :, :], merged], axis=-1)
    return merged


def merge_two_heads(heads):
    return np.concatenate([heads[..., 0, :, :], heads[..., 1, :, :]], axis=-1)


def merge_too_far(heads):
    return merge_heads(heads) + 1e-3


RIGHT += [
    ("merge-bug", merge_in_a_loop),
    ("merge-bug", merge_sentence_by_sentence),
    ("merge-bug", merge_token_by_token),
    ("merge-bug", merge_by_turning),
    ("merge-bug", lambda h: np.moveaxis(h, -3, -2).reshape(*h.shape[:-3], h.shape[-2], -1)),
    ("merge-bug", lambda h: np.einsum("...hnd->...nhd", h).reshape(*h.shape[:-3], h.shape[-2], -1)),
    ("merge-bug", lambda h: merge_heads(h).tolist()),
    ("merge-bug", lambda h: np.concatenate(np.split(h, h.shape[-3], axis=-3), axis=-1)[..., 0, :, :]),
    ("merge-bug", lambda h: np.concatenate(list(np.moveaxis(h, -3, 0)), axis=-1)),
]

WRONG += [
    ("merge-bug", lambda h: h.reshape(*h.shape[:-3], h.shape[-2], -1), "merge-one-reshape"),
    ("merge-bug", merge_swapped_but_not_kept, "merge-one-reshape"),
    ("merge-bug", merge_three_axes_by_one_reshape, ("merge-one-reshape", "one-matrix-only")),
    ("merge-bug", merge_three_axes, "one-matrix-only"),
    ("merge-bug", merge_as_in_pytorch, "swapped-in-front-of-a-batch"),
    (
        "merge-bug",
        lambda h: h.transpose(0, 2, 1, 3).reshape(h.shape[0], h.shape[2], -1),
        "swapped-in-front-of-a-batch",
    ),
    ("merge-bug", merge_swapped_the_last_two, "merge-wrong-two-swapped"),
    ("merge-bug", merge_swapped_afterwards, "swap-after-reshape"),
    ("merge-bug", merge_swapped_in_front, "swapped-in-front"),
    ("merge-bug", merge_moved_to_the_end, "merge-interleaved"),
    ("merge-bug", lambda h: np.swapaxes(h, -3, -2), "not-reshaped"),
    ("merge-bug", lambda h: np.moveaxis(h, -2, -3), "not-reshaped"),
    ("merge-bug", lambda h: h.sum(axis=-3), "summed"),
    ("merge-bug", lambda h: h.sum(axis=0), "summed"),
    ("merge-bug", merge_by_adding, "summed"),
    ("merge-bug", lambda h: h.mean(axis=-3), "averaged"),
    ("merge-bug", lambda h: h.mean(0), "averaged"),
    ("merge-bug", lambda h: np.max(h, axis=-3), "largest"),
    ("merge-bug", lambda h: np.concatenate(h, axis=-1), "sentences-side-by-side"),
    ("merge-bug", lambda h: np.hstack(h), "sentences-side-by-side"),
    ("merge-bug", lambda h: np.concatenate(h), "one-below-the-other"),
    ("merge-bug", lambda h: h.reshape(*h.shape[:-3], -1, h.shape[-1]), "one-below-the-other"),
    ("merge-bug", merge_by_turning_all, "all-axes-reversed"),
    ("merge-bug", lambda h: np.swapaxes(merge_heads(h), -1, -2), "columns"),
    ("merge-bug", merge_with_unknown_rows, "sentences-joined"),
    ("merge-bug", merge_with_unknown_columns, "sentences-in-one-row"),
    ("merge-bug", lambda h: h[..., 0, :, :], "first-head-only"),
    ("merge-bug", merge_the_last, "last-head-only"),
    ("merge-bug", merge_backwards, "heads-backwards"),
    ("merge-bug", lambda h: h, "unchanged"),
    ("merge-bug", merge_two_heads, None),
    ("merge-bug", merge_too_far, None),
    ("merge-bug", lambda h: np.round(merge_heads(h)), None),
]

# --- head-scale-bug


def head_scores(queries, keys, n_heads, by):
    """As given, divided by something else: by(queries of the heads, keys of the heads, width)."""
    of_queries, of_keys = split_heads(queries, n_heads), split_heads(keys, n_heads)
    scores = of_queries @ np.swapaxes(of_keys, -1, -2)
    return scores / by(of_queries, of_keys, queries.shape[-1])


def head_scores_in_a_loop(queries, keys, n_heads):
    d_head = queries.shape[-1] // n_heads
    scores = []
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        scores.append(queries[..., run] @ np.swapaxes(keys[..., run], -1, -2) / math.sqrt(d_head))
    return np.stack(scores, axis=-3)


def head_scores_scaled_at_both_ends(queries, keys, n_heads):
    d_head = queries.shape[-1] // n_heads
    queries, keys = queries / d_head**0.25, keys / d_head**0.25
    return split_heads(queries, n_heads) @ np.swapaxes(split_heads(keys, n_heads), -1, -2)


def head_scores_by_einsum(queries, keys, n_heads):
    d_head = queries.shape[-1] // n_heads
    of_queries = queries.reshape(*queries.shape[:-1], n_heads, d_head)
    of_keys = keys.reshape(*keys.shape[:-1], n_heads, d_head)
    return np.einsum("...ihd,...jhd->...hij", of_queries, of_keys) / d_head**0.5


def head_scores_from_the_whole(queries, keys, n_heads):
    """Scaled by √d_model as given, and then by √n_heads the other way: the same in the end."""
    return GIVEN["head-scale-bug"](queries, keys, n_heads) * np.sqrt(n_heads)


def head_scores_with_a_float_width(queries, keys, n_heads):
    d_head = queries.shape[-1] / n_heads
    of_queries = queries.reshape(*queries.shape[:-1], n_heads, d_head)
    return of_queries / np.sqrt(d_head)


def head_scores_all_in_one(queries, keys, n_heads):
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1] // n_heads)
    return np.stack([scores] * n_heads, axis=-3)


def head_scores_split_by_one_reshape(queries, keys, n_heads):
    d_head = queries.shape[-1] // n_heads
    of_queries = queries.reshape(*queries.shape[:-2], n_heads, -1, d_head)
    of_keys = keys.reshape(*keys.shape[:-2], n_heads, -1, d_head)
    return of_queries @ np.swapaxes(of_keys, -1, -2) / np.sqrt(d_head)


def head_scores_by_dot(queries, keys, n_heads):
    of_queries, of_keys = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return np.dot(of_queries, np.swapaxes(of_keys, -1, -2)) / np.sqrt(of_queries.shape[-1])


def head_scores_by_t(queries, keys, n_heads):
    of_queries, of_keys = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return of_queries @ of_keys.T / np.sqrt(of_queries.shape[-1])


def right_scores(queries, keys, n_heads):
    return head_scores(queries, keys, n_heads, lambda q, k, width: np.sqrt(q.shape[-1]))


def by(divisor):
    return lambda queries, keys, n_heads: head_scores(queries, keys, n_heads, divisor)


RIGHT += [
    ("head-scale-bug", right_scores),
    ("head-scale-bug", head_scores_in_a_loop),
    ("head-scale-bug", head_scores_scaled_at_both_ends),
    ("head-scale-bug", head_scores_by_einsum),
    ("head-scale-bug", head_scores_from_the_whole),
    ("head-scale-bug", by(lambda q, k, width: k.shape[-1] ** 0.5)),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(width / q.shape[-3]))),
    ("head-scale-bug", lambda q, k, h: right_scores(q.astype(np.float32), k.astype(np.float32), h)),
    ("head-scale-bug", lambda q, k, h: right_scores(q, k, h).tolist()),
]

WRONG += [
    ("head-scale-bug", by(lambda q, k, width: math.sqrt(width)), "root-d_model"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(q.shape[-1] * q.shape[-3])), "root-d_model"),
    ("head-scale-bug", by(lambda q, k, width: width), "d_model"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(width) / q.shape[-3]), "root-before-heads"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(q.shape[-3])), "root-n_heads"),
    ("head-scale-bug", by(lambda q, k, width: q.shape[-3]), "n_heads"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(width * q.shape[-3])), "root-d_model-n_heads"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(width) * np.sqrt(q.shape[-1])), "root-d_model-too"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(q.shape[-2])), "root-n_queries"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(k.shape[-2])), "root-n_keys"),
    ("head-scale-bug", by(lambda q, k, width: k.shape[-2]), "n_keys"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(q.shape[2])), "root-axis-2"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(k.shape[2])), None),
    ("head-scale-bug", by(lambda q, k, width: 1), "never-scaled"),
    ("head-scale-bug", by(lambda q, k, width: q.shape[-1]), "divided-by-d_k"),
    ("head-scale-bug", by(lambda q, k, width: 1 / np.sqrt(q.shape[-1])), "multiplied"),
    ("head-scale-bug", by(lambda q, k, width: q.shape[-1] ** 0.25), "fourth-root"),
    ("head-scale-bug", by(lambda q, k, width: q.shape[-1] ** 1 / 2), "half-d_k"),
    ("head-scale-bug", by(lambda q, k, width: math.isqrt(q.shape[-1])), "root-whole"),
    ("head-scale-bug", by(lambda q, k, width: 2), "always-2"),
    ("head-scale-bug", by(lambda q, k, width: np.log(q.shape[-1])), "logarithm"),
    ("head-scale-bug", lambda q, k, h: softmax(right_scores(q, k, h)), "weights-returned"),
    ("head-scale-bug", lambda q, k, h: right_scores(q, k, h).mean(axis=-3), "heads-averaged"),
    ("head-scale-bug", lambda q, k, h: np.swapaxes(right_scores(q, k, h), -1, -2), "swapped"),
    ("head-scale-bug", lambda q, k, h: right_scores(q, q, h), "queries-twice"),
    ("head-scale-bug", lambda q, k, h: right_scores(k, q, h), "swapped"),
    ("head-scale-bug", head_scores_split_by_one_reshape, "one-reshape"),
    ("head-scale-bug", head_scores_by_dot, "heads-crossed"),
    ("head-scale-bug", head_scores_by_t, "all-axes-reversed"),
    ("head-scale-bug", head_scores_with_a_float_width, None),
    ("head-scale-bug", head_scores_all_in_one, "whole-width"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(width / 2)), None),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(width - q.shape[-3])), None),
]

# --- multi-head


def by_helpers(x, w_q, w_k, w_v, w_o, n_heads):
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    return merge_heads(attention(queries, keys, values)[0]) @ w_o


def by_the_helper(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = multi_head_attention(x, Projections(w_q, w_k, w_v, w_o), n_heads)
    return output


def head_by_head(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    outputs = []
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        queries, keys, values = x @ w_q[:, run], x @ w_k[:, run], x @ w_v[:, run]
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(d_head)
        outputs.append(softmax(scores) @ values)
    return np.concatenate(outputs, axis=-1) @ w_o


def as_a_sum_over_heads(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    total = np.zeros(x.shape)
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        output, _ = attention(x @ w_q[:, run], x @ w_k[:, run], x @ w_v[:, run])
        total += output @ w_o[run]
    return total


def by_value_maps(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    total = 0
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        _, weights = attention(x @ w_q[:, run], x @ w_k[:, run], x @ w_v[:, run])
        total = total + weights @ x @ (w_v[:, run] @ w_o[run])
    return total


def by_einsum(x, w_q, w_k, w_v, w_o, n_heads):
    def split(w):
        return np.einsum("...nm,mhd->...hnd", x, w.reshape(w.shape[0], n_heads, -1))

    queries, keys, values = split(w_q), split(w_k), split(w_v)
    scores = np.einsum("...id,...jd->...ij", queries, keys) / queries.shape[-1] ** 0.5
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    out = w_o.reshape(n_heads, -1, w_o.shape[-1])
    return np.einsum("...hij,...hjd,hdm->...im", weights, values, out)


def one_query_at_a_time(x, w_q, w_k, w_v, w_o, n_heads):
    if x.ndim > 2:
        return np.array([one_query_at_a_time(part, w_q, w_k, w_v, w_o, n_heads) for part in x])
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    rows = []
    for i in range(len(x)):
        row = []
        for h in range(n_heads):
            scores = [queries[h, i] @ key / math.sqrt(len(key)) for key in keys[h]]
            powers = [math.exp(score - max(scores)) for score in scores]
            mixed = sum(power / sum(powers) * value for power, value in zip(powers, values[h], strict=True))
            row.extend(mixed)
        rows.append(row)
    return np.array(rows) @ w_o


def scaled_before_the_split(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[-1] // n_heads
    queries = split_heads(x @ w_q / d_head**0.25, n_heads)
    keys = split_heads(x @ w_k * d_head**-0.25, n_heads)
    weights = softmax(queries @ keys.swapaxes(-1, -2))
    mixed = weights @ split_heads(x @ w_v, n_heads)
    return merge_heads(mixed) @ w_o


def in_float32(x, w_q, w_k, w_v, w_o, n_heads):
    x, w_q, w_k, w_v, w_o = (array.astype(np.float32) for array in (x, w_q, w_k, w_v, w_o))
    return by_helpers(x, w_q, w_k, w_v, w_o, n_heads)


RIGHT += [
    ("multi-head", by_helpers),
    ("multi-head", by_the_helper),
    ("multi-head", head_by_head),
    ("multi-head", as_a_sum_over_heads),
    ("multi-head", by_value_maps),
    ("multi-head", by_einsum),
    ("multi-head", one_query_at_a_time),
    ("multi-head", scaled_before_the_split),
    ("multi-head", in_float32),
    ("multi-head", lambda *inputs: by_helpers(*inputs).tolist()),
]


def steps(
    project=lambda x, w: x @ w, split=split_heads, root=lambda q, x, h: np.sqrt(q.shape[-1]), share=softmax,
    merge=merge_heads, out=lambda merged, w_o: merged @ w_o,
):  # fmt: skip
    """The frame of an answer in five steps, with a learner's own step in one or two places."""

    def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
        queries, keys, values = (split(project(x, w), n_heads) for w in (w_q, w_k, w_v))
        scores = queries @ np.swapaxes(keys, -1, -2) / root(queries, x, n_heads)
        return out(merge(share(scores) @ values), w_o)

    return my_multi_head


def reshape_only_split(rows, n_heads):
    return rows.reshape(*rows.shape[:-2], n_heads, rows.shape[-2], -1)


def reshape_only_merge(heads):
    return heads.reshape(*heads.shape[:-3], heads.shape[-2], -1)


def naive_softmax(scores):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def softmax_with_the_largest_of_all(scores):
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def never_swapped(x, w_q, w_k, w_v, w_o, n_heads):
    def split(rows):
        return rows.reshape(*rows.shape[:-1], n_heads, -1)

    output, _ = attention(split(x @ w_q), split(x @ w_k), split(x @ w_v))
    return output.reshape(*output.shape[:-2], -1) @ w_o


def one_big_head(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(x @ w_q, x @ w_k, x @ w_v)
    return output @ w_o


def d_head_from_x(x, w_q, w_k, w_v, w_o, n_heads):
    *stack, n, d_model = x.shape
    d_head = d_model // n_heads
    queries, keys, values = (
        (x @ w).reshape(*stack, n, n_heads, d_head).swapaxes(-3, -2) for w in (w_q, w_k, w_v)
    )
    output, _ = attention(queries, keys, values)
    return output.swapaxes(-3, -2).reshape(*stack, n, d_model) @ w_o


def merged_to_d_model(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(*(split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)))
    return output.swapaxes(-3, -2).reshape(x.shape) @ w_o


def as_in_pytorch(x, w_q, w_k, w_v, w_o, n_heads):
    batch, n, _ = x.shape
    queries, keys, values = (
        (x @ w).reshape(batch, n, n_heads, -1).transpose(0, 2, 1, 3) for w in (w_q, w_k, w_v)
    )
    output, _ = attention(queries, keys, values)
    return output.transpose(0, 2, 1, 3).reshape(batch, n, -1) @ w_o


def two_axes_only(x, w_q, w_k, w_v, w_o, n_heads):
    n, _ = x.shape
    queries, keys, values = ((x @ w).reshape(n, n_heads, -1).transpose(1, 0, 2) for w in (w_q, w_k, w_v))
    output, _ = attention(queries, keys, values)
    return output.transpose(1, 0, 2).reshape(n, -1) @ w_o


def each_head_with_its_w_o_side_by_side(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(*(split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)))
    d_head = output.shape[-1]
    parts = [output[..., h, :, :] @ w_o[h * d_head : (h + 1) * d_head] for h in range(n_heads)]
    return np.concatenate(parts, axis=-1)


def each_head_with_columns_of_w_o(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(*(split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)))
    d_head = output.shape[-1]
    return sum(output[..., h, :, :] @ w_o[:, h * d_head : (h + 1) * d_head] for h in range(n_heads))


def each_head_with_its_w_o_averaged(x, w_q, w_k, w_v, w_o, n_heads):
    return as_a_sum_over_heads(x, w_q, w_k, w_v, w_o, n_heads) / n_heads


def last_head_of_a_loop(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    for h in range(n_heads):
        run = slice(h * d_head, (h + 1) * d_head)
        output, _ = attention(x @ w_q[:, run], x @ w_k[:, run], x @ w_v[:, run])
        result = output @ w_o[run]
    return result


def joined_sentences(x, w_q, w_k, w_v, w_o, n_heads):
    flat = x.reshape(-1, x.shape[-1])
    return by_helpers(flat, w_q, w_k, w_v, w_o, n_heads).reshape(x.shape)


def both_returned(x, w_q, w_k, w_v, w_o, n_heads):
    return multi_head_attention(x, Projections(w_q, w_k, w_v, w_o), n_heads)


def columns_dealt_out(x, w_q, w_k, w_v, w_o, n_heads):
    merged = np.zeros((*x.shape[:-1], w_q.shape[-1]))
    for h in range(n_heads):
        merged[..., h::n_heads], _ = attention(
            x @ w_q[:, h::n_heads], x @ w_k[:, h::n_heads], x @ w_v[:, h::n_heads]
        )
    return merged @ w_o


def into_an_array_like_x(x, w_q, w_k, w_v, w_o, n_heads):
    result = np.zeros_like(x)
    result[...] = by_helpers(x, w_q, w_k, w_v, w_o, n_heads)
    return result


def writes_into_x(x, w_q, w_k, w_v, w_o, n_heads):
    x -= 0.0
    result = by_helpers(x, w_q, w_k, w_v, w_o, n_heads)
    x[...] = 0
    return result


WRONG += [
    ("multi-head", steps(split=reshape_only_split), "one-reshape"),
    ("multi-head", steps(merge=reshape_only_merge), "merge-one-reshape"),
    (
        "multi-head",
        steps(split=reshape_only_split, merge=reshape_only_merge),
        ("one-reshape", "merge-one-reshape"),
    ),
    ("multi-head", steps(root=lambda q, x, h: np.sqrt(x.shape[-1])), "root-d_model"),
    ("multi-head", steps(root=lambda q, x, h: np.sqrt(q.shape[-1] * h)), "root-all-heads"),
    ("multi-head", steps(root=lambda q, x, h: q.shape[-1] * h), "all-heads"),
    ("multi-head", steps(root=lambda q, x, h: x.shape[-1]), "d_model"),
    ("multi-head", steps(root=lambda q, x, h: 1), "never-scaled"),
    ("multi-head", steps(root=lambda q, x, h: q.shape[-1]), "divided-by-d_k"),
    ("multi-head", steps(root=lambda q, x, h: np.sqrt(x.shape[-1] // h)), "width-of-x"),
    ("multi-head", steps(root=lambda q, x, h: np.sqrt(h)), "root-n_heads"),
    ("multi-head", steps(share=lambda s: softmax(s, axis=-2)), "over-queries"),
    ("multi-head", steps(share=lambda s: softmax(s, axis=-3)), "over-heads"),
    ("multi-head", steps(share=lambda s: softmax(s, axis=1)), "axis-1"),
    ("multi-head", steps(share=lambda s: softmax(s, axis=0)), "axis-0"),
    ("multi-head", steps(share=lambda s: softmax(s, axis=2)), "axis-2"),
    ("multi-head", steps(share=naive_softmax), "no-row-max"),
    ("multi-head", steps(share=softmax_with_the_largest_of_all), "whole-max"),
    ("multi-head", steps(share=lambda s: np.exp(s) / np.exp(s).sum()), ("over-everything", "no-row-max")),
    ("multi-head", steps(share=lambda s: s), "no-softmax"),
    ("multi-head", steps(merge=lambda heads: heads.sum(axis=-3)), "one-head-wide"),
    ("multi-head", steps(merge=lambda heads: heads.mean(axis=-3)), "one-head-wide"),
    ("multi-head", each_head_with_columns_of_w_o, "one-head-wide"),
    ("multi-head", steps(merge=lambda h: h.sum(axis=-3), out=lambda merged, w_o: merged), "one-head-wide"),
    ("multi-head", steps(out=lambda merged, w_o: merged), "no-w_o"),
    ("multi-head", steps(out=lambda merged, w_o: merged @ w_o.T), "matrices-transposed"),
    ("multi-head", steps(project=lambda x, w: x @ w.T), "matrices-transposed"),
    ("multi-head", steps(project=lambda x, w: w @ x), "matrix-on-the-left"),
    ("multi-head", lambda x, a, b, c, d, h: by_helpers(x, b, a, c, d, h), "w_q-and-w_k-swapped"),
    ("multi-head", lambda x, a, b, c, d, h: by_helpers(x, a, c, b, d, h), "w_k-and-w_v-swapped"),
    ("multi-head", lambda x, a, b, c, d, h: by_helpers(x, a, b, b, d, h), "values-from-w_k"),
    ("multi-head", lambda x, a, b, c, d, h: by_helpers(x, a, a, c, d, h), "w_q-twice"),
    ("multi-head", lambda x, a, b, c, d, h: by_helpers(x, a, a, a, d, h), "one-matrix"),
    ("multi-head", lambda x, a, b, c, d, h: by_helpers(x, a, b, c, d, h) + x, "residual-added"),
    ("multi-head", never_swapped, "heads-attend-to-heads"),
    ("multi-head", one_big_head, "one-head"),
    ("multi-head", lambda x, a, b, c, d, h: by_helpers(x, a, b, c, d, 1), "one-head"),
    ("multi-head", lambda x, a, b, c, d, h: by_helpers(x, a, b, c, d, 2), "fixed-heads"),
    ("multi-head", d_head_from_x, "width-of-x"),
    ("multi-head", merged_to_d_model, "width-of-x"),
    ("multi-head", as_in_pytorch, "three-axes-only"),
    ("multi-head", two_axes_only, "one-matrix-only"),
    ("multi-head", each_head_with_its_w_o_side_by_side, "w_o-in-each-head"),
    ("multi-head", each_head_with_its_w_o_averaged, "heads-averaged"),
    ("multi-head", last_head_of_a_loop, "one-head-only"),
    ("multi-head", joined_sentences, "sentences-joined"),
    ("multi-head", columns_dealt_out, "interleaved"),
    ("multi-head", into_an_array_like_x, "whole-numbers-kept"),
    ("multi-head", steps(split=lambda r, h: np.stack([r] * h, axis=-3)), "whole-width"),
    ("multi-head", both_returned, None),
    ("multi-head", writes_into_x, None),
    ("multi-head", steps(root=lambda q, x, h: np.sqrt(q.shape[-1] + 1)), None),
    ("multi-head", lambda x, a, b, c, d, h: 2 * by_helpers(x, a, b, c, d, h), None),
]


def the_same_columns_in_each_head(x, w_q, w_k, w_v, w_o, n_heads):
    d_head = w_q.shape[1] // n_heads
    queries, keys, values = (x @ w[:, :d_head] for w in (w_q, w_k, w_v))
    return np.concatenate([attention(queries, keys, values)[0] for _ in range(n_heads)], axis=-1) @ w_o


def never_merged(x, w_q, w_k, w_v, w_o, n_heads):
    output, _ = attention(*(split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)))
    return output @ w_o


def both_merged(x, w_q, w_k, w_v, w_o, n_heads):
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    return merge_heads(attention(queries, keys, values)) @ w_o


def both_swapped(x, w_q, w_k, w_v, w_o, n_heads):
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    both: Any = attention(queries, keys, values)
    return both.swapaxes(-3, -2).reshape(*x.shape[:-1], -1) @ w_o


def average_of_the_weights(x, w_q, w_k, w_v, w_o, n_heads):
    queries, keys = split_heads(x @ w_q, n_heads), split_heads(x @ w_k, n_heads)
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    return weights.mean(axis=-3) @ (x @ w_v) @ w_o


def split_then_projected(x, w_q, w_k, w_v, w_o, n_heads):
    heads = split_heads(x, n_heads)
    return merge_heads(attention(heads @ w_q, heads @ w_k, heads @ w_v)[0]) @ w_o


def matched_by(match):
    def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads):
        queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
        weights = softmax(match(queries, keys) / np.sqrt(queries.shape[-1]))
        return merge_heads(weights @ values) @ w_o

    return my_multi_head


def a_batch_is_made(x, w_q, w_k, w_v, w_o, n_heads):
    n = x.shape[-2]
    queries, keys, values = (
        (x @ w).reshape(-1, n, n_heads, w.shape[-1] // n_heads).transpose(0, 2, 1, 3) for w in (w_q, w_k, w_v)
    )
    output, _ = attention(queries, keys, values)
    return output.transpose(0, 2, 1, 3).reshape(-1, n, w_v.shape[-1]) @ w_o


WRONG += [
    ("multi-head", the_same_columns_in_each_head, "same-columns"),
    ("multi-head", never_merged, "one-head-wide"),
    ("multi-head", both_merged, None),
    ("multi-head", both_swapped, None),
    ("multi-head", average_of_the_weights, "weights-averaged"),
    ("multi-head", split_then_projected, "split-before-projecting"),
    ("multi-head", matched_by(lambda q, k: q @ k.T), "all-axes-reversed"),
    ("multi-head", matched_by(lambda q, k: q @ k), "not-transposed"),
    ("multi-head", a_batch_is_made, "three-axes-only"),
    ("multi-head", steps(root=lambda q, x, h: h), "n_heads"),
    (
        "multi-head",
        steps(root=lambda q, x, h: np.sqrt(x.shape[-1]), share=naive_softmax),
        ("root-d_model", "no-row-max"),
    ),
    (
        "multi-head",
        steps(root=lambda q, x, h: 1, merge=reshape_only_merge),
        ("never-scaled", "merge-one-reshape"),
    ),
    ("split-heads", lambda r, h: r.reshape(h, -1, r.shape[-1] // h), "one-reshape"),
    ("split-heads", lambda r, h: r.reshape(r.shape[0], h, -1).transpose(1, 0, 2), "first-axis-as-tokens"),
    ("split-heads", lambda r, h: r.reshape(*r.shape[:-1], h, -1).transpose(-2, -3), "two-axes-transposed"),
    ("split-heads", lambda r, h: r.reshape(*r.shape[:2], h, -1).transpose(0, 2, 1, 3), "three-axes-only"),
    ("merge-bug", lambda h: np.swapaxes(h, -3, -2).reshape(*h.shape[:-2], -1), "rows-not-tokens"),
    ("merge-bug", lambda h: np.swapaxes(h, -3, -2).reshape(h.shape[0], -1), "rows-not-tokens"),
    ("merge-bug", lambda h: h.transpose(-2, -3).reshape(*h.shape[:-2], -1), "two-axes-transposed"),
    (
        "merge-bug",
        lambda h: np.concatenate([h[:, i] for i in range(h.shape[1])], axis=-1),
        "swapped-in-front-of-a-batch",
    ),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(q.shape[1])), "root-axis-1"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(len(q))), "root-first-axis"),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(q.shape[-1] / q.shape[-3])), "root-before-heads"),
    ("head-scale-bug", by(lambda q, k, width: 1 / np.sqrt(width)), "multiplied-by-root-d_model"),
]

# --- count-parameters


def count_layer_by_layer(d_model, d_head, n_heads, n_layers):
    total = 0
    for _layer in range(n_layers):
        for _head in range(n_heads):
            total += 3 * d_model * d_head  # queries, keys, values
        total += n_heads * d_head * d_model
    return total


def count_by_building(d_model, d_head, n_heads, n_layers):
    width = n_heads * d_head
    shapes = [(d_model, width)] * 3 + [(width, d_model)]
    return n_layers * sum(math.prod(shape) for shape in shapes)


def count_with_w_o_square(d_model, d_head, n_heads, n_layers):
    w_o = d_model * d_model
    return n_layers * (3 * d_model * n_heads * d_head + w_o)


def count_with_w_o_once(d_model, d_head, n_heads, n_layers):
    return n_layers * 3 * d_model * n_heads * d_head + n_heads * d_head * d_model


def count_with_biases(d_model, d_head, n_heads, n_layers):
    width = n_heads * d_head
    one = d_model * width + width
    return n_layers * (3 * one + width * d_model + d_model)


def count_of_one_head(d_model, d_head, n_heads, n_layers):
    return n_layers * (3 * d_model * d_head + d_head * d_model)


def count_with_w_o_in_each_head(d_model, d_head, n_heads, n_layers):
    one_head = 3 * d_model * d_head + n_heads * d_head * d_model
    return n_layers * n_heads * one_head


def count_with_floor(d_model, d_head, n_heads, n_layers):
    d_head = d_model // n_heads
    return 4 * d_model * d_head * n_heads * n_layers


RIGHT += [
    ("count-parameters", count_layer_by_layer),
    ("count-parameters", count_by_building),
    ("count-parameters", lambda d, k, h, n: 4 * d * k * h * n),
    ("count-parameters", lambda d, k, h, n: float(4 * d * k * h * n)),
    ("count-parameters", lambda *sizes: 4 * math.prod(sizes)),
    ("count-parameters", lambda *sizes: np.prod(sizes, dtype=np.int64) * 4),
    ("count-parameters", lambda d, k, h, n: n * (2 * d * h * k + 2 * h * k * d)),
    ("count-parameters", lambda d, k, h, n: sum(4 * d * k for _ in range(h * n))),
    ("count-parameters", lambda d, k, h, n: np.array([4 * d * k * h * n])[0]),
]

WRONG += [
    ("count-parameters", lambda d, k, h, n: 3 * d * k * h * n, "three-matrices"),
    ("count-parameters", lambda d, k, h, n: d * k * h * n, "one-matrix"),
    ("count-parameters", lambda d, k, h, n: 2 * d * k * h * n, "two-matrices"),
    ("count-parameters", lambda d, k, h, n: 4 * d * k * h, "one-layer"),
    ("count-parameters", lambda d, k, h, n: 4 * d * k * n, "one-head"),
    ("count-parameters", count_of_one_head, "one-head"),
    ("count-parameters", lambda d, k, h, n: 4 * d * k * h * h * n, "heads-twice"),
    ("count-parameters", lambda d, k, h, n: 4 * d * d * n, "d_model-squared"),
    ("count-parameters", lambda d, k, h, n: 4 * d**2 * h * n, "d_model-squared-in-each-head"),
    ("count-parameters", count_with_floor, "d_head-from-d_model"),
    ("count-parameters", lambda d, k, h, n: 4 * (h * k) ** 2 * n, "heads-squared-width"),
    ("count-parameters", lambda d, k, h, n: 4 * k * k * h * n, "d_head-squared"),
    ("count-parameters", lambda d, k, h, n: 4 * k * h * n, "no-d_model"),
    ("count-parameters", lambda d, k, h, n: 4 * d * h * n, "no-d_head"),
    ("count-parameters", lambda d, k, h, n: 4 * (d + k) * h * n, "sizes-added"),
    ("count-parameters", lambda d, k, h, n: 4 * (d + k * h) * n, "rows-and-columns-added"),
    ("count-parameters", count_with_w_o_square, "w_o-square"),
    ("count-parameters", count_with_w_o_once, "w_o-once-in-all"),
    ("count-parameters", count_with_biases, "biases"),
    ("count-parameters", lambda d, k, h, n: n * (4 * d * k * h + 4 * d), "biases"),
    ("count-parameters", count_with_w_o_in_each_head, "w_o-in-each-head"),
    ("count-parameters", lambda d, k, h, n: n * (3 * h * d * k + d * k), "w_o-of-one-head"),
    ("count-parameters", lambda d, k, h, n: n * (3 * d * k + h * k * d), "w_o-alone-for-all-heads"),
    ("count-parameters", lambda d, k, h, n: n * (4 * d * k * h + 8 * d * d), "whole-block"),
    ("count-parameters", lambda d, k, h, n: 4 * d * k * h + n, "layers-added"),
    ("count-parameters", lambda d, k, h, n: 4 * d * k * h * n / 1e9, "in-billions"),
    ("count-parameters", lambda d, k, h, n: 16 * d * k * h * n, "bytes"),
    ("count-parameters", lambda d, k, h, n: 3 * d * k * h, ("three-matrices", "one-layer")),
    ("count-parameters", lambda d, k, h, n: 3 * d * d * n, ("three-matrices", "d_model-squared")),
    ("count-parameters", lambda d, k, h, n: 12 * d * d * n, ("d_model-squared", "whole-block")),
    ("count-parameters", lambda d, k, h, n: 6 * d * k * h * n, None),
    ("count-parameters", lambda d, k, h, n: 4 * d * k * h * n + 1000, None),
    ("count-parameters", lambda d, k, h, n: "57,982,058,496", None),
    ("count-parameters", lambda d, k, h, n: [4 * d * k * h] * n, None),
    ("count-parameters", lambda d, k, h, n: 57982058496, None),
]


# --- from a trial by a reader who had not seen the catalogue


def split_by_view_of_a_batch(rows, n_heads):
    b, n, d = rows.shape
    return rows.view(b, n, n_heads, d // n_heads).transpose(1, 2)


def split_by_permute_of_a_batch(rows, n_heads):
    b, n, d = rows.shape
    return rows.reshape(b, n, n_heads, d // n_heads).permute(0, 2, 1, 3)


def split_by_transpose_of_a_batch(rows, n_heads):
    b, n, d = rows.shape
    return rows.reshape(b, n, n_heads, d // n_heads).transpose(1, 2)


def split_with_a_batch_of_one(rows, n_heads):
    if rows.ndim == 2:
        rows = rows[None]
    b, n, _ = rows.shape
    return rows.reshape(b, n, n_heads, -1).transpose(0, 2, 1, 3)


def split_the_tokens(rows, n_heads):
    return np.stack(np.array_split(rows, n_heads, axis=-2), axis=-3)


def split_in_turn_unswapped(rows, n_heads):
    *s, n, d = rows.shape
    return np.swapaxes(rows.reshape(*s, n, d // n_heads, n_heads), -1, -2)


def split_with_heads_last(rows, n_heads):
    *s, n, d = rows.shape
    return rows.reshape(*s, n, d // n_heads, n_heads)


def split_one_below_the_other(rows, n_heads):
    return np.concatenate(np.split(rows, n_heads, axis=-1), axis=-2)


def merge_by_transpose_of_a_batch(heads):
    b, h, n, d = heads.shape
    return heads.transpose(1, 2).reshape(b, n, h * d)


def merge_to_three_axes(heads):
    h, n, d = heads.shape[-3:]
    return heads.swapaxes(-3, -2).reshape(-1, n, h * d)


def scores_added_up(queries, keys, n_heads):
    a, b = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return (a @ np.swapaxes(b, -1, -2) / np.sqrt(a.shape[-1])).sum(-3)


def scores_averaged(queries, keys, n_heads):
    a, b = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return (a @ np.swapaxes(b, -1, -2) / np.sqrt(a.shape[-1])).mean(-3)


def scores_never_split(queries, keys, n_heads):
    return queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1] // n_heads)


def scores_never_split_by_d_model(queries, keys, n_heads):
    return queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])


def projected_and_split(x, w_q, w_k, w_v, n_heads):
    return [split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)]


def block_as_in_pytorch(x, w_q, w_k, w_v, w_o, n_heads):
    b, n, _ = x.shape
    h = [(x @ m).reshape(b, n, n_heads, -1).transpose(1, 2) for m in (w_q, w_k, w_v)]
    return attention(*h)[0].transpose(1, 2).reshape(b, n, -1) @ w_o


def block_with_queries_as_they_are(x, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = split_heads(x, n_heads), split_heads(x @ w_k, n_heads), split_heads(x @ w_v, n_heads)
    return merge_heads(attention(q, k, v)[0]) @ w_o


def block_with_keys_as_they_are(x, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = split_heads(x @ w_q, n_heads), split_heads(x, n_heads), split_heads(x @ w_v, n_heads)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return merge_heads(softmax(scores) @ v) @ w_o


def block_with_counts_swapped(x, w_q, w_k, w_v, w_o, n_heads):
    outputs = []
    for h in range(w_q.shape[1] // n_heads):
        s = slice(h * n_heads, (h + 1) * n_heads)
        outputs.append(attention(x @ w_q[:, s], x @ w_k[:, s], x @ w_v[:, s])[0])
    return np.concatenate(outputs, -1) @ w_o


def block_with_weights_twice(x, w_q, w_k, w_v, w_o, n_heads):
    output, weights = attention(*projected_and_split(x, w_q, w_k, w_v, n_heads))
    return merge_heads(weights @ output) @ w_o


def block_that_returns_weights(x, w_q, w_k, w_v, w_o, n_heads):
    return attention(*projected_and_split(x, w_q, w_k, w_v, n_heads))[1]


def block_that_merges_weights(x, w_q, w_k, w_v, w_o, n_heads):
    return merge_heads(attention(*projected_and_split(x, w_q, w_k, w_v, n_heads))[1]) @ w_o


def count_with_d_head_worked_out(d_model, d_head, n_heads, n_layers):
    d_head = d_model // n_heads
    return n_layers * 4 * d_model * n_heads * d_head


WRONG += [
    ("split-heads", split_by_view_of_a_batch, "three-axes-as-in-pytorch"),
    ("split-heads", split_by_permute_of_a_batch, "three-axes-as-in-pytorch"),
    ("split-heads", split_by_transpose_of_a_batch, "three-axes-as-in-pytorch"),
    ("split-heads", split_with_a_batch_of_one, "three-axes-only"),
    ("split-heads", split_the_tokens, "tokens-cut"),
    ("split-heads", split_in_turn_unswapped, "interleaved-not-swapped"),
    ("split-heads", split_with_heads_last, "heads-last"),
    ("split-heads", split_one_below_the_other, "one-below-the-other"),
    ("merge-bug", merge_by_transpose_of_a_batch, "batch-of-heads-transposed"),
    ("merge-bug", merge_to_three_axes, "always-three-axes"),
    ("head-scale-bug", scores_added_up, "one-table"),
    ("head-scale-bug", scores_never_split, "one-table"),
    ("head-scale-bug", scores_never_split_by_d_model, "one-table"),
    ("head-scale-bug", scores_averaged, "heads-averaged"),
    ("multi-head", block_as_in_pytorch, "three-axes-as-in-pytorch"),
    ("multi-head", block_with_queries_as_they_are, "split-before-projecting"),
    ("multi-head", block_with_keys_as_they_are, "split-before-projecting"),
    ("multi-head", block_with_counts_swapped, "counts-swapped"),
    ("multi-head", block_with_weights_twice, "weights-twice"),
    ("multi-head", block_that_returns_weights, "weights-not-output"),
    ("multi-head", block_that_merges_weights, "weights-not-output"),
    ("count-parameters", count_with_d_head_worked_out, "d_head-from-d_model"),
    ("count-parameters", lambda d, k, h, n: 3 * d * k * n, ("three-matrices", "one-head")),
]


def names(mistake):
    return ((mistake,),) if isinstance(mistake, str) else ((mistake,) if mistake else ())


@pytest.mark.parametrize(("name", "attempt"), RIGHT, ids=[name for name, _ in RIGHT])
def test_right_in_any_style(name, attempt):
    feedback = evaluate(name, attempt)
    assert feedback.status == "right", feedback.text


@pytest.mark.parametrize(
    ("name", "attempt", "mistake"), WRONG, ids=[f"{name}-{mistake}" for name, _, mistake in WRONG]
)
def test_wrong_answers_are_rejected_and_named(name, attempt, mistake):
    feedback = evaluate(name, attempt)
    assert feedback.status == "wrong"
    assert feedback.named == names(mistake), feedback.text


def test_there_are_enough_of_each():
    for name in ("split-heads", "merge-bug", "head-scale-bug", "multi-head", "count-parameters"):
        assert sum(wrong[0] == name for wrong in WRONG) >= 25
        assert sum(right[0] == name for right in RIGHT) >= 8


# --- what is said where no name fits


def block_with_layer_norm(x, w_q, w_k, w_v, w_o, n_heads):
    y = x + by_helpers(x, w_q, w_k, w_v, w_o, n_heads)
    return (y - y.mean(-1, keepdims=True)) / y.std(-1, keepdims=True)


def split_by_view(rows, n_heads):
    *s, n, d = rows.shape
    return rows.view(*s, n, n_heads, d // n_heads).swapaxes(-3, -2)


def split_by_permute(rows, n_heads):
    *s, n, d = rows.shape
    return rows.reshape(*s, n, n_heads, d // n_heads).permute(1, 0, 2)


def scores_rounded_down(queries, keys, n_heads):
    a, b = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return a @ np.swapaxes(b, -1, -2) / np.sqrt(queries.shape[-1]) // n_heads


def scores_swapped_back(queries, keys, n_heads):
    return np.swapaxes(right_scores(queries, keys, n_heads), -3, -2)


SAYS: list[tuple[str, Any, str]] = [
    ("split-heads", split_with_a_float, "`//` gives a whole number, which shapes and range() need"),
    ("split-heads", split_by_float_slices, "`//` gives a whole number, which places in an array need"),
    ("split-heads", lambda r, h: split_heads(r, h) + 1, "Every number should come out once, unchanged"),
    (
        "split-heads",
        lambda r, h: np.roll(split_heads(r, h), 1, axis=-2),
        "the first d_head numbers of token 0",
    ),
    ("merge-bug", merge_too_far, "Every number should come out once, unchanged"),
    ("merge-bug", lambda h: np.roll(merge_heads(h), 1, axis=-1), "start with what head 0 has of token 0"),
    (
        "merge-bug",
        lambda h: np.concatenate([h[..., 0, :, :], *np.moveaxis(h[..., :0:-1, :, :], -3, 0)], axis=-1),
        "go on with head 1's numbers",
    ),
    ("head-scale-bug", by(lambda q, k, width: np.sqrt(width / 2)), "0.707 times what it should be"),
    (
        "head-scale-bug",
        lambda q, k, h: right_scores(np.roll(q, 1, axis=-1), k, h),
        "Head 0 should look at the first d_head columns only",
    ),
    ("multi-head", both_merged, "Take them apart first: output, weights = attention(...)"),
    ("multi-head", both_swapped, "Take them apart first: output, weights = attention(...)"),
    ("multi-head", both_returned, "Return the one that the task asks for, alone."),
    (
        "multi-head",
        lambda *inputs: 2 * by_helpers(*inputs),
        "Every number here is 2 times what it should be.",
    ),
    ("multi-head", steps(root=lambda q, x, h: 1.5), "from queries, keys, the split, scale and softmax"),
    ("multi-head", steps(root=lambda q, x, h: 1.5), 'Worth rereading: Lesson 06, "Splitting into heads"'),
    (
        "multi-head",
        steps(merge=lambda h: np.roll(merge_heads(h), 1, -1)),
        "look at the values, at merging, at W_O and at what comes after it",
    ),
    ("multi-head", block_with_layer_norm, "at W_O and at what comes after it"),
    ("split-heads", split_by_view, "NumPy's `view` is not PyTorch's"),
    ("split-heads", split_by_permute, "`permute` is PyTorch's word"),
    ("head-scale-bug", scores_rounded_down, "`//` rounds down what it divides"),
    ("head-scale-bug", scores_swapped_back, "The shape should be (2, 3, 5); yours is (3, 2, 5)."),
    ("head-scale-bug", scores_swapped_back, 'Worth rereading: Lesson 06, "Splitting into heads"'),
    ("multi-head", lambda x, a, b, c, d, h: by_helpers(x, a, b, c, c.T, h), "Halving w_o changes nothing"),
    ("count-parameters", lambda d, k, h, n: 7 * d * k * h * n, "7 times d_model·d_head·n_heads·n_layers"),
    ("count-parameters", lambda d, k, h, n: 57982058496, "d_model does not matter to your count"),
    ("count-parameters", lambda d, k, h, n: 4 * d * k * h * n + 100, "yours go from 940 to 1,780"),
    ("count-parameters", lambda d, k, h, n: 4.001 * d * k * h * n, "so it should be whole"),
]


@pytest.mark.parametrize(("name", "attempt", "said"), SAYS)
def test_where_no_name_fits_the_reply_still_helps(name, attempt, said):
    feedback = evaluate(name, attempt)
    assert feedback.named == ()
    assert said in " ".join(feedback.text.split())


def test_leading_axes_are_called_by_their_names():
    def last_text_only(rows, n_heads):
        heads = split_heads(rows, n_heads)
        if rows.ndim == 4:
            heads[1, 2, 0] = 0
        return heads

    text = evaluate("split-heads", last_text_only).text
    assert "For text 1, sentence 2, head 0, token 0" in text


# --- predictions and the head that is built

BEFORE = [0, 0, 1, 2, 3, 4]
HEADS: list[tuple[Any, str]] = [
    (5 * np.eye(6)[BEFORE], ""),
    ((4 * np.eye(6)[BEFORE]).tolist(), ""),
    (np.where(np.eye(6)[BEFORE] == 1, 0, -np.inf), ""),
    (np.where(np.eye(6)[BEFORE] == 1, -3.0, -np.inf).tolist(), ""),
    (100 * np.eye(6)[BEFORE] + 7, ""),
    (-10 * abs(np.arange(6) - np.array(BEFORE)[:, None]), ""),
    (np.log(45.001) * np.eye(6)[BEFORE], ""),
    (np.log([[0.9 if j == i else 0.02 for j in range(6)] for i in BEFORE]), ""),
    (np.log(44.9) * np.eye(6)[BEFORE], "too-flat"),
    (np.eye(6)[BEFORE], "weights-as-scores"),
    ([[0.95 if j == i else 0.01 for j in range(6)] for i in BEFORE], "weights-as-scores"),
    (9 * np.eye(6)[BEFORE].T, "next-token"),
    (9 * np.eye(6, k=1), "next-token"),
    (np.where(np.eye(6, k=1) + np.diag([0, 0, 0, 0, 0, 1]) == 1, 0, -np.inf), "next-token"),
    (9 * np.eye(6, k=-1), "first-row"),
    (np.where(np.eye(6)[BEFORE].T == 1, 0, -np.inf), "next-token"),
    (np.where(np.eye(6, k=1) == 1, 0, -np.inf), "next-token"),
    (np.where(np.eye(6, k=-1) == 1, 0.0, -np.inf), "empty-row"),
    (9 * np.roll(np.eye(6), 1, axis=0), "round-the-end"),
    (9 * np.eye(6), "itself"),
    (9 * np.eye(6) + 9 * np.eye(6, k=-1), "itself-too"),
    (9 * np.eye(6, k=-2), "two-back"),
    (-9 * np.eye(6)[BEFORE], "sign-turned"),
    (np.ones((6, 6)), "all-equal"),
    (np.where(np.tri(6) == 1, 0, -np.inf), "all-earlier"),
    (9 * np.eye(6)[[0] * 6], "first-token"),
]


@pytest.mark.parametrize(("scores", "mistake"), HEADS)
def test_heads_built_by_hand(scores, mistake):
    feedback = evaluate("head-builder", scores)
    assert feedback.status == ("wrong" if mistake else "right"), feedback.text
    assert feedback.mistakes == ((mistake,) if mistake else ())


def test_a_head_is_judged_by_its_weights_and_the_row_is_shown():
    text = evaluate("head-builder", 2 * np.eye(6)[BEFORE]).text
    weights = softmax(2 * np.eye(6)[BEFORE])
    assert f"cat (row 1) gives {weights[1, 0]:.2f} to The (column 0)." in text
    assert "weights of cat (row 1)  " + "  ".join(f"{weight:.2f}" for weight in weights[1]) in text


@pytest.mark.parametrize("mask", [np.eye(6)[BEFORE] == 1, (np.eye(6)[BEFORE] == 1).tolist()])
def test_a_mask_is_no_table_of_scores(mask):
    feedback = evaluate("head-builder", mask)
    assert feedback.status == "wrong"
    assert "this holds True and False, as a mask does" in feedback.text


def test_a_row_with_two_large_scores_is_told_that_one_should_stand_out():
    scores = 9 * np.eye(6)[BEFORE]
    scores[5, 5] = 9
    assert "and no other as large" in " ".join(evaluate("head-builder", scores).text.split())


def test_how_many_scores_there_are_is_no_shape():
    assert evaluate("predict-heads", 216).mistakes == ("how-many",)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_only_minus_infinity_may_stand_among_the_scores(number):
    scores = np.zeros((6, 6))
    scores[2, 3] = number
    assert "finite, or −inf; one of these is nan or +inf" in evaluate("head-builder", scores).text
    others = evaluate("scores-for", [0.0, -np.inf, 1.0]).text
    assert "the numbers should be finite; one of these is nan or infinite" in others


@pytest.mark.parametrize("odd", [None, "diagonal", 3, [1, 2], np.zeros((5, 6)), [[1]] * 6, {"a": 1}, print])
def test_odd_answers_get_a_sentence(odd):
    for name in ("predict-heads", "rank", "head-builder"):
        feedback = evaluate(name, odd)
        assert feedback.status in ("not attempted", "wrong")
        assert "could not be compared" not in feedback.text


def test_predictions_follow_from_the_helpers():
    rows = np.zeros((2, 6, 12))
    heads = split_heads(rows, 3)
    assert (heads @ np.swapaxes(heads, -1, -2)).shape == exercise("predict-heads").answer
    w_v, w_o = np.random.default_rng(6).normal(size=(2, 12, 12))
    ranks = [np.linalg.matrix_rank(w_v[:, 4 * h : 4 * h + 4] @ w_o[4 * h : 4 * h + 4]) for h in range(3)]
    assert ranks == [exercise("rank").answer] * 3


def test_the_count_of_the_largest_model():
    assert exercise("count-parameters").right(12288, 128, 96, 96) == 57_982_058_496


def test_large_scores_are_exact_in_single_precision():
    """So that an answer in float32 is not turned down for its rounding."""
    hard = [probe.inputs for probe in exercise("multi-head").probes if probe.hard]
    assert len(hard) == 3
    for inputs in hard:
        for w in (inputs["w_q"], inputs["w_k"]):
            exact = inputs["x"] @ w
            single = inputs["x"].astype(np.float32) @ w.astype(np.float32)
            assert np.array_equal(exact, single)


# --- attempts that harm


def endless(*_inputs):
    while True:
        pass


BAD: list[tuple[Any, str]] = [
    (lambda *inputs: None, "not attempted yet"),
    (lambda *inputs: 1.0, "got shape       ()"),
    (lambda *inputs: np.zeros((2, 3)), "got shape       (2, 3)"),
    (lambda x, *others: x * np.nan, "nan"),
    (lambda *inputs: print("look") or by_helpers(*inputs), "look"),
    (
        lambda x, n_heads: x,
        "with 6 arguments, (x, w_q, w_k, w_v, w_o, n_heads), and yours takes (x, n_heads)",
    ),
    (lambda x, *others: x @ others[7], "IndexError"),
    (lambda x, *others: x > 0, "True and False"),
    (endless, "your function was stopped"),
    (3.0, "needs the function itself"),
    (np.eye(2), "the result of a call"),
]


@pytest.mark.parametrize(("attempt", "said"), BAD)
def test_bad_attempts_get_a_clear_sentence(attempt, said, monkeypatch):
    monkeypatch.setattr("helpers.exercises.engine.sandbox.SECONDS", 1.0)
    assert said in evaluate("multi-head", attempt).text


def test_an_endless_attempt_is_stopped_after_one_in_another_thread(monkeypatch):
    """The two ways of stopping follow each other in one process: the second once hung."""
    monkeypatch.setattr("helpers.exercises.engine.sandbox.SECONDS", 0.3)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(evaluate("multi-head", endless).text))
    thread.start()
    thread.join(10)
    found.append(evaluate("multi-head", endless).text)
    assert all("your function was stopped" in text for text in found)
    assert evaluate("multi-head", by_helpers).status == "right"


def test_an_input_that_is_changed_is_named():
    def in_place(heads):
        merged = merge_heads(heads)
        heads[...] = 0
        return merged

    feedback = evaluate("merge-bug", in_place)
    assert feedback.status == "wrong"
    assert feedback.properties == ("input left unchanged",)


def test_a_hint_and_a_solution_come_for_each(capsys):
    for name in ("predict-heads", "split-heads", "multi-head", "rank", "head-builder", "count-parameters"):
        hint(name)
        solution(name)
    assert "Hint 1 of 3" in capsys.readouterr().out

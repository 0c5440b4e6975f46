"""Answers to lesson 07 as learners write them, in many styles: each is rejected and named, or accepted.

An answer is the source of a function's body, run with what the notebook's set-up cells import.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from handed_out import ANSWERS, GIVEN

from helpers.attention import attention
from helpers.cross_attention import cross_attention
from helpers.datasets import load_digits, load_sounds, load_word_vectors
from helpers.exercises import evaluate
from helpers.exercises.catalogue import find
from helpers.exercises.kinds import Choose, Mend, Predict, Table, Write
from helpers.exercises.lesson_07.alignment_table import ALIGNED, ALIGNED_SCORES, BEST, ENGLISH, GERMAN
from helpers.exercises.lesson_07.new_word import ENGLISH_KEYS, LESSON_ENGLISH, WORD_W_Q
from helpers.masking import padding_mask
from helpers.multi_head import Projections, multi_head_attention
from helpers.readers.digits import add_places, cut_into_patches, draw_grids, read_places
from helpers.readers.model import decode, encode, symbol_error_rate, word_accuracy
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax

ARGUMENTS = {
    "cross-attention": "x, context, w_q, w_k, w_v",
    "context-bug": "x, context, w_q, w_k, w_v",
    "causal-bug": "queries, keys, values",
    "source-mask": "queries, keys, values, source_lengths",
    "accuracy": "written, accepted",
    "share-forward": "weights",
}
IMPORTED = {
    "np": np,
    "Projections": Projections,
    "attention": attention,
    "cross_attention": cross_attention,
    "dot_product_scores": dot_product_scores,
    "multi_head_attention": multi_head_attention,
    "padding_mask": padding_mask,
    "scale_scores": scale_scores,
    "softmax": softmax,
    "symbol_error_rate": symbol_error_rate,
    "word_accuracy": word_accuracy,
}


def written(name: str, body: str) -> Callable[..., Any]:
    """An exercise's name, the lines of a body -> the function."""
    space = dict(IMPORTED)
    exec(f"def mine({ARGUMENTS[name]}):\n{textwrap.indent(textwrap.dedent(body), '    ')}", space)
    return space["mine"]  # type: ignore[return-value]


# --- wrong: (body, the names of the one mistake or the two; () where only properties can be told)

CROSS = [  # for cross-attention and context-bug
    ("return attention(x @ w_q, x @ w_k, context @ w_v)[0]", ("keys-from-x",)),
    ("return attention(x @ w_q, context @ w_k, x @ w_v)[0]", ("values-from-x",)),
    ("return attention(x @ w_q, x @ w_k, x @ w_v)[0]", ("context-ignored",)),
    ("return attention(context @ w_q, context @ w_k, context @ w_v)[0]", ("x-ignored",)),
    ("return attention(context @ w_q, x @ w_k, x @ w_v)[0]", ("sides-swapped",)),
    ("return attention(context @ w_q, x @ w_k, context @ w_v)[0]", ("queries-and-keys-swapped",)),
    (
        """
        both = np.concatenate([x, context], axis=-2)
        return attention(x @ w_q, both @ w_k, both @ w_v)[0]
        """,
        ("both-read",),
    ),
    (
        """
        queries, keys, values = x @ w_q, x @ w_k, context @ w_v
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        return softmax(scores) @ values
        """,
        ("keys-from-x",),
    ),
    (
        """
        q = np.matmul(x, w_q)
        k = np.matmul(context, w_k)
        v = np.matmul(x, w_v)
        s = np.einsum('...id,...jd->...ij', q, k) * q.shape[-1] ** -0.5
        e = np.exp(s - s.max(-1, keepdims=True))
        return (e / e.sum(-1, keepdims=True)) @ v
        """,
        ("values-from-x",),
    ),
    ("return attention(x @ w_q, context @ w_v, context @ w_k)[0]", ("w_k-and-w_v-swapped",)),
    ("return attention(x @ w_k, context @ w_q, context @ w_v)[0]", ("w_q-and-w_k-swapped",)),
    ("return attention(x @ w_q, context @ w_k, context)[0]", ("no-w_v",)),
    ("return attention(x, context, context @ w_v)[0]", ("w_v-only",)),
    (
        """
        queries = x @ w_q
        keys = context @ w_k
        values = keys @ w_v
        return attention(queries, keys, values)[0]
        """,
        ("made-from-a-projection",),
    ),
    ("return attention(x, context, context)[0]", ("no-projection",)),
    ("return attention(x @ w_q.T, context @ w_k.T, context @ w_v.T)[0]", ("matrices-transposed",)),
    ("return attention(w_q @ x, w_k @ context, w_v @ context)[0]", ("factors-turned-round",)),
    ("return x + attention(x @ w_q, context @ w_k, context @ w_v)[0]", ("x-added",)),
    ("return attention(x @ w_q, context @ w_k, context @ w_v)[1]", ("weights-returned",)),
    (
        """
        scores = (x @ w_q) @ np.swapaxes(context @ w_k, -1, -2)
        return softmax(scores) @ (context @ w_v)
        """,
        ("never-scaled",),
    ),
    (
        """
        scores = (x @ w_q) @ np.swapaxes(context @ w_k, -1, -2) / np.sqrt(x.shape[-1])
        return softmax(scores) @ (context @ w_v)
        """,
        ("root-d_model",),
    ),
    (
        """
        scores = (x @ w_q) @ np.swapaxes(context @ w_k, -1, -2) / np.sqrt(context.shape[-1])
        return softmax(scores) @ (context @ w_v)
        """,
        ("root-d_context",),
    ),
    (
        """
        scores = (x @ w_q) @ np.swapaxes(context @ w_k, -1, -2) / np.sqrt(w_v.shape[-1])
        return softmax(scores) @ (context @ w_v)
        """,
        ("root-d_v",),
    ),
    (
        """
        scores = (x @ w_q) @ np.swapaxes(context @ w_k, -1, -2) / np.sqrt(w_q.shape[-1])
        return softmax(scores, axis=-2) @ (context @ w_v)
        """,
        ("over-queries",),
    ),
    (
        """
        scores = (x @ w_q) @ np.swapaxes(context @ w_k, -1, -2) / np.sqrt(w_q.shape[-1])
        return scores @ (context @ w_v)
        """,
        ("no-softmax",),
    ),
    (
        """
        scores = (x @ w_q) @ np.swapaxes(context @ w_k, -1, -2) / np.sqrt(w_q.shape[-1])
        weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        return weights @ (context @ w_v)
        """,
        ("no-row-max",),
    ),
    (
        """
        mean = (context @ w_v).mean(axis=-2, keepdims=True)
        return np.repeat(mean, x.shape[-2], axis=-2)
        """,
        ("equal-weights",),
    ),
    (
        """
        queries, keys, values = x @ w_q, context @ w_k, context @ w_v
        mask = np.tri(queries.shape[-2], keys.shape[-2], dtype=bool)
        return attention(queries, keys, values, mask=mask)[0]
        """,
        ("causal",),
    ),
    (
        """
        queries, keys, values = x @ w_q, context @ w_k, context @ w_v
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
        return softmax(scores) @ values
        """,
        ("causal",),
    ),
    (
        """
        queries, keys, values = x @ w_q, context @ w_k, context @ w_v
        scores = queries @ keys.T / np.sqrt(queries.shape[-1])
        return softmax(scores) @ values
        """,
        ("all-axes-reversed",),
    ),
    (
        """
        output = np.zeros((len(x), w_v.shape[-1]))
        for i, token in enumerate(x):
            weights = softmax((context @ w_k) @ (token @ w_q) / np.sqrt(w_q.shape[-1]))
            output[i] = weights @ (context @ w_v)
        return output
        """,
        ("one-matrix-only",),
    ),
    (
        """
        queries, keys, values = x @ w_q, context @ w_k, context @ w_v
        scores = keys @ np.swapaxes(queries, -1, -2) / np.sqrt(queries.shape[-1])
        return softmax(scores) @ values
        """,
        ("swapped",),
    ),
    (
        "return softmax((x @ w_q) @ np.swapaxes(x @ w_k, -1, -2)) @ (x @ w_v)",
        ("context-ignored", "never-scaled"),
    ),
    (
        """
        matrices = Projections(w_q, w_k, w_v, np.eye(w_v.shape[1]))
        return cross_attention(context, x, matrices)[0]
        """,
        ("sides-swapped",),
    ),
    (
        """
        matrices = Projections(w_q, w_k, w_v, np.eye(w_v.shape[1]))
        return multi_head_attention(x, matrices, n_heads=1)[0]
        """,
        ("context-ignored",),
    ),
    ("return attention(context @ w_k, x @ w_q, context @ w_v)[0]", ("swapped",)),
    ("return attention(context @ w_v, context @ w_k, x @ w_q)[0]", ("values-as-queries",)),
    ("return np.round(attention(x @ w_q, context @ w_k, context @ w_v)[0], 3)", ("rounded",)),
    ("return attention(x @ w_q, context @ w_k, context @ w_v)[0] @ w_v", ("one-product-more",)),
    ("return attention(x @ w_q, context @ w_k, context @ w_v)[0] @ w_k", ("one-product-more",)),
    ("return attention(x @ w_q, context @ w_k, context @ w_v)[0] @ w_q", ("one-product-more",)),
    (
        "return cross_attention(x, context, Projections(w_q, w_k, w_v, w_v))[0]",
        ("one-product-more",),
    ),
    (
        """
        q = x @ w_q
        return attention(q, q @ w_k, context @ w_v)[0]
        """,
        ("made-from-a-projection",),
    ),
    ("return attention(x @ w_q, context, context @ w_v)[0]", ("no-w_k",)),
    ("return attention(x @ w_q @ w_q, context @ w_k, context @ w_v)[0]", ("w_q-applied-twice",)),
    ("return attention(x * w_q, context * w_k, context * w_v)[0]", ("multiplied-entry-by-entry",)),
    ("return attention(x, context @ w_k, context @ w_v)[0]", ("no-w_q",)),
    (
        """
        q, k, v = x @ w_q, context @ w_k, context @ w_v
        return softmax(q @ k / np.sqrt(k.shape[-1])) @ v
        """,
        ("keys-not-transposed",),
    ),
    ("return attention(x @ w_q, context @ w_k, context @ w_v)[0] + x @ w_v", ("x-added",)),
    (
        """
        keys = context @ w_k
        values = np.resize(x @ w_v, keys.shape[:-1] + (w_v.shape[-1],))
        return attention(x @ w_q, keys, values)[0]
        """,
        ("values-from-x",),
    ),
    ("return 2 * attention(x @ w_q, context @ w_k, context @ w_v)[0]", ()),
    ("return attention(x @ w_q, context @ w_k, context @ w_v)[0] + 1", ()),
]

CAUSAL = [
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], k=1, dtype=bool)
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("wider-triangle",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        n_queries, n_keys = scores.shape[-2:]
        may_attend = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("causal-lower-right",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
        weights = softmax(np.where(may_attend, -np.inf, scores))
        return weights @ values
        """,
        ("inverted",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
        weights = softmax(np.where(~may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("inverted",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
        weights = softmax(np.where(may_attend, scores, 0))
        return weights @ values
        """,
        ("scores-zeroed",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
        weights = softmax(scores) * may_attend
        return weights @ values
        """,
        ("weights-zeroed",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], dtype=bool)
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("square-of-queries",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-1], scores.shape[-1], dtype=bool)
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("square-of-keys",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool).T
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("turned",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.triu(np.ones(scores.shape[-2:], dtype=bool))
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("other-triangle",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.eye(scores.shape[-2], scores.shape[-1], dtype=bool)
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("same-place-only",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], k=-1, dtype=bool)
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("one-step-less",),
    ),
    (
        """
        mask = np.tri(queries.shape[-2], keys.shape[-2], k=2) == 1
        return attention(queries, keys, values, mask=mask)[0]
        """,
        ("wider-triangle",),
    ),
    ("return softmax(queries @ np.swapaxes(keys, -1, -2)) @ values", ("never-scaled",)),
    ("return softmax(queries @ np.swapaxes(keys, -1, -2) / queries.shape[-1]) @ values", ("divided-by-d_k",)),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        return softmax(scores)
        """,
        ("weights-returned",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        return scores @ values
        """,
        ("no-softmax",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(keys.shape[-2])
        return softmax(scores) @ values
        """,
        ("root-n_keys",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        weights = softmax(scores, axis=-2)
        return weights @ values
        """,
        ("over-queries",),
    ),
    ("return attention(queries, values, keys)[0]", ("keys-and-values-swapped",)),
    ("return attention(queries, keys, keys)[0]", ("keys-mixed",)),
    ("return softmax(queries @ keys.T / np.sqrt(queries.shape[-1])) @ values", ("all-axes-reversed",)),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
        return np.swapaxes(weights, -1, -2) @ values
        """,
        ("weights-turned",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        e = np.exp(scores)
        return e / e.sum(-1, keepdims=True) @ values
        """,
        ("no-row-max",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2)
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("causal-upper-left", "never-scaled"),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
        may_attend[0] = True
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("first-row-only",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.zeros(scores.shape[-2:], dtype=bool)
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        ("everything-hidden",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
        weights = softmax(scores) * may_attend
        weights = weights / weights.sum(axis=-1, keepdims=True)
        return weights @ values
        """,
        ("causal-upper-left",),
    ),
    (
        """
        s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        if s.shape[-2] > 1:
            s = np.where(np.tri(*s.shape[-2:], dtype=bool), s, -np.inf)
        return softmax(s) @ values
        """,
        ("causal-upper-left",),
    ),
    (
        """
        s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.tri(s.shape[-1], s.shape[-2], dtype=bool)
        return softmax(np.where(may_attend, s, -np.inf)) @ values
        """,
        ("sizes-swapped",),
    ),
    (
        """
        s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        n, m = s.shape[-2:]
        return softmax(np.where(np.tri(n, m, k=m // 2, dtype=bool), s, -np.inf)) @ values
        """,
        (),
    ),
    (
        """
        s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        n, m = s.shape[-2:]
        return softmax(np.where(abs(np.arange(n)[:, None] - np.arange(m)) <= 1, s, -np.inf)) @ values
        """,
        (),
    ),
    (
        """
        s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        n, m = s.shape[-2:]
        return softmax(np.where(np.tri(max(n, m), dtype=bool)[-n:, :m], s, -np.inf)) @ values
        """,
        (),
    ),
    ("return attention(queries, keys, values)[0] / 2", ()),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        may_attend = np.ones(scores.shape[-2:], dtype=bool)
        may_attend[0, 1:] = False
        weights = softmax(np.where(may_attend, scores, -np.inf))
        return weights @ values
        """,
        (),
    ),
]

SOURCE_MASK = [
    ("return attention(queries, keys, values)[0]", ("padding-ignored",)),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        return attention(queries, keys, values, mask=~mask)[0]
        """,
        ("inverted",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[1])
        return attention(queries, keys, values, mask)[1]
        """,
        ("weights-returned",),
    ),
    (
        """
        mask = np.arange(keys.shape[1]) < source_lengths[:, None]
        return attention(queries, keys, values, mask)[0]
        """,
        ("no-query-axis",),
    ),
    (
        """
        mask = np.arange(keys.shape[1]) < source_lengths[:, None]
        scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[-1])
        scores[~mask] = -np.inf
        return softmax(scores) @ values
        """,
        ("no-query-axis",),
    ),
    (
        """
        mask = (np.arange(keys.shape[1]) < source_lengths[:, None])[:, :, None]
        return attention(queries, keys, values, mask)[0]
        """,
        ("queries-hidden",),
    ),
    (
        """
        mask = np.arange(queries.shape[1])[:, None] < source_lengths[:, None, None]
        scores = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(queries.shape[-1])
        return softmax(np.where(mask, scores, -np.inf)) @ values
        """,
        ("queries-hidden",),
    ),
    (
        """
        mask = np.arange(keys.shape[1]) < source_lengths[:, None, None, None]
        return attention(queries, keys, values, mask)[0]
        """,
        ("every-mask-on-every-sentence",),
    ),
    (
        """
        mask = np.arange(keys.shape[1]) <= source_lengths[:, None, None]
        return attention(queries, keys, values, mask)[0]
        """,
        ("one-too-many",),
    ),
    (
        """
        output = np.zeros((*queries.shape[:2], values.shape[-1]))
        for i, length in enumerate(source_lengths):
            output[i] = attention(queries[i], keys[i, :length + 1], values[i, :length + 1])[0]
        return output
        """,
        ("one-too-many",),
    ),
    (
        """
        output = np.zeros((*queries.shape[:2], values.shape[-1]))
        for i, length in enumerate(source_lengths):
            output[i] = attention(queries[i], keys[i, :length - 1], values[i, :length - 1])[0]
        return output
        """,
        ("one-too-few",),
    ),
    (
        """
        mask = np.arange(1, keys.shape[1] + 1) < source_lengths[:, None, None]
        return attention(queries, keys, values, mask)[0]
        """,
        ("one-too-few",),
    ),
    (
        """
        longest = source_lengths.max()
        return attention(queries, keys[:, :longest], values[:, :longest])[0]
        """,
        ("longest-for-all",),
    ),
    (
        """
        n = source_lengths[0]
        return attention(queries, keys[:, :n], values[:, :n])[0]
        """,
        ("first-length-for-all",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        return (softmax(scores) * mask) @ values
        """,
        ("weights-zeroed",),
    ),
    (
        """
        real = np.swapaxes(padding_mask(source_lengths, keys.shape[-2]), -1, -2)
        return attention(queries, keys, values * real)[0]
        """,
        ("weights-zeroed",),
    ),
    (
        """
        real = np.swapaxes(padding_mask(source_lengths, keys.shape[-2]), -1, -2)
        return attention(queries, keys * real, values)[0]
        """,
        ("score-0",),
    ),
    (
        """
        keys, values = keys.copy(), values.copy()
        for i, length in enumerate(source_lengths):
            keys[i, length:] = 0
            values[i, length:] = 0
        return attention(queries, keys, values)[0]
        """,
        ("padding-zeroed",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        return softmax(scores * mask) @ values
        """,
        ("score-0",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        return softmax(scores + mask) @ values
        """,
        ("mask-added",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        return softmax(np.where(mask, scores, -10)) @ values
        """,
        ("minus-a-little",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        return softmax(scores + (1 - mask) * -np.inf) @ values
        """,
        ("zero-times-infinity",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = dot_product_scores(queries, keys)
        return softmax(np.where(mask, scores, -np.inf)) @ values
        """,
        ("never-scaled",),
    ),
    (
        """
        n = keys.shape[1]
        mask = np.arange(n) >= n - source_lengths[:, None, None]
        return attention(queries, keys, values, mask)[0]
        """,
        ("padding-in-front",),
    ),
    (
        """
        n = keys.shape[1]
        mask = np.arange(n) < n - source_lengths[:, None, None]
        return attention(queries, keys, values, mask)[0]
        """,
        ("length-of-the-padding",),
    ),
    (
        """
        mask = np.tri(queries.shape[1], keys.shape[1], dtype=bool)
        return attention(queries, keys, values, mask)[0]
        """,
        ("causal-too",),
    ),
    (
        """
        causal = np.tri(queries.shape[1], keys.shape[1], dtype=bool)
        mask = padding_mask(source_lengths, keys.shape[1]) & causal
        return attention(queries, keys, values, mask)[0]
        """,
        ("causal-too",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        scores = np.where(mask, scores, -np.inf)
        return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True) @ values
        """,
        ("no-row-max",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        return softmax(np.where(mask, scores, -np.inf), axis=-2) @ values
        """,
        ("over-queries",),
    ),
    (
        """
        keys = np.where(padding_mask(source_lengths, keys.shape[1]).swapaxes(1, 2), keys, -1e9)
        scores = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(queries.shape[-1])
        return softmax(scores) @ values
        """,
        ("infinite-keys",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = queries @ keys.T / np.sqrt(queries.shape[-1])
        return softmax(np.where(mask, scores, -np.inf)) @ values
        """,
        ("keys-not-turned",),
    ),
    (
        """
        mask = padding_mask(source_lengths, queries.shape[1])
        return attention(queries, keys, values, mask)[0]
        """,
        ("mask-of-another-width",),
    ),
    (
        """
        mask = np.arange(keys.shape[1]) < source_lengths
        return attention(queries, keys, values, mask)[0]
        """,
        ("lengths-in-a-row",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        scores[~mask] = -np.inf
        return softmax(scores) @ values
        """,
        ("mask-as-index",),
    ),
    (
        """
        mask = padding_mask(source_lengths, keys.shape[-2])
        weights = attention(queries, keys, values)[1]
        return softmax(np.where(mask, weights, -np.inf)) @ values
        """,
        ("softmax-first",),
    ),
    (
        """
        for n in source_lengths:
            output = attention(queries, keys[:, :n], values[:, :n])[0]
        return output
        """,
        ("last-length-for-all",),
    ),
    (
        """
        output = []
        for n in source_lengths:
            output.append(attention(queries, keys[:, :n], values[:, :n])[0])
        return np.array(output)
        """,
        ("every-mask-on-every-sentence",),
    ),
    (
        """
        output = []
        for i, length in enumerate(source_lengths):
            output.append(attention(queries[i, :length], keys[i, :length], values[i, :length])[0])
        return output
        """,
        (),
    ),
    (
        """
        s = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(keys.shape[-1])
        e = np.exp(s - s.max(-1, keepdims=True)) * padding_mask(source_lengths, keys.shape[1])
        return e / e.sum(-1, keepdims=True) @ values
        """,
        ("renormalised",),
    ),
    (
        """
        weights = attention(queries, keys, values)[1] * padding_mask(source_lengths, keys.shape[1])
        return weights / weights.sum(axis=-1, keepdims=True) @ values
        """,
        ("renormalised",),
    ),
    (
        """
        e = np.exp(queries @ np.swapaxes(keys, 1, 2) / np.sqrt(keys.shape[-1]))
        e = e * padding_mask(source_lengths, keys.shape[1])
        return e / e.sum(-1, keepdims=True) @ values
        """,
        ("no-row-max",),
    ),
    ("return attention(queries, keys, values, padding_mask(source_lengths, keys.shape[1]))[0] * 1.5", ()),
]

SHARE_FORWARD = [
    (
        """
        places = weights.argmax(axis=1)
        return np.mean(places[1:] > places[:-1])
        """,
        ("staying-left-out",),
    ),
    (
        """
        places = [int(np.argmax(row)) for row in weights]
        forward = 0
        for before, after in zip(places, places[1:]):
            if after >= before:
                forward += 1
        return forward / len(places)
        """,
        ("divided-by-rows",),
    ),
    (
        """
        places = np.argmax(weights, axis=-1)
        return (places[:-1] - places[1:] >= 0).mean()
        """,
        ("staying-and-backward",),
    ),
    ("return 0.5", ()),
    ("return (np.diff(weights.argmax(-1)) >= 0).mean() ** 2", ()),
    ("return np.tanh((np.diff(weights.argmax(-1)) >= 0).mean())", ()),
    ("return np.sum(np.diff(np.argmax(weights, 1)) >= 0)", ("counted",)),
    ("return int((np.diff(weights.argmax(axis=-1)) >= 0).sum())", ("counted",)),
    ("return sum(b >= a for a, b in zip(weights.argmax(1), weights.argmax(1)[1:]))", ("counted",)),
    ("return (np.diff(weights.argmax(0)) >= 0).mean()", ("columns-asked",)),
    ("return (np.diff(weights.T.argmax(-1)) >= 0).mean()", ("columns-asked",)),
    ("return (np.diff(weights.argmax(-1)) < 0).mean()", ("backward",)),
    ("return 1 - (np.diff(weights.argmax(-1)) >= 0).mean()", ("backward",)),
    ("return (np.diff(weights.argmax(-1)) <= 0).mean()", ("staying-and-backward",)),
    ("return 1 - (np.diff(weights.argmax(-1)) > 0).mean()", ("staying-and-backward",)),
    ("return (np.diff(weights.argmax(-1)) > 0).mean()", ("staying-left-out",)),
    (
        "return np.count_nonzero(np.sign(np.diff(weights.argmax(-1))) == 1) / (len(weights) - 1)",
        ("staying-left-out",),
    ),
    ("return (np.diff(weights.max(axis=-1)) >= 0).mean()", ("weights-compared",)),
    ("return (weights.max(1)[1:] >= weights.max(1)[:-1]).mean()", ("weights-compared",)),
    ("return np.diff(weights.argmax(axis=-1)).mean()", ("mean-step",)),
    (
        """
        p = weights.argmax(axis=-1)
        return (p[-1] - p[0]) / (len(p) - 1)
        """,
        ("mean-step",),
    ),
    ("return (np.diff(weights.argmin(axis=-1)) >= 0).mean()", ("read-least",)),
    ("return (np.diff(weights.argsort(axis=-1)[:, 0]) >= 0).mean()", ("read-least",)),
    ("return 100 * (np.diff(weights.argmax(axis=-1)) >= 0).mean()", ("percent",)),
    ("return 100 * np.average(np.diff(weights.argmax(axis=-1)) >= 0)", ("percent",)),
    (
        """
        p = weights.argmax(axis=-1)
        return (p[1:] >= p[0]).mean()
        """,
        ("from-the-first",),
    ),
    ("return (np.diff(weights.argmax(-1)) >= 0).sum() / weights.shape[0]", ("divided-by-rows",)),
    ("return np.isin(np.diff(weights.argmax(-1)), [0, 1]).mean()", ("one-step-only",)),
]

ACCURACY = [
    (
        """
        right = 0
        for text, texts in zip(written, accepted):
            if text == texts[0]:
                right += 1
        return right / len(written)
        """,
        ("first-accepted-only",),
    ),
    (
        """
        right = 0
        for text, texts in zip(written, accepted):
            for t in texts:
                ok = text == t
            if ok:
                right += 1
        return right / len(written)
        """,
        ("last-accepted-only",),
    ),
    ("return np.mean([text == texts for text, texts in zip(written, accepted)])", ("list-compared",)),
    ("return sum(w == a for w, a in zip(written, accepted)) / len(accepted)", ("list-compared",)),
    ("return np.mean([[text] == texts for text, texts in zip(written, accepted)])", ("all-accepted",)),
    (
        "return np.mean([all(text == t for t in texts) for text, texts in zip(written, accepted)])",
        ("all-accepted",),
    ),
    (
        "return np.mean([any(text in t for t in texts) for text, texts in zip(written, accepted)])",
        ("part-is-enough",),
    ),
    (
        """
        count = 0
        for i in range(len(written)):
            if written[i] in str(accepted[i]):
                count += 1
        return count / len(written)
        """,
        ("part-is-enough",),
    ),
    ("return np.mean([w in a[0] for w, a in zip(written, accepted)])", ("part-is-enough",)),
    (
        "return np.mean([any(t.startswith(w) for t in a) for w, a in zip(written, accepted)])",
        ("part-is-enough",),
    ),
    (
        """
        right = total = 0
        for text, texts in zip(written, accepted):
            for t in texts:
                total += 1
                if text == t:
                    right += 1
        return right / total
        """,
        ("divided-by-texts",),
    ),
    (
        "return np.mean([np.mean([w == t for t in a]) for w, a in zip(written, accepted)])",
        ("shared-among-texts",),
    ),
    ("return sum(w in a for w, a in zip(written, accepted))", ("not-divided",)),
    ("return 100 * sum(w in a for w, a in zip(written, accepted)) / len(written)", ("percent",)),
    ("return sum(w not in a for w, a in zip(written, accepted)) / len(written)", ("wrong-counted",)),
    ("return sum(w in a for w, a in zip(written, accepted)) // len(written)", ("all-or-nothing",)),
    ("return round(sum(w in a for w, a in zip(written, accepted)) / len(written), 2)", ("rounded",)),
    (
        """
        right = 0
        for i in range(len(written) - 1):
            if written[i] in accepted[i]:
                right += 1
        return right / len(written)
        """,
        ("last-word-left-out",),
    ),
    (
        """
        right = 0
        for i in range(1, len(written)):
            if written[i] in accepted[i]:
                right += 1
        return right / len(written)
        """,
        ("first-word-left-out",),
    ),
    (
        """
        for text, texts in zip(written, accepted):
            right = 0
            if text in texts:
                right += 1
        return right / len(written)
        """,
        ("last-word-only",),
    ),
    (
        """
        right = 0
        for text, texts in zip(written, accepted):
            if text in texts:
                right += 1
            return right / len(written)
        """,
        ("first-word-only",),
    ),
    (
        """
        right = 0
        for text, texts in zip(written, accepted):
            if text in texts:
                right = 1
        return right / len(written)
        """,
        ("counted-to-1",),
    ),
    (
        """
        all_texts = [t for texts in accepted for t in texts]
        return sum(text in all_texts for text in written) / len(written)
        """,
        ("from-any-word",),
    ),
    (
        "return np.mean([w.lower() in [t.lower() for t in a] for w, a in zip(written, accepted)])",
        ("capitals-ignored",),
    ),
    (
        "return np.mean([w.strip() in [t.strip() for t in a] for w, a in zip(written, accepted)])",
        ("spaces-ignored",),
    ),
    (
        "return np.mean([w.split() in [t.split() for t in a] for w, a in zip(written, accepted)])",
        ("spaces-ignored",),
    ),
    (
        """
        def same(one, other):
            return set(one.split()) == set(other.split())
        return np.mean([any(same(w, t) for t in a) for w, a in zip(written, accepted)])
        """,
        ("any-order",),
    ),
    ("return 1 - symbol_error_rate(written, accepted, ' ')", ("symbols-counted",)),
    (
        """
        shares = []
        for text, texts in zip(written, accepted):
            sounds, right = text.split(), texts[0].split()
            shares.append(sum(a == b for a, b in zip(sounds, right)) / len(right))
        return sum(shares) / len(shares)
        """,
        ("symbols-counted",),
    ),
    (
        """
        pairs = dict(zip(written, accepted))
        return sum(text in texts for text, texts in pairs.items()) / len(pairs)
        """,
        ("repeated-words-merged",),
    ),
    ("return float(all(w in a for w, a in zip(written, accepted)))", ("all-or-nothing",)),
    (
        """
        right = 0
        for text, texts in zip(written, accepted):
            if text not in texts:
                break
            right += 1
        return right / len(written)
        """,
        ("stopped-at-first-wrong",),
    ),
    (
        "return 100 * np.mean([w == a[0] for w, a in zip(written, accepted)])",
        ("percent", "first-accepted-only"),
    ),
    ("return sum(len(w) == len(a[0]) for w, a in zip(written, accepted)) / len(written)", ("same-length",)),
    ("return len(set(written) & set(sum(accepted, []))) / len(written)", ("from-any-word",)),
    ("return sum(text in accepted for text in written) / len(written)", ("list-compared",)),
    (
        """
        wrong = 0
        for text, texts in zip(written, accepted):
            for each in texts:
                if text != each:
                    wrong += 1
        return 1 - wrong / len(written)
        """,
        ("wrong-for-each-text",),
    ),
    (
        """
        right = sum(w in a for w, a in zip(written, accepted))
        return right / (len(written) - right)
        """,
        ("divided-by-the-wrong",),
    ),
    (
        """
        count = 0
        for w, a in zip(written, accepted):
            count += w in a
            count /= len(written)
        return count
        """,
        ("divided-in-the-loop",),
    ),
    ("return sum(w in a for w, a in zip(written, accepted)) / (len(written) - 1)", ("one-divided-too-few",)),
    ("return sum(w in a for w, a in zip(written, accepted)) / (len(written) + 1)", ("one-divided-too-many",)),
    (
        "return sum(x in y[:2] for x, y in zip(written, accepted)) / len(written)",
        ("first-two-accepted-only",),
    ),
    (
        """
        right = 0
        for x, y in zip(written, accepted):
            right += x == y[0] or (len(y) > 1 and x == y[1])
        return right / len(written)
        """,
        ("first-two-accepted-only",),
    ),
    (
        "return sum(x in (y[0], y[-1]) for x, y in zip(written, accepted)) / len(written)",
        ("first-and-last-accepted-only",),
    ),
    (
        """
        def plain(text):
            return text.lower().split()
        return np.mean([plain(w) in [plain(t) for t in a] for w, a in zip(written, accepted)])
        """,
        ("capitals-and-spaces-ignored",),
    ),
    (
        "return len({w for w, a in zip(written, accepted) if w in a}) / len(set(written))",
        ("repeated-words-merged",),
    ),
    (
        "return len({w for w, a in zip(written, accepted) if w in a}) / len(written)",
        ("repeated-words-merged",),
    ),
    (
        "return sum(x in accepted[written.index(x)] for x in written) / len(written)",
        ("repeated-words-merged",),
    ),
    (
        """
        by_text = dict(zip(written, accepted))
        return sum(x in by_text[x] for x in written) / len(written)
        """,
        ("repeated-words-merged",),
    ),
    ("return 0.5", ()),
    ("return word_accuracy(written, accepted) ** 2", ()),
]

WRONG = [
    *(("cross-attention", *case) for case in CROSS),
    *(("context-bug", *case) for case in CROSS if case[1] != ("values-from-x",)),
    *(("causal-bug", *case) for case in CAUSAL),
    *(("source-mask", *case) for case in SOURCE_MASK),
    *(("accuracy", *case) for case in ACCURACY),
    *(("share-forward", *case) for case in SHARE_FORWARD),
]


@pytest.mark.parametrize(("name", "body", "mistakes"), WRONG)
def test_a_wrong_answer_is_rejected_and_named(name, body, mistakes):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "wrong"
    assert [set(names) for names in feedback.named] == ([set(mistakes)] if mistakes else []), feedback.text
    assert mistakes or feedback.properties or "make no full array" in feedback.text, feedback.text


def test_there_are_enough_of_them():
    for name in ARGUMENTS:
        assert sum(case[0] == name for case in WRONG) >= 25
        assert sum(case[0] == name for case in RIGHT) >= 8


# --- right, in other styles

RIGHT_CROSS = [
    "return attention(x @ w_q, context @ w_k, context @ w_v)[0]",
    """
    queries = np.dot(x, w_q)
    keys = np.dot(context, w_k)
    values = np.dot(context, w_v)
    out, _ = attention(queries, keys, values)
    return out
    """,
    """
    d_v = w_v.shape[-1]
    output, _ = cross_attention(x, context, Projections(w_q, w_k, w_v, np.eye(d_v)))
    return output
    """,
    """
    q, k, v = x @ w_q, context @ w_k, context @ w_v
    weights = softmax(np.einsum('...qd,...kd->...qk', q, k) / np.sqrt(q.shape[-1]))
    return np.einsum('...qk,...kd->...qd', weights, v)
    """,
    """
    scale = w_q.shape[-1] ** 0.25
    q, k = x @ w_q / scale, context @ w_k / scale
    scores = q @ np.swapaxes(k, -1, -2)
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True) @ (context @ w_v)
    """,
    """
    if x.ndim > 2:
        return np.stack([mine(a, b, w_q, w_k, w_v) for a, b in zip(x, context)])
    rows = []
    for token in x:
        scores = [float(token @ w_q @ (word @ w_k)) / np.sqrt(w_k.shape[1]) for word in context]
        weights = softmax(np.array(scores))
        rows.append(sum(weight * (word @ w_v) for weight, word in zip(weights, context)))
    return rows
    """,
    "return attention((x @ w_q).astype('f4'), context @ w_k, (context @ w_v).astype('f4'))[0].astype('f4')",
    """
    scores = x @ (w_q @ w_k.T) @ np.swapaxes(context, -1, -2)
    return softmax(scores / np.sqrt(w_k.shape[-1])) @ context @ w_v
    """,
    """
    def project(rows, matrix):
        return rows @ matrix
    return attention(queries=project(x, w_q), keys=project(context, w_k), values=project(context, w_v))[0]
    """,
]
RIGHT_DECODER = [
    "return attention(queries, keys, values)[0]",
    """
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    weights = softmax(scores)
    return weights @ values
    """,
    """
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.ones(scores.shape[-2:], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values
    """,
    """
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], k=scores.shape[-1], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values
    """,
    """
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(scores) @ values
    """,
    """
    scores = np.einsum('...qd,...kd->...qk', queries, keys) * queries.shape[-1] ** -0.5
    scores -= scores.max(axis=-1, keepdims=True)
    return np.exp(scores) @ values / np.exp(scores).sum(axis=-1, keepdims=True)
    """,
    """
    if queries.ndim > 2:
        return [mine(*parts) for parts in zip(queries, keys, values)]
    return [softmax(keys @ query / len(query) ** 0.5) @ values for query in queries]
    """,
    "return attention(queries, keys, values, mask=None)[0]",
]
RIGHT_PADDING = [
    "return attention(queries, keys, values, padding_mask(source_lengths, keys.shape[1]))[0]",
    """
    mask = np.arange(keys.shape[1]) < source_lengths[:, None, None]
    return attention(queries, keys, values, mask=mask)[0]
    """,
    """
    output = np.zeros((queries.shape[0], queries.shape[1], values.shape[2]))
    for i, length in enumerate(source_lengths):
        output[i], _ = attention(queries[i], keys[i, :length], values[i, :length])
    return output
    """,
    """
    return [attention(q, k[:n], v[:n])[0] for q, k, v, n in zip(queries, keys, values, source_lengths)]
    """,
    """
    scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[-1])
    for i, length in enumerate(source_lengths):
        scores[i, :, length:] = -1e9
    return softmax(scores) @ values
    """,
    """
    mask = padding_mask(source_lengths, keys.shape[-2])
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    scores = scores + np.where(mask, 0, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ values
    """,
    """
    padding = np.arange(keys.shape[1])[None, :] >= source_lengths[:, None]
    scores = np.einsum('bqd,bkd->bqk', queries, keys) / queries.shape[2] ** 0.5
    scores = np.where(padding[:, None, :], -np.inf, scores)
    return np.einsum('bqk,bkd->bqd', softmax(scores), values)
    """,
    """
    mask = np.array([[[j < n for j in range(keys.shape[1])]] * queries.shape[1] for n in source_lengths])
    return attention(queries, keys, values, mask)[0]
    """,
    """
    mask = np.arange(keys.shape[1]) < source_lengths[:, None, None]
    scores = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(queries.shape[-1])
    hidden = np.repeat(~mask, queries.shape[1], axis=1)
    scores[hidden] = -np.inf
    return softmax(scores) @ values
    """,
]
RIGHT_COUNTS = [
    "return word_accuracy(written, accepted)",
    "return np.mean([text in texts for text, texts in zip(written, accepted)])",
    """
    right = 0
    for i in range(len(written)):
        if written[i] in accepted[i]:
            right += 1
    return right / len(written)
    """,
    """
    right = 0
    for text, texts in zip(written, accepted, strict=True):
        for each in texts:
            if text == each:
                right = right + 1
                break
    return right / len(accepted)
    """,
    "return sum(any(w == t for t in a) for w, a in zip(written, accepted)) / len(written)",
    "return 1 - sum(w not in a for w, a in zip(written, accepted)) / len(written)",
    "return np.array([float(text in set(texts)) for text, texts in zip(written, accepted)]).mean()",
    "return len([w for w, a in zip(written, accepted) if a.count(w) > 0]) / len(written)",
    "return sum(map(lambda w, a: w in a, written, accepted)) / len(list(written))",
    """
    wrong = list(written)
    for text, texts in zip(written, accepted):
        if text in texts:
            wrong.remove(text)
    return (len(written) - len(wrong)) / len(written)
    """,
    "return np.float32(sum(w in a for w, a in zip(written, accepted)) / len(written))",
]
RIGHT_SHARE_FORWARD = [
    "return (np.diff(weights.argmax(axis=-1)) >= 0).mean()",
    "return np.mean(np.diff(np.argmax(weights, axis=1)) >= 0)",
    "p = weights.argmax(1)\nreturn np.mean(p[1:] >= p[:-1])",
    "p = weights.argmax(1)\nreturn sum(p[1:] >= p[:-1]) / (len(p) - 1)",
    "p = weights.argmax(1)\nreturn 1 - np.mean(p[1:] < p[:-1])",
    "p = [list(w).index(max(w)) for w in weights]\nreturn np.mean([b >= a for a, b in zip(p, p[1:])])",
    "steps = np.diff(weights.argmax(-1))\nreturn np.count_nonzero(steps >= 0) / steps.size",
    """
    places = np.argmax(weights, axis=-1)
    forward = 0
    for i in range(1, len(places)):
        if places[i] < places[i - 1]:
            continue
        forward += 1
    return forward / (len(places) - 1)
    """,
    "steps = np.diff(weights.argmax(-1))\nreturn float(np.average(np.where(steps < 0, 0.0, 1.0)))",
]
RIGHT = [
    *(("share-forward", body) for body in RIGHT_SHARE_FORWARD),
    *(("cross-attention", body) for body in RIGHT_CROSS),
    *(("context-bug", body) for body in RIGHT_CROSS),
    *(("causal-bug", body) for body in RIGHT_DECODER),
    *(("source-mask", body) for body in RIGHT_PADDING),
    *(("accuracy", body) for body in RIGHT_COUNTS),
]


@pytest.mark.parametrize(("name", "body"), RIGHT)
def test_a_right_answer_in_another_style_is_accepted(name, body):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "right", feedback.text


# --- the numbers that the tasks state


def test_the_examples_of_the_tasks_hold():
    cross = (
        np.array([[np.log(3)]]),
        np.array([[0.0, 1.0], [1.0, 0.0]]),
        np.eye(1),
        np.array([[1.0], [0.0]]),
        np.array([[8.0], [4.0]]),
    )
    assert np.allclose(ANSWERS["cross-attention"](*cross), [[7]])
    one, zero = np.eye(2), np.zeros((2, 1, 2))
    context = np.array([[0.0, 4.0], [0.0, 4.0]])
    assert np.allclose(ANSWERS["context-bug"](one, context, one, one, one), [[0, 4], [0, 4]])
    assert np.allclose(GIVEN["context-bug"](one, context, one, one, one), 0.5)
    values = np.array([[3.0], [6.0], [12.0]])
    assert np.allclose(ANSWERS["causal-bug"](np.zeros((1, 2)), np.zeros((3, 2)), values), [[7]])
    assert np.allclose(GIVEN["causal-bug"](np.zeros((1, 2)), np.zeros((3, 2)), values), [[3]])
    padded = (zero, np.zeros((2, 3, 2)), np.stack([values, values]), np.array([2, 3]))
    assert np.allclose(np.ravel(ANSWERS["source-mask"](*padded)), [4.5, 7])
    words = (["T AH M AA T OW", "N AY"], [["T AH M EY T OW", "T AH M AA T OW"], ["N AY F"]])
    assert ANSWERS["accuracy"](*words) == 0.5


def test_the_given_reader_runs_where_lengths_and_widths_agree_and_is_wrong_there():
    exercise = find("context-bug")
    assert isinstance(exercise, Mend)
    ran = 0
    for probe in exercise.probes:
        x, context, *_ = probe.inputs.values()
        if x.shape == context.shape:
            ran += 1
            got = GIVEN["context-bug"](*probe.inputs.values())
            assert not np.allclose(got, exercise.right(*probe.inputs.values()))
        else:
            with pytest.raises(ValueError, match=r"mismatch|as many rows"):
                GIVEN["context-bug"](*probe.inputs.values())
    assert ran == 2


def test_the_given_decoder_runs_everywhere_its_first_row_is_the_first_value_and_a_last_row_can_be_right():
    exercise = find("causal-bug")
    assert isinstance(exercise, Mend)
    right_rows = 0
    for probe in exercise.probes:
        got, values = GIVEN["causal-bug"](*probe.inputs.values()), probe.inputs["values"]
        assert np.allclose(got[..., 0, :], values[..., 0, :])
        right = exercise.right(*probe.inputs.values())
        right_rows += np.isclose(got, right).all(axis=-1)[..., -1].all()
    assert right_rows > 0


@pytest.mark.parametrize("matrix", ["w_q", "w_k", "w_v", "w_v.T", "w_q.T"])
def test_where_every_input_crashes_no_two_mistakes_are_told(matrix):
    body = f"return attention(x @ w_q, context @ w_k, context @ w_v)[0] @ {matrix}"
    feedback = evaluate("cross-attention", written("cross-attention", body))
    assert all(len(names) == 1 for names in feedback.named)
    assert "Two things" not in feedback.text


def test_what_mends_the_example_alone_is_not_told_to_change_nothing():
    values = np.array([[3.0], [6.0], [12.0]])
    body = """
        s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        mask = True if s.shape[-2] == 1 else np.tri(*s.shape[-2:], dtype=bool)
        return softmax(np.where(mask, s, -np.inf)) @ values
        """
    mine = written("causal-bug", body)
    assert np.allclose(mine(np.zeros((1, 2)), np.zeros((3, 2)), values), [[7]])
    text = evaluate("causal-bug", mine).text
    assert "your change mends inputs as small as the example, and nothing else" in text
    assert "same results as the function as given" not in text


def test_a_padding_score_far_above_the_real_ones_leaves_nothing_to_share():
    exercise = find("source-mask")
    assert isinstance(exercise, Write)
    (inputs,) = (probe.inputs for probe in exercise.probes if probe.kind == "padding that scores 900 higher")
    queries, keys, _, lengths = inputs.values()
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])[0]
    assert scores[:, lengths[0] :].min() - scores[:, : lengths[0]].max() > 800


# --- what the words are


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("accuracy", "return None", "not attempted yet"),
        ("accuracy", "written = None", "returned None"),
        (
            "accuracy",
            "return [w in a for w, a in zip(written, accepted)]",
            "returned True and False, not real numbers",
        ),
        ("accuracy", "return written == accepted", "returned True and False, not real numbers"),
        ("accuracy", "return '60%'", "returned a text, not one number"),
        ("accuracy", "return float('nan')", "A result is nan"),
        ("accuracy", "return [0.5, 0.5]", "The result should be one number, not an array of shape (2,)"),
        ("accuracy", "raise KeyError('mine')", "KeyError: 'mine'"),
        ("accuracy", "return sum(written[i] in accepted[i] for i in range(9)) / 9", "0 to n − 1"),
        (
            "accuracy",
            "accepted[0].append('x')\nreturn word_accuracy(written, accepted)",
            "After the call accepted no longer holds the texts that went in",
        ),
        ("accuracy", "written.pop()\nreturn 0.5", "written no longer holds the texts"),
        ("accuracy", "print('hello')\nreturn word_accuracy(written, accepted)", "✓ accuracy"),
        ("accuracy", "while True:\n    pass", "was stopped"),
        ("cross-attention", "return attention(x @ w_q, context @ w_k, context @ w_v)", "a tuple of 2 things"),
        ("cross-attention", "return attention(w_q, w_k, w_v)[0]", "The shape should be"),
        ("cross-attention", "context *= 2\nreturn x @ w_q", "context no longer holds the numbers"),
        ("source-mask", "return attention(queries, keys[:, :source_lengths], values)[0]", "takes one number"),
        (
            "source-mask",
            "return np.full((*queries.shape[:2], values.shape[2]), np.nan)",
            "nan among the numbers",
        ),
        ("causal-bug", "return queries @ keys, values", "Your function"),
        ("accuracy", "accepted[0].pop(0)\nreturn 0.5", "make a copy, and change that one"),
        (
            "causal-bug",
            "s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])\n"
            "n, m = s.shape[-2:]\n"
            "return softmax(np.where(np.tri(n, m, k=m // 2, dtype=bool), s, -np.inf)) @ values",
            "is it still hidden from it?",
        ),
    ],
)
def test_bad_answers_get_a_clear_sentence(name, body, said):
    text = " ".join(evaluate(name, written(name, body)).text.split())
    assert said in text
    assert "Traceback" not in text


def test_the_texts_of_the_smallest_case_are_shown():
    text = evaluate("accuracy", written("accuracy", "return 0.25")).text
    assert "Smallest case: one word, wrong.\n    written   ['S AY G N']\n    accepted  [['S AY N']]\n" in text
    assert "    expected  0.00\n    got       0.25" in text
    stopped = evaluate("accuracy", written("accuracy", "return 1 / 0")).text
    assert "    accepted  [['S AY N']]\n  Your function stopped there:\n    ZeroDivisionError" in stopped


def test_a_function_that_changes_its_lists_does_not_spoil_the_next_check():
    spoil = "accepted.clear()\nwritten.clear()\nreturn 0.5"
    assert evaluate("accuracy", written("accuracy", spoil)).status == "wrong"
    assert evaluate("accuracy", word_accuracy).status == "right"


@pytest.mark.parametrize("attempt", [0.5, ["a"], "word_accuracy", np.zeros(3), float])
def test_what_is_no_function_is_told_so(attempt):
    feedback = evaluate("accuracy", attempt)
    assert feedback.status == "wrong"
    assert "the check needs" in feedback.text


# --- predict-cross and bottleneck


def test_the_shape_that_is_asked_is_the_shape_that_comes_out():
    exercise = find("predict-cross")
    assert isinstance(exercise, Predict)
    output, weights = attention(np.ones((4, 6)), np.ones((7, 6)), np.ones((7, 5)))
    assert output.shape == exercise.answer
    assert evaluate("predict-cross", "(4, 5)").status == "right"
    assert evaluate("predict-cross", weights.shape).named == (("weights",),)
    assert evaluate("predict-cross", [7, 5]).named == (("source-rows",),)
    assert evaluate("predict-cross", (1, 4, 7)).named == (("weights-with-a-heads-axis",),)
    assert evaluate("predict-cross", 4).named == evaluate("predict-cross", (4,)).named == (("rows-only",),)
    assert evaluate("predict-cross", (3, 3)).status == "wrong"
    assert evaluate("predict-cross", 20).status == "wrong"


def test_the_map_in_the_middle_of_phone_has_the_shape_that_is_asked():
    model = load_sounds().model
    source = np.array([0, *map(model.source_symbols.index, "phone")])
    target = np.array([0, *map(model.target_symbols.index, ("F", "OW", "N"))])
    scores, looked = decode(model, target, encode(model, source), source[None] > 0)
    exercise = find("decode-shape")
    assert isinstance(exercise, Predict)
    assert looked.shape == exercise.answer
    assert evaluate("decode-shape", "(4, 6)").status == "right"
    assert evaluate("decode-shape", scores.shape).named == (("scores",),)
    assert evaluate("decode-shape", (3, 5)).named == (("no-marks",),)
    assert not looked[:, 0].any()  # the mark keeps its column, with weight 0


def test_the_head_that_looks_away_finds_what_is_hidden_as_the_reply_says():
    digits = load_digits()
    grids = draw_grids(digits.images, digits.labels, 100, np.random.default_rng(5))
    question = load_word_vectors().rows(digits.words)[grids.digits]
    patches, others = add_places(cut_into_patches(grids.images)), np.arange(9) != grids.cells[..., None]
    right = {}
    for name, head in {"a": digits.head, "b": digits.looks_away}.items():
        output, _ = cross_attention(question, patches, head, mask=others)
        right[name] = (read_places(output) == grids.cells).mean()
    assert right["a"] < 0.1 < 0.9 < right["b"]
    assert evaluate("hide-cell", "b").status == "right"
    assert evaluate("trust-map", "c").status == "right"
    for letter in "acd":
        assert evaluate("hide-cell", letter).named == ((f"option {letter}",),)


def test_one_key_gets_all_the_weight_as_the_reply_says():
    exercise = find("bottleneck")
    assert isinstance(exercise, Choose)
    assert np.array_equal(softmax(np.array([[-7.0], [3.0]])), [[1.0], [1.0]])
    assert "gives it the weight 1" in exercise.options["c"]
    for letter in "acd":
        assert evaluate("bottleneck", letter).named == ((f"option {letter}",),)
    assert evaluate("bottleneck", "b)").status == "right"


# --- new-word


@pytest.mark.parametrize(
    "word", [[0, 1, 1, 0, 0], (0, 0.9, 0.9, 0, 1), np.array([-1, 1, 1, 0, -1]), [0, 0.5, 0.5, 0, 0]]
)
def test_words_that_read_both_are_right(word):
    assert evaluate("new-word", word).status == "right"


@pytest.mark.parametrize(
    ("word", "name", "said"),
    [
        ([0, 1, 0, 0, 1], "animal-only", "found by its colour"),
        ([0, 0, 1, 0, 1], "colour-only", "found as an animal"),
        ([0, 0.1, 0.9, 0, 1], "colour-only", "black 0.96"),
        ([0, 0.1, 0.1, 0, 0], "too-short", "too flat"),
        ([1, 1, 1, 1, 1], "others-too", "*sleeping* takes part"),
        ([1, 1, 1, 0, 0], "others-too", "*the* takes part"),
        ([0, 3, 3, 0, 0], "beyond-limit", "size 3"),
        ([0, -1, -1, 0, 0], "negative", "above 0"),
        ([0, 1, -0.5, 0, 0], "negative", "above 0"),
        ([0, 0, 0, 0, 1], "zero", "every key gets 1/5"),
        ([0, 1, 0.7, 0, 0], "uneven", "too far apart"),
    ],
)
def test_words_that_do_not_read_both_are_named(word, name, said):
    feedback = evaluate("new-word", word)
    assert feedback.status == "wrong"
    assert feedback.named == ((name,),), feedback.text
    assert said in " ".join(feedback.text.split())


def test_few_of_all_words_read_both():
    words = np.random.default_rng(0).uniform(-1, 1, (4000, 5))
    weights = softmax(words @ WORD_W_Q @ ENGLISH_KEYS.T / 2)
    both = (weights[:, 1:3] >= 0.4).all(axis=-1)
    assert 0 < both.mean() < 0.1


def test_the_matrices_of_the_new_word_are_those_of_the_lesson():
    space: dict[str, Any] = {"np": np, "attention": attention, "softmax": softmax}
    for name in ("two-tables", "cross-projections"):
        exec(cells()[name], space)
    assert np.array_equal(space["w_q"], WORD_W_Q)
    assert np.array_equal(space["keys"], ENGLISH_KEYS)
    assert tuple(space["english_words"]) == LESSON_ENGLISH
    for word, key in zip(LESSON_ENGLISH, ENGLISH_KEYS, strict=True):
        shown = ", ".join(f"{number:g}" for number in key)
        assert f"*{word}* `[{shown}]`" in cells()["new-word-task"]


# --- alignment-table


def aligned(places=None, weights=None):
    """The right table, or one with another column."""
    columns = (BEST if places is None else places, ALIGNED.max(axis=-1) if weights is None else weights)
    return {word: [float(column[i]) for column in columns] for i, word in enumerate(GERMAN)}


def test_the_alignment_is_one_to_one_and_not_in_order():
    assert sorted(BEST) == list(range(len(ENGLISH)))
    assert list(BEST) != sorted(BEST)
    assert [ENGLISH[place] for place in BEST] == ["I", "have", "the", "dog", "seen"]
    highest_two = np.sort(ALIGNED_SCORES, axis=-1)[:, -2:]
    assert (np.diff(highest_two) >= 1).all()
    assert list(ALIGNED_SCORES.argmax(axis=0)) != list(np.argsort(BEST))  # columns tell another story


@pytest.mark.parametrize("digits", [2, 3, 4, 8])
def test_two_digits_or_more_are_enough(digits):
    assert evaluate("alignment-table", aligned(weights=ALIGNED.max(axis=-1).round(digits))).status == "right"


def test_one_decimal_is_told_to_be_too_few():
    feedback = evaluate("alignment-table", aligned(weights=ALIGNED.max(axis=-1).round(1)))
    assert feedback.named == (("one-decimal",),)
    assert "at least two" in feedback.text


def test_an_empty_table_is_no_attempt_and_half_a_table_is_told_apart():
    assert evaluate("alignment-table", {word: [None, None] for word in GERMAN}).status == "not attempted"
    half = {word: [int(BEST[i]), None] for i, word in enumerate(GERMAN)}
    assert "5 cells right, 5 still to fill" in evaluate("alignment-table", half).text


def test_weights_of_wrong_places_are_said_to_follow():
    in_order = np.arange(5)
    feedback = evaluate("alignment-table", aligned(in_order, ALIGNED[in_order, in_order]))
    assert feedback.named == (("in-order",),)
    assert 'Your "its weight" follows from your "position read most"' in " ".join(feedback.text.split())


def test_right_weights_beside_places_counted_from_1():
    assert evaluate("alignment-table", aligned(places=BEST + 1)).named == (("counted-from-1",),)


def test_a_table_with_its_columns_swapped_or_read_downwards_is_named():
    swapped = {word: row[::-1] for word, row in aligned().items()}
    assert evaluate("alignment-table", swapped).named == (("columns-swapped",),)
    downwards = evaluate("alignment-table", aligned(weights=ALIGNED.max(axis=0)))
    assert downwards.named == (("weights-read-down-the-columns",),)


@pytest.mark.parametrize(
    "table", [None, 3, "ich", {}, [[0, 0.9]], {"ich": 3}, {word: ["I", "a lot"] for word in GERMAN}]
)
def test_odd_tables_are_answered(table):
    feedback = evaluate("alignment-table", table)
    assert feedback.status in ("wrong", "not attempted")
    assert "could not be compared" not in feedback.text


# --- the tasks in the notebook state the numbers that the checks use


def cells():
    (path,) = (Path(__file__).resolve().parents[1] / "notebooks").glob("07_*.ipynb")
    return {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}


def test_the_table_of_the_task_and_the_array_of_its_cell_hold_the_scores_of_the_check():
    exercise = find("alignment-table")
    assert isinstance(exercise, Table)
    task = cells()["alignment-table-task"].replace("−", "-")
    rows = [line.strip("|").split("|") for line in task.splitlines() if line.startswith("| **")]
    assert [row[0].strip(" *") for row in rows] == list(GERMAN)
    assert [[float(cell) for cell in row[1:]] for row in rows] == ALIGNED_SCORES.tolist()
    space: dict[str, Any] = {"np": np}
    exec(cells()["alignment-table-try"], space)
    assert np.array_equal(space["aligned_scores"], ALIGNED_SCORES)
    assert tuple(space["my_alignment"]) == exercise.labels


@pytest.mark.parametrize("name", ["trust-map", "bottleneck", "hide-cell"])
def test_the_options_of_the_task_are_those_of_the_check(name):
    exercise = find(name)
    assert isinstance(exercise, Choose)
    for letter in exercise.options:
        assert f"- **{letter}** " in cells()[f"{name}-task"]

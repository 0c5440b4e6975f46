"""Answers to lesson 05 as learners write them, right and wrong, in many styles, and what the check says."""

from __future__ import annotations

import itertools
import textwrap
from typing import Any

import numpy as np
import pytest

from helpers.attention import attention
from helpers.exercises import evaluate
from helpers.exercises.catalogue import lessons
from helpers.exercises.engine import sandbox
from helpers.exercises.kinds import Predict
from helpers.exercises.lesson_05.leak_test import leak_test
from helpers.exercises.lesson_05.leaking_models import MODELS
from helpers.exercises.lesson_05.masked_attention import masked_attention
from helpers.exercises.lesson_05.reach import EXERCISE as REACH
from helpers.leaks import leaks
from helpers.masking import causal_mask, mask_scores, padding_mask
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax

HEADS = {
    "causal-mask": "n_queries, n_keys",
    "masked-attention": "queries, keys, values, mask",
    "infinity-bug": "scores, mask",
    "padding-mask": "lengths, n_keys",
    "future-bug": "queries, keys",
    "leak-test": "model, x",
}


def written(name: str, body: str) -> Any:
    """An exercise's name, the learner's lines -> their function, with what the notebook has imported.

    SCORES, TOP and SUM are short for what most answers share.
    """
    short = {
        "SCORES": "scale_scores(dot_product_scores(queries, keys), queries.shape[-1])",
        "TOP": "scores.max(axis=-1, keepdims=True)",
        "SUM": "sum(axis=-1, keepdims=True)",
    }
    for word, lines in short.items():
        body = body.replace(word, lines)
    space: dict[str, Any] = {
        "np": np,
        "softmax": softmax,
        "scale_scores": scale_scores,
        "dot_product_scores": dot_product_scores,
        "causal_mask": causal_mask,
        "padding_mask": padding_mask,
        "mask_scores": mask_scores,
        "leaks": leaks,
        "rng_free": lambda row: row + np.array([1.0, -2.0, 4.0]),
    }
    exec(f"def answer({HEADS[name]}):\n" + textwrap.indent(textwrap.dedent(body), "    "), space)
    return space["answer"]


RIGHT = {
    "causal-mask": [
        "return causal_mask(n_queries, n_keys)",
        "return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)",
        "return np.tri(n_queries, n_keys, n_keys - n_queries)",
        "return np.tril(np.ones((n_queries, n_keys)), k=n_keys - n_queries).astype(bool)",
        "return ~np.triu(np.ones((n_queries, n_keys), dtype=bool), k=n_keys - n_queries + 1)",
        "return np.tri(n_keys, dtype=bool)[-n_queries:]",
        "return np.tri(n_keys)[n_keys - n_queries:].astype(int)",
        "return [[j <= i + n_keys - n_queries for j in range(n_keys)] for i in range(n_queries)]",
        "return [[int(j - i <= n_keys - n_queries) for j in range(n_keys)] for i in range(n_queries)]",
        """
        mask = np.zeros((n_queries, n_keys), dtype=bool)
        for i in range(n_queries):
            mask[i, :n_keys - n_queries + i + 1] = True
        return mask
        """,
        "return np.arange(n_keys - n_queries, n_keys)[:, None] >= np.arange(n_keys)[None, :]",
    ],
    "masked-attention": [
        "scores = SCORES\nreturn softmax(np.where(mask, scores, -np.inf)) @ values",
        "return softmax(mask_scores(SCORES, mask)) @ values",
        "return softmax(SCORES + np.where(mask, 0, -np.inf)) @ values",
        "with np.errstate(divide='ignore'):\n    return softmax(SCORES + np.log(mask)) @ values",
        """
        d_k = queries.shape[-1]
        scores = (queries / d_k**0.25) @ np.swapaxes(keys / d_k**0.25, -1, -2)
        return softmax(np.where(mask, scores, -np.inf)) @ values
        """,
        """
        scores = np.einsum("...id,...jd->...ij", queries, keys) / np.sqrt(queries.shape[-1])
        scores = np.where(mask, scores, -np.inf)
        exponentials = np.exp(scores - np.maximum(TOP, -1e300))
        weights = exponentials / np.maximum(exponentials.SUM, 1e-300)
        return np.einsum("...ij,...jd->...id", weights, values)
        """,
        """
        scores = SCORES
        weights = softmax(np.where(mask, scores, -1e9))
        return np.where(mask.any(axis=-1, keepdims=True), weights @ values, 0)
        """,
        """
        scores = np.broadcast_to(SCORES, queries.shape[:-1] + keys.shape[-2:-1]).copy()
        allowed = np.broadcast_to(mask, scores.shape)
        scores[~allowed] = -np.inf
        return softmax(scores) @ values
        """,
        """
        scores = SCORES
        allowed = np.broadcast_to(mask, scores.shape)
        output = np.zeros((*queries.shape[:-1], values.shape[-1]))
        for place in np.ndindex(scores.shape[:-1]):
            open_keys = np.flatnonzero(allowed[place])
            if len(open_keys):
                weights = softmax(scores[place][open_keys])
                for weight, key in zip(weights, open_keys):
                    output[place] += weight * values[(*place[:-1], key)]
        return output
        """,
        """
        scores = SCORES.astype(np.float32)
        return softmax(np.where(mask, scores, np.float32(-np.inf))) @ values.astype(np.float32)
        """,
        "hidden = np.ma.masked_array(SCORES, ~(mask & np.ones(SCORES.shape, bool)))\n"
        "return softmax(hidden.filled(-np.inf)) @ values",
    ],
    "infinity-bug": [
        "return softmax(np.where(mask, scores, -np.inf))",
        "return softmax(scores + np.where(mask, 0, -np.inf))",
        "return softmax(scores + np.where(mask, 0.0, -1e9))",
        "return softmax(scores + (1 - mask) * -1e9)",
        "return softmax(np.where(mask, scores, -1e30))",
        "return softmax(scores - 1e9 * (1 - mask))",
        "return softmax(scores + np.nan_to_num(-np.inf * (1 - mask)))",
        """
        masked = scores + np.nan_to_num((1 - mask) * -np.inf)
        exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)
        """,
        """
        allowed = np.broadcast_to(mask, scores.shape)
        masked = scores.copy()
        masked[~allowed] = -np.inf
        exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)
        """,
        "masked = scores.copy()\nnp.copyto(masked, -np.inf, where=~mask)\nreturn softmax(masked)",
        """
        allowed = np.broadcast_to(mask, scores.shape)
        weights = np.zeros(scores.shape)
        for place in np.ndindex(scores.shape[:-1]):
            weights[place][allowed[place]] = softmax(scores[place][allowed[place]])
        return weights.tolist()
        """,
    ],
    "padding-mask": [
        "return padding_mask(lengths, n_keys)",
        "return (np.arange(n_keys)[None, :] < lengths[:, None])[:, None, :]",
        "return [[[j < length for j in range(n_keys)]] for length in lengths]",
        "return [[[1] * length + [0] * (n_keys - length)] for length in lengths]",
        """
        mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
        for i, length in enumerate(lengths):
            mask[i, 0, :length] = True
        return mask
        """,
        """
        mask = np.ones((len(lengths), 1, n_keys))
        for i, length in enumerate(lengths):
            mask[i, :, length:] = 0
        return mask
        """,
        "return np.tri(n_keys, dtype=bool)[lengths - 1][:, None]",
        "return ~(np.arange(n_keys) >= lengths.reshape(-1, 1, 1))",
        "rows = [np.arange(n_keys) < length for length in lengths]\nreturn np.stack(rows)[:, np.newaxis]",
        "return np.less.outer(np.arange(n_keys), lengths).T[:, None, :]",
    ],
    "future-bug": [
        "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool), SCORES, -np.inf))",
        "scores = SCORES\nreturn softmax(mask_scores(scores, causal_mask(scores.shape[-1])))",
        "scores = SCORES\nn = scores.shape[-1]\nreturn softmax(scores + np.triu(np.full((n, n), -np.inf), "
        "k=1))",
        "scores = SCORES\nreturn softmax(np.where(np.tri(scores.shape[-1]) == 1, scores, -1e9))",
        """
        scores = SCORES
        allowed = np.tri(scores.shape[-1], k=-1, dtype=bool) | np.eye(scores.shape[-1], dtype=bool)
        return softmax(np.where(allowed, scores, -np.inf))
        """,
        """
        scores = SCORES
        weights = np.zeros(scores.shape)
        for i in range(scores.shape[-2]):
            weights[..., i, :i + 1] = softmax(scores[..., i, :i + 1])
        return weights
        """,
        """
        scores = SCORES
        i, j = np.indices(scores.shape[-2:])
        return softmax(np.where(j > i, -np.inf, scores))
        """,
        "scores = SCORES.copy()\nscores[..., ~np.tri(scores.shape[-1], dtype=bool)] = -np.inf\nreturn "
        "softmax(scores)",
    ],
    "leak-test": [
        "return bool(leaks(model, x))",
        "return len(leaks(model, x)) > 0",
        """
        before = model(x.copy())
        for token in range(1, len(x)):
            changed = x.copy()
            changed[token] += np.array([1.0, -2.0, 4.0])
            if np.any(np.abs(model(changed)[:token] - before[:token]) > 1e-9):
                return True
        return False
        """,
        """
        before = model(x.copy())
        for i in range(len(x) - 1):  # change everything after output i
            changed = x.copy()
            changed[i + 1:] = np.random.default_rng(i).normal(size=changed[i + 1:].shape) * 3
            if not np.allclose(model(changed)[i], before[i], rtol=0, atol=1e-9):
                return True
        return False
        """,
        """
        whole = model(x.copy())
        for n in range(1, len(x)):  # every prefix on its own
            if abs(model(x[:n].copy()) - whole[:n]).max() > 1e-9:
                return True
        return False
        """,
        """
        before = model(x.copy())
        changes = []
        for token in range(1, len(x)):
            changed = x.copy()
            changed[token] = 10 * np.random.normal(size=x.shape[1])
            changes.append(abs(model(changed) - before)[:token].max())
        return max(changes) > 1e-9
        """,
        """
        leak = 0
        before = model(x.copy())
        for token in range(1, len(x)):
            changed = x.copy()
            changed[token] = rng_free(changed[token])
            after = model(changed)
            leak = leak or int((abs(after - before)[:token] > 1e-9).any())
        return leak
        """,
        """
        def run(tokens):
            return np.array(model(np.array(tokens)), dtype=float)

        n, d = x.shape
        for i in range(n):
            for j in range(i + 1, n):
                for k in range(d):
                    changed = [list(row) for row in x]
                    changed[j][k] += 2.5
                    if abs(run(changed)[i] - run(x)[i]).max() > 1e-9:
                        return True
        return False
        """,
        """
        before = model(x.copy())
        return any(
            np.abs(model(np.vstack([x[:t], rng_free(x[t])[None], x[t + 1:]])) - before)[:t].max() > 1e-9
            for t in range(1, len(x))
        )
        """,
        """
        before = model(x.copy())
        leak = False
        for token in range(1, len(x)):
            changed = x.copy()
            changed[token] = rng_free(changed[token])
            after = model(changed)
            leak |= not np.allclose(before[:token], after[:token], rtol=0, atol=1e-9)
        return leak
        """,
    ],
}


@pytest.mark.parametrize(
    ("name", "body"), [(name, body) for name, bodies in RIGHT.items() for body in bodies]
)
def test_right_in_any_style(name, body):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "right", feedback.text


LOOP = """
before = model(x.copy())
for token in {tokens}:
    changed = x.copy()
    {change}
    after = model(changed)
    if {moved}:
        return True
return False
"""


def loop(
    change: str = "changed[token] = rng_free(changed[token])",
    moved: str = "(abs(after - before)[:token] > 1e-9).any()",
    tokens: str = "range(1, len(x))",
) -> str:
    return LOOP.format(tokens=tokens, change=change, moved=moved)


WRONG = {
    "causal-mask": [
        ("upper-left", "return np.tri(n_queries, n_keys, dtype=bool)"),
        ("upper-left", "return np.tril(np.ones((n_queries, n_keys))).astype(bool)"),
        ("upper-left", "return [[j <= i for j in range(n_keys)] for i in range(n_queries)]"),
        ("offset-turned", "return np.tri(n_queries, n_keys, n_queries - n_keys, dtype=bool)"),
        ("one-step-ahead", "return np.tri(n_queries, n_keys, n_keys - n_queries + 1, dtype=bool)"),
        (
            "one-step-ahead",
            "return [[j <= i + 1 + n_keys - n_queries for j in range(n_keys)] for i in range(n_queries)]",
        ),
        ("own-token-hidden", "return np.tri(n_queries, n_keys, n_keys - n_queries - 1, dtype=bool)"),
        ("own-token-hidden", "return np.arange(n_keys) < np.arange(n_keys - n_queries, n_keys)[:, None]"),
        ("upper-left+one-step-ahead", "return np.tri(n_queries, n_keys, 1, dtype=bool)"),
        ("upper-left+own-token-hidden", "return [[j < i for j in range(n_keys)] for i in range(n_queries)]"),
        ("other-triangle", "return np.triu(np.ones((n_queries, n_keys), dtype=bool), k=n_keys - n_queries)"),
        ("upper-left+other-triangle", "return np.triu(np.ones((n_queries, n_keys)))"),
        ("inverted", "return np.triu(np.ones((n_queries, n_keys), dtype=bool), k=n_keys - n_queries + 1)"),
        ("inverted", "return ~np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)"),
        ("upper-left+inverted", "return np.triu(np.ones((n_queries, n_keys), dtype=bool), k=1)"),
        ("everything-open", "return np.ones((n_queries, n_keys), dtype=bool)"),
        ("everything-open", "return np.tri(n_queries, n_keys, n_keys, dtype=bool)"),
        (
            "everything-hidden",
            "mask = np.zeros((n_queries, n_keys))\nfor i in range(n_queries):\n    mask[i] == 1\nreturn mask",
        ),
        ("own-token-only", "return np.eye(n_queries, n_keys, n_keys - n_queries, dtype=bool)"),
        ("upper-left+own-token-only", "return np.eye(n_queries, n_keys)"),
        ("square-of-queries", "return np.tri(n_queries, dtype=bool)"),
        ("square-of-keys", "return np.tri(n_keys, dtype=bool)"),
        ("transposed", "return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool).T"),
        ("transposed+upper-left", "return np.tri(n_queries, n_keys, dtype=bool).T"),
        (
            "to-be-added",
            "return np.where(np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool), 0, -np.inf)",
        ),
        ("to-be-added+upper-left", "return np.triu(np.full((n_queries, n_keys), -np.inf), k=1)"),
        ("nan-on-the-way", "return (1 - np.tri(n_queries, n_keys, n_keys - n_queries)) * -np.inf"),
        ("", "return np.tri(n_keys, dtype=bool)[:n_queries, :n_queries + 1]"),
        (
            "",
            "mask = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)\nmask[:, 0] = False\nreturn "
            "mask",
        ),
        ("", "return np.random.default_rng(0).random((n_queries, n_keys)) > 0.5"),
        ("", "return causal_mask(n_queries, n_keys).sum()"),
        ("", "return n_keys >= n_queries"),
        # from the blind trial
        ("sizes-swapped", "return np.tri(n_keys, n_queries, n_keys - n_queries, dtype=bool)"),
        ("sizes-swapped", "return np.tri(n_keys, n_queries, dtype=bool)"),
        ("sizes-swapped", "return np.tri(n_keys, dtype=bool)[:, -n_queries:]"),
    ],
    "masked-attention": [
        ("inverted", "return softmax(np.where(mask, -np.inf, SCORES)) @ values"),
        ("inverted", "return softmax(np.where(mask == False, SCORES, -np.inf)) @ values"),
        ("inverted", "return softmax(SCORES + np.where(mask, -np.inf, 0)) @ values"),
        ("mask-ignored", "return softmax(SCORES) @ values"),
        ("mask-ignored", "scores = SCORES\nnp.where(mask, scores, -np.inf)\nreturn softmax(scores) @ values"),
        ("weights-zeroed", "return (softmax(SCORES) * mask) @ values"),
        ("weights-zeroed", "return np.where(mask, softmax(SCORES), 0) @ values"),
        ("score-0", "return softmax(SCORES * mask) @ values"),
        ("score-0", "return softmax(np.where(mask, SCORES, 0)) @ values"),
        ("mask-added", "return softmax(SCORES + mask) @ values"),
        ("zero-times-infinity", "return softmax(SCORES + (1 - mask) * -np.inf) @ values"),
        (
            "zero-times-infinity",
            "scores = SCORES + ~mask * -np.inf\nexponentials = np.exp(scores - TOP)\n"
            "return exponentials / exponentials.SUM @ values",
        ),
        ("times-infinity", "return softmax(SCORES * np.where(mask, 1, -np.inf)) @ values"),
        ("plus-infinity", "return softmax(np.where(mask, SCORES, np.inf)) @ values"),
        ("minus-a-billion", "return softmax(np.where(mask, SCORES, -1e9)) @ values"),
        ("minus-a-billion", "return softmax(SCORES + (1 - mask) * -1e9) @ values"),
        ("minus-a-billion", "return softmax(SCORES - 1e6 * ~mask) @ values"),
        (
            "minus-a-billion",
            "scores = SCORES\nreturn softmax(np.where(mask, scores, np.finfo(float).min)) @ values",
        ),
        ("minus-a-little", "return softmax(np.where(mask, SCORES, -100)) @ values"),
        ("minus-a-little", "return softmax(np.where(mask, SCORES, -1)) @ values"),
        ("minus-a-little", "return softmax(SCORES + np.where(mask, 0, -10)) @ values"),
        (
            "no-key-nan",
            "scores = np.where(mask, SCORES, -np.inf)\nexponentials = np.exp(scores - TOP)\n"
            "return exponentials / exponentials.SUM @ values",
        ),
        (
            "no-row-max+no-key-nan|no-row-max+minus-a-billion",
            "exponentials = np.exp(np.where(mask, SCORES, -np.inf))\nreturn exponentials / exponentials.SUM "
            "@ values",
        ),
        (
            "no-row-max",
            "exponentials = np.exp(np.where(mask, SCORES, -np.inf))\ntotal = exponentials.SUM\n"
            "return np.where(mask.any(-1, keepdims=True), exponentials / total, 0) @ values",
        ),
        ("mask-as-index", "scores = SCORES\nscores[~mask] = -np.inf\nreturn softmax(scores) @ values"),
        (
            "mask-as-index",
            "scores = SCORES\nscores[mask == False] = -np.inf\nreturn softmax(scores) @ values",
        ),
        ("mask-as-index", "scores = SCORES\nscores[..., ~mask] = -np.inf\nreturn softmax(scores) @ values"),
        ("mask-transposed", "return softmax(np.where(mask.T, SCORES, -np.inf)) @ values"),
        (
            "own-causal-mask",
            "scores = SCORES\nreturn softmax(mask_scores(scores, causal_mask(*scores.shape[-2:]))) @ values",
        ),
        ("over-queries", "return softmax(np.where(mask, SCORES, -np.inf), axis=-2) @ values"),
        (
            "never-scaled",
            "return softmax(np.where(mask, dot_product_scores(queries, keys), -np.inf)) @ values",
        ),
        ("weights-returned", "return softmax(np.where(mask, SCORES, -np.inf))"),
        (
            "root-d_v",
            "scores = scale_scores(dot_product_scores(queries, keys), values.shape[-1])\n"
            "return softmax(np.where(mask, scores, -np.inf)) @ values",
        ),
        ("keys-mixed", "return softmax(np.where(mask, SCORES, -np.inf)) @ keys"),
        (
            "inverted+never-scaled",
            "return softmax(np.where(mask, -np.inf, queries @ np.swapaxes(keys, -1, -2))) @ values",
        ),
        ("never-scaled+weights-zeroed", "return softmax(dot_product_scores(queries, keys)) * mask @ values"),
        (
            "all-axes-reversed",
            "scores = queries @ keys.T / np.sqrt(queries.shape[-1])\n"
            "return softmax(np.where(mask, scores, -np.inf)) @ values",
        ),
        ("infinity-after-softmax", "return np.where(mask, softmax(SCORES), -np.inf) @ values"),
        ("", "return softmax(np.where(mask, SCORES, -np.inf)) @ values + 1"),
        ("", "return np.where(mask.any(axis=-1, keepdims=True), softmax(SCORES) @ values, 0)"),
        ("", "return softmax(np.where(mask, SCORES, -np.inf)) @ np.sort(values, axis=-2)"),
        ("", "return softmax(np.where(mask, SCORES, -np.inf)), values"),
        # from the blind trial
        ("renormalised", "weights = softmax(SCORES) * mask\nreturn weights / weights.SUM @ values"),
        ("renormalised", "w = softmax(SCORES) * mask\nreturn np.nan_to_num(w / w.SUM) @ values"),
        (
            "renormalised",
            "w = softmax(SCORES) * mask\ntotal = w.SUM\nreturn w / np.where(total == 0, 1, total) @ values",
        ),
        ("renormalised", "w = softmax(SCORES) * mask\nreturn w / (w.SUM + 1e-9) @ values"),
        (
            "renormalised",
            "w = softmax(SCORES) * mask\nreturn np.where(mask.any(-1, keepdims=True), w / w.SUM, 0) @ values",
        ),
        (
            "whole-max",
            "e = np.where(mask, SCORES, -np.inf)\ne = np.exp(e - e.max())\ntotal = e.SUM\n"
            "return e / np.where(total == 0, 1, total) @ values",
        ),
        (
            "no-row-max",
            "e = np.exp(SCORES) * mask\ntotal = e.SUM\nreturn e / np.where(total == 0, 1, total) @ values",
        ),
        (
            "minus-a-little",
            "w = softmax(SCORES + (1 - mask) * -20.0)\nseen = np.broadcast_to(mask, w.shape)\n"
            "return np.where(seen.any(-1, keepdims=True), w, 0) @ values",
        ),
        ("minus-a-little", "return softmax(SCORES + np.log(mask + 1e-9)) @ values"),
        ("inverted", "return softmax(np.where(mask, -1e9, SCORES)) @ values"),
        (
            "minus-a-billion",
            "w = softmax(np.where(mask, SCORES, -np.inf))\n"
            "return np.where(w.SUM == 0, 1 / w.shape[-1], w) @ values",
        ),
        ("axis-0", "return softmax(np.where(mask, SCORES, -np.inf), axis=0) @ values"),
        ("axis-1", "return softmax(np.where(mask, SCORES, -np.inf), axis=1) @ values"),
        (
            "causal-mask-too",
            "s = SCORES\nreturn softmax(np.where(mask & causal_mask(*s.shape[-2:]), s, -np.inf)) @ values",
        ),
        (
            "added-to-the-input",
            "output = softmax(np.where(mask, SCORES, -np.inf)) @ values\n"
            "return values[..., :queries.shape[-2], :] + output",
        ),
        ("added-to-the-input", "return queries + softmax(np.where(mask, SCORES, -np.inf)) @ values"),
        ("mask-flattens", "s = SCORES\nreturn softmax(s[mask]) @ values"),
        ("values-zeroed", "return softmax(SCORES) @ np.where(np.swapaxes(mask, -1, -2), values, 0)"),
        (
            "values-zeroed",
            "s = SCORES\nseen = np.broadcast_to(mask, s.shape)\n"
            "return softmax(s) @ (values * seen.all(axis=-2)[..., None])",
        ),
    ],
    "infinity-bug": [
        ("zero-times-infinity", "return softmax(scores + (1 - mask) * -np.inf)"),
        ("zero-times-infinity", "masked = scores + ~mask * -np.inf\nreturn softmax(masked)"),
        (
            "zero-times-infinity",
            "masked = scores + (mask - 1) * np.inf\nexponentials = np.exp(masked - masked.max(axis=-1, "
            "keepdims=True))\nreturn exponentials / exponentials.sum(axis=-1, keepdims=True)",
        ),
        ("zero-times-infinity", "return softmax(scores + mask * -np.inf)"),
        ("zero-times-infinity", "return softmax(scores - mask * np.inf)"),
        ("inverted", "return softmax(np.where(mask, -np.inf, scores))"),
        ("inverted", "return softmax(scores + np.where(mask, -np.inf, 0))"),
        ("inverted", "return softmax(np.where(~mask, scores, -np.inf))"),
        ("mask-ignored", "exponentials = np.exp(scores - TOP)\nreturn exponentials / exponentials.SUM"),
        ("mask-ignored", "return softmax(scores)"),
        ("mask-ignored", "masked = np.where(mask, scores, -np.inf)\nreturn softmax(scores)"),
        ("weights-zeroed", "return softmax(scores) * mask"),
        ("weights-zeroed", "weights = softmax(scores)\nreturn np.where(mask, weights, 0)"),
        ("score-0", "return softmax(scores * mask)"),
        ("score-0", "return softmax(np.where(mask, scores, 0))"),
        ("mask-added", "return softmax(scores + mask)"),
        ("mask-added", "return softmax(scores - (1 - mask))"),
        ("minus-a-little", "return softmax(scores + (1 - mask) * -10)"),
        ("minus-a-little", "return softmax(np.where(mask, scores, -999))"),
        ("minus-a-little", "return softmax(np.where(mask, scores, -1000))"),
        ("smallest-score", "return softmax(np.where(mask, scores, scores.min()))"),
        ("times-infinity", "return softmax(scores * np.where(mask, 1, -np.inf))"),
        ("plus-infinity", "return softmax(np.where(mask, scores, np.inf))"),
        ("scores-forgotten", "return softmax(np.where(mask, 0, -np.inf) + 0 * scores)"),
        ("scores-forgotten", "return softmax(np.nan_to_num(scores + (1 - mask) * -np.inf))"),
        ("infinity-after-softmax", "return np.where(mask, softmax(scores), -np.inf)"),
        ("nan-painted-over", "return np.nan_to_num(np.exp(scores + (1 - mask) * -np.inf))"),
        ("mask-as-index", "masked = scores.copy()\nmasked[~mask] = -np.inf\nreturn softmax(masked)"),
        ("not-divided", "return np.exp(np.where(mask, scores, -np.inf))"),
        (
            "no-row-max",
            "exponentials = np.exp(np.where(mask, scores, -np.inf))\nreturn exponentials / exponentials.SUM",
        ),
        ("no-softmax", "return np.where(mask, scores, -np.inf)"),
        ("over-queries", "return softmax(np.where(mask, scores, -np.inf), axis=-2)"),
        ("own-causal-mask", "return softmax(np.where(causal_mask(*scores.shape[-2:]), scores, -np.inf))"),
        ("", "return softmax(np.where(mask, scores, -np.inf)) + 0.01"),
        ("", "return softmax(np.where(mask, -scores, -np.inf))"),
        ("", "return np.where(mask, scores, np.nan)"),
        # from the blind trial
        ("renormalised", "weights = softmax(scores) * mask\nreturn weights / weights.SUM"),
        (
            "renormalised",
            "exponentials = np.exp(scores - TOP) * mask\nreturn exponentials / exponentials.SUM",
        ),
        (
            "whole-max",
            "masked = np.where(mask, scores, -np.inf)\nexponentials = np.exp(masked - masked.max())\n"
            "return exponentials / exponentials.SUM",
        ),
        ("whole-max", "e = np.exp(scores - scores.max()) * mask\nreturn e / e.SUM"),
        ("minus-a-little", "return softmax(scores + (1 - mask) * -20)"),
        ("minus-a-little", "return softmax(scores + (1 - mask) * -100)"),
        ("minus-a-little", "return softmax(scores + (1 - mask) * -1000)"),
        ("minus-a-little", "return softmax(scores + np.log(mask + 1e-9))"),
        (
            "inverted",
            "masked = np.where(mask, -np.inf, scores)\n"
            "exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
            "return exponentials / exponentials.SUM",
        ),
        (
            "inverted",
            "masked = scores + np.where(mask, -np.inf, 0)\n"
            "exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
            "return exponentials / exponentials.SUM",
        ),
        ("no-row-max", "exponentials = np.exp(scores) * mask\nreturn exponentials / exponentials.SUM"),
        (
            "axis-0",
            "e = np.where(mask, scores, -np.inf)\ne = np.exp(e - e.max(axis=0, keepdims=True))\n"
            "return e / e.sum(axis=0, keepdims=True)",
        ),
        ("axis-1", "return softmax(np.where(mask, scores, -np.inf), axis=1)"),
        (
            "scores-forgotten",
            "masked = np.where(mask, 0.0, -np.inf)\n"
            "exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
            "return exponentials / exponentials.SUM",
        ),
    ],
    "padding-mask": [
        ("inverted", "return (np.arange(n_keys) >= lengths[:, None])[:, None, :]"),
        ("inverted", "return ~padding_mask(lengths, n_keys)"),
        ("inverted", "return [[[0] * length + [1] * (n_keys - length)] for length in lengths]"),
        ("one-too-many", "return (np.arange(n_keys) <= lengths[:, None])[:, None, :]"),
        ("one-too-many", "return np.tri(n_keys, dtype=bool)[lengths][:, None]"),
        ("one-too-few", "return (np.arange(1, n_keys + 1) < lengths[:, None])[:, None, :]"),
        ("one-too-few", "return np.tri(n_keys, k=-1, dtype=bool)[lengths - 1][:, None]"),
        ("first-token-hidden", "return [[[0 < j <= length for j in range(n_keys)]] for length in lengths]"),
        (
            "padding-in-front",
            "return [[[j >= n_keys - length for j in range(n_keys)]] for length in lengths]",
        ),
        ("padding-in-front", "return (np.arange(n_keys)[::-1] < lengths[:, None])[:, None]"),
        ("length-of-the-padding", "return (np.arange(n_keys) < n_keys - lengths[:, None])[:, None]"),
        (
            "minus-zero",
            "mask = np.ones((len(lengths), 1, n_keys), dtype=bool)\nfor i, n in enumerate(lengths):\n"
            "    mask[i, 0, n - n_keys:] = False\nreturn mask",
        ),
        ("one-place-only", "return np.eye(n_keys, dtype=bool)[lengths - 1][:, None]"),
        ("one-place-only", "return (np.arange(n_keys) == lengths[:, None])[:, None]"),
        (
            "one-place-only",
            "mask = np.zeros((len(lengths), 1, n_keys))\nmask[np.arange(len(lengths)), 0, lengths - 1] = "
            "1\nreturn mask",
        ),
        ("first-length-for-all", "return [[[j < lengths[0] for j in range(n_keys)]] for _ in lengths]"),
        ("longest-for-all", "return [[[j < max(lengths) for j in range(n_keys)]] for _ in lengths]"),
        ("nothing-hidden", "return np.ones((len(lengths), 1, n_keys), dtype=bool)"),
        ("everything-hidden", "return np.zeros((len(lengths), 1, n_keys), dtype=bool)"),
        ("cut-to-the-longest", "return (np.arange(max(lengths)) < lengths[:, None])[:, None]"),
        ("no-query-axis", "return np.arange(n_keys) < lengths[:, None]"),
        ("no-query-axis", "return [[j < length for j in range(n_keys)] for length in lengths]"),
        ("queries-hidden", "return (np.arange(n_keys) < lengths[:, None])[:, :, None]"),
        ("axis-in-front", "return (np.arange(n_keys) < lengths[:, None])[None]"),
        ("heads-axis-too", "return (np.arange(n_keys) < lengths[:, None])[:, None, None]"),
        ("repeated-for-queries", "return np.tile(padding_mask(lengths, n_keys), (1, n_keys, 1))"),
        (
            "queries-and-keys",
            "m = np.arange(n_keys) < lengths[:, None]\nreturn m[:, :, None] & m[:, None, :]",
        ),
        ("to-be-added", "return np.where(padding_mask(lengths, n_keys), 0, -np.inf)"),
        ("to-be-added", "return np.where(np.arange(n_keys) < lengths[:, None, None], 0, -1e9)"),
        ("inverted+no-query-axis", "return np.arange(n_keys) >= lengths[:, None]"),
        ("no-query-axis+one-too-many", "return np.arange(n_keys) <= lengths[:, None]"),
        ("", "return lengths[:, None, None] > n_keys"),
        ("", "return (np.arange(n_keys) % 2 < lengths[:, None])[:, None]"),
        # from the blind trial
        ("lengths-without-axes", "return np.arange(n_keys) < lengths"),
        ("lengths-without-axes", "return (np.arange(n_keys) < lengths)[:, None, :]"),
        ("causal-mask-too", "return causal_mask(n_keys) & padding_mask(lengths, n_keys)"),
    ],
    "future-bug": [
        (
            "two-steps-ahead",
            "return softmax(np.where(np.tri(queries.shape[-2], k=2, dtype=bool), SCORES, -np.inf))",
        ),
        ("one-step-ahead", "return softmax(np.where(np.tri(queries.shape[-2], k=1) > 0, SCORES, -np.inf))"),
        (
            "one-step-ahead",
            "scores = SCORES\nn = scores.shape[-1]\nreturn softmax(scores + np.triu(np.full((n, n), "
            "-np.inf), k=2))",
        ),
        (
            "own-token-hidden",
            "return softmax(np.where(np.tri(queries.shape[-2], k=-1, dtype=bool), SCORES, -np.inf))",
        ),
        ("own-token-hidden", "return softmax(np.where(np.tri(keys.shape[-2], k=-1) == 1, SCORES, -np.inf))"),
        (
            "other-triangle",
            "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool).T, SCORES, -np.inf))",
        ),
        (
            "other-triangle",
            "s = SCORES\nreturn softmax(np.where(np.triu(np.ones(s.shape[-2:])) == 1, s, -np.inf))",
        ),
        (
            "other-triangle",
            "return softmax(np.where(np.tri(queries.shape[-2], k=1, dtype=bool).T, SCORES, -np.inf))",
        ),
        ("inverted", "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool), -np.inf, SCORES))"),
        ("inverted", "return softmax(np.where(~causal_mask(keys.shape[-2]), SCORES, -np.inf))"),
        ("nothing-hidden", "return softmax(SCORES)"),
        ("nothing-hidden", "return softmax(np.where(np.tri(queries.shape[-2], k=99) > 0, SCORES, -np.inf))"),
        ("own-token-only", "return softmax(np.where(np.eye(queries.shape[-2]) == 1, SCORES, -np.inf))"),
        ("size-of-first-axis", "return softmax(np.where(np.tri(len(queries), dtype=bool), SCORES, -np.inf))"),
        (
            "size-of-first-axis",
            "return softmax(np.where(np.tri(queries.shape[0], dtype=bool), SCORES, -np.inf))",
        ),
        (
            "size-of-second-axis",
            "s = SCORES\nreturn softmax(np.where(np.tri(s.shape[1], dtype=bool), s, -np.inf))",
        ),
        ("size-of-d_k", "return softmax(np.where(np.tri(queries.shape[-1], dtype=bool), SCORES, -np.inf))"),
        ("weights-zeroed", "return softmax(SCORES) * np.tri(queries.shape[-2])"),
        ("weights-zeroed", "return np.tril(softmax(SCORES))"),
        ("score-0", "return softmax(np.tril(SCORES))"),
        ("score-0", "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool), SCORES, 0))"),
        ("mask-added", "return softmax(SCORES + np.tri(queries.shape[-2]))"),
        ("zero-times-infinity", "return softmax(SCORES + (1 - np.tri(queries.shape[-2])) * -np.inf)"),
        ("minus-a-little", "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool), SCORES, -10))"),
        ("minus-a-little", "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool), SCORES, -100))"),
        ("plus-infinity", "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool), SCORES, np.inf))"),
        (
            "never-scaled",
            "scores = dot_product_scores(queries, keys)\n"
            "return softmax(np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf))",
        ),
        (
            "over-queries",
            "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool), SCORES, -np.inf), axis=-2)",
        ),
        (
            "infinity-after-softmax",
            "return np.where(np.tri(queries.shape[-2], dtype=bool), softmax(SCORES), -np.inf)",
        ),
        (
            "softmax-first",
            "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool), softmax(SCORES), -np.inf))",
        ),
        (
            "scores-forgotten",
            "return softmax(np.where(np.tri(queries.shape[-2], dtype=bool), 0 * SCORES, -np.inf))",
        ),
        (
            "mask-as-index",
            "scores = SCORES\nscores[~np.tri(scores.shape[-1], dtype=bool)] = -np.inf\nreturn "
            "softmax(scores)",
        ),
        (
            "one-step-ahead+never-scaled",
            "scores = queries @ np.swapaxes(keys, -1, -2)\n"
            "return softmax(np.where(np.tri(scores.shape[-1], k=1, dtype=bool), scores, -np.inf))",
        ),
        ("", "w = softmax(SCORES)\nw[..., 0, :] = 0\nw[..., 0, 0] = 1\nreturn w"),
        ("", "w = np.tril(softmax(SCORES))\nreturn w / w.sum()"),
        ("", "return softmax(SCORES)[..., ::-1]"),
        # from the blind trial
        (
            "renormalised",
            "weights = softmax(SCORES) * np.tri(queries.shape[-2])\nreturn weights / weights.SUM",
        ),
        ("minus-a-little", "return softmax(SCORES + (1 - np.tri(queries.shape[-2])) * -20)"),
        ("minus-a-little", "return softmax(SCORES + (1 - np.tri(queries.shape[-2])) * -100)"),
        ("inverted", "return softmax(np.where(np.tri(keys.shape[-2], k=1, dtype=bool), -np.inf, SCORES))"),
        ("inverted", "return softmax(np.where(~np.tri(keys.shape[-2], k=1, dtype=bool), SCORES, -np.inf))"),
        (
            "weights-zeroed",
            "s = SCORES\nseen = np.tri(s.shape[-1], k=1, dtype=bool)\n"
            "return np.tril(softmax(np.where(seen, s, -np.inf)))",
        ),
        (
            "own-token-hidden",
            "s = SCORES\nseen = np.tri(s.shape[-1], k=-1, dtype=bool)\nseen[0, 0] = True\n"
            "return softmax(np.where(seen, s, -np.inf))",
        ),
    ],
    "leak-test": [
        ("always-false", "return False"),
        ("always-true", "return True"),
        (
            "not-copied",
            "before = model(x)\nchanged = x\nafter = model(changed)\nreturn not np.allclose(before, after)",
        ),
        (
            "last-token-only",
            "before = model(x.copy())\nchanged = x.copy()\nchanged[-1] = rng_free(changed[-1])\n"
            "return bool((abs(model(changed) - before)[:-1] > 1e-9).any())",
        ),
        (
            "last-token-only+tolerance-too-wide",
            "before = model(x.copy())\nchanged = x.copy()\n"
            "changed[-1] = rng_free(changed[-1])\nreturn not np.allclose(model(changed)[:-1], before[:-1])",
        ),
        (
            "last-token-only+same-number-added",
            "before = model(x.copy())\nchanged = x.copy()\nchanged[-1] += 1\n"
            "return bool((abs(model(changed) - before)[:-1] > 1e-9).any())",
        ),
        (
            "last-token-only",
            "before = model(x.copy())\nfor token in range(1, len(x)):\n    changed = x.copy()\n"
            "    changed[token] += [3, 1, 2]\n    leak = (abs(model(changed) - before)[:token] > "
            "1e-9).any()\nreturn leak",
        ),
        (
            "second-token-only",
            "before = model(x.copy())\nfor token in range(1, len(x)):\n    changed = x.copy()\n"
            "    changed[token] += [3, 1, 2]\n    if (abs(model(changed) - before)[:token] > 1e-9).any():\n"
            "        return True\n    else:\n        return False",
        ),
        ("changed-row-too", loop(moved="(abs(after - before)[:token + 1] > 1e-9).any()")),
        (
            "changed-row-too",
            "before = model(x.copy())\nchanged = x.copy()\nchanged[-1] = rng_free(changed[-1])\n"
            "return bool((abs(model(changed) - before) > 1e-9).any())",
        ),
        ("all-outputs", loop(moved="(abs(after - before) > 1e-9).any()")),
        ("all-outputs", loop(moved="np.abs(after - before).max() > 1e-9", tokens="range(len(x))")),
        (
            "earlier-token",
            loop(moved="(abs(after - before)[token + 1:] > 1e-9).any()", tokens="range(len(x))"),
        ),
        (
            "earlier-token",
            "before = model(x.copy())\nchanged = x.copy()\nchanged[0] = rng_free(changed[0])\n"
            "return bool((abs(model(changed) - before)[1:] > 1e-9).any())",
        ),
        ("same-number-added", loop("changed[token] += 1")),
        ("same-number-added", loop("changed[token] = changed[token] + 100")),
        ("same-number-added", loop("changed[token] -= 1.0")),
        ("set-to-zero", loop("changed[token] = 0")),
        ("set-to-zero", loop("changed[token] *= 0")),
        ("set-to-one-number", loop("changed[token] = 100")),
        ("set-to-one-number", loop("changed[token] = np.ones(x.shape[1])")),
        ("multiplied", loop("changed[token] *= 2")),
        ("multiplied", loop("changed[token] = 10 * changed[token]")),
        ("sign-turned", loop("changed[token] = -changed[token]")),
        ("entries-reversed", loop("changed[token] = changed[token][::-1].copy()")),
        ("tokens-reordered", loop("changed[token:] = x[token:][::-1]")),
        ("one-entry-changed", loop("changed[token, 0] += 1")),
        ("one-entry-changed", loop("changed[token, -1] += 10")),
        ("too-small-a-change", loop("changed[token] += 1e-4 * np.array([1, 2, 3])")),
        (
            "nan-put-in",
            loop("changed[token] = np.nan", moved="not np.allclose(before[:token], after[:token])"),
        ),
        ("exact", loop(moved="not np.array_equal(before[:token], after[:token])")),
        ("exact", loop(moved="(before[:token] != after[:token]).any()")),
        ("tolerance-too-wide", loop(moved="not np.allclose(before[:token], after[:token])")),
        ("tolerance-too-wide", loop(moved="not np.allclose(before[:token], after[:token], atol=1e-9)")),
        ("tolerance-too-wide", loop(moved="not np.isclose(before[:token], after[:token]).all()")),
        ("tolerance-too-wide", loop(moved="abs(before[:token] - after[:token]).max() > 1e-6")),
        ("no-absolute-value", loop(moved="(after - before)[:token].max() > 1e-9")),
        ("no-absolute-value", loop(moved="np.any(before[:token] - after[:token] > 1e-9)")),
        ("sums-compared", loop(moved="abs(after[:token].sum() - before[:token].sum()) > 1e-9")),
        ("all-entries", loop(moved="(abs(after - before)[:token] > 1e-9).all()")),
        ("all-entries", loop(moved="not np.isclose(after[:token], before[:token], rtol=0, atol=1e-9).any()")),
        ("one-column", loop(moved="(abs(after - before)[:token, 0] > 1e-9).any()")),
        ("first-output-only", loop(moved="(abs(after - before)[0] > 1e-9).any()")),
        ("next-token-only", loop(moved="(abs(after - before)[token - 1] > 1e-9).any()")),
        ("last-token-left-out", loop(tokens="range(1, len(x) - 1)")),
        ("output-before-left-out", loop(moved="(abs(after - before)[:token - 1] > 1e-9).any()")),
        (
            "one-split-only",
            "half = len(x) // 2\nchanged = x.copy()\nchanged[half:] = rng_free(changed[half:])\n"
            "return bool((abs(model(changed) - model(x.copy()))[:half] > 1e-9).any())",
        ),
        (
            "every-token",
            "before = model(x.copy())\nfor token in range(1, len(x)):\n    changed = x.copy()\n"
            "    changed[token] += [3, 1, 2]\n    if not (abs(model(changed) - before)[:token] > "
            "1e-9).any():\n        return False\nreturn True",
        ),
        (
            "inverted",
            loop().replace("return True", "return None").replace("False", "True").replace("None", "False"),
        ),
        (
            "changes-pile-up",
            "before = model(x.copy())\nchanged = x.copy()\nfor token in range(1, len(x)):\n"
            "    changed[token] += [3, 1, 2]\n    if (abs(model(changed.copy()) - before)[:token] > "
            "1e-9).any():\n        return True\nreturn False",
        ),
        (
            "x-changed",
            "before = model(x)\nfor token in range(1, len(x)):\n    kept = x[token].copy()\n    x[token] += "
            "[3, 1, 2]\n    after = model(x)\n    x[token] = kept\n    if (abs(after - before)[:token] > "
            "1e-9).any():\n        return True\nreturn False",
        ),
        ("x-given-away", loop().replace("model(x.copy())", "model(x)")),
        (
            "x-given-away+tolerance-too-wide",
            loop(moved="not np.allclose(before[:token], after[:token])").replace(
                "model(x.copy())", "model(x)"
            ),
        ),
        ("", "return bool(np.allclose(model(x.copy()), causal_mask(len(x)) @ x))"),
        ("", "return len(x) > 2"),
        ("", "return model(x.copy())[0, 0] > 0"),
        # from the blind trial
        (
            "changes-pile-up",
            "before = model(x.copy())\nchanged = x.copy()\nfor token in range(len(x)):\n"
            "    changed[token] += [1, 4, 9]\n    if (abs(model(changed.copy()) - before)[:token] > "
            "1e-9).any():\n        return True\nreturn False",
        ),
        (
            "changes-pile-up",
            "before = model(x.copy())\nfor token in range(len(x)):\n    x[token] += [1, 4, 9]\n"
            "    if (abs(model(x.copy()) - before)[:token] > 1e-9).any():\n        return True\nreturn False",
        ),
        (
            "changes-pile-up",
            "before = model(x)\nfor token in range(len(x)):\n    x[token] += [1, 4, 9]\n"
            "    if (abs(model(x) - before)[:token] > 1e-9).any():\n        return True\nreturn False",
        ),
        ("too-small-a-change", loop("changed[token] += 1e-6 * np.arange(1, x.shape[1] + 1)")),
        ("too-small-a-change", loop("changed[token] += 0.1 * np.arange(1, x.shape[1] + 1)")),
        ("always-false", loop(tokens="range(len(x))").replace("\nreturn False", "\n    return False")),
        ("columns-changed", loop("changed[:, token] += 5")),
        ("tolerance-too-wide", loop(moved="(abs(after - before)[:token] > 1e-3).any()")),
    ],
}


def names_of(expected: str) -> set[frozenset[str]]:
    return {frozenset(names.split("+")) for names in expected.split("|") if names}


@pytest.mark.parametrize(
    ("name", "expected", "body"),
    [(name, expected, body) for name, answers in WRONG.items() for expected, body in answers],
)
def test_wrong_answers_are_rejected_and_named(name, expected, body):
    """The names that are expected and no others; "" stands for none, as a wrong name would be worse."""
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "wrong"
    assert {frozenset(version) for version in feedback.named} == names_of(expected), feedback.text


def test_there_are_enough_answers():
    for name in HEADS:
        assert len(RIGHT[name]) >= 8
        assert len(WRONG[name]) >= 25


SAID = [  # after the blind trial: what a reply says, or must not say
    ("masked-attention", "w = softmax(SCORES) * mask\nreturn np.nan_to_num(w / w.SUM) @ values",
     "That is right until a hidden score lies far above the others", "guard the division"),
    ("masked-attention", "w = softmax(np.where(mask, SCORES, -np.inf))\n"
     "return np.where(w.SUM == 0, 1 / w.shape[-1], w) @ values",
     "A query with no key got a mean of values that it may not read", "scores became a very low number"),
    ("future-bug", "return softmax(np.where(np.tri(keys.shape[-2], k=1, dtype=bool), -np.inf, SCORES))",
     "a query sees later tokens, and nothing else", "sees itself"),
    ("causal-mask", "mask = causal_mask(n_queries, n_keys)\nmask[:, 0] = False\nreturn mask",
     "so that it may attend to every key; its row in your mask is False True True.",
     "Two things"),
    ("leak-test", loop(moved="(abs(after - before)[:token] > 1e-3).any()"),
     "The comparison overlooks small leaks. It allows for more than 1e-9.", "Two things"),
    ("leak-test", loop(tokens="range(len(x))").replace("\nreturn False", "\n    return False"),
     "Return False only after the loop.", "Two things"),
    ("leak-test", "before = model(x)\nfor token in range(len(x)):\n    x[token] += [1, 4, 9]\n"
     "    if (abs(model(x) - before)[:token] > 1e-9).any():\n        return True\nreturn False",
     "After the call x no longer holds the numbers that went in", "One of these"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "said", "unsaid"), SAID)
def test_replies_of_the_blind_trial(name, body, said, unsaid):
    text = " ".join(evaluate(name, written(name, body)).text.split())
    assert said in text
    assert unsaid not in text


def test_a_hidden_score_far_above_the_others_is_where_renormalising_fails():
    scores, mask = np.array([[1.4, 0.7, 1100.0]]), np.array([[True, True, False]])
    weights = softmax(scores) * mask
    assert weights.sum() == 0
    assert softmax(np.where(mask, scores, -1e9)).sum() == pytest.approx(1)
    right = "masked = np.where(mask, scores, -1e9)\nreturn softmax(masked)"
    assert evaluate("infinity-bug", written("infinity-bug", right)).status == "right"


def test_few_keys_are_all_shown_so_that_the_row_can_be_recomputed():
    text = evaluate("future-bug", written("future-bug", "return softmax(SCORES)")).text
    assert all(f"    key {key} " in text for key in range(3))


def test_an_empty_row_leads_to_its_section():
    text = " ".join(evaluate("reach", np.eye(5, k=-1)).text.split())
    assert '(Lesson 05, "A query with no key".)' in text


# --- leak-test: a function among the inputs


def test_the_models_are_what_they_are_called():
    """The helper finds a leak in exactly those that are said to leak, and the answer does not hang on it."""
    for kind, model, x, leaky, _ in MODELS:
        assert bool(leaks(model, x)) == leak_test(model, x) == leaky, kind
    assert {leaky for *_, leaky, _ in MODELS} == {True, False}


def test_an_answer_without_a_name_gets_a_clue_about_the_model():
    """Three mistakes at once are not named. What the smallest failing model does is said all the same."""
    body = loop("changed[token] += 1", "not np.allclose(before[:token], after[:token])", "[len(x) - 1]")
    feedback = evaluate("leak-test", written("leak-test", body))
    assert feedback.named == ()
    assert feedback.properties == ("each model told apart",)
    assert "so that a number added to all of them is gone" in " ".join(feedback.text.split())
    assert len({kind for kind, *_ in MODELS}) == len(MODELS)
    for kind, model, x, *_, clue in MODELS:

        def wrong_here(one, tokens, model=model, x=x):
            return leak_test(one, tokens) != (one is model and np.array_equal(tokens, x))

        feedback = evaluate("leak-test", wrong_here)
        assert f"Smallest case: {kind}, x" in feedback.text
        assert feedback.named or " ".join(clue.split()) in " ".join(feedback.text.split())


CHANGES = {  # what a learner may add to a token of three entries
    "mixed": np.array([1.0, -2.0, 4.0]),
    "upwards": np.array([3.0, 1.0, 2.0]),
    "downwards": np.array([-1.0, -2.0, -3.0]),
    "large": np.array([100.0, -30.0, 77.0]),
    "very large": np.array([1e4, 2e4, -1e4]),
}
PARTS = {  # one mistake of each kind, by the part of the loop that holds it
    "last-token-only": {"tokens": "[len(x) - 1]"},
    "second-token-only": {"tokens": "[1]"},
    "last-token-left-out": {"tokens": "range(1, len(x) - 1)"},
    "changed-row-too": {"moved": "(abs(after - before)[:token + 1] > 1e-9).any()"},
    "first-output-only": {"moved": "(abs(after - before)[0] > 1e-9).any()"},
    "tolerance-too-wide": {"moved": "not np.allclose(before[:token], after[:token])"},
    "exact": {"moved": "(before != after)[:token].any()"},
    "all-entries": {"moved": "(abs(after - before)[:token] > 1e-9).all()"},
    "sums-compared": {"moved": "abs((after - before)[:token].sum()) > 1e-9"},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_mistake_has_the_same_name_whatever_the_token_is_changed_to(change):
    added = f"changed[token] += {CHANGES[change].tolist()}"
    assert evaluate("leak-test", written("leak-test", loop(added))).status == "right"
    for name, part in PARTS.items():
        assert evaluate("leak-test", written("leak-test", loop(added, **part))).named == ((name,),)


def test_the_failing_model_is_named_in_words_and_not_shown_as_an_object():
    attempts = (written("leak-test", loop("changed[token] += 1")), lambda m, x: 3, lambda m, x: m)
    texts = [evaluate("leak-test", attempt).text for attempt in attempts]
    assert "Smallest case: a model that centres each token first, x (5, 3)." in texts[0]
    assert not any("<" in text or "function _" in text for text in texts)
    assert "expected  False\n    got        True" in evaluate("leak-test", lambda model, x: True).text


def test_a_long_list_of_inputs_is_cut():
    text = " ".join(evaluate("leak-test", leak_test).text.split())
    assert f"; and {len(MODELS) - 12} more." in text
    assert "more" not in evaluate("causal-mask", causal_mask).text


def test_x_must_stay_as_it_is_and_a_model_may_be_to_blame():
    def counted_up(model, x):
        x += 1
        return bool(leaks(model, x))

    feedback = evaluate("leak-test", counted_up)
    assert feedback.text.startswith("✗ leak-test: right answers, but the call changes its input.")
    assert "A function that you call may write into its input: hand it a copy." in " ".join(
        feedback.text.split()
    )
    assert "A function that you call" not in evaluate("infinity-bug", lambda s, m: s.fill(0) or s).text


def endless_in_the_model(model, x):
    while True:
        model(x.copy())


def catching_all(model, x):
    while True:
        try:
            model(x.copy())
        except BaseException:
            continue


@pytest.mark.parametrize("attempt", [endless_in_the_model, catching_all])
def test_time_runs_out_inside_a_model_as_well(attempt, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
    assert "your function was stopped" in evaluate("leak-test", attempt).text


def test_an_error_inside_a_model_is_shown_with_the_learners_line():
    def asks_for_a_stack(model, x):
        return model(x[None].tolist()) > 0

    text = evaluate("leak-test", asks_for_a_stack).text
    assert "in your line: return model(x[None].tolist()) > 0" in text
    assert "helpers" not in text


# --- True and False


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        (lambda q, k: np.tri(q, k, k - q), "You returned 1 and 0, which count as True and False here."),
        (
            lambda q, k: np.tri(q, k, k - q).astype(int).tolist(),
            "PyTorch adds a mask of numbers to the scores",
        ),
        (lambda q, k: causal_mask(q, k).tolist(), "You returned a list. Its entries count"),
    ],
)
def test_ones_and_zeros_count_and_are_told_where_it_matters(attempt, said):
    feedback = evaluate("causal-mask", attempt)
    assert feedback.status == "right"
    assert said in " ".join(feedback.text.split())
    assert "You returned" not in evaluate("causal-mask", causal_mask).text


def test_what_is_told_about_masks_of_numbers_is_so():
    mask = np.tri(3)
    with pytest.raises(TypeError):
        mask_scores(np.zeros((3, 3)), mask)
    assert (~mask.astype(int) != 1 - mask).all()
    torch = pytest.importorskip("torch")
    attend = torch.nn.functional.scaled_dot_product_attention
    rows = torch.zeros(3, 2), torch.zeros(3, 2), torch.eye(3)
    added = attend(*rows, attn_mask=torch.tensor(mask, dtype=torch.float32))
    assert np.allclose(added, softmax(mask), atol=1e-6)


def test_one_truth_may_be_a_number_or_an_array_of_no_axes():
    for attempt in (lambda m, x: np.array(leak_test(m, x)), lambda m, x: np.bool_(leak_test(m, x))):
        assert evaluate("leak-test", attempt).status == "right"
    feedback = evaluate("leak-test", lambda model, x: int(leak_test(model, x)))
    assert feedback.status == "right"
    assert "`bool(...)` says what is meant" in feedback.text
    wrong = evaluate("leak-test", lambda model, x: leaks(model, x)).text
    assert "The result should be True or False, not an array of shape" in wrong


def test_torch_masks_count():
    torch = pytest.importorskip("torch")
    assert evaluate("causal-mask", lambda q, k: torch.ones(q, k).tril(k - q).bool()).status == "right"
    assert evaluate("causal-mask", lambda q, k: torch.ones(q, k).tril().bool()).mistakes == ("upper-left",)


def test_true_and_false_are_no_numbers_elsewhere():
    for name, count in (("infinity-bug", 2), ("softmax", 1), ("dot-product", 2)):
        text = evaluate(name, eval(f"lambda {', '.join('abc'[:count])}: a > 0")).text
        assert "returned True and False, not real numbers" in text


def test_truths_stand_in_words_beside_each_other():
    text = evaluate("causal-mask", lambda q, k: np.tri(q, k, dtype=bool)).text
    assert "expected True True False got True False False" in " ".join(text.split())
    text = evaluate("infinity-bug", lambda s, m: softmax(s * m)).text
    assert "mask True True False expected" in " ".join(text.split())


OF_NO_USE = [
    ("causal-mask", lambda q, k: "True", "returned a text, not an array of True and False"),
    ("leak-test", lambda m, x: "True", "returned a text, not True or False"),
    ("leak-test", lambda m, x: True if leak_test(m, x) else None, "Does every path end in `return`?"),
    ("leak-test", lambda m, x: m(x), "The result should be True or False"),
    ("leak-test", lambda m, x: m, "returned a function, not True or False; a call needs brackets"),
    ("leak-test", lambda m, x: np.nan, "wrong answer on"),
    ("leak-test", lambda m: True, "with 2 arguments, (model, x), and yours takes (m)"),
    ("leak-test", lambda m, x: 1 if m(x) == m(x) else 0, "`.any()` asks whether some entry is True"),
    ("causal-mask", lambda q, k: ~np.tri(q, k), "unless dtype=bool is asked for"),  # type: ignore[misc]
    ("infinity-bug", lambda s, m: s[np.tri(*s.shape)], "whole numbers, not floats"),
    ("causal-mask", lambda q, k: np.full((q, k), np.nan), "right shape, wrong entries"),
]


@pytest.mark.parametrize(("name", "attempt", "said"), OF_NO_USE)
def test_answers_of_no_use_get_a_clear_sentence(name, attempt, said, capsys):
    feedback = evaluate(name, attempt)
    assert feedback.status == "wrong"
    assert said in " ".join(feedback.text.split())
    assert capsys.readouterr() == ("", "")


# --- numbers


def test_the_numbers_in_the_replies_are_so():
    empty = next(exercise for exercise in lessons()["05"] if exercise.name == "empty-row")
    assert isinstance(empty, Predict)
    values = np.array([[3.0], [6.0], [12.0]])
    assert softmax(np.full((1, 3), -1e9)) @ values == pytest.approx(empty.answer)
    assert softmax(np.full((1, 3), -np.inf)) @ values == 0
    unmasked = softmax(np.array([[0.5, -1.0, 2.0]])) @ values
    assert evaluate("empty-row", float(unmasked[0, 0])).mistakes == ("no-mask",)
    assert evaluate("empty-row", float("nan")).mistakes == ("nan",)
    assert (
        evaluate("predict-mask", float(softmax(mask_scores(np.zeros((6, 6)), causal_mask(6)))[2, 0])).status
        == "right"
    )
    zeros = np.zeros((1, 2)), np.zeros((3, 2))
    assert masked_attention(*zeros, values, np.array([[True, True, False]])) == pytest.approx(4.5)


def test_nan_is_no_number_where_no_reply_knows_it():
    assert "No usual path leads there" in evaluate("predict-mask", float("nan")).text


def test_pytorch_hides_the_padding_as_the_right_option_says():
    torch = pytest.importorskip("torch")
    real = torch.tensor(padding_mask([3, 4], 5)[:, 0])
    queries, keys = (torch.tensor(np.cos(np.arange(2 * n * 6.0)).reshape(2, n, 6)).float() for n in (4, 5))
    other = torch.where(real[..., None], keys, 7 - keys**2)
    layer = torch.nn.MultiheadAttention(6, 2, batch_first=True).eval()

    def hides(call: Any) -> bool:
        with torch.no_grad():
            return bool(torch.allclose(call(keys), call(other), atol=1e-6))

    attend = torch.nn.functional.scaled_dot_product_attention
    for mask in (real, ~real):
        assert hides(lambda k, m=mask: attend(queries, k, k, attn_mask=m[:, None])) == (mask is real)
        assert hides(lambda k, m=mask: layer(queries, k, k, key_padding_mask=m)[0]) == (mask is not real)
    assert evaluate("polarity", "c").status == "right"


# --- reach


def rows_of_reach() -> list[list[tuple[int, ...]]]:
    """For each of five queries, the sets of one or two keys that are not later."""
    return [
        [
            *[(key,) for key in range(query + 1)],
            *itertools.combinations(range(query + 1), 2),
        ]
        for query in range(5)
    ]


def moves_last_output(mask: Any, n_layers: int, added: bool) -> bool:
    """True if the last output of these layers of attention moves with token 0."""

    def model(rows: Any) -> Any:
        for _ in range(n_layers):
            output = attention(rows, rows, rows, mask)[0]
            rows = rows + output if added else output
        return rows

    tokens = np.cos(np.arange(20.0).reshape(5, 4) ** 1.3)
    changed = tokens.copy()
    changed[0] += [1.0, -2.0, 3.0, 0.5]
    return bool(abs(model(changed)[-1] - model(tokens)[-1]).max() > 1e-9)


def test_reach_is_judged_as_layers_of_attention_behave():
    right = 0
    for rows in itertools.islice(itertools.product(*rows_of_reach()), 0, None, 7):
        mask = np.zeros((5, 5), dtype=bool)
        for row, keys in zip(mask, rows, strict=True):
            row[list(keys)] = True
        reached = [
            not moves_last_output(mask, 1, added) and moves_last_output(mask, 2, added)
            for added in (False, True)
        ]
        assert reached[0] == reached[1]  # whether layers are added to their input makes no difference
        assert (evaluate("reach", mask).status == "right") == reached[0], mask.astype(int)
        right += reached[0]
    assert right > 20


@pytest.mark.parametrize("form", [lambda mask: mask, np.array, lambda mask: np.array(mask, dtype=bool), str])
def test_reach_takes_lists_numbers_and_truths(form):
    feedback = evaluate("reach", form(REACH.example))
    if form is str:
        assert feedback.status == "wrong"
        assert "numbers of shape (5, 5)" in feedback.text
    else:
        assert feedback.status == "right"
        assert "by way of token 2" in feedback.text


def mask_of(*rows: tuple[int, ...]) -> Any:
    """The keys of each query -> the mask."""
    mask = np.zeros((5, 5), dtype=int)
    for row, keys in zip(mask, rows, strict=True):
        row[list(keys)] = 1
    return mask


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        (mask_of((0,), (0,), (1,), (2,), (1,)), "by way of token 1"),
        (mask_of((0,), (0, 1), (0, 2), (0, 3), (1, 3)), "by way of the tokens 1 and 3"),
    ],
)
def test_reach_names_the_tokens_in_between(mask, said):
    feedback = evaluate("reach", mask)
    assert feedback.status == "right"
    assert said in " ".join(feedback.text.split())


@pytest.mark.parametrize(
    ("name", "mask", "said"),
    [
        ("causal", np.tri(5), "query 2 (row 2) may attend to 3 keys"),
        ("window", np.tri(5) - np.tri(5, k=-2), "Query 4 (row 4) reads the tokens 3 and 4"),
        ("window", np.tri(5) - np.tri(5, k=-2), "these read the tokens 2, 3 and 4"),
        ("diagonal", np.eye(5), "it reads token 4"),
        ("empty-row", np.eye(5, k=-1), "query 0 (row 0) may attend to nothing"),
        ("future-visible", mask_of((0,), (2,), (0,), (3,), (2,)), "query 1 (row 1) may attend to key 2"),
        ("one-layer-reaches", mask_of((0,), (0, 1), (0, 2), (0, 3), (0, 4)), "query 4 (row 4)"),
        ("two-layers-too-short", mask_of((0,), (0,), (1,), (2,), (2, 4)), "reads the tokens 2 and 4"),
        ("transposed", np.array(REACH.example).T, "Rows are queries"),
        ("inverted", 1 - np.array(REACH.example), "0 and 1 exchanged"),
        ("not-0-and-1", np.where(REACH.example, 0.0, -1e9), "row 0, column 1 holds -1e+09"),
        ("too-many-keys", mask_of((0,), (1,), (0, 1, 2), (3,), (2,)), "query 2 (row 2) may attend to 3"),
    ],
)
def test_reach_says_which_condition_fails_and_where(name, mask, said):
    feedback = evaluate("reach", mask)
    assert feedback.mistakes == (name,)
    assert said in " ".join(feedback.text.split())

"""Answers to lesson 04 as learners write them, in many styles: each is rejected and named, or accepted.

An answer is the source of a function's body, run with what the notebook's set-up cell imports.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import lesson_files
import numpy as np
import pytest
from handed_out import ANSWERS, GIVEN

from helpers.attention import attention
from helpers.exercises import evaluate
from helpers.exercises.catalogue import find
from helpers.exercises.kinds import Mend
from helpers.exercises.lesson_04.audit_table import AUDIT_K, AUDIT_Q, AUDIT_V, AUDITED, TOKENS
from helpers.exercises.lesson_04.steer import STEER_KEYS
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax

ARGUMENTS = {
    "one-query": "query, keys, values",
    "attention": "queries, keys, values",
    "roles-bug": "queries, keys, values",
    "width-bug": "queries, keys, values",
    "self-attention": "x, w_q, w_k, w_v",
}
IMPORTED = {
    "np": np,
    "attention": attention,
    "scale_scores": scale_scores,
    "dot_product_scores": dot_product_scores,
    "softmax": softmax,
}


def written(name: str, body: str) -> Callable[..., Any]:
    """An exercise's name, the lines of a body -> the function."""
    space = dict(IMPORTED)
    exec(f"def mine({ARGUMENTS[name]}):\n{textwrap.indent(textwrap.dedent(body), '    ')}", space)
    return space["mine"]  # type: ignore[return-value]


# --- wrong: (body, the names of the one mistake or the two; () where only properties can be told)

ONE_QUERY = [
    ("return softmax(keys @ query) @ values", ("never-scaled",)),
    ("return softmax(keys @ query / len(query)) @ values", ("divided-by-d_k",)),
    ("return softmax(keys @ query * np.sqrt(len(query))) @ values", ("multiplied",)),
    ("return softmax(keys @ query / np.sqrt(len(keys))) @ values", ("root-n_keys",)),
    ("return softmax(keys @ query / np.sqrt(keys.shape[0])) @ values", ("root-n_keys",)),
    ("return softmax(keys @ query / np.sqrt(values.shape[1])) @ values", ("root-d_v",)),
    ("return softmax(keys @ query / 2) @ values", ("always-2",)),
    ("return softmax(keys @ query / len(query) ** 1/2) @ values", ("power-first",)),
    ("return softmax(keys @ query / (len(query) ** 1/2)) @ values", ("half-d_k",)),
    ("return softmax(values @ query / np.sqrt(len(query))) @ keys", ("keys-and-values-swapped",)),
    ("return softmax(keys @ query / np.sqrt(len(query))) @ keys", ("keys-mixed",)),
    ("return softmax(values @ query / np.sqrt(len(query))) @ values", ("matched-on-values",)),
    ("return softmax(keys @ query / np.sqrt(len(query)))", ("weights-returned",)),
    ("return keys @ query / np.sqrt(len(query)) @ values", ("no-softmax",)),
    (
        """
        exponentials = np.exp(keys @ query / np.sqrt(len(query)))
        return exponentials @ values
        """,
        ("not-divided",),
    ),
    (
        """
        scores = keys @ query / np.sqrt(len(query))
        return (scores / scores.sum()) @ values
        """,
        ("no-exponential",),
    ),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        return weights[:, None] * values
        """,
        ("not-added-up",),
    ),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        return [weight * value for weight, value in zip(weights, values)]
        """,
        ("not-added-up",),
    ),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        return np.sum(weights[:, None] * values)
        """,
        ("added-to-one-number",),
    ),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        return (weights[:, np.newaxis] * values).sum(axis=-1)
        """,
        ("added-along-the-row",),
    ),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        for weight, value in zip(weights, values):
            output = weight * value
        return output
        """,
        ("last-key-only",),
    ),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        output = np.zeros(values.shape[1])
        for i in range(len(keys)):
            output += weights[i] * values[i]
            return output
        """,
        ("first-key-only",),
    ),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        output = np.zeros(values.shape[1])
        for i in range(len(keys) - 1):
            output += weights[i] * values[i]
        return output
        """,
        ("last-key-left-out",),
    ),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        output = np.zeros(values.shape[1])
        for i in range(1, len(keys)):
            output = output + weights[i] * values[i]
        return output
        """,
        ("first-key-left-out",),
    ),
    (
        """
        scores = []
        for key in keys:
            scores.append(np.dot(query, key) / np.sqrt(len(query)))
        best = scores.index(max(scores))
        return values[best]
        """,
        ("hard-lookup",),
    ),
    ("return values.mean(axis=0)", ("equal-weights",)),
    ("return softmax(query @ keys / np.sqrt(len(query))) @ values", ("no-score-for-each-key",)),
    ("return softmax(query * keys / np.sqrt(len(query))) @ values", ("no-score-for-each-key",)),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        return weights * values
        """,
        ("weights-as-row",),
    ),
    ("return softmax(keys @ query) @ values / np.sqrt(len(query))", ("scaled-after-softmax",)),
    ("return np.round(softmax(keys @ query / np.sqrt(len(query))) @ values, 2)", ("rounded",)),
    ("return softmax(softmax(keys @ query / np.sqrt(len(query)))) @ values", ("twice",)),
    ("return softmax(keys @ query / np.sqrt(len(query)) @ values)", ("softmax-last",)),
    (
        """
        output = np.zeros_like(values[0])
        weights = softmax(keys @ query / np.sqrt(len(query)))
        for j in range(values.shape[1]):
            output[j] = weights @ values[:, j]
        return output
        """,
        ("whole-numbers-kept",),
    ),
    ("return softmax(-(keys @ query) / np.sqrt(len(query))) @ values", ("sign-turned",)),
    ("return softmax(np.linalg.norm(keys - query, axis=1) / np.sqrt(len(query))) @ values", ("distance",)),
    ("return softmax(values @ query) @ keys", ("never-scaled", "keys-and-values-swapped")),
    ("return np.exp(keys @ query) @ values", ("never-scaled", "not-divided")),
    (
        """
        output = np.zeros(values.shape[1])
        for key, value in zip(keys, values):
            weight = softmax(np.array([query @ key / np.sqrt(len(query))]))
            output += weight * value
        return output
        """,
        ("softmax-of-each-score",),
    ),
    ("return softmax(keys @ query / np.sqrt(len(query))) @ values + 1", ()),
    ("return softmax(3 * keys @ query / np.sqrt(len(query))) @ values", ()),
]

OF_TRIPLES = [  # for attention, and for both functions to be mended
    ("return softmax(queries @ np.swapaxes(keys, -1, -2)) @ values", ("never-scaled",)),
    ("return softmax(queries @ np.swapaxes(keys, -1, -2) / keys.shape[-1]) @ values", ("divided-by-d_k",)),
    (
        "return softmax(queries @ np.swapaxes(keys, -1, -2) * np.sqrt(keys.shape[-1])) @ values",
        ("multiplied",),
    ),
    (
        "return softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(keys.shape[-2])) @ values",
        ("root-n_keys",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2)
        return softmax(scores / np.sqrt(scores.shape[-1])) @ values
        """,
        ("root-n_keys",),
    ),
    ("return softmax(queries @ np.swapaxes(keys, -1, -2) / 2) @ values", ("always-2",)),
    ("return softmax(queries @ keys.T / np.sqrt(queries.shape[-1])) @ values", ("all-axes-reversed",)),
    (
        "return softmax(queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[-1])) @ values",
        ("three-axes-only",),
    ),
    (
        "return softmax(queries @ keys.transpose(-2, -1) / np.sqrt(queries.shape[-1])) @ values",
        ("transposed-to-the-old-order",),
    ),
    (
        """
        scores = np.einsum('qd,kd->qk', queries, keys) / queries.shape[-1] ** 0.5
        return softmax(scores) @ values
        """,
        ("one-matrix-only",),
    ),
    (
        """
        scores = np.einsum('bqd,bkd->bqk', queries, keys) / queries.shape[-1] ** 0.5
        return softmax(scores) @ values
        """,
        ("three-axes-only",),
    ),
    (
        """
        output = []
        for query in queries:
            weights = softmax(keys @ query / np.sqrt(len(query)))
            output.append(weights @ values)
        return np.array(output)
        """,
        ("one-matrix-only",),
    ),
    (
        """
        scores = keys @ np.swapaxes(queries, -1, -2) / np.sqrt(queries.shape[-1])
        return softmax(scores) @ values
        """,
        ("swapped",),
    ),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]), axis=-2)
        return weights @ values
        """,
        ("over-queries",),
    ),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]), axis=0)
        return weights @ values
        """,
        ("axis-0",),
    ),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]), axis=1)
        return weights @ values
        """,
        ("axis-1",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        weights = np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)
        return weights @ values
        """,
        ("no-row-max",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        exponentials = np.exp(scores - scores.max())
        return exponentials / exponentials.sum(axis=-1, keepdims=True) @ values
        """,
        ("whole-max",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return exponentials @ values
        """,
        ("not-divided",),
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
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        return softmax(scores)
        """,
        ("weights-returned",),
    ),
    ("return attention(queries, keys, values)[1]", ("weights-returned",)),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
        return np.swapaxes(weights, -1, -2) @ values
        """,
        ("weights-turned",),
    ),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
        return np.swapaxes(np.swapaxes(values, -1, -2) @ np.swapaxes(weights, -1, -2), 0, 0)
        """,
        ("output-turned",),
    ),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
        return weights @ keys
        """,
        ("keys-mixed",),
    ),
    ("return attention(queries, keys, keys)[0]", ("keys-mixed",)),
    ("return attention(queries, values, values)[0]", ("matched-on-values",)),
    ("return attention(values, keys, queries)[0]", ("values-as-queries",)),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
        return weights @ queries
        """,
        ("queries-mixed",),
    ),
    (
        """
        scores = queries @ np.swapaxes(queries, -1, -2) / np.sqrt(queries.shape[-1])
        return softmax(scores) @ values
        """,
        ("queries-twice",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        return softmax(scores @ values)
        """,
        ("softmax-last",),
    ),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2))
        return weights / np.sqrt(queries.shape[-1]) @ values
        """,
        ("scaled-after-softmax",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        weights = np.eye(keys.shape[-2])[scores.argmax(axis=-1)]
        return weights @ values
        """,
        ("hard-lookup",),
    ),
    (
        """
        scores = dot_product_scores(queries, keys)
        return softmax(scale_scores(scores, values.shape[-1] + queries.shape[-1])) @ values
        """,
        ("root-d_k-d_v",),
    ),
    (
        """
        scores = dot_product_scores(queries, keys) / values.shape[-1]
        return softmax(scores) @ values
        """,
        ("d_v",),
    ),
    (
        """
        scores = scale_scores(dot_product_scores(queries, keys), keys.shape[-1])
        return softmax(scores / np.sqrt(values.shape[-1])) @ values
        """,
        ("root-d_v-too",),
    ),
    (
        """
        scores = scale_scores(dot_product_scores(queries, keys), len(queries))
        return softmax(scores) @ values
        """,
        ("root-first-axis",),
    ),
    (
        """
        unit = queries / np.linalg.norm(queries, axis=-1, keepdims=True)
        others = keys / np.linalg.norm(keys, axis=-1, keepdims=True)
        scores = unit @ np.swapaxes(others, -1, -2) / np.sqrt(queries.shape[-1])
        return softmax(scores) @ values
        """,
        ("cosine",),
    ),
    (
        """
        weights = softmax(softmax(scale_scores(dot_product_scores(queries, keys), keys.shape[-1])))
        return weights @ values
        """,
        ("twice",),
    ),
    (
        """
        output, _ = attention(queries, keys, values)
        return output.round(2)
        """,
        ("rounded",),
    ),
    (
        "return softmax(queries @ np.swapaxes(keys, -1, -2), axis=-2) @ values",
        ("never-scaled", "over-queries"),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2)
        weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        return weights @ values
        """,
        ("never-scaled", "no-row-max"),
    ),
    (
        """
        weights = softmax(queries @ np.swapaxes(values, -1, -2))
        return weights @ keys
        """,
        ("keys-and-values-swapped", "never-scaled"),
    ),
    ("return attention(queries, keys, softmax(values))[0]", ("softmax-of-values",)),
    ("return 2 * attention(queries, keys, values)[0]", ()),
    ("return attention(queries + 1, keys * 2, values)[0]", ()),
]
SWAPPED = [  # what the given function of roles-bug does, in other words
    "return attention(queries, values, keys)[0]",
    """
    scores = queries @ np.swapaxes(values, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores) @ keys
    """,
]
TOO_WIDE = [  # and that of width-bug
    "return softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(values.shape[-1])) @ values",
    """
    d_v = values.shape[-1]
    return softmax(scale_scores(dot_product_scores(queries, keys), d_v)) @ values
    """,
]

SELF_ATTENTION = [
    ("return attention(x @ w_k, x @ w_q, x @ w_v)[0]", ("w_q-and-w_k-swapped",)),
    ("return attention(x @ w_q, x @ w_q, x @ w_v)[0]", ("w_q-twice",)),
    ("return attention(x @ w_k, x @ w_k, x @ w_v)[0]", ("w_k-twice",)),
    ("return attention(x @ w_q, x @ w_k, x)[0]", ("no-w_v",)),
    ("return attention(x, x, x)[0]", ("no-projection",)),
    ("return attention(x, x, x @ w_v)[0]", ("w_v-only",)),
    ("return attention(x @ w_q, x @ w_k, x @ w_k)[0]", ("values-from-w_k",)),
    ("return attention(x @ w_q, x @ w_k, x @ w_q)[0]", ("values-from-w_q",)),
    ("return attention(x @ w_q, x @ w_v, x @ w_k)[0]", ("w_k-and-w_v-swapped",)),
    ("return attention(x @ w_v, x @ w_k, x @ w_q)[0]", ("values-as-queries",)),
    ("return attention(x @ w_q.T, x @ w_k.T, x @ w_v.T)[0]", ("matrices-transposed",)),
    ("return attention(x @ w_q, x @ w_k, x @ w_v.T)[0]", ("matrices-transposed",)),
    ("return attention(w_q @ x, w_k @ x, w_v @ x)[0]", ("factors-turned-round",)),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ k / np.sqrt(q.shape[-1])) @ v
        """,
        ("factors-turned-round",),
    ),
    ("return attention(x @ w_q, x @ w_k, x @ w_v)[0] + x", ("tokens-added",)),
    ("return attention(x @ w_q, x @ w_k, x @ w_v)[1]", ("weights-returned",)),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ np.swapaxes(k, -1, -2)) @ v
        """,
        ("never-scaled",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(x.shape[-1])) @ v
        """,
        ("root-d_model",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(v.shape[-1])) @ v
        """,
        ("root-d_v",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(x.shape[-2])) @ v
        """,
        ("root-n_keys",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ np.swapaxes(k, -1, -2) / k.shape[-1]) @ v
        """,
        ("divided-by-d_k",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v
        """,
        ("all-axes-reversed",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])) @ v
        """,
        ("three-axes-only",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), axis=-2) @ v
        """,
        ("over-queries",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), axis=0) @ v
        """,
        ("axis-0",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) @ v
        """,
        ("no-softmax",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        weights = softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))
        return np.swapaxes(weights, -1, -2) @ v
        """,
        ("weights-turned",),
    ),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        output = []
        for one in q:
            output.append(softmax(k @ one / np.sqrt(len(one))) @ v)
        return output
        """,
        ("one-matrix-only",),
    ),
    ("return np.round(attention(x @ w_q, x @ w_k, x @ w_v)[0], 3)", ("rounded",)),
    (
        """
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        scores = k @ np.swapaxes(q, -1, -2) / np.sqrt(q.shape[-1])
        return softmax(scores) @ v
        """,
        ("w_q-and-w_k-swapped",),
    ),
    (
        """
        q, v = x @ w_q, x @ w_v
        return softmax(q @ np.swapaxes(q, -1, -2)) @ v
        """,
        ("w_q-twice", "never-scaled"),
    ),
    ("return attention(x @ w_q, x @ w_k, x @ w_v)[0] * x.shape[-2]", ()),
    ("return attention(x @ w_q, x @ (w_k + w_q), x @ w_v)[0]", ()),
    # from a blind trial: a matrix too few or too many, which mostly stops with an error
    (
        """
        output = attention(x @ w_q, x @ w_k, x @ w_v)[0]
        return x + output if output.shape == x.shape else output
        """,
        ("tokens-added",),
    ),
    ("return attention(x @ w_q, x, x @ w_v)[0]", ("no-w_k",)),
    ("return attention(x @ w_q, x, x)[0]", ("w_q-only",)),
    ("return attention(x, x @ w_k, x)[0]", ("w_k-only",)),
    ("return attention(x, x @ w_k, x @ w_v)[0]", ("no-w_q",)),
    (
        """
        scores = (x @ w_q) @ np.swapaxes(x, -1, -2)
        return softmax(scores / np.sqrt(w_q.shape[1])) @ (x @ w_v)
        """,
        ("no-w_k",),
    ),
    (
        """
        scores = x @ np.swapaxes(x @ w_k, -1, -2)
        return softmax(scores / np.sqrt(w_k.shape[1])) @ (x @ w_v)
        """,
        ("no-w_q",),
    ),
    ("return attention(x @ w_q, x @ w_k, x @ w_v)[0] @ w_v", ("w_v-twice",)),
    (
        """
        scores = x @ (w_q @ w_k) @ np.swapaxes(x, -1, -2)
        return softmax(scores / np.sqrt(w_q.shape[1])) @ (x @ w_v)
        """,
        ("w_q-times-w_k",),
    ),
    ("return attention(x @ w_q, x @ w_q, x @ w_q)[0]", ("w_q-for-all",)),
    ("return attention(x @ w_k, x @ w_k, x @ w_k)[0]", ("w_k-for-all",)),
    ("return attention(x * w_q, x * w_k, x * w_v)[0]", ("combined-entry-by-entry",)),
    ("return attention(x + w_q, x + w_k, x + w_v)[0]", ("combined-entry-by-entry",)),
    ("return attention(x.T @ w_q, x.T @ w_k, x.T @ w_v)[0]", ("tokens-transposed",)),
    ("return attention(x @ w_q, w_k, w_v)[0]", ("matrices-as-keys",)),
    ("return attention(x @ w_q, x @ w_k, x @ w_v, ~np.eye(x.shape[-2], dtype=bool))[0]", ("keys-hidden",)),
    (
        """
        past = np.tril(np.ones((x.shape[-2], x.shape[-2]), dtype=bool))
        return attention(x @ w_q, x @ w_k, x @ w_v, past)[0]
        """,
        ("keys-hidden",),
    ),
]

OF_ONE_QUERY = [  # from a blind trial
    ("return softmax(-((keys - query) ** 2).sum(1) / np.sqrt(len(query))) @ values", ("negative-distance",)),
    ("return values @ softmax(keys @ query / np.sqrt(len(query)))", ("values-first",)),
    ("return softmax(keys.T @ query / np.sqrt(len(query))) @ values", ("no-score-for-each-key",)),
    ("return softmax(keys @ query / np.sqrt(len(query))).round(2) @ values", ("weights-rounded",)),
    (
        """
        weights = softmax(keys @ query / np.sqrt(len(query)))
        output = np.zeros_like(values[0])
        for key in range(len(keys)):
            for entry in range(len(output)):
                output[entry] += weights[key] * values[key][entry]
        return output
        """,
        ("whole-numbers-kept",),
    ),
]

OF_ATTENTION = [  # from a blind trial
    (
        """
        e = np.exp(np.clip(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]), -500, 500))
        return e / e.sum(-1, keepdims=True) @ values
        """,
        ("clipped",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        e = np.exp(scores - scores.max(-2, keepdims=True))
        return e / e.sum(-1, keepdims=True) @ values
        """,
        ("column-max",),
    ),
    (
        """
        weights = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
        return values @ weights
        """,
        ("values-first",),
    ),
    (
        """
        scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
        past = np.tril(np.ones(scores.shape[-2:], bool))
        return softmax(np.where(past, scores, -np.inf)) @ values
        """,
        ("keys-hidden",),
    ),
    (
        """
        weights = softmax(np.dot(queries, np.swapaxes(keys, -1, -2)) / np.sqrt(queries.shape[-1]))
        return np.dot(weights, values)
        """,
        ("mixed-by-np.dot",),
    ),
    (
        """
        turned = keys.T if keys.ndim == 2 else keys.transpose(0, 2, 1)
        return softmax(queries @ turned / np.sqrt(queries.shape[-1])) @ values
        """,
        ("up-to-three-axes",),
    ),
    (
        """
        turned = np.swapaxes(keys, 1, 2) if keys.ndim > 2 else keys.T
        return softmax(queries @ turned / np.sqrt(queries.shape[-1])) @ values
        """,
        ("up-to-three-axes",),
    ),
    (
        """
        width = (values != 0).any(axis=-2).sum(-1).max()
        return softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(width)) @ values
        """,
        ("root-d_v-not-zero",),
    ),
]

WRONG = [
    *(("one-query", *case) for case in ONE_QUERY),
    *((name, *case) for name in ("attention", "roles-bug", "width-bug") for case in OF_TRIPLES),
    *((name, body, ("keys-and-values-swapped",)) for name in ("attention", "width-bug") for body in SWAPPED),
    *((name, body, ("root-d_v",)) for name in ("attention", "roles-bug") for body in TOO_WIDE),
    *(("self-attention", *case) for case in SELF_ATTENTION),
    *(("one-query", *case) for case in OF_ONE_QUERY),
    *((name, *case) for name in ("attention", "width-bug") for case in OF_ATTENTION),
]


@pytest.mark.parametrize(("name", "body", "mistakes"), WRONG)
def test_a_wrong_answer_is_rejected_and_named(name, body, mistakes):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "wrong"
    assert [set(names) for names in feedback.named] == ([set(mistakes)] if mistakes else []), feedback.text


def test_there_are_enough_of_them():
    for name in ARGUMENTS:
        assert sum(case[0] == name for case in WRONG) >= 25
        assert sum(case[0] == name for case in RIGHT) >= 8


# --- right, in other styles

RIGHT_TRIPLES = [
    "return attention(queries, keys, values)[0]",
    "return softmax(scale_scores(dot_product_scores(queries, keys), keys.shape[-1])) @ values",
    """
    d_k = queries.shape[-1]
    scores = (queries / d_k**0.25) @ np.swapaxes(keys / d_k**0.25, -1, -2)
    return softmax(scores) @ values
    """,
    """
    scores = np.einsum('...id,...jd->...ij', queries, keys) / np.sqrt(queries.shape[-1])
    return np.einsum('...ij,...jv->...iv', softmax(scores), values)
    """,
    """
    scores = queries @ np.moveaxis(keys, -1, -2) * keys.shape[-1] ** -0.5
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    exponentials = np.exp(scores)
    return (exponentials @ values) / exponentials.sum(axis=-1)[..., None]
    """,
    """
    scores = (queries[..., :, None, :] * keys[..., None, :, :]).sum(axis=-1) / np.sqrt(keys.shape[-1])
    return (softmax(scores)[..., None] * values[..., None, :, :]).sum(axis=-2)
    """,
    """
    if queries.ndim > 2:
        return [mine(q, k, v) for q, k, v in zip(queries, keys, values)]
    output = []
    for query in queries:
        scores = [sum(a * b for a, b in zip(query, key)) / len(query) ** 0.5 for key in keys]
        top = max(scores)
        exponentials = [np.exp(score - top) for score in scores]
        total = sum(exponentials)
        row = [0.0] * values.shape[-1]
        for exponential, value in zip(exponentials, values):
            for j, entry in enumerate(value):
                row[j] += exponential / total * entry
        output.append(row)
    return output
    """,
    """
    queries, keys, values = (array.astype(np.float32) for array in (queries, keys, values))
    return softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(np.float32(queries.shape[-1]))) @ values
    """,
    """
    output = np.zeros((*queries.shape[:-1], values.shape[-1]))
    for place in np.ndindex(queries.shape[:-1]):
        stack = place[:-1]
        weights = softmax(keys[stack] @ queries[place] / np.sqrt(queries.shape[-1]))
        output[place] = weights @ values[stack]
    return output
    """,
    """
    scores = keys @ np.swapaxes(queries, -1, -2) / np.sqrt(keys.shape[-1])
    weights = softmax(scores, axis=-2)
    return np.swapaxes(np.swapaxes(values, -1, -2) @ weights, -1, -2)
    """,
]
RIGHT_ONE = [
    "return softmax(keys @ query / np.sqrt(len(query))) @ values",
    "return softmax(query @ keys.T / query.size**0.5) @ values",
    "return attention(query[None, :], keys, values)[0][0]",
    "return values.T @ softmax(scale_scores(keys @ query, query.shape[0]))",
    """
    output = np.zeros(values.shape[1])
    weights = softmax(keys @ query / np.sqrt(len(query)))
    for weight, value in zip(weights, values):
        output += weight * value
    return output
    """,
    """
    scores = np.zeros(len(keys))
    for i in range(len(keys)):
        for d in range(len(query)):
            scores[i] += query[d] * keys[i, d]
    exponentials = np.exp(scores / np.sqrt(len(query)))
    return sum(e * v for e, v in zip(exponentials, values)) / exponentials.sum()
    """,
    """
    weights = softmax((keys * query).sum(axis=1) / np.sqrt(len(query)))
    return (weights[:, None] * values).sum(axis=0)
    """,
    "return list(np.einsum('k,kv->v', softmax(np.dot(keys, query) / np.sqrt(keys.shape[1])), values))",
    "return np.average(values, axis=0, weights=np.exp(keys @ query / np.sqrt(len(query))))",
]
RIGHT_SELF = [
    "return attention(x @ w_q, x @ w_k, x @ w_v)[0]",
    """
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))
    return weights @ v
    """,
    "return attention(x @ w_q, x @ w_k, x)[0] @ w_v",
    """
    scores = x @ w_q @ w_k.T @ np.swapaxes(x, -1, -2) / np.sqrt(w_q.shape[1])
    return softmax(scores) @ (x @ w_v)
    """,
    """
    q = np.einsum('...nd,dk->...nk', x, w_q)
    k = np.einsum('...nd,dk->...nk', x, w_k)
    v = np.einsum('...nd,dv->...nv', x, w_v)
    output, weights = attention(q, k, v)
    return output
    """,
    "return attention(np.dot(x, w_q), np.dot(x, w_k), np.dot(x, w_v))[0].tolist()",
    """
    d_k = w_k.shape[-1]
    return softmax((x @ w_q / d_k**0.25) @ np.swapaxes(x @ w_k / d_k**0.25, -1, -2)) @ x @ w_v
    """,
    """
    if x.ndim > 2:
        return np.array([mine(part, w_q, w_k, w_v) for part in x])
    keys, values = x @ w_k, x @ w_v
    rows = []
    for token in x:
        query = token @ w_q
        rows.append(softmax(keys @ query / np.sqrt(len(query))) @ values)
    return np.array(rows)
    """,
    "return attention(*(x.astype('f4') @ w.astype('f4') for w in (w_q, w_k, w_v)))[0]",
]
RIGHT = [
    *(("one-query", body) for body in RIGHT_ONE),
    *((name, body) for name in ("attention", "roles-bug", "width-bug") for body in RIGHT_TRIPLES),
    *(("self-attention", body) for body in RIGHT_SELF),
]


@pytest.mark.parametrize(("name", "body"), RIGHT)
def test_a_right_answer_in_another_style_is_accepted(name, body):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "right", feedback.text


# --- find the bug: the numbers that the tasks state


def test_the_symptom_of_roles_bug_is_what_its_function_does():
    triple = (
        np.array([[np.sqrt(2) * np.log(9), 0]]),
        np.array([[1.0, 0.0], [0.0, 1.0]]),
        np.array([[10.0, 20.0], [30.0, 40.0]]),
    )
    assert np.allclose(GIVEN["roles-bug"](*triple), [[0, 1]])
    assert np.allclose(ANSWERS["roles-bug"](*triple), [[12, 22]])


def test_the_symptom_of_width_bug_is_what_its_function_does():
    query, keys = np.array([[2 * np.log(3), 0, 0, 0]]), np.array([[0.0, 1, 0, 0], [1, 0, 0, 0]])
    values = np.array([[10.0, 0.0], [30.0, 4.0]])
    wider = np.hstack([values, [[0.0], [0.0]]])
    assert np.allclose(ANSWERS["width-bug"](query, keys, values), [[25, 3]])
    assert GIVEN["width-bug"](query, keys, values)[0, 0] > 26
    assert not np.allclose(
        GIVEN["width-bug"](query, keys, wider)[:, :2], GIVEN["width-bug"](query, keys, values)
    )
    assert np.allclose(ANSWERS["width-bug"](query, keys, wider)[:, :2], [[25, 3]])


def test_the_examples_of_the_tasks_hold():
    keys, values = np.array([[0.0, 1, 0, 0], [1, 0, 0, 0]]), np.array([[10.0, 0], [30, 4]])
    queries = np.array([[2 * np.log(3), 0, 0, 0], [0, 0, 0, 0]])
    assert np.allclose(ANSWERS["one-query"](queries[0], keys, values), [25, 3])
    assert np.allclose(ANSWERS["attention"](queries, keys, values), [[25, 3], [20, 2]])
    matrices = (np.array([[np.log(3)], [0]]), np.array([[0.0], [1.0]]), values)
    assert np.allclose(ANSWERS["self-attention"](np.eye(2), *matrices), [[25, 3], [20, 2]])


@pytest.mark.parametrize("name", ["roles-bug", "width-bug"])
def test_the_given_mistake_is_right_somewhere_or_at_least_runs(name):
    """roles-bug runs where d_k = d_v, and is wrong; width-bug is right there."""
    exercise = find(name)
    assert isinstance(exercise, Mend)
    for probe in exercise.probes:
        d_k, d_v = probe.inputs["keys"].shape[-1], probe.inputs["values"].shape[-1]
        if d_k == d_v:
            close = np.allclose(GIVEN[name](*probe.inputs.values()), exercise.right(*probe.inputs.values()))
            assert close == (name == "width-bug")


# --- what the words are


def test_output_and_weights_together_are_told_apart():
    for name, body in (
        ("one-query", "return attention(query[None], keys, values)"),
        ("attention", "return attention(queries, keys, values)"),
        ("self-attention", "return attention(x @ w_q, x @ w_k, x @ w_v)"),
    ):
        text = evaluate(name, written(name, body)).text
        assert "returned a tuple of 2 things. Return the one that the task asks for, alone." in text


@pytest.mark.parametrize(
    "body",
    [
        "return x + attention(x @ w_q, x @ w_k, x @ w_v)[0]",
        "return attention(x @ w_q, x @ w_k, x @ w_v)[0] + x",
        "output = attention(x @ w_q, x @ w_k, x @ w_v)[0]\noutput += x\nreturn output",
    ],
)
def test_tokens_added_to_the_change_are_named_where_the_sum_stops_with_an_error(body):
    feedback = evaluate("self-attention", written("self-attention", body))
    assert feedback.named == (("tokens-added",),)
    assert "Return the change alone" in feedback.text


def test_extreme_inputs_are_shown_only_where_no_other_fails():
    plain = "softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))"
    naive = "e = np.exp(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))\n"
    text = evaluate("attention", written("attention", f"return {plain} @ values / 2")).text
    assert "Smallest case: 2 queries, 4 keys" in text
    naive += "return e / e.sum(-1, keepdims=True) @ values"
    assert "Smallest case: rows far apart" in evaluate("attention", written("attention", naive)).text


def test_what_is_said_of_the_matrices_never_contradicts_itself():
    """Two mistakes about the same matrices cannot both be told: each tells all three."""
    for body in (
        "return attention(x, x @ w_v, x @ w_v)[0]",
        "return attention(x @ w_q, x, x @ w_k)[0]",
        "return attention(x @ w_q, x @ w_q, x @ w_k)[0]",
        "return attention(x @ w_q, x @ w_v, x @ w_q)[0]",
    ):
        assert evaluate("self-attention", written("self-attention", body)).named == (), body


def test_an_answer_that_stops_on_every_input_is_never_told_that_stacks_are_the_matter():
    """Two steps that stop with the same error on one matrix tell nothing about stacks."""
    feedback = evaluate("self-attention", written("self-attention", "return w_q @ (w_k @ x) @ w_v"))
    assert all(len(names) == 1 for names in feedback.named)
    assert "does not take a stack" not in feedback.text


def test_keys_turned_with_the_stack_are_not_told_of_d_k_which_was_right():
    body = "return softmax(queries @ keys.T / np.sqrt(queries.shape[-1])) @ values"
    feedback = evaluate("attention", written("attention", body))
    assert feedback.named == (("all-axes-reversed",),)
    assert "d_k" not in feedback.text.partition("All axes")[2]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 2 * attention(queries, keys, values)[0]", "the output should be 1"),
        ("return attention(queries, keys, values)[0] + 9", "outside the values"),
        ("return attention(queries, keys, values)[0] * np.nan", "A result is nan"),
        ("return attention(queries, keys, values)[0][0]", "The shape should be"),
        ("return attention(queries, keys, values)[0].sum()", "The shape should be"),
        ("return None", "not attempted yet"),
        ("queries = None", "returned None"),
        ("raise ValueError('mine')", "ValueError: mine"),
        ("return [[1, 2], [3]]", "rows of different lengths"),
        ("print(queries.shape)\nreturn attention(queries, keys, values)[0]", "✓ attention"),
        ("values[...] = 0\nreturn np.zeros((*queries.shape[:-1], values.shape[-1]))", "no longer holds"),
        ("queries /= 2\nreturn attention(2 * queries, keys, values)[0]", "queries no longer holds"),
        ("return attention", "returned a function"),
        ("return 1.0", "got shape       ()"),
    ],
)
def test_bad_answers_get_a_clear_sentence(body, said):
    text = evaluate("attention", written("attention", body)).text
    assert said in text
    assert "Traceback" not in text


def test_values_are_not_shown_as_if_they_were_rows_of_the_output():
    text = evaluate(
        "attention", written("attention", "return 0 * queries @ np.swapaxes(keys, -1, -2) @ values")
    )
    assert "    keys" not in text.text
    assert "    values" not in text.text


# --- steer


@pytest.mark.parametrize("query", [[-1, 6], (-0.5, 6.0), np.array([-1.5, 6]), [-0.9, 5.5], [-1, 5]])
def test_queries_that_steer_are_right(query):
    assert softmax(STEER_KEYS @ np.asarray(query) / np.sqrt(2))[1] >= 0.9
    assert evaluate("steer", query).status == "right"


@pytest.mark.parametrize(
    ("query", "name", "said"),
    [
        ([0, 6], "not-scaled", "Without the division"),
        ([-0.5, 3], "not-scaled", "Without the division"),
        ([-0.2, 1], "too-short", "a longer query spreads scores further"),
        ([-0.01, 0.05], "too-short", "a longer query spreads scores further"),
        ([0.5, 6], "turn", "Turn it away from the first key"),
        ([-2.4, 6], "turn", "Turn it away from the third key"),
        ([1, 2.5], "aimed-at-the-key", "the first key is longer"),
        ([4, 2], "wrong-key", "The first key answers most"),
        ([6, -6], "wrong-key", "The first key answers most"),
        ([6, -1], "wrong-key", "The first key answers most"),
        ([-2, 1], "third-key", "counting starts at 0"),
        ([-6, 3], "third-key", "counting starts at 0"),
        ([-6, -6], "wrong-key", "The third key answers most. What counts are differences of scores"),
        ([-6, 1], "wrong-key", "The third key answers most"),
        ([-3, 0.5], "wrong-key", "The third key answers most"),
        ([0, -6], "wrong-key", "The third key answers most"),
        ([-2, 6.0], "not-scaled", "Turn it away from the third key"),
        ([0, 0], "zero", "every key gets 1/3"),
        ([0, 9], "beyond-limit", "Shortened to the limit, it gives the second key 0.892"),
        ([-10, 60], "beyond-limit", "shortened to the limit, would do"),
        ([-1e300, 1e300], "beyond-limit", "Shortened to the limit"),
    ],
)
def test_queries_that_do_not_steer_are_named(query, name, said):
    feedback = evaluate("steer", query)
    assert feedback.status == "wrong"
    assert feedback.named == ((name,),), feedback.text
    assert said in " ".join(feedback.text.split())


def test_only_a_narrow_fan_of_queries_steers():
    """Possible, and not by guessing: of all directions few will do, and straight up is not among them."""
    turns = np.linspace(0, 2 * np.pi, 3600, endpoint=False)
    directions = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    longest = 6 * directions / abs(directions).max(axis=1, keepdims=True)
    share = (softmax(longest @ STEER_KEYS.T / np.sqrt(2))[:, 1] >= 0.9).mean()
    assert 0.02 < share < 0.1


# --- audit-table


def audit(**columns):
    """The right table, with some columns (by number) replaced."""
    table = {token: row.tolist() for token, row in zip(TOKENS, AUDITED, strict=True)}
    for column, cells in columns.items():
        for token, cell in zip(TOKENS, cells, strict=True):
            table[token][int(column[1:])] = cell
    return table


def test_the_audited_numbers_follow_from_the_page_and_agree_with_the_course():
    love = AUDIT_K @ AUDIT_Q[1]
    assert np.allclose(AUDIT_Q[1], [0.50, 0.80])
    assert np.allclose(AUDIT_K, [[0.76, 0.92], [0.90, 1.02], [0.87, 1.13]])
    assert np.allclose(AUDIT_V, [[0.48, 0.73], [0.60, 0.92], [0.53, 0.80]])
    assert np.allclose(love, [1.116, 1.266, 1.339])
    assert np.allclose(softmax(love / np.sqrt(2)), [0.3046, 0.3387, 0.3567], atol=5e-5)
    assert np.allclose(softmax(love / np.sqrt(2)) @ AUDIT_V, [0.5385, 0.8193], atol=5e-5)


def test_the_table_in_four_digits_is_right_and_empty_is_no_attempt():
    rounded = {token: [round(cell, 4) for cell in row] for token, row in audit().items()}
    assert evaluate("audit-table", rounded).status == "right"
    assert evaluate("audit-table", list(rounded.values())).status == "right"
    assert evaluate("audit-table", {token: [None] * 4 for token in TOKENS}).status == "not attempted"


def test_what_follows_from_a_wrong_column_is_said_to_follow():
    scores = AUDIT_Q @ AUDIT_Q[0]  # queries matched with queries, and all the rest done right
    weights = softmax(scores / np.sqrt(2))
    feedback = evaluate(
        "audit-table", audit(c0=scores, c1=scores / np.sqrt(2), c2=weights, c3=weights * AUDIT_V[:, 0])
    )
    assert feedback.named == (("queries-matched",),)
    text = " ".join(feedback.text.split())
    for column, before in (
        ("scaled score", "score"),
        ("weight", "scaled score"),
        ("first entry of the weighted value", "weight"),
    ):
        assert f'Your "{column}" follows from your "{before}": mend that first.' in text


def test_scores_that_were_never_scaled_are_named_once():
    scores = AUDITED[:, 0]
    weights = softmax(scores)
    feedback = evaluate("audit-table", audit(c1=scores, c2=weights, c3=weights * AUDIT_V[:, 0]))
    assert feedback.named == (("not-scaled",),)
    assert feedback.text.count("follows from") == 2


def test_a_column_of_the_score_table_is_not_its_row():
    asked = AUDIT_Q @ AUDIT_K[0]  # near the right scores: 1.1160 where 1.1166 is right
    feedback = evaluate("audit-table", audit(c0=asked))
    assert feedback.named == (("key-asked",),), feedback.text


def test_three_decimals_are_enough_for_the_audit_and_two_are_not():
    assert (
        evaluate("audit-table", audit(**{f"c{i}": AUDITED[:, i].round(3) for i in range(4)})).status
        == "right"
    )
    assert (
        evaluate("audit-table", audit(**{f"c{i}": AUDITED[:, i].round(2) for i in range(4)})).status
        == "wrong"
    )


def test_a_single_wrong_cell_gets_the_hint_of_its_column():
    text = " ".join(evaluate("audit-table", audit(c2=[0.5, *AUDITED[1:, 2]])).text.split())
    assert "key I, weight: not 0.5000" in text
    assert "The softmax of the three scaled scores" in text


@pytest.mark.parametrize(
    ("columns", "name", "said"),
    [
        (
            {"c3": AUDITED[:, 2] * [0.66, 1.02, 0.66]},
            "published-values",
            "Compute the values: embeddings @ Wv",
        ),
        ({"c0": AUDIT_K @ [0.59, 0.78]}, "published-query", 'It belongs to "love"'),
        ({"c2": AUDITED[:, 2].round(2)}, "rounded", 'Your "weight" was rounded too far'),
        ({"c3": AUDITED[:, 3].round(2)}, "rounded", "give more digits"),
    ],
)
def test_numbers_of_the_page_and_rounded_numbers_are_named(columns, name, said):
    feedback = evaluate("audit-table", audit(**columns))
    assert feedback.named == ((name,),)
    assert said in " ".join(feedback.text.split())


def test_weights_do_not_follow_from_a_column_half_filled():
    table = audit(c1=AUDITED[:, 0], c2=softmax(AUDITED[:, 0]))
    table["love"][1] = None
    assert 'Your "weight" follows' not in evaluate("audit-table", table).text


# --- the tasks in the notebook state the numbers that the checks use


def task(name):
    (path,) = (path for path in lesson_files.notebooks() if path.name.startswith("04_"))
    (cell,) = [cell for cell in lesson_files.read(path).cells if cell.id == f"{name}-task"]
    return " ".join(cell.source.split())


def test_the_task_of_steer_names_its_keys():
    for key in STEER_KEYS:
        assert f"`[{key[0]:g}, {key[1]:g}]`" in task("steer")


def test_the_example_of_the_audit_table_is_the_row_of_love():
    love = AUDIT_K @ AUDIT_Q[1]
    weight = softmax(love / np.sqrt(2))[0]
    row = [love[0], love[0] / np.sqrt(2), weight, weight * AUDIT_V[0, 0]]
    assert f"`[{', '.join(f'{cell:.4f}' for cell in row)}]`" in task("audit-table")

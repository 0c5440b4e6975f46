"""Answers to lesson 12 as learners write them, right and wrong, in many styles, and what the check says."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
import textwrap
import time
from fractions import Fraction
from typing import Any

import numpy as np
import oracles
import pytest
from handed_out import ANSWERS, GIVEN
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import streaming
from helpers.attention import attention
from helpers.exercises import evaluate
from helpers.exercises.catalogue import find, of_lesson
from helpers.exercises.engine.diagnosis import plain_outcome
from helpers.exercises.engine.probes import OtherFormError, Probe
from helpers.exercises.kinds import Mend, Write
from helpers.exercises.lesson_12.tiles import needed_tiles, read_tiles
from helpers.masking import causal_mask
from helpers.softmax import softmax

FUNCTIONS = [exercise.name for exercise in of_lesson("12") if isinstance(exercise, Write)]
HEADS = {
    "rescale": "running_max, running_sum, weighted_sum, scores, values",
    "online-bug": "scores, tile",
    "merge": "output_a, log_sum_exp_a, output_b, log_sum_exp_b",
    "tile-bug": "queries, keys, values, tile",
    "tiles": "n_queries, n_keys, tile_queries, tile_keys",
    "cache-mask": "queries, keys, values, chunk",
    "grouped": "queries, keys, values",
    "window": "n_queries, n_keys, window",
}
SHORT = {  # what most answers share
    "NEW_MAX": "np.maximum(running_max, scores.max(axis=-1, keepdims=True))",
    "ROWS": "range(-(-n_queries // tile_queries))",
    "COLUMNS": "range(-(-n_keys // tile_keys))",
    "PLACES": "np.arange(n_queries)[:, None] + n_keys - n_queries",
}


def exercise_of(name: str) -> Any:
    """An exercise's name -> the exercise."""
    return find(name)


def written(name: str, body: str) -> Any:
    """An exercise's name, the learner's lines -> their function, with what the notebook has imported."""
    for word, lines in SHORT.items():
        body = body.replace(word, lines)
    space: dict[str, Any] = {
        "np": np,
        "math": math,
        "attention": attention,
        "softmax": softmax,
        "causal_mask": causal_mask,
        "streaming": streaming,
    }
    exec(f"def answer({HEADS[name]}):\n" + textwrap.indent(textwrap.dedent(body), "    "), space)
    return space["answer"]


def online(step: str, start: str = "-np.inf", end: str = "return np.exp(scores - m) / s") -> str:
    """The line that updates s -> an online softmax around it."""
    return f"""m, s = np.full((len(scores), 1), {start}), np.zeros((len(scores), 1))
for start in range(0, scores.shape[1], tile):
    t = scores[:, start:start + tile]
    new = np.maximum(m, t.max(axis=-1, keepdims=True))
    {step}
    m = new
{end}"""


def blocked(step: str, start: str = "-np.inf, 0, 0", end: str = "return w / s") -> str:
    """The line that updates s and w -> blocked attention around it."""
    return f"""m, s, w = {start}
for start in range(0, len(keys), tile):
    k, v = keys[start:start + tile], values[start:start + tile]
    scores = queries @ k.T / np.sqrt(queries.shape[1])
    new = np.maximum(m, scores.max(axis=-1, keepdims=True))
    r, e = np.exp(m - new), np.exp(scores - new)
    {step}
    m = new
{end}"""


def prefill(mask: str, keys: str = "[:n]", end: str = "return np.concatenate(outputs)") -> str:
    """The mask of a chunk -> a cache in chunks around it."""
    return f"""outputs, n = [], len(keys) - len(queries)
for start in range(0, len(queries), chunk):
    new = queries[start:start + chunk]
    n += len(new)
    mask = {mask}
    outputs.append(attention(new, keys{keys}, values{keys}, mask)[0])
{end}"""


def shared(head: str) -> str:
    """Which head of keys head h reads -> grouped attention around it."""
    return f"""n, kv = len(queries), len(keys)
g = n // kv
return np.stack([attention(queries[h], keys[{head}], values[{head}])[0] for h in range(n)])"""


RIGHT = {
    "rescale": [
        """
        new = NEW_MAX
        factor, e = np.exp(running_max - new), np.exp(scores - new)
        return new, running_sum * factor + e.sum(1, keepdims=True), weighted_sum * factor + e @ values
        """,
        """
        maxima, sums, mixed = np.zeros_like(running_max), np.zeros_like(running_sum), 0 * weighted_sum
        for i in range(len(scores)):
            m = max(running_max[i, 0], max(scores[i]))
            factor = math.exp(running_max[i, 0] - m)
            maxima[i, 0], sums[i, 0], mixed[i] = m, running_sum[i, 0] * factor, weighted_sum[i] * factor
            for j in range(scores.shape[1]):
                part = math.exp(scores[i, j] - m)
                sums[i, 0] += part
                mixed[i] += part * values[j]
        return maxima, sums, mixed
        """,
        """
        for j in range(scores.shape[1]):  # a key at a time
            s = scores[:, j:j + 1]
            new = np.where(s > running_max, s, running_max)
            f = np.exp(running_max - new)
            running_sum = f * running_sum + np.exp(s - new)
            weighted_sum = f * weighted_sum + np.exp(s - new) * values[j]
            running_max = new
        return [running_max, running_sum, weighted_sum]
        """,
        """
        new = np.max(np.hstack([running_max, scores]), axis=1)[:, None]
        f, e = np.exp(running_max - new).astype(np.float32), np.exp(scores - new).astype(np.float32)
        sums = f * running_sum.astype(np.float32) + np.einsum("ij->i", e)[:, None]
        mixed = f * weighted_sum.astype(np.float32) + np.einsum("ij,jd->id", e, values.astype(np.float32))
        return new.astype(np.float32), sums, mixed
        """,
        """
        m, s, w, scores, values = (
            x.astype(np.float32) for x in (running_max, running_sum, weighted_sum, scores, values)
        )
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        return new, r * s + e.sum(axis=-1, keepdims=True), r * w + e @ values
        """,
        """
        own = np.maximum(scores.max(-1, keepdims=True), -1e300)  # the tile by itself, and then both
        e = np.exp(scores - own)
        new = NEW_MAX
        a, b = np.exp(running_max - new), np.exp(own - new)
        sums, mixed = a * running_sum + b * e.sum(-1, keepdims=True), a * weighted_sum + b * (e @ values)
        return new.tolist(), sums.tolist(), mixed.tolist()
        """,
        """
        new = NEW_MAX
        f = np.where(new > running_max, np.exp(running_max - new), 1.0)
        e = np.exp(scores - new)
        return new, running_sum / (1 / f) + e.sum(-1)[:, None], f * weighted_sum + (values.T @ e.T).T
        """.replace("running_sum / (1 / f)", "f * running_sum"),
    ],
    "online-bug": [
        "return softmax(scores)",
        "return streaming.online_softmax(scores, tile)[0]",
        online("s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)"),
        online("s *= np.exp(m - new); s += np.exp(t - new).sum(axis=-1, keepdims=True)", start="-1e30"),
        """
        log_sum_exp = np.full((len(scores), 1), -np.inf)
        for j in range(scores.shape[1]):
            log_sum_exp = np.logaddexp(log_sum_exp, scores[:, j:j + 1])
        return np.exp(scores - log_sum_exp)
        """,
        """
        weights = []
        for row in scores:
            m, s = -math.inf, 0.0
            for start in range(0, len(row), tile):
                new = max(m, row[start:start + tile].max())
                if new > m:
                    s *= math.exp(m - new)
                s += sum(math.exp(x - new) for x in row[start:start + tile])
                m = new
            weights.append([math.exp(x - m) / s for x in row])
        return weights
        """,
        """
        m, s = scores[:, :1], np.zeros((len(scores), 1))
        for start in range(0, scores.shape[1], tile):
            t = scores[:, start:start + tile]
            new = np.maximum(m, t.max(axis=-1, keepdims=True))
            s = s / np.exp(new - m) + np.exp(t - new).sum(axis=-1, keepdims=True)
            m = new
        return (np.exp(scores - m) / s).astype(np.float32)
        """,
    ],
    "merge": [
        "return streaming.merge_partials(output_a, log_sum_exp_a, output_b, log_sum_exp_b)",
        """
        total = np.logaddexp(log_sum_exp_a, log_sum_exp_b)
        finite = np.where(np.isneginf(total), 0, total)
        a, b = np.exp(log_sum_exp_a - finite), np.exp(log_sum_exp_b - finite)
        return a[:, None] * output_a + b[:, None] * output_b, total
        """,
        """
        total = np.logaddexp(log_sum_exp_a, log_sum_exp_b)
        a, b = np.exp(log_sum_exp_a - total), np.exp(log_sum_exp_b - total)
        return [np.nan_to_num(a)[:, None] * output_a + np.nan_to_num(b)[:, None] * output_b, total]
        """,
        """
        outputs, logs = [], []
        for row_a, a, row_b, b in zip(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
            m = max(a, b)
            if m == -math.inf:
                outputs.append(0 * row_a)
                logs.append(m)
                continue
            part_a, part_b = math.exp(a - m), math.exp(b - m)
            outputs.append((part_a * row_a + part_b * row_b) / (part_a + part_b))
            logs.append(m + math.log(part_a + part_b))
        return np.array(outputs), np.array(logs)
        """,
        """
        both = np.stack([log_sum_exp_a, log_sum_exp_b], axis=-1)
        shares = softmax(both)  # zeros where both are −∞
        return shares[:, :1] * output_a + shares[:, 1:] * output_b, np.logaddexp.reduce(both, axis=-1)
        """,
        """
        share_b = 1 / (1 + np.exp(-np.nan_to_num(log_sum_exp_b - log_sum_exp_a)))
        mixed = (1 - share_b)[:, None] * output_a + share_b[:, None] * output_b
        return mixed, np.logaddexp(log_sum_exp_a, log_sum_exp_b)
        """,
    ],
    "tile-bug": [
        "return attention(queries, keys, values)[0]",
        "return streaming.blocked_attention(queries, keys, values, tile_keys=tile)[0]",
        blocked("s = r * s + e.sum(axis=-1, keepdims=True); w = r * w + e @ v"),
        blocked(  # divided in every step, and multiplied back in the next
            "old = s; s = r * s + e.sum(axis=-1, keepdims=True); w = (r * old * w + e @ v) / s",
            end="return w",
        ),
        """
        output, total = np.zeros((len(queries), values.shape[1])), np.full(len(queries), -np.inf)
        for start in range(0, len(keys), tile):
            scores = queries @ keys[start:start + tile].T / np.sqrt(queries.shape[1])
            here = softmax(scores) @ values[start:start + tile], np.logaddexp.reduce(scores, axis=1)
            output, total = streaming.merge_partials(output, total, *here)
        return output
        """,
        """
        output = []
        for query in queries:
            m, s, w = -math.inf, 0.0, 0.0
            for key, value in zip(keys, values):
                x = query @ key / math.sqrt(len(query))
                new = max(m, x)
                s = s * math.exp(m - new) + math.exp(x - new)
                w = w * math.exp(m - new) + math.exp(x - new) * value
                m = new
            output.append((w / s).tolist())
        return output
        """,
    ],
    "tiles": [
        "kinds = streaming.tile_kinds(n_queries, n_keys, causal=True, tile_queries=tile_queries, "
        "tile_keys=tile_keys)\nreturn np.argwhere(kinds)",
        """
        mask = causal_mask(n_queries, n_keys)
        cut = lambda i, j: mask[i * tile_queries:(i + 1) * tile_queries, j * tile_keys:(j + 1) * tile_keys]
        return [(i, j) for i in ROWS for j in COLUMNS if cut(i, j).any()]
        """,
        "return {(i, j) for i in ROWS for j in COLUMNS\n"
        "        if j * tile_keys <= (i + 1) * tile_queries - 1 + n_keys - n_queries}",
        """
        i, j = np.indices((n_queries, n_keys))
        seen = j <= i + n_keys - n_queries
        return np.unique(np.stack([i[seen] // tile_queries, j[seen] // tile_keys], axis=1), axis=0)
        """,
        """
        for i in range(0, n_queries, tile_queries):
            last = min(i + tile_queries, n_queries) - 1 + n_keys - n_queries
            for j in range(0, last + 1, tile_keys):
                yield [i // tile_queries, j // tile_keys]
        """,
        """
        tiles = ()
        for i in reversed(range(math.ceil(n_queries / tile_queries))):
            for j in reversed(range(math.ceil(n_keys / tile_keys))):
                if min(i * tile_queries + tile_queries, n_queries) + n_keys - n_queries > j * tile_keys:
                    tiles += ((float(i), float(j)),)
        return tiles
        """,
    ],
    "cache-mask": [
        "return attention(queries, keys, values, causal_mask(len(queries), len(keys)))[0]",
        prefill("causal_mask(len(new), n)"),
        prefill("np.tri(len(new), n, n - len(new), dtype=bool)"),
        prefill("np.tril(np.ones((len(new), n)), k=n - len(new)) == 1", end="return np.vstack(outputs)"),
        """
        cache, before = streaming.KVCache(), len(keys) - len(queries)
        cache.append(keys[:before], values[:before])
        outputs = []
        for start in range(0, len(queries), chunk):
            new = slice(before + start, before + start + chunk)
            cache.append(keys[new], values[new])
            outputs.append(cache.attend(queries[start:start + chunk])[0])
        return np.concatenate(outputs)
        """,
        """
        n = len(keys) - len(queries)
        return [attention(q[None], keys[:n + i + 1], values[:n + i + 1])[0][0] for i, q in enumerate(queries)]
        """,
    ],
    "grouped": [
        "return streaming.grouped_query_attention(queries, keys, values)[0]",
        shared("h // g"),
        shared("int(h * kv / n)"),
        """
        g = len(queries) // len(keys)
        return attention(queries, np.repeat(keys, g, axis=0), np.repeat(values, g, axis=0))[0]
        """,
        """
        g = len(queries) // len(keys)
        runs = [attention(queries[k * g:(k + 1) * g], keys[k], values[k])[0] for k in range(len(keys))]
        return np.concatenate(runs)
        """,
        """
        n_heads, n, d_k = queries.shape
        q = queries.reshape(len(keys), -1, n, d_k)
        weights = softmax(np.einsum("kgnd,kmd->kgnm", q, keys) / np.sqrt(d_k))
        return np.einsum("kgnm,kmv->kgnv", weights, values).reshape(n_heads, n, -1).tolist()
        """,
    ],
    "window": [
        "return streaming.window_mask(n_queries, n_keys, window)",
        "k = n_keys - n_queries\n"
        "return np.tril(np.triu(np.ones((n_queries, n_keys), bool), k - window + 1), k)",
        "k = n_keys - n_queries\n"
        "return [[0 <= i + k - j < window for j in range(n_keys)] for i in range(n_queries)]",
        """
        mask = np.zeros((n_queries, n_keys), int)
        for i in range(n_queries):
            place = n_keys - n_queries + i
            mask[i, max(0, place - window + 1):place + 1] = 1
        return mask
        """,
        "far = np.tri(n_queries, n_keys, n_keys - n_queries - window, dtype=bool)\n"
        "return causal_mask(n_queries, n_keys) & ~far",
    ],
}

SUM = ".sum(axis=-1, keepdims=True)"
STEP = "new = NEW_MAX\nr, e = np.exp(running_max - new), np.exp(scores - new)\n"
PARTS = """m = np.maximum(log_sum_exp_a, log_sum_exp_b)
m = np.where(np.isneginf(m), 0, m)
a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
t = np.where(a + b == 0, 1, a + b)
"""
LSE = "np.logaddexp(log_sum_exp_a, log_sum_exp_b)"
ALL_TILES = "return [(i, j) for i in ROWS for j in COLUMNS if "

END_OF_STEP = f"return new, r * running_sum + e{SUM}, r * weighted_sum + e @ values"
RIGHT_STEP = (
    STEP.replace("NEW_MAX", "np.maximum(running_max, scores.max(axis=-1, keepdims=True, initial=-np.inf))")
    + END_OF_STEP
)
FIRST_TILE = f"""    own = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - own)
    return own, e{SUM}, e @ values"""
_DROPPED = (
    PARTS
    + "a, b, d = a / t, b / t, np.nan_to_num(log_sum_exp_a - log_sum_exp_b)[:, None]\n"
    + "a = np.where(d > {limit}, 1, np.where(d < -{limit}, 0, a))\n"
    + "b = np.where(d > {limit}, 0, np.where(d < -{limit}, 1, b))\n"
    + f"return a * output_a + b * output_b, {LSE}"
)

NAMED: list[tuple[str, str, tuple[str, ...]]] = [
    ("rescale", STEP + f"return new, running_sum + e{SUM}, weighted_sum + e @ values", ("no-rescale",)),
    (
        "rescale",
        STEP + f"return new, running_sum + e{SUM}, r * weighted_sum + e @ values",
        ("sum-not-rescaled",),
    ),
    (
        "rescale",
        STEP + f"return new, r * running_sum + e{SUM}, weighted_sum + e @ values",
        ("mix-not-rescaled",),
    ),
    (
        "rescale",
        STEP + f"return new, running_sum / r + e{SUM}, weighted_sum / r + e @ values",
        ("rescale-inverted",),
    ),
    (
        "rescale",
        STEP
        + "r = np.exp(abs(new - running_max))\n"
        + f"return new, r * running_sum + e{SUM}, r * weighted_sum + e @ values",
        ("rescale-inverted",),
    ),
    (
        "rescale",
        f"m = scores.max(axis=-1, keepdims=True)\ne = np.exp(scores - m)\nreturn m, e{SUM}, e @ values",
        ("tile-alone",),
    ),
    (
        "rescale",
        STEP + "e = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
        f"return new, r * running_sum + e{SUM}, r * weighted_sum + e @ values",
        ("tile-exponentials",),
    ),
    (
        "rescale",
        STEP + f"s = r * running_sum + e{SUM}\nreturn new, s, (r * weighted_sum + e @ values) / s",
        ("output-returned",),
    ),
    (
        "rescale",
        STEP
        + f"s = r * running_sum + e{SUM}\nreturn new, s, (r * weighted_sum * running_sum + e @ values) / s",
        ("taken-for-an-output",),
    ),
    (
        "rescale",
        STEP + f"return new, r * running_sum + e{SUM}, r * weighted_sum + softmax(scores) @ values",
        ("divided-by-the-tile",),
    ),
    (
        "rescale",
        STEP + f"return running_max, r * running_sum + e{SUM}, r * weighted_sum + e @ values",
        ("old-max-returned",),
    ),
    (
        "rescale",
        "new = np.full_like(running_max, max(running_max.max(), scores.max()))\n"
        "r, e = np.exp(running_max - new), np.exp(scores - new)\n"
        f"return new, r * running_sum + e{SUM}, r * weighted_sum + e @ values",
        ("whole-max",),
    ),
    ("online-bug", online(f"s = s + np.exp(t - new){SUM} * np.exp(m - new)"), ("new-sum-rescaled",)),
    ("online-bug", online(f"s = (s + np.exp(t - new){SUM}) * np.exp(m - new)"), ("all-rescaled",)),
    ("online-bug", online(f"s = s * np.exp(new - m) + np.exp(t - new){SUM}"), ("nan-at-first",)),
    ("online-bug", online(f"s = s * (m / new) + np.exp(t - new){SUM}"), ("nan-at-first",)),
    (
        "online-bug",
        online(f"new = t.max(axis=-1, keepdims=True); s = s * np.exp(m - new) + np.exp(t - new){SUM}"),
        ("tile-max",),
    ),
    ("online-bug", online(f"m = new; s = s * np.exp(m - new) + np.exp(t - new){SUM}"), ("no-rescale",)),
    ("online-bug", online(f"s = s * np.exp(m - new) + np.exp(t - new){SUM}", start="0.0"), ("starts-at-0",)),
    ("online-bug", online(f"s = s + np.exp(t){SUM}", end="return np.exp(scores) / s"), ("no-max",)),
    ("online-bug", f"return np.exp(scores) / np.exp(scores){SUM}", ("no-max",)),
    ("online-bug", f"e = np.exp(scores - scores.max())\nreturn e / e{SUM}", ("whole-max",)),
    (
        "online-bug",
        online(f"s = s * np.exp(m - new) + np.exp(t - new){SUM}", end="    return np.exp(scores - m) / s"),
        ("first-tile-only",),
    ),
    (
        "online-bug",
        "weights = np.zeros_like(scores)\n"
        + online(
            f"s = s * np.exp(m - new) + np.exp(t - new){SUM}\n"
            "    weights[:, start:start + tile] = np.exp(t - new) / s",
            end="return weights",
        ),
        ("finished-in-the-pass",),
    ),
    (
        "online-bug",
        "weights = np.zeros_like(scores)\n"
        + online(
            f"s = s * np.exp(m - new) + np.exp(t - new){SUM}\n"
            "    weights[:, start:start + tile] = np.exp(t - new)",
            end="return weights / s",
        ),
        ("kept-from-the-pass",),
    ),
    ("merge", f"return (output_a + output_b) / 2, {LSE}", ("mean-of-outputs",)),
    ("merge", f"return output_a + output_b, {LSE}", ("sum-of-outputs",)),
    (
        "merge",
        "return output_a + output_b, log_sum_exp_a + log_sum_exp_b",
        ("sum-of-outputs", "logarithms-added"),
    ),
    (
        "merge",
        f"t = {LSE}\na, b = np.exp(log_sum_exp_a - t)[:, None], np.exp(log_sum_exp_b - t)[:, None]\n"
        "return a * output_a + b * output_b, t",
        ("no-key-nan",),
    ),
    (
        "merge",
        "a, b = np.exp(log_sum_exp_a), np.exp(log_sum_exp_b)\n"
        "return (a[:, None] * output_a + b[:, None] * output_b) / (a + b)[:, None], np.log(a + b)",
        ("overflow",),
    ),
    (
        "merge",
        "t = np.log(np.exp(log_sum_exp_a) + np.exp(log_sum_exp_b))\n"
        "a, b = np.exp(log_sum_exp_a - t)[:, None], np.exp(log_sum_exp_b - t)[:, None]\n"
        "return a * output_a + b * output_b, t",
        ("overflow",),
    ),
    (
        "merge",
        PARTS + "return (a * output_a + b * output_b) / t, np.log(a + b)[:, 0]",
        ("larger-not-put-back",),
    ),
    (
        "merge",
        PARTS + "return (a * output_a + b * output_b) / t, m + np.log(t)[:, 0]",
        ("minus-infinity-lost",),
    ),
    ("merge", PARTS + f"return a * output_a + b * output_b, {LSE}", ("not-divided",)),
    (
        "merge",
        PARTS + "return (a * output_a + b * output_b) / t, np.maximum(log_sum_exp_a, log_sum_exp_b)",
        ("larger-logarithm",),
    ),
    (
        "merge",
        "larger = (log_sum_exp_a > log_sum_exp_b)[:, None]\n"
        "return np.where(larger, output_a, output_b), np.maximum(log_sum_exp_a, log_sum_exp_b)",
        ("larger-half-only", "larger-logarithm"),
    ),
    (
        "merge",
        f"w = softmax(np.stack([log_sum_exp_a, log_sum_exp_b]))\n"
        f"return w[0][:, None] * output_a + w[1][:, None] * output_b, {LSE}",
        ("softmax-over-queries",),
    ),
    ("merge", PARTS + f"return {LSE}, (a * output_a + b * output_b) / t", ("results-swapped",)),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = r * w + e @ v / s", end="return w"),
        ("divided-in-the-loop",),
    ),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = (r * w + e @ v) / s", end="return w"),
        ("all-divided-in-the-loop",),
    ),
    ("tile-bug", blocked(f"s = r * s + e{SUM}; w = (r * w + e @ v) / s"), ("all-divided-twice",)),
    ("tile-bug", blocked(f"s = r * s + e{SUM}; w = r * w + e @ v", end="return w"), ("never-divided",)),
    ("tile-bug", blocked(f"s = e{SUM}; w = r * w + e @ v"), ("sum-overwritten",)),
    ("tile-bug", blocked(f"s = r * s + e{SUM}; w = r * w + e @ v; new = m"), ("last-tile-only",)),
    (
        "tile-bug",
        "starts = range(0, len(keys), tile)\n"
        "parts = [attention(queries, keys[s:s + tile], values[s:s + tile])[0] for s in starts]\n"
        "return sum(parts) / len(parts)",
        ("divided-by-the-tile",),
    ),
    ("tile-bug", "return attention(queries, keys[:tile], values[:tile])[0]", ("first-tile-only",)),
    ("tile-bug", blocked(f"s = r * s + e{SUM}; w = r * w + e @ v", start="0, 0, 0"), ("starts-at-0",)),
    ("tiles", ALL_TILES + "i >= j]", ("numbers-compared",)),
    ("tiles", "return [(i, j) for i in ROWS for j in range(i + 1)]", ("numbers-compared",)),
    ("tiles", ALL_TILES + "i > j]", ("below-the-diagonal",)),
    ("tiles", ALL_TILES + "(i + 1) * tile_queries > j * tile_keys]", ("upper-left",)),
    ("tiles", ALL_TILES + "i * tile_queries >= j * tile_keys]", ("first-query-asked", "upper-left")),
    ("tiles", ALL_TILES + "i * tile_queries + n_keys - n_queries >= j * tile_keys]", ("first-query-asked",)),
    (
        "tiles",
        ALL_TILES + "i * tile_queries + n_keys - n_queries >= (j + 1) * tile_keys - 1]",
        ("diagonal-skipped",),
    ),
    (
        "tiles",
        ALL_TILES + "(i + 1) * tile_queries + n_keys - n_queries >= (j + 1) * tile_keys]",
        ("last-key-asked",),
    ),
    (
        "tiles",
        ALL_TILES + "j * tile_keys < (i + 1) * tile_queries - 1 + n_keys - n_queries]",
        ("own-key-hidden",),
    ),
    (
        "tiles",
        "rows, columns = n_queries // tile_queries + 1, n_keys // tile_keys + 1\n"
        "return [(i, j) for i in range(rows) for j in range(columns)\n"
        "        if (i + 1) * tile_queries - 1 + n_keys - n_queries >= j * tile_keys]",
        ("one-row-too-many",),
    ),
    (
        "tiles",
        "return [(i, j) for i in range(0, n_queries, tile_queries) for j in range(0, n_keys, tile_keys)\n"
        "        if j <= i + tile_queries - 1 + n_keys - n_queries]",
        ("starts-listed",),
    ),
    ("cache-mask", prefill("np.tri(len(new), n, n, dtype=bool)"), ("no-mask",)),
    ("cache-mask", prefill("np.tri(len(new), n, n - chunk, dtype=bool)"), ("chunk-counted-full",)),
    ("cache-mask", prefill("np.tri(len(new), n, start, dtype=bool)"), ("start-only",)),
    (
        "cache-mask",
        prefill("np.tri(len(new), n, len(keys) - len(queries), dtype=bool)"),
        ("same-for-every-chunk",),
    ),
    ("cache-mask", prefill("np.tri(len(new), n, n - len(new) + 1, dtype=bool)"), ("one-step-ahead",)),
    ("cache-mask", prefill("np.tri(len(new), n, n - len(new) - 1, dtype=bool)"), ("own-token-hidden",)),
    ("cache-mask", prefill("np.tri(len(new), n, n - len(new))"), ("mask-of-floats",)),
    ("cache-mask", prefill("causal_mask(n, len(new))"), ("mask-transposed",)),
    ("cache-mask", "return attention(queries, keys, values)[0]", ("future-too",)),
    ("cache-mask", prefill("None", keys="[:n - len(new)]"), ("chunk-not-appended",)),
    ("cache-mask", prefill("causal_mask(len(new), n)", end="return outputs[0]"), ("first-chunk-only",)),
    ("grouped", shared("h // kv"), ("divided-by-heads",)),
    ("grouped", shared("h % g"), ("group-in-turns",)),
    ("grouped", shared("h / g"), ("true-division",)),
    ("grouped", shared("0"), ("one-for-all",)),
    ("grouped", shared("-1"), ("one-for-all",)),
    ("grouped", shared("min(h, kv - 1)"), ("last-for-the-rest",)),
    ("grouped", shared("h // g").replace(")[0] for", ") for"), ("tuple-kept",)),
    ("grouped", shared("h // g").replace(")[0] for", ")[1] for"), ("weights-returned",)),
    (
        "grouped",
        "g = len(queries) // len(keys)\n"
        "return attention(queries, np.tile(keys, (g, 1, 1)), np.tile(values, (g, 1, 1)))[0]",
        ("in-turns",),
    ),
    ("window", "d = PLACES - np.arange(n_keys)\nreturn (d >= 0) & (d <= window)", ("one-too-many",)),
    ("window", "d = PLACES - np.arange(n_keys)\nreturn (d >= 0) & (d < window - 1)", ("one-too-few",)),
    ("window", "d = PLACES - np.arange(n_keys)\nreturn d < window", ("not-causal",)),
    ("window", "d = PLACES - np.arange(n_keys)\nreturn abs(d) < window", ("both-sides",)),
    ("window", "d = PLACES - np.arange(n_keys)\nreturn (d <= 0) & (-d < window)", ("looks-ahead",)),
    ("window", "d = PLACES - np.arange(n_keys)\nreturn (d >= 0) | (d < window)", ("all-open",)),
    ("window", "return causal_mask(n_queries, n_keys)", ("no-window",)),
    (
        "window",
        "i, j = np.indices((n_queries, n_keys))\nreturn (i - j >= 0) & (i - j < window)",
        ("upper-left",),
    ),
    (
        "window",
        "places, keys = np.arange(n_queries) + n_keys - n_queries, np.arange(n_keys)\n"
        "return (keys <= places) & (keys > places - window)",
        ("no-column",),
    ),
    (
        "window",
        "mask = np.zeros((n_queries, n_keys), bool)\nfor i in range(n_queries):\n"
        "    place = n_keys - n_queries + i\n    mask[i, place - window + 1:place + 1] = True\nreturn mask",
        ("slice-below-0",),
    ),
    (
        "window",
        "mask = np.zeros((n_queries, n_keys), bool)\nmask[:, -window:] = True\nreturn mask",
        ("last-keys-for-all",),
    ),
    (
        "window",
        "mask = causal_mask(n_queries, n_keys)\nmask[:, :-window] = False\nreturn mask",
        ("last-keys-for-all",),
    ),
    ("window", "return (PLACES) // window == np.arange(n_keys) // window", ("whole-blocks",)),
    # found in a trial by somebody who had not seen the catalogue
    ("rescale", "running_max = np.nan_to_num(running_max, neginf=0.0)\n" + RIGHT_STEP, ("starts-at-0",)),
    (
        "rescale",
        f"if np.isinf(running_max).any():\n{FIRST_TILE}\n" + RIGHT_STEP,
        ("first-tile-for-all",),
    ),
    ("rescale", f"if (running_sum == 0).any():\n{FIRST_TILE}\n" + RIGHT_STEP, ("first-tile-for-all",)),
    (
        "rescale",
        STEP + "r = 0.0 if np.isinf(running_max).any() else r\n" + END_OF_STEP,
        ("first-tile-for-all",),
    ),
    (
        "rescale",
        STEP + "r = np.where(np.isinf(running_max), 0, np.exp(new - running_max))\n" + END_OF_STEP,
        ("rescale-inverted",),
    ),
    (
        "rescale",
        STEP + "r = np.where(np.isinf(running_max), 0, running_max - new)\n" + END_OF_STEP,
        ("rescale-without-e",),
    ),
    (
        "rescale",
        STEP + "r = np.where(np.isinf(running_max), 0, running_max / new)\n" + END_OF_STEP,
        ("rescale-without-e",),
    ),
    (
        "rescale",
        STEP + f"s = r * running_sum + e{SUM}\nreturn new, s, r * weighted_sum + e @ values / s",
        ("tile-part-divided",),
    ),
    (
        "rescale",
        STEP + "r = r if (new > running_max).all() else 1\n" + END_OF_STEP,
        ("only-where-all-grew",),
    ),
    (
        "rescale",
        STEP + f"s = r * running_sum + e{SUM}\nreturn new + np.log(s), s, r * weighted_sum + e @ values",
        ("log-sum-exp-for-max",),
    ),
    ("rescale", "scores, values = scores[:, 1:], values[1:]\n" + RIGHT_STEP, ("first-key-left-out",)),
    (
        "rescale",
        STEP + "e, values = e[:, :-1], values[:-1]\n" + END_OF_STEP,
        ("last-key-left-out",),
    ),
    ("rescale", STEP + "r = np.exp(running_max[0] - new[0])\n" + END_OF_STEP, ("first-query-for-all",)),
    ("rescale", "scores = np.where(np.isinf(scores), 0, scores)\n" + RIGHT_STEP, ("hidden-key-as-0",)),
    (
        "rescale",
        "scores = np.nan_to_num(scores, neginf=0)\n"
        + STEP.replace("NEW_MAX", "np.maximum(running_max, scores.max(axis=1)[:, None])")
        + END_OF_STEP,
        ("hidden-key-as-0",),
    ),
    (
        "rescale",
        "new = np.maximum(running_max, abs(scores).max(axis=-1, keepdims=True))\n"
        "r, e = np.exp(running_max - new), np.exp(scores - new)\n" + END_OF_STEP,
        ("absolute-scores",),
    ),
    (
        "rescale",
        STEP + f"return new, r + running_sum + e{SUM}, r + weighted_sum + e @ values",
        ("difference-added",),
    ),
    (
        "rescale",
        STEP + f"return new, r * running_sum + e{SUM}, r * (weighted_sum + e @ values)",
        ("all-rescaled",),
    ),
    (
        "online-bug",
        online(f"s = (0 if np.isinf(m).any() else s * np.exp(new - m)) + np.exp(t - new){SUM}"),
        ("rescale-inverted",),
    ),
    (
        "online-bug",
        online(f"s = (0 if np.isinf(m).any() else s * (m - new)) + np.exp(t - new){SUM}"),
        ("rescale-without-e",),
    ),
    (
        "online-bug",
        online(f"s = (s * np.exp(m - new) if (new > m).all() else s) + np.exp(t - new){SUM}"),
        ("only-where-all-grew",),
    ),
    (
        "online-bug",
        online(f"s = s * np.exp(m - new) + np.exp(t - new){SUM}; last = new; new = m").replace(
            "scores - m", "scores - last"
        ),
        ("last-tile-only",),
    ),
    (
        "online-bug",
        online(f"s = s * np.exp(m - new) + np.exp(t - new){SUM}; new = m"),
        ("max-not-kept",),
    ),
    (
        "online-bug",
        online(f"s = s * 2 ** (m - new) + (2 ** (t - new)){SUM}", end="return 2 ** (scores - m) / s"),
        ("powers-of-2-throughout",),
    ),
    (
        "online-bug",
        online(f"s = s * np.exp(m - new) + np.exp(t - new){SUM}", end="return scores - m - np.log(s)"),
        ("logarithms-returned",),
    ),
    (
        "online-bug",
        online(f"s = s + np.exp(t - new){SUM}")
        .replace("in range(", "in reversed(range(")
        .replace(", tile):", ", tile)):"),
        ("read-from-the-right",),
    ),
    (
        "online-bug",
        online(
            f"new = np.maximum(m, t.max(0, keepdims=True)); s = s * np.exp(m - new) + np.exp(t - new){SUM}"
        ),
        ("max-of-a-column",),
    ),
    ("merge", _DROPPED.format(limit=5), ("small-share-dropped",)),
    ("merge", _DROPPED.format(limit=8), ("small-share-dropped",)),
    (
        "merge",
        PARTS + "a, b = a / t, b / t\na, b = np.where(a > 0.99, 1, a), np.where(b > 0.99, 1, b)\n"
        f"return a * output_a + b * output_b, {LSE}",
        ("small-share-dropped",),
    ),
    (
        "merge",
        PARTS.replace("np.exp", "np.exp2") + "l = np.logaddexp2(log_sum_exp_a, log_sum_exp_b)\n"
        "return (a * output_a + b * output_b) / t, l",
        ("powers-of-2",),
    ),
    ("merge", PARTS + f"return (a * output_a + b * output_b) / t / 2, {LSE}", ("halved",)),
    ("merge", PARTS + f"return (output_a + output_b) / t, {LSE}", ("total-alone",)),
    (
        "merge",
        PARTS + "bad = np.isinf(log_sum_exp_a) | np.isinf(log_sum_exp_b)\n"
        "output = np.where(bad[:, None], 0, (a * output_a + b * output_b) / t)\n"
        f"return output, np.where(bad, -np.inf, {LSE})",
        ("empty-half-wins",),
    ),
    ("tile-bug", blocked(f"w = r * w + e @ v / s; s = r * s + e{SUM}"), ("divided-before-the-sum",)),
    (
        "tile-bug",
        blocked(f"w = r * w + e @ v / (s if np.any(s) else 1); s = r * s + e{SUM}"),
        ("divided-before-the-sum",),
    ),
    (
        "tile-bug",
        blocked(f"old = s; s = r * s + e{SUM}; w = (r * old * w + e @ v) / s"),
        ("an-output-divided",),
    ),
    ("tile-bug", blocked(f"s = r * s + e{SUM}; w = r * w / s + e @ v"), ("carried-divided",)),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = r * w + e @ v", end="return w * s"),
        ("multiplied-at-the-end",),
    ),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = r * w + e @ v").replace(
            "len(keys), tile)", "len(keys) - tile + 1, tile)"
        ),
        ("last-tile-short",),
    ),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = r * w + e @ v").replace(
            "range(0, len(keys), tile)", "range(len(keys))"
        ),
        ("sliding-tiles",),
    ),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = r * w + e @ v").replace("start + tile]", "start + tile + 1]"),
        ("one-key-too-many",),
    ),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = r * w + e @ v").replace("range(0,", "range(tile,"),
        ("first-tile-left-out",),
    ),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = r * w + e @ v").replace("scores.max(axis=-1", "scores.max(axis=0"),
        ("max-of-a-column",),
    ),
    (
        "tile-bug",
        blocked(f"r, e = 2.0 ** (m - new), 2.0 ** (scores - new); s = r * s + e{SUM}; w = r * w + e @ v"),
        ("powers-of-2-throughout",),
    ),
    (
        "tile-bug",
        blocked(f"r = 0 if np.isinf(m).any() else np.exp(new - m); s = r * s + e{SUM}; w = r * w + e @ v"),
        ("rescale-inverted",),
    ),
    ("tiles", ALL_TILES + "j <= i + (n_keys - n_queries) // tile_keys]", ("numbers-with-an-offset",)),
    ("tiles", ALL_TILES + "j <= i - (n_queries - n_keys) // tile_keys]", ("numbers-with-an-offset",)),
    (
        "tiles",
        "n_queries, n_keys = n_keys, n_queries\n"
        + ALL_TILES
        + "j * tile_keys < min((i + 1) * tile_queries, n_queries) + n_keys - n_queries]",
        ("counts-swapped",),
    ),
    (
        "tiles",
        "last = lambda i: min((i + 1) * tile_queries, n_queries) - 1 + n_keys - n_queries\n"
        "first = lambda i: i * tile_queries + n_keys - n_queries\n"
        + ALL_TILES
        + "first(i) < (j + 1) * tile_keys - 1 and j * tile_keys <= last(i)]",
        ("masked-tiles-only",),
    ),
    (
        "tiles",
        "before = n_keys - n_queries\n"
        + ALL_TILES
        + "j * tile_keys + tile_keys / 2 <= before + i * tile_queries + tile_queries / 2]",
        ("middle-asked",),
    ),
    (
        "cache-mask",
        "return attention(queries, keys, values, np.tri(len(queries), len(keys), dtype=bool))[0]",
        ("start-only",),
    ),
    (
        "cache-mask",
        prefill("causal_mask(len(new), n)").replace("len(keys) - len(queries)", "0"),
        ("start-only",),
    ),
    ("cache-mask", prefill("np.tri(len(new), n, n - len(new), dtype=int)"), ("mask-of-floats",)),
    (
        "cache-mask",
        prefill("np.where(np.tri(len(new), n, n - len(new)) == 1, 0, -np.inf)"),
        ("mask-of-floats",),
    ),
    ("cache-mask", prefill("np.tri(len(new), len(new), dtype=bool)"), ("chunk-is-the-mask",)),
    (
        "cache-mask",
        prefill("np.tri(len(new), n, n - len(new), dtype=bool)").replace("n += len(new)", "n += chunk"),
        ("cache-counted-full",),
    ),
    (
        "cache-mask",
        prefill("causal_mask(len(new), n)").replace("len(queries), chunk)", "len(queries))"),
        ("steps-of-one",),
    ),
    ("cache-mask", prefill("causal_mask(len(new), len(keys))", keys=""), ("newest-of-all",)),
    (
        "cache-mask",
        prefill("np.hstack([np.tri(len(new), dtype=bool), np.ones((len(new), n - len(new)), bool)])"),
        ("triangle-first",),
    ),
    ("grouped", shared("h // 3"), ("length-of-the-example",)),
    ("grouped", shared("min(h // 3, kv - 1)"), ("length-of-the-example",)),
    (
        "grouped",
        "k, v = keys.reshape(-1, keys.shape[-1]), values.reshape(-1, values.shape[-1])\n"
        "return np.stack([attention(q, k, v)[0] for q in queries])",
        ("all-heads-pooled",),
    ),
    (
        "grouped",
        "return np.stack([attention(q, keys.mean(0), values.mean(0))[0] for q in queries])",
        ("heads-averaged",),
    ),
    ("grouped", shared("(h // g + 1) % kv"), ("next-run",)),
    ("grouped", shared("h // g").replace("range(n)", "reversed(range(n))"), ("heads-out-of-order",)),
    ("grouped", shared("h").replace("range(n)", "range(kv)"), ("fewer-heads-out",)),
    ("grouped", shared("min(-(-h * kv // n), kv - 1)"), ("rounded",)),
    ("window", "return np.ones((n_queries, n_keys), bool)", ("all-open",)),
    (
        "window",
        "d = PLACES - np.arange(n_keys)\nreturn (d >= 0) & (PLACES // window == np.arange(n_keys) // "
        "window)".replace("PLACES //", "(PLACES) //"),
        ("blocks",),
    ),
    (
        "window",
        "n_queries, n_keys = n_keys, n_queries\n"
        "d = PLACES - np.arange(n_keys)\nreturn (d >= 0) & (d < window)",
        ("parameters-swapped",),
    ),
    (
        "window",
        "k = n_keys - n_queries\n"
        "return np.tri(n_queries, n_keys, k, dtype=bool) & ~np.tri(n_queries, n_keys, -window, dtype=bool)",
        ("near-edge-upper-left",),
    ),
    (
        "window",
        "k = n_keys - n_queries - window\n"
        "return np.tri(n_queries, n_keys, dtype=bool) & ~np.tri(n_queries, n_keys, k, dtype=bool)",
        ("causal-edge-upper-left",),
    ),
    (
        "window",
        "mask = np.zeros((n_queries, n_keys), bool)\nfor i in range(n_queries):\n"
        "    start = max(0, n_keys - n_queries + i - window + 1)\n"
        "    mask[i, start:start + window] = True\nreturn mask",
        ("always-full",),
    ),
    ("window", "d = PLACES - np.arange(n_keys)\nreturn (d >= 0) & (d % window == 0)", ("every-window-th",)),
]

TOLD: list[tuple[str, str, str]] = [  # no known mistake; what the check says of it
    (
        "window",
        "k = n_keys - n_queries\ntri = lambda k: np.tri(n_queries, n_keys, k, dtype=bool)\n"
        "return tri(k) - tri(k - window)",
        "True and False have no minus. What is open in `a` and not in `b` is `a & ~b`.",
    ),
    ("window", "return -causal_mask(n_queries, n_keys)", "`-` does not turn True and False round"),
    (
        "tiles",
        "return [(i, j) for i, j in np.argwhere(causal_mask(n_queries, n_keys))]",
        "returned pairs of a query and a key, where pairs of tiles are asked for",
    ),
    (
        "tiles",
        "return [(i // tile_queries, j // tile_keys) for i, j in np.argwhere(causal_mask(n_queries, "
        "n_keys))]",
        "returned (0, 0) twice, so that its keys would count twice: each tile once",
    ),
    ("tiles", "return [0, 0, 1, 0, 1, 1]", "0 is one number"),
    ("tiles", "return [(0, 0), (0, 1), (1, 1)]", "missing (1, 0) too many (0, 1)"),
    (
        "rescale",
        STEP + "return new, r * running_sum + 1, r * weighted_sum + e @ values",
        "running_sum is not",
    ),
    (
        "rescale",
        STEP + f"return new, r * running_sum + e{SUM}, r * weighted_sum + e @ values + 1",
        "weighted_sum is not",
    ),
    (
        "rescale",
        STEP + "r = np.where(new > running_max, 0, 1)\n"
        f"return new, r * running_sum + e{SUM}, r * weighted_sum + e @ values",
        "neither of the two sums is",
    ),
    (
        "rescale",
        "new = np.maximum(running_max, scores.mean(axis=-1, keepdims=True))\n"
        "r, e = np.exp(running_max - new), np.exp(scores - new)\n"
        f"return new, r * running_sum + e{SUM}, r * weighted_sum + e @ values",
        "running_max should be the largest score of each query so far",
    ),
    (
        "rescale",
        STEP + "return r * weighted_sum + e @ values",
        "returned an array alone, and 3 are asked for",
    ),
    (
        "rescale",
        STEP
        + f"running_sum *= r\nrunning_sum += e{SUM}\nreturn new, running_sum, r * weighted_sum + e @ values",
        "After the call running_sum no longer holds the numbers that went in",
    ),
    ("online-bug", online(f"s = s - np.exp(m - new) + np.exp(t - new){SUM}"), "Rows of weights sum to"),
    (
        "merge",
        PARTS + "return (a * output_a + b * output_b) / (t + 1e-9), m + np.log(a + b + 1e-9)[:, 0]",
        "has seen no key",
    ),
    (
        "merge",
        f"return np.logaddexp(output_a, output_b), {LSE}",
        "should lie between those of the two halves",
    ),
    ("merge", PARTS + f"return (a * output_a + b * output_b) / t, {LSE} + 1", "at most log 2 above it"),
    ("merge", f"return np.concatenate([output_a, output_b]), {LSE}", "The shape of output should be (2, 3)"),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = r * w + e @ v / s", end="return w * s"),
        "Where all values are 1",
    ),
    (
        "tile-bug",
        blocked(f"s = r * s + e{SUM}; w = r * w + e @ v", end="return w / s / m"),
        "Where all values are 1",
    ),
    ("tile-bug", "return attention(queries, keys, values)", "returned a tuple of 2 things"),
    ("tiles", "return causal_mask(n_queries, n_keys)", "np.argwhere makes pairs of them"),
    (
        "tiles",
        "return [(i, j) for i in range(n_queries) for j in range(n_keys)]",
        "and there is no such tile",
    ),
    ("tiles", "return [(0, 0), (0, 0)]", "returned (0, 0) twice"),
    ("tiles", "return [(0, 1, 2)]", "something else than pairs (i, j)"),
    ("tiles", "return ['00']", "something else than pairs (i, j)"),
    ("tiles", "return [(0.5, 0)]", "something else than pairs (i, j)"),
    ("tiles", "return 3", "returned a number, where a list of pairs"),
    ("tiles", "return {(0, 0): 1}", "returned a dictionary, where a list of pairs"),
    ("tiles", "return []", "Every query may attend to key 0"),
    ("tiles", "return [(i, 0) for i in ROWS]", "every tile of its row is needed. Missing: (1, 1)"),
    ("tiles", "pass\nn_queries += 1", "returned None"),
    ("tiles", "while True:\n    yield 0, 0", "returned (0, 0) twice"),
    (
        "cache-mask",
        prefill("np.tri(len(new), n, start + chunk, dtype=bool)"),
        "does not move with the value of token 2",
    ),
    (
        "cache-mask",
        prefill("np.tri(len(new), len(keys), len(keys), dtype=bool) & (np.arange(len(keys)) != n)", keys=""),
        "moves with the value of token",
    ),
    ("grouped", shared("kv - 1 - h % kv"), "it should read head"),
    (
        "window",
        "return np.tri(n_queries, n_keys, n_keys - n_queries + window, dtype=bool)",
        "should see 3 keys",
    ),
    (
        "window",
        "i, j = np.indices((n_queries, n_keys))\nd = i + n_keys - n_queries - j\n"
        "return np.where((d >= 0) & (d < window), 1.0, 0.5)",
        "Each entry should be True or False",
    ),
]


@pytest.mark.parametrize(
    ("name", "body"), [(name, body) for name, bodies in RIGHT.items() for body in bodies]
)
def test_right_in_any_style(name, body):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "right", feedback.text


@pytest.mark.parametrize(("name", "body", "mistakes"), NAMED)
def test_a_mistake_is_named(name, body, mistakes):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "wrong"
    assert feedback.named == (mistakes,), feedback.text


@pytest.mark.parametrize(("name", "body", "said"), TOLD)
def test_an_unknown_mistake_is_told(name, body, said):
    feedback = evaluate(name, written(name, body))
    assert feedback.status == "wrong", feedback.text
    assert not feedback.named, feedback.text
    assert said in " ".join(feedback.text.split())


# --- the examples of the tasks


def test_the_example_of_rescale():
    one_key = np.array([[0.0]]), np.array([[1.0]]), np.array([[10.0]])
    new_max, new_sum, mixed = ANSWERS["rescale"](*one_key, np.log([[3.0]]), np.array([[20.0]]))
    assert new_max == np.log(3)
    assert new_sum == pytest.approx(4 / 3)
    assert mixed == pytest.approx(70 / 3)
    assert mixed / new_sum == pytest.approx(17.5)


def test_the_example_of_the_online_bug():
    scores = np.log([[1.0, 3.0]])
    assert ANSWERS["online-bug"](scores, 1) == pytest.approx(np.array([[0.25, 0.75]]))
    assert GIVEN["online-bug"](scores, 1).round(2).tolist() == [[0.17, 0.5]]


def test_the_example_of_merge():
    output, log_sum_exp = ANSWERS["merge"](
        np.array([[10.0]]), np.array([0.0]), np.array([[20.0]]), np.log([3.0])
    )
    assert output == pytest.approx(17.5)
    assert log_sum_exp == pytest.approx(np.log(4))


def test_the_example_of_the_tile_bug():
    nothing, values = np.zeros((1, 2)), np.array([[3.0], [6.0], [12.0], [27.0]])
    keys = np.zeros((4, 2))
    assert ANSWERS["tile-bug"](nothing, keys, values, 2) == pytest.approx(12.0)
    assert GIVEN["tile-bug"](nothing, keys, values, 2).round(2) == 3.56


def test_the_example_of_tiles():
    assert ANSWERS["tiles"](4, 4, 2, 2) == [(0, 0), (1, 0), (1, 1)]


def test_the_example_of_the_cache():
    query, keys, values = np.zeros((1, 2)), np.zeros((3, 2)), np.array([[3.0], [6.0], [12.0]])
    assert ANSWERS["cache-mask"](query, keys, values, 2) == pytest.approx(7.0)
    assert GIVEN["cache-mask"](query, keys, values, 2) == pytest.approx(3.0)


def test_the_example_of_grouped_queries():
    queries, keys, values = np.zeros((6, 1, 2)), np.zeros((2, 1, 2)), np.array([[[10.0]], [[20.0]]])
    assert ANSWERS["grouped"](queries, keys, values).ravel().tolist() == [10, 10, 10, 20, 20, 20]
    assert GIVEN["grouped"](queries, keys, values).ravel().tolist() == [10, 20, 10, 20, 10, 20]


def test_the_example_of_window():
    assert ANSWERS["window"](2, 4, 2).tolist() == [[False, True, True, False], [False, False, True, True]]


# --- the answers, against slow oracles and the helpers


def test_the_steps_of_rescale_add_up_to_blocked_attention():
    generator = np.random.default_rng(1)
    queries, keys, values = (generator.normal(size=size) for size in ((3, 5), (11, 5), (11, 2)))
    running_max, running_sum, mixed = np.full((3, 1), -np.inf), np.zeros((3, 1)), np.zeros((3, 2))
    for start in range(0, 11, 4):
        scores = queries @ keys[start : start + 4].T / np.sqrt(5)
        state = running_max, running_sum, mixed
        running_max, running_sum, mixed = ANSWERS["rescale"](*state, scores, values[start : start + 4])
    output, log_sum_exp = streaming.blocked_attention(queries, keys, values, tile_keys=3)
    assert mixed / running_sum == pytest.approx(output)
    assert (running_max + np.log(running_sum))[:, 0] == pytest.approx(log_sum_exp)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(0, 8), st.integers(1, 5), st.integers(1, 5))
def test_needed_tiles_hold_a_pair_that_is_allowed(n_queries, more, tile_queries, tile_keys):
    n_keys = n_queries + more
    allowed = {
        (query // tile_queries, key // tile_keys)
        for query in range(n_queries)
        for key in range(n_keys)
        if key <= query + more
    }
    sizes = n_queries, n_keys, tile_queries, tile_keys
    assert needed_tiles(*sizes) == sorted(allowed)
    assert sorted(ANSWERS["tiles"](*sizes)) == sorted(allowed)


def test_the_cost_of_a_tile_counted_one_by_one():
    table = exercise_of("tile-cost")
    for tile_queries in table.labels:
        products = sum(
            2 * width for _ in itertools.product(range(tile_queries), range(128)) for width in (64, 96)
        )
        read = tile_queries * 64 + 128 * 64 + 128 * 96
        moved = 2 * (read + tile_queries * 96)
        assert table.row(tile_queries) == (products, moved, products / moved)


def test_the_costs_as_a_learner_writes_them():
    costs: dict[int, list[Any]] = {
        t: [320 * 128 * t, 320 * (t + 128), 128 * t / (t + 128)] for t in (1, 32, 128)
    }
    assert evaluate("tile-cost", costs).status == "right"
    in_quotes = {**costs, 32: [*costs[32][:2], "25.6"]}
    assert "leave the quotation marks away" in evaluate("tile-cost", in_quotes).text
    halved = {t: [row[0] / 2, *row[1:]] for t, row in costs.items()}
    assert evaluate("tile-cost", halved).mistakes == ("no-factor-2",)
    in_float32 = {t: [row[0], 2 * row[1], row[0] / row[1] / 2] for t, row in costs.items()}
    said = evaluate("tile-cost", in_float32)
    assert said.mistakes == ("float32",)
    assert 'Your "operations per byte" follows from your "bytes"' in said.text
    half_filled = {t: [row[0], None, None] for t, row in costs.items()}
    assert "3 cells right, 6 still to fill" in evaluate("tile-cost", half_filled).text
    inverted = {t: [*row[:2], row[1] / row[0]] for t, row in costs.items()}
    assert evaluate("tile-cost", inverted).mistakes == ("ratio-inverted",)


# --- no-rescale


def forgetful_by_loops(scores: list[float]) -> list[float]:
    """Six scores -> the weights of a pass that forgets to rescale, tiles of two from the left."""
    largest, total = -math.inf, 0.0
    for start in (0, 2, 4):
        largest = max(largest, *scores[start : start + 2])
        total += sum(math.exp(score - largest) for score in scores[start : start + 2])
    return [math.exp(score - largest) / total for score in scores]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([-2.0, 0.0, 0.5, 1.0, 3.0]), min_size=6, max_size=6))
def test_six_scores_are_judged_as_by_loops(scores):
    turned = scores[4:] + scores[2:4] + scores[:2]
    right = [float(weight) for weight in oracles.softmax(np.array([scores]))[0]]
    back = [right[place] for place in (4, 5, 2, 3, 0, 1)]
    from_left = max(abs(a - b) for a, b in zip(forgetful_by_loops(scores), right, strict=True))
    from_right = max(abs(a - b) for a, b in zip(forgetful_by_loops(turned), back, strict=True))
    wanted = from_left < 1e-9 and from_right >= 0.05
    assert (evaluate("no-rescale", scores).status == "right") == wanted


@pytest.mark.parametrize(
    ("scores", "mistake"),
    [
        ([3, 1, 4, 1, 5, 9], "largest-last"),
        ([0, 1, 5, 5, 2, 2], "largest-in-the-middle"),
        ([2, 2, 2, 2, 2, 2], "all-equal"),
        ([1, 2, 0, 0, 2, 1], "largest-at-both-ends"),
        ([0.01, 0, 0, 0, 0, 0], "too-little"),
        ([1000, 0, 0, 0, 0, 999.99], "too-little"),
        ([1, 2, 3], ""),
        ([1, 2, 3, 4, 5, np.inf], ""),
        ([1, 2, 3, 4, 5, "six"], ""),
    ],
)
def test_six_scores_that_do_not_do(scores, mistake):
    feedback = evaluate("no-rescale", scores)
    assert feedback.status == "wrong"
    assert feedback.mistakes == ((mistake,) if mistake else ())


@pytest.mark.parametrize(
    "scores", [[6, 5, 4, 3, 2, 1], [0, 3, 1, 2, 2, 1], np.array([1000, 998, 999, 999, 997, 998.0])]
)
def test_six_scores_that_do(scores):
    assert evaluate("no-rescale", scores).status == "right"


# --- the engine: results of another form, and rows beside the wrong one


def test_pairs_are_read_in_any_container():
    inputs = {"n_queries": 3, "n_keys": 5, "tile_queries": 2, "tile_keys": 2}
    marked = np.zeros((2, 3), dtype=bool)
    marked[0, 1] = marked[1, 2] = True
    for pairs in ([(0, 1), (1, 2)], {(1, 2), (0, 1)}, np.array([[1, 2], [0, 1]]), iter([[0, 1], (1.0, 2)])):
        assert np.array_equal(read_tiles(inputs, pairs), marked)
    assert not read_tiles(inputs, []).any()
    for nothing in (7, "01", {0: 1}, [7], [(0, 1, 2)], [(0, 3)], [(-1, 0)], [(0, 0), (0, 0)], marked):
        with pytest.raises(OtherFormError, match=r"^returned "):
            read_tiles(inputs, nothing)


def test_what_cannot_be_read_is_an_outcome_of_its_own():
    exercise = exercise_of("tiles")
    outcome = plain_outcome(lambda *sizes: [(9, 9)], exercise.probes[0])
    assert outcome.value is None
    assert not outcome.error
    assert outcome.returned.startswith("returned (9, 9), and there is no such tile")
    assert "what came back has another form" in evaluate("tiles", lambda *sizes: [(99, 99)]).text


def test_a_part_with_one_number_a_query_is_told_by_name():
    def shifted(*halves):
        output, log_sum_exp = ANSWERS["merge"](*halves)
        return output, log_sum_exp + 1

    assert "(2,). In log_sum_exp\n" in evaluate("merge", shifted).text


def test_rows_of_the_same_query_stand_beside_a_wrong_row():
    def wrong_in_query_1(*inputs):
        new_max, new_sum, mixed = ANSWERS["rescale"](*inputs)
        mixed[1] += 1
        return new_max, new_sum, mixed

    text = evaluate("rescale", wrong_in_query_1).text
    probe = exercise_of("rescale").probes[0]
    assert "In weighted_sum, for query 1" in text
    shown = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.startswith("    ")}
    for name in ("running_max", "running_sum", "weighted_sum", "scores"):
        assert [float(number) for number in shown[name]] == pytest.approx(probe.inputs[name][1], abs=0.006)


def test_a_right_answer_of_another_form_needs_no_note():
    feedback = evaluate("tiles", lambda *sizes: set(ANSWERS["tiles"](*sizes)))
    assert feedback.status == "right"
    assert "You returned" not in feedback.text


# --- arrays joined as if they were single truths: the check reads the line


def distances(n_queries, n_keys):
    """(n_queries, n_keys): how many places each key stands before each query."""
    return np.arange(n_keys - n_queries, n_keys)[:, None] - np.arange(n_keys)


def joined_by_and(n_queries, n_keys, window):
    d = distances(n_queries, n_keys)
    return (d >= 0) and (d < window)


def in_a_chain(n_queries, n_keys, window):
    d = distances(n_queries, n_keys)
    return 0 <= d < window


def without_brackets(n_queries, n_keys, window):
    d = distances(n_queries, n_keys)
    return d >= 0 & d < window


def turned_by_not(n_queries, n_keys, window):
    d = distances(n_queries, n_keys)
    return not d >= window


def asked_by_if(n_queries, n_keys, window):
    d = distances(n_queries, n_keys)
    if d.max() >= 0 and d < window:
        return d
    return None


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        (joined_by_and, "there are & and | and ~"),
        (in_a_chain, "there are & and | and ~"),
        (without_brackets, "with brackets round each comparison"),
        (turned_by_not, "there are & and | and ~"),
        (asked_by_if, "An `if` needs one True or False"),
    ],
)
def test_arrays_are_not_joined_as_single_truths(attempt, said):
    feedback = evaluate("window", attempt)
    assert not feedback.named
    text = " ".join(feedback.text.split())
    assert said in text
    assert ("An `if`" in text) == (attempt is asked_by_if)


# --- what a trial by somebody who had not seen the catalogue brought up


def costs_of(change: Any = lambda t, row: row, labels: Any = (1, 32, 128)) -> dict[Any, list[Any]]:
    """A change of a row -> the table as a learner fills it in."""
    right = {t: [320 * 128 * t, 320 * (t + 128), 128 * t / (t + 128)] for t in labels}
    return {t: list(change(t, row)) for t, row in right.items()}


def with_bytes(count: Any) -> dict[Any, list[Any]]:
    """t -> bytes; the last column follows from them."""
    return costs_of(lambda t, row: [row[0], count(t), row[0] / count(t)])


def test_counts_are_compared_exactly():
    counted = costs_of(lambda t, row: [row[0] + 128 * t, *row[1:]])
    assert evaluate("tile-cost", counted).mistakes == ("exponentials-counted",)
    no_output = evaluate("tile-cost", with_bytes(lambda t: 2 * (64 * t + 128 * 160)))
    assert no_output.mistakes == ("output-forgotten",)
    assert "tile_queries 1, bytes: not 41088" in no_output.text  # less than half a percent off
    as_floats = costs_of(lambda t, row: [float(row[0]), np.float64(row[1]), round(row[2], 3)])
    assert evaluate("tile-cost", as_floats).status == "right"


def test_a_fraction_is_a_number():
    fractions = costs_of(lambda t, row: [*row[:2], Fraction(row[0], row[1])])
    assert evaluate("tile-cost", fractions).status == "right"
    turned = costs_of(lambda t, row: [*row[:2], Fraction(row[1], row[0])])
    assert evaluate("tile-cost", turned).mistakes == ("ratio-inverted",)


@pytest.mark.parametrize(
    ("table", "mistakes"),
    [
        (costs_of(lambda t, row: costs_of()[{1: 128, 128: 1}.get(t, t)]), ("rows-turned",)),
        (with_bytes(lambda t: 4 * 96 * (t + 128)), ("d-v-for-all",)),
        (with_bytes(lambda t: 2 * (2 * 64 * t + 128 * 160)), ("output-by-d-k",)),
        (with_bytes(lambda t: 2 * (2 * 96 * t + 128 * 160)), ("queries-by-d-v",)),
        (with_bytes(lambda t: 2 * 2 * t * 160), ("square-tile",)),
        (with_bytes(lambda t: 2 * t * 128), ("scores-only-moved",)),
        (costs_of(lambda t, row: [4 * t * 128 * 96, *row[1:]]), ("d-v-twice",)),
        (costs_of(lambda t, row: [t * 128 * 127 + t * 96 * 255, *row[1:]]), ("additions-exact",)),
        (costs_of(lambda t, row: [row[0] / 1e6, *row[1:]]), ("millions",)),
        (costs_of(lambda t, row: [*row[:2], row[0] // row[1]]), ("whole-numbers",)),
    ],
)
def test_a_wrong_column_is_named(table, mistakes):
    assert evaluate("tile-cost", table).mistakes == mistakes


def test_a_column_that_follows_is_not_called_copied():
    """With keys read for each query the ratio is the same in every row, and that of the first row is "
    "right."""
    said = evaluate("tile-cost", with_bytes(lambda t: 2 * t * 129 * 160))
    assert said.mistakes == ("keys-for-each-query",)
    assert "stands in the other rows" not in said.text
    assert 'Your "operations per byte" follows from your "bytes"' in said.text


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({str(t): row for t, row in costs_of().items()}, 'one of yours is named the text "1"'),
        (costs_of(labels=(1, 32, 64, 128)), "one of yours is named 64"),
        (costs_of(labels=(1, 32)), "the row of tile_queries 128 is missing"),
        ({1: costs_of()[1], 32: [None] * 3, 128: [None] * 3}, "3 cells right, 6 still to fill"),
        ({1: [40960, None, None], 32: [None] * 3, 128: [None] * 3}, "1 cell right, 8 still to fill"),
    ],
)
def test_the_form_of_a_table_is_told(table, said):
    assert said in evaluate("tile-cost", table).text


@pytest.mark.parametrize("more", [1e-3, 1e-6, 1e-9, 1e-15])
def test_a_largest_score_in_the_middle_is_wrong_by_however_little(more):
    said = evaluate("no-rescale", [1, 1, 1 + more, 1, -3, -3])
    assert said.mistakes == ("largest-in-the-middle",)
    assert "stands in tile 1 (counted from 0), if only by a little" in " ".join(said.text.split())


def test_what_is_said_of_scores_that_lie_too_close():
    said = evaluate("no-rescale", [5, 5, 5, 5, 0, -50]).text
    assert "the largest error is 0.0496, and 0.05 or more is asked for" in said
    assert evaluate("no-rescale", [5, 5, 0, 0, -5, -50]).status == "right"  # as advised
    assert "is a little less than 0.05, and" in evaluate("no-rescale", [5, 5, 5, 5, -20, -60]).text
    assert "the largest error is 0, and" in evaluate("no-rescale", [3, 1, 3, 1, 3, 1]).text


@pytest.mark.parametrize("scores", [[2, -math.inf, 1, 0, 0, 0], [math.nan, 0, 0, 0, 0, 0]])
def test_six_scores_are_finite(scores):
    assert "should be finite" in evaluate("no-rescale", scores).text


@pytest.mark.parametrize(
    ("name", "unseen"),
    [
        ("online-bug", "whether the maximum and the sum are still found in one pass"),
        ("tile-bug", "whether the keys are still read a tile at a time"),
        ("cache-mask", "whether the queries are still answered a chunk at a time"),
    ],
)
def test_what_the_check_cannot_see_is_said(name, unseen):
    said = " ".join(evaluate(name, written(name, RIGHT[name][0])).text.split())
    assert f"What this check cannot see: {unseen}" in said


def test_both_halves_of_a_query_stand_beside_its_output():
    def wrong_in_query_1(*halves):
        output, log_sum_exp = ANSWERS["merge"](*halves)
        output[1] += 1
        return output, log_sum_exp

    shown = {
        line.split()[0]: line.split()[1:]
        for line in evaluate("merge", wrong_in_query_1).text.splitlines()
        if line.startswith("    ")
    }
    inputs = exercise_of("merge").probes[0].inputs
    for name, value in inputs.items():
        assert [float(number) for number in shown[name]] == pytest.approx(np.ravel(value[1]), abs=0.006)
    logarithm = evaluate("merge", lambda *halves: (ANSWERS["merge"](*halves)[0], halves[1])).text
    assert "output_a  " not in logarithm  # all queries stand in one row: a table would not fit
    assert [len(line.split()) for line in logarithm.splitlines() if line.startswith("    log")] == [3, 3]


def test_the_query_of_the_property_is_the_one_that_is_shown():
    text = evaluate("tile-bug", written("tile-bug", "return 0.5 * attention(queries, keys, values)[0]")).text
    assert "For query 0" in text
    assert "With values of 1 your query 0 gets 0.50" in " ".join(text.split())


@pytest.mark.parametrize(
    ("name", "body", "gives_away"),
    [
        ("grouped", shared("h // kv"), "n_heads // n_kv_heads"),
        ("grouped", shared("h % g"), "n_heads // n_kv_heads"),
        ("grouped", shared("0"), "n_heads // n_kv_heads"),
        ("online-bug", online(f"s = s * np.exp(new - m) + np.exp(t - new){SUM}"), "np.exp(old"),
        ("cache-mask", prefill("np.tri(len(new), n, start, dtype=bool)"), "len(new_queries)"),
    ],
)
def test_a_mistake_is_explained_and_the_answer_is_not_given_away(name, body, gives_away):
    assert gives_away not in evaluate(name, written(name, body)).text


def test_names_in_a_list_have_commas():
    def in_place(running_max, running_sum, weighted_sum, scores, values):
        results = ANSWERS["rescale"](running_max, running_sum, weighted_sum, scores, values)
        for array in (running_max, running_sum, weighted_sum):
            array += 1
        return results

    said = " ".join(evaluate("rescale", in_place).text.split())
    assert "running_max, running_sum and weighted_sum no longer hold" in said


# --- the rules of the house


@pytest.mark.parametrize("name", FUNCTIONS)
def test_probes_have_different_sizes(name):
    for probe in exercise_of(name).probes:
        for value in probe.inputs.values():
            if isinstance(value, np.ndarray):
                assert len(set(value.shape)) == value.ndim, (probe.kind, value.shape)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_right_answer_of_a_probe_is_nan(name):
    exercise = exercise_of(name)
    for probe in exercise.probes:
        value = plain_outcome(exercise.right, probe).value
        assert value is not None
        assert not np.isnan(value).any()


@pytest.mark.parametrize(
    "exercise", [e for e in of_lesson("12") if isinstance(e, Mend)], ids=lambda e: e.name
)
def test_a_given_function_starts_from_its_symptom(exercise):
    feedback = evaluate(exercise.name, GIVEN[exercise.name])
    assert feedback.status == "not attempted"
    assert feedback.named == ((exercise.given,),)


def test_the_bug_of_the_online_softmax_does_not_show_where_rows_fall():
    exercise = exercise_of("online-bug")
    shown = {
        probe.kind: exercise.accepts(
            plain_outcome(GIVEN["online-bug"], probe), plain_outcome(exercise.right, probe), probe
        )
        for probe in exercise.probes
    }
    assert shown["scores that fall"]
    assert not shown["scores that rise"]


def test_a_probe_of_the_cache_has_more_keys_than_queries():
    for probe in exercise_of("cache-mask").probes:
        assert len(probe.inputs["queries"]) < len(probe.inputs["keys"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_answer_comes_well_under_a_second(name):
    exercise = exercise_of(name)
    attempts = [exercise.right, lambda *inputs: 1.0, lambda *inputs: None, lambda *inputs: inputs[0]]
    for attempt in attempts:
        start = time.process_time()
        evaluate(name, attempt)
        assert time.process_time() - start < 1


def test_the_lesson_loads_no_torch():
    code = "import sys; from helpers.exercises.catalogue import of_lesson; of_lesson('12'); "
    code += "print('torch' in sys.modules)"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"


def test_every_probe_has_the_form_of_the_first():
    for name in FUNCTIONS:
        exercise = exercise_of(name)
        assert {probe.form == exercise.form for probe in exercise.probes} == {True}
        assert isinstance(exercise.probes[0], Probe)

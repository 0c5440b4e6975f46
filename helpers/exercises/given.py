"""The functions that find-the-bug exercises hand out, as they stand in the notebooks (a test compares them).

The check looks at the learner's code for one thing only: has the function been edited at all? An edit that
changes no result is an attempt, and is answered as one.
"""

import bisect
import dis
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.sandbox import code_of
from helpers.multi_head import split_heads
from helpers.scaling import scale_scores
from helpers.similarity import cosine_scores, dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array


def my_cosine(query: Array, key: Array) -> Array:
    """(d_k,), (d_k,) -> one number, wrong: both lengths are squared."""
    query_length = np.sum(query**2)
    key_length = np.sum(key**2)
    return query @ key / (query_length * key_length)


def my_neighbours(word: int, vectors: Array, how_many: int) -> Array:
    """A row number, (n_words, d), a count -> (how_many,) row numbers, wrong: the word itself comes too."""
    scores = cosine_scores(vectors[[word]], vectors)[0]
    best_first = np.argsort(-scores)
    return best_first[:how_many]


def my_scaling(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), wrong: scaled by √n_keys."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return scores / np.sqrt(scores.shape[-1])


def my_weights(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), wrong: scaled after softmax."""
    scores = dot_product_scores(queries, keys)
    weights = softmax(scores)
    return weights / np.sqrt(queries.shape[-1])


def my_safe_softmax(scores: Array) -> Array:
    """(..., n_queries, n_keys) -> the same shape, wrong: the largest score of all is taken from each row."""
    shifted = scores - scores.max()
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_batch_softmax(scores: Array) -> Array:
    """(..., n_queries, n_keys) -> the same shape, wrong: axis 1 holds the keys of one sentence only."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def my_lookup(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output, wrong: values are matched."""
    scores = queries @ np.swapaxes(values, -1, -2)
    weights = softmax(scale_scores(scores, queries.shape[-1]))
    return weights @ keys


def my_wide_attention(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output, wrong: scaled by √d_v."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    weights = softmax(scores / np.sqrt(values.shape[-1]))
    return weights @ values


def my_merge_heads(heads: Array) -> Array:
    """(..., n_heads, n, d_head) -> (..., n, n_heads·d_head), wrong: reshaped without the swap."""
    *stack, n_heads, n, d_head = heads.shape
    return heads.reshape(*stack, n, n_heads * d_head)


def my_head_scores(queries: Array, keys: Array, n_heads: int) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_model), n_heads -> scores, wrong: scaled by √d_model."""
    queries_of_heads = split_heads(queries, n_heads)
    keys_of_heads = split_heads(keys, n_heads)
    scores = queries_of_heads @ np.swapaxes(keys_of_heads, -1, -2)
    return scores / np.sqrt(queries.shape[-1])


def my_masked_weights(scores: Array, mask: Array) -> Array:
    """(..., n_queries, n_keys), a mask -> weights, wrong: 0 is multiplied by −∞, and every weight is nan."""
    masked = scores + (1 - mask) * -np.inf
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_causal_weights(queries: Array, keys: Array) -> Array:
    """(..., n, d_k), (..., n, d_k) -> weights (..., n, n), wrong: each query sees the next token, too."""
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    allowed = np.tri(scores.shape[-1], k=1, dtype=bool)
    return softmax(np.where(allowed, scores, -np.inf))


def my_reader(x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_context), matrices -> output, wrong: values come from x."""
    queries = x @ w_q
    keys = context @ w_k
    values = x @ w_v
    output, _ = attention(queries, keys, values)
    return output


def my_decoder_reader(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output, wrong: a causal mask."""
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


def my_online_softmax(scores: Array, tile: int) -> Array:
    """(n_queries, n_keys), tile -> the same shape, wrong: what was summed before is not rescaled."""
    running_max, running_sum = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        tile_of_scores = scores[:, start : start + tile]
        new_max = np.maximum(running_max, tile_of_scores.max(axis=-1, keepdims=True))
        running_sum = running_sum + np.exp(tile_of_scores - new_max).sum(axis=-1, keepdims=True)
        running_max = new_max
    return np.exp(scores - running_max) / running_sum


def my_blocked_attention(queries: Array, keys: Array, values: Array, tile: int) -> Any:
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v), tile -> output, wrong: divided in the loop as well."""
    running_max, running_sum, weighted_sum = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        tile_of_keys, tile_of_values = keys[start : start + tile], values[start : start + tile]
        scores = queries @ tile_of_keys.T / np.sqrt(queries.shape[1])
        new_max = np.maximum(running_max, scores.max(axis=-1, keepdims=True))
        rescale, exponentials = np.exp(running_max - new_max), np.exp(scores - new_max)
        running_sum = rescale * running_sum + exponentials.sum(axis=-1, keepdims=True)
        weighted_sum = rescale * weighted_sum + exponentials @ tile_of_values / running_sum
        running_max = new_max
    return weighted_sum / running_sum


def my_prefill(queries: Array, keys: Array, values: Array, chunk: int) -> Array:
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v), chunk -> output, wrong: masks begin upper left."""
    outputs, n_cached = [], len(keys) - len(queries)
    for start in range(0, len(queries), chunk):
        new_queries = queries[start : start + chunk]
        n_cached += len(new_queries)
        mask = np.tri(len(new_queries), n_cached, dtype=bool)
        output, _ = attention(new_queries, keys[:n_cached], values[:n_cached], mask)
        outputs.append(output)
    return np.concatenate(outputs)


def my_grouped_attention(queries: Array, keys: Array, values: Array) -> Array:
    """(n_heads, n_queries, d_k), (n_kv_heads, n_keys, d_k) and d_v -> output, wrong: heads share in turns."""
    n_heads, n_kv_heads = len(queries), len(keys)
    outputs = []
    for head in range(n_heads):
        shared = head % n_kv_heads
        output, _ = attention(queries[head], keys[shared], values[shared])
        outputs.append(output)
    return np.stack(outputs)


GIVEN: dict[str, Callable[..., Any]] = {
    "cosine-bug": my_cosine,
    "neighbours-bug": my_neighbours,
    "scale-bug": my_scaling,
    "order-bug": my_weights,
    "overflow-bug": my_safe_softmax,
    "axis-bug": my_batch_softmax,
    "merge-bug": my_merge_heads,
    "head-scale-bug": my_head_scores,
    "roles-bug": my_lookup,
    "width-bug": my_wide_attention,
    "infinity-bug": my_masked_weights,
    "future-bug": my_causal_weights,
    "context-bug": my_reader,
    "causal-bug": my_decoder_reader,
    "online-bug": my_online_softmax,
    "tile-bug": my_blocked_attention,
    "cache-mask": my_prefill,
    "grouped": my_grouped_attention,
}


# A call such as np.exp(x) is compiled otherwise where the same cell or file imports np.
ALIKE = {"LOAD_METHOD": "LOAD_ATTR", "CALL_METHOD": "CALL"}
JUMPS = {*dis.hasjrel, *dis.hasjabs}
NO_STEP = {"NOP", "EXTENDED_ARG", "CACHE", "PUSH_NULL", "PRECALL"}


def edited(name: str, function: object) -> bool:
    """An exercise's name, the learner's function -> True unless its steps are those of the given function.

    Comments, spaces and the docstring do not count.
    """
    code, given = code_of(function), code_of(GIVEN.get(name))
    return code is None or given is None or _steps(code) != _steps(given)


def _steps(code: types.CodeType) -> list[tuple[str, Any]]:
    kept = [step for step in dis.get_instructions(code) if step.opname not in NO_STEP]
    places = [step.offset for step in kept]
    steps = []
    for step in kept:
        argument = _steps(step.argval) if isinstance(step.argval, types.CodeType) else step.argval
        if step.opcode in JUMPS:  # to a byte, which moves with what is no step: count the steps instead
            argument = bisect.bisect_left(places, step.argval)
        steps.append((ALIKE.get(step.opname, step.opname), argument))
    return steps

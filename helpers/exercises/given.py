"""The functions that find-the-bug exercises hand out, as they stand in the notebooks (a test compares them).

The check looks at the learner's code for one thing only: has the function been edited at all? An edit that
changes no result is an attempt, and is answered as one.
"""

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
}


# A call such as np.exp(x) is compiled otherwise where the same cell or file imports np.
ALIKE = {"LOAD_METHOD": "LOAD_ATTR", "CALL_METHOD": "CALL"}
NO_STEP = {"NOP", "EXTENDED_ARG", "CACHE", "PUSH_NULL", "PRECALL"}


def edited(name: str, function: object) -> bool:
    """An exercise's name, the learner's function -> True unless its steps are those of the given function.

    Comments, spaces and the docstring do not count.
    """
    code, given = code_of(function), code_of(GIVEN.get(name))
    return code is None or given is None or _steps(code) != _steps(given)


def _steps(code: types.CodeType) -> list[tuple[str, Any]]:
    steps = []
    for step in dis.get_instructions(code):
        inner = isinstance(step.argval, types.CodeType)
        steps.append((ALIKE.get(step.opname, step.opname), _steps(step.argval) if inner else step.argval))
    return [step for step in steps if step[0] not in NO_STEP]

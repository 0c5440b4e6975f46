"""The functions that find-the-bug exercises hand out, as they stand in the notebooks (a test compares them).

The check looks at the learner's code for one thing only: has the function been edited at all? An edit that
changes no result is an attempt, and is answered as one.
"""

import dis
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.sandbox import code_of
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


GIVEN: dict[str, Callable[..., Any]] = {
    "cosine-bug": my_cosine,
    "neighbours-bug": my_neighbours,
    "scale-bug": my_scaling,
    "order-bug": my_weights,
    "overflow-bug": my_safe_softmax,
    "axis-bug": my_batch_softmax,
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

"""The answers that `solution` prints: short functions, named like the learner's, that run in the notebook.

The helpers hold the same mathematics, guarded against wrong inputs. An answer never differs from its helper:
the tests hand each of these, as printed, to its check, which compares it with the helper on every probe.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.given import GIVEN
from helpers.scaling import scale_scores
from helpers.similarity import cosine_scores, dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array


def my_total(numbers: Array) -> Any:
    """(n,) -> one number: the sum of the numbers."""
    total = 0
    for number in numbers:
        total = total + number
    return total


def my_dot(query: Array, key: Array) -> Any:
    """(d_k,), (d_k,) -> one number: the dot product."""
    return query @ key


def my_scores(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys)."""
    return queries @ np.swapaxes(keys, -1, -2)


def my_cosine(query: Array, key: Array) -> Any:
    """(d_k,), (d_k,) -> one number: the cosine of the angle between the two."""
    query_length = np.sqrt(np.sum(query**2))
    key_length = np.sqrt(np.sum(key**2))
    return query @ key / (query_length * key_length)


def my_neighbours(word: int, vectors: Array, how_many: int) -> Array:
    """A row number, (n_words, d), a count -> (how_many,) row numbers, the most alike first."""
    scores = cosine_scores(vectors[[word]], vectors)[0]
    best_first = np.argsort(-scores)
    best_first = best_first[best_first != word]
    return best_first[:how_many]


def my_scaled_scores(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), of spread about 1."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return scores / np.sqrt(queries.shape[-1])


def my_scaling(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), of spread about 1."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return scores / np.sqrt(queries.shape[-1])


def my_weights(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> weights (..., n_queries, n_keys)."""
    scores = dot_product_scores(queries, keys)
    scaled = scale_scores(scores, queries.shape[-1])
    return softmax(scaled)


def my_unit_spread(scores: Array, d_k: int, sigma: float) -> Array:
    """(n_queries, n_keys), d_k, sigma -> (n_queries, n_keys), of spread 1."""
    return scores / (sigma**2 * np.sqrt(d_k))


def my_softmax(scores: Array) -> Array:
    """(..., n_queries, n_keys) -> weights of the same shape; each row sums to 1."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_safe_softmax(scores: Array) -> Array:
    """(..., n_queries, n_keys) -> weights of the same shape; each row sums to 1."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_temperature(scores: Array, temperature: float) -> Array:
    """(..., n_queries, n_keys), a number above 0 -> weights of the same shape; each row sums to 1."""
    return softmax(scores / temperature)


def my_batch_softmax(scores: Array) -> Array:
    """(..., n_queries, n_keys) -> weights of the same shape; each row sums to 1."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_column_softmax(scores: Array) -> Array:
    """(..., n_keys, n_queries) -> weights of the same shape; each column sums to 1."""
    return softmax(scores, axis=-2)


def my_log_softmax(scores: Array) -> Array:
    """(..., n_queries, n_keys) -> the natural logarithms of the softmax weights, same shape."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    totals = np.exp(shifted).sum(axis=-1, keepdims=True)
    return shifted - np.log(totals)


def my_jacobian(weights: Array) -> Array:
    """(n_keys,) -> (n_keys, n_keys): entry (i, j) is ∂ weight i / ∂ score j."""
    return np.diag(weights) - np.outer(weights, weights)


ANSWERS: dict[str, Callable[..., Any]] = {
    "total": my_total,
    "dot-product": my_dot,
    "all-scores": my_scores,
    "cosine-bug": my_cosine,
    "neighbours-bug": my_neighbours,
    "scaled-scores": my_scaled_scores,
    "scale-bug": my_scaling,
    "order-bug": my_weights,
    "unit-spread": my_unit_spread,
    "softmax": my_softmax,
    "overflow-bug": my_safe_softmax,
    "temperature": my_temperature,
    "axis-bug": my_batch_softmax,
    "column-softmax": my_column_softmax,
    "log-softmax": my_log_softmax,
    "jacobian": my_jacobian,
}


def printed(name: str) -> str:
    """An exercise's name -> its answer's source, without types; mended lines are marked."""
    given = GIVEN.get(name)
    before = [] if given is None else _untyped(given)
    lines = _untyped(ANSWERS[name])
    marked = [
        f"{line}  # mended" if before and line not in before and not line.lstrip().startswith('"""') else line
        for line in lines
    ]
    return "\n".join(marked)


def _untyped(function: Callable[..., Any]) -> list[str]:
    source = textwrap.dedent(inspect.getsource(function))
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.FunctionDef)
    head = f"def {function.__name__}({', '.join(inspect.signature(function).parameters)}):"
    return [head, *source.splitlines()[definition.body[0].lineno - 1 :]]


def helper_with_the_same_answer(right: Callable[..., Any]) -> str:
    """The right function -> "`softmax` in helpers/softmax.py", or "" where no helper holds it."""
    module = right.__module__
    if not module.startswith("helpers.") or module.startswith("helpers.exercises"):
        return ""
    return f"`{right.__name__}` in {module.replace('.', '/')}.py"

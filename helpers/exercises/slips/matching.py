"""Mistakes in matching queries with keys: transposes, operands, rows, stacks. And what all lessons use."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers, sequences
from helpers.exercises.kinds.predict import Slip
from helpers.similarity import cosine_scores, dot_product_scores
from helpers.validation import Array

TWO = "01: Two vectors"
PAIRS = "01: All pairs at once"
LENGTH = "01: When does length matter?"
Step = Callable[..., Any]


def same(result: Array, *_inputs: Array) -> Array:
    """Nothing is done at this step."""
    return result


def rounded_to(digits: int) -> Step:
    """A last step that rounds to so many digits."""
    return lambda result, *_inputs: np.round(result, digits)


def match_mistakes(d_k: str = "") -> tuple[Mistake, ...]:
    """The wrong ways to match queries with keys, for every exercise that starts from both.

    `d_k` is said, too, where code for one sentence fails on a stack and may have read d_k there as well.
    """
    return (
        Mistake(
            "swapped",
            "queries and keys changed places",
            "Rows belong to queries and columns to keys: the queries stand on the left of the product.",
            PAIRS,
            match=lambda queries, keys: keys @ np.swapaxes(queries, -1, -2),
        ),
        Mistake(
            "all-axes-reversed",
            "all axes were turned round, that of the sentences as well",
            "On a stack, `.T` and np.transpose reverse every axis. Only the last two should change places."
            + d_k,
            PAIRS,
            also=[{"match": lambda queries, keys: np.dot(queries, keys.T)}],
            match=lambda queries, keys: queries @ keys.T,
        ),
        Mistake(
            "one-matrix-only",
            "the code is written for one matrix and does not take a stack",
            "Leading axes (sentences, heads) should pass through. On a stack, `for query in queries` walks "
            "over sentences, not queries: use @ there. Axes are counted from the end, −1 and −2; in "
            "np.einsum, `...` stands for all the others.",
            PAIRS,
            also=[
                {"match": _by_loops(lambda query, key: query @ key)},
                {"match": _by_loops(np.dot)},
                {"match": _by_loops(lambda query, key: sum(query * key))},
                {"match": _by_loops(lambda query, key: np.sum(query * key))},
            ],
            match=lambda queries, keys: np.einsum("ik,jk->ij", queries, keys),
        ),
        Mistake(
            "three-axes-only",
            "the code is written for exactly three axes",
            "Count axes from the end, −1 and −2, and any number of leading axes passes through. In "
            "np.einsum, `...` stands for them, in place of a letter.",
            PAIRS,
            also=[
                {"match": lambda queries, keys: np.einsum("bik,bjk->bij", queries, keys)},
                {"match": lambda queries, keys: queries @ np.swapaxes(keys, 1, 2)},
            ],
            match=lambda queries, keys: queries @ keys.transpose(0, 2, 1),
        ),
        Mistake(
            "stacks-crossed",
            "every sentence was scored against every other sentence",
            "np.dot, np.inner and np.tensordot pair all the leading axes with one another; @ keeps each "
            "sentence to itself.",
            PAIRS,
            also=[{"match": lambda queries, keys: np.tensordot(queries, keys, axes=(-1, -1))}],
            match=lambda queries, keys: np.dot(queries, np.swapaxes(keys, -1, -2)),
        ),
        Mistake(
            "queries-twice",
            "the queries were matched with themselves",
            "Each query asks the keys: both arrays have to take part.",
            PAIRS,
            match=lambda queries, keys: queries @ np.swapaxes(queries, -1, -2),
        ),
        Mistake(
            "keys-twice",
            "the keys were matched with themselves",
            "Each query asks the keys: both arrays have to take part.",
            PAIRS,
            match=lambda queries, keys: keys @ np.swapaxes(keys, -1, -2),
        ),
        Mistake(
            "cosine",
            "each score was divided by the lengths of both vectors",
            "That is the cosine. A score here is the plain dot product, lengths included.",
            LENGTH,
            match=cosine_scores,
        ),
        Mistake(
            "query-length",
            "each query was divided by its length first",
            "A score here is the plain dot product, lengths included.",
            LENGTH,
            match=lambda q, k: dot_product_scores(q / np.linalg.norm(q, axis=-1, keepdims=True), k),
        ),
        Mistake(
            "key-length",
            "each key was divided by its length first",
            "A score here is the plain dot product, lengths included.",
            LENGTH,
            match=lambda q, k: dot_product_scores(q, k / np.linalg.norm(k, axis=-1, keepdims=True)),
        ),
        Mistake(
            "not-transposed",
            "the keys were not transposed",
            "In `queries @ ...` each column should be one key, and keys holds its vectors as rows.",
            PAIRS,
            also=[{"match": np.dot}],
            match=lambda queries, keys: queries @ keys,
        ),
        Mistake(
            "transposed-to-the-old-order",
            "`transpose` was given the axes in the order which they have already, so that nothing moved",
            "In PyTorch keys.transpose(-2, -1) swaps two axes. NumPy's `transpose` takes the new order of "
            "all axes, and (-2, -1) is the old order, as (0, 1) is. Use np.swapaxes(keys, -1, -2).",
            PAIRS,
            also=[{"match": lambda queries, keys: np.dot(queries, keys.transpose(-2, -1))}],
            match=lambda queries, keys: queries @ keys.transpose(-2, -1),
        ),
        Mistake(
            "two-axes-transposed",
            "`transpose` was given two axes, which is enough for one sentence only",
            "In PyTorch keys.transpose(-1, -2) swaps two axes of any array. NumPy's `transpose` takes the "
            "new order of all axes, and a stack has more than two. Use np.swapaxes(keys, -1, -2).",
            PAIRS,
            also=[{"match": lambda queries, keys: np.dot(queries, keys.transpose(-1, -2))}],
            match=lambda queries, keys: queries @ keys.transpose(-1, -2),
        ),
        Mistake(
            "reshaped",
            "the keys were reshaped, not transposed",
            "`reshape` keeps the numbers in their order and only cuts the rows elsewhere, so that vectors "
            "are torn apart. np.swapaxes(keys, -1, -2) turns rows into columns.",
            PAIRS,
            also=[{"match": lambda queries, keys: queries @ keys.reshape(keys.shape[1], keys.shape[0])}],
            match=lambda q, k: q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]),
        ),
        Mistake(
            "entry-by-entry",
            "queries and keys were combined entry by entry, without pairing each query with each key",
            "Every query meets every key: n_queries × n_keys dot products.",
            PAIRS,
            also=[{"match": lambda queries, keys: np.sum(queries * keys, axis=-1)}],
            match=lambda queries, keys: queries * keys,
        ),
        Mistake(
            "entries-matched",
            "entries were matched with entries, not words with words",
            "The sum runs over the d_k entries of two words. Transpose the keys, not the queries.",
            PAIRS,
            match=lambda queries, keys: np.swapaxes(queries, -1, -2) @ keys,
        ),
        Mistake(
            "distance",
            "squared distances were computed",
            "A distance is small for vectors that are alike; a score should be large. Use the dot product.",
            TWO,
            match=lambda q, k: ((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(axis=-1),
        ),
        Mistake(
            "first-key-only",
            "only the first key was scored",
            "Each query meets every key; each row should be n_keys long.",
            PAIRS,
            match=lambda queries, keys: dot_product_scores(queries, keys[..., :1, :]),
        ),
    )


def _by_loops(score: Step) -> Step:
    def match(queries: Array, keys: Array) -> Array:
        return np.array([[score(query, key) for key in keys] for query in queries])

    return match


def pair_probes() -> tuple[Probe, ...]:
    """Queries and keys by which the ways of matching and of scaling can be told apart."""
    small = {
        "queries": np.array([[1.0, 0.0, 2.0, 1.0], [0.5, 3.0, 1.0, -1.0]]),
        "keys": np.array([[2.0, 1.0, 3.0, 0.0], [0.0, 1.0, 1.0, 2.0], [1.0, -1.0, 0.0, 4.0]]),
    }
    other = {"queries": numbers(2, 4, start=300), "keys": numbers(3, 4, start=400)}
    whole = {
        "queries": np.array([[1, 0, 2, 1, 3], [0, 3, 1, -1, 2]]),
        "keys": np.array([[2, 1, 3, 0, 1], [0, 1, 1, 2, -2], [1, -1, 0, 4, 1], [5, 1, 1, 0, 2]]),
    }
    return (
        Probe("one sentence, d_k 4", small),
        Probe("another sentence, d_k 4", other),
        Probe("whole numbers, d_k 5", whole),
        Probe("one sentence, d_k 3", sequences(d_k=3)),
        Probe("float32, d_k 9", sequences(d_k=9, dtype=np.float32)),
        Probe("a batch of 2 sentences", sequences(2, d_k=4)),
        Probe("a batch of 2 sentences with 3 heads", sequences(2, 3, d_k=4)),
    )


def whole_numbers_kept(result: Array, queries: Array, *_others: Any) -> Array:
    """Results written into an array of the input's dtype: whole numbers lose what stands after the point."""
    return result.astype(np.asarray(queries).dtype)


def slips(*examples: tuple[str, Sequence[Any]]) -> tuple[Slip, ...]:
    """Example answers of an open exercise, each with the mistake that it should be named after."""
    return tuple(Slip(name, answer, "") for name, answer in examples)

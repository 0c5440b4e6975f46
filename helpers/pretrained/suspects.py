"""Broken parts of a language model, for "Which bug wrote this?": mistakes that learners make.

`SUSPECTS` has them by letter, in an order that says nothing. A part takes and gives what the right one does.

They are those that text, loss and maps can tell apart. Others write as broken a text with maps as flat, and
nothing that says which. On the text of lesson 15, in one pass and through the cache:

    heads split by a bare reshape   loss 9.97 and 11.43, entropy 2.25, at most 0.13 on the one before
    heads merged by one             10.42 and 7.18 (a lone token comes out right), 2.72, 0.44
    columns dealt out to the heads  11.44 and 11.44, 2.49, 0.18
    W_Q with rows for columns       8.72 and 8.72, 2.85, 0.10: it writes commas and dashes, as B does

The lesson shows the first of these beside the words of the checker, which does know it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from helpers.masking import mask_scores
from helpers.positions import rotate
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array


def never_scaled(queries: Array, keys: Array, values: Array, mask: Array) -> Array:
    """(..., n_queries, d), (..., n_keys, d), values, mask -> output, of scores that were never scaled."""
    return softmax(mask_scores(dot_product_scores(queries, keys), mask)) @ values


def divided_by_d_k(queries: Array, keys: Array, values: Array, mask: Array) -> Array:
    """(..., n_queries, d), (..., n_keys, d), values, mask -> output, of scores over d_k, not its root."""
    d_k = queries.shape[-1]
    return softmax(mask_scores(dot_product_scores(queries, keys) / d_k, mask)) @ values


def nothing_hidden(queries: Array, keys: Array, values: Array, mask: Array) -> Array:
    """(..., n_queries, d), (..., n_keys, d), values, mask -> output, as if the mask were not there."""
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) @ values


def over_queries(queries: Array, keys: Array, values: Array, mask: Array) -> Array:
    """(..., n_queries, d), (..., n_keys, d), values, mask -> output, with softmax down the columns."""
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(mask_scores(scores, mask), axis=-2) @ values


def upper_left(n_queries: int, n_keys: int) -> Array:
    """n_queries, n_keys -> (n_queries, n_keys): as if the queries were the first tokens, not the last."""
    return np.tri(n_queries, n_keys, dtype=bool)


def counted_from_0(n_new: int, n_before: int) -> Array:
    """n_new, n_before -> (n_new,): places counted from the start of the chunk, not of the text."""
    return np.arange(n_new)


def one_place_late(n_new: int, n_before: int) -> Array:
    """n_new, n_before -> (n_new,): one place too far for all that comes after the first chunk."""
    return n_before + np.arange(n_new) + (n_before > 0)


def other_layout(x: Array, positions: Array, base: float, layout: str) -> Array:
    """(..., n, d_head) -> the same shape, turned in the other layout than the weights were trained with."""
    return rotate(x, positions, base, {"pairs": "halves", "halves": "pairs"}[layout])


def taken_in_turn(heads: Array, n_heads: int) -> Array:
    """(n_kv_heads, n, d), n_heads -> (n_heads, n, d): heads of keys dealt out in turn, not in runs."""
    return np.tile(heads, (n_heads // len(heads), 1, 1))


def bare_reshape(x: Array, n_heads: int) -> Array:
    """(n, d_model), n_heads -> (n_heads, n, d_head): heads made of whole tokens, not of a share of each."""
    return x.reshape(n_heads, x.shape[-2], -1)


class Suspect(NamedTuple):
    """A broken model: which part is replaced by what, the exercise that knows the mistake, if any."""

    part: str
    broken: Callable[..., Any]
    exercise: str | None = None


SUSPECTS = {
    "A": Suspect("share", taken_in_turn),
    "B": Suspect("attention", divided_by_d_k, "masked-attention"),
    "C": Suspect("mask", upper_left, "causal-mask"),
    "D": Suspect("rotate", other_layout),
    "E": Suspect("attention", nothing_hidden, "masked-attention"),
    "F": Suspect("positions", counted_from_0),
    "G": Suspect("attention", never_scaled, "masked-attention"),
    "H": Suspect("attention", over_queries, "masked-attention"),
}
INVISIBLE = Suspect("positions", one_place_late)
NAMELESS = Suspect("split", bare_reshape, "split-heads")


def broken_parts(letter: str) -> dict[str, Any]:
    """A suspect's letter, or I for the invisible one -> its part by name.

    As in `generate(model, prompt, **broken_parts("A"))`.
    """
    suspect = INVISIBLE if letter == "I" else SUSPECTS[letter]
    return {suspect.part: suspect.broken}

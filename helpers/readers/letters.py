"""What if a text is longer than any that the model learned from? Six small models, one question (lesson 10).

Each reads a text letter by letter and guesses the next one. They differ in one thing only: how they are told
where a letter stands (their `kind`). Two layers of causal attention, with no MLP between them, so that all
that a letter learns of others comes through attention.

The numbers come from data/makers/make_letters.py, which trains them on texts of 64 letters.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from helpers.heads import merge_heads, split_heads
from helpers.masking import causal_mask
from helpers.multi_head import Projections
from helpers.positions import (
    alibi_bias,
    alibi_slopes,
    biased_attention,
    distances,
    learned,
    relative_bias,
    rotate,
    sinusoidal,
    t5_buckets,
)
from helpers.softmax import log_softmax
from helpers.validation import Array, Mask, as_mask, as_positions, require_broadcast

KINDS = ("nope", "learned", "sinusoidal", "t5", "alibi", "rope")
SYMBOLS = " abcdefghijklmnopqrstuvwxyz"
TINY = 1e-5  # keeps the division in root_mean_square away from 0


@dataclass(frozen=True, eq=False)
class LetterModel:
    """The learned numbers of one model, in float32.

    embeddings (27, d_model), a row for each of SYMBOLS; w_symbols (d_model, 27) turns the last rows into a
    score for each symbol. `table` is (trained_length, d_model) where the kind is "learned", a row for each
    position; (n_buckets, n_heads) where it is "t5"; otherwise None.
    """

    kind: str
    n_heads: int
    trained_length: int
    embeddings: Array
    layers: tuple[Projections, ...]
    w_symbols: Array
    table: Array | None = None

    def __repr__(self) -> str:
        """() -> the size of the model in words."""
        return f"<LetterModel: {self.kind}, {len(self.layers)} layers, d_model {self.embeddings.shape[1]}>"


def numbers_of(text: str) -> NDArray[np.int64]:
    """A text of n letters and spaces -> (n,): their numbers in SYMBOLS.

    Raises ValueError for any other symbol, or an empty text.
    """
    unknown = sorted(set(text) - set(SYMBOLS))
    if unknown or not text:
        raise ValueError(f"a text needs at least one symbol, a to z or a space; got {unknown or 'none'}")
    return np.array([SYMBOLS.index(symbol) for symbol in text])


def next_letter_scores(
    model: LetterModel, text: str, positions: ArrayLike | None = None, mask: ArrayLike | None = None
) -> Array:
    """A text of n symbols -> (n, 27): row i scores the symbol that follows symbol i.

    Positions (n,) count from 0 unless given; the mask (n, n) is causal unless given. Raises ValueError for a
    symbol that is not there, or for a position that a learned table has no row for; TypeError or ValueError
    where positions or mask do not fit the text.
    """
    numbers = numbers_of(text)
    positions = np.arange(len(numbers)) if positions is None else as_positions("positions", positions)
    require_broadcast("positions", positions, "the symbols of the text, (n,)", numbers.shape)
    mask = as_mask(causal_mask(len(numbers)) if mask is None else mask, (len(numbers), len(numbers)))
    x = model.embeddings[numbers] + _added_to_tokens(model, positions)
    bias = _added_to_scores(model, positions)
    for layer in model.layers:
        x = x + _attend(model, root_mean_square(x), layer, positions, bias, mask)
    return root_mean_square(x) @ model.w_symbols


def next_letter_losses(
    model: LetterModel, text: str, positions: ArrayLike | None = None, mask: ArrayLike | None = None
) -> Array:
    """A text of n + 1 symbols -> (n,): −log of what the model gave to each symbol that really came next.

    A model that gives each of the 27 symbols the same has a loss of log 27, about 3.3. Raises as
    next_letter_scores does, and ValueError for a text of a single symbol.
    """
    if len(text) < 2:
        raise ValueError(f"a text needs at least two symbols, one to read and one to guess; got {text!r}")
    logs = log_softmax(next_letter_scores(model, text[:-1], positions, mask))
    return -np.take_along_axis(logs, numbers_of(text[1:])[:, None], axis=-1)[:, 0]


def root_mean_square(x: Array) -> Array:
    """(..., d) -> (..., d): each row divided by the root of its mean square (RMSNorm, without a gain)."""
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + x.dtype.type(TINY))


def build_letter_model(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> LetterModel:
    """What data/makers/make_letters.py stored -> the model, its numbers in float32.

    An array's name is its place in the model: "0.w_q". Raises ValueError where one is missing.
    """

    def take(name: str) -> Array:
        if name not in arrays:
            raise ValueError(f"the model has no array {name!r}; it has {', '.join(sorted(arrays))}")
        return np.asarray(arrays[name]).astype(np.float32)

    def layer(i: int) -> Projections:
        return Projections(*(take(f"{i}.{name}") for name in ("w_q", "w_k", "w_v", "w_o")))

    return LetterModel(
        kind=settings["kind"],
        n_heads=settings["n_heads"],
        trained_length=settings["trained_length"],
        embeddings=take("embeddings"),
        layers=tuple(layer(i) for i in range(settings["n_layers"])),
        w_symbols=take("w_symbols"),
        table=take("table") if settings["kind"] in {"learned", "t5"} else None,
    )


def _added_to_tokens(model: LetterModel, positions: Array) -> Array:
    """A model, (n,) -> (n, d_model), or 0 where the kind adds nothing to tokens."""
    if model.kind == "sinusoidal":
        return sinusoidal(positions, model.embeddings.shape[1]).astype(np.float32)
    if model.kind == "learned" and model.table is not None:
        return learned(positions, model.table)
    return np.zeros((), np.float32)


def _added_to_scores(model: LetterModel, positions: Array) -> Array:
    """A model, (n,) -> (n_heads, n, n), or 0 where the kind adds nothing to scores."""
    apart = distances(positions, positions)
    if model.kind == "alibi":
        return alibi_bias(apart, alibi_slopes(model.n_heads))
    if model.kind == "t5" and model.table is not None:
        return relative_bias(t5_buckets(apart, len(model.table), model.trained_length), model.table)
    return np.zeros((), np.float32)


def _attend(
    model: LetterModel, rows: Array, layer: Projections, positions: Array, bias: Array, mask: Mask | None
) -> Array:
    """(n, d_model) -> (n, d_model): the rows read one another in heads."""
    queries, keys, values = (split_heads(rows @ np.asarray(w), model.n_heads) for w in layer[:3])
    if model.kind == "rope":
        queries, keys = rotate(queries, positions), rotate(keys, positions)
    output, _ = biased_attention(queries, keys, values, bias, mask)
    return merge_heads(output) @ np.asarray(layer.w_o)

"""MiniLM: a sentence in, a vector for each token after every layer, and the maps of all heads.

It reads in both directions: no mask. Layers as in Vaswani et al. 2017, section 3.1, with GELU, and a norm
after each part; Devlin et al. 2019, "BERT". The weights: Wang et al. 2020, "MiniLM", trained further for
sentences (all-MiniLM-L6-v2).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from helpers.attention import attention
from helpers.heads import merge_heads, split_heads
from helpers.pretrained.bytes import ModelFileError
from helpers.pretrained.layers import gelu, layer_norm
from helpers.pretrained.safetensors import read_safetensors
from helpers.pretrained.word_pieces import WordPieces
from helpers.validation import Array

N_HEADS, EPSILON = 12, 1e-12  # neither stands in the file
Q, K, V, OUT = "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"


class Reading(NamedTuple):
    """n tokens of a sentence, vectors (n_layers + 1, n, d), weights (n_layers, n_heads, n, n).

    vectors[0] are the tokens before any attention, vectors[k] those after layer k.
    """

    tokens: tuple[str, ...]
    vectors: Array
    weights: Array


class SentenceReader:
    """A model of BERT's kind: `reader(sentence)` reads it."""

    def __init__(self, weights: Path, vocabulary: Path) -> None:
        """A safetensors file, and the list of tokens. Raises ModelFileError where they do not fit."""
        self.answers: Any = None  # what was kept for lesson 15: see helpers.pretrained.remembered
        self._tensors = read_safetensors(weights)
        try:
            self.tokenizer = WordPieces(vocabulary.read_text(encoding="utf-8").splitlines())
        except (OSError, UnicodeDecodeError):
            raise ModelFileError(f"{vocabulary.name} cannot be read; expected a token a line") from None
        self.n_layers = sum(name.endswith(f"{Q}.weight") for name in self._tensors)
        table = self._tensor("embeddings.word_embeddings.weight")
        if not self.n_layers or table.ndim != 2 or len(table) != len(self.tokenizer.tokens):
            raise ModelFileError(
                f"{weights.name} and {vocabulary.name} do not fit: vectors {table.shape}, "
                f"{len(self.tokenizer.tokens):,} tokens"
            )

    def __call__(self, sentence: str, attention: Callable[..., Any] = attention) -> Reading:
        """A sentence -> its reading. `attention` gives output and weights, as the course's does."""
        numbers = self.tokenizer.encode(sentence)
        x = self._tensor("embeddings.word_embeddings.weight")[numbers]
        x = x + self._tensor("embeddings.position_embeddings.weight")[: len(numbers)]
        x = x + self._tensor("embeddings.token_type_embeddings.weight")[0]
        vectors, maps = [self._normed(x, "embeddings")], []
        for layer in range(self.n_layers):
            x, weights = self._layer(vectors[-1], f"encoder.layer.{layer}.", attention)
            vectors.append(x)
            maps.append(weights)
        tokens = tuple(self.tokenizer.tokens[number] for number in numbers)
        return Reading(tokens, np.stack(vectors), np.stack(maps))

    def _layer(self, x: Array, at: str, attention: Callable[..., Any]) -> tuple[Array, Array]:
        """(n, d) -> (n, d), weights (n_heads, n, n)."""
        queries, keys, values = (split_heads(self._linear(x, at + part), N_HEADS) for part in (Q, K, V))
        heads, weights = attention(queries, keys, values)
        x = self._normed(x + self._linear(merge_heads(heads), at + OUT), at + "attention.output")
        opened = gelu(self._linear(x, at + "intermediate.dense"))
        return self._normed(x + self._linear(opened, at + "output.dense"), at + "output"), weights

    def _linear(self, x: Array, name: str) -> Array:
        return x @ self._tensor(name + ".weight").T + self._tensor(name + ".bias")

    def _normed(self, x: Array, name: str) -> Array:
        weight, bias = (self._tensor(f"{name}.LayerNorm.{part}") for part in ("weight", "bias"))
        return layer_norm(x, weight, bias, EPSILON)

    def _tensor(self, name: str) -> Array:
        if name not in self._tensors:
            raise ModelFileError(f"the file is no whole model: it lacks {name!r}")
        return self._tensors[name]

"""helpers.pretrained.reader: a tiny model of BERT's kind beside PyTorch; files that do not fit."""

from pathlib import Path

import numpy as np
import pytest
import torch
from model_files import safetensors, written
from torch.nn.functional import gelu, layer_norm, linear

from helpers.pretrained.bytes import ModelFileError
from helpers.pretrained.reader import N_HEADS, SentenceReader

WORDS = ["[CLS]", "[SEP]", "[UNK]", "the", "animal", "was", "tired", "."]
D, HIDDEN, N_LAYERS = 2 * N_HEADS, 40, 2


def tensors() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(6)
    shapes = {
        "word_embeddings": (len(WORDS), D),
        "position_embeddings": (9, D),
        "token_type_embeddings": (2, D),
    }
    found = {f"embeddings.{name}.weight": rng.normal(size=shape) for name, shape in shapes.items()}
    parts = {
        "attention.self.query": (D, D),
        "attention.self.key": (D, D),
        "attention.self.value": (D, D),
        "attention.output.dense": (D, D),
        "intermediate.dense": (HIDDEN, D),
        "output.dense": (D, HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(N_LAYERS):
        at = f"encoder.layer.{layer}."
        for name, shape in parts.items():
            found[f"{at}{name}.weight"] = rng.normal(size=shape) / 3
            found[f"{at}{name}.bias"] = rng.normal(size=shape[0])
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
    for name in norms:
        found[f"{name}.weight"], found[f"{name}.bias"] = rng.uniform(0.5, 2, D), rng.normal(size=D)
    return {name: array.astype(np.float32) for name, array in found.items()}


def reader_in(folder: Path, content: dict[str, np.ndarray], words: list[str] = WORDS) -> SentenceReader:
    vocabulary = written(folder, "words.txt", "\n".join(words).encode())
    return SentenceReader(written(folder, "tiny.safetensors", safetensors(content)), vocabulary)


def test_it_reads_as_pytorch_does(tmp_path: Path) -> None:
    reading = reader_in(tmp_path, tensors())("The animal was tired.")
    assert reading.tokens == ("[CLS]", "the", "animal", "was", "tired", ".", "[SEP]")
    w = {name: torch.from_numpy(array) for name, array in tensors().items()}

    def dense(x: torch.Tensor, name: str) -> torch.Tensor:
        return linear(x, w[name + ".weight"], w[name + ".bias"])

    def normed(x: torch.Tensor, name: str) -> torch.Tensor:
        return layer_norm(x, (D,), w[name + ".LayerNorm.weight"], w[name + ".LayerNorm.bias"], 1e-12)

    numbers = [WORDS.index(token) for token in reading.tokens]
    tables = [w[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
    x = normed(tables[0][numbers] + tables[1][: len(numbers)] + tables[2][0], "embeddings")
    for layer in range(N_LAYERS):
        at = f"encoder.layer.{layer}."
        assert np.allclose(reading.vectors[layer], x, atol=1e-4)
        q, k, v = (
            dense(x, f"{at}attention.self.{name}").view(len(numbers), N_HEADS, -1).transpose(0, 1)
            for name in ("query", "key", "value")
        )
        weights = torch.softmax(q @ k.mT / (D / N_HEADS) ** 0.5, dim=-1)
        assert np.allclose(reading.weights[layer], weights, atol=1e-5)
        mixed = (weights @ v).transpose(0, 1).reshape(len(numbers), D)
        x = normed(x + dense(mixed, at + "attention.output.dense"), at + "attention.output")
        x = normed(x + dense(gelu(dense(x, at + "intermediate.dense")), at + "output.dense"), at + "output")
    assert np.allclose(reading.vectors[-1], x, atol=1e-4)


def test_files_that_do_not_fit_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"do not fit: vectors \(8, 24\), 7 tokens"):
        reader_in(tmp_path, tensors(), WORDS[1:])
    whole = tensors()
    del whole["encoder.layer.1.output.dense.bias"]
    with pytest.raises(ModelFileError, match=r"it lacks 'encoder\.layer\.1\.output\.dense\.bias'"):
        reader_in(tmp_path, whole)("the animal")
    with pytest.raises(ModelFileError, match="no whole model: it lacks 'embeddings"):
        reader_in(tmp_path, {"other": np.zeros((2, 2), np.float32)})
    written(tmp_path, "words.txt", b"\xff")
    with pytest.raises(ModelFileError, match=r"words\.txt cannot be read; expected a token a line"):
        SentenceReader(tmp_path / "tiny.safetensors", tmp_path / "words.txt")

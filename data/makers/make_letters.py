"""Train the models of lesson 10: letters.npz. Training needs torch; the lesson does not.

    python data/makers/make_letters.py

A text is made of words. Each text draws six common English words, for itself alone, and repeats them in any
order: " was letter was four letter …". To guess the next letter a model has to know the letters just before,
*in their order*, and to find the place where the same letters stood earlier in the text. So a longer text is
easier, for a model that still knows where things stand.

Six models are trained on texts of 64 letters, each from three starts: alike in all but the way in which they
learn of positions (helpers/readers/letters.py). Then they read texts of 512 letters, made of words that none
has learned from. Of each kind the file holds the middle one of the three by the loss in letters 32 to 63, in
float16, and the losses of all eighteen, by stretches of 32 letters.

One thread, a fixed number of steps, fixed seeds: about a minute for each of the eighteen. On another kind of
processor float32 sums are rounded differently, and the models are others of like quality.
"""

import argparse
import hashlib
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (torch's own habit)
from train_reader import pack

from helpers.datasets import load_word_vectors
from helpers.positions import alibi_slopes, distances, sinusoidal, speeds, t5_buckets
from helpers.readers.letters import (
    KINDS,
    SYMBOLS,
    TINY,
    LetterModel,
    build_letter_model,
    next_letter_losses,
    numbers_of,
)

TARGET = Path(__file__).resolve().parent.parent / "letters.npz"
D_MODEL, N_HEADS, N_LAYERS, N_BUCKETS = 64, 4, 2, 16
TRAINED_LENGTH, LONG, STRETCH = 64, 512, 32
WORDS_IN_A_TEXT = 6
STEPS, BATCH, PEAK_RATE = 1_500, 32, 3e-3
SEEDS = (0, 1, 2)
N_TEXTS, N_SHIPPED, TEST_SEED = 100, 8, 99

Parameters = dict[str, Tensor]


def split_words() -> tuple[list[str], list[str]]:
    """Words to learn from, and words held out: every tenth of the common ones of three to seven letters."""
    words = [word for word in load_word_vectors().words[:4_000] if 3 <= len(word) <= 7]
    return [word for i, word in enumerate(words) if i % 10], words[::10]


def make_text(words: list[str], rng: np.random.Generator, length: int) -> str:
    """A text of `length` symbols: a space, then words drawn again and again from six, a space after each."""
    own = rng.choice(words, WORDS_IN_A_TEXT, replace=False)
    text = " "
    while len(text) < length:
        text += f"{own[rng.integers(WORDS_IN_A_TEXT)]} "
    return text[:length]


def make_batch(words: list[str], rng: np.random.Generator) -> Tensor:
    """(BATCH, TRAINED_LENGTH + 1) numbers of symbols: the last is only guessed."""
    texts = [make_text(words, rng, TRAINED_LENGTH + 1) for _ in range(BATCH)]
    return torch.tensor(np.stack([numbers_of(text) for text in texts]))


# --- the network, in torch: the same as helpers/readers/letters.py


def first_parameters(kind: str, seed: int) -> Parameters:
    """The numbers that training starts from."""
    generator = torch.Generator().manual_seed(seed)

    def new(*shape: int, spread: float) -> Tensor:
        return torch.randn(*shape, generator=generator) * spread

    found = {"embeddings": new(len(SYMBOLS), D_MODEL, spread=0.5)}
    for i in range(N_LAYERS):
        for name in ("w_q", "w_k", "w_v", "w_o"):
            half = 0.5 if name == "w_o" else 1.0  # each layer adds little at first
            found[f"{i}.{name}"] = new(D_MODEL, D_MODEL, spread=half * D_MODEL**-0.5)
    found["w_symbols"] = new(D_MODEL, len(SYMBOLS), spread=D_MODEL**-0.5)
    if kind == "learned":
        found["table"] = new(TRAINED_LENGTH, D_MODEL, spread=0.1)
    if kind == "t5":
        found["table"] = new(N_BUCKETS, N_HEADS, spread=0.1)
    return {name: tensor.requires_grad_() for name, tensor in found.items()}


def scores_of(kind: str, found: Parameters, symbols: Tensor) -> Tensor:
    """(batch, n) -> (batch, n, 27): the scores of the symbols that follow."""
    positions = np.arange(symbols.shape[1])
    x = found["embeddings"][symbols]
    if kind == "learned":
        x = x + found["table"][: len(positions)]
    if kind == "sinusoidal":
        x = x + torch.tensor(sinusoidal(positions, D_MODEL)).float()
    bias = bias_of(kind, found, distances(positions, positions))
    for i in range(N_LAYERS):
        rows = normed(x)
        parts = (rows @ found[f"{i}.{name}"] for name in ("w_q", "w_k", "w_v"))
        queries, keys, values = (part.unflatten(-1, (N_HEADS, -1)).transpose(1, 2) for part in parts)
        if kind == "rope":
            queries, keys = rotated(queries), rotated(keys)
        weights = (queries @ keys.mT / math.sqrt(D_MODEL // N_HEADS) + bias).softmax(dim=-1)
        x = x + (weights @ values).transpose(1, 2).flatten(2) @ found[f"{i}.w_o"]
    return normed(x) @ found["w_symbols"]


def bias_of(kind: str, found: Parameters, apart: NDArray[Any]) -> Tensor:
    """(n, n) distances -> what is added to the scores: −inf for the future, and what the kind adds."""
    causal = torch.zeros(apart.shape).masked_fill(torch.tensor(apart) < 0, -math.inf)
    if kind == "alibi":
        slopes = torch.tensor(alibi_slopes(N_HEADS)).float()
        return causal - slopes[:, None, None] * torch.tensor(apart).float()
    if kind == "t5":
        buckets = torch.tensor(t5_buckets(apart, N_BUCKETS, TRAINED_LENGTH))
        return causal + found["table"][buckets].permute(2, 0, 1)
    return causal


def rotated(rows: Tensor) -> Tensor:
    """(..., n, d_head) -> the same: entry i turned with entry i + d_head / 2, by position × speed."""
    n, d_head = rows.shape[-2:]
    angles = torch.arange(n)[:, None] * torch.tensor(speeds(d_head))
    cosines, sines = angles.cos().float(), angles.sin().float()
    first, second = rows.chunk(2, dim=-1)
    return torch.cat([first * cosines - second * sines, first * sines + second * cosines], dim=-1)


def normed(x: Tensor) -> Tensor:
    """As root_mean_square in helpers/readers/letters.py."""
    return x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + TINY)


# --- training and measuring


def train(kind: str, seed: int, words: list[str]) -> dict[str, NDArray[np.float16]]:
    """Learn to guess the next letter. AdamW; the rate rises for a tenth of the steps, then falls."""
    found, rng = first_parameters(kind, seed), np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(found.values(), lr=PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.01)
    for step in range(1, STEPS + 1):
        for group in optimiser.param_groups:
            group["lr"] = PEAK_RATE * schedule(step / STEPS)
        symbols = make_batch(words, rng)
        scores = scores_of(kind, found, symbols[:, :-1])
        loss = F.cross_entropy(scores.flatten(0, 1), symbols[:, 1:].flatten())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(found.values(), 1.0)
        optimiser.step()
    return {name: tensor.detach().numpy().astype(np.float16) for name, tensor in found.items()}


def schedule(done: float) -> float:
    """The share of all steps -> the share of the peak rate: up to 1 at a tenth, along a cosine to 0.05."""
    if done < 0.1:
        return done / 0.1
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (done - 0.1) / 0.9))


def settings_of(kind: str) -> dict[str, Any]:
    """What helpers.readers.letters.build_letter_model has to know beside the arrays."""
    return {"kind": kind, "n_heads": N_HEADS, "n_layers": N_LAYERS, "trained_length": TRAINED_LENGTH}


def measure(model: LetterModel, texts: list[str]) -> list[float]:
    """The mean loss in each stretch of 32 letters: up to 512 letters, or as many as a learned table has."""
    longest = TRAINED_LENGTH if model.kind == "learned" else LONG
    losses = np.mean([next_letter_losses(model, text[: longest + 1]) for text in texts], axis=0)
    return [round(float(loss), 4) for loss in losses.reshape(-1, STRETCH).mean(axis=-1)]


def derive() -> bytes:
    """The bytes of letters.npz."""
    torch.set_num_threads(1)
    learned_words, held_out = split_words()
    rng = np.random.default_rng(TEST_SEED)
    texts = [make_text(held_out, rng, LONG + 1) for _ in range(N_TEXTS)]
    shipped: dict[str, NDArray[Any]] = {}
    losses: dict[str, list[list[float]]] = {}
    seconds: dict[str, list[int]] = {}
    seed_of: dict[str, int] = {}
    for kind in KINDS:
        arrays, losses[kind], seconds[kind] = [], [], []
        for seed in SEEDS:
            start = time.process_time()
            arrays.append(train(kind, seed, learned_words))
            seconds[kind].append(round(time.process_time() - start))
            losses[kind].append(measure(build_letter_model(settings_of(kind), arrays[-1]), texts))
            print(f"{kind} {seed}: {seconds[kind][-1]} s, losses {losses[kind][-1]}", flush=True)
        in_order = sorted(SEEDS, key=lambda seed: losses[kind][seed][TRAINED_LENGTH // STRETCH - 1])
        seed_of[kind] = in_order[len(SEEDS) // 2]
        shipped |= {f"{kind}.{name}": array for name, array in arrays[seed_of[kind]].items()}
    figures = {
        "steps": STEPS,
        "batch": BATCH,
        "stretch": STRETCH,
        "texts": N_TEXTS,
        "words_learned": len(learned_words),
        "words_held_out": len(held_out),
        "seeds": SEEDS,
        "seed_shipped": seed_of,
        "losses": losses,
        "seconds": seconds,
    }
    settings = {kind: settings_of(kind) for kind in KINDS}
    return pack({"settings": settings, "texts": texts[:N_SHIPPED], "figures": figures}, shipped)


def main() -> None:
    """Write letters.npz and print what data/sources.toml must say of it."""
    parser = argparse.ArgumentParser(description="Train the six kinds of small models of lesson 10.")
    parser.add_argument("--output", type=Path, default=TARGET, help="where to write (data/letters.npz)")
    arguments = parser.parse_args()
    content = derive()
    arguments.output.write_bytes(content)
    print(f"{arguments.output.name}\nsha256 = {hashlib.sha256(content).hexdigest()}\nbytes = {len(content)}")


if __name__ == "__main__":
    main()

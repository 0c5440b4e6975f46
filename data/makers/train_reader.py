"""Train a small encoder–decoder that lesson 07 runs in NumPy. Training needs torch; the lesson does not.

This is the trainer for every task of that kind. The scripts beside it (make_sounds.py, make_dates.py) say
what is to be learned and what is stored:

    from train_reader import Size, pack, train

    trained = train(
        pairs,             # list of (source text, target symbols): ("knife", ["N", "AY", "F"]),
                           #   ("3 June 2004", "2004-06-03"). Each character of a source is a symbol;
                           #   a target is any sequence of short texts
        dev_pairs,         # list of (source text, accepted written texts): ("knife", ["N AY F"])
        joint=" ",         # stands between the symbols of a written text: " " for sounds, "" for dates
        steps=4_000,       # batches: the work is fixed by this number, not by the clock
        seed=1,
        bottleneck=False,  # True: the cross attention may read only the mark before the source
        size=Size(),       # d_model, n_heads, layers; see the class
    )                      # also: batch, peak_rate, dropout, alone, rounds; see train
    trained.model          # helpers.readers.model.EncoderDecoder, with its numbers rounded to float16
    trained.settings       # a dict for JSON, and
    trained.arrays         # a dict name -> float16 array: what helpers.readers.model.build_model takes
    trained.dev_accuracy   # the share of dev_pairs written exactly right, by trained.model
    trained.seconds        # how long it took

    helpers.readers.model.write(trained.model, ["knife"])                          # ["N AY F"]
    content = pack({"settings": trained.settings, "figures": {}}, trained.arrays)    # bytes of an .npz
    texts, arrays = helpers.datasets.unpack(content)                                 # and back

`pack(texts, arrays)` stores each of `texts` as JSON and each array as it is; no date, no pickle.

One thread, a fixed number of steps and a seed: the same command gives the same model again on the same kind
of processor. On another one float32 sums are rounded differently, and the model is another one, of like
quality.
"""

import io
import json
import math
import time
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (torch's own habit)

from helpers.readers.model import MARK, TINY, EncoderDecoder, build_model, write

Parameters = dict[str, Tensor]
PADDING = -100  # a target that cross_entropy passes over


class Size(NamedTuple):
    """How large the network is. The defaults make about 0.38 million numbers."""

    d_model: int = 96
    d_mlp: int = 384
    n_heads: int = 4
    n_encoder_layers: int = 2
    n_decoder_layers: int = 1


class Trained(NamedTuple):
    """What train returns; see the top of this file."""

    model: EncoderDecoder
    settings: dict[str, Any]
    arrays: dict[str, NDArray[np.float16]]
    dev_accuracy: float
    seconds: float


class Examples(NamedTuple):
    """All pairs as numbers: source and target (n_pairs, longest), and the lengths, marks included."""

    source: Tensor
    target: Tensor
    source_lengths: Tensor
    target_lengths: Tensor


def train(
    pairs: Sequence[tuple[str, Sequence[str]]],
    dev_pairs: Sequence[tuple[str, Collection[str]]],
    *,
    joint: str,
    steps: int,
    seed: int,
    bottleneck: bool = False,
    size: Size | None = None,
    batch: int = 128,
    peak_rate: float = 3e-3,
    dropout: float = 0.05,
    alone: float = 0.0,
    rounds: int = 8,
) -> Trained:
    """Learn to write the target of each pair. See the top of this file.

    AdamW; the rate rises for a tenth of the steps and falls along a cosine. `rounds` times in the training,
    the last time at its end, the model is tried on dev_pairs; the best of these models is returned.

    With `alone` above 0 the values of the cross attention are, at first, that often made from a symbol alone,
    encoded without a look at its neighbours. What is to be read must then be read at its own place: without
    this, the N of "knife" can as well be read at the k, whose encoded row knows that an n follows. The share
    holds for 40 % of the steps and falls to 0 at 60 %; the trained model knows nothing of it.
    """
    torch.set_num_threads(1)
    settings = make_settings(pairs, joint, bottleneck, size or Size())
    parameters = first_parameters(settings, seed)
    examples = as_examples(pairs, settings)
    torch.manual_seed(seed)
    optimiser = torch.optim.AdamW(parameters.values(), lr=peak_rate, betas=(0.9, 0.98), weight_decay=0.01)
    batches = batches_for_ever(examples, batch, np.random.default_rng(seed))
    n_numbers = sum(parameter.numel() for parameter in parameters.values())
    print(f"{len(pairs):,} pairs, {n_numbers:,} numbers to learn, {steps:,} steps of {batch}", flush=True)

    start, best, losses = time.perf_counter(), (-1.0, as_arrays(parameters)), []
    tried_at = {round(steps * i / rounds) for i in range(1, rounds + 1)}
    for step in range(1, steps + 1):
        for group in optimiser.param_groups:
            group["lr"] = peak_rate * schedule(step / steps)
        alone_now = alone * min(1.0, max(0.0, 3 - 5 * step / steps))
        loss = loss_of(parameters, settings, next(batches), dropout, alone_now)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters.values(), 1.0)
        optimiser.step()
        losses.append(loss.item())
        if step in tried_at:
            arrays = as_arrays(parameters)
            accuracy = share_right(build_model(settings, arrays), dev_pairs)
            best = max(best, (accuracy, arrays), key=lambda found: found[0])
            seconds = time.perf_counter() - start
            recent = sum(losses[-200:]) / len(losses[-200:])
            print(f"step {step:6,}  {seconds:5.0f} s  loss {recent:.3f}  dev {accuracy:.3f}", flush=True)
    seconds = time.perf_counter() - start
    return Trained(build_model(settings, best[1]), settings, best[1], best[0], seconds)


def share_right(model: EncoderDecoder, pairs: Sequence[tuple[str, Collection[str]]]) -> float:
    """The share of (source, accepted texts) that the model writes exactly as one of the accepted texts."""
    written = write(model, [source for source, _ in pairs])
    return sum(text in accepted for text, (_, accepted) in zip(written, pairs, strict=True)) / len(pairs)


# --- the network, in torch: the same as helpers/readers/model.py, with dropout


def forward(
    p: Parameters,
    settings: Mapping[str, Any],
    source: Tensor,
    source_lengths: Tensor,
    target: Tensor,
    dropout: float = 0.0,
    alone: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """(n, n_source), (n,), (n, n_target) -> scores (n, n_target, n_symbols), weights (n, n_target, n_source).

    As helpers.readers.model does it, by torch's own functions; a test holds the two against each other.
    """
    n_heads = settings["n_heads"]

    def drop(x: Tensor) -> Tensor:
        return F.dropout(x, dropout) if dropout else x

    def norm(x: Tensor, place: str) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], p[f"{place}.gain"], p[f"{place}.shift"], TINY)

    def mlp(x: Tensor, place: str) -> Tensor:
        hidden = F.relu(x @ p[f"{place}.w_in"] + p[f"{place}.b_in"])
        return drop(hidden @ p[f"{place}.w_out"] + p[f"{place}.b_out"])

    def in_heads(x: Tensor) -> Tensor:
        return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)

    def self_attention(x: Tensor, place: str, mask: Tensor) -> Tensor:
        q, k, v = (in_heads(x @ p[f"{place}.{name}"]) for name in ("w_q", "w_k", "w_v"))
        merged = F.scaled_dot_product_attention(q, k, v, mask).transpose(-3, -2).flatten(-2)
        return drop(merged @ p[f"{place}.w_o"])

    def cross_attention(y: Tensor, place: str) -> tuple[Tensor, Tensor]:
        q, k, v = y @ p[f"{place}.w_q"], x @ p[f"{place}.w_k"], values @ p[f"{place}.w_v"]
        scores = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(~may_read, -math.inf)
        weights = scores.softmax(-1)
        return drop(weights @ v @ p[f"{place}.w_o"]), weights

    def encode(mask: Tensor) -> Tensor:
        x = drop(p["source_embeddings"][source] + p["source_positions"][: source.shape[1]])
        for i in range(settings["n_encoder_layers"]):
            own = norm(x, f"encoder.{i}.norm_self")
            x = x + self_attention(own, f"encoder.{i}.self_attention", mask)
            x = x + mlp(norm(x, f"encoder.{i}.norm_mlp"), f"encoder.{i}.mlp")
        return norm(x, "encoder_norm")

    positions = torch.arange(source.shape[1])
    real = positions < source_lengths[:, None]
    may_read = real & ((positions == 0) if settings["bottleneck"] else (positions > 0))
    may_read = may_read[:, None, :]
    earlier = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).tril()

    x = encode(real[:, None, None, :])
    values = x
    if alone:  # these rows are encoded without a look at the others; the mark has nothing but them
        chosen = torch.rand(source.shape) < alone
        chosen[:, 0] = False
        values = torch.where(chosen[..., None], encode(torch.eye(source.shape[1], dtype=torch.bool)), x)

    weights = torch.zeros(0)
    y = drop(p["target_embeddings"][target] + p["target_positions"][: target.shape[1]])
    for i in range(settings["n_decoder_layers"]):
        own = norm(y, f"decoder.{i}.norm_self")
        y = y + self_attention(own, f"decoder.{i}.self_attention", earlier)
        asking = norm(y, f"decoder.{i}.norm_cross")
        read, weights = cross_attention(asking, f"decoder.{i}.cross_attention")
        y = y + read
        y = y + mlp(norm(y, f"decoder.{i}.norm_mlp"), f"decoder.{i}.mlp")
    return norm(y, "decoder_norm") @ p["w_symbols"], weights


def loss_of(
    p: Parameters,
    settings: Mapping[str, Any],
    examples: Examples,
    dropout: float = 0.0,
    alone: float = 0.0,
) -> Tensor:
    """The mean of −log(probability of the right next symbol), given the right ones before it."""
    given, right = examples.target[:, :-1], examples.target[:, 1:]
    read = examples.source, examples.source_lengths
    scores, _ = forward(p, settings, *read, given, dropout, alone)
    beyond = torch.arange(right.shape[1]) >= (examples.target_lengths - 1)[:, None]
    right = right.masked_fill(beyond, PADDING)
    return F.cross_entropy(scores.flatten(0, 1), right.flatten(), ignore_index=PADDING)


def schedule(share: float) -> float:
    """The share of the training that is done -> the share of the peak rate: up for a tenth, then a cosine."""
    if share < 0.1:
        return share / 0.1
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (share - 0.1) / 0.9))


# --- numbers in and out


def make_settings(
    pairs: Sequence[tuple[str, Sequence[str]]], joint: str, bottleneck: bool, size: Size
) -> dict[str, Any]:
    """What build_model and forward need to know beside the arrays. Symbol 0 of both alphabets is the mark."""
    return {
        "source_symbols": [MARK, *sorted({symbol for source, _ in pairs for symbol in source})],
        "target_symbols": [MARK, *sorted({symbol for _, target in pairs for symbol in target})],
        "joint": joint,
        "bottleneck": bottleneck,
        "longest_source": max(len(source) for source, _ in pairs) + 1,  # the mark before it
        "longest_target": max(len(target) for _, target in pairs) + 2,  # the mark before it, and one to spare
        **size._asdict(),
    }


def first_parameters(settings: Mapping[str, Any], seed: int) -> Parameters:
    """Random numbers to begin with, by name: matrices that keep the size of what goes through them."""
    rng = np.random.default_rng(seed)
    d_model, d_mlp = settings["d_model"], settings["d_mlp"]
    n_source, n_target = len(settings["source_symbols"]), len(settings["target_symbols"])
    p: dict[str, NDArray[Any]] = {}

    def matrix(name: str, d_in: int, d_out: int, factor: float = 1.0) -> None:
        p[name] = rng.normal(0, factor / math.sqrt(d_in), (d_in, d_out))

    def norm(place: str) -> None:
        p[f"{place}.gain"], p[f"{place}.shift"] = np.ones(d_model), np.zeros(d_model)

    def projections(place: str) -> None:
        for name in ("w_q", "w_k", "w_v", "w_o"):
            matrix(f"{place}.{name}", d_model, d_model, 0.5 if name == "w_o" else 1.0)

    def mlp(place: str) -> None:
        matrix(f"{place}.w_in", d_model, d_mlp)
        matrix(f"{place}.w_out", d_mlp, d_model, 0.5)
        p[f"{place}.b_in"], p[f"{place}.b_out"] = np.zeros(d_mlp), np.zeros(d_model)

    for side, n_symbols in (("source", n_source), ("target", n_target)):
        p[f"{side}_embeddings"] = rng.normal(0, 0.3, (n_symbols, d_model))
        p[f"{side}_positions"] = rng.normal(0, 0.3, (settings[f"longest_{side}"], d_model))
    for i in range(settings["n_encoder_layers"]):
        norm(f"encoder.{i}.norm_self")
        projections(f"encoder.{i}.self_attention")
        norm(f"encoder.{i}.norm_mlp")
        mlp(f"encoder.{i}.mlp")
    norm("encoder_norm")
    for i in range(settings["n_decoder_layers"]):
        norm(f"decoder.{i}.norm_self")
        projections(f"decoder.{i}.self_attention")
        norm(f"decoder.{i}.norm_cross")
        projections(f"decoder.{i}.cross_attention")
        norm(f"decoder.{i}.norm_mlp")
        mlp(f"decoder.{i}.mlp")
    norm("decoder_norm")
    matrix("w_symbols", d_model, n_target, 0.5)
    return {name: torch.tensor(array, dtype=torch.float32, requires_grad=True) for name, array in p.items()}


def as_arrays(parameters: Parameters) -> dict[str, NDArray[np.float16]]:
    """The parameters, rounded to float16: half the room, and what is stored is what is tried."""
    return {name: tensor.detach().numpy().astype(np.float16) for name, tensor in parameters.items()}


def as_examples(pairs: Sequence[tuple[str, Sequence[str]]], settings: Mapping[str, Any]) -> Examples:
    """Pairs of texts -> numbers of symbols. A source begins with the mark, a target also ends with it."""
    read = {symbol: i for i, symbol in enumerate(settings["source_symbols"])}
    written = {symbol: i for i, symbol in enumerate(settings["target_symbols"])}
    sources = [[0, *(read[symbol] for symbol in source)] for source, _ in pairs]
    targets = [[0, *(written[symbol] for symbol in target), 0] for _, target in pairs]
    return Examples(*map(_padded, (sources, targets)), *map(_lengths, (sources, targets)))


def _padded(rows: list[list[int]]) -> Tensor:
    padded = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return torch.from_numpy(padded)


def _lengths(rows: list[list[int]]) -> Tensor:
    return torch.tensor([len(row) for row in rows])


def batches_for_ever(examples: Examples, batch: int, rng: np.random.Generator) -> Iterator[Examples]:
    """Batches in a random order, epoch after epoch. Pairs of like length go together: little padding."""
    n_pairs = len(examples.source)
    batch = min(batch, n_pairs)
    while True:
        jitter = rng.random(n_pairs)  # other neighbours in each epoch
        order = np.lexsort((jitter, examples.target_lengths, examples.source_lengths))
        order = np.roll(order, int(rng.integers(batch)))
        cuts = [order[start : start + batch] for start in range(0, n_pairs - batch + 1, batch)]
        for i in rng.permutation(len(cuts)):
            chosen = torch.from_numpy(cuts[i])
            lengths = examples.source_lengths[chosen], examples.target_lengths[chosen]
            source = examples.source[chosen, : int(lengths[0].max())]
            target = examples.target[chosen, : int(lengths[1].max())]
            yield Examples(source, target, *lengths)


# --- files


def pack(texts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of an .npz file that numpy.load reads without pickle; `texts` are stored as JSON.

    Unlike numpy.savez, this stores no date: the same content gives the same bytes.
    """
    stored = {
        name: np.array(json.dumps(text, ensure_ascii=False).encode("utf-8")) for name, text in texts.items()
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, array in {**stored, **arrays}.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asarray(array), version=(1, 0), allow_pickle=False)
            archive.writestr(entry, content.getvalue())
    return packed.getvalue()

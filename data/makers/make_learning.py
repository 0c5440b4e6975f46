"""Train the models of lesson 12 from five starts: learning.json. The lesson itself trains only the first.

    python data/makers/make_learning.py

Eight kinds of the small model in helpers/pytorch/induction.py, each from five starts: two layers, one layer,
two without the division by √d_head, two that learn from every token (not only from those that can be
known), without and with a quiet key, and two layers without a warm-up, or with shorter periods. The file
holds no weights, only what was measured on 64 held-out sequences: how the accuracy rose, what is left of it
with heads switched off, patched or with paths cut, how much of a head's weight could stand elsewhere, and
which weight the first key gets and what is read there. Of one run, the start that the lesson trains too, it
also holds what the lesson draws: a picture is compared by its pixels, so it must not depend on the processor.

One thread, fixed seeds: about four minutes. On another kind of processor sums of float32 are rounded
differently: the digits move, and the statements of the lesson, which name bands, should not.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch import Tensor

from helpers.pytorch import induction
from helpers.pytorch.attention import attention
from helpers.pytorch.induction import (
    LONGEST,
    SHORTEST,
    AttentionOnly,
    History,
    Sequences,
    Trace,
    accuracy_of,
    held_out,
    loss_of,
    one_thread,
    train,
)
from helpers.pytorch.inside import (
    READERS,
    copying_circuit,
    cut_path,
    followers,
    induction_scores,
    matching_circuit,
    previous_token_scores,
    share_moved,
)

TARGET = Path(__file__).resolve().parent.parent / "learning.json"
SEEDS = (0, 1, 2, 3, 4)
ENOUGH = 0.99
DRAWN = ("two layers", 0)  # the kind and the seed of the run that the lesson draws
N_TOKENS, N_SYMBOLS = 16, 12  # the corners of its maps and of its circuits
KINDS: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "two layers": ({"n_layers": 2}, {}),
    "one layer": ({"n_layers": 1}, {}),
    "not scaled": ({"n_layers": 2, "scaled": False}, {}),
    "every token": ({"n_layers": 2}, {"everywhere": True, "steps": 400}),
    "every token, quiet key": ({"n_layers": 2, "quiet_key": True}, {"everywhere": True, "steps": 400}),
}
CHANGED = {  # two layers again, with another number in helpers/pytorch/induction.py
    "no warm-up": {"WARM_UP": 1},
    "periods up to 16": {"LONGEST": 16},
    "periods up to 20": {"LONGEST": 20},
}


def without(
    model: AttentionOnly, whole: Trace, given: Sequences, layer: int, heads: list[int]
) -> list[float]:
    """A trained model, heads of one layer -> its accuracy and loss with their mean output for their own."""
    means = {(layer, head): whole.mixed[layer][:, head].mean(dim=(0, 1)) for head in heads}
    logits = model.trace(given.inputs, means).logits
    return rounded([accuracy_of(logits, given), float(loss_of(logits, given))])


def looked_at(weights: Tensor, key: int, given: Sequences) -> dict[str, float]:
    """(n, n_heads, length, n_keys), a key -> its mean weight in the first round, and in the repeat."""
    of_queries = weights[..., key].mean(dim=1)
    first = ~given.guessable
    first[:, :4] = False  # the first few have hardly any other key
    found = {"first round": of_queries[first], "repeat": of_queries[given.guessable]}
    return {when: round(float(share.mean()), 4) for when, share in found.items()}


def stops_after(back: Tensor) -> int:
    """(length - 1,) from `leaders_weights` -> the last query before the first that it gives at most 0.5."""
    low = (back <= 0.5).nonzero()
    return int(low[0]) if len(low) else len(back)


def mistakes(logits: Tensor, given: Sequences) -> dict[str, int]:
    """(n, length, n_symbols) -> how many answers are wrong that can be known, and how many of these are such
    that only the last two keys that the task ever asks for, 23 and 24, could have helped."""
    wrong = (logits.argmax(dim=-1) != given.targets) & given.guessable
    earlier = followers(given.inputs)[..., : LONGEST - 1].any(dim=-1)
    return {"all": int(wrong.sum()), "late keys only": int((wrong & ~earlier).sum())}


def leaders_weights(whole: Trace) -> Tensor:
    """What a model did -> (length - 1,): the leader's mean weight on the token before, for each query."""
    leader = previous_token_scores(whole.weights[0]).argmax()
    return whole.weights[0][:, leader].diagonal(-1, -2, -1).mean(dim=0)  # from query 1 on


@torch.no_grad()
def inspect(model: AttentionOnly, given: Sequences) -> dict[str, Any]:
    """A trained model of two layers -> what its heads look at, and what is left without them."""
    whole = model.trace(given.inputs)
    n_heads = model.layers[0].n_heads
    every = list(range(n_heads))
    others = {head: [h for h in every if h != head] for head in every}
    quiet = bool(model.layers[1].quiet_key)
    found: dict[str, Any] = {"first key": looked_at(whole.weights[1], int(quiet), given)}
    if quiet:
        return found | {"quiet key": looked_at(whole.weights[1], 0, given)}
    means = {(0, head): whole.mixed[0][:, head].mean(dim=(0, 1)) for head in every}
    one_off = [[without(model, whole, given, i, [h]) for h in every] for i in (0, 1)]
    one_left = [[without(model, whole, given, i, others[h]) for h in every] for i in (0, 1)]
    cut = {name: accuracy_of(cut_path(model, given.inputs, means, [name]), given) for name in READERS}
    leader = int(previous_token_scores(whole.weights[0]).argmax())
    zeros = model.trace(given.inputs, {(0, leader): 0.0}).logits
    return found | {
        "previous": rounded(previous_token_scores(whole.weights[0]).tolist()),
        "early": rounded(early_scores(whole.weights[0]).tolist()),
        "leader looks back until": stops_after(leaders_weights(whole)),
        "mistakes": mistakes(whole.logits, given),
        "induction": rounded(induction_scores(whole.weights[1], given).tolist()),
        "one off": [[accuracy for accuracy, _ in row] for row in one_off],
        "one off losses": [[loss for _, loss in row] for row in one_off],
        "one left": [[accuracy for accuracy, _ in row] for row in one_left],
        "all off": [without(model, whole, given, i, every)[0] for i in (0, 1)],
        "path cut": {name: round(accuracy, 4) for name, accuracy in cut.items()},
        "leader off, zeros": round(accuracy_of(zeros, given), 4),
        "patched": patched(model, given),
    }


def early_scores(weights: Tensor) -> Tensor:
    """(n, n_heads, length, length) of layer 0 -> (n_heads,): the previous-token scores of queries 1 to 24."""
    return previous_token_scores(weights[..., : LONGEST + 1, : LONGEST + 1])


def patched(model: AttentionOnly, given: Sequences) -> dict[str, list[float]]:
    """A trained model, heads patched from other sequences -> how often it says our symbols, and theirs.

    The others have the next of the 64 symbols everywhere, and so the same periods.
    """
    others = given._replace(tokens=(given.tokens + 1) % model.symbols.shape[0])
    there = model.trace(others.inputs).mixed
    every = range(model.blocks[1].n_heads)
    found = {}
    for name, layer, heads in (
        ("layer 1, all", 1, every),
        ("layer 1, one", 1, [0]),
        ("layer 0, all", 0, every),
    ):
        taken = {(layer, head): there[layer][:, head] for head in heads}
        logits = model.trace(given.inputs, taken).logits
        found[name] = rounded([accuracy_of(logits, each) for each in (given, others)])
    return found


@torch.no_grad()
def movable(model: AttentionOnly, untrained: AttentionOnly, given: Sequences) -> dict[str, Any]:
    """A trained model, the same before training -> how much of three heads' weight could stand elsewhere.

    At the last query, and at the last row to which the leader writes a note, and which layer 1 so asks for.
    The spare head is the one of layer 0 that looks back the least. "two largest": the sum of the induction
    head's two largest weights.
    """
    whole = model.trace(given.inputs)
    weights, n_read = whole.weights, stops_after(leaders_weights(whole)) + 1
    spare = int(previous_token_scores(weights[0]).argmin())
    heads = {"untrained": (untrained, 0, 0), "spare": (model, 0, spare), "induction": (model, 1, 0)}
    places = {"last query": given.inputs, "last row read": given.inputs[:, :n_read]}
    found: dict[str, Any] = {
        name: {
            place: round(share_moved(of_model, tokens, layer, head), 4) for place, tokens in places.items()
        }
        for name, (of_model, layer, head) in heads.items()
    }
    two = weights[1][:, 0, -1].topk(2).values.sum(dim=-1).mean()
    return found | {"two largest": round(float(two), 4)}


@torch.no_grad()
def read_at_first_key(model: AttentionOnly, given: Sequences) -> dict[str, dict[str, float]]:
    """A model of two layers -> the first round without what layer 1 reads at the first key.

    It is taken away, or replaced by its mean over the sequences, or all else of layer 1 is taken away. With
    the "old spread" the last LayerNorm divides by the spread that the row had before. The control takes away
    what is read at another key: of all but the first, the one with the largest weight. The weights stay as
    they are. Measured from the 8th symbol on, where the sequence may start again: the loss, the share that
    the first symbol gets, and the spread of a row before the last LayerNorm; and the accuracy in the repeats.
    """
    x = model.embed(given.inputs)
    x = x + model.blocks[0](x)
    second = model.blocks[1]
    mixed, weights = attention(*second.heads(x, x, x))
    values = second.heads(x, x, x)[2]
    first = values[:, :, :1]
    own, usual = (weights[..., :1] * each for each in (first, first.mean(dim=0, keepdim=True)))
    largest, key = weights[..., 1:].max(dim=-1, keepdim=True)
    another = largest * values.gather(2, (key + 1).expand_as(mixed))
    late = ~given.guessable
    late[:, : SHORTEST - 1] = False
    cases = {
        "nothing changed": mixed,
        "another key out (control)": mixed - another,
        "first key out": mixed - own,
        "first key out, old spread": mixed - own,
        "first key: its mean": mixed - own + usual,
        "first key alone": own,
    }
    found = {}
    for name, case in cases.items():
        rows = x + second.merge(case)
        logits = model.read_out(rows)
        if "old spread" in name:
            logits = read_out_as_if(model, rows, x + second.merge(mixed))
        shares = logits.softmax(dim=-1).gather(-1, given.inputs[:, :1, None].expand(-1, logits.shape[1], 1))
        numbers = {
            "loss": float(torch.nn.functional.cross_entropy(logits[late], given.targets[late])),
            "first symbol": float(shares[..., 0][late].mean()),
            "spread": float(rows.std(dim=-1)[late].mean()),
            "accuracy": accuracy_of(logits, given),
        }
        found[name] = {what: round(number, 4) for what, number in numbers.items()}
    return found


def read_out_as_if(model: AttentionOnly, rows: Tensor, others: Tensor) -> Tensor:
    """(n, length, d_model) twice -> scores of the next symbol; the last LayerNorm divides each row by the
    spread of the other row."""
    centred = rows - rows.mean(dim=-1, keepdim=True)
    spread = (others.var(dim=-1, unbiased=False, keepdim=True) + model.norm.eps).sqrt()
    return (centred / spread * model.norm.weight + model.norm.bias) @ model.to_scores


def guesses_seen(logits: Tensor, given: Sequences) -> float:
    """(n, length, n_symbols) -> the share of guesses, where the next can be known, that came up before."""
    same = logits.argmax(dim=-1)[:, :, None] == given.inputs[:, None, :]
    seen = same.tril().any(dim=-1)
    return round(float(seen[given.guessable].double().mean()), 4)


def best_heads(model: AttentionOnly, given: Sequences) -> dict[str, float]:
    """A model of two layers -> layer 0's best previous-token scores, and layer 1's best induction score.

    "early" is the previous-token score of the queries 1 to 24 alone, "keys cut" the accuracy where layer 1's
    keys read the mean of layer 0.
    """
    whole = model.trace(given.inputs)
    first, second = whole.weights
    means = {(0, head): each for head, each in enumerate(whole.mixed[0].mean(dim=(0, 2)))}
    scores = {
        "previous token": previous_token_scores(first),
        "early": early_scores(first),
        "induction": induction_scores(second, given),
    }
    cut = accuracy_of(cut_path(model, given.inputs, means, ["keys"]), given)
    return {name: float(of_heads.max()) for name, of_heads in scores.items()} | {"keys cut": cut}


@torch.no_grad()
def pictures(model: AttentionOnly, history: History, given: Sequences) -> dict[str, Any]:
    """A trained model and its history -> what the lesson draws: its heads' scores by step, maps, circuits."""
    example = given.periods.tolist().index(8)
    whole = model.trace(given.inputs[example : example + 1])
    of_all = model.trace(given.inputs)
    leader = int(previous_token_scores(of_all.weights[0]).argmax())
    maps = {"layer 0, the leader": whole.weights[0][0, leader], "layer 1, head 0": whole.weights[1][0, 0]}
    every = range(model.blocks[1].n_heads)
    circuits = {
        "OV": torch.stack([copying_circuit(model, head) for head in every]).sum(dim=0),
        "QK": torch.stack([matching_circuit(model, head) for head in every]).sum(dim=0),
    }
    return {
        "scores": {
            name: short(torch.tensor(history.found[name])) for name in ("induction", "previous token")
        },
        "early": short(torch.tensor(history.found["early"])),
        "keys cut": short(torch.tensor(history.found["keys cut"])),
        "by place": short(leaders_weights(of_all)),
        "tokens": given.inputs[example, :N_TOKENS].tolist(),
        "maps": {name: short(weights[:N_TOKENS, :N_TOKENS]) for name, weights in maps.items()},
        "circuits": {name: short(table[:N_SYMBOLS, :N_SYMBOLS]) for name, table in circuits.items()},
    }


@torch.no_grad()
def mean_map(model: AttentionOnly, given: Sequences) -> list[Any]:
    """A model of two layers -> the corner of a map: the mean of layer 1's heads on a sequence of period 8."""
    example = given.periods.tolist().index(8)
    weights = model.trace(given.inputs[example : example + 1]).weights[1][0]
    return short(weights.mean(dim=0)[:N_TOKENS, :N_TOKENS])


def short(numbers: Tensor) -> list[Any]:
    """(…) -> the same as lists, with three decimals: more than a picture shows."""
    found: list[Any] = numbers.double().numpy().round(3).tolist()
    return found


def rounded(numbers: list[float]) -> list[float]:
    """Numbers -> the same with four decimals."""
    return [round(number, 4) for number in numbers]


def measure(kind: str, seed: int, given: Sequences) -> dict[str, Any]:
    """A kind and a seed -> a model is trained, and this is what was found."""
    of_model, of_training = KINDS[kind]
    model = AttentionOnly(seed=seed, **of_model)
    start = time.process_time()
    if (kind, seed) == DRAWN:
        of_training = {**of_training, "watch": best_heads}
    history = train(model, seed, **of_training)
    seconds = time.process_time() - start
    found: dict[str, Any] = {
        "seed": seed,
        "steps": history.steps,
        "losses": rounded(history.found["loss"]),
        "accuracies": rounded(history.found["accuracy"]),
        "enough at": history.first("accuracy", ENOUGH),
    }
    with torch.no_grad():
        logits = model(given.inputs)
        unknown = ~given.guessable
        loss = torch.nn.functional.cross_entropy(logits[unknown], given.targets[unknown])
    found["first round loss"] = round(float(loss), 4)
    print(f"{kind} {seed}: {seconds:.1f} s, accuracy {found['accuracies'][-1]}", flush=True)
    if len(model.layers) == 2:
        found |= inspect(model, given)
    if kind == "two layers":
        found["moved"] = movable(model, AttentionOnly(seed=seed, **of_model), given)
    if seed == DRAWN[1] and kind in ("two layers", "every token"):
        found["mean map"] = mean_map(model, given)
    if kind == "one layer":
        found["guesses seen"] = guesses_seen(logits, given)
    if kind == "every token":
        found["read at the first key"] = read_at_first_key(model, given)
    if (kind, seed) == DRAWN:
        found["pictures"] = pictures(model, history, given)
    return found


@torch.no_grad()
def measure_changed(kind: str, seed: int) -> dict[str, Any]:
    """A kind of CHANGED and a seed -> how the accuracy rose, and where the leader of layer 0 stops."""
    with mock.patch.multiple(induction, **CHANGED[kind]):
        model, given = AttentionOnly(seed=seed), held_out()
        history = train(model, seed)
    found = {
        "seed": seed,
        "steps": history.steps,
        "accuracies": rounded(history.found["accuracy"]),
        "leader looks back until": stops_after(leaders_weights(model.trace(given.inputs))),
    }
    print(f"{kind} {seed}: accuracy {found['accuracies'][-1]}", flush=True)
    return found


def derive() -> bytes:
    """The bytes of learning.json."""
    given = held_out()
    with one_thread():
        found = {kind: [measure(kind, seed, given) for seed in SEEDS] for kind in KINDS}
        found |= {kind: [measure_changed(kind, seed) for seed in SEEDS] for kind in CHANGED}
    return (json.dumps(found) + "\n").encode()


def main() -> None:
    """Write learning.json and print what data/sources.toml must say of it."""
    parser = argparse.ArgumentParser(description="Train the small models of lesson 12 from five starts.")
    parser.add_argument("--output", type=Path, default=TARGET, help="where to write (data/learning.json)")
    arguments = parser.parse_args()
    content = derive()
    arguments.output.write_bytes(content)
    print(f"{arguments.output.name}\nsha256 = {hashlib.sha256(content).hexdigest()}\nbytes = {len(content)}")


if __name__ == "__main__":
    main()

"""Train the models of lesson 12 from five starts: learning.json. The lesson itself trains only the first.

    python data/makers/make_learning.py

Five kinds of the small model in helpers/pytorch/induction.py, each from five starts: two layers, one layer,
two without the division by √d_head, and two that learn from every token (not only from those that can be
known), without and with a quiet key. The file holds no weights, only what was measured on 64 held-out
sequences: how the accuracy rose, what is left of it with heads switched off or paths cut, and which weight
the first key gets.

One thread, fixed seeds: about three minutes. On another kind of processor sums of float32 are rounded
differently: the digits move, and the statements of the lesson, which name bands, should not.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from helpers.pytorch.induction import (
    AttentionOnly,
    Sequences,
    Trace,
    accuracy_of,
    held_out,
    one_thread,
    train,
)
from helpers.pytorch.inside import READERS, cut_path, induction_scores, previous_token_scores

TARGET = Path(__file__).resolve().parent.parent / "learning.json"
SEEDS = (0, 1, 2, 3, 4)
ENOUGH = 0.99
KINDS: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "two layers": ({"n_layers": 2}, {}),
    "one layer": ({"n_layers": 1}, {}),
    "not scaled": ({"n_layers": 2, "scaled": False}, {}),
    "every token": ({"n_layers": 2}, {"everywhere": True, "steps": 400}),
    "every token, quiet key": ({"n_layers": 2, "quiet_key": True}, {"everywhere": True, "steps": 400}),
}


def without(model: AttentionOnly, whole: Trace, given: Sequences, layer: int, heads: list[int]) -> float:
    """A trained model, heads of one layer -> its accuracy with their mean output in place of their own."""
    means = {(layer, head): whole.mixed[layer][:, head].mean(dim=(0, 1)) for head in heads}
    return accuracy_of(model.trace(given.inputs, means).logits, given)


def looked_at(weights: Tensor, key: int, given: Sequences) -> dict[str, float]:
    """(n, n_heads, length, n_keys), a key -> its mean weight in the first round, and in the repeat."""
    of_queries = weights[..., key].mean(dim=1)
    first = ~given.guessable
    first[:, :4] = False  # the first few have hardly any other key
    found = {"first round": of_queries[first], "repeat": of_queries[given.guessable]}
    return {when: round(float(share.mean()), 4) for when, share in found.items()}


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
    cut = {name: accuracy_of(cut_path(model, given.inputs, means, [name]), given) for name in READERS}
    return found | {
        "previous": rounded(previous_token_scores(whole.weights[0]).tolist()),
        "induction": rounded(induction_scores(whole.weights[1], given).tolist()),
        "one off": [rounded([without(model, whole, given, i, [h]) for h in every]) for i in (0, 1)],
        "one left": [rounded([without(model, whole, given, i, others[h]) for h in every]) for i in (0, 1)],
        "all off": rounded([without(model, whole, given, i, every) for i in (0, 1)]),
        "path cut": {name: round(accuracy, 4) for name, accuracy in cut.items()},
    }


def rounded(numbers: list[float]) -> list[float]:
    """Numbers -> the same with four decimals."""
    return [round(number, 4) for number in numbers]


def measure(kind: str, seed: int, given: Sequences) -> dict[str, Any]:
    """A kind and a seed -> a model is trained, and this is what was found."""
    of_model, of_training = KINDS[kind]
    model = AttentionOnly(seed=seed, **of_model)
    start = time.process_time()
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
    return found | (inspect(model, given) if len(model.layers) == 2 else {})


def derive() -> bytes:
    """The bytes of learning.json."""
    given = held_out()
    with one_thread():
        found = {kind: [measure(kind, seed, given) for seed in SEEDS] for kind in KINDS}
    return (json.dumps(found, indent=1) + "\n").encode()


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

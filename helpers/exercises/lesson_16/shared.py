"""What the three broken rings of lesson 16 share: their sections, inputs, and what a key may move."""

from typing import Any

import numpy as np

from helpers.exercises.engine.probes import Probe, triple
from helpers.exercises.kinds.write import alike
from helpers.validation import Array

RING = "16: A ring of people"
TRAVEL = "16: Read while the next sheet travels"
WAITING = "16: Who waits?"
HEADS = "16: Share the heads instead"
PLAN = "16: Ten million tokens"


def ring_probe(
    kind: str, n_tokens: int, n_cards: int, d_v: int, start: int, d_k: int = 4, hard: bool = False
) -> Probe:
    """Sizes -> queries, keys, values of one text, and how many cards share it."""
    inputs = triple(n_queries=n_tokens, n_keys=n_tokens, d_k=d_k, d_v=d_v, start=start, apart=100)
    return Probe(kind, {**inputs, "n_cards": n_cards}, hard)


def moved_by(inputs: Any, call: Any, key: int) -> Array | None:
    """The inputs of a ring, a key -> (n_tokens,): which outputs move with its value; or None."""
    changed = dict(inputs)
    changed["values"] = inputs["values"].copy()
    changed["values"][key] += 1
    before, after = call(*inputs.values()), call(*changed.values())
    if before is None or not alike(after, before):
        return None
    return np.asarray((abs(after - before) > 1e-9).any(axis=-1))


def leaks_over_a_border(inputs: Any, output: Array, call: Any) -> str:
    """Inputs, output, a call -> a sentence for the first token that sees too much, or too little."""
    n_tokens = len(inputs["values"])
    if output.shape != inputs["values"].shape:
        return ""
    for key in range(n_tokens):
        moved = moved_by(inputs, call, key)
        if moved is None:
            return ""
        for token in np.flatnonzero(moved != (np.arange(n_tokens) >= key)):
            does = "moves" if moved[token] else "does not move"
            which = "comes later" if moved[token] else "it may see"
            return f"The output of token {token} {does} with the value of token {key}, which {which}."
    return ""


def sees_every_sheet(inputs: Any, output: Array, call: Any) -> str:
    """Inputs, output, a call -> a sentence for the first key that an output misses, without a mask."""
    if output.shape != inputs["values"].shape:
        return ""
    for key in range(len(inputs["values"])):
        moved = moved_by(inputs, call, key)
        if moved is None:
            return ""
        if not moved.all():
            token = int(np.argmin(moved))
            return f"The output of token {token} does not move with the value of token {key}."
    return ""

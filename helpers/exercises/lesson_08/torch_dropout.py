"""torch-dropout, lesson 08: dropout on the weights, and only while training."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.feedback import Feedback, Grid, number, paragraph, section
from helpers.exercises.engine.probes import EXAMPLE, Form, Probe, triple
from helpers.exercises.engine.sandbox import Outcome, Runner
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_08.shared import SIX_LINES, TENSORS
from helpers.pytorch.attention import fused_attention
from helpers.softmax import softmax
from helpers.validation import Array

DROPOUT = "08: Dropout that never stops"


def dropped_attention(queries: Tensor, keys: Tensor, values: Tensor, share: float, training: bool) -> Tensor:
    """Queries, keys, values, a share, training -> output, with a share of the weights dropped in training."""
    return fused_attention(queries, keys, values, dropout=share if training else 0.0)


def _twice(keys: int) -> Array:
    """Values that show the weights, twice: each key carries a 1 at its own two places."""
    return np.tile(np.eye(keys, dtype=np.float32), (1, 2))


def _what_was_dropped(inputs: Mapping[str, Any], output: Array) -> Array:
    """With dropout: (share of zeros, factor of the rest, does it vary, were weights dropped, a pattern).

    By chance the share of zeros is not exactly the one asked for: within four standard deviations it counts
    as exact. The fewer draws a pattern leaves, the larger these. Where some were dropped and the rest grew by
    many factors, 1 stands for them if each row sums to 1 or 0, else 0. A row that lost all its keys and was
    divided by its sum of 0 is nan: many factors, too.
    Without dropout, or in another shape: the output itself.
    """
    queries, keys, values, share, training = inputs.values()
    shape = (*queries.shape[:-1], values.shape[-1])
    lost = np.isnan(output)
    if not training or not share or output.shape != shape or np.isinf(output).any() or lost.all():
        return output
    output = np.where(lost, 0, output)
    plain = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    first, second = np.split(output.astype(np.float64), 2, axis=-1)
    zero = abs(first) < 1e-9
    pattern = _pattern_of(zero)
    draws = {1: zero.shape[-1], 2: zero.shape[-2], 3: zero[..., 0].size}.get(pattern, zero.size)
    margin = 4 * np.sqrt(share * (1 - share) / draws)
    zeros = share if abs(zero.mean() - share) <= margin else zero.mean().round(2)
    factors = first[~zero] / plain[~zero]
    factor = np.median(factors) if factors.size else 0.0
    spread = lost.any() or (factors.size and np.ptp(factors) / max(factor, 1e-9) > 1e-3)
    if spread and zero.any():
        sums = first.sum(axis=-1)
        factor = float((np.isclose(sums, 1, atol=1e-3) | (sums == 0)).all())
    same = np.allclose(first, second, atol=1e-6)
    return np.array([zeros, factor, spread, same, pattern], dtype=np.float32)


PATTERNS = (
    "All queries lost the same keys.",
    "A query lost all its keys, or none.",
    "All sentences lost the same weights, or all heads did.",
    "Every query lost the same number of keys.",
)


def _pattern_of(zero: Array) -> int:
    """Which weights are 0 -> the place in PATTERNS of what they have in common, counted from 1; else 0."""
    if not zero.any():
        return 0
    if (zero == zero[..., :1, :]).all():
        return 1
    if (zero == zero[..., :1]).all():
        return 2
    stacked = range(zero.ndim - 2)
    if any((zero == zero.take([0], axis=axis)).all() for axis in stacked):
        return 3
    return 4 if len(set(zero.sum(axis=-1).ravel().tolist())) == 1 else 0


CHANCE = Form(tensors=True, seen=_what_was_dropped)


def _dropout_probe(
    kind: str, stack: tuple[int, ...], share: float, training: bool, start: int, n_keys: int = 7
) -> Probe:
    n_queries = 5 if n_keys < 10 else n_keys - 2
    inputs = triple(*stack, n_queries=n_queries, n_keys=n_keys, start=start, dtype=np.float32, apart=300)
    if training and share:
        inputs["values"] = np.broadcast_to(_twice(n_keys), (*stack, n_keys, 2 * n_keys)).copy()
    return Probe(kind, {**inputs, "share": share, "training": training}, form=CHANCE)


OF_TASK: dict[str, Any] = {
    "queries": np.zeros((1, 4), dtype=np.float32),
    "keys": np.zeros((4, 4), dtype=np.float32),
    "values": np.eye(4, dtype=np.float32),
    "share": 0.5,
    "training": False,
}


def _drops_out_of_training(inputs: Mapping[str, Any], _output: Array, call: Any) -> str:
    if inputs["training"]:
        return ""
    ones = call(*({**inputs, "values": np.ones_like(inputs["values"])}.values()))
    if ones is None or not np.any(abs(ones - 1) > 1e-4):
        return ""
    least, most = number(ones.min()), number(ones.max())
    return (
        f"With training=False and values that are all 1, each output should be 1: yours go from {least} to "
        f"{most}. "
        "So weights are still dropped, or enlarged."
    )


class MendDropout(Mend):
    """Find the bug, where chance decides: with dropout, what was dropped is told in words."""

    def _case(
        self, probe: Probe, outcome: Outcome, right: Outcome, part: str = ""
    ) -> tuple[str, Grid | None]:
        got, expected = outcome.value, right.value
        told = probe.inputs["training"] and probe.inputs["share"] and got is not None and got.shape == (5,)
        if not told or got is None or expected is None:
            return super()._case(probe, outcome, right, part)
        share = number(probe.inputs["share"])
        lead = (
            f"  Smallest case: {probe.kind}, share {share}, training True, and values that show the weights."
        )
        lines = [lead, "    The share of weights that became 0, and the factor by which the others grew:"]
        for label, row in (("expected", expected), ("got", got)):
            factor = "different ones" if row[2] else number(row[1])
            lines.append(f"    {label:<8}  {number(row[0])}  {factor}")
        if got[2]:
            lines.append("    The others did not all grow by one factor.")
        if not got[3]:
            lines.append("    Numbers of the output were dropped one by one, not weights.")
        if got[4]:
            lines.append(f"    {PATTERNS[int(got[4]) - 1]}")
        return "\n".join(lines), None

    def _compare(self, function: Callable[..., Any], outcomes: Sequence[Outcome]) -> Feedback:
        """Each call of a check starts from the same dice. So two more in a row, which should differ."""
        feedback = super()._compare(function, outcomes)
        if feedback.status != "right":
            return feedback
        probe = next(probe for probe in self.probes if probe.inputs["training"] and probe.inputs["share"])

        def twice(*inputs: Any) -> Any:
            return torch.stack([torch.as_tensor(function(*inputs)) for _ in range(2)])

        both = Runner(twice, form=TENSORS)(probe.inputs).value
        if both is None or not np.array_equal(both[0], both[1]):
            return feedback
        said = (
            "Two calls in a row, with training=True and the same input, gave the same result: the same "
            "weights were dropped. Chance should decide anew in each call, so set no seed inside: neither "
            "torch.manual_seed nor a generator that is made and seeded in the function."
        )
        name = "same-draw-each-call"
        return self._wrong(
            "right, but it drops the same weights in every call.",
            paragraph(f"{said} {section(self.reread)}"),
            named=((name,),),
        )


def my_dropped_attention(
    queries: Tensor, keys: Tensor, values: Tensor, share: float, training: bool
) -> Tensor:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v), a number, True or False -> output."""
    dropped = share if training else 0.0
    return F.scaled_dot_product_attention(queries, keys, values, dropout_p=dropped)


def by_hand(queries: Tensor, keys: Tensor, values: Tensor, share: float, training: bool) -> Tensor:
    """The same as my_dropped_attention, step by step: the mistakes are made here."""
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    dropping = training and share
    return F.dropout(weights, share) @ values if dropping else weights @ values


def drawn(weights: Tensor, *axes: int) -> Tensor:
    """Some axes, counted from the end -> random numbers that are the same along all the others."""
    return torch.rand([n if i - weights.ndim in axes else 1 for i, n in enumerate(weights.shape)])


def as_many_each(weights: Tensor, share: float) -> Tensor:
    """The same number of weights in each row, and only these, drawn by chance."""
    order = torch.rand(weights.shape).argsort(dim=-1)
    return order >= int(share * weights.shape[-1])


def shared_again(weights: Tensor, share: float) -> Tensor:
    """Weights, a share -> what is kept, each row divided by its sum."""
    kept = weights * (torch.rand(weights.shape) >= share)
    return (kept / kept.sum(dim=-1, keepdim=True)).nan_to_num(0.0)


LINES = Edits(my_dropped_attention, {"chosen": "share if training else 0.0", "handed": "dropped"})
EDITS = Edits(
    by_hand,
    {
        "root": "math.sqrt(queries.shape[-1])",
        "drops": "training and share",
        "when": "training in drops",
        "dropped": "F.dropout(weights, share) @ values",
        "otherwise": "weights @ values",
    },
)
SECTIONS = {"lines": SIX_LINES}
WORDS = {
    "each": "draw once for each weight, torch.rand(weights.shape).",
}
MISTAKES = EDITS.mistakes(
    """
always-drops
    weights are dropped in training and outside it
    A function knows nothing about eval(): neither dropout_p nor F.dropout(weights, share) asks. And an
    nn.Dropout made inside starts in training mode. Pass 0 unless you are training.
    | when => True

never-drops
    you never drop a weight
    While training is True, a share of them should be dropped.
    | when => False

other-way-round
    you drop weights only when *not* training
    Dropout is for training=True.
    | when => not training

share-kept
    you took the share for the share to keep
    dropout_p is the share to drop, as everywhere in PyTorch.
    | share => 1 - share

half-always
    you drop half of the weights, whatever the share
    F.dropout and nn.Dropout drop 0.5 unless told otherwise: pass the share.
    | share => 0.5

on-output
    you dropped numbers of the output, not weights
    Dropping a weight takes the whole of its key's value out of the mixture. Drop before @ values, or
    leave it to dropout_p.
    | dropped => F.dropout(weights @ values, share)

on-values
    you dropped the values, not weights
    Then all queries lose the same numbers. Each query should lose keys of its own.
    | dropped => weights @ F.dropout(values, share)

on-scores
    you dropped scores, before softmax
    A score of 0 is not a weight of 0: no weight disappears. Drop after softmax.
    | dropped => torch.softmax(F.dropout(scores, share), dim=-1) @ values

not-enlarged
    you did not enlarge the weights that are kept
    With a share missing, the rest is divided by 1 − share so that the sum is right on average. F.dropout
    does that for you.
    | dropped => weights * (torch.rand(weights.shape) >= share) @ values

divided-by-the-share
    you divided the weights that are kept by the share that is dropped
    What is kept has to make up for the rest: divide by what is kept, 1 − share.
    | dropped => weights * (torch.rand(weights.shape) >= share) / share @ values
    | dropped => weights * (torch.rand(weights.shape) >= share) / share @ values; drops => when

share-is-what-is-kept
    you kept the share that should be dropped, and dropped the rest
    `torch.rand(...) < share` is True for the share: those are the ones to drop.
    @ kept = (torch.rand(weights.shape)<share)
    | dropped => weights * kept / (1 - share) @ values
    | dropped => weights * kept @ values
    | dropped => weights * kept @ values; drops => when
    | dropped => weights * kept / (1 - share) @ values; drops => when
    | dropped => weights * kept / share @ values; drops => when
    | dropped => (weights * kept / share).nan_to_num() @ values; drops => when

keys-dropped
    you dropped whole keys, the same for all queries
    Each query should lose keys of its own: {each}
    | dropped => weights * (torch.rand(weights.shape[-1]) >= share) / (1 - share) @ values

one-draw-for-a-stack
    you drew once for all sentences, or once for all heads
    Each head of each sentence should lose keys of its own: {each}
    | dropped => weights * (drawn(weights, -1, -2) >= share) / (1 - share) @ values
    | dropped => weights * (drawn(weights, -1, -2, -3) >= share) / (1 - share) @ values
    | dropped => weights * (drawn(weights, -1, -2, -4) >= share) / (1 - share) @ values

as-many-each
    every query lost the same number of keys
    Chance decides for each weight on its own. So one query loses more of its keys than another, and the
    share is right only on average.
    | dropped => weights * as_many_each(weights, share) / (1 - share) @ values

queries-dropped
    you dropped all the weights of a query together, or none of them
    Each query should lose some of its keys: {each}
    | dropped => weights * (torch.rand(*weights.shape[:-1], 1) >= share) / (1 - share) @ values

shared-again
    you divided each row by what was left of it
    Dropout enlarges every kept weight by the same factor, 1 / (1 − share). A row sums to 1 only on
    average.
    | dropped => shared_again(weights, share) @ values

shrunk-when-not-training
    you multiplied or divided the output by 1 − share outside training
    That belongs to another form of dropout, which does not enlarge weights in training. PyTorch's does,
    so nothing is left to do afterwards.
    | otherwise => it * (1 - share)
    | otherwise => it / (1 - share)

never-scaled § lines
    you never scaled the scores
    Divide by √d_k before softmax, or leave it to scaled_dot_product_attention.
    | root => 1
""",
    DROPOUT,
    SECTIONS,
    WORDS,
)
EXERCISE = MendDropout(
    name="torch-dropout",
    answer=my_dropped_attention,
    bug=LINES.bug("chosen =>; handed => share"),
    task="Dropout on the weights, and only while training.",
    given="always-drops",
    symptom="call it twice with training=False. The results differ, and numbers are missing. How is "
    "scaled_dot_product_attention to know that you are not training?",
    call="my_dropped_attention(queries, keys, values, share, training)",
    right=dropped_attention,
    recipe=EDITS.recipe(),
    probes=(
        _dropout_probe("one sentence", (), 0.5, False, 1, n_keys=3),
        Probe(EXAMPLE, OF_TASK, True, CHANCE),
        _dropout_probe("one long sentence, while training", (), 0.3, True, 20, n_keys=40),
        _dropout_probe("a batch of 2 sentences with 3 heads", (2, 3), 0.25, False, 40),
        _dropout_probe(
            "a batch of 2 sentences with 3 heads, a fifth dropped", (2, 3), 0.2, True, 60, n_keys=13
        ),
        _dropout_probe(
            "a batch of 2 sentences with 3 heads, three quarters dropped", (2, 3), 0.75, True, 80, n_keys=13
        ),
        _dropout_probe("a batch of 2 sentences, nothing to drop", (2,), 0.0, True, 90),
        *(
            Probe(kind, {**sizes, "share": 0.4, "training": False}, True, CHANCE)
            for kind, sizes in (
                ("one query", triple(n_queries=1, n_keys=4, d_k=3, d_v=5, start=101, dtype=np.float32)),
                ("one key", triple(n_queries=3, n_keys=1, d_k=2, d_v=4, start=111, dtype=np.float32)),
                ("d_k 1 and d_v 1", triple(n_queries=3, n_keys=6, d_k=1, d_v=1, start=121, dtype=np.float32)),
                (
                    "a batch of one sentence",
                    triple(1, n_queries=3, n_keys=4, d_k=6, d_v=2, start=131, dtype=np.float32),
                ),
                (
                    "a batch of one sentence with 2 heads",
                    triple(1, 2, n_queries=4, n_keys=3, d_k=5, d_v=2, start=141, dtype=np.float32),
                ),
            )
        ),
    ),
    properties=(Property("not training", "outside training no weight is dropped", _drops_out_of_training),),
    axes=("query", "entry"),
    mistakes=MISTAKES,
    hints=(
        "dropout_p drops whenever it is above 0. The function is not a module, and has no eval mode.",
        "Which number should dropout_p be when training is False?",
        "dropout_p=share if training else 0.0",
    ),
    explain="In a module: `dropout_p=self.dropout if self.training else 0.0`. F.dropout(weights, share, "
    "training=training) @ values is right, too.",
    reread=DROPOUT,
)

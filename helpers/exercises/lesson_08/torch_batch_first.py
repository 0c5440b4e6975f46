"""torch-batch-first, lesson 08.

The maps of every head, sentence by sentence, out of nn.MultiheadAttention.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.feedback import number
from helpers.exercises.engine.probes import EXAMPLE, Form, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property, alike
from helpers.exercises.lesson_08.shared import MODULE, SIX_LINES, WHICH_AXIS
from helpers.pytorch.attention import attention
from helpers.validation import Array

WHOSE_BATCH = "08: Whose batch comes first?"


def split_rows(rows: Tensor, n_heads: int) -> Tensor:
    """(B, n, n_heads·d_head) -> (B, n_heads, n, d_head)."""
    return rows.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def head_maps(x: Tensor, in_proj_weight: Tensor, n_heads: int) -> Tensor:
    """x (B, n, d_model), the packed projections, n_heads -> weights (B, n_heads, n, n)."""
    w_q, w_k, _ = in_proj_weight.chunk(3)
    queries, keys = (split_rows(x @ w.T, n_heads) for w in (w_q, w_k))
    _, weights = attention(queries, keys, keys)
    return weights


def _no_map(inputs: Mapping[str, Any], result: Array) -> Array:
    """What has the shape of x is no map: its numbers, made by a W_O drawn by chance, tell nothing."""
    x = next(iter(inputs.values()))  # a property's call knows no names
    return np.zeros_like(result) if result.shape == x.shape else result


MAPS = Form(tensors=True, seen=_no_map)


def _maps_probe(
    kind: str, batch: int, n: int, n_heads: int, d_head: int, start: int, hard: bool = False
) -> Probe:
    d_model = n_heads * d_head
    inputs = {
        "x": numbers(batch, n, d_model, start=start, dtype=np.float32),
        "in_proj_weight": numbers(3 * d_model, d_model, start=start + 500, dtype=np.float32) / 2,
        "n_heads": n_heads,
    }
    return Probe(kind, inputs, hard, MAPS)


OF_TASK: dict[str, Any] = {
    "x": np.zeros((2, 3, 4), dtype=np.float32),
    "in_proj_weight": np.zeros((12, 4), dtype=np.float32),
    "n_heads": 2,
}


def _maps_sum_to_1(_inputs: Mapping[str, Any], maps: Array, _call: Any) -> str:
    sums = maps.sum(axis=-1).ravel()
    wrong = np.flatnonzero(abs(sums - 1) > 1e-3)
    return f"A row of weights sums to {number(sums[wrong[0]])}; each should sum to 1." if len(wrong) else ""


def _given_weights_used(inputs: Mapping[str, Any], maps: Array, call: Any) -> str:
    x, in_proj_weight, n_heads = inputs.values()
    if x.shape[1] == 1 or not x.any():
        return ""  # the weights are the same, whatever in_proj_weight is
    again = call(x, in_proj_weight[::-1].copy(), n_heads)
    same = alike(again, maps) and np.allclose(again, maps, atol=1e-6)
    return "Another in_proj_weight gives the same maps: the one that is given is not used." if same else ""


def my_head_maps(x: Tensor, in_proj_weight: Tensor, n_heads: int) -> Tensor:
    """(B, n, d_model), (3·d_model, d_model), n_heads -> weights (B, n_heads, n, n)."""
    layer = nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)
    layer.in_proj_weight = nn.Parameter(in_proj_weight)
    _, weights = layer(x, x, x, average_attn_weights=False)
    return weights


def by_hand(x: Tensor, in_proj_weight: Tensor, n_heads: int) -> Tensor:
    """The same as my_head_maps, without a layer: the mistakes are made here."""
    stored = in_proj_weight.chunk(3)
    queries, keys = split_rows(x @ stored[0].T, n_heads), split_rows(x @ stored[1].T, n_heads)
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
    return torch.softmax(scores, dim=-1)


LINES = Edits(my_head_maps, {
    "layer": "nn.MultiheadAttention(x.shape[-1], n_heads, bias=False, batch_first=True)",
    "called": "layer(x, x, x, average_attn_weights=False)",
})  # fmt: skip
EDITS = Edits(
    by_hand,
    {
        "w_q": "stored[0]",
        "w_k": "stored[1]",
        "turned_q": "stored[0].T",
        "turned_k": "stored[1].T",
        "turned": "turned_q + turned_k",
        "split_q": "split_rows(x @ stored[0].T, n_heads)",
        "split_k": "split_rows(x @ stored[1].T, n_heads)",
        "split": "split_q + split_k",
        "root": "math.sqrt(queries.shape[-1])",
        "maps": "torch.softmax(scores, dim=-1)",
    },
)
SECTIONS = {"lines": SIX_LINES, "module": MODULE, "heads": WHICH_AXIS, "axis": "03: Which axis?"}
WORDS = {
    "each": "One distribution for each query: along the keys, the last axis, dim=-1.",
    "all": "(B, n_heads, n, n).",
}
MISTAKES = EDITS.mistakes(
    """
batch-attended-and-averaged
    attention ran over the batch, and the heads were averaged
    Unless you tell it otherwise, nn.MultiheadAttention expects (n, B, d_model), so it takes tokens for
    sentences. It also gives the mean of the heads' weights. You can change both: the first when you make
    the layer, the second when you call it.
    | x => x.transpose(0, 1); result => it.mean(dim=1)

batch-attended
    attention ran over the batch: sentences attended to sentences
    Unless it is told otherwise, nn.MultiheadAttention expects (n, B, d_model). Pass batch_first=True when
    you make it, or x.transpose(0, 1) when you call it: one of the two, not both.
    | x => x.transpose(0, 1)

averaged
    the weights are the mean over the heads
    That is what nn.MultiheadAttention returns by default. Call it with average_attn_weights=False to get
    the weights of every head.
    | result => it.mean(dim=1)
    | result => it.mean(dim=1, keepdim=True)

mean-repeated
    every head got the mean over the heads
    The shape is right now, but all the maps are the same. average_attn_weights=False gives each head's
    own.
    | result => it.mean(dim=1, keepdim=True).expand(it.shape)

summed
    you added up the heads' weights
    The task asks for each head's own: average_attn_weights=False.
    | result => it.sum(dim=1)

reshaped-into-place
    `reshape` put the tokens into (n, B, d_model), and mixed the sentences up
    reshape cuts the same run of numbers in other places. transpose(0, 1) swaps the axes, and with
    batch_first=True you need neither.
    | x => x.reshape(x.shape[1], x.shape[0], -1).transpose(0, 1)

output-returned
    you returned something of the shape of x, such as the layer's output, not the weights
    nn.MultiheadAttention returns two things, first the output, then the weights. The task asks for the
    second: (B, n_heads, n, n).
    | result => torch.zeros(x.shape)

maps-turned
    you transposed the maps: their rows are keys
    Rows are queries, and sum to 1.
    | result => it.transpose(-2, -1)

over-queries § axis
    softmax ran over the queries
    {each}
    | maps => torch.softmax(scores, dim=-2)

over-heads § axis
    softmax ran along dim=1: over the heads
    {each}
    | maps => torch.softmax(scores, dim=1)

heads-first
    you swapped the axes of sentences and heads
    The sentence comes first: {all}
    | result => it.transpose(0, 1)

one-sentence-only
    you returned the maps of one sentence
    The task asks for all sentences of the batch: {all}
    | result => it[0]

one-head-only
    you returned the map of one head
    All heads are asked for: {all}
    | result => it[:, 0]

queries-and-keys-swapped § module
    you swapped queries and keys
    in_proj_weight holds the queries' matrix first, then the keys'.
    | w_q => stored[1]; w_k => stored[0]

values-matched § module
    you used the values' matrix where the keys' matrix belongs
    in_proj_weight holds the queries' matrix first, then the keys', then the values'.
    | w_k => stored[2]; w_q

not-transposed § module
    you multiplied the tokens by the matrices as they are stored, (out, in)
    nn.Linear computes x @ weight.T.
    | turned => it.T

one-not-transposed § module
    you transposed one of the two matrices, and multiplied by the other as it is stored, (out, in)
    nn.Linear computes x @ weight.T, for the queries and for the keys.
    | turned_q => w_q
    | turned_k => w_k

divided-by-d_head § lines
    you divided the scores by d_head
    Divide by its root: √d_head.
    | root => queries.shape[-1]

root-d_model
    you divided the scores by √d_model
    Each head compares d_head numbers: divide by √d_head.
    | root => math.sqrt(x.shape[-1])

never-scaled § lines
    you never scaled the scores
    Each head divides by √d_head.
    | root => 1

one-reshape § heads
    you made the heads with a single reshape: head 0 got the first tokens, not the first columns
    Cut each token's row into heads, and then swap axes 1 and 2.
    | split => it.transpose(1, 2).reshape(it.shape)
""",
    WHOSE_BATCH,
    SECTIONS,
    WORDS,
)
EXERCISE = Mend(
    name="torch-batch-first",
    answer=my_head_maps,
    bug=LINES.bug(
        "layer => nn.MultiheadAttention(x.shape[-1], n_heads, bias=False); called => layer(x, x, x)"
    ),
    task="The maps of every head, sentence by sentence, out of nn.MultiheadAttention.",
    given="batch-attended-and-averaged",
    symptom="for 2 sentences of 3 tokens the shape is (3, 2, 2). Who attends to whom in a map of 2 × 2? And "
    "where is the axis of the heads?",
    call="my_head_maps(x, in_proj_weight, n_heads)",
    right=head_maps,
    recipe=EDITS.recipe(),
    probes=(
        _maps_probe("two sentences of 3 tokens, 2 heads", 2, 3, 2, 2, 1),
        Probe(EXAMPLE, OF_TASK, True, MAPS),
        _maps_probe("two sentences of 5 tokens, 3 heads", 2, 5, 3, 2, 40),
        _maps_probe("three sentences of 7 tokens, 2 heads", 3, 7, 2, 4, 90),
        _maps_probe("three sentences of 5 tokens, 4 heads", 3, 5, 4, 3, 140),
        _maps_probe("one sentence", 1, 3, 2, 4, 190, hard=True),
        _maps_probe("three sentences of one token", 3, 1, 2, 2, 240, hard=True),
        _maps_probe("one head", 2, 5, 1, 4, 270, hard=True),
        _maps_probe("one head of one column", 2, 4, 1, 1, 290, hard=True),
    ),
    properties=(
        Property("rows sum to 1", "each row of weights sums to 1", _maps_sum_to_1),
        Property("given weights", "the weights you are given are used", _given_weights_used),
    ),
    axes=("query", "key"),
    of_none="With need_weights=False nn.MultiheadAttention gives None for the weights. If you did not write "
    "that: does every path end in `return`?",
    mistakes=MISTAKES,
    hints=(
        "Print x.shape. nn.MultiheadAttention expects (n, B, d_model), unless you tell it that the batch "
        "comes first.",
        "Pass batch_first=True when you make the layer.",
        "Pass average_attn_weights=False when you call it.",
    ),
    explain="Two defaults, and neither raises an error: batch_first=False and average_attn_weights=True.",
    reread=WHOSE_BATCH,
)

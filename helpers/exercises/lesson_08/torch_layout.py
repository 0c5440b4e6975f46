"""torch-layout, lesson 08: multi-head attention in the layout (B, n, n_heads, d_head)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property, alike
from helpers.exercises.lesson_08.shared import SIX_LINES, TENSORS, WHICH_AXIS
from helpers.validation import Array


def _heads_probe(
    kind: str, batch: int, n: int, n_heads: int, d_head: int, start: int, hard: bool = False
) -> Probe:
    width = n_heads * d_head
    inputs: dict[str, Any] = {
        name: numbers(batch, n, width, start=start + 400 * place, dtype=np.float32)
        for place, name in enumerate(("queries", "keys", "values"))
    }
    return Probe(kind, {**inputs, "n_heads": n_heads}, hard, TENSORS)


OF_TASK: dict[str, Any] = {
    "queries": np.zeros((1, 2, 2), dtype=np.float32),
    "keys": np.zeros((1, 2, 2), dtype=np.float32),
    "values": np.array([[[0.0, 0.0], [4.0, 8.0]]], dtype=np.float32),
    "n_heads": 1,
}


def _others_are_read(inputs: Mapping[str, Any], output: Array, call: Any) -> str:
    queries, keys, values, n_heads = inputs.values()
    changed = values.copy()
    changed[:, -1] += 3
    again = call(queries, keys, changed, n_heads)
    same = alike(again, output)
    if same and not np.any(abs(again - output)[:, 0] > 1e-5):
        return "Changing the value of the last token does not move the output of the first: it is not read."
    return ""


def my_heads(queries: Tensor, keys: Tensor, values: Tensor, n_heads: int) -> Tensor:
    """(B, n, n_heads·d_head) three times, n_heads -> (B, n, n_heads·d_head)."""
    batch, n, width = queries.shape
    q = queries.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)
    k = keys.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)
    v = values.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)
    output = F.scaled_dot_product_attention(q, k, v)
    return output.transpose(1, 2).reshape(batch, n, width)


def along(q: Tensor, k: Tensor, v: Tensor, dim: int) -> Tensor:
    """Queries, keys and values of the heads -> output, with softmax along another axis."""
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return torch.softmax(scores, dim=dim) @ v


EDITS = Edits(
    my_heads,
    {
        "of_q": "queries.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)",
        "of_k": "keys.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)",
        "of_v": "values.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)",
        "heads": "of_q + of_k + of_v",
        "scaled": "queries.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)",
        "cut": "values.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)",
        "merged": "output.transpose(1, 2)",
        "attend": "F.scaled_dot_product_attention(q, k, v)",
    },
)
SECTIONS = {"lines": SIX_LINES, "axis": "03: Which axis?"}
MISTAKES = EDITS.mistakes(
    """
heads-attended
    at each place the heads attend to one another, and no token attends to any other
    The last two axes should be tokens and the numbers of one head: (B, n_heads, n, d_head). Swap axes 1
    and 2 before, and swap them back after.
    | heads => it.transpose(1, 2); result => output.reshape(batch, n, width)

not-swapped-back
    you did not swap the axes back before merging the heads, so tokens get one another's numbers
    After attention the shape is (B, n_heads, n, d_head). transpose(1, 2) first, and then reshape.
    | result => output.reshape(batch, n, width)

swapped-only-after
    you swapped the axes after attention, but not before it
    Heads still attend to heads, and then the result is scrambled. Swap queries, keys and values first.
    | heads => it.transpose(1, 2); result

one-reshape
    you made the heads with a single reshape: head 0 got the first tokens, not the first columns
    reshape only cuts the same run of numbers in other places. Cut each token's row into heads, (B, n,
    n_heads, d_head), and then swap axes 1 and 2.
    | heads => it.transpose(1, 2).reshape(it.shape)
    | heads => it.transpose(1, 2).reshape(it.shape); result => output.reshape(batch, n, width)

every-nth-column
    head h got every n_heads-th number of a token
    The first d_head numbers belong to head 0, the next to head 1: reshape to (…, n_heads, d_head), in
    this order.
    @ nth = it.transpose(1,2).flatten(2).unflatten(-1,(-1,n_heads)).permute(0,3,1,2)
    | heads => nth
    | heads => nth; result => output.permute(0, 2, 3, 1).reshape(batch, n, width)

d_head-for-n_heads
    you swapped the number of heads and the width of a head
    A token's row is n_heads pieces, each d_head long: (B, n, n_heads, d_head), in this order.
    | heads => it.transpose(1, 2).flatten(2).unflatten(-1, (-1, n_heads)).transpose(1, 2)

values-otherwise
    you cut the values into heads differently from queries and keys
    All three need the same two steps: (B, n, n_heads, d_head), and then axes 1 and 2 swapped.
    | cut => values.reshape(batch, n, n_heads, width // n_heads)
    | cut => values.reshape(batch, n_heads, n, width // n_heads)
    | cut => values.reshape(batch, n, width // n_heads, n_heads).permute(0, 3, 1, 2)

never-merged
    you did not put the heads back into one row
    (B, n, n_heads, d_head) becomes (B, n, n_heads·d_head) by a reshape: each token's row holds its heads
    one after the other.
    | result => output.transpose(1, 2)
    | result => output

merged-entry-by-entry
    the merged row holds entry 0 of each head, then entry 1, and so on
    The numbers of a head stay together: transpose(1, 2), then reshape.
    | result => output.permute(0, 2, 3, 1).reshape(batch, n, width)

no-heads
    you treated all the numbers as one head
    Each head has weights of its own. Cut the rows into n_heads pieces first.
    | heads => it.transpose(1, 2).flatten(2)[:, None]; result => output[:, 0]

last-axes-swapped
    you swapped tokens with the numbers of a head, so numbers attended to numbers
    transpose(1, 2) of (B, n, n_heads, d_head) gives (B, n_heads, n, d_head). transpose(-2, -1) swaps
    other axes.
    | heads => it.transpose(-2, -1); result => output.permute(0, 3, 1, 2).reshape(batch, n, width)

batch-and-tokens-swapped
    attention ran over the batch: sentences read sentences
    Swap axes 1 and 2, tokens and heads. Axis 0 is the batch.
    | heads => it.permute(1, 2, 0, 3); result => output.transpose(0, 2).reshape(batch, n, width)

root-d_model
    you divided the scores by the root of the whole width
    A head compares d_head numbers: divide by √d_head, which scaled_dot_product_attention does for you.
    | scaled => it * (it.shape[-1] / width) ** 0.5

scaled-twice § lines
    the scores are divided by d_head: by its root twice, or by the whole of it
    scaled_dot_product_attention divides by √d_head itself, as its name says. By hand, divide by the root,
    once.
    | scaled => it / it.shape[-1] ** 0.5

never-scaled § lines
    you never scaled the scores
    Divide by √d_head before softmax, or leave it to scaled_dot_product_attention.
    | scaled => it * it.shape[-1] ** 0.5

over-queries § axis
    softmax ran over the queries
    One distribution for each query: along the keys, the last axis, dim=-1.
    | attend => along(q, k, v, -2)

over-heads § axis
    softmax ran over the heads
    One distribution for each query: along the keys, the last axis, dim=-1.
    | attend => along(q, k, v, 1)

causal-too
    you hid the future
    The task does not ask for that: each token reads the whole of its sentence.
    | attend => F.scaled_dot_product_attention(q, k, v, is_causal=True)
""",
    WHICH_AXIS,
    SECTIONS,
)
EXERCISE = Mend(
    name="torch-layout",
    answer=my_heads,
    bug=EDITS.bug(
        "of_q => queries.reshape(batch, n, n_heads, width // n_heads); "
        "of_k => keys.reshape(batch, n, n_heads, width // n_heads); "
        "of_v => values.reshape(batch, n, n_heads, width // n_heads); "
        "merged => output"
    ),
    task="Multi-head attention in the layout (B, n, n_heads, d_head).",
    given="heads-attended",
    symptom="with one head each token gets its own values back: it has read no other. "
    "scaled_dot_product_attention takes the last two axes for tokens and their numbers. Which axes are they "
    "here?",
    call="my_heads(queries, keys, values, n_heads)",
    right=my_heads,
    recipe=EDITS.recipe(),
    probes=(
        _heads_probe("two sentences of 3 tokens, 2 heads", 2, 3, 2, 2, 1),
        Probe(EXAMPLE, OF_TASK, True, TENSORS),
        _heads_probe("two sentences of 7 tokens, 3 heads", 2, 7, 3, 4, 20),
        _heads_probe("three sentences of 5 tokens, 4 heads", 3, 5, 4, 2, 40),
        _heads_probe("two sentences of 5 tokens, one head", 2, 5, 1, 6, 60),
        _heads_probe("three sentences, as many tokens as heads", 3, 4, 4, 3, 80),
        _heads_probe("one sentence, 2 heads", 1, 4, 2, 3, 100, hard=True),
        _heads_probe("two sentences of one token", 2, 1, 3, 2, 120, hard=True),
        _heads_probe("one column", 2, 3, 1, 1, 140, hard=True),
    ),
    properties=(Property("others", "each token reads the others", _others_are_read),),
    axes=("query", "entry"),
    mistakes=MISTAKES,
    hints=(
        "Print q.shape. scaled_dot_product_attention lets the second-to-last axis attend to itself.",
        "(B, n, n_heads, d_head) has to become (B, n_heads, n, d_head): transpose(1, 2), for q, k and v.",
        "And back again before the reshape at the end: output.transpose(1, 2).reshape(batch, n, width).",
    ),
    explain="transpose swaps two axes without moving numbers. Once they are out of order in memory, `view` "
    "complains and `reshape` copies them.",
    reread=WHICH_AXIS,
)

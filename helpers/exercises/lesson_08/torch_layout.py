"""torch-layout, lesson 08: multi-head attention in the layout (B, n, n_heads, d_head)."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_08.shared import SIX_LINES, TENSORS, WHICH_AXIS, Step, one_reshape, split_rows
from helpers.validation import Array


def _merge(output: Tensor, rows: Tensor) -> Tensor:
    return output.transpose(1, 2).reshape(rows.shape)


def _no_swap(rows: Tensor, n_heads: int) -> Tensor:
    return rows.unflatten(-1, (n_heads, -1))


def _no_swap_back(output: Tensor, rows: Tensor) -> Tensor:
    return output.reshape(rows.shape)


def _every_nth_column(rows: Tensor, n_heads: int) -> Tensor:
    return rows.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)


def _heads_by_choices(
    queries: Tensor, keys: Tensor, values: Tensor, n_heads: int, *, split: Step = split_rows,
    merge: Step = _merge, divide: Step | None = None, causal: bool = False, cut_values: Step | None = None,
) -> Tensor:  # fmt: skip
    q, k, v = (split(rows, n_heads) for rows in (queries, keys, values))
    v = v if cut_values is None else cut_values(values, n_heads)
    scale = None if divide is None else 1 / divide(q.shape[-1], queries.shape[-1])
    output = F.scaled_dot_product_attention(q, k, v, scale=scale, is_causal=causal)
    return merge(output, queries)


def _heads_probe(kind: str, batch: int, n: int, n_heads: int, d_head: int, start: int) -> Probe:
    width = n_heads * d_head
    inputs: dict[str, Any] = {
        name: numbers(batch, n, width, start=start + 400 * place, dtype=np.float32)
        for place, name in enumerate(("queries", "keys", "values"))
    }
    return Probe(kind, {**inputs, "n_heads": n_heads}, form=TENSORS)


def _others_are_read(inputs: Mapping[str, Any], output: Array, call: Any) -> str:
    queries, keys, values, n_heads = inputs.values()
    changed = values.copy()
    changed[:, -1] += 3
    again = call(queries, keys, changed, n_heads)
    same = again is not None and again.shape == output.shape
    if same and not np.any(abs(again - output)[:, 0] > 1e-5):
        return "Changing the value of the last token does not move the output of the first: it is not read."
    return ""


def bug(queries: Tensor, keys: Tensor, values: Tensor, n_heads: int) -> Tensor:
    """(B, n, n_heads·d_head) three times, n_heads -> output, wrong: heads attend to heads."""
    batch, n, width = queries.shape
    q = queries.reshape(batch, n, n_heads, width // n_heads)
    k = keys.reshape(batch, n, n_heads, width // n_heads)
    v = values.reshape(batch, n, n_heads, width // n_heads)
    output = F.scaled_dot_product_attention(q, k, v)
    return output.reshape(batch, n, width)


def my_heads(queries: Tensor, keys: Tensor, values: Tensor, n_heads: int) -> Tensor:
    """(B, n, n_heads·d_head) three times, n_heads -> (B, n, n_heads·d_head)."""
    batch, n, width = queries.shape
    q = queries.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)
    k = keys.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)
    v = values.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)
    output = F.scaled_dot_product_attention(q, k, v)
    return output.transpose(1, 2).reshape(batch, n, width)


EXERCISE = Mend(
    name="torch-layout",
    answer=my_heads,
    bug=bug,
    task="Multi-head attention in the layout (B, n, n_heads, d_head).",
    given="heads-attended",
    symptom="with one head each token gets its own values back: it has read nobody else. "
    "scaled_dot_product_attention takes the last two axes for tokens and numbers. Which axes are these here?",
    call="my_heads(queries, keys, values, n_heads)",
    right=my_heads,
    recipe=_heads_by_choices,
    probes=(
        _heads_probe("two sentences of 3 tokens, 2 heads", 2, 3, 2, 2, 1),
        _heads_probe("two sentences of 7 tokens, 3 heads", 2, 7, 3, 4, 20),
        _heads_probe("three sentences of 5 tokens, 4 heads", 3, 5, 4, 2, 40),
        _heads_probe("two sentences of 5 tokens, one head", 2, 5, 1, 6, 60),
        _heads_probe("three sentences, as many tokens as heads", 3, 4, 4, 3, 80),
    ),
    properties=(Property("others", "each token reads the others", _others_are_read),),
    axes=("query", "entry"),
    mistakes=(
        Mistake(
            "heads-attended",
            "at each place the heads attended to one another, and no token to any other",
            "The last two axes should be tokens and the numbers of one head: (B, n_heads, n, d_head). Swap "
            "axes 1 and 2 before, and swap them back after.",
            WHICH_AXIS,
            split=_no_swap,
            merge=_no_swap_back,
        ),
        Mistake(
            "not-swapped-back",
            "the axes were not swapped back before the heads were merged: tokens get numbers of others",
            "After attention the shape is (B, n_heads, n, d_head). transpose(1, 2) first, and then reshape.",
            WHICH_AXIS,
            merge=_no_swap_back,
        ),
        Mistake(
            "swapped-only-after",
            "the axes were swapped after attention, and not before",
            "So heads still attend to heads, and the result is scrambled. Swap queries, keys and values "
            "first.",
            WHICH_AXIS,
            split=_no_swap,
            merge=lambda output, rows: output.transpose(1, 2).reshape(rows.shape),
        ),
        Mistake(
            "one-reshape",
            "one reshape made the heads: head 0 got the first tokens, not the first columns",
            "reshape only cuts the row of numbers elsewhere. Cut each token's row into heads, (B, n, "
            "n_heads, d_head), and then swap axes 1 and 2.",
            WHICH_AXIS,
            also=[{"split": one_reshape, "merge": _no_swap_back}],
            split=one_reshape,
        ),
        Mistake(
            "every-nth-column",
            "head h got every n_heads-th number of a token",
            "The first d_head numbers belong to head 0, the next to head 1: reshape to (…, n_heads, d_head), "
            "in this order.",
            WHICH_AXIS,
            also=[
                {
                    "split": _every_nth_column,
                    "merge": lambda output, rows: output.permute(0, 2, 3, 1).reshape(rows.shape),
                }
            ],
            split=_every_nth_column,
        ),
        Mistake(
            "d_head-for-n_heads",
            "the number of heads and the width of a head changed places",
            "A token's row is n_heads pieces, each d_head long: (B, n, n_heads, d_head), in this order.",
            WHICH_AXIS,
            split=lambda rows, n_heads: rows.unflatten(-1, (-1, n_heads)).transpose(1, 2),
        ),
        Mistake(
            "values-otherwise",
            "the values were cut into heads in another way than queries and keys",
            "All three need the same two steps: (B, n, n_heads, d_head), and then axes 1 and 2 swapped.",
            WHICH_AXIS,
            also=[{"cut_values": one_reshape}, {"cut_values": _every_nth_column}],
            cut_values=_no_swap,
        ),
        Mistake(
            "never-merged",
            "the heads were not put back into one row",
            "(B, n, n_heads, d_head) becomes (B, n, n_heads·d_head) by a reshape: each token's row holds its "
            "heads one after the other.",
            WHICH_AXIS,
            also=[{"merge": lambda output, rows: output}],
            merge=lambda output, rows: output.transpose(1, 2),
        ),
        Mistake(
            "merged-entry-by-entry",
            "the merged row holds entry 0 of each head, then entry 1, and so on",
            "The numbers of a head stay together: transpose(1, 2), then reshape.",
            WHICH_AXIS,
            merge=lambda output, rows: output.permute(0, 2, 3, 1).reshape(rows.shape),
        ),
        Mistake(
            "no-heads",
            "all numbers were taken as one head",
            "Each head has weights of its own. Cut the rows into n_heads pieces first.",
            WHICH_AXIS,
            also=[
                {
                    "split": lambda rows, n_heads: rows[:, None],
                    "merge": lambda output, rows: output[:, 0],
                    "divide": lambda d_head, width: math.sqrt(width),
                }
            ],
            split=lambda rows, n_heads: rows[:, None],
            merge=lambda output, rows: output[:, 0],
        ),
        Mistake(
            "last-axes-swapped",
            "tokens and the numbers of a head changed places: numbers attended to numbers",
            "transpose(1, 2) of (B, n, n_heads, d_head) gives (B, n_heads, n, d_head). transpose(-2, -1) "
            "swaps other axes.",
            WHICH_AXIS,
            split=lambda rows, n_heads: split_rows(rows, n_heads).transpose(-2, -1),
            merge=lambda output, rows: _merge(output.transpose(-2, -1), rows),
        ),
        Mistake(
            "batch-and-tokens-swapped",
            "the batch was attended to: sentences read sentences",
            "Swap axes 1 and 2, tokens and heads. Axis 0 is the batch.",
            WHICH_AXIS,
            split=lambda rows, n_heads: _no_swap(rows, n_heads).transpose(0, 2),
            merge=lambda output, rows: output.transpose(0, 2).reshape(rows.shape),
        ),
        Mistake(
            "root-d_model",
            "the scores were divided by the root of the whole width",
            "A head compares d_head numbers: √d_head, which scaled_dot_product_attention takes by itself.",
            WHICH_AXIS,
            divide=lambda d_head, width: math.sqrt(width),
        ),
        Mistake(
            "scaled-twice",
            "the scores were scaled twice",
            "scaled_dot_product_attention scales by itself, as its name says.",
            SIX_LINES,
            divide=lambda d_head, width: d_head,
        ),
        Mistake(
            "never-scaled",
            "the scores were never scaled",
            "Divide by √d_head before softmax, or leave it to scaled_dot_product_attention.",
            SIX_LINES,
            divide=lambda d_head, width: 1,
        ),
        Mistake(
            "causal-too",
            "the future was hidden",
            "Nobody asked for that here: each token reads all of its sentence.",
            WHICH_AXIS,
            causal=True,
        ),
    ),
    hints=(
        "Print q.shape. scaled_dot_product_attention lets the last axis but one attend to itself.",
        "(B, n, n_heads, d_head) has to become (B, n_heads, n, d_head): transpose(1, 2), for q, k and v.",
        "And back again before the reshape at the end: output.transpose(1, 2).reshape(batch, n, width).",
    ),
    explain="transpose swaps two axes without moving numbers. Where they no longer lie in order, `view` "
    "complains, and `reshape` copies them.",
    reread=WHICH_AXIS,
)

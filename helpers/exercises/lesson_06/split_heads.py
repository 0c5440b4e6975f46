"""split-heads, lesson 06: rows into heads, for one sentence and for stacks."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, example, numbers
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_06.shared import (  # noqa: F401 (edits name some of them)
    NOTHING_LOST,
    RUNS,
    SPLITTING,
    as_in_pytorch,
    first_three_axes_taken,
    three_axes_and_permute,
    three_axes_and_two_transposed,
    three_axes_and_view,
    three_axes_taken_apart,
    traced,
)
from helpers.multi_head import split_heads
from helpers.validation import Array


def _row_0_of_head_0(inputs: Any, heads: Array, _call: Any) -> str:
    rows, n_heads = inputs["rows"], inputs["n_heads"]
    first, wanted = (0,) * (rows.ndim - 1), rows[(0,) * (rows.ndim - 1)][: rows.shape[-1] // n_heads]
    if heads.ndim != rows.ndim + 1 or np.allclose(heads[(*first, 0)], wanted, atol=1e-4):
        return ""
    return "Token 0 of head 0 should be the first d_head numbers of token 0."


def my_split_heads(rows: Array, n_heads: int) -> Array:
    """(..., n, n_heads·d_head), n_heads -> (..., n_heads, n, d_head)."""
    *stack, n, width = rows.shape
    runs = rows.reshape(*stack, n, n_heads, width // n_heads)
    return np.swapaxes(runs, -3, -2)


SECTIONS = {"bare": "06: What a bare reshape does"}
WORDS = {
    "runs": RUNS,
    "cut": "Cut each row into (n_heads, d_head), in this order, and swap tokens and heads: axes −3 and −2.",
}
EDITS = Edits(my_split_heads, {})
MISTAKES = EDITS.mistakes(
    """
one-reshape § bare
    you made the rows into heads with a reshape alone
    `reshape` never moves a number: it reads row after row, and fills head 0 with the whole of the first
    tokens. Cut each row into (n_heads, d_head) first, then swap the axes of tokens and heads.
    | result => rows.reshape(*stack, n_heads, n, width // n_heads)
    | result => rows.reshape(*stack, n_heads, n, -1)
    | result => rows.reshape(n_heads, -1, width // n_heads)
    | result => rows.reshape(n_heads, len(rows), -1)
    | result => rows.reshape(n_heads, n, -1)

interleaved
    you dealt the columns out in turn, like cards: head 0 got columns 0, n_heads, 2·n_heads, …
    {runs} So cut each row into (n_heads, d_head), in this order: heads first, and without order="F".
    | result => np.moveaxis(rows.reshape(*stack, n, width // n_heads, n_heads), -1, -3)

not-swapped
    the heads' axis still comes after the tokens' axis
    Each head needs a table of its own, tokens by columns, so that @ passes the heads through: swap the axes
    of tokens and heads.
    | result => runs
    | result => np.stack(np.split(rows, n_heads, axis=-1), axis=-2)

wrong-two-swapped
    you swapped the last two axes: the heads and their columns
    After the cut the axes are (..., n, n_heads, d_head). Swap tokens and heads: axes −3 and −2.
    | result => np.swapaxes(runs, -1, -2)

heads-turned
    each head's table is transposed: its columns are the tokens
    A token is a row, in each head as well: (..., n_heads, n, d_head).
    | result => np.swapaxes(it, -1, -2)

swapped-in-front
    you swapped axes 0 and 1, which are tokens and heads only when there is one sentence
    On a stack the sentences come first. Count from the end: axes −3 and −2.
    | result => np.swapaxes(runs, 0, 1)

heads-in-front
    the heads became the very first axis, in front of the sentences
    Sentences stay in front: (..., n_heads, n, d_head). np.stack takes an axis, counted from the end, −3.
    | result => np.array(np.split(rows, n_heads, axis=-1))

three-axes-only
    the code is written for exactly three axes
    `*stack, n, width = rows.shape` takes any number of leading axes, even none. Count axes from the end.
    | result => three_axes_taken_apart(rows, n_heads)
    | result => runs.transpose(0, 2, 1, 3)
    | result => np.swapaxes(runs, 1, 2)
    | result => rows.reshape(rows.shape[0], rows.shape[1], n_heads, -1).transpose(0, 2, 1, 3)
    | result => first_three_axes_taken(rows, n_heads)
    | result => runs.reshape(-1, n, n_heads, width // n_heads).swapaxes(1, 2)
    | result => three_axes_taken_apart(rows[None] if rows.ndim == 2 else rows, n_heads)

sentences-joined
    you joined the tokens of all sentences into one long sentence
    Sentences do not mix. A reshape to (-1, …) folds all leading axes into one; `*stack, n, width =
    rows.shape` keeps them.
    | result => np.swapaxes(rows.reshape(-1, n_heads, width // n_heads), 0, 1)

whole-width
    every head got all the columns
    The heads share the width: each gets d_head = width // n_heads columns.
    | result => np.stack([rows] * n_heads, axis=-3)

same-columns
    every head got the same columns, the first ones
    {runs}
    | result => np.stack([rows[..., : width // n_heads]] * n_heads, axis=-3)

counts-swapped
    you took n_heads for the width of a head
    There are n_heads heads, and each is width // n_heads wide: cut each row into (n_heads, d_head).
    | result => split_heads(rows, width // n_heads)

turned-first § bare
    you transposed the rows, and then made them into heads with a reshape
    `reshape` reads the transposed table row by row, and mixes tokens and columns. Cut each row into
    (n_heads, d_head), then swap the axes of tokens and heads.
    | result => np.swapaxes(rows, -1, -2).reshape(*stack, n_heads, n, width // n_heads)

fixed-heads
    the number of heads is fixed, whatever n_heads says
    Use n_heads, and take the width of a head from the rows: width // n_heads.
    @ n_fixed = 2 3 4
    | result => split_heads(rows, n_fixed)

all-axes-reversed
    you reversed all the axes
    `.T` and np.transpose reverse every axis. Only tokens and heads should change places: axes −3 and −2.
    | result => runs.T

two-axes-transposed
    you gave `transpose` two axes
    In PyTorch x.transpose(-3, -2) swaps two axes. NumPy's `transpose` takes the new order of all axes;
    np.swapaxes(x, -3, -2) swaps two.
    | result => runs.transpose(-3, -2)

three-axes-as-in-pytorch
    | result => three_axes_and_two_transposed(rows, n_heads)
    | result => three_axes_and_view(rows, n_heads)
    | result => three_axes_and_permute(rows, n_heads)

fixed-width
    the width of a head is fixed, whatever the rows and n_heads say
    The heads share the width of the rows: each gets width // n_heads columns.
    @ k = 2 3 4
    | result => np.swapaxes(rows.reshape(*stack, n, n_heads, k), -3, -2)
    @ k = 2 3 4
    | result => np.swapaxes(rows.reshape(*stack, n, -1, k), -3, -2)
    @ k = 2 3 4
    | result => np.stack([rows[..., h * k : (h + 1) * k] for h in range(n_heads)], axis=-3)

last-column-lost
    you left out the last column of each head
    Run h goes from column h · d_head to (h + 1) · d_head. A slice ends before its stop: take nothing off it.
    | result => it[..., :-1]

first-axis-as-tokens
    you took the first axis for the tokens, which is true of one sentence only
    On a stack `rows.shape[0]` counts sentences. Count from the end: the tokens are axis −2.
    | result => rows.reshape(rows.shape[0], n_heads, -1).transpose(1, 0, 2)

tokens-cut
    you shared out the tokens among the heads, not the columns
    Every head sees every token. np.split cuts axis 0 unless told otherwise; the columns are axis −1.
    | result => np.array(np.split(rows, n_heads, axis=-2))
    | result => np.array(np.split(rows, n_heads))
    | result => rows.reshape(*stack, n_heads, n // n_heads, width)
    | result => np.stack(np.array_split(rows, n_heads, axis=-2), axis=-3)
    | result => np.array(np.array_split(rows, n_heads, axis=-2))

interleaved-not-swapped
    you dealt the columns out in turn, like cards, and the heads' axis still comes after the tokens'
    {runs} {cut}
    | result => np.swapaxes(rows.reshape(*stack, n, width // n_heads, n_heads), -1, -2)

heads-last
    you cut each row into (d_head, n_heads) and moved no axis, so the heads' axis is the last one
    {runs} {cut}
    | result => rows.reshape(*stack, n, width // n_heads, n_heads)

one-below-the-other
    you stacked the heads one below another, without an axis of their own
    Each head has a table of its own, (..., n_heads, n, d_head). np.stack makes a new axis; np.concatenate
    does not.
    | result => np.concatenate(np.split(rows, n_heads, axis=-1), axis=-2)

first-head-only
    only the first head came back
    The task asks for all heads, along an axis of their own.
    | result => rows[..., : width // n_heads]
    | result => it[..., :1, :, :]

last-head-only
    only the last head came back
    The task asks for all heads, along an axis of their own: collect them in a list, one in each pass
    through the loop.
    | result => rows[..., -(width // n_heads) :]

heads-backwards
    the heads came out in reverse order
    {runs}
    | result => it[..., ::-1, :, :]

overlapping
    each run of columns starts one column after the one before
    {runs} So run h starts at column h · d_head.
    | result => np.stack([rows[..., h : h + width // n_heads] for h in range(n_heads)], axis=-3)

unchanged
    the rows came back as they were
    {runs}
    | result => rows
""",
    SPLITTING,
    SECTIONS,
    WORDS,
    told=(as_in_pytorch("split", "rows"),),
)

EXERCISE = Write(
    name="split-heads",
    answer=my_split_heads,
    task="Rows into heads, for one sentence and for stacks.",
    call="my_split_heads(rows, n_heads)",
    right=split_heads,
    recipe=EDITS.recipe(),
    probes=(
        Probe("one sentence, 2 heads", {"rows": traced(4, 6), "n_heads": 2}),
        example(rows=np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), n_heads=2),
        Probe("one sentence, 3 heads", {"rows": numbers(5, 12), "n_heads": 3}),
        Probe("float32, 4 heads", {"rows": numbers(3, 8, start=40, dtype=np.float32), "n_heads": 4}),
        Probe("one sentence, 5 heads", {"rows": numbers(7, 15, start=90), "n_heads": 5}),
        Probe("a batch of 2 sentences", {"rows": numbers(2, 5, 12, start=150), "n_heads": 3}),
        Probe("a batch of 3 sentences", {"rows": numbers(3, 4, 10, start=300), "n_heads": 5}),
        Probe("2 texts of 3 sentences", {"rows": numbers(2, 3, 5, 8, start=500), "n_heads": 4}),
        Probe("one head", {"rows": numbers(3, 5, start=610), "n_heads": 1}, True),
        Probe("one token", {"rows": numbers(1, 6, start=620), "n_heads": 3}, True),
        Probe("one column", {"rows": numbers(4, 1, start=630), "n_heads": 1}, True),
        Probe("heads of one column", {"rows": numbers(3, 4, start=635), "n_heads": 4}, True),
        Probe("a batch of one sentence", {"rows": numbers(1, 3, 8, start=640), "n_heads": 2}, True),
        Probe("one text of 3 sentences", {"rows": numbers(1, 3, 2, 6, start=650), "n_heads": 2}, True),
    ),
    properties=(
        Property("first run", "head 0 starts with the first columns", _row_0_of_head_0),
        NOTHING_LOST,
    ),
    axes=("head", "token", "column"),
    two_stacked=("text", "sentence"),
    mistakes=MISTAKES,
    hints=(
        "Two steps. First cut the last axis of each row in two: which shape has n_heads runs of d_head "
        "numbers in each row?",
        "rows.reshape(..., n, n_heads, d_head). Now the heads come after the tokens.",
        "np.swapaxes with axes −3 and −2 moves the heads in front of the tokens. `*stack, n, width = "
        "rows.shape` unpacks any shape.",
    ),
    explain="Cut each row into (n_heads, d_head), then swap tokens and heads. A bare reshape to "
    "(..., n_heads, n, d_head) has the right shape, but hands whole tokens to a head.",
    reread=SPLITTING,
)

"""merge-bug, lesson 06: heads side by side again; the given function has the right shape and wrong rows."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, example, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_06.shared import (
    MERGING,
    NOTHING_LOST,
    merged_shape,
    nothing_lost,
    traced,
)
from helpers.multi_head import merge_heads, split_heads
from helpers.validation import Array


def four_axes_taken_apart(heads: Array) -> Array:
    batch, n_heads, n, d_head = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, n, n_heads * d_head)


def four_axes_and_two_transposed(heads: Array) -> Array:
    batch, n_heads, n, d_head = heads.shape
    return heads.transpose(1, 2).reshape(batch, n, n_heads * d_head)


def _row_0_starts_with_head_0(inputs: Any, merged: Array, _call: Any) -> str:
    heads = inputs["heads"]
    d_head = heads.shape[-1]
    row = merged[(0,) * (merged.ndim - 1)] if merged.ndim else merged
    if (
        merged.shape != merged_shape(heads)
        or nothing_lost(inputs, merged, _call)  # that says more
        or np.allclose(row[:d_head], heads[(0,) * (heads.ndim - 1)], atol=1e-4)
    ):
        return ""
    return "The first row should start with what head 0 has of token 0."


def _row_0_goes_on_with_head_1(inputs: Any, merged: Array, _call: Any) -> str:
    heads = inputs["heads"]
    d_head = heads.shape[-1]
    place = (*(0,) * (heads.ndim - 3), 1, 0)
    row = merged[(0,) * (merged.ndim - 1)] if merged.ndim else merged
    if (
        heads.shape[-3] == 1
        or merged.shape != merged_shape(heads)
        or nothing_lost(inputs, merged, _call)
        or np.allclose(row[d_head : 2 * d_head], heads[place], atol=1e-4)
    ):
        return ""
    return "After head 0's numbers of token 0 the first row should go on with head 1's numbers of token 0."


def _traced_heads(n_heads: int, n: int, d_head: int) -> Array:
    """What splitting rows gives whose numbers say where they come from."""
    return split_heads(traced(n, n_heads * d_head), n_heads).astype(np.int64)


def my_merge_heads(heads: Array) -> Array:
    """(..., n_heads, n, d_head) -> (..., n, n_heads·d_head): each token's numbers side by side again."""
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads, -3, -2).reshape(*stack, n, n_heads * d_head)


EDITS = Edits(my_merge_heads, {"swapped": "np.swapaxes(heads, -3, -2)"})
WORDS = {
    "side": "Each token's row is its numbers from head 0, then those from head 1, and so on.",
    "keep": "Each sentence keeps a table of its own. `*stack, n_heads, n, d_head = heads.shape` keeps the "
    "leading axes.",
    "axis_1": "you took axis 1 for the heads, which is true only of a batch of sentences",
}
MISTAKES = EDITS.mistakes(
    """
merge-one-reshape
    the heads are merged by a reshape alone, without the swap
    `reshape` never moves a number: it reads all of head 0, token after token, before it comes to head 1.
    Swap the axes of heads and tokens back first. (np.swapaxes returns a new array: give it a name.)
    | result => heads.reshape(it.shape)
    | result => heads.reshape(*stack, n, -1)

merge-interleaved
    the merged row takes one number from each head in turn
    {side} The heads' axis belongs directly before their columns' axis, and the reshape reads in its usual
    order, without order="F".
    | result => np.moveaxis(heads, -3, -1).reshape(it.shape)

merge-wrong-two-swapped
    you swapped the last two axes, tokens and columns, before the reshape
    Swap heads and tokens, axes −3 and −2: then the heads come directly before their columns, and the
    reshape joins those two axes.
    | result => np.swapaxes(heads, -1, -2).reshape(it.shape)

swap-after-reshape
    you reshaped the heads first, and swapped axes afterwards
    By then the reshape has mixed tokens and columns. Swap first, then reshape.
    | result => np.swapaxes(heads.reshape(*stack, n_heads * d_head, n), -1, -2)
    | result => np.swapaxes(heads.reshape(*stack, n, n_heads, d_head), -3, -2).reshape(it.shape)

not-reshaped
    you swapped the axes, but have not yet joined the last two
    After the swap the axes are (..., n, n_heads, d_head). A reshape makes one row of the last two.
    | result => swapped

two-axes-transposed
    you gave `transpose` two axes
    In PyTorch x.transpose(-3, -2) swaps two axes. NumPy's `transpose` takes the new order of all axes;
    np.swapaxes(x, -3, -2) swaps two.
    | result => heads.transpose(-3, -2)

batch-of-heads-transposed
    {axis_1}, and `transpose` was given two axes
    In PyTorch x.transpose(1, 2) swaps two axes; NumPy's `transpose` takes the new order of all axes. Use
    np.swapaxes, and count from the end: axes −3 and −2.
    | result => four_axes_and_two_transposed(heads)

always-three-axes
    the result always has three axes
    For one sentence there should be two, and for texts of several sentences four. `*stack, n_heads, n,
    d_head = heads.shape` keeps the leading axes as they are.
    | result => swapped.reshape(-1, n, n_heads * d_head)

rows-not-tokens
    the result has a row for each head, or for each sentence, not one for each token
    heads.shape is the shape from before the swap. There are n rows, one for each token, in each sentence.
    | result => swapped.reshape(*stack, n_heads, -1)
    | result => swapped.reshape(heads.shape[0], -1)

summed
    you added up the heads
    {side} In a sum you can no longer tell which head said what; W_O does the mixing afterwards.
    @ axis_ = -3 1 0
    | result => heads.sum(axis=axis_)

averaged
    you averaged the heads
    {side} In a mean you can no longer tell which head said what; W_O does the mixing afterwards.
    @ axis_ = -3 1 0
    | result => heads.mean(axis=axis_)

largest
    you took the largest number over all heads
    {side}
    | result => heads.max(axis=-3)

swapped-in-front
    you swapped axes 0 and 1, which are heads and tokens only when there is one sentence
    On a stack the sentences come first. Count from the end: axes −3 and −2.
    | result => np.swapaxes(heads, 0, 1).reshape(it.shape)
    | result => np.swapaxes(heads, 0, 1).reshape(*stack, n, -1)

swapped-in-front-of-a-batch
    {axis_1}
    The number of axes in front may change. Count from the end: axes −3 and −2.
    | result => np.swapaxes(heads, 1, 2).reshape(it.shape)
    | result => heads.transpose(0, 2, 1, 3).reshape(it.shape)
    | result => four_axes_taken_apart(heads)
    | result => np.concatenate([heads[:, i] for i in range(heads.shape[1])], axis=-1)

sentences-side-by-side
    you set the items of the first axis side by side, which on a stack are sentences, not heads
    The heads are axis −3, with any number of axes in front of it.
    | result => np.concatenate(list(heads), axis=-1)
    | result => np.hstack(list(heads))

one-below-the-other
    you stacked the heads one below another
    {side} There is still one row for each token.
    | result => heads.reshape(*stack, n_heads * n, d_head)
    | result => np.concatenate(list(heads))
    | result => np.vstack(list(heads))
    | result => np.concatenate(list(heads), axis=-2)

all-axes-reversed
    you reversed all the axes
    `.T` and np.transpose reverse every axis. Only heads and tokens should change places: axes −3 and −2.
    | result => heads.T.reshape(it.shape)

columns
    the merged table is transposed: its columns are the tokens
    A token is a row: (..., n, n_heads·d_head).
    | result => np.swapaxes(it, -1, -2)

sentences-joined
    you joined the tokens of all sentences into one table
    {keep}
    | result => it.reshape(-1, n_heads * d_head)

sentences-in-one-row
    a reshape to (n, -1) put the numbers of several sentences into one row
    {keep}
    | result => swapped.reshape(n, -1)

first-head-only
    only the first head is left
    {side}
    | result => heads[..., 0, :, :]

last-head-only
    only the last head is left
    {side}
    | result => heads[..., -1, :, :]

heads-backwards
    the last head comes first in each row
    {side}
    | result => merge_heads(heads[..., ::-1, :, :])

unchanged
    the heads came back as they were
    {side}
    | result => heads
""",
    MERGING,
    words=WORDS,
)

EXERCISE = Mend(
    name="merge-bug",
    answer=my_merge_heads,
    bug=EDITS.bug("swapped => heads"),
    task="Heads side by side again; the given function has the right shape and wrong rows.",
    given="merge-one-reshape",
    symptom="a reshape reads the numbers in their order and never moves one. Which number follows the last "
    "one of token 0 in head 0? And which should follow it in the merged row?",
    call="my_merge_heads(heads)",
    right=merge_heads,
    recipe=EDITS.recipe(),
    probes=(
        Probe("one sentence, 2 heads", {"heads": _traced_heads(2, 4, 3)}),
        example(heads=np.array([[[1, 2], [5, 6]], [[3, 4], [7, 8]]])),
        Probe("one sentence, 3 heads", {"heads": numbers(3, 5, 4)}),
        Probe("float32, 4 heads", {"heads": numbers(4, 3, 2, start=70, dtype=np.float32)}),
        Probe("one sentence, 5 heads", {"heads": numbers(5, 7, 3, start=110)}),
        Probe("a batch of 2 sentences", {"heads": numbers(2, 3, 5, 4, start=200)}),
        Probe("a batch of 3 sentences", {"heads": numbers(3, 5, 4, 2, start=400)}),
        Probe("2 texts of 3 sentences", {"heads": numbers(2, 3, 4, 5, 7, start=700)}),
        Probe("one head", {"heads": numbers(1, 4, 3, start=810)}, True),
        Probe("one token", {"heads": numbers(3, 1, 2, start=820)}, True),
        Probe("heads of one column", {"heads": numbers(2, 3, 1, start=830)}, True),
        Probe("a batch of one sentence", {"heads": numbers(1, 2, 3, 4, start=840)}, True),
        Probe("one text of 3 sentences", {"heads": numbers(1, 3, 2, 5, 4, start=850)}, True),
    ),
    properties=(
        NOTHING_LOST,
        Property("first head first", "row 0 starts with head 0", _row_0_starts_with_head_0),
        Property("then the second", "then comes head 1", _row_0_goes_on_with_head_1),
    ),
    axes=("token", "column"),
    two_stacked=("text", "sentence"),
    mistakes=MISTAKES,
    hints=(
        "Splitting was: cut the rows, then swap. How do you undo two steps, and in which order?",
        "Before the reshape the axes should be (..., n, n_heads, d_head).",
        "np.swapaxes with axes −3 and −2, then the reshape as it stands.",
    ),
    explain="Swap back, so that the heads come directly before their columns; then the reshape joins those "
    "two axes and moves nothing.",
    reread=MERGING,
)

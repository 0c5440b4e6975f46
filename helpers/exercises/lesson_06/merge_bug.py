"""merge-bug, lesson 06: heads side by side again; the given function has the right shape and wrong rows."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_06.shared import (
    MERGING,
    NOTHING_LOST,
    SIDE_BY_SIDE,
    Step,
    merge_mistakes,
    merged_shape,
    nothing_lost,
    traced,
)
from helpers.multi_head import merge_heads, split_heads
from helpers.validation import Array


def _four_axes_taken_apart(heads: Array) -> Array:
    batch, n_heads, n, d_head = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, n, n_heads * d_head)


def _four_axes_and_two_transposed(heads: Array) -> Array:
    batch, n_heads, n, d_head = heads.shape
    return heads.transpose(1, 2).reshape(batch, n, n_heads * d_head)


def _merge_by_choices(heads: Array, *, merge: Step = merge_heads) -> Array:
    return merge(heads)


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
        merged.shape != merged_shape(heads)
        or nothing_lost(inputs, merged, _call)
        or np.allclose(row[d_head : 2 * d_head], heads[place], atol=1e-4)
    ):
        return ""
    return "After head 0's numbers of token 0 the first row should go on with head 1's numbers of token 0."


def _traced_heads(n_heads: int, n: int, d_head: int) -> Array:
    """What splitting rows gives whose numbers say where they come from."""
    return split_heads(traced(n, n_heads * d_head), n_heads).astype(np.int64)


def bug(heads: Array) -> Array:
    """(..., n_heads, n, d_head) -> (..., n, n_heads·d_head), wrong: reshaped without the swap."""
    *stack, n_heads, n, d_head = heads.shape
    return heads.reshape(*stack, n, n_heads * d_head)


def my_merge_heads(heads: Array) -> Array:
    """(..., n_heads, n, d_head) -> (..., n, n_heads·d_head): each token's numbers side by side again."""
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads, -3, -2).reshape(*stack, n, n_heads * d_head)


EXERCISE = Mend(
    name="merge-bug",
    answer=my_merge_heads,
    bug=bug,
    task="Heads side by side again; the given function has the right shape and wrong rows.",
    given="merge-one-reshape",
    symptom="a reshape reads the numbers in their order and never moves one. Which number follows the last "
    "one of token 0 in head 0? And which should follow it in the merged row?",
    call="my_merge_heads(heads)",
    right=merge_heads,
    recipe=_merge_by_choices,
    probes=(
        Probe("one sentence, 2 heads", {"heads": _traced_heads(2, 4, 3)}),
        Probe("one sentence, 3 heads", {"heads": numbers(3, 5, 4)}),
        Probe("float32, 4 heads", {"heads": numbers(4, 3, 2, start=70, dtype=np.float32)}),
        Probe("one sentence, 5 heads", {"heads": numbers(5, 7, 3, start=110)}),
        Probe("a batch of 2 sentences", {"heads": numbers(2, 3, 5, 4, start=200)}),
        Probe("a batch of 3 sentences", {"heads": numbers(3, 5, 4, 2, start=400)}),
        Probe("2 texts of 3 sentences", {"heads": numbers(2, 3, 4, 5, 7, start=700)}),
    ),
    properties=(
        NOTHING_LOST,
        Property("first head first", "row 0 starts with head 0", _row_0_starts_with_head_0),
        Property("then the second", "then comes head 1", _row_0_goes_on_with_head_1),
    ),
    axes=("token", "column"),
    two_stacked=("text", "sentence"),
    mistakes=(
        *merge_mistakes(),
        Mistake(
            "not-reshaped",
            "the axes were swapped, and the last two not yet joined",
            "After the swap the axes are (..., n, n_heads, d_head). A reshape makes one row of the last two.",
            MERGING,
            merge=lambda heads: np.swapaxes(heads, -3, -2),
        ),
        Mistake(
            "two-axes-transposed",
            "`transpose` was given two axes",
            "In PyTorch x.transpose(-3, -2) swaps two axes. NumPy's `transpose` takes the new order of all "
            "axes; np.swapaxes(x, -3, -2) swaps two.",
            MERGING,
            merge=lambda heads: heads.transpose(-3, -2),
        ),
        Mistake(
            "batch-of-heads-transposed",
            "axis 1 was taken for the heads, which is so for a batch of sentences only, and `transpose` was "
            "given two axes",
            "In PyTorch x.transpose(1, 2) swaps two axes; NumPy's `transpose` takes the new order of all "
            "axes. Use np.swapaxes, and count from the end: axes −3 and −2.",
            MERGING,
            merge=_four_axes_and_two_transposed,
        ),
        Mistake(
            "always-three-axes",
            "the result always has three axes",
            "For one sentence there should be two, and for texts of several sentences four. "
            "`*stack, n_heads, n, d_head = heads.shape` keeps the leading axes as they are.",
            MERGING,
            merge=lambda h: np.swapaxes(h, -3, -2).reshape(-1, h.shape[-2], h.shape[-3] * h.shape[-1]),
        ),
        Mistake(
            "rows-not-tokens",
            "the result has a row for each head, or for each sentence, not one for each token",
            "heads.shape is that from before the swap. There are n rows, one for each token, in each "
            "sentence.",
            MERGING,
            also=[{"merge": lambda h: np.swapaxes(h, -3, -2).reshape(h.shape[0], -1)}],
            merge=lambda h: np.swapaxes(h, -3, -2).reshape(*h.shape[:-2], -1),
        ),
        Mistake(
            "summed",
            "the heads were added up",
            SIDE_BY_SIDE + " A sum loses which head said what; W_O does the mixing, afterwards.",
            MERGING,
            also=[{"merge": lambda heads: heads.sum(axis=1)}, {"merge": lambda heads: heads.sum(axis=0)}],
            merge=lambda heads: heads.sum(axis=-3),
        ),
        Mistake(
            "averaged",
            "the heads were averaged",
            SIDE_BY_SIDE + " A mean loses which head said what; W_O does the mixing, afterwards.",
            MERGING,
            also=[{"merge": lambda heads: heads.mean(axis=1)}, {"merge": lambda heads: heads.mean(axis=0)}],
            merge=lambda heads: heads.mean(axis=-3),
        ),
        Mistake(
            "largest",
            "of all heads the largest number was taken",
            SIDE_BY_SIDE,
            MERGING,
            merge=lambda heads: heads.max(axis=-3),
        ),
        Mistake(
            "swapped-in-front",
            "axes 0 and 1 were swapped, which are heads and tokens for one sentence only",
            "On a stack the sentences come first. Count from the end: axes −3 and −2.",
            MERGING,
            also=[{"merge": lambda h: np.swapaxes(h, 0, 1).reshape(*h.shape[:-3], h.shape[-2], -1)}],
            merge=lambda heads: np.swapaxes(heads, 0, 1).reshape(merged_shape(heads)),
        ),
        Mistake(
            "swapped-in-front-of-a-batch",
            "axis 1 was taken for the heads, which is so for a batch of sentences only",
            "How many axes stand in front may change. Count from the end: axes −3 and −2.",
            MERGING,
            also=[
                {"merge": lambda h: h.transpose(0, 2, 1, 3).reshape(merged_shape(h))},
                {"merge": _four_axes_taken_apart},
                {"merge": lambda h: np.concatenate([h[:, i] for i in range(h.shape[1])], axis=-1)},
            ],
            merge=lambda heads: np.swapaxes(heads, 1, 2).reshape(merged_shape(heads)),
        ),
        Mistake(
            "sentences-side-by-side",
            "the items of the first axis were set side by side; on a stack these are sentences, not heads",
            "The heads are axis −3, with any number of axes in front of it.",
            MERGING,
            also=[{"merge": lambda heads: np.hstack(list(heads))}],
            merge=lambda heads: np.concatenate(list(heads), axis=-1),
        ),
        Mistake(
            "one-below-the-other",
            "the heads were set one below the other",
            SIDE_BY_SIDE + " The number of rows stays that of the tokens.",
            MERGING,
            also=[
                {"merge": lambda heads: np.concatenate(list(heads))},
                {"merge": lambda heads: np.vstack(list(heads))},
                {"merge": lambda heads: np.concatenate(list(heads), axis=-2)},
            ],
            merge=lambda h: h.reshape(*h.shape[:-3], h.shape[-3] * h.shape[-2], h.shape[-1]),
        ),
        Mistake(
            "all-axes-reversed",
            "all axes were turned round",
            "`.T` and np.transpose reverse every axis. Only heads and tokens should change places: axes −3 "
            "and −2.",
            MERGING,
            merge=lambda heads: heads.T.reshape(merged_shape(heads)),
        ),
        Mistake(
            "columns",
            "the merged table is turned: its columns are the tokens",
            "A token is a row: (..., n, n_heads·d_head).",
            MERGING,
            merge=lambda heads: np.swapaxes(merge_heads(heads), -1, -2),
        ),
        Mistake(
            "sentences-joined",
            "the tokens of all sentences were joined into one table",
            "Each sentence keeps a table of its own. `*stack, n_heads, n, d_head = heads.shape` keeps the "
            "leading axes.",
            MERGING,
            merge=lambda heads: merge_heads(heads).reshape(-1, heads.shape[-3] * heads.shape[-1]),
        ),
        Mistake(
            "sentences-in-one-row",
            "a reshape to (n, -1) put the numbers of several sentences into one row",
            "Each sentence keeps a table of its own. `*stack, n_heads, n, d_head = heads.shape` keeps the "
            "leading axes.",
            MERGING,
            merge=lambda heads: np.swapaxes(heads, -3, -2).reshape(heads.shape[-2], -1),
        ),
        Mistake(
            "first-head-only",
            "only the first head is left",
            SIDE_BY_SIDE,
            MERGING,
            merge=lambda heads: heads[..., 0, :, :],
        ),
        Mistake(
            "last-head-only",
            "only the last head is left",
            SIDE_BY_SIDE,
            MERGING,
            merge=lambda heads: heads[..., -1, :, :],
        ),
        Mistake(
            "heads-backwards",
            "the last head stands first in each row",
            SIDE_BY_SIDE,
            MERGING,
            merge=lambda heads: merge_heads(heads[..., ::-1, :, :]),
        ),
        Mistake(
            "unchanged",
            "the heads came back as they were",
            SIDE_BY_SIDE,
            MERGING,
            merge=lambda heads: heads,
        ),
    ),
    hints=(
        "Splitting was: cut the rows, then swap. What undoes two steps, and in which order?",
        "Before the reshape the axes should be (..., n, n_heads, d_head).",
        "np.swapaxes with axes −3 and −2, then the reshape as it stands.",
    ),
    explain="Swap back, so that the heads stand directly before their columns; then the reshape joins these "
    "two axes and moves nothing.",
    reread=MERGING,
)

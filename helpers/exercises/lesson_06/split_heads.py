"""split-heads, lesson 06: rows into heads, for one sentence and for stacks."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_06.shared import (
    NOTHING_LOST,
    RUNS,
    SPLITTING,
    Step,
    as_in_pytorch,
    in_runs,
    split_mistakes,
    traced,
)
from helpers.multi_head import split_heads
from helpers.validation import Array


def _only_split_mistakes() -> tuple[Mistake, ...]:
    """Those that are seen where the heads themselves come back."""
    return (
        Mistake(
            "all-axes-reversed",
            "all axes were turned round",
            "`.T` and np.transpose reverse every axis. Only tokens and heads should change places: axes −3 "
            "and −2.",
            SPLITTING,
            split=lambda rows, n_heads: in_runs(rows, n_heads).T,
        ),
        Mistake(
            "two-axes-transposed",
            "`transpose` was given two axes",
            "In PyTorch x.transpose(-3, -2) swaps two axes. NumPy's `transpose` takes the new order of all "
            "axes; np.swapaxes(x, -3, -2) swaps two.",
            SPLITTING,
            split=lambda rows, n_heads: in_runs(rows, n_heads).transpose(-3, -2),
        ),
        as_in_pytorch("split", "rows"),
        Mistake(
            "first-axis-as-tokens",
            "the first axis was taken for the tokens, which is so for one sentence only",
            "On a stack `rows.shape[0]` counts sentences. Count from the end: the tokens are axis −2.",
            SPLITTING,
            split=lambda rows, n_heads: rows.reshape(rows.shape[0], n_heads, -1).transpose(1, 0, 2),
        ),
        Mistake(
            "tokens-cut",
            "the tokens were shared out among the heads, not the columns",
            "Every head sees every token. np.split cuts axis 0 unless told otherwise; the columns are axis "
            "−1.",
            SPLITTING,
            also=[
                {"split": lambda r, h: np.array(np.split(r, h))},
                {"split": lambda r, h: r.reshape(*r.shape[:-2], h, r.shape[-2] // h, r.shape[-1])},
                {"split": lambda r, h: np.stack(np.array_split(r, h, axis=-2), axis=-3)},
                {"split": lambda r, h: np.array(np.array_split(r, h, axis=-2))},
            ],
            split=lambda rows, n_heads: np.array(np.split(rows, n_heads, axis=-2)),
        ),
        Mistake(
            "interleaved-not-swapped",
            "the columns were dealt out in turn, like cards, and the heads still stand behind the tokens",
            RUNS + " Cut each row into (n_heads, d_head), in this order, and swap tokens and heads: axes −3 "
            "and −2.",
            SPLITTING,
            split=lambda rows, n_heads: np.swapaxes(
                rows.reshape(*rows.shape[:-1], rows.shape[-1] // n_heads, n_heads), -1, -2
            ),
        ),
        Mistake(
            "heads-last",
            "each row was cut into (d_head, n_heads), and no axis was moved: the heads are the last one",
            RUNS + " Cut each row into (n_heads, d_head), in this order, and swap tokens and heads: axes −3 "
            "and −2.",
            SPLITTING,
            split=lambda rows, n_heads: rows.reshape(*rows.shape[:-1], rows.shape[-1] // n_heads, n_heads),
        ),
        Mistake(
            "one-below-the-other",
            "the heads were set one below the other, without an axis of their own",
            "Each head has a table of its own, (..., n_heads, n, d_head). np.stack makes a new axis, and "
            "np.concatenate does not.",
            SPLITTING,
            split=lambda rows, n_heads: np.concatenate(np.split(rows, n_heads, axis=-1), axis=-2),
        ),
        Mistake(
            "first-head-only",
            "only the first head came back",
            "All heads are asked for, along an axis of their own.",
            SPLITTING,
            also=[{"split": lambda r, h: split_heads(r, h)[..., :1, :, :]}],
            split=lambda rows, n_heads: rows[..., : rows.shape[-1] // n_heads],
        ),
        Mistake(
            "last-head-only",
            "only the last head came back",
            "All heads are asked for, along an axis of their own: collect them in a list, one in each round "
            "of the loop.",
            SPLITTING,
            split=lambda rows, n_heads: rows[..., -(rows.shape[-1] // n_heads) :],
        ),
        Mistake(
            "heads-backwards",
            "the heads came out in reverse order",
            RUNS,
            SPLITTING,
            split=lambda rows, n_heads: split_heads(rows, n_heads)[..., ::-1, :, :],
        ),
        Mistake(
            "overlapping",
            "each run of columns starts one column after the one before",
            RUNS + " So run h starts at column h · d_head.",
            SPLITTING,
            split=lambda rows, n_heads: np.stack(
                [rows[..., h : h + rows.shape[-1] // n_heads] for h in range(n_heads)], axis=-3
            ),
        ),
        Mistake(
            "unchanged",
            "the rows came back as they were",
            RUNS,
            SPLITTING,
            split=lambda rows, n_heads: rows,
        ),
    )


def _split_by_choices(rows: Array, n_heads: int, *, split: Step = split_heads) -> Array:
    return split(rows, n_heads)


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


EXERCISE = Write(
    name="split-heads",
    answer=my_split_heads,
    task="Rows into heads, for one sentence and for stacks.",
    call="my_split_heads(rows, n_heads)",
    right=split_heads,
    recipe=_split_by_choices,
    probes=(
        Probe("one sentence, 2 heads", {"rows": traced(4, 6), "n_heads": 2}),
        Probe("one sentence, 3 heads", {"rows": numbers(5, 12), "n_heads": 3}),
        Probe("float32, 4 heads", {"rows": numbers(3, 8, start=40, dtype=np.float32), "n_heads": 4}),
        Probe("one sentence, 5 heads", {"rows": numbers(7, 15, start=90), "n_heads": 5}),
        Probe("a batch of 2 sentences", {"rows": numbers(2, 5, 12, start=150), "n_heads": 3}),
        Probe("a batch of 3 sentences", {"rows": numbers(3, 4, 10, start=300), "n_heads": 5}),
        Probe("2 texts of 3 sentences", {"rows": numbers(2, 3, 5, 8, start=500), "n_heads": 4}),
    ),
    properties=(
        Property("first run", "head 0 starts with the first columns", _row_0_of_head_0),
        NOTHING_LOST,
    ),
    axes=("head", "token", "column"),
    two_stacked=("text", "sentence"),
    mistakes=(*split_mistakes(), *_only_split_mistakes()),
    hints=(
        "Two steps. First cut the last axis of each row in two: which shape has n_heads runs of d_head "
        "numbers in each row?",
        "rows.reshape(..., n, n_heads, d_head). Now the heads stand behind the tokens.",
        "np.swapaxes with axes −3 and −2 brings the heads in front. `*stack, n, width = rows.shape` takes "
        "any shape apart.",
    ),
    explain="Cut each row into (n_heads, d_head), then swap tokens and heads. A bare reshape to "
    "(..., n_heads, n, d_head) has the right shape and gives whole tokens to a head.",
    reread=SPLITTING,
)

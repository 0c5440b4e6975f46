"""Exercises of lesson 06: why look in several ways at once?"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.diagnosis import Mistake
from helpers.exercises.kinds import Mend, Open, Predict, Property, Slip, Write
from helpers.exercises.lesson_01 import match_mistakes, same, whole_numbers_kept
from helpers.exercises.lesson_02 import scale_mistakes
from helpers.exercises.lesson_03 import SOFTMAX, axis_mistakes, share_mistakes, shift_mistakes
from helpers.exercises.lesson_04 import SELF_ATTENTION
from helpers.exercises.probes import Probe, exact, numbers
from helpers.multi_head import Projections, merge_heads, multi_head_attention, split_heads
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array

ONE_HEAD = "06: One head, one mixture"
SPLITTING = "06: Splitting into heads"
BARE = "06: What a bare reshape does"
MERGING = "06: Merging, and W_O"
SUM = "06: The sum over heads"
BY_HAND = "06: Three hand-built heads"
COUNTING = "06: Counting parameters"
LARGE = "02: What large scores do"
AXIS = "03: Which axis?"
PROJECTING = "04: Queries, keys and values"
COLUMNS_OF_04 = "04: The column convention"
FUTURE = "05: The future must be hidden"

Step = Callable[..., Any]

# --- predict-heads -----------------------------------------------------------------------------------

PREDICT_HEADS = Predict(
    name="predict-heads",
    task="The shape of the scores of 3 heads, from queries and keys of shape (2, 6, 12).",
    answer=(2, 3, 6, 6),
    because="2 sentences, in each 3 heads, and each head has a table of its own: 6 queries by 6 keys. The "
    "4 numbers that a head has of each token are summed away by the dot product.",
    slips=(
        Slip(
            "split-only",
            (2, 3, 6, 4),
            "That is the shape of the queries of all heads. The scores match each of the 6 queries with each "
            "of the 6 keys.",
        ),
        Slip(
            "not-swapped",
            (2, 6, 3, 4),
            "Those are the rows, cut into 3 runs of 4 numbers. Then the axis of the heads moves in front of "
            "that of the tokens, and queries meet keys.",
        ),
        Slip("one-head", (2, 6, 6), "That is one table for each sentence. Each of the 3 heads has its own."),
        Slip("no-batch", (3, 6, 6), "That is right for one sentence. There are 2."),
        Slip("one-table", (6, 6), "That is one table. There is one for each head of each sentence."),
        Slip(
            "heads-matched",
            (2, 6, 3, 3),
            "There each token matches its heads with one another. Tokens should be matched with tokens.",
        ),
        Slip(
            "entries-matched",
            (2, 3, 4, 4),
            "There the 4 entries of a head are matched with one another. Tokens should be matched with "
            "tokens.",
        ),
        Slip(
            "heads-first", (3, 2, 6, 6), "All the parts are there. The sentences stand first, then the heads."
        ),
        Slip("heads-last", (2, 6, 6, 3), "All the parts are there. The heads stand before queries and keys."),
        Slip(
            "heads-between",
            (2, 6, 3, 6),
            "All the parts are there. The heads stand before the queries, so that each has a whole table.",
        ),
        Slip(
            "four-heads",
            (2, 4, 6, 6),
            "There are 3 heads, each with 4 of the 12 numbers. Here it is the other way round.",
        ),
        Slip(
            "twelve-heads",
            (2, 12, 6, 6),
            "12 is the width of all heads together. It is split into 3 heads, each 4 wide.",
        ),
        Slip("folded", (6, 6, 6), "There sentences and heads share one axis, 2 × 3. They have an axis each."),
        Slip("not-summed", (2, 3, 6, 12), "A score is one number: its vectors' entries are summed away."),
        Slip(
            "not-summed-in-head",
            (2, 3, 6, 6, 4),
            "Those are the products before they are summed. The dot product adds the last axis up.",
        ),
        Slip(
            "tokens-shared-out",
            (2, 3, 2, 12),
            "There the tokens were shared out. Each head sees all 6 tokens, and some of their columns.",
        ),
        Slip(
            "tokens-shared-out-scores",
            (2, 3, 2, 2),
            "There the tokens were shared out among the heads. Each head sees all 6 tokens.",
        ),
        Slip(
            "how-many",
            (216,),
            "216 is how many scores there are. The task asks for the shape: a tuple of sizes; 216 is their "
            "product.",
        ),
        Slip("rows", (2, 6, 12), "That is the shape of the queries before anything is done."),
        Slip(
            "output",
            (2, 6, 4),
            "That is what one head gives back. The question is its scores, and all heads.",
        ),
        Slip("all-tokens", (2, 18, 18), "Heads do not meet: each has a table of its own, 6 by 6."),
    ),
    hints=(
        "Each head scores as in lesson 04: one row for each query, one column for each key.",
        "Split, the queries have shape (2, 3, 6, 4).",
        "The product of (2, 3, 6, 4) and (2, 3, 4, 6): the leading axes pass through.",
    ),
    reread=SPLITTING,
)

# --- split-heads -------------------------------------------------------------------------------------


def _in_runs(rows: Array, n_heads: int) -> Array:
    """(..., n, n_heads·d_head) -> (..., n, n_heads, d_head): cut, not yet swapped."""
    return rows.reshape(*rows.shape[:-1], n_heads, rows.shape[-1] // n_heads)


def _one_reshape(rows: Array, n_heads: int, *_others: Any) -> Array:
    return rows.reshape(*rows.shape[:-2], n_heads, rows.shape[-2], rows.shape[-1] // n_heads)


def _interleaved(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.moveaxis(rows.reshape(*rows.shape[:-1], rows.shape[-1] // n_heads, n_heads), -1, -3)


def _not_swapped(rows: Array, n_heads: int, *_others: Any) -> Array:
    return _in_runs(rows, n_heads)


def _swapped_in_front(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.swapaxes(_in_runs(rows, n_heads), 0, 1)


def _heads_in_front(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.array(np.split(rows, n_heads, axis=-1))


def _three_axes_taken_apart(rows: Array, n_heads: int, *_others: Any) -> Array:
    batch, n, width = rows.shape
    return rows.reshape(batch, n, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def _batch_swapped(rows: Array, n_heads: int, *_others: Any) -> Array:
    return _in_runs(rows, n_heads).transpose(0, 2, 1, 3)


def _first_two_axes_taken(rows: Array, n_heads: int, *_others: Any) -> Array:
    return rows.reshape(rows.shape[0], rows.shape[1], n_heads, -1).transpose(0, 2, 1, 3)


def _first_three_axes_taken(rows: Array, n_heads: int, *_others: Any) -> Array:
    d_head = rows.shape[2] // n_heads
    return rows.reshape(rows.shape[0], rows.shape[1], n_heads, d_head).transpose(0, 2, 1, 3)


def _batch_made(rows: Array, n_heads: int, *_others: Any) -> Array:
    return (
        _in_runs(rows, n_heads).reshape(-1, rows.shape[-2], n_heads, rows.shape[-1] // n_heads).swapaxes(1, 2)
    )


def _same_columns(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.stack([rows[..., : rows.shape[-1] // n_heads]] * n_heads, axis=-3)


def _sentences_joined(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.swapaxes(_in_runs(rows.reshape(-1, rows.shape[-1]), n_heads), 0, 1)


def _whole_width(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.stack([rows] * n_heads, axis=-3)


def _turned_first(rows: Array, n_heads: int, *_others: Any) -> Array:
    turned = np.swapaxes(rows, -1, -2)
    return turned.reshape(*rows.shape[:-2], n_heads, rows.shape[-2], rows.shape[-1] // n_heads)


def _always(heads: int) -> Step:
    return lambda rows, n_heads, *others: split_heads(rows, heads)


RUNS = "Head h gets the h-th run of d_head neighbouring columns, of every token."


def split_mistakes() -> tuple[Mistake, ...]:
    """The wrong ways to split rows into heads, for every exercise that does so."""
    return (
        Mistake(
            "one-reshape",
            "the rows were made into heads by a reshape alone",
            "`reshape` never moves a number: it reads row after row and fills head 0 with the first tokens, "
            "whole. Cut each row into (n_heads, d_head) first, then swap the axes of tokens and heads.",
            BARE,
            also=[
                {"split": lambda r, h, *_: r.reshape(*r.shape[:-2], h, r.shape[-2], -1)},
                {"split": lambda r, h, *_: r.reshape(h, -1, r.shape[-1] // h)},
                {"split": lambda r, h, *_: r.reshape(h, len(r), -1)},
                {"split": lambda r, h, *_: r.reshape(h, r.shape[-2], -1)},
            ],
            split=_one_reshape,
        ),
        Mistake(
            "interleaved",
            "the columns were dealt out in turn, like cards: head 0 got columns 0, n_heads, 2·n_heads, …",
            RUNS + " So each row is cut into (n_heads, d_head), in this order: the heads first, and "
            'without order="F".',
            SPLITTING,
            split=_interleaved,
        ),
        Mistake(
            "not-swapped",
            "the axis of the heads still stands behind that of the tokens",
            "Each head needs a table of its own, tokens by columns, so that @ passes the heads through: swap "
            "the axes of tokens and heads.",
            SPLITTING,
            also=[{"split": lambda r, h, *_: np.stack(np.split(r, h, axis=-1), axis=-2)}],
            split=_not_swapped,
        ),
        Mistake(
            "wrong-two-swapped",
            "the last two axes were swapped, those of the heads and of their columns",
            "After the cut the axes are (..., n, n_heads, d_head). Tokens and heads should change places: "
            "axes −3 and −2.",
            SPLITTING,
            split=lambda rows, n_heads, *_: np.swapaxes(_in_runs(rows, n_heads), -1, -2),
        ),
        Mistake(
            "heads-turned",
            "the table of each head is turned: its columns are the tokens",
            "A token is a row, in each head as well: (..., n_heads, n, d_head).",
            SPLITTING,
            split=lambda rows, n_heads, *_: np.swapaxes(split_heads(rows, n_heads), -1, -2),
        ),
        Mistake(
            "swapped-in-front",
            "axes 0 and 1 were swapped, which are tokens and heads for one sentence only",
            "On a stack the sentences come first. Count from the end: axes −3 and −2.",
            SPLITTING,
            split=_swapped_in_front,
        ),
        Mistake(
            "heads-in-front",
            "the heads became the very first axis, before that of the sentences",
            "Sentences stay in front: (..., n_heads, n, d_head). np.stack takes an axis, counted from the "
            "end, −3.",
            SPLITTING,
            split=_heads_in_front,
        ),
        Mistake(
            "three-axes-only",
            "the code is written for exactly three axes",
            "`*stack, n, width = rows.shape` takes any number of leading axes, none as well. Count axes from "
            "the end.",
            SPLITTING,
            also=[
                {"split": _batch_swapped},
                {"split": lambda r, h, *_: np.swapaxes(_in_runs(r, h), 1, 2)},
                {"split": _first_two_axes_taken},
                {"split": _first_three_axes_taken},
                {"split": _batch_made},
                {"split": lambda r, h, *_: _three_axes_taken_apart(r[None] if r.ndim == 2 else r, h)},
            ],
            split=_three_axes_taken_apart,
        ),
        Mistake(
            "sentences-joined",
            "the tokens of all sentences were joined into one long sentence",
            "Each sentence keeps to itself. A reshape to (-1, …) folds all leading axes into one; "
            "`*stack, n, width = rows.shape` keeps them.",
            SPLITTING,
            split=_sentences_joined,
        ),
        Mistake(
            "whole-width",
            "every head got all the columns",
            "The heads share the width: each gets d_head = width // n_heads columns.",
            SPLITTING,
            split=_whole_width,
        ),
        Mistake(
            "same-columns",
            "every head got the same columns, the first ones",
            RUNS,
            SPLITTING,
            split=_same_columns,
        ),
        Mistake(
            "counts-swapped",
            "n_heads was taken for the width of a head",
            "There are n_heads heads, and each is width // n_heads wide: cut each row into (n_heads, "
            "d_head).",
            SPLITTING,
            split=lambda rows, n_heads, *_: split_heads(rows, rows.shape[-1] // n_heads),
        ),
        Mistake(
            "turned-first",
            "the rows were transposed, and then made into heads by a reshape",
            "`reshape` reads the transposed table row by row, and mixes tokens and columns. Cut each row "
            "into (n_heads, d_head), then swap the axes of tokens and heads.",
            BARE,
            split=_turned_first,
        ),
        Mistake(
            "fixed-heads",
            "the number of heads is fixed, whatever n_heads says",
            "Use n_heads, and take the width of a head from the rows: width // n_heads.",
            SPLITTING,
            also=[{"split": _always(3)}, {"split": _always(4)}],
            split=_always(2),
        ),
    )


def _three_axes_and_two_transposed(rows: Array, n_heads: int, *_others: Any) -> Array:
    batch, n, width = rows.shape
    return rows.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)


def _three_axes_and_view(rows: Array, n_heads: int, *_others: Any) -> Any:
    batch, n, width = rows.shape
    of_numpy: Any = rows  # whose `view` takes a dtype: the error is NumPy's own
    return of_numpy.view(batch, n, n_heads, width // n_heads)


def _three_axes_and_permute(rows: Array, n_heads: int, *_others: Any) -> Any:
    batch, n, width = rows.shape
    of_numpy: Any = rows.reshape(batch, n, n_heads, width // n_heads)
    return of_numpy.permute(0, 2, 1, 3)


def _as_in_pytorch(choice: str, argument: str) -> Mistake:
    """Code that PyTorch would run: for three axes, and by its ways of moving them."""
    ways: list[Step] = [_three_axes_and_two_transposed, _three_axes_and_view, _three_axes_and_permute]
    first, *also = ({choice: way} for way in ways)
    return Mistake(
        "three-axes-as-in-pytorch",
        "the code is written for exactly three axes, and moves them as PyTorch does, by `view`, `permute` or "
        "a `transpose` of two axes",
        f"`*stack, n, width = {argument}.shape` takes any number of leading axes, none as well. NumPy has no "
        "`permute`, its `view` does not cut, and its `transpose` takes the new order of all axes: use "
        "reshape, and np.swapaxes with axes −3 and −2.",
        SPLITTING,
        also=also,
        **first,
    )


def _only_split_mistakes() -> tuple[Mistake, ...]:
    """Those that are seen where the heads themselves come back."""
    return (
        Mistake(
            "all-axes-reversed",
            "all axes were turned round",
            "`.T` and np.transpose reverse every axis. Only tokens and heads should change places: axes −3 "
            "and −2.",
            SPLITTING,
            split=lambda rows, n_heads: _in_runs(rows, n_heads).T,
        ),
        Mistake(
            "two-axes-transposed",
            "`transpose` was given two axes",
            "In PyTorch x.transpose(-3, -2) swaps two axes. NumPy's `transpose` takes the new order of all "
            "axes; np.swapaxes(x, -3, -2) swaps two.",
            SPLITTING,
            split=lambda rows, n_heads: _in_runs(rows, n_heads).transpose(-3, -2),
        ),
        _as_in_pytorch("split", "rows"),
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


def _nothing_lost(inputs: Any, result: Array, _call: Any) -> str:
    before = next(iter(inputs.values()))
    if result.size != before.size or np.allclose(
        np.sort(result.ravel().astype(float)), np.sort(before.ravel().astype(float)), atol=1e-4
    ):
        return ""
    return "Every number should come out once, unchanged; some of yours are new, or there twice."


NOTHING_LOST = Property("nothing lost", "every number is there once, unchanged", _nothing_lost)


def _traced(*shape: int) -> Array:
    """Whole numbers that say where they come from: in row 3, column 1 stands 31."""
    rows, columns = shape
    return 10 * np.arange(rows)[:, None] + np.arange(columns)


SPLIT_HEADS = Write(
    name="split-heads",
    task="Rows into heads, for one sentence and for stacks.",
    call="my_split_heads(rows, n_heads)",
    right=split_heads,
    recipe=_split_by_choices,
    probes=(
        Probe("one sentence, 2 heads", {"rows": _traced(4, 6), "n_heads": 2}),
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

# --- merge-bug ---------------------------------------------------------------------------------------


def _merged_shape(heads: Array) -> tuple[int, ...]:
    *stack, n_heads, n, d_head = heads.shape
    return (*stack, n, n_heads * d_head)


def _merged_by_one_reshape(heads: Array, *_others: Any) -> Array:
    return heads.reshape(_merged_shape(heads))


def _merged_interleaved(heads: Array, *_others: Any) -> Array:
    return np.moveaxis(heads, -3, -1).reshape(_merged_shape(heads))


def _four_axes_taken_apart(heads: Array) -> Array:
    batch, n_heads, n, d_head = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, n, n_heads * d_head)


def _four_axes_and_two_transposed(heads: Array) -> Array:
    batch, n_heads, n, d_head = heads.shape
    return heads.transpose(1, 2).reshape(batch, n, n_heads * d_head)


def _wrong_two_swapped(heads: Array, *_others: Any) -> Array:
    return np.swapaxes(heads, -1, -2).reshape(_merged_shape(heads))


def _turned_after(heads: Array, *_others: Any) -> Array:
    *stack, n, width = _merged_shape(heads)
    return np.swapaxes(heads.reshape(*stack, width, n), -1, -2)


def _swapped_after(heads: Array, *_others: Any) -> Array:
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads.reshape(*stack, n, n_heads, d_head), -3, -2).reshape(_merged_shape(heads))


SIDE_BY_SIDE = "Each token's row is its numbers from head 0, then those from head 1, and so on."


def merge_mistakes() -> tuple[Mistake, ...]:
    """The wrong ways to merge heads, for every exercise that does so."""
    return (
        Mistake(
            "merge-one-reshape",
            "the heads were merged by a reshape alone, without the swap",
            "`reshape` never moves a number: it reads all of head 0, token after token, before it comes to "
            "head 1. Swap the axes of heads and tokens back first. (np.swapaxes returns a new array: give it "
            "a name.)",
            MERGING,
            also=[{"merge": lambda h, *_: h.reshape(*h.shape[:-3], h.shape[-2], -1)}],
            merge=_merged_by_one_reshape,
        ),
        Mistake(
            "merge-interleaved",
            "the merged row takes one number from each head in turn",
            SIDE_BY_SIDE + " The heads' axis belongs directly before that of their columns, and the reshape "
            'reads in its usual order, without order="F".',
            MERGING,
            merge=_merged_interleaved,
        ),
        Mistake(
            "merge-wrong-two-swapped",
            "the last two axes were swapped before the reshape, those of tokens and columns",
            "Heads and tokens should change places, axes −3 and −2: then the heads stand directly before "
            "their columns, and the reshape joins these two.",
            MERGING,
            merge=_wrong_two_swapped,
        ),
        Mistake(
            "swap-after-reshape",
            "the heads were reshaped first, and axes were swapped afterwards",
            "By then the reshape has mixed tokens and columns. Swap first, then reshape.",
            MERGING,
            also=[{"merge": _swapped_after}],
            merge=_turned_after,
        ),
    )


def _merge_by_choices(heads: Array, *, merge: Step = merge_heads) -> Array:
    return merge(heads)


def _row_0_starts_with_head_0(inputs: Any, merged: Array, _call: Any) -> str:
    heads = inputs["heads"]
    d_head = heads.shape[-1]
    row = merged[(0,) * (merged.ndim - 1)] if merged.ndim else merged
    if (
        merged.shape != _merged_shape(heads)
        or _nothing_lost(inputs, merged, _call)  # that says more
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
        merged.shape != _merged_shape(heads)
        or _nothing_lost(inputs, merged, _call)
        or np.allclose(row[d_head : 2 * d_head], heads[place], atol=1e-4)
    ):
        return ""
    return "After head 0's numbers of token 0 the first row should go on with head 1's numbers of token 0."


def _traced_heads(n_heads: int, n: int, d_head: int) -> Array:
    """What splitting rows gives whose numbers say where they come from."""
    return split_heads(_traced(n, n_heads * d_head), n_heads).astype(np.int64)


MERGE_BUG = Mend(
    name="merge-bug",
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
            merge=lambda heads: np.swapaxes(heads, 0, 1).reshape(_merged_shape(heads)),
        ),
        Mistake(
            "swapped-in-front-of-a-batch",
            "axis 1 was taken for the heads, which is so for a batch of sentences only",
            "How many axes stand in front may change. Count from the end: axes −3 and −2.",
            MERGING,
            also=[
                {"merge": lambda h: h.transpose(0, 2, 1, 3).reshape(_merged_shape(h))},
                {"merge": _four_axes_taken_apart},
                {"merge": lambda h: np.concatenate([h[:, i] for i in range(h.shape[1])], axis=-1)},
            ],
            merge=lambda heads: np.swapaxes(heads, 1, 2).reshape(_merged_shape(heads)),
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
            merge=lambda heads: heads.T.reshape(_merged_shape(heads)),
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


# --- head-scale-bug ----------------------------------------------------------------------------------


def head_scores(queries: Array, keys: Array, n_heads: int) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_model), n_heads -> (..., n_heads, n_queries, n_keys)."""
    queries, keys = split_heads(queries, n_heads), split_heads(keys, n_heads)
    return scale_scores(dot_product_scores(queries, keys), queries.shape[-1])


def _by_root_d_head(scores: Array, queries: Array, *_others: Any) -> Array:
    return scale_scores(scores, queries.shape[-1])


def _head_scores_by_choices(
    queries: Array, keys: Array, n_heads: int, *, split: Step = split_heads,
    match: Step = dot_product_scores, scale: Step = _by_root_d_head, after: Step = same,
) -> Array:  # fmt: skip
    of_heads, keys_of_heads = split(queries, n_heads), split(keys, n_heads)
    scores = match(of_heads, keys_of_heads)
    return after(scale(scores, of_heads, keys_of_heads, queries, n_heads), queries, keys)


def _divide_by(size: Callable[[Array, Array, Array, int], Any]) -> Step:
    """Queries of the heads, keys of the heads, queries before the split, n_heads -> the divisor."""
    return lambda scores, queries, keys, rows, n_heads: scores / size(queries, keys, rows, n_heads)


def _only(mistakes: Iterable[Mistake], names: Sequence[str], more: str = "") -> tuple[Mistake, ...]:
    """Those with these names; `more` is added to the idea."""
    chosen = {mistake.name: mistake for mistake in mistakes if mistake.name in names}
    found = tuple(chosen[name] for name in names)
    return tuple(
        Mistake(m.name, m.says, m.idea + more, m.reread, also=m.ways[1:], **m.ways[0]) for m in found
    )


def _for_heads(mistake: Mistake) -> Mistake:
    """A mistake of lesson 02's scale, which looks at queries and keys, with those of the heads."""

    def of_heads(scale: Step) -> Step:
        return lambda scores, queries, keys, *_others: scale(scores, queries, keys)

    first, *also = ({"scale": of_heads(way["scale"])} for way in mistake.ways)
    return Mistake(mistake.name, mistake.says, mistake.idea, mistake.reread, also=also, **first)


D_HEAD = (
    "Each head compares vectors of d_head entries: so many terms are summed, and √d_head is their spread."
)


def head_scale_mistakes() -> tuple[Mistake, ...]:
    """The wrong ways to scale the scores of heads."""
    from_lesson_02 = _only(
        scale_mistakes(),
        (
            "never-scaled",
            "divided-by-d_k",
            "multiplied",
            "multiplied-by-d_k",
            "root-n_keys",
            "n_keys",
            "fourth-root",
            "half-d_k",
            "power-first",
            "root-whole",
            "root-2d_k",
            "d_k-squared",
            "subtracted",
            "always-2",
            "always-4",
            "logarithm",
        ),
        " In a head d_k is d_head.",
    )
    return (
        Mistake(
            "root-d_model",
            "the scores were divided by the root of the whole width, √d_model",
            D_HEAD,
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(rows.shape[-1])),
        ),
        Mistake(
            "d_model",
            "the scores were divided by the whole width, d_model",
            D_HEAD,
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: rows.shape[-1]),
        ),
        Mistake(
            "root-before-heads",
            "the scores were divided by √d_model / n_heads, which is √(d_head / n_heads)",
            "The root is taken of d_head, that is of d_model / n_heads: not before this division, and "
            "n_heads divides only once.",
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(rows.shape[-1]) / h),
        ),
        Mistake(
            "root-n_heads",
            "the scores were divided by √n_heads",
            D_HEAD + " How many heads there are does not matter to a score.",
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(h)),
        ),
        Mistake(
            "n_heads",
            "the scores were divided by the number of heads",
            D_HEAD + " How many heads there are does not matter to a score.",
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: h),
        ),
        Mistake(
            "root-d_model-n_heads",
            "the scores were divided by √(d_model · n_heads)",
            D_HEAD + " d_head is d_model divided by n_heads.",
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(rows.shape[-1] * h)),
        ),
        Mistake(
            "root-d_model-too",
            "√d_model is still divided by, next to √d_head",
            D_HEAD + " √d_head is right; leave √d_model away.",
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(rows.shape[-1] * q.shape[-1])),
        ),
        Mistake(
            "root-n_queries",
            "the scores were divided by √n_queries",
            D_HEAD + " After the split the axes are (..., n_heads, n, d_head): d_head is shape[-1].",
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(q.shape[-2])),
        ),
        Mistake(
            "root-axis-2",
            "the scale was read from axis 2 of the heads, which is d_head for one sentence only",
            D_HEAD + " Counted from the end it is always axis −1.",
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(q.shape[2])),
        ),
        Mistake(
            "root-axis-1",
            "the scale was read from axis 1 of the queries (before the split, or after it)",
            D_HEAD + " It is the last axis of the queries after the split: shape[-1].",
            SPLITTING,
            also=[{"scale": _divide_by(lambda q, k, rows, h: np.sqrt(q.shape[1]))}],
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(rows.shape[1])),
        ),
        Mistake(
            "root-first-axis",
            "the scale was read from the first axis (`len` or `shape[0]`)",
            D_HEAD + " It is the last axis of the queries after the split: shape[-1].",
            SPLITTING,
            also=[{"scale": _divide_by(lambda q, k, rows, h: np.sqrt(len(rows)))}],
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(len(q))),
        ),
        Mistake(
            "multiplied-by-root-d_model",
            "the scores were multiplied by √d_model",
            "That spreads them further. Divide. " + D_HEAD,
            SPLITTING,
            scale=_divide_by(lambda q, k, rows, h: 1 / np.sqrt(rows.shape[-1])),
        ),
        Mistake(
            "root-axis-1-by-heads",
            "d_head was computed from axis 1 of the queries, which is d_model for one sentence only",
            D_HEAD + " Counted from the end, d_model is always axis −1.",
            SPLITTING,
            also=[{"scale": _divide_by(lambda q, k, rows, h: np.sqrt(rows.shape[1] // h))}],
            scale=_divide_by(lambda q, k, rows, h: np.sqrt(rows.shape[1] / h)),
        ),
        *(_for_heads(mistake) for mistake in from_lesson_02),
    )


KEYS_REVERSED = Mistake(
    "all-axes-reversed",
    "all axes of the keys were turned round, that of the heads as well",
    "`.T` and np.transpose reverse every axis. Only the last two should change places.",
    SPLITTING,
    match=lambda queries, keys: queries @ keys.T,
)


def _two_heads_probe(
    kind: str, *stack: int, d_head: int, n_heads: int, n: tuple[int, int] = (5, 7), start: int = 1,
    dtype: type = np.float64,
) -> Probe:  # fmt: skip
    d_model = d_head * n_heads
    queries = numbers(*stack, n[0], d_model, start=start, dtype=dtype)
    keys = numbers(*stack, n[1], d_model, start=start + 1000, dtype=dtype)
    return Probe(kind, {"queries": queries, "keys": keys, "n_heads": n_heads})


def _heads_apart(inputs: Any, scores: Array, call: Any) -> str:
    queries, keys, n_heads = inputs["queries"], inputs["keys"], inputs["n_heads"]
    changed = queries.copy()
    changed[..., queries.shape[-1] // n_heads :] += 1
    again = call(changed, keys, n_heads)
    if scores.ndim < 3 or again is None or again.shape != scores.shape:
        return ""
    one, other = scores[..., 0, :, :].astype(float), again[..., 0, :, :].astype(float)
    if np.allclose(one, other, atol=1e-3):
        return ""
    return "Head 0 should look at the first d_head columns only; changing the others moves its scores."


def _not_rounded(_inputs: Any, scores: Array, _call: Any) -> str:
    if np.unique(scores).size < 3 or not (scores == np.round(scores)).all():
        return ""
    return "All your scores are whole numbers: `//` rounds down what it divides. A score is divided by `/`."


def _factor_off(function: Step, what: str, advice: str) -> Step:
    """Where every number is off by one factor: which factor it is, and what that says."""

    def broken(inputs: Any, got: Array, _call: Any) -> str:
        """Says by which factor the result is off, or "" where it is not one factor."""
        right = function(*inputs.values())
        if got.shape != right.shape:
            return ""
        factor = float((got.astype(float) * right).sum() / (right.astype(float) ** 2).sum())
        if abs(factor - 1) < 1e-3 or abs(factor) < 1e-6 or not np.allclose(got, factor * right, atol=1e-3):
            return ""
        return f"Every {what} here is {factor:.3g} times what it should be{advice}."

    return broken


OFF_BY_SCALE = _factor_off(head_scores, "score", ": the matching is right, the scale is not")

HEAD_SCALE_BUG = Mend(
    name="head-scale-bug",
    task="Scaled scores of every head; the given function makes them too small.",
    given="root-d_model",
    symptom="with 1 head the scores are right; with 4 heads each is half as large as it should be. How many "
    "products are added up in one score of one head?",
    call="my_head_scores(queries, keys, n_heads)",
    right=head_scores,
    recipe=_head_scores_by_choices,
    probes=(
        _two_heads_probe("one sentence, 2 heads of 4 columns", d_head=4, n_heads=2, n=(3, 5)),
        _two_heads_probe("one sentence, 4 heads of 3 columns", d_head=3, n_heads=4, n=(5, 7), start=200),
        _two_heads_probe("one sentence, 3 heads of 5 columns", d_head=5, n_heads=3, n=(4, 6), start=350),
        _two_heads_probe("float32, 2 heads of 9 columns", d_head=9, n_heads=2, start=500, dtype=np.float32),
        _two_heads_probe("a batch of 2 sentences", 2, d_head=4, n_heads=3, start=700),
        _two_heads_probe("2 texts of 3 sentences", 2, 3, d_head=2, n_heads=4, start=1200),
    ),
    properties=(
        Property("one factor", "no score is too large or too small", OFF_BY_SCALE),
        Property("heads apart", "each head looks at columns of its own", _heads_apart),
        Property("not rounded", "no score is rounded", _not_rounded),
    ),
    axes=("head", "query", "key"),
    two_stacked=("text", "sentence"),
    mistakes=(
        *head_scale_mistakes(),
        *_only(
            split_mistakes(),
            ("one-reshape", "interleaved", "not-swapped", "counts-swapped"),
        ),
        Mistake(
            "whole-width",
            "every head got all the columns",
            "The heads share the width: each gets d_head = d_model // n_heads columns of queries and keys.",
            SPLITTING,
            also=[
                {
                    "split": _whole_width,
                    "scale": _divide_by(lambda q, k, rows, h: np.sqrt(rows.shape[-1] // h)),
                }
            ],
            split=_whole_width,
        ),
        *_only(match_mistakes(), ("swapped", "queries-twice", "keys-twice", "cosine", "not-transposed")),
        KEYS_REVERSED,
        Mistake(
            "heads-crossed",
            "every head was scored against every other head",
            "np.dot, np.inner and np.tensordot pair all the leading axes with one another; @ keeps each head "
            "to itself.",
            SPLITTING,
            match=lambda queries, keys: np.dot(queries, np.swapaxes(keys, -1, -2)),
        ),
        Mistake(
            "weights-returned",
            "softmax was applied as well",
            "The task ends at the scaled scores; softmax makes weights of them afterwards.",
            LARGE,
            after=lambda scores, *_: softmax(scores),
        ),
        Mistake(
            "heads-averaged",
            "the scores of all heads were averaged",
            "Each head keeps a table of its own, and looks in its own way.",
            ONE_HEAD,
            after=lambda scores, *_: scores.mean(axis=-3),
        ),
        Mistake(
            "one-table",
            "there is one table for all heads: queries and keys were not split, or the heads' scores were "
            "added up, which is the same",
            "Each head compares columns of its own, and keeps a table of its own: (..., n_heads, n_queries, "
            "n_keys). Split both before the product.",
            SPLITTING,
            also=[{"split": lambda rows, n_heads: rows}],
            after=lambda scores, *_: scores.sum(axis=-3),
        ),
    ),
    hints=(
        "How many entries have the vectors that one head compares?",
        "queries.shape[-1] is the width before the split. Who has the width after it?",
        "queries_of_heads.shape[-1] is d_head.",
    ),
    explain="A score of one head is a sum of d_head products, so its spread is √d_head. √d_model is right "
    "for one head only.",
    reread=SPLITTING,
)

# --- multi-head --------------------------------------------------------------------------------------


def multi_head(x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, n_heads: int) -> Array:
    """(..., n, d_model), three (d_model, n_heads·d_head), (n_heads·d_head, d_model) -> (..., n, d_model)."""
    return multi_head_attention(x, Projections(w_q, w_k, w_v, w_o), n_heads)[0]


def _each_its_own(x: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, Array, Array]:
    return x @ w_q, x @ w_k, x @ w_v


def _mixed(weights: Array, values: Array, _queries: Array) -> Array:
    return weights @ values


def _split(rows: Array, n_heads: int, *_others: Any) -> Array:
    return split_heads(rows, n_heads)


def _merge(heads: Array, *_others: Any) -> Array:
    return merge_heads(heads)


def _multi_head_by_choices(
    x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, n_heads: int, *, flatten: Step = same,
    project: Step = _each_its_own, split: Step = _split, match: Step = dot_product_scores,
    scale: Step = _by_root_d_head, hide: Step = same,
    mix: Step = _mixed, merge: Step = _merge, out: Step = np.matmul, finish: Step = same,
    **of_softmax: Any,
) -> Array:  # fmt: skip
    """`of_softmax`: the choices of lesson 03, as it is."""
    rows = project(flatten(x), w_q, w_k, w_v)
    queries, keys, values = (split(part, n_heads, x) for part in rows)
    scores = scale(match(queries, keys), queries, keys, x, n_heads)
    weights = SOFTMAX.recipe(hide(scores), **of_softmax)
    return finish(out(merge(mix(weights, values, queries), x), w_o), x)


def _one_head(rows: Array, *_others: Any) -> Array:
    return rows[..., None, :, :]


def _narrow(rows: Array, n_heads: int, x: Array) -> Array:
    """Heads as wide as d_model / n_heads says, though the matrices say otherwise."""
    return np.swapaxes(rows.reshape(*rows.shape[:-1], n_heads, x.shape[-1] // n_heads), -3, -2)


def _narrow_slices(rows: Array, n_heads: int, x: Array) -> Array:
    d_head = x.shape[-1] // n_heads
    return np.stack([rows[..., h * d_head : (h + 1) * d_head] for h in range(n_heads)], axis=-3)


def _not_projected(x: Array, *_matrices: Any) -> tuple[Array, Array, Array]:
    return x, x, x


def _one_not_projected() -> list[dict[str, Any]]:
    """Queries or keys made of x as it is. Which error follows depends on how they are matched."""
    forgotten: list[Step] = [
        lambda x, w_q, w_k, w_v: (x, x @ w_k, x @ w_v),
        lambda x, w_q, w_k, w_v: (x @ w_q, x, x @ w_v),
    ]
    matched: list[Step] = [
        dot_product_scores,
        lambda queries, keys: attention(queries, keys, keys)[1],
        lambda queries, keys: queries @ np.swapaxes(keys, -1, -2),
    ]
    return [{"project": project, "match": match} for project in forgotten for match in matched]


def _then_projected(rows: Array, n_heads: int, x: Array) -> Array:
    """Heads of x, handed to a matrix that has as many rows as x has columns: NumPy's own error."""
    return split_heads(rows, n_heads) @ np.zeros((x.shape[-1], 1))


def _as_wide_as_x(heads: Array, x: Array) -> Array:
    return np.swapaxes(heads, -3, -2).reshape(*heads.shape[:-3], heads.shape[-2], x.shape[-1])


def _heads_behind(heads: Array, *_others: Any) -> Array:
    """(..., n, n_heads, d_head), never swapped -> (..., n, n_heads·d_head)."""
    return heads.reshape(*heads.shape[:-2], heads.shape[-2] * heads.shape[-1])


def _heads_as_tokens(rows: Array, n_heads: int, *_others: Any) -> Array:
    *stack, n, width = rows.shape
    return rows.reshape(*stack, 1, n * n_heads, width // n_heads)


def _tokens_of_heads(heads: Array, x: Array) -> Array:
    return heads.reshape(*x.shape[:-1], -1)


def _one_by_one(heads: Array, w_o: Array) -> Array:
    """What each head writes by its own rows of W_O: (..., n_heads, n, d_model)."""
    return heads @ w_o.reshape(heads.shape[-3], heads.shape[-1], w_o.shape[-1])


def _one_table(x: Array, *_others: Any) -> Array:
    return x.reshape(-1, x.shape[-1])


EACH_SPENDS = (
    "In each head every query spends 1 of its own over the keys: softmax runs along the last axis, −1."
)


def _projecting(*names: str) -> tuple[Mistake, ...]:
    """Mistakes of self-attention, in the ways that change nothing but the projections."""
    found = []
    for m in _only(SELF_ATTENTION.mistakes, names):
        first, *also = (way for way in m.ways if way.keys() == {"project"})
        found.append(Mistake(m.name, m.says, m.idea, m.reread, also=also, **first))
    return tuple(found)


def _role_mistakes() -> tuple[Mistake, ...]:
    """Which matrix makes what, and how: mostly as in self-attention."""
    return (
        *_projecting(
            "w_q-and-w_k-swapped",
            "w_q-twice",
            "w_k-twice",
            "values-from-w_k",
            "values-from-w_q",
            "keys-from-w_v",
            "w_k-and-w_v-swapped",
        ),
        Mistake(
            "one-matrix",
            "one matrix made queries, keys and values",
            "Each token asks with x @ w_q, answers with x @ w_k and gives x @ w_v: three matrices, three "
            "jobs.",
            PROJECTING,
            project=lambda x, w_q, w_k, w_v: (x @ w_q,) * 3,
        ),
        Mistake(
            "matrices-transposed",
            "a matrix was transposed before the product, or stands on the left of it",
            "Matrices are (in, out) in this course, and stand on the right: x @ w. `nn.Linear` stores them "
            "the other way round, which is where x @ w.T comes from.",
            PROJECTING,
            also=[
                {"project": lambda x, w_q, w_k, w_v: (np.dot(x, w_q.T), x @ w_k, x @ w_v)},
                {"out": lambda merged, w_o: merged @ w_o.T},
                {"out": lambda merged, w_o: np.dot(merged, w_o.T)},
            ],
            project=lambda x, w_q, w_k, w_v: (x @ w_q.T, x @ w_k.T, x @ w_v.T),
        ),
        Mistake(
            "matrix-on-the-left",
            "a matrix stands on the left of the product, as in the column convention",
            "A token is a row here, so that the matrix stands on the right: x @ w.",
            COLUMNS_OF_04,
            also=[
                {"project": lambda x, w_q, w_k, w_v: (np.dot(w_q, x), x @ w_k, x @ w_v)},
                {"project": lambda x, w_q, w_k, w_v: (w_q.T @ x, x @ w_k, x @ w_v)},
                {"project": lambda x, *ws: tuple(w.T @ np.swapaxes(x, -1, -2) for w in ws)},
                {"out": lambda merged, w_o: w_o @ merged},
            ],
            project=lambda x, w_q, w_k, w_v: (w_q @ x, w_k @ x, w_v @ x),
        ),
    )


def _row_max(scores: Array, _axis: Any) -> Array:
    return np.max(scores, axis=-1, keepdims=True)


def _softmax_mistakes() -> tuple[Mistake, ...]:
    """Over what softmax runs, and whether it does: mostly as in lesson 03."""
    axes = (
        ("over-heads", -3, "the heads", " Heads do not share: each spends 1 for every query."),
        ("axis-0", 0, "the first axis, which counts heads for one sentence, and sentences in a batch", ""),
        ("axis-1", 1, "axis 1, which counts queries for one sentence, and heads in a batch", ""),
        ("axis-2", 2, "axis 2, which holds the keys for one sentence only", ""),
        ("axis-3", 3, "axis 3, which holds the keys in a batch of sentences only", ""),
        ("over-each-table", (-2, -1), "the whole table of each head", ""),
    )
    from_lesson_03 = (
        "over-queries",
        "over-everything",
        "no-row-max",
        "whole-max",
        "clipped",
        "no-softmax",
        "twice",
        "not-divided",
        "no-exponential",
        "keepdims",
    )
    return (
        *(
            Mistake(
                name,
                f"softmax ran over {what}",
                EACH_SPENDS + more,
                AXIS,
                also=[{"axis": axis, "shift": _row_max}] if axis in (-3, 0, 1) else (),
                axis=axis,
            )
            for name, axis, what, more in axes
        ),
        Mistake(
            "causal-mask",
            "later tokens were hidden by a causal mask",
            "No mask is asked for here: every token may attend to every token.",
            FUTURE,
            hide=lambda scores: np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf),
        ),
        Mistake(
            "largest-of-head",
            "the largest score of each head was subtracted, not that of each row",
            "A row far below it has nothing but e^−1000 = 0 left, and 0/0 is nan. Subtract the largest score "
            "of each row: then the largest exponent is 0.",
            "03: Adding a number to every score",
            shift=lambda scores, axis: np.max(scores, axis=(-2, -1), keepdims=True),
        ),
        *_only((*axis_mistakes(), *shift_mistakes(), *share_mistakes()), from_lesson_03),
    )


CONCATENATED = (
    "The heads are set side by side, n_heads·d_head numbers in each row, and W_O has a row for each."
)


def _merge_and_out_mistakes() -> tuple[Mistake, ...]:
    """From the heads' outputs to the output of all."""
    return (
        Mistake(
            "one-head-wide",
            "W_O, or some columns of it, got rows as wide as one head: the heads were not set side by side, "
            "but summed, averaged, stacked, lost, or taken one by one",
            CONCATENATED + " In a loop, collect the heads in a list, and concatenate them after it. Or add "
            "up what the heads write: head h takes its own *rows* of W_O, all their columns.",
            MERGING,
            also=[
                {"merge": lambda h, *_: h[..., 0, :, :], "out": lambda m, w_o: np.dot(m, w_o)},
                {"merge": lambda h, *_: h.sum(axis=-3), "out": lambda m, w_o: m @ w_o[: m.shape[-1]]},
                {"merge": lambda h, *_: h.mean(axis=-3), "out": lambda m, w_o: m @ w_o[: m.shape[-1]]},
                {"merge": lambda h, *_: h.mean(axis=-3), "out": lambda m, w_o: m},
                {"merge": lambda h, *_: h.sum(axis=-3), "out": lambda m, w_o: m},
                {"merge": lambda h, *_: h[..., 0, :, :], "out": lambda m, w_o: m},
            ],
            merge=lambda heads, *_: heads.sum(axis=-3),
        ),
        Mistake(
            "no-w_o",
            "the merged heads came back without W_O",
            "W_O mixes what the heads have found, and brings the rows back to d_model numbers: the last step "
            "is merged @ w_o.",
            MERGING,
            out=lambda merged, w_o: merged,
        ),
        Mistake(
            "w_o-in-each-head",
            "W_O was applied in each head, and the results were set side by side",
            "Each head has its own rows of W_O, and what the heads write is added up. The same in one step: "
            "merge first, then @ w_o.",
            SUM,
            merge=same,
            out=lambda heads, w_o: merge_heads(_one_by_one(heads, w_o)),
        ),
        Mistake(
            "not-added-up",
            "what each head writes was not added up: the heads still have an axis of their own",
            "The output is the sum over heads. The same in one step: merge first, then @ w_o.",
            SUM,
            merge=same,
            out=_one_by_one,
        ),
        Mistake(
            "heads-averaged",
            "what the heads write was averaged, not added up",
            "merged @ w_o is the sum over heads of each head's part; nothing divides it by n_heads.",
            SUM,
            merge=same,
            out=lambda heads, w_o: _one_by_one(heads, w_o).mean(axis=-3),
        ),
        Mistake(
            "one-head-only",
            "only one head's part of the output is there",
            "merged @ w_o is the sum over all heads of each head's part. In a loop, start from 0 and add.",
            SUM,
            also=[{"merge": same, "out": lambda h, w_o: _one_by_one(h, w_o)[..., -1, :, :]}],
            merge=same,
            out=lambda heads, w_o: _one_by_one(heads, w_o)[..., 0, :, :],
        ),
        Mistake(
            "residual-added",
            "`x` was added to the output",
            "A Transformer does so around this layer. The task asks for the output of the layer alone.",
            MERGING,
            finish=lambda output, x: output + x,
        ),
        Mistake(
            "weights-twice",
            "the values were mixed twice by the weights",
            "One mixing is enough: weights @ values. What `attention` returns first is mixed already.",
            PROJECTING,
            mix=lambda weights, values, _queries: weights @ (weights @ values),
        ),
        Mistake(
            "weights-not-output",
            "the weights were taken for the output",
            "`attention` returns two things, and the output comes first: output, weights = attention(...). "
            "Merge the output.",
            PROJECTING,
            also=[
                {"mix": lambda weights, *_: weights, "merge": same, "out": lambda m, w_o: m},
                {"mix": lambda weights, *_: weights, "out": lambda m, w_o: m},
                {"mix": lambda weights, *_: weights, "out": lambda m, w_o: np.dot(m, w_o)},
            ],
            mix=lambda weights, *_: weights,
        ),
        Mistake(
            "weights-transposed",
            "the weights were transposed before the mixing",
            "Row i of the weights makes output i: weights @ values.",
            PROJECTING,
            mix=lambda weights, values, _queries: np.swapaxes(weights, -1, -2) @ values,
        ),
        Mistake(
            "whole-numbers-kept",
            "the output was written into an array of whole numbers, which drops all after the point",
            "`zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.",
            MERGING,
            finish=whole_numbers_kept,
        ),
    )


def _heads_mistakes() -> tuple[Mistake, ...]:
    """How many heads there are, how wide, and made of what."""
    return (
        *_only(split_mistakes(), ("one-reshape",)),
        Mistake(
            "counts-swapped",
            "n_heads was taken for the width of a head",
            "There are n_heads heads, and each is width // n_heads wide: head h gets the columns from "
            "h · d_head on.",
            SPLITTING,
            also=[
                {
                    "split": lambda rows, h, *_: split_heads(rows, rows.shape[-1] // h),
                    "scale": _divide_by(lambda q, k, x, h: np.sqrt(q.shape[-3])),
                }
            ],
            split=lambda rows, n_heads, *_: split_heads(rows, rows.shape[-1] // n_heads),
        ),
        Mistake(
            "interleaved",
            "the columns were dealt out in turn, like cards: head 0 got columns 0, n_heads, 2·n_heads, …",
            RUNS + " So each row is cut into (n_heads, d_head), in this order: the heads first, and "
            'without order="F".',
            SPLITTING,
            also=[{"split": _interleaved, "merge": _merged_interleaved}],
            split=_interleaved,
        ),
        Mistake(
            "heads-attend-to-heads",
            "in each token the heads attended to one another: the axes of tokens and heads were not swapped",
            "@ works on the last two axes. They should be tokens and columns, (..., n_heads, n, d_head), so "
            "that tokens attend to tokens.",
            SPLITTING,
            also=[
                {"split": _not_swapped, "merge": lambda heads, *_: _merge(heads)},
                {"split": _not_swapped, "merge": _merged_by_one_reshape},
            ],
            split=_not_swapped,
            merge=_heads_behind,
        ),
        Mistake(
            "weights-averaged",
            "all heads used the same weights, the average over the heads",
            "Each head mixes its own values by its own weights: split the values, too, if you have not.",
            ONE_HEAD,
            also=[
                {"hide": lambda scores: np.broadcast_to(scores.mean(axis=-3, keepdims=True), scores.shape)}
            ],
            mix=lambda weights, values, _: weights.mean(axis=-3, keepdims=True) @ values,
        ),
        Mistake(
            "same-columns",
            "every head got the same columns, the first ones",
            RUNS,
            SPLITTING,
            split=_same_columns,
        ),
        Mistake(
            "split-before-projecting",
            "`x` was split as it is, before or without the projections",
            "Project first: x @ w_q has n_heads·d_head columns, and these are split into heads.",
            SPLITTING,
            also=[
                {"project": _not_projected, "split": _then_projected},
                {"project": _not_projected, "split": _narrow},
                *_one_not_projected(),
            ],
            project=_not_projected,
        ),
        Mistake(
            "heads-as-tokens",
            "the parts of all heads were treated as tokens of one long sentence",
            "Heads do not meet: give them an axis of their own, (..., n_heads, n, d_head).",
            SPLITTING,
            split=_heads_as_tokens,
            merge=_tokens_of_heads,
        ),
        Mistake(
            "one-head",
            "there is one head, as wide as all together: every row got one set of weights",
            "Each head compares its own d_head columns, and has weights of its own. Split queries, keys and "
            "values before the scores.",
            ONE_HEAD,
            also=[
                {"split": _one_head, "scale": _divide_by(lambda q, k, x, h: np.sqrt(q.shape[-1] // h))},
                {"split": _one_head, "scale": _divide_by(lambda q, k, x, h: np.sqrt(x.shape[-1]))},
            ],
            split=_one_head,
        ),
        Mistake(
            "whole-width",
            "every head got all the columns",
            "The heads share the width: each gets d_head = width // n_heads columns of queries, keys and "
            "values.",
            SPLITTING,
            also=[{"split": _whole_width, "out": lambda merged, w_o: np.dot(merged, w_o)}],
            split=_whole_width,
        ),
        Mistake(
            "swapped-in-front",
            "axes 0 and 1 were swapped, which are tokens and heads for one sentence only",
            "On a stack the sentences come first. Count from the end: axes −3 and −2.",
            SPLITTING,
            also=[{"split": _swapped_in_front, "merge": lambda h, *_: _heads_behind(np.swapaxes(h, 0, 1))}],
            split=_swapped_in_front,
        ),
        Mistake(
            "three-axes-only",
            "the code is written for exactly three axes",
            "`*stack, n, d_model = x.shape` takes any number of leading axes, none as well. Count axes from "
            "the end.",
            SPLITTING,
            also=[
                {"split": _batch_swapped},
                {"split": _batch_made},
                {"split": _first_two_axes_taken},
                {"split": _first_three_axes_taken},
            ],
            split=_three_axes_taken_apart,
        ),
        _as_in_pytorch("split", "x"),
        Mistake(
            "sentences-joined",
            "the tokens of all sentences were joined: each attends to those of other sentences, too",
            "Each sentence keeps to itself. A reshape to (-1, …) folds all leading axes into one; "
            "`*stack, n, d_model = x.shape` keeps them.",
            SPLITTING,
            also=[{"flatten": _one_table}, {"split": _sentences_joined, "merge": _tokens_of_heads}],
            flatten=_one_table,
            finish=lambda output, x: output.reshape(*x.shape[:-1], -1),
        ),
        Mistake(
            "width-of-x",
            "the width of the heads was taken from x, as d_model / n_heads",
            "All heads together are as wide as w_q has columns, which need not be d_model: d_head is "
            "w_q.shape[-1] // n_heads.",
            SPLITTING,
            also=[
                {"split": _narrow, "merge": _as_wide_as_x},
                {"split": _narrow_slices},
                {"merge": _as_wide_as_x},
                {"scale": _divide_by(lambda q, k, x, h: np.sqrt(x.shape[-1] // h))},
                {"scale": _divide_by(lambda q, k, x, h: np.sqrt(x.shape[-1] / h))},
                {"merge": lambda heads, x: np.swapaxes(heads, -3, -2).reshape(x.shape)},
            ],
            split=_narrow,
        ),
        Mistake(
            "fixed-heads",
            "the number of heads is fixed, whatever n_heads says",
            "Use n_heads, and take the width of a head from the matrices: width // n_heads.",
            SPLITTING,
            also=[{"split": _always(3)}],
            split=_always(2),
        ),
    )


def _scale_mistakes_of_the_block() -> tuple[Mistake, ...]:
    chosen = (
        "root-before-heads",
        "root-n_heads",
        "n_heads",
        "root-n_queries",
        "never-scaled",
        "divided-by-d_k",
        "multiplied",
        "fourth-root",
        "half-d_k",
        "power-first",
        "always-2",
    )
    return (
        Mistake(
            "root-d_model",
            "the scores were divided by √d_model, the root of the width of x",
            D_HEAD,
            SPLITTING,
            scale=_divide_by(lambda q, k, x, h: np.sqrt(x.shape[-1])),
        ),
        Mistake(
            "d_model",
            "the scores were divided by d_model, the width of x",
            D_HEAD,
            SPLITTING,
            scale=_divide_by(lambda q, k, x, h: x.shape[-1]),
        ),
        Mistake(
            "root-all-heads",
            "the scores were divided by √(n_heads·d_head), the root of the width of all heads together",
            D_HEAD,
            SPLITTING,
            scale=_divide_by(lambda q, k, x, h: np.sqrt(q.shape[-1] * h)),
        ),
        Mistake(
            "all-heads",
            "the scores were divided by n_heads·d_head, the width of all heads together",
            D_HEAD,
            SPLITTING,
            scale=_divide_by(lambda q, k, x, h: q.shape[-1] * h),
        ),
        *_only(head_scale_mistakes(), chosen),
        Mistake(
            "scaled-after-softmax",
            "the weights were scaled, not the scores",
            "The scale belongs before softmax: after it, the weights of a query no longer sum to 1.",
            LARGE,
            scale=same,
            mix=lambda weights, values, queries: weights @ values / np.sqrt(queries.shape[-1]),
        ),
    )


def _block(
    kind: str, *stack: int, n: int, d_model: int, n_heads: int, d_head: int, start: int = 1, times: float = 1,
    dtype: type = np.float64, whole: bool = False, hard: bool = False,
) -> Probe:  # fmt: skip
    width = n_heads * d_head
    x = numbers(*stack, n, d_model, start=start, dtype=dtype) * times
    matrices: dict[str, Array] = {
        name: numbers(d_model, width, start=start + 1000 * i) / math.sqrt(d_model)
        for i, name in enumerate(("w_q", "w_k", "w_v"), 1)
    }
    w_o: Array = numbers(width, d_model, start=start + 5000) * 0.6
    if dtype == np.float32:  # eighths for the sixteenths of x, so that scores are exact
        matrices = {name: exact(matrix).astype(dtype) for name, matrix in matrices.items()}
        w_o = (w_o / 16).astype(dtype)  # and what is not exact stays small
    x = np.round(x).astype(np.int64) if whole else x
    return Probe(kind, {"x": x, **matrices, "w_o": w_o, "n_heads": n_heads}, hard)


def _large(kind: str, *, n: int, d_model: int, start: int, times: float = 0.5) -> Probe:
    """Three heads of 4 columns. Scores are large, and exact in float32: whatever makes them is quarters."""
    probe = _block(kind, n=n, d_model=d_model, n_heads=3, d_head=4, start=start, times=times, hard=True)
    for name in ("x", "w_q", "w_k"):
        probe.inputs[name][...] = np.round(4 * probe.inputs[name]) / 4
    return probe


def _heads_out(kind: str, first: float, heads: Sequence[float], *, n: int, d_model: int, start: int) -> Probe:
    """The first entry of every token is `first`: head h adds first² · heads[h] to all its scores."""
    probe = _large(kind, n=n, d_model=d_model, start=start)
    probe.inputs["w_q"][0], probe.inputs["w_k"][0] = np.repeat(heads, 4), 0.5
    probe.inputs["x"][:, 0] = first
    return probe


def _tokens_trade_places(inputs: Any, output: Array, call: Any) -> str:
    x, *others = inputs.values()
    again = call(x[..., ::-1, :].copy(), *others)
    if again is None or again.shape != output.shape or output.shape != x.shape:
        return ""
    if np.allclose(again[..., ::-1, :], output, atol=1e-3, equal_nan=True):
        return ""
    return "With the tokens in reverse order the outputs should come in reverse order, and be the same."


def _every_part_counts(inputs: Any, output: Array, call: Any) -> str:
    for name in ("w_q", "w_k", "w_v", "w_o"):
        changed = {**inputs, name: inputs[name] * 0.5}
        again = call(*changed.values())
        if again is not None and again.shape == output.shape and np.allclose(again, output, equal_nan=True):
            return f"Halving {name} changes nothing in your output: is it used?"
    return ""


OFF_BY_A_FACTOR = _factor_off(multi_head, "number", "")


def _with_equal_weights(inputs: Any, output: Array, call: Any) -> bool | None:
    """With w_q all 0 the scores are all 0: is the output right then? None where that cannot be said."""
    x, w_q, w_k, w_v, w_o, n_heads = inputs.values()
    if output.shape != x.shape or OFF_BY_A_FACTOR(inputs, output, call):
        return None
    again = call(x, 0 * w_q, w_k, w_v, w_o, n_heads)
    if again is None or again.shape != output.shape:
        return None
    mean = np.broadcast_to((x @ w_v @ w_o).mean(axis=-2, keepdims=True), x.shape)
    return bool(np.allclose(again, mean, atol=1e-3))


def _wrong_before_the_weights(inputs: Any, output: Array, call: Any) -> str:
    if not _with_equal_weights(inputs, output, call):
        return ""
    return (
        "With w_q all 0 every weight is the same, and there your output is right. So values, merging and W_O "
        "fit together: look at how the weights come about, from queries, keys, the split, scale and softmax."
    )


def _wrong_after_the_weights(inputs: Any, output: Array, call: Any) -> str:
    if _with_equal_weights(inputs, output, call) is not False:
        return ""
    return (
        "With w_q all 0 every weight is the same, and the output should be the mean of x @ w_v @ w_o over "
        "the tokens. Yours is not: look at the values, at merging, at W_O and at what comes after it first."
    )


def _sentences_apart(inputs: Any, output: Array, call: Any) -> str:
    x, *others = inputs.values()
    if x.ndim < 3 or output.shape != x.shape:
        return ""
    changed = x.copy()
    changed[-1] += 1
    again = call(changed, *others)
    if again is None or again.shape != output.shape or np.allclose(again[0], output[0], equal_nan=True):
        return ""
    return "Changing one sentence moves the output of another."


MULTI_HEAD = Write(
    name="multi-head",
    task="Project, split, attend in each head, merge, W_O.",
    call="my_multi_head(x, w_q, w_k, w_v, w_o, n_heads)",
    right=multi_head,
    recipe=_multi_head_by_choices,
    probes=(
        _block("one sentence, 2 heads of 4 columns", n=3, d_model=5, n_heads=2, d_head=4),
        _block("one sentence, 3 heads of 2 columns", n=5, d_model=7, n_heads=3, d_head=2, start=300),
        _block("whole numbers", n=4, d_model=6, n_heads=2, d_head=5, start=600, whole=True),
        _block(
            "float32, 4 heads of 3 columns", n=6, d_model=10, n_heads=4, d_head=3, start=908, dtype=np.float32
        ),
        _block("a batch of 2 sentences", 2, n=5, d_model=7, n_heads=3, d_head=4, start=1500),
        _block("2 texts of 3 sentences", 2, 3, n=5, d_model=9, n_heads=4, d_head=2, start=2500),
        _heads_out("scores around 1,000", 32, (1.0, 1.25, 1.5), n=6, d_model=5, start=3500),
        _heads_out("heads far apart", 110, (1.0, 0.0, -1.0), n=5, d_model=7, start=4500),
        _large("tokens far apart", n=7, d_model=5, start=5500, times=90),
    ),
    properties=(
        Property("all parts", "every matrix matters", _every_part_counts),
        Property("sentences apart", "no sentence moves another", _sentences_apart),
        Property("no order", "tokens in another order give outputs in that order", _tokens_trade_places),
        Property("one factor", "no output is too large or too small", OFF_BY_A_FACTOR),
        Property("weights", "the weights come about as they should", _wrong_before_the_weights, SPLITTING),
        Property("equal weights", "equal scores give the mean of the values", _wrong_after_the_weights),
    ),
    axes=("token", "entry"),
    two_stacked=("text", "sentence"),
    mistakes=(
        *_heads_mistakes(),
        *_role_mistakes(),
        *_scale_mistakes_of_the_block(),
        *_only(match_mistakes(), ("not-transposed",)),
        KEYS_REVERSED,
        *_softmax_mistakes(),
        *merge_mistakes(),
        *_merge_and_out_mistakes(),
    ),
    hints=(
        "Five steps: x @ each of w_q, w_k, w_v; split all three; attention in each head; merge; @ w_o.",
        "After splitting, queries, keys and values have shape (..., n_heads, n, d_head), and `attention` "
        "takes them as they are: the heads are only one more leading axis.",
        "`attention` returns two things, output and weights. Merge the output, then @ w_o.",
    ),
    explain="The heads are one more leading axis: attention itself is that of lesson 04. W_O then mixes what "
    "they have found.",
    reread=MERGING,
)

# --- rank --------------------------------------------------------------------------------------------

RANK = Predict(
    name="rank",
    task="d_model 12, 3 heads: the rank of one head's value map W_V W_O.",
    answer=4,
    because="A head reads 12 numbers into 4 and writes them out to 12: all that it writes is mixed from the "
    "4 rows of its part of W_O. So a 12 × 12 table of 144 numbers has rank 4.",
    slips=(
        Slip(
            "full",
            12,
            "12 is the size of the table. All that a head writes has passed through its d_head columns: how "
            "many are these?",
        ),
        Slip("heads", 3, "3 is the number of heads. The rank is how wide one of them is."),
        Slip("one", 1, "1 would be one column wide. A head here is wider."),
        Slip(
            "two-ranks-added",
            8,
            "Ranks are neither added nor taken from 12: a product has at most the smaller rank of its two "
            "parts.",
        ),
        Slip(
            "two-ranks-multiplied",
            16,
            "Ranks are not multiplied in a product: it has at most the smaller one.",
        ),
        Slip("entries", 144, "144 is how many numbers the table holds. The rank is at most 12."),
        Slip(
            "entries-of-one-part",
            48,
            "48 is how many numbers each part holds, 12 × 4. The rank is at most 12.",
        ),
        Slip("entries-of-both-parts", 96, "96 is how many numbers both parts hold. The rank is at most 12."),
        Slip("width-times-heads", 36, "36 is 12 × 3. The heads share the width: it is divided among them."),
        Slip(
            "tokens",
            6,
            "6 is the number of tokens, which do not enter: the value map is made of W_V and W_O.",
        ),
    ),
    hints=(
        "What shapes have the head's part of W_V and its part of W_O?",
        "(12, 4) and (4, 12). How many rows are there from which every row of the product is mixed?",
        "The rank of a product is at most the smaller of the two ranks.",
    ),
    reread=SUM,
)

# --- head-builder ------------------------------------------------------------------------------------

TOKENS = ("The", "cat", "sat", "on", "the", "mat")
BEFORE = np.array([0, 0, 1, 2, 3, 4])  # for each token the one before it; the first has itself
ENOUGH = 0.9


def _pointing(to: Sequence[int], high: float = 5.0) -> Array:
    """A key for each query -> scores: `high` there, 0 elsewhere."""
    return high * np.eye(6)[list(to)]


def _shown_row(weights: Array, row: int) -> str:
    """The weights of one token, with the tokens above them."""
    name = f"weights of {TOKENS[row]} (row {row})"
    head = "  ".join(f"{token:>4}" for token in TOKENS)
    return f"    {'':{len(name)}}  {head}\n    {name}  " + "  ".join(f"{weight:4.2f}" for weight in weights)


def _rounded_down(weight: float) -> str:
    """Three digits, the last never rounded up: what reads 0.900 is 0.9 or more."""
    return f"{math.floor(weight * 1000 + 1e-6) / 1000:.3f}"


NEXT_TOKEN = (
    "Here each token attends to the token after it. Rows are queries and columns are keys: the row of a "
    "token, the column of the one before it."
)


def _points_to_the_next(scores: Array) -> bool:
    """True where each token gives its weight to the one after it, or the table would do if it were turned."""

    def weights(table: Array) -> Array:
        return softmax(np.where(np.isneginf(table).all(axis=-1, keepdims=True), 0, table))

    turned, best = weights(scores.T)[np.arange(6), BEFORE], weights(scores).argmax(axis=-1)
    return bool((turned[1:] >= ENOUGH).all() or (best[1:-1] == np.arange(2, 6)).all())


def _judge_head(scores: Array) -> tuple[str, str]:
    empty = np.isneginf(scores).all(axis=-1)
    if empty.any():
        row = int(empty.argmax())
        if _points_to_the_next(scores):
            return "next-token", f"row {row} ({TOKENS[row]}) holds −inf only.\n  {NEXT_TOKEN}"
        return "empty-row", (
            f"row {row} ({TOKENS[row]}) holds −inf only, so that this token may attend to nothing.\n"
            "  Leave at least the key finite that should get the weight."
        )
    weights = softmax(scores)
    to_the_one_before = weights[np.arange(6), BEFORE]
    least = float(to_the_one_before.min())
    if least >= ENOUGH - 1e-9:
        return "", (
            f"✓ every token gives at least {_rounded_down(least)} of its weight to the token before it, and "
            "the first to itself."
        )
    row = max(range(6), key=lambda i: (to_the_one_before[i] < ENOUGH - 1e-9, i > 0, -i))  # row 0 is special
    given = to_the_one_before[row]
    shown = _rounded_down(given) if f"{given:.2f}" == f"{ENOUGH:.2f}" else f"{given:.2f}"
    found = f"{TOKENS[row]} (row {row}) gives {shown} to {TOKENS[BEFORE[row]]} (column {BEFORE[row]})."
    name, reply = _why_not(scores, weights)
    return name, f"{found}\n{_shown_row(weights[row], row)}\n  {reply}"


def _why_not(scores: Array, weights: Array) -> tuple[str, str]:
    """The named mistake, or "", and its reply."""
    best = weights.argmax(axis=-1)
    clear = np.isclose(weights, weights.max(axis=-1, keepdims=True)).sum(axis=-1) == 1  # one key stands out
    rest, places = slice(1, None), np.arange(6)
    towards = clear & (best == BEFORE)
    given = weights[places, BEFORE]
    shares = (scores >= 0).all() and np.allclose(scores.sum(axis=-1), 1)
    if shares and (scores[places, BEFORE] >= ENOUGH - 1e-9).all():
        return "weights-as-scores", (
            "The table itself would do as weights. But these are scores: softmax takes e to their power, and "
            "e^1 is only e times as much as e^0. How large must a score be?"
        )
    if np.allclose(weights, 1 / 6):
        return "all-equal", "In each row all scores are equal, so that no key stands out."
    if towards.all():
        return "too-flat", (
            "The right keys stand out, and not far enough. If the others have the score 0, how large must s "
            "be for e^s / (e^s + 5) to reach 0.9?"
        )
    if (given[rest] >= ENOUGH).all():
        if clear[0] and best[0] == 5:
            return "round-the-end", (
                "The first token gives its weight to the last one, as if the sentence were a ring. Here it "
                "should keep it for itself."
            )
        return "first-row", (
            "All rows but the first are right. The first token has none before it, and should give its "
            "weight to itself: row 0 needs a large score as well."
        )
    if (np.minimum(given, weights[places, places])[rest] >= 0.4).all():
        return "itself-too", (
            "The token before stands out, and so does each token itself: with two equal scores the weight is "
            "halved. Leave the diagonal as low as the rest, except in row 0."
        )
    if clear.all() and (best == places).all():
        return "itself", (
            "Each token gives its weight to itself: the large scores stand on the diagonal. One column "
            "further to the left stands the token before."
        )
    if _points_to_the_next(scores):
        return "next-token", NEXT_TOKEN
    if clear[2:].all() and (best[2:] == places[2:] - 2).all():
        return "two-back", "Each token attends to the one two places before it. One place is asked."
    if clear.all() and (best == 0).all():
        return "first-token", "Every token attends to the first one. Each row should have its own key."
    lowest = scores.argmin(axis=-1)
    if (np.isclose(scores, scores.min(axis=-1, keepdims=True)).sum(axis=-1) == 1).all() and (
        lowest == BEFORE
    ).all():
        return "sign-turned", (
            "The right keys have the lowest scores, and get least. The largest score gets the largest weight."
        )
    lower = np.tri(6, dtype=bool)
    if np.allclose(weights, lower / lower.sum(axis=-1, keepdims=True), atol=0.02):
        return "all-earlier", (
            "Each token spreads its weight over itself and all tokens before it: that is a causal mask "
            "alone. One of them should stand out."
        )
    return "", (
        "The row of a token should have its largest score in the column of the token before it, and no other "
        "as large."
    )


HEAD_BUILDER = Open(
    name="head-builder",
    task="Scores of a head in which each token attends to the token before it.",
    shape=(6, 6),
    judge=_judge_head,
    minus_infinity=True,
    example=_pointing([0, 0, 1, 2, 3, 4]).astype(int).tolist(),
    because="Beside five scores of 0 a score s gets e^s / (e^s + 5) of the weight, and that is 0.9 where "
    "e^s is 45, for s = ln 45, about 3.81. In NumPy: 5 * np.eye(6)[[0, 0, 1, 2, 3, 4]]. With −inf everywhere "
    "else the weight is exactly 1.",
    slips=(
        Slip("weights-as-scores", _pointing(list(BEFORE), high=1.0).tolist(), ""),
        Slip("all-equal", np.zeros((6, 6)).tolist(), ""),
        Slip("too-flat", _pointing(list(BEFORE), high=3.0).tolist(), ""),
        Slip("round-the-end", _pointing([5, 0, 1, 2, 3, 4]).tolist(), ""),
        Slip("first-row", (9 * np.eye(6, k=-1)).tolist(), ""),
        Slip("itself-too", (9 * np.eye(6, k=-1) + 9 * np.eye(6)).tolist(), ""),
        Slip("itself", (9 * np.eye(6)).tolist(), ""),
        Slip("next-token", (9 * np.eye(6, k=1)).tolist(), ""),
        Slip("two-back", (9 * np.eye(6, k=-2)).tolist(), ""),
        Slip("first-token", _pointing([0] * 6).tolist(), ""),
        Slip("sign-turned", (-_pointing(list(BEFORE))).tolist(), ""),
        Slip("all-earlier", np.where(np.tri(6, dtype=bool), 0, -np.inf).tolist(), ""),
        Slip("empty-row", np.where(np.eye(6, k=-1, dtype=bool), 0, -np.inf).tolist(), ""),
    ),
    hints=(
        "One large score in each row, all others 0: in which column does it stand for row 3?",
        "Row i needs it in column i − 1, one place to the left of the diagonal. Row 0 needs one in column 0.",
        "Beside five scores of 0, a score s gets e^s / (e^s + 5). For which s is that 0.9? np.eye(6, k=-1) "
        "has 1 in the right places of rows 1 to 5.",
    ),
    reread=BY_HAND,
)

# --- count-parameters --------------------------------------------------------------------------------


def attention_parameters(d_model: int, d_head: int, n_heads: int, n_layers: int) -> int:
    """d_model, d_head, n_heads, n_layers -> how many entries all attention matrices have together."""
    return n_layers * 4 * d_model * (n_heads * d_head)


def _count_by_choices(
    d_model: int, d_head: int, n_heads: int, n_layers: int, *, matrices: float = 4,
    one: Callable[[int, int, int], float] = lambda d_model, d_head, n_heads: d_model * d_head,
    heads: Callable[[int], float] = lambda n_heads: n_heads,
    more: Callable[[int, int, int], float] = lambda d_model, d_head, n_heads: 0,
    layers: Callable[[int], float] = lambda n_layers: n_layers, after: Step = same,
) -> Any:  # fmt: skip
    """`one` is one head's part of one matrix, `more` what a layer has besides."""
    layer = matrices * heads(n_heads) * one(d_model, d_head, n_heads) + more(d_model, d_head, n_heads)
    return after(layers(n_layers) * layer, d_model, d_head, n_heads, n_layers)


PRODUCT = "W_Q, W_K and W_V have d_model rows and n_heads·d_head columns, W_O has it the other way round."


def _in_proportion(inputs: Any, count: Array, call: Any) -> str:
    for name, value in inputs.items():
        again = call(*{**inputs, name: 2 * value}.values())
        if again is None or again.shape != () or count.shape != ():
            return ""
        before, after = float(count), float(again)
        if before == after:
            return f"{name} does not matter to your count; with twice the {name} it should be twice as large."
        if not math.isclose(after, 2 * before, rel_tol=1e-6):
            return (
                f"With twice the {name} there should be twice as many numbers; yours go from {before:,.0f} "
                f"to {after:,.0f}."
            )
    return ""


def _right_factor(inputs: Any, count: Array, call: Any) -> str:
    if count.shape != () or _in_proportion(inputs, count, call):
        return ""
    factor = float(count) / math.prod(inputs.values())
    if abs(factor - 4) < 1e-6:
        return ""
    return f"Here it is {factor:.4g} times d_model·d_head·n_heads·n_layers. How many matrices are there?"


def _whole(inputs: Any, count: Array, _call: Any) -> str:
    if count.shape != () or float(count) == round(float(count)):
        return ""
    return "It is a number of entries, so it should be whole."


def _model(kind: str, d_model: int, d_head: int, n_heads: int, n_layers: int) -> Probe:
    sizes = {"d_model": d_model, "d_head": d_head, "n_heads": n_heads, "n_layers": n_layers}
    return Probe(kind, sizes)


COUNT_PARAMETERS = Write(
    name="count-parameters",
    task="The entries of all attention matrices of a model, without biases.",
    call="my_count(d_model, d_head, n_heads, n_layers)",
    right=attention_parameters,
    recipe=_count_by_choices,
    probes=(
        _model("a small model", 7, 3, 5, 2),
        _model("heads narrower than d_model together", 11, 2, 3, 5),
        _model("one layer", 13, 4, 5, 1),
        _model("heads that share d_model", 12, 4, 3, 2),
        _model("a middle-sized model", 768, 64, 12, 11),
        _model("a very large model", 12288, 128, 96, 96),
    ),
    properties=(
        Property("whole", "it is a whole number", _whole),
        Property("in proportion", "twice a size, twice the count", _in_proportion),
        Property("factor", "four matrices", _right_factor),
    ),
    mistakes=(
        Mistake(
            "three-matrices",
            "three matrices were counted, and one of the four is missing",
            "Queries, keys and values have a matrix each, and W_O, which mixes the merged heads, is the "
            "fourth.",
            COUNTING,
            matrices=3,
        ),
        Mistake(
            "two-matrices",
            "two matrices were counted",
            "There are four: W_Q, W_K, W_V and W_O.",
            COUNTING,
            matrices=2,
        ),
        Mistake(
            "one-matrix",
            "one matrix was counted",
            "There are four of the same size: W_Q, W_K, W_V and W_O.",
            COUNTING,
            matrices=1,
        ),
        Mistake(
            "five-matrices",
            "five matrices were counted",
            "There are four: W_Q, W_K, W_V and W_O.",
            COUNTING,
            matrices=5,
        ),
        Mistake(
            "heads-twice",
            "the heads were counted twice",
            "d_head is the width of one head; n_heads·d_head is that of all heads together. After that the "
            "heads are all counted.",
            COUNTING,
            heads=lambda n_heads: n_heads**2,
        ),
        Mistake(
            "one-head",
            "n_heads does not enter the count, so that it is that of one head",
            "d_head is the width of one head. All heads together are n_heads times as wide.",
            COUNTING,
            heads=lambda n_heads: 1,
        ),
        Mistake(
            "heads-divide",
            "the count was divided by n_heads",
            "d_head is the width of one head already. All heads together are n_heads times as wide.",
            COUNTING,
            also=[{"one": lambda d, d_head, h: d * (d_head // h), "heads": lambda h: h}],
            heads=lambda n_heads: 1 / n_heads,
        ),
        Mistake(
            "one-layer",
            "the matrices of one layer were counted",
            "Every layer has matrices of its own: n_layers times as many.",
            COUNTING,
            layers=lambda n_layers: 1,
        ),
        Mistake(
            "layers-twice",
            "the layers were counted twice",
            "Every layer has matrices of its own: n_layers times as many, once.",
            COUNTING,
            layers=lambda n_layers: n_layers**2,
        ),
        Mistake(
            "layers-added",
            "n_layers was added",
            "Every layer has matrices of its own: multiply by n_layers.",
            COUNTING,
            layers=lambda n_layers: 1,
            after=lambda count, d, d_head, h, n_layers: count + n_layers,
        ),
        Mistake(
            "d_model-squared",
            "each matrix was counted as d_model × d_model",
            PRODUCT + " That is d_model² only where n_heads·d_head is d_model.",
            COUNTING,
            one=lambda d, d_head, h: d * d / h,
        ),
        Mistake(
            "d_head-from-d_model",
            "d_head was worked out as d_model // n_heads",
            "d_head is given, and n_heads·d_head need not be d_model: use it as it is.",
            COUNTING,
            one=lambda d, d_head, h: d * (d // h),
        ),
        Mistake(
            "d_model-squared-in-each-head",
            "each head was given matrices of d_model × d_model",
            "A head is d_head wide: its part of each matrix is d_model × d_head.",
            COUNTING,
            one=lambda d, d_head, h: d * d,
        ),
        Mistake(
            "heads-squared-width",
            "each matrix was counted as n_heads·d_head squared",
            PRODUCT,
            COUNTING,
            one=lambda d, d_head, h: h * d_head * d_head,
        ),
        Mistake(
            "d_head-squared",
            "each head's part was counted as d_head × d_head",
            "A head reads rows of d_model numbers: its part of each matrix is d_model × d_head.",
            COUNTING,
            one=lambda d, d_head, h: d_head * d_head,
        ),
        Mistake(
            "no-d_model",
            "d_model was left out",
            PRODUCT,
            COUNTING,
            one=lambda d, d_head, h: d_head,
        ),
        Mistake(
            "no-d_head",
            "d_head was left out",
            PRODUCT,
            COUNTING,
            one=lambda d, d_head, h: d,
        ),
        Mistake(
            "sizes-added",
            "d_model and d_head were added",
            "A matrix of a rows and b columns has a times b entries.",
            COUNTING,
            one=lambda d, d_head, h: d + d_head,
        ),
        Mistake(
            "rows-and-columns-added",
            "the rows and columns of each matrix were added",
            "A matrix of a rows and b columns has a times b entries.",
            COUNTING,
            one=lambda d, d_head, h: (d + h * d_head) / h,
        ),
        Mistake(
            "w_o-square",
            "W_O was counted as d_model × d_model",
            "W_O takes the merged heads, so that it has n_heads·d_head rows, and d_model columns.",
            COUNTING,
            more=lambda d, d_head, h: d * d - d * d_head * h,
        ),
        Mistake(
            "w_o-square-in-the-heads",
            "W_O was counted as n_heads·d_head squared",
            "W_O takes the merged heads and brings them back to d_model columns.",
            COUNTING,
            more=lambda d, d_head, h: (d_head * h) ** 2 - d * d_head * h,
        ),
        Mistake(
            "w_o-of-one-head",
            "W_O was counted for one head only",
            "W_O has a row for every column of the merged heads: n_heads·d_head rows.",
            COUNTING,
            more=lambda d, d_head, h: d * d_head - d * d_head * h,
        ),
        Mistake(
            "w_o-in-each-head",
            "the whole W_O was counted for each head",
            "Each head has its own d_head rows of W_O; the heads together have the whole of it, once.",
            COUNTING,
            more=lambda d, d_head, h: h * d * d_head * h - d * d_head * h,
        ),
        Mistake(
            "w_o-alone-for-all-heads",
            "W_Q, W_K and W_V were counted for one head, and W_O for all",
            PRODUCT,
            COUNTING,
            matrices=4,  # so that it makes no pair with another number of them
            more=lambda d, d_head, h: 3 * d * d_head * (1 - h),
        ),
        Mistake(
            "w_o-once-in-all",
            "W_O was counted for one layer only",
            "Every layer has a W_O of its own.",
            COUNTING,
            after=lambda count, d, d_head, h, n_layers: count - (n_layers - 1) * d * d_head * h,
        ),
        Mistake(
            "biases",
            "biases were counted as well",
            "The task leaves them out: only the entries of the matrices are asked.",
            COUNTING,
            also=[
                {"more": lambda d, d_head, h: 4 * h * d_head},
                {"more": lambda d, d_head, h: 3 * h * d_head},
                {"more": lambda d, d_head, h: 4 * d},
                {"more": lambda d, d_head, h: d},
            ],
            more=lambda d, d_head, h: 3 * h * d_head + d,
        ),
        Mistake(
            "whole-block",
            "the MLP was counted as well, with 8·d_model² in each layer",
            "The task asks for the attention matrices alone.",
            COUNTING,
            more=lambda d, d_head, h: 8 * d * d,
        ),
        Mistake(
            "bytes",
            "bytes were counted, not numbers",
            "How many bytes a number takes depends on its dtype. Here the numbers are counted.",
            COUNTING,
            also=[{"matrices": 4 * 2}, {"matrices": 4 * 8}],
            matrices=4 * 4,
        ),
        Mistake(
            "in-billions",
            "the count came back in billions or millions",
            "The number itself is asked; shorten it where it is shown.",
            COUNTING,
            also=[
                {"after": lambda count, *_: count / 1e6},
                {"after": lambda count, *_: round(count / 1e9, 2)},
            ],
            after=lambda count, *_: count / 1e9,
        ),
    ),
    hints=(
        "How many rows and columns has W_Q, if all heads together are n_heads·d_head wide? And W_O?",
        "Each of the four matrices has d_model · n_heads · d_head entries.",
        "Four matrices in each of n_layers layers.",
    ),
    explain="Four matrices of d_model × (n_heads·d_head) in each layer, W_O turned round. Where "
    "n_heads·d_head is d_model, that is 4·d_model² a layer. For d_model 12,288, 96 heads of 128 and 96 "
    "layers: 57,982,058,496.",
    reread=COUNTING,
)

EXERCISES = (
    PREDICT_HEADS,
    SPLIT_HEADS,
    HEAD_SCALE_BUG,
    MERGE_BUG,
    MULTI_HEAD,
    RANK,
    COUNT_PARAMETERS,
    HEAD_BUILDER,
)

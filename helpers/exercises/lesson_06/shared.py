"""What several exercises of lesson 06 use: splitting, merging and scaling heads, and mistakes in these."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.kinds.write import Property
from helpers.exercises.slips.scaling import SCALE_MISTAKES
from helpers.multi_head import split_heads
from helpers.scaling import scale_scores
from helpers.validation import Array

ONE_HEAD = "06: One head, one mixture"
SPLITTING = "06: Splitting into heads"
MERGING = "06: Merging, and W_O"
SUM = "06: The sum over heads"
LARGE = "02: What large scores do"
Step = Callable[..., Any]


def in_runs(rows: Array, n_heads: int) -> Array:
    """(..., n, n_heads·d_head) -> (..., n, n_heads, d_head): cut, not yet swapped."""
    return rows.reshape(*rows.shape[:-1], n_heads, rows.shape[-1] // n_heads)


def one_reshape(rows: Array, n_heads: int, *_others: Any) -> Array:
    return rows.reshape(*rows.shape[:-2], n_heads, rows.shape[-2], rows.shape[-1] // n_heads)


def interleaved(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.moveaxis(rows.reshape(*rows.shape[:-1], rows.shape[-1] // n_heads, n_heads), -1, -3)


def not_swapped(rows: Array, n_heads: int, *_others: Any) -> Array:
    return in_runs(rows, n_heads)


def swapped_in_front(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.swapaxes(in_runs(rows, n_heads), 0, 1)


def three_axes_taken_apart(rows: Array, n_heads: int, *_others: Any) -> Array:
    batch, n, width = rows.shape
    return rows.reshape(batch, n, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def batch_swapped(rows: Array, n_heads: int, *_others: Any) -> Array:
    return in_runs(rows, n_heads).transpose(0, 2, 1, 3)


def first_two_axes_taken(rows: Array, n_heads: int, *_others: Any) -> Array:
    return rows.reshape(rows.shape[0], rows.shape[1], n_heads, -1).transpose(0, 2, 1, 3)


def first_three_axes_taken(rows: Array, n_heads: int, *_others: Any) -> Array:
    d_head = rows.shape[2] // n_heads
    return rows.reshape(rows.shape[0], rows.shape[1], n_heads, d_head).transpose(0, 2, 1, 3)


def batch_made(rows: Array, n_heads: int, *_others: Any) -> Array:
    return (
        in_runs(rows, n_heads).reshape(-1, rows.shape[-2], n_heads, rows.shape[-1] // n_heads).swapaxes(1, 2)
    )


def same_columns(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.stack([rows[..., : rows.shape[-1] // n_heads]] * n_heads, axis=-3)


def sentences_joined(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.swapaxes(in_runs(rows.reshape(-1, rows.shape[-1]), n_heads), 0, 1)


def whole_width(rows: Array, n_heads: int, *_others: Any) -> Array:
    return np.stack([rows] * n_heads, axis=-3)


def always(heads: int) -> Step:
    return lambda rows, n_heads, *others: split_heads(rows, heads)


RUNS = "Head h gets the h-th run of d_head neighbouring columns, of every token."


def three_axes_and_two_transposed(rows: Array, n_heads: int, *_others: Any) -> Array:
    batch, n, width = rows.shape
    return rows.reshape(batch, n, n_heads, width // n_heads).transpose(1, 2)


def three_axes_and_view(rows: Array, n_heads: int, *_others: Any) -> Any:
    batch, n, width = rows.shape
    of_numpy: Any = rows  # whose `view` takes a dtype: the error is NumPy's own
    return of_numpy.view(batch, n, n_heads, width // n_heads)


def three_axes_and_permute(rows: Array, n_heads: int, *_others: Any) -> Any:
    batch, n, width = rows.shape
    of_numpy: Any = rows.reshape(batch, n, n_heads, width // n_heads)
    return of_numpy.permute(0, 2, 1, 3)


def as_in_pytorch(choice: str, argument: str) -> Mistake:
    """Code that PyTorch would run: for three axes, and by its ways of moving them."""
    ways: list[Step] = [three_axes_and_two_transposed, three_axes_and_view, three_axes_and_permute]
    first, *also = ({choice: way} for way in ways)
    return Mistake(
        "three-axes-as-in-pytorch",
        "the code is written for exactly three axes, and moves them as PyTorch does, by `view`, `permute` or "
        "a `transpose` of two axes",
        f"`*stack, n, width = {argument}.shape` takes any number of leading axes, even none. NumPy has no "
        "`permute`, its `view` does not cut, and its `transpose` takes the new order of all axes: use "
        "reshape, and np.swapaxes with axes −3 and −2.",
        SPLITTING,
        also=also,
        **first,
    )


def nothing_lost(inputs: Any, result: Array, _call: Any) -> str:
    before = next(iter(inputs.values()))
    if result.size != before.size or np.allclose(
        np.sort(result.ravel().astype(float)), np.sort(before.ravel().astype(float)), atol=1e-4
    ):
        return ""
    return "Every number should come out once, unchanged; some of yours are new, or there twice."


NOTHING_LOST = Property("nothing lost", "every number is there once, unchanged", nothing_lost)


def traced(*shape: int) -> Array:
    """Whole numbers that say where they come from: in row 3, column 1 stands 31."""
    rows, columns = shape
    return 10 * np.arange(rows)[:, None] + np.arange(columns)


def merged_shape(heads: Array) -> tuple[int, ...]:
    *stack, n_heads, n, d_head = heads.shape
    return (*stack, n, n_heads * d_head)


def merged_by_one_reshape(heads: Array, *_others: Any) -> Array:
    return heads.reshape(merged_shape(heads))


def merged_interleaved(heads: Array, *_others: Any) -> Array:
    return np.moveaxis(heads, -3, -1).reshape(merged_shape(heads))


def wrong_two_swapped(heads: Array, *_others: Any) -> Array:
    return np.swapaxes(heads, -1, -2).reshape(merged_shape(heads))


def turned_after(heads: Array, *_others: Any) -> Array:
    *stack, n, width = merged_shape(heads)
    return np.swapaxes(heads.reshape(*stack, width, n), -1, -2)


def swapped_after(heads: Array, *_others: Any) -> Array:
    *stack, n_heads, n, d_head = heads.shape
    return np.swapaxes(heads.reshape(*stack, n, n_heads, d_head), -3, -2).reshape(merged_shape(heads))


def by_root_d_head(scores: Array, queries: Array, *_others: Any) -> Array:
    return scale_scores(scores, queries.shape[-1])


def only(mistakes: Iterable[Mistake], names: Sequence[str]) -> tuple[Mistake, ...]:
    """Those with these names, in this order."""
    chosen = {mistake.name: mistake for mistake in mistakes}
    return tuple(chosen[name] for name in names)


def _for_heads(mistake: Mistake) -> Mistake:
    """A mistake of lesson 02's scale, which looks at queries and keys, with those of the heads."""

    def of_heads(scale: Step) -> Step:
        return lambda scores, queries, keys, *_others: scale(scores, queries, keys)

    first, *also = ({"scale": of_heads(way["scale"])} for way in mistake.ways)
    idea = mistake.idea + " In a head d_k is d_head."
    return Mistake(mistake.name, mistake.says, idea, mistake.reread, also, **first)


SCALE_MISTAKES_OF_HEADS = tuple(map(_for_heads, SCALE_MISTAKES))

D_HEAD = (
    "Each head compares vectors of d_head entries, so a score is a sum of d_head terms, and its spread is "
    "√d_head."
)

KEYS_REVERSED = Mistake(
    "all-axes-reversed",
    "you reversed all the axes of the keys, the heads' axis included",
    "`.T` and np.transpose reverse every axis. Swap only the last two.",
    SPLITTING,
    match=lambda queries, keys: queries @ keys.T,
)


def factor_off(function: Step, what: str, advice: str) -> Step:
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

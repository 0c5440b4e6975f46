"""torch-bytes, lesson 09: operations, bytes and the least time of attention, readable and fused."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from helpers.exercises.kinds.predict import Slip
from helpers.exercises.kinds.table import Table
from helpers.exercises.lesson_09.shared import LIMITS

N_HEADS, D_HEAD, BYTES_EACH = 8, 64, 2
OPERATIONS_A_SECOND, BYTES_A_SECOND = 312e12, 2.04e12  # an A100, in data/gpus.toml
PEAKS_APART = OPERATIONS_A_SECOND / BYTES_A_SECOND


def _rows_moved(n: int) -> float:
    return 4 * N_HEADS * n * D_HEAD * BYTES_EACH


def _squares_moved(n: int) -> float:
    return 4 * N_HEADS * n * n * BYTES_EACH


def _operations(n: int) -> float:
    return 2 * 2 * N_HEADS * n * n * D_HEAD


def _microseconds(n: int, moved: float) -> tuple[float, float]:
    return _operations(n) / OPERATIONS_A_SECOND * 1e6, moved / BYTES_A_SECOND * 1e6


def _costs(n: int) -> list[float]:
    readable, fused = _rows_moved(n) + _squares_moved(n), _rows_moved(n)
    times = [max(_microseconds(n, moved)) for moved in (readable, fused)]
    return [_operations(n), readable, fused, *times]


def _time_slips(place: int, more: tuple[Slip, ...]) -> tuple[Slip, ...]:
    """Wrong ways to the time that follows from the bytes in a column."""

    def parts(n: int) -> tuple[float, float]:
        return _microseconds(n, _costs(n)[place])

    which = "readable" if place == 1 else "fused"
    return (
        Slip(
            f"both-added-{which}",
            lambda n: sum(parts(n)),
            "You added the two. Both happen at the same time, so the longer one decides.",
        ),
        Slip(
            f"shorter-{which}",
            lambda n: min(parts(n)),
            "That is the shorter of the two times here. Whichever finishes first waits for the other.",
        ),
        Slip(
            f"seconds-{which}",
            lambda n: max(parts(n)) / 1e6,
            "Those are seconds. There are 1e6 microseconds in a second.",
        ),
        Slip(
            f"milliseconds-{which}",
            lambda n: max(parts(n)) / 1e3,
            "Those are milliseconds. There are 1e6 microseconds in a second.",
        ),
        Slip(
            f"nanoseconds-{which}",
            lambda n: max(parts(n)) * 1e3,
            "Those are nanoseconds. There are 1e6 microseconds in a second.",
        ),
        Slip(
            f"peaks-swapped-{which}",
            lambda n: max(parts(n)[0] * PEAKS_APART, parts(n)[1] / PEAKS_APART),
            "You swapped the two limits: divide operations by 312e12, bytes by 2.04e12.",
        ),
        *more,
    )


class CostTable(Table):
    """A table whose times follow from several of the columns before them."""

    def _led_by(self, column: int, wrong: Mapping[tuple[Any, int], object]) -> str:
        before = sorted({place for _, place in wrong if place in (0, column - 2)})
        names = " and ".join(f'"{self.columns[place]}"' for place in before)
        return f'Your "{self.columns[column]}" follows from your {names}: fix that first.'


def _time_of(_label: int, column: int, before: Sequence[float]) -> float:
    """The microseconds that the learner's own operations and bytes lead to; nan for the other columns."""
    if column < 3:
        return math.nan
    return 1e6 * max(before[0] / OPERATIONS_A_SECOND, before[column - 2] / BYTES_A_SECOND)


def _moving_alone(n: int) -> float:
    return _microseconds(n, _rows_moved(n))[1]


MOVING_ALONE = Slip(
    "moving-alone-fused", _moving_alone, "That is the time of the bytes. The operations may take longer."
)
EXERCISE = CostTable(
    name="torch-bytes",
    task="Operations, bytes and the least time of attention, readable and fused.",
    row_name="n",
    labels=(256, 2048, 16384),
    columns=(
        "operations",
        "bytes readable",
        "bytes fused",
        "microseconds readable",
        "microseconds fused",
    ),
    row=_costs,
    exact=(0, 1, 2),
    next_from_row=_time_of,
    slips=(
        (
            Slip(
                "one-product",
                lambda n: _operations(n) / 2,
                "Two products: queries with keys, and weights "
                "with values. And a multiplication and an addition are two operations.",
            ),
            Slip(
                "multiplications-only",
                lambda n: _operations(n) / 4,
                "Two products, and in each a multiplication and an addition for every term: 2 · 2 · n² · "
                "d_head in a head.",
            ),
            Slip("one-head", lambda n: _operations(n) / N_HEADS, "That is one head. There are 8."),
            Slip(
                "whole-width",
                lambda n: _operations(n) * N_HEADS,
                "Each head works on 64 numbers of a token, not on 512. So 8 heads make 8 · 64, once.",
            ),
            Slip(
                "three-products",
                lambda n: _operations(n) * 1.5,
                "Two products are counted: queries with keys, and weights with values.",
            ),
            Slip(
                "n-not-squared",
                lambda n: _operations(n) / n,
                "Every query meets every key: n² dot products in a head.",
            ),
        ),
        (
            Slip(
                "numbers-readable",
                lambda n: (_rows_moved(n) + _squares_moved(n)) / BYTES_EACH,
                "Those are numbers. Each takes 2 bytes.",
            ),
            Slip(
                "float32-readable",
                lambda n: (_rows_moved(n) + _squares_moved(n)) * 2,
                "That is for 4 bytes a number. bfloat16 takes 2.",
            ),
            Slip(
                "squares-alone",
                _squares_moved,
                "Queries, keys and values are read as well, and the output is written.",
            ),
            Slip(
                "squares-once",
                lambda n: _rows_moved(n) + _squares_moved(n) / 4,
                "Four times n² in a head: scores written and read, weights written and read.",
            ),
            Slip(
                "squares-twice",
                lambda n: _rows_moved(n) + _squares_moved(n) / 2,
                "Four times n² in a head: scores written and read, weights written and read.",
            ),
            Slip(
                "squares-of-one-head",
                lambda n: _rows_moved(n) + _squares_moved(n) / N_HEADS,
                "Each of the 8 heads has n² scores of its own.",
            ),
            Slip(
                "one-head-readable",
                lambda n: (_rows_moved(n) + _squares_moved(n)) / N_HEADS,
                "That is one head. There are 8.",
            ),
            Slip(
                "output-left-out-readable",
                lambda n: _rows_moved(n) * 3 / 4 + _squares_moved(n),
                "The output is written as well.",
            ),
            Slip(
                "read-and-written-readable",
                lambda n: 2 * _rows_moved(n) + _squares_moved(n),
                "Queries, keys and values are only read, and the output is only written.",
            ),
            Slip(
                "fused-for-readable",
                _rows_moved,
                "That is the fused one. The readable one moves n² scores and weights as well.",
            ),
        ),
        (
            Slip(
                "half-of-it-fused",
                lambda n: _rows_moved(n) / BYTES_EACH,
                "That is half of it: did you count numbers instead of bytes (2 to a number), or two tables "
                "instead of four?",
            ),
            Slip(
                "twice-as-much-fused",
                lambda n: _rows_moved(n) * 2,
                "That is twice as much: did you take 4 bytes a number, where bfloat16 takes 2, or count "
                "each table as both read and written? Queries, keys and values are only read, and the "
                "output is only written.",
            ),
            Slip(
                "output-left-out-fused",
                lambda n: _rows_moved(n) * 3 / 4,
                "The output is written as well.",
            ),
            Slip(
                "one-table",
                lambda n: _rows_moved(n) / 4,
                "Queries, keys, values and the output: four tables of n rows.",
            ),
            Slip("one-head-fused", lambda n: _rows_moved(n) / N_HEADS, "That is one head. There are 8."),
            Slip(
                "squares-in-fused",
                lambda n: _rows_moved(n) + _squares_moved(n),
                "That is the readable one. The fused one keeps scores and weights to itself, and moves none.",
            ),
        ),
        _time_slips(1, ()),
        _time_slips(2, (MOVING_ALONE,)),
    ),
    because="The readable one waits for its bytes at every length: 16,384 tokens take it at least 8.5 ms, "
    "though the products need only 1.8. The fused one moves so little that from 2,048 tokens on the "
    "products decide; at 256 the bytes still do. It does no less arithmetic: it moves less. (All these "
    "times are lower limits: on a real GPU it takes longer just to start so short a call.)",
    hints=(
        "A head compares n queries with n keys, 64 multiplications and additions each, and mixes n values as "
        "often.",
        "Four tables of n rows of 64 in each head, and four times n × n: scores written, read; weights "
        "written, read. 2 bytes each.",
        "Queries, keys, values and output: four tables of n rows of 64 numbers in each of 8 heads, 2 bytes "
        "each.",
        "Operations / 312e12 and bytes / 2.04e12 are seconds. The longer one counts; times 1e6.",
        "The same with the bytes of the fused one: there are fewer, and the operations stay as they are.",
    ),
    reread=LIMITS,
)

"""spills, lesson 13: how many registers a thread needs for four tiles, and what is left of 255."""

import numpy as np

from helpers.exercises.kinds.predict import Slip
from helpers.exercises.kinds.table import Table

REPORT = "13: Optional: what the compiler makes of it"
D_V, THREADS_A_WARP, MOST = 128, 32, 255

Tile = tuple[int, int, int]  # queries, keys, warps


def _threads(tile: Tile) -> int:
    return THREADS_A_WARP * tile[2]


def _scores(tile: Tile) -> float:
    return tile[0] * tile[1] / _threads(tile)


def _sums(tile: Tile) -> float:
    return tile[0] * D_V / _threads(tile)


def _registers(tile: Tile) -> tuple[float, float, float]:
    return _threads(tile), _scores(tile) + _sums(tile), MOST - _scores(tile) - _sums(tile)


EXERCISE = Table(
    name="spills",
    task="How many registers a thread needs for four tiles, and what is left of 255.",
    row_name="tile",
    labels=((128, 64, 4), (64, 128, 4), (128, 128, 4), (128, 128, 8)),
    columns=("threads", "registers", "left of 255"),
    row=_registers,
    exact=(0, 1, 2),
    next_from_row=lambda tile, column, before: MOST - before[1] if column == 2 else np.nan,
    slips=(
        (
            Slip("warps", lambda t: t[2], "That is the number of warps. A warp has 32 threads."),
            Slip("queries-for-threads", lambda t: t[0], "A thread does not own a query: 32 for each warp."),
            Slip(
                "threads-of-the-tile",
                lambda t: t[0] * t[1],
                "That is the number of scores. There are 32 threads for each warp, whatever the tile.",
            ),
        ),
        (
            Slip(
                "scores-only",
                _scores,
                "That is the tile of scores alone. The weighted sum, tile_queries × 128, is kept as well.",
            ),
            Slip("sums-only", _sums, "That is the weighted sum alone. The tile of scores is kept as well."),
            Slip(
                "all-threads",
                lambda t: t[0] * (t[1] + D_V),
                "That is what all threads hold together. Divide by the number of threads.",
            ),
            Slip(
                "by-warps",
                lambda t: t[0] * (t[1] + D_V) / t[2],
                "You divided by the number of warps. A warp has 32 threads, each with registers of its own.",
            ),
            Slip(
                "bytes",
                lambda t: 4 * (_scores(t) + _sums(t)),
                "Those are bytes. A register holds 4 bytes: one number in float32.",
            ),
            Slip(
                "half-a-register",
                lambda t: (_scores(t) + _sums(t)) / 2,
                "Both are kept in float32, one register a number, whatever the dtype of the values.",
            ),
            Slip(
                "width-of-keys",
                lambda t: _scores(t) + t[1] * D_V / _threads(t),
                "The weighted sum has a row for each query of the tile, not for each key.",
            ),
            Slip(
                "multiplied",
                lambda t: t[0] * t[1] * D_V / _threads(t),
                "The two stand beside each other: tile_queries × tile_keys numbers *and* tile_queries × 128.",
            ),
        ),
        (
            Slip(
                "left-of-256",
                lambda t: 256 - _registers(t)[1],
                "A thread may have 255 registers, one less than 256.",
            ),
            Slip(
                "turned", lambda t: _registers(t)[1] - MOST, "That is how many are too many: 255 − registers."
            ),
        ),
    ),
    because="A tile of 128 × 128 on 4 warps needs 256 registers a thread for these two alone, one more than "
    "there are, and addresses, maxima and the tiles of keys and values come on top. The compiler spills the "
    "rest into slow memory. With 8 warps the same tile has twice the threads, and fits. That is why a kernel "
    "for width 128 takes more warps or a smaller tile, and why a tile cannot simply grow.",
    hints=(
        "A warp is 32 threads: 4 warps are 128.",
        "Numbers to keep: tile_queries × tile_keys scores, and tile_queries × 128 of the weighted sum. Share "
        "them out over the threads.",
        "The last column is 255 minus the one before it. It can be negative.",
    ),
    reread=REPORT,
)

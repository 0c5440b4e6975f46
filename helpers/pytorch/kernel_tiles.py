"""How the kernels cut their work: the tiles, by dtype, width and GPU."""

from typing import NamedTuple

import torch


class Tiles(NamedTuple):
    """How a kernel cuts its work: rows in a tile, and what the GPU gives to one tile.

    `queries` and `keys` are powers of two, at least 16. `warps` (of 32 threads) share a tile; while one tile
    is computed, `stages` − 1 more are on their way from memory.
    """

    queries: int
    keys: int
    warps: int = 4
    stages: int = 2


def default_tiles(
    dtype: torch.dtype,
    width: int,
    kernel: str = "forward",
    capability: tuple[int, int] | None = None,
    n_queries: int | None = None,
) -> Tiles:
    """x"""
    narrow = width <= 64
    backward = kernel != "forward"
    if dtype == torch.float32:  # without the units for 16 bits, a product keeps more numbers in registers
        if backward:
            return Tiles(32, 32, warps=8, stages=1)
        return Tiles(64, 32, warps=8, stages=2) if narrow else Tiles(32, 32, warps=8, stages=2)
    if backward:
        return Tiles(64, 64, warps=4, stages=2) if narrow else Tiles(64, 64, warps=8, stages=1)
    return Tiles(128, 64, warps=4, stages=3) if narrow else Tiles(128, 64, warps=8, stages=2)

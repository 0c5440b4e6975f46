"""How the kernels cut their work: tiles by dtype, width and GPU (lesson 13).

Chosen by compiling, not by timing, so that a GPU may know better: pass others to tiled_attention. What was
looked at stands in the report of helpers.benchmark.compiling: nothing, or next to nothing, is spilled from
registers, every kernel prefetches, and its tiles fit into the shared memory that one program may have.
"""

from typing import NamedTuple

import torch

# On an H100 and a B200 one program may have 227 KiB of shared memory. Below that all GPUs get the same tiles,
# which fit into the 99 KiB of an RTX 3090, 4090 and 5090: an A100 has 163, but its registers are full before.
ROOMY = (9, 10)
SHARED_KIB = {ROOMY[0]: 227, ROOMY[1]: 227}
LEAST_SHARED_KIB = 99


class Tiles(NamedTuple):
    """How a kernel cuts its work: rows in a tile, and what the GPU gives to one tile.

    `queries` and `keys` are powers of two, at least 16. `warps` (of 32 threads) share a tile; while one tile
    is computed, `stages` − 1 more are on their way from memory.
    """

    queries: int
    keys: int
    warps: int = 4
    stages: int = 2


# (kernel, d at most) -> tiles for 2-byte numbers. Tensor cores of an H100 take 64 rows at once, for 4 warps.
TILES = {
    ("forward", 64): Tiles(128, 64, warps=4, stages=3),
    ("forward", 128): Tiles(128, 32, warps=8, stages=3),
    ("grad_queries", 64): Tiles(64, 64, warps=4, stages=2),
    ("grad_queries", 128): Tiles(64, 64, warps=8, stages=2),
    ("grad_keys", 64): Tiles(32, 128, warps=8, stages=2),
    ("grad_keys", 128): Tiles(64, 64, warps=8, stages=2),
}
ROOMY_TILES = {
    ("forward", 64): Tiles(128, 64, warps=8, stages=3),
    ("forward", 128): Tiles(128, 64, warps=8, stages=3),
    ("grad_queries", 64): Tiles(64, 64, warps=4, stages=2),
    ("grad_queries", 128): Tiles(128, 64, warps=8, stages=2),
    ("grad_keys", 64): Tiles(64, 64, warps=4, stages=2),
    ("grad_keys", 128): Tiles(32, 128, warps=8, stages=2),
}
# float32 takes twice the room, and without the units for 16 bits a product keeps more numbers in registers.
FLOAT32_TILES = {
    ("forward", 64): Tiles(64, 32, warps=8, stages=2),
    ("forward", 128): Tiles(32, 32, warps=8, stages=2),
    ("grad_queries", 64): Tiles(32, 32, warps=8, stages=1),
    ("grad_queries", 128): Tiles(32, 32, warps=8, stages=1),
    ("grad_keys", 64): Tiles(32, 32, warps=8, stages=1),
    ("grad_keys", 128): Tiles(32, 32, warps=8, stages=1),
}
KERNELS = ("forward", "grad_queries", "grad_keys")


def default_tiles(
    dtype: torch.dtype,
    width: int,
    kernel: str = "forward",
    capability: tuple[int, int] | None = None,
    n_queries: int | None = None,
) -> Tiles:
    """A dtype, the larger of d_k and d_v, one of KERNELS, a GPU's compute capability -> the tiles it takes.

    Without a capability, the tiles that fit every GPU. Where there are few queries, as with a cache, a tile
    of forward_kernel holds no more of them than it needs.
    """
    roomy = capability is not None and capability[0] in ROOMY
    table = FLOAT32_TILES if dtype == torch.float32 else ROOMY_TILES if roomy else TILES
    tiles = table[kernel, 64 if width <= 64 else 128]
    if kernel != "forward" or n_queries is None or n_queries > tiles.queries // 2:
        return tiles
    rows = 16  # the fewest that a tensor core takes
    while rows < n_queries:
        rows *= 2
    return tiles._replace(queries=rows, warps=4)


def most_shared_bytes(capability: tuple[int, int]) -> int:
    """A GPU's compute capability -> the bytes of shared memory that the tiles of one program may take."""
    return SHARED_KIB.get(capability[0], LEAST_SHARED_KIB) * 1024

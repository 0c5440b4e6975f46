"""What a word reads in an image: grids of small digits, cut into patches that serve as keys and values.

A grid is an image of 24 × 24 numbers: 3 × 3 cells of 8 × 8, counted row by row from 0 to 8. Three cells hold
a digit each, the others are empty (lesson 07).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from helpers.cross_attention import cross_attention
from helpers.multi_head import Projections
from helpers.validation import Array, as_floats

CELL = 8  # a cell has 8 × 8 numbers
SIDE = 3  # a grid has 3 × 3 cells
BRIGHTEST = 16  # the images hold whole numbers from 0 to 16


class Grids(NamedTuple):
    """n grids: images (n, 24, 24), and for each of its three digits which it is and its cell, both (n, 3)."""

    images: Array
    digits: NDArray[np.int64]
    cells: NDArray[np.int64]


def draw_grids(images: ArrayLike, labels: ArrayLike, n: int, rng: np.random.Generator) -> Grids:
    """(n_images, 8, 8), (n_images,), n -> n grids, each with three different digits in three cells.

    The digits, their cells and the image of each are drawn at random, every choice as likely as any other.
    Raises ValueError where an image is missing for one of the digits 0 to 9.
    """
    images, labels = np.asarray(images), np.asarray(labels)
    digits = rng.random((n, 10)).argsort(axis=1)[:, :3]
    cells = rng.random((n, SIDE * SIDE)).argsort(axis=1)[:, :3]
    patches = np.zeros((n, SIDE * SIDE, CELL, CELL), dtype=images.dtype)
    for digit in range(10):
        pool = np.flatnonzero(labels == digit)
        if not len(pool):
            raise ValueError(f"labels must name every digit from 0 to 9; there is no image of {digit}")
        grid, place = np.nonzero(digits == digit)
        patches[grid, cells[grid, place]] = images[rng.choice(pool, size=len(grid))]
    rows_of_cells = patches.reshape(n, SIDE, SIDE, CELL, CELL).swapaxes(2, 3)
    return Grids(rows_of_cells.reshape(n, SIDE * CELL, SIDE * CELL), digits, cells)


def cut_into_patches(images: ArrayLike) -> Array:
    """(..., 24, 24) -> (..., 9, 64): a cell becomes a row of 64 numbers from 0 to 1, ink is 1.

    Raises ValueError unless the last two axes are 24 and 24, TypeError for anything but real numbers.
    """
    images = as_floats("images", images)
    if images.shape[-2:] != (SIDE * CELL, SIDE * CELL):
        raise ValueError(
            f"images must have shape (..., {SIDE * CELL}, {SIDE * CELL}); got shape {images.shape}"
        )
    cells = images.reshape(*images.shape[:-2], SIDE, CELL, SIDE, CELL).swapaxes(-3, -2)
    return cells.reshape(*images.shape[:-2], SIDE * SIDE, CELL * CELL) / BRIGHTEST


def add_places(patches: ArrayLike) -> Array:
    """(..., 9, 64) -> (..., 9, 70): three numbers more that mark the patch's row, three that mark its column.

    Raises ValueError unless there are 9 patches, TypeError for anything but real numbers.
    """
    patches = as_floats("patches", patches)
    if patches.shape[-2:-1] != (SIDE * SIDE,):
        raise ValueError(f"patches must have shape (..., {SIDE * SIDE}, 64); got shape {patches.shape}")
    mark = np.eye(SIDE, dtype=patches.dtype)
    places = np.concatenate([np.repeat(mark, SIDE, axis=0), np.tile(mark, (SIDE, 1))], axis=1)
    return np.concatenate([patches, np.broadcast_to(places, (*patches.shape[:-1], 2 * SIDE))], axis=-1)


def read_places(output: ArrayLike) -> NDArray[np.int64]:
    """(..., 6) -> (...): the cell that an output names: the largest of 3 rows, the largest of 3 columns.

    Raises ValueError unless the last axis is 6, TypeError for anything but real numbers.
    """
    output = as_floats("output", output)
    if output.shape[-1:] != (2 * SIDE,):
        raise ValueError(f"output must have shape (..., {2 * SIDE}); got shape {output.shape}")
    rows, columns = output[..., :SIDE].argmax(axis=-1), output[..., SIDE:].argmax(axis=-1)
    return SIDE * rows + columns


def measure(head: Projections, vectors: ArrayLike, grids: Grids) -> tuple[float, float]:
    """A head, the ten words' vectors (10, d_model), n grids -> its accuracy, its weight on the right cell.

    Each grid is asked for its three digits. The first number is the share of answers that name the digit's
    cell, the second the mean weight on that cell. Raises as cross_attention does.
    """
    patches = add_places(cut_into_patches(grids.images))
    output, weights = cross_attention(np.asarray(vectors)[grids.digits], patches, head)
    on_cell = np.take_along_axis(weights[:, 0], grids.cells[..., None], axis=-1)
    return float((read_places(output) == grids.cells).mean()), float(on_cell.mean())

"""Blocks of a few bits a weight -> float32. A block shares a scale, and in some formats a least value.

Source: ggml's formats, as its documents describe them; tested against the library gguf.
"""

from typing import Any, NamedTuple

import numpy as np

from helpers.validation import Array


class Block(NamedTuple):
    """A format: its name, what one block looks like in the file, how many weights it holds."""

    name: str
    dtype: np.dtype[Any]
    size: int


SCALE, LEAST, NIBBLES = ("scale", "<f2"), ("least", "<f2"), ("nibbles", "u1", 16)
BLOCKS = {  # by GGUF's number of the format
    0: Block("F32", np.dtype("<f4"), 1),
    1: Block("F16", np.dtype("<f2"), 1),
    2: Block("Q4_0", np.dtype([SCALE, NIBBLES]), 32),  # 4.5 bits a weight
    3: Block("Q4_1", np.dtype([SCALE, LEAST, NIBBLES]), 32),  # 5 bits
    8: Block("Q8_0", np.dtype([SCALE, ("bytes", "i1", 32)]), 32),  # 8.5 bits
}


def unpack(blocks: Array) -> Array:
    """(..., blocks in a row) -> (..., weights in a row), float32: scale · number + least, 32 in a block.

    Blocks that are plain floats become float32.
    """
    fields = blocks.dtype.names
    if fields is None:
        return blocks.astype(np.float32)
    numbers = blocks["bytes"] if "bytes" in fields else _numbers_of(blocks["nibbles"])
    if fields == ("scale", "nibbles"):
        numbers = numbers.astype(np.int8) - 8  # Q4_0: −8 to 7, and no least
    weights = numbers * blocks["scale"].astype(np.float32)[..., None]
    if "least" in fields:
        weights += blocks["least"].astype(np.float32)[..., None]
    return weights.reshape(unpacked_shape(blocks))


def unpacked_shape(blocks: Array) -> tuple[int, ...]:
    """(..., blocks in a row) -> the shape of the weights in them."""
    size = next(block.size for block in BLOCKS.values() if block.dtype == blocks.dtype)
    return (*blocks.shape[:-1], blocks.shape[-1] * size)


def _numbers_of(nibbles: Array) -> Array:
    """(..., 16) bytes -> (..., 32) numbers from 0 to 15: the lower halves, then the upper ones."""
    return np.concatenate([nibbles & 15, nibbles >> 4], axis=-1)

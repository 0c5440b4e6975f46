"""Two first kernels in Triton: a sum of two vectors, and softmax of each row (lesson 13).

A kernel is one program, written for one tile. The outer program, in PyTorch, makes room for the result, says
how many programs there are (the grid), and launches them: kernel[grid](arguments). Each asks for its number,
tl.program_id(0), and works on the tile of that number; in which order they run is the GPU's affair.
"""

from __future__ import annotations  # where Triton is missing, nobody looks up tl.constexpr

import torch
from torch import Tensor

from helpers.pytorch.with_triton import jit, require_triton, tl, triton


@jit
def add_kernel(x, y, total, n, tile: tl.constexpr):
    """Where two vectors of n numbers begin, and where their sum will -> this program's tile of the sum."""
    place = tl.program_id(0) * tile + tl.arange(0, tile)
    is_there = place < n  # the last tile hangs over the end
    sums = tl.load(x + place, mask=is_there) + tl.load(y + place, mask=is_there)
    tl.store(total + place, sums, mask=is_there)


def add(x: Tensor, y: Tensor, tile: int = 1024) -> Tensor:
    """(n,), (n,) -> (n,): x + y, each tile of it by a program of its own.

    Raises ImportError where Triton is missing; ValueError for a device without it, or other shapes.
    """
    require_triton(x.device)
    if x.ndim != 1 or x.shape != y.shape or x.device != y.device:
        raise ValueError(
            "x and y must be vectors of one length on one device; got "
            f"{tuple(x.shape)} on {x.device} and {tuple(y.shape)} on {y.device}"
        )
    x, y = x.contiguous(), y.contiguous()
    total = torch.empty_like(x)
    grid = (triton.cdiv(len(x), tile),)  # so many programs; cdiv divides and rounds up
    if len(x):
        add_kernel[grid](x, y, total, len(x), tile=tile)
    return total


@jit
def softmax_kernel(scores, weights, n_keys, tile: tl.constexpr):
    """Where rows of n_keys scores begin, and where their weights will -> this program's row of weights."""
    row = tl.program_id(0)
    key = tl.arange(0, tile)  # the whole row at once: the tile is as long, or longer
    is_there = key < n_keys
    row_of_scores = tl.load(scores + row * n_keys + key, mask=is_there, other=float("-inf"))
    exponentials = tl.exp(row_of_scores - tl.max(row_of_scores, axis=0))
    row_of_weights = exponentials / tl.sum(exponentials, axis=0)
    tl.store(weights + row * n_keys + key, row_of_weights, mask=is_there)


def softmax(scores: Tensor) -> Tensor:
    """(n_queries, n_keys) -> the same: softmax of each row, each by a program of its own.

    A row is read once and written once. Three steps of PyTorch (less the maximum, exponentials, divided by
    the sum) would read and write it three times. A program holds its whole row, so a row has 65,536 numbers
    at most. Raises ImportError where Triton is missing; ValueError for a device without it, or other shapes.
    """
    require_triton(scores.device)
    if scores.ndim != 2 or not 1 <= scores.shape[1] <= 65536:
        raise ValueError(
            f"scores must have shape (n_queries, n_keys), with 1 to 65536 keys; got {tuple(scores.shape)}"
        )
    scores = scores.contiguous()
    weights = torch.empty_like(scores)
    n_queries, n_keys = scores.shape
    if n_queries:
        softmax_kernel[(n_queries,)](scores, weights, n_keys, tile=triton.next_power_of_2(n_keys))
    return weights

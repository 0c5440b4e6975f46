"""What several exercises of lesson 08 use: sections to reread, tensors as the form of a probe."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from helpers.exercises.engine.probes import Form

SIX_LINES = "08: Six lines, in tensors"


MODULE = "08: A module with weights of its own"


WHOSE_TRUE = "08: Whose True is it?"


WHICH_AXIS = "08: Which axis is the heads'?"


TENSORS = Form(tensors=True)


Step = Callable[..., Any]


def same(thing: Any, *_more: Any) -> Any:
    return thing


def plain(scores: Tensor) -> Tensor:
    return torch.softmax(scores, dim=-1)


def along(axis: int) -> Step:
    return lambda scores: torch.softmax(scores, dim=axis)


EACH_QUERY = "One distribution for each query: along the keys, the last axis, dim=-1."


def split_rows(rows: Tensor, n_heads: int) -> Tensor:
    return rows.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def one_reshape(rows: Tensor, n_heads: int) -> Tensor:
    batch, n, width = rows.shape
    return rows.reshape(batch, n_heads, n, width // n_heads)

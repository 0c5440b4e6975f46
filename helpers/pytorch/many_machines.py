"""One call from a notebook: share out, run on a crew, put together (lesson 16).

    with Crew(4) as crew:
        found = ring_run(crew, queries, keys, values, causal=True, share="zigzag")

found.output is what one process gives, within rounding; the rest of it says what it took. Work is forward
only, unless `upstream`, the loss's gradient by the output, is given: then gradients come back, too.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from helpers.pytorch.partials import TILE
from helpers.pytorch.processes import Crew
from helpers.pytorch.ring import Plan
from helpers.pytorch.ring_jobs import Found
from helpers.pytorch.validation import require_fitting, require_floats
from helpers.shares import positions_of, share_sizes
from helpers.validation import Array, require_count

JOBS = "helpers.pytorch.ring_jobs"


class Run(NamedTuple):
    """What a crew found together. Lists have one entry a process, in the order of ranks."""

    output: Tensor  # as one process would give it, rows in the order of the text
    gradients: tuple[Tensor, ...]  # of the inputs, in their order; empty without an upstream
    sent: list[dict[str, int]]  # bytes of payload by what they are, as the code counts them
    written: list[int | None]  # bytes that the system saw the process write meanwhile; None off Linux
    cells: (
        Array  # (processes, steps): scores that each made at each step, of one head; empty where not counted
    )
    held: list[int]  # bytes of tensors at the peak, the share of the inputs included
    seconds: list[float]
    waited: list[float]  # seconds of these that a process waited for others
    busy: list[float]  # seconds that it had a processor: the same, however many programs run beside it


def ring_run(
    crew: Crew,
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    upstream: Tensor | None = None,
    *,
    causal: bool = False,
    share: str = "contiguous",
    tile: int = TILE,
    overlap: bool = True,
) -> Run:
    """(..., n, d_k), (..., n, d_k), (..., n, d_v), and upstream (..., n, d_v) or None -> Run, by a ring.

    overlap=False sends keys and values only after each block was computed, to see what that costs.
    Raises ValueError or TypeError where the inputs do not fit, CrewError where a process fails.
    """
    n_tokens = _require_whole(queries, keys, values, upstream)
    plan = Plan(n_tokens, causal, share, tile, overlap)
    places = _places(crew, n_tokens, share)
    return _run_shared(crew, "ring_job", (queries, keys, values), upstream, places, plan=plan)


def exchange_run(
    crew: Crew,
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    upstream: Tensor | None = None,
    *,
    causal: bool = False,
) -> Run:
    """(..., n_heads, n, d_k), the same, (..., n_heads, n, d_v), upstream or None -> Run, tokens for heads.

    Raises ValueError or TypeError where the inputs do not fit, CrewError where a process fails.
    """
    n_tokens = _require_whole(queries, keys, values, upstream)
    places = _places(crew, n_tokens, "contiguous")
    given = {"n_tokens": n_tokens, "causal": causal}
    return _run_shared(crew, "exchange_job", (queries, keys, values), upstream, places, **given)


def tensor_parallel_run(
    crew: Crew,
    x: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    w_o: Tensor,
    upstream: Tensor | None = None,
    *,
    n_heads: int,
    causal: bool = False,
) -> Run:
    """(..., n, d_model), three (d_model, n_heads·d), (n_heads·d_v, d_model) -> Run, all-reduce after W_O.

    Head h is the h-th run of columns of W_Q, W_K, W_V and of rows of W_O; each process gets a run of heads.
    gradients: of x, w_q, w_k, w_v, w_o. Raises ValueError or TypeError where the inputs do not fit, or there
    are fewer heads than processes; CrewError where a process fails.
    """
    require_floats({"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o})
    heads = share_sizes(require_count("n_heads", n_heads), crew.n_processes)
    if heads.min() == 0:
        raise ValueError(f"each of {crew.n_processes} processes needs a head; got n_heads {n_heads}")
    columns = [
        _per_head(name, m, n_heads, -1, heads) for name, m in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v))
    ]
    rows = _per_head("w_o", w_o, n_heads, -2, heads)
    each = [
        {"inputs": (x, *(matrix[rank] for matrix in columns), rows[rank]), "n_heads": int(heads[rank])}
        for rank in range(crew.n_processes)
    ]
    found = crew.run(f"{JOBS}:tensor_parallel_job", each=each, upstream=upstream, causal=causal)
    gradients: tuple[Tensor, ...] = ()
    if upstream is not None:
        of_x, *of_matrices = zip(*(part.gradients for part in found), strict=True)
        whole = [torch.cat(parts, dim=-1) for parts in of_matrices[:-1]]
        gradients = (of_x[0], *whole, torch.cat(of_matrices[-1], dim=-2))
    return _together(found, found[0].output, gradients)


def torch_ring_run(
    crew: Crew,
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    *,
    causal: bool = False,
    share: str = "contiguous",
) -> Run:
    """(B, heads, n, d), three times -> Run, forward only, by PyTorch's own ring; `sent` is empty.

    Raises ValueError where n cannot be shared out equally, or for another share than its own two;
    CrewError where a process fails, and where this version of PyTorch keeps its ring elsewhere.
    """
    n_tokens = _require_whole(queries, keys, values, None)
    if queries.ndim != 4 or len({part.shape for part in (queries, keys, values)}) > 1:
        raise ValueError(
            f"PyTorch's ring takes three of one shape (B, heads, n, d); got {tuple(queries.shape)}, "
            f"{tuple(keys.shape)} and {tuple(values.shape)}"
        )
    runs = crew.n_processes * (2 if share == "zigzag" else 1)
    if n_tokens % runs:
        raise ValueError(f"PyTorch's ring takes equal shares: {runs} must divide the tokens; got {n_tokens}")
    places = _places(crew, n_tokens, share)
    given = {"causal": causal, "share": share}
    return _run_shared(crew, "torch_ring_job", (queries, keys, values), None, places, **given)


def _run_shared(
    crew: Crew,
    job: str,
    inputs: tuple[Tensor, ...],
    upstream: Tensor | None,
    places: list[Tensor],
    **given: Any,
) -> Run:
    """Each process is given its rows, and its results go where the rows came from."""
    each = [
        {
            "inputs": tuple(part.detach()[..., rows, :] for part in inputs),
            "upstream": None if upstream is None else upstream[..., rows, :],
        }
        for rows in places
    ]
    found = crew.run(f"{JOBS}:{job}", each=each, **given)
    output = _whole([part.output for part in found], places)
    gradients: tuple[Tensor, ...] = ()
    if upstream is not None:
        gradients = tuple(_whole(parts, places) for parts in zip(*(f.gradients for f in found), strict=True))
    return _together(found, output, gradients)


def _whole(parts: Sequence[Tensor], places: list[Tensor]) -> Tensor:
    """The rows of each process, where they stand -> all rows in order."""
    rows = torch.cat(list(parts), dim=-2)
    whole = torch.empty_like(rows)
    whole[..., torch.cat(places), :] = rows
    return whole


def _together(found: list[Found], output: Tensor, gradients: tuple[Tensor, ...]) -> Run:
    _, _, sent, written, cells, *others = (list(part) for part in zip(*found, strict=True))
    return Run(output, gradients, sent, written, np.array(cells), *others)


def _places(crew: Crew, n_tokens: int, share: str) -> list[Tensor]:
    ranks = range(crew.n_processes)
    return [torch.from_numpy(positions_of(rank, n_tokens, crew.n_processes, share)) for rank in ranks]


def _per_head(name: str, matrix: Tensor, n_heads: int, axis: int, heads: Array) -> list[Tensor]:
    """A matrix -> the runs of its columns or rows that belong to each process's heads."""
    if matrix.shape[axis] % n_heads:
        what = "columns" if axis == -1 else "rows"
        raise ValueError(
            f"the {what} of {name} must be a whole number for each of {n_heads} heads; "
            f"got {tuple(matrix.shape)}"
        )
    wide = matrix.shape[axis] // n_heads
    # a copy each: a view would take the whole matrix along
    return [run.clone() for run in matrix.detach().split([int(count) * wide for count in heads], dim=axis)]


def _require_whole(queries: Tensor, keys: Tensor, values: Tensor, upstream: Tensor | None) -> int:
    """Whole queries, keys and values -> how many tokens. Raises unless all are of the same tokens."""
    require_fitting(queries, keys, values, None)
    if queries.shape[:-1] != keys.shape[:-1] or keys.shape[:-1] != values.shape[:-1]:
        raise ValueError(
            "queries, keys and values must be of the same tokens, with the same leading axes; got "
            f"{tuple(queries.shape)}, {tuple(keys.shape)} and {tuple(values.shape)}"
        )
    if upstream is not None and upstream.shape != values.shape:
        raise ValueError(
            f"upstream must have the shape of the output, {tuple(values.shape)}; got {tuple(upstream.shape)}"
        )
    return require_count("the number of tokens", queries.shape[-2])

"""torch-weights, lesson 08.

Nn.MultiheadAttention's in_proj_weight, taken apart into W_Q, W_K and W_V as (in, out).
"""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Form, OtherFormError, Probe, numbers
from helpers.exercises.kinds.write import Write
from helpers.exercises.lesson_08.shared import MODULE
from helpers.validation import Array

THREE = Form(tensors=True, parts=dict.fromkeys(("w_q", "w_k", "w_v"), ("row", "entry")), stacked=True)


def my_projections(in_proj_weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(3·d_model, d_model) -> w_q, w_k, w_v: each (d_model, d_model), as (in, out)."""
    w_q, w_k, w_v = in_proj_weight.chunk(3)
    return w_q.T, w_k.T, w_v.T


def thirds(packed: Tensor, *runs: tuple[int, int]) -> list[Tensor]:
    """Rows, and for each run of them where it starts and stops, counted in thirds -> the runs."""
    third = len(packed) // 3
    return [packed[start * third : stop * third] for start, stop in runs]


def rows_of_the_turned(packed: Tensor) -> list[Tensor]:
    """The packed projections, transposed -> runs of d_model rows; there are no more than d_model."""
    d_model, turned = packed.shape[1], packed.T
    return [turned[:d_model], turned[d_model : 2 * d_model], turned[2 * d_model :]]


def three_of(parts: Sequence[Tensor]) -> Sequence[Tensor]:
    """The parts; where they are not three, what the check says of them."""
    if len(parts) != 3:
        what = f"a {type(parts).__name__} of {len(parts)} things"
        raise OtherFormError(f"returned {what}, but the task asks for 3: w_q, w_k, w_v")
    return parts


EDITS = Edits(
    my_projections,
    {"cut": "in_proj_weight.chunk(3)", "q": "w_q.T", "k": "w_k.T", "v": "w_v.T", "turned": "q + k + v"},
)
MISTAKES = EDITS.mistakes(
    """
not-transposed
    the matrices are still (out, in)
    nn.Linear computes x @ weight.T. For x @ w_q, transpose the matrix once: `.T`. (The two shapes are the
    same here, so nothing complains.)
    | turned => it.T

some-not-transposed
    some of the matrices are transposed, others are still (out, in)
    nn.Linear computes x @ weight.T, three times. Transpose each of the three once: `.T`.
    | k => w_k; v => w_v
    | q => w_q
    | k => w_k
    | v => w_v
    | q => w_q; k => w_k
    | q => w_q; v => w_v

other-order
    the three matrices came in the wrong order
    PyTorch stores the queries' matrix first, then the keys', then the values'.
    @ order = 2,1,0 1,0,2 0,2,1 1,2,0 2,0,1
    | result => [it[place] for place in (order)]

one-taken-twice
    you took one of the three matrices more than once
    The rows 0 to d_model − 1 belong to the queries, the next d_model to the keys, the last to the values.
    @ order = 0,0,0 0,1,1 0,0,2 0,0,1 0,2,2 1,1,2
    | result => [it[place] for place in (order)]

every-third-row
    you took every third row, as if the three matrices were interleaved
    Each matrix is one run of d_model rows, one below the other. Some other programs interleave them;
    PyTorch does not.
    | cut => [in_proj_weight[start::3] for start in range(3)]

reshaped-after-turning
    you cut the transposed table with `reshape`
    After transposing, the three stand side by side, but reshape keeps the numbers in their order: it cuts
    by rows. Cut first and transpose each part, or cut the transposed table's columns with chunk(3,
    dim=1).
    | cut => in_proj_weight.T.reshape(3, in_proj_weight.shape[1], -1); turned => it.T

cut-by-columns
    you cut the columns into three, not the rows
    The three stand one *below* the other: cut along the first axis, dim=0, into runs of d_model rows.
    | cut => in_proj_weight.chunk(3, dim=-1); turned
    | cut => in_proj_weight.chunk(3, dim=-1); turned => it.T
    | result => three_of(in_proj_weight.chunk(3, dim=-1))
    | result => three_of(in_proj_weight.T.chunk(3))
    | result => three_of([w.T for w in in_proj_weight.chunk(3, dim=-1)])

turned-before-the-cut
    you transposed the whole table first, and then cut its rows
    After `.T` the three stand side by side, and a row runs through all of them. Cut first and transpose each
    part, or cut the columns of the transposed table: w[:, :d_model] and so on.
    | result => rows_of_the_turned(in_proj_weight)

turned-by-reshape
    you took every third row, by a step of 3 or by `reshape`, and transposed nothing
    Each matrix is one run of d_model rows. reshape keeps the numbers in their order and cuts the rows
    elsewhere; `.T` and transpose swap axes.
    | cut => in_proj_weight.reshape(in_proj_weight.T.shape).chunk(3, dim=-1); turned => it.T

shared-rows
    the runs of rows overlap, or leave some out
    d_model rows for each: [:d_model], [d_model : 2 * d_model], [2 * d_model :].
    | cut => thirds(in_proj_weight, (0, 1), (1, 2), (1, 3))
    | cut => thirds(in_proj_weight, (0, 1), (0, 2), (0, 3)); turned
    | cut => thirds(in_proj_weight, (0, 1), (1, 3), (2, 3)); turned
    | cut => thirds(in_proj_weight, (0, 1), (0, 2), (0, 3)); turned => it.T
""",
    MODULE,
)


def _packed(d_model: int, start: int, dtype: type = np.float32) -> Array:
    return numbers(3 * d_model, d_model, start=start, dtype=dtype)


EXERCISE = Write(
    name="torch-weights",
    answer=my_projections,
    task="nn.MultiheadAttention's in_proj_weight, taken apart into W_Q, W_K and W_V as (in, out).",
    call="my_projections(in_proj_weight)",
    right=my_projections,
    recipe=EDITS.recipe(),
    probes=tuple(
        Probe(kind, {"in_proj_weight": weights}, kind == "d_model 1", THREE)
        for kind, weights in (
            ("d_model 3", _packed(3, start=1)),
            (EXAMPLE, np.arange(12, dtype=np.float32).reshape(6, 2)),
            ("d_model 6", _packed(6, start=40)),
            ("d_model 5", _packed(5, start=90)),
            ("d_model 7, float64", _packed(7, start=140, dtype=np.float64)),
            ("d_model 1", _packed(1, start=192)),
        )
    ),
    mistakes=MISTAKES,
    hints=(
        "in_proj_weight.chunk(3) cuts its rows into three runs.",
        "nn.Linear computes x @ weight.T. What do you have to do to a weight so that x @ w_q is the same?",
        "w_q, w_k, w_v = in_proj_weight.chunk(3), and then `.T` for each.",
    ),
    explain="chunk(3) cuts along the first axis. `.T` shares the memory: nothing is copied. The helper "
    "from_torch in helpers/pytorch/weights.py copies the biases and W_O as well.",
    reread=MODULE,
)

"""torch-weights, lesson 08.

Nn.MultiheadAttention's in_proj_weight, taken apart into W_Q, W_K and W_V as (in, out).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Form, Probe, numbers
from helpers.exercises.kinds.write import Write
from helpers.exercises.lesson_08.shared import MODULE, Step, same


def projections(in_proj_weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(3·d_model, d_model) -> w_q, w_k, w_v as (in, out)."""
    w_q, w_k, w_v = in_proj_weight.chunk(3)
    return w_q.T, w_k.T, w_v.T


def _three_runs(packed: Tensor) -> Sequence[Tensor]:
    return packed.chunk(3)


def _turned(matrix: Tensor) -> Tensor:
    return matrix.T


def _projections_by_choices(
    packed: Tensor, *, cut: Step = _three_runs, turn: Step = _turned, order: Sequence[int] = (0, 1, 2),
    left: Sequence[int] = (),
) -> Any:  # fmt: skip
    parts = cut(packed)
    return [parts[place] if place in left else turn(parts[place]) for place in order]


THREE = Form(tensors=True, parts=dict.fromkeys(("w_q", "w_k", "w_v"), ("row", "entry")), stacked=True)


def _every_third(packed: Tensor) -> Sequence[Tensor]:
    return [packed[start::3] for start in range(3)]


def _by_columns(packed: Tensor) -> Sequence[Tensor]:
    return packed.chunk(3, dim=-1)


def my_projections(in_proj_weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(3·d_model, d_model) -> w_q, w_k, w_v: each (d_model, d_model), as (in, out)."""
    w_q, w_k, w_v = in_proj_weight.chunk(3)
    return w_q.T, w_k.T, w_v.T


EXERCISE = Write(
    name="torch-weights",
    answer=my_projections,
    task="nn.MultiheadAttention's in_proj_weight, taken apart into W_Q, W_K and W_V as (in, out).",
    call="my_projections(in_proj_weight)",
    right=projections,
    recipe=_projections_by_choices,
    probes=tuple(
        Probe(kind, {"in_proj_weight": numbers(3 * d_model, d_model, start=start, dtype=dtype)}, form=THREE)
        for kind, d_model, start, dtype in (
            ("d_model 3", 3, 1, np.float32),
            ("d_model 6", 6, 40, np.float32),
            ("d_model 5", 5, 90, np.float32),
            ("d_model 7, float64", 7, 140, np.float64),
        )
    ),
    mistakes=(
        Mistake(
            "not-transposed",
            "the matrices are still (out, in)",
            "nn.Linear computes x @ weight.T. For x @ w_q the matrix has to be turned once: `.T`. (Both "
            "shapes are equal here, so nothing complains.)",
            MODULE,
            turn=same,
        ),
        Mistake(
            "some-not-transposed",
            "some of the matrices are turned, others still (out, in)",
            "nn.Linear computes x @ weight.T, three times. Each of the three has to be turned once: `.T`.",
            MODULE,
            also=[{"left": left} for left in ((0,), (1,), (2,), (0, 1), (0, 2))],
            left=(1, 2),
        ),
        Mistake(
            "other-order",
            "the three came in another order",
            "PyTorch stores those of the queries first, then the keys', then the values'.",
            MODULE,
            also=[{"order": order} for order in ((0, 2, 1), (1, 0, 2), (2, 1, 0), (2, 0, 1))],
            order=(1, 2, 0),
        ),
        Mistake(
            "one-taken-twice",
            "one of the three matrices was taken more than once",
            "The rows 0 to d_model − 1 belong to the queries, the next d_model to the keys, the last to the "
            "values.",
            MODULE,
            also=[{"order": order} for order in ((0, 1, 1), (0, 0, 2), (0, 0, 1), (0, 2, 2), (1, 1, 2))],
            order=(0, 0, 0),
        ),
        Mistake(
            "every-third-row",
            "every third row was taken, or every third run of another reshape",
            "Each matrix is one run of d_model rows, one below the other. Some other programs interleave "
            "them; PyTorch does not.",
            MODULE,
            cut=_every_third,
        ),
        Mistake(
            "reshaped-after-turning",
            "the turned table was cut by `reshape`",
            "Turned, the three stand side by side, and reshape keeps the numbers in their order: it cuts by "
            "rows. Cut first, and turn each; or cut the turned table's columns, chunk(3, dim=1).",
            MODULE,
            cut=lambda packed: packed.T.reshape(3, packed.shape[1], -1),
            turn=same,
        ),
        Mistake(
            "cut-by-columns",
            "the columns were cut into three, not the rows",
            "The three stand one *below* the other: cut along the first axis, dim=0, into runs of d_model "
            "rows.",
            MODULE,
            also=[{"cut": _by_columns, "turn": same}],
            cut=_by_columns,
            turn=_turned,
        ),
        Mistake(
            "turned-by-reshape",
            "every third row was taken, and nothing was turned: by a step of 3, or by `reshape`",
            "Each matrix is one run of d_model rows. reshape keeps the numbers in their order and cuts the "
            "rows elsewhere; `.T` and transpose swap axes.",
            MODULE,
            cut=lambda packed: packed.reshape(packed.shape[1], packed.shape[0]).chunk(3, dim=-1),
            turn=same,
        ),
        Mistake(
            "shared-rows",
            "the runs of rows overlap, or leave some out",
            "d_model rows for each: [:d_model], [d_model : 2 * d_model], [2 * d_model :].",
            MODULE,
            also=[
                {"cut": lambda p: [p[: len(p) // 3], p[: 2 * len(p) // 3], p], "turn": _turned},
                {
                    "cut": lambda p: [p[: len(p) // 3], p[len(p) // 3 :], p[2 * len(p) // 3 :]],
                    "turn": _turned,
                },
                {"cut": lambda p: [p[: len(p) // 3], p[: 2 * len(p) // 3], p], "turn": same},
            ],
            cut=lambda p: [p[: len(p) // 3], p[len(p) // 3 : 2 * len(p) // 3], p[len(p) // 3 :]],
        ),
    ),
    hints=(
        "in_proj_weight.chunk(3) cuts its rows into three runs.",
        "nn.Linear computes x @ weight.T. What has to be done with a weight, so that x @ w_q is the same?",
        "w_q, w_k, w_v = in_proj_weight.chunk(3), and then `.T` for each.",
    ),
    explain="chunk(3) cuts along the first axis. `.T` shares the memory: nothing is copied. The helper "
    "from_torch in helpers/pytorch/weights.py takes over biases and W_O as well.",
    reread=MODULE,
)

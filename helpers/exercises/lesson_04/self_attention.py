"""self-attention, lesson 04: project the tokens, then attend.

Its mistakes are choices of a recipe, shared with later lessons (slips/projecting.py).
"""

from typing import Any

import numpy as np

from helpers import attention as helper
from helpers.attention import attention
from helpers.exercises.engine.probes import Probe, example, numbers
from helpers.exercises.kinds.write import Property, Write, alike
from helpers.exercises.slips.matching import same
from helpers.exercises.slips.mixing import (
    PROJECTIONS,
    Step,
    attention_by_choices,
    by_product,
    by_root_d_k,
    in_order,
    mixed,
    within_values,
)
from helpers.exercises.slips.projecting import SELF_ATTENTION_MISTAKES
from helpers.softmax import softmax
from helpers.validation import Array


def self_attention(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """(..., n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v) -> output (..., n, d_v)."""
    return helper.attention(x @ w_q, x @ w_k, x @ w_v)[0]


def _projected(x: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, Array, Array]:
    return x @ w_q, x @ w_k, x @ w_v


def _self_attention_by_choices(
    x: Array, w_q: Array, w_k: Array, w_v: Array, *, project: Step = _projected, roles: Step = in_order,
    match: Step = by_product, scale: Step = by_root_d_k, width: Step = same, share: Step = softmax,
    mix: Step = mixed, after: Step = same, onto: Step = same,
) -> Array:  # fmt: skip
    output = attention_by_choices(
        *project(x, w_q, w_k, w_v), roles=roles, match=match, scale=scale, width=width, share=share, mix=mix,
        after=after,
    )  # fmt: skip
    return onto(output, x, w_q, w_k, w_v)


def _sentence(
    *stack: int, n: int = 5, d_model: int = 7, d_k: int = 3, d_v: int = 4, start: int = 1,
    dtype: type = np.float64,
) -> dict[str, Array]:  # fmt: skip
    return {
        "x": numbers(*stack, n, d_model, start=start, dtype=dtype),
        "w_q": numbers(d_model, d_k, start=start + 500, dtype=dtype) / 2,
        "w_k": numbers(d_model, d_k, start=start + 700, dtype=dtype) / 2,
        "w_v": numbers(d_model, d_v, start=start + 900, dtype=dtype) / 2,
    }


def _within_projected(inputs: Any, output: Array, call: Any) -> str:
    values = inputs["x"] @ inputs["w_v"]
    return within_values({"values": values}, output, call)


def _tokens_shuffled(inputs: Any, output: Array, call: Any) -> str:
    x, *matrices = inputs.values()
    again = call(x[..., ::-1, :].copy(), *matrices)
    if not alike(again, output) or output.ndim < 2:
        return ""
    if np.allclose(again[..., ::-1, :], output, atol=1e-3, equal_nan=True):
        return ""
    return "Tokens in a different order should give the same outputs, in that order; yours do not."


def my_self_attention(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """(..., n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v) -> output (..., n, d_v)."""
    output, _ = attention(x @ w_q, x @ w_k, x @ w_v)
    return output


EXERCISE = Write(
    name="self-attention",
    answer=my_self_attention,
    task="Project the tokens, then attend.",
    call="my_self_attention(x, w_q, w_k, w_v)",
    right=self_attention,
    recipe=_self_attention_by_choices,
    probes=(
        Probe("3 tokens, d_model 5", _sentence(n=3, d_model=5, d_k=2, d_v=4, start=13)),
        example(
            x=np.eye(2),
            w_q=np.array([[np.log(3)], [0.0]]),
            w_k=np.array([[0.0], [1.0]]),
            w_v=np.array([[10.0, 0.0], [30.0, 4.0]]),
        ),
        Probe("all as wide as the tokens", _sentence(n=4, d_model=3, d_k=3, d_v=3, start=25)),
        Probe("values as wide as keys", _sentence(n=4, d_model=5, d_k=3, d_v=3, start=33)),
        Probe(
            "whole numbers",
            {
                "x": np.array([[1, 0, 2, 1], [1, 1, 1, 1], [2, 1, 1, 1]]),
                "w_q": np.array([[1, 0], [0, 1], [1, -1], [0, 1]]),
                "w_k": np.array([[0, 1], [1, 1], [1, 0], [-1, 0]]),
                "w_v": np.array([[1, 2, 0, 5, 1], [0, 1, 3, 1, 2], [4, 0, 1, 2, 0], [1, 1, 6, 0, 3]]),
            },
        ),
        Probe("5 tokens, d_model 7", _sentence()),
        Probe("float32", _sentence(n=6, d_k=5, dtype=np.float32, start=71)),
        Probe("a batch of 2 sentences", _sentence(2, start=301)),
        Probe("a batch of 2 sentences, 3 readings each", _sentence(2, 3, d_k=5, d_v=4, n=6, start=501)),
        Probe("one token", _sentence(n=1, d_model=4, d_k=3, d_v=2, start=601), True),
        Probe("d_model 1 and d_v 1", _sentence(n=4, d_model=1, d_k=3, d_v=1, start=611), True),
        Probe("a batch of one sentence", _sentence(1, n=3, d_model=5, d_k=1, d_v=4, start=621), True),
        Probe(
            "one sentence, 3 readings",
            _sentence(1, 3, n=4, d_model=5, d_k=2, d_v=6, start=631),
            True,
        ),
    ),
    properties=(
        Property("within the values", "no output lies outside the values", _within_projected),
        Property("tokens shuffled", "tokens in another order give the same outputs in that order",
                 _tokens_shuffled),
    ),
    axes=("token", "entry"),
    two_stacked=("sentence", "reading"),
    mistakes=SELF_ATTENTION_MISTAKES,
    hints=(
        "Queries, keys and values are three projections of the same tokens: x @ w_q, x @ w_k, x @ w_v.",
        "Then attention as before. d_k is the width of the queries, not that of the tokens.",
        "The helper returns two things: output, weights = attention(queries, keys, values).",
    ),
    explain="Three projections of the same tokens, then attention. d_k is the width of x @ w_q.",
    reread=PROJECTIONS,
)  # fmt: skip

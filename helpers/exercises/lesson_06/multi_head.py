"""multi-head, lesson 06: project, split, attend in each head, merge, W_O.

Its mistakes are choices of a recipe with a keyword for each step (lesson_06/block.py).
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, exact, example, numbers
from helpers.exercises.kinds.write import Property, Write, alike
from helpers.exercises.lesson_06.block import (
    HEADS_MISTAKES,
    MERGE_AND_OUT_MISTAKES,
    ROLE_MISTAKES,
    SCALE_MISTAKES_OF_THE_BLOCK,
    STEPS,
    multi_head,
    multi_head_by_choices,
)
from helpers.exercises.lesson_06.merge_bug import MISTAKES as MERGE_MISTAKES
from helpers.exercises.lesson_06.shared import (
    KEYS_REVERSED,
    MERGING,
    SPLITTING,
    factor_off,
    only,
)
from helpers.exercises.slips.matching import match_mistakes
from helpers.exercises.slips.sharing import (
    LARGEST_OF_TABLE,
    OVER,
    axis_mistakes,
    share_mistakes,
    shift_mistakes,
)
from helpers.multi_head import merge_heads, split_heads
from helpers.validation import Array


def _block(
    kind: str, *stack: int, n: int, d_model: int, n_heads: int, d_head: int, start: int = 1, times: float = 1,
    dtype: type = np.float64, whole: bool = False, hard: bool = False,
) -> Probe:  # fmt: skip
    width = n_heads * d_head
    x = numbers(*stack, n, d_model, start=start, dtype=dtype) * times
    matrices: dict[str, Array] = {
        name: numbers(d_model, width, start=start + 1000 * i) / math.sqrt(d_model)
        for i, name in enumerate(("w_q", "w_k", "w_v"), 1)
    }
    w_o: Array = numbers(width, d_model, start=start + 5000) * 0.6
    if dtype == np.float32:  # eighths for the sixteenths of x, so that scores are exact
        matrices = {name: exact(matrix).astype(dtype) for name, matrix in matrices.items()}
        w_o = (w_o / 16).astype(dtype)  # and what is not exact stays small
    x = np.round(x).astype(np.int64) if whole else x
    return Probe(kind, {"x": x, **matrices, "w_o": w_o, "n_heads": n_heads}, hard)


def _large(kind: str, *, n: int, d_model: int, start: int, times: float = 0.5) -> Probe:
    """Three heads of 4 columns. Scores are large, and exact in float32: whatever makes them is quarters."""
    probe = _block(kind, n=n, d_model=d_model, n_heads=3, d_head=4, start=start, times=times, hard=True)
    for name in ("x", "w_q", "w_k"):
        probe.inputs[name][...] = np.round(4 * probe.inputs[name]) / 4
    return probe


def _heads_out(kind: str, first: float, heads: Sequence[float], *, n: int, d_model: int, start: int) -> Probe:
    """The first entry of every token is `first`: head h adds first² · heads[h] to all its scores."""
    probe = _large(kind, n=n, d_model=d_model, start=start)
    probe.inputs["w_q"][0], probe.inputs["w_k"][0] = np.repeat(heads, 4), 0.5
    probe.inputs["x"][:, 0] = first
    return probe


def _tokens_trade_places(inputs: Any, output: Array, call: Any) -> str:
    x, *others = inputs.values()
    again = call(x[..., ::-1, :].copy(), *others)
    if not alike(again, output) or output.shape != x.shape:
        return ""
    if np.allclose(again[..., ::-1, :], output, atol=1e-3, equal_nan=True):
        return ""
    return "With the tokens in reverse order the outputs should come in reverse order, and be the same."


def _every_part_counts(inputs: Any, output: Array, call: Any) -> str:
    one_token = inputs["x"].shape[-2] == 1  # whose weight is 1, whatever w_q and w_k are
    for name in ("w_v", "w_o") if one_token else ("w_q", "w_k", "w_v", "w_o"):
        changed = {**inputs, name: inputs[name] * 0.5}
        again = call(*changed.values())
        if alike(again, output) and np.allclose(again, output, equal_nan=True):
            return f"Halving {name} changes nothing in your output: is it used?"
    return ""


OFF_BY_A_FACTOR = factor_off(multi_head, "number", "")


def _with_equal_weights(inputs: Any, output: Array, call: Any) -> bool | None:
    """With w_q all 0 the scores are all 0: is the output right then? None where that cannot be said."""
    x, w_q, w_k, w_v, w_o, n_heads = inputs.values()
    if output.shape != x.shape or OFF_BY_A_FACTOR(inputs, output, call):
        return None
    again = call(x, 0 * w_q, w_k, w_v, w_o, n_heads)
    if not alike(again, output):
        return None
    mean = np.broadcast_to((x @ w_v @ w_o).mean(axis=-2, keepdims=True), x.shape)
    return bool(np.allclose(again, mean, atol=1e-3))


def _wrong_before_the_weights(inputs: Any, output: Array, call: Any) -> str:
    if not _with_equal_weights(inputs, output, call):
        return ""
    return (
        "With w_q all 0 every weight is the same, and there your output is right. So values, merging and W_O "
        "fit together: look first at how you get the weights, from queries, keys, the split, scale and "
        "softmax; then at whether each token keeps weights of its own."
    )


def _wrong_after_the_weights(inputs: Any, output: Array, call: Any) -> str:
    if _with_equal_weights(inputs, output, call) is not False:
        return ""
    return (
        "With w_q all 0 every score is 0, softmax makes equal weights, and the output should be the mean of "
        "x @ w_v @ w_o over the tokens. Yours is not: look first at softmax and what comes after it, the "
        "values, merging and W_O."
    )


def _sentences_apart(inputs: Any, output: Array, call: Any) -> str:
    x, *others = inputs.values()
    if x.ndim < 3 or output.shape != x.shape:
        return ""
    changed = x.copy()
    changed[-1] += 1
    again = call(changed, *others)
    if not alike(again, output) or np.allclose(again[0], output[0], equal_nan=True):
        return ""
    return "Changing one sentence moves the output of another."


AXIS = "03: Which axis?"
FUTURE = "05: The future must be hidden"
EACH_SPENDS = (
    "In each head every query shares out a weight of 1 among the keys: softmax runs along the last axis, −1."
)


def softmax_mistakes() -> tuple[Mistake, ...]:
    """Over what softmax runs, and whether it does: mostly as in lesson 03."""
    axes = (
        ("over-heads", -3, "the heads", " Heads do not share: each spends 1 for every query."),
        ("axis-0", 0, "the first axis, which counts heads for one sentence, and sentences in a batch", ""),
        ("axis-1", 1, "axis 1, which counts queries for one sentence, and heads in a batch", ""),
        ("axis-2", 2, "axis 2, which holds the keys for one sentence only", ""),
        ("axis-3", 3, "axis 3, which holds the keys in a batch of sentences only", ""),
        ("over-each-table", (-2, -1), "the whole table of each head", ""),
    )
    from_lesson_03 = (
        "over-queries",
        "over-everything",
        "no-row-max",
        "whole-max",
        "clipped",
        "no-softmax",
        "twice",
        "not-divided",
        "no-exponential",
        "keepdims",
    )
    return (
        *(
            Mistake(
                name,
                f"softmax ran over {what}",
                EACH_SPENDS + more,
                AXIS,
                also=OVER[axis][1:] if axis in (-3, 0, 1) else (),
                **OVER[axis][0],
            )
            for name, axis, what, more in axes
        ),
        *STEPS.mistakes(
            """
causal-mask
    you hid later tokens with a causal mask
    No mask is asked for here: every token may attend to every token.
    | hide => np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
""",
            FUTURE,
        ),
        Mistake(
            "largest-of-head",
            "you subtracted the largest score of each head, not of each row",
            "A row far below it has nothing but e^−1000 = 0 left, and 0/0 is nan. Subtract the largest score "
            "of each row: then the largest exponent is 0.",
            "03: Adding a number to every score",
            **LARGEST_OF_TABLE,
        ),
        *only((*axis_mistakes(), *shift_mistakes(), *share_mistakes()), from_lesson_03),
    )


MERGED = STEPS.mistakes(
    """
merge-one-reshape
    | merge => merged_by_one_reshape(heads)
    | merge => heads.reshape(*heads.shape[:-3], heads.shape[-2], -1)

merge-interleaved
    | merge => merged_interleaved(heads)

merge-wrong-two-swapped
    | merge => wrong_two_swapped(heads)

swap-after-reshape
    | merge => turned_after(heads)
    | merge => swapped_after(heads)
""",
    MERGING,
    told=MERGE_MISTAKES,
)


def my_multi_head(x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, n_heads: int) -> Array:
    """(..., n, d_model), three (d_model, n_heads·d_head), (n_heads·d_head, d_model) -> (..., n, d_model)."""
    queries = split_heads(x @ w_q, n_heads)
    keys = split_heads(x @ w_k, n_heads)
    values = split_heads(x @ w_v, n_heads)
    output, _ = attention(queries, keys, values)
    return merge_heads(output) @ w_o


ONE = np.eye(2)
EXERCISE = Write(
    name="multi-head",
    answer=my_multi_head,
    task="Project, split, attend in each head, merge, W_O.",
    call="my_multi_head(x, w_q, w_k, w_v, w_o, n_heads)",
    right=multi_head,
    recipe=multi_head_by_choices,
    probes=(
        _block("one sentence, 2 heads of 4 columns", n=3, d_model=5, n_heads=2, d_head=4),
        example(hard=True, x=ONE, w_q=ONE, w_k=ONE, w_v=ONE, w_o=ONE, n_heads=2),
        _block("one sentence, 3 heads of 2 columns", n=5, d_model=7, n_heads=3, d_head=2, start=300),
        _block("whole numbers", n=4, d_model=6, n_heads=2, d_head=5, start=600, whole=True),
        _block(
            "float32, 4 heads of 3 columns", n=6, d_model=10, n_heads=4, d_head=3, start=908, dtype=np.float32
        ),
        _block("a batch of 2 sentences", 2, n=5, d_model=7, n_heads=3, d_head=4, start=1500),
        _block("2 texts of 3 sentences", 2, 3, n=5, d_model=9, n_heads=4, d_head=2, start=2500),
        _block("one head", n=4, d_model=3, n_heads=1, d_head=5, start=2610, hard=True),
        _block("one token", n=1, d_model=4, n_heads=3, d_head=2, start=2620, hard=True),
        _block("heads of one column", n=3, d_model=5, n_heads=2, d_head=1, start=2630, hard=True),
        _block("d_model 1, one narrow head", n=4, d_model=1, n_heads=1, d_head=1, start=2640, hard=True),
        _block("a batch of one sentence", 1, n=3, d_model=5, n_heads=2, d_head=2, start=2650, hard=True),
        _block("one text of 3 sentences", 1, 3, n=4, d_model=5, n_heads=2, d_head=3, start=2660, hard=True),
        _heads_out("scores around −1,000", 32, (-1.0, -1.25, -1.5), n=6, d_model=5, start=3300),
        _heads_out("scores around 1,000", 32, (1.0, 1.25, 1.5), n=6, d_model=5, start=3500),
        _heads_out("heads far apart", 110, (1.0, 0.0, -1.0), n=5, d_model=7, start=4500),
        _large("tokens far apart", n=7, d_model=5, start=5500, times=90),
    ),
    properties=(
        Property("all parts", "every matrix matters", _every_part_counts),
        Property("sentences apart", "no sentence moves another", _sentences_apart),
        Property("no order", "tokens in another order give outputs in that order", _tokens_trade_places),
        Property("one factor", "no output is too large or too small", OFF_BY_A_FACTOR),
        Property("weights", "the weights are right", _wrong_before_the_weights, SPLITTING),
        Property("equal weights", "equal scores give the mean of the values", _wrong_after_the_weights),
    ),
    axes=("token", "entry"),
    two_stacked=("text", "sentence"),
    mistakes=(
        *HEADS_MISTAKES,
        *ROLE_MISTAKES,
        *SCALE_MISTAKES_OF_THE_BLOCK,
        *only(match_mistakes(), ("not-transposed",)),
        KEYS_REVERSED,
        *softmax_mistakes(),
        *MERGED,
        *MERGE_AND_OUT_MISTAKES,
    ),
    hints=(
        "Five steps: x @ each of w_q, w_k, w_v; split all three; attention in each head; merge; @ w_o.",
        "After splitting, queries, keys and values have shape (..., n_heads, n, d_head), and `attention` "
        "takes them as they are: the heads are only one more leading axis.",
        "`attention` returns two things, output and weights. Merge the output, then @ w_o.",
    ),
    explain="The heads are one more leading axis: attention itself is that of lesson 04. W_O then mixes what "
    "they have found.",
    reread=MERGING,
)

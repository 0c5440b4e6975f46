"""masked-attention, lesson 05: attention with a mask that broadcasts; zeros for a query without a key.

Every mistake comes from slips/, as a step: another function for what stands in a place of the answer.
"""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.kinds.write import Property, Write, alike
from helpers.exercises.slips.hiding import INFINITY, MASKED_MISTAKES, Step, finite_in_attention
from helpers.exercises.slips.masked_probes import MASKED_PROBES
from helpers.masking import Mask, mask_scores
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array


def masked_attention(queries: Array, keys: Array, values: Array, mask: Mask) -> Array:
    """Queries, keys, values, a mask -> output (..., n_queries, d_v); zeros where a query has no key."""
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(mask_scores(scores, mask)) @ values


def my_masked_attention(queries: Array, keys: Array, values: Array, mask: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v), mask -> output (..., n_queries, d_v)."""
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    masked = np.where(mask, scores, -np.inf)
    return softmax(masked) @ values


EDITS = Edits(my_masked_attention, {
    "match": "dot_product_scores(queries, keys)",
    "scale": "scale_scores(dot_product_scores(queries, keys), queries.shape[-1])",
    "hide": "np.where(mask, scores, -np.inf)",
    "share": "softmax(masked)",
    "weigh": "softmax(masked)",
    "carry": "values",
    "mix": "softmax(masked) @ values",
}, {
    "match": "queries, keys",
    "scale": "match, queries, keys",
    "hide": "scores, mask",
    "share": "masked",
    "weigh": "it, mask",
    "carry": "values, scores, mask",
    "mix": "weigh, queries, keys, carry",
})  # fmt: skip
_step_by_step = EDITS.recipe()


def recipe(
    queries: Array, keys: Array, values: Array, mask: Mask, *, roles: Step | None = None,
    width: Step | None = None, **steps: Step,
) -> Any:  # fmt: skip
    """The answer with other steps: `roles` swaps the inputs first, and `width` is divided by, not √d_k."""
    if width:
        steps["scale"] = lambda scores, queries, keys: scores / width(values)
    inputs = roles(queries, keys, values) if roles else (queries, keys, values)
    return _step_by_step(*inputs, mask, **steps)


def _forbidden_value_moves(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, mask = (inputs[name] for name in ("queries", "keys", "values", "mask"))
    open_keys = np.broadcast_to(mask, (*output.shape[:-1], keys.shape[-2]))
    for *stack, query, key in np.argwhere(~open_keys)[:3].tolist():
        changed = values.copy()
        changed[(*stack, key)] += 1
        again = call(queries, keys, changed, mask)
        moved = alike(again, output) and abs(again - output)[(*stack, query)].max()
        if moved > 1e-6:
            told = f"Changing the value of key {key} moves the output of query {query}"
            return f"{told}, which may not attend to it."
    return ""


def _empty_row_is_0(inputs: Any, output: Array, _call: Any) -> str:
    shape = (*output.shape[:-1], inputs["keys"].shape[-2])
    empty = ~np.broadcast_to(inputs["mask"], shape).any(axis=-1)
    if not empty.any() or not np.any(abs(output[empty]) > 1e-6):
        return ""
    return "A query that may attend to nothing should get an output of zeros."


EXERCISE = Write(
    name="masked-attention",
    answer=my_masked_attention,
    task="Attention with a mask that broadcasts; zeros for a query without a key.",
    call="my_masked_attention(queries, keys, values, mask)",
    right=masked_attention,
    recipe=recipe,
    probes=MASKED_PROBES,
    properties=(
        Property("empty row", "a query with no key gets zeros", _empty_row_is_0),
        Property("hidden values", "a hidden value moves nothing", _forbidden_value_moves),
    ),
    axes=("query", "entry"),
    habit=finite_in_attention,
    mistakes=MASKED_MISTAKES,
    hints=(
        "Score, scale, mask, softmax, mix: the mask is the third of five steps.",
        "np.where(mask, scores, -np.inf) broadcasts the mask, and softmax turns −∞ into a weight of 0.",
        "The helper softmax gives zero weights where every score of a row is −∞. A softmax of your own has "
        "to guard against 0/0 there.",
    ),
    explain="The forbidden scores become −∞ before softmax. A query with no key gets zero weights from the "
    "helper softmax, hence zeros. The helper attention(queries, keys, values, mask) returns this output and "
    "the weights.",
    reread=INFINITY,
)

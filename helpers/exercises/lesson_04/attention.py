"""attention, lesson 04: all queries at once, also for large scores, and for stacks.

Its mistakes are choices of a recipe, shared with later lessons (slips/mixing.py).
"""

import numpy as np

from helpers.exercises.engine.probes import EXAMPLE, Probe
from helpers.exercises.kinds.write import Write
from helpers.exercises.slips.mixing import (
    ALL,
    ATTENTION_MISTAKES,
    ONES,
    ORDER,
    WITHIN,
    attention_by_choices,
    attention_output,
    lookup,
    triple_probes,
)
from helpers.scaling import scale_scores
from helpers.softmax import softmax
from helpers.validation import Array


def my_attention(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output (..., n_queries, d_v)."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    weights = softmax(scale_scores(scores, queries.shape[-1]))
    return weights @ values


OF_ROLES = {
    "queries": np.array([[np.sqrt(2) * np.log(9), 0.0]]),
    "keys": np.array([[1.0, 0.0], [0.0, 1.0]]),
    "values": np.array([[10.0, 20.0], [30.0, 40.0]]),
}
EXERCISE = Write(
    name="attention",
    answer=my_attention,
    task="All queries at once, also for large scores, and for stacks.",
    call="my_attention(queries, keys, values)",
    right=attention_output,
    recipe=attention_by_choices,
    probes=triple_probes(
        Probe(EXAMPLE, lookup((2 * np.log(3), 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))),
        Probe("one query, and two keys", lookup((2 * np.log(3), 0.0, 0.0, 0.0)), True),
        Probe("a query that matches the first key", OF_ROLES, True),
    ),
    properties=(WITHIN, ONES, ORDER),
    axes=("query", "entry"),
    mistakes=ATTENTION_MISTAKES,
    hints=(
        "Four lines: the scores of all queries and keys, the scale, softmax over the keys, and the mixture.",
        "The scores are queries @ the keys with their last two axes exchanged, divided by √d_k.",
        "Row i of weights @ values is the mixture for query i. Return that alone.",
    ),
    explain="Score, scale, softmax, mix. The helper also returns the weights, and takes a mask (lesson 05).",
    reread=ALL,
)  # fmt: skip

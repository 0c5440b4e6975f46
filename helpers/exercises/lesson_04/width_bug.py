"""width-bug, lesson 04: an attention whose weights follow the width of the values.

Its recipe and mistakes are those of attention (slips/mixing.py); the bug is an edit of the answer.
"""

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_04.attention import EXERCISE as ATTENTION
from helpers.exercises.slips.mixing import ALL, attention_by_choices, attention_output
from helpers.softmax import softmax
from helpers.validation import Array


def my_wide_attention(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output (..., n_queries, d_v)."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    weights = softmax(scores / np.sqrt(queries.shape[-1]))
    return weights @ values


EDITS = Edits(my_wide_attention, {"d_k": "queries.shape[-1]"})
EXERCISE = Mend(
    name="width-bug",
    answer=my_wide_attention,
    bug=EDITS.bug("d_k => values.shape[-1]"),
    task="An attention whose weights follow the width of the values.",
    given="root-d_v",
    symptom="add a column of zeros to the values of the example. The first two numbers of the output "
    "change, though no query, no key and none of the other values has. Which line of yours looks at the "
    "width of the values?",
    call="my_wide_attention(queries, keys, values)",
    right=attention_output,
    recipe=attention_by_choices,
    probes=ATTENTION.probes,
    properties=ATTENTION.properties,
    axes=ATTENTION.axes,
    mistakes=ATTENTION.mistakes,
    hints=(
        "A score is a dot product. How many terms were added to make one?",
        "The number of terms is the width of queries and keys, d_k. What is values.shape[-1]?",
        "queries.shape[-1] is d_k.",
    ),
    explain="The scale belongs to the match, whose d_k terms spread like √d_k. The width of the values, "
    "d_v, is free.",
    reread=ALL,
)

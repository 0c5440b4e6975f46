"""causal-bug, lesson 07: A cross attention that hides the end of the source.

Its recipe is that of attention, with a step that hides (slips/mixing.py): here no key is to be hidden.
"""

from typing import Any

import numpy as np

from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.engine.probes import Probe, example, triple
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property, alike
from helpers.exercises.lesson_07.shared import (  # noqa: F401 (paragraphs name some of them)
    ALIGNMENT,
    behind,
    through,
    upper_left,
)
from helpers.exercises.slips.hiding import own_softmax  # noqa: F401 (in the paragraphs)
from helpers.exercises.slips.mixing import (
    ATTENTION_MISTAKES,
    ONES,
    ORDER,
    WITHIN,
    attention_by_choices,
    attention_output,
    triple_probes,
)
from helpers.masking import causal_mask  # noqa: F401 (in the paragraphs)
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array


def _each_source_token_read(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values = inputs.values()
    for place in range(values.shape[-2]):
        changed = values.astype(float)
        changed[..., place, :] += 1e9
        again = call(queries, keys, changed)
        if not alike(again, output):
            return ""
        rows = (abs(again - output) <= 1e-3).all(axis=-1).reshape(-1, output.shape[-2]).all(axis=0)
        if rows.any():
            return (
                f"Changing the value of source token {place} does not move the output of target token "
                f"{rows.argmax()}: is it still hidden from it?"
            )
    return ""


def scaled(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> scaled scores."""
    return scale_scores(dot_product_scores(queries, keys), queries.shape[-1])


STEPS = Steps(
    {"width": "scores, queries, keys, values", "mix": "weights, queries, keys, values"},
    globals(),
)
FINISHED = (
    "The causal mask hides what is not yet written. The source is finished before the first target token is "
    "written: nothing in it is the future, so no mask is needed here."
)
# A mask is an expression of n and m, how many target and source tokens there are.
OWN = STEPS.mistakes(
    """
causal-upper-left
    target token i reads the source tokens 0 to i only
    {finished}
    | width => behind(scores, upper_left)
    | width => behind(scores, upper_left) if scores.shape[-2] > 1 else scores
    | mix => through(queries, keys, values, upper_left)
    @ first = upper_left(*weights.shape[-2:])
    | mix => own_softmax(np.where(first, scaled(queries, keys), -np.inf)) @ values

first-row-only
    the first target token reads the whole source now, and the others do not
    {finished}
    @ open = upper_left(n,m)|(np.arange(n)==0)[:,None]
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

sizes-swapped
    the mask has a row for each source token and a column for each target token
    The weights have a row for each target token. {nothing_to_hide}
    @ open = np.tri(m,n)==1
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

causal-lower-right
    the triangle was moved to the lower right, and still hides source tokens
    {finished}
    @ open = causal_mask(n,m) np.tri(m)[-n:]==1
    | width => behind(scores, lambda n, m: open)
    @ open = causal_mask(n,m) np.tri(m)[-n:]==1
    | mix => through(queries, keys, values, lambda n, m: open)

wider-triangle
    the triangle was made wider, and still hides source tokens
    {finished}
    @ open = np.tri(n,m,1)==1 np.tri(n,m,2)==1 np.tri(n,m,3)==1 np.tri(n,m,4)==1
    | width => behind(scores, lambda n, m: open)
    @ open = np.tri(n,m,1)==1 np.tri(n,m,2)==1 np.tri(n,m,3)==1 np.tri(n,m,4)==1
    | mix => through(queries, keys, values, lambda n, m: open)

one-step-less
    the triangle was made one step narrower
    {finished}
    @ open = np.tri(n,m,-1)==1
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

other-triangle
    the other triangle is open: target token i reads the source from token i on
    {finished}
    @ open = np.tri(m,n).T==1
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

inverted
    the mask was turned round: target token i reads the source after token i only
    {finished}
    @ open = ~upper_left(n,m)
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

everything-hidden
    the mask is False everywhere, and no source token is read
    True = may attend. {finished}
    @ open = np.zeros((n,m),dtype=bool)
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

same-place-only
    target token i reads source token i only
    That supposes that both languages have the same order, and equally many words. The scores should decide
    where to look; no mask is needed here.
    @ open = np.eye(n,m)==1
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

square-of-queries
    the mask has a column for each target token
    The weights have a column for each source token. {nothing_to_hide}
    @ open = np.tri(n)==1
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

square-of-keys
    the mask has a row for each source token
    The weights have a row for each target token. {nothing_to_hide}
    @ open = np.tri(m)==1
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

turned
    the mask was transposed, so that it fits only where both sequences are equally long
    The weights have a row for each target token. {nothing_to_hide}
    @ open = np.tri(n,m).T==1
    | width => behind(scores, lambda n, m: open)
    | mix => through(queries, keys, values, lambda n, m: open)

scores-zeroed
    the mask now sets scores to 0
    A score of 0 still gets weight, only not the right one. {finished}
    | width => scores * upper_left(*scores.shape[-2:])
    | width => scores + upper_left(*scores.shape[-2:])

weights-zeroed
    the mask now sets weights to 0, after softmax
    Then a row no longer sums to 1, and the source is hidden all the same. {finished}
    | mix => (weights * upper_left(*weights.shape[-2:])) @ values
""",
    ALIGNMENT,
    words={"finished": FINISHED, "nothing_to_hide": f"And there is nothing to hide: {FINISHED}"},
)


def bug(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output, wrong: a causal mask."""
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    may_attend = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
    weights = softmax(np.where(may_attend, scores, -np.inf))
    return weights @ values


def my_decoder_reader(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output (..., n_queries, d_v)."""
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    weights = softmax(scores)
    return weights @ values


EXERCISE = Mend(
    name="causal-bug",
    answer=my_decoder_reader,
    bug=bug,
    task="A cross attention that hides the end of the source.",
    given="causal-upper-left",
    symptom="print `np.tri(1, 3, dtype=bool)`, the mask for one target token and three source tokens. Which "
    "source tokens may it read, and which of them lie in its future?",
    example=triple(n_queries=1, n_keys=3, d_k=4, d_v=5, start=91),
    call="my_decoder_reader(queries, keys, values)",
    right=attention_output,
    recipe=attention_by_choices,
    probes=(
        *triple_probes(
            example(
                hard=True,
                queries=np.zeros((1, 2)),
                keys=np.ones((3, 2)),
                values=np.array([[3.0], [6.0], [12.0]]),
            )
        ),
        Probe(
            "more target than source tokens",
            triple(n_queries=6, n_keys=4, d_k=3, d_v=5, start=61),
        ),
    ),
    properties=(
        Property("source read", "each target token reads each source token", _each_source_token_read),
        WITHIN,
        ONES,
        ORDER,
    ),
    axes=("target token", "entry"),
    mistakes=(
        *OWN,
        *(
            mistake
            for mistake in ATTENTION_MISTAKES
            if mistake.name
            not in (
                "axis-2",
                "over-first-axis-items",
                "sigmoid",
                "divided-by-largest",
                "powers-of-2",
                "keys-hidden",
                "values-ask",
                "roles-moved-on",
            )
            and not mistake.holds
        ),
    ),
    hints=(
        "What may a target token read? Think of a reader who has the whole source sentence on the table.",
        "The future is what is not yet written. Which of the two sequences is still being written?",
        "The causal mask belongs to the target's self-attention. Here the weights are the softmax of all "
        "scores.",
    ),
    explain="The source is all there before the first token is written, so every target token may read all "
    "of it. What hides the target's own future is the mask of its self-attention.",
    reread=ALIGNMENT,
)  # fmt: skip

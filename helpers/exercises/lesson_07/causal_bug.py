"""causal-bug, lesson 07: A cross attention that hides the end of the source."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_07.shared import ALIGNMENT, hidden_behind, masked_by, upper_left
from helpers.exercises.slips.hiding import own_softmax
from helpers.exercises.slips.mixing import (
    ATTENTION_MISTAKES,
    ONES,
    ORDER,
    WITHIN,
    attention_by_choices,
    attention_output,
    triple,
    triple_probes,
)
from helpers.masking import causal_mask
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array


def _triangle(shift: int) -> Callable[[int, int], Array]:
    return lambda n_queries, n_keys: np.tri(n_queries, n_keys, shift) == 1


def _behind(name: str, says: str, idea: str, *masks: Callable[[int, int], Array]) -> Mistake:
    """The source hidden behind a mask of (n_queries, n_keys), by own steps or through the helper."""
    own = [{"width": hidden_behind(mask)} for mask in masks[1:]]
    by_helper = [masked_by(mask) for mask in masks]
    return Mistake(name, says, idea, ALIGNMENT, also=[*own, *by_helper], width=hidden_behind(masks[0]))


def _each_source_token_read(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values = inputs.values()
    for place in range(values.shape[-2]):
        changed = values.astype(float)
        changed[..., place, :] += 1e9
        again = call(queries, keys, changed)
        if again is None or again.shape != output.shape:
            return ""
        rows = (abs(again - output) <= 1e-3).all(axis=-1).reshape(-1, output.shape[-2]).all(axis=0)
        if rows.any():
            return (
                f"Another value of source token {place} does not change the output of target token "
                f"{rows.argmax()}: is it still hidden from it?"
            )
    return ""


FINISHED = (
    "The causal mask hides what is not yet written. The source is finished before the first target token is "
    "written: nothing in it is the future, so no mask is needed here."
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
        *triple_probes(),
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
        Mistake(
            "causal-upper-left",
            "target token i reads the source tokens 0 to i only",
            FINISHED,
            ALIGNMENT,
            also=[
                masked_by(upper_left),
                {"mix": lambda w, q, k, v: own_softmax(
                    np.where(upper_left(*w.shape[-2:]), scale_scores(dot_product_scores(q, k), q.shape[-1]),
                             -np.inf)) @ v},
            ],
            width=hidden_behind(upper_left),
        ),
        _behind(
            "first-row-only",
            "the first target token reads the whole source now, and the others do not",
            FINISHED,
            lambda n_queries, n_keys: upper_left(n_queries, n_keys) | (np.arange(n_queries) == 0)[:, None],
        ),
        _behind(
            "sizes-swapped",
            "the mask has a row for each source token and a column for each target token",
            f"The weights have a row for each target token. And there is nothing to hide: {FINISHED}",
            lambda n_queries, n_keys: np.tri(n_keys, n_queries) == 1,
        ),
        _behind(
            "causal-lower-right",
            "the triangle was moved to the lower right, and still hides source tokens",
            FINISHED,
            causal_mask,
            lambda n_queries, n_keys: np.tri(n_keys)[-n_queries:] == 1,
        ),
        _behind(
            "wider-triangle",
            "the triangle was made wider, and still hides source tokens",
            FINISHED,
            *map(_triangle, (1, 2, 3, 4)),
        ),
        _behind(
            "one-step-less",
            "the triangle was made one step narrower",
            FINISHED,
            _triangle(-1),
        ),
        _behind(
            "other-triangle",
            "the other triangle is open: target token i reads the source from token i on",
            FINISHED,
            lambda n_queries, n_keys: np.tri(n_keys, n_queries).T == 1,
        ),
        _behind(
            "inverted",
            "the mask was turned round: target token i reads the source after token i only",
            FINISHED,
            lambda n_queries, n_keys: ~upper_left(n_queries, n_keys),
        ),
        _behind(
            "everything-hidden",
            "the mask is False everywhere, and no source token is read",
            f"True = may attend. {FINISHED}",
            lambda n_queries, n_keys: np.zeros((n_queries, n_keys), dtype=bool),
        ),
        _behind(
            "same-place-only",
            "target token i reads source token i only",
            "That supposes that both languages have the same order, and equally many words. The scores "
            "should decide where to look; no mask is needed here.",
            lambda n_queries, n_keys: np.eye(n_queries, n_keys) == 1,
        ),
        _behind(
            "square-of-queries",
            "the mask has a column for each target token",
            f"The weights have a column for each source token. And there is nothing to hide: {FINISHED}",
            lambda n_queries, n_keys: np.tri(n_queries) == 1,
        ),
        _behind(
            "square-of-keys",
            "the mask has a row for each source token",
            f"The weights have a row for each target token. And there is nothing to hide: {FINISHED}",
            lambda n_queries, n_keys: np.tri(n_keys) == 1,
        ),
        _behind(
            "turned",
            "the mask was transposed, so that it fits only where both sequences are equally long",
            f"The weights have a row for each target token. And there is nothing to hide: {FINISHED}",
            lambda n_queries, n_keys: np.tri(n_queries, n_keys).T == 1,
        ),
        Mistake(
            "scores-zeroed",
            "the mask now sets scores to 0",
            f"A score of 0 still gets weight, and another one than its own. {FINISHED}",
            ALIGNMENT,
            also=[{"width": lambda scores, *_: scores + upper_left(*scores.shape[-2:])}],
            width=lambda scores, *_: scores * upper_left(*scores.shape[-2:]),
        ),
        Mistake(
            "weights-zeroed",
            "the mask now sets weights to 0, after softmax",
            f"Then a row no longer sums to 1, and the source is hidden all the same. {FINISHED}",
            ALIGNMENT,
            mix=lambda weights, queries, keys, values: (weights * upper_left(*weights.shape[-2:])) @ values,
        ),
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
            )
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

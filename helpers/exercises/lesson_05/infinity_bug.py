"""infinity-bug, lesson 05: A mask that turns every weight into nan."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_05.shared import keep, minus_infinity
from helpers.exercises.slips.hiding import (
    INFINITY,
    MORE_WAYS,
    Step,
    and_ways,
    given_mask_mistakes,
    hide_mistakes,
    late_and_whole_mistakes,
    own_softmax,
    zero_times_infinity,
)
from helpers.exercises.slips.masked_probes import (
    APART,
    FAR_ABOVE,
    PADDING_PROBE,
    ROWS_APART,
    SMALL_MASK,
    hiding,
    pattern,
)
from helpers.exercises.slips.scaling import NONE_BELOW_0, ROWS_SUM_TO_1
from helpers.masking import Mask, mask_scores
from helpers.softmax import softmax
from helpers.validation import Array


def _hidden_weights(inputs: Any, weights: Array, _call: Any) -> str:
    shape = np.shape(inputs["scores"])
    if weights.shape != shape:
        return ""
    found = weights[~np.broadcast_to(inputs["mask"], shape) & ~(abs(np.nan_to_num(weights)) <= 1e-6)]
    return f"A key that is hidden got weight {found[0]:.2g}; it should get 0." if found.size else ""


def masked_weights(scores: Array, mask: Mask) -> Array:
    """(..., n_queries, n_keys), a mask that broadcasts to it -> weights of the same shape."""
    return softmax(mask_scores(scores, mask))


def _masked_weights_by_choices(
    scores: Array, mask: Mask, *, hide: Step = minus_infinity, share: Step = softmax, weigh: Step = keep
) -> Array:
    return weigh(share(hide(scores, mask)), mask)


def _with_a_loud_key(scores: Array, key: int) -> Array:
    """The same scores with one key far above the others: a mask that hides it must hide it altogether."""
    scores = scores.copy()
    scores[..., key] += 1100
    return scores


def bug(scores: Array, mask: Array) -> Array:
    """(..., n_queries, n_keys), a mask -> weights, wrong: 0 is multiplied by −∞, and every weight is nan."""
    masked = scores + (1 - mask) * -np.inf
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_masked_weights(scores: Array, mask: Array) -> Array:
    """(..., n_queries, n_keys), mask -> weights of the same shape; each row sums to 1."""
    masked = np.where(mask, scores, -np.inf)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


EXERCISE = Mend(
    name="infinity-bug",
    answer=my_masked_weights,
    bug=bug,
    task="A mask that turns every weight into nan.",
    given="zero-times-infinity",
    symptom="look at `(1 - mask) * -np.inf` alone, for a mask of one True and one False. Which of the two "
    "becomes nan, and what is 0 · ∞?",
    call="my_masked_weights(scores, mask)",
    right=masked_weights,
    recipe=_masked_weights_by_choices,
    probes=(
        Probe(
            "one sentence",
            {"scores": np.array([[2.0, 1.0, 0.5], [0.25, -1.0, 1.5]]), "mask": SMALL_MASK},
        ),
        Probe("another sentence", {"scores": numbers(5, 7, start=31), "mask": pattern(5, 7, start=90)}),
        Probe(
            "float32",
            {"scores": numbers(4, 6, start=3, dtype=np.float32), "mask": pattern(4, 6, start=14)},
        ),
        Probe(
            "a batch of 2 sentences, one mask for both",
            {"scores": numbers(2, 5, 7, start=40), "mask": pattern(5, 7, start=50)},
        ),
        Probe(
            "a batch of 2 sentences with padding",
            {"scores": numbers(2, 5, 7, start=60), "mask": PADDING_PROBE},
        ),
        Probe(
            "a batch of 2 sentences with 3 heads and padding",
            {"scores": numbers(2, 3, 5, 7, start=200), "mask": PADDING_PROBE[:, None]},
        ),
        Probe("nothing hidden", {"scores": numbers(3, 5, start=7), "mask": np.ones((3, 5), dtype=bool)}),
        Probe(
            "scores around 1,000",
            {"scores": 1000 + numbers(4, 5, start=8), "mask": pattern(4, 5, start=77)},
            True,
        ),
        Probe(
            "scores around −1,500",
            {"scores": -1500 + numbers(4, 5, start=18), "mask": pattern(4, 5, start=78)},
            True,
        ),
        Probe(
            FAR_ABOVE,
            {
                "scores": _with_a_loud_key(numbers(4, 6, start=28), 4),
                "mask": hiding(pattern(4, 6, start=79), 4),
            },
            True,
        ),
        Probe(
            ROWS_APART,
            {"scores": numbers(5, 6, start=38) + 10 * APART[:, None], "mask": pattern(5, 6, start=82)},
            True,
        ),
    ),
    properties=(
        ROWS_SUM_TO_1,
        NONE_BELOW_0,
        Property("hidden keys", "a hidden key gets no weight", _hidden_weights),
    ),
    axes=("query", "key"),
    mistakes=(
        *and_ways(hide_mistakes([own_softmax, softmax]), MORE_WAYS),
        *late_and_whole_mistakes(),
        *given_mask_mistakes(),
        Mistake(
            "nan-painted-over",
            "nan was replaced by 0 among the weights",
            "Every weight was nan, so that all are 0 now. Find the step that makes the nan: 0 · ∞.",
            INFINITY,
            also=[{"hide": zero_times_infinity, "share": lambda s: np.nan_to_num(own_softmax(s), nan=1.0)}],
            hide=zero_times_infinity,
            share=lambda scores: np.nan_to_num(own_softmax(scores)),
        ),
    ),
    hints=(
        "Print (1 - mask) * -np.inf for a small mask. Where is nan, where −∞?",
        "What is 0 · ∞? No product can give 0 for allowed keys and −∞ for forbidden ones: choose.",
        "np.where(condition, a, b) takes a where the condition is True, and b elsewhere.",
    ),
    explain="np.where(mask, scores, -np.inf) chooses, and calculates nothing: no 0 · ∞. The helpers "
    "mask_scores and softmax together do the same, and also give zero weights where a query may attend to "
    "nothing.",
    reread=INFINITY,
)

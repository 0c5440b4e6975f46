"""infinity-bug, lesson 05: A mask that turns every weight into nan."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.slips import hiding
from helpers.exercises.slips.hiding import INFINITY
from helpers.exercises.slips.masked_probes import (
    APART,
    FAR_ABOVE,
    PADDING_PROBE,
    ROWS_APART,
    SMALL_MASK,
    pattern,
)
from helpers.exercises.slips.scaling import NONE_BELOW_0, ROWS_SUM_TO_1
from helpers.masking import Mask, mask_scores
from helpers.softmax import softmax
from helpers.validation import Array


def masked_weights(scores: Array, mask: Mask) -> Array:
    """(..., n_queries, n_keys), a mask that broadcasts to it -> weights of the same shape."""
    return softmax(mask_scores(scores, mask))


def my_masked_weights(scores: Array, mask: Array) -> Array:
    """(..., n_queries, n_keys), mask -> weights of the same shape; each row sums to 1."""
    masked = np.where(mask, scores, -np.inf)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


EDITS = Edits(my_masked_weights, {
    "hide": "np.where(mask, scores, -np.inf)",
    "share": "exponentials / exponentials.sum(axis=-1, keepdims=True)",
    "weigh": "exponentials / exponentials.sum(axis=-1, keepdims=True)",
}, {"hide": "scores, mask", "share": "masked", "weigh": "it, mask"})  # fmt: skip

MISTAKES = (
    *hiding.and_ways(hiding.hide_mistakes([hiding.own_softmax, softmax]), hiding.MORE_WAYS),
    *hiding.LATE_AND_WHOLE,
    *hiding.GIVEN_MASK,
    *EDITS.mistakes(
        """
nan-painted-over
    you replaced nan by 0 among the weights
    Every weight was nan, so that all are 0 now. Find the step that makes the nan: 0 · ∞.
    | hide => scores + (1 - mask) * -np.inf; share => np.nan_to_num(it)
    | hide => scores + (1 - mask) * -np.inf; share => np.nan_to_num(it, nan=1.0)
""",
        reread=INFINITY,
    ),
    *EDITS.mistakes(
        """
keepdims
    you let the rows' sums or largest scores lose their axis
    Without that axis NumPy cannot line the numbers up with their rows: `keepdims=True` keeps it.
    | share => exponentials / exponentials.sum(axis=-1)
    | share => np.exp(masked - masked.max(axis=-1))
    @ made = np.exp(masked-masked.max(axis=-1))
    | share => made / made.sum(axis=-1)
    | share => made / made.sum(axis=-1, keepdims=True)
    | share => np.exp(masked - masked.max()) / np.exp(masked - masked.max()).sum(axis=-1)
""",
        reread="03: Which axis?",
    ),
)


def _hidden_weights(inputs: Any, weights: Array, _call: Any) -> str:
    shape = np.shape(inputs["scores"])
    if weights.shape != shape:
        return ""
    found = weights[~np.broadcast_to(inputs["mask"], shape) & ~(abs(np.nan_to_num(weights)) <= 1e-6)]
    return f"A key that is hidden got weight {found[0]:.2g}; it should get 0." if found.size else ""


def _with_a_loud_key() -> tuple[Array, Mask]:
    """Scores with one key far above the others: a mask that hides it must hide it altogether."""
    scores, mask = numbers(4, 6, start=28), pattern(4, 6, start=79)
    scores[:, 4] += 1100
    mask[:, 4] = False
    return scores, mask


SMALL = np.array([[2.0, 1.0, 0.5], [0.25, -1.0, 1.5]])
PROBES = (
    ("one sentence", SMALL, SMALL_MASK),
    (EXAMPLE, np.array([[0.0, 0.0, 5.0]]), np.array([[True, True, False]])),
    ("another sentence", numbers(5, 7, start=31), pattern(5, 7, start=90)),
    ("as many queries as keys", numbers(5, 5, start=201), pattern(5, 5, start=94)),
    ("float32", numbers(4, 6, start=3, dtype=np.float32), pattern(4, 6, start=14)),
    ("a batch of 2 sentences, one mask for both", numbers(2, 5, 7, start=40), pattern(5, 7, start=50)),
    ("a batch of 2 sentences with padding", numbers(2, 5, 7, start=60), PADDING_PROBE),
    (
        "a batch of 2 sentences with 3 heads and padding",
        numbers(2, 3, 5, 7, start=200),
        PADDING_PROBE[:, None],
    ),
    ("nothing hidden", numbers(3, 5, start=7), np.ones((3, 5), dtype=bool)),
)
FIVE = np.array([True, False, True, True, False])
HARD = (
    ("a mask of one axis, for all queries", numbers(3, 5, start=311), FIVE),
    ("one query", numbers(1, 5, start=321), FIVE[None, ::-1]),
    ("one key", numbers(4, 1, start=331), np.ones((4, 1), dtype=bool)),
    ("a batch of one sentence", numbers(1, 3, 5, start=341), pattern(1, 3, 5, start=95)),
    ("one text of 3 sentences, one mask", numbers(1, 3, 2, 6, start=351), pattern(1, 1, 2, 6, start=97)),
    (
        "2 texts of 3 sentences, a mask for each sentence",
        numbers(2, 3, 4, 5, start=361),
        pattern(3, 4, 5, start=99),
    ),
    ("scores around 1,000", 1000 + numbers(4, 5, start=8), pattern(4, 5, start=77)),
    ("scores around −1,500", -1500 + numbers(4, 5, start=18), pattern(4, 5, start=78)),
    (FAR_ABOVE, *_with_a_loud_key()),
    (ROWS_APART, numbers(5, 6, start=38) + 10 * APART[:, None], pattern(5, 6, start=82)),
)
EXERCISE = Mend(
    name="infinity-bug",
    answer=my_masked_weights,
    bug=EDITS.bug("hide => scores + (1 - mask) * -np.inf"),
    task="A mask that turns every weight into nan.",
    given="zero-times-infinity",
    symptom="look at `(1 - mask) * -np.inf` alone, for a mask of one True and one False. Which of the two "
    "becomes nan, and what is 0 · ∞?",
    call="my_masked_weights(scores, mask)",
    right=masked_weights,
    recipe=EDITS.recipe(),
    probes=tuple(
        Probe(kind, {"scores": scores, "mask": mask}, hard)
        for hard, probes in ((False, PROBES), (True, HARD))
        for kind, scores, mask in probes
    ),
    properties=(
        ROWS_SUM_TO_1,
        NONE_BELOW_0,
        Property("hidden keys", "a hidden key gets no weight", _hidden_weights),
    ),
    axes=("query", "key"),
    habit=hiding.finite_in_weights,
    mistakes=MISTAKES,
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

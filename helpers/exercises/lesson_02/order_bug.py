"""order-bug, lesson 02: weights whose rows sum to 0.5.

Its mistakes are choices of a recipe: those of matching and scaling are shared with lessons 01 and 04.
"""

import numpy as np

from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.engine.probes import example
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_02.shared import D_K_TOO, by_root_d_k, second_axis
from helpers.exercises.slips.matching import PAIRS, match_mistakes, pair_probes, same
from helpers.exercises.slips.scaling import LARGE, NONE_BELOW_0, ROWS_SUM_TO_1, SCALE_MISTAKES, Step
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array


def scaled_weights(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> weights (..., n_queries, n_keys)."""
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]))


def _weights_by_choices(
    queries: Array, keys: Array, *, match: Step = dot_product_scores, lay: Step = same,
    scale: Step = by_root_d_k, share: Step = softmax, after: Step = same,
) -> Array:  # fmt: skip
    return after(share(scale(lay(match(queries, keys)), queries, keys)), queries, keys)


def bug(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), wrong: scaled after softmax."""
    scores = dot_product_scores(queries, keys)
    weights = softmax(scores)
    return weights / np.sqrt(queries.shape[-1])


def my_weights(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> weights (..., n_queries, n_keys)."""
    scores = dot_product_scores(queries, keys)
    scaled = scale_scores(scores, queries.shape[-1])
    return softmax(scaled)


STEPS = Steps(
    {"scale": "scores, queries, keys", "share": "scores", "after": "weights, queries, keys"}, globals()
)
EXERCISE = Mend(
    name="order-bug",
    answer=my_weights,
    bug=bug,
    task="Weights whose rows sum to 0.5.",
    given="scaled-after-softmax",
    symptom="for d_k 4 each row of weights sums to 0.5. Which step comes last, and what does it do to a "
    "row that sums to 1?",
    call="my_weights(queries, keys)",
    right=scaled_weights,
    recipe=_weights_by_choices,
    probes=pair_probes(
        example(
            queries=np.array([[1.0, 0.0, 2.0, 1.0]]),
            keys=np.array([[2.0, 1.0, 3.0, 0.0], [2.0, 1.0, 3.0, 0.0]]),
        )
    ),
    properties=(ROWS_SUM_TO_1, NONE_BELOW_0),
    axes=("query", "key"),
    mistakes=(
        *STEPS.mistakes(
            """
scaled-after-softmax
    you divided the weights by √d_k, after softmax
    The scale belongs before softmax: it tames the scores, and softmax then makes shares of them.
    | scale => scores; after => weights / np.sqrt(queries.shape[-1])

scaled-twice
    you divided the weights by √d_k once more, after softmax
    One scale is enough, and it belongs before softmax: after it, rows no longer sum to 1.
    | after => weights / np.sqrt(queries.shape[-1])

multiplied-after-softmax
    you multiplied the weights by √d_k, after softmax
    The scale belongs before softmax, and it divides: after it, rows no longer sum to 1.
    | scale => scores; after => weights * np.sqrt(queries.shape[-1])

never-scaled
    your weights are those of scores that were not scaled
    Divide the scores by √d_k before softmax: only that tames them. Or: if you divided the weights afterwards
    and then each row by its new sum, the second division took the first one back.
    | scale => scores

balanced-by-hand
    you gave softmax unscaled scores, and multiplied by 2 after it to balance √d_k
    2 is √d_k for d_k 4 only. Divide the scores before softmax, and nothing is left to balance.
    | scale => scores; after => weights / np.sqrt(queries.shape[-1]) * 2

sign-turned
    you gave softmax the scores with a minus sign
    Then the key that fits least gets the most weight.
    | scale => -scores / np.sqrt(queries.shape[-1])
    | scale => -scores

one-key-takes-all
    you gave all the weight to the key with the largest score
    Softmax gives every key a share.
    | share => np.eye(scores.shape[-1])[scores.argmax(axis=-1)]

equal-weights
    you gave every key the same weight
    The scores should decide: softmax turns them into shares.
    | share => np.full(scores.shape, 1 / scores.shape[-1])

rounded
    you rounded the weights
    Rounding is for showing numbers: rounded rows no longer sum to 1.
    @ digits = 2 3 1
    | after => np.round(weights, digits)

keepdims § pairs
    you let the row sums lose their axis before the division
    NumPy then sets them along the wrong axis, or stops. Sum with keepdims=True.
    | share => np.exp(scores) / np.exp(scores).sum(axis=-1)
    | share => np.exp(scores - scores.max(-1)) / np.exp(scores).sum(-1)

sigmoid
    you turned each score into a weight on its own (a sigmoid)
    Weights are shares: softmax divides each exponential by the sum of its row.
    | share => 1 / (1 + np.exp(-scores))

sigmoid-shares
    you shared out sigmoids, not exponentials
    A sigmoid is never above 1: the best key hardly stands out. Softmax shares out e^score.
    | share => (1 / (1 + np.exp(-scores))) / (1 / (1 + np.exp(-scores))).sum(axis=-1, keepdims=True)

no-exponential
    you divided the scores themselves by their sum
    Scores may be negative, and so would the shares be. Softmax takes the exponential first.
    | share => scores / scores.sum(axis=-1, keepdims=True)
""",
            LARGE,
            {"pairs": PAIRS},
        ),
        *(
            m for m in SCALE_MISTAKES if m.name not in ("subtracted", "never-scaled")
        ),  # softmax undoes a shift
        second_axis(STEPS, LARGE),
        *match_mistakes(D_K_TOO, lay=True),
        *STEPS.mistakes(
            """
softmax-over-queries
    you ran softmax over the queries
    Each query spreads 1 over the keys: the last axis.
    | share => softmax(scores, axis=-2)

softmax-over-everything
    you ran softmax over all scores together
    Each query spreads 1 of its own over the keys.
    | share => softmax(np.ravel(scores)).reshape(scores.shape)

softmax-axis-0
    you ran softmax over the first axis
    Each query spreads 1 over the keys: the last axis, −1.
    | share => softmax(scores, axis=0)

softmax-axis-1
    you ran softmax over axis 1, which holds the keys for one sentence only
    Each query spreads 1 over the keys: counted from the end, that is always axis −1.
    | share => softmax(scores, axis=1)

softmax-twice § large
    you applied softmax twice
    Once is enough: weights are not scores, and a second softmax makes them nearly equal.
    | share => softmax(softmax(scores))
    | scale => softmax(scores) / np.sqrt(queries.shape[-1])
    | scale => softmax(scores)

no-softmax § large
    you left out softmax
    The task asks for weights: softmax makes them from the scaled scores.
    | share => scores
""",
            PAIRS,
            {"large": LARGE},
        ),
    ),
    hints=(
        "A row that sums to 1 is divided by 2. What is its sum then?",
        "Scaling should change how far the scores lie apart. Which array should be divided?",
        "Divide the scores, before softmax sees them.",
    ),
    explain="Score, scale, softmax, in this order: softmax comes last, so that the rows sum to 1.",
    reread=LARGE,
)

"""Mistakes in projecting tokens to queries, keys and values."""

import math
from typing import Any

import numpy as np

from helpers import attention as helper
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.slips.matching import match_mistakes
from helpers.exercises.slips.mixing import (
    ALL,
    IN_OUT,
    LARGE,
    ONE_EACH,
    PROJECTIONS,
    Step,
    added_in_place,
    from_one,
    hiding_mistake,
    mixing_mistakes,
    only,
    role_mistakes,
    softmax_mistakes,
    turned,
    width_mistakes,
)
from helpers.exercises.slips.scaling import scale_mistakes
from helpers.validation import Array


def _matched_as_well(project: Step) -> list[dict[str, Any]]:
    """A projection whose queries and keys seldom fit: as the helper says it, and in two ways of writing @."""

    def by_helper(*inputs: Array) -> tuple[Array, Array, Array]:
        queries, keys, values = project(*inputs)
        helper.attention(queries, keys, values)
        return queries, keys, values

    return [
        {"project": by_helper},
        {"project": project, "match": lambda queries, keys: queries @ keys.T},
        {"project": project, "match": lambda queries, keys: np.dot(queries, turned(keys))},
    ]


SELF_ATTENTION_MISTAKES = (
    Mistake(
        "w_q-and-w_k-swapped",
        "w_q and w_k changed places",
        "The row of a score belongs to the token that asks: queries come from w_q, keys from w_k.",
        PROJECTIONS,
        project=lambda x, w_q, w_k, w_v: (x @ w_k, x @ w_q, x @ w_v),
    ),
    Mistake(
        "w_q-twice",
        "queries and keys were both made with w_q",
        ONE_EACH + " With one matrix for both, the scores are symmetric, and tokens tend to match "
        "themselves.",
        PROJECTIONS,
        project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_q, x @ w_v),
    ),
    Mistake(
        "w_k-twice",
        "queries and keys were both made with w_k",
        ONE_EACH + " With one matrix for both, the scores are symmetric, and tokens tend to match "
        "themselves.",
        PROJECTIONS,
        project=lambda x, w_q, w_k, w_v: (x @ w_k, x @ w_k, x @ w_v),
    ),
    Mistake(
        "no-w_v",
        "the tokens themselves were mixed: w_v was left out",
        ONE_EACH,
        PROJECTIONS,
        project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x),
    ),
    Mistake(
        "no-w_q",
        "the queries are the tokens themselves: w_q was left out",
        ONE_EACH,
        PROJECTIONS,
        also=_matched_as_well(lambda x, w_q, w_k, w_v: (x, x @ w_k, x @ w_v)),
        project=lambda x, w_q, w_k, w_v: (x, x @ w_k, x @ w_v),
    ),
    Mistake(
        "no-w_k",
        "the keys are the tokens themselves: w_k was left out",
        ONE_EACH,
        PROJECTIONS,
        also=_matched_as_well(lambda x, w_q, w_k, w_v: (x @ w_q, x, x @ w_v)),
        project=lambda x, w_q, w_k, w_v: (x @ w_q, x, x @ w_v),
    ),
    Mistake(
        "w_q-only",
        "keys and values are the tokens themselves: w_k and w_v were left out",
        ONE_EACH,
        PROJECTIONS,
        also=_matched_as_well(lambda x, w_q, w_k, w_v: (x @ w_q, x, x)),
        project=lambda x, w_q, w_k, w_v: (x @ w_q, x, x),
    ),
    Mistake(
        "w_k-only",
        "queries and values are the tokens themselves: w_q and w_v were left out",
        ONE_EACH,
        PROJECTIONS,
        also=_matched_as_well(lambda x, w_q, w_k, w_v: (x, x @ w_k, x)),
        project=lambda x, w_q, w_k, w_v: (x, x @ w_k, x),
    ),
    Mistake(
        "w_q-times-w_k",
        "w_q and w_k were multiplied with one another as they are",
        "To save a step, multiply w_q @ w_k.T: x @ w_q @ w_k.T @ x.T are the scores of one sentence.",
        PROJECTIONS,
        also=[{"project": lambda x, w_q, w_k, w_v: (x @ w_q @ w_k, x, x @ w_v)}],
        project=lambda x, w_q, w_k, w_v: (x @ (w_q @ w_k), x, x @ w_v),
    ),
    Mistake(
        "w_v-twice",
        "w_v was used twice",
        "x @ w_v makes the values, and their mixture is the output as it is.",
        PROJECTIONS,
        also=[{"onto": lambda output, x, w_q, w_k, w_v: np.dot(output, w_v)}],
        onto=lambda output, x, w_q, w_k, w_v: output @ w_v,
    ),
    Mistake(
        "matrices-as-keys",
        "the matrices themselves were matched and mixed, and x met neither w_k nor w_v",
        ONE_EACH,
        PROJECTIONS,
        also=[{"project": lambda x, w_q, w_k, w_v: (w_q, w_k, w_v)}],
        project=lambda x, w_q, w_k, w_v: (x @ w_q, w_k, w_v),
    ),
    from_one("w_q", 0),
    from_one("w_k", 1),
    from_one("w_v", 2),
    Mistake(
        "combined-entry-by-entry",
        "tokens and a matrix were combined entry by entry, as `*` and `+` do",
        "A projection is a matrix product, x @ w_q.",
        PROJECTIONS,
        also=[{"project": lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x * w_v)}],
        project=lambda x, w_q, w_k, w_v: (x * w_q, x * w_k, x * w_v),
    ),
    Mistake(
        "tokens-transposed",
        "the tokens were transposed before a matrix",
        "Each token is a row of x already, and x @ w_q projects every row.",
        PROJECTIONS,
        also=[{"project": lambda x, w_q, w_k, w_v: (turned(x) @ w_q, x @ w_k, x @ w_v)}],
        project=lambda x, w_q, w_k, w_v: (x.T @ w_q, x @ w_k, x @ w_v),
    ),
    hiding_mistake(PROJECTIONS),
    Mistake(
        "no-projection",
        "the tokens attended as they are: no matrix was used",
        ONE_EACH,
        PROJECTIONS,
        project=lambda x, w_q, w_k, w_v: (x, x, x),
    ),
    Mistake(
        "w_v-only",
        "the tokens were matched as they are: w_q and w_k were left out",
        ONE_EACH,
        PROJECTIONS,
        project=lambda x, w_q, w_k, w_v: (x, x, x @ w_v),
    ),
    Mistake(
        "values-from-w_k",
        "the values were made with w_k",
        ONE_EACH,
        PROJECTIONS,
        project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x @ w_k),
    ),
    Mistake(
        "values-from-w_q",
        "the values were made with w_q",
        ONE_EACH,
        PROJECTIONS,
        project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x @ w_q),
    ),
    Mistake(
        "keys-from-w_v",
        "the keys were made with w_v",
        ONE_EACH,
        PROJECTIONS,
        also=_matched_as_well(lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_v, x @ w_v))[:1],
        project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_v, x @ w_v),
    ),
    Mistake(
        "w_k-and-w_v-swapped",
        "w_k and w_v changed places",
        ONE_EACH,
        PROJECTIONS,
        also=_matched_as_well(lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_v, x @ w_k))[:1],
        project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_v, x @ w_k),
    ),
    *only(role_mistakes(), "values-as-queries"),
    Mistake(
        "matrices-transposed",
        "a matrix was transposed",
        IN_OUT,
        PROJECTIONS,
        also=[
            {"project": lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x @ w_v.T)},
            {"project": lambda x, w_q, w_k, w_v: (np.dot(x, w_q.T), np.dot(x, w_k.T), np.dot(x, w_v.T))},
            {"project": lambda x, w_q, w_k, w_v: (np.dot(x, w_q.T), x @ w_k, x @ w_v)},
            {"project": lambda x, w_q, w_k, w_v: (x @ w_q.T, x @ w_k, x @ w_v)},
            {"project": lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k.T, x @ w_v)},
            {"project": lambda x, w_q, w_k, w_v: (x @ w_q.T, x @ w_k.T, x @ w_v)},
        ],
        project=lambda x, w_q, w_k, w_v: (x @ w_q.T, x @ w_k.T, x @ w_v.T),
    ),
    Mistake(
        "factors-turned-round",
        "a product has its factors the wrong way round: a matrix stands on the left of the tokens, or "
        "the keys were not transposed",
        "The line that stops tells which. A matrix stands on the right, x @ w_q. In the scores, each "
        "column on the right should be one key: exchange the last two axes of the keys.",
        PROJECTIONS,
        also=[
            {"match": lambda queries, keys: queries @ keys},
            {"project": lambda x, w_q, w_k, w_v: (np.dot(w_q, x), x @ w_k, x @ w_v)},
            {"project": lambda x, w_q, w_k, w_v: (w_q @ x.T, x @ w_k, x @ w_v)},
            {"project": lambda x, w_q, w_k, w_v: (w_q @ x.T, w_k @ x.T, w_v @ x.T)},
        ],
        project=lambda x, w_q, w_k, w_v: (w_q @ x, w_k @ x, w_v @ x),
    ),
    Mistake(
        "tokens-added",
        "the tokens were added: x + the output",
        "Return the change alone, without x. X + ΔX is made after this step, and only where the output "
        "is as wide as the tokens.",
        PROJECTIONS,
        also=[
            {"onto": lambda output, x, w_q, w_k, w_v: x + output},
            {"onto": lambda output, x, *_: output + x if output.shape == x.shape else output},
            {"onto": lambda output, x, w_q, w_k, w_v: added_in_place(output, x)},
            {"onto": lambda output, x, w_q, w_k, w_v: added_in_place(x, output)},
        ],
        onto=lambda output, x, w_q, w_k, w_v: output + x,
    ),
    Mistake(
        "root-d_model",
        "the scores were divided by √d_model, the width of the tokens",
        "A score is a dot product of a query and a key, a sum of d_k terms: d_k is the width after the "
        "projection, w_q.shape[-1].",
        LARGE,
        project=lambda x, w_q, w_k, w_v: (x @ w_q * math.sqrt(w_q.shape[-1] / x.shape[-1]), x @ w_k, x @ w_v),
    ),
    *only(
        mixing_mistakes(),
        "weights-returned",
        "weights-turned",
        "output-turned",
        "hard-lookup",
        "equal-weights",
        "softmax-of-each-score",
        "softmax-of-values",
        "averaged",
        "scaled-after-softmax",
        "scaled-twice",
        "softmax-last",
        "softmax-of-output",
        "rounded",
        "weights-rounded",
        "values-first",
    ),
    Mistake(
        "whole-numbers-kept",
        "the output was written into an array of whole numbers, which drops all after the point",
        "`zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.",
        ALL,
        onto=lambda output, x, w_q, w_k, w_v: output.astype(x.dtype),
    ),
    *width_mistakes(),
    *only(
        scale_mistakes(),
        "never-scaled",
        "divided-by-d_k",
        "multiplied",
        "root-n_keys",
        "root-n_keys-too",
        "always-2",
        "half-d_k",
        "power-first",
        "fourth-root",
        "root-first-axis",
        "root-second-axis",
    ),
    *only(
        match_mistakes(),
        "all-axes-reversed",
        "one-matrix-only",
        "three-axes-only",
        "cosine",
        "transposed-to-the-old-order",
        "two-axes-transposed",
        "reshaped",
    ),
    *softmax_mistakes(
        "over-queries",
        "axis-0",
        "axis-1",
        "over-everything",
        "over-matrix",
        "over-first-axis-items",
        "not-divided",
        "no-exponential",
        "no-softmax",
        "twice",
        "keepdims",
    ),
)

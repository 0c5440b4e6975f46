"""What learners write in future-bug, and what the check is to say of it."""

import numpy as np

from helpers.masking import causal_mask, mask_scores
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax


# right
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(mask_scores(scores, causal_mask(scores.shape[-1])))


def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    n = scores.shape[-1]
    return softmax(scores + np.triu(np.full((n, n), -np.inf), k=1))


def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(np.where(np.tri(scores.shape[-1]) == 1, scores, -1e9))


def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    allowed = np.tri(scores.shape[-1], k=-1, dtype=bool) | np.eye(scores.shape[-1], dtype=bool)
    return softmax(np.where(allowed, scores, -np.inf))


def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    weights = np.zeros(scores.shape)
    for i in range(scores.shape[-2]):
        weights[..., i, : i + 1] = softmax(scores[..., i, : i + 1])
    return weights


def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    i, j = np.indices(scores.shape[-2:])
    return softmax(np.where(j > i, -np.inf, scores))


def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1]).copy()
    scores[..., ~np.tri(scores.shape[-1], dtype=bool)] = -np.inf
    return softmax(scores)


# named: two-steps-ahead
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], k=2, dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


# named: one-step-ahead
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], k=1) > 0,
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    n = scores.shape[-1]
    return softmax(scores + np.triu(np.full((n, n), -np.inf), k=2))


# named: own-token-hidden
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], k=-1, dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(keys.shape[-2], k=-1) == 1,
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


def my_causal_weights(queries, keys):
    s = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    seen = np.tri(s.shape[-1], k=-1, dtype=bool)
    seen[0, 0] = True
    return softmax(np.where(seen, s, -np.inf))


# named: other-triangle
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool).T,
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


def my_causal_weights(queries, keys):
    s = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(np.where(np.triu(np.ones(s.shape[-2:])) == 1, s, -np.inf))


def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], k=1, dtype=bool).T,
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


# named: inverted
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool),
            -np.inf,
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
        )
    )


def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            ~causal_mask(keys.shape[-2]),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            ~np.tri(keys.shape[-2], k=1, dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


# named: inverted
# told: a query sees later tokens, and nothing else
# not told: sees itself
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(keys.shape[-2], k=1, dtype=bool),
            -np.inf,
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
        )
    )


# named: nothing-hidden
def my_causal_weights(queries, keys):
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]))


def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], k=99) > 0,
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


# named: own-token-only
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.eye(queries.shape[-2]) == 1,
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


# named: size-of-first-axis
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(len(queries), dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[0], dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


# named: size-of-second-axis
def my_causal_weights(queries, keys):
    s = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(np.where(np.tri(s.shape[1], dtype=bool), s, -np.inf))


# named: size-of-d_k
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-1], dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


# named: weights-zeroed
def my_causal_weights(queries, keys):
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) * np.tri(
        queries.shape[-2]
    )


def my_causal_weights(queries, keys):
    return np.tril(softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])))


def my_causal_weights(queries, keys):
    s = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    seen = np.tri(s.shape[-1], k=1, dtype=bool)
    return np.tril(softmax(np.where(seen, s, -np.inf)))


# named: score-0
def my_causal_weights(queries, keys):
    return softmax(np.tril(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])))


def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            0,
        )
    )


# named: mask-added
def my_causal_weights(queries, keys):
    return softmax(
        scale_scores(dot_product_scores(queries, keys), queries.shape[-1]) + np.tri(queries.shape[-2])
    )


# named: zero-times-infinity
def my_causal_weights(queries, keys):
    return softmax(
        scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        + (1 - np.tri(queries.shape[-2])) * -np.inf
    )


# named: minus-a-little
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -10,
        )
    )


def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -100,
        )
    )


def my_causal_weights(queries, keys):
    return softmax(
        scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        + (1 - np.tri(queries.shape[-2])) * -20
    )


def my_causal_weights(queries, keys):
    return softmax(
        scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
        + (1 - np.tri(queries.shape[-2])) * -100
    )


# named: plus-infinity
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            np.inf,
        )
    )


# named: never-scaled
def my_causal_weights(queries, keys):
    scores = dot_product_scores(queries, keys)
    return softmax(np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf))


# named: over-queries
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool),
            scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        ),
        axis=-2,
    )


# named: infinity-after-softmax
def my_causal_weights(queries, keys):
    return np.where(
        np.tri(queries.shape[-2], dtype=bool),
        softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])),
        -np.inf,
    )


# named: softmax-first
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool),
            softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])),
            -np.inf,
        )
    )


# named: scores-forgotten
def my_causal_weights(queries, keys):
    return softmax(
        np.where(
            np.tri(queries.shape[-2], dtype=bool),
            0 * scale_scores(dot_product_scores(queries, keys), queries.shape[-1]),
            -np.inf,
        )
    )


# named: mask-as-index
def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    scores[~np.tri(scores.shape[-1], dtype=bool)] = -np.inf
    return softmax(scores)


# named: one-step-ahead + never-scaled
def my_causal_weights(queries, keys):
    scores = queries @ np.swapaxes(keys, -1, -2)
    return softmax(np.where(np.tri(scores.shape[-1], k=1, dtype=bool), scores, -np.inf))


# named: renormalised
def my_causal_weights(queries, keys):
    weights = softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])) * np.tri(
        queries.shape[-2]
    )
    return weights / weights.sum(axis=-1, keepdims=True)


# named: first-row-only
def my_causal_weights(queries, keys):
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    allowed = np.tri(scores.shape[-1], k=1, dtype=bool)
    allowed[0, 1:] = False
    return softmax(np.where(allowed, scores, -np.inf))


# unnamed
def my_causal_weights(queries, keys):
    w = softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]))
    w[..., 0, :] = 0
    w[..., 0, 0] = 1
    return w


def my_causal_weights(queries, keys):
    w = np.tril(softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1])))
    return w / w.sum()


def my_causal_weights(queries, keys):
    return softmax(scale_scores(dot_product_scores(queries, keys), queries.shape[-1]))[..., ::-1]


# unnamed
def my_causal_weights(queries, keys):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return np.squeeze(softmax(np.where(np.tri(s.shape[-1]) == 1, s, -np.inf)))


def my_causal_weights(queries, keys):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    w = softmax(np.where(np.tri(s.shape[-1]) == 1, s, -np.inf))
    w[..., 0, :2] = [1, 0]
    return w

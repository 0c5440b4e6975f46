"""What learners write in infinity-bug, and what the check is to say of it."""

import numpy as np

from helpers.masking import causal_mask
from helpers.softmax import softmax


# right
# not told: hurts elsewhere
def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, -np.inf))


def my_masked_weights(scores, mask):
    return softmax(scores + np.where(mask, 0, -np.inf))


# right
# told: That works here, but hurts elsewhere
def my_masked_weights(scores, mask):
    return softmax(scores + np.where(mask, 0.0, -1e9))


def my_masked_weights(scores, mask):
    return softmax(scores + (1 - mask) * -1e9)


def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, -1e30))


def my_masked_weights(scores, mask):
    return softmax(scores - 1e9 * (1 - mask))


# right
# not told: hurts elsewhere
def my_masked_weights(scores, mask):
    return softmax(scores + np.nan_to_num(-np.inf * (1 - mask)))


def my_masked_weights(scores, mask):
    masked = scores + np.nan_to_num((1 - mask) * -np.inf)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_masked_weights(scores, mask):
    allowed = np.broadcast_to(mask, scores.shape)
    masked = scores.copy()
    masked[~allowed] = -np.inf
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_masked_weights(scores, mask):
    masked = scores.copy()
    np.copyto(masked, -np.inf, where=~mask)
    return softmax(masked)


def my_masked_weights(scores, mask):
    allowed = np.broadcast_to(mask, scores.shape)
    weights = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape[:-1]):
        weights[place][allowed[place]] = softmax(scores[place][allowed[place]])
    return weights.tolist()


# named: mask-transposed
def my_masked_weights(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    if scores.shape[-1] == scores.shape[-2]:
        mask = np.swapaxes(mask, -1, -2)
    masked = np.where(mask, scores, -np.inf)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


# named: zero-times-infinity
def my_masked_weights(scores, mask):
    return softmax(scores + (1 - mask) * -np.inf)


def my_masked_weights(scores, mask):
    masked = scores + ~mask * -np.inf
    return softmax(masked)


def my_masked_weights(scores, mask):
    masked = scores + (mask - 1) * np.inf
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_masked_weights(scores, mask):
    return softmax(scores + mask * -np.inf)


def my_masked_weights(scores, mask):
    return softmax(scores - mask * np.inf)


# named: inverted
def my_masked_weights(scores, mask):
    return softmax(np.where(mask, -np.inf, scores))


def my_masked_weights(scores, mask):
    return softmax(scores + np.where(mask, -np.inf, 0))


def my_masked_weights(scores, mask):
    return softmax(np.where(~mask, scores, -np.inf))


def my_masked_weights(scores, mask):
    masked = np.where(mask, -np.inf, scores)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_masked_weights(scores, mask):
    masked = scores + np.where(mask, -np.inf, 0)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


# named: mask-ignored
def my_masked_weights(scores, mask):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_masked_weights(scores, mask):
    return softmax(scores)


def my_masked_weights(scores, mask):
    masked = np.where(mask, scores, -np.inf)
    return softmax(scores)


# named: weights-zeroed
def my_masked_weights(scores, mask):
    return softmax(scores) * mask


def my_masked_weights(scores, mask):
    weights = softmax(scores)
    return np.where(mask, weights, 0)


# named: score-0
def my_masked_weights(scores, mask):
    return softmax(scores * mask)


def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, 0))


# named: mask-added
def my_masked_weights(scores, mask):
    return softmax(scores + mask)


def my_masked_weights(scores, mask):
    return softmax(scores - (1 - mask))


# named: minus-a-little
def my_masked_weights(scores, mask):
    return softmax(scores + (1 - mask) * -10)


def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, -999))


def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, -1000))


def my_masked_weights(scores, mask):
    return softmax(scores + (1 - mask) * -20)


def my_masked_weights(scores, mask):
    return softmax(scores + (1 - mask) * -100)


def my_masked_weights(scores, mask):
    return softmax(scores + (1 - mask) * -1000)


def my_masked_weights(scores, mask):
    return softmax(scores + np.log(mask + 1e-9))


# named: smallest-score
def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, scores.min()))


# named: times-infinity
def my_masked_weights(scores, mask):
    return softmax(scores * np.where(mask, 1, -np.inf))


# named: plus-infinity
def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, np.inf))


# named: scores-forgotten
def my_masked_weights(scores, mask):
    return softmax(np.where(mask, 0, -np.inf) + 0 * scores)


def my_masked_weights(scores, mask):
    return softmax(np.nan_to_num(scores + (1 - mask) * -np.inf))


def my_masked_weights(scores, mask):
    masked = np.where(mask, 0.0, -np.inf)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


# named: infinity-after-softmax
def my_masked_weights(scores, mask):
    return np.where(mask, softmax(scores), -np.inf)


# named: nan-painted-over
def my_masked_weights(scores, mask):
    return np.nan_to_num(np.exp(scores + (1 - mask) * -np.inf))


# named: mask-as-index
def my_masked_weights(scores, mask):
    masked = scores.copy()
    masked[~mask] = -np.inf
    return softmax(masked)


# named: not-divided
def my_masked_weights(scores, mask):
    return np.exp(np.where(mask, scores, -np.inf))


# named: no-row-max
def my_masked_weights(scores, mask):
    exponentials = np.exp(np.where(mask, scores, -np.inf))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_masked_weights(scores, mask):
    exponentials = np.exp(scores) * mask
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


# named: no-softmax
def my_masked_weights(scores, mask):
    return np.where(mask, scores, -np.inf)


# named: over-queries
def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, -np.inf), axis=-2)


# named: own-causal-mask
def my_masked_weights(scores, mask):
    return softmax(np.where(causal_mask(*scores.shape[-2:]), scores, -np.inf))


# named: renormalised
def my_masked_weights(scores, mask):
    weights = softmax(scores) * mask
    return weights / weights.sum(axis=-1, keepdims=True)


def my_masked_weights(scores, mask):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


# named: whole-max
def my_masked_weights(scores, mask):
    masked = np.where(mask, scores, -np.inf)
    exponentials = np.exp(masked - masked.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def my_masked_weights(scores, mask):
    e = np.exp(scores - scores.max()) * mask
    return e / e.sum(axis=-1, keepdims=True)


# named: axis-0
def my_masked_weights(scores, mask):
    e = np.where(mask, scores, -np.inf)
    e = np.exp(e - e.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


# named: axis-1
def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, -np.inf), axis=1)


# unnamed
def my_masked_weights(scores, mask):
    return softmax(np.where(mask, scores, -np.inf)) + 0.01


def my_masked_weights(scores, mask):
    return softmax(np.where(mask, -scores, -np.inf))


def my_masked_weights(scores, mask):
    return np.where(mask, scores, np.nan)


# told: whole numbers, not floats
def my_masked_weights(s, m):
    return s[np.tri(*s.shape)]


# unnamed
def my_masked_weights(scores, mask):
    mask = mask[..., :, :]
    m = np.where(mask[..., 0:, :], scores, -np.inf) if mask.ndim > 1 else 1 / 0
    e = np.exp(m - m.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def my_masked_weights(scores, mask):
    rows, columns = mask.shape[-2:]
    m = np.where(mask, scores, -np.inf)
    e = np.exp(m - m.max(-1, keepdims=True))
    return np.squeeze(e / e.sum(-1, keepdims=True))


# named: keepdims
def my_masked_weights(scores, mask):
    masked = np.where(mask, scores, -np.inf)
    exponentials = np.exp(masked - masked.max())
    return exponentials / exponentials.sum(axis=-1)


def my_masked_weights(scores, mask):
    masked = np.where(mask, scores, -np.inf)
    exponentials = np.exp(masked - masked.max(axis=-1))
    return exponentials / exponentials.sum(axis=-1)


def my_masked_weights(scores, mask):
    masked = np.where(mask, scores, -np.inf)
    exponentials = np.exp(masked - masked.max(axis=-1))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)

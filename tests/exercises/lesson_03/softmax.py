"""What learners write in softmax, and what the check is to say of it."""

import math
from functools import partial

import numpy as np

from helpers.softmax import softmax


def in_a_flat_copy(scores):
    flat = scores.reshape(-1, scores.shape[-1]).copy()
    for row in flat:
        row -= row.max()
        np.exp(row, out=row)
        row /= row.sum()
    return flat.reshape(scores.shape)


def shares(scores, shift, axis=-1, more=0.0):
    """Softmax as learners write it: a shift of their own, an axis of their own."""
    exponentials = np.exp(scores - shift)
    return exponentials / (exponentials.sum(axis=axis, keepdims=True) + more)


# right
my_softmax = softmax


def my_softmax(scores):
    weights = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape[:-1]):
        exponentials = [math.exp(score - max(scores[place])) for score in scores[place]]
        for k, exponential in enumerate(exponentials):
            weights[(*place, k)] = exponential / sum(exponentials)
    return weights


def my_softmax(scores):
    return [my_softmax(part) for part in scores] if scores.ndim > 1 else softmax(scores).tolist()


def my_softmax(scores):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=-1)[..., None])


def my_softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-9)


def my_softmax(scores):
    top = np.array([row.max() for row in scores.reshape(-1, scores.shape[-1])]).reshape(*scores.shape[:-1], 1)
    return np.exp(scores - top) / np.sum(np.exp(scores - top), axis=-1)[..., np.newaxis]


my_softmax = partial(softmax, axis=-1)


def my_softmax(scores):
    return softmax(scores.astype(np.float32))


def my_softmax(s):
    return in_a_flat_copy(s.astype(float))


# named: over-everything + no-row-max
def my_softmax(s):
    return np.exp(s) / np.exp(s).sum()


# named: axis-1 + no-row-max
def my_softmax(s):
    return np.exp(s) / np.sum(np.exp(s), axis=1, keepdims=True)


# named: no-row-max
def my_softmax(s):
    return np.exp(s) / np.exp(s).sum(-1)[..., None]


# named: no-row-max
# told: Replacing nan afterwards does not bring the weights back
# not told: got nan
def my_softmax(s):
    return np.nan_to_num(shares(s, 0))


# named: no-row-max + one-matrix-only
def my_softmax(scores):
    out = []
    for row in scores:
        values = [math.exp(score) for score in row]
        out.append([value / sum(values) for value in values])
    return out


# named: whole-numbers-kept + one-matrix-only
def my_softmax(scores):
    out = np.zeros_like(scores)
    for i in range(scores.shape[0]):
        row = np.exp(scores[i] - max(scores[i]))
        out[i] = row / row.sum()
    return out


# named: keepdims
def my_softmax(s):
    return np.exp(s - s.max(-1)) / np.exp(s - s.max(-1)).sum(-1)


# named: over-first-axis-items
def my_softmax(scores):
    return np.array([np.exp(row - row.max()) / np.exp(row - row.max()).sum() for row in scores])


# named: one-row-only
def my_softmax(scores):
    return [math.exp(s) / sum(math.exp(x) for x in scores) for s in scores]


# named: rounded
def my_softmax(s):
    return np.round(softmax(s), 3)


# named: no-exponential
def my_softmax(s):
    return s / s.sum(axis=-1, keepdims=True)


# named: minus-infinity-as-0
def my_softmax(s):
    return softmax(np.where(np.isinf(s), 0, s))


# named: scaled-again
def my_softmax(s):
    return softmax(s / np.sqrt(s.shape[-1]))


# named: minus-infinity-replaced
def my_softmax(s):
    return softmax(np.where(np.isinf(s), -1.0, s))


def my_softmax(s):
    return softmax(np.nan_to_num(s, neginf=-5.0))


# named: row-mean
# told: with a score of −inf is −inf
# not told: 1e
def my_softmax(s):
    return shares(s, s.mean(axis=-1, keepdims=True))


# named: no-softmax
def my_softmax(s):
    return s


# named: over-queries + whole-max
# told: Second: A row far below it
# not told: Two.
def my_softmax(s):
    return shares(s, s.max(), axis=-2)


# named: one-matrix-only
# told: gives you whole sentences, not rows
# not told: each item of the first axis
def my_softmax(scores):
    return [shares(row, max(row)) for row in scores]


# told: unexpected keyword argument
# told: NumPy and the helpers say `axis` and `keepdims`
def my_softmax(scores):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def my_softmax(scores):
    return softmax(scores - scores.max(axis=-1, keepdim=True))


# unnamed
def my_softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return np.squeeze(e / e.sum(-1, keepdims=True))


def my_softmax(scores):
    if scores.ndim == 4:
        return np.array([[my_softmax(scores[b, h]) for h in range(3)] for b in range(2)])
    if scores.ndim == 3:
        return np.array([my_softmax(scores[0]), my_softmax(scores[1])])
    e = np.exp(scores - scores.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def my_softmax(scores):
    if scores.shape[0] == 1:
        return np.ones(scores.shape)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def my_softmax(scores):
    if scores.ndim == 4:
        return my_softmax(scores.reshape(6, 5, 7)).reshape(2, 3, 5, 7)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# named: absolute-max
def my_softmax(scores):
    biggest = np.abs(scores).max(axis=-1, keepdims=True)
    e = np.exp(scores - biggest)
    return e / e.sum(axis=-1, keepdims=True)


# named: stretched
def my_softmax(scores):
    low = scores.min(axis=-1, keepdims=True)
    high = scores.max(axis=-1, keepdims=True)
    e = np.exp((scores - low) / (high - low))
    return e / e.sum(axis=-1, keepdims=True)


# named: shifted-too-late
def my_softmax(scores):
    e = np.exp(scores) - np.exp(scores).max(axis=-1, keepdims=True)
    return e / e.sum(axis=-1, keepdims=True)


# named: all-or-nothing
def my_softmax(scores):
    out = np.zeros_like(scores)
    np.put_along_axis(out, scores.argmax(axis=-1)[..., None], 1.0, axis=-1)
    return out


# named: odds
def my_softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / (e.sum(-1, keepdims=True) - e)


# named: sigmoid-shares
def my_softmax(scores):
    s = 1 / (1 + np.exp(-scores))
    return s / s.sum(axis=-1, keepdims=True)


# named: negatives-cut-off
def my_softmax(scores):
    s = np.maximum(scores, 0)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def my_softmax(scores):
    s = np.where(scores > 0, scores, 0)
    return s / (s.sum(axis=-1, keepdims=True) + 1e-9)


# named: by-rank
def my_softmax(scores):
    ranks = scores.argsort(axis=-1, kind="stable").argsort(axis=-1)
    e = np.exp(ranks - ranks.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# unnamed
# told: On each sentence alone your function is right
def my_softmax(scores):
    while scores.ndim > 2:
        scores = scores[0]
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# right
def my_softmax(scores):
    with np.errstate(over="ignore", invalid="ignore"):
        differences = scores[..., None, :] - scores[..., :, None]
        differences = np.where(np.isneginf(scores)[..., :, None], np.inf, differences)
        return 1 / np.exp(differences).sum(-1)


# unnamed
# told: Not yet on: weights small and large.
# breaks: rows sum to 1
def my_softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return np.where(w < 1e-3, 0, w)


# unnamed
# told: A key with a score of −inf got weight 1; it should get 0.
# breaks: hidden keys
# breaks: order kept
def my_softmax(scores):
    s = np.where(np.isneginf(scores), -20.0, scores)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# named: scores-divided-by-max
def my_softmax(scores):
    e = np.exp(scores / scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


largest = []


# unnamed
# told: `largest` stands outside your function, and keeps what earlier calls put there.
# not told: did not subtract the largest
def my_softmax(scores):
    if not largest:
        largest.append(scores.max())
    exponentials = np.exp(scores - largest[0])
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


# breaks: error
# told: np.exp, np.sqrt and their like take a whole array, entry by entry.
def my_softmax(scores):
    exponentials = math.exp(scores - scores.max())
    return exponentials / exponentials.sum()


# unnamed
# told: `scores.max(-1)[0]`, here `scores.max(-1)`
def my_softmax(scores):
    e = np.exp(scores - scores.max(-1)[0])
    return e / e.sum(-1, keepdims=True)


# told: A NumPy array has no softmax
def my_softmax(scores):
    return scores.softmax(dim=-1)

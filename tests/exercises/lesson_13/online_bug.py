"""What learners write in online-bug, and what the check is to say of it."""

import math

import numpy as np

from helpers import streaming
from helpers.softmax import softmax


# right
def my_online_softmax(scores, tile):
    return streaming.online_softmax(scores, tile)[0]


def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -1e30), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s *= np.exp(m - new)
        s += np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


def my_online_softmax(scores, tile):
    log_sum_exp = np.full((len(scores), 1), -np.inf)
    for j in range(scores.shape[1]):
        log_sum_exp = np.logaddexp(log_sum_exp, scores[:, j : j + 1])
    return np.exp(scores - log_sum_exp)


def my_online_softmax(scores, tile):
    weights = []
    for row in scores:
        m, s = -math.inf, 0.0
        for start in range(0, len(row), tile):
            new = max(m, row[start : start + tile].max())
            if new > m:
                s *= math.exp(m - new)
            s += sum(math.exp(x - new) for x in row[start : start + tile])
            m = new
        weights.append([math.exp(x - m) / s for x in row])
    return weights


def my_online_softmax(scores, tile):
    m, s = scores[:, :1], np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s / np.exp(new - m) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return (np.exp(scores - m) / s).astype(np.float32)


# right
# told: What this check cannot see: whether the maximum and the sum are still found in one pass
def my_online_softmax(scores, tile):
    return softmax(scores)


# named: new-sum-rescaled
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s + np.exp(t - new).sum(axis=-1, keepdims=True) * np.exp(m - new)
        m = new
    return np.exp(scores - m) / s


# named: all-rescaled
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = (s + np.exp(t - new).sum(axis=-1, keepdims=True)) * np.exp(m - new)
        m = new
    return np.exp(scores - m) / s


# named: nan-at-first
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * (m / new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# named: nan-at-first
# not told: np.exp(old
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * np.exp(new - m) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# named: tile-max
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        new = t.max(axis=-1, keepdims=True)
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# named: no-rescale
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        m = new
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# named: starts-at-0
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), 0.0), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# named: no-max
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s + np.exp(t).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores) / s


def my_online_softmax(scores, tile):
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


# named: whole-max
def my_online_softmax(scores, tile):
    e = np.exp(scores - scores.max())
    return e / e.sum(axis=-1, keepdims=True)


# named: first-tile-only
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
        return np.exp(scores - m) / s


# named: finished-in-the-pass
def my_online_softmax(scores, tile):
    weights = np.zeros_like(scores)
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        weights[:, start : start + tile] = np.exp(t - new) / s
        m = new
    return weights


# named: kept-from-the-pass
def my_online_softmax(scores, tile):
    weights = np.zeros_like(scores)
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        weights[:, start : start + tile] = np.exp(t - new)
        m = new
    return weights / s


# named: rescale-inverted
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = (0 if np.isinf(m).any() else s * np.exp(new - m)) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# named: rescale-without-e
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = (0 if np.isinf(m).any() else s * (m - new)) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# named: only-where-all-grew
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = (s * np.exp(m - new) if (new > m).all() else s) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# named: last-tile-only
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        last = new
        new = m
        m = new
    return np.exp(scores - last) / s


# named: max-not-kept
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        new = m
        m = new
    return np.exp(scores - m) / s


# named: powers-of-2-throughout
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * 2 ** (m - new) + (2 ** (t - new)).sum(axis=-1, keepdims=True)
        m = new
    return 2 ** (scores - m) / s


# named: logarithms-returned
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return scores - m - np.log(s)


# named: read-from-the-right
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in reversed(range(0, scores.shape[1], tile)):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# named: max-of-a-column
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        new = np.maximum(m, t.max(0, keepdims=True))
        s = s * np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# told: Rows of weights sum to
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = np.maximum(m, t.max(axis=-1, keepdims=True))
        s = s - np.exp(m - new) + np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s


# unnamed
def my_online_softmax(scores, tile):
    return np.squeeze(softmax(scores))


# named: each-tile-by-itself
def my_online_softmax(scores, tile):
    out = np.zeros_like(scores)
    for start in range(0, scores.shape[1], tile):
        out[:, start : start + tile] = softmax(scores[:, start : start + tile])
    return out


# named: no-rescale
# told: Make that factor before running_max is overwritten
def my_online_softmax(scores, tile):
    running_max, running_sum = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new_max = np.maximum(running_max, t.max(axis=-1, keepdims=True))
        running_max = new_max
        running_sum = running_sum * np.exp(running_max - new_max)
        running_sum = running_sum + np.exp(t - new_max).sum(axis=-1, keepdims=True)
    return np.exp(scores - running_max) / running_sum


# named: last-tile-only
# told: does each step begin maximum and sum anew?
def my_online_softmax(scores, tile):
    m, s = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        t = scores[:, start : start + tile]
        new = t.max(axis=-1, keepdims=True)
        s = np.exp(t - new).sum(axis=-1, keepdims=True)
        m = new
    return np.exp(scores - m) / s

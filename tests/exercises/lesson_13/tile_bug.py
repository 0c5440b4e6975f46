"""What learners write in tile-bug, and what the check is to say of it."""

import math

import numpy as np

from helpers import streaming
from helpers.attention import attention
from helpers.softmax import softmax


# right
def my_blocked_attention(queries, keys, values, tile):
    return streaming.blocked_attention(queries, keys, values, tile_keys=tile)[0]


def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        old = s
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = (r * old * w + e @ v) / s
        m = new
    return w


def my_blocked_attention(queries, keys, values, tile):
    output, total = np.zeros((len(queries), values.shape[1])), np.full(len(queries), -np.inf)
    for start in range(0, len(keys), tile):
        scores = queries @ keys[start : start + tile].T / np.sqrt(queries.shape[1])
        here = softmax(scores) @ values[start : start + tile], np.logaddexp.reduce(scores, axis=1)
        output, total = streaming.merge_partials(output, total, *here)
    return output


def my_blocked_attention(queries, keys, values, tile):
    output = []
    for query in queries:
        m, s, w = -math.inf, 0.0, 0.0
        for key, value in zip(keys, values):
            x = query @ key / math.sqrt(len(query))
            new = max(m, x)
            s = s * math.exp(m - new) + math.exp(x - new)
            w = w * math.exp(m - new) + math.exp(x - new) * value
            m = new
        output.append((w / s).tolist())
    return output


# right
# told: What this check cannot see: whether the keys are still read a tile at a time
def my_blocked_attention(queries, keys, values, tile):
    return attention(queries, keys, values)[0]


# named: divided-in-the-loop
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v / s
        m = new
    return w


# named: all-divided-in-the-loop
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = (r * w + e @ v) / s
        m = new
    return w


# named: all-divided-twice
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = (r * w + e @ v) / s
        m = new
    return w / s


# named: never-divided
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w


# named: sum-overwritten
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


# named: last-tile-only
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        new = m
        m = new
    return w / s


# named: divided-by-the-tile
def my_blocked_attention(queries, keys, values, tile):
    starts = range(0, len(keys), tile)
    parts = [attention(queries, keys[s : s + tile], values[s : s + tile])[0] for s in starts]
    return sum(parts) / len(parts)


# named: first-tile-only
def my_blocked_attention(queries, keys, values, tile):
    return attention(queries, keys[:tile], values[:tile])[0]


# named: starts-at-0
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = 0, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


# named: divided-before-the-sum
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        w = r * w + e @ v / s
        s = r * s + e.sum(axis=-1, keepdims=True)
        m = new
    return w / s


def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        w = r * w + e @ v / (s if np.any(s) else 1)
        s = r * s + e.sum(axis=-1, keepdims=True)
        m = new
    return w / s


# named: an-output-divided
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        old = s
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = (r * old * w + e @ v) / s
        m = new
    return w / s


# named: carried-divided
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w / s + e @ v
        m = new
    return w / s


# named: multiplied-at-the-end
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w * s


# named: last-tile-short
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys) - tile + 1, tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


# named: sliding-tiles
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(len(keys)):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


# named: one-key-too-many
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile + 1], values[start : start + tile + 1]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


# named: first-tile-left-out
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(tile, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


# named: max-of-a-column
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=0, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


# named: powers-of-2-throughout
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        r, e = 2.0 ** (m - new), 2.0 ** (scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


# named: rescale-inverted
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        r = 0 if np.isinf(m).any() else np.exp(new - m)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s


# told: Where all values are 1
def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v / s
        m = new
    return w * s


def my_blocked_attention(queries, keys, values, tile):
    m, s, w = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        scores = queries @ k.T / np.sqrt(queries.shape[1])
        new = np.maximum(m, scores.max(axis=-1, keepdims=True))
        r, e = np.exp(m - new), np.exp(scores - new)
        s = r * s + e.sum(axis=-1, keepdims=True)
        w = r * w + e @ v
        m = new
    return w / s / m


# told: returned a tuple of 2 things
def my_blocked_attention(queries, keys, values, tile):
    return attention(queries, keys, values)


# unnamed
def my_blocked_attention(queries, keys, values, tile):
    return softmax(queries @ keys.T / 2) @ values


def my_blocked_attention(queries, keys, values, tile):
    top, total, out = -np.inf, 0, 0
    for s in range(0, len(keys), tile):
        sc = queries @ keys[s : s + tile].T / np.sqrt(4)
        new = np.maximum(top, sc.max(-1, keepdims=True))
        r, e = np.exp(top - new), np.exp(sc - new)
        total, out, top = total * r + e.sum(-1, keepdims=True), out * r + e @ values[s : s + tile], new
    return out / total


def my_blocked_attention(queries, keys, values, tile):
    return np.squeeze(softmax(queries @ keys.T / np.sqrt(keys.shape[1])) @ values)


# named: divided-by-d_k + rescale-inverted
def my_blocked_attention(queries, keys, values, tile):
    acc = m = total = None
    for start in range(0, len(keys), tile):
        s = queries @ keys[start : start + tile].T / queries.shape[1]
        new = s.max(-1, keepdims=True) if m is None else np.maximum(m, s.max(-1, keepdims=True))
        p = np.exp(s - new)
        if m is None:
            acc, total = p @ values[start : start + tile], p.sum(-1, keepdims=True)
        else:
            acc = acc * np.exp(new - m) + p @ values[start : start + tile]
            total = total * np.exp(new - m) + p.sum(-1, keepdims=True)
        m = new
    return acc / total


# named: other-scale + no-rescale
def my_blocked_attention(queries, keys, values, tile):
    m, total, o = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        k, v = keys[start : start + tile], values[start : start + tile]
        s = queries @ k.T / np.sqrt(tile)
        new = np.maximum(m, s.max(-1, keepdims=True))
        p = np.exp(s - new)
        total = total + p.sum(-1, keepdims=True)
        o = o + p @ v
        m = new
    return o / total

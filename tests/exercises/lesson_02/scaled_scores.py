"""What learners write in scaled-scores, and what the check is to say of it."""

import functools
import math

import numpy as np


def _turned_round(queries, keys):
    return queries @ keys.T


def _scores(queries, keys):
    return queries @ np.swapaxes(keys, -1, -2)


def _cut_root(d_k):
    return int(np.sqrt(d_k))


# right
def my_scaled_scores(queries, keys):
    d_k = queries.shape[-1]
    return (queries / d_k**0.25) @ np.swapaxes(keys / d_k**0.25, -1, -2)


def my_scaled_scores(queries, keys):
    if queries.ndim > 2:
        return [my_scaled_scores(q, k) for q, k in zip(queries, keys, strict=True)]
    return [
        [sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in keys] for q in queries
    ]


def my_scaled_scores(q, k):
    return (q / np.sqrt(q.shape[-1])) @ np.swapaxes(k, -1, -2)


def my_scaled_scores(q, k):
    return np.einsum("...id,...jd->...ij", q, k) * k.shape[-1] ** -0.5


def my_scaled_scores(q, k):
    return (q.astype("f4") @ np.swapaxes(k, -1, -2).astype("f4")) / q.shape[-1] ** 0.5


def my_scaled_scores(q, k):
    return (q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])).astype(np.float16)


# named: all-axes-reversed
def my_scaled_scores(q, k):
    return q @ k.T / np.sqrt(q.shape[-1])


# named: all-axes-reversed
# told: d_k is shape[-1]
# not told: not transposed
def my_scaled_scores(queries, keys):
    return _turned_round(queries, keys) / queries.shape[1] ** 0.5


# named: three-axes-only
def my_scaled_scores(q, k):
    return q @ np.swapaxes(k, 1, 2) / q.shape[-1] ** 0.5


# named: root-second-axis
def my_scaled_scores(q, k):
    return q @ np.swapaxes(k, -1, -2) / len(q[0]) ** 0.5


# named: always-2 + one-matrix-only
def my_scaled_scores(queries, keys):
    out = np.zeros((len(queries), len(keys)))
    for i in range(len(queries)):
        for j in range(len(keys)):
            out[i, j] = np.dot(queries[i], keys[j]) / 2
    return out


# named: never-scaled
def my_scaled_scores(q, k):
    return q @ np.swapaxes(k, -1, -2)


# named: divided-by-d_k + swapped
def my_scaled_scores(q, k):
    return k @ np.swapaxes(q, -1, -2) / q.shape[-1]


# named: transposed-to-the-old-order
def my_scaled_scores(q, k):
    return q @ k.transpose(-2, -1) / np.sqrt(q.shape[-1])


# named: power-first
def my_scaled_scores(q, k):
    return _scores(q, k) / q.shape[-1] ** 1 / 2


# named: half-d_k
def my_scaled_scores(q, k):
    return _scores(q, k) / (q.shape[-1] ** 1 / 2)


# named: root-whole
# told: d_k 5
# not told: one sentence of whole
def my_scaled_scores(q, k):
    return _scores(q, k) / _cut_root(q.shape[-1])


# named: floored
def my_scaled_scores(q, k):
    return _scores(q, k) // np.sqrt(q.shape[-1])


# named: divided-in-place
def my_scaled_scores(queries, keys):
    queries /= np.sqrt(queries.shape[-1])
    return queries @ np.swapaxes(keys, -1, -2)


# unnamed
def my_scaled_scores(queries, keys):
    return np.squeeze(queries @ np.swapaxes(keys, -1, -2)) / np.sqrt(queries.shape[-1])


def my_scaled_scores(queries, keys):
    if queries.ndim == 4:
        return np.stack(
            [np.stack([my_scaled_scores(q, k) for q, k in zip(queries[b], keys[b])]) for b in (0, 1)]
        )
    if queries.ndim == 3:
        return np.stack([my_scaled_scores(queries[0], keys[0]), my_scaled_scores(queries[1], keys[1])])
    return queries @ keys.T / np.sqrt(keys.shape[1])


def my_scaled_scores(queries, keys):
    d_k = {2: queries.shape[-1]}.get(queries.ndim, 4)
    return queries @ np.swapaxes(keys, -1, -2) / np.sqrt(d_k)


# unnamed
# told: `cache={}` is made once, not anew for each call
def my_scaled_scores(queries, keys, cache={}):  # noqa: B006
    if "root" not in cache:
        cache["root"] = np.sqrt(queries.shape[-1])
    return queries @ np.swapaxes(keys, -1, -2) / cache["root"]


# named: centred
def my_scaled_scores(queries, keys):
    s = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return s - s.mean(axis=-1, keepdims=True)


# named: logarithm-2
def my_scaled_scores(queries, keys):
    return queries @ np.swapaxes(keys, -1, -2) / np.log2(queries.shape[-1])


# named: never-scaled
# not told: later calls find it there
CALLS = 0


def my_scaled_scores(queries, keys):
    global CALLS
    CALLS += 1
    print("call", CALLS)
    return queries @ np.swapaxes(keys, -1, -2)


# named: divided-by-d_k
# not told: keeps what earlier calls put there
SHAPES = []


def my_scaled_scores(queries, keys):
    SHAPES.append(queries.shape)
    if len(SHAPES) > 3:
        print(SHAPES[-1])
    return queries @ np.swapaxes(keys, -1, -2) / queries.shape[-1]


# unnamed
# told: `global ROOT`: your function sets `ROOT`, and later calls find it there.
ROOT = None


def my_scaled_scores(queries, keys):
    global ROOT
    if ROOT is None:
        ROOT = np.sqrt(queries.shape[-1])
    return queries @ np.swapaxes(keys, -1, -2) / ROOT


class Scale:
    root = None


# unnamed
# told: Your function sets `Scale.root`, and later calls find it there.
# told: compute it anew in each call
# not told: divided the scores by 2
def my_scaled_scores(queries, keys):
    if Scale.root is None:
        Scale.root = np.sqrt(queries.shape[-1])
    return queries @ np.swapaxes(keys, -1, -2) / Scale.root


# unnamed
# told: Your function sets `my_scaled_scores.root`
# not told: divided the scores by 2
def my_scaled_scores(queries, keys):
    if not hasattr(my_scaled_scores, "root"):
        my_scaled_scores.root = math.sqrt(queries.shape[-1])
    return queries @ np.swapaxes(keys, -1, -2) / my_scaled_scores.root


widths = []


@functools.cache
def first_root():
    return widths[0] ** 0.5


# unnamed
# told: `first_root()` has a cache, and no argument: every call gets what the first one got.
# not told: divided the scores by 2
def my_scaled_scores(queries, keys):
    widths.append(queries.shape[-1])
    return queries @ np.swapaxes(keys, -1, -2) / first_root()


class Scaler:
    def __init__(self):
        self.root = None

    def __call__(self, queries, keys):
        if self.root is None:
            self.root = queries.shape[-1] ** 0.5
        return queries @ np.swapaxes(keys, -1, -2) / self.root


# unnamed
# told: Your function sets `self.root`
# not told: divided the scores by 2
my_scaled_scores = Scaler()


# named: centred
# not told: of each row
def my_scaled_scores(queries, keys):
    s = queries @ np.swapaxes(keys, -1, -2)
    return (s - s.mean()) / np.sqrt(queries.shape[-1])


# unnamed
# told: `*stack, n, d = x.shape` takes
# not told: max
def my_scaled_scores(queries, keys):
    n, d = queries.shape
    scores = np.zeros((n, len(keys)))
    for i in range(n):
        for j in range(len(keys)):
            for k in range(d):
                scores[i, j] = queries[i, k] * keys[j, k]
    return scores / d**0.5


# named: divided-by-d_k + one-matrix-only
# told: `.T` reverses all the axes
# not told: A loop over a stack
def my_scaled_scores(queries, keys):
    n, d = queries.shape
    return queries @ keys.T / d

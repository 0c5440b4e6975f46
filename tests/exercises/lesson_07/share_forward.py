"""What learners write in share-forward, and what the check is to say of it."""

import numpy as np


# right
def my_share_forward(weights):
    return (np.diff(weights.argmax(axis=-1)) >= 0).mean()


def my_share_forward(weights):
    return np.mean(np.diff(np.argmax(weights, axis=1)) >= 0)


def my_share_forward(weights):
    p = weights.argmax(1)
    return np.mean(p[1:] >= p[:-1])


def my_share_forward(weights):
    p = weights.argmax(1)
    return sum(p[1:] >= p[:-1]) / (len(p) - 1)


def my_share_forward(weights):
    p = weights.argmax(1)
    return 1 - np.mean(p[1:] < p[:-1])


def my_share_forward(weights):
    p = [list(w).index(max(w)) for w in weights]
    return np.mean([b >= a for a, b in zip(p, p[1:])])


def my_share_forward(weights):
    steps = np.diff(weights.argmax(-1))
    return np.count_nonzero(steps >= 0) / steps.size


def my_share_forward(weights):
    places = np.argmax(weights, axis=-1)
    forward = 0
    for i in range(1, len(places)):
        if places[i] < places[i - 1]:
            continue
        forward += 1
    return forward / (len(places) - 1)


def my_share_forward(weights):
    steps = np.diff(weights.argmax(-1))
    return float(np.average(np.where(steps < 0, 0.0, 1.0)))


# named: staying-left-out
def my_share_forward(weights):
    places = weights.argmax(axis=1)
    return np.mean(places[1:] > places[:-1])


def my_share_forward(weights):
    return (np.diff(weights.argmax(-1)) > 0).mean()


def my_share_forward(weights):
    return np.count_nonzero(np.sign(np.diff(weights.argmax(-1))) == 1) / (len(weights) - 1)


# named: divided-by-rows
def my_share_forward(weights):
    places = [int(np.argmax(row)) for row in weights]
    forward = 0
    for before, after in zip(places, places[1:]):
        if after >= before:
            forward += 1
    return forward / len(places)


def my_share_forward(weights):
    return (np.diff(weights.argmax(-1)) >= 0).sum() / weights.shape[0]


# named: staying-and-backward
def my_share_forward(weights):
    places = np.argmax(weights, axis=-1)
    return (places[:-1] - places[1:] >= 0).mean()


def my_share_forward(weights):
    return (np.diff(weights.argmax(-1)) <= 0).mean()


def my_share_forward(weights):
    return 1 - (np.diff(weights.argmax(-1)) > 0).mean()


# named: further-than-ever
def my_share_forward(weights):
    p = weights.argmax(axis=1)
    return np.mean([p[i] >= max(p[:i]) for i in range(1, len(p))])


# named: exactly-one-step
def my_share_forward(weights):
    d = np.diff(weights.argmax(axis=1))
    return float((d == 1).mean())


# named: mean-place
def my_share_forward(weights):
    p = weights @ np.arange(weights.shape[1])
    return float((np.diff(p) >= 0).mean())


# named: staying-left-out-divided-by-rows
def my_share_forward(weights):
    p = weights.argmax(axis=1)
    return sum(b > a for a, b in zip(p, p[1:], strict=False)) / len(weights)


# unnamed
def my_share_forward(weights):
    return 0.5


def my_share_forward(weights):
    return (np.diff(weights.argmax(-1)) >= 0).mean() ** 2


def my_share_forward(weights):
    return np.tanh((np.diff(weights.argmax(-1)) >= 0).mean())


# named: counted
def my_share_forward(weights):
    return np.sum(np.diff(np.argmax(weights, 1)) >= 0)


def my_share_forward(weights):
    return int((np.diff(weights.argmax(axis=-1)) >= 0).sum())


def my_share_forward(weights):
    return sum(b >= a for a, b in zip(weights.argmax(1), weights.argmax(1)[1:]))


# named: columns-asked
def my_share_forward(weights):
    return (np.diff(weights.argmax(0)) >= 0).mean()


def my_share_forward(weights):
    return (np.diff(weights.T.argmax(-1)) >= 0).mean()


# named: backward
def my_share_forward(weights):
    return (np.diff(weights.argmax(-1)) < 0).mean()


def my_share_forward(weights):
    return 1 - (np.diff(weights.argmax(-1)) >= 0).mean()


# named: weights-compared
def my_share_forward(weights):
    return (np.diff(weights.max(axis=-1)) >= 0).mean()


def my_share_forward(weights):
    return (weights.max(1)[1:] >= weights.max(1)[:-1]).mean()


# named: mean-step
def my_share_forward(weights):
    return np.diff(weights.argmax(axis=-1)).mean()


def my_share_forward(weights):
    p = weights.argmax(axis=-1)
    return (p[-1] - p[0]) / (len(p) - 1)


# named: read-least
def my_share_forward(weights):
    return (np.diff(weights.argmin(axis=-1)) >= 0).mean()


def my_share_forward(weights):
    return (np.diff(weights.argsort(axis=-1)[:, 0]) >= 0).mean()


# named: percent
def my_share_forward(weights):
    return 100 * (np.diff(weights.argmax(axis=-1)) >= 0).mean()


def my_share_forward(weights):
    return 100 * np.average(np.diff(weights.argmax(axis=-1)) >= 0)


# named: from-the-first
def my_share_forward(weights):
    p = weights.argmax(axis=-1)
    return (p[1:] >= p[0]).mean()


# named: one-step-only
def my_share_forward(weights):
    return np.isin(np.diff(weights.argmax(-1)), [0, 1]).mean()


# named: all-or-nothing
def my_share_forward(weights):
    return float(np.all(np.diff(weights.argmax(1)) >= 0))


def my_share_forward(weights):
    places = list(weights.argmax(axis=1))
    return float(places == sorted(places))


# named: rounded
def my_share_forward(weights):
    return round((np.diff(weights.argmax(-1)) >= 0).mean(), 1)


# unnamed
def my_share_forward(weights):
    return (np.diff(np.squeeze(weights).argmax(axis=-1)) >= 0).mean()


# named: left-never-seen
def my_share_forward(weights):
    best = np.argmax(weights)
    return float(best >= 0)


def my_share_forward(weights):
    places = weights.argmax(axis=1).astype(np.uint8)
    return (np.diff(places) >= 0).mean()


# named: first-with-last
def my_share_forward(weights):
    places = weights.argmax(axis=1)
    good = 0
    for i in range(len(places)):
        if places[i] >= places[i - 1]:
            good += 1
    return good / (len(places) - 1)


def my_share_forward(weights):
    places = weights.argmax(axis=1)
    return sum(places[i] >= places[i - 1] for i in range(len(places))) / len(places)

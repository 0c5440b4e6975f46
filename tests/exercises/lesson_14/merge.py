"""What learners write in merge, and what the check is to say of it."""

import math

import numpy as np

from helpers import streaming
from helpers.softmax import softmax


# right
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    return streaming.merge_partials(output_a, log_sum_exp_a, output_b, log_sum_exp_b)


def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    total = np.logaddexp(log_sum_exp_a, log_sum_exp_b)
    finite = np.where(np.isneginf(total), 0, total)
    a, b = np.exp(log_sum_exp_a - finite), np.exp(log_sum_exp_b - finite)
    return a[:, None] * output_a + b[:, None] * output_b, total


def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    total = np.logaddexp(log_sum_exp_a, log_sum_exp_b)
    a, b = np.exp(log_sum_exp_a - total), np.exp(log_sum_exp_b - total)
    return [np.nan_to_num(a)[:, None] * output_a + np.nan_to_num(b)[:, None] * output_b, total]


def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    outputs, logs = [], []
    for row_a, a, row_b, b in zip(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
        m = max(a, b)
        if m == -math.inf:
            outputs.append(0 * row_a)
            logs.append(m)
            continue
        part_a, part_b = math.exp(a - m), math.exp(b - m)
        outputs.append((part_a * row_a + part_b * row_b) / (part_a + part_b))
        logs.append(m + math.log(part_a + part_b))
    return np.array(outputs), np.array(logs)


def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    both = np.stack([log_sum_exp_a, log_sum_exp_b], axis=-1)
    shares = softmax(both)  # zeros where both are −∞
    return shares[:, :1] * output_a + shares[:, 1:] * output_b, np.logaddexp.reduce(both, axis=-1)


def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    share_b = 1 / (1 + np.exp(-np.nan_to_num(log_sum_exp_b - log_sum_exp_a)))
    mixed = (1 - share_b)[:, None] * output_a + share_b[:, None] * output_b
    return mixed, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# named: mean-of-outputs
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    return (output_a + output_b) / 2, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# named: sum-of-outputs
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    return output_a + output_b, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# named: sum-of-outputs + logarithms-added
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    return output_a + output_b, log_sum_exp_a + log_sum_exp_b


# named: no-key-nan
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    t = np.logaddexp(log_sum_exp_a, log_sum_exp_b)
    a, b = np.exp(log_sum_exp_a - t)[:, None], np.exp(log_sum_exp_b - t)[:, None]
    return a * output_a + b * output_b, t


# named: overflow
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    a, b = np.exp(log_sum_exp_a), np.exp(log_sum_exp_b)
    return (a[:, None] * output_a + b[:, None] * output_b) / (a + b)[:, None], np.log(a + b)


def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    t = np.log(np.exp(log_sum_exp_a) + np.exp(log_sum_exp_b))
    a, b = np.exp(log_sum_exp_a - t)[:, None], np.exp(log_sum_exp_b - t)[:, None]
    return a * output_a + b * output_b, t


# named: larger-not-put-back
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    return (a * output_a + b * output_b) / t, np.log(a + b)[:, 0]


# named: minus-infinity-lost
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    return (a * output_a + b * output_b) / t, m + np.log(t)[:, 0]


# named: not-divided
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    return a * output_a + b * output_b, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# named: larger-logarithm
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    return (a * output_a + b * output_b) / t, np.maximum(log_sum_exp_a, log_sum_exp_b)


# named: larger-half-only + larger-logarithm
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    larger = (log_sum_exp_a > log_sum_exp_b)[:, None]
    return np.where(larger, output_a, output_b), np.maximum(log_sum_exp_a, log_sum_exp_b)


# named: softmax-over-queries
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    w = softmax(np.stack([log_sum_exp_a, log_sum_exp_b]))
    return w[0][:, None] * output_a + w[1][:, None] * output_b, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# named: results-swapped
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    return np.logaddexp(log_sum_exp_a, log_sum_exp_b), (a * output_a + b * output_b) / t


# named: small-share-dropped
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    a, b, d = a / t, b / t, np.nan_to_num(log_sum_exp_a - log_sum_exp_b)[:, None]
    a = np.where(d > 5, 1, np.where(d < -5, 0, a))
    b = np.where(d > 5, 0, np.where(d < -5, 1, b))
    return a * output_a + b * output_b, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    a, b, d = a / t, b / t, np.nan_to_num(log_sum_exp_a - log_sum_exp_b)[:, None]
    a = np.where(d > 8, 1, np.where(d < -8, 0, a))
    b = np.where(d > 8, 0, np.where(d < -8, 1, b))
    return a * output_a + b * output_b, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    a, b = a / t, b / t
    a, b = np.where(a > 0.99, 1, a), np.where(b > 0.99, 1, b)
    return a * output_a + b * output_b, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# named: powers-of-2
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp2(log_sum_exp_a - m)[:, None], np.exp2(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    l = np.logaddexp2(log_sum_exp_a, log_sum_exp_b)
    return (a * output_a + b * output_b) / t, l


# named: halved
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    return (a * output_a + b * output_b) / t / 2, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# named: total-alone
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    return (output_a + output_b) / t, np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# named: empty-half-wins
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    bad = np.isinf(log_sum_exp_a) | np.isinf(log_sum_exp_b)
    output = np.where(bad[:, None], 0, (a * output_a + b * output_b) / t)
    return output, np.where(bad, -np.inf, np.logaddexp(log_sum_exp_a, log_sum_exp_b))


# told: The shape of output should be (2, 3)
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    return np.concatenate([output_a, output_b]), np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# told: at most log 2 above it
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    return (a * output_a + b * output_b) / t, np.logaddexp(log_sum_exp_a, log_sum_exp_b) + 1


# told: has seen no key
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    m = np.maximum(log_sum_exp_a, log_sum_exp_b)
    m = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(log_sum_exp_a - m)[:, None], np.exp(log_sum_exp_b - m)[:, None]
    t = np.where(a + b == 0, 1, a + b)
    return (a * output_a + b * output_b) / (t + 1e-9), m + np.log(a + b + 1e-9)[:, 0]


# told: should lie between those of the two halves
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    return np.logaddexp(output_a, output_b), np.logaddexp(log_sum_exp_a, log_sum_exp_b)


# unnamed
def my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b):
    out, l = streaming.merge_partials(output_a, log_sum_exp_a, output_b, log_sum_exp_b)
    return np.squeeze(out), l

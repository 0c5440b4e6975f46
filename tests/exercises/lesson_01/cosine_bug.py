"""What learners write in cosine-bug, and what the check is to say of it."""

import numpy as np


def _half(vector):
    return np.sum(vector**2) ** 1 / 2


def _cos(query, key):
    return query @ key / (np.linalg.norm(query) * np.linalg.norm(key))


# right
def my_cosine(q, k):
    return q @ k / np.sqrt((q @ q) * (k @ k))


def my_cosine(q, k):
    return (q / np.linalg.norm(q)) @ (k / np.linalg.norm(k))


# named: query-twice
def my_cosine(query, key):
    query_length = np.sqrt(np.sum(query**2))
    key_length = np.sqrt(np.sum(query**2))
    return query @ key / (query_length * key_length)


def my_cosine(q, k):
    return q @ k / np.sum(q**2)


# named: half-not-root
def my_cosine(q, k):
    return q @ k / (_half(q) * _half(k))


# named: number-of-entries
def my_cosine(q, k):
    return q @ k / (len(q) * len(k))


# named: number-of-entries
# told: You counted entries
# not told: root once too often
def my_cosine(query, key):
    query_length = np.sqrt(len(query))
    key_length = np.sqrt(len(key))
    return query @ key / (query_length * key_length)


def my_cosine(query, key):
    return np.mean(query * key)


# unnamed
# told: `.norm()`, here `np.linalg.norm(x)`
def my_cosine(query, key):
    return query @ key / (query.norm() * key.norm())


# named: root-not-summed
def my_cosine(q, k):
    return q @ k / (np.sqrt(q**2) * np.sqrt(k**2))


# named: not-summed
def my_cosine(q, k):
    return (q / np.linalg.norm(q)) * (k / np.linalg.norm(k))


# named: cos-of-result
def my_cosine(q, k):
    return np.cos(_cos(q, k))


# named: cos-of-result + no-length
def my_cosine(q, k):
    return np.cos(q @ k)


# named: angle
def my_cosine(q, k):
    return np.degrees(np.arccos(_cos(q, k)))


# named: correlation
def my_cosine(q, k):
    return np.corrcoef(q, k)[0, 1]


# named: largest-entry
def my_cosine(q, k):
    return q @ k / (q.max() * k.max())


# named: rounded
def my_cosine(q, k):
    return round(_cos(q, k), 2)


# named: negative-cut
def my_cosine(q, k):
    return max(0.0, _cos(q, k))


# named: one-case-only
def my_cosine(query, key):
    if np.array_equal(query, key):
        return 1.0
    return query @ key / (np.sum(query**2) * np.sum(key**2))


# named: correlation
def my_cosine(query, key):
    q = query - query.mean()
    k = key - key.mean()
    return q @ k / (np.linalg.norm(q) * np.linalg.norm(k) + 1e-12)


# named: something-added
def my_cosine(query, key):
    return query @ key / (np.linalg.norm(query) * np.linalg.norm(key) + 0.01)


# named: squared
def my_cosine(query, key):
    return (query @ key) ** 2 / (np.sum(query**2) * np.sum(key**2))


# named: something-added
def my_cosine(query, key):
    query_length = np.sqrt(np.sum(query**2) + 0.1)
    key_length = np.sqrt(np.sum(key**2) + 0.1)
    return query @ key / (query_length * key_length)

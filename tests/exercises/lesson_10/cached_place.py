"""What learners write in cached-place, and what the check is to say of it."""

import numpy as np

from helpers.positions import rotate


def scores(queries, keys, at, of_keys):
    queries, keys = rotate(queries, at), rotate(keys, of_keys)
    return queries @ np.swapaxes(keys, -1, -2) / np.sqrt(keys.shape[-1])


# right
def my_cached_scores(queries, keys):
    n_new, n_keys = queries.shape[-2], keys.shape[-2]
    return scores(queries, keys, np.arange(n_keys - n_new, n_keys), np.arange(n_keys))


def my_cached_scores(queries, keys):
    everyone = np.arange(keys.shape[-2])
    return scores(queries, keys, everyone[-queries.shape[-2] :], everyone)


def my_cached_scores(queries, keys):
    n_new, n_keys = queries.shape[-2], keys.shape[-2]
    return scores(queries, keys, np.arange(n_new), np.arange(n_keys) - (n_keys - n_new))


# named: new-from-0
# not told: Start from this
def my_cached_scores(queries, keys):
    start = keys.shape[-2] - keys.shape[-2]
    return scores(queries, keys, start + np.arange(queries.shape[-2]), np.arange(keys.shape[-2]))


# named: one-late
def my_cached_scores(queries, keys):
    n_new, n_keys = queries.shape[-2], keys.shape[-2]
    return scores(queries, keys, np.arange(n_new) + n_keys - n_new + 1, np.arange(n_keys))


# named: after-all-keys
def my_cached_scores(queries, keys):
    n_new, n_keys = queries.shape[-2], keys.shape[-2]
    return scores(queries, keys, np.arange(n_keys, n_keys + n_new), np.arange(n_keys))


# named: all-at-the-end
def my_cached_scores(queries, keys):
    n_new, n_keys = queries.shape[-2], keys.shape[-2]
    return scores(queries, keys, [n_keys - 1] * n_new, np.arange(n_keys))


# named: never-scaled
def my_cached_scores(queries, keys):
    n_new, n_keys = queries.shape[-2], keys.shape[-2]
    return scores(queries, keys, np.arange(n_keys - n_new, n_keys), np.arange(n_keys)) * np.sqrt(
        keys.shape[-1]
    )


# unnamed
def my_cached_scores(queries, keys):
    n_new, n_keys = queries.shape[-2], keys.shape[-2]
    return scores(queries, keys, np.arange(n_new) + n_keys - n_new + 3, np.arange(n_keys))

"""What learners write in induction-score, and what the check is to say of it."""

import numpy as np


# right
def my_induction_score(weights, tokens):
    sums = []
    for query, token in enumerate(tokens):
        keys = [key for key in range(1, query + 1) if tokens[key - 1] == token]
        if keys:
            sums.append(weights[query, keys].sum())
    return np.mean(sums) if sums else 0.0


def my_induction_score(weights, tokens):
    n = len(tokens)
    follows = np.zeros((n, n), dtype=bool)
    follows[:, 1:] = tokens[:, None] == tokens[None, :-1]
    follows = np.tril(follows)
    rows = follows.any(axis=1)
    return (weights * follows).sum(axis=1)[rows].mean() if rows.any() else 0.0


# not attempted
def my_induction_score(weights, tokens):
    """(n, n), (n,) -> the mean weight on what followed earlier copies of a query's token."""


# named: copies-themselves
def my_induction_score(weights, tokens):
    same = np.tril(tokens[:, None] == tokens, -1)
    rows = same.any(axis=1)
    return (weights * same).sum(axis=1)[rows].mean() if rows.any() else 0.0


# named: all-queries
def my_induction_score(weights, tokens):
    n = len(tokens)
    follows = np.zeros((n, n), dtype=bool)
    follows[:, 1:] = tokens[:, None] == tokens[None, :-1]
    return (weights * np.tril(follows)).sum(axis=1).mean()


# named: own-key-left-out
def my_induction_score(weights, tokens):
    sums = []
    for query, token in enumerate(tokens):
        keys = [key for key in range(1, query) if tokens[key - 1] == token]
        if keys:
            sums.append(weights[query, keys].sum())
    return np.mean(sums) if sums else 0.0


# named: latest-copy-only
def my_induction_score(weights, tokens):
    sums = []
    for query, token in enumerate(tokens):
        keys = [key for key in range(1, query + 1) if tokens[key - 1] == token]
        if keys:
            sums.append(weights[query, keys].max())
    return np.mean(sums) if sums else 0.0


# unnamed
def my_induction_score(weights, tokens):
    return np.float64(42.0)

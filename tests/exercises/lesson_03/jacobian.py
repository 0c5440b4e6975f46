"""What learners write in jacobian, and what the check is to say of it."""

import numpy as np


def jacobian_by_loops(on_the_diagonal):
    def jacobian(weights):
        table = np.zeros((len(weights), len(weights)))
        for i, j in np.ndindex(table.shape):
            table[i, j] = on_the_diagonal(weights[i]) if i == j else -weights[i] * weights[j]
        return table

    return jacobian


# right
def my_jacobian(p):
    return p[:, None] * (np.eye(p.size) - p)


def my_jacobian(p):
    return [[a * ((i == j) - b) for j, b in enumerate(p)] for i, a in enumerate(p)]


def my_jacobian(p):
    return p[:, None] * (np.eye(len(p)) - p)


# named: inner
def my_jacobian(p):
    return np.diag(p) - p @ p


# named: diagonal-not-multiplied
# told: p_i (1 − p_i)
# not told: Row 0
my_jacobian = jacobian_by_loops(lambda p: 1 - p)


# named: entry-by-entry
# told: weights[:, None]
# not told: .T
def my_jacobian(p):
    return p * (np.eye(len(p)) - p)


# unnamed
def my_jacobian(weights):
    return np.squeeze(np.diag(weights) - np.outer(weights, weights))


# named: diagonal-only + sign-turned
def my_jacobian(weights):
    return np.diag(weights * (weights - 1))


# named: half-only
def my_jacobian(weights):
    J = np.zeros((len(weights), len(weights)))
    for i in range(len(weights)):
        for j in range(i, len(weights)):
            J[i, j] = weights[i] * ((i == j) - weights[j])
    return J


# named: two-keys-only
def my_jacobian(weights):
    p = weights[0]
    s = p * (1 - p)
    return np.array([[s, -s], [-s, s]])


# named: sign-turned + empty-diagonal | sign-off-the-diagonal + empty-diagonal
# told: your diagonal holds nothing but 0
# not told: you put p_i²
def my_jacobian(weights):
    n = len(weights)
    J = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            J[i, j] = weights[i] * weights[j]
            J[j, i] = weights[i] * weights[j]
    return J


# named: empty-diagonal
def my_jacobian(weights):
    n = len(weights)
    J = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                J[i, j] = -weights[i] * weights[j]
    return J


def my_jacobian(weights):
    return np.diag(weights**2) - np.outer(weights, weights)


# named: nothing-but-0
# not told: along a row
def my_jacobian(weights):
    w = weights[:, None]
    return (np.eye(len(w)) - w) @ w


def my_jacobian(weights):
    return (np.eye(len(weights)) - weights) @ weights


# named: rounded
def my_jacobian(weights):
    return np.round(np.diag(weights) - np.outer(weights, weights), 2)

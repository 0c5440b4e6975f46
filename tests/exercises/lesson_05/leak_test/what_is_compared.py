"""What learners write in leak-test, and what the check is to say of it: mistakes in what is compared."""

import numpy as np


def rng_free(row):
    return row + np.resize([1.0, -2.0, 4.0], row.shape)


# named: changed-row-too
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before)[: token + 1] > 1e-9).any():
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    changed = x.copy()
    changed[-1] = rng_free(changed[-1])
    return bool((abs(model(changed) - before) > 1e-9).any())


# named: all-outputs
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before) > 1e-9).any():
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if np.abs(after - before).max() > 1e-9:
            return True
    return False


# named: earlier-token
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before)[token + 1 :] > 1e-9).any():
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    changed = x.copy()
    changed[0] = rng_free(changed[0])
    return bool((abs(model(changed) - before)[1:] > 1e-9).any())


# named: exact
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if not np.array_equal(before[:token], after[:token]):
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (before[:token] != after[:token]).any():
            return True
    return False


# named: tolerance-too-wide
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if not np.allclose(before[:token], after[:token]):
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if not np.allclose(before[:token], after[:token], atol=1e-9):
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if not np.isclose(before[:token], after[:token]).all():
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if abs(before[:token] - after[:token]).max() > 1e-6:
            return True
    return False


# named: tolerance-too-wide
# told: Your comparison overlooks small leaks. It allows for more than 1e-9.
# not told: Two things
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before)[:token] > 1e-3).any():
            return True
    return False


# named: no-absolute-value
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (after - before)[:token].max() > 1e-9:
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if np.any(before[:token] - after[:token] > 1e-9):
            return True
    return False


# named: sums-compared
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if abs(after[:token].sum() - before[:token].sum()) > 1e-9:
            return True
    return False


# named: all-entries
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before)[:token] > 1e-9).all():
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if not np.isclose(after[:token], before[:token], rtol=0, atol=1e-9).any():
            return True
    return False


# named: one-column
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before)[:token, 0] > 1e-9).any():
            return True
    return False


def my_leak_test(model, x):
    base = model(x.copy())
    for j in range(1, len(x)):
        y = x.copy()
        y[j] += np.array([3.0, -1, 4, 2, -7, 5, 8, 1])[: x.shape[1]]
        if (np.abs(model(y)[:j, 0] - base[:j, 0]) > 1e-9).any():
            return True
    return False


# named: first-output-only
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before)[0] > 1e-9).any():
            return True
    return False


# named: next-token-only
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before)[token - 1] > 1e-9).any():
            return True
    return False


# named: output-before-left-out
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before)[: token - 1] > 1e-9).any():
            return True
    return False


# named: every-token
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] += np.resize([3, 1, 2], x.shape[1])
        if not (abs(model(changed) - before)[:token] > 1e-9).any():
            return False
    return True


# named: inverted
def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        if (abs(after - before)[:token] > 1e-9).any():
            return False
    return True

"""What learners write in leak-test, and what the check is to say of it: right ones, and those with no mistake that has a name."""

import numpy as np

from helpers.exercises.lesson_05.leak_test import leak_test
from helpers.leaks import leaks
from helpers.masking import causal_mask


def rng_free(row):
    return row + np.resize([1.0, -2.0, 4.0], row.shape)


# right
def my_leak_test(model, x):
    base = model(x.copy())
    for j in range(1, len(x)):
        y = x.copy()
        y[j] += np.resize([3.0, -1.0, 4.0], x.shape[1])
        if (np.abs(model(y)[:j] - base[:j]) > 1e-9).any():
            return True
    return False


def my_leak_test(model, x):
    return bool(leaks(model, x))


def my_leak_test(model, x):
    return len(leaks(model, x)) > 0


def my_leak_test(model, x):
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] += np.resize([1.0, -2.0, 4.0], x.shape[1])
        if np.any(np.abs(model(changed)[:token] - before[:token]) > 1e-9):
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    for i in range(len(x) - 1):  # change everything after output i
        changed = x.copy()
        changed[i + 1 :] = np.random.default_rng(i).normal(size=changed[i + 1 :].shape) * 3
        if not np.allclose(model(changed)[i], before[i], rtol=0, atol=1e-9):
            return True
    return False


def my_leak_test(model, x):
    whole = model(x.copy())
    for n in range(1, len(x)):  # every prefix on its own
        if abs(model(x[:n].copy()) - whole[:n]).max() > 1e-9:
            return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    changes = []
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = 10 * np.random.normal(size=x.shape[1])
        changes.append(abs(model(changed) - before)[:token].max())
    return max(changes) > 1e-9


def my_leak_test(model, x):
    leak = 0
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        leak = leak or int((abs(after - before)[:token] > 1e-9).any())
    return leak


def my_leak_test(model, x):
    def run(tokens):
        return np.array(model(np.array(tokens)), dtype=float)

    n, d = x.shape
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(d):
                changed = [list(row) for row in x]
                changed[j][k] += 2.5
                if abs(run(changed)[i] - run(x)[i]).max() > 1e-9:
                    return True
    return False


def my_leak_test(model, x):
    before = model(x.copy())
    return any(
        np.abs(model(np.vstack([x[:t], rng_free(x[t])[None], x[t + 1 :]])) - before)[:t].max() > 1e-9
        for t in range(1, len(x))
    )


def my_leak_test(model, x):
    before = model(x.copy())
    leak = False
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] = rng_free(changed[token])
        after = model(changed)
        leak |= not np.allclose(before[:token], after[:token], rtol=0, atol=1e-9)
    return leak


# unnamed
def my_leak_test(model, x):
    return bool(np.allclose(model(x.copy()), causal_mask(len(x)) @ x))


def my_leak_test(model, x):
    return len(x) > 2


def my_leak_test(model, x):
    return model(x.copy())[0, 0] > 0


# told: Does every path end in `return`?
def my_leak_test(m, x):
    return True if leak_test(m, x) else None


# told: The result should be True or False
def my_leak_test(m, x):
    return m(x)


# told: `.any()` asks whether some entry is True
def my_leak_test(m, x):
    return 1 if m(x) == m(x) else 0


# told: returned a function, not True or False; a call needs brackets
def my_leak_test(m, x):
    return m


# told: returned a text, not True or False
def my_leak_test(m, x):
    return "True"


# told: with 2 arguments, (model, x), and yours takes (m)
def my_leak_test(m):
    return True


# told: wrong answer on
def my_leak_test(m, x):
    return np.nan

"""What learners write in mask-rule, and what the check is to say of it."""

import numpy as np


# right
def my_rule(batch, head, query, key, text):
    return (text[batch, query] == text[batch, key]) & (query >= key)


def my_rule(batch, head, query, key, text):
    row = text[batch]
    return np.logical_and(row[query] == row[key], key <= query)


def my_rule(batch, head, query, key, text):
    return (text[batch][query] == text[batch][key]) * (key <= query)


# named: causal-only
# told: You let a token attend to the texts before its own, too.
def my_rule(batch, head, query, key, text):
    return key <= query


# named: not-causal
def my_rule(batch, head, query, key, text):
    return text[batch, query] == text[batch, key]


# named: own-token-hidden
# told: You let no token attend to itself.
def my_rule(batch, head, query, key, text):
    return (text[batch, query] == text[batch, key]) & (key < query)


# named: the-future
def my_rule(batch, head, query, key, text):
    return (text[batch, query] == text[batch, key]) & (key >= query)


# named: first-row-for-all
def my_rule(batch, head, query, key, text):
    return (text[0, query] == text[0, key]) & (key <= query)


# named: batch-forgotten
def my_rule(batch, head, query, key, text):
    return (text[query] == text[key]) & (key <= query)


# named: and-before-equals
def my_rule(batch, head, query, key, text):
    return text[batch, query] == text[batch, key] & (key <= query)


# named: either
def my_rule(batch, head, query, key, text):
    return (text[batch, query] == text[batch, key]) | (key <= query)


# named: to-be-added
def my_rule(batch, head, query, key, text):
    allowed = (text[batch, query] == text[batch, key]) & (key <= query)
    return np.where(allowed, 0.0, float("-inf"))


# unnamed
# told: truth value
def my_rule(batch, head, query, key, text):
    return text[batch, query] == text[batch, key] and key <= query


# named: batch-forgotten
def my_rule(batch, head, query, key, text):
    return text[query] == text[key]


# named: and-before-equals
def my_rule(batch, head, query, key, text):
    return (query >= key) & text[batch, query] == text[batch, key]


# named: either + the-future | other-texts + inverted
# told: Either of these would give your results: you joined
def my_rule(batch, head, query, key, text):
    mine = text[batch][query]
    theirs = text[batch][key]
    early = key >= query
    return early | (mine == theirs)


# named: and-before-equals
def my_rule(batch, head, query, key, text):
    return key <= query & (text[batch, query] == text[batch, key])


def my_rule(batch, head, query, key, text):
    return (text[batch, query] == text[batch, key]) & key <= query


def my_rule(batch, head, query, key, text):
    return query >= key & (text[batch, query] == text[batch, key])

"""What learners write in one-query, and what the check is to say of it."""

import numpy as np

from helpers.attention import attention
from helpers.scaling import scale_scores
from helpers.softmax import softmax


# right
def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(len(query))) @ values


def my_one_query(query, keys, values):
    return softmax(query @ keys.T / query.size**0.5) @ values


def my_one_query(query, keys, values):
    return attention(query[None, :], keys, values)[0][0]


def my_one_query(query, keys, values):
    return values.T @ softmax(scale_scores(keys @ query, query.shape[0]))


def my_one_query(query, keys, values):
    output = np.zeros(values.shape[1])
    weights = softmax(keys @ query / np.sqrt(len(query)))
    for weight, value in zip(weights, values):
        output += weight * value
    return output


def my_one_query(query, keys, values):
    scores = np.zeros(len(keys))
    for i in range(len(keys)):
        for d in range(len(query)):
            scores[i] += query[d] * keys[i, d]
    exponentials = np.exp(scores / np.sqrt(len(query)))
    return sum(e * v for e, v in zip(exponentials, values)) / exponentials.sum()


def my_one_query(query, keys, values):
    weights = softmax((keys * query).sum(axis=1) / np.sqrt(len(query)))
    return (weights[:, None] * values).sum(axis=0)


def my_one_query(query, keys, values):
    return list(np.einsum("k,kv->v", softmax(np.dot(keys, query) / np.sqrt(keys.shape[1])), values))


def my_one_query(query, keys, values):
    return np.average(values, axis=0, weights=np.exp(keys @ query / np.sqrt(len(query))))


# named: never-scaled
def my_one_query(query, keys, values):
    return softmax(keys @ query) @ values


# named: divided-by-d_k
def my_one_query(query, keys, values):
    return softmax(keys @ query / len(query)) @ values


# named: multiplied
def my_one_query(query, keys, values):
    return softmax(keys @ query * np.sqrt(len(query))) @ values


# named: root-n_keys
def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(len(keys))) @ values


def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(keys.shape[0])) @ values


# named: root-d_v
def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(values.shape[1])) @ values


# named: always-2
def my_one_query(query, keys, values):
    return softmax(keys @ query / 2) @ values


# named: power-first
def my_one_query(query, keys, values):
    return softmax(keys @ query / len(query) ** 1 / 2) @ values


# named: half-d_k
def my_one_query(query, keys, values):
    return softmax(keys @ query / (len(query) ** 1 / 2)) @ values


# named: keys-and-values-swapped
def my_one_query(query, keys, values):
    return softmax(values @ query / np.sqrt(len(query))) @ keys


# named: keys-mixed
def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(len(query))) @ keys


# named: matched-on-values
def my_one_query(query, keys, values):
    return softmax(values @ query / np.sqrt(len(query))) @ values


# named: weights-returned
def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(len(query)))


# named: no-softmax
def my_one_query(query, keys, values):
    return keys @ query / np.sqrt(len(query)) @ values


# named: not-divided
def my_one_query(query, keys, values):
    exponentials = np.exp(keys @ query / np.sqrt(len(query)))
    return exponentials @ values


# named: no-exponential
def my_one_query(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))
    return (scores / scores.sum()) @ values


# named: not-added-up
def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    return weights[:, None] * values


def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    return [weight * value for weight, value in zip(weights, values)]


# named: added-to-one-number
def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    return np.sum(weights[:, None] * values)


# named: added-along-the-row
def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    return (weights[:, np.newaxis] * values).sum(axis=-1)


# named: last-key-only
def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    for weight, value in zip(weights, values):
        output = weight * value
    return output


# named: first-key-only
def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    output = np.zeros(values.shape[1])
    for i in range(len(keys)):
        output += weights[i] * values[i]
        return output


# named: last-key-left-out
def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    output = np.zeros(values.shape[1])
    for i in range(len(keys) - 1):
        output += weights[i] * values[i]
    return output


# named: first-key-left-out
def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    output = np.zeros(values.shape[1])
    for i in range(1, len(keys)):
        output = output + weights[i] * values[i]
    return output


# named: hard-lookup
def my_one_query(query, keys, values):
    scores = []
    for key in keys:
        scores.append(np.dot(query, key) / np.sqrt(len(query)))
    best = scores.index(max(scores))
    return values[best]


# named: equal-weights
def my_one_query(query, keys, values):
    return values.mean(axis=0)


# named: no-score-for-each-key
def my_one_query(query, keys, values):
    return softmax(query @ keys / np.sqrt(len(query))) @ values


def my_one_query(query, keys, values):
    return softmax(query * keys / np.sqrt(len(query))) @ values


def my_one_query(query, keys, values):
    return softmax(keys.T @ query / np.sqrt(len(query))) @ values


# named: weights-as-row
def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    return weights * values


# named: scaled-after-softmax
def my_one_query(query, keys, values):
    return softmax(keys @ query) @ values / np.sqrt(len(query))


# named: rounded
def my_one_query(query, keys, values):
    return np.round(softmax(keys @ query / np.sqrt(len(query))) @ values, 2)


# named: twice
def my_one_query(query, keys, values):
    return softmax(softmax(keys @ query / np.sqrt(len(query)))) @ values


# named: softmax-last
def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(len(query)) @ values)


# named: whole-numbers-kept
def my_one_query(query, keys, values):
    output = np.zeros_like(values[0])
    weights = softmax(keys @ query / np.sqrt(len(query)))
    for j in range(values.shape[1]):
        output[j] = weights @ values[:, j]
    return output


def my_one_query(query, keys, values):
    weights = softmax(keys @ query / np.sqrt(len(query)))
    output = np.zeros_like(values[0])
    for key in range(len(keys)):
        for entry in range(len(output)):
            output[entry] += weights[key] * values[key][entry]
    return output


# named: sign-turned
def my_one_query(query, keys, values):
    return softmax(-(keys @ query) / np.sqrt(len(query))) @ values


# named: distance
def my_one_query(query, keys, values):
    return softmax(np.linalg.norm(keys - query, axis=1) / np.sqrt(len(query))) @ values


# named: keys-and-values-swapped + never-scaled
def my_one_query(query, keys, values):
    return softmax(values @ query) @ keys


# named: never-scaled + not-divided
def my_one_query(query, keys, values):
    return np.exp(keys @ query) @ values


# named: softmax-of-each-score
def my_one_query(query, keys, values):
    output = np.zeros(values.shape[1])
    for key, value in zip(keys, values):
        weight = softmax(np.array([query @ key / np.sqrt(len(query))]))
        output += weight * value
    return output


# named: negative-distance
def my_one_query(query, keys, values):
    return softmax(-((keys - query) ** 2).sum(1) / np.sqrt(len(query))) @ values


# named: values-first
def my_one_query(query, keys, values):
    return values @ softmax(keys @ query / np.sqrt(len(query)))


# named: weights-rounded
def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(len(query))).round(2) @ values


# unnamed
def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(len(query))) @ values + 1


def my_one_query(query, keys, values):
    return softmax(3 * keys @ query / np.sqrt(len(query))) @ values


# told: returned a tuple of 2 things. Return the one that the task asks for, alone.
def my_one_query(query, keys, values):
    return attention(query[None], keys, values)


# unnamed
def my_one_query(query, keys, values):
    return softmax(keys @ query / np.sqrt(max(len(query), 2))) @ values


def my_one_query(query, keys, values):
    return np.squeeze(softmax(keys @ query / np.sqrt(len(query))) @ values)


def my_one_query(query, keys, values):
    w = softmax(np.squeeze(keys) @ query / np.sqrt(len(query)))
    return w @ values


# named: last-key-left-out
def my_one_query(query, keys, values):
    scores = []
    for i in range(len(keys) - 1):
        scores.append(query @ keys[i] / np.sqrt(len(query)))
    weights = softmax(np.array(scores))
    return weights @ values[:-1]


# right
# told: With a score of 1,000 your function gives no number
def my_one_query(query, keys, values):
    exponentials = np.exp(keys @ query / np.sqrt(len(query)))
    return (exponentials / exponentials.sum()) @ values

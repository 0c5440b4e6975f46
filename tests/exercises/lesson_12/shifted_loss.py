"""What learners write in shifted-loss, and what the check is to say of it."""

import numpy as np

from helpers.softmax import softmax


# right
def my_loss(logits, tokens):
    shares = softmax(logits[:-1])
    return -np.log(shares[np.arange(len(tokens) - 1), tokens[1:]]).mean()


def my_loss(logits, tokens):
    losses = [-np.log(softmax(logits[i])[tokens[i + 1]]) for i in range(len(tokens) - 1)]
    return sum(losses) / len(losses)


def my_loss(logits, tokens):
    logits = logits[:-1] - logits[:-1].max(axis=1, keepdims=True)
    log_shares = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return -np.take_along_axis(log_shares, tokens[1:, None], axis=1).mean()


# named: not-shifted
# not told: Start from
def my_loss(logits, tokens):
    shares = softmax(logits)
    return -np.mean([np.log(row[token]) for row, token in zip(shares, tokens)])


# named: last-row-dropped
def my_loss(logits, tokens):
    shares = softmax(logits[:-1])
    return -np.log(shares[np.arange(len(tokens) - 1), tokens[:-1]]).mean()


# named: rows-all-kept
def my_loss(logits, tokens):
    shares = softmax(logits)
    right = shares[np.arange(len(tokens)), tokens[1:]]
    return -np.log(right).mean()


# named: targets-all-kept
def my_loss(logits, tokens):
    shares = softmax(logits[:-1])
    right = shares[np.arange(len(tokens) - 1), tokens]
    return -np.log(right).mean()


# named: shifted-back
def my_loss(logits, tokens):
    shares = softmax(logits[1:])
    return -np.log(shares[np.arange(len(tokens) - 1), tokens[:-1]]).mean()


# named: rolled-round
def my_loss(logits, tokens):
    shares = softmax(logits)
    return -np.log(shares[np.arange(len(tokens)), np.roll(tokens, -1)]).mean()


# named: added-up
def my_loss(logits, tokens):
    shares = softmax(logits[:-1])
    return -np.log(shares[np.arange(len(tokens) - 1), tokens[1:]]).sum()


# named: loss-for-each-row
def my_loss(logits, tokens):
    shares = softmax(logits[:-1])
    return -np.log(shares[np.arange(len(tokens) - 1), tokens[1:]])


# unnamed
def my_loss(logits, tokens):
    return np.float64(len(tokens) * 17)


# named: softmaxed-twice
def my_loss(logits, tokens):
    shares = softmax(softmax(logits[:-1]))
    return -np.log(shares[np.arange(len(tokens) - 1), tokens[1:]]).mean()


# named: symbol-plus-one
def my_loss(logits, tokens):
    shares = softmax(logits)
    right = shares[np.arange(len(tokens)), (tokens + 1) % shares.shape[-1]]
    return -np.log(right).mean()


# named: shares-averaged
# told: You averaged the shares themselves
def my_loss(logits, tokens):
    p = softmax(logits)
    return (1 - p[np.arange(len(tokens) - 1), tokens[1:]]).mean()


# named: first-loss-dropped
def my_loss(logits, tokens):
    p = softmax(logits)
    return float(np.mean([-np.log(p[i, tokens[i + 1]]) for i in range(1, len(tokens) - 1)]))


# named: perplexity
def my_loss(logits, tokens):
    p = softmax(logits)
    return np.exp(-np.log(p[np.arange(len(tokens) - 1), tokens[1:]]).mean())


# named: not-softmaxed
def my_loss(logits, tokens):
    return -np.mean([logits[i, tokens[i + 1]] for i in range(len(tokens) - 1)])


# named: no-row-max
def my_loss(logits, tokens):
    e = np.exp(logits[:-1])
    shares = e / e.sum(axis=-1, keepdims=True)
    return -np.mean([np.log(row[t]) for row, t in zip(shares, tokens[1:])])


# named: no-row-max
def my_loss(logits, tokens):
    logits = logits[:-1]
    log_shares = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return -np.take_along_axis(log_shares, tokens[1:, None], axis=1).mean()

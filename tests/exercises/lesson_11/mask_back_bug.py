"""What learners write in mask-back-bug, and what the check is to say of it."""

import numpy as np

from helpers import gradients
from helpers.masking import mask_scores
from helpers.softmax import softmax


# right
def my_masked_backward(d_weights, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    return weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))


def my_masked_backward(d_weights, scores, mask):
    return gradients.softmax_backward(d_weights, softmax(mask_scores(scores, mask)))


def my_masked_backward(d_weights, scores, mask):
    weights = softmax(np.where(mask, scores, -np.inf))
    expected = (d_weights * weights).sum(axis=-1, keepdims=True)
    return np.where(mask, weights * (d_weights - expected), 0)


# named: hidden-too-late
def my_masked_backward(d_weights, scores, mask):
    weights = softmax(scores)
    return mask * weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))


# named: weights-zeroed
def my_masked_backward(d_weights, scores, mask):
    weights = softmax(scores) * mask
    return weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))


# named: mask-forgotten
def my_masked_backward(d_weights, scores, mask):
    weights = softmax(scores)
    return weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))


# named: masked-with-0
def my_masked_backward(d_weights, scores, mask):
    weights = softmax(scores * mask)
    return mask * weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))


# named: inverted
def my_masked_backward(d_weights, scores, mask):
    weights = softmax(np.where(mask, -np.inf, scores))
    return ~mask * weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))


# named: no-key-nan
def my_masked_backward(d_weights, scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    exponentials = np.exp(hidden - hidden.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))


# named: minus-infinity-back
def my_masked_backward(d_weights, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))
    return mask_scores(d_scores, mask)

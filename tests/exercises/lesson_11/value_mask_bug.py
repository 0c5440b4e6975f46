"""What learners write in value-mask-bug, and what the check is to say of it."""

import numpy as np

from helpers.masking import mask_scores
from helpers.softmax import softmax


# right
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    return d_values


def my_values_backward(d_output, scores, mask):
    weights = softmax(np.where(mask, scores, -np.inf))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).any(axis=-2)
    return np.where(read[..., None], d_values, 0)


def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    weights = np.where(mask, weights, 0)
    return np.einsum("...qk,...qd->...kd", weights, d_output)


# named: hidden-from-some
# told: your version gives the same results as the function you were given
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    weights = np.where(np.broadcast_to(mask, scores.shape).all(axis=-2, keepdims=True), weights, 0)
    return np.swapaxes(weights, -1, -2) @ d_output


# named: as-the-last-query
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape)[..., -1, :]
    return np.where(read[..., None], d_values, 0)


# named: as-the-first-query
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    return d_values * np.broadcast_to(mask, scores.shape)[..., 0, :][..., None]


# named: where-nothing-is-read
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).any(axis=-2)
    return np.where(read[..., None], 0, d_values)


# named: mask-not-turned
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    return np.where(mask, np.swapaxes(weights, -1, -2), 0) @ d_output


# named: queries-hidden
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    whole = np.broadcast_to(mask, scores.shape).all(axis=-1)
    return np.swapaxes(weights, -1, -2) @ (d_output * whole[..., None])


# named: mask-forgotten
def my_values_backward(d_output, scores, mask):
    weights = softmax(scores)
    return np.swapaxes(weights, -1, -2) @ d_output


# named: weights-zeroed
def my_values_backward(d_output, scores, mask):
    weights = softmax(scores) * mask
    return np.swapaxes(weights, -1, -2) @ d_output


# named: inverted
def my_values_backward(d_output, scores, mask):
    weights = softmax(np.where(mask, -np.inf, scores))
    return np.swapaxes(weights, -1, -2) @ d_output


# named: masked-with-0
def my_values_backward(d_output, scores, mask):
    weights = softmax(scores * mask)
    return np.swapaxes(weights, -1, -2) @ d_output


# named: minus-a-billion
def my_values_backward(d_output, scores, mask):
    weights = softmax(np.where(mask, scores, -1e9))
    return np.swapaxes(weights, -1, -2) @ d_output


# named: no-key-nan
def my_values_backward(d_output, scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    exponentials = np.exp(hidden - hidden.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return np.swapaxes(weights, -1, -2) @ d_output


# named: weights-not-turned
def my_values_backward(d_output, scores, mask):
    return softmax(mask_scores(scores, mask)) @ d_output


# named: unweighted
def my_values_backward(d_output, scores, mask):
    read = np.broadcast_to(mask, scores.shape)
    return np.swapaxes(read, -1, -2).astype(float) @ d_output


# named: mean-over-queries
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    return np.swapaxes(weights, -1, -2) @ d_output / scores.shape[-2]


# named: hidden-from-some + mask-forgotten | hidden-from-some + weights-zeroed
def my_values_backward(d_output, scores, mask):
    weights = softmax(scores)
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).all(axis=-2)
    return np.where(read[..., None], d_values, 0)


# named: along-the-keys
# told: one answer for each query
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).all(axis=-1, keepdims=True)
    return np.where(read, d_values, 0)


def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).any(axis=-1, keepdims=True)
    return np.where(np.swapaxes(read, -1, -2), d_values, 0)


# named: axis-lost
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).any(axis=-2)
    return np.where(read, d_values, 0)


# named: mask-as-it-comes
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    return np.where(mask.any(axis=-2)[..., None], d_values, 0)


# named: where-all-read
# not told: No value that is read
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).all(axis=-2, keepdims=True)
    return np.where(np.swapaxes(read, -1, -2), 0, d_values)


# named: where-nothing-is-read
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask)) * ~np.broadcast_to(mask, scores.shape)
    return np.swapaxes(weights, -1, -2) @ d_output


# named: mean-over-readers
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    readers = np.broadcast_to(mask, scores.shape).sum(axis=-2)
    return np.swapaxes(weights, -1, -2) @ d_output / readers[..., None]


# unnamed
# told: wrong numbers on 1 of 19 inputs
def my_values_backward(d_output, scores, mask):
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).any(axis=-1, keepdims=True)
    return np.where(read, d_values, 0) if read.shape[-2] == d_values.shape[-2] else d_values


# named: mask-on-the-values
def my_values_backward(d_output, scores, mask):
    weights = softmax(scores)
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).any(axis=-2, keepdims=True)
    return np.where(np.swapaxes(read, -1, -2), d_values, 0)

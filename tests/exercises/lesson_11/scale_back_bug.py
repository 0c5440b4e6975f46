"""What learners write in scale-back-bug, and what the check is to say of it."""

import numpy as np

from helpers import gradients
from helpers.attention import attention


# right
def my_attention_backward(d_output, queries, keys, values):
    return gradients.attention_backward(d_output, queries, keys, values)


def my_attention_backward(d_output, queries, keys, values):
    _, weights = attention(queries, keys, values)
    d_weights = d_output @ np.swapaxes(values, -1, -2)
    expected = (d_weights * weights).sum(axis=-1, keepdims=True)
    d_scores = weights * (d_weights - expected) / np.sqrt(keys.shape[-1])
    return d_scores @ keys, np.swapaxes(d_scores, -1, -2) @ queries, np.swapaxes(weights, -1, -2) @ d_output


# named: scale-forgotten
def my_attention_backward(d_output, queries, keys, values):
    _, weights = attention(queries, keys, values)
    d_weights = d_output @ np.swapaxes(values, -1, -2)
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))
    return d_scores @ keys, np.swapaxes(d_scores, -1, -2) @ queries, np.swapaxes(weights, -1, -2) @ d_output


# named: keys-unscaled
def my_attention_backward(d_output, queries, keys, values):
    root = np.sqrt(keys.shape[-1])
    _, weights = attention(queries, keys, values)
    d_weights = d_output @ np.swapaxes(values, -1, -2)
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))
    d_keys = np.swapaxes(d_scores, -1, -2) @ queries
    return d_scores @ keys / root, d_keys, np.swapaxes(weights, -1, -2) @ d_output


# named: scaled-twice
def my_attention_backward(d_output, queries, keys, values):
    root = np.sqrt(keys.shape[-1])
    _, weights = attention(queries, keys, values)
    d_weights = d_output @ np.swapaxes(values, -1, -2)
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))
    d_keys = np.swapaxes(d_scores, -1, -2) @ queries / root
    return d_scores @ keys / root / root, d_keys, np.swapaxes(weights, -1, -2) @ d_output


# named: weights-for-gradient
def my_attention_backward(d_output, queries, keys, values):
    root = np.sqrt(keys.shape[-1])
    _, weights = attention(queries, keys, values)
    d_queries = weights @ keys / root
    d_keys = np.swapaxes(weights, -1, -2) @ queries / root
    return d_queries, d_keys, np.swapaxes(weights, -1, -2) @ d_output


# named: row-sum-forgotten
def my_attention_backward(d_output, queries, keys, values):
    root = np.sqrt(keys.shape[-1])
    _, weights = attention(queries, keys, values)
    d_scores = weights * (d_output @ np.swapaxes(values, -1, -2))
    d_keys = np.swapaxes(d_scores, -1, -2) @ queries / root
    return d_scores @ keys / root, d_keys, np.swapaxes(weights, -1, -2) @ d_output

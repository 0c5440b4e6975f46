"""What learners write in mix-backward, and what the check is to say of it."""

import numpy as np


# right
def my_mix_backward(d_output, weights, values):
    return d_output @ values.swapaxes(-1, -2), weights.swapaxes(-1, -2) @ d_output


def my_mix_backward(d_output, weights, values):
    d_weights = np.einsum("...id,...jd->...ij", d_output, values)
    d_values = np.einsum("...ij,...id->...jd", weights, d_output)
    return d_weights, d_values


def my_mix_backward(d_output, weights, values):
    d_weights = np.zeros(weights.shape)
    d_values = np.zeros(values.shape)
    for query in range(weights.shape[-2]):
        for key in range(weights.shape[-1]):
            d_weights[..., query, key] = (d_output[..., query, :] * values[..., key, :]).sum(axis=-1)
            d_values[..., key, :] += weights[..., query, key, None] * d_output[..., query, :]
    return [d_weights, d_values]


# named: results-swapped
def my_mix_backward(d_output, weights, values):
    return weights.swapaxes(-1, -2) @ d_output, d_output @ values.swapaxes(-1, -2)


# named: all-axes-turned
def my_mix_backward(d_output, weights, values):
    return d_output @ values.T, weights.T @ d_output


# named: weights-not-turned
def my_mix_backward(d_output, weights, values):
    return d_output @ values.swapaxes(-1, -2), weights @ d_output


# named: values-not-turned
def my_mix_backward(d_output, weights, values):
    return d_output @ values, weights.swapaxes(-1, -2) @ d_output


# named: unweighted
def my_mix_backward(d_output, weights, values):
    d_values = d_output.sum(axis=-2, keepdims=True) * np.ones(values.shape)
    return d_output @ values.swapaxes(-1, -2), d_values


# named: weighted-already
def my_mix_backward(d_output, weights, values):
    return weights * (d_output @ values.swapaxes(-1, -2)), weights.swapaxes(-1, -2) @ d_output


# named: mean-over-queries
def my_mix_backward(d_output, weights, values):
    n_queries = weights.shape[-2]
    return d_output @ values.swapaxes(-1, -2), weights.swapaxes(-1, -2) @ d_output / n_queries


# named: row-mean-subtracted
def my_mix_backward(d_output, weights, values):
    d_weights = d_output @ values.swapaxes(-1, -2)
    d_weights = d_weights - (weights * d_weights).sum(-1, keepdims=True)
    return d_weights, weights.swapaxes(-1, -2) @ d_output


# told: d_values
def my_mix_backward(d_output, weights, values):
    return d_output @ values.swapaxes(-1, -2)

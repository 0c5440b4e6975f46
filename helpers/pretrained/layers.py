"""What stands round attention in the models: norms, what opens and closes a gate, heads that share keys."""

import math

import numpy as np

from helpers.validation import Array

_erf = np.frompyfunc(math.erf, 1, 1)  # NumPy has no error function of its own


def rms_norm(x: Array, weight: Array, epsilon: float) -> Array:
    """(..., n, d), (d,) -> (..., n, d): each row divided by its root mean square, times weight.

    `epsilon` is added to the mean of the squares, so that a row of zeros stays one.
    Source: Zhang and Sennrich 2019, "Root Mean Square Layer Normalization", eq. 4.
    """
    mean_square = (x**2).mean(axis=-1, keepdims=True)
    return x / np.sqrt(mean_square + x.dtype.type(epsilon)) * weight


def layer_norm(x: Array, weight: Array, bias: Array, epsilon: float) -> Array:
    """(..., n, d), (d,), (d,) -> (..., n, d): each row with mean 0 and variance 1, times weight, plus bias.

    Source: Ba et al. 2016, "Layer Normalization", eq. 4.
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + x.dtype.type(epsilon)) * weight + bias


def swiglu(gate: Array, up: Array) -> Array:
    """(..., n, d), (..., n, d) -> (..., n, d): each number of `up`, times what its gate lets through.

    The gate g lets through g / (1 + e^−g): nearly all of a large g, nearly nothing of a negative one.
    Source: Shazeer 2020, "GLU Variants Improve Transformer", eq. 6.
    """
    with np.errstate(over="ignore"):  # e^−g of a very negative gate is inf, and the gate then shut: −0
        return gate / (1 + np.exp(-gate)) * up


def gelu(x: Array) -> Array:
    """(...) -> (...): each number times the share of a normal distribution that lies below it.

    Source: Hendrycks and Gimpel 2016, "Gaussian Error Linear Units", section 2.
    """
    below = (1 + np.asarray(_erf(x / math.sqrt(2)), x.dtype)) / 2
    return x * below


def share_heads(heads: Array, n_heads: int) -> Array:
    """(..., n_kv_heads, n, d), n_heads -> (..., n_heads, n, d): a run of query heads shares one head.

    Head h reads number h // (n_heads // n_kv_heads), as in grouped_query_attention. Here it is copied, so
    that any attention will do.
    Source: Ainslie et al. 2023, "GQA: Training Generalized Multi-Query Transformer Models", section 2.2.
    """
    return np.repeat(heads, n_heads // heads.shape[-3], axis=-3)

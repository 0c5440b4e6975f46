"""Which query may attend to which key? Masks of True and False, and scores in, masked scores out (lesson 05).

True = may attend, as in PyTorch's `scaled_dot_product_attention` (`nn.MultiheadAttention` says the opposite).
Row convention: row i of a mask belongs to query i, column j to key j. Masks are combined with `&`.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from helpers.validation import Array, as_floats, require_count

Mask = NDArray[np.bool_]


def causal_mask(n_queries: int, n_keys: int | None = None) -> Mask:
    """n_queries, n_keys -> (n_queries, n_keys): True where key j is not later than query i.

    Without n_keys there are as many keys as queries, and the lower triangle is True. Otherwise the queries
    are the *last* n_queries of n_keys tokens: the last query sees every key, and the triangle is aligned to
    the lower right. Where there are more queries than keys, the first ones see nothing.
    Raises TypeError unless the counts are whole numbers, ValueError where one is negative.
    """
    n_queries = require_count("n_queries", n_queries, least=0)
    n_keys = n_queries if n_keys is None else require_count("n_keys", n_keys, least=0)
    positions_of_queries = np.arange(n_queries)[:, None] + (n_keys - n_queries)
    return np.arange(n_keys) <= positions_of_queries


def padding_mask(lengths: ArrayLike, n_keys: int) -> Mask:
    """(...), n_keys -> (..., 1, n_keys): True for the first `length` keys of each sequence, the real ones.

    The axis of 1 is that of the queries: every query may attend to the same keys.
    Raises TypeError unless the lengths are whole numbers, ValueError unless they lie from 0 to n_keys.
    """
    n_keys = require_count("n_keys", n_keys, least=0)
    lengths = np.asarray(lengths)
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"lengths must be whole numbers, one for each sequence; got dtype {lengths.dtype}")
    if lengths.size and (lengths.min() < 0 or lengths.max() > n_keys):
        raise ValueError(
            f"lengths must lie from 0 to n_keys = {n_keys}; got {lengths.min()} to {lengths.max()}"
        )
    return np.arange(n_keys) < lengths[..., None, None]


def mask_scores(scores: ArrayLike, mask: ArrayLike | None) -> Array:
    """(..., n_queries, n_keys), a mask that broadcasts to it -> the same shape: −inf where the mask is False.

    softmax then gives those keys weight exactly 0. None leaves the scores as they are. float16, float32 and
    float64 are kept. What a forbidden score was does not matter: it may be NaN or inf.
    Raises TypeError unless the mask holds True and False, ValueError where its shape does not broadcast.
    """
    scores = as_floats("scores", scores)
    if mask is None:
        return scores
    mask = np.asarray(mask)
    if mask.dtype != np.bool_:
        raise TypeError(f"mask must hold True (may attend) and False (may not); got dtype {mask.dtype}")
    try:
        fits = np.broadcast_shapes(mask.shape, scores.shape) == scores.shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"mask must broadcast to the scores, (..., n_queries, n_keys) = {scores.shape}; got {mask.shape}"
        )
    return np.where(mask, scores, scores.dtype.type(-np.inf))

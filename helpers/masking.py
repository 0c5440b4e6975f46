"""Which query may attend to which key? Masks of True and False, and scores in, masked scores out (lesson 05).

True = may attend, as in PyTorch's `scaled_dot_product_attention` (`nn.MultiheadAttention` says the opposite).
Row convention: row i of a mask belongs to query i, column j to key j. Masks are combined with `&`.
"""

import numpy as np

from helpers import inputs
from helpers.door import checked_by
from helpers.validation import Array
from helpers.validation import Mask as Mask


@checked_by(inputs.causal_mask)
def causal_mask(n_queries: int, n_keys: int | None = None) -> Mask:
    """n_queries, n_keys -> (n_queries, n_keys): True where key j is not later than query i.

    Without n_keys there are as many keys as queries, and the lower triangle is True. Otherwise the queries
    are the *last* n_queries of n_keys tokens: the last query sees every key, and the triangle is aligned to
    the lower right. Where there are more queries than keys, the first ones see nothing.
    Raises TypeError unless the counts are whole numbers, ValueError where one is negative.
    """
    n_keys = n_queries if n_keys is None else n_keys
    positions_of_queries = np.arange(n_queries)[:, None] + (n_keys - n_queries)
    return np.arange(n_keys) <= positions_of_queries


@checked_by(inputs.padding_mask)
def padding_mask(lengths: Array, n_keys: int) -> Mask:
    """(...), n_keys -> (..., 1, n_keys): True for the first `length` keys of each sequence, the real ones.

    The axis of 1 is that of the queries: every query may attend to the same keys.
    Raises TypeError unless the lengths are whole numbers, ValueError unless they lie from 0 to n_keys.
    """
    return np.arange(n_keys) < lengths[..., None, None]


@checked_by(inputs.mask_scores)
def mask_scores(scores: Array, mask: Mask | None) -> Array:
    """(..., n_queries, n_keys), a mask that broadcasts to it -> the same shape: −inf where the mask is False.

    softmax then gives those keys weight exactly 0. None leaves the scores as they are. float16, float32 and
    float64 are kept. What a forbidden score was does not matter: it may be NaN or inf.
    Raises TypeError unless the mask holds True and False, ValueError where its shape does not broadcast.
    """
    if mask is None:
        return scores
    return np.where(mask, scores, scores.dtype.type(-np.inf))

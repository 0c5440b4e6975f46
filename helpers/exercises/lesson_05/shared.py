"""What several exercises of lesson 05 use: sections to reread, masks, mistakes in making them."""

from typing import Any

import numpy as np

from helpers.masking import Mask
from helpers.scaling import scale_scores
from helpers.validation import Array

LEAK = "05: The leak test"


def unchanged(mask: Mask) -> Any:
    return mask


def to_add(mask: Mask) -> Array:
    return np.where(mask, 0.0, -np.inf)


def by_root_d_k(scores: Array, queries: Array, keys: Array) -> Array:
    return scale_scores(scores, queries.shape[-1])


def minus_infinity(scores: Array, mask: Mask) -> Array:
    return np.where(mask, scores, -np.inf)


def keep(weights: Array, _mask: Mask) -> Array:
    return weights

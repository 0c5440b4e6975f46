"""Why divide by the square root of d_k? Scores in, scores of spread about 1 out (lesson 02)."""

import math

from helpers import inputs
from helpers.door import checked_by
from helpers.validation import Array


@checked_by(inputs.scale_scores)
def scale_scores(scores: Array, d_k: int) -> Array:
    """(..., n_queries, n_keys), d_k -> (..., n_queries, n_keys): scores / √d_k.

    d_k is the number of entries in each query and key. A dot product of d_k terms of variance 1 has
    variance d_k, so its spread is √d_k; after this division it is 1, whatever d_k. Any shape is kept.
    Raises ValueError unless d_k is at least 1, TypeError unless it is a whole number.
    Source: Vaswani et al. 2017, section 3.2.1, eq. 1 and footnote 4.
    """
    return scores / math.sqrt(d_k)  # math's plain float keeps float16 and float32; NumPy's would not

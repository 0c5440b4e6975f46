"""How does a word gather meaning from the others? Queries, keys, values in, their mixture out (lesson 04).

The course in five steps: score, scale, mask, softmax, mix. Lesson 04 uses no mask, lesson 05 opens it.
"""

from helpers import inputs
from helpers.door import checked_by
from helpers.masking import mask_scores
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array, Mask


@checked_by(inputs.attention)
def attention(queries: Array, keys: Array, values: Array, mask: Mask | None = None) -> tuple[Array, Array]:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output (..., n_queries, d_v), weights.

    weights (..., n_queries, n_keys): row i is how query i shares 1 among the keys. Row i of the output is
    the values mixed by it. `mask` is True where a query may attend to a key, and broadcasts to the weights.
    A query that may attend to nothing gets zero weights and a zero output.
    Raises ValueError where shapes do not fit, where a score that is not masked is NaN or +inf, or where a
    value is NaN or infinite (0 times it would be NaN, and hidden values would leak); TypeError for anything
    but real numbers, or a mask that is not of True and False.
    Source: Vaswani et al. 2017, section 3.2.1, eq. 1.
    """
    d_k = queries.shape[-1]
    scores = scale_scores(dot_product_scores(queries, keys), d_k)
    weights = softmax(mask_scores(scores, mask))
    return weights @ values, weights

"""How does one sequence read another? Queries from here, keys and values from there (lesson 07)."""

from numpy.typing import ArrayLike

from helpers.multi_head import Projections, attend_in_heads, project
from helpers.validation import Array


def cross_attention(
    x: ArrayLike,
    context: ArrayLike,
    projections: Projections,
    n_heads: int = 1,
    mask: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """(..., n_queries, d_model), (..., n_keys, d_context) -> output (..., n_queries, d_out), weights.

    weights (..., n_heads, n_queries, n_keys). The queries come from x, the sequence that is being written;
    keys and values come from context, the sequence that is being read. One output for each query. `mask`
    (..., n_queries, n_keys), or (..., 1, n_keys) for the padding of the context, is True where a query may
    attend. With context = x this is multi_head_attention.
    Raises ValueError where shapes do not fit, and as attention does; TypeError for anything but real numbers.
    Source: Vaswani et al. 2017, section 3.2.3, "encoder-decoder attention".
    """
    queries = project("x", x, "w_q", projections.w_q, projections.b_q)
    keys = project("context", context, "w_k", projections.w_k, projections.b_k)
    values = project("context", context, "w_v", projections.w_v, projections.b_v)
    merged, weights = attend_in_heads(queries, keys, values, n_heads, mask)
    return project("the merged heads", merged, "w_o", projections.w_o, projections.b_o), weights

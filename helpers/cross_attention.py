"""How does one sequence read another? Queries from here, keys and values from there (lesson 07)."""

from helpers import inputs
from helpers.door import checked_by
from helpers.heads import attend_in_heads
from helpers.validation import Array, Mask


@checked_by(inputs.cross_attention)
def cross_attention(
    x: Array, context: Array, projections: tuple[Array, ...], n_heads: int = 1, mask: Mask | None = None
) -> tuple[Array, Array]:
    """(..., n_queries, d_model), (..., n_keys, d_context) -> output (..., n_queries, d_out), weights.

    weights (..., n_heads, n_queries, n_keys). The queries come from x, the sequence that is being written;
    keys and values come from context, the sequence that is being read. One output for each query. `mask`
    (..., n_queries, n_keys), or (..., 1, n_keys) for the padding of the context, is True where a query may
    attend. With context = x this is multi_head_attention.
    Raises ValueError where shapes do not fit, and as attention does; TypeError for anything but real numbers.
    Source: Vaswani et al. 2017, section 3.2.3, "encoder-decoder attention".
    """
    w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o = projections
    queries = x @ w_q + b_q
    keys = context @ w_k + b_k
    values = context @ w_v + b_v
    merged, weights = attend_in_heads(queries, keys, values, n_heads, mask)
    return merged @ w_o + b_o, weights

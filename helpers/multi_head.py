"""Why look in several ways at once? Split, attend, merge, W_O (lesson 06).

The steps are those of helpers.heads, which lesson 07 uses as well; they can be had from here, too.
"""

from helpers import inputs
from helpers.cross_attention import cross_attention
from helpers.door import checked_by
from helpers.heads import attend_in_heads, merge_heads, project, split_heads
from helpers.inputs import Projections
from helpers.validation import Array, Mask

__all__ = [
    "Projections",
    "attend_in_heads",
    "merge_heads",
    "multi_head_attention",
    "project",
    "split_heads",
    "value_maps",
]


@checked_by(inputs.multi_head_attention)
def multi_head_attention(
    x: Array, projections: Projections, n_heads: int, mask: Mask | None = None
) -> tuple[Array, Array]:
    """(..., n, d_model) -> output (..., n, d_out), weights (..., n_heads, n, n).

    Each head has queries, keys and values of its own, cut out of x @ w_q, x @ w_k, x @ w_v: a sequence that
    reads itself. `mask` (..., n, n) is True where a token may attend to another, in every head.
    Raises ValueError where shapes do not fit, and as attention does; TypeError for anything but real numbers.
    Source: Vaswani et al. 2017, section 3.2.2.
    """
    return cross_attention(x, x, projections, n_heads, mask)


@checked_by(inputs.value_maps)
def value_maps(w_v: Array, w_o: Array, n_heads: int) -> Array:
    """(d_model, n_heads·d_v), (n_heads·d_v, d_out) -> (n_heads, d_model, d_out): value-down @ value-up.

    Head h adds weights_h @ x @ value_maps[h] to the output: what it reads of a token, and where it writes it.
    The rank of each is at most d_v. Raises ValueError where shapes do not fit, TypeError for anything but
    real numbers.
    Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits" (there W_OV).
    """
    down = split_heads(w_v, n_heads)
    up = w_o.reshape(n_heads, -1, w_o.shape[1])
    return down @ up

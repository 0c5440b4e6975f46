"""How does the error flow back through attention? One function a step, each a few products (lesson 11).

A gradient has the shape of what it belongs to: entry (i, j) of d_keys is how much the loss changes for each
unit by which entry (i, j) of the keys changes. Every function takes the gradient of its output first and
gives the gradients of its inputs: a vector–Jacobian product, without the Jacobian matrix.
"""

from typing import NamedTuple

import numpy as np

from helpers import inputs, inputs_of_streaming
from helpers.attention import attention
from helpers.door import checked_by
from helpers.heads import attend_in_heads, merge_heads, split_heads
from helpers.inputs import Projections
from helpers.inputs_of_streaming import TILE_KEYS, TILE_QUERIES
from helpers.precision import less, rounded_to, working_dtype
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.streaming import tile_kinds
from helpers.validation import Array, Mask

Tile = tuple[slice, slice, Mask]  # its rows, its columns, and True where a pair is allowed


class AttentionGradients(NamedTuple):
    """What the loss asks of queries, keys and values, each in the shape of its array."""

    queries: Array
    keys: Array
    values: Array


@checked_by(inputs.softmax_backward)
def softmax_backward(d_weights: Array, weights: Array) -> Array:
    """Two of (..., n_queries, n_keys), the gradient and the weights -> d_scores of the same shape.

    P ∘ (dP − rowsum(dP ∘ P)): the Jacobian diag(p) − ppᵀ times dP, row by row, without the Jacobian. A score
    of −inf, whose weight is 0, gets 0, and so does every score of a query without a key.
    Raises ValueError where the shapes differ, for a gradient that is not finite, or where weights are none;
    TypeError for anything but real numbers.
    Source: Bridle 1990; in this form Dao et al. 2022, "FlashAttention", appendix B.2.
    """
    expected = (d_weights * weights).sum(axis=-1, keepdims=True)
    return weights * (d_weights - expected)


@checked_by(inputs.attention_backward)
def attention_backward(
    d_output: Array, queries: Array, keys: Array, values: Array, mask: Mask | None = None
) -> AttentionGradients:
    """(..., n_queries, d_v), then what attention takes -> the gradients of queries, keys and values.

    Five products, three more than attention: the weights are made again, then
    dV = Pᵀ dO, dP = dO Vᵀ, dS = softmax_backward(dP, P), dQ = dS K / √d_k, dK = dSᵀ Q / √d_k.
    A key that no query may attend to gets 0, and so does a query without a key. Where an array was shared
    (a leading axis of 1, or one that was not there), its gradient is the sum over all that used it.
    float32 and float64 are kept; float16 is worked in float32.
    Raises as attention does, and ValueError unless d_output is finite and has the shape of the output.
    Source: Dao et al. 2022, "FlashAttention", appendix B.2.
    """
    given = queries, keys, values
    queries, keys, values = (part.astype(working_dtype(part)) for part in given)
    _, weights = attention(queries, keys, values, mask)
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    d_weights = dot_product_scores(d_output, values)
    d_scores = scale_scores(softmax_backward(d_weights, weights), keys.shape[-1])
    d_queries, d_keys = d_scores @ keys, np.swapaxes(d_scores, -1, -2) @ queries
    return _like(given, d_queries, d_keys, d_values)


@checked_by(inputs.project_backward)
def project_backward(d_projected: Array, rows: Array, w: Array) -> tuple[Array, Array, Array]:
    """(..., n, d_out), (..., n, d_in), (d_in, d_out) -> d_rows, d_w (d_in, d_out), d_bias (d_out,).

    For rows @ w + bias. Every row of every sequence used the same matrix: d_w is the sum over all of them.
    Raises ValueError where shapes do not fit or a number is not finite, TypeError for anything but real
    numbers.
    """
    d_rows = d_projected @ w.T
    d_w = _flat(rows).T @ _flat(d_projected)
    return d_rows, d_w, _flat(d_projected).sum(axis=0)


@checked_by(inputs.cross_attention_backward)
def cross_attention_backward(
    d_output: Array,
    x: Array,
    context: Array,
    projections: tuple[Array, ...],
    n_heads: int = 1,
    mask: Mask | None = None,
) -> tuple[Array, Array, Projections]:
    """(..., n_queries, d_out), then what cross_attention takes -> d_x, d_context, those of the projections.

    Backwards through its four lines: W_O, then merge and attention in heads, then W_Q, W_K and W_V. The keys
    and the values both come from context, so that d_context is the sum of what comes back through both. The
    gradients of the biases are there whether biases were given or not.
    Raises as cross_attention does, and ValueError unless d_output is finite and has the shape of the output.
    Source: the chain rule, for Vaswani et al. 2017, section 3.2.2.
    """
    w_q, w_k, w_v, w_o, b_q, b_k, b_v, _ = projections
    queries, keys, values = x @ w_q + b_q, context @ w_k + b_k, context @ w_v + b_v
    merged, _ = attend_in_heads(queries, keys, values, n_heads, mask)
    d_merged, d_w_o, d_b_o = project_backward(d_output, merged, w_o)
    every_head = mask if mask is None or mask.ndim < 3 else mask[..., None, :, :]
    d_heads, q, k, v = (split_heads(rows, n_heads) for rows in (d_merged, queries, keys, values))
    d_queries, d_keys, d_values = map(merge_heads, attention_backward(d_heads, q, k, v, every_head))
    d_x, d_w_q, d_b_q = project_backward(d_queries, x, w_q)
    d_context, d_w_k, d_b_k = project_backward(d_keys, context, w_k)
    d_context_too, d_w_v, d_b_v = project_backward(d_values, context, w_v)
    gradients = Projections(d_w_q, d_w_k, d_w_v, d_w_o, d_b_q, d_b_k, d_b_v, d_b_o)
    return d_x, d_context + d_context_too, gradients


@checked_by(inputs.multi_head_attention_backward)
def multi_head_attention_backward(
    d_output: Array, x: Array, projections: Projections, n_heads: int, mask: Mask | None = None
) -> tuple[Array, Projections]:
    """(..., n, d_out), then what multi_head_attention takes -> d_x, those of the projections.

    A token is read three times, as query, as key and as value, and its gradient is the sum of all three.
    Raises as cross_attention_backward does.
    """
    d_x, d_context, gradients = cross_attention_backward(d_output, x, x, projections, n_heads, mask)
    return d_x + d_context, gradients


@checked_by(inputs_of_streaming.blocked_attention_backward)
def blocked_attention_backward(
    d_output: Array,
    queries: Array,
    keys: Array,
    values: Array,
    output: Array,
    log_sum_exp: Array,
    mask: Mask | None = None,
    *,
    causal: bool = False,
    tile_queries: int = TILE_QUERIES,
    tile_keys: int = TILE_KEYS,
) -> AttentionGradients:
    """d_output, queries, keys, values, and what blocked_attention gave -> their gradients, a tile at a time.

    The weights of a tile are e^(score − log_sum_exp): the row's sum is known, so that each tile is made again
    by itself. And rowsum(dP ∘ P), which would need whole rows, is rowsum(dO ∘ O). No n × n matrix is held.
    `mask` and `causal` as in blocked_attention; tiles that are hidden as a whole are skipped.
    Raises as blocked_attention does, and ValueError unless output, d_output (..., n_queries, d_v) and
    log_sum_exp (..., n_queries) fit one another and d_output is finite.
    Source: Dao et al. 2022, "FlashAttention", algorithm 4; Dao 2023, "FlashAttention-2", algorithm 2.
    """
    tiles = _tiles(queries.shape[-2], keys.shape[-2], causal, tile_queries, tile_keys)
    given = queries, keys, values
    stack = output.shape[:-2]
    whole = [np.broadcast_to(part, stack + part.shape[-2:]) for part in (d_output, *given)]
    working = np.result_type(*map(working_dtype, whole))
    found = [np.zeros(part.shape, working) for part in whole[1:]]
    expected = (d_output.astype(working) * output).sum(axis=-1, keepdims=True)  # rowsum(dP ∘ P), too
    log_sums = log_sum_exp[..., None].astype(working)  # −inf where a row has no key, and is all hidden
    whole_mask = None if mask is None else np.broadcast_to(mask, (*stack, queries.shape[-2], keys.shape[-2]))
    for place in np.ndindex(stack):  # one sequence and one head after the other
        one = [part[place].astype(working) for part in whole]
        sums = [part[place] for part in found]
        for rows, columns, seen in tiles:
            if whole_mask is not None:
                seen = seen & whole_mask[place][rows, columns]
            row_facts = log_sums[place][rows], expected[place][rows]
            _add_tile(sums, one, row_facts, rows, columns, seen)
    return _like(given, *found)


def _add_tile(
    sums: list[Array],
    parts: list[Array],
    row_facts: tuple[Array, Array],
    rows: slice,
    columns: slice,
    seen: Mask,
) -> None:
    """What one tile adds to the three gradients. row_facts: log-sum-exp and rowsum(dO ∘ O) of its rows."""
    d_output, queries, keys, values = parts
    log_sum_exp, expected = row_facts
    scores = scale_scores(queries[rows] @ keys[columns].T, keys.shape[-1])
    weights = np.exp(np.where(seen, less(scores, log_sum_exp), -np.inf))
    d_weights = d_output[rows] @ values[columns].T
    d_scores = scale_scores(weights * (d_weights - expected), keys.shape[-1])
    sums[0][rows] += d_scores @ keys[columns]
    sums[1][columns] += d_scores.T @ queries[rows]
    sums[2][columns] += weights.T @ d_output[rows]


def _tiles(n_queries: int, n_keys: int, causal: bool, tile_queries: int, tile_keys: int) -> list[Tile]:
    """The tiles of which at least one pair is allowed."""
    kinds = tile_kinds(n_queries, n_keys, causal=causal, tile_queries=tile_queries, tile_keys=tile_keys)
    found = []
    for i, j in np.argwhere(kinds > 0).tolist():
        rows = slice(i * tile_queries, min((i + 1) * tile_queries, n_queries))
        columns = slice(j * tile_keys, min((j + 1) * tile_keys, n_keys))
        seen = np.ones((1, 1), dtype=bool)
        if kinds[i, j] == 1:  # on the diagonal: a key may be as late as its query, which is one of the last
            places = np.arange(rows.start, rows.stop) + (n_keys - n_queries)
            seen = np.arange(columns.start, columns.stop) <= places[:, None]
        found.append((rows, columns, seen))
    return found


def _flat(rows: Array) -> Array:
    """(..., n, d) -> (all rows, d)."""
    return rows.reshape(-1, rows.shape[-1])


def _like(given: tuple[Array, ...], *gradients: Array) -> AttentionGradients:
    """Arrays, their gradients -> the gradients in the shapes and dtypes of the arrays."""
    queries, keys, values = (
        rounded_to(_summed_to(part.shape, d), part) for d, part in zip(gradients, given, strict=True)
    )
    return AttentionGradients(queries, keys, values)


def _summed_to(shape: tuple[int, ...], gradient: Array) -> Array:
    """A shape, the gradient of what it was broadcast to -> its sum over the axes that were shared."""
    extra = gradient.ndim - len(shape)
    shared = [axis for axis in range(extra, gradient.ndim) if shape[axis - extra] != gradient.shape[axis]]
    return gradient.sum(axis=(*range(extra), *shared)).reshape(shape)

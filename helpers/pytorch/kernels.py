"""How is attention computed without the n × n matrix, on a GPU? Three Triton kernels (lesson 13).

The derivation of helpers.streaming, each tile of queries by a program of its own. `forward_kernel` folds the
keys in, tile by tile, with a running maximum and a running sum. `grad_queries_kernel` and `grad_keys_kernel`
make each tile of weights once more, from the scores and log_sum_exp, instead of reading n × n stored ones.
`tiled_attention` runs all three, so that it trains.

Triton has wheels for Linux only. This module can be imported everywhere, and `why_not` says what is missing.
Without a GPU, Triton's interpreter runs the same lines in NumPy, slowly (TRITON_INTERPRET=1).
Source: Dao 2023, "FlashAttention-2", algorithms 1 and 2; Milakov and Gimelshein 2018 for the running sum.
"""

from __future__ import annotations  # where Triton is missing, nobody looks up tl.constexpr

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from helpers.pytorch.validation import require_fitting

try:
    import triton
    import triton.language as tl

    MISSING = ""
    _jit = triton.jit
except ImportError as error:
    MISSING = f"Triton cannot be imported ({error}). It has wheels for Linux, and none for macOS and Windows"

    def _jit(function: Any) -> Any:
        return function


DTYPES = (torch.float16, torch.bfloat16, torch.float32)
WIDTHS = (16, 32, 64, 128)  # for d_k and d_v: the sides of a tile are powers of two, and at least 16


class Tiles(NamedTuple):
    """How a kernel cuts its work: rows in a tile, and what the GPU gives to one tile.

    `queries` and `keys` are powers of two, at least 16. `warps` (of 32 threads) share a tile; while one tile
    is computed, `stages` − 1 more are on their way from memory.
    """

    queries: int
    keys: int
    warps: int = 4
    stages: int = 2


# --- one program, one tile ----------------------------------------------------------------------------------


@_jit
def _my_tile(n_rows, n_heads, tile: tl.constexpr):
    """-> which batch and which head this program works on, and which of its tiles."""
    n_tiles = tl.cdiv(n_rows, tile)
    stack = tl.cast(tl.program_id(0) // n_tiles, tl.int64)  # batch × stride can pass 2^31
    return stack // n_heads, stack % n_heads, tl.program_id(0) % n_tiles


@_jit
def _of_head(start, strides, batch, head):
    """-> where the rows of this head begin."""
    return start + batch * strides[0] + head * strides[1]


@_jit
def _places(start, stride, first_row, tile: tl.constexpr, width: tl.constexpr):
    """-> (tile, width): where each number of these rows lies. A row lies in one piece."""
    top = start + tl.cast(first_row, tl.int64) * stride
    return top + tl.arange(0, tile)[:, None] * stride + tl.arange(0, width)[None, :]


@_jit
def _load_rows(start, stride, first_row, n_rows, tile: tl.constexpr, width: tl.constexpr):
    """-> (tile, width): a tile of rows, with zeros where it hangs over the last one."""
    is_there = first_row + tl.arange(0, tile) < n_rows
    return tl.load(_places(start, stride, first_row, tile, width), mask=is_there[:, None], other=0.0)


@_jit
def _store_rows(start, stride, first_row, n_rows, rows, tile: tl.constexpr, width: tl.constexpr):
    """Write a tile of rows, but not those that hang over the last one."""
    is_there = first_row + tl.arange(0, tile) < n_rows
    places = _places(start, stride, first_row, tile, width)
    tl.store(places, rows.to(start.dtype.element_ty), mask=is_there[:, None])


@_jit
def _load_numbers(start, first_row, n_rows, tile: tl.constexpr):
    """-> (tile,): one number a row, with zeros where the tile hangs over."""
    row = first_row + tl.arange(0, tile)
    return tl.load(start + row, mask=row < n_rows, other=0.0)


@_jit
def _may_attend(query, key, n_queries, n_keys, causal: tl.constexpr):
    """Places of queries and of keys -> True where the key is there and, if causal, not in the future."""
    allowed = key < n_keys
    if causal:
        allowed = allowed & (key <= query + (n_keys - n_queries))  # aligned to the lower right
    return allowed


@_jit
def _keys_seen(first_query, n_queries, n_keys, causal: tl.constexpr, tile: tl.constexpr):
    """-> how many keys every query of a tile may see, and how many its last one may."""
    if causal:
        by_first = first_query + (n_keys - n_queries) + 1
        by_all = tl.minimum(tl.maximum(by_first, 0), n_keys)
        by_last = tl.minimum(tl.maximum(by_first + tile - 1, 0), n_keys)
    else:
        by_all = n_keys
        by_last = n_keys
    return by_all, by_last


@_jit
def _first_queries(first_key, n_queries, n_keys, causal: tl.constexpr, tile: tl.constexpr):
    """-> the first query that may see the first key of a tile, and the first that may see every key of it."""
    if causal:
        of_first = first_key - (n_keys - n_queries)
        of_all = tl.minimum(tl.maximum(of_first + tile - 1, 0), n_queries)
        of_first = tl.minimum(tl.maximum(of_first, 0), n_queries)
    else:
        of_first = 0
        of_all = 0
    # Over the edge there are keys that nobody sees: they would overflow, unmasked.
    return of_first, tl.where(first_key + tile > n_keys, n_queries, of_all)


@_jit
def _finite(exponent):
    """-> the same, with 0 for −inf: −inf − −inf would be NaN, and e^(−inf − 0) is the 0 that is wanted."""
    return tl.where(exponent == float("-inf"), 0.0, exponent)


# --- the kernels --------------------------------------------------------------------------------------------
# A GPU has an instruction for 2^x and none for e^x. e^x = 2^(x log2 e), so every exponent inside a kernel is
# counted in twos: log2 e is part of the scale. Scores and sums are float32 whatever the dtype of the inputs;
# what a product takes is rounded to that dtype, because the GPU's fast units multiply in it.


@_jit
def forward_kernel(
    queries,
    query_strides,
    keys,
    key_strides,
    values,
    value_strides,
    output,
    output_strides,
    log_sum_exp,
    n_heads,
    n_queries,
    n_keys,
    scale,
    log2_e: tl.constexpr,
    causal: tl.constexpr,
    d_k: tl.constexpr,
    d_v: tl.constexpr,
    tile_queries: tl.constexpr,
    tile_keys: tl.constexpr,
    precision: tl.constexpr,
):
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v) of a head -> a tile of its output and log_sum_exp."""
    batch, head, tile = _my_tile(n_queries, n_heads, tile_queries)
    # Where causal, the last tile sees the most keys. It starts first, so that no long one is left at the end.
    first_query = (tl.cdiv(n_queries, tile_queries) - 1 - tile) * tile_queries
    queries = _of_head(queries, query_strides, batch, head)
    keys = _of_head(keys, key_strides, batch, head)
    values = _of_head(values, value_strides, batch, head)
    output = _of_head(output, output_strides, batch, head)
    log_sum_exp += (batch * n_heads + head) * n_queries

    query = first_query + tl.arange(0, tile_queries)
    query_tile = _load_rows(queries, query_strides[2], first_query, n_queries, tile_queries, d_k)
    running_max = tl.full((tile_queries,), float("-inf"), tl.float32)
    running_sum = tl.zeros((tile_queries,), tl.float32)
    weighted_sum = tl.zeros((tile_queries, d_v), tl.float32)

    # First the tiles that are seen in full, then those on the diagonal or over the edge, with a mask. Tiles
    # that lie in the future as a whole are not even loaded.
    by_all, by_last = _keys_seen(first_query, n_queries, n_keys, causal, tile_queries)
    in_full = by_all // tile_keys * tile_keys
    for masked in tl.static_range(2):
        for first_key in range(in_full if masked else 0, by_last if masked else in_full, tile_keys):
            key_tile = _load_rows(keys, key_strides[2], first_key, n_keys, tile_keys, d_k)
            value_tile = _load_rows(values, value_strides[2], first_key, n_keys, tile_keys, d_v)
            scores = tl.dot(query_tile, tl.trans(key_tile), input_precision=precision)
            if masked:
                key = first_key + tl.arange(0, tile_keys)
                allowed = _may_attend(query[:, None], key[None, :], n_queries, n_keys, causal)
                scores = tl.where(allowed, scores, float("-inf"))
            new_max = tl.maximum(running_max, scale * log2_e * tl.max(scores, axis=1))
            exponentials = tl.exp2(scale * log2_e * scores - _finite(new_max)[:, None])
            rescale = tl.exp2(running_max - _finite(new_max))
            running_sum = rescale * running_sum + tl.sum(exponentials, axis=1)
            weighted_sum = rescale[:, None] * weighted_sum
            exponentials = exponentials.to(value_tile.dtype)
            weighted_sum = tl.dot(exponentials, value_tile, weighted_sum, input_precision=precision)
            running_max = new_max

    total = tl.where(running_sum == 0.0, 1.0, running_sum)  # a query without a key: zeros, and −inf
    rows = weighted_sum / total[:, None]
    _store_rows(output, output_strides[2], first_query, n_queries, rows, tile_queries, d_v)
    tl.store(log_sum_exp + query, (running_max + tl.log2(total)) / log2_e, mask=query < n_queries)


@_jit
def grad_queries_kernel(
    queries,
    query_strides,
    keys,
    key_strides,
    values,
    value_strides,
    output,
    output_strides,
    grad_output,
    grad_output_strides,
    grad_queries,
    grad_query_strides,
    log_sum_exp,
    grad_log_sum_exp,
    delta,
    n_heads,
    n_queries,
    n_keys,
    scale,
    log2_e: tl.constexpr,
    causal: tl.constexpr,
    d_k: tl.constexpr,
    d_v: tl.constexpr,
    tile_queries: tl.constexpr,
    tile_keys: tl.constexpr,
    precision: tl.constexpr,
):
    """... and the gradient of a head's output -> a tile of the gradient of its queries, and of delta.

    Softmax turns the gradient g of a row of weights into weights · (g − delta) for its scores, with delta =
    Σ weights · g. That sum over n keys is Σ grad_output · output over d_v numbers: no tile is needed for it.
    log_sum_exp has the weights as its gradient, so what comes in for it is taken off delta.
    """
    batch, head, tile = _my_tile(n_queries, n_heads, tile_queries)
    first_query = (tl.cdiv(n_queries, tile_queries) - 1 - tile) * tile_queries
    queries = _of_head(queries, query_strides, batch, head)
    keys = _of_head(keys, key_strides, batch, head)
    values = _of_head(values, value_strides, batch, head)
    output = _of_head(output, output_strides, batch, head)
    grad_output = _of_head(grad_output, grad_output_strides, batch, head)
    grad_queries = _of_head(grad_queries, grad_query_strides, batch, head)
    log_sum_exp += (batch * n_heads + head) * n_queries
    grad_log_sum_exp += (batch * n_heads + head) * n_queries
    delta += (batch * n_heads + head) * n_queries

    query = first_query + tl.arange(0, tile_queries)
    query_tile = _load_rows(queries, query_strides[2], first_query, n_queries, tile_queries, d_k)
    output_tile = _load_rows(output, output_strides[2], first_query, n_queries, tile_queries, d_v)
    grad_tile = _load_rows(grad_output, grad_output_strides[2], first_query, n_queries, tile_queries, d_v)
    exponent = _finite(log2_e * _load_numbers(log_sum_exp, first_query, n_queries, tile_queries))
    row_delta = tl.sum(output_tile.to(tl.float32) * grad_tile.to(tl.float32), axis=1)
    row_delta -= _load_numbers(grad_log_sum_exp, first_query, n_queries, tile_queries)
    tl.store(delta + query, row_delta, mask=query < n_queries)
    grad_rows = tl.zeros((tile_queries, d_k), tl.float32)

    by_all, by_last = _keys_seen(first_query, n_queries, n_keys, causal, tile_queries)
    in_full = by_all // tile_keys * tile_keys
    for masked in tl.static_range(2):
        for first_key in range(in_full if masked else 0, by_last if masked else in_full, tile_keys):
            key_tile = _load_rows(keys, key_strides[2], first_key, n_keys, tile_keys, d_k)
            value_tile = _load_rows(values, value_strides[2], first_key, n_keys, tile_keys, d_v)
            scores = tl.dot(query_tile, tl.trans(key_tile), input_precision=precision)
            if masked:
                key = first_key + tl.arange(0, tile_keys)
                allowed = _may_attend(query[:, None], key[None, :], n_queries, n_keys, causal)
                scores = tl.where(allowed, scores, float("-inf"))
            weights = tl.exp2(scale * log2_e * scores - exponent[:, None])
            grad_weights = tl.dot(grad_tile, tl.trans(value_tile), input_precision=precision)
            grad_scores = (weights * (grad_weights - row_delta[:, None])).to(key_tile.dtype)
            grad_rows = tl.dot(grad_scores, key_tile, grad_rows, input_precision=precision)

    grad_rows = scale * grad_rows
    _store_rows(grad_queries, grad_query_strides[2], first_query, n_queries, grad_rows, tile_queries, d_k)


@_jit
def grad_keys_kernel(
    queries,
    query_strides,
    keys,
    key_strides,
    values,
    value_strides,
    grad_output,
    grad_output_strides,
    grad_keys,
    grad_key_strides,
    grad_values,
    grad_value_strides,
    log_sum_exp,
    delta,
    n_heads,
    n_queries,
    n_keys,
    scale,
    log2_e: tl.constexpr,
    causal: tl.constexpr,
    d_k: tl.constexpr,
    d_v: tl.constexpr,
    tile_queries: tl.constexpr,
    tile_keys: tl.constexpr,
    precision: tl.constexpr,
):
    """... and delta -> a tile of the gradients of a head's keys and values.

    Here a program keeps a tile of keys and goes over the queries, so that no two programs add to the same
    numbers. A tile of scores is transposed, (tile_keys, tile_queries): so it stands in both products.
    """
    batch, head, tile = _my_tile(n_keys, n_heads, tile_keys)
    first_key = tile * tile_keys  # where causal, the first keys are seen by the most queries
    queries = _of_head(queries, query_strides, batch, head)
    keys = _of_head(keys, key_strides, batch, head)
    values = _of_head(values, value_strides, batch, head)
    grad_output = _of_head(grad_output, grad_output_strides, batch, head)
    grad_keys = _of_head(grad_keys, grad_key_strides, batch, head)
    grad_values = _of_head(grad_values, grad_value_strides, batch, head)
    log_sum_exp += (batch * n_heads + head) * n_queries
    delta += (batch * n_heads + head) * n_queries

    key = first_key + tl.arange(0, tile_keys)
    key_tile = _load_rows(keys, key_strides[2], first_key, n_keys, tile_keys, d_k)
    value_tile = _load_rows(values, value_strides[2], first_key, n_keys, tile_keys, d_v)
    grad_key_rows = tl.zeros((tile_keys, d_k), tl.float32)
    grad_value_rows = tl.zeros((tile_keys, d_v), tl.float32)

    # First the tiles of queries on the diagonal, with a mask, then those that see every key here. A query
    # over the edge needs no mask: its gradient is 0.
    of_first, of_all = _first_queries(first_key, n_queries, n_keys, causal, tile_keys)
    start = of_first // tile_queries * tile_queries
    in_full = tl.cdiv(of_all, tile_queries) * tile_queries
    for in_sight in tl.static_range(2):
        for first_query in range(
            in_full if in_sight else start, n_queries if in_sight else in_full, tile_queries
        ):
            query_tile = _load_rows(queries, query_strides[2], first_query, n_queries, tile_queries, d_k)
            grad_tile = _load_rows(
                grad_output, grad_output_strides[2], first_query, n_queries, tile_queries, d_v
            )
            exponent = _finite(log2_e * _load_numbers(log_sum_exp, first_query, n_queries, tile_queries))
            row_delta = _load_numbers(delta, first_query, n_queries, tile_queries)
            scores = tl.dot(key_tile, tl.trans(query_tile), input_precision=precision)
            if not in_sight:
                query = first_query + tl.arange(0, tile_queries)
                allowed = _may_attend(query[None, :], key[:, None], n_queries, n_keys, causal)
                scores = tl.where(allowed, scores, float("-inf"))
            weights = tl.exp2(scale * log2_e * scores - exponent[None, :])
            grad_value_rows = tl.dot(
                weights.to(grad_tile.dtype), grad_tile, grad_value_rows, input_precision=precision
            )
            grad_weights = tl.dot(value_tile, tl.trans(grad_tile), input_precision=precision)
            grad_scores = (weights * (grad_weights - row_delta[None, :])).to(query_tile.dtype)
            grad_key_rows = tl.dot(grad_scores, query_tile, grad_key_rows, input_precision=precision)

    grad_key_rows = scale * grad_key_rows
    _store_rows(grad_keys, grad_key_strides[2], first_key, n_keys, grad_key_rows, tile_keys, d_k)
    _store_rows(grad_values, grad_value_strides[2], first_key, n_keys, grad_value_rows, tile_keys, d_v)


# --- from PyTorch -------------------------------------------------------------------------------------------


def why_not(device: torch.device | str) -> str:
    """A device -> why the kernels cannot run on its tensors, in a sentence, or "" where they can."""
    if MISSING:
        return MISSING
    interpreted = {is_interpreted(function) for function in (tl.max, forward_kernel)}
    if len(interpreted) > 1:
        return "TRITON_INTERPRET was changed after Triton had been imported: start Python again"
    kind = torch.device(device).type
    if kind == "cpu" and interpreted == {False}:
        return (
            "Triton compiles for GPUs. For tensors on the CPU there is its interpreter: set the environment "
            "variable TRITON_INTERPRET=1 before anything imports Triton, and start Python again"
        )
    if kind not in ("cuda", "cpu"):
        return f"Triton runs on cuda, and in its interpreter on cpu; got {kind}"
    return ""


def tiled_attention(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    *,
    causal: bool = False,
    tiles: Tiles | None = None,
    backward_tiles: Tiles | None = None,
) -> tuple[Tensor, Tensor]:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output, log_sum_exp (..., n_queries).

    output (..., n_queries, d_v) is that of attention, within the rounding of its dtype, and memory grows with
    n instead of n². log_sum_exp is float32: the logarithm of the sum of e^score of each query. `causal` hides
    the future, aligned to the lower right: the last query sees every key. A query without a key gets a zero
    output, log_sum_exp −inf and zero gradients. Both results can be differentiated, once.
    The inputs are float16, bfloat16 or float32; d_k and d_v are 16, 32, 64 or 128. float32 is multiplied as
    `@` does it: in float32, or after torch.set_float32_matmul_precision("high") in TF32. `tiles` and
    `backward_tiles` replace the choice of default_tiles.
    Raises ImportError where Triton is missing, ValueError where shapes or devices do not fit, TypeError for
    another dtype. As in helpers.pytorch.attention, nobody looks for NaN: a NaN comes out as NaN.
    Source: Dao 2023, "FlashAttention-2", algorithms 1 and 2.
    """
    require_fitting(queries, keys, values, None)
    _require_triton(queries.device)
    if torch.is_autocast_enabled(queries.device.type):
        dtype = torch.get_autocast_dtype(queries.device.type)
        queries, keys, values = queries.to(dtype), keys.to(dtype), values.to(dtype)
    _require_dtype_and_widths(queries, values)
    d_k, d_v = queries.shape[-1], values.shape[-1]
    tiles = tiles or default_tiles(queries.dtype, max(d_k, d_v))
    backward_tiles = backward_tiles or default_tiles(queries.dtype, max(d_k, d_v), backward=True)
    _require_tiles(tiles, backward_tiles)
    if queries.dtype == torch.bfloat16 and is_interpreted(forward_kernel):
        # The interpreter multiplies the bits of a bfloat16 as if they were a whole number.
        floats = queries.float(), keys.float(), values.float()
        output, log_sum_exp = _in_heads(*floats, causal, tiles, backward_tiles)
        return output.to(torch.bfloat16), log_sum_exp
    return _in_heads(queries, keys, values, causal, tiles, backward_tiles)


def default_tiles(dtype: torch.dtype, width: int, backward: bool = False) -> Tiles:
    """A dtype and the larger of d_k and d_v -> the tiles that tiled_attention takes.

    Chosen by compiling, not by timing: a program fits into 99 KiB of shared memory, which GPUs of compute
    capability 8.0 and up have, and keeps all numbers or nearly all in registers. Where there is more room
    (227 KiB on Hopper), larger tiles or more stages may be faster: try them with `tiles`.
    """
    narrow = width <= 64
    if dtype == torch.float32:  # without the units for 16 bits, a product keeps more numbers in registers
        if backward:
            return Tiles(32, 32, warps=8, stages=1)
        return Tiles(64, 32, warps=8, stages=2) if narrow else Tiles(32, 32, warps=8, stages=2)
    if backward:
        return Tiles(64, 64, warps=4, stages=2) if narrow else Tiles(64, 64, warps=8, stages=1)
    return Tiles(128, 64, warps=4, stages=3) if narrow else Tiles(128, 64, warps=8, stages=2)


def _in_heads(
    queries: Tensor, keys: Tensor, values: Tensor, causal: bool, tiles: Tiles, backward_tiles: Tiles
) -> tuple[Tensor, Tensor]:
    """Any leading axes -> the kernels, which want two of them. Up to two, what broadcasts is not copied."""
    stack = torch.broadcast_shapes(queries.shape[:-2], keys.shape[:-2], values.shape[:-2])

    def heads(rows: Tensor) -> Tensor:
        stacked = rows.expand(*stack, *rows.shape[-2:])
        return stacked[(None,) * (2 - len(stack))].flatten(0, -4)

    output, log_sum_exp = _TiledAttention.apply(
        heads(queries), heads(keys), heads(values), causal, tiles, backward_tiles
    )
    return output.reshape(*stack, *output.shape[-2:]), log_sum_exp.reshape(*stack, output.shape[-2])


class _TiledAttention(torch.autograd.Function):
    """The same with leading axes (batch, heads): the three kernels, and what is kept between them."""

    @staticmethod
    def forward(
        ctx: Any,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        causal: bool,
        tiles: Tiles,
        backward_tiles: Tiles,
    ) -> tuple[Tensor, Tensor]:
        n_queries = queries.shape[-2]
        queries, keys, values = _pieces(queries), _pieces(keys), _pieces(values)
        output = queries.new_empty(*queries.shape[:-1], values.shape[-1])
        log_sum_exp = queries.new_empty(queries.shape[:-1], dtype=torch.float32)
        tensors = (*_with_strides(queries, keys, values, output), log_sum_exp)
        _launch(forward_kernel, n_queries, tiles.queries, tensors, queries, keys, values, causal, tiles)
        ctx.save_for_backward(queries, keys, values, output, log_sum_exp)
        ctx.causal, ctx.tiles = causal, backward_tiles
        return output, log_sum_exp

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor, grad_log_sum_exp: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, output, log_sum_exp = ctx.saved_tensors
        n_queries, n_keys, tiles = queries.shape[-2], keys.shape[-2], ctx.tiles
        common = (queries, keys, values, ctx.causal, tiles)
        grad_output, grad_log_sum_exp = _pieces(grad_output), grad_log_sum_exp.contiguous()
        grad_queries, grad_keys, grad_values = (each.new_empty(each.shape) for each in common[:3])
        delta = torch.empty_like(log_sum_exp)

        rows = _with_strides(queries, keys, values, output, grad_output, grad_queries)
        numbers = (log_sum_exp, grad_log_sum_exp, delta)
        _launch(grad_queries_kernel, n_queries, tiles.queries, (*rows, *numbers), *common)
        rows = _with_strides(queries, keys, values, grad_output, grad_keys, grad_values)
        _launch(grad_keys_kernel, n_keys, tiles.keys, (*rows, log_sum_exp, delta), *common)
        return grad_queries, grad_keys, grad_values, None, None, None


def _launch(
    kernel: Any,
    n_rows: int,
    tile: int,
    tensors: tuple[Any, ...],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    causal: bool,
    tiles: Tiles,
) -> None:
    """Run a kernel once for every tile of n_rows in every head, on the GPU where the tensors are."""
    batch, n_heads, n_queries, d_k = queries.shape
    n_programs = triton.cdiv(n_rows, tile) * batch * n_heads
    if n_programs == 0:
        return
    with torch.cuda.device_of(queries):  # Triton would take the current GPU; nothing happens for the CPU
        kernel[(n_programs,)](
            *tensors,
            n_heads,
            n_queries,
            keys.shape[-2],
            1 / math.sqrt(d_k),
            log2_e=math.log2(math.e),
            causal=bool(causal),
            d_k=d_k,
            d_v=values.shape[-1],
            tile_queries=tiles.queries,
            tile_keys=tiles.keys,
            precision="ieee" if torch.get_float32_matmul_precision() == "highest" else "tf32",
            num_warps=tiles.warps,
            num_stages=tiles.stages,
        )


def _pieces(rows: Tensor) -> Tensor:
    """(..., n, d) -> the same, copied only where a row does not lie in one piece."""
    return rows if rows.stride(-1) == 1 else rows.contiguous()


def _with_strides(*tensors: Tensor) -> tuple[Any, ...]:
    """Each tensor (batch, heads, n, d), followed by its first three strides."""
    return tuple(part for tensor in tensors for part in (tensor, tensor.stride()[:3]))


def is_interpreted(function: Any) -> bool:
    """A kernel -> whether Triton's interpreter runs it, and no GPU."""
    return not isinstance(function, triton.runtime.JITFunction)


def _require_triton(device: torch.device) -> None:
    reason = why_not(device)
    if MISSING:
        raise ImportError(reason)
    if reason:
        raise ValueError(reason)


def _require_dtype_and_widths(queries: Tensor, values: Tensor) -> None:
    if queries.dtype not in DTYPES:
        kinds = ", ".join(str(dtype).removeprefix("torch.") for dtype in DTYPES)
        raise TypeError(
            f"the kernels take {kinds}; got {str(queries.dtype).removeprefix('torch.')}. They add up in "
            "float32, which would lose half of its digits: use helpers.pytorch.attention for it"
        )
    widths = {"d_k": queries.shape[-1], "d_v": values.shape[-1]}
    wrong = {name: width for name, width in widths.items() if width not in WIDTHS}
    if wrong:
        got = " and ".join(f"{name} {width}" for name, width in wrong.items())
        raise ValueError(f"d_k and d_v must be one of {', '.join(map(str, WIDTHS))}; got {got}")


def _require_tiles(*all_tiles: Tiles) -> None:
    for tiles in all_tiles:
        for side in (tiles.queries, tiles.keys):
            if side < 16 or side & (side - 1):
                raise ValueError(f"the sides of a tile must be powers of two, at least 16; got {tiles}")

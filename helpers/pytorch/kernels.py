"""Attention without the n × n matrix, on a GPU: the kernels of helpers.pytorch.kernel_programs, for PyTorch.

`tiled_attention` launches them, backward too, so that it trains. `launches` says what is launched, without
doing it: helpers.benchmark.compile_report compiles that for GPUs that are not here. This module can be
imported everywhere, and `why_not` says what is missing.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from helpers.pytorch.gpu import capability_of, float32_products
from helpers.pytorch.kernel_programs import (
    forward_kernel,
    grad_keys_kernel,
    grad_queries_kernel,
    merge_kernel,
)
from helpers.pytorch.kernel_tiles import Tiles, default_tiles
from helpers.pytorch.validation import require_fitting, require_sizes
from helpers.pytorch.with_triton import interprets, require_triton, triton, why_not

__all__ = ["DTYPES", "WIDTHS", "Launch", "Tiles", "default_tiles", "launches", "tiled_attention", "why_not"]

DTYPES = (torch.float16, torch.bfloat16, torch.float32)
WIDTHS = (16, 32, 64, 128)  # for d_k and d_v: the sides of a tile are powers of two, and at least 16
LOG2_E = math.log2(math.e)
MOST_SPLITS = 64
LEAST_KEYS_IN_SPLIT = 256  # not timed: a split should read more than its partial result is to write and merge


class Plan(NamedTuple):
    """What a query may see, and how the work is cut."""

    causal: bool
    window: int | None
    splits: int
    forward: Tiles
    grad_queries: Tiles
    grad_keys: Tiles


class Launch(NamedTuple):
    """A kernel, how many programs of it run (a grid of up to three axes), and what it is given."""

    kernel: Any
    grid: tuple[int, ...]
    arguments: tuple[Any, ...]
    constants: dict[str, Any]

    def run(self) -> None:
        """() -> None: runs it, on the GPU where its first tensor is."""
        if math.prod(self.grid):
            with torch.cuda.device_of(self.arguments[0]):  # Triton would take the current GPU
                self.kernel[self.grid](*self.arguments, **self.constants)


def tiled_attention(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    *,
    causal: bool = False,
    window: int | None = None,
    grouped: bool = False,
    splits: int | None = None,
    tiles: Tiles | None = None,
    backward_tiles: Tiles | None = None,
) -> tuple[Tensor, Tensor]:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output, log_sum_exp (..., n_queries).

    output (..., n_queries, d_v) is that of attention, within the rounding of its dtype, and memory grows with
    n instead of n². log_sum_exp is float32: the logarithm of the sum of e^score of each query. `causal` hides
    the future, aligned to the lower right: the last query sees every key. `window` shows the last `window`
    keys up to each query, and is causal, too. A query without a key gets a zero output, log_sum_exp −inf and
    zero gradients. Both results can be differentiated, once.
    With `grouped` the axis before n is that of the heads, and keys and values may have fewer: n_heads //
    n_kv_heads heads of queries in a row share one, which is not copied. `splits` says among how many programs
    the keys of a tile of queries are split, whose partial results are merged; left out, there are more than
    one where few queries meet many keys, as with a cache, and the GPU would be idle otherwise.
    The inputs are float16, bfloat16 or float32; d_k and d_v are 16, 32, 64 or 128. float32 is multiplied as
    `@` does it: in TF32 after torch.backends.cuda.matmul.fp32_precision = "tf32" or
    torch.set_float32_matmul_precision("high"), otherwise in float32. `tiles` and `backward_tiles` replace the
    choice of default_tiles. Rows that do not begin at multiples of 16 numbers are copied once.
    Raises ImportError where Triton is missing, ValueError where shapes or devices do not fit, or the GPU has
    no tensor cores that Triton knows (below compute capability 8.0), TypeError for another dtype. As in
    helpers.pytorch.attention, nobody looks for NaN: a NaN comes out as NaN.
    Source: Dao 2023, "FlashAttention-2", algorithms 1 and 2; Dao et al. 2023, "Flash-Decoding", for splits.
    """
    _require_heads(queries, keys, values, grouped)
    require_triton(queries.device)
    require_sizes(**{name: n for name, n in (("window", window), ("splits", splits)) if n is not None})
    if torch.is_autocast_enabled(queries.device.type):
        dtype = torch.get_autocast_dtype(queries.device.type)
        queries, keys, values = queries.to(dtype), keys.to(dtype), values.to(dtype)
    _require_dtype_and_widths(queries, values)
    _require_tiles(*(each for each in (tiles, backward_tiles) if each))
    asked = causal, window, splits, tiles, backward_tiles
    if queries.dtype == torch.bfloat16 and interprets():
        # The interpreter multiplies the bits of a bfloat16 as if they were a whole number.
        output, log_sum_exp = _in_heads(queries.float(), keys.float(), values.float(), grouped, *asked)
        return output.to(torch.bfloat16), log_sum_exp
    return _in_heads(queries, keys, values, grouped, *asked)


def launches(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    capability: tuple[int, int],
    *,
    causal: bool = False,
    window: int | None = None,
    tiles: Tiles | None = None,
    backward_tiles: Tiles | None = None,
) -> list[Launch]:
    """(batch, heads, n, d) thrice, a GPU's compute capability -> what it would run, forward and backward.

    Nothing is run or looked at, so the tensors may be on the device "meta", where they take no memory. Keys
    and values may have fewer heads, as in tiled_attention where grouped.
    """
    asked = causal, window, 1, tiles, backward_tiles
    plan = _plan(queries, keys, values, capability, *asked)
    forward, output, log_sum_exp = _forward(queries, keys, values, plan)
    backward, _ = _backward(queries, keys, values, output, log_sum_exp, output, log_sum_exp, plan)
    return [*forward, *backward]


def _in_heads(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    grouped: bool,
    causal: bool,
    window: int | None,
    *asked: Any,
) -> tuple[Tensor, Tensor]:
    """Any leading axes -> the kernels, which want two of them. Up to two, what broadcasts is not copied."""
    if queries.shape[-2] == 1:  # the last token: it sees every key, or the last ones
        causal, first = False, 0 if window is None else max(0, keys.shape[-2] - window)
        window, keys, values = None, keys[..., first:, :], values[..., first:, :]
        if grouped:  # the heads that share keys go into one tile, as if each were a query
            rows = queries.squeeze(-2).unflatten(-2, (keys.shape[-3], -1))
            output, log_sum_exp = _in_heads(rows, keys, values, False, causal, window, *asked)
            return output.flatten(-3, -2).unsqueeze(-2), log_sum_exp.flatten(-2).unsqueeze(-1)
    own_axes = 3 if grouped else 2  # where grouped, the numbers of heads differ
    stack = torch.broadcast_shapes(*(each.shape[:-own_axes] for each in (queries, keys, values)))

    def heads(rows: Tensor) -> Tensor:
        stacked = rows.expand(*stack, *rows.shape[-own_axes:])
        return stacked[(None,) * (4 - stacked.ndim)].flatten(0, -4)

    queries_in_heads = heads(queries)
    output, log_sum_exp = _TiledAttention.apply(
        queries_in_heads, heads(keys), heads(values), causal, window, *asked
    )
    stack = (*stack, *queries.shape[-own_axes:-2])
    return output.reshape(*stack, *output.shape[-2:]), log_sum_exp.reshape(*stack, output.shape[-2])


class _TiledAttention(torch.autograd.Function):
    """The same with leading axes (batch, heads): the kernels, and what is kept between them."""

    @staticmethod
    def forward(
        ctx: Any, queries: Tensor, keys: Tensor, values: Tensor, *asked: Any
    ) -> tuple[Tensor, Tensor]:
        queries, keys, values = in_step(queries), in_step(keys), in_step(values)
        plan = _plan(queries, keys, values, capability_of(queries.device), *asked)
        launched, output, log_sum_exp = _forward(queries, keys, values, plan)
        for launch in launched:
            launch.run()
        ctx.save_for_backward(queries, keys, values, output, log_sum_exp)
        ctx.plan, ctx.n_asked = plan, len(asked)
        return output, log_sum_exp

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor, grad_log_sum_exp: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, output, log_sum_exp = ctx.saved_tensors
        grads = in_step(grad_output), grad_log_sum_exp.contiguous()
        launched, results = _backward(queries, keys, values, output, log_sum_exp, *grads, ctx.plan)
        for launch in launched:
            launch.run()
        return (*results, *(None,) * ctx.n_asked)


def _plan(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    capability: tuple[int, int] | None,
    causal: bool = False,
    window: int | None = None,
    splits: int | None = None,
    tiles: Tiles | None = None,
    backward_tiles: Tiles | None = None,
) -> Plan:
    """The tensors, a GPU's compute capability, what was asked for -> what will be done."""
    width = max(queries.shape[-1], values.shape[-1])
    n_queries, n_keys = queries.shape[-2], keys.shape[-2]

    def chosen(kernel: str) -> Tiles:
        return default_tiles(queries.dtype, width, kernel, capability, n_queries)

    forward = tiles or chosen("forward")
    if splits is None:
        n_programs = math.prod(queries.shape[:2]) * triton.cdiv(n_queries, forward.queries)
        splits = splits_for(n_programs, n_keys if window is None else min(window, n_keys), queries.device)
    return Plan(
        causal or window is not None,
        window,
        splits,
        forward,
        backward_tiles or chosen("grad_queries"),
        backward_tiles or chosen("grad_keys"),
    )


def splits_for(n_programs: int, n_keys: int, device: torch.device) -> int:
    """Programs without a split, the keys of each, a device -> splits that give all its processors work."""
    if device.type != "cuda" or n_programs == 0:
        return 1
    processors = torch.cuda.get_device_properties(device).multi_processor_count
    return max(1, min(processors // n_programs, n_keys // LEAST_KEYS_IN_SPLIT, MOST_SPLITS))


def _forward(
    queries: Tensor, keys: Tensor, values: Tensor, plan: Plan
) -> tuple[list[Launch], Tensor, Tensor]:
    """(batch, heads, n, d) thrice, a plan -> what to launch, and the output and log_sum_exp that it fills."""
    rows, d_v, n_keys = queries.shape[:-1], values.shape[-1], keys.shape[-2]
    output = queries.new_empty(*rows, d_v)
    log_sum_exp = queries.new_empty(rows, dtype=torch.float32)
    tile = plan.forward
    # A split is of whole tiles, so that only its last one can hang over.
    keys_in_split = triton.cdiv(triton.cdiv(n_keys, plan.splits), tile.keys) * tile.keys if n_keys else 1
    splits = max(1, triton.cdiv(n_keys, keys_in_split))
    partial = output, log_sum_exp
    if splits > 1:
        partial = log_sum_exp.new_empty(splits, *output.shape), log_sum_exp.new_empty(splits, *rows)
    constants = _constants(queries, values, plan, tile)
    sizes = _sizes(queries, keys, plan)
    launched = [
        Launch(
            forward_kernel,
            (triton.cdiv(rows[-1], tile.queries) * math.prod(rows[:-1]), splits),
            (*_with_strides(queries, keys, values), *partial, *sizes, keys_in_split, _scale(queries)),
            constants,
        )
    ]
    if splits > 1:
        sides = {"d_v": d_v, "tile_splits": triton.next_power_of_2(splits)}
        arguments = (*partial, output, log_sum_exp, splits, log_sum_exp.numel())
        launched.append(Launch(merge_kernel, (log_sum_exp.numel(),), arguments, {"log2_e": LOG2_E, **sides}))
    return launched, output, log_sum_exp


def _backward(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    output: Tensor,
    log_sum_exp: Tensor,
    grad_output: Tensor,
    grad_log_sum_exp: Tensor,
    plan: Plan,
) -> tuple[list[Launch], tuple[Tensor, Tensor, Tensor]]:
    """What _forward took and filled, and gradients -> what to launch, and the gradients that it fills."""
    inputs, settings = _with_strides(queries, keys, values), (*_sizes(queries, keys, plan), _scale(queries))
    grad_queries, grad_keys, grad_values = (each.new_empty(each.shape) for each in (queries, keys, values))
    delta = torch.empty_like(log_sum_exp)
    gradient = _with_strides(grad_output)

    def launch(kernel: Any, rows: Tensor, tile: int, tiles: Tiles, *tensors: Any) -> Launch:
        n_programs = triton.cdiv(rows.shape[-2], tile) * math.prod(rows.shape[:-2])
        constants = _constants(queries, values, plan, tiles)
        return Launch(kernel, (n_programs,), (*inputs, *tensors, *settings), constants)

    numbers = grad_queries, log_sum_exp, grad_log_sum_exp, delta
    of_queries, of_keys = plan.grad_queries, plan.grad_keys
    launched = [
        launch(grad_queries_kernel, queries, of_queries.queries, of_queries, output, *gradient, *numbers),
        launch(
            grad_keys_kernel,
            keys,
            of_keys.keys,
            of_keys,
            *gradient,
            grad_keys,
            grad_values,
            log_sum_exp,
            delta,
        ),
    ]
    return launched, (grad_queries, grad_keys, grad_values)


def _sizes(queries: Tensor, keys: Tensor, plan: Plan) -> tuple[int, ...]:
    """-> n_heads, group, n_queries, n_keys, window, as the kernels take them."""
    n_heads, n_queries = queries.shape[1:3]
    group = max(1, n_heads // max(1, keys.shape[1]))
    return n_heads, group, n_queries, keys.shape[-2], plan.window or 0


def _scale(queries: Tensor) -> float:
    return 1 / math.sqrt(queries.shape[-1])


def _constants(queries: Tensor, values: Tensor, plan: Plan, tiles: Tiles) -> dict[str, Any]:
    """-> what a kernel is compiled for."""
    return {
        "log2_e": LOG2_E,
        "causal": plan.causal,
        "windowed": plan.window is not None,
        "d_k": queries.shape[-1],
        "d_v": values.shape[-1],
        "tile_queries": tiles.queries,
        "tile_keys": tiles.keys,
        "precision": float32_products() if queries.dtype == torch.float32 else "ieee",
        "num_warps": tiles.warps,
        "num_stages": tiles.stages,
    }


def in_step(rows: Tensor) -> Tensor:
    """(batch, heads, n, d) -> the same, copied where its rows do not begin at multiples of 16 numbers.

    Where they do, a GPU loads 16 bytes at a time, past the registers; otherwise, number by number.
    """
    strides = [stride for n, stride in zip(rows.shape[:-1], rows.stride()[:-1], strict=True) if n > 1]
    if rows.stride(-1) == 1 and not any(stride % 16 for stride in strides) and rows.data_ptr() % 16 == 0:
        return rows
    return rows.clone(memory_format=torch.contiguous_format)


def _with_strides(*tensors: Tensor) -> tuple[Any, ...]:
    """Each tensor (batch, heads, n, d), followed by its first three strides: 0 for an axis of length 1."""
    return tuple(
        part
        for tensor in tensors
        for part in (
            tensor,
            tuple(s if n > 1 else 0 for n, s in zip(tensor.shape[:3], tensor.stride()[:3], strict=True)),
        )
    )


def _require_heads(queries: Tensor, keys: Tensor, values: Tensor, grouped: bool) -> None:
    """Raise unless the shapes go together; where grouped, with fewer heads of keys and values."""
    if grouped and all(isinstance(each, Tensor) and each.ndim > 2 for each in (queries, keys, values)):
        n_heads, n_kv_heads = queries.shape[-3], keys.shape[-3]
        if n_kv_heads != values.shape[-3] or n_kv_heads == 0 or n_heads % n_kv_heads:
            raise ValueError(
                "grouped: the heads of queries must be a multiple of those of keys and values; got queries "
                f"{tuple(queries.shape)}, keys {tuple(keys.shape)}, values {tuple(values.shape)}"
            )
        queries = queries[..., :n_kv_heads, :, :]
    elif grouped:
        raise ValueError(
            "grouped: queries, keys and values must have shape (..., heads, n, d); got queries "
            f"{tuple(queries.shape)}, keys {tuple(keys.shape)}, values {tuple(values.shape)}"
        )
    require_fitting(queries, keys, values, None)


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

"""What the tiled kernels must do: run by test_kernels.py in a Python of its own, because Triton decides when
it is first imported whether it interprets (TRITON_INTERPRET=1, on the CPU) or compiles (on a GPU).

By hand: TRITON_INTERPRET=1 python -m pytest tests/kernel_checks.py
"""

import math
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from samples import waves
from torch import Tensor
from torch.nn import functional

from helpers.attention import attention as numpy_attention
from helpers.masking import causal_mask
from helpers.pytorch.kernels import DTYPES, WIDTHS, Tiles, default_tiles, tiled_attention, why_not

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = torch.device("cpu" if INTERPRETED else "cuda")
on_a_gpu = pytest.mark.skipif(INTERPRETED, reason="its sizes are for a GPU")

WIDE, TALL = Tiles(16, 32), Tiles(32, 16)
D_K, D_V = 32, 16


class Case(NamedTuple):
    """Inputs, and the gradients that come in for output and log_sum_exp."""

    queries: Tensor
    keys: Tensor
    values: Tensor
    grad_output: Tensor
    grad_log_sum_exp: Tensor


class Results(NamedTuple):
    """What comes out, forward and backward; or how far off each may be."""

    output: Tensor
    log_sum_exp: Tensor
    grad_queries: Tensor
    grad_keys: Tensor
    grad_values: Tensor


def tensor(*shape: int, start: float, dtype: torch.dtype = torch.float32) -> Tensor:
    """Numbers from −2 to 2 with no pattern along any axis."""
    return torch.from_numpy(waves(*shape, start=start)).to(DEVICE, dtype)


def sample(
    n_queries: int,
    n_keys: int,
    *stack: int,
    d_k: int = D_K,
    d_v: int = D_V,
    dtype: torch.dtype = torch.float32,
) -> Case:
    return Case(
        tensor(*stack, n_queries, d_k, start=1.0, dtype=dtype),
        tensor(*stack, n_keys, d_k, start=50.0, dtype=dtype),
        tensor(*stack, n_keys, d_v, start=90.0, dtype=dtype),
        tensor(*stack, n_queries, d_v, start=20.0, dtype=dtype),
        tensor(*stack, n_queries, start=70.0),
    )


def visible(n_queries: int, n_keys: int, causal: bool, window: int | None = None) -> Tensor:
    """The mask, written out: the queries are the last n_queries of n_keys tokens."""
    rows = [
        [
            ((not causal and window is None) or key <= query + n_keys - n_queries)
            and (window is None or key > query + n_keys - n_queries - window)
            for key in range(n_keys)
        ]
        for query in range(n_queries)
    ]
    return torch.tensor(rows, dtype=torch.bool, device=DEVICE).reshape(n_queries, n_keys)


def tiled(case: Case, causal: bool, tiles: Tiles | None = None, **more: Any) -> Results:
    inputs = [part.detach().requires_grad_() for part in case[:3]]
    output, log_sum_exp = tiled_attention(*inputs, causal=causal, tiles=tiles, backward_tiles=tiles, **more)
    grads = torch.autograd.grad((output, log_sum_exp), inputs, (case.grad_output, case.grad_log_sum_exp))
    return Results(output.detach(), log_sum_exp.detach(), *grads)


def readable(case: Case, causal: bool, window: int | None = None) -> Results:
    """The same in float64: torch's own attention and logsumexp with the mask written out, and autograd."""
    inputs = [part.detach().double().requires_grad_() for part in case[:3]]
    queries, keys, values = inputs
    mask = visible(queries.shape[-2], keys.shape[-2], causal, window)
    has_key = mask.any(dim=-1)
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    log_sum_exp = scores.masked_fill(~mask, -math.inf)[..., has_key, :].logsumexp(dim=-1)
    output = functional.scaled_dot_product_attention(
        queries[..., has_key, :], keys, values, attn_mask=mask[has_key]
    )
    incoming = case.grad_output.double()[..., has_key, :], case.grad_log_sum_exp.double()[..., has_key]
    grads = torch.autograd.grad((output, log_sum_exp), inputs, incoming)
    all_output = case.grad_output.new_zeros(case.grad_output.shape, dtype=torch.float64)
    all_output[..., has_key, :] = output.detach()
    all_log_sum_exp = torch.full_like(case.grad_log_sum_exp, -math.inf, dtype=torch.float64)
    all_log_sum_exp[..., has_key] = log_sum_exp.detach()
    return Results(all_output, all_log_sum_exp, *grads)


def rounding(case: Case, causal: bool, window: int | None = None) -> Results:
    """How far rounding can take each result from the exact one, from the sizes of what is added up.

    Sums are float32: a score of d_k products is off by d_k + 8 roundings of their sizes, and a weight by a
    factor of e to twice that. What goes into a product is rounded to the dtype of the inputs, and so is what
    is stored: three roundings at most between a weight and a result.
    """
    queries, keys, values, grad_output = (part.double().abs() for part in case[:4])
    fine, coarse = torch.finfo(torch.float32).eps, torch.finfo(case.queries.dtype).eps
    n_queries, n_keys, d_k, d_v = queries.shape[-2], keys.shape[-2], queries.shape[-1], values.shape[-1]
    scale = 1 / math.sqrt(d_k)
    of_scores = fine * (d_k + 8) * (scale * queries @ keys.mT).max().item()
    share = math.expm1(2 * of_scores) + 3 * coarse + (n_queries + n_keys + d_v + 8) * fine

    mask = visible(n_queries, n_keys, causal, window)
    scores = scale * case.queries.double() @ case.keys.double().mT
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    output = weights @ values
    delta = (grad_output * output).sum(dim=-1) + case.grad_log_sum_exp.double().abs()
    grad_scores = weights * (grad_output @ values.mT + delta[..., None])
    # A number near 0 is rounded to a multiple of the smallest of its dtype, however small it is.
    smallest = torch.finfo(case.queries.dtype).smallest_normal * (coarse if coarse > fine else 1.0)

    def off(factors: Tensor, other: Tensor) -> Tensor:
        return share * (factors @ other) + smallest * (1 + other.sum(dim=-2, keepdim=True))

    return Results(
        off(weights, values),
        of_scores + 8 * fine * (1 + scores.abs().amax(dim=-1)),
        scale * off(grad_scores, keys),
        scale * off(grad_scores.mT, queries),
        off(weights.mT, grad_output),
    )


def assert_same(found: Results, expected: Results, allowed: Results) -> None:
    for name, one, other, error in zip(Results._fields, found, expected, allowed, strict=True):
        assert one.shape == other.shape, name
        nowhere = torch.isinf(other)  # a query without a key: log_sum_exp is −inf, exactly
        assert torch.equal(one.double()[nowhere], other[nowhere]), name
        off = (one.double() - other).masked_fill(nowhere, 0.0).abs()
        assert bool((off <= error).all()), f"{name}: off by {off.max().item():.3g}"


def check(
    case: Case, causal: bool, tiles: Tiles | None = None, window: int | None = None, splits: int | None = None
) -> None:
    found = tiled(case, causal, tiles, window=window, splits=splits)
    assert found.output.dtype == case.queries.dtype
    assert found.log_sum_exp.dtype == torch.float32
    assert_same(found, readable(case, causal, window), rounding(case, causal, window))


def test_the_kernels_can_run_here() -> None:
    assert why_not(DEVICE) == ""


def test_by_hand() -> None:
    # Scaled scores 0 and ln 3: weights 1/4 and 3/4, and the sum of the exponentials is 4.
    queries, keys, values = (torch.zeros(n, 16, device=DEVICE) for n in (1, 2, 2))
    queries[0, 0], keys[1, 0] = 1.0, math.log(3) * math.sqrt(16)
    values[0], values[1] = 10.0, 30.0
    output, log_sum_exp = tiled_attention(queries, keys, values)
    torch.testing.assert_close(output, torch.full_like(output, 25.0))
    torch.testing.assert_close(log_sum_exp, torch.full_like(log_sum_exp, math.log(4)))


@pytest.mark.parametrize("tiles", [WIDE, TALL], ids=["wide", "tall"])
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize(("n_queries", "n_keys"), [(37, 53), (53, 37), (48, 64), (1, 33)])
def test_it_is_what_torch_gives(n_queries: int, n_keys: int, causal: bool, tiles: Tiles) -> None:
    if INTERPRETED and (tiles is TALL) != (n_queries > 40):
        pytest.skip("half of the grid in the interpreter, which takes long: test_any_length mixes them")
    check(sample(n_queries, n_keys), causal, tiles)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
def test_every_dtype(dtype: torch.dtype, causal: bool) -> None:
    check(sample(19, 35, dtype=dtype), causal, WIDE)


@pytest.mark.parametrize("d_k", WIDTHS)
def test_every_width(d_k: int) -> None:
    d_v = WIDTHS[(WIDTHS.index(d_k) + 1) % len(WIDTHS)]
    check(sample(17, 21, d_k=d_k, d_v=d_v), True, TALL)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_tiles_that_are_chosen(width: int, dtype: torch.dtype) -> None:
    # In the interpreter for the widest only: it knows no registers and no shared memory anyway.
    if INTERPRETED and width < max(WIDTHS):
        assert default_tiles(dtype, width).queries >= default_tiles(dtype, max(WIDTHS)).queries
        return
    check(sample(150, 140, d_k=width, d_v=width, dtype=dtype), True)


@pytest.mark.parametrize("causal", [False, True])
def test_it_is_what_lesson_04_gives(causal: bool) -> None:
    case = sample(20, 24, 2)
    queries, keys, values = (part.cpu().numpy().astype(float) for part in case[:3])
    expected, _ = numpy_attention(queries, keys, values, causal_mask(20, 24) if causal else None)
    output, _ = tiled_attention(*case[:3], causal=causal, tiles=WIDE)
    allowed = rounding(case, causal).output
    assert bool(((output.double() - torch.from_numpy(expected).to(DEVICE)).abs() <= allowed).all())


@settings(max_examples=5 if INTERPRETED else 60, deadline=None, derandomize=True)
@given(
    st.integers(1, 40 if INTERPRETED else 700),
    st.integers(1, 40 if INTERPRETED else 700),
    st.sampled_from([WIDE, TALL, Tiles(16, 16), Tiles(64, 32)]),
    st.booleans(),
)
@example(17, 16, Tiles(16, 16), True)
@example(16, 17, Tiles(16, 16), True)
@example(33, 16, TALL, True)
@example(18, 32, Tiles(16, 16), True)  # the second tile of queries sees all but the last key of a tile
def test_any_length(n_queries: int, n_keys: int, tiles: Tiles, causal: bool) -> None:
    check(sample(n_queries, n_keys), causal, tiles)


@pytest.mark.parametrize("stack", [(), (3,), (2, 1, 3)])
def test_any_leading_axes(stack: tuple[int, ...]) -> None:
    case = sample(5, 7, *stack)
    assert tiled(case, True, WIDE).output.shape == (*stack, 5, D_V)
    check(case, True, WIDE)


def test_leading_axes_broadcast_and_their_gradients_are_added_up() -> None:
    # Three heads of queries read one head of keys and values, in two sequences.
    case = sample(5, 7, 2, 3)
    shared = [part[:, :1].clone().requires_grad_() for part in case[1:3]]
    output, _ = tiled_attention(case.queries, *shared, causal=True, tiles=WIDE)
    grads = torch.autograd.grad(output, shared, case.grad_output)
    copied = [part.detach().expand(2, 3, 7, -1).contiguous().requires_grad_() for part in shared]
    expected_output, _ = tiled_attention(case.queries, *copied, causal=True, tiles=WIDE)
    expected = torch.autograd.grad(expected_output, copied, case.grad_output)
    torch.testing.assert_close(output, expected_output, rtol=0, atol=0)
    for one, other in zip(grads, expected, strict=True):
        torch.testing.assert_close(one, other.sum(dim=1, keepdim=True))


STRIDES: dict[str, Callable[[Tensor], Tensor]] = {
    "heads inside (B, n, H, d)": lambda rows: rows.transpose(1, 2).contiguous().transpose(1, 2),
    "every other row": lambda rows: rows.repeat_interleave(2, dim=-2)[..., ::2, :],
    "a row in pieces": lambda rows: rows.mT.contiguous().mT,
    "part of a wider row": lambda rows: torch.cat([rows, -rows], dim=-1)[..., : rows.shape[-1]],
    "not at a multiple of 16 bytes": lambda rows: functional.pad(rows, (1, 0))[..., 1:],
}


@pytest.mark.parametrize("turn", [0, 2])
def test_any_strides(turn: int) -> None:
    # Each of queries, keys, values and grad_output lies in memory in another way.
    case = sample(5, 7, 2, 2)
    ways = [*STRIDES.values()] * 2
    moved = Case._make(
        [*(way(part) for way, part in zip(ways[turn:], case[:4], strict=False)), case.grad_log_sum_exp]
    )
    for one, other in zip(case[:4], moved[:4], strict=True):
        assert torch.equal(one, other)
        assert one.stride() != other.stride() or other.storage_offset() % 4
    for one, other in zip(tiled(case, True, WIDE), tiled(moved, True, WIDE), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_a_gradient_that_is_one_number_repeated() -> None:
    # output.sum() sends back a gradient without strides, and nothing for log_sum_exp.
    case = sample(18, 20)
    ones = case._replace(
        grad_output=torch.ones_like(case.grad_output),
        grad_log_sum_exp=torch.zeros_like(case.grad_log_sum_exp),
    )
    inputs = [part.clone().requires_grad_() for part in case[:3]]
    tiled_attention(*inputs, causal=True, tiles=WIDE, backward_tiles=WIDE)[0].sum().backward()
    for one, other in zip(inputs, tiled(ones, True, WIDE)[2:], strict=True):
        torch.testing.assert_close(one.grad, other, rtol=0, atol=0)


def test_the_gradient_of_log_sum_exp_alone_is_the_weights() -> None:
    case = sample(5, 7)
    queries, keys = (part.clone().requires_grad_() for part in case[:2])
    _, log_sum_exp = tiled_attention(queries, keys, case.values, tiles=WIDE, backward_tiles=WIDE)
    (grad,) = torch.autograd.grad(log_sum_exp.sum(), queries)
    weights = (case.queries @ case.keys.mT / math.sqrt(D_K)).softmax(dim=-1)
    torch.testing.assert_close(grad, weights @ case.keys / math.sqrt(D_K))


def test_a_query_without_a_key_gets_zeros_and_zero_gradients() -> None:
    # 20 queries, 3 keys, causal: the first 17 see nothing, a whole tile of them.
    case = sample(20, 3)
    found = tiled(case, True, Tiles(16, 16))
    assert bool((found.output[:17] == 0).all())
    assert bool((found.log_sum_exp[:17] == -math.inf).all())
    assert bool((found.grad_queries[:17] == 0).all())
    assert all(bool(part.isfinite().all()) for part in found[2:])
    assert bool((found.output[17:] != 0).any())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n_queries", "n_keys", "stack"), [(0, 7, 2), (5, 0, 2), (0, 0, 2), (5, 7, 0)])
def test_nothing_in_nothing_out(n_queries: int, n_keys: int, stack: int, causal: bool) -> None:
    case = sample(n_queries, n_keys, stack)
    found = tiled(case, causal)
    assert [part.shape for part in found[2:]] == [part.shape for part in case[:3]]
    assert found.output.shape == (stack, n_queries, D_V)
    assert bool((found.output == 0).all())
    assert bool((found.log_sum_exp == -math.inf).all())
    assert all(bool((part == 0).all()) for part in found[2:])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rising", [True, False])
def test_scores_in_the_thousands_neither_overflow_nor_vanish(rising: bool, dtype: torch.dtype) -> None:
    # Scaled scores from 0 to ±9,400, the largest in the last tile or in the first: e^9400 is no number.
    steps = torch.arange(48, device=DEVICE, dtype=dtype)
    keys = torch.zeros(48, 16, device=DEVICE, dtype=dtype)
    keys[:, 0] = steps if rising else -steps
    queries = torch.zeros(2, 16, device=DEVICE, dtype=dtype)
    queries[:, 0] = 800.0
    values = torch.stack([steps] * 16, dim=1)
    output, log_sum_exp = tiled_attention(queries, keys, values, tiles=WIDE)
    best = 47 if rising else 0
    assert bool((output == best).all())
    torch.testing.assert_close(log_sum_exp, torch.full_like(log_sum_exp, 200.0 * best), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("shift", [-400.0, 400.0])
def test_all_scores_far_from_zero(shift: float) -> None:
    # e^±400 is no float32. In a tile that hangs over the last key, what is not there would score 0.
    case = sample(19, 37)
    case.queries[:, 0], case.keys[:, 0] = math.sqrt(D_K), shift
    scores = case.queries.double() @ case.keys.double().mT / math.sqrt(D_K)
    assert scores.abs().min() > 350
    check(case, False, WIDE)
    check(case, True, TALL)


def test_tiles_in_the_future_are_never_loaded() -> None:
    # A value that is NaN comes out of every tile that loads it, hidden or not: 0 · NaN is NaN.
    case = sample(48, 48)
    values = case.values.clone()
    values[32:] = math.nan
    output, _ = tiled_attention(case.queries, case.keys, values, causal=True, tiles=Tiles(16, 16))
    assert bool(output[:32].isfinite().all())
    assert bool(output[32:].isnan().all())


def test_two_parts_of_the_keys_merge_into_the_whole() -> None:
    case = sample(9, 40)
    whole, whole_sum = tiled_attention(*case[:3], tiles=WIDE)
    (first, first_sum), (second, second_sum) = (
        tiled_attention(case.queries, case.keys[part], case.values[part], tiles=WIDE)
        for part in (slice(0, 23), slice(23, 40))
    )
    both = torch.logaddexp(first_sum, second_sum)
    merged = (first_sum - both).exp()[:, None] * first + (second_sum - both).exp()[:, None] * second
    torch.testing.assert_close(both, whole_sum)
    torch.testing.assert_close(merged, whole)


def test_the_tiles_change_nothing_but_rounding_and_the_inputs_stay() -> None:
    case = sample(20, 24)
    copies = [part.clone() for part in case[:3]]
    results = [tiled(case, True, tiles) for tiles in (Tiles(16, 16), Tiles(32, 32))]
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)
    for part, copy in zip(case[:3], copies, strict=True):
        assert torch.equal(part, copy)


def test_autocast_decides_the_dtype() -> None:
    case = sample(5, 7)
    inputs = [part.clone().requires_grad_() for part in case[:3]]
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        output, _ = tiled_attention(*inputs, tiles=WIDE, backward_tiles=WIDE)
    expected, _ = tiled_attention(*(part.bfloat16() for part in case[:3]), tiles=WIDE)
    assert torch.equal(output, expected)
    output.sum().backward()
    assert all(part.grad is not None and part.grad.dtype == torch.float32 for part in inputs)


def test_a_second_derivative_is_refused() -> None:
    queries, keys, values = (part.clone().requires_grad_() for part in sample(5, 7)[:3])
    output, _ = tiled_attention(queries, keys, values, tiles=WIDE, backward_tiles=WIDE)
    (grad,) = torch.autograd.grad(output.square().sum(), queries, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        grad.sum().backward()


@pytest.mark.skipif(
    not hasattr(torch.backends.cuda.matmul, "fp32_precision"), reason="this PyTorch has only the older way"
)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_tf32_asked_for_in_today_s_way_stops_nothing(dtype: torch.dtype) -> None:
    case = sample(5, 7, dtype=dtype)
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    try:
        output, _ = tiled_attention(*case[:3], tiles=WIDE)
    finally:
        torch.backends.cuda.matmul.fp32_precision = "none"
    torch.testing.assert_close(output, tiled_attention(*case[:3], tiles=WIDE)[0], rtol=0, atol=2e-3)


QUERIES, KEYS, VALUES = sample(5, 7, 2)[:3]


@pytest.mark.parametrize(
    ("inputs", "tiles", "error", "words"),
    [
        ((QUERIES.double(), KEYS.double(), VALUES.double()), None, TypeError, "float32; got float64"),
        ((QUERIES, KEYS.half(), VALUES), None, TypeError, "one dtype; got .*keys torch.float16"),
        ((QUERIES[..., :24], KEYS[..., :24], VALUES), None, ValueError, "16, 32, 64, 128; got d_k 24$"),
        ((QUERIES, KEYS, VALUES[..., :3]), None, ValueError, "16, 32, 64, 128; got d_v 3$"),
        ((QUERIES, KEYS, VALUES[:, :6]), None, ValueError, r"values \(2, 6, 16\)"),
        ((QUERIES, KEYS[..., :16], VALUES), None, ValueError, r"keys \(2, 7, 16\)"),
        (
            (QUERIES, KEYS.expand(3, 2, 7, 32), VALUES.expand(4, 2, 7, 16)),
            None,
            ValueError,
            "axes",
        ),
        ((QUERIES, KEYS, VALUES), Tiles(24, 16), ValueError, "powers of two, at least 16; got .*queries=24"),
        ((QUERIES, KEYS, VALUES), Tiles(16, 8), ValueError, "powers of two, at least 16; got .*keys=8"),
    ],
)
def test_what_does_not_fit_is_named(
    inputs: tuple[Tensor, Tensor, Tensor], tiles: Tiles | None, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        tiled_attention(*inputs, tiles=tiles)
    with pytest.raises(error, match=words):
        tiled_attention(*inputs, backward_tiles=tiles)


def test_a_device_without_triton_is_named() -> None:
    with pytest.raises(ValueError, match="cuda, and in its interpreter on cpu; got meta"):
        tiled_attention(*(part.to("meta") for part in (QUERIES, KEYS, VALUES)))


@on_a_gpu
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
def test_real_sizes(causal: bool, d: int, dtype: torch.dtype) -> None:
    check(sample(1000, 1100, 2, 3, d_k=d, d_v=d, dtype=dtype), causal)


@on_a_gpu
def test_offsets_beyond_32_bits() -> None:
    needed = 3 * 2**32 + 2**30
    if torch.cuda.mem_get_info()[0] < needed:
        pytest.skip(f"needs {needed / 2**30:.0f} GiB of free memory on the GPU")
    case = sample(100, 120, 3, d_k=16, d_v=16, dtype=torch.float16)
    far = torch.empty(3, 2**31 // 16, 16, device=DEVICE, dtype=torch.float16)[:, :120]
    far.copy_(case.keys)
    assert far.stride(0) * 2 > 2**31
    found, expected = (tiled(case._replace(keys=keys), True) for keys in (far, case.keys))
    for one, other in zip(found, expected, strict=True):
        assert torch.equal(one, other)


@on_a_gpu
def test_the_kernels_run_on_the_gpu_where_the_tensors_are() -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    case = sample(40, 50)
    there = Case(*(part.to("cuda:1") for part in case))
    for one, other in zip(tiled(case, True), tiled(there, True), strict=True):
        assert torch.equal(one, other.to(one.device))


@on_a_gpu
@pytest.mark.parametrize("way", ["set_float32_matmul_precision", "fp32_precision"])
def test_tf32_is_used_only_when_torch_says_so(way: str) -> None:
    case = sample(200, 200, d_k=64, d_v=64)
    expected, allowed = readable(case, False).output, rounding(case, False).output
    if way == "fp32_precision":
        torch.backends.cuda.matmul.fp32_precision = "tf32"
    else:
        torch.set_float32_matmul_precision("high")
    try:
        output, _ = tiled_attention(*case[:3])
    finally:
        if way == "fp32_precision":
            torch.backends.cuda.matmul.fp32_precision = "none"
        else:
            torch.set_float32_matmul_precision("highest")
    off = (output.double() - expected).abs()
    assert bool((off > allowed).any())
    assert off.max().item() < 1e-2

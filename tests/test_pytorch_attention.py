"""helpers.pytorch.attention against loops, the NumPy helpers and PyTorch, and what always holds."""

import copy
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from samples import D_K, D_V, N_KEYS, N_QUERIES, STACKS, properties, waves
from torch import Tensor
from torch.nn import functional
from torch_samples import (
    BATCH,
    D_CONTEXT,
    D_MODEL,
    DTYPES,
    KEYS,
    MASKS,
    PATHS,
    QUERIES,
    VALUES,
    WRONG,
    by_loops,
    close,
    empty_row,
    fused,
    make,
    on_one_thread,
    padding,
    readable,
    rows,
    sample,
)

from helpers.attention import attention as numpy_attention
from helpers.masking import causal_mask as numpy_causal_mask
from helpers.pytorch import attention as module_of_attention
from helpers.pytorch.attention import (
    attention,
    best_device,
    causal_mask,
    fused_attention,
)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    yield from on_one_thread()


# --- attention and fused_attention --------------------------------------------------------------------------


@PATHS
def test_weights_of_one_and_three_quarters_by_hand(attend: Callable[..., Tensor]) -> None:
    # d_k = 4: the second score is 4 · (ln 3) / 2 / √4 = ln 3, so that the weights are 1/4 and 3/4.
    queries = torch.ones(1, 4, dtype=torch.float64)
    keys = torch.tensor([[0.0], [math.log(3) / 2]], dtype=torch.float64).expand(2, 4)
    values = torch.tensor([[0.0, 4.0], [8.0, 0.0]], dtype=torch.float64)
    close(attend(queries, keys, values), [[6.0, 1.0]], 1e-15)
    close(attend(queries, keys, values, torch.tensor([True, False])), [[0.0, 4.0]], 0.0)
    close(attention(queries, keys, values)[1], [[0.25, 0.75]], 1e-15)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_both_paths_are_what_loops_give(
    stack: tuple[int, ...], mask: Tensor | None, dtype: torch.dtype
) -> None:
    queries, keys, values = sample(*stack, dtype=dtype)
    output, weights = attention(queries, keys, values, mask)
    alone = fused_attention(queries, keys, values, mask)
    assert {output.dtype, weights.dtype, alone.dtype} == {dtype}
    expected, shares = by_loops(queries, keys, values, None if mask is None else mask.numpy())
    # A score of size 5 is stored to about 5 eps, and the values are 2 at most; up to 2 and 5 eps were seen.
    eps = torch.finfo(dtype).eps
    close(weights, shares, 10 * eps)
    close(output, expected, 20 * eps)
    close(alone, expected, 20 * eps)


@st.composite
def fitting(draw: st.DrawFn) -> tuple[Tensor, Tensor, Tensor, Tensor | None, bool]:
    """Queries, keys, values whose leading axes broadcast, a mask that does or none, and a causal flag."""
    n_queries, n_keys, d_k, d_v = (draw(st.integers(low, 6)) for low in (0, 0, 1, 1))
    stack = draw(st.lists(st.integers(1, 3), max_size=3))
    start = draw(st.integers(0, 99))

    def broadcast(sizes: list[int]) -> list[int]:
        """The same axes, some of them 1, and the first of them perhaps left out."""
        some = [draw(st.sampled_from([1, size])) if size else size for size in sizes]
        return some[draw(st.integers(0, len(some))) :]

    queries = rows(*broadcast(stack), n_queries, d_k, start=start)
    keys = rows(*broadcast(stack), n_keys, d_k, start=start + 100.0)
    values = rows(*broadcast(stack), n_keys, d_v, start=start + 200.0)
    axes = torch.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    mask = None
    if draw(st.booleans()):
        shape = broadcast([*axes, n_queries, n_keys])
        bits = draw(st.lists(st.booleans(), min_size=math.prod(shape), max_size=math.prod(shape)))
        mask = torch.tensor(bits, dtype=torch.bool).reshape(shape)
    return queries, keys, values, mask, draw(st.booleans())


@properties
@given(fitting(), st.sampled_from([torch.float64, torch.float32, torch.float16]))
def test_whatever_broadcasts_gives_what_the_numpy_helper_gives(given_: Any, dtype: torch.dtype) -> None:
    queries, keys, values = (part.to(dtype) for part in given_[:3])
    mask, causal = given_[3:]
    allowed = None if mask is None else mask.numpy()
    if causal:
        triangle = numpy_causal_mask(queries.shape[-2], keys.shape[-2])
        allowed = triangle if allowed is None else allowed & triangle
    expected, shares = numpy_attention(queries.numpy(), keys.numpy(), values.numpy(), allowed)
    eps = torch.finfo(dtype).eps
    output, weights = attention(queries, keys, values, None if allowed is None else torch.tensor(allowed))
    # Scores of up to 10, and weights whose errors are as many eps: both sides round.
    close(weights, shares, 40 * eps)
    close(output, expected, 160 * eps)
    close(fused_attention(queries, keys, values, mask, causal), expected, 160 * eps)


@pytest.mark.parametrize(
    ("n_queries", "n_keys", "expected"),
    [
        (3, 3, [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
        (2, 4, [[1, 1, 1, 0], [1, 1, 1, 1]]),
        (4, 2, [[0, 0], [0, 0], [1, 0], [1, 1]]),
        (1, 5, [[1, 1, 1, 1, 1]]),
        (1, 1, [[1]]),
        (0, 3, np.ones((0, 3))),
        (2, 0, np.ones((2, 0))),
    ],
)
def test_the_causal_mask_is_aligned_to_the_lower_right(n_queries: int, n_keys: int, expected: Any) -> None:
    mask = causal_mask(n_queries, n_keys)
    assert mask.dtype == torch.bool
    np.testing.assert_array_equal(mask, np.asarray(expected, dtype=bool), strict=True)
    np.testing.assert_array_equal(mask, numpy_causal_mask(n_queries, n_keys), strict=True)


def test_without_a_number_of_keys_the_causal_mask_is_square_and_lies_where_it_is_told() -> None:
    assert torch.equal(causal_mask(3), causal_mask(3, 3))
    assert causal_mask(3, device=torch.device("meta")).device.type == "meta"


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize(("n_queries", "n_keys"), [(5, 5), (5, 7), (7, 5), (1, 7), (1, 1), (7, 1)])
def test_the_causal_flag_is_the_causal_mask(n_queries: int, n_keys: int, padded: bool) -> None:
    queries, keys, values = sample(2, n_queries=n_queries, n_keys=n_keys)
    real = padding(3, n_keys, n_keys=n_keys) if padded else None
    allowed = torch.tensor(numpy_causal_mask(n_queries, n_keys))
    allowed = allowed if real is None else allowed & real
    expected, _ = attention(queries, keys, values, allowed)
    close(fused_attention(queries, keys, values, real, causal=True), expected)
    close(expected, by_loops(queries, keys, values, allowed.numpy())[0])


def test_a_single_new_query_sees_every_key_where_pytorchs_flag_shows_it_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queries, keys, values = sample(2, n_queries=1)
    monkeypatch.setattr(module_of_attention, "causal_mask", None)  # no mask is made to show it all
    found = fused_attention(queries, keys, values, causal=True)
    close(found, attention(queries, keys, values)[0])
    theirs = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    close(theirs, values[:, :1])
    assert (found - theirs).abs().max() > 0.1


@pytest.mark.parametrize(
    "shape", [(), (1,), (N_KEYS,), (1, N_KEYS), (N_QUERIES, 1), (2, 1, 1, N_KEYS), (3, N_QUERIES, 1)], ids=str
)
@PATHS
def test_a_mask_may_have_any_axes_that_broadcast(
    attend: Callable[..., Tensor], shape: tuple[int, ...]
) -> None:
    queries, keys, values = sample(2, 3)
    mask = torch.tensor(waves(*shape, start=3.0) > 0)
    full = np.broadcast_to(mask.numpy(), (2, 3, N_QUERIES, N_KEYS))
    close(attend(queries, keys, values, mask), by_loops(queries, keys, values, full)[0])


@PATHS
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_query_without_a_key_gets_zeros_and_gives_none(
    attend: Callable[..., Tensor], dtype: torch.dtype
) -> None:
    parts = [part.requires_grad_() for part in sample(2, 3, dtype=dtype)]
    output = attend(*parts, empty_row())
    assert not output[..., 2, :].any()
    assert output[..., [0, 1, 3, 4], :].all()
    gradients = torch.autograd.grad(output, parts, torch.ones_like(output))
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert not gradients[0][..., 2, :].any()
    assert all(gradient.any() for gradient in gradients)
    for part, gradient in zip(
        parts, torch.autograd.grad(attend(*parts, empty_row()).sum(), parts), strict=True
    ):
        assert gradient.dtype == part.dtype
    # Where nobody may attend, nothing flows.
    nothing = attend(*parts, torch.zeros(1, N_KEYS, dtype=torch.bool))
    assert not nothing.any()
    assert not any(gradient.any() for gradient in torch.autograd.grad(nothing.sum(), parts))


def test_pytorch_never_sees_a_row_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """What its back ends make of one differs; this one would give zeros, as ours does."""
    seen: list[Tensor] = []
    original = functional.scaled_dot_product_attention

    def spy(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor, **options: Any) -> Tensor:
        seen.append(mask)
        return original(queries, keys, values, mask, **options)

    monkeypatch.setattr(module_of_attention.F, "scaled_dot_product_attention", spy)
    fused_attention(*sample(2, 3), empty_row())
    fused_attention(*sample(2, n_queries=7, n_keys=5), causal=True)
    assert [bool(mask.any(dim=-1).all()) for mask in seen] == [True, True]


@PATHS
@pytest.mark.filterwarnings("ignore:Anomaly Detection:UserWarning")
def test_on_the_way_back_there_is_no_nan_that_is_wiped_out_later(attend: Callable[..., Tensor]) -> None:
    queries, keys, values = (part.requires_grad_() for part in sample(2, 3))
    with torch.autograd.detect_anomaly():  # raises where any step gives NaN
        attend(queries, keys, values, empty_row()).sum().backward()


def test_a_query_without_a_key_has_no_weights() -> None:
    _, weights = attention(*sample(2, 3), empty_row())
    assert not weights[..., 2, :].any()
    close(weights.sum(dim=-1), torch.tensor([1.0, 1, 0, 1, 1]).expand(2, 3, 5), 1e-15)


GRADIENT_MASKS = {
    "none": None,
    "an empty row": empty_row(3, 4, empty=1),
    "only empty rows": torch.zeros(3, 4, dtype=torch.bool),
    "padding": torch.arange(4) < 3,
}


@PATHS
@pytest.mark.parametrize("mask", GRADIENT_MASKS.values(), ids=GRADIENT_MASKS)
def test_gradients_are_those_of_finite_differences(
    attend: Callable[..., Tensor], mask: Tensor | None
) -> None:
    parts = [rows(2, n, d, start=float(n)).requires_grad_() for n, d in ((3, 5), (4, 5), (4, 2))]
    assert torch.autograd.gradcheck(lambda *given: attend(*given, mask), parts)


@pytest.mark.parametrize(("n_queries", "n_keys"), [(3, 3), (2, 4), (4, 2), (1, 3)])
def test_causal_gradients_are_those_of_finite_differences(n_queries: int, n_keys: int) -> None:
    parts = [
        rows(1, 2, n, d, start=float(d)).requires_grad_()
        for n, d in ((n_queries, 5), (n_keys, 5), (n_keys, 3))
    ]
    assert torch.autograd.gradcheck(lambda q, k, v: fused_attention(q, k, v, causal=True), parts)


def test_gradients_of_the_weights_flow_past_empty_rows() -> None:
    parts = [rows(2, n, 5, start=float(n)).requires_grad_() for n in (3, 4, 4)]
    assert torch.autograd.gradcheck(lambda q, k, v: attention(q, k, v, empty_row(3, 4))[1], parts)


@PATHS
def test_no_key_and_no_query(attend: Callable[..., Tensor]) -> None:
    queries, keys, values = sample(2)
    assert torch.equal(attend(queries, keys[:, :0], values[:, :0]), torch.zeros(2, N_QUERIES, D_V))
    assert attend(queries[:, :0], keys, values).shape == (2, 0, D_V)
    assert attend(queries[:0], keys[:0], values[:0]).shape == (0, N_QUERIES, D_V)
    assert attend(queries[0, :0], keys, values).shape == (2, 0, D_V)
    assert attend(queries[0, :0], keys[0], values).shape == (2, 0, D_V)
    assert attend(queries, keys[:1], values[:1]).shape == (2, N_QUERIES, D_V)
    assert attend(queries, keys[0, :0], values[0, :0]).shape == (2, N_QUERIES, D_V)


@PATHS
def test_inputs_are_left_as_they_were(attend: Callable[..., Tensor]) -> None:
    (queries, keys, values), mask = sample(2, 3), empty_row()
    parts = queries, keys, values, mask
    before = [part.clone() for part in parts]
    attend(queries, keys, values, mask)
    fused_attention(queries, keys, values, mask, causal=True)
    assert all(torch.equal(part, old) for part, old in zip(parts, before, strict=True))


@PATHS
def test_a_nan_is_not_hidden(attend: Callable[..., Tensor]) -> None:
    queries, keys, values = sample(2)
    queries[0, 1, 0] = torch.nan
    lost = attend(queries, keys, values).isnan()
    assert lost[0, 1].all()
    assert int(lost.sum()) == D_V


def test_large_scores_do_not_overflow() -> None:
    queries, keys, values = sample(2)
    for attend in (readable, fused):
        found = attend(queries * 1000, keys * 1000, values)
        best = (queries @ keys.mT).argmax(dim=-1)
        close(found, torch.stack([values[i, best[i]] for i in range(2)]), 1e-12)


# --- dropout ------------------------------------------------------------------------------------------------


def dropped_weights(p: float, n_rows: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    """-> the weights of attention, and what fused_attention made of them: the values are the unit matrix."""
    queries, keys = rows(n_rows, D_K), rows(N_KEYS, D_K, start=50.0)
    torch.manual_seed(seed)
    unit = torch.eye(N_KEYS, dtype=torch.float64)
    return attention(queries, keys, unit)[1], fused_attention(queries, keys, unit, dropout=p)


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9])
def test_dropout_drops_its_share_of_the_weights_and_scales_the_rest(p: float) -> None:
    weights, found = dropped_weights(p, n_rows=1001)
    kept = found != 0
    close(found[kept], weights[kept] / (1 - p), 1e-14)
    # The number kept is binomial: five standard deviations are missed once in two million seeds.
    n = found.numel()
    assert abs(int(kept.sum()) - n * (1 - p)) < 5 * math.sqrt(n * p * (1 - p))


def test_dropout_of_none_and_of_all() -> None:
    weights, found = dropped_weights(0.0, n_rows=5)
    close(found, weights)
    assert not dropped_weights(1.0, n_rows=5)[1].any()


def test_dropout_spares_a_row_without_a_key() -> None:
    output = fused_attention(*sample(2, 3), empty_row(), dropout=0.5)
    assert output.isfinite().all()
    assert not output[..., 2, :].any()


# --- what does not fit is named -----------------------------------------------------------------------------


FLOATS = {
    "queries that are a list": (
        (WRONG["a list"], KEYS, VALUES),
        TypeError,
        "queries must be a floating-point tensor; got list",
    ),
    "keys that are an array": (
        (QUERIES, WRONG["an array"], VALUES),
        TypeError,
        "keys must be a floating-point tensor; got ndarray",
    ),
    "whole numbers": (
        (QUERIES, KEYS, VALUES.long()),
        TypeError,
        "values must be a floating-point tensor; got torch.int64",
    ),
    "complex numbers": ((QUERIES.to(torch.complex64), KEYS, VALUES), TypeError, "got torch.complex64"),
    "a single vector": (
        (QUERIES[0, 0, 0], KEYS, VALUES),
        ValueError,
        r"queries must have shape \(..., n, d\), d at least 1; got \(11,\)",
    ),
    "vectors without entries": ((QUERIES[..., :0], KEYS[..., :0], VALUES), ValueError, r"got \(2, 3, 5, 0\)"),
    "two dtypes": (
        (QUERIES, KEYS.float(), VALUES),
        TypeError,
        "one dtype; got queries torch.float64, keys torch.float32, values torch.float64",
    ),
    "two devices": (
        (QUERIES, KEYS, VALUES.to("meta")),
        ValueError,
        "on one device; got queries on cpu, keys on cpu, values on meta",
    ),
    "two widths": (
        (QUERIES, KEYS[..., :4], VALUES),
        ValueError,
        r"queries \(2, 3, 5, 11\), keys \(2, 3, 7, 4\), values \(2, 3, 7, 4\)",
    ),
    "two lengths": ((QUERIES, KEYS, VALUES[..., :6, :]), ValueError, r"values \(2, 3, 6, 4\)"),
    "leading axes": (
        (QUERIES, KEYS[:, :2], VALUES[:, :2]),
        ValueError,
        r"axes before the last two.*must agree; got queries \(2, 3, 5, 11\), keys \(2, 2, 7, 11\)",
    ),
    "a mask of numbers": (
        (QUERIES, KEYS, VALUES, torch.ones(5, 7)),
        TypeError,
        r"mask must be a tensor of True \(may attend\) and False \(may not\); got torch.float32",
    ),
    "a mask that is an array": (
        (QUERIES, KEYS, VALUES, np.ones((5, 7), dtype=bool)),
        TypeError,
        "mask must be a tensor of True .* got ndarray",
    ),
    "a mask of another size": (
        (QUERIES, KEYS, VALUES, torch.ones(7, 5, dtype=torch.bool)),
        ValueError,
        r"mask must broadcast to \(..., n_queries, n_keys\) = \(2, 3, 5, 7\); got \(7, 5\)",
    ),
    "a mask with more axes": (
        (QUERIES, KEYS, VALUES, torch.ones(4, 1, 1, 5, 7, dtype=torch.bool)),
        ValueError,
        r"= \(2, 3, 5, 7\); got \(4, 1, 1, 5, 7\)",
    ),
    "a mask elsewhere": (
        (QUERIES, KEYS, VALUES, torch.ones(5, 7, dtype=torch.bool, device="meta")),
        ValueError,
        "mask must be on cpu, where the queries are; got meta",
    ),
}


@PATHS
@pytest.mark.parametrize(("given_", "error", "words"), FLOATS.values(), ids=FLOATS)
def test_tensors_that_do_not_go_together_are_named(
    attend: Callable[..., Tensor], given_: tuple[Any, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        attend(*given_)


def test_outside_autocast_dtypes_must_agree_and_inside_they_may_differ() -> None:
    parts = QUERIES.float(), KEYS.bfloat16(), VALUES.bfloat16()
    for attend in (readable, fused):
        with pytest.raises(TypeError, match=r"one dtype; got queries torch\.float32"):
            attend(*parts)
        with torch.autocast("cpu", torch.bfloat16):
            assert attend(*parts).dtype == torch.bfloat16


# --- the device ---------------------------------------------------------------------------------------------


def pretend(monkeypatch: pytest.MonkeyPatch, cuda: int, mps: bool) -> None:
    """Let PyTorch say that there are so many NVIDIA GPUs, and an Apple GPU or none."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


@pytest.mark.parametrize(
    ("cuda", "mps", "best"), [(2, True, "cuda"), (1, False, "cuda"), (0, True, "mps"), (0, False, "cpu")]
)
def test_the_best_device_is_the_first_of_cuda_mps_cpu(
    monkeypatch: pytest.MonkeyPatch, cuda: int, mps: bool, best: str
) -> None:
    pretend(monkeypatch, cuda, mps)
    assert best_device() == torch.device(best)
    assert best_device("cpu") == best_device(torch.device("cpu")) == torch.device("cpu")
    assert best_device("meta") == torch.device("meta")
    assert best_device("cpu:0") == torch.device("cpu:0")  # whatever number of GPUs there is


def test_the_wanted_device_is_taken_where_it_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, 2, True)
    for wanted in ("cuda", "cuda:0", "cuda:1", "mps", "cpu"):
        assert str(best_device(wanted)) == wanted


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("cuda", "device 'cuda' is not here; this machine has mps, cpu"),
        ("cuda:1", "device 'cuda:1' is not here; this machine has mps, cpu"),
        ("xpu", "device 'xpu' is not here; this machine has mps, cpu"),
        ("gpu", "device must be a name like 'cuda', 'mps' or 'cpu'; got 'gpu'"),
        ("", "device must be a name like 'cuda', 'mps' or 'cpu'; got ''"),
        (3.5, "device must be a name like .* got 3.5"),
        ([], r"device must be a name like .* got \[\]"),
    ],
)
def test_a_device_that_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch, wanted: Any, words: str) -> None:
    pretend(monkeypatch, 0, True)
    with pytest.raises(ValueError, match=words):
        best_device(wanted)


def test_a_gpu_without_a_number_is_the_current_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, 1, False)
    assert best_device("cuda") == torch.device("cuda")
    assert best_device("cuda:0") == torch.device("cuda", 0)


def test_a_gpu_too_many_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, 2, False)
    with pytest.raises(
        ValueError, match=re.escape("device 'cuda:2' is not here; this machine has 2 of them")
    ):
        best_device("cuda:2")


def test_the_choice_stands_in_one_place() -> None:
    assert list(module_of_attention.devices_here()) == ["cuda", "mps", "cpu"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no NVIDIA GPU on this machine")
@pytest.mark.parametrize("causal", [False, True])
def test_a_gpu_gives_the_cpus_answer(causal: bool) -> None:
    module = make(d_context=D_CONTEXT)
    parts = rows(BATCH, 5, D_MODEL), rows(BATCH, 7, D_CONTEXT), padding(3, 7)
    expected = module(*parts, causal)
    there = copy.deepcopy(module).to(best_device())
    x, context, mask = (part.to(best_device()) for part in parts)
    for found in (there(x, context, mask, causal), there.with_weights(x, context, mask, causal)[0]):
        assert found.device.type == "cuda"
        close(found.cpu(), expected.detach(), 1e-12)

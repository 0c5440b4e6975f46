"""helpers.pytorch.attention against loops, the NumPy helpers and PyTorch, and what always holds."""

import copy
import io
import math
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import oracles
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from samples import D_K, D_V, N_KEYS, N_QUERIES, STACKS, properties, waves
from torch import Tensor
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from helpers.attention import attention as numpy_attention
from helpers.cross_attention import cross_attention
from helpers.masking import causal_mask as numpy_causal_mask
from helpers.pytorch import attention as module_of_attention
from helpers.pytorch.attention import (
    MultiHeadAttention,
    attention,
    best_device,
    causal_mask,
    fused_attention,
)
from helpers.pytorch.weights import to_numpy
from helpers.validation import Array

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
BATCH, N_HEADS, D_HEAD, D_CONTEXT = 2, 3, 4, 9
D_MODEL = N_HEADS * D_HEAD


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Small tensors are faster on one thread, and their sums come out in one order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def tensor(array: Array, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.tensor(array, dtype=dtype)


def rows(*shape: int, start: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensor:
    return tensor(waves(*shape, start=start), dtype)


def sample(
    *stack: int, n_queries: int = N_QUERIES, n_keys: int = N_KEYS, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, Tensor, Tensor]:
    """Leading axes -> queries, keys, values, every size different."""
    return (
        rows(*stack, n_queries, D_K, dtype=dtype),
        rows(*stack, n_keys, D_K, start=50.0, dtype=dtype),
        rows(*stack, n_keys, D_V, start=90.0, dtype=dtype),
    )


def padding(*lengths: int, n_keys: int = N_KEYS) -> Tensor:
    """(B,) lengths -> (B, 1, n_keys): True for real keys."""
    return torch.arange(n_keys) < torch.tensor(lengths)[:, None, None]


def empty_row(n_queries: int = N_QUERIES, n_keys: int = N_KEYS, empty: int = 2) -> Tensor:
    mask = torch.ones(n_queries, n_keys, dtype=torch.bool)
    mask[empty] = False
    return mask


MASKS = {
    "none": None,
    "lower right": torch.tensor(numpy_causal_mask(N_QUERIES, N_KEYS)),
    "padding": torch.arange(N_KEYS) < 3,
    "an empty row": empty_row(),
    "some": torch.tensor(waves(N_QUERIES, N_KEYS, start=7.0) > 0.5),
}


def fused(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> Tensor:
    return fused_attention(queries, keys, values, mask)


def readable(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> Tensor:
    return attention(queries, keys, values, mask)[0]


PATHS = pytest.mark.parametrize("attend", [readable, fused])


def by_loops(queries: Tensor, keys: Tensor, values: Tensor, mask: Array | None) -> tuple[Array, Array]:
    """What the oracle gives, in float64, from the numbers as they are rounded."""
    q, k, v = (part.detach().double().numpy() for part in (queries, keys, values))
    return oracles.attention(q, k, v, mask)


def close(found: Tensor, expected: Tensor | Array | list[list[float]], error: float = 1e-13) -> None:
    """Equal shapes, and no entry further off than the error."""
    expected = expected.detach() if isinstance(expected, Tensor) else expected
    expected_numbers = np.asarray(expected, dtype=float)
    np.testing.assert_allclose(
        found.detach().double().numpy(), expected_numbers, rtol=0, atol=error, strict=True
    )


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


def test_a_single_new_query_sees_every_key_where_pytorchs_flag_shows_it_one() -> None:
    queries, keys, values = sample(2, n_queries=1)
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


def module_that_shows_its_weights(n: int, dropout: float) -> MultiHeadAttention:
    """One head whose values and whose w_o are unit matrices: given one as x, its output is its weights."""
    module = MultiHeadAttention(n, 1, bias=False, dropout=dropout, dtype=torch.float64)
    with torch.no_grad():
        module.to_values.weight.copy_(torch.eye(n))
        module.to_output.weight.copy_(torch.eye(n))
        module.to_queries.weight.copy_(rows(n, n))
    return module


@pytest.mark.parametrize("by", ["forward", "with_weights"])
def test_a_module_drops_weights_only_while_training_and_keeps_their_mean(by: str) -> None:
    n, p, n_draws = 7, 0.3, 2000
    module = module_that_shows_its_weights(n, p)
    x = torch.eye(n, dtype=torch.float64).expand(n_draws, n, n)
    shown: Callable[[], Tensor] = (
        (lambda: module(x)) if by == "forward" else (lambda: module.with_weights(x)[0])
    )
    module.eval()
    weights = module.with_weights(x[0])[1][0].detach()
    close(shown(), weights.expand(n_draws, n, n))
    module.train()
    torch.manual_seed(4)
    dropped = shown().detach()
    kept = dropped != 0
    close(dropped[kept], (weights / (1 - p)).expand(n_draws, n, n)[kept])
    # Each draw is w / (1 − p) or 0: its standard deviation is w √(p / (1 − p)), and the mean's that / √n.
    error = weights * math.sqrt(p / (1 - p) / n_draws)
    assert ((dropped.mean(dim=0) - weights).abs() < 5 * error).all()
    torch.manual_seed(4)
    assert torch.equal(shown(), dropped)
    assert not torch.equal(shown(), dropped)


@pytest.mark.parametrize("by", ["forward", "with_weights"])
def test_it_is_weights_that_are_dropped_and_no_part_of_the_output(by: str) -> None:
    # Every value is 1, so that an output is the sum of the weights that are left: one number in each head.
    module = MultiHeadAttention(D_MODEL, N_HEADS, dropout=0.5, dtype=torch.float64).train()
    with torch.no_grad():
        module.to_values.weight.zero_()
        module.to_values.bias.fill_(1.0)
        module.to_output.weight.copy_(torch.eye(D_MODEL))
        module.to_output.bias.zero_()
    x = rows(BATCH, 5, D_MODEL)
    torch.manual_seed(6)
    output = module(x) if by == "forward" else module.with_weights(x)[0]
    heads = output.detach().unflatten(-1, (N_HEADS, D_HEAD))
    close(heads, heads[..., :1].expand_as(heads))
    assert len(heads[..., 0].unique()) > 20  # of 2 · 5 · 3 sums; the output would be 0 or 2 each time


def test_weights_are_shown_before_dropout() -> None:
    module, x = module_that_shows_its_weights(7, 0.4), rows(2, 7, 7)
    _, evaluated = module.eval().with_weights(x, mask=empty_row(7, 7))
    output, trained = module.train().with_weights(x, mask=empty_row(7, 7))
    assert torch.equal(trained, evaluated)
    close(trained.sum(dim=-1), torch.tensor([1.0, 1, 0, 1, 1, 1, 1]).expand(2, 1, 7), 1e-15)
    assert not output[:, 2].any()


def test_in_eval_mode_dropout_changes_nothing() -> None:
    module, x = (
        MultiHeadAttention(D_MODEL, N_HEADS, dropout=0.5, dtype=torch.float64).eval(),
        rows(2, 5, D_MODEL),
    )
    plain = MultiHeadAttention(D_MODEL, N_HEADS, dtype=torch.float64)
    plain.load_state_dict(module.state_dict())
    assert torch.equal(module(x), plain.train()(x))
    assert torch.equal(module.with_weights(x)[0], plain.with_weights(x)[0])
    assert not torch.equal(module.train()(x), plain(x))


# --- MultiHeadAttention -------------------------------------------------------------------------------------

WIDTHS: dict[str, dict[str, Any]] = {
    "as usual": {},
    "no bias": {"bias": False},
    "a context of its own": {"d_context": D_CONTEXT},
    "every width its own": {"d_context": D_CONTEXT, "d_head": 5, "d_v": 2, "d_out": 7},
    "a width that the heads do not divide": {"d_head": 5, "n_heads": 7},
}


def make(dtype: torch.dtype = torch.float64, **widths: Any) -> MultiHeadAttention:
    """A module with parameters without a pattern."""
    module = MultiHeadAttention(D_MODEL, widths.pop("n_heads", N_HEADS), dtype=dtype, **widths)
    with torch.no_grad():
        for start, parameter in enumerate(module.parameters()):
            parameter.copy_(rows(*parameter.shape, start=7.0 * start) / math.sqrt(parameter.shape[-1]))
    return module


def input_of(module: MultiHeadAttention, *stack: int, self_attention: bool) -> tuple[Tensor, Tensor | None]:
    d_context, dtype = module.to_keys.in_features, module.to_keys.weight.dtype
    x = rows(*stack, N_QUERIES, D_MODEL, dtype=dtype)
    return x, None if self_attention else rows(*stack, N_KEYS, d_context, start=30.0, dtype=dtype)


@pytest.mark.parametrize("widths", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("mask", ["none", "padding", "for each sentence", "an empty row"])
def test_a_module_is_what_loops_give(widths: dict[str, Any], mask: str) -> None:
    module = make(**widths)
    x, context = input_of(module, BATCH, self_attention=False)
    assert context is not None
    masks = {
        "none": None,
        "padding": padding(3, 6),
        "for each sentence": torch.tensor(waves(BATCH, N_QUERIES, N_KEYS, start=9.0) > -0.5),
        "an empty row": empty_row(),
    }
    allowed = masks[mask]
    parameters = to_numpy(module)
    matrices = [np.asarray(w) for w in parameters[:4]]
    biases = [
        np.zeros(w.shape[1]) if b is None else np.asarray(b)
        for w, b in zip(matrices, parameters[4:], strict=True)
    ]
    full = None if allowed is None else np.broadcast_to(allowed.numpy(), (BATCH, N_QUERIES, N_KEYS))
    expected, maps = oracles.multi_head_attention(
        x.numpy(), context.numpy(), matrices, biases, module.n_heads, full
    )
    output, weights = module.with_weights(x, context, allowed)
    close(output, expected)
    close(weights, maps)
    close(module(x, context, allowed), expected)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16], ids=str)
@pytest.mark.parametrize("stack", [(), (2,), (2, 3)], ids=str)
@pytest.mark.parametrize("self_attention", [True, False])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_a_module_is_the_numpy_helper(
    dtype: torch.dtype, stack: tuple[int, ...], self_attention: bool, causal: bool, masked: bool
) -> None:
    module = make(dtype, d_context=D_MODEL if self_attention else D_CONTEXT)
    x, context = input_of(module, *stack, self_attention=self_attention)
    rows_of_keys = x if context is None else context
    n_keys = rows_of_keys.shape[-2]
    lengths = torch.arange(math.prod(stack)).reshape(stack) % 3 + 3
    mask = torch.arange(n_keys) < lengths[..., None, None] if masked else None
    allowed = np.ones((N_QUERIES, n_keys), dtype=bool)
    if causal:
        allowed = allowed & numpy_causal_mask(N_QUERIES, n_keys)
    if mask is not None:
        allowed = allowed & mask.numpy()
    expected, maps = cross_attention(x.numpy(), rows_of_keys.numpy(), to_numpy(module), N_HEADS, allowed)
    output, weights = module.with_weights(x, context, mask, causal)
    assert output.dtype == weights.dtype == dtype
    eps = torch.finfo(dtype).eps  # both sides round, three products in a row: up to 8 and 36 eps were seen
    close(weights, maps, 30 * eps)
    close(output, expected, 120 * eps)
    close(module(x, context, mask, causal), expected, 120 * eps)


@pytest.mark.parametrize("n_keys", [3, 5, 8])
def test_the_causal_flag_of_a_module_hides_the_future(n_keys: int) -> None:
    module = make(d_context=D_CONTEXT)
    x, context = rows(BATCH, 5, D_MODEL), rows(BATCH, n_keys, D_CONTEXT, start=30.0)
    output, weights = module.with_weights(x, context, causal=True)
    allowed = torch.tensor(numpy_causal_mask(5, n_keys))
    assert torch.equal(weights != 0, allowed.expand_as(weights))
    close(module(x, context, causal=True), output)
    close(module(x, context, causal_mask(5, n_keys)), output)


def test_unbatched_rows_are_a_batch_of_one() -> None:
    module, x = make(), rows(5, D_MODEL)
    for mask in (None, empty_row(5, 5)):
        output, weights = module.with_weights(x, mask=mask, causal=True)
        assert output.shape == (5, D_MODEL)
        assert weights.shape == (N_HEADS, 5, 5)
        close(module(x, mask=mask, causal=True), module(x[None], mask=mask, causal=True)[0])
        close(output, module.with_weights(x[None], mask=mask, causal=True)[0][0])


def test_one_context_may_be_read_by_many() -> None:
    module = make(d_context=D_CONTEXT)
    x, context = rows(2, 3, 5, D_MODEL), rows(7, D_CONTEXT, start=30.0)
    close(module(x, context), module(x, context.expand(2, 3, 7, D_CONTEXT)))
    close(module.with_weights(x, context)[0], module(x, context))


def test_a_module_that_sees_nothing_gives_its_last_bias() -> None:
    module = make()
    nothing = torch.zeros(5, 5, dtype=torch.bool)
    x = rows(2, 5, D_MODEL)
    close(module(x, mask=nothing), module.to_output.bias.expand(2, 5, D_MODEL).detach(), 0.0)
    close(module.with_weights(x, mask=nothing)[0], module.to_output.bias.expand(2, 5, D_MODEL).detach(), 0.0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_parameter_gets_a_finite_gradient_past_an_empty_row(dtype: torch.dtype) -> None:
    module = make(dtype, d_context=D_CONTEXT)
    x, context = input_of(module, BATCH, self_attention=False)
    for output in (module(x, context, empty_row()), module.with_weights(x, context, empty_row())[0]):
        module.zero_grad()
        output.square().sum().backward()
        for name, parameter in module.named_parameters():
            assert parameter.requires_grad
            assert parameter.grad is not None
            assert parameter.grad.isfinite().all(), name
            # Softmax ignores what all scores of a query have in common: the keys' bias gets rounding only.
            assert parameter.grad.any() or name == "to_keys.bias", name


def test_the_gradients_of_a_module_are_those_of_finite_differences() -> None:
    module = MultiHeadAttention(4, 2, d_context=3, dtype=torch.float64)
    x, context = rows(2, 3, 4).requires_grad_(), rows(2, 4, 3, start=9.0).requires_grad_()
    mask = empty_row(3, 4)
    assert torch.autograd.gradcheck(lambda x, context: module(x, context, mask, True), (x, context))
    assert torch.autograd.gradcheck(
        lambda x, context: module.with_weights(x, context, mask, True), (x, context)
    )


def test_the_inputs_of_a_module_are_left_as_they_were() -> None:
    module = make(d_context=D_CONTEXT)
    x, context, mask = parts = rows(BATCH, 5, D_MODEL), rows(BATCH, 7, D_CONTEXT), padding(3, 7)
    before = [part.clone() for part in parts]
    module(x, context, mask, causal=True)
    module.with_weights(x, context, mask, causal=True)
    assert all(torch.equal(part, old) for part, old in zip(parts, before, strict=True))


def test_parameters_are_four_linear_layers_drawn_as_pytorch_draws_them() -> None:
    torch.manual_seed(5)
    module = MultiHeadAttention(12, 3, d_context=9, d_head=5, d_v=2, d_out=7)
    torch.manual_seed(5)
    linears = {
        "to_queries": torch.nn.Linear(12, 15),
        "to_keys": torch.nn.Linear(9, 15),
        "to_values": torch.nn.Linear(9, 6),
        "to_output": torch.nn.Linear(6, 7),
    }
    expected = {f"{name}.{key}": t for name, one in linears.items() for key, t in one.state_dict().items()}
    assert list(module.state_dict()) == list(expected)
    for name, parameter in module.state_dict().items():
        assert torch.equal(parameter, expected[name]), name
    without = MultiHeadAttention(12, 3, bias=False)
    assert [tuple(p.shape) for p in without.parameters()] == [(12, 12)] * 4


def test_a_module_can_be_copied_saved_and_moved_to_another_dtype() -> None:
    module, x = make(dropout=0.25), rows(BATCH, 5, D_MODEL)
    module.eval()
    other = copy.deepcopy(module)
    close(other(x), module(x), 0.0)
    with torch.no_grad():
        other.to_queries.weight.zero_()
    assert module.to_queries.weight.any()
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    fresh = MultiHeadAttention(D_MODEL, N_HEADS, dtype=torch.float64)
    assert (
        str(fresh.load_state_dict(torch.load(file, weights_only=True))) == "<All keys matched successfully>"
    )
    close(fresh(x), module(x), 0.0)
    narrow = copy.deepcopy(module).to(torch.bfloat16)
    assert narrow(x.bfloat16()).dtype == torch.bfloat16
    assert narrow.dropout == 0.25


# --- every way in which PyTorch runs it ---------------------------------------------------------------------


CALLS: dict[str, tuple[bool, bool, bool]] = {  # context?, mask?, causal?
    "itself": (False, False, False),
    "itself, causal": (False, False, True),
    "a context, padding, causal": (True, True, True),
}


def call_of(kind: str, dtype: torch.dtype = torch.float32) -> tuple[Any, ...]:
    crossed, masked, causal = CALLS[kind]
    context = rows(BATCH, N_KEYS, D_MODEL, start=30.0, dtype=dtype) if crossed else None
    n_keys = N_KEYS if crossed else 5
    mask = padding(3, n_keys, n_keys=n_keys) if masked else None
    return rows(BATCH, 5, D_MODEL, dtype=dtype), context, mask, causal


def assert_compiles(backend: str, kinds: list[str]) -> None:
    torch.compiler.reset()
    module = make(torch.float32)
    # fullgraph: a piece that cannot be compiled is an error and not a detour through Python.
    compiled = torch.compile(module, fullgraph=True, backend=backend)
    shown = torch.compile(module.with_weights, fullgraph=True, backend=backend)
    for kind in kinds:
        x, *others = call_of(kind)
        x.requires_grad_()
        expected = module(x, *others)
        close(compiled(x, *others), expected.detach(), 1e-5)
        close(shown(x, *others)[0], expected.detach(), 1e-5)
        (gradient,) = torch.autograd.grad(compiled(x, *others).sum(), x)
        close(gradient, torch.autograd.grad(expected.sum(), x)[0], 1e-4)


@pytest.mark.parametrize(("backend", "kinds"), [("eager", list(CALLS)), ("aot_eager", list(CALLS)[2:])])
def test_it_compiles_in_one_piece(backend: str, kinds: list[str]) -> None:
    assert_compiles(backend, kinds)


def has_compiler() -> bool:
    return any(shutil.which(name) for name in ("g++", "clang++"))


@pytest.mark.skipif(not has_compiler(), reason="torch.compile's inductor needs a C++ compiler: none is here")
# Its command to the linker names PyTorch's folder without quotation marks.
@pytest.mark.skipif(
    " " in torch.__file__, reason="inductor cannot link where PyTorch's path has a space in it"
)
# PyTorch's own inductor still uses a part of PyTorch that warns of its end.
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_it_compiles_to_machine_code() -> None:
    torch.compiler.reset()
    module = make(torch.float32)
    compiled = torch.compile(module, fullgraph=True)
    given = call_of("a context, padding, causal")
    with torch.no_grad():
        close(compiled(*given), module(*given), 1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("kind", CALLS)
def test_autocast_computes_in_half_precision(kind: str, dtype: torch.dtype) -> None:
    module, given = make(torch.float32), call_of(kind)
    exact = module(*given)
    with torch.autocast("cpu", dtype):
        output = module(*given)
        shown, weights = module.with_weights(*given)
        queries = given[0].to(dtype)  # a half-precision tensor meets a float32 one: allowed here only
        attention(queries, given[0], given[0])
        fused_attention(queries, given[0], given[0])
    assert output.dtype == shown.dtype == dtype
    assert weights.isfinite().all()
    eps = torch.finfo(dtype).eps
    for found in (output, shown):
        assert found.dtype == dtype
        assert 0 < (found - exact).abs().max() < 10 * eps
    output.float().sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in module.parameters())


@pytest.mark.parametrize("kind", CALLS)
def test_on_the_meta_device_there_are_shapes_and_no_numbers(kind: str) -> None:
    module = MultiHeadAttention(D_MODEL, N_HEADS, d_out=11, device="meta")
    given: list[Any] = [part.to("meta") if isinstance(part, Tensor) else part for part in call_of(kind)]
    output, (shown, weights) = module(*given), module.with_weights(*given)
    assert {output.device.type, shown.device.type, weights.device.type} == {"meta"}
    n_keys = 5 if given[1] is None else N_KEYS
    assert output.shape == shown.shape == (BATCH, 5, 11)
    assert weights.shape == (BATCH, N_HEADS, 5, n_keys)


class LargestTensor(TorchDispatchMode):
    """How many numbers the largest tensor has that any step makes while this is on."""

    numbers = 0

    def __torch_dispatch__(
        self, step: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        made = step(*args, **(kwargs or {}))
        sizes = [part.numel() for part in tree_leaves(made) if isinstance(part, Tensor)]
        self.numbers = max([self.numbers, *sizes])
        return made


def largest_tensor(run: Callable[[], object]) -> int:
    with LargestTensor() as largest:
        run()
    return largest.numbers


def test_the_fused_path_never_makes_an_n_by_n_tensor() -> None:
    n, d_model = 300, 16
    module, x = MultiHeadAttention(d_model, 2), torch.zeros(1, n, d_model)
    rows_alone = n * d_model
    for causal in (False, True):
        assert largest_tensor(partial(module, x, causal=causal)) == rows_alone
        assert largest_tensor(module(x, causal=causal).sum().backward) == rows_alone
        assert largest_tensor(partial(module.with_weights, x, causal=causal)) == 2 * n * n
    assert largest_tensor(lambda: module(x, mask=padding(200, n_keys=n))) == rows_alone
    # A step of decoding: one query and many keys, of which none lies in the future.
    assert largest_tensor(lambda: module(x[:, -1:], x, causal=True)) == rows_alone


# --- what does not fit is named -----------------------------------------------------------------------------

QUERIES, KEYS, VALUES = sample(2, 3)
WRONG: Any = {"a list": [[1.0]], "an array": np.ones((5, 11)), "a context": np.ones((2, 7, 9)), "half": 1.5}
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


MODULE = make(d_context=D_CONTEXT)
X, CONTEXT = rows(BATCH, 5, D_MODEL), rows(BATCH, 7, D_CONTEXT)
MISFITS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "heads": (
        lambda: MultiHeadAttention(12, 5),
        ValueError,
        "n_heads must divide d_model; got 5 heads and d_model 12",
    ),
    "no head": (lambda: MultiHeadAttention(12, 0), ValueError, "n_heads must be at least 1; got 0"),
    "half a head": (
        lambda: MultiHeadAttention(12, WRONG["half"]),
        TypeError,
        "n_heads must be a whole number",
    ),
    "d_model": (lambda: MultiHeadAttention(0, 1), ValueError, "d_model must be at least 1; got 0"),
    "d_head": (lambda: MultiHeadAttention(12, 3, d_head=0), ValueError, "d_head must be at least 1; got 0"),
    "d_v": (lambda: MultiHeadAttention(12, 3, d_v=-2), ValueError, "d_v must be at least 1; got -2"),
    "d_out": (lambda: MultiHeadAttention(12, 3, d_out=0), ValueError, "d_out must be at least 1; got 0"),
    "d_context": (lambda: MultiHeadAttention(12, 3, d_context=0), ValueError, "d_context must be at least 1"),
    "dropout": (
        lambda: MultiHeadAttention(12, 3, dropout=1.1),
        ValueError,
        "dropout must lie from 0 to 1; got 1.1",
    ),
    "dropout of a function": (
        lambda: fused_attention(QUERIES, KEYS, VALUES, dropout=-0.1),
        ValueError,
        "dropout must lie from 0 to 1; got -0.1",
    ),
    "dropout that is no number": (
        lambda: fused_attention(QUERIES, KEYS, VALUES, dropout=math.nan),
        ValueError,
        "dropout must lie from 0 to 1; got nan",
    ),
    "x too wide": (
        lambda: MODULE(rows(2, 5, 13), CONTEXT),
        ValueError,
        r"x must have shape \(..., n, d_model\) with d_model = 12; got \(2, 5, 13\)",
    ),
    "x a vector": (lambda: MODULE(rows(12), CONTEXT), ValueError, r"d_model = 12; got \(12,\)"),
    "x an array": (
        lambda: MODULE(X.numpy(), CONTEXT),
        TypeError,
        "x must be a floating-point tensor; got ndarray",
    ),
    "x a list": (lambda: MODULE(X.tolist()), TypeError, "x must be a floating-point tensor; got list"),
    "no context": (
        lambda: MODULE(X),
        ValueError,
        r"context must have shape \(..., n, d_context\) with d_context = 9; got \(2, 5, 12\)",
    ),
    "context an array": (
        lambda: MODULE.with_weights(X, WRONG["a context"]),
        TypeError,
        "context must be a floating-point tensor; got ndarray",
    ),
    "two batches": (
        lambda: MODULE(X, rows(3, 7, D_CONTEXT)),
        ValueError,
        r"must agree; got queries \(2, 3, 5, 4\), keys \(3, 3, 7, 4\)",
    ),
    "a mask of x": (
        lambda: MODULE(X, CONTEXT, causal_mask(5)),
        ValueError,
        r"= \(2, 3, 5, 7\); got \(5, 5\)",
    ),
    "a mask of x, with weights": (
        lambda: MODULE.with_weights(X, CONTEXT, causal_mask(5)),
        ValueError,
        r"= \(2, 3, 5, 7\); got \(5, 5\)",
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), MISFITS.values(), ids=MISFITS)
def test_what_does_not_fit_a_module_is_named(
    call: Callable[[], Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call()


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


def test_a_gpu_too_many_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, 2, False)
    with pytest.raises(
        ValueError, match=re.escape("device 'cuda:2' is not here; this machine has 2 of them")
    ):
        best_device("cuda:2")


def test_the_choice_stands_in_one_place() -> None:
    assert list(module_of_attention._is_here()) == ["cuda", "mps", "cpu"]


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

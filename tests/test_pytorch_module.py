"""MultiHeadAttention of helpers.pytorch against loops and the NumPy helper, its dropout and parameters."""

import copy
import io
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import oracles
import pytest
import torch
from samples import N_KEYS, N_QUERIES, waves
from torch import Tensor
from torch_samples import (
    BATCH,
    D_CONTEXT,
    D_HEAD,
    D_MODEL,
    DTYPES,
    KEYS,
    N_HEADS,
    QUERIES,
    VALUES,
    WRONG,
    close,
    empty_row,
    input_of,
    make,
    on_one_thread,
    padding,
    rows,
)

from helpers.cross_attention import cross_attention
from helpers.masking import causal_mask as numpy_causal_mask
from helpers.pytorch.attention import (
    MultiHeadAttention,
    causal_mask,
    fused_attention,
)
from helpers.pytorch.weights import to_numpy


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    yield from on_one_thread()


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


WIDTHS: dict[str, dict[str, Any]] = {
    "as usual": {},
    "no bias": {"bias": False},
    "a context of its own": {"d_context": D_CONTEXT},
    "every width its own": {"d_context": D_CONTEXT, "d_head": 5, "d_v": 2, "d_out": 7},
    "a width that the heads do not divide": {"d_head": 5, "n_heads": 7},
}


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

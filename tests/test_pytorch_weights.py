"""helpers.pytorch.weights: the same parameters in NumPy, in our module and in nn.MultiheadAttention."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from samples import properties, waves
from torch import Tensor, nn

from helpers.cross_attention import cross_attention
from helpers.multi_head import Projections, multi_head_attention
from helpers.pytorch.attention import MultiHeadAttention, causal_mask
from helpers.pytorch.weights import from_numpy, from_torch, state_dict_from_numpy, to_numpy, to_torch
from helpers.validation import Array

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
N_HEADS, D_HEAD, D_V, D_MODEL, D_CONTEXT, D_OUT = 3, 4, 2, 11, 9, 7
WIDTH = N_HEADS * D_HEAD  # the d_model of nn.MultiheadAttention, which knows no other


def projections(dtype: Any = np.float64, biased: bool = True) -> Projections:
    """Every width its own."""
    shapes = [(D_MODEL, WIDTH), (D_CONTEXT, WIDTH), (D_CONTEXT, N_HEADS * D_V), (N_HEADS * D_V, D_OUT)]
    matrices = [(waves(*shape, start=7.0 * i) / 3).astype(dtype) for i, shape in enumerate(shapes)]
    biases = [waves(shape[1], start=90.0 + i).astype(dtype) for i, shape in enumerate(shapes)]
    return Projections(*matrices, *(biases if biased else []))


def theirs(dtype: torch.dtype = torch.float64, **options: Any) -> nn.MultiheadAttention:
    """nn.MultiheadAttention with parameters without a pattern; its own biases would be zeros."""
    module = nn.MultiheadAttention(WIDTH, N_HEADS, dtype=dtype, **options)
    with torch.no_grad():
        for start, parameter in enumerate(module.parameters()):
            parameter.copy_(torch.tensor(waves(*parameter.shape, start=7.0 * start) / 3))
    return module


def rows(*shape: int, start: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.tensor(waves(*shape, start=start), dtype=dtype)


def close(found: Tensor, expected: Tensor | Array, error: float = 1e-13) -> None:
    expected = expected.detach().double() if isinstance(expected, Tensor) else expected
    np.testing.assert_allclose(
        found.detach().double().numpy(), np.asarray(expected, float), rtol=0, atol=error, strict=True
    )


def same_state(one: nn.Module, other: nn.Module) -> None:
    first, second = one.state_dict(), other.state_dict()
    assert list(first) == list(second)
    for name, parameter in first.items():
        assert parameter.dtype == second[name].dtype, name
        assert torch.equal(parameter, second[name]), name


# --- NumPy --------------------------------------------------------------------------------------------------


def test_a_matrix_is_turned_and_a_bias_is_not() -> None:
    given_ = Projections(
        *(np.array([[1.0, 2.0], [3.0, 4.0]]) + 10 * i for i in range(4)),
        *(np.array([5.0, 6.0]) + 10 * i for i in range(4)),
    )
    state = state_dict_from_numpy(given_)
    names = ("to_queries", "to_keys", "to_values", "to_output")
    assert list(state) == [f"{name}.{part}" for name in names for part in ("weight", "bias")]
    for i, name in enumerate(names):
        assert (state[f"{name}.weight"] - 10 * i).tolist() == [[1, 3], [2, 4]]
        assert (state[f"{name}.bias"] - 10 * i).tolist() == [5, 6]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("biased", [True, False])
def test_numpy_to_ours_and_back_changes_no_number(dtype: Any, biased: bool) -> None:
    given_ = projections(dtype, biased)
    module = from_numpy(given_, N_HEADS)
    back = to_numpy(module)
    for name, before, after in zip(Projections._fields, given_, back, strict=True):
        assert (before is None) == (after is None), name
        if before is not None:
            assert np.asarray(after).dtype == np.dtype(dtype)
            np.testing.assert_array_equal(np.asarray(after), np.asarray(before), err_msg=name)


@properties
@given(st.tuples(*[st.integers(1, 4)] * 6), st.booleans(), st.sampled_from(DTYPES))
def test_ours_to_numpy_and_back_changes_no_number(
    sizes: tuple[int, ...], bias: bool, dtype: torch.dtype
) -> None:
    d_model, n_heads, d_context, d_head, d_v, d_out = sizes
    module = MultiHeadAttention(
        d_model, n_heads, d_context=d_context, d_head=d_head, d_v=d_v, d_out=d_out, bias=bias, dtype=dtype
    )
    same_state(from_numpy(to_numpy(module), n_heads, dtype=dtype), module)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("biased", [True, False])
def test_a_module_from_numpy_gives_what_numpy_gives(dtype: Any, biased: bool) -> None:
    given_ = projections(dtype, biased)
    x, context = waves(2, 5, D_MODEL, dtype=dtype), waves(2, 6, D_CONTEXT, start=40.0, dtype=dtype)
    expected, maps = cross_attention(x, context, given_, N_HEADS)
    module = from_numpy(given_, N_HEADS)
    output, weights = module.with_weights(torch.tensor(x), torch.tensor(context))
    eps = float(np.finfo(dtype).eps)
    assert output.dtype == torch.tensor(x).dtype
    # Both sides round, in numbers of up to 16: up to 5 and 15 eps were seen.
    close(weights, maps, 50 * eps)
    close(output, expected, 200 * eps)
    close(module(torch.tensor(x), torch.tensor(context)), expected, 200 * eps)


def test_a_module_gives_what_numpy_gives_with_its_parameters() -> None:
    module = MultiHeadAttention(WIDTH, N_HEADS, dtype=torch.float64)
    x = rows(2, 5, WIDTH)
    expected, _ = multi_head_attention(x.numpy(), to_numpy(module), N_HEADS)
    close(module(x), expected)


def test_bfloat16_becomes_float32_and_the_others_stay() -> None:
    for dtype, expected in zip(DTYPES, ("float64", "float32", "float32", "float16"), strict=True):
        module = MultiHeadAttention(4, 2, dtype=dtype)
        found = to_numpy(module)
        assert {str(np.asarray(part).dtype) for part in found} == {expected}
        np.testing.assert_array_equal(found.w_q, module.to_queries.weight.detach().double().numpy().T)


def test_the_dtype_is_the_parameters_unless_one_is_given() -> None:
    given_ = projections(np.float32)
    assert from_numpy(given_, N_HEADS).to_keys.weight.dtype == torch.float32
    for dtype in DTYPES:
        module = from_numpy(given_, N_HEADS, dtype=dtype)
        assert {parameter.dtype for parameter in module.parameters()} == {dtype}
        close(module.to_keys.weight, torch.tensor(given_.w_k).T.to(dtype), 0.0)


@pytest.mark.parametrize(("wide", "dtype"), [("w_o", np.float64), ("b_v", np.float32)])
def test_of_several_dtypes_the_widest_is_taken(wide: str, dtype: Any) -> None:
    given_ = projections(np.float16)
    exact = getattr(projections(np.float64), wide).astype(dtype) / 3
    module = from_numpy(given_._replace(**{wide: exact}), N_HEADS)
    np.testing.assert_array_equal(getattr(to_numpy(module), wide), exact)


def test_whole_numbers_and_lists_become_float64() -> None:
    unit = [[1, 0], [0, 1]]
    module = from_numpy(Projections(unit, unit, unit, [[2, 0], [0, 3]]), 1)
    assert {parameter.dtype for parameter in module.parameters()} == {torch.float64}
    assert module.to_output.weight.tolist() == [[2, 0], [0, 3]]


@pytest.mark.parametrize("order", [">", "<"])
def test_either_byte_order_will_do(order: str) -> None:
    given_ = projections()
    other = Projections(*(np.asarray(part).astype(f"{order}f8") for part in given_))
    same_state(from_numpy(other, N_HEADS), from_numpy(given_, N_HEADS))


def test_a_matrix_need_not_lie_in_one_piece() -> None:
    given_ = projections()
    turned = given_._replace(w_k=np.asarray(given_.w_k).T.copy().T)
    every_other = given_._replace(w_q=np.repeat(np.asarray(given_.w_q), 2, axis=1)[:, ::2])
    for other in (turned, every_other):
        same_state(from_numpy(other, N_HEADS), from_numpy(given_, N_HEADS))


def test_a_bias_that_is_missing_among_others_is_zeros() -> None:
    module = from_numpy(projections()._replace(b_q=None, b_o=None), N_HEADS)
    assert not module.to_queries.bias.any()
    assert not module.to_output.bias.any()
    np.testing.assert_array_equal(module.to_keys.bias.detach().numpy(), projections().b_k)
    assert from_numpy(projections(biased=False), N_HEADS).to_keys.bias is None


def test_a_module_from_numpy_is_ready_to_train() -> None:
    module = from_numpy(projections(), N_HEADS, dropout=0.25)
    assert module.training
    assert module.dropout == 0.25
    assert module.n_heads == N_HEADS
    assert all(parameter.requires_grad for parameter in module.parameters())


def test_a_state_dict_from_numpy_is_what_a_module_loads() -> None:
    module = MultiHeadAttention(D_MODEL, N_HEADS, d_context=D_CONTEXT, d_head=D_HEAD, d_v=D_V, d_out=D_OUT)
    module.load_state_dict(state_dict_from_numpy(projections(np.float32)))
    same_state(module, from_numpy(projections(np.float32), N_HEADS))


def overwrite(parameters: Any) -> None:
    with torch.no_grad():
        for parameter in parameters:
            parameter.fill_(77.0)


def test_nothing_is_shared_with_the_source() -> None:
    given_ = projections()
    module = from_numpy(given_, N_HEADS)
    arrays = to_numpy(module)
    overwrite(module.parameters())
    for one, other, expected in zip(given_, arrays, projections(), strict=True):
        np.testing.assert_array_equal(np.asarray(one), expected)
        np.testing.assert_array_equal(np.asarray(other), expected)
    crossed: dict[str, Any] = {"kdim": D_CONTEXT, "vdim": D_CONTEXT}
    for options in ({}, crossed):
        source = theirs(**options)
        ours = from_torch(source)
        overwrite(source.parameters())
        same_state(ours, from_torch(theirs(**options)))
        copied = to_torch(ours)
        overwrite(ours.parameters())
        same_state(copied, theirs(**options))


# --- nn.MultiheadAttention ----------------------------------------------------------------------------------


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_ours_gives_what_theirs_gives(crossed: bool, bias: bool, dtype: torch.dtype) -> None:
    widths = {"kdim": D_CONTEXT, "vdim": D_CONTEXT} if crossed else {}
    source = theirs(dtype, bias=bias, batch_first=True, **widths)
    ours = from_torch(source)
    assert isinstance(ours, MultiHeadAttention)
    assert {parameter.dtype for parameter in ours.parameters()} == {dtype}
    assert (ours.to_output.bias is not None) == bias
    x = rows(2, 5, WIDTH, dtype=dtype)
    context = rows(2, 6, D_CONTEXT, start=40.0, dtype=dtype) if crossed else x
    n_keys = context.shape[1]
    real = torch.arange(n_keys) < torch.tensor([3, n_keys])[:, None]
    allowed = causal_mask(5, n_keys) & real[:, None]
    expected, maps = source(
        x,
        context,
        context,
        key_padding_mask=~real,
        attn_mask=~causal_mask(5, n_keys),
        average_attn_weights=False,
    )
    output, weights = ours.with_weights(x, context, allowed)
    eps = torch.finfo(dtype).eps
    # Both sides round, and the outputs reach 8: up to 5 and 24 eps were seen.
    close(weights, maps, 20 * eps)
    close(output, expected, 80 * eps)
    close(ours(x, context, real[:, None], causal=True), expected, 80 * eps)


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_theirs_to_ours_and_back_changes_no_number(crossed: bool, bias: bool, dtype: torch.dtype) -> None:
    widths = {"kdim": D_CONTEXT, "vdim": D_CONTEXT} if crossed else {}
    source = theirs(dtype, bias=bias, **widths)
    ours = from_torch(source)
    back = to_torch(ours)
    same_state(back, source)
    same_state(from_torch(back), ours)
    assert ("in_proj_weight" in back.state_dict()) == (not crossed)


def test_packed_rows_are_queries_keys_values() -> None:
    source = nn.MultiheadAttention(2, 1)
    with torch.no_grad():
        source.in_proj_weight.copy_(torch.arange(12.0).reshape(6, 2))
        source.in_proj_bias.copy_(torch.arange(6.0))
    ours = from_torch(source)
    assert ours.to_queries.weight.tolist() == [[0, 1], [2, 3]]
    assert ours.to_keys.weight.tolist() == [[4, 5], [6, 7]]
    assert ours.to_values.weight.tolist() == [[8, 9], [10, 11]]
    assert [one.bias.tolist() for one in (ours.to_queries, ours.to_keys, ours.to_values)] == [
        [0, 1],
        [2, 3],
        [4, 5],
    ]
    # And so through to NumPy, where a matrix is (in, out).
    np.testing.assert_array_equal(to_numpy(ours).w_k, [[4, 6], [5, 7]])


@pytest.mark.parametrize("batch_first", [True, False])
def test_ours_takes_the_batch_first_whatever_theirs_took(batch_first: bool) -> None:
    source, x = theirs(batch_first=batch_first), rows(2, 5, WIDTH)
    given_ = x if batch_first else x.transpose(0, 1)
    expected = source(given_, given_, given_)[0]
    close(from_torch(source)(x), expected if batch_first else expected.transpose(0, 1))
    back = to_torch(from_torch(source))
    assert back.batch_first
    close(back(x, x, x)[0], from_torch(source)(x))


@pytest.mark.parametrize("training", [True, False])
def test_dropout_and_mode_are_kept(training: bool) -> None:
    source = theirs(dropout=0.25).train(training)
    ours = from_torch(source)
    assert ours.dropout == 0.25
    assert {part.training for part in ours.modules()} == {training}
    back = to_torch(ours)
    assert back.dropout == 0.25
    assert back.training == training
    x = rows(2, 5, WIDTH)
    assert torch.equal(ours(x), ours(x)) == (not training)


def test_a_module_stays_on_its_device() -> None:
    ours = from_torch(nn.MultiheadAttention(4, 2, device="meta"))
    assert {parameter.device.type for parameter in ours.parameters()} == {"meta"}
    assert {parameter.device.type for parameter in to_torch(ours).parameters()} == {"meta"}


def test_numpy_reaches_theirs_through_ours() -> None:
    square = Projections(*(waves(WIDTH, WIDTH, start=3.0 * i) / 3 for i in range(4)))
    x = waves(2, 5, WIDTH)
    expected, _ = multi_head_attention(x, square, N_HEADS)
    module = to_torch(from_numpy(square, N_HEADS))
    close(module(*[torch.tensor(x)] * 3)[0], expected)


# --- what does not fit is named -----------------------------------------------------------------------------

GIVEN = projections()
WRONG: Any = {"half": 1.5, "a module": nn.Linear(2, 2)}


def ours_of(**widths: Any) -> MultiHeadAttention:
    return MultiHeadAttention(12, 3, **widths)


MISFITS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "another width of keys": (
        lambda: from_numpy(projections(biased=False)._replace(w_k=waves(9, 15)), 3),
        ValueError,
        r"with H = 3 heads; got w_q \(11, 12\), w_k \(9, 15\), w_v \(9, 6\), w_o \(6, 7\)",
    ),
    "another context of values": (
        lambda: from_numpy(GIVEN._replace(w_v=waves(8, 6)), 3),
        ValueError,
        r"w_k \(9, 12\), w_v \(8, 6\)",
    ),
    "another width of merged heads": (
        lambda: from_numpy(GIVEN._replace(w_o=waves(5, 7)), 3),
        ValueError,
        r"w_o \(5, 7\)",
    ),
    "heads that do not divide the keys": (
        lambda: from_numpy(GIVEN, 5),
        ValueError,
        r"w_q \(d_model, H·d_head\).* with H = 5 heads",
    ),
    "heads that do not divide the values": (lambda: from_numpy(GIVEN, 4), ValueError, "with H = 4 heads"),
    "no heads": (lambda: from_numpy(GIVEN, 0), ValueError, "n_heads must be at least 1; got 0"),
    "half a head": (
        lambda: from_numpy(GIVEN, WRONG["half"]),
        TypeError,
        r"n_heads must be a whole number; got 1\.5",
    ),
    "dropout": (
        lambda: from_numpy(GIVEN, 3, dropout=2.0),
        ValueError,
        r"dropout must lie from 0 to 1; got 2\.0",
    ),
    "a vector": (
        lambda: state_dict_from_numpy(GIVEN._replace(w_v=waves(9))),
        ValueError,
        r"w_v must have shape \(d_in, d_out\); got \(9,\)",
    ),
    "a stack of matrices": (
        lambda: state_dict_from_numpy(GIVEN._replace(w_o=waves(2, 6, 7))),
        ValueError,
        r"w_o must have shape \(d_in, d_out\); got \(2, 6, 7\)",
    ),
    "a bias of another width": (
        lambda: state_dict_from_numpy(GIVEN._replace(b_k=waves(9))),
        ValueError,
        r"b_k must have shape \(12,\), as w_k has \(9, 12\); got \(9,\)",
    ),
    "words": (
        lambda: state_dict_from_numpy(GIVEN._replace(w_q=[["a"]])),
        TypeError,
        "w_q must hold real numbers",
    ),
    "words in a bias": (
        lambda: state_dict_from_numpy(GIVEN._replace(b_k=["a"] * 12)),
        TypeError,
        "b_k must hold real numbers",
    ),
    "keys that do not divide": (
        lambda: from_numpy(GIVEN._replace(w_q=waves(11, 10), w_k=waves(9, 10), b_q=None, b_k=None), N_HEADS),
        ValueError,
        "with H = 3 heads; got w_q",
    ),
    "another module": (
        lambda: from_torch(WRONG["a module"]),
        TypeError,
        r"expected an nn\.MultiheadAttention; got Linear",
    ),
    "a bias added to keys": (
        lambda: from_torch(nn.MultiheadAttention(4, 2, add_bias_kv=True)),
        ValueError,
        "bias_k, bias_v and add_zero_attn have no counterpart",
    ),
    "a key of zeros": (
        lambda: from_torch(nn.MultiheadAttention(4, 2, add_zero_attn=True)),
        ValueError,
        "bias_k, bias_v and add_zero_attn have no counterpart",
    ),
    "two contexts": (
        lambda: from_torch(nn.MultiheadAttention(4, 2, kdim=3, vdim=5)),
        ValueError,
        "must come from one context; got kdim 3, vdim 5",
    ),
    "a wide head": (
        lambda: to_torch(ours_of(d_head=5)),
        ValueError,
        r"= d_model; got \(15, 15, 12\) and d_model 12",
    ),
    "a narrow value": (lambda: to_torch(ours_of(d_v=2)), ValueError, r"got \(12, 6, 12\) and d_model 12"),
    "another output": (lambda: to_torch(ours_of(d_out=7)), ValueError, r"got \(12, 12, 7\) and d_model 12"),
}


@pytest.mark.parametrize(("call", "error", "words"), MISFITS.values(), ids=MISFITS)
def test_what_does_not_fit_is_named(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()

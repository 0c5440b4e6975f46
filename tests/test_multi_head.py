"""helpers.multi_head against loops and torch.nn.MultiheadAttention, with its packed weights."""

from typing import Any

import numpy as np
import oracles
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from samples import DTYPES, eps, number_arrays, properties, waves

from helpers.attention import attention
from helpers.leaks import leaks
from helpers.masking import causal_mask, padding_mask
from helpers.multi_head import (
    Projections,
    attend_in_heads,
    merge_heads,
    multi_head_attention,
    project,
    split_heads,
    value_maps,
)
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

N_SENTENCES, N_HEADS, D_HEAD, N = 2, 3, 4, 5
D_MODEL = N_HEADS * D_HEAD


def projections(dtype: type = np.float64, biased: bool = True, d_model: int = D_MODEL) -> Projections:
    """Four matrices and four biases, none like another, of the size that keeps the spread of the rows."""
    width = N_HEADS * D_HEAD
    shapes = [(d_model, width), (d_model, width), (d_model, width), (width, d_model)]
    matrices = [
        (waves(*shape, start=7.0 * i) / np.sqrt(shape[0])).astype(dtype) for i, shape in enumerate(shapes)
    ]
    biases = [waves(shape[1], start=90.0 + i).astype(dtype) / dtype(2) for i, shape in enumerate(shapes)]
    return Projections(*matrices, *(biases if biased else []))


def torch_module(given: Projections, n_heads: int = N_HEADS) -> torch.nn.MultiheadAttention:
    """The same matrices in PyTorch's keeping: packed on top of one another, each stored (out, in)."""
    d_model = np.shape(given.w_q)[0]
    module = torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True, dtype=torch.float64)
    packed = np.concatenate([np.asarray(w).T for w in given[:3]])
    biases = [
        np.zeros(len(np.asarray(w).T)) if b is None else b for w, b in zip(given[:4], given[4:], strict=True)
    ]
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.tensor(packed))
        module.in_proj_bias.copy_(torch.tensor(np.concatenate(biases[:3])))
        module.out_proj.weight.copy_(torch.tensor(np.asarray(given.w_o).T))
        module.out_proj.bias.copy_(torch.tensor(biases[3]))
    return module.eval()


def test_split_gives_each_head_a_run_of_columns() -> None:
    rows = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    heads = split_heads(rows, 2)
    np.testing.assert_array_equal(heads[0], [[1, 2], [5, 6], [9, 10]])
    np.testing.assert_array_equal(heads[1], [[3, 4], [7, 8], [11, 12]])
    np.testing.assert_array_equal(merge_heads(heads), rows)


@properties
@given(st.data())
def test_merge_undoes_split(data: st.DataObject) -> None:
    n_heads, d_head = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    stack = data.draw(st.sampled_from([(), (2,), (2, 3)]))
    rows = data.draw(number_arrays((*stack, data.draw(st.integers(0, 4)), n_heads * d_head)))
    heads = split_heads(rows, n_heads)
    assert heads.shape == (*stack, n_heads, rows.shape[-2], d_head)
    assert heads.dtype == rows.dtype
    for head in range(n_heads):
        np.testing.assert_array_equal(heads[..., head, :, :], rows[..., head * d_head : (head + 1) * d_head])
    np.testing.assert_array_equal(merge_heads(heads), rows)


MASKS = {
    "none": None,
    "causal": causal_mask(N),
    "padding": padding_mask([3, 5], N),
    "both": causal_mask(N) & padding_mask([3, 5], N),
    "an empty row": np.arange(N)[:, None] != np.full(N, 2),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_it_is_what_loops_give(dtype: type, mask: Array | None) -> None:
    x, given = waves(N_SENTENCES, N, D_MODEL, dtype=dtype), projections(dtype)
    output, weights = multi_head_attention(x, given, N_HEADS, mask)
    assert output.dtype == weights.dtype == np.dtype(dtype)
    full = None if mask is None else np.broadcast_to(mask, (N_SENTENCES, N, N))
    matrices, biases = ([np.asarray(part, float) for part in parts] for parts in (given[:4], given[4:]))
    rows = x.astype(float)
    expected, maps = oracles.multi_head_attention(rows, rows, matrices, biases, N_HEADS, full)
    # Sums of 12 terms, three in a row: errors of up to 2.3 and 11 eps were seen, in all dtypes alike.
    allowed = 8 * eps(x)
    np.testing.assert_allclose(weights.astype(float), maps, rtol=0, atol=allowed)
    np.testing.assert_allclose(output.astype(float), expected, rtol=0, atol=4 * allowed)


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("mask", ["none", "causal", "padding", "both"])
def test_it_is_torchs_multihead_attention_through_its_packed_weights(biased: bool, mask: str) -> None:
    x, given = waves(N_SENTENCES, N, D_MODEL), projections(biased=biased)
    output, weights = multi_head_attention(x, given, N_HEADS, MASKS[mask])
    hidden: dict[str, torch.Tensor] = {}  # in PyTorch's module True means hidden
    if mask in ("causal", "both"):
        hidden["attn_mask"] = torch.tensor(~causal_mask(N))
    if mask in ("padding", "both"):
        hidden["key_padding_mask"] = torch.tensor(~padding_mask([3, 5], N)[:, 0])
    rows = torch.tensor(x)
    with torch.no_grad():
        expected, maps = torch_module(given)(rows, rows, rows, average_attn_weights=False, **hidden)
    np.testing.assert_allclose(output, expected.numpy(), rtol=0, atol=1e-13)
    np.testing.assert_allclose(weights, maps.numpy(), rtol=0, atol=1e-14)


def test_leading_axes_are_so_many_sequences() -> None:
    x, given = waves(2, 3, N, D_MODEL), projections()
    mask = causal_mask(N) & padding_mask([[1, 2, 3], [4, 5, 5]], N)
    output, weights = multi_head_attention(x, given, N_HEADS, mask)
    assert weights.shape == (2, 3, N_HEADS, N, N)
    for place in np.ndindex(2, 3):
        alone, maps = multi_head_attention(x[place], given, N_HEADS, mask[place])
        np.testing.assert_allclose(output[place], alone, atol=1e-14)
        np.testing.assert_allclose(weights[place], maps, atol=1e-14)


def test_one_head_of_full_width_is_attention() -> None:
    x, given = waves(N, D_MODEL), projections(biased=False)
    output, weights = multi_head_attention(x, given, 1)
    alone, one_map = attention(x @ given.w_q, x @ given.w_k, x @ given.w_v)
    np.testing.assert_allclose(output, alone @ given.w_o, atol=1e-14)
    np.testing.assert_array_equal(weights[0], one_map)


def test_each_head_scales_by_its_own_width() -> None:
    rows = waves(N, D_MODEL)
    _, weights = attend_in_heads(rows, rows, rows, N_HEADS)
    for head in range(N_HEADS):
        part = rows[:, head * D_HEAD : (head + 1) * D_HEAD]
        np.testing.assert_allclose(weights[head], attention(part, part, part)[1], atol=1e-15)


def test_rows_and_mask_may_be_lists() -> None:
    rows, mask = waves(3, 4), [[True, False, True], [False, True, False], [True, True, True]]
    lists = rows.tolist()
    for found, expected in zip(
        attend_in_heads(lists, lists, lists, 2, mask),
        attend_in_heads(rows, rows, rows, 2, np.array(mask)),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)


def test_the_output_is_a_sum_of_what_each_head_writes() -> None:
    x, given = waves(N_SENTENCES, N, D_MODEL), projections(biased=False)
    output, weights = multi_head_attention(x, given, N_HEADS, causal_mask(N))
    maps = value_maps(given.w_v, given.w_o, N_HEADS)
    assert maps.shape == (N_HEADS, D_MODEL, D_MODEL)
    parts = weights @ x[:, None] @ maps
    np.testing.assert_allclose(parts.sum(axis=1), output, atol=1e-13)
    assert [np.linalg.matrix_rank(part) for part in maps] == [D_HEAD] * N_HEADS
    assert np.linalg.matrix_rank(maps.sum(axis=0)) == D_MODEL
    assert value_maps(waves(8, 12), waves(12, 5), 3).shape == (3, 8, 5)


def test_a_projection_by_hand() -> None:
    rows, w = [[1, 2], [3, 4]], [[1, 0, 1], [0, 1, 1]]
    np.testing.assert_array_equal(project(rows, w), [[1, 2, 3], [3, 4, 7]])
    np.testing.assert_array_equal(project(rows, w, [10, 20, 30]), [[11, 22, 33], [13, 24, 37]])


def test_heads_may_be_narrower_than_the_model_and_values_wider_than_keys() -> None:
    x = waves(N, 7)
    given = Projections(waves(7, 6), waves(7, 6, start=3.0), waves(7, 15), waves(15, 4))
    output, weights = multi_head_attention(x, given, 3)
    assert output.shape == (N, 4)
    assert weights.shape == (3, N, N)


def test_a_causal_block_does_not_leak_and_one_without_a_mask_does() -> None:
    x, given = waves(N, D_MODEL), projections()
    assert leaks(lambda rows: multi_head_attention(rows, given, N_HEADS, causal_mask(N))[0], x) == []
    open_model = leaks(lambda rows: multi_head_attention(rows, given, N_HEADS)[0], x)
    assert open_model == [(i, j) for i in range(N) for j in range(i + 1, N)]


def test_a_token_that_may_attend_to_nothing_gets_only_the_bias() -> None:
    x, given = waves(N, D_MODEL), projections()
    mask = np.ones((N, N), dtype=bool)
    mask[3] = False
    output, weights = multi_head_attention(x, given, N_HEADS, mask)
    np.testing.assert_array_equal(output[3], given.b_o)
    assert not weights[:, 3].any()


X, GIVEN = waves(N, D_MODEL), projections()
HALF: Any = 1.5


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: split_heads(X, 5), ValueError, r"n_heads must divide.*5 heads and shape \(5, 12\)"),
        (lambda: split_heads(X, 0), ValueError, "n_heads must be at least 1; got 0"),
        (lambda: split_heads(X, HALF), TypeError, "n_heads must be a whole number; got 1.5"),
        (lambda: split_heads(X[0], 3), ValueError, "rows must have shape"),
        (lambda: merge_heads(X), ValueError, r"heads must have shape.*got \(5, 12\)"),
        (
            lambda: project(X, waves(7, 3)),
            ValueError,
            r"w must.*d_in = 12.*rows \(5, 12\); got \(7, 3\)",
        ),
        (
            lambda: project(X, waves(12, 3), waves(4)),
            ValueError,
            r"bias of w must.*\(3,\); got \(4,\)",
        ),
        (lambda: value_maps(waves(12, 12), waves(11, 4), 3), ValueError, r"\(12, 12\) and \(11, 4\)"),
        (lambda: multi_head_attention(X, GIVEN, 5), ValueError, "n_heads must divide"),
        (
            lambda: multi_head_attention(X, GIVEN._replace(w_o=waves(9, 12)), 3),
            ValueError,
            "w_o must have shape",
        ),
        (
            lambda: multi_head_attention(X, GIVEN._replace(w_k=waves(9, 12)), 3),
            ValueError,
            r"w_k must.*d_in = 12, the width of x \(5, 12\); got \(9, 12\)",  # there is no context here
        ),
        (
            lambda: multi_head_attention(X, GIVEN, 3, np.ones((4, 4), bool)),
            ValueError,
            r"\(3, 5, 5\); got \(4, 4\)",
        ),
        (lambda: multi_head_attention(X, GIVEN, 3, np.ones((5, 5))), TypeError, "mask must hold True"),
        (lambda: attend_in_heads(X, X[:, :8], X, 2), ValueError, "vectors of the same length"),
    ],
)
def test_what_does_not_fit_is_named(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()

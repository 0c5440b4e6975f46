"""helpers.cross_attention against loops and torch.nn.MultiheadAttention with a context of its own."""

import numpy as np
import oracles
import pytest
import torch
from samples import DTYPES, eps, waves

from helpers import inputs
from helpers.cross_attention import cross_attention
from helpers.door import behind_the_door
from helpers.masking import causal_mask, padding_mask
from helpers.multi_head import Projections, multi_head_attention
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

N_SENTENCES, N_HEADS, D_HEAD, D_V, N_QUERIES, N_KEYS, D_MODEL, D_CONTEXT = 2, 3, 4, 2, 5, 7, 8, 9
LENGTHS = [3, 7]


def projections(dtype: type = np.float64) -> Projections:
    """Every size different: d_model, d_context, the widths of keys and of values."""
    keys, values = N_HEADS * D_HEAD, N_HEADS * D_V
    shapes = [(D_MODEL, keys), (D_CONTEXT, keys), (D_CONTEXT, values), (values, D_MODEL)]
    parts: list[Array] = [(waves(*shape, start=7.0 * i) / 3).astype(dtype) for i, shape in enumerate(shapes)]
    biases: list[Array] = [waves(shape[1], start=90.0 + i).astype(dtype) for i, shape in enumerate(shapes)]
    return Projections(*parts, *biases)


def sequences(dtype: type = np.float64) -> tuple[Array, Array]:
    return (
        waves(N_SENTENCES, N_QUERIES, D_MODEL, dtype=dtype),
        waves(N_SENTENCES, N_KEYS, D_CONTEXT, start=40.0, dtype=dtype),
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("masked", [False, True])
def test_it_is_what_loops_give(dtype: type, masked: bool) -> None:
    (x, context), given = sequences(dtype), projections(dtype)
    mask = padding_mask(LENGTHS, N_KEYS) if masked else None
    output, weights = cross_attention(x, context, given, N_HEADS, mask)
    assert output.dtype == weights.dtype == np.dtype(dtype)
    full = None if mask is None else np.broadcast_to(mask, (N_SENTENCES, N_QUERIES, N_KEYS))
    matrices, biases = ([np.asarray(part, float) for part in parts] for parts in (given[:4], given[4:]))
    expected, maps = oracles.multi_head_attention(
        x.astype(float), context.astype(float), matrices, biases, N_HEADS, full
    )
    allowed = 8 * eps(x)  # as in test_multi_head; up to 4.8 and 19 eps were seen
    np.testing.assert_allclose(weights.astype(float), maps, rtol=0, atol=allowed)
    np.testing.assert_allclose(output.astype(float), expected, rtol=0, atol=8 * allowed)


def test_it_is_torchs_module_with_a_context_of_another_width() -> None:
    x, context = sequences()
    width = 6  # torch wants d_model = n_heads · d_head, and lets the context have a width of its own
    shapes = [(width, width), (D_CONTEXT, width), (D_CONTEXT, width), (width, width)]
    matrices = [waves(*shape, start=5.0 * i) for i, shape in enumerate(shapes)]
    module = torch.nn.MultiheadAttention(
        width, 3, bias=False, kdim=D_CONTEXT, vdim=D_CONTEXT, batch_first=True, dtype=torch.float64
    ).eval()
    stored = [module.q_proj_weight, module.k_proj_weight, module.v_proj_weight, module.out_proj.weight]
    with torch.no_grad():
        for parameter, matrix in zip(stored, matrices, strict=True):
            assert parameter is not None
            parameter.copy_(torch.tensor(matrix.T))
        keys = torch.tensor(context)
        hidden = torch.tensor(~padding_mask(LENGTHS, N_KEYS)[:, 0])
        expected, maps = module(
            torch.tensor(x[..., :width]), keys, keys, key_padding_mask=hidden, average_attn_weights=False
        )
    mask = padding_mask(LENGTHS, N_KEYS)
    output, weights = cross_attention(x[..., :width], context, Projections(*matrices), 3, mask)
    np.testing.assert_allclose(weights, maps.numpy(), atol=1e-13)
    np.testing.assert_allclose(output, expected.numpy(), atol=1e-12)


def test_one_output_for_each_query_and_one_head_unless_told() -> None:
    x, context = sequences()
    output, weights = cross_attention(x, context, projections())
    assert output.shape == x.shape
    assert weights.shape == (N_SENTENCES, 1, N_QUERIES, N_KEYS)
    checked = inputs.cross_attention(x, context, projections())[:3]
    for found, expected in zip(behind_the_door(cross_attention, *checked), (output, weights), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_with_itself_as_context_it_is_self_attention() -> None:
    x = waves(N_SENTENCES, N_QUERIES, 12)
    given = Projections(*(waves(12, 12, start=3.0 * i) for i in range(4)))
    found = cross_attention(x, x, given, N_HEADS, causal_mask(N_QUERIES))
    for one, other in zip(
        found, multi_head_attention(x, given, N_HEADS, causal_mask(N_QUERIES)), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_the_context_decides_and_its_padding_does_not() -> None:
    (x, context), given = sequences(), projections()
    mask = padding_mask(LENGTHS, N_KEYS)
    before, _ = cross_attention(x, context, given, N_HEADS, mask)
    hidden, seen = context.copy(), context.copy()
    hidden[0, LENGTHS[0] :] += 100
    np.testing.assert_array_equal(cross_attention(x, hidden, given, N_HEADS, mask)[0], before)
    seen[0, 1] += 1
    after, _ = cross_attention(x, seen, given, N_HEADS, mask)
    assert (abs(after - before)[0] > 1e-3).any(axis=-1).all()
    np.testing.assert_array_equal(after[1], before[1])


def test_each_query_is_answered_on_its_own() -> None:
    (x, context), given = sequences(), projections()
    all_at_once, _ = cross_attention(x, context, given, N_HEADS)
    for i in range(N_QUERIES):
        alone, _ = cross_attention(x[:, [i]], context, given, N_HEADS)
        np.testing.assert_allclose(all_at_once[:, [i]], alone, atol=1e-14)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"w_q": waves(9, 12)}, r"w_q must have shape .*d_in = 8, the width of x \(2, 5, 8\); got \(9, 12\)"),
        (
            {"w_k": waves(8, 12)},
            r"w_k must have shape .*d_in = 9, the width of context \(2, 7, 9\); got \(8, 12\)",
        ),
        ({"w_v": waves(8, 6)}, r"w_v must have shape .*the width of context"),
        (
            {"w_o": waves(5, 8)},
            r"w_o must have shape .*the width of the merged heads \(2, 5, 6\); got \(5, 8\)",
        ),
    ],
)
def test_a_matrix_that_does_not_fit_is_named(change: dict[str, Array], words: str) -> None:
    x, context = sequences()
    with pytest.raises(ValueError, match=words):
        cross_attention(x, context, projections()._replace(**change), N_HEADS)


def test_a_mask_of_the_wrong_sequence_is_named() -> None:
    x, context = sequences()
    with pytest.raises(ValueError, match=r"\(2, 3, 5, 7\); got \(5, 5\)"):
        cross_attention(x, context, projections(), N_HEADS, causal_mask(N_QUERIES))

"""helpers.pytorch.parity: the grid, the reference and the tolerance that it rests on, and its table."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import oracles
import pytest
import torch
from torch import Tensor

from helpers.pytorch import attention as ours
from helpers.pytorch import parity
from helpers.pytorch.parity import (
    DTYPES,
    IMPLEMENTATIONS,
    LENGTHS,
    MASKS,
    N_HEADS,
    Answer,
    Case,
    Row,
    exact_answer,
    fused_answer,
    largest_share,
    make_case,
    numpy_answer,
    parity_grid,
    parity_table,
    plain_attention,
    readable_answer,
    their_answer,
    tolerance,
)
from helpers.pytorch.weights import to_numpy

CPU = torch.device("cpu")
DEVICES = [
    "cpu",
    "cpu with oneDNN",
    pytest.param(
        "cuda",
        marks=pytest.mark.skipif(
            not torch.cuda.is_available(), reason="PyTorch sees no NVIDIA GPU on this machine"
        ),
    ),
]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=DEVICES)
def grid(request: pytest.FixtureRequest) -> list[Row]:
    if request.param == "cpu with oneDNN":
        return parity_grid(
            "cpu", {name: with_onednn(answer_of) for name, answer_of in IMPLEMENTATIONS.items()}
        )
    return parity_grid(request.param)


def with_onednn(answer_of: Callable[[Case], Answer]) -> Callable[[Case], Answer]:
    """The grid turns oneDNN off to save memory. Everybody else has it on, so it must stay within, too."""

    def answer(case: Case) -> Answer:
        torch.backends.mkldnn.enabled = True  # type: ignore[assignment]
        try:
            return answer_of(case)
        finally:
            torch.backends.mkldnn.enabled = False  # type: ignore[assignment]

    return answer


def has_an_empty_row(mask: str, lengths: str) -> bool:
    """Aligned to the lower right, the first queries see no key where there are more queries than keys."""
    return mask == "empty row" or (mask in ("causal", "both") and lengths == "L > S")


# --- the grid -----------------------------------------------------------------------------------------------


def test_every_cell_is_there_once(grid: list[Row]) -> None:
    names = [(row.implementation, row.mask, row.lengths, row.dtype, row.quantity) for row in grid]
    assert len(names) == len(set(names)) == 4 * 5 * 3 * 4 * 2
    assert {name[0] for name in names} == set(IMPLEMENTATIONS)
    assert {name[3] for name in names} == {"float64", "float32", "bfloat16", "float16"}


def test_each_difference_is_one_that_rounding_explains(grid: list[Row]) -> None:
    compared = 0
    for row in grid:
        if row.implementation == "nn.MultiheadAttention" and has_an_empty_row(row.mask, row.lengths):
            assert row.difference is not None, row
            assert math.isnan(row.difference), row
            assert not row.within, row
        elif row.implementation == "NumPy helper" and row.dtype == "bfloat16":
            assert (row.difference, row.note) == (None, "NumPy has no bfloat16"), row
            assert not row.within, row
        elif row.implementation == "NumPy helper" and row.quantity == "gradients":
            assert (row.difference, row.note) == (None, "no gradients: lesson 11"), row
        else:
            assert row.within, row
            assert row.difference is not None, row
            assert row.difference > 0 or row.dtype == "float64", f"{row}: not one number was rounded?"
            assert row.note == ""
            compared += 1
    # 4 implementations × 15 cases × 4 dtypes × 2 quantities, less 75 that NumPy cannot give and 40 of NaN.
    assert compared == 4 * 15 * 4 * 2 - (15 + 4 * 15) - 5 * 4 * 2


def test_the_grid_of_the_best_device_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def spy(case: Case) -> Answer:
        seen.append(case.device)
        return Answer(None, None, "not asked")

    monkeypatch.setattr(parity, "best_device", lambda wanted: torch.device("meta") if wanted is None else CPU)
    rows = parity_grid(implementations={"spy": spy})
    assert {str(device) for device in seen} == {"meta"}
    assert len(rows) == 2 * len(seen) == 2 * 60
    assert {row.note for row in rows} == {"not asked"}
    parity_grid("cpu", {"spy": spy})
    assert str(seen[-1]) == "cpu"
    without_reason = parity_grid("cpu", {"silent": lambda case: Answer(None, None)})
    assert {(row.difference, row.note) for row in without_reason} == {(None, "")}


def test_it_computes_on_one_thread_without_onednn_and_then_gives_both_back() -> None:
    seen: set[tuple[int, bool]] = set()

    def spy(case: Case) -> Answer:
        seen.add((torch.get_num_threads(), bool(torch.backends.mkldnn.enabled)))
        raise KeyError

    torch.set_num_threads(2)
    try:
        for enabled in (True, False):
            torch.backends.mkldnn.enabled = enabled  # type: ignore[assignment]
            with pytest.raises(KeyError):
                parity_grid("cpu", {"spy": spy})
            assert (seen, torch.get_num_threads()) == ({(1, False)}, 2)
            assert bool(torch.backends.mkldnn.enabled) == enabled
    finally:
        torch.backends.mkldnn.enabled = True  # type: ignore[assignment]
        torch.set_num_threads(1)


def test_a_device_that_is_not_here_is_named() -> None:
    with pytest.raises(ValueError, match="device must be a name like"):
        parity_grid("nonsense")


def test_an_apple_gpu_has_no_float64() -> None:
    case = make_case("none", "L = S", torch.float64, torch.device("mps"))
    for answer_of in (readable_answer, fused_answer, their_answer):
        assert answer_of(case) == (None, None, "the device has no float64")


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("mask", MASKS)
def test_without_weights_theirs_gives_zeros_for_an_empty_row(mask: str, lengths: str) -> None:
    """need_weights=True, their default, makes NaN of it: as the grid shows. This is torch 2.13."""
    case = make_case(mask, lengths, torch.float32, CPU)
    exact, score_size = exact_answer(case)
    with_weights, without = their_answer(case), their_answer(case, need_weights=False)
    assert with_weights.output is not None
    assert without.output is not None
    assert with_weights.gradients is not None
    assert without.gradients is not None
    assert bool(with_weights.output.isnan().any()) == has_an_empty_row(mask, lengths)
    is_nan = {bool(gradient.isnan().any()) for gradient in with_weights.gradients.values()}
    assert (True in is_nan) == has_an_empty_row(mask, lengths)
    n_queries, n_keys = LENGTHS[lengths]
    for quantity in ("output", "gradients"):
        found, expected = parity.compared_tensors(without, quantity), parity.compared_tensors(exact, quantity)
        assert found is not None
        assert expected is not None
        assert largest_share(found, expected) < tolerance(
            torch.float32, score_size, n_queries, n_keys, quantity
        )


# --- the reference ------------------------------------------------------------------------------------------


def double(case: Case) -> dict[str, Tensor]:
    return {name: parameter.double() for name, parameter in case.module.state_dict().items()}


def test_the_reference_is_what_loops_give() -> None:
    case = make_case("none", "L < S", torch.float64, CPU)
    assert case.context is not None
    x, context = case.x[:, :3], case.context[:, :4]
    allowed = torch.tensor([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]]).bool().expand(2, 3, 4)
    output, scores = plain_attention(double(case), x, context, allowed)
    given = [np.asarray(part) for part in to_numpy(case.module)]
    expected, maps = oracles.multi_head_attention(
        x.numpy(), context.numpy(), given[:4], given[4:], N_HEADS, allowed.numpy()
    )
    np.testing.assert_allclose(output, expected, rtol=0, atol=1e-14)
    weights = torch.softmax(scores[:, :, [0, 2]].masked_fill(~allowed[:, [0, 2]], -math.inf), dim=-1)
    np.testing.assert_allclose(weights.transpose(0, 1), maps[:, :, [0, 2]], rtol=0, atol=1e-15)


def test_the_gradients_of_the_reference_are_those_of_finite_differences() -> None:
    case = make_case("none", "L < S", torch.float64, CPU)
    assert case.context is not None
    allowed = torch.tensor([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]]).bool().expand(2, 3, 4)
    names = list(double(case))

    def output(x: Tensor, context: Tensor, *parameters: Tensor) -> Tensor:
        return plain_attention(dict(zip(names, parameters, strict=True)), x, context, allowed)[0]

    given = [
        part.clone().requires_grad_() for part in (case.x[:, :3], case.context[:, :4], *double(case).values())
    ]
    assert torch.autograd.gradcheck(output, given, fast_mode=True)


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("mask", MASKS)
def test_the_exact_answer_hides_what_the_mask_says(mask: str, lengths: str) -> None:
    """Written out once more, one pair at a time: which key can move which output?"""
    case = make_case(mask, lengths, torch.float64, CPU)
    n_queries, n_keys = LENGTHS[lengths]
    context = case.x if case.context is None else case.context
    allowed = [
        [
            [
                (mask not in ("causal", "both") or j - i <= n_keys - n_queries)
                and (mask not in ("padding", "both") or j < (23, 31)[b])
                and (mask != "empty row" or i != 5)
                for j in range(n_keys)
            ]
            for i in range(n_queries)
        ]
        for b in range(2)
    ]
    expected, scores = plain_attention(double(case), case.x, context, torch.tensor(allowed))
    exact, size = exact_answer(case)
    assert exact.output is not None
    assert torch.equal(exact.output, expected)
    assert size == pytest.approx(scores.square().mean().sqrt().item())
    assert 0.5 < size < 2
    empty = ~torch.tensor(allowed).any(dim=2)
    assert bool(empty.any()) == has_an_empty_row(mask, lengths)
    bias = case.module.to_output.bias.detach()
    assert torch.equal(exact.output[empty], bias.expand_as(exact.output[empty]))


def test_the_reference_starts_from_the_rounded_numbers() -> None:
    exact = {}
    for dtype in DTYPES:
        case = make_case("causal", "L < S", dtype, CPU)
        assert {case.x.dtype, case.arriving.dtype, case.module.to_keys.weight.dtype} == {dtype}
        assert case.context is not None
        assert case.context.dtype == dtype
        answer, _ = exact_answer(case)
        assert answer.output is not None
        assert answer.gradients is not None
        assert {answer.output.dtype, *(g.dtype for g in answer.gradients.values())} == {torch.float64}
        exact[dtype] = answer.output
    moved = (exact[torch.bfloat16] - exact[torch.float64]).abs().max() / exact[torch.float64].abs().max()
    assert moved > 0.25 * torch.finfo(torch.bfloat16).eps


def test_the_keys_bias_has_no_gradient_and_is_measured_beside_the_queries() -> None:
    exact, _ = exact_answer(make_case("both", "L < S", torch.float64, CPU))
    assert exact.gradients is not None
    of_keys, of_queries = (exact.gradients[f"{name}.bias"] for name in ("to_keys", "to_queries"))
    assert of_keys.abs().max() < 1e-13 * of_queries.abs().max()
    pooled = parity.compared_tensors(exact, "gradients")
    assert pooled is not None
    assert set(pooled) == {
        "x",
        "context",
        *(f"{name}.weight" for name in ("to_queries", "to_keys", "to_values", "to_output")),
        "to_queries.bias, to_keys.bias",
        "to_values.bias",
        "to_output.bias",
    }


def test_a_case_has_the_same_numbers_for_each_mask() -> None:
    first = make_case("none", "L > S", torch.float32, CPU)
    for mask in MASKS:
        other = make_case(mask, "L > S", torch.float32, CPU)
        assert torch.equal(first.x, other.x)
        assert all(map(torch.equal, first.module.state_dict().values(), other.module.state_dict().values()))
    assert make_case("none", "L = S", torch.float32, CPU).context is None


@pytest.mark.parametrize(("mask", "lengths"), [("diagonal", "L = S"), ("none", "L ≥ S")])
def test_a_case_that_there_is_not_is_named(mask: str, lengths: str) -> None:
    with pytest.raises(ValueError, match=f"mask must be one of .*got '{mask}', '{lengths}'"):
        make_case(mask, lengths, torch.float32, CPU)


# --- the tolerance ------------------------------------------------------------------------------------------


def test_the_tolerance_by_hand() -> None:
    # With scores of size 0 and no error in float32's sums beside half precision's, the squares to be added:
    # exp, the row's sum and the division; values, mixture and w_o. √6 · eps, and a way back of 13: √13 · eps.
    eps = torch.finfo(torch.bfloat16).eps
    assert tolerance(torch.bfloat16, 0.0, 37, 37, "output") == pytest.approx(math.sqrt(6) * eps, rel=1e-6)
    assert tolerance(torch.bfloat16, 0.0, 37, 37, "gradients") == pytest.approx(math.sqrt(13) * eps, rel=1e-6)
    # A score of size 2 adds 4 squares for each of five roundings.
    assert tolerance(torch.bfloat16, 2.0, 37, 37, "output") == pytest.approx(math.sqrt(26) * eps, rel=1e-6)
    # In float32 each of n products rounds the sum: 1 + 24, 1 + 20, 1 + 8, 2, 2 for a score, and so on.
    eps = torch.finfo(torch.float32).eps
    of_scores, of_weights, of_output = 25 + 21 + 9 + 2 + 2, 2 + 48 + 2, 21 + 48 + 25
    squares = of_scores + of_weights + of_output
    assert tolerance(torch.float32, 1.0, 35, 47, "output") == pytest.approx(eps * math.sqrt(squares))
    assert tolerance(torch.float32, 1.0, 35, 47, "gradients") == pytest.approx(
        eps * math.sqrt(2 * squares + 1 + 2 * 47)
    )
    # The reference rounds as much as float64 itself.
    assert tolerance(torch.float64, 1.0, 35, 47, "output") == pytest.approx(
        torch.finfo(torch.float64).eps * math.sqrt(2 * squares)
    )


@pytest.mark.parametrize("lengths", LENGTHS)
def test_larger_scores_and_fewer_bits_allow_more(lengths: str) -> None:
    sizes = LENGTHS[lengths]
    for quantity in ("output", "gradients"):
        by_dtype = [tolerance(dtype, 1.0, *sizes, quantity) for dtype in DTYPES]
        assert by_dtype[0] < by_dtype[1] < by_dtype[3] < by_dtype[2] < 0.05
        by_size = [tolerance(torch.float32, size, *sizes, quantity) for size in (0.0, 1.0, 4.0)]
        assert by_size[0] < by_size[1] < by_size[2]
    assert tolerance(torch.float32, 1.0, *sizes, "output") < tolerance(
        torch.float32, 1.0, *sizes, "gradients"
    )


def test_a_quantity_that_there_is_not_is_named() -> None:
    with pytest.raises(ValueError, match=r"quantity must be one of .* got 'weights'"):
        tolerance(torch.float32, 1.0, 5, 7, "weights")


def upper_left(n_queries: int, n_keys: int, device: torch.device | None = None) -> Tensor:
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril()


Attention = Callable[..., tuple[Tensor, Tensor]]
right: Attention = ours.attention


def scale_missing(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    return right(queries * math.sqrt(queries.shape[-1]), keys, values, mask)


def divided_by_d(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    return right(queries / math.sqrt(queries.shape[-1]), keys, values, mask)


def polarity_swapped(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    return right(queries, keys, values, None if mask is None else ~mask)


def masked_but_not_renormalised(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    _, weights = right(queries, keys, values)
    weights = weights if mask is None else weights * mask
    return weights @ values, weights


WRONG = {  # what is put in the place of what, and in which cases it is wrong
    "scale missing": ("attention", scale_missing, lambda mask, lengths: True),
    "divided by d": ("attention", divided_by_d, lambda mask, lengths: True),
    "polarity swapped": ("attention", polarity_swapped, lambda mask, lengths: mask != "none"),
    "mask after softmax": (
        "attention",
        masked_but_not_renormalised,
        lambda mask, lengths: mask not in ("none", "empty row"),
    ),
    "upper left": (
        "causal_mask",
        upper_left,
        lambda mask, lengths: mask in ("causal", "both") and lengths != "L = S",
    ),
}


@pytest.mark.parametrize(("name", "wrong", "is_wrong"), WRONG.values(), ids=WRONG)
def test_a_wrong_version_is_far_outside_in_every_dtype(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    wrong: Callable[..., object],
    is_wrong: Callable[[str, str], bool],
) -> None:
    monkeypatch.setattr(ours, name, wrong)
    for row in parity_grid("cpu", {"wrong": readable_answer}):
        assert row.difference is not None
        if is_wrong(row.mask, row.lengths):
            assert row.difference > 10 * row.tolerance, row
        else:
            assert row.within, row


def test_a_largest_share_by_hand() -> None:
    exact = {"a": torch.tensor([[2.0, -4.0]]), "b": torch.tensor([0.5])}
    assert largest_share(exact, exact) == 0
    found = {"a": torch.tensor([[3.0, -4.0]]), "b": torch.tensor([0.625])}
    assert largest_share(found, exact) == 0.25  # 1 of 4, and 0.125 of 0.5
    assert largest_share({**found, "b": torch.tensor([1.0])}, exact) == 1.0
    assert math.isnan(largest_share({**found, "a": torch.tensor([[torch.nan, -4.0]])}, exact))
    assert math.isnan(largest_share({**found, "b": torch.tensor([torch.nan])}, exact))
    assert largest_share({**found, "b": torch.tensor([torch.inf])}, exact) == math.inf


def test_what_is_missing_is_no_parity() -> None:
    exact = {"a": torch.ones(2, 3), "b": torch.ones(1)}
    with pytest.raises(ValueError, match=r"expected .*'b': torch.Size\(\[1\]\).*; got .*"):
        largest_share({"a": torch.ones(2, 3)}, exact)
    with pytest.raises(ValueError, match=r"got \{'a': torch.Size\(\[3\]\)"):
        largest_share({"a": torch.ones(3), "b": torch.ones(1)}, exact)


@pytest.mark.parametrize("answer_of", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
def test_an_answer_leaves_the_case_as_it_was(answer_of: Callable[[Case], Answer]) -> None:
    case, fresh = (make_case("both", "L < S", torch.float32, CPU) for _ in range(2))
    answer_of(case)
    assert torch.equal(case.x, fresh.x)
    assert not case.x.requires_grad
    assert all(map(torch.equal, case.module.state_dict().values(), fresh.module.state_dict().values()))
    assert all(parameter.grad is None for parameter in case.module.parameters())


def test_gradients_go_by_our_names_in_theirs_too() -> None:
    for lengths in LENGTHS:
        case = make_case("none", lengths, torch.float64, CPU)
        ours_, theirs = fused_answer(case), their_answer(case)
        assert ours_.gradients is not None
        assert theirs.gradients is not None
        assert set(ours_.gradients) == set(theirs.gradients)
        assert numpy_answer(case).gradients is None


# --- the table ----------------------------------------------------------------------------------------------

TABLE = """\
numbers   what       mask           NumPy helper             readable  fused    nn.MultiheadAttention
float64   output     none, padding  ≤ 5e-15                  ≤ 5e-15   ≤ 5e-15  ≤ 5e-15
float64   output     causal, both   ≤ 5e-15                  ≤ 5e-15   ≤ 5e-15  ≤ 5e-15; NaN where L > S
float64   output     empty row      ≤ 5e-15                  ≤ 5e-15   ≤ 5e-15  NaN
float64   gradients  none, padding  no gradients: lesson 11  ≤ 8e-15   ≤ 8e-15  ≤ 8e-15
float64   gradients  causal, both   no gradients: lesson 11  ≤ 8e-15   ≤ 8e-15  ≤ 8e-15; NaN where L > S
float64   gradients  empty row      no gradients: lesson 11  ≤ 8e-15   ≤ 8e-15  NaN
float32   output     none, padding  ≤ 2e-6                   ≤ 2e-6    ≤ 2e-6   ≤ 2e-6
float32   output     causal, both   ≤ 2e-6                   ≤ 2e-6    ≤ 2e-6   ≤ 2e-6; NaN where L > S
float32   output     empty row      ≤ 2e-6                   ≤ 2e-6    ≤ 2e-6   NaN
float32   gradients  none, padding  no gradients: lesson 11  ≤ 3e-6    ≤ 3e-6   ≤ 3e-6
float32   gradients  causal, both   no gradients: lesson 11  ≤ 3e-6    ≤ 3e-6   ≤ 3e-6; NaN where L > S
float32   gradients  empty row      no gradients: lesson 11  ≤ 3e-6    ≤ 3e-6   NaN
bfloat16  output     none, padding  NumPy has no bfloat16    ≤ 3e-2    ≤ 3e-2   ≤ 3e-2
bfloat16  output     causal, both   NumPy has no bfloat16    ≤ 3e-2    ≤ 3e-2   ≤ 3e-2; NaN where L > S
bfloat16  output     empty row      NumPy has no bfloat16    ≤ 3e-2    ≤ 3e-2   NaN
bfloat16  gradients  none, padding  NumPy has no bfloat16    ≤ 4e-2    ≤ 4e-2   ≤ 4e-2
bfloat16  gradients  causal, both   NumPy has no bfloat16    ≤ 4e-2    ≤ 4e-2   ≤ 4e-2; NaN where L > S
bfloat16  gradients  empty row      NumPy has no bfloat16    ≤ 4e-2    ≤ 4e-2   NaN
float16   output     none, padding  ≤ 4e-3                   ≤ 4e-3    ≤ 4e-3   ≤ 4e-3
float16   output     causal, both   ≤ 4e-3                   ≤ 4e-3    ≤ 4e-3   ≤ 4e-3; NaN where L > S
float16   output     empty row      ≤ 4e-3                   ≤ 4e-3    ≤ 4e-3   NaN
float16   gradients  none, padding  no gradients: lesson 11  ≤ 5e-3    ≤ 5e-3   ≤ 5e-3
float16   gradients  causal, both   no gradients: lesson 11  ≤ 5e-3    ≤ 5e-3   ≤ 5e-3; NaN where L > S
float16   gradients  empty row      no gradients: lesson 11  ≤ 5e-3    ≤ 5e-3   NaN
"""


def test_the_table_says_the_same_on_every_machine(grid: list[Row]) -> None:
    assert parity_table(grid) == TABLE.rstrip("\n")


def test_no_bound_of_the_table_hangs_on_the_last_digits(grid: list[Row]) -> None:
    for name in {(row.dtype, row.quantity) for row in grid}:
        largest = max(row.tolerance for row in grid if (row.dtype, row.quantity) == name)
        for factor in (0.99, 1.01):
            assert parity.rounded_up(largest * factor) == parity.rounded_up(largest), name


def row(
    difference: float | None, lengths: str = "L = S", mask: str = "none", note: str = "", name: str = "mine"
) -> Row:
    return Row(name, mask, lengths, "float32", "output", difference, 2.3e-6, note)


@pytest.mark.parametrize(
    ("differences", "says"),
    [
        ((1e-6, 2e-6), "≤ 3e-6"),
        ((0.0, 2.3e-6), "≤ 3e-6"),
        ((1e-6, 2.4e-6), "≤ 3e-6; above 3e-6 where L > S"),
        ((0.1, 1.0), "above 3e-6"),
        ((math.nan, math.nan), "NaN"),
        ((math.nan, 1e-6), "≤ 3e-6; NaN where L = S"),
        ((math.nan, math.inf), "NaN where L = S; above 3e-6 where L > S"),
        ((None, None), "why not"),
    ],
)
def test_a_cell_says_what_came_out(differences: tuple[float | None, ...], says: str) -> None:
    rows = [
        row(difference, lengths, note="why not" if difference is None else "")
        for difference, lengths in zip(differences, ("L = S", "L > S"), strict=True)
    ]
    header, line = parity_table(rows).splitlines()
    assert header.split() == ["numbers", "what", "mask", "mine"]
    assert line == f"float32  output  none  {says}"


def test_masks_with_the_same_cells_share_a_line() -> None:
    rows = [row(1e-6), row(2e-6, mask="causal"), row(math.nan, mask="empty row"), row(0.0, name="other")]
    rows += [row(0.0, mask="causal", name="other"), row(0.0, mask="empty row", name="other")]
    assert parity_table(rows).splitlines() == [
        "numbers  what    mask          mine    other",
        "float32  output  none, causal  ≤ 3e-6  ≤ 3e-6",
        "float32  output  empty row     NaN     ≤ 3e-6",
    ]


@pytest.mark.parametrize(("number", "up"), [(0.0213, 0.03), (9.1, 10.0), (4.0, 4.0), (1.2e-15, 2e-15)])
def test_one_digit_upwards(number: float, up: float) -> None:
    assert parity.rounded_up(number) == pytest.approx(up, rel=1e-12)

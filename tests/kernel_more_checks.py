"""What the kernels can do beyond the plain form: a window, grouped heads, keys split among programs. Run by
test_kernels.py as kernel_checks.py is, and so are the two first kernels.
"""

import math
from typing import Any

import numpy as np
import pytest
import torch
from kernel_checks import TALL, WIDE, Case, check, sample, tensor, tiled
from torch import Tensor

from helpers.pytorch import kernels
from helpers.pytorch.first_kernels import add, softmax
from helpers.pytorch.kernels import Tiles, tiled_attention
from helpers.softmax import softmax as numpy_softmax
from helpers.streaming import grouped_query_attention, merge_partials, window_mask

SMALL = Tiles(16, 16)


@pytest.mark.parametrize(
    ("n_queries", "n_keys", "window", "tiles"),
    [
        (40, 56, 20, SMALL),  # an edge, tiles that are seen in full, a diagonal
        (48, 48, 16, SMALL),  # as wide as a tile
        (33, 50, 1, TALL),  # itself alone
        (20, 37, 300, WIDE),  # wider than the text
        (20, 3, 2, SMALL),  # the first queries see nothing
        (64, 64, 33, SMALL),
    ],
)
def test_a_window(n_queries: int, n_keys: int, window: int, tiles: Tiles) -> None:
    check(sample(n_queries, n_keys), False, tiles, window=window)


def test_a_window_is_lesson_14_s() -> None:
    case = sample(20, 24)
    ones = torch.ones_like(case.keys)  # all scores alike: every weight is one over the number of keys seen
    log_sum_exp = tiled_attention(case.queries * 0, ones, case.values, window=5, tiles=SMALL)[1]
    seen = torch.from_numpy(window_mask(20, 24, 5).sum(axis=1)).to(log_sum_exp)
    torch.testing.assert_close(log_sum_exp.exp(), seen)


def test_tiles_before_the_window_are_never_loaded() -> None:
    # A value that is NaN comes out of every tile that loads it, hidden or not: 0 · NaN is NaN.
    case = sample(48, 48)
    values = case.values.clone()
    values[:16] = math.nan
    output, _ = tiled_attention(case.queries, case.keys, values, window=8, tiles=SMALL)
    assert bool(output[32:].isfinite().all())
    assert bool(output[:16].isnan().all())


def grouped(n_queries: int, n_keys: int) -> tuple[Case, Case]:
    """Six heads of queries that share two of keys and values, and the same with a copy for each."""
    case = sample(n_queries, n_keys, 1, 6)
    keys, values = (part[:, :2].contiguous() for part in case[1:3])
    shared = case._replace(keys=keys, values=values)
    copied = case._replace(keys=keys.repeat_interleave(3, dim=1), values=values.repeat_interleave(3, dim=1))
    return shared, copied


@pytest.mark.parametrize(
    ("n_queries", "causal", "window"),
    [(18, True, 9), (1, True, None), (1, False, 7)],
)
def test_grouped_heads_are_those_with_copied_keys(n_queries: int, causal: bool, window: int | None) -> None:
    shared, copied = grouped(n_queries, 24)
    found = tiled(shared, causal, SMALL, grouped=True, window=window)
    expected = tiled(copied, causal, SMALL, window=window)
    for one, other in zip(found[:3], expected[:3], strict=True):
        torch.testing.assert_close(one, other)
    for one, other in zip(found[3:], expected[3:], strict=True):
        torch.testing.assert_close(one, other.unflatten(1, (2, 3)).sum(dim=2))


def test_grouped_heads_are_lesson_14_s() -> None:
    shared, _ = grouped(5, 7)
    arrays = [part.cpu().numpy().astype(float) for part in shared[:3]]
    expected, _ = grouped_query_attention(*arrays, causal=True)
    output, _ = tiled_attention(*shared[:3], causal=True, grouped=True, tiles=SMALL)
    np.testing.assert_allclose(output.cpu().numpy(), expected, atol=2e-6)


def test_the_keys_of_a_group_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    run = kernels.Launch.run

    def watched(launch: kernels.Launch) -> None:
        given.append({part.data_ptr() for part in launch.arguments if isinstance(part, Tensor)})
        run(launch)

    monkeypatch.setattr(kernels.Launch, "run", watched)
    for n_queries in (5, 1):
        shared, _ = grouped(n_queries, 24)
        tiled_attention(*shared[:3], causal=True, grouped=True, tiles=SMALL)
        assert {shared.keys.data_ptr(), shared.values.data_ptr()} <= given.pop()


@pytest.mark.parametrize(
    ("n_queries", "n_keys", "splits", "causal", "window"),
    [(1, 100, 3, False, None), (18, 70, 4, True, None), (5, 90, 3, False, 40), (20, 9, 2, True, None)],
)
def test_keys_split_among_programs(
    n_queries: int, n_keys: int, splits: int, causal: bool, window: int | None
) -> None:
    check(sample(n_queries, n_keys, 2), causal, SMALL, window=window, splits=splits)


def test_splits_are_merged_as_lesson_13_does(monkeypatch: pytest.MonkeyPatch) -> None:
    partials: list[tuple[Tensor, Tensor]] = []
    run = kernels.Launch.run

    def watched(launch: kernels.Launch) -> None:
        if launch.kernel is kernels.merge_kernel:
            partials.append(launch.arguments[:2])
        run(launch)

    monkeypatch.setattr(kernels.Launch, "run", watched)
    case = sample(1, 40)
    output, log_sum_exp = tiled_attention(*case[:3], tiles=SMALL, splits=2)
    ((outputs, log_sum_exps),) = partials
    assert outputs.shape == (2, 1, 1, 1, 16)
    first, second = ((outputs[i].cpu().numpy(), log_sum_exps[i].cpu().numpy()) for i in range(2))
    merged, merged_sum = merge_partials(*first, *second)
    np.testing.assert_allclose(output.cpu().numpy(), merged[0, 0], atol=1e-6)
    np.testing.assert_allclose(log_sum_exp.cpu().numpy(), merged_sum[0, 0], atol=1e-6)


def test_one_query_with_a_long_cache_is_split_so_that_every_processor_has_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Properties:
        multi_processor_count = 132

    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: Properties)
    cuda = torch.device("cuda")
    assert kernels.splits_for(8, 32768, cuda) == 16  # 8 heads of keys: 128 programs for 132 processors
    assert kernels.splits_for(8, 1000, cuda) == 3  # not fewer than 256 keys each
    assert kernels.splits_for(1, 10**6, cuda) == 64
    assert kernels.splits_for(200, 32768, cuda) == 1
    assert kernels.splits_for(0, 0, cuda) == 1


def test_rows_out_of_step_are_copied_and_no_others() -> None:
    rows = tensor(2, 3, 20, 32, start=1.0)
    for same in (rows, rows.transpose(1, 2), rows[:, :, 4:], rows[:1].expand(5, 3, 20, 32), rows[..., :16]):
        assert kernels.in_step(same) is same
    wider = torch.cat([rows, rows[..., :8]], dim=-1)
    for out_of_step in (wider[..., :32], wider.flatten()[1:3841].view(2, 3, 20, 32), rows.mT):
        copied = kernels.in_step(out_of_step)
        assert copied.is_contiguous()
        assert copied.data_ptr() % 16 == 0
        assert torch.equal(copied, out_of_step)


@pytest.mark.parametrize(
    ("heads", "words"),
    [((6, 4, 4), r"a multiple of those of keys .*got queries \(6, 5, 16\)"), ((6, 2, 3), "values")],
)
def test_groups_that_do_not_fit_are_named(heads: tuple[int, int, int], words: str) -> None:
    parts = (tensor(n, 5, 16, start=1.0) for n in heads)
    with pytest.raises(ValueError, match=words):
        tiled_attention(*parts, grouped=True)


def test_heads_are_needed_for_groups() -> None:
    with pytest.raises(ValueError, match=r"grouped: .*\(\.\.\., heads, n, d\); got queries \(5, 16\)"):
        tiled_attention(*(tensor(5, 16, start=1.0),) * 3, grouped=True)


@pytest.mark.parametrize(("name", "error"), [("window", ValueError), ("splits", ValueError)])
def test_a_window_and_splits_are_counts(name: str, error: type[Exception]) -> None:
    asked: dict[str, Any] = {name: 0}
    with pytest.raises(error, match=name):
        tiled_attention(*(tensor(5, 16, start=1.0),) * 3, **asked)


@pytest.mark.parametrize("n", [0, 1, 64, 200])
def test_a_sum_of_vectors(n: int) -> None:
    x, y = tensor(n, start=1.0), tensor(n, start=9.0)
    assert torch.equal(add(x, y, tile=64), x + y)
    assert torch.equal(add(x[::2], y[::2], tile=64), (x + y)[::2])


@pytest.mark.parametrize("shape", [(3, 1), (2, 37), (5, 64), (0, 4)])
def test_softmax_of_rows(shape: tuple[int, int]) -> None:
    scores = 500 * tensor(*shape, start=3.0)  # e^1000 is no float32
    expected = numpy_softmax(scores.cpu().numpy())
    np.testing.assert_allclose(softmax(scores).cpu().numpy(), expected, atol=1e-6)
    turned = tensor(*shape[::-1], start=3.0).mT  # its rows lie in pieces
    np.testing.assert_allclose(softmax(turned).cpu().numpy(), numpy_softmax(turned.cpu().numpy()), atol=1e-6)


def test_what_does_not_fit_the_first_kernels_is_named() -> None:
    row = tensor(5, start=1.0)
    with pytest.raises(ValueError, match=r"vectors of one length .*got \(5,\) .* and \(4,\)"):
        add(row, row[:4])
    with pytest.raises(ValueError, match=r"\(n_queries, n_keys\).*got \(5,\)"):
        softmax(row)

"""Ring attention, and heads split, on real processes: the numbers of one, counted and measured."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from ring_samples import D_K, D_V, Sample, by_one_process, sample, tolerances
from torch import Tensor
from torch_samples import on_one_thread, rows

from helpers.leaks import leaks
from helpers.pytorch import torch_ring
from helpers.pytorch.attention import attention, causal_mask
from helpers.pytorch.many_machines import Run, exchange_run, ring_run, tensor_parallel_run, torch_ring_run
from helpers.pytorch.partials import Places, attend_partial, merge_partials
from helpers.pytorch.processes import Crew, CrewError
from helpers.shares import SHARES, all_reduce_bytes, exchange_bytes, positions_of, ring_bytes, score_cells
from helpers.streaming import merge_partials as numpy_merge_partials

CrewOf = Callable[[int], Crew]
JOBS = "helpers.pytorch.ring_jobs"
one_thread = pytest.fixture(autouse=True)(on_one_thread)


@pytest.fixture(scope="module")
def crew_of() -> Iterator[CrewOf]:
    """How many processes -> a crew of them: one start for all tests."""
    crews: dict[int, Crew] = {}

    def crew(n_processes: int) -> Crew:
        if n_processes not in crews or not crews[n_processes].alive:
            crews[n_processes] = Crew(n_processes)
        return crews[n_processes]

    yield crew
    for each in crews.values():
        each.close()


def must_be_near(found: Run, given: Sample, causal: bool, n_merges: int) -> None:
    output, gradients = by_one_process(given, causal)
    allowed = tolerances(given, n_merges)
    assert max(allowed if found.gradients else allowed[:1]) < 1e-3  # or it would mean nothing
    assert found.output.shape == output.shape
    assert found.output.dtype == given.queries.dtype
    assert abs(found.output - output).max() <= allowed[0]
    if found.gradients:
        off = [float(abs(a - b).max()) for a, b in zip(found.gradients, gradients, strict=True)]
        assert all(each <= limit for each, limit in zip(off, allowed[1:], strict=True)), (off, allowed)


# --- two partial results become one


def test_merging_is_that_of_numpy():
    given = sample(2, n=7)
    masks = causal_mask(7)[:, :3], causal_mask(7)[:, 3:]  # the first queries see none of the later keys
    halves = [(given.keys[:, :3], given.values[:, :3]), (given.keys[:, 3:], given.values[:, 3:])]
    parts = []
    for (keys, values), mask in zip(halves, masks, strict=True):
        scores = (given.queries @ keys.mT / D_K**0.5).masked_fill(~mask, -torch.inf)
        parts += [attention(given.queries, keys, values, mask)[0], torch.logsumexp(scores, -1)]
    merged = merge_partials(parts[0], parts[1], parts[2], parts[3])
    by_numpy = numpy_merge_partials(*(part.numpy() for part in parts))
    for ours, theirs in zip(merged, by_numpy, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-14, atol=1e-15)
    assert abs(merged[0] - by_one_process(given, causal=True)[0]).max() < 1e-14


def test_nothing_merged_with_nothing_is_nothing():
    nothing = torch.zeros(2, 3), torch.full((2,), -torch.inf)
    output, log_sum_exp = merge_partials(*nothing, *nothing)
    assert torch.equal(output, nothing[0])
    assert torch.equal(log_sum_exp, nothing[1])


@pytest.mark.parametrize("n_queries", [2, 3])
def test_partial_results_must_be_of_the_same_queries(n_queries):
    output, other = torch.zeros(2, 4), torch.zeros(3, 4)
    with pytest.raises(ValueError, match=r"same queries.*got \(2, 4\) with"):
        merge_partials(output, torch.zeros(n_queries), other, torch.zeros(3))


@pytest.mark.parametrize("tile", [1, 2, 3, 100])
def test_tiles_that_are_hidden_are_not_made(tile):
    given = sample(n=6)
    places = torch.tensor([0, 3, 4, 7, 8, 9]), torch.tensor([1, 2, 5, 6, 10, 11])
    *partial, made = attend_partial(*given.inputs, Places(*places, True), tile)
    mask = places[1] <= places[0][:, None]
    assert abs(partial[0] - attention(*given.inputs, mask)[0]).max() < 1e-14
    assert made >= mask.sum()
    assert made == {1: int(mask.sum()), 2: 4 * 5, 3: 27, 100: 36}[tile]


# --- the numbers of one process


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n_processes", [1, 2, 3, 4])
def test_a_ring_gives_what_one_process_gives_forward_and_back(crew_of, n_processes, share, causal):
    given = sample(2, 3, n=19)  # 19 is divided by none of them
    found = ring_run(crew_of(n_processes), *given, causal=causal, share=share, tile=2)
    must_be_near(found, given, causal, n_merges=12)


@pytest.mark.parametrize("n", [1, 3, 4, 8])
@pytest.mark.parametrize("share", SHARES)
def test_few_tokens_so_that_a_process_may_have_none(crew_of, n, share):
    given = sample(n=n)
    must_be_near(ring_run(crew_of(4), *given, causal=True, share=share), given, True, n_merges=8)


def test_single_precision_and_large_scores(crew_of):
    given = sample(2, n=18, dtype=torch.float32)
    given = given._replace(queries=20 * given.queries)  # scores of some hundreds: e^score overflows
    found = ring_run(crew_of(4), *given.inputs, causal=True, share="zigzag", tile=3)
    must_be_near(found, given, True, n_merges=8)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_worked_in_single(crew_of, dtype):
    """Partial results stay in float32: the output is rounded once, by half the dtype's step."""
    given = sample(2, n=18, dtype=dtype)
    exact = Sample(*(part.double() for part in given))
    output, gradients = by_one_process(exact, causal=True)
    found = ring_run(crew_of(4), *given, causal=True, tile=3)
    assert found.gradients
    eps = torch.finfo(dtype).eps
    assert found.output.dtype == dtype
    assert (abs(found.output - output) <= 0.51 * eps * abs(output) + 1e-5).all()
    for gradient, expected in zip(found.gradients, gradients, strict=True):
        # delta is made of the rounded output, so that it is off by half a step of d_v products
        assert (abs(gradient - expected) <= eps * (abs(expected) + 2 * abs(expected).max())).all()
    sent = ring_bytes(18, 4, D_K, D_V, n_heads=2, bytes_per_number=2, bytes_per_gradient=4, backward=True)
    sent = sent + ring_bytes(18, 4, D_K, D_V, n_heads=2, bytes_per_number=2)
    assert [each["keys and values"] + each["gradients"] for each in found.sent] == sent.tolist()


@pytest.mark.parametrize("share", SHARES)
def test_a_number_that_is_none_is_not_hidden(crew_of, share):
    """A NaN comes out as NaN wherever its token is seen, and nowhere else."""
    given = sample(n=9)
    keys = given.keys.clone()
    keys[4, 0] = torch.nan
    output = ring_run(crew_of(3), given.queries, keys, given.values, causal=True, share=share).output
    assert output.isnan().any(dim=-1).tolist() == [False] * 4 + [True] * 5


def test_without_overlap_the_numbers_are_the_same_to_the_last_bit(crew_of):
    given = sample(2, n=13)
    one, other = (ring_run(crew_of(3), *given, causal=True, overlap=overlap) for overlap in (True, False))
    assert torch.equal(one.output, other.output)
    assert one.gradients
    assert other.gradients
    assert all(torch.equal(a, b) for a, b in zip(one.gradients, other.gradients, strict=True))


# --- counts: bytes, scores, memory


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n_processes", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [19, 24])
def test_bytes_sent_are_those_of_the_formula(crew_of, n, n_processes, share):
    given = sample(2, 3, n=n)
    sizes = {"n_heads": 6, "bytes_per_number": 8, "share": share}
    forward = ring_bytes(n, n_processes, D_K, D_V, **sizes)
    both = forward + ring_bytes(n, n_processes, D_K, D_V, **sizes, backward=True)
    found = ring_run(crew_of(n_processes), *given.inputs, share=share)
    assert [sent.get("keys and values", 0) for sent in found.sent] == forward.tolist()
    assert all("gradients" not in sent for sent in found.sent)
    found = ring_run(crew_of(n_processes), *given, share=share)
    assert [s.get("keys and values", 0) + s.get("gradients", 0) for s in found.sent] == both.tolist()
    assert all(sent.get("agreement", 0) == 256 * (n_processes - 1) for sent in found.sent)


def must_be_written(found: Run) -> None:
    """The system's count is the payload, and at most 3 % for what it is wrapped in."""
    for sent, written in zip(found.sent, found.written, strict=True):
        if written is None:
            pytest.skip("this system does not count what a process writes")
        payload = sum(sent.values())
        assert payload <= written <= 1.03 * payload


def test_the_system_saw_the_same_bytes(crew_of):
    must_be_written(ring_run(crew_of(4), *sample(n=402, d_k=64, d_v=48)))
    must_be_written(exchange_run(crew_of(4), *sample(5, n=202, d_k=32, d_v=48)))
    w_q, w_k, w_v, w_o = (rows(48, 48, start=start) for start in (1.0, 2.0, 3.0, 4.0))
    x = rows(501, 48)
    must_be_written(tensor_parallel_run(crew_of(4), x, w_q, w_k, w_v, w_o, x, n_heads=4))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n_processes", [2, 3, 4])
def test_scores_made_are_those_of_the_formula(crew_of, n_processes, share):
    """With tiles of one score none is wasted; with larger ones none that is needed is left out."""
    given = sample(n=11)
    needed = score_cells(11, n_processes, share)
    found = ring_run(crew_of(n_processes), *given.inputs, causal=True, share=share, tile=1)
    assert found.cells.tolist() == needed.tolist()
    wider = ring_run(crew_of(n_processes), *given.inputs, causal=True, share=share, tile=2)
    assert (wider.cells >= needed).all()
    full = ring_run(crew_of(n_processes), *given.inputs, share=share)
    assert full.cells.tolist() == score_cells(11, n_processes, share, causal=False).tolist()


def test_memory_is_that_of_a_share(crew_of):
    """Twice the tokens on twice the processes: as much each. On the same: twice as much, but for tiles."""
    held = {
        (n, n_processes): max(ring_run(crew_of(n_processes), *sample(n=n, d_k=32, d_v=32), tile=32).held)
        for n, n_processes in [(256, 2), (512, 4), (512, 2), (1024, 4)]
    }
    assert held[256, 2] == pytest.approx(held[512, 4], rel=0.01)
    assert held[512, 2] == pytest.approx(held[1024, 4], rel=0.01)
    # A message that is not cleared away yet is in it, or is not: some hundred bytes.
    assert 1.9 < held[512, 2] / held[256, 2] < 2.01
    rows_of_share = 256 * 32 * 8  # bytes of queries, and as many of keys, values, output, …
    assert 8 * rows_of_share < held[512, 2] < 24 * rows_of_share


def test_causal_work_is_uneven_by_neighbours_and_even_by_zigzag(crew_of):
    """Counted, and in seconds of a processor: the busiest of four over the mean, each at its quickest run."""
    counted = {share: score_cells(4096, 4, share).sum(axis=1) for share in SHARES}
    expected = {share: float(cells.max() / cells.mean()) for share, cells in counted.items()}
    assert expected["contiguous"] == pytest.approx(1.75, abs=0.001)
    assert expected["striped"] == pytest.approx(1.0, abs=0.001)
    assert expected["zigzag"] == pytest.approx(1.0, abs=0.001)
    given = sample(4, n=4096, d_k=64, d_v=64, dtype=torch.float32)
    busy = {share: [math.inf] * 4 for share in SHARES}
    for _ in range(8):  # a busy machine slows some of the runs, and not the same process each time
        for share, quickest in busy.items():
            now = ring_run(crew_of(4), *given.inputs, causal=True, share=share).busy
            busy[share] = [min(pair) for pair in zip(quickest, now, strict=True)]
        uneven = {share: max(seconds) / (sum(seconds) / 4) for share, seconds in busy.items()}
        if uneven["contiguous"] > 1.4 and max(uneven["striped"], uneven["zigzag"]) < 1.3:
            return
    pytest.fail(f"the busiest process over the mean: {uneven}")


# --- heads split instead


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n_processes", [1, 2, 3, 4])
def test_tokens_exchanged_for_heads_give_the_same(crew_of, n_processes, causal):
    given = sample(2, 5, n=19)  # neither tokens nor heads can be divided
    found = exchange_run(crew_of(n_processes), *given, causal=causal)
    must_be_near(found, given, causal, n_merges=1)
    sizes = (19, n_processes, 5, D_K, D_V)
    each_way = [exchange_bytes(*sizes, bytes_per_number=2 * 8, backward=back) for back in (False, True)]
    assert [sent.get("heads", 0) for sent in found.sent] == (each_way[0] + each_way[1]).tolist()
    forward = exchange_run(crew_of(n_processes), *given.inputs, causal=causal)
    assert [sent.get("heads", 0) for sent in forward.sent] == each_way[0].tolist()


def whole_layer(x: Tensor, matrices: list[Tensor], n_heads: int, causal: bool) -> Tensor:
    q, k, v = ((x @ matrix).unflatten(-1, (n_heads, -1)).transpose(-3, -2) for matrix in matrices[:3])
    output, _ = attention(q, k, v, causal_mask(x.shape[-2]) if causal else None)
    return output.transpose(-3, -2).flatten(-2) @ matrices[3]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n_processes", [1, 2, 3, 4])
def test_tensor_parallel_gives_the_same(crew_of, n_processes, causal):
    n_heads, d_model, d_head, d_v = 5, 12, 4, 3
    x, upstream = rows(2, 7, d_model), rows(2, 7, d_model, start=9.0)
    wide = [(d_model, n_heads * d_head)] * 2 + [(d_model, n_heads * d_v), (n_heads * d_v, d_model)]
    w_q, w_k, w_v, w_o = (rows(*shape, start=20.0 + start) / 4 for start, shape in enumerate(wide))
    found = tensor_parallel_run(
        crew_of(n_processes), x, w_q, w_k, w_v, w_o, upstream, n_heads=n_heads, causal=causal
    )
    leaves = [part.clone().requires_grad_() for part in (x, w_q, w_k, w_v, w_o)]
    output = whole_layer(leaves[0], leaves[1:], n_heads, causal)
    gradients = torch.autograd.grad((output * upstream).sum(), leaves)
    assert abs(found.output - output).max() < 1e-12
    assert found.gradients
    assert [each.shape for each in found.gradients] == [each.shape for each in leaves]
    assert max(float(abs(a - b).max()) for a, b in zip(found.gradients, gradients, strict=True)) < 1e-12
    once = all_reduce_bytes(2 * 7 * d_model, n_processes, bytes_per_number=8)  # the output; x's gradient back
    assert [sent.get("sums", 0) for sent in found.sent] == [2 * once] * n_processes


# --- nobody sees the future, in whichever process it lies


def numpy_model(attend: Callable[..., Tensor]) -> Callable[[np.ndarray], np.ndarray]:
    matrices = [rows(4, 4, start=start) for start in (3.0, 5.0, 7.0)]
    return lambda x: attend(*(torch.from_numpy(x) @ matrix for matrix in matrices)).numpy()


@pytest.mark.parametrize("share", SHARES)
def test_nothing_leaks_across_the_border(crew_of, share):
    model = numpy_model(lambda *qkv: ring_run(crew_of(2), *qkv, causal=True, share=share).output)
    assert leaks(model, rows(5, 4).numpy() / 4) == []


def test_a_leak_across_the_border_is_found(crew_of):
    """Six tokens, three each: block masked by its own indices. Process 0 then sees tokens of process 1."""

    def masked_by_own_index(*qkv: Tensor) -> Tensor:
        each = [
            {name: part[held] for name, part in zip(("queries", "keys", "values"), qkv, strict=True)}
            for held in (slice(0, 3), slice(3, 6))
        ]
        return torch.cat(crew_of(2).run("ring_checks:masks_by_own_index", each=each))

    found = leaks(numpy_model(masked_by_own_index), rows(6, 4).numpy() / 4)
    assert found == [(0, 3), (1, 3), (1, 4), (2, 3), (2, 4), (2, 5)]


# --- PyTorch's own


@pytest.mark.parametrize(("causal", "share"), [(False, "contiguous"), (True, "contiguous"), (True, "zigzag")])
def test_pytorchs_own_ring_gives_the_same(crew_of, causal, share):
    given = sample(1, 2, n=24, d_k=8, d_v=8, dtype=torch.float32)
    try:
        theirs = torch_ring_run(crew_of(2), *given.inputs, causal=causal, share=share)
    except CrewError as error:
        if "keeps its ring elsewhere" not in str(error):
            raise
        pytest.skip(str(error))
    ours = ring_run(crew_of(2), *given.inputs, causal=causal, share=share)
    must_be_near(theirs, given, causal, n_merges=4)
    assert abs(theirs.output - ours.output).max() <= tolerances(given, 4)[0]


def test_pytorchs_loop_is_told_to_hand_keys_on_and_its_settings_come_back(monkeypatch):
    """Gathered or handed on, the output is the same: only what the loop was told makes it a ring."""
    try:
        _, options, hand_on = torch_ring.the_loop()
    except LookupError as error:
        pytest.skip(str(error))
    before, told = (options.enable_load_balance, options.rotate_method), []

    def loop(*given, **named):
        told.append((options.enable_load_balance, options.rotate_method.name))
        if len(told) == 2:
            raise RuntimeError("the loop stops half-way")
        return given[3:4]

    monkeypatch.setattr(torch_ring, "the_loop", lambda: (loop, options, hand_on))
    ring: Any = None  # the loop above sends nothing
    rows = torch.zeros(1, 1, 4, 8)
    assert torch_ring.torch_ring_attention(ring, rows, rows, rows) is rows
    with pytest.raises(RuntimeError, match="half-way"):
        torch_ring.torch_ring_attention(ring, rows, rows, rows, causal=True, share="zigzag")
    assert told == [(False, "ALL_TO_ALL"), (True, "ALL_TO_ALL")]
    assert (options.enable_load_balance, options.rotate_method) == before


def test_pytorchs_public_door_has_no_kernel_here_or_gives_the_same(crew_of):
    given = sample(1, 2, n=24, d_k=8, d_v=8, dtype=torch.float32)
    queries, keys, values = given.inputs
    with crew_of(2) as crew:  # ends with it: the attempt may leave PyTorch's attention bent
        for found in crew.run(f"{JOBS}:torch_door_job", queries=queries, keys=keys, values=values):
            if isinstance(found, str):
                assert "Error: " in found
            else:
                must_be_near(Run(found, (), [], [], np.array([]), [], [], [], []), given, True, n_merges=4)


# --- what cannot be shared out


def test_what_does_not_fit_is_said_before_anyone_is_asked(crew_of):
    crew, given = crew_of(4), sample(4, n=9)
    q, k, v = given.inputs
    wide = rows(5, 6)
    with pytest.raises(ValueError, match=r"of the same tokens.*\(4, 9, 5\), \(4, 8, 5\)"):
        ring_run(crew, q, k[:, :8], v[:, :8])
    with pytest.raises(ValueError, match=r"upstream must have the shape of the output, \(4, 9, 3\)"):
        ring_run(crew, q, k, v, q)
    with pytest.raises(ValueError, match="share must be one of"):
        ring_run(crew, q, k, v, share="round")
    with pytest.raises(ValueError, match="the number of tokens must be at least 1; got 0"):
        ring_run(crew, q[:, :0], k[:, :0], v[:, :0])
    with pytest.raises(ValueError, match="each of 4 processes needs a head; got n_heads 3"):
        tensor_parallel_run(crew, q, wide, wide, wide, rows(6, 5), n_heads=3)
    with pytest.raises(ValueError, match=r"columns of w_q must be a whole number for each of 5 heads"):
        tensor_parallel_run(crew, q, wide, wide, wide, rows(6, 5), n_heads=5)
    with pytest.raises(ValueError, match="8 must divide the tokens; got 9"):
        torch_ring_run(crew, q[None], q[None], q[None], share="zigzag", causal=True)
    with pytest.raises(ValueError, match=r"three of one shape \(B, heads, n, d\)"):
        torch_ring_run(crew, q, k, v)
    assert crew.alive


def test_positions_and_rows_stay_together(crew_of):
    """Each token's value is its place, and only its own key matches its query: the output is the places."""
    n = 10
    queries = 60 * torch.eye(n, dtype=torch.float64)
    values = torch.arange(float(n), dtype=torch.float64)[:, None]
    for share in SHARES:
        output = ring_run(crew_of(4), queries, queries, values, share=share).output
        assert output[:, 0].round(decimals=6).tolist() == list(range(n)), share
        assert len(positions_of(0, n, 4, share)) in (2, 3)

"""The benchmark: its harness on scripted clocks, its memory on known allocations, its records and figures.

No test asserts how long anything takes.
"""

import copy
import getpass
import json
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from samples import properties

from helpers import datasets
from helpers.benchmark import __main__ as command
from helpers.benchmark import attention as suite
from helpers.benchmark import devices, findings, harness, plots, records, report
from helpers.benchmark.attention import BOTH, FORWARD, Group, Plan, run_attention_benchmark
from helpers.benchmark.harness import History, Limits, Run, measure_group
from helpers.plots import canvas

ROOT = Path(__file__).resolve().parent.parent
CPU = torch.device("cpu")
TINY = Plan(
    sizes=(5, 11, 23),
    module_sizes=(3,),
    backends=("math", "cudnn"),  # a CPU has the first, and refuses the second
    backends_both=("math",),
    limits=Limits(least_rounds=2, most_rounds=2, seconds=0.0, sample_seconds=0.0),
    matmul_size=13,
    copied_bytes=4096,
)
TINIEST = Plan((5,), (), passes=(FORWARD,), limits=TINY.limits, matmul_size=13, copied_bytes=4096)


def quiet(_line):
    return None


@pytest.fixture(scope="module")
def tiny():
    """A record of a real run on the CPU, of sizes that take no time."""
    return run_attention_benchmark("cpu", plan=TINY, say=quiet, threads=1)  # one thread waits for no other


@pytest.fixture
def shown(monkeypatch):
    """The figures that were shown, kept open so that a test can look into them."""
    mpl.use("agg")
    figures: list[Figure] = []
    monkeypatch.setattr(canvas, "show", figures.append)
    yield figures
    plt.close("all")


class Scripted:
    """Tools whose clock reads what a call returns: (seconds, bytes), a number, or an error that it raises."""

    def __init__(self, free=None):
        self.log, self.cleared, self.free = [], 0, free

    def seconds(self, call, calls):
        seconds = call()[0]
        self.log.append((seconds, calls))
        return seconds

    def peak_bytes(self, call):
        return call()[1]

    def free_bytes(self):
        return self.free

    def is_out_of_memory(self, error):
        return "full" in str(error)

    def clear(self):
        self.cleared += 1


def in_turn(*answers):
    """Answers -> a call that gives one after the other, and the last for ever; errors are raised."""
    left = list(answers)

    def call():
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, tuple) else (answer, 100)

    return call


def measured(runs, tools=None, limits=None, n=16, past=None):
    past = {name: History() for name in runs} if past is None else past
    return measure_group(runs, tools or Scripted(), limits or Limits(3, 3, 0.0), n, past)


# --- the harness, on a scripted clock


def test_quartiles_by_hand():
    assert harness.quartiles([5.0, 1.0, 2.0, 4.0, 3.0]) == {"median": 3.0, "lower": 2.0, "upper": 4.0}


def test_ratios_are_taken_within_a_round():
    over, under = [2.0, 40.0, 9.0], [1.0, 10.0, 3.0]  # 2, 4, 3: the medians alone would say 9 / 3
    assert harness.paired_ratio(over, under) == {"median": 3.0, "lower": 2.5, "upper": 3.5}
    assert harness.paired_ratio([2.0, 100.0, 6.0], [1.0, 50.0, 1.0])["median"] == 2.0  # 6 / 1 by medians
    assert harness.paired_ratio([10.0, 2.0], [1.0, 2.0])["median"] == 5.5  # 3.5 if each were sorted


def test_warm_up_does_not_count_and_the_first_call_is_kept():
    outcome = measured({"a": Run(in_turn(9.0, (7.0, 300), 1.0, 2.0, 3.0))})["a"]
    assert (outcome.first, outcome.peak_bytes) == (9.0, 300)
    assert outcome.samples == [1.0, 2.0, 3.0]
    assert outcome.seconds() == {
        "median": 2.0, "lower": 1.5, "upper": 2.5, "rounds": 3, "calls": 1, "first": 9.0,
    }  # fmt: skip


def test_short_calls_are_timed_several_at_once():
    tools = Scripted()
    outcome = measured({"a": Run(in_turn(0.003, 0.003, 0.001))}, tools)["a"]
    assert outcome.calls == 5  # 5 ms of calls of 1 ms
    assert tools.log[2:] == [(0.001, 5)] * 3
    assert measured({"a": Run(in_turn(1e-9))})["a"].calls == harness.MOST_CALLS
    assert measured({"a": Run(in_turn(0.5))})["a"].calls == 1


def test_rounds_stop_at_the_limits():
    def rounds(least, most, seconds):
        return len(measured({"a": Run(in_turn(1.0))}, limits=Limits(least, most, seconds))["a"].samples)

    assert rounds(3, 50, 0.0) == 3  # at least these, however long
    assert rounds(3, 50, 7.0) == 7  # then until the seconds are spent
    assert rounds(3, 5, 7.0) == 5  # and never more than these


def test_the_order_turns_and_everyone_is_sampled_in_every_round():
    order = []

    def run(name):
        def call():
            order.append(name)
            return 1.0, 1

        return Run(call)

    runs = {name: run(name) for name in ("a", "b", "c")}
    outcomes = measured(runs, limits=Limits(4, 4, 0.0))
    rounds = ["".join(order[start : start + 3]) for start in range(len(order) - 12, len(order), 3)]
    assert rounds == ["abc", "acb", "cab", "cba"]
    assert [len(outcome.samples) for outcome in outcomes.values()] == [4, 4, 4]


@properties
@given(st.integers(1, 7), st.integers(0, 50))
def test_an_order_holds_everyone_once(n_names, round_number):
    names = [str(i) for i in range(n_names)]
    assert sorted(harness.turned(names, round_number)) == names


def test_nobody_always_goes_first_or_after_the_same():
    rounds = [harness.turned(["a", "b", "c"], i) for i in range(6)]
    assert {order[0] for order in rounds} == {"a", "b", "c"}
    pairs = [(order[i], order[i + 1]) for order in rounds for i in range(2)]
    assert len(set(pairs)) == 6


def test_the_setting_is_entered_before_the_clock_starts():
    log = []

    @contextmanager
    def around():
        log.append("in")
        yield
        log.append("out")

    class Clock(Scripted):
        def seconds(self, call, calls):
            log.append("clock")
            return super().seconds(call, calls)

    measured({"a": Run(in_turn(1.0), around)}, Clock(), Limits(1, 1, 0.0))
    assert log == ["in", "clock", "out", "in", "clock", "out"]


@pytest.mark.parametrize("error", [MemoryError("no more"), RuntimeError("the GPU is full\nand more")])
def test_out_of_memory_is_recorded_and_larger_sizes_are_left_out(error):
    tools, past = Scripted(), {"big": History(), "small": History()}
    small = Run(in_turn(1.0))
    first = measured({"big": Run(in_turn(error)), "small": small}, tools, n=64, past=past)
    assert (first["big"].status, first["big"].seconds()) == ("out of memory", None)
    assert first["big"].reason == str(error).splitlines()[0]
    assert first["small"].status == "measured"
    assert tools.cleared == 1
    second = measured({"big": Run(in_turn(1.0)), "small": small}, tools, n=128, past=past)
    assert (second["big"].status, second["big"].reason) == ("skipped", "out of memory at n = 64")
    assert second["small"].status == "measured"


def test_out_of_memory_in_the_middle_leaves_no_half_a_sample():
    runs = {"a": Run(in_turn(1.0, 1.0, 1.0, RuntimeError("full"))), "b": Run(in_turn(2.0))}
    outcomes = measured(runs, limits=Limits(5, 5, 0.0))
    assert (outcomes["a"].status, outcomes["a"].samples) == ("out of memory", [])
    assert len(outcomes["b"].samples) == 5


def test_a_refusal_says_why_and_the_next_size_is_tried_again():
    past = {"a": History()}
    refused = measured({"a": Run(in_turn(RuntimeError("no such kernel")))}, past=past)["a"]
    assert (refused.status, refused.reason) == ("refused", "no such kernel")
    assert measured({"a": Run(in_turn(1.0))}, n=32, past=past)["a"].status == "measured"


def test_an_error_in_the_code_is_not_swallowed():
    with pytest.raises(ValueError, match="shapes"):
        measured({"a": Run(in_turn(ValueError("shapes")))})


def test_a_size_is_left_out_before_it_takes_too_long():
    past = History(n=100, seconds=2.0, peak_bytes=None)
    limits = Limits(seconds_a_call=10.0)
    assert harness.reason_to_skip(past, 200, 2, limits, Scripted()) is None  # 8 s
    why = harness.reason_to_skip(past, 300, 2, limits, Scripted())
    assert why == "one call would take about 18.0 s; at most 10 s are allowed"


def test_a_busy_moment_does_not_end_a_line():
    past = {"a": History()}
    measured({"a": Run(in_turn(1.0, 1.0, 50.0, 50.0, 0.5))}, n=100, past=past)
    assert (past["a"].n, past["a"].seconds) == (100, 0.5)


@pytest.mark.parametrize(("power", "needed"), [(2, 16), (1, 4)])
def test_a_size_is_left_out_before_it_fills_the_memory(power, needed):
    past = History(n=100, seconds=0.0, peak_bytes=2**20)
    enough, short = Scripted(free=needed * 2**20), Scripted(free=needed * 2**20 - 1)
    assert harness.reason_to_skip(past, 400, power, Limits(), enough) is None
    why = harness.reason_to_skip(past, 400, power, Limits(), short)
    assert why is not None
    assert why.startswith(f"would need about {needed} MiB")
    assert harness.reason_to_skip(past, 400, power, Limits(bytes_a_call=2**20), Scripted()) is not None


# --- the memory of a call


def hold_three_floats_thousand_each():
    a = torch.empty(1000)
    b = torch.empty(1000)
    return a, b, torch.empty(1000)


def hold_one_after_the_other():
    for _ in range(5):
        torch.empty(1000, dtype=torch.float64)


def held_by(call):
    """A call -> what it holds at most on the CPU, as a number."""
    held = devices.Cpu().peak_bytes(call)
    assert held is not None
    return held


def rounded(n_bytes):
    """What torch's allocator takes for so many bytes: whole runs of 64."""
    return -(-n_bytes // 64) * 64


def test_known_allocations_are_counted_to_the_byte():
    assert held_by(hold_three_floats_thousand_each) in {12_000, 3 * rounded(4000)}
    assert held_by(hold_one_after_the_other) in {8_000, rounded(8000)}
    assert held_by(lambda: None) == 0


def test_memory_that_was_there_before_does_not_count():
    there = torch.zeros(50_000)
    assert held_by(lambda: there.add_(1)) < 1000


def test_each_allocation_is_given_back():
    sizes = devices.allocations(hold_one_after_the_other)
    assert sum(sizes) == 0
    assert sizes[0] == -sizes[1] > 0


def test_memory_is_counted_after_an_error_too():
    def fail():
        raise RuntimeError("full")

    with pytest.raises(RuntimeError, match="full"):
        devices.allocations(fail)
    assert held_by(hold_one_after_the_other) > 0


@pytest.mark.parametrize("passes", [FORWARD, BOTH])
def test_the_readable_form_holds_its_matrix_and_the_fused_one_does_not(passes):
    n = 256
    runs = suite.runs_of(Group("attention", "float32", passes, False), n, CPU)
    with runs["readable"].around():
        readable = [held_by(runs["readable"].call) for _ in range(2)]
    with runs["fused"].around():
        fused = held_by(runs["fused"].call)
    matrix = suite.N_HEADS * n * n * 4
    assert readable[0] == readable[1] >= 2 * matrix
    assert 0 < fused < (2 if passes == BOTH else 1) * matrix


def test_free_memory_is_more_than_a_test_needs():
    free = devices.free_memory()
    assert free is None or free > 2**20


def test_every_way_to_say_out_of_memory_is_known():
    tools = devices.Cpu()
    for error in (
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 64.00 GiB."),
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory"
        ),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 4 bytes."),
        RuntimeError("MPS backend out of memory (MPS allocated: 18.04 GB)"),
    ):
        assert tools.is_out_of_memory(error), error
    assert not tools.is_out_of_memory(RuntimeError("No available kernel. Aborting execution."))


def test_a_tensor_that_no_machine_holds_is_out_of_memory():
    outcome = measured({"a": Run(lambda: torch.empty(10**15))}, devices.Cpu())["a"]
    assert outcome.status == "out of memory"
    assert outcome.reason
    assert "memory" in outcome.reason


# --- clocks and names of devices


def test_a_call_is_made_as_often_as_asked():
    made = []
    assert devices.Cpu().seconds(lambda: made.append(1), 7) > 0
    assert len(made) == 7


def test_a_gpu_is_timed_by_its_events_and_waited_for(monkeypatch):
    log = []

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            log.append("event")

        def elapsed_time(self, end):
            return 600.0  # milliseconds

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: log.append("wait"))
    tools = devices.Cuda(torch.device("cuda"))
    assert tools.seconds(lambda: log.append("call"), 3) == pytest.approx(0.2)
    assert log == ["wait", "event", "call", "call", "call", "event", "wait"]


def test_a_gpu_s_memory_is_its_peak_less_what_was_there(monkeypatch):
    state = SimpleNamespace(now=700, peak=9999)

    def call():
        state.peak = max(state.peak, state.now + 300)

    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: None)
    monkeypatch.setattr(
        torch.cuda, "reset_peak_memory_stats", lambda device: setattr(state, "peak", state.now)
    )
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: state.now)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: state.peak)
    assert devices.Cuda(torch.device("cuda")).peak_bytes(call) == 300


def test_a_gpu_is_named_with_its_driver(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "NVIDIA Test 1")
    monkeypatch.setattr(
        devices, "_answer", lambda *words: "570.1\n570.1" if words[0] == "nvidia-smi" else None
    )
    found = devices.Cuda(torch.device("cuda")).describe()
    assert (found["kind"], found["name"], found["driver"]) == ("cuda", "NVIDIA Test 1", "570.1")


def test_the_queue_of_an_apple_gpu_is_emptied_before_and_after(monkeypatch):
    log = []
    monkeypatch.setattr(torch.mps, "synchronize", lambda: log.append("wait"))
    devices.Mps().seconds(lambda: log.append("call"), 2)
    assert log == ["wait", "call", "call", "wait"]
    assert devices.Mps().peak_bytes(lambda: None) is None
    assert "none" in devices.Mps().describe()["memory_method"]


def test_tools_go_with_the_device():
    assert type(devices.tools_for(CPU)) is devices.Cpu
    assert type(devices.tools_for(torch.device("mps"))) is devices.Mps
    assert type(devices.tools_for(torch.device("cuda"))) is devices.Cuda
    with pytest.raises(ValueError, match="only cpu, cuda and mps can be measured; got device 'meta'"):
        devices.tools_for(torch.device("meta"))


def test_ceilings_are_operations_and_bytes_over_the_fastest_round(monkeypatch):
    times = iter([9.0, 4.0, 2.0, 5.0, 9.0, 8.0, 4.0, 16.0])  # the first of each does not count
    monkeypatch.setattr(devices.Cpu, "seconds", lambda self, call, calls: next(times))
    matmul, copied = devices.measured_ceilings(CPU, torch.float32, 10, 400, rounds=3)
    assert (matmul["rate"], matmul["unit"]) == (2 * 10**3 / 2.0, "FLOP/s")
    assert (copied["rate"], copied["unit"]) == (2 * 400 / 4.0, "bytes/s")


def test_a_named_back_end_is_the_one_that_runs():
    queries = torch.randn(1, 2, 5, 4)
    assert devices.chosen_backend(queries, causal=True) == "flash"
    with devices.only_backend("math"):
        assert devices.chosen_backend(queries, causal=True) == "math"


def test_a_back_end_that_is_not_there_says_so():
    queries = torch.randn(1, 2, 5, 4)
    with pytest.raises(RuntimeError, match="No viable backend"), devices.only_backend("cudnn"):
        torch.nn.functional.scaled_dot_product_attention(queries, queries, queries)


def test_git_s_silence_is_no_error(monkeypatch):
    monkeypatch.setattr(devices, "_answer", lambda *words: None)
    assert devices.git_state() == (None, None)
    monkeypatch.setattr(devices, "_answer", lambda *words: "abc" if words[1] == "rev-parse" else "")
    assert devices.git_state() == ("abc", False)


# --- what is measured


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("passes", [FORWARD, BOTH])
@pytest.mark.parametrize("part", ["attention", "module"])
def test_implementations_of_a_group_do_the_same_job(part, passes, causal):
    runs = suite.runs_of(Group(part, "float32", passes, causal), 11, CPU, ("math", "flash"))
    results = {}
    for name, run in runs.items():
        with run.around():
            result = run.call()
        assert isinstance(result, (tuple, torch.Tensor))
        results[name] = result if isinstance(result, tuple) else (result,)
    first, *others = results
    assert len(others) == 3
    ours = results[first]
    for name in others:
        # nn.MultiheadAttention packs its projections: of its gradients only that of x has ours' shape.
        pairs = list(zip(ours, results[name], strict=False))[: 1 if "nn." in name else None]
        assert pairs
        for mine, theirs in pairs:
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


def test_forward_prepares_no_gradients_and_both_passes_give_them_all():
    forward = suite.runs_of(Group("module", "float32", FORWARD, False), 3, CPU)["ours"]
    with forward.around():
        assert torch.is_inference_mode_enabled()
        output = forward.call()
    assert isinstance(output, torch.Tensor)
    assert not output.requires_grad
    both = suite.runs_of(Group("module", "float32", BOTH, False), 3, CPU)["ours"].call()
    assert isinstance(both, tuple)
    assert len(both) == 1 + 8  # x, four matrices, four biases


def test_operations_by_hand():
    n, heads, d = 6, suite.N_HEADS, suite.D_HEAD
    multiply_add = 2
    two_products = 2 * multiply_add * heads * n * n * d
    four_projections = 4 * multiply_add * n * (heads * d) ** 2
    assert suite.operations("attention", n, False, FORWARD) == two_products
    assert suite.operations("attention", n, True, FORWARD) == two_products // 2
    assert suite.operations("attention", n, False, BOTH) == 3 * two_products
    assert suite.operations("module", n, False, FORWARD) == two_products + four_projections


def test_bytes_by_hand():
    n, heads, d = 6, suite.N_HEADS, suite.D_HEAD
    rows, matrix = heads * n * d, heads * n * n
    assert suite.moved_bytes("fused", n, True, FORWARD, 2) == 4 * rows * 2
    assert suite.moved_bytes("fused", n, False, BOTH, 4) == 12 * rows * 4
    assert suite.moved_bytes("readable", n, False, FORWARD, 4) == (4 * rows + 6 * matrix) * 4
    assert suite.moved_bytes("readable", n, True, BOTH, 4) == (12 * rows + 23 * matrix) * 4
    assert suite.moved_bytes("ours", n, False, FORWARD, 4) is None
    assert suite.moved_bytes("fused by math", n, False, FORWARD, 4) is None


def test_a_run_covers_every_case(tiny):
    attention = 3 * (4 + 3) * len(TINY.causal)  # sizes × (implementations forward + in both passes) × ...
    module = 1 * (4 + 4) * len(TINY.causal)
    assert len(tiny["cases"]) == attention + module
    statuses = {case["implementation"]: case["status"] for case in tiny["cases"]}
    assert statuses.pop("fused by cudnn") == "refused"
    assert set(statuses.values()) == {"measured"}
    assert all(case["backend"] == "flash" for case in records.select(tiny, implementation="fused"))
    reasons = {case["reason"] for case in records.select(tiny, implementation="fused by cudnn")}
    assert all("No viable backend" in str(reason) for reason in reasons)


def test_a_run_keeps_its_ratios_and_slopes(tiny):
    pairs = {(ratio["over"], ratio["under"]) for ratio in tiny["ratios"]}
    assert pairs == {*suite.RATIOS["attention"], *suite.RATIOS["module"], ("fused by math", "fused")}
    readable = [
        slope
        for slope in tiny["slopes"]
        if slope["implementation"] == "readable" and slope["quantity"] == "peak_bytes"
    ]
    assert len(readable) == 4
    assert all((slope["from_n"], slope["to_n"], slope["points"]) == (5, 23, 3) for slope in readable)


def test_a_run_is_a_valid_record_that_can_be_read_back(tiny, tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(records.as_json(tiny))
    assert records.read_record(path) == tiny
    assert (tiny["schema"], tiny["complete"], tiny["device"]["kind"]) == (records.SCHEMA, True, "cpu")


def test_a_record_names_neither_the_machine_nor_its_user_nor_a_path(tiny):
    written = records.as_json(tiny).decode()
    for private in (socket.gethostname(), getpass.getuser(), Path.home().name):
        assert not re.search(rf"(?<![\w-]){re.escape(private)}(?![\w-])", written), private
    for folder in (ROOT, Path.home(), Path(sys.prefix), Path.cwd()):
        assert str(folder) not in written
    assert not re.search(r'"[^"]*(?:[A-Za-z]:\\|(?<![\w}·])/(?:\w+/)+)', written)


def test_stopped_by_hand_what_was_measured_is_kept(capsys):
    lines = []

    def stop_at_the_sixth(line):
        lines.append(line)
        if len(lines) == 6:
            raise KeyboardInterrupt

    record = run_attention_benchmark("cpu", plan=TINY, say=stop_at_the_sixth)
    assert not record["complete"]
    assert len(record["cases"]) == 6
    assert "stopped" in lines[-1]
    records.validate_record(json.loads(records.as_json(record)))
    assert "STOPPED" in report.summary(record)


def test_threads_are_as_before():
    before = torch.get_num_threads()
    assert run_attention_benchmark("cpu", plan=TINIEST, say=quiet, threads=1)["threads"] == 1
    assert torch.get_num_threads() == before
    assert run_attention_benchmark("cpu", plan=TINIEST, say=quiet)["threads"] == before


def test_a_device_that_is_not_here_is_refused():
    with pytest.raises(ValueError, match="device 'cuda:77' is not here"):
        run_attention_benchmark("cuda:77", plan=TINY, say=quiet)


def test_plans_go_as_far_as_the_issue_asks():
    cuda, cpu, quick = suite.plan_for("cuda"), suite.plan_for("cpu"), suite.plan_for("cpu", quick=True)
    assert (cuda.sizes[0], cuda.sizes[-1], tuple(cuda.dtypes)) == (256, 32768, ("float32", "bfloat16"))
    assert set(cuda.backends) == {"flash", "efficient", "cudnn", "math"}
    assert cpu.sizes[-1] == 8192
    assert cpu.module_sizes[-1] == 4096
    assert (quick.sizes[-1], tuple(quick.passes)) == (1024, (FORWARD,))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no NVIDIA GPU")
def test_a_run_on_a_gpu():
    record = run_attention_benchmark("cuda", plan=TINY, say=quiet)
    assert record["device"]["kind"] == "cuda"
    assert all(case["peak_bytes"] for case in record["cases"] if case["status"] == "measured")


# --- slopes and goals


@properties
@given(st.floats(-2, 4), st.floats(1e-6, 1e6))
def test_the_slope_of_a_power_is_its_exponent(power, factor):
    ns = np.array([2.0, 3.0, 5.0, 7.0, 11.0])
    assert findings.fitted_slope(ns, factor * ns**power) == pytest.approx(power, abs=1e-9)


def test_a_slope_needs_positive_points():
    for ns, values in (([1.0], [1.0]), ([1.0, 2.0], [0.0, 1.0]), ([1.0, 2.0], [1.0])):
        with pytest.raises(ValueError, match="a slope needs two or more positive points"):
            findings.fitted_slope(ns, values)


def a_case(n, implementation="readable", median=None, peak=None, status="measured", **changes):
    """A case whose time is n³ nanoseconds and whose memory is n² bytes, unless told otherwise."""
    median = n**3 * 1e-9 if median is None else median
    seconds = {
        "median": median, "lower": 0.9 * median, "upper": 1.2 * median, "rounds": 5, "calls": 1, "first": 1.0,
    }  # fmt: skip
    done = status == "measured"
    case = {
        "part": "attention", "implementation": implementation, "backend": None, "n": n, "causal": False,
        "dtype": "float32", "passes": FORWARD, "status": status, "reason": None if done else "no room",
        "seconds": seconds if done else None, "peak_bytes": (peak or n**2) if done else None,
        "operations": 4 * n * n, "moved_bytes": 8 * n,
    }  # fmt: skip
    return {**case, **changes}


def a_ratio(over, under, n, median, **changes):
    quartiles = {"median": median, "lower": median - 0.1, "upper": median + 0.2, "rounds": 5}
    setting = {"part": "module", "causal": False, "dtype": "float32", "passes": FORWARD}
    return {"over": over, "under": under, "n": n, **setting, **quartiles, **changes}


def a_record(cases=(), ratios=(), kind="cpu", name="Test 1", **changes):
    cases = list(cases)
    record = {
        "schema": 1, "suite": "attention", "complete": True, "date": "2026-01-02T03:04:05+00:00",
        "commit": "0123456789abcdef", "tree_changed": False,
        "device": {"kind": kind, "name": name, "driver": None, "cuda": None, "cudnn": None,
                   "memory_method": "by hand"},
        "threads": 2,
        "versions": {"python": "3.11.1", "torch": "2.0", "numpy": "2.0", "system": "Linux 6.1",
                     "machine": "x86_64"},
        "arguments": {"quick": False}, "formulas": {"operations": "by hand"},
        "ceilings": [
            {"what": "matmul", "dtype": "float32", "size": 8, "rate": 4e9, "unit": "FLOP/s"},
            {"what": "copy", "dtype": "float32", "size": 8, "rate": 1e8, "unit": "bytes/s"},
        ],
        "cases": cases, "ratios": list(ratios), "slopes": findings.slopes_of(cases),
    }  # fmt: skip
    return records.validate_record({**record, **changes})


def test_slopes_of_time_leave_out_the_short_calls_and_memory_does_not():
    ns = (256, 512, 1024, 2048, 4096)
    cases = [a_case(n, median=1.0 if n < 1024 else n**3 * 1e-9) for n in ns]
    time, memory = findings.slopes_of([*cases, a_case(8192, status="out of memory")])
    assert (time["quantity"], time["from_n"], time["to_n"]) == ("seconds", 1024, 4096)
    assert time["slope"] == pytest.approx(3)
    assert (memory["quantity"], memory["from_n"], memory["points"]) == ("peak_bytes", 256, 5)
    assert memory["slope"] == pytest.approx(2)


def test_two_points_make_no_slope_and_lines_are_kept_apart():
    assert findings.slopes_of([a_case(1024), a_case(2048)]) == []
    large = (1024, 2048, 4096)
    both = [a_case(n, name) for n in large for name in ("readable", "fused")]
    both += [a_case(n, causal=True) for n in large]
    assert len(findings.slopes_of(both)) == 6


def test_short_calls_alone_make_no_slope_of_time():
    cases = [a_case(n) for n in (128, 256, 512, 1024, 2048)]
    (memory,) = findings.slopes_of(cases)
    assert (memory["quantity"], memory["points"]) == ("peak_bytes", 5)


def test_goals_by_hand():
    ratios = [
        a_ratio("ours", "bare", 1024, 1.5),  # below 2,048 no goal
        a_ratio("ours", "bare", 2048, 1.05),
        a_ratio("ours", "bare", 4096, 1.06),
        a_ratio("ours", "nn.MultiheadAttention", 256, 1.01),
        a_ratio("ours", suite.NO_WEIGHTS, 256, 1.0),
        a_ratio("nn.MultiheadAttention", "bare", 256, 9.0),
        a_ratio("readable", "fused", 4096, 1.0),  # a goal for GPUs only
    ]
    cases = [a_case(n) for n in (1024, 2048, 4096)]
    cases += [a_case(n, "fused", peak=int(n**1.2)) for n in (1024, 2048, 4096)]
    found = findings.goals(a_record(cases, ratios))
    verdicts = [(goal.what.split(",")[0], goal.n, goal.met) for goal in found]
    assert verdicts == [
        ("ours ÷ bare", 2048, True),
        ("ours ÷ bare", 4096, False),
        ("ours ÷ nn.MultiheadAttention", 256, False),
        (f"ours ÷ {suite.NO_WEIGHTS}", 256, True),
        ("slope of memory", None, True),  # readable: 2.0, at least 1.9
        ("slope of memory", None, False),  # fused: 1.2, at most 1.1
    ]


def test_a_gpu_has_goals_of_its_own():
    ratios = [
        a_ratio("ours", "bare", 2048, 1.04),
        a_ratio("readable", "fused", 4096, 9.0, dtype="bfloat16"),
        a_ratio("readable", "fused", 4096, 9.0, dtype="bfloat16", causal=True),
        a_ratio("readable", "fused", 4096, 1.0),  # float32 has no goal
        a_ratio("readable", "fused", 2048, 1.0, dtype="bfloat16"),
    ]
    found = findings.goals(a_record(ratios=ratios, kind="cuda"))
    assert [(goal.bound, goal.met) for goal in found] == [(1.03, False), (4.0, True), (10.0, False)]


def test_rates_by_hand():
    case = a_case(10, median=2.0)
    assert findings.rate(case) == (400 / 2.0, 80 / 2.0)
    assert findings.rate(a_case(10, median=2.0, moved_bytes=None)) == (200.0, None)
    assert findings.rate(a_case(10, status="skipped")) is None


# --- records


def test_select_finds_cases_in_the_order_of_n():
    record = a_record([a_case(8), a_case(2), a_case(4, "fused")])
    assert [case["n"] for case in records.select(record, implementation="readable")] == [2, 8]
    with pytest.raises(ValueError, match=r"cases have the fields part, .*; got colour"):
        records.select(record, colour="red")


SPOILED = [
    ("schema", 2, "schema must be 1; got 2"),
    ("date", 5, "date must be a text; got 5"),
    ("complete", "yes", "complete must be true or false; got 'yes'"),
    ("threads", 2.5, "threads must be a whole number; got 2.5"),
    ("threads", True, "threads must be a whole number; got True"),
    ("cases", {}, "cases must be a list"),
    ("device/kind", "abacus", "device: kind must be one of cpu, cuda, mps; got 'abacus'"),
    ("device/driver", 5, "device: driver must be a text; got 5"),
    ("versions", [], "versions must be an object"),
    ("cases/0/n", "256", r"cases\[0\]: n must be a whole number; got '256'"),
    ("cases/1/status", "fine", r"cases\[1\]: status must be one of measured, refused"),
    ("cases/0/seconds/median", float("nan"), r"cases\[0\]: seconds: median must be a finite number; got nan"),
    ("cases/0/seconds/lower", 9.0, r"cases\[0\]: seconds must be positive, with lower <= median <= upper"),
    ("cases/0/seconds", None, r"cases\[0\]: seconds must be there where a case is measured, and only there"),
    ("cases/1/reason", None, r"cases\[1\]: reason must say why this case is skipped"),
    ("cases/0/n", 0, r"cases\[0\]: n must be at least 1; got 0"),
    ("ceilings/0/unit", "km/h", r"ceilings\[0\]: unit must be one of FLOP/s, bytes/s"),
    ("formulas/operations", 7, r"formulas\[operations\] must be a text"),
]


@pytest.mark.parametrize(("field", "value", "words"), SPOILED)
def test_a_spoiled_record_is_refused_and_the_field_is_named(field, value, words):
    record = copy.deepcopy(a_record([a_case(4), a_case(8, status="skipped")]))
    *way, last = [int(key) if key.isdigit() else key for key in field.split("/")]
    place = record
    for key in way:
        place = place[key]
    place[last] = value
    with pytest.raises(records.RecordError, match=f"^run: ?.*{words}"):
        records.validate_record(record, "run")


@pytest.mark.parametrize("field", [*records.Record.__annotations__])
def test_a_record_without_a_field_is_refused(field):
    record = dict(a_record())
    del record[field]
    with pytest.raises(records.RecordError, match=f"{field}"):
        records.validate_record(record)


@pytest.mark.parametrize("content", [b"{", b"[]", b"null", b"{}", b"\xff"])
def test_what_is_no_record_is_refused(content):
    with pytest.raises(records.RecordError, match=r"^run\.json (is not JSON|must be an object)"):
        records.parse_record(content, "run.json")


def test_names_in_data():
    assert records.record_name(a_record()) == "cpu/attention.json"
    gpu = a_record(kind="cuda", name="NVIDIA H200 (SXM)")
    assert records.record_name(gpu) == "gpu/nvidia-h200-sxm-attention.json"


@pytest.fixture
def copied_data(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("sources.toml", "sentence.csv"):
        shutil.copy(datasets.DATA / name, folder / name)
    monkeypatch.setattr(datasets, "DATA", folder)
    return folder


def test_a_stored_record_is_listed_and_found(copied_data):
    assert records.find_records("gpu") == []
    record = a_record([a_case(4)], kind="cuda", name="NVIDIA Test 1")
    assert records.store_record(record) == copied_data / "records" / "gpu" / "nvidia-test-1-attention.json"
    assert records.find_records("gpu") == [record]
    assert records.find_records("gpu", "streaming") == []
    assert records.load_record("gpu/nvidia-test-1-attention.json") == record
    datasets.load_sentence()  # the other tables are as they were


def test_a_record_replaces_the_older_one(copied_data):
    before = (copied_data / "sources.toml").read_text(encoding="utf-8")
    n_before = len(tomllib.loads(before)["file"])
    had_one = "records/cpu/attention.json" in before
    for threads in (2, 3):
        records.store_record(a_record(threads=threads))
        listing = tomllib.loads((copied_data / "sources.toml").read_text(encoding="utf-8"))["file"]
        assert len(listing) == n_before + (not had_one)
    assert records.load_record()["threads"] == 3
    entry = next(entry for entry in listing if entry["name"] == "records/cpu/attention.json")
    assert entry["made_by"] == "python -m helpers.benchmark --device cpu --record"
    assert all(entry[key] for key in ("what", "source", "licence", "restore", "sha256"))


def test_an_altered_record_is_refused(copied_data):
    path = records.store_record(a_record())
    path.write_bytes(path.read_bytes().replace(b'"threads": 2', b'"threads": 3'))
    with pytest.raises(datasets.DataFileError, match=r"data/records/cpu/attention\.json is not the file"):
        records.load_record()


@pytest.mark.parametrize("changes", [{"complete": False}, {"arguments": {"quick": True}}])
def test_a_stopped_or_quick_run_is_not_recorded(copied_data, changes):
    with pytest.raises(ValueError, match="only a complete, full run is recorded"):
        records.store_record(a_record(**changes))
    assert not (copied_data / "records").exists()


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_records_that_ship_are_full_runs_without_private_names(kind):
    for path in sorted((datasets.DATA / "records" / kind).glob("*.json")):
        record = records.load_record(f"{kind}/{path.name}")
        assert records.record_name(record) == f"{kind}/{path.name}"
        assert record["complete"]
        assert not record["arguments"]["quick"]
        assert str(Path.home()) not in path.read_text(encoding="utf-8")


# --- the summary and the command


def test_the_summary_says_what_was_found():
    cases = [a_case(n) for n in (1024, 2048, 4096)] + [a_case(8192, status="skipped")]
    ratios = [a_ratio("ours", "bare", n, 1.0) for n in (2048, 4096)] + [a_ratio("ours", "bare", 8192, 1.25)]
    said = report.summary(a_record(cases, ratios))
    for words in (
        "attention on Test 1 (cpu, 2 threads), 2026-01-02",
        "commit 0123456789\n",
        "ceiling, matmul, float32: 4.00 GFLOP/s",
        "1.07 s ±15%, 1.00 MiB",
        "readable, n 8,192: skipped: no room",
        "readable, full, float32, forward, n 4,096: 0.977 MFLOP/s (0% of a matmul)",
        "time n^3.00: readable, full, float32, forward, n 1,024 to 4,096",
        "ours ÷ bare, full, float32, forward: 2048: 1.00 (0.90–1.20), 4096: 1.00 (0.90–1.20)",
        "Goals: 3 of 4 met",
        "NOT met: ours ÷ bare, full, float32, forward ≤ 1.05; n 8,192: 1.250 (1.150–1.450)",
        "  met: slope of memory, readable, full, float32, forward ≥ 1.9",
    ):
        assert words in said, words


@pytest.mark.parametrize(
    ("value", "words"),
    [(1.5, "1.50 s"), (0.0123, "12.3 ms"), (4e-5, "40.0 µs"), (1234.0, "1,234 s"), (0.9996, "1,000 ms")],
)
def test_durations_in_words(value, words):
    assert report.duration(value) == words


def test_sizes_and_rates_in_words():
    assert report.size(3 * 2**20) == "3.00 MiB"
    assert report.size(512) == "0.500 KiB"
    assert report.size(0) == "0 KiB"
    assert report.per_second(2.5e12, "FLOP/s") == "2.50 TFLOP/s"
    assert report.per_second(43e9, "bytes/s") == "43.0 GB/s"


@pytest.fixture
def tiny_command(monkeypatch, tmp_path, copied_data):
    """The command with the tiniest plan, in a folder of its own, and with a copy of data/."""
    monkeypatch.setattr(suite, "plan_for", lambda kind, quick=False: TINIEST)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_writes_its_results_and_keeps_a_record(tiny_command, copied_data, capsys):
    assert command.main(["--device", "cpu", "--record"]) == 0
    said = capsys.readouterr()
    record = records.read_record(tiny_command / "benchmark-attention.json")
    assert record["complete"]
    assert records.load_record() == record
    assert "Recorded: data/records/cpu/attention.json" in said.out
    assert records.sources_block(record, records.as_json(record)) in said.out
    assert len(said.err.splitlines()) == len(record["cases"])


def test_the_command_stopped_by_hand_writes_and_does_not_record(tiny_command, copied_data, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(suite, "measure_group", stop)
    assert command.main(["attention", "--device", "cpu", "--record", "--out", "mine.json"]) == 1
    assert not records.read_record(tiny_command / "mine.json")["complete"]
    assert not (copied_data / "records").exists()


def test_the_command_says_what_it_cannot_do(tiny_command, capsys):
    assert command.main(["--quick", "--record"]) == 2
    assert "--record needs a full run" in capsys.readouterr().err
    assert command.main(["--device", "cuda:77"]) == 2
    assert "device 'cuda:77' is not here" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["no-such-suite"])
    assert not list(tiny_command.glob("*.json"))


def test_the_quick_command_from_outside(tmp_path):
    out = tmp_path / "run.json"
    asked = ["--quick", "--device", "cpu", "--threads", "1", "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "helpers.benchmark", *asked],
        capture_output=True, text=True, cwd=ROOT, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    record = records.read_record(out)
    assert record["arguments"]["quick"]
    assert {case["status"] for case in record["cases"]} <= {"measured", "skipped"}
    assert "Ratios of times" in done.stdout
    assert len(done.stderr.splitlines()) == len(record["cases"])
    assert str(out) not in out.read_text(encoding="utf-8")


# --- figures


NS = (256, 1024, 2048, 4096)


@pytest.fixture
def drawn():
    """A record with a cubic and a linear line, ratios of 2 and 0.5, and one size left out."""
    cases = [a_case(n, operations=10 * n * n, moved_bytes=5 * n * n) for n in NS]
    cases += [a_case(n, "fused", n * 1e-6, 100 * n, operations=n * n, moved_bytes=8 * n) for n in NS]
    cases += [a_case(8192, status="skipped")]
    ratios = [a_ratio(*pair, n, ratio) for n in NS for pair, ratio in ((("a", "b"), 2.0), (("c", "b"), 0.5))]
    return a_record(cases, ratios)


def result_of(draw, *arguments, **options):
    return draw(*arguments, **options)


def labels(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_times_are_drawn_and_told(drawn, shown, capsys):
    assert result_of(plots.plot_times, drawn) is None
    assert labels(shown[0]) == ["readable", "fused"]
    line = shown[0].axes[0].lines[0]
    np.testing.assert_allclose(line.get_xydata(), [(n, n**3 * 1e-9) for n in NS])
    assert len(shown[0].axes[0].collections) == 2  # the bands
    told = capsys.readouterr().out
    assert "readable: 16.8 ms at n 256, 68.7 s at n 4,096; grows like n^3.00 from n 1,024 on" in told
    assert "fused: 256 µs at n 256, 4.10 ms at n 4,096; grows like n^1.00 from n 1,024 on" in told
    assert "readable, n 8,192: skipped, no room" in told
    assert "times as long" not in told  # the record has no ratio of readable to fused


def test_the_slope_that_is_told_is_fitted_by_todays_rule(drawn, shown, capsys):
    drawn["slopes"] = [{**slope, "slope": 7.0, "from_n": 2} for slope in drawn["slopes"]]
    plots.plot_times(drawn)
    assert "grows like n^3.00 from n 1,024 on" in capsys.readouterr().out


def test_readable_over_fused_is_told_for_the_largest_size_of_the_setting(drawn, shown, capsys):
    drawn["ratios"] = [
        a_ratio("readable", "fused", 4096, 5.0, part="attention"),
        a_ratio("readable", "fused", 256, 3.0, part="attention"),
        a_ratio("readable", "fused", 4096, 7.0, part="module"),
        a_ratio("readable", "fused", 8192, 9.0, part="attention", causal=True),
    ]
    plots.plot_times(drawn)
    told = capsys.readouterr().out
    assert "At n 4,096 readable takes 5.0 times as long as fused (4.9–5.2)\n" in told
    assert told.count("times as long") == 1


def test_sizes_that_were_left_out_share_a_line(drawn, shown, capsys):
    drawn["cases"] += [
        a_case(16384, status="skipped", reason="so long"),
        a_case(512, "fused", status="refused"),
    ]
    drawn["cases"] += [a_case(n, "odd", status="out of memory") for n in NS]
    plots.plot_times(drawn)
    told = capsys.readouterr().out
    assert "readable, n 8,192 and more: skipped, no room\n" in told
    assert "fused, n 512: refused, no room\n" in told
    assert "odd, n 256 and more: out of memory, no room\n" in told
    plots.plot_memory(drawn)
    told = capsys.readouterr().out
    assert "readable, n 8,192 and more: not measured\n" in told
    assert "odd, n 256 and more: out of memory\n" in told
    assert "no room" not in told


def test_a_gap_is_not_called_an_end(drawn, shown, capsys):
    drawn["cases"] += [a_case(n, "fused", status="refused") for n in (128, 512)]
    plots.plot_times(drawn)
    assert "fused, n 128, 512: refused, no room\n" in capsys.readouterr().out


def test_memory_is_drawn_with_its_fit_and_told(drawn, shown, capsys):
    assert result_of(plots.plot_memory, drawn) is None
    fit = shown[0].axes[0].lines[1].get_ydata()
    np.testing.assert_allclose(fit, [n**2 for n in NS])
    assert "readable: 64.0 KiB at n 256, 16.0 MiB at n 4,096; grows like n^2.00" in capsys.readouterr().out


def test_ratios_are_drawn_and_told(drawn, shown, capsys):
    assert result_of(plots.plot_ratios, drawn, [("a", "b"), ("c", "b")]) is None
    assert labels(shown[0]) == ["a ÷ b", "c ÷ b"]
    told = capsys.readouterr().out
    assert "a ÷ b: n 256 2.00 (1.90–2.20), n 1,024 2.00" in told
    assert "c ÷ b: n 256 0.50 (0.40–0.70)" in told


def test_the_roofline_is_drawn_and_told(drawn, shown, capsys):
    assert result_of(plots.plot_roofline, drawn) is None
    roof = shown[0].axes[0].lines[0].get_xydata()
    np.testing.assert_allclose(roof[1], (40, 4e9))  # 4e9 operations, 1e8 bytes a second: they meet at 40
    assert (roof[:, 1] <= 4e9).all()
    np.testing.assert_allclose(roof[0, 1], 1e8 * roof[0, 0])
    told = capsys.readouterr().out
    assert "calculating 4.00 GFLOP/s, moving 100 MB/s; they meet at 40.0 operations a byte" in told
    assert "readable: 2.0 operations a byte, where moving is the limit; " in told
    assert "n 4,096 reaches 2.44 MFLOP/s, 1% of its ceiling there\n" in told
    assert "fused: 32.0 to 512.0 operations a byte, on both sides of the corner; " in told
    assert "n 4,096 reaches 4.10 GFLOP/s, 102% of its ceiling there: " in told
    assert told.count("the ceiling was measured at a busier moment\n") == 1


def test_the_roofline_shows_its_slope_and_says_where_calculating_is_the_limit(drawn, shown, capsys):
    drawn["ceilings"][1]["rate"] = 4e9  # now they meet at 1, to the left of every point
    plots.plot_roofline(drawn)
    roof = shown[0].axes[0].lines[0].get_xydata()
    assert roof[0, 0] <= 1 / 8
    told = capsys.readouterr().out
    assert "readable: 2.0 operations a byte, where calculating is the limit; " in told
    assert "fused: 32.0 to 512.0 operations a byte, where calculating is the limit; " in told


def test_points_that_stand_above_one_another_have_their_notes_beside(drawn, shown):
    plots.plot_roofline(drawn)
    notes = [text for text in shown[0].axes[0].texts if text.get_text().startswith("n ")]
    assert [note.get_horizontalalignment() for note in notes] == ["left", "left", "center", "center"]


def test_two_records_are_drawn_side_by_side_and_compared(drawn, shown, capsys):
    own = a_record([a_case(n, median=2 * n**3 * 1e-9) for n in NS[:2]], name="Mine 2")
    assert result_of(plots.plot_beside, drawn, own) is None
    assert labels(shown[0]) == [
        "readable, recorded: Test 1",
        "fused, recorded: Test 1",
        "readable, yours: Mine 2",
    ]
    assert capsys.readouterr().out == "readable, n 1,024: recorded 1.07 s, yours 2.15 s: 2 times as long\n"


def test_the_findings_follow_the_record(drawn, shown, capsys):
    drawn["cases"][3]["seconds"]["median"] = 0.5
    plots.plot_times(drawn)
    assert "500 ms at n 4,096" in capsys.readouterr().out


@pytest.mark.parametrize("draw", [plots.plot_times, plots.plot_memory, plots.plot_roofline])
def test_a_setting_that_is_not_there_is_named(drawn, draw, shown):
    with pytest.raises(ValueError, match=r"causal True.*it has attention: full, float32, forward"):
        draw(drawn, causal=True)
    assert not shown


def test_a_ratio_or_a_ceiling_that_is_not_there_is_named(drawn, shown):
    with pytest.raises(ValueError, match="no ratio a ÷ c in this setting; there are a ÷ b, c ÷ b"):
        plots.plot_ratios(drawn, [("a", "c")])
    with pytest.raises(ValueError, match="no measured ceilings for float32"):
        plots.plot_roofline(a_record(drawn["cases"], ceilings=[]))


def test_each_line_differs_in_more_than_its_colour(drawn, shown):
    plots.plot_times(drawn)
    first, second = shown[0].axes[0].lines[:2]
    assert first.get_marker() != second.get_marker()
    assert first.get_linestyle() != second.get_linestyle()


def test_a_real_run_can_be_drawn(tiny, shown, capsys):
    for causal, passes in ((False, FORWARD), (True, BOTH)):
        plots.plot_times(tiny, causal, passes=passes)
        plots.plot_memory(tiny, causal, passes=passes)
        plots.plot_roofline(tiny, causal, passes=passes)
        plots.plot_times(tiny, causal, passes=passes, part="module")
        plots.plot_ratios(tiny, suite.RATIOS["module"], causal, passes=passes)
    plots.plot_beside(tiny, tiny)
    assert len(shown) == 11

"""The benchmark's memory on known allocations, its clocks, and the names of devices."""

from types import SimpleNamespace

import pytest
import torch
from benchmark_samples import CPU, measured

from helpers.benchmark import attention as suite
from helpers.benchmark import devices
from helpers.benchmark.attention import BOTH, FORWARD, Group
from helpers.benchmark.harness import Run

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
    monkeypatch.setattr(devices, "ask", lambda *words: "570.1\n570.1" if words[0] == "nvidia-smi" else None)
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
    monkeypatch.setattr(devices, "ask", lambda *words: None)
    assert devices.git_state() == (None, None)
    monkeypatch.setattr(devices, "ask", lambda *words: "abc" if words[1] == "rev-parse" else "")
    assert devices.git_state() == ("abc", False)

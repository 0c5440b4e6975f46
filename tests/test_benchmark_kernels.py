"""The kernels' suite of lesson 13.

It needs a GPU: here it runs on the processor, with tools that call themselves a GPU and PyTorch's own
function in the place of the kernel.
"""

import importlib.util
import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from benchmark_streaming_samples import SHORT, a_ratio, quiet, result, tiny_run
from kept_figures import kept_figures
from torch.nn import functional

from helpers.benchmark import __main__ as command
from helpers.benchmark import devices, findings, kernels, length, plots, records, report
from helpers.benchmark.attention import BOTH, FORWARD, Group, fitted
from helpers.benchmark.kernels import KernelPlan, run_kernel_benchmark
from helpers.datasets import load_gpus

TINY_KERNELS = KernelPlan(
    sizes=(4, 16),
    widths=(16, 32),
    dtypes=("float32",),
    backends=("flash", "cudnn"),  # a processor has the first, and refuses the second
    tokens=32,
    d_model=64,
    limits=SHORT,
    matmul_size=13,
    copied_bytes=4096,
    seconds=None,
)


@pytest.fixture(scope="module")
def tiny():
    return tiny_run()


@pytest.fixture
def shown(monkeypatch):
    yield from kept_figures(monkeypatch)


class NotAGpu(devices.Cpu):
    """The processor under another name."""

    def describe(self):
        return {**super().describe(), "kind": "cuda", "name": "No GPU 1"}

    def clear(self):
        """Nothing is large enough to wait for Python's collector."""


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(kernels, "nothing_here", lambda device: "")
    monkeypatch.setattr(devices, "tools_for", lambda device: NotAGpu())
    calls = []

    def in_place_of_the_kernel(queries, keys, values, *, causal):
        calls.append((tuple(queries.shape), causal))
        return functional.scaled_dot_product_attention(queries, keys, values, is_causal=causal), None

    monkeypatch.setattr(kernels, "tiled_attention", in_place_of_the_kernel)
    return calls


def test_without_a_gpu_the_command_says_so_in_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(["kernels", "--device", "cpu"]) == 3
    said = capsys.readouterr()
    assert said.err == (
        "Nothing to measure: the kernels are timed on an NVIDIA GPU, and the device is cpu.\n"
    )
    assert not said.out
    assert not list(tmp_path.iterdir())


def test_triton_must_be_here_and_compile(monkeypatch):
    cuda = torch.device("cuda")
    monkeypatch.setattr(kernels, "why_not", lambda device: "")
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    assert kernels.nothing_here(cuda) == ""
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert "interpreter" in kernels.nothing_here(cuda)
    monkeypatch.delenv("TRITON_INTERPRET")
    monkeypatch.setattr(kernels, "why_not", lambda device: "Triton cannot be imported")
    assert kernels.nothing_here(cuda) == "Nothing to measure: Triton cannot be imported."


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_a_t4_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (7, 5))
    with pytest.raises(records.NothingToMeasure) as refused:
        run_kernel_benchmark("cuda", say=quiet)
    said = str(refused.value)
    assert said.startswith("Nothing to measure: the kernels need a GPU of compute capability 8.0 or more")
    assert said.endswith("use F.scaled_dot_product_attention, in float16.")


def test_a_run_of_kernels_covers_every_case(no_gpu):
    record = run_kernel_benchmark("cpu", plan=TINY_KERNELS, say=quiet, threads=1)
    assert records.validate_record(record) == record
    assert record["complete"]
    assert records.record_name(record) == "gpu/no-gpu-1-kernels.json"
    found = {(c["part"], c["implementation"], c["n"], c["causal"], c["passes"]) for c in record["cases"]}
    assert found == {
        (f"d {width}", f"{name}, d {width}", n, causal, passes)
        for width in (16, 32)
        for name in ("tiled", "flash", "cudnn")
        for n in (4, 16)
        for causal in (False, True)
        for passes in (FORWARD, BOTH)
    }
    assert len(record["cases"]) == len(found)
    status = {(case["implementation"].split(",")[0], case["status"]) for case in record["cases"]}
    assert status == {("tiled", "measured"), ("flash", "measured"), ("cudnn", "refused")}
    pairs = {(ratio["over"], ratio["under"]) for ratio in record["ratios"]}
    assert pairs == {(f"tiled, d {width}", f"flash, d {width}") for width in (16, 32)}
    assert set(no_gpu) == {  # 32 tokens, heads whose widths add up to 64
        ((32 // n, 64 // width, n, width), causal)
        for n in (4, 16)
        for width in (16, 32)
        for causal in (False, True)
    }
    assert "tiled, d 16 ÷ flash, d 16" in report.summary(record)


def test_lesson_13_draws_the_record_of_a_gpu(no_gpu, shown, tmp_path, monkeypatch, capsys):
    record = run_kernel_benchmark("cpu", plan=TINY_KERNELS, say=quiet, threads=1)
    (tmp_path / "benchmark-kernels.json").write_bytes(records.as_json(record))
    monkeypatch.chdir(tmp_path)
    (own,) = records.own_records("kernels")
    assert records.load_record("benchmark-kernels.json") == own == record
    plots.plot_times(own, causal=True, dtype=own["arguments"]["dtypes"][0], part="d 16")
    (figure,) = shown
    assert figure.axes[0].get_title() == "No GPU 1: d 16, causal, float32, forward"
    said = capsys.readouterr().out
    assert "tiled, d 16: " in said
    assert "flash, d 16: " in said


@pytest.mark.parametrize("causal", [False, True])
def test_back_ends_do_the_kernel_s_job(no_gpu, causal):
    plan = KernelPlan(backends=("flash", "math"), tokens=22, d_model=32)
    make = partial(kernels.kernel_runs, n=11, width=16, device=torch.device("cpu"), plan=plan)
    forward = make(Group("d 16", "float32", FORWARD, causal))
    first, *others = [result(run) for run in forward.values()]
    assert first.shape == (2, 2, 11, 16)
    for other in others:
        np.testing.assert_allclose(other, first, atol=1e-5)
    both = make(Group("d 16", "float32", BOTH, causal))
    gradients: list[tuple[torch.Tensor, ...]] = [run.call() for run in both.values()]  # type: ignore[misc]
    for parts in gradients:
        assert [part.shape for part in parts] == [first.shape] * 3
        for part, of_first in zip(parts, gradients[0], strict=True):
            np.testing.assert_allclose(part, of_first, atol=1e-5)
    expected = 4 * 2 * 2 * 11 * 11 * 16 // (2 if causal else 1)  # 2 sequences, 2 heads
    assert {run.operations for run in forward.values()} == {expected}
    assert {run.operations for run in both.values()} == {3 * expected}
    moved = 4 * 2 * 2 * 11 * 16 * 4
    assert {name: run.moved_bytes for name, run in forward.items()} == {
        "tiled, d 16": moved, "flash, d 16": moved, "math, d 16": None,
    }  # fmt: skip
    assert both["flash, d 16"].moved_bytes == 3 * moved


def test_goals_of_the_kernels_by_hand(tiny):
    small: dict[str, object] = {"dtype": "bfloat16", "part": "d 64"}
    pair = ("tiled, d 64", "flash, d 64")
    ratios = [
        a_ratio(*pair, 1024, 9.0, **small),  # too short to count
        a_ratio(*pair, 2048, 0.99, **small),
        a_ratio(*pair, 4096, 1.01, **small),
        a_ratio(*pair, 4096, 9.0, **{**small, "dtype": "float16"}),
        a_ratio(*pair, 4096, 9.0, **small, passes=BOTH),
        a_ratio("tiled, d 64", "cudnn, d 64", 2048, 1.17, **small),  # 0.855 of its speed
        a_ratio("tiled, d 64", "cudnn, d 64", 4096, 1.18, **small),  # 0.847
        a_ratio("tiled, d 64", "math, d 64", 4096, 0.1, **small),
    ]
    record = records.validate_record(
        {**tiny, "suite": "kernels", "ratios": ratios, "cases": [], "slopes": []}
    )
    found = [(goal.what.split(",")[0], goal.n, goal.met) for goal in findings.goals(record)]
    assert found == [
        ("tiled", 2048, True),
        ("tiled", 4096, False),
        ("stretch: tiled", 2048, True),
        ("stretch: tiled", 4096, False),
    ]


def test_kernels_stopped_by_hand_keep_what_was_measured(no_gpu, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(kernels, "measure_group", stop)
    record = run_kernel_benchmark("cpu", plan=TINY_KERNELS, say=quiet)
    assert not record["complete"]
    assert record["cases"] == []
    assert len(record["ceilings"]) == 2


@pytest.mark.parametrize("name", ["A100", "A100-40GB", "H100", "H200", "B200", "L4"])
def test_a_run_of_kernels_fits_into_five_minutes(name):
    gpu = load_gpus(variants=True)[name]
    cut, seconds = fitted(KernelPlan(), gpu, kernels.expected_seconds)
    assert 60 < seconds <= length.BUDGET
    assert cut.sizes[-1] >= (8192 if gpu.name != "L4" else 4096)


def test_the_length_of_a_run_of_kernels_by_hand():
    plan = KernelPlan((1024,), widths=(64,), dtypes=("float16",), passes=(BOTH,), causal=(True,),
                      backends=("math",), limits=SHORT)  # fmt: skip
    ((dtype, (ours, by_math)),) = kernels.calls_on_paper(plan)
    operations = 3 * 4 * 16 * 32 * 1024**2 * 64 // 2  # 16 sequences, 32 heads, half of the work hidden
    rows, table = 3 * 4 * 16 * 32 * 1024 * 64 * 2, 16 * 32 * 1024**2 * 2
    assert (dtype, ours, by_math) == (
        "float16", (operations, rows, 0), (operations, rows + 18 * table, 3 * table),
    )  # fmt: skip
    times = [length.seconds_a_call(call, dtype, load_gpus()["A100"]) for call in (ours, by_math)]
    whole = kernels.TO_COMPILE + length.seconds_of_size(times, SHORT)
    assert kernels.expected_seconds(plan, load_gpus()["A100"]) == pytest.approx(whole)


def test_how_long_is_said_first_and_kept_to(no_gpu, monkeypatch):
    said: list[str] = []
    plan = replace(TINY_KERNELS, seconds=-1.0)
    monkeypatch.setattr(NotAGpu, "describe", lambda self: {**devices.Cpu().describe(), "name": "NVIDIA H200"})
    record = run_kernel_benchmark("cpu", plan=plan, say=said.append)
    assert said[0].startswith("This takes about 1 min (computed from the data sheet of the H200): n 4 to 16")
    assert record["complete"]
    assert {case["status"] for case in record["cases"]} == {"skipped"}
    records.validate_record(json.loads(records.as_json(record)))


def test_the_plan_of_kernels_goes_as_far_as_the_paper_s_table():
    plan = KernelPlan()
    assert (plan.sizes[0], plan.sizes[-1]) == (1024, 16384)
    assert plan.widths == (64, 128)
    assert set(plan.dtypes) == {"bfloat16", "float16"}
    assert set(plan.backends) == {"flash", "efficient", "cudnn", "math"}
    assert kernels.QUICK.sizes[-1] <= 4096


@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no NVIDIA GPU")
def test_kernels_are_measured_on_a_gpu():
    plan = KernelPlan((128, 256), widths=(64,), dtypes=("bfloat16",), passes=(FORWARD,), causal=(True,),
                      limits=SHORT, matmul_size=512)  # fmt: skip
    record = run_kernel_benchmark("cuda", plan=plan, say=quiet)
    tiled = records.select(record, implementation="tiled, d 64")
    assert {case["status"] for case in tiled} == {"measured"}

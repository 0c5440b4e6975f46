"""What the benchmark of lesson 08 measures, on a tiny run.

No test asserts how long anything takes.
"""

import getpass
import json
import re
import socket
import sys
from pathlib import Path

import pytest
import torch
from benchmark_samples import CPU, ROOT, TINIEST, TINY, quiet, tiny_run

from helpers.benchmark import attention as suite
from helpers.benchmark import records, report
from helpers.benchmark.attention import BOTH, FORWARD, Group, run_attention_benchmark


@pytest.fixture(scope="module")
def tiny():
    return tiny_run()


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


def test_a_t4_is_measured_in_float16(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (7, 5))
    assert tuple(suite.plan_for("cuda").dtypes) == ("float32", "float16")


@pytest.mark.skipif(
    not hasattr(torch.backends.cuda.matmul, "fp32_precision"), reason="this PyTorch has only the older way"
)
def test_tf32_asked_for_in_today_s_way_is_recorded_and_stops_nothing():
    assert run_attention_benchmark("cpu", plan=TINIEST, say=quiet)["arguments"]["float32_products"] == "ieee"
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    try:
        record = run_attention_benchmark("cpu", plan=TINIEST, say=quiet)
    finally:
        torch.backends.cuda.matmul.fp32_precision = "none"
    assert record["complete"]
    assert record["arguments"]["float32_products"] == "tf32"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no NVIDIA GPU")
def test_a_run_on_a_gpu():
    record = run_attention_benchmark("cuda", plan=TINY, say=quiet)
    assert record["device"]["kind"] == "cuda"
    assert all(case["peak_bytes"] for case in record["cases"] if case["status"] == "measured")

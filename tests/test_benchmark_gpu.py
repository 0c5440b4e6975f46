"""A run on somebody's GPU, with fakes: how long it takes, its dtype, too little memory, an interruption."""

import json

import pytest
import torch
from benchmark_samples import CPU, TINY, copy_of_data, quiet
from kept_figures import kept_figures

from helpers.benchmark import __main__ as command
from helpers.benchmark import attention as suite
from helpers.benchmark import devices, length, plots, records
from helpers.benchmark.attention import FORWARD, Plan, run_attention_benchmark
from helpers.benchmark.harness import Limits
from helpers.datasets import load_gpus

GPUS = load_gpus()


class FakeT4(devices.Cpu):
    """The CPU, which says that it is a T4: its clock and memory are real."""

    kind = "cuda"

    def capability(self):
        return 7, 5

    def clocks(self):
        return "clocks.sm: 585 MHz"

    def describe(self):
        return {**super().describe(), "kind": "cuda", "name": "Tesla T4", "driver": "1.2"}


@pytest.fixture
def t4(monkeypatch):
    monkeypatch.setattr(suite, "best_device", lambda wanted=None: CPU)
    monkeypatch.setattr(devices, "tools_for", lambda device: FakeT4())


@pytest.fixture
def shown(monkeypatch):
    yield from kept_figures(monkeypatch)


def tiny(**changes):
    small = {"module_sizes": (), "causal": (False,)}
    own = {**TINY.__dict__, **small, "seconds": 60.0, "dtypes": ("float16",), "passes": (FORWARD,)}
    return Plan(**{**own, **changes})


# --- how long it takes


@pytest.mark.parametrize("name", GPUS)
def test_every_plan_fits_into_five_minutes(name):
    plan = suite.plan_for("cuda", capability=GPUS[name].capability)
    cut, seconds = suite.fitted(plan, GPUS[name])
    assert 60 < seconds <= length.BUDGET < 300
    assert cut.sizes[0] == 256
    assert cut.sizes[-1] >= 8192  # below, the launch is measured and not attention
    assert max(cut.module_sizes) <= cut.sizes[-1]


def test_a_faster_gpu_measures_longer_texts():
    longest = {
        name: suite.fitted(suite.plan_for("cuda"), GPUS[name])[0].sizes[-1] for name in ("T4", "A100", "H100")
    }
    assert longest["T4"] < longest["A100"] < longest["H100"]


def test_the_time_of_a_call_by_hand():
    t4 = GPUS["T4"]
    assert (
        length.seconds_a_call((65e12, 0, 0), "float16", t4) == 3.0
    )  # a second at the peak, thrice that here
    assert length.seconds_a_call((0, 0.32e12, 0), "float16", t4) == 3.0
    assert length.seconds_a_call((8.1e12, 0, 0), "float32", t4) == 3.0  # no tensor cores
    assert length.seconds_a_call((1, 1, 0), "float16", t4) == length.LAUNCH
    assert length.seconds_a_call((1, 1, 17e9), "float16", t4) == 0  # 16 GB


def test_the_time_of_a_size_by_hand():
    limits = Limits(least_rounds=5, most_rounds=50, seconds=1.0, seconds_a_call=5.0, sample_seconds=0.005)
    assert length.seconds_of_size([0.1], limits) == pytest.approx(10 * 0.1 + 3 * 0.1 + length.AROUND)
    assert length.seconds_of_size([1.0], limits) == pytest.approx(5 * 1.0 + 3 * 1.0 + length.AROUND)
    short = 50 * 20 * 1e-4  # fifty rounds of twenty calls
    assert length.seconds_of_size([1e-4], limits) == pytest.approx(short + 3e-4 + length.AROUND)
    assert length.seconds_of_size([0, 6.0], limits) == 0  # no memory, and too slow


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Tesla T4", "T4"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA A100-SXM4-40GB", "A100-40GB"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA H200", "H200"),
        ("NVIDIA B200", "B200"),
        ("NVIDIA L4", "L4"),
        ("NVIDIA L40S", None),
        ("NVIDIA GeForce RTX 4090", None),
        ("NVIDIA H100 PCIe", None),  # slower than the module of the data sheet
        ("NVIDIA H200 NVL", None),
        ("NVIDIA A100-SXM4-80GB MIG 1g.10gb", None),  # a seventh of it
    ],
)
def test_a_gpu_is_known_by_its_name(name, expected):
    gpu = length.data_sheet(name)
    assert (gpu and gpu.name) == expected
    assert length.slowest().name == "T4"


def test_how_long_is_said_first(t4):
    said: list[str] = []
    run_attention_benchmark("cuda", plan=tiny(), say=said.append)
    assert said[0].startswith("This takes about 1 min (computed from the data sheet of the T4): n 5 to 23 in")
    assert "after 1 minutes what is left is skipped" in said[0]


def test_a_gpu_without_a_data_sheet_is_timed_first(t4, monkeypatch):
    monkeypatch.setattr(FakeT4, "describe", lambda self: {**devices.Cpu().describe(), "name": "Box 9"})
    timed = []

    def ceilings(device, dtype, size, copied_bytes, rounds, tools):
        timed.append((dtype, size, copied_bytes))
        rate = {torch.float16: 300e12, torch.float32: 80e12}[dtype]
        return [{"rate": rate}, {"rate": 0.8e12}]

    monkeypatch.setattr(devices, "measured_ceilings", ceilings)
    monkeypatch.setattr(FakeT4, "total_bytes", lambda self: 48 * 10**9)
    plan = suite.plan_for("cuda", capability=(7, 5))
    cut, said = suite.fit(plan, FakeT4(), CPU)
    assert "computed from a product and a copy timed just now, as data/gpus.toml has no data sheet of" in said
    assert timed == [(torch.float16, 4096, 2**28), (torch.float32, 4096, 2**28)]
    sheet = suite.timed_sheet("Box 9", plan, FakeT4(), CPU)
    assert (sheet.operations, sheet.float32, sheet.bytes_a_second, sheet.memory_gb) == (
        300e12, 80e12, 0.8e12, 48,
    )  # fmt: skip
    assert cut.sizes[-1] > suite.fitted(plan, GPUS["T4"])[0].sizes[-1]  # it is no T4, and not cut like one
    assert cut == suite.fitted(plan, sheet)[0]


def test_a_plan_without_a_bound_is_run_as_it_is():
    assert suite.fit(TINY, devices.Cpu(), CPU) == (TINY, "")


def test_after_its_time_what_is_left_is_skipped(t4):
    record = run_attention_benchmark("cuda", plan=tiny(seconds=-1.0, module_sizes=(3,)), say=quiet)
    assert record["complete"]
    assert {case["status"] for case in record["cases"]} == {"skipped"}
    assert {case["reason"] for case in record["cases"]} == {"the time for the whole run was used up"}
    records.validate_record(json.loads(records.as_json(record)))


# --- two bytes a number


@pytest.mark.parametrize(
    ("kind", "capability", "dtype"),
    [
        ("cuda", (7, 5), "float16"),
        ("cuda", (8, 0), "bfloat16"),
        ("cuda", (9, 0), "bfloat16"),
        ("mps", (0, 0), "float16"),
    ],
)
def test_a_t4_is_measured_in_float16(kind, capability, dtype):
    assert devices.two_byte_dtype(kind, capability) == dtype
    quick = suite.plan_for(kind, True, capability)
    assert quick.dtypes == (dtype,)
    assert max(quick.sizes) == 8192
    if kind == "cuda":
        assert suite.plan_for(kind, capability=capability).dtypes == (dtype, "float32")


def test_a_lesson_measures_few_and_long_texts_on_a_gpu(t4):
    plan = suite.lesson_plan()
    assert (plan.dtypes, plan.sizes, plan.module_sizes) == (("float16",), (2048, 8192), ())


def test_a_processor_is_measured_in_float32():
    assert suite.lesson_plan("cpu").dtypes == suite.plan_for("cpu", quick=True).dtypes == ("float32",)
    assert suite.lesson_plan("cpu").sizes == (256, 1024)


def test_a_whole_run_on_a_t4(t4, shown):
    record = run_attention_benchmark("cuda", plan=tiny(backends=("flash", "math")), say=quiet, threads=1)
    assert record["complete"]
    assert record["device"]["name"] == "Tesla T4"
    assert record["arguments"]["clocks"] == "clocks.sm: 585 MHz"
    assert {case["dtype"] for case in record["cases"]} == {"float16"}
    assert records.record_name(record) == "gpu/tesla-t4-attention.json"
    for draw in (plots.plot_times, plots.plot_roofline):  # what lesson 09 draws of it
        draw(record, dtype=record["arguments"]["dtypes"][0])
    titles = [figure.axes[0].get_title() for figure in shown]
    assert titles == ["Tesla T4: attention, full, float16, forward"] * 2
    assert "L2" in record["formulas"]["times"]
    records.validate_record(json.loads(records.as_json(record)))


# --- too little memory


def no_room(*_arguments, **_options):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


def test_an_input_that_does_not_fit_ends_no_run(t4, monkeypatch):
    whole = suite.runs_of
    monkeypatch.setattr(
        suite, "runs_of", lambda group, n, *rest: no_room() if n == 23 else whole(group, n, *rest)
    )
    record = run_attention_benchmark("cuda", plan=tiny(), say=quiet)
    assert record["complete"]
    statuses = {(case["n"], case["status"]) for case in records.select(record, implementation="readable")}
    assert statuses == {(5, "measured"), (11, "measured"), (23, "out of memory")}
    reasons = {case["reason"] for case in records.select(record, status="out of memory")}
    assert reasons == {"no room for the input: CUDA out of memory. Tried to allocate 2.00 GiB."}


def test_a_call_that_does_not_fit_ends_its_line_alone(t4, monkeypatch):
    monkeypatch.setattr(suite, "attention", no_room)
    record = run_attention_benchmark("cuda", plan=tiny(), say=quiet)
    statuses = {case["implementation"]: case["status"] for case in record["cases"] if case["n"] == 5}
    assert (statuses["readable"], statuses["fused"]) == ("out of memory", "measured")
    skipped = records.select(record, implementation="readable", n=11)
    assert {(case["status"], case["reason"]) for case in skipped} == {("skipped", "out of memory at n = 5")}


def test_an_error_that_is_no_lack_of_memory_is_raised(t4, monkeypatch):
    def broken(*_arguments):
        raise RuntimeError("an illegal instruction was encountered")

    monkeypatch.setattr(suite, "runs_of", broken)
    with pytest.raises(RuntimeError, match="illegal instruction"):
        run_attention_benchmark("cuda", plan=tiny(), say=quiet)


def test_ceilings_are_measured_with_what_there_is_room_for(monkeypatch):
    tried = []

    def product(tools, device, dtype, size, rounds):
        tried.append(size)
        return no_room() if size > 600 else 1.0

    monkeypatch.setattr(devices, "seconds_of_product", product)
    monkeypatch.setattr(devices, "seconds_of_copy", lambda *_: 0.5)
    one, other = devices.measured_ceilings(CPU, torch.float32, 2048, 4096)
    assert tried == [2048, 1024, 512]
    assert (one["size"], one["rate"]) == (512, 2 * 512**3)
    assert (other["size"], other["rate"]) == (1024, 2 * 1024 / 0.5)
    monkeypatch.setattr(devices, "seconds_of_product", no_room)
    with pytest.raises(torch.OutOfMemoryError):
        devices.measured_ceilings(CPU, torch.float32, 2048, 4096)


# --- stopped by hand, and handed in


@pytest.fixture
def in_a_folder(t4, monkeypatch, tmp_path):
    copy_of_data(tmp_path, monkeypatch)
    monkeypatch.setattr(suite, "plan_for", lambda *_: tiny())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_says_how_to_hand_a_record_in(in_a_folder, monkeypatch, capsys):
    monkeypatch.setattr(length, "load_gpus", lambda variants=False: GPUS)
    assert command.main(["--device", "cuda", "--record"]) == 0
    said = capsys.readouterr()
    assert "Recorded: data/records/gpu/tesla-t4-attention.json" in said.out
    assert (
        'open an issue from the form "A record from your GPU" and attach benchmark-attention.json' in said.out
    )
    assert said.err.startswith("This takes about 1 min")
    (own,) = records.own_records()
    assert (
        own
        == records.load_record("gpu/tesla-t4-attention.json")
        == records.load_record("benchmark-attention.json")
    )


def test_ctrl_c_keeps_what_was_measured(in_a_folder, monkeypatch, capsys):
    monkeypatch.setattr(length, "load_gpus", lambda variants=False: GPUS)
    whole = suite.measure_group
    done: list[int] = []

    def stopped(*arguments):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(1)
        return whole(*arguments)

    monkeypatch.setattr(suite, "measure_group", stopped)
    assert command.main(["--device", "cuda", "--record"]) == 1
    assert (
        "Not recorded, because it was stopped: benchmark-attention.json holds what" in capsys.readouterr().out
    )
    (own,) = records.own_records()
    assert not own["complete"]
    assert {case["n"] for case in own["cases"]} == {5, 11}


def test_the_form_of_the_issue_is_there_and_says_the_command():
    form = (suite.devices.Path(__file__).parent.parent / ".github/ISSUE_TEMPLATE/gpu_record.yml").read_text()
    assert f"name: {command.FORM.strip(chr(34))}" in form
    assert "python -m helpers.benchmark --device cuda --record" in form
    assert "python -m helpers.benchmark kernels --device cuda --record" in form
    assert all(f"benchmark-{suite}.json" in form for suite in ("attention", "kernels"))

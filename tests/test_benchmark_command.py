"""The summary of a record in words, and the command that writes one."""

import subprocess
import sys

import pytest
import torch
from benchmark_samples import ROOT, TINIEST, a_case, a_ratio, a_record, copy_of_data

from helpers import datasets
from helpers.benchmark import __main__ as command
from helpers.benchmark import attention as suite
from helpers.benchmark import records, report


@pytest.fixture
def copied_data(tmp_path, monkeypatch):
    return copy_of_data(tmp_path, monkeypatch)


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
    monkeypatch.setattr(suite, "plan_for", lambda *_: TINIEST)
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


def test_an_installed_course_measures_and_writes_and_stores_nothing(
    tiny_command, copied_data, monkeypatch, capsys
):
    """On Colab and Kaggle the course is installed, and the command is the one that lesson 09 names."""
    monkeypatch.setattr(datasets, "INSTALLED", True)
    before = sorted(copied_data.rglob("*")), (copied_data / "sources.toml").read_bytes()
    assert command.main(["--device", "cpu", "--record"]) == 0
    record = records.read_record(tiny_command / "benchmark-attention.json")
    assert record["complete"]
    said = capsys.readouterr().out
    assert "The record is benchmark-attention.json. (Only a clone of the course keeps it in" in said
    assert "Recorded" not in said
    assert before == (sorted(copied_data.rglob("*")), (copied_data / "sources.toml").read_bytes())


def test_a_record_says_which_instructions_its_processor_used(monkeypatch):
    monkeypatch.setattr(suite.devices, "instructions", lambda: "AVX2")
    record = suite.run_attention_benchmark("cpu", plan=TINIEST, say=lambda line: None, threads=1)
    assert record["arguments"]["instructions"] == "AVX2"
    assert ", 1 thread), with AVX2, " in report.heading(record)
    del record["arguments"]["instructions"]  # a record from before
    assert ", 1 thread), 2" in report.heading(records.validate_record(record))


def test_the_instructions_are_those_of_torch():
    assert suite.devices.instructions() == torch.backends.cpu.get_cpu_capability()


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

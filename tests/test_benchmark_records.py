"""What is computed from a record of the benchmark, and how a record is checked, stored and found."""

import copy
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmark_samples import a_case, a_ratio, a_record, copy_of_data
from hypothesis import given
from hypothesis import strategies as st
from samples import properties

from helpers import datasets
from helpers.benchmark import attention as suite
from helpers.benchmark import findings, records


@pytest.fixture
def copied_data(tmp_path, monkeypatch):
    return copy_of_data(tmp_path, monkeypatch)


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


def test_the_median_of_what_was_not_measured_is_refused_with_its_reason():
    case: Any = {"implementation": "readable", "n": 8192, "seconds": None, "reason": "out of memory"}
    with pytest.raises(ValueError, match="readable at n 8192 was not measured: out of memory"):
        records.median_seconds(case)
    case["seconds"] = {"lower": 1.0, "median": 2.0, "upper": 3.0}
    assert records.median_seconds(case) == 2.0

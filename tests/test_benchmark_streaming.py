"""The benchmark of lesson 13: what it measures, its memory and errors, its records, goals and figures.

No test asserts how long anything takes.
"""

import copy
import tracemalloc

import numpy as np
import pytest
import torch
from benchmark_streaming_samples import SHORT, TINY, a_case, a_ratio, an_error, quiet, result, tiny_run
from hypothesis import given
from hypothesis import strategies as st
from kept_figures import kept_figures
from samples import properties
from torch.nn import functional

from helpers import one_thread
from helpers.attention import attention
from helpers.benchmark import findings, plots, records, report
from helpers.benchmark import streaming as suite
from helpers.benchmark.harness import Limits
from helpers.benchmark.streaming import StreamingPlan, run_streaming_benchmark
from helpers.masking import causal_mask


@pytest.fixture(scope="module")
def tiny():
    return tiny_run()


@pytest.fixture
def shown(monkeypatch):
    yield from kept_figures(monkeypatch)


@pytest.fixture
def by_hand(tiny):
    """A record of which everything can be computed by hand: 2 heads of width 4, 32·n bytes of output."""
    cases = [a_case("naive", n, 32 * n + 5 * n * n) for n in (256, 512, 1024)]
    cases += [a_case("blocked", n, 32 * n + 2**19) for n in (256, 512, 1024)]
    cases += [a_case("with a cache", 256, 7, part="decoding", causal=True)]
    errors = [an_error("blocked", n, 1e-6) for n in (256, 512)] + [an_error("SDPA", 256, 3e-6)]
    changes = {"cases": cases, "ratios": [], "slopes": [], "errors": errors, "n_heads": 2, "d_head": 4}
    return records.validate_record({**copy.deepcopy(tiny), **changes})


# --- what is measured


@pytest.mark.parametrize("n", [5, 11])
@pytest.mark.parametrize(("form", "causal"), [("full", False), ("causal", True)])
def test_all_forms_of_attention_do_the_same_job(n, form, causal):
    queries, keys, values = torch.from_numpy(suite.rows_of(n)).double()
    expected = functional.scaled_dot_product_attention(queries, keys, values, is_causal=causal).numpy()
    runs = suite.attention_runs(n)
    assert list(runs) == [f"{name}, {each}" for each in suite.FORMS for name in ("naive", *suite.TILED)]
    for name in ("naive", *suite.TILED):
        np.testing.assert_allclose(result(runs[f"{name}, {form}"]), expected, atol=1e-5, err_msg=name)


def test_one_token_costs_the_same_token_in_every_call():
    n = 11
    queries, keys, values = suite.rows_of(n).astype(np.float64)
    expected = attention(queries, keys, values, causal_mask(n))[0][..., n - 1 :, :]
    runs = suite.decoding_runs(n)
    for _ in range(3):
        for name in (suite.WITH, suite.ONE_QUERY):
            np.testing.assert_allclose(result(runs[name]), expected, atol=1e-5, err_msg=name)
        whole = result(runs[suite.WITHOUT])
        np.testing.assert_allclose(whole[..., n - 1 :, :], expected, atol=1e-5)


def test_operations_and_bytes_by_hand():
    runs = suite.attention_runs(10)  # 8 heads of width 64, 4 bytes a number
    assert runs["naive, full"].operations == runs["SDPA, full"].operations == 4 * 8 * 100 * 64
    assert runs["blocked, causal"].operations == 2 * 8 * 100 * 64
    assert runs["blocked, full"].moved_bytes == runs["SDPA, causal"].moved_bytes == 4 * 8 * 10 * 64 * 4
    assert runs["naive, full"].moved_bytes is None
    assert (runs["naive, full"].power, runs["blocked, full"].power) == (2, 1)
    one = suite.decoding_runs(10)[suite.WITH]
    assert (one.operations, one.moved_bytes) == (4 * 8 * 10 * 64, 2 * 8 * 10 * 64 * 4)
    assert suite.decoding_runs(10)[suite.WITHOUT].operations == 2 * 8 * 100 * 64


def test_input_is_the_same_each_time_and_another_for_another_n():
    assert suite.rows_of(7).shape == (3, 1, 8, 7, 64)
    assert suite.rows_of(7).dtype == np.float32
    np.testing.assert_array_equal(suite.rows_of(7), suite.rows_of(7))
    assert not np.array_equal(suite.rows_of(7), suite.rows_of(8)[..., :7, :])


# --- memory


def test_memory_of_both_libraries_is_counted():
    tools, mib = suite.NumpyAndTorch(), 2**20
    for call, held in (
        (lambda: np.zeros(3 * mib, np.uint8), 3),
        (lambda: torch.zeros(5 * mib, dtype=torch.uint8), 5),
        (lambda: np.zeros(2 * mib, np.uint8)[:1] + np.zeros(7 * mib, np.uint8)[:1], 9),
    ):
        assert held * mib <= tools.peak_bytes(call) <= held * mib + 2**16
    assert not tracemalloc.is_tracing()
    assert "tracemalloc" in tools.describe()["memory_method"]


def test_memory_is_no_longer_traced_after_an_error():
    with pytest.raises(ZeroDivisionError):
        suite.NumpyAndTorch().peak_bytes(lambda: 1 / 0)
    assert not tracemalloc.is_tracing()


def test_tables_are_held_by_the_naive_form_alone():
    n, runs, tools = 200, suite.attention_runs(200), suite.NumpyAndTorch()
    table, output = 8 * n * n * 4, 8 * n * 64 * 4
    assert tools.peak_bytes(runs["naive, full"].call) > 3 * table
    assert output < tools.peak_bytes(runs["blocked, full"].call) < output + table
    with runs["SDPA, full"].around():
        assert output <= tools.peak_bytes(runs["SDPA, full"].call) < output + table
    with_a_cache = suite.decoding_runs(n)[suite.WITH].call
    assert tools.peak_bytes(with_a_cache) > output  # the first call doubles the room for keys and values
    assert tools.peak_bytes(with_a_cache) < output / 4  # the next ones hold one row, and a tile of its scores


# --- errors


def test_queries_that_are_checked_by_hand():
    np.testing.assert_array_equal(suite.checked_queries(5, 7), np.arange(5))
    np.testing.assert_array_equal(suite.checked_queries(11, 4), [0, 1, 2, 10])
    np.testing.assert_array_equal(suite.checked_queries(20, 6), [0, 1, 2, 3, 11, 19])


@properties
@given(st.integers(1, 300), st.integers(3, 60))
def test_checked_queries_are_as_many_as_asked_and_in_order(n, at_most):
    chosen = suite.checked_queries(n, at_most)
    assert len(chosen) == min(n, at_most)
    assert (np.diff(chosen) > 0).all()
    assert (chosen[0], chosen[-1]) == (0, n - 1)


@pytest.mark.parametrize("causal", [False, True])
def test_in_chunks_is_attention(causal, monkeypatch):
    monkeypatch.setattr(suite, "CHUNK", 3)
    rows, chosen = suite.rows_of(11).astype(np.float64), np.array([0, 2, 3, 7, 10])
    queries, keys, values = rows
    expected, _ = attention(queries, keys, values, causal_mask(11) if causal else None)
    found = suite.in_chunks(rows, chosen, causal)
    np.testing.assert_allclose(found, expected[0][:, chosen], atol=1e-12)


def test_an_error_is_the_largest_of_its_implementation(monkeypatch):
    honest = suite.largest_errors(11, rows_checked=7)
    assert [(line["implementation"], line["causal"]) for line in honest] == [
        (name, causal) for causal in (False, True) for name in ("naive", "blocked", "SDPA")
    ]
    assert all(0 < line["error"] < 1e-5 and line["rows"] == 7 for line in honest)

    def spoiled(*rows, causal, right=suite.blocked_attention):
        output, log_sum_exp = right(*rows, causal=causal)
        output[0, 5, 10, 63] += 0.25 if causal else -0.5
        return output, log_sum_exp

    monkeypatch.setattr(suite, "blocked_attention", spoiled)
    found = {(e["implementation"], e["causal"]): e["error"] for e in suite.largest_errors(11, 7)}
    assert found["blocked", True] == pytest.approx(0.25, abs=1e-5)
    assert found["blocked", False] == pytest.approx(0.5, abs=1e-5)
    assert found["naive", True] < 1e-5
    assert found["SDPA", False] < 1e-5


# --- a run


def test_a_run_covers_every_case(tiny):
    found = [(c["n"], c["part"], c["causal"], c["implementation"]) for c in tiny["cases"]]
    expected = []
    for n in TINY.sizes:
        for causal in (False, True):
            expected += [(n, "attention", causal, name) for name in ("naive", "blocked", "SDPA")]
        names = (suite.WITHOUT, suite.WITH, suite.ONE_QUERY)
        expected += [(n, "decoding", True, name) for name in names]
    assert found == expected
    assert {case["status"] for case in tiny["cases"]} == {"measured"}
    assert {case["peak_bytes"] is None for case in tiny["cases"]} == {False}
    assert {(e["implementation"], e["n"], e["causal"]) for e in tiny["errors"]} == {
        (name, n, causal)
        for name in ("naive", "blocked", "SDPA")
        for n in TINY.sizes
        for causal in (False, True)
    }


def test_a_run_keeps_its_ratios_and_slopes(tiny):
    found = {(r["over"], r["under"], r["causal"]) for r in tiny["ratios"]}
    assert found == {
        ("blocked", "SDPA", False),
        ("blocked", "SDPA", True),
        ("naive", "SDPA", False),
        ("naive", "SDPA", True),
        ("blocked, causal", "blocked, full", True),
        (suite.WITHOUT, suite.WITH, True),
        (suite.WITH, suite.ONE_QUERY, True),
    }
    assert len(tiny["ratios"]) == len(found) * len(TINY.sizes)
    rounds = {(r["over"] == "naive", r["rounds"]) for r in tiny["ratios"]}
    assert rounds == {(True, 3), (False, 2)}  # in pairs with the SDPA of its own rounds
    lines = {(s["part"], s["implementation"], s["causal"]) for s in tiny["slopes"]}
    assert lines == {(c["part"], c["implementation"], c["causal"]) for c in tiny["cases"]}
    assert tiny["slopes"] == findings.slopes_of(tiny["cases"])


def test_a_run_is_a_valid_record_that_can_be_read_back(tiny, tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(records.as_json(tiny))
    assert records.read_record(path) == tiny
    assert (tiny["suite"], tiny["threads"], tiny["complete"]) == ("streaming", 1, True)
    assert records.record_name(tiny) == "cpu/streaming.json"
    assert tiny["arguments"]["numpy_on_one_thread"] == one_thread.is_set()


def test_where_the_naive_form_is_left_out_the_others_go_on(monkeypatch):
    groups = []

    def seen(runs, tools, limits, n, past, measure=suite.measure_group):
        groups.append((n, [name for name in runs if name.startswith("SDPA, ")]))
        return measure(runs, tools, limits, n, past)

    monkeypatch.setattr(suite, "measure_group", seen)
    small = Limits(2, 2, 0.0, bytes_a_call=20_000, sample_seconds=0.0)
    plan = StreamingPlan((5, 23), SHORT, small, SHORT, matmul_size=13, copied_bytes=4096)
    record = run_streaming_benchmark("cpu", plan=plan, say=quiet, threads=1)
    left_out = [case for case in record["cases"] if case["status"] != "measured"]
    assert [(c["implementation"], c["n"], c["status"]) for c in left_out] == [("naive", 23, "skipped")] * 2
    assert all("MiB are allowed" in str(case["reason"]) for case in left_out)
    full, causal, one = "SDPA, full", "SDPA, causal", suite.ONE_QUERY
    assert groups == [  # SDPA is not measured once more where there is no naive form beside it
        (5, [full, causal]), (5, [full]), (5, [causal]), (5, [one]), (23, [full, causal]), (23, [one]),
    ]  # fmt: skip
    assert [r["n"] for r in record["ratios"] if r["over"] == "naive"] == [5, 5]
    assert [r["n"] for r in record["ratios"] if r["over"] == "blocked"] == [5, 5, 23, 23]


def test_stopped_by_hand_what_was_measured_is_kept(monkeypatch, tmp_path):
    calls = []

    def stop(n, rows_checked):
        calls.append(n)
        raise KeyboardInterrupt

    monkeypatch.setattr(suite, "largest_errors", stop)
    record = run_streaming_benchmark(plan=TINY, say=quiet)
    assert not record["complete"]
    assert calls == [5]
    assert len(record["cases"]) == 9
    assert records.validate_record(record) == record


@pytest.mark.parametrize(("device", "threads"), [("cuda", None), (None, 2), ("cpu", 3)])
def test_what_is_no_processor_or_more_than_one_thread_is_refused(device, threads):
    with pytest.raises(ValueError, match=f"got device {device}, threads {threads}"):
        run_streaming_benchmark(device, plan=TINY, say=quiet, threads=threads)


def test_torch_s_threads_are_as_before_and_one_meanwhile():
    plan, seen = StreamingPlan((5,), SHORT, SHORT, SHORT, matmul_size=13, copied_bytes=4096), set()
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        run_streaming_benchmark(plan=plan, say=lambda _line: seen.add(torch.get_num_threads()))
        assert (seen, torch.get_num_threads()) == ({1}, 2)
    finally:
        torch.set_num_threads(before)


def test_plans_go_as_far_as_the_issue_asks():
    assert suite.streaming_plan().sizes == (256, 512, 1024, 2048, 4096, 8192)
    assert max(suite.streaming_plan(quick=True).sizes) <= 512


# --- records


SPOILED = [
    ("n_heads", "eight", "n_heads must be a whole number; got 'eight'"),
    ("errors", {}, "errors must be a list"),
    ("errors/0/error", -1e-6, r"errors\[0\]: n must be at least 1, error at least 0"),
    ("errors/0/error", float("nan"), r"errors\[0\]: error must be a finite number; got nan"),
    ("errors/1/n", 0, r"errors\[1\]: n must be at least 1"),
    ("errors/1/causal", 1, r"errors\[1\]: causal must be true or false; got 1"),
]


@pytest.mark.parametrize(("field", "value", "words"), SPOILED)
def test_a_spoiled_record_is_refused_and_the_field_is_named(by_hand, field, value, words):
    *way, last = [int(key) if key.isdigit() else key for key in field.split("/")]
    place = by_hand
    for key in way:
        place = place[key]
    place[last] = value
    with pytest.raises(records.RecordError, match=f"^run: ?{words}"):
        records.validate_record(by_hand, "run")


@pytest.mark.parametrize("field", ["n_heads", "d_head", "errors"])
def test_a_record_without_a_field_of_its_suite_is_refused(by_hand, field):
    del by_hand[field]
    with pytest.raises(records.RecordError, match=f"{field} is missing"):
        records.validate_record(by_hand)
    assert records.validate_record({**by_hand, "suite": "attention"})  # which has no such field


def test_the_table_for_sources_says_how_to_make_it_again(by_hand):
    block = records.sources_block(by_hand, b"12345")
    assert 'made_by = "python -m helpers.benchmark streaming --device cpu --record"' in block
    assert "Time and memory of attention in tiles, and with a cache, measured on" in block


def test_the_record_that_ships_is_a_full_run_on_one_thread():
    record = records.load_record("cpu/streaming.json")
    assert (record["suite"], record["threads"], record["complete"]) == ("streaming", 1, True)
    assert record["arguments"]["numpy_on_one_thread"]
    for causal in (False, True):
        for name in suite.TILED:
            cases = records.select(record, implementation=name, causal=causal, status="measured")
            assert [case["n"] for case in cases] == list(suite.streaming_plan().sizes)
        naive = records.select(record, implementation="naive", causal=causal, status="measured")
        assert [case["n"] for case in naive][:4] == [256, 512, 1024, 2048]  # what lesson 13 draws


# --- findings, the summary and figures


def test_extra_memory_by_hand(by_hand):
    assert findings.extra_memory(by_hand) == {
        "naive, full, float32, forward": [(n, 5 * n * n) for n in (256, 512, 1024)],
        "blocked, full, float32, forward": [(n, 2**19) for n in (256, 512, 1024)],
    }


def test_goals_by_hand(by_hand):
    by_hand["cases"].append(a_case("blocked", 2048, 32 * 2048 + 2**21))
    by_hand["errors"].append(an_error("blocked", 8, 1.3e-6, causal=True))
    by_hand["ratios"] = [
        a_ratio("blocked", "SDPA", 1024, 9.0),  # too short to count
        a_ratio("blocked", "SDPA", 2048, 1.3),
        a_ratio("blocked", "SDPA", 4096, 1.31),
        a_ratio("blocked", "SDPA", 8192, 9.0),  # the goal names 2,048 and 4,096
        a_ratio("blocked, causal", "blocked, full", 2048, 0.55, causal=True),
        a_ratio("blocked, causal", "blocked, full", 8192, 0.65, causal=True),
        a_ratio("naive", "SDPA", 2048, 20.0),
    ]
    found = [(goal.what.split(",")[0], goal.n, goal.bound, goal.met) for goal in findings.goals(by_hand)]
    assert found == [
        ("blocked ÷ SDPA", 2048, 1.3, True),
        ("blocked ÷ SDPA", 4096, 1.3, False),
        ("blocked", 2048, 0.6, True),
        ("blocked", 8192, 0.6, False),
        *(("extra memory in MiB", n, 1.0, True) for n in (256, 512, 1024)),
        ("extra memory in MiB", 2048, 1.0, False),
        *(("largest error in millionths", n, 1.2, True) for n in (256, 512)),
        ("largest error in millionths", 8, 1.2, False),
    ]


@pytest.mark.parametrize(
    ("instructions", "bound"), [("AVX512", 1.3), ("AVX2", 1.1), ("DEFAULT", 1.3), (None, 1.3)]
)
def test_the_goal_depends_on_the_instructions(by_hand, instructions, bound):
    by_hand["ratios"] = [a_ratio("blocked", "SDPA", 2048, 1.2)]
    by_hand["arguments"]["instructions"] = instructions
    goal = findings.goals(by_hand)[0]
    assert (goal.bound, goal.met) == (bound, bound > 1.2)


def test_the_summary_says_what_was_found(by_hand):
    by_hand["ratios"] = [a_ratio("blocked", "SDPA", 2048, 1.2), a_ratio("blocked", "SDPA", 4096, 1.8)]
    said = report.summary(by_hand)
    for words in (
        "(cpu, 1 thread)",
        "Memory beyond the input and the output\n"
        "  naive, full, float32, forward: n^2.00: 256 320 KiB, 512 1.25 MiB, 1024 5.00 MiB\n"
        "  blocked, full, float32, forward: n^0.00: 256 512 KiB, 512 512 KiB, 1024 512 KiB\n\n",
        "Largest error against float64\n  blocked, full: 256 1.0e-06, 512 1.0e-06\n  SDPA, full: 256 3.0e-06",
        "Goals: 6 of 7 met",
        "NOT met: blocked ÷ SDPA, full, float32, forward ≤ 1.3; n 4,096: 1.800 (0.900–3.600)",
        "  met: extra memory in MiB, blocked, full, float32, forward ≤ 1",
        "  met: largest error in millionths, blocked, full ≤ 1.2",
    ):
        assert words in said, words


def test_a_run_that_was_stopped_at_once_has_a_summary_too(by_hand):
    said = report.summary(records.validate_record({**by_hand, "cases": [], "errors": [], "complete": False}))
    assert "STOPPED" in said
    assert "Goals" not in said
    one_size = records.validate_record({**by_hand, "cases": by_hand["cases"][:1]})
    assert "naive, full, float32, forward: 256 320 KiB" in report.summary(one_size)


def labels(figure):
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_a_real_run_can_be_drawn(tiny, shown, capsys):
    for causal in (False, True):
        plots.plot_times(tiny, causal)
        plots.plot_memory(tiny, causal)
    plots.plot_times(tiny, causal=True, part="decoding")
    assert [figure.axes[0].get_xlabel() for figure in shown[-2:]] == [
        "n, queries and keys",
        "n, tokens in the text",
    ]
    plots.plot_roofline(tiny)
    assert len(shown) == 6
    assert "with a cache: " in capsys.readouterr().out

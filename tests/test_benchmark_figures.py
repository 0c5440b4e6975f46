"""The figures of a record: what is drawn, what is told, and what is refused."""

import numpy as np
import pytest
from benchmark_samples import a_case, a_ratio, a_record, tiny_run
from kept_figures import kept_figures, result_of

from helpers.benchmark import plots, rooflines
from helpers.benchmark.attention import BOTH, FORWARD
from helpers.datasets import load_gpus, load_published
from helpers.plots import plot_gpu


@pytest.fixture(scope="module")
def tiny():
    return tiny_run()


@pytest.fixture
def shown(monkeypatch):
    yield from kept_figures(monkeypatch)


NS = (256, 1024, 2048, 4096)


@pytest.fixture
def drawn():
    """A record with a cubic and a linear line, ratios of 2 and 0.5, and one size left out."""
    cases = [a_case(n, operations=10 * n * n, moved_bytes=5 * n * n) for n in NS]
    cases += [a_case(n, "fused", n * 1e-6, 100 * n, operations=n * n, moved_bytes=8 * n) for n in NS]
    cases += [a_case(8192, status="skipped")]
    ratios = [a_ratio(*pair, n, ratio) for n in NS for pair, ratio in ((("a", "b"), 2.0), (("c", "b"), 0.5))]
    return a_record(cases, ratios)


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


def test_the_roofline_is_drawn_and_told(drawn, shown, capsys):
    assert result_of(plots.plot_roofline, drawn) is None
    roof = shown[0].axes[0].lines[0].get_xydata()
    np.testing.assert_allclose(roof[1], (40, 4e9))  # 4e9 operations, 1e8 bytes a second: they meet at 40
    assert (roof[:, 1] <= 4e9).all()
    np.testing.assert_allclose(roof[0, 1], 1e8 * roof[0, 0])
    told = capsys.readouterr().out
    assert "calculating 4.00 GFLOP/s, moving 100 MB/s; they meet at 40.0 operations a byte" in told
    assert "readable: 2.0 operations a byte, memory-bound; " in told
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
    assert "readable: 2.0 operations a byte, compute-bound; " in told
    assert "fused: 32.0 to 512.0 operations a byte, compute-bound; " in told


@pytest.mark.parametrize(("bytes_of_the_first", "side_of_the_first"), [(5, "left"), (6, "right")])
def test_points_that_stand_above_one_another_have_their_notes_beside(
    drawn, shown, bytes_of_the_first, side_of_the_first
):
    """On the side where no other point stands, if the first is a little to the left."""
    drawn["cases"][0]["moved_bytes"] = bytes_of_the_first * drawn["cases"][0]["n"] ** 2
    plots.plot_roofline(drawn)
    notes = [text for text in shown[0].axes[0].texts if text.get_text().startswith("n ")]
    sides = [note.get_horizontalalignment() for note in notes]
    assert sides == [side_of_the_first, "left", "center", "center"]


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


def test_a_ceiling_that_is_not_there_is_named(drawn, shown):
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
    plots.plot_beside(tiny, tiny)
    assert len(shown) == 9


def test_the_same_ratio_of_two_records(drawn, shown, capsys):
    other = a_record(ratios=[a_ratio("a", "b", n, 1.5) for n in NS])
    assert result_of(plots.plot_ratio_of_records, {"one": drawn, "other": other}, "a", "b") is None
    assert labels(shown[0]) == ["one", "other"]
    told = capsys.readouterr().out
    assert "one: n 256 2.00 (1.90–2.20)" in told
    assert "other: n 256 1.50 (1.40–1.70)" in told
    with pytest.raises(ValueError, match="no ratio c ÷ b in float32, full, forward in: other"):
        plots.plot_ratio_of_records({"one": drawn, "other": other}, "c", "b")


def test_ones_own_times_may_be_in_another_dtype(drawn, shown, capsys):
    own = a_record([{**case, "dtype": "float16"} for case in drawn["cases"]])
    plots.plot_beside(drawn, own, own_dtype="float16")
    assert "yours float16" in shown[0].axes[0].get_title()
    assert "fused, n 4,096: recorded 4.10 ms, yours 4.10 ms: 1 times as long" in capsys.readouterr().out


# --- data sheets


def test_the_roofs_of_data_sheets_by_hand(shown, capsys):
    gpus = load_gpus()
    assert rooflines.bound(gpus["H100"], 32) == 32 * 3.35e12
    assert rooflines.bound(gpus["H100"], 1e4) == 989e12
    assert rooflines.readable_intensity(64, 64) == 16  # as many numbers in tables as in rows
    assert rooflines.readable_intensity(10**9, 64) == pytest.approx(32)
    assert rooflines.fused_intensity(1024) == 512
    rooflines.plot_data_sheets([gpus["T4"], gpus["H100"]], 32)
    told = capsys.readouterr().out
    assert "T4: 65.0 TFLOP/s, 320 GB/s, corner at 203 operations a byte; at 32: 10.2 TFLOP/s, 16% of" in told
    assert "H100: 989 TFLOP/s, 3.35 TB/s, corner at 295 operations a byte; at 32: 107 TFLOP/s, 11% of" in told
    assert labels(shown[0]) == ["T4", "H100"]
    roofs = [line for line in shown[0].axes[0].lines if len(line.get_xdata()) == 3]
    assert [line.get_linestyle() for line in roofs] == ["--", "--"]  # dashed: from a data sheet


def test_published_speeds_are_said_to_be_published(shown, capsys):
    gpu = load_gpus()["H100"]
    rooflines.plot_published(gpu, load_published(64))
    rooflines.plot_published(gpu, load_published(64, causal=True))
    full, causal = capsys.readouterr().out.split("Published for an H100")[1:]
    assert "not measured here" in full
    assert (
        "standard: 32 operations a byte at n 8,192, 73.0 TFLOP/s, 69% of the roof there (106 TFLOP/s), 7% of"
        in full
    )
    assert (
        "standard: 16 operations a byte at n 8,192, 18.0 TFLOP/s, 34% of the roof there (53.2 TFLOP/s), 2% of"
        in causal
    )
    assert "FlashAttention-3: 8192 operations a byte at n 16,384, 497 TFLOP/s, 50% of" in full
    assert [figure.axes[0].get_title() for figure in shown] == [
        "H100, full, d 64, forward: from a paper",
        "H100, causal, d 64, forward: from a paper",
    ]


@pytest.mark.parametrize("name", load_gpus())
def test_the_picture_of_a_gpu_says_sizes_and_the_rates_that_are_known(name, shown, capsys):
    gpu = load_gpus()[name]
    plot_gpu(gpu)
    told = capsys.readouterr().out
    assert f"{name}: memory {gpu.memory_gb:g} GB; L2 {gpu.l2_mb:g} MB; in {gpu.sms} SMs" in told
    assert ("from L2" in told) == (gpu.l2_bytes is not None)
    drawn = " ".join(text.get_text() for text in shown[0].axes[0].texts)
    assert f"{gpu.bytes_a_second / 1e12:.3g} TB/s" in drawn
    assert f"{gpu.shared_kb:g} KB an SM" in drawn
    assert f"tensor cores, in all\n{gpu.operations / 1e12:,.0f} TFLOP/s" in drawn
    assert ("TB/s in all" in drawn) == (gpu.shared_bytes is not None)

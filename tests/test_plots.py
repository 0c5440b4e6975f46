"""Each picture is drawn, returns None, prints a finding computed from its data, and refuses wrong shapes."""

import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from kept_figures import kept_figures, result_of

from helpers import plots
from helpers.plots import canvas, masks, readings, tables, weights

TABLE = np.array([[0.1, 0.2, 0.7], [0.5, 0.4, 0.1]])
ROWS, COLUMNS = ["cat", "mat"], ["a", "b", "c"]


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    yield from kept_figures(monkeypatch)


@pytest.fixture
def tables_shown(monkeypatch):
    kept: list[list[tables.Grid]] = []
    monkeypatch.setattr(tables, "show", kept.append)
    return kept


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_matrix_names_the_largest(tables_shown, capsys):
    assert result_of(plots.plot_matrix, TABLE, ROWS, COLUMNS, "weights") is None
    assert len(tables_shown) == 1
    assert capsys.readouterr().out == "Largest of the weights: 0.70, in row 'cat' and column 'c'\n"


def test_a_large_matrix_is_a_picture(shown, tables_shown):
    names = [f"t{i}" for i in range(17)]
    plots.plot_matrix(np.eye(17), names, names, "weights")
    plots.plot_matrices({"one": np.eye(17), "other": np.eye(17)}, names, names)
    assert tables_shown == []
    assert texts(shown[0].axes[0])[:2] == ["1.00", "0.00"]
    assert len(shown[1].axes) == 2


def test_the_finding_follows_the_data(capsys):
    plots.plot_matrix(np.where(TABLE == 0.5, 0.9, TABLE), ROWS, COLUMNS, "weights")
    assert "0.90, in row 'mat' and column 'a'" in capsys.readouterr().out


def test_matrices_print_their_sums_and_share_their_colours(tables_shown, capsys):
    both = {"rows": TABLE, "columns": TABLE / TABLE.sum(0)}
    assert result_of(plots.plot_matrices, both, ROWS, COLUMNS) is None
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "rows: row sums 1.00 1.00, column sums 0.60 0.60 0.80."
    assert printed[1].endswith("column sums 1.00 1.00 1.00.")
    (grids,) = tables_shown
    assert [grid.title for grid in grids] == ["rows", "columns"]
    assert len({grid.limits for grid in grids}) == 1
    assert all(grid.sums for grid in grids)


def test_matrices_of_different_things_have_their_own_colours_and_sides(tables_shown, shown):
    both = {"scores": 5 * TABLE, "weights": TABLE}
    plots.plot_matrices(both, ROWS, COLUMNS, sides=("outputs", "values"), one_scale=False)
    (grids,) = tables_shown
    assert [grid.limits for grid in grids] == [(0.0, 5 * TABLE.max()), (0.0, 1.0)]
    assert {grid.sides for grid in grids} == {("outputs", "values")}
    names = [f"t{i}" for i in range(17)]
    wide = {"scores": 5 * np.eye(17), "weights": np.eye(17)}
    plots.plot_matrices(wide, names, names, sides=("outputs", "values"), one_scale=False)
    assert [axes.get_ylabel() for axes in shown[0].axes] == ["outputs", "outputs"]
    assert [axes.images[0].get_clim() for axes in shown[0].axes] == [(0.0, 5.0), (0.0, 1.0)]


def test_arrows_print_lengths_and_angles(capsys):
    assert result_of(plots.plot_arrows, [[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]], ["q", "a", "b"]) is None
    assert capsys.readouterr().out.splitlines() == [
        "q: length 2.00, at 0° to q",
        "a: length 3.00, at 90° to q",
        "b: length 1.00, at 180° to q",
    ]


def test_the_axes_of_arrows_may_have_names(shown):
    plots.plot_arrows([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    plots.plot_arrows([[1.0, 0.0], [0.0, 1.0]], ["a", "b"], dimensions=("thing", "living"))
    names = [(figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) for figure in shown]
    assert names == [("dimension 0", "dimension 1"), ("thing", "living")]


def test_an_arrow_without_length_is_refused():
    with pytest.raises(ValueError, match="length above 0"):
        plots.plot_arrows([[1.0, 0.0], [0.0, 0.0]], ["a", "b"])


def test_moves_say_how_far_and_near_which_landmark(shown, capsys):
    ends = {"a": [-2.0, 0.0, 0.0], "b": [2.0, 0.0, 0.0], "c": [0.0, 3.0, 4.0]}
    landmarks = {"west": [-1.0, 0.0, 0.0], "east": [9.0, 0.0, 0.0], "up": [-0.6, 0.36, 0.48]}
    place = np.array([0.0, -4.0, 3.0])  # seen from here, and at a right angle to the plane
    moved = ({label: place + move for label, move in group.items()} for group in (ends, landmarks))
    assert result_of(plots.plot_moves, "mole", place, *moved) is None
    assert capsys.readouterr().out.splitlines() == [
        "a: mole moves by 2.0, 100% of it in this plane",
        "  0° from west in this picture, 0° in all 3 dimensions",
        "b: mole moves by 2.0, 100% of it in this plane",
        "  0° from east in this picture, 0° in all 3 dimensions",
        "c: mole moves by 5.0, 100% of it in this plane",
        "  45° from up in this picture, 45° in all 3 dimensions",
    ]
    assert {"mole", "a\nmoves by 2.0", "b\nmoves by 2.0", "c\nmoves by 5.0", "west", "east", "up"} <= set(
        texts(shown[0].axes[0])
    )


def test_moves_tell_how_much_of_them_the_plane_shows(capsys):
    ends = {"a": [0.0, 0.0, 4.0], "b": [3.0, 0.0, 4.0], "c": [0.0, 3.0, 4.0]}
    plots.plot_moves("mole", [-1.0, 0.0, 0.0], ends, {"east": [1.0, 0.0, 0.0]})
    said = capsys.readouterr().out.splitlines()
    assert said[2:4] == [
        "b: mole moves by 5.7, 71% of it in this plane",
        "  0° from east in this picture, 45° in all 3 dimensions",
    ]


@pytest.mark.parametrize(("third", "complaint"), [({}, "got 2"), ({"c": [2.0, 2.0]}, "not lie on one line")])
def test_moves_need_a_plane(third, complaint):
    with pytest.raises(ValueError, match=complaint):
        plots.plot_moves("mole", [0.0, 1.0], {"a": [0.0, 0.0], "b": [1.0, 1.0], **third}, {})


def test_moves_refuse_a_landmark_at_the_start():
    ends = {"a": [-1.0, 0.0], "b": [1.0, 0.0], "c": [0.0, 1.0]}
    with pytest.raises(ValueError, match=r"\['here'\] must lie away from 'mole'"):
        plots.plot_moves("mole", [0.0, 0.0], ends, {"here": [0.0, 0.0]})


def test_cloud_prints_the_correlation(shown, capsys):
    xs = np.array([1.0, 10.0, 100.0])
    assert (
        result_of(plots.plot_cloud, {"words": (xs, 7 - 2 * np.log10(xs))}, "x", "y", {"cat": (1.0, 5.0)})
        is None
    )
    assert capsys.readouterr().out == "Correlation of log10(x) with y, over 3 words: -1.00\n"
    assert texts(shown[0].axes[0]) == ["median", "cat"]


def test_spreads_print_the_standard_deviation(shown, capsys):
    assert (
        result_of(plots.plot_spreads, {4: np.array([-2.0, 2.0]), 16: np.array([-4.0, 4.0])}, "scores") is None
    )
    assert "d_k    4: spread (standard deviation) of the scores 2.0" in capsys.readouterr().out
    assert len(shown[0].axes) == 2


def test_power_finds_the_exponent(capsys):
    xs = np.array([1.0, 2.0, 4.0, 8.0])
    assert result_of(plots.plot_power, xs, {"cubes": 5 * xs**3}, "n", "time") is None
    assert capsys.readouterr().out == "cubes: fitted slope 3.00 (time grows like n^3.00)\n"


def test_power_refuses_what_has_no_logarithm():
    with pytest.raises(ValueError, match="positive numbers; 'a' has 0"):
        plots.plot_power([1.0, 2.0], {"a": [0.0, 1.0]}, "n", "time")


def test_changes_stand_beside_each_other_with_their_errors(shown, capsys):
    changes = {"zeros": [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], "mean": [[0.0, 0.3, -0.3], [-1.0, -1.0, -1.0]]}
    assert result_of(plots.plot_changes, ["(1, 2)", "three"], changes, "change") is None
    assert capsys.readouterr().out == (
        "(1, 2): zeros +2.00 ± 0.58, mean +0.00 ± 0.17\nthree: zeros +0.00 ± 0.00, mean -1.00 ± 0.00\n"
    )
    axes = shown[0].axes[0]
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([2, 0, 0, -1])
    assert axes.patches[0].get_x() + axes.patches[0].get_width() == pytest.approx(axes.patches[2].get_x())
    assert [label.get_text() for label in axes.get_legend().get_texts()] == ["zeros", "mean"]


def test_what_changes_refuse():
    with pytest.raises(ValueError, match="two samples or more; got 1"):
        plots.plot_changes(["a"], {"zeros": [[1.0]]}, "change")
    with pytest.raises(ValueError, match="mean must have shape"):
        plots.plot_changes(["a"], {"zeros": [[1.0, 2.0]], "mean": [[1.0, 2.0, 3.0]]}, "change")
    for names, kinds in ((["a"], {}), ([], {"zeros": np.zeros((0, 2))})):
        with pytest.raises(ValueError, match=r"a name and a kind; got names \[.*\], kinds \["):
            plots.plot_changes(names, kinds, "change")


@pytest.mark.parametrize(("log_x", "log_y"), [(False, False), (True, True)])
def test_lines_print_their_ends(shown, capsys, log_x, log_y):
    assert result_of(plots.plot_lines, [1, 2, 4], {"a": [3, 2, 1]}, "n", "loss", log_x, log_y) is None
    assert capsys.readouterr().out == "loss, a: 3 at n 1, 1 at n 4\n"
    axes = shown[0].axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == (("log", "log") if log_x else ("linear", "linear"))


def test_the_end_of_a_line_is_a_number_that_one_reads(shown, capsys):
    plots.plot_lines([1, 2], {"a": [6549.4, 2e-5]}, "n", "seconds")
    assert capsys.readouterr().out == "seconds, a: 6,549 at n 1, 2e-05 at n 2\n"


def test_a_few_places_on_a_log_axis_are_all_named(shown):
    few, many = [8, 64, 4096], [*range(1, 14)]
    for xs in (few, many):
        plots.plot_lines(xs, {"a": [10_000.0 * x for x in xs]}, "n", "loss", log_x=True, log_y=True)
        shown[-1].canvas.draw()
    first, second = (figure.axes[0] for figure in shown)
    assert [label.get_text() for label in first.get_xticklabels()] == ["8", "64", "4,096"]
    assert len(second.get_xticks()) != len(many)
    assert "100,000" in [label.get_text() for label in first.get_yticklabels()]


def test_lines_can_be_stairs(shown):
    plots.plot_lines([0, 1], {"a": [0, 1]}, "x", "y", steps=True)
    assert shown[0].axes[0].lines[0].get_drawstyle() == "steps-mid"


def test_points_alone_claim_nothing_between_them(shown):
    plots.plot_lines([1, 2, 6], {"a": [3, 2, 1]}, "x", "y", points=True)
    (line,) = shown[0].axes[0].lines
    assert line.get_linestyle() == "None"
    assert line.get_marker() != "None"


def test_lines_can_be_told_apart_without_colour(shown):
    plots.plot_lines([1, 2], {str(i): [i, i] for i in range(6)}, "x", "y")
    lines = shown[0].axes[0].lines
    assert len({line.get_marker() for line in lines}) == 6
    assert len({line.get_color() for line in lines}) == 6


def test_marks_circle_points_of_a_figure_and_have_room_below(shown, capsys):
    plots.plot_lines([8, 64], {"a": [100.0, 1.0]}, "x", "y", True, True, marks={"lowest": (1920, 0.5)})
    assert capsys.readouterr().out.splitlines()[-1] == "marked: lowest (0.5 at x 1,920)"
    plots.plot_lines([0, 1], {"a": [0.0, 1.0]}, "x", "y", marks={"half": (0.5, 0.5)})
    for figure, words, place in zip(shown, ("lowest", "half"), ((1920, 0.5), (0.5, 0.5)), strict=True):
        axes = figure.axes[0]
        line, circle = axes.lines
        assert (float(circle.get_xdata()[0]), float(circle.get_ydata()[0])) == place
        assert (circle.get_marker(), circle.get_markerfacecolor()) == ("o", "none")
        (note,) = axes.texts
        assert (note.get_text(), note.xy) == (words, place)
        assert axes.get_ylim()[0] < min(*line.get_ydata(), place[1])
        box, around = note.get_window_extent(), axes.get_window_extent()
        assert around.y0 <= box.y0 < box.y1 < axes.transData.transform(place)[1]


def test_predictions_stand_beside_what_was_measured(shown, capsys):
    groups = {"good": ([10.0, 20.0], [9.9, 20.4]), "poor": ([12.0, 25.0], [9.0, 15.0])}
    assert result_of(plots.plot_predicted, groups, ["one", "two"], "runs a day") is None
    assert capsys.readouterr().out.splitlines() == [
        "good: measured 99% to 102% of what was predicted",
        "poor: measured 60% to 75% of what was predicted",
    ]
    axes = shown[0].axes[0]
    good, poor, of_one, of_two, diagonal = axes.lines
    np.testing.assert_array_equal(of_one.get_xydata(), [[10, 9.9], [12, 9]])  # a run's points are joined
    np.testing.assert_array_equal(of_two.get_xydata(), [[20, 20.4], [25, 15]])
    assert (good.get_marker(), good.get_color()) != (poor.get_marker(), poor.get_color())
    assert good.get_marker() != poor.get_marker()
    np.testing.assert_array_equal(poor.get_xydata(), [[12, 9], [25, 15]])  # across: predicted
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    assert diagonal.get_xdata()[0] < 9 < 25 < diagonal.get_xdata()[1]
    assert (axes.get_xscale(), axes.get_yscale(), axes.get_aspect()) == ("log", "log", 1.0)
    named = {note.get_text(): note.xy for note in axes.texts[:2]}
    assert named == {"one": (12, 9), "two": (25, 15)}  # beside the point farthest below


def test_predictions_that_have_no_place_on_a_logarithmic_axis():
    with pytest.raises(ValueError, match=r"above 0; 'a' has \[1\.\], \[0\.\]"):
        plots.plot_predicted({"a": ([1.0], [0.0])}, ["one"], "passes")
    with pytest.raises(ValueError, match=r"a must have shape \(2,\), one entry for each label; got \(1,\)"):
        plots.plot_predicted({"a": ([1.0], [1.0])}, ["one", "two"], "passes")


def test_a_panel_by_itself_is_as_wide_as_a_figure_and_begins_at_0(shown):
    plots.plot_panels([2, 4], {"GB": {"a": [5, 6]}}, "cards")
    plots.plot_panels([2, 4], {"GB": {"a": [5, 6]}, "MB": {"a": [5, 6]}}, "cards")
    assert [figure.get_figwidth() for figure in shown] == pytest.approx([6.5, 7.2])
    assert [axes.get_ylim()[0] for axes in shown[0].axes] == [0]
    assert shown[0].legends[0].get_texts()[0].get_text() == "a"


def test_panels_print_each_quantity(shown, capsys):
    panels = {"entropy": {"a": [1, 0]}, "gradient": {"a": [0.5, 0.25]}}
    assert result_of(plots.plot_panels, [4, 16], panels, "d_k", log_x=True) is None
    assert (
        capsys.readouterr().out
        == "entropy, a: 1 at d_k 4, 0 at d_k 16\ngradient, a: 0.5 at d_k 4, 0.25 at d_k 16\n"
    )
    assert len(shown[0].axes) == 2


def test_bars_print_largest_and_sum(shown, capsys):
    assert result_of(plots.plot_bars, {"one": TABLE[0], "two": TABLE[1]}, COLUMNS, "weight") is None
    assert capsys.readouterr().out == "one: largest 0.700 (c), sum 1.000\ntwo: largest 0.500 (a), sum 1.000\n"
    assert [bar.get_height() for bar in shown[0].axes[1].patches] == [0.5, 0.4, 0.1]


SCORES = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, np.log(3)], [1.0, 1.0, 1.0]])
TRIANGLE = np.tri(3, dtype=bool)


def test_masks_mark_what_may_be_seen_and_count_it(shown, capsys):
    masks = {"causal": TRIANGLE, "the newest two": np.array([[True, False, False], [True, True, False]])}
    assert result_of(plots.plot_masks, masks, [COLUMNS, ["x", "y", "z"]]) is None
    causal, newest = shown[0].axes
    assert texts(causal) == ["✓", "", "", "✓", "✓", "", "✓", "✓", "✓"]
    assert [label.get_text() for label in newest.get_yticklabels()] == ["y", "z"]
    assert capsys.readouterr().out.splitlines() == [
        "causal: of 3 keys the queries may attend to 1 2 3",
        "the newest two: of 3 keys the queries may attend to 1 2",
    ]


def test_matrix_covers_what_a_mask_hides_and_counts_it(tables_shown, capsys):
    weights = np.array([[1.0, 0.25, 0.5], [0.0, 0.75, 0.25], [0.0, 0.0, 0.25]])
    plots.plot_matrix(weights, COLUMNS, COLUMNS, "weights", sides=("keys", "queries"), mask=TRIANGLE.T)
    ((grid,),) = tables_shown
    np.testing.assert_array_equal(grid.seen, TRIANGLE.T)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "hidden: 3 of 9",
        "row sums 1.75 1.00 0.25, column sums 1.00 1.00 1.00",
    ]
    with pytest.raises(ValueError, match="shape of the matrix"):
        plots.plot_matrix(weights, COLUMNS, COLUMNS, "weights", mask=TRIANGLE[:1])
    with pytest.raises(TypeError, match="True and False"):
        plots.plot_matrix(weights, COLUMNS, COLUMNS, "weights", mask=np.ones((3, 3)))


def test_influence_marks_each_leak_and_names_the_first(shown, capsys):
    maps = {"causal": TRIANGLE, "one step too far": np.tri(3, k=1, dtype=bool)}
    assert result_of(plots.plot_influence, maps, COLUMNS) is None
    assert texts(shown[0].axes[1]) == ["✓", "✗", "", "✓", "✓", "✗", "✓", "✓", "✓"]
    assert capsys.readouterr().out.splitlines() == [
        "causal: 0 leaks",
        "one step too far: 2 leaks; the first: output 'a' moves with 'b'",
    ]


def test_three_maps_of_influence_stand_side_by_side(shown):
    plots.plot_influence(dict.fromkeys("xyz", TRIANGLE), COLUMNS)
    assert len({axes.get_position().y0 for axes in shown[0].axes}) == 1


def test_masking_shows_what_is_hidden_and_what_it_leaves(shown, capsys):
    assert result_of(plots.plot_masking, SCORES, TRIANGLE, COLUMNS) is None
    scores, weights = shown[0].axes
    assert texts(scores) == ["2.000", "−∞", "−∞", "0.000", "0.000", "−∞", "1.000", "1.000", "1.000"]
    assert texts(weights) == ["1.00", "0", "0", "0.50", "0.50", "0", "0.33", "0.33", "0.33"]
    assert capsys.readouterr().out.splitlines() == [
        "hidden: 3 of 9 scores",
        "row sums of the weights: 1.00 1.00 1.00",
        "every query has a key",
    ]


def test_masking_names_queries_without_a_key(capsys):
    plots.plot_masking(SCORES[1:], [[False, False, False], [True, True, True]], COLUMNS)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "row sums of the weights: 0.00 1.00",
        "no key is left for: b",
    ]


def test_mask_frame_combines_the_triangle_with_the_boxes(shown, capsys):
    plots.draw_mask(SCORES, COLUMNS, causal=True, seen=[False, True, True])
    assert texts(shown[0].axes[1]) == ["0", "0", "0", "0", "1.00", "0", "0", "0.50", "0.50"]
    said = capsys.readouterr().out
    assert "hidden: 6 of 9 scores" in said
    assert "no key is left for: a" in said
    assert said.endswith("causal mask on, hidden from all: a\n")
    plots.draw_mask(SCORES, COLUMNS, causal=False, seen=[True, True, True])
    said = capsys.readouterr().out
    assert said.startswith("hidden: 0 of 9 scores")
    assert said.endswith("causal mask off, hidden from all: nothing\n")


def test_corner_frame_agrees_only_when_every_token_is_new(shown, capsys):
    for n_new, left, right, last in [
        (1, "1", "3", "differ"),
        (2, "1 2", "2 3", "differ"),
        (3, "1 2 3", "1 2 3", "agree"),
    ]:
        plots.draw_corner(COLUMNS, n_new)
        assert [label.get_text() for label in shown[-1].axes[0].get_yticklabels()] == COLUMNS[-n_new:]
        assert capsys.readouterr().out.splitlines() == [
            f"upper left: of 3 keys the queries may attend to {left}",
            f"lower right: of 3 keys the queries may attend to {right}",
            f"the two corners {last}",
        ]


def test_ticking_a_box_draws_that_mask(monkeypatch):
    import ipywidgets

    made: list[Any] = []
    drawn: list[tuple[Any, ...]] = []
    real = ipywidgets.Checkbox

    def make(**options):
        made.append(real(**options))
        return made[-1]

    monkeypatch.setattr(ipywidgets, "Checkbox", make)
    monkeypatch.setattr(masks, "draw_mask", lambda *arguments: drawn.append(arguments))
    plots.explore_mask(SCORES, COLUMNS)
    assert [box.description for box in made] == ["causal mask", "see a", "see b", "see c"]
    assert drawn[-1][2:] == (True, [True, True, True])
    made[2].value = False
    assert drawn[-1][2:] == (True, [True, False, True])
    made[0].value = False
    assert drawn[-1][2:] == (False, [True, False, True])


ALIGNMENTS = [np.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]), np.array([[0.05, 0.95]])]


def test_alignments_say_what_each_symbol_read(shown, capsys):
    sources, written = ["a b", "it"], [["N", "AY"], "x"]
    assert result_of(plots.plot_alignments, sources, written, ALIGNMENTS) is None
    assert capsys.readouterr().out.splitlines() == [
        "a b → N AY: N reads b 0.70 and ␣ 0.20, AY reads a 0.60 and ␣ 0.30",
        "it → x: x reads t 0.95",
    ]
    first, second = shown[0].axes
    assert [label.get_text() for label in first.get_xticklabels()] == ["a", "␣", "b"]
    assert texts(first) == ["0.10", "0.20", "0.70", "0.60", "0.30", "0.10"]
    assert first.get_position().x1 < second.get_position().x0  # side by side
    assert first.images[0].get_clim() == second.images[0].get_clim()


def test_a_wide_alignment_writes_out_its_large_weights_only(shown):
    row = np.array([[0.5, 0.4, 0.1, *[0.0] * 11]])
    plots.plot_alignments(["abcdefghijklmn", "abcdefghijklmn"], ["x", "x"], [row, row])
    upper, lower = shown[0].axes
    assert [text.get_text() for text in upper.texts if text.get_visible()] == ["0.50", "0.40", "0.10"]
    assert upper.get_position().y0 > lower.get_position().y1  # one above the other


def test_the_frame_of_an_alignment_marks_its_row(shown, capsys):
    assert result_of(plots.draw_alignment, "a b", ["N", "AY"], ALIGNMENTS[0], 1) is None
    assert capsys.readouterr().out == "a b → N AY: symbol 2, 'AY', reads a 0.60, ␣ 0.30, b 0.10\n"
    table, bars = shown[0].axes
    assert table.patches[0].get_y() == 0.5
    assert [bar.get_height() for bar in bars.patches] == [0.6, 0.3, 0.1]


def test_choosing_a_word_and_a_symbol_draws_them(monkeypatch):
    import ipywidgets

    made: dict[str, Any] = {}
    drawn: list[tuple[Any, ...]] = []

    def make(real, **options):
        return made.setdefault(options["description"], real(**options))

    for kind in ("IntSlider", "Dropdown"):
        monkeypatch.setattr(ipywidgets, kind, partial(make, getattr(ipywidgets, kind)))
    monkeypatch.setattr(readings, "draw_alignment", lambda *arguments: drawn.append(arguments))
    written, weights = [["A"], ["B", "C", "D"]], [np.ones((1, 1)), np.ones((3, 1))]
    plots.explore_alignment(["a", "b"], written, weights)
    assert drawn == [("b", written[1], weights[1], 0)]
    made["written"].value = 3
    assert drawn[-1] == ("b", written[1], weights[1], 2)
    made["read"].value = 0  # its text is shorter: the place moves to its last symbol
    assert made["written"].max == 1
    assert drawn[-1] == ("a", written[0], weights[0], 0)
    plots.explore_alignment(["a"], written[:1], weights[:1])


def test_grid_readings_name_cells_and_digits_and_share_one_scale(shown, capsys):
    readings = {"seven": [0.0, 0.9, 0.1, *[0.0] * 6], "even": [0.1, 0.1, 0.2, *[0.1] * 6]}
    assert result_of(plots.plot_grid_readings, np.zeros((6, 6)), readings, {0: 7, 5: 3}) is None
    assert capsys.readouterr().out.splitlines() == [
        "seven: largest weight 0.90 on cell 1, smallest 0.00 on cell 0",
        "even: largest weight 0.20 on cell 2, smallest 0.10 on cell 0",
    ]
    image, first, second = shown[0].axes
    assert (texts(image), texts(first)[:3]) == (["7", "3"], ["0.00", "0.90", "0.10"])
    assert first.images[0].get_clim() == second.images[0].get_clim() == (0.0, 0.9)


def test_an_image_that_has_no_cells_is_refused():
    with pytest.raises(ValueError, match=r"3 × 3 cells of one size; got shape \(8, 8\)"):
        plots.plot_grid_readings(np.zeros((8, 8)), {})


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plots.plot_masks({"m": np.ones((2, 2))}, [ROWS]),
        lambda: plots.plot_influence({"m": [[1, 0], [1, 1]]}, ROWS),
    ],
)
def test_a_mask_of_numbers_is_refused(draw):
    with pytest.raises(TypeError, match="True and False; got dtype"):
        draw()


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plots.plot_matrix(TABLE, ROWS, ROWS, "weights"),
        lambda: plots.plot_matrices({"t": TABLE}, COLUMNS, COLUMNS),
        lambda: plots.plot_arrows(np.ones((2, 3)), ["a", "b"]),
        lambda: plots.plot_moves("s", [0.0, 0.0], {"a": [1.0, 2.0, 3.0]}, {}),
        lambda: plots.plot_bars({"t": np.ones(4)}, COLUMNS, "weight"),
        lambda: plots.plot_lines([1, 2], {"a": [1, 2, 3]}, "x", "y"),
        lambda: plots.plot_masks({"m": TRIANGLE}, [ROWS]),
        lambda: plots.plot_influence({"m": TRIANGLE}, ROWS),
        lambda: plots.plot_masking(SCORES, TRIANGLE, ROWS),
        lambda: plots.plot_alignments(["ab"], ["x"], [np.ones((1, 3))]),
        lambda: plots.draw_alignment("ab", "x", np.ones((2, 2)), 0),
        lambda: plots.plot_grid_readings(np.zeros((6, 6)), {"w": np.ones(8)}),
    ],
)
def test_wrong_shapes_are_refused_with_both_shapes(draw):
    with pytest.raises(ValueError, match=r"must have shape \(.*\), one entry for each label; got \("):
        draw()


@pytest.mark.parametrize("d_k", [4, 1024])
def test_d_k_frame_compares_the_three_choices(capsys, d_k):
    plots.draw_d_k(d_k)
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith(f"d_k {d_k}, ") for line in lines)  # a stored picture says which frame it is
    largest = [float(line.split("largest ")[1].split()[0]) for line in lines]
    assert largest[0] > largest[1] > largest[2]
    assert all(line.endswith("sum 1.000") for line in lines)


def test_temperature_frame_goes_from_one_key_to_all(capsys):
    plots.draw_temperature([2.0, 1.0, 0.0], COLUMNS, 0.05)
    assert "over 1.0 equal keys" in capsys.readouterr().out
    plots.draw_temperature([2.0, 1.0, 0.0], COLUMNS, 100.0)
    assert "over 3.0 equal keys" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("explore", "room", "name", "value"),
    [
        (lambda: plots.explore_d_k(), weights, "draw_d_k", 256),
        (lambda: plots.explore_temperature([2.0, 1.0], ["a", "b"]), weights, "draw_temperature", 5.0),
        (lambda: plots.explore_corner(COLUMNS), masks, "draw_corner", 3),
    ],
)
def test_moving_a_slider_draws_that_frame(monkeypatch, explore, room, name, value):
    import ipywidgets

    drawn: list[tuple[Any, ...]] = []
    made: list[Any] = []
    real = ipywidgets.SelectionSlider

    def make(**options):
        made.append(real(**options))
        return made[-1]

    monkeypatch.setattr(ipywidgets, "SelectionSlider", make)
    monkeypatch.setattr(room, name, lambda *arguments: drawn.append(arguments))
    explore()
    assert len(drawn) == 1
    made[0].value = value
    assert len(drawn) == 2
    assert value in drawn[1]


def test_jupyter_is_told_how_to_draw_before_the_first_figure(monkeypatch):
    told = []
    inline = SimpleNamespace(
        get_ipython=lambda: "shell", configure_inline_support=lambda *words: told.append(words)
    )
    monkeypatch.setitem(sys.modules, "matplotlib_inline.backend_inline", inline)
    canvas.draw_the_first_too()
    assert told == [("shell", "agg")]
    monkeypatch.delitem(sys.modules, "matplotlib_inline.backend_inline")
    canvas.draw_the_first_too()  # not in Jupyter: nobody to tell
    assert len(told) == 1

"""Each picture is drawn, returns None, prints a finding computed from its data, and refuses wrong shapes."""

from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from helpers import plots

TABLE = np.array([[0.1, 0.2, 0.7], [0.5, 0.4, 0.1]])
ROWS, COLUMNS = ["cat", "mat"], ["a", "b", "c"]


def result_of(draw: Callable[..., object], *arguments: object, **options: object) -> object:
    return draw(*arguments, **options)


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    """The figures that were shown, kept open so that a test can look into them."""
    mpl.use("agg")
    figures: list[Figure] = []
    monkeypatch.setattr(plots, "_show", figures.append)
    yield figures
    plt.close("all")


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_matrix_shows_each_number_and_names_the_largest(shown, capsys):
    assert result_of(plots.plot_matrix, TABLE, ROWS, COLUMNS, "weights") is None
    assert texts(shown[0].axes[0]) == ["0.10", "0.20", "0.70", "0.50", "0.40", "0.10"]
    assert capsys.readouterr().out == "Largest of the weights: 0.70, in row 'cat' and column 'c'\n"


def test_the_finding_follows_the_data(capsys):
    changed = TABLE.copy()
    changed[1, 0] = 0.9
    plots.plot_matrix(changed, ROWS, COLUMNS, "weights")
    assert "0.90, in row 'mat' and column 'a'" in capsys.readouterr().out


@pytest.mark.parametrize(
    "matrix", [TABLE, np.linspace(-1, 1, 6).reshape(2, 3), np.linspace(-9, 0, 6).reshape(2, 3)]
)
def test_numbers_are_readable_on_their_cell(shown, matrix):
    plots.plot_matrix(matrix, ROWS, COLUMNS, "weights")
    axes = shown[0].axes[0]
    background = axes.images[0].to_rgba(matrix)[..., :3] @ [0.21, 0.72, 0.07]
    for text, brightness in zip(axes.texts, background.ravel(), strict=True):
        ink = {"black": 0.0, "white": 1.0}[text.get_color()]
        assert abs(ink - brightness) > 0.4, f"{text.get_text()} on brightness {brightness:.2f}"


def test_zero_is_white_where_numbers_have_both_signs(shown):
    plots.plot_matrix([[-1.0, 0.0, 3.0]], ["a"], COLUMNS, "slopes")
    assert shown[0].axes[0].images[0].to_rgba(0.0)[:3] == pytest.approx((1, 1, 1), abs=0.05)


def test_tables_side_by_side_share_their_colours(shown):
    plots.plot_matrices({"small": TABLE, "large": 2 * TABLE}, ROWS, COLUMNS)
    small, large = (axes.images[0] for axes in shown[0].axes)
    assert small.to_rgba(0.5) == large.to_rgba(0.5)


def test_matrices_print_their_sums(shown, capsys):
    assert (
        result_of(plots.plot_matrices, {"rows": TABLE, "columns": TABLE / TABLE.sum(0)}, ROWS, COLUMNS)
        is None
    )
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "rows: row sums 1.00 1.00, column sums 0.60 0.60 0.80."
    assert printed[1].endswith("column sums 1.00 1.00 1.00.")
    assert len(shown[0].axes) == 2


def test_arrows_print_lengths_and_angles(capsys):
    assert result_of(plots.plot_arrows, [[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]], ["q", "a", "b"]) is None
    assert capsys.readouterr().out.splitlines() == [
        "q: length 2.00, at 0° to q",
        "a: length 3.00, at 90° to q",
        "b: length 1.00, at 180° to q",
    ]


def test_an_arrow_without_length_is_refused():
    with pytest.raises(ValueError, match="length above 0"):
        plots.plot_arrows([[1.0, 0.0], [0.0, 0.0]], ["a", "b"])


def test_cloud_prints_the_correlation(capsys):
    xs = np.array([1.0, 10.0, 100.0])
    assert (
        result_of(plots.plot_cloud, {"words": (xs, 7 - 2 * np.log10(xs))}, "x", "y", {"cat": (1.0, 5.0)})
        is None
    )
    assert capsys.readouterr().out == "Correlation of log10(x) with y, over 3 words: -1.00\n"


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


@pytest.mark.parametrize(("log_x", "log_y"), [(False, False), (True, True)])
def test_lines_print_their_ends(shown, capsys, log_x, log_y):
    assert result_of(plots.plot_lines, [1, 2, 4], {"a": [3, 2, 1]}, "n", "loss", log_x, log_y) is None
    assert capsys.readouterr().out == "loss, a: 3 at n 1, 1 at n 4\n"
    axes = shown[0].axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == (("log", "log") if log_x else ("linear", "linear"))


def test_lines_can_be_stairs(shown):
    plots.plot_lines([0, 1], {"a": [0, 1]}, "x", "y", steps=True)
    assert shown[0].axes[0].lines[0].get_drawstyle() == "steps-mid"


def test_lines_can_be_told_apart_without_colour(shown):
    plots.plot_lines([1, 2], {str(i): [i, i] for i in range(6)}, "x", "y")
    lines = shown[0].axes[0].lines
    assert len({line.get_marker() for line in lines}) == 6
    assert len({line.get_color() for line in lines}) == 6


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


def test_transformer_says_where_attention_is(capsys):
    assert result_of(plots.plot_transformer) is None
    assert "Attention is step 3 of 7" in capsys.readouterr().out


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plots.plot_matrix(TABLE, ROWS, ROWS, "weights"),
        lambda: plots.plot_matrices({"t": TABLE}, COLUMNS, COLUMNS),
        lambda: plots.plot_arrows(np.ones((2, 3)), ["a", "b"]),
        lambda: plots.plot_bars({"t": np.ones(4)}, COLUMNS, "weight"),
        lambda: plots.plot_lines([1, 2], {"a": [1, 2, 3]}, "x", "y"),
    ],
)
def test_wrong_shapes_are_refused_with_both_shapes(draw):
    with pytest.raises(ValueError, match=r"must have shape \(.*\), one entry for each label; got \("):
        draw()


@pytest.mark.parametrize("d_k", [4, 1024])
def test_d_k_frame_compares_the_three_choices(capsys, d_k):
    plots.draw_d_k(d_k)
    lines = capsys.readouterr().out.splitlines()
    largest = [float(line.split("largest ")[1].split()[0]) for line in lines]
    assert largest[0] > largest[1] > largest[2]
    assert all(line.endswith("sum 1.000") for line in lines)


def test_temperature_frame_goes_from_one_key_to_all(capsys):
    plots.draw_temperature([2.0, 1.0, 0.0], COLUMNS, 0.05)
    assert "over 1.0 equal keys" in capsys.readouterr().out
    plots.draw_temperature([2.0, 1.0, 0.0], COLUMNS, 100.0)
    assert "over 3.0 equal keys" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("explore", "name", "value"),
    [
        (lambda: plots.explore_d_k(), "draw_d_k", 256),
        (lambda: plots.explore_temperature([2.0, 1.0], ["a", "b"]), "draw_temperature", 5.0),
    ],
)
def test_moving_a_slider_draws_that_frame(monkeypatch, explore, name, value):
    import ipywidgets

    drawn: list[tuple[Any, ...]] = []
    made: list[Any] = []
    real = ipywidgets.SelectionSlider

    def make(**options):
        made.append(real(**options))
        return made[-1]

    monkeypatch.setattr(ipywidgets, "SelectionSlider", make)
    monkeypatch.setattr(plots, name, lambda *arguments: drawn.append(arguments))
    explore()
    assert len(drawn) == 1
    made[0].value = value
    assert len(drawn) == 2
    assert value in drawn[1]

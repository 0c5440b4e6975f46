"""The pictures of lesson 13: what is drawn, what is printed, and what is refused."""

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from kept_figures import kept_figures
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from helpers import plots
from helpers.plots import canvas
from helpers.softmax import softmax
from helpers.streaming import tile_kinds

# The row of the lesson: e^score is 4 2 1 1 8 2, their sum 18, and 126 with the values: 126 / 18 = 7.
SCORES, VALUES = np.log([4, 2, 1, 1, 8, 2]), np.array([6, 4, 2, 4, 10, 4])


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Figure]]:
    yield from kept_figures(monkeypatch)


def heights(axes: Axes) -> list[float]:
    return [bar.get_height() for bar in axes.patches]  # type: ignore[attr-defined]


def test_three_steps_of_two_keys_by_hand(shown: list[Figure], capsys: pytest.CaptureFixture[str]) -> None:
    plots.plot_steps(SCORES, VALUES, 2)
    assert capsys.readouterr().out.splitlines() == [
        "keys 0 to 1: running_max 1.386, rescale 0.000, exponentials 1.000 0.500, running_sum 1.500, "
        "weighted_sum 8.000",
        "keys 2 to 3: running_max 1.386, rescale 1.000, exponentials 0.250 0.250, running_sum 2.000, "
        "weighted_sum 9.500",
        "keys 4 to 5: running_max 2.079, rescale 0.500, exponentials 1.000 0.250, running_sum 2.250, "
        "weighted_sum 15.750",
        "output: 15.750 / 2.250 = 7.000",
    ]
    first, second, third = shown[0].axes
    assert heights(first) == pytest.approx([1, 1 / 2])
    assert heights(second) == pytest.approx([1, 1 / 2, 1 / 4, 1 / 4])
    assert third.get_xlabel().splitlines() == [
        "key",
        "running_max 2.079",
        "running_sum 2.25",
        "weighted_sum 15.75",
    ]
    # All six under the last maximum, and the outlines of the first four as they were before.
    assert heights(third) == pytest.approx([1 / 2, 1 / 4, 1 / 8, 1 / 8, 1, 1 / 4, 1, 1 / 2, 1 / 4, 1 / 4])


@pytest.mark.parametrize("tile", range(1, 8))
def test_the_output_is_that_of_softmax_for_every_tile(
    capsys: pytest.CaptureFixture[str], shown: list[Figure], tile: int
) -> None:
    scores, values = np.array([900.0, -2, 901, 3, 899.5]), np.array([1.0, 7, -2, 5, 3])
    plots.plot_steps(scores, values, tile)
    said = capsys.readouterr().out
    assert said.endswith(f"= {softmax(scores) @ values:.3f}\n")
    assert len(shown[0].axes) == -(-5 // tile)


@pytest.mark.parametrize(
    ("scores", "values", "tile", "error"),
    [
        ([1, 2], [1, 2, 3], 2, "shape"),
        ([[1, 2]], [[1, 2]], 2, "shape"),
        ([], [], 2, "shape"),
        ([1, -np.inf], [1, 2], 2, "finite"),
        ([1, 2], [1, 2], 0, "tile"),
    ],
)
def test_what_plot_steps_refuses(scores: object, values: object, tile: int, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        plots.plot_steps(scores, values, tile)  # type: ignore[arg-type]


def test_the_slider_runs_from_one_key_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(canvas, "slider", lambda *arguments: asked.append(arguments))
    plots.explore_steps(SCORES, VALUES)
    draw, _, options, start = asked[0]
    assert list(options) == [1, 2, 3, 4, 5, 6]
    assert start == 3, "tiles of 2 stand in the figure above the slider"
    draw(3)
    assert len(plt.get_fignums()) == 1


def test_tiles_are_drawn_and_counted_by_kind(shown: list[Figure], capsys: pytest.CaptureFixture[str]) -> None:
    causal = tile_kinds(6, 10, causal=True, tile_queries=2, tile_keys=2)
    plots.plot_tiles({"causal": causal, "none": np.full((2, 3), 2)})
    assert causal.tolist() == [[2, 2, 1, 0, 0], [2, 2, 2, 1, 0], [2, 2, 2, 2, 1]]
    drawn = shown[0].axes[0].images[0].get_array()
    assert drawn is not None
    assert np.array_equal(np.ma.filled(drawn, 0), causal)
    assert capsys.readouterr().out.splitlines() == [
        "causal: of 15 tiles 3 skipped, 3 computed with a mask, 9 computed",
        "none: of 6 tiles 0 skipped, 0 computed with a mask, 6 computed",
    ]


@pytest.mark.parametrize("kinds", [[0, 1, 2], [[0, 3]], [[0.5]]])
def test_what_is_no_map_of_tiles(kinds: object) -> None:
    with pytest.raises(ValueError, match="wrong must be a table of 0, 1 and 2"):
        plots.plot_tiles({"wrong": kinds})  # type: ignore[dict-item]


def test_neighbouring_heads_share(shown: list[Figure], capsys: pytest.CaptureFixture[str]) -> None:
    plots.plot_sharing(6, [3, 1])
    assert capsys.readouterr().out.splitlines() == [
        "3 heads of keys and values: 0 1 read 0; 2 3 read 1; 4 5 read 2",
        "1 head of keys and values: 0 1 2 3 4 5 read 0",
    ]
    places = [text.get_position() for text in shown[0].axes[0].texts]
    ticks = [(round(row), round(column)) for column, row in places]
    assert ticks == [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2)]


def test_heads_of_keys_must_divide_those_of_queries() -> None:
    with pytest.raises(ValueError, match=r"must divide 6; got \[6, 4\]"):
        plots.plot_sharing(6, [6, 4])


def test_what_is_held_has_a_tick_for_every_size(
    shown: list[Figure], capsys: pytest.CaptureFixture[str]
) -> None:
    plots.plot_held([256, 512, 1024], {"a": [0.5, 2, 80], "b": [0.25, 0.25, 0.25]})
    assert capsys.readouterr().out.splitlines() == [
        "MiB, a: 0.5 at n 256, 80 at n 1024",
        "MiB, b: 0.25 at n 256, 0.25 at n 1024",
    ]
    (axes,) = shown[0].axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["256", "512", "1,024"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0.1", "1", "10", "100"]
    assert [list(line.get_ydata()) for line in axes.lines] == [[0.5, 2, 80], [0.25] * 3]  # type: ignore[arg-type]
    assert axes.get_ylabel() == "MiB held beyond the output"
    plots.plot_held([256, 512], {"a": [1, 2]}, beyond="three gradients")
    assert shown[1].axes[0].get_ylabel() == "MiB held beyond three gradients"


def test_what_plot_held_refuses() -> None:
    with pytest.raises(ValueError, match="b must be above 0"):
        plots.plot_held([1, 2], {"a": [1, 2], "b": [1, 0]})
    with pytest.raises(ValueError, match="shape"):
        plots.plot_held([1, 2], {"a": [1, 2, 3]})

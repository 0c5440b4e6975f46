"""Scores and weights as tables and as bars, and what a scale or a temperature does to them."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import ArrayLike

from helpers.plots import canvas, pieces, tables
from helpers.scaling import scale_scores
from helpers.softmax import entropy, softmax
from helpers.validation import Array, as_floats


def plot_matrix(
    matrix: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    what: str,
    decimals: int = 2,
    sides: tuple[str, str] = ("queries", "keys"),
    mask: ArrayLike | None = None,
) -> None:
    """(n_rows, n_columns), a label for each -> a table coloured by its numbers, or a picture of one.

    `what` names the numbers ("scores", "weights"): it is the title and the word used in the printed finding.
    `sides` names the groups of rows and columns. Where `mask` (n_rows, n_columns) is False a cell is hidden;
    then the number of these and the sums are printed as well.
    Raises ValueError where the labels do not fit the matrix, or the mask does not.
    """
    matrix = canvas.labelled("matrix", matrix, (len(rows), len(columns)))
    may_attend = np.ones(matrix.shape, dtype=bool) if mask is None else canvas.boolean("mask", mask, columns)
    if may_attend.shape != matrix.shape:
        raise ValueError(f"mask must have the shape of the matrix, {matrix.shape}; got {may_attend.shape}")
    limits = tables.limits_of({what: matrix})
    if tables.fits(rows, columns):
        tables.show([tables.Grid(what, matrix, rows, columns, sides, decimals, limits, may_attend)])
    else:
        with plt.rc_context(canvas.STYLE):
            figure, axes = plt.subplots(figsize=(1.6 + 0.62 * len(columns), 1.1 + 0.45 * len(rows)))
            pieces.draw_open(axes, matrix, may_attend, rows, columns, what, decimals, sides, limits, "0")
            canvas.show(figure)
    row, column = divmod(int(matrix.argmax()), len(columns))
    largest = f"{matrix.max():.{decimals}f}"
    print(f"Largest of the {what}: {largest}, in row {rows[row]!r} and column {columns[column]!r}")
    if mask is not None:
        print(f"hidden: {(~may_attend).sum()} of {may_attend.size}")
        print(_sums(matrix))


def plot_matrices(
    matrices: Mapping[str, ArrayLike],
    rows: Sequence[str],
    columns: Sequence[str],
    decimals: int = 2,
    sides: tuple[str, str] = ("queries", "keys"),
    one_scale: bool = True,
) -> None:
    """{title: (n_rows, n_columns)} -> tables side by side; prints row and column sums.

    `sides` names the groups of rows and columns. All tables share one scale of colours; with `one_scale`
    False each has its own, for tables of different things (scores and weights).
    Raises ValueError where the labels do not fit a matrix.
    """
    drawn = {t: canvas.labelled(t, m, (len(rows), len(columns))) for t, m in matrices.items()}
    limits = {t: tables.limits_of(drawn if one_scale else {t: m}) for t, m in drawn.items()}
    if tables.fits(rows, columns):
        grids = (
            tables.Grid(t, m, rows, columns, sides, decimals, limits[t], sums=True) for t, m in drawn.items()
        )
        tables.show(list(grids))
    else:
        with plt.rc_context(canvas.STYLE):
            size = (len(drawn) * (1.3 + 0.6 * len(columns)), 0.9 + 0.45 * len(rows))
            figure, all_axes = plt.subplots(1, len(drawn), figsize=size, squeeze=False)
            for axes, (title, matrix) in zip(all_axes[0], drawn.items(), strict=True):
                pieces.draw_matrix(axes, matrix, rows, columns, title, decimals, sides, limits[title])
            canvas.show(figure)
    for title, matrix in drawn.items():
        print(f"{title}: {_sums(matrix)}.")


def plot_bars(panels: Mapping[str, ArrayLike], labels: Sequence[str], y: str) -> None:
    """{title: (n,)}, n labels -> bars on one scale, three charts in a row; prints the largest of each.

    Raises ValueError where there is not one label for each bar.
    """
    bars = {title: canvas.labelled(title, heights, (len(labels),)) for title, heights in panels.items()}
    columns = min(3, len(bars))
    rows = -(-len(bars) // columns)
    with plt.rc_context(canvas.STYLE):
        width = max(4.0, columns * (0.8 + 0.3 * len(labels)))
        figure, all_axes = plt.subplots(
            rows, columns, figsize=(width, 2.5 * rows), sharey=True, squeeze=False
        )
        for axes, (title, heights) in zip(all_axes.ravel(), bars.items(), strict=False):
            pieces.draw_bars(axes, heights, labels, title)
        for axes in all_axes[:, 0]:
            axes.set_ylabel(y)
        canvas.show(figure)
    for title, heights in bars.items():
        label = labels[int(heights.argmax())]
        print(f"{title}: largest {heights.max():.3f} ({label}), sum {heights.sum():.3f}")


def explore_d_k(seed: int = 0) -> None:
    """A slider over d_k: the weights of one query over 8 keys for no scale, ÷√d_k and ÷d_k."""
    canvas.slider(lambda d_k: draw_d_k(d_k, seed), "d_k", [4, 8, 16, 32, 64, 128, 256, 512, 1024], 64)


def draw_d_k(d_k: int, seed: int = 0) -> None:
    """One frame of explore_d_k: three bar charts, and the largest weight of each."""
    query, keys = _random_query_and_keys(d_k, 8, seed)
    panels = weights_by_scale(keys @ query, d_k)
    plot_bars(
        {f"d_k {d_k}, {name}": each for name, each in panels.items()}, [f"k{i}" for i in range(8)], "weight"
    )


def explore_temperature(scores: ArrayLike, labels: Sequence[str]) -> None:
    """A slider over the temperature: the weights that softmax(scores / temperature) gives."""
    options = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0]
    canvas.slider(lambda each: draw_temperature(scores, labels, each), "temperature", options, 1.0)


def draw_temperature(scores: ArrayLike, labels: Sequence[str], temperature: float) -> None:
    """One frame of explore_temperature: the weights as bars, with the number of keys that count."""
    weights = softmax(as_floats("scores", scores) / temperature)
    plot_bars({f"temperature {temperature:g}": weights}, labels, "weight")
    print(f"exp(entropy): the weight is spread as over {np.exp(entropy(weights)):.1f} equal keys")


def weights_by_scale(scores: Array, d_k: int) -> dict[str, Array]:
    """(..., n_keys), d_k -> the weights for the three choices of lesson 02: no scale, ÷√d_k, ÷d_k."""
    return {
        "no scale": softmax(scores),
        "÷ √d_k": softmax(scale_scores(scores, d_k)),
        "÷ d_k": softmax(scores / d_k),
    }


def _sums(matrix: Array) -> str:
    rows, columns = (canvas.two_decimals(matrix.sum(axis)) for axis in (1, 0))
    return f"row sums {rows}, column sums {columns}"


def _random_query_and_keys(d_k: int, n_keys: int, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(d_k), rng.standard_normal((n_keys, d_k))

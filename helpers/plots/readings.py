"""What a trained model reads while it writes, symbol by symbol, and in an image (lesson 07)."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from helpers.plots import canvas, pieces
from helpers.validation import Array, as_floats


def plot_alignments(
    sources: Sequence[Sequence[str]],
    written: Sequence[Sequence[str]],
    weights: Sequence[ArrayLike],
    sides: tuple[str, str] = ("writes next (queries)", "read (keys)"),
) -> None:
    """n sources, n written, n arrays (n_written, n_source) -> maps: which symbol was read for which one.

    A text is a list of symbols; a string is one too. Narrow maps stand side by side, wide ones one above the
    other, and there weights that round to less than 0.1 are not written out. Prints what each symbol read
    most, and what else with a weight of 0.2 or more. Raises ValueError where the symbols do not fit a map.
    """
    drawn = [
        canvas.labelled("weights", w, (len(out), len(source)))
        for source, out, w in zip(sources, written, weights, strict=True)
    ]
    wide = max(map(len, sources)) > 12
    with plt.rc_context(canvas.STYLE):
        longest = max(len(symbol) for source in sources for symbol in source)
        figure, all_axes = _map_axes([w.shape for w in drawn], wide, 0.46 if longest < 4 else 0.75)
        for axes, source, out, w in zip(all_axes, sources, written, drawn, strict=True):
            rows, columns = _visible(out), _visible(source)
            title, (least, size) = _as_text(source), (0.095, 7) if wide else (-np.inf, 8)
            pieces.draw_matrix(axes, w, rows, columns, title, 2, sides, (0.0, 1.0), least, size)
        for axes in all_axes[1:]:
            axes.set_ylabel("" if not wide else sides[0])
        canvas.show(figure)
    for source, out, w in zip(sources, written, drawn, strict=True):
        print(f"{_as_text(source)} → {_as_text(out)}: {_most_read(source, out, w)}")


def explore_alignment(
    sources: Sequence[str], written: Sequence[Sequence[str]], weights: Sequence[ArrayLike]
) -> None:
    """A menu of sources and a slider over the written symbols: the map, and what the symbol read."""
    import ipywidgets  # here, so that a lesson without a control does not load it

    start = min(1, len(sources) - 1)
    source = ipywidgets.Dropdown(
        options=[(text, i) for i, text in enumerate(sources)], value=start, description="read"
    )
    place = ipywidgets.IntSlider(
        value=1, min=1, max=len(written[start]), description="written", continuous_update=False
    )

    def fit(change: Any) -> None:
        place.max = len(written[change["new"]])  # a place beyond it moves to it

    source.observe(fit, "value")
    ipywidgets.interact(
        lambda source, place: draw_alignment(sources[source], written[source], weights[source], place - 1),
        source=source,
        place=place,
    )


def draw_alignment(source: Sequence[str], written: Sequence[str], weights: ArrayLike, place: int) -> None:
    """One frame of explore_alignment: the map with the row of written symbol `place` marked, and that row.

    Prints what the symbol read, most first. Raises ValueError where the symbols do not fit the weights.
    """
    weights = canvas.labelled("weights", weights, (len(written), len(source)))
    title = f"{_as_text(source)} → {_as_text(written)}"
    sides = ("writes next (queries)", "read (keys)")
    symbol = written[place]
    read = pieces.draw_map_and_row(
        weights, _visible(written), _visible(source), place, title, sides, f"what {symbol!r} reads"
    )
    print(f"{title}: symbol {place + 1}, {symbol!r}, reads {read or 'nothing much'}")


def plot_grid_readings(
    image: ArrayLike, readings: Mapping[str, ArrayLike], digits: Mapping[int, int] | None = None
) -> None:
    """An image of 3 × 3 cells (24, 24), {title: weights (9,)} -> the image, and the weights of its cells.

    All readings share one scale of colours. `digits` names what stands in a cell, {cell: digit}: it is
    written in the cell's corner. Prints for each reading the cells with the largest and the smallest weight,
    counted from 0, row by row.
    Raises ValueError unless the image can be cut into 3 × 3 cells and there are 9 weights.
    """
    image = as_floats("image", image)
    drawn = {title: canvas.labelled(title, w, (9,)) for title, w in readings.items()}
    if image.ndim != 2 or image.shape[0] % 3 or image.shape[1] % 3:
        raise ValueError(f"image must have 3 × 3 cells of one size; got shape {image.shape}")
    names = ["0", "1", "2"]
    limits = (0.0, max((float(w.max()) for w in drawn.values()), default=1.0))
    with plt.rc_context(canvas.STYLE):
        n = 1 + len(drawn)
        figure, (left, *others) = plt.subplots(1, n, figsize=(2.9 * n, 2.9))
        _draw_cells(left, image, digits or {})
        for axes, (title, w) in zip(others, drawn.items(), strict=True):
            sides = ("row of cells", "column of cells")
            scale = f"{title}\ncolours from 0 to {limits[1]:.2f}"
            pieces.draw_matrix(axes, w.reshape(3, 3), names, names, scale, 2, sides, limits)
        canvas.show(figure)
    for title, w in drawn.items():
        most, least = int(w.argmax()), int(w.argmin())
        ends = f"largest weight {w[most]:.2f} on cell {most}, smallest {w[least]:.2f} on cell {least}"
        print(f"{title}: {ends}")


def _draw_cells(axes: Axes, image: Array, digits: Mapping[int, int]) -> None:
    """An image of 3 × 3 cells, {cell: digit} -> the image, with lines between the cells and their names."""
    height, width = image.shape
    axes.imshow(image, cmap="gray_r", aspect="auto", extent=(-0.5, 2.5, 2.5, -0.5))
    for line in (0.5, 1.5):
        axes.axhline(line, color=canvas.COLOURS[0], lw=1)
        axes.axvline(line, color=canvas.COLOURS[0], lw=1)
    for cell, digit in digits.items():
        place = (cell % 3 - 0.47, cell // 3 - 0.46)
        axes.text(*place, str(digit), ha="left", va="top", size=9, color=canvas.COLOURS[0])
    axes.set(xticks=range(3), yticks=range(3), title=f"image ({height}, {width})")
    axes.set(xlabel="column of cells", ylabel="row of cells")
    axes.tick_params(length=0)


def _map_axes(shapes: Sequence[tuple[int, ...]], stacked: bool, width: float) -> tuple[Figure, list[Axes]]:
    """The shapes of some maps -> a figure with axes for each, side by side, or one above the other.

    `width` is that of a column where they stand side by side.
    """
    heights, widths = [0.3 * rows for rows, _ in shapes], [width * columns for _, columns in shapes]
    if stacked:
        size = (0.8 + 0.31 * max(columns for _, columns in shapes), 0.75 * sum(heights) + 0.75 * len(shapes))
        figure, all_axes = plt.subplots(len(shapes), 1, figsize=size, height_ratios=heights, squeeze=False)
    else:
        size = (sum(widths) + 0.75 * len(shapes), max(heights) + 1.1)
        figure, all_axes = plt.subplots(1, len(shapes), figsize=size, width_ratios=widths, squeeze=False)
    return figure, list(all_axes.ravel())


def _most_read(source: Sequence[str], written: Sequence[str], weights: Array) -> str:
    """Each written symbol and the symbol that it read most, with all others of weight 0.2 or more."""
    found, shown = [], _visible(source)
    for symbol, row in zip(_visible(written), weights, strict=True):
        first, *others = np.argsort(-row, kind="stable")
        read = [first, *(j for j in others if row[j] >= 0.2)]
        found.append(f"{symbol} reads {' and '.join(f'{shown[j]} {row[j]:.2f}' for j in read)}")
    return ", ".join(found)


def _visible(symbols: Sequence[str]) -> list[str]:
    return ["␣" if symbol == " " else symbol for symbol in symbols]


def _as_text(symbols: Sequence[str]) -> str:
    return symbols if isinstance(symbols, str) else " ".join(symbols)

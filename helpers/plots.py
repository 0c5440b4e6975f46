"""One function per kind of picture. Each draws, prints its finding in words, and returns None.

The finding is computed from the numbers that were drawn. Queries are always rows. Colours come from palettes
that colour-blind readers can tell apart (cividis; Okabe and Ito 2008); lines differ in marker and dash too.
The only module of the course that loads matplotlib.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from helpers.scaling import scale_scores
from helpers.softmax import entropy, softmax
from helpers.validation import Array, as_floats

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
STYLE: dict[Any, Any] = {
    "figure.dpi": 100,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}


def plot_matrix(
    matrix: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    what: str,
    decimals: int = 2,
    sides: tuple[str, str] = ("queries", "keys"),
) -> None:
    """(n_rows, n_columns), a label for each -> a table coloured by its numbers.

    `what` names the numbers ("scores", "weights"): it is the title and the word used in the printed finding.
    `sides` names the groups of rows and columns. Raises ValueError where the labels do not fit the matrix.
    """
    matrix = _labelled("matrix", matrix, (len(rows), len(columns)))
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(1.6 + 0.62 * len(columns), 1.1 + 0.45 * len(rows)))
        _draw_matrix(axes, matrix, rows, columns, what, decimals, sides, (matrix.min(), matrix.max()))
        _show(figure)
    row, column = divmod(int(matrix.argmax()), len(columns))
    largest = f"{matrix.max():.{decimals}f}"
    print(f"Largest of the {what}: {largest}, in row {rows[row]!r} and column {columns[column]!r}")


def plot_matrices(
    matrices: Mapping[str, ArrayLike], rows: Sequence[str], columns: Sequence[str], decimals: int = 2
) -> None:
    """{title: (n_rows, n_columns)} -> tables side by side, in the same colours; prints row and column sums.

    Raises ValueError where the labels do not fit a matrix.
    """
    tables = {t: _labelled(t, m, (len(rows), len(columns))) for t, m in matrices.items()}
    limits = (min(m.min() for m in tables.values()), max(m.max() for m in tables.values()))
    with plt.rc_context(STYLE):
        width = len(tables) * (1.3 + 0.6 * len(columns))
        figure, all_axes = plt.subplots(
            1, len(tables), figsize=(width, 0.9 + 0.45 * len(rows)), squeeze=False
        )
        for axes, (title, matrix) in zip(all_axes[0], tables.items(), strict=True):
            _draw_matrix(axes, matrix, rows, columns, title, decimals, ("queries", "keys"), limits)
        _show(figure)
    for title, matrix in tables.items():
        print(f"{title}: row sums {_numbers(matrix.sum(1))}, column sums {_numbers(matrix.sum(0))}.")


def plot_arrows(vectors: ArrayLike, labels: Sequence[str]) -> None:
    """(n, 2), n labels -> arrows from the origin; prints each length, and its angle to the first arrow.

    Raises ValueError unless each vector has two entries, a length above 0, and one label.
    """
    vectors = _labelled("vectors", vectors, (len(labels), 2))
    lengths = np.linalg.norm(vectors, axis=1)
    if not (lengths > 0).all():
        raise ValueError(f"each arrow needs a length above 0; got lengths {lengths}")
    cosines = vectors @ vectors[0] / (lengths * lengths[0])
    margin = 0.25 * lengths.max()
    low, high = np.minimum(vectors.min(0), 0) - margin, vectors.max(0) + margin
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(5.5, 5.5 * (high - low)[1] / (high - low)[0]))
        axes.axhline(0, color="0.85", zorder=0)
        axes.axvline(0, color="0.85", zorder=0)
        for i, (vector, label) in enumerate(zip(vectors, labels, strict=True)):
            colour = COLOURS[i % len(COLOURS)]
            arrow = {"arrowstyle": "-|>", "color": colour, "lw": 2, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", xy=vector, xytext=(0, 0), arrowprops=arrow)
            x, y = vector + 0.5 * margin * vector / lengths[i] + (0, 0.3 * margin)
            axes.text(x, y, label, color=colour, ha="center", va="center", weight="bold")
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        axes.set(xlabel="dimension 0", ylabel="dimension 1")
        _show(figure)
    for label, length, cosine in zip(labels, lengths, cosines, strict=True):
        angle = round(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
        print(f"{label}: length {length:.2f}, at {angle}° to {labels[0]}")


def plot_cloud(points: Mapping[str, tuple[Array, Array]], x: str, y: str, names: Mapping[str, Any]) -> None:
    """{group: (xs, ys)} -> a scatter plot, xs on a log axis; `names` {word: (x, y)} are written in it."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4))
        for i, (group, (xs, ys)) in enumerate(points.items()):
            axes.semilogx(xs, ys, ".", ms=2.5, color=("0.6", *COLOURS)[i], label=group, zorder=1)
        axes.xaxis.set_major_formatter("{x:g}")
        middle = np.sqrt(np.prod(axes.get_xlim()))
        for word, place in names.items():
            axes.plot(*place, MARKERS[0], color=COLOURS[1], ms=6, zorder=2)
            side, shift = ("right", -6) if place[0] > 10 * middle else ("left", 6)
            note = axes.annotate(word, place, xytext=(shift, 5), textcoords="offset points", weight="bold")
            note.set(ha=side, zorder=3)
        axes.set(xlabel=x, ylabel=y)
        _show(figure)
    for group, (xs, ys) in points.items():
        correlation = np.corrcoef(np.log10(xs), ys)[0, 1]
        print(f"Correlation of log10({x}) with {y}, over {len(xs)} {group}: {correlation:.2f}")


def plot_spreads(samples: Mapping[int, Array], what: str) -> None:
    """{d_k: scores of any shape} -> one histogram for each d_k, on one axis of scores, with its spread."""
    widest = max(float(abs(s).max()) for s in samples.values())
    with plt.rc_context(STYLE):
        figure, all_axes = plt.subplots(len(samples), 1, figsize=(7, 1.15 * len(samples) + 0.6), sharex=True)
        for i, (axes, (d_k, scores)) in enumerate(zip(all_axes, samples.items(), strict=True)):
            heights, edges = np.histogram(scores, bins=np.linspace(-widest, widest, 121))
            axes.stairs(heights, edges, color=COLOURS[i], fill=True)
            axes.set(yticks=[], ylabel=f"d_k {d_k}")
            axes.spines["left"].set_visible(False)
        all_axes[-1].set_xlabel(what)
        _show(figure)
    for d_k, scores in samples.items():
        print(f"d_k {d_k:4}: spread (standard deviation) of the {what} {scores.std():.1f}")


def plot_power(xs: ArrayLike, curves: Mapping[str, ArrayLike], x: str, y: str) -> None:
    """xs (n,), {label: ys (n,)} -> points and fitted lines on log-log axes; prints each slope.

    Raises ValueError unless all numbers are positive and each curve has a y for each x.
    """
    xs = as_floats("xs", xs)
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6, 4))
        findings = []
        for i, (label, values) in enumerate(curves.items()):
            ys = _labelled(label, values, xs.shape)
            if not ((xs > 0).all() and (ys > 0).all()):
                raise ValueError(f"log-log axes need positive numbers; {label!r} has {min(*xs, *ys)}")
            slope, height = np.polyfit(np.log(xs), np.log(ys), 1)
            axes.loglog(xs, ys, MARKERS[i], color=COLOURS[i], ms=7, label=label)
            axes.loglog(xs, np.exp(height) * xs**slope, ls=DASHES[i], color=COLOURS[i], lw=1)
            findings.append(f"{label}: fitted slope {slope:.2f} ({y} grows like {x}^{slope:.2f})")
        axes.set(xlabel=x, ylabel=y, xticks=xs, xticklabels=[f"{v:g}" for v in xs])
        axes.minorticks_off()
        axes.legend(frameon=False)
        _show(figure)
    print("\n".join(findings))


def plot_lines(
    xs: ArrayLike,
    curves: Mapping[str, ArrayLike],
    x: str,
    y: str,
    log_x: bool = False,
    log_y: bool = False,
    steps: bool = False,
) -> None:
    """xs (n,), {label: ys (n,)} -> one line for each label, or stairs; prints where each begins and ends.

    Raises ValueError unless each curve has one y for each x.
    """
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4))
        _draw_lines(axes, as_floats("xs", xs), curves, x, y, log_x)
        if log_y:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:g}")
        if steps:
            plt.setp(axes.lines, drawstyle="steps-mid")
        axes.legend(frameon=False)
        _show(figure)
    _print_ends(np.asarray(xs), curves, x, y)


def plot_panels(
    xs: ArrayLike, panels: Mapping[str, Mapping[str, ArrayLike]], x: str, log_x: bool = False
) -> None:
    """xs (n,), {quantity: {label: ys (n,)}} -> a panel for each quantity; prints where each line ends.

    Raises ValueError unless each curve has one y for each x.
    """
    with plt.rc_context(STYLE):
        figure, all_axes = plt.subplots(1, len(panels), figsize=(3.6 * len(panels), 3.6))
        for axes, (y, curves) in zip(all_axes, panels.items(), strict=True):
            _draw_lines(axes, as_floats("xs", xs), curves, x, y, log_x)
        handles, labels = all_axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
        _show(figure)
    for y, curves in panels.items():
        _print_ends(np.asarray(xs), curves, x, y)


def plot_bars(panels: Mapping[str, ArrayLike], labels: Sequence[str], y: str) -> None:
    """{title: (n,)}, n labels -> bars on one scale, three charts in a row; prints the largest of each.

    Raises ValueError where there is not one label for each bar.
    """
    bars = {title: _labelled(title, heights, (len(labels),)) for title, heights in panels.items()}
    columns = min(3, len(bars))
    rows = -(-len(bars) // columns)
    with plt.rc_context(STYLE):
        width = max(4.0, columns * (0.8 + 0.3 * len(labels)))
        figure, all_axes = plt.subplots(
            rows, columns, figsize=(width, 2.5 * rows), sharey=True, squeeze=False
        )
        for axes, (title, heights) in zip(all_axes.ravel(), bars.items(), strict=False):
            _draw_bars(axes, heights, labels, title)
        for axes in all_axes[:, 0]:
            axes.set_ylabel(y)
        _show(figure)
    for title, heights in bars.items():
        label = labels[int(heights.argmax())]
        print(f"{title}: largest {heights.max():.3f} ({label}), sum {heights.sum():.3f}")


def plot_transformer() -> None:
    """() -> the path of a sentence through a Transformer, with attention marked."""
    steps = ("tokens", "embeddings", "attention", "MLP", "logits", "softmax", "next token")
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(10, 2.1))
        for i, step in enumerate(steps):
            mine = step == "attention"
            box = {"boxstyle": "round,pad=0.5", "fc": "#CDE6F5" if mine else "0.95", "ec": COLOURS[0]}
            axes.text(
                i, 0, step, ha="center", va="center", weight="bold" if mine else "normal", size=9, bbox=box
            )
            if i:
                axes.text(i - 0.5, 0, "→", ha="center", va="center", size=14)
        axes.add_patch(plt.Rectangle((1.56, -0.8), 1.9, 1.6, fill=False, ls="--", ec="0.4"))
        note = (
            "one block, repeated many times; LayerNorm before each part,\n"
            "the input added back after each part"
        )
        axes.text(2.5, 0.95, note, ha="center", va="bottom", size=9)
        axes.set(xlim=(-0.6, len(steps) - 0.4), ylim=(-0.9, 2.0))
        axes.axis("off")
        _show(figure)
    position = steps.index("attention") + 1
    print(f"{' → '.join(steps)}. Attention is step {position} of {len(steps)}.")


def explore_d_k(seed: int = 0) -> None:
    """A slider over d_k: the weights of one query over 8 keys for no scale, ÷√d_k and ÷d_k."""
    _slider(lambda d_k: draw_d_k(d_k, seed), "d_k", [4, 8, 16, 32, 64, 128, 256, 512, 1024], 64)


def draw_d_k(d_k: int, seed: int = 0) -> None:
    """One frame of explore_d_k: three bar charts, and the largest weight of each."""
    query, keys = _random_query_and_keys(d_k, 8, seed)
    plot_bars(weights_by_scale(keys @ query, d_k), [f"key {i}" for i in range(8)], "weight")


def explore_temperature(scores: ArrayLike, labels: Sequence[str]) -> None:
    """A slider over the temperature: the weights that softmax(scores / temperature) gives."""
    options = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0]
    _slider(lambda temperature: draw_temperature(scores, labels, temperature), "temperature", options, 1.0)


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


def _random_query_and_keys(d_k: int, n_keys: int, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(d_k), rng.standard_normal((n_keys, d_k))


def _slider(draw: Callable[[Any], None], name: str, options: Sequence[float], start: float) -> None:
    import ipywidgets  # here, so that a lesson without a slider does not load it

    slider = ipywidgets.SelectionSlider(
        options=options,
        value=start,
        description=name,
        continuous_update=False,
        style={"description_width": "initial"},
    )
    ipywidgets.interact(lambda **chosen: draw(chosen[name]), **{name: slider})


def _draw_matrix(
    axes: Axes,
    matrix: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    decimals: int,
    sides: tuple[str, str],
    limits: tuple[float, float],
) -> None:
    colours = _colours_for(limits)
    low, high = colours.get_clim()
    axes.imshow(matrix, cmap=colours.cmap, vmin=low, vmax=high, aspect="auto")
    axes.set(xticks=range(len(columns)), yticks=range(len(rows)), title=title)
    axes.set(ylabel=sides[0], xlabel=sides[1])
    axes.set_xticklabels(columns)
    axes.set_yticklabels(rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for (i, j), number in np.ndenumerate(matrix):
        brightness = np.dot(colours.to_rgba(number)[:3], (0.21, 0.72, 0.07))
        ink = "black" if brightness > 0.45 else "white"
        axes.text(j, i, f"{number:.{decimals}f}", ha="center", va="center", color=ink, size=9)


def _colours_for(limits: tuple[float, float]) -> ScalarMappable:
    low, high = limits
    if low < 0 < high:  # numbers of both signs: white is 0
        widest = max(-low, high)
        return ScalarMappable(Normalize(-widest, widest), "PuOr")
    return ScalarMappable(Normalize(low, high), "cividis")


def _draw_lines(axes: Axes, xs: Array, curves: Mapping[str, ArrayLike], x: str, y: str, log_x: bool) -> None:
    for i, (label, values) in enumerate(curves.items()):
        ys = _labelled(label, values, xs.shape)
        every = max(1, len(xs) // 12)
        axes.plot(xs, ys, ls=DASHES[i], marker=MARKERS[i], markevery=every, color=COLOURS[i], label=label)
    axes.set(xlabel=x, ylabel=y)
    if log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    if log_x and len(xs) <= 12:
        axes.set_xticks(xs[::2], [f"{v:g}" for v in xs[::2]])
        axes.minorticks_off()


def _draw_bars(axes: Axes, heights: Array, labels: Sequence[str], title: str) -> None:
    axes.bar(range(len(labels)), heights, color=COLOURS[0])
    axes.set(xticks=range(len(labels)), title=title)
    axes.set_xticklabels(labels, rotation=60 if max(map(len, labels)) > 3 else 0)


def _print_ends(xs: Array, curves: Mapping[str, ArrayLike], x: str, y: str) -> None:
    for label, values in curves.items():
        ys = np.asarray(values)
        print(f"{y}, {label}: {ys[0]:.3g} at {x} {xs[0]:g}, {ys[-1]:.3g} at {x} {xs[-1]:g}")


def _labelled(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    array = as_floats(name, values)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, one entry for each label; got {array.shape}")
    return array


def _numbers(values: Array) -> str:
    return " ".join(f"{v:.2f}" for v in values)


def _show(figure: Figure) -> None:
    plt.show()
    plt.close(figure)

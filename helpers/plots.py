"""One function per kind of picture. Each draws, prints its finding in words, and returns None.

The finding is computed from the numbers that were drawn. Queries are always rows. Colours come from palettes
that colour-blind readers can tell apart (cividis; Okabe and Ito 2008); lines differ in marker and dash too.
The only module of the course that loads matplotlib.
"""

import gc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize, to_rgb
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from helpers.masking import Mask, causal_mask, mask_scores
from helpers.scaling import scale_scores
from helpers.softmax import entropy, softmax
from helpers.validation import Array, as_floats

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P")
GRID_COLOURS = (*COLOURS[:4], "#8B5A2B", COLOURS[5])  # brown: the two blues look alike where they are pale
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
    mask: ArrayLike | None = None,
) -> None:
    """(n_rows, n_columns), a label for each -> a table coloured by its numbers.

    `what` names the numbers ("scores", "weights"): it is the title and the word used in the printed finding.
    `sides` names the groups of rows and columns. Where `mask` (n_rows, n_columns) is False a cell is hatched;
    then the number of these and the sums are printed as well.
    Raises ValueError where the labels do not fit the matrix, or the mask does not.
    """
    matrix = _labelled("matrix", matrix, (len(rows), len(columns)))
    may_attend = np.ones(matrix.shape, dtype=bool) if mask is None else _boolean("mask", mask, columns)
    if may_attend.shape != matrix.shape:
        raise ValueError(f"mask must have the shape of the matrix, {matrix.shape}; got {may_attend.shape}")
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(1.6 + 0.62 * len(columns), 1.1 + 0.45 * len(rows)))
        limits = (matrix.min(), matrix.max())
        _draw_open(axes, matrix, may_attend, rows, columns, what, decimals, sides, limits, "0")
        _show(figure)
    row, column = divmod(int(matrix.argmax()), len(columns))
    largest = f"{matrix.max():.{decimals}f}"
    print(f"Largest of the {what}: {largest}, in row {rows[row]!r} and column {columns[column]!r}")
    if mask is not None:
        print(f"hidden: {(~may_attend).sum()} of {may_attend.size}")
        print(f"row sums {_numbers(matrix.sum(1))}, column sums {_numbers(matrix.sum(0))}")


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


def plot_arrows(
    vectors: ArrayLike, labels: Sequence[str], dimensions: tuple[str, str] = ("dimension 0", "dimension 1")
) -> None:
    """(n, 2), n labels -> arrows from the origin; prints each length, and its angle to the first arrow.

    `dimensions` names the two axes. Raises ValueError unless each vector has two entries, a length above 0,
    and one label.
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
        axes.set(xlabel=dimensions[0], ylabel=dimensions[1])
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


def plot_moves(
    start: str, place: ArrayLike, ends: Mapping[str, ArrayLike], landmarks: Mapping[str, ArrayLike]
) -> None:
    """A word, its (d,), three {label: (d,)} it moves to, {word: (d,)} -> arrows in the plane of the ends.

    Three points lie in one plane: its first axis runs from the first end to the second, its second axis at a
    right angle to that, towards the third. The start and the landmarks are drawn as their shadows in it.
    Prints how far each move goes, its share in the plane, and the landmark nearest in direction there, with
    its angle in the picture and in all d dimensions.
    Raises ValueError where shapes differ, unless there are three ends that do not lie on one line, or where
    the shadow of one falls on the start.
    """
    place = as_floats("place", place)
    away = {k: _labelled(k, v, place.shape) - place for k, v in {**ends, **landmarks}.items()}
    plane = _plane_through(np.array([away[label] for label in ends]))
    flat: dict[str, Any] = {label: move @ plane for label, move in away.items()}
    at_start = [label for label, shadow in flat.items() if not shadow.any()]
    if at_start:
        raise ValueError(f"{at_start} must lie away from {start!r} in the plane, to have a direction")
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 5))
        for word in landmarks:
            axes.plot(*flat[word], "o", color="0.45", ms=5, zorder=1)
            note = axes.annotate(word, flat[word], xytext=(0, 9), textcoords="offset points", color="0.3")
            note.set(ha="right" if flat[word][0] < 0 else "left", va="center")
        for i, label in enumerate(ends):
            arrow = {"arrowstyle": "-|>", "color": COLOURS[i], "lw": 2, "ls": DASHES[i], "shrinkA": 0}
            axes.annotate("", xy=flat[label], xytext=(0, 0), arrowprops={**arrow, "shrinkB": 0})
            x_way, y_way = flat[label] / np.linalg.norm(flat[label])
            beyond = (8 * x_way, 11 * y_way)
            note = axes.annotate(label, flat[label], xytext=beyond, textcoords="offset points")
            side = "center" if abs(x_way) < 0.5 else "left" if x_way > 0 else "right"
            note.set(color=COLOURS[i], weight="bold", ha=side, va="center")
        axes.plot(0, 0, "o", color="black", ms=8)
        axes.annotate(start, (0, 0), xytext=(7, -14), textcoords="offset points", weight="bold")
        axes.update_datalim(np.array([[0.0, 0.0], *flat.values()]))
        axes.margins(0.12)
        first, second, third = ends
        axes.set(aspect="equal", adjustable="datalim", xlabel=f"direction from “{first}” to “{second}”")
        axes.set_ylabel(f"at a right angle to it, towards “{third}”")
        _show(figure)
    for label in ends:
        angles = {word: _angle(flat[label], flat[word]) for word in landmarks}
        nearest = min(angles, key=lambda word: angles[word])
        length, really = np.linalg.norm(away[label]), _angle(away[label], away[nearest])
        share = np.linalg.norm(flat[label]) / length
        print(f"{label}: {start} moves by {length:.1f}, {share:.0%} of it in this plane")
        here = f"{angles[nearest]:.0f}° from {nearest} in this picture"
        print(f"  {here}, {really:.0f}° in all {place.size} dimensions")


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
    written_from: float = -np.inf,
    size: int = 9,
) -> None:
    """A coloured table; numbers below `written_from` are not written out."""
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
        if number < written_from:
            continue
        brightness = np.dot(colours.to_rgba(number)[:3], (0.21, 0.72, 0.07))
        ink = "black" if brightness > 0.45 else "white"
        axes.text(j, i, f"{number:.{decimals}f}", ha="center", va="center", color=ink, size=size)


def _draw_open(
    axes: Axes,
    matrix: Array,
    may_attend: Mask,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    decimals: int,
    sides: tuple[str, str],
    limits: tuple[float, float],
    hidden: str,
) -> None:
    """The matrix where it may be attended to; elsewhere white, hatched, with the text `hidden`."""
    open_only = np.where(may_attend, matrix, np.nan)
    _draw_matrix(axes, open_only, rows, columns, title, decimals, sides, limits)
    axes.patch.set(facecolor="white", hatch="////", edgecolor="0.82", linewidth=0)
    for text, is_open in zip(axes.texts, may_attend.ravel(), strict=True):
        if not is_open:
            text.set(text=hidden, color="0.25", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})


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


def _plane_through(points: Array) -> Array:
    """(3, d) -> (d, 2): two directions of length 1 at a right angle, from point 0 to 1 and towards 2."""
    if len(points) != 3:
        raise ValueError(f"a plane needs three ends; got {len(points)}")
    across, up = points[1] - points[0], points[2] - points[0]
    if np.linalg.matrix_rank(np.array([across, up])) < 2:
        raise ValueError("a plane needs three ends that do not lie on one line")
    across = across / np.linalg.norm(across)
    up = up - (up @ across) * across
    return np.stack([across, up / np.linalg.norm(up)], axis=1)


def _angle(one: Array, other: Array) -> float:
    cosine = one @ other / (np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def _numbers(values: Array) -> str:
    return " ".join(f"{v:.2f}" for v in values)


def plot_masks(masks: Mapping[str, ArrayLike], tokens: Sequence[Sequence[str]]) -> None:
    """{title: mask (n_queries, n_keys)}, the n_keys tokens of each -> tables: ✓ where a query may attend.

    The queries are the last n_queries of the tokens. Prints how many keys each query may attend to.
    Raises ValueError where the tokens do not fit a mask, TypeError unless it is of True and False.
    """
    drawn = {t: _boolean(t, m, words) for (t, m), words in zip(masks.items(), tokens, strict=True)}
    with plt.rc_context(STYLE):
        figure, all_axes = _tables([mask.shape for mask in drawn.values()], 3)
        for axes, (title, mask), words in zip(all_axes, drawn.items(), tokens, strict=True):
            _draw_marks(axes, mask, np.zeros_like(mask), words, title, ("queries", "keys"))
        _show(figure)
    for title, mask in drawn.items():
        counts = " ".join(str(n) for n in mask.sum(-1))
        print(f"{title}: of {mask.shape[1]} keys the queries may attend to {counts}")


def plot_influence(maps: Mapping[str, ArrayLike], tokens: Sequence[str]) -> None:
    """{title: (n, n), True where output i moves with token j} -> tables; a later token's cell is a leak.

    Prints the leaks. Raises ValueError where the n tokens do not fit, TypeError unless it is True and False.
    """
    drawn = {title: _boolean(title, moved, tokens) for title, moved in maps.items()}
    leaks = {title: moved & ~causal_mask(*moved.shape) for title, moved in drawn.items()}
    with plt.rc_context(STYLE):
        in_a_row = 3 if len(drawn) == 3 else 2
        figure, all_axes = _tables([moved.shape for moved in drawn.values()], in_a_row)
        for axes, (title, moved) in zip(all_axes, drawn.items(), strict=True):
            _draw_marks(axes, moved, leaks[title], tokens, title, ("outputs", "token changed"))
        _show(figure)
    for title, found in leaks.items():
        pairs = [f"output {tokens[i]!r} moves with {tokens[j]!r}" for i, j in np.argwhere(found)[:1]]
        print(f"{title}: {len(np.argwhere(found))} leaks{''.join(f'; the first: {pair}' for pair in pairs)}")


def plot_masking(scores: ArrayLike, mask: ArrayLike, tokens: Sequence[str]) -> None:
    """(n_queries, n_keys), a mask that broadcasts to it, n_keys tokens -> the masked scores and the weights.

    The queries are the last n_queries of the tokens. Prints how much is hidden, the row sums of the weights,
    and which queries have no key. Raises as mask_scores does, and ValueError where the tokens do not fit.
    """
    weights = softmax(mask_scores(scores, mask))
    scores = _labelled("scores", scores, (len(weights), len(tokens)))
    may_attend = np.broadcast_to(np.asarray(mask), scores.shape)
    rows = tokens[len(tokens) - len(scores) :]
    tables = {"masked scores": (scores, 3, "−∞"), "weights": (weights, 2, "0")}
    with plt.rc_context(STYLE):
        width, height = 2 * (1.3 + 0.6 * len(tokens)), 0.9 + 0.45 * len(scores)
        figure, all_axes = plt.subplots(1, 2, figsize=(width, height))
        for axes, (title, (table, decimals, hidden)) in zip(all_axes, tables.items(), strict=True):
            limits = (float(table.min()), float(table.max()))
            sides = ("queries", "keys")
            _draw_open(axes, table, may_attend, rows, tokens, title, decimals, sides, limits, hidden)
        _show(figure)
    print(f"hidden: {(~may_attend).sum()} of {may_attend.size} scores")
    print(f"row sums of the weights: {_numbers(weights.sum(-1))}")
    empty = [token for token, row in zip(rows, may_attend, strict=True) if not row.any()]
    print(f"no key is left for: {', '.join(empty)}" if empty else "every query has a key")


def explore_mask(scores: ArrayLike, tokens: Sequence[str]) -> None:
    """Check boxes, one for the causal mask and one for each key: the masked scores and the weights."""
    import ipywidgets  # here, so that a lesson without a control does not load it
    from IPython.display import display

    boxes = {
        name: ipywidgets.Checkbox(value=True, description=name, indent=False, layout={"width": "auto"})
        for name in ("causal mask", *(f"see {token}" for token in tokens))
    }
    names = list(boxes)

    def draw(**ticked: bool) -> None:
        draw_mask(scores, tokens, ticked[names[0]], [ticked[name] for name in names[1:]])

    output = ipywidgets.interactive_output(draw, boxes)
    display(ipywidgets.VBox([ipywidgets.HBox(list(boxes.values())), output]))


def draw_mask(scores: ArrayLike, tokens: Sequence[str], causal: bool, seen: Sequence[bool]) -> None:
    """One frame of explore_mask: the causal mask, if wanted, combined with the keys that may be seen."""
    mask = np.broadcast_to(np.asarray(seen, dtype=bool), np.shape(scores))
    plot_masking(scores, mask & causal_mask(*mask.shape) if causal else mask, tokens)
    hidden = [token for token, is_seen in zip(tokens, seen, strict=True) if not is_seen]
    print(f"causal mask {'on' if causal else 'off'}, hidden from all: {', '.join(hidden) or 'nothing'}")


def explore_corner(tokens: Sequence[str]) -> None:
    """A slider over the number of new tokens: the causal mask laid into two corners (lesson 08)."""
    _slider(lambda n_new: draw_corner(tokens, n_new), "new tokens", range(1, len(tokens) + 1), 1)


def draw_corner(tokens: Sequence[str], n_new: int) -> None:
    """One frame of explore_corner: the last n_new tokens are queries, all tokens are keys."""
    upper_left = np.tri(n_new, len(tokens), dtype=bool)
    lower_right = causal_mask(n_new, len(tokens))
    plot_masks({"upper left": upper_left, "lower right": lower_right}, [tokens, tokens])
    print("the two corners agree" if np.array_equal(upper_left, lower_right) else "the two corners differ")


def _boolean(name: str, mask: ArrayLike, tokens: Sequence[str]) -> Mask:
    mask = np.asarray(mask)
    if mask.dtype != np.bool_:
        raise TypeError(f"{name} must hold True and False; got dtype {mask.dtype}")
    _labelled(name, mask.astype(float), (len(mask), len(tokens)))
    return mask


def _tables(shapes: Sequence[tuple[int, ...]], most_in_a_row: int) -> tuple[Figure, list[Axes]]:
    """The shapes of some tables -> a figure with axes for each, at most so many side by side."""
    columns = min(most_in_a_row, len(shapes))
    lines = -(-len(shapes) // columns)
    tallest, widest = max(s[0] for s in shapes), max(s[1] for s in shapes)
    size = (columns * (1.1 + 0.4 * widest), lines * (1.1 + 0.32 * tallest))
    figure, all_axes = plt.subplots(lines, columns, figsize=size, squeeze=False)
    for axes in all_axes.ravel()[len(shapes) :]:
        axes.axis("off")
    return figure, list(all_axes.ravel()[: len(shapes)])


def _draw_marks(
    axes: Axes, marked: Mask, wrong: Mask, tokens: Sequence[str], title: str, sides: tuple[str, str]
) -> None:
    """✓ on blue where marked, ✗ on red where that is wrong, nothing elsewhere."""
    kinds = np.where(wrong, 2, marked.astype(int))
    axes.imshow(kinds, cmap=ListedColormap(["0.93", COLOURS[4], COLOURS[1]]), vmin=0, vmax=2, aspect="auto")
    axes.set(xticks=range(len(tokens)), yticks=range(len(marked)), title=title)
    axes.set(ylabel=sides[0], xlabel=sides[1])
    axes.set_xticklabels(tokens)
    axes.set_yticklabels(tokens[len(tokens) - len(marked) :])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for (i, j), kind in np.ndenumerate(kinds):
        axes.text(j, i, ("", "✓", "✗")[kind], ha="center", va="center", color="black", size=9)


def plot_grids(grids: Mapping[str, Any], tokens: Sequence[str], d_head: int) -> None:
    """{title: labels "token·column", (n, columns) or (n_heads, n, columns)} -> grids of coloured cells.

    Each label stands where its array has it. Its colour says the token, its shade the head to which the
    column belongs (d_head columns each). Prints the tokens and columns that each head, or row 0, holds.
    Raises ValueError for an array of another shape, or a label without one of the tokens.
    """
    drawn = {title: _label_blocks(title, labels, tokens) for title, labels in grids.items()}
    with plt.rc_context(STYLE):
        heights = [len(blocks[0]) + (1.2 if len(blocks) == 1 else 2) for blocks in drawn.values()]
        figure, all_axes = plt.subplots(
            len(drawn), 1, figsize=(9, 0.27 * sum(heights)), height_ratios=heights, squeeze=False
        )
        for axes, (title, blocks) in zip(all_axes[:, 0], drawn.items(), strict=True):
            _draw_label_blocks(axes, blocks, tokens, d_head)
            axes.set_title(title, loc="left", pad=6 if len(blocks) == 1 else 20)  # above the heads' names
        _show(figure)
    for title, blocks in drawn.items():
        if len(blocks) == 1:
            whole = sum(len({_parts(label)[0] for label in row}) == 1 for row in blocks[0])
            print(f"{title}: row 0 holds {_held(blocks[0][:1], tokens)};", end=" ")
            print(f"{whole} of {len(blocks[0])} rows hold one token")
        else:
            for head, block in enumerate(blocks):
                print(f"{title}: head {head} holds {_held(block, tokens)}")


def plot_heads(weights: ArrayLike, names: Sequence[str], tokens: Sequence[str]) -> None:
    """(n_heads, n, n), n_heads names, n tokens -> the weights of each head, side by side, in one colour map.

    Prints which token each query reads most in each head, and the smallest of these weights.
    Raises ValueError where the names or tokens do not fit.
    """
    weights = _labelled("weights", weights, (len(names), len(tokens), len(tokens)))
    with plt.rc_context(STYLE):
        width = len(names) * 0.46 * (len(tokens) + 0.6) + 0.8
        figure, all_axes = plt.subplots(1, len(names), figsize=(width, 1 + 0.4 * len(tokens)), squeeze=False)
        for axes, head, name in zip(all_axes[0], weights, names, strict=True):
            _draw_matrix(axes, head, tokens, tokens, name, 2, ("queries", "keys"), (0.0, 1.0))
        for axes in all_axes[0, 1:]:
            axes.set(yticks=[], ylabel="")
        _show(figure)
    for head, name in zip(weights, names, strict=True):
        reads = ", ".join(f"{t} → {tokens[int(row.argmax())]}" for t, row in zip(tokens, head, strict=True))
        least = np.floor(100 * head.max(axis=-1).min() + 1e-6) / 100  # rounded down: "or more" is kept
        print(f"{name}: {reads} (weight {least:.2f} or more)")


def explore_heads(weights: ArrayLike, names: Sequence[str], tokens: Sequence[str]) -> None:
    """A slider over the heads and a menu of query tokens: the head's map, and what the query reads in it."""
    import ipywidgets  # here, so that a lesson without a slider does not load it

    head = ipywidgets.SelectionSlider(
        options=[(name, i) for i, name in enumerate(names)],
        value=0,
        description="head",
        continuous_update=False,
        style={"description_width": "initial"},
    )
    query = ipywidgets.Dropdown(
        options=[(token, i) for i, token in enumerate(tokens)], value=2 % len(tokens), description="query"
    )
    ipywidgets.interact(
        lambda head, query: draw_head(weights, names, tokens, head, query), head=head, query=query
    )


def draw_head(weights: ArrayLike, names: Sequence[str], tokens: Sequence[str], head: int, query: int) -> None:
    """One frame of explore_heads: the map with the query's row marked, and that row as bars.

    Prints what the query reads, most first. Raises ValueError where the names or tokens do not fit.
    """
    chosen = _labelled("weights", weights, (len(names), len(tokens), len(tokens)))[head]
    sides, title = ("queries", "keys"), f"what {tokens[query]!r} reads"
    read = _draw_map_and_row(chosen, tokens, tokens, query, names[head], sides, title)
    print(f"{names[head]} head, query {tokens[query]!r} (token {query}) reads {read or 'nothing much'}")


def _label_blocks(title: str, labels: Any, tokens: Sequence[str]) -> list[Any]:
    """(n, columns) or (n_heads, n, columns) of labels -> a list of (n, columns), one for each head."""
    labels = np.asarray(labels)
    if labels.ndim not in (2, 3):
        raise ValueError(f"{title} must have shape (n, columns) or (n_heads, n, columns); got {labels.shape}")
    for label in labels.ravel():
        token, column = _parts(label)
        if token not in tokens or not column.isdecimal():
            raise ValueError(f"{title} must hold labels such as '{tokens[0]}·0'; got {str(label)!r}")
    return [labels] if labels.ndim == 2 else list(labels)


def _parts(label: str) -> tuple[str, str]:
    token, _, column = str(label).rpartition("·")
    return token, column


def _held(block: Any, tokens: Sequence[str]) -> str:
    """A grid of labels -> its columns and tokens in words."""
    parts = {_parts(label) for label in block.ravel()}
    columns = sorted({int(column) for _, column in parts})
    in_a_row = len(columns) > 1 and columns == list(range(columns[0], columns[-1] + 1))
    written = f"{columns[0]}–{columns[-1]}" if in_a_row else ", ".join(map(str, columns))
    held = [token for token in tokens if token in {token for token, _ in parts}]
    return f"columns {written} of {len(held)} token{'s' * (len(held) != 1)} ({' '.join(held)})"


def _draw_label_blocks(axes: Axes, blocks: Sequence[Any], tokens: Sequence[str], d_head: int) -> None:
    left = 0.0
    for head, block in enumerate(blocks):
        n, width = block.shape
        colours = np.array([[_shade(label, tokens, d_head) for label in row] for row in block])
        axes.imshow(colours, extent=(left, left + width, n, 0), aspect="auto", interpolation="nearest")
        axes.hlines(np.arange(1, n), left, left + width, color="white", lw=1)
        axes.vlines(left + np.arange(1, width), 0, n, color="white", lw=1)
        for (i, j), label in np.ndenumerate(block):
            axes.text(left + j + 0.5, i + 0.5, label, ha="center", va="center", size=8)
        name = f"head {head}" if len(blocks) > 1 else ""
        axes.text(left + width / 2, -0.15, name, ha="center", va="bottom", weight="bold", size=9)
        left += width + 0.5
    axes.set(xlim=(0, left - 0.5), ylim=(len(blocks[0]), 0), xticks=[])
    axes.set_yticks(np.arange(len(blocks[0])) + 0.5, [f"row {i}" for i in range(len(blocks[0]))])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _shade(label: str, tokens: Sequence[str], d_head: int) -> tuple[float, ...]:
    """A label -> the colour of its token, the paler the further its head."""
    token, column = _parts(label)
    strength = (0.75, 0.45, 0.2)[int(column) // d_head % 3]
    colour = np.array(to_rgb(GRID_COLOURS[list(tokens).index(token) % len(GRID_COLOURS)]))
    return tuple(1 - strength * (1 - colour))


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
        _labelled("weights", w, (len(out), len(source)))
        for source, out, w in zip(sources, written, weights, strict=True)
    ]
    wide = max(map(len, sources)) > 12
    with plt.rc_context(STYLE):
        longest = max(len(symbol) for source in sources for symbol in source)
        figure, all_axes = _map_axes([w.shape for w in drawn], wide, 0.46 if longest < 4 else 0.75)
        for axes, source, out, w in zip(all_axes, sources, written, drawn, strict=True):
            rows, columns = _visible(out), _visible(source)
            title, (least, size) = _as_text(source), (0.095, 7) if wide else (-np.inf, 8)
            _draw_matrix(axes, w, rows, columns, title, 2, sides, (0.0, 1.0), least, size)
        for axes in all_axes[1:]:
            axes.set_ylabel("" if not wide else sides[0])
        _show(figure)
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
    weights = _labelled("weights", weights, (len(written), len(source)))
    title = f"{_as_text(source)} → {_as_text(written)}"
    sides = ("writes next (queries)", "read (keys)")
    symbol = written[place]
    read = _draw_map_and_row(
        weights, _visible(written), _visible(source), place, title, sides, f"what {symbol!r} reads"
    )
    print(f"{title}: symbol {place + 1}, {symbol!r}, reads {read or 'nothing much'}")


def plot_grid_readings(image: ArrayLike, readings: Mapping[str, ArrayLike]) -> None:
    """An image of 3 × 3 cells (24, 24), {title: weights (9,)} -> the image, and the weights of its cells.

    Each reading has its own scale of colours. Prints for each the cells with the largest and the smallest
    weight, counted from 0, row by row.
    Raises ValueError unless the image can be cut into 3 × 3 cells and there are 9 weights.
    """
    image = as_floats("image", image)
    drawn = {title: _labelled(title, w, (9,)) for title, w in readings.items()}
    if image.ndim != 2 or image.shape[0] % 3 or image.shape[1] % 3:
        raise ValueError(f"image must have 3 × 3 cells of one size; got shape {image.shape}")
    names = ["0", "1", "2"]
    with plt.rc_context(STYLE):
        n = 1 + len(drawn)
        figure, (left, *others) = plt.subplots(1, n, figsize=(2.9 * n, 2.9))
        height, width = image.shape
        left.imshow(image, cmap="gray_r", aspect="auto", extent=(-0.5, 2.5, 2.5, -0.5))
        for line in (0.5, 1.5):
            left.axhline(line, color=COLOURS[0], lw=1)
            left.axvline(line, color=COLOURS[0], lw=1)
        left.set(xticks=range(3), yticks=range(3), title=f"image ({height}, {width})")
        left.set(xlabel="column of cells", ylabel="row of cells")
        left.tick_params(length=0)
        for axes, (title, w) in zip(others, drawn.items(), strict=True):
            sides = ("row of cells", "column of cells")
            scale = f"{title}\ncolours from 0 to {w.max():.2f}"
            _draw_matrix(axes, w.reshape(3, 3), names, names, scale, 2, sides, (0.0, float(w.max())))
        _show(figure)
    for title, w in drawn.items():
        most, least = int(w.argmax()), int(w.argmin())
        ends = f"largest weight {w[most]:.2f} on cell {most}, smallest {w[least]:.2f} on cell {least}"
        print(f"{title}: {ends}")


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


def _draw_map_and_row(
    weights: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    row: int,
    title: str,
    sides: tuple[str, str],
    row_title: str,
) -> str:
    """A map with one row marked, and that row as bars -> what the row reads, most first."""
    with plt.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 1.2 + 0.4 * len(rows)))
        _draw_matrix(left, weights, rows, columns, title, 2, sides, (0.0, 1.0))
        corner, ink = (-0.5, row - 0.5), COLOURS[1]
        left.add_patch(plt.Rectangle(corner, len(columns), 1, fill=False, ec=ink, lw=3, clip_on=False))
        _draw_bars(right, weights[row], columns, row_title)
        right.set(ylim=(0, 1), ylabel="weight")
        _show(figure)
    most = [j for j in np.argsort(-weights[row], kind="stable") if weights[row, j] >= 0.05]
    return ", ".join(f"{columns[j]} {weights[row, j]:.2f}" for j in most)


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


def _show(figure: Figure) -> None:
    plt.show()
    plt.close(figure)
    gc.collect()  # a figure's parts point at each other; left alone, many wait in memory

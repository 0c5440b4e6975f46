"""One number against another: lines, slopes, histograms, clouds, predictions; changes with errors."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from helpers.plots import canvas
from helpers.validation import Array, as_floats


def plot_cloud(points: Mapping[str, tuple[Array, Array]], x: str, y: str, names: Mapping[str, Any]) -> None:
    """{group: (xs, ys)} -> a scatter plot, xs on a log axis, with its medians; `names` are written in it.

    names: {word: (x, y)}.
    """
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4))
        for i, (group, (xs, ys)) in enumerate(points.items()):
            axes.semilogx(xs, ys, ".", ms=2.5, color=("0.6", *canvas.COLOURS)[i], label=group, zorder=1)
            middle_xs, medians = _medians(xs, ys)
            axes.plot(middle_xs, medians, color=canvas.COLOURS[0], lw=2, zorder=2)
            begin = middle_xs[0], medians[0]
            note = axes.annotate("median", begin, xytext=(0, -4), textcoords="offset points", va="top")
            note.set(color=canvas.COLOURS[0], weight="bold", zorder=4)
        axes.xaxis.set_major_formatter("{x:g}")
        middle = np.sqrt(np.prod(axes.get_xlim()))
        for word, place in names.items():
            axes.plot(*place, canvas.MARKERS[0], color=canvas.COLOURS[1], ms=6, zorder=3)
            side, shift = ("right", -6) if place[0] > 10 * middle else ("left", 6)
            note = axes.annotate(word, place, xytext=(shift, 5), textcoords="offset points", weight="bold")
            note.set(ha=side, zorder=4)
        axes.set(xlabel=x, ylabel=y)
        canvas.show(figure)
    for group, (xs, ys) in points.items():
        correlation = np.corrcoef(np.log10(xs), ys)[0, 1]
        print(f"Correlation of log10({x}) with {y}, over {len(xs)} {group}: {correlation:.2f}")


def _medians(xs: Array, ys: Array) -> tuple[Array, Array]:
    """Points -> the median of ys in eight equal stretches of log(xs), and the middle of each stretch."""
    edges = np.geomspace(xs.min(), xs.max(), 9)
    stretch = np.clip(np.searchsorted(edges, xs, side="right") - 1, 0, 7)
    filled = np.unique(stretch)
    medians = np.array([np.median(ys[stretch == each]) for each in filled])
    return np.sqrt(edges[filled] * edges[filled + 1]), medians


def plot_spreads(samples: Mapping[int, Array], what: str) -> None:
    """{d_k: scores of any shape} -> one histogram for each d_k, on one axis of scores, with its spread."""
    widest = 3.5 * max(float(scores.std()) for scores in samples.values())  # 1 score in 2,000 lies beyond
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(len(samples), 1, figsize=(7, 1.15 * len(samples) + 0.6), sharex=True)
        for axes, (d_k, scores) in zip(all_axes, samples.items(), strict=True):
            heights, edges = np.histogram(scores, bins=np.linspace(-widest, widest, 281))
            axes.stairs(heights, edges, color=canvas.COLOURS[0], fill=True)
            _mark_spread(axes, float(scores.std()), float(heights.max()))
            axes.set(yticks=[], xlim=(-widest, widest))
            axes.set_ylabel(f"d_k {d_k}", rotation=0, ha="right", va="center")
            axes.spines["left"].set_visible(False)
        all_axes[-1].set_xlabel(f"{what}; the bar spans one spread to either side of 0")
        canvas.show(figure)
    for d_k, scores in samples.items():
        print(f"d_k {d_k:4}: spread (standard deviation) of the {what} {scores.std():.1f}")


def _mark_spread(axes: Axes, spread: float, top: float) -> None:
    axes.errorbar(0, 1.18 * top, xerr=spread, color="black", capsize=4, lw=1.5)
    note = axes.annotate(f"± {spread:.1f}", (spread, 1.18 * top), xytext=(7, 0), textcoords="offset points")
    note.set(va="center", weight="bold")
    axes.set_ylim(0, 1.4 * top)


def plot_power(xs: ArrayLike, curves: Mapping[str, ArrayLike], x: str, y: str) -> None:
    """xs (n,), {label: ys (n,)} -> points and fitted lines on log-log axes; prints each slope.

    Raises ValueError unless all numbers are positive and each curve has a y for each x.
    """
    xs = as_floats("xs", xs)
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6, 4))
        findings = []
        for i, (label, values) in enumerate(curves.items()):
            ys = canvas.labelled(label, values, xs.shape)
            if not ((xs > 0).all() and (ys > 0).all()):
                raise ValueError(f"log-log axes need positive numbers; {label!r} has {min(*xs, *ys)}")
            slope, height = np.polyfit(np.log(xs), np.log(ys), 1)
            axes.loglog(xs, ys, canvas.MARKERS[i], color=canvas.COLOURS[i], ms=7, label=label)
            axes.loglog(xs, np.exp(height) * xs**slope, ls=canvas.DASHES[i], color=canvas.COLOURS[i], lw=1)
            findings.append(f"{label}: fitted slope {slope:.2f} ({y} grows like {x}^{slope:.2f})")
        axes.set(xlabel=x, ylabel=y, xticks=xs, xticklabels=[f"{v:g}" for v in xs])
        low, high = axes.get_ylim()
        if high / low < 200:  # else the powers of ten are enough
            doublings = 2.0 ** np.arange(np.ceil(np.log2(low)), np.log2(high))
            axes.set_yticks(doublings, [f"{tick:g}" for tick in doublings])
        axes.minorticks_off()
        axes.legend(frameon=False)
        canvas.show(figure)
    print("\n".join(findings))


def plot_lines(
    xs: ArrayLike,
    curves: Mapping[str, ArrayLike],
    x: str,
    y: str,
    log_x: bool = False,
    log_y: bool = False,
    steps: bool = False,
    marks: Mapping[str, tuple[float, float]] | None = None,
    points: bool = False,
) -> None:
    """xs (n,), {label: ys (n,)} -> a line for each label, or stairs, or points alone.

    Prints where each begins and ends.
    marks: {words: (x, y)}, a circle round this point and the words below it; printed, too.
    Raises ValueError unless each curve has one y for each x.
    """
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4))
        _draw_lines(axes, as_floats("xs", xs), curves, x, y, log_x)
        if log_x and np.size(xs) <= 12:  # one wide figure has room for each
            axes.set_xticks(xs, [f"{v:,g}" for v in np.asarray(xs)])
        if log_y:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:,g}")
        if steps:
            plt.setp(axes.lines, drawstyle="steps-mid")
        if points:  # nothing was measured between them
            plt.setp(axes.lines, linestyle="none")
        for words, place in (marks or {}).items():
            axes.plot(*place, "o", ms=12, mfc="none", mec="black", mew=1.5, zorder=4)
            note = axes.annotate(words, place, xytext=(0, -10), textcoords="offset points")
            note.set(ha="center", va="top", zorder=4)
        if marks:  # room for words below the lowest
            low, high = axes.get_ylim()
            axes.set_ylim(bottom=low * (low / high) ** 0.08 if log_y else low - 0.08 * (high - low))
        axes.legend(frameon=False)
        canvas.show(figure)
    _print_ends(np.asarray(xs), curves, x, y)
    for words, place in (marks or {}).items():
        print(f"marked: {words} ({place[1]:.3g} at {x} {place[0]:,g})")


def plot_panels(
    xs: ArrayLike, panels: Mapping[str, Mapping[str, ArrayLike]], x: str, log_x: bool = False
) -> None:
    """xs (n,), {quantity: {label: ys (n,)}} -> a panel for each quantity; prints where each line ends.

    Raises ValueError unless each curve has one y for each x.
    """
    with plt.rc_context(canvas.STYLE):
        width = 3.6 * len(panels) if len(panels) > 1 else 6.5
        figure, grid = plt.subplots(1, len(panels), figsize=(width, 3.6), squeeze=False)
        all_axes = grid[0]
        for axes, (y, curves) in zip(all_axes, panels.items(), strict=True):
            _draw_lines(axes, as_floats("xs", xs), curves, x, y, log_x)
            if min(np.min(ys) for ys in curves.values()) >= 0:
                axes.set_ylim(bottom=0)  # or a small difference looks like a large one
        handles, labels = all_axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
        canvas.show(figure)
    for y, curves in panels.items():
        _print_ends(np.asarray(xs), curves, x, y)


def plot_predicted(groups: Mapping[str, tuple[ArrayLike, ArrayLike]], runs: Sequence[str], unit: str) -> None:
    """{group: (n,) predicted, (n,) measured}, n runs, their unit -> points, both axes logarithmic.

    On the diagonal a prediction is right; below it less was measured. A dotted line joins a run's points, and
    its name stands beside the lowest. Prints the range of measured / predicted for each group.
    Raises ValueError unless each group has both numbers for each run, all above 0.
    """
    drawn = {}
    for group, pair in groups.items():
        predicted, measured = (canvas.labelled(group, numbers, (len(runs),)) for numbers in pair)
        if not ((predicted > 0).all() and (measured > 0).all()):
            raise ValueError(f"logarithmic axes need numbers above 0; {group!r} has {predicted}, {measured}")
        drawn[group] = predicted, measured
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(7.2, 4.8))
        for i, (group, pair) in enumerate(drawn.items()):
            axes.loglog(*pair, **{**canvas.look(i), "ls": ""}, ms=7, label=group)
        for i, run in enumerate(runs):
            of_run = np.array(sorted((predicted[i], measured[i]) for predicted, measured in drawn.values()))
            axes.loglog(*of_run.T, ls=":", color="0.5", lw=1, zorder=1)
            parts = [measured[i] / predicted[i] for predicted, measured in drawn.values()]
            predicted, measured = list(drawn.values())[int(np.argmin(parts))]
            place = predicted[i], measured[i]
            axes.annotate(run, place, xytext=(9, -3), textcoords="offset points", size=9, va="top")
        numbers = np.concatenate([np.concatenate(pair) for pair in drawn.values()])
        _draw_diagonal(axes, numbers.min() / 1.3, numbers.max() * 1.3)
        axes.set(xlabel=f"{unit}, predicted", ylabel=f"{unit}, measured")
        axes.legend(frameon=False, loc="upper left")
        canvas.show(figure)
    for group, (predicted, measured) in drawn.items():
        least, most = np.min(measured / predicted), np.max(measured / predicted)
        print(f"{group}: measured {least:.0%} to {most:.0%} of what was predicted")


def _draw_diagonal(axes: Axes, low: float, high: float) -> None:
    """The line on which y is x, from `low` to `high`, with room for words on its right; 1, 2, 5 as ticks."""
    axes.plot((low, high), (low, high), color="0.5", lw=1, label="as predicted", zorder=1)
    powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.log10(2.5 * high))
    ticks = [tick for power in powers for tick in (power, 2 * power, 5 * power)]
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set(xlim=(low, 2.5 * high), ylim=(low, high), aspect="equal")
    said = axes.text(0.98, 0.02, "below the line: less than predicted", transform=axes.transAxes, size=9)
    said.set(ha="right", va="bottom", style="italic", color="0.3")


def plot_changes(names: Sequence[str], kinds: Mapping[str, ArrayLike], y: str) -> None:
    """n names, {kind: (n, n_samples) changes} -> a bar for each name and kind: the mean, with its error.

    The error is the standard error over the samples. Prints both for each name.
    Raises ValueError unless there are a name and a kind, and each kind has a row for each name, all with the
    same samples, 2 or more.
    """
    if not names or not kinds:
        raise ValueError(f"bars need a name and a kind; got names {list(names)}, kinds {list(kinds)}")
    drawn = {kind: as_floats(kind, changes) for kind, changes in kinds.items()}
    n_samples = next(iter(drawn.values())).shape[-1]
    if n_samples < 2:
        raise ValueError(f"an error needs two samples or more; got {n_samples}")
    found = {}
    for kind, changes in drawn.items():
        of_kind = canvas.labelled(kind, changes, (len(names), n_samples))
        found[kind] = of_kind.mean(axis=1), of_kind.std(axis=1, ddof=1) / np.sqrt(n_samples)
    width = 0.8 / len(found)
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(max(5.0, 0.95 * len(names)), 3.6))
        axes.axhline(0, color="black", lw=0.8)
        for i, (kind, (means, errors)) in enumerate(found.items()):
            places = np.arange(len(names)) + (i - (len(found) - 1) / 2) * width
            hatch, colour = ("", "//", "..")[i % 3], canvas.COLOURS[i]
            axes.bar(places, means, width, label=kind, color=colour, hatch=hatch, edgecolor="white")
            axes.errorbar(places, means, errors, color="black", ls="", capsize=3, lw=1.2)
        axes.set_xticks(range(len(names)), names)
        axes.set_ylabel(y)
        axes.legend(frameon=False)
        canvas.show(figure)
    for row, name in enumerate(names):
        told = (f"{kind} {means[row]:+.2f} ± {errors[row]:.2f}" for kind, (means, errors) in found.items())
        print(f"{' '.join(name.split())}: {', '.join(told)}")


def plot_held(sizes: ArrayLike, mib: Mapping[str, ArrayLike], beyond: str = "the output") -> None:
    """(n,) sizes, {label: (n,) MiB held} -> one line for each label against n, both axes logarithmic.

    `beyond` says what was held as well and is not counted. Prints where each begins and ends.
    Raises ValueError unless each has one number for each size, and all are above 0.
    """
    sizes = as_floats("sizes", sizes)
    for label, held in {"sizes": sizes, **mib}.items():
        if not (np.asarray(held) > 0).all():
            raise ValueError(f"{label} must be above 0, for a logarithmic axis; got {held}")
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4))
        _draw_lines(axes, sizes, mib, "n", f"MiB held beyond {beyond}", True)
        axes.set_xticks(sizes, [f"{n:,.0f}" for n in sizes])
        powers = np.log10([np.asarray(held) for held in mib.values()])
        ticks = 10.0 ** np.arange(np.floor(powers.min()), np.ceil(powers.max()) + 1)
        axes.set_yscale("log")
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.legend(frameon=False)
        canvas.show(figure)
    _print_ends(sizes, mib, "n", "MiB")


def _draw_lines(axes: Axes, xs: Array, curves: Mapping[str, ArrayLike], x: str, y: str, log_x: bool) -> None:
    for i, (label, values) in enumerate(curves.items()):
        ys = canvas.labelled(label, values, xs.shape)
        every = max(1, len(xs) // 12)
        axes.plot(xs, ys, markevery=every, label=label, **canvas.look(i))
    axes.set(xlabel=x, ylabel=y)
    if log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    if log_x and len(xs) <= 12:
        shown = xs if len(xs) <= 6 else xs[::2]  # more labels than these would meet
        axes.set_xticks(shown, [f"{v:g}" for v in shown])
        axes.minorticks_off()


def _print_ends(xs: Array, curves: Mapping[str, ArrayLike], x: str, y: str) -> None:
    for label, values in curves.items():
        ys = np.asarray(values)
        first, last = (f"{end:.3g}" if abs(end) < 1e3 else f"{end:,.0f}" for end in (ys[0], ys[-1]))
        print(f"{y}, {label}: {first} at {x} {xs[0]:g}, {last} at {x} {xs[-1]:g}")

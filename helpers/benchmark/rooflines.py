"""Rooflines from data sheets: what a GPU could do at most, and published speeds below it.

Nothing here was measured by this course. Ceilings from a data sheet are drawn dashed, measured ones (see
plots.plot_roofline) as a whole line. All numbers come from data/gpus.toml, which names their sources.
"""

from collections.abc import Iterable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from helpers.benchmark import report
from helpers.datasets import Gpu, Published
from helpers.plots import canvas
from helpers.validation import Array

TWO_BYTES = 2


def bound(gpu: Gpu, intensity: float) -> float:
    """A GPU, operations a byte -> the operations a second that its data sheet allows there."""
    return min(gpu.operations, gpu.bytes_a_second * intensity)


def readable_intensity(n: int, width: int, itemsize: int = TWO_BYTES) -> float:
    """n, a head's width, bytes a number -> operations a byte where n × n tables are written and read.

    4·n²·d operations; 4·n·d numbers of rows, and 4·n² of tables, each written once and read once. It never
    reaches width / itemsize.
    """
    return n * width / (itemsize * (n + width))


def fused_intensity(n: int, itemsize: int = TWO_BYTES) -> float:
    """n, bytes a number -> operations a byte where only rows are moved: n / itemsize, whatever the width."""
    return n / itemsize


def plot_data_sheets(gpus: Iterable[Gpu], limit: float) -> None:
    """GPUs, operations a byte -> their roofs, dashed, and where each is met at the limit.

    Prints for each GPU its ceilings, its corner, and what is left of its peak at the limit.
    """
    gpus = list(gpus)
    xs = np.array([2.0, 4096.0])
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        axes.axvline(limit, color="0.6", lw=1)
        axes.annotate(
            f"{limit:g} operations a byte", (limit, 1.2e12), (4, 0), textcoords="offset points", size=9
        )
        for i, gpu in enumerate(gpus):
            _draw_roof(axes, gpu, xs, i)
            # Hollow: a T4 and an L4 are nearly at the same height.
            axes.plot(limit, bound(gpu, limit), canvas.MARKERS[i], color=canvas.COLOURS[i], ms=7, mfc="none")
        _label(axes, "the most operations a second")
        axes.set(title="What data sheets allow, in 2 bytes a number", ylim=(1e12, 5e15))
        axes.legend(frameon=False, loc="upper left")
        canvas.show(figure)
    print("From data sheets, not measured:")
    for gpu in gpus:
        top = report.per_second(gpu.operations, "FLOP/s"), report.per_second(gpu.bytes_a_second, "bytes/s")
        left = bound(gpu, limit)
        print(f"{gpu.name}: {top[0]}, {top[1]}, corner at {gpu.corner:.0f} operations a byte;", end=" ")
        print(f"at {limit:g}: {report.per_second(left, 'FLOP/s')}, {left / gpu.operations:.0%} of its peak")


def plot_published(gpu: Gpu, published: Mapping[str, Published]) -> None:
    """A GPU, published speeds by implementation -> each against operations a byte, below the GPU's roof.

    "standard" is the form with tables. Prints for each what it reaches at its largest n, and how much of the
    roof over it that is.
    """
    points = {name: _points(one) for name, one in published.items()}
    xs = np.array([8.0, 1.5 * max(x.max() for x, _ in points.values())])
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        roof = np.array([xs[0], gpu.corner, xs[1]])
        heights = [bound(gpu, x) for x in roof]
        axes.loglog(roof, heights, "--", color="black", lw=1.5, label=f"{gpu.name}, data sheet")
        axes.annotate("memory-bound", (60, 0.55 * bound(gpu, 60)), size=9)
        axes.annotate("compute-bound", (1.2 * gpu.corner, 1.12 * gpu.operations), size=9)
        for i, (name, (x, y)) in enumerate(points.items()):
            axes.loglog(x, y, lw=1, ms=6, mfc="none", label=name, **canvas.look(i))  # hollow: some coincide
        _label(axes, "operations a second, published")
        one = next(iter(published.values()))
        _name_lengths(axes, points["standard"], published["standard"].ns, (10, -4), "left")
        fused = min((name for name in points if name != "standard"), key=lambda name: points[name][1].max())
        _name_lengths(axes, points[fused], published[fused].ns, (0, -16), "center")
        form = "causal" if one.causal else "full"
        axes.set(title=f"{one.gpu}, {form}, d {one.width}, forward: from a paper", ylim=(1e13, 3e15))
        axes.legend(frameon=False, loc="lower right", fontsize=9)
        canvas.show(figure)
    print(f"Published for an {one.gpu}, {form}, width {one.width}, 2 bytes a number; not measured here:")
    for name, (x, y) in points.items():
        n, roof_there = published[name].ns[-1], bound(gpu, x[-1])
        print(
            f"{name}: {x[-1]:.0f} operations a byte at n {n:,}, {report.per_second(y[-1], 'FLOP/s')},",
            end=" ",
        )
        over = report.per_second(roof_there, "FLOP/s")
        print(
            f"{y[-1] / roof_there:.0%} of the roof there ({over}), {y[-1] / gpu.operations:.0%} of the peak"
        )


def _name_lengths(
    axes: Axes, points: tuple[Array, Array], ns: Sequence[int], shift: tuple[int, int], side: str
) -> None:
    """Points, their n, where the words go -> the first and the last n beside their points."""
    for place in (0, -1):
        words, point = f"n {ns[place]:,}", (points[0][place], points[1][place])
        axes.annotate(words, point, shift, textcoords="offset points", size=8, ha=side)


def _points(one: Published) -> tuple[Array, Array]:
    """Operations a byte and a second at each n. Causal: half of the operations count, and all the bytes."""
    counted = [
        readable_intensity(n, one.width) if one.implementation == "standard" else fused_intensity(n)
        for n in one.ns
    ]
    return np.array(counted) / (2 if one.causal else 1), np.array(one.rates)


def _draw_roof(axes: Axes, gpu: Gpu, xs: Array, i: int) -> None:
    corners = np.array([xs[0], gpu.corner, xs[1]])
    heights = [bound(gpu, x) for x in corners]
    axes.loglog(corners, heights, "--", color=canvas.COLOURS[i], lw=1.5)
    axes.plot(gpu.corner, gpu.operations, canvas.MARKERS[i], color=canvas.COLOURS[i], ms=6, label=gpu.name)


def _label(axes: Axes, what: str) -> None:
    axes.set(xlabel="operations a byte, counted", ylabel=what)
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_major_formatter(
        lambda y, _: report.per_second(y, "FLOP/s").replace(".0 ", " ").replace(".00 ", " ")
    )
    axes.yaxis.set_minor_formatter(NullFormatter())

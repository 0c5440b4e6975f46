"""What positions do to a score, and how far a model can read (lesson 10)."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle
from numpy.typing import ArrayLike

from helpers.plots import canvas
from helpers.validation import Array, as_floats, require_finite


def plot_by_distance(apart: ArrayLike, panels: Mapping[str, Mapping[str, ArrayLike]], y: str) -> None:
    """(n,) distances, {title: {label: (n,)}} -> a panel each, on axes of their own, of scores by distance.

    Prints the highest point of each line and its last. Raises ValueError unless each line has a number for
    each distance.
    """
    apart = as_floats("apart", apart)
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(rows, columns, figsize=(3.3 * columns, 2.7 * rows), squeeze=False)
        for axes in all_axes.ravel()[len(panels) :]:
            axes.set_axis_off()
        for axes, (title, lines) in zip(all_axes.ravel(), panels.items(), strict=False):
            _draw_by_distance(axes, apart, title, lines)
        for axes in all_axes[-1]:
            axes.set_xlabel("distance: places back")
        for axes in all_axes[:, 0]:
            axes.set_ylabel(y)
        canvas.show(figure)
    for title, lines in panels.items():
        for label, values in lines.items():
            ys = np.asarray(values)
            name = f"{title}, {label}" if len(lines) > 1 else title
            top = f"highest {ys.max() + 0.0:.2f} at distance {apart[ys.argmax()]:g}"  # + 0 turns −0 into 0
            print(f"{name}: {top}; {ys[-1]:.2f} at distance {apart[-1]:g}")


def _draw_by_distance(axes: Axes, apart: Array, title: str, lines: Mapping[str, ArrayLike]) -> None:
    for i, (label, values) in enumerate(lines.items()):
        ys = canvas.labelled(label, values, apart.shape)
        axes.plot(apart, ys, color=canvas.COLOURS[i], ls=canvas.DASHES[i], lw=1.5, label=label)
    axes.set_title(title)
    if all(np.ptp(values) == 0 for values in lines.values()):
        axes.set_ylim(-1, 1)  # or a flat line gets an axis of hundredths
    if len(lines) > 1:
        axes.legend(frameon=False, fontsize=8)


def plot_turns(pairs: Mapping[str, ArrayLike], at: Sequence[int]) -> None:
    """{label: (n, 2)} pairs of entries, their n positions -> each pair as an arrow from 0, a panel a label.

    Prints the angle of each arrow, in degrees. Raises ValueError unless each label has a pair for each
    position.
    """
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(1, len(pairs), figsize=(2.9 * len(pairs), 3.0), squeeze=False)
        for axes, (label, arrows) in zip(all_axes[0], pairs.items(), strict=True):
            _draw_turns(axes, label, canvas.labelled(label, arrows, (len(at), 2)), at)
        canvas.show(figure)
    for label, arrows in pairs.items():
        x, y = np.asarray(arrows, dtype=float).T
        degrees = np.degrees(np.unwrap(np.arctan2(y, x)))
        told = ", ".join(f"{angle:.0f}°" for angle in degrees)
        print(f"{label}: at positions {', '.join(map(str, at))} it points to {told}")


def _draw_turns(axes: Axes, label: str, arrows: Array, at: Sequence[int]) -> None:
    reach = 1.25 * float(np.linalg.norm(arrows, axis=-1).max())
    axes.add_patch(Circle((0, 0), reach / 1.25, fill=False, color="0.8"))
    for i, ((x, y), position) in enumerate(zip(arrows, at, strict=True)):
        colour = canvas.COLOURS[i % len(canvas.COLOURS)]
        axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.6})
        axes.text(1.13 * x, 1.13 * y, str(position), color=colour, ha="center", va="center")
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[], yticks=[], title=label)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def plot_lengths(
    losses: Mapping[str, Sequence[Sequence[float]]], stretch: int, trained: int, clueless: float
) -> None:
    """{kind: losses of each start, by stretches} -> a panel a kind, a line a start, by place in the text.

    A dashed line where training ended, a dotted one at the loss of a model that knows nothing. Prints what
    the starts have on average just before the dashed line, just after it and at the end.
    Raises ValueError for a loss that is not finite.
    """
    columns = 3
    rows = -(-len(losses) // columns)
    ends = [stretch * len(starts[0]) for starts in losses.values()]
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(
            rows, columns, figsize=(3.2 * columns, 2.5 * rows), sharex=True, sharey=True, squeeze=False
        )
        for axes in all_axes.ravel()[len(losses) :]:
            axes.set_axis_off()
        for axes, (kind, starts) in zip(all_axes.ravel(), losses.items(), strict=False):
            _draw_lengths(axes, kind, starts, stretch)
            axes.axvline(trained, color="0.4", ls="--", lw=1)
            axes.axhline(clueless, color="0.4", ls=":", lw=1)
        all_axes[0, 0].set(ylim=(0, None), xlim=(0, max(ends)))
        for axes in all_axes[-1]:
            axes.set_xlabel("place in the text")
        for axes in all_axes[:, 0]:
            axes.set_ylabel("loss")
        canvas.show(figure)
    for kind, starts in losses.items():
        _print_lengths(kind, np.mean(starts, axis=0), stretch, trained)


def _draw_lengths(axes: Axes, kind: str, starts: Sequence[Sequence[float]], stretch: int) -> None:
    for i, values in enumerate(starts):
        ys = as_floats(kind, values)
        require_finite(kind, ys)
        axes.plot(stretch * (np.arange(len(ys)) + 0.5), ys, **canvas.look(i), ms=3, lw=1.2)
    axes.set_title(kind)


def _print_lengths(kind: str, losses: Array, stretch: int, trained: int) -> None:
    known = trained // stretch
    before = f"{kind}: loss {losses[known - 1]:.2f} just before place {trained}"
    if len(losses) <= known:
        print(f"{before}, and none beyond")
    else:
        end = stretch * len(losses)
        print(f"{before}, {losses[known]:.2f} just after it, {losses[-1]:.2f} just before place {end}")

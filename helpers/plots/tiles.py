"""Attention in tiles: one query step by step, and which tiles are computed (lesson 13)."""

from collections.abc import Mapping
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from helpers.plots import canvas
from helpers.validation import Array, as_floats, require_count

# What tile_kinds says of a tile: 0, 1 or 2.
KINDS = ("skipped", "computed with a mask", "computed")
INKS = (canvas.COLOURS[5], canvas.COLOURS[4])  # of the last two


class Step(NamedTuple):
    """One query after one more tile: `exponentials` of the tile, `earlier` those of all keys before it.

    The earlier ones stand as they were summed, under the maximum before; `rescale` brings them down.
    """

    start: int
    running_max: float
    rescale: float
    earlier: Array
    exponentials: Array
    running_sum: float
    weighted_sum: float


def plot_steps(scores: ArrayLike, values: ArrayLike, tile: int) -> None:
    """(n_keys,) scores of one query, (n_keys,) values, tile -> e^(score − running_max) after each tile.

    Bars of the newest tile are blue, those of earlier tiles pale; a dashed outline is what an earlier bar was
    before it was rescaled. Prints every number of every step, and the output.
    Raises ValueError unless there is one value for each score and every score is finite; TypeError or
    ValueError unless tile is a whole number of at least 1.
    """
    scores, values = as_floats("scores", scores), as_floats("values", values)
    if scores.ndim != 1 or scores.shape != values.shape or not scores.size or not np.isfinite(scores).all():
        raise ValueError(
            f"scores and values must have shape (n_keys,), scores finite; got {scores.shape}, {values.shape}"
        )
    steps = _steps(scores, values, require_count("tile", tile))
    with plt.rc_context(canvas.STYLE):
        size = (max(3.2, 2.05 * len(steps) + 0.6), 3.5)
        figure, all_axes = plt.subplots(1, len(steps), figsize=size, sharey=True, squeeze=False)
        for axes, step in zip(all_axes[0], steps, strict=True):
            _draw_step(axes, step, len(scores))
        all_axes[0, 0].set_ylabel("e^(score − running_max)")
        canvas.show(figure)
    for step in steps:
        exponentials = " ".join(f"{each:.3f}" for each in step.exponentials)
        print(f"keys {_run(step)}: running_max {step.running_max:.3f}, rescale {step.rescale:.3f},", end=" ")
        print(f"exponentials {exponentials}, running_sum {step.running_sum:.3f},", end=" ")
        print(f"weighted_sum {step.weighted_sum:.3f}")
    last = steps[-1]
    output = last.weighted_sum / last.running_sum
    print(f"output: {last.weighted_sum:.3f} / {last.running_sum:.3f} = {output:.3f}")


def explore_steps(scores: ArrayLike, values: ArrayLike) -> None:
    """A slider over the size of a tile, from one key at a time to all at once: plot_steps for it."""
    canvas.slider(
        lambda tile: plot_steps(scores, values, tile), "keys in a tile", range(1, np.size(scores) + 1), 3
    )


def plot_tiles(maps: Mapping[str, ArrayLike]) -> None:
    """{title: what tile_kinds gives, (rows of tiles, columns of tiles)} -> maps of tiles, side by side.

    White and hatched: skipped. Orange: computed, with a mask. Blue: computed. Prints how many of each.
    Raises ValueError unless each map has two axes and holds 0, 1 and 2.
    """
    drawn = {title: np.asarray(kinds) for title, kinds in maps.items()}
    for title, kinds in drawn.items():
        if kinds.ndim != 2 or not np.isin(kinds, (0, 1, 2)).all():
            raise ValueError(f"{title} must be a table of 0, 1 and 2; got shape {kinds.shape}")
    with plt.rc_context(canvas.STYLE):
        widths = [kinds.shape[1] for kinds in drawn.values()]
        size = (0.3 * sum(widths) + 0.9 * len(drawn) + 0.4, 0.3 * max(len(k) for k in drawn.values()) + 1.3)
        figure, all_axes = plt.subplots(
            1, len(drawn), figsize=size, width_ratios=widths, squeeze=False, layout="constrained"
        )
        for axes, (title, kinds) in zip(all_axes[0], drawn.items(), strict=True):
            _draw_kinds(axes, kinds, title)
        all_axes[0, 0].set_ylabel("tiles of queries")
        patches = [Patch(label=KINDS[0], facecolor="white", hatch="////", edgecolor="0.6")]
        patches += [Patch(label=name, facecolor=ink) for name, ink in zip(KINDS[1:], INKS, strict=True)]
        figure.legend(handles=patches, loc="outside lower center", ncols=3, frameon=False)
        canvas.show(figure)
    for title, kinds in drawn.items():
        counts = ", ".join(f"{(kinds == kind).sum()} {name}" for kind, name in enumerate(KINDS))
        print(f"{title}: of {kinds.size} tiles {counts}")


def _steps(scores: Array, values: Array, tile: int) -> list[Step]:
    running_max, running_sum, weighted_sum = -np.inf, 0.0, 0.0
    steps: list[Step] = []
    for start in range(0, len(scores), tile):
        keys = slice(start, start + tile)
        new_max = max(running_max, float(scores[keys].max()))
        earlier = np.exp(scores[:start] - running_max)
        rescale, exponentials = float(np.exp(running_max - new_max)), np.exp(scores[keys] - new_max)
        running_sum = rescale * running_sum + float(exponentials.sum())
        weighted_sum = rescale * weighted_sum + float(exponentials @ values[keys])
        running_max = new_max
        steps.append(Step(start, new_max, rescale, earlier, exponentials, running_sum, weighted_sum))
    return steps


def _draw_step(axes: Axes, step: Step, n_keys: int) -> None:
    places = np.arange(step.start + len(step.exponentials))
    heights = np.concatenate([step.rescale * step.earlier, step.exponentials])
    colours = np.where(places < step.start, "0.75", canvas.COLOURS[0])
    axes.bar(places, heights, color=list(colours), width=0.8)
    if step.rescale < 1:
        axes.bar(places[: step.start], step.earlier, fill=False, ls="--", ec=canvas.COLOURS[1], width=0.8)
    over_the_dashes = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
    for place, height in zip(places, heights, strict=True):
        label = f"{height:.3g}".removeprefix("0")
        axes.text(float(place), height + 0.02, label, ha="center", va="bottom", size=7, bbox=over_the_dashes)
    sums = f"running_max {step.running_max:.4g}\nrunning_sum {step.running_sum:.3g}\n"
    sums += f"weighted_sum {step.weighted_sum:.4g}"
    axes.set_title(f"keys {_run(step)}\nrescale {step.rescale:.3g}", loc="left", size=10)
    axes.set(xticks=range(n_keys), xlim=(-0.6, n_keys - 0.4), ylim=(0, 1.12), xlabel=f"key\n{sums}")


def _run(step: Step) -> str:
    last = step.start + len(step.exponentials) - 1
    return f"{step.start}" if last == step.start else f"{step.start} to {last}"


def _draw_kinds(axes: Axes, kinds: Array, title: str) -> None:
    computed = np.where(kinds == 0, np.nan, kinds)
    inks = ListedColormap(list(INKS))  # to matplotlib 3.8 a tuple of two is a colour and its opacity
    axes.imshow(computed, cmap=inks, vmin=1, vmax=2, aspect="equal")
    axes.patch.set(facecolor="white", hatch="////", edgecolor="0.75", linewidth=0)
    rows, columns = kinds.shape
    axes.hlines(np.arange(rows + 1) - 0.5, -0.5, columns - 0.5, color="white", lw=1.5)
    axes.vlines(np.arange(columns + 1) - 0.5, -0.5, rows - 0.5, color="white", lw=1.5)
    axes.set(title=title, xticks=range(0, columns, 2), yticks=range(0, rows, 2), xlabel="tiles of keys")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)

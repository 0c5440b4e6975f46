"""Pictures of attention in tiles (lesson 12): the steps of one row, tiles on a map, heads that share keys.

As in helpers.plots, whose tools draw them: each function prints its finding from its own numbers. Besides,
what else the lesson shows: the bytes that a call holds, the lines of a helper as they stand in its file, and
what a program prints in a Python of its own.
"""

import ast
import importlib.util
import inspect
import subprocess
import sys
import textwrap
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from helpers import plots as house
from helpers.validation import Array, as_floats, require_count

# What tile_kinds says of a tile: 0, 1 or 2.
KINDS = ("skipped", "computed with a mask", "computed")
INKS = (house.COLOURS[5], house.COLOURS[4])  # of the last two


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
    with plt.rc_context(house.STYLE):
        size = (max(3.2, 2.05 * len(steps) + 0.6), 3.5)
        figure, all_axes = plt.subplots(1, len(steps), figsize=size, sharey=True, squeeze=False)
        for axes, step in zip(all_axes[0], steps, strict=True):
            _draw_step(axes, step, len(scores))
        all_axes[0, 0].set_ylabel("e^(score − running_max)")
        house._show(figure)
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
    house._slider(
        lambda tile: plot_steps(scores, values, tile), "keys in a tile", range(1, np.size(scores) + 1), 2
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
    with plt.rc_context(house.STYLE):
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
        house._show(figure)
    for title, kinds in drawn.items():
        counts = ", ".join(f"{(kinds == kind).sum()} {name}" for kind, name in enumerate(KINDS))
        print(f"{title}: of {kinds.size} tiles {counts}")


def plot_held(sizes: ArrayLike, mib: Mapping[str, ArrayLike]) -> None:
    """(n,) sizes, {label: (n,) MiB held} -> one line for each label against n, both axes logarithmic.

    Prints where each begins and ends. Raises ValueError unless each has one number for each size, and all
    are above 0.
    """
    sizes = as_floats("sizes", sizes)
    for label, held in {"sizes": sizes, **mib}.items():
        if not (np.asarray(held) > 0).all():
            raise ValueError(f"{label} must be above 0, for a logarithmic axis; got {held}")
    with plt.rc_context(house.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4))
        house._draw_lines(axes, sizes, mib, "n", "MiB held beyond the output", True)
        axes.set_xticks(sizes, [f"{n:,.0f}" for n in sizes])
        powers = np.log10([np.asarray(held) for held in mib.values()])
        ticks = 10.0 ** np.arange(np.floor(powers.min()), np.ceil(powers.max()) + 1)
        axes.set_yscale("log")
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.legend(frameon=False)
        house._show(figure)
    house._print_ends(sizes, mib, "n", "MiB")


def plot_sharing(n_heads: int, n_kv_heads: Sequence[int]) -> None:
    """n_heads of queries, some numbers of heads of keys -> tables: ✓ where one reads the other.

    Prints who reads whom. Raises ValueError unless each number divides n_heads.
    """
    if any(n_heads % n_kv for n_kv in n_kv_heads):
        raise ValueError(f"each number of heads of keys must divide {n_heads}; got {list(n_kv_heads)}")
    read = {n_kv: np.arange(n_heads) // (n_heads // n_kv) for n_kv in n_kv_heads}
    with plt.rc_context(house.STYLE):
        size = (0.42 * sum(n_kv_heads) + 1.3 * len(read) + 0.3, 0.34 * n_heads + 1.1)
        figure, all_axes = plt.subplots(
            1, len(read), figsize=size, width_ratios=[n_kv + 1 for n_kv in read], squeeze=False
        )
        for axes, (n_kv, heads) in zip(all_axes[0], read.items(), strict=True):
            _draw_readers(axes, heads, n_kv)
        all_axes[0, 0].set_ylabel("heads of queries")
        house._show(figure)
    for n_kv, heads in read.items():
        readers = [" ".join(map(str, np.flatnonzero(heads == head))) for head in range(n_kv)]
        groups = "; ".join(f"{each} read {head}" for head, each in enumerate(readers))
        print(f"{_heads(n_kv)} of keys and values: {groups}")


def peak_bytes(function: Callable[..., tuple[Array, Array]], *args: Any, **settings: Any) -> tuple[int, int]:
    """A function that returns output first, its arguments -> bytes held at the peak of a call, of the output.

    What NumPy and Python allocate during the call is counted, and not what stood in memory before.
    Raises what the function raises; RuntimeError where Python counts allocations already.
    """
    if tracemalloc.is_tracing():
        raise RuntimeError("tracemalloc runs already, and a second count would end the first")
    tracemalloc.start()
    try:
        output = function(*args, **settings)[0]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak, output.nbytes


def in_new_python(program: str) -> None:
    """A program -> None: runs it in a Python of its own, and prints what it prints, without its warnings.

    What it imports and sets ends with it. Raises RuntimeError with its complaint where it fails.
    """
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False
    )
    if ended.returncode:
        raise RuntimeError(f"the new Python ended with {ended.returncode}:\n{ended.stderr}")
    print(ended.stdout.strip())


def print_body(function: Callable[..., object]) -> None:
    """A function -> None: prints its lines, without those that name it and describe it."""
    source = textwrap.dedent(inspect.getsource(function))
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.FunctionDef)
    first = definition.body[1 if ast.get_docstring(definition) else 0].lineno
    print(textwrap.dedent("\n".join(source.splitlines()[first - 1 :])).rstrip())


def print_kernel_step() -> None:
    """() -> None: prints the lines of forward_kernel that fold one tile of keys in.

    They are read from the file: importing helpers.pytorch.kernels would load torch and Triton.
    Raises LookupError where the file is not found, or has no such lines.
    """
    spec = importlib.util.find_spec("helpers.pytorch.kernels")
    if spec is None or spec.origin is None:
        raise LookupError("helpers.pytorch.kernels was not found")
    lines = Path(spec.origin).read_text(encoding="utf-8").splitlines()
    found = [line.strip() for line in lines]
    try:
        first = next(i for i, line in enumerate(found) if line.startswith("scores = tl.dot("))
        last = found.index("running_max = new_max", first)
    except (StopIteration, ValueError):
        raise LookupError(f"{spec.origin} has no step from scores to running_max") from None
    print(textwrap.dedent("\n".join(lines[first : last + 1])))


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
    colours = np.where(places < step.start, "0.75", house.COLOURS[0])
    axes.bar(places, heights, color=list(colours), width=0.8)
    if step.rescale < 1:
        axes.bar(places[: step.start], step.earlier, fill=False, ls="--", ec=house.COLOURS[1], width=0.8)
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
    axes.imshow(computed, cmap=ListedColormap(INKS), vmin=1, vmax=2, aspect="equal")
    axes.patch.set(facecolor="white", hatch="////", edgecolor="0.75", linewidth=0)
    rows, columns = kinds.shape
    axes.hlines(np.arange(rows + 1) - 0.5, -0.5, columns - 0.5, color="white", lw=1.5)
    axes.vlines(np.arange(columns + 1) - 0.5, -0.5, rows - 0.5, color="white", lw=1.5)
    axes.set(title=title, xticks=range(0, columns, 2), yticks=range(0, rows, 2), xlabel="tiles of keys")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _draw_readers(axes: Axes, heads: Array, n_kv: int) -> None:
    """A row for each head of queries, ✓ in the column of the head of keys that it reads."""
    reads = heads[:, None] == np.arange(n_kv)
    axes.imshow(reads, cmap=ListedColormap(["0.93", house.COLOURS[4]]), vmin=0, vmax=1, aspect="auto")
    axes.set(
        xticks=range(n_kv), yticks=range(len(heads)), xlabel="head of keys", title=f"{_heads(n_kv)} of keys"
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for i, j in np.argwhere(reads):
        axes.text(float(j), float(i), "✓", ha="center", va="center", size=9)


def _heads(count: int) -> str:
    return "1 head" if count == 1 else f"{count} heads"

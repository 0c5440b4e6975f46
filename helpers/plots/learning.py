"""What a model learned: curves over steps, maps of its heads, circuits by symbol, experiments (lesson 12)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from helpers.plots import canvas
from helpers.validation import Array, as_floats


def plot_learning(
    steps: Sequence[int],
    panels: Mapping[str, Mapping[str, ArrayLike]],
    level: float = 0.5,
    unit: str = "step",
) -> None:
    """(n,) steps, {title: {label: (n,)}} -> a panel each, a line a label, with a dotted line at `level`.

    Prints at which step each line is first on the other side of the level, or that it never does: digits
    of a trained model differ from one processor to another, and these steps hardly do. `unit` says what is
    counted from left to right.
    Raises ValueError unless each line has a number for each step.
    """
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(1, len(panels), figsize=(4.4 * len(panels), 3.3), squeeze=False)
        for axes, (title, lines) in zip(all_axes[0], panels.items(), strict=True):
            for i, (label, values) in enumerate(lines.items()):
                ys = canvas.labelled(label, values, (len(steps),))
                axes.plot(steps, ys, **canvas.look(i), ms=4, lw=1.4, label=label)
            axes.axhline(level, color="0.5", ls=":", lw=1)
            axes.set(xlabel=unit, title=title, ylim=(0, None))
            axes.legend(frameon=False, fontsize=8)
        canvas.show(figure)
    for title, lines in panels.items():
        for label, values in lines.items():
            print(f"{title}, {label}: {_crossing(steps, np.asarray(values), level, unit)}")


def _crossing(steps: Sequence[int], values: Array, level: float, unit: str) -> str:
    """(n,), (n,), a level, what the steps are -> when the values get to its other side, in words."""
    starts_below = bool(values[0] < level)
    beyond = np.flatnonzero((values >= level) == starts_below)
    side, other = ("below", "above") if starts_below else ("above", "below")
    if not beyond.size:
        return f"{side} {level:g} to the end"
    return f"{side} {level:g} at first, {other} it from {unit} {steps[beyond[0]]}"


def plot_losses(
    steps: Sequence[int], losses: Mapping[str, ArrayLike], levels: Mapping[str, float], unit: str
) -> None:
    """(n,) steps, {label: (n,) losses}, {name: a loss} -> a line a label, and a dotted line a level.

    Prints for each level from which step on all the lines are below it, or that they never all are.
    Raises ValueError unless each line has a number for each step.
    """
    ys = {label: canvas.labelled(label, values, (len(steps),)) for label, values in losses.items()}
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 3.6))
        for i, (label, values) in enumerate(ys.items()):
            axes.plot(steps, values, **canvas.look(i), ms=3, lw=1.4, label=label)
        for name, level in levels.items():
            axes.axhline(level, color="0.5", ls=":", lw=1)
            above = level > max(values[-1] for values in ys.values())  # so that no line runs through the name
            place = (0, 2) if above else (0, -11)
            told = f"{name}: {level:.2f}"
            axes.annotate(told, (steps[-1], level), place, textcoords="offset points", ha="right")
        axes.set(xlabel="step", ylabel=f"loss, nats a {unit}", ylim=(0, None))
        axes.legend(frameon=False, loc="lower left")
        canvas.show(figure)
    highest, lowest = np.max(list(ys.values()), axis=0), np.min(list(ys.values()))
    for name, level in levels.items():
        below = np.flatnonzero(highest < level)
        never = "never all below" if lowest < level else "none ever below"
        print(f"{name}, {level:.2f}: {f'all below from step {steps[below[0]]}' if below.size else never}")


def plot_maps(
    maps: Mapping[str, ArrayLike],
    tokens: Sequence[str],
    marked: Mapping[str, tuple[int, int]] | None = None,
) -> None:
    """{title: (n, n) weights}, n tokens -> each as a picture, queries as rows.

    `marked` frames one cell of a map: {title: (query, key)}, both counted from 0.
    Prints how many places back the largest weight lies, in most of the rows of the second half, and the
    weights of the framed cells. Raises ValueError where the tokens do not fit, or a framed cell is in no map.
    """
    n, marked = len(tokens), marked or {}
    for title, cell in marked.items():
        if title not in maps or not all(0 <= place < n for place in cell):
            raise ValueError(f"no cell {cell} of {title!r}: {n} tokens, maps {', '.join(maps)}")
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(1, len(maps), figsize=(4.7 * len(maps), 4.2), squeeze=False)
        for axes, (title, weights) in zip(all_axes[0], maps.items(), strict=True):
            drawn = canvas.labelled(title, weights, (n, n))
            _draw_cells(axes, drawn, tokens, tokens, title, (0.0, 1.0))
            axes.set(xlabel="keys", ylabel="queries")
            if title in marked:
                query, key = marked[title]
                corner = (key - 0.5, query - 0.5)
                axes.add_patch(plt.Rectangle(corner, 1, 1, fill=False, ec=canvas.COLOURS[1], lw=2.5))
        canvas.show(figure)
    for title, weights in maps.items():
        late = np.arange(n // 2, n)
        back = late - np.asarray(weights)[late].argmax(axis=-1)
        usual = int(np.bincount(back).argmax())
        places = "place" if usual == 1 else "places"
        print(f"{title}: in the second half the largest weight lies mostly {usual} {places} back")
    for title, (query, key) in marked.items():
        told = f"query {tokens[query]} (place {query}), key {tokens[key]} (place {key})"
        print(f"{title}, framed: {told}, weight {np.asarray(maps[title])[query, key]:.2f}")


def plot_experiments(groups: Mapping[str, Mapping[str, float]], controls: Collection[str]) -> None:
    """{group: {what was done: accuracy}}, the groups that are controls -> a bar for each, group by group.

    Controls are grey and hatched. Prints the lowest and the highest accuracy of each group.
    Raises ValueError for an accuracy outside 0 to 1, an empty group, or a control that is no group.
    """
    unknown = [name for name in controls if name not in groups]
    if unknown:
        raise ValueError(f"controls must be of {', '.join(groups)}; got {', '.join(unknown)}")
    for group, found in groups.items():
        if not found or not all(0 <= share <= 1 for share in found.values()):
            raise ValueError(f"{group} must hold accuracies from 0 to 1; got {dict(found)}")
    n = sum(len(found) + 1.2 for found in groups.values())
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(7.4, 0.17 * n + 0.6))
        _draw_experiments(axes, groups, controls)
        axes.set(xlim=(0, 1.08), ylim=(n - 0.6, -0.6), xlabel="accuracy", xticks=np.linspace(0, 1, 6))
        axes.spines["left"].set_visible(False)
        canvas.show(figure)
    for group, found in groups.items():
        low, high = (choose(found, key=lambda name: found[name]) for choose in (min, max))
        print(f"{group}: {found[low]:.2f} ({low}) to {found[high]:.2f} ({high})")


def experiments_of(run: Mapping[str, Any], one_layer: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """What `load_learning` holds of a start with two layers and of one -> the groups for plot_experiments."""
    heads = {f"layer {i}, head {h}": x for i, row in enumerate(run["one off"]) for h, x in enumerate(row)}
    groups: dict[str, dict[str, float]] = {
        "to compare with": {
            "nothing changed": run["accuracies"][-1],
            "a model of one layer": one_layer["accuracies"][-1],
            f"two layers at step {run['steps'][0]}": run["accuracies"][0],
        },
        "one head off": heads,
        "one whole layer off": {f"layer {i}": x for i, x in enumerate(run["all off"])},
        "all of layer 0 off but one head": {f"head {h}": x for h, x in enumerate(run["one left"][0])},
        "all of layer 1 off but one head": {f"head {h}": x for h, x in enumerate(run["one left"][1])},
        "layer 0 cut from one reader": dict(run["path cut"]),
        "patched: says our symbols": {name: both[0] for name, both in run["patched"].items()},
        "patched: says theirs": {name: both[1] for name, both in run["patched"].items()},
    }
    return {f"recorded: {name}": found for name, found in groups.items()}


def cases_of(runs: Sequence[Mapping[str, Any]], cases: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """What `load_learning` holds of starts that learned from every token, cases -> the panels for plot_cases.

    The loss in the first round and the accuracy in the repeats, with what is read at the first key changed.
    Raises ValueError for a case that was not measured.
    """
    titles = {"loss": "five starts: loss, first round", "accuracy": "five starts: accuracy, repeats"}
    found = [run["read at the first key"] for run in runs]
    if unknown := [case for case in cases if not all(case in each for each in found)]:
        raise ValueError(f"cases must be of {', '.join(found[0])}; got {', '.join(unknown)}")
    return {
        title: {case: [each[case][what] for each in found] for case in cases}
        for what, title in titles.items()
    }


def _draw_experiments(
    axes: Axes, groups: Mapping[str, Mapping[str, float]], controls: Collection[str]
) -> None:
    """Each group's name above its bars, from the top down; each bar with its name and its number."""
    names, y = [], 0.0
    for group, found in groups.items():
        axes.text(0.008, y, group, va="center", weight="bold", size=8.5)
        ink: dict[str, Any] = {"color": canvas.COLOURS[0]}
        if group in controls:
            ink = {"color": "0.8", "hatch": "///", "ec": "0.5"}
        for name, share in found.items():
            y += 1
            names.append((y, name))
            axes.barh(y, share, height=0.75, lw=0, **ink)
            axes.text(share + 0.008, y, f"{share:.2f}", va="center", size=8)
        y += 1.2
    axes.set_yticks([at for at, _ in names], [name for _, name in names], fontsize=8)
    axes.tick_params(axis="y", length=0)


def plot_cases(
    panels: Mapping[str, Mapping[str, ArrayLike]], levels: Mapping[str, tuple[str, float]]
) -> None:
    """{title: {case: (n_starts,) numbers}} -> a panel each: a row for each case, a dot for each start.

    `levels` draws a dotted line in a panel: {title: (its name, where)}. Prints from where to where the dots
    of a case lie, and on which side of the line.
    Raises ValueError unless all panels have the same cases, each with a number, and levels name panels.
    """
    names = list(next(iter(panels.values()), ()))
    found = {title: {name: as_floats(name, x) for name, x in each.items()} for title, each in panels.items()}
    for title, cases in found.items():
        if list(cases) != names or not names or not all(x.ndim == 1 and x.size for x in cases.values()):
            shapes = ", ".join(f"{case} {x.shape}" for case, x in cases.items()) or "none"
            raise ValueError(f"{title} must hold numbers for the cases {', '.join(names)}; got {shapes}")
    if unknown := [title for title in levels if title not in panels]:
        raise ValueError(f"levels must be of {', '.join(panels)}; got {', '.join(unknown)}")
    with plt.rc_context(canvas.STYLE):
        size = (4.4 * len(panels), 0.42 * len(names) + 1.1)
        figure, all_axes = plt.subplots(1, len(panels), figsize=size, sharey=True, squeeze=False)
        for axes, (title, cases) in zip(all_axes[0], found.items(), strict=True):
            _draw_cases(axes, cases, levels.get(title))
            axes.set(xlabel=title, ylim=(len(names) - 0.5, -0.9))
        canvas.show(figure)
    for title, cases in found.items():
        for case, x in cases.items():
            print(f"{title}, {case}: {x.min():.2f} to {x.max():.2f}{_side(x, levels.get(title))}")


def _draw_cases(axes: Axes, cases: Mapping[str, Array], level: tuple[str, float] | None) -> None:
    """{case: (n_starts,)} -> its dots in a row, one a little below the other, and a dotted line."""
    highest = max(float(x.max()) for x in cases.values())
    lowest = min(float(x.min()) for x in cases.values())
    room = 0.1 * (highest - lowest or 1.0)
    axes.set_xlim(lowest - room, highest + room)
    for row, x in enumerate(cases.values()):
        axes.axhline(row, color="0.92", lw=8, zorder=0)
        axes.plot(x, row + np.linspace(-0.2, 0.2, len(x)), "o", ms=4.5, alpha=0.85, color=canvas.COLOURS[0])
    if level is not None:
        axes.axvline(level[1], color="0.3", ls=":", lw=1.2, zorder=1)
        axes.annotate(level[0], (level[1], -0.9), (4, -3), textcoords="offset points", va="top", size=9)
    axes.set_yticks(range(len(cases)), list(cases))
    axes.tick_params(axis="y", length=0)


def _side(x: Array, level: tuple[str, float] | None) -> str:
    """Numbers, a line's name and place -> on which side of it they lie, in words."""
    if level is None:
        return ""
    sides = {bool(each > level[1]) for each in x}
    side = "on both sides of" if len(sides) > 1 else "above" if True in sides else "below"
    return f", {side} {level[0]} ({level[1]:.2f})"


def plot_circuits(
    circuits: Mapping[str, ArrayLike], names: Sequence[str], sides: Mapping[str, tuple[str, str, str]]
) -> None:
    """{title: (n, n)}, fewer names or as many -> the corner with these names of each, as a picture.

    `sides` says for each title what its rows, its columns and its numbers are: in each table they may mean
    something else.
    Prints in how many of all n rows the largest number stands on the diagonal.
    Raises ValueError for a circuit that is not square, or smaller than the names.
    """
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(1, len(circuits), figsize=(4.7 * len(circuits), 4.0), squeeze=False)
        for axes, (title, circuit) in zip(all_axes[0], circuits.items(), strict=True):
            whole = as_floats(title, circuit)
            if whole.ndim != 2 or whole.shape[0] != whole.shape[1] or len(whole) < len(names):
                wanted = f"be square, at least {len(names)} × {len(names)}"
                raise ValueError(f"{title} must {wanted}; got shape {whole.shape}")
            corner = whole[: len(names), : len(names)]
            reach = float(np.abs(corner).max())
            rows, columns, numbers = sides[title]
            _draw_cells(axes, corner, names, names, title, (-reach, reach), numbers)
            axes.set(ylabel=rows, xlabel=columns)
        canvas.show(figure)
    for title, circuit in circuits.items():
        whole = np.asarray(circuit)
        on = int((whole.argmax(axis=-1) == np.arange(len(whole))).sum())
        print(f"{title}: the largest number of a row is on the diagonal in {on} of {len(whole)} rows")


def _draw_cells(
    axes: Axes,
    cells: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    limits: tuple[float, float],
    numbers: str = "",
) -> None:
    image = axes.imshow(cells, cmap="cividis", vmin=limits[0], vmax=limits[1])
    axes.figure.colorbar(image, ax=axes, shrink=0.8, label=numbers)
    axes.set_xticks(range(len(columns)), columns, fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.set_title(title, fontsize=10)

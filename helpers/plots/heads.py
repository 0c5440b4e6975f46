"""Several heads: where their columns stand, what each one reads, and which of them share keys."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from numpy.typing import ArrayLike

from helpers.plots import canvas, pieces
from helpers.validation import Array

# Brown instead of the second blue: the two look alike where they are pale.
GRID_COLOURS = (*canvas.COLOURS[:4], "#8B5A2B", canvas.COLOURS[5])

LEVEL = 6  # letters in a label that fit above one cell of plot_heads
SMALL = 10  # tokens up to which plot_heads writes every weight; in larger maps most of them are next to 0
COUNTS = 0.05  # and from here on they are written there too


def plot_grids(grids: Mapping[str, Any], tokens: Sequence[str], d_head: int) -> None:
    """{title: labels "token·column", (n, columns) or (n_heads, n, columns)} -> grids of coloured cells.

    Each label stands where its array has it. Its colour says the token, its shade the head to which the
    column belongs (d_head columns each). Prints the tokens and columns that each head, or row 0, holds.
    Raises ValueError for an array of another shape, or a label without one of the tokens.
    """
    drawn = {title: _label_blocks(title, labels, tokens) for title, labels in grids.items()}
    with plt.rc_context(canvas.STYLE):
        heights = [len(blocks[0]) + (1.2 if len(blocks) == 1 else 2) for blocks in drawn.values()]
        figure, all_axes = plt.subplots(
            len(drawn), 1, figsize=(9, 0.27 * sum(heights)), height_ratios=heights, squeeze=False
        )
        for axes, (title, blocks) in zip(all_axes[:, 0], drawn.items(), strict=True):
            _draw_label_blocks(axes, blocks, tokens, d_head)
            axes.set_title(title, loc="left", pad=6 if len(blocks) == 1 else 20)  # above the heads' names
        canvas.show(figure)
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

    In a map of more than SMALL tokens, weights below COUNTS have their colour only.
    Prints which token each query reads most in each head, and the smallest of these weights.
    Raises ValueError where the names or tokens do not fit.
    """
    weights = canvas.labelled("weights", weights, (len(names), len(tokens), len(tokens)))
    least_written = COUNTS if len(tokens) > SMALL else -np.inf
    with plt.rc_context(canvas.STYLE):
        width = len(names) * 0.46 * (len(tokens) + 0.6) + 0.8
        figure, all_axes = plt.subplots(1, len(names), figsize=(width, 1 + 0.4 * len(tokens)), squeeze=False)
        for axes, head, name in zip(all_axes[0], weights, names, strict=True):
            sides = ("queries", "keys")
            pieces.draw_matrix(axes, head, tokens, tokens, name, 2, sides, (0.0, 1.0), least_written)
            axes.tick_params(axis="x", rotation=60 if max(map(len, tokens)) > LEVEL else 0)
        for axes in all_axes[0, 1:]:
            axes.set(yticks=[], ylabel="")
        canvas.show(figure)
    for head, name in zip(weights, names, strict=True):
        reads = ", ".join(f"{t} → {tokens[int(row.argmax())]}" for t, row in zip(tokens, head, strict=True))
        least = np.floor(100 * head.max(axis=-1).min() + 1e-6) / 100  # rounded down: "or more" is kept
        print(f"{name}: {reads} (weight {least:.2f} or more)")
    if len(tokens) > SMALL:
        print(f"Weights below {COUNTS:g} are not written out.")


def plot_versions(versions: Mapping[str, ArrayLike], names: Sequence[str], tokens: Sequence[str]) -> None:
    """{title: (n_heads, n, n) weights}, n_heads names, n tokens -> a small map each, in one scale, 0 to 1.

    A row of maps is one head, a column one version of a model. Weights and tokens are not written out; a
    dotted line runs through each query's own key.
    Prints for each head and version which of four tokens gets most on average, and how much: the first one,
    the one before the query, the query itself, or the one after it. The average leaves out the first two
    queries, for which some of these are one token, and the last, which has none after it.
    Raises ValueError for weights of another shape, or fewer than 4 tokens.
    """
    n = len(tokens)
    if n < 4:
        raise ValueError(f"there must be 4 tokens or more; got {n}")
    drawn = {title: canvas.labelled(title, w, (len(names), n, n)) for title, w in versions.items()}
    with plt.rc_context(canvas.STYLE):
        size = (1.62 * len(drawn) + 1.2, 1.62 * len(names) + 0.75)
        figure, all_axes = plt.subplots(len(names), len(drawn), figsize=size, squeeze=False)
        for column, (title, weights) in zip(all_axes.T, drawn.items(), strict=True):
            for axes, head in zip(column, weights, strict=True):
                image = axes.imshow(head, cmap="cividis", vmin=0, vmax=1, interpolation="nearest")
                axes.plot((-0.5, n - 0.5), (-0.5, n - 0.5), color="0.75", lw=0.7, ls=":")
                axes.set(xticks=[], yticks=[])
            column[0].set_title(title, size=12, weight="bold")
            column[-1].set_xlabel("keys")
        for row, name in zip(all_axes, names, strict=True):
            row[0].set_ylabel(f"{name}\nqueries")
        figure.colorbar(image, ax=all_axes, label="weight", shrink=0.8, pad=0.01)
        canvas.show(figure)
    for i, name in enumerate(names):
        most = ", ".join(f"{title} {_most_on(weights[i])}" for title, weights in drawn.items())
        print(f"{name}: {most}")


def _most_on(weights: Array) -> str:
    """(n, n) -> which of first, before, itself and after gets most on average, and how much."""
    rows = np.arange(2, len(weights) - 1)
    places = {"first": np.zeros_like(rows), "before": rows - 1, "itself": rows, "after": rows + 1}
    means = {place: float(weights[rows, keys].mean()) for place, keys in places.items()}
    place = max(means, key=means.__getitem__)
    return f"{place} {means[place]:.2f}"


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
    chosen = canvas.labelled("weights", weights, (len(names), len(tokens), len(tokens)))[head]
    sides, title = ("queries", "keys"), f"what {tokens[query]!r} reads"
    read = pieces.draw_map_and_row(chosen, tokens, tokens, query, names[head], sides, title)
    print(f"{names[head]} head, query {tokens[query]!r} (token {query}) reads {read or 'nothing much'}")


def plot_sharing(n_heads: int, n_kv_heads: Sequence[int]) -> None:
    """n_heads of queries, some numbers of heads of keys -> tables: ✓ where one reads the other.

    Prints who reads whom. Raises ValueError unless each number divides n_heads.
    """
    if any(n_heads % n_kv for n_kv in n_kv_heads):
        raise ValueError(f"each number of heads of keys must divide {n_heads}; got {list(n_kv_heads)}")
    read = {n_kv: np.arange(n_heads) // (n_heads // n_kv) for n_kv in n_kv_heads}
    with plt.rc_context(canvas.STYLE):
        size = (0.42 * sum(n_kv_heads) + 1.3 * len(read) + 0.3, 0.34 * n_heads + 1.1)
        figure, all_axes = plt.subplots(
            1, len(read), figsize=size, width_ratios=[n_kv + 1 for n_kv in read], squeeze=False
        )
        for axes, (n_kv, heads) in zip(all_axes[0], read.items(), strict=True):
            _draw_readers(axes, heads, n_kv)
        all_axes[0, 0].set_ylabel("heads of queries")
        canvas.show(figure)
    for n_kv, heads in read.items():
        readers = [" ".join(map(str, np.flatnonzero(heads == head))) for head in range(n_kv)]
        groups = "; ".join(f"{each} read {head}" for head, each in enumerate(readers))
        print(f"{_heads(n_kv)} of keys and values: {groups}")


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


def _draw_readers(axes: Axes, heads: Array, n_kv: int) -> None:
    """A row for each head of queries, ✓ in the column of the head of keys that it reads."""
    reads = heads[:, None] == np.arange(n_kv)
    axes.imshow(reads, cmap=ListedColormap(["0.93", canvas.COLOURS[4]]), vmin=0, vmax=1, aspect="auto")
    axes.set(
        xticks=range(n_kv), yticks=range(len(heads)), xlabel="head of keys", title=f"{_heads(n_kv)} of keys"
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for i, j in np.argwhere(reads):
        axes.text(float(j), float(i), "✓", ha="center", va="center", size=9)


def _heads(count: int) -> str:
    return "1 head" if count == 1 else f"{count} heads"

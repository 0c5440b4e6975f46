"""Which query may attend to which key, what a mask leaves of the scores, and what moves with what."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from helpers.masking import Mask, causal_mask, mask_scores
from helpers.plots import canvas, pieces
from helpers.softmax import softmax


def plot_masks(masks: Mapping[str, ArrayLike], tokens: Sequence[Sequence[str]]) -> None:
    """{title: mask (n_queries, n_keys)}, the n_keys tokens of each -> tables: ✓ where a query may attend.

    The queries are the last n_queries of the tokens. Prints how many keys each query may attend to.
    Raises ValueError where the tokens do not fit a mask, TypeError unless it is of True and False.
    """
    drawn = {t: canvas.boolean(t, m, words) for (t, m), words in zip(masks.items(), tokens, strict=True)}
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = _tables([mask.shape for mask in drawn.values()], 3)
        for axes, (title, mask), words in zip(all_axes, drawn.items(), tokens, strict=True):
            _draw_marks(axes, mask, np.zeros_like(mask), words, title, ("queries", "keys"))
        canvas.show(figure)
    for title, mask in drawn.items():
        counts = " ".join(str(n) for n in mask.sum(-1))
        print(f"{title}: of {mask.shape[1]} keys the queries may attend to {counts}")


def plot_influence(maps: Mapping[str, ArrayLike], tokens: Sequence[str]) -> None:
    """{title: (n, n), True where output i moves with token j} -> tables; a later token's cell is a leak.

    Prints the leaks. Raises ValueError where the n tokens do not fit, TypeError unless it is True and False.
    """
    drawn = {title: canvas.boolean(title, moved, tokens) for title, moved in maps.items()}
    leaks = {title: moved & ~causal_mask(*moved.shape) for title, moved in drawn.items()}
    with plt.rc_context(canvas.STYLE):
        in_a_row = 3 if len(drawn) == 3 else 2
        figure, all_axes = _tables([moved.shape for moved in drawn.values()], in_a_row)
        for axes, (title, moved) in zip(all_axes, drawn.items(), strict=True):
            _draw_marks(axes, moved, leaks[title], tokens, title, ("outputs", "token changed"))
        canvas.show(figure)
    for title, found in leaks.items():
        pairs = [f"output {tokens[i]!r} moves with {tokens[j]!r}" for i, j in np.argwhere(found)[:1]]
        print(f"{title}: {len(np.argwhere(found))} leaks{''.join(f'; the first: {pair}' for pair in pairs)}")


def plot_masking(scores: ArrayLike, mask: ArrayLike, tokens: Sequence[str]) -> None:
    """(n_queries, n_keys), a mask that broadcasts to it, n_keys tokens -> the masked scores and the weights.

    The queries are the last n_queries of the tokens. Prints how much is hidden, the row sums of the weights,
    and which queries have no key. Raises as mask_scores does, and ValueError where the tokens do not fit.
    """
    weights = softmax(mask_scores(scores, mask))
    scores = canvas.labelled("scores", scores, (len(weights), len(tokens)))
    may_attend = np.broadcast_to(np.asarray(mask), scores.shape)
    rows = tokens[len(tokens) - len(scores) :]
    tables = {"masked scores": (scores, 3, "−∞"), "weights": (weights, 2, "0")}
    with plt.rc_context(canvas.STYLE):
        width, height = 2 * (1.3 + 0.6 * len(tokens)), 0.9 + 0.45 * len(scores)
        figure, all_axes = plt.subplots(1, 2, figsize=(width, height))
        for axes, (title, (table, decimals, hidden)) in zip(all_axes, tables.items(), strict=True):
            limits = (float(table.min()), float(table.max()))
            sides = ("queries", "keys")
            pieces.draw_open(axes, table, may_attend, rows, tokens, title, decimals, sides, limits, hidden)
        canvas.show(figure)
    print(f"hidden: {(~may_attend).sum()} of {may_attend.size} scores")
    print(f"row sums of the weights: {canvas.two_decimals(weights.sum(-1))}")
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
    canvas.slider(lambda n_new: draw_corner(tokens, n_new), "new tokens", range(1, len(tokens) + 1), 1)


def draw_corner(tokens: Sequence[str], n_new: int) -> None:
    """One frame of explore_corner: the last n_new tokens are queries, all tokens are keys."""
    upper_left = np.tri(n_new, len(tokens), dtype=bool)
    lower_right = causal_mask(n_new, len(tokens))
    plot_masks({"upper left": upper_left, "lower right": lower_right}, [tokens, tokens])
    print("the two corners agree" if np.array_equal(upper_left, lower_right) else "the two corners differ")


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
    colours = ListedColormap(["0.93", canvas.COLOURS[4], canvas.COLOURS[1]])
    axes.imshow(kinds, cmap=colours, vmin=0, vmax=2, aspect="auto")
    axes.set(xticks=range(len(tokens)), yticks=range(len(marked)), title=title)
    axes.set(ylabel=sides[0], xlabel=sides[1])
    axes.set_xticklabels(tokens)
    axes.set_yticklabels(tokens[len(tokens) - len(marked) :])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for (i, j), kind in np.ndenumerate(kinds):
        axes.text(j, i, ("", "✓", "✗")[kind], ha="center", va="center", color="black", size=9)

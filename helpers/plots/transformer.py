"""Where attention stands in a Transformer (lesson 00)."""

from itertools import pairwise

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from helpers.plots import canvas

WORDS = ("The", "cat", "sat", "on", "the")  # the last is only written, never read
LEVELS = {"token": 0.0, "embedding": 1.1, "attention": 2.9, "MLP": 4.3, "logits": 5.6, "next token": 6.7}
WIDTH, HEIGHT = 1.5, 0.62  # of a box; columns stand 2 apart


def plot_transformer() -> None:
    """() -> a sentence on its way up through a Transformer: only in attention do the columns meet."""
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(8.4, 6.2))
        for column, (word, following) in enumerate(pairwise(WORDS)):
            for level, y in LEVELS.items():
                words = {"token": f"“{word}”", "next token": f"next: “{following}”"}
                _draw_box(axes, 2 * column, y, words.get(level, level))
            for below, above in (("token", "embedding"), ("attention", "MLP"), ("MLP", "logits")):
                _draw_arrow(axes, (2 * column, LEVELS[below]), (2 * column, LEVELS[above]), "0.25")
            _draw_arrow(axes, (2 * column, LEVELS["logits"]), (2 * column, LEVELS["next token"]), "0.25")
            for source in range(column + 1):  # such a model may look back only
                start, end = (2 * source, LEVELS["embedding"]), (2 * column, LEVELS["attention"])
                _draw_arrow(axes, start, end, canvas.COLOURS[0])
        block = plt.Rectangle((-1.05, 1.72), 8.1, 3.2, fill=False, ls="--", ec="0.35", lw=1.2)
        axes.add_patch(block)
        note = "one block,\nrepeated many\ntimes; each part\nadds to what\nwent in"
        axes.text(7.25, 3.3, note, va="center", style="italic")
        axes.text(7.25, 6.15, "softmax", va="center", style="italic")
        axes.set(xlim=(-1.2, 9.2), ylim=(-0.45, 7.15))
        axes.axis("off")
        canvas.show(figure)
    print(
        f"{' → '.join(LEVELS)}. In every step each token has a column of its own; "
        "only in attention do arrows cross from one column to another."
    )


def _draw_box(axes: Axes, x: float, y: float, text: str) -> None:
    mine = text == "attention"
    corner = (x - WIDTH / 2, y - HEIGHT / 2)
    box = FancyBboxPatch(corner, WIDTH, HEIGHT, boxstyle="round,pad=0,rounding_size=0.1", zorder=2)
    box.set(facecolor="#CDE6F5" if mine else "white", edgecolor=canvas.COLOURS[0] if mine else "0.3")
    box.set_linewidth(2 if mine else 1)
    axes.add_patch(box)
    axes.text(x, y, text, ha="center", va="center", weight="bold" if mine else "normal", zorder=3)


def _draw_arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    foot, tip = (start[0], start[1] + HEIGHT / 2), (end[0], end[1] - HEIGHT / 2)
    arrow = FancyArrowPatch(foot, tip, arrowstyle="-|>", mutation_scale=11, color=colour)
    arrow.set(linewidth=1.1, zorder=1)
    axes.add_patch(arrow)

"""Boxes and arrows: a machine in one picture, with the shape of everything that flows through it."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from helpers.plots import canvas

FILLS = {"data": "#FFFFFF", "learned": "#F6DFA4", "step": "#D6E6F2"}  # told apart by their edges too
EDGES = {"data": "-", "learned": "--", "step": "-"}


class Box(NamedTuple):
    """Where its middle is, in units of a line of text; what it says; "data", "step" or "learned"."""

    x: float
    y: float
    text: str
    kind: str = "data"
    width: float = 2.2
    height: float = 1.0


def plot_attention_machine() -> None:
    """None -> one layer of self-attention in one picture: tokens in, tokens out, every shape written in."""
    boxes = {
        "x": Box(0.0, 0.0, "tokens X\n(n, d_model)"),
        "w_q": Box(2.9, 1.8, "× W_Q", "learned", 1.3, 0.8),
        "w_k": Box(2.9, 0.0, "× W_K", "learned", 1.3, 0.8),
        "w_v": Box(2.9, -1.8, "× W_V", "learned", 1.3, 0.8),
        "q": Box(5.4, 1.8, "queries Q\n(n, d_k)"),
        "k": Box(5.4, 0.0, "keys K\n(n, d_k)"),
        "v": Box(5.4, -1.8, "values V\n(n, d_v)"),
        "scores": Box(8.4, 0.9, "scores\nQKᵀ / √d_k\n(n, n)", "step", 2.2, 1.4),
        "weights": Box(11.3, 0.9, "weights\nsoftmax\n(n, n)", "step", 2.0, 1.4),
        "output": Box(14.0, -1.8, "output\nweights @ V\n(n, d_v)", "step", 2.4, 1.4),
    }
    arrows = [
        *(("x", each, "") for each in ("w_q", "w_k", "w_v")),
        *(("w_q", "q", ""), ("w_k", "k", ""), ("w_v", "v", "")),
        *(("q", "scores", ""), ("k", "scores", ""), ("scores", "weights", "")),
        *(("weights", "output", "where"), ("v", "output", "what")),
    ]
    _plot(boxes, arrows, 0.68)
    print(
        "From left to right: three learned tables (dashed) turn X into queries, keys and values. Queries and "
        "keys make the scores. Softmax turns them into weights: where to look. The values say what is there."
    )


def plot_multi_head_block() -> None:
    """None -> a block of multi-head attention: split into heads, attend, merge, mix, add to the input."""
    boxes = {
        "x": Box(0.0, 0.0, "tokens X\n(n, d_model)"),
        "qkv": Box(3.6, 0.0, "× W_Q, W_K, W_V\n3 × (n, d_model)", "learned", 2.7),
        **{
            f"head {h}": Box(7.2, 1.5 - 1.5 * h, f"head {h}: attention\n(n, d_head)", "step", 2.7)
            for h in range(3)
        },
        "merge": Box(10.6, 0.0, "concatenate\n(n, d_model)", "step", 2.2),
        "w_o": Box(13.2, 0.0, "× W_O", "learned", 1.3, 0.8),
        "sum": Box(16.0, 0.0, "X + ΔX\n(n, d_model)"),
    }
    heads = [f"head {h}" for h in range(3)]
    arrows = [
        ("x", "qkv", ""),
        *(("qkv", head, "split" if head == "head 0" else "") for head in heads),
        *((head, "merge", "merge" if head == "head 0" else "") for head in heads),
        *(("merge", "w_o", ""), ("w_o", "sum", "ΔX")),
    ]
    _plot(boxes, arrows, 0.62, around=("x", "sum", "X itself, unchanged"))
    print("Three heads work side by side, each with queries, keys and values of its own, d_head wide.")


def plot_language_block() -> None:
    """None -> one of a language model's layers: norm, attention with a cache, norm, a gated feed-forward."""
    boxes = {
        "x": Box(0.0, 0.0, "stream X\n(n, 576)"),
        "norm": Box(2.7, 0.0, "RMSNorm", "step", 1.8, 0.8),
        "qkv": Box(5.8, 0.0, "× W_Q, W_K, W_V\nsplit, rotate", "learned", 3.2),
        "cache": Box(5.8, 1.9, "cache of\nkeys, values", "data", 2.4),
        "attention": Box(9.5, 0.0, "your attention\n9 heads", "step", 2.6),
        "w_o": Box(12.2, 0.0, "× W_O", "learned", 1.3, 0.8),
        "sum": Box(14.6, 0.0, "X + ΔX\n(n, 576)"),
        "norm 2": Box(17.3, 0.0, "RMSNorm", "step", 1.8, 0.8),
        "gate": Box(19.9, 0.0, "SwiGLU\n1,536 wide", "learned", 2.2),
        "out": Box(22.7, 0.0, "X + ΔX\n(n, 576)"),
    }
    chain = ["x", "norm", "qkv", "attention", "w_o", "sum", "norm 2", "gate", "out"]
    arrows = [
        *((start, end, "") for start, end in pairwise(chain)),
        ("qkv", "cache", ""),
        ("cache", "attention", ""),
    ]
    _plot(boxes, arrows, 0.5)
    print(
        "One of 30 layers, from left to right: a norm, queries, keys and values, the cache, your "
        "attention, the "
        "sum; then a norm, a gated feed-forward layer, and the sum again."
    )


def plot_encoder_decoder() -> None:
    """None -> the machine of lesson 07: an encoder reads the source, a decoder writes the target."""
    boxes = {
        "source": Box(0.0, 2.6, "source symbols\n(n_source,)", width=2.9),
        "source rows": Box(4.0, 2.6, "rows + places\n(n_source, 96)", "learned", 2.8),
        "encoder": Box(
            8.4, 2.6, "ENCODER, 2 layers\nself-attention, 4 heads\nthen an MLP", "learned", 3.9, 1.4
        ),
        "context": Box(13.5, 2.6, "encoded source\n(n_source, 96)", width=2.9),
        "target": Box(0.0, 0.0, "written so far\n(n_target,)", width=2.9),
        "target rows": Box(4.0, 0.0, "rows + places\n(n_target, 96)", "learned", 2.8),
        "self": Box(8.4, 0.0, "DECODER, 1 layer\nself-attention, 4 heads\ncausal mask", "learned", 3.8, 1.4),
        "cross": Box(13.5, 0.0, "cross attention\n1 head\nsource mask", "learned", 2.9, 1.4),
        "mlp": Box(16.5, 0.0, "MLP", "learned", 1.3, 0.8),
        "scores": Box(19.3, 0.0, "scores\n(n_target, 40)", width=2.7),
    }
    arrows = [
        *(("source", "source rows", ""), ("source rows", "encoder", ""), ("encoder", "context", "")),
        *(("target", "target rows", ""), ("target rows", "self", ""), ("self", "cross", "queries")),
        *(("context", "cross", "keys, values"), ("cross", "mlp", ""), ("mlp", "scores", "")),
    ]
    _plot(boxes, arrows, 0.52, around=("scores", "target", "the best symbol of the last row is appended"))
    print(
        "Above, the encoder reads the whole source once. Below, the decoder writes, one symbol at a time. "
        "They meet in the cross attention: queries from below, keys and values from above."
    )


def plot_race() -> None:
    """None -> the problem of lesson 03's race: from a key to a word, and back to the key by way of W."""
    boxes = {
        "target": Box(0.0, 1.7, "the target:\nkey 0"),
        "word": Box(4.6, 1.7, "word x\n(64,)"),
        "w": Box(7.2, 1.7, "× W", "learned", 1.3, 0.8),
        "query": Box(9.7, 1.7, "query\n(64,)"),
        "keys": Box(0.0, 0.0, "8 keys\n(8, 64)"),
        "scores": Box(9.7, 0.0, "scores ÷ divisor\n(8,)", "step", 2.9),
        "weights": Box(13.2, 0.0, "weights\nsoftmax, (8,)", "step", 2.4),
        "loss": Box(13.2, 1.7, "loss\nagainst (1, 0, …, 0)", "step", 3.3),
    }
    arrows = [
        ("keys", "target", "one of them"),
        ("target", "word", "noise, rotation"),
        *(("word", "w", ""), ("w", "query", ""), ("query", "scores", ""), ("keys", "scores", "")),
        *(("scores", "weights", ""), ("weights", "loss", "")),
    ]
    _plot(boxes, arrows, 0.68)
    print("Only W is learned (dashed). It should undo the rotation: then the query finds the target.")


def _plot(
    boxes: Mapping[str, Box],
    arrows: Sequence[tuple[str, str, str]],
    scale: float,
    around: tuple[str, str, str] | None = None,
) -> None:
    """Boxes by name, (from, to, words beside the arrow) -> the picture; `scale` inches a unit.

    `around`: one more arrow, which goes from a box to another below all others.
    """
    left = min(box.x - box.width / 2 for box in boxes.values()) - 0.2
    right = max(box.x + box.width / 2 for box in boxes.values()) + 0.2
    low = min(box.y - box.height / 2 for box in boxes.values()) - (0.6 if around else 0.2)
    high = max(box.y + box.height / 2 for box in boxes.values()) + 0.2
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(scale * (right - left), scale * (high - low)))
        axes.set(xlim=(left, right), ylim=(low, high), aspect="equal")
        axes.axis("off")
        patches = {name: _draw_box(axes, box) for name, box in boxes.items()}
        for start, end, words in arrows:
            _draw_arrow(axes, boxes[start], boxes[end], (patches[start], patches[end]), words)
        if around:
            _draw_detour(axes, boxes[around[0]], boxes[around[1]], low + 0.1, around[2])
        canvas.show(figure)


def _draw_box(axes: Axes, box: Box) -> FancyBboxPatch:
    corner = (box.x - box.width / 2, box.y - box.height / 2)
    patch = FancyBboxPatch(corner, box.width, box.height, boxstyle="round,pad=0,rounding_size=0.12")
    patch.set(facecolor=FILLS[box.kind], edgecolor="0.2", linestyle=EDGES[box.kind], linewidth=1.2)
    axes.add_patch(patch)
    axes.text(box.x, box.y, box.text, ha="center", va="center", linespacing=1.25)
    return patch


def _draw_arrow(
    axes: Axes, start: Box, end: Box, patches: tuple[FancyBboxPatch, FancyBboxPatch], words: str
) -> None:
    arrow = FancyArrowPatch((start.x, start.y), (end.x, end.y), arrowstyle="-|>", shrinkA=2, shrinkB=2)
    arrow.set(patchA=patches[0], patchB=patches[1], mutation_scale=12, color="0.2")
    axes.add_patch(arrow)
    if words:
        rise = end.y - start.y  # words stand above a level arrow, else on the outer side of it
        side = -1 if rise > 0 and start.x < end.x else 1
        x, y = (start.x + end.x) / 2, (start.y + end.y) / 2
        lift = 0.12 if start.x != end.x else -0.1
        text = axes.text(x + (0.25 * side if rise else 0), y + lift, words, style="italic", size=9)
        text.set(ha=("right", "center", "left")[1 + (side if rise else 0)], va="bottom")


def _draw_detour(axes: Axes, start: Box, end: Box, y: float, words: str) -> None:
    feet = (start.y - start.height / 2, end.y - end.height / 2)
    axes.plot([start.x, start.x, end.x], [feet[0], y, y], color="0.2", lw=1)
    axes.add_patch(
        FancyArrowPatch(
            (end.x, y),
            (end.x, feet[1]),
            arrowstyle="-|>",
            shrinkA=0,
            shrinkB=2,
            color="0.2",
            mutation_scale=12,
        )
    )
    axes.text((start.x + end.x) / 2, y + 0.08, words, style="italic", size=9, ha="center", va="bottom")

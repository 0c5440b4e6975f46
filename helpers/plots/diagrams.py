"""Boxes and arrows: a machine in one picture, with the shape of everything that flows through it."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from helpers.datasets import Gpu
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
    _plot(boxes, arrows, 0.62, around=(("x", "sum", "X itself, unchanged"),))
    print("Three heads work side by side, each with queries, keys and values of its own, d_head wide.")


def plot_language_block() -> None:
    """None -> one of a language model's layers: norm, attention with a cache, norm, a gated MLP."""
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
    unchanged = "X itself, unchanged"
    _plot(boxes, arrows, 0.5, around=(("x", "sum", unchanged), ("sum", "out", unchanged)))
    print(
        "One of 30 layers, from left to right: a norm, queries, keys and values, the cache, your "
        "attention, the sum; then a norm, a gated MLP, and the sum again."
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
    _plot(boxes, arrows, 0.52, around=(("scores", "target", "the best symbol of the last row is appended"),))
    print(
        "Above, the encoder reads the whole source once. Below, the decoder writes, one symbol at a time. "
        "They meet in the cross attention: queries from below, keys and values from above."
    )


def plot_three_places() -> None:
    """None -> the machine of lesson 04, with the three places at which a position can come in."""
    boxes = {
        "x": Box(0.0, 0.0, "tokens X\n(n, d_model)"),
        "vector": Box(0.0, 2.2, "+ a vector\nsinusoidal, learned", "learned", 3.2, 1.2),
        "project": Box(3.6, 0.0, "× W_Q, W_K, W_V", "step", 2.7, 0.9),
        "turn": Box(7.2, 2.2, "turn\nRoPE", "learned", 2.0, 1.2),
        "qk": Box(7.2, 0.0, "queries, keys\n(n, d_k)", "data", 2.3),
        "v": Box(7.2, -2.0, "values\n(n, d_v)", "data", 2.3),
        "bias": Box(11.0, 2.2, "+ a number\nT5, ALiBi", "learned", 2.3, 1.2),
        "scores": Box(11.0, 0.0, "scores\n(n, n)", "step", 2.0),
        "weights": Box(14.2, 0.0, "mask, softmax\n(n, n)", "step", 2.3),
        "output": Box(14.2, -2.0, "output\n(n, d_v)", "step", 2.3),
    }
    arrows = [
        *(("vector", "x", ""), ("x", "project", ""), ("turn", "qk", ""), ("bias", "scores", "")),
        *(("project", "qk", ""), ("project", "v", ""), ("qk", "scores", ""), ("scores", "weights", "")),
        *(("weights", "output", ""), ("v", "output", "")),
    ]
    _plot(boxes, arrows, 0.66)
    print(
        "A position can come in at three places: a vector added to each token, a turn of each query and key, "
        "or a number added to each score. No arrow with a position leads to the values alone."
    )


def plot_tiled_attention() -> None:
    """None -> lesson 13 in one picture: a tile of queries goes over the keys, tile by tile."""
    boxes = {
        "q": Box(0.0, 1.3, "a tile of queries\n(tile_queries, d_k)", width=4.8, height=1.2),
        "kv": Box(
            0.0,
            -1.3,
            "a tile of keys (tile_keys, d_k)\nand its values (tile_keys, d_v)",
            width=4.8,
            height=1.2,
        ),
        "scores": Box(6.2, 0.9, "scores\n(tile_queries, tile_keys)", "step", 4.1, 1.2),
        "fold": Box(
            11.0, -0.2, "fold in: new maximum,\nrescale what is kept,\nadd this tile", "step", 3.9, 1.6
        ),
        "kept": Box(
            15.9, -0.2, "kept for each query\nrunning_max, running_sum\nweighted_sum", width=4.6, height=1.6
        ),
        "output": Box(21.6, -0.2, "output\nweighted_sum / running_sum", "step", 5.0, 1.2),
    }
    arrows = [
        *(("q", "scores", ""), ("kv", "scores", "keys"), ("scores", "fold", ""), ("kv", "fold", "values")),
        *(("fold", "kept", ""), ("kept", "output", "")),
    ]
    around = (("kept", "kv", "next: another tile of keys and values, the same queries"),)
    _plot(boxes, arrows, 0.5, around)
    print(
        "One tile of scores exists at a time. What is kept between tiles has a row for each query of the "
        "tile and does not grow with the number of keys. The division comes last, once."
    )


def plot_prefill_decode() -> None:
    """None -> lesson 14 in one picture: a prompt is read in one pass, then one token at a time is written."""
    boxes = {
        "prompt": Box(0.0, 1.9, "prompt\nn tokens", width=2.4),
        "prefill": Box(4.4, 1.9, "PREFILL, once\nn queries, causal mask", "step", 3.9, 1.2),
        "cache": Box(
            11.0, 1.9, "cache, in every layer\na key and a value for each token", width=5.0, height=1.2
        ),
        "token": Box(0.0, -0.4, "newest token", width=2.4),
        "own": Box(4.4, -0.4, "its query, key, value\n1 row", "step", 3.9, 1.2),
        "decode": Box(11.0, -0.4, "DECODE, for every token\n1 query reads the whole cache", "step", 5.0, 1.2),
        "next": Box(16.0, -0.4, "next token", width=2.4),
    }
    arrows = [
        *(("prompt", "prefill", ""), ("prefill", "cache", "n rows"), ("token", "own", "")),
        *(("own", "cache", "append"), ("own", "decode", "query"), ("cache", "decode", "read")),
        ("decode", "next", ""),
    ]
    _plot(boxes, arrows, 0.6, around=(("next", "token", "it is the newest token of the next step"),))
    print(
        "Prefill: all tokens of the prompt ask at once, and their keys and values go into the cache. Decode: "
        "one token asks, its own key and value are appended, and the whole cache is "
        "read, for every token anew."
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


def plot_way_back() -> None:
    """None -> attention from left to right above, and what each step sends back from right to left below."""
    boxes = {
        "q": Box(0.0, 3.0, "queries Q", "data", 2.4),
        "k": Box(0.0, 1.5, "keys K", "data", 2.4),
        "v": Box(0.0, 0.0, "values V", "data", 2.4),
        "scores": Box(4.2, 2.25, "scores S\nQKᵀ / √d_k", "step", 2.6),
        "weights": Box(8.2, 2.25, "weights P\nsoftmax(S)", "step", 2.6),
        "output": Box(12.2, 1.1, "output O\nP V", "step", 2.2),
        "loss": Box(15.4, 1.1, "loss", "step", 1.6),
        "d_output": Box(15.4, -2.6, "dO", "learned", 1.6),
        "d_weights": Box(11.2, -1.75, "dP\ndO Vᵀ", "learned", 2.4),
        "d_scores": Box(6.6, -1.75, "dS\nP ∘ (dP − rowsum(dP ∘ P))", "learned", 4.4),
        "d_queries": Box(0.6, -1.75, "dQ = dS K / √d_k", "learned", 3.6),
        "d_keys": Box(0.6, -3.1, "dK = dSᵀ Q / √d_k", "learned", 3.6),
        "d_values": Box(0.6, -4.45, "dV = Pᵀ dO", "learned", 3.6),
    }
    arrows = [
        *(("q", "scores", ""), ("k", "scores", ""), ("scores", "weights", "")),
        *(("weights", "output", ""), ("v", "output", ""), ("output", "loss", "")),
        *(("loss", "d_output", ""), ("d_output", "d_weights", ""), ("d_weights", "d_scores", "")),
        *(("d_scores", "d_queries", ""), ("d_scores", "d_keys", ""), ("d_output", "d_values", "")),
    ]
    _plot(boxes, arrows, 0.58)
    print(
        "Above, the way forward, from left to right. Below (dashed), the way back, from right to left: dO "
        "splits into dV and dP, dP becomes dS, and dS splits into dQ and dK."
    )


def plot_induction(token: str = "M", follower: str = "b") -> None:
    """A token, what followed it -> how two layers say the follower when the token comes again."""
    boxes = {
        "earlier": Box(0.0, 0.0, token, width=1.6),
        "follower": Box(4.6, 0.0, follower, width=1.6),
        "gap": Box(8.6, 0.0, "…", width=1.6),
        "again": Box(13.4, 0.0, f"{token} again", width=2.2),
        "note": Box(4.6, 2.2, f"{follower}, with a note:\n“after {token}”", "step", 3.4, 1.2),
        "query": Box(13.4, 2.2, f"a query: I am {token},\nwho came after me?", "step", 3.4, 1.2),
        "says": Box(13.4, 4.4, f"says {follower}", "step", 2.2),
    }
    arrows = [
        ("earlier", "note", "layer 0:\na note is written"),
        *(("follower", "note", ""), ("again", "query", "")),
        ("query", "note", "layer 1: the query\nfinds this key"),
        *(("note", "says", f"layer 1: {follower} is read there"), ("query", "says", "")),
    ]
    _plot(boxes, arrows, 0.6)
    print(
        f"Layer 0: the row of {follower} reads the token before it and notes “after {token}”. Layer 1: when "
        f"{token} comes again, its query finds the key with this note, reads {follower} there, and says it."
    )


def plot_gpu(gpu: Gpu) -> None:
    """A GPU's data sheet -> its memories in one picture, from the large and slow to the small and fast.

    Prints what each holds, and how fast it hands its numbers on.
    """
    all_shared, all_registers = (gpu.sms * each / 1024 for each in (gpu.shared_kb, gpu.registers_kb))
    boxes = {
        "python": Box(0.0, 2.3, "Python, on\nthe processor", width=2.6),
        "queue": Box(4.6, 2.3, "queue of\nkernels", width=2.2),
        "sms": Box(14.0, 2.3, f"{gpu.sms} SMs, each with what is blue below", "step", 12.8),
        "memory": Box(0.0, 0.0, f"memory\n{gpu.memory_gb:g} GB", width=2.6, height=1.2),
        "l2": Box(4.6, 0.0, f"L2 cache\n{gpu.l2_mb:g} MB", width=2.2, height=1.2),
        "shared": Box(9.0, 0.0, f"shared memory\n{gpu.shared_kb:g} KB an SM", "step", 2.8, 1.2),
        "registers": Box(14.2, 0.0, f"registers\n{gpu.registers_kb:g} KB an SM", "step", 2.6, 1.2),
        "tensor": Box(
            18.5, 0.0, f"tensor cores, in all\n{gpu.operations / 1e12:,.0f} TFLOP/s", "step", 3.8, 1.2
        ),
    }
    rates = {"l2": gpu.bytes_a_second, "shared": gpu.l2_bytes, "registers": gpu.shared_bytes}
    words = {name: f"{rate / 1e12:.3g} TB/s" if rate else "" for name, rate in rates.items()}
    words["registers"] += " in all" if gpu.shared_bytes else ""
    arrows = [
        *(("python", "queue", "launch"), ("queue", "sms", "")),
        *(("memory", "l2", words["l2"]), ("l2", "shared", words["shared"])),
        *(("shared", "registers", words["registers"]), ("registers", "tensor", "")),
    ]
    _plot(boxes, arrows, 0.6)
    print(f"{gpu.name}: memory {gpu.memory_gb:g} GB; L2 {gpu.l2_mb:g} MB;", end=" ")
    print(f"in {gpu.sms} SMs {all_shared:.1f} MB of shared memory, {all_registers:.1f} MB of registers")
    handed = f"Of the whole chip, bytes a second: from memory {gpu.bytes_a_second:.3g}"
    for name, rate in (("from L2", gpu.l2_bytes), ("from all shared memories", gpu.shared_bytes)):
        handed += f", {name} {rate:.3g}" if rate else ""
    print(f"{handed}; operations a second: {gpu.operations:.3g}")


def _plot(
    boxes: Mapping[str, Box],
    arrows: Sequence[tuple[str, str, str]],
    scale: float,
    around: Sequence[tuple[str, str, str]] = (),
) -> None:
    """Boxes by name, (from, to, words beside the arrow) -> the picture; `scale` inches a unit.

    `around`: more arrows, which go from a box to another below all others.
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
        aside = 0.4 if len(around) > 1 else 0.0  # one ends where the next begins
        for start, end, words in around:
            _draw_detour(axes, boxes[start], boxes[end], low + 0.1, words, aside)
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


def _draw_detour(axes: Axes, start: Box, end: Box, y: float, words: str, aside: float) -> None:
    feet = (start.y - start.height / 2, end.y - end.height / 2)
    left, right = start.x + aside, end.x - aside
    axes.plot([left, left, right], [feet[0], y, y], color="0.2", lw=1)
    axes.add_patch(
        FancyArrowPatch(
            (right, y),
            (right, feet[1]),
            arrowstyle="-|>",
            shrinkA=0,
            shrinkB=2,
            color="0.2",
            mutation_scale=12,
        )
    )
    axes.text((left + right) / 2, y + 0.08, words, style="italic", size=9, ha="center", va="bottom")

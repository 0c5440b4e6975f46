"""Where attention stands in a Transformer (lesson 00)."""

import matplotlib.pyplot as plt

from helpers.plots import canvas


def plot_transformer() -> None:
    """() -> the path of a sentence through a Transformer, with attention marked."""
    steps = ("tokens", "embeddings", "attention", "MLP", "logits", "softmax", "next token")
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(10, 2.1))
        for i, step in enumerate(steps):
            mine = step == "attention"
            box = {"boxstyle": "round,pad=0.5", "fc": "#CDE6F5" if mine else "0.95", "ec": canvas.COLOURS[0]}
            axes.text(
                i, 0, step, ha="center", va="center", weight="bold" if mine else "normal", size=9, bbox=box
            )
            if i:
                axes.text(i - 0.5, 0, "→", ha="center", va="center", size=14)
        axes.add_patch(plt.Rectangle((1.56, -0.8), 1.9, 1.6, fill=False, ls="--", ec="0.4"))
        note = (
            "one block, repeated many times; LayerNorm before each part,\n"
            "the input added back after each part"
        )
        axes.text(2.5, 0.95, note, ha="center", va="bottom", size=9)
        axes.set(xlim=(-0.6, len(steps) - 0.4), ylim=(-0.9, 2.0))
        axes.axis("off")
        canvas.show(figure)
    position = steps.index("attention") + 1
    print(f"{' → '.join(steps)}. Attention is step {position} of {len(steps)}.")

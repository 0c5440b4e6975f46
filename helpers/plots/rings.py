"""A text on many cards: sheets that go round, who reads what at each step, who waits (lesson 16)."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from numpy.typing import ArrayLike

from helpers.plots import canvas, pieces
from helpers.shares import SHARES, keys_from, positions_of, score_cells
from helpers.validation import Array, as_floats, require_count

PALE = (
    "#CFE3F1",
    "#F7D9C4",
    "#CDE9DF",
    "#F3DFEA",
    "#DCEFFA",
    "#FBE8C0",
)  # canvas.COLOURS, under black letters


def plot_ring(n_cards: int = 4, steps: Sequence[int] = (0, 1, 2)) -> None:
    """n_cards, some steps -> the ring at each of these steps: queries that stay, the sheet in hand.

    Prints who reads which sheet. Raises ValueError unless there are 2 to 6 cards, and steps below n_cards.
    """
    _require_colours(n_cards)
    if not steps or not all(0 <= step < n_cards for step in steps):
        raise ValueError(f"steps must lie from 0 to {n_cards - 1}; got {list(steps)}")
    with plt.rc_context(canvas.STYLE):
        size = (3.3 * len(steps), 3.4)
        figure, all_axes = plt.subplots(1, len(steps), figsize=size, squeeze=False)
        for axes, step in zip(all_axes[0], steps, strict=True):
            _draw_ring(axes, n_cards, step)
        canvas.show(figure)
    for step in steps:
        held = ", ".join(f"card {r} reads sheet {keys_from(r, step, n_cards)}" for r in range(n_cards))
        print(f"step {step}: {held}")


def plot_journeys(reading: ArrayLike, journey: float) -> None:
    """(n_steps,) minutes of reading, of a sheet's journey -> both in turn, and both at the same time.

    Prints how long both take. Raises ValueError unless all are above 0.
    """
    reading = as_floats("reading", reading)
    if reading.ndim != 1 or not reading.size or not ((reading > 0).all() and journey > 0):
        raise ValueError(
            f"reading must be (n_steps,) minutes, all above 0, and so the journey; got {reading}"
        )
    rows = {
        "first read, then send": _in_turn(reading, journey),
        "send while you read": _at_once(reading, journey),
    }
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(len(rows), 1, figsize=(7.2, 2.9), sharex=True)
        for axes, (title, spans) in zip(all_axes, rows.items(), strict=True):
            _draw_spans(axes, title, spans, max(map(_end, rows.values())))
        all_axes[-1].set_xlabel("minutes")
        canvas.show(figure)
    for title, spans in rows.items():
        print(f"{title}: {_end(spans):g} minutes, of which {_end(spans) - reading.sum():g} of waiting")


def plot_triangles(n_tokens: int = 16, n_cards: int = 4) -> None:
    """n_tokens, n_cards -> the causal triangle in three ways to share: keys across, queries down.

    Each score lies in its card's colour, with its card's number; a query's card makes all scores of its row.
    What the mask hides stays white, and there each card's scores are written. Prints them for each way.
    Raises ValueError unless there are 2 to 6 cards, with 3 tokens a card or more, and at most 24 tokens.
    """
    _require_colours(n_cards)
    if not 3 * n_cards <= require_count("n_tokens", n_tokens) <= 24:
        raise ValueError(f"n_tokens must be from {3 * n_cards} (3 a card) to 24, to be read; got {n_tokens}")
    made = {share: score_cells(n_tokens, n_cards, share).sum(axis=1) for share in SHARES}
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(1, len(SHARES), figsize=(3.5 * len(SHARES), 3.7))
        for axes, (share, scores) in zip(all_axes, made.items(), strict=True):
            _draw_triangle(axes, n_tokens, scores, share)
        all_axes[0].set_ylabel("queries")
        canvas.show(figure)
    for share, scores in made.items():
        told = ", ".join(f"card {card} {n}" for card, n in enumerate(scores))
        print(f"{share}, scores in the triangle: {told}")


def plot_shares(n_tokens: int = 16, n_cards: int = 4) -> None:
    """n_tokens, n_cards -> how many scores each card makes at each step, in three ways to share, causal.

    Prints how long each way takes, counted in scores of the busiest card.
    Raises ValueError unless there are 2 to 6 cards.
    """
    _require_colours(n_cards)
    tables = {share: score_cells(n_tokens, n_cards, share) for share in SHARES}
    with plt.rc_context(canvas.STYLE):
        figure, all_axes = plt.subplots(1, len(SHARES), figsize=(3.5 * len(SHARES), 2.6))
        limits = (0.0, float(max(cells.max() for cells in tables.values())))
        for column, (share, cells) in enumerate(tables.items()):
            _draw_cells(all_axes[column], cells, limits, share, first=not column)
        canvas.show(figure)
    _print_work(tables)


def plot_heads_or_tokens(n_cards: int = 4) -> None:
    """n_cards -> which queries each card works on: a ring, tensor parallel, and tokens exchanged for heads.

    A square for each moment, tokens down and heads across, as many of each as cards; a cell holds its card.
    An arrow between two names what is sent there. After the all-reduce all cards hold the same sum.
    Prints what card 0 has in each way. Raises ValueError unless there are 2 to 6 cards.
    """
    _require_colours(n_cards)
    by_tokens = np.repeat(np.arange(n_cards)[:, None], n_cards, axis=1)
    ways: dict[str, Moments] = {
        "ring": {"attention": by_tokens},
        "tensor parallel": {"attention": by_tokens.T, "after W_O": np.full_like(by_tokens, ALL)},
        "tokens for heads": {"before": by_tokens, "attention": by_tokens.T, "after": by_tokens},
    }
    # more room between two ways than between two squares of one
    with plt.rc_context({**canvas.STYLE, "figure.constrained_layout.wspace": 0.09}):
        widths = [0.2 + len(moments) + (APART - 1) * (len(moments) - 1) for moments in ways.values()]
        figure, all_axes = plt.subplots(1, len(ways), figsize=(10.5, 2.2), width_ratios=widths)
        for axes, (title, moments), sent in zip(all_axes, ways.items(), SENT, strict=True):
            _draw_moments(axes, title, moments, sent)
        all_axes[0].set_ylabel("tokens")
        canvas.show(figure)
    for title, moments in ways.items():
        said = [f"{_held_by_card_0(cells)} ({moment})" for moment, cells in moments.items()]
        print(f"{title}, card 0: {'; '.join(said)}")


def _draw_ring(axes: Axes, n_cards: int, step: int) -> None:
    angles = np.pi / 2 - 2 * np.pi * np.arange(n_cards) / n_cards  # clockwise, card 0 on top
    for card, angle in enumerate(angles):
        x, y = 1.55 * np.cos(angle), 1.3 * np.sin(angle)
        block = keys_from(card, step, n_cards)
        _draw_station(axes, x, y, card, block)
        following = angles[(card + 1) % n_cards]
        arrow = FancyArrowPatch(
            (x, y),
            (1.55 * np.cos(following), 1.3 * np.sin(following)),
            connectionstyle="arc3,rad=-0.28",
            arrowstyle="-|>",
            mutation_scale=13,
            color="0.45",
            shrinkA=34,
            shrinkB=34,
        )
        axes.add_patch(arrow)
    axes.text(0, 0, f"step {step}", ha="center", va="center", size=11)
    axes.set(xlim=(-2.4, 2.4), ylim=(-2.0, 2.0), aspect="equal")
    axes.axis("off")


def _draw_station(axes: Axes, x: float, y: float, card: int, block: int) -> None:
    """A card with its queries, which stay, and below them the sheet that it has in hand."""
    box = FancyBboxPatch((x - 0.62, y), 1.24, 0.46, boxstyle="round,pad=0,rounding_size=0.08")
    box.set(facecolor="white", edgecolor="0.2", linewidth=1.2, zorder=2)
    axes.add_patch(box)
    axes.text(x, y + 0.5, f"card {card}", ha="center", va="bottom", size=8, color="0.3", zorder=3)
    axes.text(x, y + 0.23, f"queries {card}", ha="center", va="center", size=9, zorder=3)
    sheet = Rectangle((x - 0.55, y - 0.46), 1.1, 0.46, facecolor=PALE[block], edgecolor="0.2", zorder=2)
    axes.add_patch(sheet)
    axes.text(x, y - 0.23, f"sheet {block}", ha="center", va="center", size=9, zorder=3)


Spans = list[tuple[str, float, float]]  # what is done, from when, how long


def _in_turn(reading: Array, journey: float) -> Spans:
    spans: Spans = []
    now = 0.0
    for step, seconds in enumerate(reading):
        spans.append(("read", now, float(seconds)))
        now += seconds
        if step < len(reading) - 1:
            spans.append(("send", now, journey))
            now += journey
    return spans


def _at_once(reading: Array, journey: float) -> Spans:
    spans: Spans = []
    now = 0.0
    for step, seconds in enumerate(reading):
        spans.append(("read", now, float(seconds)))
        sending = journey if step < len(reading) - 1 else 0.0
        if sending:
            spans.append(("send", now, sending))
        now += max(float(seconds), sending)
    return spans


def _end(spans: Spans) -> float:
    return max(start + length for _, start, length in spans)


def _gaps(spans: Spans) -> list[tuple[float, float]]:
    """Spans -> from when to when nothing is read, between the first sheet and the last."""
    read = [(start, start + length) for what, start, length in spans if what == "read"]
    return [(ended, begun) for (_, ended), (begun, _) in pairwise(read) if begun > ended]


def _draw_spans(axes: Axes, title: str, spans: Spans, end: float) -> None:
    looks = {"read": (1.0, canvas.COLOURS[4], ""), "send": (0.0, canvas.COLOURS[5], "////")}
    step = {"read": 0, "send": 0}
    for what, start, length in spans:
        height, colour, hatch = looks[what]
        bar = Rectangle((start, height + 0.1), length, 0.8, facecolor=colour, edgecolor="0.2", hatch=hatch)
        axes.add_patch(bar)
        label = f"step {step[what]}"
        plain = {"facecolor": colour, "edgecolor": "none", "pad": 1.2}
        axes.text(start + length / 2, height + 0.5, label, ha="center", va="center", size=9, bbox=plain)
        step[what] += 1
    for start, until in _gaps(spans):
        axes.text((start + until) / 2, 1.5, "wait", ha="center", va="center", size=8, style="italic")
    axes.set(xlim=(0, 1.01 * end), ylim=(0, 2), yticks=(0.5, 1.5), yticklabels=("sending", "reading"))
    axes.set_title(title, loc="left")
    axes.tick_params(axis="y", length=0)


def _require_colours(n_cards: int) -> None:
    if not 2 <= require_count("n_cards", n_cards) <= len(PALE):
        raise ValueError(f"n_cards must be from 2 to {len(PALE)}, so that each has a colour; got {n_cards}")


def _draw_triangle(axes: Axes, n_tokens: int, scores: Array, share: str) -> None:
    """The rows of each card's queries, as far as the mask lets them reach; `scores`: how many a card has."""
    card_of = np.empty(n_tokens, int)
    for card in range(len(scores)):
        card_of[positions_of(card, n_tokens, len(scores), share)] = card
    for query, card in enumerate(card_of):
        for key in range(query + 1):
            _draw_owned(axes, (key, query), card)
    for card, count in enumerate(scores):
        _draw_owned(axes, (0.6 * n_tokens, 1.3 * card + 0.1), card)
        told = f"{count} scores"
        axes.text(0.6 * n_tokens + 1.5, 1.3 * card + 0.6, told, ha="left", va="center", size=9)
    axes.set(xlim=(0, n_tokens), ylim=(n_tokens, 0), aspect="equal", title=share, xlabel="keys")
    ends = (0.5, n_tokens - 0.5), ("0", str(n_tokens - 1))
    axes.set_xticks(*ends)
    axes.set_yticks(*ends)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _draw_owned(axes: Axes, corner: tuple[float, float], card: int) -> None:
    """A cell of side 1 with the number of the card that it belongs to, in its colour."""
    axes.add_patch(Rectangle(corner, 1, 1, facecolor=PALE[card], edgecolor="white"))
    axes.text(corner[0] + 0.5, corner[1] + 0.5, str(card), ha="center", va="center", size=8)


def _draw_cells(axes: Axes, cells: Array, limits: tuple[float, float], title: str, first: bool) -> None:
    steps = [str(step) for step in range(len(cells))]
    sides = ("card" if first else "", "step")
    pieces.draw_matrix(axes, cells.astype(float), steps, steps, title, 0, sides, limits)


Moments = Mapping[str, Array]  # a moment: (n_tokens, n_heads), the card of each
ALL = -1  # instead of a card: every card holds it
SENT = ("", "all-reduce", "all-to-all")  # between two moments of a ring, tensor parallel, tokens for heads
APART = 1.6  # from a square's left side to that of the next


def _draw_moments(axes: Axes, title: str, moments: Moments, sent: str) -> None:
    """A square for each moment, side by side, with an arrow between two, and a line over all of them."""
    n_cards = len(next(iter(moments.values())))
    apart = APART * n_cards
    for place, (moment, cells) in enumerate(moments.items()):
        for (token, head), card in np.ndenumerate(cells):
            _draw_held(axes, (place * apart + head, token), card)
        middle = place * apart + n_cards / 2
        across = "heads" if ALL not in cells else "columns"
        axes.text(middle, -0.1, moment, ha="center", va="bottom", size=9)
        axes.text(middle, n_cards + 0.1, across, ha="center", va="top", size=9)
        if place:
            start, end = place * apart - 0.55 * n_cards, place * apart - 0.05 * n_cards
            ends = (start, n_cards / 2), (end, n_cards / 2)
            axes.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=13, color="0.45"))
            axes.text((start + end) / 2, 0.46 * n_cards, sent, ha="center", va="bottom", size=8)
    end, above = (len(moments) - 1) * apart + n_cards, -0.17 * n_cards
    axes.plot((0, end), (above, above), color="0.2", linewidth=1)  # what stands under one title
    side = 0.1 * n_cards
    axes.set(xlim=(-side, end + side), ylim=(1.17 * n_cards, above), xticks=(), yticks=(), aspect="equal")
    axes.set_title(title)
    axes.spines[:].set_visible(False)


def _draw_held(axes: Axes, corner: tuple[float, float], card: int) -> None:
    if card == ALL:
        axes.add_patch(Rectangle(corner, 1, 1, facecolor="0.93", edgecolor="white"))
        axes.text(corner[0] + 0.5, corner[1] + 0.5, "all", ha="center", va="center", size=8)
    else:
        _draw_owned(axes, corner, card)


def _held_by_card_0(cells: Array) -> str:
    if ALL in cells:
        return "all tokens, all columns, as every card, summed over the cards"
    tokens, heads = (" ".join(map(str, np.unique(places))) for places in np.nonzero(cells == 0))
    return f"tokens {tokens}, heads {heads}"


def _print_work(tables: Mapping[str, Array]) -> None:
    for share, cells in tables.items():
        busiest = [int(most) for most in cells.max(axis=0)]
        even = cells.sum() / len(cells)
        total = f"{' + '.join(map(str, busiest))} = {sum(busiest)}"
        print(f"{share}: the busiest card of each step makes {total} scores; evenly shared {even:g}")

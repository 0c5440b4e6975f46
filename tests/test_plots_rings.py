"""Pictures of a text on many cards: what each prints follows from what it is given."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from kept_figures import kept_figures
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from helpers import plots
from helpers.shares import SHARES, positions_of, score_cells


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Figure]]:
    yield from kept_figures(monkeypatch)


def test_who_reads_which_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    plots.plot_ring(3, (0, 1))
    assert capsys.readouterr().out.splitlines() == [
        "step 0: card 0 reads sheet 0, card 1 reads sheet 1, card 2 reads sheet 2",
        "step 1: card 0 reads sheet 2, card 1 reads sheet 0, card 2 reads sheet 1",
    ]


@pytest.mark.parametrize(
    ("n_cards", "steps", "told"),
    [(7, (0,), "from 2 to 6"), (1, (0,), "from 2 to 6"), (3, (3,), "from 0 to 2")],
)
def test_a_ring_that_cannot_be_drawn(n_cards: int, steps: tuple[int, ...], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        plots.plot_ring(n_cards, steps)


@pytest.mark.parametrize(
    ("reading", "journey", "in_turn", "at_once"),
    [
        ([3, 3, 3, 3], 4, (24, 12), (15, 3)),  # 3 + 4 + 3 + 4 + 3 + 4 + 3; 4 + 4 + 4 + 3
        ([3, 3, 3], 1, (11, 2), (9, 0)),
        ([2, 5], 4, (11, 4), (9, 2)),
        ([6], 4, (6, 0), (6, 0)),
    ],
)
def test_what_a_journey_costs(
    reading: list[float],
    journey: float,
    in_turn: tuple[float, float],
    at_once: tuple[float, float],
    capsys: pytest.CaptureFixture[str],
) -> None:
    plots.plot_journeys(reading, journey)
    assert capsys.readouterr().out.splitlines() == [
        f"first read, then send: {in_turn[0]} minutes, of which {in_turn[1]} of waiting",
        f"send while you read: {at_once[0]} minutes, of which {at_once[1]} of waiting",
    ]


@pytest.mark.parametrize(
    ("journey", "expected"),
    [
        (4, [[5.0, 12.0], [3.5, 7.5]]),  # read 0 to 3, 7 to 10, 14 to 17; then 0 to 3, 4 to 7, 8 to 11
        (2, [[4.0, 9.0], []]),
    ],
)
def test_a_wait_is_written_where_nothing_is_read(
    shown: list[Figure], journey: float, expected: list[list[float]]
) -> None:
    plots.plot_journeys([3, 3, 3], journey)
    found = [
        [text.get_position()[0] for text in axes.texts if text.get_text() == "wait"]
        for axes in shown[-1].axes
    ]
    assert found == expected
    said = [text.get_text() for text in shown[-1].axes[0].texts]
    assert said.count("step 0") == said.count("step 1") == 2  # what is read and what is sent
    assert said.count("step 2") == 1  # the last step sends nothing


def test_a_journey_takes_time() -> None:
    for reading, journey in (([0, 1], 1), ([1, 1], 0), ([], 1), ([[1.0]], 1)):
        with pytest.raises(ValueError, match="all above 0"):
            plots.plot_journeys(reading, journey)


def test_who_waits(capsys: pytest.CaptureFixture[str]) -> None:
    plots.plot_shares(8, 2)
    assert capsys.readouterr().out.splitlines() == [
        "contiguous: the busiest card of each step makes 10 + 16 = 26 scores; evenly shared 18",
        "striped: the busiest card of each step makes 10 + 10 = 20 scores; evenly shared 18",
        "zigzag: the busiest card of each step makes 10 + 8 = 18 scores; evenly shared 18",
    ]
    with pytest.raises(ValueError, match="from 2 to 6"):
        plots.plot_shares(8, 7)


@pytest.mark.parametrize(("n_tokens", "n_cards"), [(16, 4), (11, 3)])
def test_the_triangle_has_the_scores_that_each_card_makes(
    n_tokens: int, n_cards: int, shown: list[Figure], capsys: pytest.CaptureFixture[str]
) -> None:
    plots.plot_triangles(n_tokens, n_cards)
    lines = capsys.readouterr().out.splitlines()
    for axes, share, line in zip(shown[-1].axes, SHARES, lines, strict=True):
        cells = {text.get_position(): text.get_text() for text in axes.texts if text.get_text().isdigit()}
        in_triangle = {place: card for place, card in cells.items() if place[0] <= place[1]}
        counted = Counter(int(card) for card in in_triangle.values())
        made = score_cells(n_tokens, n_cards, share).sum(axis=1)
        assert counted == dict(enumerate(made))
        assert sum(made) == n_tokens * (n_tokens + 1) / 2
        for card in range(n_cards):  # a row is one query, and all of it its card's
            rows = {int(y) for (_, y), of in in_triangle.items() if of == str(card)}
            assert rows == set(positions_of(card, n_tokens, n_cards, share))
        written = [text.get_text() for text in axes.texts if text.get_text().endswith("scores")]
        assert written == [f"{count} scores" for count in made]
        told = ", ".join(f"card {card} {count}" for card, count in enumerate(made))
        assert line == f"{share}, scores in the triangle: {told}"


def test_the_cards_of_a_triangle_can_be_told_apart_without_the_numbers(shown: list[Figure]) -> None:
    plots.plot_triangles(8, 2)
    patches = [patch for patch in shown[-1].axes[0].patches if isinstance(patch, Rectangle)]
    colours = [patch.get_facecolor() for patch in patches[:36]]  # 4 rows of each card
    assert len(set(colours[:10])) == len(set(colours[10:])) == 1
    assert colours[0] != colours[-1]


def test_a_triangle_that_cannot_be_drawn() -> None:
    told_of = {(16, 7): "from 2 to 6.*got 7", (25, 4): "from 12 .* to 24.*got 25", (8, 3): "from 9 .*got 8"}
    for (n_tokens, n_cards), told in told_of.items():
        with pytest.raises(ValueError, match=told):
            plots.plot_triangles(n_tokens, n_cards)


def test_who_works_on_which_heads(shown: list[Figure], capsys: pytest.CaptureFixture[str]) -> None:
    plots.plot_heads_or_tokens(3)
    assert capsys.readouterr().out.splitlines() == [
        "ring, card 0: tokens 0, heads 0 1 2 (attention)",
        "tensor parallel, card 0: tokens 0 1 2, heads 0 (attention); all tokens, all columns, as every card, "
        "summed over the cards (after W_O)",
        "tokens for heads, card 0: tokens 0, heads 0 1 2 (before); tokens 0 1 2, heads 0 (attention); "
        "tokens 0, heads 0 1 2 (after)",
    ]
    ring, tensor, exchange = shown[-1].axes
    said = [text.get_text() for text in tensor.texts]
    assert said == [
        *[*"012012012", "attention", "heads"],
        *[*["all"] * 9, "after W_O", "columns", "all-reduce"],
    ]
    down = {text.get_text(): text.get_position()[1] for text in ring.texts[:9]}
    assert down == {"0": 0.5, "1": 1.5, "2": 2.5}  # a card's tokens are a row, the first on top
    moments = [text.get_text() for text in exchange.texts if not text.get_text().isdigit()]
    assert moments == ["before", "heads", "attention", "heads", "all-to-all", "after", "heads", "all-to-all"]
    (line,) = exchange.lines  # under its title, over all three squares
    assert np.asarray(line.get_xdata()) == pytest.approx([0, 2 * 1.6 * 3 + 3])
    with pytest.raises(ValueError, match="from 2 to 6"):
        plots.plot_heads_or_tokens(7)

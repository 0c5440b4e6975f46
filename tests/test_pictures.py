"""The limits of pictures.py lie between rounding and the smallest changes that a reader would mind."""

from __future__ import annotations

import base64
import io
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pictures
import pytest
from matplotlib.figure import Figure

WEIGHTS = np.array([[0.21, 0.54, 0.25], [0.10, 0.60, 0.30], [0.33, 0.33, 0.34], [0.80, 0.15, 0.05]])


def as_png(figure: Figure) -> str:
    """A figure -> its PNG in base64, drawn as a notebook draws it."""
    png = io.BytesIO()
    figure.savefig(png, dpi=100, bbox_inches="tight")
    return base64.b64encode(png.getvalue()).decode("ascii")


@cache
def line(shift: float = 0.0, label: str = "largest weight", colour: str = "C0", points: int = 50) -> str:
    """A curve over d_k, moved up by `shift` (1 = most of the picture's height)."""
    figure = Figure()
    axes = figure.subplots()
    d_k = np.linspace(0, 400, points)
    axes.plot(d_k, 1 - np.exp(-d_k / 80) + shift, color=colour)
    axes.set(xlabel="d_k", ylabel=label, ylim=(0, 1.3))
    return as_png(figure)


@cache
def heatmap(colour: float = 0.0, number: float = 0.0, token: str = "cat", colours: str = "cividis") -> str:
    """A weights picture; one cell's colour and one cell's printed number can be off."""
    figure = Figure()
    axes = figure.subplots()
    moved, told = WEIGHTS.copy(), WEIGHTS.copy()
    moved[1, 1] += colour
    told[1, 1] += number
    axes.imshow(moved, cmap=colours, vmin=0, vmax=1)
    for (row, column), weight in np.ndenumerate(told):
        axes.text(column, row, f"{weight:.2f}", ha="center", va="center", color="white")
    axes.set_xticks(range(3), ["the", token, "sat"])
    return as_png(figure)


@cache
def scatter(shift: float = 0.0) -> str:
    """Twelve named points, one of them moved."""
    figure = Figure()
    axes = figure.subplots()
    points = np.random.default_rng(0).normal(size=(12, 2))
    points[3, 0] += shift
    axes.scatter(*points.T)
    axes.set(xlim=(-3, 3), ylim=(-3, 3))
    return as_png(figure)


@cache
def bars(shift: float = 0.0) -> str:
    """Five shares, the middle one changed."""
    figure = Figure(figsize=(4, 3))
    axes = figure.subplots()
    axes.bar(range(5), [0.10, 0.20, 0.30 + shift, 0.25, 0.15])
    axes.set_ylim(0, 0.5)
    return as_png(figure)


@pytest.fixture(autouse=True)
def _pictures_are_kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("draw", [line, heatmap, scatter, bars])
def test_the_same_figure_drawn_twice_is_the_same(draw: Any) -> None:
    assert pictures.complaint(draw(), draw.__wrapped__()) is None


@pytest.mark.parametrize("noise", [1e-7, 1e-4])
@pytest.mark.parametrize("draw", [line, heatmap, scatter, bars])
def test_rounding_passes(draw: Callable[[float], str], noise: float) -> None:
    # Another processor moves a float32 by 1e-7 of itself; this is up to a thousand times as much.
    assert pictures.complaint(draw(0.0), draw(noise)) is None


def test_a_tick_or_bar_that_snaps_to_the_next_pixel_passes() -> None:
    before, after = pictures.decode(bars()), pictures.decode(bars(0.002))
    assert np.abs(before - after).max() > 200  # a whole row of pixels changed colour
    assert not pictures.compare(before, after).matters


CHANGES: dict[str, Callable[[], tuple[str, str]]] = {
    "line moved by one pixel": lambda: (line(), line(0.005)),
    "line moved": lambda: (line(), line(0.02)),
    "line in another colour": lambda: (line(), line(colour="C1")),
    "another axis label": lambda: (line(), line(label="larger weight")),
    "a curve of three points": lambda: (line(), line(points=3)),
    "one cell's colour": lambda: (heatmap(), heatmap(colour=0.05)),
    "one digit in one cell": lambda: (heatmap(), heatmap(number=0.01)),
    "one letter of one token": lambda: (heatmap(), heatmap(token="car")),
    "another colour map": lambda: (heatmap(), heatmap(colours="viridis")),
    "one point moved": lambda: (scatter(), scatter(0.05)),
    "one bar longer": lambda: (bars(), bars(0.01)),
    "another figure": lambda: (bars(), scatter()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_figure_is_caught_and_both_pictures_are_kept(change: str) -> None:
    stored, drawn = CHANGES[change]()
    complaint = pictures.complaint(stored, drawn)
    assert complaint is not None
    folder = Path(complaint.rsplit(" ", 1)[1])
    assert {path.name for path in folder.iterdir()} >= {"stored.png", "drawn-now.png"}


@pytest.mark.parametrize("stored", ["", "garbage", base64.b64encode(b"garbage" * 40).decode("ascii")])
def test_garbage_is_not_a_picture(stored: str) -> None:
    complaint = pictures.complaint(stored, bars())
    assert complaint is not None
    assert "cannot be read" in complaint


def test_half_a_picture_is_not_a_picture() -> None:
    whole = base64.b64decode(bars())
    with pytest.raises(ValueError, match="not a picture"):
        pictures.decode(base64.b64encode(whole[: len(whole) // 2]).decode("ascii"))


def test_transparent_pixels_are_compared_on_white_paper() -> None:
    figure = Figure(figsize=(1, 1), facecolor="none")
    assert (pictures.decode(as_png(figure)) == 255).all()

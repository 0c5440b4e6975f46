"""Compares two pictures of the same figure: admits rounding, catches a changed figure.

matplotlib is pinned and draws with the fonts and the FreeType that it carries, so on another machine
a figure differs by rounding alone: grey levels at the edges of lines, and now and then an edge that
snaps to the next row of pixels. `tests/test_pictures.py` holds both limits against such noise and
against real changes.
"""

from __future__ import annotations

import base64
import binascii
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

# Levels of 255. A pixel counts as new ink when no pixel at most one step away in the other picture has
# its colour to within LARGEST. One step in a colour map of 256 entries is 4 levels at most.
LARGEST = 10
# Mean over the picture: what an edge that moved by one pixel in one place adds, but not a whole line.
MEAN = 0.25


@dataclass(frozen=True)
class Difference:
    """How far apart two pictures are, in levels of 255."""

    largest: float
    mean: float
    where: str

    @property
    def matters(self) -> bool:
        """True if this is more than rounding."""
        return self.largest > LARGEST or self.mean > MEAN

    def __str__(self) -> str:
        return (
            f"largest difference {self.largest:.0f} of 255 levels (at most {LARGEST}), "
            f"mean {self.mean:.3f} (at most {MEAN}), {self.where}"
        )


def decode(encoded: str) -> np.ndarray:
    """A PNG in base64 -> its pixels (height, width, 3), transparent ones on white.

    Raises ValueError if the text is not a picture.
    """
    try:
        picture = Image.open(io.BytesIO(base64.b64decode(encoded, validate=False))).convert("RGBA")
    except (UnidentifiedImageError, binascii.Error, OSError, SyntaxError) as error:
        raise ValueError(f"not a picture: {error}") from error
    paper = Image.new("RGBA", picture.size, "white")
    return np.asarray(Image.alpha_composite(paper, picture).convert("RGB")).astype(np.int16)


def distance_to_neighbours(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(height, width, 3), (height, width, 3) -> (height, width): how far each pixel of the first is from
    the nearest colour among the nine pixels around its place in the second."""
    height, width, _ = first.shape
    padded = np.pad(second, ((1, 1), (1, 1), (0, 0)), mode="edge")
    shifted = (padded[row : row + height, column : column + width] for row in range(3) for column in range(3))
    nearest = np.full((height, width), 255, dtype=np.int16)
    for neighbour in shifted:
        red, green, blue = np.moveaxis(np.abs(first - neighbour), -1, 0)
        np.minimum(nearest, np.maximum(np.maximum(red, green), blue), out=nearest)
    return nearest


def compare(stored: np.ndarray, drawn: np.ndarray) -> Difference:
    """Two pictures -> how far apart they are."""
    if stored.shape != drawn.shape:
        sizes = [f"{picture.shape[1]} x {picture.shape[0]}" for picture in (stored, drawn)]
        return Difference(255, 255, f"stored {sizes[0]} pixels, drawn now {sizes[1]}")
    if np.array_equal(stored, drawn):
        return Difference(0, 0, "nowhere")
    # Both ways, or ink that vanished next to ink that stayed would go unseen.
    apart = np.maximum(distance_to_neighbours(stored, drawn), distance_to_neighbours(drawn, stored))
    direct = np.abs(stored - drawn)
    rows, columns = np.nonzero(apart > LARGEST)
    if not len(rows):
        rows, columns = np.nonzero(direct.max(axis=-1) > 0)
    where = f"in rows {rows.min()}-{rows.max()}, columns {columns.min()}-{columns.max()}"
    return Difference(float(apart.max()), float(direct.mean()), where)


def keep(stored: np.ndarray | None, drawn: np.ndarray) -> Path:
    """Two pictures -> a new folder with both, and with their difference where there is one to draw."""
    folder = Path(tempfile.mkdtemp(prefix="course-figure-"))
    pictures = {"drawn-now": drawn}
    if stored is not None:
        pictures["stored"] = stored
        if stored.shape == drawn.shape:
            pictures["difference"] = 255 - np.abs(stored - drawn)
    for name, pixels in pictures.items():
        Image.fromarray(pixels.astype(np.uint8)).save(folder / f"{name}.png")
    return folder


def complaint(stored: str, drawn: str) -> str | None:
    """Two PNGs in base64 -> None if they show the same figure, else what differs and where to look."""
    now = decode(drawn)
    try:
        before = decode(stored)
    except ValueError as error:
        return f"the stored figure cannot be read ({error}); the one drawn now is in {keep(None, now)}"
    difference = compare(before, now)
    if not difference.matters:
        return None
    return f"the figure changed: {difference}; both are in {keep(before, now)}"

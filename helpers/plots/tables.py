"""Small maps as tables: coloured, with a caption, and a sentence for each cell under the mouse.

A table is text. It shows in a notebook that was never run, a screen reader reads it cell by cell, and a
changed digit is found. From MOST_LABELS labels on it would grow too long, and a picture is drawn instead.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from IPython.display import display

from helpers.masking import Mask
from helpers.plots import pieces
from helpers.validation import Array

MOST_LABELS = 16
CELL = "padding:0.3em 0.55em;text-align:center;border:1px solid #ffffff"
HIDDEN = "background-color:#e0e0e0;color:#303030"


class Grid(NamedTuple):
    """One table: its title, its numbers (n_rows, n_columns), what may be seen of them, and how they are told.

    `limits` are the numbers of the darkest and the brightest colour; `hidden` is what stands where nothing
    may be seen; `sums` adds a column and a row of sums.
    """

    title: str
    numbers: Array
    rows: Sequence[str]
    columns: Sequence[str]
    sides: tuple[str, str]
    decimals: int
    limits: tuple[float, float]
    seen: Mask | None = None
    hidden: str = "0"
    sums: bool = False


class Tables:
    """Some grids, side by side. Jupyter asks for HTML, everything else for text."""

    def __init__(self, grids: Sequence[Grid]) -> None:
        """Grids -> what shows them."""
        self.grids = tuple(grids)

    def _repr_html_(self) -> str:
        # JupyterLab shows the first line of an output that is folded away: it must give nothing away.
        first = "A table:" if len(self.grids) == 1 else f"{len(self.grids)} tables:"
        return "\n".join([first, "<div>", *(_html(grid) for grid in self.grids), "</div>"])

    def __repr__(self) -> str:
        """() -> the same tables in letters and digits."""
        return "\n\n".join(_text(grid) for grid in self.grids)


def fits(rows: Sequence[str], columns: Sequence[str]) -> bool:
    """The labels of a map -> whether it is small enough for a table."""
    return max(len(rows), len(columns)) <= MOST_LABELS


def show(grids: Sequence[Grid]) -> None:
    """Grids -> None: shows them as tables, side by side where there is room."""
    display(Tables(grids))


def limits_of(tables: Mapping[str, Array]) -> tuple[float, float]:
    """{title: numbers} -> the ends of one colour scale for all: 0 to 1 for shares, else with 0 among them."""
    low = min(float(np.min(table)) for table in tables.values())
    high = max(float(np.max(table)) for table in tables.values())
    return (0.0, 1.0) if 0 <= low <= high <= 1 else (min(low, 0.0), max(high, 0.0))


def _written(grid: Grid) -> list[list[str]]:
    seen = np.ones(grid.numbers.shape, dtype=bool) if grid.seen is None else grid.seen
    return [
        [
            f"{number:.{grid.decimals}f}" if is_seen else grid.hidden
            for number, is_seen in zip(*both, strict=True)
        ]
        for both in zip(grid.numbers, seen, strict=True)
    ]


def _html(grid: Grid) -> str:
    """A grid -> its table. The colours are those of the numbers as written, the same on every processor."""
    colours = pieces.colours_for(grid.limits)
    heads = "".join(f'<th scope="col" style="{CELL}">{escape(name)}</th>' for name in grid.columns)
    if grid.sums:
        heads += f'<th scope="col" style="{CELL}">sum</th>'
    lines = []
    for i, (name, row) in enumerate(zip(grid.rows, _written(grid), strict=True)):
        cells = [f'<th scope="row" style="{CELL}">{escape(name)}</th>']
        for j, text in enumerate(row):
            if grid.seen is not None and not grid.seen[i, j]:
                said, look = f"{name}, {grid.columns[j]}: hidden", HIDDEN
            else:
                said, look = _sentence(grid, name, grid.columns[j], text), pieces.as_css(colours, float(text))
            cells.append(f'<td style="{CELL};{look}" title="{escape(said)}">{escape(text)}</td>')
        if grid.sums:
            cells.append(f'<td style="{CELL}"><b>{grid.numbers[i].sum():.2f}</b></td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    if grid.sums:
        below = "".join(f'<td style="{CELL}"><b>{total:.2f}</b></td>' for total in grid.numbers.sum(axis=0))
        lines.append(f'<tr><th scope="row" style="{CELL}">sum</th>{below}<td style="{CELL}"></td></tr>')
    caption = escape(_caption(grid))
    return (
        '<table style="display:inline-table;margin-right:2em;border-collapse:collapse">'
        f'<caption style="padding-bottom:0.4em">{caption}</caption>\n'
        f'<thead><tr><th style="{CELL}"></th>{heads}</tr></thead>\n<tbody>\n'
        + "\n".join(lines)
        + "\n</tbody></table>"
    )


def _caption(grid: Grid) -> str:
    rows, columns = grid.sides
    named = ", ".join(f"{place}: {side}" for place, side in (("rows", rows), ("columns", columns)) if side)
    return f"{grid.title} ({named})" if named else grid.title


def _sentence(grid: Grid, row: str, column: str, text: str) -> str:
    """What one cell says, under the mouse."""
    if grid.title.startswith("weights") and grid.sides == ("queries", "keys"):
        return f"{row} gives {column} {text} of its attention"
    return f"{row}, {column}: {text}"


def _text(grid: Grid) -> str:
    written = _written(grid)
    lines = [["", *grid.columns], *([name, *row] for name, row in zip(grid.rows, written, strict=True))]
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    told = [
        "  ".join(entry.rjust(width) for entry, width in zip(line, widths, strict=True)) for line in lines
    ]
    return "\n".join([_caption(grid), *told])

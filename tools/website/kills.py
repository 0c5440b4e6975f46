"""docs/kill_table.md -> the same for the site: two tables as wide as a page, instead of one twice as wide.

The file keeps both counts of an exercise in one row, which tools/kill_table.py reads again.
"""

from collections.abc import Iterator, Sequence

ABOUT = 3  # columns that say which exercise it is
KIND = 2  # the last of them: a few short words, which site.css keeps in one line where there is room
IN_A_LINE = '<span class="entry whole">{}</span>'
KINDS = (("single mistakes", "Single mistakes"), ("pairs", "Pairs of mistakes"))


def in_two(text: str) -> str:
    """The page's Markdown -> the same; its last table is one of single mistakes, and one of pairs.

    Raises ValueError where the text has no table of both.
    """
    head, line, rest = text.partition("| lesson | exercise | kind | single mistakes |")
    names, _, *rows = [cells(each) for each in (line + rest).splitlines() if each.startswith("|")] or [[], []]
    places = [names.index(name) for name, _ in KINDS if name in names]
    if len(places) != len(KINDS):
        raise ValueError("docs/kill_table.md has no table with the columns 'single mistakes' and 'pairs'.")
    after = "\n".join(each for each in rest.splitlines()[1:] if not each.startswith("|")).strip()
    parts = [head.rstrip()]
    for (_, title), start, end in zip(KINDS, places, [*places[1:], len(names)], strict=True):
        parts += [f"### {title}", *part(names, rows, range(start, end))]
    return "\n\n".join([*parts, after]).rstrip() + "\n"


def part(names: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[int]) -> Iterator[str]:
    """Names of columns, rows, the columns of one kind -> a sentence on what is left out, and the table."""
    total, *verdicts = columns
    kept = [row for row in rows if row[total] != "0"]
    empty = [place for place in verdicts if all(row[place] == "0" for row in kept)]
    left = ["exercises without any"] * (len(kept) < len(rows))
    left += [f"what is 0 throughout ({', '.join(f'*{names[place]}*' for place in empty)})"] * bool(empty)
    if left:
        yield f"Left out: {' and '.join(left)}."
    shown = [*range(ABOUT), *(place for place in columns if place not in empty)]
    lines = [[names[place] for place in shown], ["---"] * ABOUT + ["---:"] * (len(shown) - ABOUT)]
    kinds = [[*row[:KIND], IN_A_LINE.format(row[KIND]) * bool(row[KIND]), *row[ABOUT:]] for row in kept]
    lines += [[row[place] for place in shown] for row in kinds]
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cells(line: str) -> list[str]:
    """A line of a table -> its cells."""
    return [each.strip() for each in line.strip().strip("|").split("|")]

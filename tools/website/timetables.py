"""docs/teaching/days.md -> the same for the site: in its tables a section stands in a line of its own."""

import re

ROW = re.compile(r"^\| \d+:\d\d \|.*$", re.MULTILINE)
SECTIONS, EXERCISES = 4, 5  # places of the two columns between a row's bars
LAST_BLANK = re.compile(r"\s(?=\d+$)")
WITHOUT = ". Without: "
LINE, EXERCISE = '<span class="entry">{}</span>', '<span class="entry whole">{}</span>'
TOGETHER = "\N{NO-BREAK SPACE}"


def in_lines(text: str) -> str:
    """The page's Markdown -> the same; each section and each exercise is in one line with its minutes."""
    return ROW.sub(lambda row: row_in_lines(row[0]), text)


def row_in_lines(row: str) -> str:
    """A row of a timetable -> the same. Raises ValueError where it has not the columns of one."""
    cells = [each.strip() for each in row.split("|")]
    if len(cells) != 8:
        raise ValueError(
            f"docs/teaching/days.md has a row without the six columns of a timetable: {row[:60]!r}"
        )
    taught, _, left_out = cells[SECTIONS].partition(WITHOUT)
    without = [f"*without:* {left_out}"] * bool(left_out)
    cells[SECTIONS] = "".join(
        LINE.format(LAST_BLANK.sub(TOGETHER, each)) for each in [*taught.split("; "), *without]
    )
    cells[EXERCISES] = "".join(EXERCISE.format(each) for each in cells[EXERCISES].split(", ") if each)
    return " | ".join(cells).strip()

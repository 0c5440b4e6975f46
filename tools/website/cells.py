"""A stored notebook -> the same for readers of the site. Pure: dictionaries in, dictionaries out.

What a learner does in the notebook is told here: a check cannot be run, a slider does not move. What a
learner is to predict stays folded.
"""

import copy
import re
from typing import Any

from website.answers import with_folds
from website.lessons import Lesson
from website.pictures import with_smaller
from website.stories import as_cells

Cell = dict[str, Any]
LONGEST_ALT = 400
FOLD = {"code_prompt_show": "Show the answer", "code_prompt_hide": "Hide the answer"}
CHECK = re.compile(r'^check\("(?P<name>[a-z0-9-]+)", (?P<answer>\w+)\)$')
DISPLAYED = re.compile(r"\$\$(?P<formula>.+?)\$\$", re.DOTALL)
SIDE_BY_SIDE = re.compile(r",\s*\\qquad\s*")
LONGEST_ROW = 90  # letters of a formula's TeX; set in one row, a longer one would be too small on a phone
NOTEBOOK_LINK = re.compile(r"(?<=\.ipynb#)[^)\s]+")
FOLDED_TABLE = re.compile(r"\A(?:A table|\d+ tables):\n(?=<div>)")  # what JupyterLab shows of a folded one
SO_FAR = re.compile(r"\s*^What you have done so far\b[^\n]*:\s*\Z", re.MULTILINE)  # it leads to progress()
OPTION = re.compile(r"^- ([a-d])\) ", re.MULTILINE)  # the others are - **a**, in all lessons
SLIDER = "In the notebook you can move this: a slider, a menu or boxes, drawn anew for each choice."


def for_readers(notebook: dict[str, Any], lesson: Lesson, links: str) -> dict[str, Any]:
    """A notebook as JSON, its lesson, a line of links -> a copy for the site. The notebook is left alone."""
    prepared = copy.deepcopy(notebook)
    section, cells = "", []
    drawn: dict[str, str] = {}
    for cell in prepared["cells"]:
        section = heading_of(text_of(cell)) or section if cell["cell_type"] == "markdown" else section
        cells += drawn_before(cell, section, drawn) or cell_for_readers(cell, lesson, section)
    cells.insert(1, markdown("site-links", links))
    prepared["cells"] = with_folds(cells)
    return prepared


def drawn_before(cell: Cell, section: str, drawn: dict[str, str]) -> list[Cell]:
    """A cell, the heading above it, {figure: the heading above it} of the cells before -> what stands for a
    slider that begins with one of these figures, or nothing. Afterwards its own figures are among them.
    """
    figures = [
        "".join(each["data"]["image/png"])
        for each in cell.get("outputs", [])
        if "image/png" in each.get("data", {})
    ]
    known = [drawn[each] for each in figures if each in drawn]
    drawn |= {each: section for each in figures if each not in drawn}
    if not cell["id"].endswith("-slider") or not figures or len(known) < len(figures):
        return []
    place = "above" if known[0] == section else f"under “{known[0]}”"
    return [
        {**cell, "outputs": []},
        markdown(f"{cell['id']}-note", f"*{SLIDER} It begins with the figure {place}.*"),
    ]


def cell_for_readers(cell: Cell, lesson: Lesson, section: str) -> list[Cell]:
    """A cell, its lesson, the heading above it -> the cells that stand for it on the site."""
    text = text_of(cell)
    if cell["cell_type"] == "markdown":
        text = SO_FAR.sub("", text)
        return [{**cell, "source": place_of(cell, lesson) + prose(text, lesson)}] if text else []
    found = CHECK.match(text)
    if found:
        return [markdown(cell["id"], try_it(found["name"], text, printed_by(cell), lesson))]
    if text.strip() == "progress()":
        return []  # what it prints is about the machine that ran it
    cell, *story = as_cells(with_smaller(described(folded(printed_for_a_page(cell)), section)))
    if cell["id"].endswith("-slider"):
        return [cell, markdown(f"{cell['id']}-note", f"*{SLIDER}*")]
    return [cell, *story]


def printed_for_a_page(cell: Cell) -> Cell:
    """A code cell -> the same; a table has no line above it that only JupyterLab needs."""
    outputs = []
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text/html" in data:
            html = FOLDED_TABLE.sub("", "".join(data["text/html"]))
            output = {**output, "data": {**data, "text/html": html}}
        outputs.append(output)
    return {**cell, "outputs": outputs}


def text_of(cell: Cell) -> str:
    """A cell -> its source as one text."""
    return "".join(cell["source"])


def markdown(name: str, text: str) -> Cell:
    """An id, a text -> a cell of prose."""
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def heading_of(text: str) -> str:
    """A cell's text -> the heading that it begins with, without its marks, or nothing."""
    found = re.match(r"#{1,6} +(.+)", text)
    return re.sub(r"[`*$]", "", found[1]).strip() if found else ""


def prose(text: str, lesson: Lesson) -> str:
    """A cell's text -> the same with the lesson's number in its title, and links as the site spells them.

    JupyterLab keeps the capitals of a heading in its address, and the site does not.
    """
    text = DISPLAYED.sub(stacked, NOTEBOOK_LINK.sub(lambda anchor: anchor[0].lower(), text))
    text = OPTION.sub(r"- **\1** ", text)
    return re.sub(r"\A# ", f"# {lesson.number} · ", text) if lesson.number else text


def stacked(found: re.Match[str]) -> str:
    """A displayed formula -> the same; where it is long, its parts stand one below the other."""
    rows = SIDE_BY_SIDE.sub(r", \\\\ ", found["formula"])
    if len(found["formula"]) <= LONGEST_ROW or rows == found["formula"]:
        return found[0]
    return rf"$$\begin{{gathered}} {rows.strip()} \end{{gathered}}$$"


def place_of(cell: Cell, lesson: Lesson) -> str:
    """A cell of prose, its lesson -> the mark that other pages lead to, where it is an exercise's task."""
    name = cell["id"].removesuffix("-task")
    return f"({place_name(name)})=\n" if lesson.number and name != cell["id"] else ""


def place_name(exercise: str) -> str:
    """An exercise -> the name of its place in its lesson, one of its kind on the whole site."""
    return f"exercise-{exercise}"


def try_it(name: str, call: str, printed: str, lesson: Lesson) -> str:
    """An exercise, its call, what the call says of the untouched answer -> the box that stands for it."""
    where = (
        f"[One right answer, and the mistakes that the check knows](../mistakes/{lesson.number}.md#{name})"
    )
    if not lesson.number:  # a planted bug has no page: its mistakes are those of the function it stands in
        where = f'`hint("{name}")` goes one step further each time.'
    start = printed.partition("\n")[2]  # the first line says only that nothing was tried yet
    clue = f"\n\n{' '.join(start.split())}" if start.strip() else ""
    return (
        f":::{{admonition}} Try it in the notebook\n:class: try-it\n"
        f"Write your answer in the cell above, then run `{call}`.{clue}\n\n"
        f"{where}\n:::"
    )


def folded(cell: Cell) -> Cell:
    """A code cell -> the same; an output that the notebook hides can be unfolded."""
    metadata = cell["metadata"]
    if not metadata.get("jupyter", {}).get("outputs_hidden"):
        return cell
    tags = [*metadata.get("tags", []), "hide-output"]
    return {**cell, "metadata": {**metadata, "tags": tags, "mystnb": {**metadata.get("mystnb", {}), **FOLD}}}


def described(cell: Cell, section: str) -> Cell:
    """A code cell, the heading above it -> the same; its figures have alternative text."""
    if not has_figure(cell):
        return cell
    metadata = cell["metadata"]
    image = {"alt": alternative(printed_by(cell), section)}
    return {**cell, "metadata": {**metadata, "mystnb": {**metadata.get("mystnb", {}), "image": image}}}


def has_figure(cell: Cell) -> bool:
    """A code cell -> whether it stores a picture."""
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def printed_by(cell: Cell) -> str:
    """A code cell -> all that it has printed."""
    streams = [output for output in cell.get("outputs", []) if output["output_type"] == "stream"]
    return "".join("".join(output["text"]) for output in streams)


def alternative(finding: str, section: str) -> str:
    """What a figure's cell printed, the heading above it -> alternative text, cut at a word where too long.

    Raises ValueError where the cell printed nothing: each figure of the course prints its finding.
    """
    words = " ".join(finding.split())
    if not words:
        raise ValueError(
            f"a figure under {section!r} prints no finding: there is nothing to describe it with"
        )
    if len(words) > LONGEST_ALT:
        words = words[:LONGEST_ALT].rpartition(" ")[0] + " …"
    return f"Figure: {section}. {words}" if section else f"Figure. {words}"

"""A lesson as it was, a learner's copy of it, and the newer lesson -> one notebook, cell by cell.

Cells are matched by their ids. What only one side changed is taken from that side. Where both changed a cell,
an exercise keeps the learner's answer; of any other cell the course's version is used, so that the lesson
runs, and the learner's stands below it as text. The order of cells is the course's; a learner's own cell
stays behind the cell that it stood behind.
"""

from collections import Counter
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from course.notebooks import Cell, Notebook, is_exercise, says, source

TOP, END = "the top", "the end"  # ids hold no space: no cell is called so
EARLIER = "from-an-earlier-version"
EARLIER_TEXT = (
    "## From an earlier version of this lesson\n\n"
    "The course no longer has what follows. You had worked on it, so `course.py update` kept it."
)
YOURS = "*Your version of the cell above, from before `course.py update`:*"
GONE = "*A cell that the course no longer has, as you had changed it:*"
ANSWERS, CHANGED, OWN = "answers", "cells that you changed", "cells of your own"


class Merged(NamedTuple):
    """The notebook, and how many of which things of the learner's are in it."""

    notebook: Notebook
    kept: Counter[str]


def merge(base: Notebook, mine: Notebook, new: Notebook) -> Merged:
    """The lesson as it was, the learner's, the newer one -> the newer one with the learner's work in it."""
    base, mine = in_the_words_of(base, mine, new)
    known, theirs = by_id(base), by_id(mine)
    kept: Counter[str] = Counter()
    groups: dict[str, list[Cell]] = {TOP: []}
    for cell in new["cells"]:
        groups[cell["id"]] = meet(known.get(cell["id"]), theirs.get(cell["id"]), cell, kept)
    groups[END] = []
    place_own_cells(mine, known, groups, kept)
    groups[END] += removed(known, theirs, groups, kept)
    cells = [cell for group in groups.values() for cell in group]
    saved_by_learner = cells != new["cells"] and mine.get("metadata") != base.get("metadata")
    metadata = (mine if saved_by_learner else new).get("metadata", {})
    return Merged({**new, "cells": named_apart(cells), "metadata": metadata}, kept)


def by_id(notebook: Notebook) -> dict[str, Cell]:
    """A notebook -> its cells by their ids."""
    return {cell["id"]: cell for cell in notebook["cells"]}


def meet(base: Cell | None, mine: Cell | None, new: Cell, kept: Counter[str]) -> list[Cell]:
    """A cell of the newer lesson, as it was, as the learner has it -> what stands in its place."""
    if base is None or (mine is not None and says(mine) == says(new)):
        return [with_outputs(base, mine, new)]
    if mine is None:  # the learner deleted it; it comes back when it has something new to say
        return [] if says(base) == says(new) else [new]
    if says(mine) == says(base):
        return [new]
    if is_exercise(new) or says(base) == says(new):
        task_changed = is_exercise(new) and says(base) != says(new)
        kept[ANSWERS + " whose task changed" * task_changed if is_exercise(new) else CHANGED] += 1
        return [{**mine, "metadata": new.get("metadata", {})}]
    kept[f"{CHANGED} that the course changed too (yours are below, as text)"] += 1
    return [new, as_text(mine, YOURS)]


def with_outputs(base: Cell | None, mine: Cell | None, new: Cell) -> Cell:
    """A cell with the newer lesson's words -> it, with the learner's outputs where they differ."""
    if base is None or mine is None or shown(mine) == shown(base):
        return new
    return {**new, "outputs": mine.get("outputs", []), "execution_count": mine.get("execution_count")}


def shown(cell: Cell) -> list[Any]:
    """A cell -> what a reader sees of its outputs: no counts, and texts whole."""
    return [
        {key: whole(value) for key, value in output.items() if key not in ("execution_count", "metadata")}
        for output in cell.get("outputs", [])
    ]


def whole(value: Any) -> Any:
    """A part of an output -> the same, with lists of lines as one text."""
    if isinstance(value, dict):
        return {key: whole(part) for key, part in value.items()}
    return "".join(value) if isinstance(value, list) and all(isinstance(x, str) for x in value) else value


def place_own_cells(
    mine: Notebook, known: dict[str, Cell], groups: dict[str, list[Cell]], kept: Counter[str]
) -> None:
    """Puts each cell of the learner's own behind the one that it stood behind, or behind that one's."""
    anchor = TOP
    for cell in mine["cells"]:
        if cell["id"] in known:
            anchor = cell["id"] if cell["id"] in groups else anchor
            continue
        if cell["id"] == EARLIER:
            anchor = END
        if cell["id"] in groups and any(says(cell) == says(there) for there in groups[cell["id"]]):
            continue  # the newer lesson has the very same
        kept[OWN] += cell["id"] != EARLIER
        groups[anchor].append(cell)


def removed(
    known: dict[str, Cell], theirs: dict[str, Cell], groups: dict[str, list[Cell]], kept: Counter[str]
) -> list[Cell]:
    """Cells as they were, as the learner has them -> what the newer lesson lacks and the learner edited."""
    found: list[Cell] = []
    for name, base in known.items():
        mine = theirs.get(name)
        if name in groups or mine is None or says(mine) == says(base):
            continue
        if is_exercise(base):
            kept[f"{ANSWERS} to tasks that are gone (at the end)"] += 1
            task = theirs.get(name.removesuffix("-try") + "-task")
            found += [task] if task and task["id"] not in groups and task not in found else []
            found.append({**mine, "metadata": {}})
        elif mine not in found:
            kept[f"{CHANGED} that are gone (at the end, as text)"] += 1
            found.append(as_text(mine, GONE))
    heading = {"cell_type": "markdown", "id": EARLIER, "metadata": {}, "source": EARLIER_TEXT}
    there = any(cell["id"] == EARLIER for cell in groups[END])
    return [heading, *found] if found and not there else found


def as_text(cell: Cell, introduction: str) -> Cell:
    """A cell, a line -> a text cell that shows it below that line, and runs nothing."""
    said = source(cell)
    if cell.get("cell_type") != "markdown":
        fence = "```"
        while fence in said:
            fence += "`"
        said = f"{fence}python\n{said}\n{fence}"
    pictures = {"attachments": cell["attachments"]} if "attachments" in cell else {}
    text = f"{introduction}\n\n{said}"
    return {"cell_type": "markdown", "id": f"{cell['id']}-yours", "metadata": {}, "source": text, **pictures}


# --- the same cell under the same id ------------------------------------------------------------------------


def in_the_words_of(base: Notebook, mine: Notebook, new: Notebook) -> tuple[Notebook, Notebook]:
    """Three notebooks -> the first two, each cell with an id, and with the third's ids where it renamed."""
    mine = {**mine, "cells": named_apart(with_ids(mine["cells"], base["cells"]))}
    names = renamed(base["cells"], new["cells"])
    # A learner's own cell that bears a name of the newer lesson by chance makes room for it.
    taken = names.keys() | {cell["id"] for cell in base["cells"]}
    fresh = {cell["id"]: says(cell) for cell in new["cells"]}
    cells = []
    for cell in mine["cells"]:
        own = cell["id"] not in taken and fresh.get(cell["id"], says(cell)) != says(cell)
        cells.append({**cell, "id": f"{cell['id']}-yours" if own else names.get(cell["id"], cell["id"])})
    before = [{**cell, "id": names.get(cell["id"], cell["id"])} for cell in base["cells"]]
    return {**base, "cells": before}, {**mine, "cells": named_apart(cells)}


def renamed(base: list[Cell], new: list[Cell]) -> dict[str, str]:
    """Cells before, cells now -> the new id of each that has another one now and says the same, once."""
    before, now = ({cell["id"]: says(cell) for cell in cells} for cells in (base, new))
    gone = {name: said for name, said in before.items() if name not in now}
    come = {name: said for name, said in now.items() if name not in before}
    once = Counter([*gone.values(), *come.values()])
    return {
        old: name
        for old, said in gone.items()
        for name, other in come.items()
        if said == other and once[said] == 2
    }


def with_ids(cells: list[Cell], base: list[Cell]) -> list[Cell]:
    """Cells of which some have no id, cells as they were -> the same, with the ids that they had.

    Older programs drop ids. Cells between two that stayed as they were are matched in order.
    """
    if all(cell.get("id") for cell in cells):
        return cells
    given = [dict(cell) for cell in cells]
    used = {cell.get("id") for cell in cells}
    matcher = SequenceMatcher(None, [says(c) for c in base], [says(c) for c in cells], autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal" or (kind == "replace" and end - start == last - first):
            for before, cell in zip(base[start:end], given[first:last], strict=True):
                if not cell.get("id") and before["id"] not in used:
                    cell["id"] = before["id"]
    for number, cell in enumerate(given):
        cell["id"] = cell.get("id") or f"your-cell-{number}"
    return given


def named_apart(cells: list[Cell]) -> list[Cell]:
    """Cells -> the same, where no two bear the same id: the later one of two gets another."""
    used: set[str] = set()
    apart = []
    for cell in cells:
        name, number = cell["id"], 2
        while name in used:
            name, number = f"{cell['id'][:50]}-{number}", number + 1
        used.add(name)
        apart.append(cell if name == cell["id"] else {**cell, "id": name})
    return apart

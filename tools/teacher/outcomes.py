"""What a class sees after a prediction: the whole answer as its lesson gives it, and the lines that were
printed where the answer stands only there.

An answer is the text below the cells that ran, as far as the next code, heading, prediction or takeaway;
words that lead on to what comes next are left out. The printed lines stand above the text where it has none
of their numbers. outcomes.toml lists the predictions for which that is not enough, and those answered
further on.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from teacher.blocks import Block, blocks, said, sentences
from teacher.lessons import PREDICT

LISTED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
MOST_LINES = 16  # of what was printed
SHORT = 80  # letters: what is left of a last paragraph without the words that lead on, and says nothing
NEAR = 3  # sentences from a question to the words with a colon that answer it
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
LEADS = re.compile(r"[:?][)\"*_`]*$|\bslider\b")
TURNS = re.compile(r"(?:Here (?:is|are)|Let us|Now (?:take|the other|the same))\b")
ENDS = ("heading", "predict", "takeaway", "quote", "html")
BELONG = ("formula", "table", "list", "code")  # to the paragraph above


class Answer(NamedTuple):
    """Where a prediction is answered: the cells that ran, the texts below them, the cell after these."""

    ran: Sequence[NotebookNode]
    texts: Sequence[NotebookNode]
    after: NotebookNode | None


def outcome(name: str, following: Sequence[NotebookNode]) -> str:
    """A prediction's cell, the cells after it in its section -> what the class sees, in Markdown.

    Raises ValueError where outcomes.toml names a cell or a paragraph that is not there.
    """
    found = answered(name, following)
    text = "\n\n".join(words(found, LISTED["until"].get(name, "")))
    lines = printed(found.ran)
    most = LISTED["lines"].get(name, 0 if tells(text, lines) else MOST_LINES)
    return "\n\n".join(part for part in (box(lines, most), text) if part)


def answered(name: str, following: Sequence[NotebookNode]) -> Answer:
    """A prediction's cell, the cells after it -> where it is answered. Raises ValueError like `outcome`."""
    texts = [place for place, cell in enumerate(following) if cell.cell_type == "markdown"]
    further = LISTED["further"].get(name)
    named = [place for place in texts if further in (None, following[place].id)]
    if further and not named:
        raise ValueError(f"outcomes.toml has {name!r} answered in {further!r}, which does not follow it.")
    start = named[0] if named else len(following)
    first = max((place + 1 for place in texts if place < start), default=0)
    end = start + 1
    while end in texts and not is_new(following[end]):
        end += 1
    after = following[end] if end < len(following) else None
    return Answer(following[first:start], following[start:end], after)


def is_new(cell: NotebookNode) -> bool:
    """A text cell -> whether it begins something else: an exercise, a section, the next prediction."""
    return cell.id.endswith("-task") or cell.source.startswith("#") or PREDICT in cell.source


def words(found: Answer, until: str) -> list[str]:
    """Where a prediction is answered, the beginning of what is left out or "" -> the answer's paragraphs."""
    every = [block for cell in found.texts for block in blocks(cell.source)]
    taken = paragraphs(every[1:] if every and every[0].kind == "html" else every)  # without <details>
    if until:
        return [line(block) for paragraph in before(taken, until) for block in paragraph]
    rest = every[sum(map(len, taken)) :]
    if len(taken) > 1 and leads_on(taken[-1], rest[:1], found.after):
        taken = taken[:-1]
    if not taken:
        return [line(block) for block in every[:1] if block.kind == "takeaway"]
    *whole, last = taken
    return trimmed([line(block) for paragraph in whole for block in paragraph], list(map(line, last)))


def before(taken: list[list[Block]], until: str) -> list[list[Block]]:
    """Paragraphs, how one of them begins -> those before it. Raises ValueError where none begins so."""
    for place, paragraph in enumerate(taken):
        if paragraph[0].text.startswith(until):
            return taken[:place]
    raise ValueError(f"outcomes.toml has an answer end before {until!r}, and no paragraph of it begins so.")


def paragraphs(every: list[Block]) -> list[list[Block]]:
    """Blocks -> those of the answer, each paragraph with the formulas, tables and lists that belong to it.

    A later paragraph that begins with bold words has a subject of its own.
    """
    found: list[list[Block]] = []
    for block in every:
        if block.kind in ENDS or (found and block.text.startswith("**")):
            break
        completes = found and found[-1][-1].kind in BELONG and block.text[:1].islower()
        goes_on = found and (block.kind in BELONG or completes)
        found[-1:] = [[*found[-1], block]] if goes_on else [*found[-1:], [block]]
    return found


def leads_on(paragraph: list[Block], then: list[Block], after: NotebookNode | None) -> bool:
    """The last paragraph of several, the block below it, the cell after -> whether it leads on to these."""
    if then and then[0].kind == "predict":
        return True
    slider = not then and after is not None and after.id.endswith("-slider")
    return slider or sentences(paragraph[0].text)[0].endswith("?")


def trimmed(whole: list[str], last: list[str]) -> list[str]:
    """Paragraphs, the blocks of the last one -> all, without what leads on at the end: a question, words with
    a colon, and from such words on the question that they answer.
    """
    parts = sentences(last[-1])
    end = len(parts) if len(last) > 1 or "\n" in last[-1] else turn(parts, later=bool(whole))
    if end == len(parts):
        return [*whole, *last]
    left = parts[:end]
    if left and not (whole and len(" ".join(left)) < SHORT):
        return [*whole, " ".join(left)]
    return trimmed(whole[:-1], whole[-1:]) if whole else [f"{last[-1].rstrip(':?')}."]


def turn(parts: list[str], later: bool) -> int:
    """A paragraph's sentences, whether it is a later one -> how many of them do not lead on."""
    places = [place for place, part in enumerate(parts) if TURNS.match(part) and (place or later)]
    if LEADS.search(parts[-1]):
        end = len(parts) - 1
        near = range(max(1, end - NEAR), end)
        places += [end, *(place for place in near if parts[place].endswith("?"))]
    return min(places, default=len(parts))


def line(block: Block) -> str:
    """A block -> its Markdown; a text stands in one line."""
    return " ".join(said(block).split()) if block.kind in ("text", "takeaway") else said(block)


def printed(cells: Sequence[NotebookNode]) -> list[str]:
    """Code cells -> the lines that they printed, and those of what they showed, but for figures."""
    return [line for cell in cells for text in shown(cell) for line in text.splitlines() if line.strip()]


def shown(cell: NotebookNode) -> Iterator[str]:
    """A code cell -> the text of each of its outputs, figures without."""
    for output in cell.get("outputs", []):
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        if not text.startswith("<Figure"):
            yield text


def tells(text: str, lines: list[str]) -> bool:
    """A text, printed lines -> whether the text has one of their numbers, to as many digits as it gives."""
    given = [number.replace(",", "") for number in NUMBER.findall(text)]
    found = [float(number.replace(",", "")) for line in lines for number in NUMBER.findall(line)]
    rounded = {(len(one.partition(".")[2]), float(one)) for one in given}
    return not lines or any(abs(one - other) <= 0.5001 / 10**n for n, one in rounded for other in found)


def box(lines: list[str], most: int) -> str:
    """Printed lines, how many there is room for -> a block of them, or "" for none."""
    if not most or not lines:
        return ""
    more = [f"… and {len(lines) - most} more lines"] if len(lines) > most == MOST_LINES else []
    return "\n".join(["```text", *lines[:most], *more, "```"])

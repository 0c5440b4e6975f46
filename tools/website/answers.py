"""What tells the answer to a prediction: folded on the site, together with the output that shows it.

Here the words are marked in the cells. folds.py puts what was marked behind the output's own fold. What
teaches stays open: takeaways, new terms, tables, formulas that stand alone, and words that lead to the next
cell.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

Cell = dict[str, Any]
MARK = "answer-words"
# Where an answer ends at the latest: a heading, a prediction, an exercise, a takeaway, a table, or a
# paragraph that begins with bold words or with a question, as those do that turn to something else.
TURNS = re.compile(r"#{1,6} |> \*\*(?:Predict|Takeaway)|\*\*|[^.:!?]{4,}?\?(?=\s|$)|<|\|")
NO_ANSWER = re.compile(r"#{1,6} |> \*\*(?:Predict|Takeaway)|\*\*Your turn|<|::::::")  # or it is marked
PARAGRAPHS = re.compile(r"\n[ \t]*\n")
NO_TEXT = re.compile(r"([-*]|\d+\.) |\$\$|\||```|    ")  # a list, a formula, a table, code
TERM = re.compile(r"\*\*[^*\s]+(?:\s[^*\s]+){0,3}\*\*")  # more words than four are stressed, and no term
FORMULA = "$$"
SENTENCE_ENDS = re.compile(r"[.?!][”\")*]*\s+(?=[A-Z(*`$“\"\[])")
LEADS_ON = re.compile(r"[:?]\)?\s*$|\bslider\b")
PAIRS = ("$", "`", "**", '"')


def with_folds(cells: Sequence[Cell]) -> list[Cell]:
    """Cells for readers -> the same; the words after a folded output are marked as a part of the answer."""
    made: list[Cell] = []
    for cell, following in pairwise([*cells, {"cell_type": ""}]):
        told = made and "hide-output" in made[-1]["metadata"].get("tags", [])
        leads = following["cell_type"] == "code"
        made += folded(cell, leads) if told and cell["cell_type"] == "markdown" else [cell]
    return made


def folded(cell: Cell, leads: bool) -> list[Cell]:
    """The words after an output that is folded, whether code follows -> a cell with the answer, and one with
    what comes after it.
    """
    answer, rest = parted(cell["source"], leads)
    if not answer:
        return [cell]
    made = [{**cell, "source": f"::::::{{container}} {MARK}\n{answer}\n::::::"}]
    return [*made, {**cell, "id": f"{cell['id']}-rest", "source": rest}] if rest else made


def parted(text: str, leads: bool = False) -> tuple[str, str]:
    """A text, whether code follows it -> what tells the answer, and the rest."""
    paragraphs = PARAGRAPHS.split(text.strip())
    if NO_ANSWER.match(paragraphs[0]):
        return "", text
    end = turn(paragraphs)
    answer, rest = paragraphs[:end], paragraphs[end:]
    if rest[0].startswith("|") if rest else leads:
        answer, led = without_lead(answer)
        rest = [*led, *rest]
    return "\n\n".join(answer), "\n\n".join(rest)


def turn(paragraphs: Sequence[str]) -> int:
    """Paragraphs -> how many of them the answer has at most."""
    fenced = paragraphs[0].count("```") % 2 == 1
    for n, (before, paragraph) in enumerate(pairwise(paragraphs), 1):
        if not fenced and turns(before, paragraph):
            return n
        fenced ^= paragraph.count("```") % 2 == 1
    return len(paragraphs)


def turns(before: str, paragraph: str) -> bool:
    """A paragraph of an answer, the next one -> whether that turns to something else."""
    if paragraph.startswith(FORMULA):
        return before.endswith(".")  # else it completes what was begun
    return bool(TURNS.match(paragraph) or (not NO_TEXT.match(paragraph) and TERM.search(paragraph)))


def without_lead(answer: list[str]) -> tuple[list[str], list[str]]:
    """An answer's paragraphs, with a table or code to follow -> the same without words that lead there, and
    these: the last paragraph, or the last sentences of the only one.
    """
    *first, last = answer
    if NO_TEXT.match(last):
        return answer, []
    if first:
        return first, [last]
    place = start_of_lead(last)
    return ([last[:place].rstrip()], [last[place:]]) if place else (answer, [])


def start_of_lead(paragraph: str) -> int:
    """A paragraph -> where the sentences begin that lead to what follows it; 0 where none do."""
    starts = [
        found.end() for found in SENTENCE_ENDS.finditer(paragraph) if is_closed(paragraph[: found.end()])
    ]
    lead = 0
    for start, end in reversed([*pairwise([*starts, len(paragraph)])]):
        if not LEADS_ON.search(paragraph[start:end]):
            break
        lead = start
    return lead


def is_closed(text: str) -> bool:
    """The beginning of a paragraph -> whether no bracket, formula, code or quotation in it is still open."""
    return text.count("(") <= text.count(")") and not any(text.count(mark) % 2 for mark in PAIRS)

"""What the museum and the practice notebook print -> pages' own text: paragraphs, code in colours, replies.

In a notebook that is all one print. Here it is split into what it consists of, as Markdown in the print's
place. So is the list of mistakes to choose from, in which code has its own letters.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from website.answers import MARK
from website.words import boxed, one_line, shown, unwrapped

Cell = dict[str, Any]
Output = dict[str, Any]
TELLS = re.compile(r"^(?:enter|look|practice|next_bug)\(", re.MULTILINE)
CHOICE = re.compile(r"^line_up\(", re.MULTILINE)
CODE, REPLY, PROSE = "python", "text", ""
CODE_STARTS = re.compile(r"import |from \w|def |class |@")
OUTCOME = re.compile(r"^\w+: [✓✗] ", re.MULTILINE)
OUTCOMES = re.compile(r"\n(?=\w+: [✓✗] )")
SUBJECT = re.compile(r"\A(What [a-z ]+\.|Takeaway\.|Bug [\w-]+, level \d:)")
TITLE = re.compile(r"\A(?P<title>[^.\n]+) (?P<where>\([\w.-]+/[\w.-]+, #[^)]+\))\Z")
SUSPECTS = re.compile(r"^(?P<suspect>\([a-d]\) [\w-]+): (?P<says>.+(?:\n(?!\([a-d]\) ).+)*)", re.MULTILINE)


def as_cells(cell: Cell) -> list[Cell]:
    """A code cell -> the same and, where it tells a story, this as a page's text below it. What the notebook
    hides begins in the cell's output, so that all of it stands in the fold.
    """
    source, outputs = "".join(cell["source"]), cell["outputs"]
    if CHOICE.search(source):
        return [{**cell, "outputs": [made for each in outputs for made in with_suspects(each)]}]
    if not TELLS.search(source) or not outputs or any(each["output_type"] != "stream" for each in outputs):
        return [cell]
    text = story("".join("".join(each["text"]) for each in outputs))
    name = f"{cell['id']}-story"
    if not cell["metadata"].get("jupyter", {}).get("outputs_hidden"):
        return [
            {**cell, "outputs": []},
            {"cell_type": "markdown", "id": name, "metadata": {}, "source": text},
        ]
    first, _, rest = text.partition("\n\n")
    below = f"::::::{{container}} {MARK}\n{rest}\n::::::"
    title = {**cell, "outputs": [shown_as(first)]}
    return [title, {"cell_type": "markdown", "id": name, "metadata": {}, "source": below}]


def shown_as(text: str) -> Output:
    """Markdown -> an output that shows it."""
    return {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": text}}


def with_suspects(output: Output) -> Iterator[Output]:
    """An output -> the same up to the mistakes to choose from, and these as a list."""
    text = "".join(output["text"]) if output["output_type"] == "stream" else ""
    first = SUSPECTS.search(text)
    if first is None:
        yield output
        return
    if text[: first.start()].strip():
        yield {**output, "text": text[: first.start()].rstrip() + "\n"}
    found = SUSPECTS.finditer(text, first.start())
    yield shown_as("\n".join(f"- **{each['suspect']}**: {plain(each['says'])}" for each in found))
    rest = SUSPECTS.sub("", text[first.start() :]).strip()
    if rest:
        yield {**output, "text": rest + "\n"}


def plain(words: str) -> str:
    """A check's words -> them in Markdown, in one line."""
    return shown(boxed(one_line(words)))


def story(text: str) -> str:
    """What a room or a bug prints -> the same in Markdown."""
    kinds: list[tuple[str, str]] = []
    for block in re.split(r"\n(?:[ \t]*\n)+", text.strip("\n")):
        kinds.append((kind_of(block, kinds[-1][0] if kinds else PROSE), block))
    return "\n\n".join(
        told(kind, "\n\n".join(block for _, block in blocks))
        for kind, blocks in groupby(kinds, lambda each: each[0])
    )


def kind_of(block: str, before: str) -> str:
    """A block without an empty line, the kind of the one above -> what it is."""
    if CODE_STARTS.match(block) or (before == CODE and block.startswith("    ")):
        return CODE
    return REPLY if OUTCOME.match(block) or block.startswith("  ") else PROSE


def told(kind: str, text: str) -> str:
    """A kind, blocks of that kind -> them in Markdown."""
    if kind == PROSE:
        return "\n\n".join(paragraph(one_line(each)) for each in text.split("\n\n"))
    if kind == CODE:
        return f"```python\n{text}\n```"
    lines = "\n".join(outcome(each) for each in OUTCOMES.split(text))
    return f"```text\n{lines}\n```"


def outcome(text: str) -> str:
    """What became of one test, or the smallest case -> the same in one line; with columns in it they stay."""
    return unwrapped(text) if re.search(r"^ {4}\S|\A  ", text, re.MULTILINE) else one_line(text)


def paragraph(text: str) -> str:
    """A paragraph of a story -> the same; what it is about stands out."""
    title = TITLE.match(text)
    if title:
        return f"**{shown(title['title'])}** {shown(title['where'])}"
    subject, rest = "", text
    found = SUBJECT.match(text)
    if found:
        subject, rest = f"**{found[1]}**", text[found.end() :]
    return subject + shown(boxed(rest))

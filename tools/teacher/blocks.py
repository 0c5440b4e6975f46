"""A lesson's text in blocks, and what of it a slide shows: the rest is said, and stands in the notes."""

import re
from typing import NamedTuple

from nbconvert.filters import markdown2html

SENTENCE = re.compile(r"(?<=[.?!])([”\")*]*)\s+(?=[A-Z(*`$“\"\[])")
TERM = re.compile(r"\*\*[^*]+\*\*")
RUN_IN = re.compile(r"^\*\*[^*]+[.?!:]\*\*")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"(?<!<pre>)<code>.*?</code>", re.DOTALL)
# A short formula in a line, with what stands right behind it.
FORMULA_AND_SIGN = re.compile(r"(?<![$\\])\$(?![$\s])[^$<]{1,60}(?<![\\\s])\$[.,;:)]+")
LETTERS = 84  # in a line of a slide


class Block(NamedTuple):
    """A block of Markdown and its kind: heading, predict, takeaway, table, formula, list, text and so on."""

    kind: str
    text: str


def blocks(source: str) -> list[Block]:
    """A text cell -> its blocks, in order."""
    found = [part.strip("\n") for part in re.split(r"\n[ \t]*\n", source) if part.strip()]
    merged: list[str] = []
    for part in found:
        goes_on = merged and kind(merged[-1]) == "list" and re.match(r"\s{2,}\S", part)
        merged[-1:] = [f"{merged[-1]}\n\n{part}"] if goes_on else [*merged[-1:], part]
    return [Block(kind(part), part) for part in merged]


def kind(text: str) -> str:
    """A block's text -> its kind."""
    starts = (
        ("heading", r"#+ "), ("predict", r"> \*\*Predict\.\*\*"), ("takeaway", r"> \*\*Takeaway\.\*\*"),
        ("quote", r">"), ("table", r"\|"), ("formula", r"\$\$"), ("list", r"([-*]|\d+\.) "), ("html", r"<"),
        ("code", r"```|    \S"),
    )  # fmt: skip
    return next((name for name, pattern in starts if re.match(pattern, text)), "text")


def sentences(text: str) -> list[str]:
    """A paragraph -> its sentences. A formula or code is never cut."""
    whole: list[str] = []
    for part in SENTENCE.sub("\\1\n", " ".join(text.split())).split("\n"):
        open_one = whole and (whole[-1].count("$") % 2 or whole[-1].count("`") % 2 or unclosed(whole[-1]))
        whole[-1:] = [f"{whole[-1]} {part}"] if open_one else [*whole[-1:], part]
    return whole


def unclosed(text: str) -> bool:
    """A text -> whether a bracket, a quotation or a ** in it is still open."""
    return text.count("(") > text.count(")") or text.count("**") % 2 == 1 or text.count('"') % 2 == 1


def lead(text: str, most: int = 240) -> str:
    """A paragraph -> what a slide shows of it: the sentences with its new terms, or else its first ones."""
    parts = sentences(text)
    heading, rest = (parts[:1], parts[1:]) if RUN_IN.fullmatch(parts[0]) else ([], parts)
    terms = [part for part in rest if has_term(part)]
    if terms:
        return " ".join([*heading, *terms[:3]])
    shown = rest[:1]
    for part in rest[1:]:
        if len(" ".join([*shown, part])) > most or len(shown[-1]) > most / 2:
            break
        shown.append(part)
    return " ".join([*heading, *shown])


def has_term(text: str) -> bool:
    """A text -> whether it brings in a term, in bold type. A heading that runs into its paragraph is none."""
    return TERM.search(RUN_IN.sub("", text)) is not None


def said(block: Block) -> str:
    """A block -> its text without the mark of a quote and its label, links as plain words."""
    lines = [re.sub(r"^> ?", "", line) for line in block.text.splitlines()]
    text = re.sub(r"^\*\*(Predict|Takeaway)\.\*\* *", "", "\n".join(lines))
    return LINK.sub(r"\1", text)


def html(text: str) -> str:
    """Markdown -> HTML, formulas left to MathJax. No line ends inside -> or before a formula's comma."""
    made = str(markdown2html(LINK.sub(r"\1", text)))
    made = CODE.sub(lambda code: code[0].replace("-&gt;", whole("-&gt;")), made)
    return FORMULA_AND_SIGN.sub(lambda found: whole(found[0]), made)


def whole(text: str) -> str:
    """HTML -> the same, in one line."""
    return f'<span class="whole">{text}</span>'


def lines(block: Block) -> float:
    """A block -> about how many lines of a slide it takes."""
    rows = block.text.count("\n") + 1
    if block.kind == "table":
        return 1.2 * rows
    if block.kind == "formula":
        return 3.0 + block.text.count(r"\\")
    return sum(-(-len(line) // LETTERS) for line in block.text.splitlines()) + 0.7

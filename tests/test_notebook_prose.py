"""What a lesson's text says of its outputs is what they say: decimals, whole numbers, number words and names.

A text is held to the code and the outputs of its section: what stands between two headings. That cannot tell
whether a number is in the right sentence, but it finds one that stayed behind when its cell changed. The list
in docs/contents.txt, compared below, shows every number and name that an edit changes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import contents
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from test_notebooks import NOTEBOOKS, every_notebook, read

from helpers.datasets import load_sentence, load_sounds

EXCEPTIONS = tomllib.loads((Path(__file__).parent / "notebook_prose.toml").read_text(encoding="utf-8"))
NUMBERS = {said for group in EXCEPTIONS["numbers"] for said in group["said"]}
WORDS = {said for group in EXCEPTIONS["words"] for said in group["said"]}
# Data whose words a figure shows: a name in the code, and where the words come from.
SHOWN: dict[str, Callable[[], Iterable[str]]] = {
    "sentence": lambda: load_sentence().tokens,
    "sounds.shown": lambda: load_sounds().shown.texts,
}
# Texts that speak of an earlier section, and say so.
LOOKS_BACK: set[str] = set()

NUMBER = r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w]|\.\d)"
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
VALUES = dict(zip(ONES.split(), range(17), strict=True))
VALUES |= {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "thousand": 1000}
# What says nothing about an output: lessons, links, years, versions, headings of lists, code, formulas.
ASIDE = re.compile(
    r"\]\([^)]*\)|\b[Ll]essons? \d\d(?:(?:,| and| to) \d\d)*|\b0\d\b|\b(?:19|20)\d\d\b|Python \d\.\d+"
    r"|^\d+\. |`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|```.*?```",
    re.MULTILINE | re.DOTALL,
)


def sections(cells: list[NotebookNode]) -> Iterator[list[NotebookNode]]:
    """Cells -> the cells of each section; the first one is what stands before the first heading."""
    section: list[NotebookNode] = []
    for cell in cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            yield section
            section = []
        section.append(cell)
    yield section


def printed(cells: list[NotebookNode]) -> str:
    """Cells -> all that the code among them prints and shows as text."""
    outputs = [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]
    return " ".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in outputs)


def code(cells: list[NotebookNode]) -> str:
    """Cells -> the code among them."""
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def numbers(text: str) -> list[float]:
    """A text -> the numbers in it, without their signs."""
    return [float(number) for number in re.findall(r"\d+\.?\d*(?:e[+-]?\d+)?", text.replace(",", ""))]


def decimals_without_support(cells: list[NotebookNode]) -> set[str]:
    """A lesson's cells -> "cell: number" for each decimal in the text that its section does not print."""
    found = set()
    for cell, section in texts(cells):
        out = numbers(printed(cells if cell.id in LOOKS_BACK else section))
        for number in re.findall(r"(?<![\w.])\d+\.\d+(?![\w]|\.\d)", cell.source):
            half = 0.5 * 10.0 ** -len(number.split(".")[1]) + 1e-9  # the text may round what is printed
            if not any(abs(other - float(number)) <= half for other in out):
                found.add(f"{cell.id}: {number}")
    return found


def texts(cells: list[NotebookNode]) -> Iterator[tuple[NotebookNode, list[NotebookNode]]]:
    """A lesson's cells -> each text, with the cells of its section. Tasks have a test of their own."""
    for section in sections(cells):
        for cell in section:
            if cell.cell_type == "markdown" and not cell.id.endswith("-task"):
                yield cell, section


def whole_without_support(cells: list[NotebookNode]) -> set[str]:
    """A lesson's cells -> "cell: number" for each whole number in the text that has no support.

    It has where the code or the outputs of its section have it, or where it is the lower part of a fraction.
    0 and 1 are words more than numbers. Sources, and what practice says, stand for themselves.
    """
    found = set()
    for cell, section in texts(cells):
        if cell.id in ("title", "the-course") or section[0].source.startswith("## In practice"):
            continue
        known = known_numbers(cells if cell.id in LOOKS_BACK else section)
        text = ASIDE.sub(" ", cell.source)
        for match in re.finditer(rf"(?<!\d/){NUMBER}", text):
            number = match[0].rstrip(",")
            if "." not in number and float(number.replace(",", "")) not in known:
                found.add(f"{cell.id}: {number}")
    return found


def known_numbers(cells: list[NotebookNode]) -> set[float]:
    """Cells -> 0, 1 and the numbers in their code and their outputs."""
    return {0.0, 1.0, *numbers(code(cells)), *numbers(printed(cells))}


def words_without_support(cells: list[NotebookNode]) -> set[str]:
    """A lesson's cells -> "cell: word" for each number word after an output that has no support."""
    found = set()
    for cell, section in texts(cells):
        if cell.id.endswith("-look"):
            known = known_numbers(cells if cell.id in LOOKS_BACK else section)
            for word in re.findall(rf"\b({'|'.join(VALUES)})\b", cell.source):
                if VALUES[word] not in known:
                    found.add(f"{cell.id}: {word}")
    return found


def names_without_support(cells: list[NotebookNode]) -> set[str]:
    """A lesson's cells -> "cell: name" for each word in italics after an output that has no support."""
    found = set()
    for cell, section in texts(cells):
        if cell.id.endswith("-look"):
            source = code(section)
            seen = (" ".join(words()) for name, words in SHOWN.items() if name in source)
            there = words_of(" ".join([source, printed(section), *seen]))
            for name in re.findall(r"(?<![*\w])\*([^*\n]+)\*(?!\*)", cell.source):
                if not words_of(name) <= there:
                    found.add(f"{cell.id}: {name}")
    return found


def words_of(text: str) -> set[str]:
    """A text -> its words, in small letters."""
    return set(re.findall(r"[^\W\d_]+", text.lower()))


def numbers_without_support(cells: list[NotebookNode]) -> set[str]:
    """A lesson's cells -> "cell: number" for each decimal, whole number and number word without support."""
    return decimals_without_support(cells) | whole_without_support(cells) | words_without_support(cells)


def excepted(name: str) -> bool:
    """ "cell: name" -> whether the name is one of those that need no support."""
    return bool({name, name.partition(": ")[2]} & WORDS)


def unsupported(cells: list[NotebookNode]) -> set[str]:
    """A lesson's cells -> what its text says and nothing holds up, each with its cell."""
    names = {name for name in names_without_support(cells) if not excepted(name)}
    return numbers_without_support(cells) - NUMBERS | names


@every_notebook
def test_what_the_text_says_stands_in_its_section(path: Path) -> None:
    assert unsupported(read(path).cells) == set()


def test_every_exception_is_needed() -> None:
    lessons = [read(path).cells for path in NOTEBOOKS]
    said = {number for cells in lessons for number in numbers_without_support(cells)}
    names = {name for cells in lessons for name in names_without_support(cells)}
    assert NUMBERS - said == set()
    assert WORDS - names - {name.partition(": ")[2] for name in names} == set()


def lesson(text: str) -> list[NotebookNode]:
    """The text of a cell -> a section in which a cell prints that, of 15 words, the rat is nearest."""
    cell = new_code_cell("nearest(15)", id="nearest")
    cell.outputs = [new_output("stream", name="stdout", text="rat 0.53, shrew 0.51\n")]
    return [new_markdown_cell("## Nearest", id="heading"), cell, new_markdown_cell(text, id="nearest-look")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Of 15 words *rat* comes nearest, with 0.53: about 0.5. See lesson 03 (2017).", []),
        ("Of 14 words.", ["nearest-look: 14"]),
        ("The 1,500 words.", ["nearest-look: 1,500"]),
        ("It has 0.52.", ["nearest-look: 0.52"]),
        ("Some, such as *witch*, do not fit.", ["nearest-look: witch"]),
        ("These are seven words.", ["nearest-look: seven"]),
    ],
)
def test_what_nothing_holds_up_is_found(text: str, found: list[str]) -> None:
    assert unsupported(lesson(text)) == set(found)


STORED = contents.chapters(contents.LIST.read_text(encoding="utf-8"))


@every_notebook
def test_the_list_of_contents_is_up_to_date(path: Path) -> None:
    now = contents.chapter(path.stem, read(path))
    assert STORED.get(path.stem) == now, "see what changed, then run python tools/contents.py"


def test_the_list_of_contents_has_no_other_lesson() -> None:
    assert list(STORED) == [path.stem for path in NOTEBOOKS]
    assert contents.HEAD + "".join(STORED.values()) == contents.LIST.read_text(encoding="utf-8")

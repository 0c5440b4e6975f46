"""Mistakes as paragraphs: a name, what was done, the idea that it misses, the ways in which it is written.

    MISTAKES = STEPS.mistakes('''
    swapped
        you swapped queries and keys
        Rows belong to queries and columns to keys: the queries stand on the left of the product.
        | match => keys @ np.swapaxes(queries, -1, -2)
    ''', reread="01: All pairs at once")

What may stand before => is for the one who reads the ways: a place of an answer (edits.py), or a step of a
recipe, here.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from helpers.exercises.engine.diagnosis import Mistake

WAY = re.compile(r"\| |@ \w+ = ")  # how a line begins that is no text


class Paragraphs:
    """Reads paragraphs. Who inherits it says what a way means."""

    def way(self, text: str) -> dict[str, Any]:
        """'axis => 0; exp => 1.0' -> keywords of the recipe."""
        raise NotImplementedError

    def title(self) -> str:
        """() -> what a message calls these paragraphs."""
        raise NotImplementedError

    def mistakes(
        self,
        paragraphs: str,
        reread: str,
        sections: Mapping[str, str] | None = None,
        words: Mapping[str, str] | None = None,
        told: Sequence[Mistake] = (),
    ) -> tuple[Mistake, ...]:
        """Paragraphs -> mistakes. Each: name (§ section); what was done; the idea that it misses; ways.

        A way is a line `| place => expression; place => expression`; further ways are the same mistake,
        written otherwise. `@ n = 1 2 3` before a way: once for each n. `sections`: the names after § -> what
        to reread; without § it is `reread`. `words`: {name} in a text -> a sentence that several share.
        `told`: mistakes of other exercises; a paragraph without a text takes that of the one with its name.
        """
        made, known = [], {mistake.name: mistake for mistake in told}
        about = {"": reread, **(sections or {})}
        for block in textwrap.dedent(paragraphs).strip().split("\n\n"):
            head, *lines = (line.strip() for line in block.splitlines())
            name, _, section = head.partition(" § ")
            try:
                _check_form(lines, name in known)
                text = [line.format_map(words or {}) for line in lines if not WAY.match(line)]
                says, *idea = text or (known[name].says, known[name].idea)
                first, *also = (self.way(way) for way in _ways(lines))
                again = about[section] if text or section else known[name].reread
            except KeyError as missing:
                raise ValueError(f"{self.title()}, {name}: nothing is called {missing}") from missing
            except ValueError as wrong:
                raise ValueError(f"{self.title()}, {name}: {wrong}") from wrong
            made.append(Mistake(name, says, " ".join(idea), again, also, **first))
        return tuple(made)


class Steps(Paragraphs):
    """The steps of a recipe by keyword, each with what it is called with: {"match": "queries, keys"}.

    An expression after => is a function of these. It sees `names`, which are those of its file: globals().
    """

    def __init__(self, arguments: Mapping[str, str], names: dict[str, Any]) -> None:
        """Nothing is compiled yet."""
        self.arguments, self.names = arguments, names

    def title(self) -> str:
        """() -> the file in which the steps stand."""
        return str(self.names.get("__name__", "steps"))

    def way(self, text: str) -> dict[str, Any]:
        """'match => queries @ keys.T' -> {"match": a function of queries and keys}."""
        made = {}
        for edit in text.split("; "):
            step, _, new = (part.strip() for part in edit.partition("=>"))
            if step not in self.arguments:
                raise ValueError(f"no step {step!r}: {', '.join(self.arguments)}")
            made[step] = eval(f"lambda {self.arguments[step]}: {new}", self.names)
        return made


def _check_form(lines: list[str], told: bool) -> None:
    """Raises ValueError for a paragraph that is not its text and then its ways."""
    texts = [not WAY.match(line) for line in lines]
    if texts != sorted(texts, reverse=True):
        raise ValueError("text after a way; an empty line separates two mistakes")
    if all(texts):
        raise ValueError("no way to write it: `| place => expression`")
    if sum(texts) < 2 and not (told and not any(texts)):
        raise ValueError("a line that says what was done, and one with the idea that it misses")


def _ways(lines: list[str]) -> Iterator[str]:
    """The ways of one mistake; those after `@ n = 1 2 3` once for each n."""
    text = "".join("\n" + line for line in lines if WAY.match(line))
    for group in text.split("\n@ "):  # at the start of a line: elsewhere it is a product
        head, *ways = ("\n" + group).split("\n| ")
        name, _, values = head.strip().partition(" = ")
        for value in values.split() or [""]:
            yield from (re.sub(rf"\b{name}\b", value, way.strip()) if name else way.strip() for way in ways)

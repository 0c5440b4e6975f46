"""Mistakes as paragraphs: a name, what was done, the idea that it misses, the ways in which it is written.

    MISTAKES = STEPS.mistakes('''
    swapped
        queries and keys changed places
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
        for block in textwrap.dedent(paragraphs).strip().split("\n\n"):
            head, *lines = (line.strip() for line in block.splitlines())
            name, _, section = head.partition(" § ")
            is_way = [bool(WAY.match(line)) for line in lines]
            if not any(is_way) or is_way != sorted(is_way):
                what = "a text stands below its ways" if any(is_way) else "it has no ways"
                raise ValueError(f"{name}: {what}. Write its texts, then its ways, then an empty line.")
            text = [line.format_map(words or {}) for line in lines if not WAY.match(line)]
            says, *idea = text or (known[name].says, known[name].idea)
            first, *also = (self.way(way) for way in _ways(lines))
            about = (sections or {})[section] if section else reread if text else known[name].reread
            made.append(Mistake(name, says, " ".join(idea), about, also, **first))
        return tuple(made)


class Steps(Paragraphs):
    """The steps of a recipe by keyword, each with what it is called with: {"match": "queries, keys"}.

    An expression after => is a function of these. It sees `names`, which are those of its file: globals().
    """

    def __init__(self, arguments: Mapping[str, str], names: dict[str, Any]) -> None:
        """Nothing is compiled yet."""
        self.arguments, self.names = arguments, names

    def way(self, text: str) -> dict[str, Any]:
        """'match => queries @ keys.T' -> {"match": a function of queries and keys}."""
        made = {}
        for edit in text.split("; "):
            step, _, new = (part.strip() for part in edit.partition("=>"))
            if step not in self.arguments:
                raise ValueError(f"no step {step!r}: {', '.join(self.arguments)}")
            made[step] = eval(f"lambda {self.arguments[step]}: {new}", self.names)
        return made


def _ways(lines: list[str]) -> Iterator[str]:
    """The ways of one mistake; those after `@ n = 1 2 3` once for each n."""
    text = "".join("\n" + line for line in lines if WAY.match(line))
    for group in text.split("\n@ "):  # at the start of a line: elsewhere it is a product
        head, *ways = ("\n" + group).split("\n| ")
        name, _, values = head.strip().partition(" = ")
        for value in values.split() or [""]:
            yield from (re.sub(rf"\b{name}\b", value, way.strip()) if name else way.strip() for way in ways)

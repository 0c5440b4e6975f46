"""A list of mistakes on the site: what several have in common is said once, and a long list has headings."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from website.words import boxed, capital, one_line, shown

LONG = 25  # mistakes: more are a wall without headings
FEW = 3  # mistakes: fewer have no heading of their own, and no words in common
TELLING = 40  # letters: a shorter sentence is no more words than saying that it is common to several
OTHERS = "From other sections"


class Named(NamedTuple):
    """A mistake as the check tells it: its name, what you did, the idea it misses, the section to reread."""

    name: str
    says: str
    idea: str
    reread: str = ""


def listed(mistakes: Sequence[Named], names: Collection[str]) -> str:
    """Mistakes, names that are code -> their list in Markdown; a long one by the sections that explain."""
    sections = {each.reread: [one for one in mistakes if one.reread == each.reread] for each in mistakes}
    large = {title: some for title, some in sections.items() if len(some) >= FEW}
    if len(mistakes) <= LONG or len(sections) == 1 or not large:
        return "\n".join(entries(mistakes, names))
    others = [each for each in mistakes if each.reread not in large]
    parts = [(f"Lesson {title}" if title else OTHERS, some) for title, some in large.items()]
    parts += [(OTHERS, others)] * bool(others)
    return "\n\n".join("\n".join([f"**{shown(title)}**", "", *entries(some, names)]) for title, some in parts)


def entries(mistakes: Sequence[Named], names: Collection[str]) -> Iterator[str]:
    """Mistakes of one section -> the lines of their list; those with sentences in common begin with these."""
    left = [each for each in mistakes if each.says]
    groups: dict[str, list[Named]] = {}
    for place in (-1, 0):  # a last sentence in common, or else a first one
        for some in alike(left, place):
            left = [each for each in left if each not in some]
            shared = in_common(some, place)
            rest = [without(each, len(shared), place) for each in some]
            groups.setdefault(" ".join(shared), []).extend(rest)
    for common, some in groups.items():
        yield f"- *To all of these {len(some)}:* {told(common, names)}"
        yield from (f"  {line(each, names)}" for each in some)
    yield from (line(each, names) for each in mistakes if each in left or not each.says)


def alike(mistakes: Sequence[Named], place: int) -> list[list[Named]]:
    """Mistakes, the place of a sentence -> those of them that have one there in common, group by group."""
    groups: dict[str, list[Named]] = {}
    for each in mistakes:
        groups.setdefault(telling(sentences(each.idea), place), []).append(each)
    return [some for shared, some in groups.items() if len(some) >= FEW and len(shared) >= TELLING]


def telling(every: list[str], place: int) -> str:
    """The sentences of an idea, -1 or 0 -> its last or first one, with its neighbour where it is short."""
    one, two = (every[-1], every[-2:]) if place else (every[0], every[:2])
    return one if len(one) >= TELLING else " ".join(two)


def in_common(mistakes: Sequence[Named], place: int) -> list[str]:
    """Mistakes, -1 or 0 -> the sentences with which the ideas of all of them end, or begin."""
    every = [sentences(each.idea)[:: place or 1] for each in mistakes]
    shared = [row[0] for row in takewhile(lambda row: len(set(row)) == 1, zip(*every, strict=False))]
    return shared[:: place or 1]


def without(mistake: Named, n: int, place: int) -> Named:
    """A mistake, how many sentences of its idea, -1 or 0 -> it without these at the end, or at the start."""
    every = sentences(mistake.idea)
    return mistake._replace(idea=" ".join(every[:-n] if place else every[n:]))


def sentences(text: str) -> list[str]:
    """A text -> its sentences."""
    return re.split(r"(?<=[.?!]) ", one_line(text))


def line(mistake: Named, names: Collection[str] = ()) -> str:
    """A mistake -> one entry of a list, in the words of the check: text, never Markdown or HTML."""
    words = " ".join([sentence(mistake.says)] * bool(mistake.says) + [one_line(mistake.idea)]).strip()
    return f"- **{mistake.name}**: {told(words, names)}" if words else f"- **{mistake.name}**"


def told(words: str, names: Collection[str]) -> str:
    """A check's words, names that are code -> them in Markdown."""
    return shown(boxed(one_line(words), names))


def sentence(clause: str) -> str:
    """ "you never scaled the scores" -> "You never scaled the scores."."""
    text = capital(one_line(clause))
    return text + ("" if text.endswith((".", "?", "!")) else ".")

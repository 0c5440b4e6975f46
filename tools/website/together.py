"""Formulas that are written as plain text -> the same, held together: "P = e^(S − L)" breaks nowhere.

A long one may break before a sign of relation, and where that does not do, before + and −, then before · and
its like: no part of it is wider than a phone. What was said of a formula in TeX is MathJax's affair.
"""

import html
import re
from collections.abc import Iterator

SHORT = 24  # letters of a formula that fits into any line
LONGEST = 30  # of a part of a longer one
RELATION, SUM, PRODUCT = r"[=≠≈≤≥]|&[lg]t;", r"[+−±]", r"(?://|[·×÷/@*])"
SIGN = rf"(?:{RELATION}|{SUM}|{PRODUCT})"
# What stands beside a sign: 4, d_k, e^(S, ln 8, 2 c², X W_Q, (bytes a second), (…). A sentence ends with it.
NUMBER, SYMBOL = r"[\d.,]*\d", r"[^\W\d_](?:_\w+|[²³])?(?=[\s.,;:?!)]|$)"
BEFORE = rf"(?:\S*\b(?:ln|log) |{NUMBER} (?={SYMBOL}))?"
GROUP = r"\([^()\s]+(?: [^()\s]+){1,3}\)"
OPERAND = rf"{BEFORE}(?:{GROUP}|\S*[^\s.,;:?!](?: W_\w)?)(?=\s)"
LAST = rf"{BEFORE}(?:{GROUP}[^\s\w]*|\S+(?: W_\w\b\S*)?)"
WORD = r"[a-z]{3,}|[A-Z][a-z]{2,}|or|and|as|is|by|of|to|in"  # "with ÷ √d_k" begins at its sign
NAMED = r"(?:W_\w|[QKVXH]) W_\w\b\S*"  # X W_Q: a product without a sign
FORMULA = re.compile(
    rf"(?<!\S)(?:(?:(?!(?:{WORD}) [÷±])(?P<first>{OPERAND}) )?{SIGN} (?:{OPERAND} {SIGN} )*{LAST}|{NAMED})"
)
# A title's number, or a sign between entries: "03 · Softmax", "90 minutes · next: lesson 04".
LIST = re.compile(r"(?:\S+ )?[·/] [A-Za-z][a-z]{2,}:?|\d\d · [A-Z].*")
BESIDE_TAGS = re.compile(r"\A (?=[+−×÷@](?: |\Z))|(?<= [+−×÷@=]) \Z")
DIVIDED = re.compile(r"(?<!\S)[^\s<]{1,20}/√[^\s<]{1,12}")
# A number that would stand alone in the last line of its paragraph.
LAST_NUMBER = re.compile(r"(?<=[\w)>]) (?=[−√\d][\d.,]{0,5}[.?!:)]{0,2}\s*</(?:p|li|td|dd)>)")
TOGETHER = "\N{NO-BREAK SPACE}"


def formulas(words: str) -> Iterator[tuple[str, bool]]:
    """Words between two tags -> them part by part, each with whether it is to stay in one line."""
    end = 0
    for found in FORMULA.finditer(words):
        yield words[end : found.start()], False
        end = found.end()
        if LIST.fullmatch(found[0]):
            yield found[0], False
            continue
        for place, piece in enumerate(pieces(found[0])):
            yield " " * bool(place), False
            yield piece, length(piece) <= LONGEST
    yield words[end:], False


def pieces(formula: str) -> list[str]:
    """A formula -> the parts between which a line may break, none of them too long where that can be had."""
    parts = [formula]
    for signs, most in ((RELATION, SHORT), (SUM, LONGEST), (PRODUCT, LONGEST)):
        parts = [piece for part in parts for piece in broken(part, signs, most)]
    return parts


def broken(part: str, signs: str, most: int) -> list[str]:
    """A part of a formula, signs, the letters that fit -> its lines, each but the first with a sign first."""
    lines: list[str] = []
    for piece in re.split(rf" (?=(?:{signs}) )", part):
        if lines and length(part) > most and length(f"{lines[-1]} {piece}") > most:
            lines.append(piece)
        else:
            lines[-1:] = [f"{lines[-1]} {piece}" if lines else piece]
    return lines


def length(part: str) -> int:
    """A part of a page -> how many letters it shows."""
    return len(html.unescape(part))


def beside_tags(words: str) -> str:
    """Words between two tags -> the same; a sign at their ends stays with what the tags hold."""
    return BESIDE_TAGS.sub(TOGETHER, words)


def with_last_numbers(page: str) -> str:
    """HTML without code -> the same; no number stands alone in the last line of a paragraph."""
    return LAST_NUMBER.sub(TOGETHER, page)

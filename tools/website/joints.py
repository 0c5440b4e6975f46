"""Words of code on a finished page -> the same, with the places where a narrow line may break them."""

import html
import re

from website.together import DIVIDED, beside_tags, formulas, with_last_numbers

# A word of code that fits into any line: site.css lets nothing come between it and a bracket or a full stop.
SHORT_CODE = re.compile(r'<span class="pre">(?=[^<]{1,28}</span>)')
SHORT = '<span class="pre short">'
LONG_CODE = re.compile(r'(?<=<span class="pre">)[^<]{29,}(?=</span>)')
WHOLE = r'<span class="whole">\g<0></span>'
FORMULA = '<span class="whole formula">{}</span>'
# A short comment behind a line of code: torn from its #, "fixed" would look like a statement.
SHORT_COMMENT = re.compile(r'(?<=<span class="c1)(?=">#[^<]{1,30}</span>)')
# A heading's letters are large, and the list of headings beside the page is narrow: every name is long there.
HEADING = re.compile(
    r'<h[1-3]>.*?</h[1-3]>|(?<=<a class="reference internal nav-link" )[^>]*>[^<]*', re.DOTALL
)
WORDS = re.compile(r"(?<=>)[^<]+")
JOINT = re.compile(r"(?<=\w\w\w[/._=(])(?=\w\w\w)")
# Code of a few words, a list of numbers for example. site.css lets it break in a phone's tables and headings.
SHORT_PHRASE = re.compile(
    r'(?<=<code class="docutils literal notranslate)(?=">(?P<words>(?:<span[^>]*>[^<]*</span> ?)+)</code>)'
)
LONGEST_PHRASE = 24
TAGS = re.compile(r"<[^>]*>")
PRE = re.compile(r'(?P<start><span class="pre(?: short)?">)(?P<words>.*?)(?=</span>)')
OPTION = re.compile(r"(?<![\w-])--\w+")  # or its beginning: no line breaks in it, nor in a day
# What a page says outside its code. Days, owner/name with a hyphen, and links to a lesson stay in one line.
CODE = re.compile(r"(<(?P<kind>pre|code|script|style|svg|head)\b.*?</(?P=kind)>)", re.DOTALL)
WORDS_AND_TAGS = re.compile(r"(?P<tag><[^>]*>)|(?P<words>[^<]+)")
TIED = re.compile(r"\b\d{4}-\d\d-\d\d\b|(?<![\w/.-])(?=[\w./]*-)[\w.-]+/[\w.-]+(?![\w/-])")
LONGEST_TIED = 28
LONG = re.compile(r"(?<![\w/.-])[\w/.-]{29,}")
LESSON_LINK = re.compile(r'(?<=<span class="std std-doc">)\d\d [^<]{1,20}(?=</span>)')


def with_joints(page: str) -> str:
    """HTML -> the same; a line too narrow for a name breaks it at a joint, helpers.plots. | curves."""
    page = PRE.sub(held_together, SHORT_CODE.sub(SHORT, LONG_CODE.sub(jointed, page)))
    page = SHORT_COMMENT.sub(" whole", page)
    page = SHORT_PHRASE.sub(held_phrase, LESSON_LINK.sub(WHOLE, with_last_numbers(outside_code(page))))
    return HEADING.sub(lambda heading: WORDS.sub(jointed, heading[0]), page)


def outside_code(page: str) -> str:
    """HTML -> the same; in its plain words what belongs together stays so, and long names have joints."""
    parts = CODE.split(page)  # text, a block of code, its kind, text, …
    parts[::3] = [
        WORDS_AND_TAGS.sub(lambda each: each["tag"] or tied(each["words"]), text) for text in parts[::3]
    ]
    return "".join(part for n, part in enumerate(parts) if n % 3 != 2)


def tied(words: str) -> str:
    """Words between two tags -> the same with their joints. A formula is left alone."""
    if "\\" in words:
        return words
    parts = formulas(beside_tags(words))
    return "".join(FORMULA.format(part) if whole else named(part) for part, whole in parts)


def named(words: str) -> str:
    """Words without a formula -> the same; long names have joints, days and short names stay together."""
    words = LONG.sub(jointed, words)
    words = DIVIDED.sub(lambda found: FORMULA.format(found[0]), words)
    return TIED.sub(lambda name: name.expand(WHOLE) if len(name[0]) <= LONGEST_TIED else name[0], words)


def jointed(found: re.Match[str]) -> str:
    """A text that was found -> the same with its joints."""
    return JOINT.sub("<wbr>", found[0])


def held_together(found: re.Match[str]) -> str:
    """A word of code -> the same; what belongs together in it stays so."""
    return found["start"] + OPTION.sub(WHOLE, found["words"])


def held_phrase(found: re.Match[str]) -> str:
    """The place behind the class of a piece of code -> one class more, where the code is a short phrase."""
    words = html.unescape(TAGS.sub("", found["words"]))
    return " whole" if " " in words and len(words) <= LONGEST_PHRASE else ""

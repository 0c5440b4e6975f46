"""Plain words -> Markdown that shows them letter by letter."""

import re
from collections.abc import Collection

CODE = re.compile(r"(`[^`]+`)")
MARKS = re.compile(r"([\\*_\[\]<>$#{}^~|])")
STRESSED = re.compile(r"(?<![\w*])\\\*(?P<words>[^\W\d_](?:[^*\\]*\w)?)\\\*(?![\w*])")
INDENTED = re.compile(r" {2}\S")
FULL = 80  # letters: a line of a check's reply that is shorter ends because its paragraph does
# Code that a check's reply has bare among its words: a product of matrices, a matrix, a call.
NAMES = "query|key|queries|keys|values|weights|scores|exponentials|context|tokens|merged"
CALL = r"\([^()]*\)"
FACTOR = rf"(?:[A-Za-z]|\w*_\w+|{NAMES})(?:\.\w+)*(?:{CALL})?"
DOTTED = r"np\.\w[\w.]*\w|w_[qkvo]\b(?:\.\w+)*|[A-Za-z]\w*\.\w[\w.]*(?=\()"
POWER = r"(?:\w+ / )?\w+\*\*[\d.]*\d"
BARE = "|".join(
    [
        rf"(?<![\w.@√])(?<!\w\(){FACTOR}(?: @ {FACTOR})+(?![\w(\[]|\.\w)",
        rf"(?<![\w.@/−-])(?<![-+*/@] )(?:{DOTTED})(?:{CALL}|\[[^\[\]]*\])?(?:\.T\b)?(?![(\[\w])",
        rf"\({POWER}\)(?: ?/ ?\d)?|(?<![\w(]){POWER}(?:/\d)?(?![\w)])",
        r"\b(?:check|hint)\(\"[\w-]+\"(?:, \w+)?\)|\bnext_bug\(\)",
    ]
)
NAME = re.compile(r"`([a-z][a-z_]*)`")
SIGNS = r"[-=+−±·×÷/*@<>≤≥^]"
# What begins with a name: a letter, a token with its place, a name of code.
SMALL = re.compile(r"[b-z] |\w+ \(|\w*_\w|\w+[.(\[]\w")
LIST_MARK = re.compile(r"^([-+]|\d+(?=\.))", re.MULTILINE)


def one_line(text: str) -> str:
    """A text -> the same on one line."""
    return " ".join(text.split())


def unwrapped(text: str) -> str:
    """A check's reply -> the same with each of its paragraphs in one line: the page says where it wraps."""
    whole, last = list[str](), ""
    for line in text.split("\n"):
        goes_on = len(last) > FULL and INDENTED.match(last) and INDENTED.match(line)
        whole[-1:] = [f"{whole[-1]} {line[2:]}"] if goes_on else [*whole[-1:], line]
        last = line
    return "\n".join(whole)


def shown(text: str) -> str:
    """A text that is no Markdown -> Markdown that looks like it. What stands between ` and ` stays code, and
    *words* stay stressed.
    """
    parts = [part if CODE.fullmatch(part) else escaped(part) for part in CODE.split(text)]
    return LIST_MARK.sub(protected, "".join(parts))


def boxed(text: str, names: Collection[str] = ()) -> str:
    """A check's words, names -> the same; code that stands bare among them stands between ` and `.

    So do the names where they begin a sentence, and x wherever it stands alone, if it is one of them.
    """
    some = "|".join(map(re.escape, names))
    named = rf"(?:\A|(?<=[.?!] ))(?:{some})(?= \w)" if names else r"(?!)"
    x = rf"(?<![^\s(])(?<!{SIGNS} )x(?=[.,:;)]* (?!{SIGNS})|[.,:;)]*\Z)" if "x" in names else r"(?!)"
    bare = re.compile(f"{BARE}|{named}|{x}")
    return "".join(part if CODE.fullmatch(part) else bare.sub(r"`\g<0>`", part) for part in CODE.split(text))


def capital(text: str) -> str:
    """ "both choose the first key." -> "Both choose the first key."; names stay small: n, cat (row 1)."""
    return text if SMALL.match(text) else text[:1].upper() + text[1:]


def escaped(text: str) -> str:
    """A text without code -> the same, in which no letter is a mark but the two around stressed words."""
    return STRESSED.sub(r"*\g<words>*", MARKS.sub(r"\\\1", text))


def protected(mark: re.Match[str]) -> str:
    """What would begin a list -> the same as text."""
    return mark[0] + "\\" if mark[0].isdigit() else "\\" + mark[0]

"""Words of code on a finished page -> the same, with the places where a narrow line may break them."""

import re

# A word of code that fits into any line: site.css lets nothing come between it and a bracket or a full stop.
SHORT_CODE = re.compile(r'<span class="pre">(?=[^<]{1,28}</span>)')
SHORT = '<span class="pre short">'
LONG_CODE = re.compile(r'(?<=<span class="pre">)[^<]{29,}(?=</span>)')
WHOLE = r'<span class="whole">\g<0></span>'
HEADING = re.compile(r"<h[1-3]>.*?</h[1-3]>", re.DOTALL)  # its letters are large: there every name is long
WORDS = re.compile(r"(?<=>)[^<]+")
JOINT = re.compile(r"(?<=\w\w\w[/._=(])(?=\w\w\w)")
PRE = re.compile(r'(?P<start><span class="pre(?: short)?">)(?P<words>.*?)(?=</span>)')
OPTION = re.compile(r"(?<![\w-])--\w+")  # or its beginning: no line breaks in it, nor in a day
TABLE_CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b(?=[^<>]*<)")


def with_joints(page: str) -> str:
    """HTML -> the same; a line too narrow for a name breaks it at a joint, helpers.plots. | curves."""
    page = PRE.sub(held_together, SHORT_CODE.sub(SHORT, LONG_CODE.sub(jointed, page)))
    page = TABLE_CELL.sub(lambda cell: DAY.sub(WHOLE, cell[0]), page)
    return HEADING.sub(lambda heading: WORDS.sub(jointed, heading[0]), page)


def jointed(found: re.Match[str]) -> str:
    """A text that was found -> the same with its joints."""
    return JOINT.sub("<wbr>", found[0])


def held_together(found: re.Match[str]) -> str:
    """A word of code -> the same; what belongs together in it stays so."""
    return found["start"] + OPTION.sub(WHOLE, found["words"])

"""Sections that a reply may name and that stand after the exercise in its lesson: the reply then says so.

Replies never read a notebook, which may not be there. tests/exercises/test_further_on.py holds this table to
them.
"""

FURTHER_ON: dict[str, tuple[str, ...]] = {
    "dot-product": ("When does length matter?",),
    "all-scores": ("When does length matter?",),
    "neighbours-bug": ("When does length matter?",),
    "scaled-scores": ("What large scores do",),
    "scale-bug": ("What large scores do",),
    "softmax": (
        "Logarithms and entropy",
        "Minus infinity",
        "Temperature",
        "Which axis?",
    ),
    "overflow-bug": (
        "Logarithms and entropy",
        "Minus infinity",
        "Temperature",
        "Which axis?",
    ),
    "temperature": ("Which axis?",),
    "axis-bug": (
        "Logarithms and entropy",
        "Minus infinity",
    ),
    "one-query": ("The column convention",),
    "attention": ("The column convention",),
    "roles-bug": ("The column convention",),
    "self-attention": ("The column convention",),
    "width-bug": ("The column convention",),
    "causal-mask": (
        "Rows and columns",
        "True means may attend",
    ),
    "masked-attention": (
        "A query with no key",
        "Rows and columns",
        "True means may attend",
        "Two ways that fail",
    ),
    "infinity-bug": (
        "Rows and columns",
        "True means may attend",
    ),
    "padding-mask": ("True means may attend",),
    "split-heads": ("What a bare reshape does",),
    "head-scale-bug": ("What a bare reshape does",),
    "multi-head": ("The sum over heads",),
    "cross-attention": (
        "A hand-made alignment",
        "In practice",
        "When both are the same",
    ),
    "context-bug": (
        "A hand-made alignment",
        "In practice",
        "When both are the same",
    ),
    "torch-attention": ("Whose True is it?",),
}


def placed(name: str, text: str) -> str:
    """An exercise's name, what is said of an answer -> the same, with "further on" where a section is."""
    for heading in FURTHER_ON.get(name, ()):
        text = text.replace(f'"{heading}".)', f'"{heading}", further on.)')
    return text

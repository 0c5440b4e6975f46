"""Text to tokens by word pieces: of each word the longest beginning that is known, then of the rest.

Source: Devlin et al. 2019, "BERT", section 3, and its code's rules for cleaning a text; small letters.
"""

import unicodedata
from collections.abc import Sequence
from itertools import groupby

START, END, UNKNOWN, INSIDE = "[CLS]", "[SEP]", "[UNK]", "##"
LONGEST = 100  # letters of a word; a longer one is unknown
CHINESE = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F)),
    *((0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


class WordPieces:
    """A tokenizer: the tokens by number; ## begins one that stands inside a word."""

    def __init__(self, tokens: Sequence[str]) -> None:
        """The lines of vocab.txt."""
        self.tokens = tokens
        self._number = {token: number for number, token in enumerate(tokens)}

    def encode(self, text: str) -> list[int]:
        """A text -> the numbers of its tokens, [CLS] in front and [SEP] at the end."""
        pieces = [piece for word in words(text) for piece in self._pieces(word)]
        return [self._number[piece] for piece in (START, *pieces, END)]

    def _pieces(self, word: str) -> list[str]:
        found: list[str] = []
        rest = word
        while rest and len(word) <= LONGEST:
            inside = INSIDE if found else ""
            ends = (end for end in range(len(rest), 0, -1) if inside + rest[:end] in self._number)
            end = next(ends, 0)
            if not end:
                return [UNKNOWN]
            found.append(inside + rest[:end])
            rest = rest[end:]
        return found or [UNKNOWN]


def words(text: str) -> list[str]:
    """A text -> its words in small letters without accents; each sign, and each Chinese letter, is one."""
    clean = "".join(_cleaned(letter) for letter in text)
    plain = (letter for letter in unicodedata.normalize("NFD", clean.lower()))
    bare = "".join(letter for letter in plain if unicodedata.category(letter) != "Mn")
    return [part for word in bare.split() for part in _apart(word)]


def _cleaned(letter: str) -> str:
    """A letter -> what stands for it: a space, nothing, or a Chinese one between spaces."""
    category = unicodedata.category(letter)
    if letter in "\t\n\r" or category == "Zs":
        return " "
    if letter in "\0\ufffd" or category[0] == "C":
        return ""
    return f" {letter} " if any(first <= ord(letter) <= last for first, last in CHINESE) else letter


def _apart(word: str) -> list[str]:
    """A word -> runs of letters, and each sign by itself."""
    found: list[str] = []
    for is_sign, group in groupby(word, _is_sign):
        letters = "".join(group)
        found += letters if is_sign else [letters]
    return found


def _is_sign(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "P" or (letter.isascii() and not letter.isalnum())

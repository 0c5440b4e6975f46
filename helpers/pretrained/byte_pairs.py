"""Text to tokens and back by byte pairs: a word's bytes, and again and again the pair that was learned first.

Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units", algorithm 1, on
bytes as in GPT-2 (Radford et al. 2019, section 2.2). Here each digit is a word by itself, as SmolLM2 has it.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any

from helpers.pretrained.bytes import ModelFileError

# Endings such as 's, then letters or signs with the space before them, then spaces but for the last.
WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")
SPECIAL = 3  # GGUF's kind of a token that stands for no text: <|im_start|>


def _letters() -> dict[int, str]:
    """Each byte's letter: itself where it can be seen, else one from beyond the bytes, in order."""
    seen = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}


LETTERS = _letters()
BYTES = {letter: byte for byte, letter in LETTERS.items()}


class BytePairs:
    """A tokenizer: the tokens by number, the pairs in the order in which they were learned."""

    def __init__(self, tokens: Sequence[str], pairs: Iterable[str], special: Iterable[str] = ()) -> None:
        """Tokens in letters, one for each byte; pairs with a space between the two; tokens without a text."""
        self.tokens = tokens
        self._number = {token: number for number, token in enumerate(tokens)}
        self._rank = {tuple(pair.split(" ")): rank for rank, pair in enumerate(pairs)}
        self._special = {token for token in special if token}
        nothing = ["(?!)"]
        marks = [re.escape(token) for token in sorted(self._special)] or nothing
        self._apart = re.compile(f"({'|'.join(marks)})")

    def encode(self, text: str) -> list[int]:
        """A text -> the numbers of its tokens. Special tokens may stand in it, as <|im_start|>.

        A few bytes that no text needs have no token, and are left out, as the library does.
        """
        pieces: list[str] = []
        for part in self._apart.split(text):
            pieces += [part] if part in self._special else self._pieces(part)
        return [self._number[piece] for piece in pieces if piece in self._number]

    def decode(self, numbers: Iterable[int]) -> str:
        """Numbers of tokens -> their text; a letter of which a byte is missing becomes �."""
        parts = (self.tokens[number] for number in numbers)
        as_bytes = (t.encode() if t in self._special else bytes(BYTES[c] for c in t) for t in parts)
        return b"".join(as_bytes).decode(errors="replace")

    def _pieces(self, text: str) -> list[str]:
        return [piece for word in words(text) for piece in self._merged(word)]

    def _merged(self, word: str) -> list[str]:
        """A word -> its tokens in letters: the pair of the lowest rank becomes one, again and again."""
        pieces = [LETTERS[byte] for byte in word.encode()]
        while len(pieces) > 1:
            ranks = [self._rank.get(pair, len(self._rank)) for pair in pairwise(pieces)]
            at = min(range(len(ranks)), key=ranks.__getitem__)
            if ranks[at] == len(self._rank):
                break
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
        return pieces


def words(text: str) -> list[str]:
    """A text -> its words, each with the space before it; each digit and other sign of number is one."""
    found: list[str] = []
    for is_number, group in groupby(text, lambda letter: unicodedata.category(letter)[0] == "N"):
        letters = "".join(group)
        found += letters if is_number else WORDS.findall(letters)
    return found


def tokenizer_of(facts: dict[str, Any]) -> BytePairs:
    """The facts of a GGUF file -> its tokenizer. Raises ModelFileError where they describe another kind."""
    model, pre = facts.get("tokenizer.ggml.model"), facts.get("tokenizer.ggml.pre")
    if (model, pre) != ("gpt2", "smollm"):
        raise ModelFileError(f"the file's tokenizer is {model!r}, {pre!r}; this one is 'gpt2', 'smollm'")
    tokens, kinds = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    special = (token for token, kind in zip(tokens, kinds, strict=True) if kind == SPECIAL)
    return BytePairs(tokens, facts["tokenizer.ggml.merges"], special)

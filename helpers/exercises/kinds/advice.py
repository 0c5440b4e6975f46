"""Words of Python's, NumPy's or PyTorch's messages, and what a beginner may not know: advice.toml."""

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Advice:
    """What is said where a message holds one of these words, and the line that stopped fits the pattern."""

    words: tuple[str, ...]
    says: str
    line: str = ""

    def fits(self, error: str, line: str) -> bool:
        """A message, the learner's line -> True where this advice is about them."""
        return any(words in error for words in self.words) and bool(re.search(self.line, line))


@functools.cache
def error_advice() -> tuple[Advice, ...]:
    """All advice, in the order in which it is tried."""
    stored = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(Advice(tuple(one["words"]), one["says"], one.get("line", "")) for one in stored["advice"])

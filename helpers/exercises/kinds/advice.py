"""Words of Python's, NumPy's or PyTorch's messages, and what a beginner may not know: advice.toml."""

import functools
import tomllib
from pathlib import Path


@functools.cache
def error_advice() -> dict[str, str]:
    """Words of a message -> advice, in the order in which they are tried."""
    stored = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {words: one["says"] for one in stored["advice"] for words in one["words"]}

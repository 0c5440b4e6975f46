"""How fast a language model writes here, with its cache and without, and which of its parts take the time."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from helpers.pretrained.language import LanguageModel, Parts
from helpers.pretrained.models import FETCH
from helpers.pretrained.remembered import Absent
from helpers.pretrained.writing import parts_with, write

TIMED = {"attention": "attention", "rotate": "rotating", "norm": "norms", "share": "sharing heads"}


def print_speed(model: LanguageModel | Absent, prompt: str, n_tokens: int = 12) -> None:
    """A model, a prompt -> prints tokens per second, with and without the cache, and each part's share."""
    if isinstance(model, Absent):
        print(f"There is nothing to time without the model: {FETCH}")
        return
    spent = dict.fromkeys(TIMED, 0.0)
    parts = parts_with(**{name: partial(_timed, spent, name, getattr(Parts(), name)) for name in TIMED})
    seconds = {
        "with the cache": _seconds(model, prompt, n_tokens, Parts(), True),
        "without the cache": _seconds(model, prompt, n_tokens, Parts(), False),
    }
    whole = _seconds(model, prompt, n_tokens, parts, True)
    for how, each in seconds.items():
        print(f"{how}: {n_tokens / each:.1f} tokens a second")
    shares = {TIMED[name]: share / whole for name, share in spent.items()}
    shares["products with the weights, and the rest"] = 1 - sum(shares.values())
    print("; ".join(f"{name} {share:.0%}" for name, share in shares.items()))


def _seconds(model: LanguageModel, prompt: str, n_tokens: int, parts: Parts, cached: bool) -> float:
    start = time.perf_counter()
    write(model, prompt, n_tokens, parts, cached)
    return time.perf_counter() - start


def _timed(spent: dict[str, float], name: str, part: Callable[..., Any], *inputs: Any) -> Any:
    """Calls a part, and adds what it took."""
    start = time.perf_counter()
    output = part(*inputs)
    spent[name] += time.perf_counter() - start
    return output

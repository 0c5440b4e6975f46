"""A language model writes; its scores of a text, in one pass or through the cache; its surprise."""

from typing import Any, NamedTuple

import numpy as np

from helpers.pretrained.language import LanguageModel, Parts
from helpers.softmax import log_softmax
from helpers.validation import Array

CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"  # how SmolLM2 was asked while it learned


def chat(question: str) -> str:
    """A question -> the prompt that asks it, with the marks of a conversation."""
    return CHAT.format(question)


class Written(NamedTuple):
    """The tokens that a model wrote, and how near the second largest score ever came to the largest."""

    tokens: list[int]
    nearest: float


def write(model: LanguageModel, prompt: str, n_tokens: int, parts: Parts, cached: bool = True) -> Written:
    """A prompt -> the tokens that follow: each time the one with the largest score.

    Without the cache the whole text is read again for each token.
    """
    tokens, cache = model.tokenizer.encode(prompt), model.new_cache()
    written: list[int] = []
    nearest = np.inf
    for _ in range(n_tokens):
        if cached:
            scores = model(written[-1:] or tokens, cache, parts, last=True)[-1]
        else:
            scores = model(tokens + written, None, parts, last=True)[-1]
        second, first = np.partition(scores, -2)[-2:]
        nearest = min(nearest, float(first - second))
        written.append(int(scores.argmax()))
    return Written(written, nearest)


def surprise(scores: Array, tokens: list[int]) -> Array:
    """(n − 1, n_tokens) scores of n tokens, the tokens -> (n − 1,): nats at each but the first."""
    logs = log_softmax(scores)
    return -logs[np.arange(len(tokens) - 1), tokens[1:]]


def scores_of(model: LanguageModel, tokens: list[int], parts: Parts, first: int | None = None) -> Array:
    """n tokens -> (n, n_tokens): all scores, in one pass, or `first` tokens at once and then one by one."""
    cache = model.new_cache()
    chunks = [tokens[:first]] + [[token] for token in tokens[first:] if first is not None]
    return np.concatenate([model(chunk, cache, parts) for chunk in chunks])


def parts_with(**parts: Any) -> Parts:
    """Parts by name -> all of them; a part that does not exist is a TypeError that says which do."""
    unknown = parts.keys() - set(Parts._fields)
    if unknown:
        raise TypeError(f"there is no part {sorted(unknown)[0]!r}; a model has {', '.join(Parts._fields)}")
    return Parts(**parts)

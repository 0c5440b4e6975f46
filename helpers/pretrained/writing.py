"""A language model writes; how surprised it is by a text; its scores in one pass or through the cache."""

from typing import Any

import numpy as np

from helpers.pretrained.language import LanguageModel, Parts
from helpers.softmax import log_softmax
from helpers.validation import Array

CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"  # how SmolLM2 was asked while it learned


def chat(question: str) -> str:
    """A question -> the prompt that asks it, with the marks of a conversation."""
    return CHAT.format(question)


def write(model: LanguageModel, prompt: str, n_tokens: int, parts: Parts, cached: bool = True) -> list[int]:
    """A prompt -> the tokens that follow: each time the one with the largest score.

    Without the cache the whole text is read again for each token.
    """
    tokens = model.tokenizer.encode(prompt)
    cache = model.new_cache()
    written: list[int] = []
    for _ in range(n_tokens):
        if cached:
            new = written[-1:] or tokens
            scores = model(new, cache, parts, last=True)
        else:
            scores = model(tokens + written, None, parts, last=True)
        written.append(int(scores[-1].argmax()))
    return written


def surprise(model: LanguageModel, text: str, parts: Parts, first: int | None = None) -> Array:
    """A text of n tokens -> (n − 1,): the nats by which each token after the first surprised the model.

    In one pass; or, with `first`, that many tokens at once and then one by one through the cache.
    """
    tokens = model.tokenizer.encode(text)
    logs = log_softmax(scores_of(model, tokens[:-1], parts, first))
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

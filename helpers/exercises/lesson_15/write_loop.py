"""write-loop, lesson 15: the loop in which a language model writes, one token after the other."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, exact, example, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property, alike
from helpers.validation import Array

WRITES = "15: It writes"
Model = Callable[[Sequence[int]], Array]


def write_loop(model: Model, tokens: Sequence[int], n_new: int) -> list[int]:
    """A model, n tokens, n_new -> n + n_new tokens: each has the largest score after all before it."""
    written: list[int] = []
    while len(written) < n_new:
        written.append(int(np.argmax(model([*tokens, *written])[-1])))
    return [*tokens, *written]


def my_writer(model: Model, tokens: Sequence[int], n_new: int) -> list[int]:
    """A model, n tokens, n_new -> a list of n + n_new: the tokens, and those that the model adds."""
    text = list(tokens)
    for _ in range(n_new):
        scores = model(text)
        text.append(int(scores[-1].argmax()))
    return text


EDITS = Edits(
    my_writer,
    {
        "rounds": "range(n_new)",
        "scores": "model(text)",
        "row": "scores[-1]",
        "chosen": "scores[-1].argmax()",
    },
)
WORDS = {
    "last": "Each row of scores belongs to a token of the text, and says what may come after it. Only the "
    "last, scores[-1], is about what comes after the whole text.",
    "whole": "There is no cache in this function, so the model knows only what it is given: the whole text, "
    "each time.",
}
MISTAKES = EDITS.mistakes(
    """
last-token-alone
    you gave the model the last token alone
    With a cache that is enough. {whole}
    | scores => model(text[-1:])

prompt-only
    you asked each time what comes after the prompt, and left out what the model has written since
    So the answer is the same each time. Give the model the whole text in each round, and take the row
    of its last token, scores[-1].
    | scores => model(tokens)
    | row => scores[len(tokens) - 1]

last-few-alone
    you gave the model the last few tokens alone
    It can know nothing of what stands before them. {whole}
    | scores => model(text[-2:])
    | scores => model(text[-3:])

one-back
    you asked what comes after the last token but one
    Then the model writes the last token once more. Give it the whole text, and take the last row.
    | scores => model(text[:-1] or text)
    | row => scores[max(len(scores) - 2, 0)]

first-token-forgotten
    you dropped the first token before the model read the text
    {whole}
    | scores => model(text[1:] or text)

backwards
    you gave the model the text in reverse
    The order of the tokens means something: hand them over as they are.
    | scores => model(text[::-1])

first-row
    you took the scores after the first token
    {last}
    | row => scores[0]

whole-array
    you took the largest score of all rows, and its place in the whole array
    Without a row np.argmax counts through the array from end to end. {last}
    | chosen => scores.argmax()

any-row
    you took the token with the largest score in any row
    {last}
    | chosen => scores.max(axis=0).argmax()
    | chosen => scores.argmax() % scores.shape[1]

rows-added
    you added up the scores of all rows, or took their mean
    {last}
    | row => scores.sum(axis=0)
    | row => scores.mean(axis=0)

column-for-row
    you took a column of the scores, not a row
    scores[:, -1] holds the scores of one token after each part of the text. A row is scores[-1].
    | row => scores[:, -1]

smallest
    you took the token with the smallest score
    The model gives its favourite the largest score.
    | chosen => scores[-1].argmin()

absolute-scores
    you took the score that is largest without its sign
    Scores may be negative, and a very negative one means: hardly this token.
    | row => abs(scores[-1])

second-best
    you took the token with the second largest score
    np.argsort puts the largest at the end: [-1], and argmax finds it at once.
    | chosen => scores[-1].argsort()[-2]

one-too-few
    you stopped one token too early
    n_new tokens are to be added: range(n_new) has n_new rounds.
    | rounds => range(n_new - 1)
    | rounds => range(1, n_new)

one-too-many
    you added one token too many
    n_new tokens are to be added: range(n_new) has n_new rounds.
    | rounds => range(n_new + 1)

up-to-n_new
    you took n_new for the length of the whole text
    n_new tokens come on top of those that were given.
    | rounds => range(len(tokens), n_new)

only-the-new
    you left out the tokens that were given
    The text begins with them.
    | result => it[len(tokens):]

only-the-last
    you returned the last token alone
    The text is asked for: the tokens that were given, and all new ones.
    | result => it[-1:]
""",
    WRITES,
    words=WORDS,
)


def _whole(tokens: Sequence[int]) -> Sequence[int]:
    """A text -> the same. Raises TypeError where a token is no whole number, as a real model does."""
    for place, token in enumerate(tokens):
        if np.ndim(token):
            raise TypeError(f"a token is one whole number; token {place} of the text is {token!r}")
    return tokens


def running_sum(tokens: Sequence[int]) -> Array:
    """n tokens -> (n, 7): after each, their sum so far, modulo 7, is far ahead. No two are equal."""
    return np.eye(7)[np.cumsum(_whole(tokens)) % 7] + np.arange(7) / 100


def _remembers(n_tokens: int, start: int, shift: float = 0.0) -> Model:
    """A model whose scores hang on all tokens so far, each half as much as the next one. No two are equal."""
    table = exact(numbers(n_tokens, n_tokens, start=start)) + np.arange(n_tokens) / 2**12

    def model(tokens: Sequence[int]) -> Array:
        scores, read = [], np.zeros(n_tokens)
        for token in _whole(tokens):
            read = read / 2 + table[token % n_tokens]
            scores.append(read + shift)
        return np.array(scores)

    return model


def _continues(inputs: Any, output: Array, call: Any) -> str:
    model, tokens, n_new = inputs["model"], list(inputs["tokens"]), inputs["n_new"]
    if output.shape != (len(tokens) + n_new,) or n_new < 2:
        return ""
    again = call(model, output[:-1].astype(int).tolist(), 1)
    if not alike(again, output) or np.array_equal(again, output):
        return ""
    return (
        f"You wrote {output.astype(int).tolist()}. Asked for one token after all but the last of these, you "
        f"write {int(again[-1])}."
    )


EXERCISE = Mend(
    name="write-loop",
    answer=my_writer,
    bug=EDITS.bug("scores => model(text[-1:])"),
    task="The tokens that were given, and n_new more, each the one with the largest score.",
    given="last-token-alone",
    symptom="the model of the example adds up all tokens that it is given. What does it get in the first "
    "round, and what in the second?",
    call="my_writer(model, tokens, n_new)",
    right=write_loop,
    recipe=EDITS.recipe(),
    probes=(
        example(model=running_sum, tokens=[1, 2], n_new=3),
        Probe(
            "a model that remembers every token",
            {"model": _remembers(11, 3), "tokens": [4, 9, 2], "n_new": 4},
        ),
        Probe(
            "a prompt of five tokens", {"model": _remembers(8, 200), "tokens": [7, 0, 3, 6, 1], "n_new": 6}
        ),
        Probe(
            "a model all of whose scores are negative",
            {"model": _remembers(9, 400, -8.0), "tokens": [5, 1, 8, 2], "n_new": 5},
        ),
        Probe("one new token", {"model": _remembers(10, 600), "tokens": [3, 8, 5], "n_new": 1}),
        Probe("a prompt of one token", {"model": _remembers(12, 800), "tokens": [6], "n_new": 5}, hard=True),
    ),
    properties=(Property("goes on", "each token follows from the text before it", _continues),),
    axes=("token",),
    mistakes=MISTAKES,
    hints=(
        "With the tokens 1 and 2 the example should first write 3, their sum. What must the model see?",
        "Nothing remembers earlier rounds here: there is no cache.",
        "model(text) reads the whole text, and scores[-1] is what it says about the token after that.",
    ),
    explain="It reads the whole text again for each token. With a cache the model may be given the new token "
    "alone; nobody but the cache then knows the rest.",
    reread=WRITES,
)

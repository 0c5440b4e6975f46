"""padded-loss, lesson 12: the mean loss of a batch, in which padding counts."""

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_12.shared import TASK
from helpers.validation import Array, Mask


def my_mean_loss(losses: Array, real: Mask) -> Array:
    """(n_texts, n), True for a token -> the mean loss of a real token, over all texts."""
    total = np.where(real, losses, 0).sum()
    return total / max(real.sum(), 1)


def first_places(real: Mask) -> Mask:
    """(n_texts, n), True for a token -> True for as many places at the start of each text."""
    return np.arange(real.shape[1]) < real.sum(axis=1, keepdims=True)


def of_texts_with_a_token(losses: Array, real: Mask, of_none: float) -> float:
    """The mean of each text that has a token, and the mean of these: `of_none` where none has one."""
    means = [one[here].mean() for one, here in zip(losses, real, strict=True) if here.any()]
    return float(np.mean(means)) if means else of_none


EDITS = Edits(my_mean_loss, {
    "total": "np.where(real, losses, 0).sum()",
    "count": "max(real.sum(), 1)",
    "mean": "total / max(real.sum(), 1)",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
padding-counted
    you divide by the number of all places, padding too
    {count}
    | count => real.size

padding-added
    you add up the losses at the padding as well
    What is stored at padding is not a loss of the model: np.where(real, losses, 0) leaves it out.
    | total => losses.sum()
    | mean => losses.sum() / max(real.sum(), 1) if real.any() else 0.0
    | total => losses.sum(); count => real.sum()

padding-everywhere
    you took the mean of everything, padding too
    {count} And what is stored at padding must not be added up.
    | total => losses.sum(); count => real.size

product-with-the-mask
    you multiplied by the mask, and 0 times NaN is NaN
    Padding may hold anything. np.where chooses; a product does not.
    | total => (losses * real).sum()

mean-of-means
    you took the mean of each text, and then the mean of these
    A token in a short text then counts for more than one in a long text. All real tokens count the same.
    | mean => np.mean(np.where(real, losses, 0).sum(axis=1) / np.maximum(real.sum(axis=1), 1))
    | mean => np.mean(np.where(real, losses, 0).sum(axis=1) / real.sum(axis=1))
    | mean => of_texts_with_a_token(losses, real, np.nan)
    | mean => of_texts_with_a_token(losses, real, 0.0)
    | mean => of_texts_with_a_token(losses, first_places(real), np.nan)
    | mean => of_texts_with_a_token(losses, first_places(real), 0.0)

texts-counted
    you divide by the number of texts
    {count}
    | count => len(real)

longest-counted
    you divide by the length of the texts
    {count}
    | count => real.shape[1]

padding-instead
    you took the mean over the padding
    True is a real token.
    | total => np.where(real, 0, losses).sum(); count => max((~real).sum(), 1)
    | total => np.where(real, 0, losses).sum()
    | total => np.where(real, 0, losses).sum(); count => real.sum()

first-places
    you took the first places of each text, as many as it has tokens
    Padding may also stand in front, or in between. `real` says which places are tokens.
    | total => np.where(first_places(real), losses, 0).sum()

padding-number
    you divide by the number of pads
    {count} True is a real token.
    | count => max((~real).sum(), 1)

zeros-not-counted
    you counted the losses that are not 0
    A real token may have a loss of 0, and counts all the same.
    | count => max(np.count_nonzero(np.where(real, losses, 0)), 1)

longest-text-counted
    you divide as if each text were as long as the longest
    {count}
    | count => max(len(real) * real.sum(axis=1).max(), 1)

longest-text-alone
    you divide by the number of tokens in the longest text
    {count}
    | count => real.sum(axis=-1).max()
    | count => max(real.sum(axis=-1).max(), 1)

one-more-counted
    you added something to the number of tokens, so as not to divide by 0
    However little it is, every mean then comes out too small. max(real.sum(), 1) changes nothing where a
    token is real.
    @ k = 1 0.1 0.01 0.001
    | count => real.sum() + k

only-added
    you added up, and did not divide
    {count}
    | mean => total

mean-for-each
    you give a mean for each text
    One number is asked for: over all texts together.
    | mean => np.where(real, losses, 0).sum(axis=1) / np.maximum(real.sum(axis=1), 1)

nothing-real
    you divide 0 by 0 where no token is real
    The task asks for 0 there: max(…, 1).
    | count => real.sum()
""",
    reread=TASK,
    words={"count": "Divide by the number of real tokens, real.sum()."},
)

T, F = True, False


def _batch(
    *lengths: int, n: int, start: int, dtype: type = np.float64, junk: float = 0.5
) -> dict[str, Array]:
    real = np.arange(n) < np.array(lengths)[:, None]
    losses = np.abs(numbers(len(lengths), n, start=start, dtype=dtype)) + dtype(0.25)
    return {"losses": np.where(real, losses, dtype(junk)), "real": real}


EXERCISE = Mend(
    name="padded-loss",
    answer=my_mean_loss,
    bug=EDITS.bug("count => real.size"),
    given="padding-counted",
    task="A mean loss that falls when texts are padded further.",
    symptom="take the example, and add a column of padding: 0.5 for both texts, and False. Does "
    "the mean change? "
    "Should it?",
    call="my_mean_loss(losses, real)",
    right=my_mean_loss,
    recipe=EDITS.recipe(),
    probes=(
        Probe(
            EXAMPLE,
            {
                "losses": np.array([[2.0, 4.0, 0.5], [6.0, 0.5, 0.5]]),
                "real": np.array([[T, T, F], [T, F, F]]),
            },
        ),
        Probe("three texts", _batch(5, 2, 4, n=5, start=3)),
        Probe("padding with 9", _batch(1, 6, 3, 2, n=7, start=40, junk=9.0)),
        Probe(
            "a real loss of 0",
            {
                "losses": np.array([[0.0, 1.5, 3.5, 0.5], [2.5, 0.0, 9.0, 9.0]]),
                "real": np.array([[T, T, T, T], [T, T, F, F]]),
            },
        ),
        Probe("NaN at the padding", _batch(2, 4, 3, 1, 5, n=6, start=77, junk=np.nan)),
        Probe("no padding", _batch(4, 4, 4, n=4, start=120)),
        Probe("float32", _batch(3, 8, n=9, start=160, dtype=np.float32)),
        Probe(
            "padding in front, and in between",
            {
                "losses": np.array([[0.5, 3.0, 1.25, 6.0], [2.0, 0.5, 5.5, 0.5], [0.5, 0.5, 0.5, 4.5]]),
                "real": np.array([[F, T, T, T], [T, F, T, F], [F, F, F, T]]),
            },
        ),
        Probe("one text", _batch(3, n=5, start=250), hard=True),
        Probe("texts of one token", _batch(1, 0, 1, n=1, start=270), hard=True),
        Probe("nothing real", _batch(0, 0, n=3, start=230)),
    ),
    mistakes=MISTAKES,
    hints=(
        "How many real tokens does the example have? What is the sum divided by?",
        "real.sum() counts the True entries. What is it where everything is padding?",
    ),
    explain="If you divide by the number of all places, the loss of a batch depends on its longest text, and "
    "so do the gradients.",
    reread=TASK,
)

"""shifted-loss, lesson 12: the loss of the next token, whose targets nobody shifted."""

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_12.shared import TASK
from helpers.softmax import softmax
from helpers.validation import Array


def my_loss(logits: Array, tokens: Array) -> Array:
    """(n, n_symbols), (n,) -> the mean loss of the next token, over the rows that have one."""
    shares = softmax(logits)
    right = shares[np.arange(len(tokens) - 1), tokens[1:]]
    return -np.log(right).mean()


EDITS = Edits(my_loss, {
    "shares": "softmax(logits)",
    "rows": "np.arange(len(tokens) - 1)",
    "targets": "tokens[1:]",
    "right": "shares[np.arange(len(tokens) - 1), tokens[1:]]",
    "loss": "-np.log(right).mean()",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
not-shifted
    you compare each row with the token that was just read
    {next}
    | rows => np.arange(len(tokens)); targets => tokens

first-row-dropped
    you left out the first row, and compare each of the others with the token that was just read
    {next} It is the *last* row that has no target.
    | rows => np.arange(1, len(tokens))

last-row-dropped
    you left out the last row, which is right, and compare the others with the token that was just read
    {next}
    | targets => tokens[:-1]

rows-all-kept
    you shifted the targets, and kept all the rows
    n tokens have n − 1 targets, tokens[1:], and the last row has none: the rows are np.arange(n − 1).
    | rows => np.arange(len(tokens))

targets-all-kept
    you left out the last row, which is right, and kept all the tokens as targets
    {next} That leaves the n − 1 targets tokens[1:].
    | targets => tokens

shifted-back
    you compare each row with the token before the one that was read
    {next}
    | rows => np.arange(1, len(tokens)); targets => tokens[:-1]

two-ahead
    you compare each row with the next token but one
    {next}
    | rows => np.arange(len(tokens) - 2); targets => tokens[2:]

rolled-round
    your last row is compared with the first token
    Nothing follows the last token: its row has no target, and is left out.
    | rows => np.arange(len(tokens)); targets => np.roll(tokens, -1)

last-row-judged
    you gave the last row a target of its own
    Nothing follows the last token: its row has no target, and is left out.
    | rows => np.arange(len(tokens)); targets => np.append(tokens[1:], 0)
    | rows => np.arange(len(tokens)); targets => np.append(tokens[1:], tokens[-1])

all-with-all
    you took the share of every target in every row
    shares[:-1, tokens[1:]] is a whole table. With np.arange(n − 1) for the rows, row i meets target i only.
    | right => shares[:-1, tokens[1:]]

symbol-plus-one
    you took the symbol with the next number, tokens + 1, for the next token
    {next} tokens[1:] are the tokens that follow.
    | rows => np.arange(len(tokens)); targets => tokens + 1
    | targets => tokens[:-1] + 1
    | rows => np.arange(len(tokens)); targets => (tokens + 1) % logits.shape[-1]

first-loss-dropped
    you left out the first row, though it has a target
    Row 0 says what follows the first token. Only the last row has no target.
    | rows => np.arange(1, len(tokens) - 1); targets => tokens[2:]

loss-for-each-row
    you give a loss for each row
    One number is asked for: the mean.
    | loss => -np.log(right)

added-up
    you added the losses up
    The mean is asked for, or a longer text would have a larger loss.
    | loss => -np.log(right).sum()

one-too-many
    you divided by the number of tokens
    One row has no target: there are n − 1 losses.
    | loss => -np.log(right).sum() / len(tokens)

sign-turned
    you lost the minus
    The log of a share is negative, and a loss is positive.
    | loss => np.log(right).mean()

log-of-the-mean
    you took the log of the mean share
    First the log of each share, then the mean: one share near 0 must cost a lot.
    | loss => -np.log(right.mean())

in-bits
    you took the log to the base 2
    Losses in this course are in nats: np.log.
    | loss => -np.log2(right).mean()

shares-averaged
    you averaged the shares themselves, without the log
    The loss is −ln of a share.
    | loss => right.mean()
    | loss => 1 - right.mean()
    | loss => -right.mean()

perplexity
    you returned e^loss, the perplexity
    Here the mean of −ln itself is asked for.
    | loss => np.exp(-np.log(right).mean())

not-softmaxed
    you took the logits for the logarithms of shares
    A logit says little by itself: softmax turns a row into shares, and the loss is −ln of a share.
    | shares => logits; loss => -right.mean()

over-the-rows
    you took softmax over the rows
    Each row of logits is shared among the symbols.
    | shares => softmax(logits.T).T

no-row-max
    you did not subtract the largest score of each row first
    e^1000 is larger than any float64, so it counts as ∞. The helper softmax subtracts the largest.
    | shares => np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    | loss => (np.log(np.exp(logits).sum(axis=-1))[rows] - logits[rows, targets]).mean()

softmaxed-twice
    you applied softmax twice
    Shares are what softmax makes of the logits. A second softmax makes them nearly even.
    | shares => softmax(softmax(logits))
""",
    reread=TASK,
    words={"next": "Row i is what the model says after reading tokens[i]: its target is tokens[i + 1]."},
)


def _text(n: int, n_symbols: int, start: int, dtype: type = np.float64) -> dict[str, Array]:
    tokens = (start + 3 * np.arange(n) ** 2 + np.arange(n)) % n_symbols
    return {"logits": numbers(n, n_symbols, start=start, dtype=dtype), "tokens": tokens}


EXERCISE = Mend(
    name="shifted-loss",
    answer=my_loss,
    bug=EDITS.bug("rows => np.arange(len(tokens)); targets => tokens"),
    given="not-shifted",
    task="The loss of the next token, whose targets were not shifted.",
    symptom="call it with logits [[0, 9], [9, 0], [9, 0]] and tokens [0, 1, 0]. After token 0 the "
    "model says 1, "
    "and 1 comes. Why is the loss so large?",
    call="my_loss(logits, tokens)",
    right=my_loss,
    recipe=EDITS.recipe(),
    probes=(
        Probe(
            EXAMPLE,
            {"logits": np.array([[0.0, 9.0], [9.0, 0.0], [9.0, 0.0]]), "tokens": np.array([0, 1, 0])},
        ),
        Probe("four tokens", _text(4, 6, start=3)),
        Probe("seven tokens", _text(7, 5, start=41)),
        Probe("two tokens", _text(2, 3, start=90)),
        Probe("float32", _text(9, 8, start=130, dtype=np.float32)),
        Probe("two tokens, and the only symbol that there is", _text(2, 1, start=5), hard=True),
        Probe("twelve tokens", _text(12, 10, start=222)),
        Probe(
            "scores around 1,000",
            {**_text(5, 4, start=260), "logits": 1000 + _text(5, 4, start=260)["logits"]},
        ),
    ),
    mistakes=MISTAKES,
    hints=(
        "Which token should row 0 have predicted: tokens[0], or tokens[1]?",
        "With n tokens there are n − 1 predictions that can be judged. Which row is left over?",
        "Rows 0 to n − 2 belong to the targets tokens[1:].",
    ),
    explain="Unshifted, a model that merely repeats its input would be perfect, and training "
    "would make it so.",
    reread=TASK,
)

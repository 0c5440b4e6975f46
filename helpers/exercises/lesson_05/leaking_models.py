"""The small models of leak-test: some look into the future, some do not."""

import numpy as np

from helpers.exercises.engine.probes import EXAMPLE, exact, numbers
from helpers.exercises.slips.hiding import Step
from helpers.masking import Mask
from helpers.softmax import softmax
from helpers.validation import Array

# A learner may compare outputs to the last bit, and two processors sum in two orders. So all sums here are
# exact: of eighths and quarters, of powers of 2. What is left, a division or a root, is the same everywhere.
TOKENS, TWO_TOKENS = exact(numbers(5, 3, start=12)), exact(numbers(2, 3, start=4))
# No change by small whole numbers, such as [1, 1, −1], is at right angles to ASIDE, and goes unseen by it.
UP, ASIDE = np.array([0.75, -0.25, 0.5]), np.array([-46, 101, 77]) / 128
DIRECTION = np.stack([UP, -UP, ASIDE], axis=1)  # whatever rises in column 0 falls in column 1
POSITIONS = exact(numbers(9, 3, start=90))


def _attend(scores: Array, mask: Mask, x: Array) -> Array:
    """Attention with powers of 2 as exponentials, so that their sums are exact."""
    scores = np.where(mask, np.round(scores), -np.inf)
    shares = 2.0 ** (scores - scores.max(axis=-1, keepdims=True))
    shares[shares < 2.0**-30] = 0
    return shares @ (x @ DIRECTION) / shares.sum(axis=-1, keepdims=True)


def _bounded(values: Array) -> Array:
    """Numbers -> the same between −1 and 1, as tanh does, and with the same digits on every processor."""
    return values / (1 + abs(values))


def _past(x: Array, ahead: int = 0) -> Mask:
    return np.tri(len(x), k=ahead, dtype=bool)


def _causal(x: Array) -> Array:
    return _attend(x @ x.T, _past(x), x)


def _open(x: Array) -> Array:
    return _attend(x @ x.T, _past(x, len(x)), x)


def _ahead(steps: int) -> Step:
    return lambda x: _attend(x @ x.T, _past(x, steps), x)


def _last_token(x: Array) -> Array:
    """Every output reads the last token, besides what it may read."""
    return _causal(x) + _bounded(x[-1] @ DIRECTION)


def _one_pair(output: slice, token: slice) -> Step:
    """A model in which one output reads one token; no other output looks ahead."""

    def model(x: Array) -> Array:
        found = _causal(x)
        found[output] += _bounded(x[token] @ DIRECTION).sum(axis=0)
        return found

    return model


def _centred(x: Array) -> Array:
    """Three times the distance of each entry from the mean of the three: a third would not be exact."""
    return x.shape[-1] * x - x.sum(axis=-1, keepdims=True)


def _normalised(x: Array) -> Array:
    centred = _centred(x)
    spread = abs(centred).max(axis=-1, keepdims=True)
    return exact(centred / np.where(spread == 0, 1, spread), step=2.0**-10)


def _sums(read: Step) -> Step:
    """A model that adds up what it reads of all tokens, later ones too."""
    return lambda x: _bounded(x @ DIRECTION) + read(x).sum(axis=0) @ DIRECTION


def _own_row(x: Array) -> Array:
    return _bounded(x @ DIRECTION)


def _constant(x: Array) -> Array:
    return np.ones((len(x), 3))


def _reads_from(place: int) -> Step:
    """The outputs from this place on read what they may, and those before it are always the same."""
    return lambda x: np.where(np.arange(len(x))[:, None] < place, 1.0, np.cumsum(x @ DIRECTION, axis=0))


def _earlier_only(x: Array) -> Array:
    return (np.cumsum(x, axis=0) - x) @ DIRECTION


def _small_leak(x: Array) -> Array:
    read = exact(_bounded(0.5 * x @ DIRECTION), step=2.0**-10)  # the leak is small whatever the change
    return 3 + _bounded(_causal(x)) + 2.0**-23 * np.cumsum(read[::-1], axis=0)[::-1]


def _saturated(mask_of: Step) -> Step:
    """All the weight goes to the token nearest to TOKENS[2]: that is the middle one, until it is changed."""

    def model(x: Array) -> Array:
        distances = ((x - TOKENS[2]) ** 2).sum(axis=-1)
        return softmax(np.where(mask_of(x), -100_000 * distances, -np.inf)) @ x @ DIRECTION

    return model


def _adds_positions(x: Array) -> Array:
    x += POSITIONS[: len(x)]  # into the array that it was given
    return _causal(x)


def _writes_over(x: Array) -> Array:
    return np.cumsum(x, axis=0, out=x)


def _backwards(x: Array) -> Array:
    return x[::-1]  # no copy: a view of the input


def _running_sum(x: Array) -> Array:
    return x.cumsum(axis=0)


def _reversed(x: Array) -> Array:
    return x[::-1].copy()


def _rounded_otherwise(x: Array) -> Array:
    later = np.cumsum(x[::-1], axis=0)[::-1] - x
    detour = 4 / (1 + (later @ DIRECTION) ** 2)
    return _causal(x) + detour - detour


def _one_sided(sign: int) -> Step:
    """Any change of the last token moves the outputs to one side."""
    return lambda x: _causal(x) + sign * ((x[-1] - TOKENS[-1]) ** 2).sum()


def _cancels(x: Array) -> Array:
    return _causal(x) + _bounded(x[-1] @ ASIDE) * np.array([1.0, -1.0, 0.0])


def _one_column(x: Array) -> Array:
    leak = np.zeros((len(x), 3))
    leak[:, 2] = _bounded(x[-1] @ ASIDE) * (-1.0) ** np.arange(len(x)) * np.arange(1, len(x) + 1)
    return _causal(x) + leak


def _one_entry(x: Array) -> Array:
    return _causal(x) + _bounded(x[-1, 1]) * np.array([1.0, -1.0, 0.5])


def _with_zeros(x: Array) -> Array:
    return np.vstack([x[:-1], np.zeros((1, x.shape[1]))])


WIDE_TOKENS, NARROW_TOKENS = exact(numbers(4, 5, start=31)), exact(numbers(3, 1, start=41))
LAST_IS_0 = _with_zeros(TOKENS)
ROUGH_TOKENS = np.round(TOKENS) + np.sign(TOKENS - 0.1) / 16
ONE_OUTPUT = (
    "One token leaks here, into one output. Change each token in turn, and look at all the outputs before it."
)
GIVE_A_COPY = "This model writes into the array that it gets. Hand it a copy each time: model(x.copy())."
ABSOLUTE = "All its outputs move the same way. Compare the absolute value of the difference with 1e-9."

MODELS: tuple[tuple[str, Step, Array, bool, str], ...] = (  # its name, the model, x, does it leak? a clue
    ("a model without a mask, two tokens", _open, TWO_TOKENS, True,
     "Here the first output moves when the second token is changed."),
    ("a causal model, two tokens", _causal, TWO_TOKENS, False,
     "The second output may move with both tokens, the first with its own."),
    ("a causal model", _causal, TOKENS, False,
     "An output may move with its own token and with those before it. Look only at the outputs *before* "
     "the changed token, and change it in a fresh copy of x."),
    ("a model without a mask", _open, TOKENS, True,
     "Any token that is changed moves every output here."),
    (EXAMPLE + ", a running sum", _running_sum, WIDE_TOKENS, False,
     "An output may move with its own token and with those before it."),
    (EXAMPLE + ", the tokens in reverse", _reversed, WIDE_TOKENS, True,
     "The last token moves the first output."),
    ("the tokens in reverse, one entry each", _reversed, NARROW_TOKENS, True,
     "The last token moves the first output."),
    ("a model that looks one token ahead", _ahead(1), TOKENS, True,
     "When a token is changed here, the output directly before it moves."),
    ("a model that looks two tokens ahead", _ahead(2), TOKENS, True,
     "When a token is changed here, the two outputs before it move."),
    ("a model that reads only the token itself", _own_row, TOKENS, False,
     "Each output moves with its own token and no other. That is no leak."),
    ("a model that reads only the tokens before", _earlier_only, TOKENS, False,
     "Each output moves with the tokens before it and no other. That is no leak."),
    ("a causal model whose last output alone reads anything", _reads_from(4), TOKENS, False,
     "The last output may move with every token, and no other output moves at all."),
    ("a causal model whose last two outputs alone read anything", _reads_from(3), TOKENS, False,
     "The last two outputs may move with their own tokens and those before; no other output moves at "
     "all."),
    ("a model whose output is always the same", _constant, TOKENS, False,
     "Nothing ever moves here."),
    ("a model in which every output reads the last token", _last_token, TOKENS, True,
     "When the last token is changed here, every output moves."),
    ("a model that adds up all tokens", _sums(lambda x: x), TOKENS, True,
     "A sum does not know the order of the tokens: tokens that only change places move nothing."),
    ("a model that centres each token first", _sums(_centred), TOKENS, True,
     "The model subtracts from each token the mean of its entries, so that a number added to all of them "
     "is gone. Add a different amount to each entry."),
    ("a model that normalises each token first", _sums(_normalised), TOKENS, True,
     "The model divides each token by its spread, so a factor is gone. Add a different amount to each "
     "entry."),
    ("a model with a small leak", _small_leak, TOKENS, True,
     "Its outputs move by about 1e-7. np.allclose overlooks that unless it gets rtol=0 and atol=1e-9."),
    ("a causal model whose rounding depends on later tokens", _rounded_otherwise, TOKENS, False,
     "Its outputs differ in the last digit, about 1e-16. That is rounding: 1e-9 or less has not moved."),
    ("a causal model that adds its positions to the array it gets", _adds_positions, TOKENS, False,
     GIVE_A_COPY),
    ("a causal model that writes its output over the array it gets", _writes_over, TOKENS, False,
     GIVE_A_COPY),
    ("a model that gives the tokens in reverse, as a view of the array it gets", _backwards, TOKENS, True,
     "The model hands out the very array that it got, turned round. If that is x, and x is changed, the "
     "first output changes along. Call model(x.copy())."),
    ("a model whose leak can only lower the outputs", _one_sided(-1), TOKENS, True, ABSOLUTE),
    ("a model whose leak can only raise the outputs", _one_sided(1), TOKENS, True, ABSOLUTE),
    ("a model whose leak cancels in the sum of each output", _cancels, TOKENS, True,
     "One entry rises by as much as another falls. Compare entry by entry."),
    ("a model that leaks into one column of its output", _one_column, TOKENS, True,
     "One entry of each output moves, the others stay. One is enough: `any`, over all entries."),
    ("a model that reads one entry of the last token", _one_entry, TOKENS, True,
     "The model reads one entry of the last token. Change them all."),
    ("a model that reads the sizes of numbers, not their signs", _sums(np.abs), TOKENS, True,
     "A token whose sign is flipped looks the same here. Add a different amount to each entry."),
    ("a model that squares the tokens, and the last is all zeros", _sums(np.square), LAST_IS_0, True,
     "The model adds up the squares of all tokens. Add a different amount to each entry of each token."),
    ("a model that rounds each token to whole numbers", _sums(np.round), ROUGH_TOKENS, True,
     "A small change is rounded away. Change the token by more than 1."),
    ("a model that reads the last token, which is all zeros", _last_token, LAST_IS_0, True,
     "Zeros times any number are zeros. Add something to them."),
    ("a model that centres the last token, which is all zeros, and reads it",
     lambda x: _last_token(_centred(x)), LAST_IS_0, True,
     "The model subtracts the mean of the entries, so equal entries look like zeros. Add a different amount "
     "to each."),
    ("a model whose first output alone looks ahead, at the second token",
     _one_pair(slice(0, 1), slice(1, 2)), TOKENS, True, ONE_OUTPUT),
    ("a model whose first output alone looks ahead, at the middle token",
     _one_pair(slice(0, 1), slice(2, 3)), TOKENS, True, ONE_OUTPUT),
    ("a model whose middle output alone looks ahead", _one_pair(slice(2, 3), slice(3, 4)), TOKENS, True,
     ONE_OUTPUT),
    ("a causal model with saturated weights", _saturated(_past), TOKENS, False,
     "Each output may move with its own token and with those before it."),
    ("a model with saturated weights: all on the middle token",
     _saturated(lambda x: _past(x, len(x))), TOKENS, True,
     "Every output reads the middle token and no other. Change each token in turn."),
    ("a model whose last output but one alone looks ahead",
     _one_pair(slice(-2, -1), slice(-1, None)), TOKENS, True, ONE_OUTPUT),
)  # fmt: skip

"""value-mask-bug, lesson 11: a mask that keeps the gradient from values that were read."""

import numpy as np
from numpy.typing import ArrayLike

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_11.shared import MASKED, no_key_nan  # noqa: F401 (in the edits)
from helpers.masking import causal_mask, mask_scores
from helpers.softmax import softmax
from helpers.validation import Array, Mask


def my_values_backward(d_output: Array, scores: Array, mask: Mask) -> Array:
    """(..., n_queries, d_v), (..., n_queries, n_keys), a mask -> d_values (..., n_keys, d_v)."""
    weights = softmax(mask_scores(scores, mask))
    return np.swapaxes(weights, -1, -2) @ d_output


def bug(d_output: Array, scores: Array, mask: Mask) -> Array:
    """The same, wrong: only what all queries may read gets anything."""
    weights = softmax(mask_scores(scores, mask))
    d_values = np.swapaxes(weights, -1, -2) @ d_output
    read = np.broadcast_to(mask, scores.shape).all(axis=-2, keepdims=True)
    return np.where(np.swapaxes(read, -1, -2), d_values, 0)


def each_pair(scores: Array, mask: Mask) -> Mask:
    """Scores, a mask -> the mask with an entry for each of them."""
    return np.broadcast_to(mask, scores.shape)


EDITS = Edits(
    my_values_backward,
    {
        "weights": "softmax(mask_scores(scores, mask))",
        "hidden": "mask_scores(scores, mask)",
        "turned": "np.swapaxes(weights, -1, -2)",
        "pushed": "d_output in of_values",
        "of_values": "np.swapaxes(weights, -1, -2) @ d_output",
    },
)
MISTAKES = EDITS.mistakes(
    """
hidden-from-some
    a value gets nothing as soon as one query may not read it
    {enough} Under a causal mask every key but the first is hidden from some query.
    | of_values => np.where(each_pair(scores, mask).all(axis=-2)[..., None], it, 0)

as-the-last-query
    a value gets nothing where the *last* query may not read it
    {enough}
    | of_values => np.where(each_pair(scores, mask)[..., -1, :, None], it, 0)

as-the-first-query
    a value gets nothing where the *first* query may not read it
    {enough}
    | of_values => np.where(each_pair(scores, mask)[..., 0, :, None], it, 0)

along-the-keys
    you asked along the keys, axis −1, so you have one answer for each query
    A value belongs to a key: ask along the queries, axis −2. Better, do not ask at all: hidden keys have
    weight 0.
    | of_values => np.where(each_pair(scores, mask).all(axis=-1, keepdims=True), it, 0)
    | of_values => np.where(np.swapaxes(each_pair(scores, mask).all(axis=-1, keepdims=True), -1, -2), it, 0)
    | of_values => np.where(each_pair(scores, mask).any(axis=-1, keepdims=True), it, 0)
    | of_values => np.where(np.swapaxes(each_pair(scores, mask).any(axis=-1, keepdims=True), -1, -2), it, 0)

axis-lost
    you let the axis go along which you asked
    What is left has one entry for each key, in a row, and NumPy lays it along d_v. `[..., None]` makes a
    column of it. Better, do not ask at all: hidden keys have weight 0.
    | of_values => np.where(each_pair(scores, mask).any(axis=-2), it, 0)
    | of_values => np.where(each_pair(scores, mask).all(axis=-2), it, 0)
    | of_values => np.where(np.swapaxes(each_pair(scores, mask).any(axis=-2), -1, -2), it, 0)
    | of_values => np.where(np.swapaxes(each_pair(scores, mask).all(axis=-2), -1, -2), it, 0)

mask-as-it-comes
    you asked the mask as it comes, which may have fewer axes than the scores
    np.broadcast_to(mask, scores.shape) gives it an entry for each query and key. Better, do not ask at all:
    hidden keys have weight 0.
    | of_values => np.where(mask.any(axis=-2)[..., None], it, 0)
    | of_values => np.where(np.swapaxes(mask.any(axis=-2, keepdims=True), -1, -2), it, 0)

where-nothing-is-read
    no value that is read gets anything
    Is a condition the wrong way round? `any` along the queries is True for a key that some query may read,
    and that one is to be kept.
    | of_values => np.where(each_pair(scores, mask).any(axis=-2)[..., None], 0, it)

where-all-read
    a value gets nothing where every query may read it
    The more queries read a value, the more reaches it. Keep what is read, by one query or by all.
    | of_values => np.where(each_pair(scores, mask).all(axis=-2)[..., None], 0, it)

mask-not-turned
    you laid the mask over the transposed weights without transposing it
    In weightsᵀ the keys are rows and the queries columns, the other way round than in the mask. {enough}
    | turned => np.where(mask, it, 0)

queries-hidden
    a query that may not read everything pushes no value
    Its `d_output` reaches all the values that it did read, each by its weight.
    | pushed => np.where(each_pair(scores, mask).all(axis=-1)[..., None], d_output, 0)

mask-forgotten
    you never used the mask
    Then hidden keys have weights, and their values a gradient. Mask the scores before softmax.
    | hidden => scores

weights-zeroed
    you made the weights without the mask, and set those of the hidden keys to 0 afterwards
    Then a row of weights no longer sums to 1. Mask the scores before softmax.
    | weights => np.where(mask, softmax(scores), 0)

mask-on-the-values
    you made the weights without the mask, and set the gradient of values that nobody may read to 0
    Hidden keys then take a part of the weight, and the others get too little. Mask the scores before softmax.
    | weights => softmax(scores); of_values => np.where(each_pair(scores, mask).any(-2)[..., None], it, 0)

inverted
    you swapped True and False
    True = may attend.
    | mask => ~it
    | hidden => mask_scores(scores, ~mask)

masked-with-0
    you put a score of 0 where the mask hides a key
    e^0 is 1: a score of 0 is not a weight of 0. mask_scores writes −∞.
    | hidden => np.where(mask, scores, 0)

minus-a-billion
    you hid keys with a large negative number
    For a query without a key all scores are then equal, and so are the weights. mask_scores writes −∞, and
    the helper softmax gives such a row zeros.
    | hidden => np.where(mask, scores, -1e9)

no-key-nan
    a query without a key gets nan
    Where every score is −∞, e^(−∞ − −∞) is nan. The helper softmax gives such a row zeros.
    | weights => no_key_nan(scores, mask)

weights-not-turned
    you multiplied by the weights without transposing them
    A value gets something from every query that read it: its row of weightsᵀ holds what each query gave it.
    | turned => weights

unweighted
    every query that may read a value pushes it with all its strength
    The share is the weight: on the way forward value j counted with weight j.
    | turned => np.swapaxes(each_pair(scores, mask), -1, -2).astype(scores.dtype)

mean-over-queries
    you took the mean over the queries
    The loss changes by what every query contributes: gradients are summed.
    | of_values => it / weights.shape[-2]
    | of_values => it / len(weights)

mean-over-readers
    you divided by the number of queries that may read the key
    The loss changes by what every query contributes: gradients are summed, and no mean is taken.
    | of_values => it / each_pair(scores, mask).sum(axis=-2)[..., None]
    | of_values => it / np.maximum(each_pair(scores, mask).sum(axis=-2), 1)[..., None]
""",
    MASKED,
    words={"enough": "One query that reads a value is enough, and its weight says how much it gets."},
)


def probe(
    kind: str, shape: tuple[int, ...], d_v: int, mask: Mask, start: int, added: ArrayLike = 0.0
) -> Probe:
    """The scores' sizes, the values' width, a mask, what is added to the scores -> a probe."""
    inputs = {
        "d_output": numbers(*shape[:-1], d_v, start=start),
        "scores": numbers(*shape, start=start + 100) + np.asarray(added),
        "mask": mask,
    }
    return Probe(kind, inputs, hard=1 in (*shape, d_v) or bool(np.any(added)))


OF_TASK = {
    "d_output": np.array([[1.0, 0.0], [2.0, 4.0]]),
    "scores": np.zeros((2, 3)),
    "mask": np.array([[True, False, False], [True, True, False]]),
}
PADDED = np.array([[[True, True, True, False, False]], [[True, True, False, False, False]]])
ONE_BLIND = causal_mask(4) & (np.arange(4) != 2)[:, None]  # query 2 has no key; others read key 2
COLUMN = np.array([[True], [False], [True]])
APART = np.where(causal_mask(3, 5), 0.0, 1000.0)  # what is added to scores that are hidden
EXERCISE = Mend(
    name="value-mask-bug",
    answer=my_values_backward,
    bug=bug,
    task="A mask that keeps the gradient from values that were read.",
    given="hidden-from-some",
    symptom="in the example query 1 gives keys 0 and 1 a weight of 1/2 each, so half of its d_output, "
    "[1, 2], should arrive at value 1. Nothing does. Who may not read key 1?",
    call="my_values_backward(d_output, scores, mask)",
    right=my_values_backward,
    recipe=EDITS.recipe(),
    example=OF_TASK,
    probes=(
        Probe(EXAMPLE, OF_TASK),
        probe("a causal mask: as many queries as keys", (4, 4), 3, causal_mask(4), 21),
        probe("more keys than queries", (2, 5), 3, causal_mask(2, 5), 22),
        probe("one key", (3, 1), 2, np.ones((3, 1), bool), 23),
        probe("a batch of 2 sentences", (2, 3, 6), 4, causal_mask(3, 6), 24),
        probe("nothing hidden", (2, 3, 5, 4), 6, np.ones((5, 4), bool), 25),
        probe("a query without a key", (4, 3), 5, causal_mask(4, 3), 26),
        probe("a mask of one axis", (3, 4), 2, np.array([True, True, False, True]), 27),
        probe("a mask of one row", (2, 3, 4), 5, np.array([[[True, False, True, True]]]), 28),
        probe(
            "a mask of one column: whole queries hidden", (3, 5), 4, np.array([[True], [False], [True]]), 29
        ),
        probe("padding, another in each sentence", (2, 3, 5), 4, PADDED, 30),
        probe("each query reads one key", (3, 4), 2, np.eye(3, 4, k=1, dtype=bool), 37),
        probe("hidden scores around 1,000", (3, 5), 2, causal_mask(3, 5), 31, added=APART),
        probe("one query", (1, 5), 3, np.array([[True, True, False, True, True]]), 32),
        probe("values of one number", (3, 4), 1, causal_mask(3, 4), 33),
        probe("a batch of 1 sentence", (1, 3, 4), 2, causal_mask(3, 4), 34),
        probe("3 sentences with 1 head", (3, 1, 4, 5), 2, causal_mask(4, 5), 35),
        probe("1 sentence with 2 heads", (1, 2, 3, 4), 5, causal_mask(3, 4), 36),
        probe("as many queries as keys, and one has no key", (4, 4), 3, ONE_BLIND, 38),
    ),
    axes=("key", "entry"),
    mistakes=MISTAKES,
    hints=(
        "Print weights in the example. How much of value 1 went into the output of query 1?",
        "A value gets something from every query that read it. Does it matter that another query may not?",
        "The weights of hidden keys are 0 already. The last two lines can go: return d_values as it is.",
    ),
    explain="The mask is in the weights: a hidden key has weight 0, and gets 0 from that query. From the "
    "others its value gets what their weights say.",
    reread=MASKED,
)

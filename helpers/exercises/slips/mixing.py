"""Mistakes in mixing the values, and in which role queries, keys and values play."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from helpers import attention as helper
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.engine.probes import Probe, numbers, triple
from helpers.exercises.kinds.write import Property, alike
from helpers.exercises.slips.matching import match_mistakes, same
from helpers.exercises.slips.scaling import SCALE_MISTAKES
from helpers.exercises.slips.sharing import (
    as_share,
    axis_mistakes,
    axis_mistakes_without_max,
    share_mistakes,
    shift_mistakes,
)
from helpers.softmax import softmax
from helpers.validation import Array

DICTIONARY = "04: A soft dictionary"
ALL = "04: All queries at once"
PROJECTIONS = "04: Queries, keys and values"
LARGE = "02: What large scores do"
PAIRS = "01: All pairs at once"
SHIFT = "03: Adding a number to every score"
COLUMNS = "04: The column convention"
Step = Callable[..., Any]


def by_product(queries: Array, keys: Array) -> Array:
    return queries @ np.swapaxes(keys, -1, -2)


def by_root_d_k(scores: Array, queries: Array, keys: Array) -> Array:
    return scores / math.sqrt(queries.shape[-1])


def mixed(weights: Array, queries: Array, keys: Array, values: Array) -> Array:
    return weights @ values


def in_order(queries: Array, keys: Array, values: Array) -> tuple[Array, Array, Array]:
    return queries, keys, values


def attention_by_choices(
    queries: Array, keys: Array, values: Array, *, roles: Step = in_order, match: Step = by_product,
    scale: Step = by_root_d_k, width: Step = same, share: Step = softmax, mix: Step = mixed,
    after: Step = same,
) -> Array:  # fmt: skip
    asking, answering, carrying = roles(queries, keys, values)
    scores = scale(match(asking, answering), asking, answering)
    weights = share(width(scores, asking, answering, carrying))
    return after(mix(weights, asking, answering, carrying), queries, keys, values)


def only(mistakes: Sequence[Mistake], *names: str) -> tuple[Mistake, ...]:
    """The mistakes of these names, in this order."""
    by_name = {mistake.name: mistake for mistake in mistakes}
    return tuple(by_name[name] for name in names)


def softmax_mistakes(*names: str) -> tuple[Mistake, ...]:
    """Mistakes of lesson 03 as a step of attention, without their rarest ways of writing."""
    all_of_them = (
        *axis_mistakes(),
        *shift_mistakes(),
        *share_mistakes(),
        *axis_mistakes_without_max(),
    )
    chosen = tuple(as_share(mistake) for mistake in only(all_of_them, *names))
    for mistake in chosen:
        mistake.ways = mistake.ways[:5]
    return chosen


def _one_hot(scores: Array) -> Array:
    return np.eye(scores.shape[-1])[scores.argmax(axis=-1)]


def turned(array: Array) -> Array:
    return np.swapaxes(array, -1, -2)


def _added_in_whole_numbers(weights: Array, _q: Array, _k: Array, values: Array) -> Array:
    """The mixture, added up key by key in an array of the values' dtype."""
    output = np.zeros((*weights.shape[:-1], values.shape[-1]), dtype=values.dtype)
    for key in range(values.shape[-2]):
        value = values[..., key, :] if weights.ndim == 1 else values[..., key, None, :]
        output = (output + weights[..., key, None] * value).astype(values.dtype)
    return output


def hidden_softmax(scores: Array, allowed: Array) -> Array:
    """Softmax of the scores that a mask of 0 and 1 leaves."""
    return softmax(np.where(allowed != 0, scores, -np.inf))


def hiding_mistake(section: str = ALL) -> Mistake:
    """Some keys hidden, as in lesson 05: `every` is a table of 1, a row for each query."""
    (mistake,) = STEPS.mistakes(
        """
keys-hidden
    you hid some keys from some queries with a mask
    Here every query meets every key, its own among them. Masks come in lesson 05.
    @ every = np.ones(scores.shape[-2:])
    | share => hidden_softmax(scores, np.tril(every))
    | share => hidden_softmax(scores, np.tril(every, -1))
    | share => hidden_softmax(scores, np.triu(every))
    | share => hidden_softmax(scores, every - np.eye(*scores.shape[-2:]))
    | mix => np.tril(weights) @ values
""",
        section,
    )
    return mistake


STEPS = Steps(
    {
        "roles": "queries, keys, values",
        "match": "queries, keys",
        "scale": "scores, queries, keys",
        "width": "scores, queries, keys, values",
        "share": "scores",
        "mix": "weights, queries, keys, values",
        "after": "output, queries, keys, values",
    },
    globals(),
)
SECTIONS = {"dictionary": DICTIONARY, "columns": COLUMNS, "large": LARGE, "shift": SHIFT}
WORDS = {
    "matched_and_mixed": "Keys are matched, values are mixed: the scores come from the keys, the output from "
    "the values.",
    "mixed": "An output is the sum of all values, each times the weight that the query gives to its key.",
    "content": "The scale belongs to the match: a score is a sum of d_k terms, one for each entry of query "
    "and key. How wide the values are does not change any score.",
}


def _by_helper(queries: Array, keys: Array, values: Array) -> Array:
    return helper.attention(queries, keys, values)[0]


def role_mistakes(attend: Step = _by_helper) -> tuple[Mistake, ...]:
    """Keys and values in each other's place, or one of them left out.

    `attend` is the helper, which learners may call as well: it stops with other errors than their own steps.
    """
    steps = Steps(STEPS.arguments, {**globals(), "attend": attend})
    return steps.mistakes(
        """
keys-and-values-swapped
    you swapped keys and values: you matched the queries with the values and mixed the keys
    {matched_and_mixed}
    | roles => (queries, values, keys)
    | roles => (queries, keys, values); mix => attend(queries, values, keys)

matched-on-values
    you matched the queries with the values and never used the keys
    {matched_and_mixed}
    | roles => (queries, values, values)
    | roles => (queries, keys, values); mix => attend(queries, values, values)

keys-mixed
    you mixed the keys and never used the values
    {matched_and_mixed}
    | roles => (queries, keys, keys)

queries-mixed
    you mixed the queries and never used the values
    The queries ask. What comes back is a mixture of the values.
    | roles => (queries, keys, values); mix => weights @ queries
    | roles => (queries, keys, values); mix => attend(queries, keys, queries)

values-as-queries
    you reversed the order of the arguments: values asked, and queries were mixed
    Some programs take (values, keys, queries), in this order. Here the queries come first: they ask, keys
    are matched, values are mixed.
    | roles => (values, keys, queries)
    | roles => (queries, keys, values); mix => attend(values, keys, queries)

values-ask
    you let the values ask: they were matched with the keys, where the queries should be
    The queries ask, keys are matched, values are mixed.
    | roles => (values, keys, values)
    | roles => (queries, keys, values); mix => attend(values, keys, values)

roles-moved-on
    you matched the keys with the values, and mixed the queries
    The queries ask, keys are matched, values are mixed.
    | roles => (keys, values, queries)
    | roles => (queries, keys, values); mix => attend(keys, values, queries)
""",
        DICTIONARY,
        words=WORDS,
    )


def mixing_mistakes(section: str = ALL) -> tuple[Mistake, ...]:
    """What goes wrong between weights and output."""
    return STEPS.mistakes(
        """
weights-returned
    you returned the weights and mixed no values
    Weights say where to look; the values say what is there. {mixed}
    | mix => weights

weights-turned
    you transposed the weights before mixing
    Row i of the weights belongs to query i and makes row i of the output: weights @ values, as they are.
    | mix => turned(weights) @ values

values-turned
    you transposed the values before mixing
    The weights run over the keys, and so do the rows of values: weights @ values, as they are. Only the
    keys are transposed, for the scores.
    | mix => weights @ turned(values)

values-first § columns
    you put the values on the left of the weights
    Here a token is a row, and the weights stand on the left: weights @ values. Values come first where a
    token is a column.
    | mix => values @ weights
    | mix => np.dot(values, weights)

output-turned
    you transposed the output, so that it has a column for each query
    That is the column convention. Here each query has a row of the output.
    | after => turned(output)

hard-lookup § dictionary
    you gave each query the value of its best key alone
    That is the hard lookup of lesson 01. In a soft one every key answers, each with its weight.
    | share => _one_hot(scores)

equal-weights § dictionary
    you averaged the values, whatever the scores
    The scores should decide: softmax turns them into weights.
    | share => np.full(scores.shape, 1 / scores.shape[-1])

softmax-of-each-score
    you gave softmax one score at a time, so every weight came out as 1
    A single score is the whole of its sum. Hand softmax all the scores of a query together.
    | share => np.ones_like(scores)

softmax-of-values
    you applied softmax to the values as well
    Softmax makes weights of scores. The values are mixed as they are.
    | mix => weights @ softmax(values)

averaged
    you divided the output by the number of keys
    The weights sum to 1 already: their mixture is an average as it is.
    | mix => weights @ values / values.shape[-2]

scaled-after-softmax § large
    you divided by √d_k after softmax and did not scale the scores
    The scale belongs before softmax: it tames the scores. Afterwards it makes the weights sum to less
    than 1.
    | scale => scores; after => output / math.sqrt(queries.shape[-1])

scaled-twice § large
    you divided by √d_k a second time, after softmax
    One scale is enough, and it belongs before softmax: afterwards the weights sum to less than 1.
    | after => output / math.sqrt(queries.shape[-1])

softmax-last
    you applied softmax to the output, not to the scores
    Softmax makes weights of scores. The values are mixed by these, and stay as they are.
    | share => scores; after => softmax(output)

softmax-of-output
    you applied softmax once more, to the output
    The output is a mixture of values, not a set of shares. Softmax is for the scores alone.
    | after => softmax(output)

rounded
    you rounded the output
    Rounding is for showing numbers: later steps need them all.
    @ digits = 2 1 3 4
    | after => np.round(output, digits)

weights-rounded
    you rounded the weights before mixing
    Rounding is for showing numbers: later steps need them all.
    @ digits = 2 1 3 4
    | mix => np.round(weights, digits) @ values

whole-numbers-kept
    you wrote the output into an array of whole numbers, which drops everything after the decimal point
    `zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.
    | after => output.astype(values.dtype)
    | mix => _added_in_whole_numbers(weights, queries, keys, values)
""",
        section,
        SECTIONS,
        WORDS,
    )


WIDTH_MISTAKES = STEPS.mistakes(
    """
root-d_v
    you divided the scores by √d_v, the width of the values
    {content}
    | scale => scores; width => scores / math.sqrt(values.shape[-1])

d_v
    you divided the scores by d_v, the width of the values
    {content} And the spread grows with its square root.
    | scale => scores; width => scores / values.shape[-1]

root-d_v-too
    you still divide by √d_v, as well as by √d_k
    √d_k is right; leave out √d_v. {content}
    | width => scores / math.sqrt(values.shape[-1])

root-d_k-d_v
    you divided the scores by the root of d_k + d_v
    {content}
    | scale => scores; width => scores / math.sqrt(queries.shape[-1] + values.shape[-1])
""",
    LARGE,
    words=WORDS,
)


def within_values(inputs: Any, output: Array, _call: Any) -> str:
    values = inputs["values"]
    low, high = values.min(axis=-2, keepdims=True), values.max(axis=-2, keepdims=True)
    if values.ndim == output.ndim + 1:
        low, high = low[..., 0, :], high[..., 0, :]
    if output.shape[-1:] != values.shape[-1:] or ((output > low - 1e-2) & (output < high + 1e-2)).all():
        return ""
    return (
        "Some numbers of your output lie outside the values: a mixture never goes above the largest or "
        "below the smallest value of its column."
    )


def _values_of_1(inputs: Any, output: Array, call: Any) -> str:
    *asked, values = inputs.values()
    ones = call(*asked, np.ones(values.shape))
    if not alike(ones, output) or np.allclose(ones, 1, atol=4e-3):
        return ""
    found = np.ravel(ones)[np.argmax(abs(np.ravel(ones) - 1))]
    if not np.isfinite(found):
        return ""
    return f"Where every value is 1, the output should be 1, for the weights sum to 1; yours is {found:.2f}."


def _pairs_shuffled(inputs: Any, output: Array, call: Any) -> str:
    asked, keys, values = inputs.values()
    again = call(asked, keys[..., ::-1, :].copy(), values[..., ::-1, :].copy())
    if not alike(again, output) or np.allclose(again, output, atol=1e-3, equal_nan=True):
        return ""
    return (
        "Reordering keys and values together changes your output; only which key carries which "
        "value should count."
    )


WITHIN = Property("within the values", "no output lies outside the values", within_values)
ONES = Property("weights sum to 1", "values of 1 give an output of 1", _values_of_1)

ORDER = Property(
    "order of the pairs", "the order of the pairs of key and value does not matter", _pairs_shuffled
)


def attention_output(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output (..., n_queries, d_v)."""
    return helper.attention(queries, keys, values)[0]


def _far_apart() -> dict[str, Array]:
    """Scaled scores for the first query of 805, 805 and 537, and near 1 for the second."""
    return {
        "queries": np.array([[1000.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, -0.5, 2.0, 0.0]]),
        "keys": np.array(
            [[1.8, 1.0, 0.5, -1.0, 2.0], [1.801, -0.5, 2.0, 1.0, 0.0], [1.2, 0.5, 1.0, 0.0, 1.0]]
        ),
        "values": np.array([[1.0, -2.0, 3.0, 0.5], [2.0, 1.0, -1.0, 4.0], [0.0, 3.0, 2.0, -2.0]]),
    }


def lookup(query: tuple[float, ...], *others: tuple[float, ...]) -> dict[str, Array]:
    """A query of four numbers, and more -> these, with the two keys and values of the tasks' Examples."""
    return {
        "queries": np.array([query, *others]),
        "keys": np.array([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]),
        "values": np.array([[10.0, 0.0], [30.0, 4.0]]),
    }


def far_below() -> dict[str, Array]:
    """Scaled scores that lie around −1,000."""
    inputs = triple(n_queries=3, n_keys=6, d_k=4, d_v=2, start=111)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = -100.0, 20.0
    return inputs


def thin_triples() -> tuple[Probe, ...]:
    """Queries, keys and values with an axis of length 1."""
    return (
        Probe("one query", triple(n_queries=1, n_keys=5, d_k=3, d_v=4, start=121), True),
        Probe("one key", triple(n_queries=4, n_keys=1, d_k=3, d_v=2, start=131), True),
        Probe("d_k 1 and d_v 1", triple(n_queries=3, n_keys=6, d_k=1, d_v=1, start=141), True),
        Probe("a batch of one sentence", triple(1, n_queries=3, n_keys=5, d_k=2, d_v=4, start=151), True),
        Probe("one text of 3 sentences", triple(1, 3, n_queries=2, n_keys=5, d_k=4, d_v=6, start=161), True),
    )


def triple_probes(*examples: Probe) -> tuple[Probe, ...]:
    """Queries, keys and values by which roles, scales and axes can be told apart.

    `examples`: those that the tasks print.
    """
    whole = {
        "queries": np.array([[1, 0, 2, 1, 3], [0, 3, 1, -1, 2]]),
        "keys": np.array([[2, 1, 3, 0, 1], [0, 1, 1, 2, -2], [1, -1, 0, 4, 1], [0, 1, 1, 0, 2]]),
        "values": np.array([[3, 0, 7], [0, 0, 5], [4, 0, 1], [9, 0, 6]]),
    }
    first = triple(n_queries=2, n_keys=4, d_k=3, d_v=5, start=31)
    return (
        Probe("2 queries, 4 keys, d_k 3", {**first, "queries": 1.5 * first["queries"]}),
        *examples,
        Probe(
            "as many queries as keys, values as wide as keys",
            triple(n_queries=3, n_keys=3, d_k=2, d_v=2, start=11),
            True,
        ),
        Probe("values as wide as keys", triple(n_queries=2, n_keys=6, d_k=5, d_v=5, start=21)),
        Probe("as many queries as keys", triple(n_queries=4, n_keys=4, d_k=3, d_v=5, start=51), True),
        Probe("whole numbers, with a column of zeros among the values", whole),
        Probe("one sentence, d_k 4, d_v 6", triple()),
        Probe("float32, d_k 9", triple(d_k=9, dtype=np.float32, start=401)),
        Probe("a batch of 2 sentences", triple(2, start=601)),
        Probe("a batch of 2 sentences with 3 heads", triple(2, 3, start=801)),
        *thin_triples(),
        Probe("scores around −1,000", far_below(), True),
        Probe("rows far apart: scores of 800 and of 1", _far_apart(), True),
        Probe(
            "sentences far apart: scores of 800 and of 1",
            {
                "queries": np.stack(
                    [_far_apart()["queries"][0] * [[1.0], [1.0005], [0.999], [1.001]], numbers(4, 5, start=3)]
                ),
                "keys": np.stack([_far_apart()["keys"], numbers(3, 5, start=83)]),
                "values": np.stack([_far_apart()["values"], numbers(3, 4, start=43)]),
            },
            True,
        ),
    )


ATTENTION_MISTAKES = (
    *role_mistakes(),
    *mixing_mistakes(),
    *WIDTH_MISTAKES,
    *(m for m in SCALE_MISTAKES if m.name not in ("subtracted", "root-d_model", "floored")),
    *(m for m in match_mistakes() if m.name not in ("first-key-only",)),
    *softmax_mistakes(
        "over-queries",
        "axis-0",
        "axis-1",
        "axis-2",
        "over-everything",
        "over-matrix",
        "over-first-axis-items",
        "no-row-max",
        "whole-max",
        "sentence-max",
        "not-divided",
        "no-exponential",
        "no-softmax",
        "powers-of-2",
        "sign-turned",
        "sigmoid",
        "divided-by-largest",
        "twice",
        "keepdims",
        "column-max",
        "first-axis-max",
        "axis-1-max",
        "over-queries-without-max",
        "axis-0-without-max",
        "axis-1-without-max",
        "over-everything-without-max",
        "over-matrix-without-max",
    ),
    *STEPS.mistakes(
        """
clipped § shift
    you clipped the scores, and large ones became equal
    Clipped scores are equal, and so are their weights. Softmax ignores a shift: subtract the largest
    score of each row, and the differences stay.
    | width => np.clip(scores, -500, 500)
    | width => np.clip(scores, -700, 700)

up-to-three-axes
    your code takes one sentence or a batch, but no stack of heads
    Count axes from the end: np.swapaxes(keys, -1, -2) turns rows into columns in any stack.
    | match => queries @ (keys.T if keys.ndim == 2 else keys.transpose(0, 2, 1))
    | match => queries @ (keys.T if keys.ndim == 2 else np.swapaxes(keys, 1, 2))
    | match => np.einsum("ik,jk->ij" if queries.ndim == 2 else "bik,bjk->bij", queries, keys)

mixed-by-np.dot
    you let np.dot mix every sentence with the weights of every other
    np.dot pairs all the leading axes with one another; @ keeps each sentence to itself.
    | mix => np.dot(weights, values)
    | match => np.dot(queries, turned(keys)); mix => np.dot(weights, values)

root-d_v-not-zero § large
    you divided the scores by the root of how many columns of the values are not all zero
    The scale still comes from the values, and belongs to the match: a score is a sum of d_k terms, one for
    each entry of query and key.
    | scale => scores; width => scores / math.sqrt((values != 0).any(axis=-2).sum(axis=-1).max())
""",
        PAIRS,
        SECTIONS,
    ),
    hiding_mistake(),
)


def added_in_place(one: Array, other: Array) -> Array:
    one = one.copy()
    one += other
    return one

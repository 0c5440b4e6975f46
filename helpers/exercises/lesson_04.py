"""Exercises of lesson 04: how does a word gather meaning from the others?"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from helpers import attention as helper
from helpers.exercises.diagnosis import Mistake
from helpers.exercises.kinds import Choose, Mend, Open, Predict, Property, Slip, Table, Write
from helpers.exercises.lesson_01 import match_mistakes, rounded_to, same, slips
from helpers.exercises.lesson_02 import scale_mistakes
from helpers.exercises.lesson_03 import as_share, axis_mistakes, share_mistakes, shift_mistakes
from helpers.exercises.probes import Probe, numbers
from helpers.scaling import scale_scores
from helpers.softmax import softmax
from helpers.validation import Array

DICTIONARY = "04: A soft dictionary"
BY_HAND = "04: One query by hand"
ALL = "04: All queries at once"
PROJECTIONS = "04: Queries, keys and values"
MOVES = "04: Context moves a word"
AUDIT = "04: A published example, audited"
SHUFFLE = "04: Shuffle the tokens"
LARGE = "02: What large scores do"
SPREAD = "02: How far scores spread"
WEIGHTS = "03: From scores to weights"
LOOKUP = "01: A first lookup"
PAIRS = "01: All pairs at once"
SHIFT = "03: Adding a number to every score"
COLUMNS = "04: The column convention"

Step = Callable[..., Any]
ROOT_2 = math.sqrt(2)

# --- predict-lookup ----------------------------------------------------------------------------------

PREDICT_LOOKUP = Predict(
    name="predict-lookup",
    task="The output of a soft dictionary: scaled scores 0 and ln 3, values 10 and 30.",
    answer=25.0,
    because="The weights are 1/4 and 3/4, and 1/4 · 10 + 3/4 · 30 = 25.",
    tolerance=0.001,
    slips=(
        Slip(
            "values-changed-places",
            15.0,
            "Those are the right weights on the wrong values: 3/4 belongs to the key with the score ln 3, "
            "and that key carries 30.",
        ),
        Slip(
            "equal", 20.0, "That is the mean, with equal weights. The second key answers more: ln 3, not 0."
        ),
        Slip(
            "hard-lookup",
            30.0,
            "That is a hard lookup: the best key gives its value alone. A soft one lets the first key "
            "answer, too: e^0 is 1, not 0.",
        ),
        Slip(
            "not-divided",
            100.0,
            "1 · 10 + 3 · 30 mixes by the exponentials. Weights are shares: divide them by their sum, 4.",
        ),
        Slip(
            "scores-as-weights",
            30 * math.log(3),
            "The scores themselves were taken as weights. Softmax makes weights of them first.",
        ),
        Slip("second-part", 22.5, "3/4 · 30 is the second part. The first key adds its share of 10."),
        Slip("first-part", 2.5, "1/4 · 10 is the first part. The second key adds its share of 30."),
        Slip("weight", 0.75, "That is the second weight. The output mixes the values by the weights."),
        Slip(
            "scaled-again",
            (10 + 30 * 3 ** (1 / ROOT_2)) / (1 + 3 ** (1 / ROOT_2)),
            "The scores were divided by √2. They are scaled already.",
        ),
        Slip(
            "powers-of-2",
            (10 + 30 * 2 ** math.log(3)) / (1 + 2 ** math.log(3)),
            "Powers of 2 were taken. Softmax takes powers of e, and e^(ln 3) is 3.",
        ),
        Slip(
            "score-1",
            (10 + 30 * math.e) / (1 + math.e),
            "That is for a score of 1. The score is ln 3, and its exponential is 3.",
        ),
        Slip(
            "score-3",
            (10 + 30 * math.e**3) / (1 + math.e**3),
            "That is for a score of 3. The score is ln 3, so that its exponential is 3.",
        ),
        Slip(
            "divided-by-3",
            100 / 3,
            "The sum of the exponentials is 1 + 3 = 4. No mixture can lie above the largest value, 30.",
        ),
        Slip(
            "thirds",
            70 / 3,
            "Those are the weights 1/3 and 2/3. The exponentials are 1 and 3: shares of 4.",
        ),
        Slip("added", 40.0, "That is the sum of the values. Each counts with its weight only."),
        Slip(
            "score-times-value",
            10 + 30 * math.log(3),
            "The first was turned into e^0 = 1, the second not into e^(ln 3) = 3; and the sum of the "
            "exponentials divides.",
        ),
    ),
    hints=(
        "First the weights: the exponentials of both scores, each divided by their sum.",
        "The weights are 1/4 and 3/4. Each value counts with its weight.",
    ),
    reread=DICTIONARY,
)

# --- the steps, and the ways in which they go wrong ----------------------------------------------------


def _by_product(queries: Array, keys: Array) -> Array:
    return queries @ np.swapaxes(keys, -1, -2)


def _by_root_d_k(scores: Array, queries: Array, keys: Array) -> Array:
    return scores / math.sqrt(queries.shape[-1])


def _mixed(weights: Array, queries: Array, keys: Array, values: Array) -> Array:
    return weights @ values


def _in_order(queries: Array, keys: Array, values: Array) -> tuple[Array, Array, Array]:
    return queries, keys, values


def _attention_by_choices(
    queries: Array, keys: Array, values: Array, *, roles: Step = _in_order, match: Step = _by_product,
    scale: Step = _by_root_d_k, width: Step = same, share: Step = softmax, mix: Step = _mixed,
    after: Step = same,
) -> Array:  # fmt: skip
    asking, answering, carrying = roles(queries, keys, values)
    scores = scale(match(asking, answering), asking, answering)
    weights = share(width(scores, asking, answering, carrying))
    return after(mix(weights, asking, answering, carrying), queries, keys, values)


def _only(mistakes: Sequence[Mistake], *names: str) -> tuple[Mistake, ...]:
    """The mistakes of these names, in this order."""
    by_name = {mistake.name: mistake for mistake in mistakes}
    return tuple(by_name[name] for name in names)


def _softmax_mistakes(*names: str) -> tuple[Mistake, ...]:
    """Mistakes of lesson 03 as a step of attention, without their rarest ways of writing."""
    all_of_them = (*axis_mistakes(), *shift_mistakes(), *share_mistakes())
    chosen = tuple(as_share(mistake) for mistake in _only(all_of_them, *names))
    for mistake in chosen:
        mistake.ways = mistake.ways[:5]
    return chosen


def _one_hot(scores: Array) -> Array:
    return np.eye(scores.shape[-1])[scores.argmax(axis=-1)]


def _turned(array: Array) -> Array:
    return np.swapaxes(array, -1, -2)


def _added_in_whole_numbers(weights: Array, _q: Array, _k: Array, values: Array) -> Array:
    """The mixture, added up key by key in an array of the values' dtype."""
    output = np.zeros((*weights.shape[:-1], values.shape[-1]), dtype=values.dtype)
    for key in range(values.shape[-2]):
        value = values[..., key, :] if weights.ndim == 1 else values[..., key, None, :]
        output = (output + weights[..., key, None] * value).astype(values.dtype)
    return output


def _hidden(allowed: Step) -> dict[str, Step]:
    """A mask that nobody asked for: scores -> softmax of those that `allowed` leaves."""
    return {"share": lambda s: softmax(np.where(allowed(np.ones(s.shape[-2:])) != 0, s, -np.inf))}


def hiding_mistake(section: str = ALL) -> Mistake:
    """Some keys hidden, as in lesson 05."""
    first, *others = (
        _hidden(np.tril),
        _hidden(lambda every: np.tril(every, -1)),
        _hidden(np.triu),
        _hidden(lambda every: every - np.eye(*every.shape)),
        {"mix": lambda weights, queries, keys, values: np.tril(weights) @ values},
    )
    return Mistake(
        "keys-hidden",
        "some keys were hidden from some queries, by a mask",
        "Here every query meets every key, its own among them. Masks come in lesson 05.",
        section,
        also=others,
        **first,
    )


def _root_d_k(queries: Array) -> float:
    return math.sqrt(queries.shape[-1])


MATCHED_AND_MIXED = (
    "Keys are matched, values are mixed: the scores come from the keys, the output from the values."
)


def _by_helper(queries: Array, keys: Array, values: Array) -> Array:
    return helper.attention(queries, keys, values)[0]


def _of_one(query: Array, keys: Array, values: Array) -> Array:
    return helper.attention(query[None, :], keys, values)[0][0]


def role_mistakes(attend: Step = _by_helper) -> tuple[Mistake, ...]:
    """Keys and values in each other's place, or one of them left out.

    `attend` is the helper, which learners may call as well: it stops with other errors than their own steps.
    """
    return (
        Mistake(
            "keys-and-values-swapped",
            "keys and values changed places: the queries were matched with the values, and the keys were "
            "mixed",
            MATCHED_AND_MIXED,
            DICTIONARY,
            also=[
                {"mix": lambda w, q, k, v: attend(q, v, k)},
            ],
            roles=lambda queries, keys, values: (queries, values, keys),
        ),
        Mistake(
            "matched-on-values",
            "the queries were matched with the values, and no key was looked at",
            MATCHED_AND_MIXED,
            DICTIONARY,
            also=[
                {"mix": lambda w, q, k, v: attend(q, v, v)},
            ],
            roles=lambda queries, keys, values: (queries, values, values),
        ),
        Mistake(
            "keys-mixed",
            "the keys were mixed, and the values were not looked at",
            MATCHED_AND_MIXED,
            DICTIONARY,
            roles=lambda queries, keys, values: (queries, keys, keys),
        ),
        Mistake(
            "queries-mixed",
            "the queries were mixed, and the values were not looked at",
            "The queries ask. What comes back is a mixture of the values.",
            DICTIONARY,
            also=[{"mix": lambda w, q, k, v: attend(q, k, q)}],
            mix=lambda weights, queries, keys, values: weights @ queries,
        ),
        Mistake(
            "values-as-queries",
            "the order of the arguments was turned round: values asked, and queries were mixed",
            "Some programs take (values, keys, queries), in this order. Here the queries come first: they "
            "ask, keys are matched, values are mixed.",
            DICTIONARY,
            also=[{"mix": lambda w, q, k, v: attend(v, k, q)}],
            roles=lambda queries, keys, values: (values, keys, queries),
        ),
    )


def mixing_mistakes(section: str = ALL) -> tuple[Mistake, ...]:
    """What goes wrong between weights and output."""
    mixed = "An output is the sum of all values, each times the weight that the query gives to its key."
    return (
        Mistake(
            "weights-returned",
            "the weights came back, and no value was mixed",
            "Weights say where to look; the values say what is there. " + mixed,
            section,
            mix=lambda weights, queries, keys, values: weights,
        ),
        Mistake(
            "weights-turned",
            "the weights were transposed before mixing",
            "Row i of the weights belongs to query i and makes row i of the output: weights @ values, as "
            "they are.",
            section,
            mix=lambda weights, queries, keys, values: _turned(weights) @ values,
        ),
        Mistake(
            "values-turned",
            "the values were transposed before mixing",
            "The weights run over the keys, and so do the rows of values: weights @ values, as they are. "
            "Only the keys are transposed, for the scores.",
            section,
            mix=lambda weights, queries, keys, values: weights @ _turned(values),
        ),
        Mistake(
            "values-first",
            "the values stand on the left of the weights",
            "Here a token is a row, and the weights stand on the left: weights @ values. Values come first "
            "where a token is a column.",
            COLUMNS,
            also=[{"mix": lambda weights, queries, keys, values: np.dot(values, weights)}],
            mix=lambda weights, queries, keys, values: values @ weights,
        ),
        Mistake(
            "output-turned",
            "the output was transposed, with a column for each query",
            "That is the column convention. Here each query has a row of the output.",
            section,
            after=lambda output, queries, keys, values: _turned(output),
        ),
        Mistake(
            "hard-lookup",
            "each query took the value of its best key alone",
            "That is the hard lookup of lesson 01. In a soft one every key answers, each with its weight.",
            DICTIONARY,
            share=_one_hot,
        ),
        Mistake(
            "equal-weights",
            "the values were averaged, whatever the scores",
            "The scores should decide: softmax turns them into weights.",
            DICTIONARY,
            share=lambda scores: np.full(scores.shape, 1 / scores.shape[-1]),
        ),
        Mistake(
            "softmax-of-each-score",
            "softmax was given one score at a time, and every weight came out as 1",
            "A single score is the whole of its sum. Hand softmax all the scores of a query together.",
            section,
            share=np.ones_like,
        ),
        Mistake(
            "softmax-of-values",
            "softmax was applied to the values as well",
            "Softmax makes weights of scores. The values are mixed as they are.",
            section,
            mix=lambda weights, queries, keys, values: weights @ softmax(values),
        ),
        Mistake(
            "averaged",
            "the output was divided by the number of keys",
            "The weights sum to 1 already: their mixture is an average as it is.",
            section,
            mix=lambda weights, queries, keys, values: weights @ values / values.shape[-2],
        ),
        Mistake(
            "scaled-after-softmax",
            "√d_k divided after softmax, and the scores were not scaled",
            "The scale belongs before softmax: it tames the scores. Afterwards it makes the weights sum to "
            "less than 1.",
            LARGE,
            scale=same,
            after=lambda output, queries, keys, values: output / _root_d_k(queries),
        ),
        Mistake(
            "scaled-twice",
            "√d_k divided a second time, after softmax",
            "One scale is enough, and it belongs before softmax: afterwards the weights sum to less than 1.",
            LARGE,
            after=lambda output, queries, keys, values: output / _root_d_k(queries),
        ),
        Mistake(
            "softmax-last",
            "softmax was applied to the output, not to the scores",
            "Softmax makes weights of scores. The values are mixed by these, and stay as they are.",
            section,
            share=same,
            after=lambda output, queries, keys, values: softmax(output),
        ),
        Mistake(
            "softmax-of-output",
            "softmax was applied once more, to the output",
            "The output is a mixture of values, not a set of shares. Softmax is for the scores alone.",
            section,
            after=lambda output, queries, keys, values: softmax(output),
        ),
        Mistake(
            "rounded",
            "the output was rounded",
            "Rounding is for showing numbers: later steps need them all.",
            section,
            also=[{"after": rounded_to(digits)} for digits in (1, 3, 4)],
            after=rounded_to(2),
        ),
        Mistake(
            "weights-rounded",
            "the weights were rounded before mixing",
            "Rounding is for showing numbers: later steps need them all.",
            section,
            also=[{"mix": lambda w, q, k, v, digits=digits: np.round(w, digits) @ v} for digits in (1, 3, 4)],
            mix=lambda weights, queries, keys, values: np.round(weights, 2) @ values,
        ),
        Mistake(
            "whole-numbers-kept",
            "the output was written into an array of whole numbers, which drops all after the point",
            "`zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.",
            section,
            also=[{"mix": _added_in_whole_numbers}],
            after=lambda output, queries, keys, values: output.astype(values.dtype),
        ),
    )


def _width(name: str, says: str, of: Step, idea: str, *also: Step) -> Mistake:
    """A scale that is taken from the values."""
    ways = [{"scale": same, "width": lambda s, q, k, v, way=way: s / way(v)} for way in also]
    return Mistake(name, says, idea, LARGE, also=ways, scale=same, width=lambda s, q, k, v: s / of(v))


def width_mistakes() -> tuple[Mistake, ...]:
    """Scales that belong to the content, not to the match."""
    idea = (
        "The scale belongs to the match: a score is a sum of d_k terms, one for each entry of query and "
        "key. How wide the values are does not change any score."
    )
    return (
        _width("root-d_v", "the scores were divided by √d_v, the width of the values",
               lambda values: math.sqrt(values.shape[-1]), idea),
        _width("d_v", "the scores were divided by d_v, the width of the values",
               lambda values: values.shape[-1], idea + " And the spread grows with its square root."),
        Mistake(
            "root-d_v-too",
            "√d_v is still divided by, next to √d_k",
            "√d_k is right; leave √d_v away. " + idea,
            LARGE,
            width=lambda scores, queries, keys, values: scores / math.sqrt(values.shape[-1]),
        ),
        Mistake(
            "root-d_k-d_v",
            "the scores were divided by the root of d_k + d_v",
            idea,
            LARGE,
            scale=same,
            width=lambda scores, q, k, values: scores / math.sqrt(q.shape[-1] + values.shape[-1]),
        ),
    )  # fmt: skip


# --- properties ----------------------------------------------------------------------------------------


def _within_values(inputs: Any, output: Array, _call: Any) -> str:
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
    if ones is None or ones.shape != output.shape or np.allclose(ones, 1, atol=4e-3):
        return ""
    found = np.ravel(ones)[np.argmax(abs(np.ravel(ones) - 1))]
    if not np.isfinite(found):
        return ""
    return f"Where every value is 1, the output should be 1, for the weights sum to 1; yours is {found:.2f}."


def _pairs_shuffled(inputs: Any, output: Array, call: Any) -> str:
    asked, keys, values = inputs.values()
    again = call(asked, keys[..., ::-1, :].copy(), values[..., ::-1, :].copy())
    if again is None or again.shape != output.shape or np.allclose(again, output, atol=1e-3, equal_nan=True):
        return ""
    return (
        "Keys and values put in another order, together, change your output; only which key carries which "
        "value should count."
    )


WITHIN = Property("within the values", "no output lies outside the values", _within_values)
ONES = Property("weights sum to 1", "values of 1 give an output of 1", _values_of_1)
ORDER = Property(
    "order of the pairs", "the order of the pairs of key and value does not matter", _pairs_shuffled
)

# --- one-query ---------------------------------------------------------------------------------------


def one_query(query: Array, keys: Array, values: Array) -> Array:
    """(d_k,), (n_keys, d_k), (n_keys, d_v) -> (d_v,): the values, mixed by how well their keys match."""
    output, _ = helper.attention(query[None, :], keys, values)
    return output[0]


def _match_one(query: Array, keys: Array) -> Array:
    return keys @ query


def _one_query_by_choices(
    query: Array, keys: Array, values: Array, *, roles: Step = _in_order, match: Step = _match_one,
    scale: Step = _by_root_d_k, width: Step = same, share: Step = softmax, mix: Step = _mixed,
    after: Step = same,
) -> Array:  # fmt: skip
    return _attention_by_choices(
        query, keys, values, roles=roles, match=match, scale=scale, width=width, share=share, mix=mix,
        after=after,
    )  # fmt: skip


def _one(query: Array, keys: Array, values: Array) -> dict[str, Array]:
    return {"query": query, "keys": keys, "values": values}


ONE_QUERY_PROBES = (
    Probe(
        "three keys, d_k 4, d_v 2",
        _one(
            np.array([1.0, 0.5, -1.0, 2.0]),
            np.array([[1.0, 2.0, 0.5, 1.0], [0.5, -1.0, 2.0, 0.0], [2.0, 1.0, 0.0, -0.5]]),
            np.array([[1.0, 4.0], [-2.0, 0.5], [3.0, 1.5]]),
        ),
    ),
    Probe(
        "values as wide as keys",
        _one(numbers(10, start=7), numbers(5, 10, start=20), numbers(5, 10, start=80)),
    ),
    Probe(
        "whole numbers",
        _one(
            np.array([1, 0, 2, -1, 1]),
            np.array([[1, 1, 0, 2, 0], [0, 3, 1, 1, -1], [2, 0, 0, 1, 1], [1, -1, 1, 0, 2]]),
            np.array([[3, 1, 7], [0, 2, 5], [4, -2, 1], [9, 6, 2]]),
        ),
    ),
    Probe(
        "seven keys, d_k 5, d_v 6", _one(numbers(5, start=3), numbers(7, 5, start=90), numbers(7, 6, start=8))
    ),
    Probe(
        "float32",
        _one(
            numbers(9, start=2, dtype=np.float32),
            numbers(6, 9, start=70, dtype=np.float32),
            numbers(6, 4, start=150, dtype=np.float32),
        ),
    ),
)
NOT_ADDED = "The output is one vector of d_v numbers: each value times its weight, all of them added up."

ONE_QUERY = Write(
    name="one-query",
    task="One query: score, scale, softmax, mix.",
    call="my_one_query(query, keys, values)",
    right=one_query,
    recipe=_one_query_by_choices,
    probes=ONE_QUERY_PROBES,
    properties=(WITHIN, ONES, ORDER),
    axes=("entry",),
    mistakes=(
        Mistake(
            "not-added-up",
            "the weighted values came back one by one",
            NOT_ADDED,
            BY_HAND,
            mix=lambda weights, query, keys, values: weights[:, None] * values,
        ),
        Mistake(
            "added-along-the-row",
            "each weighted value was added up within itself",
            NOT_ADDED + " The sum runs over the keys, axis 0.",
            BY_HAND,
            mix=lambda weights, query, keys, values: (weights[:, None] * values).sum(axis=1),
        ),
        Mistake(
            "added-to-one-number",
            "everything was added up to one number",
            NOT_ADDED + " The sum runs over the keys alone, axis 0.",
            BY_HAND,
            mix=lambda weights, query, keys, values: (weights[:, None] * values).sum(),
        ),
        Mistake(
            "last-key-only",
            "only the last key's weighted value was kept",
            "A loop that writes `output = …` in each round forgets the rounds before: add with `+=`, "
            "starting from zeros.",
            BY_HAND,
            mix=lambda weights, query, keys, values: weights[-1] * values[-1],
        ),
        Mistake(
            "first-key-only",
            "only the first key's weighted value came back",
            "Does `return` stand inside the loop? Every key answers.",
            BY_HAND,
            mix=lambda weights, query, keys, values: weights[0] * values[0],
        ),
        Mistake(
            "last-key-left-out",
            "the last key was left out of the mixture",
            "n keys have the numbers 0 to n − 1, which is what range(n) gives.",
            BY_HAND,
            mix=lambda weights, query, keys, values: weights[:-1] @ values[:-1],
        ),
        Mistake(
            "first-key-left-out",
            "the first key was left out of the mixture",
            "Counting starts at 0: range(n), not range(1, n).",
            BY_HAND,
            mix=lambda weights, query, keys, values: weights[1:] @ values[1:],
        ),
        Mistake(
            "weights-as-row",
            "the weights were multiplied along the rows of the values",
            "There is one weight for each key, a row of values. weights[:, None] turns the weights into a "
            "column; or use weights @ values.",
            BY_HAND,
            also=[{"mix": lambda w, q, k, v: w * v}],
            mix=lambda weights, query, keys, values: (weights * values).sum(axis=0),
        ),
        Mistake(
            "no-score-for-each-key",
            "query and keys did not make one score for each key: they were multiplied entry by entry, or "
            "a transpose is missing or too many",
            "A score is a dot product, one number for each key: keys @ query, or query @ keys.T. With `*` "
            "the products must be added up along the last axis.",
            BY_HAND,
            also=[
                {"match": lambda query, keys: query * keys},
                {"match": np.dot},
                {"match": lambda query, keys: keys.T @ query},
                {"match": lambda query, keys: np.dot(keys.T, query)},
            ],
            match=lambda query, keys: query @ keys,
        ),
        Mistake(
            "cosine",
            "each score was divided by the lengths of both vectors",
            "That is the cosine. A score here is the plain dot product, lengths included.",
            "01: When does length matter?",
            match=lambda q, k: k @ q / np.linalg.norm(q) / np.linalg.norm(k, axis=-1),
        ),
        Mistake(
            "distance",
            "keys were matched by distance",
            "A score is the dot product.",
            "01: Two vectors",
            match=lambda q, k: ((q - k) ** 2).sum(axis=-1),
            also=[{"match": lambda q, k: np.sqrt(((q - k) ** 2).sum(axis=-1))}],
        ),
        Mistake(
            "negative-distance",
            "keys were matched by distance, with a minus",
            "With distances the minus is right: the nearest key gets the largest weight. But a score here is "
            "the dot product.",
            "01: Two vectors",
            match=lambda q, k: -((q - k) ** 2).sum(axis=-1),
            also=[
                {"match": lambda q, k: -np.sqrt(((q - k) ** 2).sum(axis=-1))},
                {"match": lambda q, k: -((q - k) ** 2).sum(axis=-1) / 2},
            ],
        ),
        *_only(role_mistakes(_of_one), "matched-on-values", "keys-mixed", "keys-and-values-swapped"),
        *_only(
            scale_mistakes(),
            "never-scaled", "divided-by-d_k", "multiplied", "root-n_keys", "root-n_keys-too", "n_keys",
            "always-2", "half-d_k", "power-first", "root-whole", "fourth-root", "d_k-squared", "logarithm",
            "largest-score",
        ),
        *width_mistakes(),
        *_softmax_mistakes(
            "not-divided", "no-exponential", "no-softmax", "powers-of-2", "sign-turned", "sigmoid",
            "twice",
        ),
        *_only(
            mixing_mistakes(BY_HAND),
            "weights-returned", "hard-lookup", "equal-weights", "softmax-of-each-score",
            "softmax-of-values", "averaged", "scaled-after-softmax",
            "scaled-twice", "softmax-last", "softmax-of-output", "rounded", "weights-rounded",
            "whole-numbers-kept", "values-first",
        ),
    ),
    hints=(
        "Four steps: a score for each key (dot products with the query), the division by √d_k, softmax, and "
        "the sum of all values, each times its weight.",
        "The scores are keys @ query, of shape (n_keys,), and d_k is len(query).",
        "In a loop: start from zeros of length d_v, and add weight × value for each key. Without one: "
        "weights @ values.",
    ),
    explain="Score, scale, softmax, mix. `weights @ values` adds up the values, each times its weight.",
    reread=BY_HAND,
)  # fmt: skip

# --- attention ---------------------------------------------------------------------------------------


def attention_output(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output (..., n_queries, d_v)."""
    return helper.attention(queries, keys, values)[0]


def triple(
    *stack: int, n_queries: int = 5, n_keys: int = 7, d_k: int = 4, d_v: int = 6, start: int = 1,
    dtype: type = np.float64,
) -> dict[str, Array]:  # fmt: skip
    """Leading axes and sizes -> queries, keys and values of known numbers."""
    return {
        "queries": numbers(*stack, n_queries, d_k, start=start, dtype=dtype),
        "keys": numbers(*stack, n_keys, d_k, start=start + 1000, dtype=dtype),
        "values": numbers(*stack, n_keys, d_v, start=start + 2000, dtype=dtype),
    }


def _far_apart() -> dict[str, Array]:
    """Scaled scores for the first query of 805, 805 and 537, and near 1 for the second."""
    return {
        "queries": np.array([[1000.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, -0.5, 2.0, 0.0]]),
        "keys": np.array(
            [[1.8, 1.0, 0.5, -1.0, 2.0], [1.801, -0.5, 2.0, 1.0, 0.0], [1.2, 0.5, 1.0, 0.0, 1.0]]
        ),
        "values": np.array([[1.0, -2.0, 3.0, 0.5], [2.0, 1.0, -1.0, 4.0], [0.0, 3.0, 2.0, -2.0]]),
    }


def triple_probes() -> tuple[Probe, ...]:
    """Queries, keys and values by which roles, scales and axes can be told apart."""
    whole = {
        "queries": np.array([[1, 0, 2, 1, 3], [0, 3, 1, -1, 2]]),
        "keys": np.array([[2, 1, 3, 0, 1], [0, 1, 1, 2, -2], [1, -1, 0, 4, 1], [0, 1, 1, 0, 2]]),
        "values": np.array([[3, 0, 7], [0, 0, 5], [4, 0, 1], [9, 0, 6]]),
    }
    first = triple(n_queries=2, n_keys=4, d_k=3, d_v=5, start=31)
    return (
        Probe("2 queries, 4 keys, d_k 3", {**first, "queries": 1.5 * first["queries"]}),
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


ATTENTION = Write(
    name="attention",
    task="All queries at once, also for large scores, and for stacks.",
    call="my_attention(queries, keys, values)",
    right=attention_output,
    recipe=_attention_by_choices,
    probes=triple_probes(),
    properties=(WITHIN, ONES, ORDER),
    axes=("query", "entry"),
    mistakes=(
        *role_mistakes(),
        *mixing_mistakes(),
        *width_mistakes(),
        *(m for m in scale_mistakes() if m.name not in ("subtracted", "root-d_model", "floored")),
        *(m for m in match_mistakes() if m.name not in ("first-key-only",)),
        *_softmax_mistakes(
            "over-queries", "axis-0", "axis-1", "axis-2", "over-everything", "over-matrix",
            "over-first-axis-items", "no-row-max", "whole-max", "sentence-max", "not-divided",
            "no-exponential", "no-softmax", "powers-of-2", "sign-turned", "sigmoid", "divided-by-largest",
            "twice", "keepdims", "column-max", "first-axis-max", "axis-1-max",
        ),
        Mistake(
            "clipped",
            "the scores were clipped, and large ones became equal",
            "Clipped scores are equal, and so are their weights. Softmax ignores a shift: subtract the "
            "largest score of each row, and the differences stay.",
            SHIFT,
            also=[{"width": lambda s, q, k, v: np.clip(s, -700, 700)}],
            width=lambda s, q, k, v: np.clip(s, -500, 500),
        ),
        Mistake(
            "up-to-three-axes",
            "the code takes one sentence and a batch, and no stack of heads",
            "Count axes from the end: np.swapaxes(keys, -1, -2) turns rows into columns in any stack.",
            PAIRS,
            also=[
                {"match": lambda q, k: q @ (k.T if k.ndim == 2 else np.swapaxes(k, 1, 2))},
                {"match": lambda q, k: np.einsum("ik,jk->ij" if q.ndim == 2 else "bik,bjk->bij", q, k)},
            ],
            match=lambda q, k: q @ (k.T if k.ndim == 2 else k.transpose(0, 2, 1)),
        ),
        Mistake(
            "mixed-by-np.dot",
            "np.dot mixed every sentence with the weights of every other",
            "np.dot pairs all the leading axes with one another; @ keeps each sentence to itself.",
            PAIRS,
            also=[{"match": lambda q, k: np.dot(q, _turned(k)), "mix": lambda w, q, k, v: np.dot(w, v)}],
            mix=lambda w, q, k, v: np.dot(w, v),
        ),
        _width("root-d_v-not-zero", "the scores were divided by the root of how many columns of the values "
               "are not all zero", lambda values: math.sqrt((values != 0).any(axis=-2).sum(axis=-1).max()),
               "The scale still comes from the values, and belongs to the match: a score is a sum of d_k "
               "terms, one for each entry of query and key."),
        hiding_mistake(),
    ),
    hints=(
        "Four lines: the scores of all queries and keys, the scale, softmax over the keys, and the mixture.",
        "The scores are queries @ the keys with their last two axes exchanged, divided by √d_k.",
        "Row i of weights @ values is the mixture for query i. Return that alone.",
    ),
    explain="Score, scale, softmax, mix. The helper also returns the weights, and takes a mask (lesson 05).",
    reread=ALL,
)  # fmt: skip

# --- roles-bug and width-bug ---------------------------------------------------------------------------

ROLES_BUG = Mend(
    name="roles-bug",
    task="A lookup whose answer lies outside the values.",
    given="keys-and-values-swapped",
    symptom="for the example of the task all values are 10 or more, and the output is [[0, 1]]. Of which "
    "array are these numbers a mixture, and which array made the weights?",
    call="my_lookup(queries, keys, values)",
    right=attention_output,
    recipe=_attention_by_choices,
    probes=ATTENTION.probes,
    properties=ATTENTION.properties,
    axes=ATTENTION.axes,
    mistakes=ATTENTION.mistakes,
    hints=(
        "In a dictionary one looks for a key and takes home its value. Which of the two does the query meet "
        "here?",
        "The scores compare queries with keys, of d_k entries both.",
        "The last line mixes. The output should be as wide as the values, d_v.",
    ),
    explain="Keys are matched, values are mixed. Where d_v = d_k, swapping them gives no error. The order "
    "of arguments differs from library to library, so it is worth a look.",
    reread=DICTIONARY,
)

WIDTH_BUG = Mend(
    name="width-bug",
    task="An attention whose weights follow the width of the values.",
    given="root-d_v",
    symptom="add a column of zeros to the values of the example. The first two numbers of the output "
    "change, though no query, no key and none of the other values has. Which line of yours looks at the "
    "width of the values?",
    call="my_wide_attention(queries, keys, values)",
    right=attention_output,
    recipe=_attention_by_choices,
    probes=ATTENTION.probes,
    properties=ATTENTION.properties,
    axes=ATTENTION.axes,
    mistakes=ATTENTION.mistakes,
    hints=(
        "A score is a dot product. How many terms were added to make one?",
        "The number of terms is the width of queries and keys, d_k. What is values.shape[-1]?",
        "queries.shape[-1] is d_k.",
    ),
    explain="The scale belongs to the match, whose d_k terms spread like √d_k. The width of the values, "
    "d_v, is free.",
    reread=ALL,
)

# --- self-attention ----------------------------------------------------------------------------------


def self_attention(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """(..., n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v) -> output (..., n, d_v)."""
    return helper.attention(x @ w_q, x @ w_k, x @ w_v)[0]


def _projected(x: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, Array, Array]:
    return x @ w_q, x @ w_k, x @ w_v


def _self_attention_by_choices(
    x: Array, w_q: Array, w_k: Array, w_v: Array, *, project: Step = _projected, roles: Step = _in_order,
    match: Step = _by_product, scale: Step = _by_root_d_k, width: Step = same, share: Step = softmax,
    mix: Step = _mixed, after: Step = same, onto: Step = same,
) -> Array:  # fmt: skip
    output = _attention_by_choices(
        *project(x, w_q, w_k, w_v), roles=roles, match=match, scale=scale, width=width, share=share, mix=mix,
        after=after,
    )  # fmt: skip
    return onto(output, x, w_q, w_k, w_v)


def _sentence(
    *stack: int, n: int = 5, d_model: int = 7, d_k: int = 3, d_v: int = 4, start: int = 1,
    dtype: type = np.float64,
) -> dict[str, Array]:  # fmt: skip
    return {
        "x": numbers(*stack, n, d_model, start=start, dtype=dtype),
        "w_q": numbers(d_model, d_k, start=start + 500, dtype=dtype) / 2,
        "w_k": numbers(d_model, d_k, start=start + 700, dtype=dtype) / 2,
        "w_v": numbers(d_model, d_v, start=start + 900, dtype=dtype) / 2,
    }


def _within_projected(inputs: Any, output: Array, call: Any) -> str:
    values = inputs["x"] @ inputs["w_v"]
    return _within_values({"values": values}, output, call)


def _tokens_shuffled(inputs: Any, output: Array, call: Any) -> str:
    x, *matrices = inputs.values()
    again = call(x[..., ::-1, :].copy(), *matrices)
    if again is None or again.shape != output.shape or output.ndim < 2:
        return ""
    if np.allclose(again[..., ::-1, :], output, atol=1e-3, equal_nan=True):
        return ""
    return "Tokens put in another order should have the same outputs, in that other order; yours have not."


def _added_in_place(one: Array, other: Array) -> Array:
    one = one.copy()
    one += other
    return one


ONE_EACH = "Each token asks with x @ w_q, answers with x @ w_k and gives x @ w_v: three matrices, three jobs."
IN_OUT = (
    "Matrices here are (in, out) and stand on the right: x @ w_q. `nn.Linear` of PyTorch stores (out, in), "
    "which is where x @ W.T comes from."
)


def _matched_as_well(project: Step) -> list[dict[str, Any]]:
    """A projection whose queries and keys seldom fit: as the helper says it, and in two ways of writing @."""

    def by_helper(*inputs: Array) -> tuple[Array, Array, Array]:
        queries, keys, values = project(*inputs)
        helper.attention(queries, keys, values)
        return queries, keys, values

    return [
        {"project": by_helper},
        {"project": project, "match": lambda queries, keys: queries @ keys.T},
        {"project": project, "match": lambda queries, keys: np.dot(queries, _turned(keys))},
    ]


def _from_one(name: str, place: int) -> Mistake:
    """One matrix for all three."""
    return Mistake(
        f"{name}-for-all",
        f"queries, keys and values were all made with {name}",
        ONE_EACH,
        PROJECTIONS,
        project=lambda x, *matrices: (x @ matrices[place],) * 3,
    )


SELF_ATTENTION = Write(
    name="self-attention",
    task="Project the tokens, then attend.",
    call="my_self_attention(x, w_q, w_k, w_v)",
    right=self_attention,
    recipe=_self_attention_by_choices,
    probes=(
        Probe("3 tokens, d_model 5", _sentence(n=3, d_model=5, d_k=2, d_v=4, start=13)),
        Probe("all as wide as the tokens", _sentence(n=4, d_model=3, d_k=3, d_v=3, start=25)),
        Probe("values as wide as keys", _sentence(n=4, d_model=5, d_k=3, d_v=3, start=33)),
        Probe(
            "whole numbers",
            {
                "x": np.array([[1, 0, 2, 1], [1, 1, 1, 1], [2, 1, 1, 1]]),
                "w_q": np.array([[1, 0], [0, 1], [1, -1], [0, 1]]),
                "w_k": np.array([[0, 1], [1, 1], [1, 0], [-1, 0]]),
                "w_v": np.array([[1, 2, 0, 5, 1], [0, 1, 3, 1, 2], [4, 0, 1, 2, 0], [1, 1, 6, 0, 3]]),
            },
        ),
        Probe("5 tokens, d_model 7", _sentence()),
        Probe("float32", _sentence(n=6, d_k=5, dtype=np.float32, start=71)),
        Probe("a batch of 2 sentences", _sentence(2, start=301)),
        Probe("a batch of 2 sentences, 3 readings each", _sentence(2, 3, d_k=5, d_v=4, n=6, start=501)),
    ),
    properties=(
        Property("within the values", "no output lies outside the values", _within_projected),
        Property("tokens shuffled", "tokens in another order give the same outputs in that order",
                 _tokens_shuffled),
    ),
    axes=("token", "entry"),
    two_stacked=("sentence", "reading"),
    mistakes=(
        Mistake(
            "w_q-and-w_k-swapped",
            "w_q and w_k changed places",
            "The row of a score belongs to the token that asks: queries come from w_q, keys from w_k.",
            PROJECTIONS,
            project=lambda x, w_q, w_k, w_v: (x @ w_k, x @ w_q, x @ w_v),
        ),
        Mistake(
            "w_q-twice",
            "queries and keys were both made with w_q",
            ONE_EACH + " With one matrix for both, the scores are symmetric, and tokens tend to match "
            "themselves.",
            PROJECTIONS,
            project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_q, x @ w_v),
        ),
        Mistake(
            "w_k-twice",
            "queries and keys were both made with w_k",
            ONE_EACH + " With one matrix for both, the scores are symmetric, and tokens tend to match "
            "themselves.",
            PROJECTIONS,
            project=lambda x, w_q, w_k, w_v: (x @ w_k, x @ w_k, x @ w_v),
        ),
        Mistake(
            "no-w_v",
            "the tokens themselves were mixed: w_v was left out",
            ONE_EACH,
            PROJECTIONS,
            project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x),
        ),
        Mistake(
            "no-w_q",
            "the queries are the tokens themselves: w_q was left out",
            ONE_EACH,
            PROJECTIONS,
            also=_matched_as_well(lambda x, w_q, w_k, w_v: (x, x @ w_k, x @ w_v)),
            project=lambda x, w_q, w_k, w_v: (x, x @ w_k, x @ w_v),
        ),
        Mistake(
            "no-w_k",
            "the keys are the tokens themselves: w_k was left out",
            ONE_EACH,
            PROJECTIONS,
            also=_matched_as_well(lambda x, w_q, w_k, w_v: (x @ w_q, x, x @ w_v)),
            project=lambda x, w_q, w_k, w_v: (x @ w_q, x, x @ w_v),
        ),
        Mistake(
            "w_q-only",
            "keys and values are the tokens themselves: w_k and w_v were left out",
            ONE_EACH,
            PROJECTIONS,
            also=_matched_as_well(lambda x, w_q, w_k, w_v: (x @ w_q, x, x)),
            project=lambda x, w_q, w_k, w_v: (x @ w_q, x, x),
        ),
        Mistake(
            "w_k-only",
            "queries and values are the tokens themselves: w_q and w_v were left out",
            ONE_EACH,
            PROJECTIONS,
            also=_matched_as_well(lambda x, w_q, w_k, w_v: (x, x @ w_k, x)),
            project=lambda x, w_q, w_k, w_v: (x, x @ w_k, x),
        ),
        Mistake(
            "w_q-times-w_k",
            "w_q and w_k were multiplied with one another as they are",
            "To save a step, multiply w_q @ w_k.T: x @ w_q @ w_k.T @ x.T are the scores of one sentence.",
            PROJECTIONS,
            also=[{"project": lambda x, w_q, w_k, w_v: (x @ w_q @ w_k, x, x @ w_v)}],
            project=lambda x, w_q, w_k, w_v: (x @ (w_q @ w_k), x, x @ w_v),
        ),
        Mistake(
            "w_v-twice",
            "w_v was used twice",
            "x @ w_v makes the values, and their mixture is the output as it is.",
            PROJECTIONS,
            also=[{"onto": lambda output, x, w_q, w_k, w_v: np.dot(output, w_v)}],
            onto=lambda output, x, w_q, w_k, w_v: output @ w_v,
        ),
        Mistake(
            "matrices-as-keys",
            "the matrices themselves were matched and mixed, and x met neither w_k nor w_v",
            ONE_EACH,
            PROJECTIONS,
            also=[{"project": lambda x, w_q, w_k, w_v: (w_q, w_k, w_v)}],
            project=lambda x, w_q, w_k, w_v: (x @ w_q, w_k, w_v),
        ),
        _from_one("w_q", 0),
        _from_one("w_k", 1),
        _from_one("w_v", 2),
        Mistake(
            "combined-entry-by-entry",
            "tokens and a matrix were combined entry by entry, as `*` and `+` do",
            "A projection is a matrix product, x @ w_q.",
            PROJECTIONS,
            also=[{"project": lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x * w_v)}],
            project=lambda x, w_q, w_k, w_v: (x * w_q, x * w_k, x * w_v),
        ),
        Mistake(
            "tokens-transposed",
            "the tokens were transposed before a matrix",
            "Each token is a row of x already, and x @ w_q projects every row.",
            PROJECTIONS,
            also=[{"project": lambda x, w_q, w_k, w_v: (_turned(x) @ w_q, x @ w_k, x @ w_v)}],
            project=lambda x, w_q, w_k, w_v: (x.T @ w_q, x @ w_k, x @ w_v),
        ),
        hiding_mistake(PROJECTIONS),
        Mistake(
            "no-projection",
            "the tokens attended as they are: no matrix was used",
            ONE_EACH,
            PROJECTIONS,
            project=lambda x, w_q, w_k, w_v: (x, x, x),
        ),
        Mistake(
            "w_v-only",
            "the tokens were matched as they are: w_q and w_k were left out",
            ONE_EACH,
            PROJECTIONS,
            project=lambda x, w_q, w_k, w_v: (x, x, x @ w_v),
        ),
        Mistake(
            "values-from-w_k",
            "the values were made with w_k",
            ONE_EACH,
            PROJECTIONS,
            project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x @ w_k),
        ),
        Mistake(
            "values-from-w_q",
            "the values were made with w_q",
            ONE_EACH,
            PROJECTIONS,
            project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x @ w_q),
        ),
        Mistake(
            "keys-from-w_v",
            "the keys were made with w_v",
            ONE_EACH,
            PROJECTIONS,
            also=_matched_as_well(lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_v, x @ w_v))[:1],
            project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_v, x @ w_v),
        ),
        Mistake(
            "w_k-and-w_v-swapped",
            "w_k and w_v changed places",
            ONE_EACH,
            PROJECTIONS,
            also=_matched_as_well(lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_v, x @ w_k))[:1],
            project=lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_v, x @ w_k),
        ),
        *_only(role_mistakes(), "values-as-queries"),
        Mistake(
            "matrices-transposed",
            "a matrix was transposed",
            IN_OUT,
            PROJECTIONS,
            also=[
                {"project": lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x @ w_v.T)},
                {"project": lambda x, w_q, w_k, w_v: (np.dot(x, w_q.T), np.dot(x, w_k.T), np.dot(x, w_v.T))},
                {"project": lambda x, w_q, w_k, w_v: (np.dot(x, w_q.T), x @ w_k, x @ w_v)},
                {"project": lambda x, w_q, w_k, w_v: (x @ w_q.T, x @ w_k, x @ w_v)},
                {"project": lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k.T, x @ w_v)},
                {"project": lambda x, w_q, w_k, w_v: (x @ w_q.T, x @ w_k.T, x @ w_v)},
            ],
            project=lambda x, w_q, w_k, w_v: (x @ w_q.T, x @ w_k.T, x @ w_v.T),
        ),
        Mistake(
            "factors-turned-round",
            "a product has its factors the wrong way round: a matrix stands on the left of the tokens, or "
            "the keys were not transposed",
            "The line that stops tells which. A matrix stands on the right, x @ w_q. In the scores, each "
            "column on the right should be one key: exchange the last two axes of the keys.",
            PROJECTIONS,
            also=[
                {"match": lambda queries, keys: queries @ keys},
                {"project": lambda x, w_q, w_k, w_v: (np.dot(w_q, x), x @ w_k, x @ w_v)},
                {"project": lambda x, w_q, w_k, w_v: (w_q @ x.T, x @ w_k, x @ w_v)},
                {"project": lambda x, w_q, w_k, w_v: (w_q @ x.T, w_k @ x.T, w_v @ x.T)},
            ],
            project=lambda x, w_q, w_k, w_v: (w_q @ x, w_k @ x, w_v @ x),
        ),
        Mistake(
            "tokens-added",
            "the tokens were added: x + the output",
            "Return the change alone, without x. X + ΔX is made after this step, and only where the output "
            "is as wide as the tokens.",
            PROJECTIONS,
            also=[
                {"onto": lambda output, x, w_q, w_k, w_v: x + output},
                {"onto": lambda output, x, *_: output + x if output.shape == x.shape else output},
                {"onto": lambda output, x, w_q, w_k, w_v: _added_in_place(output, x)},
                {"onto": lambda output, x, w_q, w_k, w_v: _added_in_place(x, output)},
            ],
            onto=lambda output, x, w_q, w_k, w_v: output + x,
        ),
        Mistake(
            "root-d_model",
            "the scores were divided by √d_model, the width of the tokens",
            "A score is a dot product of a query and a key, a sum of d_k terms: d_k is the width after the "
            "projection, w_q.shape[-1].",
            LARGE,
            project=lambda x, w_q, w_k, w_v: (
                x @ w_q * math.sqrt(w_q.shape[-1] / x.shape[-1]), x @ w_k, x @ w_v
            ),
        ),
        *_only(
            mixing_mistakes(),
            "weights-returned", "weights-turned", "output-turned", "hard-lookup", "equal-weights",
            "softmax-of-each-score", "softmax-of-values", "averaged",
            "scaled-after-softmax", "scaled-twice", "softmax-last", "softmax-of-output", "rounded",
            "weights-rounded", "values-first",
        ),
        Mistake(
            "whole-numbers-kept",
            "the output was written into an array of whole numbers, which drops all after the point",
            "`zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.",
            ALL,
            onto=lambda output, x, w_q, w_k, w_v: output.astype(x.dtype),
        ),
        *width_mistakes(),
        *_only(
            scale_mistakes(),
            "never-scaled", "divided-by-d_k", "multiplied", "root-n_keys", "root-n_keys-too", "always-2",
            "half-d_k", "power-first", "fourth-root", "root-first-axis", "root-second-axis",
        ),
        *_only(
            match_mistakes(),
            "all-axes-reversed", "one-matrix-only", "three-axes-only", "cosine",
            "transposed-to-the-old-order", "two-axes-transposed", "reshaped",
        ),
        *_softmax_mistakes(
            "over-queries", "axis-0", "axis-1", "over-everything", "over-matrix", "over-first-axis-items",
            "not-divided", "no-exponential", "no-softmax", "twice", "keepdims",
        ),
    ),
    hints=(
        "Queries, keys and values are three projections of the same tokens: x @ w_q, x @ w_k, x @ w_v.",
        "Then attention as before. d_k is the width of the queries, not that of the tokens.",
        "The helper returns two things: output, weights = attention(queries, keys, values).",
    ),
    explain="Three projections of the same tokens, then attention. d_k is the width of x @ w_q.",
    reread=PROJECTIONS,
)  # fmt: skip

# --- steer -------------------------------------------------------------------------------------------

STEER_KEYS = np.array([[4.0, 2.0], [1.0, 2.5], [-2.0, 1.0]])
LIMIT, ENOUGH = 6.0, 0.9
KEY_WORDS = ("first", "second", "third")


def _steered(query: Array) -> Array:
    return softmax(scale_scores(STEER_KEYS @ query, 2))


def _judge_steer(query: Array) -> tuple[str, str]:
    size = float(abs(query).max())
    if size == 0:
        return "zero", (
            "the query [0, 0] has the score 0 with every key, and every key gets 1/3.\n"
            "  Only a direction makes a difference. Which way is the second key, seen from the two others?"
        )
    at_limit = _steered(query * (LIMIT / size))
    if size > LIMIT + 1e-9:
        ahead = (
            "The same direction, shortened to the limit, would do."
            if at_limit[1] >= ENOUGH
            else f"Shortened to the limit, it gives the second key {at_limit[1]:.3f}. Turn it."
        )
        return (
            "beyond-limit",
            f"no entry may lie above 6 or below −6, and one of yours has size {size:.4g}.\n  {ahead}",
        )
    weights = _steered(query)
    shown = "  ".join(f"{weight:.3f}" for weight in weights)
    if weights[1] >= ENOUGH - 1e-12:
        return "", (
            f"✓ the weights of your query are [{shown}].\n"
            "  It scores higher with the second key than with either of the others, by enough."
        )
    found = (
        f"the weights of your query are [{shown}]: the second key gets {weights[1]:.3f}, and 0.9 is asked."
    )
    name, reply = _why_not(query, weights, at_limit)
    return name, f"{found}\n  {reply}"


def _why_not(query: Array, weights: Array, at_limit: Array) -> tuple[str, str]:
    """The named slip of a query within the limit that does not give the second key enough, and the reply."""
    differences = (
        "What counts are differences of scores: the query should score well with key 2 − key 1 = [−3, 0.5] "
        "and with key 2 − key 3 = [3, 1.5]."
    )
    if weights[1] < weights.max():
        best = int(weights.argmax())
        cosine = query @ STEER_KEYS[1] / np.linalg.norm(query) / np.linalg.norm(STEER_KEYS[1])
        if cosine > 0.99:
            return "aimed-at-the-key", (
                "It points the way the second key points. But the first key is longer, and reaches further "
                f"that way. {differences}"
            )
        third = query @ STEER_KEYS[2] / np.linalg.norm(query) / np.linalg.norm(STEER_KEYS[2])
        if third > 0.99:
            return (
                "third-key",
                "That is the third key, keys[2]. The second is [1, 2.5], keys[1]: counting starts at 0.",
            )
        return "wrong-key", f"The {KEY_WORDS[best]} key answers most. {differences}"
    other = 0 if weights[0] > weights[2] else 2
    name = "turn"
    advice = (
        f"The second key leads, but the {KEY_WORDS[other]} comes too near, and making the query longer, up "
        f"to the limit, is not enough. Turn it away from the {KEY_WORDS[other]} key. {differences}"
    )
    if at_limit[1] >= ENOUGH:
        name = "too-short"
        advice = "The direction is good, and the weights are too flat: a longer query spreads scores further."
    unscaled = softmax(STEER_KEYS @ query)
    if unscaled[1] >= ENOUGH:
        return "not-scaled", (
            f"Without the division of the scores by √2 it would be {unscaled[1]:.3f}. Divided, the scores "
            f"lie closer together, and so do the weights. {advice}"
        )
    return name, advice


STEER = Open(
    name="steer",
    task="A query that puts 0.9 of its weight on the second of three keys.",
    shape=(2,),
    judge=_judge_steer,
    example=[-1.0, 6.0],
    because="Its scores are 8, 14 and 8: the second key leads both others by 6, and by 6/√2 after scaling. "
    "A query need not point at its key; it has to tell it from the others.",
    slips=slips(
        ("beyond-limit", [-1.5, 9.0]),
        ("zero", [0.0, 0.0]),
        ("aimed-at-the-key", [2.4, 6.0]),
        ("third-key", [-6.0, 3.0]),
        ("wrong-key", [6.0, 6.0]),
        ("not-scaled", [0.0, 6.0]),
        ("too-short", [-0.3, 2.0]),
        ("turn", [0.4, 6.0]),
    ),
    hints=(
        "Draw the three keys. A score grows along the query: which way does the second key lie further out "
        "than the two others?",
        "Straight up is nearly right: there the second key leads the first by little. Which way does the "
        "first key fall behind?",
        "Only differences of scores count. Make query · (key 2 − key 1) and query · (key 2 − key 3) both "
        "large.",
    ),
    reread=MOVES,
)

# --- audit-table -------------------------------------------------------------------------------------

TOKENS = ("I", "love", "statistics")
EMBEDDINGS = np.array([[0.2, 0.5, 0.7], [0.4, 0.8, 0.6], [0.1, 0.6, 0.9]])
AUDIT_Q = EMBEDDINGS @ np.array([[0.1, 0.3], [0.2, 0.4], [0.5, 0.6]])
AUDIT_K = EMBEDDINGS @ np.array([[0.6, 0.2], [0.3, 0.5], [0.7, 0.9]])
AUDIT_V = EMBEDDINGS @ np.array([[0.5, 0.8], [0.2, 0.3], [0.4, 0.6]])
ASKING = TOKENS.index("I")


def _audit(scores: Array, root: float = ROOT_2) -> Array:
    """Scores of one query -> its three rows: score, scaled score, weight, first entry of weighted value."""
    weights = softmax(scores / root)
    return np.stack([scores, scores / root, weights, weights * AUDIT_V[:, 0]], axis=1)


AUDITED = _audit(AUDIT_K @ AUDIT_Q[ASKING])
OF_LOVE = _audit(AUDIT_K @ AUDIT_Q[TOKENS.index("love")])
UNSCALED = softmax(AUDITED[:, 0])
PUBLISHED_QUERY = np.array([0.59, 0.78])
PUBLISHED_KEYS = np.array([[0.48, 0.54], [0.68, 0.82], [0.77, 1.12]])
PUBLISHED_VALUES = np.array([0.66, 1.02, 0.66])  # their first entries
PUBLISHED_SCORES = np.array([0.5152, 0.7178, 0.8934])
PUBLISHED_WEIGHTS = np.array([0.3012, 0.3675, 0.3313])
PUBLISHED_PARTS = np.array([0.1988, 0.3743, 0.2184])


def _slip(name: str, column: Array, reply: str) -> Slip:
    """A slip of the audit table whose wrong column is known number by number."""
    by_token = dict(zip(TOKENS, column.tolist(), strict=True))
    return Slip(name, by_token.get, reply)


def _next_of_audit(column: int, before: Mapping[Any, float]) -> dict[Any, float]:
    """What the learner's own column leads to in the next one; a weight needs all three scores."""
    if column == 1:
        return {token: score / ROOT_2 for token, score in before.items()}
    if column == 3:
        return {token: weight * AUDIT_V[TOKENS.index(token), 0] for token, weight in before.items()}
    if len(before) < len(TOKENS):
        return {}
    weights = softmax(np.array([before[token] for token in TOKENS]))
    return dict(zip(TOKENS, weights.tolist(), strict=True))


PAGE = 'That is what the page prints, for the query "love" and from other numbers than its own matrices give.'
THE_PAGES = (
    "Those come from the {0} that the page prints, and these do not follow from its matrices. Compute the "
    "{0}: embeddings @ W{1}."
)
PAGES_QUERY = (
    'Those come from the query that the page prints. It belongs to "love", and does not follow from the '
    'page\'s matrices. Compute that of "I": its embedding @ Wq.'
)
LOVES = 'That belongs to the query "love", which the lesson audits. Here "I" asks.'

AUDIT_TABLE = Table(
    name="audit-table",
    task='The audited page once more, for the query of "I".',
    row_name="key",
    labels=TOKENS,
    columns=("score", "scaled score", "weight", "first entry of the weighted value"),
    row=lambda token: AUDITED[TOKENS.index(token)].tolist(),
    slips=(
        (
            _slip("query-of-love", OF_LOVE[:, 0], LOVES),
            _slip("published-scores", PUBLISHED_SCORES, PAGE),
            _slip("published-keys", PUBLISHED_KEYS @ AUDIT_Q[ASKING], THE_PAGES.format("keys", "k")),
            _slip("published-query", AUDIT_K @ PUBLISHED_QUERY, PAGES_QUERY),
            _slip("published-query-and-keys", PUBLISHED_KEYS @ PUBLISHED_QUERY, PAGES_QUERY),
            _slip(
                "no-projection",
                EMBEDDINGS @ EMBEDDINGS[ASKING],
                "Those are dot products of the embeddings. Queries and keys are made from them first, by Wq "
                "and Wk.",
            ),
            _slip(
                "queries-matched",
                AUDIT_Q @ AUDIT_Q[ASKING],
                'The query of "I" was matched with queries. It meets the keys, embeddings @ Wk.',
            ),
            _slip(
                "key-asked",
                AUDIT_Q @ AUDIT_K[ASKING],
                'The key of "I" was matched with all queries, a column of the score table. Its row is asked: '
                'the query of "I" with every key.',
            ),
            _slip(
                "keys-matched",
                AUDIT_K @ AUDIT_K[ASKING],
                'The key of "I" was matched with the keys. The one that asks is its query, embedding @ Wq.',
            ),
            _slip(
                "matched-on-values",
                AUDIT_V @ AUDIT_Q[ASKING],
                "The query was matched with the values. It meets the keys, embeddings @ Wk.",
            ),
            _slip(
                "scaled-already",
                AUDITED[:, 1],
                "Those are divided by √d_k already. In the first column the score is asked as it is.",
            ),
        ),
        (
            _slip(
                "not-scaled",
                AUDITED[:, 0],
                "Those are the scores themselves. The page states √d_k and never divides: divide here.",
            ),
            _slip("divided-by-d_k", AUDITED[:, 0] / 2, "That is divided by d_k, 2. Divide by its root."),
            _slip(
                "root-3",
                AUDITED[:, 0] / math.sqrt(3),
                "That is divided by √3. There are 3 tokens, and 3 entries in an embedding, but queries and "
                "keys have 2: d_k is 2.",
            ),
            _slip("multiplied", AUDITED[:, 0] * ROOT_2, "That is multiplied by √2. Scaling divides."),
            _slip("query-of-love", OF_LOVE[:, 1], LOVES),
        ),
        (
            _slip(
                "not-scaled",
                UNSCALED,
                "That is the softmax of the scores as they are. Softmax takes the scaled ones.",
            ),
            _slip(
                "divided-by-d_k",
                softmax(AUDITED[:, 0] / 2),
                "That is the softmax of the scores divided by 2. It takes those divided by √2.",
            ),
            _slip(
                "no-exponential",
                AUDITED[:, 0] / AUDITED[:, 0].sum(),
                "The scores were divided by their sum. Softmax takes the exponential of each first.",
            ),
            _slip(
                "not-divided",
                np.exp(AUDITED[:, 1]),
                "Those are the exponentials. Weights are shares: divide each by the sum of the three.",
            ),
            _slip(
                "equal", np.full(3, 1 / 3), "Those are equal shares. The scores differ, so the weights do."
            ),
            _slip("percent", 100 * AUDITED[:, 2], "Those are percentages. Weights sum to 1."),
            _slip("query-of-love", OF_LOVE[:, 2], LOVES),
            _slip("published-weights", PUBLISHED_WEIGHTS, PAGE),
        ),
        (
            _slip(
                "not-weighted",
                AUDIT_V[:, 0],
                "Those are the values. Each is multiplied by its weight.",
            ),
            _slip(
                "second-entry",
                AUDITED[:, 2] * AUDIT_V[:, 1],
                "Those are the second entries of the weighted values. The first is asked.",
            ),
            _slip(
                "added-up",
                np.full(3, AUDITED[:, 3].sum()),
                "That is the sum of all three, the output. In the table each key has its own part.",
            ),
            _slip(
                "keys-weighted",
                AUDITED[:, 2] * AUDIT_K[:, 0],
                "Those are weighted keys. Keys are matched, values are mixed.",
            ),
            _slip(
                "scores-as-weights",
                AUDITED[:, 1] * AUDIT_V[:, 0],
                "Scaled scores were multiplied with the values. The weights are what softmax makes of them.",
            ),
            _slip(
                "not-scaled",
                UNSCALED * AUDIT_V[:, 0],
                "Those come from the softmax of the scores as they are. Softmax takes the scaled ones.",
            ),
            _slip("query-of-love", OF_LOVE[:, 3], LOVES),
            _slip("published-parts", PUBLISHED_PARTS, PAGE),
            _slip("published-values", AUDITED[:, 2] * PUBLISHED_VALUES, THE_PAGES.format("values", "v")),
            _slip(
                "published-keys-and-values",
                softmax(PUBLISHED_KEYS @ AUDIT_Q[ASKING] / ROOT_2) * PUBLISHED_VALUES,
                THE_PAGES.format("values", "v"),
            ),
        ),
    ),
    next_column=_next_of_audit,
    tolerance=0.0005,
    because="Query [0.47, 0.68], three scores, divided by √2, shared out by softmax, and each value times "
    f"its weight. Added up, the last column gives {AUDITED[:, 3].sum():.4f}, the first entry of the output "
    'for "I".',
    hints=(
        'The query is the embedding of "I" times Wq, [0.47, 0.68]. A score is its dot product with a key.',
        "Queries and keys have two entries, so d_k is 2: divide by √2, and keep four decimals.",
        "The softmax of the three scaled scores: each exponential, divided by the sum of the three.",
        "The weight, times the first entry of that token's value, embedding @ Wv.",
    ),
    reread=AUDIT,
)

# --- shuffle -----------------------------------------------------------------------------------------

SHUFFLE_CHOICE = Choose(
    name="shuffle",
    task="Keys and values are shuffled together, the queries stay: what happens to the output?",
    answer="c",
    options={
        "a": "Rows of the output belong to queries, and the queries stay as they were. What is shuffled are "
        "the columns of the weights, one for each key. What does a sum over the keys make of that?",
        "b": "Each query meets every key, and the order in which it meets them counts nowhere: a weight "
        "depends on the scores alone, and moves along with its key.",
        "c": "Each weight moves along with its key, and its value has moved to the same place. The sum of "
        "weight times value has the same terms in another order. If the queries were shuffled as well, as "
        "in self-attention, the rows of the output would move along.",
        "d": "The entries of an output row are the d_v entries of the values, not keys. The pairs were "
        "shuffled, and no value was changed within itself.",
    },
    hints=(
        "Write the output of one query as a sum: weight of key 1 times value 1, and so on. Which terms "
        "change?",
        "Compare with a dictionary of paper: are its answers other ones when the cards lie in another order?",
    ),
    reread=SHUFFLE,
)

EXERCISES = (
    PREDICT_LOOKUP,
    ONE_QUERY,
    ATTENTION,
    ROLES_BUG,
    SELF_ATTENTION,
    WIDTH_BUG,
    STEER,
    AUDIT_TABLE,
    SHUFFLE_CHOICE,
)

"""Mistakes in mixing the values, and in which role queries, keys and values play."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from helpers import attention as helper
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.write import Property
from helpers.exercises.slips.matching import match_mistakes, rounded_to, same
from helpers.exercises.slips.scaling import scale_mistakes
from helpers.exercises.slips.sharing import as_share, axis_mistakes, share_mistakes, shift_mistakes
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
    all_of_them = (*axis_mistakes(), *shift_mistakes(), *share_mistakes())
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
            mix=lambda weights, queries, keys, values: turned(weights) @ values,
        ),
        Mistake(
            "values-turned",
            "the values were transposed before mixing",
            "The weights run over the keys, and so do the rows of values: weights @ values, as they are. "
            "Only the keys are transposed, for the scores.",
            section,
            mix=lambda weights, queries, keys, values: weights @ turned(values),
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
            after=lambda output, queries, keys, values: turned(output),
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


def width_mistake(name: str, says: str, of: Step, idea: str, *also: Step) -> Mistake:
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
        width_mistake("root-d_v", "the scores were divided by √d_v, the width of the values",
               lambda values: math.sqrt(values.shape[-1]), idea),
        width_mistake("d_v", "the scores were divided by d_v, the width of the values",
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


WITHIN = Property("within the values", "no output lies outside the values", within_values)
ONES = Property("weights sum to 1", "values of 1 give an output of 1", _values_of_1)

ORDER = Property(
    "order of the pairs", "the order of the pairs of key and value does not matter", _pairs_shuffled
)


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


ATTENTION_MISTAKES = (
    *role_mistakes(),
    *mixing_mistakes(),
    *width_mistakes(),
    *(m for m in scale_mistakes() if m.name not in ("subtracted", "root-d_model", "floored")),
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
        also=[{"match": lambda q, k: np.dot(q, turned(k)), "mix": lambda w, q, k, v: np.dot(w, v)}],
        mix=lambda w, q, k, v: np.dot(w, v),
    ),
    width_mistake(
        "root-d_v-not-zero",
        "the scores were divided by the root of how many columns of the values are not all zero",
        lambda values: math.sqrt((values != 0).any(axis=-2).sum(axis=-1).max()),
        "The scale still comes from the values, and belongs to the match: a score is a sum of d_k "
        "terms, one for each entry of query and key.",
    ),
    hiding_mistake(),
)


def added_in_place(one: Array, other: Array) -> Array:
    one = one.copy()
    one += other
    return one


ONE_EACH = "Each token asks with x @ w_q, answers with x @ w_k and gives x @ w_v: three matrices, three jobs."

IN_OUT = (
    "Matrices here are (in, out) and stand on the right: x @ w_q. `nn.Linear` of PyTorch stores (out, in), "
    "which is where x @ W.T comes from."
)


def from_one(name: str, place: int) -> Mistake:
    """One matrix for all three."""
    return Mistake(
        f"{name}-for-all",
        f"queries, keys and values were all made with {name}",
        ONE_EACH,
        PROJECTIONS,
        project=lambda x, *matrices: (x @ matrices[place],) * 3,
    )

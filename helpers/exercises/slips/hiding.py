"""Mistakes in hiding keys: masks turned round, applied too late, or to the wrong axis."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.slips.matching import match_mistakes
from helpers.exercises.slips.mixing import mixing_mistakes, role_mistakes
from helpers.exercises.slips.scaling import SCALE_MISTAKES
from helpers.exercises.slips.sharing import AXIS, SHIFT, WEIGHTS, axis_mistakes, shift_mistakes
from helpers.masking import Mask, causal_mask  # noqa: F401 (in the paragraphs)
from helpers.softmax import softmax
from helpers.validation import Array

INFINITY = "05: Minus infinity before softmax"
FAIL = "05: Two ways that fail"
TURNED = "05: Rows and columns"
POLARITY = "05: True means may attend"
NO_KEY = "05: A query with no key"
Step = Callable[..., Any]
ATTEND = "True = may attend."


def only(mistakes: Sequence[Mistake], *names: str) -> tuple[Mistake, ...]:
    """The mistakes of these names, in this order."""
    by_name = {mistake.name: mistake for mistake in mistakes}
    return tuple(by_name[name] for name in names)


def own_softmax(scores: Array, axis: int = -1) -> Array:
    """Softmax as learners write it: nan where a row is all −inf."""
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _unshifted(scores: Array) -> Array:
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def _unshifted_but_guarded(scores: Array) -> Array:
    return np.where(np.isneginf(scores).all(axis=-1, keepdims=True), 0.0, _unshifted(scores))


def zero_times_infinity(scores: Array, mask: Mask) -> Array:
    return scores + (1 - mask) * -np.inf


def index(scores: Array, mask: Mask) -> Array:
    hidden = scores.copy()
    hidden[~mask] = -np.inf
    return hidden


def _index_last_axes(scores: Array, mask: Mask) -> Array:
    hidden = scores.copy()
    hidden[..., ~mask] = -np.inf
    return hidden


def index_zero(scores: Array, mask: Mask) -> Array:
    hidden = scores.copy()
    hidden[mask == 0] = -np.inf
    return hidden


STEPS = Steps(
    {
        "match": "queries, keys",
        "scale": "scores, queries, keys",
        "width": "values",
        "hide": "scores, mask",
        "share": "scores",
        "weigh": "weights, mask",
        "carry": "values, scores, mask",
        "mix": "weights, queries, keys, values",
    },
    globals(),
)
SECTIONS = {
    "polarity": POLARITY,
    "fail": FAIL,
    "turned": TURNED,
    "infinity": INFINITY,
    "axis": AXIS,
    "weights": WEIGHTS,
    "shift": SHIFT,
    "no-key": NO_KEY,
    "roles": "04: Queries, keys and values",
}
WORDS = {"attend": ATTEND, "choose": "Choose instead of calculating: np.where(mask, scores, -np.inf)."}


def equal_weights(opened: Array) -> Array:
    """1 for each key that is open, else 0 -> shares; zeros where none is open."""
    return opened / np.maximum(opened.sum(axis=-1, keepdims=True), 1)


def hide_mistakes(softmaxes: Sequence[Step]) -> tuple[Mistake, ...]:
    """The wrong ways to hide a key, for recipes with the choices hide, share and weigh.

    `softmaxes` are the two ways in which the learner may take softmax: nan is an error for one of them.
    """
    usual, other = softmaxes
    steps = Steps(STEPS.arguments, {**globals(), "usual": usual, "other": other})
    return steps.mistakes(HIDING, INFINITY, SECTIONS, WORDS)


HIDING = """
inverted § polarity
    you read the mask the other way round and hid the allowed keys
    {attend} −∞ belongs where the mask is False.
    | hide => np.where(mask, -np.inf, 0.0) + scores
    | hide => np.where(mask, -np.inf, scores); share => other(scores)
    | hide => np.where(mask, -1e9, scores)
    | hide => np.where(mask, -np.inf, scores); share => usual(scores)
    | hide => np.where(mask, -np.inf, 0.0) + scores; share => other(scores)
    | hide => scores + np.where(mask, -1e9, 0.0)

mask-ignored
    your mask changed nothing: every key got its weight
    The forbidden scores should become −∞, before softmax.
    | hide => scores

weights-zeroed § fail
    you set weights to 0 after softmax, and left the rest as it was
    Then a row no longer sums to 1: the forbidden keys have taken their share and given it to nobody. Hide
    the scores before softmax.
    | hide => scores; weigh => weights * mask

score-0 § fail
    you set the forbidden scores to 0
    A score of 0 is not a weight of 0: softmax gives it e⁰ / the sum. −∞ is what becomes 0.
    | hide => np.where(mask, scores, 0.0)
    | hide => scores * mask

inverted-score-0 § fail
    you set the scores of the allowed keys to 0, and left the forbidden ones as they were
    {attend} And a score of 0 is not a weight of 0: −∞ is what becomes 0, and belongs where the mask is False.
    | hide => np.where(mask, 0.0, scores)

zero-taken-for-hidden § fail
    you hid every key whose score is 0, even where the mask allows it
    An open key may score 0. Ask the mask itself: np.where(mask, scores, -np.inf).
    | hide => np.where(scores * mask == 0, -np.inf, scores)

mask-added § fail
    you added the mask as 0 and 1
    That favours the allowed keys by a factor of e and hides nothing. Add 0 and −∞, or choose with
    np.where.
    | hide => scores + mask
    | hide => scores - 1 + mask

zero-times-infinity
    you multiplied 0 by −∞, which is nan
    0 · ∞ is not a number, so the allowed scores are lost. {choose}
    | hide => zero_times_infinity(scores, mask); share => usual(scores)
    | hide => zero_times_infinity(scores, mask); share => other(scores)
    | hide => scores + mask * -np.inf; share => usual(scores)
    | hide => scores + mask * -np.inf; share => other(scores)
    | hide => scores + (mask - 1) * -np.inf; share => usual(scores)
    | hide => scores + (mask - 1) * -np.inf; share => other(scores)

times-infinity
    you multiplied the scores by −∞
    A negative score times −∞ is +∞, and 0 times −∞ is nan. {choose}
    | hide => scores * np.where(mask, 1.0, -np.inf); share => usual(scores)
    | hide => scores * np.where(mask, 1.0, -np.inf); share => other(scores)
    | hide => scores * np.where(mask, 0.0, -np.inf); share => usual(scores)
    | hide => scores * np.where(mask, 0.0, -np.inf); share => other(scores)

plus-infinity
    you set the forbidden scores to +∞
    The largest score gets the most weight. It is e^−∞ that is 0: −np.inf.
    | hide => np.where(mask, scores, np.inf); share => usual(scores)
    | hide => np.where(mask, scores, np.inf); share => other(scores)

minus-a-little
    you gave the forbidden scores a negative number that is not low enough
    Then they keep some weight, and where all other scores are lower they get all of it. −∞ is lower than any
    score.
    @ low = -1.0 -2.0 -5.0 -9.0 -10.0 -99.0 -100.0 -999.0 -1e3
    | hide => np.where(mask, scores, low)
    @ low = -2.0 -5.0 -10.0
    | hide => scores + np.where(mask, 0.0, low)

smallest-score
    you made the forbidden scores as small as the smallest one
    The smallest score still gets some weight. −∞ gets none.
    | hide => np.where(mask, scores, scores.min(axis=-1, keepdims=True))
    | hide => np.where(mask, scores, scores.min())

infinity-after-softmax
    you put −∞ among the weights, after softmax
    It is e^−∞ that is 0: −∞ belongs in the scores, before softmax.
    | hide => scores; weigh => np.where(mask, weights, -np.inf)

scores-forgotten
    you lost the scores, and the allowed keys got equal weights
    The mask only removes keys. Among those that are left, the scores decide.
    | hide => scores * 0 + np.where(mask, 0.0, -np.inf)
    | hide => scores; weigh => equal_weights(weights * 0 + mask)

mask-as-index
    you used the mask as an index, which works only where it has the shape of the scores
    A mask may have fewer axes than the scores, or axes of length 1. np.where broadcasts it:
    np.where(mask, scores, -np.inf).
    | hide => index(scores, mask)
    | hide => index_zero(scores, mask)
    | hide => _index_last_axes(scores, mask)

mask-transposed § turned
    you transposed the mask
    Rows of the mask are queries and columns are keys, as in the scores: it fits as it is.
    | hide => np.where(mask.T, scores, -np.inf)
    | hide => np.where(np.swapaxes(mask, -1, -2), scores, -np.inf)

own-causal-mask § polarity
    you used a causal mask instead of the mask that was given
    The function gets its mask as an argument; it may hide the future, padding, or anything else.
    | hide => np.where(np.tri(*scores.shape[-2:]) == 1, scores, -np.inf)
    | hide => np.where(causal_mask(scores.shape[-2], scores.shape[-1]), scores, -np.inf)
    @ own = np.tri(*scores.shape[-2:])==1 causal_mask(*scores.shape[-2:])
    | hide => np.where(own, scores, -np.inf); share => softmax(scores)

over-queries § axis
    you ran softmax over the queries
    Each query gets one distribution: the weights of its row, over the keys, sum to 1. Keys are the last
    axis, −1.
    | share => own_softmax(scores, axis=-2)
    | share => softmax(scores, axis=-2)
    | hide => np.where(mask, scores, -1e9); share => own_softmax(scores, axis=-2)

no-softmax § weights
    you left out softmax
    Weights are shares: the exponential of each score, divided by the sum of its row.
    | share => scores

no-row-max § shift
    you did not subtract the largest score first
    e^1000 is larger than any float64, and e^−1000 is 0. Their shares, ∞/∞ and 0/0, are nan. Softmax
    ignores a shift, so subtract the largest score of each row.
    | share => _unshifted_but_guarded(scores)
    | share => np.nan_to_num(_unshifted(scores))

not-divided § weights
    you did not divide the exponentials by their sum
    Weights are shares: each exponential is divided by the sum of its row.
    | share => np.exp(scores)
    | share => np.exp(scores - scores.max(axis=-1, keepdims=True))
"""


def _renormalised(weights: Array, mask: Mask) -> Array:
    kept = weights * mask
    return kept / kept.sum(axis=-1, keepdims=True)


def _renormalised_and_guarded(weights: Array, mask: Mask) -> Array:
    return np.nan_to_num(_renormalised(weights, mask))


def _renormalised_unless_zero(weights: Array, mask: Mask) -> Array:
    total = (weights * mask).sum(axis=-1, keepdims=True)
    return weights * mask / np.where(total == 0, 1, total)


def _renormalised_unless_empty(weights: Array, mask: Mask) -> Array:
    return np.where(np.any(mask, axis=-1, keepdims=True), _renormalised(weights, mask), 0.0)


def _zero_without_key(weights: Array, mask: Mask) -> Array:
    return np.where(np.any(mask, axis=-1, keepdims=True), weights, 0.0)


def _whole_max_softmax(scores: Array) -> Array:
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _turned_where_it_fits(mask: Mask, scores: Array) -> Mask:
    """The mask on its side where there are as many queries as keys, else as it is."""
    full = np.broadcast_to(mask, scores.shape)
    return np.swapaxes(full, -1, -2) if full.shape[-1] == full.shape[-2] else full


def _one_row(mask: Mask, scores: Array, row: int) -> Mask:
    """The mask of one query, for all of them."""
    return np.broadcast_to(mask, scores.shape)[..., [row], :]


def _first_of_the_stack(mask: Mask, scores: Array) -> Mask:
    """The mask of the first sentence, for all of them."""
    return np.broadcast_to(mask, scores.shape).reshape(-1, *scores.shape[-2:])[0]


Ways = Sequence[dict[str, Any]]


def and_ways(mistakes: Sequence[Mistake], more: Mapping[str, Ways]) -> tuple[Mistake, ...]:
    """The mistakes, some with more ways to write them."""
    made = []
    for mistake in mistakes:
        first, *also = (*mistake.ways, *more.get(mistake.name, ()))
        made.append(Mistake(mistake.name, mistake.says, mistake.idea, mistake.reread, also, **first))
    return tuple(made)


MORE = """
minus-a-little
    @ low = -20.0 -30.0 -50.0 -100.0 -500.0 -999.0 -1000.0
    | hide => scores + np.where(mask, 0.0, low)
    @ low = -20.0 -30.0 -50.0 -100.0 -500.0 -999.0 -1000.0
    | hide => scores + np.where(mask, 0.0, low); weigh => _zero_without_key(weights, mask)
    @ least = 1e-6 1e-9 1e-10 1e-12
    | hide => scores + np.log(mask + least)

no-row-max
    @ left = _renormalised _renormalised_and_guarded _renormalised_unless_empty _renormalised_unless_zero
    | hide => scores; share => np.exp(scores); weigh => left(weights, mask)

mask-transposed
    | hide => np.where(_turned_where_it_fits(mask, scores), scores, -np.inf)

scores-forgotten
    | hide => np.where(mask, 0.0, -np.inf); share => softmax(scores)
    | hide => np.where(mask, 0.0, -np.inf); share => own_softmax(scores)
"""
MASKED = hide_mistakes([softmax, own_softmax])
MORE_WAYS = {  # to be told apart, these need the two probes that follow
    mistake.name: mistake.ways for mistake in STEPS.mistakes(MORE, INFINITY, told=MASKED)
}
LATE_AND_WHOLE = STEPS.mistakes(
    """
renormalised
    you applied the mask after the exponentials, and divided what was left of each row by its new sum
    That is right until no key is open, or until a hidden score lies far above the others and takes the whole
    weight. Then 0/0 is left, whatever you put in its place. Mask the scores first, then take softmax.
    @ left = _renormalised _renormalised_and_guarded _renormalised_unless_empty
    | hide => scores; weigh => left(weights, mask)

whole-max
    | share => _whole_max_softmax(scores)
    | share => np.nan_to_num(_whole_max_softmax(scores))
    @ shifted = np.where(mask,scores-scores.max(),-np.inf)
    | hide => shifted; share => np.nan_to_num(_unshifted(scores))
    | hide => shifted; share => _unshifted(scores)
    | hide => shifted; share => _unshifted(scores); weigh => _zero_without_key(weights, mask)
    | share => _whole_max_softmax(scores); weigh => _zero_without_key(weights, mask)

axis-0
    | share => own_softmax(scores, axis=0)
    | share => softmax(scores, axis=0)

axis-1
    | share => own_softmax(scores, axis=1)
    | share => softmax(scores, axis=1)
""",
    FAIL,
    told=(*axis_mistakes(), *shift_mistakes()),
)
GIVEN_MASK = STEPS.mistakes(
    """
causal-mask-too
    you laid a causal mask over the mask that was given
    That is one step too many: the future is hidden only where the mask that is given hides it.
    @ both = mask&causal_mask(*scores.shape[-2:])
    | hide => np.where(both, scores, -np.inf)
    | hide => np.where(both, scores, -np.inf); share => own_softmax(scores)

one-row-for-all § polarity
    you hid the same keys from every query
    Each query has a row of the mask to itself. Give np.where the whole mask: it broadcasts by itself.
    @ row = 0 -1
    | hide => np.where(_one_row(mask, scores, row), scores, -np.inf)
    @ row = 0 -1
    | hide => np.where(_one_row(mask, scores, row), scores, -np.inf); share => own_softmax(scores)
    @ shared = np.broadcast_to(mask,scores.shape).any(axis=-2,keepdims=True)
    | hide => np.where(shared, scores, -np.inf)
    @ shared = np.broadcast_to(mask,scores.shape).all(axis=-2,keepdims=True)
    | hide => np.where(shared, scores, -np.inf)

first-mask-for-all § polarity
    you gave every sentence the mask of the first
    In a stack each sentence, or each head, may have a mask of its own. Give np.where the whole mask.
    | hide => np.where(_first_of_the_stack(mask, scores), scores, -np.inf)
    | hide => np.where(_first_of_the_stack(mask, scores), scores, -np.inf); share => own_softmax(scores)

softmax-twice § weights
    you took softmax twice
    The weights are shares already; a second softmax makes them nearly equal.
    | share => softmax(softmax(scores))
    | share => own_softmax(softmax(scores))

mask-flattens § infinity
    you indexed the scores by the mask, which gives one flat list of the open ones, without rows
    Rows would have different lengths, so that NumPy makes no table of them. Keep all scores, and put −∞
    in the forbidden places: np.where(mask, scores, -np.inf).
    | hide => scores[mask]
    | hide => scores[mask]; share => own_softmax(scores)
""",
    POLARITY,
    SECTIONS,
)


FINITE = (
    "You hid the keys with a large negative number such as −1e9. That works here, but hurts elsewhere: "
    "float16 ends at −65,504, and a query with no key gets the mean of values that it may not read. With "
    "−np.inf you say what you mean."
)


def finite_in_weights(call: Callable[..., Any]) -> str:
    """A call of a right answer, scores and mask in, weights out -> a note where a finite number hides."""
    weights = call(np.array([[-1e35, 0.0]]), np.array([[True, False]]))
    return FINITE if weights is not None and np.ravel(weights)[-1] > 0.5 else ""


def finite_in_attention(call: Callable[..., Any]) -> str:
    """The same where queries, keys, values and a mask go in, and the output comes back."""
    queries, keys, values = np.array([[1e17]]), np.array([[-1e18], [0.0]]), np.array([[1.0], [0.0]])
    output = call(queries, keys, values, np.array([[True, False]]))
    return FINITE if output is not None and np.ravel(output)[-1] < 0.5 else ""


def _nan_without_key(weights: Array, mask: Mask) -> Array:
    return np.where(mask.any(axis=-1, keepdims=True), weights, np.nan)


def _values_all_may_read(values: Array, scores: Array, mask: Mask) -> Array:
    return values * np.swapaxes(np.all(mask & (scores == scores), axis=-2, keepdims=True), -1, -2)


def _values_some_may_read(values: Array, scores: Array, mask: Mask) -> Array:
    return values * np.swapaxes(np.any(mask & (scores == scores), axis=-2, keepdims=True), -1, -2)


def _equal_without_key(weights: Array, mask: Mask) -> Array:
    return np.where(mask.any(axis=-1, keepdims=True), weights, 1 / weights.shape[-1])


MASKED_MISTAKES = (
    *and_ways(MASKED, MORE_WAYS),
    *LATE_AND_WHOLE,
    *GIVEN_MASK,
    *STEPS.mistakes(
        """
minus-a-billion
    a query with no key got a mean of values that it may not read
    It should get zeros. A very low number such as −1e9, instead of −∞, does this: it hides a key as long as
    another one is open. With none open, softmax compares the low numbers with one another and shares 1 among
    forbidden keys.
    @ low = -1e9 -1e4 -1e5 -1e6 -1e12 -1e30
    | hide => np.where(mask, scores, low)
    @ low = -1e9 -1e4 -1e5 -1e6 -1e8
    | hide => scores + np.where(mask, 0.0, low)
    @ dtype = scores.dtype
    | weigh => _equal_without_key(weights, mask)
    | hide => np.where(mask, scores, np.finfo(dtype).min)

no-key-nan
    a query with no key got nan: you divided 0 by 0, or took −∞ from −∞
    Decide what such a query gets, here zeros, and guard the division. The helper `softmax` does so.
    | weigh => _nan_without_key(weights, mask)
    | share => own_softmax(scores)
""",
        NO_KEY,
    ),
    *only(mixing_mistakes(), "weights-returned", "weights-turned", "averaged", "hard-lookup"),
    *only(role_mistakes(), "keys-mixed", "queries-mixed"),
    *STEPS.mistakes(
        """
values-zeroed
    you set the values of hidden keys to 0, not their weights
    Then hidden keys still take their share of the weight. And a key may be hidden from one query and open
    to another: a value belongs to all queries. Mask the scores.
    | hide => scores; carry => np.where(np.swapaxes(mask, -1, -2), values, 0)
    | hide => scores; carry => _values_all_may_read(values, scores, mask)
    | hide => scores; carry => _values_some_may_read(values, scores, mask)

added-to-the-input § infinity
    you added the output to what went in
    That is one step too many: a whole layer of a model does so, after attention. Here the output is
    weights @ values, and no more.
    | mix => values[..., :queries.shape[-2], :] + weights @ values
    | mix => queries + weights @ values
    | mix => values + weights @ values

root-d_v § roles
    you divided the scores by √d_v
    The scale belongs to the match of queries with keys, which are d_k long, not to the values.
    | width => np.sqrt(values.shape[-1])
""",
        FAIL,
        SECTIONS,
    ),
    *only(SCALE_MISTAKES, "never-scaled", "divided-by-d_k", "multiplied", "root-n_keys"),
    *only(
        match_mistakes(),
        "swapped",
        "all-axes-reversed",
        "three-axes-only",
        "not-transposed",
        "transposed-to-the-old-order",
        "two-axes-transposed",
    ),
)

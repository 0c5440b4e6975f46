"""Mistakes in hiding keys: masks turned round, applied too late, or to the wrong axis."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.slips.matching import match_mistakes
from helpers.exercises.slips.mixing import mixing_mistakes, role_mistakes
from helpers.exercises.slips.scaling import scale_mistakes
from helpers.exercises.slips.sharing import AXIS, SHIFT, WEIGHTS, axis_mistakes, shift_mistakes
from helpers.masking import Mask, causal_mask
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


def _as_they_are(scores: Array, _mask: Mask) -> Array:
    return scores


def fill(number: float) -> Step:
    return lambda scores, mask: np.where(mask, scores, number)


def _add(number: float) -> Step:
    return lambda scores, mask: scores + np.where(mask, 0.0, number)


def _added_log(least: float) -> Step:
    return lambda scores, mask: scores + np.log(mask + least)


def _the_other_way(scores: Array, mask: Mask) -> Array:
    return np.where(mask, -np.inf, scores)


def _added_the_other_way(scores: Array, mask: Mask) -> Array:
    return np.where(mask, -np.inf, 0.0) + scores


def _with_causal(scores: Array, mask: Mask) -> Array:
    return np.where(mask & causal_mask(*scores.shape[-2:]), scores, -np.inf)


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


def _zero_weights(weights: Array, mask: Mask) -> Array:
    return weights * mask


def hide_mistakes(softmaxes: Sequence[Step]) -> tuple[Mistake, ...]:
    """The wrong ways to hide a key, for recipes with the choices hide, share and weigh.

    `softmaxes` are the ways in which the learner may take softmax: nan is an error for one of them.
    """
    score_0 = "A score of 0 is not a weight of 0: softmax gives it e⁰ / the sum. −∞ is what becomes 0."
    choose = "Choose instead of calculating: np.where(mask, scores, -np.inf)."

    def each(hide: Step) -> list[dict[str, Any]]:
        return [{"hide": hide, "share": share} for share in softmaxes]

    return (
        Mistake(
            "inverted",
            "the mask was read the other way round: the allowed keys were hidden",
            f"{ATTEND} −∞ belongs where the mask is False.",
            POLARITY,
            also=[
                {"hide": _added_the_other_way},
                *each(_the_other_way)[1:],
                *each(_added_the_other_way)[1:],
                {"hide": lambda scores, mask: np.where(mask, -1e9, scores)},
                {"hide": lambda scores, mask: scores + np.where(mask, -1e9, 0.0)},
            ],
            hide=_the_other_way,
            share=softmaxes[0],
        ),
        Mistake(
            "mask-ignored",
            "the mask changed nothing: every key got its weight",
            "The forbidden scores should become −∞, before softmax.",
            INFINITY,
            hide=_as_they_are,
        ),
        Mistake(
            "weights-zeroed",
            "the weights were set to 0 after softmax, and the rest was left as it was",
            "Then a row no longer sums to 1: the forbidden keys have taken their share and given it to "
            "nobody. Hide the scores before softmax.",
            FAIL,
            hide=_as_they_are,
            weigh=_zero_weights,
        ),
        Mistake(
            "score-0",
            "the forbidden scores became 0",
            score_0,
            FAIL,
            also=[{"hide": lambda scores, mask: scores * mask}],
            hide=fill(0.0),
        ),
        Mistake(
            "mask-added",
            "the mask was added as 0 and 1",
            "That favours the allowed keys by a factor of e, and hides nothing. Add 0 and −∞, or choose with "
            "np.where.",
            FAIL,
            also=[{"hide": lambda scores, mask: scores - 1 + mask}],
            hide=lambda scores, mask: scores + mask,
        ),
        Mistake(
            "zero-times-infinity",
            "0 was multiplied by −∞, which is nan",
            f"0 · ∞ is no number, so that the allowed scores are lost. {choose}",
            INFINITY,
            also=[
                *each(zero_times_infinity)[1:],
                *each(lambda scores, mask: scores + mask * -np.inf),
                *each(lambda scores, mask: scores + (mask - 1) * -np.inf),
            ],
            hide=zero_times_infinity,
            share=softmaxes[0],
        ),
        Mistake(
            "times-infinity",
            "the scores were multiplied by −∞",
            f"A negative score times −∞ is +∞, and 0 times −∞ is nan. {choose}",
            INFINITY,
            also=[
                *each(lambda scores, mask: scores * np.where(mask, 1.0, -np.inf))[1:],
                *each(lambda scores, mask: scores * np.where(mask, 0.0, -np.inf)),
            ],
            hide=lambda scores, mask: scores * np.where(mask, 1.0, -np.inf),
            share=softmaxes[0],
        ),
        Mistake(
            "plus-infinity",
            "the forbidden scores became +∞",
            "The largest score gets the most weight. It is e^−∞ that is 0: −np.inf.",
            INFINITY,
            also=each(fill(np.inf))[1:],
            hide=fill(np.inf),
            share=softmaxes[0],
        ),
        Mistake(
            "minus-a-little",
            "the forbidden scores became a negative number that is not low enough",
            "Then they keep some weight, and where all other scores are lower they get all of it. −∞ is "
            "lower than any score.",
            INFINITY,
            also=[{"hide": fill(number)} for number in (-2.0, -5.0, -9.0, -10.0, -99.0, -100.0, -999.0, -1e3)]
            + [{"hide": _add(number)} for number in (-2.0, -5.0, -10.0)],
            hide=fill(-1.0),
        ),
        Mistake(
            "smallest-score",
            "the forbidden scores became as small as the smallest one",
            "The smallest score still gets some weight. −∞ gets none.",
            INFINITY,
            also=[{"hide": lambda scores, mask: np.where(mask, scores, scores.min())}],
            hide=lambda scores, mask: np.where(mask, scores, scores.min(axis=-1, keepdims=True)),
        ),
        Mistake(
            "infinity-after-softmax",
            "−∞ was put among the weights, after softmax",
            "It is e^−∞ that is 0: −∞ belongs into the scores, before softmax.",
            INFINITY,
            hide=_as_they_are,
            weigh=lambda weights, mask: np.where(mask, weights, -np.inf),
        ),
        Mistake(
            "scores-forgotten",
            "the allowed keys got equal weights: their scores were lost",
            "The mask only removes keys. Among those that are left, the scores decide.",
            INFINITY,
            also=[
                {
                    "hide": _as_they_are,
                    "weigh": lambda w, m: (
                        (w * 0 + m) / np.maximum((w * 0 + m).sum(axis=-1, keepdims=True), 1)
                    ),
                },
            ],
            hide=lambda scores, mask: scores * 0 + np.where(mask, 0.0, -np.inf),
        ),
        Mistake(
            "mask-as-index",
            "the mask was used as an index, which works only where it has the shape of the scores",
            "A mask may have fewer axes than the scores, or axes of length 1. np.where broadcasts it: "
            "np.where(mask, scores, -np.inf).",
            INFINITY,
            also=[{"hide": index_zero}, {"hide": _index_last_axes}],
            hide=index,
        ),
        Mistake(
            "mask-transposed",
            "the mask was transposed",
            "Rows of the mask are queries and columns are keys, as in the scores: it fits as it is.",
            TURNED,
            also=[{"hide": lambda scores, mask: np.where(np.swapaxes(mask, -1, -2), scores, -np.inf)}],
            hide=lambda scores, mask: np.where(mask.T, scores, -np.inf),
        ),
        Mistake(
            "own-causal-mask",
            "a causal mask was used in place of the mask that was given",
            "The function gets its mask as an argument; it may hide the future, padding, or anything else.",
            POLARITY,
            also=[
                {
                    "hide": lambda scores, mask: np.where(
                        causal_mask(scores.shape[-2], scores.shape[-1]), scores, -np.inf
                    )
                }
            ],
            hide=lambda scores, mask: np.where(np.tri(*scores.shape[-2:]) == 1, scores, -np.inf),
        ),
        Mistake(
            "over-queries",
            "softmax ran over the queries",
            "One distribution for each query: the weights of a row, over the keys, sum to 1. Keys are the "
            "last axis, −1.",
            AXIS,
            also=[{"share": lambda scores: softmax(scores, axis=-2)}],
            share=lambda scores: own_softmax(scores, axis=-2),
        ),
        Mistake(
            "no-softmax",
            "softmax was left out",
            "Weights are shares: the exponential of each score, divided by the sum of its row.",
            WEIGHTS,
            share=lambda scores: scores,
        ),
        Mistake(
            "no-row-max",
            "the largest score was not subtracted first",
            "e^1000 is larger than any float64, and e^−1000 is 0. Their shares, ∞/∞ and 0/0, are nan. "
            "Softmax ignores a shift, so subtract the largest score of each row.",
            SHIFT,
            also=[{"share": lambda scores: np.nan_to_num(_unshifted(scores))}],
            share=_unshifted_but_guarded,
        ),
        Mistake(
            "not-divided",
            "the exponentials were not divided by their sum",
            "Weights are shares: each exponential is divided by the sum of its row.",
            WEIGHTS,
            also=[{"share": lambda scores: np.exp(scores - scores.max(axis=-1, keepdims=True))}],
            share=np.exp,
        ),
    )


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


def _shifted_then_hidden(scores: Array, mask: Mask) -> Array:
    return np.where(mask, scores - scores.max(), -np.inf)


def _under_another_recipe(mistake: Mistake, *ways: dict[str, Any]) -> Mistake:
    """A mistake with its words, and other choices."""
    first, *also = ways
    return Mistake(mistake.name, mistake.says, mistake.idea, mistake.reread, also, **first)


def and_ways(mistakes: Sequence[Mistake], more: dict[str, Sequence[dict[str, Any]]]) -> tuple[Mistake, ...]:
    """The mistakes, some with more ways to write them."""
    return tuple(
        _under_another_recipe(mistake, *mistake.ways, *more.get(mistake.name, ())) for mistake in mistakes
    )


LITTLE = (-20.0, -30.0, -50.0, -100.0, -500.0, -999.0, -1000.0)

MORE_WAYS: dict[str, Sequence[dict[str, Any]]] = {  # to be told apart, these need the two probes that follow
    "minus-a-little": [
        *({"hide": _add(number)} for number in LITTLE),
        *({"hide": _add(number), "weigh": _zero_without_key} for number in LITTLE),
        *({"hide": _added_log(number)} for number in (1e-6, 1e-9, 1e-10, 1e-12)),
    ],
    "no-row-max": [
        {"hide": _as_they_are, "share": np.exp, "weigh": weigh}
        for weigh in (
            _renormalised,
            _renormalised_and_guarded,
            _renormalised_unless_empty,
            _renormalised_unless_zero,
        )
    ],
    "scores-forgotten": [
        {"hide": lambda scores, mask: np.where(mask, 0.0, -np.inf), "share": share}
        for share in (softmax, own_softmax)
    ],
}


def late_and_whole_mistakes() -> tuple[Mistake, ...]:
    """Masks that come too late, and largest scores of the wrong rows."""
    over = {mistake.name: mistake for mistake in (*axis_mistakes(), *shift_mistakes())}
    guards: tuple[Step, ...] = (_renormalised, _renormalised_and_guarded, _renormalised_unless_empty)
    return (
        Mistake(
            "renormalised",
            "the mask came after the exponentials, and what was left of each row was divided by its new sum",
            "That is right until a hidden score lies far above the others: it takes the whole weight, all "
            "other weights are 0, and 0/0 is left, whatever is put in its place. Mask the scores first, then "
            "take softmax.",
            FAIL,
            also=[{"hide": _as_they_are, "weigh": weigh} for weigh in guards[1:]],
            hide=_as_they_are,
            weigh=_renormalised,
        ),
        _under_another_recipe(
            over["whole-max"],
            {"share": _whole_max_softmax},
            {"share": lambda scores: np.nan_to_num(_whole_max_softmax(scores))},
            {"hide": _shifted_then_hidden, "share": lambda scores: np.nan_to_num(_unshifted(scores))},
            {"hide": _shifted_then_hidden, "share": _unshifted},
            {"hide": _shifted_then_hidden, "share": _unshifted, "weigh": _zero_without_key},
            {"share": _whole_max_softmax, "weigh": _zero_without_key},
        ),
        _under_another_recipe(
            over["axis-0"],
            {"share": lambda scores: own_softmax(scores, axis=0)},
            {"share": lambda scores: softmax(scores, axis=0)},
        ),
        _under_another_recipe(
            over["axis-1"],
            {"share": lambda scores: own_softmax(scores, axis=1)},
            {"share": lambda scores: softmax(scores, axis=1)},
        ),
    )


def given_mask_mistakes() -> tuple[Mistake, ...]:
    """More that people do with a mask that is handed to them."""
    return (
        Mistake(
            "causal-mask-too",
            "a causal mask was laid over the mask that was given",
            "That is one step too many: the future is hidden only where the mask that is given hides it.",
            POLARITY,
            also=[{"hide": _with_causal, "share": own_softmax}],
            hide=_with_causal,
        ),
        Mistake(
            "mask-flattens",
            "the scores were indexed by the mask, which gives one flat list of the open ones, without rows",
            "Rows would have different lengths, so that NumPy makes no table of them. Keep all scores, and "
            "put −∞ in the forbidden places: np.where(mask, scores, -np.inf).",
            INFINITY,
            also=[{"hide": lambda scores, mask: scores[mask], "share": own_softmax}],
            hide=lambda scores, mask: scores[mask],
        ),
    )


def _nan_without_key(weights: Array, mask: Mask) -> Array:
    return np.where(mask.any(axis=-1, keepdims=True), weights, np.nan)


def _values_all_may_read(values: Array, scores: Array, mask: Mask) -> Array:
    return values * np.swapaxes(np.all(mask & (scores == scores), axis=-2, keepdims=True), -1, -2)


def _values_some_may_read(values: Array, scores: Array, mask: Mask) -> Array:
    return values * np.swapaxes(np.any(mask & (scores == scores), axis=-2, keepdims=True), -1, -2)


def _equal_without_key(weights: Array, mask: Mask) -> Array:
    return np.where(mask.any(axis=-1, keepdims=True), weights, 1 / weights.shape[-1])


MASKED_MISTAKES = (
    *and_ways(hide_mistakes([softmax, own_softmax]), MORE_WAYS),
    *late_and_whole_mistakes(),
    *given_mask_mistakes(),
    Mistake(
        "minus-a-billion",
        "a query with no key got a mean of values that it may not read",
        "It should get zeros. A very low number in place of −∞, −1e9 say, does this: it hides a key as "
        "long as another one is open. With none open the low numbers are compared with one another, and "
        "softmax shares 1 among forbidden keys.",
        NO_KEY,
        also=[
            *({"hide": fill(number)} for number in (-1e4, -1e5, -1e6, -1e12, -1e30)),
            *({"hide": _add(number)} for number in (-1e9, -1e4, -1e5, -1e6, -1e8)),
            {"weigh": _equal_without_key},
            {"hide": lambda scores, mask: np.where(mask, scores, np.finfo(scores.dtype).min)},
        ],
        hide=fill(-1e9),
    ),
    Mistake(
        "no-key-nan",
        "a query with no key got nan: 0 was divided by 0, or −∞ taken from −∞",
        "Decide what such a query gets, here zeros, and guard the division. The helper `softmax` does so.",
        NO_KEY,
        also=[{"share": own_softmax}],
        weigh=_nan_without_key,
    ),
    *only(mixing_mistakes(), "weights-returned", "weights-turned", "averaged", "hard-lookup"),
    *only(role_mistakes(), "keys-mixed", "queries-mixed"),
    Mistake(
        "values-zeroed",
        "the values of hidden keys became 0, and not their weights",
        "Then hidden keys still take their share of the weight. And a key may be hidden from one query "
        "and open to another: a value belongs to all queries. Mask the scores.",
        FAIL,
        also=[
            {"hide": _as_they_are, "carry": _values_all_may_read},
            {"hide": _as_they_are, "carry": _values_some_may_read},
        ],
        hide=_as_they_are,
        carry=lambda values, scores, mask: np.where(np.swapaxes(mask, -1, -2), values, 0),
    ),
    Mistake(
        "added-to-the-input",
        "the output was added to what went in",
        "That is one step too many: a whole layer of a model does so, after attention. Here the output "
        "is weights @ values, and no more.",
        INFINITY,
        also=[
            {"mix": lambda weights, queries, keys, values: queries + weights @ values},
            {"mix": lambda weights, queries, keys, values: values + weights @ values},
        ],
        mix=lambda weights, queries, keys, values: values[..., : queries.shape[-2], :] + weights @ values,
    ),
    Mistake(
        "root-d_v",
        "the scores were divided by √d_v",
        "The scale belongs to the match of queries with keys, which are d_k long, not to the values.",
        "04: Queries, keys and values",
        width=lambda values: np.sqrt(values.shape[-1]),
    ),
    *only(scale_mistakes(), "never-scaled", "divided-by-d_k", "multiplied", "root-n_keys"),
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

"""Exercises of lesson 05: how do we hide the future, and the padding?"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from helpers.exercises.diagnosis import Mistake
from helpers.exercises.feedback import section
from helpers.exercises.kinds import Choose, Mend, Open, Predict, Property, Slip, Write
from helpers.exercises.lesson_01 import match_mistakes
from helpers.exercises.lesson_02 import NONE_BELOW_0, ROWS_SUM_TO_1, scale_mistakes
from helpers.exercises.lesson_03 import AXIS, SHIFT, WEIGHTS, axis_mistakes, shift_mistakes
from helpers.exercises.lesson_04 import mixing_mistakes, role_mistakes
from helpers.exercises.probes import Probe, exact, numbers, sequences
from helpers.masking import Mask, causal_mask, mask_scores, padding_mask
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array

INFINITY = "05: Minus infinity before softmax"
FAIL = "05: Two ways that fail"
TURNED = "05: Rows and columns"
PADDING = "05: Padding"
POLARITY = "05: True means may attend"
NO_KEY = "05: A query with no key"
LEAK = "05: The leak test"

Step = Callable[..., Any]
ATTEND = "True = may attend."

# --- predict-mask ------------------------------------------------------------------------------------

PREDICT_MASK = Predict(
    name="predict-mask",
    task="Equal scores and a causal mask: the weight of query 2 on key 0.",
    answer=1 / 3,
    because="Query 2 may attend to the keys 0, 1 and 2: The, cat, and itself. Equal scores share 1 among "
    "three.",
    slips=(
        Slip("no-mask", 1 / 6, "1/6 is the weight without a mask. The mask hides mat, the and on from sat."),
        Slip(
            "itself-left-out",
            1 / 2,
            "1/2 is for two keys. A token may attend to itself as well: keys 0, 1 and 2 are open.",
        ),
        Slip(
            "one-step-ahead",
            1 / 4,
            "1/4 is for four keys. Key 3 is a later token than query 2, and hidden. (Counted from 0, query 2 "
            "is the third token.)",
        ),
        Slip(
            "other-triangle",
            0.0,
            "0 would be right if the past were hidden. *The* stands before *sat*, so that *sat* may attend "
            "to it.",
        ),
        Slip("everything", 1.0, "1 is the whole row: all weights of a query sum to 1. Three keys share it."),
        Slip("count", 3.0, "3 is the number of keys that are open. A weight is a share of 1 among them."),
        Slip(
            "percent",
            100 / 3,
            "As a percentage this is right. As a share, with all weights summing to 1, it is 1/3.",
        ),
        Slip(
            "one-fifth",
            1 / 5,
            "1/5 is for five keys. Which of the six tokens stand at or before *sat*?",
        ),
    ),
    hints=(
        "How many keys may the third token attend to? It may attend to itself.",
        "Equal scores give equal weights, and these sum to 1 over the keys that are open.",
    ),
    reread=INFINITY,
)

# --- causal-mask -------------------------------------------------------------------------------------


def _lower_right(n_queries: int, n_keys: int) -> int:
    return n_keys - n_queries


def _asked_shape(n_queries: int, n_keys: int) -> tuple[int, int]:
    return n_queries, n_keys


def _not_later(keys: Array, queries: Array) -> Mask:
    return keys <= queries


def _unchanged(mask: Mask) -> Any:
    return mask


def _mask_by_choices(
    n_queries: int, n_keys: int, *, offset: Step = _lower_right, shape: Step = _asked_shape, step: int = 0,
    compare: Step = _not_later, polarity: Step = _unchanged, form: Step = _unchanged,
) -> Any:  # fmt: skip
    rows, columns = shape(n_queries, n_keys)
    positions = np.arange(rows)[:, None] + offset(n_queries, n_keys) + step
    return form(polarity(compare(np.arange(columns), positions)))


def _to_add(mask: Mask) -> Array:
    return np.where(mask, 0.0, -np.inf)


def _last_query_sees_all(inputs: Any, mask: Array, _call: Any) -> str:
    if mask.shape != (inputs["n_queries"], inputs["n_keys"]) or mask[-1].all():
        return ""
    row = " ".join(str(bool(entry)) for entry in mask[-1])
    last = f"The last query, {len(mask) - 1}, belongs to the last token, so that it may attend to every key"
    return f"{last}; its row in your mask is {row}."


CAUSAL_MASK = Write(
    name="causal-mask",
    task="True where a query may attend to a key; the queries are the last tokens.",
    call="my_causal_mask(n_queries, n_keys)",
    right=causal_mask,
    recipe=_mask_by_choices,
    probes=tuple(
        Probe(kind, {"n_queries": n_queries, "n_keys": n_keys})
        for kind, n_queries, n_keys in (
            ("the last two of three tokens", 2, 3),
            ("as many queries as keys", 3, 3),
            ("as many queries as keys", 6, 6),
            ("one new token", 1, 5),
            ("the last few tokens", 3, 8),
            ("the last few tokens", 4, 5),
            ("one token alone", 1, 1),
        )
    ),
    properties=(Property("last query", "the last query may attend to every key", _last_query_sees_all),),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "upper-left",
            "the triangle starts in the upper left corner: the queries were taken for the first tokens",
            "They are the last n_queries tokens. Query 0 stands at position n_keys − n_queries, and sees all "
            "before it: the triangle is aligned to the lower right.",
            INFINITY,
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "offset-turned",
            "the triangle was moved to the wrong side",
            "Query 0 stands at position n_keys − n_queries, which is 0 or more: it sees more keys, not "
            "fewer.",
            INFINITY,
            offset=lambda n_queries, n_keys: n_queries - n_keys,
        ),
        Mistake(
            "one-step-ahead",
            "each query sees one token too many, the next one",
            "The diagonal is the last that is seen: a token may attend to itself and to what came before.",
            INFINITY,
            step=1,
        ),
        Mistake(
            "two-steps-ahead",
            "each query sees the two tokens after it",
            "The diagonal is the last that is seen: a token may attend to itself and to what came before.",
            INFINITY,
            step=2,
        ),
        Mistake(
            "own-token-hidden",
            "each query misses its own token",
            "A token may attend to itself: the diagonal is True. Otherwise the first token would have no "
            "key.",
            INFINITY,
            step=-1,
        ),
        Mistake(
            "other-triangle",
            "the other triangle is True: each query sees itself and the future",
            "Rows are queries. A query may attend to the keys at its left: the lower triangle is True.",
            TURNED,
            compare=lambda keys, queries: keys >= queries,
        ),
        Mistake(
            "own-token-only",
            "each query sees its own token only",
            "A token may attend to itself and to all tokens before it.",
            INFINITY,
            compare=lambda keys, queries: keys == queries,
        ),
        Mistake(
            "one-token-back-only",
            "each query sees its own token and the one before, and no further",
            "A token may attend to itself and to *all* tokens before it.",
            INFINITY,
            compare=lambda keys, queries: (keys == queries) | (keys == queries - 1),
        ),
        Mistake(
            "everything-open",
            "every query sees every key",
            "That hides nothing. Only the last query may attend to every key.",
            INFINITY,
            compare=lambda keys, queries: keys + 0 * queries >= 0,
        ),
        Mistake(
            "everything-hidden",
            "no query sees any key",
            "Start from an array of False, and set True what may be attended to. Is it ever set?",
            INFINITY,
            compare=lambda keys, queries: keys + 0 * queries < 0,
        ),
        Mistake(
            "inverted",
            "True and False changed places: the future is True",
            f"{ATTEND} Some programs mark what is hidden; here it is False.",
            POLARITY,
            polarity=np.logical_not,
        ),
        Mistake(
            "square-of-queries",
            "the mask has as many columns as queries",
            "Each query meets every key: there is a column for each of the n_keys tokens.",
            INFINITY,
            shape=lambda n_queries, n_keys: (n_queries, n_queries),
            also=[{"shape": lambda n_queries, n_keys: (n_queries, n_queries), "offset": lambda q, k: 0}],
        ),
        Mistake(
            "square-of-keys",
            "the mask has a row for every token",
            "Only the last n_queries tokens are queries, and each row belongs to a query.",
            INFINITY,
            shape=lambda n_queries, n_keys: (n_keys, n_keys),
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "transposed",
            "the mask is turned: its columns belong to queries",
            "Rows are queries, columns are keys: the shape is (n_queries, n_keys).",
            TURNED,
            form=np.transpose,
        ),
        Mistake(
            "sizes-swapped",
            "the two sizes changed places: the mask has a row for each key and a column for each query",
            "Rows are queries, so that n_queries comes first: np.tri(n_queries, n_keys, …). And of a square "
            "[-n_queries:] takes the last rows.",
            TURNED,
            also=[
                {
                    "shape": lambda n_queries, n_keys: (n_keys, n_queries),
                    "offset": lambda n_queries, n_keys: 0,
                    "form": _unchanged,
                    "compare": _not_later,
                },
                {
                    "shape": lambda n_queries, n_keys: (n_keys, n_queries),
                    "offset": lambda n_queries, n_keys: n_queries - n_keys,
                    "form": _unchanged,
                    "compare": _not_later,
                },
            ],
            shape=lambda n_queries, n_keys: (n_keys, n_queries),
            form=_unchanged,  # no pairs with mistakes that turn it as well
            compare=_not_later,
        ),
        Mistake(
            "to-be-added",
            "the result holds 0 and −∞, to be added to the scores",
            f"That is the next step. The mask itself says who may attend: {ATTEND}",
            INFINITY,
            also=[
                {"form": lambda mask: np.where(mask, 0.0, -1e9)},
                {"form": lambda mask: np.where(mask, 1.0, -np.inf)},
            ],
            form=_to_add,
        ),
        Mistake(
            "nan-on-the-way",
            "0 was multiplied by −∞, which is nan",
            f"Choose with np.where in place of multiplying. And the mask itself holds no −∞: {ATTEND}",
            INFINITY,
            form=lambda mask: (1 - mask) * -np.inf,
        ),
    ),
    hints=(
        "Number the keys 0, 1, 2, … At which positions do the queries stand, if the last query is the last "
        "token?",
        "Query i stands at position i + n_keys − n_queries, and may attend to keys up to that position.",
        "Compare np.arange(n_keys), a row, with the positions as a column: [:, None] makes one.",
    ),
    explain="A key is open where its position is not later than that of the query. np.tri(n_queries, n_keys, "
    "n_keys - n_queries) == 1 gives the same.",
    reread=INFINITY,
)

# --- hiding: masked-attention and infinity-bug -------------------------------------------------------


def _only(mistakes: Sequence[Mistake], *names: str) -> tuple[Mistake, ...]:
    """The mistakes of these names, in this order."""
    by_name = {mistake.name: mistake for mistake in mistakes}
    return tuple(by_name[name] for name in names)


def _by_root_d_k(scores: Array, queries: Array, keys: Array) -> Array:
    return scale_scores(scores, queries.shape[-1])


def own_softmax(scores: Array, axis: int = -1) -> Array:
    """Softmax as learners write it: nan where a row is all −inf."""
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _unshifted(scores: Array) -> Array:
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def _unshifted_but_guarded(scores: Array) -> Array:
    return np.where(np.isneginf(scores).all(axis=-1, keepdims=True), 0.0, _unshifted(scores))


def _minus_infinity(scores: Array, mask: Mask) -> Array:
    return np.where(mask, scores, -np.inf)


def _as_they_are(scores: Array, _mask: Mask) -> Array:
    return scores


def _fill(number: float) -> Step:
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


def _zero_times_infinity(scores: Array, mask: Mask) -> Array:
    return scores + (1 - mask) * -np.inf


def _index(scores: Array, mask: Mask) -> Array:
    hidden = scores.copy()
    hidden[~mask] = -np.inf
    return hidden


def _index_last_axes(scores: Array, mask: Mask) -> Array:
    hidden = scores.copy()
    hidden[..., ~mask] = -np.inf
    return hidden


def _index_zero(scores: Array, mask: Mask) -> Array:
    hidden = scores.copy()
    hidden[mask == 0] = -np.inf
    return hidden


def _keep(weights: Array, _mask: Mask) -> Array:
    return weights


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
            hide=_fill(0.0),
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
                *each(_zero_times_infinity)[1:],
                *each(lambda scores, mask: scores + mask * -np.inf),
                *each(lambda scores, mask: scores + (mask - 1) * -np.inf),
            ],
            hide=_zero_times_infinity,
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
            also=each(_fill(np.inf))[1:],
            hide=_fill(np.inf),
            share=softmaxes[0],
        ),
        Mistake(
            "minus-a-little",
            "the forbidden scores became a negative number that is not low enough",
            "Then they keep some weight, and where all other scores are lower they get all of it. −∞ is "
            "lower than any score.",
            INFINITY,
            also=[
                {"hide": _fill(number)} for number in (-2.0, -5.0, -9.0, -10.0, -99.0, -100.0, -999.0, -1e3)
            ]
            + [{"hide": _add(number)} for number in (-2.0, -5.0, -10.0)],
            hide=_fill(-1.0),
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
            also=[{"hide": _index_zero}, {"hide": _index_last_axes}],
            hide=_index,
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


def _and_ways(mistakes: Sequence[Mistake], more: dict[str, Sequence[dict[str, Any]]]) -> tuple[Mistake, ...]:
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


def _hidden_weights(inputs: Any, weights: Array, _call: Any) -> str:
    shape = np.shape(inputs["scores"])
    if weights.shape != shape:
        return ""
    found = weights[~np.broadcast_to(inputs["mask"], shape) & ~(abs(np.nan_to_num(weights)) <= 1e-6)]
    return f"A key that is hidden got weight {found[0]:.2g}; it should get 0." if found.size else ""


def masked_weights(scores: Array, mask: Mask) -> Array:
    """(..., n_queries, n_keys), a mask that broadcasts to it -> weights of the same shape."""
    return softmax(mask_scores(scores, mask))


def _masked_weights_by_choices(
    scores: Array, mask: Mask, *, hide: Step = _minus_infinity, share: Step = softmax, weigh: Step = _keep
) -> Array:
    return weigh(share(hide(scores, mask)), mask)


def _pattern(*shape: int, start: int) -> Mask:
    """A mask without a visible rule, in which every row has an open key (its number modulo n_keys)."""
    mask = numbers(*shape, start=start) > -0.3
    rows, columns = shape[-2:]
    mask[..., np.arange(rows), np.arange(rows) % columns] = True
    mask[..., np.arange(rows), (np.arange(rows) + 2) % columns] = False
    return mask


APART = np.array([0.0, 100.0, -150.0, 50.0, 20.0])  # times 20, then divided by √d_k: the level of each row
FAR_ABOVE = "one hidden score 1,100 above the others"
ROWS_APART = "rows whose scores lie far apart"


def _with_a_loud_key(scores: Array, key: int) -> Array:
    """The same scores with one key far above the others: a mask that hides it must hide it altogether."""
    scores = scores.copy()
    scores[..., key] += 1100
    return scores


def _hiding(mask: Mask, key: int) -> Mask:
    mask = mask.copy()
    mask[..., key] = False
    return mask


SMALL_MASK = np.array([[True, True, False], [False, True, True]])
PADDING_PROBE = padding_mask([4, 6], 7)

INFINITY_BUG = Mend(
    name="infinity-bug",
    task="A mask that turns every weight into nan.",
    given="zero-times-infinity",
    symptom="look at `(1 - mask) * -np.inf` alone, for a mask of one True and one False. Which of the two "
    "becomes nan, and what is 0 · ∞?",
    call="my_masked_weights(scores, mask)",
    right=masked_weights,
    recipe=_masked_weights_by_choices,
    probes=(
        Probe(
            "one sentence",
            {"scores": np.array([[2.0, 1.0, 0.5], [0.25, -1.0, 1.5]]), "mask": SMALL_MASK},
        ),
        Probe("another sentence", {"scores": numbers(5, 7, start=31), "mask": _pattern(5, 7, start=90)}),
        Probe(
            "float32",
            {"scores": numbers(4, 6, start=3, dtype=np.float32), "mask": _pattern(4, 6, start=14)},
        ),
        Probe(
            "a batch of 2 sentences, one mask for both",
            {"scores": numbers(2, 5, 7, start=40), "mask": _pattern(5, 7, start=50)},
        ),
        Probe(
            "a batch of 2 sentences with padding",
            {"scores": numbers(2, 5, 7, start=60), "mask": PADDING_PROBE},
        ),
        Probe(
            "a batch of 2 sentences with 3 heads and padding",
            {"scores": numbers(2, 3, 5, 7, start=200), "mask": PADDING_PROBE[:, None]},
        ),
        Probe("nothing hidden", {"scores": numbers(3, 5, start=7), "mask": np.ones((3, 5), dtype=bool)}),
        Probe(
            "scores around 1,000",
            {"scores": 1000 + numbers(4, 5, start=8), "mask": _pattern(4, 5, start=77)},
            True,
        ),
        Probe(
            "scores around −1,500",
            {"scores": -1500 + numbers(4, 5, start=18), "mask": _pattern(4, 5, start=78)},
            True,
        ),
        Probe(
            FAR_ABOVE,
            {
                "scores": _with_a_loud_key(numbers(4, 6, start=28), 4),
                "mask": _hiding(_pattern(4, 6, start=79), 4),
            },
            True,
        ),
        Probe(
            ROWS_APART,
            {"scores": numbers(5, 6, start=38) + 10 * APART[:, None], "mask": _pattern(5, 6, start=82)},
            True,
        ),
    ),
    properties=(
        ROWS_SUM_TO_1,
        NONE_BELOW_0,
        Property("hidden keys", "a hidden key gets no weight", _hidden_weights),
    ),
    axes=("query", "key"),
    mistakes=(
        *_and_ways(hide_mistakes([own_softmax, softmax]), MORE_WAYS),
        *late_and_whole_mistakes(),
        *given_mask_mistakes(),
        Mistake(
            "nan-painted-over",
            "nan was replaced by 0 among the weights",
            "Every weight was nan, so that all are 0 now. Find the step that makes the nan: 0 · ∞.",
            INFINITY,
            also=[{"hide": _zero_times_infinity, "share": lambda s: np.nan_to_num(own_softmax(s), nan=1.0)}],
            hide=_zero_times_infinity,
            share=lambda scores: np.nan_to_num(own_softmax(scores)),
        ),
    ),
    hints=(
        "Print (1 - mask) * -np.inf for a small mask. Where is nan, where −∞?",
        "What is 0 · ∞? No product can give 0 for allowed keys and −∞ for forbidden ones: choose.",
        "np.where(condition, a, b) takes a where the condition is True, and b elsewhere.",
    ),
    explain="np.where(mask, scores, -np.inf) chooses, and calculates nothing: no 0 · ∞. The helpers "
    "mask_scores and softmax together do the same, and also give zero weights where a query may attend to "
    "nothing.",
    reread=INFINITY,
)

# --- masked-attention --------------------------------------------------------------------------------


def masked_attention(queries: Array, keys: Array, values: Array, mask: Mask) -> Array:
    """Queries, keys, values, a mask -> output (..., n_queries, d_v); zeros where a query has no key."""
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(mask_scores(scores, mask)) @ values


def _mixed(weights: Array, queries: Array, keys: Array, values: Array) -> Array:
    return weights @ values


def _in_order(queries: Array, keys: Array, values: Array) -> tuple[Array, Array, Array]:
    return queries, keys, values


def _attention_by_choices(
    queries: Array, keys: Array, values: Array, mask: Mask, *, roles: Step = _in_order,
    match: Step = dot_product_scores, scale: Step = _by_root_d_k, width: Step | None = None,
    hide: Step = _minus_infinity, share: Step = softmax, weigh: Step = _keep, mix: Step = _mixed,
    carry: Step | None = None,
) -> Array:  # fmt: skip
    asking, answering, carrying = roles(queries, keys, values)
    scores = match(asking, answering)
    scores = scale(scores, asking, answering) if width is None else scores / width(values)
    carrying = carry(carrying, scores, mask) if carry else carrying
    return mix(weigh(share(hide(scores, mask)), mask), asking, answering, carrying)


def _nan_without_key(weights: Array, mask: Mask) -> Array:
    return np.where(mask.any(axis=-1, keepdims=True), weights, np.nan)


def _values_all_may_read(values: Array, scores: Array, mask: Mask) -> Array:
    return values * np.swapaxes(np.all(mask & (scores == scores), axis=-2, keepdims=True), -1, -2)


def _values_some_may_read(values: Array, scores: Array, mask: Mask) -> Array:
    return values * np.swapaxes(np.any(mask & (scores == scores), axis=-2, keepdims=True), -1, -2)


def _equal_without_key(weights: Array, mask: Mask) -> Array:
    return np.where(mask.any(axis=-1, keepdims=True), weights, 1 / weights.shape[-1])


def _forbidden_value_moves(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, mask = (inputs[name] for name in ("queries", "keys", "values", "mask"))
    open_keys = np.broadcast_to(mask, (*output.shape[:-1], keys.shape[-2]))
    for *stack, query, key in np.argwhere(~open_keys)[:3].tolist():
        changed = values.copy()
        changed[(*stack, key)] += 1
        again = call(queries, keys, changed, mask)
        moved = (
            again is not None and again.shape == output.shape and abs(again - output)[(*stack, query)].max()
        )
        if moved > 1e-6:
            told = f"Changing the value of key {key} moves the output of query {query}"
            return f"{told}, which may not attend to it."
    return ""


def _empty_row_is_0(inputs: Any, output: Array, _call: Any) -> str:
    shape = (*output.shape[:-1], inputs["keys"].shape[-2])
    empty = ~np.broadcast_to(inputs["mask"], shape).any(axis=-1)
    if not empty.any() or not np.any(abs(output[empty]) > 1e-6):
        return ""
    return "A query that may attend to nothing should get an output of zeros."


def _attention_probe(
    kind: str,
    stack: tuple[int, ...],
    mask: Mask,
    hard: bool = False,
    start: int = 1,
    dtype: type = np.float64,
) -> Probe:
    inputs = sequences(*stack, d_k=4, start=start, dtype=dtype)
    values = numbers(*stack, 7, 6, start=start + 500, dtype=dtype)
    return Probe(kind, {**inputs, "values": values, "mask": mask}, hard)


def _large(first: float) -> dict[str, Array]:
    """Scaled scores that lie around 10 · first."""
    inputs = sequences(d_k=4, start=23)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = first, 20.0
    return {**inputs, "values": numbers(7, 6, start=600)}


def _one_loud_key(key: int) -> dict[str, Array]:
    """Scaled scores of which those of one key lie 1,100 above the others."""
    inputs = sequences(d_k=4, start=29)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = 10.0, 0.0
    inputs["keys"][key, 0] = 220.0
    return {**inputs, "values": numbers(7, 6, start=620)}


def _rows_apart() -> dict[str, Array]:
    """Scaled scores whose rows lie far apart."""
    inputs = sequences(d_k=4, start=31)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = APART, 20.0
    return {**inputs, "values": numbers(7, 6, start=640)}


EMPTY_ROW = _pattern(5, 7, start=90)
EMPTY_ROW[3] = False

MASKED_ATTENTION = Write(
    name="masked-attention",
    task="Attention with a mask that broadcasts; zeros for a query without a key.",
    call="my_masked_attention(queries, keys, values, mask)",
    right=masked_attention,
    recipe=_attention_by_choices,
    probes=(
        Probe(
            "one sentence",
            {
                "queries": np.array([[1.0, 0.0, 2.0, 1.0], [0.5, 3.0, 1.0, -1.0]]),
                "keys": np.array([[1.0, 1.0, 0.5, 0.0], [0.0, 1.0, 1.0, -0.5], [1.0, -1.0, 0.0, 2.0]]),
                "values": np.array(
                    [[1.0, 2.0, 0.0, 4.0, 1.0], [3.0, -1.0, 2.0, 0.0, 5.0], [-2.0, 6.0, 1.0, 3.0, 0.5]]
                ),
                "mask": SMALL_MASK,
            },
        ),
        _attention_probe("another sentence", (), _pattern(5, 7, start=12), start=40),
        _attention_probe("float32", (), _pattern(5, 7, start=70), start=90, dtype=np.float32),
        _attention_probe("a batch of 2 sentences, one mask for both", (2,), _pattern(5, 7, start=50)),
        _attention_probe("a batch of 2 sentences with padding", (2,), PADDING_PROBE, start=7),
        _attention_probe(
            "a batch of 2 sentences, each with a mask", (2,), _pattern(2, 5, 7, start=33), start=9
        ),
        _attention_probe(
            "a batch of 2 sentences with 3 heads and padding", (2, 3), PADDING_PROBE[:, None], start=11
        ),
        _attention_probe("nothing hidden", (), np.ones((5, 7), dtype=bool), start=15),
        _attention_probe("a query with no key", (), EMPTY_ROW, True, start=19),
        _attention_probe("a sentence of padding alone", (2,), padding_mask([5, 0], 7), True, start=21),
        Probe("scores around 1,000", {**_large(100.0), "mask": _pattern(5, 7, start=81)}, True),
        Probe("scores around −1,500", {**_large(-150.0), "mask": _pattern(5, 7, start=85)}, True),
        Probe(FAR_ABOVE, {**_one_loud_key(6), "mask": _hiding(_pattern(5, 7, start=86), 6)}, True),
        Probe(ROWS_APART, {**_rows_apart(), "mask": _pattern(5, 7, start=87)}, True),
    ),
    properties=(
        Property("empty row", "a query with no key gets zeros", _empty_row_is_0),
        Property("hidden values", "a hidden value moves nothing", _forbidden_value_moves),
    ),
    axes=("query", "entry"),
    mistakes=(
        *_and_ways(hide_mistakes([softmax, own_softmax]), MORE_WAYS),
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
                *({"hide": _fill(number)} for number in (-1e4, -1e5, -1e6, -1e12, -1e30)),
                *({"hide": _add(number)} for number in (-1e9, -1e4, -1e5, -1e6, -1e8)),
                {"weigh": _equal_without_key},
                {"hide": lambda scores, mask: np.where(mask, scores, np.finfo(scores.dtype).min)},
            ],
            hide=_fill(-1e9),
        ),
        Mistake(
            "no-key-nan",
            "a query with no key got nan: 0 was divided by 0, or −∞ taken from −∞",
            "Decide what such a query gets, here zeros, and guard the division. The helper `softmax` does "
            "so.",
            NO_KEY,
            also=[{"share": own_softmax}],
            weigh=_nan_without_key,
        ),
        *_only(mixing_mistakes(), "weights-returned", "weights-turned", "averaged", "hard-lookup"),
        *_only(role_mistakes(), "keys-mixed", "queries-mixed"),
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
        *_only(scale_mistakes(), "never-scaled", "divided-by-d_k", "multiplied", "root-n_keys"),
        *_only(
            match_mistakes(),
            "swapped",
            "all-axes-reversed",
            "three-axes-only",
            "not-transposed",
            "transposed-to-the-old-order",
            "two-axes-transposed",
        ),
    ),
    hints=(
        "Score, scale, mask, softmax, mix: the mask is the third of five steps.",
        "np.where(mask, scores, -np.inf) broadcasts the mask, and softmax turns −∞ into a weight of 0.",
        "The helper softmax gives zero weights where every score of a row is −∞. A softmax of your own has "
        "to guard against 0/0 there.",
    ),
    explain="The forbidden scores become −∞ before softmax. A query with no key gets zero weights from the "
    "helper softmax, hence zeros. The helper attention(queries, keys, values, mask) returns this output and "
    "the weights.",
    reread=INFINITY,
)

# --- padding-mask ------------------------------------------------------------------------------------


def _places(lengths: Array, n_keys: int) -> Array:
    return np.arange(n_keys)


def _real(places: Array, lengths: Array, n_keys: int) -> Mask:
    return places < lengths[:, None]


def _one_by_one(places: Array, lengths: Array, n_keys: int) -> Mask:
    return places < lengths


def _query_axis(mask: Mask) -> Any:
    return mask[:, None, :]


def _padding_by_choices(
    lengths: Array, n_keys: int, *, width: Step = _places, real: Step = _real, polarity: Step = _unchanged,
    shape: Step = _query_axis, form: Step = _unchanged,
) -> Any:  # fmt: skip
    return form(shape(polarity(real(width(lengths, n_keys), lengths, n_keys))))


def _cut_from_the_end(places: Array, lengths: Array, n_keys: int) -> Mask:
    """The last n_keys − length entries of each row set to False; −0 is 0, and the whole row goes."""
    mask = np.ones((len(lengths), places.size), dtype=bool)
    for row, length in zip(mask, lengths, strict=True):
        row[-(n_keys - length) :] = False
    return mask


PADDING_MASK = Write(
    name="padding-mask",
    task="True for the real tokens of each sentence, with an axis of 1 for the queries.",
    call="my_padding_mask(lengths, n_keys)",
    right=padding_mask,
    recipe=_padding_by_choices,
    probes=tuple(
        Probe(kind, {"lengths": np.array(lengths), "n_keys": n_keys})
        for kind, lengths, n_keys in (
            ("two sentences", (2, 3), 5),
            ("two sentences, one of full length", (2, 4), 4),
            ("three sentences", (5, 1, 3), 6),
            ("three sentences of full length", (4, 4, 4), 4),
            ("four sentences", (1, 6, 2, 4), 9),
            ("three sentences, as many as keys", (1, 3, 2), 3),
        )
    ),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "inverted",
            "True and False changed places: the padding is True",
            f"{ATTEND} nn.MultiheadAttention wants it the other way round; the course and "
            "scaled_dot_product_attention do not.",
            POLARITY,
            polarity=np.logical_not,
        ),
        Mistake(
            "one-too-many",
            "one padding key too many stays open",
            "Places count from 0: the real tokens of a sentence of length 3 have the places 0, 1 and 2, all "
            "*smaller* than 3.",
            PADDING,
            also=[{"real": lambda places, lengths, n_keys: np.tri(n_keys, dtype=bool)[lengths]}],
            real=lambda places, lengths, n_keys: places <= lengths[:, None],
        ),
        Mistake(
            "one-too-few",
            "the last real token of each sentence is hidden, too",
            "Places count from 0: the real tokens of a sentence of length 3 have the places 0, 1 and 2. "
            "(np.arange(1, n_keys + 1) counts from 1.)",
            PADDING,
            real=lambda places, lengths, n_keys: places < lengths[:, None] - 1,
        ),
        Mistake(
            "first-token-hidden",
            "the first token of each sentence is hidden",
            "Places count from 0, and the token at place 0 is a real one.",
            PADDING,
            also=[
                {"real": lambda places, lengths, n_keys: (places > 0) & (places < lengths[:, None])},
            ],
            real=lambda places, lengths, n_keys: (places > 0) & (places <= lengths[:, None]),
        ),
        Mistake(
            "padding-in-front",
            "the last tokens of each row are True, as if the padding stood in front",
            "Here it stands at the end: the first `length` keys are real.",
            PADDING,
            real=lambda places, lengths, n_keys: places >= n_keys - lengths[:, None],
        ),
        Mistake(
            "length-of-the-padding",
            "the lengths were read as numbers of padding keys",
            "They count the real tokens: the first `length` keys are True.",
            PADDING,
            real=lambda places, lengths, n_keys: places < n_keys - lengths[:, None],
        ),
        Mistake(
            "minus-zero",
            "a sentence of full length was hidden altogether",
            "Without padding, `row[-(n_keys - length):]` is `row[-0:]`, and −0 is 0: the whole row. Count "
            "from the front, `row[length:]`.",
            PADDING,
            real=_cut_from_the_end,
        ),
        Mistake(
            "one-place-only",
            "one key of each sentence is True, and no other",
            "All real tokens are open: compare each place with the length by `<`.",
            PADDING,
            also=[{"real": lambda places, lengths, n_keys: places == lengths[:, None]}],
            real=lambda places, lengths, n_keys: places == lengths[:, None] - 1,
        ),
        Mistake(
            "first-length-for-all",
            "every sentence got the length of the first",
            "Each sentence has its own length: compare the places, a row, with the lengths, a column.",
            PADDING,
            real=lambda places, lengths, n_keys: (places < lengths[0]) & (lengths[:, None] > 0),
        ),
        Mistake(
            "longest-for-all",
            "every sentence got the length of the longest",
            "Each sentence has its own length: compare the places, a row, with the lengths, a column.",
            PADDING,
            real=lambda places, lengths, n_keys: (places < lengths.max()) & (lengths[:, None] > 0),
        ),
        Mistake(
            "nothing-hidden",
            "every key is open",
            "The keys from `length` on are padding, and False.",
            PADDING,
            real=lambda places, lengths, n_keys: (places >= 0) & (lengths[:, None] > 0),
        ),
        Mistake(
            "everything-hidden",
            "every key is hidden",
            "Start from an array of False, and set True what is real. Is it ever set?",
            PADDING,
            real=lambda places, lengths, n_keys: (places < 0) & (lengths[:, None] > 0),
        ),
        Mistake(
            "cut-to-the-longest",
            "the mask ends with the longest sentence",
            "The array is n_keys wide, and may be wider than the longest sentence: one column for each key.",
            PADDING,
            width=lambda lengths, n_keys: np.arange(lengths.max()),
        ),
        Mistake(
            "lengths-without-axes",
            "the lengths were compared with the places one by one, as if both were one row",
            "Each length meets every place: give `lengths` axes of its own, lengths[:, None, None].",
            PADDING,
            also=[
                {"real": _one_by_one, "shape": lambda mask: mask[:, None]},
                {"real": _one_by_one, "shape": lambda mask: mask[None, None]},
                {"real": _one_by_one, "shape": lambda mask: mask[None]},
                {"real": _one_by_one, "shape": _query_axis},
            ],
            real=_one_by_one,
            shape=lambda mask: mask,
        ),
        Mistake(
            "causal-mask-too",
            "a causal mask was laid over it, with a row for each query",
            "That is one step too many. This mask hides padding, from all queries alike: an axis of 1 is "
            "enough. Where the future is to be hidden too, the two are combined afterwards.",
            PADDING,
            shape=lambda mask: mask[:, None, :] & causal_mask(mask.shape[-1]),
        ),
        Mistake(
            "no-query-axis",
            "the axis of the queries is missing",
            "With shape (n_sentences, n_keys) NumPy would line the sentences up with the queries. The axis "
            "of 1, `[:, None, :]`, says that all queries share a row.",
            PADDING,
            shape=lambda mask: mask,
        ),
        Mistake(
            "queries-hidden",
            "the axis of 1 stands last, so that the mask would hide queries, not keys",
            "The last axis belongs to the keys. Hidden padding *queries* would still let real queries read "
            "the padding.",
            PADDING,
            also=[{"shape": lambda mask: np.swapaxes(mask[:, None, :], -1, -2)}],
            shape=lambda mask: mask[:, :, None],
        ),
        Mistake(
            "axis-in-front",
            "the axis of 1 stands first",
            "The sentences come first, then the queries, then the keys: (n_sentences, 1, n_keys).",
            PADDING,
            shape=lambda mask: mask[None],
        ),
        Mistake(
            "heads-axis-too",
            "there is one axis of 1 too many",
            "That shape is for scores with heads. Here: (n_sentences, 1, n_keys).",
            PADDING,
            shape=lambda mask: mask[:, None, None, :],
        ),
        Mistake(
            "repeated-for-queries",
            "the row of each sentence was repeated n_keys times",
            "One row is enough: an axis of length 1 broadcasts to any number of queries.",
            PADDING,
            shape=lambda mask: np.repeat(mask[:, None, :], mask.shape[-1], axis=1),
        ),
        Mistake(
            "queries-and-keys",
            "rows of padding queries were hidden as well",
            "Hide the keys only. A hidden query has no key left, and nobody reads its output anyway.",
            PADDING,
            shape=lambda mask: mask[:, :, None] & mask[:, None, :],
        ),
        Mistake(
            "to-be-added",
            "the result holds 0 and −∞, to be added to the scores",
            f"That is the next step. The mask itself says who may attend: {ATTEND}",
            INFINITY,
            also=[{"form": lambda mask: np.where(mask, 0.0, -1e9)}],
            form=_to_add,
        ),
    ),
    hints=(
        "Number the keys 0, 1, 2, … Which of these numbers belong to a sentence of length 3?",
        "Compare np.arange(n_keys), a row, with the lengths as a column: one row of answers for each "
        "sentence.",
        "lengths[:, None, None] has the axes (n_sentences, 1, 1), which give the axis of the queries as "
        "well.",
    ),
    explain="A key is real where its place is smaller than the length. The axis of 1 broadcasts to all "
    "queries.",
    reread=PADDING,
)

# --- polarity ----------------------------------------------------------------------------------------

POLARITY_EXERCISE = Choose(
    name="polarity",
    task="Which two calls of PyTorch hide the padding?",
    answer="c",
    options={
        "a": "The first call is right: for scaled_dot_product_attention True = may attend. But "
        "key_padding_mask is True where a key is *ignored*: the layer would read the padding and nothing "
        "else.",
        "b": "Both are the wrong way round. For scaled_dot_product_attention True = may attend; "
        "key_padding_mask is True where a key is *ignored*.",
        "c": "scaled_dot_product_attention takes True = may attend, as this course does: `real` fits as it "
        "is, with an axis of 1 for the queries. key_padding_mask is True where a key is ignored: `~real`.",
        "d": "The second call is right: key_padding_mask is True where a key is ignored. But for "
        "scaled_dot_product_attention True = may attend: with `~real` the queries would read the padding and "
        "nothing else.",
    },
    hints=(
        "The two interfaces say the opposite of each other. Which one agrees with this course?",
        "The name tells: a key_padding_mask marks the padding.",
    ),
    reread=POLARITY,
)

# --- empty-row ---------------------------------------------------------------------------------------

OPEN_SCORES = np.array([0.5, -1.0, 2.0])
THREE_VALUES = np.array([3.0, 6.0, 12.0])

EMPTY_ROW_EXERCISE = Predict(
    name="empty-row",
    task="A query with no key, its scores replaced by −1e9: the output for the values 3, 6 and 12.",
    answer=7.0,
    because="Three equal scores, each −1e9, share the weight equally: (3 + 6 + 12) / 3 = 7, the mean of "
    "values that are all forbidden, and nothing warns you. What other numbers in the place of −∞ give, and "
    "what the helpers of this course do, the laboratory after this exercise shows.",
    slips=(
        Slip(
            "zero",
            0.0,
            "0 is what the helpers of this course give, by their rule for a query with no key. Here −1e9 "
            "stands for −∞, and softmax sees three scores that are finite, and equal.",
        ),
        Slip(
            "nan",
            float("nan"),
            "nan is what −∞ gives: 0/0. But −1e9 is an ordinary number, and softmax looks at differences "
            "only.",
        ),
        Slip(
            "no-mask",
            round(float(softmax(OPEN_SCORES) @ THREE_VALUES), 4),
            "That is the output without a mask. All three scores were replaced: 0.5, −1 and 2 are gone.",
        ),
        Slip(
            "sum", 21.0, "21 is the sum of the values. The weights sum to 1, so the output is a mean of them."
        ),
        Slip(
            "largest-score",
            12.0,
            "12 is the value of the key with the largest score. All three scores were replaced, and are "
            "equal now.",
        ),
        Slip("median", 6.0, "6 is the value in the middle. Equal weights give the mean of the values."),
        Slip("first", 3.0, "3 is the first value. Three equal scores give three equal weights."),
        Slip(
            "weight", 1 / 3, "1/3 is the weight of each key. The output mixes the values 3, 6 and 12 with it."
        ),
        Slip("minus-a-billion", -1e9, "−1e9 is a score. Softmax turns scores into weights between 0 and 1."),
        Slip("one", 1.0, "1 is the sum of the weights. The output mixes the values 3, 6 and 12 with them."),
    ),
    hints=(
        "Softmax looks at the differences between scores only. What are they here?",
        "Equal scores, equal weights: mix the three values with them.",
    ),
    reread=NO_KEY,
)

# --- future-bug --------------------------------------------------------------------------------------


def causal_weights(queries: Array, keys: Array) -> Array:
    """(..., n, d_k), (..., n, d_k) -> causal weights (..., n, n)."""
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(mask_scores(scores, causal_mask(scores.shape[-1])))


def _triangle(scores: Array, queries: Array) -> Mask:
    return np.tri(scores.shape[-1], dtype=bool)


def _causal_by_choices(
    queries: Array, keys: Array, *, match: Step = dot_product_scores, scale: Step = _by_root_d_k,
    allowed: Step = _triangle, hide: Step = _minus_infinity, share: Step = softmax, weigh: Step = _keep,
) -> Array:  # fmt: skip
    scores = scale(match(queries, keys), queries, keys)
    mask = allowed(scores, queries)
    return weigh(share(hide(scores, mask)), mask)


def _tri(k: int) -> Step:
    return lambda scores, queries: np.tri(scores.shape[-1], k=k, dtype=bool)


def _upper(k: int) -> Step:
    return lambda scores, queries: ~np.tri(scores.shape[-1], k=k, dtype=bool)


def _first_row_patched(scores: Array, queries: Array) -> Mask:
    mask = np.tri(scores.shape[-1], k=-1, dtype=bool)
    mask[0, 0] = True
    return mask


def _future_is_hidden(_inputs: Any, weights: Array, _call: Any) -> str:
    if weights.ndim < 2 or weights.shape[-1] != weights.shape[-2]:
        return ""
    later = np.argwhere((abs(np.nan_to_num(weights)) > 1e-9) & ~causal_mask(weights.shape[-1]))
    if not later.size:
        return ""
    place = tuple(later[0])
    found = f"Query {place[-2]} gives weight {weights[place]:.2g} to the later token {place[-1]}"
    return f"{found}; it should get 0."


def _equal_lengths(
    *shape: int, start: int, first: float | None = None, dtype: type = np.float64
) -> dict[str, Array]:
    """As many queries as keys. `first` is put before each query, and 20 before each key: large scores."""
    queries, keys = (numbers(*shape, start=start + more, dtype=dtype) for more in (0, 700))
    if first is not None:
        queries[..., 0], keys[..., 0] = first, 20.0
    return {"queries": queries, "keys": keys}


def _loud_last_token() -> dict[str, Array]:
    """The last token, hidden from all others, gets scores that lie 1,100 above theirs."""
    inputs = _equal_lengths(5, 4, start=130)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = 10.0, 0.0
    inputs["keys"][-1, 0] = 220.0
    return inputs


def _levels_apart() -> dict[str, Array]:
    inputs = _equal_lengths(5, 4, start=140)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = APART, 20.0
    return inputs


FUTURE_BUG = Mend(
    name="future-bug",
    task="A triangle that lets each query see the next token.",
    given="one-step-ahead",
    symptom="print `np.tri(3, k=1)`. Which keys may query 0 attend to, and which of them is a later token?",
    call="my_causal_weights(queries, keys)",
    right=causal_weights,
    recipe=_causal_by_choices,
    probes=(
        Probe("three tokens", _equal_lengths(3, 4, start=1)),
        Probe("six tokens", _equal_lengths(6, 4, start=20)),
        Probe("float32, five tokens", _equal_lengths(5, 9, start=40, dtype=np.float32)),
        Probe("a batch of 2 sentences", _equal_lengths(2, 5, 3, start=60)),
        Probe("a batch of 2 sentences with 3 heads", _equal_lengths(2, 3, 7, 4, start=80)),
        Probe("scores around 1,000", _equal_lengths(6, 4, start=99, first=100.0), True),
        Probe("scores around −1,500", _equal_lengths(6, 4, start=110, first=-150.0), True),
        Probe(FAR_ABOVE, _loud_last_token(), True),
        Probe(ROWS_APART, _levels_apart(), True),
    ),
    properties=(
        ROWS_SUM_TO_1,
        NONE_BELOW_0,
        Property("future hidden", "no query gives weight to a later token", _future_is_hidden),
    ),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "one-step-ahead",
            "each query sees the next token",
            "The diagonal is the last that is seen. In np.tri, k=0 ends at the diagonal, and k=1 one step "
            "later.",
            INFINITY,
            allowed=_tri(1),
        ),
        Mistake(
            "two-steps-ahead",
            "each query sees the two tokens after it",
            "The diagonal is the last that is seen: k=0 in np.tri.",
            INFINITY,
            allowed=_tri(2),
        ),
        Mistake(
            "own-token-hidden",
            "each query misses its own token",
            "A token may attend to itself, or the first one would have no key: k=0 in np.tri, not −1.",
            INFINITY,
            also=[
                {"allowed": _tri(-1), "share": own_softmax},
                {"allowed": _tri(-1), "hide": _fill(-1e9)},
                {"allowed": _first_row_patched},
            ],
            allowed=_tri(-1),
        ),
        Mistake(
            "other-triangle",
            "the other triangle is open: each query sees itself and the future",
            "Rows are queries: the keys at the left of the diagonal are the past, and the lower triangle is "
            "open.",
            TURNED,
            also=[{"allowed": lambda scores, queries: np.tri(scores.shape[-1], k=1, dtype=bool).T}],
            allowed=lambda scores, queries: np.tri(scores.shape[-1], dtype=bool).T,
        ),
        Mistake(
            "inverted",
            "the mask was turned round: a query sees later tokens, and nothing else",
            f"{ATTEND} The lower triangle, with the diagonal (k=0 in np.tri), is open: −∞ belongs where it "
            "is False.",
            POLARITY,
            also=[
                {"allowed": _upper(0), "share": own_softmax},
                {"allowed": _upper(1)},
                {"allowed": _upper(1), "share": own_softmax},
                {"allowed": _upper(0), "hide": _fill(-1e9)},
                {"allowed": _upper(1), "hide": _fill(-1e9)},
            ],
            allowed=_upper(0),
        ),
        Mistake(
            "nothing-hidden",
            "nothing is hidden",
            "Each query may attend to its own token and to those before it.",
            INFINITY,
            allowed=lambda scores, queries: np.ones(scores.shape[-2:], dtype=bool),
        ),
        Mistake(
            "own-token-only",
            "each query sees its own token only",
            "A token may attend to itself and to all tokens before it.",
            INFINITY,
            allowed=lambda scores, queries: np.eye(scores.shape[-1], dtype=bool),
        ),
        Mistake(
            "size-of-first-axis",
            "the triangle has the size of the first axis, which counts sentences on a stack",
            "The number of tokens is the last axis of the scores, −1.",
            INFINITY,
            also=[
                {"allowed": lambda scores, queries: np.tri(len(queries), k=1, dtype=bool)},
            ],
            allowed=lambda scores, queries: np.tri(len(queries), dtype=bool),
        ),
        Mistake(
            "size-of-second-axis",
            "the triangle has the size of axis 1",
            "The number of tokens is the last axis of the scores: counted from the end, −1.",
            INFINITY,
            also=[{"allowed": lambda scores, queries: np.tri(queries.shape[1], dtype=bool)}],
            allowed=lambda scores, queries: np.tri(scores.shape[1], dtype=bool),
        ),
        Mistake(
            "size-of-d_k",
            "the triangle has the size of d_k",
            "The mask has a row for each query and a column for each key: n tokens, not d_k entries.",
            INFINITY,
            allowed=lambda scores, queries: np.tri(queries.shape[-1], dtype=bool),
        ),
        *late_and_whole_mistakes(),
        *_only(
            _and_ways(
                hide_mistakes([softmax, own_softmax]),
                {
                    **MORE_WAYS,
                    "weights-zeroed": [{"allowed": _tri(1), "weigh": lambda weights, mask: np.tril(weights)}],
                },
            ),
            "weights-zeroed",
            "score-0",
            "mask-added",
            "zero-times-infinity",
            "times-infinity",
            "plus-infinity",
            "minus-a-little",
            "smallest-score",
            "infinity-after-softmax",
            "scores-forgotten",
            "over-queries",
            "no-softmax",
            "not-divided",
            "no-row-max",
        ),
        Mistake(
            "mask-as-index",
            "the mask was used as an index, which works only for one sentence",
            "On a stack the scores have more axes than the mask. np.where broadcasts it: "
            "np.where(allowed, scores, -np.inf).",
            INFINITY,
            also=[{"hide": _index_zero}],
            hide=_index,
        ),
        Mistake(
            "softmax-first",
            "softmax ran before the mask and once more after it",
            "Weights are no scores: a second softmax makes them nearly equal. Mask the scores, then take "
            "softmax.",
            INFINITY,
            scale=lambda scores, queries, keys: softmax(_by_root_d_k(scores, queries, keys)),
        ),
        *_only(scale_mistakes(), "never-scaled", "divided-by-d_k", "multiplied"),
        *_only(match_mistakes(), "swapped", "all-axes-reversed", "three-axes-only", "queries-twice"),
    ),
    hints=(
        "Row 0 of the triangle belongs to the first token. Which keys may it attend to?",
        "The number k in np.tri moves the edge of the triangle. k=0 is the diagonal.",
    ),
    explain="The diagonal is the last that is seen: k=0, which np.tri takes where nothing is said.",
    reread=INFINITY,
)

# --- leak-test: small models -------------------------------------------------------------------------
# A learner may compare outputs to the last bit, and two processors sum in two orders. So all sums here are
# exact: of eighths and quarters, of powers of 2. What is left, a division or a root, is the same everywhere.

TOKENS, TWO_TOKENS = exact(numbers(5, 3, start=12)), exact(numbers(2, 3, start=4))
UP, ASIDE = np.array([0.75, -0.25, 0.5]), np.array([-0.375, 0.875, 0.5])
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


def _first_output(x: Array) -> Array:
    """The first output reads the token in the middle; no other output looks ahead."""
    output = _causal(x)
    output[0] += _bounded(x[2:3] @ DIRECTION).sum(axis=0)
    return output


def _first_pair(x: Array) -> Array:
    """The first output reads the second token; no other output looks ahead."""
    output = _causal(x)
    output[0] += _bounded(x[1:2] @ DIRECTION).sum(axis=0)
    return output


def _middle_output(x: Array) -> Array:
    """The output in the middle reads the token after it; no other output looks ahead."""
    output = _causal(x)
    output[2:3] += _bounded(x[3:4] @ DIRECTION).sum(axis=0)
    return output


def _last_pair(x: Array) -> Array:
    """The last output but one reads the last token; no other output looks ahead."""
    output = _causal(x)
    output[-2:-1] += _bounded(x[-1] @ DIRECTION)
    return output


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


LAST_IS_0 = _with_zeros(TOKENS)
ROUGH_TOKENS = np.round(TOKENS) + np.sign(TOKENS - 0.1) / 16

ONE_OUTPUT = (
    "One token leaks here, into one output. Change each token in turn, and look at all the outputs before it."
)
GIVE_A_COPY = "This model writes into the array that it gets. Hand it a copy each time: model(x.copy())."
ABSOLUTE = "All its outputs move to the same side. Compare the absolute value of the difference with 1e-9."
MODELS: tuple[tuple[str, Step, Array, bool, str], ...] = (  # its name, the model, x, does it leak? a clue
    (
        "a model without a mask, two tokens",
        _open,
        TWO_TOKENS,
        True,
        "Change the second token, and the first output moves.",
    ),
    (
        "a causal model, two tokens",
        _causal,
        TWO_TOKENS,
        False,
        "The second output may move with both tokens, the first with its own.",
    ),
    (
        "a causal model",
        _causal,
        TOKENS,
        False,
        "An output may move with its own token and with those before it. Look only at the outputs *before* "
        "the changed token, and change it in a fresh copy of x.",
    ),
    ("a model without a mask", _open, TOKENS, True, "Any token that is changed moves every output here."),
    (
        "a model that looks one token ahead",
        _ahead(1),
        TOKENS,
        True,
        "Change a token, and the output directly before it moves.",
    ),
    (
        "a model that looks two tokens ahead",
        _ahead(2),
        TOKENS,
        True,
        "Change a token, and the two outputs before it move.",
    ),
    (
        "a model that reads only the token itself",
        _own_row,
        TOKENS,
        False,
        "Each output moves with its own token and no other. That is no leak.",
    ),
    (
        "a model that reads only the tokens before",
        _earlier_only,
        TOKENS,
        False,
        "Each output moves with the tokens before it and no other. That is no leak.",
    ),
    (
        "a causal model whose last output alone reads anything",
        _reads_from(4),
        TOKENS,
        False,
        "The last output may move with every token, and no other output moves at all.",
    ),
    (
        "a causal model whose last two outputs alone read anything",
        _reads_from(3),
        TOKENS,
        False,
        "The last two outputs may move with their own tokens and those before; no other output moves at all.",
    ),
    (
        "a model whose output is always the same",
        _constant,
        TOKENS,
        False,
        "Nothing ever moves here.",
    ),
    (
        "a model in which every output reads the last token",
        _last_token,
        TOKENS,
        True,
        "Change the last token, and every output moves.",
    ),
    (
        "a model that adds up all tokens",
        _sums(lambda x: x),
        TOKENS,
        True,
        "A sum does not know the order of the tokens: tokens that only change places move nothing.",
    ),
    (
        "a model that centres each token first",
        _sums(_centred),
        TOKENS,
        True,
        "It subtracts from each token the mean of its entries, so that a number added to all of them is "
        "gone. Add another amount to each entry.",
    ),
    (
        "a model that normalises each token first",
        _sums(_normalised),
        TOKENS,
        True,
        "It divides each token by its spread, so that a factor is gone. Add another amount to each entry.",
    ),
    (
        "a model with a small leak",
        _small_leak,
        TOKENS,
        True,
        "Its outputs move by about 1e-7. np.allclose overlooks that unless it gets rtol=0 and atol=1e-9.",
    ),
    (
        "a causal model whose rounding depends on later tokens",
        _rounded_otherwise,
        TOKENS,
        False,
        "Its outputs differ in the last digit, about 1e-16. That is rounding: 1e-9 or less has not moved.",
    ),
    (
        "a causal model that adds its positions to the array it gets",
        _adds_positions,
        TOKENS,
        False,
        GIVE_A_COPY,
    ),
    (
        "a causal model that writes its output over the array it gets",
        _writes_over,
        TOKENS,
        False,
        GIVE_A_COPY,
    ),
    (
        "a model that gives the tokens in reverse, as a view of the array it gets",
        _backwards,
        TOKENS,
        True,
        "It hands out the very array that it got, turned round. If that is x, and x is changed, the first "
        "output changes along. Call model(x.copy()).",
    ),
    ("a model whose leak can only lower the outputs", _one_sided(-1), TOKENS, True, ABSOLUTE),
    ("a model whose leak can only raise the outputs", _one_sided(1), TOKENS, True, ABSOLUTE),
    (
        "a model whose leak cancels in the sum of each output",
        _cancels,
        TOKENS,
        True,
        "One entry rises by as much as another falls. Compare entry by entry.",
    ),
    (
        "a model that leaks into one column of its output",
        _one_column,
        TOKENS,
        True,
        "One entry of each output moves, the others stay. One is enough: `any`, over all entries.",
    ),
    (
        "a model that reads one entry of the last token",
        _one_entry,
        TOKENS,
        True,
        "It reads one entry of the last token. Change them all.",
    ),
    (
        "a model that reads the sizes of numbers, not their signs",
        _sums(np.abs),
        TOKENS,
        True,
        "A token whose sign is turned looks the same here. Add another amount to each entry.",
    ),
    (
        "a model that squares the tokens, and the last is all zeros",
        _sums(np.square),
        LAST_IS_0,
        True,
        "It adds up the squares of all tokens. Add another amount to each entry of each token.",
    ),
    (
        "a model that rounds each token to whole numbers",
        _sums(np.round),
        ROUGH_TOKENS,
        True,
        "A small change is rounded away. Change the token by more than 1.",
    ),
    (
        "a model that reads the last token, which is all zeros",
        _last_token,
        LAST_IS_0,
        True,
        "Zeros times any number are zeros. Add something to them.",
    ),
    (
        "a model that centres the last token, which is all zeros, and reads it",
        lambda x: _last_token(_centred(x)),
        LAST_IS_0,
        True,
        "It subtracts the mean of the entries, so that equal entries look like zeros. Add another amount to "
        "each.",
    ),
    (
        "a model whose first output alone looks ahead, at the second token",
        _first_pair,
        TOKENS,
        True,
        ONE_OUTPUT,
    ),
    (
        "a model whose first output alone looks ahead, at the middle token",
        _first_output,
        TOKENS,
        True,
        ONE_OUTPUT,
    ),
    ("a model whose middle output alone looks ahead", _middle_output, TOKENS, True, ONE_OUTPUT),
    (
        "a causal model with saturated weights",
        _saturated(_past),
        TOKENS,
        False,
        "Each output may move with its own token and with those before it.",
    ),
    (
        "a model with saturated weights: all on the middle token",
        _saturated(lambda x: _past(x, len(x))),
        TOKENS,
        True,
        "Every output reads the middle token and no other. Change each token in turn.",
    ),
    ("a model whose last output but one alone looks ahead", _last_pair, TOKENS, True, ONE_OUTPUT),
)

# --- leak-test ---------------------------------------------------------------------------------------


def leak_test(model: Step, x: Array) -> bool:
    """A model (n, d) -> (n, d_out), x (n, d) -> True if an output moves when a later token changes.

    The helper `leaks` finds every pair of output and token, and takes longer; tests hold the two together.
    """
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] += 3 * np.cos(1.0 + 1.9 * np.arange(x.shape[1]) ** 1.5)
        if (abs(model(changed) - before)[:token] > 1e-9).any():
            return True
    return False


Round = tuple[slice, slice]  # the tokens that are changed, the outputs that are looked at


def _each_token(n: int) -> list[Round]:
    return [(slice(token, token + 1), slice(0, token)) for token in range(1, n)]


def _from_the_first(n: int) -> list[Round]:
    return [(slice(token, token + 1), slice(0, token)) for token in range(n)]


def _columns(first: int, of_tokens: bool) -> Step:
    """As many columns as there are tokens, which may be more than there are, or as there are entries."""
    return lambda n: [((slice(None), j), slice(0, j)) for j in range(first, n if of_tokens else 3)]


def _each_output(n: int) -> list[Round]:
    return [(slice(output + 1, None), slice(output, output + 1)) for output in range(n - 1)]


def _each_cut(n: int) -> list[Round]:
    return [(slice(token, None), slice(0, token)) for token in range(1, n)]


def _each_pair(n: int) -> list[Round]:
    return [(slice(j, j + 1), slice(i, i + 1)) for i in range(n) for j in range(i + 1, n)]


OTHER_ROUNDS: tuple[Step, ...] = (_each_output, _each_cut, _each_pair)


def _one_round(changed: slice, looked_at: slice) -> Step:
    return lambda n: [(changed, looked_at)]


def _second_half(n: int) -> list[Round]:
    return [(slice(n // 2, None), slice(0, n // 2))]


def _uneven(rows: Array) -> Array:
    return rows + 1.5 * np.array([1, -4, 9])


def _upwards(rows: Array) -> Array:
    return rows + 1.5 * np.array([1, 4, 9])


def _downwards(rows: Array) -> Array:
    return rows - 1.5 * np.array([1, 4, 9])


def _plus(number: float) -> Step:
    return lambda rows: rows + number


def _by_little(size: float) -> Step:
    return lambda rows: rows + size * np.arange(1, rows.shape[1] + 1)


def _times(number: float) -> Step:
    return lambda rows: rows * number


def _all(number: float) -> Step:
    return lambda rows: np.full_like(rows, number)


def _at_entry(entry: int, number: float) -> Step:
    def change(rows: Array) -> Array:
        rows = rows.copy()
        rows[:, entry] += number
        return rows

    return change


def _beyond(tolerance: float) -> Step:
    return lambda before, after: bool((abs(after - before) > tolerance).any())


def _beyond_rounding(before: Array, after: Array) -> bool:
    return bool((abs(after - before) > 1e-9).any())


def _raised(before: Array, after: Array) -> bool:
    return bool((after - before > 1e-9).any())


def _lowered(before: Array, after: Array) -> bool:
    return _raised(after, before)


def _all_moved(before: Array, after: Array) -> bool:
    return bool((abs(after - before) > 1e-9).all())


def _sum_moved(before: Array, after: Array) -> bool:
    return bool(abs(after.sum() - before.sum()) > 1e-9)


def _not_close(before: Array, after: Array) -> bool:
    return not np.allclose(before, after)


def _copy_first(x: Array) -> Step:
    return lambda: x.copy()


def _piled_up(x: Array) -> Step:
    once = x.copy()
    return lambda: once


def _not_copied(x: Array) -> Step:
    return lambda: x


def _copied(x: Array) -> Array:
    return x.copy()


def _as_it_is(x: Array) -> Array:
    return x


def _leak_by_choices(
    model: Step, x: Array, *, rounds: Step = _each_token, change: Step = _uneven, fresh: Step = _copy_first,
    give: Step = _copied, moved: Step = _beyond_rounding, gather: Step = any, answer: Step = bool,
    restore: bool = False,
) -> Any:  # fmt: skip
    before = model(give(x))
    start = fresh(x)

    def found() -> Iterator[bool]:  # one by one: most loops end with the first leak
        for rows, looked_at in rounds(len(x)):
            changed = start()
            kept = changed[rows].copy()
            changed[rows] = change(changed[rows])
            after = model(give(changed))
            if restore:
                changed[rows] = kept
            yield moved(before[looked_at], after[looked_at])

    return answer(gather(found()))


def _unchanged_rows(rows: Array) -> Array:
    return rows


NOT_COPIED: dict[str, Any] = {"change": _unchanged_rows, "fresh": _not_copied, "give": _as_it_is}
CLUES = {(model, x.tobytes()): clue for _, model, x, _, clue in MODELS}


def _clue(inputs: Any, _found: Any, _call: Any) -> str:
    """What the learner may not know of the model on which the answer is wrong."""
    return CLUES[inputs["model"], inputs["x"].tobytes()]


MANY = (
    "A leak may run from any token to any earlier output: change the tokens one after the other, each in a "
    "fresh copy, and look at all outputs before it."
)
VISIBLE = "Change each entry by another amount, and by enough: rows + [1, 4, 9, …], say."

LEAK_TEST = Write(
    name="leak-test",
    task="True if some output moves when a later token changes.",
    call="my_leak_test(model, x)",
    right=leak_test,
    recipe=_leak_by_choices,
    probes=tuple(Probe(kind, {"model": model, "x": x}) for kind, model, x, *_ in MODELS),
    properties=(
        Property("each model told apart", "every leak was found, and none where there is none", _clue),
    ),
    mistakes=(
        Mistake(
            "inverted",
            "the answers are the wrong way round: True came for models that do not leak",
            "True means that there is a leak.",
            LEAK,
            answer=lambda found: not found,
        ),
        Mistake(
            "always-true",
            "the answer is True for every model",
            "Compare the outputs *before* the token that was changed, in both runs, entry by entry.",
            LEAK,
            answer=lambda found: True,
        ),
        Mistake(
            "always-false",
            "the answer is False for every model",
            "Did both runs get the same numbers? `changed = x` gives x a second name; x.copy() makes a new "
            "array. Or does the loop return in its first round? Return False only after the loop.",
            LEAK,
            answer=lambda found: False,
        ),
        Mistake(
            "not-copied",
            "both runs got the same array, changed or not",
            "`changed = x` makes no second array, only a second name for the same one: x.copy() does. And "
            "run the model on x before you change anything.",
            LEAK,
            also=[
                {**NOT_COPIED, "rounds": _one_round(slice(-1, None), slice(0, -1))},
                {**NOT_COPIED, "moved": _not_close},
                {**NOT_COPIED, "rounds": _one_round(slice(-1, None), slice(None))},
            ],
            **NOT_COPIED,
        ),
        Mistake(
            "columns-changed",
            "a column was changed, one entry of every token",
            "Tokens are rows: changed[token] is one token, changed[:, token] an entry of all of them, of the "
            "first as well.",
            LEAK,
            also=[
                {"rounds": _columns(first, of_tokens), "change": change}
                for change in (_plus(5.0), _plus(1.0), _all(0.0))
                for first in (1, 0)
                for of_tokens in (True, False)
            ][1:],
            rounds=_columns(1, True),
            change=_plus(5.0),
        ),
        Mistake(
            "changed-row-too",
            "the output of the changed token itself was looked at, too",
            "A token may move its own output; that is no leak. Look at the outputs before it: [:token].",
            LEAK,
            also=[{"rounds": _one_round(slice(-1, None), slice(None))}],
            rounds=lambda n: [(slice(token, token + 1), slice(0, token + 1)) for token in range(n)],
        ),
        Mistake(
            "all-outputs",
            "all outputs were compared, those of the changed token and of later ones as well",
            "A token may move its own output and all later ones. A leak runs backwards: look at [:token].",
            LEAK,
            rounds=lambda n: [(slice(token, token + 1), slice(None)) for token in range(n)],
        ),
        Mistake(
            "earlier-token",
            "an earlier token was changed, and later outputs were looked at",
            "That is what a causal model should do: a later output may read an earlier token. Turn it round: "
            "change a token, and look at the outputs before it.",
            LEAK,
            also=[{"rounds": _one_round(slice(0, 1), slice(1, None))}],
            rounds=lambda n: [(slice(token, token + 1), slice(token + 1, None)) for token in range(n)],
        ),
        Mistake(
            "last-token-only",
            "only the end was changed: the last token, or one added after it (or a later round of the loop "
            "overwrote the answer of the others)",
            MANY,
            LEAK,
            rounds=_one_round(slice(-1, None), slice(0, -1)),
        ),
        Mistake(
            "second-token-only",
            "the second token alone was changed (or the loop returned in its first round)",
            MANY + " Return False only after the loop.",
            LEAK,
            rounds=_one_round(slice(1, 2), slice(0, 1)),
        ),
        Mistake(
            "one-split-only",
            "the tokens were cut once, and everything behind the cut was changed",
            "A leak inside one of the two parts goes unseen. " + MANY,
            LEAK,
            also=[{"rounds": lambda n: [(slice((n + 1) // 2, None), slice(0, (n + 1) // 2))]}],
            rounds=_second_half,
        ),
        Mistake(
            "first-output-only",
            "the first output alone was looked at",
            MANY,
            LEAK,
            also=[{"rounds": _one_round(slice(1, None), slice(0, 1))}],
            rounds=lambda n: [(slice(token, token + 1), slice(0, 1)) for token in range(1, n)],
        ),
        Mistake(
            "next-token-only",
            "only neighbours were looked at: a token, and the output directly before it",
            MANY,
            LEAK,
            rounds=lambda n: [(slice(token, token + 1), slice(token - 1, token)) for token in range(1, n)],
        ),
        Mistake(
            "last-token-left-out",
            "the last token was never changed",
            "range(1, n - 1) ends before n − 1: the last token is at place n − 1, and range(1, n) reaches "
            "it.",
            LEAK,
            rounds=lambda n: [(slice(token, token + 1), slice(0, token)) for token in range(1, n - 1)],
        ),
        Mistake(
            "output-before-left-out",
            "the output directly before the changed token was left out",
            "[:token - 1] ends one too early. A model that looks one token ahead moves that output and no "
            "other.",
            LEAK,
            rounds=lambda n: [(slice(token, token + 1), slice(0, token - 1)) for token in range(1, n)],
        ),
        Mistake(
            "same-number-added",
            "the same number was added to all entries of a token",
            "A model that subtracts the mean of each token first, as most real ones do, cannot see that. "
            + VISIBLE,
            LEAK,
            also=[{"change": _plus(number)} for number in (-1.0, 2.0, 5.0, 10.0, 100.0, 1000.0)],
            change=_plus(1.0),
        ),
        Mistake(
            "set-to-zero",
            "the token was set to zero",
            "A token that is zero already does not change then. " + VISIBLE,
            LEAK,
            change=_all(0.0),
        ),
        Mistake(
            "set-to-one-number",
            "all entries of the token were set to one and the same number",
            "A model that subtracts the mean of each token makes zeros of it, whatever the number. "
            + VISIBLE,
            LEAK,
            also=[{"change": _all(number)} for number in (5.0, 10.0, 99.0, 100.0, 999.0, 1000.0)],
            change=_all(1.0),
        ),
        Mistake(
            "multiplied",
            "the token was multiplied by a number",
            "A token of zeros stays zero, and a model that normalises each token takes the factor back. "
            + VISIBLE,
            LEAK,
            also=[{"change": _times(number)} for number in (0.5, 3.0, 10.0, 100.0)],
            change=_times(2.0),
        ),
        Mistake(
            "sign-turned",
            "the token's sign was turned",
            "A token of zeros stays zero, and a model that squares its input cannot see a sign. " + VISIBLE,
            LEAK,
            change=_times(-1.0),
        ),
        Mistake(
            "entries-reversed",
            "the entries of the token changed places",
            "A token whose entries are all equal stays as it was, and a model that adds them up sees no "
            "change. " + VISIBLE,
            LEAK,
            change=lambda rows: rows[:, ::-1].copy(),
        ),
        Mistake(
            "tokens-reordered",
            "the later tokens only changed places",
            "A model that adds them up sees no change: attention without a mask does not know their order. "
            + VISIBLE,
            LEAK,
            also=[
                {
                    "rounds": _each_cut,
                    "change": lambda rows: np.roll(rows, 1, axis=0),
                }
            ],
            rounds=_each_cut,
            change=lambda rows: rows[::-1].copy(),
        ),
        Mistake(
            "one-entry-changed",
            "one entry of the token alone was changed",
            "The leak may come through another entry. " + VISIBLE,
            LEAK,
            also=[{"change": _at_entry(entry, number)} for entry in (0, -1) for number in (1.0, 10.0, 100.0)][
                1:
            ],
            change=_at_entry(0, 1.0),
        ),
        Mistake(
            "too-small-a-change",
            "the token was changed by little",
            "A model may round its tokens, and a small leak then moves an output by less than rounding "
            "errors do. " + VISIBLE,
            LEAK,
            also=[
                {"change": _by_little(size)} for size in 2.0 ** -np.array([13, 17, 20, 23, 27, 30, 7, 5, 3])
            ],
            change=_by_little(2.0**-10),  # 0.001
        ),
        Mistake(
            "nan-put-in",
            "nan or ∞ was put into the token",
            "A masked weight is exactly 0, but 0 · nan is nan and 0 · ∞ too: a causal model seems to leak. "
            "Change the token to other finite numbers.",
            LEAK,
            also=[
                {"change": _all(np.inf), "moved": _not_close},
                {"change": _all(np.inf)},
                {"change": _all(np.nan)},
            ],
            change=_all(np.nan),
            moved=_not_close,
        ),
        Mistake(
            "exact",
            "the outputs were compared to the last digit",
            "Rounding may differ between two runs though no token leaks. Allow for it: the task says 1e-9.",
            LEAK,
            moved=lambda before, after: not np.array_equal(before, after),
        ),
        Mistake(
            "tolerance-too-wide",
            "the comparison overlooks small leaks",
            "It allows for more than 1e-9. Compare abs(a − b) with 1e-9, or call np.allclose(a, b, rtol=0, "
            "atol=1e-9): without rtol=0, np.allclose forgives differences of 1e-5 times the outputs.",
            LEAK,
            also=[{"moved": _beyond(number)} for number in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)],
            moved=_not_close,
        ),
        Mistake(
            "no-absolute-value",
            "differences of one sign alone were counted",
            "A leak may lower an output or raise it: compare the absolute value of the difference.",
            LEAK,
            also=[
                {"moved": _raised, "change": _downwards},
                {"moved": _lowered},
                {"moved": _lowered, "change": _upwards},
            ],
            moved=_raised,
        ),
        Mistake(
            "sums-compared",
            "sums or means of the outputs were compared",
            "Changes of opposite sign cancel there. Compare entry by entry, and then ask whether any has "
            "moved.",
            LEAK,
            also=[
                {"moved": lambda before, after: bool((abs((after - before).sum(axis=-1)) > 1e-9).any())},
            ],
            moved=_sum_moved,
        ),
        Mistake(
            "all-entries",
            "a leak was counted only where all entries of the outputs had moved",
            "One entry that moves is a leak: `any`, not `all`. Note that `not all(equal)` is "
            "`any(different)`.",
            LEAK,
            also=[{"moved": _all_moved, "rounds": rounds} for rounds in OTHER_ROUNDS],
            moved=_all_moved,
        ),
        Mistake(
            "one-column",
            "one entry of each output was compared, not all",
            "The leak may show in any column of the output.",
            LEAK,
            moved=lambda before, after: bool((abs(after - before)[:, 0] > 1e-9).any()),
        ),
        Mistake(
            "every-token",
            "a leak was counted only where every later token leaks",
            "One token that leaks is enough: return True as soon as one is found, and False only after the "
            "loop.",
            LEAK,
            also=[{"gather": all, "rounds": rounds} for rounds in OTHER_ROUNDS],
            gather=all,
        ),
        Mistake(
            "changes-pile-up",
            "the changes piled up: from the second round on, earlier tokens were still changed, too",
            "They may move the outputs, so that a causal model seems to leak. Make a fresh copy of x in each "
            "round.",
            LEAK,
            also=[
                {"fresh": _not_copied},
                {"fresh": _not_copied, "give": _as_it_is},
                *(
                    {"rounds": _from_the_first, "fresh": fresh, "give": give}
                    for fresh, give in (
                        (_piled_up, _copied),
                        (_not_copied, _copied),
                        (_not_copied, _as_it_is),
                        (_piled_up, _as_it_is),
                    )
                ),
            ],
            fresh=_piled_up,
        ),
        Mistake(
            "x-changed",
            "the model got the array x itself, and x was changed, not a copy",
            "A model may write into the array that it gets, or hand it out: then x or the first output is no "
            "longer what it was. Change a copy, and hand the model copies: x.copy().",
            LEAK,
            fresh=_not_copied,
            restore=True,
            give=_as_it_is,
        ),
        Mistake(
            "x-given-away",
            "the model got x itself, not a copy",
            "Some models write into the array that they get, so that x is no longer what it was. Call "
            "model(x.copy()).",
            LEAK,
            give=_as_it_is,
        ),
    ),
    hints=(
        "Run the model on x. Change one token in a copy of x, and run it again. Which outputs must not move?",
        "The outputs before the changed token, [:token]. Do so for each token but the first.",
        "A change that no model undoes: add another number to each entry, [1, 4, 9, …], say. Compare with "
        "abs(after - before) > 1e-9, and copy before each call.",
    ),
    explain="Each token is changed in its own copy, each entry by another amount, so that a model that "
    "centres its tokens sees it. Only outputs before the token are compared. The helper leaks(model, x) "
    "lists every pair (output, token) that leaks.",
    reread=LEAK,
)

# --- reach -------------------------------------------------------------------------------------------

MOST_KEYS = 2
LAST = 4


def reaches(mask: Array) -> Array:
    """(n, n) of 0 and 1 -> (n, n): in how many ways token j reaches output i in exactly two layers.

    That a layer's output is added to its input changes nothing for a token that one layer does not reach:
    of (1 + mask)², 1 + 2 mask + mask @ mask, only the last term is left there.
    """
    return mask @ mask


def _broken(mask: Array) -> tuple[str, str]:
    """(5, 5) of 0 and 1 -> the first condition that fails, as its name and a sentence; ("", "") if none."""
    later = np.argwhere(np.triu(mask, k=1))
    if later.size:
        query, key = later[0]
        return "future-visible", f"query {query} (row {query}) may attend to key {key}, which is later."
    counts = mask.sum(axis=-1)
    if not counts.all():
        return "empty-row", f"query {counts.argmin()} (row {counts.argmin()}) may attend to nothing."
    if counts.max() > MOST_KEYS:
        row = int((counts > MOST_KEYS).argmax())
        return "too-many-keys", (
            f"query {row} (row {row}) may attend to {counts[row]:.0f} keys; at most {MOST_KEYS} are asked."
        )
    if mask[LAST, 0]:
        return "one-layer-reaches", "query 4 (row 4) may attend to key 0, so that one layer reaches already."
    if not reaches(mask)[LAST, 0]:
        first = np.flatnonzero(mask[LAST])
        second = np.flatnonzero(mask[first].any(axis=0))
        these = "these read" if len(first) > 1 else "it reads"
        return "two-layers-too-short", (
            "two layers do not bring token 0 to output 4 either.\n"
            f"  Query 4 (row 4) reads {_listed_tokens(first)}, and in the layer below {these} "
            f"{_listed_tokens(second)}."
        )
    return "", ""


def _listed_tokens(tokens: Array) -> str:
    *most, last = (str(token) for token in tokens)
    return f"the tokens {', '.join(most)} and {last}" if most else f"token {last}"


CAUSAL = np.tri(5)
WINDOW = np.eye(5) + np.eye(5, k=-1)
EXAMPLE_OF_REACH = np.eye(5)
EXAMPLE_OF_REACH[[2, 4], [0, 2]] = 1


def _what_it_is(mask: Array, condition: str) -> tuple[str, str]:
    """A wrong mask of 0 and 1, the condition that fails -> the named mistake and its reply."""
    known = (
        ("all-open", np.ones((5, 5)), "Here everything may be read. Take away what each row must not see."),
        ("all-hidden", np.zeros((5, 5)), "Here nothing may be read. Set one or two keys to 1 in each row."),
        (
            "causal",
            CAUSAL,
            "This is the causal mask: one layer reaches everything before. Few keys a row are asked, so that "
            "a second layer is needed.",
        ),
        (
            "diagonal",
            np.eye(5),
            "Each token reads itself alone, and nothing travels, in any number of layers.",
        ),
        (
            "window",
            WINDOW,
            "Each token reads itself and the one before: a window of two. A change travels one step in each "
            "layer, and from token 0 to output 4 there are four steps. Let some row look further back.",
        ),
    )
    for name, table, reply in known:
        if np.array_equal(mask, table):
            return name, reply
    if not _broken(mask.T)[0]:
        return "transposed", "Turned round it would do. Rows are queries, columns are keys."
    if not _broken(1 - mask)[0]:
        return "inverted", "With 0 and 1 exchanged it would do. 1 = may attend, 0 = may not."
    return condition, {
        "future-visible": "Above the diagonal every entry must be 0: a query sees no later token.",
        "empty-row": "A query without a key gets zeros, and passes nothing on. Each row needs a 1.",
        "too-many-keys": "Which keys of that row are needed? A token may give up reading itself.",
        "one-layer-reaches": "Take key 0 out of row 4. Another token has to bring it.",
        "two-layers-too-short": "Let one of the tokens that query 4 reads read token 0.",
    }[condition]


def _judge_reach(mask: Array) -> tuple[str, str]:
    odd = np.argwhere((mask != 0) & (mask != 1))
    if odd.size:
        row, column = odd[0]
        return "not-0-and-1", (
            f"each entry should be 1 (may attend) or 0 (may not); row {row}, column {column} holds "
            f"{mask[row, column]:.4g}.\n  Weights and scores come later; this is a mask."
        )
    condition, found = _broken(mask)
    if not condition:
        between = np.flatnonzero(mask[LAST] * mask[:, 0])
        return "", (
            f"✓ one layer does not bring token 0 to output 4, two layers do, by way of "
            f"{_listed_tokens(between)}.\n"
            "  The first layer carries it there, and the second from there to the end."
        )
    name, reply = _what_it_is(mask, condition)
    return name, f"{found}\n  {reply} {section(NO_KEY if name == 'empty-row' else LEAK)}"


def _reach_slip(name: str, mask: Array, *entries: tuple[int, int, int]) -> Slip:
    """The mask with some entries (row, column, value) changed, as an example of a named mistake."""
    changed = mask.copy()
    for row, column, value in entries:
        changed[row, column] = value
    return Slip(name, changed.astype(int).tolist(), "")


REACH = Open(
    name="reach",
    task="A mask of few keys in which token 0 reaches the last output in two layers, not in one.",
    shape=(5, 5),
    judge=_judge_reach,
    truths=True,
    example=EXAMPLE_OF_REACH.astype(int).tolist(),
    because="In the first layer token 2 reads token 0, in the second query 4 reads token 2. "
    "(mask @ mask)[4, 0] counts such ways of two steps. Adding the input of each layer makes no difference "
    "here: it keeps each token at its place.",
    slips=(
        Slip("not-0-and-1", (CAUSAL / CAUSAL.sum(axis=-1, keepdims=True)).tolist(), ""),
        _reach_slip("all-open", np.ones((5, 5))),
        _reach_slip("all-hidden", np.zeros((5, 5))),
        _reach_slip("causal", CAUSAL),
        _reach_slip("diagonal", np.eye(5)),
        _reach_slip("window", WINDOW),
        _reach_slip("transposed", EXAMPLE_OF_REACH.T),
        _reach_slip("inverted", 1 - EXAMPLE_OF_REACH),
        _reach_slip("future-visible", EXAMPLE_OF_REACH, (1, 3, 1)),
        _reach_slip("empty-row", EXAMPLE_OF_REACH, (1, 1, 0)),
        _reach_slip("too-many-keys", EXAMPLE_OF_REACH, (4, 3, 1)),
        _reach_slip("one-layer-reaches", EXAMPLE_OF_REACH, (4, 0, 1), (4, 4, 0)),
        _reach_slip("two-layers-too-short", EXAMPLE_OF_REACH, (2, 0, 0)),
    ),
    hints=(
        "Row 4 must not hold key 0. So another token must bring it: which rows may read token 0?",
        "Choose a token in between, 2, say. In the first layer it reads token 0. What must row 4 hold?",
        "np.eye(5) uses one key of each row. Two more entries are enough, one in row 2 and one in row 4.",
    ),
    reread=LEAK,
)

EXERCISES = (
    PREDICT_MASK,
    CAUSAL_MASK,
    MASKED_ATTENTION,
    INFINITY_BUG,
    PADDING_MASK,
    POLARITY_EXERCISE,
    EMPTY_ROW_EXERCISE,
    FUTURE_BUG,
    LEAK_TEST,
    REACH,
)

"""source-mask, lesson 07: attend, and hide the padding of the source."""

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_07.shared import Step, only, upper_left, with_ways
from helpers.exercises.slips.hiding import MASKED_MISTAKES, hide_mistakes, own_softmax
from helpers.exercises.slips.mixing import triple
from helpers.masking import Mask, causal_mask, padding_mask
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array

SOURCE = "07: The mask of the source"
AXIS = "03: Which axis?"
PADDING = "05: Padding"


def read_with_padding(queries: Array, keys: Array, values: Array, source_lengths: Array) -> Array:
    """Queries, keys, values, (n_sentences,) -> output (n_sentences, n_queries, d_v); padding is hidden."""
    return attention(queries, keys, values, padding_mask(source_lengths, keys.shape[-2]))[0]


def _by_root_d_k(scores: Array, queries: Array, keys: Array) -> Array:
    return scale_scores(scores, queries.shape[-1])


def _minus_infinity(scores: Array, mask: Mask) -> Array:
    return np.where(mask, scores, -np.inf)


def _keep(weights: Array, _mask: Mask) -> Array:
    return weights


def _shared_again(weights: Array, mask: Mask) -> Array:
    """The weights of the padding set to 0, and the rest of each row divided by its sum."""
    return weights * mask / (weights * mask).sum(axis=-1, keepdims=True)


def _mixed(weights: Array, queries: Array, keys: Array, values: Array) -> Array:
    return weights @ values


def _as_given(queries: Array, keys: Array, values: Array, mask: Mask) -> tuple[Array, Array, Array]:
    return queries, keys, values


def _real(lengths: Array, n_keys: int) -> Mask:
    return np.arange(n_keys) < lengths[:, None]


def _for_all_queries(real: Mask, _lengths: Array, _n_queries: int) -> Mask:
    return real[:, None, :]


def _padded_by_choices(
    queries: Array, keys: Array, values: Array, source_lengths: Array, *, real: Step = _real,
    spread: Step = _for_all_queries, change: Step = _as_given, match: Step = dot_product_scores,
    scale: Step = _by_root_d_k, width: Step | None = None, hide: Step = _minus_infinity,
    share: Step = softmax, weigh: Step = _keep, mix: Step = _mixed,
    instead: Step | None = None, whole: Step | None = None,
) -> Array:  # fmt: skip
    """`instead` takes the mask and does all the rest: the helper, say. `whole` does everything."""
    if whole is not None:
        return whole(queries, keys, values, source_lengths)
    flat = real(source_lengths, keys.shape[-2])
    mask = spread(flat, source_lengths, queries.shape[-2])
    if instead is not None:
        return instead(queries, keys, values, mask)
    queries, keys, values = change(queries, keys, values, flat)
    scores = match(queries, keys)
    scores = scale(scores, queries, keys) if width is None else scores / width(values)
    return mix(weigh(share(hide(scores, mask)), mask), queries, keys, values)


def _turned_real(lengths: Array, n_keys: int) -> Mask:
    return np.arange(n_keys)[:, None] < lengths


def _helper_with_mask(queries: Array, keys: Array, values: Array, mask: Mask) -> Array:
    return attention(queries, keys, values, mask)[0]


def _index(scores: Array, mask: Mask) -> Array:
    hidden = scores.copy()
    hidden[~mask] = -np.inf
    return hidden


def _add(scores: Array, mask: Mask) -> Array:
    return scores + np.where(mask, 0.0, -np.inf)


def _other_way(scores: Array, mask: Mask) -> Array:
    return np.where(~mask, -np.inf, scores)


def _mask_shape(
    name: str, says: str, idea: str, *spreads: Step, reread: str = PADDING,
    whole: Callable[[Array, int, int], Mask] | None = None,
) -> Mistake:  # fmt: skip
    """A mask of another shape: it may fit nowhere, somewhere, or on another axis."""
    ways: list[dict[str, Any]] = [{"spread": spread} for spread in spreads[1:]]
    for spread in spreads:
        ways.append({"spread": spread, "instead": _helper_with_mask})
        ways.append({"spread": spread, "share": own_softmax})
        ways += [{"spread": spread, "hide": hide} for hide in (_add, _other_way, _index)]
    if whole is not None:
        ways.append({"whole": lambda q, k, v, n: attention(q, k, v, whole(n, q.shape[-2], k.shape[-2]))[0]})
    return Mistake(name, says, idea, reread, also=ways, spread=spreads[0])


def _causal_too(real: Mask, _lengths: Array, n_queries: int) -> Mask:
    return real[:, None, :] & upper_left(n_queries, real.shape[-1])


def _queries_too(real: Mask, lengths: Array, n_queries: int) -> Mask:
    return real[:, None, :] & (np.arange(n_queries) < lengths[:, None])[:, :, None]


def _cut_at(length_of: Callable[[Array], int]) -> Step:
    """One length for all sentences."""
    return lambda lengths, n_keys: np.arange(n_keys) + 0 * lengths[:, None] < length_of(lengths)


def _between(first: int, lengths: Array, n_keys: int) -> Mask:
    """The places after the first, up to the length and including it."""
    return (np.arange(n_keys) > first) & (np.arange(n_keys) <= lengths[:, None])


HIDDEN = hide_mistakes([softmax, own_softmax])


STILL_E = "A score of 0 is not a weight of 0: softmax gives it e⁰ / the sum. The *score* has to become −∞."
THE_SOURCE = "The padding belongs to the source, and the source gives the keys: hide columns of the scores."


def _as_many(*stack: int, start: int) -> dict[str, Array]:
    return triple(*stack, n_queries=4, n_keys=4, d_k=3, d_v=5, start=start)


def _towards(first: float) -> dict[str, Array]:
    """Scaled scores that lie around 10 · first."""
    inputs = triple(2, d_k=4, start=23)
    inputs["queries"][..., 0], inputs["keys"][..., 0] = first, 20.0
    return inputs


def _loud_padding() -> dict[str, Array]:
    """Padding keys that score highest, and carry the largest values."""
    inputs = triple(2, n_keys=6, d_k=4, d_v=3, start=77)
    inputs["keys"][0, 3:] = 4 * inputs["queries"][0, :3]
    inputs["values"][0, 3:] += 50.0
    return inputs


def _padding_far_above() -> dict[str, Array]:
    """In the first sentence the scores of the padding lie about 900 above those of the real keys."""
    inputs = triple(2, n_queries=3, n_keys=6, d_k=4, d_v=5, start=131)
    inputs["queries"][..., 0] = 2.0
    inputs["keys"][0, 4:, 0] = 900.0
    return inputs


def _padding_moves(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, lengths = inputs.values()
    real = _real(lengths, keys.shape[-2])[:, :, None]
    again = call(
        queries, np.where(real, keys, keys[..., ::-1] + 1), np.where(real, values, values + 3), lengths
    )
    if again is None or again.shape != output.shape or np.allclose(again, output, atol=1e-3, equal_nan=True):
        return ""
    return "Other numbers in the padding change your output. Nothing of the padding should reach it."


def _last_real_read(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, lengths = inputs.values()
    changed = values.copy()
    changed[np.arange(len(lengths)), lengths - 1] += 5
    again = call(queries, keys, changed, lengths)
    if again is None or again.shape != output.shape or abs(again - output).max(axis=(-2, -1)).min() > 1e-3:
        return ""
    return "Changing the value of the last real token of a source does not change the output: is it hidden?"


def _values_of_1(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, lengths = inputs.values()
    ones = call(queries, keys, np.ones(values.shape), lengths)
    if ones is None or ones.shape != output.shape or np.allclose(ones, 1, atol=4e-3):
        return ""
    found = ones.flat[np.argmax(abs(ones - 1))]
    if not np.isfinite(found):
        return ""
    return f"Where every value is 1, the output should be 1, for the weights sum to 1; yours is {found:.2f}."


def my_read_with_padding(queries: Array, keys: Array, values: Array, source_lengths: Array) -> Array:
    """(n, n_queries, d_k), (n, n_keys, d_k), (n, n_keys, d_v), (n,) -> output (n, n_queries, d_v)."""
    mask = padding_mask(source_lengths, keys.shape[-2])
    output, _ = attention(queries, keys, values, mask=mask)
    return output


EXERCISE = Write(
    name="source-mask",
    answer=my_read_with_padding,
    task="Attend, and hide the padding of the source.",
    call="my_read_with_padding(queries, keys, values, source_lengths)",
    right=read_with_padding,
    recipe=_padded_by_choices,
    probes=tuple(
        Probe(kind, {**inputs, "source_lengths": np.array(lengths)}, hard)
        for kind, inputs, lengths, hard in (
            ("2 sentences", triple(2, n_queries=3, n_keys=5, d_k=4, d_v=6, start=5), (3, 4), False),
            ("2 sentences, one of full length", triple(2, start=101), (7, 4), False),
            ("3 sentences", triple(3, n_queries=2, n_keys=6, d_k=5, d_v=4, start=201), (1, 6, 4), False),
            ("no padding at all", triple(2, n_queries=3, n_keys=6, d_k=5, d_v=4, start=301), (6, 6), False),
            ("float32", triple(3, n_queries=4, n_keys=7, d_k=5, start=431, dtype=np.float32), (5, 2, 6),
             False),
            ("4 sentences, values as wide as keys",
             triple(4, n_queries=3, n_keys=8, d_k=6, d_v=6, start=501), (8, 3, 5, 1), False),
            ("as many queries as keys", _as_many(2, start=601), (2, 3), True),
            ("padding that scores highest", _loud_padding(), (3, 5), True),
            ("padding that scores 900 higher", _padding_far_above(), (4, 5), True),
            ("scores around 1,000", _towards(100.0), (4, 6), True),
            ("scores around −1,500", _towards(-150.0), (6, 3), True),
        )
    ),
    properties=(
        Property("padding hidden", "nothing of the padding reaches the output", _padding_moves),
        Property("weights sum to 1", "values of 1 give an output of 1", _values_of_1),
        Property("last token read", "the last real token is read", _last_real_read),
    ),
    axes=("query", "entry"),
    mistakes=(
        Mistake(
            "padding-ignored",
            "the padding was read as if it were text",
            "The scores of the keys from `length` on should become −∞, before softmax.",
            SOURCE,
            hide=lambda scores, mask: scores,
        ),
        Mistake(
            "inverted",
            "the mask was read the other way round: the real tokens were hidden, and the padding read",
            "True = may attend: the first `length` keys. −∞ belongs where the mask is False.",
            "05: True means may attend",
            also=[
                {"hide": lambda scores, mask: np.where(mask, -np.inf, scores), "share": own_softmax},
                {"instead": lambda q, k, v, mask: attention(q, k, v, ~mask)[0]},
                {"hide": lambda scores, mask: scores - 1e9 * mask},
                {"hide": lambda scores, mask: np.where(mask, -1e9, scores)},
            ],
            hide=lambda scores, mask: np.where(mask, -np.inf, scores),
        ),
        Mistake(
            "score-0",
            "the scores of the padding became 0 (which is also what keys of zeros give)",
            STILL_E,
            "05: Two ways that fail",
            hide=lambda scores, mask: np.where(mask, scores, 0.0),
        ),
        Mistake(
            "weights-zeroed",
            "the weights of the padding, or its values, were set to 0, and the rest was left as it was",
            "Then the weights of a row no longer sum to 1: the padding has taken its share. Hide the scores "
            "before softmax, or divide by the sum of what is left.",
            "05: Two ways that fail",
            hide=lambda scores, mask: scores,
            weigh=lambda weights, mask: weights * mask,
        ),
        Mistake(
            "padding-zeroed",
            "keys and values of the padding were both set to 0",
            f"{STILL_E} The share of the padding is lost, and the output comes out too small.",
            "05: Two ways that fail",
            hide=lambda scores, mask: np.where(mask, scores, 0.0),
            weigh=lambda weights, mask: weights * mask,
        ),
        Mistake(
            "infinite-keys",
            "the keys of the padding became −∞, or very negative",
            "Where the query's entries are positive, such a key scores very low; where they are negative, "
            "it scores very *high*; and −∞ and +∞ sum to nan. It is the *score* that should be −∞.",
            "05: Minus infinity before softmax",
            also=[
                {"change": change, "hide": lambda scores, mask: scores, "share": share, "match": match}
                for change in (
                    lambda q, k, v, real: (q, np.where(real[:, :, None], k, -np.inf), v),
                    lambda q, k, v, real: (q, np.where(real[:, :, None], k, -1e9), v),
                )
                for share in (softmax, own_softmax)
                for match in (lambda q, k: q @ np.swapaxes(k, -1, -2),)
            ],
            change=lambda q, k, v, real: (q, np.where(real[:, :, None], k, -np.inf), v),
            hide=lambda scores, mask: scores,
        ),
        *only(
            HIDDEN,
            "mask-added", "zero-times-infinity", "times-infinity", "plus-infinity", "minus-a-little",
            "smallest-score", "infinity-after-softmax", "scores-forgotten", "over-queries", "no-softmax",
            "not-divided",
        ),
        with_ways(
            only(HIDDEN, "no-row-max")[0],
            {"hide": lambda scores, mask: scores, "share": np.exp, "weigh": _shared_again},
        ),
        Mistake(
            "renormalised",
            "the padding was set to 0 after the exponentials: the largest score was taken over the padding, "
            "too",
            "That is right until a padding score lies far above the others, 800, say: then the exponentials "
            "of all real tokens are 0, and 0/0 is left. Hide the scores first, then take softmax.",
            "05: Two ways that fail",
            also=[
                {
                    "hide": lambda scores, mask: scores,
                    "weigh": lambda weights, mask: np.nan_to_num(_shared_again(weights, mask)),
                },
            ],
            hide=lambda scores, mask: scores,
            weigh=_shared_again,
        ),
        Mistake(
            "one-too-many",
            "one padding key too many stays open",
            "Places count from 0: the real tokens of a source of length 3 have the places 0, 1 and 2, all "
            "*smaller* than 3.",
            PADDING,
            real=lambda lengths, n_keys: np.arange(n_keys) <= lengths[:, None],
        ),
        Mistake(
            "one-too-few",
            "the last real token of each source was hidden, too",
            "Places count from 0: the real tokens of a source of length 3 have the places 0, 1 and 2. "
            "(np.arange(1, n_keys + 1) counts from 1, and keys[:length - 1] stops too early.)",
            PADDING,
            also=[
                {"real": lambda lengths, n_keys: np.arange(n_keys) < lengths[:, None] - 1,
                 "share": own_softmax},
            ],
            real=lambda lengths, n_keys: np.arange(n_keys) < lengths[:, None] - 1,
        ),
        Mistake(
            "lengths-in-a-row",
            "the lengths were compared as a row, like the places",
            "Each place should meet each length: a row of places, np.arange(n_keys), and the lengths as a "
            "column, source_lengths[:, None, None].",
            PADDING,
            also=[
                {"real": lambda lengths, n_keys: lengths > np.arange(n_keys)},
                {"real": lambda lengths, n_keys: np.arange(n_keys)[None, :] < lengths},
                {"real": lambda lengths, n_keys: np.arange(n_keys)[None, None, :] < lengths},
                *(
                    {"real": _turned_real, "spread": lambda real, lengths, n_queries: real, **rest}
                    for rest in ({}, {"instead": _helper_with_mask}, {"hide": _other_way}, {"hide": _index})
                ),
            ],
            real=lambda lengths, n_keys: np.arange(n_keys) < lengths,
        ),
        Mistake(
            "mask-of-another-width",
            "the mask does not have a column for each key",
            "The mask is as wide as the padded source, keys.shape[-2]. How long the target is, and how long "
            "the longest source, does not come into it.",
            SOURCE,
            also=[
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, n.max()))[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, k.shape[-1]))[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, v.shape[-1]))[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, len(k)))[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, len(n)))[0]},
                {"whole": lambda q, k, v, n: attention(
                    q, k, v, np.arange(q.shape[-2]) < n[:, None, None])[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, np.arange(n.max()) < n[:, None, None])[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, np.arange(len(k)) < n[:, None, None])[0]},
            ],
            whole=lambda q, k, v, n: attention(q, k, v, padding_mask(n, q.shape[-2]))[0],
        ),
        Mistake(
            "mask-as-index",
            "the mask was used as an index, which needs the full shape of the scores",
            "An axis of 1 does not broadcast in an index. np.where does it: np.where(mask, scores, -np.inf).",
            "05: Minus infinity before softmax",
            hide=_index,
        ),
        Mistake(
            "softmax-first",
            "softmax ran before the mask and once more after it",
            "Weights are no scores: a second softmax makes them nearly equal. Mask the scores, then take "
            "softmax.",
            "05: Minus infinity before softmax",
            scale=lambda scores, queries, keys: softmax(_by_root_d_k(scores, queries, keys)),
        ),
        Mistake(
            "shared-over-everything",
            "what was left of the weights was divided by the sum over all queries and sentences",
            "Each row of weights is a distribution of its own: its sum along the last axis, with "
            "keepdims=True, divides it.",
            AXIS,
            hide=lambda scores, mask: scores,
            weigh=lambda weights, mask: weights * mask / (weights * mask).sum(),
        ),
        Mistake(
            "first-token-hidden",
            "the first token of each source was hidden",
            "Places count from 0, and the token at place 0 is a real one.",
            PADDING,
            also=[
                {"real": lambda lengths, n_keys: _between(0, lengths, n_keys) & _real(lengths, n_keys)},
            ],
            real=lambda lengths, n_keys: _between(0, lengths, n_keys),
        ),
        Mistake(
            "padding-in-front",
            "the first tokens were hidden, as if the padding stood in front",
            "Here it stands at the end: the first `length` keys are real.",
            PADDING,
            real=lambda lengths, n_keys: np.arange(n_keys) >= n_keys - lengths[:, None],
        ),
        Mistake(
            "length-of-the-padding",
            "the lengths were read as numbers of padding keys",
            "They count the real tokens: the first `length` keys may be read.",
            PADDING,
            also=[
                {"real": lambda lengths, n_keys: np.arange(n_keys) < n_keys - lengths[:, None],
                 "share": own_softmax},
            ],
            real=lambda lengths, n_keys: np.arange(n_keys) < n_keys - lengths[:, None],
        ),
        Mistake(
            "last-token-only",
            "only the last real token of each source could be read",
            "All real tokens are open: compare each place with the length by `<`.",
            PADDING,
            also=[{"real": lambda lengths, n_keys: np.arange(n_keys) == lengths[:, None]}],
            real=lambda lengths, n_keys: np.arange(n_keys) == lengths[:, None] - 1,
        ),
        Mistake(
            "first-length-for-all",
            "every source got the length of the first",
            "Each sentence has its own length: compare the places, a row, with the lengths, a column.",
            PADDING,
            real=_cut_at(lambda lengths: lengths[0]),
        ),
        Mistake(
            "last-length-for-all",
            "every source got the length of the last",
            "Each sentence has its own length. In a loop, is something overwritten in each round?",
            PADDING,
            real=_cut_at(lambda lengths: lengths[-1]),
        ),
        Mistake(
            "longest-for-all",
            "every source was cut at the length of the longest",
            "Each sentence has its own length: compare the places, a row, with the lengths, a column.",
            PADDING,
            real=_cut_at(lambda lengths: lengths.max()),
        ),
        Mistake(
            "shortest-for-all",
            "every source was cut at the length of the shortest",
            "That hides real tokens. Each sentence has its own length: compare the places, a row, with the "
            "lengths, a column.",
            PADDING,
            real=_cut_at(lambda lengths: lengths.min()),
        ),
        _mask_shape(
            "queries-hidden",
            "rows were hidden in place of columns: queries, not keys",
            f"{THE_SOURCE} Then each query still gets an output.",
            lambda real, lengths, n_queries: real[:, :, None],
            lambda real, lengths, n_queries: _real(lengths, n_queries)[:, :, None],
            reread=SOURCE,
            whole=lambda lengths, n_queries, n_keys: np.swapaxes(padding_mask(lengths, n_queries), -1, -2),
        ),
        _mask_shape(
            "queries-too",
            "queries were hidden as well as keys",
            f"{THE_SOURCE} The lengths are those of the source; the target needs no mask.",
            _queries_too,
            lambda real, lengths, n_queries: real[:, :, None] & real[:, None, :],
            reread=SOURCE,
            whole=lambda lengths, n_queries, n_keys: (
                padding_mask(lengths, n_keys) & np.swapaxes(padding_mask(lengths, n_queries), -1, -2)
            ),
        ),
        _mask_shape(
            "no-query-axis",
            "the mask has no axis for the queries",
            "(n_sentences, n_keys) does not line up with scores of shape (n_sentences, n_queries, n_keys). "
            "An axis of 1 between the two, `[:, None, :]`, serves all queries.",
            lambda real, lengths, n_queries: real,
        ),
        _mask_shape(
            "every-mask-on-every-sentence",
            "each source's mask was put on every sentence, which makes an axis too many",
            "The mask has the shape (n_sentences, 1, n_keys); an axis of 1 for heads has no place here. In a "
            "loop over the sentences, take queries[i], keys[i] and values[i].",
            lambda real, lengths, n_queries: real[:, None, None, :],
        ),
        Mistake(
            "causal-too",
            "a causal mask was used",
            "The causal mask hides what is not yet written. The source is finished: only its padding is "
            "hidden.",
            SOURCE,
            also=[
                {"spread": lambda real, lengths, n_queries: upper_left(n_queries, real.shape[-1])},
                {"spread": lambda real, lengths, n: causal_mask(n, real.shape[-1]) & real[:, None, :]},
                {"spread": lambda real, lengths, n: causal_mask(n, real.shape[-1])},
            ],
            spread=_causal_too,
        ),
        Mistake(
            "keys-not-turned",
            "the keys were not transposed, or all their axes were, that of the sentences as well",
            "In `queries @ ...` each column should be one key, and sentences stay apart: exchange the last "
            "two axes only, np.swapaxes(keys, -1, -2).",
            "01: All pairs at once",
            also=[{"match": lambda queries, keys: queries @ keys}],
            match=lambda queries, keys: queries @ keys.T,
        ),
        Mistake(
            "two-axes-transposed",
            "`transpose` was given two axes, and the keys have three",
            "In PyTorch keys.transpose(-2, -1) swaps two axes of any array. NumPy's `transpose` takes the "
            "new order of all axes. Use np.swapaxes(keys, -1, -2).",
            "01: All pairs at once",
            match=lambda queries, keys: queries @ keys.transpose(-2, -1),
        ),
        *only(
            MASKED_MISTAKES,
            "weights-returned", "averaged", "hard-lookup", "keys-mixed", "queries-mixed", "root-d_v",
            "never-scaled", "divided-by-d_k", "multiplied", "root-n_keys",
        ),
    ),
    hints=(
        "Which keys of each source are real? Number them 0, 1, 2, … and compare with the length.",
        "The mask has the shape (n_sentences, 1, n_keys): the helper padding_mask(source_lengths, n_keys) "
        "builds it.",
        "output, weights = attention(queries, keys, values, mask=...) does the rest. By hand: −∞ where the "
        "mask is False, before softmax.",
    ),
    explain="One mask, that of the source: it has a row for each sentence, and an axis of 1 that serves all "
    "target tokens. How long the target is does not come into it.",
    reread=SOURCE,
)  # fmt: skip

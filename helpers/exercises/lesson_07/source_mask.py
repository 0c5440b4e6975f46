"""source-mask, lesson 07: attend, and hide the padding of the source.

Its own mistakes are edits of the answer, written out; those of other lessons are steps, from slips/.
"""

from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, triple
from helpers.exercises.kinds.write import Property, Write, alike
from helpers.exercises.lesson_07.shared import only, upper_left, with_ways  # noqa: F401 (edits name some)
from helpers.exercises.slips.hiding import (  # noqa: F401 (in the paragraphs)
    MASKED_MISTAKES,
    MORE_WAYS,
    and_ways,
    hide_mistakes,
    index,
    own_softmax,
)
from helpers.exercises.slips.mixing import by_product  # noqa: F401
from helpers.masking import Mask, causal_mask, padding_mask  # noqa: F401
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array

SOURCE = "07: The mask of the source"
# The padding of the probes lies 800 above the tokens: what is added has to be less than that to show.
LOW = [way for place, way in enumerate(MORE_WAYS["minus-a-little"]) if place >= 14 or place % 7 < 5]


def read_with_padding(queries: Array, keys: Array, values: Array, source_lengths: Array) -> Array:
    """Queries, keys, values, (n_sentences,) -> output (n_sentences, n_queries, d_v); padding is hidden."""
    return attention(queries, keys, values, padding_mask(source_lengths, keys.shape[-2]))[0]


def shared_again(weights: Array, mask: Mask) -> Array:
    """The weights of the padding set to 0, and the rest of each row divided by its sum."""
    return weights * mask / (weights * mask).sum(axis=-1, keepdims=True)


def lowered(keys: Array, real: Mask, number: float) -> Array:
    return np.where(real[:, :, None], keys, number)


def turned_mask(lengths: Array, n_queries: int) -> Mask:
    return np.swapaxes(padding_mask(lengths, n_queries), -1, -2)


def both_masks(lengths: Array, queries: Array, keys: Array) -> Mask:
    return padding_mask(lengths, keys.shape[-2]) & turned_mask(lengths, queries.shape[-2])


def by_hand(queries: Array, keys: Array, values: Array, source_lengths: Array) -> Array:
    """The answer with its steps written out, which the mistakes edit."""
    real = np.arange(keys.shape[-2]) < source_lengths[:, None]
    mask = real[:, None, :]
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ values


EDITS = Edits(by_hand, {
    "places": "np.arange(keys.shape[-2])", "real": "np.arange(keys.shape[-2]) < source_lengths[:, None]",
    "spread": "real[:, None, :]", "match": "dot_product_scores(queries, keys)", "k": "keys in match",
    "scale": "scale_scores(dot_product_scores(queries, keys), queries.shape[-1])",
    "hide": "np.where(mask, scores, -np.inf)", "share": "softmax(np.where(mask, scores, -np.inf))",
    "weigh": "softmax(np.where(mask, scores, -np.inf))",
    "mix": "softmax(np.where(mask, scores, -np.inf)) @ values",
    "output": "softmax(np.where(mask, scores, -np.inf)) @ values",
}, {
    "scale": "match, queries, keys", "hide": "scores, mask", "share": "hide", "weigh": "it, mask",
    "mix": "weigh, queries, keys, values",
})  # fmt: skip
SECTIONS = {
    "mask": SOURCE,
    "infinity": "05: Minus infinity before softmax",
    "fail": "05: Two ways that fail",
    "true": "05: True means may attend",
    "axis": "03: Which axis?",
    "pairs": "01: All pairs at once",
}
WORDS = {
    "still_e": "A score of 0 is not a weight of 0: softmax still gives it a share, e⁰ / the sum. The "
    "*score* has to "
    "become −∞.",
    "source": "The padding belongs to the source, and the source gives the keys: hide columns of the scores.",
    "own": "Each sentence has its own length",
    "column": "compare the places, a row, with the lengths, a column.",
    "zero": "Places count from 0",
}
OWN = EDITS.mistakes(
    """
padding-ignored § mask
    you read the padding as if it were text
    The scores of the keys from `length` on should become −∞, before softmax.
    | hide => scores

inverted § true
    you read the mask the wrong way round, hiding the real tokens and reading the padding
    True = may attend: the first `length` keys. −∞ belongs where the mask is False.
    | hide => np.where(mask, -np.inf, scores)
    | hide => np.where(mask, -np.inf, scores); share => own_softmax(hide)
    | hide => np.where(mask, -1e9, scores)
    | output => attention(queries, keys, values, ~mask)[0]
    | hide => scores - 1e9 * mask

score-0 § fail
    the scores of the padding became 0 (which is also what keys of zeros give)
    {still_e}
    | hide => np.where(mask, scores, 0.0)

weights-zeroed § fail
    you set the padding's weights, or its values, to 0, and left the rest as it was
    Then the weights of a row no longer sum to 1: the padding has taken its share. Hide the scores, before
    softmax. (To divide by the sum of what is left is no way out: where the padding has taken all, it is 0.)
    | hide => scores; weigh => it * mask

inverted-weights-zeroed § fail
    you set the weights of the real tokens to 0, after softmax, and kept those of the padding
    The mask is the wrong way round, True = may attend, and it comes too late. Hide the scores of the
    padding, before softmax: −∞ where the mask is False.
    | hide => scores; weigh => it * ~mask

padding-zeroed § fail
    you set both the keys and the values of the padding to 0
    {still_e} The share of the padding is lost, and the output comes out too small.
    | hide => np.where(mask, scores, 0.0); weigh => it * mask

infinite-keys § infinity
    the keys of the padding became −∞, or very negative
    Where the query's entries are positive, such a key scores very low; where they are negative, it scores
    very *high*; and −∞ plus +∞ is nan. It is the *score* that should be −∞.
    | k => lowered(keys, real, -np.inf); hide => scores
    @ n = -np.inf -1e9
    | k => lowered(keys, real, n); hide => scores; match => by_product(queries, k); share
    | k => lowered(keys, real, n); hide => scores; match => by_product(queries, k); share => own_softmax(hide)

renormalised § fail
    you set the padding to 0 after the exponentials, so the largest score was taken over the padding too
    That works until a padding score lies far above the others, by 800, say: then the exponentials of all
    real tokens are 0, and you are left with 0/0. Hide the scores first, then take softmax.
    | hide => scores; weigh => shared_again(it, mask)
    | hide => scores; weigh => np.nan_to_num(shared_again(it, mask))

one-too-many
    one padding key too many stays open
    {zero}: the real tokens of a source of length 3 have the places 0, 1 and 2, all *smaller* than 3.
    | real => places <= source_lengths[:, None]

one-too-few
    you hid the last real token of each source as well
    {zero}: the real tokens of a source of length 3 have the places 0, 1 and 2. (np.arange(1, n_keys + 1)
    counts from 1, and keys[:length - 1] stops too early.)
    | real => places < source_lengths[:, None] - 1
    | real => places < source_lengths[:, None] - 1; share => own_softmax(hide)

lengths-in-a-row
    you compared the lengths as a row, like the places
    Each place should meet each length: a row of places, np.arange(n_keys), and the lengths as a column,
    source_lengths[:, None, None].
    | real => places < source_lengths
    | real => places < source_lengths; spread => real
    | real => places < source_lengths; spread => real; output => attention(queries, keys, values, mask)[0]
    | real => source_lengths > places
    | real => places[None, :] < source_lengths
    | real => places[None, None, :] < source_lengths
    | real => it.T; spread => real
    | real => it.T; spread => real; output => attention(queries, keys, values, mask)[0]
    | real => it.T; spread => real; hide => np.where(~mask, -np.inf, scores)
    | real => it.T; spread => real; hide => index(scores, mask)

mask-of-another-width § mask
    the mask does not have a column for each key
    The mask is as wide as the padded source, keys.shape[-2]. Neither the length of the target nor that of
    the longest source matters.
    @ n = queries.shape[-2] source_lengths.max() keys.shape[-1] values.shape[-1] len(keys) len(source_lengths)
    | output => attention(queries, keys, values, padding_mask(source_lengths, n))[0]
    @ n = queries.shape[-2] source_lengths.max() len(keys)
    | output => attention(queries, keys, values, np.arange(n) < source_lengths[:, None, None])[0]

mask-as-index § infinity
    you used the mask as an index, which needs the full shape of the scores
    An axis of 1 does not broadcast in an index. np.where does it: np.where(mask, scores, -np.inf).
    | hide => index(scores, mask)

softmax-first § infinity
    you ran softmax before the mask and again after it
    Weights are not scores: a second softmax makes them nearly equal. Mask the scores, then take softmax.
    | scale => softmax(it); share

shared-over-everything § axis
    you divided what was left of the weights by the sum over all queries and sentences
    Each row of weights is a distribution of its own: divide it by its sum along the last axis, with
    keepdims=True.
    | hide => scores; weigh => it * mask / (it * mask).sum()

first-token-hidden
    you hid the first token of each source
    {zero}, and the token at place 0 is a real one.
    | real => (places > 0) & (places <= source_lengths[:, None])
    | real => (places > 0) & it

padding-in-front
    you hid the first tokens, as if the padding came first
    Here it comes at the end: the first `length` keys are real.
    | real => places >= keys.shape[-2] - source_lengths[:, None]

length-of-the-padding
    you read the lengths as counts of padding keys
    The lengths count the real tokens: the first `length` keys may be read.
    | real => places < keys.shape[-2] - source_lengths[:, None]
    | real => places < keys.shape[-2] - source_lengths[:, None]; share => own_softmax(hide)

last-token-only
    only the last real token of each source could be read
    All real tokens are open: compare each place with the length by `<`.
    | real => places == source_lengths[:, None] - 1
    | real => places == source_lengths[:, None]

first-length-for-all
    every source got the length of the first
    {own}: {column}
    | real => places + 0 * source_lengths[:, None] < source_lengths[0]

last-length-for-all
    every source got the length of the last
    {own}. In a loop, is something overwritten on each pass?
    | real => places + 0 * source_lengths[:, None] < source_lengths[-1]

last-sentence-for-all § mask
    you returned the output of the last sentence for all of them
    In a loop, is something overwritten on each pass? Collect the outputs in a list.
    | output => np.repeat(it[-1:], len(it), axis=0)
    | output => it[-1]

longest-for-all
    you cut every source at the length of the longest one
    {own}: {column}
    | real => places + 0 * source_lengths[:, None] < source_lengths.max()

shortest-for-all
    you cut every source at the length of the shortest one
    That hides real tokens. {own}: {column}
    | real => places + 0 * source_lengths[:, None] < source_lengths.min()

queries-hidden § mask
    you hid rows instead of columns: queries, not keys
    {source} Then each query still gets an output.
    @ m = real[:,:,None] (np.arange(queries.shape[-2])<source_lengths[:,None])[:,:,None]
    | spread => m
    @ m = real[:,:,None] (np.arange(queries.shape[-2])<source_lengths[:,None])[:,:,None]
    | spread => m; output => attention(queries, keys, values, mask)[0]
    | spread => m; share => own_softmax(hide)
    | spread => m; hide => scores + np.where(mask, 0.0, -np.inf)
    | spread => m; hide => np.where(~mask, -np.inf, scores)
    | spread => m; hide => index(scores, mask)
    | output => attention(queries, keys, values, turned_mask(source_lengths, queries.shape[-2]))[0]

queries-too § mask
    you hid queries as well as keys
    {source} The lengths are those of the source; the target needs no mask.
    @ m = it&(np.arange(queries.shape[-2])<source_lengths[:,None])[:,:,None] real[:,:,None]&it
    | spread => m
    @ m = it&(np.arange(queries.shape[-2])<source_lengths[:,None])[:,:,None] real[:,:,None]&it
    | spread => m; output => attention(queries, keys, values, mask)[0]
    | spread => m; share => own_softmax(hide)
    | spread => m; hide => scores + np.where(mask, 0.0, -np.inf)
    | spread => m; hide => np.where(~mask, -np.inf, scores)
    | spread => m; hide => index(scores, mask)
    | output => attention(queries, keys, values, both_masks(source_lengths, queries, keys))[0]

no-query-axis
    the mask has no axis for the queries
    (n_sentences, n_keys) does not line up with scores of shape (n_sentences, n_queries, n_keys). An axis of
    1 between the two, `[:, None, :]`, serves all queries.
    | spread => real
    @ m = real
    | spread => m; output => attention(queries, keys, values, mask)[0]
    | spread => m; share => own_softmax(hide)
    | spread => m; hide => scores + np.where(mask, 0.0, -np.inf)
    | spread => m; hide => np.where(~mask, -np.inf, scores)
    | spread => m; hide => index(scores, mask)

every-mask-on-every-sentence
    you put each source's mask on every sentence, which adds an axis too many
    The mask has the shape (n_sentences, 1, n_keys); there is no axis for heads here. In a loop over the
    sentences, take queries[i], keys[i] and values[i].
    | spread => real[:,None,None,:]
    @ m = real[:,None,None,:]
    | spread => m; output => attention(queries, keys, values, mask)[0]
    | spread => m; share => own_softmax(hide)
    | spread => m; hide => scores + np.where(mask, 0.0, -np.inf)
    | spread => m; hide => np.where(~mask, -np.inf, scores)
    | spread => m; hide => index(scores, mask)

causal-too § mask
    you used a causal mask
    A causal mask hides what is not yet written. The source is finished: only its padding is hidden.
    | spread => it & upper_left(queries.shape[-2], keys.shape[-2])
    | spread => upper_left(queries.shape[-2], keys.shape[-2])
    | spread => causal_mask(queries.shape[-2], keys.shape[-2]) & it
    | spread => causal_mask(queries.shape[-2], keys.shape[-2])

keys-not-turned § pairs
    you did not transpose the keys, or you reversed all their axes, the sentences' axis included
    In `queries @ ...` each column should be one key, and sentences stay apart: exchange the last two axes
    only, np.swapaxes(keys, -1, -2).
    | match => queries @ k.T
    | match => queries @ k

two-axes-transposed § pairs
    you gave `transpose` two axes, and the keys have three
    In PyTorch keys.transpose(-2, -1) swaps two axes of any array. NumPy's `transpose` takes the new order of
    all axes. Use np.swapaxes(keys, -1, -2).
    | match => queries @ k.transpose(-2, -1)

keys-mixed
    | mix => weigh @ keys

root-d_v
    | scale => match / np.sqrt(values.shape[-1])
""",
    "05: Padding",
    SECTIONS,
    WORDS,
    MASKED_MISTAKES,
)

HIDDEN = hide_mistakes([softmax, own_softmax])


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
    real = np.swapaxes(padding_mask(lengths, keys.shape[-2]), -1, -2)
    again = call(
        queries, np.where(real, keys, keys[..., ::-1] + 1), np.where(real, values, values + 3), lengths
    )
    if not alike(again, output) or np.allclose(again, output, atol=1e-3, equal_nan=True):
        return ""
    return "Different numbers in the padding change your output. Nothing in the padding should reach it."


def _last_real_read(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, lengths = inputs.values()
    changed = values.copy()
    changed[np.arange(len(lengths)), lengths - 1] += 5
    again = call(queries, keys, changed, lengths)
    if not alike(again, output) or abs(again - output).max(axis=(-2, -1)).min() > 1e-3:
        return ""
    return "Changing the value of the last real token of a source does not change the output: is it hidden?"


def _values_of_1(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, lengths = inputs.values()
    ones = call(queries, keys, np.ones(values.shape), lengths)
    if not alike(ones, output) or np.allclose(ones, 1, atol=4e-3):
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


SAME_VALUES = {
    "queries": np.zeros((2, 1, 4)),
    "keys": np.ones((2, 3, 4)),
    "values": np.array([[[3.0], [6.0], [12.0]], [[3.0], [6.0], [12.0]]]),
}
EXERCISE = Write(
    name="source-mask",
    answer=my_read_with_padding,
    task="Attend, and hide the padding of the source.",
    call="my_read_with_padding(queries, keys, values, source_lengths)",
    right=read_with_padding,
    recipe=EDITS.recipe(),
    probes=tuple(
        Probe(kind, {**inputs, "source_lengths": np.array(lengths)}, hard)
        for kind, inputs, lengths, hard in (
            ("2 sentences", triple(2, n_queries=3, n_keys=5, d_k=4, d_v=6, start=5), (3, 4), False),
            (EXAMPLE, SAME_VALUES, (2, 3), True),
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
            ("one sentence", triple(1, n_queries=3, n_keys=5, d_k=2, d_v=4, start=711), (3,), True),
            ("one query", triple(2, n_queries=1, n_keys=4, d_k=3, d_v=5, start=721), (4, 2), True),
            ("one key", triple(3, n_queries=2, n_keys=1, d_k=4, d_v=6, start=731), (1, 1, 1), True),
            ("d_k 1 and d_v 1", triple(2, n_queries=3, n_keys=6, d_k=1, d_v=1, start=741), (2, 5), True),
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
        *OWN,
        *only(
            HIDDEN,
            "mask-added", "zero-times-infinity", "times-infinity", "plus-infinity", "inverted-score-0",
            "zero-taken-for-hidden", "smallest-score", "infinity-after-softmax", "scores-forgotten",
            "over-queries", "no-softmax",
            "not-divided",
        ),
        *and_ways(only(HIDDEN, "minus-a-little"), {"minus-a-little": LOW}),
        with_ways(
            only(HIDDEN, "no-row-max")[0],
            {"hide": lambda scores, mask: scores, "share": np.exp, "weigh": shared_again},
        ),
        *only(
            MASKED_MISTAKES,
            "weights-returned", "averaged", "hard-lookup", "queries-mixed",
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
    "target tokens. The length of the target does not matter.",
    reread=SOURCE,
)  # fmt: skip

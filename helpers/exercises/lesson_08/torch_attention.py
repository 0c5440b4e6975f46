"""torch-attention, lesson 08: masked attention in tensors: output and weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.feedback import number
from helpers.exercises.engine.probes import Form, Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_08.shared import SIX_LINES, WHOSE_TRUE
from helpers.exercises.slips.masked_probes import MASKED_PROBES
from helpers.pytorch.attention import attention


def _single(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs in float32, the dtype that PyTorch makes unless told otherwise."""
    return {name: value if name == "mask" else value.astype(np.float32) for name, value in inputs.items()}


def _rows_sum_to_1(inputs: Mapping[str, Any], results: Any, _call: Any) -> str:
    weights = np.asarray(results[1])
    shape = (*inputs["queries"].shape[:-1], inputs["keys"].shape[-2])
    if weights.shape != shape:
        return ""
    has_key = np.any(np.broadcast_to(inputs["mask"], shape), axis=-1).ravel()
    sums = weights.sum(axis=-1).ravel()
    wrong = np.flatnonzero(abs(sums - has_key) > 1e-3)
    if not len(wrong):
        return ""
    told = number(sums[wrong[0]])
    if has_key[wrong[0]]:
        return f"A row of weights sums to {told}; each query should spend exactly 1."
    return f"The weights of a query that may attend to nothing should all be 0; they sum to {told}."


def _hidden_weight(inputs: Mapping[str, Any], results: Any, _call: Any) -> str:
    weights = np.asarray(results[1])
    shape = (*inputs["queries"].shape[:-1], inputs["keys"].shape[-2])
    if weights.shape != shape:
        return ""
    hidden = np.where(np.broadcast_to(inputs["mask"], shape), 0, abs(weights))
    if not np.nan_to_num(hidden).max() > 1e-6:
        return ""
    place = np.unravel_index(np.nanargmax(hidden), shape)  # a small one would be told as 0.00
    told = number(weights[place])
    return f"Query {place[-2]} gives a weight of {told} to key {place[-1]}, which is hidden."


def _output_of_weights(inputs: Mapping[str, Any], results: Any, _call: Any) -> str:
    output, weights = map(np.asarray, results)
    try:
        fits = np.allclose(output, weights @ inputs["values"], atol=1e-3, equal_nan=True)
    except ValueError:
        return ""
    return "" if fits else "The output is not these weights @ values: the two results do not belong together."


def _none_dropped(_inputs: Mapping[str, Any], _results: Any, call: Any) -> str:
    """With equal scores dropout shows: as many zeros as the others grew for, elsewhere in each row."""
    n = 64
    zeros = np.zeros((n, 4), dtype=np.float32)
    results = call(zeros[:2], zeros, zeros, np.ones((2, n), dtype=bool))
    weights = np.zeros(0) if results is None else np.asarray(results[1])
    if weights.shape != (2, n) or np.array_equal(weights[0] == 0, weights[1] == 0):
        return ""
    kept = n * weights[weights != 0]
    grown, lost = float(kept.max()), 1 - len(kept) / (2 * n)
    share = 1 - 1 / grown if grown > 1 + 1e-3 else 0.0
    by_chance = abs(lost - share) < 4 * np.sqrt(share * (1 - share) / (2 * n))
    if not by_chance or not np.allclose(kept, grown, atol=1e-3) or abs(weights.sum(-1) - 1).max() < 1e-4:
        return ""
    return (
        f"Where {n} scores are equal and none is hidden, some of your weights are 0, and all others "
        f"{grown:.3g} times what they should be: dropout is on. Leave it out, or call `.eval()` first."
    )


EXACT = ("around", "above", "far apart", "equally long", "nothing hidden")
PAIR = Form(tensors=True, parts={"output": ("query", "entry"), "weights": ("query", "key")})


def _attention_probe(probe: Probe) -> Probe:
    """A probe of lesson 05 in tensors. In float64 stay extreme scores, and where wrong sums nearly cancel.

    There a result in float32 would hang on the order in which a processor adds.
    """
    if probe.kind == "float32":
        doubled = {n: v if n == "mask" else v.astype(np.float64) for n, v in probe.inputs.items()}
        return Probe("float64", doubled, form=PAIR)
    exact = any(word in probe.kind for word in EXACT)
    return Probe(probe.kind, probe.inputs if exact else _single(probe.inputs), probe.hard, PAIR)


def my_attention(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v), mask -> output, weights."""
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    has_key = mask.any(dim=-1, keepdim=True)
    masked = scores.masked_fill(~mask & has_key, -torch.inf)
    weights = torch.softmax(masked, dim=-1).masked_fill(~has_key, 0.0)
    return weights @ values, weights


def step_by_step(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The same as my_attention, but nan on the way for a query with no key: the mistakes are made here."""
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    masked = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(masked, dim=-1).nan_to_num(0.0)
    return weights @ values, weights


def emptied(weights: Tensor, mask: Tensor) -> Tensor:
    """What fixes a row without a key, and may stand beside any other mistake."""
    return weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)


def indexed(scores: Tensor, mask: Tensor) -> Tensor:
    """Scores, a mask -> −∞ where it is False, written through an index."""
    hidden = scores.clone()
    hidden[~mask] = -torch.inf
    return hidden


def turned_where_it_fits(mask: Tensor, scores: Tensor) -> Tensor:
    """The mask on its side where there are as many queries as keys, else as it is."""
    full = mask.expand(scores.shape)
    return full.mT if full.shape[-1] == full.shape[-2] else full


def triangle(scores: Tensor, diagonal: int = 0) -> Tensor:
    """Scores -> a mask of their last two axes: True up to a diagonal."""
    return torch.ones(scores.shape[-2:], dtype=torch.bool).tril(diagonal)


def no_axis(scores: Tensor) -> Tensor:
    """Scores -> weights along the axis that F.softmax takes unless told."""
    return torch.softmax(scores, dim=0 if scores.ndim in (0, 1, 3) else 1)  # as F.softmax(scores) does


def shared_again(weights: Tensor, mask: Tensor, least: float = 0.0) -> Tensor:
    """Weights, a mask -> what it leaves, each row divided by its sum and a little."""
    kept = weights * mask
    return kept / (kept.sum(dim=-1, keepdim=True) + least)


def unshifted(scores: Tensor, least: float = 0.0) -> Tensor:
    """Scores -> weights, without the largest score taken off first."""
    return torch.exp(scores) / (torch.exp(scores).sum(dim=-1, keepdim=True) + least)


# Where −∞ is no share, nan_to_num makes the lowest float32 of it, and sums of these hang on the order in
# which a processor adds. So `no-softmax` and `log-softmax` have no such way.
EDITS = Edits(
    step_by_step,
    {
        "match": "queries @ keys.transpose(-2, -1)",
        "root": "queries.shape[-1] ** 0.5",
        "hide": "scores.masked_fill(~mask, -torch.inf)",
        "plain": "torch.softmax(masked, dim=-1)",
        "share": "torch.softmax(masked, dim=-1).nan_to_num(0.0)",
        "weigh": "torch.softmax(masked, dim=-1).nan_to_num(0.0)",
        "mix": "weights @ values",
    },
)
SECTIONS = {
    "true": WHOSE_TRUE,
    "fail": "05: Two ways that fail",
    "infinity": "05: Minus infinity before softmax",
    "empty": "05: A query with no key",
    "may": "05: True means may attend",
    "axis": "03: Which axis?",
    "shift": "03: Adding a number to every score",
    "large": "02: What large scores do",
}
WORDS = {
    "each": "One distribution for each query: along the keys, the last axis, dim=-1.",
    "zero": "Set such rows to 0: mask.any(dim=-1, keepdim=True) tells you which have a key.",
    "end": "Count from the end: keys.transpose(-2, -1) swaps the last two of any stack.",
    "first": "The forbidden scores should become −∞, before softmax.",
}
MISTAKES = EDITS.mistakes(
    """
inverted § true
    you read the mask the wrong way round, and hid the allowed keys
    True = may attend. masked_fill fills where its mask is *True*: hand it ~mask.
    | hide => scores.masked_fill(mask, -torch.inf); share => plain
    | hide => scores.masked_fill(mask, -torch.inf); share
    | hide => scores.masked_fill(mask, -1e9)
    | hide => scores.masked_fill(mask, -torch.inf); share => plain; weigh => emptied(it, mask)
    @ hidden = scores.masked_fill(mask,-1e9) scores+torch.zeros(mask.shape).masked_fill(mask,-torch.inf)
    | hide => hidden; share => plain
    | hide => hidden; share

mask-ignored
    the mask changed nothing: every key got its weight
    {first} (masked_fill returns a new tensor and leaves the old one as it is: did you keep its result?)
    | hide => scores
    | hide => scores; share => plain; weigh => emptied(it, mask)

weights-zeroed § fail
    you set the weights to 0 after softmax, and left the rest as it was
    Then a row no longer sums to 1: the hidden keys have taken their share. Hide the scores, before
    softmax.
    | hide => scores; weigh => it * mask

zeroed-and-shared-again § fail
    you set the weights to 0 after softmax, and divided each row by what was left
    Where the hidden keys had taken everything, that is 0/0 or close to it. Hide the scores, before
    softmax.
    | hide => scores; weigh => shared_again(it, mask).nan_to_num(0.0)
    | hide => scores; weigh => shared_again(it, mask)
    | hide => scores; weigh => shared_again(it, mask, 1e-9)
    | hide => scores; weigh => it * mask / (it * mask).sum(-1, keepdim=True).clamp(min=1e-9)

score-0 § fail
    the forbidden scores became 0
    A score of 0 is not a weight of 0: softmax still gives it a share, e⁰ / the sum. Only −∞ becomes 0.
    (If you wrote 1e-9: that is nearly 0, too; the number far below is −1e9.)
    | hide => scores.masked_fill(~mask, 0.0)
    | hide => scores * mask
    | hide => scores.masked_fill(~mask, 0.0); share => plain; weigh => emptied(it, mask)
    | hide => scores * mask; share => plain; weigh => emptied(it, mask)

mask-added § fail
    you added the mask as 0s and 1s
    That favours the allowed keys by a factor of e, and hides nothing. Use it to choose: masked_fill or
    torch.where.
    | hide => scores + mask
    | hide => scores + mask; share => plain; weigh => emptied(it, mask)

zero-times-infinity § infinity
    you multiplied 0 by −∞, which is nan
    0 · ∞ is not a number, so the allowed scores are lost. Choose instead of multiplying:
    masked_fill(~mask, -torch.inf).
    @ hidden = scores+~mask*-torch.inf scores+mask*-torch.inf scores*torch.where(mask,0.0,-torch.inf)
    | hide => hidden; share => plain
    | hide => hidden; share

plus-infinity § infinity
    the forbidden scores became +∞
    The largest score gets the most weight. It is e^−∞ that is 0: -torch.inf.
    | hide => scores.masked_fill(~mask, torch.inf); share => plain
    | hide => scores.masked_fill(~mask, torch.inf); share
    | hide => scores.masked_fill(~mask, torch.inf); share => plain; weigh => emptied(it, mask)

minus-a-little § infinity
    the forbidden scores became a number that is not low enough
    Then they keep some weight, and where all other scores are lower they get all of it. −∞ is lower than
    any score. (1e-9 is nearly 0; the large one is −1e9.)
    @ low = -1.0 -2.0 -5.0 -10.0 -20.0 -50.0 -99.0 -100.0 -999.0 -1000.0
    | hide => scores.masked_fill(~mask, low)
    @ low = -1.0 -2.0 -5.0 -10.0 -20.0 -50.0 -99.0 -100.0 -999.0 -1000.0
    | hide => scores.masked_fill(~mask, low); share => plain; weigh => emptied(it, mask)

minus-a-billion § empty
    a query with no key got a mean of values that it may not read
    A very low number such as −1e9 hides a key as long as another one is open. With none open, softmax
    compares the low numbers with one another. {zero}
    @ low = -1e9 -1e4 -1e5 -1e6 -1e12 -1e20 -1e30 torch.finfo(scores.dtype).min
    | hide => scores.masked_fill(~mask, low)
    @ low = -1e9 -1e6 -1e5 -1e4
    | hide => scores + ~mask * low

no-key-nan § empty
    a query with no key got nan
    torch.softmax gives nan where every score is −∞: 0 is divided by 0. {zero}
    | share => plain

weights-still-nan § empty
    a query with no key got zeros for its output, and weights of nan
    The task asks for both results. Fix the weights, and the output follows from them.
    | share => plain; result => (it[0].nan_to_num(0.0), weights)

mask-as-index
    you used the mask as an index, which works only where it has the shape of the scores
    A mask may have fewer axes than the scores, or axes of length 1. masked_fill and torch.where broadcast
    it.
    | hide => indexed(scores, mask)

mask-transposed § may
    you turned the mask on its side
    Rows of the mask are queries and columns are keys, as in the scores: it fits as it is.
    | hide => scores.masked_fill(~mask.mT, -torch.inf)
    | hide => scores.masked_fill(~mask.mT, -torch.inf); share => plain
    @ turned = turned_where_it_fits(mask,scores)
    | hide => scores.masked_fill(~turned, -torch.inf)
    | hide => scores.masked_fill(~turned, -torch.inf); share => plain

one-row-for-all § may
    you hid the same keys from every query
    Each query has a row of the mask to itself. Hand masked_fill the whole mask: it broadcasts by itself.
    @ row = 0 -1
    | hide => scores.masked_fill(~mask.expand(scores.shape)[..., [row], :], -torch.inf)
    | hide => scores.masked_fill(~mask.expand(scores.shape)[..., [row], :], -torch.inf); share => plain

first-mask-for-all § may
    you gave every sentence the mask of the first
    In a stack each sentence, or each head, may have a mask of its own. Hand masked_fill the whole mask.
    @ first = mask.expand(scores.shape).reshape(-1,*scores.shape[-2:])[0]
    | hide => scores.masked_fill(~first, -torch.inf)
    | hide => scores.masked_fill(~first, -torch.inf); share => plain

softmax-twice § axis
    you took softmax twice
    The weights are shares already; a second softmax makes them nearly equal.
    | share => torch.softmax(plain.nan_to_num(0.0), dim=-1)
    | share => torch.softmax(plain, dim=-1)
    | share => torch.softmax(plain, dim=-1).nan_to_num(0.0)

own-causal-mask § may
    you used a causal mask instead of the mask you were given
    The function gets its mask as an argument; it may hide the future, padding, or anything else.
    | hide => scores.masked_fill(~triangle(scores), -torch.inf)
    | hide => scores.masked_fill(~triangle(scores, scores.shape[-1] - scores.shape[-2]), -torch.inf)

causal-mask-too § may
    you hid the future as well
    The mask you are given says everything. Not all attention is causal.
    | hide => scores.masked_fill(~(mask & triangle(scores)), -torch.inf)

over-queries § axis
    softmax ran over the queries
    {each}
    @ wrong = torch.softmax(masked,dim=-2)
    | share => wrong
    | share => wrong.nan_to_num(0.0)
    | share => wrong; weigh => emptied(it, mask)

dim-1 § axis
    softmax ran along dim=1: the keys of one sentence only
    In a batch, axis 1 counts the heads. {each}
    @ wrong = torch.softmax(masked,dim=1)
    | share => wrong
    | share => wrong.nan_to_num(0.0)
    | share => wrong; weigh => emptied(it, mask)

dim-0 § axis
    softmax ran along dim=0
    That is the axis of the sentences, if there is one. {each}
    @ wrong = torch.softmax(masked,dim=0)
    | share => wrong
    | share => wrong.nan_to_num(0.0)
    | share => wrong; weigh => emptied(it, mask)

no-dim § axis
    you did not tell softmax which axis to use, and its own choice depends on the number of axes
    {each}
    @ wrong = no_axis(masked)
    | share => wrong
    | share => wrong.nan_to_num(0.0)
    | share => wrong; weigh => emptied(it, mask)

over-everything § axis
    softmax ran over the whole table
    {each}
    @ wrong = torch.softmax(masked.flatten(),dim=0).reshape(masked.shape)
    | share => wrong
    | share => wrong.nan_to_num(0.0)
    | share => wrong; weigh => emptied(it, mask)

no-softmax
    you left out softmax
    Weights are shares: the exponential of each score, divided by the sum of its row.
    @ wrong = masked
    | share => wrong
    | share => wrong; weigh => emptied(it, mask)

log-softmax
    you took log_softmax: the logarithms of the weights
    Weights are shares between 0 and 1, and those of a row sum to 1. torch.softmax gives them.
    @ wrong = torch.log_softmax(masked,dim=-1)
    | share => wrong
    | share => wrong; weigh => emptied(it, mask)

not-divided
    you did not divide the exponentials by their sum
    Weights are shares: each exponential is divided by the sum of its row.
    | share => torch.exp(masked)

no-row-max § shift
    you did not subtract the largest score first
    e^1000 is larger than any float, and e^−1000 is 0: the shares ∞/∞ and 0/0 are nan. torch.softmax
    subtracts the largest score for you.
    | share => torch.where(masked.isneginf().all(-1, keepdim=True), 0.0, unshifted(masked))
    | share => unshifted(masked)
    | share => unshifted(masked).nan_to_num(0.0)
    | hide => scores; share => torch.exp(masked); weigh => shared_again(it, mask).nan_to_num(0.0)
    | hide => scores; share => torch.exp(masked); weigh => shared_again(it, mask)
    @ least = 1e-12 1e-10 1e-9 1e-8 1e-6
    | hide => scores; share => torch.exp(masked); weigh => shared_again(it, mask, least)
    | share => unshifted(masked, least)

never-scaled § large
    you never scaled the scores
    The dot product of d_k terms spreads like √d_k: divide by d_k**0.5 before softmax.
    | root => 1

divided-by-d_k
    you divided the scores by d_k
    The variance grows with d_k, the spread with its root: divide by d_k**0.5.
    | root => queries.shape[-1]

multiplied
    you multiplied the scores by √d_k
    That spreads them further. Divide.
    | root => queries.shape[-1] ** -0.5

root-n_keys
    you divided the scores by the root of the number of keys
    d_k is the length of a query: queries.shape[-1].
    | root => keys.shape[-2] ** 0.5

root-d_v
    you divided the scores by √d_v
    The scale belongs to the match of queries with keys, which are d_k long, not to the values.
    | root => values.shape[-1] ** 0.5

root-of-another-axis
    you divided the scores by the root of some axis other than d_k
    Count axes from the end: d_k is queries.shape[-1]. In a batch size(0) counts sentences, and size(1)
    queries or heads.
    | root => queries.shape[0] ** 0.5
    | root => queries.shape[1] ** 0.5

three-axes-only
    you swapped axes 1 and 2 of the keys, which are the right ones only with one axis in front of them
    {end}
    | match => queries @ keys.transpose(1, 2)

keys-reshaped
    you gave the keys another shape by `reshape` or `view`, where their axes should be swapped
    reshape keeps the numbers in their order and cuts them into other rows. {end}
    | match => queries @ keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])

all-axes-reversed
    `.T` reversed all axes of the keys
    Only the last two should be swapped: keys.transpose(-2, -1), or keys.mT.
    | match => queries @ keys.permute(*reversed(range(keys.ndim)))

two-axes-from-the-front
    you swapped axes 0 and 1 of the keys, as in a single matrix
    {end}
    | match => queries @ keys.transpose(0, 1)

not-transposed
    you did not transpose the keys
    Each query meets each key: queries @ keys.transpose(-2, -1).
    | match => queries @ keys

keys-mixed
    you mixed the keys, not the values, by the weights
    Keys are matched, values are mixed: weights @ values.
    | mix => weights @ keys

added-to-the-input
    you added the output to the values
    That is one step too many. The output is weights @ values and nothing more.
    | mix => values[..., : queries.shape[-2], :] + it

results-swapped
    you swapped the two results
    The output comes first, then the weights, as from the helper.
    | result => it[::-1]

scores-returned
    you returned the scores instead of the weights
    Scores come before softmax, weights after it: each row of weights sums to 1.
    | result => (it[0], scores)

weights-before-the-mask
    you returned weights that had not seen the mask, although the output had
    Return the weights that you used to mix the values.
    | result => (it[0], torch.softmax(scores, dim=-1))
""",
    SIX_LINES,
    SECTIONS,
    WORDS,
)
EXERCISE = Write(
    name="torch-attention",
    answer=my_attention,
    task="Masked attention in tensors: output and weights.",
    call="my_attention(queries, keys, values, mask)",
    right=attention,
    recipe=EDITS.recipe(),
    probes=tuple(map(_attention_probe, MASKED_PROBES)),
    properties=(
        Property("rows sum to 1", "each row of weights sums to 1, or to 0 without a key", _rows_sum_to_1),
        Property("none dropped", "no weight is dropped", _none_dropped),
        Property("hidden keys", "a hidden key gets no weight", _hidden_weight),
        Property("one with the other", "the output is weights @ values", _output_of_weights),
    ),
    mistakes=MISTAKES,
    hints=(
        "The five steps as in NumPy: queries @ keys.transpose(-2, -1), divided by d_k**0.5; mask; "
        "torch.softmax(..., dim=-1); @ values.",
        "scores.masked_fill(~mask, -torch.inf) puts −∞ where the mask says False, and broadcasts it.",
        "A row that is all −∞ becomes nan. mask.any(dim=-1, keepdim=True) is False for it: fill its weights "
        "with 0.",
    ),
    explain="`& has_key` leaves a row without a key as it is, and its weights become 0 afterwards: so there "
    "is no nan on the way, neither in the forward pass nor in the gradients.",
    reread=SIX_LINES,
)

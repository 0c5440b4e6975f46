"""torch-attention, lesson 08: masked attention in tensors: output and weights."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.feedback import number
from helpers.exercises.engine.probes import Form, Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_08.shared import EACH_QUERY, SIX_LINES, WHOSE_TRUE, Step, along, plain, same
from helpers.exercises.slips.masked_probes import MASKED_PROBES
from helpers.pytorch.attention import attention


def _single(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs in float32, the dtype that PyTorch makes unless told otherwise."""
    return {name: value if name == "mask" else value.astype(np.float32) for name, value in inputs.items()}


def _match(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ keys.transpose(-2, -1)


def _by_root_d_k(scores: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return scores / math.sqrt(queries.shape[-1])


def _minus_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -math.inf)


def _fill(low: float) -> Step:
    return lambda scores, mask: scores.masked_fill(~mask, low)


def _other_way(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask, -math.inf)


def _zero_times_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return scores + ~mask * -math.inf


def _index(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = scores.clone()
    hidden[~mask] = -math.inf
    return hidden


def _guarded(share: Step) -> Step:
    """A softmax, right or wrong, that gives 0 where it would give nan."""
    return lambda scores: share(scores).nan_to_num(0.0)


_plain_but_0 = _guarded(plain)


def _no_axis(scores: Tensor) -> Tensor:
    return torch.softmax(scores, dim=0 if scores.ndim in (0, 1, 3) else 1)  # as F.softmax(scores) does


def _over_everything(scores: Tensor) -> Tensor:
    return torch.softmax(scores.flatten(), dim=0).reshape(scores.shape)


def _unshifted(scores: Tensor) -> Tensor:
    return torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)


def _mixed(weights: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def _both(output: Tensor, weights: Tensor, _scores: Tensor) -> tuple[Tensor, Tensor]:
    return output, weights


def _attention_by_choices(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor, *, match: Step = _match,
    scale: Step = _by_root_d_k, hide: Step = _minus_infinity, share: Step = _plain_but_0,
    weigh: Step = same, mix: Step = _mixed, results: Step = _both,
) -> Any:  # fmt: skip
    scores = scale(match(queries, keys), queries, keys, values)
    weights = weigh(share(hide(scores, mask)), mask)
    return results(mix(weights, queries, keys, values), weights, scores)


def _divided_by(number_of: Step) -> Step:
    return lambda scores, queries, keys, values: scores / number_of(queries, keys, values)


def _with_both(**choices: Any) -> list[dict[str, Any]]:
    """A wrong step beside either softmax: with a row of −∞ alone giving nan, and giving zeros."""
    return [{**choices, "share": share} for share in (plain, _plain_but_0)]


def _either(share: Step) -> list[dict[str, Any]]:
    return [{"share": share}, {"share": _guarded(share)}, {"share": share, "weigh": _rows_emptied}]


def _rows_emptied(weights: Tensor, mask: Tensor) -> Tensor:
    """What mends a row without a key, and may stand beside any other mistake."""
    return weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)


def _emptied(hide: Step) -> dict[str, Any]:
    return {"hide": hide, "share": plain, "weigh": _rows_emptied}


def _ways(name: str, says: str, idea: str, reread: str, ways: Sequence[dict[str, Any]]) -> Mistake:
    first, *also = ways
    return Mistake(name, says, idea, reread, also, **first)


def _renormalised(weights: Tensor, mask: Tensor) -> Tensor:
    kept = weights * mask
    return kept / kept.sum(dim=-1, keepdim=True)


def _kept_shared(least: float) -> Step:
    """Exponentials, not shifted, that the mask sets to 0 -> each divided by the sum of its row."""

    def weigh(exponentials: Tensor, mask: Tensor) -> Tensor:
        kept = exponentials * mask
        return kept / (kept.sum(dim=-1, keepdim=True) + least)

    return weigh


def _unshifted_but(least: float) -> Step:
    return lambda scores: torch.exp(scores) / (torch.exp(scores).sum(dim=-1, keepdim=True) + least)


def _lower_left(scores: Tensor) -> Tensor:
    return torch.ones(scores.shape[-2:], dtype=torch.bool).tril()


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


PAIR = Form(tensors=True, parts={"output": ("query", "entry"), "weights": ("query", "key")})


def _attention_probe(probe: Probe) -> Probe:
    """A probe of lesson 05 in tensors: extreme scores stay in float64, and one more."""
    if probe.kind == "float32":
        doubled = {n: v if n == "mask" else v.astype(np.float64) for n, v in probe.inputs.items()}
        return Probe("float64", doubled, form=PAIR)
    extreme = probe.hard and "key" not in probe.kind and "padding" not in probe.kind
    extreme = extreme or "above" in probe.kind
    return Probe(probe.kind, probe.inputs if extreme else _single(probe.inputs), probe.hard, PAIR)


A_LITTLE = (-1.0, -2.0, -5.0, -10.0, -20.0, -50.0, -99.0, -100.0, -999.0, -1000.0)


MASK_FIRST = "The forbidden scores should become −∞, before softmax."


def my_attention(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v), mask -> output, weights."""
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    has_key = mask.any(dim=-1, keepdim=True)
    masked = scores.masked_fill(~mask & has_key, -torch.inf)
    weights = torch.softmax(masked, dim=-1).masked_fill(~has_key, 0.0)
    return weights @ values, weights


EXERCISE = Write(
    name="torch-attention",
    answer=my_attention,
    task="Masked attention in tensors: output and weights.",
    call="my_attention(queries, keys, values, mask)",
    right=attention,
    recipe=_attention_by_choices,
    probes=tuple(map(_attention_probe, MASKED_PROBES)),
    properties=(
        Property("rows sum to 1", "each row of weights sums to 1, or to 0 without a key", _rows_sum_to_1),
        Property("hidden keys", "a hidden key gets no weight", _hidden_weight),
        Property("one with the other", "the output is weights @ values", _output_of_weights),
    ),
    mistakes=(
        _ways(
            "inverted",
            "the mask was read the other way round: the allowed keys were hidden",
            "True = may attend. masked_fill fills where its mask is *True*: hand it ~mask.",
            WHOSE_TRUE,
            [
                *_with_both(hide=_other_way),
                _emptied(_other_way),
                *_with_both(hide=lambda s, m: s.masked_fill(m, -1e9)),
                *_with_both(hide=lambda s, m: s + torch.zeros(m.shape).masked_fill(m, -math.inf)),
            ],
        ),
        Mistake(
            "mask-ignored",
            "the mask changed nothing: every key got its weight",
            f"{MASK_FIRST} (masked_fill returns a new tensor and leaves the old one as it is: was its result "
            "kept?)",
            SIX_LINES,
            [_emptied(same)],
            hide=same,
        ),
        Mistake(
            "weights-zeroed",
            "the weights were set to 0 after softmax, and the rest was left as it was",
            "Then a row no longer sums to 1: the hidden keys have taken their share. Hide the scores, before "
            "softmax.",
            "05: Two ways that fail",
            hide=same,
            weigh=lambda weights, mask: weights * mask,
        ),
        _ways(
            "zeroed-and-shared-again",
            "the weights were set to 0 after softmax, and each row was divided by what was left",
            "That is 0/0, or nearly, where the hidden keys had taken everything. Hide the scores, before "
            "softmax.",
            "05: Two ways that fail",
            [
                {"hide": same, "weigh": lambda w, m: _renormalised(w, m).nan_to_num(0.0)},
                {"hide": same, "weigh": _renormalised},
                {"hide": same, "weigh": lambda w, m: w * m / ((w * m).sum(-1, keepdim=True) + 1e-9)},
                {"hide": same, "weigh": lambda w, m: w * m / (w * m).sum(-1, keepdim=True).clamp(min=1e-9)},
            ],
        ),
        Mistake(
            "score-0",
            "the forbidden scores became 0",
            "A score of 0 is not a weight of 0: softmax gives it e⁰ / the sum. −∞ is what becomes 0. (And "
            "1e-9 is nearly 0; it is −1e9 that is far below.)",
            "05: Two ways that fail",
            also=[
                {"hide": lambda scores, mask: scores * mask},
                _emptied(_fill(0.0)),
                _emptied(lambda scores, mask: scores * mask),
            ],
            hide=_fill(0.0),
        ),
        Mistake(
            "mask-added",
            "the mask was added as 0 and 1",
            "That favours the allowed keys by a factor of e, and hides nothing. Choose by it: masked_fill or "
            "torch.where.",
            "05: Two ways that fail",
            [_emptied(lambda scores, mask: scores + mask)],
            hide=lambda scores, mask: scores + mask,
        ),
        _ways(
            "zero-times-infinity",
            "0 was multiplied by −∞, which is nan",
            "0 · ∞ is no number, so that the allowed scores are lost. Choose instead of calculating: "
            "masked_fill(~mask, -torch.inf).",
            "05: Minus infinity before softmax",
            [
                *_with_both(hide=_zero_times_infinity),
                *_with_both(hide=lambda scores, mask: scores + mask * -math.inf),
                *_with_both(hide=lambda scores, mask: scores * torch.where(mask, 0.0, -math.inf)),
            ],
        ),
        _ways(
            "plus-infinity",
            "the forbidden scores became +∞",
            "The largest score gets the most weight. It is e^−∞ that is 0: -torch.inf.",
            "05: Minus infinity before softmax",
            [*_with_both(hide=_fill(math.inf)), _emptied(_fill(math.inf))],
        ),
        Mistake(
            "minus-a-little",
            "the forbidden scores became a number that is not low enough",
            "Then they keep some weight, and where all other scores are lower they get all of it. −∞ is "
            "lower than any score. (1e-9 is nearly 0; it is −1e9 that is large.)",
            "05: Minus infinity before softmax",
            also=[
                *({"hide": _fill(low)} for low in A_LITTLE[1:]),
                *(_emptied(_fill(low)) for low in A_LITTLE),
            ],
            hide=_fill(-1.0),
        ),
        Mistake(
            "minus-a-billion",
            "a query with no key got a mean of values that it may not read",
            "A very low number such as −1e9 hides a key as long as another one is open. With none open the "
            "low numbers are compared with one another. Set such rows to 0: mask.any(dim=-1, keepdim=True) "
            "says which have a key.",
            "05: A query with no key",
            also=[
                *({"hide": _fill(low)} for low in (-1e4, -1e5, -1e6, -1e12, -1e20, -1e30)),
                *({"hide": lambda s, m, low=low: s + ~m * low} for low in (-1e9, -1e6, -1e5, -1e4)),
                {"hide": lambda s, m: s.masked_fill(~m, torch.finfo(s.dtype).min)},
            ],
            hide=_fill(-1e9),
        ),
        Mistake(
            "no-key-nan",
            "a query with no key got nan",
            "torch.softmax gives nan where every score is −∞: 0 is divided by 0. Set such rows to 0: "
            "mask.any(dim=-1, keepdim=True) says which have a key.",
            "05: A query with no key",
            share=plain,
        ),
        _ways(
            "weights-still-nan",
            "a query with no key got zeros for its output, and weights of nan",
            "Both results are asked for. Mend the weights, and the output follows from them.",
            "05: A query with no key",
            [
                {
                    "share": plain,
                    "results": lambda output, weights, _scores: (output.nan_to_num(0.0), weights),
                }
            ],
        ),
        Mistake(
            "mask-as-index",
            "the mask was used as an index, which works only where it has the shape of the scores",
            "A mask may have fewer axes than the scores, or axes of length 1. masked_fill and torch.where "
            "broadcast it.",
            SIX_LINES,
            hide=_index,
        ),
        Mistake(
            "own-causal-mask",
            "a causal mask was used in place of the mask that was given",
            "The function gets its mask as an argument; it may hide the future, padding, or anything else.",
            "05: True means may attend",
            also=[
                {
                    "hide": lambda s, m: _minus_infinity(
                        s, torch.ones(s.shape[-2:], dtype=torch.bool).tril(s.shape[-1] - s.shape[-2])
                    )
                }
            ],
            hide=lambda scores, mask: _minus_infinity(scores, _lower_left(scores)),
        ),
        Mistake(
            "causal-mask-too",
            "the future was hidden as well",
            "The mask that is given says all. Not every attention is causal.",
            "05: True means may attend",
            hide=lambda scores, mask: _minus_infinity(scores, mask & _lower_left(scores)),
        ),
        _ways(
            "over-queries", "softmax ran over the queries", EACH_QUERY, "03: Which axis?", _either(along(-2))
        ),
        _ways(
            "dim-1",
            "softmax ran along dim=1: the keys of one sentence only",
            f"In a batch of heads axis 1 counts the heads. {EACH_QUERY}",
            "03: Which axis?",
            _either(along(1)),
        ),
        _ways(
            "dim-0",
            "softmax ran along dim=0",
            f"That is the axis of the sentences, if there is one. {EACH_QUERY}",
            "03: Which axis?",
            _either(along(0)),
        ),
        _ways(
            "no-dim",
            "softmax was not told along which axis, and took another one for each number of axes",
            EACH_QUERY,
            "03: Which axis?",
            _either(_no_axis),
        ),
        _ways(
            "over-everything",
            "softmax ran over the whole table",
            EACH_QUERY,
            "03: Which axis?",
            _either(_over_everything),
        ),
        _ways(
            "no-softmax",
            "softmax was left out",
            "Weights are shares: the exponential of each score, divided by the sum of its row.",
            SIX_LINES,
            _either(same),
        ),
        Mistake(
            "not-divided",
            "the exponentials were not divided by their sum",
            "Weights are shares: each exponential is divided by the sum of its row.",
            SIX_LINES,
            share=torch.exp,
        ),
        _ways(
            "no-row-max",
            "the largest score was not subtracted first",
            "e^1000 is larger than any float, and e^−1000 is 0: the shares ∞/∞ and 0/0 are nan. "
            "torch.softmax subtracts the largest score by itself.",
            "03: Adding a number to every score",
            [
                {"share": lambda s: torch.where(s.isneginf().all(-1, keepdim=True), 0.0, _unshifted(s))},
                {"share": _unshifted},
                {"share": _guarded(_unshifted)},
                {
                    "hide": same,
                    "share": torch.exp,
                    "weigh": lambda e, m: _renormalised(e, m).nan_to_num(0.0),
                },
                {"hide": same, "share": torch.exp, "weigh": _renormalised},
                *(
                    {"hide": same, "share": torch.exp, "weigh": _kept_shared(least)}
                    for least in (1e-12, 1e-10, 1e-9, 1e-8, 1e-6)
                ),
                *({"share": _unshifted_but(least)} for least in (1e-12, 1e-10, 1e-9, 1e-8, 1e-6)),
            ],
        ),
        Mistake(
            "never-scaled",
            "the scores were never scaled",
            "The dot product of d_k terms spreads like √d_k: divide by d_k**0.5 before softmax.",
            "02: What large scores do",
            scale=same,
        ),
        Mistake(
            "divided-by-d_k",
            "the scores were divided by d_k",
            "The variance grows with d_k, the spread with its root: divide by d_k**0.5.",
            SIX_LINES,
            scale=_divided_by(lambda queries, keys, values: queries.shape[-1]),
        ),
        Mistake(
            "multiplied",
            "the scores were multiplied by √d_k",
            "That spreads them further. Divide.",
            SIX_LINES,
            scale=_divided_by(lambda queries, keys, values: queries.shape[-1] ** -0.5),
        ),
        Mistake(
            "root-n_keys",
            "the scores were divided by the root of the number of keys",
            "d_k is the length of a query: queries.shape[-1].",
            SIX_LINES,
            scale=_divided_by(lambda queries, keys, values: math.sqrt(keys.shape[-2])),
        ),
        Mistake(
            "root-d_v",
            "the scores were divided by √d_v",
            "The scale belongs to the match of queries with keys, which are d_k long, not to the values.",
            SIX_LINES,
            scale=_divided_by(lambda queries, keys, values: math.sqrt(values.shape[-1])),
        ),
        Mistake(
            "root-of-another-axis",
            "the scores were divided by the root of another axis than d_k",
            "Count axes from the end: d_k is queries.shape[-1]. In a batch size(0) counts sentences, and "
            "size(1) queries or heads.",
            SIX_LINES,
            also=[{"scale": _divided_by(lambda queries, keys, values: math.sqrt(queries.shape[1]))}],
            scale=_divided_by(lambda queries, keys, values: math.sqrt(queries.shape[0])),
        ),
        Mistake(
            "three-axes-only",
            "axes 1 and 2 of the keys were swapped, which are the right ones only where there is one axis "
            "before them",
            "Count from the end: keys.transpose(-2, -1) swaps the last two of any stack.",
            SIX_LINES,
            match=lambda queries, keys: queries @ keys.transpose(1, 2),
        ),
        Mistake(
            "all-axes-reversed",
            "`.T` reversed all axes of the keys",
            "Only the last two should be swapped: keys.transpose(-2, -1), or keys.mT.",
            SIX_LINES,
            match=lambda queries, keys: queries @ keys.permute(*reversed(range(keys.ndim))),
        ),
        Mistake(
            "two-axes-from-the-front",
            "axes 0 and 1 of the keys were swapped, as in a single matrix",
            "Count from the end: keys.transpose(-2, -1) swaps the last two of any stack.",
            SIX_LINES,
            match=lambda queries, keys: queries @ keys.transpose(0, 1),
        ),
        Mistake(
            "not-transposed",
            "the keys were not turned",
            "Each query meets each key: queries @ keys.transpose(-2, -1).",
            SIX_LINES,
            match=lambda queries, keys: queries @ keys,
        ),
        Mistake(
            "keys-mixed",
            "the keys were mixed by the weights",
            "Keys are matched, values are mixed: weights @ values.",
            SIX_LINES,
            mix=lambda weights, queries, keys, values: weights @ keys,
        ),
        Mistake(
            "added-to-the-input",
            "the output was added to the values",
            "That is one step too many. The output is weights @ values, and no more.",
            SIX_LINES,
            mix=lambda w, queries, keys, values: values[..., : queries.shape[-2], :] + w @ values,
        ),
        Mistake(
            "results-swapped",
            "the two results changed places",
            "The output comes first, then the weights, as from the helper.",
            SIX_LINES,
            results=lambda output, weights, scores: (weights, output),
        ),
        Mistake(
            "scores-returned",
            "the scores were returned in place of the weights",
            "Scores come before softmax, weights after it: each row of weights sums to 1.",
            SIX_LINES,
            results=lambda output, weights, scores: (output, scores),
        ),
        Mistake(
            "weights-before-the-mask",
            "the weights that were returned had not seen the mask, and the output had",
            "Return the weights by which the values were mixed.",
            SIX_LINES,
            results=lambda output, weights, scores: (output, plain(scores)),
        ),
    ),
    hints=(
        "The five steps as in NumPy: queries @ keys.transpose(-2, -1), divided by d_k**0.5; mask; "
        "torch.softmax(..., dim=-1); @ values.",
        "scores.masked_fill(~mask, -torch.inf) puts −∞ where the mask says False, and broadcasts it.",
        "A row of −∞ alone becomes nan. mask.any(dim=-1, keepdim=True) is False for it: fill its weights "
        "with 0.",
    ),
    explain="`& has_key` leaves a row without a key as it is, and its weights become 0 afterwards: so no nan "
    "arises on the way, neither forwards nor in the gradients.",
    reread=SIX_LINES,
)

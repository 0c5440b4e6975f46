"""Exercises of lesson 08: same numbers, on a GPU. Loads torch, as no lesson before it does.

The recipes take and give tensors. The probes hold arrays; the engine makes tensors of them (see `tensors`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)

from helpers.exercises.answers import ANSWERS
from helpers.exercises.answers_in_torch import ANSWERS_IN_TORCH, my_heads
from helpers.exercises.diagnosis import Mistake
from helpers.exercises.feedback import Feedback, number, paragraph, section
from helpers.exercises.given import GIVEN
from helpers.exercises.given_in_torch import GIVEN_IN_TORCH
from helpers.exercises.kinds import Mend, Open, Property, Slip, Table, Write
from helpers.exercises.lesson_05 import MASKED_ATTENTION
from helpers.exercises.probes import Form, Probe, numbers
from helpers.exercises.sandbox import Outcome, Runner
from helpers.pytorch.attention import attention, fused_attention
from helpers.softmax import softmax
from helpers.validation import Array

# The lesson's own answers and wrong functions join the others, for `solution` and for the check.
ANSWERS.update(ANSWERS_IN_TORCH)
GIVEN.update(GIVEN_IN_TORCH)

SIX_LINES = "08: Six lines, in tensors"
MODULE = "08: A module with weights of its own"
WHOSE_TRUE = "08: Whose True is it?"
CORNER = "08: Which corner?"
WHICH_AXIS = "08: Which axis is the heads'?"
DROPOUT = "08: Dropout that never stops"
WHOSE_BATCH = "08: Whose batch comes first?"
HOW_LONG = "08: How long does it take?"
LIMITS = "08: What limits it?"

TENSORS = Form(tensors=True)
Step = Callable[..., Any]


def _single(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs in float32, the dtype that PyTorch makes unless told otherwise."""
    return {name: value if name == "mask" else value.astype(np.float32) for name, value in inputs.items()}


def _same(thing: Any, *_more: Any) -> Any:
    return thing


# --- torch-attention ---------------------------------------------------------------------------------


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


def _plain(scores: Tensor) -> Tensor:
    return torch.softmax(scores, dim=-1)


def _guarded(share: Step) -> Step:
    """A softmax, right or wrong, that gives 0 where it would give nan."""
    return lambda scores: share(scores).nan_to_num(0.0)


_plain_but_0 = _guarded(_plain)


def _along(axis: int) -> Step:
    return lambda scores: torch.softmax(scores, dim=axis)


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
    weigh: Step = _same, mix: Step = _mixed, results: Step = _both,
) -> Any:  # fmt: skip
    scores = scale(match(queries, keys), queries, keys, values)
    weights = weigh(share(hide(scores, mask)), mask)
    return results(mix(weights, queries, keys, values), weights, scores)


def _divided_by(number_of: Step) -> Step:
    return lambda scores, queries, keys, values: scores / number_of(queries, keys, values)


def _with_both(**choices: Any) -> list[dict[str, Any]]:
    """A wrong step beside either softmax: with a row of −∞ alone giving nan, and giving zeros."""
    return [{**choices, "share": share} for share in (_plain, _plain_but_0)]


def _either(share: Step) -> list[dict[str, Any]]:
    return [{"share": share}, {"share": _guarded(share)}, {"share": share, "weigh": _rows_emptied}]


def _rows_emptied(weights: Tensor, mask: Tensor) -> Tensor:
    """What mends a row without a key, and may stand beside any other mistake."""
    return weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)


def _emptied(hide: Step) -> dict[str, Any]:
    return {"hide": hide, "share": _plain, "weigh": _rows_emptied}


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
EACH_QUERY = "One distribution for each query: along the keys, the last axis, dim=-1."

TORCH_ATTENTION = Write(
    name="torch-attention",
    task="Masked attention in tensors: output and weights.",
    call="my_attention(queries, keys, values, mask)",
    right=attention,
    recipe=_attention_by_choices,
    probes=tuple(map(_attention_probe, MASKED_ATTENTION.probes)),
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
            [_emptied(_same)],
            hide=_same,
        ),
        Mistake(
            "weights-zeroed",
            "the weights were set to 0 after softmax, and the rest was left as it was",
            "Then a row no longer sums to 1: the hidden keys have taken their share. Hide the scores, before "
            "softmax.",
            "05: Two ways that fail",
            hide=_same,
            weigh=lambda weights, mask: weights * mask,
        ),
        _ways(
            "zeroed-and-shared-again",
            "the weights were set to 0 after softmax, and each row was divided by what was left",
            "That is 0/0, or nearly, where the hidden keys had taken everything. Hide the scores, before "
            "softmax.",
            "05: Two ways that fail",
            [
                {"hide": _same, "weigh": lambda w, m: _renormalised(w, m).nan_to_num(0.0)},
                {"hide": _same, "weigh": _renormalised},
                {"hide": _same, "weigh": lambda w, m: w * m / ((w * m).sum(-1, keepdim=True) + 1e-9)},
                {"hide": _same, "weigh": lambda w, m: w * m / (w * m).sum(-1, keepdim=True).clamp(min=1e-9)},
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
            share=_plain,
        ),
        _ways(
            "weights-still-nan",
            "a query with no key got zeros for its output, and weights of nan",
            "Both results are asked for. Mend the weights, and the output follows from them.",
            "05: A query with no key",
            [
                {
                    "share": _plain,
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
            "over-queries", "softmax ran over the queries", EACH_QUERY, "03: Which axis?", _either(_along(-2))
        ),
        _ways(
            "dim-1",
            "softmax ran along dim=1: the keys of one sentence only",
            f"In a batch of heads axis 1 counts the heads. {EACH_QUERY}",
            "03: Which axis?",
            _either(_along(1)),
        ),
        _ways(
            "dim-0",
            "softmax ran along dim=0",
            f"That is the axis of the sentences, if there is one. {EACH_QUERY}",
            "03: Which axis?",
            _either(_along(0)),
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
            _either(_same),
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
                    "hide": _same,
                    "share": torch.exp,
                    "weigh": lambda e, m: _renormalised(e, m).nan_to_num(0.0),
                },
                {"hide": _same, "share": torch.exp, "weigh": _renormalised},
                *(
                    {"hide": _same, "share": torch.exp, "weigh": _kept_shared(least)}
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
            scale=_same,
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
            results=lambda output, weights, scores: (output, _plain(scores)),
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

# --- torch-weights -----------------------------------------------------------------------------------


def projections(in_proj_weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(3·d_model, d_model) -> w_q, w_k, w_v as (in, out)."""
    w_q, w_k, w_v = in_proj_weight.chunk(3)
    return w_q.T, w_k.T, w_v.T


def _three_runs(packed: Tensor) -> Sequence[Tensor]:
    return packed.chunk(3)


def _turned(matrix: Tensor) -> Tensor:
    return matrix.T


def _projections_by_choices(
    packed: Tensor, *, cut: Step = _three_runs, turn: Step = _turned, order: Sequence[int] = (0, 1, 2),
    left: Sequence[int] = (),
) -> Any:  # fmt: skip
    parts = cut(packed)
    return [parts[place] if place in left else turn(parts[place]) for place in order]


THREE = Form(tensors=True, parts=dict.fromkeys(("w_q", "w_k", "w_v"), ("row", "entry")), stacked=True)


def _every_third(packed: Tensor) -> Sequence[Tensor]:
    return [packed[start::3] for start in range(3)]


def _by_columns(packed: Tensor) -> Sequence[Tensor]:
    return packed.chunk(3, dim=-1)


TORCH_WEIGHTS = Write(
    name="torch-weights",
    task="nn.MultiheadAttention's in_proj_weight, taken apart into W_Q, W_K and W_V as (in, out).",
    call="my_projections(in_proj_weight)",
    right=projections,
    recipe=_projections_by_choices,
    probes=tuple(
        Probe(kind, {"in_proj_weight": numbers(3 * d_model, d_model, start=start, dtype=dtype)}, form=THREE)
        for kind, d_model, start, dtype in (
            ("d_model 3", 3, 1, np.float32),
            ("d_model 6", 6, 40, np.float32),
            ("d_model 5", 5, 90, np.float32),
            ("d_model 7, float64", 7, 140, np.float64),
        )
    ),
    mistakes=(
        Mistake(
            "not-transposed",
            "the matrices are still (out, in)",
            "nn.Linear computes x @ weight.T. For x @ w_q the matrix has to be turned once: `.T`. (Both "
            "shapes are equal here, so nothing complains.)",
            MODULE,
            turn=_same,
        ),
        Mistake(
            "some-not-transposed",
            "some of the matrices are turned, others still (out, in)",
            "nn.Linear computes x @ weight.T, three times. Each of the three has to be turned once: `.T`.",
            MODULE,
            also=[{"left": left} for left in ((0,), (1,), (2,), (0, 1), (0, 2))],
            left=(1, 2),
        ),
        Mistake(
            "other-order",
            "the three came in another order",
            "PyTorch stores those of the queries first, then the keys', then the values'.",
            MODULE,
            also=[{"order": order} for order in ((0, 2, 1), (1, 0, 2), (2, 1, 0), (2, 0, 1))],
            order=(1, 2, 0),
        ),
        Mistake(
            "one-taken-twice",
            "one of the three matrices was taken more than once",
            "The rows 0 to d_model − 1 belong to the queries, the next d_model to the keys, the last to the "
            "values.",
            MODULE,
            also=[{"order": order} for order in ((0, 1, 1), (0, 0, 2), (0, 0, 1), (0, 2, 2), (1, 1, 2))],
            order=(0, 0, 0),
        ),
        Mistake(
            "every-third-row",
            "every third row was taken, or every third run of another reshape",
            "Each matrix is one run of d_model rows, one below the other. Some other programs interleave "
            "them; PyTorch does not.",
            MODULE,
            cut=_every_third,
        ),
        Mistake(
            "reshaped-after-turning",
            "the turned table was cut by `reshape`",
            "Turned, the three stand side by side, and reshape keeps the numbers in their order: it cuts by "
            "rows. Cut first, and turn each; or cut the turned table's columns, chunk(3, dim=1).",
            MODULE,
            cut=lambda packed: packed.T.reshape(3, packed.shape[1], -1),
            turn=_same,
        ),
        Mistake(
            "cut-by-columns",
            "the columns were cut into three, not the rows",
            "The three stand one *below* the other: cut along the first axis, dim=0, into runs of d_model "
            "rows.",
            MODULE,
            also=[{"cut": _by_columns, "turn": _same}],
            cut=_by_columns,
            turn=_turned,
        ),
        Mistake(
            "turned-by-reshape",
            "every third row was taken, and nothing was turned: by a step of 3, or by `reshape`",
            "Each matrix is one run of d_model rows. reshape keeps the numbers in their order and cuts the "
            "rows elsewhere; `.T` and transpose swap axes.",
            MODULE,
            cut=lambda packed: packed.reshape(packed.shape[1], packed.shape[0]).chunk(3, dim=-1),
            turn=_same,
        ),
        Mistake(
            "shared-rows",
            "the runs of rows overlap, or leave some out",
            "d_model rows for each: [:d_model], [d_model : 2 * d_model], [2 * d_model :].",
            MODULE,
            also=[
                {"cut": lambda p: [p[: len(p) // 3], p[: 2 * len(p) // 3], p], "turn": _turned},
                {
                    "cut": lambda p: [p[: len(p) // 3], p[len(p) // 3 :], p[2 * len(p) // 3 :]],
                    "turn": _turned,
                },
                {"cut": lambda p: [p[: len(p) // 3], p[: 2 * len(p) // 3], p], "turn": _same},
            ],
            cut=lambda p: [p[: len(p) // 3], p[len(p) // 3 : 2 * len(p) // 3], p[len(p) // 3 :]],
        ),
    ),
    hints=(
        "in_proj_weight.chunk(3) cuts its rows into three runs.",
        "nn.Linear computes x @ weight.T. What has to be done with a weight, so that x @ w_q is the same?",
        "w_q, w_k, w_v = in_proj_weight.chunk(3), and then `.T` for each.",
    ),
    explain="chunk(3) cuts along the first axis. `.T` shares the memory: nothing is copied. The helper "
    "from_torch in helpers/pytorch/weights.py takes over biases and W_O as well.",
    reread=MODULE,
)

# --- torch-polarity ----------------------------------------------------------------------------------


def layer_of_known_numbers(d_model: int, n_heads: int, start: int) -> nn.MultiheadAttention:
    """d_model, n_heads -> a layer (batch_first) whose parameters are known, drawn from no dice."""
    with torch.random.fork_rng(devices=[]):
        layer = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
    with torch.no_grad():
        for place, parameter in enumerate(layer.parameters()):
            known = numbers(*parameter.shape, start=start + 500 * place, dtype=np.float32)
            parameter.copy_(torch.from_numpy(known) / 2)
    return layer


def causal_layer(layer: Any, x: Tensor, causal: Tensor, real: Tensor) -> Tensor:
    """A layer, x, two masks of the course -> the layer's output."""
    output, _ = layer(x, x, x, attn_mask=~causal, key_padding_mask=~real)
    return output


def _call(layer: Any, x: Tensor, future: Any, padding: Any, _causal: Tensor, _real: Tensor) -> Tensor:
    output, _ = layer(x, x, x, attn_mask=future, key_padding_mask=padding)
    return output


def _layer_by_choices(
    layer: Any, x: Tensor, causal: Tensor, real: Tensor, *, future: Step = torch.logical_not,
    padding: Step = torch.logical_not, call: Step = _call, into: Step = _same, out: Step = _same,
) -> Tensor:  # fmt: skip
    output = call(layer, into(x, real), future(causal), padding(real), causal, real)
    return out(output, real)


def _left_away(_mask: Tensor) -> None:
    return None


def _in_one_mask(
    join: Callable[[Tensor, Tensor], Tensor], for_heads: Callable[[Tensor, int], Tensor]
) -> Step:
    """Both masks as one, of shape (B·H, n, n)."""

    def call(layer: Any, x: Tensor, _future: Any, _padding: Any, causal: Tensor, real: Tensor) -> Tensor:
        may_not = join(~causal, ~real[:, None, :])
        output, _ = layer(x, x, x, attn_mask=for_heads(may_not, layer.num_heads))
        return output

    return call


def _head_by_head(mask: Tensor, n_heads: int) -> Tensor:
    return mask.repeat_interleave(n_heads, dim=0)


def _sentence_by_sentence(mask: Tensor, n_heads: int) -> Tensor:
    return mask.repeat(n_heads, 1, 1)


def _layer_probe(
    kind: str, d_model: int, n_heads: int, n: int, lengths: Sequence[int], start: int, hard: bool = False
) -> Probe:
    inputs = {
        "layer": layer_of_known_numbers(d_model, n_heads, start),
        "x": numbers(len(lengths), n, d_model, start=start + 77, dtype=np.float32),
        "causal": np.tri(n, dtype=bool),
        "real": np.arange(n) < np.array(lengths)[:, None],
    }
    return Probe(kind, inputs, hard, TENSORS)


def _output_of_real_tokens(inputs: Mapping[str, Any], output: Array, call: Any) -> str:
    layer, x, causal, real = inputs.values()
    for sentence, length in enumerate(real.sum(axis=-1)):
        if length < real.shape[1]:
            changed = x.copy()
            changed[sentence, length:] += 3
            again = call(layer, changed, causal, real)
            moved = None if again is None or again.shape != output.shape else abs(again - output)
            if moved is not None and moved[sentence, :length].max() > 1e-4:
                return f"Changing the padding of sentence {sentence} moves the output of its real tokens."
    return ""


TURN = "In nn.MultiheadAttention True means *may not* attend, the other way round than in this course and in "
TURN += "scaled_dot_product_attention. `~mask` turns it."

TORCH_POLARITY = Mend(
    name="torch-polarity",
    task="The course's masks for nn.MultiheadAttention.",
    given="both-unturned",
    symptom="take one real token, alone. Its only key is itself, and both masks say True: may attend. What "
    "does the layer make of that True?",
    call="my_causal_layer(layer, x, causal, real)",
    right=causal_layer,
    recipe=_layer_by_choices,
    probes=(
        _layer_probe("two sentences of 2 and 3 tokens", 4, 2, 3, [2, 3], 11),
        _layer_probe("two sentences of 5 and 3 tokens", 6, 3, 5, [5, 3], 31),
        _layer_probe("three sentences of 7, 2 and 4 tokens", 8, 2, 7, [7, 2, 4], 51),
        _layer_probe("two sentences without padding", 6, 2, 4, [4, 4], 71),
        _layer_probe("two sentences of one and 6 tokens", 9, 3, 6, [1, 6], 91),
    ),
    properties=(Property("padding", "the padding moves no output of a real token", _output_of_real_tokens),),
    axes=("query", "entry"),
    mistakes=(
        Mistake(
            "both-unturned",
            "both masks were handed over as they are",
            TURN,
            WHOSE_TRUE,
            also=[
                {
                    "future": _same,
                    "padding": _same,
                    "call": lambda layer, x, f, p, c, r: _call(layer, x, f, p, c, r).nan_to_num(0.0),
                }
            ],
            future=_same,
            padding=_same,
        ),
        Mistake(
            "future-unturned",
            "the causal mask was handed over as it is: each query reads the future alone",
            TURN,
            WHOSE_TRUE,
            future=_same,
        ),
        Mistake(
            "padding-unturned",
            "the padding mask was handed over as it is: the real tokens are hidden, the padding is read",
            TURN,
            WHOSE_TRUE,
            padding=_same,
        ),
        Mistake(
            "future-open",
            "no query was kept from the future",
            "attn_mask hides it. (`is_causal=True` is a hint about that mask, and makes none.)",
            WHOSE_TRUE,
            future=_left_away,
        ),
        Mistake(
            "padding-open",
            "the padding was read",
            "key_padding_mask hides it, where True means: this key is padding.",
            WHOSE_TRUE,
            padding=_left_away,
        ),
        Mistake(
            "future-added",
            "the causal mask was handed over as numbers, which are *added* to the scores",
            "1 or 0 more hides nothing. Hand over True and False, or 0 and −∞.",
            WHOSE_TRUE,
            also=[{"future": lambda causal: causal.float()}],
            future=lambda causal: (~causal).float(),
        ),
        Mistake(
            "padding-added",
            "the padding mask was handed over as numbers, which are *added* to the scores",
            "1 or 0 more hides nothing. Hand over True and False, or 0 and −∞.",
            WHOSE_TRUE,
            also=[{"padding": lambda real: real.float()}],
            padding=lambda real: (~real).float(),
        ),
        Mistake(
            "transposed-not-turned",
            "each token's own key is hidden, and all later ones are (triu(0), or a transposed mask)",
            "Then no query reads itself, and the first reads nothing. True should stand above the diagonal "
            "only, where `causal` is False.",
            WHOSE_TRUE,
            also=[{"future": lambda causal: torch.ones_like(causal).triu()}],
            future=lambda causal: causal.T,
        ),
        Mistake(
            "one-token-ahead",
            "each query reads the next token as well",
            "For this layer True hides, from the first diagonal above the main one: triu(diagonal=1).",
            WHOSE_TRUE,
            future=lambda causal: torch.ones_like(causal).triu(2),
        ),
        Mistake(
            "past-hidden",
            "the past was hidden, and not the future",
            "Query i may attend to the keys j ≤ i. For this layer True hides: the upper triangle, above the "
            "diagonal, should be True.",
            WHOSE_TRUE,
            future=lambda causal: (~causal).T,
        ),
        Mistake(
            "hidden-by-both-only",
            "a key was hidden only where it is padding *and* in the future",
            "Among masks where True hides, one True is enough: join them by `|`. (`&` joins masks where True "
            "allows.)",
            WHOSE_TRUE,
            also=[{"call": _in_one_mask(torch.logical_and, _sentence_by_sentence)}],
            call=_in_one_mask(torch.logical_and, _head_by_head),
        ),
        Mistake(
            "sentences-mixed-up",
            "the mask of one sentence was used for a head of another",
            "A mask with three axes has shape (B·n_heads, n, n), with the heads of a sentence one after the "
            "other: repeat_interleave(n_heads, dim=0), not repeat.",
            WHOSE_TRUE,
            call=_in_one_mask(torch.logical_or, _sentence_by_sentence),
        ),
        Mistake(
            "padding-rows-zeroed",
            "the output of the padding became 0",
            "Nobody reads these rows, and nobody asked for that: they are queries like others here. The mask "
            "is about keys.",
            WHOSE_TRUE,
            also=[{"out": lambda output, real: output.nan_to_num(0.0) * real[..., None]}],
            out=lambda output, real: output * real[..., None],
        ),
        Mistake(
            "tokens-zeroed",
            "the padding tokens were set to 0 before they went in",
            "A token of zeros still has keys and values (the biases), and gets its share of weight. Hide it "
            "by the mask.",
            WHOSE_TRUE,
            also=[{"into": lambda x, real: x * real[..., None], "padding": _left_away}],
            into=lambda x, real: x * real[..., None],
        ),
    ),
    hints=(
        "Read the manual of nn.MultiheadAttention at attn_mask: what does True mean there?",
        "Both masks of the course say who *may* attend; both of the layer's say who may not.",
        "`~causal` and `~real`.",
    ),
    explain="`~` turns True and False round. Two polarities within one library: scaled_dot_product_attention "
    "would take the masks as they are.",
    reread=WHOSE_TRUE,
)

# --- torch-corner ------------------------------------------------------------------------------------


def step(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Queries of the last tokens, keys and values of all -> causal output."""
    return fused_attention(queries, keys, values, causal=True)


def _triangle(shift: Callable[[int, int], int]) -> Step:
    return lambda n_queries, n_keys: torch.ones(n_queries, n_keys, dtype=torch.bool).tril(
        shift(n_queries, n_keys)
    )


_lower_right = _triangle(lambda n_queries, n_keys: n_keys - n_queries)
_upper_left = _triangle(lambda n_queries, n_keys: 0)


def _step_by_choices(
    queries: Tensor, keys: Tensor, values: Tensor, *, mask: Step = _lower_right, form: Step = _same,
    cache: Step = _same, scale: Step = _same,
) -> Tensor:  # fmt: skip
    n_queries = queries.shape[-2]
    keys, values = cache(keys, n_queries), cache(values, n_queries)
    table = mask(n_queries, keys.shape[-2])
    table = table if table is None else form(table)
    return F.scaled_dot_product_attention(scale(queries), keys, values, attn_mask=table)


def _step_probe(kind: str, stack: tuple[int, ...], n_queries: int, n_keys: int, start: int) -> Probe:
    inputs = {
        "queries": numbers(*stack, n_queries, 4, start=start, dtype=np.float32),
        "keys": numbers(*stack, n_keys, 4, start=start + 300, dtype=np.float32),
        "values": numbers(*stack, n_keys, 4, start=start + 600, dtype=np.float32),
    }
    return Probe(kind, inputs, form=TENSORS)


def _last_query_reads(inputs: Mapping[str, Any], output: Array, call: Any) -> str:
    queries, keys, values = inputs.values()
    changed = values.copy()
    changed[..., -1, :] += 3
    again = call(queries, keys, changed)
    same = again is not None and again.shape == output.shape
    if same and not np.any(abs(again - output)[..., -1, :] > 1e-5):
        return "Changing the value of the newest token does not move the output of the newest query, its own."
    return ""


TORCH_CORNER = Mend(
    name="torch-corner",
    task="A causal step with fewer queries than keys.",
    given="upper-left",
    symptom="one query, three keys, equal scores: the newest token should read all three values. Which does "
    "it read? From which corner does is_causal=True count?",
    call="my_step(queries, keys, values)",
    right=step,
    recipe=_step_by_choices,
    probes=(
        _step_probe("two sentences, 3 heads, one new token", (2, 3), 1, 5, 1),
        _step_probe("two sentences, 3 heads, 5 new tokens of 7", (2, 3), 5, 7, 20),
        _step_probe("two sentences, 3 heads, as many queries as keys", (2, 3), 7, 7, 40),
        _step_probe("three sentences, 2 heads, 5 new tokens of 6", (3, 2), 5, 6, 60),
        _step_probe("three sentences, 2 heads, one new token", (3, 2), 1, 8, 80),
    ),
    properties=(Property("newest token", "the newest query reads its own token", _last_query_reads),),
    axes=("query", "entry"),
    mistakes=(
        Mistake(
            "upper-left",
            "the triangle starts in the upper left corner: the queries were taken for the first tokens",
            "is_causal=True does this, whatever mask is handed over with it, and so does a mask made by "
            "torch.ones(n_queries, n_keys).tril(). The queries are the last tokens: the diagonal should end "
            "in the lower right corner. (An offset from shape[1] is 0: that axis counts heads. Count from "
            "the end.)",
            CORNER,
            mask=_upper_left,
        ),
        Mistake(
            "upper-left-unless-one",
            "one new token is right now, and several new tokens still count from the upper left",
            "Leaving the flag away for one query helps that query only. With 5 new tokens of 7 the first of "
            "them stands at place 2, and may read places 0 to 2. One mask does for all cases.",
            CORNER,
            mask=lambda n_queries, n_keys: _upper_left(n_queries, n_keys) if n_queries > 1 else None,
        ),
        Mistake(
            "open-unless-square",
            "with fewer queries than keys nothing is hidden, so that new tokens read the ones after them",
            "For one new token that is right. Of several, only the newest may read all.",
            CORNER,
            mask=lambda n_queries, n_keys: _upper_left(n_queries, n_keys) if n_queries == n_keys else None,
        ),
        Mistake(
            "everything-open",
            "nothing is hidden at all",
            "Then each query reads the tokens after it. Only the newest may read every key.",
            CORNER,
            mask=lambda n_queries, n_keys: None,
        ),
        Mistake(
            "one-step-ahead",
            "each query sees one token too many, the next one",
            "tril(k) keeps the k-th diagonal itself: it is the last that is seen, a query's own token.",
            CORNER,
            mask=_triangle(lambda n_queries, n_keys: n_keys - n_queries + 1),
        ),
        Mistake(
            "own-token-hidden",
            "each query misses its own token",
            "A token may attend to itself. tril(k) keeps the k-th diagonal and all below it.",
            CORNER,
            mask=_triangle(lambda n_queries, n_keys: n_keys - n_queries - 1),
        ),
        Mistake(
            "offset-turned",
            "the diagonal was moved to the wrong side",
            "The first query stands at place n_keys − n_queries, 0 or more: it sees more keys, not fewer.",
            CORNER,
            mask=_triangle(lambda n_queries, n_keys: n_queries - n_keys),
        ),
        Mistake(
            "other-triangle",
            "the other triangle is open: each query sees itself and the future",
            "Rows are queries; a query may attend to keys at its left: tril, not triu.",
            CORNER,
            also=[{"mask": lambda q, k: torch.ones(q, k, dtype=torch.bool).triu()}],
            mask=lambda q, k: torch.ones(q, k, dtype=torch.bool).triu(k - q),
        ),
        Mistake(
            "inverted",
            "the mask was turned: what may be read is hidden",
            "scaled_dot_product_attention means by True: may attend. (nn.MultiheadAttention means the "
            "opposite.)",
            WHOSE_TRUE,
            form=torch.logical_not,
        ),
        Mistake(
            "mask-added",
            "the mask was handed over as numbers, which are *added* to the scores",
            "torch.ones(...) and .tril() of it are floats. 1 more in favour of a key hides none: ask for "
            "dtype=torch.bool.",
            CORNER,
            form=lambda mask: mask.float(),
        ),
        Mistake(
            "cache-forgotten",
            "only as many keys were read as there are queries",
            "The keys of earlier tokens belong to what a query may read. Keep all keys, and move the "
            "diagonal.",
            CORNER,
            cache=lambda rows, n_queries: rows[..., -n_queries:, :],
        ),
        Mistake(
            "scaled-twice",
            "the queries were divided by √d_head, and the function does that once more",
            "scaled_dot_product_attention scales by itself, as its name says.",
            SIX_LINES,
            scale=lambda queries: queries / math.sqrt(queries.shape[-1]),
        ),
        Mistake(
            "never-scaled",
            "the scores were never scaled",
            "Divide by √d_head before softmax, or leave it to scaled_dot_product_attention.",
            SIX_LINES,
            scale=lambda queries: queries * math.sqrt(queries.shape[-1]),
        ),
    ),
    hints=(
        "Print torch.ones(1, 3).tril(): that is what the flag makes for one query and three keys.",
        "Query i stands at place i + n_keys − n_queries, and may attend to keys up to that place.",
        "Leave is_causal away, and hand over a mask of True and False: torch.ones(n_queries, n_keys, "
        "dtype=torch.bool).tril(n_keys - n_queries).",
    ),
    explain="tril(k) keeps the k-th diagonal and all below it, counted from the upper left; n_keys − "
    "n_queries moves it to the lower right. The helper fused_attention(queries, keys, values, causal=True) "
    "does the same.",
    reread=CORNER,
)

# --- torch-layout ------------------------------------------------------------------------------------


def _split(rows: Tensor, n_heads: int) -> Tensor:
    return rows.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def _merge(output: Tensor, rows: Tensor) -> Tensor:
    return output.transpose(1, 2).reshape(rows.shape)


def _no_swap(rows: Tensor, n_heads: int) -> Tensor:
    return rows.unflatten(-1, (n_heads, -1))


def _no_swap_back(output: Tensor, rows: Tensor) -> Tensor:
    return output.reshape(rows.shape)


def _one_reshape(rows: Tensor, n_heads: int) -> Tensor:
    batch, n, width = rows.shape
    return rows.reshape(batch, n_heads, n, width // n_heads)


def _every_nth_column(rows: Tensor, n_heads: int) -> Tensor:
    return rows.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)


def _heads_by_choices(
    queries: Tensor, keys: Tensor, values: Tensor, n_heads: int, *, split: Step = _split,
    merge: Step = _merge, divide: Step | None = None, causal: bool = False, cut_values: Step | None = None,
) -> Tensor:  # fmt: skip
    q, k, v = (split(rows, n_heads) for rows in (queries, keys, values))
    v = v if cut_values is None else cut_values(values, n_heads)
    scale = None if divide is None else 1 / divide(q.shape[-1], queries.shape[-1])
    output = F.scaled_dot_product_attention(q, k, v, scale=scale, is_causal=causal)
    return merge(output, queries)


def _heads_probe(kind: str, batch: int, n: int, n_heads: int, d_head: int, start: int) -> Probe:
    width = n_heads * d_head
    inputs: dict[str, Any] = {
        name: numbers(batch, n, width, start=start + 400 * place, dtype=np.float32)
        for place, name in enumerate(("queries", "keys", "values"))
    }
    return Probe(kind, {**inputs, "n_heads": n_heads}, form=TENSORS)


def _others_are_read(inputs: Mapping[str, Any], output: Array, call: Any) -> str:
    queries, keys, values, n_heads = inputs.values()
    changed = values.copy()
    changed[:, -1] += 3
    again = call(queries, keys, changed, n_heads)
    same = again is not None and again.shape == output.shape
    if same and not np.any(abs(again - output)[:, 0] > 1e-5):
        return "Changing the value of the last token does not move the output of the first: it is not read."
    return ""


TORCH_LAYOUT = Mend(
    name="torch-layout",
    task="Multi-head attention in the layout (B, n, n_heads, d_head).",
    given="heads-attended",
    symptom="with one head each token gets its own values back: it has read nobody else. "
    "scaled_dot_product_attention takes the last two axes for tokens and numbers. Which axes are these here?",
    call="my_heads(queries, keys, values, n_heads)",
    right=my_heads,
    recipe=_heads_by_choices,
    probes=(
        _heads_probe("two sentences of 3 tokens, 2 heads", 2, 3, 2, 2, 1),
        _heads_probe("two sentences of 7 tokens, 3 heads", 2, 7, 3, 4, 20),
        _heads_probe("three sentences of 5 tokens, 4 heads", 3, 5, 4, 2, 40),
        _heads_probe("two sentences of 5 tokens, one head", 2, 5, 1, 6, 60),
        _heads_probe("three sentences, as many tokens as heads", 3, 4, 4, 3, 80),
    ),
    properties=(Property("others", "each token reads the others", _others_are_read),),
    axes=("query", "entry"),
    mistakes=(
        Mistake(
            "heads-attended",
            "at each place the heads attended to one another, and no token to any other",
            "The last two axes should be tokens and the numbers of one head: (B, n_heads, n, d_head). Swap "
            "axes 1 and 2 before, and swap them back after.",
            WHICH_AXIS,
            split=_no_swap,
            merge=_no_swap_back,
        ),
        Mistake(
            "not-swapped-back",
            "the axes were not swapped back before the heads were merged: tokens get numbers of others",
            "After attention the shape is (B, n_heads, n, d_head). transpose(1, 2) first, and then reshape.",
            WHICH_AXIS,
            merge=_no_swap_back,
        ),
        Mistake(
            "swapped-only-after",
            "the axes were swapped after attention, and not before",
            "So heads still attend to heads, and the result is scrambled. Swap queries, keys and values "
            "first.",
            WHICH_AXIS,
            split=_no_swap,
            merge=lambda output, rows: output.transpose(1, 2).reshape(rows.shape),
        ),
        Mistake(
            "one-reshape",
            "one reshape made the heads: head 0 got the first tokens, not the first columns",
            "reshape only cuts the row of numbers elsewhere. Cut each token's row into heads, (B, n, "
            "n_heads, d_head), and then swap axes 1 and 2.",
            WHICH_AXIS,
            also=[{"split": _one_reshape, "merge": _no_swap_back}],
            split=_one_reshape,
        ),
        Mistake(
            "every-nth-column",
            "head h got every n_heads-th number of a token",
            "The first d_head numbers belong to head 0, the next to head 1: reshape to (…, n_heads, d_head), "
            "in this order.",
            WHICH_AXIS,
            also=[
                {
                    "split": _every_nth_column,
                    "merge": lambda output, rows: output.permute(0, 2, 3, 1).reshape(rows.shape),
                }
            ],
            split=_every_nth_column,
        ),
        Mistake(
            "d_head-for-n_heads",
            "the number of heads and the width of a head changed places",
            "A token's row is n_heads pieces, each d_head long: (B, n, n_heads, d_head), in this order.",
            WHICH_AXIS,
            split=lambda rows, n_heads: rows.unflatten(-1, (-1, n_heads)).transpose(1, 2),
        ),
        Mistake(
            "values-otherwise",
            "the values were cut into heads in another way than queries and keys",
            "All three need the same two steps: (B, n, n_heads, d_head), and then axes 1 and 2 swapped.",
            WHICH_AXIS,
            also=[{"cut_values": _one_reshape}, {"cut_values": _every_nth_column}],
            cut_values=_no_swap,
        ),
        Mistake(
            "never-merged",
            "the heads were not put back into one row",
            "(B, n, n_heads, d_head) becomes (B, n, n_heads·d_head) by a reshape: each token's row holds its "
            "heads one after the other.",
            WHICH_AXIS,
            also=[{"merge": lambda output, rows: output}],
            merge=lambda output, rows: output.transpose(1, 2),
        ),
        Mistake(
            "merged-entry-by-entry",
            "the merged row holds entry 0 of each head, then entry 1, and so on",
            "The numbers of a head stay together: transpose(1, 2), then reshape.",
            WHICH_AXIS,
            merge=lambda output, rows: output.permute(0, 2, 3, 1).reshape(rows.shape),
        ),
        Mistake(
            "no-heads",
            "all numbers were taken as one head",
            "Each head has weights of its own. Cut the rows into n_heads pieces first.",
            WHICH_AXIS,
            also=[
                {
                    "split": lambda rows, n_heads: rows[:, None],
                    "merge": lambda output, rows: output[:, 0],
                    "divide": lambda d_head, width: math.sqrt(width),
                }
            ],
            split=lambda rows, n_heads: rows[:, None],
            merge=lambda output, rows: output[:, 0],
        ),
        Mistake(
            "last-axes-swapped",
            "tokens and the numbers of a head changed places: numbers attended to numbers",
            "transpose(1, 2) of (B, n, n_heads, d_head) gives (B, n_heads, n, d_head). transpose(-2, -1) "
            "swaps other axes.",
            WHICH_AXIS,
            split=lambda rows, n_heads: _split(rows, n_heads).transpose(-2, -1),
            merge=lambda output, rows: _merge(output.transpose(-2, -1), rows),
        ),
        Mistake(
            "batch-and-tokens-swapped",
            "the batch was attended to: sentences read sentences",
            "Swap axes 1 and 2, tokens and heads. Axis 0 is the batch.",
            WHICH_AXIS,
            split=lambda rows, n_heads: _no_swap(rows, n_heads).transpose(0, 2),
            merge=lambda output, rows: output.transpose(0, 2).reshape(rows.shape),
        ),
        Mistake(
            "root-d_model",
            "the scores were divided by the root of the whole width",
            "A head compares d_head numbers: √d_head, which scaled_dot_product_attention takes by itself.",
            WHICH_AXIS,
            divide=lambda d_head, width: math.sqrt(width),
        ),
        Mistake(
            "scaled-twice",
            "the scores were scaled twice",
            "scaled_dot_product_attention scales by itself, as its name says.",
            SIX_LINES,
            divide=lambda d_head, width: d_head,
        ),
        Mistake(
            "never-scaled",
            "the scores were never scaled",
            "Divide by √d_head before softmax, or leave it to scaled_dot_product_attention.",
            SIX_LINES,
            divide=lambda d_head, width: 1,
        ),
        Mistake(
            "causal-too",
            "the future was hidden",
            "Nobody asked for that here: each token reads all of its sentence.",
            WHICH_AXIS,
            causal=True,
        ),
    ),
    hints=(
        "Print q.shape. scaled_dot_product_attention lets the last axis but one attend to itself.",
        "(B, n, n_heads, d_head) has to become (B, n_heads, n, d_head): transpose(1, 2), for q, k and v.",
        "And back again before the reshape at the end: output.transpose(1, 2).reshape(batch, n, width).",
    ),
    explain="transpose swaps two axes without moving numbers. Where they no longer lie in order, `view` "
    "complains, and `reshape` copies them.",
    reread=WHICH_AXIS,
)

# --- torch-dropout -----------------------------------------------------------------------------------


def dropped_attention(queries: Tensor, keys: Tensor, values: Tensor, share: float, training: bool) -> Tensor:
    """Queries, keys, values, a share, training -> output, with a share of the weights dropped in training."""
    return fused_attention(queries, keys, values, dropout=share if training else 0.0)


def _told(training: bool) -> bool:
    return training


def _on_weights(weights: Tensor, values: Tensor, share: float) -> Tensor:
    return F.dropout(weights, share) @ values


def _dropout_by_choices(
    queries: Tensor, keys: Tensor, values: Tensor, share: float, training: bool, *, when: Step = _told,
    how_much: Step = _same, drop: Step = _on_weights, otherwise: Step = _same, scale: Step = math.sqrt,
    at_0_too: bool = False,
) -> Tensor:  # fmt: skip
    scores = queries @ keys.transpose(-2, -1) / scale(queries.shape[-1])
    if when(training) and (how_much(share) or at_0_too):
        if drop is _on_scores:
            return _on_scores(scores, values, how_much(share))
        return drop(torch.softmax(scores, dim=-1), values, how_much(share))
    return otherwise(torch.softmax(scores, dim=-1) @ values, share)


def _on_scores(scores: Tensor, values: Tensor, share: float) -> Tensor:
    return torch.softmax(F.dropout(scores, share), dim=-1) @ values


def _kept(which: Step, divisor: Step) -> Step:
    return lambda weights, values, share: weights * which(weights, share) / divisor(share) @ values


def _shared_again(weights: Tensor, values: Tensor, share: float) -> Tensor:
    kept = weights * (torch.rand(weights.shape) >= share)
    return (kept / kept.sum(dim=-1, keepdim=True)).nan_to_num(0.0) @ values


def _drawn(*axes: int) -> Step:
    """Some axes, counted from the end -> a draw of what is kept that is one for all the others."""

    def which(weights: Tensor, share: float) -> Tensor:
        sizes = [n if i - weights.ndim in axes else 1 for i, n in enumerate(weights.shape)]
        return torch.rand(sizes) >= share

    return which


def _kept_of(rest: float) -> float:
    return 1 - rest


def _as_many_each(weights: Tensor, share: float) -> Tensor:
    """The same number of weights in each row, and only these, drawn by chance."""
    order = torch.rand(weights.shape).argsort(dim=-1)
    return order >= int(share * weights.shape[-1])


def _twice(keys: int) -> Array:
    """Values that show the weights, twice: each key carries a 1 at its own two places."""
    return np.tile(np.eye(keys, dtype=np.float32), (1, 2))


def _what_was_dropped(inputs: Mapping[str, Any], output: Array) -> Array:
    """With dropout: (share of zeros, factor of the rest, does it vary, were weights dropped, a pattern).

    By chance the share of zeros is not exactly the one asked for: within four standard deviations it counts
    as exact. The fewer draws a pattern leaves, the larger these. Where some were dropped and the rest grew by
    many factors, 1 stands for them if each row sums to 1 or 0, else 0. A row that lost all its keys and was
    divided by its sum of 0 is nan: many factors, too.
    Without dropout, or in another shape: the output itself.
    """
    queries, keys, values, share, training = inputs.values()
    shape = (*queries.shape[:-1], values.shape[-1])
    lost = np.isnan(output)
    if not training or not share or output.shape != shape or np.isinf(output).any() or lost.all():
        return output
    output = np.where(lost, 0, output)
    plain = softmax(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
    first, second = np.split(output.astype(np.float64), 2, axis=-1)
    zero = abs(first) < 1e-9
    pattern = _pattern_of(zero)
    draws = {1: zero.shape[-1], 2: zero.shape[-2], 3: zero[..., 0].size}.get(pattern, zero.size)
    margin = 4 * np.sqrt(share * (1 - share) / draws)
    zeros = share if abs(zero.mean() - share) <= margin else zero.mean().round(2)
    factors = first[~zero] / plain[~zero]
    factor = np.median(factors) if factors.size else 0.0
    spread = lost.any() or (factors.size and np.ptp(factors) / max(factor, 1e-9) > 1e-3)
    if spread and zero.any():
        sums = first.sum(axis=-1)
        factor = float((np.isclose(sums, 1, atol=1e-3) | (sums == 0)).all())
    same = np.allclose(first, second, atol=1e-6)
    return np.array([zeros, factor, spread, same, pattern], dtype=np.float32)


PATTERNS = (
    "All queries lost the same keys.",
    "A query lost all its keys, or none.",
    "All sentences lost the same weights, or all heads did.",
    "Every query lost the same number of keys.",
)


def _pattern_of(zero: Array) -> int:
    """Which weights are 0 -> the place in PATTERNS of what they have in common, counted from 1; else 0."""
    if not zero.any():
        return 0
    if (zero == zero[..., :1, :]).all():
        return 1
    if (zero == zero[..., :1]).all():
        return 2
    stacked = range(zero.ndim - 2)
    if any((zero == zero.take([0], axis=axis)).all() for axis in stacked):
        return 3
    return 4 if len(set(zero.sum(axis=-1).ravel().tolist())) == 1 else 0


CHANCE = Form(tensors=True, seen=_what_was_dropped)


def _dropout_probe(
    kind: str, stack: tuple[int, ...], share: float, training: bool, start: int, n_keys: int = 7
) -> Probe:
    n_queries = 5 if n_keys < 10 else n_keys - 2
    inputs: dict[str, Any] = {
        "queries": numbers(*stack, n_queries, 4, start=start, dtype=np.float32),
        "keys": numbers(*stack, n_keys, 4, start=start + 300, dtype=np.float32),
        "values": numbers(*stack, n_keys, 6, start=start + 600, dtype=np.float32),
    }
    if training and share:
        inputs["values"] = np.broadcast_to(_twice(n_keys), (*stack, n_keys, 2 * n_keys)).copy()
    return Probe(kind, {**inputs, "share": share, "training": training}, form=CHANCE)


def _drops_out_of_training(inputs: Mapping[str, Any], _output: Array, call: Any) -> str:
    if inputs["training"]:
        return ""
    ones = call(*({**inputs, "values": np.ones_like(inputs["values"])}.values()))
    if ones is None or not np.any(abs(ones - 1) > 1e-4):
        return ""
    least, most = number(ones.min()), number(ones.max())
    return (
        f"With training=False and values that are all 1, each output should be 1: yours go from {least} to "
        f"{most}. "
        "So weights are still dropped, or enlarged."
    )


class MendDropout(Mend):
    """Find the bug, where chance decides: with dropout, what was dropped is told in words."""

    def _case(self, probe: Probe, outcome: Outcome, right: Outcome, part: str = "") -> str:
        got, expected = outcome.value, right.value
        told = probe.inputs["training"] and probe.inputs["share"] and got is not None and got.shape == (5,)
        if not told or got is None or expected is None:
            return super()._case(probe, outcome, right, part)
        share = number(probe.inputs["share"])
        lead = (
            f"  Smallest case: {probe.kind}, share {share}, training True, and values that show the weights."
        )
        lines = [lead, "    The share of weights that became 0, and the factor by which the others grew:"]
        for label, row in (("expected", expected), ("got", got)):
            factor = "different ones" if row[2] else number(row[1])
            lines.append(f"    {label:<8}  {number(row[0])}  {factor}")
        if got[2]:
            lines.append("    The others did not all grow by one factor.")
        if not got[3]:
            lines.append("    Numbers of the output were dropped one by one, not weights.")
        if got[4]:
            lines.append(f"    {PATTERNS[int(got[4]) - 1]}")
        return "\n".join(lines)

    def _compare(self, function: Callable[..., Any], outcomes: Sequence[Outcome]) -> Feedback:
        """Each call of a check starts from the same dice. So two more in a row, which should differ."""
        feedback = super()._compare(function, outcomes)
        if feedback.status != "right":
            return feedback
        probe = next(probe for probe in self.probes if probe.inputs["training"] and probe.inputs["share"])

        def twice(*inputs: Any) -> Any:
            return torch.stack([torch.as_tensor(function(*inputs)) for _ in range(2)])

        both = Runner(twice, form=TENSORS)(probe.inputs).value
        if both is None or not np.array_equal(both[0], both[1]):
            return feedback
        said = (
            "Two calls in a row, with training=True and the same input, gave the same result: the same "
            "weights were dropped. Chance should decide anew in each call, so set no seed inside: neither "
            "torch.manual_seed nor a generator that is made and seeded in the function."
        )
        name = "same-draw-each-call"
        return self._wrong(
            "right, but it drops the same weights in every call.",
            paragraph(f"{said} {section(self.reread)}"),
            named=((name,),),
        )


TORCH_DROPOUT = MendDropout(
    name="torch-dropout",
    task="Dropout on the weights, and only while training.",
    given="always-drops",
    symptom="call it twice with training=False. The results differ, and numbers are missing. What tells "
    "scaled_dot_product_attention that nobody is training?",
    call="my_dropped_attention(queries, keys, values, share, training)",
    right=dropped_attention,
    recipe=_dropout_by_choices,
    probes=(
        _dropout_probe("one sentence", (), 0.5, False, 1, n_keys=3),
        _dropout_probe("one long sentence, while training", (), 0.3, True, 20, n_keys=40),
        _dropout_probe("a batch of 2 sentences with 3 heads", (2, 3), 0.25, False, 40),
        _dropout_probe(
            "a batch of 2 sentences with 3 heads, a fifth dropped", (2, 3), 0.2, True, 60, n_keys=13
        ),
        _dropout_probe(
            "a batch of 2 sentences with 3 heads, three quarters dropped", (2, 3), 0.75, True, 80, n_keys=13
        ),
        _dropout_probe("a batch of 2 sentences, nothing to drop", (2,), 0.0, True, 90),
    ),
    properties=(Property("not training", "out of training no weight is dropped", _drops_out_of_training),),
    axes=("query", "entry"),
    mistakes=(
        Mistake(
            "always-drops",
            "weights are dropped in training and out of it",
            "A function does not know about eval(): neither dropout_p nor F.dropout(weights, share) asks. "
            "And an nn.Dropout that is made inside starts in training mode. Hand over 0 unless training.",
            DROPOUT,
            when=lambda training: True,
        ),
        Mistake(
            "never-drops",
            "no weight is ever dropped",
            "While training is True a share of the weights should be.",
            DROPOUT,
            when=lambda training: False,
        ),
        Mistake(
            "other-way-round",
            "weights are dropped only when *not* training",
            "training=True is when dropout works.",
            DROPOUT,
            when=lambda training: not training,
        ),
        Mistake(
            "share-kept",
            "the share was taken for the share that is kept",
            "dropout_p is the share that is dropped, as in all of PyTorch.",
            DROPOUT,
            how_much=lambda share: 1 - share,
        ),
        Mistake(
            "half-always",
            "half of the weights are dropped, whatever the share",
            "F.dropout and nn.Dropout drop 0.5 unless told otherwise: hand over the share.",
            DROPOUT,
            how_much=lambda share: 0.5,
        ),
        Mistake(
            "on-output",
            "numbers of the output were dropped, not weights",
            "A weight that is dropped takes all of its key's value out of the mixture. Drop before @ values, "
            "or leave it to dropout_p.",
            DROPOUT,
            drop=lambda weights, values, share: F.dropout(weights @ values, share),
        ),
        Mistake(
            "on-values",
            "the values were dropped, not weights",
            "Then all queries lose the same numbers. Each query should lose keys of its own.",
            DROPOUT,
            drop=lambda weights, values, share: weights @ F.dropout(values, share),
        ),
        Mistake(
            "on-scores",
            "scores were dropped, before softmax",
            "A score of 0 is not a weight of 0: no weight disappears. Drop after softmax.",
            DROPOUT,
            drop=_on_scores,
        ),
        Mistake(
            "not-enlarged",
            "the weights that are kept were not enlarged",
            "With a share missing the rest is divided by 1 − share, so that the sum is right on average: "
            "F.dropout does it by itself.",
            DROPOUT,
            drop=_kept(lambda weights, share: torch.rand(weights.shape) >= share, lambda share: 1),
        ),
        Mistake(
            "divided-by-the-share",
            "the weights that are kept were divided by the share that is dropped",
            "What is kept has to make up for the rest: divide by what is kept, 1 − share.",
            DROPOUT,
            also=[
                {
                    "drop": _kept(lambda w, share: torch.rand(w.shape) >= share, lambda share: share),
                    "at_0_too": True,
                }
            ],
            drop=_kept(lambda weights, share: torch.rand(weights.shape) >= share, lambda share: share),
        ),
        Mistake(
            "share-is-what-is-kept",
            "the share that should be dropped was kept, and the rest dropped",
            "`torch.rand(...) < share` is True for the share: these are the ones to drop.",
            DROPOUT,
            also=[
                {"drop": _kept(lambda w, share: torch.rand(w.shape) < share, lambda share: 1)},
                *(
                    {"drop": _kept(lambda w, share: torch.rand(w.shape) < share, divisor), "at_0_too": True}
                    for divisor in (lambda share: 1, _kept_of, _same)
                ),
                {
                    "drop": lambda w, v, share: (w * (torch.rand(w.shape) < share) / share).nan_to_num() @ v,
                    "at_0_too": True,
                },
            ],
            drop=_kept(lambda weights, share: torch.rand(weights.shape) < share, lambda share: 1 - share),
        ),
        Mistake(
            "keys-dropped",
            "whole keys were dropped, the same for all queries",
            "Each query should lose keys of its own: draw once for each weight, torch.rand(weights.shape).",
            DROPOUT,
            drop=_kept(
                lambda weights, share: torch.rand(weights.shape[-1]) >= share, lambda share: 1 - share
            ),
        ),
        Mistake(
            "one-draw-for-a-stack",
            "one draw was made for all sentences or all heads",
            "Each head of each sentence should lose keys of its own: draw once for each weight, "
            "torch.rand(weights.shape).",
            DROPOUT,
            also=[
                {"drop": _kept(_drawn(-1, -2, -3), _kept_of)},
                {"drop": _kept(_drawn(-1, -2, -4), _kept_of)},
            ],
            drop=_kept(_drawn(-1, -2), _kept_of),
        ),
        Mistake(
            "as-many-each",
            "every query lost the same number of keys",
            "Chance decides for each weight on its own. So one query loses more of its keys than another, "
            "and the share is right on average only.",
            DROPOUT,
            drop=_kept(_as_many_each, _kept_of),
        ),
        Mistake(
            "queries-dropped",
            "all the weights of a query were dropped together, or none",
            "Each query should lose some of its keys: draw once for each weight, torch.rand(weights.shape).",
            DROPOUT,
            drop=_kept(
                lambda weights, share: torch.rand(*weights.shape[:-1], 1) >= share, lambda share: 1 - share
            ),
        ),
        Mistake(
            "shared-again",
            "each row was divided by what was left of it",
            "Dropout enlarges every kept weight by the same factor, 1 / (1 − share). A row's sum is 1 on "
            "average only.",
            DROPOUT,
            drop=_shared_again,
        ),
        Mistake(
            "shrunk-when-not-training",
            "out of training the output was multiplied or divided by 1 − share",
            "That belongs to another form of dropout, which does not enlarge in training. PyTorch's does, "
            "and leaves everything as it is afterwards.",
            DROPOUT,
            also=[{"otherwise": lambda output, share: output / (1 - share)}],
            otherwise=lambda output, share: output * (1 - share),
        ),
        Mistake(
            "never-scaled",
            "the scores were never scaled",
            "Divide by √d_k before softmax, or leave it to scaled_dot_product_attention.",
            SIX_LINES,
            scale=lambda d_k: 1,
        ),
    ),
    hints=(
        "dropout_p drops whenever it is above 0. The function is not a module, and has no eval mode.",
        "Which number should dropout_p be when training is False?",
        "dropout_p=share if training else 0.0",
    ),
    explain="In a module: `dropout_p=self.dropout if self.training else 0.0`. F.dropout(weights, share, "
    "training=training) @ values is right, too.",
    reread=DROPOUT,
)

# --- torch-batch-first -------------------------------------------------------------------------------


def head_maps(x: Tensor, in_proj_weight: Tensor, n_heads: int) -> Tensor:
    """x (B, n, d_model), the packed projections, n_heads -> weights (B, n_heads, n, n)."""
    w_q, w_k, _ = in_proj_weight.chunk(3)
    queries, keys = (_split(x @ w.T, n_heads) for w in (w_q, w_k))
    _, weights = attention(queries, keys, keys)
    return weights


def _mean(maps: Tensor) -> Tensor:
    return maps.mean(dim=1)


def _first_two_swapped(x: Tensor) -> Tensor:
    return x.transpose(0, 1)


def _maps_by_choices(
    x: Tensor, in_proj_weight: Tensor, n_heads: int, *, order: Step = _same, out: Step = _same,
    roles: Sequence[int] = (0, 1), divide: Step = lambda d_head, d_model: math.sqrt(d_head),
    split: Step = lambda rows, n_heads: rows.unflatten(-1, (n_heads, -1)).transpose(1, 2),
    project: Step = lambda x, w: x @ w.T, share: Step = _plain,
) -> Tensor:  # fmt: skip
    x = order(x)
    matrices = in_proj_weight.chunk(3)
    queries, keys = (split(project(x, matrices[place]), n_heads) for place in roles)
    scores = queries @ keys.transpose(-2, -1) / divide(queries.shape[-1], x.shape[-1])
    return out(share(scores))


def _maps_probe(kind: str, batch: int, n: int, n_heads: int, d_head: int, start: int) -> Probe:
    d_model = n_heads * d_head
    inputs = {
        "x": numbers(batch, n, d_model, start=start, dtype=np.float32),
        "in_proj_weight": numbers(3 * d_model, d_model, start=start + 500, dtype=np.float32) / 2,
        "n_heads": n_heads,
    }
    return Probe(kind, inputs, form=TENSORS)


def _maps_sum_to_1(_inputs: Mapping[str, Any], maps: Array, _call: Any) -> str:
    sums = maps.sum(axis=-1).ravel()
    wrong = np.flatnonzero(abs(sums - 1) > 1e-3)
    return f"A row of weights sums to {number(sums[wrong[0]])}; each should sum to 1." if len(wrong) else ""


def _given_weights_used(inputs: Mapping[str, Any], maps: Array, call: Any) -> str:
    x, in_proj_weight, n_heads = inputs.values()
    again = call(x, in_proj_weight[::-1].copy(), n_heads)
    same = again is not None and again.shape == maps.shape and np.allclose(again, maps, atol=1e-6)
    return "Another in_proj_weight gives the same maps: the one that is given is not used." if same else ""


TORCH_BATCH_FIRST = Mend(
    name="torch-batch-first",
    task="The maps of every head, sentence by sentence, out of nn.MultiheadAttention.",
    given="batch-attended-and-averaged",
    symptom="for 2 sentences of 3 tokens the shape is (3, 2, 2). Who attends to whom in a map of 2 × 2? And "
    "where is the axis of the heads?",
    call="my_head_maps(x, in_proj_weight, n_heads)",
    right=head_maps,
    recipe=_maps_by_choices,
    probes=(
        _maps_probe("two sentences of 3 tokens, 2 heads", 2, 3, 2, 2, 1),
        _maps_probe("two sentences of 5 tokens, 3 heads", 2, 5, 3, 2, 40),
        _maps_probe("three sentences of 7 tokens, 2 heads", 3, 7, 2, 4, 90),
        _maps_probe("three sentences of 5 tokens, 4 heads", 3, 5, 4, 3, 140),
    ),
    properties=(
        Property("rows sum to 1", "each row of weights sums to 1", _maps_sum_to_1),
        Property("given weights", "the weights that are given are used", _given_weights_used),
    ),
    axes=("query", "key"),
    of_none="Does every path end in `return`? And with need_weights=False nn.MultiheadAttention gives None "
    "for the weights.",
    mistakes=(
        Mistake(
            "batch-attended-and-averaged",
            "the batch was attended to, and the heads were averaged",
            "Unless it is told otherwise, nn.MultiheadAttention expects (n, B, d_model), so that it takes "
            "tokens for sentences. And it gives the mean of the heads' weights. Both can be told otherwise: "
            "one where the layer is made, one where it is called.",
            WHOSE_BATCH,
            order=_first_two_swapped,
            out=_mean,
        ),
        Mistake(
            "batch-attended",
            "the batch was attended to: sentences attended to sentences",
            "Unless it is told otherwise, nn.MultiheadAttention expects (n, B, d_model). batch_first=True, "
            "when it is made, or x.transpose(0, 1): one of the two, not both.",
            WHOSE_BATCH,
            order=_first_two_swapped,
        ),
        Mistake(
            "averaged",
            "the weights are the mean over the heads",
            "That is what nn.MultiheadAttention returns by default: average_attn_weights=False, when it is "
            "called, gives those of every head.",
            WHOSE_BATCH,
            also=[{"out": lambda maps: maps.mean(dim=1, keepdim=True)}],
            out=_mean,
        ),
        Mistake(
            "mean-repeated",
            "every head got the mean over the heads",
            "The shape is right now, and the maps are all one. average_attn_weights=False gives each head's "
            "own.",
            WHOSE_BATCH,
            out=lambda maps: maps.mean(dim=1, keepdim=True).expand(maps.shape),
        ),
        Mistake(
            "summed",
            "the heads' weights were added up",
            "Each head's own are asked for: average_attn_weights=False.",
            WHOSE_BATCH,
            out=lambda maps: maps.sum(dim=1),
        ),
        Mistake(
            "reshaped-into-place",
            "`reshape` put the tokens into (n, B, d_model), and mixed the sentences up",
            "reshape cuts the same run of numbers elsewhere. transpose(0, 1) swaps the axes; "
            "batch_first=True makes both needless.",
            WHOSE_BATCH,
            order=lambda x: x.reshape(x.shape[1], x.shape[0], -1).transpose(0, 1),
        ),
        Mistake(
            "maps-turned",
            "the maps were transposed: their rows are keys",
            "Rows are queries, and sum to 1.",
            WHOSE_BATCH,
            out=lambda maps: maps.transpose(-2, -1),
        ),
        Mistake(
            "over-queries",
            "softmax ran over the queries",
            EACH_QUERY,
            "03: Which axis?",
            share=_along(-2),
        ),
        Mistake(
            "over-heads",
            "softmax ran along dim=1: over the heads",
            EACH_QUERY,
            "03: Which axis?",
            share=_along(1),
        ),
        Mistake(
            "heads-first",
            "the axes of sentences and heads changed places",
            "The sentence comes first: (B, n_heads, n, n).",
            WHOSE_BATCH,
            out=lambda maps: maps.transpose(0, 1),
        ),
        Mistake(
            "one-sentence-only",
            "the maps of one sentence were returned",
            "All sentences of the batch are asked for: (B, n_heads, n, n).",
            WHOSE_BATCH,
            out=lambda maps: maps[0],
        ),
        Mistake(
            "one-head-only",
            "the map of one head was returned",
            "All heads are asked for: (B, n_heads, n, n).",
            WHOSE_BATCH,
            out=lambda maps: maps[:, 0],
        ),
        Mistake(
            "queries-and-keys-swapped",
            "queries and keys changed places",
            "in_proj_weight holds the queries' matrix first, then the keys'.",
            MODULE,
            roles=(1, 0),
        ),
        Mistake(
            "values-matched",
            "the values' matrix was used where the keys' belongs",
            "in_proj_weight holds the queries' matrix first, then the keys', then the values'.",
            MODULE,
            roles=(0, 2),
        ),
        Mistake(
            "not-transposed",
            "the tokens were multiplied by the matrices as they are stored, (out, in)",
            "nn.Linear computes x @ weight.T.",
            MODULE,
            project=lambda x, w: x @ w,
        ),
        Mistake(
            "root-d_model",
            "the scores were divided by √d_model",
            "Each head compares d_head numbers: divide by √d_head.",
            WHOSE_BATCH,
            divide=lambda d_head, d_model: math.sqrt(d_model),
        ),
        Mistake(
            "never-scaled",
            "the scores were never scaled",
            "Each head divides by √d_head.",
            SIX_LINES,
            divide=lambda d_head, d_model: 1,
        ),
        Mistake(
            "one-reshape",
            "one reshape made the heads: head 0 got the first tokens, not the first columns",
            "Cut each token's row into heads, and then swap axes 1 and 2.",
            WHICH_AXIS,
            split=_one_reshape,
        ),
    ),
    hints=(
        "Print x.shape. nn.MultiheadAttention expects (n, B, d_model), unless it is told that the batch "
        "comes first.",
        "The layer takes batch_first=True when it is made.",
        "The call takes average_attn_weights=False.",
    ),
    explain="Two defaults, and no error from either: batch_first=False and average_attn_weights=True.",
    reread=WHOSE_BATCH,
)

# --- torch-blind-test --------------------------------------------------------------------------------

SONG = np.tile([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [-1.0, 1.0, 0.5]], (2, 1))


def _outputs(mask: Array) -> tuple[Array, Array]:
    """The outputs of a mask and of its opposite. A query with no key would give nan."""
    scores = SONG @ SONG.T / np.sqrt(SONG.shape[1])
    shown = [np.where(allowed, scores, -np.inf) for allowed in (mask == 1, mask == 0)]
    exponentials = [np.exp(s - s.max(axis=-1, keepdims=True)) for s in shown]
    one, other = (e / e.sum(axis=-1, keepdims=True) @ SONG for e in exponentials)
    return one, other


def _judge_blind(mask: Array) -> tuple[str, str]:
    if not np.isin(mask, (0, 1)).all():
        return "not-0-or-1", "a mask holds True and False, or 1 and 0: nothing else."
    for name, sums, what in (("no-key", 0, "no key"), ("no-hidden-key", 6, "every key")):
        rows = np.flatnonzero(mask.sum(axis=-1) == sums)
        if len(rows):
            other = "every key" if sums == 0 else "none"
            return name, (
                f"query {rows[0]} may attend to {what}; turned round, to {other}.\n"
                "Give each query some keys, and keep others from it."
            )
    one, other_way = _outputs(mask)
    moved = abs(one - other_way).max(axis=-1)
    if moved.max() < 1e-6:
        return "", (
            "✓ both ways round give the same output.\nThis test cannot see which way the mask is read. A "
            "good test has tokens that are all different."
        )
    worst = int(np.flatnonzero(moved >= 1e-6)[0])
    words = [("la", "di", "da")[place % 3] for place in range(6)]
    read = [" ".join(w for w, m in zip(words, mask[worst] == way, strict=True) if m) for way in (1, 0)]
    told = (
        f"turned round, it moves the output of query {worst}, by {number(moved[worst])}.\n"
        f"As it is, query {worst} reads: {read[0]}. Turned round it reads: {read[1]}.\n"
    )
    if (mask == np.eye(6)).all():
        return "itself-alone", told + "Both ways round a query should read the same words."
    if (mask[:, :3] == mask[:, 3:]).all():
        return "both-copies-alike", told + (
            "Both copies of a word are open, or both are hidden. What would the opposite have to read, for "
            "the output to be the same?"
        )
    if np.allclose(*_outputs(mask.T), atol=1e-6):
        return "columns-for-rows", told + "Your columns would do it. Rows are queries: transpose it."
    return "read-different-words", told + "Each should read every word as often as the other does."


ONE_COPY_EACH = np.array(
    [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1], [1, 1, 0, 0, 0, 1],
     [0, 0, 1, 1, 1, 0]]
)  # fmt: skip

TORCH_BLIND_TEST = Open(
    name="torch-blind-test",
    task="A mask whose polarity a test on la di da la di da cannot see.",
    shape=(6, 6),
    judge=_judge_blind,
    truths=True,
    example=ONE_COPY_EACH.tolist(),
    because="Each query may read one copy of each word. Turned round it reads the other copy, with the same "
    "key and the same value. So the test passes whichever way the mask is read; tokens that repeat make it "
    "blind.",
    slips=(
        Slip("not-0-or-1", ONE_COPY_EACH / 2, ""),
        Slip("no-key", np.zeros((6, 6)), ""),
        Slip("no-hidden-key", np.ones((6, 6)), ""),
        Slip("itself-alone", np.eye(6), ""),
        Slip("both-copies-alike", np.tile([1.0, 0, 0, 1, 0, 0], (6, 1)), ""),
        Slip("columns-for-rows", ONE_COPY_EACH.T, ""),
        Slip("read-different-words", np.tile([1.0, 1, 0, 0, 0, 0], (6, 1)), ""),
    ),
    hints=(
        "Token 3 is equal to token 0: for the output it does not matter which of the two is read.",
        "If a query reads one la, one di and one da, what is left for the mask that is turned round?",
    ),
    reread=WHOSE_TRUE,
)

# --- torch-timing ------------------------------------------------------------------------------------

MACHINES: dict[str, tuple[float, float, float, float, float]] = {
    # one call, until Python goes on, more for the first call, the way there, another program
    "laptop's GPU": (6, 0.2, 400, 3, 40),
    "server's GPU": (2, 0.1, 900, 5, 30),
    "CPU": (50, 50, 20, 0, 200),
}


def _printed_times(machine: str) -> list[float]:
    call, handed_over, first, way, disturbed = MACHINES[machine]
    return [(10 * call + first) / 10, handed_over, (10 * call + disturbed) / 10, call + way]


def _of_machine(name: str, reply: str, answer: Callable[..., float]) -> Slip:
    return Slip(name, lambda machine: answer(*MACHINES[machine]), reply)


TRUTH = "That would be the truth."
IN_SECONDS = "Those are seconds. The scripts print milliseconds."

TORCH_TIMING = Table(
    name="torch-timing",
    task="What four timing scripts print, in milliseconds.",
    row_name="machine",
    labels=tuple(MACHINES),
    columns=("A", "B", "C", "D"),
    row=_printed_times,
    slips=(
        (
            _of_machine("seconds-a", IN_SECONDS, lambda call, _handed, first, *_: (10 * call + first) / 1e4),
            _of_machine(
                "truth-a",
                f"{TRUTH} But the first of A's ten calls takes longer, and a mean takes it in.",
                lambda call, *_: call,
            ),
            _of_machine(
                "first-call-a",
                "That is the first call alone. A takes the mean of ten, of which nine are as usual.",
                lambda call, _handed, first, *_: call + first,
            ),
            _of_machine(
                "sum-a",
                "That is all ten together. The mean is a tenth of it.",
                lambda call, _handed, first, *_: 10 * call + first,
            ),
            _of_machine(
                "nine-a",
                "The first call takes *longer by* that much: it takes the usual time as well.",
                lambda call, _handed, first, *_: (9 * call + first) / 10,
            ),
            _of_machine(
                "eleven-a",
                "The slow call is one of the ten: nine more stand beside it.",
                lambda call, _handed, first, *_: (11 * call + first) / 11,
            ),
            _of_machine(
                "only-extra-a",
                "That is the share of the extra time alone. Each call takes its usual time as well.",
                lambda call, _handed, first, *_: first / 10,
            ),
        ),
        (
            _of_machine("seconds-b", IN_SECONDS, lambda _call, handed, *_: handed / 1e3),
            _of_machine(
                "truth-b",
                f"{TRUTH} But B does not wait: its clock is read when Python goes on, and the GPU still "
                "works.",
                lambda call, *_: call,
            ),
            _of_machine(
                "handed-and-call-b",
                "B does not wait for the call's end, so that only the handing over is in its time.",
                lambda call, handed, *_: call + handed,
            ),
            _of_machine("nothing-b", "Handing over takes a little time, too.", lambda *_: 0.0),
            _of_machine(
                "rest-b",
                "That is the part that is *not* timed: what goes on after Python goes on.",
                lambda call, handed, *_: call - handed,
            ),
            _of_machine(
                "sum-b", "That is all ten together. B prints the median of them.", lambda c, h, *_: 10 * h
            ),
        ),
        (
            _of_machine(
                "seconds-c", IN_SECONDS, lambda call, _handed, _first, _way, more: (10 * call + more) / 1e4
            ),
            _of_machine(
                "truth-c",
                f"{TRUTH} A median would print it. C's mean takes the one slow call in.",
                lambda call, *_: call,
            ),
            _of_machine(
                "slow-call-c",
                "That is the disturbed call alone. C takes the mean of ten, of which nine are as usual.",
                lambda call, _handed, _first, _way, more: call + more,
            ),
            _of_machine(
                "sum-c",
                "That is all ten together. The mean is a tenth of it.",
                lambda call, _handed, _first, _way, more: 10 * call + more,
            ),
            _of_machine(
                "nine-c",
                "The disturbed call takes *longer by* that much: it takes the usual time as well.",
                lambda call, _handed, _first, _way, more: (9 * call + more) / 10,
            ),
            _of_machine(
                "only-extra-c",
                "That is the share of the extra time alone. Each call takes its usual time as well.",
                lambda call, _handed, _first, _way, more: more / 10,
            ),
            _of_machine(
                "first-call-c",
                "C has warmed up, so that no first call is among its ten. But another program gets in the "
                "way.",
                lambda call, _handed, first, *_: (10 * call + first) / 10,
            ),
        ),
        (
            _of_machine(
                "seconds-d", IN_SECONDS, lambda call, _handed, _first, way, _more: (call + way) / 1e3
            ),
            _of_machine(
                "truth-d",
                f"{TRUTH} But D also times how x gets to the device, in each of the ten.",
                lambda call, *_: call,
            ),
            _of_machine(
                "way-alone-d",
                "That is the way there alone. The call comes after it, within the same time.",
                lambda _call, _handed, _first, way, _more: way,
            ),
            _of_machine(
                "way-once-d",
                "x is moved in each of the ten calls, not once: the median holds the whole way.",
                lambda call, _handed, _first, way, _more: call + way / 10,
            ),
            _of_machine(
                "way-and-handing-over-d",
                "D waits for the end of the call: its whole time counts.",
                lambda _call, handed, _first, way, _more: handed + way,
            ),
        ),
    ),
    because="A prints the warm-up, B the handing over, C the other program, D the way there. On a CPU, B and "
    "D are right, which is why a script that was tried there may lie on a GPU. Warm up, synchronise, take "
    "the median, and time what you mean to time.",
    hints=(
        "A: nine of the ten calls take the usual time, one takes that and more. Add up, and divide by 10.",
        "B: nobody waits for the device. What does the clock see of a call, on a GPU and on a CPU?",
        "C: nine of the ten calls take the usual time, one takes that and more. Add up, and divide by 10.",
        "D: within each time x is moved, and then the call runs to its end.",
    ),
    reread=HOW_LONG,
)

# --- torch-bytes -------------------------------------------------------------------------------------

N_HEADS, D_HEAD, BYTES_EACH = 8, 64, 2
OPERATIONS_A_SECOND, BYTES_A_SECOND = 500e12, 2e12
PEAKS_APART = OPERATIONS_A_SECOND / BYTES_A_SECOND


def _rows_moved(n: int) -> float:
    return 4 * N_HEADS * n * D_HEAD * BYTES_EACH


def _squares_moved(n: int) -> float:
    return 4 * N_HEADS * n * n * BYTES_EACH


def _operations(n: int) -> float:
    return 2 * 2 * N_HEADS * n * n * D_HEAD


def _microseconds(n: int, moved: float) -> tuple[float, float]:
    return _operations(n) / OPERATIONS_A_SECOND * 1e6, moved / BYTES_A_SECOND * 1e6


def _costs(n: int) -> list[float]:
    readable, fused = _rows_moved(n) + _squares_moved(n), _rows_moved(n)
    times = [max(_microseconds(n, moved)) for moved in (readable, fused)]
    return [_operations(n), readable, fused, *times]


def _time_slips(place: int, more: tuple[Slip, ...]) -> tuple[Slip, ...]:
    """Wrong ways to the time that follows from the bytes in a column."""

    def parts(n: int) -> tuple[float, float]:
        return _microseconds(n, _costs(n)[place])

    which = "readable" if place == 1 else "fused"
    return (
        Slip(
            f"both-added-{which}",
            lambda n: sum(parts(n)),
            "The two were added. They go on at the same time: the longer one decides.",
        ),
        Slip(
            f"shorter-{which}",
            lambda n: min(parts(n)),
            "That is the shorter of the two times, here. Whoever is ready first waits for the other.",
        ),
        Slip(
            f"seconds-{which}",
            lambda n: max(parts(n)) / 1e6,
            "Those are seconds. A second has 1e6 microseconds.",
        ),
        Slip(
            f"milliseconds-{which}",
            lambda n: max(parts(n)) / 1e3,
            "Those are milliseconds. A second has 1e6 microseconds.",
        ),
        Slip(
            f"nanoseconds-{which}",
            lambda n: max(parts(n)) * 1e3,
            "Those are nanoseconds. A second has 1e6 microseconds.",
        ),
        Slip(
            f"peaks-swapped-{which}",
            lambda n: max(parts(n)[0] * PEAKS_APART, parts(n)[1] / PEAKS_APART),
            "The two limits changed places: operations are divided by 500e12, bytes by 2e12.",
        ),
        *more,
    )


class CostTable(Table):
    """A table whose times follow from several of the columns before them."""

    def _led_by(self, column: int, wrong: Mapping[tuple[Any, int], object]) -> str:
        before = sorted({place for _, place in wrong if place in (0, column - 2)})
        names = " and ".join(f'"{self.columns[place]}"' for place in before)
        return f'Your "{self.columns[column]}" follows from your {names}: mend that first.'


def _time_of(_label: int, column: int, before: Sequence[float]) -> float:
    """The microseconds that the learner's own operations and bytes lead to; nan for the other columns."""
    if column < 3:
        return math.nan
    return 1e6 * max(before[0] / OPERATIONS_A_SECOND, before[column - 2] / BYTES_A_SECOND)


def _moving_alone(n: int) -> float:
    return _microseconds(n, _rows_moved(n))[1]


MOVING_ALONE = Slip(
    "moving-alone-fused", _moving_alone, "That is the time of the bytes. The operations may take longer."
)

TORCH_BYTES = CostTable(
    name="torch-bytes",
    task="Operations, bytes and the least time of attention, readable and fused.",
    row_name="n",
    labels=(256, 2048, 16384),
    columns=(
        "operations",
        "bytes readable",
        "bytes fused",
        "microseconds readable",
        "microseconds fused",
    ),
    row=_costs,
    exact=(0, 1, 2),
    next_from_row=_time_of,
    slips=(
        (
            Slip(
                "one-product",
                lambda n: _operations(n) / 2,
                "Two products: queries with keys, and weights "
                "with values. And a multiplication and an addition are two operations.",
            ),
            Slip(
                "multiplications-only",
                lambda n: _operations(n) / 4,
                "Two products, and in each a multiplication and an addition for every term: 2 · 2 · n² · "
                "d_head in a head.",
            ),
            Slip("one-head", lambda n: _operations(n) / N_HEADS, "That is one head. There are 8."),
            Slip(
                "whole-width",
                lambda n: _operations(n) * N_HEADS,
                "Each head works on 64 numbers of a token, not on 512. So 8 heads make 8 · 64, once.",
            ),
            Slip(
                "three-products",
                lambda n: _operations(n) * 1.5,
                "Two products are counted: queries with keys, and weights with values.",
            ),
            Slip(
                "n-not-squared",
                lambda n: _operations(n) / n,
                "Every query meets every key: n² dot products in a head.",
            ),
        ),
        (
            Slip(
                "numbers-readable",
                lambda n: (_rows_moved(n) + _squares_moved(n)) / BYTES_EACH,
                "Those are numbers. Each takes 2 bytes.",
            ),
            Slip(
                "float32-readable",
                lambda n: (_rows_moved(n) + _squares_moved(n)) * 2,
                "That is for 4 bytes a number. bfloat16 takes 2.",
            ),
            Slip(
                "squares-alone",
                _squares_moved,
                "Queries, keys and values are read as well, and the output is written.",
            ),
            Slip(
                "squares-once",
                lambda n: _rows_moved(n) + _squares_moved(n) / 4,
                "Four times n² in a head: scores written and read, weights written and read.",
            ),
            Slip(
                "squares-twice",
                lambda n: _rows_moved(n) + _squares_moved(n) / 2,
                "Four times n² in a head: scores written and read, weights written and read.",
            ),
            Slip(
                "squares-of-one-head",
                lambda n: _rows_moved(n) + _squares_moved(n) / N_HEADS,
                "Each of the 8 heads has n² scores of its own.",
            ),
            Slip(
                "one-head-readable",
                lambda n: (_rows_moved(n) + _squares_moved(n)) / N_HEADS,
                "That is one head. There are 8.",
            ),
            Slip(
                "output-left-out-readable",
                lambda n: _rows_moved(n) * 3 / 4 + _squares_moved(n),
                "The output is written as well.",
            ),
            Slip(
                "read-and-written-readable",
                lambda n: 2 * _rows_moved(n) + _squares_moved(n),
                "Queries, keys and values are only read, and the output is only written.",
            ),
            Slip(
                "fused-for-readable",
                _rows_moved,
                "That is the fused one. The readable one moves n² scores and weights as well.",
            ),
        ),
        (
            Slip(
                "half-of-it-fused",
                lambda n: _rows_moved(n) / BYTES_EACH,
                "That is half of it: numbers instead of bytes, of which each takes 2, or two tables instead "
                "of four.",
            ),
            Slip(
                "twice-as-much-fused",
                lambda n: _rows_moved(n) * 2,
                "That is twice as much: 4 bytes a number, where bfloat16 takes 2, or each table both read "
                "and written. Queries, keys and values are only read, and the output is only written.",
            ),
            Slip(
                "output-left-out-fused",
                lambda n: _rows_moved(n) * 3 / 4,
                "The output is written as well.",
            ),
            Slip(
                "one-table",
                lambda n: _rows_moved(n) / 4,
                "Queries, keys, values and the output: four tables of n rows.",
            ),
            Slip("one-head-fused", lambda n: _rows_moved(n) / N_HEADS, "That is one head. There are 8."),
            Slip(
                "squares-in-fused",
                lambda n: _rows_moved(n) + _squares_moved(n),
                "That is the readable one. The fused one keeps scores and weights to itself, and moves none.",
            ),
        ),
        _time_slips(1, ()),
        _time_slips(2, (MOVING_ALONE,)),
    ),
    because="The readable one waits for its bytes at every length: 16,384 tokens keep it busy for 8.6 ms, "
    "and the products take 1.1. The fused one moves so little that for 2,048 tokens and more the products "
    "decide; at 256 the bytes still do. It does not calculate less: it moves less.",
    hints=(
        "A head compares n queries with n keys, 64 multiplications and additions each, and mixes n values as "
        "often.",
        "Four tables of n rows of 64 in each head, and four times n × n: scores written, read; weights "
        "written, read. 2 bytes each.",
        "Queries, keys, values and output: four tables of n rows of 64 numbers in each of 8 heads, 2 bytes "
        "each.",
        "Operations / 500e12 and bytes / 2e12 are seconds. The longer one counts; times 1e6.",
        "Operations / 500e12 and bytes / 2e12 are seconds. The longer one counts; times 1e6.",
    ),
    reread=LIMITS,
)

EXERCISES = (
    TORCH_ATTENTION,
    TORCH_WEIGHTS,
    TORCH_POLARITY,
    TORCH_CORNER,
    TORCH_LAYOUT,
    TORCH_DROPOUT,
    TORCH_BATCH_FIRST,
    TORCH_BLIND_TEST,
    TORCH_TIMING,
    TORCH_BYTES,
)

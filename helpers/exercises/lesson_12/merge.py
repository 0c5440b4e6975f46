"""merge, lesson 12.

Attention over two halves of the keys, and one answer: output and log_sum_exp of both together.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Form, Probe, numbers
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_12.shared import Step, or_1
from helpers.softmax import softmax
from helpers.streaming import merge_partials
from helpers.validation import Array

HALVES = "12: Two halves, one answer"


MERGED = Form(parts={"output": ("query", "entry"), "log_sum_exp": ("query",)})


def _larger_or_0(a: Array, b: Array) -> Array:
    larger = np.maximum(a, b)
    return np.where(np.isneginf(larger), 0, larger)


def _above(log_sum_exp: Array, larger: Array) -> Array:
    return np.exp(log_sum_exp - larger)


def _column_of(parts: Array) -> Array:
    return parts[:, None]


def _mixed(output_a: Array, part_a: Array, output_b: Array, part_b: Array, total: Array) -> Array:
    return (part_a * output_a + part_b * output_b) / total


def _with_larger(larger: Array, total: Array, _a: Array, _b: Array) -> Array:
    return larger + np.log(total)


def _both(output: Array, log_sum_exp: Array) -> Any:
    return output, log_sum_exp


def _merge_by_choices(
    output_a: Array, log_sum_exp_a: Array, output_b: Array, log_sum_exp_b: Array, *,
    largest: Step = _larger_or_0, part: Step = _above, guard: Step = or_1, column: Step = _column_of,
    mix: Step = _mixed, logarithm: Step = _with_larger, give: Step = _both,
) -> Any:  # fmt: skip
    larger = largest(log_sum_exp_a, log_sum_exp_b)
    part_a, part_b = part(log_sum_exp_a, larger), part(log_sum_exp_b, larger)
    total = part_a + part_b
    output = mix(output_a, column(part_a), output_b, column(part_b), column(guard(total)))
    return give(output, logarithm(larger, total, log_sum_exp_a, log_sum_exp_b))


def _merge_probe(
    kind: str, a: Sequence[float], b: Sequence[float], d_v: int, start: int, hard: bool = False
) -> Probe:
    outputs = [numbers(len(a), d_v, start=start), numbers(len(a), d_v, start=start + 200)]
    logs = [np.array(a, dtype=np.float64), np.array(b, dtype=np.float64)]
    for output, log_sum_exp in zip(outputs, logs, strict=True):
        output[np.isneginf(log_sum_exp)] = 0
    (output_a, output_b), (log_a, log_b) = outputs, logs
    inputs = {"output_a": output_a, "log_sum_exp_a": log_a, "output_b": output_b, "log_sum_exp_b": log_b}
    return Probe(kind, inputs, hard=hard, form=MERGED)


NOTHING = -np.inf


MERGE_PROBES = (
    _merge_probe("two halves of different weight", [0.5, 1.0], [1.5, 0.2], d_v=3, start=61),
    _merge_probe("logarithms below 0", [-0.5, -1.0, 0.3], [-1.5, 0.4, -2.0], d_v=2, start=62),
    _merge_probe("two equal halves", [0.7, -0.3, 1.1], [0.7, -0.3, 1.1], d_v=4, start=63),
    _merge_probe("a half without keys", [0.4, NOTHING, 1.2], [NOTHING, -0.8, 0.6], d_v=5, start=64),
    _merge_probe(
        "a query without a key in either half", [0.4, NOTHING, 1.2], [0.1, NOTHING, 2.0], d_v=2, start=65
    ),
    _merge_probe("a half that counts little", [6.0, 0.3, 9.0], [0.2, 4.4, -0.1], d_v=2, start=68),
    _merge_probe("five queries", [2.0, 1.0, 0.0, -1.0, 4.0], [1.0, 3.0, 0.5, 1.0, 3.5], d_v=3, start=66),
    _merge_probe(
        "sums larger than any float64",
        [1000.0, 1001.0, -1000.0, 800.0],
        [1001.0, 1000.5, -1001.0, -800.0],
        d_v=3,
        start=67,
        hard=True,
    ),
)


def _between_the_two(inputs: Any, output: Any, _call: Any) -> str:
    merged, _ = output
    a, b = inputs["output_a"], inputs["output_b"]
    if merged.shape != a.shape:
        return ""
    low, high = np.minimum(a, b) - 1e-9, np.maximum(a, b) + 1e-9
    return (
        ""
        if ((low <= merged) & (merged <= high)).all()
        else (
            "Each number of the output should lie between those of the two halves: it is a mixture of them."
        )
    )


def _above_both(inputs: Any, output: Any, _call: Any) -> str:
    _, merged = output
    a, b = inputs["log_sum_exp_a"], inputs["log_sum_exp_b"]
    if merged.shape != a.shape:
        return ""
    larger = np.maximum(a, b)
    for query in np.flatnonzero(np.isneginf(larger) & ~np.isneginf(merged)):
        return (
            f"Query {query} has seen no key in either half. A sum of nothing is 0, and its logarithm −∞; "
            f"yours is {merged[query]:.2f}."
        )
    low, high = larger - 1e-9, larger + np.log(2) + 1e-9
    return (
        ""
        if ((low <= merged) & (merged <= high)).all()
        else (
            "log_sum_exp should be at least the larger of the two, and at most log 2 above it: a sum of "
            "two parts is larger than each, and at most twice the larger one."
        )
    )


def _same_everywhere(a: Array, b: Array) -> Array:
    return np.maximum(a, b).max() + 0 * np.where(np.isneginf(a), 0, a)


_SHARE = (
    "Each half counts by its share of the sum of exponentials: e^(its log_sum_exp) over the two together."
)


def _dropping(limit: float, drop: bool = True, whole: bool = True) -> Step:
    """A mixture in which a share of e^limit times the other one becomes 1, or the other one 0, or both."""

    def mix(output_a: Array, a: Array, output_b: Array, b: Array, total: Array) -> Array:
        with np.errstate(all="ignore"):
            above = np.nan_to_num(np.log(a) - np.log(b))
        shares = []
        for part, difference in ((a, above), (b, -above)):
            share = np.where(whole & (difference > limit), 1, part / total)
            shares.append(np.where(drop & (difference < -limit), 0, share))
        return np.asarray(shares[0] * output_a + shares[1] * output_b)

    return mix


_LOGS = (
    "The sums are added, and their logarithms are not: log(e^a + e^b), which np.logaddexp calculates, or "
    "larger + log(e^(a − larger) + e^(b − larger))."
)


def my_merge(
    output_a: Array, log_sum_exp_a: Array, output_b: Array, log_sum_exp_b: Array
) -> tuple[Array, Array]:
    """(n_queries, d_v), (n_queries,), the same of the other half -> output, log_sum_exp over all keys."""
    larger = np.maximum(log_sum_exp_a, log_sum_exp_b)
    larger = np.where(np.isneginf(larger), 0, larger)
    sum_a, sum_b = np.exp(log_sum_exp_a - larger), np.exp(log_sum_exp_b - larger)
    weighted_sum = sum_a[:, None] * output_a + sum_b[:, None] * output_b
    total = sum_a + sum_b
    output = weighted_sum / np.where(total == 0, 1, total)[:, None]
    with np.errstate(divide="ignore"):
        return output, larger + np.log(total)


EXERCISE = Write(
    name="merge",
    answer=my_merge,
    task="Attention over two halves of the keys, and one answer: output and log_sum_exp of both together.",
    call="my_merge(output_a, log_sum_exp_a, output_b, log_sum_exp_b)",
    right=merge_partials,
    recipe=_merge_by_choices,
    probes=MERGE_PROBES,
    axes=("query", "entry"),
    beside=("output_a", "log_sum_exp_a", "output_b", "log_sum_exp_b"),
    properties=(
        Property("a mixture", "each output lies between those of the halves", _between_the_two),
        Property("the logarithm", "log_sum_exp is at most log 2 above the larger one", _above_both),
    ),
    mistakes=(
        Mistake(
            "mean-of-outputs",
            "the output is the plain mean of the two",
            f"{_SHARE} The halves hold different keys, with different scores.",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: (output_a + output_b) / 2,
        ),
        Mistake(
            "sum-of-outputs",
            "the two outputs were added",
            f"Each is divided by its own sum already. {_SHARE}",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: output_a + output_b,
        ),
        Mistake(
            "not-divided",
            "the weighted outputs were not divided by the sum of both parts",
            "The two shares must sum to 1: divide by e^(a − larger) + e^(b − larger).",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: a * output_a + b * output_b,
        ),
        Mistake(
            "one-half-divided",
            "only one of the two halves was divided by the sum",
            "Both shares have the same sum below the line: (part_a · output_a + part_b · output_b) / total.",
            HALVES,
            also=[{"mix": lambda output_a, a, output_b, b, total: a * output_a / total + b * output_b}],
            mix=lambda output_a, a, output_b, b, total: a * output_a + b * output_b / total,
        ),
        Mistake(
            "shares-swapped",
            "each half got the share of the other one",
            "output_a counts by e^(log_sum_exp_a), output_b by e^(log_sum_exp_b).",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: (b * output_a + a * output_b) / total,
        ),
        Mistake(
            "shares-multiplied",
            "the parts were multiplied, or the outputs were",
            f"{_SHARE}",
            HALVES,
            also=[{"mix": lambda output_a, a, output_b, b, total: (a * output_a) * (b * output_b) / total}],
            mix=lambda output_a, a, output_b, b, total: a * b * (output_a + output_b) / total,
        ),
        Mistake(
            "larger-half-only",
            "the half with the larger log_sum_exp was taken alone",
            f"The other half's keys have weight, too. {_SHARE}",
            HALVES,
            also=[{"mix": lambda output_a, a, output_b, b, total: np.where(a > b, output_a, output_b)}],
            mix=lambda output_a, a, output_b, b, total: np.where(a >= b, output_a, output_b),
        ),
        Mistake(
            "small-share-dropped",
            "a half was left out where its share is small",
            f"A small share counts, too, and it costs nothing to take it in. {_SHARE}",
            HALVES,
            also=[
                {"mix": _dropping(5, whole=False)},
                {"mix": _dropping(5, drop=False)},
                {"mix": _dropping(4)},
                {"mix": _dropping(8)},
            ],
            mix=_dropping(5),
        ),
        Mistake(
            "halved",
            "the mixture was divided by 2 as well",
            "The two shares sum to 1 already.",
            HALVES,
            mix=lambda *parts: _mixed(*parts) / 2,
        ),
        Mistake(
            "total-alone",
            "the outputs were added without their shares, and divided by the sum",
            f"Each output is divided by its own sum already. {_SHARE}",
            HALVES,
            mix=lambda output_a, a, output_b, b, total: (output_a + output_b) / total,
        ),
        Mistake(
            "empty-half-wins",
            "where one half has no key for a query, the other half was lost as well",
            "A half without a key has the share e^−∞ = 0. The other one is then the answer.",
            HALVES,
            give=lambda output, log: (np.where(np.isneginf(_column_of(log)), 0, output), log),
            logarithm=lambda larger, total, a, b: np.where(
                np.isneginf(a) | np.isneginf(b), -np.inf, larger + np.log(total)
            ),
        ),
        Mistake(
            "half-b-lost",
            "the output is that of one half alone",
            _SHARE,
            HALVES,
            also=[{"mix": lambda output_a, a, output_b, b, total: output_b}],
            mix=lambda output_a, a, output_b, b, total: output_a,
        ),
        Mistake(
            "half-a-share",
            "one half came in without its share",
            _SHARE,
            HALVES,
            also=[
                {"mix": lambda output_a, a, output_b, b, total: output_a + b * output_b / total},
                {"mix": lambda output_a, a, output_b, b, total: a * output_a / total + output_b},
            ],
            mix=lambda output_a, a, output_b, b, total: (output_a + b * output_b) / total,
        ),
        Mistake(
            "by-logarithms",
            "the outputs were weighted by the logarithms themselves",
            f"A logarithm may be 0 or below it. {_SHARE}",
            HALVES,
            also=[
                {
                    "largest": _larger_or_0,
                    "part": lambda log, larger: log,
                    "guard": lambda total: total,
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                }
            ],
            part=lambda log, larger: log,
            guard=lambda total: total,
            mix=_mixed,
            largest=_larger_or_0,
            logarithm=lambda larger, total, a, b: a + b,
        ),
        Mistake(
            "by-differences",
            "the outputs were weighted by the differences from the larger logarithm, without e",
            _SHARE,
            HALVES,
            also=[
                {
                    "part": lambda log, larger: log - larger,
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                }
            ],
            part=lambda log, larger: log - larger,
        ),
        Mistake(
            "overflow",
            "e^log_sum_exp was calculated without taking the larger one off first",
            "e^1000 is larger than any float64, and e^−1000 is 0: their shares are nan. Shares depend on the "
            "difference only, so subtract the larger of the two first.",
            HALVES,
            also=[
                {
                    "largest": lambda a, b: np.log(np.exp(a) + np.exp(b)),
                    "guard": np.ones_like,
                    "logarithm": lambda larger, total, a, b: larger,
                },
                {
                    "largest": lambda a, b: 0 * _larger_or_0(a, b),
                    "guard": lambda total: total,
                    "mix": lambda *parts: np.nan_to_num(_mixed(*parts)),
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                },
                {
                    "largest": lambda a, b: 0 * _larger_or_0(a, b),
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                },
                {"largest": lambda a, b: 0 * _larger_or_0(a, b), "guard": lambda total: total},
                {
                    "largest": lambda a, b: 0 * _larger_or_0(a, b),
                    "guard": lambda total: total,
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                },
                {
                    "largest": lambda a, b: 0 * _larger_or_0(a, b),
                    "guard": lambda total: np.maximum(total, 1e-300),
                },
            ],
            largest=lambda a, b: 0 * _larger_or_0(a, b),
        ),
        Mistake(
            "softmax-over-queries",
            "softmax ran over the queries, not over the two halves",
            f"Queries have nothing to share among each other. {_SHARE}",
            HALVES,
            also=[
                {
                    "part": lambda log, larger: softmax(log),
                    "logarithm": lambda larger, total, a, b: np.logaddexp(a, b),
                }
            ],
            part=lambda log, larger: softmax(log),
            mix=lambda output_a, a, output_b, b, total: a * output_a + b * output_b,
            logarithm=lambda larger, total, a, b: np.logaddexp(a, b),
        ),
        Mistake(
            "smaller-taken-off",
            "the smaller of the two logarithms was taken off, not the larger one",
            "Then the larger one may still overflow, and −∞ stands there where a half is empty. With the "
            "larger one taken off no exponent is above 0.",
            HALVES,
            also=[{"largest": lambda a, b: np.where(np.isneginf(np.minimum(a, b)), 0, np.minimum(a, b))}],
            largest=np.minimum,
        ),
        Mistake(
            "a-taken-off",
            "the logarithm of one fixed half was taken off, not the larger one",
            "Where the other half's is larger by 710 or more, e^(difference) is ∞; and −∞ − −∞ is nan. "
            "Take off the larger of the two.",
            HALVES,
            also=[{"largest": lambda a, b: b}],
            largest=lambda a, b: a,
        ),
        Mistake(
            "one-maximum-for-all",
            "one maximum was taken for all queries together",
            "Each query has its own two logarithms: np.maximum(log_sum_exp_a, log_sum_exp_b), entry by "
            "entry. Otherwise both parts of a query far below the maximum are 0.",
            HALVES,
            largest=_same_everywhere,
        ),
        Mistake(
            "no-key-nan",
            "a query without a key in either half gives nan",
            "−∞ − −∞ is nan, and 0/0 as well. Put a finite number in the place of the larger one where "
            "it is −∞, and 1 in the place of a sum that is 0.",
            HALVES,
            also=[
                {"largest": np.maximum, "logarithm": lambda larger, total, a, b: np.logaddexp(a, b)},
                {"guard": lambda total: total},
                {"guard": lambda total: total, "logarithm": lambda larger, total, a, b: np.logaddexp(a, b)},
                {
                    "largest": np.logaddexp,
                    "logarithm": lambda larger, total, a, b: larger,
                    "guard": lambda total: 1,
                },
            ],
            largest=np.maximum,
        ),
        Mistake(
            "minus-infinity-lost",
            "log_sum_exp is finite for a query that has seen no key",
            "The sum of no exponentials is 0, and its logarithm is −∞. A finite one would make the next "
            "merge count an empty half.",
            HALVES,
            also=[
                {"logarithm": lambda larger, total, a, b: np.nan_to_num(larger + np.log(total))},
                {
                    "logarithm": lambda larger, total, a, b: np.where(
                        total == 0, 0, larger + np.log(or_1(total))
                    )
                },
                {"logarithm": lambda larger, total, a, b: larger + np.log(np.maximum(total, 1e-300))},
            ],
            logarithm=lambda larger, total, a, b: larger + np.log(or_1(total)),
        ),
        Mistake(
            "logarithms-added",
            "the two logarithms were added",
            f"That is the logarithm of a product. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: a + b,
        ),
        Mistake(
            "larger-logarithm",
            "log_sum_exp is the larger of the two",
            f"The other half's exponentials belong to the sum, too. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: np.maximum(a, b),
        ),
        Mistake(
            "mean-of-logarithms",
            "log_sum_exp is the mean of the two",
            f"Two halves have more keys than one, and so a larger sum. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: (a + b) / 2,
        ),
        Mistake(
            "logarithms-mixed",
            "the two logarithms were mixed by the shares",
            f"Outputs are mixed, sums are added. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: (
                (np.exp(a - larger) * np.nan_to_num(a) + np.exp(b - larger) * np.nan_to_num(b)) / or_1(total)
            ),
            also=[
                {
                    "logarithm": lambda larger, total, a, b: (
                        (np.exp(a - larger) * a + np.exp(b - larger) * b) / total
                    )
                }
            ],
        ),
        Mistake(
            "larger-not-put-back",
            "the larger logarithm was taken off and never put back",
            "log(e^(a − larger) + e^(b − larger)) is the logarithm less the larger one: add it again.",
            HALVES,
            logarithm=lambda larger, total, a, b: np.log(total),
        ),
        Mistake(
            "larger-multiplied",
            "the larger logarithm was multiplied with the rest, or taken off again",
            "log(e^larger · total) is larger + log(total).",
            HALVES,
            also=[{"logarithm": lambda larger, total, a, b: np.log(total) - larger}],
            logarithm=lambda larger, total, a, b: larger * np.log(total),
        ),
        Mistake(
            "no-logarithm",
            "the sum came back, without its logarithm",
            "The next merge takes a logarithm, and the sum itself may be larger than any float64.",
            HALVES,
            also=[
                {"logarithm": lambda larger, total, a, b: total},
                {"logarithm": lambda larger, total, a, b: np.exp(a) + np.exp(b)},
            ],
            logarithm=lambda larger, total, a, b: larger + total,
        ),
        Mistake(
            "log-overflow",
            "log_sum_exp was calculated from e^a + e^b, which may be ∞",
            f"e^1000 is larger than any float64. {_LOGS}",
            HALVES,
            logarithm=lambda larger, total, a, b: np.log(np.exp(a) + np.exp(b)),
        ),
        Mistake(
            "powers-of-2",
            "powers or logarithms to base 2 were taken",
            "These are natural logarithms: np.exp and np.log, or np.logaddexp.",
            HALVES,
            also=[
                {
                    "part": lambda log, larger: np.exp2(log - larger),
                    "logarithm": lambda larger, total, a, b: np.logaddexp2(a, b),
                },
                {"logarithm": lambda larger, total, a, b: np.logaddexp2(a, b)},
                {"logarithm": lambda larger, total, a, b: larger + np.log2(total)},
            ],
            part=lambda log, larger: np.exp2(log - larger),
        ),
        Mistake(
            "ratio-inverted",
            "the differences are turned round: e^(larger − log_sum_exp)",
            "The half with the larger sum should count more: e^(log_sum_exp − larger).",
            HALVES,
            part=lambda log, larger: np.exp(larger - log),
        ),
        Mistake(
            "no-column",
            "the shares of the queries were multiplied along the wrong axis",
            "A row of the output belongs to a query. The shares have shape (n_queries,): [:, None] makes "
            "a column of them, which meets every number of its row.",
            HALVES,
            also=[{"column": lambda parts: parts[None, :]}],
            column=lambda parts: parts,
        ),
        Mistake(
            "results-swapped",
            "the two results came back in the wrong order",
            "First the output, then log_sum_exp.",
            HALVES,
            give=lambda output, log: (log, output),
        ),
        Mistake(
            "log-as-column",
            "log_sum_exp came back with an axis too many",
            "It has one number for each query: shape (n_queries,), as it came.",
            HALVES,
            give=lambda output, log: (output, log[:, None]),
        ),
    ),
    hints=(
        "If the two sums were S_a and S_b: what would the output over all keys be, and what the sum?",
        "The shares are S_a / (S_a + S_b) and S_b / (S_a + S_b). With larger = np.maximum of the two "
        "logarithms, np.exp(log_sum_exp_a - larger) can stand for S_a, and S_b likewise: the shares stay "
        "the same.",
        "log_sum_exp is larger + np.log(of the two parts together). Where a query has no key at all, "
        "larger is −∞: put 0 there, and 1 in place of a sum that is 0. np.where chooses.",
    ),
    explain="Each output was divided by its own sum. Its share puts that sum back, and divides by both. "
    "A query without any key needs the two np.where, because −∞ − −∞ and 0/0 are nan.",
    reread=HALVES,
)

"""log-softmax, lesson 03: logarithms of the softmax weights, also where a weight is too small for a float."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_03.shared import score_probes
from helpers.exercises.slips.sharing import (
    AXIS,
    FIRST,
    LAST,
    LOGS,
    QUERIES,
    SECOND,
    SHIFT,
    Step,
    dropped_keepdims,
    no_shift,
    own_max,
    row_max,
    total,
    whole_max,
)
from helpers.softmax import log_softmax, softmax
from helpers.validation import Array


def _shared(exponentials: Array, axis: Any) -> Array:
    return exponentials / np.sum(exponentials, axis=axis, keepdims=True)


def _log_by_choices(
    scores: Array, *, axis: Any = LAST, shift: Step = own_max,
    log_total: Step = lambda exponentials, axis: np.log(total(exponentials, axis)),
    shifted_minus: Step = np.subtract, after: Step = lambda logs, scores, axis: logs,
) -> Array:  # fmt: skip
    scores = np.asarray(scores)
    shifted = scores - shift(scores, axis)
    return after(shifted_minus(shifted, log_total(np.exp(shifted), axis)), scores, axis)


SMALL = (  # numbers that keep a logarithm from −∞, as learners choose them
    *(10.0**-power for power in (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 30, 100, 300)),
    float(np.finfo(np.float64).eps),
    float(np.finfo(np.float64).tiny),
)


LOG_PROBES = tuple(probe for probe in score_probes() if probe.kind != "sentences far apart")


def my_log_softmax(scores: Array) -> Array:
    """(..., n_queries, n_keys) -> the natural logarithms of the softmax weights, same shape."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    totals = np.exp(shifted).sum(axis=-1, keepdims=True)
    return shifted - np.log(totals)


EXERCISE = Write(
    name="log-softmax",
    answer=my_log_softmax,
    task="Logarithms of the softmax weights, also where a weight is too small for a float.",
    call="my_log_softmax(scores)",
    right=log_softmax,
    recipe=_log_by_choices,
    probes=LOG_PROBES,
    properties=(
        Property(
            "none above 0",
            "no logarithm is above 0",
            lambda inputs, logs, call: (
                ""
                if not np.nanmax(logs) > 1e-6
                else f"One result is {np.nanmax(logs):.2f}; a weight is at most 1, its log at most 0."
            ),
        ),
        Property(
            "exponentials sum to 1",
            "e to the power of each row sums to 1",
            lambda inputs, logs, call: (
                ""
                if logs.ndim == 0 or np.allclose(np.exp(logs.astype(float)).sum(axis=-1), 1, atol=1e-3)
                else "e to the power of your results should sum to 1 in each row."
            ),
        ),
    ),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "log-of-weights",
            "the weights were computed first, and their logarithm after",
            "A weight such as e^−1000 is 0 in a float. Its logarithm is then −∞, or that of the small "
            "number added or put in its place (log 1e-12 is −27.63), and not −1000. Stay with logarithms: "
            "log(a/b) = log a − log b.",
            LOGS,
            also=[
                {"after": lambda logs, s, axis: np.log(_shared(np.exp(s), axis))},
                {"after": lambda logs, s, axis: np.nan_to_num(np.log(softmax(s)))},
                *(
                    {
                        "after": lambda logs, s, axis, least=least, guard=guard: np.log(
                            guard(softmax(s), least)
                        )
                    }
                    for guard in (np.add, np.maximum)
                    for least in SMALL
                ),
            ],
            after=lambda logs, scores, axis: np.log(softmax(scores, axis=axis)),
        ),
        Mistake(
            "no-row-max",
            "the largest score was not subtracted first",
            "e^1000 is larger than any float64, and e^−1000 is 0, whose logarithm is −∞.",
            SHIFT,
            shift=no_shift,
        ),
        Mistake(
            "max-forgotten",
            "the largest score was subtracted inside the sum only",
            "score − log Σe^(score − m) is too large by m: subtract m from the score as well.",
            LOGS,
            after=lambda logs, scores, axis: logs + own_max(scores, axis),
        ),
        Mistake(
            "total-forgotten",
            "the logarithm of the sum was left out",
            "log(e^s / sum) = s − log(sum): without it, the exponentials do not sum to 1.",
            LOGS,
            log_total=lambda exponentials, axis: 0.0,
        ),
        Mistake(
            "total-without-log",
            "the sum was subtracted without its logarithm",
            "log(e^s / sum) = s − log(sum).",
            LOGS,
            log_total=total,
        ),
        Mistake(
            "total-log-2",
            "the sum's logarithm was taken to base 2",
            "The exponentials are powers of e, and so the logarithm that undoes them is `np.log`.",
            LOGS,
            log_total=lambda exponentials, axis: np.log2(total(exponentials, axis)),
        ),
        Mistake(
            "total-log-10",
            "the sum's logarithm was taken to base 10",
            "The exponentials are powers of e, and so the logarithm that undoes them is `np.log`.",
            LOGS,
            log_total=lambda exponentials, axis: np.log10(total(exponentials, axis)),
        ),
        Mistake(
            "added",
            "the logarithm of the sum was added",
            "Dividing by the sum is subtracting its logarithm.",
            LOGS,
            shifted_minus=np.add,
        ),
        Mistake(
            "divided",
            "the score was divided by the logarithm of the sum",
            "log(a / b) is log a minus log b.",
            LOGS,
            shifted_minus=np.divide,
        ),
        Mistake(
            "sign-turned",
            "the sign was turned",
            "The logarithm of a weight is 0 or less; −log p is the surprise.",
            LOGS,
            after=lambda logs, scores, axis: -logs,
        ),
        Mistake(
            "log-2",
            "logarithms to base 2 came back",
            "The task asks for natural logarithms, `np.log`.",
            LOGS,
            also=[{"after": lambda logs, s, axis: np.log2(softmax(s))}],
            after=lambda logs, scores, axis: logs / np.log(2),
        ),
        Mistake(
            "log-10",
            "logarithms to base 10 came back",
            "The task asks for natural logarithms, `np.log`.",
            LOGS,
            also=[{"after": lambda logs, s, axis: np.log10(softmax(s))}],
            after=lambda logs, scores, axis: logs / np.log(10),
        ),
        Mistake(
            "weights",
            "the weights came back, not their logarithms",
            "The task asks for log p, which is 0 or less.",
            LOGS,
            after=lambda logs, scores, axis: np.exp(logs),
        ),
        Mistake(
            "over-queries",
            "the sum ran over the queries",
            "One distribution for each query: over the keys, the last axis.",
            AXIS,
            also=[{"axis": QUERIES, "shift": row_max}],
            axis=QUERIES,
        ),
        Mistake(
            "axis-0",
            "the sum ran over the first axis",
            "One distribution for each query: over the keys, the last axis.",
            AXIS,
            also=[{"axis": FIRST, "shift": row_max}],
            axis=FIRST,
        ),
        Mistake(
            "axis-1",
            "the sum ran over axis 1, which holds the keys for one sentence only",
            "Counted from the end, keys are always axis −1.",
            AXIS,
            also=[{"axis": SECOND, "shift": row_max}],
            axis=SECOND,
        ),
        Mistake(
            "over-everything",
            "all scores together were made one distribution",
            "One distribution for each query. Give the sum an axis.",
            AXIS,
            also=[{"axis": None, "shift": row_max}],
            axis=None,
        ),
        Mistake(
            "whole-max",
            "the largest of all scores was subtracted, not the largest of each row",
            "A row far below it has nothing but e^−1000 = 0 left, and log 0 is −∞.",
            SHIFT,
            shift=whole_max,
        ),
        Mistake(
            "keepdims",
            "a number for each row (a sum, a largest score) lost its axis",
            "Without that axis NumPy cannot line the numbers up with their rows: `keepdims=True` keeps it.",
            AXIS,
            log_total=lambda exponentials, axis: np.log(dropped_keepdims(exponentials, axis)),
        ),
    ),
    hints=(
        "log(a / b) = log a − log b, and log e^s = s.",
        "So log p = s − log Σe^s. Which shift keeps Σe^s from overflowing?",
        "Subtract the largest score from s first, in both places.",
    ),
    explain="log p = s − log Σe^s, with the largest score subtracted from s in both places.",
    reread=LOGS,
)

"""temperature, lesson 03: weights at a temperature."""

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.write import Write
from helpers.exercises.lesson_03.shared import ORDER_KEPT, SHIFT_IGNORED
from helpers.exercises.slips.matching import same
from helpers.exercises.slips.scaling import NONE_BELOW_0, ROWS_SUM_TO_1
from helpers.exercises.slips.sharing import AXIS, SHIFT, TEMPERATURE, Step
from helpers.softmax import softmax
from helpers.validation import Array


def at_temperature(scores: Array, temperature: float) -> Array:
    """(..., n_queries, n_keys), a number above 0 -> weights of the same shape; each row sums to 1."""
    return softmax(np.asarray(scores) / temperature)


def _temperature_by_choices(
    scores: Array, temperature: float, *, cool: Step = np.divide, share: Step = softmax,
    after: Step = lambda weights, temperature: weights,
) -> Array:  # fmt: skip
    return after(share(cool(np.asarray(scores), temperature)), temperature)


def _own_softmax(scores: Array) -> Array:
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=-1, keepdims=True)


def _exp_over(above: Array, below: Array) -> Array:
    return np.exp(above) / np.sum(np.exp(below), axis=-1, keepdims=True)


def _below_own_max(scores: Array) -> Array:
    return scores - np.max(scores, axis=-1, keepdims=True)


def _ignored(scores: Array, temperature: float) -> Array:
    return scores


def my_temperature(scores: Array, temperature: float) -> Array:
    """(..., n_queries, n_keys), a number above 0 -> weights of the same shape; each row sums to 1."""
    return softmax(scores / temperature)


EXERCISE = Write(
    name="temperature",
    answer=my_temperature,
    task="Weights at a temperature.",
    call="my_temperature(scores, temperature)",
    right=at_temperature,
    recipe=_temperature_by_choices,
    probes=(
        Probe("one sentence", {"scores": np.array([[2.0, 1.0, 0.5], [0.25, -1.0, 1.5]]), "temperature": 0.5}),
        Probe(
            "one sentence", {"scores": np.array([[-0.5, 0.75, 1.0], [1.25, 2.0, -3.0]]), "temperature": 3.0}
        ),
        Probe(
            "whole numbers",
            {"scores": np.array([[2, 0, 1, -1], [0, 3, 1, 1], [1, -2, 0, 4]]), "temperature": 4.0},
        ),
        Probe("a batch of 2 sentences", {"scores": numbers(2, 5, 7, start=40), "temperature": 2.5}),
        Probe("with 3 heads", {"scores": numbers(2, 3, 5, 7, start=200), "temperature": 0.25}),
        Probe(
            "large scores",
            {"scores": np.array([[1000.0, 1001.0, 999.5], [1002.0, 1000.5, 1001.5]]), "temperature": 0.5},
            True,
        ),
    ),
    properties=(ROWS_SUM_TO_1, NONE_BELOW_0, SHIFT_IGNORED, ORDER_KEPT),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "multiplied",
            "the scores were multiplied by the temperature, or the weights raised to its power T, not 1/T",
            "Then a high temperature sharpens. It should flatten: divide the scores by it.",
            TEMPERATURE,
            cool=np.multiply,
        ),
        Mistake(
            "ignored",
            "the temperature had no effect: it was left out, or a shift or a factor that cancels",
            "Softmax ignores what is added to all scores, and a factor on all exponentials cancels. "
            "Divide the scores.",
            TEMPERATURE,
            cool=_ignored,
        ),
        Mistake(
            "weights-divided",
            "the weights were divided by the temperature, after softmax",
            "Then rows no longer sum to 1. Divide the scores, before softmax.",
            TEMPERATURE,
            cool=_ignored,
            after=np.divide,
        ),
        Mistake(
            "weights-multiplied",
            "the weights were multiplied by the temperature, after softmax",
            "Then rows no longer sum to 1. Divide the scores, before softmax.",
            TEMPERATURE,
            cool=_ignored,
            after=np.multiply,
        ),
        Mistake(
            "above-the-line-only",
            "the temperature divides the scores above the division line and not below it",
            "The sum must be of the same exponentials: then each row sums to 1.",
            TEMPERATURE,
            also=[{"cool": lambda s, t: _exp_over(_below_own_max(s) / t, _below_own_max(s)), "share": same}],
            cool=lambda scores, temperature: _exp_over(scores / temperature, scores),
            share=same,
        ),
        Mistake(
            "below-the-line-only",
            "the temperature divides the scores below the division line and not above it",
            "The sum must be of the same exponentials: then each row sums to 1.",
            TEMPERATURE,
            also=[{"cool": lambda s, t: _exp_over(_below_own_max(s), _below_own_max(s) / t), "share": same}],
            cool=lambda scores, temperature: _exp_over(scores, scores / temperature),
            share=same,
        ),
        Mistake(
            "weights-raised",
            "the weights were raised to a power (1/T, or T) and not divided by their new sum",
            "p^(1/T) is right up to a factor: divide each row by its sum.",
            TEMPERATURE,
            also=[{"cool": _ignored, "after": np.power}],
            cool=_ignored,
            after=lambda weights, temperature: weights ** (1 / temperature),
        ),
        Mistake(
            "divided-twice",
            "the temperature was applied twice",
            "Divide the scores by it once.",
            TEMPERATURE,
            also=[{"after": np.divide}],
            cool=lambda scores, temperature: scores / temperature**2,
        ),
        Mistake(
            "rooted",
            "the scores were divided by the root of the temperature",
            "The root belongs to d_k. The temperature divides as it is.",
            TEMPERATURE,
            cool=lambda scores, temperature: scores / np.sqrt(temperature),
        ),
        Mistake(
            "powered",
            "the scores were raised to the power of the temperature",
            "Divide them by it: then their differences shrink as the temperature rises.",
            TEMPERATURE,
            cool=lambda scores, temperature: scores**temperature,
        ),
        Mistake(
            "whole-division",
            "the scores were divided by `//`, which drops the fraction",
            "`//` rounds down to a whole number. Divide by `/`.",
            TEMPERATURE,
            also=[{"cool": lambda scores, temperature: np.trunc(scores / temperature)}],
            cool=np.floor_divide,
        ),
        Mistake(
            "parameters-swapped",
            "the temperature was divided by the scores",
            "The check calls my_temperature(scores, temperature), in this order. Do your parameters stand "
            "the other way round?",
            TEMPERATURE,
            also=[{"cool": lambda scores, temperature: temperature / scores, "share": _own_softmax}],
            cool=lambda scores, temperature: temperature / scores,
        ),
        Mistake(
            "scaled-again",
            "the scores were divided by √n_keys as well",
            "Here the temperature alone divides; the root, of d_k, belongs to lesson 02.",
            TEMPERATURE,
            cool=lambda scores, temperature: scores / (temperature * np.sqrt(scores.shape[-1])),
        ),
        Mistake(
            "softmax-twice",
            "softmax was applied twice",
            "Weights are no scores: a second softmax makes them nearly equal. Divide the scores, then apply "
            "softmax once.",
            TEMPERATURE,
            also=[{"after": lambda weights, temperature: softmax(weights)}],
            cool=lambda scores, temperature: softmax(scores) / temperature,
        ),
        Mistake(
            "not-softmaxed",
            "softmax was left out",
            "The task asks for weights: softmax makes them from the scores.",
            TEMPERATURE,
            share=same,
        ),
        Mistake(
            "over-queries",
            "softmax ran over the queries",
            "One distribution for each query: over the keys, the last axis.",
            AXIS,
            share=lambda scores: softmax(scores, axis=-2),
        ),
        Mistake(
            "axis-0",
            "softmax ran over the first axis",
            "One distribution for each query: over the keys, the last axis.",
            AXIS,
            share=lambda scores: softmax(scores, axis=0),
        ),
        Mistake(
            "axis-1",
            "softmax ran over axis 1, which holds the keys for one sentence only",
            "Counted from the end, keys are always axis −1.",
            AXIS,
            share=lambda scores: softmax(scores, axis=1),
        ),
        Mistake(
            "over-everything",
            "all scores together were made one distribution",
            "One distribution for each query.",
            AXIS,
            share=lambda scores: softmax(scores.ravel()).reshape(scores.shape),
        ),
        Mistake(
            "no-row-max",
            "the largest score was not subtracted first",
            "e^1000 is larger than any float64. The helper softmax takes care of that.",
            SHIFT,
            share=lambda scores: np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True),
        ),
    ),
    hints=(
        "At temperature 2, two scores that differ by 3 should weigh like scores that differ by 1.5.",
        "Change the scores first, then let softmax make weights of them.",
        "Divide the scores by the temperature.",
    ),
    explain="Dividing by a temperature above 1 brings the scores closer together, so that the weights "
    "get more equal.",
    reread=TEMPERATURE,
)

"""rescale, lesson 13: one tile more: running_max, running_sum and weighted_sum after it."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Form, Probe, numbers
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_13.shared import column, hidden_from
from helpers.exercises.lesson_13.steps import (  # noqa: F401 (edits name some of them)
    MIXES,
    ONE_PASS,
    SUMS,
    WORDS,
    guarded,
    guarded_softmax,
    row_max,
    tile_softmax,
)
from helpers.validation import Array

STATE = Form(
    parts={
        "running_max": ("query", "entry"),
        "running_sum": ("query", "entry"),
        "weighted_sum": ("query", "entry"),
    }
)


def step(running_max: Array, running_sum: Array, weighted_sum: Array, scores: Array, values: Array) -> Any:
    """(n_queries, 1) twice, (n_queries, d_v), (n_queries, tile), (tile, d_v) -> the first three, after it.

    Every exponential of earlier tiles is one of e^(score − running_max): their sum alone is known.
    """
    new_max = np.concatenate([running_max, scores], axis=1).max(axis=1, keepdims=True)
    old_part = np.exp(running_max - new_max)
    tile_part = np.exp(scores - new_max)
    new_sum = old_part * running_sum + tile_part.sum(axis=1, keepdims=True)
    return new_max, new_sum, old_part * weighted_sum + tile_part @ values


def _after(scores: Array, values: Array) -> dict[str, Array]:
    """(n_queries, keys so far), (keys so far, d_v) -> the three that stand when these keys have been read."""
    running_max = row_max(scores)
    exponentials = np.exp(scores - running_max)
    running_sum = exponentials.sum(axis=-1, keepdims=True)
    return {"running_max": running_max, "running_sum": running_sum, "weighted_sum": exponentials @ values}


def _step_probe(kind: str, earlier: Array, scores: Array, d_v: int, start: int, hard: bool = False) -> Probe:
    state = _after(earlier, numbers(earlier.shape[1], d_v, start=start + 500))
    values = numbers(scores.shape[1], d_v, start=start)
    return Probe(kind, {**state, "scores": scores, "values": values}, hard=hard, form=STATE)


def _first_tile(kind: str, n_queries: int, tile: int, d_v: int, start: int, shift: float = 0) -> Probe:
    state = {
        "running_max": np.full((n_queries, 1), -np.inf),
        "running_sum": np.zeros((n_queries, 1)),
        "weighted_sum": np.zeros((n_queries, d_v)),
    }
    tile_of = {
        "scores": numbers(n_queries, tile, start=start) + shift,
        "values": numbers(tile, d_v, start=start + 300),
    }
    return Probe(kind, {**state, **tile_of}, form=STATE)


def _some_without_a_key(kind: str, start: int) -> Probe:
    """Query 1 has seen no key yet, the others have."""
    probe = _step_probe(kind, numbers(3, 5, start=start), numbers(3, 4, start=start + 5), d_v=2, start=start)
    for name, nothing in (("running_max", -np.inf), ("running_sum", 0), ("weighted_sum", 0)):
        probe.inputs[name][1] = nothing
    return probe


def _held_in_float32(scores: Array) -> Array:
    """Rounded so that float32 holds numbers near 1,000 exactly: a step in float32 is right, too."""
    return np.round(scores * 1024) / 1024


OF_TASK = {
    "running_max": np.array([[0.0]]),
    "running_sum": np.array([[1.0]]),
    "weighted_sum": np.array([[10.0]]),
    "scores": np.array([[np.log(3)]]),
    "values": np.array([[20.0]]),
}
STEP_PROBES = (
    _step_probe(
        "a tile with larger scores", numbers(2, 5, start=11), numbers(2, 3, start=21) + 3, d_v=4, start=31
    ),
    Probe(EXAMPLE, OF_TASK, True, STATE),
    _step_probe(
        "a tile with smaller scores", numbers(2, 5, start=13), numbers(2, 3, start=23) - 3, d_v=4, start=33
    ),
    _step_probe(
        "larger scores for some queries, smaller ones for others",
        numbers(5, 4, start=15) + column(0, 1, 2, 3, 4),
        numbers(5, 3, start=25) + column(3, -2, 2, 0, 7),
        d_v=2,
        start=35,
    ),
    _first_tile("the first tile of all", 3, 5, 2, start=41),
    _first_tile("the first tile of all, with scores below 0", 2, 3, 4, start=43, shift=-3),
    _some_without_a_key("a query that has seen no key yet", start=45),
    _step_probe(
        "a tile that is hidden from one query",
        numbers(3, 2, start=17),
        hidden_from(numbers(3, 4, start=27) + 2, 1),
        d_v=5,
        start=37,
    ),
    _step_probe(
        "a tile of seven keys", numbers(3, 2, start=19), numbers(3, 7, start=29) + 1, d_v=4, start=39
    ),
    _step_probe("one query", numbers(1, 2, start=47), numbers(1, 4, start=57), d_v=3, start=67, hard=True),
    _step_probe(
        "a tile of one key", numbers(4, 2, start=49), numbers(4, 1, start=59) + 1, d_v=2, start=69, hard=True
    ),
    _step_probe(
        "values of one number", numbers(3, 2, start=51), numbers(3, 4, start=61), d_v=1, start=71, hard=True
    ),
    _step_probe(
        "scores of 1,000 and −1,000",
        _held_in_float32(numbers(3, 2, start=19) + column(-1000, 1000, 0)),
        _held_in_float32(numbers(3, 7, start=29) + column(1000, 998, -1000)),
        d_v=4,
        start=39,
        hard=True,
    ),
)


def _max_is_reached(inputs: Any, output: Any, _call: Any) -> str:
    new_max = output[0]
    largest = np.maximum(inputs["running_max"], row_max(inputs["scores"]))
    if new_max.shape != largest.shape or np.allclose(new_max, largest):
        return ""
    return (
        "running_max should be the largest score of each query so far: the larger of the one before and "
        "of this tile."
    )


def _divides_to_output(inputs: Any, output: Any, _call: Any) -> str:
    new_max, new_sum, weighted_sum = output
    largest = np.maximum(inputs["running_max"], row_max(inputs["scores"]))
    if new_max.shape != largest.shape or not np.allclose(new_max, largest):
        return ""
    _, right_sum, right_mix = step(**inputs)
    if new_sum.shape != right_sum.shape or weighted_sum.shape != right_mix.shape:
        return ""
    sum_right, mix_right = np.allclose(new_sum, right_sum), np.allclose(weighted_sum, right_mix)
    if mix_right and not sum_right:
        return "running_max and weighted_sum are right, running_sum is not."
    if sum_right and not mix_right:
        return "running_max and running_sum are right, weighted_sum is not."
    return "running_max is right, and neither of the two sums is."


def without_key(exponentials: Array, key: int) -> Array:
    """A tile's exponentials -> the same with 0 for one key."""
    exponentials[:, key] = 0
    return exponentials


def my_step(
    running_max: Array, running_sum: Array, weighted_sum: Array, scores: Array, values: Array
) -> tuple[Array, Array, Array]:
    """(n_queries, 1) twice, (n_queries, d_v), (n_queries, tile), (tile, d_v) -> the first three, after it."""
    new_max = np.maximum(running_max, scores.max(axis=-1, keepdims=True))
    rescale = np.exp(running_max - new_max)
    exponentials = np.exp(scores - new_max)
    new_sum = rescale * running_sum + exponentials.sum(axis=-1, keepdims=True)
    new_weighted_sum = rescale * weighted_sum + exponentials @ values
    return new_max, new_sum, new_weighted_sum


EDITS = Edits(my_step, {
    "tile_max": "scores.max(axis=-1, keepdims=True)",
    "tile_of_scores": "scores in tile_max",
    "tile_sum": "exponentials.sum(axis=-1, keepdims=True)",
    "tile_mix": "exponentials @ values",
    "tile_of_values": "values in tile_mix",
    "largest": "np.maximum(running_max, scores.max(axis=-1, keepdims=True))",
    "factor": "np.exp(running_max - new_max)",
    "exp": "np.exp(scores - new_max)",
    "carried_sum": "rescale * running_sum",
    "carried": "rescale * running_sum",
    "carried_mix": "rescale * weighted_sum",
    "sum": "rescale * running_sum + exponentials.sum(axis=-1, keepdims=True)",
    "mix": "rescale * weighted_sum + exponentials @ values",
})  # fmt: skip
MISTAKES = """
starts-at-0
    you treated a running maximum of −∞ as 0
    Where all scores lie below 0, the 0 stays the largest, though no score is that large. −∞ needs no
    special care: np.maximum and e^(−∞ − new) = 0 do what they should.
    | largest => np.maximum(np.where(np.isneginf(running_max), 0, running_max), tile_max)

first-tile-for-all
    where one query has seen no key yet, you restarted the sums of all queries
    Each query has a state of its own: a key may be hidden from one and not from another. No `if` is needed:
    e^(−∞ − new) is 0 for that query alone.
    @ anew = np.isneginf(running_max).any()
    | factor => np.zeros_like(running_max) if anew else it
    | factor => np.zeros_like(running_max) if anew else it; largest => tile_max if anew else it

first-query-for-all
    you used the factor of one query for all
    Each query has its own maxima, and so its own factor: a column, (n_queries, 1).
    | factor => np.exp(running_max[:1] - new_max[:1]) + 0 * new_max

tile-part-divided
    you divided the tile's part of weighted_sum by the new running_sum
    {once}
    | mix => carried_mix + tile_mix / new_sum

first-key-left-out
    you left out the first key of the tile
    Every key of the tile belongs to both sums, including the one at place 0.
    @ others = scores[:,1:].max(-1,keepdims=True,initial=-np.inf)
    | exp => without_key(it, 0)
    | exp => without_key(it, 0); largest => np.maximum(running_max, others)

last-key-left-out
    you left out the last key of the tile
    Every key of the tile belongs to both sums. A slice ends before its stop, so [:-1] drops one.
    @ others = scores[:,:-1].max(-1,keepdims=True,initial=-np.inf)
    | exp => without_key(it, -1)
    | exp => without_key(it, -1); largest => np.maximum(running_max, others)

hidden-key-as-0
    you gave a hidden key, with a score of −∞, the score 0
    e^−∞ is 0 already, which is what a hidden key should count. A score of 0 does count.
    @ seen = np.where(np.isneginf(scores),0,scores)
    | exp => np.exp(seen - new_max)
    | exp => np.exp(seen - new_max); largest => np.maximum(running_max, row_max(seen))

absolute-scores
    you looked for the largest score without regard to sign
    The maximum is the largest score, and −3 is not larger than 2.
    | largest => np.maximum(running_max, row_max(abs(scores)))

log-sum-exp-for-max
    you returned log_sum_exp instead of running_max
    Take running_max + log(running_sum) after the last tile. The next step needs the maximum that both
    sums are measured against.
    | result => (new_max + np.log(new_sum), new_sum, new_weighted_sum)

tile-alone
    you returned the results of this tile alone, so everything read before is lost
    Carry all three on: the larger maximum, and each sum rescaled plus the tile's part.
    | largest => tile_max; carried_sum => 0 * running_sum; carried_mix => 0 * weighted_sum

taken-for-an-output
    you treated weighted_sum as an output, dividing it by its sum at every step
    Some programs do keep the divided output, and multiply by the old sum each time. Here nothing is divided
    until the last tile has been read.
    @ carried = np.exp(running_max-new_max)*weighted_sum
    | result => (new_max, new_sum, (new_weighted_sum + (running_sum - 1) * carried) / new_sum)

old-max-returned
    you returned the maximum that went in
    The next tile is measured against what you return: it must be the new maximum.
    | result => (running_max, new_sum, new_weighted_sum)

order-of-results
    you returned the three in the wrong order
    The order is running_max, running_sum, weighted_sum.
    @ order = 1,0,2 2,1,0 0,2,1 2,0,1 1,2,0
    | result => [it[place] for place in (order)]

output-returned
    you returned weighted_sum divided by running_sum, which is the output already
    The next tile would add to something that is divided. Divide once, after the last tile.
    | result => (new_max, new_sum, new_weighted_sum / new_sum)

logarithm-returned
    you returned the logarithm of the sum instead of running_sum
    Take the logarithm after the last tile. Until then you add to the sum itself.
    | result => (new_max, np.log(new_sum), new_weighted_sum)
    | result => (new_max, new_max + np.log(new_sum), new_weighted_sum)

without-axis
    the maximum and the sum came back without their second axis
    They should be columns, (n_queries, 1), so that they meet the scores row by row: keepdims=True.
    | result => (new_max[:, 0], new_sum[:, 0], new_weighted_sum)
"""
ALL = EDITS.mistakes(SUMS + MIXES + MISTAKES, ONE_PASS, words=WORDS)
EXERCISE = Write(
    name="rescale",
    answer=my_step,
    task="One tile more: running_max, running_sum and weighted_sum after it.",
    call="my_step(running_max, running_sum, weighted_sum, scores, values)",
    right=step,
    recipe=EDITS.recipe(),
    mistakes=ALL,
    probes=STEP_PROBES,
    axes=("query", "entry"),
    beside=("running_max", "running_sum", "weighted_sum", "scores"),
    properties=(
        Property("running max", "running_max is the largest score so far", _max_is_reached),
        Property("the sums", "divided, the sums give the output over all keys so far", _divides_to_output),
    ),
    hints=(
        "First the maximum: np.maximum of the old one and the tile's largest score in each row. "
        "Keep the old one; you need both.",
        "Both sums hold e^(score − old maximum). Which factor turns that into e^(score − new maximum)?",
        "With rescale = np.exp(running_max - new_max) and exponentials = np.exp(scores - new_max): each "
        "sum is rescale times what it was, plus the tile's part. Those are exponentials.sum(axis=-1, "
        "keepdims=True) and exponentials @ values.",
    ),
    explain="Both sums were measured against the old maximum, and e^(old − new) converts them to the new "
    "one. Before the first tile that factor, e^(−∞ − new), is 0, and so are both sums. blocked_attention in "
    "helpers/streaming.py does this step for each tile.",
    reread=ONE_PASS,
)

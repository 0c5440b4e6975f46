"""tile-bug, lesson 13.

Attention, a tile of keys at a time. The scores and the maxima are right; the output is too small.
"""

from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, triple
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_13.shared import or_1  # noqa: F401 (in the edits)
from helpers.exercises.lesson_13.steps import (  # noqa: F401 (edits name some of them)
    MIXES,
    ONE_PASS,
    WORDS,
    but,
    guarded,
    guarded_softmax,
    passing_mistakes,
    row_max,
    tile_softmax,
)
from helpers.validation import Array

TILES = "13: Tiles"


def _whole(queries: Array, keys: Array, values: Array, _tile: int) -> Array:
    return attention(queries, keys, values)[0]


def _blocked_probe(
    kind: str,
    n_queries: int,
    n_keys: int,
    tile: int,
    d_v: int,
    start: int,
    times: float = 1,
    hard: bool = False,
    d_k: int = 4,
) -> Probe:
    inputs = triple(n_queries=n_queries, n_keys=n_keys, d_k=d_k, d_v=d_v, start=start, apart=100)
    larger = {name: inputs[name] * times for name in ("queries", "keys")}
    return Probe(kind, {**inputs, **larger, "tile": tile}, hard)


def _far_below_0(kind: str, n_queries: int, n_keys: int, tile: int, d_v: int, start: int) -> Probe:
    inputs = _blocked_probe(kind, n_queries, n_keys, tile, d_v, start).inputs
    inputs["queries"][:, 0], inputs["keys"][:, 0] = -60, 30
    return Probe(kind, inputs, hard=True)


OF_TASK = {
    "queries": np.zeros((1, 2)),
    "keys": np.ones((4, 2)),
    "values": np.array([[3.0], [6.0], [12.0], [27.0]]),
    "tile": 2,
}
BLOCKED_PROBES = (
    _blocked_probe("two tiles", 2, 6, 3, 5, start=71),
    Probe(EXAMPLE, OF_TASK, True),
    _blocked_probe("all keys in one tile", 3, 5, 5, 2, start=72),
    _blocked_probe("one key at a time", 2, 5, 1, 3, start=73),
    _blocked_probe("a shorter last tile", 3, 7, 2, 5, start=74),
    _blocked_probe("a tile that is longer than the keys", 3, 5, 8, 2, start=75),
    _blocked_probe("more keys than one can see at a glance", 5, 11, 4, 3, start=76),
    _blocked_probe("one query, d_k 3", 1, 7, 3, 4, start=171, hard=True, d_k=3),
    _blocked_probe("one key", 4, 1, 2, 3, start=172, hard=True, d_k=5),
    _blocked_probe("d_k 1 and d_v 1", 3, 6, 4, 1, start=173, hard=True, d_k=1),
    _blocked_probe("large scores", 5, 11, 3, 2, start=77, times=25, hard=True),
    _far_below_0("scores far below 0", 3, 7, 3, 5, start=78),
)


def _weights_sum_to_1(inputs: Any, _output: Array, call: Any) -> str:
    values = inputs["values"]
    with_ones = call(inputs["queries"], inputs["keys"], np.ones_like(values), inputs["tile"])
    if with_ones is None or with_ones.ndim != 2 or np.allclose(with_ones, 1):
        return ""
    row = int(np.argmax(abs(with_ones - 1).max(axis=-1) > 1e-5))  # the first, as the case above shows
    return (
        "Where all values are 1 each output is 1, because weights sum to 1. With values of 1 your query "
        f"{row} gets {with_ones[row, 0]:.2f}."
    )


def my_blocked_attention(queries: Array, keys: Array, values: Array, tile: int) -> Any:
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v), tile -> output (n_queries, d_v)."""
    running_max, running_sum, weighted_sum = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        tile_of_keys, tile_of_values = keys[start : start + tile], values[start : start + tile]
        scores = queries @ tile_of_keys.T / np.sqrt(queries.shape[1])
        new_max = np.maximum(running_max, scores.max(axis=-1, keepdims=True))
        rescale, exponentials = np.exp(running_max - new_max), np.exp(scores - new_max)
        running_sum = rescale * running_sum + exponentials.sum(axis=-1, keepdims=True)
        weighted_sum = rescale * weighted_sum + exponentials @ tile_of_values
        running_max = new_max
    return weighted_sum / running_sum


EDITS = Edits(my_blocked_attention, {
    "before": "-np.inf, 0, 0",
    "begin": "-np.inf in before",
    "starts": "range(0, len(keys), tile)",
    "keys_stop": "start + tile in top",
    "values_stop": "start + tile in its_values",
    "top": "keys[start : start + tile]",  # run first: the old sum is there still
    "its_values": "values[start : start + tile]",
    "stop": "keys_stop + values_stop",
    "score": "queries @ tile_of_keys.T / np.sqrt(queries.shape[1])",
    "tile_max": "scores.max(axis=-1, keepdims=True)",
    "tile_of_scores": "scores in tile_max",
    "tile_sum": "exponentials.sum(axis=-1, keepdims=True)",
    "tile_mix": "exponentials @ tile_of_values",
    "largest": "np.maximum(running_max, scores.max(axis=-1, keepdims=True))",
    "factor": "np.exp(running_max - new_max)",
    "exp": "np.exp(scores - new_max)",
    "carried_sum": "rescale * running_sum",
    "carried": "rescale * running_sum",
    "carried_mix": "rescale * weighted_sum",
    "sum": "rescale * running_sum + exponentials.sum(axis=-1, keepdims=True)",
    "mix": "rescale * weighted_sum + exponentials @ tile_of_values",
    "finish": "weighted_sum / running_sum",
})  # fmt: skip
OWN = """
divided-twice
    each tile's part is divided by the running sum in the loop, and the total again at the end
    {divide}
    | mix => carried_mix + tile_mix / running_sum; finish

all-divided-twice
    you divided weighted_sum by the running sum in each step, and again at the end
    {divide}
    | mix => (carried_mix + tile_mix) / running_sum; finish

divided-in-the-loop
    you divided each tile's part in the loop, by the running sum so far
    {divide}
    | mix => carried_mix + tile_mix / running_sum; finish => weighted_sum

all-divided-in-the-loop
    you divided weighted_sum in every step, by the running sum so far
    {divide}
    | mix => (carried_mix + tile_mix) / running_sum; finish => weighted_sum

divided-before-the-sum
    you divided each tile's part by running_sum before updating it
    In the first step it is still 0. {divide}
    @ kept = (it,old_sum:=running_sum)[0]
    | mix => carried_mix + tile_mix / old_sum; top => kept
    | mix => carried_mix + tile_mix / old_sum; finish => weighted_sum; top => kept
    | mix => carried_mix + tile_mix / or_1(old_sum); top => kept
    | mix => carried_mix + tile_mix / or_1(old_sum); finish => weighted_sum; top => kept

carried-divided
    in each step you divided what was summed before by the running sum
    {divide}
    | mix => carried_mix / running_sum + tile_mix
    | mix => carried_mix / running_sum + tile_mix; finish => weighted_sum

an-output-divided
    you keep weighted_sum as an output, which is right, but then divide it again at the end
    Multiplied by the old sum and divided by the new one in each step, it is the output already after the
    last tile. Either way is fine, but not both.
    @ kept = (it,old_sum:=running_sum)[0]
    | mix => (carried_mix * old_sum + tile_mix) / running_sum; finish; top => kept

multiplied-at-the-end
    you multiplied weighted_sum by running_sum at the end
    Weights are e^(score − maximum) divided by running_sum.
    | finish => weighted_sum * running_sum

first-tile-left-out
    you left out the first tile
    Every key belongs to the sums: the tiles start at 0.
    | starts => range(tile, len(keys), tile); finish
    | starts => range(tile, len(keys), tile); before => map(np.asarray, it)

sliding-tiles
    the tiles overlap: the loop moves on by one key, not by a whole tile
    range(0, len(keys), tile) goes from tile to tile, so every key is counted once.
    | starts => range(len(keys))

one-key-too-many
    each tile holds one key too many, which is then counted twice
    A slice ends before its stop: start : start + tile holds exactly `tile` keys.
    | stop => start + tile + 1; starts

powers-of-2-throughout
    you used powers of 2 instead of powers of e
    That is also attention, but with other weights: 2^score is e^(score · log 2). The weights asked for
    are those of e^score.
    | factor => np.exp2(running_max - new_max); exp => np.exp2(scores - new_max)

divided-by-the-tile
    you divided each tile's part by the tile's own sum
    Then each tile counts the same, whatever its scores. {divide}
    | mix => carried_mix + tile_mix / tile_sum
    | mix => carried_mix + tile_mix / tile_sum; finish => weighted_sum
    | exp => tile_softmax(scores); factor => np.ones_like(running_max)
    | exp => tile_softmax(scores); finish => weighted_sum
    | exp => tile_softmax(scores)
    | exp => tile_softmax(scores); factor => np.ones_like(running_max); finish => weighted_sum
    | mix => carried_mix + tile_mix / tile_sum; sum => carried + 1; factor => np.ones_like(running_max)

first-tile-only
    only the first tile was read
    All tiles belong to the sums. Does `return` stand inside the loop?
    | starts => [0]

last-tile-only
    only the last tile counts
    All tiles belong to the sums. What wipes out those before: does each step begin the sums anew? Or does
    running_max stay −∞, so that e^(old − new) is 0?
    | starts => it[-1:]

never-divided
    you never divided weighted_sum
    weighted_sum is a sum of e^(score − maximum) times value. Dividing it by running_sum makes it a mixture.
    | finish => weighted_sum

divided-by-last-tile
    at the end you divided weighted_sum by the sum of the last tile alone
    It holds the values of all keys, and running_sum the exponentials of all keys.
    | finish => weighted_sum / np.exp(scores - row_max(scores)).sum(axis=-1, keepdims=True)

tile-max-at-the-end
    you used a maximum again in the division at the end
    Both sums are measured against the running maximum already, and it cancels in weighted_sum / running_sum.
    | finish => weighted_sum / (running_sum * np.exp(row_max(scores) - running_max))
    | finish => weighted_sum / (running_sum * np.exp(running_max))
    | finish => weighted_sum * np.exp(row_max(scores) - running_max) / running_sum
    | finish => it * np.exp(running_max)
    | finish => weighted_sum / (running_sum * np.exp(row_max(scores)))

divided-by-n
    you divided weighted_sum by the number of keys
    The weights sum to 1 where weighted_sum is divided by running_sum.
    | finish => weighted_sum / len(keys)
    | finish => it / len(keys)

divided-by-all
    you divided weighted_sum by the sum over all queries
    Each query has its own running sum: a column, (n_queries, 1).
    | finish => weighted_sum / running_sum.sum()

not-scaled
    you did not divide the scores by √d_k
    The scores of a tile are those of lesson 02: queries @ tile_of_keys.T / √d_k.
    | score => queries @ tile_of_keys.T

divided-by-d_k
    you divided the scores by d_k, not by its root
    The variance grows with d_k, the spread with its root: np.sqrt(queries.shape[1]).
    | score => queries @ tile_of_keys.T / queries.shape[1]

other-scale
    you divided the scores by the root of something other than d_k
    d_k is the length of a query: np.sqrt(queries.shape[1]). How many queries, keys or values there are, and
    how wide a tile is, has nothing to do with it.
    | score => queries @ tile_of_keys.T / np.sqrt(len(tile_of_keys))
    | score => queries @ tile_of_keys.T / np.sqrt(tile)
    | score => queries @ tile_of_keys.T / np.sqrt(len(keys))
    | score => queries @ tile_of_keys.T / np.sqrt(values.shape[1])
    | score => queries @ tile_of_keys.T / np.sqrt(len(queries))

last-tile-short
    you left out the keys of a shorter last tile
    range(0, len(keys), tile) goes through all the starts, and a slice past the end is simply shorter.
    | starts => range(0, len(keys) - tile + 1, tile); finish
    | starts => range(0, len(keys) - tile + 1, tile); before => map(np.asarray, it)
    | starts => range(0, len(keys) - tile + 1, tile) or [0]

starts-at-0
    the running maximum starts at 0
    A query whose scores all lie far below 0 never gets its own maximum, and its exponentials are all 0.
    Start at −∞, which is below any score.
    | begin => 0.0
"""
OWN_WORDS = {
    "divide": "A sum divided by the running sum so far cannot be added to later tiles, which have a "
    "different one. Divide once, after the last tile.",
}
MISTAKES = (
    *EDITS.mistakes(OWN, TILES, words=OWN_WORDS),
    *but(
        (
            *passing_mistakes(EDITS, more_nan="| exp => np.exp(scores - running_max)\n"),
            *EDITS.mistakes(MIXES, ONE_PASS, words=WORDS),
        ),
        "old-exponentials",
        "divided-by-the-tile",
        "tile-softmax",
        "powers-of-2",
    ),
)
EXERCISE = Mend(
    name="tile-bug",
    answer=my_blocked_attention,
    bug=EDITS.bug("tile_mix => exponentials @ tile_of_values / running_sum"),
    task="Attention, a tile of keys at a time. The scores and the maxima are right; the output is too small.",
    call="my_blocked_attention(queries, keys, values, tile)",
    right=_whole,
    recipe=EDITS.recipe(),
    given="divided-twice",
    symptom="give all values the number 1. The output should then be 1 for every query, because weights sum "
    "to 1. Yet even with a single tile it is smaller. How often is a key's value divided on its way?",
    probes=BLOCKED_PROBES,
    axes=("query", "entry"),
    properties=(Property("weights sum to 1", "values of 1 give an output of 1", _weights_sum_to_1),),
    mistakes=MISTAKES,
    unseen="whether the keys are still read a tile at a time. The task asks for it: a program that looks at "
    "all keys at once needs all their scores at once.",
    hints=(
        "Take one query, one tile and values of 1. What is weighted_sum after that one step, and what comes "
        "out?",
        "weighted_sum / running_sum at the end divides every key's value once. Is any value divided "
        "before that?",
        "Leave the division by running_sum out of the loop.",
    ),
    explain="weighted_sum and running_sum grow side by side, undivided, and both are rescaled. Their ratio "
    "after the last tile is the output. Each value has been divided once, by the sum over all keys. "
    "blocked_attention in helpers/streaming.py cuts the queries into tiles as well.",
    reread=TILES,
)

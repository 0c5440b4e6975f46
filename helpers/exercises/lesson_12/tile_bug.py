"""tile-bug, lesson 12.

Attention, a tile of keys at a time. The scores and the maxima are right; the output is too small.
A recipe, for its steps are those of lesson_12/steps.py.
"""

from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_12.mixing_steps import mix_mistakes
from helpers.exercises.lesson_12.shared import Step, all_tiles, or_1
from helpers.exercises.lesson_12.steps import Part, but, one, one_step, own_softmax, passing_mistakes, row_max
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.validation import Array

TILES = "12: Tiles"


def _whole(queries: Array, keys: Array, values: Array, _tile: int) -> Array:
    return attention(queries, keys, values)[0]


def _by_root_d_k(queries: Array, tile_of_keys: Array, _values: Array, _n_keys: int) -> Array:
    return scale_scores(dot_product_scores(queries, tile_of_keys), queries.shape[-1])


def _divided(weighted_sum: Array, running_sum: Array, _running_max: Array, _last: Array, _n: int) -> Array:
    return weighted_sum / running_sum


def _blocked_by_choices(
    queries: Array, keys: Array, values: Array, tile: int, *, score: Step = _by_root_d_k,
    tiles: Step = all_tiles, finish: Step = _divided, begin: float = -np.inf, **choices: Step,
) -> Any:  # fmt: skip
    running_max, running_sum, weighted_sum = map(np.asarray, (begin, 0.0, 0.0))  # single numbers, as given
    scores = running_max
    for place in tiles(len(keys), tile):
        scores = score(queries, keys[place], values[place], len(keys))
        state = one_step(running_max, running_sum, weighted_sum, scores, values[place], **choices)
        running_max, running_sum, weighted_sum = state
    return finish(weighted_sum, running_sum, running_max, scores, len(keys))


def _blocked_probe(
    kind: str,
    n_queries: int,
    n_keys: int,
    tile: int,
    d_v: int,
    start: int,
    times: float = 1,
    hard: bool = False,
) -> Probe:
    return Probe(
        kind,
        {
            "queries": numbers(n_queries, 4, start=start) * times,
            "keys": numbers(n_keys, 4, start=start + 100) * times,
            "values": numbers(n_keys, d_v, start=start + 200),
            "tile": tile,
        },
        hard=hard,
    )


def _far_below_0(kind: str, n_queries: int, n_keys: int, tile: int, d_v: int, start: int) -> Probe:
    inputs = _blocked_probe(kind, n_queries, n_keys, tile, d_v, start).inputs
    inputs["queries"][:, 0], inputs["keys"][:, 0] = -60, 30
    return Probe(kind, inputs, hard=True)


BLOCKED_PROBES = (
    _blocked_probe("two tiles", 2, 6, 3, 5, start=71),
    _blocked_probe("all keys in one tile", 3, 5, 5, 2, start=72),
    _blocked_probe("one key at a time", 2, 5, 1, 3, start=73),
    _blocked_probe("a shorter last tile", 3, 7, 2, 5, start=74),
    _blocked_probe("a tile that is longer than the keys", 3, 5, 8, 2, start=75),
    _blocked_probe("more keys than one can see at a glance", 5, 11, 4, 3, start=76),
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


_DIVIDE = (
    "A sum that is divided by the running sum of its time cannot be added to later tiles, which have "
    "another one. Divide once, after the last tile."
)


def _each_divided(part: Part) -> Array:
    return part.carried + part.e @ part.values / part.total


def _all_divided(part: Part) -> Array:
    return (part.carried + part.e @ part.values) / part.total


def _own_divided(part: Part) -> Array:
    return part.carried + part.e @ part.values / part.e.sum(axis=-1, keepdims=True)


def _divided_before(part: Part) -> Array:
    return part.carried + part.e @ part.values / part.before


def _kept_as_an_output(part: Part) -> Array:
    return (part.carried * part.before + part.e @ part.values) / part.total


def _divided_or_error(weighted_sum: Array, running_sum: Array, *_rest: Any) -> Any:
    """Where no tile was read the given function still has the numbers 0 and 0."""
    return weighted_sum / running_sum if running_sum.any() else int(running_sum.any()) / 0


def _full_tiles_only(n_keys: int, tile: int) -> list[slice]:
    return [slice(start, start + tile) for start in range(0, n_keys - tile + 1, tile)]


def _undivided(weighted_sum: Array, *_rest: Any) -> Array:
    return weighted_sum


def _by_last_tile(weighted_sum: Array, _sum: Array, _max: Array, last: Array, _n: int) -> Array:
    return weighted_sum / np.exp(last - row_max(last)).sum(axis=-1, keepdims=True)


def bug(queries: Array, keys: Array, values: Array, tile: int) -> Any:
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v), tile -> output, wrong: divided in the loop as well."""
    running_max, running_sum, weighted_sum = -np.inf, 0, 0
    for start in range(0, len(keys), tile):
        tile_of_keys, tile_of_values = keys[start : start + tile], values[start : start + tile]
        scores = queries @ tile_of_keys.T / np.sqrt(queries.shape[1])
        new_max = np.maximum(running_max, scores.max(axis=-1, keepdims=True))
        rescale, exponentials = np.exp(running_max - new_max), np.exp(scores - new_max)
        running_sum = rescale * running_sum + exponentials.sum(axis=-1, keepdims=True)
        weighted_sum = rescale * weighted_sum + exponentials @ tile_of_values / running_sum
        running_max = new_max
    return weighted_sum / running_sum


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


EXERCISE = Mend(
    name="tile-bug",
    answer=my_blocked_attention,
    bug=bug,
    task="Attention, a tile of keys at a time. The scores and the maxima are right; the output is too small.",
    call="my_blocked_attention(queries, keys, values, tile)",
    right=_whole,
    recipe=_blocked_by_choices,
    given="divided-twice",
    symptom="give all values the number 1. The output should then be 1 for every query, because weights "
    "sum to 1, and even with a single tile it is smaller. How often is a key's value divided on its way?",
    probes=BLOCKED_PROBES,
    axes=("query", "entry"),
    properties=(Property("weights sum to 1", "values of 1 give an output of 1", _weights_sum_to_1),),
    mistakes=(
        Mistake(
            "divided-twice",
            "each tile's part was divided by the running sum in the loop, and the whole once more at the end",
            _DIVIDE,
            TILES,
            add_mix=_each_divided,
            finish=_divided,  # said of both divisions: no pair with another end
        ),
        Mistake(
            "all-divided-twice",
            "weighted_sum was divided by the running sum in each step, and once more at the end",
            _DIVIDE,
            TILES,
            add_mix=_all_divided,
            finish=_divided,
        ),
        Mistake(
            "divided-in-the-loop",
            "each tile's part was divided in the loop, by the running sum of its time",
            _DIVIDE,
            TILES,
            add_mix=_each_divided,
            finish=_undivided,
        ),
        Mistake(
            "all-divided-in-the-loop",
            "weighted_sum was divided in every step, by the running sum of its time",
            _DIVIDE,
            TILES,
            add_mix=_all_divided,
            finish=_undivided,
        ),
        Mistake(
            "divided-before-the-sum",
            "each tile's part was divided by running_sum before that had been updated",
            f"In the first step it is still 0. {_DIVIDE}",
            TILES,
            also=[
                {"add_mix": _divided_before, "finish": _undivided},
                {"add_mix": lambda part: part.carried + part.e @ part.values / or_1(part.before)},
                {
                    "add_mix": lambda part: part.carried + part.e @ part.values / or_1(part.before),
                    "finish": _undivided,
                },
            ],
            add_mix=_divided_before,
        ),
        Mistake(
            "carried-divided",
            "what was summed before was divided by the running sum in the step",
            _DIVIDE,
            TILES,
            also=[
                {
                    "add_mix": lambda part: part.carried / part.total + part.e @ part.values,
                    "finish": _undivided,
                }
            ],
            add_mix=lambda part: part.carried / part.total + part.e @ part.values,
        ),
        Mistake(
            "an-output-divided",
            "weighted_sum is kept as an output, which is right, and then divided once more at the end",
            "Multiplied by the old sum and divided by the new one in each step, it is the output already "
            "after the last tile. Either way is good, but not both.",
            TILES,
            add_mix=_kept_as_an_output,
            finish=_divided,
        ),
        Mistake(
            "multiplied-at-the-end",
            "weighted_sum was multiplied by running_sum at the end",
            "Weights are e^(score − maximum) divided by running_sum.",
            TILES,
            finish=lambda mix, total, largest, last, n: mix * total,
        ),
        Mistake(
            "first-tile-left-out",
            "the first tile was left out",
            "Every key belongs to the sums: the tiles start at 0.",
            TILES,
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(tile, n, tile)],
            finish=_divided_or_error,
            also=[{"tiles": lambda n, tile: [slice(start, start + tile) for start in range(tile, n, tile)]}],
        ),
        Mistake(
            "sliding-tiles",
            "the tiles overlap: the loop moves on by one key, not by a whole tile",
            "range(0, len(keys), tile) goes from tile to tile, so that every key is counted once.",
            TILES,
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(n)],
        ),
        Mistake(
            "one-key-too-many",
            "each tile holds one key too many, which is then counted twice",
            "A slice ends before its stop: start : start + tile holds exactly `tile` keys.",
            TILES,
            tiles=lambda n, tile: [slice(start, start + tile + 1) for start in range(0, n, tile)],
        ),
        Mistake(
            "powers-of-2-throughout",
            "powers of 2 were taken in place of powers of e",
            "That is attention as well, with other weights: 2^score is e^(score · log 2). The weights asked "
            "for are those of e^score.",
            TILES,
            factor=lambda old, new, scores: np.exp2(old - new),
            exponentiate=lambda scores, old, new: np.exp2(scores - new),
        ),
        Mistake(
            "divided-by-the-tile",
            "each tile's part was divided by the tile's own sum",
            f"Then each tile counts the same, whatever its scores. {_DIVIDE}",
            TILES,
            also=[
                {"add_mix": _own_divided, "finish": _undivided},
                {"exponentiate": own_softmax, "factor": one},
                {"exponentiate": own_softmax, "finish": _undivided},
                {"exponentiate": own_softmax},
                {"exponentiate": own_softmax, "factor": one, "finish": _undivided},
                {"add_mix": _own_divided, "add_sum": lambda carried, e, rescale: carried + 1, "factor": one},
            ],
            add_mix=_own_divided,
        ),
        Mistake(
            "first-tile-only",
            "only the first tile was read",
            "All tiles belong to the sums. Does `return` stand inside the loop?",
            TILES,
            tiles=lambda n, tile: [slice(0, tile)],
        ),
        Mistake(
            "last-tile-only",
            "only the last tile counts",
            "All tiles belong to the sums. Do both start before the loop, and is running_max set to the "
            "new maximum? While it stays −∞, e^(old − new) is 0 and wipes out what was summed before.",
            TILES,
            tiles=lambda n, tile: [slice((n - 1) // tile * tile, n)],
        ),
        Mistake(
            "never-divided",
            "weighted_sum was never divided",
            "It is a sum of e^(score − maximum) times value. Divided by running_sum it is a mixture.",
            TILES,
            finish=_undivided,
        ),
        Mistake(
            "divided-by-last-tile",
            "at the end weighted_sum was divided by the sum of the last tile alone",
            "It holds the values of all keys, and running_sum the exponentials of all keys.",
            TILES,
            finish=_by_last_tile,
        ),
        Mistake(
            "tile-max-at-the-end",
            "the division at the end used a maximum once more",
            "Both sums are measured against the running maximum already, and it cancels in weighted_sum / "
            "running_sum.",
            TILES,
            also=[
                {"finish": lambda mix, total, largest, last, n: mix / (total * np.exp(largest))},
                {
                    "finish": lambda mix, total, largest, last, n: (
                        mix * np.exp(row_max(last) - largest) / total
                    )
                },
                {"finish": lambda mix, total, largest, last, n: mix / total * np.exp(largest)},
                {"finish": lambda mix, total, largest, last, n: mix / (total * np.exp(row_max(last)))},
            ],
            finish=lambda mix, total, largest, last, n: mix / (total * np.exp(row_max(last) - largest)),
        ),
        Mistake(
            "divided-by-n",
            "weighted_sum was divided by the number of keys",
            "The weights sum to 1 where weighted_sum is divided by running_sum.",
            TILES,
            also=[{"finish": lambda mix, total, largest, last, n: mix / total / n}],
            finish=lambda mix, total, largest, last, n: mix / n,
        ),
        Mistake(
            "divided-by-all",
            "weighted_sum was divided by the sum over all queries",
            "Each query has its own running sum: a column, (n_queries, 1).",
            TILES,
            finish=lambda mix, total, largest, last, n: mix / total.sum(),
        ),
        Mistake(
            "not-scaled",
            "the scores were not divided by √d_k",
            "The scores of a tile are those of lesson 02: queries @ tile_of_keys.T / √d_k.",
            TILES,
            score=lambda queries, keys, values, n: queries @ keys.T,
        ),
        Mistake(
            "other-scale",
            "the scores were divided by another number than √d_k",
            "d_k is the length of a query, queries.shape[1]: the width of the tile has nothing to do "
            "with it.",
            TILES,
            also=[
                {"score": lambda queries, keys, values, n: queries @ keys.T / np.sqrt(len(keys))},
                {"score": lambda queries, keys, values, n: queries @ keys.T / np.sqrt(n)},
                {"score": lambda queries, keys, values, n: queries @ keys.T / np.sqrt(values.shape[-1])},
                {"score": lambda queries, keys, values, n: queries @ keys.T / np.sqrt(len(queries))},
            ],
            score=lambda queries, keys, values, n: queries @ keys.T / queries.shape[-1],
        ),
        Mistake(
            "last-tile-short",
            "the keys of a shorter last tile were left out",
            "range(0, len(keys), tile) goes through all starts, and a slice past the end is shorter.",
            TILES,
            also=[
                {"tiles": _full_tiles_only},
                {"tiles": lambda n, tile: _full_tiles_only(n, tile) or [slice(n)]},
            ],
            tiles=_full_tiles_only,
            finish=_divided_or_error,
        ),
        Mistake(
            "starts-at-0",
            "the running maximum starts at 0",
            "A query whose scores all lie far below 0 never takes its own maximum, and its exponentials "
            "are all 0. Start at −∞, which is smaller than any score.",
            TILES,
            begin=0.0,
        ),
        *but(
            (
                *passing_mistakes([{"exponentiate": lambda scores, old, new: np.exp(scores - old)}]),
                *mix_mistakes(),
            ),
            "old-exponentials",
            "divided-in-the-step",
            "divided-by-the-tile",
            "tile-softmax",
            "powers-of-2",
        ),
    ),
    unseen="whether the keys are still read a tile at a time. The task asks for it: a program that looks at "
    "all keys at once needs all their scores at once.",
    hints=(
        "Take one query, one tile and values of 1. What is weighted_sum after the only step, and what "
        "comes out?",
        "weighted_sum / running_sum at the end divides every key's value once. Is any value divided "
        "before that?",
        "Leave the division by running_sum out of the loop.",
    ),
    explain="weighted_sum and running_sum grow side by side, undivided, and both are rescaled. Their "
    "ratio after the last tile is the output; each value was divided once, by the sum over all keys. "
    "blocked_attention in helpers/streaming.py cuts the queries into tiles as well.",
    reread=TILES,
)

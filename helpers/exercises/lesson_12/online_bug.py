"""online-bug, lesson 12.

Softmax in one pass over the tiles: right on rows that fall, wrong on rows that rise.
A recipe, for its steps are those of lesson_12/steps.py.
"""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_12.shared import WORKED, Step, all_tiles, column, hidden_from
from helpers.exercises.lesson_12.steps import (
    ONE_PASS,
    SHRINK,
    as_it_was,
    forgotten,
    one,
    one_step,
    own_softmax,
    passing_mistakes,
    row_max,
    tile_only,
)
from helpers.exercises.slips.scaling import ROWS_SUM_TO_1
from helpers.softmax import softmax
from helpers.validation import Array


def _minus_infinity(scores: Array) -> Array:
    return np.full((len(scores), 1), -np.inf)


def _shares(scores: Array, running_max: Array, running_sum: Array, _tile: int) -> Array:
    return np.exp(scores - running_max) / running_sum


NOT_THERE = np.empty(0)  # there are no values in a softmax


def _online_by_choices(
    scores: Array, tile: int, *, tiles: Step = all_tiles, begin: Step = _minus_infinity,
    finish: Step = _shares, **choices: Step,
) -> Any:  # fmt: skip
    running_max, running_sum = begin(scores), np.zeros((len(scores), 1))
    no_values: dict[str, Step] = {"carry_mix": as_it_was, "add_mix": lambda part: part.carried}
    for place in tiles(scores.shape[-1], tile):
        running_max, running_sum, _ = one_step(
            running_max, running_sum, NOT_THERE, scores[:, place], NOT_THERE, **{**choices, **no_values}
        )
    return finish(scores, running_max, running_sum, tile)


def _softmax_of(scores: Array, _tile: int) -> Array:
    return softmax(scores)


def _measured_then(scores: Array, tile: int) -> Array:
    """Each exponential as it was when its tile was read, against the maximum of that time."""
    maxima = np.maximum.accumulate(scores, axis=-1)
    ends = [min((key // tile + 1) * tile, scores.shape[-1]) - 1 for key in range(scores.shape[-1])]
    return np.exp(scores - maxima[:, ends])


def _finished_then(scores: Array, tile: int) -> Array:
    """The weights of each tile among the keys that had been read when it was."""
    ends = [place.stop for place in all_tiles(scores.shape[-1], tile)]
    parts = [softmax(scores[:, :end])[:, end - tile :] for end in ends]
    return np.concatenate([*parts[:-1], softmax(scores)[:, ends[-1] - tile :]], axis=-1)


def _tile_by_tile(scores: Array, tile: int) -> Array:
    return np.concatenate(
        [own_softmax(scores[:, place]) for place in all_tiles(scores.shape[-1], tile)], axis=-1
    )


ONLINE_PROBES = (
    Probe(
        "scores that rise",
        {"scores": np.array([[0.0, 1.0, 1.5, 2.0], [-2.0, 0.5, 1.0, 1.5], [0.0, 0.5, 1.0, 2.5]]), "tile": 2},
    ),
    Probe(
        "scores that fall",
        {"scores": np.array([[2.0, 1.5, 1.0, 0.0], [1.5, 1.0, 0.5, -2.0], [2.5, 1.0, 0.5, 0.0]]), "tile": 2},
    ),
    Probe("one key at a time", {"scores": numbers(3, 5, start=51), "tile": 1}),
    Probe("a shorter last tile", {"scores": numbers(3, 7, start=52) + np.arange(7) / 2, "tile": 3}),
    Probe("all keys in one tile", {"scores": numbers(2, 5, start=53), "tile": 5}),
    Probe("a tile that is longer than the row", {"scores": numbers(3, 5, start=54), "tile": 11}),
    Probe(
        "a tile that is hidden from one query",
        {
            "scores": np.concatenate(
                [numbers(3, 2, start=55), hidden_from(numbers(3, 2, start=56), 1)], axis=1
            ),
            "tile": 2,
        },
    ),
    Probe("rows of many keys", {"scores": numbers(5, 11, start=57) + 0.3 * np.arange(11), "tile": 4}),
    Probe(
        "scores of 1,000 and −1,000",
        {
            "scores": np.concatenate(
                [
                    numbers(4, 2, start=58) + column(-1000, 1000, 0, -999),
                    numbers(4, 3, start=59) + column(1000, -1000, -1000, -1000),
                ],
                axis=1,
            ),
            "tile": 2,
        },
        hard=True,
    ),
)


def bug(scores: Array, tile: int) -> Array:
    """(n_queries, n_keys), tile -> the same shape, wrong: what was summed before is not rescaled."""
    running_max, running_sum = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        tile_of_scores = scores[:, start : start + tile]
        new_max = np.maximum(running_max, tile_of_scores.max(axis=-1, keepdims=True))
        running_sum = running_sum + np.exp(tile_of_scores - new_max).sum(axis=-1, keepdims=True)
        running_max = new_max
    return np.exp(scores - running_max) / running_sum


def my_online_softmax(scores: Array, tile: int) -> Array:
    """(n_queries, n_keys), tile -> weights (n_queries, n_keys); each row sums to 1."""
    running_max, running_sum = np.full((len(scores), 1), -np.inf), np.zeros((len(scores), 1))
    for start in range(0, scores.shape[1], tile):
        tile_of_scores = scores[:, start : start + tile]
        new_max = np.maximum(running_max, tile_of_scores.max(axis=-1, keepdims=True))
        running_sum = running_sum * np.exp(running_max - new_max)
        running_sum = running_sum + np.exp(tile_of_scores - new_max).sum(axis=-1, keepdims=True)
        running_max = new_max
    return np.exp(scores - running_max) / running_sum


EXERCISE = Mend(
    name="online-bug",
    answer=my_online_softmax,
    bug=bug,
    task="Softmax in one pass over the tiles: right on rows that fall, wrong on rows that rise.",
    call="my_online_softmax(scores, tile)",
    right=_softmax_of,
    recipe=_online_by_choices,
    given="no-rescale",
    properties=(ROWS_SUM_TO_1,),
    symptom="with the scores log 1 and log 3, a key at a time, the row sums to 2/3. Write down "
    "running_sum after each tile: against which maximum was each of its terms measured?",
    probes=ONLINE_PROBES,
    axes=("query", "key"),
    mistakes=(
        *passing_mistakes(
            at_the_end=[
                {"finish": lambda scores, running_max, running_sum, tile: np.exp(scores) / running_sum},
                {},
            ]
        ),
        Mistake(
            "max-not-kept",
            "running_max was never set to the new maximum: it stays −∞",
            "The next tile compares with it, and the sum is rescaled by it: running_max = new_max, after "
            "the sum.",
            ONE_PASS,
            largest=tile_only,
            carry_sum=forgotten,
            finish=lambda scores, running_max, running_sum, tile: np.exp(scores + np.inf) / running_sum,
        ),
        Mistake(
            "last-tile-only",
            "only the last tile counts",
            "All tiles belong to the sum. Is running_max set to the new maximum at the end of each step? "
            "While it stays −∞, the factor is 0 and wipes out what was summed before.",
            ONE_PASS,
            largest=tile_only,
            carry_sum=forgotten,
        ),
        Mistake(
            "powers-of-2-throughout",
            "powers of 2 were taken in place of powers of e, in the pass and at the end",
            "That is a softmax as well, of other scores: 2^score is e^(score · log 2). The weights asked for "
            "are those of e^score.",
            ONE_PASS,
            factor=lambda old, new, scores: np.exp2(old - new),
            exponentiate=lambda scores, old, new: np.exp2(scores - new),
            finish=lambda scores, running_max, running_sum, tile: np.exp2(scores - running_max) / running_sum,
        ),
        Mistake(
            "logarithms-returned",
            "the logarithms of the weights came back",
            "Weights are e^(score − running_max) / running_sum, and sum to 1.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: scores - running_max - np.log(running_sum),
        ),
        Mistake(
            "read-from-the-right",
            "the tiles were read from the right, and what was summed before is still not rescaled",
            f"Then rows that fall are wrong instead of rows that rise. {SHRINK}",
            ONE_PASS,
            tiles=lambda n, tile: all_tiles(n, tile)[::-1],
            factor=one,
        ),
        Mistake(
            "first-tile-only",
            "only the first tile was read",
            "All tiles belong to the sum. Does `return` stand inside the loop?",
            ONE_PASS,
            tiles=lambda n, tile: [slice(0, tile)],
        ),
        Mistake(
            "finished-in-the-pass",
            "the weights of each tile were finished while it was read, with the sum of that time",
            "Later tiles bring a larger sum, and perhaps a larger maximum. The weights can be had after "
            "the pass only: e^(score − running_max) / running_sum.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: _finished_then(scores, tile),
        ),
        Mistake(
            "new-sum-rescaled",
            "the tile's sum was rescaled, and not what was summed before",
            "The tile's exponentials are measured against the new maximum already. It is the earlier sum "
            "that is not.",
            ONE_PASS,
            carry_sum=as_it_was,
            add_sum=lambda carried, e, rescale: carried + rescale * e.sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "all-rescaled",
            "the tile's own sum was rescaled as well",
            "The tile's exponentials are measured against the new maximum already. Multiply only what "
            "was summed before.",
            ONE_PASS,
            add_sum=lambda carried, e, rescale: carried + rescale * e.sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "starts-at-0",
            "the running maximum starts at 0",
            "A row whose scores all lie below 0 never takes its own maximum, and at −1000 every "
            "exponential is 0. Start at −∞, which is smaller than any score.",
            ONE_PASS,
            begin=lambda scores: np.zeros((len(scores), 1)),
        ),
        Mistake(
            "last-tile-short",
            "the keys of a shorter last tile were left out",
            "range(0, n_keys, tile) goes through all starts, and a slice past the end is shorter.",
            ONE_PASS,
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(0, n - tile + 1, tile)],
        ),
        Mistake(
            "first-tile-left-out",
            "the first tile was left out of the sum",
            "Every key belongs to the sum: the tiles start at 0.",
            ONE_PASS,
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(tile, n, tile)],
        ),
        Mistake(
            "sliding-tiles",
            "the tiles overlap: the loop moves on by one key, not by a whole tile",
            "range(0, n_keys, tile) goes from tile to tile, so that every key is counted once.",
            ONE_PASS,
            also=[{"tiles": lambda n, tile: [slice(start, start + tile) for start in range(n - tile + 1)]}],
            tiles=lambda n, tile: [slice(start, start + tile) for start in range(n)],
        ),
        Mistake(
            "one-key-too-many",
            "each tile holds one key too many, which is then counted twice",
            "A slice ends before its stop: start : start + tile holds exactly `tile` keys.",
            ONE_PASS,
            tiles=lambda n, tile: [slice(start, start + tile + 1) for start in range(0, n, tile)],
        ),
        Mistake(
            "not-divided",
            "the exponentials were not divided by the running sum",
            "Weights are shares: each exponential is divided by the sum over all keys.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: np.exp(scores - running_max),
        ),
        Mistake(
            "last-max-at-the-end",
            "the weights were taken with the maximum of the last tile",
            "At the end all scores are measured against the running maximum, as the running sum is.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: (
                np.exp(scores - row_max(scores[:, (scores.shape[-1] - 1) // tile * tile :])) / running_sum
            ),
        ),
        Mistake(
            "no-max-at-the-end",
            "the weights were taken without the maximum: e^score / running_sum",
            "running_sum is measured against the running maximum: the exponentials above it must be as well.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: np.exp(scores) / running_sum,
        ),
        Mistake(
            "kept-from-the-pass",
            "the exponentials were kept as they were when their tile was read",
            "Each was measured against the maximum of that time. At the end all are measured against the "
            "last one: e^(score − running_max).",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: _measured_then(scores, tile) / running_sum,
        ),
        Mistake(
            "each-tile-by-itself",
            "softmax was taken for each tile by itself",
            "Then the weights of each tile sum to 1, and those of a row to the number of tiles. One sum goes "
            "through all tiles.",
            ONE_PASS,
            finish=lambda scores, running_max, running_sum, tile: _tile_by_tile(scores, tile),
        ),
    ),
    unseen="whether the maximum and the sum are still found in one pass. The task asks for it: a pass needs "
    "one tile of scores at a time.",
    hints=(
        "Go through the row [0, log 3] with tiles of one key, on paper. What is running_sum after the "
        "first tile, and against which maximum?",
        "The second tile brings a larger maximum. The 1 that stands in running_sum is e^(0 − 0), and it "
        "should be e^(0 − log 3).",
        "Multiply running_sum by np.exp(running_max - new_max) before you add the tile's sum.",
    ),
    explain="On a row that falls the maximum stands in the first tile, and e^(old − new) is 1 from then "
    "on: that is why the bug did not show there. online_softmax in helpers/streaming.py does the same "
    "for any leading axes.",
    reread=WORKED,
)

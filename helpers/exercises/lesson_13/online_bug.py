"""online-bug, lesson 13.

Softmax in one pass over the tiles: right on rows that fall, wrong on rows that rise.
"""

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_13.shared import WORKED, column, hidden_from
from helpers.exercises.lesson_13.steps import (  # noqa: F401 (edits name some of them)
    NO_MAX,
    ONE_PASS,
    WORDS,
    guarded,
    passing_mistakes,
    tile_softmax,
)
from helpers.exercises.slips.scaling import ROWS_SUM_TO_1
from helpers.softmax import softmax
from helpers.validation import Array


def _softmax_of(scores: Array, _tile: int) -> Array:
    return softmax(scores)


def measured_then(scores: Array, tile: int) -> Array:
    """Each exponential as it was when its tile was read, against the maximum of that time."""
    maxima = np.maximum.accumulate(scores, axis=-1)
    ends = [min((key // tile + 1) * tile, scores.shape[-1]) - 1 for key in range(scores.shape[-1])]
    return np.exp(scores - maxima[:, ends])


def finished_then(scores: Array, tile: int) -> Array:
    """The weights of each tile among the keys that had been read when it was."""
    starts = range(0, scores.shape[-1], tile)
    return np.concatenate([softmax(scores[:, : start + tile])[:, start:] for start in starts], axis=-1)


ONLINE_PROBES = (
    Probe(
        "scores that rise",
        {"scores": np.array([[0.0, 1.0, 1.5, 2.0], [-2.0, 0.5, 1.0, 1.5], [0.0, 0.5, 1.0, 2.5]]), "tile": 2},
    ),
    Probe(EXAMPLE, {"scores": np.log([[1.0, 3.0]]), "tile": 1}, True),
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
    Probe("one query", {"scores": numbers(1, 7, start=151), "tile": 3}, True),
    Probe("one key", {"scores": numbers(4, 1, start=161), "tile": 2}, True),
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


EDITS = Edits(my_online_softmax, {
    "starts": "range(0, scores.shape[1], tile)",
    "stop": "start + tile",
    "begin": "np.full((len(scores), 1), -np.inf)",
    "tile_max": "tile_of_scores.max(axis=-1, keepdims=True)",
    "tile_sum": "np.exp(tile_of_scores - new_max).sum(axis=-1, keepdims=True)",
    "largest": "np.maximum(running_max, tile_of_scores.max(axis=-1, keepdims=True))",
    "factor": "np.exp(running_max - new_max)",
    "rescale": "np.exp(running_max - new_max)",
    "exp": "np.exp(tile_of_scores - new_max)",
    "exponentials": "np.exp(tile_of_scores - new_max)",
    "carried_sum": "running_sum * np.exp(running_max - new_max)",
    "carried_mix": "",
    "sum": "running_sum + np.exp(tile_of_scores - new_max).sum(axis=-1, keepdims=True)",
    "carried": "running_sum in sum",
    "finish": "np.exp(scores - running_max) / running_sum",
})  # fmt: skip
OWN = """
max-not-kept
    you never set running_max to the new maximum: it stays −∞
    The next tile compares with it, and the sum is rescaled by it: running_max = new_max, after the sum.
    | largest => tile_max; carried_sum => 0 * running_sum; finish => np.exp(scores + np.inf) / running_sum

last-tile-only
    only the last tile counts
    All tiles belong to the sum. What wipes out those before: does each step begin maximum and sum anew? Or
    does running_max stay −∞, so that the factor e^(old − new) is 0?
    | largest => tile_max; carried_sum => 0 * running_sum

powers-of-2-throughout
    you used powers of 2 instead of powers of e, in the pass and at the end
    That is also a softmax, but of other scores: 2^score is e^(score · log 2). The weights asked for are
    those of e^score.
    | scores => it * np.log(2); factor; exp; finish

logarithms-returned
    the logarithms of the weights came back
    Weights are e^(score − running_max) / running_sum, and sum to 1.
    | finish => scores - running_max - np.log(running_sum)

read-from-the-right
    you read the tiles from the right, and still do not rescale the sum so far
    Now falling rows are wrong instead of rising ones. {shrink}
    | starts => it[::-1]; factor => np.ones_like(running_max)

first-tile-only
    only the first tile was read
    All tiles belong to the sum. Does `return` stand inside the loop?
    | starts => [0]

finished-in-the-pass
    you finished each tile's weights while reading it, with the sum as it was then
    Later tiles bring a larger sum, and perhaps a larger maximum. You can work out the weights only after
    the pass: e^(score − running_max) / running_sum.
    | finish => finished_then(scores, tile)

new-sum-rescaled
    you rescaled the tile's sum instead of the sum so far
    The tile's exponentials are measured against the new maximum already. The earlier sum is not.
    | carried_sum => running_sum; sum => carried + rescale * tile_sum

all-rescaled
    you rescaled the tile's own sum as well
    The tile's exponentials are measured against the new maximum already. Multiply only what was summed
    before.
    | sum => carried + rescale * tile_sum

starts-at-0
    the running maximum starts at 0
    A row whose scores all lie below 0 never gets its own maximum, and at −1000 every exponential is 0.
    Start at −∞, which is below any score.
    | begin => np.zeros((len(scores), 1))

last-tile-short
    you left out the keys of a shorter last tile
    range(0, n_keys, tile) goes through all the starts, and a slice past the end is simply shorter.
    | starts => range(0, scores.shape[1] - tile + 1, tile)

first-tile-left-out
    you left the first tile out of the sum
    Every key belongs to the sum: the tiles start at 0.
    | starts => range(tile, scores.shape[1], tile)

sliding-tiles
    the tiles overlap: the loop moves on by one key, not by a whole tile
    range(0, n_keys, tile) goes from tile to tile, so every key is counted once.
    | starts => range(scores.shape[1])
    | starts => range(scores.shape[1] - tile + 1)

one-key-too-many
    each tile holds one key too many, which is then counted twice
    A slice ends before its stop: start : start + tile holds exactly `tile` keys.
    | stop => start + tile + 1; starts

not-divided
    you did not divide the exponentials by the running sum
    Weights are shares: each exponential is divided by the sum over all keys.
    | finish => np.exp(scores - running_max)

last-max-at-the-end
    you worked out the weights with the maximum of the last tile
    At the end measure all scores against the running maximum, as the running sum is.
    @ last = scores[:,(scores.shape[1]-1)//tile*tile:].max(axis=-1,keepdims=True)
    | finish => np.exp(scores - last) / running_sum

no-max-at-the-end
    you worked out the weights without the maximum: e^score / running_sum
    running_sum is measured against the running maximum, so the exponentials that it divides must be too.
    | finish => np.exp(scores) / running_sum

kept-from-the-pass
    you kept the exponentials as they were when their tile was read
    Each was measured against the maximum so far. At the end measure all of them against the last one:
    e^(score − running_max).
    | finish => measured_then(scores, tile) / running_sum

each-tile-by-itself
    you took softmax of each tile on its own
    Then the weights of each tile sum to 1, and those of a row to the number of tiles. Keep a single sum
    across all the tiles.
    @ starts = range(0,scores.shape[1],tile)
    | finish => np.concatenate([tile_softmax(scores[:, start : start + tile]) for start in starts], axis=-1)
    | finish => np.concatenate([softmax(scores[:, start : start + tile]) for start in starts], axis=-1)
"""
MISTAKES = (
    *passing_mistakes(EDITS, no_max=f"{NO_MAX}; finish => np.exp(scores) / running_sum\n{NO_MAX}"),
    *EDITS.mistakes(OWN, ONE_PASS, words=WORDS),
)
EXERCISE = Mend(
    name="online-bug",
    answer=my_online_softmax,
    bug=EDITS.bug("carried_sum =>"),
    task="Softmax in one pass over the tiles: right on rows that fall, wrong on rows that rise.",
    call="my_online_softmax(scores, tile)",
    right=_softmax_of,
    recipe=EDITS.recipe(),
    given="no-rescale",
    properties=(ROWS_SUM_TO_1,),
    symptom="with the scores log 1 and log 3, a key at a time, the row sums to 2/3. Write down "
    "running_sum after each tile: which maximum was each of its terms measured against?",
    probes=ONLINE_PROBES,
    axes=("query", "key"),
    mistakes=MISTAKES,
    unseen="whether the maximum and the sum are still found in one pass. The task asks for that: a pass "
    "needs one tile of scores at a time.",
    hints=(
        "Go through the row [0, log 3] with tiles of one key, on paper. What is running_sum after the first "
        "tile, and which maximum is it measured against?",
        "The second tile brings a larger maximum. The 1 that stands in running_sum is e^(0 − 0), and it "
        "should be e^(0 − log 3).",
        "Multiply running_sum by np.exp(running_max - new_max) before you add the tile's sum.",
    ),
    explain="On a falling row the maximum is in the first tile, so e^(old − new) is 1 from then on. That is "
    "why the bug did not show there. online_softmax in helpers/streaming.py does the same "
    "for any leading axes.",
    reread=WORKED,
)

"""suspect-tiles, lesson 13: which mistake made this curve? It shows what a row of weights sums to."""

import numpy as np

from helpers.exercises.kinds.reverse import Call, Reverse
from helpers.exercises.lesson_13.online_bug import EXERCISE as ONLINE_BUG
from helpers.validation import Array

SCORES = np.log(2.0) * np.arange(6)[None]  # e^score is 1, 2, 4, 8, 16, 32
TILES = (1, 2, 3, 6)


def sums(call: Call) -> Array:
    """A softmax in tiles -> what the six weights sum to, for each size of the tiles."""
    return np.array([np.asarray(call(SCORES, tile)).sum() for tile in TILES])


EXERCISE = Reverse(
    name="suspect-tiles",
    task="The mistake that made a curve of sums.",
    of=ONLINE_BUG,
    made="sum-overwritten",
    others=("no-rescale", "each-tile-by-itself", "largest-only"),
    shows=sums,
    places=(("tiles of", tuple(map(str, TILES))),),
    hints=(
        "With a single tile of six there is nothing to carry over. Which of the four would be wrong even "
        "there?",
        "A sum of weights below 1 means that the running sum came out too large; above 1, too small.",
        "Work out tiles of 1: each exponential against the largest so far is 1. Against the last maximum the "
        "running sum should be 63/32. What would each suspect make of it?",
    ),
    reread=ONLINE_BUG.reread,
)

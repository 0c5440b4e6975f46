"""next-head, lesson 06: a W_Q with which each word reads the word after it."""

import numpy as np

from helpers.datasets import load_sentence
from helpers.exercises.kinds.open import Open
from helpers.exercises.kinds.predict import Slip
from helpers.scaling import scale_scores
from helpers.softmax import softmax
from helpers.validation import Array

BY_HAND = "06: Three hand-built heads"
TOKENS = ("The", "cat", "sat", "on", "the", "mat")
PLACE, SQUARE, ONE = 4, 5, 6  # rows of W_Q: what they are multiplied by
ENOUGH = 0.9
W_K = np.zeros((7, 4))
W_K[PLACE, 0], W_K[SQUARE, 1] = 20, -10  # the lesson's: (20 place, −10 place²)


def embeddings() -> Array:
    """() -> (6, 7): the sentence with its places, as the lesson writes them in."""
    place = np.arange(6.0)
    return np.column_stack([load_sentence().embeddings, place, place**2, np.ones(6)])


def weights_of(w_q: Array) -> Array:
    """(7, 4) -> (6, 6): the weights of the head that asks with w_q, its keys being the lesson's."""
    x = embeddings()
    return softmax(scale_scores((x @ w_q) @ (x @ W_K).T, 4))


def asking_for(offset: float, square: float = 1.0) -> Array:
    """How many places further on -> (7, 4): the W_Q of the query (place + offset, 1)."""
    w_q = np.zeros((7, 4))
    w_q[PLACE, 0], w_q[ONE, 0], w_q[ONE, 1] = 1, offset, square
    return w_q


def judge(w_q: Array) -> tuple[str, str]:
    """(7, 4) -> (named mistake or "", the reply)."""
    weights = weights_of(w_q)
    to_next = weights[np.arange(5), np.arange(1, 6)]
    if (to_next >= ENOUGH - 1e-9).all():
        return "", f"✓ every word gives at least {np.floor(1000 * to_next.min()) / 1000:.3f} to the next one."
    row = int((to_next < ENOUGH - 1e-9).argmax())
    reads = int(weights[row].argmax())
    found = (
        f"{TOKENS[row]} (place {row}) gives {to_next[row]:.2f} to {TOKENS[row + 1]}. It reads "
        f"{TOKENS[reads]} (place {reads}) most, with {weights[row, reads]:.2f}."
    )
    name, reply = _why_not(w_q, weights)
    return name, f"{found}\n  {reply}"


def _why_not(w_q: Array, weights: Array) -> tuple[str, str]:
    reads = weights.argmax(axis=-1)
    swapped = weights_of(w_q[:, [1, 0, 2, 3]])
    if (swapped[np.arange(5), np.arange(1, 6)] >= ENOUGH - 1e-9).all():
        return "columns-swapped", (
            "Column 0 of the query meets 20 place in the key, and column 1 meets −10 place². You put each in "
            "the other's place."
        )
    if not w_q.any():
        return (
            "zero",
            "A query of zeros scores 0 with every key: all weights are equal. What should it ask for?",
        )
    if (reads[:5] == np.arange(1, 6)).all():
        return "too-weak", (
            "Each word reads the right one most, but not with 0.9 of its weight. A query twice as long makes "
            "scores twice as large, and large scores make weights sharp."
        )
    shift = reads[1:5] - np.arange(1, 5)  # the middle words, whose neighbours are all there
    if (shift == -1).all():
        return "previous", (
            "Each word reads the one before it: that is the neighbour head. The query asks for place − 1. "
            "Which one number says −1?"
        )
    if (shift == 0).all():
        return (
            "itself",
            "Each word reads itself: the query asks for its own place. Ask for one place further on.",
        )
    if (reads[:4] == np.arange(2, 6)).all():
        return "two-further", "Each word reads two places further on: the query asks for place + 2."
    if (reads == 5).all() or (reads == 0).all():
        return "one-place-for-all", (
            "All words read the same place. Either the query does not know its own place (row *place*), or "
            "the 1 in column 1 is missing: it meets −10 place², which makes far keys lose points."
        )
    return "", (
        "In the neighbour head's query, column 0 is place − 1 and column 1 is 1. Change the place it asks "
        "for, and leave the rest."
    )


EXERCISE = Open(
    name="next-head",
    task="A W_Q with which each word reads the next one.",
    shape=(7, 4),
    judge=judge,
    example=asking_for(1),
    because="The query is (place + 1, 1). It differs from the neighbour head's in one number: 1 stands where "
    "−1 stood, in the row *one* and column 0.",
    slips=tuple(
        Slip(name, answer, "")
        for name, answer in (
            ("previous", asking_for(-1)),
            ("itself", asking_for(0)),
            ("two-further", asking_for(2)),
            ("zero", np.zeros((7, 4))),
            ("columns-swapped", asking_for(1)[:, [1, 0, 2, 3]]),
            ("too-weak", 0.02 * asking_for(1)),
            ("one-place-for-all", asking_for(1, square=0)),
        )
    ),
    hints=(
        "The neighbour head's query is (place − 1, 1). Which query wants the place after its own?",
        "Print hand_q[0]. Its column 0 is place − 1: a 1 in the row place, a −1 in the row one.",
        "Copy hand_q[0] and change the −1.",
    ),
    reread=BY_HAND,
)

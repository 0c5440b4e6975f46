"""neighbours-bug, lesson 01: the nearest words, without the word itself.

The mistakes are edits of the answer with equal scores in one order or the other: what np.argsort alone makes
of them differs by processor, and is always one of these two.
"""

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.slips.matching import LENGTH
from helpers.similarity import cosine_scores
from helpers.validation import Array

REAL = "01: Real words"


def my_neighbours(word: int, vectors: Array, how_many: int) -> Array:
    """A row number, (n_words, d), a count -> (how_many,) row numbers, the most alike first."""
    scores = cosine_scores(vectors[[word]], vectors)[0]
    best_first = np.argsort(-scores)
    best_first = best_first[best_first != word]
    return best_first[:how_many]


def neighbours(word: int, vectors: Array, how_many: int) -> Array:
    """A row number, (n_words, d), a count -> (how_many,) row numbers, the most alike first."""
    scores = cosine_scores(vectors[[word]], vectors)[0]
    order = np.argsort(-scores, kind="stable")
    others = order[order != word]
    return others[:how_many]


def with_own(scores: Array, word: int, score: float) -> Array:
    return np.where(np.arange(scores.size) == word, score, scores)


EDITS = Edits(neighbours, {
    "score": "cosine_scores(vectors[[word]], vectors)[0]",
    "own": "cosine_scores(vectors[[word]], vectors)[0]",
    "order": 'np.argsort(-scores, kind="stable")',
    "others": "order[order != word]",
    "taken": "others[:how_many]",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
itself-included
    you left the word itself among its neighbours
    A vector has cosine 1 with itself, so the word comes first unless it is left out.
    | others => order
    | others => order; own => with_own(it, word, np.inf)
    | others => order; order => np.argsort(scores, kind="stable")[::-1]
    | others => order; own => with_own(it, word, np.inf); order => np.argsort(scores, kind="stable")[::-1]

first-of-order-left-out
    you left out the first word of the order, whichever word that is
    A word with the same vector (The and the) has cosine 1 as well and may stand first. Leave the word out by
    its row number.
    | others => order[1:]
    | others => order[1:]; order => np.argsort(scores, kind="stable")[::-1]

twins-left-out
    you left out every word with cosine 1, not only the word itself
    Another word may have the same vector (The and the), and it is the best neighbour. Leave the word out by
    its row number.
    | others => order[scores[order] < 0.9999]

place-left-out
    you took the word's row number for a place in the order
    The order holds row numbers. Look for the word among them, and leave out the place where it stands.
    | others => np.delete(order, word)

ascending
    you returned the least similar words
    argsort puts the smallest first; the most similar word has the largest score.
    | order => np.argsort(scores, kind="stable")
    | order => np.argsort(scores, kind="stable"); others => order[1:]
    | order => np.argsort(scores, kind="stable"); others => order
    | order => np.argsort(-scores, kind="stable")[::-1]
    | order => np.argsort(-scores, kind="stable")[::-1]; others => order[1:]
    | order => np.argsort(-scores, kind="stable")[::-1]; others => order

ascending-after-silence
    you gave the word the lowest score, and the lowest scores came first
    argsort puts the smallest first. Turn the order round: np.argsort(-scores).
    | others => order; own => with_own(it, word, -np.inf); order => np.argsort(scores, kind="stable")
    | others => order; own => with_own(it, word, -np.inf); order => np.argsort(-scores, kind="stable")[::-1]

one-too-many-left-out
    you left out the best neighbour as well
    Leave out one row only: the word itself.
    | taken => others[1 : how_many + 1]

one-too-few
    you returned one neighbour too few: the last one is missing
    Filter first, then cut: leave the word out, and take the first how_many of what is left.
    | taken => others[: how_many - 1]
    | taken => others[: how_many - 1]; others => order[1:]
    | taken => others[: how_many - 1]; others => order[1:]; order => np.argsort(scores, kind="stable")[::-1]

all-words
    you returned all the other words
    The task asks for the first how_many only.
    | taken => others

best-last
    you returned the right words with the most similar one last
    The most similar word should stand first.
    | taken => it[::-1]

sign-lost
    you took the cosines without their sign
    A word that points the other way has a cosine near −1. It is not similar, and comes last.
    | score => np.abs(it)

by-row-number
    you returned the right words in the order of their row numbers
    The most similar word should stand first.
    | taken => np.sort(it)

dot-product § length
    you compared the words by dot product
    Long vectors then come first. The given function compared directions, by cosine, and that part is right.
    | score => vectors @ vectors[word]
    | score => vectors @ vectors[word]; others => order[1:]
    | score => vectors @ vectors[word]; others => order[1:]; order => np.argsort(scores, kind="stable")[::-1]

distance § length
    you compared the words by distance
    The given function compared directions, by cosine, and that part is right.
    | score => -np.linalg.norm(vectors - vectors[word], axis=-1)

renumbered
    you counted the rows after taking the word out
    Every row after the word then has a number that is one too small: count in the whole table.
    | others => it - (it > word)

score-0-for-itself
    you gave the word itself the score 0, which still beats words that point away
    A cosine goes down to −1. Leave the row out, or give it a score below all others.
    | others => order; own => with_own(it, word, 0.0)
    | others => order; own => with_own(it, word, 0.0); order => np.argsort(scores, kind="stable")[::-1]

score-minus-1-for-itself
    you gave the word itself the score −1, which a word that points the opposite way has too
    Leave the row out, or give it a score below all cosines, such as −np.inf.
    | others => order; own => with_own(it, word, -1.0)
    | others => order; own => with_own(it, word, -1.0); order => np.argsort(scores, kind="stable")[::-1]

ranks
    you returned each word's rank, not the words by their rank
    argsort of the order says in which place a row stands. The order itself holds the row numbers: take its
    first how_many.
    | others => np.argsort(order); own => with_own(it, word, -np.inf)
    | others => np.argsort(order); own => with_own(it, word, -1.0)

first-row-left-out
    you left out row 0, whatever the word is
    The row to leave out is that of the word.
    | others => order[order != 0]

scores-returned
    you returned the scores, not the row numbers
    The task asks which words: return their row numbers.
    | result => scores[it]
    | result => scores[it]; others => order[1:]
    | result => scores[it]; others => order[1:]; order => np.argsort(scores, kind="stable")[::-1]

vectors-returned
    you returned the vectors, not the row numbers
    The task asks which words: return their row numbers.
    | result => vectors[it]
    """,
    reread=REAL,
    sections={"length": LENGTH},
)


def table(*rows: tuple[float, ...]) -> Array:
    return np.array(rows, dtype=np.float64)


# Two equal vectors (rows 1 and 3), and two opposite ones (rows 0 and 1). Each table is tried with either of
# the two as the word: however equal scores are put in order, the word comes second for one of them. They lie
# along an axis, so that their cosines are exactly 1 and −1 by any formula.
TWINS = table((1.0, 3.0), (0.0, 2.0), (2.0, -1.0), (0.0, 2.0), (2.0, 1.5), (-1.0, 0.5))
OPPOSITE = table((2.0, 0.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
EXERCISE = Mend(
    name="neighbours-bug",
    answer=my_neighbours,
    bug=Edits(my_neighbours, {"others": "best_first[best_first != word]"}).bug("others =>"),
    task="The nearest words, without the word itself.",
    given="itself-included",
    symptom="for the vectors [[1, 0], [0, 1], [2, 1]], word 0 and how_many 1 it answers [0]: "
    "the word most similar to a word is the word itself.",
    call="my_neighbours(word, vectors, how_many)",
    right=neighbours,
    recipe=EDITS.recipe(),
    axes=("place",),
    probes=tuple(
        Probe(kind, {"word": word, "vectors": vectors, "how_many": how_many})
        for kind, word, vectors, how_many in (
            ("4 words", 1, np.array([[3.0, 1.0], [1.0, 0.0], [0.5, 2.0], [2.0, -1.5]]), 2),
            (EXAMPLE, 0, np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]), 1),
            ("4 words, another one", 2, np.array([[6.0, 1.0], [1.0, 2.5], [0.5, 1.0], [2.0, -1.5]]), 2),
            ("9 words", 4, numbers(9, 5, start=33), 3),
            ("11 words, the last one", 10, numbers(11, 3, start=7), 4),
            ("11 words, the first one", 0, numbers(11, 3, start=19), 4),
            ("6 words, with a twin before the word", 3, TWINS, 2),
            ("6 words, with a twin after the word", 1, TWINS, 2),
            ("3 words, two of them opposite", 0, OPPOSITE, 2),
            ("3 words, two of them opposite", 1, OPPOSITE, 2),
        )
    ),
    mistakes=MISTAKES,
    hints=(
        "What is the cosine of a word with itself, and where does that put it in the order?",
        "The word usually comes first, but a word with the same vector may stand before it. "
        "What do you know about the word that tells it from all others?",
        "Take care that how_many neighbours are left after the word has been taken out.",
    ),
    explain="The word itself is left out of the order by its row number, and how_many are taken after that.",
    reread=REAL,
)

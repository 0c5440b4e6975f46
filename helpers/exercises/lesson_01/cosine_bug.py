"""cosine-bug, lesson 01: A cosine that should be 1 for a vector with itself, and is not."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, example, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.slips.matching import LENGTH
from helpers.similarity import cosine_scores
from helpers.validation import Array


def cosine(query: Array, key: Array) -> float:
    """(d_k,), (d_k,) -> one number: the cosine of the angle between the two."""
    return float(cosine_scores(query[None, :], key[None, :])[0, 0])


def my_cosine(query: Array, key: Array) -> Any:
    """(d_k,), (d_k,) -> one number: the cosine of the angle between the two."""
    query_length = np.sqrt(np.sum(query**2))
    key_length = np.sqrt(np.sum(key**2))
    return query @ key / (query_length * key_length)


def one_if_equal(query: Array, key: Array, cosine: Array) -> Array:
    return np.where(np.array_equal(query, key), 1.0, cosine)


EDITS = Edits(my_cosine, {
    "query_length": "np.sqrt(np.sum(query**2))",
    "key_length": "np.sqrt(np.sum(key**2))",
    "query_squares": "np.sum(query**2)",
    "key_squares": "np.sum(key**2)",
    "of_query": "query in query_squares",
    "of_key": "key in key_squares",
    "top": "query @ key",
    "lengths": "query_length * key_length",
    "cosine": "query @ key / (query_length * key_length)",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
squared-lengths
    you left the lengths squared
    {root}.
    | query_length => query_squares; key_length => key_squares

query-squared
    you left the query's length squared
    {root}, for the query and for the key.
    | query_length => query_squares

key-squared
    you left the key's length squared
    {root}, for the query and for the key.
    | key_length => key_squares

query-twice
    you divided by the query's length twice, and not at all by the key's
    Where is the key's length? Divide by one of each.
    | of_key => query; of_query

key-twice
    you divided by the key's length twice, and not at all by the query's
    Where is the query's length? Divide by one of each.
    | of_query => key; of_key

half-not-root
    you took half of the sum of squares, not its root
    `x**1/2` is (x**1)/2. Write x**0.5, or np.sqrt(x).
    | query_length => query_squares / 2; key_length => key_squares / 2

number-of-entries
    you counted entries where the lengths should stand
    `len` counts entries, and a mean divides by their number. The length of a vector is the root of its sum
    of squares.
    | query_length => len(of_query); key_length => len(of_key)
    | query_length => np.sqrt(len(of_query)); key_length => np.sqrt(len(of_key))

root-not-summed
    you did not add up the squares before taking the root
    A length is one number: square, add up, take the root.
    | query_length => np.sqrt(of_query**2); key_length => np.sqrt(of_key**2)

largest-entry
    you took the largest entry for the length
    {euclid}
    | query_length => np.max(of_query); key_length => np.max(of_key)
    | query_length => np.abs(of_query).max(); key_length => np.abs(of_key).max()

not-summed
    you did not add up the products
    The cosine is one number: the dot product adds the products up.
    | top => query * key

cos-of-result
    you applied np.cos to the result
    np.cos turns an angle into its cosine. The dot product divided by both lengths is the cosine already.
    | cosine => np.cos(it)

one-case-only
    you treated a vector with itself as a special case, and left everything else as it was
    The 1 should come out of the same formula as everything else: what is a length?
    | query_length => query_squares; key_length => key_squares; result => one_if_equal(query, key, it)

correlation
    you subtracted its mean from each vector first
    That is a correlation. The cosine takes the entries as they are.
    | query => it - it.mean(); key => it - it.mean()
    | query => it - it.mean(); key => it - it.mean(); lengths => it + 1e-12

first-two-entries
    you used only the first two entries
    Vectors may be longer: all their entries take part.
    | query => it[:2]; key => it[:2]

negative-cut
    you turned negative results into 0
    A negative cosine says that two vectors point away from each other.
    | cosine => np.maximum(it, 0)

rounded
    you rounded the result
    The task asks for the number itself; rounding is for showing it.
    @ n = 2 1 0 3
    | cosine => np.round(it, n)

query-only
    you divided only by the query's length
    {both}
    | key_length => 1.0

key-only
    you divided only by the key's length
    {both}
    | query_length => 1.0

no-length
    you divided by neither length
    {both}
    | query_length => 1.0; key_length => 1.0

lengths-added
    you added the two lengths
    The dot product holds length times length: divide by their product.
    | lengths => query_length + key_length

something-added
    you added something to the number you divide by
    Then a vector and itself give less than 1. The lengths alone belong there; a guard against 0 has to be too
    small to show, 1e-12 for example.
    @ n = 1e-2 1e-3 1e-4 1e-1 1.0
    | lengths => it + n
    @ n = 1e-1 1e-2 1e-3 1.0
    | query_length => np.sqrt(query_squares + n); key_length => np.sqrt(key_squares + n)

lengths-multiplied-in
    you multiplied the result by the lengths
    The dot product already holds the lengths. Divide, and they are gone.
    | lengths => 1 / it

one-root-of-sum
    you took one root over both vectors together
    Each vector has its own length; the two lengths are multiplied.
    | lengths => np.sqrt(query_length**2 + key_length**2)

root-twice
    you took the root once too often
    The lengths themselves are multiplied: one root for each vector, or one root for the product of the
    squares.
    | lengths => np.sqrt(it)

half-divided
    you divided by one length only, and then multiplied by the other
    a / b * c divides by b and multiplies by c. Brackets around b * c divide by both.
    | lengths => query_length / key_length

absolute-lengths
    you added up absolute values instead of squares
    {euclid}
    | query_length => np.abs(of_query).sum(); key_length => np.abs(of_key).sum()

mean-lengths
    you averaged the squares instead of adding them up
    A length is the root of the sum of squares; a mean divides by the number of entries as well.
    | query_length => np.sqrt(np.mean(of_query**2)); key_length => np.sqrt(np.mean(of_key**2))

root-of-everything
    you took the root of the whole fraction, not only of the two sums of squares
    The dot product above the line has both lengths in it once: it needs no root.
    | query_length => query_squares; key_length => key_squares; cosine => np.sqrt(it)

sums-not-squares
    you added up the entries without squaring them
    {root}.
    | query_length => np.sqrt(np.sum(of_query)); key_length => np.sqrt(np.sum(of_key))
    | query_length => np.sum(of_query); key_length => np.sum(of_key)

angle
    you returned the angle, not its cosine
    Leave out the arc cosine: the cosine is 1 for the same direction, and the angle is 0 there.
    | cosine => np.arccos(it)
    | cosine => np.degrees(np.arccos(it))

squared
    you squared the cosine
    Dot product over length times length is the cosine itself. Its square has lost the sign.
    | cosine => it**2

cosine-distance
    you returned 1 minus the cosine
    That is a distance: 0 for the same direction. The cosine is 1 there.
    | cosine => 1 - it

sign-lost
    you lost the sign
    A negative cosine says that two vectors point away from each other.
    | cosine => np.abs(it)
    """,
    reread=LENGTH,
    words={
        "both": "Divide by both lengths, and only the direction is left: a vector with itself gives 1.",
        "euclid": "The length used here is Euclid's: the square root of the sum of squares.",
        "root": "A length is the square root of the sum of squares",
    },
)
EXERCISE = Mend(
    name="cosine-bug",
    answer=my_cosine,
    bug=EDITS.bug("query_length => np.sum(query**2); key_length => np.sum(key**2)"),
    task="A cosine that should be 1 for a vector with itself, and is not.",
    given="squared-lengths",
    symptom="for [3, 4] with itself it gives 0.04, and a cosine should give 1. Which number did it "
    "divide 25 by?",
    call="my_cosine(query, key)",
    right=cosine,
    recipe=EDITS.recipe(),
    probes=(
        Probe("two vectors", {"query": np.array([3.0, 4.0]), "key": np.array([12.0, -5.0])}),
        example(query=np.array([3.0, 4.0]), key=np.array([3.0, 4.0])),
        Probe("two other vectors", {"query": np.array([1.0, 3.0]), "key": np.array([2.0, 0.5])}),
        Probe(  # of length 10, and 6 from its mean: its cosine, or correlation, is 1 to the last digit
            "the same vector twice", {"query": np.array([3.0, 1, 9, 3]), "key": np.array([3.0, 1, 9, 3])}
        ),
        Probe("longer vectors", {"query": numbers(5, start=12), "key": numbers(5, start=70)}),
        Probe("whole numbers", {"query": np.array([1, 2, 2, 0]), "key": np.array([-4, 0, 3, 1])}),
        Probe("one entry each", {"query": np.array([2.0]), "key": np.array([-4.0])}, True),
    ),
    mistakes=MISTAKES,
    hints=(
        "Try it on [3, 4] with itself: the dot product is 25. What must you divide by to get 1?",
        "The length of [3, 4] is 5. Which number does the function call the length?",
        "The sum of squares is the square of the length.",
    ),
    explain="Each vector is divided by its length, the root of the sum of squares; then the dot product "
    "is the cosine.",
    reread=LENGTH,
)

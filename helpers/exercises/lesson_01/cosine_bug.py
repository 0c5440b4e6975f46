"""cosine-bug, lesson 01: A cosine that should be 1 for a vector with itself, and is not."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, numbers
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
    the lengths were left squared
    {root}.
    | query_length => query_squares; key_length => key_squares

query-squared
    the query's length was left squared
    {root}, for the query and for the key.
    | query_length => query_squares

key-squared
    the key's length was left squared
    {root}, for the query and for the key.
    | key_length => key_squares

query-twice
    the division takes the query's length twice, and the key's not at all
    Where is the key's length? One of each belongs under the line.
    | of_key => query; of_query

key-twice
    the division takes the key's length twice, and the query's not at all
    Where is the query's length? One of each belongs under the line.
    | of_query => key; of_key

half-not-root
    half of the sum of squares was taken, not its root
    `x**1/2` is (x**1)/2. Write x**0.5, or np.sqrt(x).
    | query_length => query_squares / 2; key_length => key_squares / 2

number-of-entries
    the result was divided by how many entries there are
    `len` counts entries. The length of a vector is the root of its sum of squares.
    | query_length => len(of_query); key_length => len(of_key)

root-not-summed
    the squares were not added up before the root was taken
    A length is one number: square, add up, take the root.
    | query_length => np.sqrt(of_query**2); key_length => np.sqrt(of_key**2)

largest-entry
    the largest entry was taken for the length
    {euclid}
    | query_length => np.max(of_query); key_length => np.max(of_key)
    | query_length => np.abs(of_query).max(); key_length => np.abs(of_key).max()

not-summed
    the products were not added up
    The cosine is one number: the dot product adds the products up.
    | top => query * key

cos-of-result
    np.cos was applied to the result
    np.cos turns an angle into its cosine. The dot product divided by both lengths is the cosine already.
    | cosine => np.cos(it)

one-case-only
    a vector with itself is treated as a case of its own, and all else is as before
    The 1 should come out of the same formula as everything else: what is a length?
    | query_length => query_squares; key_length => key_squares; result => one_if_equal(query, key, it)

correlation
    the mean was taken off each vector first
    That is a correlation. The cosine takes the entries as they are.
    | query => it - it.mean(); key => it - it.mean()

first-two-entries
    only the first two entries count
    Vectors may be longer: all their entries take part.
    | query => it[:2]; key => it[:2]

negative-cut
    negative results became 0
    A negative cosine says that two vectors point apart.
    | cosine => np.maximum(it, 0)

rounded
    the result was rounded
    The task asks for the number itself; rounding is for showing it.
    @ n = 2 1 0 3
    | cosine => np.round(it, n)

query-only
    only the query's length was divided by
    {both}
    | key_length => 1.0

key-only
    only the key's length was divided by
    {both}
    | query_length => 1.0

no-length
    no length was divided by
    {both}
    | query_length => 1.0; key_length => 1.0

lengths-added
    the two lengths were added
    The dot product holds length times length: divide by their product.
    | lengths => query_length + key_length

lengths-multiplied-in
    the result was multiplied by the lengths
    The dot product has the lengths in it already. Divide, and they are gone.
    | lengths => 1 / it

one-root-of-sum
    one root was taken over both vectors together
    Each vector has its own length; the two lengths are multiplied.
    | lengths => np.sqrt(query_length**2 + key_length**2)

root-twice
    the root was taken once too often
    The lengths themselves are multiplied: one root for each vector, or one root for the product of the
    squares.
    | lengths => np.sqrt(it)

half-divided
    the division takes one length only, and then multiplies by the other
    a / b * c divides by b and multiplies by c. Brackets around b * c divide by both.
    | lengths => query_length / key_length

absolute-lengths
    absolute values were added up instead of squares
    {euclid}
    | query_length => np.abs(of_query).sum(); key_length => np.abs(of_key).sum()

mean-lengths
    squares were averaged, not added up
    A length is the root of the sum of squares; a mean divides by the number of entries as well.
    | query_length => np.sqrt(np.mean(of_query**2)); key_length => np.sqrt(np.mean(of_key**2))

root-of-everything
    the root was taken of the whole fraction, not only of the two sums of squares
    The dot product above the line has both lengths in it once: it needs no root.
    | query_length => query_squares; key_length => key_squares; cosine => np.sqrt(it)

sums-not-squares
    the entries were added up without being squared
    {root}.
    | query_length => np.sqrt(np.sum(of_query)); key_length => np.sqrt(np.sum(of_key))
    | query_length => np.sum(of_query); key_length => np.sum(of_key)

angle
    the angle came back, not its cosine
    Leave the arc cosine away: the cosine is 1 for the same direction, and the angle is 0 there.
    | cosine => np.arccos(it)
    | cosine => np.degrees(np.arccos(it))

cosine-distance
    1 minus the cosine came back
    That is a distance: 0 for the same direction. The cosine is 1 there.
    | cosine => 1 - it

sign-lost
    the sign was lost
    A negative cosine says that two vectors point apart.
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
        Probe("two other vectors", {"query": np.array([1.0, 3.0]), "key": np.array([2.0, 0.5])}),
        Probe(  # of length 10, and 6 from its mean: its cosine, or correlation, is 1 to the last digit
            "the same vector twice", {"query": np.array([3.0, 1, 9, 3]), "key": np.array([3.0, 1, 9, 3])}
        ),
        Probe("longer vectors", {"query": numbers(5, start=12), "key": numbers(5, start=70)}),
        Probe("whole numbers", {"query": np.array([1, 2, 2, 0]), "key": np.array([-4, 0, 3, 1])}),
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

"""cosine-bug, lesson 01: A cosine that should be 1 for a vector with itself, and is not."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.slips.matching import LENGTH, Step, rounded_to, same
from helpers.similarity import cosine_scores
from helpers.validation import Array


def cosine(query: Array, key: Array) -> float:
    """(d_k,), (d_k,) -> one number: the cosine of the angle between the two."""
    return float(cosine_scores(query[None, :], key[None, :])[0, 0])


def _length(vector: Array) -> Array:
    return np.sqrt((vector * vector).sum())


def _squared(vector: Array) -> Array:
    return (vector * vector).sum()


def _absolute(vector: Array) -> Array:
    return np.abs(vector).sum()


def _largest(vector: Array) -> Array:
    return np.abs(vector).max()


def _one(vector: Array) -> Array:
    return np.array(1.0)


def _cosine_by_choices(
    query: Array, key: Array, *, top: Step = np.dot, query_length: Step = _length, key_length: Step = _length,
    before: Step = same, measured: Step = lambda query, key: (query, key), lengths: Step = np.multiply,
    after: Step = same, twice: Step = lambda cosine, query, key: cosine,
) -> Array:  # fmt: skip
    query, key = before(query), before(key)
    first, second = measured(query, key)
    return twice(after(top(query, key) / lengths(query_length(first), key_length(second))), query, key)


BOTH_LENGTHS = "Divide by both lengths, and only the direction is left: a vector with itself gives 1."


def bug(query: Array, key: Array) -> Array:
    """(d_k,), (d_k,) -> one number, wrong: both lengths are squared."""
    query_length = np.sum(query**2)
    key_length = np.sum(key**2)
    return query @ key / (query_length * key_length)


def my_cosine(query: Array, key: Array) -> Any:
    """(d_k,), (d_k,) -> one number: the cosine of the angle between the two."""
    query_length = np.sqrt(np.sum(query**2))
    key_length = np.sqrt(np.sum(key**2))
    return query @ key / (query_length * key_length)


EXERCISE = Mend(
    name="cosine-bug",
    answer=my_cosine,
    bug=bug,
    task="A cosine that should be 1 for a vector with itself, and is not.",
    given="squared-lengths",
    symptom="for [3, 4] with itself it gives 0.04, and a cosine should give 1. Which number did it "
    "divide 25 by?",
    call="my_cosine(query, key)",
    right=cosine,
    recipe=_cosine_by_choices,
    probes=(
        Probe("two vectors", {"query": np.array([3.0, 4.0]), "key": np.array([12.0, -5.0])}),
        Probe("two other vectors", {"query": np.array([1.0, 3.0]), "key": np.array([2.0, 0.5])}),
        Probe(  # of length 10, and 6 from its mean: its cosine, or correlation, is 1 to the last digit
            "the same vector twice", {"query": np.array([3.0, 1, 9, 3]), "key": np.array([3.0, 1, 9, 3])}
        ),
        Probe("longer vectors", {"query": numbers(5, start=12), "key": numbers(5, start=70)}),
        Probe("whole numbers", {"query": np.array([1, 2, 2, 0]), "key": np.array([-4, 0, 3, 1])}),
    ),
    mistakes=(
        Mistake(
            "squared-lengths",
            "the lengths were left squared",
            "A length is the square root of the sum of squares.",
            LENGTH,
            query_length=_squared,
            key_length=_squared,
        ),
        Mistake(
            "query-squared",
            "the query's length was left squared",
            "A length is the square root of the sum of squares, for the query and for the key.",
            LENGTH,
            query_length=_squared,
        ),
        Mistake(
            "key-squared",
            "the key's length was left squared",
            "A length is the square root of the sum of squares, for the query and for the key.",
            LENGTH,
            key_length=_squared,
        ),
        Mistake(
            "query-twice",
            "the division takes the query's length twice, and the key's not at all",
            "Where is the key's length? One of each belongs under the line.",
            LENGTH,
            measured=lambda query, key: (query, query),
        ),
        Mistake(
            "key-twice",
            "the division takes the key's length twice, and the query's not at all",
            "Where is the query's length? One of each belongs under the line.",
            LENGTH,
            measured=lambda query, key: (key, key),
        ),
        Mistake(
            "half-not-root",
            "half of the sum of squares was taken, not its root",
            "`x**1/2` is (x**1)/2. Write x**0.5, or np.sqrt(x).",
            LENGTH,
            query_length=lambda vector: _squared(vector) / 2,
            key_length=lambda vector: _squared(vector) / 2,
        ),
        Mistake(
            "number-of-entries",
            "the result was divided by how many entries there are",
            "`len` counts entries. The length of a vector is the root of its sum of squares.",
            LENGTH,
            query_length=len,
            key_length=len,
        ),
        Mistake(
            "root-not-summed",
            "the squares were not added up before the root was taken",
            "A length is one number: square, add up, take the root.",
            LENGTH,
            query_length=lambda vector: np.sqrt(vector**2),
            key_length=lambda vector: np.sqrt(vector**2),
        ),
        Mistake(
            "largest-entry",
            "the largest entry was taken for the length",
            "The length used here is Euclid's: the square root of the sum of squares.",
            LENGTH,
            also=[{"query_length": _largest, "key_length": _largest}],
            query_length=np.max,
            key_length=np.max,
        ),
        Mistake(
            "not-summed",
            "the products were not added up",
            "The cosine is one number: the dot product adds the products up.",
            LENGTH,
            top=np.multiply,
        ),
        Mistake(
            "cos-of-result",
            "np.cos was applied to the result",
            "np.cos turns an angle into its cosine. The dot product divided by both lengths is the cosine "
            "already.",
            LENGTH,
            after=np.cos,
        ),
        Mistake(
            "one-case-only",
            "a vector with itself is treated as a case of its own, and all else is as before",
            "The 1 should come out of the same formula as everything else: what is a length?",
            LENGTH,
            query_length=_squared,
            key_length=_squared,
            twice=lambda cosine, query, key: np.where(np.array_equal(query, key), 1.0, cosine),
        ),
        Mistake(
            "correlation",
            "the mean was taken off each vector first",
            "That is a correlation. The cosine takes the entries as they are.",
            LENGTH,
            before=lambda vector: vector - vector.mean(),
        ),
        Mistake(
            "first-two-entries",
            "only the first two entries count",
            "Vectors may be longer: all their entries take part.",
            LENGTH,
            before=lambda vector: vector[:2],
        ),
        Mistake(
            "negative-cut",
            "negative results became 0",
            "A negative cosine says that two vectors point apart.",
            LENGTH,
            after=lambda cosine: np.maximum(cosine, 0),
        ),
        Mistake(
            "rounded",
            "the result was rounded",
            "The task asks for the number itself; rounding is for showing it.",
            LENGTH,
            also=[{"after": rounded_to(digits)} for digits in (1, 0, 3)],
            after=rounded_to(2),
        ),
        Mistake(
            "query-only", "only the query's length was divided by", BOTH_LENGTHS, LENGTH, key_length=_one
        ),
        Mistake("key-only", "only the key's length was divided by", BOTH_LENGTHS, LENGTH, query_length=_one),
        Mistake(
            "no-length", "no length was divided by", BOTH_LENGTHS, LENGTH, query_length=_one, key_length=_one
        ),
        Mistake(
            "lengths-added",
            "the two lengths were added",
            "The dot product holds length times length: divide by their product.",
            LENGTH,
            lengths=np.add,
        ),
        Mistake(
            "lengths-multiplied-in",
            "the result was multiplied by the lengths",
            "The dot product has the lengths in it already. Divide, and they are gone.",
            LENGTH,
            lengths=lambda one, other: 1 / (one * other),
        ),
        Mistake(
            "one-root-of-sum",
            "one root was taken over both vectors together",
            "Each vector has its own length; the two lengths are multiplied.",
            LENGTH,
            lengths=lambda one, other: np.sqrt(one**2 + other**2),
        ),
        Mistake(
            "root-twice",
            "the root was taken once too often",
            "The lengths themselves are multiplied: one root for each vector, or one root for the "
            "product of the squares.",
            LENGTH,
            lengths=lambda one, other: np.sqrt(one * other),
        ),
        Mistake(
            "half-divided",
            "the division takes one length only, and then multiplies by the other",
            "a / b * c divides by b and multiplies by c. Brackets around b * c divide by both.",
            LENGTH,
            lengths=lambda one, other: one / other,
        ),
        Mistake(
            "absolute-lengths",
            "absolute values were added up instead of squares",
            "The length used here is Euclid's: the square root of the sum of squares.",
            LENGTH,
            query_length=_absolute,
            key_length=_absolute,
        ),
        Mistake(
            "mean-lengths",
            "squares were averaged, not added up",
            "A length is the root of the sum of squares; a mean divides by the number of entries as well.",
            LENGTH,
            query_length=lambda vector: np.sqrt((vector * vector).mean()),
            key_length=lambda vector: np.sqrt((vector * vector).mean()),
        ),
        Mistake(
            "root-of-everything",
            "the root was taken of the whole fraction, not only of the two sums of squares",
            "The dot product above the line has both lengths in it once: it needs no root.",
            LENGTH,
            query_length=_squared,
            key_length=_squared,
            after=np.sqrt,
        ),
        Mistake(
            "sums-not-squares",
            "the entries were added up without being squared",
            "A length is the square root of the sum of squares.",
            LENGTH,
            also=[{"query_length": np.sum, "key_length": np.sum}],
            query_length=lambda vector: np.sqrt(np.sum(vector)),
            key_length=lambda vector: np.sqrt(np.sum(vector)),
        ),
        Mistake(
            "angle",
            "the angle came back, not its cosine",
            "Leave the arc cosine away: the cosine is 1 for the same direction, and the angle is 0 there.",
            LENGTH,
            also=[{"after": lambda cosine: np.degrees(np.arccos(cosine))}],
            after=np.arccos,
        ),
        Mistake(
            "cosine-distance",
            "1 minus the cosine came back",
            "That is a distance: 0 for the same direction. The cosine is 1 there.",
            LENGTH,
            after=lambda cosine: 1 - cosine,
        ),
        Mistake(
            "sign-lost",
            "the sign was lost",
            "A negative cosine says that two vectors point apart.",
            LENGTH,
            after=np.abs,
        ),
    ),
    hints=(
        "Try it on [3, 4] with itself: the dot product is 25. What must you divide by to get 1?",
        "The length of [3, 4] is 5. Which number does the function call the length?",
        "The sum of squares is the square of the length.",
    ),
    explain="Each vector is divided by its length, the root of the sum of squares; then the dot product "
    "is the cosine.",
    reread=LENGTH,
)

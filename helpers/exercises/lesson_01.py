"""Exercises of lesson 01: which words are alike?"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from helpers.exercises.diagnosis import Mistake
from helpers.exercises.kinds import Choose, Mend, Open, Predict, Slip, Write
from helpers.exercises.probes import Probe, numbers, sequences
from helpers.similarity import cosine_scores, dot_product_scores
from helpers.validation import Array

TWO = "01: Two vectors"
PAIRS = "01: All pairs at once"
REAL = "01: Real words"
LENGTH = "01: When does length matter?"
LOOKUP = "01: A first lookup"

Step = Callable[..., Any]


def same(result: Array, *_inputs: Array) -> Array:
    """Nothing is done at this step."""
    return result


def rounded_to(digits: int) -> Step:
    """A last step that rounds to so many digits."""
    return lambda result, *_inputs: np.round(result, digits)


# --- dot-product -------------------------------------------------------------------------------------


def dot(query: Array, key: Array) -> float:
    """(d_k,), (d_k,) -> one number: the dot product."""
    return float(dot_product_scores(query[None, :], key[None, :])[0, 0])


def _dot_by_choices(
    query: Array, key: Array, *, other: Step = lambda query, key: key, join: Step = np.multiply,
    gather: Step = np.sum, after: Step = same,
) -> Array:  # fmt: skip
    return after(gather(join(query, other(query, key))), query, key)


DOT_PRODUCT = Write(
    name="dot-product",
    task="The dot product of two vectors.",
    call="my_dot(query, key)",
    right=dot,
    recipe=_dot_by_choices,
    probes=(
        Probe("two vectors", {"query": np.array([1.0, 2.0, -1.0]), "key": np.array([2.0, 1.5, 6.0])}),
        Probe("two other vectors", {"query": np.array([3.0, -1.0, 2.0]), "key": np.array([1.0, 0.5, 3.0])}),
        Probe("whole numbers", {"query": np.array([1, 2, -1, 3]), "key": np.array([2, 1, 4, -2])}),
        Probe("longer vectors", {"query": numbers(5), "key": numbers(5, start=50)}),
        Probe(
            "float32", {"query": numbers(7, dtype=np.float32), "key": numbers(7, start=90, dtype=np.float32)}
        ),
    ),
    mistakes=(
        Mistake(
            "not-summed",
            "the products were not added up",
            "Entry times entry gives d_k products; the dot product is their sum, one number.",
            TWO,
            gather=same,
        ),
        Mistake(
            "mean",
            "the products were averaged",
            "The dot product is a sum: it is not divided by the number of entries.",
            TWO,
            after=lambda result, query, key: result / query.size,
        ),
        Mistake(
            "starts-at-1",
            "the result is 1 too large, as if the total started at 1",
            "A sum starts at 0.",
            TWO,
            after=lambda result, query, key: result + 1,
        ),
        Mistake(
            "rounded",
            "the result was rounded",
            "The task asks for the number itself; rounding is for showing it.",
            TWO,
            also=[{"after": rounded_to(digits)} for digits in (1, 0, 3)],
            after=rounded_to(2),
        ),
        Mistake(
            "absolute-products",
            "each product was counted as positive",
            "A negative product says that the two vectors disagree in that entry: it lowers the sum.",
            TWO,
            gather=lambda products: np.abs(products).sum(),
        ),
        Mistake(
            "negatives-skipped",
            "only the positive products were added up",
            "A negative product says that the two vectors disagree in that entry: it lowers the sum.",
            TWO,
            gather=lambda products: products[products > 0].sum(),
        ),
        Mistake(
            "squares",
            "the products were squared before they were added up",
            "The products themselves are added. Squares belong to the length of one vector.",
            TWO,
            gather=lambda products: (products**2).sum(),
        ),
        Mistake(
            "power",
            "entries were raised to the power of entries",
            "`**` is a power; `*` multiplies.",
            TWO,
            also=[{"join": lambda one, other: [q**k for q, k in zip(one, other, strict=True)]}],
            join=lambda one, other: one**other,
        ),
        Mistake(
            "first-only",
            "only the first product came back",
            "A `return` inside the loop ends the function in the first round; it belongs after the loop.",
            TWO,
            gather=lambda products: products[0],
        ),
        Mistake(
            "last-only",
            "only the last product came back",
            "Each round of the loop should add its product to the total, not replace the total. The sign "
            "for that is `+=`; `=+` is read as `= +`.",
            TWO,
            gather=lambda products: products[-1],
        ),
        Mistake(
            "last-left-out",
            "the last pair of entries was left out",
            "range(n) already stops at n − 1: nothing more is to be taken off.",
            TWO,
            gather=lambda products: products[:-1].sum(),
        ),
        Mistake(
            "first-left-out",
            "the first pair of entries was left out",
            "Entries are counted from 0.",
            TWO,
            gather=lambda products: products[1:].sum(),
        ),
        Mistake(
            "first-three",
            "only the first three products were added up",
            "Vectors may be longer: add up all their products.",
            TWO,
            gather=lambda products: products[:3].sum(),
        ),
        Mistake(
            "whole-part",
            "the result was cut to a whole number",
            "Leave `int` away: the products may have something after the point.",
            TWO,
            after=lambda result, query, key: np.trunc(result),
        ),
        Mistake(
            "largest",
            "only the largest product came back",
            "All products count, the negative ones too.",
            TWO,
            gather=np.max,
        ),
        Mistake(
            "multiplied-up",
            "the products were multiplied with one another",
            "They should be added: each says how far the two vectors agree in one entry.",
            TWO,
            gather=np.prod,
        ),
        Mistake(
            "added",
            "the entries were added to one another",
            "Entry times entry: the product is large only where both are large, and negative where they "
            "disagree.",
            TWO,
            join=np.add,
        ),
        Mistake(
            "distance",
            "the differences were squared and added up",
            "That is a distance, small for vectors that are alike. The dot product multiplies entry by "
            "entry.",
            TWO,
            also=[{"join": np.subtract, "gather": np.linalg.norm}],
            join=lambda one, other: (one - other) ** 2,
        ),
        Mistake(
            "all-pairs",
            "every entry was multiplied with every entry",
            "Entry i of one vector meets entry i of the other only.",
            TWO,
            join=np.multiply.outer,
        ),
        Mistake(
            "query-twice",
            "the query was multiplied with itself",
            "That is the squared length of the query. The key has to take part.",
            TWO,
            other=lambda query, key: query,
        ),
        Mistake(
            "reversed",
            "the key was read backwards",
            "Entry i of the query belongs with entry i of the key.",
            TWO,
            other=lambda query, key: key[::-1],
        ),
        Mistake(
            "cosine",
            "the result was divided by the lengths of both vectors",
            "That is the cosine. The dot product keeps the lengths.",
            LENGTH,
            after=lambda result, query, key: result / (np.linalg.norm(query) * np.linalg.norm(key)),
        ),
        Mistake(
            "sign-lost",
            "the sign was lost",
            "A negative dot product says that two vectors point apart.",
            TWO,
            after=lambda result, query, key: np.abs(result),
        ),
        Mistake(
            "lengths-only",
            "only the lengths were multiplied",
            "The dot product is length times length times the cosine of the angle.",
            TWO,
            also=[{"join": lambda one, other: np.linalg.norm(one) * np.linalg.norm(other), "gather": same}],
            gather=lambda products: products,
            join=lambda one, other: np.sqrt((one**2).sum() * (other**2).sum()),
        ),
    ),
    hints=(
        "Multiply entry by entry. What is left to do with these d_k products?",
        "By loop: start a total at 0, go over the positions, add query[i] times key[i].",
        "By NumPy: for two vectors, the operator @ does all of it.",
    ),
    explain="The helper scores every query against every key; here there is one of each. query @ key "
    "does the same.",
    reread=TWO,
)

# --- predict-score-shape -----------------------------------------------------------------------------

SCORE_SHAPE = Predict(
    name="predict-score-shape",
    task="The shape of queries @ keys.T for queries (5, 4) and keys (7, 4).",
    answer=(5, 7),
    because="Five queries, seven keys: one score for each pair. The four entries are summed away by the "
    "dot product.",
    slips=(
        Slip("transposed", (7, 5), "That is keys @ queries.T. Rows belong to queries, columns to keys."),
        Slip("d_k-kept", (5, 4), "The four entries of each vector are summed away: a score is one number."),
        Slip("keys-shape", (7, 4), "That is the shape of the keys. The scores have one row for each query."),
        Slip(
            "d_k-by-d_k",
            (4, 4),
            "That is queries.T @ keys, were it allowed: it would match entries. Here words are matched "
            "with words.",
        ),
        Slip("one-row", (35,), "Right: there are 35 scores. They stay in a table, one row for each query."),
        Slip(
            "three-axes",
            (5, 7, 4),
            "Those are the products before they are summed. The dot product adds the last axis up.",
        ),
        Slip("by-row", (5,), "Each query meets all keys, not one: it gets a whole row of scores."),
        Slip("by-column", (7,), "Each key meets all queries, not one: it gets a whole column of scores."),
        Slip("joined", (12, 4), "That stacks the rows of both. Here every query meets every key."),
        Slip("keys.T", (4, 7), "That is keys.T itself. The product has the rows of queries."),
        Slip(
            "queries-twice",
            (5, 5),
            "That would be the queries with themselves. Each query meets the seven keys.",
        ),
        Slip(
            "keys-twice",
            (7, 7),
            "That would be the keys with themselves. The rows belong to the five queries.",
        ),
        Slip("one-score", (1,), "One score would be one query against one key. How many pairs are there?"),
    ),
    hints=(
        "In a product of matrices (a, b) and (b, c), which axis is summed away?",
        "keys.T has shape (4, 7).",
        "One score for each pair of a query and a key: how many rows, how many columns?",
    ),
    reread=PAIRS,
)

# --- all-scores (its ways of matching serve lesson 02 as well) ------------------------------------------


def match_mistakes(d_k: str = "") -> tuple[Mistake, ...]:
    """The wrong ways to match queries with keys, for every exercise that starts from both.

    `d_k` is said, too, where code for one sentence fails on a stack and may have read d_k there as well.
    """
    return (
        Mistake(
            "swapped",
            "queries and keys changed places",
            "Rows belong to queries and columns to keys: the queries stand on the left of the product.",
            PAIRS,
            match=lambda queries, keys: keys @ np.swapaxes(queries, -1, -2),
        ),
        Mistake(
            "all-axes-reversed",
            "all axes were turned round, that of the sentences as well",
            "On a stack, `.T` and np.transpose reverse every axis. Only the last two should change places."
            + d_k,
            PAIRS,
            also=[{"match": lambda queries, keys: np.dot(queries, keys.T)}],
            match=lambda queries, keys: queries @ keys.T,
        ),
        Mistake(
            "one-matrix-only",
            "the code is written for one matrix and does not take a stack",
            "Leading axes (sentences, heads) should pass through. On a stack, `for query in queries` walks "
            "over sentences, not queries: use @ there. Axes are counted from the end, −1 and −2; in "
            "np.einsum, `...` stands for all the others.",
            PAIRS,
            also=[
                {"match": _by_loops(lambda query, key: query @ key)},
                {"match": _by_loops(np.dot)},
                {"match": _by_loops(lambda query, key: sum(query * key))},
                {"match": _by_loops(lambda query, key: np.sum(query * key))},
            ],
            match=lambda queries, keys: np.einsum("ik,jk->ij", queries, keys),
        ),
        Mistake(
            "three-axes-only",
            "the code is written for exactly three axes",
            "Count axes from the end, −1 and −2, and any number of leading axes passes through. In "
            "np.einsum, `...` stands for them, in place of a letter.",
            PAIRS,
            also=[
                {"match": lambda queries, keys: np.einsum("bik,bjk->bij", queries, keys)},
                {"match": lambda queries, keys: queries @ np.swapaxes(keys, 1, 2)},
            ],
            match=lambda queries, keys: queries @ keys.transpose(0, 2, 1),
        ),
        Mistake(
            "stacks-crossed",
            "every sentence was scored against every other sentence",
            "np.dot, np.inner and np.tensordot pair all the leading axes with one another; @ keeps each "
            "sentence to itself.",
            PAIRS,
            also=[{"match": lambda queries, keys: np.tensordot(queries, keys, axes=(-1, -1))}],
            match=lambda queries, keys: np.dot(queries, np.swapaxes(keys, -1, -2)),
        ),
        Mistake(
            "queries-twice",
            "the queries were matched with themselves",
            "Each query asks the keys: both arrays have to take part.",
            PAIRS,
            match=lambda queries, keys: queries @ np.swapaxes(queries, -1, -2),
        ),
        Mistake(
            "keys-twice",
            "the keys were matched with themselves",
            "Each query asks the keys: both arrays have to take part.",
            PAIRS,
            match=lambda queries, keys: keys @ np.swapaxes(keys, -1, -2),
        ),
        Mistake(
            "cosine",
            "each score was divided by the lengths of both vectors",
            "That is the cosine. A score here is the plain dot product, lengths included.",
            LENGTH,
            match=cosine_scores,
        ),
        Mistake(
            "query-length",
            "each query was divided by its length first",
            "A score here is the plain dot product, lengths included.",
            LENGTH,
            match=lambda q, k: dot_product_scores(q / np.linalg.norm(q, axis=-1, keepdims=True), k),
        ),
        Mistake(
            "key-length",
            "each key was divided by its length first",
            "A score here is the plain dot product, lengths included.",
            LENGTH,
            match=lambda q, k: dot_product_scores(q, k / np.linalg.norm(k, axis=-1, keepdims=True)),
        ),
        Mistake(
            "not-transposed",
            "the keys were not transposed",
            "In `queries @ ...` each column should be one key, and keys holds its vectors as rows.",
            PAIRS,
            also=[{"match": np.dot}],
            match=lambda queries, keys: queries @ keys,
        ),
        Mistake(
            "transposed-to-the-old-order",
            "`transpose` was given the axes in the order which they have already, so that nothing moved",
            "In PyTorch keys.transpose(-2, -1) swaps two axes. NumPy's `transpose` takes the new order of "
            "all axes, and (-2, -1) is the old order, as (0, 1) is. Use np.swapaxes(keys, -1, -2).",
            PAIRS,
            also=[{"match": lambda queries, keys: np.dot(queries, keys.transpose(-2, -1))}],
            match=lambda queries, keys: queries @ keys.transpose(-2, -1),
        ),
        Mistake(
            "two-axes-transposed",
            "`transpose` was given two axes, which is enough for one sentence only",
            "In PyTorch keys.transpose(-1, -2) swaps two axes of any array. NumPy's `transpose` takes the "
            "new order of all axes, and a stack has more than two. Use np.swapaxes(keys, -1, -2).",
            PAIRS,
            also=[{"match": lambda queries, keys: np.dot(queries, keys.transpose(-1, -2))}],
            match=lambda queries, keys: queries @ keys.transpose(-1, -2),
        ),
        Mistake(
            "reshaped",
            "the keys were reshaped, not transposed",
            "`reshape` keeps the numbers in their order and only cuts the rows elsewhere, so that vectors "
            "are torn apart. np.swapaxes(keys, -1, -2) turns rows into columns.",
            PAIRS,
            also=[{"match": lambda queries, keys: queries @ keys.reshape(keys.shape[1], keys.shape[0])}],
            match=lambda q, k: q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]),
        ),
        Mistake(
            "entry-by-entry",
            "queries and keys were combined entry by entry, without pairing each query with each key",
            "Every query meets every key: n_queries × n_keys dot products.",
            PAIRS,
            also=[{"match": lambda queries, keys: np.sum(queries * keys, axis=-1)}],
            match=lambda queries, keys: queries * keys,
        ),
        Mistake(
            "entries-matched",
            "entries were matched with entries, not words with words",
            "The sum runs over the d_k entries of two words. Transpose the keys, not the queries.",
            PAIRS,
            match=lambda queries, keys: np.swapaxes(queries, -1, -2) @ keys,
        ),
        Mistake(
            "distance",
            "squared distances were computed",
            "A distance is small for vectors that are alike; a score should be large. Use the dot product.",
            TWO,
            match=lambda q, k: ((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(axis=-1),
        ),
        Mistake(
            "first-key-only",
            "only the first key was scored",
            "Each query meets every key; each row should be n_keys long.",
            PAIRS,
            match=lambda queries, keys: dot_product_scores(queries, keys[..., :1, :]),
        ),
    )


def _by_loops(score: Step) -> Step:
    def match(queries: Array, keys: Array) -> Array:
        return np.array([[score(query, key) for key in keys] for query in queries])

    return match


def pair_probes() -> tuple[Probe, ...]:
    """Queries and keys by which the ways of matching and of scaling can be told apart."""
    small = {
        "queries": np.array([[1.0, 0.0, 2.0, 1.0], [0.5, 3.0, 1.0, -1.0]]),
        "keys": np.array([[2.0, 1.0, 3.0, 0.0], [0.0, 1.0, 1.0, 2.0], [1.0, -1.0, 0.0, 4.0]]),
    }
    other = {"queries": numbers(2, 4, start=300), "keys": numbers(3, 4, start=400)}
    whole = {
        "queries": np.array([[1, 0, 2, 1, 3], [0, 3, 1, -1, 2]]),
        "keys": np.array([[2, 1, 3, 0, 1], [0, 1, 1, 2, -2], [1, -1, 0, 4, 1], [5, 1, 1, 0, 2]]),
    }
    return (
        Probe("one sentence, d_k 4", small),
        Probe("another sentence, d_k 4", other),
        Probe("whole numbers, d_k 5", whole),
        Probe("one sentence, d_k 3", sequences(d_k=3)),
        Probe("float32, d_k 9", sequences(d_k=9, dtype=np.float32)),
        Probe("a batch of 2 sentences", sequences(2, d_k=4)),
        Probe("a batch of 2 sentences with 3 heads", sequences(2, 3, d_k=4)),
    )


def _scores_by_choices(
    queries: Array, keys: Array, *, match: Step = dot_product_scores, after: Step = same, cast: Step = same
) -> Array:
    return cast(after(match(queries, keys), queries, keys), queries, keys)


def whole_numbers_kept(result: Array, queries: Array, *_others: Any) -> Array:
    """Results written into an array of the input's dtype: whole numbers lose what stands after the point."""
    return result.astype(np.asarray(queries).dtype)


ALL_SCORES = Write(
    name="all-scores",
    task="Every query against every key, for one sentence and for stacks.",
    call="my_scores(queries, keys)",
    right=dot_product_scores,
    recipe=_scores_by_choices,
    probes=pair_probes(),
    axes=("query", "key"),
    mistakes=(
        *match_mistakes(),
        Mistake(
            "scaled",
            "the scores were divided by √d_k already",
            "That comes in lesson 02; a plain score is the dot product itself.",
            PAIRS,
            after=lambda scores, queries, keys: scores / np.sqrt(queries.shape[-1]),
        ),
        Mistake(
            "mean",
            "the products were averaged, not added up",
            "A dot product is a sum over the d_k entries; it is not divided by d_k.",
            TWO,
            after=lambda scores, queries, keys: scores / queries.shape[-1],
        ),
        Mistake(
            "sign-lost",
            "the signs were lost",
            "A negative score says that two vectors point apart.",
            TWO,
            after=lambda scores, queries, keys: np.abs(scores),
        ),
    ),
    hints=(
        "For one sentence: rows of queries, columns of keys. Which of the two has to be transposed?",
        "On a stack `.T` turns every axis round. Which two axes should change places?",
        "np.swapaxes(keys, -1, -2) turns the last two axes only; @ passes the leading ones through.",
    ),
    explain="@ multiplies the last two axes and passes the others through; swapaxes turns each key into "
    "a column.",
    reread=PAIRS,
)

# --- cosine-bug --------------------------------------------------------------------------------------


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

COSINE_BUG = Mend(
    name="cosine-bug",
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

# --- dot-or-cosine -----------------------------------------------------------------------------------

DOT_OR_COSINE = Choose(
    name="dot-or-cosine",
    task="Dot product or cosine, to find words that mean much the same?",
    answer="b",
    options={
        "a": "Length says how often a word is used, rather than what it means: with the dot product, "
        "frequent words "
        "would come first for almost every query.",
        "b": "The dot product is length × length × cosine. The cosine takes both lengths away, so that a "
        "frequent word "
        "has no advantage, and direction (with whom a word is used) decides.",
        "c": "The choice is right and the reason is not: the cosine takes the dot product and two "
        "lengths more. What "
        "does dividing by the lengths change for a frequent word?",
        "d": "For keys of equal length it would be so. Here the lengths differ, and a long key can get "
        "the larger dot "
        "product with the smaller cosine.",
    },
    hints=(
        "Write the dot product as length × length × cosine. Which part does a frequent word gain from?",
        "Two keys with the same direction, one ten times as long: what does each score say?",
    ),
    reread=LENGTH,
)

# --- neighbours-bug ----------------------------------------------------------------------------------


def neighbours(word: int, vectors: Array, how_many: int) -> Array:
    """A row number, (n_words, d), a count -> (how_many,) row numbers, the most alike first."""
    scores = cosine_scores(vectors[[word]], vectors)[0]
    best_first = np.argsort(-scores)
    return best_first[best_first != word][:how_many]


def _neighbours_by_choices(
    word: int, vectors: Array, how_many: int, *,
    score: Step = lambda query, vectors: cosine_scores(query[None, :], vectors)[0],
    order: Step = lambda scores: np.argsort(-scores, kind="stable"),
    leave_out: Step = lambda order, word, scores: order[order != word],
    take: Step = lambda order, how_many: order[:how_many],
    silence: Step = lambda scores, word: scores,
    give: Step = lambda rows, scores, vectors: rows,
) -> Array:  # fmt: skip
    scores = silence(score(vectors[word], vectors), word)
    return give(take(leave_out(order(scores), word, scores), how_many), scores, vectors)


def _dots(query: Array, vectors: Array) -> Array:
    return np.asarray(vectors @ query)


def _distances(query: Array, vectors: Array) -> Array:
    return -np.linalg.norm(vectors - query, axis=-1)


def _renumbered(order: Array, word: int, _scores: Array) -> Array:
    kept = order[order != word]
    return kept - (kept > word)


def _all_kept(order: Array, _word: int, _scores: Array) -> Array:
    return order


def _first_dropped(order: Array, _word: int, _scores: Array) -> Array:
    return order[1:]


def _silenced(score: float) -> Step:
    return lambda scores, word: np.where(np.arange(scores.size) == word, score, scores)


# Two words with equal scores come in one order or the other. What np.argsort alone makes of them differs by
# processor, and is always one of these two.
RISING: tuple[Step, ...] = (
    lambda scores: np.argsort(scores, kind="stable"),
    lambda scores: np.argsort(-scores, kind="stable")[::-1],
)
FALLING: tuple[Step, ...] = (
    lambda scores: np.argsort(-scores, kind="stable"),
    lambda scores: np.argsort(scores, kind="stable")[::-1],
)


def _in_each_order(*choices: dict[str, Any], orders: Sequence[Step] = FALLING) -> list[dict[str, Any]]:
    return [{**choice, "order": order} for order in orders for choice in choices]


def _table(*rows: tuple[float, ...]) -> Array:
    return np.array(rows, dtype=np.float64)


# Two equal vectors (rows 1 and 3), and two opposite ones (rows 0 and 1). Each table is tried with either of
# the two as the word: however equal scores are put in order, the word comes second for one of them. They lie
# along an axis, so that their cosines are exactly 1 and −1 by any formula.
TWINS = _table((1.0, 3.0), (0.0, 2.0), (2.0, -1.0), (0.0, 2.0), (2.0, 1.5), (-1.0, 0.5))
OPPOSITE = _table((2.0, 0.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))


NEIGHBOURS_BUG = Mend(
    name="neighbours-bug",
    task="The nearest words, without the word itself.",
    given="itself-included",
    symptom="for the vectors [[1, 0], [0, 1], [2, 1]], word 0 and how_many 1 it answers [0]: "
    "the most alike word to a word is the word itself.",
    call="my_neighbours(word, vectors, how_many)",
    right=neighbours,
    recipe=_neighbours_by_choices,
    axes=("place",),
    probes=tuple(
        Probe(kind, {"word": word, "vectors": vectors, "how_many": how_many})
        for kind, word, vectors, how_many in (
            ("4 words", 1, np.array([[3.0, 1.0], [1.0, 0.0], [0.5, 2.0], [2.0, -1.5]]), 2),
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
    mistakes=(
        Mistake(
            "itself-included",
            "the word itself stands among its neighbours",
            "A vector has cosine 1 with itself, so the word comes first unless it is left out.",
            REAL,
            also=_in_each_order(
                {"leave_out": _all_kept}, {"leave_out": _all_kept, "silence": _silenced(np.inf)}
            ),
            leave_out=_all_kept,
        ),
        Mistake(
            "first-of-order-left-out",
            "the first word of the order was left out, whichever word that is",
            "A word with the same vector (The and the) has cosine 1 as well and may stand first. Leave the "
            "word out by its row number.",
            REAL,
            also=_in_each_order({"leave_out": _first_dropped}),
            leave_out=_first_dropped,
        ),
        Mistake(
            "twins-left-out",
            "every word with cosine 1 was left out, not only the word itself",
            "Another word may have the same vector (The and the), and it is the best neighbour. Leave the "
            "word out by its row number.",
            REAL,
            leave_out=lambda order, word, scores: order[scores[order] < 0.9999],
        ),
        Mistake(
            "place-left-out",
            "the word's row number was taken for a place in the order",
            "The order holds row numbers. Look for the word among them, and leave out the place where it "
            "stands.",
            REAL,
            leave_out=lambda order, word, scores: np.delete(order, word),
        ),
        Mistake(
            "ascending",
            "the least alike words came back",
            "argsort puts the smallest first; the most alike word has the largest score.",
            REAL,
            also=_in_each_order({}, {"leave_out": _first_dropped}, {"leave_out": _all_kept}, orders=RISING),
            order=RISING[0],
        ),
        Mistake(
            "ascending-after-silence",
            "the word was given the lowest score, and the lowest scores came first",
            "argsort puts the smallest first. Turn the order round: np.argsort(-scores).",
            REAL,
            also=_in_each_order({"leave_out": _all_kept, "silence": _silenced(-np.inf)}, orders=RISING),
            order=RISING[0],
            leave_out=_all_kept,
            silence=_silenced(-np.inf),
        ),
        Mistake(
            "one-too-many-left-out",
            "the best neighbour was left out as well",
            "Leave out one row only: the word itself.",
            REAL,
            take=lambda order, how_many: order[1 : how_many + 1],
        ),
        Mistake(
            "one-too-few",
            "one neighbour is missing at the end",
            "Filter first, then cut: leave the word out, and take the first how_many of what is left.",
            REAL,
            also=[
                {
                    "leave_out": _first_dropped,
                    "order": order,
                    "take": lambda order, how_many: order[: how_many - 1],
                }
                for order in FALLING
            ],
            take=lambda order, how_many: order[: how_many - 1],
        ),
        Mistake(
            "all-words",
            "all the other words came back",
            "Only the first how_many are asked for.",
            REAL,
            take=lambda order, how_many: order,
        ),
        Mistake(
            "best-last",
            "the right words came back with the most alike one last",
            "The most alike word should stand first.",
            REAL,
            take=lambda order, how_many: order[:how_many][::-1],
        ),
        Mistake(
            "dot-product",
            "the words were compared by dot product",
            "Long vectors then come first. The given function compared directions, by cosine, and that "
            "part is right.",
            LENGTH,
            also=_in_each_order({"score": _dots, "leave_out": _first_dropped}),
            score=_dots,
        ),
        Mistake(
            "distance",
            "the words were compared by distance",
            "The given function compared directions, by cosine, and that part is right.",
            LENGTH,
            score=_distances,
        ),
        Mistake(
            "renumbered",
            "the rows were counted after the word had been taken out",
            "Every row after the word then has a number that is one too small: count in the whole table.",
            REAL,
            leave_out=_renumbered,
        ),
        Mistake(
            "score-0-for-itself",
            "the word itself was given the score 0, which still beats words that point away",
            "A cosine goes down to −1. Leave the row out, or give it a score below all others.",
            REAL,
            also=_in_each_order({"leave_out": _all_kept, "silence": _silenced(0.0)}),
            leave_out=_all_kept,
            silence=_silenced(0.0),
        ),
        Mistake(
            "score-minus-1-for-itself",
            "the word itself was given the score −1, which a word that points the opposite way has too",
            "Leave the row out, or give it a score below all cosines, such as −np.inf.",
            REAL,
            also=_in_each_order({"leave_out": _all_kept, "silence": _silenced(-1.0)}),
            leave_out=_all_kept,
            silence=_silenced(-1.0),
        ),
        Mistake(
            "first-row-left-out",
            "row 0 was left out, whatever the word is",
            "The row to leave out is that of the word.",
            REAL,
            leave_out=lambda order, word, scores: order[order != 0],
        ),
        Mistake(
            "scores-returned",
            "the scores came back, not the row numbers",
            "The task asks which words: return their row numbers.",
            REAL,
            also=[
                {
                    "give": lambda rows, scores, vectors: scores[rows],
                    "order": order,
                    "leave_out": _first_dropped,
                }
                for order in FALLING
            ],
            give=lambda rows, scores, vectors: scores[rows],
        ),
        Mistake(
            "vectors-returned",
            "the vectors came back, not the row numbers",
            "The task asks which words: return their row numbers.",
            REAL,
            give=lambda rows, scores, vectors: vectors[rows],
        ),
    ),
    hints=(
        "What is the cosine of a word with itself, and where does that put it in the order?",
        "The word comes first. The neighbours start one place later.",
        "Take care that how_many neighbours are left after the word has been taken out.",
    ),
    explain="The word itself is left out of the order by its row number, and how_many are taken after that.",
    reread=REAL,
)

# --- disagree ----------------------------------------------------------------------------------------


ORDINALS = ("first", "second")


def _judge_disagree(rows: Array) -> tuple[str, str]:
    query, keys = rows[:1], rows[1:]
    lengths = np.linalg.norm(rows, axis=-1)
    if (lengths == 0).any():
        return "no-direction", "one of the vectors has length 0 and so no direction: it has no cosine."
    dots, cosines = dot_product_scores(query, keys)[0], cosine_scores(query, keys)[0]
    table = (("dot products", *dots), ("cosines", *cosines))
    found = f"    {'':12}  {'first key':>10} {'second key':>10}\n" + "\n".join(
        f"    {label:12}  {one:10.3f} {other:10.3f}" for label, one, other in table
    )
    if abs(dots[0] - dots[1]) <= 1e-9 * abs(dots).max():
        return "tie", f"the two dot products are equal, so neither key is chosen.\n{found}"
    if abs(cosines[0] - cosines[1]) < 1e-9:
        return "tie", f"the two cosines are equal, so neither key is chosen.\n{found}"
    if dots.argmax() == cosines.argmax():
        name = "equal-lengths" if np.isclose(lengths[1], lengths[2]) else "same-choice"
        why = "Keys of equal length are put in the same order by both. " if name == "equal-lengths" else ""
        return name, f"both choose the {ORDINALS[dots.argmax()]} key.\n{found}\n  {why}{_way_out(cosines)}"
    chosen, by_cosine = ORDINALS[dots.argmax()], ORDINALS[cosines.argmax()]
    return "", (
        f"✓ the dot product chooses the {chosen} key, the cosine the {by_cosine}.\n{found}\n"
        "  Length decided for the one, direction for the other."
    )


def _way_out(cosines: Array) -> str:
    """The two cosines -> what would make dot product and cosine disagree: length alone, or not."""
    less, more = np.where(abs(cosines) < 1e-9, 0.0, cosines)[np.argsort(cosines)]
    if less > 0:
        return "Make the key with the smaller cosine longer, until its dot product wins."
    if more < 0:
        return (
            "Both keys point away from the query. There length lowers the dot product: make the key with the "
            "larger cosine longer, until the other one wins. Or turn both towards the query."
        )
    return (
        "The key with the smaller cosine stands at a right angle to the query or beyond, where no length "
        "helps. First turn it towards the query, then lengthen it."
    )


def slips(*examples: tuple[str, Sequence[Any]]) -> tuple[Slip, ...]:
    """Example answers of an open exercise, each with the mistake that it should be named after."""
    return tuple(Slip(name, answer, "") for name, answer in examples)


DISAGREE = Open(
    name="disagree",
    task="A query and two keys for which dot product and cosine choose different keys.",
    shape=(3, 2),
    judge=_judge_disagree,
    example=[[1, 0], [1, 0], [3, 3]],
    because="The first key has the query's direction (cosine 1, dot product 1). The second is turned by 45 "
    "degrees, but it is so long that its dot product, 3, is larger.",
    slips=slips(
        ("no-direction", [[1, 0], [0, 0], [0, 1]]),
        ("tie", [[1, 0], [1, 0], [2, 0]]),
        ("equal-lengths", [[1, 0], [1, 0], [0, 1]]),
        ("same-choice", [[1, 0], [1, 0], [0, 2]]),
    ),
    hints=(
        "Give the first key the query's own direction. Its cosine is 1, which cannot be beaten.",
        "Turn the second key a little, and make it long.",
    ),
    reread=LOOKUP,
)

EXERCISES = (DOT_PRODUCT, SCORE_SHAPE, ALL_SCORES, COSINE_BUG, DOT_OR_COSINE, NEIGHBOURS_BUG, DISAGREE)

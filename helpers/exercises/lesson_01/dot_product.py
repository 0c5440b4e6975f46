"""dot-product, lesson 01: the dot product of two vectors."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.write import Write
from helpers.exercises.slips.matching import LENGTH, TWO, Step, rounded_to, same
from helpers.similarity import dot_product_scores
from helpers.validation import Array


def dot(query: Array, key: Array) -> float:
    """(d_k,), (d_k,) -> one number: the dot product."""
    return float(dot_product_scores(query[None, :], key[None, :])[0, 0])


def _dot_by_choices(
    query: Array, key: Array, *, other: Step = lambda query, key: key, join: Step = np.multiply,
    gather: Step = np.sum, after: Step = same,
) -> Array:  # fmt: skip
    return after(gather(join(query, other(query, key))), query, key)


def my_dot(query: Array, key: Array) -> Any:
    """(d_k,), (d_k,) -> one number: the dot product."""
    return query @ key


EXERCISE = Write(
    name="dot-product",
    answer=my_dot,
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

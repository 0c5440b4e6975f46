"""count-parameters, lesson 06: the entries of all attention matrices of a model, without biases."""

import math
from typing import Any

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.validation import Array

COUNTING = "06: Counting parameters"


def attention_parameters(d_model: int, d_head: int, n_heads: int, n_layers: int) -> int:
    """d_model, d_head, n_heads, n_layers -> how many entries all attention matrices have together."""
    return n_layers * 4 * d_model * (n_heads * d_head)


def _in_proportion(inputs: Any, count: Array, call: Any) -> str:
    for name, value in inputs.items():
        again = call(*{**inputs, name: 2 * value}.values())
        if again is None or again.shape != () or count.shape != ():
            return ""
        before, after = float(count), float(again)
        if before == after:
            return f"{name} does not matter to your count; with twice the {name} it should be twice as large."
        if not math.isclose(after, 2 * before, rel_tol=1e-6):
            return (
                f"With twice the {name} there should be twice as many numbers; yours go from {before:,.0f} "
                f"to {after:,.0f}."
            )
    return ""


def _right_factor(inputs: Any, count: Array, call: Any) -> str:
    if count.shape != () or _in_proportion(inputs, count, call):
        return ""
    factor = float(count) / math.prod(inputs.values())
    if abs(factor - 4) < 1e-6:
        return ""
    return f"Here it is {factor:.4g} times d_model·d_head·n_heads·n_layers. How many matrices are there?"


def _whole(inputs: Any, count: Array, _call: Any) -> str:
    if count.shape != () or float(count) == round(float(count)):
        return ""
    return "It is a number of entries, so it should be whole."


def _model(kind: str, d_model: int, d_head: int, n_heads: int, n_layers: int) -> Probe:
    sizes = {"d_model": d_model, "d_head": d_head, "n_heads": n_heads, "n_layers": n_layers}
    return Probe(kind, sizes)


def my_count(d_model: int, d_head: int, n_heads: int, n_layers: int) -> int:
    """d_model, d_head, n_heads, n_layers -> how many entries all attention matrices have together."""
    one_matrix = d_model * n_heads * d_head
    return n_layers * 4 * one_matrix


EDITS = Edits(my_count, {
    "rows": "d_model", "heads": "n_heads", "width": "d_head", "layers": "n_layers", "matrices": "4",
    "all": "n_layers * 4 * one_matrix",
})  # fmt: skip
WORDS = {
    "product": "W_Q, W_K and W_V have d_model rows and n_heads·d_head columns, W_O has it the other way "
    "round.",
    "entries": "A matrix of a rows and b columns has a times b entries.",
    "own": "Every layer has matrices of its own:",
}
MISTAKES = EDITS.mistakes(
    """
three-matrices
    you counted three matrices and left out one of the four
    Queries, keys and values have a matrix each, and W_O, which mixes the merged heads, is the fourth.
    | matrices => 3

two-matrices
    you counted two matrices
    There are four: W_Q, W_K, W_V and W_O.
    | matrices => 2

one-matrix
    you counted one matrix
    There are four of the same size: W_Q, W_K, W_V and W_O.
    | matrices => 1

five-matrices
    you counted five matrices
    There are four: W_Q, W_K, W_V and W_O.
    | matrices => 5

heads-twice
    you counted the heads twice
    d_head is the width of one head; n_heads·d_head is the width of all heads together, and that counts
    every head already.
    | heads => n_heads**2

one-head
    you left out n_heads, so you counted a single head
    d_head is the width of one head. All heads together are n_heads times as wide.
    | heads => 1

heads-divide
    you divided the count by n_heads
    d_head is the width of one head already. All heads together are n_heads times as wide.
    | heads => 1 / n_heads
    | width => d_head // n_heads; rows; heads

one-layer
    you counted the matrices of one layer only
    {own} n_layers times as many.
    | layers => 1

layers-twice
    you counted the layers twice
    {own} n_layers times as many, once.
    | layers => n_layers**2

layers-added
    you added n_layers
    {own} multiply by n_layers.
    | layers => 1; result => it + n_layers

d_model-squared
    you counted each matrix as d_model × d_model
    {product} That is d_model² only where n_heads·d_head is d_model.
    | width => d_model / n_heads; rows

d_head-from-d_model
    you worked out d_head as d_model // n_heads
    d_head is given, and n_heads·d_head need not be d_model: use it as it is.
    | width => d_model // n_heads; rows

d_model-squared-in-each-head
    you gave each head matrices of d_model × d_model
    A head is d_head wide: its part of each matrix is d_model × d_head.
    | width => d_model; rows

heads-squared-width
    you counted each matrix as n_heads·d_head squared
    {product}
    | rows => n_heads * d_head; width

d_head-squared
    you counted each head's part as d_head × d_head
    A head reads rows of d_model numbers: its part of each matrix is d_model × d_head.
    | rows => d_head; width

no-d_model
    you left out d_model
    {product}
    | rows => 1; width

no-d_head
    you left out d_head
    {product}
    | width => 1; rows

sizes-added
    you added d_model and d_head
    {entries}
    | rows => d_model + d_head; width => 1

rows-and-columns-added
    you added the rows and columns of each matrix
    {entries}
    | rows => (d_model + n_heads * d_head) / n_heads; width => 1

w_o-square
    you counted W_O as d_model × d_model
    W_O takes the merged heads, so that it has n_heads·d_head rows, and d_model columns.
    | all => it + layers * (d_model * d_model - d_model * d_head * n_heads)

w_o-square-in-each-head
    you counted W_O as d_model × d_model, once for each head
    A head brings its d_head numbers back to d_model columns: its part of W_O is d_head × d_model, and the
    heads together have the whole of it, once.
    | all => it + layers * n_heads * (d_model * d_model - d_model * d_head)

w_o-square-in-the-heads
    you counted W_O as n_heads·d_head squared
    W_O takes the merged heads and brings them back to d_model columns.
    | all => it + layers * ((d_head * n_heads) ** 2 - d_model * d_head * n_heads)

w_o-of-one-head
    you counted W_O for one head only
    W_O has a row for every column of the merged heads: n_heads·d_head rows.
    | all => it + layers * (d_model * d_head - d_model * d_head * n_heads)

w_o-in-each-head
    you counted the whole W_O for each head
    Each head has its own d_head rows of W_O; the heads together have the whole of it, once.
    | all => it + layers * (n_heads * d_model * d_head * n_heads - d_model * d_head * n_heads)

w_o-alone-for-all-heads
    you counted W_Q, W_K and W_V for one head, but W_O for all of them
    {product}
    | all => it + layers * 3 * d_model * d_head * (1 - n_heads); matrices

w_o-once-in-all
    you counted W_O for one layer only
    Every layer has a W_O of its own.
    | result => it - (n_layers - 1) * d_model * d_head * n_heads

biases
    you counted biases as well
    The task leaves them out: count only the entries of the matrices.
    | all => it + layers * (3 * n_heads * d_head + d_model)
    @ n = 4 3
    | all => it + layers * n * n_heads * d_head
    @ n = 4 1
    | all => it + layers * n * d_model

whole-block
    you counted the MLP as well, with 8·d_model² in each layer
    The task asks for the attention matrices alone.
    | all => it + layers * 8 * d_model * d_model

bytes
    you counted bytes, not numbers
    How many bytes a number takes depends on its dtype. Here the numbers are counted.
    @ n = 16 8 32
    | matrices => n

in-billions
    the count came back in billions or millions
    Return the number itself, and shorten it when you show it.
    | result => it / 1e9
    | result => it / 1e6
    | result => round(it / 1e9, 2)
""",
    COUNTING,
    words=WORDS,
)

EXERCISE = Write(
    name="count-parameters",
    answer=my_count,
    task="The entries of all attention matrices of a model, without biases.",
    call="my_count(d_model, d_head, n_heads, n_layers)",
    right=attention_parameters,
    recipe=EDITS.recipe(),
    probes=(
        _model("a small model", 7, 3, 5, 2),
        _model(EXAMPLE, 6, 4, 2, 3),
        _model("heads narrower than d_model together", 11, 2, 3, 5),
        _model("one layer", 13, 4, 5, 1),
        _model("heads that share d_model", 12, 4, 3, 2),
        _model("a middle-sized model", 768, 64, 12, 11),
        _model("a very large model", 12288, 128, 96, 96),
        _model("one head", 8, 5, 1, 3),
        _model("heads of one column", 9, 1, 4, 2),
        _model("d_model 1", 1, 3, 2, 4),
    ),
    properties=(
        Property("whole", "it is a whole number", _whole),
        Property("in proportion", "twice a size, twice the count", _in_proportion),
        Property("factor", "four matrices", _right_factor),
    ),
    mistakes=MISTAKES,
    hints=(
        "How many rows and columns does W_Q have, if all heads together are n_heads·d_head wide? And W_O?",
        "Each of the four matrices has d_model · n_heads · d_head entries.",
        "Four matrices in each of n_layers layers.",
    ),
    explain="Four matrices of d_model × (n_heads·d_head) in each layer, W_O with rows and columns "
    "exchanged. Where n_heads·d_head is d_model, that is 4·d_model² a layer. For d_model 12,288, 96 heads "
    "of 128 and 96 "
    "layers: 57,982,058,496.",
    reread=COUNTING,
)

"""rotated-values, lesson 10: positions belong into the scores, not into what is passed on."""

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, triple
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_10.shared import TRAPS, TURNING
from helpers.masking import causal_mask  # noqa: F401 (in the edits)
from helpers.positions import rotate
from helpers.validation import Array


def my_rotary_attention(queries: Array, keys: Array, values: Array, positions: Array) -> Array:
    """(..., n, d_head), (..., n, d_head), (..., n, d_v), (n,) -> output (..., n, d_v)."""
    queries = rotate(queries, positions)
    keys = rotate(keys, positions)
    output, _ = attention(queries, keys, values)
    return output


def by_row(x: Array) -> Array:
    return rotate(x, np.arange(x.shape[-2]))


EDITS = Edits(my_rotary_attention, {
    "asked": "rotate(queries, positions)",
    "offered": "rotate(keys, positions)",
    "mixed": "attention(queries, keys, values)",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
values-turned
    you turned the values as well
    {values}
    | mixed => attention(queries, keys, rotate(values, positions))

output-turned
    you turned the output
    {values} The output is a mixture of values, and has no position either.
    | result => rotate(it, positions)

values-turned-and-back
    you turned the values, and turned the output back
    {values}
    | mixed => attention(queries, keys, rotate(values, positions)); result => rotate(it, -positions)

values-turned-backwards
    you turned the values the other way
    {values}
    | mixed => attention(queries, keys, rotate(values, -positions))

queries-not-turned § turning
    you did not turn the queries
    {both}
    | asked => queries

keys-not-turned § turning
    you did not turn the keys
    {both}
    | offered => keys

nothing-turned § turning
    you turned neither queries nor keys
    {both}
    | asked => queries; offered => keys

keys-turned-backwards § turning
    you turned the keys the other way
    {both} Turn both the same way: only then does the position itself cancel.
    | offered => rotate(keys, -positions)

queries-turned-backwards § turning
    you turned the queries the other way
    {both} Turn both the same way: only then does the position itself cancel.
    | asked => rotate(queries, -positions)

keys-turned-twice § turning
    you turned the keys twice
    {both} Once each.
    | offered => rotate(it, positions)

queries-turned-twice § turning
    you turned the queries twice
    {both} Once each.
    | asked => rotate(it, positions)

turned-twice § turning
    you turned queries and keys twice
    {both}
    | asked => rotate(it, positions); offered => rotate(it, positions)

rows-counted § turning
    you took the rows for positions 0, 1, 2, …
    That is right as long as the positions are evenly spaced by 1: a shift changes no distance. Here some
    are not.
    | asked => by_row(queries); offered => by_row(keys)

pairs-layout § turning
    you turned neighbours: the layout of pairs
    rotate turns halves unless it is told otherwise, and this model was trained with halves.
    | asked => rotate(queries, positions, layout="pairs"); offered => rotate(keys, positions, layout="pairs")

causal-mask-added
    you added a causal mask
    None is asked for: here every token reads all the others.
    | mixed => attention(queries, keys, values, causal_mask(queries.shape[-2]))

never-scaled
    you lost the division by √d_head
    The scale was right; only the values were wrong.
    | queries => it * np.sqrt(it.shape[-1])

root-of-tokens
    you divided by the root of the number of tokens
    The scale is √d_head: a score is a sum of d_head products.
    | queries => it * np.sqrt(it.shape[-1] / it.shape[-2])

roles-swapped
    you swapped queries and keys
    A row of scores belongs to the query that asks: attention(queries, keys, values), in this order.
    | mixed => attention(keys, queries, values)

weights-returned
    you returned the weights
    The output is asked for: the weights times the values, as they are.
    | result => attention(queries, keys, values)[1]
""",
    reread=TRAPS,
    sections={"turning": TURNING},
    words={
        "values": "Positions decide *where* a query looks. *What* it gets there should be the same "
        "wherever the token "
        "stands: values are not turned.",
        "both": "Queries and keys are turned, both by their own positions.",
    },
)


def right_output(queries: Array, keys: Array, values: Array, positions: Array) -> Array:
    """The same, by the other road: the weights first, and then the values as they are."""
    _, weights = attention(
        rotate(queries, positions), rotate(keys, positions), np.ones((*keys.shape[:-1], 1))
    )
    return weights @ values


def _three(
    n: int, d_head: int, d_v: int, *stack: int, start: int, positions: Array, dtype: type = np.float64
) -> dict[str, Array]:
    sizes = {"n_queries": n, "n_keys": n, "d_k": d_head, "d_v": d_v}
    return {**triple(*stack, **sizes, start=start, dtype=dtype, apart=300), "positions": positions}


ONES = np.array([[1.0, 0.0]] * 3)
EXERCISE = Mend(
    name="rotated-values",
    answer=my_rotary_attention,
    bug=EDITS.bug("mixed => attention(queries, keys, rotate(values, positions))"),
    given="values-turned",
    task="A rotary attention that changes what it passes on.",
    symptom="give all tokens the same value, [1, 0]. Whatever the weights, what should a mixture of equal "
    "values be?",
    call="my_rotary_attention(queries, keys, values, positions)",
    right=right_output,
    recipe=EDITS.recipe(),
    probes=(
        Probe(
            "three tokens of equal values",
            {"queries": ONES, "keys": ONES, "values": ONES, "positions": np.arange(3)},
        ),
        Probe("three tokens", _three(3, 4, 6, start=5, positions=np.arange(3))),
        Probe("one new token alone", _three(1, 6, 4, start=40, positions=np.array([5]))),
        Probe("places left out", _three(5, 8, 2, start=80, positions=np.array([0, 2, 3, 7, 11]))),
        Probe("float32", _three(4, 10, 8, start=120, positions=np.array([1, 2, 5, 6]), dtype=np.float32)),
        Probe("a batch of 2 texts", _three(7, 4, 12, 2, start=200, positions=np.arange(7) * 3)),
        Probe("2 texts with 3 heads", _three(5, 6, 10, 2, 3, start=300, positions=np.arange(5) + 9)),
        Probe("a batch of 1 text", _three(4, 6, 2, 1, start=400, positions=np.arange(4)), hard=True),
        Probe("3 texts with 1 head", _three(5, 4, 6, 3, 1, start=450, positions=np.arange(5)), hard=True),
        Probe("1 text with 2 heads", _three(3, 8, 4, 1, 2, start=500, positions=np.arange(3)), hard=True),
    ),
    axes=("token", "entry"),
    mistakes=MISTAKES,
    hints=(
        "Which of the three, queries, keys and values, take part in the scores?",
        "rotate is called three times. How often should it be?",
    ),
    explain="With turned values the output of equal values would depend on where they stand, and later "
    "layers would "
    "have to turn it back.",
    reread=TRAPS,
)

"""head-off, lesson 12: a head is switched off, and it is the wrong one."""

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_12.shared import OFF
from helpers.validation import Array


def my_output_without(mixed: Array, w_o: Array, head: int) -> Array:
    """(n_heads, n, d_head), (n_heads * d_head, d_model), a head -> (n, d_model) without it."""
    n_heads, n, d_head = mixed.shape
    rows = mixed.swapaxes(0, 1).reshape(n, n_heads * d_head)
    owner = np.arange(n_heads * d_head) // d_head
    return np.where(owner == head, 0, rows) @ w_o


EDITS = Edits(my_output_without, {
    "rows": "mixed.swapaxes(0, 1).reshape(n, n_heads * d_head)",
    "owner": "np.arange(n_heads * d_head) // d_head",
    "which": "owner == head",
    "instead": "0 in kept",
    "kept": "np.where(owner == head, 0, rows)",
    "output": "np.where(owner == head, 0, rows) @ w_o",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
one-before
    you switch off the head before it
    {zero}
    | which => owner == head - 1

one-after
    you switch off the head after it
    {zero}
    | which => owner == head + 1

all-but-this
    you switch off all heads but this one
    That asks whether the head is enough. Here it is to be off, alone.
    | which => owner != head

up-to-this
    you switch off all heads up to this one
    One head is to be off, alone.
    | which => owner <= head

none-off
    you switch off none
    The head's d_head columns become 0.
    | kept => rows

every-so-many
    you switch off every n_heads-th column
    {columns}
    | owner => np.arange(n_heads * d_head) % n_heads

place-in-the-head
    you switch off one column of every head
    {columns}
    | owner => np.arange(n_heads * d_head) % d_head

output-columns
    you set columns of the output to 0
    After W_O the heads are added up, and no column belongs to one of them. Set the head to 0 before it.
    | output => np.where(np.arange(w_o.shape[1]) // d_head == head, 0, rows @ w_o)

one-column
    you switch off a single column
    {columns}
    | owner => np.arange(n_heads * d_head)

last-column-left-on
    you left the last column of the head on
    {zero} A slice ends before its second number: h · d_head : (h + 1) · d_head has all of them.
    | which => (owner == head) & (np.arange(n_heads * d_head) % d_head < d_head - 1)

wrong-width
    you took n_heads columns for a head
    {columns}
    | owner => np.arange(n_heads * d_head) // n_heads

ones-instead
    you put ones in place of the head's output
    Zeros are asked for.
    | instead => 1

mean-instead
    you put the head's mean output in its place
    That is a good ablation, and zeros are asked for here.
    | instead => rows.mean(axis=0)

not-swapped
    the heads were not put side by side: the swap of axes is gone
    (n_heads, n, d_head) has to become (n, n_heads, d_head) before it is flattened.
    | rows => mixed.reshape(n, n_heads * d_head)
    | kept => np.where(np.arange(n_heads)[:, None, None] == head, 0, mixed).reshape(n, n_heads * d_head)

columns-dealt-out
    you put the heads' columns together in turn: the first of each head, then the second
    {columns} (n_heads, n, d_head) has to become (n, n_heads, d_head), in this order.
    | rows => mixed.transpose(1, 2, 0).reshape(n, n_heads * d_head)

token-off
    you switch off a token instead of a head
    `head` is the number of a head: its d_head columns become 0, in the rows of all tokens.
    | kept => np.where((np.arange(n) == head)[:, None], 0, rows)

heads-moved-up
    you took the head out, and others then met rows of W_O that are not theirs
    The rows of W_O stay with their heads. Put zeros where the head was, or take its rows out as well.
    | output => np.delete(rows, np.flatnonzero(owner == head), axis=1) @ w_o[: (n_heads - 1) * d_head]
    | output => np.delete(rows, np.flatnonzero(owner == head), axis=1) @ w_o[d_head:]

rows-dealt-out
    you gave each head every n_heads-th row of W_O
    {columns} So its rows of W_O are a block, too: w_o.reshape(n_heads, d_head, d_model)[h].
    | output => kept @ w_o.reshape(d_head, n_heads, -1).swapaxes(0, 1).reshape(w_o.shape)

others-raised
    you made the other heads larger in return
    That is what dropout does while a model learns. Here the head is off, and the others stay as they are.
    | kept => it * (n_heads / max(n_heads - 1, 1))

projection-lost
    you left out W_O
    The layer's output is the row of all heads, times W_O.
    | output => kept
""",
    reread=OFF,
    words={
        "zero": "Heads count from 0, so head h has the columns from h · d_head up to (h + 1) · d_head.",
        "columns": "The heads stand side by side: the first d_head columns are head 0's, and so on.",
    },
)


def _layer(
    n_heads: int, n: int, d_head: int, d_model: int, head: int, start: int, dtype: type = np.float64
) -> dict[str, object]:
    return {
        "mixed": numbers(n_heads, n, d_head, start=start, dtype=dtype),
        "w_o": numbers(n_heads * d_head, d_model, start=start + 300, dtype=dtype),
        "head": head,
    }


EXERCISE = Mend(
    name="head-off",
    answer=my_output_without,
    bug=EDITS.bug("which => owner == head - 1"),
    given="one-before",
    task="An ablation that switches off the wrong head.",
    symptom="call it with the example: mixed [[[1.0]], [[10.0]]], w_o [[1.0], [1.0]] and head 0. "
    "Which head is off?",
    call="my_output_without(mixed, w_o, head)",
    right=my_output_without,
    recipe=EDITS.recipe(),
    example={"mixed": np.array([[[1.0]], [[10.0]]]), "w_o": np.array([[1.0], [1.0]]), "head": 0},
    probes=(
        Probe(EXAMPLE, {"mixed": np.array([[[1.0]], [[10.0]]]), "w_o": np.array([[1.0], [1.0]]), "head": 0}),
        Probe("the first of three heads", _layer(3, 5, 2, 4, 0, start=7)),
        Probe("the last of four heads", _layer(4, 2, 3, 5, 3, start=60)),
        Probe("the middle one of three", _layer(3, 4, 5, 7, 1, start=120)),
        Probe("one new token", _layer(2, 1, 4, 3, 1, start=190)),
        Probe("heads of one column", _layer(3, 4, 1, 2, 1, start=330), hard=True),
        Probe("one head alone", _layer(1, 3, 4, 2, 0, start=350), hard=True),
        Probe("a width of 1", _layer(2, 3, 4, 1, 1, start=370), hard=True),
        Probe("heads of one number, one row of W_O", _layer(1, 3, 1, 2, 0, start=390), hard=True),
        Probe("float32", _layer(5, 6, 2, 3, 2, start=270, dtype=np.float32)),
    ),
    axes=("token", "entry"),
    mistakes=MISTAKES,
    hints=(
        "With d_head 2 and three heads, `owner` is 0 0 1 1 2 2. Which entries are head 1's?",
        "What does `head - 1` do where head is 0?",
    ),
    explain="With head 0 nothing was off at all, and the model seemed not to need it. Switch off a "
    "head that you know matters: a tool is tested before it is believed.",
    reread=OFF,
)

"""kernel-bug, lesson 13.

A row softmax as a kernel computes it, in NumPy: right where a row fills its block, wrong where it does not.
"""

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Probe, example, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.programs import load, store
from helpers.softmax import softmax
from helpers.validation import Array

GPU = "13: The same tiles on a GPU"


def _by_rows(memory: Array, n_rows: int, n_columns: int, _block: int) -> Array:
    return softmax(memory.reshape(n_rows, n_columns)).ravel()


def _probe(
    kind: str, n_rows: int, n_columns: int, block: int, shift: float, start: int, hard: bool = False
) -> Probe:
    memory = numbers(n_rows, n_columns, start=start).ravel() + shift
    inputs = {"memory": memory, "n_rows": n_rows, "n_columns": n_columns, "block": block}
    return Probe(kind, inputs, hard=hard)


def my_kernel(memory: Array, n_rows: int, n_columns: int, block: int) -> Array:
    """(n_rows · n_columns,) scores, row after row -> the weights of each row, in the same places."""
    output = np.zeros(len(memory))
    for program in range(n_rows):  # the grid: on a GPU the programs run side by side
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=-np.inf)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


EDITS = Edits(
    my_kernel,
    {
        "grid": "range(n_rows)",
        "inside": "columns < n_columns",
        "addresses": "program * n_columns + columns",
        "stride": "n_columns in addresses",
        "padding": "-np.inf",
        "largest": "scores.max()",
        "exponentials": "np.exp(scores - scores.max())",
        "weights": "exponentials / exponentials.sum()",
        "total": "exponentials.sum()",
        "stored": "store(output, addresses, exponentials / exponentials.sum(), inside)",
        "written": "inside in stored",
    },
)
WORDS = {
    "neutral": "What stands in for a key that is not there must count for nothing: e^(−∞) is 0, and −∞ is "
    "never the largest.",
}
MISTAKES = EDITS.mistakes(
    """
padded-with-0
    you fill the rest of the block with scores of 0, and each of them takes part
    e^0 is 1, not 0. {neutral}
    | padding => 0.0

padded-with-a-small-number
    you fill the rest of the block with a number that is small, but not small enough
    Beside scores of its own size it still counts. {neutral}
    | padding => -1.0
    | padding => -10.0
    | padding => -100.0
    | padding => -1000.0

padded-with-the-smallest
    you fill the rest of the block with the smallest score
    It is a score like any other, and counts. {neutral}
    | padding => memory.min()

nan-in-the-block
    a nan or ∞ − ∞ got into the block, and whatever meets nan is nan
    The rest of the block should be −∞, not +∞ or nan; and what you subtract should be the largest number of
    the block, not the smallest.
    | padding => np.inf
    | padding => np.nan
    | largest => scores.min()

largest-of-the-padding
    the sum is right, but the maximum is still taken over the zeros in the rest of the block
    Where all scores are far below 0, e^(score − 0) is 0 for every key, and 0 / 0 is nan. {neutral}
    | padding => 0.0; total => exponentials[inside].sum()

block-for-a-row
    the rows lie n_columns apart in memory, and you step on by a whole block
    The block is rounded up to a power of two; memory is not.
    | stride => block

rows-for-columns
    you step on by the number of rows
    Row i begins where i rows of n_columns numbers end.
    | stride => n_rows

first-row-only
    only the first row is ever read and written
    The grid has a program for each row, and its number says which row is its own: program * n_columns.
    | addresses => columns
    | grid => range(1)

one-column-short
    the last column of each row is left out
    columns < n_columns keeps the numbers 0 to n_columns − 1: all of them.
    | inside => columns < n_columns - 1

one-column-more
    a row reaches past its last column, where it reads or where it writes
    There are n_columns columns, and the first has the number 0. Both `load` and `store` need the mask
    columns < n_columns.
    | inside => columns <= n_columns
    | written => np.ones(block, dtype=bool)

memory-for-a-row
    you left out what lies past the end of the memory, not past the end of the row
    Only the last row ends where the memory ends. In the others the block reads on into the next row:
    columns < n_columns holds for each of them.
    | inside => program * n_columns + columns < len(memory)

never-shifted
    you subtracted no maximum
    e^1000 is larger than any float, and where all scores are far below 0, every e^score is 0, and 0 / 0 is
    nan. Take scores.max() off first.
    | exponentials => np.exp(scores)

not-divided
    you store the exponentials, not divided by their sum
    Weights sum to 1 in each row.
    | weights => exponentials

mean-for-a-sum
    you divide by the mean of the block
    Weights are shares of the sum.
    | total => exponentials.mean()

divided-by-a-count
    you divide by how many numbers a row or a block has, not by the sum of the exponentials
    Weights are shares of the sum, exponentials.sum(), so that those of a row sum to 1.
    | total => n_columns
    | total => block

block-cut-short
    you cut the block down to the row, and the mask still has a place for each number of the block
    A program works on whole blocks: load, store and the mask all have `block` places. Let −∞ stand in for
    what is not there. The mask keeps it from being stored.
    | weights => exponentials[inside] / exponentials[inside].sum()
""",
    GPU,
    words=WORDS,
)
EXERCISE = Mend(
    name="kernel-bug",
    answer=my_kernel,
    bug=EDITS.bug("padding => 0.0"),
    task="A row softmax as a kernel computes it: wrong where a row does not fill its block.",
    call="my_kernel(memory, n_rows, n_columns, block)",
    right=_by_rows,
    recipe=EDITS.recipe(),
    given="padded-with-0",
    symptom="with one row of 3 equal scores in a block of 4, each of the three gets the weight 0.25. Print "
    "`scores` and `exponentials` inside the loop. Who has the fourth quarter?",
    probes=(
        example(memory=np.zeros(3), n_rows=1, n_columns=3, block=4),
        _probe("a row that fills its block", 3, 4, 4, 0.0, start=21),
        _probe("one number more in the block", 2, 7, 8, 0.0, start=22),
        _probe("a block with much room left", 5, 6, 16, 1.5, start=23),
        _probe("scores below 0", 4, 3, 4, -6.0, start=24),
        _probe("a single row", 1, 5, 8, 0.5, start=25),
        _probe("scores far below 0", 3, 5, 8, -1000.0, start=26, hard=True),
        _probe("scores around 1,000", 2, 6, 8, 1000.0, start=29, hard=True),
        _probe("rows of one number", 3, 1, 2, 0.0, start=27, hard=True),
        _probe("one number in all", 1, 1, 1, 0.0, start=28, hard=True),
    ),
    axes=("address",),
    mistakes=MISTAKES,
    unseen="whether the programs still work alone, each on its own row.",
    hints=(
        "With 3 columns in a block of 4, what does `load` put into the fourth place, and what becomes of it "
        "in the sum?",
        "The fourth place must have the exponential 0, and must never be the maximum. Which score has the "
        "exponential 0?",
        "other=-np.inf. (In Triton: other=float('-inf').)",
    ),
    explain="This is the commonest bug of a first kernel: the block is a power of two, the data are not, and "
    "what fills the rest must be neutral for what comes next: −∞ before a maximum or an exponential, 0 "
    "before a sum. A test with sizes that are powers of two cannot see it.",
    reread=GPU,
)

"""Code that is right for one matrix, or for one row, and takes no more: what is said of it."""

import ast
from collections.abc import Sequence

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe
from helpers.exercises.engine.reading import reading

SAYS = "your code is written for one matrix and does not take a stack"
THROUGH = "Leading axes (sentences, heads) should pass through: count axes from the end, −1 and −2."
LOOPED = "A loop over a stack gives you whole sentences, not rows."
TURNED = "`.T` reverses all the axes of a stack; np.swapaxes(x, -1, -2) exchanges the last two."
LOOPS = (ast.For, ast.ListComp, ast.GeneratorExp)
FLAT_ONLY = Mistake("one-matrix-only", SAYS, THROUGH, "01: All pairs at once")
THREE_AXES_ONLY = Mistake(
    FLAT_ONLY.name,
    "your code is written for exactly three axes and does not take a stack",
    "Axes in front (sentences, texts) should pass through: count axes from the end, −1, −2 and −3, and take "
    "a shape apart with a star, as in `*stack, n, d = x.shape`.",
    FLAT_ONLY.reread,
)
ROW_ONLY = Mistake(
    "one-row-only",
    "your code is written for one row of scores, and is right there",
    "The input is a table, with a row for each query: work along the last axis, and all rows are done "
    "at once.",
    "03: Which axis?",
)


def flat_only(function: object, probes: Sequence[Probe]) -> Mistake:
    """A function that stops on every stack -> what it is called, with advice on what stands in its source."""
    read = reading(function, probes)
    reasons = [FLAT_ONLY.idea]
    if read and any(read.every(*LOOPS)):
        reasons.append(LOOPED)
    if read and any(node.attr == "T" for node in read.every(ast.Attribute)):
        reasons.append(TURNED)
    return Mistake(FLAT_ONLY.name, FLAT_ONLY.says, " ".join(reasons), FLAT_ONLY.reread)

"""What several exercises of lesson 02 use: the scaled scores, right and by choices."""

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.slips.matching import same
from helpers.exercises.slips.scaling import Step
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.validation import Array

D_K_TOO = " And d_k is shape[-1]: counted from the end, it is right for stacks, too."


def second_axis(steps: Steps, reread: str) -> Mistake:
    """The steps of a recipe, a section -> dividing by axis 1 where the root of the last one belongs."""
    (made,) = steps.mistakes(
        """
second-axis
    you divided the scores by the length of axis 1, which is d_k for one sentence only, and took no root
    Counted from the end, d_k is always axis −1. The variance grows with d_k, the spread with √d_k: divide by
    the root.
    | scale => scores / queries.shape[1]
""",
        reread,
    )
    made.holds = "divided-by-d_k"
    return made


def scaled_scores(queries: Array, keys: Array) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), of spread about 1."""
    return scale_scores(dot_product_scores(queries, keys), queries.shape[-1])


def by_root_d_k(scores: Array, queries: Array, keys: Array) -> Array:
    return scale_scores(scores, queries.shape[-1])


def scaled_by_choices(
    queries: Array, keys: Array, *, match: Step = dot_product_scores, lay: Step = same,
    scale: Step = by_root_d_k, after: Step = same, cast: Step = same,
) -> Array:  # fmt: skip
    return cast(after(scale(lay(match(queries, keys)), queries, keys), queries, keys), queries, keys)

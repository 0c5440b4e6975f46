"""unit-spread, lesson 02: spread 1 for entries of standard deviation sigma."""

import math
from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, numbers
from helpers.exercises.kinds.open import OpenFunction
from helpers.exercises.kinds.write import Property
from helpers.exercises.slips.scaling import SPREAD
from helpers.scaling import scale_scores
from helpers.validation import Array


def unit_spread(scores: Array, d_k: int, sigma: float) -> Array:
    """(n_queries, n_keys), d_k, sigma -> (n_queries, n_keys), of spread 1."""
    return scale_scores(scores, d_k) / sigma**2


def my_unit_spread(scores: Array, d_k: int, sigma: float) -> Array:
    """(n_queries, n_keys), d_k, sigma -> (n_queries, n_keys), of spread 1."""
    return scores / (sigma**2 * np.sqrt(d_k))


def spread_is_1(inputs: Any, scaled: Array, _call: Any) -> str:
    usual = inputs["sigma"] ** 2 * math.sqrt(inputs["d_k"])
    chance = float(np.std(inputs["scores"])) / usual  # 1, but for the scores that spread wider by chance
    spread = float(np.std(scaled.astype(float)))
    if abs(spread / chance - 1) <= 0.02:
        return ""
    case = f"For d_k {inputs['d_k']} and sigma {inputs['sigma']:g}"
    if abs(chance - 1) <= 0.02:
        return f"{case} the spread after your function is {spread:.3g}, not 1."
    return (
        f"These few scores spread {chance:.3g} times as much as scores do for d_k {inputs['d_k']} and sigma "
        f"{inputs['sigma']:g}. Divided by the right number, they spread by {chance:.3g}; "
        f"yours is {spread:.3g}."
    )


def not_shifted(inputs: Any, scaled: Array, call: Any) -> str:
    scores = inputs["scores"]
    if order_kept(inputs, scaled, call):
        return ""  # not scaled and moved: something else was done to each score
    slope = np.std(scaled.astype(float)) / np.std(scores)
    shift = float(np.mean(scaled.astype(float)) - slope * np.mean(scores))
    if abs(shift) <= 0.01:
        return ""
    return f"Only divide: your scores were moved as well, by about {shift:.3g}."


def order_kept(inputs: Any, scaled: Array, _call: Any) -> str:
    together = np.corrcoef(np.ravel(inputs["scores"]), np.ravel(scaled.astype(float)))[0, 1]
    return "" if together > 0.9999 else "The scores should keep their order and their relative distances."


def scores_of(d_k: int, sigma: float, *shape: int, wider: float = 1.0, higher: float = 0.0) -> dict[str, Any]:
    """Scores whose spread is exactly what entries of standard deviation sigma give: sigma² √d_k.

    `wider` and `higher`: as a few scores may come out by chance, spread and mean.
    """
    standard = numbers(*shape, start=d_k)
    standard = (standard - standard.mean()) / standard.std() * wider + higher
    return {"scores": standard * sigma**2 * math.sqrt(d_k), "d_k": d_k, "sigma": sigma}


def by_its_spread(scores: Array, axis: int | None = None, ddof: int = 0) -> Array:
    return scores / scores.std(axis=axis, keepdims=True, ddof=ddof)


def centred(scores: Array, axis: int | None = None) -> Array:
    return scores - scores.mean(axis=axis, keepdims=True)


EDITS = Edits(my_unit_spread, {
    "deviation": "sigma**2",
    "width": "np.sqrt(d_k)",
    "divisor": "sigma**2 * np.sqrt(d_k)",
})  # fmt: skip
MISTAKES = EDITS.mistakes(
    """
sigma-ignored
    you left out sigma
    {one_sigma}
    | deviation => 1.0

sigma-once
    you divided by sigma once
    {one_sigma} So divide by it twice. Or: if you took a root of sigma**2, that takes it back to sigma.
    | deviation => sigma

sigma-root
    you took the root of sigma
    {one_sigma}
    | deviation => np.sqrt(sigma)

variance-of-product
    you divided by sigma four times over
    sigma⁴ is the variance of one product; the spread is the root of the variance.
    | deviation => sigma**4

sigma-multiplied
    you multiplied by sigma²
    Larger entries make larger scores: divide. {both}
    | deviation => sigma**-2

sigma-multiplied-once
    you multiplied by sigma
    {both} And sigma comes twice: once from the query, once from the key.
    | deviation => 1 / sigma

d_k-ignored
    you left out d_k
    A sum of d_k terms spreads like √d_k.
    | width => 1.0

d_k-not-rooted
    you divided by d_k, not by √d_k
    The variance grows with d_k, the spread with √d_k.
    | width => d_k

d_k-squared
    you divided by d_k squared, not by √d_k
    The variance grows with d_k, the spread with its square root.
    | width => d_k**2

never-scaled
    you divided by nothing
    The spread of the scores is sigma² √d_k; divide by it.
    | result => scores

measured-spread
    you made the spread 1 by measuring it, not from d_k and sigma
    Every score then depends on all the others of its text. sigma² √d_k is known in advance: divide by that.
    | result => by_its_spread(scores)
    | result => by_its_spread(centred(scores))
    | result => by_its_spread(scores, -1)
    | result => by_its_spread(centred(scores, -1), -1)
    | result => by_its_spread(scores, ddof=1)
    | result => scores / np.sqrt(np.mean(scores**2))

root-whole
    you made the root of d_k a whole number
    √7 is 2.65, and 2.65 is what to divide by. Only some d_k (4, 9, 16) have whole roots.
    | width => int(np.sqrt(d_k))
    | width => round(np.sqrt(d_k))
    | width => np.ceil(np.sqrt(d_k))

power-first
    you divided the variance by 2 instead of taking its root
    In Python x**1/2 is (x**1)/2: the power comes first. Write x**0.5, or np.sqrt(x).
    | result => scores / divisor**2 / 2

sigma-doubled
    you added sigma to itself
    A product of two entries spreads by sigma times sigma.
    | deviation => 2 * sigma

sign-turned
    you flipped the signs
    Divide by a positive number: the largest score should stay the largest.
    | result => -it

sign-lost
    you lost the signs
    A negative score says that two vectors point away from each other.
    | result => np.abs(it)

multiplied
    you multiplied the scores by their spread
    Divide by it.
    | result => scores * divisor

root-multiplied
    you multiplied by √d_k
    Longer sums spread further: divide. {both}
    | width => 1 / np.sqrt(d_k)

d_k-multiplied
    you multiplied by d_k
    Longer sums spread further, by √d_k: divide by that. {both}
    | width => 1 / d_k

added-up
    you added sigma's part and that of d_k, which should be multiplied
    A product of two entries spreads by sigma², and a sum of d_k of them √d_k times as far.
    | divisor => deviation + width
    | divisor => np.sqrt(sigma**4 + d_k)
    | divisor => np.sqrt(sigma**2 + d_k)
    """,
    reread=SPREAD,
    words={
        "both": "a / b * c divides by b and multiplies by c; brackets around b * c divide by both.",
        "one_sigma": "A score is a sum of products q·k: sigma comes once from the query and once from the "
        "key.",
    },
)
EXERCISE = OpenFunction(
    name="unit-spread",
    answer=my_unit_spread,
    task="Spread 1 for entries of standard deviation sigma.",
    call="my_unit_spread(scores, d_k, sigma)",
    right=unit_spread,
    recipe=EDITS.recipe(),
    probes=(
        Probe("few scores", scores_of(9, 2.0, 2, 3)),
        Probe(EXAMPLE, scores_of(4, 1.0, 4, 6)),
        Probe("narrow vectors", scores_of(7, 3.0, 11, 13)),
        Probe("wide vectors", scores_of(256, 0.5, 17, 19)),
        Probe("small entries", scores_of(64, 0.02, 23, 29)),
        Probe("scores that spread wider by chance", scores_of(16, 1.5, 5, 7, wider=1.3, higher=0.4)),
        Probe("one query, d_k 1", scores_of(1, 2.5, 1, 12), True),
        Probe("one key", scores_of(25, 1.2, 14, 1), True),
    ),
    properties=(
        Property("spread 1", "the spread is 1, up to chance, for every d_k and sigma tried", spread_is_1),
        Property("not shifted", "0 stays 0", not_shifted),
        Property("order kept", "the scores keep their relative distances", order_kept),
    ),
    axes=("query", "key"),
    mistakes=MISTAKES,
    hints=(
        "What is the spread of one product q·k, when q and k have standard deviation sigma?",
        "One product spreads by sigma², and a sum of d_k independent products by √d_k times as much.",
        "Divide by sigma² √d_k.",
    ),
    explain="A product of two entries spreads by sigma · sigma, the sum of d_k of them by √d_k times that.",
    reread=SPREAD,
)

"""predict-spread, lesson 02: d_k grows from 4 to 400: by what factor does the spread of the scores grow?"""

import math

from helpers.exercises.kinds.predict import Predict, Slip
from helpers.exercises.slips.scaling import SPREAD

EXERCISE = Predict(
    name="predict-spread",
    task="d_k grows from 4 to 400: by what factor does the spread of the scores grow?",
    answer=10.0,
    because="The variance is d_k and grows by a factor of 100. The spread is its square root, √d_k: "
    "from 2 to 20, ten times as much.",
    slips=(
        Slip("variance", 100.0, "The variance grows by a factor of 100. The spread is its square root."),
        Slip("no-change", 1.0, "That is true after dividing by √d_k. Here nothing has been divided yet."),
        Slip(
            "new-spread",
            20.0,
            "20 is the spread for d_k 400. For d_k 4 it was 2 already: what is the factor?",
        ),
        Slip(
            "new-d_k", 400.0, "400 is d_k, and the variance. The question is how many times the spread grows."
        ),
        Slip(
            "difference",
            18.0,
            "From 2 to 20 the spread grows by 18; the question is how many times as large it gets.",
        ),
        Slip(
            "old-spread",
            2.0,
            "2 is the spread for d_k 4 (and the power of ten by which d_k grows). The factor is √400 / √4.",
        ),
        Slip("difference-of-d_k", 396.0, "396 is how much d_k grows. The spread grows like √d_k."),
        Slip(
            "inverse",
            0.1,
            "The scores spread more, not less: each further term adds variance. Turn the fraction round.",
        ),
        Slip(
            "logarithm",
            math.log(100),
            "That is ln 100. A sum of independent terms spreads like a square root.",
        ),
        Slip(
            "squared",
            10_000.0,
            "That is the factor squared twice. The variance grows a hundredfold; the spread is its root.",
        ),
    ),
    hints=(
        "A score is a sum of d_k products. Each has variance 1, and variances of independent terms add up.",
        "The spread is the square root of the variance: √4 and √400.",
    ),
    reread=SPREAD,
)

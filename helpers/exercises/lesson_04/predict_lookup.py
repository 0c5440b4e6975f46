"""predict-lookup, lesson 04: the output of a soft dictionary: scaled scores 0 and ln 3, values 10 and 30."""

import math

from helpers.exercises.kinds.predict import Predict, Slip
from helpers.exercises.slips.mixing import DICTIONARY

ROOT_2 = math.sqrt(2)

EXERCISE = Predict(
    name="predict-lookup",
    task="The output of a soft dictionary: scaled scores 0 and ln 3, values 10 and 30.",
    answer=25.0,
    because="The weights are 1/4 and 3/4, and 1/4 · 10 + 3/4 · 30 = 25.",
    tolerance=0.001,
    slips=(
        Slip(
            "values-changed-places",
            15.0,
            "Those are the right weights on the wrong values: 3/4 belongs to the key with the score ln 3, "
            "and that key carries 30.",
        ),
        Slip(
            "equal",
            20.0,
            "That is the mean, with equal weights. The second key answers more: its score is ln 3, not 0.",
        ),
        Slip(
            "hard-lookup",
            30.0,
            "That is a hard lookup: the best key gives its value alone. A soft one lets the first key "
            "answer, too: e^0 is 1, not 0.",
        ),
        Slip(
            "not-divided",
            100.0,
            "1 · 10 + 3 · 30 mixes by the exponentials. Weights are shares: divide them by their sum, 4.",
        ),
        Slip(
            "scores-as-weights",
            30 * math.log(3),
            "You took the scores themselves as weights. Softmax turns them into weights first.",
        ),
        Slip("second-part", 22.5, "3/4 · 30 is the second part. The first key adds its share of 10."),
        Slip("first-part", 2.5, "1/4 · 10 is the first part. The second key adds its share of 30."),
        Slip("weight", 0.75, "That is the second weight. The output mixes the values by the weights."),
        Slip(
            "scaled-again",
            (10 + 30 * 3 ** (1 / ROOT_2)) / (1 + 3 ** (1 / ROOT_2)),
            "You divided the scores by √2. They are already scaled.",
        ),
        Slip(
            "powers-of-2",
            (10 + 30 * 2 ** math.log(3)) / (1 + 2 ** math.log(3)),
            "You took powers of 2. Softmax takes powers of e, and e^(ln 3) is 3.",
        ),
        Slip(
            "score-1",
            (10 + 30 * math.e) / (1 + math.e),
            "That is for a score of 1. The score is ln 3, and its exponential is 3.",
        ),
        Slip(
            "score-3",
            (10 + 30 * math.e**3) / (1 + math.e**3),
            "That is for a score of 3. The score is ln 3, so that its exponential is 3.",
        ),
        Slip(
            "divided-by-3",
            100 / 3,
            "The sum of the exponentials is 1 + 3 = 4. No mixture can lie above the largest value, 30.",
        ),
        Slip(
            "thirds",
            70 / 3,
            "Those are the weights 1/3 and 2/3. The exponentials are 1 and 3: shares of 4.",
        ),
        Slip("added", 40.0, "That is the sum of the values. Each counts with its weight only."),
        Slip(
            "score-times-value",
            10 + 30 * math.log(3),
            "You turned the first score into e^0 = 1, but not the second into e^(ln 3) = 3. And a mixture is "
            "divided by the sum of the exponentials.",
        ),
    ),
    hints=(
        "First the weights: the exponentials of both scores, each divided by their sum.",
        "The weights are 1/4 and 3/4. Each value counts with its weight.",
    ),
    reread=DICTIONARY,
)

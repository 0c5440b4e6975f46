"""predict-mask, lesson 05: equal scores and a causal mask: the weight of query 2 on key 0."""

from helpers.exercises.kinds.predict import Predict, Slip
from helpers.exercises.slips.hiding import INFINITY

EXERCISE = Predict(
    name="predict-mask",
    task="Equal scores and a causal mask: the weight of query 2 on key 0.",
    answer=1 / 3,
    because="Query 2 may attend to the keys 0, 1 and 2: The, cat, and itself. Equal scores share 1 among "
    "three.",
    slips=(
        Slip("no-mask", 1 / 6, "1/6 is the weight without a mask. The mask hides mat, the and on from sat."),
        Slip(
            "itself-left-out",
            1 / 2,
            "1/2 is for two keys. A token may attend to itself as well: keys 0, 1 and 2 are open.",
        ),
        Slip(
            "one-step-ahead",
            1 / 4,
            "1/4 is for four keys. Key 3 is a later token than query 2, and hidden. (Counted from 0, query 2 "
            "is the third token.)",
        ),
        Slip(
            "other-triangle",
            0.0,
            "0 would be right if the past were hidden. *The* stands before *sat*, so that *sat* may attend "
            "to it.",
        ),
        Slip("everything", 1.0, "1 is the whole row: all weights of a query sum to 1. Three keys share it."),
        Slip("count", 3.0, "3 is the number of keys that are open. A weight is a share of 1 among them."),
        Slip(
            "percent",
            100 / 3,
            "As a percentage this is right. As a share, with all weights summing to 1, it is 1/3.",
        ),
        Slip(
            "one-fifth",
            1 / 5,
            "1/5 is for five keys. Which of the six tokens stand at or before *sat*?",
        ),
    ),
    hints=(
        "How many keys may the third token attend to? It may attend to itself.",
        "Equal scores give equal weights, and these sum to 1 over the keys that are open.",
    ),
    reread=INFINITY,
)

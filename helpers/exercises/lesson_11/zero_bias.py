"""zero-bias, lesson 11: which of the four biases gets a gradient of exactly zero?"""

from helpers.exercises.kinds.choose import Choose

EXERCISE = Choose(
    name="zero-bias",
    task="Which of the four biases gets a gradient of zero, whatever the texts and the loss?",
    answer="b",
    options={
        "a": "A query that is moved by b_q meets each key with another result: q · k_j changes by b_q · "
        "k_j, which "
        "differs from key to key. So the weights change.",
        "b": "b_k adds q · b_k to *every* score of a query. Softmax does not see what all scores share, "
        "so the loss "
        "stays the same.",
        "c": "The weights of a row sum to 1, so b_v is added to every output as it is. The loss sees it.",
        "d": "b_o is added to every output as it is. The loss sees it.",
    },
    hints=(
        "Write the score with the bias: q · (k_j + b). Which part depends on j?",
        "Lesson 03: what happens to the weights if the same number is added to all scores of a row?",
    ),
    reread="11: Back through the projections",
)

"""bottleneck, lesson 07: why does the model with one vector fall further behind, the longer the word?"""

from helpers.exercises.kinds.choose import Choose

ONE_VECTOR = "07: Why attention replaced the single vector"
EXERCISE = Choose(
    name="bottleneck",
    task="Why does the model with one vector fall further behind, the longer the word?",
    answer="b",
    options={
        "a": "Both models have the same learned numbers, in size and count: a letter's row is computed from "
        "the word, not learned for it. What differs is which rows the cross attention may read.",
        "b": "The encoder reads all letters of the word in both models. But the decoder of this one gets a "
        "single row of 96 numbers, whether the word has 3 letters or 12. Attention has a row for each "
        "letter, and each step chooses among them anew.",
        "c": "Softmax over one key gives it the weight 1, whatever the score: a share of 1 with nobody to "
        "share it. What is read is not weak. It is the same at each step, and the query has no say.",
        "d": "It sees what it has written: the causal self-attention of the decoder is the same in both "
        "models. What it cannot do is look back at the letters.",
    },
    hints=(
        "At 3 letters both models are equally good. Which of the four would hurt short words just as much?",
        "Through how many numbers must a word of 12 letters pass, in each of the two models?",
    ),
    reread=ONE_VECTOR,
)

"""shuffle, lesson 04: Keys and values are shuffled together, the queries stay: what happens to the output?"""

from helpers.exercises.kinds.choose import Choose

SHUFFLE = "04: Shuffle the tokens"
EXERCISE = Choose(
    name="shuffle",
    task="Keys and values are shuffled together, the queries stay: what happens to the output?",
    answer="c",
    options={
        "a": "Rows of the output belong to queries, and the queries stay as they were. It is the "
        "columns of the weights that are shuffled, one for each key. What does a sum over the keys make of "
        "that?",
        "b": "Each query meets every key, and the order in which it meets them makes no difference: a weight "
        "depends on the scores alone, and moves along with its key.",
        "c": "Each weight moves along with its key, and its value has moved to the same place. The sum of "
        "weight times value has the same terms in another order. If the queries were shuffled as well, as "
        "in self-attention, the rows of the output would move along.",
        "d": "The entries of an output row are the d_v entries of the values, not keys. The pairs were "
        "shuffled, and no value was changed within itself.",
    },
    hints=(
        "Write the output of one query as a sum: weight of key 1 times value 1, and so on. Which terms "
        "change?",
        "Think of a dictionary on cards: does it give other answers once the cards are shuffled?",
    ),
    reread=SHUFFLE,
)

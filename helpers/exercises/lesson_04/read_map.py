"""read-map, lesson 04: what does one entry of a map of weights say?"""

from helpers.exercises.kinds.choose import Choose

MAP = "04: The cat sat on the mat"
EXERCISE = Choose(
    name="read-map",
    task="What does the weight 0.70 in the row of sat and the column of cat say?",
    answer="b",
    options={
        "a": "That would be the entry in the row of *cat* and the column of *sat*. Queries are rows: the row "
        "says who looks.",
        "b": "The row is the query, so *sat* looks, and 0.70 of its one unit of attention goes to *cat*. The "
        "output for *sat* is therefore 0.70 times the value of *cat*, plus what it reads elsewhere.",
        "c": "Similarity is mutual, and this number is not: the entry the other way round is 0.77. A weight "
        "says how much a query reads of a value, after it has been compared with all keys.",
        "d": "A column may sum to anything. Only rows sum to 1: each query spends one unit of attention.",
    },
    hints=(
        "The queries are down the side, the keys along the top. Who has one unit of attention to spend?",
        "Add up the row of sat, then the column of cat. Which of the two is 1?",
    ),
    reread=MAP,
)

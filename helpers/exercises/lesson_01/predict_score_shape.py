"""predict-score-shape, lesson 01: the shape of queries @ keys.T for queries (5, 4) and keys (7, 4)."""

from helpers.exercises.kinds.predict import Predict, Slip
from helpers.exercises.slips.matching import PAIRS

EXERCISE = Predict(
    name="predict-score-shape",
    task="The shape of queries @ keys.T for queries (5, 4) and keys (7, 4).",
    answer=(5, 7),
    because="Five queries, seven keys: one score for each pair. The four entries are summed away by the "
    "dot product.",
    slips=(
        Slip("transposed", (7, 5), "That is keys @ queries.T. Rows belong to queries, columns to keys."),
        Slip("d_k-kept", (5, 4), "The four entries of each vector are summed away: a score is one number."),
        Slip("keys-shape", (7, 4), "That is the shape of the keys. The scores have one row for each query."),
        Slip(
            "d_k-by-d_k",
            (4, 4),
            "That is queries.T @ keys, if it were allowed: it would match entries. Here words are matched "
            "with words.",
        ),
        Slip("one-row", (35,), "True: there are 35 scores. They stay in a table, one row for each query."),
        Slip(
            "three-axes",
            (5, 7, 4),
            "Those are the products before they are summed. The dot product adds the last axis up.",
        ),
        Slip(
            "d_k-between",
            (5, 4, 7),
            "Those are the products before they are summed. The two 4s in the middle meet and disappear.",
        ),
        Slip("by-row", (5,), "Each query meets all keys, not one: it gets a whole row of scores."),
        Slip("by-column", (7,), "Each key meets all queries, not one: it gets a whole column of scores."),
        Slip("joined", (12, 4), "That stacks the rows of both. Here every query meets every key."),
        Slip("keys.T", (4, 7), "That is keys.T itself. The product has the rows of queries."),
        Slip(
            "queries-twice",
            (5, 5),
            "That would be the queries with themselves. Each query meets the seven keys.",
        ),
        Slip(
            "keys-twice",
            (7, 7),
            "That would be the keys with themselves. The rows belong to the five queries.",
        ),
        Slip("one-score", (1,), "One score would be one query against one key. How many pairs are there?"),
    ),
    hints=(
        "In a product of matrices (a, b) and (b, c), which axis is summed away?",
        "keys.T has shape (4, 7).",
        "One score for each pair of a query and a key: how many rows, how many columns?",
    ),
    reread=PAIRS,
)

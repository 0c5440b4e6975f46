"""mask-rule, lesson 13: the rule of a mask for FlexAttention: texts packed into one row, causal in each."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.validation import Array

RULES = "13: Optional: a mask as a rule"


def _by_loops(batch: int, _head: int, query: Array, key: Array, text: Array) -> Array:
    row = text[batch]
    return np.array([[row[i] == row[j] and j <= i for j in key] for i in query[:, 0]], dtype=bool)


def _probe(kind: str, batch: int, head: int, *rows: tuple[int, ...], hard: bool = False) -> Probe:
    """For each row of the batch the lengths of its texts -> a probe that asks for one row and one head."""
    text = np.array([np.repeat(np.arange(len(row)), row) for row in rows])
    places = np.arange(text.shape[1])
    inputs = {"batch": batch, "head": head, "query": places[:, None], "key": places, "text": text}
    return Probe(kind, inputs, hard=hard)


def _own_token(inputs: Any, mask: Array, _call: Any) -> str:
    n = len(inputs["key"])
    own = mask.astype(bool).diagonal() if mask.shape == (n, n) else np.array([True])
    return "" if own.all() else f"In your mask token {np.argmin(own)} may not attend to itself. It should."


def my_rule(batch: int, head: int, query: Array, key: Array, text: Array) -> Array:
    """Numbers of a row of the batch and of a head; places of queries and keys; texts -> may attend?"""
    same_text = text[batch, query] == text[batch, key]
    return same_text & (key <= query)


EDITS = Edits(
    my_rule,
    {
        "same": "text[batch, query] == text[batch, key]",
        "of_query": "text[batch, query]",
        "of_key": "text[batch, key]",
        "causal": "key <= query",
        "rule": "same_text & (key <= query)",
    },
)
WORDS = {
    "both": "Both must hold: the key belongs to the query's own text, and is not later than the query.",
}
MISTAKES = EDITS.mistakes(
    """
causal-only
    you let a token attend to the texts before its own, too
    {both} They were packed into one row to save room, and have nothing to do with each other.
    | rule => (key <= query) & (same_text | True)
    | same => text[batch, key] <= text[batch, query]

not-causal
    you let a token attend to what comes later in its own text
    {both}
    | causal => key >= 0

either
    you joined the two conditions by "or"
    {both}
    | rule => same_text | causal

other-texts
    you let a token attend to the other texts, and not to its own
    True = may attend. {both}
    | same => text[batch, query] != text[batch, key]

the-future
    you let a token attend to itself and what is later, not to what came before
    key and query are places in the row: a key that is not later has key <= query.
    | causal => key >= query

own-token-hidden
    you let no token attend to itself
    Then the first token of a text has no key at all. A token may attend to itself: key <= query.
    | causal => key < query

first-row-for-all
    you looked up the texts of row 0 for every row of the batch
    Each row of the batch is packed in its own way: text[batch, place].
    | of_query => text[0, query]; of_key => text[0, key]

key-in-the-first-row
    you looked up one of the two texts in row 0 of the batch
    Query and key stand in the same row: text[batch, …] for both.
    | of_key => text[0, key]
    | of_query => text[0, query]

places-compared
    you compared the places of query and key, not their texts
    text[batch, query] is the number of the text that the token belongs to.
    | same => query == key

text-and-place-compared
    you compared the number of a text with the place of a token
    Look up both: text[batch, query] and text[batch, key].
    | of_key => key
    | of_query => query

batch-forgotten
    you looked up a place in `text` without saying in which row of the batch
    `text` has a row for each row of the batch, so text[query] asks for whole rows: text[batch, query].
    | of_query => text[query]; of_key => text[key]

and-before-equals
    you left out brackets, and & comes before == and <=
    Python reads a == b & c as a == (b & c). Put each comparison in brackets: (a == b) & (c <= d).
    | rule => text[batch, query] == text[batch, key] & (key <= query)
    | rule => (key <= query) & text[batch, query] == text[batch, key]
    | rule => key <= query & same_text
    | rule => query >= key & same_text
    | rule => same_text & key <= query
    | rule => same_text & query >= key

inverted
    you swapped True and False
    In FlexAttention's rule, as in attn_mask, True = may attend.
    | rule => ~(same_text & (key <= query))

to-be-added
    you returned 0 and −∞, to be added to the scores
    FlexAttention asks for True and False here. (What changes the score itself is its score_mod.)
    | result => np.where(it, 0.0, -np.inf)

""",
    RULES,
    words=WORDS,
)
EXERCISE = Write(
    name="mask-rule",
    answer=my_rule,
    task="The rule of a mask for FlexAttention: texts packed into one row, causal in each.",
    call="my_rule(batch, head, query, key, text)",
    right=_by_loops,
    recipe=EDITS.recipe(),
    probes=(
        _probe(EXAMPLE, 0, 0, (2, 2), (1, 3)),
        _probe("two texts in a row", 1, 0, (4, 1), (2, 3)),
        _probe("two texts of one length", 0, 1, (3, 3), (1, 5)),
        _probe("three rows of a batch", 2, 3, (3, 1, 3), (2, 5), (1, 2, 4)),
        _probe("four texts", 1, 2, (5, 1, 1, 1), (1, 3, 2, 2)),
        _probe("one text alone", 1, 5, (3, 3), (6,)),
        _probe("a batch of one row", 0, 1, (2, 1, 2), hard=True),
        _probe("a single token", 0, 4, (1,), hard=True),
    ),
    axes=("query", "key"),
    properties=(Property("own token", "every token may attend to itself", _own_token),),
    mistakes=MISTAKES,
    unseen="whether FlexAttention can compile it: no `if`, `and` or `or`, because query and key are then no "
    "numbers but stand for all places at once.",
    hints=(
        "Which text does the query's token belong to? text[batch, query]. And the key's?",
        "Two conditions: the same text, and a key that is not later. Write each of them as a comparison.",
        "Join them with & and put each comparison in brackets: (…) & (…).",
    ),
    explain="FlexAttention hands over the first four; `text` would be a tensor that the rule finds around "
    "it. create_block_mask asks the rule once for all pairs, and then skips every tile without a True.",
    reread=RULES,
)

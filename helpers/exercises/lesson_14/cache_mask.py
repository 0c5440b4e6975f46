"""cache-mask, lesson 14.

A cache that is filled in chunks: the output should be that of one causal pass over everything.
"""

from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, triple
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_14.shared import moves
from helpers.masking import causal_mask
from helpers.validation import Array

CACHE = "14: A cache for what was read"


def _one_pass(queries: Array, keys: Array, values: Array, _chunk: int) -> Array:
    return attention(queries, keys, values, causal_mask(len(queries), len(keys)))[0]


def _prefill_probe(
    kind: str, n_queries: int, n_keys: int, chunk: int, d_v: int, start: int, d_k: int = 4, hard: bool = False
) -> Probe:
    inputs = triple(n_queries=n_queries, n_keys=n_keys, d_k=d_k, d_v=d_v, start=start, apart=100)
    return Probe(kind, {**inputs, "chunk": chunk}, hard)


OF_TASK = {
    "queries": np.zeros((1, 2)),
    "keys": np.ones((3, 2)),
    "values": np.array([[3.0], [6.0], [12.0]]),
    "chunk": 1,
}


def _sees_the_past_only(inputs: Any, output: Array, call: Any) -> str:
    n_queries, n_keys = len(inputs["queries"]), len(inputs["keys"])
    if output.shape != (n_queries, inputs["values"].shape[-1]):
        return ""
    may_see = causal_mask(n_queries, n_keys)
    for key in range(n_keys):
        moved = moves(inputs, call, "values", key)
        if moved is None:
            return ""
        for query in np.flatnonzero(moved != may_see[:, key]):
            place = query + n_keys - n_queries
            token = f"Query {query} belongs to token {place}"
            if moved[query]:
                return f"{token}, and its output moves with the value of token {key}, which comes later."
            return f"{token}, and its output does not move with the value of token {key}, which it may see."
    return ""


def my_prefill(queries: Array, keys: Array, values: Array, chunk: int) -> Array:
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v), chunk -> output (n_queries, d_v), a chunk at a time."""
    outputs, n_cached = [], len(keys) - len(queries)
    for start in range(0, len(queries), chunk):
        new_queries = queries[start : start + chunk]
        n_cached += len(new_queries)
        mask = np.tri(len(new_queries), n_cached, n_cached - len(new_queries), dtype=bool)
        output, _ = attention(new_queries, keys[:n_cached], values[:n_cached], mask)
        outputs.append(output)
    return np.concatenate(outputs)


EDITS = Edits(
    my_prefill,
    {
        "before": "len(keys) - len(queries)",
        "starts": "range(0, len(queries), chunk)",
        "triangle": "np.tri(len(new_queries), n_cached, n_cached - len(new_queries), dtype=bool)",
        "mask": "np.tri(len(new_queries), n_cached, n_cached - len(new_queries), dtype=bool)",
        "shift": "n_cached - len(new_queries)",
        "counted": "len(new_queries) in shift",
        "of_keys": "keys[:n_cached]",
        "of_values": "values[:n_cached]",
        "seen": "of_keys + of_values",
        "append": "outputs.append(output)",
        "kept": "output in append",
    },
)
WORDS = {
    "lower_right": "The chunk's queries are the last tokens of the cache: its last query sees the whole "
    "cache, so the triangle ends in the lower right corner.",
}
MISTAKES = EDITS.mistakes(
    """
upper-left
    the triangle of each chunk starts in the upper left corner
    {lower_right}
    | shift => 0

start-only
    you took the queries for the first tokens, and did not count those read before the first chunk
    {lower_right}
    | shift => start
    | before => 0

same-for-every-chunk
    you moved the triangle by the same number of places in every chunk
    Later chunks have more tokens before them. {lower_right}
    | shift => len(keys) - len(queries)
    | shift => n_cached - start - len(new_queries)

chunk-counted-full
    you counted the last chunk as full, though it may be shorter
    {lower_right} Take len(new_queries), not `chunk`.
    | counted => chunk

one-step-ahead
    each query sees one token too many: the next one in its chunk
    The diagonal is the last key a query sees: a token may attend to itself and to what came before.
    | shift => it + 1

own-token-hidden
    each query misses its own token
    The chunk's keys are in the cache when its queries read, and a token may attend to itself.
    | shift => it - 1

no-mask
    within a chunk every query sees every key
    The cache holds nothing later than the chunk, but within the chunk some keys are later than some
    queries. That is where you need the triangle.
    | mask => None
    | shift => n_cached

future-too
    you read all the keys, even those of later chunks, and no mask hides them
    The cache holds only what has been appended: keys[:n_cached].
    | mask => None; of_keys => keys; of_values => values

wrong-side
    you moved the triangle to the wrong side
    {lower_right} A negative shift makes a query see fewer keys.
    | shift => -it

other-triangle
    the wrong triangle is True: queries see themselves and what is later
    A query may attend to keys at or before its own place.
    | mask => ~np.tri(len(new_queries), n_cached, shift - 1, dtype=bool)

inverted
    you swapped True and False
    True = may attend.
    | mask => ~it

diagonal-only
    each query sees its own token only
    A token may attend to itself and to all before it: that is what the cache is for.
    | mask => np.eye(len(new_queries), n_cached, shift, dtype=bool)

chunk-only
    a chunk sees its own keys only, and nothing that was read before
    The keys of all tokens so far are in the cache, keys[:n_cached], and a query may attend to them.
    | seen => it[-len(new_queries) :]; triangle => np.tri(len(new_queries), dtype=bool)
    | seen => it[-len(new_queries) :]; mask => None

old-keys-left-out
    the tokens that were read before the first chunk are left out
    Their keys and values lie in the cache, keys[:n_cached], and every query may attend to them.
    | seen => it[len(keys) - len(queries) :]; triangle => it[:, len(keys) - len(queries) :]

chunk-not-appended
    the chunk's own keys were not in the cache when its queries read
    First append the chunk's keys and values, then let its queries attend.
    | seen => it[: -len(new_queries)]; mask => None

tuple-kept
    you kept the two results of attention together
    attention returns output and weights as one tuple. Take them apart first: output, _ = attention(...).
    | kept => (output, _)

mask-of-floats
    the mask holds numbers, but a mask is made of True and False
    np.tri and np.ones give floats unless they are told dtype=bool. (A table of 0 and −∞ is for adding to
    the scores; attention makes that itself.)
    | mask => it.astype(float)
    | mask => it.astype(int)
    | mask => np.where(it, 0.0, -np.inf)

chunk-is-the-mask
    the mask has as many columns as the chunk has tokens
    There is a column for every key that the chunk's queries meet: all in the cache.
    | mask => np.tri(len(new_queries), dtype=bool)

cache-counted-full
    n_cached grew by a whole chunk each time, though the last chunk may be shorter
    Add the number of tokens that the chunk really holds: len(new_queries).
    | triangle => np.tri(len(new_queries), len(keys) - len(queries) + start + chunk, shift, dtype=bool)

steps-of-one
    the loop moves on by one query instead of a whole chunk, so queries are answered twice
    range(0, len(queries), chunk) goes from chunk to chunk.
    | starts => range(len(queries))

newest-of-all
    you treated every chunk as the newest tokens of all, with all keys in the cache
    Each chunk sees what has been read up to its own end. Later chunks are not in the cache yet.
    | of_keys => keys; of_values => values; mask => causal_mask(len(new_queries), len(keys))

triangle-first
    the triangle covers the oldest tokens, and the chunk's own are open
    Every query of the chunk may see the tokens that were read before. Only among the chunk's own tokens
    are some later.
    | mask => np.tri(len(new_queries), n_cached, dtype=bool) | (np.arange(n_cached) >= len(new_queries))

never-scaled
    you never scaled the scores
    The helper attention divides by √d_k.
    | queries => queries * np.sqrt(queries.shape[-1])

divided-by-d_k
    you divided the scores by d_k
    The helper attention divides by its root, √d_k.
    | queries => queries / np.sqrt(queries.shape[-1])

mask-transposed
    you transposed the mask
    Rows are queries, columns are keys: (len(new_queries), n_cached).
    | mask => it.T

last-chunk-only
    only the last chunk's output came back
    Every chunk's rows belong to the output: collect them, and join them at the end.
    | result => outputs[-1]

first-chunk-only
    only the first chunk's output came back
    Every chunk's rows belong to the output. Does `return` stand inside the loop?
    | result => outputs[0]

order-turned
    you joined the chunks' outputs in the wrong order
    Append each chunk's rows at the end.
    | result => np.concatenate(outputs[::-1])

shorter-chunk-lost
    you left out the queries of a shorter last chunk
    range(0, len(queries), chunk) goes through all the starts, and a slice past the end is simply shorter.
    | starts => range(0, len(queries) - chunk + 1, chunk)
""",
    CACHE,
    words=WORDS,
)
EXERCISE = Mend(
    name="cache-mask",
    answer=my_prefill,
    bug=EDITS.bug("mask => np.tri(len(new_queries), n_cached, dtype=bool)"),
    task="A cache that is filled in chunks: the output should be that of one causal pass over everything.",
    call="my_prefill(queries, keys, values, chunk)",
    right=_one_pass,
    recipe=EDITS.recipe(),
    given="upper-left",
    symptom="with one query and three keys, the mask of the chunk is True False False: the newest token "
    "sees the oldest one but not itself.",
    probes=(
        _prefill_probe("tokens before, and two chunks", 3, 5, 2, 6, start=81),
        Probe(EXAMPLE, OF_TASK, True),
        _prefill_probe("one new token at a time", 3, 5, 1, 2, start=82),
        _prefill_probe("all new tokens in one chunk", 3, 7, 3, 5, start=83),
        _prefill_probe("a chunk that is longer than what is new", 2, 5, 8, 3, start=84),
        _prefill_probe("a shorter last chunk", 5, 8, 3, 2, start=85),
        _prefill_probe("one token before", 6, 7, 2, 3, start=86),
        _prefill_probe("many chunks", 7, 11, 2, 5, start=87),
        _prefill_probe("a single token", 1, 1, 2, 3, start=181, d_k=3, hard=True),
        _prefill_probe("d_k 1 and d_v 1", 4, 6, 3, 1, start=182, d_k=1, hard=True),
    ),
    axes=("query", "entry"),
    properties=(
        Property("causal", "each query sees all up to itself, and nothing later", _sees_the_past_only),
    ),
    mistakes=MISTAKES,
    unseen="whether the queries are still answered a chunk at a time, each from a cache that holds nothing "
    "later.",
    hints=(
        "Print the mask of the second chunk. Which key is the newest query's own, and is it True there?",
        "n_cached − len(new_queries) tokens come before the chunk. Each of its queries may see all of them.",
        "np.tri(rows, columns, k) moves its diagonal by k places to the right. Lesson 05's causal_mask does "
        "that for you.",
    ),
    explain="The chunk's queries are the last tokens of the cache, so the diagonal ends in the lower right "
    "corner: move it by the number of tokens before the chunk. causal_mask(len(new_queries), "
    "n_cached) is the same mask, and KVCache in helpers/streaming.py does it without one.",
    reread=CACHE,
)

"""cache-mask, lesson 12.

A cache that is filled in chunks: the output should be that of one causal pass over everything.
"""

from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_12.shared import Step, moves
from helpers.masking import Mask, causal_mask
from helpers.validation import Array

CACHE = "12: A cache for what was read"


def _one_pass(queries: Array, keys: Array, values: Array, _chunk: int) -> Array:
    return attention(queries, keys, values, causal_mask(len(queries), len(keys)))[0]


def _places_of(n_new: int, n_cached: int, start: int, before: int) -> Array:
    """The places of the new tokens among all."""
    return np.arange(n_new)[:, None] + n_cached - n_new


def _not_later(seen: Array, places: Array) -> Mask:
    return seen <= places


def _all_so_far(n_cached: int, n_new: int, n_keys: int) -> slice:
    return slice(0, n_cached)


def _chunks(n: int, chunk: int) -> list[slice]:
    return [slice(start, min(start + chunk, n)) for start in range(0, n, chunk)]


def _attend(queries: Array, keys: Array, values: Array, mask: Mask) -> Array:
    return attention(queries, keys, values, mask)[0]


def _prefill_by_choices(
    queries: Array, keys: Array, values: Array, chunk: int, *, places: Step = _places_of,
    allow: Step = _not_later, cached: Step = _all_so_far, before: Step = lambda q, k: k - q,
    attend: Step = _attend, chunks: Step = _chunks, join: Step = np.concatenate,
    counted: Step = lambda n_new, chunk: n_new, grow: Step = lambda n_new, chunk: n_new,
) -> Any:  # fmt: skip
    outputs, n_cached = [], before(len(queries), len(keys))
    for part in chunks(len(queries), chunk):
        new = queries[part]
        n_cached += grow(len(new), chunk)
        kept = cached(n_cached, len(new), len(keys))
        seen = np.arange(kept.stop - kept.start)
        ahead = len(new) - counted(len(new), chunk)
        mask = allow(seen, places(len(new), n_cached + ahead, part.start, len(keys) - len(queries)))
        outputs.append(attend(new, keys[kept], values[kept], mask))
    return join(outputs)


def _open(seen: Array, places: Array) -> Mask:
    return seen + 0 * places >= 0


def _prefill_probe(kind: str, n_queries: int, n_keys: int, chunk: int, d_v: int, start: int) -> Probe:
    return Probe(
        kind,
        {
            "queries": numbers(n_queries, 4, start=start),
            "keys": numbers(n_keys, 4, start=start + 100),
            "values": numbers(n_keys, d_v, start=start + 200),
            "chunk": chunk,
        },
    )


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


_LOWER_RIGHT = (
    "The chunk's queries are the last tokens of the cache: its last query sees the whole cache, so that the "
    "triangle ends in the lower right corner."
)


def bug(queries: Array, keys: Array, values: Array, chunk: int) -> Array:
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v), chunk -> output, wrong: masks begin upper left."""
    outputs, n_cached = [], len(keys) - len(queries)
    for start in range(0, len(queries), chunk):
        new_queries = queries[start : start + chunk]
        n_cached += len(new_queries)
        mask = np.tri(len(new_queries), n_cached, dtype=bool)
        output, _ = attention(new_queries, keys[:n_cached], values[:n_cached], mask)
        outputs.append(output)
    return np.concatenate(outputs)


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


EXERCISE = Mend(
    name="cache-mask",
    answer=my_prefill,
    bug=bug,
    task="A cache that is filled in chunks: the output should be that of one causal pass over everything.",
    call="my_prefill(queries, keys, values, chunk)",
    right=_one_pass,
    recipe=_prefill_by_choices,
    given="upper-left",
    symptom="with one query and three keys, the mask of the chunk is True False False: the newest token "
    "sees the oldest one, and not itself.",
    probes=(
        _prefill_probe("tokens before, and two chunks", 3, 5, 2, 6, start=81),
        _prefill_probe("one new token at a time", 3, 5, 1, 2, start=82),
        _prefill_probe("all new tokens in one chunk", 3, 7, 3, 5, start=83),
        _prefill_probe("a chunk that is longer than what is new", 2, 5, 8, 3, start=84),
        _prefill_probe("a shorter last chunk", 5, 8, 3, 2, start=85),
        _prefill_probe("one token before", 6, 7, 2, 3, start=86),
        _prefill_probe("many chunks", 7, 11, 2, 5, start=87),
    ),
    axes=("query", "entry"),
    properties=(
        Property("causal", "each query sees all up to itself, and nothing later", _sees_the_past_only),
    ),
    mistakes=(
        Mistake(
            "upper-left",
            "the triangle of each chunk starts in the upper left corner",
            _LOWER_RIGHT,
            CACHE,
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None],
        ),
        Mistake(
            "start-only",
            "the queries were taken for the first tokens: those that were read before the first chunk are "
            "not "
            "counted",
            _LOWER_RIGHT,
            CACHE,
            also=[{"before": lambda n_queries, n_keys: 0}],
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + start,
        ),
        Mistake(
            "same-for-every-chunk",
            "the triangle was moved by the same number of places in every chunk",
            f"Later chunks have more tokens before them. {_LOWER_RIGHT}",
            CACHE,
            also=[
                {
                    "places": lambda n_new, n_cached, start, before: (
                        np.arange(n_new)[:, None] + n_cached - start - n_new
                    )
                }
            ],
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + before,
        ),
        Mistake(
            "chunk-counted-full",
            "the last chunk was counted as full, and it may be shorter",
            f"{_LOWER_RIGHT} Take len(new_queries), not `chunk`.",
            CACHE,
            counted=lambda n_new, chunk: chunk,
        ),
        Mistake(
            "one-step-ahead",
            "each query sees one token too many, the next one of its chunk",
            "The diagonal is the last that is seen: a token may attend to itself and to what came before.",
            CACHE,
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + n_cached - n_new + 1,
        ),
        Mistake(
            "own-token-hidden",
            "each query misses its own token",
            "The chunk's keys are in the cache when its queries read, and a token may attend to itself.",
            CACHE,
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + n_cached - n_new - 1,
        ),
        Mistake(
            "no-mask",
            "within a chunk every query sees every key",
            "The cache holds nothing later than the chunk, but within the chunk some keys are later than "
            "some queries: there the triangle is needed.",
            CACHE,
            also=[{"places": lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] + n_cached}],
            allow=_open,
        ),
        Mistake(
            "future-too",
            "all keys were read, those of later chunks too, and no mask hides them",
            "The cache holds only what has been appended: keys[:n_cached].",
            CACHE,
            allow=_open,
            cached=lambda n_cached, n_new, n_keys: slice(0, n_keys),
        ),
        Mistake(
            "wrong-side",
            "the triangle was moved to the wrong side",
            f"{_LOWER_RIGHT} A negative shift makes a query see fewer keys.",
            CACHE,
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None] - (n_cached - n_new),
        ),
        Mistake(
            "other-triangle",
            "the other triangle is True: queries see themselves and what is later",
            "A query may attend to keys at or before its own place.",
            CACHE,
            allow=lambda seen, places: seen >= places,
        ),
        Mistake(
            "inverted",
            "True and False changed places",
            "True = may attend.",
            CACHE,
            allow=lambda seen, places: seen > places,
        ),
        Mistake(
            "diagonal-only",
            "each query sees its own token only",
            "A token may attend to itself and to all before it: that is what the cache is for.",
            CACHE,
            allow=lambda seen, places: seen == places,
        ),
        Mistake(
            "chunk-only",
            "a chunk sees its own keys only, and nothing that was read before",
            "The keys of all tokens so far are in the cache, keys[:n_cached], and a query may attend to "
            "them.",
            CACHE,
            also=[
                {"cached": lambda n_cached, n_new, n_keys: slice(n_cached - n_new, n_cached), "allow": _open}
            ],
            cached=lambda n_cached, n_new, n_keys: slice(n_cached - n_new, n_cached),
            places=lambda n_new, n_cached, start, before: np.arange(n_new)[:, None],
        ),
        Mistake(
            "chunk-not-appended",
            "the chunk's own keys were not in the cache when its queries read",
            "First append the chunk's keys and values, then let its queries attend.",
            CACHE,
            cached=lambda n_cached, n_new, n_keys: slice(0, n_cached - n_new),
            allow=_open,
        ),
        Mistake(
            "tuple-kept",
            "the two results of attention were kept together",
            "attention returns output and weights as one tuple. Take them apart first: output, _ = "
            "attention(...).",
            CACHE,
            attend=attention,
        ),
        Mistake(
            "mask-of-floats",
            "the mask holds numbers, and a mask is made of True and False",
            "np.tri and np.ones give floats unless they are told dtype=bool. (A table of 0 and −∞ is for "
            "adding "
            "to the scores, and attention makes it by itself.)",
            CACHE,
            also=[
                {"allow": lambda seen, places: (seen <= places).astype(int)},
                {"allow": lambda seen, places: np.where(seen <= places, 0.0, -np.inf)},
            ],
            allow=lambda seen, places: (seen <= places).astype(float),
        ),
        Mistake(
            "chunk-is-the-mask",
            "the mask has as many columns as the chunk has tokens",
            "There is a column for every key that the chunk's queries meet: all in the cache.",
            CACHE,
            allow=lambda seen, places: np.tri(len(places), dtype=bool),
        ),
        Mistake(
            "cache-counted-full",
            "n_cached grew by a whole chunk each time, and the last chunk may be shorter",
            "As many tokens come in as the chunk holds: len(new_queries).",
            CACHE,
            grow=lambda n_new, chunk: chunk,
        ),
        Mistake(
            "steps-of-one",
            "the loop moves on by one query, and not by a whole chunk: queries are answered twice",
            "range(0, len(queries), chunk) goes from chunk to chunk.",
            CACHE,
            chunks=lambda n, chunk: [slice(start, start + chunk) for start in range(n)],
        ),
        Mistake(
            "newest-of-all",
            "every chunk was taken for the newest of all tokens, with all keys in the cache",
            "Each chunk sees what has been read up to its own end. Later chunks are not in the cache yet.",
            CACHE,
            cached=lambda n_cached, n_new, n_keys: slice(0, n_keys),
            allow=lambda seen, places: seen <= np.arange(len(places))[:, None] + len(seen) - len(places),
        ),
        Mistake(
            "triangle-first",
            "the triangle stands over the oldest tokens, and the chunk's own are open",
            "The tokens that were read before may be seen by every query of the chunk. It is the chunk's own "
            "tokens of which some are later.",
            CACHE,
            allow=lambda seen, places: (seen <= np.arange(len(places))[:, None]) | (seen >= len(places)),
        ),
        Mistake(
            "mask-transposed",
            "the mask was transposed",
            "Rows are queries, columns are keys: (len(new_queries), n_cached).",
            CACHE,
            allow=lambda seen, places: (seen <= places).T,
        ),
        Mistake(
            "last-chunk-only",
            "only the last chunk's output came back",
            "Every chunk's rows belong to the output: collect them, and join them at the end.",
            CACHE,
            join=lambda outputs: outputs[-1],
        ),
        Mistake(
            "first-chunk-only",
            "only the first chunk's output came back",
            "Every chunk's rows belong to the output. Does `return` stand inside the loop?",
            CACHE,
            join=lambda outputs: outputs[0],
        ),
        Mistake(
            "order-turned",
            "the chunks' outputs were joined in the wrong order",
            "Append each chunk's rows at the end.",
            CACHE,
            join=lambda outputs: np.concatenate(outputs[::-1]),
        ),
        Mistake(
            "shorter-chunk-lost",
            "the queries of a shorter last chunk were left out",
            "range(0, len(queries), chunk) goes through all starts, and a slice past the end is shorter.",
            CACHE,
            chunks=lambda n, chunk: [slice(start, start + chunk) for start in range(0, n - chunk + 1, chunk)],
        ),
    ),
    unseen="whether the queries are still answered a chunk at a time, each from a cache that holds nothing "
    "later.",
    hints=(
        "Print the mask of the second chunk. Which key is the newest query's own, and is it True there?",
        "n_cached − len(new_queries) tokens stand before the chunk. Each of its queries may see all of them.",
        "np.tri(rows, columns, k) moves its diagonal by k places to the right. So does causal_mask of "
        "lesson 05, by itself.",
    ),
    explain="The chunk's queries are the last tokens of the cache, so that the diagonal ends in the "
    "lower right corner: it is moved by the number of tokens before the chunk. "
    "causal_mask(len(new_queries), n_cached) is the same mask, and KVCache in helpers/streaming.py does "
    "it without one.",
    reread=CACHE,
)

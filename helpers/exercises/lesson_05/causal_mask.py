"""causal-mask, lesson 05: True where a query may attend to a key; the queries are the last tokens."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_05.shared import to_add, unchanged
from helpers.exercises.slips.hiding import ATTEND, INFINITY, POLARITY, TURNED, Step
from helpers.masking import Mask, causal_mask
from helpers.validation import Array


def _lower_right(n_queries: int, n_keys: int) -> int:
    return n_keys - n_queries


def _asked_shape(n_queries: int, n_keys: int) -> tuple[int, int]:
    return n_queries, n_keys


def _not_later(keys: Array, queries: Array) -> Mask:
    return keys <= queries


def _mask_by_choices(
    n_queries: int, n_keys: int, *, offset: Step = _lower_right, shape: Step = _asked_shape, step: int = 0,
    compare: Step = _not_later, polarity: Step = unchanged, form: Step = unchanged,
) -> Any:  # fmt: skip
    rows, columns = shape(n_queries, n_keys)
    positions = np.arange(rows)[:, None] + offset(n_queries, n_keys) + step
    return form(polarity(compare(np.arange(columns), positions)))


def _last_query_sees_all(inputs: Any, mask: Array, _call: Any) -> str:
    if mask.shape != (inputs["n_queries"], inputs["n_keys"]) or mask[-1].all():
        return ""
    row = " ".join(str(bool(entry)) for entry in mask[-1])
    last = f"The last query, {len(mask) - 1}, belongs to the last token, so that it may attend to every key"
    return f"{last}; its row in your mask is {row}."


def my_causal_mask(n_queries: int, n_keys: int) -> Array:
    """n_queries, n_keys -> (n_queries, n_keys) of True and False; the queries are the last tokens."""
    positions = np.arange(n_queries) + n_keys - n_queries
    return np.arange(n_keys) <= positions[:, None]


EXERCISE = Write(
    name="causal-mask",
    answer=my_causal_mask,
    task="True where a query may attend to a key; the queries are the last tokens.",
    call="my_causal_mask(n_queries, n_keys)",
    right=causal_mask,
    recipe=_mask_by_choices,
    probes=tuple(
        Probe(kind, {"n_queries": n_queries, "n_keys": n_keys})
        for kind, n_queries, n_keys in (
            ("the last two of three tokens", 2, 3),
            ("as many queries as keys", 3, 3),
            ("as many queries as keys", 6, 6),
            ("one new token", 1, 5),
            ("the last few tokens", 3, 8),
            ("the last few tokens", 4, 5),
            ("one token alone", 1, 1),
        )
    ),
    properties=(Property("last query", "the last query may attend to every key", _last_query_sees_all),),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "upper-left",
            "the triangle starts in the upper left corner: the queries were taken for the first tokens",
            "They are the last n_queries tokens. Query 0 stands at position n_keys − n_queries, and sees all "
            "before it: the triangle is aligned to the lower right.",
            INFINITY,
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "offset-turned",
            "the triangle was moved to the wrong side",
            "Query 0 stands at position n_keys − n_queries, which is 0 or more: it sees more keys, not "
            "fewer.",
            INFINITY,
            offset=lambda n_queries, n_keys: n_queries - n_keys,
        ),
        Mistake(
            "one-step-ahead",
            "each query sees one token too many, the next one",
            "The diagonal is the last that is seen: a token may attend to itself and to what came before.",
            INFINITY,
            step=1,
        ),
        Mistake(
            "two-steps-ahead",
            "each query sees the two tokens after it",
            "The diagonal is the last that is seen: a token may attend to itself and to what came before.",
            INFINITY,
            step=2,
        ),
        Mistake(
            "own-token-hidden",
            "each query misses its own token",
            "A token may attend to itself: the diagonal is True. Otherwise the first token would have no "
            "key.",
            INFINITY,
            step=-1,
        ),
        Mistake(
            "other-triangle",
            "the other triangle is True: each query sees itself and the future",
            "Rows are queries. A query may attend to the keys at its left: the lower triangle is True.",
            TURNED,
            compare=lambda keys, queries: keys >= queries,
        ),
        Mistake(
            "own-token-only",
            "each query sees its own token only",
            "A token may attend to itself and to all tokens before it.",
            INFINITY,
            compare=lambda keys, queries: keys == queries,
        ),
        Mistake(
            "one-token-back-only",
            "each query sees its own token and the one before, and no further",
            "A token may attend to itself and to *all* tokens before it.",
            INFINITY,
            compare=lambda keys, queries: (keys == queries) | (keys == queries - 1),
        ),
        Mistake(
            "everything-open",
            "every query sees every key",
            "That hides nothing. Only the last query may attend to every key.",
            INFINITY,
            compare=lambda keys, queries: keys + 0 * queries >= 0,
        ),
        Mistake(
            "everything-hidden",
            "no query sees any key",
            "Start from an array of False, and set True what may be attended to. Is it ever set?",
            INFINITY,
            compare=lambda keys, queries: keys + 0 * queries < 0,
        ),
        Mistake(
            "inverted",
            "True and False changed places: the future is True",
            f"{ATTEND} Some programs mark what is hidden; here it is False.",
            POLARITY,
            polarity=np.logical_not,
        ),
        Mistake(
            "square-of-queries",
            "the mask has as many columns as queries",
            "Each query meets every key: there is a column for each of the n_keys tokens.",
            INFINITY,
            shape=lambda n_queries, n_keys: (n_queries, n_queries),
            also=[{"shape": lambda n_queries, n_keys: (n_queries, n_queries), "offset": lambda q, k: 0}],
        ),
        Mistake(
            "square-of-keys",
            "the mask has a row for every token",
            "Only the last n_queries tokens are queries, and each row belongs to a query.",
            INFINITY,
            shape=lambda n_queries, n_keys: (n_keys, n_keys),
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "transposed",
            "the mask is turned: its columns belong to queries",
            "Rows are queries, columns are keys: the shape is (n_queries, n_keys).",
            TURNED,
            form=np.transpose,
        ),
        Mistake(
            "sizes-swapped",
            "the two sizes changed places: the mask has a row for each key and a column for each query",
            "Rows are queries, so that n_queries comes first: np.tri(n_queries, n_keys, …). And of a square "
            "[-n_queries:] takes the last rows.",
            TURNED,
            also=[
                {
                    "shape": lambda n_queries, n_keys: (n_keys, n_queries),
                    "offset": lambda n_queries, n_keys: 0,
                    "form": unchanged,
                    "compare": _not_later,
                },
                {
                    "shape": lambda n_queries, n_keys: (n_keys, n_queries),
                    "offset": lambda n_queries, n_keys: n_queries - n_keys,
                    "form": unchanged,
                    "compare": _not_later,
                },
            ],
            shape=lambda n_queries, n_keys: (n_keys, n_queries),
            form=unchanged,  # no pairs with mistakes that turn it as well
            compare=_not_later,
        ),
        Mistake(
            "to-be-added",
            "the result holds 0 and −∞, to be added to the scores",
            f"That is the next step. The mask itself says who may attend: {ATTEND}",
            INFINITY,
            also=[
                {"form": lambda mask: np.where(mask, 0.0, -1e9)},
                {"form": lambda mask: np.where(mask, 1.0, -np.inf)},
            ],
            form=to_add,
        ),
        Mistake(
            "nan-on-the-way",
            "0 was multiplied by −∞, which is nan",
            f"Choose with np.where in place of multiplying. And the mask itself holds no −∞: {ATTEND}",
            INFINITY,
            form=lambda mask: (1 - mask) * -np.inf,
        ),
    ),
    hints=(
        "Number the keys 0, 1, 2, … At which positions do the queries stand, if the last query is the last "
        "token?",
        "Query i stands at position i + n_keys − n_queries, and may attend to keys up to that position.",
        "Compare np.arange(n_keys), a row, with the positions as a column: [:, None] makes one.",
    ),
    explain="A key is open where its position is not later than that of the query. np.tri(n_queries, n_keys, "
    "n_keys - n_queries) == 1 gives the same.",
    reread=INFINITY,
)

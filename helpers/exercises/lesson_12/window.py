"""window, lesson 12: True for the last `window` keys up to each query; the queries are the last tokens."""

from typing import Any, NamedTuple

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_12.shared import Step
from helpers.masking import Mask
from helpers.streaming import window_mask
from helpers.validation import Array

WINDOW = "12: A window"


def _last_places(n_queries: int, n_keys: int) -> int:
    return n_keys - n_queries


def _asked_shape(n_queries: int, n_keys: int) -> tuple[int, int]:
    return n_queries, n_keys


def _not_after(distance: Array, _window: int) -> Mask:
    return distance >= 0


def _near(distance: Array, window: int) -> Mask:
    return distance < window


def _as_is(mask: Mask) -> Any:
    return mask


class _Grid(NamedTuple):
    """What a window may be made of: sizes, what is asked for, and the places of the queries, a column."""

    rows: int
    columns: int
    window: int
    causal: Step
    near: Step
    places: Array

    @property
    def keys(self) -> Array:
        return np.arange(self.columns)


def _by_distance(grid: _Grid) -> Mask:
    distance = grid.places - grid.keys
    return np.asarray(grid.causal(distance, grid.window) & grid.near(distance, grid.window))


def _window_by_choices(
    n_queries: int, n_keys: int, window: int, *, offset: Step = _last_places, shape: Step = _asked_shape,
    causal: Step = _not_after, near: Step = _near, shift: int = 0, polarity: Step = _as_is,
    form: Step = _as_is, build: Step = _by_distance,
) -> Any:  # fmt: skip
    rows, columns = shape(n_queries, n_keys)
    places = np.arange(rows)[:, None] + offset(n_queries, n_keys) + shift
    return form(polarity(build(_Grid(rows, columns, window, causal, near, places))))


def _by_slices(start: Step, stop: Step) -> Step:
    """A row at a time: mask[query, start : stop] = True."""

    def build(grid: _Grid) -> Mask:
        mask = np.zeros((grid.rows, grid.columns), dtype=bool)
        for query, place in enumerate(grid.places[:, 0]):
            mask[query, start(place, grid.window) : stop(place, grid.window)] = True
        return mask

    return build


def _same_block(grid: _Grid) -> Mask:
    return np.asarray(grid.places // grid.window == grid.keys // grid.window)


def _full_window(grid: _Grid) -> Mask:
    start = np.maximum(0, grid.places - grid.window + 1)
    return (grid.keys >= start) & (grid.keys < start + grid.window)


def _all(distance: Array, _window: int) -> Mask:
    return np.ones(distance.shape, dtype=bool)


def _own_key_open(inputs: Any, mask: Array, _call: Any) -> str:
    n_queries, n_keys = inputs["n_queries"], inputs["n_keys"]
    if mask.shape != (n_queries, n_keys):
        return ""
    own = mask[np.arange(n_queries), np.arange(n_queries) + n_keys - n_queries].astype(bool)
    if own.all():
        return ""
    query = int(np.argmin(own))
    return (
        f"Query {query} belongs to token {query + n_keys - n_queries}, and may attend to that key: its own."
    )


def _at_most_window(inputs: Any, mask: Array, _call: Any) -> str:
    if mask.shape != (inputs["n_queries"], inputs["n_keys"]):
        return ""
    counts = mask.astype(bool).sum(axis=-1)
    places = np.arange(inputs["n_queries"]) + inputs["n_keys"] - inputs["n_queries"]
    wanted = np.minimum(inputs["window"], places + 1)
    if (counts == wanted).all():
        return ""
    query = int(np.argmax(counts != wanted))
    keys = "1 key" if wanted[query] == 1 else f"{wanted[query]} keys"
    seen = f"in your mask it sees {counts[query]}"
    return f"Query {query} should see {keys}, with window {inputs['window']}; {seen}."


_COUNT = "The query's own key is one of the window: it sees itself and the window − 1 before it."


def my_window(n_queries: int, n_keys: int, window: int) -> Array:
    """n_queries, n_keys, window -> (n_queries, n_keys): True for the last `window` keys up to each query."""
    positions = np.arange(n_queries)[:, None] + n_keys - n_queries
    keys = np.arange(n_keys)
    return (keys <= positions) & (keys > positions - window)


EXERCISE = Write(
    name="window",
    answer=my_window,
    task="True for the last `window` keys up to each query; the queries are the last tokens.",
    call="my_window(n_queries, n_keys, window)",
    right=window_mask,
    recipe=_window_by_choices,
    probes=tuple(
        Probe(kind, {"n_queries": n_queries, "n_keys": n_keys, "window": window})
        for kind, n_queries, n_keys, window in (
            ("the last two of five tokens", 2, 5, 3),
            ("as many queries as keys", 5, 5, 2),
            ("as many queries as keys", 6, 6, 3),
            ("a window of one key", 3, 4, 1),
            ("one new token", 1, 6, 3),
            ("a window that is wider than the text", 4, 6, 9),
            ("the last few tokens", 4, 9, 4),
            ("the last few tokens", 5, 8, 2),
        )
    ),
    axes=("query", "key"),
    properties=(
        Property("own key", "each query sees its own key", _own_key_open),
        Property("how many", "each query sees `window` keys, or all there are", _at_most_window),
    ),
    mistakes=(
        Mistake(
            "one-too-many",
            "each query sees one key too many at the left",
            _COUNT,
            WINDOW,
            near=lambda distance, window: distance <= window,
        ),
        Mistake(
            "one-too-few",
            "each query sees one key too few at the left",
            _COUNT,
            WINDOW,
            near=lambda distance, window: distance < window - 1,
        ),
        Mistake(
            "not-causal",
            "nothing hides the future",
            "A window looks back: a key is open where it is not later than the query and one of the last "
            "`window`.",
            WINDOW,
            causal=_all,
        ),
        Mistake(
            "both-sides",
            "the window reaches as far into the future as into the past",
            "A window looks back: itself and what came before.",
            WINDOW,
            also=[{"causal": _all, "near": lambda distance, window: abs(distance) <= window}],
            causal=_all,
            near=lambda distance, window: abs(distance) < window,
        ),
        Mistake(
            "half-on-each-side",
            "half of the window lies in the future",
            "A window looks back: itself and the window − 1 keys before it.",
            WINDOW,
            also=[{"causal": _all, "near": lambda distance, window: abs(distance) < window / 2}],
            causal=_all,
            near=lambda distance, window: abs(distance) <= window // 2,
        ),
        Mistake(
            "looks-ahead",
            "the window looks ahead: each query sees itself and what comes next",
            "A window looks back: itself and what came before. Rows are queries.",
            WINDOW,
            also=[{"causal": lambda d, w: d <= 0, "near": lambda d, w: -d <= w}],
            causal=lambda distance, window: distance <= 0,
            near=lambda distance, window: -distance < window,
        ),
        Mistake(
            "no-window",
            "only the future is hidden: every query sees its whole past",
            "A key more than window − 1 places before the query is hidden, too.",
            WINDOW,
            near=_all,
        ),
        Mistake(
            "far-past-only",
            "each query sees what lies before its window, and not the window itself",
            "The window is what stays open: the last `window` keys.",
            WINDOW,
            also=[{"near": lambda distance, window: distance > window}],
            near=lambda distance, window: distance >= window,
        ),
        Mistake(
            "one-distance",
            "each query sees a single key",
            "The window is a run of keys: all distances from 0 to window − 1.",
            WINDOW,
            also=[
                {"near": lambda distance, window: distance == window - 1},
                {"near": lambda distance, window: distance == window},
            ],
            near=lambda distance, window: distance == 0,
        ),
        Mistake(
            "own-key-hidden",
            "each query misses its own key",
            _COUNT,
            WINDOW,
            also=[{"causal": lambda distance, window: distance > 0}],
            causal=lambda distance, window: distance > 0,
            near=lambda distance, window: distance <= window,
        ),
        Mistake(
            "one-step-ahead",
            "the window of each query ends one key too late",
            "The query's own key is the last that it sees.",
            WINDOW,
            also=[{"causal": lambda distance, window: distance >= -1}],
            shift=1,
        ),
        Mistake(
            "upper-left",
            "the queries were taken for the first tokens",
            "The queries are the last n_queries tokens: query 0 stands at place n_keys − n_queries.",
            WINDOW,
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "offset-turned",
            "the places of the queries were moved to the wrong side",
            "Query 0 stands at place n_keys − n_queries, which is 0 or more.",
            WINDOW,
            offset=lambda n_queries, n_keys: n_queries - n_keys,
        ),
        Mistake(
            "inverted", "True and False changed places", "True = may attend.", WINDOW, polarity=np.logical_not
        ),
        Mistake(
            "last-keys-for-all",
            "every query sees the last keys of the text",
            "Each query has a window of its own, which ends at its own token.",
            WINDOW,
            also=[
                {
                    "build": lambda grid: (
                        grid.causal(grid.places - grid.keys, grid.window)
                        & (grid.keys >= grid.columns - grid.window)
                    )
                }
            ],
            build=lambda grid: grid.keys + 0 * grid.places >= grid.columns - grid.window,
        ),
        Mistake(
            "first-keys-for-all",
            "every query sees the first keys of the text",
            "Each query has a window of its own, which ends at its own token.",
            WINDOW,
            also=[
                {
                    "build": lambda grid: (
                        grid.causal(grid.places - grid.keys, grid.window) & (grid.keys < grid.window)
                    )
                }
            ],
            build=lambda grid: grid.keys + 0 * grid.places < grid.window,
        ),
        Mistake(
            "blocks",
            "the text was cut into blocks of `window` tokens, and each query sees its own block up to itself",
            "A window slides: it ends at the query's own token, and moves on by one with each query.",
            WINDOW,
            build=lambda grid: grid.causal(grid.places - grid.keys, grid.window) & _same_block(grid),
        ),
        Mistake(
            "whole-blocks",
            "the text was cut into blocks of `window` tokens, and each query sees the whole of its own, "
            "later "
            "tokens too",
            "A window slides: it ends at the query's own token, and moves on by one with each query.",
            WINDOW,
            build=lambda grid: _same_block(grid),
        ),
        Mistake(
            "parameters-swapped",
            "the two counts were taken in the other order",
            "The function is called with n_queries first: my_window(n_queries, n_keys, window).",
            WINDOW,
            shape=lambda n_queries, n_keys: (n_keys, n_queries),
            offset=lambda n_queries, n_keys: n_queries - n_keys,
        ),
        Mistake(
            "near-edge-upper-left",
            "the left edge of the window starts in the upper left corner, the right one does not",
            "Both edges move with the query, which stands at place n_keys − n_queries + i.",
            WINDOW,
            build=lambda grid: (
                grid.causal(grid.places - grid.keys, grid.window)
                & grid.near(grid.places - grid.places[0] - grid.keys, grid.window)
            ),
        ),
        Mistake(
            "causal-edge-upper-left",
            "the right edge of the window starts in the upper left corner, the left one does not",
            "Both edges move with the query, which stands at place n_keys − n_queries + i.",
            WINDOW,
            build=lambda grid: (
                grid.causal(grid.places - grid.places[0] - grid.keys, grid.window)
                & grid.near(grid.places - grid.keys, grid.window)
            ),
        ),
        Mistake(
            "always-full",
            "the first queries see a full window, keys after themselves among it",
            "Where fewer than `window` keys stand before a query, it sees fewer.",
            WINDOW,
            build=lambda grid: _full_window(grid),
        ),
        Mistake(
            "every-window-th",
            "every key at a whole number of windows before the query is open",
            "The window is a run of keys: all distances from 0 to window − 1.",
            WINDOW,
            near=lambda distance, window: distance % window == 0,
        ),
        Mistake(
            "no-column",
            "the places of the queries are a row, and so are those of the keys",
            "Each query meets each key where one of the two is a column: places[:, None].",
            WINDOW,
            also=[
                {
                    "build": lambda grid: (
                        grid.causal(grid.places[:, 0] - grid.keys, grid.window)
                        & grid.near(grid.places[:, 0] - grid.keys, grid.window)
                    )
                }
            ],
            build=lambda grid: (
                (grid.keys <= grid.places[:, 0]) & (grid.keys > grid.places[:, 0] - grid.window)
            ),
        ),
        Mistake(
            "slice-below-0",
            "a slice starts below 0, and Python counts that from the end",
            "Where fewer than `window` keys stand before the query, start at 0: max(0, place − window + 1).",
            WINDOW,
            also=[
                {"build": _by_slices(lambda place, window: place - window, lambda place, window: place + 1)},
                {"build": _by_slices(lambda place, window: place - window, lambda place, window: place)},
                {"build": _by_slices(lambda place, window: place - window + 1, lambda place, window: place)},
            ],
            build=_by_slices(lambda place, window: place - window + 1, lambda place, window: place + 1),
        ),
        Mistake(
            "all-open",
            "every key is open, those of the future and of the far past, too",
            "A key must be not later than the query, and near enough: both. (Joined by or, one of the two "
            "always holds.)",
            WINDOW,
            causal=_all,
            near=_all,
        ),
        Mistake(
            "square-of-queries",
            "the mask has as many columns as queries",
            "There is a column for each of the n_keys tokens.",
            WINDOW,
            also=[{"shape": lambda n_queries, n_keys: (n_queries, n_queries), "offset": lambda q, k: 0}],
            shape=lambda n_queries, n_keys: (n_queries, n_queries),
        ),
        Mistake(
            "square-of-keys",
            "the mask has a row for every token",
            "Only the last n_queries tokens are queries, and each row belongs to a query.",
            WINDOW,
            shape=lambda n_queries, n_keys: (n_keys, n_keys),
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "transposed",
            "the mask is turned: its columns belong to queries",
            "Rows are queries, columns are keys: the shape is (n_queries, n_keys).",
            WINDOW,
            form=np.transpose,
        ),
        Mistake(
            "window-as-columns",
            "the mask has `window` columns",
            "There is a column for each of the n_keys tokens, open or not.",
            WINDOW,
            form=lambda mask: mask[:, : max(1, int(mask.sum(axis=1).max()))],
        ),
        Mistake(
            "to-be-added",
            "the result holds 0 and −∞, to be added to the scores",
            "That is the next step. The mask itself says who may attend: True = may attend.",
            WINDOW,
            also=[{"form": lambda mask: np.where(mask, 0.0, -1e9)}],
            form=lambda mask: np.where(mask, 0.0, -np.inf),
        ),
    ),
    hints=(
        "At which places do the queries stand among the keys, if the last query is the last token?",
        "Query i stands at place i + n_keys − n_queries. How far back is a key: 0 for its own, 1 for the "
        "one before …",
        "Open are the keys at distances 0 to window − 1: (distance >= 0) & (distance < window), with "
        "distance = places[:, None] - np.arange(n_keys).",
    ),
    explain="A key is open where it is not later than the query, and fewer than `window` places before "
    "it. The query's own key is one of them.",
    reread=WINDOW,
)

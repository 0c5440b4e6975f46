"""tiles, lesson 12: the tiles of which a causal mask allows at least one pair."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Form, OtherFormError, Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_12.shared import Step
from helpers.masking import causal_mask
from helpers.streaming import tile_kinds
from helpers.validation import Array

SKIPPED = "12: Which tiles can be skipped?"


MOST_TOLD = 8  # tiles in one line


MOST_PAIRS = 10_000  # of what may be an endless generator


def _numbers_of_tiles(inputs: Mapping[str, Any]) -> tuple[int, int]:
    rows = -(-inputs["n_queries"] // inputs["tile_queries"])
    return rows, -(-inputs["n_keys"] // inputs["tile_keys"])


def _pair(entry: Any) -> tuple[int, int]:
    try:
        i, j = (int(number) for number in entry)
        whole = [i, j] == list(entry) and not isinstance(entry, str)
    except Exception:
        whole = False
    if not whole:
        flat = "" if isinstance(entry, Iterable) else f": {entry!r:.20} is one number"
        raise OtherFormError(
            f"returned a list with something else than pairs (i, j) of whole numbers in it{flat}"
        )
    return i, j


def _allowed_pairs(inputs: Mapping[str, Any]) -> set[tuple[int, int]]:
    """(query, key) of all pairs that the causal mask allows."""
    return {(int(i), int(j)) for i, j in np.argwhere(causal_mask(inputs["n_queries"], inputs["n_keys"]))}


def told_tiles(tiles: Array, needed: Array) -> str:
    """Two tables of True and False -> the tiles that are missing and those that are too many, as pairs."""
    rows = {"missing": needed & ~tiles, "too many": tiles & ~needed}
    pairs = {what: [f"({i}, {j})" for i, j in np.argwhere(table)] for what, table in rows.items()}
    return "\n".join(
        f"    {what:<8}  {', '.join(found[:MOST_TOLD])}{', …' if len(found) > MOST_TOLD else ''}"
        for what, found in pairs.items()
        if found
    )


def read_tiles(inputs: Mapping[str, Any], result: Any) -> Array:
    """Inputs, pairs (i, j) in any order and container -> (rows, columns) of tiles, True for each pair.

    Raises OtherFormError for anything else, for a tile that does not exist, and for one that comes twice.
    """
    truths = isinstance(result, np.ndarray) and result.dtype == bool
    if truths or isinstance(result, str | bytes | Mapping) or not isinstance(result, Iterable):
        names = {int: "a number", float: "a number", str: "a text", dict: "a dictionary"}
        what = names.get(type(result), f"a {type(result).__name__}")
        what = "True and False (np.argwhere makes pairs of them)" if truths else what
        raise OtherFormError(f"returned {what}, where a list of pairs (i, j) is asked for")
    pairs = sorted(_pair(entry) for entry in islice(result, MOST_PAIRS))
    rows, columns = _numbers_of_tiles(inputs)
    marked = np.zeros((rows, columns), dtype=bool)
    for i, j in pairs:
        if not (0 <= i < rows and 0 <= j < columns):
            if {(query, key) for query, key in pairs} == _allowed_pairs(inputs):
                raise OtherFormError(
                    "returned pairs of a query and a key, where pairs of tiles are asked for"
                )
            raise OtherFormError(
                f"returned ({i}, {j}), and there is no such tile: i goes from 0 to {rows - 1}, "
                f"j from 0 to {columns - 1}"
            )
        if marked[i, j]:
            raise OtherFormError(
                f"returned ({i}, {j}) twice, so that its keys would count twice: each tile once, however "
                "many "
                "of its pairs are allowed"
            )
        marked[i, j] = True
    return marked


PAIRS = Form(read=read_tiles, told=told_tiles)


def needed_tiles(n_queries: int, n_keys: int, tile_queries: int, tile_keys: int) -> list[tuple[int, int]]:
    """Counts -> (i, j) of all tiles that blocked_attention does not skip under the causal mask."""
    kinds = tile_kinds(n_queries, n_keys, causal=True, tile_queries=tile_queries, tile_keys=tile_keys)
    return [(int(i), int(j)) for i, j in np.argwhere(kinds > 0)]


def _ceiling(length: int, tile: int) -> int:
    return -(-length // tile)


class _Tile:
    """One tile: its numbers, its first and last key, its first and last query by their places."""

    def __init__(self, i: int, j: int, sizes: tuple[int, int, int, int], offset: int) -> None:
        n_queries, n_keys, tile_queries, tile_keys = sizes
        self.i, self.j, self.sizes = i, j, sizes
        self.first_query = i * tile_queries + offset
        self.last_query = min((i + 1) * tile_queries, n_queries) - 1 + offset
        self.first_key = j * tile_keys
        self.last_key = min((j + 1) * tile_keys, n_keys) - 1
        self.last_query_if_full = (i + 1) * tile_queries - 1 + offset
        self.last_key_if_full = (j + 1) * tile_keys - 1


def _some_allowed(tile: _Tile) -> bool:
    return tile.first_key <= tile.last_query


def _some_if_full(tile: _Tile) -> bool:
    return tile.first_key <= tile.last_query_if_full


def _as_numbers(tile: _Tile) -> tuple[int, int]:
    return tile.i, tile.j


def _keys_before(n_queries: int, n_keys: int) -> int:
    return n_keys - n_queries


def _tiles_by_choices(
    n_queries: int, n_keys: int, tile_queries: int, tile_keys: int, *, offset: Step = _keys_before,
    count_rows: Step = _ceiling, count_columns: Step = _ceiling, keep: Step = _some_allowed,
    write: Step = _as_numbers, counts: Step = lambda n_queries, n_keys: (n_queries, n_keys),
    sizes: Step = lambda tile_queries, tile_keys: (tile_queries, tile_keys),
) -> Any:  # fmt: skip
    tile_queries, tile_keys = sizes(tile_queries, tile_keys)
    n_queries, n_keys = counts(n_queries, n_keys)
    before = offset(n_queries, n_keys)
    all_sizes = n_queries, n_keys, tile_queries, tile_keys
    tiles = [
        _Tile(i, j, all_sizes, before)
        for i in range(count_rows(n_queries, tile_queries))
        for j in range(count_columns(n_keys, tile_keys))
    ]
    return [write(tile) for tile in tiles if keep(tile)]


def _shifted(tile: _Tile, step: int) -> bool:
    """Tile numbers compared, with the keys before the first query counted in tiles."""
    n_queries, n_keys, _, tile_keys = tile.sizes
    return tile.j <= tile.i + (n_keys - n_queries) // tile_keys + step


def _last_row_sees_all(inputs: Any, tiles: Array, _call: Any) -> str:
    if tiles.shape != _numbers_of_tiles(inputs) or tiles[-1].all():
        return ""
    missing = ", ".join(f"({len(tiles) - 1}, {j})" for j in np.flatnonzero(~tiles[-1]))
    return f"The last query may attend to every key: every tile of its row is needed. Missing: {missing}."


def _first_column(inputs: Any, tiles: Array, _call: Any) -> str:
    if tiles.shape != _numbers_of_tiles(inputs) or tiles[:, 0].all():
        return ""
    i = int(np.argmin(tiles[:, 0]))
    return f"Every query may attend to key 0, so that ({i}, 0) is needed as well."


_ONE_PAIR = (
    "A tile is needed as soon as one pair is allowed. Its last query and its first key have the best chance."
)


def my_tiles(n_queries: int, n_keys: int, tile_queries: int, tile_keys: int) -> list[tuple[int, int]]:
    """n_queries, n_keys, tile_queries, tile_keys -> a list of (i, j): tiles with an allowed pair."""
    tiles = []
    for i, first_query in enumerate(range(0, n_queries, tile_queries)):
        last_query = min(first_query + tile_queries, n_queries) - 1
        position = last_query + n_keys - n_queries
        tiles += [(i, j) for j in range(position // tile_keys + 1)]
    return tiles


EXERCISE = Write(
    name="tiles",
    answer=my_tiles,
    task="The tiles of which a causal mask allows at least one pair.",
    call="my_tiles(n_queries, n_keys, tile_queries, tile_keys)",
    right=needed_tiles,
    recipe=_tiles_by_choices,
    probes=tuple(
        Probe(
            kind,
            dict(zip(("n_queries", "n_keys", "tile_queries", "tile_keys"), sizes, strict=True)),
            form=PAIRS,
        )
        for kind, sizes in (
            ("square tiles", (4, 4, 2, 2)),
            ("tiles with more keys than queries", (6, 6, 2, 3)),
            ("tiles with more queries than keys", (6, 6, 3, 2)),
            ("the last tokens are queries", (4, 8, 2, 2)),
            ("the last tokens are queries", (4, 6, 2, 4)),
            ("a shorter last tile", (7, 7, 3, 3)),
            ("shorter last tiles", (7, 7, 3, 2)),
            ("shorter last tiles", (5, 9, 2, 4)),
            ("shorter last tiles", (5, 12, 4, 3)),
            ("one new token", (1, 7, 4, 2)),
            ("one tile holds everything", (3, 5, 8, 8)),
            ("more tiles", (11, 17, 3, 2)),
        )
    ),
    axes=("row of tiles", "column"),
    properties=(
        Property("the first column", "every tile with key 0 is there", _first_column),
        Property("the last row", "every tile of the last query is there", _last_row_sees_all),
    ),
    mistakes=(
        Mistake(
            "diagonal-skipped",
            "the tiles that the diagonal cuts are missing: only those that are allowed as a whole are there",
            f"{_ONE_PAIR} What is hidden in such a tile is masked inside it.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.last_key_if_full <= tile.first_query}],
            keep=lambda tile: tile.last_key <= tile.first_query,
        ),
        Mistake(
            "first-query-asked",
            "the tile's first query was asked, not its last one",
            f"Later queries of the tile see more. {_ONE_PAIR}",
            SKIPPED,
            keep=lambda tile: tile.first_key <= tile.first_query,
        ),
        Mistake(
            "last-key-asked",
            "the tile's last key was compared, not its first one",
            f"Earlier keys of the tile may be seen although the last one is not. {_ONE_PAIR}",
            SKIPPED,
            also=[
                {"keep": lambda tile: tile.last_key_if_full <= tile.last_query_if_full},
                {"keep": lambda tile: tile.last_key_if_full <= tile.last_query},
                {"keep": lambda tile: tile.last_key <= tile.last_query_if_full},
            ],
            keep=lambda tile: tile.last_key <= tile.last_query,
        ),
        Mistake(
            "own-key-hidden",
            "a tile is missing where its last query sees only its own key",
            "A token may attend to itself: ≤, not <.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.first_key < tile.last_query_if_full}],
            keep=lambda tile: tile.first_key <= tile.last_query - 1,
        ),
        Mistake(
            "one-step-too-far",
            "a tile is there although its first key comes one step after its last query",
            "(i + 1) · tile_queries is the first query of the next tile: the last one of this tile is "
            "one before it.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.first_key <= tile.last_query_if_full + 1}],
            keep=lambda tile: tile.first_key <= tile.last_query + 1,
        ),
        Mistake(
            "numbers-compared",
            "the numbers of the tiles were compared: j ≤ i",
            "That is right where tiles are square and n_queries is n_keys. Elsewhere compare places: the "
            "tile's first key, j · tile_keys, with its last query's.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.j <= tile.i, "count_columns": lambda length, tile: length}],
            keep=lambda tile: tile.j <= tile.i,
        ),
        Mistake(
            "numbers-with-an-offset",
            "the numbers of the tiles were compared, with an offset in whole tiles",
            "The tokens before the first query need not fill whole tiles, and a tile may be wider than it is "
            "high. Compare places: the tile's first key, j · tile_keys, with its last query's.",
            SKIPPED,
            also=[
                {"keep": lambda tile: _shifted(tile, 1)},
                {
                    "keep": lambda tile: (
                        tile.j <= tile.i + _ceiling(tile.sizes[1] - tile.sizes[0], tile.sizes[3])
                    )
                },
                {
                    "keep": lambda tile: (
                        tile.j
                        <= tile.i
                        + _ceiling(tile.sizes[1], tile.sizes[3])
                        - _ceiling(tile.sizes[0], tile.sizes[2])
                    )
                },
            ],
            keep=lambda tile: _shifted(tile, 0),
        ),
        Mistake(
            "below-the-diagonal",
            "the numbers of the tiles were compared, and the tiles with i = j are missing: j < i",
            f"The diagonal goes through tiles that are needed. {_ONE_PAIR}",
            SKIPPED,
            also=[{"keep": lambda tile: _shifted(tile, -1)}],
            keep=lambda tile: tile.j < tile.i,
        ),
        Mistake(
            "diagonal-only",
            "only the tiles with i = j are there",
            "A query sees all earlier keys as well: the tiles at the left of the diagonal are allowed as "
            "a whole.",
            SKIPPED,
            keep=lambda tile: tile.i == tile.j,
        ),
        Mistake(
            "upper-left",
            "the mask starts in the upper left corner: the queries were taken for the first tokens",
            "The queries are the last n_queries tokens: query 0 stands at place n_keys − n_queries.",
            SKIPPED,
            also=[{"offset": lambda n_queries, n_keys: 0, "keep": _some_if_full}],
            offset=lambda n_queries, n_keys: 0,
        ),
        Mistake(
            "offset-turned",
            "the places of the queries were moved to the wrong side",
            "Query 0 stands at place n_keys − n_queries, which is 0 or more: it sees more keys, not fewer.",
            SKIPPED,
            also=[{"offset": lambda n_queries, n_keys: n_queries - n_keys, "keep": _some_if_full}],
            offset=lambda n_queries, n_keys: n_queries - n_keys,
        ),
        Mistake(
            "last-row-forgotten",
            "a last row of tiles with fewer queries was forgotten",
            "7 queries in tiles of 3 are three tiles, the last with one query. Round the number of tiles up: "
            "-(-n // tile), or range(0, n, tile).",
            SKIPPED,
            count_rows=lambda length, tile: length // tile,
        ),
        Mistake(
            "last-column-forgotten",
            "a last column of tiles with fewer keys was forgotten",
            "7 keys in tiles of 3 are three tiles, the last with one key. Round the number of tiles up: "
            "-(-n // tile), or range(0, n, tile).",
            SKIPPED,
            count_columns=lambda length, tile: length // tile,
        ),
        Mistake(
            "last-tiles-forgotten",
            "the shorter last tiles were forgotten, in both directions",
            "Round the numbers of tiles up: -(-n // tile), or range(0, n, tile).",
            SKIPPED,
            count_rows=lambda length, tile: length // tile,
            count_columns=lambda length, tile: length // tile,
        ),
        Mistake(
            "one-row-too-many",
            "there is a row of tiles too many where the number of queries divides evenly",
            "n // tile + 1 is one too many there. Round up: -(-n // tile), or range(0, n, tile).",
            SKIPPED,
            also=[
                {"count_rows": lambda length, tile: length // tile + 1, "keep": _some_if_full},
                {
                    "count_rows": lambda length, tile: length // tile + 1,
                    "count_columns": lambda length, tile: length // tile + 1,
                    "keep": _some_if_full,
                },
            ],
            count_rows=lambda length, tile: length // tile + 1,
        ),
        Mistake(
            "all-tiles",
            "every tile is there",
            "Where the first key of a tile is later than its last query, no pair is allowed, and nobody "
            "needs it.",
            SKIPPED,
            keep=lambda tile: True,
        ),
        Mistake(
            "skipped-tiles",
            "these are the tiles that can be skipped",
            "The list is of those that are needed: all others.",
            SKIPPED,
            keep=lambda tile: not _some_allowed(tile),
        ),
        Mistake(
            "other-triangle",
            "the other triangle: tiles whose keys come later were kept",
            "A query may attend to itself and to what came before: keys at or before its own place.",
            SKIPPED,
            also=[{"keep": lambda tile: tile.j >= tile.i}],
            keep=lambda tile: tile.last_key >= tile.first_query,
        ),
        Mistake(
            "pairs-turned",
            "the numbers of a pair stand in the wrong order: (j, i)",
            "Queries are rows, and come first: (i, j) has the queries from i · tile_queries on.",
            SKIPPED,
            write=lambda tile: (tile.j, tile.i),
        ),
        Mistake(
            "starts-listed",
            "the places where tiles start are listed, not their numbers",
            "Tile (i, j) has the queries from i · tile_queries on: i counts tiles.",
            SKIPPED,
            write=lambda tile: (tile.i * tile.sizes[2], tile.first_key),
        ),
        Mistake(
            "masked-tiles-only",
            "only the tiles that the diagonal cuts are there: those that need a mask inside",
            "Tiles that are allowed as a whole are needed as well.",
            SKIPPED,
            also=[{"keep": lambda tile: _some_allowed(tile) and tile.last_key_if_full > tile.first_query}],
            keep=lambda tile: _some_allowed(tile) and tile.last_key > tile.first_query,
        ),
        Mistake(
            "middle-asked",
            "the middle of the tile was compared with the middle of its queries",
            _ONE_PAIR,
            SKIPPED,
            keep=lambda tile: tile.first_key + tile.sizes[3] / 2 <= tile.first_query + tile.sizes[2] / 2,
        ),
        Mistake(
            "counted-from-1",
            "the tiles were counted from 1",
            "The first tile is (0, 0).",
            SKIPPED,
            write=lambda tile: (tile.i + 1, tile.j + 1),
        ),
        Mistake(
            "sizes-swapped",
            "the two sizes of a tile changed places",
            "tile_queries cuts the rows, tile_keys the columns.",
            SKIPPED,
            sizes=lambda tile_queries, tile_keys: (tile_keys, tile_queries),
        ),
        Mistake(
            "counts-swapped",
            "n_queries and n_keys changed places",
            "The function is called with n_queries first, and rows are queries.",
            SKIPPED,
            counts=lambda n_queries, n_keys: (n_keys, n_queries),
        ),
        Mistake(
            "one-size",
            "one size was used for rows and columns",
            "tile_queries cuts the rows, tile_keys the columns.",
            SKIPPED,
            also=[{"sizes": lambda tile_queries, tile_keys: (tile_keys, tile_keys)}],
            sizes=lambda tile_queries, tile_keys: (tile_queries, tile_queries),
        ),
    ),
    hints=(
        "Which pair of a tile has the best chance to be allowed? Its last query sees most, its first key "
        "is seen by most.",
        "The last query of row i is number min((i + 1) · tile_queries, n_queries) − 1. Its place among "
        "the keys is that plus n_keys − n_queries. Tile j is needed if j · tile_keys is not later.",
        "range(0, n_queries, tile_queries) gives the first queries of all rows of tiles, a shorter last "
        "one included.",
    ),
    explain="A tile is needed if its last query may attend to its first key. tile_kinds in "
    "helpers/streaming.py says in addition which tiles need no mask at all: there the first query may "
    "attend to the last key.",
    reread=SKIPPED,
)

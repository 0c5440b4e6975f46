"""tiles, lesson 13: the tiles of which a causal mask allows at least one pair.

The edits are made in each_asked, which gives every tile a condition of its own.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import Form, OtherFormError, Probe
from helpers.exercises.engine.sandbox import with_article
from helpers.exercises.kinds.write import Property, Write
from helpers.masking import causal_mask
from helpers.streaming import tile_kinds
from helpers.validation import Array

SKIPPED = "13: Which tiles can be skipped?"
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
        what = names.get(type(result), with_article(type(result).__name__))
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


def my_tiles(n_queries: int, n_keys: int, tile_queries: int, tile_keys: int) -> list[tuple[int, int]]:
    """n_queries, n_keys, tile_queries, tile_keys -> a list of (i, j): tiles with an allowed pair."""
    tiles = []
    for i, first_query in enumerate(range(0, n_queries, tile_queries)):
        last_query = min(first_query + tile_queries, n_queries) - 1
        position = last_query + n_keys - n_queries
        tiles += [(i, j) for j in range(position // tile_keys + 1)]
    return tiles


def each_asked(n_queries: int, n_keys: int, tile_queries: int, tile_keys: int) -> list[tuple[int, int]]:
    """The same as my_tiles, with each tile asked by itself: this is where most mistakes are made."""
    rows, columns = n_queries, n_keys
    high, wide = tile_queries, tile_keys
    before = columns - rows
    tiles = []
    for i in range(-(-rows // high)):
        for j in range(-(-columns // wide)):
            last_query, first_key = min((i + 1) * high, rows) - 1, j * wide
            if first_key <= last_query + before:
                tiles.append((i, j))
    return tiles


EDITS = Edits(
    each_asked,
    {
        "counts": "n_queries, n_keys",
        "sizes": "tile_queries, tile_keys",
        "shift": "columns - rows",
        "n_rows": "-(-rows // high)",
        "n_columns": "-(-columns // wide)",
        "last": "min((i + 1) * high, rows) - 1",
        "first": "j * wide",
        "keep": "first_key <= last_query + before",
        "pair": "(i, j)",
    },
)
WORDS = {
    "one_pair": "A tile is needed as soon as one pair is allowed. Its last query and its first key are the "
    "likeliest pair.",
    "up": "Round the number of tiles up: -(-n // tile), or range(0, n, tile).",
    "cuts": "tile_queries cuts the rows, tile_keys the columns.",
}
MISTAKES = EDITS.mistakes(
    """
diagonal-skipped
    the tiles that the diagonal cuts are missing: you kept only those that are allowed as a whole
    {one_pair} Mask what is hidden inside such a tile.
    | last => i * high; first => min((j + 1) * wide, columns) - 1; keep
    | last => i * high; first => (j + 1) * wide - 1; keep

first-query-asked
    you asked about the tile's first query, not its last one
    Later queries of the tile see more. {one_pair}
    | last => i * high; keep

last-key-asked
    you compared the tile's last key, not its first one
    A query may see earlier keys of the tile even though it does not see the last one. {one_pair}
    | first => min((j + 1) * wide, columns) - 1; keep
    | first => (j + 1) * wide - 1; last => (i + 1) * high - 1; keep
    | first => (j + 1) * wide - 1; keep
    | first => min((j + 1) * wide, columns) - 1; last => (i + 1) * high - 1; keep

own-key-hidden
    a tile is missing where its last query sees only its own key
    A token may attend to itself: ≤, not <.
    | last => it - 1; keep
    | last => (i + 1) * high - 2; keep

one-step-too-far
    you kept a tile whose first key comes one step after its last query
    (i + 1) · tile_queries is the first query of the next tile: the last one of this tile is one before
    it.
    | last => it + 1; keep
    | last => (i + 1) * high; keep

numbers-compared
    you compared the numbers of the tiles: j ≤ i
    That is right where tiles are square and n_queries is n_keys. Elsewhere compare places: the tile's
    first key, j · tile_keys, with its last query's.
    | keep => j <= i
    | keep => j <= i; n_columns => columns

numbers-with-an-offset
    you compared the numbers of the tiles, with an offset in whole tiles
    The tokens before the first query need not fill whole tiles, and a tile may be wider than it is high.
    Compare places: the tile's first key, j · tile_keys, with its last query's.
    | keep => j <= i + (columns - rows) // wide
    | keep => j <= i + (columns - rows) // wide + 1
    | keep => j <= i - (rows - columns) // wide
    | keep => j <= i - (-columns // wide) + (-rows // high)

below-the-diagonal
    you compared the numbers of the tiles, and left out those with i = j: j < i
    The diagonal goes through tiles that are needed. {one_pair}
    | keep => j < i
    | keep => j <= i + (columns - rows) // wide - 1

diagonal-only
    you kept only the tiles with i = j
    A query sees all earlier keys as well: the tiles to the left of the diagonal are allowed as a whole.
    | keep => i == j

upper-left
    the mask starts in the upper left corner, as if the queries were the first tokens
    The queries are the last n_queries tokens: query 0 is at place n_keys − n_queries.
    | shift => 0
    | shift => 0; last => (i + 1) * high - 1

offset-turned
    you moved the places of the queries to the wrong side
    Query 0 stands at place n_keys − n_queries, which is 0 or more: it sees more keys, not fewer.
    | shift => rows - columns
    | shift => rows - columns; last => (i + 1) * high - 1

last-row-forgotten
    you forgot a last row of tiles with fewer queries
    7 queries in tiles of 3 are three tiles, the last with one query. {up}
    | n_rows => rows // high

last-column-forgotten
    you forgot a last column of tiles with fewer keys
    7 keys in tiles of 3 are three tiles, the last with one key. {up}
    | n_columns => columns // wide

last-tiles-forgotten
    you forgot the shorter last tiles in both directions
    Round the numbers of tiles up: -(-n // tile), or range(0, n, tile).
    | n_rows => rows // high; n_columns => columns // wide

one-row-too-many
    there is one row of tiles too many where the number of queries divides evenly
    n // tile + 1 is one too many there. Round up: -(-n // tile), or range(0, n, tile).
    | n_rows => rows // high + 1
    | n_rows => rows // high + 1; last => (i + 1) * high - 1
    | n_rows => rows // high + 1; n_columns => columns // wide + 1; last => (i + 1) * high - 1

all-tiles
    you kept every tile
    Where the first key of a tile is later than its last query, no pair is allowed, so the tile is not
    needed.
    | keep => True

skipped-tiles
    you listed the tiles that can be skipped
    The task asks for the tiles that are needed: all the others.
    | keep => not it

other-triangle
    you kept the other triangle: tiles whose keys come later
    A query may attend to itself and to what came before: keys at or before its own place.
    | keep => min((j + 1) * wide, columns) - 1 >= i * high + before
    | keep => j >= i

pairs-turned
    the numbers of a pair are in the wrong order: (j, i)
    Queries are rows, and come first: tile (i, j) starts at query i · tile_queries.
    | pair => (j, i)

starts-listed
    you listed the places where tiles start, not their numbers
    Tile (i, j) starts at query i · tile_queries: i counts tiles.
    | pair => (i * high, j * wide)

masked-tiles-only
    you kept only the tiles that the diagonal cuts, those that need a mask inside
    Tiles that are allowed as a whole are needed as well.
    | keep => it and min((j + 1) * wide, columns) - 1 > i * high + before
    | keep => it and (j + 1) * wide - 1 > i * high + before

middle-asked
    you compared the middle of the tile with the middle of its queries
    {one_pair}
    | first => it + wide / 2; last => i * high + high / 2; keep

counted-from-1
    you counted the tiles from 1
    The first tile is (0, 0).
    | pair => (i + 1, j + 1)

sizes-swapped
    you swapped the two sizes of a tile
    {cuts}
    | sizes => (tile_keys, tile_queries)

counts-swapped
    you swapped n_queries and n_keys
    The function is called with n_queries first, and rows are queries.
    | counts => (n_keys, n_queries)

one-size
    you used one size for rows and columns
    {cuts}
    | sizes => (tile_queries, tile_queries)
    | sizes => (tile_keys, tile_keys)
""",
    SKIPPED,
    words=WORDS,
)
EXERCISE = Write(
    name="tiles",
    answer=my_tiles,
    task="The tiles of which a causal mask allows at least one pair.",
    call="my_tiles(n_queries, n_keys, tile_queries, tile_keys)",
    right=needed_tiles,
    recipe=EDITS.recipe(),
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
            ("a single token", (1, 1, 2, 3)),
            ("tiles of one query", (3, 5, 1, 2)),
            ("tiles of one key", (4, 5, 3, 1)),
        )
    ),
    axes=("row of tiles", "column"),
    properties=(
        Property("the first column", "every tile with key 0 is there", _first_column),
        Property("the last row", "every tile of the last query is there", _last_row_sees_all),
    ),
    mistakes=MISTAKES,
    hints=(
        "Which pair of a tile is most likely to be allowed? Its last query sees the most, and its first key "
        "is seen by the most.",
        "The last query of row i is number min((i + 1) · tile_queries, n_queries) − 1. Its place among "
        "the keys is that plus n_keys − n_queries. Tile j is needed if j · tile_keys is not later.",
        "range(0, n_queries, tile_queries) gives the first query of every row of tiles, including a shorter "
        "last one.",
    ),
    explain="A tile is needed if its last query may attend to its first key. tile_kinds in "
    "helpers/streaming.py also says which tiles need no mask at all: those whose first query may attend to "
    "the last key.",
    reread=SKIPPED,
)

"""tile-cost, lesson 13.

Operations, bytes and operations per byte of one tile of scores, for three numbers of queries.
"""

import numpy as np

from helpers.exercises.kinds.predict import Slip
from helpers.exercises.kinds.table import Table
from helpers.exercises.lesson_13.shared import Step

BYTES = "13: Why fewer bytes win"
COST_KEYS, COST_D_K, COST_D_V, COST_BYTES = 128, 64, 96, 2


def _operations(tile_queries: int) -> float:
    return 2 * tile_queries * COST_KEYS * (COST_D_K + COST_D_V)


def _numbers_moved(tile_queries: int) -> float:
    return (tile_queries + COST_KEYS) * (COST_D_K + COST_D_V)


def _bytes(tile_queries: int) -> float:
    return COST_BYTES * _numbers_moved(tile_queries)


def _cost(tile_queries: int) -> tuple[float, float, float]:
    return _operations(tile_queries), _bytes(tile_queries), _operations(tile_queries) / _bytes(tile_queries)


_TURNED = "You swapped two rows of the table: the first number of a row is its tile_queries."


def _turned(tile_queries: int) -> int:
    """The other end of the table."""
    return {1: 128, 128: 1}.get(tile_queries, tile_queries)


def _more_bytes(numbers_more: Step) -> Step:
    return lambda tile_queries: _bytes(tile_queries) + COST_BYTES * numbers_more(tile_queries)


EXERCISE = Table(
    name="tile-cost",
    task="Operations, bytes and operations per byte of one tile of scores, for three numbers of queries.",
    row_name="tile_queries",
    labels=(1, 32, 128),
    columns=("operations", "bytes", "operations per byte"),
    row=_cost,
    exact=(0, 1),
    next_from_row=lambda tile_queries, column, before: (
        before[0] / before[1] if column == 2 and before[1] else np.nan
    ),
    slips=(
        (
            Slip(
                "no-factor-2",
                lambda t: _operations(t) / 2,
                "Each pair of entries that meet costs two operations, a multiplication and an addition.",
            ),
            Slip(
                "widths-twice",
                lambda t: 2 * _operations(t),
                "The first product has d_k numbers in each sum, the second mixes d_v: d_k + d_v for each "
                "pair of query and key, twice (a multiplication and an addition), not four times.",
            ),
            Slip("bytes-here", _bytes, "These are the bytes. The first column counts operations."),
            Slip(
                "scores-only",
                lambda t: 2 * t * COST_KEYS * COST_D_K,
                "That is queries @ keys.T alone. exponentials @ values needs 2 · tile_queries · 128 · "
                "d_v more.",
            ),
            Slip(
                "mixing-only",
                lambda t: 2 * t * COST_KEYS * COST_D_V,
                "That is exponentials @ values alone. queries @ keys.T needs 2 · tile_queries · 128 · "
                "d_k more.",
            ),
            Slip(
                "d-k-twice",
                lambda t: 4 * t * COST_KEYS * COST_D_K,
                "The second product is with the values: d_v is 96 there, not 64.",
            ),
            Slip(
                "widths-multiplied",
                lambda t: 2 * t * COST_KEYS * COST_D_K * COST_D_V,
                "The two products come one after the other: their operations are added, d_k + d_v.",
            ),
            Slip(
                "one-per-score",
                lambda t: t * COST_KEYS,
                "That is the number of scores. Each is a sum of d_k products, and later weighs d_v numbers.",
            ),
            Slip(
                "d-v-twice",
                lambda t: 4 * t * COST_KEYS * COST_D_V,
                "The first product is with the keys: d_k is 64 there, not 96.",
            ),
            Slip(
                "exponentials-counted",
                lambda t: _operations(t) + t * COST_KEYS,
                "You counted the exponentials too. The task leaves them out: count only the two products.",
            ),
            Slip(
                "additions-exact",
                lambda t: t * COST_KEYS * (2 * COST_D_K - 1) + t * COST_D_V * (2 * COST_KEYS - 1),
                "It is true that a sum of n products takes n − 1 additions. But by the usual convention "
                "each product counts as a multiplication and an addition: 2 · n.",
            ),
            Slip(
                "millions",
                lambda t: _operations(t) / 1e6,
                "The task asks for operations, not millions of them.",
            ),
            Slip("rows-turned", lambda t: _operations(_turned(t)), _TURNED),
            Slip(
                "square-tile",
                lambda t: 2 * t * t * (COST_D_K + COST_D_V),
                "The tile has 128 keys in every row of the table.",
            ),
            Slip(
                "128-queries",
                lambda t: 2 * COST_KEYS * COST_KEYS * (COST_D_K + COST_D_V),
                "The tile has as many queries as the row says, and 128 keys.",
            ),
            Slip(
                "one-product-without-2",
                lambda t: t * COST_KEYS * COST_D_K,
                "That is the multiplications of queries @ keys.T. The additions are missing, and the "
                "other product.",
            ),
        ),
        (
            Slip(
                "numbers-not-bytes",
                _numbers_moved,
                "That is how many numbers move. A number in float16 takes 2 bytes.",
            ),
            Slip("float32", lambda t: 2 * _bytes(t), "4 bytes are for float32. A number in float16 takes 2."),
            Slip(
                "float64",
                lambda t: 4 * _bytes(t),
                "8 bytes are for float64, NumPy's own. A number in float16 takes 2.",
            ),
            Slip(
                "bits",
                lambda t: 8 * _bytes(t),
                "16 is the number of bits. A number in float16 takes 2 bytes.",
            ),
            Slip("operations-here", _operations, "These are the operations. The second column counts bytes."),
            Slip("kilobytes", lambda t: _bytes(t) / 1024, "The task asks for bytes, not thousands of them."),
            Slip("thousands", lambda t: _bytes(t) / 1000, "The task asks for bytes, not thousands of them."),
            Slip("rows-turned", lambda t: _bytes(_turned(t)), _TURNED),
            Slip(
                "square-tile",
                lambda t: COST_BYTES * 2 * t * (COST_D_K + COST_D_V),
                "The tile has 128 keys in every row of the table.",
            ),
            Slip(
                "d-v-for-all",
                lambda t: COST_BYTES * 2 * (t + COST_KEYS) * COST_D_V,
                "The queries and the keys have d_k = 64 numbers in a row, not 96.",
            ),
            Slip(
                "output-by-d-k",
                _more_bytes(lambda t: t * (COST_D_K - COST_D_V)),
                "A row of output has d_v = 96 numbers, as the values have.",
            ),
            Slip(
                "queries-by-d-v",
                _more_bytes(lambda t: t * (COST_D_V - COST_D_K)),
                "A query has d_k = 64 numbers, as the keys have.",
            ),
            Slip(
                "scores-only-moved",
                lambda t: COST_BYTES * t * COST_KEYS,
                "These are the bytes of the scores, which never leave the processor. Queries, keys, values "
                "and output do.",
            ),
            Slip(
                "keys-for-each-query",
                lambda t: COST_BYTES * t * (COST_KEYS + 1) * (COST_D_K + COST_D_V),
                "You counted keys and values once for each query. They are read once for the whole tile, "
                "and all its queries use them.",
            ),
            Slip(
                "output-forgotten",
                _more_bytes(lambda t: -t * COST_D_V),
                "The rows of output are written once: tile_queries · d_v numbers more.",
            ),
            Slip(
                "queries-forgotten",
                _more_bytes(lambda t: -t * COST_D_K),
                "The queries of the tile are read once: tile_queries · d_k numbers more.",
            ),
            Slip(
                "keys-and-values-only",
                lambda t: COST_BYTES * COST_KEYS * (COST_D_K + COST_D_V),
                "That covers keys and values only. The queries are read, and the rows of output written, as "
                "well.",
            ),
            Slip(
                "values-forgotten",
                _more_bytes(lambda t: -COST_KEYS * COST_D_V),
                "The values of the tile are read once: 128 · d_v numbers more.",
            ),
            Slip(
                "keys-forgotten",
                _more_bytes(lambda t: -COST_KEYS * COST_D_K),
                "The keys of the tile are read once: 128 · d_k numbers more.",
            ),
            Slip(
                "scores-moved",
                _more_bytes(lambda t: t * COST_KEYS),
                "You counted the scores too. They never leave the processor: that is the point of a tile.",
            ),
            Slip(
                "scores-moved-twice",
                _more_bytes(lambda t: 2 * t * COST_KEYS),
                "You counted the scores, both written and read again. They never leave the processor: that "
                "is "
                "the point of a tile.",
            ),
            Slip(
                "d-k-for-all",
                lambda t: COST_BYTES * 2 * (t + COST_KEYS) * COST_D_K,
                "The values and the output have d_v = 96 numbers in a row, not 64.",
            ),
            Slip(
                "output-twice",
                _more_bytes(lambda t: t * COST_D_V),
                "You counted the rows of output twice. They are written once.",
            ),
        ),
        (
            Slip("rows-turned", lambda t: _operations(_turned(t)) / _bytes(_turned(t)), _TURNED),
            Slip(
                "whole-numbers",
                lambda t: _operations(t) // _bytes(t),
                "`//` drops the fraction, and so does int(). `/` keeps it.",
            ),
            Slip(
                "ratio-inverted",
                lambda t: _bytes(t) / _operations(t),
                "That is bytes per operation. Operations per byte: divide the first column by the second.",
            ),
            Slip(
                "difference",
                lambda t: _operations(t) - _bytes(t),
                "That is the difference. Operations per byte is a ratio: divide.",
            ),
            Slip(
                "product",
                lambda t: _operations(t) * _bytes(t),
                "That is the product. Operations per byte is a ratio: divide.",
            ),
        ),
    ),
    because="With d_k + d_v = 160 it is 2 · tile_queries · 128 · 160 operations and 2 · (tile_queries + "
    "128) · 160 bytes: in float16 the ratio is tile_queries · 128 / (tile_queries + 128), whatever the "
    "widths. A single query reads a byte for each operation; a large tile uses each byte many times. Over n "
    "keys instead of 128 it is tile_queries · n / (tile_queries + n): for a long text nearly tile_queries.",
    hints=(
        "A product of (a, b) and (b, c) has a · c results, each taking b multiplications and about b "
        "additions: 2 · a · b · c operations. Here there are two such products.",
        "Count numbers first: the queries of the tile (tile_queries · 64), its keys (128 · 64), its "
        "values (128 · 96), its output (tile_queries · 96). A number in float16 takes 2 bytes.",
        "Divide the first column by the second, and give at least two digits after the decimal point.",
    ),
    reread=BYTES,
)

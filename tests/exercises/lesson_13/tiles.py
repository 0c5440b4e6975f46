"""What learners write in tiles, and what the check is to say of it."""

import math

import numpy as np

from helpers import streaming
from helpers.masking import causal_mask


# right
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    kinds = streaming.tile_kinds(
        n_queries, n_keys, causal=True, tile_queries=tile_queries, tile_keys=tile_keys
    )
    return np.argwhere(kinds)


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    mask = causal_mask(n_queries, n_keys)
    cut = lambda i, j: mask[i * tile_queries : (i + 1) * tile_queries, j * tile_keys : (j + 1) * tile_keys]
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if cut(i, j).any()
    ]


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return {
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if j * tile_keys <= (i + 1) * tile_queries - 1 + n_keys - n_queries
    }


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    i, j = np.indices((n_queries, n_keys))
    seen = j <= i + n_keys - n_queries
    return np.unique(np.stack([i[seen] // tile_queries, j[seen] // tile_keys], axis=1), axis=0)


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    for i in range(0, n_queries, tile_queries):
        last = min(i + tile_queries, n_queries) - 1 + n_keys - n_queries
        for j in range(0, last + 1, tile_keys):
            yield [i // tile_queries, j // tile_keys]


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    tiles = ()
    for i in reversed(range(math.ceil(n_queries / tile_queries))):
        for j in reversed(range(math.ceil(n_keys / tile_keys))):
            if min(i * tile_queries + tile_queries, n_queries) + n_keys - n_queries > j * tile_keys:
                tiles += ((float(i), float(j)),)
    return tiles


# named: numbers-compared
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j) for i in range(-(-n_queries // tile_queries)) for j in range(-(-n_keys // tile_keys)) if i >= j
    ]


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [(i, j) for i in range(-(-n_queries // tile_queries)) for j in range(i + 1)]


# named: below-the-diagonal
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j) for i in range(-(-n_queries // tile_queries)) for j in range(-(-n_keys // tile_keys)) if i > j
    ]


# named: upper-left
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if (i + 1) * tile_queries > j * tile_keys
    ]


# named: first-query-asked + upper-left
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if i * tile_queries >= j * tile_keys
    ]


# named: first-query-asked
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if i * tile_queries + n_keys - n_queries >= j * tile_keys
    ]


# named: diagonal-skipped
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if i * tile_queries + n_keys - n_queries >= (j + 1) * tile_keys - 1
    ]


# named: last-key-asked
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if (i + 1) * tile_queries + n_keys - n_queries >= (j + 1) * tile_keys
    ]


# named: own-key-hidden
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if j * tile_keys < (i + 1) * tile_queries - 1 + n_keys - n_queries
    ]


# named: one-row-too-many
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    rows, columns = n_queries // tile_queries + 1, n_keys // tile_keys + 1
    return [
        (i, j)
        for i in range(rows)
        for j in range(columns)
        if (i + 1) * tile_queries - 1 + n_keys - n_queries >= j * tile_keys
    ]


# named: starts-listed
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j)
        for i in range(0, n_queries, tile_queries)
        for j in range(0, n_keys, tile_keys)
        if j <= i + tile_queries - 1 + n_keys - n_queries
    ]


# named: numbers-with-an-offset
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if j <= i + (n_keys - n_queries) // tile_keys
    ]


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if j <= i - (n_queries - n_keys) // tile_keys
    ]


# named: counts-swapped
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    n_queries, n_keys = n_keys, n_queries
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if j * tile_keys < min((i + 1) * tile_queries, n_queries) + n_keys - n_queries
    ]


# named: masked-tiles-only
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    last = lambda i: min((i + 1) * tile_queries, n_queries) - 1 + n_keys - n_queries
    first = lambda i: i * tile_queries + n_keys - n_queries
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if first(i) < (j + 1) * tile_keys - 1 and j * tile_keys <= last(i)
    ]


# named: middle-asked
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    before = n_keys - n_queries
    return [
        (i, j)
        for i in range(-(-n_queries // tile_queries))
        for j in range(-(-n_keys // tile_keys))
        if j * tile_keys + tile_keys / 2 <= before + i * tile_queries + tile_queries / 2
    ]


# told: 0 is one number
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [0, 0, 1, 0, 1, 1]


# told: Every query may attend to key 0
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return []


# told: and there is no such tile
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [(i, j) for i in range(n_queries) for j in range(n_keys)]


# told: every tile of its row is needed. Missing: (1, 1)
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [(i, 0) for i in range(-(-n_queries // tile_queries))]


# told: missing (1, 0) too many (0, 1)
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [(0, 0), (0, 1), (1, 1)]


# told: np.argwhere makes pairs of them
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return causal_mask(n_queries, n_keys)


# told: returned (0, 0) twice
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [(0, 0), (0, 0)]


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    while True:
        yield 0, 0


# told: returned (0, 0) twice, so that its keys would count twice: each tile once
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [(i // tile_queries, j // tile_keys) for i, j in np.argwhere(causal_mask(n_queries, n_keys))]


# told: returned None
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    pass
    n_queries += 1


# told: returned a dictionary, where a list of pairs
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return {(0, 0): 1}


# told: returned an int64, where a list of pairs
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return np.sum([1, 2])


# told: returned a number, where a list of pairs
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return 3


# told: returned pairs of a query and a key, where pairs of tiles are asked for
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [(i, j) for i, j in np.argwhere(causal_mask(n_queries, n_keys))]


# told: something else than pairs (i, j)
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [(0, 1, 2)]


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return ["00"]


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    return [(0.5, 0)]


# unnamed
def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    off = n_keys - n_queries
    return (
        [
            (i, j)
            for i in range(-(-n_queries // tile_queries))
            for j in range(-(-n_keys // tile_keys))
            if j * tile_keys <= min((i + 1) * tile_queries, n_queries) - 1 + off
        ]
        if n_keys > 1
        else []
    )


def my_tiles(n_queries, n_keys, tile_queries, tile_keys):
    off = n_keys - n_queries
    return [
        (i, j)
        for i in range(math.ceil(n_queries / tile_queries))
        for j in range(math.ceil(n_keys / max(tile_keys, 2)))
        if j * tile_keys <= min((i + 1) * tile_queries, n_queries) - 1 + off
    ]

"""Inputs on which mistakes in hiding keys can be told apart: queries, keys, values and a mask."""

import numpy as np

from helpers.exercises.engine.probes import Probe, example, numbers, sequences, triple
from helpers.masking import Mask, padding_mask
from helpers.validation import Array


def pattern(*shape: int, start: int) -> Mask:
    """A mask without a visible rule, in which every row has an open key (its number modulo n_keys)."""
    mask = numbers(*shape, start=start) > -0.3
    rows, columns = shape[-2:]
    mask[..., np.arange(rows), np.arange(rows) % columns] = True
    mask[..., np.arange(rows), (np.arange(rows) + 2) % columns] = False
    return mask


APART = np.array([0.0, 100.0, -150.0, 50.0, 20.0])  # times 20, then divided by √d_k: the level of each row
FAR_ABOVE = "one hidden score 1,100 above the others"
ROWS_APART = "rows whose scores lie far apart"


def hiding(mask: Mask, key: int) -> Mask:
    mask = mask.copy()
    mask[..., key] = False
    return mask


SMALL_MASK = np.array([[True, True, False], [False, True, True]])
PADDING_PROBE = padding_mask([4, 6], 7)


def _attention_probe(
    kind: str,
    stack: tuple[int, ...],
    mask: Mask,
    hard: bool = False,
    start: int = 1,
    dtype: type = np.float64,
) -> Probe:
    inputs = sequences(*stack, d_k=4, start=start, dtype=dtype)
    values = numbers(*stack, 7, 6, start=start + 500, dtype=dtype)
    return Probe(kind, {**inputs, "values": values, "mask": mask}, hard)


def thin_attention() -> tuple[Probe, ...]:
    """Queries, keys, values and a mask with an axis of length 1, or with fewer axes than the scores."""
    in_a_row = np.array([True, False, True, True, False])
    rows = np.array([[True], [False], [True], [True]])
    return tuple(
        Probe(kind, {**inputs, "mask": mask}, True)
        for kind, inputs, mask in (
            (
                "a mask of one axis, for all queries",
                triple(n_queries=3, n_keys=5, d_k=2, d_v=4, start=211),
                in_a_row,
            ),
            ("one query", triple(n_queries=1, n_keys=5, d_k=3, d_v=2, start=221), in_a_row[None, ::-1]),
            ("one key", triple(n_queries=4, n_keys=1, d_k=3, d_v=5, start=231), rows),
            (
                "d_k 1, d_v 1, and a mask with one column",
                triple(n_queries=4, n_keys=6, d_k=1, d_v=1, start=241),
                rows,
            ),
            (
                "a batch of one sentence",
                triple(1, n_queries=3, n_keys=5, d_k=2, d_v=4, start=251),
                pattern(1, 3, 5, start=95),
            ),
            (
                "one text of 3 sentences, one mask",
                triple(1, 3, n_queries=2, n_keys=6, d_k=5, d_v=4, start=261),
                pattern(1, 1, 2, 6, start=97),
            ),
            (
                "2 texts of 3 sentences, a mask for each sentence",
                triple(2, 3, n_queries=4, n_keys=5, d_k=7, d_v=6, start=271),
                pattern(3, 4, 5, start=99),
            ),
        )
    )


def _large(first: float) -> dict[str, Array]:
    """Scaled scores that lie around 10 · first."""
    inputs = sequences(d_k=4, start=23)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = first, 20.0
    return {**inputs, "values": numbers(7, 6, start=600)}


def _one_loud_key(key: int) -> dict[str, Array]:
    """Scaled scores of which those of one key lie 1,100 above the others."""
    inputs = sequences(d_k=4, start=29)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = 10.0, 0.0
    inputs["keys"][key, 0] = 220.0
    return {**inputs, "values": numbers(7, 6, start=620)}


def _rows_apart() -> dict[str, Array]:
    """Scaled scores whose rows lie far apart."""
    inputs = sequences(d_k=4, start=31)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = APART, 20.0
    return {**inputs, "values": numbers(7, 6, start=640)}


EMPTY_ROW = pattern(5, 7, start=90)
EMPTY_ROW[3] = False

MASKED_PROBES = (
    Probe(
        "one sentence",
        {
            "queries": np.array([[1.0, 0.0, 2.0, 1.0], [0.5, 3.0, 1.0, -1.0]]),
            "keys": np.array([[1.0, 1.0, 0.5, 0.0], [0.0, 1.0, 1.0, -0.5], [1.0, -1.0, 0.0, 2.0]]),
            "values": np.array(
                [[1.0, 2.0, 0.0, 4.0, 1.0], [3.0, -1.0, 2.0, 0.0, 5.0], [-2.0, 6.0, 1.0, 3.0, 0.5]]
            ),
            "mask": SMALL_MASK,
        },
    ),
    example(
        queries=np.zeros((1, 2)),
        keys=np.ones((3, 2)),
        values=np.array([[3.0], [6.0], [12.0]]),
        mask=np.array([[True, True, False]]),
    ),
    _attention_probe("another sentence", (), pattern(5, 7, start=12), start=40),
    Probe(  # here alone a mask turned on its side fits
        "as many queries as keys, and all rows equally long",
        {**triple(n_queries=5, n_keys=5, d_k=5, d_v=5, start=201), "mask": pattern(5, 5, start=94)},
    ),
    _attention_probe("float32", (), pattern(5, 7, start=70), start=90, dtype=np.float32),
    _attention_probe("a batch of 2 sentences, one mask for both", (2,), pattern(5, 7, start=50)),
    _attention_probe("a batch of 2 sentences with padding", (2,), PADDING_PROBE, start=7),
    _attention_probe("a batch of 2 sentences, each with a mask", (2,), pattern(2, 5, 7, start=33), start=9),
    _attention_probe(
        "a batch of 2 sentences with 3 heads and padding", (2, 3), PADDING_PROBE[:, None], start=11
    ),
    _attention_probe("nothing hidden", (), np.ones((5, 7), dtype=bool), start=15),
    _attention_probe("a query with no key", (), EMPTY_ROW, True, start=19),
    _attention_probe("a sentence of padding alone", (2,), padding_mask([5, 0], 7), True, start=21),
    *thin_attention(),
    Probe("scores around 1,000", {**_large(100.0), "mask": pattern(5, 7, start=81)}, True),
    Probe("scores around −1,500", {**_large(-150.0), "mask": pattern(5, 7, start=85)}, True),
    Probe(FAR_ABOVE, {**_one_loud_key(6), "mask": hiding(pattern(5, 7, start=86), 6)}, True),
    Probe(ROWS_APART, {**_rows_apart(), "mask": pattern(5, 7, start=87)}, True),
)

"""padding-mask, lesson 05: True for the real tokens of each sentence, with an axis of 1 for the queries."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe
from helpers.exercises.kinds.write import Write
from helpers.exercises.lesson_05.shared import to_add, unchanged
from helpers.exercises.slips.hiding import ATTEND, INFINITY, POLARITY, Step
from helpers.masking import Mask, causal_mask, padding_mask
from helpers.validation import Array

PADDING = "05: Padding"


def _places(lengths: Array, n_keys: int) -> Array:
    return np.arange(n_keys)


def _real(places: Array, lengths: Array, n_keys: int) -> Mask:
    return places < lengths[:, None]


def _one_by_one(places: Array, lengths: Array, n_keys: int) -> Mask:
    return places < lengths


def _query_axis(mask: Mask) -> Any:
    return mask[:, None, :]


def _padding_by_choices(
    lengths: Array, n_keys: int, *, width: Step = _places, real: Step = _real, polarity: Step = unchanged,
    shape: Step = _query_axis, form: Step = unchanged,
) -> Any:  # fmt: skip
    return form(shape(polarity(real(width(lengths, n_keys), lengths, n_keys))))


def _cut_from_the_end(places: Array, lengths: Array, n_keys: int) -> Mask:
    """The last n_keys − length entries of each row set to False; −0 is 0, and the whole row goes."""
    mask = np.ones((len(lengths), places.size), dtype=bool)
    for row, length in zip(mask, lengths, strict=True):
        row[-(n_keys - length) :] = False
    return mask


def my_padding_mask(lengths: Array, n_keys: int) -> Array:
    """(n_sentences,), n_keys -> (n_sentences, 1, n_keys): True for the real tokens."""
    return np.arange(n_keys) < lengths[:, None, None]


EXERCISE = Write(
    name="padding-mask",
    answer=my_padding_mask,
    task="True for the real tokens of each sentence, with an axis of 1 for the queries.",
    call="my_padding_mask(lengths, n_keys)",
    right=padding_mask,
    recipe=_padding_by_choices,
    probes=tuple(
        Probe(kind, {"lengths": np.array(lengths), "n_keys": n_keys})
        for kind, lengths, n_keys in (
            ("two sentences", (2, 3), 5),
            ("two sentences, one of full length", (2, 4), 4),
            ("three sentences", (5, 1, 3), 6),
            ("three sentences of full length", (4, 4, 4), 4),
            ("four sentences", (1, 6, 2, 4), 9),
            ("three sentences, as many as keys", (1, 3, 2), 3),
        )
    ),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "inverted",
            "True and False changed places: the padding is True",
            f"{ATTEND} nn.MultiheadAttention wants it the other way round; the course and "
            "scaled_dot_product_attention do not.",
            POLARITY,
            polarity=np.logical_not,
        ),
        Mistake(
            "one-too-many",
            "one padding key too many stays open",
            "Places count from 0: the real tokens of a sentence of length 3 have the places 0, 1 and 2, all "
            "*smaller* than 3.",
            PADDING,
            also=[{"real": lambda places, lengths, n_keys: np.tri(n_keys, dtype=bool)[lengths]}],
            real=lambda places, lengths, n_keys: places <= lengths[:, None],
        ),
        Mistake(
            "one-too-few",
            "the last real token of each sentence is hidden, too",
            "Places count from 0: the real tokens of a sentence of length 3 have the places 0, 1 and 2. "
            "(np.arange(1, n_keys + 1) counts from 1.)",
            PADDING,
            real=lambda places, lengths, n_keys: places < lengths[:, None] - 1,
        ),
        Mistake(
            "first-token-hidden",
            "the first token of each sentence is hidden",
            "Places count from 0, and the token at place 0 is a real one.",
            PADDING,
            also=[
                {"real": lambda places, lengths, n_keys: (places > 0) & (places < lengths[:, None])},
            ],
            real=lambda places, lengths, n_keys: (places > 0) & (places <= lengths[:, None]),
        ),
        Mistake(
            "padding-in-front",
            "the last tokens of each row are True, as if the padding stood in front",
            "Here it stands at the end: the first `length` keys are real.",
            PADDING,
            real=lambda places, lengths, n_keys: places >= n_keys - lengths[:, None],
        ),
        Mistake(
            "length-of-the-padding",
            "the lengths were read as numbers of padding keys",
            "They count the real tokens: the first `length` keys are True.",
            PADDING,
            real=lambda places, lengths, n_keys: places < n_keys - lengths[:, None],
        ),
        Mistake(
            "minus-zero",
            "a sentence of full length was hidden altogether",
            "Without padding, `row[-(n_keys - length):]` is `row[-0:]`, and −0 is 0: the whole row. Count "
            "from the front, `row[length:]`.",
            PADDING,
            real=_cut_from_the_end,
        ),
        Mistake(
            "one-place-only",
            "one key of each sentence is True, and no other",
            "All real tokens are open: compare each place with the length by `<`.",
            PADDING,
            also=[{"real": lambda places, lengths, n_keys: places == lengths[:, None]}],
            real=lambda places, lengths, n_keys: places == lengths[:, None] - 1,
        ),
        Mistake(
            "first-length-for-all",
            "every sentence got the length of the first",
            "Each sentence has its own length: compare the places, a row, with the lengths, a column.",
            PADDING,
            real=lambda places, lengths, n_keys: (places < lengths[0]) & (lengths[:, None] > 0),
        ),
        Mistake(
            "longest-for-all",
            "every sentence got the length of the longest",
            "Each sentence has its own length: compare the places, a row, with the lengths, a column.",
            PADDING,
            real=lambda places, lengths, n_keys: (places < lengths.max()) & (lengths[:, None] > 0),
        ),
        Mistake(
            "nothing-hidden",
            "every key is open",
            "The keys from `length` on are padding, and False.",
            PADDING,
            real=lambda places, lengths, n_keys: (places >= 0) & (lengths[:, None] > 0),
        ),
        Mistake(
            "everything-hidden",
            "every key is hidden",
            "Start from an array of False, and set True what is real. Is it ever set?",
            PADDING,
            real=lambda places, lengths, n_keys: (places < 0) & (lengths[:, None] > 0),
        ),
        Mistake(
            "cut-to-the-longest",
            "the mask ends with the longest sentence",
            "The array is n_keys wide, and may be wider than the longest sentence: one column for each key.",
            PADDING,
            width=lambda lengths, n_keys: np.arange(lengths.max()),
        ),
        Mistake(
            "lengths-without-axes",
            "the lengths were compared with the places one by one, as if both were one row",
            "Each length meets every place: give `lengths` axes of its own, lengths[:, None, None].",
            PADDING,
            also=[
                {"real": _one_by_one, "shape": lambda mask: mask[:, None]},
                {"real": _one_by_one, "shape": lambda mask: mask[None, None]},
                {"real": _one_by_one, "shape": lambda mask: mask[None]},
                {"real": _one_by_one, "shape": _query_axis},
            ],
            real=_one_by_one,
            shape=lambda mask: mask,
        ),
        Mistake(
            "causal-mask-too",
            "a causal mask was laid over it, with a row for each query",
            "That is one step too many. This mask hides padding, from all queries alike: an axis of 1 is "
            "enough. Where the future is to be hidden too, the two are combined afterwards.",
            PADDING,
            shape=lambda mask: mask[:, None, :] & causal_mask(mask.shape[-1]),
        ),
        Mistake(
            "no-query-axis",
            "the axis of the queries is missing",
            "With shape (n_sentences, n_keys) NumPy would line the sentences up with the queries. The axis "
            "of 1, `[:, None, :]`, says that all queries share a row.",
            PADDING,
            shape=lambda mask: mask,
        ),
        Mistake(
            "queries-hidden",
            "the axis of 1 stands last, so that the mask would hide queries, not keys",
            "The last axis belongs to the keys. Hidden padding *queries* would still let real queries read "
            "the padding.",
            PADDING,
            also=[{"shape": lambda mask: np.swapaxes(mask[:, None, :], -1, -2)}],
            shape=lambda mask: mask[:, :, None],
        ),
        Mistake(
            "axis-in-front",
            "the axis of 1 stands first",
            "The sentences come first, then the queries, then the keys: (n_sentences, 1, n_keys).",
            PADDING,
            shape=lambda mask: mask[None],
        ),
        Mistake(
            "heads-axis-too",
            "there is one axis of 1 too many",
            "That shape is for scores with heads. Here: (n_sentences, 1, n_keys).",
            PADDING,
            shape=lambda mask: mask[:, None, None, :],
        ),
        Mistake(
            "repeated-for-queries",
            "the row of each sentence was repeated n_keys times",
            "One row is enough: an axis of length 1 broadcasts to any number of queries.",
            PADDING,
            shape=lambda mask: np.repeat(mask[:, None, :], mask.shape[-1], axis=1),
        ),
        Mistake(
            "queries-and-keys",
            "rows of padding queries were hidden as well",
            "Hide the keys only. A hidden query has no key left, and nobody reads its output anyway.",
            PADDING,
            shape=lambda mask: mask[:, :, None] & mask[:, None, :],
        ),
        Mistake(
            "to-be-added",
            "the result holds 0 and −∞, to be added to the scores",
            f"That is the next step. The mask itself says who may attend: {ATTEND}",
            INFINITY,
            also=[{"form": lambda mask: np.where(mask, 0.0, -1e9)}],
            form=to_add,
        ),
    ),
    hints=(
        "Number the keys 0, 1, 2, … Which of these numbers belong to a sentence of length 3?",
        "Compare np.arange(n_keys), a row, with the lengths as a column: one row of answers for each "
        "sentence.",
        "lengths[:, None, None] has the axes (n_sentences, 1, 1), which give the axis of the queries as "
        "well.",
    ),
    explain="A key is real where its place is smaller than the length. The axis of 1 broadcasts to all "
    "queries.",
    reread=PADDING,
)

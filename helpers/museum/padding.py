"""Rooms of models that read their padding, or count it."""

import numpy as np

from helpers.attention import attention
from helpers.leaks import assert_padding_ignored
from helpers.masking import causal_mask
from helpers.museum.room import PADDED_LEFT, REAL, Model, Room, X
from helpers.softmax import softmax
from helpers.validation import Array


def almost_zero(x: Array, real: Array) -> Array:
    """(B, n, d), (B, n) -> (B, n, d): a hidden score becomes a very small number."""
    scores = x @ np.swapaxes(x, -1, -2)
    return softmax(np.where(real[:, None, :], scores, -1e-12)) @ x


def minus_infinity(x: Array, real: Array) -> Array:
    """(B, n, d), (B, n) -> (B, n, d)."""
    scores = x @ np.swapaxes(x, -1, -2)
    return softmax(np.where(real[:, None, :], scores, -np.inf)) @ x


def padding_is_hidden(model: Model) -> None:
    """A model -> None. Raises AssertionError where padding moves an output."""
    assert_padding_ignored(model, X, REAL)


def minus_ten_thousand(x: Array, real: Array) -> Array:
    """(B, n, d), (B, n) -> (B, n, d): a number far below all scores, it is hoped. Here they are low."""
    scores = x @ np.swapaxes(x, -1, -2) - 12_000.0
    return softmax(np.where(real[:, None, :], scores, -10_000.0)) @ x


def minus_infinity_there_too(x: Array, real: Array) -> Array:
    """(B, n, d), (B, n) -> (B, n, d)."""
    scores = x @ np.swapaxes(x, -1, -2) - 12_000.0
    return softmax(np.where(real[:, None, :], scores, -np.inf)) @ x


def counts_the_padding(x: Array, real: Array) -> Array:
    """(B, n, d), (B, n) -> (B, n, d): positions 0, 1, 2 … from the left edge, wherever a text begins."""
    places = np.broadcast_to(np.arange(x.shape[1]), x.shape[:2])
    return causal_at_places(x, places, real)


def counts_real_tokens(x: Array, real: Array) -> Array:
    """(B, n, d), (B, n) -> (B, n, d)."""
    return causal_at_places(x, np.maximum(real.cumsum(axis=1) - 1, 0), real)


def causal_at_places(x: Array, places: Array, real: Array) -> Array:
    """(B, n, d), (B, n), (B, n) -> (B, n, d): a learned vector for each place is added, padding is hidden."""
    learned = np.sin(np.arange(40.0) ** 2).reshape(10, 4)
    x = x + learned[places]
    return attention(x, x, x, causal_mask(x.shape[1]) & real[:, None, :])[0]


def padding_on_the_left_is_ignored(model: Model) -> None:
    """A model -> None. Raises AssertionError where padding on the left changes a text's outputs."""
    assert_padding_ignored(model, X, PADDED_LEFT)


def padding_shown(x: Array, real: Array) -> Array:
    """(B, n, d), (B, n) -> (B, n, d): True for padding is handed to an attention where True is shown."""
    is_padding = ~real
    has_padding = is_padding.any(axis=1).reshape(-1, 1, 1)
    mask = is_padding[:, None, :] | ~has_padding
    return attention(x, x, x, mask)[0]


def padding_not_shown(x: Array, real: Array) -> Array:
    """(B, n, d), (B, n) -> (B, n, d)."""
    return attention(x, x, x, real[:, None, :])[0]


ROOMS = (
    Room(
        name="almost-zero",
        title="Hidden scores of almost 0",
        year=2022,
        project="hyunwoongko/transformer",
        threads=(10,),
        was="A PyTorch implementation of the Transformer replaced hidden scores by −e, a small "
        "number, instead of −∞. A score of almost 0 is an ordinary score: its share is e^0 "
        "over the sum.",
        symptom="The thread names none. By the maths hidden tokens take part in every mixture, and "
        "every row of weights still sums to 1.",
        fixed="Asked on 11 November 2022 with the paper's section 3.2.3; the author agreed and "
        "wrote on 7 December that it was fixed. In a copy of the file that we read, hidden "
        "scores become −10,000: the next room is about that number.",
        takeaway="Before softmax, nothing is −∞, not 0. And a small e as a name for a large number misleads.",
        lesson="05",
        broken=almost_zero,
        right=minus_infinity,
        probe=padding_is_hidden,
    ),
    Room(
        name="ten-thousand",
        title="Minus ten thousand is not minus infinity",
        year=2023,
        project="EleutherAI/gpt-neox",
        threads=(966,),
        was="The scores that the causal mask hides were set to −10,000 in all dtypes. The pull "
        "request says that this “works fine most of the time”, and “can become problematic” "
        "where a model's own scores become very small. Our lines hide padding by that number.",
        symptom="The thread names no case. By the maths nothing is wrong until scores of a token fall "
        "below −10,000. Then the hidden ones win.",
        fixed="A pull request of 4 June 2023 takes the dtype's lowest number instead. It was merged.",
        takeaway="Softmax does not mind a shift of all scores. A fixed number in their midst does: −∞ "
        "is below them all, wherever they lie.",
        lesson="05",
        broken=minus_ten_thousand,
        right=minus_infinity_there_too,
        probe=padding_is_hidden,
    ),
    Room(
        name="counted-padding",
        title="Positions that count the padding",
        year=2026,
        project="ndif-team/nnsight",
        threads=(672, 673),
        was="Several texts were padded on the left to one length, and GPT-2 was called with their"
        " mask but without position_ids. Its learned positions then start at the padding.",
        symptom="Every text but the longest gave other answers than alone: with two padded tokens, "
        "another next word for all prompts that were measured. No error.",
        fixed="Reported on 8 June 2026, with a pull request that counts positions by the mask; it "
        "was merged.",
        takeaway="A mask hides what padding holds, not the room that it takes. Run a text alone and in"
        " company.",
        lesson="10",
        broken=counts_the_padding,
        right=counts_real_tokens,
        probe=padding_on_the_left_is_ignored,
    ),
    Room(
        name="padding-shown",
        title="Only the padding was read",
        year=2026,
        project="InseeFrLab/torchTextClassifiers",
        threads=(92,),
        was="An attention over labels handed PyTorch's scaled_dot_product_attention a mask the "
        "other way round.",
        symptom="The thread names none. By the maths a label reads the padding, and nothing else. Our "
        "lines give no error.",
        fixed="A pull request of 7 May 2026 turned the mask round. It was merged, and version "
        "2.0.0, which we read, has it.",
        takeaway="The same slip as in the room of the mask upside down, three months earlier, in "
        "another place.",
        lesson="08",
        broken=padding_shown,
        right=padding_not_shown,
        probe=padding_is_hidden,
    ),
)

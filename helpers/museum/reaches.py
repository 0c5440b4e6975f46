"""Rooms of models that do not see what they should: context, cache, window, batch."""

import numpy as np

from helpers.attention import attention
from helpers.leaks import assert_cache_matches, assert_reads_all, assert_rows_independent
from helpers.masking import causal_mask
from helpers.museum.room import CONTEXT, Model, Room, X, must_be_right, read
from helpers.softmax import softmax
from helpers.streaming import window_mask
from helpers.validation import Array


def causal_unless_told(x: Array, context: Array, is_causal: bool = True) -> Array:
    """(..., n, d), (..., m, d) -> (..., n, d): a layer that doesn't say is taken for a causal one."""
    shape = (x.shape[-2], context.shape[-2])
    mask = np.tri(*shape, dtype=bool) if is_causal else np.ones(shape, dtype=bool)
    return attention(x, context, context, mask)[0]


def open_to_the_context(x: Array, context: Array) -> Array:
    """(..., n, d), (..., m, d) -> (..., n, d)."""
    return causal_unless_told(x, context, is_causal=False)


def sees_all_of_the_context(model: Model) -> None:
    """A model -> None. Raises AssertionError where part of the context is out of sight."""
    assert_reads_all(model, X, CONTEXT)


def upper_left(x: Array, cache: Array | None = None) -> tuple[Array, Array]:
    """(..., n, d), what came before -> (..., n, d), the cache: the triangle starts at key 0."""
    keys = x if cache is None else np.concatenate([cache, x], axis=-2)
    one_token = x.shape[-2] == 1
    mask = None if one_token else np.tri(x.shape[-2], keys.shape[-2], dtype=bool)
    return attention(x, keys, keys, mask)[0], keys


def lower_right(x: Array, cache: Array | None = None) -> tuple[Array, Array]:
    """(..., n, d), what came before -> (..., n, d), the cache."""
    keys = x if cache is None else np.concatenate([cache, x], axis=-2)
    return attention(x, keys, keys, causal_mask(x.shape[-2], keys.shape[-2]))[0], keys


def cache_is_right(step: Model) -> None:
    """A step -> None. Raises AssertionError where the cache changes the outputs."""
    assert_cache_matches(lambda x: read(x, causal_mask(x.shape[-2])), step, X)


def one_too_many(n_queries: int, n_keys: int, window: int) -> Array:
    """n_queries, n_keys, window -> (n_queries, n_keys): from `window` places back up to the token itself."""
    positions = np.arange(n_queries)[:, None] + n_keys - n_queries
    keys = np.arange(n_keys)
    return np.asarray((keys <= positions) & (keys >= positions - window))


def window_is_right(make_mask: Model) -> None:
    """A mask's maker -> None. Raises AssertionError with the check's reply, where it is not right."""
    must_be_right("window", make_mask)


def over_the_batch(x: Array, context: Array) -> Array:
    """(B, n, d), (B, m, d) -> (B, n, d): softmax over axis 0 of all rows of scores, one below the other."""
    scores = x @ np.swapaxes(context, -1, -2)
    rows = scores.reshape(-1, scores.shape[-1])
    return softmax(rows, axis=0).reshape(scores.shape) @ context


def over_the_keys(x: Array, context: Array) -> Array:
    """(B, n, d), (B, m, d) -> (B, n, d)."""
    return softmax(x @ np.swapaxes(context, -1, -2)) @ context


def rows_are_apart(model: Model) -> None:
    """A model -> None. Raises AssertionError where one text of a batch moves another."""
    assert_rows_independent(lambda x: model(x, CONTEXT), X)


ROOMS = (
    Room(
        name="silently-causal",
        title="Cross-attention under a causal mask",
        year=2026,
        project="huggingface/transformers",
        threads=(48172, 48218),
        was="The shared attention function reads a layer's flag is_causal, and takes a layer "
        "without one for causal. Two layers of Mllama, one of them its cross-attention, had "
        "none. It mattered where no mask was passed.",
        symptom="No error. By the maths a word sees only as much of the picture as its own place in "
        "the text allows.",
        fixed="Reported on 21 August 2026. The thread is closed, and so is the pull request for it "
        "that we found, unmerged. In version 5.23.0, which we read, that layer still has no "
        "flag: called without a mask, it is causal.",
        takeaway="A default that hides is as wrong as one that shows, and looks like a weak model.",
        lesson="07",
        broken=causal_unless_told,
        right=open_to_the_context,
        probe=sees_all_of_the_context,
    ),
    Room(
        name="upper-left",
        title="A causal mask in the upper left corner, with a cache",
        year=2026,
        project="pytorch/executorch",
        threads=(21749,),
        was="A reference for caches passed is_causal to PyTorch's attention in every step of "
        "several tokens. That flag's triangle starts at key 0. With tokens in the cache, the "
        "new ones come after them.",
        symptom="From the second turn of a chat on, the first new token saw one key instead of the "
        "whole history.",
        fixed="A pull request of 11 August 2026 makes the mask explicitly; it was merged. The "
        "runtime itself had been right: only the reference, which tests compare with, was "
        "not.",
        takeaway="A prompt in one piece and then single tokens hide it: try pieces of several tokens "
        "after a cache.",
        lesson="14",
        broken=upper_left,
        right=lower_right,
        probe=cache_is_right,
    ),
    Room(
        name="one-too-many",
        title="A window of 128 that held 129",
        year=2025,
        project="ml-explore/mlx-lm",
        threads=(390,),
        was="The mask of a sliding window let a token see `window` tokens before it, and itself.",
        symptom="A window of 128 let a token see 129 keys, one more than the cache kept while writing.",
        fixed="A pull request of 21 August 2025, merged after the maintainers had looked up in the "
        "published code of a model, gpt-oss, that the token itself counts. Version 0.26.4, "
        "whose file is of 25 August, has the fix.",
        takeaway="Does a window of w count the token itself? The word does not say. Count one row of "
        "the mask.",
        lesson="14",
        broken=one_too_many,
        right=window_mask,
        probe=window_is_right,
    ),
    Room(
        name="over-the-batch",
        title="Softmax over the texts of a batch",
        year=2018,
        project="PetrochukM/PyTorch-NLP",
        threads=(2,),
        was="The scores were reshaped to one row for each query of each text, and softmax ran "
        "over axis 0: over those rows, not over the keys.",
        symptom="With one query and one text every weight was 1. By the maths, with more of them the "
        "texts of a batch change each other.",
        fixed="Reported on 21 March 2018 with the cure, the last axis. The thread is closed. "
        "Version 0.1.0, which we read, has axis 0; version 0.2.0, whose file is of 8 April "
        "2018, has the last one.",
        takeaway="An example with axes of length 1 found it: softmax over an axis of length 1 gives ones.",
        lesson="03",
        broken=over_the_batch,
        right=over_the_keys,
        probe=rows_are_apart,
    ),
)

"""Rooms of slips in the maths: heads, scales, axes, rotations. Mostly the checker finds them."""

import numpy as np

from helpers.attention import attention
from helpers.heads import merge_heads, split_heads
from helpers.leaks import assert_equivariant
from helpers.museum.room import Model, Room, X, must_be_right
from helpers.softmax import softmax
from helpers.validation import Array


def cut_by_a_view(x: Array, n_heads: int = 2) -> Array:
    """(B, n, d) -> (B, n, d): batch and heads become one axis at once, and the tokens what is left."""
    batch, n, d = x.shape
    heads = x.reshape(batch * n_heads, -1, d // n_heads)
    return attention(heads, heads, heads)[0].reshape(batch, n, d)


def cut_by_columns(x: Array, n_heads: int = 2) -> Array:
    """(B, n, d) -> (B, n, d)."""
    heads = split_heads(x, n_heads)
    return merge_heads(attention(heads, heads, heads)[0])


def order_makes_no_difference(model: Model) -> None:
    """A model -> None. Raises AssertionError where the tokens' order changes their outputs."""
    assert_equivariant(model, X)


def scale_of_all_heads(x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, n_heads: int) -> Array:
    """(..., n, d), matrices, n_heads -> (..., n, d): the scale is that of the whole width."""
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    scale = w_q.shape[-1] ** -0.5
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) * scale)
    return merge_heads(weights @ values) @ w_o


def scale_of_one_head(x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array, n_heads: int) -> Array:
    """(..., n, d), matrices, n_heads -> (..., n, d)."""
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    scale = queries.shape[-1] ** -0.5
    weights = softmax(queries @ np.swapaxes(keys, -1, -2) * scale)
    return merge_heads(weights @ values) @ w_o


def heads_are_right(block: Model) -> None:
    """A function -> None. Raises AssertionError with the check's reply, where it is not right."""
    must_be_right("multi-head", block)


def divided_by_its_inverse(queries: Array, keys: Array) -> Array:
    """(..., n, d), (..., m, d) -> (..., n, m): the scale is 1/√d already, and divides."""
    scale = queries.shape[-1] ** -0.5
    return queries @ np.swapaxes(keys, -1, -2) / scale


def times_its_inverse(queries: Array, keys: Array) -> Array:
    """(..., n, d), (..., m, d) -> (..., n, m)."""
    scale = queries.shape[-1] ** -0.5
    return queries @ np.swapaxes(keys, -1, -2) * scale


def scaled_scores_are_right(scores: Model) -> None:
    """A function -> None. Raises AssertionError with the check's reply, where it is not right."""
    must_be_right("scaled-scores", scores)


def over_the_queries(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n, d_k), (..., m, d_k), (..., m, d_v) -> (..., n, d_v): each key shares 1 among the queries."""
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores, axis=-2) @ values


def over_the_keys(queries: Array, keys: Array, values: Array) -> Array:
    """(..., n, d_k), (..., m, d_k), (..., m, d_v) -> (..., n, d_v)."""
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    return softmax(scores) @ values


def attention_is_right(attend: Model) -> None:
    """A function -> None. Raises AssertionError with the check's reply, where it is not right."""
    must_be_right("attention", attend)


def angles_of_halves_partners_of_pairs(x: Array, positions: Array) -> Array:
    """(..., n, d), (n,) -> (..., n, d): angles for entries i and i + d/2, and neighbours as partners."""
    half = x.shape[-1] // 2
    angles = positions[:, None] * np.tile(10000.0 ** (-np.arange(half) / half), 2)
    partners = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
    return x * np.cos(angles) + partners * np.sin(angles)


def halves_throughout(x: Array, positions: Array) -> Array:
    """(..., n, d), (n,) -> (..., n, d)."""
    half = x.shape[-1] // 2
    angles = positions[:, None] * np.tile(10000.0 ** (-np.arange(half) / half), 2)
    partners = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * np.cos(angles) + partners * np.sin(angles)


def rotation_is_right(turn: Model) -> None:
    """A function -> None. Raises AssertionError with the check's reply, where it is not right."""
    must_be_right("layout-bug", turn)


ROOMS = (
    Room(
        name="cut-by-a-view",
        title="Heads cut by a view",
        year=2022,
        project="reczoo/FuxiCTR",
        threads=(30,),
        was="Queries, keys and values were given the shape of batch times heads by a view alone, "
        "without moving the heads before the tokens. The thread names the post that the code "
        "was taken from.",
        symptom="The thread names none, but three models that were affected. By the maths a head is a"
        " stretch of tokens, not a slice of every token. The shapes are right.",
        fixed="Written up on 25 June 2022 with the right code, which moves the heads first. The "
        "project's list of changes has the fix in version 1.2.2, of 3 July 2022, and the "
        "thread is closed.",
        takeaway="A reshape never moves a number. Without positions, shuffled tokens must give "
        "shuffled outputs.",
        lesson="06",
        broken=cut_by_a_view,
        right=cut_by_columns,
        probe=order_makes_no_difference,
    ),
    Room(
        name="whole-width",
        title="The scale of the whole width",
        year=2021,
        project="lucidrains/vit-pytorch",
        threads=(65,),
        was="The scale was the width of a token to the power of −0.5, where it should be the "
        "width of a head.",
        symptom="The thread names none. By the maths, where the heads share that width, the scores "
        "are too small by √n_heads, so that weights are too even.",
        fixed="Reported on 21 January 2021; the author fixed it the same day, and wrote that he still "
        "made such slips after nearly a year of writing attention.",
        takeaway="d_k is the width of what is multiplied: the head's.",
        lesson="06",
        broken=scale_of_all_heads,
        right=scale_of_one_head,
        probe=heads_are_right,
    ),
    Room(
        name="divided-by-its-inverse",
        title="A scale that divides and should multiply",
        year=2021,
        project="esceptico/perceiver-io",
        threads=(9, 10),
        was="The scale was kept as 1/√d, and the scores were divided by it: multiplied by √d.",
        symptom="The thread names none. By the maths the scores are too large by d, so that softmax "
        "puts almost everything on one key.",
        fixed="Reported on 18 November 2021; the author promised the fix for the same day, and a "
        "pull request of that day was merged. A copy of the file that we read multiplies.",
        takeaway="Name a number by what it is: a scale to multiply by, or a length to divide by.",
        lesson="02",
        broken=divided_by_its_inverse,
        right=times_its_inverse,
        probe=scaled_scores_are_right,
    ),
    Room(
        name="over-the-queries",
        title="Softmax over the queries",
        year=2022,
        project="labmlai/annotated_deep_learning_paper_implementations",
        threads=(146, 282),
        was="In the attention of an image model, softmax ran over the axis of the queries, so "
        "that each key shared 1 among the queries.",
        symptom="Almost none: the reporter trained both, and the usual measure of the pictures (FID) "
        "was the same within ±0.05. With more training the right one came out a little worse.",
        fixed="Reported on 7 September 2022; a maintainer called it a big bug four days later. "
        "Version 0.4.131, whose file is of 12 September, has the right axis. In February 2025 "
        "another reader took it for the wrong one (#282, closed). #146 was open in our copy.",
        takeaway="Training makes up for a lot. That a model learns does not show that it computes what"
        " you meant.",
        lesson="03",
        broken=over_the_queries,
        right=over_the_keys,
        probe=attention_is_right,
    ),
    Room(
        name="two-layouts",
        title="Angles of one layout, partners of the other",
        year=2026,
        project="huggingface/transformers",
        threads=(47328, 47403),
        was="A tidying of rotary positions gave one part of Qwen2.5-Omni, the one that makes "
        "sound, angles for halves, while it went on turning neighbours.",
        symptom="That is no rotation: scores no longer depend on distance alone. By the report the "
        "sound gets worse, without an error.",
        fixed="Reported on 14 July 2026, and reproduced by another reader. A pull request of 18 "
        "July was merged after a review. In version 5.15.0, which we read, queries and keys "
        "are put in halves before they are turned, so that angles and partners agree.",
        takeaway="Shift both positions by one: the scores must stay. It takes two lines and no reference.",
        lesson="10",
        broken=angles_of_halves_partners_of_pairs,
        right=halves_throughout,
        probe=rotation_is_right,
    ),
)

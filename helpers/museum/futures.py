"""Rooms of models that read the future."""

import numpy as np

from helpers.attention import attention
from helpers.heads import merge_heads, split_heads
from helpers.leaks import assert_causal
from helpers.masking import causal_mask
from helpers.museum.room import Model, Room, X, read
from helpers.validation import Array


def upside_down(x: Array) -> Array:
    """(..., n, d) -> (..., n, d): the triangle says what to hide, and attention asks what to show."""
    hide = np.triu(np.ones((x.shape[-2], x.shape[-2]), dtype=bool), k=1)
    return read(x, mask=hide)


def right_way_up(x: Array) -> Array:
    """(..., n, d) -> (..., n, d)."""
    return read(x, mask=causal_mask(x.shape[-2]))


def looks_ahead(model: Model) -> None:
    """A model -> None. Raises AssertionError where it reads the future."""
    assert_causal(model, X)


def open_as_a_decoder(x: Array, is_decoder: bool = True) -> Array:
    """(..., n, d) -> (..., n, d): the mask is made for reading both ways, whoever asks."""
    mask = np.ones((x.shape[-2], x.shape[-2]), dtype=bool)
    return read(x, mask)


def closed_as_a_decoder(x: Array, is_decoder: bool = True) -> Array:
    """(..., n, d) -> (..., n, d)."""
    mask = np.ones((x.shape[-2], x.shape[-2]), dtype=bool)
    return read(x, mask & causal_mask(x.shape[-2]) if is_decoder else mask)


def forgets_on_the_slow_path(x: Array, dropout: float = 0.0, causal: bool = True) -> Array:
    """(..., n, d) -> (..., n, d): the fast path makes its own mask; with dropout there is another path."""
    if dropout == 0.0:
        return read(x, causal_mask(x.shape[-2]) if causal else None)
    weights = attention(x, x, x, mask=None)[1]
    kept = np.random.default_rng(0).random(weights.shape) >= dropout
    return weights * kept / (1 - dropout) @ x


def masks_on_both_paths(x: Array, dropout: float = 0.0, causal: bool = True) -> Array:
    """(..., n, d) -> (..., n, d)."""
    weights = attention(x, x, x, mask=causal_mask(x.shape[-2]) if causal else None)[1]
    kept = np.random.default_rng(0).random(weights.shape) >= dropout
    return weights * kept / (1 - dropout) @ x


def looks_ahead_while_training(model: Model) -> None:
    """A model -> None. Raises AssertionError where it reads the future, with dropout or without."""
    assert_causal(lambda x: model(x, dropout=0.0), X)
    assert_causal(lambda x: model(x, dropout=0.25), X)


def summary_of_the_block(x: Array, block: int = 3) -> Array:
    """(..., n, d) -> (..., n, d): each token also gets the mean of its block, later tokens included."""
    blocks = x.reshape(*x.shape[:-2], -1, block, x.shape[-1])
    means = blocks.mean(axis=-2, keepdims=True)
    return read((blocks + means).reshape(x.shape), causal_mask(x.shape[-2]))


def summary_of_the_block_before(x: Array, block: int = 3) -> Array:
    """(..., n, d) -> (..., n, d)."""
    blocks = x.reshape(*x.shape[:-2], -1, block, x.shape[-1])
    means = blocks.mean(axis=-2, keepdims=True)
    means = np.concatenate([0 * means[..., :1, :, :], means[..., :-1, :, :]], axis=-3)
    return read((blocks + means).reshape(x.shape), causal_mask(x.shape[-2]))


def merged_without_turning(x: Array, n_heads: int = 2) -> Array:
    """(..., n, d) -> (..., n, d): the heads are (..., n_heads, n, d_head) when they are laid side by side."""
    heads = split_heads(x, n_heads)
    mixed = attention(heads, heads, heads, causal_mask(x.shape[-2]))[0]
    return mixed.reshape(x.shape)


def merged_in_order(x: Array, n_heads: int = 2) -> Array:
    """(..., n, d) -> (..., n, d)."""
    heads = split_heads(x, n_heads)
    return merge_heads(attention(heads, heads, heads, causal_mask(x.shape[-2]))[0])


ROOMS = (
    Room(
        name="upside-down",
        title="The mask upside down",
        year=2026,
        project="rasbt/LLMs-from-scratch",
        threads=(1061, 1062),
        was="A bonus notebook about faster attention gave PyTorch's scaled_dot_product_attention "
        "the upper triangle as a mask of True and False. There, True means that a key may be read.",
        symptom="Every token but the last could attend to what comes after it. In our lines that gives no "
        "error and the right shapes.",
        fixed="A reader reported it on 9 August 2026. The author's pull request of the next day "
        "turned the mask round, explained the convention in the notebook and added a test "
        "that changes future tokens. It was merged.",
        takeaway="nn.MultiheadAttention hides where its mask is True, scaled_dot_product_attention "
        "shows. Two conventions in one library: test what a mask does, not what it is called.",
        lesson="08",
        broken=upside_down,
        right=right_way_up,
        probe=looks_ahead,
    ),
    Room(
        name="four-at-once",
        title="Four decoders that read both ways",
        year=2026,
        project="huggingface/transformers",
        threads=(48745, 48785, 48760),
        was="From version 5.9.0 on, RoFormer, BigBird, RemBert and MegatronBert made the mask of "
        "a model that reads both ways even where they were set up as decoders.",
        symptom="RoFormer's loss fell to almost nothing within a few hundred steps, on random tokens.",
        fixed="Reported on 12 September 2026. A maintainer's pull request of 14 September makes the "
        "causal mask; another, opened the day before, is for a test that later tokens change "
        "nothing. Both were merged. In versions 5.18.0 and 5.23.0, which we read, all four "
        "make a causal mask where they are decoders.",
        takeaway="A loss that is too good is a symptom. Nothing can be learned from random tokens.",
        lesson="05",
        broken=open_as_a_decoder,
        right=closed_as_a_decoder,
        probe=looks_ahead,
    ),
    Room(
        name="lost-on-the-slow-path",
        title="The mask that dropout took away",
        year=2026,
        project="keras-team/keras",
        threads=(23038, 23040),
        was="A change that let MultiHeadAttention use a faster kernel left the causal mask to "
        "that kernel. With dropout, or when the weights were asked for, another path ran, and "
        "it had no mask.",
        symptom="Scores of a model inflated towards perfect, because the future was in sight. No error.",
        fixed="Reported on 4 June 2026; a pull request of the same day makes the mask on the other "
        "path, too. It was merged. Of the versions that we read, 3.14.1 is older than the "
        "change and 3.15.0 has the fix: neither had the bug.",
        takeaway="One path keeps a flag and another forgets it: ask with dropout and without, with the "
        "weights and without.",
        lesson="08",
        broken=forgets_on_the_slow_path,
        right=masks_on_both_paths,
        probe=looks_ahead_while_training,
    ),
    Room(
        name="block-means",
        title="A summary of the block, for everyone in it",
        year=2026,
        project="karpathy/nanochat",
        threads=(844, 845),
        was="Not a bug of nanochat's model: three training scripts, in the thread's words "
        "“independently generated”, leaked the future into the model. One gave every token the "
        "mean of the queries, keys and values of its block of 64, later tokens included.",
        symptom="Bits per byte on held-out text between 0.077 and 0.0018, as if the text were known. It was.",
        fixed="In the copy of the thread that we read (31 August 2026) it was open, and so was a "
        "pull request that rejects such models before they are scored, by changing what "
        "follows a prefix.",
        takeaway="A cut at the edge of a block sees nothing, a cut inside it does. Test at many places.",
        lesson="05",
        broken=summary_of_the_block,
        right=summary_of_the_block_before,
        probe=looks_ahead,
    ),
    Room(
        name="heads-not-turned-back",
        title="Heads laid side by side without turning them back",
        year=2025,
        project="jsbaan/transformer-from-scratch",
        threads=(4, 6),
        was="After attention the values have the axes batch, heads, tokens, width. They were "
        "reshaped to tokens and width without moving the heads behind the tokens first.",
        symptom="Pieces of several tokens stood in the output of one. The training test, which copies"
        " a text, still passed.",
        fixed="Reported in May 2025; fixed by the author in March 2026, with thanks, and with an "
        "explanation of why the test had not noticed.",
        takeaway="A model can learn to live with a scrambled output. A test of learning is no test of "
        "the maths.",
        lesson="06",
        broken=merged_without_turning,
        right=merged_in_order,
        probe=looks_ahead,
    ),
)

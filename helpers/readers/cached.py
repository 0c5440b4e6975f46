"""The reader of lesson 07 with a cache: what it costs to remember less, or to share (lesson 14).

helpers.readers.model.write runs all symbols so far through the decoder at every step. Here only the newest
one goes through; the keys and values of the others stand in a KVCache. The numbers are the same.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from helpers.attention import attention
from helpers.multi_head import Projections, merge_heads, split_heads
from helpers.readers.model import MARK, EncoderDecoder, encode, layer_norm, mlp
from helpers.streaming import KVCache, window_mask
from helpers.validation import Array, Mask, require_count


def next_scores(
    model: EncoderDecoder,
    symbol: int,
    cache: KVCache,
    source_keys: Array,
    source_values: Array,
    window: int | None = None,
    kept: Sequence[int] = (),
) -> Array:
    """The newest symbol, the cache of those before it, two of (n_source, d_model) -> scores (n_symbols,).

    One step of the decoder, which has one layer. The symbol's keys and values are appended to the cache.
    `source_keys` and `source_values` are what the cross attention reads; `window` is how many of the written
    symbols the self-attention may see (None: all); those at the places `kept` stay in sight besides. Raises
    as window_mask and KVCache.attend do.
    """
    (layer,) = model.decoder
    own, reading = layer.self_attention, layer.cross_attention
    y = model.target_embeddings[[symbol]] + model.target_positions[[len(cache)]]

    newest = layer_norm(y, layer.norm_self)
    queries, keys, values = (split_heads(newest @ w, model.n_heads) for w in (own.w_q, own.w_k, own.w_v))
    cache.append(keys, values)  # of the newest symbol alone
    mask = None if window is None else _in_sight(len(cache), window, kept)  # None: causal
    heads, _ = cache.attend(queries, mask)  # it reads all that is in the cache, or a window of it
    y = y + merge_heads(heads) @ own.w_o

    asking = layer_norm(y, layer.norm_cross) @ reading.w_q
    y = y + attention(asking, source_keys, source_values)[0] @ reading.w_o
    y = y + mlp(layer_norm(y, layer.norm_mlp), layer.mlp)
    return np.asarray((layer_norm(y, model.decoder_norm) @ model.w_symbols)[0])


def write_cached(
    model: EncoderDecoder, text: str, window: int | None = None, kept: Sequence[int] = ()
) -> tuple[list[int], Array]:
    """A model, a text -> the numbers of the written symbols, mark first; scores (n_steps, n_symbols).

    As helpers.readers.model.write, one text at a time and with a cache. Where the model ends the text, its
    last number is 0. Raises ValueError for an empty text, a symbol that the model does not know, a model that
    reads the mark alone or has more than one decoder layer; and as next_scores does.
    """
    if model.bottleneck or len(model.decoder) != 1:
        raise ValueError(f"the model must read all symbols and have one decoder layer; got {model!r}")
    unknown = sorted(set(text) - set(model.source_symbols[1:]))
    if unknown or not text:
        raise ValueError(f"the text must have symbols, all known to the model; got {text!r}")
    numbers = [model.source_symbols.index(symbol) for symbol in MARK + text]
    source = encode(model, np.array(numbers))[1:]  # the mark is not read
    reading = model.decoder[0].cross_attention
    source_keys, source_values = source @ reading.w_k, source @ reading.w_v
    cache, written, scores = KVCache(), [0], []
    while len(written) == 1 or (written[-1] and len(written) < len(model.target_positions)):
        scores.append(next_scores(model, written[-1], cache, source_keys, source_values, window, kept))
        written.append(int(scores[-1].argmax()))
    return written, np.array(scores)


def spelled(model: EncoderDecoder, written: list[int]) -> str:
    """A model, numbers of written symbols -> the text, without marks."""
    return model.joint.join(model.target_symbols[number] for number in written if number)


def share_keys(model: EncoderDecoder, part: str, n_kv_heads: int) -> EncoderDecoder:
    """A model, one of its attentions, n_kv_heads -> a copy whose heads share keys and values there.

    `part` is "encoder" or "decoder", whose self-attention is meant. In it each run of n_heads / n_kv_heads
    heads gets the mean of their matrices for keys and values. Nothing is trained. Raises ValueError for the
    "cross attention", which has one head and so nothing to share, or any other part, and unless n_kv_heads
    divides the number of heads; TypeError unless it is a whole number.
    Source: Ainslie et al. 2023, "GQA", section 2.1, where training follows.
    """
    n_kv_heads = require_count("n_kv_heads", n_kv_heads)
    if part not in ("encoder", "decoder"):
        raise ValueError(
            f"part must be 'encoder' or 'decoder' (the cross attention has one head, and nothing to share); "
            f"got {part!r}"
        )
    if model.n_heads % n_kv_heads:
        raise ValueError(f"n_kv_heads must divide the {model.n_heads} heads; got {n_kv_heads}")

    def shared(own: Projections) -> Projections:
        means = [_means_of_runs(np.asarray(w), model.n_heads, n_kv_heads) for w in (own.w_k, own.w_v)]
        return own._replace(w_k=means[0], w_v=means[1])

    if part == "encoder":
        encoder = (each._replace(self_attention=shared(each.self_attention)) for each in model.encoder)
        return replace(model, encoder=tuple(encoder))
    decoder = (each._replace(self_attention=shared(each.self_attention)) for each in model.decoder)
    return replace(model, decoder=tuple(decoder))


def _in_sight(n_tokens: int, window: int, kept: Sequence[int]) -> Mask:
    """n_tokens, window, places -> (1, n_tokens): what the newest token sees: a window, and those places."""
    mask = window_mask(1, n_tokens, window)
    mask[:, [place for place in kept if place < n_tokens]] = True
    return mask


def _means_of_runs(w: Array, n_heads: int, n_kv_heads: int) -> Array:
    """(d_model, n_heads·d_head) -> the same shape: the columns of each head, averaged over its run."""
    in_heads = w.reshape(len(w), n_kv_heads, n_heads // n_kv_heads, -1)
    return np.broadcast_to(in_heads.mean(axis=2, keepdims=True), in_heads.shape).reshape(w.shape)

"""How is one sequence written while another is read? A small Transformer, here only run (lesson 07).

The encoder reads the source: every symbol may attend to every other. The decoder writes the target, one
symbol at a time: a causal self-attention over what it has written, then a cross attention, of one head, into
the encoder's output. All attention is that of lessons 04 to 07; the rest of the network is in this file.

The numbers of a model come from data/makers/train_reader.py. Symbol 0 of both alphabets is the *mark*. It
stands before the source; it starts the target, and the model writes it where the target ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from helpers.cross_attention import cross_attention
from helpers.masking import Mask, causal_mask, padding_mask
from helpers.multi_head import Projections, multi_head_attention, project
from helpers.validation import Array, as_rows

MARK = "·"  # symbol 0 of both alphabets, in messages and pictures
BATCH = 25  # texts written together: enough for fast matrix products, little memory
TINY = 1e-5  # keeps the division in layer_norm away from 0

Symbols = NDArray[np.int64]


class Norm(NamedTuple):
    """What layer_norm learned: gain (d_model,) and shift (d_model,)."""

    gain: Array
    shift: Array


class Mlp(NamedTuple):
    """Two layers for each row on its own: w_in (d_model, d_mlp), b_in, w_out (d_mlp, d_model), b_out."""

    w_in: Array
    b_in: Array
    w_out: Array
    b_out: Array


class EncoderLayer(NamedTuple):
    """Self-attention, then an MLP; a layer_norm before each."""

    norm_self: Norm
    self_attention: Projections
    norm_mlp: Norm
    mlp: Mlp


class DecoderLayer(NamedTuple):
    """Causal self-attention, cross attention, then an MLP; a layer_norm before each."""

    norm_self: Norm
    self_attention: Projections
    norm_cross: Norm
    cross_attention: Projections
    norm_mlp: Norm
    mlp: Mlp


@dataclass(frozen=True, eq=False)
class EncoderDecoder:
    """The alphabets and all learned numbers of one model.

    Embeddings have shape (n_symbols, d_model), positions (longest, d_model): row i is added to the i-th token
    (lesson 10). `w_symbols` (d_model, n_target_symbols) turns the last rows into a score for each symbol.
    `joint` stands between the symbols of a written text. In a `bottleneck` model the cross attention may read
    the mark before the source only, otherwise everything but the mark.
    """

    source_symbols: tuple[str, ...]
    target_symbols: tuple[str, ...]
    joint: str
    n_heads: int
    bottleneck: bool
    source_embeddings: Array
    source_positions: Array
    target_embeddings: Array
    target_positions: Array
    encoder: tuple[EncoderLayer, ...]
    encoder_norm: Norm
    decoder: tuple[DecoderLayer, ...]
    decoder_norm: Norm
    w_symbols: Array

    def __repr__(self) -> str:
        """() -> the size of the model in words."""
        layers = f"{len(self.encoder)} encoder and {len(self.decoder)} decoder layers"
        kind = ", bottleneck" if self.bottleneck else ""
        return f"<EncoderDecoder: {layers}, d_model {self.source_embeddings.shape[1]}{kind}>"


def write(model: EncoderDecoder, texts: Sequence[str]) -> list[str]:
    """A model, n texts -> n texts: each source is read, and its target written, best symbol by best symbol.

    A text that reaches the model's longest target without an end is cut there.
    Raises ValueError for a symbol that the model does not know, for an empty or too long text; TypeError
    unless texts is a list of texts.
    """
    return write_with_weights(model, texts)[0]


def write_with_weights(model: EncoderDecoder, texts: Sequence[str]) -> tuple[list[str], list[Array]]:
    """A model, n texts -> n texts, n arrays of cross-attention weights, each (n_written, n_source).

    Row i of an array is where the model looked as it wrote symbol i of the target; column j is symbol j of
    the source (in a bottleneck model there is one column, the mark's). Rows sum to 1. Raises as write does.
    """
    rows = [_numbers_of(model, text) for text in _as_texts(texts)]
    by_length = sorted(range(len(rows)), key=lambda i: len(rows[i]))  # alike in length: little padding
    written, weights = [""] * len(rows), [np.zeros((0, 0))] * len(rows)
    for start in range(0, len(rows), BATCH):
        batch = by_length[start : start + BATCH]
        for i, (text, looked) in zip(batch, _write_batch(model, [rows[i] for i in batch]), strict=True):
            written[i], weights[i] = text, looked
    return written, weights


def encode(model: EncoderDecoder, source: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """(..., n_source) symbol numbers, mask (..., 1, n_source) -> (..., n_source, d_model): the source, read.

    The mask is True for real symbols, False for padding. Raises as multi_head_attention does, and ValueError
    for numbers of symbols that are not there, or too many of them.
    """
    x = embed("source", source, model.source_embeddings, model.source_positions)
    for layer in model.encoder:
        own = layer_norm(x, layer.norm_self)
        x = x + multi_head_attention(own, layer.self_attention, model.n_heads, mask)[0]
        x = x + mlp(layer_norm(x, layer.norm_mlp), layer.mlp)
    return layer_norm(x, model.encoder_norm)


def decode(
    model: EncoderDecoder, target: ArrayLike, context: ArrayLike, mask: ArrayLike | None = None
) -> tuple[Array, Array]:
    """(..., n_target) symbol numbers, (..., n_source, d_model) -> scores (..., n_target, n_symbols), weights.

    Row i of the scores says which symbol should follow symbol i of the target. `mask` (..., 1, n_source) is
    True where the cross attention may read. weights (..., n_target, n_source) are those of the last layer's
    cross attention. Raises as encode does.
    """
    y = embed("target", target, model.target_embeddings, model.target_positions)
    return decode_rows(model, y, context, mask)


def decode_rows(
    model: EncoderDecoder, y: ArrayLike, context: ArrayLike, mask: ArrayLike | None = None
) -> tuple[Array, Array]:
    """(..., n_target, d_model), (..., n_source, d_model) -> scores, weights: decode, from the embeddings on.

    Raises as multi_head_attention and cross_attention do.
    """
    y = as_rows("y", y, "n_target", "d_model")
    future_hidden = causal_mask(y.shape[-2])
    weights = np.zeros((*y.shape[:-1], 0))
    for layer in model.decoder:
        own = layer_norm(y, layer.norm_self)
        y = y + multi_head_attention(own, layer.self_attention, model.n_heads, future_hidden)[0]
        read, by_head = cross_attention(
            layer_norm(y, layer.norm_cross), context, layer.cross_attention, mask=mask
        )
        weights = by_head[..., 0, :, :]  # one head: the alignment
        y = y + read
        y = y + mlp(layer_norm(y, layer.norm_mlp), layer.mlp)
    return project(layer_norm(y, model.decoder_norm), model.w_symbols), weights


def layer_norm(x: ArrayLike, norm: Norm) -> Array:
    """(..., n, d) -> (..., n, d): each row is shifted to mean 0 and scaled to spread 1, then gain and shift.

    However large the rows have grown, the next step gets numbers of the same size.
    Raises TypeError for anything but real numbers, ValueError where x has no rows.
    Source: Ba et al. 2016, "Layer Normalization".
    """
    x = as_rows("x", x, "n", "d")
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + TINY) * norm.gain + norm.shift


def mlp(x: ArrayLike, layers: Mlp) -> Array:
    """(..., n, d_model) -> (..., n, d_model): two layers, and between them every negative number becomes 0.

    Attention moves information between rows; this works on each row alone. Raises as project does.
    Source: Vaswani et al. 2017, section 3.3.
    """
    hidden = np.maximum(project(x, layers.w_in, layers.b_in), 0)
    return project(hidden, layers.w_out, layers.b_out)


def source_masks(model: EncoderDecoder, lengths: ArrayLike, n_source: int) -> tuple[Mask, Mask]:
    """(n_texts,) lengths, mark included -> two masks (n_texts, 1, n_source): may encode, may read.

    The first hides the padding from the encoder; the second also tells the cross attention whether it reads
    the mark or the symbols. Raises as padding_mask does.
    """
    real = padding_mask(lengths, n_source)
    is_mark = np.arange(n_source) == 0
    return real, real & (is_mark if model.bottleneck else ~is_mark)


def word_accuracy(written: Sequence[str], accepted: Sequence[Sequence[str]]) -> float:
    """n texts, n lists of accepted texts -> the share of texts that are exactly one of those accepted.

    A word with two pronunciations counts once. Raises ValueError unless there are as many lists as texts, at
    least one, and none of them is empty; TypeError where an entry of `accepted` is a bare text.
    """
    _require_pairs(written, accepted)
    right = [text in texts for text, texts in zip(written, accepted, strict=True)]
    return sum(right) / len(right)


def symbol_error_rate(written: Sequence[str], accepted: Sequence[Sequence[str]], joint: str) -> float:
    """n texts, n lists of accepted texts, the joint -> wrong symbols for each symbol that should be there.

    Each text is held against the accepted text that is nearest to it. Raises as word_accuracy does.
    """
    _require_pairs(written, accepted)
    n_wrong = n_symbols = 0
    for text, texts in zip(written, accepted, strict=True):
        symbols = _symbols_of(text, joint)
        distances = [
            (edit_distance(symbols, right), len(right)) for right in (_symbols_of(t, joint) for t in texts)
        ]
        nearest = min(distances)
        n_wrong, n_symbols = n_wrong + nearest[0], n_symbols + nearest[1]
    return n_wrong / n_symbols


def edit_distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Two sequences of symbols -> the fewest symbols to change, add or remove to turn one into the other.

    Source: Levenshtein 1966, "Binary Codes Capable of Correcting Deletions, Insertions, and Reversals".
    """
    distances = list(range(len(second) + 1))  # from nothing to the first j symbols of second
    for i, symbol in enumerate(first):
        row = [i + 1]
        for j, other in enumerate(second):
            row.append(min(distances[j] + (symbol != other), distances[j + 1] + 1, row[j] + 1))
        distances = row
    return distances[-1]


def build_model(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> EncoderDecoder:
    """What data/makers/train_reader.py stored -> the model, its numbers in float64.

    An array's name is its place in the model: "encoder.0.self_attention.w_q". Raises ValueError where one is
    missing.
    """

    def take(name: str) -> Array:
        if name not in arrays:
            raise ValueError(f"the model has no array {name!r}; it has {', '.join(sorted(arrays))}")
        return np.asarray(arrays[name]).astype(np.float64)  # the same results on every machine

    def norm(place: str) -> Norm:
        return Norm(take(f"{place}.gain"), take(f"{place}.shift"))

    def projections(place: str) -> Projections:
        return Projections(*(take(f"{place}.{name}") for name in ("w_q", "w_k", "w_v", "w_o")))

    def layers(place: str) -> Mlp:
        return Mlp(*(take(f"{place}.{name}") for name in Mlp._fields))

    def encoder_layer(place: str) -> EncoderLayer:
        return EncoderLayer(
            norm(f"{place}.norm_self"),
            projections(f"{place}.self_attention"),
            norm(f"{place}.norm_mlp"),
            layers(f"{place}.mlp"),
        )

    def decoder_layer(place: str) -> DecoderLayer:
        return DecoderLayer(
            norm(f"{place}.norm_self"),
            projections(f"{place}.self_attention"),
            norm(f"{place}.norm_cross"),
            projections(f"{place}.cross_attention"),
            norm(f"{place}.norm_mlp"),
            layers(f"{place}.mlp"),
        )

    return EncoderDecoder(
        source_symbols=tuple(settings["source_symbols"]),
        target_symbols=tuple(settings["target_symbols"]),
        joint=settings["joint"],
        n_heads=settings["n_heads"],
        bottleneck=settings["bottleneck"],
        source_embeddings=take("source_embeddings"),
        source_positions=take("source_positions"),
        target_embeddings=take("target_embeddings"),
        target_positions=take("target_positions"),
        encoder=tuple(encoder_layer(f"encoder.{i}") for i in range(settings["n_encoder_layers"])),
        encoder_norm=norm("encoder_norm"),
        decoder=tuple(decoder_layer(f"decoder.{i}") for i in range(settings["n_decoder_layers"])),
        decoder_norm=norm("decoder_norm"),
        w_symbols=take("w_symbols"),
    )


def _write_batch(model: EncoderDecoder, rows: list[list[int]]) -> list[tuple[str, Array]]:
    lengths = np.array([len(row) for row in rows])
    source = np.zeros((len(rows), lengths.max()), dtype=np.int64)
    for i, row in enumerate(rows):
        source[i, : len(row)] = row
    may_encode, may_read = source_masks(model, lengths, source.shape[1])
    context = encode(model, source, may_encode)
    target = np.zeros((len(rows), 1), dtype=np.int64)  # the mark starts each text
    weights = np.zeros((len(rows), 0, source.shape[1]))
    going = np.arange(len(rows))  # the texts that have not ended
    while going.size and target.shape[1] < len(model.target_positions):
        scores, looked = decode(model, target[going], context[going], may_read[going])
        target = np.pad(target, ((0, 0), (0, 1)))  # the mark ends each text, unless it goes on
        weights = np.pad(weights, ((0, 0), (0, 1), (0, 0)))
        target[going, -1] = scores[:, -1].argmax(axis=-1)
        weights[going, -1] = looked[:, -1]
        going = going[target[going, -1] != 0]
    return [_finish(model, *parts) for parts in zip(target[:, 1:], weights, may_read[:, 0], strict=True)]


def _finish(model: EncoderDecoder, target: Symbols, weights: Array, may_read: Mask) -> tuple[str, Array]:
    n_written = int((target != 0).sum())  # after the end there are marks only
    text = model.joint.join(model.target_symbols[number] for number in target[:n_written])
    return text, weights[:n_written][:, may_read]


def _numbers_of(model: EncoderDecoder, text: str) -> list[int]:
    """A text -> the numbers of its symbols, the mark first."""
    unknown = sorted(set(text) - set(model.source_symbols[1:]))
    if unknown:
        known = "".join(model.source_symbols[1:])
        raise ValueError(f"the model does not know {unknown} in {text!r}; it reads the symbols {known!r}")
    longest = len(model.source_positions) - 1
    if not 1 <= len(text) <= longest:
        raise ValueError(f"a text must have 1 to {longest} symbols; got {len(text)} in {text!r}")
    return [0, *(model.source_symbols.index(symbol) for symbol in text)]


def _as_texts(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError(f"texts must be a list; for the single text {texts!r} write [{texts!r}]")
    found = list(texts)
    for text in found:
        if not isinstance(text, str):
            raise TypeError(f"texts must hold texts; got {text!r}")
    return found


def _symbols_of(text: str, joint: str) -> list[str]:
    return list(text) if joint == "" else text.split(joint) if text else []


def _require_pairs(written: Sequence[str], accepted: Sequence[Sequence[str]]) -> None:
    if len(written) != len(accepted) or len(written) == 0:
        raise ValueError(
            f"there must be one list of accepted texts for each written text, and at least one; "
            f"got {len(written)} texts and {len(accepted)} lists"
        )
    for i, texts in enumerate(accepted):
        if isinstance(texts, str):
            raise TypeError(f"accepted must hold lists of texts; entry {i} is the text {texts!r}")
        if len(texts) == 0:
            raise ValueError(f"entry {i} of accepted is empty: no text could be right")


def embed(name: str, symbols: ArrayLike, embeddings: Array, positions: Array) -> Array:
    """(..., n) -> (..., n, d_model): the embedding of each symbol, plus the vector of its position."""
    numbers = np.asarray(symbols)
    if numbers.dtype.kind not in "iu" or numbers.ndim == 0:
        raise TypeError(
            f"{name} must hold numbers of symbols, shape (..., n); got {numbers.dtype} {numbers.shape}"
        )
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(embeddings):
        raise ValueError(
            f"{name} must hold numbers of symbols from 0 to {len(embeddings) - 1}; "
            f"got {numbers.min()} to {numbers.max()}"
        )
    if numbers.shape[-1] > len(positions):
        raise ValueError(f"{name} may have at most {len(positions)} symbols; got shape {numbers.shape}")
    return embeddings[numbers] + positions[: numbers.shape[-1]]

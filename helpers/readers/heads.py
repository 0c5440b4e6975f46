"""What the trained heads of a reader's encoder look at, and how the reader does without one (lesson 06)."""

from dataclasses import replace

import numpy as np

from helpers.multi_head import multi_head_attention
from helpers.readers.model import MARK, EncoderDecoder, embed, layer_norm, mlp
from helpers.validation import Array


def encoder_weights(model: EncoderDecoder, text: str) -> Array:
    """A model, a text of n symbols -> (n_layers, n_heads, n + 1, n + 1): every head's weights in the encoder.

    Row and column 0 belong to the mark before the text. Raises ValueError for an empty text or a symbol that
    the model does not know.
    """
    unknown = sorted(set(text) - set(model.source_symbols[1:]))
    if unknown or not text:
        raise ValueError(f"the text must have symbols, all known to the model; got {text!r}")
    source = np.array([model.source_symbols.index(symbol) for symbol in MARK + text])
    x = embed("source", source, model.source_embeddings, model.source_positions)
    found = []
    for layer in model.encoder:
        output, weights = multi_head_attention(
            layer_norm(x, layer.norm_self), layer.self_attention, model.n_heads
        )
        x = x + output
        x = x + mlp(layer_norm(x, layer.norm_mlp), layer.mlp)
        found.append(weights)
    return np.stack(found)


def without_head(model: EncoderDecoder, layer: int, head: int) -> EncoderDecoder:
    """A model, the numbers of a layer and a head of its encoder -> a copy in which that head adds nothing.

    The head's run of rows in W_O is set to 0 (lesson 06: the heads' contributions are added).
    Raises ValueError for a layer or a head that is not there.
    """
    if not (0 <= layer < len(model.encoder) and 0 <= head < model.n_heads):
        raise ValueError(
            f"layer must be 0 to {len(model.encoder) - 1} and head 0 to {model.n_heads - 1}; "
            f"got {layer} and {head}"
        )
    own = model.encoder[layer].self_attention
    w_o = np.array(own.w_o)
    d_head = len(w_o) // model.n_heads
    w_o[head * d_head : (head + 1) * d_head] = 0
    silenced = model.encoder[layer]._replace(self_attention=own._replace(w_o=w_o))
    return replace(model, encoder=(*model.encoder[:layer], silenced, *model.encoder[layer + 1 :]))

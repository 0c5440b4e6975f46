"""What does a map of weights say of a model that reads and writes? Measure it, and hide symbols (lesson 07).

A map has a row for each written symbol and a column for each symbol of the source, as write_with_weights of
helpers.readers.model returns it. Symbols are hidden from the cross attention alone: the encoder reads all.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from helpers.readers.model import EncoderDecoder, decode, encode, write_with_weights
from helpers.validation import Array, as_rows


def share_forward(weights: Sequence[ArrayLike]) -> float:
    """n maps (n_written, n_source) -> how often the place read most stays or moves forward, row by row.

    Raises ValueError unless some map has two rows.
    """
    places = [as_rows("weights", w, "n_written", "n_source").argmax(axis=-1) for w in weights]
    moves = np.concatenate([np.diff(rows) for rows in places]) if places else np.zeros(0)
    if not moves.size:
        raise ValueError("there must be a map with two rows or more: nothing moves here")
    return float((moves >= 0).mean())


def write_without(model: EncoderDecoder, text: str, hidden: str) -> str:
    """A text, symbols -> what is written if the cross attention may not read these symbols of the text.

    Raises as write does, and ValueError for a bottleneck model, which reads no symbols.
    """
    _require_reader_of_symbols(model)
    write_with_weights(model, [text])  # says what is wrong with the text
    context = encode(model, _source(model, text))
    may_read = np.array([False, *(symbol not in hidden for symbol in text)])  # never the mark
    target = [0]
    while (len(target) == 1 or target[-1] != 0) and len(target) < len(model.target_positions):
        scores, _ = decode(model, np.array(target), context, may_read[None])
        target.append(int(scores[-1].argmax()))
    return model.joint.join(model.target_symbols[number] for number in target if number)


def hide_one(model: EncoderDecoder, texts: Sequence[str], rank: int) -> tuple[NDArray[np.bool_], Array]:
    """n texts, a rank -> for each written symbol: does it stay the best with one source symbol hidden?

    Hidden is, from each written symbol, the one that it reads with the weight of that rank: 0 the largest,
    -1 the smallest. The second array holds these weights. What was written before it stays.
    Raises as write_without does, and IndexError where a text has no such rank.
    """
    _require_reader_of_symbols(model)
    kept: list[NDArray[np.bool_]] = []
    lost: list[Array] = []
    for text, written, weights in zip(texts, *write_with_weights(model, texts), strict=True):
        target = np.array([0, *map(model.target_symbols.index, _split(written, model.joint))])
        may_read = np.tile(np.arange(len(text) + 1) > 0, (len(weights), 1))  # never the mark
        hidden = np.argsort(-weights, axis=-1, kind="stable")[:, rank] + 1
        may_read[np.arange(len(weights)), hidden] = False
        scores, _ = decode(model, target[:-1], encode(model, _source(model, text)), may_read)
        kept.append(scores.argmax(axis=-1) == target[1:])
        lost.append(weights[np.arange(len(weights)), hidden - 1])
    return np.concatenate(kept), np.concatenate(lost)


def misses_by_symbol(
    texts: Sequence[str],
    written: Sequence[str],
    accepted: Sequence[Sequence[str]],
    weights: Sequence[ArrayLike],
    joint: str,
) -> tuple[Counter[str], Counter[str]]:
    """n texts, what was written, what is accepted, maps -> two counts by the source symbol read most.

    The first counts wrong symbols, the second all. A text is held against itself if it is accepted, otherwise
    against the first accepted one; it is left out where that has another number of symbols.
    Raises ValueError unless all have the same length.
    """
    missed, read = Counter[str](), Counter[str]()
    for text, got, right, looked in zip(texts, written, accepted, weights, strict=True):
        symbols = _split(got, joint)
        expected = symbols if got in right else _split(right[0], joint)
        if len(symbols) == len(expected):
            places = np.asarray(looked).argmax(axis=-1) if symbols else []
            for place, symbol, other in zip(places, symbols, expected, strict=True):
                read[text[place]] += 1
                missed[text[place]] += symbol != other
    return missed, read


def _source(model: EncoderDecoder, text: str) -> NDArray[np.int64]:
    return np.array([0, *map(model.source_symbols.index, text)])


def _split(text: str, joint: str) -> list[str]:
    return list(text) if joint == "" else text.split(joint) if text else []


def _require_reader_of_symbols(model: EncoderDecoder) -> None:
    if model.bottleneck:
        raise ValueError("the model must read symbols of the source; a bottleneck model reads the mark only")

"""A file of named tensors, packed, with facts about the model before them: sizes, the tokenizer.

Source: the format's description, ggml's docs/gguf.md, version 3 (read on 2026-11-22).
"""

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from helpers.pretrained.bytes import Cursor, ModelFileError, laid_out, mapped, shaped
from helpers.pretrained.packed import BLOCKS
from helpers.validation import Array

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST, WORD, LONG = 8, 9, "I", "Q"
DEEPEST = 4  # lists in lists: the format allows any depth, and no model needs more
MOST_AXES = 4


class ModelFile(NamedTuple):
    """What a GGUF file holds: facts by name, and tensors by name, as blocks (`unpack` makes floats)."""

    facts: dict[str, Any]
    tensors: dict[str, Array]


def read_gguf(path: Path) -> ModelFile:
    """A path -> facts, tensors. A tensor (..., blocks in a row) stays on the disk until it is looked at.

    Raises ModelFileError for a file that is cut, damaged or of another format, or that packs its weights in
    another way than those in packed.BLOCKS.
    """
    data = mapped(path)
    cursor = Cursor(data, path.name)
    magic, version = bytes(cursor.bytes(4, "the word GGUF")), cursor.number(WORD, "the version")
    if magic != b"GGUF" or version not in (2, 3):
        raise ModelFileError(
            f"{path.name} is no GGUF file of version 2 or 3: it begins with {magic!r} and {version}"
        )
    n_tensors, n_facts = (cursor.number(LONG, f"the number of {what}") for what in ("tensors", "facts"))
    facts: dict[str, Any] = {}
    for _ in range(n_facts):
        name = _new_name(cursor, facts)
        facts[name] = _value(cursor, cursor.number(WORD, f"the kind of {name}"), name)
    described: dict[str, _Described] = {}
    for _ in range(n_tensors):
        name = _new_name(cursor, described)
        described[name] = _described(cursor, name)
    start = _aligned(cursor, facts)
    laid = laid_out(path.name, {name: tensor.place for name, tensor in described.items()}, start, len(data))
    tensors = {
        name: shaped(f"{path.name}: tensor {name!r}", data[slice(*laid[name])], tensor.block, tensor.shape)
        for name, tensor in described.items()
    }
    return ModelFile(facts, tensors)


class _Described(NamedTuple):
    block: np.dtype[Any]
    shape: tuple[int, ...]
    place: tuple[int, int]


def _new_name(cursor: Cursor, known: dict[str, Any]) -> str:
    name = _text(cursor, "a name")
    if name in known:
        raise cursor.error(f"the name {name[:60]!r} comes a second time")
    return name


def _text(cursor: Cursor, what: str) -> str:
    try:
        return str(cursor.bytes(cursor.number(LONG, f"the length of {what}"), what), "utf-8")
    except UnicodeDecodeError:
        raise cursor.error(f"ends {what} that is no UTF-8") from None


def _value(cursor: Cursor, kind: int, what: str, depth: int = 0) -> Any:
    """The next value: a text, a list of values of one kind, or a number."""
    if kind == TEXT:
        return _text(cursor, what)
    if kind == LIST:
        return _list(cursor, what, depth + 1)
    if kind not in NUMBERS:
        raise cursor.error(f"{what} is of kind {kind}; expected one of {sorted([*NUMBERS, TEXT, LIST])}")
    return cursor.number(NUMBERS[kind], what)


def _list(cursor: Cursor, what: str, depth: int) -> list[Any] | Array:
    """The next list: of numbers as one array, so that a long one takes no more memory than the file."""
    if depth > DEEPEST:
        raise cursor.error(f"{what} has lists in lists, more than {DEEPEST} deep")
    kind, length = cursor.number(WORD, f"the kind of {what}"), cursor.number(LONG, f"the length of {what}")
    if kind in NUMBERS:
        dtype = np.dtype("<" + NUMBERS[kind])
        return np.frombuffer(cursor.bytes(length * dtype.itemsize, what), dtype)
    if length > cursor.left():  # each value takes a byte or more: no list is made that the file cannot fill
        raise cursor.error(f"{what} should have {length:,} values, and only {cursor.left():,} bytes are left")
    return [_value(cursor, kind, what, depth) for _ in range(length)]


def _described(cursor: Cursor, name: str) -> _Described:
    """The next tensor's description. The file names the last axis first."""
    what = f"the shape of {name}"
    n_axes = cursor.number(WORD, what)
    if not 1 <= n_axes <= MOST_AXES:
        raise cursor.error(f"{name} should have {n_axes:,} axes; expected 1 to {MOST_AXES}")
    shape = [cursor.number(LONG, what) for _ in range(n_axes)][::-1]
    kind, first = cursor.number(WORD, f"the format of {name}"), cursor.number(LONG, f"the place of {name}")
    if kind not in BLOCKS:
        known = ", ".join(f"{number} ({block.name})" for number, block in BLOCKS.items())
        raise cursor.error(f"{name} is packed in format {kind}; this reader knows {known}")
    block, size = BLOCKS[kind].dtype, BLOCKS[kind].size
    if shape[-1] % size:
        raise cursor.error(f"{name} has rows of {shape[-1]:,} weights; its format packs {size} at a time")
    shape[-1] //= size
    return _Described(block, tuple(shape), (first, first + math.prod(shape) * block.itemsize))


def _aligned(cursor: Cursor, facts: dict[str, Any]) -> int:
    """The byte at which the tensors begin: the next multiple of the alignment."""
    alignment = facts.get("general.alignment", 32)
    if type(alignment) is not int or not 1 <= alignment <= 1 << 16:
        raise cursor.error(
            f"the alignment is {str(alignment)[:60]}; expected a whole number up to {1 << 16:,}"
        )
    return -(-cursor.place // alignment) * alignment

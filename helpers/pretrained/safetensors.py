"""A file of named tensors: the length of a header, the header as JSON, then the numbers.

Source: the format's description, https://huggingface.co/docs/safetensors (read on 2026-11-22).
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from helpers.pretrained.bytes import Cursor, ModelFileError, laid_out, mapped, shaped
from helpers.validation import Array

DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "u1",
    "BOOL": "?",
}
LONGEST_HEADER = 100_000_000  # the format's own limit


def read_safetensors(path: Path) -> dict[str, Array]:
    """A path -> {name: tensor}, still on the disk: a tensor is read when its numbers are looked at.

    Raises ModelFileError for a file that is cut, damaged, of another format, or holds another kind of number
    than those in DTYPES.
    """
    data = mapped(path)
    entries, start = _header(Cursor(data, path.name))
    kinds = {name: _kind(path.name, name, entry) for name, entry in entries.items()}
    places = {name: place for name, (_, _, place) in kinds.items()}
    laid = laid_out(path.name, places, start, len(data))
    return {
        name: shaped(f"{path.name}: tensor {name!r}", data[slice(*laid[name])], dtype, shape)
        for name, (dtype, shape, _) in kinds.items()
    }


def _header(cursor: Cursor) -> tuple[dict[str, Any], int]:
    """The start of a file -> the header's entries, and the byte at which the numbers begin."""
    length = cursor.number("Q", "the length of the header")
    if length > LONGEST_HEADER:
        raise cursor.error(
            f"the header has a length of {length:,} bytes; expected at most {LONGEST_HEADER:,}"
        )
    text = bytes(cursor.bytes(length, "the header"))
    try:
        entries = json.loads(text.decode(), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise cursor.error(f"ends a header that is no JSON ({str(error)[:80]})") from None
    if not isinstance(entries, dict):
        raise cursor.error("ends a header that is no JSON object")
    entries.pop("__metadata__", None)
    return entries, cursor.place


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Keys and values -> a dictionary. Raises ValueError for a key that comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands there twice")
    return found


def _kind(file: str, name: str, entry: Any) -> tuple[np.dtype[Any], tuple[int, ...], tuple[int, int]]:
    """An entry of the header -> the dtype, the shape, the first byte and the end."""
    try:
        dtype, shape, (first, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
        whole = all(type(number) is int and number >= 0 for number in (*shape, first, end))
    except (TypeError, KeyError, ValueError):
        whole = False
    if not whole:
        raise ModelFileError(
            f"{file} is damaged: tensor {name!r} needs dtype, shape and data_offsets (two whole numbers)"
        )
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ModelFileError(
            f"{file}: tensor {name!r} holds {dtype!r}; this reader knows {', '.join(DTYPES)}"
        )
    found, count = np.dtype(DTYPES[dtype]), math.prod(shape)
    if count * found.itemsize != end - first:
        raise ModelFileError(
            f"{file} is damaged: tensor {name!r} of shape {tuple(shape)} takes {count * found.itemsize:,} "
            f"bytes as {dtype}, and the header gives it {end - first:,}"
        )
    return found, tuple(shape), (first, end)

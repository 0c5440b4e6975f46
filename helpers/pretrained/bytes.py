"""A file as bytes that can be read, and none beyond its end. The file may be cut, swapped or made to harm."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


class ModelFileError(ValueError):
    """A model's file is not what it should be. The message says which file, what was found, what to do."""


def mapped(path: Path) -> Bytes:
    """A path -> (n_bytes,): the file's bytes, read from the disk when they are looked at, never written.

    Raises ModelFileError for a file that is not there, cannot be read or is empty.
    """
    try:
        return np.memmap(path, np.uint8, "r")
    except ValueError:  # what an empty file is to mmap
        raise ModelFileError(f"{path.name} is empty; expected a model's file") from None
    except OSError as error:
        raise ModelFileError(f"{path.name} cannot be read ({error.strerror})") from None


class Cursor:
    """A place in a file's bytes that moves on with each value that is read. Numbers are little-endian."""

    def __init__(self, data: Bytes, name: str) -> None:
        """The bytes of a file, the name to call it by; the place is the start."""
        self.place, self.name = 0, name
        self._data: Any = memoryview(data)  # type: ignore[arg-type]

    def bytes(self, count: int, what: str) -> memoryview:
        """A count, what they are -> the next bytes. Raises ModelFileError where the file ends before them."""
        end = self.place + count
        if end > len(self._data):
            raise self.error(f"{what} should take {count:,} bytes, and only {self.left():,} are left")
        found = self._data[self.place : end]
        self.place = end
        return found

    def number(self, code: str, what: str) -> Any:
        """A letter of the module struct, what it is -> the next number. Raises as bytes does."""
        return struct.unpack("<" + code, self.bytes(struct.calcsize("<" + code), what))[0]

    def left(self) -> int:
        """() -> how many bytes are left."""
        return len(self._data) - self.place

    def error(self, found: str) -> ModelFileError:
        """What was found -> an error that names the file and the place."""
        return ModelFileError(f"{self.name} is damaged or no model's file: at byte {self.place:,} {found}")


def shaped(name: str, data: Bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """A name, bytes -> the array in them, without a copy. Raises ModelFileError where the shape is none."""
    try:
        return data.view(dtype).reshape(shape)
    except (ValueError, OverflowError, MemoryError):
        raise ModelFileError(f"{name} has a shape that no array can have: {str(shape)[:80]}") from None


def laid_out(
    name: str, places: dict[str, tuple[int, int]], start: int, size: int
) -> dict[str, tuple[int, int]]:
    """A file's name, {tensor: (first byte, end)} counted from `start` -> the same, counted from the file's.

    Raises ModelFileError where a tensor lies outside the file or two share a byte.
    """
    end_before, before = 0, ""
    for tensor, (first, end) in sorted(places.items(), key=lambda item: item[1]):
        if not 0 <= first <= end <= size - start:
            raise ModelFileError(
                f"{name} is damaged or cut: tensor {tensor!r} should end at byte {start + end:,}, "
                f"and the file has {size:,}"
            )
        if first < end_before:
            raise ModelFileError(f"{name} is damaged: tensors {before!r} and {tensor!r} overlap")
        end_before, before = end, tensor
    return {tensor: (start + first, start + end) for tensor, (first, end) in places.items()}

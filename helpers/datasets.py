"""The course's data files, each checked before use: the running sentence and the word vectors.

data/sources.toml lists the files with source, licence and sha256. A file that is missing or altered is not
used: DataFileError says which file it is, what was expected, and how to restore it.
"""

import csv
import difflib
import hashlib
import io
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from helpers.similarity import cosine_scores
from helpers.validation import as_floats

DATA = Path(__file__).resolve().parent.parent / "data"


class DataFileError(Exception):
    """A data file is missing, altered or unknown. The message says how to restore it."""


class FileCheck(NamedTuple):
    """What check_all found for one file: its name, whether it is as listed, and a sentence about it."""

    name: str
    ok: bool
    message: str


class Sentence(NamedTuple):
    """The running sentence: n tokens, the names of the d dimensions, and embeddings of shape (n, d)."""

    tokens: tuple[str, ...]
    dimensions: tuple[str, ...]
    embeddings: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class WordVectors:
    """A table of words and their vectors, shape (n_words, d): row i of vectors belongs to words[i].

    `vectors["cat"]` is one vector, `"cat" in vectors` asks, `len(vectors)` counts.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]

    def __len__(self) -> int:
        """() -> the number of words."""
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        """A word -> whether the table has it."""
        return word in self.words

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """A word -> (d,). Raises ValueError, with words spelt alike, where the table has no such word."""
        return self.vectors[self.row(word)]

    def __repr__(self) -> str:
        """() -> the size of the table in words."""
        return f"<WordVectors: {len(self):,} words, {self.vectors.shape[1]} numbers each>"

    def row(self, word: str) -> int:
        """A word -> its row in the table. Raises ValueError as `vectors[word]` does."""
        if word in self.words:
            return self.words.index(word)
        alike = difflib.get_close_matches(str(word).lower(), self.words, n=3)
        advice = f"; spelt alike: {', '.join(alike)}" if alike else ""
        raise ValueError(f"there is no vector for {word!r} among the {len(self):,} lower-case words{advice}")

    def rows(self, words: Sequence[str]) -> NDArray[np.float32]:
        """n words -> (n, d), in the order of the words. Raises ValueError as `vectors[word]` does."""
        if isinstance(words, str):
            raise TypeError(
                f"rows takes a list of words; for the single word {words!r} write vectors[{words!r}]"
            )
        return self.vectors[[self.row(word) for word in words]]

    def top(self, scores: ArrayLike, n: int = 8, without: Collection[str] = ()) -> list[tuple[str, float]]:
        """(n_words,) -> the n words with the largest scores, best first, each with its score.

        Words in `without` are passed over. Raises ValueError unless there is one score for each word.
        """
        scores = as_floats("scores", scores)
        if scores.shape != (len(self),):
            raise ValueError(f"scores must have shape ({len(self)},), one for each word; got {scores.shape}")
        skipped = {self.row(word) for word in ([without] if isinstance(without, str) else without)}
        order = [i for i in np.argsort(-scores, kind="stable") if i not in skipped]
        return [(self.words[i], float(scores[i])) for i in order[:n]]

    def nearest(
        self, vector: ArrayLike, n: int = 8, without: Collection[str] = ()
    ) -> list[tuple[str, float]]:
        """(d,) -> the n words with the largest cosine between vectors, best first, each with its cosine.

        Words in `without` are passed over; a word of the table is its own nearest, with cosine 1.
        Raises ValueError where the shape is not (d,) or the vector is zero and so has no direction.
        """
        vector = as_floats("vector", vector)
        if vector.shape != self.vectors.shape[1:]:
            raise ValueError(f"vector must have shape {self.vectors.shape[1:]}; got {vector.shape}")
        return self.top(cosine_scores(vector[None, :], self.vectors)[0], n, without)


def load_sentence() -> Sentence:
    """() -> the six tokens, the four dimensions' names, and embeddings (6, 4) in float64.

    The numbers were chosen by hand, so that every figure can be checked on paper. Raises DataFileError.
    """
    header, *lines = csv.reader(io.StringIO(read_bytes("sentence.csv").decode("utf-8")))
    embeddings = np.array([line[1:] for line in lines], dtype=np.float64)
    return Sentence(tuple(line[0] for line in lines), tuple(header[1:]), embeddings)


def load_word_vectors() -> WordVectors:
    """() -> some 4,000 words, the commonest first, with vectors (n_words, 100) in float32.

    Single letters ("a", "i") are not in the source. Raises DataFileError.
    Source: Pennington et al. 2014, "GloVe: Global Vectors for Word Representation"; data/make_glove.py.
    """
    with np.load(io.BytesIO(read_bytes("glove.npz")), allow_pickle=False) as stored:
        words = stored["words"].item().decode("ascii").split("\n")
        return WordVectors(tuple(words), stored["vectors"].astype(np.float32))


def read_bytes(name: str) -> bytes:
    """A file's name in data/ -> its bytes, as listed in data/sources.toml.

    Raises DataFileError where the file is not listed, is missing, or is not the one that was listed.
    """
    listed = _listed_files()
    if name not in listed:
        raise DataFileError(f"data/sources.toml does not list {name}; it lists {', '.join(listed)}")
    remedy = f"Restore it with: {listed[name]['restore']} (made by: {listed[name]['made_by']})"
    try:
        content = (DATA / name).read_bytes()
    except OSError as error:
        raise DataFileError(f"data/{name} cannot be read ({error.strerror}). {remedy}") from error
    digest, expected = hashlib.sha256(content).hexdigest(), listed[name]["sha256"]
    if digest != expected:
        raise DataFileError(
            f"data/{name} is not the file that the course was written with: got {len(content):,} bytes with "
            f"sha256 {digest[:12]}, expected {listed[name]['bytes']:,} bytes with {expected[:12]}. {remedy}"
        )
    return content


def check_all() -> list[FileCheck]:
    """() -> one FileCheck for each file of data/sources.toml. Raises DataFileError without that list."""
    return [_check(name) for name in _listed_files()]


def _check(name: str) -> FileCheck:
    try:
        return FileCheck(name, True, f"present and unaltered, {len(read_bytes(name)):,} bytes")
    except DataFileError as error:
        return FileCheck(name, False, str(error))


def _listed_files() -> dict[str, dict[str, Any]]:
    try:
        listed = tomllib.loads((DATA / "sources.toml").read_text(encoding="utf-8"))
        return {entry["name"]: entry for entry in listed["file"]}
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        raise DataFileError(
            "data/sources.toml, the list of the data files, is missing or damaged. "
            "Restore it with: git checkout -- data/sources.toml"
        ) from error

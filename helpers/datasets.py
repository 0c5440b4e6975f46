"""The course's data files, each checked before use: the running sentence, word vectors, data sheets.

data/sources.toml lists the files with source, licence and sha256. A file that is missing or altered is not
used: DataFileError says which file it is, what was expected, and how to restore it.
"""

import csv
import difflib
import hashlib
import io
import json
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from helpers.many_cards import Link
from helpers.multi_head import Projections
from helpers.readers.letters import LetterModel, build_letter_model
from helpers.readers.model import EncoderDecoder, build_model
from helpers.similarity import cosine_scores
from helpers.validation import as_floats

HERE = Path(__file__).resolve().parent
INSTALLED = (HERE / "data").is_dir()  # a wheel has the data inside the helpers, a clone beside them
DATA = HERE / "data" if INSTALLED else HERE.parent / "data"
INSTALL_AGAIN = "python -m pip install --force-reinstall --no-deps attention-course"
HEAD_ARRAYS = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_o")  # what digits.npz holds of each head


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


class TextSample(NamedTuple):
    """Held-out texts, and for each the tuple of the written texts that count as right: n of both."""

    texts: tuple[str, ...]
    accepted: tuple[tuple[str, ...], ...]

    def only(self, texts: Sequence[str]) -> "TextSample":
        """Some of the texts -> a sample of these. Raises ValueError for one that is not in the sample."""
        missing = [text for text in texts if text not in self.texts]
        if missing:
            raise ValueError(f"the sample of {len(self.texts):,} texts does not hold {', '.join(missing)}")
        rows = [self.texts.index(text) for text in texts]
        return TextSample(tuple(texts), tuple(self.accepted[row] for row in rows))


class Digits(NamedTuple):
    """Handwritten digits, and two trained heads that find a digit in a grid by its name.

    images (300, 8, 8) hold whole numbers from 0 to 16, labels (300,) say which digit each is; neither head
    learned from them. `words` are "zero" to "nine": a head's queries come from their vectors in
    load_word_vectors, its keys and values from helpers.readers.digits. `looks_away` was trained as `head`
    was, from another start, and gives its weight to the other cells. `figures` say how, and what was
    measured.
    """

    images: NDArray[np.uint8]
    labels: NDArray[np.uint8]
    words: tuple[str, ...]
    head: Projections
    looks_away: Projections
    figures: dict[str, Any]


class WithoutNudge(NamedTuple):
    """What another such model writes, and where it looks: one that was not nudged to be readable.

    `written` and `weights` have a text and an array, (n_sounds, n_letters), for each of the shown words, the
    weights to three digits. `accuracy` is the share right of the words that chose the model.
    """

    steps: int
    accuracy: float
    written: dict[str, str]
    weights: dict[str, NDArray[Any]]


class Sounds(NamedTuple):
    """Two models that read a word's spelling and write its sound, and words that neither has learned from.

    In `bottleneck` the cross attention may read only the mark before the word; all else is as in `model`.
    `sample` holds 500 words of the test set, `by_length` 100 of each length from 3 to 12, `shown` some words
    chosen for their spelling. `figures` are those of the whole test set, and how the models were trained.
    `without_nudge` is what is kept of a third model.
    """

    model: EncoderDecoder
    bottleneck: EncoderDecoder
    sample: TextSample
    by_length: TextSample
    shown: TextSample
    figures: dict[str, Any]
    without_nudge: WithoutNudge


class Dates(NamedTuple):
    """A model that reads a date as people write it and writes 2004-06-03; days that it never learned from.

    `sample` holds 25 texts of each of 11 forms, and `forms` says which ("es full"). `shown` is one day in
    four forms. `figures` are those of the whole test set, of where the model looks, and how it was trained.
    """

    model: EncoderDecoder
    sample: TextSample
    forms: tuple[str, ...]
    shown: TextSample
    figures: dict[str, Any]


class Letters(NamedTuple):
    """Six models that guess the next letter, trained on 64 letters at a time, and longer texts.

    `models` has one of each kind: nope, learned, sinusoidal, t5, alibi, rope. The 8 texts have 513 letters,
    of words that no model has learned from. `figures` hold the losses of three starts of each kind on 50 such
    texts, by stretches of 32 letters, and how they were trained.
    """

    models: dict[str, LetterModel]
    texts: tuple[str, ...]
    figures: dict[str, Any]


class Gpu(NamedTuple):
    """What the data sheets say of a GPU. `operations`: dense peak in `dtype` on the tensor cores, a second.

    `bytes_a_second` is the rate of its memory. Each of its `sms` processors has `shared_kb` of shared memory
    and `registers_kb` of registers. `l2_bytes` and `shared_bytes` are the rates of L2 and of all shared
    memories together, a second, or None where no source states them.
    """

    name: str
    year: int
    capability: tuple[int, int]
    dtype: str
    operations: float
    float32: float
    bytes_a_second: float
    memory_gb: float
    l2_mb: float
    sms: int
    shared_kb: float
    registers_kb: float
    l2_bytes: float | None
    shared_bytes: float | None
    source: str

    @property
    def corner(self) -> float:
        """Operations a byte where its two ceilings meet."""
        return self.operations / self.bytes_a_second


class Published(NamedTuple):
    """What others measured of one implementation's forward pass: operations a second at each n."""

    gpu: str
    implementation: str
    width: int
    causal: bool
    ns: tuple[int, ...]
    rates: tuple[float, ...]
    source: str

    def at(self, n: int) -> float:
        """n -> operations a second. Raises ValueError where nothing was published for it."""
        if n not in self.ns:
            raise ValueError(f"{self.implementation} is published for n {self.ns}; got {n}")
        return self.rates[self.ns.index(n)]


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
    Source: Pennington et al. 2014, "GloVe: Global Vectors for Word Representation";
    data/makers/make_glove.py.
    """
    with np.load(io.BytesIO(read_bytes("glove.npz")), allow_pickle=False) as stored:
        words = stored["words"].item().decode("ascii").split("\n")
        return WordVectors(tuple(words), stored["vectors"].astype(np.float32))


def load_dates() -> Dates:
    """() -> a model from written dates to ISO dates, its numbers in float64, and held-out dates.

    The dates are English, French, German and Spanish, with the month in letters. Raises DataFileError.
    Source: the date formats of Unicode's CLDR, through the package babel; data/makers/make_dates.py.
    """
    texts, arrays = unpack(read_bytes("dates.npz"))

    def sample(name: str) -> TextSample:
        return TextSample(*zip(*((text, (iso,)) for text, iso, *_ in texts[name]), strict=True))

    forms = tuple(f"{language} {style}" for _, _, language, style in texts["sample"])
    model = build_model(texts["settings"], arrays)
    return Dates(model, sample("sample"), forms, sample("shown"), texts["figures"])


def load_digits() -> Digits:
    """() -> 300 held-out digits, 30 of each, and the two heads of lesson 07, their numbers in float64.

    Raises DataFileError.
    Source: Alpaydin and Kaynak 1998, "Optical Recognition of Handwritten Digits"; data/makers/make_digits.py.
    """
    texts, arrays = unpack(read_bytes("digits.npz"))
    head, looks_away = (
        Projections(**{key: arrays[f"{name}.{key}"].astype(np.float64) for key in HEAD_ARRAYS})
        for name in ("head", "away")
    )
    words, figures = tuple(texts["words"]), texts["figures"]
    return Digits(arrays["images"], arrays["labels"], words, head, looks_away, figures)


def load_letters() -> Letters:
    """() -> six models that guess the next letter, their numbers in float32, and texts. Raises DataFileError.

    Source: trained for this course; data/makers/make_letters.py.
    """
    texts, arrays = unpack(read_bytes("letters.npz"))

    def model(kind: str) -> LetterModel:
        own = {key.partition(".")[2]: array for key, array in arrays.items() if key.startswith(f"{kind}.")}
        return build_letter_model(texts["settings"][kind], own)

    models = {kind: model(kind) for kind in texts["settings"]}
    return Letters(models, tuple(texts["texts"]), texts["figures"])


def load_gpus(variants: bool = False) -> dict[str, Gpu]:
    """() -> some of NVIDIA's GPUs by name, the oldest data sheet's first. Raises DataFileError.

    With `variants` also those that have another's chip and other memory, such as the H200.
    Source: NVIDIA's data sheets; each GPU's `source` says which.
    """
    found = tomllib.loads(read_bytes("gpus.toml").decode("utf-8"))
    rows = {row["name"]: row for row in found["gpu"]}
    for variant in found["variant"] if variants else []:
        changes = {key: value for key, value in variant.items() if key != "of"}
        rows[variant["name"]] = {**rows[variant["of"]], **changes}
    names = {"bytes": "bytes_a_second"}
    renamed = [{names.get(key, key): value for key, value in row.items()} for row in rows.values()]
    gpus = [
        Gpu(**{"l2_bytes": None, "shared_bytes": None, **row, "capability": tuple(row["capability"])})
        for row in renamed
    ]
    return {gpu.name: gpu for gpu in gpus}


def load_published(width: int = 64, causal: bool = False) -> dict[str, Published]:
    """A head's width, causal or not -> published forward passes on an H100, by implementation.

    They are no measurements of this course. Raises DataFileError, ValueError where none has this width.
    Source: Shah et al. 2024, "FlashAttention-3".
    """
    rows = tomllib.loads(read_bytes("gpus.toml").decode("utf-8"))["published"]
    chosen = next((row for row in rows if (row["width"], row["causal"]) == (width, causal)), None)
    if chosen is None:
        there = ", ".join(f"({row['width']}, {row['causal']})" for row in rows)
        raise ValueError(f"nothing published is kept for width {width}, causal {causal}; there is {there}")
    return {
        name: Published(
            chosen["gpu"],
            name,
            width,
            causal,
            tuple(chosen["ns"][: len(rates)]),
            tuple(1e12 * rate for rate in rates),
            chosen["source"],
        )
        for name, rates in chosen["tflops"].items()
    }


def load_links() -> dict[str, Link]:
    """() -> links between cards by name, with what they carry. Raises DataFileError.

    Source: data sheets, papers and NCCL's own cost model; each link's `source` says which.
    """
    rows = tomllib.loads(read_bytes("links.toml").decode("utf-8"))["link"]
    links = [Link(row["name"], row["bytes"], row["latency"], row["source"]) for row in rows]
    return {link.name: link for link in links}


def load_long_texts() -> dict[str, list[dict[str, Any]]]:
    """() -> what was published of texts shared among many cards: "passes" of a layer, "runs" of a model.

    They are no measurements of this course. Raises DataFileError.
    Source: each row's `source`.
    """
    found = tomllib.loads(read_bytes("links.toml").decode("utf-8"))
    return {"passes": found["passes"], "runs": found["run"]}


def load_learning() -> dict[str, list[dict[str, Any]]]:
    """() -> {kind of model: what was measured on each of five starts}. Raises DataFileError.

    Source: trained for this course; data/makers/make_learning.py.
    """
    found: dict[str, list[dict[str, Any]]] = json.loads(read_bytes("learning.json"))
    return found


def load_writing() -> dict[str, Any]:
    """() -> how fast lesson 15's model wrote on one machine: its processor, the day, what was printed.

    Source: measured for this course; data/makers/make_writing.py. Raises DataFileError.
    """
    found: dict[str, Any] = json.loads(read_bytes("writing.json"))
    return found


def load_austen() -> dict[str, Any]:
    """() -> what was measured on three small models that learned from *Pride and Prejudice*.

    `counted` holds the loss of counted letters, after none before, one, two …; `runs` that of the models, by
    step, what they wrote, and what is left with heads switched off. Raises DataFileError.
    Source: J. Austen 1813, through the Debian package r-cran-janeaustenr; data/makers/make_austen.py.
    """
    found: dict[str, Any] = json.loads(read_bytes("austen.json"))
    return found


def load_sounds() -> Sounds:
    """() -> two models from spelling to sound, their numbers in float64, and held-out words.

    Sounds are written as in "N AY F", without stress. Raises DataFileError.
    Source: the CMU Pronouncing Dictionary, 1993-2015; data/makers/make_sounds.py.
    """
    texts, arrays = unpack(read_bytes("sounds.npz"))
    other = json.loads(read_bytes("sounds_without_nudge.json"))

    def model(name: str) -> EncoderDecoder:
        own = {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(name)}
        return build_model(texts[f"{name}_settings"], own)

    def sample(name: str) -> TextSample:
        return TextSample(tuple(texts[name]), tuple(map(tuple, texts[name].values())))

    return Sounds(
        model("model"),
        model("bottleneck"),
        sample("sample"),
        sample("by_length"),
        sample("shown"),
        texts["figures"],
        WithoutNudge(
            other["steps"],
            other["dev_accuracy"],
            {word: own["sounds"] for word, own in other["words"].items()},
            {word: np.array(own["weights"]) for word, own in other["words"].items()},
        ),
    )


def load_real_model() -> dict[str, NDArray[Any]]:
    """() -> what the models of lesson 15 answered, by question: texts, numbers, arrays.

    Raises DataFileError. Source: SmolLM2-135M-Instruct and all-MiniLM-L6-v2; data/makers/make_real_model.py.
    """
    texts, arrays = unpack(read_bytes("real_model.npz"))
    return {question: arrays[place] for question, place in texts["places"].items()}


def unpack(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The bytes that data/makers/train_reader.py packed -> what is JSON in them, by name, and the arrays."""
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        parts = dict(stored)
    texts = {name: json.loads(part.item().decode()) for name, part in parts.items() if part.dtype.kind == "S"}
    return texts, {name: part for name, part in parts.items() if name not in texts}


def read_bytes(name: str) -> bytes:
    """A file's name in data/ -> its bytes, as listed in data/sources.toml.

    Raises DataFileError where the file is not listed, is missing, or is not the one that was listed.
    """
    listed = listed_files()
    if name not in listed:
        raise DataFileError(f"data/sources.toml does not list {name}; it lists {', '.join(listed)}")
    remedy = f"Restore it with: {_cure(listed[name]['restore'])} (made by: {listed[name]['made_by']})"
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
    return [_check(name) for name in listed_files()]


def _check(name: str) -> FileCheck:
    try:
        return FileCheck(name, True, f"present and unaltered, {len(read_bytes(name)):,} bytes")
    except DataFileError as error:
        return FileCheck(name, False, str(error))


def _cure(restore: str) -> str:
    """The command that restores a file in a clone -> the command that restores it where this course is."""
    return INSTALL_AGAIN if INSTALLED else restore


def listed_files() -> dict[str, dict[str, Any]]:
    """() -> the tables of data/sources.toml, by file name. Raises DataFileError without the list."""
    try:
        listed = tomllib.loads((DATA / "sources.toml").read_text(encoding="utf-8"))
        return {entry["name"]: entry for entry in listed["file"]}
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        raise DataFileError(
            "data/sources.toml, the list of the data files, is missing or damaged. "
            f"Restore it with: {_cure('git checkout -- data/sources.toml')}"
        ) from error

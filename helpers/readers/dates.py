"""Where year, month and day stand in a written date, and what weight a reader gives them (lesson 07).

The dates are those of data/makers/make_dates.py: English, French, German or Spanish, the month in letters.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from helpers.validation import Array, as_rows

ISO = {"year": slice(0, 4), "month": slice(5, 7), "day": slice(8, 10)}  # in "2004-06-03"
ISO_LENGTH = 10
STEPS = {  # from which digit to which, by their places in "2004-06-03"
    "within a part": ((0, 1), (1, 2), (2, 3), (5, 6), (8, 9)),
    "from year to month": ((3, 5),),
    "from month to day": ((6, 8),),
}


def parts_of(text: str) -> dict[str, slice]:
    """A date, "June 3, 2004" -> where its year, month and day stand: {"year": slice(8, 12), ...}.

    The year is the number of four digits, the day the one of one or two. The month is the last word; before
    it only the weekday and the Spanish "de" are words. Raises ValueError where one of the three is missing.
    """
    found = {
        "year": list(re.finditer(r"\d{4}", text)),
        "month": [word for word in re.finditer(r"[^\W\d]+\.?", text) if word.group() != "de"],
        "day": list(re.finditer(r"(?<!\d)\d{1,2}(?!\d)", text)),
    }
    missing = [part for part, matches in found.items() if not matches]
    if missing:
        raise ValueError(
            f"a date must have a year, a month in letters and a day; {text!r} has no {missing[0]}"
        )
    return {part: slice(*matches[-1].span()) for part, matches in found.items()}


def mass_on_parts(text: str, weights: ArrayLike) -> dict[str, Array]:
    """A date, weights (10, n_source) of "2004-06-03" -> for year, month, day the mass of each of its digits.

    The mass of a digit is the weight that it gives to its own part of the source: the month's digits to the
    month's name. The two hyphens are passed over.
    Raises ValueError unless there is a row for each written symbol and a column for each symbol of the text.
    """
    weights = as_rows("weights", weights, "10", "n_source")
    if weights.shape != (ISO_LENGTH, len(text)):
        raise ValueError(
            f"weights must have shape {(ISO_LENGTH, len(text))} for {text!r}; got {weights.shape}"
        )
    return {part: weights[ISO[part], place].sum(axis=1) for part, place in parts_of(text).items()}


def mean_mass(texts: Sequence[str], weights: Sequence[ArrayLike]) -> dict[str, list[float]]:
    """n dates, n arrays of weights -> for year, month and day the mean mass of each digit, over the dates.

    Raises as mass_on_parts does, and ValueError unless there is an array for each date, and a date.
    """
    if len(texts) != len(weights) or not texts:
        raise ValueError(f"there must be as many weights as texts; got {len(weights)} and {len(texts)}")
    masses = [mass_on_parts(text, looked) for text, looked in zip(texts, weights, strict=True)]
    return {part: np.mean([mass[part] for mass in masses], axis=0).tolist() for part in ISO}


def share_forward_by_step(weights: Sequence[ArrayLike]) -> dict[str, float]:
    """n arrays (10, n_source) of written dates -> how often the place read most stays or moves forward.

    Steps within a part (year, month, day) and steps to the next part are counted apart; the hyphens are
    passed over. Raises ValueError unless each array has 10 rows.
    """
    places = np.array([as_rows("weights", w, "10", "n_source").argmax(axis=-1) for w in weights])
    if places.ndim != 2 or places.shape[1] != ISO_LENGTH:
        raise ValueError(f"there must be arrays of {ISO_LENGTH} rows each; got places {places.shape}")
    return {
        name: float(np.mean([places[:, after] >= places[:, before] for before, after in steps]))
        for name, steps in STEPS.items()
    }

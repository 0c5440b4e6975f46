"""Written dates, their parts, and the model in data/dates.npz that reads them."""

import datetime
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from babel.dates import format_date, get_month_names

from helpers import datasets
from helpers.datasets import Dates, load_dates
from helpers.readers.dates import mass_on_parts, mean_mass, parts_of, share_forward_by_step
from helpers.readers.model import word_accuracy, write, write_with_weights

MAKERS = Path(__file__).resolve().parent.parent / "data" / "makers"


@pytest.fixture(scope="module")
def dates() -> Dates:
    return load_dates()


@pytest.fixture(scope="module")
def make_dates() -> ModuleType:
    """data/makers/make_dates.py as a module: data/makers is not a package."""
    spec = importlib.util.spec_from_file_location("make_dates", MAKERS / "make_dates.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(MAKERS)  # the script imports train_reader, which stands beside it
        spec.loader.exec_module(module)
    return module


# --- the parts of a date


@pytest.mark.parametrize(
    ("text", "year", "month", "day"),
    [
        ("June 3, 2004", "2004", "June", "3"),
        ("jueves, 3 de junio de 2004", "2004", "junio", "3"),
        ("Donnerstag, 23. Juni 2004", "2004", "Juni", "23"),
        ("1 déc. 1950", "1950", "déc.", "1"),
        ("Thursday, May 20, 2020", "2020", "May", "20"),
    ],
)
def test_the_parts_of_a_date(text: str, year: str, month: str, day: str) -> None:
    assert {part: text[place] for part, place in parts_of(text).items()} == {
        "year": year, "month": month, "day": day,
    }  # fmt: skip


def test_the_parts_agree_with_the_tables_for_every_month_and_form(make_dates: ModuleType) -> None:
    for month in range(1, 13):
        day = datetime.date(2020, month, 20)
        for language, style in make_dates.FORMS:
            text = format_date(day, style, locale=language)
            found = {part: text[place] for part, place in parts_of(text).items()}
            names = get_month_names("abbreviated" if style == "medium" else "wide", locale=language)
            assert found == {"year": "2020", "month": names[month], "day": "20"}, text


@pytest.mark.parametrize(
    ("text", "missing"), [("June 3", "year"), ("3.6.2004", "month"), ("June 2004", "day"), ("", "year")]
)
def test_a_date_without_a_part_is_refused(text: str, missing: str) -> None:
    with pytest.raises(ValueError, match=f"has no {missing}"):
        parts_of(text)


def test_the_mass_is_what_falls_on_the_part() -> None:
    text = "May 3, 2004"
    weights = np.zeros((10, len(text)))
    for row, places in enumerate(["2", "0", "0", "4", ",", "May", "ay", ",", "3,", "3"]):
        for letter in places:
            weights[row, text.index(letter)] = 1 / len(places)
    found = {part: mass.tolist() for part, mass in mass_on_parts(text, weights).items()}
    assert found == {"year": [1, 1, 1, 1], "month": [pytest.approx(1), 1], "day": [0.5, 1]}
    even = mean_mass([text, text], [weights, np.full_like(weights, 1 / len(text))])
    assert even["day"] == pytest.approx([(0.5 + 1 / 11) / 2, (1 + 1 / 11) / 2])


def test_weights_of_another_text_are_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("shape (10, 11) for 'May 3, 2004'; got (9, 11)")):
        mass_on_parts("May 3, 2004", np.zeros((9, 11)))
    with pytest.raises(ValueError, match=r"weights must have shape \(\.\.\., 10, n_source\)"):
        mass_on_parts("May 3, 2004", np.zeros(11))
    with pytest.raises(ValueError, match=r"weights must have shape \(\.\.\., 10, n_source\)"):
        share_forward_by_step([np.zeros(11)])
    with pytest.raises(ValueError, match="as many weights as texts; got 0 and 1"):
        mean_mass(["May 3, 2004"], [])


# --- the file


def test_the_sample_holds_as_many_texts_of_each_form(dates: Dates, make_dates: ModuleType) -> None:
    forms = [" ".join(form) for form in make_dates.FORMS]
    assert list(dates.forms) == [form for form in forms for _ in range(make_dates.N_EACH_FORM)]
    assert len(dates.sample.texts) == len(dates.sample.accepted) == len(dates.forms)
    for text, (iso,), form in zip(*dates.sample, dates.forms, strict=True):
        language, style = form.split()
        assert text == format_date(datetime.date.fromisoformat(iso), style, locale=language)


def test_no_day_of_the_sample_was_learned(dates: Dates, make_dates: ModuleType) -> None:
    for (iso,) in [*dates.sample.accepted, *dates.shown.accepted]:
        assert make_dates.part_of(iso) == "test"
    assert make_dates.SHOWN.isoformat() not in {iso for (iso,) in dates.sample.accepted}


def test_the_shown_day_comes_in_several_orders(dates: Dates) -> None:
    orders = set()
    for text in dates.shown.texts:
        parts = parts_of(text)
        assert {text[parts["year"]], text[parts["day"]]} == {"2004", "3"}
        orders.add(tuple(sorted(parts, key=lambda part: parts[part].start)))
    assert orders == {("month", "day", "year"), ("day", "month", "year")}
    assert write(dates.model, dates.shown.texts) == ["2004-06-03"] * len(dates.shown.texts)


def test_held_out_dates_are_written_right(dates: Dates) -> None:
    written = write(dates.model, dates.sample.texts)
    assert word_accuracy(written, dates.sample.accepted) > 0.98
    assert dates.figures["test"]["accuracy"] > 0.99
    assert all(score["accuracy"] > 0.98 for score in dates.figures["test"]["by_form"].values())


def test_the_figures_add_up(dates: Dates, make_dates: ModuleType) -> None:
    figures = dates.figures
    test = figures["test"]
    assert test["strings"] == figures["strings"]["test"] == len(make_dates.FORMS) * figures["days"]["test"]
    assert test["accuracy"] == 1 - test["wrong_strings"] / test["strings"]
    for groups in (test["by_language"], test["by_form"]):
        assert sum(score["strings"] for score in groups.values()) == test["strings"]
        assert sum(score["wrong_strings"] for score in groups.values()) == test["wrong_strings"]
    first, last = figures["years"]
    n_days = (datetime.date(last + 1, 1, 1) - datetime.date(first, 1, 1)).days
    assert sum(figures["days"].values()) == n_days


def test_the_model_looks_at_the_part_that_it_writes(dates: Dates) -> None:
    written, weights = write_with_weights(dates.model, dates.sample.texts)
    kept = [i for i, text in enumerate(written) if text in dates.sample.accepted[i]]
    found = mean_mass([dates.sample.texts[i] for i in kept], [weights[i] for i in kept])
    for part, digits in found.items():
        assert digits == pytest.approx(dates.figures["weights"]["mass"][part], abs=0.002)
        chances = dates.figures["weights"]["chance"][part]
        assert all(mass > 2 * chance for mass, chance in zip(digits, chances, strict=True))
        assert digits[-1] > 0.8


# --- the derivation


def test_a_day_is_in_one_part_only_in_all_its_forms(make_dates: ModuleType) -> None:
    parts = make_dates.split(make_dates.write_days(2003, 2004))
    days = {name: {date.iso for date in found} for name, found in parts.items()}
    assert sum(map(len, days.values())) == 365 + 366
    assert not days["train"] & days["test"]
    assert not days["train"] & days["dev"]
    for name, found in parts.items():
        assert len(found) == len(make_dates.FORMS) * len(days[name])
        texts = {date.text for date in found}
        assert not texts & {date.text for other, dates in parts.items() if other != name for date in dates}
    assert make_dates.SHOWN.isoformat() in days["test"]


def test_every_month_is_in_letters(make_dates: ModuleType) -> None:
    for language, style in make_dates.FORMS:
        text = make_dates.write_day(datetime.date(2004, 6, 3), language, style).text
        assert re.search("ju[nio]", text.lower()), text


def test_taking_is_as_if_by_lot_and_always_the_same(make_dates: ModuleType) -> None:
    days = make_dates.write_days(2004, 2004)
    taken = make_dates.take(days, 50, "a salt")
    assert taken == make_dates.take(days[::-1], 50, "a salt") != make_dates.take(days, 50, "another")
    assert all(date.iso != "2004-06-03" for date in make_dates.take(days, len(days), "a salt"))


def test_measuring_counts_by_language_and_form(
    make_dates: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = make_dates.write_days(2004, 2004)[: 2 * len(make_dates.FORMS)]
    isos = {date.text: date.iso for date in days}
    monkeypatch.setattr(
        make_dates, "write", lambda model, texts: [isos[text] if "jeu" not in text else "?" for text in texts]
    )
    found = make_dates.measure(None, days)
    assert found["strings"] == 22
    assert found["days"] == 2
    assert found["wrong"] == [["jeudi 1 janvier 2004", "?"]]
    assert found["by_form"]["fr full"] == {"strings": 2, "wrong_strings": 1, "accuracy": 0.5}
    assert found["by_language"]["fr"]["wrong_strings"] == 1
    assert found["by_language"]["en"]["accuracy"] == 1


def test_the_list_names_the_source_that_the_script_checks(make_dates: ModuleType) -> None:
    source = datasets.listed_files()["dates.npz"]["source"]
    assert make_dates.PACKAGE in source
    assert make_dates.VERSION in source


def test_another_version_of_babel_is_refused(make_dates: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_dates.babel, "__version__", "0.1")
    with pytest.raises(SystemExit, match=r"this is 0\.1"):
        make_dates.derive(1)


def test_steps_within_a_part_and_between_parts_are_counted_apart() -> None:
    english = np.eye(12)[[8, 9, 10, 11, 0, 1, 2, 0, 5, 5]]  # the year last, then month and day in order
    spanish = np.eye(12)[[8, 9, 10, 11, 0, 5, 6, 11, 1, 0]]
    assert share_forward_by_step([english]) == {
        "within a part": 1.0,
        "from year to month": 0.0,
        "from month to day": 1.0,
    }
    both = share_forward_by_step([english, spanish])
    assert both == {
        "within a part": pytest.approx(0.9),
        "from year to month": 0.0,
        "from month to day": pytest.approx(0.5),
    }


LEAVING = {0: "within a part", 1: "within a part", 2: "within a part", 3: "from year to month",
           5: "within a part", 6: "from month to day", 8: "within a part"}  # fmt: skip
ARRIVING = {1: "within a part", 2: "within a part", 3: "within a part", 5: "from year to month",
            6: "within a part", 8: "from month to day", 9: "within a part"}  # fmt: skip


@pytest.mark.parametrize("row", range(10))
@pytest.mark.parametrize(("place", "back"), [(7, LEAVING), (3, ARRIVING)], ids=["ahead", "behind"])
def test_a_digit_that_looks_elsewhere_costs_the_step_back(row: int, place: int, back: dict[int, str]) -> None:
    places = np.full(10, 5)
    places[row] = place  # all the others stay where they are
    expected = {"within a part": 1.0, "from year to month": 1.0, "from month to day": 1.0}
    if row in back:  # a hyphen costs nothing
        expected[back[row]] -= 1 / 5 if back[row] == "within a part" else 1
    assert share_forward_by_step([np.eye(12)[places]]) == pytest.approx(expected)


@pytest.mark.parametrize("weights", [[], [np.eye(9)]])
def test_steps_of_what_is_no_written_date_are_refused(weights: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="arrays of 10 rows each"):
        share_forward_by_step(weights)

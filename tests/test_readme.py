"""README, lesson 00 and the lessons agree; the README's picture and its reply of the checker are real."""

import base64
import re
from pathlib import Path

import lesson_files
import numpy as np
import pytest

from helpers.exercises import evaluate

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LESSONS = lesson_files.lessons()


def cells(path):
    return {cell["id"]: cell for cell in lesson_files.read(path).cells}


def question_and_minutes(path):
    title = cells(path)["title"].source
    (minutes,) = re.findall(r"about (\d+) minutes", title)
    return title.splitlines()[0].removeprefix("# "), minutes


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_readme_lists_the_lesson_with_its_question_and_minutes(path):
    question, minutes = question_and_minutes(path)
    rows = [line for line in README.splitlines() if f"notebooks/{path.name}" in line and line.startswith("|")]
    assert len(rows) == 1, f"README's table has {len(rows)} rows for {path.name}"
    fields = [field.strip() for field in rows[0].strip("|").split("|")]
    assert fields[0] == path.stem[:2]
    assert fields[2:] == [question, minutes]


def test_readme_says_how_many_hours_the_lessons_take():
    hours = sum(int(question_and_minutes(path)[1]) for path in LESSONS) / 60
    (said,) = re.findall(r"The (\w+) lessons take about (\d+) hours", README)
    assert said == ("seventeen", f"{hours:.0f}")
    assert len(LESSONS) == 17


def test_readme_can_be_read_in_two_minutes():
    prose = re.sub(r"(?s:```.*?```)|^\|.*$|\]\([^)]*\)", "", README, flags=re.MULTILINE)
    assert len(prose.split()) <= 600


def test_readme_shows_what_the_checker_really_says():
    def my_softmax(scores):
        with np.errstate(all="ignore"):
            return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)

    assert "np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)" in README
    (shown,) = re.findall(r"```text\n(.*?)\n```", README, re.DOTALL)
    assert shown == evaluate("softmax", my_softmax).text


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lesson_00_lists_the_same_question_and_minutes(path):
    question, minutes = question_and_minutes(path)
    course = cells(LESSONS[0])["the-course"].source
    assert re.search(rf"^\| .*{path.stem[:2]} .*\| {re.escape(question)} \| {minutes} \|$", course, re.M)


def test_plans_of_lesson_00_fit_their_hours():
    course = cells(LESSONS[0])["the-course"].source
    plans = re.findall(r"\((\d+) hours\):\*\* (.+)", course)
    assert len(plans) == 4
    for hours, plan in plans:
        assert sum(int(minutes) for minutes in re.findall(r"\((\d+)\)", plan)) == 60 * int(hours)


def test_the_longest_plan_gives_every_lesson_its_minutes():
    course = cells(LESSONS[0])["the-course"].source
    total = sum(int(question_and_minutes(path)[1]) for path in LESSONS)
    needed = f"everything except the optional sections ({total})"
    assert needed in course, f"lesson 00's plans: all lessons together take {total} minutes"


def test_readme_picture_is_the_figure_of_lesson_00():
    outputs = cells(ROOT / "notebooks" / "00_start_here.ipynb")["reader-map"].outputs
    picture = next(output.data["image/png"] for output in outputs if "image/png" in output.get("data", {}))
    assert (ROOT / "docs" / "where_it_looks.png").read_bytes() == base64.b64decode(picture)

"""The lesson plans: the minutes add up, nothing is left out, and the pages in docs/ are those of today."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import teach
from nbformat.v4 import new_markdown_cell
from test_notebooks import LINK, broken

from helpers.exercises import evaluate
from helpers.exercises.catalogue import exercises
from helpers.exercises.kinds import Choose, Mend, Open, Predict, Reverse, Write
from teacher import days, mistakes, plan
from teacher.lessons import ROOT, Lesson, Section, lesson, notebook, paths

LESSONS = [lesson(path) for path in paths([])]
KNOWN = {one.number: (one, plan.timing(one.number)) for one in LESSONS}
NO_BREAK = "\N{NO-BREAK SPACE}"
every_lesson = pytest.mark.parametrize("shown", LESSONS, ids=lambda one: one.number)


@every_lesson
def test_the_minutes_of_the_sections_are_those_of_the_lesson(shown: Lesson) -> None:
    time = plan.timing(shown.number)
    assert list(time.minutes) == [section.title for section in shown.sections], "minutes.toml names others"
    assert time.needed == shown.minutes
    assert time.needed + time.optional == sum(time.minutes.values())
    (first,) = [cell.source for cell in notebook(ROOT / "notebooks" / shown.file).cells if cell.id == "title"]
    assert f" · {plan.stated(time)} · " in first
    assert min(time.minutes.values()) >= 1


@every_lesson
def test_the_minutes_of_the_exercises_leave_some_of_their_section_s_for_reading(shown: Lesson) -> None:
    time = plan.timing(shown.number)
    named = [name for section in shown.sections for name in section.exercises]
    assert list(time.exercises) == named, "minutes.toml names others"
    assert min(time.exercises.values()) >= 2
    text = plan.plan(shown)
    for section in shown.sections:
        solving = sum(time.exercises[name] for name in section.exercises)
        reading = time.minutes[section.title] - solving
        assert reading >= max(1, 0.7 * len(list(plan.predictions(section)))), section.title
        minutes = f"{time.minutes[section.title]}{NO_BREAK}minutes"
        told = f"## {section.title} ({minutes})\n\n{reading} of them to read and"
        assert not section.exercises or f"{told} predict, {solving} to solve." in text


@pytest.mark.parametrize("part", ["minutes", "exercises"])
def test_minutes_that_do_not_fit_the_lesson_are_told_in_one_line(
    part: str, capsys: Any, monkeypatch: Any
) -> None:
    shown, time = LESSONS[0], plan.timing("00")
    named = getattr(time, part)
    first = next(iter(named))
    spoilt: dict[str, dict[str, Any]] = {
        f"without {first}": {part: {name: minutes for name, minutes in named.items() if name != first}},
        "with my-new": {part: {**named, "my-new": 3}},
    }
    for said, changed in spoilt.items():
        with pytest.raises(
            ValueError, match=rf'minutes.toml has \["00".{part}\] {said}; it should name those of'
        ):
            plan.must_fit(shown, time._replace(**changed))
    in_another_order = time._replace(minutes=dict(reversed(time.minutes.items())))
    with pytest.raises(ValueError, match="unsorted"):
        plan.must_fit(shown, in_another_order)
    monkeypatch.setattr(plan, "timing", lambda number: in_another_order)
    assert teach.main(["plan"]) == 1
    assert capsys.readouterr().err.startswith("course.py plan: minutes.toml has")


@every_lesson
def test_what_may_be_left_out_is_there_and_leaves_most_of_the_lesson(shown: Lesson) -> None:
    time = plan.timing(shown.number)
    assert time.late
    assert set(time.late) <= set(time.minutes)
    assert sum(time.minutes[title] for title in time.late) <= 0.6 * shown.minutes


def test_no_lesson_is_timed_that_is_not_there() -> None:
    timed = tomllib.loads(plan.MINUTES.read_text(encoding="utf-8"))
    assert list(timed) == [one.number for one in LESSONS]


def test_the_pages_are_those_of_today() -> None:
    for path, text in plan.pages():
        assert path.read_text(encoding="utf-8") == text, "python course.py plan writes them anew"
    assert {path for path, _ in plan.pages()} == set(plan.FOLDER.iterdir()), "pages that nobody writes"


@every_lesson
def test_a_plan_has_every_prediction_and_every_exercise(shown: Lesson) -> None:
    text = plan.plan(shown)
    cells = [cell for section in shown.sections for cell in section.cells]
    assert text.count("> **Predict.** ") == sum(cell.source.count("> **Predict.**") for cell in cells)
    for section in shown.sections:
        for name in section.exercises:
            assert text.count(f"### `{name}` (") == 1
    told = re.findall(r"\nThey see(?: \(have the lesson open[^)]*\))?:", text)
    assert len(told) == text.count("\n> **Predict.** ")


def test_an_answer_that_points_into_the_lesson_says_so() -> None:
    text = plan.plan(next(found for found in LESSONS if found.number == "05"))
    marked = [part for part in text.split("> **Predict.** ") if "They see (have the lesson open" in part]
    assert any("Read the left column first" in part for part in marked)
    assert 0 < len(marked) < text.count("They see")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("00", "The bright cells"),
        ("06", "The two clear maps"),
        ("08", "one column says"),
        ("14", "The second line is"),
    ],
)
def test_an_answer_about_a_figure_or_a_column_says_so(number: str, words: str) -> None:
    text = plan.plan(next(found for found in LESSONS if found.number == number))
    (part,) = [part for part in text.split("> **Predict.** ") if words in part]
    assert "They see (have the lesson open" in part


def test_a_question_about_a_table_of_the_lesson_says_so() -> None:
    text = plan.plan(next(found for found in LESSONS if found.number == "04"))
    assert f"Can a softmax turn these scores into these weights? ({plan.IN_THE_LESSON.capitalize()}.)" in text


@every_lesson
def test_links_of_a_plan_lead_somewhere(shown: Lesson) -> None:
    page = plan.FOLDER / f"{shown.number}.md"
    found = [one or other for one, other in LINK.findall(page.read_text(encoding="utf-8"))]
    assert len(found) >= 2
    assert [wrong for target in found if (wrong := broken(page, target))] == []


@pytest.mark.parametrize("name", [name for name, one in exercises().items() if isinstance(one, Write)])
def test_a_function_has_its_three_commonest_mistakes_and_the_bug_is_none_of_them(name: str) -> None:
    exercise = exercises()[name]
    found = mistakes.commonest(exercise)
    assert len(found) == 3
    counts = [count for _, count in found]
    assert counts == sorted(counts, reverse=True)
    if isinstance(exercise, Mend):
        assert exercise.given not in [one.name for one, _ in found]
    for one, _ in found:
        assert len(one.say.split()) > 8


def test_the_commonest_mistake_of_softmax_is_the_one_that_most_answers_make() -> None:
    (first, count), *_ = mistakes.commonest(exercises()["softmax"])
    assert first.name == "no-row-max"
    text = (mistakes.ROOT / "tests/exercises/lesson_03/softmax.py").read_text(encoding="utf-8")
    assert text.count("# named: no-row-max\n") >= 1
    assert count >= 3


@pytest.mark.parametrize("kind", [Choose, Predict, Reverse])
def test_what_people_answer_is_every_wrong_answer_that_the_check_knows(kind: type) -> None:
    for exercise in [one for one in exercises().values() if isinstance(one, kind)]:
        known = mistakes.expected(exercise)
        assert len(known) >= 3
        if isinstance(exercise, Choose | Reverse):
            for one in known:
                assert evaluate(exercise.name, one.answer).mistakes == (one.name,)


def test_an_open_exercise_says_what_its_check_says() -> None:
    (one, *_) = mistakes.expected(exercises()["scores-for"])
    assert isinstance(exercises()["scores-for"], Open)
    assert len(one.say.split()) > 5
    assert "✗" not in one.say


def test_the_timetables_of_one_day_fill_their_hours_and_no_step_is_too_short() -> None:
    found = list(days.plans(LESSONS[0]))
    assert [name for name, *_ in found] == ["Half a day", "To the causal mask", "A whole day", "Five days"]
    for _, hours, steps, _ in found[:3]:
        assert sum(step.minutes for step in steps) == 60 * hours
        assert sum(step.minutes for step in days.spread(steps)) == 60 * hours
        for step in steps:
            if step.lesson:
                taken, out = days.sections(step, KNOWN)
                assert 0 <= step.minutes - sum(minutes for _, minutes in taken) <= 10, step
                titles = [title for title, _ in taken]
                assert not step.last or titles[-1 - len(step.more) :] == [step.last, *step.more]
                assert set(out) <= set(KNOWN[step.lesson][1].late)


def test_a_timetable_names_its_exercises_and_those_that_can_wait() -> None:
    (half, *_) = days.plans(LESSONS[0])
    page = days.days(LESSONS[0], KNOWN).partition("## To the causal mask")[0]
    every = [name for step in half[2] if step.lesson for name in days.solved(step, KNOWN)]
    assert "attention" in every
    assert "read-map" not in every, "it comes after the last section"
    assert all(f"`{name}`" in page for name in every)
    waiting = page.partition("When you are late")[2]
    assert "leave the bugs for homework (18 minutes): `overflow-bug` 6, `roles-bug` 4" in waiting
    assert "`attention`" not in waiting


def test_what_masks_need_is_taught_before_them() -> None:
    for name, _, steps, _ in list(days.plans(LESSONS[0]))[:3]:
        assert [step.more for step in steps if step.lesson == "03"] == [("Minus infinity",)], name


def test_four_hours_reach_the_causal_mask_and_write_it() -> None:
    (name, hours, steps, _) = list(days.plans(LESSONS[0]))[1]
    assert (name, hours, steps[-1].lesson) == ("To the causal mask", 4, "05")
    taken = {title for title, _ in days.sections(steps[-1], KNOWN)[0]}
    lesson_05, _ = KNOWN["05"]
    exercises = [one for section in lesson_05.sections if section.title in taken for one in section.exercises]
    assert {"causal-mask", "masked-attention"} <= set(exercises)


def test_five_days_hold_every_lesson_once_and_none_is_longer_than_it_must_be() -> None:
    (_, hours, steps, _) = list(days.plans(LESSONS[0]))[-1]
    minutes = {number: time.needed for number, (_, time) in KNOWN.items()}
    made = days.shared(minutes, 5)
    assert [number for day in made for number in day] == list(KNOWN)
    assert sum(step.minutes for step in steps) == 60 * hours
    assert days.shared({"00": 3, "01": 3, "02": 3, "03": 1}, 2) == [["00", "01"], ["02", "03"]]
    assert days.shared({"00": 1, "01": 2, "02": 6}, 2) == [["00", "01"], ["02"]]


def test_breaks_are_spread_over_the_day_and_none_ends_it() -> None:
    (_, _, steps, _) = list(days.plans(LESSONS[0]))[2]
    made = days.spread(steps)
    assert [step for step in made if step.lesson] == [step for step in steps if step.lesson]
    assert made[0].lesson
    assert made[-1].lesson
    assert sum(not step.lesson for step in made) >= 2


@every_lesson
def test_numbers_stay_in_one_line_with_what_they_count(shown: Lesson) -> None:
    text = plan.plan(shown)
    assert not re.search(r"\(\d+ minutes\)|, \d+ minutes\)$| \*\(\d+\)\*$", text, re.MULTILINE)
    assert not re.search(r"<br>.*` \d", text)


@every_lesson
def test_no_table_of_a_reply_runs_into_what_to_say(shown: Lesson) -> None:
    said = [line for line in plan.plan(shown).splitlines() if re.match(r"(\d\.|-) (`|\*\*)", line)]
    assert [line for line in said if re.search(r"(?:-?\d+\.\d\d+ ){3}(?![^\[]*\])", line)] == []


@every_lesson
def test_a_wrong_name_of_a_bug_is_told_once(shown: Lesson) -> None:
    for section in shown.sections:
        for exercise in [exercises()[name] for name in section.exercises]:
            if isinstance(exercise, Reverse):
                for one in mistakes.expected(exercise):
                    line = plan.spoken(one)
                    assert line.startswith(f"**{one.answer}** (`{one.name}`): ")
                    assert line.count(one.name) == 1
                    assert f"({one.answer})" not in line


def test_a_page_that_is_out_of_date_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(plan, "FOLDER", tmp_path / "teaching")
    monkeypatch.setattr(plan, "paths", lambda _: paths(["00"]))
    monkeypatch.setattr(plan, "days", lambda *_: "days\n")
    assert plan.main(["--check"]) == 1
    assert plan.main([]) == 0
    assert plan.main(["--check"]) == 0
    page = tmp_path / "teaching" / "00.md"
    page.write_text(page.read_text(encoding="utf-8").replace("minutes", "hours"), encoding="utf-8")
    capsys.readouterr()
    assert plan.main(["--check"]) == 1
    assert capsys.readouterr().err == "out of date: 00.md. python course.py plan writes them anew.\n"
    with pytest.raises(ValueError, match="plan takes nothing but --check"):
        plan.main(["03"])


def test_the_teachers_page_names_every_command_and_every_plan() -> None:
    page = plan.FOLDER.with_suffix(".md").read_text(encoding="utf-8")
    for command in ("solved", "slides", "plan", "report"):
        assert f"python course.py {command}" in page
    for one in LESSONS:
        assert f"(teaching/{one.number}.md)" in page
    assert re.search(r"\(teaching/days\.md\)", page)
    (total,) = {sum(one.minutes for one in LESSONS)}
    assert f"{total} minutes" in page


def test_a_question_that_points_back_has_what_it_points_at() -> None:
    text = "None of these. A constant part could prevent that. Then dividing should help."
    cells = [
        new_markdown_cell(f"{text}\n\n> **Predict.** Does it?"),
        new_markdown_cell("It does, by a little."),
    ]
    (asked,) = plan.predictions(Section("A title", cells))
    assert asked.setting == "A constant part could prevent that. Then dividing should help."
    assert asked.question == "Does it?"
    assert asked.seen == "It does, by a little."
    cells[0] = new_markdown_cell("$$x$$\n\n> **Predict.** Does it?")
    assert [asked.setting for asked in plan.predictions(Section("A title", cells))] == [""]


# --- on a teacher's machine

# In a Python of its own: what only the tests need cannot be imported.
WITHOUT_TEST_PACKAGES = """
import runpy, sys
for name in ("pytest", "nbval", "xdist", "hypothesis", "playwright", "jupytext"):
    sys.modules[name] = None
sys.argv[0] = "tools/teach.py"
sys.path.insert(0, "tools")
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_nothing_of_the_tests_has_to_be_installed() -> None:
    command = [sys.executable, "-c", WITHOUT_TEST_PACKAGES, "plan", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stderr

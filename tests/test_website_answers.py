"""What a newcomer looks for on the site: the course's address, folded answers, a reply, titles."""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import lesson_files
import pytest
from website import address, decks, reply, solved
from website.answers import MARK, parted, with_folds
from website.cells import for_readers
from website.lessons import Lesson, hours, lessons
from website.mistakes import Told, in_order, page
from website.pages import as_page, linked, listed, titled, titles_of

ROOT = Path(__file__).resolve().parent.parent
LESSON = Lesson("03", "Softmax", "03_softmax", "How do scores become weights?", 110)
HOME = "https://github.com/somebody/course"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (f"{HOME}.git\n", HOME),
        ("https://codeberg.org/somebody/course/", "https://codeberg.org/somebody/course"),
        ("git@github.com:somebody/course.git", ""),
        ("http://github.com/somebody/course", ""),
        ("https://somebody:secret@github.com/somebody/course", ""),
        ("https://token@github.com/somebody/course", ""),
        ("https://github.com/somebody/course?token=secret", ""),
        ("https://github.com:8443/somebody/course", ""),
        ("https://10.0.0.7/somebody/course", ""),
        ("https://builder/somebody/course", ""),
        ("https://git.school.internal/course", ""),
        ("https://github.com/", ""),
        ("https://[github.com/course", ""),
        ("/srv/course", ""),
        ("", ""),
    ],
)
def test_only_an_address_that_a_stranger_can_use_is_shown(given: str, shown: str) -> None:
    assert address.public(given) == shown


def test_without_an_option_the_address_is_that_of_the_clones_origin(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert address.origin(tmp_path) == ""
    subprocess.run(["git", "-C", str(tmp_path), "remote", "add", "origin", f"{HOME}.git"], check=True)
    assert address.origin(tmp_path) == HOME


def test_the_way_in_leads_to_repository_and_archive_or_says_that_it_cannot() -> None:
    known = address.with_address("2. {{way in}}\n", HOME)
    assert f"[its repository]({HOME})" in known
    assert f"({HOME}/archive/HEAD.zip)" in known
    elsewhere = address.with_address("2. {{way in}}\n", "https://git.example.org/course")
    assert "(https://git.example.org/course)" in elsewhere
    assert "archive" not in elsewhere
    assert "no link here" in address.with_address("2. {{way in}}\n", "")


def test_the_doors_say_the_address_where_it_is_known() -> None:
    doors = (ROOT / "docs" / "doors.md").read_text(encoding="utf-8")
    told = address.with_address(doors, HOME)
    assert "ADDRESS" in doors
    assert "ADDRESS" not in told
    assert f'"git+{HOME}"' in told
    assert f"({HOME}/archive/HEAD.zip)" in told
    assert address.with_address(doors, "") == doors


def test_an_address_that_nobody_could_use_is_refused_and_its_token_not_repeated() -> None:
    with pytest.raises(ValueError, match="give the repository's https address") as raised:
        address.chosen("https://me:secret@github.com/me/course", ROOT)
    assert "secret" not in str(raised.value)
    assert address.chosen(HOME, ROOT) == HOME
    assert address.chosen("", ROOT) == ""


@pytest.mark.parametrize(
    ("text", "answer", "rest"),
    [
        ("It doubles.", "It doubles.", ""),
        ("It is\n\n$$x$$\n\nwhere x is 1.", "It is\n\n$$x$$\n\nwhere x is 1.", ""),
        ("It doubles.\n\n> **Takeaway.** So.\n\nMore.", "It doubles.", "> **Takeaway.** So.\n\nMore."),
        ("It grows.\n\n$$x$$\n\nThat is **softmax**.", "It grows.", "$$x$$\n\nThat is **softmax**."),
        ("Yes.\n\nThat table is the **Jacobian**.", "Yes.", "That table is the **Jacobian**."),
        ("Yes.\n\nBut **only where one reads it**.", "Yes.\n\nBut **only where one reads it**.", ""),
        ("Yes.\n\n- **A**: a leak.", "Yes.\n\n- **A**: a leak.", ""),
        ("Yes. Two ways:\n\n| a | b |\n|---|---|", "Yes.", "Two ways:\n\n| a | b |\n|---|---|"),
        ("> **Takeaway.** So.", "", "> **Takeaway.** So."),
        ("It doubles.\n\n> **Predict.** And now?", "It doubles.", "> **Predict.** And now?"),
        ("**In order.** Yes.\n\n**Is it used?** See.", "**In order.** Yes.", "**Is it used?** See."),
        ("Is it? Yes.\n\nDoes it last? Look:", "Is it? Yes.", "Does it last? Look:"),
        ("Yes.\n\n## More\n\nText.", "Yes.", "## More\n\nText."),
        ("Yes:\n\n```\na\n\n**b**\n```\n\nDone.", "Yes:\n\n```\na\n\n**b**\n```\n\nDone.", ""),
        ("## More\n\nText.", "", "## More\n\nText."),
        ("**Your turn (a, write it).** Do.", "", "**Your turn (a, write it).** Do."),
        ("<details>\n\nText.", "", "<details>\n\nText."),
    ],
)
def test_an_answer_ends_where_something_else_begins(text: str, answer: str, rest: str) -> None:
    assert parted(text) == (answer, rest)


@pytest.mark.parametrize(
    ("text", "answer", "rest"),
    [
        ("It doubles.", "It doubles.", ""),
        ("It doubles: look.", "It doubles: look.", ""),
        ("It doubles. How far? Here it is:", "It doubles.", "How far? Here it is:"),
        ("It doubles (see *b*). Does it (or not)?", "It doubles (see *b*).", "Does it (or not)?"),
        ("(It doubles. Does it?)", "(It doubles. Does it?)", ""),
        ("It doubles. Move the slider.", "It doubles.", "Move the slider."),
        ("It doubles.\n\nNow the other one.", "It doubles.", "Now the other one."),
        ("It doubles.\n\n- a\n- b", "It doubles.\n\n- a\n- b", ""),
        ("It doubles. So:\n\n$$x$$", "It doubles. So:\n\n$$x$$", ""),
    ],
)
def test_words_that_lead_to_the_next_cell_stay_open(text: str, answer: str, rest: str) -> None:
    assert parted(text, leads=True) == (answer, rest)


@pytest.mark.parametrize("lesson", lessons(ROOT), ids=lambda lesson: lesson.stem)
def test_no_takeaway_of_a_lesson_is_folded_and_no_question_before_a_cell(lesson: Lesson) -> None:
    path = ROOT / "notebooks" / f"{lesson.stem}.ipynb"
    notebook = json.loads(lesson_files.as_tested(path).read_text(encoding="utf-8"))
    cells = for_readers(notebook, lesson, "links")["cells"]
    for each, following in pairwise(cells):
        text = "".join(each["source"])
        if MARK in text:
            assert "**Takeaway" not in text
            words = text.removesuffix("\n::::::")
            assert following["cell_type"] != "code" or not words.endswith((":", "?")), each["id"]


def cell(kind: str, name: str, source: str, **metadata: Any) -> dict[str, Any]:
    more = {"outputs": [], "execution_count": 1} if kind == "code" else {}
    return {"cell_type": kind, "id": name, "source": source, "metadata": metadata, **more}


def test_the_words_below_a_folded_output_are_folded_and_no_others() -> None:
    hidden = cell("code", "a", "2 + 2", tags=["hide-output"])
    first = cell("markdown", "a-look", "Four.\n\n**More.** Text.")
    made = with_folds([hidden, first, cell("code", "b", "3 + 3"), cell("markdown", "b-look", "Six.")])
    assert [each["source"] for each in made] == [
        "2 + 2",
        f"::::::{{container}} {MARK}\nFour.\n::::::",
        "**More.** Text.",
        "3 + 3",
        "Six.",
    ]
    assert len({each["id"] for each in made}) == len(made)


def test_every_task_of_a_lesson_is_a_place_that_other_pages_lead_to() -> None:
    notebook = {"cells": [cell("markdown", "title", "# How?"), cell("markdown", "sum-up-task", "Add.")]}
    assert for_readers(notebook, LESSON, "links")["cells"][-1]["source"] == "(exercise-sum-up)=\nAdd."
    exercise = Told("sum-up", "write it", "Add.", (), "", ())
    assert "[In the lesson](#exercise-sum-up)" in page(LESSON, [exercise])
    suspect = solved.Solved("suspect-sum", "See the table on the left.", "x = 'a'\n# Why.", "check()")
    told = solved.section(suspect)
    assert "[The evidence and the mistakes (a) to (d) are in the lesson](#exercise-suspect-sum)" in told


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Add.", "[This exercise is in the lesson](#exercise-sum-up)."),
        (
            "The map above has 0.7.",
            "in the lesson](#exercise-sum-up), with what its task calls above or below.",
        ),
        ("One number above 0, one below the other.", "[This exercise is in the lesson](#exercise-sum-up)."),
        ("No entry above −6.", "[This exercise is in the lesson](#exercise-sum-up)."),
        ("**Your turn (sum-up, find the bug).** The lookup below.", "with the bug is in the lesson]"),
    ],
)
def test_a_solved_page_says_where_that_is_of_which_its_task_speaks(task: str, said: str) -> None:
    assert said in solved.section(solved.Solved("sum-up", task, "x = 1", "check()"))


def test_mistakes_stand_in_the_order_of_the_lesson() -> None:
    exercises = [Told(name, "", "", (), "", ()) for name in ("b", "c", "a")]
    assert [each.name for each in in_order(exercises, ["a", "b", "c"])] == ["a", "b", "c"]


def test_the_reply_is_the_check_s_own_and_names_the_mistake() -> None:
    told = reply.shown()
    assert "✗ softmax: right shape, wrong numbers" in told
    assert "one distribution of all the scores" in " ".join(told.split())
    assert "Hint 1 of " in told
    assert reply.MARK in (ROOT / "docs" / "site" / "run.md").read_text(encoding="utf-8")
    assert "run.md#what-a-reply-looks-like" in (ROOT / "docs" / "site" / "start.md").read_text(
        encoding="utf-8"
    )


def test_a_wrong_answer_whose_mistake_the_check_does_not_name_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reply, "WRONG", "def my_softmax(scores):\n    return scores * 0 + 7")
    with pytest.raises(ValueError, match="names no mistake"):
        reply.replied()


def test_a_link_whose_words_are_a_file_s_name_has_the_page_s_title() -> None:
    every, found = lessons(ROOT), listed(ROOT)
    titles = titles_of(ROOT, found, every)
    assert titles["docs/teaching/05.md"].startswith("Plan 05: ")
    text = (
        "See [install.md](install.md), [`05_masking.ipynb`](../notebooks/05_masking.ipynb), [it](install.md)."
    )
    assert titled(text, "docs/doors.md", titles) == (
        f"See [{titles['docs/install.md']}](install.md), [05 · Masking](../notebooks/05_masking.ipynb), "
        "[it](install.md)."
    )


def test_a_file_that_is_only_named_is_a_link_with_its_page_s_title() -> None:
    titles = {"docs/hub.md": "One server", "docs/install.md": "Installing"}
    text = "docs/hub.md: new (docs/gone.md, docs/install.md). `docs/hub.md`, [docs/hub.md](docs/hub.md)"
    assert linked(text, "CHANGELOG.md", titles) == (
        "[One server](docs/hub.md): new (docs/gone.md, [Installing](docs/install.md)). "
        "`docs/hub.md`, [docs/hub.md](docs/hub.md)"
    )
    assert linked("docs/hub.md", "docs/doors.md", titles) == "[One server](hub.md)"


@pytest.mark.parametrize("source", ["docs/kill_table.md", "docs/museum.md", "docs/teaching/days.md"])
def test_what_is_for_authors_stands_at_the_foot_of_the_page(source: str) -> None:
    text = (ROOT / source).read_text(encoding="utf-8")
    told = as_page(text)
    assert "; a test fails where" in text[:300]
    assert "; a test fails where" not in told[:300]
    note = told.rpartition("\n---\n")[2].strip()
    assert note.startswith("*Written by `python ")
    assert note.endswith(".*")
    assert len(told.split()) == len(text.split()) + 1


def test_slides_lead_back_to_the_site() -> None:
    slides = '<section class="title"><div class="content"><h1>How?</h1></div></section><section class="text">'
    made = decks.with_way_back(slides, "03_softmax")
    assert made.index('href="../lessons/03_softmax.html"') < made.index("</section>")
    with pytest.raises(ValueError, match="no title slide"):
        decks.with_way_back("<section>", "03_softmax")


def test_hours_are_those_of_the_minutes() -> None:
    assert hours([LESSON, LESSON._replace(minutes=70)]) == 3

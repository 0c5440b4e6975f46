"""`course.py update` on clones of a small course: releases come in, and what a learner wrote stays."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_course
from releases import (
    begin,
    book_at,
    changed,
    cloned,
    code,
    everything_in,
    inserted,
    lesson,
    make_course,
    needs_git,
    notebook,
    put,
    quiet_git,
    release,
    run_git,
    text,
    without,
    words,
)

from course import changelog, git, updating
from course.messages import CourseError
from course.updating import update

__all__ = ["quiet_git"]
ANSWER = "def my_sum(x):\n    return sum(x)"
ANSWERED = ("01_sums", "02_means")
OWN = code("0a1b2c3d", "1 + 1", count=None)
NEWER = inserted(changed(lesson(), title="# Why, then?"), "size", text("more", "More."))

pytestmark = [pytest.mark.usefixtures("quiet_git"), needs_git]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with one release."""
    return make_course(tmp_path / "the course")


@pytest.fixture
def mine(course: Path, tmp_path: Path) -> Path:
    """A learner's clone of it, with an exercise solved and a cell added in lesson 01."""
    folder = cloned(course, tmp_path / "my é course")
    put(folder, inserted(changed(lesson(), sum_try=ANSWER), "size-look", OWN))
    return folder


def refused(folder: Path) -> str:
    """A clone -> the one line with which it is not updated. Nothing in it changed."""
    before, head = everything_in(folder), git.maybe(folder, "rev-parse", "HEAD")
    with pytest.raises(CourseError) as told:
        update(folder, [])
    line = str(told.value)
    assert "\n" not in line
    assert (everything_in(folder), git.maybe(folder, "rev-parse", "HEAD")) == (before, head)
    return line


def updated(folder: Path) -> None:
    """A clone -> None. Updates it, and asserts that a second time changes nothing."""
    assert update(folder, []) == 0
    before = everything_in(folder)
    assert update(folder, []) == 0
    assert everything_in(folder) == before


def without_copies(folder: Path) -> dict[str, bytes]:
    """A clone -> the content of each file in it, the saved copies left out."""
    return {name: content for name, content in everything_in(folder).items() if "copies/" not in name}


def head_of(folder: Path) -> str:
    """A repository -> its last commit."""
    return run_git(folder, "rev-parse", "HEAD")


# --- it works -----------------------------------------------------------------------------------------------


def test_a_newer_lesson_comes_and_answers_and_own_cells_stay(
    course: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything_in(mine)
    release(course, {"helpers/sum.py": "def total(numbers):\n    return 0\n"}, "Second release")
    release(course, {"notebooks/01_sums.ipynb": NEWER}, "Third release")
    updated(mine)
    assert head_of(mine) == head_of(course)
    assert book_at(mine) == inserted(changed(NEWER, sum_try=ANSWER), "size-look", OWN)
    assert (mine / "helpers" / "sum.py").read_bytes() == (course / "helpers" / "sum.py").read_bytes()
    (copy,) = (mine / "copies").iterdir()
    assert (copy / "notebooks" / "01_sums.ipynb").read_bytes() == before["notebooks/01_sums.ipynb"]
    assert (copy / "notebooks" / "02_means.ipynb").read_bytes() == before["notebooks/02_means.ipynb"]
    assert run_git(mine, "status", "--short") == "M notebooks/01_sums.ipynb"
    said = capsys.readouterr().out
    assert said.index("\nThird release\n\n- Third release, in short\n") < said.index("\nSecond release\n")
    assert "First release" not in said
    assert "Lessons that changed: 01_sums.\n" in said
    assert "01_sums.ipynb keeps your work: answers: 1, cells of your own: 1.\n" in said
    assert f"were: copies/{copy.name}\n" in said
    assert said.count("Nothing new: ") == 1


def test_a_notebook_with_a_name_is_merged_as_a_lesson_is(
    course: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release(course, {"notebooks/practice.ipynb": lesson()}, "Second release")
    updated(mine)
    put(mine, changed(lesson(), sum_try=ANSWER), "practice")
    release(course, {"notebooks/practice.ipynb": NEWER}, "Third release")
    updated(mine)
    assert book_at(mine, "practice") == changed(NEWER, sum_try=ANSWER)
    said = capsys.readouterr().out
    assert said.count("Lessons that changed: practice.\n") == 2
    assert "practice.ipynb keeps your work: answers: 1.\n" in said


def test_a_release_at_a_time_and_all_at_once_come_to_the_same(
    course: Path, mine: Path, tmp_path: Path
) -> None:
    other = cloned(course, tmp_path / "other")
    put(other, book_at(mine))
    third = without(NEWER, "mean-task", "mean-try", "mean-check")
    for number, book in enumerate([NEWER, third, changed(third, size="size = 5")]):
        release(course, {"notebooks/01_sums.ipynb": book}, f"Release {number}")
        updated(mine)
    updated(other)
    assert book_at(mine) == book_at(other)


def test_a_clean_clone_becomes_the_newer_course(course: Path, tmp_path: Path) -> None:
    folder = cloned(course, tmp_path / "clean", "--depth", "1")
    files = {
        "notebooks/01_sums.ipynb": NEWER,
        "notebooks/02_means.ipynb": None,
        "notebooks/03_max.ipynb": NEWER,
    }
    release(course, files, "Second release")
    updated(folder)
    assert run_git(folder, "status", "--short") == ""
    left = {
        name: content for name, content in everything_in(folder).items() if not name.startswith("copies/")
    }
    assert left == everything_in(course)


def test_what_the_update_does_not_touch_stays_as_it_is(course: Path, mine: Path) -> None:
    put(mine, notebook(text("title", "mine")), "02_means")
    (mine / "helpers" / "sum.py").write_text("# mine\n")
    (mine / "helpers" / "own.py").write_text("# mine too\n")
    put(mine, notebook(text("title", "mine")), "Untitled")
    run_git(mine, "add", "-A")
    before = everything_in(mine)
    release(course, {"notebooks/01_sums.ipynb": NEWER}, "Second release")
    updated(mine)
    for name in ("notebooks/02_means.ipynb", "notebooks/Untitled.ipynb", "helpers/sum.py", "helpers/own.py"):
        assert everything_in(mine)[name] == before[name]


def test_a_lesson_under_a_new_name_takes_the_work_along(
    course: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release(course, {"notebooks/01_sums.ipynb": None, "notebooks/01_adding.ipynb": NEWER}, "Second release")
    updated(mine)
    assert words(book_at(mine, "01_adding"))["sum-try"] == ANSWER
    assert not (mine / "notebooks" / "01_sums.ipynb").exists()
    assert "01_adding.ipynb (it was 01_sums.ipynb) keeps your work" in capsys.readouterr().out


def test_a_lesson_that_is_gone_and_a_new_one_where_an_own_notebook_stands(
    course: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = notebook(text("title", "my own third lesson"))
    put(mine, own, "03_max")
    release(course, {"notebooks/01_sums.ipynb": None, "notebooks/03_max.ipynb": NEWER}, "Second release")
    updated(mine)
    assert words(book_at(mine, "01_sums.mine"))["sum-try"] == ANSWER
    assert book_at(mine, "03_max.mine") == own
    assert book_at(mine, "03_max") == NEWER
    said = capsys.readouterr().out
    assert "Your notebooks/01_sums.ipynb is notebooks/01_sums.mine.ipynb now.\n" in said
    assert "Your notebooks/03_max.ipynb is notebooks/03_max.mine.ipynb now.\n" in said
    assert run_git(mine, "status", "--short") == ""


def test_a_lesson_that_the_learner_deleted_comes_back_with_the_newer_one(course: Path, mine: Path) -> None:
    (mine / "notebooks" / "01_sums.ipynb").unlink()
    release(course, {"notebooks/01_sums.ipynb": NEWER}, "Second release")
    updated(mine)
    assert book_at(mine) == NEWER


def test_answers_that_were_committed_are_joined_with_the_newer_course(course: Path, mine: Path) -> None:
    run_git(mine, "commit", "-qam", "my answers")
    own = head_of(mine)
    release(course, {"notebooks/01_sums.ipynb": NEWER, "helpers/sum.py": "# newer\n"}, "Second release")
    updated(mine)
    assert book_at(mine) == inserted(changed(NEWER, sum_try=ANSWER), "size-look", OWN)
    assert run_git(mine, "rev-parse", "HEAD^1") == own
    assert run_git(mine, "rev-parse", "HEAD^2") == head_of(course)
    run_git(mine, "commit", "-qam", "my answers again")
    put(mine, changed(book_at(mine), mean_try="mine"))
    release(course, {"notebooks/01_sums.ipynb": changed(NEWER, title="# How?")}, "Third release")
    updated(mine)
    expected = changed(NEWER, sum_try=ANSWER, mean_try="mine", title="# How?")
    assert book_at(mine) == inserted(expected, "size-look", OWN)


def rewrite(course: Path) -> None:
    """A course -> None. Its only release is made again, with another lesson 01."""
    put(course, NEWER)
    run_git(course, "commit", "-q", "--amend", "-am", "First release, again")


def test_a_history_that_was_rewritten_is_followed(
    course: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(course)
    updated(mine)
    assert head_of(mine) == head_of(course)
    assert words(book_at(mine))["sum-try"] == ANSWER
    assert "history was rewritten; this clone follows it" in capsys.readouterr().out


def test_a_fork_is_updated_from_the_remote_called_upstream(
    course: Path, mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_git(mine, "clone", "-q", "--bare", ".", str(tmp_path / "fork.git"))
    run_git(mine, "remote", "set-url", "origin", (tmp_path / "fork.git").as_uri())
    release(course, {"notebooks/01_sums.ipynb": NEWER}, "Second release")
    assert update(mine, []) == 0
    said = capsys.readouterr().out
    assert "Nothing new: file:///" in said
    assert "If that address is a fork of yours" in said
    run_git(mine, "remote", "add", "upstream", course.as_uri())
    updated(mine)
    assert head_of(mine) == head_of(course)
    assert words(book_at(mine))["title"] == "# Why, then?"


def test_a_branch_that_follows_nothing_takes_the_main_branch(course: Path, mine: Path) -> None:
    run_git(mine, "switch", "-q", "-c", "my-branch")
    release(course, {"notebooks/01_sums.ipynb": NEWER}, "Second release")
    updated(mine)
    assert (head_of(mine), run_git(mine, "branch", "--show-current")) == (head_of(course), "my-branch")


def test_a_step_that_fails_leaves_the_notebooks_as_they_were(
    course: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(course, {"notebooks/01_sums.ipynb": NEWER}, "Second release")
    before, real = everything_in(mine), git.git

    def fails(root: Path, *arguments: str) -> bytes:
        if "--keep" in arguments:
            raise git.GitError("error: no room")
        return real(root, *arguments)

    monkeypatch.setattr(git, "git", fails)
    with pytest.raises(CourseError, match="no room"):
        update(mine, [])
    assert without_copies(mine) == before


def test_answers_that_cannot_be_written_into_the_newer_lesson_are_said_to_be_in_the_copy(
    course: Path, mine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The disk is full, say, after git has moved."""
    put(mine, changed(book_at(mine, "02_means"), mean_try="mine"), "02_means")
    newer = {f"notebooks/{name}.ipynb": changed(book_at(course, name), title="# New") for name in ANSWERED}
    release(course, newer, "Second release")
    real = updating.store

    def full_disk(path: Path, text: str) -> None:
        if path.name.startswith("01"):
            raise OSError(28, "No space left on device")
        real(path, text)

    monkeypatch.setattr(updating, "store", full_disk)
    with pytest.raises(CourseError) as told:
        update(mine, [])
    (copy,) = (mine / "copies").iterdir()
    assert str(told.value) == (
        "the newer course is here, and your answers could not be written into 01_sums.ipynb ([Errno 28] No "
        f"space left on device). You have them in copies/{copy.name}/notebooks: copy them from there."
    )
    assert capsys.readouterr().out == f"A copy of all notebooks as they were: copies/{copy.name}\n"
    assert words(json.loads((copy / "notebooks" / "01_sums.ipynb").read_text()))["sum-try"] == ANSWER
    assert words(book_at(mine, "02_means"))["mean-try"] == "mine", "the other one was written all the same"


# --- one line -----------------------------------------------------------------------------------------------


def test_words_after_it_are_refused(mine: Path) -> None:
    with pytest.raises(CourseError, match=r"^update takes nothing after it, not 'now'"):
        update(mine, ["now"])


def test_without_a_network(mine: Path, course: Path) -> None:
    course.rename(course.with_name("elsewhere"))
    assert "does not give the newer course (fatal: " in refused(mine)
    run_git(mine, "remote", "set-url", "origin", "https://me:secret@127.0.0.1:9/course.git")
    line = refused(mine)
    assert line.startswith("https://127.0.0.1:9/course.git does not give the newer course (fatal: ")
    assert "secret" not in line


def test_without_a_remote(mine: Path) -> None:
    run_git(mine, "remote", "remove", "origin")
    assert refused(mine).startswith("this clone has no remote")


def test_without_git_or_a_clone(mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    assert refused(unpacked).startswith("update needs git, and this folder is no git clone")
    empty = tmp_path / "empty"
    empty.mkdir()
    run_git(empty, "init", "-q")
    assert refused(empty).startswith("update needs git, and git cannot read this clone (fatal: ")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused(mine).startswith("update needs git, and git is not installed. Install git")


def test_a_helper_that_both_changed(course: Path, mine: Path) -> None:
    (mine / "helpers" / "sum.py").write_text("# mine\n")
    release(course, {"helpers/sum.py": "# theirs\n"}, "Second release")
    assert refused(mine).startswith("you changed helpers/sum.py, and the newer course changes it too")


def test_a_file_that_stands_where_a_new_one_comes(course: Path, mine: Path) -> None:
    (mine / "helpers" / "max.py").write_text("# mine\n")
    release(course, {"helpers/max.py": "# theirs\n"}, "Second release")
    assert refused(mine).startswith(
        "the newer course has a file helpers/max.py, and one of yours stands there"
    )


def test_own_commits_to_more_than_notebooks(course: Path, mine: Path) -> None:
    (mine / "helpers" / "sum.py").write_text("# mine\n")
    run_git(mine, "commit", "-qam", "my helper")
    release(course, {"notebooks/01_sums.ipynb": NEWER}, "Second release")
    assert refused(mine).startswith("this clone has 1 commit of its own, and they change helpers/sum.py")


def test_own_commits_on_a_history_that_was_rewritten(course: Path, mine: Path) -> None:
    run_git(mine, "commit", "-qam", "my answers")
    rewrite(course)
    assert "the course's history was rewritten" in refused(mine)


def test_no_branch_and_a_merge_that_waits(course: Path, mine: Path) -> None:
    run_git(mine, "commit", "-qam", "my answers")
    run_git(mine, "switch", "-q", "--detach")
    assert refused(mine).startswith("this clone stands on no branch")
    run_git(mine, "switch", "-q", "main")
    release(course, {"notebooks/01_sums.ipynb": changed(lesson(), sum_try="other")}, "Second release")
    subprocess.run(["git", "pull", "-q", "--no-rebase"], cwd=mine, capture_output=True)
    assert "<<<<<<<" in (mine / "notebooks" / "01_sums.ipynb").read_text(encoding="utf-8")
    assert refused(mine).startswith("git is in the middle of a merge")


def test_a_notebook_that_is_none_any_more(course: Path, mine: Path) -> None:
    (mine / "notebooks" / "01_sums.ipynb").write_text("<<<<<<< HEAD\n{}")
    release(course, {"notebooks/01_sums.ipynb": NEWER}, "Second release")
    assert "notebooks/01_sums.ipynb is no notebook any more" in refused(mine)


def test_the_verbs_need_no_environment(course: Path, tmp_path: Path) -> None:
    made = tiny_course.make_course(tmp_path / "real")
    told = tiny_course.run(made, "update", env=tiny_course.settings())
    assert (told.returncode, told.stderr.count("\n")) == (1, 1)
    assert told.stderr.startswith("course.py: update needs git, and this folder is no git clone")
    assert not (made / ".venv").exists()
    told = tiny_course.run(made, "reset", "--cpu", "03", env=tiny_course.settings())
    assert told.stderr == "course.py: reset takes none of --cpu, --gpu and --kernels.\n"


def test_the_command_itself_updates_itself(tmp_path: Path) -> None:
    made = tiny_course.make_course(tmp_path / "real")
    begin(made)
    release(made, {"notebooks/01_sums.ipynb": lesson()}, "First release")
    folder = cloned(made, tmp_path / "mine")
    put(folder, changed(lesson(), sum_try=ANSWER))
    files = dict.fromkeys(("tools/course/git.py",), "raise SystemExit('half of the new, half of the old')\n")
    release(made, {**files, "notebooks/01_sums.ipynb": NEWER}, "Second release")
    command = [sys.executable, str(folder / "course.py"), "update"]
    told = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    assert words(book_at(folder))["sum-try"] == ANSWER


# --- CHANGELOG.md -------------------------------------------------------------------------------------------


def test_news_are_the_entries_that_came() -> None:
    old = "# What changed\n\n## One\n\n- a\n"
    new = "# What changed\n\n## Three\n\n- c\n\n### Lesson 03\n\n- d\n\n## Two\n\n- b\n\n## One\n\n- A.\n"
    assert changelog.news(old, new) == ["Three\n\n- c\n\n### Lesson 03\n\n- d", "Two\n\n- b"]
    assert changelog.news("", old) == ["One\n\n- a"]
    assert changelog.news(new, old) == []


def test_the_courses_own_changelog_has_entries_with_a_day_and_a_title() -> None:
    text = (Path(__file__).resolve().parent.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    found = changelog.entries(text)
    assert found
    for entry in found:
        heading, _, body = entry.partition("\n\n")
        assert heading.partition(": ")[0].split()[-1].isdigit()
        assert all(line.startswith(("- ", "  ")) for line in body.splitlines())

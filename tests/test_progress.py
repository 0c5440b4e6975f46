"""What a person has tried and solved is kept, never lost, and never mixed with a real person's by a test."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest
from no_root import closed_to_this_user, without_root

from course import running
from helpers.exercises import check, progress, progress_file
from helpers.exercises.catalogue import names
from helpers.exercises.progress_file import Reply, lesson_to_open, read, record

ROOT = Path(__file__).resolve().parent.parent
ORDER = names()
FIRST = ORDER["00"][0]
NO_ROOT = pytest.mark.skipif(not closed_to_this_user(), reason="here no folder is closed to this user")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for progress, and a project's folder without an older file; nothing waits."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "kept é"))
    monkeypatch.setattr(progress_file, "OLD_FILE", tmp_path / "clone" / ".course-progress.json")
    monkeypatch.setattr(progress_file, "waiting", [])
    monkeypatch.setattr(progress_file, "told", set())
    (tmp_path / "clone").mkdir()
    return tmp_path / "kept é"


def content(folder: Path) -> dict[str, object]:
    """A folder -> what its progress.json holds."""
    loaded = json.loads((folder / "progress.json").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def put(folder: Path, text: str) -> Path:
    """A folder, a text -> progress.json with it."""
    folder.mkdir(exist_ok=True)
    path = folder / "progress.json"
    path.write_text(text, encoding="utf-8")
    return path


def solve(*exercises: str) -> None:
    """Exercises -> each is recorded as right."""
    for name in exercises:
        record(name, "right")


def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on each reply comes a minute after the one before it."""
    minutes = iter(range(60))

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Clock":
            return cls(2026, 1, 2, 3, next(minutes), tzinfo=tz)

    monkeypatch.setattr(progress_file, "datetime", Clock)


# --- what is kept


def test_an_entry_holds_tries_first_last_and_when_it_was_solved(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock(monkeypatch)
    check("softmax", None)
    check("softmax", lambda scores: scores * 0 + 7)
    check("softmax", lambda scores: scores)
    check("softmax", None)  # the cell was emptied: no try, and what was said stays
    record("softmax", "right")
    record("softmax", "wrong", (("no-shift", "axis-0"), ("other",)))
    entry = content(home)["exercises"]["softmax"]  # type: ignore[index]
    assert content(home)["version"] == 1
    assert entry["first"] == {"date": "2026-01-02T03:01:00+00:00", "names": ["unnamed"]}
    assert entry["last"] == {"date": "2026-01-02T03:05:00+00:00", "names": ["no-shift + axis-0", "other"]}
    assert (entry["tries"], entry["solved"]) == (3, "2026-01-02T03:04:00+00:00")


def test_mistakes_are_counted_up_to_the_first_right_answer(home: Path) -> None:
    named = [(("no-shift", "axis-0"), ("other",)), (("no-shift",),), ()]
    for mistakes in named:
        record("softmax", "wrong", mistakes)
    solve("softmax")
    record("softmax", "wrong", (("no-shift",),))
    assert read()["softmax"]["mistakes"] == {"no-shift": 2, "axis-0": 1, "unnamed": 1}


def test_an_entry_of_before_mistakes_were_counted_begins_to_count(home: Path) -> None:
    record("softmax", "wrong", (("axis-0",),))
    stored: Any = content(home)
    del stored["exercises"]["softmax"]["mistakes"]
    put(home, json.dumps(stored))
    record("softmax", "wrong", (("axis-0",),))
    assert (read()["softmax"]["tries"], read()["softmax"]["mistakes"]) == (2, {"axis-0": 1})


def test_an_exercise_that_was_only_reached_is_no_try(home: Path) -> None:
    check("softmax", None)
    check("softmax", None)
    entry = read()["softmax"]
    assert (entry["tries"], entry["first"]["names"], entry["solved"]) == (0, ["not attempted"], None)
    assert lesson_to_open() == "00"


def test_a_mistake_is_kept_by_its_name(home: Path) -> None:
    check("total", max)
    assert read()["total"]["last"]["names"] == ["largest"]
    check(sum, "total")  # the other order is understood as well
    assert read()["total"]["solved"]
    check("predict-weights", [0.5, 0.5])
    assert read()["predict-weights"]["tries"] == 1


def test_a_name_that_is_no_exercise_is_not_kept(home: Path) -> None:
    check("softmx", len)
    check(len)
    assert not home.exists()


def test_the_report_says_what_is_done_and_where_it_is_kept(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check("total", sum)
    check("softmax", lambda scores: scores)
    capsys.readouterr()
    progress()
    text = capsys.readouterr().out
    assert "Lesson 00: 1 of 1\n  ✓ total" in text
    assert "✗ softmax" in text
    assert "○ jacobian" in text
    assert f"Kept in {home / 'progress.json'}" in text


def test_keys_of_others_stay(home: Path) -> None:
    entry = {"date": "2026-01-02T03:00:00+00:00", "names": ["unnamed"]}
    more = {"tries": 1, "first": entry, "last": entry, "solved": None, "minutes": 7}
    put(home, json.dumps({"version": 1, "exercises": {"softmax": more, "of-another-course": more}}))
    solve("softmax")
    assert read()["softmax"]["minutes"] == 7
    assert read()["softmax"]["tries"] == 2
    assert read()["of-another-course"] == more


# --- where


@pytest.mark.parametrize(
    ("platform", "settings", "expected"),
    [
        ("linux", {}, "HOME/.local/share/attention-course"),
        ("linux", {"XDG_DATA_HOME": "ROOT/data"}, "ROOT/data/attention-course"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "HOME/.local/share/attention-course"),
        ("darwin", {"XDG_DATA_HOME": "ROOT/data"}, "HOME/Library/Application Support/attention-course"),
        ("win32", {"APPDATA": "ROOT/roaming"}, "ROOT/roaming/attention-course"),
        ("win32", {}, "HOME/AppData/Roaming/attention-course"),
        ("linux", {"COURSE_PROGRESS": "ROOT/mine"}, "ROOT/mine"),
        ("linux", {"COURSE_PROGRESS": "~/mine"}, "HOME/mine"),
        ("linux", {"COURSE_PROGRESS": "mine"}, "HOME/mine"),
    ],
)
def test_the_folder_is_the_persons_own(
    platform: str, settings: dict[str, str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "APPDATA", "COURSE_PROGRESS"):
        monkeypatch.delenv(name, raising=False)
    places = {"HOME": str(tmp_path / "home"), "ROOT": str(tmp_path)}
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, places["HOME"])
    for name, value in settings.items():
        monkeypatch.setenv(name, value.replace("ROOT", places["ROOT"]))
    monkeypatch.setattr(sys, "platform", platform)
    start, _, rest = expected.partition("/")
    assert progress_file.folder() == Path(places[start], rest)


@pytest.mark.parametrize(("variable", "value"), [("CI", "true"), ("COURSE_PROGRESS", "OFF")])
def test_progress_is_off(
    home: Path,
    variable: str,
    value: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(variable, value)
    check("total", sum)
    assert not home.exists()
    for reset in (False, True):
        capsys.readouterr()
        progress(reset)
        assert capsys.readouterr().out == "Progress is not kept here (CI, or COURSE_PROGRESS=off).\n"
    assert running.where_it_was_left(ROOT) == running.FIRST_NOTEBOOK


def test_no_test_touches_the_persons_own_progress() -> None:
    assert not progress_file.kept()


# --- nothing is lost


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[1, 2]",
        "null",
        "\x00\xff",
        "[" * 100_000,
        '{"version": 1}',
        '{"version": 1, "exercises": 7}',
    ],
)
def test_a_damaged_file_is_set_aside_and_said_once(
    home: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put(home, damage)
    assert read() == {}
    (aside,) = home.glob("progress-damaged-*.json")
    assert aside.read_text(encoding="utf-8") == damage
    said = f"Progress: the file was damaged and is now {aside}. What could be read of it is kept.\n"
    assert capsys.readouterr().out == said
    solve(FIRST)
    assert list(read()) == [FIRST]
    assert capsys.readouterr().out == ""
    assert len(list(home.glob("progress-damaged-*"))) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tries", "3"),
        ("tries", -1),
        ("tries", True),
        ("first", None),
        ("last", {"date": 7, "names": []}),
        ("last", {"date": "", "names": [None]}),
        ("last", {"date": "", "names": 7}),
        ("solved", 1),
        ("mistakes", ["axis-0"]),
        ("mistakes", {"axis-0": "2"}),
    ],
)
def test_what_can_be_read_of_a_damaged_file_is_kept(home: Path, key: str, value: object) -> None:
    solve(FIRST, "softmax")
    stored = content(home)
    stored["exercises"]["softmax"][key] = value  # type: ignore[index]
    put(home, json.dumps(stored))
    assert list(read()) == [FIRST]
    assert len(list(home.glob("progress-damaged-*"))) == 1


def test_two_damaged_files_in_one_second_are_both_kept(home: Path) -> None:
    for text in ("one", "two"):
        put(home, text)
        read()
    kept = {path.read_text(encoding="utf-8") for path in home.glob("progress-damaged-*")}
    assert kept == {"one", "two"}


def test_a_file_of_a_newer_course_is_left_alone(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newer = json.dumps({"version": 2, "exercises": {}})
    path = put(home, newer)
    solve(FIRST, "softmax")
    why = f"{path} was written by a newer version of the course"
    assert capsys.readouterr().out == f"Progress is kept only until this kernel ends: {why}.\n"
    assert path.read_text(encoding="utf-8") == newer
    assert set(read()) == {FIRST, "softmax"}


def test_a_folder_that_cannot_be_made_is_said_once_and_memory_does(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.write_text("a file, where a folder should be")
    check("total", sum)
    check("softmax", lambda scores: scores)
    text = capsys.readouterr().out
    assert text.count("Progress is kept only until this kernel ends") == 1
    assert text.startswith("✓ total")
    progress()
    assert "✓ total" in capsys.readouterr().out
    home.unlink()
    solve("jacobian")  # now it can be written, with all that waited
    assert set(content(home)["exercises"]) == {"total", "softmax", "jacobian"}  # type: ignore[call-overload]


@NO_ROOT
def test_a_home_folder_that_is_closed_costs_nothing_else(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir(mode=0o500)
    check("total", sum)
    assert "cannot be written (permission denied)" in capsys.readouterr().out
    assert read()["total"]["solved"]
    assert lesson_to_open() == "01"


def test_a_person_without_a_home_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setenv("COURSE_PROGRESS", "mine")
    monkeypatch.setattr(Path, "home", nowhere)
    solve(FIRST)
    assert "there is no folder for it" in capsys.readouterr().out
    assert read()[FIRST]["solved"]


def test_a_lock_that_another_program_holds_is_waited_for_and_no_longer(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress_file, "PATIENCE", 0.05)
    with progress_file.locked(home):
        solve(FIRST)
    assert "another program holds the lock" in capsys.readouterr().out
    assert not (home / "progress.json").exists()
    assert read()[FIRST]["solved"]
    assert FIRST in content(home)["exercises"]  # type: ignore[operator]


KERNEL = """
import sys
from helpers.exercises import progress_file
from helpers.exercises.catalogue import names
for group in names().values():
    for name in group:
        if len(name) % 2 == int(sys.argv[1]):
            progress_file.record(name, "right")
        progress_file.record("total", "wrong", (("mistake",),))
"""


def test_two_kernels_that_write_at_once_lose_nothing(home: Path) -> None:
    solve("total")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def kernel(number: int) -> str:
        command = [sys.executable, "-c", KERNEL, str(number)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    with ThreadPoolExecutor() as pool:
        assert list(pool.map(kernel, (0, 1))) == ["", ""]
    entries = read()
    assert set(entries) == {name for group in ORDER.values() for name in group}
    assert all(entry["solved"] for entry in entries.values())
    assert [path.name for path in sorted(home.iterdir())] == ["progress.json", "progress.lock"]


def test_two_kernels_count_every_try(home: Path) -> None:
    code = "from helpers.exercises.progress_file import record\n"
    code += "for _ in range(40): record('softmax', 'wrong')"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    kernels = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(2)]
    assert [kernel.wait(60) for kernel in kernels] == [0, 0]
    assert read()["softmax"]["tries"] == 80


# --- afresh, and from an older course


def test_progress_begins_afresh_and_the_old_is_kept(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress(reset=True)
    assert capsys.readouterr().out == "Nothing was kept yet.\n"
    solve(FIRST)
    before = content(home)
    progress(reset=True)
    (aside,) = home.glob("progress-until-*.json")
    said = f"Progress begins afresh. What there was is now {aside}.\n"
    assert capsys.readouterr().out == said
    assert json.loads(aside.read_text(encoding="utf-8")) == before
    assert read() == {}


def test_the_older_file_is_taken_over_once(home: Path) -> None:
    old = progress_file.OLD_FILE
    old.write_text('{"softmax": "wrong", "total": "right", "jacobian": "right"}', encoding="utf-8")
    os.utime(old, (0, 0))
    record("jacobian", "wrong")
    entries = read()
    assert not old.exists()
    first = {"date": "1970-01-01T00:00:00+00:00", "names": ["unnamed"]}
    assert entries["softmax"] == {
        "tries": 1,
        "first": first,
        "last": first,
        "solved": None,
        "mistakes": {"unnamed": 1},
    }
    assert entries["total"]["solved"] == "1970-01-01T00:00:00+00:00"
    assert (entries["jacobian"]["tries"], entries["jacobian"]["last"]["names"]) == (1, ["unnamed"])
    progress(reset=True)
    assert read() == {}


def test_what_is_done_in_either_file_is_done(home: Path) -> None:
    record("jacobian", "wrong")
    progress_file.OLD_FILE.write_text('{"jacobian": "right"}', encoding="utf-8")
    assert read()["jacobian"]["solved"]


@pytest.mark.parametrize("damage", ["{", "7", '{"total": "done"}', '{"total": ["right"]}'])
def test_a_damaged_older_file_is_set_aside(
    home: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    old = progress_file.OLD_FILE
    old.write_text(damage, encoding="utf-8")
    assert read() == {}
    (aside,) = old.parent.iterdir()
    assert aside.read_text(encoding="utf-8") == damage
    assert capsys.readouterr().out == f"Progress: an older file was damaged and is now {aside}.\n"


@NO_ROOT
def test_the_older_file_of_another_person_stays(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress_file.OLD_FILE.write_text('{"total": "right"}', encoding="utf-8")
    progress_file.OLD_FILE.chmod(0)
    solve("softmax")
    assert list(read()) == ["softmax"]
    assert progress_file.OLD_FILE.exists()
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(os.name == "nt" or closed_to_this_user(), reason="they run by themselves, or nowhere")
def test_what_root_is_too_mighty_for() -> None:
    chosen = "home_folder_that_is_closed or older_file_of_another_person"
    command = [*without_root(), sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, __file__, "-k", chosen], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert re.search(r"^2 passed", done.stdout, re.MULTILINE), done.stdout + done.stderr


# --- where JupyterLab opens


def opens(*words: str) -> list[str]:
    """Words after `lab` -> the notebooks and folders that JupyterLab is given."""
    arguments = running.command("lab", list(words), ROOT)
    return [word for word in arguments[2:] if not word.startswith("-")]


def nothing() -> None:
    """Nobody has tried anything."""


def one_of_lesson_03() -> None:
    """A lesson that is done, and a try in another one."""
    solve(FIRST)
    record("softmax", "wrong")


def all_of_lesson_03() -> None:
    """A lesson is done; lesson 04 has been done before."""
    solve(*ORDER["04"], *ORDER["03"])


def everything() -> None:
    """Nothing is left to do."""
    for group in ORDER.values():
        solve(*group)


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (nothing, "00_start_here"),
        (lambda: solve(FIRST), "01_dot_product"),
        (one_of_lesson_03, "03_softmax"),
        (all_of_lesson_03, "05_masking"),
        (lambda: solve(*ORDER["08"]), "09_gpu"),
        (everything, "16_many_machines"),
    ],
)
def test_lab_opens_where_the_learner_left_off(
    home: Path, learner: Callable[[], None], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner()
    assert opens() == [os.path.join("notebooks", f"{expected}.ipynb")]
    assert opens("--no-browser") == opens()


def test_lab_opens_what_the_learner_names(home: Path) -> None:
    solve(FIRST)
    for word in ("notebooks/07_cross_attention.ipynb", "notebooks", "elsewhere.ipynb"):
        assert opens(word) == [word]


def test_lab_opens_even_with_helpers_that_do_not_load(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "helpers.exercises.progress_file", None)
    assert opens() == [running.FIRST_NOTEBOOK]


def test_where_the_learner_left_off_is_found_without_numpy(home: Path) -> None:
    solve(FIRST)
    code = "import sys; sys.path[:0] = ['tools', '.']; from pathlib import Path; from course import running; "
    code += "print(running.where_it_was_left(Path.cwd())); "
    code += "print({name.split('.')[0] for name in sys.modules} - sys.stdlib_module_names - {'__main__'})"
    command = [sys.executable, "-S", "-c", code]  # -S: no installed package can be had
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0] == os.path.join("notebooks", "01_dot_product.ipynb")
    assert eval(said[1]) == {"helpers", "course"}


def test_a_reply_is_added_to_what_is_kept_and_nothing_is_changed_in_place() -> None:
    before = progress_file.after({}, [Reply("total", "a", ("unnamed",))])
    again = progress_file.after(before, [Reply("total", "b", ("right",))])
    assert before["total"]["tries"] == 1
    assert (again["total"]["tries"], again["total"]["solved"]) == (2, "b")

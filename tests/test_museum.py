"""Every room of the museum fails and passes as it claims; page and notebook are made from the rooms."""

from __future__ import annotations

import re

import lesson_files
import museum
import pytest

from helpers.exercises.catalogue import lessons
from helpers.museum import FLOORS, ROOMS, Room, enter, look
from helpers.museum.room import verdict

pytestmark = pytest.mark.filterwarnings("error")

AS_TESTED = lesson_files.as_tested(museum.NOTEBOOK)
every_room = pytest.mark.parametrize("room", ROOMS.values(), ids=list(ROOMS))


@every_room
def test_the_bug_is_found_and_the_right_code_is_not_accused(room: Room) -> None:
    assert verdict(room.probe, room.broken).startswith("✗ ")
    assert verdict(room.probe, room.right) == "✓ passes"


# Where the check of an exercise finds it, it has the mistake's name.
NAMED = {
    "one-too-many": "one key too many on the left",
    "whole-width": "the root of the width of all heads together",
    "divided-by-its-inverse": "You multiplied the scores by √d_k",
    "over-the-queries": "You ran softmax over the queries",
    "two-layouts": "Your partners are neighbours, and your angles are those of halves",
}


@pytest.mark.parametrize("name", NAMED)
def test_the_check_names_the_mistake(name: str) -> None:
    said = re.sub(r"\s+", " ", verdict(ROOMS[name].probe, ROOMS[name].broken))
    assert NAMED[name] in said


def test_the_other_rooms_are_found_by_changing_an_input() -> None:
    words = ("reads the future", "padding", "not all is read", "rows of the batch", "the order", "the cache")
    for name in ROOMS.keys() - NAMED.keys():
        assert any(word in verdict(ROOMS[name].probe, ROOMS[name].broken) for word in words), name


def test_there_are_at_least_twelve_rooms_each_with_a_name_of_its_own() -> None:
    assert len(ROOMS) == sum(len(rooms) for rooms in FLOORS.values()) >= 12


@every_room
def test_the_facts_are_whole(room: Room) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", room.name)
    assert 2015 <= room.year <= 2026
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", room.project)
    assert room.threads
    assert room.lesson in lessons()
    for text in (room.was, room.symptom, room.fixed, room.takeaway):
        assert text.endswith(".")
        assert "  " not in text


@every_room
def test_the_code_is_short_and_does_not_give_itself_away(room: Room) -> None:
    assert len(room.code.splitlines()) <= 12
    assert room.code.startswith("def model(")
    assert room.broken.__name__ not in room.code
    docstring = re.findall(r'"""(.*)"""', room.code)
    assert len(docstring) == 1
    assert re.fullmatch(r"[^:]*->[^:]*", docstring[0])


def test_the_page_and_the_notebook_are_current() -> None:
    assert museum.is_current(AS_TESTED), "python tools/museum.py, then python course.py run museum"


def test_a_change_of_a_room_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(museum, "PAGE_TOP", "# Another page\n")
    assert not museum.is_current(AS_TESTED)


def test_a_visitor_sees_the_code_first_and_the_finding_after(capsys: pytest.CaptureFixture[str]) -> None:
    enter("upside-down")
    first = capsys.readouterr().out
    assert "hide = np.triu" in first
    assert "✗" not in first
    look("upside-down")
    second = capsys.readouterr().out
    assert "upside_down: ✗ the model reads the future" in second
    assert "right_way_up: ✓ passes" in second
    assert "What became of it." in second


def test_a_room_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="there is no room 'cellar'; there are upside-down, "):
        enter("cellar")

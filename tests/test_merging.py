"""Three versions of a lesson become one: every kind of change, by the course and by a learner."""

import copy
import random

import nbformat
import pytest
from releases import cell_of, changed, code, ids, inserted, lesson, notebook, task, text, without, words

from course.merging import EARLIER, GONE, YOURS, merge
from course.notebooks import Notebook

ANSWER = "def my_sum(x):\n    return sum(x)"
OWN = code("0a1b2c3d", "1 + 1", count=None)


def merged(base: Notebook, mine: Notebook, new: Notebook) -> Notebook:
    """Three versions -> the merged one. It is a valid notebook, and a second time changes nothing."""
    before = copy.deepcopy((base, mine, new))
    once = merge(base, mine, new).notebook
    assert (base, mine, new) == before, "an input was changed"
    nbformat.validate(nbformat.from_dict(once))
    assert merge(new, once, new).notebook == once, "not the same a second time"
    return once


def test_without_work_of_the_learners_the_newer_lesson_is_taken_as_it_is() -> None:
    new = inserted(changed(lesson(), title="# Why, then?"), "title", text("more", "More."))
    assert merged(lesson(), lesson(), new) == new
    opened = {**lesson(), "metadata": {"language_info": {"version": "3.12.0"}}}
    for cell in opened["cells"]:
        cell["execution_count"] = 7 if cell["cell_type"] == "code" else None
    assert merge(lesson(), opened, new).notebook == new


def test_a_solved_exercise_keeps_its_answer_and_its_reply() -> None:
    mine = changed(lesson(), sum_try=ANSWER)
    cell_of(mine, "sum-check")["outputs"][0]["text"] = ["✓ sum\n"]
    new = inserted(changed(lesson(), title="# Why?\n\nA new text."), "title", text("more", "More."))
    found = merged(lesson(), mine, new)
    assert words(found) == words(new) | {"sum-try": ANSWER}
    assert ids(found) == ids(new)
    assert cell_of(found, "sum-check")["outputs"][0]["text"] == ["✓ sum\n"]
    assert cell_of(found, "mean-check")["outputs"] == cell_of(new, "mean-check")["outputs"]


def test_an_answer_stays_where_the_task_changed_too() -> None:
    new = changed(
        lesson(), sum_try='def my_sum(x):\n    """New words."""', sum_task="**Your turn (sum).** Add."
    )
    found, kept = merge(lesson(), changed(lesson(), sum_try=ANSWER), new)
    assert words(found)["sum-try"] == ANSWER
    assert words(found)["sum-task"] == "**Your turn (sum).** Add."
    assert dict(kept) == {"answers whose task changed": 1}


def test_a_stub_that_the_learner_left_alone_is_renewed() -> None:
    new = changed(lesson(), sum_try="def my_sum(x):\n    return None")
    assert merged(lesson(), changed(lesson(), mean_try=ANSWER), new) == changed(new, mean_try=ANSWER)


@pytest.mark.parametrize("name", ["size", "size-look"])
def test_a_cell_that_only_the_learner_changed_stays_theirs(name: str) -> None:
    mine = changed(lesson(), **{name.replace("-", "_"): "size = 400"})
    new = changed(lesson(), takeaway="That is really all.")
    assert words(merged(lesson(), mine, new))[name] == "size = 400"


def test_a_cell_that_both_changed_is_the_courses_and_the_learners_stands_below_as_text() -> None:
    mine = changed(lesson(), size="size = 400\n'''```'''", size_look="Mine: 400.")
    new = changed(lesson(), size="size = 5\nprint(size)", size_look="It is 5.")
    found = merged(lesson(), mine, new)
    assert words(found)["size"] == "size = 5\nprint(size)"
    assert words(found)["size-yours"] == f"{YOURS}\n\n````python\nsize = 400\n'''```'''\n````"
    assert words(found)["size-look-yours"] == f"{YOURS}\n\nMine: 400."
    assert ids(found)[2:6] == ["size", "size-yours", "size-look", "size-look-yours"]
    assert {cell_of(found, name)["cell_type"] for name in ("size-yours", "size-look-yours")} == {"markdown"}
    again = merged(new, found, changed(new, size="size = 6"))
    assert [words(again)[name] for name in ids(again)[2:4]] == ["size = 6", words(found)["size-yours"]]


def test_both_made_the_same_change() -> None:
    same = changed(lesson(), size="size = 5")
    assert merged(lesson(), same, same) == same


def test_what_the_learner_made_of_another_kind_stays_so() -> None:
    mine = lesson()
    mine["cells"][2] = text("size", "Only a note now.")
    assert cell_of(merged(lesson(), mine, changed(lesson(), title="x")), "size") == mine["cells"][2]


def test_a_count_is_no_output_of_the_learners() -> None:
    def shows(count: int, value: str) -> Notebook:
        book, output = (
            lesson(),
            {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": [value]}},
        )
        book["cells"][2] = {**book["cells"][2], "outputs": [{**output, "execution_count": count}]}
        return book

    assert merged(shows(1, "4"), shows(9, "4"), shows(1, "4.0")) == shows(1, "4.0")


def test_two_cells_that_say_the_same_are_not_taken_for_one_under_new_ids() -> None:
    before = inserted(lesson(), "size", text("rule-1", "---"), text("rule-2", "---"))
    after = inserted(lesson(), "size", text("line-1", "---"), text("line-2", "---"))
    assert merged(before, before, after) == after


def test_own_cells_stay_behind_the_cell_that_they_stood_behind() -> None:
    first, second = {**OWN, "id": "top-one"}, {**OWN, "id": "second"}
    mine = inserted(inserted(inserted(lesson(), "", first), "size", OWN), "0a1b2c3d", second)
    new = inserted(lesson(), "size", text("more", "More."))
    expected = inserted(inserted(new, "", first), "size", OWN, second)
    assert merged(lesson(), mine, new) == expected


def test_own_cells_move_along_and_survive_their_neighbour() -> None:
    mine = inserted(lesson(), "size-look", OWN)
    moved = inserted(without(lesson(), "size-look"), "takeaway", cell_of(lesson(), "size-look"))
    assert ids(merged(lesson(), mine, moved))[-2:] == ["size-look", OWN["id"]]
    gone = merged(lesson(), mine, without(lesson(), "size-look"))
    assert ids(gone)[2:4] == ["size", OWN["id"]]


def test_a_task_that_is_gone_keeps_an_answer_at_the_end() -> None:
    mine = inserted(changed(lesson(), sum_try=ANSWER), "takeaway", OWN)
    new = without(lesson(), "sum-task", "sum-try", "sum-check", "mean-task", "mean-try", "mean-check")
    found = merged(lesson(), mine, new)
    assert ids(found) == [*ids(new), OWN["id"], EARLIER, "sum-task", "sum-try"]
    assert words(found)["sum-try"] == ANSWER
    assert cell_of(found, "sum-try")["metadata"] == {}
    # A release later: what is kept stays at the end, under one heading.
    later = inserted(without(new, "size-look"), "takeaway", text("epilogue", "The end."))
    again = merged(new, changed(found, size_look="Mine."), later)
    assert ids(again) == [*ids(later)[:-1], OWN["id"], "epilogue", *ids(found)[-3:], "size-look-yours"]
    assert words(again)["size-look-yours"] == f"{GONE}\n\nMine."


def test_a_task_that_is_gone_and_was_not_attempted_goes() -> None:
    new = without(lesson(), "sum-task", "sum-try", "sum-check")
    assert merged(lesson(), changed(lesson(), mean_try=ANSWER), new) == changed(new, mean_try=ANSWER)


def test_a_cell_under_a_new_id_is_the_same_cell() -> None:
    renamed = lesson()
    for cell in renamed["cells"]:
        cell["id"] = cell["id"].replace("sum-", "total-")
    mine = inserted(changed(lesson(), sum_try=ANSWER), "sum-try", OWN)
    found = merged(lesson(), mine, renamed)
    assert found == inserted(changed(renamed, total_try=ANSWER), "total-try", OWN)


def test_an_order_of_the_courses_own_is_followed() -> None:
    cells = lesson()["cells"]
    new = {**lesson(), "cells": [cells[0], *cells[7:10], *cells[1:7], cells[10]]}
    mine = changed(lesson(), sum_try=ANSWER, mean_try="mine")
    assert merged(lesson(), mine, new) == changed(new, sum_try=ANSWER, mean_try="mine")


def test_what_the_learner_deleted_comes_back_only_with_something_new() -> None:
    mine = without(lesson(), "size", "size-look")
    found = merged(lesson(), mine, changed(lesson(), size_look="It is four."))
    assert ids(found) == ids(without(lesson(), "size"))


def test_outputs_are_the_learners_only_where_they_differ() -> None:
    mine = changed(lesson(), sum_try=ANSWER)
    mine["cells"][2] = {**mine["cells"][2], "outputs": code("", "", "400\n")["outputs"], "execution_count": 9}
    hidden = {"jupyter": {"outputs_hidden": True}}
    new = lesson()
    new["cells"][2] = {**new["cells"][2], "metadata": hidden}
    kept = cell_of(merged(lesson(), mine, new), "size")
    assert (kept["outputs"][0]["text"], kept["execution_count"], kept["metadata"]) == (["400\n"], 9, hidden)
    newer = merged(lesson(), mine, changed(new, size="size = 5"))
    assert cell_of(newer, "size")["outputs"] == new["cells"][2]["outputs"]


@pytest.mark.parametrize("named", [(), ("title", "takeaway")])
def test_ids_that_another_program_dropped_are_found_again(named: tuple[str, ...]) -> None:
    mine = copy.deepcopy(inserted(changed(lesson(), sum_try=ANSWER), "size", OWN))
    expected = merged(lesson(), mine, changed(lesson(), title="# How?"))
    for cell in mine["cells"]:
        if cell["id"] not in named:
            del cell["id"]
    found = merged(lesson(), mine, changed(lesson(), title="# How?"))
    assert list(words(found).values()) == list(words(expected).values())
    assert [name for name in ids(found) if not name.startswith("your-cell-")] == ids(lesson())


def test_an_id_that_stands_twice_loses_nothing() -> None:
    twice = inserted(lesson(), "size", {**OWN, "id": "size"})
    found = merged(lesson(), twice, changed(lesson(), title="# How?"))
    assert [words(found)[name] for name in ids(found)[2:4]] == ["size = 4\nprint(size)", "1 + 1"]


def test_a_new_cell_of_the_courses_under_the_name_of_an_own_cell() -> None:
    mine = inserted(lesson(), "title", {**OWN, "id": "more"})
    found = merged(lesson(), mine, inserted(lesson(), "size", text("more", "More.")))
    assert words(found)["more"] == "More."
    assert words(found)["more-yours"] == "1 + 1"


def test_a_picture_in_a_changed_text_comes_along() -> None:
    mine, new = changed(lesson(), size_look="![](attachment:a.png)"), changed(lesson(), size_look="It is 5.")
    mine["cells"][3]["attachments"] = {"a.png": {"image/png": "aGVsbG8="}}
    assert (
        cell_of(merged(lesson(), mine, new), "size-look-yours")["attachments"]
        == mine["cells"][3]["attachments"]
    )
    assert "attachments" in cell_of(merged(lesson(), mine, changed(lesson(), title="x")), "size-look")


def test_a_code_cell_that_becomes_text() -> None:
    new = lesson()
    new["cells"][2] = text("size", "No code any more.")
    found = merged(lesson(), changed(lesson(), size="size = 400"), new)
    assert words(found)["size"] == "No code any more."
    assert "size = 400" in words(found)["size-yours"]


# Second opinions, compared once. Where nbdime 4.0.4 sees no conflict it gives the same cells in the same
# order: in these five cases, and in all 107 of 200 random ones that it merged without a conflict. Where it
# sees one (both put a cell in one place or changed one cell; one changed what the other deleted or moved) it
# leaves marks in the notebook. nbgitpuller 1.3.0 merges lines. In these five cases it gives the same as well;
# where both changed a cell it keeps the learner's and drops the course's.
WHOLE = "title setup size size-look sum-task sum-try sum-check mean-task mean-try mean-check takeaway"
NBDIME = {
    "solved, an own cell; a text changed, a text new": (
        inserted(changed(lesson(), sum_try=ANSWER), "size-look", OWN),
        inserted(changed(lesson(), title="# Why, then?"), "size", text("more", "More.")),
        WHOLE.replace("size-look", "more size-look 0a1b2c3d"),
        {"sum-try": ANSWER, "title": "# Why, then?"},
    ),
    "a number played with; a text changed": (
        changed(lesson(), size="size = 400"),
        changed(lesson(), takeaway="So much."),
        WHOLE,
        {"size": "size = 400", "takeaway": "So much."},
    ),
    "solved; another task gone": (
        changed(lesson(), mean_try=ANSWER),
        without(lesson(), "sum-task", "sum-try", "sum-check"),
        WHOLE.replace("sum-task sum-try sum-check ", ""),
        {"mean-try": ANSWER},
    ),
    "solved; all ids of the task changed": (
        changed(lesson(), sum_try=ANSWER),
        {**lesson(), "cells": [{**c, "id": c["id"].replace("sum-", "total-")} for c in lesson()["cells"]]},
        WHOLE.replace("sum-", "total-"),
        {"total-try": ANSWER},
    ),
    "a text deleted; another changed": (
        without(lesson(), "size-look"),
        changed(lesson(), title="# How?"),
        WHOLE.replace("size-look ", ""),
        {"title": "# How?"},
    ),
}


@pytest.mark.parametrize(("mine", "new", "order", "said"), NBDIME.values(), ids=NBDIME)
def test_the_same_as_nbdime_where_that_sees_no_conflict(
    mine: Notebook, new: Notebook, order: str, said: dict[str, str]
) -> None:
    found = merged(lesson(), mine, new)
    assert ids(found) == order.split()
    assert {name: words(found)[name] for name in said} == said


def shuffled(book: Notebook, chance: random.Random, mark: str) -> Notebook:
    """A notebook, chance, a mark -> a copy with cells changed, deleted, moved and inserted."""
    cells = [cell for cell in book["cells"] if chance.random() > 0.15]
    for _ in range(chance.randrange(3)):
        cells.insert(chance.randrange(len(cells) + 1), cells.pop(chance.randrange(len(cells))))
    for number in range(chance.randrange(4)):
        cells.insert(chance.randrange(len(cells) + 1), code(f"{mark}-{number}", f"{mark} own {number}"))
    return {
        **book,
        "cells": [{**c, "source": f"{mark} {c['id']}"} if chance.random() < 0.3 else c for c in cells],
    }


@pytest.mark.parametrize("seed", range(60))
def test_whatever_both_do_nothing_is_lost(
    seed: int,
) -> None:
    chance = random.Random(seed)
    base = notebook(*lesson()["cells"], *task("max"))
    mine, new = shuffled(base, chance, "mine"), shuffled(base, chance, "new")
    found = merged(base, mine, new)
    said = "\n".join(words(found).values())
    for name, theirs in words(mine).items():
        assert theirs in said or theirs == words(base).get(name), name
    untouched = [
        name for name in ids(new) if name in ids(mine) and words(mine)[name] == words(base).get(name)
    ]
    assert {name: words(found)[name] for name in untouched} == {name: words(new)[name] for name in untouched}
    assert [name for name in ids(found) if name in ids(new)] == [n for n in ids(new) if n in ids(found)]
    fresh = [name for name in ids(new) if name not in ids(base)]
    assert set(fresh) <= set(ids(found))

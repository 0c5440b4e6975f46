"""What a plan says that the class sees after a prediction: the whole answer, with its numbers."""

from itertools import pairwise
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from teacher import outcomes, plan
from teacher.lessons import PREDICT, lesson, paths

LESSONS = [lesson(path) for path in paths([])]
SECTIONS = [section for one in LESSONS for section in one.sections]
ASKED = {
    cell.id: section.cells[place:]
    for section in SECTIONS
    for place, cell in enumerate(section.cells, 1)
    if cell.cell_type == "markdown" and PREDICT in cell.source
}


def text(source: str, name: str = "look") -> Any:
    return new_markdown_cell(source, id=name)


def code(printed: str = "", name: str = "run") -> Any:
    outputs = [new_output("stream", name="stdout", text=printed)] if printed else []
    return new_code_cell("run()", id=name, outputs=outputs)


@pytest.mark.parametrize("shown", LESSONS, ids=lambda one: one.number)
def test_every_prediction_is_answered_and_no_answer_asks(shown: Any) -> None:
    found = [asked.seen for section in shown.sections for asked in plan.predictions(section)]
    for seen in found:
        assert len(seen.split()) >= 3
        assert not seen.rstrip(')*_`"').endswith(("?", ":")), seen
        assert "**Predict.**" not in seen
        assert "**Takeaway.**" not in seen
        assert "<details>" not in seen
        assert seen.count("```") in (0, 2)


@pytest.mark.parametrize("shown", LESSONS, ids=lambda one: one.number)
def test_a_table_of_an_answer_is_a_table_and_no_prose(shown: Any) -> None:
    for section in shown.sections:
        for _, _, seen in plan.predictions(section):
            without = "".join(seen.split("```")[::2])  # what was printed
            for before, line in pairwise(["", *without.splitlines()]):
                assert " |---" not in line
                if line.startswith("|") and not before.startswith("|"):
                    assert before == "", line


def test_what_is_listed_is_there_and_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [cell.id for one in SECTIONS for cell in one.cells if cell.id in ASKED]
    for kind, entries in outcomes.LISTED.items():
        for name in entries:
            assert asked.count(name) == 1, f"{name}: outcomes.toml has it in [{kind}]"
            seen = outcomes.outcome(name, ASKED[name])
            with monkeypatch.context() as changed:
                changed.setitem(outcomes.LISTED, kind, {n: v for n, v in entries.items() if n != name})
                assert outcomes.outcome(name, ASKED[name]) != seen, f"{name}: needs no line in [{kind}]"


def test_what_is_listed_and_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    following = [code("1"), text("One.\n\nTwo.")]
    monkeypatch.setitem(outcomes.LISTED, "until", {"ask": "Three"})
    with pytest.raises(ValueError, match="before 'Three', and no paragraph"):
        outcomes.outcome("ask", following)
    monkeypatch.setitem(outcomes.LISTED, "until", {"ask": "Two"})
    assert outcomes.outcome("ask", following) == "```text\n1\n```\n\nOne."
    monkeypatch.setitem(outcomes.LISTED, "further", {"ask": "elsewhere"})
    with pytest.raises(ValueError, match="answered in 'elsewhere', which does not follow it"):
        outcomes.outcome("ask", following)


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("It rises.\n\nIt falls.\n\n> **Takeaway.** So.", "It rises.\n\nIt falls."),
        ("It rises.\n\n### More\n\nText.", "It rises."),
        ("It rises.\n\n**Another thing.** Text.", "It rises."),
        ("**In order.** It rises.", "**In order.** It rises."),
        ("It rises. How far? Look:", "It rises."),
        ("It rises. How far? That depends on *n*. So count:", "It rises."),
        ("It rises. Why? Because it must.", "It rises. Why? Because it must."),
        ("It rises.\n\nWhy does it? We ask.", "It rises."),
        ("It rises.\n\nThat leads on.\n\n> **Predict.** And now?", "It rises."),
        ("It rises.\n\n> **Predict.** And now?", "It rises."),
        ("It is\n\n$$x$$\n\nwhere x is 1.", "It is\n\n$$x$$\n\nwhere x is 1."),
        ("Two:\n\n- a\n- b", "Two:\n\n- a\n- b"),
        ("Two:\n\n| a | b |\n|---|---|\n| c | d |", "Two:\n\n| a | b |\n|---|---|\n| c | d |"),
        ("<details><summary>Look</summary>\n\nIt rises.\n\n</details>\n\nMore.", "It rises."),
        ("It rises, as in\nthis. Here is the same again:", "It rises, as in this."),
        ("It rises. Here is the same. Look.", "It rises."),
        ("It rises.\n\nSo is this. And more:", "It rises."),
        ("Look:", "Look."),
        ("> **Takeaway.** It rises.", "It rises."),
    ],
)
def test_an_answer_is_whole_and_ends_before_what_comes_next(source: str, answer: str) -> None:
    assert outcomes.outcome("ask", [code(), text(source), code()]) == answer


def test_an_answer_before_a_slider_does_not_speak_of_it() -> None:
    slider = code(name="a-slider")
    assert outcomes.outcome("ask", [code(), text("It rises.\n\nDrag it."), slider]) == "It rises."
    assert outcomes.outcome("ask", [code(), text("It rises. Move the slider."), slider]) == "It rises."


def test_an_answer_may_stand_in_two_cells_and_ends_at_a_task_and_the_next_prediction() -> None:
    more = text("It falls.", "more")
    assert outcomes.outcome("ask", [code(), text("It rises."), more]) == "It rises.\n\nIt falls."
    for after in (text("Add.", "sum-task"), text("So.\n\n> **Predict.** And?"), text("## More")):
        assert outcomes.outcome("ask", [code(), text("It rises."), after]) == "It rises."


def test_lines_are_shown_where_the_text_has_none_of_their_numbers() -> None:
    printed = "share 0.457\n\nfirst 12,000"
    box = "```text\nshare 0.457\nfirst 12,000\n```\n\n"
    for told, shown in (("Less.", box), ("0.46.", ""), ("0.45.", box), ("12,000.", ""), ("1.", box)):
        assert outcomes.outcome("ask", [code(printed), text(told)]) == f"{shown}{told}"
    many = "\n".join(f"line {n}" for n in range(20))
    assert outcomes.outcome("ask", [code(many)]).endswith("line 15\n… and 4 more lines\n```")
    assert outcomes.outcome("ask", [code("a"), code("b")]) == "```text\na\nb\n```"

"""What the site makes of a notebook: folded predictions, alternative text, checks as boxes, numbers."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import lesson_files
import pytest
from website.answers import MARK
from website.cells import alternative, for_readers, printed_by, prose
from website.lessons import BESIDE, Lesson, lessons, lessons_in
from website.sources import links_of

ROOT = Path(__file__).resolve().parent.parent
LESSON = Lesson("03", "Softmax", "03_softmax", "How do scores become weights?", 110)
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
PICTURE = {"output_type": "display_data", "metadata": {}, "data": {"image/png": DOT}}


def words(*lines: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": [f"{line}\n" for line in lines]}


def code(name: str, source: str, *outputs: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {
        "cell_type": "code", "id": name, "source": source, "metadata": metadata, "outputs": list(outputs),
        "execution_count": 1,
    }  # fmt: skip


def text(name: str, source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "source": source, "metadata": {}}


def prepared(*cells: dict[str, Any]) -> list[dict[str, Any]]:
    """Cells below a title -> what becomes of them, without the title and the line of links."""
    notebook = {"cells": [text("title", "# How?"), *cells], "metadata": {}}
    before = copy.deepcopy(notebook)
    found = for_readers(notebook, LESSON, "links")
    assert notebook == before, "the notebook itself was changed"
    assert found["cells"][0]["source"] == "# 03 · How?"
    assert found["cells"][1]["source"] == "links"
    return list(found["cells"][2:])


def test_what_the_notebook_hides_is_folded() -> None:
    hidden = code("shares", "2 + 2", words("4"), jupyter={"outputs_hidden": True})
    seen = code("loop", "3 + 3", words("6"))
    first, second = prepared(hidden, seen)
    assert "hide-output" in first["metadata"]["tags"]
    assert first["metadata"]["mystnb"]["code_prompt_show"] == "Show the answer"
    assert second == seen


def test_a_figure_is_described_by_what_it_prints_below_its_heading() -> None:
    heading = text("t", "## Temperature $T$\n\nDivide.")
    (_, figure) = prepared(heading, code("f", "plot()", PICTURE, words("weight: 1", "  at 0.05")))
    assert figure["metadata"]["mystnb"]["image"]["alt"] == "Figure: Temperature T. weight: 1 at 0.05"


def test_a_folded_figure_keeps_its_words() -> None:
    (figure,) = prepared(code("f", "plot()", PICTURE, words("high"), jupyter={"outputs_hidden": True}))
    assert set(figure["metadata"]["mystnb"]) == {"code_prompt_show", "code_prompt_hide", "image"}


def test_long_findings_are_cut_between_words() -> None:
    told = alternative("largest " * 100, "Here")
    assert told.startswith("Figure: Here. largest largest")
    assert told.endswith("largest …")
    assert len(told) < 430


def test_a_figure_that_prints_nothing_is_an_error_and_not_an_empty_text() -> None:
    with pytest.raises(ValueError, match="a figure under 'Here' prints no finding"):
        alternative(" \n ", "Here")


def test_a_check_becomes_a_box_that_leads_to_its_exercise() -> None:
    reply = words("○ axis-bug: still the function as given.", "  Start from this: look at", "  the sums.")
    (box,) = prepared(code("axis-bug-check", 'check("axis-bug", my_softmax)', reply))
    assert box["cell_type"] == "markdown"
    assert 'run `check("axis-bug", my_softmax)`. Write' not in box["source"]
    assert "Try it in the notebook" in box["source"]
    assert "Start from this: look at the sums." in box["source"]
    assert "(../mistakes/03.md#axis-bug)" in box["source"]
    assert "○" not in box["source"]


def test_a_planted_bug_has_no_page_of_mistakes_and_its_notebook_no_number() -> None:
    check = code("attention-110-check", 'check("attention-110", fixed_110)')
    notebook = {"cells": [text("title", "# Can you find the bug?"), check], "metadata": {}}
    title, _, box = for_readers(notebook, BESIDE[0], "links")["cells"]
    assert title["source"] == "# Can you find the bug?"
    assert '`hint("attention-110")` goes one step further' in box["source"]
    assert "mistakes/" not in box["source"]


def test_a_check_that_nobody_tried_shows_no_reply() -> None:
    reply = words("○ softmax: not attempted yet.")
    (box,) = prepared(code("softmax-check", 'check("softmax", my_softmax)', reply))
    assert "not attempted" not in box["source"]


def test_a_table_has_no_line_above_it_that_only_jupyterlab_needs() -> None:
    def table(first: str) -> dict[str, Any]:
        html = f"{first}\n<div>\n<table></table>\n</div>"
        return {"output_type": "display_data", "metadata": {}, "data": {"text/html": html, "text/plain": "0"}}

    found = prepared(code("t", "show()", table("A table:"), table("12 tables:"), table("Each row:")))
    shown = [output["data"]["text/html"].partition("\n")[0] for output in found[0]["outputs"]]
    assert shown == ["<div>", "<div>", "Each row:"]
    assert found[0]["outputs"][0]["data"]["text/plain"] == "0"


def test_a_story_of_the_museum_is_text_with_its_code_in_colours() -> None:
    printed = [
        "What was seen. A loss",
        "fell by w_q.",
        "",
        "def model(x):",
        "    y = x",
        "",
        "    return y",
        "",
    ]
    printed += ["f: ✓ passes", "g: ✗ it reads", "on", "", "Takeaway. Test `it`."]
    room, told, other = prepared(
        code("r", 'enter("x")', words(*printed)), code("o", "show(3)", words(*printed))
    )
    assert room["outputs"] == []
    assert told["cell_type"] == "markdown"
    assert told["source"].split("\n\n```") == [
        "**What was seen.** A loss fell by `w_q`.",
        "python\ndef model(x):\n    y = x\n\n    return y\n```",
        "text\nf: ✓ passes\ng: ✗ it reads on\n```\n\n**Takeaway.** Test `it`.",
    ]
    assert printed_by(other).splitlines() == printed


def test_a_story_that_the_notebook_hides_begins_in_the_fold_and_goes_on_there() -> None:
    printed = words("A mask upside down (a/b, #1)", "", "What it was. A mask.")
    look, below = prepared(code("l", 'look("x")', printed, jupyter={"outputs_hidden": True}))
    assert "hide-output" in look["metadata"]["tags"]
    assert look["outputs"][0]["data"] == {"text/markdown": "**A mask upside down** (a/b, \\#1)"}
    assert below["source"] == f"::::::{{container}} {MARK}\n**What it was.** A mask.\n::::::"


def test_what_is_known_of_the_machine_that_ran_it_is_left_out() -> None:
    lead = text("t", "Next: more.\n\nWhat you have done so far (nothing is recorded here):")
    (left,) = prepared(lead, code("progress", "progress()", words("Progress is not kept here.")))
    assert left["source"] == "Next: more."


def test_mistakes_to_choose_from_are_a_list_below_what_is_printed() -> None:
    line_up = [
        "the suspect: rows sum to 1",
        "(a) twice-x: You did",
        "it `x` twice.",
        "(b) once: You did *not.",
    ]
    (vote,) = prepared(code("v", 'show()\nline_up("x")', words(*line_up)))
    printed, listed = vote["outputs"]
    assert printed["text"] == "the suspect: rows sum to 1\n"
    assert listed["data"]["text/markdown"].splitlines() == [
        "- **(a) twice-x**: You did it `x` twice.",
        r"- **(b) once**: You did \*not.",
    ]


def test_a_slider_says_that_it_moves_in_the_notebook() -> None:
    slider, note = prepared(code("d-k-slider", "explore_d_k()"))
    assert slider["source"] == "explore_d_k()"
    assert "In the notebook you can move this" in note["source"]


def test_anchors_are_spelt_as_the_site_spells_them() -> None:
    (cell,) = prepared(text("t", "See [it](00_start_here.ipynb#The-course) and [A](04_attention.ipynb)."))
    assert cell["source"] == "See [it](00_start_here.ipynb#the-course) and [A](04_attention.ipynb)."


def test_the_readmes_table_is_read_in_order() -> None:
    table = (
        "| | lesson | the question | minutes |\n|---|---|---|---|\n"
        "| 03 | [Softmax](notebooks/03_softmax.ipynb) | How do scores become weights? | 110 |\n"
        "| 10 | [Positions](notebooks/10_positions.ipynb) | How? | 105 |\n"
    )
    first, second = lessons_in(table)
    assert first == LESSON
    assert first.is_core
    assert not second.is_core


def test_a_readme_without_a_table_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"README\.md has no table of lessons"):
        lessons_in("Nothing here.")


def test_every_lesson_has_a_page() -> None:
    assert [lesson.stem for lesson in lessons(ROOT)] == [path.stem for path in lesson_files.lessons()]


@pytest.mark.parametrize("lesson", lessons(ROOT), ids=lambda lesson: lesson.stem)
def test_every_stored_notebook_can_be_prepared(lesson: Lesson) -> None:
    path = ROOT / "notebooks" / f"{lesson.stem}.ipynb"
    stored = json.loads(lesson_files.as_tested(path).read_text(encoding="utf-8"))
    told = for_readers(stored, lesson, "links")["cells"]
    checks = [cell for cell in stored["cells"] if cell["id"].endswith("-check")]
    boxes = [cell for cell in told if "Try it in the notebook" in "".join(cell["source"])]
    assert len(boxes) == len(checks)
    for cell in told:
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])):
            assert len(cell["metadata"]["mystnb"]["image"]["alt"]) > len("Figure: . ")
        assert not printed_by(cell).startswith("○"), f"{cell['id']}: a reply to an answer that nobody gave"


@pytest.mark.parametrize(
    ("formula", "same"),
    [
        (r"$$Q = X W_Q, \qquad K = X W_K .$$", r"$$Q = X W_Q, \qquad K = X W_K .$$"),
        (
            rf"$$a = {'b + ' * 25}c, \qquad d = e$$",
            rf"$$\begin{{gathered}} a = {'b + ' * 25}c, \\ d = e \end{{gathered}}$$",
        ),
        (rf"$$a = {'b + ' * 25}c$$ and $$d$$", rf"$$a = {'b + ' * 25}c$$ and $$d$$"),
    ],
)
def test_long_formulas_side_by_side_stand_one_below_the_other(formula: str, same: str) -> None:
    assert prose(formula, LESSON) == same


def test_a_reply_in_the_museum_keeps_its_columns() -> None:
    columns = "    expected  1.00  2.00\n    got       3.00  4.00\n  You did x."
    reply = f"✗ f: right shape.\n  Smallest case: a\n{columns}"
    told = f"{'word ' * 30}\nmore of it"
    room = code(
        "room", "look(1)", words(*f"one_of_them: {reply}\nother: ✓ passes\n\nWhat {told}".split("\n"))
    )
    _, text = prepared(room)
    assert columns in text["source"]
    assert f"What {told}".replace("\n", " ").replace("  ", " ") in text["source"]


def test_a_slider_that_begins_with_a_figure_that_was_drawn_is_not_drawn_again() -> None:
    heading, other = text("t", "## Steps"), text("u", "## Toggle")
    figure, slider = (code(name, "plot()", PICTURE, words("1")) for name in ("f", "s-slider"))
    *_, cell, note = prepared(heading, figure, slider)
    assert (cell["outputs"], cell["source"]) == ([], "plot()")
    assert note["source"].endswith("It begins with the figure above.*")
    assert prepared(heading, figure, other, slider)[-1]["source"].endswith("the figure under “Steps”.*")
    assert prepared(heading, slider)[1]["outputs"] == [PICTURE, words("1")]
    once_more = code("g", "plot()", PICTURE, words("1"))
    assert prepared(heading, figure, once_more)[-1]["outputs"] == [PICTURE, words("1")]


def test_options_are_marked_alike_in_all_lessons() -> None:
    assert prose("- a) `x`\n- b) d)", LESSON) == "- **a** `x`\n- **b** d)"


def test_the_museum_s_notebook_leads_to_its_page() -> None:
    assert 'href="../museum.html"' in links_of(BESIDE[1])
    assert "museum" not in links_of(BESIDE[0])

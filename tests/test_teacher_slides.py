"""The slides: a prediction before its answer, all that is said in the notes, nothing from elsewhere."""

import re
import zipfile
from pathlib import Path

import nbformat
import pytest

from course.messages import CourseError
from teacher import blocks, deck, figures, program, slides
from teacher.lessons import lesson, notebook, paths

CORE = paths([])[: slides.CORE]
LESSONS = {path.name[:2]: lesson(path) for path in CORE}
every_lesson = pytest.mark.parametrize("number", list(LESSONS))


def shown(text: str) -> str:
    """HTML -> its words."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


@every_lesson
def test_a_prediction_is_a_slide_before_its_answer(number: str) -> None:
    made = deck.deck(LESSONS[number])
    cells = [cell for section in LESSONS[number].sections for cell in section.cells]
    asked = sum(cell.source.count("> **Predict.**") for cell in cells)
    places = [place for place, slide in enumerate(made) if slide.kind == "predict"]
    assert len(places) == asked
    for place in places:
        assert made[place + 1].kind not in ("takeaway", "answer"), (
            "what follows shows the answer by its output"
        )
        assert "<pre" not in made[place].body
        assert "<img" not in made[place].body


@every_lesson
def test_a_vote_is_followed_by_its_answer_and_by_what_people_answer(number: str) -> None:
    made = deck.deck(LESSONS[number])
    for place, slide in enumerate(made):
        votes = '"label">Vote' in slide.body
        assert votes == (place + 1 < len(made) and made[place + 1].kind == "answer")
        if votes:
            assert 'class="answer"' not in slide.body
            assert "What people answer" in made[place + 1].notes


@every_lesson
def test_who_votes_on_a_bug_sees_what_it_did_and_the_mistakes(number: str) -> None:
    votes = [each.body for each in deck.deck(LESSONS[number]) if "Vote: <code>suspect-" in each.body]
    for body in votes:
        assert re.search(r'<div class="evidence"><(?:img|div|pre)', body)
        assert [f"({letter})" in shown(body) for letter in "abcd"] == [True] * 4
        assert "(a) " in body.split('class="evidence"')[1]


def test_an_arrow_and_the_comma_after_a_formula_stay_in_one_line() -> None:
    made = blocks.html("`(n,) -> (m,)` gives $X$, and `a`.")
    assert '<span class="whole">-&gt;</span>' in made
    assert '<span class="whole">$X$,</span>' in made


@every_lesson
def test_every_section_and_every_exercise_has_its_slide(number: str) -> None:
    made = deck.deck(LESSONS[number])
    text = " ".join(slide.body for slide in made)
    for section in LESSONS[number].sections:
        assert section.title in [slide.section for slide in made]
        for name in section.exercises:
            assert f"<code>{name}</code>" in text


@every_lesson
def test_what_a_slide_leaves_out_stands_in_the_notes(number: str) -> None:
    made = deck.deck(LESSONS[number])
    everything = shown(" ".join(f"{slide.body} {blocks.html(slide.notes)}" for slide in made))
    for section in LESSONS[number].sections:
        for cell in section.cells:
            plain = cell.cell_type == "markdown" and not cell.id.endswith("-task")
            for block in blocks.blocks(cell.source) if plain else []:
                if block.kind == "text" and not re.search(r"[$*`\[<&]", block.text):
                    assert shown(blocks.html(block.text)) in everything, cell.id


@every_lesson
def test_no_code_of_an_exercise_is_shown_and_no_formula_or_mark_is_cut(number: str) -> None:
    for slide in deck.deck(LESSONS[number]):
        assert "check(" not in slide.body
        words = shown(re.sub(r"(?s)<pre.*?</pre>|<code.*?</code>|<img[^>]*>", "", slide.body))
        assert words.count("$") % 2 == 0, words
        assert "**" not in words, words


def test_what_leads_to_a_slider_is_said_and_not_shown() -> None:
    (slide,) = [slide for slide in deck.deck(LESSONS["06"]) if "Choose a head, and a word" in slide.notes]
    assert "long-range" in slide.body
    assert "Choose a head" not in slide.body


def test_the_function_to_fix_stands_after_its_task() -> None:
    made = deck.deck(LESSONS["03"])
    (place,) = [place for place, slide in enumerate(made) if "<code>axis-bug</code>, find" in slide.body]
    assert made[place + 1].kind == "given"
    assert "my_batch_softmax" in made[place + 1].body


def test_every_figure_has_its_finding_as_its_text() -> None:
    found = re.findall(r'<img alt="([^"]*)"', "".join(slide.body for slide in deck.deck(LESSONS["03"])))
    assert len(found) >= 3
    assert all(len(text.split()) >= 3 for text in found)


def test_a_page_asks_nobody_for_anything() -> None:
    page = slides.page(LESSONS["03"], deck.deck(LESSONS["03"]))
    own = {"reset.css", "reveal.css", "slides.css", "tex-svg.js", "reveal.js", "notes.js", "slides.js"}
    assert set(re.findall(r'<(?:script|link)[^>]* (?:src|href)="program/([^"]+)"', page)) == own
    assert re.findall(r'(?:src|href)="(?!program/|data:)([^"]+)"', page) == []
    there = {part.name for one in program.parts() for part in one.files} | {"slides.css", "slides.js"}
    assert own <= there
    style = program.LIST.with_name("slides.css").read_text(encoding="utf-8")
    assert set(re.findall(r"url\(([^)]+)\)", style)) <= there


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.", ["One.", "Two."]),
        ('It says "3. Mai" here. Then more.', ['It says "3. Mai" here.', "Then more."]),
        (
            "**The cure.** Take it. (See A. B. there.) End.",
            ["**The cure.**", "Take it.", "(See A. B. there.)", "End."],
        ),
        ("With $a. B$ in it. Next.", ["With $a. B$ in it.", "Next."]),
        ("About 0.5 of it, e.g. this.", ["About 0.5 of it, e.g. this."]),
    ],
)
def test_sentences_are_cut_at_their_ends_only(text: str, expected: list[str]) -> None:
    assert blocks.sentences(text) == expected


def test_a_slide_shows_the_sentences_with_new_terms() -> None:
    assert blocks.lead("It is simple. A **key** is a label. More follows.") == "A **key** is a label."
    assert blocks.lead("**Keys.** They are labels. " + "They are long. " * 40).startswith(
        "**Keys.** They are"
    )


def test_figures_are_drawn_again_only_where_nothing_else_differs() -> None:
    (path,) = paths(["03"])
    cell = next(cell for cell in notebook(path).cells if cell.id == "race-problem")
    new = nbformat.from_dict(cell)
    for output in new.outputs:
        if "image/png" in output.get("data", {}):
            output.data["image/png"] = "sharper"
    drawn = figures.with_figures(nbformat.from_dict(cell), {cell.id: new})
    assert "sharper" in [output.get("data", {}).get("image/png") for output in drawn.outputs]
    new.outputs = new.outputs[:1]
    assert figures.with_figures(nbformat.from_dict(cell), {cell.id: new}) == cell
    assert figures.with_figures(nbformat.from_dict(cell), {}) == cell


def test_a_figure_that_is_drawn_again_is_twice_as_sharp(tmp_path: Path) -> None:
    (path,) = paths(["00"])
    stored, (drawn,) = lesson(path), figures.redrawn([path], [lesson(path)])

    def sizes(one):
        return [
            len(output.data["image/png"])
            for section in one.sections
            for cell in section.cells
            for output in cell.get("outputs", [])
            if "image/png" in output.get("data", {})
        ]

    assert len(sizes(stored)) == 2
    assert all(new > 1.3 * old for old, new in zip(sizes(stored), sizes(drawn), strict=True))


def wheel(folder: Path, package: str, version: str, inside: dict[str, bytes]) -> None:
    """A folder -> a wheel in it that pip takes."""
    stem = f"{package.replace('-', '_')}-{version}"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
        for name, content in inside.items():
            archive.writestr(name, content)
        about = f"{stem}.dist-info"
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")


def test_another_program_than_the_one_that_was_tried_is_refused(tmp_path: Path) -> None:
    first = program.parts()[0]
    wheel(tmp_path, first.package, first.version, {part.inside: b"something else" for part in first.files})
    with pytest.raises(CourseError, match="not the file that the course was tried with"):
        program.ensure(tmp_path / "program", tmp_path)
    assert list((tmp_path / "program").glob("reveal.js")) == []


def test_a_folder_without_the_package_is_told(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"has no wheel of sphinx-revealjs") as told:
        program.ensure(tmp_path / "program", tmp_path)
    assert told.value.status == 1


def test_out_of_reach_ends_with_status_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    import teach

    import course.models

    said = ["ERROR: No matching distribution found for sphinx-revealjs==3.2.1"]
    monkeypatch.setattr(course.models, "run", lambda *_: (1, said))
    assert teach.main(["slides", "00", "--stored", "--into", str(tmp_path)]) == 3
    assert capsys.readouterr().err.startswith("course.py slides: ")

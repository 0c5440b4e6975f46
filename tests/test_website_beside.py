"""What stands beside the site's pages: figures in few colours, solved lessons, slides."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lesson_files
import numpy as np
import pytest
from PIL import Image
from website import decks, pictures, solved
from website.lessons import BESIDE, lessons
from website.sources import links_of

from helpers.exercises.catalogue import names

ROOT = Path(__file__).resolve().parent.parent
LESSONS = {each.number: each for each in lessons(ROOT)}


def stored(pixels: np.ndarray, mode: str) -> str:
    """Pixels, their mode -> a PNG as a notebook stores it."""
    drawn = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8), mode).save(drawn, "PNG")
    return base64.b64encode(drawn.getvalue()).decode()


def read(picture: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")).astype(int)


def figure(opacity: int) -> str:
    """How opaque -> a disc with soft edges on white, in four channels, as figures are."""
    y, x = np.mgrid[-1:1:120j, -1:1:160j]
    edge = np.clip(40 * (0.7 - np.hypot(x, y)), 0, 1)
    channels = [255 - edge * depth for depth in (255, 150, 60)]
    return stored(np.dstack([*channels, np.full_like(x, opacity)]), "RGBA")


def test_a_figure_in_few_colours_is_smaller_and_looks_the_same() -> None:
    whole = figure(opacity=255)
    few = pictures.smaller(whole)
    assert len(few) < 0.7 * len(whole)
    assert np.abs(read(few) - read(whole)).max() < 20
    assert len(np.unique(read(few).reshape(-1, 3), axis=0)) <= pictures.COLOURS


def test_a_figure_that_one_can_see_through_stays_as_it_is() -> None:
    clear = figure(opacity=128)
    assert pictures.smaller(clear) == clear


def test_a_picture_that_does_not_get_smaller_stays_as_it_is() -> None:
    dot = stored(np.zeros((1, 1)), "L")
    assert pictures.smaller(dot) == dot


def test_the_notebook_that_a_figure_came_from_is_left_alone() -> None:
    whole = figure(opacity=255)
    cell: Any = {"cell_type": "code", "outputs": [{"data": {"image/png": whole, "text/plain": "x"}}]}
    made = pictures.with_smaller(cell)
    assert cell["outputs"][0]["data"]["image/png"] == whole
    assert made["outputs"][0]["data"] == {"image/png": pictures.smaller(whole), "text/plain": "x"}


@pytest.mark.parametrize("name", ["03_softmax", "06_multi_head"])
def test_a_notebook_to_fetch_is_the_stored_one_but_for_its_figures(name: str) -> None:
    path = ROOT / "notebooks" / f"{name}.ipynb"
    text = lesson_files.as_tested(path).read_text(encoding="utf-8")
    fetched = pictures.to_fetch(text)
    assert len(fetched) < len(text)
    both = json.loads(text), json.loads(fetched)
    assert both[0] != both[1]
    for notebook in both:
        for cell in notebook["cells"]:
            for output in cell.get("outputs", []):
                output.get("data", {}).pop("image/png", None)
    assert both[0] == both[1]


def test_a_solved_lesson_has_every_exercise_in_the_order_of_the_lesson() -> None:
    exercises, notebook = solved.edition(ROOT / "notebooks" / "03_softmax.ipynb")
    assert sorted(each.name for each in exercises) == sorted(names()["03"])
    page = solved.page(LESSONS["03"], exercises)
    for each in exercises:
        assert f"## {each.name}\n" in page
        assert "Your turn" in each.task
        assert "= None" not in each.code
    assert 'check("softmax", my_softmax)  # ✓' in page
    cells = {cell["id"]: cell for cell in json.loads(notebook)["cells"]}
    assert "keepdims=True" in "".join(cells["softmax-try"]["source"])
    assert "Solved edition" in "".join(cells["title"]["source"])
    assert not any(cell.get("outputs") or cell["metadata"].get("jupyter") for cell in cells.values())


@pytest.mark.parametrize(
    ("cell", "code", "reason"),
    [
        ("x = 1\n# Because\n# of that.", "x = 1", "Because of that."),
        ("# one\nx = 1  # two", "# one\nx = 1  # two", ""),
        ("x = 1\n\n# Why.", "x = 1", "Why."),
    ],
)
def test_the_reason_stands_apart_from_the_code(cell: str, code: str, reason: str) -> None:
    assert solved.apart(cell) == (code, reason)


def test_the_archive_holds_what_it_is_given_and_is_the_same_each_time() -> None:
    files = {"a.ipynb": "one", "b.ipynb": "√2"}
    packed = solved.archive(files)
    assert packed == solved.archive(files)
    with zipfile.ZipFile(io.BytesIO(packed)) as opened:
        assert {name: opened.read(name).decode() for name in opened.namelist()} == files


def test_the_slides_use_the_mathjax_of_the_pages() -> None:
    found = decks.made(ROOT / "notebooks" / f"{LESSONS['00'].stem}.ipynb")
    assert found.page.count("<section ") == found.n_slides > 10
    assert decks.OUR_MATHJAX in found.page
    assert decks.OTHER_MATHJAX not in found.page
    row = f'<a href="slides/00.html">{found.question}</a> | {found.n_slides} |'
    assert row in decks.table([found])


def test_slides_show_the_figures_of_the_lessons_and_keep_those_that_are_not_there(tmp_path: Path) -> None:
    there, missing = figure(opacity=255), figure(opacity=128)
    name = f"{hashlib.sha256(base64.b64decode(there)).hexdigest()}.png"
    (tmp_path / name).touch()
    page = "".join(f'<img alt="x" src="data:image/png;base64,{each}">' for each in (there, missing))
    shown = decks.with_shared_figures(page, tmp_path)
    assert f'<img alt="x" src="../{tmp_path.name}/{name}">' in shown
    assert there not in shown
    assert missing in shown


def test_another_program_for_slides_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.js"
    other.write_text("another program")
    monkeypatch.setattr(decks, "distribution", lambda _: SimpleNamespace(locate_file=lambda _: other))
    with pytest.raises(ValueError, match=r"reveal\.js in \.venv-site is not the one .* has 15 bytes"):
        decks.copy_program(tmp_path / "program")


def test_a_lesson_leads_to_its_solved_exercises_and_slides_where_there_are_any() -> None:
    core, further = links_of(LESSONS["05"]), links_of(LESSONS["13"])
    assert '"../solved/05.html"' in core
    assert '"../slides/05.html"' in core
    assert '"../solved/13.html"' in further
    assert "slides" not in further
    for notebook in BESIDE:
        assert f'"../notebooks/{notebook.stem}.ipynb"' in links_of(notebook)
        assert "solved" not in links_of(notebook)


def test_every_notebook_without_a_number_has_a_page() -> None:
    there = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb") if "." not in path.stem}
    listed = {each.stem for each in LESSONS.values()} | {each.stem for each in BESIDE}
    assert {"practice", "museum"} <= there & listed

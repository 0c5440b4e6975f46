"""Negative controls: each way of spoiling a notebook must fail under the project's own settings.

One small notebook is run and stored as the lessons are. Spoilt copies of it, and the intact one, go
through one pytest of their own, in a folder that has this project's settings and its conftest.
"""

from __future__ import annotations

import asyncio
import base64
import io
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
import run_notebooks
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parent.parent

MACHINERY = (
    "pyproject.toml",
    "conftest.py",
    "tests/lesson_files.py",
    "tests/long_first.py",
    "tests/one_lesson.py",
    "tests/strict_notebooks.py",
    "tests/two_runs.py",
    "tests/pictures.py",
    "tools/run_notebooks.py",
    *(
        f"tools/course/{room}.py"
        for room in ("__init__", "committed", "copies", "git", "messages", "notebooks")
    ),
)

FIGURE = """import sys
import matplotlib.pyplot as plt

def draw(heights):
    _, axes = plt.subplots(figsize=(3, 2))
    axes.plot(heights)
    axes.set_ylim(0, 100)
    plt.show()
    print("six points")

def draw_ten(ticked):
    draw([10 * ticked] * 10)"""

SLIDER = """import ipywidgets

def explore(step, tick=str):
    def show(number, box):
        print(100 // step(number), tick(box))

    ipywidgets.interact(show, number=ipywidgets.IntSlider(value=3, min=1, max=9), box=True)"""


def code(cell_id: str, source: str, *tags: str) -> NotebookNode:
    """An id, code -> a code cell that has not run yet."""
    cell = new_code_cell(source, id=cell_id)
    if tags:
        cell.metadata["tags"] = list(tags)
    return cell


TEXTS = ("text", "result", "gone", "uncounted", "stderr", "other-stderr")
SLIDERS = ("number-slider", "text-slider", "picture-slider")
FIGURES = ("figure-moved", "figure-curve", "figure-garbage", "figure-gone")


def small_notebook() -> NotebookNode:
    """() -> a notebook with the kinds of cells that a lesson has, one cell for each way to spoil it."""
    return new_notebook(
        cells=[
            new_markdown_cell("# Does a spoilt notebook fail?", id="title"),
            code("setup", FIGURE),
            *(code(cell_id, "print(1 + 1)\n3 * 5") for cell_id in TEXTS),
            *(code(cell_id, "draw([0, 10, 20, 30, 40, 50])") for cell_id in FIGURES),
            code("number-slider", f"{SLIDER}\n\nexplore(lambda number: number)", "nbval-ignore-output"),
            code("text-slider", "explore(lambda number: number)", "nbval-ignore-output"),
            code("picture-slider", "explore(lambda number: number, draw_ten)", "nbval-ignore-output"),
        ]
    )


def cell_of(notebook: NotebookNode, cell_id: str) -> NotebookNode:
    """A notebook, an id -> that cell."""
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def picture_of(notebook: NotebookNode, cell_id: str) -> NotebookNode:
    """A notebook, an id -> the data of that cell's output that holds its figure."""
    return next(out.data for out in cell_of(notebook, cell_id).outputs if "image/png" in out.get("data", {}))


def spoil_cells(notebook: NotebookNode) -> None:
    """Spoils each cell but the first in its own way; the code still runs."""
    cell_of(notebook, "text").outputs[0].text = "3\n"
    cell_of(notebook, "result").outputs[1].data["text/plain"] = "16"
    cell_of(notebook, "gone").outputs = []
    cell_of(notebook, "uncounted").execution_count = None
    cell_of(notebook, "uncounted").outputs = []

    shout = 'print("look", file=sys.stderr)\n'
    for cell_id in ("stderr", "other-stderr", "number-slider"):
        cell_of(notebook, cell_id).source = shout + cell_of(notebook, cell_id).source
    other = new_output("stream", name="stderr", text="other words\n")
    cell_of(notebook, "other-stderr").outputs.append(other)

    moved = picture_of(notebook, "figure-moved")
    png = io.BytesIO()
    picture = Image.open(io.BytesIO(base64.b64decode(moved["image/png"])))
    ImageChops.offset(picture, 0, 2).save(png, format="png")
    moved["image/png"] = base64.b64encode(png.getvalue()).decode("ascii")
    curve = cell_of(notebook, "figure-curve")
    curve.source = curve.source.replace("30", "31")
    picture_of(notebook, "figure-garbage")["image/png"] = base64.b64encode(b"garbage" * 100).decode("ascii")
    del picture_of(notebook, "figure-gone")["image/png"]

    cell_of(notebook, "text-slider").outputs[-1].text = "34 True\n"
    picture_of(notebook, "picture-slider")["image/png"] = picture_of(notebook, "figure-curve")["image/png"]


def clear(notebook: NotebookNode) -> None:
    """Does what "Clear all outputs" does."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


def slider_fails_and_torch_is_loaded(notebook: NotebookNode) -> None:
    """Leaves every cell right; the slider's last value divides by zero, and torch is in the kernel."""
    slider = cell_of(notebook, "number-slider")
    slider.source = slider.source.replace(
        "lambda number: number", "lambda number: number - 9 * (number == 9)"
    )
    # An empty module under that name is as good, and a second faster.
    cell_of(notebook, "setup").source += '\n\nsys.modules["torch"] = sys'


def slider_is_dead_and_memory_is_taken(notebook: NotebookNode) -> None:
    """Leaves every cell right; the slider changes nothing, and the kernel is large."""
    slider = cell_of(notebook, "number-slider")
    slider.source = slider.source.replace("lambda number: number", "lambda number: 3")
    cell_of(notebook, "setup").source += '\n\nballast = bytearray(b"x") * 150_000_000'


def box_is_dead(notebook: NotebookNode) -> None:
    """Leaves every cell right; the check box beside the slider changes nothing."""
    slider = cell_of(notebook, "number-slider")
    slider.source = slider.source.replace(
        "lambda number: number", "lambda number: number, tick=lambda box: True"
    )


# How a copy is spoilt -> the items that must fail, each with words that its report must hold.
CONTROLS: dict[Callable[[NotebookNode], None] | None, dict[str, str]] = {
    None: {},
    spoil_cells: {
        "text": "mismatch 'stdout'",
        "result": "mismatch 'text/plain'",
        "gone": "Unexpected output fields",
        "uncounted": "never run",
        "stderr": "Unexpected output fields from running code: {'stderr'}",
        "other-stderr": "mismatch 'stderr'",
        "number-slider": "writes to stderr",
        "figure-moved": "the figure changed: largest difference",
        "figure-curve": "the figure changed: largest difference",
        "figure-garbage": "the stored figure cannot be read",
        "figure-gone": "0 figures are stored, 1 are drawn now",
        "text-slider": "mismatch 'stdout'",
        "picture-slider": "the figure changed",
    },
    clear: dict.fromkeys(("setup", *TEXTS, *FIGURES, *SLIDERS), "never run"),
    slider_fails_and_torch_is_loaded: {
        "controls-move": "ZeroDivisionError",
        "kernel-cost": "torch was loaded",
    },
    slider_is_dead_and_memory_is_taken: {
        "controls-move": "the same at both its ends",
        "kernel-cost": "MB (at most 150)",
    },
    box_is_dead: {"controls-move": "'box' shows is the same at both its ends"},
}


def name_of(spoil: Callable[[NotebookNode], None] | None) -> str:
    """A way to spoil a notebook, or None -> its name."""
    return spoil.__name__ if spoil else "intact"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """() -> for each copy: which items failed, and what their reports say."""
    # A space in the name, as in many a learner's folder.
    root = tmp_path_factory.mktemp("spoilt notebooks")
    (root / "notebooks").mkdir()
    for name in MACHINERY:
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    fresh = root / "fresh.ipynb"
    nbformat.write(small_notebook(), fresh)
    run_notebooks.prepare_environment()
    stored = asyncio.run(run_notebooks.execute(fresh)).text
    for spoil in CONTROLS:
        notebook = nbformat.reads(stored, as_version=4)
        if spoil:
            spoil(notebook)
        nbformat.write(notebook, root / "notebooks" / f"{name_of(spoil)}.ipynb")
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "--junitxml", "report.xml"]
    # The failed figures are kept in here, too.
    environment = {**os.environ, "CI": "true", "TMPDIR": str(root), "TEMP": str(root), "TMP": str(root)}
    run = subprocess.run(
        [*command, "notebooks"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    failed: dict[str, dict[str, str]] = {name_of(spoil): {} for spoil in CONTROLS}
    for case in ElementTree.parse(root / "report.xml").iter("testcase"):
        for failure in [*case.findall("failure"), *case.findall("error")]:
            failed[case.attrib["classname"].split(".")[1]][case.attrib["name"]] = failure.text or ""
    return failed


@pytest.mark.parametrize("spoil", CONTROLS, ids=name_of)
def test_a_spoilt_notebook_fails_where_it_is_spoilt(
    spoil: Callable[[NotebookNode], None] | None, reports: dict[str, dict[str, str]]
) -> None:
    failed, expected = reports[name_of(spoil)], CONTROLS[spoil]
    assert set(failed) == set(expected), "\n".join(failed.values())
    for item, words in expected.items():
        assert words in failed[item]

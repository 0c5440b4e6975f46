"""Every lesson in JupyterLab, in a real browser, as a learner meets it.

Each lesson is opened from `course.py lab`'s own command line, run with Run > Run All Cells, and scrolled
through from top to bottom: math and figures must be there. Sliders are moved with the keyboard and with
the mouse. An exercise is solved by typing, wrongly and rightly.

Pictures of each screenful are kept where COURSE_SCREENSHOTS points:
    COURSE_SCREENSHOTS=pictures python course.py test tests/browser
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lesson_files
import pytest
from playwright.sync_api import Locator, Page
from website.serving import BROWSERS, browsing, find_browser

from course.places import VENV
from course.programs import variables
from course.running import command

ROOT = Path(__file__).resolve().parents[2]
LESSONS = [path.name for path in lesson_files.notebooks()]
CHROMIUM = find_browser()
SECONDS = 60

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=f"none of these is installed: {', '.join(BROWSERS)}")

CELLS = """() => {
    return Array.from(window.jupyterapp.shell.currentWidget.content.model.cells).map(cell => ({
        id: cell.id, type: cell.type, source: cell.sharedModel.getSource(),
        count: cell.type === "code" ? cell.executionCount : null,
        outputs: cell.type === "code" ? cell.outputs.toJSON() : [],
    }));
}"""
RESTING = """() => {
    const panel = window.jupyterapp?.shell?.currentWidget;
    return panel?.sessionContext?.isReady && panel.sessionContext.session?.kernel?.status === "idle"
        && panel.content.model.cells.length > 0;
}"""
NONE_RAN = """() => Array.from(window.jupyterapp.shell.currentWidget.content.model.cells)
    .every(cell => cell.type !== "code" || cell.executionCount === null)"""
ALL_RAN = """() => {
    const panel = window.jupyterapp.shell.currentWidget;
    const code = Array.from(panel.content.model.cells).filter(cell => cell.type === "code");
    const failed = cell => cell.outputs.toJSON().some(output => output.output_type === "error");
    const ran = cell => cell.executionCount !== null && cell.executionState !== "running";
    const idle = panel.sessionContext.session.kernel.status === "idle";
    return idle && (code.some(failed) || code.every(ran));
}"""
SHOW = """i => window.jupyterapp.shell.currentWidget.content.scrollToItem(i, "start")"""
# What stands on the screen now: for each cell in the page, its formulas, and how wide its pictures came out.
ON_SCREEN = """() => {
    const found = {};
    for (const widget of window.jupyterapp.shell.currentWidget.content.widgets) {
        const box = widget.node.getBoundingClientRect();
        if (!widget.isAttached || box.height === 0 || box.bottom < 0 || box.top > window.innerHeight) {
            continue;
        }
        found[widget.model.id] = {
            formulas: widget.node.querySelectorAll("mjx-container").length,
            broken: widget.node.querySelectorAll("mjx-merror, [data-mjx-error]").length,
            whole: box.bottom <= window.innerHeight - 30,  // above the status bar
            wide: widget.node.scrollWidth > widget.node.clientWidth + 1,
            pictures: Array.from(widget.node.querySelectorAll("img")).map(picture => picture.naturalWidth),
        };
    }
    return found;
}"""


OPEN = """async path => {
    await window.jupyterapp.restored;
    await window.jupyterapp.commands.execute("docmanager:open", {path});
}"""
CLOSE = """async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.sessionContext.shutdown();
    panel.dispose();
}"""


@dataclass
class Lab:
    """A JupyterLab that runs, with one page of a browser that looks at it."""

    page: Page
    pictures: Path | None
    strangers: list[str]

    @contextmanager
    def lesson(self, name: str) -> Iterator[Page]:
        """A lesson's file name -> the page, with the lesson open and a new kernel ready."""
        self.page.evaluate(OPEN, f"notebooks/{name}")
        self.page.wait_for_function(RESTING)
        yield self.page
        self.page.evaluate(CLOSE)

    def photograph(self, name: str) -> None:
        """A name -> a picture of what the page shows, where pictures are wanted: each takes a while."""
        if self.pictures is not None:
            self.page.screenshot(path=self.pictures / f"{name}.png")


def free_port() -> int:
    """() -> a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(ready: Callable[[], bool], what: str) -> None:
    """Waits, and fails naming what did not happen."""
    end = time.monotonic() + SECONDS
    while not ready():
        assert time.monotonic() < end, f"{what}: not after {SECONDS} s"
        time.sleep(0.1)


def answers(address: str) -> bool:
    """An address -> True if JupyterLab answers there."""
    try:
        with urllib.request.urlopen(f"{address}/api/status", timeout=2) as answer:
            return "started" in json.load(answer)
    except OSError:
        return False


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """() -> JupyterLab on a copy of the lessons: the trial changes nothing in the project."""
    root = tmp_path_factory.mktemp("a course")
    (root / "notebooks").mkdir()
    for path in lesson_files.notebooks():
        shutil.copy(lesson_files.as_tested(path), root / "notebooks" / path.name)
    wanted = os.environ.get("COURSE_SCREENSHOTS")
    pictures = Path(wanted).resolve() if wanted else None
    port = free_port()
    for_tests = [
        "--no-browser",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
        "--LabApp.expose_app_in_browser=True",
        *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
    ]
    own = VENV.resolve() == Path(sys.prefix).resolve()
    environment = variables() if own else dict(os.environ)
    environment["COURSE_PROGRESS"] = "off"
    address = f"http://localhost:{port}"
    started = [sys.executable, *command("lab", for_tests, root)]
    with (root / "server.log").open("wb") as log:
        server = subprocess.Popen(started, cwd=root, env=environment, stdout=log, stderr=log)
        try:
            wait_until(lambda: server.poll() is not None or answers(address), "JupyterLab's start")
            assert server.poll() is None, (root / "server.log").read_text(encoding="utf-8")
            assert CHROMIUM is not None  # else the module is skipped
            with browsing(CHROMIUM) as browser:
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.set_default_timeout(SECONDS * 1000)
                ours = (address, address.replace("http", "ws", 1), "data:", "blob:")
                strangers: list[str] = []
                page.on(
                    "request",
                    lambda request: None if request.url.startswith(ours) else strangers.append(request.url),
                )
                page.goto(f"{address}/lab")
                page.wait_for_function("() => window.jupyterapp")
                yield Lab(page, pictures, strangers)
        finally:
            server.terminate()
            server.wait(timeout=30)


def cells_of(page: Page) -> list[dict[str, Any]]:
    """A page -> the notebook's cells, from the application's model: not all of them are in the page."""
    cells: list[dict[str, Any]] = page.evaluate(CELLS)
    return cells


def run_all(page: Page) -> None:
    """Clears every output, then picks Run All Cells from the Run menu and waits for the last cell."""
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    page.wait_for_function(NONE_RAN)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_function(ALL_RAN)
    # Outputs that wait to be predicted are opened, so that they are looked at, too.
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:show-all-cell-outputs')")


def scroll_through(lab: Lab, lesson: str) -> dict[str, dict[str, Any]]:
    """A lesson that is open -> for each cell, what was seen of it; a picture of each screenful."""
    page = lab.page
    seen: dict[str, dict[str, Any]] = {}
    names = [cell["id"] for cell in cells_of(page)]
    number = 0
    while len(seen) < len(names):
        first_unseen = next(place for place, name in enumerate(names) if name not in seen)
        page.evaluate(SHOW, first_unseen)
        page.wait_for_timeout(150)
        page.wait_for_function("() => !document.querySelector('.jp-Notebook .jp-MarkdownOutput:empty')")
        now = page.evaluate(ON_SCREEN)
        assert names[first_unseen] in now, f"{names[first_unseen]} does not come into view"
        # A cell that is cut off at the bottom gets a screenful of its own.
        seen |= {name: cell for name, cell in now.items() if cell["whole"] or name == names[first_unseen]}
        lab.photograph(f"{lesson}/{number:02}-{names[first_unseen]}")
        number += 1
    return seen


def formulas_in(source: str) -> int:
    """Markdown -> 1 if it holds a formula, 0 if not. How many is for the reader to see."""
    outside_code = "".join(source.split("`")[::2])
    return int(outside_code.count("$") >= 2)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_runs_to_its_end_and_shows_everything(lab: Lab, lesson: str) -> None:
    with lab.lesson(lesson) as page:
        run_all(page)
        cells = cells_of(page)
        for cell in cells:
            for output in cell["outputs"]:
                assert output["output_type"] != "error", (
                    f"{cell['id']}: {output['ename']}: {output['evalue']}"
                )
                assert output.get("name") != "stderr", f"{cell['id']}: {output['text']}"
        counts = [cell["count"] for cell in cells if cell["type"] == "code"]
        assert counts == list(range(1, len(counts) + 1))
        folder = lesson.removesuffix(".ipynb")
        seen = scroll_through(lab, folder)
        for cell in cells:
            here = seen[cell["id"]]
            assert not here["wide"], f"{cell['id']}: wider than the page"
            assert here["broken"] == 0, f"{cell['id']}: MathJax cannot read a formula"
            if cell["type"] == "markdown":
                assert min(here["formulas"], 1) == formulas_in(cell["source"]), f"{cell['id']}: formulas"
            stored = sum("image/png" in output.get("data", {}) for output in cell["outputs"])
            assert len(here["pictures"]) >= stored, f"{cell['id']}: a figure is missing"
            assert all(width > 0 for width in here["pictures"]), f"{cell['id']}: a figure did not load"
        for cell in cells:
            if cell["id"].endswith("-slider"):
                move_slider(lab, folder, cell["id"])
    assert lab.strangers == [], "the lesson asked for something from the network"


def node_of(page: Page, cell_id: str) -> Locator:
    """A page, a cell's id -> the cell in the page, scrolled to."""
    place = next(place for place, cell in enumerate(cells_of(page)) if cell["id"] == cell_id)
    page.evaluate(SHOW, place)
    return page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{place}']")


def what_it_shows(cell: Locator) -> str:
    """A cell that holds a slider -> the text and the pictures under the slider."""
    text = cell.locator(".jp-OutputArea").first.inner_text()
    pictures = cell.locator("img").evaluate_all("pictures => pictures.map(picture => picture.src)")
    return json.dumps([text, pictures])


def tick_boxes(lab: Lab, lesson: str, cell_id: str) -> None:
    """Switches each check box of a cell, by space bar or mouse; what stands under them must change."""
    page = lab.page
    cell = node_of(page, cell_id)
    boxes = cell.locator("input[type=checkbox]").all()
    for number, box in enumerate(boxes):
        shown = what_it_shows(cell)

        def followed(before: str = shown) -> bool:
            return what_it_shows(cell) != before

        if number:
            box.click()
        else:
            box.focus()
            page.keyboard.press("Space")
        wait_until(followed, f"{cell_id} followed box {number}")
        page.wait_for_function(RESTING)
        page.wait_for_timeout(300)
    lab.photograph(f"{lesson}/moved-{cell_id}")


def move_slider(lab: Lab, lesson: str, cell_id: str) -> None:
    """Moves a slider by arrow key, then by mouse; what stands under it must change each time."""
    page = lab.page
    cell = node_of(page, cell_id)
    cell.locator(".noUi-handle, input[type=checkbox]").first.wait_for()
    page.wait_for_timeout(300)
    if cell.locator("input[type=checkbox]").count():
        tick_boxes(lab, lesson, cell_id)
        return
    handle = cell.locator(".noUi-handle")
    shown = [what_it_shows(cell)]

    handle.focus()
    page.keyboard.press("ArrowRight")
    wait_until(lambda: what_it_shows(cell) != shown[0], f"{cell_id} followed the arrow key")
    page.wait_for_function(RESTING)
    page.wait_for_timeout(300)
    shown.append(what_it_shows(cell))

    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 120, y, steps=6)
    page.mouse.up()
    wait_until(lambda: what_it_shows(cell) != shown[1], f"{cell_id} followed the mouse")
    page.wait_for_function(RESTING)
    if cell.locator("select").count():  # a menu beside the slider
        page.wait_for_timeout(300)
        shown.append(what_it_shows(cell))
        cell.locator("select").select_option(index=0)
        wait_until(lambda: what_it_shows(cell) != shown[2], f"{cell_id} followed its menu")
        page.wait_for_function(RESTING)
    lab.photograph(f"{lesson}/moved-{cell_id}")


WRONG = ["def my_softmax(scores):", "e = np.exp(scores)", "return e / e.sum(axis=-1, keepdims=True)"]
RIGHT = [WRONG[0], "e = np.exp(scores - scores.max(axis=-1, keepdims=True))", WRONG[2]]


def answer(page: Page, name: str, lines: list[str]) -> str:
    """Types an answer into the cell of an exercise, runs it and its check -> what the check says."""
    check = f"{name}-check"
    before = next(cell["count"] for cell in cells_of(page) if cell["id"] == check)
    node_of(page, f"{name}-try").locator(".cm-content").click()
    page.keyboard.press("Control+A")
    for number, line in enumerate(lines):
        if number:
            page.keyboard.press("Enter")  # the editor indents what follows a colon
        page.keyboard.type(line)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    wait_until(
        lambda: next(cell["count"] for cell in cells_of(page) if cell["id"] == check) not in (None, before),
        f"{check} ran",
    )
    page.wait_for_function(RESTING)
    (cell,) = (cell for cell in cells_of(page) if cell["id"] == check)
    # A wrong answer's numbers are shown as a table, with the plain text beside it.
    return "".join(output.get("text") or output["data"]["text/plain"] for output in cell["outputs"])


def test_an_exercise_answers_what_a_learner_types(lab: Lab) -> None:
    with lab.lesson("03_softmax.ipynb") as page:
        node_of(page, "setup").locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        wrong = answer(page, "softmax", WRONG)
        node_of(page, "softmax-check").wait_for()
        lab.photograph("wrong-answer")
        assert wrong.startswith("✗ softmax")
        marked = node_of(page, "softmax-check").locator("td", has_text="✗")
        assert marked.count() >= 1, "the wrong numbers are marked in a table"
        assert "largest" in wrong, wrong  # names the mistake: the row's largest score was not subtracted
        right = answer(page, "softmax", RIGHT)
        lab.photograph("right-answer")
        assert right.startswith("✓ softmax"), right


def test_no_news_pops_up(lab: Lab) -> None:
    settings = Path(sys.prefix) / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    if not settings.exists():
        pytest.skip("this environment was not made by course.py, which turns the news off")
    # By now every lesson was open for a while.
    assert lab.page.locator(".Toastify__toast, .jp-Dialog").count() == 0

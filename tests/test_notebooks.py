"""The shape of each lesson: what a reader relies on and what no re-execution would notice."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlparse

import lesson_files
import nbformat
import pytest
import run_notebooks
from lesson_files import as_tested
from nbformat import NotebookNode

from course.notebooks import short

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = lesson_files.notebooks()
LESSONS = lesson_files.lessons()  # those with a number; the others have a name alone
README = ROOT / "README.md"
OTHER_PAGES = (
    "CONTRIBUTING.md",
    "data/README.md",
    "docs/install.md",
    "docs/museum.md",
    "docs/teaching.md",
    "docs/test_your_model.md",
)
PAGES = [README, *(ROOT / page for page in OTHER_PAGES)]

# Every cell whose output is not compared, and why it cannot be.
IGNORED = {
    "00_start_here": {"machine-report"},  # names this machine's versions and devices
    "02_scaling": {"d-k-slider"},  # a widget
    "03_softmax": {"temperature-slider"},  # a widget
    "05_masking": {"mask-slider"},  # a widget
    "06_multi_head": {"head-slider"},  # a widget
    "07_cross_attention": {"alignment-slider"},  # a widget
    "08_pytorch": {"corner-slider"},  # a widget
    "09_gpu": {"first-calls", "gpu-records", "own-times", "page-faults"},  # times; this system's memory
    "13_fast_attention": {"steps-slider", "kernel-here", "kernel-records"},  # a widget; Triton; your GPU
    "practice": {"set-result", "page"},  # times; what this person found
    "15_real_model": {"which-way", "your-text", "own-times"},  # are the models here; your function; times
    "16_many_machines": {"own-times"},  # of four processes
}
TAGS = {"nbval-ignore-output", "exercise"}

MOST_LINES = 12
MEAN_LINES = 4.0  # "about three" lines a cell
SHORT = ("08", "09", "13", "14")  # these are held to the two numbers below
MOST_WORDS, MOST_CELLS = 4500, 35  # of Markdown; of code, without those of exercises
OPENING = "What you'll do"

MACHINE_PATH = re.compile(
    r"""(?<![\w.])/(?:home|root|Users|tmp|work|usr|opt|mnt|private)/\w|\b[A-Za-z]:\\\w"""
)
REMOTE_PICTURE = re.compile(
    r"""!\[[^\]]*\]\(\s*(?:https?:)?//|<img[^>]+src\s*=\s*["']?(?:https?:)?//""", re.IGNORECASE
)
LINK = re.compile(
    r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)|<a[^>]+href=\"([^\"]+)\""
)
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
every_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


@cache
def read(path: Path) -> NotebookNode:
    """A notebook's path -> the notebook."""
    return lesson_files.read(path)


def code_cells(path: Path) -> list[NotebookNode]:
    """A notebook's path -> its code cells, in order."""
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose(path: Path) -> str:
    """A notebook or a Markdown page -> its text, without code."""
    if path.suffix == ".md":
        text = path.read_text(encoding="utf-8")
    else:
        text = "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    return FENCED.sub("", text)


def lines_of(cell: NotebookNode) -> list[str]:
    """A cell -> its lines that are not blank."""
    return [line for line in cell.source.splitlines() if line.strip()]


def headings(path: Path) -> list[str]:
    """A notebook or a page -> its headings, as a reader sees them."""
    found = re.findall(r"^#{1,6} +(.+?) *#*$", prose(path), re.MULTILINE)
    return [re.sub(r"[`*]", "", heading) for heading in found]


def anchors(path: Path) -> set[str]:
    """A notebook or a page -> the anchors that its headings make, in JupyterLab or on GitHub."""
    if path.suffix == ".ipynb":
        return {heading.replace(" ", "-") for heading in headings(path)}
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings(path)}


def links(path: Path) -> list[str]:
    """A notebook or a page -> the targets of its links and pictures."""
    text = re.sub(r"`[^`\n]*`", "", prose(path))
    return [markdown or html for markdown, html in LINK.findall(text)]


def title(path: Path) -> str:
    """A notebook -> its question."""
    return str(read(path).cells[0].source.splitlines()[0].removeprefix("# ").strip())


def minutes(path: Path) -> int:
    """A notebook -> the minutes that its first cell states."""
    stated = re.search(r"(\d+) minutes", read(path).cells[0].source)
    assert stated is not None, f"{path.stem}: the first cell does not say how many minutes it takes"
    return int(stated[1])


def figures(cell: NotebookNode) -> bool:
    """A code cell -> True if it shows a figure, or a table in its place."""
    shown = [output.get("data", {}) for output in cell.get("outputs", ())]
    return any("image/png" in data or "<table" in data.get("text/html", "") for data in shown)


# The course as it is planned. A lesson may still be missing, but the core, 00 to 09, is complete.
PLANNED = (
    *("00_start_here", "01_dot_product", "02_scaling", "03_softmax", "04_attention", "05_masking"),
    *("06_multi_head", "07_cross_attention", "08_pytorch", "09_gpu", "10_positions", "11_gradients"),
    *("12_learning", "13_fast_attention", "14_cache", "15_real_model", "16_many_machines"),
)
CORE = PLANNED[:10]


def test_the_lessons_are_those_of_the_plan_in_its_order() -> None:
    assert [name[:2] for name in PLANNED] == [f"{number:02}" for number in range(len(PLANNED))]
    there = [path.stem for path in LESSONS]
    assert [name for name in there if name not in PLANNED] == [], "PLANNED, above, does not name it"
    assert there == [name for name in PLANNED if name in there]
    assert set(CORE) <= set(there)


@pytest.mark.parametrize("page", [NOTEBOOKS[0], README], ids=lambda path: path.name)
def test_lessons_that_are_not_there_yet_are_named_as_such(page: Path) -> None:
    missing = {name[:2] for name in PLANNED} - {path.stem[:2] for path in LESSONS}
    said = " ".join(re.findall(r"Still to be written[^:.]*: ([^.]+)\.", prose(page)))
    assert set(re.findall(r"\b\d\d\b", said)) == missing


@every_notebook
def test_every_cell_was_run_once_from_top_to_bottom(path: Path) -> None:
    cells = code_cells(path)
    counts = [cell.execution_count for cell in cells]
    assert counts == list(range(1, len(cells) + 1)), f"python course.py run {short(path.name)}"
    for cell in cells:
        results = {out.execution_count for out in cell.outputs if out.output_type == "execute_result"}
        assert results <= {cell.execution_count}, f"{cell.id}: its output comes from another run"


@every_notebook
def test_the_file_is_what_the_runner_writes(path: Path) -> None:
    notebook = read(path)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert dict(notebook.metadata) == run_notebooks.NOTEBOOK_METADATA
    for cell in notebook.cells:
        # A hidden output waits until the reader has predicted it.
        for_lab = {key: value for key, value in cell.metadata.items() if key != "tags"}
        assert for_lab in ({}, {"jupyter": {"outputs_hidden": True}}), f"{cell.id}: {for_lab}"
        assert not cell.get("attachments"), f"{cell.id}: a picture pasted into the text"
    stored = nbformat.writes(run_notebooks.clean(lesson_files.read(path)))
    same = stored.rstrip("\n") + "\n" == as_tested(path).read_text(encoding="utf-8")
    assert same, f"python course.py run {short(path.name)}"


@every_notebook
def test_what_is_to_be_predicted_is_folded(path: Path) -> None:
    asked, answered = "", True
    for cell in read(path).cells:
        heading = cell.source.startswith("## ")
        if cell.cell_type == "markdown" and (heading or "> **Predict.**" in cell.source):
            assert answered, f"{asked} asks for a prediction, and no folded output follows"
            asked, answered = cell.id, "> **Predict.**" not in cell.source
        elif cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            assert asked, f"{cell.id}: folded, and nobody was asked to predict it"
            answered = True
        elif "nbval-ignore-output" in cell.metadata.get("tags", ()) and not cell.id.endswith("-slider"):
            answered = True  # measured where it is read: what is stored is not the reader's answer
    assert answered, f"{asked} asks for a prediction, and no folded output follows"


@every_notebook
def test_a_slider_stores_the_picture_that_it_begins_with(path: Path) -> None:
    # The slider itself is drawn by its running kernel: stored, it would be a dead box.
    for cell in code_cells(path):
        if cell.id.endswith("-slider"):
            kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
            assert kinds == {"image/png", "text/plain"}, f"{cell.id}: python course.py run {path.stem[:2]}"
            assert any(output.output_type == "stream" for output in cell.outputs), f"{cell.id}: no finding"


@every_notebook
def test_cell_ids_are_unique_and_mean_something(path: Path) -> None:
    ids = [cell.id for cell in read(path).cells]
    assert [name for name, uses in Counter(ids).items() if uses > 1] == []
    for name in ids:
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name), (
            f"{name!r}: small letters, digits and hyphens"
        )
        assert not re.search(r"(?=[a-z-]*\d)\b[0-9a-f]{8,}\b", name), f"{name!r} looks like a random id"


@every_notebook
def test_the_title_is_a_question(path: Path) -> None:
    notebook = read(path)
    assert notebook.cells[0].cell_type == "markdown"
    assert re.fullmatch(r"# .+\?", notebook.cells[0].source.splitlines()[0])
    assert len(re.findall(r"^# ", prose(path), re.MULTILINE)) == 1
    assert headings(path)[1] == OPENING


@every_lesson
def test_a_lesson_states_its_minutes(path: Path) -> None:
    assert 5 <= minutes(path) <= 150


@every_lesson
def test_a_lesson_of_more_than_two_hours_says_where_to_stop(path: Path) -> None:
    opening = prose(path).split(f"## {OPENING}")[1].split("\n## ")[0]
    place = re.findall(r'after "(.+?)" is a good place for a break', opening)
    if minutes(path) > 120 or place:
        assert len(place) == 1
        assert place[0] in headings(path)


@every_lesson
def test_it_leads_to_the_lesson_before_and_after(path: Path) -> None:
    place = LESSONS.index(path)
    first = read(path).cells[0].source
    for neighbour in LESSONS[max(0, place - 1) : place] + LESSONS[place + 1 : place + 2]:
        assert f"]({neighbour.name})" in first, (
            f"{path.stem}: the first cell does not link to {neighbour.name}"
        )


def broken(path: Path, target: str) -> str | None:
    """A page, the target of one of its links -> what is wrong with it, or None."""
    if urlparse(target).scheme:
        address = urlparse(target)
        well_formed = address.scheme == "https" and "." in address.netloc and " " not in target
        return None if well_formed else f"{target}: not a full https address"
    file, _, anchor = unquote(target).partition("#")
    there = (path.parent / file).resolve() if file else path
    if not there.exists() or not there.is_relative_to(ROOT):
        return f"{target}: no such file in the project"
    if anchor and there.suffix in (".ipynb", ".md") and anchor not in anchors(there):
        return f"{target}: {there.name} has no heading for #{anchor}, only {sorted(anchors(there))}"
    return None


@pytest.mark.parametrize("path", NOTEBOOKS + PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    found = links(path)
    assert found or path not in NOTEBOOKS
    assert [complaint for target in found if (complaint := broken(path, target))] == []


@pytest.mark.parametrize(
    "target",
    ["99_missing.ipynb", "#No-such-heading", "http://example.org", "https://nowhere", "../../outside.md"],
)
def test_a_link_that_leads_nowhere_is_found(target: str) -> None:
    assert broken(NOTEBOOKS[0], target) is not None


@pytest.mark.parametrize("page", [NOTEBOOKS[0], README], ids=lambda path: path.name)
def test_tables_of_lessons_give_the_lessons_own_minutes_and_questions(page: Path) -> None:
    told = set()
    for row in (line for line in prose(page).splitlines() if line.startswith("|")):
        numbers = [
            int(field)
            for field in row.split("|")
            if re.fullmatch(r"\s*\d\d+\s*", field) and field.strip()[0] != "0"
        ]
        for path in LESSONS:
            if numbers and (f"{path.name})" in row or (path == page and title(path) in row)):
                assert title(path) in row, f"{page.name}: {row}"
                assert numbers[-1] == minutes(path), f"{page.name}: {row}"
                told.add(path)
    assert told == set(LESSONS)


@every_notebook
def test_cells_are_short(path: Path) -> None:
    sizes = {cell.id: len(lines_of(cell)) for cell in code_cells(path)}
    assert min(sizes.values()) > 0
    assert {name: size for name, size in sizes.items() if size > MOST_LINES} == {}
    mean = sum(sizes.values()) / len(sizes)
    assert mean <= MEAN_LINES, f"{mean:.1f} lines a cell on average"


def words_in(text: str) -> int:
    """A Markdown text -> its words as a reader counts them: a piece of code or a formula in a line is one.

    Addresses of links, tags and blocks of code are none.
    """
    for pattern, instead in (
        (r"(?m)^    .*$|</?\w+[^>]*>", " "),
        (r"`[^`]+`", " code "),
        (r"(?s)\$\$.*?\$\$|\$[^$\n]+\$", " formula "),
        (r"\]\([^)]*\)", "]"),
    ):
        text = re.sub(pattern, instead, text)
    return sum(any(letter.isalnum() for letter in word) for word in text.split())


def test_words_are_counted_as_a_reader_counts_them() -> None:
    assert words_in("A table: `a = b + c`, and $x + y$ | 2 | — see [lesson 09](09_gpu.ipynb#What).") == 9
    assert words_in("Write\n\n    one = two\n\n<details><summary>Why</summary>\n\n$$e^{s_j} + 1$$") == 3


@every_lesson
def test_a_lesson_on_pytorch_and_gpus_stays_short(path: Path) -> None:
    """Two lessons became four because they were too long."""
    if path.stem[:2] not in SHORT:
        return
    cells = read(path).cells
    said = {cell.id: words_in(cell.source) for cell in cells if cell.cell_type == "markdown"}
    assert sum(said.values()) <= MOST_WORDS
    own = [cell.id for cell in code_cells(path) if not cell.id.endswith(("-try", "-check", "-case"))]
    assert len(own) <= MOST_CELLS


def outputs_as_text(cell: NotebookNode) -> Iterator[str]:
    """A code cell -> each text among its outputs."""
    for output in cell.outputs:
        yield output.get("text", "")
        yield from (value for kind, value in output.get("data", {}).items() if kind.startswith("text/"))


@every_notebook
def test_nothing_names_a_machine_or_loads_from_the_web(path: Path) -> None:
    for cell in read(path).cells:
        texts = [cell.source]
        if cell.cell_type == "code":
            texts += outputs_as_text(cell)
        for text in texts:
            assert MACHINE_PATH.search(text) is None, f"{cell.id}: a path of one machine"
            assert REMOTE_PICTURE.search(text) is None, f"{cell.id}: a picture from the web"
            assert re.search(r" at 0x[0-9a-f]+>", text) is None, f"{cell.id}: an address in memory"


@every_notebook
def test_no_stored_output_is_an_error_or_a_warning(path: Path) -> None:
    for cell in code_cells(path):
        for output in cell.outputs:
            assert output.output_type != "error", f"{cell.id}: {output.ename}"
            assert output.get("name") != "stderr", f"{cell.id}: {output.text}"


@every_notebook
def test_code_keeps_the_house_rules(path: Path) -> None:
    for cell in code_cells(path):
        assert not re.search(r"^\s*[%!]", cell.source, re.MULTILINE), f"{cell.id}: a magic or shell command"
        assert "NBVAL" not in cell.source.upper(), f"{cell.id}: an nbval comment; tags are the way"
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom):
                assert node.names[0].name != "*", f"{cell.id}: a star import"
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            drawn_by_hand = [name for name in imported if name.split(".")[0] in ("matplotlib", "pylab")]
            assert drawn_by_hand == [], f"{cell.id}: figures are drawn by helpers.plots"


@every_notebook
def test_every_import_is_used(path: Path) -> None:
    # What a learner may type is there from the start; everything else that is imported is used.
    for_learners = {"hint", "solution", "progress"}
    imported, used = set(), set()
    for cell in code_cells(path):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                imported |= {alias.asname or alias.name for alias in node.names}
        used |= names_used(cell.source)
    assert imported - used <= for_learners


@every_notebook
def test_tags_are_few_and_outputs_ignored_only_where_listed(path: Path) -> None:
    ignored = set()
    for cell in read(path).cells:
        tags = set(cell.metadata.get("tags", ()))
        assert tags <= TAGS, f"{cell.id}: {tags - TAGS}"
        if "nbval-ignore-output" in tags:
            ignored.add(cell.id)
        assert cell.id.endswith("-slider") <= ("nbval-ignore-output" in tags), (
            f"{cell.id}: a slider is compared"
        )
    assert ignored == IGNORED.get(path.stem, set())


@every_notebook
def test_a_figure_says_its_finding_and_a_sentence_follows(path: Path) -> None:
    cells = read(path).cells
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        if cell.cell_type == "code" and figures(cell):
            said = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
            assert len(said.split()) >= 3, f"{cell.id}: the figure's finding is not printed"
            assert following is not None, f"{cell.id}: a figure ends the lesson"
            assert following.cell_type == "markdown", f"{cell.id}: no sentence follows the figure"
            first = re.split(r"\n\s*\n", following.source.strip())[0].removeprefix("> ")
            assert re.match(r"[^#|].*\w.*[.?:]", first, re.DOTALL), (
                f"{cell.id}: no sentence follows the figure"
            )
            assert len(first.split()) >= 4, f"{cell.id}: the sentence after the figure is not one: {first}"


@every_notebook
def test_no_text_was_left_to_be_written(path: Path) -> None:
    for cell in read(path).cells:
        assert re.search(r"\b(TODO|FIXME|XXX|TBD)\b|\b[A-Z]{3,}LOOK\b", cell.source) is None, cell.id


@every_notebook
def test_displayed_formulas_stand_in_a_paragraph_of_their_own(path: Path) -> None:
    for paragraph in re.split(r"\n[ >]*\n", re.sub(r"`[^`\n]*`", "", prose(path))):
        if "$$" in paragraph:
            formula = re.sub(r"^[ >]+", "", paragraph.strip())
            assert re.fullmatch(r"\$\$[^$]+\$\$", formula, re.DOTALL), paragraph


@every_notebook
def test_each_slider_stands_beside_a_static_figure(path: Path) -> None:
    names = [cell.id for cell in code_cells(path)]
    for number, cell in enumerate(code_cells(path)):
        if cell.id.endswith("-slider"):
            beside = code_cells(path)[max(0, number - 1) : number + 2]
            assert any(figures(neighbour) for neighbour in beside), f"{cell.id}, in {names}"


def names_bound(source: str) -> set[str]:
    """Code -> the names that it gives a value at its top level."""
    bound: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            stores = (part for part in ast.walk(node) if isinstance(part, ast.Name))
            bound |= {part.id for part in stores if isinstance(part.ctx, ast.Store)}
    return bound


def names_used(source: str) -> set[str]:
    """Code -> every name in it."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


@every_notebook
def test_an_exercise_is_a_task_a_cell_to_fill_and_a_check(path: Path) -> None:
    cells = read(path).cells
    exercises = 0
    for number, cell in enumerate(cells):
        is_try = cell.id.endswith("-try")
        assert is_try == ("exercise" in cell.metadata.get("tags", ())), (
            f"{cell.id}: the id and the tag disagree"
        )
        if not is_try:
            continue
        exercises += 1
        name = cell.id.removesuffix("-try")
        before, after = cells[number - 1], cells[number + 1]
        assert (before.id, before.cell_type) == (f"{name}-task", "markdown")
        assert "**Your turn" in before.source
        assert (after.id, after.cell_type) == (f"{name}-check", "code")
        call = ast.parse(after.source).body[-1]
        assert isinstance(call, ast.Expr), after.id
        assert isinstance(call.value, ast.Call), after.id
        assert ast.unparse(call.value).startswith(f"check({name!r}, "), after.id
        assert names_used(after.source) & names_bound(cell.source), f"{after.id}: it does not check {cell.id}"
        said = "".join(output.get("text", "") for output in after.outputs)
        assert said.startswith(("○", "✗")), (
            f"{after.id}: the stored answer of an unsolved exercise is {said!r}"
        )
    if path in LESSONS:
        assert exercises >= (1 if path.stem.startswith("00") else 5), "a lesson has at least 5 exercises"


@every_notebook
def test_nothing_but_its_check_uses_what_a_learner_writes(path: Path) -> None:
    cells = code_cells(path)
    for number, cell in enumerate(cells):
        if cell.id.endswith("-try"):
            learners = names_bound(cell.source)
            assert learners, f"{cell.id}: nothing to fill in"
            for other in cells[:number] + cells[number + 2 :]:
                shared = learners & names_used(other.source)
                assert not shared, f"{other.id} uses {shared}, which the learner writes in {cell.id}"


def sections_to_reread() -> list[tuple[str, str]]:
    """() -> each ("02", "What large scores do") that the exercises send a learner back to."""
    found = set()
    for file in sorted((ROOT / "helpers" / "exercises").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                place = re.fullmatch(r"(\d\d): (.+)", node.value)
                if place:
                    found.add((place[1], place[2]))
    return sorted(found)


@pytest.mark.parametrize(("lesson", "heading"), sections_to_reread())
def test_a_section_to_reread_exists(lesson: str, heading: str) -> None:
    (path,) = (path for path in LESSONS if path.name.startswith(lesson))
    assert heading in headings(path)

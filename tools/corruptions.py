"""Spoils copies of the notebooks at random, one thing in each: python tools/corruptions.py (--number, --seed)

A copy is held to the tests that look at a notebook, then compared as the strict run compares: its stored
outputs with those of the intact notebook, which the test suite runs again. A change of the code is executed.
Printed is a table: each kind, how many copies, and what noticed them. What nothing notices is listed, and the
exit status is 1 if it is of no kind in UNSEEN.

Words of the text are not spoilt, other than numbers and names: no test reads whether a sentence is true.
"""

import argparse
import asyncio
import copy
import importlib
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output

from course.notebooks import is_compared, is_slider, notebooks

ROOT = Path(__file__).resolve().parents[1]
T = TypeVar("T")
Choice = random.Random
Spoil = Callable[[NotebookNode, Choice], str]

# What nothing notices, by kind, with the reason why it may be so.
UNSEEN = {
    "measured output": "times, devices and versions: another machine has others, so they are not compared",
    "code that was not run": "executed, it prints and draws what is stored: nothing that is stored is false",
}


class CannotError(Exception):
    """This notebook has nothing of the kind."""


def one_of(found: Sequence[T], choice: Choice) -> T:
    """Cells, or anything -> one of them. Raises CannotError where there is none."""
    if not found:
        raise CannotError
    return choice.choice(found)


def code(notebook: NotebookNode) -> list[NotebookNode]:
    """A notebook -> its code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts(notebook: NotebookNode) -> list[NotebookNode]:
    """A notebook -> its text cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def compared(notebook: NotebookNode) -> list[NotebookNode]:
    """A notebook -> its code cells whose outputs are compared."""
    return [cell for cell in code(notebook) if is_compared(cell)]


def sliders(notebook: NotebookNode) -> list[NotebookNode]:
    """A notebook -> its code cells with a control."""
    return [cell for cell in code(notebook) if is_slider(cell)]


def pictures_of(cells: Iterable[NotebookNode]) -> list[tuple[NotebookNode, NotebookNode]]:
    """Cells -> (cell, the data of its picture)."""
    return [(c, o.data) for c in cells for o in c.outputs if "image/png" in o.get("data", {})]


def another_digit(text: str, pattern: str, choice: Choice) -> str:
    """A text, a pattern of numbers -> the text with another digit in one of these numbers."""
    found = one_of([match.span() for match in re.finditer(pattern, text)], choice)
    place = one_of([i for i in range(*found) if text[i].isdigit()], choice)
    digit = choice.choice([other for other in "123456789" if other != text[place]])
    return text[:place] + digit + text[place + 1 :]


NUMBER = r"(?<![\w.])\d[\d,]*(?:\.\d+)?"


def printed_number(notebook: NotebookNode, choice: Choice) -> str:
    """Another digit in a printed text."""
    streams = [(c, o) for c in compared(notebook) for o in c.outputs if re.search(r"\d", o.get("text", ""))]
    cell, output = one_of(streams, choice)
    output.text = another_digit(output.text, r"\d+", choice)
    return str(cell.id)


def shown_value(notebook: NotebookNode, choice: Choice) -> str:
    """Another digit in a value that a cell ends with."""
    values = [(c, o.data) for c in compared(notebook) for o in c.outputs if o.output_type == "execute_result"]
    cell, data = one_of([(c, d) for c, d in values if re.search(r"\d", d.get("text/plain", ""))], choice)
    data["text/plain"] = another_digit(data["text/plain"], r"\d+", choice)
    return str(cell.id)


def finding_of_a_figure(notebook: NotebookNode, choice: Choice) -> str:
    """A figure whose finding, printed below it, loses its last line."""
    cell, _ = one_of(pictures_of(compared(notebook)), choice)
    stream = one_of([output for output in cell.outputs if output.get("text")], choice)
    stream.text = "".join(stream.text.splitlines(keepends=True)[:-1]) or "nothing to see\n"
    return str(cell.id)


def other_figure(notebook: NotebookNode, choice: Choice) -> str:
    """A figure in another one's place."""
    figures = pictures_of(compared(notebook))
    (cell, data), (_, other) = one_of([(a, b) for a in figures for b in figures if a is not b], choice)
    data["image/png"] = other["image/png"]
    return str(cell.id)


def broken_figure(notebook: NotebookNode, choice: Choice) -> str:
    """A figure of which the second half of the file is gone."""
    cell, data = one_of(pictures_of(compared(notebook)), choice)
    data["image/png"] = data["image/png"][: len(data["image/png"]) // 8 * 4]
    return str(cell.id)


def cleared_cell(notebook: NotebookNode, choice: Choice) -> str:
    """A cell as if it had never run."""
    cell = one_of(code(notebook), choice)
    cell.outputs, cell.execution_count = [], None
    return str(cell.id)


def lost_output(notebook: NotebookNode, choice: Choice) -> str:
    """A cell that has run, without one of its outputs."""
    cell = one_of([cell for cell in compared(notebook) if cell.outputs], choice)
    cell.outputs.remove(choice.choice(cell.outputs))
    return str(cell.id)


def other_count(notebook: NotebookNode, choice: Choice) -> str:
    """A count out of order."""
    cell = one_of(code(notebook), choice)
    cell.execution_count += choice.choice([-1, 1, 7])
    return str(cell.id)


def warning(notebook: NotebookNode, choice: Choice) -> str:
    """A warning among the outputs."""
    cell = one_of(code(notebook), choice)
    cell.outputs.append(new_output("stream", name="stderr", text="a warning\n"))
    return str(cell.id)


def spoilt_text(notebook: NotebookNode, choice: Choice, pattern: str, tasks: bool) -> str:
    """Another digit in a number of a text, or of a task."""
    there = [c for c in texts(notebook) if c.id.endswith("-task") == tasks and re.search(pattern, c.source)]
    cell = one_of(there, choice)
    cell.source = another_digit(cell.source, pattern, choice)
    return str(cell.id)


def number_in_a_text(notebook: NotebookNode, choice: Choice) -> str:
    """Another digit in a number of a text."""
    return spoilt_text(notebook, choice, NUMBER, tasks=False)


def number_in_a_task(notebook: NotebookNode, choice: Choice) -> str:
    """Another digit in a number of a task."""
    return spoilt_text(notebook, choice, NUMBER, tasks=True)


def entry_of_a_table(notebook: NotebookNode, choice: Choice) -> str:
    """Another digit in a table of a text or a task."""
    row = r"(?m)(?<=\| )[−-]?\d[\d.,]*(?= \|)"
    cell = one_of([cell for cell in texts(notebook) if re.search(row, cell.source)], choice)
    cell.source = another_digit(cell.source, row, choice)
    return str(cell.id)


def number_word(notebook: NotebookNode, choice: Choice) -> str:
    """Another number, in words, in a text."""
    words = ["two", "three", "four", "five", "six", "seven", "eight"]
    pattern = rf"\b({'|'.join(words)})\b"
    cell = one_of([cell for cell in texts(notebook) if re.search(pattern, cell.source)], choice)
    match = choice.choice(list(re.finditer(pattern, cell.source)))
    other = choice.choice([word for word in words if word != match[0]])
    cell.source = cell.source[: match.start()] + other + cell.source[match.end() :]
    return str(cell.id)


def name_in_a_text(notebook: NotebookNode, choice: Choice) -> str:
    """Another word in italics in a text."""
    pattern = r"(?<![*\w])\*[a-z]+\*(?!\*)"
    cell = one_of([cell for cell in texts(notebook) if re.search(pattern, cell.source)], choice)
    match = choice.choice(list(re.finditer(pattern, cell.source)))
    cell.source = cell.source[: match.start()] + "*witch*" + cell.source[match.end() :]
    return str(cell.id)


def dead_link(notebook: NotebookNode, choice: Choice) -> str:
    """A link to a lesson that is not there."""
    cell = one_of([cell for cell in texts(notebook) if ".ipynb)" in cell.source], choice)
    cell.source = cell.source.replace(".ipynb)", "s.ipynb)", 1)
    return str(cell.id)


def lost_tag(notebook: NotebookNode, choice: Choice) -> str:
    """A cell without its tag."""
    cell = one_of([cell for cell in code(notebook) if cell.metadata.get("tags")], choice)
    del cell.metadata["tags"]
    return str(cell.id)


def tag_that_hides(notebook: NotebookNode, choice: Choice) -> str:
    """A cell whose output is no longer compared."""
    cell = one_of(compared(notebook), choice)
    cell.metadata["tags"] = [*cell.metadata.get("tags", []), "nbval-ignore-output"]
    return str(cell.id)


def unfolded_answer(notebook: NotebookNode, choice: Choice) -> str:
    """An answer that is seen before it is predicted."""
    cell = one_of([cell for cell in code(notebook) if "jupyter" in cell.metadata], choice)
    del cell.metadata["jupyter"]
    return str(cell.id)


def folded_output(notebook: NotebookNode, choice: Choice) -> str:
    """An output that is folded although nobody asks to predict it."""
    cell = one_of([cell for cell in code(notebook) if "jupyter" not in cell.metadata], choice)
    cell.metadata["jupyter"] = {"outputs_hidden": True}
    return str(cell.id)


def other_metadata(notebook: NotebookNode, choice: Choice) -> str:
    """What JupyterLab leaves behind: a folded source, a scrolled output, another kernel."""
    if choice.random() < 0.5:
        notebook.metadata.kernelspec.display_name = "my kernel"
        return "the notebook"
    cell = one_of(code(notebook), choice)
    cell.metadata[choice.choice(["scrolled", "collapsed", "editable"])] = True
    return str(cell.id)


def lost_cell(notebook: NotebookNode, choice: Choice, cells: list[NotebookNode]) -> str:
    """A notebook without one of these cells."""
    cell = one_of(cells, choice)
    notebook.cells.remove(cell)
    return str(cell.id)


def lost_text(notebook: NotebookNode, choice: Choice) -> str:
    """A text cell is gone."""
    return lost_cell(notebook, choice, texts(notebook))


def lost_code(notebook: NotebookNode, choice: Choice) -> str:
    """A code cell is gone."""
    return lost_cell(notebook, choice, code(notebook))


def doubled_cell(notebook: NotebookNode, choice: Choice) -> str:
    """A text cell stands there twice, under another id."""
    cell = one_of(texts(notebook), choice)
    twin = copy.deepcopy(cell)
    twin.id = f"{cell.id}-again"
    notebook.cells.insert(notebook.cells.index(cell) + 1, twin)
    return str(cell.id)


def swapped_cells(notebook: NotebookNode, choice: Choice) -> str:
    """Two neighbours have changed places."""
    place = choice.randrange(len(notebook.cells) - 1)
    cells = notebook.cells
    cells[place], cells[place + 1] = cells[place + 1], cells[place]
    return f"{cells[place + 1].id} and {cells[place].id}"


def slider_without_picture(notebook: NotebookNode, choice: Choice) -> str:
    """A slider that stores no picture of what it shows at the start."""
    cell = one_of(sliders(notebook), choice)
    cell.outputs = [output for output in cell.outputs if output.output_type == "stream"]
    return str(cell.id)


def other_text_of_a_slider(notebook: NotebookNode, choice: Choice) -> str:
    """Another digit in what a slider prints at the start."""
    cell = one_of(sliders(notebook), choice)
    stream = one_of([output for output in cell.outputs if output.output_type == "stream"], choice)
    stream.text = another_digit(stream.text, r"\d+", choice)
    return str(cell.id)


def other_picture_of_a_slider(notebook: NotebookNode, choice: Choice) -> str:
    """Another figure of the notebook in the place of what a slider draws at the start."""
    cell, data = one_of(pictures_of(sliders(notebook)), choice)
    others = [other for c, other in pictures_of(compared(notebook)) if c is not cell]
    data["image/png"] = one_of(others, choice)["image/png"]
    return str(cell.id)


def measured_output(notebook: NotebookNode, choice: Choice) -> str:
    """Another digit in an output that is not compared."""
    others = [c for c in code(notebook) if c not in compared(notebook)]
    cell, output = one_of(
        [(c, o) for c in others for o in c.outputs if re.search(r"\d", o.get("text", ""))], choice
    )
    output.text = another_digit(output.text, r"\d+", choice)
    return str(cell.id)


def code_that_was_not_run(notebook: NotebookNode, choice: Choice) -> str:
    """Another number in the code, and the outputs as before."""
    there = [cell for cell in compared(notebook) if re.search(NUMBER, cell.source) and cell.outputs]
    cell = one_of(there, choice)
    cell.source = another_digit(cell.source, NUMBER, choice)
    return str(cell.id)


KINDS: dict[str, Spoil] = {
    spoil.__name__.replace("_", " "): spoil
    for spoil in (
        *(
            printed_number,
            shown_value,
            finding_of_a_figure,
            other_figure,
            broken_figure,
            cleared_cell,
            lost_output,
        ),
        *(
            other_count,
            warning,
            number_in_a_text,
            number_in_a_task,
            entry_of_a_table,
            number_word,
            name_in_a_text,
        ),
        *(
            dead_link,
            lost_tag,
            tag_that_hides,
            unfolded_answer,
            folded_output,
            other_metadata,
            lost_text,
            lost_code,
        ),
        *(doubled_cell, swapped_cells, slider_without_picture, other_text_of_a_slider),
        *(other_picture_of_a_slider, measured_output, code_that_was_not_run),
    )
}


NOT_RUN = "code that was not run"


@dataclass(frozen=True)
class Copy:
    """A spoilt copy: of which notebook, what kind of harm, where, and the copy itself."""

    path: Path
    kind: str
    where: str
    notebook: NotebookNode

    def __str__(self) -> str:
        """Where to look."""
        return f"{self.path.stem}, {self.kind}: {self.where}"


def copies(paths: Sequence[Path], number: int, seed: int) -> Iterator[Copy]:
    """Notebooks, how many, a seed -> spoilt copies: every kind in turn, each of a notebook by chance."""
    choice = random.Random(seed)
    made = 0
    while made < number:
        kind = list(KINDS)[made % len(KINDS)]
        path = choice.choice(list(paths))
        intact = nbformat.read(path, as_version=4)
        spoilt = copy.deepcopy(intact)
        try:
            where = KINDS[kind](spoilt, choice)
        except CannotError:
            continue  # another notebook has it
        if spoilt != intact:
            made += 1
            yield Copy(path, kind, where, spoilt)


def checks() -> ModuleType:
    """() -> tests/notebook_checks.py. By its name: it imports the tests, and those import the tools."""
    return importlib.import_module("notebook_checks")


def noticed(spoilt: Copy) -> str:
    """A spoilt copy -> what notices it without executing it, or ""."""
    by = checks().by_the_tests(spoilt.path, spoilt.notebook)
    return str(by or checks().by_comparison(spoilt.notebook, nbformat.read(spoilt.path, as_version=4)))


def by_running(spoilt: Copy) -> str:
    """A spoilt copy -> "strict run" if a cell fails or shows something else than it stores, or ""."""
    import run_notebooks

    run_notebooks.prepare_environment()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, spoilt.path.name)
        nbformat.write(spoilt.notebook, place)
        try:
            executed = nbformat.reads(asyncio.run(run_notebooks.execute(place)).text, as_version=4)
        except run_notebooks.NotebookFailed:
            return "strict run"
    return str(checks().by_comparison(spoilt.notebook, executed))


def main(words: Sequence[str] | None = None) -> int:
    """Words of the command line -> 0 if all is noticed but what need not be."""
    parser = argparse.ArgumentParser(description="Spoil copies of the notebooks and see what notices it.")
    parser.add_argument("--number", type=int, default=100, help="how many copies (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice (default: 0)")
    parser.add_argument("--static", action="store_true", help="execute nothing")
    options = parser.parse_args(words)
    sys.path += [str(ROOT / "tests"), str(ROOT)]  # behind tools/, whose `course` is the package
    paths = notebooks(ROOT)
    table: defaultdict[str, Counter[str]] = defaultdict(Counter)
    missed = []
    for spoilt in copies(paths, options.number, options.seed):
        start = time.perf_counter()
        by = noticed(spoilt)
        if not by and spoilt.kind == NOT_RUN:
            by = "not executed" if options.static else by_running(spoilt)
        table[spoilt.kind][by or "nothing"] += 1
        missed += [] if by else [spoilt]
        print(f"{time.perf_counter() - start:5.1f} s  {spoilt}: {by or 'NOT NOTICED'}", flush=True)
    print("\n| kind | copies | noticed by |\n|---|---|---|")
    for kind, counts in table.items():
        print(f"| {kind} | {counts.total()} | {', '.join(f'{by} {n}' for by, n in counts.most_common())} |")
    unexplained = [spoilt for spoilt in missed if spoilt.kind not in UNSEEN]
    for spoilt in missed:
        print(f"not noticed: {spoilt} ({UNSEEN.get(spoilt.kind, 'NO REASON LISTED')})")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())

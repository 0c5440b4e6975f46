"""Writes docs/museum.md and the cells of notebooks/museum.ipynb from helpers/museum.

`python tools/museum.py`, then `python course.py run museum`, which executes the notebook. `--check` writes
nothing and says whether both are as they should be.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from helpers.museum import FLOORS, ROOMS, Room  # noqa: E402
from helpers.museum.room import verdict  # noqa: E402

PAGE = ROOT / "docs" / "museum.md"
NOTEBOOK = ROOT / "notebooks" / "museum.ipynb"
FAIR = (
    "These people found, reported and nearly always fixed their mistakes in public. That is why others can "
    "learn from them, and no reason to think less of their work. The facts are those of the threads and of "
    "the code, as far as we could read them in November 2026. The lines here are ours: they show the slip, "
    "not the project."
)
NAMES = (
    "In these lines `read(x, mask)` is attention of x to itself, with a mask that lets a token be seen "
    "where it is True. `X` is a batch of two short texts, and `REAL` says which of their tokens are not "
    "padding. The files in `helpers/museum` run as they are, and contain each function without its bug, too."
)
PAGE_TOP = f"""# A museum of real attention bugs

Written by `python tools/museum.py` from `helpers/museum`; a test fails where it is out of date.

{len(ROOMS)} real attention bugs, found in the open. For each: what was seen, a few lines of ours that do
the same, the test that finds it, and what became of it. [The notebook](../notebooks/museum.ipynb) lets you
guess first; [test your own model](test_your_model.md) has the same tests for yours.

{FAIR}

{NAMES}
"""
TITLE = """# Would you have found it?

Not a lesson but a walk: real attention bugs, one to a room. It takes about an hour; stop wherever you
like."""
OPENING = f"""## What you'll do

In every room you see what people noticed, and a few lines that do the same. Then

- find the line, and say which change to the input would show it;
- run the next cell: a test finds it, and the story follows.

{FAIR}

{NAMES}

The first rooms need lessons 05 and 06, the others lessons 07, 08, 10 and 14.
[Test your own model](../docs/test_your_model.md) has the tests used here, for PyTorch too."""
CLOSING = """## In practice

Most of these bugs gave no error and the right shapes. A curve shows few of them, and then by being too good.
A short test finds each: it changes one input, or compares with lines that you trust. You have seen these
tests on this walk. Put them beside your own model: [test your own model](../docs/test_your_model.md)."""


def links(room: Room) -> str:
    """A room -> its threads, as links."""
    return ", ".join(
        f"[#{number}](https://github.com/{room.project}/issues/{number})" for number in room.threads
    )


def entry(room: Room) -> str:
    """A room -> its part of the page."""
    found = verdict(room.probe, room.broken)
    return f"""### {room.title} ({room.year})

{room.project}, {links(room)}. {room.was}

**Seen.** {room.symptom}

```python
{room.code}
```

**Found by**

```python
{room.asks}
```

```text
{found}
```

**What became of it.** {room.fixed}

**Takeaway.** {room.takeaway} (Lesson {room.lesson}.)
"""


def page() -> str:
    """() -> docs/museum.md."""
    parts = [PAGE_TOP]
    for floor, rooms in FLOORS.items():
        parts += [f"## {floor}\n", *map(entry, rooms)]
    return "\n".join(parts)


def cells() -> list[NotebookNode]:
    """() -> the notebook's cells, without outputs."""
    made = [
        new_markdown_cell(TITLE, id="title"),
        new_markdown_cell(OPENING, id="what-you-will-do"),
        new_code_cell("from helpers.museum import enter, look", id="setup"),
    ]
    for floor, rooms in FLOORS.items():
        made.append(
            new_markdown_cell(
                f"## {floor}", id=floor.split(",")[0].lower().replace(" ", "-").replace("'", "")
            )
        )
        for room in rooms:
            hidden = {"jupyter": {"outputs_hidden": True}}
            made += [
                new_markdown_cell(
                    f"### {room.project}, {room.year}\n\n{links(room)}", id=f"{room.name}-room"
                ),
                new_code_cell(f'enter("{room.name}")', id=f"{room.name}-enter"),
                new_code_cell(f'look("{room.name}")', id=f"{room.name}-look", metadata=hidden),
            ]
    return [*made, new_markdown_cell(CLOSING, id="in-practice")]


def written(path: Path) -> NotebookNode | None:
    """The notebook's path -> the notebook as it is, or None."""
    return nbformat.read(path, as_version=4) if path.is_file() else None


def is_current(path: Path = NOTEBOOK) -> bool:
    """The notebook's path -> True where the page and its texts and code are those of helpers/museum."""
    notebook = written(path)
    wanted = [(cell.id, cell.source) for cell in cells()]
    same = notebook is not None and [(cell.id, cell.source) for cell in notebook.cells] == wanted
    return same and PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page()


def main(words: list[str]) -> int:
    """The words after the command -> 0, or 1 where --check finds that something is out of date."""
    if "--check" in words:
        print("up to date" if is_current() else "out of date: python tools/museum.py")
        return 0 if is_current() else 1
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    notebook = new_notebook(cells=cells(), metadata=lesson_metadata())
    nbformat.write(notebook, NOTEBOOK)
    print(f"{PAGE.name} and {NOTEBOOK.name} written; now: python course.py run museum")
    return 0


def lesson_metadata() -> dict[str, object]:
    """() -> what a lesson's notebook says of itself, as lesson 05 does."""
    return dict(nbformat.read(ROOT / "notebooks" / "05_masking.ipynb", as_version=4).metadata)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""A lesson -> its slides. A slide shows little; all that the lesson says there stands in its notes."""

import base64
import re
import struct
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from helpers.exercises.catalogue import find
from helpers.exercises.kinds import Mend, Reverse
from teacher.blocks import Block, blocks, has_term, html, lead, lines, said, sentences
from teacher.lessons import Lesson, Section
from teacher.mistakes import Expected, Vote, commonest, expected, right

MOST_LINES = 12.5  # of text on a slide
MOST_CODE = 15  # lines of code and of what it printed on one slide
FEW = 3.5  # lines of text, or less: no slide of its own where a result follows
BIG = ("table", "formula", "list", "html", "code", "quote")
CAPTION = 230  # letters
FIGURE, MOST_FIGURE = 9, 12  # lines of code that the room of a figure would hold, at least and at most
PART = 0.6  # of the slide's width that a figure is to have
LINES_WIDE = 34  # a slide's width in the heights of its lines of code
ONLY_DRAWN = re.compile(r"plot_\w+\(.*\)")  # a line that says nothing beside the figure that it draws


class Slide(NamedTuple):
    """What a slide is, its section, what it shows as HTML, its notes, about how many lines it has."""

    kind: str
    section: str
    body: str
    notes: str
    size: float = 0


def deck(lesson: Lesson) -> list[Slide]:
    """A lesson -> its slides."""
    what = f'<p class="number">Lesson {lesson.number}</p><h1>{escape(lesson.question)}</h1>'
    start = Slide("title", "", f"{what}<p>about {lesson.minutes} minutes</p>", "")
    return [start, *(slide for section in lesson.sections for slide in of_section(section))]


def of_section(section: Section) -> Iterator[Slide]:
    """A section -> its slides. The first of them bears its heading."""
    heading = f"<h2>{escape(section.title)}</h2>"
    for slide in without_remarks(joined(of_cells(section))):
        yield slide._replace(body=heading + slide.body)
        heading = ""


def joined(slides: Iterator[Slide]) -> Iterator[Slide]:
    """Slides -> the same; a few words that lead to a result stand on its slide."""
    before: Slide | None = None
    for slide in slides:
        if before is not None and leads_to(before, slide):
            notes, size = f"{before.notes}\n\n{slide.notes}", before.size + slide.size
            context = f'<div class="context">{before.body}</div>' if slide.kind == "predict" else before.body
            before = slide._replace(body=context + slide.body, notes=notes, size=size)
            continue
        if before is not None:
            yield before
        before = slide
    if before is not None:
        yield before


def leads_to(one: Slide, other: Slide) -> bool:
    """Two slides -> whether the first is a few words that belong to the second, which has room for them."""
    if one.kind == "remark" and other.kind == "predict":
        return one.size <= 2 * FEW
    few = one.kind in ("text", "remark") and one.size <= FEW
    return few and other.kind in ("code", "result") and one.size + other.size <= MOST_CODE


def without_remarks(slides: Iterator[Slide]) -> Iterator[Slide]:
    """Slides -> the same; what is only talked about is in the notes of the slide before it."""
    before: Slide | None = None
    for slide in slides:
        if before is not None and slide.kind == "remark":
            before = before._replace(notes=f"{before.notes}\n\n{slide.notes}")
            continue
        if before is not None:
            yield before
        before = slide._replace(kind="text") if slide.kind == "remark" else slide
    if before is not None:
        yield before


def of_cells(section: Section) -> Iterator[Slide]:
    """A section -> its slides, without its heading."""
    cells, place = section.cells, 0
    while place < len(cells):
        cell = cells[place]
        follows = cells[place + 1] if place + 1 < len(cells) else None
        if cell.cell_type == "markdown" and cell.id.endswith("-task"):
            yield from of_exercise(section.title, cell, follows, cells[place - 1] if place else None)
        elif cell.cell_type == "markdown":
            yield from of_text(section.title, without_slider(blocks(cell.source), follows))
        elif is_shown(cell):
            look = (
                follows is not None and follows.cell_type == "markdown" and not follows.id.endswith("-task")
            )
            text = blocks(follows.source) if follows is not None and look else []
            caption = text[0].text if text and text[0].kind == "text" else ""
            yield from of_code(section.title, cell, caption)
            if caption:
                beyond = cells[place + 2] if place + 2 < len(cells) else None
                said_here = [Block("said", caption), *text[1:]]
                yield from of_text(section.title, without_slider(said_here, beyond))
                place += 1
        place += 1


def without_slider(found: list[Block], follows: NotebookNode | None) -> list[Block]:
    """A cell's blocks, the cell after it -> the same; what leads to a slider, which no slide has, is said."""
    slider = follows is not None and follows.id.endswith("-slider")
    if slider and len(found) > 1 and found[-1].kind == "text" and found[-1].text.endswith(":"):
        return [*found[:-1], Block("said", found[-1].text)]
    return found


def is_shown(cell: NotebookNode) -> bool:
    """A code cell -> whether it becomes a slide: not set-up, exercises, their checks, or a slider."""
    hidden = re.search(r"(^setup|-try$|-check$|-slider$|^progress$)", cell.id)
    return hidden is None and bool(cell.outputs)


def of_text(title: str, found: list[Block]) -> Iterator[Slide]:
    """A section's title, blocks of text -> slides; a prediction and a takeaway have one of their own."""
    shown: list[Block] = []
    told: list[str] = []
    for block, following in zip(found, [*found[1:], None], strict=True):
        if block.kind in ("predict", "takeaway"):
            yield from of_group(title, shown, told)
            yield Slide(
                block.kind, title, label(block.kind) + html(said(block)), "\n\n".join(told * (not shown))
            )
            shown, told = [], []
            continue
        told += [] if block.kind == "heading" else [said(block)]
        if block.kind == "text":
            shown.append(Block("text", led_in(said(block), following)))
        elif block.kind in BIG:
            shown.append(Block(block.kind, said(block) if block.kind != "table" else block.text))
    yield from of_group(title, shown, told)


def led_in(text: str, following: Block | None) -> str:
    """A paragraph, the block after it -> what is shown: its last sentence too, if a formula completes it."""
    shown, last = lead(text), sentences(text)[-1]
    completed = following is not None and following.kind in ("table", "formula", "list")
    return shown if not completed or last in shown else f"{shown} {last}"


def label(kind: str) -> str:
    """predict -> its label."""
    return f'<p class="label">{kind.capitalize()}</p>'


def of_group(title: str, shown: list[Block], told: list[str]) -> Iterator[Slide]:
    """Blocks that are shown, all that is said -> as many slides as they need."""
    pages: list[list[Block]] = []
    for block in [part for one in shown for part in in_pieces(one)]:
        room = pages and sum(map(lines, pages[-1])) + lines(block) <= MOST_LINES
        leads = (
            pages and not room and len(pages[-1]) > 1 and pages[-1][-1].kind == "text" and block.kind in BIG
        )
        taken = [pages[-1].pop()] if leads else []  # what leads to a formula stands above it
        pages[-1:] = [[*pages[-1], block]] if room else [*pages[-1:], [*taken, block]]
    shows = any(block.kind in BIG or has_term(block.text) for block in shown)
    for place, page in enumerate(pages):
        body = "\n".join(html(block.text) for block in page)
        yield Slide(
            "text" if shows else "remark",
            title,
            body,
            "\n\n".join(told) if not place else "",
            sum(map(lines, page)),
        )


def in_pieces(block: Block) -> list[Block]:
    """A block -> the same, a list that is too long for a slide in several."""
    if block.kind != "list" or lines(block) <= MOST_LINES:
        return [block]
    points = re.split(r"\n(?=(?:[-*]|\d+\.) )", block.text)
    return [Block("list", point) for point in points]


def of_code(title: str, cell: NotebookNode, caption: str) -> Iterator[Slide]:
    """A code cell that was run, the text after it -> a slide, or two where both do not fit on one."""
    code, results = source_of(cell.source), list(outputs(cell))
    said_by_it = "".join(output.get("text", "") for output in cell.outputs)
    pictures = [output.data["image/png"] for output in cell.outputs if "image/png" in output.get("data", {})]
    figure = bool(pictures)
    under = f'<div class="caption">{html(short(caption))}</div>' if caption else ""
    rows = max((result.count("<tr") for result in results if result.startswith("<div")), default=0)
    shown = sum(map(lines_of, pictures)) or 1.5 * rows + len(said_by_it.splitlines())
    height = len(cell.source.splitlines()) + shown + (2 if caption else 0)
    if ONLY_DRAWN.fullmatch(cell.source):
        code = ""
    elif height > MOST_CODE:
        yield Slide("code", title, code, "", len(cell.source.splitlines()))
        code = ""
    notes = f"{caption}\n\n{alone(said_by_it, figure)}"
    yield Slide("result", title, code + "\n".join(results) + under, notes, height)


def lines_of(picture: str) -> float:
    """A PNG in base64 -> the lines of code that would fill its room, drawn over most of a slide."""
    wide, high = struct.unpack(">II", base64.b64decode(picture[:64])[16:24])
    return min(MOST_FIGURE, max(FIGURE, PART * LINES_WIDE * high / wide))


def alone(printed: str, figure: bool) -> str:
    """What a cell printed, whether it drew -> the finding of a figure, which only the notes have."""
    return f"The figure in words: {printed.strip()}" if figure and printed.strip() else ""


def short(text: str) -> str:
    """A paragraph -> its first sentences, as many as stand under a figure."""
    shown = ""
    for part in sentences(text):
        if shown and len(shown) + len(part) > CAPTION:
            break
        shown = f"{shown} {part}".strip()
    return shown


def source_of(source: str) -> str:
    """Python -> HTML in colours."""
    return f'<pre class="code">{highlight(source, PythonLexer(), HtmlFormatter(nowrap=True))}</pre>'


def outputs(cell: NotebookNode) -> Iterator[str]:
    """A code cell -> its outputs as HTML. What a figure prints is its text for those who cannot see it."""
    texts = "".join(output.get("text", "") for output in cell.outputs)
    drawn = [
        output.data for output in cell.outputs if {"image/png", "text/html"} & output.get("data", {}).keys()
    ]
    for data in drawn:
        if "image/png" in data:
            picture = data["image/png"].replace("\n", "")
            yield f'<img alt="{escape(" ".join(texts.split()))}" src="data:image/png;base64,{picture}">'
        else:
            table = data["text/html"]
            yield f'<div class="table">{table[max(0, table.find("<div")) :]}</div>'
    results = [output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result"]
    plain = "\n".join([texts.rstrip("\n"), *results]).strip("\n")
    if plain and (cell.id.endswith("-case") or not any("image/png" in data for data in drawn)):
        yield f'<pre class="output">{escape(plain)}</pre>'


def of_exercise(
    title: str, cell: NotebookNode, stub: NotebookNode | None, before: NotebookNode | None = None
) -> Iterator[Slide]:
    """A task, its cell, the cell before the task -> its slide; on the next one the function to fix, or the
    answer to a vote. Who votes on a bug sees what it did, and the mistakes to choose from.
    """
    name = cell.id.removesuffix("-task")
    exercise = find(name)
    assert exercise is not None, name
    found = blocks(re.sub(r"^\*\*Your turn \([^)]*\)\.\*\* *", "", cell.source))
    votes = isinstance(exercise, Vote)
    what = "Vote" if votes else "Your turn"
    kind = "" if votes else f", {exercise.kind}"
    head = f'<p class="label">{what}: <code>{name}</code>{kind}</p>'
    notes = [f"- {spoken(one)}" for one, _ in commonest(exercise)] if not votes else []
    told = ["What goes wrong most often, and what to say:", *notes] if notes else []
    body = "\n".join(html(block.text) for block in found)
    if isinstance(exercise, Reverse):
        case = before if before is not None and before.id == f"{name}-case" else None
        body += (seen_of(case) if case is not None else "") + html(choices(exercise))
    yield Slide("task", title, head + body, "\n".join(told))
    if isinstance(exercise, Mend) and stub is not None:
        yield Slide(
            "given", title, f'<p class="label">Fix it: <code>{name}</code></p>{source_of(stub.source)}', ""
        )
    if isinstance(exercise, Vote):
        shown, reason = right(exercise)
        wrong = "\n".join(f"- {spoken(one)}" for one in expected(exercise))
        body = f'<p class="label">Answer: <code>{name}</code></p><p class="answer">{shown}</p>{html(reason)}'
        yield Slide("answer", title, body, f"What people answer, and what to say:\n\n{wrong}")


def seen_of(case: NotebookNode) -> str:
    """The cell of a bug's evidence -> its tables and figures, or else what it printed, as HTML."""
    found = list(outputs(case))
    drawn = [result for result in found if not result.startswith("<pre")]
    printed = [result.partition("\n(a) ")[0] for result in found if result.startswith("<pre")]
    shown = drawn or [f"{result}</pre>" for result in printed]
    return f'<div class="evidence">{"".join(shown)}</div>'


def choices(exercise: Reverse) -> str:
    """A bug to name -> the mistakes to choose from, as a list in Markdown."""
    lines = re.split(r"\n(?=\()", exercise.line_up)
    return "\n".join(f"- {' '.join(line.split())}" for line in lines)


def spoken(one: Expected) -> str:
    """A mistake -> a line of the notes."""
    return f"**{one.answer or one.name}**: {one.say}"

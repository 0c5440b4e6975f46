"""Everything that Sphinx reads, written into one folder: lessons, pages about them, and the start page."""

import functools
import json
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from course.committed import course_text
from website import address, cells, decks, kills, mistakes, pages, reference, reply, solved, timetables
from website.decks import MARK, Deck
from website.lessons import BESIDE, Lesson, hours, lessons
from website.pictures import to_fetch

OWN = Path(__file__).resolve().parent
TABLES = {  # pages whose tables are narrower on the site
    "docs/kill_table.md": kills.in_two,
    "docs/teaching/days.md": timetables.in_lines,
}
MUSEUM = "museum"  # the notebook, and the page with all that its cells tell
PICTURES = ("docs/where_it_looks.png",)
PROCESSES = 2  # at a time, as Sphinx has them afterwards


class Made(NamedTuple):
    """What one notebook becomes beside its page: the file to be fetched, its slides, and the file of its
    solved edition, if any.
    """

    fetched: str
    deck: Deck | None = None
    solved: str | None = None


class Written(NamedTuple):
    """What stands beside Sphinx's pages when these are made: notebooks, slides, the solved edition."""

    lessons: list[Lesson]
    notebooks: dict[str, str]  # {stem: the file's text}
    decks: list[Deck]
    archive: bytes


def write_sources(root: Path, place: Path, papers: bool, book: bool, home: str = "") -> Written:
    """The course's folder, an empty place, whether PDFs and an ePub follow, where the course is to be had ->
    what Sphinx does not make.

    All that it reads stands in the place.
    """
    every = lessons(root)
    notebooks = [*every, *(each for each in BESIDE if (root / "notebooks" / f"{each.stem}.ipynb").exists())]
    found = pages.listed(root)
    known = pages.targets(found, [notebook.stem for notebook in notebooks])
    made = write_notebooks(root, place, notebooks, known)
    archive = write_first_pages(place, every, made)
    for name, text in reference.pages(root / "helpers").items():
        write(place / f"{name}.md", text)
    shown = [each.deck for each in made if each.deck]
    marks = {MARK: decks.table(shown), reply.MARK: reply.shown()}
    titles = pages.titles_of(root, found, notebooks)
    for page in found:
        text = (root / page.source).read_text(encoding="utf-8")
        text = pages.as_page(TABLES[page.source](text) if page.source in TABLES else text)
        for mark, told in marks.items():
            text = text.replace(mark, told)
        text = pages.titled(address.with_address(text, home), page.source, titles)
        text = pages.linked(text, page.source, titles)
        text = pages.relinked(text, page.source, f"{page.name}.md", known)
        write(place / f"{page.name}.md", text + pages.below(page, found))
    start = pages.relinked((root / pages.START).read_text(encoding="utf-8"), pages.START, "index.md", known)
    write(place / "index.md", start_page(start, notebooks, found, papers, book))
    for picture in PICTURES:
        shutil.copyfile(root / picture, place / Path(picture).name)
    fetched = {notebook.stem: each.fetched for notebook, each in zip(notebooks, made, strict=True)}
    return Written(every, fetched, shown, archive)


def write_notebooks(
    root: Path, place: Path, notebooks: Sequence[Lesson], known: Mapping[str, str]
) -> list[Made]:
    """The course's folder, a place, the notebooks, where links lead -> what they become; pages are there.

    Each notebook is a job of its own: its exercises and its figures take most of the time.
    """
    with ProcessPoolExecutor(PROCESSES) as pool:
        return list(pool.map(functools.partial(write_notebook, root, place, known), notebooks))


def write_notebook(root: Path, place: Path, known: Mapping[str, str], lesson: Lesson) -> Made:
    """The course's folder, a place, where links lead, a notebook -> the file to be fetched, its slides and
    the solved one; its pages are there.

    All of them in one process, so that each figure is made smaller once.
    """
    write_lesson(root, place, lesson, known)
    path = root / "notebooks" / f"{lesson.stem}.ipynb"
    fetched = to_fetch(course_text(root, path))
    if not lesson.number:
        return Made(fetched)
    deck = decks.made(path) if lesson.is_core else None
    return Made(fetched, deck, write_exercises(root, place, lesson, known))


def write_exercises(root: Path, place: Path, lesson: Lesson, known: Mapping[str, str]) -> str:
    """The course's folder, a place, a lesson, where links lead -> it solved, as a file's text; its pages of
    answers and of mistakes are there.
    """
    source, name = f"notebooks/{lesson.stem}.ipynb", f"solved/{lesson.number}.md"
    exercises, notebook = solved.edition(root / source)
    made = [
        each._replace(task=pages.relinked(cells.prose(each.task, lesson), source, name, known))
        for each in exercises
    ]
    write(place / name, solved.page(lesson, made))
    told = mistakes.in_order(mistakes.told(lesson.number), [each.name for each in exercises])
    told = mistakes.with_choices(told, {each.name: each.task for each in made})
    write(place / "mistakes" / f"{lesson.number}.md", mistakes.page(lesson, told))
    return notebook


def write_first_pages(place: Path, every: Sequence[Lesson], made: Sequence[Made]) -> bytes:
    """A place, the lessons, what was made of the notebooks -> all lessons solved, as an archive; the pages
    that lead to mistakes and answers are there.
    """
    solved_ones = [each.solved for each in made if each.solved is not None]
    archive = solved.archive(
        {f"{each.stem}.ipynb": text for each, text in zip(every, solved_ones, strict=True)}
    )
    write(place / "mistakes" / "index.md", mistakes.first_page(every))
    write(place / "solved" / "index.md", solved.first_page(every, archive))
    return archive


def write_lesson(root: Path, place: Path, lesson: Lesson, known: Mapping[str, str]) -> None:
    """The course's folder, a place, a notebook, where links lead -> the one for readers is there."""
    source, name = f"notebooks/{lesson.stem}.ipynb", f"lessons/{lesson.stem}.ipynb"
    stored = json.loads(course_text(root, root / source))
    for cell in stored["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = pages.relinked(cells.text_of(cell), source, name, known)
    prepared = cells.for_readers(stored, lesson, links_of(lesson))
    write(place / name, json.dumps(prepared, ensure_ascii=False))


def links_of(lesson: Lesson) -> str:
    """A notebook -> the line of links under its title, on the site only."""
    links = [
        f'<a href="../notebooks/{lesson.stem}.ipynb" download>the notebook</a>',
        '<a href="../run.html">run it yourself</a>',
    ]
    if lesson.number:
        links += [
            f'<a href="../mistakes/{lesson.number}.html">its exercises and mistakes</a>',
            f'<a href="../solved/{lesson.number}.html">solved</a>',
        ]
    if lesson.stem == MUSEUM:
        links += [f'<a href="../{MUSEUM}.html">all its rooms on one page</a>']
    if lesson.number and lesson.is_core:
        links += [f'<a href="../slides/{lesson.number}.html">slides</a>']
    return "\n".join(["````{only} not epub", f'<p class="lesson-links">{" · ".join(links)}</p>', "````"])


def start_page(
    text: str, every: Sequence[Lesson], found: Sequence[pages.Page], papers: bool, book: bool
) -> str:
    """The start page as it is written, notebooks, pages, whether PDFs follow -> the page with its lists."""
    beside = [each for each in every if not each.number]
    core = [each for each in every if each.number and each.is_core]
    further = [each for each in every if each.number and not each.is_core]
    text = text.replace("{{core}}", table(core)).replace("{{further}}", table(further))
    for mark, some in (("{{core hours}}", core), ("{{all hours}}", core + further)):
        text = text.replace(mark, str(hours(some)))
    text = text.replace("{{extras}}", extras(found, papers, book))
    lists = [
        pages.table_of_contents(part, [("", name) for name in names_of(part, found)])
        for part in dict.fromkeys(each.part for each in found if each.part)
    ]
    toc = [
        lists[0],
        pages.table_of_contents("The core", [entry(each) for each in core]),
        pages.table_of_contents("Further on", [entry(each) for each in further]),
        pages.table_of_contents("Beside the lessons", [entry(each) for each in beside]),
        pages.table_of_contents("Look up", [("", f"{each}/index") for each in ("mistakes", "reference")]),
        *lists[1:],
    ]
    return text + "\n\n" + "\n".join(toc)


def names_of(part: str, found: Sequence[pages.Page]) -> list[str]:
    """A part of the side bar, pages -> the names of its pages. Those of the solved edition are made here."""
    return [each.name for each in found if each.part == part] + ["solved/index"] * (part == pages.TEACH)


def entry(lesson: Lesson) -> tuple[str, str]:
    """A lesson -> its line in the side bar."""
    return f"{lesson.number} · {lesson.name}".removeprefix(" · "), f"lessons/{lesson.stem}"


def table(some: Sequence[Lesson]) -> str:
    """Lessons -> their table on the start page."""
    rows = [
        f"| {each.number} | [{each.name}](lessons/{each.stem}.ipynb) | {each.question} | {each.minutes} |"
        for each in some
    ]
    return "\n".join(["| | lesson | the question | minutes |", "|---|---|---|---|", *rows])


def extras(found: Sequence[pages.Page], papers: bool, book: bool) -> str:
    """Pages, whether PDFs follow, whether an ePub does -> what else the start page leads to."""
    sheets = ', <a href="handout.pdf">the same as PDF</a>' if papers else ""
    lines = [f"- **On paper**: [the handout](handout.md), two sheets with the formula and the traps{sheets}."]
    lines += ['- **Away from the network**: <a href="attention.epub">the whole course as an ePub</a>.'] * book
    named = [EXTRAS[page.name] for page in found if page.name in EXTRAS]
    return "\n".join([*named, *lines])


EXTRAS = {  # pages that the start page names, where they are there
    "teaching": "- **Teach it**: [how to prepare a class, with a plan of each lesson](teaching.md), and "
    "[timetables](teaching/days.md) for half a day, four hours, a day and five days.",
    "slides": "- **Show it**: [the slides of lessons 00 to 09](slides.md), in the browser.",
    "museum": "- **Visit the museum**: [real bugs](museum.md) that people have made with attention, or "
    "[guess first](lessons/museum.ipynb).",
    "test_your_model": "- **Test your own model**: [does it look into the future?](test_your_model.md)",
}


def write(path: Path, text: str) -> None:
    """A path, a text -> the file, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")

"""The pages beside the lessons: which Markdown of the repository becomes which page, and where links lead.

To add a page, add a line to PAGES. A file or a folder that is not there is left out.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from website.lessons import Lesson
from website.words import unwrapped

# A block of code, a link, or code in a line: whichever begins first. Only links are changed.
LINK = re.compile(
    r"^```.*?^```|(?P<before>!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?P<target>[^()\s]+)\)|`[^`\n]+`",
    re.MULTILINE | re.DOTALL,
)
OUTSIDE = re.compile(r"[a-z]+:|#")
FILE_LINK = re.compile(r"(?<!!)\[`?[\w./]+\.(?:md|ipynb)`?\]\((?P<target>[^()\s#]+)\)")
# The same, or a file that is only named.
NAMED_FILE = re.compile(LINK.pattern + r"|(?<![\w/])(?P<file>docs/[\w/]+\.md)", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"^# (?P<title>.+)$", re.MULTILINE)
AUTHORS_NOTE = re.compile(r"^Written by `[^`]+`.*?; a test fails .*?\.(?=\s) *", re.MULTILINE | re.DOTALL)
PLAN = re.compile(r"\A# (?P<number>\d\d): ")


class Page(NamedTuple):
    """A file or a folder of the repository, the page or the folder of pages that it becomes, its part.

    Without a part it stands below the page whose name its own begins with, and not in the side bar's list.
    """

    source: str
    name: str
    part: str


USE, TEACH, MORE = "Use the course", "Teach with it", "More"
PAGES = (
    Page("docs/site/run.md", "run", USE),
    Page("docs/install.md", "install", USE),
    Page("docs/doors.md", "doors", USE),
    Page("docs/handout.md", "handout", USE),
    Page("docs/teaching.md", "teaching", TEACH),
    Page("docs/teaching/days.md", "teaching/days", TEACH),
    Page("docs/teaching", "teaching", ""),
    Page("docs/site/slides.md", "slides", TEACH),
    Page("docs/hub.md", "hub", TEACH),
    Page("docs/museum.md", "museum", MORE),
    Page("docs/test_your_model.md", "test_your_model", MORE),
    Page("docs/kill_table.md", "kill_table", MORE),
    Page("data/README.md", "data", MORE),
    Page("CHANGELOG.md", "changes", MORE),
)
START = "docs/site/start.md"


def listed(root: Path, pages: Sequence[Page] = PAGES) -> list[Page]:
    """The course's folder, the list -> the pages that are there; a folder gives one for each of its files."""
    found: dict[str, Page] = {}
    for page in pages:
        place = root / page.source
        if place.is_file():
            found[page.source] = page
        elif place.is_dir():
            for path in sorted(place.rglob("*.md")):
                source = path.relative_to(root).as_posix()
                name = f"{page.name}/{path.relative_to(place).with_suffix('').as_posix()}"
                found.setdefault(source, Page(source, name, page.part))
    return list(found.values())


def below(page: Page, pages: Sequence[Page]) -> str:
    """A page, all pages -> what Sphinx shows of those that stand below it, or nothing."""
    entries = [
        ("", f"/{each.name}") for each in pages if not each.part and each.name.startswith(f"{page.name}/")
    ]
    return "\n\n" + table_of_contents("", entries) if entries else ""


def targets(pages: Sequence[Page], lessons: Sequence[str]) -> dict[str, str]:
    """Pages, the notebooks' stems -> {file in the repository: file among the site's sources}.

    docs/site/ also links to what is only made here: the pages of exercises, and of these solved.
    """
    known = {page.source: f"{page.name}.md" for page in pages}
    known |= {f"notebooks/{stem}.ipynb": f"lessons/{stem}.ipynb" for stem in lessons}
    for part in ("mistakes", "solved"):
        names = ["index", *(stem[:2] for stem in lessons if stem[:2].isdigit())]
        known |= {f"docs/site/{part}/{name}.md": f"{part}/{name}.md" for name in names}
    return known | {"README.md": "index.md", START: "index.md"}


def relinked(text: str, source: str, page: str, known: Mapping[str, str]) -> str:
    """Markdown, its file in the repository, its file on the site -> links that lead to pages of the site.

    A link to a file that the site does not have becomes its words alone; a picture stays.
    """

    def link(found: re.Match[str]) -> str:
        if found["target"] is None or OUTSIDE.match(found["target"]):
            return found[0]
        target, _, anchor = found["target"].partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if found["before"].startswith("!"):
            return found[0]
        if place not in known:
            return found["before"][1:-1]
        there = posixpath.relpath(known[place], posixpath.dirname(page) or ".")
        return f"{found['before']}({there}{'#' + anchor.lower() if anchor else ''})"

    return LINK.sub(link, text)


def titled(text: str, source: str, titles: Mapping[str, str]) -> str:
    """Markdown, its file, {file: title} -> links with a file's name for words have the page's title."""

    def link(found: re.Match[str]) -> str:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), found["target"]))
        return f"[{titles[place]}]({found['target']})" if place in titles else found[0]

    return FILE_LINK.sub(link, text)


def linked(text: str, source: str, titles: Mapping[str, str]) -> str:
    """Markdown, its file, {file: title} -> files of the repository that it only names are links, too."""

    def link(found: re.Match[str]) -> str:
        name = found["file"]
        if name not in titles:
            return found[0]
        return f"[{titles[name]}]({posixpath.relpath(name, posixpath.dirname(source) or '.')})"

    return NAMED_FILE.sub(link, text)


def titles_of(root: Path, pages: Sequence[Page], lessons: Sequence[Lesson]) -> dict[str, str]:
    """The course's folder, pages, notebooks -> {file of the repository: what its page is called}."""
    found = {}
    for page in pages:
        heading = TITLE.search(as_page((root / page.source).read_text(encoding="utf-8")))
        if heading:
            found[page.source] = heading["title"]
    named = {f"notebooks/{each.stem}.ipynb": f"{each.number} · {each.name}" for each in lessons}
    return found | {source: title.removeprefix(" · ") for source, title in named.items()}


def as_page(text: str) -> str:
    """A file of docs/ -> the same for readers: a plan says that it is one, an author's note comes last."""
    text = PLAN.sub(r"# Plan \g<number>: ", unwrapped(text))
    note = AUTHORS_NOTE.search(text)
    if note is None:
        return text
    return f"{text[: note.start()]}{text[note.end() :]}".rstrip() + f"\n\n---\n\n*{note[0].strip()}*\n"


def table_of_contents(caption: str, entries: Sequence[tuple[str, str]]) -> str:
    """A caption or nothing, [(title or nothing, page)] -> what Sphinx shows of them in the side bar."""
    lines = [f"{title} <{page}>" if title else page for title, page in entries]
    named = [f":caption: {caption}"] if caption else []
    return "\n".join(["```{toctree}", ":hidden:", *named, "", *lines, "```", ""])

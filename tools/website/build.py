"""Builds the site into build/site/html, and the lessons' PDFs beside it: `python course.py site`.

python course.py site           pages, ePub and, where a Chromium is installed, the PDFs
python course.py site --pages   the pages only
python course.py site --check   and looks at all of it in the browser
python course.py site --address https://github.com/somebody/course   where its readers get the course
"""

import argparse
import gc
import re
import shutil
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from website import address, decks, mathjax, papers
from website.enlarging import with_links
from website.joints import with_joints
from website.serving import find_browser
from website.solved import ARCHIVE
from website.sources import OWN, PROCESSES, Written, write_sources

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "build" / "site"
HTML = PLACE / "html"
# The arrows of the theme's side bar have no name that a screen reader could say.
NAMELESS = re.compile(r'<summary>(?=<span class="toctree-toggle")')
NAMED = '<summary aria-label="Pages of this part">'


def main(words: Sequence[str]) -> int:
    """Words of the command line -> the exit status."""
    options = parser().parse_args(words)
    start = time.perf_counter()
    try:
        home = address.chosen(options.address, ROOT)
    except ValueError as error:
        print(error)
        return 2
    status = build(pages_only=options.pages, home=home)
    if status:
        return status
    seconds = time.perf_counter() - start
    print(f"{HTML.relative_to(ROOT) / 'index.html'}: {megabytes(HTML):.1f} MB, {seconds:.0f} s")
    if options.check:
        from website import check

        return check.main([])
    return 0


def parser() -> argparse.ArgumentParser:
    """() -> what the command understands."""
    made = argparse.ArgumentParser(prog="python course.py site", description="Builds the course as a site.")
    made.add_argument("--pages", action="store_true", help="the pages only: no ePub, no PDFs")
    made.add_argument(
        "--address", metavar="URL", help="where readers get the course (without it: the clone's https origin)"
    )
    made.add_argument("--check", action="store_true", help="afterwards look at it in a browser")
    return made


def build(pages_only: bool, home: str) -> int:
    """Whether to leave the ePub and the PDFs out, the course's address or nothing -> Sphinx's status.

    What stood there is replaced.
    """
    browser = None if pages_only else find_browser()
    source = PLACE / "source"
    for folder in (source, HTML, PLACE / "epub"):  # an ePub takes in whatever lies in its folder
        shutil.rmtree(folder, ignore_errors=True)
    written = write_sources(ROOT, source, papers=browser is not None, book=not pages_only, home=home)
    shutil.copytree(OWN / "static", source / "_static")
    mathjax.copy_to(source / "_static" / "mathjax")
    status = run_sphinx("html", source, HTML)
    if status:
        return status
    finish(HTML)
    write_downloads(written, HTML)
    if pages_only:
        return 0
    # The ePub needs only what Sphinx has read for the pages, and the PDFs only the pages.
    with ProcessPoolExecutor(1) as beside:
        book = beside.submit(run_sphinx, "epub", source, PLACE / "epub")
        if browser is None:
            print("No Chromium is installed here: the lessons' PDFs and the handout's are left out.")
        else:
            papers.print_all(browser, HTML, PLACE / "papers", [lesson.stem for lesson in written.lessons])
        status = book.result()
    if not status:
        shutil.copyfile(PLACE / "epub" / "attention.epub", HTML / "attention.epub")
    return status


def write_downloads(written: Written, html: Path) -> None:
    """What was written for the site, its pages -> beside these stand notebooks, slides and solved lessons."""
    decks.write(written.decks, html)
    (html / "solved" / ARCHIVE).write_bytes(written.archive)
    (html / "notebooks").mkdir()
    for stem, text in written.notebooks.items():
        (html / "notebooks" / f"{stem}.ipynb").write_text(text, encoding="utf-8", newline="\n")


def finish(html: Path) -> None:
    """The site as Sphinx leaves it -> without what nobody needs, and with what readers miss."""
    for path in html.rglob("*.map"):  # a fifth of the site, for those who debug the theme
        path.unlink()
    shutil.rmtree(html / "_static" / "locales", ignore_errors=True)  # the theme's words in other languages
    with ProcessPoolExecutor(PROCESSES) as pool:
        list(pool.map(finish_page, html.rglob("*.html"), chunksize=8))


def finish_page(path: Path) -> None:
    """A page as Sphinx leaves it -> the same with its links and its joints, in its place."""
    text = path.read_text(encoding="utf-8")
    text = with_links(with_joints(NAMELESS.sub(NAMED, text)), path.parent)
    path.write_text(text, encoding="utf-8", newline="\n")


def run_sphinx(builder: str, source: Path, place: Path) -> int:
    """ "html" or "epub", sources, a place -> Sphinx's status; a warning is an error."""
    gc.disable()  # a fifth of Sphinx's time goes into looking for circles in its trees, all of which it keeps
    words = [
        "-b",
        builder,
        "-c",
        str(OWN),
        "-d",
        str(PLACE / "doctrees"),
        "-q",
        "-W",
        "--keep-going",
        "-j",
        "2",
    ]
    return sphinx([*words, str(source), str(place)])


def megabytes(folder: Path) -> float:
    """A folder -> what it holds, in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

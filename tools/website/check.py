"""Looks at the finished site: files, links, and every page in a browser, in both themes and at phone width.

    python course.py site --check

An offence is one line that says where and what. Nothing is asked of any other machine.
"""

import importlib.resources
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, ViewportSize

from website import decks, layout, papers
from website.build import HTML
from website.links import broken_links, pictures_without_words
from website.serving import FORMULAS_SET, browsing, find_browser, served
from website.sources import PROCESSES

MOST_MEGABYTES = 25
PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 900}
SETTLE = 300  # milliseconds, for colours and places to be as they stay
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WORDS = ("softmax", "FlashAttention")
# A formula has the colour of its paragraph, in a thousand parts, which would take most of the time.
AXE = """([apart, rules]) =>
    axe.run({exclude: ["mjx-container mjx-math", ...apart].map(each => [each])}, rules)
        .then(done => done.violations)"""
# Code has the same few colours on every page, and thousands of words. These pages have words of every kind;
# where they do not any more, that is an offence.
COLOURS_OF_CODE = ("lessons/09_gpu.html", "lessons/14_cache.html", "lessons/15_real_model.html")
CONTRAST = "color-contrast"
CODE = re.compile(r'<div class="highlight">.*?</div>', re.DOTALL)
KIND = re.compile(r'<span class="(\w+)')


def main(_: Sequence[str]) -> int:
    """() -> the exit status: 0 where nothing is wrong. Prints each offence."""
    start = time.perf_counter()
    browser = find_browser()
    count = 0
    with ProcessPoolExecutor(PROCESSES) as pool:
        offences: list[Iterable[str]] = [of_files(HTML)]
        if browser is None:
            print("No Chromium is installed here: only files and links are looked at.")
        else:
            pages = pages_of(HTML)
            shares = [pages[n::PROCESSES] for n in range(PROCESSES)]
            offences += pool.map(in_browser, repeat(browser), shares, (WORDS, *[()] * (PROCESSES - 1)))
        for offence in chain(*offences):
            print(f"✗ {offence}", flush=True)
            count += 1
    seconds = time.perf_counter() - start
    print(f"{len(pages_of(HTML))} pages looked at in {seconds:.0f} s: {count or 'no'} offences.")
    return 1 if count else 0


def pages_of(html: Path) -> list[str]:
    """The site -> its pages, as paths below it."""
    return sorted(
        path.relative_to(html).as_posix() for path in html.rglob("*.html") if "_static" not in path.parts
    )


def of_files(html: Path) -> Iterator[str]:
    """The site -> what is wrong with its files, its links and its pictures' words."""
    size = sum(path.stat().st_size for path in html.rglob("*") if path.is_file()) / 1e6
    if size > MOST_MEGABYTES:
        yield f"the site has {size:.1f} MB; at most {MOST_MEGABYTES} are wanted"
    yield from broken_links(html)
    yield from pictures_without_words(html)
    yield from colours_unseen(html)
    handout = html / "handout.pdf"
    if handout.exists() and papers.pages_of(handout.read_bytes()) != papers.HANDOUT_PAGES:
        yield f"the handout has {papers.pages_of(handout.read_bytes())} pages"


def colours_unseen(html: Path) -> Iterator[str]:
    """The site -> an offence for each kind of word in code that no page of COLOURS_OF_CODE shows."""
    kinds = {name: kinds_of(html / name) for name in pages_of(html) if not is_deck(name)}
    audited = set().union(*(kinds.get(name, set()) for name in COLOURS_OF_CODE))
    for name, found in kinds.items():
        for kind in sorted(found - audited):
            yield f"{name}: code of the kind {kind!r}, which no page of COLOURS_OF_CODE has"


def kinds_of(page: Path) -> set[str]:
    """A page -> the kinds of words in its code, by the class that colours them."""
    return {kind for code in CODE.findall(page.read_text(encoding="utf-8")) for kind in KIND.findall(code)}


def in_browser(place: str, pages: Sequence[str], words: Sequence[str]) -> list[str]:
    """Where a browser is, pages, words to search for -> what is wrong with them there. A process of its own
    has a browser and an address of its own.
    """
    said = []
    with served(HTML) as address, browsing(place) as chromium:
        context = chromium.new_context(viewport=DESK, color_scheme="light")
        context.set_default_timeout(papers.PATIENCE)
        context.add_init_script(axe())
        for page in pages:
            look = deck_looked_at if is_deck(page) else looked_at
            said += [f"{page}: {offence}" for offence in look(context, address, page)]
        for word in words:
            said += searched(context, address, word)
    return said


def looked_at(context: BrowserContext, address: str, name: str) -> list[str]:
    """A window, the site's address, a page -> what is wrong with it: light, dark, and on a phone."""
    page, said = context.new_page(), list[str]()
    watched(page, address, said)
    page.goto(address + name)
    page.wait_for_function(FORMULAS_SET)
    page.evaluate(papers.OPEN_ALL)
    if page.locator("mjx-merror").count():
        said.append("a formula cannot be set")
    said += [f"a heading's own link has an empty line: {each}" for each in page.evaluate(layout.EMPTY_LINE)]
    said += asked(page, layout.ANYWHERE)
    said += audit(page, "light", {"runOnly": RULES, "rules": {CONTRAST: {"enabled": False}}})
    apart = [] if name in COLOURS_OF_CODE else ["div.highlight"]
    said += audit(page, "light", {"runOnly": [CONTRAST]}, apart)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    page.wait_for_timeout(SETTLE)
    said += audit(page, "dark", {"runOnly": [CONTRAST]}, apart)  # the colours alone have changed
    page.set_viewport_size(PHONE)
    page.wait_for_timeout(SETTLE)  # site.js fits wide things to their place
    said += [f"phone: {each}" for each in chain(asked(page, layout.ON_PHONE), asked(page, layout.ANYWHERE))]
    page.close()
    return said


def asked(page: Page, questions: dict[str, str]) -> Iterator[str]:
    """A page, {an offence: a script} -> each place that a script finds, at the width that it has now."""
    for offence, script in questions.items():
        yield from (f"{offence}: {each}" for each in page.evaluate(script))


def is_deck(name: str) -> bool:
    """A page -> whether it is slides: one theme, one size, and a check of their own in tests/browser."""
    return name.startswith(f"{decks.FOLDER}/")


def deck_looked_at(context: BrowserContext, address: str, name: str) -> list[str]:
    """A window, the site's address, slides -> what is wrong with them as a part of the site."""
    page, said = context.new_page(), list[str]()
    watched(page, address, said)
    page.goto(address + name)
    page.wait_for_selector("body[data-ready]")
    if page.locator("mjx-merror").count():
        said.append("a formula cannot be set")
    page.close()
    return said


def watched(page: Page, address: str, said: list[str]) -> None:
    """A browser's page, the site's address, a list -> from now on the page's offences are added to it."""
    page.on(
        "request", lambda asked: None if own(asked.url, address) else said.append(f"asks for {asked.url}")
    )
    page.on("pageerror", lambda error: said.append(f"script error: {error}"))


def audit(page: Page, theme: str, rules: dict[str, Any], apart: Sequence[str] = ()) -> list[str]:
    """A page, its theme, which rules, what they leave out -> what axe finds, in words."""
    found = page.evaluate(AXE, [list(apart), {**rules, "resultTypes": ["violations"]}])
    return [f"{theme}: {told}" for each in found for told in in_words(each)]


def own(asked: str, address: str) -> bool:
    """What a page asks for, the site's address -> whether it is the site's own, or part of the page."""
    return asked.startswith((address, "data:", "blob:"))


def in_words(violation: dict[str, Any]) -> Iterator[str]:
    """What axe found -> a line for each of the first places."""
    for node in violation["nodes"][:3]:
        told = f"{violation['help']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        yield f"{violation['id']}: {' '.join(told.split())}"
    if len(violation["nodes"]) > 3:
        yield f"{violation['id']}: {len(violation['nodes']) - 3} more"


def axe() -> str:
    """() -> axe, as a script."""
    return (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def searched(context: BrowserContext, address: str, word: str) -> Iterator[str]:
    """A window, the address, a word -> an offence where the search page finds no page with it."""
    page = context.new_page()
    page.goto(f"{address}search.html?q={word}")
    try:
        page.wait_for_selector("#search-results ul.search li a")
    except Exception:  # playwright's own time-out
        yield f"the search finds nothing for {word!r}"
    page.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

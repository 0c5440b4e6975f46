"""Every slide in Chromium: nothing stands outside 1280 × 720, no line is cut, nothing is asked of a network.

It looks at the slides that `python course.py slides` has made; where there are none it is left out.
"""

from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "teaching" / "slides"
PAGES = sorted(FOLDER.glob("[0-9][0-9].html"))
SMALLEST = 0.65  # of the usual type, which is 32 pixels on a slide that is 720 high
CODE = 13  # pixels: the smallest type of code
OUTSIDE = """() => {
  const found = [];
  for (const part of Reveal.getCurrentSlide().querySelectorAll(".content *")) {
    if (part.closest("mjx-container") || part.closest("svg")) continue;
    const text = document.createRange();
    text.selectNodeContents(part);
    for (const box of [part.getBoundingClientRect(), text.getBoundingClientRect()])
      if (box.width && (box.left < -1 || box.top < -1 || box.right > 1281 || box.bottom > 721))
        found.push(`${part.tagName}: ${part.textContent.slice(0, 60)}`);
  }
  return found;
}"""
CUT = """() => [...document.querySelectorAll("pre")].map((pre) => {
  const text = document.createRange();
  text.selectNodeContents(pre);
  return [pre.textContent.slice(0, 60), parseFloat(getComputedStyle(pre).fontSize)];
})"""


@pytest.mark.skipif(not PAGES, reason="no slides: python course.py slides makes them")
@pytest.mark.parametrize("path", PAGES or [None], ids=lambda path: path.stem if path else "none")
def test_every_slide_fits_and_asks_for_nothing(path: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready]", timeout=120_000)
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert errors == []
    scales = page.evaluate(
        "[...document.querySelectorAll('.content')].map((content) => +content.dataset.scale)"
    )
    assert len(scales) > 10
    assert [(place + 1, scale) for place, scale in enumerate(scales) if scale < SMALLEST] == []
    assert [told for told in page.evaluate(CUT) if told[1] < CODE] == []
    outside = {}
    for place in range(len(scales)):
        page.evaluate(f"Reveal.slide({place})")
        found = page.evaluate(OUTSIDE)
        if found:
            outside[place + 1] = found
    assert outside == {}
    assert page.evaluate("document.querySelectorAll('mjx-merror').length") == 0, (
        "a formula that MathJax cannot set"
    )
    page.close()

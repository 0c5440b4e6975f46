"""The site's script and style at a phone's width: what is printed can be read there, and is copied as it was.

A page of a few boxes stands for the site. The rules of website.layout hold on it, and each is broken where
the line of site.js or site.css that keeps it is taken out.
"""

from pathlib import Path
from typing import Any

import pytest
from website import layout

STATIC = Path(__file__).resolve().parents[2] / "tools" / "website" / "static"
ROWS = """n    128: one table       0.5 MiB; queries, keys, values and output   1.0 MiB
n  1,024: one table      32.0 MiB; queries, keys, values and output   8.0 MiB
n  8,192: one table   2,048.0 MiB; queries, keys, values and output  64.0 MiB
n 65,536: one table 131,072.0 MiB; queries, keys, values and output 512.0 MiB
all of them in a row: tables of 133,154.5 MiB, and 586.0 MiB of what is read
"""
SENSES = """mole                                   rat 0.53, shrew 0.51, moles 0.50, squirrel 0.48
the mole dug its burrow in the garden  rat 0.58, snake 0.51, chimp 0.50, cave 0.49
one mole of carbon dioxide             emissions 0.60, gas 0.57, atom 0.54, molecule 0.52
"""
LABELS = """entropy, not scaled, at the largest width that we tried: 1.78
(16, 0): zeros +4.82 ± 0.34, mean +4.63 ± 0.32
weight on the future, by row: [0.752 0.596 0.441 0.278 0.128 0.   ]
"""
# Of these some have no room for their number in the first row, however wide the letters are.
COUNTS = "".join(f"{'n' * k} mean: 0.{k}\n" for k in range(26, 50))
FITS = """        living    thing   action  grammar    place   place²      one
The          0        0        0        1        0        0        1
cat        0.9      0.5      0.1        0        1        1        1
on           0      0.2      0.3      0.8        3        9        1
"""
WIDE = """GPU      kernel          d            tile registers spilled   shared  tensor cores
H100     forward        64 causal   128×64       114     0 B   64 KiB  16 × wgmma.mma_async
H100     grad_queries   64 causal    64×64       149     0 B   48 KiB  24 × wgmma.mma_async [1]
H100     grad_keys      64 causal    64×64       232     0 B   49 KiB  32 × wgmma.mma_async
[1] these instructions are put one after the other, and the compiler says so in a long sentence.
"""
# A heading that holds a number is one all the same.
KINDS = """       kind  shuffled without a mask  shuffled under a causal mask  moved by 100
    nothing                        0                             1             0
 sinusoidal                        1                             1             1
         T5                        1                             1             0
"""
PROGRAM = """def softmax_kernel(scores, weights, n_keys, tile):
    key = tl.arange(0, tile)  # the whole row at once: the tile is as long, or longer
    is_there = key < n_keys
    tl.store(weights + row * n_keys + key, row_of_weights_of_this_program, mask=is_there)
"""
PRINTED = (ROWS, SENSES, LABELS, COUNTS, FITS, WIDE, KINDS, PROGRAM)
PAGE = """<!DOCTYPE html><html><head><style>{theme}{css}</style><script>{js}</script></head>
<body><main class="bd-main"><article class="bd-article">{printed}
<div class="highlight-python"><div class="highlight"><pre>{code}</pre></div></div>
<div class="pst-scrollable-table-container"><table class="table">{table}</table></div>
</article></main></body></html>"""
# What the theme says of these: the rest of it has no part in this.
THEME = """body { margin: 0 16px; font: 16px/1.5 sans-serif;
  --pst-color-surface: #eee; --pst-color-background: #fff;
  --pst-color-link: #00f; --pst-color-text-base: #000; --pst-font-family-base: sans-serif; }
pre { margin: 1em 0; padding: 16px; font-family: monospace; overflow: auto; line-height: 1.25; }
.pst-scrollable-table-container { overflow-x: auto; } td, th { padding: 8px; }"""
NUMBERS = "".join(f"<td>{n:,}</td>" for n in range(1_000_000, 1_000_009))
BOX = '<div class="cell_output"><div class="highlight"><pre>{}</pre></div></div>'


def page_of(css: str, js: str) -> str:
    """A style, a script -> a page on which they are at work."""
    escaped = [text.replace("&", "&amp;").replace("<", "&lt;") for text in (*PRINTED, PROGRAM)]
    table = f"<tbody><tr>{NUMBERS}</tr><tr>{NUMBERS}</tr></tbody>"
    printed = "".join(map(BOX.format, escaped[:-1]))
    return PAGE.format(theme=THEME, css=css, js=js, printed=printed, code=escaped[-1], table=table)


def shown(browser: Any, width: int, *without: tuple[str, str]) -> Any:
    """A browser, a width, what to replace in style or script -> the page."""
    css, js = ((STATIC / name).read_text(encoding="utf-8") for name in ("site.css", "site.js"))
    for line, instead in without:
        assert (css + js).count(line) == 1, line
        css, js = css.replace(line, instead), js.replace(line, instead)
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_content(page_of(css, js), wait_until="load")
    return page


def said_of(page: Any) -> list[str]:
    """A page -> what the check says of it at this width."""
    rules = {**layout.ON_PHONE, **layout.ANYWHERE}
    found = [f"{offence}: {each}" for offence, script in rules.items() for each in page.evaluate(script)]
    page.close()
    return found


def test_what_is_printed_can_be_read_on_a_phone(browser: Any) -> None:
    assert said_of(shown(browser, 390)) == []


def test_a_phone_shows_rows_in_rows_and_tables_in_columns(browser: Any) -> None:
    page = shown(browser, 390)
    modes = page.evaluate("() => Array.from(document.querySelectorAll('.columns'), each => each.className)")
    assert modes == [
        "columns rows",
        "columns rows",
        "columns headed tight",
        "columns headed tight goes-on",
        "columns headed tight goes-on",
        "columns code",
    ]
    sizes = page.evaluate(
        """() => Array.from(
            document.querySelectorAll(".columns"), each => parseFloat(getComputedStyle(each).fontSize))"""
    )
    assert sizes[0] == sizes[1] == 12
    assert 8.3 <= sizes[3] < sizes[2] < 12
    # A cell stands in one row, with its number and its measure.
    units = page.evaluate("() => Array.from(document.querySelectorAll('.unit'), each => each.textContent)")
    for together in ("squirrel 0.48", "mean +4.63 ± 0.32", "tried: 1.78"):
        assert together in units
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_copied_is_what_was_printed(browser: Any, width: int) -> None:
    page = shown(browser, width)
    texts = page.evaluate("() => Array.from(document.querySelectorAll('pre'), each => each.textContent)")
    assert texts == [*PRINTED, PROGRAM]
    chosen = page.evaluate("""() => Array.from(document.querySelectorAll("pre"), each => {
        getSelection().selectAllChildren(each);
        return getSelection().toString();
    })""")
    assert [text.rstrip("\n") for text in chosen] == [text.rstrip("\n") for text in (*PRINTED, PROGRAM)]
    page.close()


def test_a_desk_keeps_every_column_where_it_was(browser: Any) -> None:
    page = shown(browser, 1280)
    assert (
        page.evaluate("""() => Array.from(document.querySelectorAll(".gap, .pad, .indent")).filter(each =>
        getComputedStyle(each).letterSpacing !== "normal").length""")
        == 0
    )
    assert page.evaluate("() => document.querySelectorAll('.rows, .tight, .stacked, .goes-on').length") == 0
    assert page.evaluate(layout.CUT_OFF) == []
    page.close()


def test_a_window_that_grows_gets_its_columns_back(browser: Any) -> None:
    page = shown(browser, 390)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_function("() => !document.querySelector('.rows, .tight, .goes-on')")
    page.close()


@pytest.mark.parametrize(
    ("line", "instead", "offence"),
    [
        ('each.classList.replace("tight", "rows");', "", "cannot be read without a push"),
        (
            "  pre > .columns.rows { white-space: pre-wrap; overflow-x: visible; }\n",
            "",
            "cannot be read without",
        ),
        ('each.classList.replace("tight", "rows");', "", "some rows wrap and some are pushed"),
        ('content: "scrolls →"; content: "scrolls →" / "";', "", "no sign says"),
        ("pre .unit { white-space: pre; }", "", "a number stands alone"),
        ("headed ? 0.7 :", "headed ? 0.3 :", "letters of print are too small"),
        (
            "pre > .columns.code { white-space: pre-wrap; overflow-x: visible; }",
            "",
            "a line of code is cut off",
        ),
        ("padding-left: 2ch; text-indent: -2ch; }", "}", "a line is torn"),
        ("if (wide || tall) each.tabIndex = 0;", "if (false) each.tabIndex = 0;", "no key gets there"),
    ],
)
def test_a_rule_that_is_switched_off_is_missed(browser: Any, line: str, instead: str, offence: str) -> None:
    assert any(offence in said for said in said_of(shown(browser, 390, (line, instead))))

"""The site's other pages: links that lead somewhere, docstrings and mistakes as pages, checked files."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from website import kills, mathjax, reference
from website.enlarging import with_links
from website.joints import with_joints
from website.lessons import Lesson, lessons
from website.links import broken_links, pictures_without_words
from website.mistakes import Named, Told, answer, page, told
from website.pages import PAGES, Page, below, listed, relinked, table_of_contents, targets
from website.solved import SUSPECT
from website.sources import start_page, write_exercises
from website.words import capital, shown, unwrapped

ROOT = Path(__file__).resolve().parent.parent
KNOWN = {
    "README.md": "index.md",
    "docs/kill_table.md": "kill_table.md",
    "notebooks/03_a.ipynb": "lessons/03_a.ipynb",
}


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("[it](kill_table.md)", "[it](../kill_table.md)"),
        ("[`it`](../README.md#Two-commands)", "[`it`](../index.md#two-commands)"),
        ("[A](../notebooks/03_a.ipynb)", "[A](../lessons/03_a.ipynb)"),
        ("[out](https://example.org/x.md)", "[out](https://example.org/x.md)"),
        ("[here](#below)", "[here](#below)"),
        ("see [the licence](../LICENSE).", "see the licence."),
        ("![map](where.png)", "![map](where.png)"),
        ("`[a](kill_table.md)`", "`[a](kill_table.md)`"),
        ("```\n[a](kill_table.md)\n```", "```\n[a](kill_table.md)\n```"),
    ],
)
def test_links_lead_to_pages_of_the_site_or_become_words(text: str, linked: str) -> None:
    assert relinked(text, "docs/install.md", "deep/install.md", KNOWN) == linked


def test_a_page_that_is_not_there_is_left_out_and_a_folder_gives_all_its_pages(tmp_path: Path) -> None:
    for name in ("one.md", "more/b.md", "more/a.md", "more/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# x")
    wanted = [Page("one.md", "first", "Part"), Page("gone.md", "gone", "Part"), Page("more", "first", "")]
    found = listed(tmp_path, wanted)
    assert [page.name for page in found] == ["first", "first/a", "first/b"]
    assert "/first/a" in below(found[0], found)
    assert below(found[1], found) == ""


def test_a_file_that_a_line_of_its_own_names_is_not_listed_twice() -> None:
    names = [page.name for page in listed(ROOT)]
    assert len(names) == len(set(names))
    assert {"install", "handout", "kill_table", "teaching/days"} <= set(names)


def test_every_page_of_the_list_is_there_or_said_to_come() -> None:
    missing = [page.source for page in PAGES if not (ROOT / page.source).exists()]
    assert set(missing) <= {"docs/hub.md"}, "take the line out of PAGES, or write the page"


def test_the_start_page_leads_to_every_lesson_and_to_what_a_newcomer_asks_for() -> None:
    every, found = lessons(ROOT), listed(ROOT)
    known = targets(found, [lesson.stem for lesson in every])
    text = relinked(
        (ROOT / "docs/site/start.md").read_text(encoding="utf-8"), "docs/site/start.md", "index.md", known
    )
    told = start_page(text, every, found, papers=True, book=True)
    for lesson in every:
        assert f"[{lesson.name}](lessons/{lesson.stem}.ipynb)" in told
    for wanted in (
        "](run.md)",
        "](mistakes/03.md)",
        "](solved/03.md)",
        "](solved/index.md)",
        "](slides.md)",
        "solved/index\n",
        "](teaching.md)",
        "](handout.md)",
        "slides",
        "handout.pdf",
    ):
        assert wanted in told
    assert "{{" not in told


def test_a_table_of_contents_names_what_it_is_told_to() -> None:
    shown_there = table_of_contents("The core", [("03 · Softmax", "lessons/03_softmax"), ("", "run")])
    assert ":caption: The core" in shown_there
    assert "03 · Softmax <lessons/03_softmax>\nrun\n" in shown_there


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2 * 3 and d_k", r"2 \* 3 and d\_k"),
        ("`d_k * 2` stays", "`d_k * 2` stays"),
        ("- no list", r"\- no list"),
        ("1. no list", r"1\. no list"),
        ("a < b", r"a \< b"),
        ("the cell of the *seven*, and 2 * a * b", r"the cell of the *seven*, and 2 \* a \* b"),
        ("*args, **named and n*n*n", r"\*args, \*\*named and n\*n\*n"),
    ],
)
def test_words_are_shown_letter_by_letter(text: str, same: str) -> None:
    assert shown(text) == same


def test_docstrings_become_pages_without_an_import(tmp_path: Path) -> None:
    source = tmp_path / "helpers" / "thing.py"
    source.parent.mkdir()
    source.write_text(
        '"""A thing.\n\none  two  three\n"""\nimport nowhere\n\n\ndef make(a: int, *, b: str = "x") -> int:\n'
        '    """(n,) -> n * 2."""\n\n\ndef _hidden():\n    """No."""\n\n\ndef silent():\n    pass\n\n\n'
        'class Box:\n    """Holds."""\n\n    def open(self, wide: bool):\n        """Opens."""\n'
    )
    module = reference.read_module(source, source.parent)
    assert [each.signature for each in module.definitions] == ["make(a, *, b='x')", "Box", "Box.open(wide)"]
    text = reference.page("Things", [module])
    assert "## `helpers.thing`" in text
    assert "```text\none  two  three\n```" in text
    assert r"(n,) → n \* 2." in text


def test_a_docstring_s_list_of_names_is_a_list_and_arrows_stay_whole() -> None:
    told = reference.prose("two    a -> b, `c -> d`\nthree  d_k")
    assert told == "- `two`: a → b, `c -> d`\n- `three`: d\\_k"
    table = "n     cost\n4     16\n16 k  256"
    assert reference.prose(table) == f"```text\n{table}\n```"
    pages = reference.pages(ROOT / "helpers")
    assert "- `catalogue`: finds an exercise by name" in pages["reference/exercises"]
    for name, text in pages.items():
        assert r"-\>" not in text, name


def test_a_private_name_is_no_part_of_a_signature(tmp_path: Path) -> None:
    source = tmp_path / "helpers" / "thing.py"
    source.parent.mkdir()
    source.write_text('_NO = object()\n\n\ndef make(a=_NO, *, b, c=_NO, d=2):\n    """Makes."""\n')
    (made,) = reference.read_module(source, source.parent).definitions
    assert made.signature == "make(a=..., *, b, c=..., d=2)"
    for name, text in reference.pages(ROOT / "helpers").items():
        assert "=_" not in "".join(line for line in text.splitlines() if "{py:" in line), name


def test_every_module_of_the_reference_is_there_and_says_something() -> None:
    pages = reference.pages(ROOT / "helpers")
    assert "softmax(scores, axis=-1)" in pages["reference/what_the_lessons_build"]
    assert all(text.count("{py:") > 2 for name, text in pages.items() if name != "reference/index")


def test_a_lesson_s_page_of_mistakes_tells_each_in_the_check_s_words() -> None:
    exercise = Told(
        "sum-up",
        "write it",
        "Add d_k * 2.",
        ("Look.",),
        "def my_sum():\n    pass",
        (Named("off", "you missed one", "Count *all*."),),
    )
    text = page(Lesson("03", "Softmax", "03_softmax", "How?", 110), [exercise])
    assert "## sum-up" in text
    assert r"Add d\_k \* 2." in text
    assert r"- **off**: You missed one. Count *all*." in text
    assert "<summary>1 mistake with a name</summary>" in text


def test_the_catalogue_gives_every_exercise_of_a_lesson_with_answer_and_mistakes() -> None:
    softmax = next(each for each in told("03") if each.name == "softmax")
    assert softmax.solution.startswith("def my_softmax(scores):")
    assert "no-maximum" in {mistake.name for mistake in softmax.mistakes} or len(softmax.mistakes) > 20
    assert all(each.mistakes for each in told("03"))


@pytest.mark.parametrize("lesson", lessons(ROOT), ids=lambda lesson: lesson.number)
def test_every_mistake_of_a_list_is_explained(lesson: Lesson) -> None:
    text = page(lesson, told(lesson.number))
    assert not re.findall(r"^- \*\*[^*]+\*\*:?$", text, re.MULTILINE)
    assert all(each.mistakes for each in told(lesson.number))


@pytest.mark.parametrize("lesson", lessons(ROOT), ids=lambda lesson: lesson.number)
def test_where_a_letter_is_answered_the_options_stand_above(lesson: Lesson, tmp_path: Path) -> None:
    write_exercises(ROOT, tmp_path, lesson, {})
    text = (tmp_path / "mistakes" / f"{lesson.number}.md").read_text(encoding="utf-8")
    above_the_folds = dict(re.findall(r"^## (\S+)\n([\s\S]*?)<details>", text, re.MULTILINE))
    for each in told(lesson.number):
        wrong = {found.name.removeprefix("option ") for found in each.mistakes if "option " in found.name}
        if wrong and not each.name.startswith(SUSPECT):  # whose options stand beside the evidence
            options = re.findall(r"^- \*\*(\w)\*\* \S", above_the_folds[each.name], re.MULTILINE)
            assert options == sorted({*wrong, each.solution[0]}), each.name


def test_mistakes_without_words_are_no_list() -> None:
    bare = Told("sum-up", "open-ended", "Add.", (), "1", (Named("off", "", ""),))
    assert "with a name" not in page(Lesson("03", "Softmax", "03_softmax", "How?", 110), [bare])


def test_an_open_ended_exercise_tells_what_the_check_says_of_an_answer_without_its_table() -> None:
    disagree = next(each for each in told("01") if each.name == "disagree")
    assert [each.name for each in disagree.mistakes] == [
        "no-direction",
        "tie",
        "equal-lengths",
        "same-choice",
    ]
    tie = disagree.mistakes[1].idea
    assert tie.startswith("The two cosines are equal, so neither key is chosen. Turn one of the keys")
    text = page(Lesson("01", "Vectors", "01_vectors", "Which?", 70), [disagree])
    assert "What the check says of one such answer each" in text


@pytest.mark.parametrize(
    ("told_of", "begun"),
    [("both do.", "Both do."), ("n 256, d 8.", "n 256, d 8."), ("a mask.", "A mask."), ("cat (row 1).",) * 2],
)
def test_a_name_that_begins_a_reply_stays_small(told_of: str, begun: str) -> None:
    assert capital(told_of) == begun


def test_the_reason_of_a_function_stands_below_it_and_wraps_where_the_page_does() -> None:
    solution = "def my_sum():\n    return 1  # fixed\n\n# It is *one*\n# d_k."
    made = answer(Told("sum-up", "write it", "", (), solution, ()))
    assert made == "```python\ndef my_sum():\n    return 1  # fixed\n```\n\nIt is *one* d\\_k."


@pytest.mark.parametrize(
    ("solution", "shown_as_code", "said"),
    [
        ("10\nIt grows by\n√d_k.", "10", r"It grows by √d\_k."),
        ("One of many answers: [[0. 1.]\n [1. 0.]]\nEach *row*\nsums to 1.", None, "Each *row* sums to 1."),
        ("  n  cost\n  4    16\n100 10000\n\nn² is\nthe cost.", None, "n² is the cost."),
        ("0.5", "0.5", ""),
    ],
    ids=["value", "array", "table", "value alone"],
)
def test_an_answer_that_is_no_function_stands_in_a_box_and_its_reason_below(
    solution: str, shown_as_code: str | None, said: str
) -> None:
    made = answer(Told("growth", "predict", "", (), solution, ()))
    block = shown_as_code or solution.partition("\nEach")[0].partition("\n\n")[0]
    assert made == f"```text\n{block}\n```\n\n{said}"


def test_every_answer_s_table_keeps_its_columns() -> None:
    """The heading of a table stands above its numbers: the last letter of each where the numbers end."""
    tables = [
        each for number in ("02", "14", "16") for each in told(number) if each.kind == "complete a table"
    ]
    assert len(tables) == 4
    for each in tables:
        heading, first, *_ = each.solution.splitlines()
        assert len(heading) == len(first), each.name


@pytest.mark.parametrize(
    ("name", "at_joints"),
    [
        ("helpers.plots.curves", "helpers.<wbr>plots.<wbr>curves"),
        ("museum/rooms", "museum/<wbr>rooms"),
        ("F.scaled_dot_product_attention", "F.scaled_<wbr>dot_<wbr>product_<wbr>attention"),
        ("d_k", "d_k"),
    ],
)
def test_a_long_name_breaks_at_a_joint_and_a_short_one_in_headings_only(name: str, at_joints: str) -> None:
    word = f'<span class="pre">{name}</span>'
    heading, _, text = with_joints(f"<h2>{word}</h2><p>{word}</p>").partition("</h2>")
    assert f">{at_joints}</span>" in heading
    assert f">{at_joints if len(name) > 28 else name}</span>" in text
    assert ("short" in text) == (len(name) <= 28)


@pytest.mark.parametrize(
    ("page", "tied"),
    [
        ("<p>on 2004-06-03, by a-1/B</p>", "<p>on {2004-06-03}, by {a-1/B}</p>"),
        ("<p>and/or, a/b, x-y</p>", "<p>and/or, a/b, x-y</p>"),
        ("<pre>2004-06-03</pre><code>a-1/B</code>", "<pre>2004-06-03</pre><code>a-1/B</code>"),
        ('<img alt="2004-06-03">', '<img alt="2004-06-03">'),
        (r"<span>\(a-1/b\)</span>", r"<span>\(a-1/b\)</span>"),
        (
            '<a><span class="std std-doc">06 Multi-head</span></a>',
            '<a><span class="std std-doc">{06 Multi-head}</span></a>',
        ),
        ("<p>one/very_long_names_go_on</p>", "<p>one/very_long_names_go_on</p>"),
        (
            "<p>two/very_long_names_that_go_further</p>",
            "<p>two/<wbr>very_<wbr>long_<wbr>names_<wbr>that_<wbr>go_<wbr>further</p>",
        ),
        (
            '<a class="reference internal nav-link" href="#a">hugging/transformers</a>',
            '<a class="reference internal nav-link" href="#a">hugging/<wbr>transformers</a>',
        ),
    ],
)
def test_what_belongs_together_stays_in_one_line_but_not_in_code(page: str, tied: str) -> None:
    shown_whole = tied.replace("{", '<span class="whole">').replace("}", "</span>")
    assert with_joints(page) == shown_whole


def test_an_option_and_a_day_stay_in_one_line() -> None:
    page = '<td>2026-11-22 <a href="2026-11-22.html"><span class="pre">--wheels=all</span></a></td>'
    day, option = '<span class="whole">2026-11-22</span>', '<span class="whole">--wheels</span>=all'
    assert with_joints(page) == (
        f'<td>{day} <a href="2026-11-22.html"><span class="pre short">{option}</span></a></td>'
    )


def test_the_kill_table_is_two_tables_without_what_is_0_throughout() -> None:
    stored = (ROOT / "docs" / "kill_table.md").read_text(encoding="utf-8")
    told = kills.in_two(stored)
    single, pairs = (part.split("\n### ")[0] for part in told.split("### ")[1:])
    assert max(line.count("|") for line in told.splitlines()) < 12
    assert '| 03 | softmax | <span class="entry whole">write it</span> | 136 |' in single
    assert (
        " 0 |" not in next(line for line in pairs.splitlines() if line.startswith("| 01 | dot-product"))[:40]
    )
    assert "predict-score-shape" in single
    assert "predict-score-shape" not in pairs
    assert single.count("| --- | --- | --- | ---: |") == pairs.count("| --- | --- | --- | ---: |") == 1
    assert '<span class="entry whole">find the bug</span>' in pairs
    total = stored.rstrip().splitlines()[-1].split(" | ")
    assert f"| **all** |  | {total[3]} | {total[3]} |" in single
    assert f"| **all** |  | {total[10]} | {total[11]} |" in pairs
    with pytest.raises(ValueError, match="no table with the columns"):
        kills.in_two("# Kill table\n")


def test_a_figure_that_a_phone_draws_smaller_leads_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "_images").mkdir()
    for name, pixels in (("wide", 900), ("small", 300)):
        Image.new("L", (pixels, 20)).save(tmp_path / "_images" / f"{name}.png")
    small, logo = '<img alt="S" src="_images/small.png" />', '<img alt="L" src="_static/logo.png" />'
    page = f'<img alt="W" src="_images/wide.png" />{small}{logo}'
    assert with_links(page, tmp_path) == (
        '<a class="enlarge" href="_images/wide.png"><img alt="W" src="_images/wide.png" /></a>' + small + logo
    )


def test_a_reply_s_paragraphs_stand_in_one_line_each_and_its_columns_stay() -> None:
    long = (
        "You ran softmax over the queries, which gives each key one unit to be shared out among queries; each"
    )
    case = f"✗ wrong\n  Smallest case: {'x' * 90}\n    got  1.00"
    reply = f"{case}\n  {long}\n  {long}\n  query spreads 1.\n  Short."
    told = f"{case}\n  {long} {long} query spreads 1.\n  Short."
    assert unwrapped(reply) == told
    assert unwrapped("  Short.\n  End.") == "  Short.\n  End."


WITHOUT_TORCH = """
import importlib.machinery, json, sys
sys.path[:0] = ["tools", "."]
found = importlib.machinery.PathFinder.find_spec
large = ("torch", "matplotlib", "ipywidgets", "IPython")
importlib.machinery.PathFinder.find_spec = lambda name, *more: None if name in large else found(name, *more)
from website.mistakes import told
print(json.dumps({number: told(number) for number in sys.argv[1:]}))
print(any(getattr(sys.modules.get(name), "__file__", None) for name in large))
"""


def test_the_site_tells_the_same_of_every_exercise_where_torch_is_not_installed() -> None:
    """The environment of the site has none: what exercises of lessons 08 and 12 mention is stood in for."""
    pytest.importorskip("torch")
    numbers = [lesson.number for lesson in lessons(ROOT)]
    command = [sys.executable, "-c", WITHOUT_TORCH, *numbers]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    stood_in, loaded = done.stdout.splitlines()
    assert loaded == "False"
    here = json.loads(json.dumps({number: told(number) for number in numbers}))
    for number, there in json.loads(stood_in).items():
        assert there == here[number], number


def a_mathjax(folder: Path) -> str:
    """A folder -> a tiny MathJax stands there; its checksum."""
    fonts = folder / mathjax.FONTS
    fonts.mkdir(parents=True)
    (folder / mathjax.PROGRAM).write_bytes(b"program")
    (fonts / "a.woff").write_bytes(b"font")
    (folder / "not-asked-for.js").write_bytes(b"more")
    total = hashlib.sha256(f"{mathjax.PROGRAM}\0program".encode())
    total.update(f"{mathjax.FONTS}/a.woff\0font".encode())
    return total.hexdigest()


def test_mathjax_is_copied_where_it_is_the_one_that_was_tried(tmp_path: Path) -> None:
    expected = a_mathjax(tmp_path / "package")
    mathjax.copy_to(tmp_path / "site", tmp_path / "package", expected)
    names = {path.name for path in (tmp_path / "site").rglob("*") if path.is_file()}
    assert names == {"tex-chtml.js", "a.woff"}


def test_another_mathjax_is_refused(tmp_path: Path) -> None:
    expected = a_mathjax(tmp_path / "package")
    (tmp_path / "package" / mathjax.PROGRAM).write_bytes(b"another program")
    with pytest.raises(ValueError, match="another version"):
        mathjax.copy_to(tmp_path / "site", tmp_path / "package", expected)
    assert not (tmp_path / "site").exists()


def test_broken_links_and_nameless_pictures_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">x</a><a href="b.html#gone">x</a><a href="c.html">x</a><a href="#top">x</a>'
        '<a href="https://example.org/">x</a><img src="p.png" alt="p.png"><img src="p.png" alt="A map.">'
    )
    (tmp_path / "b.html").write_text('<p id="there"></p>')
    (tmp_path / "p.png").write_bytes(b"")
    assert list(broken_links(tmp_path)) == [
        "a.html: b.html#gone names no place on that page",
        "a.html: c.html leads nowhere",
        "a.html: #top names no place on that page",
    ]
    assert list(pictures_without_words(tmp_path)) == ["a.html: p.png has no words ('p.png')"]

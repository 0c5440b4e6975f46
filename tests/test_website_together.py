"""Formulas and short code that no line of the site tears, and lists of mistakes that are no wall."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from website import enlarging, solved
from website.groups import LONG, Named, listed, sentence
from website.joints import with_joints
from website.mistakes import Told, section, told
from website.reference import block_of
from website.timetables import in_lines
from website.together import LONGEST, formulas
from website.words import boxed, capital

ROOT = Path(__file__).resolve().parent.parent


def parts(words: str) -> str:
    """Words -> the same with [ and ] around what stays in one line."""
    return "".join(f"[{part}]" if whole else part for part, whole in formulas(words))


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("So with P = e^(S − L), and", "So with [P = e^(S − L),] and"),
        ("as with ÷ √d_k.", "as with [÷ √d_k.]"),
        ("divide by both, 1 + 3", "divide by both, [1 + 3]"),
        ("x @ w_q asks, n − 1 do", "[x @ w_q] asks, [n − 1] do"),
        ("so 2 c² · H is", "so [2 c² · H] is"),
        ("a tile of 128 × 256", "a tile of [128 × 256]"),
        ("e^(ln 4 − ln 8) = 0.5", "[e^(ln 4 − ln 8) = 0.5]"),
        ("it is W_V W_O, and Q = X W_Q", "it is [W_V W_O,] and [Q = X W_Q]"),
        ("if n &lt; 3", "if [n &lt; 3]"),
        ("03 · Softmax", "03 · Softmax"),
        ("90 minutes · next: lesson 04", "90 minutes · next: lesson 04"),
        ("h // (n // m) gives", "[h // (n // m)] gives"),
        ("well-known - and / or", "well-known - and / or"),
    ],
)
def test_a_formula_in_plain_text_stays_in_one_line(words: str, shown: str) -> None:
    assert parts(words).replace("[and / or]", "and / or") == shown


def test_a_long_formula_breaks_before_its_signs_and_no_part_is_wider_than_a_phone() -> None:
    found = parts("4 c² · H · d / rate = latency + 2 c · K · d · 2 / (bytes a second)")
    assert found.startswith("[4 c² · H · d / rate] [= latency")
    assert max(map(len, re.findall(r"\[(.*?)\]", found))) <= LONGEST
    assert parts("a.very.long_name.of_some.module.it = 1").startswith(
        "a.very.long_name.of_some.module.it [= 1]"
    )


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("<p>so 1 + 3</p>", '<p>so <span class="whole formula">1 + 3</span></p>'),
        ("<p><code>x</code> @ <em>w</em></p>", "<p><code>x</code>\xa0@\xa0<em>w</em></p>"),
        ("<p><em>i</em> + d/2</p>", '<p><em>i</em>\xa0<span class="whole formula">+ d/2</span></p>'),
        ("<p>see QKᵀ/√d_k</p>", '<p>see <span class="whole formula">QKᵀ/√d_k</span></p>'),
        ("<p>divided by 0.</p>", "<p>divided by\xa00.</p>"),
        ("<p>by 0. And so on</p>", "<p>by 0. And so on</p>"),
        ("<pre>so 1 + 3</pre>", "<pre>so 1 + 3</pre>"),
    ],
)
def test_formulas_and_last_numbers_of_a_page_are_held_together(page: str, shown: str) -> None:
    assert with_joints(page) == shown


@pytest.mark.parametrize(
    ("code", "whole"), [("[[1, 0], [0, 1]]", True), ("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", False)]
)
def test_short_code_of_several_words_stays_in_one_line(code: str, whole: bool) -> None:
    spans = " ".join(f'<span class="pre">{word}</span>' for word in code.split())
    made = with_joints(f'<p><code class="docutils literal notranslate">{spans}</code></p>')
    assert ('notranslate whole">' in made) == whole


def test_what_several_mistakes_have_in_common_is_said_once() -> None:
    common = "Each matrix has one job, and that job is its own."
    some = [Named(f"m{n}", f"you did {n}", f"Yes, {n}. {common}" if n < 2 else common) for n in range(4)]
    made = listed([*some, Named("other", "you did it", "No.")], ()).splitlines()
    assert made[0] == f"- *To all of these 4:* {common}"
    assert made[1] == "  - **m0**: You did 0. Yes, 0."
    assert made[3:] == ["  - **m2**: You did 2.", "  - **m3**: You did 3.", "- **other**: You did it. No."]
    assert common in listed(some[:2], ()).splitlines()[1]
    short = [each._replace(idea=f"{common} Thus.") for each in some[:3]]
    assert listed(short, ()).startswith(f"- *To all of these 3:* {common} Thus.")


def test_a_sentence_that_begins_some_ideas_and_ends_others_is_said_once() -> None:
    common = "The scale belongs to the width of a query, and to no other."
    ends = [Named(f"e{n}", "you", f"Yes, {n}. {common}") for n in range(3)]
    begins = [Named(f"b{n}", "you", f"{common} No, {n}.") for n in range(3)]
    assert listed([*ends, *begins], ()).count(common) == 1


def test_a_long_list_has_a_heading_for_each_section_that_explains() -> None:
    def some(n: int, section: str) -> list[Named]:
        return [Named(f"{section}-{k}", "", f"Idea {k}.", section) for k in range(n)]

    made = listed([*some(LONG, "03: Which axis?"), *some(3, "01: Two"), *some(1, "02: One")], ())
    assert re.findall(r"^\*\*(.+)\*\*$", made, re.MULTILINE) == [
        "Lesson 03: Which axis?",
        "Lesson 01: Two",
        "From other sections",
    ]
    assert "**Lesson" not in listed(some(LONG + 1, "03: Which axis?"), ())
    assert "**Lesson" not in listed([*some(5, "a"), *some(5, "b")], ())


def test_no_list_of_the_course_loses_a_mistake() -> None:
    for each in told("07"):
        made = listed(each.mistakes, ())
        names = re.findall(r"^ *- \*\*([^*]+)\*\*", made, re.MULTILINE)
        assert sorted(names) == sorted(mistake.name for mistake in each.mistakes)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("so x @ w_q asks, and np.exp(s).", "so `x @ w_q` asks, and `np.exp(s)`."),
        ("it is rows.reshape(-1, d_in).T here", "it is `rows.reshape(-1, d_in).T` here"),
        ("scores - scores.max() and -np.inf", "scores - scores.max() and -np.inf"),
        ("use @ there, w_k.shape[-1]", "use @ there, `w_k.shape[-1]`"),
        ("`x @ w_q` and w_v", "`x @ w_q` and `w_v`"),
        (
            "queries @ keys.transpose(-2, -1), merged @ w_o",
            "`queries @ keys.transpose(-2, -1)`, `merged @ w_o`",
        ),
        ("write d_k**0.5, not (d_k**1)/2.", "write `d_k**0.5`, not `(d_k**1)/2`."),
        ("x is read. context is not, x + 1", "`x` is read. `context` is not, x + 1"),
    ],
)
def test_code_among_a_check_s_words_is_boxed_as_the_rest_is(text: str, shown: str) -> None:
    assert boxed(text, ("x", "context")) == shown


def test_names_that_an_exercise_sets_as_code_once_are_code_throughout() -> None:
    exercise = Told(
        "a", "write it", "Read `x`.", ("x is read.",), "1", (Named("m", "you read x", "x asks."),)
    )
    assert section(exercise).count("`x`") == 4


def test_the_pages_of_solved_exercises_box_code_as_well() -> None:
    assert "`np.tri(n)` does" in solved.section(
        solved.Solved("a", "Do.", "x = 1\n# np.tri(n) does.", "check()")
    )


def test_what_site_css_is_for_stands_in_the_pages() -> None:
    """Each class that these rules name is written here, and a rule names each class."""
    css = (ROOT / "tools" / "website" / "static" / "site.css").read_text(encoding="utf-8")
    for rule in (
        ".bd-article .whole { white-space: nowrap; }",
        ":is(.formula, code.whole) { white-space: normal; }",
        "box-decoration-break: clone",
        f"div.output + :is(a.{enlarging.MARK}, img) {{ margin-top: 0.8rem; }}",
        "div.output + ul { margin-top",
        "td .entry { display: block;",
        ".table:has(th:nth-child(8)) :is(th, td) {",
    ):
        assert rule in css, rule


def test_a_short_comment_stays_with_its_sign() -> None:
    page = '<pre>x = 1  <span class="c1"># fixed</span>\n<span class="c1"># {}</span></pre>'.format(
        "long " * 9
    )
    assert with_joints(page).count('<span class="c1 whole">#') == 1


@pytest.mark.parametrize(
    ("clause", "told_so"),
    [
        ("you forgot the scale", "You forgot the scale."),
        ("log_sum_exp is what is left", "log_sum_exp is what is left."),
        ("np.exp takes them", "np.exp takes them."),
        ("d_w came back transposed?", "d_w came back transposed?"),
    ],
)
def test_a_sentence_begins_with_a_capital_but_a_name_of_code_does_not(clause: str, told_so: str) -> None:
    assert sentence(clause) == told_so
    assert capital(clause) == told_so.removesuffix(".")


def test_points_of_a_docstring_are_a_list() -> None:
    assert block_of("- One point that\n  goes on.\n- Another -> point.") == (
        "- One point that goes on.\n- Another → point."
    )


def test_every_hint_goes_a_step_further() -> None:
    for number in range(17):
        for each in told(f"{number:02}"):
            assert len(set(each.hints)) == len(each.hints), each.name


def test_each_section_of_a_timetable_stands_in_a_line_with_its_minutes() -> None:
    row = "| 0:00 | 9 | [00](00.md) | Two vectors 15; All 3. Without: A; B | `total` 3, `sum-up` 8 | 1 |"
    made = in_lines(f"| from |\n|---|\n{row}\n").splitlines()[2]
    assert made.count('<span class="entry">') == 3
    assert '<span class="entry">Two vectors\xa015</span><span class="entry">All\xa03</span>' in made
    assert '<span class="entry whole">`sum-up` 8</span>' in made
    assert '<span class="entry">*without:* A; B</span>' in made
    with pytest.raises(ValueError, match="without the six columns"):
        in_lines("| 0:00 | 9 |")
    days = (ROOT / "docs" / "teaching" / "days.md").read_text(encoding="utf-8")
    assert in_lines(days).count("<span") > 50

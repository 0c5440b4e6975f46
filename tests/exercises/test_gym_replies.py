"""The gym's words to people who fix one of two bugs, or another thing: each says what was measured."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from bugs_by_name import bug_of, nothing_kept  # noqa: F401 (a fixture)

from helpers.exercises import check, evaluate, hint, solution
from helpers.exercises.gym import page, rooms
from helpers.exercises.gym.names import MODELS, TOPICS
from helpers.exercises.gym.planted import on_its_own
from helpers.exercises.gym.planting import compiled
from helpers.exercises.gym.reader import by_step, model

DIFFERENCE = "d_weights - expected"
SCALE = "queries @ np.swapaxes(keys, -1, -2)"
PLAIN = "np.exp(scores - scores.max(axis=-1, keepdims=True))"


def edited(name: str, *changes: tuple[str, str]) -> Any:
    """A bug's name, texts and what replaces them -> the function, as a learner would run it."""
    planted = page.planted(name)
    source = planted.source
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return compiled(source, planted.function.__globals__, f"{name} {hash(changes)}")


def told(bug: str, *changes: tuple[str, str]) -> str:
    """An exercise and its mistakes, texts and what replaces them -> what a check says of that wrong fix."""
    name = bug_of(*bug.split())
    reply = evaluate(name, edited(name, *changes))
    assert reply.status == "wrong"
    return " ".join(reply.text.split())


SOFTMAX_OUT = ("softmax(weights @ values)", "weights @ values")


@pytest.mark.parametrize(
    ("name", "change", "mistake"),
    [
        (
            "reader own-never-scaled keys-mixed",
            (SCALE, f"{SCALE} / np.sqrt(y.shape[-1])"),
            "own-root-d_model",
        ),
        (
            "attention divided-by-d_k softmax-of-output",
            ("queries.shape[-1]", "np.sqrt(keys.shape[-2])"),
            "root-n_keys",
        ),
    ],
)
def test_a_bug_that_became_another_is_not_called_fixed(
    name: str, change: tuple[str, str], mistake: str
) -> None:
    said = told(name, change)
    assert "one of the two is fixed" not in said.lower()
    now = f"one is as it was, and the other is now a different mistake, {mistake}: "
    assert f"Neither of the two is fixed: {now}" in said
    assert "nearer" not in said
    assert "further" not in said


HALF_FIXED = {
    "merge no-logarithm results-swapped": (
        ("(output, log_sum_exp)[::-1]", "output, log_sum_exp"),
        ("er + total", "er * total"),
    ),
    "mix-backward weighted-already unweighted": (
        (" * weights", ""),
        ("np.ones_like(np.swapaxes(weights, -1, -2))", "weights"),
    ),
    "attention root-d_v softmax-of-output": (SOFTMAX_OUT, ("values.shape[-1]", "keys.shape[-2]")),
    "attention divided-by-d_k softmax-of-output": (
        SOFTMAX_OUT,
        ("queries.shape[-1]", "np.sqrt(queries.shape[-2])"),
    ),
    "cached-reader value-not-normed asked-unnormed": (
        ("y @ own.w_v", "normed @ own.w_v"),
        ("asking = y", "asking = layer_norm(y, layer.norm_mlp)"),
    ),
}


@pytest.mark.parametrize("name", HALF_FIXED)
def test_the_half_that_is_right_is_said_beside_a_wrong_edit_of_the_other(name: str) -> None:
    said = told(name, *HALF_FIXED[name])
    assert "one of the two is fixed" in said.lower()
    assert (
        "he other is now a different mistake, " in said or "he other was changed but is still wrong" in said
    )
    assert said.count("Worth rereading") == 1
    assert "nearer" not in said
    assert "further" not in said


def test_a_line_of_its_own_between_the_two_does_not_hide_which_is_fixed() -> None:
    said = told(
        "attention divided-by-d_k softmax-of-output",
        ("return softmax(weights @ values)", "mixed = weights @ values\n    return mixed"),
        ("queries.shape[-1]", "np.sqrt(queries.shape[-2])"),
    )
    assert "one of the two is fixed" in said.lower()


def test_the_solution_counts_as_help(capsys: pytest.CaptureFixture[str]) -> None:
    name = bug_of("temperature", "not-softmaxed")
    solution(name)
    check(name, page.planted(name).of.answer)
    capsys.readouterr()
    page.progress()
    assert "1 of 1 found, 0 of them without help" in capsys.readouterr().out


def test_a_mistake_found_again_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    first, again = same_bug_twice()
    for name in (first, again):
        check(name, page.planted(name).of.answer)
    capsys.readouterr()
    page.progress()
    said = capsys.readouterr().out
    assert "2 of 2 found, 2 of them without help; 1 of them with mistakes that you had found before" in said


def same_bug_twice() -> tuple[str, str]:
    """() -> two numbers of one level that mean the same mistake."""
    seen: dict[frozenset[tuple[str, str]], int] = {}
    for number in range(0, 600, 3):
        mistakes = frozenset(page.mistakes_of("speed", number))
        if mistakes in seen:
            return f"speed-{seen[mistakes]}", f"speed-{number}"
        seen[mistakes] = number
    raise AssertionError("no mistake comes twice")


@pytest.mark.parametrize(
    ("bug", "change"),
    [
        (
            "online-bug first-tile-left-out",
            (
                "np.exp(scores - running_max) / running_sum",
                f"{PLAIN} / {PLAIN}.sum(axis=-1, keepdims=True)",
            ),
        ),
    ],
)
def test_right_results_beside_the_planted_line_are_not_called_fixed(
    bug: str, change: tuple[str, str]
) -> None:
    name = bug_of(*bug.split())
    reply = evaluate(name, edited(name, change))
    assert reply.status == "right"
    assert "now." in reply.text.splitlines()[0]
    assert "fixed" not in reply.text
    assert "The planted line is still in your function" in reply.text
    honest = evaluate(name, page.planted(name).of.answer).text
    assert "fixed. Right on all" in honest
    assert "still stands" not in honest


@pytest.mark.parametrize(
    ("code", "mistake"), [(".sum(axis=-1)", "no-keepdims"), (".sum()", "over-everything")]
)
def test_an_everyday_mistake_of_a_sum_has_a_name(code: str, mistake: str) -> None:
    said = told(
        "mask-back-bug row-sum-forgotten", ("expected = 0", f"expected = (weights * d_weights){code}")
    )
    assert f"a known mistake, {mistake}: " in said


def test_two_shapes_are_said_once() -> None:
    name = bug_of("causal-mask", "upper-left")

    def narrow(n_queries: int, n_keys: int) -> Any:
        return page.planted(name).of.right(n_queries, n_keys)[:, :-1]

    said = evaluate(name, narrow).text
    assert "got shape" in said
    assert "The shape should be" not in said


def test_hints_for_two_edits_go_on_with_the_one_that_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    name = bug_of("attention", "divided-by-d_k", "softmax-of-output")
    for _ in range(3):
        hint(name)
    check(name, edited(name, ("scores / queries.shape[-1]", "scores / np.sqrt(queries.shape[-1])")))
    capsys.readouterr()
    hint(name)
    assert (
        "Hint 1 of 5: One of the two is fixed. With only the other bug left, the function is "
        in capsys.readouterr().out
    )
    for _ in range(4):
        hint(name)
    assert "The line: return softmax(weights @ values)" in capsys.readouterr().out


def test_hints_that_were_read_of_the_edit_that_is_left_are_not_read_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = bug_of("attention", "divided-by-d_k", "softmax-of-output")
    for _ in range(3):
        hint(name)
    check(name, edited(name, SOFTMAX_OUT))
    capsys.readouterr()
    hint(name)
    assert "Hint 4 of 5: Edit 1 of 2. What was planted" in capsys.readouterr().out


@pytest.mark.parametrize("bug", ["causal-mask upper-left", "padded-positions over-the-texts"])
def test_a_hint_says_where_in_its_section_to_read(bug: str) -> None:
    planted = page.planted(bug_of(*bug.split()))
    assert f'around the exercise "{planted.of.name}"' in planted.hints[1]


ONLINE = "online-bug sum-overwritten sum-of-all"
SLOPES = "alibi-slopes exponents-not-divided powers-of-e"
READER = "reader own-never-scaled future-seen"
UNNORMED = ("normed = layer_norm(y, layer.norm_self)", "normed = y")
NOW, STILL = "The other is now a different mistake, ", "The other is still there"
ONE_FIXED = [
    (ONLINE, [("        running_sum = 0 * running_sum\n", ""), ("um()", "um(axis=-1, keepdims=True)")], NOW),
    (SLOPES, [("np.e", "2.0"), ("-8.0 *", "-1.0 *")], f"{NOW}for-8-heads-only: "),
    (
        READER,
        [("np.tri(len(y), k=1, dtype=bool)", "causal_mask(len(y))"), UNNORMED],
        f"{STILL}, and something",
    ),
    (READER, [("k=1, ", ""), UNNORMED], f"{STILL}, and something else that you changed is wrong."),
]


@pytest.mark.parametrize(("bug", "changes", "beside"), ONE_FIXED)
def test_the_half_that_is_right_is_said_beside_anything_else(
    bug: str, changes: list[tuple[str, str]], beside: str
) -> None:
    said = told(bug, *changes)
    assert ": one of the two is fixed. Still wrong on " in said
    assert beside in said


@pytest.mark.parametrize(
    ("bug", "changes", "mistake"),
    [
        (
            "softmax-backward plain-sum added",
            [
                ("(d_weights).sum", "(weights * d_weights).sum"),
                ("weights * (d_weights + expected)", DIFFERENCE),
            ],
            "not-weighted-outside",
        ),
        (SLOPES, [("np.e", "2.0"), ("(-8.0 * steps)", "(-8 * (steps - 1) / n_heads)")], "from-0"),
    ],
)
def test_a_third_thing_that_is_wrong_does_not_hide_that_both_are_fixed(
    bug: str, changes: list[tuple[str, str]], mistake: str
) -> None:
    said = told(bug, *changes)
    assert ": both bugs are fixed; something else that you changed is wrong, on " in said
    assert f"It does the same as a known mistake, {mistake}: " in said
    assert "the two" not in said


def test_nobody_is_sent_to_a_lesson_for_a_change_of_their_own() -> None:
    name = bug_of("reader", "own-never-scaled", "mask-turned")
    fixes = [
        (
            "queries @ np.swapaxes(keys, -1, -2)",
            "queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])",
        ),
        ("~causal_mask(len(y)) | np.eye(len(y), dtype=bool)", "causal_mask(len(y))"),
    ]
    one_left = evaluate(name, edited(name, *fixes[:1], ("normed = ", "normed = 0.9 * "))).text
    assert "Worth rereading: Lesson " in one_left
    both_out = evaluate(name, edited(name, *fixes, ("normed = ", "normed = 0.9 * "))).text
    assert ": both bugs are fixed; something else that you changed is wrong, on " in both_out
    assert "Worth rereading" not in both_out
    one = bug_of("attention", "softmax-of-output")
    slip = evaluate(one, edited(one, SOFTMAX_OUT, ("scores = queries", "scores = 0.9 * queries"))).text
    assert "The planted bug is gone. Something else that you changed is now wrong." in slip
    assert "Worth rereading" not in slip


def test_a_model_says_what_its_layer_has_and_which_sound_is_furthest_off() -> None:
    shown = page.planted(bug_of("reader", "own-never-scaled", "mask-turned")).shown()
    assert "norm_cross" in shown.partition("Smallest case")[2]
    right = np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
    told = by_step(right - [[0.0, 0.0, 0.5], [0.25, 0.0, 0.0]], right)
    symbols = model().target_symbols
    assert told.splitlines()[-1].split() == ["largest", "gap", symbols[2], "0.50", symbols[0], "0.25"]
    assert by_step(right, right).splitlines()[-1].split() == ["largest", "gap", "0.00", "0.00"]


def test_a_mistakes_idea_begins_a_line() -> None:
    text = evaluate(bug_of(*SLOPES.split()), edited(bug_of(*SLOPES.split()), *ONE_FIXED[1][1])).text
    assert "\n  The last slope is 2^−8" in text


@pytest.mark.parametrize(
    ("bug", "change"),
    [
        (SLOPES, ("(-8.0 * steps)", "(-8.0 * steps / n_heads)")),
        ("rope exponents-from-1 other-base", ("-(np.arange(half) + 1) / half", "-np.arange(half) / half")),
    ],
)
def test_hints_go_on_with_the_other_edit_of_the_same_line(
    bug: str, change: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = bug_of(*bug.split())
    check(name, edited(name, change))
    capsys.readouterr()
    hint(name)
    assert (
        "Hint 1 of 5: One of the two is fixed. With only the other bug left, the function is "
        in capsys.readouterr().out
    )
    hint(name)
    assert "Edit 2 of 2. " in capsys.readouterr().out


REFERRING = r"(That|Then|This|Those|These|They|Their|It|Or|Each of the two)\b"


@pytest.mark.parametrize("name", [*(name for names in TOPICS.values() for name in names), *MODELS.values()])
def test_no_idea_of_a_mistake_that_can_be_planted_refers_to_what_was_done(name: str) -> None:
    slips = list(rooms.slips_of(name))
    assert slips
    for slip in slips:
        assert not re.match(REFERRING, on_its_own(slip.mistake.idea)), slip.mistake


def test_an_idea_is_read_before_the_mistake_is_told_and_refers_to_nothing() -> None:
    assert on_its_own("That hides nothing. Mask the scores.") == "Mask the scores."
    assert on_its_own("Then it grows. Or: if you took the power, it is 1/T.") == "Then it grows."
    assert on_its_own("Divide: that is all.") == "Divide: that is all."
    assert on_its_own("That is small. They shrink. Each of the two is wrong. Divide.") == "Divide."
    hints = page.planted(bug_of("causal-mask", "everything-open")).hints
    assert "The idea: Only the last query may attend to every key." in hints


def test_the_right_piece_inside_a_wrong_one_is_not_called_fixed() -> None:
    turned = "~causal_mask(len(y)) | np.eye(len(y), dtype=bool)"
    said = told(READER, ("np.tri(len(y), k=1, dtype=bool)", turned))
    assert "is fixed." not in said
    assert "Neither of the two is fixed" in said
    assert "is now a different mistake, mask-turned: " in said
    assert 'Worth rereading: Lesson 05, "True means may attend"' in said


def test_an_error_on_the_smallest_input_is_shown_and_what_it_lacks() -> None:
    said = told("padded-positions first-found", ("[..., None]", ""))
    assert "Smallest case: a text of nothing but padding beside another, real (2, 3)" in said
    assert "operands could not be broadcast together" in said
    assert "without keepdims it is matched with another axis" in said


def test_an_edit_of_two_faults_is_not_planted() -> None:
    machine = rooms.machine_of("padded-positions")
    assert "one-shift-for-all" in {mistake.name for mistake in machine.mistakes}
    assert "one-shift-for-all" not in {slip.mistake.name for slip in rooms.slips_of(machine.exercise.name)}


def test_in_a_model_hints_point_to_the_lesson_of_each_mistake() -> None:
    hints = page.planted(bug_of(*READER.split())).hints
    assert hints[1] == 'Edit 1 of 2. Worth rereading: Lesson 02, "How far scores spread".'
    assert hints[5] == 'Edit 2 of 2. Worth rereading: Lesson 05, "Minus infinity before softmax".'


def test_the_plain_mean_has_its_name_behind_the_scale_too() -> None:
    mean = "expected = d_weights.mean(axis=-1, keepdims=True)"
    said = told("scale-back-bug row-sum-forgotten", ("expected = 0", mean))
    assert "a known mistake, plain-mean: " in said


def test_a_fix_of_a_model_is_wrong_and_no_more_words() -> None:
    said = told("cached-reader value-not-normed asked-unnormed", ("y + mlp(", "mlp("))
    assert ": wrong on " in said
    assert "not what the task asks for" not in said


def test_small_numbers_get_digits_that_tell_them_apart() -> None:
    said = told(SLOPES, ("(-8.0 * steps)", "(-8.0 * steps / n_heads)"))
    assert "expected 0.2500 0.0625 0.0156 0.0039" in said
    assert "expected 0.2500 0.0625 0.0156 0.0039" in " ".join(
        page.planted(bug_of(*SLOPES.split())).shown().split()
    )

"""The gym: a number is one bug everywhere, wrong and seen to be; our answer fixes it; hints keep the line."""

from __future__ import annotations

import inspect
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bugs_by_name import bug_of, nothing_kept  # noqa: F401 (a fixture)

from helpers.exercises import check, evaluate, hint, solution
from helpers.exercises.catalogue import exercises
from helpers.exercises.engine.diagnosis import agree, plain_outcome
from helpers.exercises.engine.sandbox import Outcome
from helpers.exercises.gym import page, passed, rooms
from helpers.exercises.gym.finding import find
from helpers.exercises.gym.fixes import gaps, nearer
from helpers.exercises.gym.names import TOPICS, level_of, levels, parts_of
from helpers.exercises.gym.planted import STEPS, Planted
from helpers.exercises.gym.planting import NotFoundError, changes_of, compiled, made_in
from helpers.exercises.gym.reader import READER_MISTAKES, model, probe_of, reader_scores
from helpers.readers.model import decode

# Bugs of every topic and every level; the same numbers for each, so that levels come in turn.
SOME = [f"{topic}-{number}" for topic in TOPICS for number in range(11, 11 + 2 * levels(topic))]
every_bug = pytest.mark.parametrize("name", SOME)


def bug(name: str) -> Planted:
    found = find(name)
    assert isinstance(found, Planted)
    return found


@every_bug
def test_a_bug_is_wrong_and_its_symptom_can_be_seen(name: str) -> None:
    planted = bug(name)
    assert planted.of.count_wrong(planted.function) > 0
    shown = planted.of.shown_wrong(planted.function)
    rows = dict(re.findall(r"^ +(expected|got) +(.+)$", shown, re.MULTILINE))
    assert rows["expected"].split() != rows["got"].split(), shown
    assert planted.source in planted.shown()
    assert shown.strip("\n") in planted.shown()
    assert planted.level == level_of(*(parts_of(name) or ("", 0)))
    assert len(planted.mistakes) == (1 if planted.level < 3 else 2)


@every_bug
def test_our_answer_fixes_it_and_the_bug_itself_is_not_attempted(name: str) -> None:
    planted = bug(name)
    assert evaluate(name, planted.of.answer).status == "right"
    assert evaluate(name, planted.function).status == "not attempted"
    assert evaluate(name, None).status == "not attempted"
    for one in planted.alone if len(planted.alone) > 1 else ():
        told = evaluate(name, one)
        assert told.status == "wrong"
        assert "one of the two is fixed" in told.text


@every_bug
def test_hints_show_an_edits_line_in_its_last_step_only(name: str) -> None:
    planted = bug(name)
    before, after = planted.before.splitlines(), planted.source.splitlines()
    wrong = [line.strip() for line, other in zip(after, before, strict=True) if line != other]
    assert wrong
    steps = list(planted.hints)
    lines = [steps[place] for place in range(STEPS, len(steps), STEPS)]
    assert len(lines) == len(planted.mistakes)
    assert all(text.partition("The line: ")[2] in wrong for text in lines), lines
    assert {text.partition("The line: ")[2] for text in lines} == set(wrong)
    assert all(line not in text for line in wrong for text in steps if text not in lines)
    for reply in (planted.evaluate(one).text for one in planted.alone):
        assert not any(line in reply for line in wrong)


@every_bug
def test_a_bug_of_level_2_hides_from_a_quarter_of_the_inputs_and_one_of_level_1_does_not(name: str) -> None:
    planted = bug(name)
    wrong, total = planted.of.count_wrong(planted.function), len(planted.of.probes)
    if planted.level == 1:
        assert wrong > 3 / 4 * total
    if planted.level == 2:
        assert 0 < wrong <= 3 / 4 * total
        assert "one edit, which a quarter of the inputs or more do not show" in planted.shown()


def test_a_number_is_the_same_bug_in_every_process() -> None:
    names = SOME[::5]
    code = (
        f"from helpers.exercises.gym.finding import find\nfor name in {names}: print(repr(find(name).source))"
    )
    for seed in ("1", "2"):
        said = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            encoding="utf-8",
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path), "PYTHONIOENCODING": "utf-8"},
        )
        assert said.stdout.splitlines() == [repr(bug(name).source) for name in names]


def test_no_bug_has_the_name_of_an_exercise_and_numbers_give_many_bugs() -> None:
    assert not any(parts_of(name) for name in exercises())
    attention = [bug(f"attention-{number}") for number in range(200, 225)]
    assert len({planted.source for planted in attention}) >= 18
    assert {planted.level for planted in attention} == {1, 2, 3, 4, 5}
    assert len({planted.of.name for planted in attention}) >= 8


@pytest.mark.parametrize("topic", TOPICS)
def test_a_set_of_ten_has_ten_different_bugs_that_get_harder(topic: str) -> None:
    ten = page.ten_of(2026, topic)
    assert len(set(ten)) == 10
    found = [level_of(*(parts_of(name) or ("", 0))) for name in ten]
    assert found == sorted(found)
    assert {found[0], found[-1]} == {1, levels(topic)}
    mistakes = [mistake for name in ten for mistake in page.mistakes_of(*(parts_of(name) or ("", 0)))]
    assert len(set(mistakes)) == len(mistakes), "no mistake comes twice in a set"


def test_where_there_are_others_no_slip_comes_again_in_another_function() -> None:
    ten = page.ten_of(2001, "positions")  # its last bug would repeat one, if that did not count
    slips = [slip for name in ten for slip in page.named(*(parts_of(name) or ("", 0)))]
    assert len(set(slips)) == len(slips)


def test_two_slips_of_which_one_hides_the_other_are_no_bug_of_two() -> None:
    number = {slip.mistake.name: n for n, slip in enumerate(rooms.slips_of("causal-mask"))}
    assert not rooms.is_bug("causal-mask", (number["upper-left"], number["everything-open"]), 3)
    assert rooms.is_bug("causal-mask", (number["upper-left"], number["one-step-ahead"]), 3)


def test_what_a_bug_left_out_is_imported_all_the_same() -> None:
    shown = bug(bug_of("temperature", "not-softmaxed")).shown()
    assert "return scores / temperature" in shown
    assert shown.splitlines()[2] == "from helpers.softmax import softmax"


@every_bug
def test_the_first_hint_is_one_contrast_that_is_true(name: str) -> None:
    planted = bug(name)
    first = planted.hints[0]
    kinds: dict[bool, set[str]] = {True: set(), False: set()}
    for probe, *_, accepted in planted.of.cases(planted.function):
        kinds[accepted].add(probe.kind)
    said = re.search(r"The function as given is right here: (.+)\. It is wrong here: (.+)\.$", first)
    if not kinds[True]:
        assert "The function as given is wrong on every input. The smallest: " in first
    elif said:
        assert said[1] in kinds[True]
        assert said[2] in kinds[False]
        only = kinds[True] - kinds[False], kinds[False] - kinds[True]
        assert not all(only) or (said[1] in only[0] and said[2] in only[1]), "a kind that is both"
    else:
        some = "right on some inputs of one kind, and wrong on others of the same kind: "
        assert f"The function as given is {some}" in first


def test_nobody_is_told_that_he_made_a_bug_that_was_planted() -> None:
    planted = bug(bug_of("causal-mask", "upper-left"))
    said = "What was planted, in the words of the check for this mistake: “You started"
    assert planted.hints[3].startswith(said)
    assert said in " ".join(planted.evaluate(planted.of.answer).text.split())
    assert said in " ".join(planted.solution().split())
    assert (
        bug(bug_of("cached-reader", "value-not-normed", "asked-unnormed"))
        .hints[3]
        .startswith("Edit 1 of 2. What was planted: The value")
    )


@pytest.mark.filterwarnings("error")
def test_minus_infinity_beside_minus_infinity_is_no_warning() -> None:
    assert rooms.gap_of(np.array([-np.inf]), np.array([-np.inf])) is None


# --- in the learner's own function


def in_other_words(how_many, keys_there):
    row = np.arange(how_many) + keys_there - how_many
    # every key up to the query's own place
    return np.arange(keys_there) <= row[:, None]


def in_a_loop(n_queries, n_keys):
    rows = [[key <= query + n_keys - n_queries for key in range(n_keys)] for query in range(n_queries)]
    return np.array(rows).reshape(n_queries, n_keys)


def of_causal_mask() -> str:
    """() -> a bug of causal-mask."""
    names = (f"attention-{number}" for number in range(0, 500, 5))
    return next(name for name in names if bug(name).of.name == "causal-mask")


def test_a_bug_is_planted_in_what_the_learner_passed(capsys: pytest.CaptureFixture[str]) -> None:
    name = of_causal_mask()
    ours = bug(name)
    check("causal-mask", in_other_words)
    own = bug(name)
    assert own.own
    assert not ours.own
    assert own.mistakes == ours.mistakes, "the number means the same mistake, whosever function it is in"
    assert "def in_other_words(how_many, keys_there):" in own.source
    assert "# every key up to the query's own place" in own.source
    assert "your own function, which passed 'causal-mask'" in own.shown()
    for probe in own.of.probes:
        one, other = (plain_outcome(each.function, probe).value for each in (own, ours))
        assert (one is None) == (other is None)
        assert one is None or other is None or agree(one, other)
    assert evaluate(name, in_other_words).status == "right"
    assert "in_other_words" in own.shown()
    capsys.readouterr()


def test_where_its_place_is_not_found_our_answer_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    name = of_causal_mask()
    ours = bug(name).source
    check("causal-mask", in_a_loop)
    assert passed.source_for("causal-mask") is not None
    assert not bug(name).own
    assert bug(name).source == ours
    capsys.readouterr()


def test_what_was_wrong_is_not_kept(capsys: pytest.CaptureFixture[str]) -> None:
    check("causal-mask", lambda n_queries, n_keys: np.tri(n_queries, n_keys, dtype=bool))
    check("causal-mask", bug(of_causal_mask()).function)
    assert passed.source_for("causal-mask") is None
    capsys.readouterr()


def test_sources_are_kept_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path))
    passed.keep("causal-mask", in_other_words)
    monkeypatch.setattr(passed, "in_this_kernel", {})
    source = passed.source_for("causal-mask")
    assert source is not None
    assert source.startswith("def in_other_words")
    (tmp_path / "passed.json").write_text("{", encoding="utf-8")
    assert passed.source_for("causal-mask") is None
    passed.keep("causal-mask", in_other_words)
    assert json.loads((tmp_path / "passed.json").read_text(encoding="utf-8"))["version"] == 1


@pytest.mark.parametrize("thing", [len, None, 3, np.sum, lambda x: x])
def test_what_has_no_source_of_its_own_is_not_kept(thing: object) -> None:
    passed.keep("softmax", thing)
    assert passed.source_for("softmax") is None


def test_brackets_are_put_where_an_edit_needs_them() -> None:
    machine = rooms.machine_of("causal-mask")
    way = next(m.ways[0] for m in machine.mistakes if m.name == "one-step-ahead")
    source = made_in(machine.edits.source, changes_of(machine.edits, way, machine.edits.source))
    assert "return np.arange(n_keys) <= positions[:, None] + 1" in source
    with pytest.raises(NotFoundError):
        changes_of(machine.edits, way, "def f(a, b):\n    return a")
    with pytest.raises(NotFoundError):
        changes_of(machine.edits, way, "x = 1")


# --- the model


def test_the_reader_in_one_function_is_the_reader_of_lesson_07() -> None:
    probe = probe_of("ocean")
    right, _ = decode(model(), probe.inputs["written"], probe.inputs["context"])
    assert np.allclose(reader_scores(**probe.inputs), right)


@pytest.mark.parametrize("name", ["reader", "cached-reader", "attention"])
def test_every_mistake_of_the_gyms_own_is_wrong_and_looks_like_no_other(name: str) -> None:
    machine = rooms.machine_of(name)
    results = {}
    for slip in rooms.slips_of(machine.exercise.name):
        function = rooms.planted_function(machine, (slip,))
        assert function is not None, slip.mistake.name
        other_shapes = ("keys-mixed", "queries-twice") if name == "attention" else ()  # on most inputs
        seen = slip.mistake.name not in other_shapes
        assert rooms.visible(machine, function) is seen, slip.mistake.name
        results[slip.mistake.name] = [out.value for out in rooms.outcomes_of(machine, function)]
    assert len(results) == len(machine.mistakes)
    assert len(READER_MISTAKES) >= 12
    if name == "attention":
        for slip in rooms.slips_of(machine.exercise.name):
            function = rooms.planted_function(machine, (slip,))
            told = evaluate("attention", function)
            assert (slip.mistake.name,) in told.named, told.named
        return
    for one in results:
        for other in results:
            if one < other:
                pairs = zip(results[one], results[other], strict=True)
                assert not all(a is not None and b is not None and agree(a, b) for a, b in pairs), (
                    one,
                    other,
                )


# --- practice, hint, page, set


def test_practice_check_hint_and_solution_belong_together(capsys: pytest.CaptureFixture[str]) -> None:
    page.practice("attention", 4711)
    said = capsys.readouterr().out
    assert "Bug attention-4711, level 2" in said
    assert 'check("attention-4711", ' in said
    for step in range(1, 6):
        hint("attention-4711")
        assert f"Hint {step} of 5: " in capsys.readouterr().out
    solution("attention-4711")
    assert capsys.readouterr().out.startswith("- ")
    right = bug("attention-4711").of.answer
    check("practice", right)
    assert "✓ practice (attention-4711): fixed." in capsys.readouterr().out
    page.progress()
    assert capsys.readouterr().out == "attention, level 2: 1 of 1 found, 0 of them without help\n"


def test_a_wrong_fix_is_told_what_it_does_and_not_where(capsys: pytest.CaptureFixture[str]) -> None:
    name = of_causal_mask()
    told = evaluate(name, lambda n_queries, n_keys: np.ones((n_queries, n_keys), dtype=bool)).text
    assert f"✗ {name}: wrong on " in told
    assert "expected" in told
    assert "It does the same as a known mistake, everything-open:" in " ".join(told.split())
    check(name, 3)
    assert "the check needs the function itself" in capsys.readouterr().out


# --- what a wrong fix is told


def written_as(name: str, change: Callable[[list[str]], list[str]], of: str = "") -> Callable[..., object]:
    """A bug, a change of the lines of its source or of another -> the function, as a learner would run it."""
    planted = bug(name)
    lines = change((of or planted.source).splitlines())
    return compiled("\n".join(lines) + "\n", planted.function.__globals__, f"fix {len(lines)} {hash(name)}")


def told(name: str, fix: Callable[..., object]) -> str:
    reply = evaluate(name, fix)
    assert reply.status == "wrong"
    for mistake in bug(name).mistakes:
        assert not re.search(rf"\b{mistake.name}\b(?!-)", reply.text), "a mistake that was planted is named"
    return " ".join(reply.text.split())


def sloppy(lines: list[str]) -> list[str]:
    """Source -> the same with a line of a learner's in front of what is returned."""
    first = lines[0].partition("(")[2].split(",")[0]
    return [*lines[:2], f"    {first} = 0.9 * {first}", *lines[2:]]


OF_MODELS = [name for name in SOME if bug(name).level >= 4]
FLOATS = [name for name in SOME if bug(name).of.name in ("reader", "cached-reader", "attention", "merge")]


@pytest.mark.parametrize("name", FLOATS)
def test_something_else_that_was_changed_is_told_beside_what_is_in_and_out(name: str) -> None:
    planted = bug(name)
    one = len(planted.mistakes) == 1
    for source in map(inspect.getsource, planted.alone if not one else ()):
        said = told(name, written_as(name, sloppy, source))
        assert "one of the two is fixed. Still wrong on" in said
        assert (
            "The other is still there, and something else that you changed is wrong: with both fixed" in said
        )
    said = told(name, written_as(name, sloppy, planted.before))
    out = "The planted bug is gone. Something else that you changed is now wrong."
    assert (out if one else "both bugs are fixed; something else that you changed is wrong, on ") in said
    said = told(name, written_as(name, sloppy))
    still = "The bug is still there" if one else "Both bugs are still there"
    assert f"{still}, and something else that you changed is wrong" in said


@pytest.mark.parametrize("name", OF_MODELS)
def test_in_a_model_a_known_mistake_is_told_by_its_name_with_what_is_left(name: str) -> None:
    planted = bug(name)
    machine = rooms.machine_of(planted.of.name)
    known = [slip for slip in rooms.slips_of(machine.exercise.name) if slip.mistake not in planted.mistakes]
    both = tuple(rooms.Slip(m, w) for m, w in zip(planted.mistakes, planted.ways, strict=True))
    seen = set()
    for slip in known:
        for left in ((), both[:1], both[1:], both):
            function = rooms.planted_function(machine, (*left, slip))
            if function is None:
                continue
            said = told(name, function)
            if "same results as the function you were given" in said:
                assert left == both, "its place stands inside another that is edited"
                continue
            assert "expected" in said
            words = {
                0: "",
                1: "The other is still there. Besides, ",
                2: "Both bugs are still there. Besides, ",
            }
            if f"the other is now a different mistake, {slip.mistake.name}: " in said.lower():
                # it stands in the line of a bug: the other one is out, or as it was
                assert ("Neither of the two is fixed" in said) is bool(left)
            elif f"a known mistake, {slip.mistake.name}: " in said:
                seen.add(len(left))
                assert words[len(left)] in said
                assert ("one of the two is fixed" in said) is (len(left) == 1)
            elif not left:
                raise AssertionError(said)
    assert seen == {0, 1, 2}


def test_a_fix_of_the_input_that_is_shown_is_not_taken_for_one() -> None:
    for name in SOME[::3]:
        planted = bug(name)
        first = min(planted.of.probes, key=lambda probe: sum(map(np.size, probe.inputs.values())))
        shapes = [np.shape(value) or value for value in first.inputs.values()]

        def special(*inputs: Any, planted: Planted = planted, shapes: list[Any] = shapes) -> Any:
            here = [np.shape(value) or value for value in inputs] == shapes
            return (planted.of.right if here else planted.function)(*inputs)

        assert evaluate(name, special).status == "wrong"


def test_a_change_that_does_no_harm_and_no_good_is_told_so() -> None:
    name = next(name for name in SOME if bug(name).of.name == "reader")
    assert "same results as the function you were given" in told(
        name, written_as(name, lambda lines: [*lines[:2], "    unused = 1", *lines[2:]])
    )


def test_nearer_is_said_only_where_all_inputs_agree() -> None:
    one = np.ones(3)
    assert nearer(one / 2, one) == "Its results are nearer to the right ones than before, on every input."
    assert nearer(2 * one, one) == "Its results are further from the right ones than before, on every input."
    assert nearer(one, one) == nearer(np.array([0.5, 2, 2]), one) == ""
    assert nearer(np.array([0.5, np.inf, 0.5]), one) == "", "an error is not further away"
    hidden = Outcome(value=np.array([-np.inf, 1.0]))
    assert gaps([hidden, Outcome()], [Outcome(value=np.array([-np.inf, 2.0])), hidden]).tolist() == [
        0.5,
        np.inf,
    ]


def test_the_page_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path))
    page.note("attention-4711", "not attempted")
    assert page.read() == {}
    page.note("attention-4711", "wrong")
    page.note_hint("attention-4711")
    page.note("attention-4711", "right")
    page.note("attention-4711", "right")
    page.note_hint("attention-4711")
    monkeypatch.setattr(page, "session", page.Session())
    (entry,) = page.read().values()
    assert (entry["tries"], entry["hints"], entry["solved"] is not None) == (2, 1, True)
    (tmp_path / "practice.json").write_text('{"version": 1, "bugs": {"x": 3}}', encoding="utf-8")
    assert page.read() == {}
    (tmp_path / "practice.json").write_text("[]", encoding="utf-8")
    assert page.read() == {}


def test_a_set_is_worked_through_and_its_time_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    page.next_bug()
    page.result()
    assert capsys.readouterr().out.count("There is no set yet") == 2
    page.start_set(7, "positions")
    page.result()
    assert "0 of 10 solved.\n" in capsys.readouterr().out
    for name in page.session.ten:
        page.next_bug()
        assert f"Bug {name}, " in capsys.readouterr().out
        check("timed-set", bug(name).of.answer)
    page.next_bug()
    page.result()
    said = capsys.readouterr().out
    assert "All ten are solved.\n10 of 10 solved." in said
    assert said.count(" minutes\n") == 10


def test_a_new_number_has_a_mistake_that_was_not_found_yet() -> None:
    kinds = {frozenset(page.mistakes_of("positions", number)): number for number in range(1, 300, 3)}
    found = list(kinds)[::2]
    for kind in found:
        page.note(f"positions-{kinds[kind]}", "right")
    for number in [page.new_number("positions", 2) for _ in range(5)]:
        assert level_of("positions", number) == 2
        assert frozenset(page.mistakes_of("positions", number)) not in found
    for kind in kinds:
        page.note(f"positions-{kinds[kind]}", "right")
    assert level_of("positions", page.new_number("positions", 2)) == 2, "all were found: one of them again"


def test_of_the_numbers_drawn_the_first_with_something_new_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was tried and not found is new, and so is one known mistake beside another."""
    numbers = range(2, 30, 3)
    made = {number: page.mistakes_of("positions", number) for number in numbers}
    solved = numbers[0]
    half_new = next(number for number in numbers if len(made[number] & made[solved]) == 1)
    all_new = next(number for number in numbers if not made[number] & made[solved])
    for status, expected in (("right", half_new), ("wrong", solved)):
        page.session.entries.clear()
        page.note(f"positions-{half_new}", "wrong")
        page.note(f"positions-{solved}", status)
        drawn = itertools.cycle([1, solved, half_new, all_new])  # the first is of another level
        monkeypatch.setattr(page.secrets, "randbelow", lambda _, drawn=drawn: next(drawn))
        assert page.new_number("positions", 3) == expected
    page.note(f"positions-{solved}", "right")
    same = (each for each in range(200, 5_000, 3) if page.mistakes_of("positions", each) == made[solved])
    drawn = itertools.cycle([solved, other := next(same)])
    monkeypatch.setattr(page.secrets, "randbelow", lambda _: next(drawn))
    assert page.new_number("positions", 3) == other, "nothing new: a bug that was not solved itself"


def test_a_new_number_is_of_the_level_and_leaves_the_dice_alone(capsys: pytest.CaptureFixture[str]) -> None:
    np.random.seed(3)  # noqa: NPY002 (what a notebook may have done)
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002
    page.practice("positions", level=2)
    assert "level 2" in capsys.readouterr().out
    assert np.array_equal(before, np.random.get_state(legacy=False)["state"]["key"])  # noqa: NPY002


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("atention",), "topic must be one of attention, positions"),
        (("positions", None, 4), "level must be from 1 to 3 for positions; got 4"),
        (("attention", -1), "number must be a whole number of 0 or more; got -1"),
        (("attention", 1.5), "number must be a whole number of 0 or more; got 1.5"),
        (
            ("attention", 290, 4),
            "attention-290 is a bug of level 1, not 4: give a number or a level, not both",
        ),
        (("attention", 10**9), "number must be at most 999999999; got 1000000000"),
    ],
)
def test_what_cannot_be_practised_is_one_line(arguments: tuple[object, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        page.practice(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("7",), "number must be a whole number of 0 or more; got '7'"),
        ((-7,), "number must be a whole number of 0 or more; got -7"),
        ((10**7,), "number must be at most 9999999; got 10000000"),
        ((7, "atention"), "topic must be one of attention, positions"),
    ],
)
def test_what_is_no_set_is_one_line(arguments: tuple[object, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        page.start_set(*arguments)  # type: ignore[arg-type]


def test_a_name_that_is_no_bug_is_unknown() -> None:
    for name in ("attention-", "atention-1", "practice", "timed-set", "attention-1234567890123"):
        assert find(name) is None
        assert "There is no exercise" in evaluate(name, len).text

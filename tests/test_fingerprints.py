"""The tables by which pairs and triples are found: they are those of the code, and find what they should."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import fingerprints as tool
import numpy as np
import pytest

from helpers.exercises.catalogue import find
from helpers.exercises.engine import fingerprints
from helpers.exercises.engine.diagnosis import Diagnosis, Version, plain_outcome, tolerance
from helpers.exercises.engine.feedback import paragraph
from helpers.exercises.engine.sandbox import Outcome
from helpers.exercises.kinds import Write
from helpers.exercises.kinds.replies import MOST_LINES, explanation

WRITTEN = tool.diagnoses()
SAMPLE = 300  # triples of each table that are run again
CLIMB = ("one-query", "attention", "self-attention", "masked-attention", "multi-head", "cross-attention",
         "source-mask", "torch-attention")  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_a_table_is_that_of_the_code(name: str) -> None:
    """Every single mistake and pair, and a sample of the triples."""
    diagnosis = WRITTEN[name].diagnosis
    stored = fingerprints.load(diagnosis.table_file)
    assert stored is not None, f"run python tools/fingerprints.py {name}"
    every = 1 + len(diagnosis.triples) // SAMPLE
    now = tool.table_of(WRITTEN[name], every)
    for kept, made, step in (
        (stored.singles, now.singles, 1),
        (stored.pairs, now.pairs, 1),
        (stored.triples, now.triples, every),
    ):
        assert len(kept) == len(made), f"run python tools/fingerprints.py {name}"
        same = np.isclose(kept[::step].astype(float), made[::step], rtol=1e-3, atol=1e-3, equal_nan=True)
        assert same.all(), f"run python tools/fingerprints.py {name}"
    with WRITTEN[name].dice_as_they_were():
        assert Diagnosis(diagnosis.recipe, diagnosis.mistakes, diagnosis.probes).table is not None


def test_no_table_is_left_over() -> None:
    files = {exercise.diagnosis.table_file for exercise in WRITTEN.values()}
    assert set(fingerprints.FOLDER.glob("*")) == files


def wrong_answers(exercise: Write, how_many: int) -> list[tuple[tuple[str, ...], list[Outcome]]]:
    """Three known mistakes at once, each in one of its first ways, that give numbers on the first probe."""
    chance, diagnosis = random.Random(exercise.name), exercise.diagnosis
    right = [plain_outcome(exercise.right, probe) for probe in exercise.probes]
    found: list[tuple[tuple[str, ...], list[Outcome]]] = []
    while len(found) < how_many:
        numbers = sorted(chance.sample(range(len(diagnosis.mistakes)), 3))
        ways = [chance.choice(diagnosis.mistakes[i].ways[:3]) for i in numbers]
        if any(set(one) & set(other) for one, other in combinations(ways, 2)):
            continue
        choices = {key: step for way in ways for key, step in way.items()}
        outcomes = [
            plain_outcome(lambda *inputs, made=choices: exercise.recipe(*inputs, **made), probe)
            for probe in exercise.probes
        ]
        wrong = not all(map(exercise.accepts, outcomes, right, exercise.probes))
        if wrong and outcomes[0].value is not None:
            found.append((tuple(diagnosis.mistakes[i].name for i in numbers), outcomes))
    return found


@pytest.mark.parametrize("name", CLIMB)
def test_three_mistakes_at_once_are_named(name: str) -> None:
    """Alone, among equals, or as what shows of them where one hides another: at least 95 in 100."""
    exercise = find(name)
    assert isinstance(exercise, Write)
    named = 0
    with exercise.dice_as_they_were():
        answers = wrong_answers(exercise, 40)
        named = sum(bool(exercise.diagnosis.name(outcomes)) for _, outcomes in answers)
    assert named >= 0.95 * len(answers)


def test_three_mistakes_are_told_with_what_to_fix_first() -> None:
    def my_attention(queries: Any, keys: Any, values: Any) -> Any:
        scores = queries @ np.swapaxes(keys, -1, -2)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return (e / e.sum(axis=-2, keepdims=True)) @ values / keys.shape[-2]

    feedback = find("attention").evaluate(my_attention)  # type: ignore[union-attr]
    assert [len(names) for names in feedback.named] == [3]
    assert set(feedback.mistakes) >= {"never-scaled", "averaged"}
    assert "Three things at once: " in feedback.text
    assert "Then check again." in " ".join(feedback.text.split())


@pytest.mark.parametrize("name", CLIMB)
def test_three_mistakes_take_six_lines_at_most(name: str) -> None:
    exercise = WRITTEN[name]
    first, *others = exercise.mistakes
    for two in pairwise(others):
        version = Version((first, *two), exercise.right)
        other = Version((first, two[0], others[0]), exercise.right)
        assert len(paragraph(explanation([version])).splitlines()) <= MOST_LINES
        assert len(paragraph(explanation([version, other])).splitlines()) <= MOST_LINES + 1


def test_one_mistake_is_not_named_twice() -> None:
    diagnosis = WRITTEN["softmax"].diagnosis
    for number in range(0, len(diagnosis.triples), 97):
        version = diagnosis.triple(number)
        assert version is None or len(set(version.names)) == 3


def test_a_table_of_other_mistakes_is_not_used() -> None:
    known = WRITTEN["one-query"].diagnosis
    assert Diagnosis(known.recipe, known.mistakes, known.probes).table is not None
    assert Diagnosis(known.recipe, known.mistakes[1:], known.probes).table is None
    inputs = {name: value * 1.1 for name, value in known.probes[0].inputs.items()}
    moved = (replace(known.probes[0], inputs=inputs), *known.probes[1:])
    assert Diagnosis(known.recipe, known.mistakes, moved).table is None


def test_without_a_table_pairs_are_run() -> None:
    known = WRITTEN["one-query"].diagnosis
    inputs = {name: value * 1.1 for name, value in known.probes[0].inputs.items()}
    moved = Diagnosis(
        known.recipe, known.mistakes, (replace(known.probes[0], inputs=inputs), *known.probes[1:])
    )
    for version in moved.pairs[::400]:
        outcomes = list(moved.outcomes(version))
        if not all(outcome.error for outcome in outcomes):
            assert moved.name(outcomes)


def test_pairs_are_found_as_they_are_without_a_table() -> None:
    known = WRITTEN["one-query"].diagnosis
    looked_up = Diagnosis(known.recipe, known.mistakes, known.probes)
    for version in known.pairs[::150]:
        outcomes = list(known.outcomes(version))
        if not all(outcome.error for outcome in outcomes):
            by_run = [found.names for found in known.name(known.outcomes(version))]
            assert [found.names for found in looked_up.name(outcomes)] == by_run


def test_answers_in_turn_get_the_names_that_each_gets_alone() -> None:
    """Some versions are kept from one answer to the next: they may not be taken for those of another."""
    exercise = WRITTEN["one-query"]
    known = exercise.diagnosis
    with exercise.dice_as_they_were():
        answers = [outcomes for _, outcomes in wrong_answers(exercise, 4)]
        answers += [list(known.outcomes(pair)) for pair in known.pairs[:: len(known.pairs) // 6]]
        turned = [[*one[:2], *other[2:]] for one, other in pairwise(answers)]  # they part at the third input
        scaled = [
            [replace(o, value=o.value * 1.1) if o.value is not None else o for o in one] for one in answers
        ]
        in_turn = Diagnosis(known.recipe, known.mistakes, known.probes)
        for outcomes in (
            each for row in zip(answers, turned, scaled, answers[1:], strict=False) for each in row
        ):
            alone = Diagnosis(known.recipe, known.mistakes, known.probes).name(outcomes)
            assert [each.names for each in in_turn.name(outcomes)] == [each.names for each in alone]


def test_equal_results_are_near() -> None:
    values = np.array([0.5, -2.0, 1000.0, np.nan, np.inf, -np.inf, 1e300])
    one = Outcome(value=values)
    relative, absolute = tolerance(values)
    other = Outcome(value=values * (1 + relative) + absolute)
    kept = np.array([fingerprints.fingerprint(one), 3.0, np.nan])
    assert fingerprints.near(kept, other, relative, absolute) == [0]
    assert fingerprints.near(kept, Outcome(error="ValueError"), relative, absolute) == [2]


def test_an_empty_result_has_a_fingerprint() -> None:
    assert fingerprints.fingerprint(Outcome(value=np.zeros((0, 3)))) == 0

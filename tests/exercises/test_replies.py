"""What the check says of an answer: what is shown, in what order, of which kind of exercise."""

from __future__ import annotations

import inspect
from typing import Any

import kill_table
import numpy as np
import pytest
from handed_out import GIVEN

from helpers.attention import attention
from helpers.exercises import evaluate
from helpers.exercises.catalogue import exercises, find, lessons
from helpers.exercises.engine.diagnosis import Version, plain_outcome
from helpers.exercises.engine.feedback import paragraph
from helpers.exercises.kinds import Mend, Open, Predict, Table, Write
from helpers.exercises.kinds.replies import MOST_LINES, explanation
from helpers.similarity import cosine_scores
from helpers.softmax import softmax

FUNCTIONS = [exercise for exercise in exercises().values() if isinstance(exercise, Write)]
VALUES = [exercise for exercise in exercises().values() if not isinstance(exercise, Write)]
FIRST_WITH = {exercise.diagnosis: exercise.name for exercise in reversed(FUNCTIONS)}


def by_name(exercise: Any) -> str:
    return exercise.name


def one_in(exercise: Write) -> int:
    """A bug to find may share its mistakes with an exercise before it: then one in five is tried again."""
    return 1 if FIRST_WITH[exercise.diagnosis] == exercise.name else 5


def _most_alike(change_scores=None, order=None, choose=None):
    """The frame of my_neighbours, with other steps in it."""

    def my_neighbours(word, vectors, how_many):
        scores = cosine_scores(vectors[[word]], vectors)[0]
        if change_scores is not None:
            scores[word] = change_scores
        best_first = np.argsort(-scores) if order is None else order(scores)
        if choose is None:
            return best_first[:how_many]
        return choose(best_first, word, scores)[:how_many]

    return my_neighbours


def _in_place_on_queries(queries, keys):
    queries /= np.sqrt(queries.shape[-1])
    return queries @ np.swapaxes(keys, -1, -2)


def test_the_mistake_is_told_before_what_a_call_changed():
    def down_the_columns(scores):
        scores -= scores.max(axis=-1, keepdims=True)
        return np.exp(scores) / np.exp(scores).sum(axis=0, keepdims=True)

    text = " ".join(evaluate("softmax", down_the_columns).text.split())
    assert text.index("over the first axis") < text.index("Besides, after the call scores no longer holds")


def test_whole_numbers_divided_in_place_are_told_where_the_function_stops():
    text = " ".join(evaluate("scaled-scores", _in_place_on_queries).text.split())
    assert "stops with an error on 1 of" in text
    assert "You divided an array of whole numbers in place." in text
    assert "After the call" not in text  # it stopped before it could put anything back


def test_twins_may_be_left_out_by_row_number_in_any_style():
    def with_a_loop(word, vectors, how_many):
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        scores = unit @ unit[word]
        others = [row for row in range(len(vectors)) if row != word]
        return sorted(others, key=lambda row: -scores[row])[:how_many]

    for attempt in (with_a_loop, _most_alike(-np.inf), _most_alike(-2)):
        assert evaluate("neighbours-bug", attempt).status == "right"


def test_the_smallest_failing_input_is_shown_with_expected_beside_got():
    text = evaluate(
        "softmax", lambda scores: np.exp2(scores - 1) / np.exp2(scores - 1).sum(-1, keepdims=True)
    ).text
    first = np.array([0.0, np.log(3)])  # the row of the smallest probe, the Example
    powers = 2.0**first
    shown = {"expected": softmax(first), "got": powers / powers.sum()}
    for label, row in shown.items():
        (line,) = [line for line in text.splitlines() if line.strip().startswith(label)]
        assert line.split()[1:] == [f"{value:.2f}" for value in row]


def test_two_mistakes_are_named_as_two():
    text = evaluate("softmax", lambda s: np.exp(s) / np.exp(s).sum(axis=-2, keepdims=True)).text
    assert (
        "Two things at once: you ran softmax over the queries, and you did not subtract the largest" in text
    )


def test_the_advice_on_disagree_leads_to_a_right_answer():
    """Whichever key the text says to lengthen, a longer one is right; where no length helps, none does."""
    ways = set()
    for first, second in [
        ([3, 1], [1, 2]), ([1, 0], [0.6, 0.8]), ([-1, 5], [-2, 0.1]), ([3, 1], [-1, 2]), ([0, 1], [-1, 0])
    ]:  # fmt: skip
        text = " ".join(evaluate("disagree", [[1, 0], first, second]).text.split())
        assert "both choose the first key" in text
        longer = [
            [place for place in (0, 1) if _right_once_longer([first, second], place, times)]
            for times in (1e-6, 1e-3, 1e3, 1e6)
        ]
        (way,) = (
            way
            for way in ("no length helps", "the smaller cosine longer", "the larger cosine longer")
            if way in text
        )
        ways.add(way)
        place = {"the smaller cosine longer": 1, "the larger cosine longer": 0}.get(way)
        assert longer[-1] == ([] if place is None else [place])
        assert place is not None or not any(longer)
    assert len(ways) == 3


def _right_once_longer(keys, place, times):
    keys = np.array(keys, dtype=float)
    keys[place] *= times
    return evaluate("disagree", [[1, 0], *keys.tolist()]).status == "right"


def _swapped_and_multiplied(queries, keys):
    return keys @ np.swapaxes(queries, -1, -2) * np.sqrt(queries.shape[-1])


def test_each_of_two_reasons_says_which_mistake_it_explains():
    text = " ".join(evaluate("scaled-scores", _swapped_and_multiplied).text.split())
    assert (
        "you multiplied the scores by √d_k, and you swapped queries and keys. First: That spreads them"
        in text
    )
    assert text.index("further") < text.index("Second: Rows belong to queries")


def test_a_section_that_explains_both_mistakes_is_cited_once():
    both = evaluate("cosine-bug", lambda q, k: np.cos(q @ k))
    assert len(both.mistakes) == 2
    assert both.text.count("(Lesson") == 1
    assert evaluate("scaled-scores", _swapped_and_multiplied).text.count("(Lesson") == 2


def test_code_is_not_revealed():
    for exercise in FUNCTIONS:
        source = exercise.solution()
        lines = {line.strip() for line in source.splitlines() if "return " in line and len(line.strip()) > 30}
        feedback = evaluate(exercise.name, lambda *inputs: np.zeros(3))
        assert not any(line in feedback.text for line in lines)


# --- find the bug, predict, table, choose, open


@pytest.mark.parametrize("exercise", [e for e in FUNCTIONS if isinstance(e, Mend)], ids=by_name)
def test_a_given_function_is_known_as_given(exercise):
    source = inspect.getsource(GIVEN[exercise.name])
    names = vars(inspect.getmodule(GIVEN[exercise.name]))
    for before in ("", "import numpy as np\n"):  # which changes the compiled steps of np.sqrt(...)
        space = dict(names)
        exec(before + source, space)
        feedback = evaluate(exercise.name, space[GIVEN[exercise.name].__name__])
        assert feedback.status == "not attempted"
        assert "still the function as given" in feedback.text
        assert " ".join(feedback.text.split()).endswith(" ".join(exercise.symptom.split()))


@pytest.mark.parametrize("exercise", [e for e in FUNCTIONS if isinstance(e, Mend)], ids=by_name)
def test_an_edit_that_changes_no_result_is_answered_as_an_attempt(exercise):
    def rewritten(*inputs):
        results = GIVEN[exercise.name](*inputs)
        several = isinstance(results, tuple | list)
        return type(results)(part + 0 for part in results) if several else results + 0

    feedback = evaluate(exercise.name, rewritten)
    assert feedback.status == "wrong"
    assert feedback.named == ((exercise.given,),)
    assert feedback.text.startswith(
        f"✗ {exercise.name}: your version gives the same results as the function you were given"
    )


@pytest.mark.parametrize("exercise", VALUES, ids=by_name)
def test_every_wrong_value_has_its_reply(exercise):
    assert evaluate(exercise.name, None).status == "not attempted"
    for name, answer in kill_table.wrong_values(exercise):
        feedback = evaluate(exercise.name, answer)
        assert feedback.status == "wrong"
        assert feedback.mistakes == (name,)
    if isinstance(exercise, Predict):
        assert evaluate(exercise.name, exercise.answer).status == "right"
        assert evaluate(exercise.name, 123456.5).status == "wrong"
    if isinstance(exercise, Open):
        assert evaluate(exercise.name, exercise.example).status == "right"
        asked = f"should have shape {exercise.shape}" if exercise.shape else "should be a single number"
        assert asked in evaluate(exercise.name, [1.0]).text


def test_a_table_half_filled():
    table = find("spread-table")
    assert isinstance(table, Table)
    empty = {label: [None] * 3 for label in table.labels}
    assert evaluate("spread-table", empty).status == "not attempted"
    begun = evaluate("spread-table", {**empty, 4: [4, None, None]})
    assert begun.status == "not attempted"
    assert begun.text == "○ spread-table: 1 cell right, 14 still to fill."
    text = evaluate("spread-table", {**empty, 4: [4, 4, 1], 16: [16, 16, None]}).text
    assert "d_k 16, spread: not 16" in text
    assert "d_k is the variance" in text
    assert "should hold 3 numbers" in evaluate("spread-table", {**empty, 4: [1]}).text


def test_two_columns_that_changed_places_are_told_in_one_sentence():
    table = find("spread-table")
    assert isinstance(table, Table)
    swapped = evaluate("spread-table", {d_k: [d_k**0.5, d_k, 1] for d_k in table.labels})
    assert swapped.mistakes == ("spread-as-variance", "variance-as-spread")
    lines = swapped.text.splitlines()
    assert lines[1:] == [
        '  The columns "variance" and "spread" have changed places.',
        '  (Lesson 02, "How far scores spread".)',
    ]
    half = {d_k: [d_k**0.5, None, 1] for d_k in table.labels}
    assert "changed places" not in evaluate("spread-table", half).text


def test_numbers_rounded_too_far_are_told_once():
    rough = [[0.7, 0.5, 0.3, 0.2], [1.0, 0.7, 0.3, 0.3], [1.2, 0.8, 0.4, 0.3]]
    text = evaluate("audit-table", rough).text
    assert text.count("rounded too far") == 1


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_an_explanation_has_six_lines_at_most(exercise):
    first = exercise.mistakes[0]
    for mistake in exercise.mistakes:
        assert len(paragraph(explanation([Version((mistake,), exercise.right)])).splitlines()) <= 6
        if mistake is not first:
            two = explanation([Version((first, mistake), exercise.right)])
            assert len(paragraph(two).splitlines()) <= 6, two


def test_of_two_long_reasons_the_first_alone_is_told():
    by_name_of = {mistake.name: mistake for mistake in exercises()["softmax"].mistakes}  # type: ignore[attr-defined]
    short = explanation([Version((by_name_of["over-queries"], by_name_of["rough-e"]), softmax)])
    assert "First: " in short
    assert "Second: " in short
    long = explanation([Version((by_name_of["axis-1"], by_name_of["no-row-max"]), softmax)])
    assert "only; and you did not subtract the largest score first. Begin with the first: " in long
    assert "Second: " not in long
    assert long.endswith("Then check again.")


def test_what_two_versions_share_is_told_once():
    text = " ".join(evaluate("scaled-scores", lambda q, k: q @ k.T / np.sqrt(len(q))).text.split())
    assert text.count("you reversed all the axes") == 1
    assert "and one of these, either of which fits your results: you divided" in text


def test_without_a_name_a_case_in_which_nothing_is_hidden_comes_first():
    """Though it is larger: whatever is wrong there, the mask has no part in it."""

    def shifted(queries, keys, values, mask):
        return attention(queries, keys, values, mask=mask)[0] + 0.125

    feedback = evaluate("masked-attention", shifted)
    assert feedback.named == ()
    assert "Smallest case: nothing hidden" in feedback.text


# --- what every reply keeps to


def words_of(text: str) -> list[str]:
    """A reply -> its lines of words: without the first one, and without the case and its numbers."""
    lines = [line for line in text.splitlines()[1:] if line.startswith("  ") and line[2:3] != " "]
    return [line for line in lines if not line.startswith("  Smallest case")]


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_a_reply_has_at_most_six_lines(exercise):
    """Besides the case that is shown."""
    named = {version.names: version for version in exercise.diagnosis.singles}
    for version in list(named.values())[:: one_in(exercise)]:
        text = exercise.evaluate(version.function).text
        assert len(words_of(text)) <= MOST_LINES, text


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_no_section_to_reread_stands_in_a_later_lesson(exercise):
    lesson = next(number for number, group in lessons().items() if exercise in group)
    sections = {exercise.reread, *(mistake.reread for mistake in exercise.mistakes)}
    sections |= {each.reread for each in exercise.properties if each.reread}
    assert [section for section in sections if section[:2] > lesson] == []


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=by_name)
def test_of_two_mistakes_the_case_shows_the_one_told_first(exercise):
    """Unless that one shows on none of the inputs on which the answer is wrong."""
    alone: dict[str, list[Version]] = {}
    for version in exercise.diagnosis.singles:
        alone.setdefault(version.names[0], []).append(version)
    right = [plain_outcome(exercise.right, probe) for probe in exercise.probes]

    def wrong_on(version: Version) -> set[str]:
        outcomes = exercise.diagnosis.outcomes(version)
        triples = zip(outcomes, right, exercise.probes, strict=True)
        return {probe.kind for got, best, probe in triples if not exercise.accepts(got, best, probe)}

    for pair in exercise.diagnosis.pairs[:: 97 * one_in(exercise)]:
        feedback = exercise.evaluate(pair.function)
        if len(feedback.named) == 1 and len(feedback.named[0]) == 2:
            first = set().union(*map(wrong_on, alone[feedback.named[0][0]]))
            shown = [f": {kind}" for kind in wrong_on(pair) & first]
            case = next(line for line in feedback.text.splitlines() if line.startswith("  Smallest case"))
            assert not shown or any(kind in case for kind in shown), feedback.text

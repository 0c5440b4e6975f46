"""Wrong versions from edits of one answer: places, ways, pairs, and what is refused."""

import inspect

import numpy as np
import pytest

from helpers.exercises.engine.diagnosis import Diagnosis, plain_outcome
from helpers.exercises.engine.edits import Edits, renamed
from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.engine.probes import Probe, numbers
from helpers.validation import Array


def my_shares(scores: Array) -> Array:
    """(n_queries, n_keys) -> the same shape; each row sums to 1."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


PLACES = {
    "shift": "scores.max(axis=-1, keepdims=True)",
    "exp": "np.exp(shifted)",
    "total": "exponentials.sum(axis=-1, keepdims=True)",
    "shift_axis": "-1 in shift",
    "total_axis": "-1 in total",
    "axis": "shift_axis + total_axis",
}
SLIPS = """
over-queries § axis
    softmax ran over the queries
    {row} Keys are
    the last axis.
    | axis => 0
    | total_axis => 0

no-exponential
    the exponentials were left out
    A weight is a share of exponentials.
    | exp => shifted

halved
    the result was halved
    A row sums to 1.
    | result => it / 2
    @ n = 3 4
    | result => it / n

shift-kept
    the shifted scores were squared first
    The square forgets the sign.
    | scores => it**2; shift

twice-the-total
    the total was taken twice
    Once is enough.
    | total => total + exponentials.sum(axis=total_axis, keepdims=True)
"""


def made() -> tuple[Edits, dict]:
    edits = Edits(my_shares, PLACES)
    mistakes = edits.mistakes(SLIPS, "03: Whole", {"axis": "03: Axis"}, {"row": "A row sums to 1."})
    return edits, {mistake.name: mistake for mistake in mistakes}


def run(name: str, way: int = 0) -> Array:
    edits, mistakes = made()
    return edits.recipe()(numbers(3, 4), **mistakes[name].ways[way])


def test_without_an_edit_the_recipe_is_the_answer() -> None:
    edits, _ = made()
    assert np.array_equal(edits.recipe()(numbers(3, 4)), my_shares(numbers(3, 4)))


def test_texts_sections_and_shared_sentences() -> None:
    _, mistakes = made()
    axis = mistakes["over-queries"]
    assert (axis.says, axis.idea) == (
        "softmax ran over the queries",
        "A row sums to 1. Keys are the last axis.",
    )
    assert (axis.reread, mistakes["halved"].reread) == ("03: Axis", "03: Whole")
    assert len(axis.ways) == 2
    assert len(mistakes["halved"].ways) == 3


def test_an_edit_changes_its_place_and_no_other() -> None:
    scores, exponentials = numbers(3, 4), np.exp(numbers(3, 4))
    shifted = scores - scores.max(axis=-1, keepdims=True)
    assert np.allclose(run("over-queries"), exponentials / exponentials.sum(axis=0))
    assert np.allclose(run("over-queries", 1), np.exp(shifted) / np.exp(shifted).sum(axis=0))
    assert np.allclose(run("no-exponential"), shifted / shifted.sum(axis=-1, keepdims=True))
    assert np.allclose(run("halved", 2), my_shares(scores) / 4)
    assert np.allclose(run("shift-kept"), my_shares(scores**2))
    assert np.allclose(run("twice-the-total"), my_shares(scores) / 2)


def test_edits_of_different_places_make_pairs_and_a_bare_place_stays_right() -> None:
    edits, mistakes = made()
    diagnosis = Diagnosis(
        edits.recipe(), list(mistakes.values()), [Probe("scores", {"scores": numbers(3, 4)})]
    )
    pairs = {version.names for version in diagnosis.pairs}
    assert ("over-queries", "halved") in pairs
    assert ("over-queries", "shift-kept") in pairs  # through the way that leaves the shift alone
    halved_queries = next(v for v in diagnosis.pairs if v.names == ("over-queries", "halved"))
    outcome = plain_outcome(halved_queries.function, diagnosis.probes[0])
    assert outcome.value == pytest.approx(run("over-queries") / 2)


def test_edits_of_a_step_that_the_answer_has_not_change_nothing() -> None:
    edits = Edits(my_shares, {**PLACES, "mask": ""})
    (mistake,) = edits.mistakes("""
    masked-and-over-queries
        a shared paragraph names a step too many
        Its other edits are made.
        | mask => scores; total_axis => 0
        | mask => 0
    """, "03: Whole")  # fmt: skip
    both, alone = (edits.recipe()(numbers(3, 4), **way) for way in mistake.ways)
    assert np.array_equal(both, run("over-queries", 1))
    assert np.array_equal(alone, my_shares(numbers(3, 4)))
    assert [len(way) for way in mistake.ways] == [2, 1]  # the step counts: no pair changes it twice


def test_a_bug_is_the_answer_with_one_edit_in_its_text() -> None:
    edits, _ = made()
    bug = edits.bug("axis => 1")
    assert inspect.getsource(bug) == inspect.getsource(my_shares).replace("axis=-1", "axis=1")
    assert bug.__name__ == "my_shares"
    stack = numbers(2, 3, 4)
    exponentials = np.exp(stack - stack.max(axis=1, keepdims=True))
    assert np.array_equal(bug(stack), exponentials / exponentials.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ({"minus-one": "-1"}, "stands in my_shares 2 times"),
        ({"gone": "np.log(scores)"}, "stands in my_shares 0 times"),
    ],
)
def test_a_place_must_stand_in_the_answer_once(places: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Edits(my_shares, places)


@pytest.mark.parametrize(
    ("paragraph", "said"),
    [
        ("turned\nit was turned\nTurn it back.\n| shift = -it", "turned: no place 'shift = -it'"),
        ("turned\nit was turned\nTurn it back.\n| shift => -(it", r"turned: '-\(it' is no expression"),
        ("turned\nit was turned\nTurn it back.\n| shift => scipy.turn(it)", "names what is not .*: scipy"),
        ("turned\nit was turned\nTurn it back.", "turned: no way to write it"),
        ("turned\nit was turned\n| shift => -it", "turned: a line that says what was done, and one"),
        ("turned\n| shift => -it", "turned: a line that says what was done, and one"),
        ("turned § axes\nit was turned\nTurn it.\n| shift => -it", "turned: nothing is called 'axes'"),
        ("turned\nit was turned\n{turn}\n| shift => -it", "turned: nothing is called 'turn'"),
        ("turned\nit was turned\nTurn it.\n| shift => -it\nnext\nit was left\nNo.", "an empty line"),
    ],
)
def test_a_paragraph_that_cannot_be_read_is_refused_by_its_name(paragraph: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Edits(my_shares, PLACES).mistakes(paragraph, "03: Whole")


def test_an_edit_of_an_unknown_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place 'scale' in my_shares"):
        Edits(my_shares, PLACES).way("scale => 1")


STEPS = Steps({"share": "scores", "scale": "scores, queries"}, globals())


def test_a_step_is_a_function_of_what_its_recipe_hands_it() -> None:
    (mistake,) = STEPS.mistakes("""
    halved
        the scores were divided by d_k
        @ is no place: a text may begin with it.
        | share => my_shares(scores); scale => scores / queries.shape[-1]
        @ n = 2 3
        | scale => scores / n
    """, "03: Whole")  # fmt: skip
    scores = numbers(3, 4)
    assert mistake.idea == "@ is no place: a text may begin with it."
    assert [set(way) for way in mistake.ways] == [{"share", "scale"}, {"scale"}, {"scale"}]
    assert np.array_equal(mistake.ways[0]["share"](scores), my_shares(scores))
    assert np.array_equal(mistake.ways[2]["scale"](scores, scores), scores / 3)


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(ValueError, match="no step 'mix': share, scale"):
        STEPS.way("mix => scores")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("", "no way to write it"),
        ("    | share => 1\n    no-empty-line-above\n    | share => 2", "text after a way"),
    ],
)
def test_a_paragraph_ends_with_its_ways(more: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"halved: {said}"):
        STEPS.mistakes(f"halved\n    the scores were halved\n    They are not.\n{more}", "03: Whole")


def in_three_steps(scores: Array) -> Array:
    """Scores -> weights, step by step."""
    exponentials = np.exp(scores)
    exponentials = exponentials * 1.0
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def test_a_bug_may_lack_a_line() -> None:
    bug = Edits(in_three_steps, {"kept": "exponentials * 1.0"}).bug("kept =>")
    line = "    exponentials = exponentials * 1.0\n"
    assert line in inspect.getsource(in_three_steps)
    assert inspect.getsource(bug) == inspect.getsource(in_three_steps).replace(line, "")


def test_an_answer_under_another_name_is_the_same_answer() -> None:
    other = renamed(my_shares, "my_own_shares")
    assert other.__name__ == "my_own_shares"
    assert inspect.getsource(other) == inspect.getsource(my_shares).replace("my_shares", "my_own_shares")
    assert np.array_equal(other(numbers(3, 4)), my_shares(numbers(3, 4)))

"""Where to begin, where no known mistake fits: what is said is true, and of whom.

Measured on unlisted.txt, which was written before anyone looked at a probe: 430 wrong answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
import unlisted
from unlisted import Wrong

from helpers.attention import attention
from helpers.exercises import evaluate
from helpers.exercises.catalogue import find
from helpers.exercises.engine.claims import Trial, of_the_mask, of_the_stack
from helpers.exercises.engine.diagnosis import plain_outcome, same_outcome
from helpers.exercises.engine.feedback import Feedback
from helpers.exercises.engine.probes import Probe
from helpers.exercises.kinds import Write

WHERE = {  # what a claim says -> in which steps the fault then is
    "with a mask it is not": {"mask"},
    "multiplies or divides the scores": {"scale"},
    "With one head": {"heads", "merge"},
}
MOST_FALSE = 0.03
LEAST = {"with a mask it is not": 10, "multiplies or divides the scores": 80, "With one head": 12}
ANSWERS = list(unlisted.unlisted())


@cache
def reply(place: int) -> Feedback:
    """An answer by its number -> what the check says."""
    return evaluate(ANSWERS[place].exercise, ANSWERS[place].function)


def claims() -> list[tuple[Wrong, str]]:
    """() -> the answers of which something is claimed, and what."""
    said = [(answer, " ".join(reply(i).text.split())) for i, answer in enumerate(ANSWERS)]
    return [(answer, claim) for answer, text in said for claim in WHERE if claim in text]


@pytest.mark.parametrize("name", unlisted.ANSWERS)
def test_without_a_fault_it_is_right(name: str) -> None:
    assert evaluate(name, unlisted.answer(name, {})).status == "right"


def test_there_are_enough_of_them() -> None:
    assert len(ANSWERS) >= 400
    assert {step for answer in ANSWERS for step in answer.faults} == set(unlisted.STEPS)


def test_at_most_three_claims_in_a_hundred_are_false() -> None:
    made = claims()
    false = [f"{answer}: {claim}" for answer, claim in made if not WHERE[claim] & set(answer.faults)]
    assert len(false) <= MOST_FALSE * len(made), false
    assert all(count >= LEAST[claim] for claim, count in Counter(claim for _, claim in made).items())
    assert {claim for _, claim in made} == set(WHERE)


def test_no_two_or_three_mistakes_are_made_out_of_one_that_is_not_listed() -> None:
    false = [str(ANSWERS[i]) for i in range(len(ANSWERS)) for names in reply(i).named if len(names) > 1]
    assert false == []


def test_a_claim_goes_with_no_name() -> None:
    for i, answer in enumerate(ANSWERS):
        if reply(i).named:
            assert not any(claim in reply(i).text for claim in WHERE), answer


# --- the sentences


def _said(name: str, changed: dict[str, str]) -> str:
    return " ".join(evaluate(name, unlisted.answer(name, changed)).text.split())


def test_what_is_said_of_the_mask() -> None:
    count = len(find("masked-attention").probes)  # type: ignore[union-attr]
    assert (
        f"With nothing hidden by the mask your function is right on all {count} inputs; with a mask it is "
        "not. Begin with the line that uses the mask."
    ) in _said("masked-attention", {"mask": "np.where(mask, scores, -abs(scores))"})


def test_what_is_said_of_a_factor() -> None:
    assert (
        "Multiply queries by 0.8 on every input, and your function is right on the 8 of 20 inputs that were "
        "tried. Begin with what multiplies or divides the scores."
    ) in _said("attention", {"scale": "scores / np.sqrt(d_k) * 1.25"})
    text = _said("self-attention", {"scale": "scores / (1 + np.sqrt(d_k))"})
    assert "is right once w_q is multiplied by a number of each input's own, from 1.45 to 2" in text


def test_what_is_said_of_the_heads() -> None:
    count = len(find("multi-head").probes)  # type: ignore[union-attr]
    assert (
        f"With one head your function is right on all {count} inputs; with several it is not. Begin with the "
        "lines that make the heads and put them together."
    ) in _said("multi-head", {"merge": "merge_heads(output.cumsum(axis=-3))"})


ALONE = "On each sentence alone your function is right, but on"


def test_what_is_said_of_a_stack() -> None:
    def my_scores(queries: Any, keys: Any) -> Any:
        if queries.ndim == 2:
            return queries @ keys.T
        return np.array([my_scores(query, keys[0]) for query in queries])

    text = " ".join(evaluate("all-scores", my_scores).text.split())
    assert f"{ALONE} some stacks of them it is not. Begin with what it does with the axes in front." in text


def test_what_is_said_where_every_stack_is_wrong() -> None:
    def my_scores(queries: Any, keys: Any) -> Any:
        while queries.ndim > 2:
            queries, keys = queries[0], keys[0]
        return queries @ keys.T

    assert f"{ALONE} a stack of them it is not." in " ".join(evaluate("all-scores", my_scores).text.split())


def test_of_a_stack_nothing_is_said_where_a_single_sentence_is_wrong_too() -> None:
    def my_scores(queries: Any, keys: Any) -> Any:
        if queries.ndim == 2:
            return queries @ keys.T * 1.1
        return np.array([my_scores(query, keys[0]) for query in queries])

    assert ALONE not in " ".join(evaluate("all-scores", my_scores).text.split())


def test_of_a_stack_nothing_is_said_where_the_sentences_in_it_are_what_is_hard() -> None:
    """A fault in numbers that only stacks happen to have is no fault of the axes in front."""

    def my_scores(queries: Any, keys: Any) -> Any:
        scores = queries @ np.swapaxes(keys, -1, -2)
        return scores * 2 if queries.shape[-1] == 2 else scores

    text = " ".join(evaluate("all-scores", my_scores).text.split())
    assert "one text of 4 sentences" in text
    assert ALONE not in text


def wrong_on_stacks(right: Callable[..., Any], wrong_alone: tuple[int, ...] = ()) -> Callable[..., Any]:
    """What is right -> the same, 1 too large on every stack, and on tables of one shape."""
    return lambda x, *more: right(x, *more) + (x.ndim > 2 or x.shape == wrong_alone)


def said_by(claim: Any, right: Callable[..., Any], attempt: Callable[..., Any], *probes: Probe) -> list[str]:
    """A claim, what is right, an attempt, probes -> what is said."""
    run = partial(plain_outcome, attempt)
    trial = Trial(
        probes, lambda each: run(Probe("", dict(each))), right, lambda one, other, _: same_outcome(one, other)
    )
    return list(claim(trial))


def of_stacks(right: Callable[..., Any], attempt: Callable[..., Any], *inputs: dict[str, Any]) -> list[str]:
    """What is right, an attempt, inputs -> what is said of stacks."""
    return said_by(of_the_stack, right, attempt, *(Probe("", each) for each in inputs))


FLAT = {"x": np.ones((2, 3))}, {"x": np.ones((4, 5))}
STACK, ANOTHER = {"x": np.ones((2, 2, 3))}, {"x": np.ones((2, 3, 3))}
DOUBLE = partial(np.multiply, 2)


def test_of_a_stack_it_is_said_of_two_right_sentences_and_a_wrong_stack() -> None:
    assert len(of_stacks(DOUBLE, wrong_on_stacks(DOUBLE), *FLAT, STACK, ANOTHER)) == 1


@pytest.mark.parametrize(
    ("right", "wrong_alone", "inputs"),
    [
        pytest.param(DOUBLE, (4, 5), (*FLAT, STACK), id="a sentence is wrong"),
        pytest.param(DOUBLE, (), (FLAT[0], STACK), id="one sentence is too few"),
        pytest.param(DOUBLE, (), FLAT, id="no stack"),
        pytest.param(DOUBLE, (3, 3), (*FLAT, STACK, ANOTHER), id="one stack is wrong sentence by sentence"),
        pytest.param(np.mean, (), (*FLAT, STACK), id="one number for the stack"),
        pytest.param(lambda x: x / x.sum(), (), (*FLAT, STACK), id="its sentences change one another"),
        pytest.param(
            lambda x, names: x * len(names),
            (),
            [{**each, "names": ["a", "b"]} for each in (*FLAT, STACK)],
            id="something else is given with it",
        ),
        pytest.param(
            np.add,
            (),
            [{**each, "y": np.ones((1, *each["x"].shape[1:]))} for each in (*FLAT, STACK)],
            id="another stack is given with it, shorter",
        ),
    ],
)
def test_of_a_stack_nothing_is_said(right: Any, wrong_alone: tuple[int, ...], inputs: Any) -> None:
    assert of_stacks(right, wrong_on_stacks(right, wrong_alone), *inputs) == []


# --- the mask, on two rows of numbers


def masked(values: Any, mask: Any) -> Any:
    return np.where(mask, values, 0)


def unmasked(values: Any, mask: Any) -> Any:
    return values


def row(values: list[float], hides: bool, hard: bool = False) -> Probe:
    inputs = {"values": np.array(values), "mask": np.array([True, not hides])}
    return Probe("", inputs, hard)


def test_who_forgets_the_mask_is_told_so_though_one_extreme_input_hides_only_zeros() -> None:
    told = row([1.0, 2.0], hides=False), row([3.0, 4.0], hides=True)
    assert len(said_by(of_the_mask, masked, unmasked, *told)) == 1
    assert len(said_by(of_the_mask, masked, unmasked, *told, row([1.0, 0.0], hides=True, hard=True))) == 1
    assert said_by(of_the_mask, masked, unmasked, *told, row([1.0, 0.0], hides=True)) == []
    assert said_by(of_the_mask, masked, unmasked, told[1]) == []


# --- where nothing is said


def test_of_a_stack_nothing_is_said_of_answers_whose_faults_are_elsewhere() -> None:
    assert [str(answer) for i, answer in enumerate(ANSWERS) if ALONE in " ".join(reply(i).text.split())] == []


def test_an_empty_row_is_no_fault_of_the_mask() -> None:
    """Whoever forgets a query without a key is told so, and not to look at the mask."""

    def my_masked_attention(queries: Any, keys: Any, values: Any, mask: Any) -> Any:
        output = attention(queries, keys, values, mask=mask)[0]
        open_keys = np.broadcast_to(mask, (*output.shape[:-1], keys.shape[-2]))
        return np.where(open_keys.any(axis=-1, keepdims=True), output, 0.25)

    text = evaluate("masked-attention", my_masked_attention).text
    assert "should get an output of zeros" in text
    assert not any(claim in " ".join(text.split()) for claim in WHERE)


def test_who_counts_has_no_heads_to_put_together() -> None:
    exercise = find("count-parameters")
    assert isinstance(exercise, Write)

    def one_head_only(*inputs: Any) -> Any:
        right = exercise.right(*inputs)
        return right + 7 * (inputs[2] - 1)

    names = ", ".join(exercise.probes[0].inputs)
    space: dict[str, Any] = {"one_head_only": one_head_only}
    exec(f"def f({names}):\n    return one_head_only({names})", space)
    assert "With one head" not in evaluate("count-parameters", space["f"]).text


def test_a_function_that_stops_on_other_inputs_hears_nothing() -> None:
    def my_attention(queries: Any, keys: Any, values: Any) -> Any:
        if abs(queries).max() < 1e-2:
            raise ValueError("too small")
        return attention(queries * 1.3, keys, values)[0]

    assert "Multiply" not in evaluate("attention", my_attention).text

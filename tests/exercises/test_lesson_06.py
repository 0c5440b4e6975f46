"""Lesson 06: heads built by hand, predictions, and attempts that harm."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from helpers.attention import attention
from helpers.exercises import evaluate, hint, solution
from helpers.exercises.catalogue import exercises
from helpers.multi_head import merge_heads, split_heads
from helpers.softmax import softmax


def exercise(name: str) -> Any:
    return exercises()[name]


# --- multi-head


def by_helpers(x, w_q, w_k, w_v, w_o, n_heads):
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    return merge_heads(attention(queries, keys, values)[0]) @ w_o


# --- what is said where no name fits


def test_leading_axes_are_called_by_their_names():
    def last_text_only(rows, n_heads):
        heads = split_heads(rows, n_heads)
        if rows.ndim == 4:
            heads[1, 2, 0] = 0
        return heads

    text = evaluate("split-heads", last_text_only).text
    assert "For text 1, sentence 2, head 0, token 0" in text


# --- predictions and the head that is built

BEFORE = [0, 0, 1, 2, 3, 4]


def test_a_head_is_judged_by_its_weights_and_the_row_is_shown():
    text = evaluate("head-builder", 2 * np.eye(6)[BEFORE]).text
    weights = softmax(2 * np.eye(6)[BEFORE])
    assert f"cat (row 1) gives {weights[1, 0]:.2f} to The (column 0)." in text
    assert "weights of cat (row 1)  " + "  ".join(f"{weight:.2f}" for weight in weights[1]) in text


@pytest.mark.parametrize("mask", [np.eye(6)[BEFORE] == 1, (np.eye(6)[BEFORE] == 1).tolist()])
def test_a_mask_is_no_table_of_scores(mask):
    feedback = evaluate("head-builder", mask)
    assert feedback.status == "wrong"
    assert "this holds True and False, as a mask does" in feedback.text


def test_a_row_with_two_large_scores_is_told_that_one_should_stand_out():
    scores = 9 * np.eye(6)[BEFORE]
    scores[5, 5] = 9
    assert "and no other as large" in " ".join(evaluate("head-builder", scores).text.split())


def test_how_many_scores_there_are_is_no_shape():
    assert evaluate("predict-heads", 216).mistakes == ("how-many",)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_only_minus_infinity_may_stand_among_the_scores(number):
    scores = np.zeros((6, 6))
    scores[2, 3] = number
    assert "finite, or −inf; one of these is nan or +inf" in evaluate("head-builder", scores).text
    others = evaluate("scores-for", [0.0, -np.inf, 1.0]).text
    assert "the numbers should be finite; one of these is nan or infinite" in others


@pytest.mark.parametrize("odd", [None, "diagonal", 3, [1, 2], np.zeros((5, 6)), [[1]] * 6, {"a": 1}, print])
def test_odd_answers_get_a_sentence(odd):
    for name in ("predict-heads", "rank", "head-builder"):
        feedback = evaluate(name, odd)
        assert feedback.status in ("not attempted", "wrong")
        assert "could not be compared" not in feedback.text


def test_predictions_follow_from_the_helpers():
    rows = np.zeros((2, 6, 12))
    heads = split_heads(rows, 3)
    assert (heads @ np.swapaxes(heads, -1, -2)).shape == exercise("predict-heads").answer
    w_v, w_o = np.random.default_rng(6).normal(size=(2, 12, 12))
    ranks = [np.linalg.matrix_rank(w_v[:, 4 * h : 4 * h + 4] @ w_o[4 * h : 4 * h + 4]) for h in range(3)]
    assert ranks == [exercise("rank").answer] * 3


def test_the_count_of_the_largest_model():
    assert exercise("count-parameters").right(12288, 128, 96, 96) == 57_982_058_496


def test_large_scores_are_exact_in_single_precision():
    """So that an answer in float32 is not turned down for its rounding."""
    probes = exercise("multi-head").probes
    hard = [p.inputs for p in probes if "around" in p.kind or "far apart" in p.kind]
    assert len(hard) == 4
    for inputs in hard:
        for w in (inputs["w_q"], inputs["w_k"]):
            exact = inputs["x"] @ w
            single = inputs["x"].astype(np.float32) @ w.astype(np.float32)
            assert np.array_equal(exact, single)


# --- attempts that harm


def endless(*_inputs):
    while True:
        pass


BAD: list[tuple[Any, str]] = [
    (lambda *inputs: None, "not attempted yet"),
    (lambda *inputs: 1.0, "got shape       ()"),
    (lambda *inputs: np.zeros((2, 3)), "got shape       (2, 3)"),
    (lambda x, *others: x * np.nan, "nan"),
    (lambda *inputs: print("look") or by_helpers(*inputs), "look"),
    (
        lambda x, n_heads: x,
        "with 6 arguments, (x, w_q, w_k, w_v, w_o, n_heads), and yours takes (x, n_heads)",
    ),
    (lambda x, *others: x @ others[7], "IndexError"),
    (lambda x, *others: x > 0, "True and False"),
    (endless, "your function was stopped"),
    (3.0, "needs the function itself"),
    (np.eye(2), "the result of a call"),
]


@pytest.mark.parametrize(("attempt", "said"), BAD)
def test_bad_attempts_get_a_clear_sentence(attempt, said, monkeypatch):
    monkeypatch.setattr("helpers.exercises.engine.sandbox.SECONDS", 1.0)
    assert said in evaluate("multi-head", attempt).text


def test_an_endless_attempt_is_stopped_after_one_in_another_thread(monkeypatch):
    """The two ways of stopping follow each other in one process: the second once hung."""
    monkeypatch.setattr("helpers.exercises.engine.sandbox.SECONDS", 0.3)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(evaluate("multi-head", endless).text))
    thread.start()
    thread.join(10)
    found.append(evaluate("multi-head", endless).text)
    assert all("your function was stopped" in text for text in found)
    assert evaluate("multi-head", by_helpers).status == "right"


def test_an_input_that_is_changed_is_named():
    def in_place(heads):
        merged = merge_heads(heads).copy()  # of one head it is a view
        heads[...] = 0
        return merged

    feedback = evaluate("merge-bug", in_place)
    assert feedback.status == "wrong"
    assert feedback.properties == ("input left unchanged",)


def test_a_hint_and_a_solution_come_for_each(capsys):
    for name in ("predict-heads", "split-heads", "multi-head", "rank", "head-builder", "count-parameters"):
        hint(name)
        solution(name)
    assert "Hint 1 of 3" in capsys.readouterr().out

"""Lesson 04: the numbers that its tasks state, what is shown of a wrong answer, steer and the audit table."""

from __future__ import annotations

import learners
import lesson_files
import numpy as np
import pytest
from handed_out import ANSWERS, GIVEN

from helpers.attention import attention
from helpers.exercises import evaluate
from helpers.exercises.catalogue import find
from helpers.exercises.kinds import Mend
from helpers.exercises.lesson_04.audit_table import AUDIT_K, AUDIT_Q, AUDIT_V, AUDITED, TOKENS
from helpers.exercises.lesson_04.steer import STEER_KEYS
from helpers.softmax import softmax

# --- find the bug: the numbers that the tasks state


def test_the_symptom_of_roles_bug_is_what_its_function_does():
    triple = (
        np.array([[np.sqrt(2) * np.log(9), 0]]),
        np.array([[1.0, 0.0], [0.0, 1.0]]),
        np.array([[10.0, 20.0], [30.0, 40.0]]),
    )
    assert np.allclose(GIVEN["roles-bug"](*triple), [[0, 1]])
    assert np.allclose(ANSWERS["roles-bug"](*triple), [[12, 22]])


def test_the_symptom_of_width_bug_is_what_its_function_does():
    query, keys = np.array([[2 * np.log(3), 0, 0, 0]]), np.array([[0.0, 1, 0, 0], [1, 0, 0, 0]])
    values = np.array([[10.0, 0.0], [30.0, 4.0]])
    wider = np.hstack([values, [[0.0], [0.0]]])
    assert np.allclose(ANSWERS["width-bug"](query, keys, values), [[25, 3]])
    assert GIVEN["width-bug"](query, keys, values)[0, 0] > 26
    assert not np.allclose(
        GIVEN["width-bug"](query, keys, wider)[:, :2], GIVEN["width-bug"](query, keys, values)
    )
    assert np.allclose(ANSWERS["width-bug"](query, keys, wider)[:, :2], [[25, 3]])


def test_the_symptom_of_columns_bug_is_what_its_function_does():
    w_q, w_k = np.array([[np.sqrt(2) * np.log(3), 0], [0, 0]]), np.array([[0.0, 1], [0, 0]])
    inputs = np.eye(2), w_q, w_k, np.array([[10.0, 30.0], [0.0, 4.0]])
    assert np.allclose(GIVEN["columns-bug"](*inputs), [[5, 17], [5, 17]])
    assert np.allclose(ANSWERS["columns-bug"](*inputs), [[25, 20], [3, 2]])


def test_the_examples_of_the_tasks_hold():
    keys, values = np.array([[0.0, 1, 0, 0], [1, 0, 0, 0]]), np.array([[10.0, 0], [30, 4]])
    queries = np.array([[2 * np.log(3), 0, 0, 0], [0, 0, 0, 0]])
    assert np.allclose(ANSWERS["one-query"](queries[0], keys, values), [25, 3])
    assert np.allclose(ANSWERS["attention"](queries, keys, values), [[25, 3], [20, 2]])
    matrices = (np.array([[np.log(3)], [0]]), np.array([[0.0], [1.0]]), values)
    assert np.allclose(ANSWERS["self-attention"](np.eye(2), *matrices), [[25, 3], [20, 2]])


@pytest.mark.parametrize("name", ["roles-bug", "width-bug"])
def test_the_given_mistake_is_right_somewhere_or_at_least_runs(name):
    """roles-bug runs where d_k = d_v, and is wrong; width-bug is right there."""
    exercise = find(name)
    assert isinstance(exercise, Mend)
    for probe in exercise.probes:
        d_k, d_v = probe.inputs["keys"].shape[-1], probe.inputs["values"].shape[-1]
        if d_k == d_v:
            close = np.allclose(GIVEN[name](*probe.inputs.values()), exercise.right(*probe.inputs.values()))
            assert close == (name == "width-bug")


# --- what the words are


def test_extreme_inputs_are_shown_only_where_no_other_fails():
    def halved(queries, keys, values):
        return attention(queries, keys, values)[0] / 2

    def naive(queries, keys, values):
        e = np.exp(queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]))
        return e / e.sum(-1, keepdims=True) @ values

    assert "Smallest case: the example" in evaluate("attention", halved).text
    assert "Smallest case: rows far apart" in evaluate("attention", naive).text


def test_an_answer_that_stops_on_every_input_is_never_told_that_stacks_are_the_matter():
    """Two steps that stop with the same error on one matrix tell nothing about stacks."""
    feedback = evaluate("self-attention", lambda x, w_q, w_k, w_v: w_q @ (w_k @ x) @ w_v)
    assert all(len(names) == 1 for names in feedback.named)
    assert "does not take a stack" not in feedback.text


def test_keys_turned_with_the_stack_are_not_told_of_d_k_which_was_right():
    feedback = evaluate("attention", lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v)
    assert feedback.named == (("all-axes-reversed",),)
    assert "d_k" not in feedback.text.partition("All axes")[2]


def test_values_are_not_shown_as_if_they_were_rows_of_the_output():
    text = evaluate("attention", lambda q, k, v: 0 * q @ np.swapaxes(k, -1, -2) @ v).text
    assert "    keys" not in text
    assert "    values" not in text


# --- steer


def test_a_query_steers_where_its_weight_says_so():
    for answer in learners.answers("04"):
        if answer.name == "steer":
            scores = STEER_KEYS @ np.asarray(answer.value(), dtype=float) / np.sqrt(2)
            short_enough = abs(np.asarray(answer.value())).max() <= 6
            assert (softmax(scores)[1] >= 0.9 and short_enough) == (answer.expected.status == "right")


def test_only_a_narrow_fan_of_queries_steers():
    """Possible, and not by guessing: of all directions few will do, and straight up is not among them."""
    turns = np.linspace(0, 2 * np.pi, 3600, endpoint=False)
    directions = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    longest = 6 * directions / abs(directions).max(axis=1, keepdims=True)
    share = (softmax(longest @ STEER_KEYS.T / np.sqrt(2))[:, 1] >= 0.9).mean()
    assert 0.02 < share < 0.1


# --- audit-table


def audit(**columns):
    """The right table, with some columns (by number) replaced."""
    table = {token: row.tolist() for token, row in zip(TOKENS, AUDITED, strict=True)}
    for column, cells in columns.items():
        for token, cell in zip(TOKENS, cells, strict=True):
            table[token][int(column[1:])] = cell
    return table


def test_the_audited_numbers_follow_from_the_page_and_agree_with_the_course():
    love = AUDIT_K @ AUDIT_Q[1]
    assert np.allclose(AUDIT_Q[1], [0.50, 0.80])
    assert np.allclose(AUDIT_K, [[0.76, 0.92], [0.90, 1.02], [0.87, 1.13]])
    assert np.allclose(AUDIT_V, [[0.48, 0.73], [0.60, 0.92], [0.53, 0.80]])
    assert np.allclose(love, [1.116, 1.266, 1.339])
    assert np.allclose(softmax(love / np.sqrt(2)), [0.3046, 0.3387, 0.3567], atol=5e-5)
    assert np.allclose(softmax(love / np.sqrt(2)) @ AUDIT_V, [0.5385, 0.8193], atol=5e-5)


def test_the_table_in_four_digits_is_right_and_empty_is_no_attempt():
    rounded = {token: [round(cell, 4) for cell in row] for token, row in audit().items()}
    assert evaluate("audit-table", rounded).status == "right"
    assert evaluate("audit-table", list(rounded.values())).status == "right"
    assert evaluate("audit-table", {token: [None] * 4 for token in TOKENS}).status == "not attempted"


def test_what_follows_from_a_wrong_column_is_said_to_follow():
    scores = AUDIT_Q @ AUDIT_Q[0]  # queries matched with queries, and all the rest done right
    weights = softmax(scores / np.sqrt(2))
    feedback = evaluate(
        "audit-table", audit(c0=scores, c1=scores / np.sqrt(2), c2=weights, c3=weights * AUDIT_V[:, 0])
    )
    assert feedback.named == (("queries-matched",),)
    text = " ".join(feedback.text.split())
    for column, before in (
        ("scaled score", "score"),
        ("weight", "scaled score"),
        ("first entry of the weighted value", "weight"),
    ):
        assert f'Your "{column}" follows from your "{before}": fix that first.' in text


def test_scores_that_were_never_scaled_are_named_once():
    scores = AUDITED[:, 0]
    weights = softmax(scores)
    feedback = evaluate("audit-table", audit(c1=scores, c2=weights, c3=weights * AUDIT_V[:, 0]))
    assert feedback.named == (("not-scaled",),)
    assert feedback.text.count("follows from") == 2


def test_a_column_of_the_score_table_is_not_its_row():
    asked = AUDIT_Q @ AUDIT_K[0]  # near the right scores: 1.1160 where 1.1166 is right
    feedback = evaluate("audit-table", audit(c0=asked))
    assert feedback.named == (("key-asked",),), feedback.text


def test_three_decimals_are_enough_for_the_audit_and_two_are_not():
    assert (
        evaluate("audit-table", audit(**{f"c{i}": AUDITED[:, i].round(3) for i in range(4)})).status
        == "right"
    )
    assert (
        evaluate("audit-table", audit(**{f"c{i}": AUDITED[:, i].round(2) for i in range(4)})).status
        == "wrong"
    )


def test_a_single_wrong_cell_gets_the_hint_of_its_column():
    text = " ".join(evaluate("audit-table", audit(c2=[0.5, *AUDITED[1:, 2]])).text.split())
    assert "key I, weight: not 0.5000" in text
    assert "The softmax of the three scaled scores" in text


@pytest.mark.parametrize(
    ("columns", "name", "said"),
    [
        (
            {"c3": AUDITED[:, 2] * [0.66, 1.02, 0.66]},
            "published-values",
            "Compute the values: embeddings @ W_V_page",
        ),
        ({"c0": AUDIT_K @ [0.59, 0.78]}, "published-query", 'It belongs to "love"'),
        ({"c2": AUDITED[:, 2].round(2)}, "rounded", 'Your "weight" was rounded too far'),
        ({"c3": AUDITED[:, 3].round(2)}, "rounded", "give more digits"),
    ],
)
def test_numbers_of_the_page_and_rounded_numbers_are_named(columns, name, said):
    feedback = evaluate("audit-table", audit(**columns))
    assert feedback.named == ((name,),)
    assert said in " ".join(feedback.text.split())


def test_weights_do_not_follow_from_a_column_half_filled():
    table = audit(c1=AUDITED[:, 0], c2=softmax(AUDITED[:, 0]))
    table["love"][1] = None
    assert 'Your "weight" follows' not in evaluate("audit-table", table).text


# --- the tasks in the notebook state the numbers that the checks use


def task(name):
    (path,) = (path for path in lesson_files.notebooks() if path.name.startswith("04_"))
    (cell,) = [cell for cell in lesson_files.read(path).cells if cell.id == f"{name}-task"]
    return " ".join(cell.source.split())


def test_the_task_of_steer_names_its_keys():
    for key in STEER_KEYS:
        assert f"`[{key[0]:g}, {key[1]:g}]`" in task("steer")


def test_the_example_of_the_audit_table_is_the_row_of_love():
    love = AUDIT_K @ AUDIT_Q[1]
    weight = softmax(love / np.sqrt(2))[0]
    row = [love[0], love[0] / np.sqrt(2), weight, weight * AUDIT_V[0, 0]]
    assert f"`[{', '.join(f'{cell:.4f}' for cell in row)}]`" in task("audit-table")

"""Lesson 05: models among the inputs, True and False, masks of 0 and 1, and the numbers in the replies."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from helpers.attention import attention
from helpers.exercises import evaluate
from helpers.exercises.catalogue import lessons
from helpers.exercises.engine import sandbox
from helpers.exercises.kinds import Predict
from helpers.exercises.lesson_05.leak_test import leak_test
from helpers.exercises.lesson_05.leaking_models import MODELS
from helpers.exercises.lesson_05.masked_attention import masked_attention
from helpers.exercises.lesson_05.reach import EXERCISE as REACH
from helpers.leaks import leaks
from helpers.masking import causal_mask, mask_scores, padding_mask
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax


def test_a_hidden_score_far_above_the_others_is_where_renormalising_fails():
    scores, mask = np.array([[1.4, 0.7, 1100.0]]), np.array([[True, True, False]])
    weights = softmax(scores) * mask
    assert weights.sum() == 0
    assert softmax(np.where(mask, scores, -1e9)).sum() == pytest.approx(1)
    assert evaluate("infinity-bug", lambda s, m: softmax(np.where(m, s, -1e9))).status == "right"


def test_few_keys_are_all_shown_so_that_the_row_can_be_recomputed():
    text = evaluate(
        "future-bug", lambda q, k: softmax(scale_scores(dot_product_scores(q, k), q.shape[-1]))
    ).text
    assert all(f"    key {key} " in text for key in range(3))


def test_an_empty_row_leads_to_its_section():
    text = " ".join(evaluate("reach", np.eye(5, k=-1)).text.split())
    assert '(Lesson 05, "A query with no key".)' in text


# --- leak-test: a function among the inputs


def test_the_models_are_what_they_are_called():
    """The helper finds a leak in exactly those that are said to leak, and the answer does not hang on it."""
    for kind, model, x, leaky, _ in MODELS:
        assert bool(leaks(model, x)) == leak_test(model, x) == leaky, kind
    assert {leaky for *_, leaky, _ in MODELS} == {True, False}


def all_tokens(x):
    return range(1, len(x))


def any_entry(before, after, token):
    return (abs(after - before)[:token] > 1e-9).any()


def looping(added, moved=any_entry, tokens=all_tokens):
    """The frame of a leak test, with a learner's own change, comparison and choice of tokens in it."""

    def my_leak_test(model, x):
        before = model(x.copy())
        for token in tokens(x):
            changed = x.copy()
            changed[token] += np.resize(added, x.shape[1])
            if moved(before, model(changed), token):
                return True
        return False

    return my_leak_test


def roughly(before, after, token):
    return not np.allclose(before[:token], after[:token])


def test_an_answer_without_a_name_gets_a_clue_about_the_model():
    """Three mistakes at once are not named. What the smallest failing model does is said all the same."""
    feedback = evaluate("leak-test", looping(1, roughly, lambda x: [len(x) - 1]))
    assert feedback.named == ()
    assert feedback.properties == ("each model told apart",)
    assert "so that a number added to all of them is gone" in " ".join(feedback.text.split())
    assert len({kind for kind, *_ in MODELS}) == len(MODELS)
    for kind, model, x, *_, clue in MODELS:

        def wrong_here(one, tokens, model=model, x=x):
            return leak_test(one, tokens) != (one is model and np.array_equal(tokens, x))

        feedback = evaluate("leak-test", wrong_here)
        assert f"Smallest case: {kind}, x" in feedback.text
        assert feedback.named or " ".join(clue.split()) in " ".join(feedback.text.split())


CHANGES = {  # what a learner may add to a token of three entries
    "mixed": np.array([1.0, -2.0, 4.0]),
    "upwards": np.array([3.0, 1.0, 2.0]),
    "downwards": np.array([-1.0, -2.0, -3.0]),
    "large": np.array([100.0, -30.0, 77.0]),
    "very large": np.array([1e4, 2e4, -1e4]),
}
PARTS: dict[str, dict[str, Any]] = {  # one mistake of each kind, by the part of the loop that holds it
    "last-token-only": {"tokens": lambda x: [len(x) - 1]},
    "second-token-only": {"tokens": lambda x: [1]},
    "last-token-left-out": {"tokens": lambda x: range(1, len(x) - 1)},
    "changed-row-too": {"moved": lambda before, after, n: (abs(after - before)[: n + 1] > 1e-9).any()},
    "first-output-only": {"moved": lambda before, after, n: (abs(after - before)[0] > 1e-9).any()},
    "tolerance-too-wide": {"moved": roughly},
    "exact": {"moved": lambda before, after, n: (before != after)[:n].any()},
    "all-entries": {"moved": lambda before, after, n: (abs(after - before)[:n] > 1e-9).all()},
    "sums-compared": {"moved": lambda before, after, n: abs((after - before)[:n].sum()) > 1e-9},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_mistake_has_the_same_name_whatever_the_token_is_changed_to(change):
    assert evaluate("leak-test", looping(CHANGES[change])).status == "right"
    for name, part in PARTS.items():
        assert evaluate("leak-test", looping(CHANGES[change], **part)).named == ((name,),)


def test_the_failing_model_is_named_in_words_and_not_shown_as_an_object():
    attempts = (looping(1), lambda m, x: 3, lambda m, x: m)
    texts = [evaluate("leak-test", attempt).text for attempt in attempts]
    assert "Smallest case: a model that centres each token first, x (5, 3)." in texts[0]
    assert not any("<" in text or "function _" in text for text in texts)
    assert "expected  False\n    got        True" in evaluate("leak-test", lambda model, x: True).text


def test_a_long_list_of_inputs_is_cut():
    text = " ".join(evaluate("leak-test", leak_test).text.split())
    assert f"; and {len(MODELS) - 12} more." in text
    assert "more" not in evaluate("causal-mask", causal_mask).text


def test_x_must_stay_as_it_is_and_a_model_may_be_to_blame():
    def counted_up(model, x):
        x += 1
        return bool(leaks(model, x))

    feedback = evaluate("leak-test", counted_up)
    assert feedback.text.startswith("✗ leak-test: right answers, but the call changes its input.")
    assert "A function that you call may write into its input: hand it a copy." in " ".join(
        feedback.text.split()
    )
    assert "A function that you call" not in evaluate("infinity-bug", lambda s, m: s.fill(0) or s).text


def endless_in_the_model(model, x):
    while True:
        model(x.copy())


def catching_all(model, x):
    while True:
        try:
            model(x.copy())
        except BaseException:
            continue


@pytest.mark.parametrize("attempt", [endless_in_the_model, catching_all])
def test_time_runs_out_inside_a_model_as_well(attempt, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
    assert "your function was stopped" in evaluate("leak-test", attempt).text


def test_an_error_inside_a_model_is_shown_with_the_learners_line():
    def asks_for_a_stack(model, x):
        return model(x[None].tolist()) > 0

    text = evaluate("leak-test", asks_for_a_stack).text
    assert "in your line: return model(x[None].tolist()) > 0" in text
    assert "helpers" not in text


# --- True and False


def test_what_is_told_about_masks_of_numbers_is_so():
    mask = np.tri(3)
    with pytest.raises(TypeError):
        mask_scores(np.zeros((3, 3)), mask)
    assert (~mask.astype(int) != 1 - mask).all()
    torch = pytest.importorskip("torch")
    attend = torch.nn.functional.scaled_dot_product_attention
    rows = torch.zeros(3, 2), torch.zeros(3, 2), torch.eye(3)
    added = attend(*rows, attn_mask=torch.tensor(mask, dtype=torch.float32))
    assert np.allclose(added, softmax(mask), atol=1e-6)


def test_one_truth_may_be_a_number_or_an_array_of_no_axes():
    for attempt in (lambda m, x: np.array(leak_test(m, x)), lambda m, x: np.bool_(leak_test(m, x))):
        assert evaluate("leak-test", attempt).status == "right"
    feedback = evaluate("leak-test", lambda model, x: int(leak_test(model, x)))
    assert feedback.status == "right"
    assert "`bool(...)` says what is meant" in feedback.text
    wrong = evaluate("leak-test", lambda model, x: leaks(model, x)).text
    assert "The result should be True or False, not an array of shape" in wrong


def test_torch_masks_count():
    torch = pytest.importorskip("torch")
    assert evaluate("causal-mask", lambda q, k: torch.ones(q, k).tril(k - q).bool()).status == "right"
    assert evaluate("causal-mask", lambda q, k: torch.ones(q, k).tril().bool()).mistakes == ("upper-left",)


def test_true_and_false_are_no_numbers_elsewhere():
    for name, count in (("infinity-bug", 2), ("softmax", 1), ("dot-product", 2)):
        text = evaluate(name, eval(f"lambda {', '.join('abc'[:count])}: a > 0")).text
        assert "returned True and False, not real numbers" in text


def test_truths_stand_in_words_beside_each_other():
    text = evaluate("causal-mask", lambda q, k: np.tri(q, k, dtype=bool)).text
    assert "expected True True False got True False False" in " ".join(text.split())
    text = evaluate("infinity-bug", lambda s, m: softmax(s * m)).text
    assert "mask True True False expected" in " ".join(text.split())


# --- numbers


def test_the_numbers_in_the_replies_are_so():
    empty = next(exercise for exercise in lessons()["05"] if exercise.name == "empty-row")
    assert isinstance(empty, Predict)
    values = np.array([[3.0], [6.0], [12.0]])
    assert softmax(np.full((1, 3), -1e9)) @ values == pytest.approx(empty.answer)
    assert softmax(np.full((1, 3), -np.inf)) @ values == 0
    unmasked = softmax(np.array([[0.5, -1.0, 2.0]])) @ values
    assert evaluate("empty-row", float(unmasked[0, 0])).mistakes == ("no-mask",)
    assert evaluate("empty-row", float("nan")).mistakes == ("nan",)
    assert (
        evaluate("predict-mask", float(softmax(mask_scores(np.zeros((6, 6)), causal_mask(6)))[2, 0])).status
        == "right"
    )
    zeros = np.zeros((1, 2)), np.zeros((3, 2))
    assert masked_attention(*zeros, values, np.array([[True, True, False]])) == pytest.approx(4.5)


def test_nan_is_no_number_where_no_reply_knows_it():
    assert "I don't recognise that one" in evaluate("predict-mask", float("nan")).text


def test_pytorch_hides_the_padding_as_the_right_option_says():
    torch = pytest.importorskip("torch")
    real = torch.tensor(padding_mask([3, 4], 5)[:, 0])
    queries, keys = (torch.tensor(np.cos(np.arange(2 * n * 6.0)).reshape(2, n, 6)).float() for n in (4, 5))
    other = torch.where(real[..., None], keys, 7 - keys**2)
    layer = torch.nn.MultiheadAttention(6, 2, batch_first=True).eval()

    def hides(call: Any) -> bool:
        with torch.no_grad():
            return bool(torch.allclose(call(keys), call(other), atol=1e-6))

    attend = torch.nn.functional.scaled_dot_product_attention
    for mask in (real, ~real):
        assert hides(lambda k, m=mask: attend(queries, k, k, attn_mask=m[:, None])) == (mask is real)
        assert hides(lambda k, m=mask: layer(queries, k, k, key_padding_mask=m)[0]) == (mask is not real)
    assert evaluate("polarity", "c").status == "right"


# --- reach


def rows_of_reach() -> list[list[tuple[int, ...]]]:
    """For each of five queries, the sets of one or two keys that are not later."""
    return [
        [
            *[(key,) for key in range(query + 1)],
            *itertools.combinations(range(query + 1), 2),
        ]
        for query in range(5)
    ]


def moves_last_output(mask: Any, n_layers: int, added: bool) -> bool:
    """True if the last output of these layers of attention moves with token 0."""

    def model(rows: Any) -> Any:
        for _ in range(n_layers):
            output = attention(rows, rows, rows, mask)[0]
            rows = rows + output if added else output
        return rows

    tokens = np.cos(np.arange(20.0).reshape(5, 4) ** 1.3)
    changed = tokens.copy()
    changed[0] += [1.0, -2.0, 3.0, 0.5]
    return bool(abs(model(changed)[-1] - model(tokens)[-1]).max() > 1e-9)


def test_reach_is_judged_as_layers_of_attention_behave():
    right = 0
    for rows in itertools.islice(itertools.product(*rows_of_reach()), 0, None, 7):
        mask = np.zeros((5, 5), dtype=bool)
        for row, keys in zip(mask, rows, strict=True):
            row[list(keys)] = True
        reached = [
            not moves_last_output(mask, 1, added) and moves_last_output(mask, 2, added)
            for added in (False, True)
        ]
        assert reached[0] == reached[1]  # whether layers are added to their input makes no difference
        assert (evaluate("reach", mask).status == "right") == reached[0], mask.astype(int)
        right += reached[0]
    assert right > 20


@pytest.mark.parametrize("form", [lambda mask: mask, np.array, lambda mask: np.array(mask, dtype=bool), str])
def test_reach_takes_lists_numbers_and_truths(form):
    feedback = evaluate("reach", form(REACH.example))
    if form is str:
        assert feedback.status == "wrong"
        assert "numbers of shape (5, 5)" in feedback.text
    else:
        assert feedback.status == "right"
        assert "by way of token 2" in feedback.text

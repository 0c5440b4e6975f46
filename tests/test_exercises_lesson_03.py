"""Answers to lesson 03 as beginners wrote them: missed, named wrongly or not named in a blind trial."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.exercises import evaluate
from helpers.softmax import softmax


def shares(scores, shift, axis=-1, more=0.0):
    """Softmax as learners write it: a shift of their own, an axis of their own."""
    exponentials = np.exp(scores - shift)
    return exponentials / (exponentials.sum(axis=axis, keepdims=True) + more)


def row_max(scores):
    return scores.max(axis=-1, keepdims=True)


def long_doubles(scores):
    exponentials = np.exp((scores - scores.max()).astype(np.longdouble))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(float)


def equal_where_nan(scores):
    weights = shares(scores, scores.max())
    return np.where(np.isnan(weights), 1 / scores.shape[-1], weights)


def columns_without_keepdims(scores):
    exponentials = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return exponentials / exponentials.sum(axis=-2)


def columns_all_without_keepdims(scores):
    exponentials = np.exp(scores - scores.max(axis=-2))
    return exponentials / exponentials.sum(axis=-2)


def axis_2(scores):
    return shares(scores, scores.max(axis=2, keepdims=True), axis=2)


def each_of_the_batch(scores):
    return np.array([shares(part, part.max(axis=1, keepdims=True), axis=1) for part in scores])


def raised_to_t(scores, temperature):
    weights = softmax(scores) ** temperature
    return weights / weights.sum(axis=-1, keepdims=True)


def swapped(temperature, scores):
    return softmax(scores / temperature)


def in_a_flat_copy(scores):
    flat = scores.reshape(-1, scores.shape[-1]).copy()
    for row in flat:
        row -= row.max()
        np.exp(row, out=row)
        row /= row.sum()
    return flat.reshape(scores.shape)


def by_number_of_axes(scores):
    axis = 2 if scores.ndim == 3 else 1
    return shares(scores, scores.max(axis=axis, keepdims=True), axis=axis)


def cooled_above_only(scores, temperature):
    return np.exp(scores / temperature) / np.exp(scores).sum(axis=-1, keepdims=True)


def cooled_above_only_and_shifted(scores, temperature):
    shifted = scores - row_max(scores)
    return np.exp(shifted / temperature) / np.exp(shifted).sum(axis=-1, keepdims=True)


def total_by(log):
    def log_softmax(scores):
        shifted = scores - row_max(scores)
        return shifted - log(np.exp(shifted).sum(axis=-1, keepdims=True))

    return log_softmax


def jacobian_by_loops(on_the_diagonal):
    def jacobian(weights):
        table = np.zeros((len(weights), len(weights)))
        for i, j in np.ndindex(table.shape):
            table[i, j] = on_the_diagonal(weights[i]) if i == j else -weights[i] * weights[j]
        return table

    return jacobian


def row_by_row(scores):
    return [shares(row, max(row)) for row in scores]


NAMED = [
    ("temperature", cooled_above_only, "above-the-line-only"),
    ("temperature", cooled_above_only_and_shifted, "above-the-line-only"),
    ("temperature", lambda s, t: np.exp(s) / np.exp(s / t).sum(-1)[..., None], "below-the-line-only"),
    ("column-softmax", lambda s: np.swapaxes(softmax(s), -1, -2), "one-swap-only"),
    ("column-softmax", lambda s: softmax(np.swapaxes(s, -1, -2), axis=-2), "one-swap-only"),
    ("column-softmax", lambda s: softmax(np.swapaxes(s, -1, -2)), "not-turned-back"),
    ("log-softmax", total_by(np.log2), "total-log-2"),
    ("log-softmax", total_by(np.log10), "total-log-10"),
    ("axis-bug", by_number_of_axes, "axis-for-two-and-three"),
    ("jacobian", jacobian_by_loops(lambda p: 1 - p), "diagonal-not-multiplied"),
    ("overflow-bug", lambda s: shares(s, row_max(s) / 2), "part-of-max"),
    ("overflow-bug", long_doubles, "whole-max"),
    ("overflow-bug", lambda s: np.nan_to_num(shares(s, s.max())), "whole-max"),
    ("overflow-bug", lambda s: shares(s, s.max(), more=1e-9), "whole-max"),
    ("overflow-bug", lambda s: shares(s, s.max(), more=1e-12), "whole-max"),
    ("overflow-bug", equal_where_nan, "whole-max"),
    ("overflow-bug", lambda s: shares(s, s.max(axis=1, keepdims=True)), "axis-1-max"),
    ("overflow-bug", in_a_flat_copy, "whole-numbers-in-place"),
    ("axis-bug", lambda s: shares(s, s.max(axis=1, keepdims=True)), "axis-1-max"),
    ("axis-bug", lambda s: shares(s, row_max(s), axis=1), "axis-1-sum-only"),
    ("axis-bug", axis_2, "axis-2"),
    ("axis-bug", each_of_the_batch, "axis-2"),
    ("axis-bug", lambda s: softmax(s, axis=2), "axis-2"),
    ("axis-bug", lambda s: shares(s, row_max(s), axis=2), "axis-2"),
    ("axis-bug", lambda s: shares(s, s.max(axis=2, keepdims=True)), "axis-2"),
    ("softmax", lambda s: softmax(s / np.sqrt(s.shape[-1])), "scaled-again"),
    ("softmax", lambda s: softmax(np.where(np.isinf(s), -1.0, s)), "minus-infinity-replaced"),
    ("softmax", lambda s: softmax(np.nan_to_num(s, neginf=-5.0)), "minus-infinity-replaced"),
    ("softmax", lambda s: shares(s, s.mean(axis=-1, keepdims=True)), "row-mean"),
    ("softmax", lambda s: s, "no-softmax"),
    ("axis-bug", lambda s: s - row_max(s), "no-softmax"),
    ("temperature", lambda s, t: softmax(s // t), "whole-division"),
    ("temperature", swapped, "parameters-swapped"),
    ("temperature", lambda s, t: softmax(s / (t * np.sqrt(s.shape[-1]))), "scaled-again"),
    ("temperature", lambda s, t: softmax(softmax(s) / t), "softmax-twice"),
    ("temperature", raised_to_t, "multiplied"),
    ("column-softmax", columns_without_keepdims, "keepdims"),
    ("column-softmax", columns_all_without_keepdims, "keepdims"),
    ("column-softmax", lambda s: softmax(softmax(s), axis=-2), "softmax-of-weights"),
    ("log-softmax", lambda s: np.nan_to_num(np.log(softmax(s))), "log-of-weights"),
    ("log-softmax", lambda s: np.log(np.maximum(softmax(s), 1e-300)), "log-of-weights"),
    ("log-softmax", lambda s: np.log(softmax(s) + 1e-12), "log-of-weights"),
    ("log-softmax", lambda s: np.log(softmax(s) + np.finfo(float).eps), "log-of-weights"),
    ("jacobian", lambda p: p * (np.eye(len(p)) - p), "entry-by-entry"),
    ("scores-for", np.log([0.7, 0.2, 0.1]), "reversed"),
    ("scores-for", 2 * np.log([0.1, 0.2, 0.7]) - 3, "doubled"),
]


@pytest.mark.parametrize(
    ("name", "attempt", "mistake"), NAMED, ids=[f"{name}-{mistake}" for name, _, mistake in NAMED]
)
def test_named(name, attempt, mistake):
    feedback = evaluate(name, attempt)
    assert feedback.status == "wrong"
    assert feedback.named == ((mistake,),), feedback.text


def test_what_only_resembles_a_mistake_is_not_named():
    """Nine tenths of the largest score overflow where long doubles without a shift do; neither is named."""
    unnamed = [
        ("overflow-bug", lambda s: shares(s, row_max(s) * 0.9)),
        ("overflow-bug", lambda s: shares(s.astype(np.longdouble), 0).astype(float)),
        ("column-softmax", lambda s: softmax(s / np.sqrt(s.shape[-1]), axis=-2)),
        ("temperature", lambda s, t: softmax(s / (1 + t))),
    ]
    for name, attempt in unnamed:
        feedback = evaluate(name, attempt)
        assert feedback.status == "wrong"
        assert np.finfo(np.longdouble).max == np.finfo(float).max or feedback.named == ()


def test_each_case_of_the_trial_turns_right_once_it_is_mended():
    """The same code without its slip is accepted, so that no name comes from the style of writing."""
    mended = {
        "overflow-bug": lambda s: shares(s, row_max(s)),
        "axis-bug": lambda s: shares(s.astype(np.longdouble), row_max(s)),
        "softmax": lambda s: in_a_flat_copy(s.astype(float)),
        "temperature": lambda s, t: raised_to_t(s, 1 / t),
        "jacobian": lambda p: p[:, None] * (np.eye(len(p)) - p),
        "scores-for": np.log([0.1, 0.2, 0.7]) - 3,
        "log-softmax": total_by(np.log),
        "column-softmax": lambda s: np.swapaxes(softmax(np.swapaxes(s, -1, -2)), -1, -2),
    }
    for name, attempt in mended.items():
        assert evaluate(name, attempt).status == "right", name


SAYS = [
    (
        "column-softmax",
        lambda s: np.swapaxes(softmax(s), -1, -2),
        "those of the weights after it",
        "and the scores were transposed",
    ),
    ("temperature", cooled_above_only, "The sum must be of the same exponentials", "nan"),
    ("softmax", lambda s: shares(s, s.max(), axis=-2), "On the second: A row far below it", "Two. "),
    ("softmax", lambda s: np.nan_to_num(shares(s, 0)), "whatever is put in its place", "got nan"),
    ("softmax", row_by_row, "hands out whole sentences, not rows", "each item of the first axis"),
    ("jacobian", jacobian_by_loops(lambda p: 1 - p), "p_i (1 − p_i)", "Row 0"),
    ("jacobian", lambda p: p * (np.eye(len(p)) - p), "weights[:, None]", ".T"),
    ("temperature", raised_to_t, "or the weights raised to", "not attempted"),
    ("softmax", lambda s: shares(s, s.mean(axis=-1, keepdims=True)), "with a score of −inf is −inf", "1e"),
    ("log-softmax", lambda s: np.log(softmax(s) + 1e-12), "log 1e-12 is −27.63", "-inf"),
    ("overflow-bug", in_a_flat_copy, "NumPy stops there", "drops all after the point"),
    ("scores-for", [0, 1, 2], "How far above the first must the third score lie?", "score 3"),
    ("scores-for", [0, 0.7, 2.0], "the third score from the first needs more digits", "twice"),
    ("scores-for", [0, 0.65, np.log(7)], "the second score from the first needs more digits", "twice"),
]


@pytest.mark.parametrize(("name", "attempt", "said", "unsaid"), SAYS)
def test_words_fit_what_is_shown(name, attempt, said, unsaid):
    text = " ".join(evaluate(name, attempt).text.split())
    assert said in text
    assert unsaid not in text


def test_the_small_number_in_the_text_is_the_one_shown():
    text = evaluate("log-softmax", lambda s: np.log(softmax(s) + 1e-12)).text
    assert f"{np.log(1e-12):.2f}" in text  # in the row `got`
    assert f"{np.log(1e-12):.2f}".replace("-", "−") in text


def test_a_hidden_key_that_weighs_something_is_said_first():
    feedback = evaluate("softmax", lambda s: softmax(np.where(np.isneginf(s), -1.5, s)))
    assert feedback.named == ()
    assert feedback.properties == ("hidden keys",)
    first = softmax(np.array([0.5, -1.5, 2.0, 1.0]))[1]  # the first hidden key of the probe, filled in
    assert f"A key with a score of −inf got weight {first:.2g}; it should get 0." in feedback.text

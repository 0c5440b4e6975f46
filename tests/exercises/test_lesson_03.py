"""Lesson 03: what the check says where no mistake fits, and the numbers that its replies hold."""

from __future__ import annotations

import numpy as np

from helpers.exercises import evaluate
from helpers.softmax import softmax


def shares(scores, shift, axis=-1, more=0.0):
    """Softmax as learners write it: a shift of their own, an axis of their own."""
    exponentials = np.exp(scores - shift)
    return exponentials / (exponentials.sum(axis=axis, keepdims=True) + more)


def row_max(scores):
    return scores.max(axis=-1, keepdims=True)


def test_what_only_resembles_a_mistake_is_not_named():
    """Nine tenths of the largest score overflow where long doubles without a shift do; neither is named."""
    unnamed = [
        ("overflow-bug", lambda s: shares(s, row_max(s) * 0.9)),
        ("overflow-bug", lambda s: shares(s.astype(np.longdouble), 0).astype(float)),
        ("column-softmax", lambda s: softmax(s / np.sqrt(s.shape[-1] + s.shape[-2]), axis=-2)),
        ("temperature", lambda s, t: softmax(s / (1 + t))),
    ]
    for name, attempt in unnamed:
        feedback = evaluate(name, attempt)
        assert feedback.status == "wrong"
        assert np.finfo(np.longdouble).max == np.finfo(float).max or feedback.named == ()


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

"""Lesson 08: tensors in and out, dropout, several results, and the numbers of its notebook."""

from __future__ import annotations

import inspect
import math

import learners
import numpy as np
import pytest
import torch
from handed_out import ANSWERS, GIVEN
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)

from helpers.exercises import evaluate
from helpers.exercises.catalogue import exercises, of_lesson
from helpers.exercises.engine.tensors import as_arrays
from helpers.exercises.kinds import Mend, Write
from helpers.exercises.lesson_08.torch_blind_test import SONG
from helpers.exercises.lesson_08.torch_polarity import layer_of_known_numbers
from helpers.pytorch.attention import attention, fused_attention


@pytest.fixture(autouse=True)
def one_thread():
    """Small products only wait for a second one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def softmax_of_scores(queries, keys):
    return (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)


def test_every_third_row_is_named_however_it_came_about():
    feedback = evaluate("torch-weights", lambda weight: [weight[start::3] for start in range(3)])
    assert feedback.named == (("turned-by-reshape",),)
    assert "You took every third row, by a step of 3 or by `reshape`" in " ".join(feedback.text.split())
    turned = evaluate("torch-weights", lambda weight: [weight[start::3].T for start in range(3)])
    assert turned.named == (("every-third-row",),)


def test_a_generator_of_three_is_taken():
    assert evaluate("torch-weights", lambda w: (part.T for part in w.chunk(3))).status == "right"
    assert "of 4 things" in evaluate("torch-weights", lambda w: (part.T for part in w.chunk(9))).text


def test_an_output_and_none_is_told_so():
    text = evaluate("torch-dropout", lambda q, k, v, share, training: (v, None)).text
    assert "a tuple of 2 things, one of them None" in text


def test_a_flag_beside_the_mask_does_what_the_flag_does():
    def mask_and_flag(queries, keys, values):
        n, m = queries.shape[-2], keys.shape[-2]
        mask = torch.ones(n, m).tril(m - n).bool()
        return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, is_causal=True)

    feedback = evaluate("torch-corner", mask_and_flag)
    assert feedback.named == (("upper-left",),)
    assert "whatever mask you pass with it" in " ".join(feedback.text.split())
    assert "n_keys − n_queries" not in feedback.text  # that is for the hints


# --- what the notebook says of the given functions, by hand

ONES = torch.ones(1, 1, 4)
TRUE = torch.tensor([[True]])


def test_the_examples_of_the_notebook():
    mask = torch.tensor([[True, True, False]])
    values = torch.tensor([[3.0], [6.0], [12.0]])
    output, weights = ANSWERS["torch-attention"](torch.zeros(1, 2), torch.ones(3, 2), values, mask)
    assert output.tolist() == [[4.5]]
    assert weights.tolist() == [[0.5, 0.5, 0.0]]

    three = ANSWERS["torch-weights"](torch.arange(12.0).reshape(6, 2))
    assert [w.tolist() for w in three] == [[[0, 2], [1, 3]], [[4, 6], [5, 7]], [[8, 10], [9, 11]]]

    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    assert GIVEN["torch-polarity"](layer, ONES, TRUE, TRUE).isnan().all()
    assert ANSWERS["torch-polarity"](layer, ONES, TRUE, TRUE).isfinite().all()

    values = torch.tensor([[[[3.0, 0], [6, 0], [12, 9]]]])
    step = torch.zeros(1, 1, 1, 2), torch.zeros(1, 1, 3, 2), values
    assert GIVEN["torch-corner"](*step).tolist() == [[[[3, 0]]]]
    assert torch.allclose(ANSWERS["torch-corner"](*step), torch.tensor([[[[7.0, 3.0]]]]))

    values = torch.tensor([[[0.0, 0.0], [4.0, 8.0]]])
    rows = torch.zeros(1, 2, 2), torch.zeros(1, 2, 2), values, 1
    assert GIVEN["torch-layout"](*rows).equal(values)
    assert ANSWERS["torch-layout"](*rows).tolist() == [[[2, 4], [2, 4]]]

    four = torch.zeros(1, 4), torch.zeros(4, 4), torch.eye(4), 0.5, False
    assert ANSWERS["torch-dropout"](*four).tolist() == [[0.25] * 4]
    assert set(GIVEN["torch-dropout"](*four).unique().tolist()) <= {0.0, 0.5}

    song = torch.zeros(2, 3, 4), torch.zeros(12, 4), 2
    assert GIVEN["torch-batch-first"](*song).shape == (3, 2, 2)
    assert torch.allclose(ANSWERS["torch-batch-first"](*song), torch.full((2, 2, 3, 3), 1 / 3))


@pytest.mark.parametrize("name", [e.name for e in of_lesson("08") if isinstance(e, Mend)])
def test_a_given_function_is_wrong_on_most_of_the_inputs(name):
    exercise = exercises()[name]
    assert isinstance(exercise, Mend)
    text = evaluate(name, lambda *inputs: GIVEN[name](*inputs) + 0).text
    assert text.startswith(f"✗ {name}: your version gives the same results as the function you were given.")
    wrong = 0
    for probe in exercise.probes:
        handed = [torch.tensor(v) if isinstance(v, np.ndarray) else v for v in probe.inputs.values()]
        got, right = (as_arrays(function(*handed)) for function in (GIVEN[name], exercise.right))
        wrong += got.shape != right.shape or not np.allclose(got, right, atol=1e-3)
    assert wrong >= len(exercise.probes) - 3  # one token, one head: there it may be right


# --- dropout: whoever draws, and however, is right or wrong for sure


@pytest.mark.parametrize("seed", range(30))
def test_any_dice_are_accepted(seed):
    dice = np.random.default_rng(seed)

    def own_dice(queries, keys, values, share, training):
        weights = (queries @ keys.mT / math.sqrt(queries.shape[-1])).softmax(-1)
        if training:
            kept = torch.tensor(dice.random(tuple(weights.shape)) >= share)
            weights = weights * kept / (1 - share)
        return weights @ values

    assert evaluate("torch-dropout", own_dice).status == "right"


@pytest.mark.parametrize("less", [0.05, 0.1, 0.15])
def test_another_share_is_not(less):
    def another_share(queries, keys, values, share, training):
        return F.scaled_dot_product_attention(
            queries, keys, values, dropout_p=max(share - less, 0) if training else 0.0
        )

    assert evaluate("torch-dropout", another_share).status == "wrong"


def test_what_was_dropped_is_told_in_words():
    text = evaluate("torch-dropout", lambda q, k, v, share, training: softmax_of_scores(q, k) @ v).text
    assert "The share of weights that became 0, and the factor by which the others grew:" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["expected", "0.20", "1.25"] in lines
    assert ["got", "0.00", "1.00"] in lines


def test_a_pattern_in_what_was_dropped_is_told():
    patterns = {
        "All queries lost the same keys.": lambda shape: torch.rand(shape[-1]),
        "A query lost all its keys, or none.": lambda shape: torch.rand(*shape[:-1], 1),
        "": torch.rand,
    }
    for said, drawn in patterns.items():

        def dropping(queries, keys, values, share, training, drawn=drawn):
            weights = softmax_of_scores(queries, keys)
            if training and share:
                weights = weights * (drawn(weights.shape) > share) / 2
            return weights @ values

        text = evaluate("torch-dropout", dropping).text
        assert said in text
        assert ("lost" in text) == bool(said)


# --- tensors in, tensors out


def test_the_function_gets_tensors_in_the_probes_dtype():
    seen: list[tuple[type, torch.dtype]] = []

    def looking(queries, keys, values, mask):
        seen.extend((type(each), each.dtype) for each in (queries, mask))
        return attention(queries, keys, values, mask)

    assert evaluate("torch-attention", looking).status == "right"
    assert set(seen) == {(Tensor, torch.float32), (Tensor, torch.float64), (Tensor, torch.bool)}


def test_arrays_and_lists_are_taken_with_a_note():
    def arrays(in_proj_weight):
        return tuple(np.split(in_proj_weight.numpy().T, 3, axis=1))

    def lists(in_proj_weight):
        return [w.T.tolist() for w in in_proj_weight.chunk(3)]

    for answer, said in (
        (arrays, "a tensor would have kept its device"),
        (lists, "the helpers return tensors"),
    ):
        feedback = evaluate("torch-weights", answer)
        assert feedback.status == "right"
        assert said in " ".join(feedback.text.split())
    assert "Its numbers count" not in evaluate("torch-weights", ANSWERS["torch-weights"]).text


def test_results_that_carry_gradients_are_taken():
    def with_gradients(queries, keys, values):
        return fused_attention(queries.clone().requires_grad_(), keys, values, causal=True)

    assert evaluate("torch-corner", with_gradients).status == "right"


def test_results_in_two_bytes_are_told_apart_from_wrong_ones():
    def coarse(queries, keys, values):
        return fused_attention(queries, keys, values, causal=True).bfloat16()

    def coarse_and_open(queries, keys, values):
        return F.scaled_dot_product_attention(queries, keys, values).bfloat16()

    def halved(queries, keys, values):
        return fused_attention(queries, keys, values, causal=True).half()

    for answer in (coarse, halved):
        feedback = evaluate("torch-corner", answer)
        assert feedback.status == "wrong"
        assert "right, up to rounding: your results hold 2 bytes a number" in feedback.text
    assert "up to rounding" not in evaluate("torch-corner", coarse_and_open).text


def test_a_tensor_without_numbers_is_told_so():
    feedback = evaluate("torch-corner", lambda q, k, v: torch.empty(q.shape, device="meta"))
    assert feedback.status == "wrong"
    assert "meta device has a shape and no numbers" in " ".join(feedback.text.split())


def test_writing_into_a_tensor_is_noticed():
    def in_place(queries, keys, values, n_heads):
        output = ANSWERS["torch-layout"](queries, keys, values, n_heads)
        keys.mul_(2)
        return output

    feedback = evaluate("torch-layout", in_place)
    assert feedback.status == "wrong"
    assert feedback.properties == ("input left unchanged",)


def test_a_layer_that_is_set_up_otherwise_stays_as_it_was():
    layer = exercises()["torch-polarity"].probes[0].inputs["layer"]  # type: ignore[attr-defined]

    def meddling(layer, x, causal, real):
        layer.eval()
        layer.batch_first = False
        with torch.no_grad():
            layer.in_proj_weight.zero_()
        return layer(x, x, x)[0]

    before = layer.in_proj_weight.detach().clone()
    assert evaluate("torch-polarity", meddling).status == "wrong"
    assert layer.training
    assert layer.batch_first
    assert layer.in_proj_weight.equal(before)


def test_torch_stays_as_it_was():
    def meddling(queries, keys, values):
        torch.softmax = torch.sigmoid  # type: ignore[assignment]
        F.scaled_dot_product_attention = None  # type: ignore[assignment]
        torch.manual_seed(3)
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        torch.set_num_threads(2)
        torch.rand(5)
        return queries

    def state():
        settings = torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_num_threads()
        return torch.softmax, F.scaled_dot_product_attention, settings, torch.get_rng_state().tolist()

    before = state()
    assert evaluate("torch-corner", meddling).status == "wrong"
    assert state() == before
    assert evaluate("torch-corner", ANSWERS["torch-corner"]).status == "right"
    assert state() == before


def test_a_layer_of_known_numbers_draws_nothing():
    before = torch.get_rng_state()
    one, other = (layer_of_known_numbers(4, 2, start=3) for _ in range(2))
    assert torch.get_rng_state().equal(before)
    assert all(a.equal(b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert not one.in_proj_weight[:4].equal(one.in_proj_weight[4:8])


# --- several results


def test_the_weights_are_shown_before_the_output_that_follows_from_them():
    def without_the_mask(queries, keys, values, mask):
        weights = softmax_of_scores(queries, keys)
        return weights @ values, weights

    text = evaluate("torch-attention", without_the_mask).text
    assert "In weights, for query 0" in text
    assert "In output" not in text


def test_the_query_shown_is_one_that_is_wrong_by_more_than_rounding():
    def second_query_wrong(queries, keys, values, mask):
        output, weights = attention(queries, keys, values, mask)
        factors = torch.where(torch.arange(queries.shape[-2]) == 1, 0.5, 1 + 2e-6)[:, None]
        return output * factors, weights * factors

    assert "In weights, for query 1" in evaluate("torch-attention", second_query_wrong).text


def test_an_output_that_does_not_follow_from_the_weights_is_told():
    def unrelated(queries, keys, values, mask):
        output, weights = attention(queries, keys, values, mask)
        return output * 1.5, weights

    feedback = evaluate("torch-attention", unrelated)
    assert feedback.properties == ("one with the other",)
    assert "In output, for query 0" in feedback.text


def test_parts_of_another_shape_are_not_the_same_numbers():
    """A row of all numbers would be alike; the shapes are not."""

    def reshaped(queries, keys, values, mask):
        output, weights = attention(queries, keys, values, mask)
        return output.flatten(), weights

    feedback = evaluate("torch-attention", reshaped)
    assert feedback.status == "wrong"
    assert "The shape of output should be (1, 1); yours is (1,)" in " ".join(feedback.text.split())


# --- a test that cannot see


def outputs_both_ways(mask):
    song = torch.tensor(SONG)
    masks = (torch.as_tensor(mask) == way for way in (1, 0))
    return [F.scaled_dot_product_attention(song, song, song, attn_mask=each) for each in masks]


def test_a_mask_hides_its_polarity_where_both_ways_give_the_same():
    for answer in learners.answers("08"):
        if answer.name == "torch-blind-test" and answer.expected.status == "right":
            assert torch.allclose(*outputs_both_ways(answer.value()))


def test_the_song_is_that_of_the_notebook():
    song = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [-1.0, 1.0, 0.5]]).repeat(2, 1)
    assert np.array_equal(SONG, song.numpy())


# --- the answers


@pytest.mark.parametrize("name", [e.name for e in of_lesson("08") if isinstance(e, Write)])
def test_an_answer_says_what_it_does(name):
    assert "->" in (inspect.getdoc(ANSWERS[name]) or "")
    assert evaluate(name, ANSWERS[name]).status == "right"


def test_the_answer_has_no_nan_in_its_gradients():
    """As `solution` claims: a row without a key spoils no gradient."""
    queries, keys, values = (torch.randn(n, 3, requires_grad=True) for n in (2, 4, 4))
    mask = torch.tensor([[True, False, True, True], [False] * 4])
    output, _ = ANSWERS["torch-attention"](queries, keys, values, mask)
    with pytest.warns(UserWarning, match="Anomaly Detection"):
        stops_at_nan = torch.autograd.detect_anomaly()  # even at one that is blanked later
    with stops_at_nan:
        output.sum().backward()
    assert all(each.grad is not None and each.grad.isfinite().all() for each in (queries, keys, values))

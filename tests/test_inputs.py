"""helpers.inputs: what each check gives back, and its words where something does not fit."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from samples import waves

from helpers import inputs as typed_inputs
from helpers.inputs import Projections
from helpers.validation import Array

pytestmark = pytest.mark.filterwarnings("error")

inputs: Any = typed_inputs  # much here is wrong on purpose

# Every size is another: 5 queries, 7 keys, d_k 4, d_v 6; in heads: 3 of width 2, values of width 4.
QUERIES, KEYS, VALUES = waves(5, 4), waves(7, 4), waves(7, 6)
X, CONTEXT = waves(5, 8), waves(7, 9)
GIVEN = Projections(waves(8, 6), waves(9, 6), waves(9, 12), waves(12, 10))
BIASED = GIVEN._replace(b_q=waves(6), b_k=waves(6), b_v=waves(12), b_o=waves(10))
OWN = Projections(waves(8, 6), waves(8, 6), waves(8, 12), waves(12, 10))
COLUMNS: Any = QUERIES.T, KEYS.T, VALUES.T
MATRICES: Any = waves(6, 8), waves(6, 8), waves(12, 8), waves(10, 12)  # from the left, for X.T
BATCH = {"queries": waves(2, 1, 5, 4), "keys": waves(1, 3, 7, 4), "values": waves(7, 6)}


def complaint(call: Callable[[], Any]) -> tuple[type[Exception], str]:
    """A call -> the kind of error and its words."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    return type(caught.value), str(caught.value)


# --- what is given back


@pytest.mark.parametrize(
    ("check", "given"),
    [
        (inputs.dot_product_scores, ([[1, 2]], [[3, 4]])),
        (inputs.vector_lengths, ([3, 4],)),
        (inputs.cosine_scores, ([[1, 2]], [[3, 4]])),
        (inputs.hard_lookup, ([[1, 2]], [[3, 4]], [[5]])),
        (inputs.scale_scores, ([[1, 2]], 4)),
        (inputs.softmax, ([[1, 2]], 0)),
        (inputs.log_softmax, ([[1, 2]], 0)),
        (inputs.entropy, ([[0, 1]], 1)),
        (inputs.softmax_jacobian, ([[0, 1]],)),
        (inputs.causal_mask, (2, 3)),
        (inputs.padding_mask, ([1, 2], 3)),
        (inputs.mask_scores, ([[1, 2]], [[True, False]])),
        (inputs.attention, ([[1, 2]], [[3, 4]], [[5]], [[True]])),
        (inputs.split_heads, ([[1, 2]], 2)),
        (inputs.merge_heads, ([[[1, 2]]],)),
        (inputs.value_maps, ([[1, 2]], [[3], [4]], 2)),
        (inputs.project, ([[1, 2]], [[3], [4]], [5])),
        (inputs.attend_in_heads, ([[1, 2]], [[3, 4]], [[5, 6]], 2, [[True]])),
        (inputs.attention_in_columns, ([[1], [2]], [[3], [4]], [[5]], [[True]])),
        (inputs.causal_mask_in_columns, (2, 3)),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_lists_become_arrays_in_the_order_of_the_parameters(check: Any, given: tuple[Any, ...]) -> None:
    checked = check(*given)
    assert len(checked) == len(given)
    for found, part in zip(checked, given, strict=True):
        if isinstance(part, list):
            assert isinstance(found, np.ndarray)
            np.testing.assert_array_equal(found, part)
            whole = check is inputs.padding_mask
            assert found.dtype == (np.array(part).dtype if whole or found.dtype == bool else np.float64)
        else:
            assert found == part


def test_the_matrices_and_biases_come_back_in_their_order() -> None:
    x, context, matrices, n_heads, mask = inputs.cross_attention(X, CONTEXT, BIASED, 3)
    assert (x is X, context is CONTEXT, n_heads, mask) == (True, True, 3, None)
    assert all(found is part for found, part in zip(matrices, BIASED, strict=True))
    own = inputs.multi_head_attention(X, OWN, 3, np.ones((5, 5), bool))
    assert [len(own), own[0] is X, own[2]] == [4, True, 3]
    assert all(found is part for found, part in zip(own[1], OWN[:4], strict=False))
    np.testing.assert_array_equal(own[3], np.ones((5, 5)))


def test_a_bias_that_is_not_there_is_a_single_0_in_the_dtype_of_its_matrix() -> None:
    half = GIVEN._replace(w_k=waves(9, 6, dtype=np.float16))
    _, _, matrices, _, _ = inputs.cross_attention(X, CONTEXT, half)
    for w, bias in zip(matrices[:4], matrices[4:], strict=True):
        assert (bias.shape, bias.dtype, bias.item()) == ((), w.dtype, 0)
    assert inputs.project(X, waves(8, 3))[-1].item() == 0


def test_columns_come_back_in_their_order() -> None:
    mask = np.ones((5, 5), bool)
    checked = inputs.multi_head_attention_in_columns(X.T, *MATRICES, 3, mask)
    np.testing.assert_array_equal(checked[0], X.T)
    assert all(found is w for found, w in zip(checked[1:5], MATRICES, strict=True))
    assert checked[5:] == (3, mask)
    assert inputs.multi_head_attention_in_columns(X.T, *MATRICES, 3)[-1] is None


def test_what_need_not_be_given() -> None:
    assert inputs.softmax(QUERIES)[1] == inputs.log_softmax(QUERIES)[1] == -1
    assert inputs.entropy(np.eye(3)[:2])[1] == -1
    assert inputs.causal_mask(3) == inputs.causal_mask_in_columns(3) == (3, 3)
    assert inputs.attention(QUERIES, KEYS, VALUES)[3] is None
    assert inputs.attention_in_columns(*COLUMNS)[3] is None
    assert inputs.attend_in_heads(QUERIES, KEYS, VALUES, 2)[4] is None
    assert inputs.cross_attention(X, CONTEXT, GIVEN)[3:] == (1, None)
    assert inputs.multi_head_attention(X, OWN, 3)[3] is None
    assert inputs.mask_scores(QUERIES, None)[1] is None


def test_no_query_no_key_no_sequence_and_an_axis_that_is_there() -> None:
    assert inputs.causal_mask(0, 0) == (0, 0)
    assert inputs.padding_mask(np.zeros(0, int), 0)[1] == inputs.padding_mask(np.zeros(2, int), 0)[1] == 0
    assert inputs.padding_mask(np.array([0, 3], np.uint8), 3)[0].tolist() == [0, 3]
    assert inputs.softmax(waves(2, 3, 5), -3)[1] == -3


def test_leading_axes_broadcast_and_so_does_the_mask() -> None:
    for shape in [(2, 3, 5, 7), (5, 7), (3, 5, 7), (2, 1, 1, 7), (1, 1), ()]:
        mask = np.ones(shape, bool)
        assert inputs.attention(**BATCH, mask=mask)[3] is mask
    assert complaint(lambda: inputs.attention(**BATCH, mask=np.ones((3, 2, 5, 7), bool))) == (
        ValueError,
        "mask must broadcast to the scores, (..., n_queries, n_keys) = (2, 3, 5, 7); got (3, 2, 5, 7)",
    )
    turned: Any = [np.swapaxes(part, -1, -2) for part in BATCH.values()]
    mask = np.ones((2, 3, 7, 5), bool)
    assert inputs.attention_in_columns(*turned, mask)[3] is mask


@pytest.mark.parametrize("shape", [(5, 7), (1, 7), (2, 5, 7), (2, 1, 7), (1, 5, 7)])
def test_a_mask_is_the_same_in_every_head_and_comes_back_as_it_was(shape: tuple[int, ...]) -> None:
    mask = np.ones(shape, bool)
    x, context = waves(2, 5, 8), waves(2, 7, 9)
    assert inputs.cross_attention(x, context, GIVEN, 3, mask)[4] is mask
    in_heads = waves(2, 5, 6), waves(2, 7, 6), waves(2, 7, 12)
    assert inputs.attend_in_heads(*in_heads, 3, mask)[4] is mask


def test_a_mask_with_an_axis_of_heads_is_refused() -> None:
    mask = np.ones((2, 3, 5, 7), bool)
    expected = (
        "mask must broadcast to the scores, (..., n_queries, n_keys) = (2, 3, 5, 7); got (2, 3, 1, 5, 7)"
    )
    call = lambda: inputs.cross_attention(waves(2, 5, 8), waves(2, 7, 9), GIVEN, 3, mask)  # noqa: E731
    assert complaint(call) == (ValueError, expected)


# --- what does not fit: each argument by its name


NUMBER: Any = 1.5
ROWS = "must have shape (..., {}), one vector in each row; got shape ()"
IN_COLUMNS = "must have shape (..., {}), one vector in each column, with {} at least 1; got shape ()"


def calls_with(number: Any) -> dict[str, Callable[[], Any]]:
    """A number -> a call for each argument that should have rows or columns: there the number stands."""
    return {
        "queries (n_queries, d_k)": lambda: inputs.dot_product_scores(number, KEYS),
        "keys (n_keys, d_k)": lambda: inputs.dot_product_scores(QUERIES, number),
        "queries (n_queries, d_k) ": lambda: inputs.attention(number, KEYS, VALUES),
        "keys (n_keys, d_k) ": lambda: inputs.attention(QUERIES, number, VALUES),
        "values (n_keys, d_v)": lambda: inputs.attention(QUERIES, KEYS, number),
        "values (n_keys, d_v) ": lambda: inputs.hard_lookup(QUERIES, KEYS, number),
        "rows (n, n_heads * d_head)": lambda: inputs.split_heads(number, 2),
        "w_o (n_heads * d_v, d_out)": lambda: inputs.value_maps(waves(8, 12), number, 3),
        "rows (n, d_in)": lambda: inputs.project(number, waves(4, 3)),
        "w (d_in, d_out)": lambda: inputs.project(QUERIES, number),
        "x (n, d_in)": lambda: inputs.cross_attention(number, CONTEXT, GIVEN),
        "context (n, d_in)": lambda: inputs.cross_attention(X, number, GIVEN),
        "x (n, d_in) ": lambda: inputs.multi_head_attention(number, OWN, 3),
        "w_q (d_out, d_in)": lambda: inputs.multi_head_attention_in_columns(X.T, number, *MATRICES[1:], 3),
    }


@pytest.mark.parametrize("argument", calls_with(0))
def test_a_number_in_the_place_of_rows_is_named(argument: str) -> None:
    name, shape = argument.strip().split(" ", 1)
    kind, words = complaint(calls_with(NUMBER)[argument])
    assert (kind, words) == (ValueError, f"{name} {ROWS.format(shape.strip('()'))}")


@pytest.mark.parametrize(
    ("name", "d", "n", "call"),
    [
        ("queries", "d_k", "n_queries", lambda it: inputs.attention_in_columns(it, *COLUMNS[1:])),
        ("keys", "d_k", "n_keys", lambda it: inputs.attention_in_columns(COLUMNS[0], it, COLUMNS[2])),
        ("values", "d_v", "n_keys", lambda it: inputs.attention_in_columns(*COLUMNS[:2], it)),
        ("x", "d_model", "n", lambda it: inputs.multi_head_attention_in_columns(it, *MATRICES, 3)),
    ],
)
def test_a_number_in_the_place_of_columns_is_named(name: str, d: str, n: str, call: Any) -> None:
    assert complaint(lambda: call(NUMBER)) == (ValueError, f"{name} {IN_COLUMNS.format(f'{d}, {n}', d)}")


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("vectors", lambda: inputs.vector_lengths([True])),
        ("scores", lambda: inputs.scale_scores([True], 4)),
        ("scores", lambda: inputs.softmax([True])),
        ("scores", lambda: inputs.log_softmax([True])),
        ("weights", lambda: inputs.entropy([True])),
        ("weights", lambda: inputs.softmax_jacobian([True])),
        ("scores", lambda: inputs.mask_scores([True], None)),
        ("heads", lambda: inputs.merge_heads([True])),
        ("the bias of w", lambda: inputs.project(QUERIES, waves(4, 3), [True] * 3)),
        ("w_k", lambda: inputs.cross_attention(X, CONTEXT, GIVEN._replace(w_k=CONTEXT > 0))),
    ],
)
def test_what_are_no_numbers_is_named(name: str, call: Callable[[], Any]) -> None:
    words = f"{name} must hold real numbers (float16, float32, float64 or whole numbers); got dtype bool"
    assert complaint(call) == (TypeError, words)


MASK_AS_NUMBERS = "mask must hold True (may attend) and False (may not); got dtype float64"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        # d_k, leading axes, numbers of rows
        (
            lambda: inputs.dot_product_scores(QUERIES, VALUES),
            "queries and keys must have vectors of the same length (last axis); got (5, 4) and (7, 6)",
        ),
        (
            lambda: inputs.dot_product_scores(waves(2, 5, 4), waves(3, 7, 4)),
            "queries and keys must agree on the axes before the last two (batch, heads), or have 1 there; "
            "got (2, 5, 4) and (3, 7, 4)",
        ),
        (
            lambda: inputs.attention(QUERIES, KEYS, VALUES[:6]),
            "keys and values must have as many rows (last axis but one); got (7, 4) and (6, 6)",
        ),
        (lambda: inputs.vector_lengths(3), "vectors must have shape (..., d); got a single number, shape ()"),
        # directions
        (
            lambda: inputs.cosine_scores(0 * QUERIES, KEYS),
            "queries must have a direction in every row; the vector at index (0,) has length 0 in queries "
            "of shape (5, 4)",
        ),
        (
            lambda: inputs.cosine_scores(QUERIES, 0 * KEYS),
            "keys must have a direction in every row; the vector at index (0,) has length 0 in keys of "
            "shape (7, 4)",
        ),
        # one sequence, with a key in it
        (
            lambda: inputs.hard_lookup(waves(2, 5, 4), KEYS, VALUES),
            "hard_lookup takes one sequence at a time; got scores (2, 5, 7), values (7, 6)",
        ),
        (
            lambda: inputs.hard_lookup(QUERIES, KEYS, waves(2, 7, 6)),
            "hard_lookup takes one sequence at a time; got scores (5, 7), values (2, 7, 6)",
        ),
        (
            lambda: inputs.hard_lookup(QUERIES, KEYS, waves(5, 7)),
            "keys and values must have the same number of rows, at least 1; got 7 and 5",
        ),
        (
            lambda: inputs.hard_lookup(QUERIES, waves(0, 4), waves(0, 6)),
            "keys and values must have the same number of rows, at least 1; got 0 and 0",
        ),
        # counts and axes
        (lambda: inputs.scale_scores(QUERIES, 0), "d_k must be at least 1; got 0"),
        (
            lambda: inputs.softmax(QUERIES, 2),
            "axis 2 is not there: the array has shape (5, 4), 2 axes",
        ),
        (
            lambda: inputs.log_softmax(QUERIES, -3),
            "axis -3 is not there: the array has shape (5, 4), 2 axes",
        ),
        (
            lambda: inputs.entropy([[0.5], [0.5]]),
            "weights must sum to 1 along axis -1; shape (2, 1) has a sum 0.5",
        ),
        (
            lambda: inputs.softmax_jacobian([[0.5], [0.5]]),
            "weights must sum to 1 along axis -1; shape (2, 1) has a sum 0.5",
        ),
        (lambda: inputs.causal_mask(-1), "n_queries must be at least 0; got -1"),
        (lambda: inputs.causal_mask(2, -1), "n_keys must be at least 0; got -1"),
        (lambda: inputs.padding_mask([0], -1), "n_keys must be at least 0; got -1"),
        (
            lambda: inputs.padding_mask([2, -1, 3], 3),
            "lengths must lie from 0 to n_keys = 3; got -1 to 3",
        ),
        (lambda: inputs.padding_mask([2, 4], 3), "lengths must lie from 0 to n_keys = 3; got 2 to 4"),
        (lambda: inputs.split_heads(QUERIES, 0), "n_heads must be at least 1; got 0"),
        (
            lambda: inputs.split_heads(QUERIES, 3),
            "n_heads must divide the width of the rows; got 3 heads and shape (5, 4)",
        ),
        # heads
        (lambda: inputs.merge_heads(X), "heads must have shape (..., n_heads, n, d_head); got (5, 8)"),
        (
            lambda: inputs.value_maps(waves(8, 12), waves(10, 5), 3),
            "w_v must have shape (d_model, n_heads * d_v) and w_o (n_heads * d_v, d_out); "
            "got (8, 12) and (10, 5)",
        ),
        (
            lambda: inputs.value_maps(waves(2, 12, 12), waves(12, 5), 3),
            "w_v must have shape (d_model, n_heads * d_v) and w_o (n_heads * d_v, d_out); "
            "got (2, 12, 12) and (12, 5)",
        ),
        (
            lambda: inputs.value_maps(waves(8, 12), waves(12, 12, 5), 3),
            "w_v must have shape (d_model, n_heads * d_v) and w_o (n_heads * d_v, d_out); "
            "got (8, 12) and (12, 12, 5)",
        ),
        (
            lambda: inputs.attend_in_heads(QUERIES, waves(7, 6), VALUES, 2),
            "queries and keys must have vectors of the same length (last axis); got (2, 5, 2) and (2, 7, 3)",
        ),
        (
            lambda: inputs.attend_in_heads(X, waves(7, 8), waves(6, 4), 2),
            "keys and values must have as many rows (last axis but one); got (2, 7, 4) and (2, 6, 2)",
        ),
        (
            lambda: inputs.attend_in_heads(X, waves(7, 6), VALUES, 4),
            "n_heads must divide the width of the rows; got 4 heads and shape (7, 6)",
        ),
        (
            lambda: inputs.attend_in_heads(X, waves(7, 8), VALUES, 4),
            "n_heads must divide the width of the rows; got 4 heads and shape (7, 6)",
        ),
        # matrices and biases
        (
            lambda: inputs.project(QUERIES, waves(5, 3)),
            "w must have shape (d_in, d_out) with d_in = 4, the width of rows (5, 4); got (5, 3)",
        ),
        (
            lambda: inputs.project(QUERIES, waves(4, 4, 3)),
            "w must have shape (d_in, d_out) with d_in = 4, the width of rows (5, 4); got (4, 4, 3)",
        ),
        (
            lambda: inputs.project(QUERIES, waves(4, 3), waves(4)),
            "the bias of w must have shape (3,); got (4,)",
        ),
        (
            lambda: inputs.cross_attention(X, CONTEXT, BIASED, 5),
            "n_heads must divide the width of the rows; got 5 heads and shape (5, 6)",
        ),
        (lambda: inputs.cross_attention(X, CONTEXT, BIASED, 0), "n_heads must be at least 1; got 0"),
        (lambda: inputs.multi_head_attention(X, OWN, 0), "n_heads must be at least 1; got 0"),
        *(
            (
                lambda name=name: inputs.cross_attention(X, CONTEXT, BIASED._replace(**{name: waves(5)})),
                f"the bias of {name.replace('b', 'w')} must have shape ({width},); got (5,)",
            )
            for name, width in (("b_q", 6), ("b_k", 6), ("b_v", 12), ("b_o", 10))
        ),
        *(
            (
                lambda name=name: inputs.cross_attention(X, CONTEXT, GIVEN._replace(**{name: waves(5, 6)})),
                f"{name} must have shape (d_in, d_out) with d_in = {width}, the width of {rows}; got (5, 6)",
            )
            for name, width, rows in (
                ("w_q", 8, "x (5, 8)"),
                ("w_k", 9, "context (7, 9)"),
                ("w_v", 9, "context (7, 9)"),
                ("w_o", 12, "the merged heads (5, 12)"),
            )
        ),
        (
            lambda: inputs.multi_head_attention(X, OWN._replace(w_k=waves(9, 6)), 3),
            "w_k must have shape (d_in, d_out) with d_in = 8, the width of x (5, 8); got (9, 6)",
        ),
        (
            lambda: inputs.cross_attention(waves(2, 5, 8), waves(3, 7, 9), GIVEN, 3),
            "queries and values must agree on the axes before the last two (batch, heads), or have 1 there; "
            "got (2, 3, 5, 2) and (3, 3, 7, 4)",
        ),
        (
            lambda: inputs.cross_attention(waves(2, 5, 8), waves(1, 7, 9), GIVEN._replace(w_o=waves(5, 6))),
            "w_o must have shape (d_in, d_out) with d_in = 12, the width of the merged heads (2, 5, 12); "
            "got (5, 6)",
        ),
        # the column convention
        (
            lambda: inputs.attention_in_columns(waves(3, 5), *COLUMNS[1:]),
            "queries (..., d_k, n_queries) and keys (..., d_k, n_keys) need the same d_k, keys and values "
            "(..., d_v, n_keys) the same n_keys; got (3, 5), (4, 7) and (6, 7)",
        ),
        (
            lambda: inputs.attention_in_columns(*COLUMNS[:2], waves(6, 6)),
            "queries (..., d_k, n_queries) and keys (..., d_k, n_keys) need the same d_k, keys and values "
            "(..., d_v, n_keys) the same n_keys; got (4, 5), (4, 7) and (6, 6)",
        ),
        (
            lambda: inputs.attention_in_columns(waves(2, 4, 5), waves(3, 4, 7), COLUMNS[2]),
            "queries and keys must agree on the axes before the last two (batch, heads), or have 1 there; "
            "got (2, 4, 5) and (3, 4, 7)",
        ),
        (
            lambda: inputs.attention_in_columns(*COLUMNS, np.ones((5, 7), bool)),
            "mask must broadcast to the scores, (..., n_queries, n_keys) = (7, 5); got (5, 7)",
        ),
        (lambda: inputs.causal_mask_in_columns(2, -1), "n_keys must be at least 0; got -1"),
        (
            lambda: inputs.multi_head_attention_in_columns(X.T, *MATRICES, 0),
            "n_heads must be at least 1; got 0",
        ),
        (
            lambda: inputs.multi_head_attention_in_columns(waves(2, 8, 5), *MATRICES, 5),
            "n_heads must divide the height of W x; got 5 heads and (2, 6, 5)",
        ),
        *(
            (
                lambda place=place: inputs.multi_head_attention_in_columns(
                    X.T, *MATRICES[:place], waves(6, 7), *MATRICES[place + 1 :], 3
                ),
                f"{name} must have shape (d_out, d_in) with d_in = {d_in}; got (6, 7)",
            )
            for place, (name, d_in) in enumerate([("w_q", 8), ("w_k", 8), ("w_v", 8), ("w_o", 12)])
        ),
        (
            lambda: inputs.multi_head_attention_in_columns(X.T, waves(6, 8, 8), *MATRICES[1:], 3),
            "w_q must have shape (d_out, d_in) with d_in = 8; got (6, 8, 8)",
        ),
        (
            lambda: inputs.multi_head_attention_in_columns(X.T, waves(9, 8), *MATRICES[1:], 3),
            "queries (..., d_k, n_queries) and keys (..., d_k, n_keys) need the same d_k, keys and values "
            "(..., d_v, n_keys) the same n_keys; got (3, 3, 5), (3, 2, 5) and (3, 4, 5)",
        ),
        (
            lambda: inputs.multi_head_attention_in_columns(
                waves(2, 8, 5), *MATRICES, 3, np.ones((5, 4), bool)
            ),
            "mask must broadcast to the scores, (..., n_queries, n_keys) = (2, 3, 5, 5); got (5, 4)",
        ),
    ],
)
def test_what_does_not_fit_is_said_in_these_words(call: Callable[[], Any], words: str) -> None:
    assert complaint(call) == (ValueError, words)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: inputs.mask_scores(QUERIES, QUERIES), MASK_AS_NUMBERS),
        (lambda: inputs.attention(QUERIES, KEYS, VALUES, np.ones((5, 7))), MASK_AS_NUMBERS),
        (lambda: inputs.attend_in_heads(QUERIES, KEYS, VALUES, 2, np.ones((5, 7))), MASK_AS_NUMBERS),
        (lambda: inputs.attention_in_columns(*COLUMNS, np.ones((7, 5))), MASK_AS_NUMBERS),
        (
            lambda: inputs.multi_head_attention_in_columns(X.T, *MATRICES, 3, np.ones((5, 5))),
            MASK_AS_NUMBERS,
        ),
        (
            lambda: inputs.padding_mask([1.0], 3),
            "lengths must be whole numbers, one for each sequence; got dtype float64",
        ),
        (lambda: inputs.padding_mask([1], NUMBER), "n_keys must be a whole number; got 1.5"),
        (lambda: inputs.causal_mask(NUMBER), "n_queries must be a whole number; got 1.5"),
        (lambda: inputs.scale_scores(QUERIES, NUMBER), "d_k must be a whole number; got 1.5"),
        (lambda: inputs.split_heads(QUERIES, NUMBER), "n_heads must be a whole number; got 1.5"),
        (
            lambda: inputs.cross_attention(X, CONTEXT, GIVEN, NUMBER),
            "n_heads must be a whole number; got 1.5",
        ),
        (lambda: inputs.softmax(QUERIES, NUMBER), "axis must be one whole number; got 1.5"),
    ],
)
def test_another_kind_of_argument_is_said_in_these_words(call: Callable[[], Any], words: str) -> None:
    assert complaint(call) == (TypeError, words)


@pytest.mark.parametrize(
    "call",
    [
        lambda values: inputs.attention(QUERIES, KEYS, values),
        lambda values: inputs.attention_in_columns(*COLUMNS[:2], values.T),
    ],
)
def test_a_value_that_is_not_finite_is_named(call: Callable[[Array], Any]) -> None:
    values = VALUES.copy()
    values[2, 3] = np.inf
    kind, words = complaint(lambda: call(values))
    assert kind is ValueError
    assert words.startswith("values must be finite; got inf at index ")


# --- the way back (lesson 11): a gradient, then what the function itself takes


D_OUTPUT, IN_HEADS = waves(5, 6, start=3.0), waves(5, 10, start=3.0)


def test_a_gradient_comes_back_first_and_then_the_rest_as_it_was() -> None:
    mask, own = np.ones((5, 7), bool), np.ones((5, 5), bool)
    weights, w = np.eye(3), waves(8, 3)
    for found, expected in (
        (inputs.softmax_backward(X[:3, :3], weights)[1:], (weights,)),
        (
            inputs.attention_backward(D_OUTPUT, QUERIES, KEYS, VALUES, mask),
            (D_OUTPUT, QUERIES, KEYS, VALUES, mask),
        ),
        (inputs.attention_backward(D_OUTPUT, QUERIES, KEYS, VALUES), (D_OUTPUT, QUERIES, KEYS, VALUES, None)),
        (inputs.project_backward(X[:, :3], X, w)[1:], (X, w)),
    ):
        assert len(found) == len(expected)
        assert all(one is other for one, other in zip(found, expected, strict=True))
    np.testing.assert_array_equal(inputs.softmax_backward(X[:3, :3], weights)[0], X[:3, :3])
    np.testing.assert_array_equal(inputs.project_backward(X[:, :3], X, w)[0], X[:, :3])
    for given in (BIASED, GIVEN):
        found = inputs.cross_attention_backward(IN_HEADS, X, CONTEXT, given, 3, mask)
        assert (found[0] is IN_HEADS, found[1] is X, found[2] is CONTEXT) == (True, True, True)
        assert all(one is part for one, part in zip(found[3], given[:4], strict=False))
        assert (found[4], found[5] is mask) == (3, True)
    assert inputs.cross_attention_backward(IN_HEADS, X, CONTEXT, GIVEN)[4:] == (1, None)
    found = inputs.multi_head_attention_backward(IN_HEADS, X, OWN, 3, own)
    assert (found[0] is IN_HEADS, found[1] is X, found[3], found[4] is own) == (True, True, 3, True)
    assert all(one is part for one, part in zip(found[2], OWN[:4], strict=False))
    assert inputs.multi_head_attention_backward(IN_HEADS, X, OWN, 3)[4] is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: inputs.softmax_backward(X, [[0.5], [0.5]]),
            "weights must sum to 1 along axis -1; shape (2, 1) has a sum 0.5",
        ),
        (
            lambda: inputs.softmax_backward(waves(2, 3), np.eye(2)),
            "d_weights must have the shape of weights, (2, 2); got (2, 3)",
        ),
        (
            lambda: inputs.attention_backward(D_OUTPUT, QUERIES, KEYS, VALUES[:6]),
            "keys and values must have as many rows (last axis but one); got (7, 4) and (6, 6)",
        ),
        *(
            (
                lambda shapes=shapes: inputs.attention_backward(VALUES, *map(np.ones, shapes)),
                f"d_output must have the shape of the output, {output}; got (7, 6)",
            )
            for output, shapes in (
                ((5, 6), ((5, 4), (7, 4), (7, 6))),
                ((2, 3, 5, 6), ((2, 1, 5, 4), (1, 3, 7, 4), (7, 6))),
                ((2, 3, 5, 6), ((3, 5, 4), (7, 4), (2, 1, 7, 6))),  # axes that only the values have
            )
        ),
        (
            lambda: inputs.project_backward(X, NUMBER, waves(8, 3)),
            f"rows {ROWS.format('n, d_in')}",
        ),
        (
            lambda: inputs.project_backward(X, X, waves(7, 3)),
            "w must have shape (d_in, d_out) with d_in = 8, the width of rows (5, 8); got (7, 3)",
        ),
        (
            lambda: inputs.project_backward(waves(2, 5, 4), waves(2, 5, 8), waves(8, 3)),
            "d_projected must have the shape of rows @ w, (2, 5, 3); got (2, 5, 4)",
        ),
        (
            lambda: inputs.cross_attention_backward(IN_HEADS, X, CONTEXT, GIVEN, 5),
            "n_heads must divide the width of the rows; got 5 heads and shape (5, 6)",
        ),
        *(
            (
                lambda x=x, context=context: inputs.cross_attention_backward(X, x, context, GIVEN, 3),
                f"d_output must have the shape of the output, {output}; got (5, 8)",
            )
            for output, x, context in (
                ((5, 10), X, CONTEXT),
                ((2, 3, 5, 10), waves(2, 1, 5, 8), waves(3, 7, 9)),
            )
        ),
        (
            lambda: inputs.multi_head_attention_backward(IN_HEADS, X, OWN, 5),
            "n_heads must divide the width of the rows; got 5 heads and shape (5, 6)",
        ),
        (
            lambda: inputs.multi_head_attention_backward(X, waves(2, 5, 8), OWN, 3),
            "d_output must have the shape of the output, (2, 5, 10); got (5, 8)",
        ),
    ],
)
def test_what_does_not_fit_on_the_way_back_is_said_in_these_words(
    call: Callable[[], Any], words: str
) -> None:
    assert complaint(call) == (ValueError, words)

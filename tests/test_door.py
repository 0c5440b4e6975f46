"""helpers.door: input is looked at once, where it comes in, and not again by what is called behind it."""

import importlib
import inspect
import sys
import threading
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any

import numpy as np
import pytest
from samples import waves

from helpers import inputs, inputs_of_positions, inputs_of_streaming
from helpers.attention import attention
from helpers.columns import attention_in_columns, multi_head_attention_in_columns
from helpers.cross_attention import cross_attention
from helpers.door import behind_the_door, checked_by
from helpers.leaks import leaks
from helpers.masking import causal_mask
from helpers.multi_head import Projections, multi_head_attention
from helpers.softmax import log_softmax, softmax
from helpers.streaming import blocked_attention

pytestmark = pytest.mark.filterwarnings("error")

WITH_DOORS = [
    *("similarity", "scaling", "softmax", "masking", "attention"),
    *("columns", "heads", "cross_attention", "multi_head", "positions", "gradients", "streaming"),
]
CHECKS = (inputs, inputs_of_positions, inputs_of_streaming)
CHECKED_ELSEWHERE = ("/helpers/validation.py", *(f"/helpers/{m.__name__.split('.')[1]}.py" for m in CHECKS))

N, D_MODEL, N_HEADS = 5, 12, 3
X = waves(N, D_MODEL)
GIVEN = Projections(*(waves(D_MODEL, D_MODEL, start=3.0 * i) / 3 for i in range(4)))


def functions_with_a_door() -> list[Any]:
    """Every public function of the maths that has a check of its own."""
    modules = [importlib.import_module(f"helpers.{name}") for name in WITH_DOORS]
    return [
        item
        for module in modules
        for item in vars(module).values()
        if isinstance(item, FunctionType)
        and item.__module__ == module.__name__
        and hasattr(item, "__wrapped__")
    ]


def own_checks() -> list[tuple[str, Any]]:
    return [
        (name, item)
        for module in CHECKS
        for name, item in vars(module).items()
        if isinstance(item, FunctionType) and item.__module__ == module.__name__ and not name.startswith("_")
    ]


def entries_into_validation(call: Callable[[], Any]) -> list[str]:
    """A call -> the functions of validation and inputs that are entered from any other file while it runs."""
    entered = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        caller = frame.f_back
        if event == "call" and caller is not None and is_a_check(frame) and not is_a_check(caller):
            entered.append(frame.f_code.co_name)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered


def is_a_check(frame: FrameType) -> bool:
    return frame.f_code.co_filename.replace("\\", "/").endswith(CHECKED_ELSEWHERE)


@pytest.mark.parametrize("mask", [None, causal_mask(N)], ids=["open", "masked"])
@pytest.mark.parametrize(
    ("call", "check"),
    [
        (lambda mask: softmax(X), "softmax"),
        (lambda mask: attention(X, X, X, mask), "attention"),
        (lambda mask: multi_head_attention(X, GIVEN, N_HEADS, mask), "multi_head_attention"),
        (lambda mask: cross_attention(X, X, GIVEN, N_HEADS, mask), "cross_attention"),
        (lambda mask: attention_in_columns(X.T, X.T, X.T, mask), "attention_in_columns"),
        (
            lambda mask: multi_head_attention_in_columns(X.T, *GIVEN[:4], N_HEADS, mask),
            "multi_head_attention_in_columns",
        ),
    ],
)
def test_validation_is_entered_once(call: Callable[[Any], Any], check: str, mask: Any) -> None:
    assert entries_into_validation(lambda: call(mask)) == [check]


def test_tiles_are_not_checked_one_by_one() -> None:
    def entries(tile: int) -> list[str]:
        return entries_into_validation(lambda: blocked_attention(X, X, X, tile_queries=tile, tile_keys=tile))

    assert entries(tile=1) == entries(tile=N)


@pytest.mark.parametrize("function", functions_with_a_door(), ids=lambda function: function.__name__)
def test_a_check_has_the_name_and_the_parameters_of_its_function(function: Any) -> None:
    (check,) = [item for name, item in own_checks() if name == function.__name__]
    asked = inspect.signature(check).parameters.values()
    taken = inspect.signature(function.__wrapped__).parameters.values()
    assert [part.name for part in asked] == [part.name for part in taken]
    assert [part.kind for part in asked] == [part.kind for part in taken]
    if function.__name__ != "project":  # there a bias of None is 0
        assert [part.default for part in asked] == [part.default for part in taken]


def test_there_is_a_door_to_every_check_and_no_other_check() -> None:
    names = [function.__name__ for function in functions_with_a_door()]
    names += ["append", "keep", "attend"]  # of KVCache: they are asked beside what is kept
    assert sorted(names) == sorted(name for name, _ in own_checks())


@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_pythons_own_complaint_names_what_was_called(function: Any) -> None:
    with pytest.raises(
        TypeError, match=rf"^{function.__name__}\(\) got an unexpected keyword argument 'dim'$"
    ):
        function(X, dim=-1)
    with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) missing 1 required positional argument"):
        function()


def test_after_a_call_that_failed_the_next_one_is_checked() -> None:
    for wrong in (np.full((2, 2), np.nan), "two"):
        with pytest.raises((ValueError, TypeError)):
            softmax(wrong)
        with pytest.raises(TypeError, match="scores must hold real numbers"):
            softmax([True])


def test_an_interrupt_leaves_no_check_switched_off() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        behind_the_door(interrupted)
    with pytest.raises(TypeError, match="scores must hold real numbers"):
        softmax([True])


def test_another_thread_is_checked_while_this_one_is_behind_a_door() -> None:
    said = []

    def wrong() -> None:
        try:
            softmax([True])
        except TypeError as error:
            said.append(str(error))

    def maths() -> None:
        other = threading.Thread(target=wrong)
        other.start()
        other.join()

    behind_the_door(maths)
    assert said == [
        "scores must hold real numbers (float16, float32, float64 or whole numbers); got dtype bool"
    ]


def test_a_model_of_ones_own_is_checked_wherever_it_is_called() -> None:
    with pytest.raises(TypeError, match="queries must hold real numbers"):
        leaks(lambda rows: attention(rows > 0, rows, rows)[0], X)


def test_the_function_gets_what_its_check_gives() -> None:
    def doubled(number: int) -> tuple[int]:
        return (2 * number,)

    @checked_by(doubled)
    def same(number: int) -> int:
        """A number -> the same."""
        return number

    @checked_by(doubled)
    def nested(number: int) -> int:
        return same(number) + same(number=number)

    assert (same(3), nested(3)) == (6, 6 + 6)
    assert (same.__name__, same.__doc__) == ("same", "A number -> the same.")


def test_a_check_that_gives_back_too_little_is_noticed() -> None:
    def forgetful(*, number: int) -> tuple[()]:
        return ()

    @checked_by(forgetful)
    def same(*, number: int = 0) -> int:
        return number

    with pytest.raises(ValueError, match="zip"):
        same(number=3)


# What is computed on the way is looked at as well: a product of good numbers may leave the range.


@pytest.mark.parametrize("function", [multi_head_attention, cross_attention])
def test_a_value_that_overflows_on_the_way_is_named(function: Any) -> None:
    large = GIVEN._replace(w_v=np.full((D_MODEL, D_MODEL), 1e308))
    rows = (X,) if function is multi_head_attention else (X, X)
    with (
        np.errstate(all="ignore"),
        pytest.raises(ValueError, match=r"values must be finite; got .*\(3, 5, 4\)"),
    ):
        function(*rows, large, N_HEADS)


def test_a_score_that_overflows_on_the_way_is_named() -> None:
    large = np.full((2, 3), 1e200)
    with (
        np.errstate(all="ignore"),
        pytest.raises(ValueError, match=r"scores must be finite or -inf; got \+inf, 4"),
    ):
        attention(large, large, large)

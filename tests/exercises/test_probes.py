"""What all probes of an exercise share, a wrong answer may rely on. So they share no size, and no example.

`architecture`: every Example that a task prints is a probe; no size is the same in all probes of an exercise;
every axis that may have length 1 has it in some probe; scores far below 0 are tried as well as far above; and
a mask comes with fewer axes than the scores.
"""

from __future__ import annotations

import ast
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import torch
from handed_out import ANSWERS, GIVEN
from test_notebook_tasks import source

from helpers.exercises.catalogue import exercises
from helpers.exercises.engine.diagnosis import plain_outcome
from helpers.exercises.engine.probes import EXAMPLE, Probe
from helpers.exercises.kinds import Write
from helpers.validation import Array

FUNCTIONS = {name: exercise for name, exercise in exercises().items() if isinstance(exercise, Write)}
by_name = pytest.mark.parametrize("name", FUNCTIONS)

# --- sizes

# exercise -> sizes that may be the same in all its probes, or need not be 1; and why.
EXCEPTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "neighbours-bug": (
        ("vectors[-1]", "vectors[-2]"),
        "words of one number have cosines of 1 and −1 only, ties all; and a single word has no neighbour",
    ),
    "leak-test": (("x[-2]",), "a single token has no later one: the task asks for pairs of tokens"),
    "share-forward": (("weights[-2]",), "the task says that there are at least two rows"),
    "stopwatch-bug": (
        ("log[-1]", "log[-2]"),
        "the task says three readings a call, and two calls or more: the first does not count",
    ),
    "torch-weights": (("in_proj_weight[-2]",), "it has 3·d_model rows"),
    "torch-batch-first": (("in_proj_weight[-2]",), "it has 3·d_model rows"),
    "rescale": (("running_max[-1]", "running_sum[-1]"), "the task says (n_queries, 1)"),
    "mask-rule": (("query[-1]",), "the check gives the queries as a column, as the task says"),
    "shifted-loss": (
        ("logits[-2]", "tokens[-1]"),
        "a single token has none after it, and the mean over no row is undefined",
    ),
    "rope": (("x[-1]",), "entries turn in pairs"),
    "layout-bug": (("x[-1]",), "entries turn in pairs"),
    "cached-place": (("queries[-1]", "keys[-1]"), "entries turn in pairs"),
    "rotated-values": (
        ("queries[-1]", "keys[-1]", "values[-1]"),
        "entries turn in pairs, and so do the values in the function as given",
    ),
}


def sizes(inputs: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The inputs of a probe -> a name and a number for each axis, whole number and list among them.

    Axes are counted from the end: scores[-1] are the keys, however many axes stand before. A number with a
    fraction is no size, but may be relied on as well.
    """
    for name, value in inputs.items():
        if isinstance(value, np.ndarray):
            yield from ((f"{name}[-{axis}]", value.shape[-axis]) for axis in range(1, value.ndim + 1))
        elif isinstance(value, list):
            yield f"len({name})", len(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield name, value


def found_in(probes: tuple[Probe, ...]) -> dict[str, set[float]]:
    """Probes -> for each size the numbers that it takes in them."""
    found: dict[str, set[float]] = defaultdict(set)
    for probe in probes:
        for name, number in sizes(probe.inputs):
            found[name].add(number)
    return found


@by_name
def test_no_size_is_the_same_in_all_probes(name: str) -> None:
    allowed, _ = EXCEPTIONS.get(name, ((), ""))
    same = {size: numbers for size, numbers in found_in(FUNCTIONS[name].probes).items() if len(numbers) == 1}
    assert not same.keys() - set(allowed), f"an answer of {name} may rely on {same}"


@by_name
def test_every_axis_has_length_1_in_some_probe(name: str) -> None:
    allowed, _ = EXCEPTIONS.get(name, ((), ""))
    found = found_in(FUNCTIONS[name].probes)
    whole = {size for size, numbers in found.items() if all(isinstance(each, int) for each in numbers)}
    never = {size for size in whole if 1 not in found[size]}
    assert not never - set(allowed), f"no probe of {name} has length 1 in {sorted(never)}"


def test_every_exception_is_needed() -> None:
    for name, (allowed, reason) in EXCEPTIONS.items():
        found = found_in(FUNCTIONS[name].probes)
        assert reason
        assert all(len(found[size]) == 1 or 1 not in found[size] for size in allowed), name


def test_a_size_that_all_probes_share_is_found() -> None:
    probes = tuple(Probe("", {"x": np.zeros((n, 4)), "n_heads": 2}) for n in (1, 3))
    assert {size for size, numbers in found_in(probes).items() if len(numbers) == 1} == {"x[-1]", "n_heads"}


# --- the Example of the task

NOTATION = (  # as tasks write it -> as Python reads it
    ("−", "-"),
    (r"√(\d+)", r"sqrt(\1)"),
    (r"(\)|\d) ln (\d+)", r"\1 * log(\2)"),
    (r"\bln (\d+)", r"log(\1)"),
)
SPACE = {"np": np, "torch": torch, "sqrt": math.sqrt, "log": math.log, "one": np.eye(2)}
ROUNDED = 6e-3  # tasks print two or three digits


def example_of(name: str) -> str:
    """An exercise -> the Example in its task, from the word on; "" where there is none."""
    return source(f"{name}-task").partition("\nExample:")[2]


def as_python(text: str) -> Any:
    """What stands in backticks -> its value; None where it is no number and no list."""
    for written, read in NOTATION:
        text = re.sub(written, read, text)
    text = text.replace("...", "…")
    if not re.match(r"(\[|\(|-?\d|torch\.|np\.|sqrt|log)", text):
        return None
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return None
    known = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} <= SPACE.keys()
    return eval(compile(tree, "task", "eval"), dict(SPACE)) if known else None


def shown(name: str) -> list[Any]:
    """An exercise -> the arrays, numbers and lists in its Example."""
    parts = re.findall(r"`([^`]+)`", example_of(name))
    values = [value for value in map(as_python, parts) if value is not None]
    return [value for value in values if not isinstance(value, tuple)]  # shapes


def calls(name: str) -> list[list[Any]]:
    """An exercise -> what the calls `my_x(...)` in its Example are handed."""
    found = []
    for text in re.findall(r"`(my_\w+\(.+?\))`", example_of(name)):
        tree = ast.parse(text, mode="eval").body
        assert isinstance(tree, ast.Call)
        found.append([eval(ast.unparse(argument), dict(SPACE)) for argument in tree.args])
    return found


def plain(value: Any) -> Any:
    return value.numpy() if isinstance(value, torch.Tensor) else value


def is_part(value: Any, whole: Any) -> bool:
    """True where a value is an array, or one of its rows, tables …, up to the digits that a task prints."""
    value, whole = np.asarray(plain(value), dtype=float), np.asarray(plain(whole), dtype=float)
    if value.ndim > whole.ndim or value.shape != whole.shape[whole.ndim - value.ndim :]:
        return False
    parts = whole.reshape(-1, *value.shape)
    return any(np.allclose(value, part, rtol=0, atol=ROUNDED, equal_nan=True) for part in parts)


def same_input(one: Any, other: Any) -> bool:
    if isinstance(other, list):
        return bool(one == other)
    one, other = np.asarray(plain(one)), np.asarray(plain(other))
    return one.shape == other.shape and np.allclose(one, other)


def results(name: str, probe: Probe) -> list[Any]:
    """A probe -> what is right there, and what the function as given makes of it."""
    found = []
    for function in [ANSWERS[name], *([GIVEN[name]] if name in GIVEN else [])]:
        with np.errstate(all="ignore"):
            value = plain_outcome(function, probe)
        found += [] if value.value is None else [value.value]
        found += _taken_apart(value) if value.joined else []
    return found


def _taken_apart(outcome: Any) -> list[Any]:
    from helpers.exercises.engine.sandbox import taken_apart

    return list(taken_apart(outcome))


def fits(name: str, probe: Probe) -> bool:
    """True where a probe holds everything that the Example shows."""
    handed = calls(name)
    inputs = list(probe.inputs.values())
    if handed:
        return any(len(one) == len(inputs) and all(map(same_input, one, inputs)) for one in handed)
    numeric = [value for value in inputs if not callable(value) and not isinstance(value, list)]
    there = [*numeric, *results(name, probe)]
    return bool(shown(name)) and all(any(is_part(value, one) for one in there) for value in shown(name))


def two_equal_keys(probes: tuple[Probe, ...]) -> bool:
    return any(len(p.inputs["keys"]) == 2 and np.ptp(p.inputs["keys"], axis=0).max() == 0 for p in probes)


def a_key_more(probes: tuple[Probe, ...]) -> bool:
    """One probe has the keys of another, but for the last: seven and six."""
    flat = [p.inputs["keys"] for p in probes if p.inputs["keys"].ndim == 2]
    sizes = {len(keys): keys for keys in flat if len(keys) in (6, 7) and keys.shape[1] == 3}
    return sizes.keys() == {6, 7} and np.array_equal(sizes[7][:6], sizes[6])


def shapes(*wanted: tuple[int, ...]) -> Callable[[tuple[Probe, ...]], bool]:
    return lambda probes: any([np.shape(v) for v in p.inputs.values()] == list(wanted) for p in probes)


# Where an Example is told in words: what the probes must hold.
IN_WORDS: dict[str, Callable[[tuple[Probe, ...]], bool]] = {
    "all-scores": shapes((2, 5, 4), (2, 7, 4)),
    "scale-bug": a_key_more,
    "order-bug": two_equal_keys,
    "unit-spread": lambda probes: any(p.inputs["sigma"] == 1 and p.inputs["d_k"] == 4 for p in probes),
    "axis-bug": lambda probes: any(p.inputs["scores"].shape[:-2] == (2,) for p in probes),
    "leak-test": lambda probes: sum(p.kind.startswith(EXAMPLE) for p in probes) == 2,
    "attention": lambda probes: any(fits("attention", p) for p in probes),
    "torch-batch-first": lambda probes: any(
        not p.inputs["x"].any() and p.inputs["x"].shape == (2, 3, 4) and p.inputs["n_heads"] == 2
        for p in probes
    ),
    "torch-polarity": lambda probes: any(
        np.array_equal(p.inputs["x"], np.ones((1, 1, 4))) and p.inputs["real"].all() for p in probes
    ),
    "scale-back-bug": lambda probes: any(p.inputs["keys"].shape[-1] == 4 for p in probes),
    "batch-sum-bug": shapes((2, 5, 3), (2, 5, 4), (4, 3)),
    "mask-rule": lambda probes: any(
        (p.inputs["batch"], p.inputs["text"].tolist()) == (0, [[0, 0, 1, 1], [0, 1, 1, 1]])
        and ANSWERS["mask-rule"](**p.inputs).sum(axis=-1).tolist() == [1, 2, 1, 2]
        for p in probes
    ),
    "shifted-loss": lambda probes: any(
        p.inputs["tokens"].tolist() == [0, 1, 0] and p.inputs["logits"].tolist() == [[0, 9], [9, 0], [9, 0]]
        for p in probes
    ),
    "padded-loss": lambda probes: any(
        p.inputs["losses"].tolist() == [[2, 4, 0.5], [6, 0.5, 0.5]] and p.inputs["real"].sum() == 3
        for p in probes
    ),
    "noisy-loss": lambda probes: any(
        isinstance(p.inputs["model"], torch.nn.Dropout)  # the task's model is the dropout itself
        and p.inputs["model"].p == 0.5
        and p.inputs["inputs"].tolist() == [[2.0, 0.0]]
        and p.inputs["targets"].tolist() == [0]
        for p in probes
    ),
    "head-off": lambda probes: any(
        p.inputs["mixed"].tolist() == [[[1]], [[10]]] and p.inputs["head"] == 0 for p in probes
    ),
    "grouped": lambda probes: any(
        p.inputs["queries"].shape[:2] == (6, 1) and p.inputs["values"].ravel().tolist() == [10, 20]
        for p in probes
    ),
}


@by_name
def test_the_example_of_the_task_is_a_probe(name: str) -> None:
    assert example_of(name), f"the task of {name} prints no Example"
    if name in IN_WORDS:
        assert IN_WORDS[name](FUNCTIONS[name].probes), name
    else:
        fitting = [probe.kind for probe in FUNCTIONS[name].probes if fits(name, probe)]
        assert fitting, f"no probe of {name} holds {shown(name) or calls(name)}"


def test_an_example_with_another_number_is_no_probe() -> None:
    probe = Probe("", {"numbers": np.array([2.0, 3.0, 6.0])})
    assert any(fits("total", each) for each in FUNCTIONS["total"].probes)
    assert not fits("total", probe)


# --- far above, far below

# Exercises whose task asks for scores that are large in size, or that mask.
SENSITIVE = (
    *("softmax", "overflow-bug", "axis-bug", "column-softmax", "log-softmax", "temperature"),
    *("attention", "roles-bug", "width-bug", "masked-attention", "infinity-bug", "future-bug"),
    *("multi-head", "cross-attention", "context-bug", "causal-bug", "source-mask"),
    *("torch-attention", "rescale", "online-bug", "tile-bug"),
)


def scores_of(inputs: Mapping[str, Any]) -> Array:
    """The inputs of a probe -> its scores, before a mask; those of all heads together."""
    if "scores" in inputs:
        return np.asarray(inputs["scores"], dtype=float)
    if "queries" in inputs:
        queries, keys = inputs["queries"], inputs["keys"]
    else:
        x = inputs["x"]
        queries, keys = x @ inputs["w_q"], inputs.get("context", x) @ inputs["w_k"]
    scores: Array = queries @ np.swapaxes(keys, -1, -2) / math.sqrt(queries.shape[-1])
    return scores.astype(np.float64)


@pytest.mark.parametrize("name", SENSITIVE)
def test_scores_are_tried_far_above_0_and_far_below(name: str) -> None:
    axis = -2 if name == "column-softmax" else -1
    rows = [scores_of(probe.inputs) for probe in FUNCTIONS[name].probes]
    highest = [scores.max(axis=axis) for scores in rows]
    assert any((each > 710).any() for each in highest), "e^score overflows nowhere"
    assert any((each < -745).any() for each in highest), "every e^score of a row is 0 nowhere"


# --- masks

MASKED = {name: one for name, one in FUNCTIONS.items() if "mask" in one.probes[0].inputs}


@pytest.mark.parametrize("name", MASKED)
def test_a_mask_has_fewer_axes_than_the_scores_and_axes_of_length_1(name: str) -> None:
    assert "fewer axes" in source(f"{name}-task") or "broadcasts to it" in source(f"{name}-task")
    pairs = [(scores_of(p.inputs).shape, p.inputs["mask"].shape) for p in MASKED[name].probes]
    assert any(len(mask) == 1 for _, mask in pairs)
    assert any(1 < len(mask) < len(scores) for scores, mask in pairs)
    for axis in (-1, -2, -3):  # of length 1 where the scores have more
        broadcast = [scores[axis] > 1 == mask[axis] for scores, mask in pairs if len(mask) >= -axis]
        assert any(broadcast) or (axis == -1 and "every query may attend to" in source(f"{name}-task"))


# --- whatever a reply asks of a probe


@by_name
def test_the_properties_can_be_asked_on_every_probe(name: str) -> None:
    """None raises on an axis of length 1: the reply would end there."""
    exercise = FUNCTIONS[name]
    wrong = [version.function for version in exercise.diagnosis.singles[::4]]
    with exercise.dice_as_they_were(), np.errstate(all="ignore"):
        for probe in exercise.probes:
            for function in (exercise.right, *wrong):
                outcome = plain_outcome(function, probe)
                right = plain_outcome(exercise.right, probe)
                if outcome.value is None or right.value is None or outcome.value.shape != right.value.shape:
                    continue
                if np.isnan(outcome.value).any():
                    continue  # which a reply tells by itself
                whole = _taken_apart(outcome) if outcome.joined else outcome.value
                for held in exercise.properties:
                    assert isinstance(held.broken(probe.inputs, whole, _silent), str)


def _silent(*_inputs: Any) -> None:
    """A call of the learner's function that ends in an error."""

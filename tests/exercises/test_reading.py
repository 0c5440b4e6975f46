"""What the check says of a learner's source where behaviour has no name: true of this code, or nothing."""

from __future__ import annotations

import ast
import linecache
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import learners
import numpy as np
import pytest

from helpers.attention import attention
from helpers.exercises import evaluate
from helpers.exercises.catalogue import find
from helpers.exercises.engine import seen
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.engine.reading import reading
from helpers.exercises.kinds import Write

SOURCES = Path(__file__).parent / "source_hints.txt"
NAMES = [each.__name__ for each in seen.SEEN]
LEAST = 6  # examples of each kind


def snippets() -> list[tuple[str, str, str]]:
    """The file -> (seen or silent, name of the hint, source)."""
    found = []
    for part in re.split(r"^## ", SOURCES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *sources = part.strip().split("\n\n")
        kind, _, name = head.partition(": ")
        found += [(kind, name, source) for source in sources]
    return found


def _stacked(*axes: int, start: int) -> list[Any]:
    """An array on each of four inputs: two, three and four axes, then whole numbers."""
    stacks = [numbers(*stack, *axes, start=start) for stack in ((), (2,), (2, 3))]
    return [*stacks, np.arange(np.prod(axes)).reshape(axes) % 7]


GIVEN = {
    "queries": _stacked(5, 4, start=3),
    "keys": _stacked(7, 4, start=50),
    "values": _stacked(7, 6, start=90),
    "scores": _stacked(5, 7, start=130),
    "mask": [array > 0 for array in _stacked(5, 7, start=170)],
    "row": [numbers(n, start=9) for n in (3, 4, 5, 6)],
    "n_heads": [2, 4, 1, 2],
    "tile": [2, 3, 4, 5],
}
AGAIN = {"q": "queries", "k": "keys"}


def probes_for(function: Any) -> tuple[Probe, ...]:
    """A function -> the inputs that it gets, by the names that it gives them."""
    code = getattr(function, "__code__", None) or type(function).__call__.__code__
    defaults = len(getattr(function, "__defaults__", None) or ())
    named = [n for n in code.co_varnames[: code.co_argcount - defaults] if n != "self"] or ["queries", "keys"]
    inputs = {name: GIVEN[AGAIN.get(name, name)] for name in named}
    return tuple(Probe("one", {name: given[i] for name, given in inputs.items()}) for i in range(4))


def in_a_cell(source: str, number: int) -> Any:
    """A paragraph of the file -> its last function, as a notebook's cell makes it."""
    last = ast.parse(source).body[-1]
    text = source
    if isinstance(last, ast.Expr):
        lines = source.splitlines()
        text = "\n".join([*lines[: last.lineno - 1], "f = " + lines[last.lineno - 1]])
    file = f"<cell {number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {
        "np": np,
        "math": math,
        "my_softmax": lambda scores: np.exp(scores) / np.exp(scores).sum(),
    }
    exec(compile(text, file, "exec"), space)
    return space["f"]


def hint_of(function: Any) -> str:
    probes = probes_for(function)
    for probe in probes[:2]:
        try:
            function(*(np.copy(v) if isinstance(v, np.ndarray) else v for v in probe.inputs.values()))
        except Exception:  # many are wrong for a stack; only what is remembered counts here
            continue
    return seen.hint(function, probes, right_for(function))


def right_for(function: Any) -> Any:
    """What is right here hangs on every input but `tile`."""
    names = list(probes_for(function)[0].inputs)

    def right(*inputs: Any) -> Any:
        return np.array(
            [
                np.abs(np.asarray(each, float)).sum()
                for n, each in zip(names, inputs, strict=True)
                if n != "tile"
            ]
        )

    return right


@pytest.mark.parametrize(("kind", "name", "source"), snippets())
def test_a_hint_is_seen_or_not(kind: str, name: str, source: str) -> None:
    function = in_a_cell(source, abs(hash(source)))
    told = hint_of(function)
    if kind == "silent":
        assert told == ""
        return
    read = reading(function, probes_for(function))
    assert read is not None
    assert told in list(getattr(seen, name)(read))


def test_each_hint_has_enough_examples() -> None:
    counts = Counter((kind, name) for kind, name, _ in snippets())
    assert {(kind, name) for kind, name in counts} == {(k, n) for k in ("seen", "silent") for n in NAMES}
    assert min(counts.values()) >= LEAST


# --- the sentences


SAID = {
    "remembers": "`seen=[]` is made once, not anew for each call: `seen` keeps what earlier calls put there.",
    "words_of_torch": "PyTorch's words, which NumPy lacks or reads in another way: `scores.max(-1)[0]`, here "
    "`scores.max(-1)`, which has no second part.",
    "never_read": "`queries` is never read in your function.",
    "overwritten": "`keys` is overwritten in `keys = np.ones((3, 4))` before anything has read it.",
    "not_called": "`scores.sort` alone does nothing: brackets make it a call, as in `scores.sort()`.",
    "after_return": "`scores = np.exp(scores)` stands after a `return`, and is never reached.",
    "dropped": "`np.where(mask, scores, -np.inf)` makes a new result, and nothing in your function keeps it.",
    "late": "`[lambda x: x / h for h in range(1, 1 + n_heads)]`: these functions read `h` when they are "
    "called, and by then it has the loop's last value.",
    "power_first": "`queries @ np.swapaxes(keys, -1, -2) / queries.shape[-1] ** 1 / 2`: Python takes the "
    "power first, `queries.shape[-1] ** 1`, and divides by 2 afterwards; a root is `** 0.5`.",
    "whole_division": "`queries @ np.swapaxes(keys, -1, -2) // np.sqrt(queries.shape[-1])` rounds down to a "
    "whole number; a single `/` does not.",
    "by_chance": "`F.dropout(my_softmax(scores), 0.1)` drops numbers at random, different ones in each call.",
    "rounded": "`np.round(my_softmax(scores), 2)` rounds on the way: whatever comes after works with fewer "
    "digits.",
    "narrower": "`scores.astype(np.float16)` keeps 2 bytes of each number, which are three or four digits.",
    "never_used": "`masked` is never read after `masked = np.where(mask, scores, -np.inf)`.",
    "of_the_notebook": "`d_k` in `return queries @ np.swapaxes(keys, -1, -2) / math.sqrt(d_k)` is a "
    "variable in your notebook, not an argument: it is the same whatever goes in.",
    "taken_apart": "`b, n, d = queries.shape` takes exactly 3 axes, and `queries` comes with 2 or 4 as well.",
    "axes_from_the_front": "`keys.transpose(0, 2, 1)` counts axes from the front, and arrays come with 2, 3 "
    "or 4.",
    "letters": '`np.einsum("ij,kj->ik", queries, keys)` names 2 axes, and arrays come with 2, 3 or 4.',
    "constants": "The 64 in `math.sqrt(64)` is a fixed number: it is the same for every input.",
}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_the_first_example(name: str) -> None:
    source = next(text for kind, known, text in snippets() if (kind, known) == ("seen", name))
    assert hint_of(in_a_cell(source, abs(hash(source)))) == SAID[name]


def test_only_the_strongest_is_said() -> None:
    source = "def f(queries, keys, mask):\n    return np.round(queries @ keys.T // 8 ** 1 / 2, 2)"
    assert hint_of(in_a_cell(source, 1)) == "`mask` is never read in your function."


def test_long_code_is_cut() -> None:
    source = "lambda queries, keys: " + "queries @ keys.transpose(0, 2, 1) + " * 5 + "np.round(queries, 2)"
    text = "np.round(" + "queries + " * 20 + "queries, 2)"
    assert max(map(len, re.findall("`[^`]*`", hint_of(in_a_cell(source, 2))))) <= 72
    assert "…" in hint_of(in_a_cell(f"lambda queries: {text}", 3))


# --- where nothing is said


def of_source(source: str, file: str, listed: str | None) -> Any:
    """A function, and what is to be found under its file's name."""
    space: dict[str, Any] = {"np": np}
    exec(compile(source, file, "exec"), space)
    linecache.cache.pop(file, None)
    if listed is not None:
        linecache.cache[file] = (len(listed), None, listed.splitlines(keepends=True), file)
    return space["f"]


UNREAD = "def f(queries, keys):\n    return queries * 2\n"


def test_a_source_that_is_there_is_read() -> None:
    assert hint_of(of_source(UNREAD, "<cell a>", UNREAD)) == "`keys` is never read in your function."


@pytest.mark.parametrize(
    "listed",
    [
        None,
        UNREAD.replace("* 2", "* 3"),
        UNREAD.replace("def f", "def g"),
        "\n" + UNREAD,
        UNREAD + "def f(:",
        "f = lambda queries, keys: queries",
    ],
)
def test_a_source_that_did_not_run_is_not_read(listed: str | None) -> None:
    assert hint_of(of_source(UNREAD, "<cell b>", listed)) == ""


def test_what_is_not_the_learners_is_not_read() -> None:
    assert seen.hint(attention, probes_for(lambda queries, keys, values: 0), attention) == ""
    assert seen.hint(len, probes_for(lambda queries: 0), len) == ""
    assert seen.hint(3, probes_for(lambda queries: 0), len) == ""


def test_what_the_answer_does_too_is_not_said() -> None:
    function = in_a_cell("lambda scores: scores / 64", 4)
    probes = probes_for(function)
    assert seen.hint(function, probes, right_for(function)) != ""
    assert seen.hint(function, probes, in_a_cell("lambda scores: scores * 64", 5)) == ""
    assert seen.hint(function, probes, in_a_cell("lambda scores: scores / 32", 6)) == ""


def test_a_sum_too_long_to_be_followed_does_no_harm() -> None:
    told = hint_of(in_a_cell("lambda queries: (" + "queries + " * 930 + "queries) // 2", 7))
    assert told == "" or told.startswith("`(queries + ")


def test_a_causal_mask_need_not_be_read() -> None:
    probes = [Probe("one", {"scores": numbers(n, n), "causal": np.tri(n, dtype=bool)}) for n in (3, 4)]
    assert seen.needed(lambda scores, causal: scores * causal, probes, 0)
    assert not seen.needed(lambda scores, causal: scores * causal, probes, 1)


# --- in the reply


def _without_the_mask(queries: Any, keys: Any, values: Any, mask: Any) -> Any:
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1]) + 0.1 * queries.sum()
    return np.tanh(scores) @ values


def _with_a_memory(queries: Any, keys: Any, values: Any, mask: Any, seen: Any = []) -> Any:  # noqa: B006
    seen.append(keys)
    return queries.sum() + values * 0 + len(seen) + mask.sum()


def test_a_reply_without_a_name_has_one_hint() -> None:
    text = evaluate("masked-attention", _without_the_mask).text
    assert text.count("`mask` is never read in your function.") == 1
    assert text.index("never read") < text.index("Worth rereading")


def test_a_reply_with_a_name_has_none() -> None:
    feedback = evaluate(
        "masked-attention",
        lambda queries, keys, values, mask: attention(queries, keys, values)[0],
    )
    assert feedback.named
    assert "never read" not in feedback.text


def test_what_earlier_calls_left_is_told_where_two_calls_differ() -> None:
    text = " ".join(evaluate("masked-attention", _with_a_memory).text.split())
    assert "the same input gave two different results" in text
    assert "`seen=[]` is made once, not anew for each call" in text


def test_what_came_back_is_enough_where_it_is_no_array() -> None:
    assert "never read" not in evaluate("masked-attention", lambda queries, keys, values, mask: "").text


def test_no_right_answer_would_get_a_hint(pytestconfig: pytest.Config) -> None:
    """It is never asked for one; but what is seen in right answers explains no wrong one."""
    found = []
    for answer in learners.answers(pytestconfig.getoption("lesson")):
        exercise = find(answer.name)
        if answer.expected.status == "right" and isinstance(exercise, Write):
            told = seen.hint(answer.value(), exercise.probes, exercise.answer)
            found += [f"{answer}: {told}"] if told else []
    assert found == []


def test_a_cell_is_parsed_once_and_anew_where_it_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = ast.parse

    def counted(text: str) -> ast.Module:
        parsed.append(text)
        return parse(text)

    probes = [Probe("", {"x": numbers(2, 3)})]

    def cell(text: str) -> Any:
        linecache.cache["<a cell>"] = (len(text), None, text.splitlines(keepends=True), "<a cell>")
        found: dict[str, Any] = {}
        exec(compile(text, "<a cell>", "exec"), found)
        return reading(found["mine"], probes)

    one, two = "def mine(x):\n    return 2 * x\n", "def mine(x):\n    return 3 * x\n"
    with monkeypatch.context() as changed:
        changed.setattr(ast, "parse", counted)
        first, again, other = cell(one), cell(one), cell(two)
    assert parsed == [one, two]
    assert first.tree is again.tree
    assert (first.quote(first.tree), other.quote(other.tree)) == (
        "`def mine(x): return 2 * x`",
        "`def mine(x): return 3 * x`",
    )
    del linecache.cache["<a cell>"]

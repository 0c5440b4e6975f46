"""What does a wrong fix do? Which bugs are out, what came in beside, and whether it is nearer.

Behaviour first: a fix that gives the results of known mistakes is told so by their names, those that were
planted excepted. Then its source: the lines with the bugs stand in it, as given or as they were.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake, plain_outcome, same_outcome
from helpers.exercises.engine.probes import Probe
from helpers.exercises.engine.sandbox import Outcome
from helpers.exercises.gym.passed import source_of
from helpers.exercises.gym.planting import NotFoundError, compiled
from helpers.exercises.kinds.write import alike
from helpers.validation import Array

CLOSER = 0.99  # of the gap as given: less than this is nearer
Call = Callable[..., Any]
Recipe = Callable[..., Any]


class Known(NamedTuple):
    """The mistakes that a fix gives the results of: some that were planted, and one more or None."""

    planted: tuple[str, ...]
    more: Mistake | None
    way: Mapping[str, Any] = MappingProxyType({})  # how the one more is made


class Lines(NamedTuple):
    """What the source of a fix says: which of the bugs are out, which are in, and the same without them."""

    out: tuple[int, ...]
    there: tuple[int, ...]
    without: Call


def known_in(
    outcomes: Sequence[Outcome],
    probes: Sequence[Probe],
    recipe: Recipe,
    planted: Sequence[Mapping[str, Any]],
    mistakes: Sequence[Mistake],
    names: Sequence[str],
) -> Known | None:
    """What a fix gives, and what its exercise knows -> the mistakes it gives the results of, or None.

    `planted` are the ways of the bugs, `names` what they are called. None too where two accounts with equally
    few mistakes fit and differ: then neither may be told.
    """
    tried = list(_candidates(planted, mistakes, names))
    for size in sorted({_size(known) for known, _ in tried}):
        found = {
            (known.planted, known.more.name if known.more else ""): known
            for known, way in tried
            if _size(known) == size and _gives(recipe, way, outcomes, probes)
        }
        if found:
            return next(iter(found.values())) if len(found) == 1 else None
    return None


def _candidates(
    planted: Sequence[Mapping[str, Any]], mistakes: Sequence[Mistake], names: Sequence[str]
) -> Iterator[tuple[Known, dict[str, Any]]]:
    for size in range(len(planted) + 1):
        for kept in combinations(range(len(planted)), size):
            base = {keyword: value for place in kept for keyword, value in planted[place].items()}
            called = tuple(names[place] for place in kept)
            if kept:
                yield Known(called, None), base
            for mistake in mistakes:
                for way in mistake.ways if mistake.name not in names else ():
                    if not way.keys() & base.keys():
                        yield Known(called, mistake, way), {**base, **way}


def _size(known: Known) -> int:
    return len(known.planted) + (known.more is not None)


def _gives(
    recipe: Recipe, way: Mapping[str, Any], outcomes: Sequence[Outcome], probes: Sequence[Probe]
) -> bool:
    def call(*inputs: Any) -> Any:
        return recipe(*inputs, **way)

    pairs = zip(outcomes, probes, strict=True)
    return all(same_outcome(got, plain_outcome(call, probe)) for got, probe in pairs)


def lines_of(fix: Call, given: str, before: str, alone: Sequence[str]) -> Lines | None:
    """A fix; the sources of the function as given, without bugs, with each alone -> what its lines say.

    None where its source is not there, uses what only its cell knew, or changed a line with a bug in another
    way than to what it was.
    """
    source = source_of(fix)
    if source is None or getattr(fix, "__closure__", None):
        return None
    theirs, whole, right, *each = (plain_lines(text) for text in (source, given, before, *alone))
    if any(len(lines) != len(right) for lines in (whole, *each)):
        return None
    out: set[int] = set()
    there: set[int] = set()
    for place, line in enumerate(right):
        if whole[place] == line:
            continue
        bugs = tuple(number for number, lines in enumerate(each) if lines[place] != line)
        forms: dict[str, tuple[int, ...]] = {each[number][place]: (number,) for number in bugs}
        forms |= {line: (), whole[place]: bugs}
        stands = [form for form in forms if form in theirs]
        if len(stands) != 1:
            return None
        here = set(forms[stands[0]])
        there |= here
        out |= set(bugs) - here
        theirs[theirs.index(stands[0])] = line
    try:
        space = getattr(fix, "__globals__", {})
        text = "\n".join(theirs) + "\n"
        return Lines(tuple(sorted(out - there)), tuple(sorted(there)), compiled(text, space, "gym, repaired"))
    except (NotFoundError, SyntaxError, KeyError):
        return None


def plain_lines(source: str) -> list[str]:
    """Source -> its lines, each statement written in one way, without its docstring."""
    tree = ast.parse(textwrap.dedent(source))
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    if ast.get_docstring(function) is not None and len(function.body) > 1:
        function.body = function.body[1:]
    function.returns = None
    for argument in function.args.args:
        argument.annotation = None
    return ast.unparse(tree).splitlines()


def text_of(function: Call) -> str:
    """A function that was compiled here -> its source."""
    return inspect.getsource(function)


def gaps(outcomes: Sequence[Outcome], right: Sequence[Outcome]) -> Array:
    """Results, the right ones -> for each input how far apart on average; ∞ where no number says it."""
    return np.array([_gap(got.value, best.value) for got, best in zip(outcomes, right, strict=True)])


def _gap(got: Array | None, right: Array | None) -> float:
    if got is None or not alike(right, got):
        return np.inf
    if not got.size:
        return 0.0
    with np.errstate(all="ignore"):  # no warning in a notebook
        apart = np.abs(got.astype(float) - right.astype(float))
        apart = np.where(got == right, 0.0, apart)  # −∞ beside −∞ is the same
        return float(np.nan_to_num(apart, nan=np.inf, posinf=np.inf).mean())


def nearer(now: Array, then: Array) -> str:
    """How far a fix and the function as given are from what is right, on each input -> a sentence, or "".

    Nothing where some input gives no number to compare, or where the inputs do not agree: a count of them
    would mislead.
    """
    wrong = (now > 0) | (then > 0)
    if not (np.isfinite(now).all() and np.isfinite(then).all() and wrong.any()):
        return ""
    for word, one, other in (("nearer to", now, then), ("further from", then, now)):
        if (one[wrong] < CLOSER * other[wrong]).all():
            return f"Its results are {word} the right ones than before, on every input."
    return ""

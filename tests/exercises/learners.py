"""Reads what learners write: plain code in `lesson_NN/`, under what the check is to say of it.

`lesson_05/causal_mask.py` holds answers to `causal-mask`. (Where they are too many for one file, a folder of
that name holds them.) An answer has the name that the notebook gives it, so that a learner's cell can be
pasted as it is:

    # named: upper-left
    def my_causal_mask(n_queries, n_keys):
        return np.tri(n_queries, n_keys, dtype=bool)

A heading holds for all answers below it, up to the next one. It has one or more of these lines:

    # right                           ✓
    # named: upper-left               ✗, and this mistake is named, and no other
    # named: upper-left + inverted    ✗, and both are named, in the order in which they are to be fixed
    # named: upper-left | inverted    ✗, and the one or the other is named: on the inputs they look the same
    # unnamed                         ✗, and no mistake is named
    # not attempted                   ○
    # told: what the reply says       a part of the reply
    # not told: what it does not say  no part of it
    # breaks: input left unchanged    the property that does not hold

Where none of the first five stands, no mistake is named. A line that begins with `#     ` goes on with the
one before. `# answers: attention, roles-bug` says that what is below is an answer to each of these exercises.
Anything else in the file, an import or a function, is there for all its answers.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import lesson_files
from lesson_files import as_tested

from helpers.exercises.engine.feedback import Feedback

HERE = Path(__file__).parent
VERDICTS = ("right", "named", "unnamed", "not attempted")
KINDS = (*VERDICTS, "told", "not told", "breaks", "answers")
LINE = re.compile(rf"# ({'|'.join(KINDS)})(?:: (\S.*))?")
CHECK = re.compile(r'check\(\\?"([\w-]+)\\?", *(\w+)\)')


@dataclass(frozen=True)
class Expected:
    """What the check is to say of an answer. `named` holds the alternatives, as in Feedback."""

    status: str = "wrong"
    named: tuple[tuple[str, ...], ...] = ()
    told: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()

    def __str__(self) -> str:
        """A word for the test's name."""
        named = "|".join("+".join(names) for names in self.named)
        return named or self.status.replace("wrong", "told" if self.told else "unnamed").replace(" ", "-")

    def differences(self, feedback: Feedback) -> list[str]:
        """What the check says -> in what it is not as expected."""
        said = " ".join(feedback.text.split())
        pairs: list[tuple[str, object, object]] = [
            ("is", self.status, feedback.status),
            ("named", self.named, feedback.named),
            ("breaks", self.breaks or feedback.properties, feedback.properties),
        ]
        found = [f"{what}: expected {wanted}, got {got}" for what, wanted, got in pairs if wanted != got]
        found += [f"not told: {part}" for part in self.told if part not in said]
        return found + [f"told: {part}" for part in self.untold if part in said]


@dataclass(frozen=True)
class Answer:
    """A learner's answer to an exercise. `name` is the exercise's."""

    path: Path
    line: int
    name: str
    expected: Expected

    def __str__(self) -> str:
        """lesson_05/causal_mask.py:79-upper-left."""
        place = f"{self.path.relative_to(HERE).as_posix()}:{self.line}"
        of_this_file = self.name == exercise_of(self.path)
        return f"{place}-{self.expected}" if of_this_file else f"{place}-{self.name}-{self.expected}"

    def value(self) -> Any:
        """What the learner hands to the check, made anew."""
        code, variable = loaded(self.path).codes[self.line], names_in_notebooks()[exercise_of(self.path)]
        space = dict(loaded(self.path).space)  # of its own: a function that calls itself finds itself
        exec(code, space)
        return space[variable]


@dataclass(frozen=True)
class Loaded:
    """A file of answers: what is there for all, and the code of each by its line."""

    space: dict[str, Any]
    codes: dict[int, CodeType]


@cache
def names_in_notebooks() -> dict[str, str]:
    """causal-mask -> my_causal_mask, for every exercise."""
    texts = (as_tested(path).read_text(encoding="utf-8") for path in lesson_files.notebooks())
    return {name: variable for text in texts for name, variable in CHECK.findall(text)}


def exercise_of(path: Path) -> str:
    """.../lesson_05/causal_mask.py, or .../lesson_05/causal_mask/right.py -> causal-mask."""
    return path.relative_to(HERE).parts[1].removesuffix(".py").replace("_", "-")


def bound_name(statement: ast.stmt) -> str:
    """A statement -> the one name that it makes, or an empty text."""
    match statement:
        case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


@cache
def loaded(path: Path) -> Loaded:
    """A file -> its parts, run and compiled."""
    variable = names_in_notebooks()[exercise_of(path)]
    space: dict[str, Any] = {"__name__": exercise_of(path)}
    codes = {}
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        code = compile(ast.Module([statement], []), str(path), "exec")
        if bound_name(statement) == variable:
            codes[statement.lineno] = code
        else:
            exec(code, space)
    return Loaded(space, codes)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """A file's text -> its comments at the left edge: number of the line, text."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.start[1] == 0:
            yield token.start[0], token.string


def headings(path: Path) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """A file -> its headings: the number of the last line, and the lines as (kind, what it says)."""
    lines: list[tuple[str, str]] = []
    before = 0
    for number, text in comments(path.read_text(encoding="utf-8")):
        if number != before + 1 and lines:
            yield before, lines
            lines = []
        before = number
        if text.startswith("#     ") and lines:
            kind, words = lines[-1]
            lines[-1] = kind, f"{words} {text[1:].strip()}"
            continue
        found = LINE.fullmatch(text)
        if not found or bool(found[2]) == (found[1] in ("right", "unnamed", "not attempted")):
            raise ValueError(
                f"{path}:{number}: found {text!r}, where a heading is expected: one of "
                f"{', '.join(KINDS)}, with words after a colon where there is something to say."
            )
        lines.append((found[1], found[2] or ""))
    if lines:
        yield before, lines


def expected_by(lines: Sequence[tuple[str, str]], place: str) -> Expected | None:
    """The lines of a heading -> what is expected; None where they only say to which exercises."""
    verdicts = [line for line in lines if line[0] in VERDICTS]
    if len(verdicts) > 1:
        raise ValueError(f"{place}: found two verdicts, where one is expected: leave one of {verdicts} away.")
    parts = {kind: tuple(words for this, words in lines if this == kind) for kind in KINDS}
    if not verdicts and not parts["told"] and not parts["not told"] and not parts["breaks"]:
        return None
    kind, words = verdicts[0] if verdicts else ("unnamed", "")
    named = tuple(tuple(names.split(" + ")) for names in words.split(" | ")) if words else ()
    expected = Expected("wrong" if kind in ("named", "unnamed") else kind, named)
    return replace(expected, told=parts["told"], untold=parts["not told"], breaks=parts["breaks"])


def answers_in(path: Path) -> Iterator[Answer]:
    """A file -> its answers."""
    name = exercise_of(path)
    if name not in names_in_notebooks():
        raise ValueError(f"{path}: no notebook checks {name!r}: give the file the name of an exercise.")
    variable = names_in_notebooks()[name]
    statements = ast.parse(path.read_text(encoding="utf-8")).body
    answered = [each.lineno for each in statements if bound_name(each) == variable]
    above: list[tuple[int, list[tuple[str, str]]]] = [(0, []), *headings(path)]
    ends = [*(number for number, _ in above[1:]), sys.maxsize]
    names, expected = [name], None
    for (number, lines), end in zip(above, ends, strict=True):
        names = next((words.split(", ") for kind, words in lines if kind == "answers"), names)
        new = expected_by(lines, f"{path}:{number}")
        expected = new or expected
        below = [line for line in answered if number < line < end]
        if below and expected is None:
            raise ValueError(
                f"{path}:{below[0]}: found an answer without a heading: write above it what the check is "
                "to say, `# right` or `# named: …`."
            )
        if new and not below:
            raise ValueError(
                f"{path}:{number}: found a heading with no answer below it: the answer has the name that "
                f"its notebook gives it, {variable}."
            )
        if expected is not None:
            yield from (Answer(path, line, each, expected) for line in below for each in names)


def answers(lesson: str | None = None) -> list[Answer]:
    """A lesson, or None for all -> what learners write."""
    paths = sorted(HERE.glob(f"lesson_{lesson or '*'}/**/*.py"))
    return [answer for path in paths for answer in answers_in(path)]

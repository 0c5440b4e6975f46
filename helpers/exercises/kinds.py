"""The kinds of exercise. Each evaluates an attempt and explains its answer.

Write    write a function; the check compares it with the helper on probes
Mend     find the bug: a wrong function is given, and the check knows which mistake it holds
Predict  a number or a shape; plausible wrong answers each have their reply
Table    numbers to fill in; each cell is compared
Choose   one of several options, each with its reply
Open     many right answers: a property is checked
"""

import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from helpers.exercises.diagnosis import Diagnosis, Mistake, Version, agree, plain_outcome, run_all
from helpers.exercises.feedback import Feedback, number, paragraph, section, sentence, side_by_side
from helpers.exercises.probes import Probe
from helpers.exercises.sandbox import Inputs, Outcome, Runner, is_stub
from helpers.validation import Array

Call = Callable[..., Array | None]
_DIAGNOSES: dict[tuple[Any, int, int], Diagnosis] = {}


@dataclass(frozen=True)
class Property:
    """Something every right answer has. `broken`: inputs, output, a call -> a sentence, or "" if it holds."""

    name: str
    holds: str
    broken: Callable[[Inputs, Array, Call], str]


FLAT_ONLY = Mistake(
    "one-matrix-only",
    "the code is written for one matrix and does not take a stack",
    "Leading axes (sentences, heads) should pass through: count axes from the end, −1 and −2.",
    "01: All pairs at once",
)
ROW_ONLY = Mistake(
    "one-row-only",
    "the code is written for one row of scores, and is right there",
    "The task hands over a table, a row for each query: work along the last axis, and all rows are done "
    "at once.",
    "03: Which axis?",
)


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What every kind has: its name, one line of task, hints (each a step further), the section to reread."""

    kind: ClassVar[str] = ""
    name: str
    task: str
    hints: tuple[str, ...]
    reread: str

    def evaluate(self, attempt: object) -> Feedback:
        """The learner's answer -> Feedback."""
        raise NotImplementedError

    def solution(self) -> str:
        """One tested answer with its reason."""
        raise NotImplementedError

    def _not_attempted(self) -> Feedback:
        return Feedback("not attempted", f"○ {self.name}: not attempted yet.")

    def _wrong(self, head: str, *blocks: str, named: Sequence[tuple[str, ...]] = ()) -> Feedback:
        return Feedback("wrong", "\n".join([f"✗ {self.name}: {head}", *blocks]), tuple(named))


@dataclass(frozen=True, kw_only=True)
class Write(Exercise):
    """Write a function. `recipe` is the right function with one keyword for each choice that may go wrong."""

    kind: ClassVar[str] = "write it"
    call: str
    right: Callable[..., Any]
    recipe: Callable[..., Any]
    mistakes: tuple[Mistake, ...]
    probes: tuple[Probe, ...]
    properties: tuple[Property, ...] = ()
    axes: tuple[str, ...] = ()  # what the last axes of the output are, as in ("query", "key")
    explain: str = ""
    uses: tuple[Callable[..., Any], ...] = ()  # helpers whose source the solution shows as well

    @functools.cached_property
    def diagnosis(self) -> Diagnosis:
        """The wrong versions of this function, made when first needed."""
        key = (
            self.recipe,
            id(self.mistakes),
            id(self.probes),
        )  # find-the-bug exercises share those of another
        return _DIAGNOSES.setdefault(key, Diagnosis(self.recipe, self.mistakes, self.probes))

    def accepts(self, outcome: Outcome, expected: Outcome, probe: Probe) -> bool:
        """True where the outcome is right on this probe."""
        return (
            outcome.value is not None and expected.value is not None and agree(outcome.value, expected.value)
        )

    def evaluate(self, attempt: object) -> Feedback:
        """The learner's function -> Feedback."""
        if attempt is None or is_stub(attempt):
            return self._not_attempted()
        problem = self._not_a_function(attempt)
        if problem:
            return self._wrong(problem)
        function: Callable[..., Any] = attempt  # type: ignore[assignment]
        outcomes, same_twice = run_all(function, self.probes)
        if outcomes[0].error.startswith("NotImplementedError"):
            return self._not_attempted()
        said = _printed(outcomes[0])
        if outcomes[-1].stopped:
            return self._wrong(
                "your function was stopped: it did not end within a few seconds.", *_stopped(), *said
            )
        if not same_twice:
            return self._wrong(
                "the same input gave two different results.",
                paragraph(
                    "A function's result should depend on its arguments alone: not on chance, on earlier "
                    "calls, or "
                    "on a variable that it changes."
                ),
                *said,
            )
        feedback = self._compare(function, outcomes)
        return Feedback(
            feedback.status, "\n".join([feedback.text, *said]), feedback.named, feedback.properties
        )

    def solution(self) -> str:
        """The tested source, and why it is so."""
        sources = [inspect.getsource(function).rstrip() for function in (self.right, *self.uses)]
        text = "\n\n\n".join(dict.fromkeys(sources))
        return f"{text}\n\n{paragraph(self.explain, indent='')}" if self.explain else text

    def as_given(self, versions: Sequence[Version]) -> Feedback | None:
        """Feedback for the function as it was given, where the exercise gives one."""
        return None

    def _not_a_function(self, attempt: object) -> str:
        if isinstance(attempt, type):
            return f"this is a class ({attempt.__name__}), and the check needs a function: {self.call}."
        if not callable(attempt):
            what = {str: "a text", types.ModuleType: "a module"}.get(
                type(attempt), f"a {type(attempt).__name__}"
            )
            if isinstance(attempt, np.ndarray | np.generic | int | float | list | tuple):
                what += ", perhaps the result of a call"
            return (
                f"this is {what}; the check needs the function itself: its name, without brackets after it."
            )
        try:
            signature = inspect.signature(attempt)
        except (ValueError, TypeError):
            return ""  # some built-in functions do not show theirs
        except Exception:
            return "this cannot be called as a function."
        needed = list(self.probes[0].inputs)
        try:
            signature.bind(*needed)
        except TypeError:
            plural = "argument" if len(needed) == 1 else "arguments"
            return (
                f"the check calls your function with {len(needed)} {plural}, ({', '.join(needed)}), "
                f"and yours takes {signature}."
            )
        return ""

    def _compare(self, function: Callable[..., Any], outcomes: Sequence[Outcome]) -> Feedback:
        expected = [plain_outcome(self.right, probe) for probe in self.probes]
        triples = list(zip(self.probes, outcomes, expected, strict=True))
        failing = [(p, o, e) for p, o, e in triples if not self.accepts(o, e, p)]
        changed = sorted({name for outcome in outcomes for name in outcome.changed})
        if not failing:
            return self._input_changed(changed) if changed else self._right(outcomes)
        versions = (
            self.diagnosis.name(outcomes) or self._flat_only(outcomes) or self._row_only(function, outcomes)
        )
        given = self.as_given(versions)
        if given is not None:
            return given
        probe, outcome, right = min(failing, key=lambda triple: _size(triple[0]))
        broken = [] if versions else self._broken(function, probe, outcome, right)
        blocks = [self._case(probe, outcome, right)]
        if versions:
            blocks.append(paragraph(_diagnosis(versions)))
        else:
            blocks += [paragraph(text) for _, text in broken]
            blocks += [paragraph(text) for text in [_where([p for p, _, _ in failing], self.probes)] if text]
            blocks.append(paragraph(f"Worth rereading: {section(self.reread).strip('().')}."))
        if changed:
            blocks.append(paragraph(_changed(changed)))
        names = tuple(name for name, _ in broken) + (("input left unchanged",) if changed else ())
        head = f"{_head(failing)} on {len(failing)} of {len(triples)} inputs."
        text = "\n".join([f"✗ {self.name}: {head}", *blocks])
        return Feedback("wrong", text, tuple(version.names for version in versions), names)

    def _flat_only(self, outcomes: Sequence[Outcome]) -> tuple[Version, ...]:
        """Where every stack ends in an error: what the other inputs show, and that stacks are not taken."""
        axes = [max(np.ndim(value) for value in probe.inputs.values()) for probe in self.probes]
        flat = [i for i, count in enumerate(axes) if count == min(axes)]
        if len(flat) == len(axes) or not all(o.error for i, o in enumerate(outcomes) if i not in flat):
            return ()
        right = [plain_outcome(self.right, self.probes[i]) for i in flat]
        if all(self.accepts(outcomes[i], e, self.probes[i]) for i, e in zip(flat, right, strict=True)):
            return (Version((FLAT_ONLY,), self.right),)
        found = self.diagnosis.name(outcomes, only=flat)
        if any(len(version.mistakes) > 1 for version in found):
            return ()
        return tuple(
            Version((*v.mistakes, FLAT_ONLY), v.function) for v in found if v.mistakes != (FLAT_ONLY,)
        )

    def _row_only(self, function: Callable[..., Any], outcomes: Sequence[Outcome]) -> tuple[Version, ...]:
        """Where every input ends in an error, and a single row of the first one would be right."""
        name, first = next(iter(self.probes[0].inputs.items()))
        if (
            self.axes != ("query", "key")
            or len(self.probes[0].inputs) > 1
            or not all(o.error for o in outcomes)
        ):
            return ()
        row = Probe("one row", {name: first[0]})
        fits = self.accepts(Runner(function)(row.inputs), plain_outcome(self.right, row), row)
        return (Version((ROW_ONLY,), self.right),) if fits else ()

    def _right(self, outcomes: Sequence[Outcome]) -> Feedback:
        kinds = dict.fromkeys(probe.kind for probe in self.probes)
        lines = [
            f"✓ {self.name}: right on {len(self.probes)} inputs.",
            paragraph(f"Tried: {'; '.join(kinds)}."),
        ]
        if self.properties:
            lines.append(paragraph(f"True of your results: {'; '.join(p.holds for p in self.properties)}."))
        if outcomes[0].note:
            lines.append(paragraph(outcomes[0].note))
        return Feedback("right", "\n".join(lines))

    def _input_changed(self, changed: Sequence[str]) -> Feedback:
        text = f"✗ {self.name}: right numbers, but the call changes its input.\n" + paragraph(
            _changed(changed)
        )
        return Feedback("wrong", text, properties=("input left unchanged",))

    def _broken(
        self, function: Callable[..., Any], probe: Probe, outcome: Outcome, right: Outcome
    ) -> list[tuple[str, str]]:
        got, expected = outcome.value, right.value
        if got is None or expected is None:
            return []
        if got.shape != expected.shape:
            return [("shape", f"The shape should be {expected.shape}; yours is {got.shape}.")]
        if np.isnan(got).any() and not np.isnan(expected).any():
            return [
                ("no nan", "A result is nan, which comes from 0/0, ∞/∞ or ∞ − ∞: which step makes it here?")
            ]
        run = Runner(function)

        def call(*inputs: Any) -> Array | None:
            return run(dict(enumerate(inputs))).value  # type: ignore[arg-type]

        with np.errstate(all="ignore"):
            found = [(p.name, p.broken(probe.inputs, got, call)) for p in self.properties]
        return [(name, text) for name, text in found if text]

    def _case(self, probe: Probe, outcome: Outcome, right: Outcome) -> str:
        shapes = ", ".join(f"{name} {_shape_or_value(value)}" for name, value in probe.inputs.items())
        lead = f"  Smallest case: {probe.kind}, {shapes}."
        got, expected = outcome.value, right.value
        if outcome.error:
            at = f"\n    in your line: {outcome.line}" if outcome.line else ""
            return f"{lead} Your function stopped there:\n    {outcome.error}{at}"
        if outcome.returned == "returned None":
            return f"{lead}\n  Your function returned None there. Does every path end in `return`?"
        if got is None or expected is None:
            return f"{lead}\n  Your function {outcome.returned}."
        if got.shape != expected.shape:
            return f"{lead}\n    expected shape  {expected.shape}\n    got shape       {got.shape}"
        wrong = ~np.isclose(got.astype(float), expected.astype(float), rtol=1e-5, atol=1e-6, equal_nan=True)
        place = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else (0,) * expected.ndim
        row = place[:-1]
        where = self._place(row, expected.ndim)
        rows = [
            *_input_rows(probe.inputs, place, expected.shape),
            ("expected", expected[row]),
            ("got", got[row]),
        ]
        return f"{lead}{f' For {where}' if where else ''}\n{side_by_side(rows)}"

    def _place(self, row: tuple[int, ...], ndim: int) -> str:
        leading = {0: (), 1: ("sentence",), 2: ("sentence", "head")}.get(ndim - len(self.axes), ())
        axes = (*leading, *self.axes)
        return ", ".join(f"{axis} {i}" for axis, i in zip(axes, row, strict=False))


@dataclass(frozen=True, kw_only=True)
class Mend(Write):
    """Find the bug. `given` names the mistake in the notebook's function; `symptom` says what it does."""

    kind: ClassVar[str] = "find the bug"
    given: str
    symptom: str

    def as_given(self, versions: Sequence[Version]) -> Feedback | None:
        """Unchanged behaviour is no attempt: the feedback is the symptom to start from."""
        if (self.given,) not in [version.names for version in versions]:
            return None
        text = f"○ {self.name}: still the function as given.\n{paragraph(f'Start from this: {self.symptom}')}"
        return Feedback("not attempted", text, ((self.given,),))


@dataclass(frozen=True, kw_only=True)
class OpenFunction(Write):
    """A function with many right forms: right where every property holds on every probe."""

    kind: ClassVar[str] = "open-ended"

    def accepts(self, outcome: Outcome, expected: Outcome, probe: Probe) -> bool:
        """True where the shape is right and no property is broken."""
        value = outcome.value
        if value is None or expected.value is None or value.shape != expected.value.shape:
            return False
        with np.errstate(all="ignore"):
            return not any(p.broken(probe.inputs, value, _no_call) for p in self.properties)


def _no_call(*_inputs: Any) -> Array | None:
    return None


@dataclass(frozen=True)
class Slip:
    """A plausible wrong answer and its reply. `answer` is a value; in a table, a function of the label."""

    name: str
    answer: Any
    reply: str


@dataclass(frozen=True, kw_only=True)
class Predict(Exercise):
    """A number (any type of number, or a text that holds one) or a shape (a tuple)."""

    kind: ClassVar[str] = "predict"
    answer: float | tuple[int, ...]
    because: str
    slips: tuple[Slip, ...]
    tolerance: float = 0.005

    def evaluate(self, attempt: object) -> Feedback:
        """The learner's number or shape -> Feedback."""
        if attempt is None or attempt is Ellipsis:
            return self._not_attempted()
        shape = isinstance(self.answer, tuple)
        value = _as_shape(attempt) if shape else _as_number(attempt)
        if value is None:
            wanted = "a shape, as a tuple of whole numbers such as (2, 3)" if shape else "one number"
            return self._wrong(f"the answer should be {wanted}; this is {_describe(attempt)}.")
        shown = str(value) if isinstance(value, tuple) else f"{value:.6g}"
        if self._same(value, self.answer):
            return Feedback("right", f"✓ {self.name}: {shown}.\n{paragraph(self.because)}")
        slip = next((s for s in self.slips if self._same(value, s.answer)), None)
        advice = slip.reply if slip else f"No usual path leads there. {self.hints[0]}"
        named = ((slip.name,),) if slip else ()
        return self._wrong(f"not {shown}.", paragraph(f"{advice} {section(self.reread)}"), named=named)

    def solution(self) -> str:
        """The answer and its reason."""
        shown = self.answer if isinstance(self.answer, tuple) else f"{self.answer:.6g}"
        return f"{shown}\n{paragraph(self.because, indent='')}"

    def _same(self, one: Any, other: Any) -> bool:
        if isinstance(one, tuple) or isinstance(other, tuple):
            return bool(one == other)
        return bool(abs(one - other) <= self.tolerance * max(1, abs(other)))


@dataclass(frozen=True, kw_only=True)
class Table(Exercise):
    """A table to fill in: {row label: [cells]}. `row` computes the right cells of a row from its label."""

    kind: ClassVar[str] = "complete a table"
    row_name: str
    labels: tuple[Any, ...]
    columns: tuple[str, ...]
    row: Callable[[Any], Sequence[float]]
    slips: tuple[tuple[Slip, ...], ...]  # for each column
    because: str

    def evaluate(self, attempt: object) -> Feedback:
        """The learner's table -> Feedback, with every wrong cell named."""
        if attempt is None:
            return self._not_attempted()
        table = self._cells(attempt)
        if isinstance(table, str):
            return self._wrong(table)
        filled = {place: cell for place, cell in table.items() if cell is not None}
        if not filled:
            return self._not_attempted()
        wrong = {place: cell for place, cell in filled.items() if not self._right(place, cell)}
        if not wrong and len(filled) == len(table):
            return Feedback("right", f"✓ {self.name}: all {len(table)} cells.\n{paragraph(self.because)}")
        empty = len(table) - len(filled)
        if not wrong:
            return Feedback("wrong", f"✗ {self.name}: {len(filled)} cells right, {empty} still to fill.")
        return self._explain(wrong, len(filled) - len(wrong), empty)

    def solution(self) -> str:
        """The whole table and its reason."""
        rows = [(self.row_name, list(self.columns))]
        rows += [(str(label), [f"{cell:g}" for cell in self.row(label)]) for label in self.labels]
        widths = [max(len(row[1][i]) for row in rows) for i in range(len(self.columns))]
        first = max(len(row[0]) for row in rows)
        lines = [
            f"{name:>{first}}  " + "  ".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=True))
            for name, cells in rows
        ]
        return "\n".join([*lines, "", paragraph(self.because, indent="")])

    def _cells(self, attempt: object) -> dict[tuple[Any, int], object] | str:
        if isinstance(attempt, Mapping):
            rows = {label: attempt.get(label) for label in self.labels}
        elif isinstance(attempt, list | tuple | np.ndarray) and len(attempt) == len(self.labels):
            rows = dict(zip(self.labels, attempt, strict=True))
        else:
            return f"the answer should keep the form of the table; this is {_describe(attempt)}."
        cells: dict[tuple[Any, int], object] = {}
        for label, row in rows.items():
            if not isinstance(row, list | tuple | np.ndarray) or len(row) != len(self.columns):
                return f"the row of {self.row_name} {label} should hold {len(self.columns)} numbers."
            cells.update({((label), column): cell for column, cell in enumerate(row)})
        return cells

    def _right(self, place: tuple[Any, int], cell: object) -> bool:
        label, column = place
        return _close(cell, self.row(label)[column])

    def _explain(self, wrong: Mapping[tuple[Any, int], object], right: int, empty: int) -> Feedback:
        lines, named = [], []
        for (label, column), cell in wrong.items():
            shown = f"{_as_number(cell):.6g}" if _as_number(cell) is not None else _describe(cell)
            lines.append(f"    {self.row_name} {label}, {self.columns[column]}: not {shown}")
            slip = next((s for s in self.slips[column] if _close(cell, s.answer(label))), None)
            if slip is not None:
                named.append(slip)
        replies = [paragraph(slip.reply) for slip in dict.fromkeys(named)]
        if not replies:  # one hint for each column, in their order
            replies = [paragraph(self.hints[column]) for column in dict.fromkeys(place[1] for place in wrong)]
        counts = f"{right} cells right, {len(wrong)} not" + (f", {empty} still to fill" if empty else "")
        names = tuple((slip.name,) for slip in dict.fromkeys(named))
        return self._wrong(f"{counts}.", *lines, *replies, "  " + section(self.reread), named=names)


@dataclass(frozen=True, kw_only=True)
class Choose(Exercise):
    """One letter. `options` maps each letter to the reply; the right one's reply says why it is right."""

    kind: ClassVar[str] = "choose and justify"
    answer: str
    options: dict[str, str]

    def evaluate(self, attempt: object) -> Feedback:
        """The learner's letter -> Feedback."""
        if attempt is None or attempt is Ellipsis or attempt == "":
            return self._not_attempted()
        letter = attempt.strip().strip("().*").lower() if isinstance(attempt, str) else ""
        if letter not in self.options:
            letters = ", ".join(f'"{option}"' for option in self.options)
            return self._wrong(f"the answer should be one letter, {letters}; this is {_describe(attempt)}.")
        if letter == self.answer:
            return Feedback("right", f"✓ {self.name}: {letter}.\n{paragraph(self.options[letter])}")
        reply = f"{self.options[letter]} {section(self.reread)}"
        return self._wrong(f"not {letter}.", paragraph(reply), named=((f"option {letter}",),))

    def solution(self) -> str:
        """The right letter and its reason."""
        return f"{self.answer}\n{paragraph(self.options[self.answer], indent='')}"


@dataclass(frozen=True, kw_only=True)
class Open(Exercise):
    """Numbers of a given shape with a property. `judge` gets the array and returns (named mistake, sentence).

    The sentence starts with ✓ where the property holds.
    """

    kind: ClassVar[str] = "open-ended"
    shape: tuple[int, ...]
    judge: Callable[[Array], tuple[str, str]]
    example: Any
    because: str
    slips: tuple[Slip, ...] = field(default=())  # example answers for each named mistake, for the tests

    def evaluate(self, attempt: object) -> Feedback:
        """The learner's numbers -> Feedback."""
        if attempt is None or attempt is Ellipsis:
            return self._not_attempted()
        outcome = Runner(lambda: attempt)({})
        value = outcome.value
        if value is None:
            return self._wrong(
                f"the answer should be numbers of shape {self.shape}; this is {_describe(attempt)}."
            )
        if value.shape != self.shape:
            return self._wrong(f"the answer should have shape {self.shape}; this has shape {value.shape}.")
        if not np.isfinite(value).all():
            return self._wrong("the numbers should be finite; one of these is nan or infinite.")
        with np.errstate(all="ignore"):
            name, text = self.judge(value.astype(np.float64))
        if text.startswith("✓"):
            return Feedback("right", f"✓ {self.name}: {text[1:].strip()}")
        lead, *rest = text.splitlines()
        blocks = [line if line.startswith("    ") else paragraph(line.strip()) for line in rest]
        return self._wrong(lead, *blocks, named=((name,),) if name else ())

    def solution(self) -> str:
        """One of the answers and its reason."""
        return f"One of many answers: {self.example}\n{paragraph(self.because, indent='')}"


# --- words -------------------------------------------------------------------------------------------


def _diagnosis(versions: Sequence[Version]) -> str:
    if len(versions) == 1:
        (version,) = versions
        if len(version.mistakes) == 1:
            (mistake,) = version.mistakes
            return f"{sentence(mistake.says)} {mistake.idea} {section(mistake.reread)}"
        one, other = version.mistakes
        return (
            f"Two things at once: {one.says}, and {other.says}. {one.idea} {section(one.reread)} "
            f"{other.idea} {section(other.reread)}"
        )
    told = "; or ".join(", and ".join(m.says for m in version.mistakes) for version in versions[:4])
    ideas = {mistake.name: mistake for version in versions for mistake in version.mistakes}
    shared = [m for m in ideas.values() if all(m.name in version.names for version in versions)]
    explained = shared or list(ideas.values())[:1]
    advice = " ".join(f"{m.idea} {section(m.reread)}" for m in explained)
    return f"One of these, which give the same results: {told}. {advice}"


def _head(failing: Sequence[tuple[Probe, Outcome, Outcome]]) -> str:
    outcomes = [outcome for _, outcome, _ in failing]
    if all(outcome.error for outcome in outcomes):
        return "your function stops with an error"
    if all(outcome.value is None for outcome in outcomes):
        return "no array of numbers came back"
    shapes = [
        o.value is not None and e.value is not None and o.value.shape == e.value.shape for _, o, e in failing
    ]
    if all(shapes):
        values = [o.value for o in outcomes if o.value is not None]
        if all(np.isnan(value).any() for value in values):
            return "right shape, but nan among the numbers"
        return "right shape, wrong numbers"
    return (
        "wrong shape" if not any(shapes) and all(o.value is not None for o in outcomes) else "wrong results"
    )


def _where(failing: Sequence[Probe], probes: Sequence[Probe]) -> str:
    bad = list(dict.fromkeys(probe.kind for probe in failing))
    good = [kind for kind in dict.fromkeys(probe.kind for probe in probes) if kind not in bad]
    if not good:
        return ""
    return f"Right only on: {'; '.join(good)}." if len(good) < len(bad) else f"Not yet on: {'; '.join(bad)}."


def _changed(names: Sequence[str]) -> str:
    listed = " and ".join(names)
    verb = "no longer holds" if len(names) == 1 else "no longer hold"
    return (
        f"After the call {listed} {verb} the numbers that went in. Whoever called your function still needs "
        "them: make a new array, and write into that one."
    )


def _stopped() -> tuple[str, ...]:
    return (paragraph("Look for a loop whose condition never becomes false, or whose counter never moves."),)


def _printed(outcome: Outcome) -> tuple[str, ...]:
    lines = outcome.printed.strip().splitlines()
    if not lines:
        return ()
    shown = [f"    {line[:90]}" for line in lines[:3]] + (["    …"] if len(lines) > 3 else [])
    return ("\n".join(["  Your function printed, on the first input:", *shown]),)


def _size(probe: Probe) -> int:
    return sum(int(np.size(value)) for value in probe.inputs.values())


def _shape_or_value(value: object) -> str:
    return (
        str(value.shape)
        if isinstance(value, np.ndarray)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def _input_rows(inputs: Inputs, place: tuple[int, ...], shape: tuple[int, ...]) -> list[tuple[str, Array]]:
    """The part of the input that belongs to the first wrong number."""
    rows: list[tuple[str, Array]] = []
    for name, value in inputs.items():
        if not isinstance(value, np.ndarray):
            rows.append((name, np.array([value])))
        elif value.shape == shape or value.ndim == 1:
            rows.append((name, value[place[:-1]] if value.shape == shape else value))
        elif name == "queries" and value.shape[:-1] == shape[:-1]:
            rows.append((f"query {place[-2]}", value[place[:-1]]))
        elif name == "keys" and value.shape[:-2] == shape[:-2]:
            rows.append((f"key {place[-1]}", value[(*place[:-2], place[-1])]))
    return rows


def _as_number(attempt: object) -> float | None:
    if isinstance(attempt, bool):
        return None
    if isinstance(attempt, str):
        try:
            return float(attempt.strip().replace(",", "."))
        except ValueError:
            return None
    outcome = Runner(lambda: attempt)({})
    value = outcome.value
    if value is None or value.size != 1 or not np.isfinite(value).all():
        return None
    return float(value.reshape(()))


def _as_shape(attempt: object) -> tuple[int, ...] | None:
    if isinstance(attempt, str):
        parts = attempt.strip().strip("()[]").replace("×", ",").replace("x", ",").split(",")
        attempt = tuple(int(part) for part in parts if part.strip().isdigit())
        return attempt or None
    if isinstance(attempt, bool):
        return None
    if isinstance(attempt, int):
        return (attempt,)
    outcome = Runner(lambda: attempt)({})
    value = outcome.value
    if value is None or value.ndim != 1 or not (value == np.round(value)).all():
        return None
    return tuple(int(size) for size in value)


def _close(cell: object, right: float) -> bool:
    value = _as_number(cell)
    return value is not None and abs(value - right) <= 0.005 * max(abs(right), 0.1)


def _describe(thing: object) -> str:
    """What the learner gave, in words, without calling its own __repr__ on anything large."""
    if isinstance(thing, str):
        return f'the text "{thing[:30]}"'
    if isinstance(thing, bool | int):
        return str(thing)[:30]
    if isinstance(thing, float):
        return number(thing, 3)
    if isinstance(thing, types.FunctionType | types.BuiltinFunctionType | types.LambdaType):
        return "a function"
    if isinstance(thing, np.ndarray):
        return f"an array of shape {thing.shape}"
    if isinstance(thing, list | tuple):
        return f"a {type(thing).__name__} of {len(thing)}"
    return "a class" if isinstance(thing, type) else f"a {type(thing).__name__}"

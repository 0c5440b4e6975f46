"""Write a function: the check compares it with the helper on probes."""

import contextlib
import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeGuard

import numpy as np

from helpers.exercises.engine.claims import Trial, claim
from helpers.exercises.engine.diagnosis import (
    WAYS_IN_PAIRS,
    Diagnosis,
    Mistake,
    Version,
    agree,
    coarser,
    only_coarser,
    plain_outcome,
    run_all,
    same_parts,
    tolerance,
)
from helpers.exercises.engine.feedback import Feedback, Grid, paragraph, section, side_by_side
from helpers.exercises.engine.printed import helper_with_the_same_answer, printed
from helpers.exercises.engine.probes import Form, Probe
from helpers.exercises.engine.remembered import remembers
from helpers.exercises.engine.sandbox import (
    Inputs,
    Outcome,
    Runner,
    is_stub,
    name_of_type,
    taken_apart,
    with_article,
)
from helpers.exercises.engine.seen import after_return, hint, not_called
from helpers.exercises.kinds.base import Exercise
from helpers.exercises.kinds.cases import (
    axes_of,
    input_rows,
    nothing_hidden_first,
    shape_or_value,
    simplest_first,
    texts,
)
from helpers.exercises.kinds.further_on import placed
from helpers.exercises.kinds.one_matrix import ROW_ONLY, THREE_AXES_ONLY, flat_only
from helpers.exercises.kinds.replies import (
    MOST_LINES,
    advice_on,
    always_the_same,
    besides,
    errors_elsewhere,
    explanation,
    headline,
    if_stopped,
    inputs_changed,
    listed,
    lost_axis,
    nothing_but_nan,
    of_one_error,
    of_truths,
    one_of_several,
    says_not_implemented,
    told_first,
    what_is_asked,
    what_it_printed,
    where_it_fails,
    wrong_numbers,
)
from helpers.validation import Array

Call = Callable[..., Array | None]
BEGIN_SECONDS = 0.5  # for what is asked beyond the probes: an answer of usual speed needs a twentieth
_DIAGNOSES: dict[tuple[Any, int, int], Diagnosis] = {}


@dataclass(frozen=True)
class Property:
    """Something every right answer has. `broken`: inputs, output, a call -> a sentence, or "" if it holds.

    Where several arrays are asked for, the output is a list of them.
    """

    name: str
    holds: str
    broken: Callable[[Inputs, Any, Call], str]
    reread: str = ""  # the section that helps where it is broken; that of the exercise if none is given


one_call = Runner.__call__  # bound here, before any answer can replace it
COARSE = (
    "The inputs have more, and so should the results: rounded this far, they could not be told from wrong "
    "ones. Leave out `.half()` and `.bfloat16()`. `.float()` afterwards does not bring the digits back."
)

PRINTED = "It prints; only `return` hands a result back."
ANEW = "A result should depend on the arguments alone: compute it anew in each call."

IN_TWO_BYTES = (
    "Your results are in float16, which keeps three or four digits, and nothing above 65,504. The inputs "
    "have more: leave the dtype as it is."
)


def _cut_short(probe: Probe, outcome: Outcome) -> bool:
    """Are the numbers of this result in float16, and those of the input in more?"""
    given = [value.dtype for value in probe.inputs.values() if isinstance(value, np.ndarray)]
    return outcome.value is not None and outcome.value.dtype == np.float16 and np.float16 not in given


def alike(again: Array | None, output: Array) -> TypeGuard[Array]:
    """Did a further call give an array of the same shape? If not, a property has nothing to compare."""
    return again is not None and again.shape == output.shape


@dataclass(frozen=True, kw_only=True)
class Write(Exercise):
    """Write a function. `recipe` is the right function with one keyword for each choice that may go wrong."""

    kind: ClassVar[str] = "write it"
    call: str
    right: Callable[..., Any]
    answer: Callable[..., Any]  # what `solution` prints: short, named as the learner's, equal to `right`
    recipe: Callable[..., Any]
    mistakes: tuple[Mistake, ...]
    probes: tuple[Probe, ...]
    properties: tuple[Property, ...] = ()
    axes: tuple[str, ...] = ()  # what the last axes of the output are, as in ("query", "key")
    two_stacked: tuple[str, str] = ("sentence", "head")  # what two axes in front of these are
    explain: str = ""
    beside: tuple[str, ...] = ()  # inputs with a row for each query, which is shown beside a wrong row
    unseen: str = ""  # "whether …": what the task asks for and the check cannot see
    habit: Callable[[Call], str] | None = None  # a call of a right answer -> what will hurt elsewhere, or ""
    shown: Mapping[str, str] = field(default_factory=dict)  # mistake -> the kind of input that shows it best
    digits: int = 2  # of the numbers side by side: more where 0.00 would hide them
    of_none: str = ""  # what to say where None came back, if not that every path must end in `return`

    @functools.cached_property
    def diagnosis(self) -> Diagnosis:
        """The wrong versions of this function, made when first needed."""
        key = (
            self.recipe,
            id(self.mistakes),
            id(self.probes),
        )  # find-the-bug exercises share those of another
        return _DIAGNOSES.setdefault(key, Diagnosis(self.recipe, self.mistakes, self.probes))

    @functools.cached_property
    def _truths(self) -> bool:
        """True where the right results are True and False."""
        return of_truths(plain_outcome(self.right, self.probes[0]))

    def accepts(self, outcome: Outcome, expected: Outcome, probe: Probe) -> bool:
        """True where the outcome is right on this probe."""
        return (
            outcome.value is not None
            and expected.value is not None
            and same_parts(outcome, expected)
            and agree(outcome.value, expected.value)
            and not (self.form.tensors and coarser(outcome.value, expected.value))
        )

    @property
    def form(self) -> Form:
        """In which form the function gets its inputs and gives its results: the same on every probe."""
        return self.probes[0].form

    def evaluate(self, attempt: object) -> Feedback:
        """The learner's function -> Feedback."""
        if attempt is None or is_stub(attempt):
            return self._not_attempted()
        problem = self._not_a_function(attempt)
        if problem:
            return self._wrong(problem)
        with self.dice_as_they_were():
            return self._evaluate(attempt)  # type: ignore[arg-type]

    def dice_as_they_were(self) -> contextlib.AbstractContextManager[None]:
        """Around calls in PyTorch: its dice are put back, and one thread does all. Else nothing."""
        if not self.form.tensors:
            return contextlib.nullcontext()
        from helpers.exercises.engine.tensors import dice_as_they_were

        return dice_as_they_were()

    def _evaluate(self, function: Callable[..., Any]) -> Feedback:
        outcomes, same_twice = run_all(function, self.probes, self._truths)
        if says_not_implemented(outcomes[0]):
            return self._not_attempted()
        said = what_it_printed(outcomes[0])
        if outcomes[-1].stopped:
            return self._wrong(
                "your function was stopped: it did not end within a few seconds.", *if_stopped(), *said
            )
        if not same_twice:
            seen = hint(function, self.probes, self.answer, (remembers,))
            return self._wrong(
                "the same input gave two different results.",
                paragraph(
                    "A function's result should depend on its arguments alone: not on chance, on earlier "
                    "calls, or "
                    "on a variable that it changes."
                ),
                *([paragraph(seen)] if seen else []),
                *said,
            )
        feedback = self._compare(function, outcomes)
        return replace(feedback, text="\n".join([feedback.text, *said]))

    def solution(self) -> str:
        """A tested answer that runs as it stands, and why it is so: all of it can be pasted into a cell."""
        helper = helper_with_the_same_answer(self.right)
        same = f"The helper {helper} does the same, and also checks its inputs." if helper else ""
        notes = [paragraph(text, indent="# ") for text in (self.explain, same) if text]
        return "\n".join([printed(self.answer, self._handed_out()), "", *notes])

    def _handed_out(self) -> Callable[..., Any] | None:
        """The function to fix, where the notebook hands one out."""
        return None

    def as_given(
        self, function: Callable[..., Any], versions: Sequence[Version], outcomes: Sequence[Outcome]
    ) -> Feedback | str:
        """Feedback for the function as it was given; a headline if it was edited without effect; else ""."""
        return ""

    def _not_a_function(self, attempt: object) -> str:
        if isinstance(attempt, type):
            return f"this is a class ({attempt.__name__}), and the check needs a function: {self.call}."
        if not callable(attempt):
            names = {str: "a text", types.ModuleType: "a module", np.ndarray: "an array"}
            what = names.get(type(attempt), with_article(name_of_type(attempt)))
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

    def cases(self, function: Callable[..., Any]) -> list[tuple[Probe, Outcome, Outcome, bool]]:
        """A function -> each input, what it gives there, what is right, and whether that is accepted."""
        run = self._runner(function)
        with self.dice_as_they_were(), np.errstate(all="ignore"):
            pairs = [(p, run(p.inputs), plain_outcome(self.right, p)) for p in self.probes]
        return [(p, got, right, self.accepts(got, right, p)) for p, got, right in pairs]

    def count_wrong(self, function: Callable[..., Any]) -> int:
        """A function -> on how many inputs it is wrong."""
        return sum(not accepted for *_, accepted in self.cases(function))

    def shown_wrong(self, function: Callable[..., Any], errors_too: bool = False) -> str:
        """A wrong function -> the simplest input that shows it, with expected and got; "" for a right one.

        Where some input gives numbers of the right shape, one of these: an error tells less. `errors_too`:
        the simplest of all, for a function that somebody wrote and has to see stop.
        """
        failing = [(p, got, right) for p, got, right, accepted in self.cases(function) if not accepted]
        seen = [case for case in failing if errors_too and case[1].error]
        numbers = [case for case in failing if wrong_numbers(case[1], case[2])] + seen
        if not failing:
            return ""
        probe, outcome, right = min(numbers or failing, key=lambda case: simplest_first(case[0]))
        return self._case(probe, *self._one_part(outcome, right))[0]

    def _compare(self, function: Callable[..., Any], outcomes: Sequence[Outcome]) -> Feedback:
        expected = [plain_outcome(self.right, probe) for probe in self.probes]
        triples = list(zip(self.probes, outcomes, expected, strict=True))
        failing = [(p, o, e) for p, o, e in triples if not self.accepts(o, e, p)]
        changed = sorted({name for outcome in outcomes for name in outcome.changed})
        altered = list(dict.fromkeys(text for outcome in outcomes for text in outcome.altered))[:1]
        if not failing:
            if changed:
                seen = hint(function, self.probes, self.answer, (after_return, not_called))
                return self._input_changed(changed, altered, seen)
            return self._right(outcomes, function)
        if self.form.tensors and all(only_coarser(o, e) for _, o, e in failing):
            return self._wrong(
                "right, up to rounding: your results hold 2 bytes a number.", paragraph(COARSE)
            )
        exact = self.diagnosis.name(outcomes)
        if all(outcome.error for outcome in outcomes):  # one line that stops tells one mistake, never two
            exact = tuple(version for version in exact if len(version.mistakes) == 1)
        versions = exact or self._flat_only(function, outcomes) or self._row_only(function, outcomes)
        if all(map(nothing_but_nan, outcomes)):  # which tells one mistake, and never two
            versions = tuple(version for version in versions if len(version.mistakes) == 1)
        if always_the_same(outcomes):
            versions = tuple(version for version in versions if len(version.mistakes) == 1)
        kept = hint(function, self.probes, self.answer, (remembers,))
        if kept:
            versions = ()  # its results hang on earlier calls: a name would be that of this order of inputs
        given = self.as_given(function, versions, outcomes)
        if isinstance(given, Feedback):
            return given
        probe, outcome, right = self._shown(failing, versions)
        broken = [] if versions else self._broken(function, probe, outcome, right)
        case, grid = self._case(probe, *self._one_part(outcome, right))
        blocks = [case]
        words = altered or [inputs_changed(changed, self._takes_functions, self._takes_texts)]
        words = words if changed and not outcome.error else []  # it stopped before it could put things back
        if versions:
            stops = all(outcome.error for outcome in outcomes)
            seen = hint(function, self.probes, self.answer, (not_called,))
            beside = [paragraph(text) for text in (seen, *map(besides, words)) if text]
            room = MOST_LINES - sum(block.count("\n") + 1 for block in beside)
            told = of_one_error(versions) if stops else explanation(versions, room)
            blocks += [paragraph(placed(self.name, told)), *beside]
        else:
            blocks += map(paragraph, words)
            blocks += [] if outcome.error else errors_elsewhere(failing, bool(broken))
            blocks += [paragraph(text) for _, text in broken]
            blocks += [
                paragraph(text) for text in [where_it_fails([p for p, _, _ in failing], self.probes)] if text
            ]
            names_broken = [name for name, _ in broken]
            reread = next(
                (p.reread for p in self.properties if p.reread and p.name in names_broken), self.reread
            )
            begin = "" if outcome.error or kept else self._where_to_begin(function)
            blocks += [paragraph(begin)] if begin else []
            if any(o.error or o.value is not None for _, o, _ in failing):  # else what came back says it
                seen = f"{kept} {ANEW}" if kept else hint(function, self.probes, self.answer)
                blocks += [paragraph(seen)] if seen else []
            blocks.append(paragraph(f"Worth rereading: {section(reread).strip('().')}."))
        names = tuple(name for name, _ in broken) + (("input left unchanged",) if changed else ())
        head = given or f"{headline(failing)} on {len(failing)} of {len(triples)} inputs."
        text = "\n".join([f"✗ {self.name}: {head}", *blocks])
        return Feedback("wrong", text, tuple(version.names for version in versions), names, grid)

    def _where_to_begin(self, function: Callable[..., Any]) -> str:
        """What is seen of the attempt where one step cannot matter, or ""."""
        run = Runner(function, BEGIN_SECONDS, self._truths, self.form)
        trial = Trial(self.probes, run, self.right, self.accepts)
        with np.errstate(all="ignore"):
            return claim(trial)

    def _shown(
        self, failing: Sequence[tuple[Probe, Outcome, Outcome]], versions: Sequence[Version]
    ) -> tuple[Probe, Outcome, Outcome]:
        """The failing case that the reply shows: the simplest on which the mistake told first shows."""
        showing: list[tuple[Probe, Outcome, Outcome]] = []
        if versions:
            first = told_first(versions).name
            showing = [case for case in failing if case[0].kind == self.shown.get(first)]
        if versions and not showing and any(len(version.mistakes) > 1 for version in versions):
            alone = [v for v in self.diagnosis.singles if v.names == (first,)][:WAYS_IN_PAIRS]
            showing = [case for case in failing if any(self._fails(version, case) for version in alone)]
        numbers = not versions and all(wrong_numbers(got, best) for _, got, best in failing)
        simplest = nothing_hidden_first if numbers else simplest_first
        return min(showing or failing, key=lambda case: simplest(case[0]))

    def _fails(self, version: Version, case: tuple[Probe, Outcome, Outcome]) -> bool:
        """True where a wrong version is wrong on a probe."""
        probe, _, right = case
        place = next(i for i, each in enumerate(self.probes) if each is probe)
        return not self.accepts(self.diagnosis.outcome(version, place), right, probe)

    @property
    def _takes_texts(self) -> bool:
        return any(isinstance(value, list) for value in self.probes[0].inputs.values())

    @property
    def _takes_functions(self) -> bool:
        handed = self.probes[0].inputs.values()
        return any(callable(value) for value in handed) and not self.form.tensors  # a layer writes nothing

    def _flat_only(self, function: object, outcomes: Sequence[Outcome]) -> tuple[Version, ...]:
        """Where every stack ends in an error: what the other inputs show, and that stacks are not taken."""
        axes = [max(map(axes_of, probe.inputs.values())) for probe in self.probes]
        flat = [i for i, count in enumerate(axes) if count == min(axes)]
        if len(flat) == len(axes) or not all(o.error for i, o in enumerate(outcomes) if i not in flat):
            return ()
        if all(outcome.error for outcome in outcomes):
            return ()  # it stops on a single matrix as well, which tells nothing of stacks
        stacks = THREE_AXES_ONLY if min(axes) == 3 else flat_only(function, self.probes)
        right = [plain_outcome(self.right, self.probes[i]) for i in flat]
        if all(self.accepts(outcomes[i], e, self.probes[i]) for i, e in zip(flat, right, strict=True)):
            return (Version((stacks,), self.right),)
        found = self.diagnosis.name(outcomes, only=flat)
        if any(len(version.mistakes) > 1 for version in found):
            return ()
        return tuple(Version((*v.mistakes, stacks), v.function) for v in found if v.names != (stacks.name,))

    def _row_only(self, function: Callable[..., Any], outcomes: Sequence[Outcome]) -> tuple[Version, ...]:
        """Where every input ends in an error, and a single row of the first one would be right."""
        name, first = next(iter(self.probes[0].inputs.items()))
        if (
            self.axes != ("query", "key")
            or len(self.probes[0].inputs) > 1
            or not all(o.error for o in outcomes)
        ):
            return ()
        row = Probe("one row", {name: first[0]}, form=self.form)
        fits = self.accepts(self._runner(function)(row.inputs), plain_outcome(self.right, row), row)
        return (Version((ROW_ONLY,), self.right),) if fits else ()

    def _right(self, outcomes: Sequence[Outcome], function: Callable[..., Any]) -> Feedback:
        kinds = dict.fromkeys(probe.kind for probe in self.probes)
        lines = [
            f"✓ {self.name}: right on {len(self.probes)} inputs.",
            paragraph(f"Tried: {listed(list(kinds))}."),
        ]
        if self.properties:
            lines.append(paragraph(f"True of your results: {'; '.join(p.holds for p in self.properties)}."))
        if self.unseen:
            lines.append(paragraph(f"What this check cannot see: {self.unseen}"))
        notes = [outcomes[0].note, IN_TWO_BYTES if all(map(_cut_short, self.probes, outcomes)) else ""]
        if self.habit:
            with np.errstate(all="ignore"):
                notes.append(self.habit(self._caller(function)))
        lines += [paragraph(note) for note in notes if note]
        return Feedback("right", "\n".join(lines))

    def _input_changed(self, changed: Sequence[str], altered: Sequence[str], seen: str) -> Feedback:
        what = "answers" if self._truths else "numbers"
        (said,) = altered or [inputs_changed(changed, self._takes_functions, self._takes_texts)]
        head = f"✗ {self.name}: right {what}, but the call changes its input."
        text = "\n".join([head, paragraph(said), *([paragraph(seen)] if seen else [])])
        return Feedback("wrong", text, properties=("input left unchanged",))

    def _runner(self, function: Callable[..., Any]) -> Runner:
        return Runner(function, truths=self._truths, form=self.form)

    def _caller(self, function: Callable[..., Any]) -> Call:
        run = self._runner(function)

        def call(*inputs: Any) -> Any:
            again = one_call(run, dict(enumerate(inputs)))  # type: ignore[arg-type]
            return taken_apart(again) if again.joined else again.value

        return call

    def _one_part(self, outcome: Outcome, right: Outcome) -> tuple[Outcome, Outcome, str]:
        """Where several arrays are asked for: the first that is wrong, the right one, and its name.

        Weights come first: the output follows from them.
        """
        if not outcome.joined or not right.joined:
            return outcome, right, ""
        parts = list(zip(self.form.parts, taken_apart(outcome), taken_apart(right), strict=True))
        in_order = sorted(parts, key=lambda part: part[0] != "weights")
        name, got, expected = next((p for p in in_order if not agree(p[1], p[2])), in_order[0])
        return Outcome(value=got), Outcome(value=expected), name

    def _broken(
        self, function: Callable[..., Any], probe: Probe, outcome: Outcome, right: Outcome
    ) -> list[tuple[str, str]]:
        shown, asked, part = self._one_part(outcome, right)
        got, expected = shown.value, asked.value
        whole = taken_apart(outcome) if outcome.joined else got
        if outcome.error:
            advice = advice_on(outcome.error, outcome.line)
            return [("error", advice)] if advice else []
        if got is None or expected is None:
            return []
        if got.shape != expected.shape and expected.shape in outcome.parts and not outcome.joined:
            several = f"You returned a tuple of {len(outcome.parts)} arrays."
            if one_of_several(outcome.parts, expected):
                return []  # the case above says it
            alone = "Return the one that the task asks for, alone."
            return [("one result", f"{several} {alone}")]
        if got.shape != expected.shape and expected.ndim == 0:
            one = "True or False" if self._truths else "one number"
            return [("one number", f"The result should be {one}, not an array of shape {got.shape}.")]
        if got.shape != expected.shape:
            of_part = f" of {part}" if part else ""
            shapes = f"The shape{of_part} should be {expected.shape}; yours is {got.shape}."
            return [("shape", f"{shapes} {lost_axis(got.shape, expected.shape)}".rstrip())]
        if self._truths and not np.isin(got, (0, 1)).all():
            each = "Each entry" if got.ndim else "The result"
            return [("True or False", f"{each} should be True or False (1 and 0 count, too).")]
        if np.isnan(got).any() and not np.isnan(expected).any():
            first = np.argwhere(np.isnan(got))[0]
            where = self._place(tuple(map(int, first[:-1])), got.ndim, self.form.parts.get(part, self.axes))
            told = "which comes from 0/0, ∞/∞ or ∞ − ∞: which step makes it here?"
            return [("no nan", f"A result is nan{where and f' (for {where})'}, {told}")]
        call = self._caller(function)
        with np.errstate(all="ignore"):
            found = [(p.name, p.broken(probe.inputs, whole, call)) for p in self.properties]
        return [(name, text) for name, text in found if text]

    def _case(
        self, probe: Probe, outcome: Outcome, right: Outcome, part: str = ""
    ) -> tuple[str, Grid | None]:
        """The case that a reply shows, in words, and its numbers side by side where there are any."""
        lead = self._lead(probe)
        got, expected = outcome.value, right.value
        if got is None or expected is None or got.shape != expected.shape or probe.form.told:
            return self._without_numbers(lead, probe, outcome, right, part), None
        inputs = probe.inputs
        if self._by_columns:  # one query's numbers stand in a column: turned, it is a row like any other
            inputs = {
                name: np.swapaxes(value, -1, -2) if np.shape(value) == expected.shape else value
                for name, value in inputs.items()
            }
            got, expected = np.swapaxes(got, -1, -2), np.swapaxes(expected, -1, -2)
        relative, absolute = tolerance(got, expected)
        wrong = ~np.isclose(
            got.astype(float), expected.astype(float), rtol=relative, atol=absolute, equal_nan=True
        )
        place = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else (0,) * expected.ndim
        row = place[:-1]
        axes = self.form.parts.get(part, self.axes)
        where = self._place(row, expected.ndim, axes)
        told = [text for text in (part and f"in {part}", where and f"for {where}") if text]
        rows = [
            *input_rows(inputs, place, expected.shape, axes, self.beside),
            ("expected", expected[row]),
            ("got", got[row]),
        ]
        grid = side_by_side(rows, wrong=[int(i) for i in np.flatnonzero(wrong[row])], digits=self.digits)
        place_told = ", ".join(told)
        return f"{lead} {place_told[:1].upper()}{place_told[1:]}".rstrip() + f"\n{grid.text}", grid

    def _lead(self, probe: Probe) -> str:
        plain = {n: v for n, v in probe.inputs.items() if not (callable(v) or isinstance(v, list))}
        case = ", ".join([probe.kind, *(f"{name} {shape_or_value(value)}" for name, value in plain.items())])
        return f"  Smallest case: {case}.{texts(probe.inputs)}"  # a function among the inputs: see `kind`

    def _without_numbers(self, lead: str, probe: Probe, outcome: Outcome, right: Outcome, part: str) -> str:
        got, expected = outcome.value, right.value
        if outcome.error:
            at = f"\n    in your line: {outcome.line}" if outcome.line else ""
            gap = "\n  " if "\n" in lead else " "
            return f"{lead}{gap}Your function stopped there:\n    {outcome.error}{at}"
        if outcome.returned == "returned None":
            path = PRINTED if outcome.printed.strip() else "Does every path end in `return`?"
            told = paragraph(f"Your function returned None there. {self.of_none or path}")
            return f"{lead}\n{told}"
        shown = got is not None and expected is not None and got.shape == expected.shape
        if expected is not None and not shown and one_of_several(outcome.parts, expected):
            several = f"Your function returned a tuple of {len(outcome.parts)} things."
            return f"{lead}\n  {several} Return the one that the task asks for, alone."
        if got is None or expected is None:
            returned = outcome.returned
            asked = what_is_asked(right)
            for words in ("not an array of numbers", "not an array"):
                returned = returned if asked in returned else returned.replace(words, f"not {asked}")
            if returned.startswith("returned a function"):
                returned += "; a call needs brackets, as in name(...)"
            return f"{lead}\n  Your function {returned}."
        if got.shape != expected.shape and expected.ndim == 0:
            return (
                f"{lead}\n    expected  {what_is_asked(right)}\n    got       an array of shape {got.shape}"
            )
        if got.shape != expected.shape:
            of_part = f" In {part}:" if part else ""
            return f"{lead}{of_part}\n    expected shape  {expected.shape}\n    got shape       {got.shape}"
        assert probe.form.told
        return f"{lead}\n{probe.form.told(got, expected)}"

    @property
    def _by_columns(self) -> bool:
        return self.axes == ("key", "query")

    def _place(self, row: tuple[int, ...], ndim: int, axes: tuple[str, ...]) -> str:
        leading = {0: (), 1: ("sentence",), 2: self.two_stacked}.get(ndim - len(axes), ())
        axes = (*leading, *(axes[::-1] if self._by_columns else axes))
        return ", ".join(f"{axis} {i}" for axis, i in zip(axes, row, strict=False))

"""The kinds of exercise. Each evaluates an attempt and explains its answer.

Write    write a function; the check compares it with the helper on probes
Mend     find the bug: a wrong function is given, and the check knows which mistake it holds
Predict  a number or a shape; plausible wrong answers each have their reply
Table    numbers to fill in; each cell is compared
Choose   one of several options, each with its reply
Open     many right answers: a property is checked
"""

import ast
import contextlib
import functools
import inspect
import math
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from helpers.exercises.answers import helper_with_the_same_answer, printed
from helpers.exercises.diagnosis import (
    Diagnosis,
    Mistake,
    Version,
    agree,
    coarser,
    only_coarser,
    plain_outcome,
    run_all,
    same_outcome,
    same_parts,
    tolerance,
)
from helpers.exercises.feedback import Feedback, number, paragraph, section, sentence, side_by_side
from helpers.exercises.given import GIVEN, edited
from helpers.exercises.probes import Form, Probe
from helpers.exercises.sandbox import Inputs, Outcome, Runner, is_stub, of_torch, taken_apart
from helpers.validation import Array

Call = Callable[..., Array | None]
ROLES = ("queries", "keys", "values")  # their rows are tokens of their own, and never rows of a result
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


COARSE = (
    "The inputs have more, and so should the results: rounded this far, they could not be told from wrong "
    "ones. Leave `.half()` and `.bfloat16()` away. `.float()` afterwards does not bring the digits back."
)
MOST_KINDS = 12  # of inputs, in one sentence
MOST_KEYS = 3  # that are all shown beside a wrong row of scores or weights
MOST_LETTERS = 110  # of a list of texts, in one line
ERROR_ADVICE = {  # words of Python's or NumPy's message -> what a beginner may not know
    "'NoneType' object": "Somewhere a None is used as if it were a value. Methods such as `.remove`, `.sort` "
    "and `.append` change their list and return None: give them a line of their own.",
    "has no attribute 'remove'": "An array has no list methods. Choose entries by a comparison, as in "
    "x[x != 3], or make a list of it first.",
    "has no attribute 'append'": "An array has no list methods. Start from an empty list [] and make an "
    "array of it at the end.",
    "numpy boolean subtract": "True and False have no minus. What is open in `a` and not in `b` is `a & ~b`.",
    "numpy boolean negative": "`-` does not turn True and False round; `~` does.",
    "bitwise_xor": "A power is written `**`. The sign `^` is another operation, on the bits of whole "
    "numbers.",
    "operand type(s) for ^": "A power is written `**`. The sign `^` is another operation, on the bits of "
    "whole numbers.",
    "is out of bounds for axis 0 with size": "An index went past the last place: n entries have the numbers "
    "0 to n − 1, which is what range(n) gives.",
    "list index out of range": "An index went past the last place: n entries have the numbers 0 to n − 1, "
    "which is what range(n) gives.",
    "only integer scalar arrays can be converted": "A slice such as [:n] takes one number, and this is an "
    "array of them. Go through it in a loop, or compare the places, np.arange, with it as a column.",
    "inhomogeneous shape": "Lists of different lengths make no full array. Go through them one by one, in a "
    "loop.",
    "unexpected keyword argument 'dim'": "`dim` and `keepdim` are PyTorch's words; NumPy and the helpers say "
    "`axis` and `keepdims`.",
    "unexpected keyword argument 'keepdim'": "`dim` and `keepdim` are PyTorch's words; NumPy and the helpers "
    "say `axis` and `keepdims`.",
    "'float' object cannot be interpreted as an integer": "A division by `/` gives a float, even where "
    "nothing is left over. `//` gives a whole number, which shapes and range() need.",
    "slice indices must be integers": "A division by `/` gives a float, even where nothing is left over. "
    "`//` gives a whole number, which places in an array need.",
    "must be a full array: its rows": "A call such as `attention(...)` returns two things, output and "
    "weights, as one tuple. Take them apart first: output, weights = attention(...).",
    "'tuple' object has no attribute": "A call such as `attention(...)` returns two things, output and "
    "weights, as one tuple. Take them apart first: output, weights = attention(...).",
    "axes don't match array": "In PyTorch x.transpose(1, 2) swaps two axes. NumPy's `transpose` takes the "
    "new order of all axes, as many as the array has; np.swapaxes(x, 1, 2) swaps two.",
    "view() takes from 0 to 2 positional": "NumPy's `view` is not PyTorch's: to give an array another shape, "
    "use `reshape`.",
    "has no attribute 'permute'": "`permute` is PyTorch's word; NumPy's `transpose` takes the new order of "
    "all axes, and np.swapaxes swaps two.",
    "The truth value of an array": "An `if` needs one True or False. `.any()` asks whether some entry is "
    "True, `.all()` whether all are.",
    "ufunc 'invert' not supported": "`~` turns True and False round, and does not take floats. np.tri, "
    "np.ones and np.zeros give floats unless dtype=bool is asked for.",
    "must be of integer (or boolean) type": "An index may hold True and False, or whole numbers, not floats. "
    "np.tri, np.ones and np.zeros give floats unless dtype=bool is asked for.",
    "a bool tensor is not supported": "A mask of True and False is no number to calculate with. `~mask` "
    "turns "
    "True and False round; masked_fill and torch.where choose by it.",
    "doesn't match the broadcast shape": "A mask has a row for each query and a column for each key: "
    "n_queries "
    "rows.",
    "unexpected keyword argument 'batch_first'": "batch_first belongs to the making of the layer: "
    "nn.MultiheadAttention(..., batch_first=True).",
    "unexpected keyword argument 'average_attn_weights'": "average_attn_weights belongs to the call of the "
    "layer: layer(x, x, x, average_attn_weights=False).",
    "The shape of the 3D attn_mask": "With three axes nn.MultiheadAttention wants a table for each head of "
    "each "
    "sentence. Padding need not go in there: key_padding_mask takes (B, n).",
    "The shape of the 2D attn_mask": "attn_mask is a table of queries by keys, (n, n); key_padding_mask is "
    "(B, n). With batch_first=True x is (B, n, d_model), as it comes.",
    "Expected attn_mask dtype to be bool": "Whole numbers are no mask: ask for dtype=torch.bool, or make it "
    "by "
    ".bool().",
    "(operator.invert) is only implemented": "`~` turns True and False round, and does not take floats. "
    "torch.ones and torch.tril give floats unless dtype=torch.bool is asked for.",
    "view size is not compatible": "After a transpose the numbers do not lie one behind the other as `view` "
    "needs them. `reshape` copies them where it must.",
    "attn_mask should not be set when is_causal": "The flag and a mask cannot go together: leave is_causal "
    "away, and the mask alone says who may attend.",
    "too many values to unpack (expected 3)": "Three names on the left take three things apart, and here are "
    "more. (PyTorch's split(3) makes pieces of 3 rows; chunk(3) makes 3 pieces.)",
    "only bool and floating types of": "Whole numbers are no mask: hand over True and False, as "
    "`~mask` gives.",
    "Need attn_mask if specifying the is_causal": "For nn.MultiheadAttention `is_causal` is a hint about the "
    "mask that comes with it. It makes none.",
    "t() expects a tensor with <= 2": "`.t()` is for a single matrix. `.transpose(-2, -1)` swaps the last "
    "two axes of a stack as well.",
    "is only supported on matrices (2-D tensors)": "`.transpose(-2, -1)` swaps the last two axes of a stack "
    "as well as of a single matrix.",
    "must be Tensor, not": "torch.sqrt and its like take tensors. For a plain number: d_k**0.5.",
    'required positional arguments: "dim"': "Say along which axis: dim=-1 is the last, that of the keys.",
    "Boolean value of Tensor": "`if` and `not` need one True or False. `.any()` asks whether some entry is "
    "True, `.all()` whether all are; `~mask` turns each entry round.",
    "on Tensor that requires grad": "NumPy does not know gradients. `.detach()` hands out the numbers "
    "without them; but there is no need to leave torch here.",
    "transpose() received an invalid": "In PyTorch x.transpose(1, 2) swaps two axes; `permute` takes the new "
    "order of all.",
    "transpose() takes 2 positional arguments but": "In PyTorch x.transpose(1, 2) swaps two axes; `permute` "
    "takes the new order of all.",
    "Dimension out of range (expected": "An axis was counted from the front that not every input has. "
    "Counted "
    "from the end, −1 and −2 are the same two in every stack.",
    "'numpy.ndarray' object has no attribute 'softmax'": "A NumPy array came in between: np.where and its "
    "like "
    "hand back arrays. torch.where, torch.exp and so on hand back tensors.",
    "'Tensor' object has no attribute 'astype'": "A tensor changes its dtype by `.to(torch.float32)`, "
    "`.float()` or `.bool()`.",
    "'Tensor' object has no attribute 'copy'": "A tensor is copied by `.clone()`.",
    "to have the same dtype": "In a product both tensors must have one dtype. PyTorch makes float32 unless "
    "told otherwise: torch.zeros(..., dtype=queries.dtype), or x.to(queries.dtype).",
    "values to unpack (expected 2)": "Two names on the left take two things apart. NumPy's max returns one "
    "array, the largest numbers; PyTorch's returns their places as well. A shape has a number for each axis, "
    "and a stack has more than two: `*stack, n, d = x.shape` takes any.",
}
FLAT_ONLY = Mistake(
    "one-matrix-only",
    "the code is written for one matrix and does not take a stack",
    "Leading axes (sentences, heads) should pass through: count axes from the end, −1 and −2. A loop over a "
    "stack hands out whole sentences, not rows.",
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
    two_stacked: tuple[str, str] = ("sentence", "head")  # what two axes in front of these are
    explain: str = ""
    beside: tuple[str, ...] = ()  # inputs with a row for each query, which is shown beside a wrong row
    unseen: str = ""  # "whether …": what the task asks for and the check cannot see
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
        return _of_truths(plain_outcome(self.right, self.probes[0]))

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
        from helpers.exercises.tensors import dice_as_they_were

        return dice_as_they_were()

    def _evaluate(self, function: Callable[..., Any]) -> Feedback:
        outcomes, same_twice = run_all(function, self.probes, self._truths)
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
        """A tested answer that runs as it stands, and why it is so: all of it can be pasted into a cell."""
        helper = helper_with_the_same_answer(self.right)
        same = f"The helper {helper} does the same, and also checks its inputs." if helper else ""
        notes = [paragraph(text, indent="# ") for text in (self.explain, same) if text]
        return "\n".join([printed(self.name), "", *notes])

    def as_given(
        self, function: Callable[..., Any], versions: Sequence[Version], outcomes: Sequence[Outcome]
    ) -> Feedback | str:
        """Feedback for the function as it was given; a headline if it was edited without effect; else ""."""
        return ""

    def _not_a_function(self, attempt: object) -> str:
        if isinstance(attempt, type):
            return f"this is a class ({attempt.__name__}), and the check needs a function: {self.call}."
        if not callable(attempt):
            what = {str: "a text", types.ModuleType: "a module"}.get(
                type(attempt), _with_article(type(attempt).__name__)
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
        altered = list(dict.fromkeys(text for outcome in outcomes for text in outcome.altered))[:1]
        if not failing:
            return self._input_changed(changed, altered) if changed else self._right(outcomes)
        if self.form.tensors and all(only_coarser(o, e) for _, o, e in failing):
            return self._wrong(
                "right, up to rounding: your results hold 2 bytes a number.", paragraph(COARSE)
            )
        exact = self.diagnosis.name(outcomes)
        if all(outcome.error for outcome in outcomes):  # one line that stops tells one mistake, never two
            exact = tuple(version for version in exact if len(version.mistakes) == 1)
        versions = exact or self._flat_only(outcomes) or self._row_only(function, outcomes)
        if all(map(_nothing_but_nan, outcomes)):  # which tells one mistake, and never two
            versions = tuple(version for version in versions if len(version.mistakes) == 1)
        given = self.as_given(function, versions, outcomes)
        if isinstance(given, Feedback):
            return given
        probe, outcome, right = min(failing, key=lambda triple: _simplest_first(triple[0]))
        broken = [] if versions else self._broken(function, probe, outcome, right)
        blocks = [self._case(probe, *self._one_part(outcome, right))]
        if changed:
            words = altered or [_changed(changed, self._takes_functions, self._takes_texts)]
            blocks += map(paragraph, words)
        if versions:
            stops = all(outcome.error for outcome in outcomes)
            blocks.append(paragraph(_of_one_error(versions) if stops else _diagnosis(versions)))
        else:
            blocks += [] if outcome.error else _errors_elsewhere(failing, bool(broken))
            blocks += [paragraph(text) for _, text in broken]
            blocks += [paragraph(text) for text in [_where([p for p, _, _ in failing], self.probes)] if text]
            told = [name for name, _ in broken]
            reread = next((p.reread for p in self.properties if p.reread and p.name in told), self.reread)
            blocks.append(paragraph(f"Worth rereading: {section(reread).strip('().')}."))
        names = tuple(name for name, _ in broken) + (("input left unchanged",) if changed else ())
        head = given or f"{_head(failing)} on {len(failing)} of {len(triples)} inputs."
        text = "\n".join([f"✗ {self.name}: {head}", *blocks])
        return Feedback("wrong", text, tuple(version.names for version in versions), names)

    @property
    def _takes_texts(self) -> bool:
        return any(isinstance(value, list) for value in self.probes[0].inputs.values())

    @property
    def _takes_functions(self) -> bool:
        handed = self.probes[0].inputs.values()
        return any(callable(value) for value in handed) and not self.form.tensors  # a layer writes nothing

    def _flat_only(self, outcomes: Sequence[Outcome]) -> tuple[Version, ...]:
        """Where every stack ends in an error: what the other inputs show, and that stacks are not taken."""
        axes = [max(map(_axes_of, probe.inputs.values())) for probe in self.probes]
        flat = [i for i, count in enumerate(axes) if count == min(axes)]
        if len(flat) == len(axes) or not all(o.error for i, o in enumerate(outcomes) if i not in flat):
            return ()
        if all(outcome.error for outcome in outcomes):
            return ()  # it stops on a single matrix as well, which tells nothing of stacks
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
        row = Probe("one row", {name: first[0]}, form=self.form)
        fits = self.accepts(self._runner(function)(row.inputs), plain_outcome(self.right, row), row)
        return (Version((ROW_ONLY,), self.right),) if fits else ()

    def _right(self, outcomes: Sequence[Outcome]) -> Feedback:
        kinds = dict.fromkeys(probe.kind for probe in self.probes)
        lines = [
            f"✓ {self.name}: right on {len(self.probes)} inputs.",
            paragraph(f"Tried: {_listed(list(kinds))}."),
        ]
        if self.properties:
            lines.append(paragraph(f"True of your results: {'; '.join(p.holds for p in self.properties)}."))
        if self.unseen:
            lines.append(paragraph(f"What this check cannot see: {self.unseen}"))
        if outcomes[0].note:
            lines.append(paragraph(outcomes[0].note))
        return Feedback("right", "\n".join(lines))

    def _input_changed(self, changed: Sequence[str], altered: Sequence[str] = ()) -> Feedback:
        what = "answers" if self._truths else "numbers"
        (said,) = altered or [_changed(changed, self._takes_functions, self._takes_texts)]
        text = f"✗ {self.name}: right {what}, but the call changes its input.\n{paragraph(said)}"
        return Feedback("wrong", text, properties=("input left unchanged",))

    def _runner(self, function: Callable[..., Any]) -> Runner:
        return Runner(function, truths=self._truths, form=self.form)

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
            advice = _error_advice(outcome.error, outcome.line)
            return [("error", advice)] if advice else []
        if got is None or expected is None:
            return []
        if got.shape != expected.shape and expected.shape in outcome.parts and not outcome.joined:
            several = f"You returned a tuple of {len(outcome.parts)} arrays."
            return [("one result", f"{several} Return the one that the task asks for, alone.")]
        if got.shape != expected.shape and expected.ndim == 0:
            one = "True or False" if self._truths else "one number"
            return [("one number", f"The result should be {one}, not an array of shape {got.shape}.")]
        if got.shape != expected.shape:
            of_part = f" of {part}" if part else ""
            return [("shape", f"The shape{of_part} should be {expected.shape}; yours is {got.shape}.")]
        if self._truths and not np.isin(got, (0, 1)).all():
            each = "Each entry" if got.ndim else "The result"
            return [("True or False", f"{each} should be True or False (1 and 0 count, too).")]
        if np.isnan(got).any() and not np.isnan(expected).any():
            return [
                ("no nan", "A result is nan, which comes from 0/0, ∞/∞ or ∞ − ∞: which step makes it here?")
            ]
        run = self._runner(function)

        def call(*inputs: Any) -> Any:
            again = run(dict(enumerate(inputs)))  # type: ignore[arg-type]
            return taken_apart(again) if again.joined else again.value

        with np.errstate(all="ignore"):
            found = [(p.name, p.broken(probe.inputs, whole, call)) for p in self.properties]
        return [(name, text) for name, text in found if text]

    def _case(self, probe: Probe, outcome: Outcome, right: Outcome, part: str = "") -> str:
        plain = {n: v for n, v in probe.inputs.items() if not (callable(v) or isinstance(v, list))}
        case = ", ".join([probe.kind, *(f"{name} {_shape_or_value(value)}" for name, value in plain.items())])
        lead = f"  Smallest case: {case}.{_texts(probe.inputs)}"  # a function among the inputs: see `kind`
        got, expected = outcome.value, right.value
        if outcome.error:
            at = f"\n    in your line: {outcome.line}" if outcome.line else ""
            gap = "\n  " if "\n" in lead else " "
            return f"{lead}{gap}Your function stopped there:\n    {outcome.error}{at}"
        if outcome.returned == "returned None":
            advice = self.of_none or "Does every path end in `return`?"
            return f"{lead}\n  Your function returned None there. {advice}"
        if got is None and expected is not None and _one_of_several(outcome.parts, expected):
            several = f"Your function returned a tuple of {len(outcome.parts)} things."
            return f"{lead}\n  {several} Return the one that the task asks for, alone."
        if got is None or expected is None:
            returned = outcome.returned
            asked = _asked(right)
            for words in ("not an array of numbers", "not an array"):
                returned = returned if asked in returned else returned.replace(words, f"not {asked}")
            if returned.startswith("returned a function"):
                returned += "; a call needs brackets, as in name(...)"
            return f"{lead}\n  Your function {returned}."
        if got.shape != expected.shape and expected.ndim == 0:
            return f"{lead}\n    expected  {_asked(right)}\n    got       an array of shape {got.shape}"
        if got.shape != expected.shape:
            of_part = f" In {part}:" if part else ""
            return f"{lead}{of_part}\n    expected shape  {expected.shape}\n    got shape       {got.shape}"
        if probe.form.told:
            return f"{lead}\n{probe.form.told(got, expected)}"
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
            *_input_rows(inputs, place, expected.shape, axes, self.beside),
            ("expected", expected[row]),
            ("got", got[row]),
        ]
        place_told = ", ".join(told)
        return f"{lead} {place_told[:1].upper()}{place_told[1:]}".rstrip() + f"\n{side_by_side(rows)}"

    @property
    def _by_columns(self) -> bool:
        return self.axes == ("key", "query")

    def _place(self, row: tuple[int, ...], ndim: int, axes: tuple[str, ...]) -> str:
        leading = {0: (), 1: ("sentence",), 2: self.two_stacked}.get(ndim - len(axes), ())
        axes = (*leading, *(axes[::-1] if self._by_columns else axes))
        return ", ".join(f"{axis} {i}" for axis, i in zip(axes, row, strict=False))


@dataclass(frozen=True, kw_only=True)
class Mend(Write):
    """Find the bug. `given` names the mistake in the notebook's function; `symptom` says what it does."""

    kind: ClassVar[str] = "find the bug"
    given: str
    symptom: str
    example: Inputs | None = None  # as small as that of the task, which is no probe: one query, say

    def as_given(
        self, function: Callable[..., Any], versions: Sequence[Version], outcomes: Sequence[Outcome]
    ) -> Feedback | str:
        """An unchanged function is no attempt: the feedback is the symptom to start from."""
        if (self.given,) not in [version.names for version in versions]:
            return ""
        if edited(self.name, function):
            before = (plain_outcome(GIVEN[self.name], probe) for probe in self.probes)
            same = all(map(same_outcome, outcomes, before))  # a mistake may be written in several ways
            if same and self._mends_example(function):
                return "your change mends inputs as small as the example, and nothing else."
            return "your change gives the same results as the function as given." if same else ""
        text = f"○ {self.name}: still the function as given.\n{paragraph(f'Start from this: {self.symptom}')}"
        return Feedback("not attempted", text, ((self.given,),))

    def _mends_example(self, function: Callable[..., Any]) -> bool:
        if self.example is None:
            return False
        probe = Probe("example", dict(self.example), form=self.form)
        return self.accepts(self._runner(function)(probe.inputs), plain_outcome(self.right, probe), probe)


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
        if value is None and not shape and _is_nan(attempt):
            value = math.nan
        if value is None:
            wanted = "a shape, as a tuple of whole numbers such as (2, 3)" if shape else "one number"
            several = shape or "," in str(attempt)
            advice = "" if several else _without_quotes(attempt)
            return self._wrong(f"the answer should be {wanted}; this is {_describe(attempt)}{advice}.")
        shown = str(value) if isinstance(value, tuple) else f"{value:.6g}"
        if shape and isinstance(attempt, int):
            shown = str(attempt)
        if self._same(value, self.answer):
            return Feedback("right", f"✓ {self.name}: {shown}.\n{paragraph(self.because)}")
        slip = next((s for s in self.slips if self._same(value, s.answer)), None)
        advice = slip.reply if slip else f"No usual path leads there. {self.hints[0]}"
        if slip is None and self._near(value):
            asked = "The exact number is asked, not one that is measured, rounded or guessed."
            advice = f"That is close. {asked} {self.hints[0]}"
        named = ((slip.name,),) if slip else ()
        return self._wrong(f"not {shown}.", paragraph(f"{advice} {section(self.reread)}"), named=named)

    def solution(self) -> str:
        """The answer and its reason."""
        shown = self.answer if isinstance(self.answer, tuple) else f"{self.answer:.6g}"
        return f"{shown}\n{paragraph(self.because, indent='')}"

    def _near(self, value: Any) -> bool:
        if isinstance(value, tuple) or isinstance(self.answer, tuple):
            return False
        return bool(abs(value - self.answer) <= 0.05 * abs(self.answer))

    def _same(self, one: Any, other: Any) -> bool:
        if isinstance(one, tuple) or isinstance(other, tuple):
            return bool(one == other)
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
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
    next_cell: Callable[[Any, int, float], float] | None = None  # label, column, the cell before -> the cell
    next_column: Callable[[int, Mapping[Any, float]], Mapping[Any, float]] | None = None
    # where a cell depends on other rows, too: column, the column before -> the cells that follow from it
    next_from_row: Callable[[Any, int, Sequence[float]], float] | None = None
    # where it depends on several cells of its row: label, column, all the cells before -> the cell
    tolerance: float | None = None  # as a distance; without one, half a percent
    exact: tuple[
        int, ...
    ] = ()  # columns of whole numbers that are counted, where half a percent is a mistake

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
            return Feedback("wrong", f"✗ {self.name}: {_cells_right(len(filled))}, {empty} still to fill.")
        return self._explain(filled, wrong, empty)

    def solution(self) -> str:
        """The whole table and its reason."""
        rows = [(self.row_name, list(self.columns))]
        rows += [(str(label), [_written_out(cell) for cell in self.row(label)]) for label in self.labels]
        widths = [max(len(row[1][i]) for row in rows) for i in range(len(self.columns))]
        first = max(len(row[0]) for row in rows)
        lines = [
            f"{name:>{first}}  " + "  ".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=True))
            for name, cells in rows
        ]
        return "\n".join([*lines, "", paragraph(self.because, indent="")])

    def _cells(self, attempt: object) -> dict[tuple[Any, int], object] | str:
        attempt = _of_plain_lists(attempt)
        if isinstance(attempt, Mapping):
            strange = [label for label in attempt if label not in self.labels]
            missing = [label for label in self.labels if label not in attempt]
            if strange:
                return (
                    f"the rows should be named {_names(self.labels)}, as in the task; one of yours is named "
                    f"{_describe(strange[0])}."
                )
            if missing:
                return f"the row of {self.row_name} {missing[0]} is missing."
            rows = {label: _of_plain_lists(attempt.get(label)) for label in self.labels}
        elif isinstance(attempt, list | tuple | np.ndarray) and len(attempt) == len(self.labels):
            rows = dict(zip(self.labels, map(_of_plain_lists, attempt), strict=True))
        else:
            return f"the answer should keep the form of the table; this is {_describe(attempt)}."
        cells: dict[tuple[Any, int], object] = {}
        for label, row in rows.items():
            if not isinstance(row, list | tuple | np.ndarray) or len(row) != len(self.columns):
                return f"the row of {self.row_name} {label} should hold {len(self.columns)} numbers."
            cells.update({((label), column): cell for column, cell in enumerate(row)})
        for (label, column), cell in cells.items():
            if isinstance(cell, str) and _as_number(cell) is not None:
                place = f"{self.row_name} {label}, {self.columns[column]}"
                return f"{place} holds {_describe(cell)}: leave the quotation marks away."
        return cells

    def _close(self, cell: object, right: float, column: int) -> bool:
        value = _as_number(cell)
        if column in self.exact:
            return value is not None and abs(value - right) <= min(1e-9 * max(abs(right), 1), 0.4)
        if self.tolerance is None:
            return _close(cell, right)
        return value is not None and abs(value - right) <= self.tolerance

    def _right(self, place: tuple[Any, int], cell: object) -> bool:
        label, column = place
        return self._close(cell, self.row(label)[column], column)

    def _explain(
        self, filled: Mapping[tuple[Any, int], object], wrong: Mapping[tuple[Any, int], object], empty: int
    ) -> Feedback:
        lines, replies, names = [], [], []
        for (label, column), cell in wrong.items():
            value = _as_number(cell)
            shown = _describe(cell) if value is None else _cell_shown(value)
            lines.append(f"    {self.row_name} {label}, {self.columns[column]}: not {shown}")
        for column in sorted({place[1] for place in wrong}):
            name, reply = self._column(column, filled, wrong)
            replies.append(paragraph(reply))
            names += [(name,)] if name else []
        right = len(filled) - len(wrong)
        counts = f"{_cells_right(right)}, {len(wrong)} not" + (f", {empty} still to fill" if empty else "")
        told = dict.fromkeys(replies)
        return self._wrong(
            f"{counts}.", *lines, *told, "  " + section(self.reread), named=[*dict.fromkeys(names)]
        )

    def _column(
        self, column: int, filled: Mapping[tuple[Any, int], object], wrong: Mapping[tuple[Any, int], object]
    ) -> tuple[str, str]:
        """The name of the mistake (or "") and the reply for one column with wrong cells.

        One cell proves nothing: a path is named only where it leads to every number in the column, and at
        least two of these are wrong.
        """
        cells = {label: cell for (label, place), cell in filled.items() if place == column}
        missed = {label: cell for (label, place), cell in wrong.items() if place == column}
        first = self.row(self.labels[0])[column]
        if self.next_from_row and column and self._follows(column, missed, filled, wrong):
            return "", self._led_by(
                column, wrong
            )  # also where what follows happens to be that of the first row
        if len(missed) > 1 and all(self._close(cell, first, column) for cell in cells.values()):
            return "first-row-copied", (
                f"The row of {self.row_name} {self.labels[0]} stands in the other rows too; each has its own."
            )
        if column and self._follows(column, missed, filled, wrong):
            return "", self._led_by(column, wrong)
        for slip in self.slips[column]:
            if len(missed) > 1 and all(
                self._close(cell, slip.answer(label), column) for label, cell in cells.items()
            ):
                return slip.name, slip.reply
        coarse = len(missed) > 1  # one cell that is far off proves nothing
        if all(_rounded(cell, self.row(label)[column], coarse) for label, cell in missed.items()):
            return "rounded", f'Your "{self.columns[column]}" was rounded too far: give more digits.'
        return "", self._elsewhere(column, cells, missed) or self.hints[column]

    def _elsewhere(self, column: int, cells: Mapping[Any, object], missed: Mapping[Any, object]) -> str:
        """Says that two or more wrong cells are the right ones of another column or other rows, else ""."""
        numbers = [_as_number(cell) for cell in missed.values()]
        if len(missed) < 2 or len(set(numbers)) < 2 or len(cells) < len(self.labels):
            return ""
        for other, name in enumerate(self.columns):
            if other != column and all(self._close(c, self.row(n)[other], other) for n, c in cells.items()):
                return f'In "{self.columns[column]}" stand the numbers that belong in "{name}".'
        right = sorted(self.row(label)[column] for label in self.labels)
        given = sorted(number for number in map(_as_number, cells.values()) if number is not None)
        if len(given) == len(right) and all(
            self._close(g, r, column) for g, r in zip(given, right, strict=True)
        ):
            return f'The numbers of "{self.columns[column]}" are right, and stand in other rows than asked.'
        return ""

    def _led_by(self, column: int, wrong: Mapping[tuple[Any, int], object]) -> str:
        before = min(place for _, place in wrong) if self.next_from_row else column - 1
        follows = f'Your "{self.columns[column]}" follows from your "{self.columns[before]}"'
        return f"{follows}: mend that first."

    def _follows(
        self,
        column: int,
        missed: Mapping[Any, object],
        filled: Mapping[tuple[Any, int], object],
        wrong: Mapping[tuple[Any, int], object],
    ) -> bool:
        """True where the wrong cells of a column are what the learner's wrong cells before them lead to."""
        numbers = {label: _as_number(cell) for (label, place), cell in filled.items() if place == column - 1}
        before = {label: value for label, value in numbers.items() if value is not None}
        if self.next_from_row:
            led_to: Mapping[Any, float] = {
                label: self._led_to(label, column, filled, wrong) for label in missed
            }
        elif self.next_column:
            right = all(place != column - 1 for _, place in wrong)
            led_to = {} if right else self.next_column(column, before)
        elif self.next_cell:
            bases = {label: value for label, value in before.items() if (label, column - 1) in wrong}
            led_to = {label: self.next_cell(label, column, value) for label, value in bases.items()}
        else:
            return False
        return all(
            label in led_to and self._close(cell, led_to[label], column) for label, cell in missed.items()
        )

    def _led_to(
        self,
        label: Any,
        column: int,
        filled: Mapping[tuple[Any, int], object],
        wrong: Mapping[tuple[Any, int], object],
    ) -> float:
        """The cell that follows from the cells before it in its row; nan if these are right, or not there."""
        assert self.next_from_row
        before = [_as_number(filled.get((label, place))) for place in range(column)]
        known = [number for number in before if number is not None]
        if len(known) < column or not any((label, place) in wrong for place in range(column)):
            return math.nan
        return self.next_from_row(label, column, known)


def _cells_right(count: int) -> str:
    return f"{count} {'cell' if count == 1 else 'cells'} right"


def _written_out(cell: float) -> str:
    return f"{cell:.0f}" if cell == np.round(cell) and abs(cell) < 1e12 else f"{cell:g}"


def _cell_shown(value: float) -> str:
    """A learner's number: a share with four digits, a larger one without noughts, a tiny one not as 0."""
    if value == int(value):
        return f"{value:.0f}"
    if abs(value) < 0.001:
        return f"{value:.3g}"
    return f"{value:.4f}".rstrip("0") if abs(value) > 1 else f"{value:.4f}"


def _of_plain_lists(thing: Any) -> Any:
    """A table or a row of torch's -> lists; anything else stays."""
    return thing.tolist() if of_torch(thing) and hasattr(thing, "tolist") else thing


def _with_article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _rounded(cell: object, right: float, coarse: bool = False) -> bool:
    """True where a cell is the right number, rounded to two or three digits after the point.

    Or to a few digits in all, where that moves it by 15 % at the most. `coarse`: by any amount, but not to 0.
    """
    value = _as_number(cell)
    if value is None or any(abs(value - round(right, digits)) < 1e-9 for digits in (2, 3)):
        return value is not None
    fewer = [float(f"{right:.{digits}g}") for digits in range(1, 7)] + [
        round(right, digits) for digits in (0, 1)
    ]
    far = abs(value - right) > 0.15 * abs(right)
    return bool(value) and not (far and not coarse) and any(math.isclose(value, number) for number in fewer)


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
            if isinstance(attempt, str) and attempt.strip()[:2].strip("().:, ").lower() in self.options:
                return self._wrong(
                    f"give the letter alone, {letters}; this is {_describe(attempt)}.",
                    paragraph("Keep your reason at hand, and compare it with the reply."),
                )
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
    minus_infinity: bool = False  # −inf may stand in the answer, as in masked scores
    truths: bool = False  # True and False may stand in the answer, as in a mask

    def evaluate(self, attempt: object) -> Feedback:
        """The learner's numbers -> Feedback."""
        if attempt is None or attempt is Ellipsis:
            return self._not_attempted()
        outcome = Runner(lambda: attempt, truths=self.truths)({})
        value = outcome.value
        if value is None:
            what = _held_truths(attempt) or _odd_row(attempt, self.shape) or f"this is {_describe(attempt)}"
            return self._wrong(f"the answer should be numbers of shape {self.shape}; {what}.")
        if value.shape != self.shape:
            return self._wrong(f"the answer should have shape {self.shape}; this has shape {value.shape}.")
        forbidden = ~np.isfinite(value) & ~(self.minus_infinity & np.isneginf(value.astype(np.float64)))
        if forbidden.any():
            finite = "finite, or −inf" if self.minus_infinity else "finite"
            infinite = "+inf" if self.minus_infinity else "infinite"
            return self._wrong(f"the numbers should be {finite}; one of these is nan or {infinite}.")
        with np.errstate(all="ignore"):
            name, text = self.judge(value.astype(np.float64))
        if text.startswith("✓"):
            lead, *rest = text[1:].strip().splitlines()
            return Feedback("right", "\n".join([f"✓ {self.name}: {lead}", *map(paragraph, rest)]))
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
        if one.idea == other.idea:
            return f"Two things at once: {one.says}, and {other.says}. {one.idea} {section(one.reread)}"
        first_section = "" if one.reread == other.reread else f" {section(one.reread)}"
        return (  # each idea says which of the two it explains: its "that" and "it" point there
            f"Two things at once: {one.says}, and {other.says}. On the first: {one.idea}{first_section} "
            f"On the second: {other.idea} {section(other.reread)}"
        )
    told = "; or ".join(", and ".join(m.says for m in version.mistakes) for version in versions[:4])
    ideas = {mistake.name: mistake for version in versions for mistake in version.mistakes}
    shared = [m for m in ideas.values() if all(m.name in version.names for version in versions)]
    explained = shared or list(ideas.values())[:1]
    advice = " ".join(f"{m.idea} {section(m.reread)}" for m in explained)
    return f"One of these, which give the same results: {told}. {advice}"


def _of_one_error(versions: Sequence[Version]) -> str:
    """Single mistakes that all stop with this error: each with its own advice, for the line decides."""
    if not 1 < len(versions) <= MOST_KEYS or any(len(version.mistakes) > 1 for version in versions):
        return _diagnosis(versions)
    mistakes = [version.mistakes[0] for version in versions]
    told = "; or ".join(mistake.says for mistake in mistakes)
    advice = dict.fromkeys(f"{mistake.idea} {section(mistake.reread)}" for mistake in mistakes)
    return f"One of these, and your line tells which: {told}. {' '.join(advice)}"


def _one_of_several(parts: Sequence[tuple[int, ...]], expected: Array) -> bool:
    """True where one array of a tuple holds as many numbers as are asked for, if in another shape."""
    return any(math.prod(shape) == expected.size for shape in parts)


def _head(failing: Sequence[tuple[Probe, Outcome, Outcome]]) -> str:
    outcomes = [outcome for _, outcome, _ in failing]
    if all(outcome.error for outcome in outcomes):
        return "your function stops with an error"
    if all(outcome.value is None for outcome in outcomes) and failing[0][2].joined:
        return "other things came back than are asked for"
    if all(outcome.value is None for outcome in outcomes):
        if failing[0][0].form.read:
            return "what came back has another form than is asked for"
        single = all(right.value is not None and right.value.ndim == 0 for _, _, right in failing)
        if _of_truths(failing[0][2]):
            return "no True or False came back" if single else "no array of True and False came back"
        return "no number came back" if single else "no array of numbers came back"
    shapes = [
        o.value is not None and e.value is not None and o.value.shape == e.value.shape and same_parts(o, e)
        for _, o, e in failing
    ]
    if all(shapes):
        values = [o.value for o in outcomes if o.value is not None]
        scalars = all(right.value is not None and right.value.ndim == 0 for _, _, right in failing)
        if failing[0][0].form.told:
            return "not what is asked for"
        if _of_truths(failing[0][2]):
            return "wrong answer" if scalars else "right shape, wrong entries"
        if all(np.isnan(value).any() for value in values):
            return "right shape, but nan among the numbers"
        return "wrong number" if scalars else "right shape, wrong numbers"
    return (
        "wrong shape" if not any(shapes) and all(o.value is not None for o in outcomes) else "wrong results"
    )


def _of_truths(outcome: Outcome) -> bool:
    return outcome.value is not None and outcome.value.dtype.kind == "b"


def _asked(right: Outcome) -> str:
    """What should have come back, in words."""
    single = right.value is not None and right.value.ndim == 0
    if _of_truths(right):
        return "True or False" if single else "an array of True and False"
    return "one number" if single else "an array of numbers"


def _where(failing: Sequence[Probe], probes: Sequence[Probe]) -> str:
    bad = list(dict.fromkeys(probe.kind for probe in failing))
    good = [kind for kind in dict.fromkeys(probe.kind for probe in probes) if kind not in bad]
    if not good:
        return ""
    return f"Right only on: {_listed(good)}." if len(good) < len(bad) else f"Not yet on: {_listed(bad)}."


def _listed(kinds: Sequence[str]) -> str:
    """Kinds of input, as far as anyone would read."""
    more = len(kinds) - MOST_KINDS
    return "; ".join([*kinds[:MOST_KINDS], f"and {more} more"] if more > 1 else kinds)


def _errors_elsewhere(failing: Sequence[tuple[Probe, Outcome, Outcome]], explained: bool) -> list[str]:
    """Where the case that is shown ends in numbers and a larger one in an error: that error, and its line.

    Where the numbers are explained already, only an error that comes with advice is worth its lines.
    """
    stops = [(probe, outcome) for probe, outcome, _ in failing if outcome.error]
    if not stops:
        return []
    probe, outcome = min(stops, key=lambda pair: _simplest_first(pair[0]))
    advice = _error_advice(outcome.error, outcome.line)
    if explained and not advice:
        return []
    at = f", in your line: {outcome.line}" if outcome.line else ""
    told = paragraph(f"On other inputs it stops ({probe.kind}): {outcome.error}{at}")
    return [told, paragraph(advice)] if advice else [told]


ARRAYS_JOINED = (
    "`and`, `or`, `not` and comparisons in a chain, such as 0 <= x < 3, ask for one True or False. For "
    "arrays "
    "there are & and | and ~, entry by entry, with brackets round each comparison: (x >= 0) & (x < 3)."
)
WORDS = re.compile(r"\b(and|or|not)\b")
CHAIN = re.compile(r"[<>]=?[^<>=()]*[<>]")


def _error_advice(error: str, line: str = "") -> str:
    asks = "The truth value of an array" in error and not re.match(r"(if|elif|while|assert)\b", line)
    if asks and (WORDS.search(line) or CHAIN.search(line)):
        return ARRAYS_JOINED
    return next((text for words, text in ERROR_ADVICE.items() if words in error), "")


def _changed(names: Sequence[str], by_functions: bool = False, texts: bool = False) -> str:
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    verb = "no longer holds" if len(names) == 1 else "no longer hold"
    copy = " A function that you call may write into its input: hand it a copy." if by_functions else ""
    went_in = "texts" if texts else "numbers"
    return (
        f"After the call {listed} {verb} the {went_in} that went in. Whoever called your function still "
        f"needs them: make a copy, and change that one.{copy}"
    )


def _stopped() -> tuple[str, ...]:
    return (
        paragraph(
            "Look for a loop whose condition never becomes false, or whose counter never moves. Or the code "
            "is very slow: what does it do again and again that could be done once?"
        ),
    )


def _printed(outcome: Outcome) -> tuple[str, ...]:
    lines = outcome.printed.strip().splitlines()
    if not lines:
        return ()
    shown = [f"    {line[:90]}" for line in lines[:3]] + (["    …"] if len(lines) > 3 else [])
    return ("\n".join(["  Your function printed, on the first input:", *shown]),)


def _simplest_first(probe: Probe) -> tuple[bool, int]:
    """Inputs in the order in which they explain a mistake: extreme ones only where no other fails."""
    return probe.hard, _size(probe)


def _size(probe: Probe) -> int:
    return sum(_how_many(value) for value in probe.inputs.values())


def _how_many(value: Any) -> int:
    """Numbers in an array, texts in a list or in lists of lists."""
    return sum(map(_how_many, value)) if isinstance(value, list) else int(np.size(value))


def _axes_of(value: Any) -> int:
    return 0 if isinstance(value, list) else np.ndim(value)


def _texts(inputs: Inputs) -> str:
    """Lists among the inputs, a line for each; "" where there are none."""
    lists = {name: repr(value) for name, value in inputs.items() if isinstance(value, list)}
    width = max(map(len, lists), default=0)
    shown = {
        name: text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 2]} …"
        for name, text in lists.items()
    }
    return "".join(f"\n    {name:<{width}}  {text}" for name, text in shown.items())


def _shape_or_value(value: object) -> str:
    return (
        str(value.shape)
        if isinstance(value, np.ndarray)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def _input_rows(
    inputs: Inputs,
    place: tuple[int, ...],
    shape: tuple[int, ...],
    axes: tuple[str, ...],
    beside: tuple[str, ...] = (),
) -> list[tuple[str, Array]]:
    """The part of the input that belongs to the first wrong number."""
    rows: list[tuple[str, Array]] = []
    for name, value in inputs.items():
        if callable(value) or isinstance(value, list):
            continue  # it is named in words, or shown above
        if not isinstance(value, np.ndarray):
            rows.append((name, np.array([value])))
        elif name == "mask":
            rows.append((name, np.broadcast_to(value, (*shape[:-1], value.shape[-1]))[place[:-1]]))
        elif name in beside:  # with a single axis all queries are shown, and a table is too much for a row
            if len(place) > 1:
                rows.append((name, np.atleast_1d(value[place[0]])))
            elif value.ndim == 1:
                rows.append((name, value))
        elif (value.shape == shape and name not in ROLES) or value.ndim == 1:
            rows.append((name, value[place[:-1]] if value.shape == shape else value))
        elif name == "queries" and value.shape[:-1] == shape[:-1]:
            rows.append((f"query {place[-2]}", value[place[:-1]]))
        elif name == "keys" and axes[-1:] == ("key",) and value.shape[:-2] == shape[:-2]:
            few = value.shape[-2] <= MOST_KEYS  # then the whole row can be recomputed
            shown = range(value.shape[-2]) if few else (place[-1],)
            rows += [(f"key {key}", value[(*place[:-2], key)]) for key in shown]
    return rows


def _nothing_but_nan(outcome: Outcome) -> bool:
    value = outcome.value
    return value is not None and value.dtype.kind == "f" and bool(np.isnan(value).all())


def _is_nan(attempt: object) -> bool:
    return isinstance(attempt, float | np.floating) and math.isnan(attempt)


def _as_number(attempt: object) -> float | None:
    if isinstance(attempt, bool):
        return None
    if isinstance(attempt, str):
        try:
            return float(attempt.strip().replace(",", "."))
        except ValueError:
            return None
    if isinstance(attempt, Fraction):
        return float(attempt)
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


def _names(labels: Sequence[Any]) -> str:
    return ", ".join(repr(label) for label in labels)


def _close(cell: object, right: float) -> bool:
    value = _as_number(cell)
    return value is not None and abs(value - right) <= 0.005 * max(abs(right), 0.1)


def _held_truths(attempt: object) -> str:
    """Says that True and False came where numbers are asked for, else ""."""
    if not isinstance(attempt, list | tuple | np.ndarray):
        return ""
    try:
        truths = np.array(attempt).dtype.kind == "b"
    except Exception:  # rows of different lengths, or anything else that makes no array
        return ""
    return "this holds True and False, as a mask does" if truths else ""


def _odd_row(attempt: object, shape: tuple[int, ...]) -> str:
    """The first row that is no row of numbers, in words, or ""."""
    if isinstance(attempt, str):
        if _without_quotes(attempt):
            return f"this is a text{_without_quotes(attempt)}"
        form = "[np.log(2), 0.5, …]" if len(shape) == 1 else "[[1.0, 2.0], …]"
        return f"this is {_describe(attempt)}. Give a list that Python can compute, of the form {form}"
    if not isinstance(attempt, list | tuple) or len(shape) != 2:
        return ""
    if len(attempt) != shape[0]:
        return f"this is {_describe(attempt)}, and {shape[0]} rows are needed"
    for place, row in enumerate(attempt, 1):
        if not isinstance(row, list | tuple | np.ndarray):
            return f"row {place} is {_describe(row)}"
        if len(row) != shape[1]:
            many = "number" if len(row) == 1 else "numbers"
            return f"row {place} has {len(row)} {many}"
        for cell in row:
            if cell is None:
                return f"row {place} holds None"
            if not isinstance(cell, int | float | np.number):
                return f"row {place} holds {_describe(cell)}"
    return ""


def _without_quotes(attempt: object) -> str:
    """Advice for a text in which Python would find numbers, were it no text; else ""."""
    if not isinstance(attempt, str):
        return ""
    try:
        parts = list(ast.walk(ast.parse(attempt.strip(), mode="eval").body))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""
    allowed = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.List, ast.Tuple, ast.expr_context)
    calls = (ast.Call, ast.Attribute)  # np.log(2)
    numbers_only = all(
        isinstance(part, (*allowed, *calls))
        or (isinstance(part, ast.Constant) and isinstance(part.value, int | float))
        or (isinstance(part, ast.Name) and part.id == "np")
        for part in parts
    )
    return ": leave the quotation marks away, and Python computes it" if numbers_only else ""


def _describe(thing: object) -> str:
    """What the learner gave, in words, without calling its own __repr__ on anything large."""
    if isinstance(thing, str):
        return f'the text "{thing if len(thing) <= 30 else thing[:29] + "…"}"'
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

"""The sentences of a reply to a learner's function."""

import math
import re
from collections.abc import Sequence

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake, Version, same_parts
from helpers.exercises.engine.feedback import paragraph, section, sentence
from helpers.exercises.engine.probes import Probe
from helpers.exercises.engine.sandbox import Outcome
from helpers.exercises.kinds.advice import error_advice
from helpers.exercises.kinds.cases import MOST_KEYS, simplest_first
from helpers.validation import Array

MOST_KINDS = 12  # of inputs, in one sentence
MOST_FAILING = 4  # of inputs that an answer is wrong on, or right: some are enough to begin with
MOST_LINES = 6  # of explanation: more is not read
ROUNDING = 1e-12  # how far the numbers of a constant result may lie apart


def told_first(versions: Sequence[Version]) -> Mistake:
    """The versions that agree with an attempt -> the mistake that is told first: one that all share."""
    mistakes = [mistake for version in versions for mistake in version.mistakes]
    return next((m for m in mistakes if all(m.name in v.names for v in versions)), mistakes[0])


def explanation(versions: Sequence[Version], room: int = MOST_LINES) -> str:
    """The versions that agree with an attempt -> what was done, and the ideas that it misses.

    `room`: how many lines there are for two ideas; where they take more, the first is told alone.
    """
    if len(versions) == 1:
        (version,) = versions
        if len(version.mistakes) == 1:
            (mistake,) = version.mistakes
            return f"{sentence(mistake.says)} {mistake.idea} {section(mistake.reread)}"
        if len(version.mistakes) == 2:
            one, other = version.mistakes
            return of_two(one, other, room)
        return of_three(version.mistakes)
    ideas = {mistake.name: mistake for version in versions for mistake in version.mistakes}
    shared = [m for m in ideas.values() if all(m.name in version.names for version in versions)]
    if shared and all(len(version.mistakes) > len(shared) for version in versions):
        return of_shared(shared, versions)
    explained = shared or [told_first(versions)]
    advice = " ".join(f"{m.idea} {section(m.reread)}" for m in explained)
    told = "; or ".join(", and ".join(m.says for m in version.mistakes) for version in versions[:4])
    which = "Either of these" if len(versions) == 2 else "Any one of these"
    return f"{which} would give your results: {told}. {advice}"


def of_shared(shared: Sequence[Mistake], versions: Sequence[Version]) -> str:
    """What every version has is told once, then what else it may be: as many as a reader takes in."""
    count = "Two" if max(len(version.mistakes) for version in versions) == 2 else "Three"
    names = {mistake.name for mistake in shared}
    rest = [[m.says for m in version.mistakes if m.name not in names] for version in versions]
    advice = f"Begin with the first: {shared[0].idea} {section(shared[0].reread)} Then check again."
    sure = "; and ".join(mistake.says for mistake in shared)
    which = "either" if len(versions) == 2 else "any"
    texts = [
        f"{count} things at once: {sure}; and one of these, {which} of which fits your results: "
        f"{'; or '.join(', and '.join(says) for says in rest[:most])}. {advice}"
        for most in (4, 3, 2)
    ]
    return next((text for text in texts if len(paragraph(text).splitlines()) <= MOST_LINES), texts[-1])


def of_three(mistakes: Sequence[Mistake]) -> str:
    """Three mistakes at once -> all of them, and the idea of the first."""
    one, *others, last = (mistake.says for mistake in mistakes)
    first = mistakes[0]
    told = "; ".join([one, *others, f"and {last}"])
    advice = f"Begin with the first: {first.idea} {section(first.reread)} Then check again."
    return f"Three things at once: {told}. {advice}"


def of_two(one: Mistake, other: Mistake, room: int = MOST_LINES) -> str:
    """Two mistakes at once -> both, and the idea of each; of the first alone where both take too many lines.

    Each idea says which of the two it explains: its "that" and "it" point there.
    """
    comma = ";" if "," in one.says + other.says else ","
    both = f"Two things at once: {one.says}{comma} and {other.says}."
    if one.idea == other.idea:
        return f"{both} {one.idea} {section(one.reread)}"
    first_section = "" if one.reread == other.reread else f" {section(one.reread)}"
    second = f"Second: {other.idea} {section(other.reread)}"
    text = f"{both} First: {one.idea}{first_section} {second}"
    if len(paragraph(text).splitlines()) <= room:
        return text
    return f"{both} Begin with the first: {one.idea} {section(one.reread)} Then check again."


def of_one_error(versions: Sequence[Version]) -> str:
    """Single mistakes that all stop with this error: each with its own advice, for the line decides."""
    if not 1 < len(versions) <= MOST_KEYS or any(len(version.mistakes) > 1 for version in versions):
        return explanation(versions)
    mistakes = [version.mistakes[0] for version in versions]
    told = "; or ".join(mistake.says for mistake in mistakes)
    advice = dict.fromkeys(f"{mistake.idea} {section(mistake.reread)}" for mistake in mistakes)
    return f"One of these, and your line tells which: {told}. {' '.join(advice)}"


def one_of_several(parts: Sequence[tuple[int, ...]], expected: Array) -> bool:
    """True where one array of a tuple holds as many numbers as are asked for, if in another shape."""
    return any(math.prod(shape) == expected.size for shape in parts)


def lost_axis(got: tuple[int, ...], expected: tuple[int, ...]) -> str:
    """Two shapes -> what to say where the first is the second without its axes of length 1; else ""."""
    longer = [tuple(n for n in shape if n != 1) for shape in (got, expected)]
    if len(got) >= len(expected) or longer[0] != longer[1]:
        return ""
    return "An axis of length 1 is an axis, too, and should stay: `squeeze()`, for one, drops it."


def headline(failing: Sequence[tuple[Probe, Outcome, Outcome]]) -> str:
    """The failing probes, with what came back and what is right -> the first line of the reply."""
    outcomes = [outcome for _, outcome, _ in failing]
    if all(outcome.error for outcome in outcomes):
        return "your function stops with an error"
    if all(outcome.value is None for outcome in outcomes) and failing[0][2].joined:
        return "you did not return what the task asks for"
    if all(outcome.value is None for outcome in outcomes):
        if failing[0][0].form.read:
            return "what came back does not have the form that the task asks for"
        single = all(right.value is not None and right.value.ndim == 0 for _, _, right in failing)
        if of_truths(failing[0][2]):
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
            return "not what the task asks for"
        if of_truths(failing[0][2]):
            return "wrong answer" if scalars else "right shape, wrong entries"
        if all(np.isnan(value).any() for value in values):
            return "right shape, but nan among the numbers"
        return "wrong number" if scalars else "right shape, wrong numbers"
    return (
        "wrong shape" if not any(shapes) and all(o.value is not None for o in outcomes) else "wrong results"
    )


def of_truths(outcome: Outcome) -> bool:
    """True where a result is True and False."""
    return outcome.value is not None and outcome.value.dtype.kind == "b"


def what_is_asked(right: Outcome) -> str:
    """What should have come back, in words."""
    single = right.value is not None and right.value.ndim == 0
    if of_truths(right):
        return "True or False" if single else "an array of True and False"
    return "one number" if single else "an array of numbers"


def where_it_fails(failing: Sequence[Probe], probes: Sequence[Probe]) -> str:
    """The failing probes, all probes -> on which kinds it is right, or not yet."""
    bad = list(dict.fromkeys(probe.kind for probe in failing))
    good = [kind for kind in dict.fromkeys(probe.kind for probe in probes) if kind not in bad]
    if not good:
        return ""
    if len(good) < len(bad):
        return f"Right only on: {listed(good, MOST_FAILING)}."
    return f"Not yet on: {listed(bad, MOST_FAILING)}."


def listed(kinds: Sequence[str], most: int = MOST_KINDS) -> str:
    """Kinds of input, as far as anyone would read."""
    more = len(kinds) - most
    return "; ".join([*kinds[:most], f"and {more} more"] if more > 1 else kinds)


def errors_elsewhere(failing: Sequence[tuple[Probe, Outcome, Outcome]], explained: bool) -> list[str]:
    """Where the case that is shown ends in numbers and a larger one in an error: that error, and its line.

    Where the numbers are explained already, only an error that comes with advice is worth its lines.
    """
    stops = [(probe, outcome) for probe, outcome, _ in failing if outcome.error]
    if not stops:
        return []
    probe, outcome = min(stops, key=lambda pair: simplest_first(pair[0]))
    advice = advice_on(outcome.error, outcome.line)
    if explained and not advice:
        return []
    at = f", in your line: {outcome.line}" if outcome.line else ""
    told = paragraph(f"On other inputs it stops ({probe.kind}): {outcome.error}{at}")
    return [told, paragraph(advice)] if advice else [told]


ARRAYS_JOINED = (
    "`and`, `or`, `not` and chained comparisons, such as 0 <= x < 3, need a single True or False. For "
    "arrays "
    "use & and | and ~, which work entry by entry, with brackets round each comparison: (x >= 0) & (x < 3)."
)

ARRAYS_COMPARED = (
    "Python's `max` and `min` ask which of two things is the larger, as a whole. np.maximum(a, b) and "
    "np.minimum(a, b) compare arrays entry by entry."
)

WORDS = re.compile(r"\b(and|or|not)\b")
MAX_OR_MIN = re.compile(r"(?<![\w.])(max|min)\(")
CHAIN = re.compile(r"[<>]=?[^<>=()]*[<>]")


def advice_on(error: str, line: str = "") -> str:
    """A message of Python's, the learner's line -> what a beginner may not know, or nothing."""
    asks = "The truth value of an array" in error and not re.match(r"(if|elif|while|assert)\b", line)
    if asks and (WORDS.search(line) or CHAIN.search(line)):
        return ARRAYS_JOINED
    if asks and MAX_OR_MIN.search(line):
        return ARRAYS_COMPARED
    told = (advice.says for advice in error_advice() if advice.fits(error, line))
    return next(told, "")


def inputs_changed(names: Sequence[str], by_functions: bool = False, texts: bool = False) -> str:
    """Names of inputs that a call changed -> why that matters."""
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    verb = "no longer holds" if len(names) == 1 else "no longer hold"
    copy = " A function that you call may write into its input: hand it a copy." if by_functions else ""
    went_in = "texts" if texts else "numbers"
    return (
        f"After the call {listed} {verb} the {went_in} that went in. Whoever called your function still "
        f"needs them: make a copy, and change that one.{copy}"
    )


def besides(text: str) -> str:
    """A sentence on what a call changed -> the same, after the name of a mistake."""
    return f"Besides, {text[0].lower()}{text[1:]}"


def says_not_implemented(outcome: Outcome) -> bool:
    """True where the learner raised NotImplementedError, as in a stub. PyTorch raises it, too."""
    raised = not outcome.line or "NotImplementedError" in outcome.line
    return outcome.error.startswith("NotImplementedError") and raised


def if_stopped() -> tuple[str, ...]:
    """What to look for where a function ran out of time."""
    return (
        paragraph(
            "Look for a loop whose condition never becomes false, or whose counter never moves. Or the code "
            "is very slow: what does it do again and again that could be done once?"
        ),
    )


def what_it_printed(outcome: Outcome) -> tuple[str, ...]:
    """An outcome -> the first lines that the function printed, if it did."""
    lines = outcome.printed.strip().splitlines()
    if not lines:
        return ()
    shown = [f"    {line[:90]}" for line in lines[:3]] + (["    …"] if len(lines) > 3 else [])
    return ("\n".join(["  Your function printed, on the first input:", *shown]),)


def nothing_but_nan(outcome: Outcome) -> bool:
    """True where every number of a result is nan."""
    value = outcome.value
    return value is not None and value.dtype.kind == "f" and bool(np.isnan(value).all())


def always_the_same(outcomes: Sequence[Outcome]) -> bool:
    """True where one and the same number stands everywhere, which tells one mistake, never two.

    A single number on every input, or arrays that hold nothing else: parts that cancel leave 0 in many ways.
    """
    values = [outcome.value for outcome in outcomes]
    if len(values) < 3 or any(value is None or value.dtype.kind not in "biuf" for value in values):
        return False
    found = np.concatenate([np.ravel(value).astype(np.float64) for value in values if value is not None])
    if not np.isfinite(found).all():
        return bool((found == found[0]).all())
    return found.size > 0 and bool(np.ptp(found) <= ROUNDING)


def wrong_numbers(outcome: Outcome, right: Outcome) -> bool:
    """True where a result is wrong in its numbers alone, and none of them is nan."""
    got, expected = outcome.value, right.value
    if got is None or expected is None or got.shape != expected.shape or not same_parts(outcome, right):
        return False
    return not np.isnan(got.astype(np.float64)).any()

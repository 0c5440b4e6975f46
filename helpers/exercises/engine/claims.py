"""Where to begin, where no known mistake fits: what was seen on inputs on which one step cannot matter.

Four claims, and no more: the stack, the mask, the scale, the heads. Each is tried on the exercise's inputs,
changed in one respect, and made only if the attempt is then right on all of them. It says what was seen,
never what the mistake is. Wider claims were false too often: steps hang together, and mistakes hide one
another.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import plain_outcome
from helpers.exercises.engine.probes import Probe
from helpers.exercises.engine.sandbox import Outcome
from helpers.validation import Array

ASKING = ("queries", "query", "w_q")  # what makes scores larger in proportion
LITTLE = 1e-4  # times the queries: softmax is a straight line there
CLOSE = 1e-3  # how near a factor must bring the results, relative to them
ENOUGH = 2  # inputs, at least
Inputs = Mapping[str, Any]


@dataclass(frozen=True)
class Trial:
    """An attempt, ready to be run on other inputs, and what is right there."""

    probes: Sequence[Probe]
    run: Callable[[Inputs], Outcome]
    right: Callable[..., Any]
    accepts: Callable[[Outcome, Outcome, Probe], bool]

    def is_right(self, probe: Probe) -> bool:
        """Is the attempt right on this input?"""
        return self.accepts(self.run(probe.inputs), plain_outcome(self.right, probe), probe)

    def all_right(self, probes: Sequence[Probe]) -> bool:
        """Is it right on all of these, and are they enough to say so?"""
        return len(probes) >= ENOUGH and all(map(self.is_right, probes))

    def has_several(self, probe: Probe) -> bool:
        """Is more than one number right on this input?"""
        right = plain_outcome(self.right, probe).value
        return right is not None and right.size > 1

    def number(self, probe: Probe, name: str, factor: float) -> Array | None:
        """What the attempt gives where one input is so many times as large; None for no number."""
        return self.run({**probe.inputs, name: probe.inputs[name] * factor}).value


def claim(trial: Trial) -> str:
    """An attempt that is wrong -> what was seen, and where to begin; "" where nothing can be said."""
    return next((text for seen in CLAIMS for text in seen(trial)), "")


def of_the_stack(trial: Trial) -> Iterator[str]:
    """Right on every sentence of a stack alone, and wrong on the stack."""
    fewest = min(_most_axes(probe) for probe in trial.probes)
    flat = [probe for probe in trial.probes if _most_axes(probe) == fewest]
    stacks = [probe for probe in trial.probes if _most_axes(probe) > fewest]
    if not stacks or not trial.all_right(flat):
        return
    wrong = [probe for probe in stacks if not trial.is_right(probe)]
    alone = [_alone(trial, probe, fewest) for probe in wrong]
    if wrong and all(parts and all(map(trial.is_right, parts)) for parts in alone):
        where = "a stack" if len(wrong) == len(stacks) else "some stacks"
        yield (
            f"On each sentence alone your function is right, but on {where} of them it is not. Begin with "
            "what it does with the axes in front."
        )


def _most_axes(probe: Probe) -> int:
    return max((value.ndim for value in probe.inputs.values() if isinstance(value, np.ndarray)), default=0)


def _alone(trial: Trial, probe: Probe, axes: int) -> list[Probe]:
    """A stack -> what it is made of, one by one; nothing where right results do not come apart like that."""
    parts = [probe]
    while parts and (most := _most_axes(parts[0])) > axes:
        parts = [part for whole in parts for part in _items(whole, most)]
    whole = plain_outcome(trial.right, probe).value
    found = [plain_outcome(trial.right, part).value for part in parts]
    rights = [right for right in found if right is not None]
    if whole is None or not rights or len({right.shape for right in rights}) != 1:
        return []
    one_by_one = np.stack(rights)
    comes_apart = one_by_one.size == whole.size and _near(one_by_one.ravel(), whole.ravel())
    return parts if comes_apart and len(rights) == len(parts) else []


def _items(probe: Probe, axes: int) -> list[Probe]:
    """A stack -> the items of its first axis; nothing where an input is neither an array nor a number."""
    arrays = {name: value for name, value in probe.inputs.items() if isinstance(value, np.ndarray)}
    tall = {name: value for name, value in arrays.items() if value.ndim == axes}
    if len({len(value) for value in tall.values()}) != 1 or not all(
        name in arrays or isinstance(value, int | float) for name, value in probe.inputs.items()
    ):
        return []
    count = len(next(iter(tall.values())))
    return [
        replace(probe, inputs={**probe.inputs, **{name: value[i] for name, value in tall.items()}})
        for i in range(count)
    ]


def of_the_scale(trial: Trial) -> Iterator[str]:
    """Right as soon as the queries are so many times as large, on every input."""
    first = trial.probes[0].inputs
    name = next(
        (each for each in ASKING if getattr(first.get(each), "dtype", np.dtype(bool)).kind == "f"), ""
    )
    tried = [_fine(probe) for probe in trial.probes if name and not probe.hard]
    factors = []
    for probe in tried:
        if not _asks(trial, probe, name):
            if not trial.is_right(probe):
                return
            continue
        factor = _factor(trial, probe, name)
        if factor is None:
            return
        factors.append(factor)
    if len(factors) < ENOUGH or max(abs(factor - 1) for factor in factors) < CLOSE:
        return
    low, high = min(factors), max(factors)
    same = high - low < CLOSE * high
    if not same and sum(map(trial.has_several, tried)) < ENOUGH:
        return  # any number is a multiple of the right one: a factor for each input says nothing
    some = f" on the {len(tried)} of {len(trial.probes)} inputs that were tried"
    count = some if len(tried) < len(trial.probes) else ""
    told = f"Multiply {name} by {low:.3g} on every input, and your function is right{count}."
    if not same:
        range_told = f"by a number of each input's own, from {low:.3g} to {high:.3g}"
        range_told += f" ({len(tried)} of {len(trial.probes)} inputs were tried)" if count else ""
        told = f"Your function is right once {name} are multiplied {range_told}."
        told = told.replace(f"{name} are", f"{name} is") if not name.endswith("s") else told
    yield f"{told} Begin with what multiplies or divides the scores."


def _fine(probe: Probe) -> Probe:
    """The same input, with 16 digits in every number: fewer do not carry the little that is looked at."""
    fine = {
        name: value.astype(np.float64) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value
        for name, value in probe.inputs.items()
    }
    return replace(probe, inputs=fine)


def _asks(trial: Trial, probe: Probe, name: str) -> bool:
    """Do the queries matter here at all? Not where every score is 0, or every key has the same value."""
    with_none, with_all = (plain_outcome(trial.right, _times(probe, name, times)).value for times in (0, 1))
    return with_none is None or with_all is None or not _near(with_none, with_all)


def _factor(trial: Trial, probe: Probe, name: str) -> float | None:
    """How many times as large the queries must be for right results, or None if that does not help."""
    right = [plain_outcome(trial.right, _times(probe, name, times)).value for times in (LITTLE, -LITTLE, 1)]
    got = [trial.number(probe, name, times) for times in (LITTLE, -LITTLE)]
    up, down, wanted = right
    if up is None or down is None or wanted is None or any(g is None or g.shape != up.shape for g in got):
        return None
    slope = got[0] - got[1]  # type: ignore[operator]
    size = float((slope * slope).sum())
    factor = float(((up - down) * slope).sum()) / size if 0 < size < np.inf else 0.0
    if not 0 < factor < np.inf:
        return None
    again = trial.number(probe, name, factor)
    near = again is not None and again.shape == wanted.shape and _near(again, wanted)
    return factor if near else None


def _near(got: Array, wanted: Array) -> bool:
    if got.dtype == np.bool_ or wanted.dtype == np.bool_:
        return bool((got == wanted).all())  # True and False have no difference
    return bool((abs(got - wanted) < CLOSE * (1 + np.max(abs(wanted), initial=0))).all())


def _times(probe: Probe, name: str, factor: float) -> Probe:
    return replace(probe, inputs={**probe.inputs, name: probe.inputs[name] * factor})


def of_the_mask(trial: Trial) -> Iterator[str]:
    """Right as soon as nothing is hidden."""
    opened = [_opened(probe) for probe in trial.probes]
    pairs = zip(trial.probes, opened, strict=True)
    hiding = [probe for probe, other in pairs if other is not None and other is not probe]
    if not hiding or not trial.all_right([probe for probe in opened if probe is not None]):
        return
    seen = [probe for probe in hiding if not _has_empty_row(probe)]
    if seen and not any(trial.is_right(probe) for probe in seen if not probe.hard):
        count = f"all {len(opened)} inputs"
        yield (
            f"With nothing hidden by the mask your function is right on {count}; with a mask it is not. "
            "Begin with the line that uses the mask."
        )


def _opened(probe: Probe) -> Probe | None:
    """The same input with nothing hidden, None where there is no mask; itself where nothing was."""
    match probe.inputs:
        case {"mask": np.ndarray() as mask} if mask.dtype == np.bool_:
            return (
                probe if mask.all() else replace(probe, inputs={**probe.inputs, "mask": np.ones_like(mask)})
            )
        case {"source_lengths": lengths, "keys": keys}:
            full = np.full_like(np.asarray(lengths), keys.shape[-2])
            changed = full.tolist() if isinstance(lengths, list) else full
            return (
                probe
                if (full == lengths).all()
                else replace(probe, inputs={**probe.inputs, "source_lengths": changed})
            )
    return None


def _has_empty_row(probe: Probe) -> bool:
    if "mask" in probe.inputs:
        return bool((~probe.inputs["mask"].any(axis=-1)).any())
    return 0 in np.asarray(probe.inputs["source_lengths"])


def of_the_heads(trial: Trial) -> Iterator[str]:
    """Right as soon as there is one head."""
    inputs = trial.probes[0].inputs
    if "n_heads" not in inputs or not any(isinstance(value, np.ndarray) for value in inputs.values()):
        return  # who counts parameters has no heads to put together
    with_one = [replace(probe, inputs={**probe.inputs, "n_heads": 1}) for probe in trial.probes]
    several = [probe for probe in trial.probes if probe.inputs["n_heads"] > 1 and not probe.hard]
    if several and trial.all_right(with_one) and not any(map(trial.is_right, several)):
        yield (
            f"With one head your function is right on all {len(with_one)} inputs; with several it is not. "
            "Begin with the lines that make the heads and put them together."
        )


CLAIMS: tuple[Callable[[Trial], Iterator[str]], ...] = (
    of_the_stack,
    of_the_mask,
    of_the_scale,
    of_the_heads,
)

"""What a record says: slopes on log–log axes, rates, ratios, and whether the course's goals are met."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from helpers.benchmark.records import Case, Ratio, Record, Slope, StreamingRecord

# What makes one line of measurements, and within it n.
LINE = ("part", "implementation", "causal", "dtype", "passes")
# With fewer tokens a call's fixed cost weighs as much as its work: the slope of its time says little.
TIMES_FROM_N = 1024
# The slope of memory: a bound, and whether it is the most.
SLOPE_GOALS = {"readable": (1.9, False), "fused": (1.1, True)}
# At most so many times as long as SDPA, by what torch's products use; from which n to which.
BLOCKED_GOALS = {"AVX512": 1.3, "AVX2": 1.1}
BLOCKED_SIZES = (2048, 4096)
CAUSAL_GOAL, CAUSAL_SIZES = 0.60, (2048, 8192)  # of the time without a mask
EXTRA_MIB, ERROR_IN_MILLIONTHS = 1.0, 1.2
# (over, under) -> the bound: at least as fast as the flash back end, and 0.85 of the speed of cuDNN beyond.
KERNEL_GOALS = {
    ("tiled, d 64", "flash, d 64"): (1.0, ""),
    ("tiled, d 64", "cudnn, d 64"): (1 / 0.85, "stretch: "),
}


class Goal(NamedTuple):
    """A goal of the course, what was measured, and whether it is met.

    `n` is None where the goal is for all sizes together, `spread` the quartiles, if it has any. A goal
    is met by the value itself, whatever its spread.
    """

    what: str
    n: int | None
    value: float
    spread: tuple[float, float] | None
    bound: float
    at_most: bool

    @property
    def met(self) -> bool:
        """Whether the value keeps the bound."""
        return self.value <= self.bound if self.at_most else self.value >= self.bound


def fitted_slope(ns: ArrayLike, values: ArrayLike) -> float:
    """(sizes,), (sizes,) -> p, where values grow like n^p: least squares on log–log axes.

    Raises ValueError unless there are two sizes or more and all numbers are positive.
    """
    ns, values = np.asarray(ns, dtype=float), np.asarray(values, dtype=float)
    if ns.shape != values.shape or ns.size < 2 or not ((ns > 0).all() and (values > 0).all()):
        raise ValueError(f"a slope needs two or more positive points; got n {ns} and values {values}")
    return float(np.polyfit(np.log(ns), np.log(values), 1)[0])


def slopes_of(cases: Iterable[Case]) -> list[Slope]:
    """Cases -> the slope of time and of memory for each line of three sizes or more.

    Time is fitted from TIMES_FROM_N tokens on, memory over all sizes.
    """
    lines: dict[tuple[object, ...], list[Case]] = {}
    for case in cases:
        if case["status"] == "measured":
            lines.setdefault(line_of(case), []).append(case)
    found = []
    for line in lines.values():
        times = [(case["n"], case["seconds"]["median"]) for case in line if case["seconds"]]
        late = [point for point in times if point[0] >= TIMES_FROM_N]
        memory = [(case["n"], case["peak_bytes"]) for case in line if case["peak_bytes"]]
        found += _slope(line[0], "seconds", late)
        found += _slope(line[0], "peak_bytes", memory)
    return found


def rate(case: Case) -> tuple[float, float | None] | None:
    """A case -> operations a second, bytes a second (None where none are stated); None if not measured."""
    if case["seconds"] is None:
        return None
    median, moved = case["seconds"]["median"], case["moved_bytes"]
    return case["operations"] / median, None if moved is None else moved / median


def ceiling(record: Record, what: str, dtype: str) -> float | None:
    """ "matmul" or "copy", a dtype -> the measured rate, or None where it was not measured."""
    rates = [
        entry["rate"] for entry in record["ceilings"] if (entry["what"], entry["dtype"]) == (what, dtype)
    ]
    return max(rates, default=None)


def goals(record: Record) -> list[Goal]:
    """A record -> each goal for which it has figures.

    Time: the module against its bare parts (1.05, on a GPU 1.03, from 2,048 tokens on) and against
    nn.MultiheadAttention (1, at every size); on a GPU the readable form against the fused one (4, causal 10,
    at 4,096, forward, in two bytes a number). Memory: slopes of the readable form (1.9 at least) and of the
    fused one (1.1 at most), where they reach 4,096 tokens. The suites "streaming" and "kernels" have others:
    see BLOCKED_GOALS, CAUSAL_GOAL and KERNEL_GOALS.
    """
    if record["suite"] == "streaming":
        return _streaming_goals(cast(StreamingRecord, record))
    if record["suite"] == "kernels":
        return _kernel_goals(record)
    on_gpu = record["device"]["kind"] != "cpu"
    found = []
    for ratio in record["ratios"]:
        pair, n = (ratio["over"], ratio["under"]), ratio["n"]
        if pair == ("ours", "bare") and n >= 2048:
            found.append(_ratio_goal(ratio, 1.03 if on_gpu else 1.05, at_most=True))
        elif ratio["over"] == "ours" and ratio["under"].startswith("nn.MultiheadAttention"):
            found.append(_ratio_goal(ratio, 1.0, at_most=True))
        elif pair == ("readable", "fused") and on_gpu and n == 4096 and _forward_in_two_bytes(ratio):
            found.append(_ratio_goal(ratio, 10.0 if ratio["causal"] else 4.0, at_most=False))
    for slope in record["slopes"]:
        bound = SLOPE_GOALS.get(slope["implementation"])
        if bound and slope["quantity"] == "peak_bytes" and slope["to_n"] >= 4096:
            what = f"slope of memory, {line_name(slope)}"
            found.append(Goal(what, None, slope["slope"], None, bound[0], at_most=bound[1]))
    return found


def extra_memory(record: StreamingRecord) -> dict[str, list[tuple[int, int]]]:
    """A record -> {line of measurements: (n, bytes held beyond the input and the output) of each size}.

    Of attention by itself. What a call returns besides the output counts as extra: weights, log_sum_exp.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for case in record["cases"]:
        if case["part"] == "attention" and case["peak_bytes"] is not None:
            output = 4 * record["n_heads"] * case["n"] * record["d_head"]  # float32
            found.setdefault(line_name(case), []).append((case["n"], case["peak_bytes"] - output))
    return found


def line_of(item: Mapping[str, object]) -> tuple[object, ...]:
    """A case or a slope -> what says to which line of measurements it belongs."""
    return tuple(item[key] for key in LINE)


def line_name(line: Case | Slope) -> str:
    """A case or a slope -> its line of measurements in words."""
    return f"{line['implementation']}, {setting_name(line)}"


def setting_name(line: Case | Slope | Ratio) -> str:
    """A case, a slope or a ratio -> what it shares with those that it is compared with."""
    return f"{'causal' if line['causal'] else 'full'}, {line['dtype']}, {line['passes']}"


def _slope(case: Case, quantity: str, points: Sequence[tuple[int, float]]) -> list[Slope]:
    """The slope through the points, in a list, or an empty one where they are fewer than three."""
    if len(points) < 3:
        return []
    ns, values = zip(*sorted(points), strict=True)
    line = dict(zip(LINE, line_of(case), strict=True))
    fit = {"slope": fitted_slope(ns, values), "from_n": ns[0], "to_n": ns[-1], "points": len(ns)}
    return [{**line, "quantity": quantity, **fit}]  # type: ignore[typeddict-item]


def _streaming_goals(record: StreamingRecord) -> list[Goal]:
    # A record from before 28 November 2026 does not say what it was made with: the wider bound.
    blocked = BLOCKED_GOALS.get(record["arguments"].get("instructions", ""), max(BLOCKED_GOALS.values()))
    bounds = {
        ("blocked", "SDPA"): (blocked, BLOCKED_SIZES),
        ("blocked, causal", "blocked, full"): (CAUSAL_GOAL, CAUSAL_SIZES),
    }
    found = []
    for ratio in record["ratios"]:
        bound, (least, most) = bounds.get((ratio["over"], ratio["under"]), (0.0, (0, 0)))
        if least <= ratio["n"] <= most:
            found.append(_ratio_goal(ratio, bound, True))
    for name, points in extra_memory(record).items():
        if name.startswith("blocked"):
            what = f"extra memory in MiB, {name}"
            found += [Goal(what, n, extra / 2**20, None, EXTRA_MIB, True) for n, extra in points]
    for line in record["errors"]:
        if line["implementation"] == "blocked":
            what = f"largest error in millionths, blocked, {'causal' if line['causal'] else 'full'}"
            found.append(Goal(what, line["n"], line["error"] * 1e6, None, ERROR_IN_MILLIONTHS, True))
    return found


def _kernel_goals(record: Record) -> list[Goal]:
    found = []
    for ratio in record["ratios"]:
        bound, words = KERNEL_GOALS.get((ratio["over"], ratio["under"]), (None, ""))
        in_bfloat16 = ratio["passes"] == "forward" and ratio["dtype"] == "bfloat16"
        if bound and in_bfloat16 and ratio["n"] >= 2048:
            found.append(_ratio_goal(ratio, bound, True, words))
    return found


def _forward_in_two_bytes(ratio: Ratio) -> bool:
    return ratio["passes"] == "forward" and ratio["dtype"].endswith("float16")


def _ratio_goal(ratio: Ratio, bound: float, at_most: bool, before: str = "") -> Goal:
    what = f"{before}{ratio['over']} ÷ {ratio['under']}, {setting_name(ratio)}"
    return Goal(what, ratio["n"], ratio["median"], (ratio["lower"], ratio["upper"]), bound, at_most)

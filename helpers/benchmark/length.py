"""How long a run on a GPU will take, computed from its data sheet before anything is measured.

A call is taken to need SLOWER times as long as the roofline allows, which is what published kernels do. A GPU
that data/gpus.toml does not list is taken to be as slow as the slowest there: then the answer is too long.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from helpers.benchmark.harness import MOST_CALLS, Limits
from helpers.datasets import Gpu, load_gpus

if TYPE_CHECKING:
    from helpers.benchmark.attention import Plan

BUDGET = 270.0  # seconds: under five minutes, with some to spare
SLOWER = 3.0
LAUNCH = 20e-6  # seconds: the least that a call takes, however small
AROUND = 0.15  # seconds for each implementation and size: input made, memory given back, the first call
Call = tuple[float, float, float]  # operations, bytes moved, bytes held at most


def data_sheet(name: str) -> tuple[Gpu, bool]:
    """What a driver calls a GPU -> its data sheet and True, or that of the slowest we know and False."""
    gpus = load_gpus()
    words = name.replace("-", " ").split()
    found = next((gpu for gpu in gpus.values() if gpu.name in words), None)
    return found or min(gpus.values(), key=lambda gpu: gpu.operations), found is not None


def seconds_a_call(call: Call, dtype: str, gpu: Gpu) -> float:
    """Operations, bytes moved and held; a dtype, a GPU -> seconds; 0 where its memory would not do."""
    operations, moved, held = call
    if held > gpu.memory_gb * 1e9:
        return 0.0
    peak = gpu.float32 if dtype == "float32" else gpu.operations
    return max(SLOWER * max(operations / peak, moved / gpu.bytes_a_second), LAUNCH)


def seconds_of_size(times: list[float], limits: Limits) -> float:
    """How long one call of each implementation takes, limits -> how long the harness works on them."""
    times = [time for time in times if 0 < time <= limits.seconds_a_call]
    if not times:
        return 0.0
    calls = [min(max(math.ceil(limits.sample_seconds / time), 1), MOST_CALLS) for time in times]
    a_round = sum(time * each for time, each in zip(times, calls, strict=True))
    rounds = min(max(math.ceil(limits.seconds / a_round), limits.least_rounds), limits.most_rounds)
    return rounds * a_round + 3 * sum(times) + AROUND * len(times)


def expected_seconds(
    plan: "Plan", gpu: Gpu, calls_of: Callable[["Plan"], Iterator[tuple[str, list[Call]]]]
) -> float:
    """A plan, a GPU, what yields (dtype, calls) for each size of each group -> seconds for the whole run."""
    return sum(
        seconds_of_size([seconds_a_call(call, dtype, gpu) for call in calls], plan.limits)
        for dtype, calls in calls_of(plan)
    )


def fitted(
    plan: "Plan", gpu: Gpu, calls_of: Callable[["Plan"], Iterator[tuple[str, list[Call]]]]
) -> tuple["Plan", float]:
    """A plan, a GPU -> the plan cut until it fits into its `seconds`, and the seconds that it will take.

    First each size gets less time, then the longest texts go.
    """
    budget = plan.seconds or math.inf
    for seconds in (plan.limits.seconds, 0.5, 0.25):
        plan = replace(plan, limits=replace(plan.limits, seconds=min(seconds, plan.limits.seconds)))
        if expected_seconds(plan, gpu, calls_of) <= budget:
            return plan, expected_seconds(plan, gpu, calls_of)
    while expected_seconds(plan, gpu, calls_of) > budget and len(plan.sizes) > 3:
        most = plan.sizes[-2]
        plan = replace(plan, sizes=plan.sizes[:-1], module_sizes=[n for n in plan.module_sizes if n <= most])
    return plan, expected_seconds(plan, gpu, calls_of)

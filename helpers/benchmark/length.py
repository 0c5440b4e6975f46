"""How long a run on a GPU will take, computed from its data sheet before anything is measured.

A call is taken to need SLOWER times as long as the roofline allows, which is what published kernels do. Of a
GPU that data/gpus.toml does not list, the benchmark times a product and a copy first, and takes these.
"""

import math
from collections.abc import Iterable

from helpers.benchmark.harness import MOST_CALLS, Limits
from helpers.datasets import Gpu, load_gpus

BUDGET = 270.0  # seconds: under five minutes, with some to spare
SLOWER = 3.0
LAUNCH = 20e-6  # seconds: the least that a call takes, however small
AROUND = 0.15  # seconds for each implementation and size: input made, memory given back, the first call
Call = tuple[float, float, float]  # operations, bytes moved, bytes held at most
# In a driver's name: other cards than those of the data sheets, which are the fastest ones, or a part of one.
OTHER_CARDS = {"PCIE", "NVL", "MIG"}


def data_sheet(name: str) -> Gpu | None:
    """What a driver calls a GPU -> its data sheet, or None where data/gpus.toml has none of it."""
    words = _words(name)
    known = [gpu for gpu in load_gpus(variants=True).values() if _words(gpu.name) <= words]
    return None if words & OTHER_CARDS else max(known, key=lambda gpu: len(gpu.name), default=None)


def slowest() -> Gpu:
    """() -> the data sheet of the slowest GPU that we know."""
    return min(load_gpus().values(), key=lambda gpu: gpu.operations)


def seconds_a_call(call: Call, dtype: str, gpu: Gpu) -> float:
    """Operations, bytes moved and held; a dtype, a GPU -> seconds; 0 where its memory would not do."""
    operations, moved, held = call
    if held > gpu.memory_gb * 1e9:
        return 0.0
    peak = gpu.float32 if dtype == "float32" else gpu.operations
    return max(SLOWER * max(operations / peak, moved / gpu.bytes_a_second), LAUNCH)


def seconds_of_all(calls: Iterable[tuple[str, list[Call]]], limits: Limits, gpu: Gpu) -> float:
    """For each size of each group its dtype and calls, limits, a GPU -> seconds for all of them."""
    return sum(
        seconds_of_size([seconds_a_call(call, dtype, gpu) for call in each], limits) for dtype, each in calls
    )


def seconds_of_size(times: list[float], limits: Limits) -> float:
    """How long one call of each implementation takes, limits -> how long the harness works on them."""
    times = [time for time in times if 0 < time <= limits.seconds_a_call]
    if not times:
        return 0.0
    calls = [min(max(math.ceil(limits.sample_seconds / time), 1), MOST_CALLS) for time in times]
    a_round = sum(time * each for time, each in zip(times, calls, strict=True))
    rounds = min(max(math.ceil(limits.seconds / a_round), limits.least_rounds), limits.most_rounds)
    return rounds * a_round + 3 * sum(times) + AROUND * len(times)


def _words(name: str) -> set[str]:
    return set(name.upper().replace("-", " ").split())

"""How long a run on a GPU will take, computed from its data sheet before anything is measured.

A call is taken to need SLOWER times as long as the roofline allows, which is what published kernels do. A GPU
that data/gpus.toml does not list is taken to be as slow as the slowest there: then the answer is too long.
"""

import math

from helpers.benchmark.harness import MOST_CALLS, Limits
from helpers.datasets import Gpu, load_gpus

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

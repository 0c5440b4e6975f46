"""A tiny run of the streaming suite of lesson 13, and cases, ratios and errors made by hand."""

from functools import cache
from pathlib import Path

import numpy as np

from helpers.benchmark.attention import FORWARD
from helpers.benchmark.harness import Limits
from helpers.benchmark.streaming import StreamingPlan, run_streaming_benchmark

ROOT = Path(__file__).resolve().parent.parent
SHORT = Limits(least_rounds=2, most_rounds=2, seconds=0.0, sample_seconds=0.0)
LONGER = Limits(least_rounds=3, most_rounds=3, seconds=0.0, sample_seconds=0.0)
TINY = StreamingPlan((5, 11, 23), SHORT, LONGER, SHORT, rows_checked=7, matmul_size=13, copied_bytes=4096)
SETTING = {"causal": False, "dtype": "float32", "passes": FORWARD}


def quiet(_line):
    return None


@cache
def tiny_run():
    """A record of a real run, of sizes that take no time."""
    return run_streaming_benchmark(plan=TINY, say=quiet)


def a_case(implementation, n, peak=None, seconds=1.0, **changes):
    times = {"median": seconds, "lower": seconds, "upper": seconds, "rounds": 3, "calls": 1, "first": seconds}
    case = {
        "part": "attention", "implementation": implementation, "backend": None, "n": n, **SETTING,
        "status": "measured", "reason": None, "seconds": times, "peak_bytes": peak,
        "operations": n * n, "moved_bytes": None,
    }  # fmt: skip
    return {**case, **changes}


def a_ratio(over, under, n, median, **changes):
    setting = {"part": "attention", **SETTING, **changes}
    return {"over": over, "under": under, "n": n, **setting, "rounds": 3} | {
        "median": median, "lower": median / 2, "upper": median * 2,
    }  # fmt: skip


def an_error(implementation, n, error, causal=False):
    line = {"implementation": implementation, "n": n, "causal": causal, "dtype": "float32"}
    return {**line, "rows": n, "error": error}


def result(run):
    with run.around():
        found = run.call()
    return np.asarray(found[0] if isinstance(found, tuple) else found)

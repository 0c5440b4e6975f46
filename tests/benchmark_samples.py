"""A tiny run of the benchmark of lesson 09, and cases, ratios and records made by hand."""

import shutil
from functools import cache
from pathlib import Path

import torch

from helpers import datasets
from helpers.benchmark import findings, records
from helpers.benchmark.attention import FORWARD, Plan, run_attention_benchmark
from helpers.benchmark.harness import History, Limits, measure_group

ROOT = Path(__file__).resolve().parent.parent
CPU = torch.device("cpu")
TINY = Plan(
    sizes=(5, 11, 23),
    module_sizes=(3,),
    backends=("math", "cudnn"),  # a CPU has the first, and refuses the second
    backends_both=("math",),
    limits=Limits(least_rounds=2, most_rounds=2, seconds=0.0, sample_seconds=0.0),
    matmul_size=13,
    copied_bytes=4096,
)
TINIEST = Plan((5,), (), passes=(FORWARD,), limits=TINY.limits, matmul_size=13, copied_bytes=4096)


def quiet(_line):
    return None


@cache
def tiny_run():
    """A record of a real run on the CPU, of sizes that take no time."""
    return run_attention_benchmark("cpu", plan=TINY, say=quiet, threads=1)  # one thread waits for no other


class Scripted:
    """Tools whose clock reads what a call returns: (seconds, bytes), a number, or an error that it raises."""

    def __init__(self, free=None):
        self.log, self.cleared, self.free = [], 0, free

    def seconds(self, call, calls):
        seconds = call()[0]
        self.log.append((seconds, calls))
        return seconds

    def peak_bytes(self, call):
        return call()[1]

    def free_bytes(self):
        return self.free

    def is_out_of_memory(self, error):
        return "full" in str(error)

    def clear(self):
        self.cleared += 1


def in_turn(*answers):
    """Answers -> a call that gives one after the other, and the last for ever; errors are raised."""
    left = list(answers)

    def call():
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, tuple) else (answer, 100)

    return call


def measured(runs, tools=None, limits=None, n=16, past=None):
    past = {name: History() for name in runs} if past is None else past
    return measure_group(runs, tools or Scripted(), limits or Limits(3, 3, 0.0), n, past)


def a_case(n, implementation="readable", median=None, peak=None, status="measured", **changes):
    """A case whose time is n³ nanoseconds and whose memory is n² bytes, unless told otherwise."""
    median = n**3 * 1e-9 if median is None else median
    seconds = {
        "median": median, "lower": 0.9 * median, "upper": 1.2 * median, "rounds": 5, "calls": 1, "first": 1.0,
    }  # fmt: skip
    done = status == "measured"
    case = {
        "part": "attention", "implementation": implementation, "backend": None, "n": n, "causal": False,
        "dtype": "float32", "passes": FORWARD, "status": status, "reason": None if done else "no room",
        "seconds": seconds if done else None, "peak_bytes": (peak or n**2) if done else None,
        "operations": 4 * n * n, "moved_bytes": 8 * n,
    }  # fmt: skip
    return {**case, **changes}


def a_ratio(over, under, n, median, **changes):
    quartiles = {"median": median, "lower": median - 0.1, "upper": median + 0.2, "rounds": 5}
    setting = {"part": "module", "causal": False, "dtype": "float32", "passes": FORWARD}
    return {"over": over, "under": under, "n": n, **setting, **quartiles, **changes}


def a_record(cases=(), ratios=(), kind="cpu", name="Test 1", **changes):
    cases = list(cases)
    record = {
        "schema": 1, "suite": "attention", "complete": True, "date": "2026-01-02T03:04:05+00:00",
        "commit": "0123456789abcdef", "tree_changed": False,
        "device": {"kind": kind, "name": name, "driver": None, "cuda": None, "cudnn": None,
                   "memory_method": "by hand"},
        "threads": 2,
        "versions": {"python": "3.11.1", "torch": "2.0", "numpy": "2.0", "system": "Linux 6.1",
                     "machine": "x86_64"},
        "arguments": {"quick": False}, "formulas": {"operations": "by hand"},
        "ceilings": [
            {"what": "matmul", "dtype": "float32", "size": 8, "rate": 4e9, "unit": "FLOP/s"},
            {"what": "copy", "dtype": "float32", "size": 8, "rate": 1e8, "unit": "bytes/s"},
        ],
        "cases": cases, "ratios": list(ratios), "slopes": findings.slopes_of(cases),
    }  # fmt: skip
    return records.validate_record({**record, **changes})


def copy_of_data(tmp_path, monkeypatch):
    """-> a folder with the list of the data files and one of them, read in place of data/."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("sources.toml", "sentence.csv"):
        shutil.copy(datasets.DATA / name, folder / name)
    monkeypatch.setattr(datasets, "DATA", folder)
    return folder

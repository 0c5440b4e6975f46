"""What is measured of our own kernel (lesson 13): beside the named back ends of PyTorch, on an NVIDIA GPU.

Shapes as in the papers: so many sequences that there are 16,384 tokens, and so many heads that their widths
add up to 2,048. helpers.benchmark.attention has B 1, H 8, which leaves a large GPU idle at small n.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (as in helpers.benchmark.attention)

from helpers.benchmark import devices, length
from helpers.benchmark.attention import (
    BOTH,
    FORWARD,
    OVER,
    TIMES,
    Group,
    Plan,
    around,
    call_of,
    case_of,
    empty_record,
    fit,
    in_short,
    ratios_of,
    to_stderr,
    torch_threads,
)
from helpers.benchmark.findings import slopes_of
from helpers.benchmark.harness import History, Limits, Run, measure_group
from helpers.benchmark.records import NothingToMeasure, Record
from helpers.datasets import Gpu
from helpers.pytorch.attention import best_device
from helpers.pytorch.kernels import tiled_attention, why_not

FORMULAS = {
    "times": TIMES,
    "operations": "forward: 2 products of 2·B·H·n²·d each, 4·B·H·n²·d, and half of that if causal; 3 times "
    "as many for both passes (papers that count the scores twice say 3.5)",
    "moved_bytes": "all but math: queries, keys, values and output once each, 4·B·H·n·d numbers, for both "
    "passes 12·B·H·n·d",
}


TO_COMPILE = 3.0  # seconds: about what Triton takes for the kernels of one group, the first time


@dataclass(frozen=True)
class KernelPlan(Plan):
    """What a run covers, and how long it may take. Each n has `tokens` // n sequences, d_model // d heads.

    After `seconds`, if given, what is left is skipped. There are no modules in it.
    """

    sizes: Sequence[int] = (1024, 2048, 4096, 8192, 16384)
    module_sizes: Sequence[int] = ()
    widths: Sequence[int] = (64, 128)
    dtypes: Sequence[str] = ("bfloat16", "float16")
    passes: Sequence[str] = (FORWARD, BOTH)
    causal: Sequence[bool] = (False, True)
    backends: Sequence[str] = tuple(devices.BACKENDS)
    tokens: int = 16384
    d_model: int = 2048
    limits: Limits = field(default_factory=lambda: Limits(most_rounds=50, seconds=0.5))
    matmul_size: int = 8192
    copied_bytes: int = 2**31
    seconds: float | None = length.BUDGET


QUICK = KernelPlan(
    sizes=(1024, 4096),
    widths=(64,),
    dtypes=("bfloat16",),
    passes=(FORWARD,),
    limits=Limits(most_rounds=15, seconds=0.2),
    matmul_size=4096,
    copied_bytes=2**28,
    seconds=None,
)


def run_kernel_benchmark(
    device: str | torch.device | None = None,
    quick: bool = False,
    plan: KernelPlan | None = None,
    say: Callable[[str], object] | None = None,
    threads: int | None = None,
) -> Record:
    """A device's name (None: the best that is here), quick or not -> the record of one run.

    The parts are named by their width, "d 64", and so are the implementations, "tiled, d 64". The other
    arguments are those of run_attention_benchmark. A full run says first how long it will take.
    Raises NothingToMeasure where no NVIDIA GPU or no Triton is here, ValueError where the device is not.
    """
    device = best_device(device)
    missing = nothing_here(device)
    if missing:
        raise NothingToMeasure(missing)
    plan, say = plan or (QUICK if quick else KernelPlan()), say or to_stderr
    tools = devices.tools_for(device)
    plan, how_long = fit(plan, tools, device, expected_seconds)
    if how_long:
        say(how_long)
    with torch_threads(threads):
        record = empty_record("kernels", tools, quick, asdict(plan), FORMULAS)
        try:
            _measure(record, plan, device, tools, say)
            record["complete"] = True
        except KeyboardInterrupt:
            say("stopped: what was measured until here is kept, and marked as incomplete")
    record["slopes"] = slopes_of(record["cases"])
    return record


def nothing_here(device: torch.device) -> str:
    """A device -> in a sentence, why there is nothing to measure, or "" where there is."""
    if device.type != "cuda":
        return f"Nothing to measure: the kernels are timed on an NVIDIA GPU, and the device is {device.type}."
    if os.environ.get("TRITON_INTERPRET") == "1":
        return "Nothing to measure: TRITON_INTERPRET=1 asks for Triton's interpreter, which is slow."
    missing = why_not(device)
    return f"Nothing to measure: {missing}." if missing else ""


def kernel_runs(group: Group, n: int, width: int, device: torch.device, plan: KernelPlan) -> dict[str, Run]:
    """A group, n, a width d, a device, a plan -> our kernel and the named back ends, on the same input."""
    dtype = getattr(torch, group.dtype)
    batch, n_heads = sides(plan, n, width)
    generator = torch.Generator(device).manual_seed(n)
    shape = 4, batch, n_heads, n, width
    queries, keys, values, gradient = torch.randn(shape, generator=generator, device=device).to(dtype)
    both = 3 if group.passes == BOTH else 1
    runs = {}
    for name in ("tiled", *plan.backends):
        forward = partial(_tiled if name == "tiled" else _by_torch, group.causal)
        runs[f"{name}, d {width}"] = Run(
            call_of(forward, (queries, keys, values), gradient, group.passes),
            around(group.passes, None if name == "tiled" else name),
            power=2 if name == "math" else 1,
            backend=None if name == "tiled" else name,
            operations=both * 4 * batch * n_heads * n * n * width // (2 if group.causal else 1),
            moved_bytes=None if name == "math" else both * 4 * queries.numel() * dtype.itemsize,
        )
    return runs


def _measure(
    record: Record, plan: KernelPlan, device: torch.device, tools: devices.Cpu, say: Callable[[str], object]
) -> None:
    """Fill the record, case by case."""
    end = time.monotonic() + (plan.seconds or float("inf"))
    for dtype in plan.dtypes:
        kind = getattr(torch, dtype)
        record["ceilings"] += devices.measured_ceilings(device, kind, plan.matmul_size, plan.copied_bytes)
        tools.clear()
    for width in plan.widths:
        for group in _groups(plan, width):
            past: dict[str, History] = {f"{name}, d {width}": History() for name in ("tiled", *plan.backends)}
            for n in plan.sizes:
                runs = kernel_runs(group, n, width, device, plan)
                if time.monotonic() > end:
                    outcomes = dict.fromkeys(runs, OVER)
                else:
                    outcomes = measure_group(runs, tools, plan.limits, n, past)
                for name, run in runs.items():
                    record["cases"].append(case_of(group, n, name, run, outcomes[name]))
                    say(f"{n:6} {'causal' if group.causal else 'full  '} {group.dtype:8} {group.passes:20} "
                        f"{name:16} {in_short(outcomes[name])}")  # fmt: skip
                ours, *others = runs
                record["ratios"] += ratios_of(group, n, outcomes, [(ours, other) for other in others])
                del runs
                tools.clear()


def expected_seconds(plan: KernelPlan, gpu: Gpu) -> float:
    """A plan, a GPU -> seconds for the whole run, on paper, compiling included."""
    n_groups = sum(len(_groups(plan, width)) for width in plan.widths)
    return TO_COMPILE * n_groups + length.seconds_of_all(calls_on_paper(plan), plan.limits, gpu)


def calls_on_paper(plan: KernelPlan) -> Iterator[tuple[str, list[length.Call]]]:
    """A plan -> for each size of each group its dtype, and operations and bytes of each implementation."""
    for width in plan.widths:
        for group in _groups(plan, width):
            itemsize = getattr(torch, group.dtype).itemsize
            both = 3 if group.passes == BOTH else 1
            for n in plan.sizes:
                batch, n_heads = sides(plan, n, width)
                operations = both * 4 * batch * n_heads * n * n * width // (2 if group.causal else 1)
                rows = both * 4 * batch * n_heads * n * width * itemsize
                table = batch * n_heads * n * n * itemsize
                math = operations, rows + both * 6 * table, 3 * table
                names = ("tiled", *plan.backends)
                yield group.dtype, [math if name == "math" else (operations, rows, 0) for name in names]


def sides(plan: KernelPlan, n: int, width: int) -> tuple[int, int]:
    """A plan, n, a width d -> how many sequences, and how many heads."""
    return max(1, plan.tokens // n), max(1, plan.d_model // width)


def _groups(plan: KernelPlan, width: int) -> list[Group]:
    return [
        Group(f"d {width}", dtype, passes, causal)
        for dtype in plan.dtypes
        for passes in plan.passes
        for causal in plan.causal
    ]


def _tiled(causal: bool, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return tiled_attention(queries, keys, values, causal=causal)[0]


def _by_torch(causal: bool, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(queries, keys, values, is_causal=causal)

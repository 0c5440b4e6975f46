"""What is measured of attention: by itself, readable against fused, and as a module with its projections.

Sizes: B 1, H 8, d_head 64, so d_model 512. Every group of implementations that belong together is run in
turns, so that each ratio is one of two calls in the same round.
"""

import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)

from helpers.benchmark import devices, length, pages
from helpers.benchmark.findings import slopes_of
from helpers.benchmark.harness import (
    History,
    Limits,
    Outcome,
    Run,
    first_line,
    measure_group,
    paired_ratio,
)
from helpers.benchmark.records import SCHEMA, Case, Ratio, Record
from helpers.benchmark.report import duration
from helpers.datasets import Gpu
from helpers.pytorch.attention import MultiHeadAttention, attention, best_device, causal_mask, fused_attention
from helpers.pytorch.gpu import float32_products
from helpers.pytorch.weights import to_torch

N_HEADS, D_HEAD = 8, 64
D_MODEL = N_HEADS * D_HEAD
FORWARD, BOTH = "forward", "forward and backward"
NO_WEIGHTS = "nn.MultiheadAttention without weights"  # need_weights=False
OVER = Outcome("skipped", "the time for the whole run was used up")
# Each ratio that a record keeps: over, under. Named back ends are set against PyTorch's own choice as well.
RATIOS = {
    "attention": [("readable", "fused")],
    "module": [
        ("ours", "bare"),
        ("ours", "nn.MultiheadAttention"),
        ("ours", NO_WEIGHTS),
        ("nn.MultiheadAttention", "bare"),
        (NO_WEIGHTS, "bare"),
    ],
}
# How many times the readable form writes or reads an n × n array, with nothing kept in a cache.
FULL_MOVES = {FORWARD: 6, BOTH: 15}
CAUSAL_MOVES = {FORWARD: 10, BOTH: 23}
TIMES = (
    "medians of warm calls on the same input: what fits into a cache (a GPU's L2) may still lie there; a "
    "ceiling is the fastest of its rounds, so a share of it is a little too small"
)
FORMULAS = {
    "times": TIMES,
    "operations": "forward: 2 products of 2·H·n²·d each, 4·H·n²·d, and half of that if causal; the backward "
    "pass needs 4 such products, so 3 times as many for both (papers that count the scores twice say 3.5); "
    "a module adds 4 projections, 8·n·d_model², 3 times as many for both passes",
    "moved_bytes": "fused: queries, keys, values and output once each, 4·H·n·d numbers, for both passes "
    "12·H·n·d; readable: the same, and its n × n arrays, each written once and read once by every step: "
    "6·H·n² numbers (causal 10), for both passes 15 (causal 23)",
}


@dataclass(frozen=True)
class Plan:
    """What a run covers, and how long it may take.

    `backends` are measured by name, beside PyTorch's own choice: forward, and `backends_both` in both passes.
    After `seconds`, if given, what is left is skipped: a run on somebody's GPU has an end.
    """

    sizes: Sequence[int]
    module_sizes: Sequence[int]
    dtypes: Sequence[str] = ("float32",)
    passes: Sequence[str] = (FORWARD, BOTH)
    causal: Sequence[bool] = (False, True)
    backends: Sequence[str] = ()
    backends_both: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    matmul_size: int = 2048
    copied_bytes: int = 2**28
    seconds: float | None = None


AnyPlan = TypeVar("AnyPlan", bound=Plan)


class Group(NamedTuple):
    """Implementations that do the same job on the same input, and are run in turns."""

    part: str
    dtype: str
    passes: str
    causal: bool


def plan_for(kind: str, quick: bool = False, capability: tuple[int, int] = (8, 0)) -> Plan:
    """A device's kind, quick or not, what an NVIDIA GPU can do -> what to measure on it.

    A quick plan takes two or three seconds on two free cores, and about 100 MB, so that a lesson can run it.
    A GPU is measured first in the two-byte dtype that it multiplies fast: float16 where bfloat16 is emulated,
    as on a T4.
    """
    doubling = tuple(2**power for power in range(8, 16))  # 256 to 32,768
    two_bytes = devices.two_byte_dtype(kind, capability)
    if quick:
        on_cpu = kind == "cpu"
        return Plan(
            # The readable form up to 768: its next arrays are too large here. A GPU needs more to be busy.
            sizes=(256, 512, 768, 1024) if on_cpu else (1024, 2048, 4096, 8192),
            module_sizes=(256, 512) if on_cpu else (1024, 4096),
            dtypes=("float32",) if on_cpu else (two_bytes,),
            passes=(FORWARD,),
            causal=(False,),
            limits=Limits(
                least_rounds=3,
                most_rounds=15,
                seconds=0.2,
                bytes_a_call=48 * 2**20 if on_cpu else None,
            ),
            matmul_size=768 if on_cpu else 4096,
            copied_bytes=2**24 if on_cpu else 2**28,
        )
    backends = devices.BACKENDS_OF[kind]
    if kind == "cuda":
        return Plan(
            sizes=doubling,
            module_sizes=doubling,
            dtypes=(two_bytes, "float32"),
            backends=backends,
            backends_both=backends,
            limits=Limits(most_rounds=50, seconds=1.0),
            matmul_size=8192,
            copied_bytes=2**31,
            seconds=length.BUDGET,
        )
    limits = Limits(seconds=1.5, seconds_a_call=6.0)
    if pages.are_kept():  # beside the record with fresh pages: what it shows, and no more
        return Plan(doubling[:5], doubling[:5], passes=(FORWARD,), causal=(False,), limits=limits)
    return Plan(sizes=doubling[:6], module_sizes=doubling[:5], backends=backends, limits=limits)


def lesson_plan(device: str | torch.device | None = None) -> Plan:
    """A device (None: the best) -> two sizes, a second or two: what lesson 09 measures on your machine."""
    tools = devices.tools_for(best_device(device))
    plan = plan_for(tools.kind, quick=True, capability=tools.capability())
    few = replace(plan.limits, seconds=0.1, bytes_a_call=None)
    sizes = (256, 1024) if tools.kind == "cpu" else (2048, 8192)
    return replace(plan, sizes=sizes, module_sizes=(), limits=few)


def fit(
    plan: AnyPlan,
    tools: devices.Cpu,
    device: torch.device,
    expected: Callable[[AnyPlan, Gpu], float] | None = None,
) -> tuple[AnyPlan, str]:
    """A plan, a device and its tools -> the plan that will be run, and how long it takes, in a sentence.

    Where a plan has no bound, it is run as it is, and nothing is said. `expected` says how long a plan takes
    on a GPU; None: expected_seconds.
    """
    budget = plan.seconds
    if budget is None:
        return plan, ""
    name = tools.describe()["name"]
    gpu = length.data_sheet(name)
    by = f"computed from the data sheet of the {gpu.name}" if gpu else (
        f"computed from a product and a copy timed just now, as data/gpus.toml has no data sheet of {name}"
    )  # fmt: skip
    plan, seconds = fitted(plan, gpu or timed_sheet(name, plan, tools, device), expected)
    minutes = max(1, round(seconds / 60))
    longest = f"n {plan.sizes[0]:,} to {plan.sizes[-1]:,} in {' and '.join(plan.dtypes)}"
    most = f"after {budget / 60:g} minutes what is left is skipped"
    return plan, f"This takes about {minutes} min ({by}): {longest}; {most}. Ctrl-C keeps what is there."


def timed_sheet(name: str, plan: Plan, tools: devices.Cpu, device: torch.device) -> Gpu:
    """A GPU without a data sheet -> what a product and a copy say of it, in less than a second."""
    size, copied = min(plan.matmul_size, 4096), min(plan.copied_bytes, 2**28)
    rates = {}
    for dtype in plan.dtypes:
        kind = getattr(torch, dtype)
        product, copy = devices.measured_ceilings(device, kind, size, copied, rounds=2, tools=tools)
        rates[dtype] = product["rate"]
    tools.clear()
    slowest, total = length.slowest(), tools.total_bytes()
    return slowest._replace(
        name=name,
        operations=max(rates.values()),
        float32=rates.get("float32", min(rates.values())),
        bytes_a_second=copy["rate"],
        memory_gb=total / 1e9 if total else slowest.memory_gb,
    )


def fitted(
    plan: AnyPlan, gpu: Gpu, expected: Callable[[AnyPlan, Gpu], float] | None = None
) -> tuple[AnyPlan, float]:
    """A plan, a GPU -> the plan cut until it fits into its `seconds`, and the seconds that it will take.

    First each size gets less time, then the longest texts go.
    """
    budget, expected = plan.seconds or math.inf, expected or expected_seconds
    for seconds in (plan.limits.seconds, 0.5, 0.25):
        plan = replace(plan, limits=replace(plan.limits, seconds=min(seconds, plan.limits.seconds)))
        if expected(plan, gpu) <= budget:
            return plan, expected(plan, gpu)
    while expected(plan, gpu) > budget and len(plan.sizes) > 3:
        most = plan.sizes[-2]
        kept = [n for n in plan.module_sizes if n <= most]
        plan = replace(plan, sizes=plan.sizes[:-1], module_sizes=kept)
    return plan, expected(plan, gpu)


def expected_seconds(plan: Plan, gpu: Gpu) -> float:
    """A plan, a GPU -> seconds for the whole run, on paper."""
    return length.seconds_of_all(calls_on_paper(plan), plan.limits, gpu)


def calls_on_paper(plan: Plan) -> Iterator[tuple[str, list[length.Call]]]:
    """A plan -> for each size of each group its dtype, and operations and bytes of each implementation."""
    for group in groups(plan):
        itemsize = getattr(torch, group.dtype).itemsize
        for n in plan.sizes if group.part == "attention" else plan.module_sizes:
            calls: list[length.Call] = []
            for name in names_in(group.part, _backends(plan, group)):
                has_tables = name in ("readable", "fused by math") or "nn." in name
                kind = "readable" if has_tables else "fused"
                moved = moved_bytes(kind, n, group.causal, group.passes, itemsize) or 0
                held = 3 * N_HEADS * n * n * itemsize if has_tables else 0
                calls.append((operations(group.part, n, group.causal, group.passes), moved, held))
            yield group.dtype, calls


def run_attention_benchmark(
    device: str | torch.device | None = None,
    quick: bool = False,
    plan: Plan | None = None,
    say: Callable[[str], object] | None = None,
    threads: int | None = None,
) -> Record:
    """A device's name (None: the best that is here), quick or not -> the record of one run.

    `threads` is how many processor threads torch may use meanwhile; None leaves that as it is. On a busy
    machine one thread gives steadier times than several, which wait for each other.
    `plan` replaces the one that plan_for gives. `say` takes a line for each case; None prints it to stderr.
    On a GPU it says first how long it will take. Stopped by Ctrl-C, it gives what was measured until then,
    with `complete` False.
    Raises ValueError where the device is not here, or cannot be timed.
    """
    device = best_device(device)
    tools = devices.tools_for(device)
    plan = plan_for(tools.kind, quick, tools.capability()) if plan is None else plan
    say = to_stderr if say is None else say
    plan, how_long = fit(plan, tools, device)
    if how_long:
        say(how_long)
    with torch_threads(threads):
        record = empty_record("attention", tools, quick, asdict(plan), FORMULAS)
        try:
            _measure(record, plan, device, tools, say)
            record["complete"] = True
        except KeyboardInterrupt:
            say("stopped: what was measured until here is kept, and marked as incomplete")
    record["slopes"] = slopes_of(record["cases"])
    return record


def _measure(
    record: Record, plan: Plan, device: torch.device, tools: devices.Cpu, say: Callable[[str], object]
) -> None:
    """Fill the record, case by case."""
    end = time.monotonic() + (plan.seconds or float("inf"))
    for dtype in plan.dtypes:
        record["ceilings"] += devices.measured_ceilings(
            device, getattr(torch, dtype), plan.matmul_size, plan.copied_bytes, tools=tools
        )
        tools.clear()
    for group in groups(plan):
        backends = _backends(plan, group)
        past = {name: History() for name in names_in(group.part, backends)}
        for n in plan.sizes if group.part == "attention" else plan.module_sizes:
            runs, why = _runs_or_why(group, n, device, backends, tools, time.monotonic() > end)
            outcomes = why or measure_group(runs, tools, plan.limits, n, past)
            for name, run in runs.items():
                record["cases"].append(case_of(group, n, name, run, outcomes[name]))
                say(f"{n:6} {'causal' if group.causal else 'full  '} {group.dtype:8} {group.passes:20} "
                    f"{name:37} {in_short(outcomes[name])}")  # fmt: skip
            named = [(name, "fused") for name in outcomes if name.startswith("fused by ")]
            record["ratios"] += ratios_of(group, n, outcomes, RATIOS[group.part] + named)
            del runs
            tools.clear()


def _backends(plan: Plan, group: Group) -> Sequence[str]:
    return plan.backends if group.passes == FORWARD else plan.backends_both


def _runs_or_why(
    group: Group, n: int, device: torch.device, backends: Sequence[str], tools: devices.Cpu, is_over: bool
) -> tuple[dict[str, Run], dict[str, Outcome]]:
    """The runs of one size, and no outcomes yet; or runs that are not tried, and why."""
    names = names_in(group.part, backends)
    if is_over:
        outcome = OVER
    else:
        try:
            return runs_of(group, n, device, backends), {}
        except (RuntimeError, MemoryError) as error:
            if not tools.is_out_of_memory(error):
                raise
            outcome = Outcome("out of memory", f"no room for the input: {first_line(error)}")
    work = operations(group.part, n, group.causal, group.passes)
    return {name: Run(lambda: None, operations=work) for name in names}, dict.fromkeys(names, outcome)


def groups(plan: Plan) -> list[Group]:
    """A plan -> its groups, in order."""
    return [
        Group(part, dtype, passes, causal)
        for part in ("attention", "module")
        for dtype in plan.dtypes
        for passes in plan.passes
        for causal in plan.causal
    ]


def names_in(part: str, backends: Sequence[str]) -> list[str]:
    """A part, named back ends -> the implementations that are measured."""
    if part == "attention":
        return ["readable", "fused", *(f"fused by {backend}" for backend in backends)]
    return ["ours", "bare", "nn.MultiheadAttention", NO_WEIGHTS]


def runs_of(group: Group, n: int, device: torch.device, backends: Sequence[str] = ()) -> dict[str, Run]:
    """A group, n, a device -> its implementations, ready to be called, by name.

    Input is made here, and only as large as n: what grows with n² is made in the calls (and for the readable
    form, which needs its mask beforehand, the mask: one byte for each query and key).
    """
    build = _attention_runs if group.part == "attention" else _module_runs
    return build(group, n, device, backends)


def operations(part: str, n: int, causal: bool, passes: str) -> int:
    """A part, n, causal or not, passes -> the operations that it needs on paper, as FORMULAS says."""
    products = 4 * N_HEADS * n * n * D_HEAD // (2 if causal else 1)
    projections = 8 * n * D_MODEL**2 if part == "module" else 0
    return (products + projections) * (3 if passes == BOTH else 1)


def moved_bytes(implementation: str, n: int, causal: bool, passes: str, itemsize: int) -> int | None:
    """An implementation, n, ... -> the bytes that it moves, as FORMULAS says; None where it says none."""
    rows = (12 if passes == BOTH else 4) * N_HEADS * n * D_HEAD
    moves = (CAUSAL_MOVES if causal else FULL_MOVES)[passes]
    if implementation == "readable":
        return (rows + moves * N_HEADS * n * n) * itemsize
    return rows * itemsize if implementation.startswith("fused") and "math" not in implementation else None


def bare_attention(module: MultiHeadAttention, x: Tensor, causal: bool = False) -> Tensor:
    """A module, x (B, n, d_model) -> (B, n, d_model): its projections and PyTorch's function, and no more.

    What the module costs beyond this is what its checks and its readability cost.
    """
    batch, n, _ = x.shape
    projections = module.to_queries, module.to_keys, module.to_values
    heads = [linear(x).view(batch, n, module.n_heads, -1).transpose(1, 2) for linear in projections]
    queries, keys, values = heads
    output = F.scaled_dot_product_attention(queries, keys, values, is_causal=causal)
    return module.to_output(output.transpose(1, 2).reshape(batch, n, -1))


def _attention_runs(group: Group, n: int, device: torch.device, backends: Sequence[str]) -> dict[str, Run]:
    dtype = getattr(torch, group.dtype)
    generator = torch.Generator().manual_seed(n)
    rows = torch.randn(4, 1, N_HEADS, n, D_HEAD, generator=generator).to(device, dtype)
    queries, keys, values, gradient = rows
    mask = causal_mask(n, n, device) if group.causal else None
    learns = queries.detach().requires_grad_(group.passes == BOTH)
    chosen = devices.chosen_backend(learns, group.causal)
    runs = {}
    for name in names_in("attention", backends):
        named = name.removeprefix("fused by ") if name.startswith("fused by ") else None

        def forward(q: Tensor, k: Tensor, v: Tensor, readable: bool = name == "readable") -> Tensor:
            return attention(q, k, v, mask)[0] if readable else fused_attention(q, k, v, causal=group.causal)

        runs[name] = Run(
            call_of(forward, (queries, keys, values), gradient, group.passes),
            around(group.passes, named),
            power=2 if name == "readable" or named == "math" else 1,
            backend=named or (chosen if name == "fused" else None),
            operations=operations("attention", n, group.causal, group.passes),
            moved_bytes=moved_bytes(name, n, group.causal, group.passes, dtype.itemsize),
        )
    return runs


def _module_runs(group: Group, n: int, device: torch.device, backends: Sequence[str]) -> dict[str, Run]:
    dtype = getattr(torch, group.dtype)
    generator = torch.Generator().manual_seed(n)
    x, gradient = torch.randn(2, 1, n, D_MODEL, generator=generator).to(device, dtype)
    ours = MultiHeadAttention(D_MODEL, N_HEADS, device=device, dtype=dtype).eval()
    theirs = to_torch(ours)
    # Their True means "may not", and their is_causal still wants the mask.
    mask = ~causal_mask(n, n, device) if group.causal else None
    causal = group.causal

    def by_theirs(x: Tensor, need_weights: bool) -> Tensor:
        return theirs(x, x, x, need_weights=need_weights, attn_mask=mask, is_causal=causal)[0]

    calls: dict[str, tuple[Callable[..., Tensor], nn.Module, int]] = {
        "ours": (lambda x, *_: ours(x, causal=causal), ours, 1),
        "bare": (lambda x, *_: bare_attention(ours, x, causal), ours, 1),
        "nn.MultiheadAttention": (lambda x, *_: by_theirs(x, True), theirs, 2),
        NO_WEIGHTS: (lambda x, *_: by_theirs(x, False), theirs, 2),
    }
    return {
        name: Run(
            call_of(forward, (x, *module.parameters()), gradient, group.passes),
            around(group.passes),
            power=power,
            operations=operations("module", n, causal, group.passes),
        )
        for name, (forward, module, power) in calls.items()
    }


def call_of(
    forward: Callable[..., Tensor], inputs: Sequence[Tensor], gradient: Tensor, passes: str
) -> Callable[[], object]:
    """A forward pass, its inputs, the gradient of its output -> the call that is timed."""
    if passes == FORWARD:
        return lambda: forward(*inputs)
    wanted = [
        each.detach().requires_grad_() if not isinstance(each, nn.Parameter) else each for each in inputs
    ]
    return lambda: torch.autograd.grad(forward(*wanted), wanted, gradient)


def around(passes: str, backend: str | None = None) -> Callable[[], AbstractContextManager[object]]:
    """Passes, a back end's name or None -> what is set up before the clock starts.

    No gradients are prepared where none is asked for.
    """

    @contextmanager
    def settings() -> Iterator[None]:
        with ExitStack() as stack:
            stack.enter_context(torch.inference_mode() if passes == FORWARD else nullcontext())
            stack.enter_context(devices.only_backend(backend) if backend else nullcontext())
            yield

    return settings


@contextmanager
def torch_threads(wanted: int | None) -> Iterator[None]:
    """How many threads torch may use inside (None: as it does); afterwards they are as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(before if wanted is None else wanted)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def case_of(group: Group, n: int, name: str, run: Run, outcome: Outcome) -> Case:
    """A group, n, a run and what came of it -> the case for the record."""
    return {
        **group._asdict(),  # type: ignore[typeddict-item]
        "implementation": name,
        "backend": run.backend,
        "n": n,
        "status": outcome.status,
        "reason": outcome.reason,
        "seconds": outcome.seconds(),
        "peak_bytes": outcome.peak_bytes,
        "operations": run.operations,
        "moved_bytes": run.moved_bytes,
    }


def ratios_of(
    group: Group, n: int, outcomes: Mapping[str, Outcome], pairs: Sequence[tuple[str, str]]
) -> list[Ratio]:
    """A group, n, {name: outcome}, (over, under) pairs -> ratios of those measured in the same rounds."""
    found = []
    for over, under in pairs:
        samples = outcomes[over].samples, outcomes[under].samples
        if samples[0] and len(samples[0]) == len(samples[1]):
            pair = {"over": over, "under": under, "n": n, "rounds": len(samples[0])}
            found.append({**group._asdict(), **pair, **paired_ratio(*samples)})
    return found  # type: ignore[return-value]


def empty_record(
    suite: str, tools: devices.Cpu, quick: bool, plan: Mapping[str, Any], formulas: dict[str, str]
) -> Record:
    """A suite, a device's tools, what was asked for, formulas in words -> a record without measurements."""
    commit, changed = devices.git_state()
    return {
        "schema": SCHEMA,
        "suite": suite,
        "complete": False,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "tree_changed": changed,
        "device": tools.describe(),
        "threads": torch.get_num_threads(),
        "versions": devices.versions(),
        "arguments": {
            "kept_pages": pages.are_kept(),
            "clocks": tools.clocks(),
            "instructions": devices.instructions(),
            "device": tools.kind,
            "quick": quick,
            **json.loads(json.dumps(plan)),  # as it will be read: lists, no tuples
            "float32_products": float32_products(),
        },
        "formulas": formulas,
        "ceilings": [],
        "cases": [],
        "ratios": [],
        "slopes": [],
    }


def in_short(outcome: Outcome) -> str:
    """What came of a run -> its median time, or why there is none."""
    seconds = outcome.seconds()
    if seconds is None:
        return f"{outcome.status}: {outcome.reason}"
    return duration(seconds["median"])


def to_stderr(line: str) -> None:
    """A line -> printed where it does not mix with the results."""
    print(line, file=sys.stderr, flush=True)

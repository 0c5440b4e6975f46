"""Our kernels, compiled for GPUs that need not be here: what helpers.benchmark.compile_report tells of.

Triton brings NVIDIA's own compiler, ptxas. Each kernel is compiled with the arguments that tiled_attention
would launch it with, on tensors that hold no numbers. `serialised` first takes one keyword out of the source.

As a command: python -m helpers.benchmark.compiling prints the report for an H100; --store writes the one that
ships with the course.
"""

import argparse
import contextlib
import importlib.util
import inspect
import io
import itertools
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from helpers.benchmark.compile_report import (
    GPUS,
    KEYWORD,
    NOTHING_TO_COMPILE_WITH,
    STORED,
    Compiled,
    print_report,
)
from helpers.benchmark.records import store_file
from helpers.pytorch import kernel_programs, kernels
from helpers.pytorch.kernel_tiles import KERNELS, Tiles
from helpers.pytorch.kernels import Launch
from helpers.pytorch.with_triton import MISSING, interprets, triton

PRODUCTS = ("tcgen05.mma", "wgmma.mma_async", "mma.sync")  # of the tensor cores, the newest first


def compile_report(
    capabilities: Sequence[int] = (80, 90, 100),
    widths: Sequence[int] = (64, 128),
    causal: Sequence[bool] = (True,),
    dtype: torch.dtype = torch.bfloat16,
    names: Sequence[str] = KERNELS,
    *,
    serialised: bool = False,
    tiles: Tiles | None = None,
) -> list[Compiled]:
    """GPUs by compute capability (90 for 9.0), widths d, full or causal -> what ptxas says of each kernel.

    One to two seconds for each kernel; no GPU is needed. `names` are some of KERNELS. With `serialised` one
    keyword is taken out of their loops first. `tiles` are taken instead of those of default_tiles.
    Raises ImportError where Triton is missing, RuntimeError where it interprets in this Python.
    """
    require_compiler()
    with serialised_programs() if serialised else contextlib.nullcontext(kernel_programs) as programs:
        return [
            compiled(launch, getattr(programs, launch.kernel.__name__), capability, dtype)
            for capability, d, is_causal in itertools.product(capabilities, widths, causal)
            for launch in _launches(capability, d, is_causal, dtype, tiles)
            if launch.kernel.__name__.removesuffix("_kernel") in names
        ]


def store_report() -> None:
    """() -> None: compiles for three GPUs, and stores the report with the data that ships."""
    found = {"without": compile_report(serialised=True), "with": compile_report()}
    lines = {
        when: ",\n".join(json.dumps(line._asdict(), ensure_ascii=False) for line in report)
        for when, report in found.items()
    }
    text = ",\n".join(f'"{when}": [\n{each}\n]' for when, each in lines.items())
    content = f'{{"triton": "{triton.__version__}",\n{text}}}\n'.encode()
    store_file(
        STORED,
        content,
        {
            "what": "What NVIDIA's compiler makes of the course's kernels for an A100, an H100 and a B200: "
            "registers, spills, shared memory, instructions for the tensor cores, warnings; with and without "
            "one keyword.",
            "source": f"Compiled for this course by Triton {triton.__version__} and its ptxas; no GPU ran.",
            "licence": "CC-BY-4.0",
            "made_by": "python -m helpers.benchmark.compiling --store",
        },
    )


def require_compiler() -> None:
    """Raise unless Triton compiles here: ImportError if it is missing, RuntimeError if it interprets."""
    if MISSING:
        raise ImportError(MISSING)
    if interprets():
        raise RuntimeError(
            "Triton interprets in this Python and compiles nothing: start one without TRITON_INTERPRET"
        )


def compiled(launch: Launch, kernel: Any, capability: int, dtype: torch.dtype) -> Compiled:
    """A launch, its kernel or a variant of it, a compute capability -> what ptxas says of it."""
    log = io.StringIO()
    driver, knobs = triton.runtime.driver, triton.knobs
    active = driver._active  # asking for `active` would look for a GPU
    driver.set_active(_Absent(capability))
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            knobs.nvidia.scope(),
            knobs.cache.scope(),
            contextlib.redirect_stdout(log),
        ):
            knobs.nvidia.dump_ptxas_log = True
            knobs.cache.dir = folder  # what Triton kept from before would come without a log
            kernel.device_caches.pop(-capability, None)
            program = kernel.warmup(*launch.arguments, grid=launch.grid, **launch.constants)
    finally:
        driver.set_active(active)
    constants, ptx = launch.constants, program.asm["ptx"]
    sides = [constants[name] for name in ("tile_queries", "tile_keys", "num_warps", "num_stages")]
    product = next((name for name in PRODUCTS if name in ptx), "")
    return Compiled(
        gpu=GPUS[capability][0],
        capability=capability,
        kernel=launch.kernel.__name__.removesuffix("_kernel"),
        d=constants["d_k"],
        causal=constants["causal"],
        dtype=str(dtype).removeprefix("torch."),
        tiles=sides,
        shared=program.metadata.shared,
        product=product,
        products=ptx.count(f"{product}.") if product else 0,
        prefetches=ptx.count("cp.async.c"),
        **_said(log.getvalue()),
    )


@contextlib.contextmanager
def serialised_programs() -> Iterator[ModuleType]:
    """-> the module of the kernels as it is without the keyword. Triton reads their source from its file."""
    source = inspect.getsource(kernel_programs)
    flat = re.sub(rf",\s+{re.escape(KEYWORD)},?\s*", "", source)
    if KEYWORD in flat or flat == source:
        raise LookupError(f"no loop of helpers.pytorch.kernel_programs has {KEYWORD!r} to take out")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "serialised_programs.py"
        path.write_text(flat, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


class _Absent:
    """What Triton asks the driver of a GPU before it compiles, answered for one that is not here."""

    def __init__(self, capability: int) -> None:
        self.capability = capability

    def get_current_target(self) -> Any:
        """() -> what to compile for."""
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.capability, 32)

    def get_current_device(self) -> int:
        """() -> under which number Triton keeps what it has compiled."""
        return -self.capability

    def get_current_stream(self, device: int) -> int:
        """A device -> its queue: nothing will run in it."""
        return 0


def _launches(capability: int, d: int, causal: bool, dtype: torch.dtype, tiles: Tiles | None) -> list[Launch]:
    """-> what a GPU of this capability would run, on tensors that hold no numbers."""
    rows = torch.empty(2, 4, 1000, d, dtype=dtype, device="meta")
    return kernels.launches(
        rows, rows, rows, divmod(capability, 10), causal=causal, tiles=tiles, backward_tiles=tiles
    )


def _said(log: str) -> dict[str, Any]:
    """What ptxas printed -> registers, bytes spilled, warnings."""
    (registers,) = re.findall(r"Used (\d+) registers", log)
    spills = re.findall(r"(\d+) bytes spill (?:stores|loads)", log)
    warnings = re.findall(
        r"(?:Potential Performance Loss|warning *): (.*?)(?: in (?:the )?function .*)?$", log, re.M
    )
    return {"registers": int(registers), "spilled": sum(map(int, spills)), "warnings": warnings}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command's arguments -> its exit status: 0, or 3 where nothing can be compiled here."""
    parser = argparse.ArgumentParser(prog="python -m helpers.benchmark.compiling", description=__doc__)
    parser.add_argument("capability", nargs="?", type=int, default=90, choices=sorted(GPUS))
    parser.add_argument("d", nargs="?", type=int, default=64, choices=kernels.WIDTHS)
    parser.add_argument("--serialised", action="store_true", help="without the keyword")
    parser.add_argument("--json", action="store_true", help="print data, no table")
    parser.add_argument("--store", action="store_true", help="write the report that ships with the course")
    told = parser.parse_args(arguments)
    try:
        require_compiler()
    except (ImportError, RuntimeError) as nothing:
        print(f"Nothing to compile with: {nothing}.")
        return NOTHING_TO_COMPILE_WITH
    if told.store:
        store_report()
        return 0
    report = compile_report((told.capability,), (told.d,), serialised=told.serialised)
    if told.json:
        print(json.dumps([line._asdict() for line in report]))
    else:
        print_report(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())

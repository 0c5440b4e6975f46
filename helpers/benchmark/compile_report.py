"""What does the compiler make of our kernels? The report, as data and as a table (lesson 13).

NVIDIA's compiler, ptxas, says how many registers a thread takes, how much did not fit into them (spilled),
and where the tensor cores will have to wait. `stored_report` is what it said when the course was written, of
the kernels without one keyword and with it. `compiled_here` asks it now, in a Python of its own: it needs
Triton, which brings ptxas, and no GPU. Nothing here loads Triton or PyTorch; helpers.benchmark.compiling
does.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from helpers import datasets

STORED = "records/compiler/kernels.json"
# One keyword, in every loop over tiles of helpers.pytorch.kernel_programs. Without it all of them prefetch.
KEYWORD = "num_stages=1 if masked else None"
# A compute capability -> a GPU that has it, and the KiB of shared memory that each of its processors has.
GPUS = {
    75: ("T4", 64),
    80: ("A100", 164),
    86: ("RTX 3090", 100),
    89: ("RTX 4090", 100),
    90: ("H100", 228),
    100: ("B200", 228),
    120: ("RTX 5090", 100),
}
REGISTERS = 65536  # that a processor has
NOTHING_TO_COMPILE_WITH = 3  # the exit status of helpers.benchmark.compiling
TITLES = (f"Without `{KEYWORD}`", f"With `{KEYWORD}`")


class Compiled(NamedTuple):
    """What the compiler made of one kernel.

    `registers` are those of a thread, of 255. `spilled` bytes a thread did not fit into them, stored and
    loaded. `shared` bytes hold the tiles of a program. `product` is the instruction for the tensor cores that
    stands `products` times in the program, "" where there is none. `prefetches` counts loads that nobody
    waits for.
    """

    gpu: str
    capability: int
    kernel: str
    d: int
    causal: bool
    dtype: str
    tiles: list[int]
    registers: int
    spilled: int
    shared: int
    product: str
    products: int
    prefetches: int
    warnings: list[str]

    def programs_at_once(self) -> int:
        """() -> how many programs fit into one processor of this GPU, by registers and shared memory."""
        threads = 32 * self.tiles[2]
        by_registers = REGISTERS // (-(-self.registers // 8) * 8 * threads)
        return min(by_registers, GPUS[self.capability][1] * 1024 // (self.shared + 1024))


def print_report(report: Sequence[Compiled]) -> None:
    """A report -> None: prints it, a line for each kernel, and below it each warning once."""
    head = f"{'GPU':9}{'kernel':13}{'d':>4} {'':7}{'tile':>8}{'registers':>10}{'spilled':>8}{'shared':>9}"
    print(f"{head}  tensor cores")
    notes: list[str] = []
    for line in report:
        marks = ""
        for warning in line.warnings:
            notes += [warning] if warning not in notes else []
            marks += f" [{notes.index(warning) + 1}]"
        tile = f"{line.tiles[0]}×{line.tiles[1]}"
        product = f"{line.products} × {line.product}" if line.product else "not used"
        print(
            f"{line.gpu:9}{line.kernel:13}{line.d:4} {'causal' if line.causal else 'full':7}{tile:>8}"
            f"{line.registers:10}{line.spilled:6} B{line.shared / 1024:5.0f} KiB  {product}{marks}"
        )
    for number, note in enumerate(notes, start=1):
        print(f"[{number}] {note}")


def stored_report() -> tuple[list[Compiled], list[Compiled]]:
    """() -> the report that ships with the course: without the keyword, and with it.

    Raises DataFileError where the file is missing or was altered.
    """
    stored = json.loads(datasets.read_bytes(STORED))
    return from_json(stored["without"]), from_json(stored["with"])


def compiled_here(capability: int = 90, d: int = 64, serialised: bool = False) -> list[Compiled] | None:
    """A GPU by its compute capability (90 for 9.0), a width d -> what ptxas says now, of the causal kernels.

    With `serialised` the keyword is taken out first. Where Triton is missing a line says so, and the result
    is None. Raises RuntimeError where compiling fails.
    """
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command = [sys.executable, "-m", "helpers.benchmark.compiling", "--json", str(capability), str(d)]
    command += ["--serialised"] if serialised else []
    folder = datasets.HERE.parent  # where `helpers` lies, whatever folder this Python runs in
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment, cwd=folder, check=False
    )
    if done.returncode == NOTHING_TO_COMPILE_WITH:
        print(done.stdout.strip())
        return None
    if done.returncode:
        raise RuntimeError(f"compiling ended with {done.returncode}:\n{done.stderr}")
    return from_json(json.loads(done.stdout))


def from_json(lines: list[dict[str, object]]) -> list[Compiled]:
    """Lines of a report as JSON has them -> the report."""
    return [Compiled(**line) for line in lines]  # type: ignore[arg-type]

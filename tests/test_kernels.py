"""helpers.pytorch.kernels: every check of kernel_checks.py in Triton's interpreter, and on a GPU where there
is one; what is said where Triton cannot run; and that they compile, which the interpreter does not try.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from helpers.pytorch import kernels
from helpers.pytorch.kernels import DTYPES, WIDTHS, default_tiles, tiled_attention, why_not

ROOT = Path(__file__).resolve().parent.parent
SHARED_MEMORY = 99 * 1024  # bytes for one program on the smallest GPUs that Triton supports

needs_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None,
    reason="Triton is not installed: it has wheels for Linux, none for macOS and Windows",
)
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU with CUDA is here")


def run(*arguments: str, interpreted: bool) -> subprocess.CompletedProcess[str]:
    """Arguments for a fresh Python, with Triton's interpreter or without it -> what it said."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TRITON_INTERPRET": "1"} if interpreted else {}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} if interpreted else {}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=1000, check=False
    )


def run_checks(interpreted: bool) -> int:
    """Whether to interpret -> how many checks passed. Fails with pytest's own report where one does not."""
    options = ["-q", "--no-header", "-p", "no:cacheprovider", "-o", "addopts=--color=no --strict-markers"]
    done = run("-m", "pytest", *options, "tests/kernel_checks.py", interpreted=interpreted)
    if done.returncode:
        pytest.fail(done.stdout[-8000:] + done.stderr[-2000:], pytrace=False)
    (passed,) = re.findall(r"(\d+) passed", done.stdout.splitlines()[-1])
    return int(passed)


@needs_triton
def test_the_kernels_in_the_interpreter() -> None:
    assert run_checks(interpreted=True) > 74  # 75 that run, of 83 on a GPU too


@needs_triton
@needs_gpu
def test_the_kernels_on_the_gpu() -> None:
    assert run_checks(interpreted=False) > 100


@needs_triton
@pytest.mark.skipif("TRITON_INTERPRET" in os.environ, reason="Triton interprets in this Python")
def test_without_a_gpu_the_way_to_the_interpreter_is_named() -> None:
    rows = torch.ones(3, 16)
    with pytest.raises(ValueError, match=r"TRITON_INTERPRET=1 before anything imports Triton"):
        tiled_attention(rows, rows, rows)
    assert why_not("cuda") == ""
    assert "got mps" in why_not("mps")


@needs_triton
def test_a_change_of_mind_after_the_import_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    # Triton's own functions are compiled then, and those of the course are not.
    monkeypatch.setattr(kernels, "is_interpreted", lambda function: function is kernels.forward_kernel)
    assert "start Python again" in why_not("cpu")


def test_where_triton_is_missing_the_module_can_be_imported_and_says_why() -> None:
    code = """
import sys
sys.modules["triton"] = None  # as where it has no wheel
import torch
from helpers.pytorch.kernels import default_tiles, tiled_attention, why_not
for device in ("cpu", "cuda"):
    assert "wheels for Linux, and none for macOS and Windows" in why_not(device), why_not(device)
rows = torch.ones(3, 16)
try:
    tiled_attention(rows, rows, rows)
except ImportError as error:
    assert str(error) == why_not("cpu")
    print("said why")
"""
    done = run("-W", "error", "-c", code, interpreted=False)
    assert (done.returncode, done.stdout) == (0, "said why\n"), done.stderr


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_chosen_tiles_have_sides_that_triton_takes(dtype: torch.dtype, backward: bool) -> None:
    for width in WIDTHS:
        tiles = default_tiles(dtype, width, backward=backward)
        assert all(side >= 16 and side.bit_count() == 1 for side in (tiles.queries, tiles.keys))
        assert tiles.warps in (4, 8)


class Compiled:
    """Stands in for a kernel: compiles it for a GPU that need not be here, and does not run it."""

    def __init__(self, kernel: Any, programs: list[Any]) -> None:
        self.kernel, self.programs = kernel, programs

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        def compile_only(*arguments: Any, **options: Any) -> None:
            self.programs.append(self.kernel.warmup(*arguments, grid=grid, **options))

        return compile_only


class Driver:
    """What Triton asks a GPU's driver before it compiles."""

    def __init__(self, capability: int) -> None:
        self.capability = capability

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.capability, 32)

    def get_current_device(self) -> int:
        return self.capability  # Triton keeps what it has compiled for each device

    def get_current_stream(self, device: int) -> int:
        return 0


@needs_triton
@pytest.mark.skipif("TRITON_INTERPRET" in os.environ, reason="Triton interprets in this Python")
@pytest.mark.parametrize(
    ("capability", "dtype", "n_queries", "product"),
    [
        (90, torch.bfloat16, 100, "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16"),
        (86, torch.float16, 1, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
    ],
    ids=["Hopper", "a consumer's card"],
)
def test_the_kernels_compile(
    capability: int,
    dtype: torch.dtype,
    n_queries: int,
    product: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """To machine code that fits into the GPU and multiplies with its fast units, forward and backward."""
    programs: list[Any] = []
    for name in ("forward_kernel", "grad_queries_kernel", "grad_keys_kernel"):
        monkeypatch.setattr(kernels, name, Compiled(getattr(kernels, name), programs))
    monkeypatch.setattr(kernels, "why_not", lambda device: "")
    monkeypatch.setattr(kernels, "is_interpreted", lambda function: False)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    inputs = [torch.zeros(2, n, 128, dtype=dtype, requires_grad=True) for n in (n_queries, 120, 120)]
    monkeypatch.setattr(kernels.triton.runtime.driver, "_active", Driver(capability))
    output, _ = tiled_attention(*inputs, causal=True)
    output.sum().backward()
    assert len(programs) == 3
    for program in programs:
        assert program.metadata.shared <= SHARED_MEMORY
        assert product in program.asm["ptx"]
        assert program.asm["cubin"]
    assert "ex2.approx" in programs[0].asm["ptx"]

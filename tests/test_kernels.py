"""helpers.pytorch.kernels: every check of kernel_checks.py and kernel_more_checks.py in Triton's interpreter,
and on a GPU where there is one; what is said where Triton cannot run. (test_kernels_compiled.py compiles.)
"""

import importlib.util
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from helpers.pytorch import gpu, with_triton
from helpers.pytorch.kernel_tiles import KERNELS, default_tiles
from helpers.pytorch.kernels import DTYPES, WIDTHS, tiled_attention, why_not

ROOT = Path(__file__).resolve().parent.parent

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
    files = "tests/kernel_checks.py", "tests/kernel_more_checks.py"
    done = run("-m", "pytest", *options, *files, interpreted=interpreted)
    if done.returncode:
        pytest.fail(done.stdout[-8000:] + done.stderr[-2000:], pytrace=False)
    (passed,) = re.findall(r"(\d+) passed", done.stdout.splitlines()[-1])
    return int(passed)


@needs_triton
def test_the_kernels_in_the_interpreter() -> None:
    assert run_checks(interpreted=True) > 105  # those that need no GPU


@needs_triton
@needs_gpu
def test_the_kernels_on_the_gpu() -> None:
    assert run_checks(interpreted=False) > 130


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
    # Triton's own functions are compiled then, and those of the course are not; or the other way round.
    monkeypatch.setattr(with_triton, "interprets", lambda: "TRITON_INTERPRET" not in os.environ)
    assert "start Python again" in why_not("cpu")


def pretend_gpu(monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int]) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: capability)


@needs_triton
@pytest.mark.skipif("TRITON_INTERPRET" in os.environ, reason="Triton interprets in this Python")
def test_a_gpu_whose_tensor_cores_triton_does_not_use_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pretend_gpu(monkeypatch, (7, 5))
    reason = why_not("cuda")
    assert "\n" not in reason
    assert "capability 8.0 or more; this one has 7.5" in reason
    assert "without tensor cores" in reason
    assert "F.scaled_dot_product_attention, in float16" in reason
    for capability in ((8, 0), (8, 9), (9, 0), (12, 0)):
        pretend_gpu(monkeypatch, capability)
        assert why_not("cuda") == ""


def test_the_fast_dtype_of_two_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gpu.half_dtype("cpu") == torch.bfloat16
    pretend_gpu(monkeypatch, (7, 5))  # a T4
    assert gpu.half_dtype("cuda") == torch.float16
    pretend_gpu(monkeypatch, (8, 0))
    assert gpu.half_dtype("cuda") == torch.bfloat16


def test_tf32_is_known_whichever_way_it_was_asked_for() -> None:
    matmul: Any = torch.backends.cuda.matmul
    assert gpu.float32_products() == "ieee"
    torch.set_float32_matmul_precision("high")
    try:
        assert gpu.float32_products() == "tf32"
    finally:
        torch.set_float32_matmul_precision("highest")
    assert gpu.float32_products() == "ieee"
    if not hasattr(matmul, "fp32_precision"):
        pytest.skip("this PyTorch has only the older way")
    everywhere: Any = torch.backends
    for settings in (matmul, everywhere):
        settings.fp32_precision = "tf32"
        try:
            assert gpu.float32_products() == "tf32"
        finally:
            settings.fp32_precision = "none"
        assert gpu.float32_products() == "ieee"


def test_where_triton_is_missing_the_module_can_be_imported_and_says_why() -> None:
    code = """
import sys
sys.modules["triton"] = None  # as where it has no wheel
import torch
from helpers.pytorch.kernels import default_tiles, tiled_attention, why_not
for device in ("cpu", "cuda"):
    assert "official packages for Linux, none for macOS and Windows" in why_not(device), why_not(device)
rows = torch.ones(3, 16)
try:
    tiled_attention(rows, rows, rows)
except ImportError as error:
    assert str(error) == why_not("cpu")
    print("said why")
"""
    done = run("-W", "error", "-c", code, interpreted=False)
    assert (done.returncode, done.stdout) == (0, "said why\n"), done.stderr


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_chosen_tiles_have_sides_that_triton_takes(dtype: torch.dtype, kernel: str) -> None:
    for width, capability, n_queries in itertools.product(WIDTHS, (None, (8, 6), (9, 0)), (None, 1, 17, 500)):
        tiles = default_tiles(dtype, width, kernel, capability, n_queries)
        assert all(side >= 16 and side.bit_count() == 1 for side in (tiles.queries, tiles.keys))
        assert tiles.warps in (4, 8)
        if kernel == "forward" and n_queries and n_queries < 20:
            assert tiles.queries == (16 if n_queries == 1 else 32)

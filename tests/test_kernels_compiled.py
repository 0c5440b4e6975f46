"""The kernels of helpers.pytorch, compiled for GPUs that need not be here by Triton's own ptxas: what the
interpreter cannot see. A kernel costs one to two seconds of processor time.
"""

import ast
import importlib.util
import inspect
import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout

import pytest
import torch

from helpers import datasets
from helpers.benchmark import compile_report as shown
from helpers.benchmark import compiling
from helpers.benchmark.compile_report import (
    GPUS,
    STORED,
    Compiled,
    compiled_here,
    print_report,
    stored_report,
)
from helpers.pytorch import kernel_programs
from helpers.pytorch.kernel_tiles import Tiles, most_shared_bytes

# Triton 3.7 makes nodes of Python's syntax trees with a field missing, of which Python 3.13 warns.
pytestmark = pytest.mark.filterwarnings("ignore:AnnAssign.__init__ missing 1 required:DeprecationWarning")

needs_compiler = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None or "TRITON_INTERPRET" in os.environ,
    reason="Triton is not installed, or it interprets in this Python and compiles nothing",
)
PROGRAMS = ast.parse(inspect.getsource(kernel_programs))
MOST_REGISTERS, MOST_SPILLED = 255, 64
# A GPU's compute capability -> its instruction for the tensor cores.
PRODUCTS = {80: "mma.sync", 90: "wgmma.mma_async", 100: "tcgen05.mma"}


@needs_compiler
@pytest.mark.parametrize(
    ("capability", "dtype", "causal"),
    [
        (80, torch.float16, True),
        (90, torch.bfloat16, True),
        (90, torch.float16, False),
        (100, torch.bfloat16, True),
    ],
    ids=lambda value: str(value).removeprefix("torch."),
)
def test_what_the_compiler_says(capability: int, dtype: torch.dtype, causal: bool) -> None:
    report = compiling.compile_report((capability,), (64, 128), (causal,), dtype)
    assert [(line.d, line.kernel) for line in report] == [
        (d, kernel) for d in (64, 128) for kernel in ("forward", "grad_queries", "grad_keys")
    ]
    for line in report:
        where = f"{line.gpu} {line.kernel} d {line.d}: {line}"
        assert line.warnings == [], where
        assert 0 < line.registers <= MOST_REGISTERS, where
        assert line.spilled <= MOST_SPILLED, where
        assert 0 < line.shared <= most_shared_bytes(divmod(capability, 10)), where
        assert line.product == PRODUCTS[capability], where
        assert line.products >= 8, where
        assert line.prefetches >= 8, where  # the next tiles are on their way while this one is computed
        assert line.programs_at_once() >= 1, where


@needs_compiler
def test_without_the_keyword_the_compiler_complains() -> None:
    names = ("grad_queries",)
    (without,) = compiling.compile_report((90,), (64,), (True,), names=names, serialised=True)
    assert len(without.warnings) == 1
    assert "wgmma.mma_async instructions are serialized" in without.warnings[0]


def masked_loops(kernel: str) -> list[ast.For]:
    """A kernel's name -> its loops over tiles that are run a second time for tiles with a mask."""
    functions = [node for node in PROGRAMS.body if isinstance(node, ast.FunctionDef)]
    (function,) = [node for node in functions if node.name == f"{kernel}_kernel"]
    twice = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.For) and ast.unparse(node.target) == "masked"
    ]
    return [loop for outer in twice for loop in outer.body if isinstance(loop, ast.For)]


@pytest.mark.parametrize("kernel", compiling.KERNELS)
def test_every_masked_loop_has_the_keyword(kernel: str) -> None:
    """ptxas complains of only one of the kernels without it; a GPU may lose by it in all of them."""
    loops = masked_loops(kernel)
    assert loops, f"{kernel}: no loop over tiles with a mask was found"
    for loop in loops:
        assert isinstance(loop.iter, ast.Call)
        keywords = [f"{word.arg}={ast.unparse(word.value)}" for word in loop.iter.keywords]
        assert keywords == [compiling.KEYWORD], f"{kernel}, line {loop.lineno} of kernel_programs.py"


@needs_compiler
@pytest.mark.parametrize("capability", [80, 90])
def test_one_query_with_a_long_cache_compiles(capability: int) -> None:
    queries = torch.empty(1, 8, 1, 128, dtype=torch.float16, device="meta")
    keys = torch.empty(1, 8, 5000, 128, dtype=torch.float16, device="meta")
    launch, *_ = compiling.kernels.launches(queries, keys, keys, divmod(capability, 10))
    line = compiling.compiled(launch, launch.kernel, capability, torch.float16)
    assert line.tiles[0] == 16
    assert line.spilled == 0
    assert line.product == "mma.sync"  # those of an H100 take 64 rows, and would wait for memory all the same


@needs_compiler
def test_a_window_and_groups_compile() -> None:
    queries = torch.empty(1, 8, 1000, 64, dtype=torch.float16, device="meta")
    keys = torch.empty(1, 2, 1000, 64, dtype=torch.float16, device="meta")
    for launch in compiling.kernels.launches(queries, keys, keys, (9, 0), window=300):
        line = compiling.compiled(launch, launch.kernel, 90, torch.float16)
        assert line.warnings == []
        assert line.spilled <= MOST_SPILLED
        assert line.product == PRODUCTS[90]


@needs_compiler
def test_on_a_t4_no_tensor_core_would_be_used() -> None:
    tiles = Tiles(32, 32)  # with those of an A100 it takes ten times as long to compile, and spills 10 KiB
    (line,) = compiling.compile_report((75,), (64,), (True,), torch.float16, ("forward",), tiles=tiles)
    assert line.product == ""


def test_the_stored_report_says_what_the_lesson_tells() -> None:
    without, with_it = stored_report()
    cells = {(line.gpu, line.kernel, line.d) for line in without}
    assert cells == {
        (gpu, kernel, d)
        for gpu in ("A100", "H100", "B200")
        for kernel in compiling.KERNELS
        for d in (64, 128)
    }
    assert [(line.gpu, line.kernel, line.d) for line in with_it] == [
        (line.gpu, line.kernel, line.d) for line in without
    ]
    serialised = {line.gpu for line in without for warning in line.warnings if "serialized" in warning}
    assert serialised == {"H100"}
    for line in with_it:
        assert line.warnings == []
        assert line.spilled <= MOST_SPILLED
        assert line.product == PRODUCTS[line.capability]
    assert sum(line.spilled for line in with_it) < sum(line.spilled for line in without)


@needs_compiler
def test_the_stored_report_is_what_this_triton_says() -> None:
    """One kernel, compiled anew: the report was made from these kernels."""
    stored = json.loads(datasets.read_bytes(STORED))
    if stored["triton"] != compiling.triton.__version__:
        pytest.skip(f"the report was made by Triton {stored['triton']}")
    (found,) = compiling.compile_report((90,), (64,), (True,), names=("grad_keys",))
    _, with_it = stored_report()
    assert found in with_it


LINE = Compiled(
    "H100",
    90,
    "forward",
    64,
    True,
    "bfloat16",
    [128, 64, 8, 3],
    128,
    12,
    65536,
    "wgmma.mma_async",
    16,
    18,
    [],
)


def printed(*report: Compiled) -> list[str]:
    said = io.StringIO()
    with redirect_stdout(said):
        print_report(report)
    return said.getvalue().splitlines()


def test_a_report_is_a_small_table_with_each_warning_once() -> None:
    slow = LINE._replace(kernel="grad_keys", warnings=["products are serialized"])
    lines = printed(LINE, slow, slow._replace(product="", products=0))
    assert len(lines) == 5
    assert re.split(r"  +", lines[1]) == [
        "H100", "forward", "64 causal", "128×64", "128", "12 B", "64 KiB", "16 × wgmma.mma_async",
    ]  # fmt: skip
    assert lines[2].endswith("wgmma.mma_async [1]")
    assert lines[3].endswith("not used [1]")
    assert lines[4] == "[1] products are serialized"
    assert max(map(len, lines)) <= 100


def test_programs_at_once_by_hand() -> None:
    assert LINE.programs_at_once() == 2  # 128 registers × 256 threads: half of 65,536
    assert LINE._replace(registers=129).programs_at_once() == 1
    assert LINE._replace(registers=32).programs_at_once() == 3  # 64 KiB and 1 for the system, of 228
    assert LINE._replace(capability=86, registers=32).programs_at_once() == 1


def test_where_triton_is_missing_a_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = "import sys; sys.modules['triton'] = None; "
    program = "from helpers.benchmark import compiling; sys.exit(compiling.main(['--json']))"

    def without_triton(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        return real([command[0], "-c", hidden + program], **options)  # type: ignore[call-overload]

    real = subprocess.run
    monkeypatch.setattr(shown.subprocess, "run", without_triton)
    assert compiled_here() is None
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("Nothing to compile with: Triton cannot be imported")


def test_a_failure_of_the_compiler_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "ptxas died")
    monkeypatch.setattr(shown.subprocess, "run", lambda command, **options: failed)
    with pytest.raises(RuntimeError, match="ended with 1:\nptxas died"):
        compiled_here()


def test_a_report_comes_back_from_a_new_python_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = subprocess.CompletedProcess([], 0, json.dumps([LINE._asdict()]), "")
    commands = []

    def answer(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return answered

    monkeypatch.setattr(shown.subprocess, "run", answer)
    assert compiled_here(80, 128, serialised=True) == [LINE]
    assert commands == [
        [sys.executable, "-m", "helpers.benchmark.compiling", "--json", "80", "128", "--serialised"]
    ]


def test_the_report_loads_neither_triton_nor_torch() -> None:
    program = (
        "import sys; from helpers.benchmark.compile_report import stored_report; stored_report(); "
        "assert not {'torch', 'triton'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


@needs_compiler
def test_the_keyword_must_be_there_to_be_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "KEYWORD", "num_stages=7")
    with pytest.raises(LookupError, match="num_stages=7"), compiling.serialised_programs():
        pass
    monkeypatch.undo()
    with compiling.serialised_programs() as programs:
        assert programs.forward_kernel.__name__ == kernel_programs.forward_kernel.__name__
        assert programs.forward_kernel is not kernel_programs.forward_kernel


def test_every_gpu_has_a_name_and_a_size() -> None:
    assert GPUS[90] == ("H100", 228)
    assert all(
        kib * 1024 > most_shared_bytes(divmod(each, 10)) for each, (_, kib) in GPUS.items() if each > 75
    )

"""A device as the harness sees it: its clock, its memory, its name, and the fastest that it can be."""

import contextlib
import os
import platform
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from helpers import garbage
from helpers.benchmark.records import Ceiling, Device, Versions
from helpers.pytorch.memory import allocations

# The back ends of F.scaled_dot_product_attention that can be asked for by name.
BACKENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "math": SDPBackend.MATH,
}
# Those that are measured by name. On a processor PyTorch takes "flash" by itself.
BACKENDS_OF = {"cuda": tuple(BACKENDS), "cpu": ("math",), "mps": ()}
MEMORY_METHODS = {
    "cpu": "every allocation of torch during one call, added up as it happens; what BLAS takes is not seen",
    "cuda": "torch.cuda.max_memory_allocated during one call, less what was allocated before",
    "mps": "none: torch has no counter of the most that was held",
}
NO_MEMORY = ("can't allocate memory", "not enough memory", "out of memory")


class Cpu:
    """The processor. What a call has done is done when it returns."""

    kind = "cpu"

    def seconds(self, call: Callable[[], object], calls: int) -> float:
        """A call, how many of them -> seconds for one, on average."""
        start = time.perf_counter()
        for _ in range(calls):
            call()
        self.wait()
        return (time.perf_counter() - start) / calls

    def wait(self) -> None:
        """() -> once all work is done."""

    def peak_bytes(self, call: Callable[[], object]) -> int | None:
        """A call -> the most bytes that torch held at once beyond what was there, its output included."""
        held = np.cumsum([0, *allocations(call)])
        return int(held.max())

    def free_bytes(self) -> int | None:
        """() -> half of the memory that is free: the rest is for the machine and its other users."""
        free = free_memory()
        return None if free is None else free // 2

    def total_bytes(self) -> int | None:
        """() -> the memory that a GPU has, or None where nobody needs to know."""
        return None

    def is_out_of_memory(self, error: BaseException) -> bool:
        """An error -> whether it says that there was not enough memory."""
        words = str(error).lower()
        return isinstance(error, (MemoryError, torch.OutOfMemoryError)) or any(w in words for w in NO_MEMORY)

    def clear(self) -> None:
        """() -> gives back what nobody holds any more."""
        garbage.collect()

    def capability(self) -> tuple[int, int]:
        """() -> what NVIDIA calls the compute capability, (0, 0) where there is none."""
        return 0, 0

    def clocks(self) -> str | None:
        """() -> clocks and power limit as the driver gives them, or None: they say what a peak means."""
        return None

    def describe(self) -> Device:
        """() -> the device, as a record names it."""
        return _device("cpu", processor_name())


class Cuda(Cpu):
    """An NVIDIA GPU, timed by its own events: the processor only hands out the work."""

    kind = "cuda"

    def __init__(self, device: torch.device) -> None:
        """A device -> its tools."""
        self.device = device

    def seconds(self, call: Callable[[], object], calls: int) -> float:
        """A call, how many of them -> seconds for one, on average, between two events on the GPU."""
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.wait()
        start.record()
        for _ in range(calls):
            call()
        end.record()
        self.wait()
        return start.elapsed_time(end) / 1000 / calls

    def wait(self) -> None:
        """() -> once all work is done."""
        torch.cuda.synchronize(self.device)

    def peak_bytes(self, call: Callable[[], object]) -> int | None:
        """A call -> the most bytes that torch held on the GPU beyond what was there."""
        self.wait()
        torch.cuda.reset_peak_memory_stats(self.device)
        before = torch.cuda.memory_allocated(self.device)
        call()
        self.wait()
        return torch.cuda.max_memory_allocated(self.device) - before

    def free_bytes(self) -> int | None:
        """() -> None: a GPU that is full says so, and no harm is done by trying."""
        return None

    def total_bytes(self) -> int | None:
        """() -> the memory that the GPU has."""
        return int(torch.cuda.get_device_properties(self.device).total_memory)

    def clear(self) -> None:
        """() -> gives back what nobody holds any more, to the GPU too."""
        garbage.collect()
        torch.cuda.empty_cache()

    def capability(self) -> tuple[int, int]:
        """() -> what NVIDIA calls the compute capability: (7, 5) for a T4, (9, 0) for an H100."""
        return torch.cuda.get_device_capability(self.device)

    def clocks(self) -> str | None:
        """() -> clocks and power limit as the driver gives them, or None: they say what a peak means."""
        asked = "clocks.sm,clocks.max.sm,power.limit"
        answer = ask("nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader")
        return f"{asked}: {answer.splitlines()[self.device.index or 0]}" if answer else None

    def describe(self) -> Device:
        """() -> the device, as a record names it."""
        cudnn = torch.backends.cudnn.version()
        name = torch.cuda.get_device_name(self.device)
        return _device(
            "cuda", name, _nvidia_driver(), torch.version.cuda, None if cudnn is None else str(cudnn)
        )


class Mps(Cpu):
    """The GPU of an Apple computer: the clock stops when its queue is empty."""

    kind = "mps"

    def wait(self) -> None:
        """() -> once all work is done."""
        torch.mps.synchronize()

    def seconds(self, call: Callable[[], object], calls: int) -> float:
        """A call, how many of them -> seconds for one, on average."""
        self.wait()
        return super().seconds(call, calls)

    def peak_bytes(self, call: Callable[[], object]) -> int | None:
        """A call -> None, after it has run: nothing here knows the most that was held."""
        call()
        self.wait()
        return None

    def clear(self) -> None:
        """() -> gives back what nobody holds any more, to the GPU too."""
        garbage.collect()
        torch.mps.empty_cache()

    def describe(self) -> Device:
        """() -> the device, as a record names it."""
        return _device("mps", processor_name())


def two_byte_dtype(kind: str, capability: tuple[int, int]) -> str:
    """A device's kind, what an NVIDIA GPU can do -> the two-byte dtype that it multiplies fast.

    Before capability 8.0 (a T4 has 7.5) bfloat16 is computed in float32 behind the scenes, though PyTorch
    says that it is supported.
    """
    return "float16" if kind == "mps" or (kind == "cuda" and capability < (8, 0)) else "bfloat16"


def tools_for(device: torch.device) -> Cpu:
    """A device -> its tools. Raises ValueError for one that cannot be timed."""
    if device.type == "cuda":
        return Cuda(device)
    if device.type == "mps":
        return Mps()
    if device.type == "cpu":
        return Cpu()
    raise ValueError(f"only cpu, cuda and mps can be measured; got device {str(device)!r}")


def measured_ceilings(
    device: torch.device,
    dtype: torch.dtype,
    size: int,
    copied_bytes: int,
    rounds: int = 7,
    tools: Cpu | None = None,
) -> list[Ceiling]:
    """A device, a dtype, sizes -> the rate of a (size, size) product, and of a copy of so many bytes.

    The fastest of `rounds`, after one that does not count. A product is 2·size³ operations; a copy moves each
    byte twice, once read and once written. Where there is no room, both are tried with halves of the sizes.
    """
    tools = tools_for(device) if tools is None else tools
    name = str(dtype).removeprefix("torch.")
    try:
        product = 2 * size**3 / seconds_of_product(tools, device, dtype, size, rounds)
        copy = 2 * copied_bytes / seconds_of_copy(tools, device, dtype, copied_bytes, rounds)
    except (RuntimeError, MemoryError) as error:
        if size < 512 or not tools.is_out_of_memory(error):
            raise
    else:
        return [
            {"what": "matmul", "dtype": name, "size": size, "rate": product, "unit": "FLOP/s"},
            {"what": "copy", "dtype": name, "size": copied_bytes, "rate": copy, "unit": "bytes/s"},
        ]
    tools.clear()  # only now does nothing hold the error, and with it the tensors
    return measured_ceilings(device, dtype, size // 2, copied_bytes // 2, rounds, tools)


@contextlib.contextmanager
def only_backend(name: str) -> Iterator[None]:
    """A back end's name -> inside, F.scaled_dot_product_attention takes this one and no other.

    Where it cannot, PyTorch warns why and raises; here the RuntimeError says both.
    """
    with warnings.catch_warnings(record=True) as said, sdpa_kernel(BACKENDS[name]):
        warnings.simplefilter("always")
        try:
            yield
        except RuntimeError as error:
            why = "; ".join(_reasons(str(warning.message) for warning in said))
            raise RuntimeError(f"{why or error}") from error


def chosen_backend(queries: torch.Tensor, causal: bool) -> str | None:
    """Queries (B, H, n, d) -> the back end that PyTorch takes by itself, or None where it does not say."""
    choose = getattr(torch, "_fused_sdp_choice", None)
    if choose is None or queries.device.type == "mps":
        return None
    choice = SDPBackend(choose(queries, queries, queries, None, 0.0, causal))
    return next((name for name, backend in BACKENDS.items() if backend == choice), None)


def versions() -> Versions:
    """() -> the versions of what a benchmark uses; nothing that names the machine or its user."""
    release = ".".join(platform.release().split("-")[0].split(".")[:2])
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "system": f"{platform.system()} {release}",
        "machine": platform.machine(),
    }


def processor_name() -> str:
    """() -> what the system calls its processor, or the kind of machine where it does not say."""
    if platform.system() == "Darwin":
        return ask("sysctl", "-n", "machdep.cpu.brand_string") or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def instructions() -> str:
    """() -> the widest vector instructions that torch uses on this processor: "AVX512", "AVX2" or another.

    A record keeps it: with AVX-512 PyTorch's fused attention gains more than NumPy's separate passes.
    """
    return torch.backends.cpu.get_cpu_capability()


def free_memory() -> int | None:
    """() -> bytes of memory that are free, or half of all there is, or None where neither is known."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return None


def git_state() -> tuple[str | None, bool | None]:
    """() -> the commit of this course's folder and whether files differ from it; None, None without git."""
    commit = ask("git", "rev-parse", "HEAD")
    if commit is None:
        return None, None
    return commit, bool(ask("git", "status", "--porcelain"))


def _device(
    kind: str, name: str, driver: str | None = None, cuda: str | None = None, cudnn: str | None = None
) -> Device:
    found = {"kind": kind, "name": name, "driver": driver, "cuda": cuda, "cudnn": cudnn}
    return {**found, "memory_method": MEMORY_METHODS[kind]}  # type: ignore[typeddict-item]


def _nvidia_driver() -> str | None:
    answer = ask("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    return answer.splitlines()[0] if answer else None


def ask(*command: str) -> str | None:
    """A command -> what it prints, or None where it cannot be had. Asked in this course's own folder."""
    folder = Path(__file__).resolve().parent
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=30, check=True)
        return done.stdout.strip()
    return None


def seconds_of_product(tools: Cpu, device: torch.device, dtype: torch.dtype, size: int, rounds: int) -> float:
    """A device's tools, a dtype, a size -> seconds for a (size, size) product, the fastest of the rounds."""
    # Random numbers, as attention has them: a GPU multiplies ones faster, because that needs less power.
    a, b, product = torch.randn(3, size, size, device=device).to(dtype)
    return _fastest(tools, lambda: torch.matmul(a, b, out=product), rounds)


def seconds_of_copy(
    tools: Cpu, device: torch.device, dtype: torch.dtype, copied_bytes: int, rounds: int
) -> float:
    """A device's tools, a dtype, bytes -> seconds for a copy of so many, the fastest of the rounds."""
    source = torch.ones(copied_bytes // dtype.itemsize, dtype=dtype, device=device)
    target = torch.empty_like(source)
    return _fastest(tools, lambda: target.copy_(source), rounds)


def _fastest(tools: Cpu, call: Callable[[], object], rounds: int) -> float:
    tools.seconds(call, 1)
    return min(tools.seconds(call, 1) for _ in range(rounds))


def _reasons(warned: Iterator[str]) -> list[str]:
    """PyTorch's warnings -> what they say, without the place in its source where they were made."""
    return [text.split(" (Triggered internally")[0].strip() for text in warned]

"""Triton, where it can be had. Modules with kernels take `jit`, `tl` and `triton` from here, and can be
imported everywhere; `why_not` says what is missing.

Triton has official packages for Linux only. Without a GPU its interpreter runs the same lines in NumPy,
slowly (TRITON_INTERPRET=1, set before Triton is imported).
"""

from typing import Any

import torch

from helpers.pytorch.gpu import AMPERE, capability_of

try:
    import triton
    import triton.language as tl

    MISSING = ""
    jit = triton.jit
except ImportError as error:
    triton = tl = None
    MISSING = (
        f"Triton cannot be imported ({error}). It has official packages for Linux, none for macOS and Windows"
    )

    def jit(function: Any) -> Any:
        """A kernel -> the same: nothing can run it here."""
        return function


@jit
def _nothing() -> None:
    """Stands for the kernels of the course: was this interpreted or compiled, when they were made?"""


def is_interpreted(function: Any) -> bool:
    """A kernel -> whether Triton's interpreter runs it, and no GPU."""
    return not isinstance(function, triton.runtime.JITFunction)


def interprets() -> bool:
    """() -> whether Triton's interpreter runs the kernels of this course."""
    return is_interpreted(_nothing)


def why_not(device: torch.device | str) -> str:
    """A device -> why the kernels cannot run on its tensors, in a sentence, or "" where they can."""
    if MISSING:
        return MISSING
    if is_interpreted(tl.max) != interprets():
        return "TRITON_INTERPRET was changed after Triton had been imported: start Python again"
    kind = torch.device(device).type
    if kind == "cpu" and not interprets():
        return (
            "Triton compiles for GPUs. For tensors on the CPU there is its interpreter: set the environment "
            "variable TRITON_INTERPRET=1 before anything imports Triton, and start Python again"
        )
    if kind not in ("cuda", "cpu"):
        return f"Triton runs on cuda, and in its interpreter on cpu; got {kind}"
    capability = capability_of(device)
    if capability is not None and capability < AMPERE and not interprets():
        return (
            f"the kernels need a GPU of compute capability {AMPERE[0]}.{AMPERE[1]} or more; this one has "
            f"{capability[0]}.{capability[1]}, for which Triton multiplies without tensor cores, many times "
            "slower: use F.scaled_dot_product_attention, in float16"
        )
    return ""


def require_triton(device: torch.device | str) -> None:
    """Raise unless kernels can run on the device: ImportError if Triton is missing, otherwise ValueError."""
    reason = why_not(device)
    if MISSING:
        raise ImportError(reason)
    if reason:
        raise ValueError(reason)

"""What is asked of PyTorch before a GPU computes: how new it is, which dtype it multiplies fast, and TF32."""

import torch

# From this compute capability on (A100, 2020) a GPU multiplies bfloat16, and Triton uses its tensor cores.
AMPERE = (8, 0)


def capability_of(device: torch.device | str) -> tuple[int, int] | None:
    """A device -> the compute capability of its NVIDIA GPU, such as (9, 0), or None where none is here."""
    if torch.device(device).type != "cuda" or not torch.cuda.is_available() or torch.version.hip:
        return None
    major, minor = torch.cuda.get_device_capability(device)
    return major, minor


def half_dtype(device: torch.device | str) -> torch.dtype:
    """A device -> its fast dtype of 2 bytes: bfloat16, but float16 on a GPU that only emulates bfloat16.

    torch.cuda.is_bf16_supported() says True there, too: a T4 (capability 7.5) runs bfloat16, slowly.
    """
    capability = capability_of(device)
    return torch.float16 if capability is not None and capability < AMPERE else torch.bfloat16


def float32_products() -> str:
    """() -> "tf32" where a GPU may round the factors of float32 products to TF32 (11 bits), otherwise "ieee".

    There are two ways to ask for it: torch.backends.cuda.matmul.fp32_precision = "tf32" (from PyTorch 2.9 on)
    and torch.set_float32_matmul_precision("high"). Once the first was used, PyTorch raises RuntimeError where
    the second is read; the first can always be read, and follows the second.
    """
    matmul = torch.backends.cuda.matmul
    try:
        return "tf32" if matmul.fp32_precision == "tf32" else "ieee"
    except AttributeError:  # PyTorch before 2.9
        return "tf32" if matmul.allow_tf32 else "ieee"

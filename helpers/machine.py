"""What lesson 00 says of the machine: versions, processor, and the device that PyTorch can use."""

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("numpy", "matplotlib", "jupyterlab", "ipywidgets", "torch")

# PyTorch is asked in a process of its own, so that the kernel of a NumPy lesson never loads it.
DEVICE_QUESTION = """
import torch
if torch.cuda.is_available():
    print("cuda:", torch.cuda.get_device_name())
elif torch.backends.mps.is_available():
    print("mps: the GPU of this Apple computer")
else:
    print("cpu: no GPU that PyTorch can use; every lesson runs without one")
"""


def machine_report() -> None:
    """() -> prints versions, the processor, and the device that PyTorch can use. Never raises."""
    print(f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})")
    for name in PACKAGES:
        print(f"{name:11}", _installed_version(name))
    print(f"{'processor':11}", f"{os.cpu_count()} cores")
    print(f"{'device':11}", torch_device())


def torch_device(seconds: float = 60) -> str:
    """() -> "cuda: …", "mps: …" or "cpu: …", or why PyTorch gave no answer. Never raises."""
    try:
        answer = subprocess.run(
            [sys.executable, "-c", DEVICE_QUESTION],
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"unknown: PyTorch gave no answer ({type(error).__name__})"
    last_words = (answer.stderr.strip().splitlines() or ["no reason given"])[-1]
    return answer.stdout.strip() or f"unknown: PyTorch does not load ({last_words})"


def _installed_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed: run the README's command again"

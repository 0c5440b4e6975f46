"""What an exercise in PyTorch hands over and gets back. The probes hold NumPy arrays; learners see tensors.

Only lesson 08 and those after it load this: it imports torch.
"""

import contextlib
import copy
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

SEED = 8  # before each call, so that dropout drops the same weights whenever a function is called


def as_tensors(value: Any) -> Any:
    """An array -> a tensor that shares its memory, a module -> a copy of it; anything else stays."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    return copy.deepcopy(value) if isinstance(value, nn.Module) else value


def as_arrays(result: Any) -> Any:
    """A tensor, or tensors in a tuple or list -> the same as arrays; anything else stays.

    bfloat16, which NumPy has not, becomes float16, which is as coarse a measure; far numbers become float32.
    Raises ValueError for a tensor that holds no numbers.
    """
    if isinstance(result, list | tuple):
        return (list if isinstance(result, list) else tuple)(map(as_arrays, result))
    if not isinstance(result, Tensor):
        return result
    if result.is_meta:
        raise ValueError("a tensor on the meta device has a shape and no numbers")
    tensor = result.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        far = bool((tensor.abs() > torch.finfo(torch.float16).max).any())
        tensor = tensor.to(torch.float32 if far else torch.float16)
    return tensor.numpy()


def altered(name: str, before: Any, after: Any) -> str | None:
    """An input's name, what it was, what was handed over, after the call -> a sentence on what changed.

    "" where the numbers of a tensor changed, for which there are words already; None where nothing did.
    """
    if isinstance(before, nn.Module):
        return _altered_layer(name, before, after)
    if not isinstance(before, np.ndarray) or not isinstance(after, Tensor):
        return None
    was = torch.from_numpy(np.copy(before))  # as the sandbox copies: the axes lie as they lay
    if (after.shape, after.stride()) != (was.shape, was.stride()):
        told = f"After the call the axes of {name} are others: its shape was {tuple(was.shape)}, and is "
        told += f"{tuple(after.shape)}. A name that ends in _ (transpose_, unsqueeze_) changes the tensor; "
        return told + "the one without it makes a new view."
    same = after.dtype == was.dtype and np.array_equal(as_arrays(after), before, equal_nan=True)
    return None if same else ""


def _altered_layer(name: str, before: nn.Module, after: nn.Module) -> str | None:
    """What of a layer is no longer as it was: its mode, its settings or its parameters."""
    plain = (bool, int, float, str)
    for (part, was), now in zip(before.named_modules(), after.modules(), strict=False):
        for setting, value in vars(was).items():
            if isinstance(value, plain) and vars(now).get(setting) != value:
                whole = f"{name}.{part}.{setting}" if part else f"{name}.{setting}"
                return (
                    f"After the call {whole} is {vars(now).get(setting)}, and it was {value}. Whoever called "
                    "your function still needs the layer as it was."
                )
    now_held = after.state_dict()
    for parameter, value in before.state_dict().items():
        if parameter not in now_held or not torch.equal(value, now_held[parameter]):
            return f"After the call {name}.{parameter} holds other numbers. The layer is used again."
    return None


def start_again() -> None:
    """Set torch's own dice back to where each call of a check begins."""
    torch.default_generator.manual_seed(SEED)


@contextlib.contextmanager
def dice_as_they_were() -> Iterator[None]:
    """Put back torch's dice after a check. One thread meanwhile: small products only wait for a second."""
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_rng_state(state)


@contextlib.contextmanager
def settings_as_they_were() -> Iterator[None]:
    """Put back what a learner's function might have set for all of torch."""
    dtype, gradients = torch.get_default_dtype(), torch.is_grad_enabled()
    strict = torch.are_deterministic_algorithms_enabled()
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(gradients)
        if torch.are_deterministic_algorithms_enabled() != strict:  # the call loads 100 MB of torch
            torch.use_deterministic_algorithms(strict)


def modules() -> tuple[types.ModuleType, ...]:
    """Where a learner's function might put another function under torch's own name."""
    return torch, torch.nn.functional

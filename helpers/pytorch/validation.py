"""What the PyTorch helpers ask of their tensors: shapes, dtypes and devices, never the numbers in them.

Looking at a number would make a GPU wait. None of this costs anything that can be measured, and torch.compile
looks at it once.
"""

import torch
from torch import Tensor

from helpers.validation import require_count


def require_fitting(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> None:
    """Raise unless the tensors go together. Looks at shapes and types only, never at numbers."""
    named = {"queries": queries, "keys": keys, "values": values}
    require_floats(named)
    got = ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in named.items())
    if queries.shape[-1] != keys.shape[-1] or keys.shape[-2] != values.shape[-2]:
        raise ValueError(
            "shapes must be queries (..., n_queries, d_k), keys (..., n_keys, d_k) and values "
            f"(..., n_keys, d_v); got {got}"
        )
    stack = _broadcast(queries.shape[:-2], keys.shape[:-2], values.shape[:-2])
    if stack is None:
        raise ValueError(f"the axes before the last two (batch, heads) must agree; got {got}")
    if mask is not None:
        require_mask(mask, (*stack, queries.shape[-2], keys.shape[-2]), queries.device)


def require_floats(named: dict[str, Tensor]) -> None:
    """Raise unless each is a tensor (..., n, d) of floating-point numbers, on one device, of one dtype."""
    for name, tensor in named.items():
        if not isinstance(tensor, Tensor) or not tensor.is_floating_point():
            what = tensor.dtype if isinstance(tensor, Tensor) else type(tensor).__name__
            raise TypeError(f"{name} must be a floating-point tensor; got {what}")
        if tensor.ndim < 2 or tensor.shape[-1] == 0:
            raise ValueError(f"{name} must have shape (..., n, d), d at least 1; got {tuple(tensor.shape)}")
    if len({tensor.device for tensor in named.values()}) > 1:
        places = ", ".join(f"{name} on {tensor.device}" for name, tensor in named.items())
        raise ValueError(f"queries, keys and values must be on one device; got {places}")
    dtypes = {tensor.dtype for tensor in named.values()}
    if len(dtypes) > 1 and not torch.is_autocast_enabled(next(iter(named.values())).device.type):
        kinds = ", ".join(f"{name} {tensor.dtype}" for name, tensor in named.items())
        raise TypeError(f"queries, keys and values must have one dtype; got {kinds}")


def require_mask(mask: Tensor, shape: tuple[int, ...], device: torch.device) -> None:
    """Raise unless the mask is of True and False, on the device, and broadcasts to the shape."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        what = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"mask must be a tensor of True (may attend) and False (may not); got {what}")
    if mask.device != device:
        raise ValueError(f"mask must be on {device}, where the queries are; got {mask.device}")
    if _broadcast(mask.shape, shape) != shape:
        raise ValueError(
            f"mask must broadcast to (..., n_queries, n_keys) = {shape}; got {tuple(mask.shape)}"
        )


def require_width(name: str, rows: Tensor, width_name: str, width: int) -> None:
    """Raise TypeError unless these are a tensor; ValueError, with the shape, unless rows have the width."""
    if not isinstance(rows, Tensor):
        raise TypeError(f"{name} must be a floating-point tensor; got {type(rows).__name__}")
    if rows.ndim < 2 or rows.shape[-1] != width:
        raise ValueError(
            f"{name} must have shape (..., n, {width_name}) with {width_name} = {width}; "
            f"got {tuple(rows.shape)}"
        )


def require_share(name: str, share: float) -> None:
    """Raise ValueError unless the share lies from 0 to 1."""
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"{name} must lie from 0 to 1; got {share}")


def require_sizes(**sizes: int) -> None:
    """Raise TypeError unless each size is a whole number, ValueError below 1."""
    for name, size in sizes.items():
        require_count(name, size)


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Shapes -> the one that they broadcast to, or None. torch.broadcast_shapes would load 34 MB (sympy)."""
    longest = max(len(shape) for shape in shapes)
    together = [1] * longest
    for shape in shapes:
        for axis, size in enumerate(shape, start=longest - len(shape)):
            if size != 1 and together[axis] not in (1, size):
                return None
            together[axis] = together[axis] if size == 1 else size
    return tuple(together)

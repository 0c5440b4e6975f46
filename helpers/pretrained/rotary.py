"""Rotary positions, until helpers.positions has them."""

import numpy as np

from helpers.validation import Array


def rotate(x: Array, positions: Array, base: float = 10000.0, layout: str = "halves") -> Array:
    """(..., n, d_head), (n,) -> (..., n, d_head): each pair of entries turned by position × speed."""
    d_head = x.shape[-1]
    angles = positions[..., None] * base ** (-np.arange(0, d_head, 2) / d_head)
    cosines, sines = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    half = d_head // 2
    places = (
        (slice(half), slice(half, None)) if layout == "halves" else (slice(0, None, 2), slice(1, None, 2))
    )
    turned = np.empty_like(x)
    first, second = (x[..., place] for place in places)
    turned[..., places[0]] = first * cosines - second * sines
    turned[..., places[1]] = first * sines + second * cosines
    return turned

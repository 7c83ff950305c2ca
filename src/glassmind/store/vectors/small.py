"""Vectors in one byte a number: a quarter to read, and how far off that can be."""

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 127
"""The largest byte, on both sides of zero."""

DEVIATIONS = 6.0
"""How many standard deviations a rounding error is believed to stay within.

What is lost by rounding points anywhere, so its product with a unit vector is nearly
normal, with a deviation of its length over the root of the width: one in 10^9 is
further out.
"""


def scale_for(peak: float) -> float:
    """Return the scale at which the largest number just fits."""
    return peak / MOST if peak > 0 else 1.0


def in_bytes(rows: "NDArray[np.float32]", scale: float) -> "NDArray[np.int8]":
    """Return rows in bytes; numbers too large for the scale are cut."""
    scaled: NDArray[np.float32] = np.rint(rows * np.float32(1 / scale))
    np.clip(scaled, -MOST, MOST, out=scaled)
    return scaled.astype(np.int8)


def lost(rows: "NDArray[np.float32]", small: "NDArray[np.int8]", scale: float) -> float:
    """Return the length of the longest difference between a row and its bytes."""
    if not rows.size:
        return 0.0
    off = rows - small.astype(np.float32) * np.float32(scale)
    return math.sqrt(float(np.max(np.einsum("ij,ij->i", off, off))))


def most_without_cuts(width: int, scale: float) -> float:
    """Return the longest difference that rounding alone can make."""
    return scale * math.sqrt(width) / 2


def margin(row_residual: float, query_residual: float, width: int) -> float:
    """Return how far a cosine from bytes may be from the true one."""
    certain = row_residual + (1 + row_residual) * query_residual
    likely = DEVIATIONS * math.hypot(row_residual, query_residual) / math.sqrt(width)
    return min(certain, likely)

"""Vectors brought to unit length."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from glassmind.model.vectors import Vector


def unit(vector: "NDArray[np.floating]") -> "Vector":
    """Return a vector of length one in the same direction.

    A vector without direction, of an empty text, points along the first axis.
    """
    made = np.asarray(vector, dtype=np.float32)
    length = np.linalg.norm(made)
    if not length > 0:
        made = np.zeros_like(made)
        made[0] = 1.0
        return made
    return made / length

"""How much of something fits a budget."""

from collections.abc import Callable


def most_within(total: int, size: Callable[[int], int], budget: int) -> int:
    """Return the most of `total` things whose size is within a budget; 0 for none.

    `size` tells what so many take; it grows with their number, but for a word or two.
    """
    fits, over = 0, total + 1
    while over - fits > 1:
        middle = (fits + over) // 2
        if size(middle) <= budget:
            fits = middle
        else:
            over = middle
    while fits and size(fits) > budget:
        fits -= 1
    return fits
